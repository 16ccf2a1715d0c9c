// Once sized, recomputing a problem for a new state allocates nothing. Eigen allocates with malloc and says so only
// through its own check (active here: this executable is built without NDEBUG); all else goes through operator new.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <atomic>
#include <cstdio>

#include "scene/helpers.hpp"

/// Calls of operator new so far (count_news.cpp).
extern std::atomic<long> g_news;

namespace stiction {
namespace {

/// Heap use by a call: operator new is counted, Eigen's own allocations fail an assertion.
template <class Call>
long news_of(Call&& call)
{
  Eigen::internal::set_is_malloc_allowed(false);
  const long before = g_news;
  call();
  const long after = g_news;
  Eigen::internal::set_is_malloc_allowed(true);
  return after - before;
}

#ifndef NDEBUG
TEST(AllocationGuard, SeesBothKinds)
{
  EXPECT_GT(news_of([] {
              std::vector<double> v(100);
              v[0] = 1;
              ::testing::Test::RecordProperty("v", static_cast<int>(v[0]));
            }),
            0);
  EXPECT_DEATH(news_of([] {
                 Eigen::VectorXd v(100);
                 v.setZero();
                 std::printf("%g", v.sum());
               }),
               "is_malloc_allowed");
}
#else
#error "this test must be built without NDEBUG"
#endif

void expect_no_allocation(const SceneDescription& description)
{
  Scene scene(description);
  testing::Random random(31);
  ContactProblem problem;
  const SceneState first = testing::random_state(scene, random);
  SceneState second = testing::random_state(scene, random), still = second;
  still.v.setZero();
  scene.compute(first, problem);
  EXPECT_EQ(news_of([&] { scene.compute(second, problem); }), 0);
  EXPECT_EQ(news_of([&] { scene.compute(still, problem); }), 0);
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
  for (auto kind :
       {ClosureDescription::Kind::kPin, ClosureDescription::Kind::kWeld, ClosureDescription::Kind::kGuide}) {
    ClosureDescription closure;
    closure.name = "closure" + std::to_string(static_cast<int>(kind));
    closure.link = robot.name + "/" + links[0];
    closure.kind = kind;
    d.closures.push_back(closure);
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
