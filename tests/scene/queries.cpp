// What questions ask of a scene besides its contact problem: loads as generalised forces, poses, masses, prescribed
// accelerations.
#include <gmock/gmock.h>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

using testing::contact;
using testing::model_from_file;
using testing::model_from_text;
using testing::own_urdf;
using testing::Random;
using testing::scene_of;

LoadDescription load(const std::string& link, Random& random, LoadDescription::Frame frame)
{
  LoadDescription result;
  result.link = link;
  result.force = random.vector3();
  result.torque = random.vector3();
  result.at = random.vector3();
  result.frame = frame;
  return result;
}

TEST(SceneQueries, GeneralisedForceIsWhatALoadTakesFromF)
{
  Random random(41);
  SceneDescription d = scene_of({model_from_text("zoo", testing::zoo_urdf(), Base::kFloating),
                                 model_from_file("biped", own_urdf("biped.urdf"), Base::kFloating)});
  Scene plain(d);
  for (const char* link : {"zoo/root", "zoo/follow_link", "zoo/chain_link", "biped/left_sole"})
    for (auto frame : {LoadDescription::Frame::kWorld, LoadDescription::Frame::kLink}) {
      SceneDescription loaded = d;
      loaded.loads = {load(link, random, frame)};
      Scene scene(loaded);
      const SceneState state = testing::random_state(scene, random);
      ContactProblem with, without;
      scene.compute(state, with);
      plain.compute(state, without);
      EXPECT_LT((without.F - with.F - plain.generalised_force(state, loaded.loads[0])).cwiseAbs().maxCoeff(), 1e-11)
          << link;
    }
}

TEST(SceneQueries, GeneralisedForceDoesTheWorkOfTheForce)
{
  // f'(dp) = Q'dv for a small motion dv: the oracle moves the point by finite differences of its pose.
  Random random(42);
  Scene scene(scene_of({model_from_text("zoo", testing::zoo_urdf(), Base::kFloating)}));
  const SceneState state = testing::random_state(scene, random);
  LoadDescription push;
  push.link = "zoo/chain_link";
  push.force = random.vector3();
  push.at = random.vector3();
  const Eigen::VectorXd dv = random.vector(scene.nv());
  const auto height = [&](double t) {
    const SceneState moved{scene.integrate(state.q, t * dv), state.v};
    return push.force.dot(scene.link_pose(moved, push.link) * push.at);
  };
  const double step = 1e-5;
  EXPECT_NEAR(scene.generalised_force(state, push).dot(dv), (height(step) - height(-step)) / (2 * step), 1e-6);
}

TEST(SceneQueries, ContactPointsSitOnTheirLinks)
{
  Random random(43);
  SceneDescription d = scene_of({model_from_text("zoo", testing::zoo_urdf(), Base::kFloating)});
  d.contacts = {contact("a", "zoo/bolt_link", {0.1, 0.2, 0.3}, Eigen::Vector3d::UnitZ())};
  Scene scene(d);
  const SceneState state = testing::random_state(scene, random);
  ContactProblem p;
  scene.compute(state, p);
  const Eigen::Isometry3d pose = scene.link_pose(state, "zoo/bolt_link");
  EXPECT_LT((pose * Eigen::Vector3d(0.1, 0.2, 0.3) - p.contacts[0].point_W).norm(), 1e-12);
  EXPECT_LT((pose.linear().col(2) - p.contacts[0].axes_W.col(0)).norm(), 1e-12);
  EXPECT_EQ(scene.root_link("zoo"), "zoo/root");
  EXPECT_LT((scene.link_pose(state, "zoo/root").translation() - state.q.head<3>()).norm(), 1e-12);
  EXPECT_TRUE(scene.link_pose(state, "world").isApprox(Eigen::Isometry3d::Identity()));
}

TEST(SceneQueries, MassesOfModelsAddUp)
{
  Random random(44);
  const ModelDescription zoo = model_from_text("zoo", testing::zoo_urdf(), Base::kFloating);
  const ModelDescription biped = model_from_file("biped", own_urdf("biped.urdf"), Base::kFloating);
  Scene scene(scene_of({zoo, biped})), alone(scene_of({zoo}));
  const SceneState state = testing::random_state(scene, random);
  const double m1 = scene.total_mass("zoo"), m2 = scene.total_mass("biped");
  EXPECT_NEAR(m1, alone.total_mass(), 1e-12);
  EXPECT_NEAR(m1 + m2, scene.total_mass(), 1e-12);
  const Eigen::Vector3d c1 = scene.center_of_mass(state, "zoo"), c2 = scene.center_of_mass(state, "biped");
  EXPECT_LT(((m1 * c1 + m2 * c2) / (m1 + m2) - scene.center_of_mass(state)).norm(), 1e-12);
  const SceneState part{state.q.head(alone.nq()), state.v.head(alone.nv())};
  EXPECT_LT((c1 - alone.center_of_mass(part)).norm(), 1e-12);
}

TEST(SceneQueries, AccelerationsStandWhereRatesDo)
{
  ModelDescription model = model_from_text("zoo", testing::zoo_urdf(), Base::kFloating);
  model.rates = model.accelerations = {{"turn", 1.0}, {"slant", 2.0}};
  model.multi_rates = model.multi_accelerations = {{"plane", {3, 4, 5}}, {"free", {1, 2, 3, 4, 5, 6}}};
  model.linear_velocity = model.linear_acceleration = {7, 8, 9};
  model.angular_velocity = model.angular_acceleration = {10, 11, 12};
  Scene scene(scene_of({model}));
  EXPECT_EQ(scene.described_state().a, scene.described_state().v);
  model.rates.clear();
  model.multi_rates.clear();
  model.linear_velocity.setZero();
  model.angular_velocity.setZero();
  EXPECT_EQ(scene.state({model}).a, scene.described_state().a);
  EXPECT_TRUE(scene.state({model}).v.isZero(0.0));
}

template <class Call>
std::string error_of(Call call)
{
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SceneQueries, ErrorsNameTheEntry)
{
  using ::testing::HasSubstr;
  ModelDescription model = model_from_file("biped", own_urdf("biped.urdf"), Base::kFixed);
  Scene scene(scene_of({model}));
  const SceneState state = scene.described_state();
  LoadDescription push;
  push.link = "biped/hand";
  EXPECT_THAT(error_of([&] { scene.generalised_force(state, push, "options.push"); }),
              HasSubstr("options.push.link: want a link of models.biped"));
  push.link = "world";
  EXPECT_THAT(error_of([&] { scene.generalised_force(state, push); }), HasSubstr("load.link: want 'model/link'"));
  EXPECT_THAT(error_of([&] { scene.link_pose(state, "biped", "at"); }), HasSubstr("at: want 'world' or 'model/link'"));
  EXPECT_THAT(error_of([&] { scene.center_of_mass(state, "cow"); }),
              HasSubstr("models: want a model of the scene, got 'cow'"));
  model.linear_acceleration.x() = 1.0;
  EXPECT_THAT(error_of([&] { Scene{scene_of({model})}; }),
              HasSubstr("models.biped.acceleration: want zero for a fixed base"));
  model.linear_acceleration.x() = 0.0;
  model.accelerations = {{"nose", 1.0}};
  EXPECT_THAT(error_of([&] { Scene{scene_of({model})}; }), HasSubstr("models.biped.accelerations.nose: want a joint"));
}

}  // namespace
}  // namespace stiction
