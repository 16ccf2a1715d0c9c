// Once sized, recomputing a problem for a new state allocates nothing: no call of malloc and its kin, by anybody.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <atomic>
#include <vector>

#include "scene/helpers.hpp"

extern std::atomic<long> g_allocations;  // count_allocations.cpp

namespace stiction {
namespace {

template <class Call>
long allocations_of(Call&& call)
{
  const long before = g_allocations;
  call();
  return g_allocations - before;
}

void keep(const void* memory) { asm volatile("" : : "g"(memory) : "memory"); }

TEST(AllocationCounter, SeesOperatorNewEigenAndTheInsideOfPinocchio)
{
  EXPECT_EQ(allocations_of([] { keep(std::vector<double>(100).data()); }), 1);
  EXPECT_EQ(allocations_of([] { keep(Eigen::VectorXd(100).data()); }), 1);
  Scene scene(testing::scene_of({testing::model_from_file("box", testing::own_urdf("box.urdf"), Base::kFloating)}));
  const SceneState state = scene.described_state();
  EXPECT_GT(allocations_of([&] { scene.kinetic_energy(state); }), 50);  // Pinocchio's Data, which motion needs
}

void expect_no_allocation(const SceneDescription& description)
{
  Scene scene(description);
  testing::Random random(31);
  ContactProblem problem;
  const SceneState first = testing::random_state(scene, random);
  SceneState second = testing::random_state(scene, random), still = second;
  still.v.setZero();
  scene.compute(first, problem);
  EXPECT_EQ(allocations_of([&] { scene.compute(second, problem); }), 0);
  EXPECT_EQ(allocations_of([&] { scene.compute(still, problem); }), 0);
}

SceneDescription loaded_scene(const ModelDescription& robot, const std::vector<std::string>& links)
{
  SceneDescription d =
      testing::scene_of({robot, testing::model_from_file("mug", testing::own_urdf("mug.urdf"), Base::kFloating)});
  d.models[0].effort.kind = Effort::Kind::kLimits;
  for (const std::string& link : links) {
    ContactDescription c = testing::contact("a contact with a name too long for the small-string buffer: " + link,
                                            robot.name + "/" + link, {0.1, 0.05, 0}, Eigen::Vector3d::UnitZ());
    c.points.push_back({-0.1, 0.05, 0});
    c.torsion = 0.01;
    d.contacts.push_back(c);
  }
  d.contacts[0].on = "mug/mug";
  for (auto kind : {LoopDescription::Kind::kPin, LoopDescription::Kind::kWeld, LoopDescription::Kind::kGuide}) {
    LoopDescription closure;
    closure.name = "closure" + std::to_string(static_cast<int>(kind));
    closure.link = robot.name + "/" + links[0];
    closure.kind = kind;
    d.loops.push_back(closure);
  }
  LoadDescription load;
  load.link = "mug/handle";
  load.force = {1, 2, 3};
  load.frame = LoadDescription::Frame::kLink;
  d.loads = {load};
  return d;
}

TEST(Allocation, NoneForEveryJointTypeMimicsClosuresAndLoads)
{
  expect_no_allocation(loaded_scene(testing::model_from_text("zoo", testing::zoo_urdf(), Base::kFloating),
                                    {"follow_link", "chain_link", "free_link"}));
}

TEST(Allocation, NoneForTalos)
{
  if (testing::robot_folder().empty()) GTEST_SKIP() << testing::kNoRobots;
  expect_no_allocation(
      loaded_scene(testing::model_from_file("talos", testing::robot_folder() + "/talos_data/robots/talos_full_v2.urdf",
                                            Base::kFloating),
                   {"left_sole_link", "right_sole_link"}));
}

}  // namespace
}  // namespace stiction
