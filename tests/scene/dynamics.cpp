// M against kinetic energy, F against potential energy, weights and power; models apart and together; massless links.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

using testing::contact;
using testing::model_from_file;
using testing::model_from_text;
using testing::own_urdf;
using testing::Random;
using testing::scene_of;

std::vector<ModelDescription> subjects()
{
  std::vector<ModelDescription> models = {model_from_text("zoo", testing::zoo_urdf(), Base::kFloating),
                                          model_from_text("zoo", testing::zoo_urdf(), Base::kFixed),
                                          model_from_file("biped", own_urdf("biped.urdf"), Base::kFloating),
                                          model_from_file("mug", own_urdf("mug.urdf"), Base::kFloating)};
  if (!testing::robot_folder().empty())
    for (const char* file : {"/talos_data/robots/talos_full_v2.urdf", "/solo_description/robots/solo12.urdf",
                             "/panda_description/urdf/panda.urdf"})
      models.push_back(model_from_file("robot", testing::robot_folder() + file, Base::kFloating));
  return models;
}

TEST(Dynamics, MassMatrixGivesKineticEnergy)
{
  Random random(11);
  for (const ModelDescription& model : subjects()) {
    SCOPED_TRACE(model.urdf_file);
    Scene scene(scene_of({model}));
    ContactProblem p;
    for (int trial = 0; trial < 10; ++trial) {
      const SceneState state = testing::random_state(scene, random);
      scene.compute(state, p);
      const double energy = scene.kinetic_energy(state);
      EXPECT_NEAR(0.5 * state.v.dot(p.M * state.v), energy, 1e-11 * energy);
      EXPECT_EQ(p.M, p.M.transpose());
      p.validate();
    }
  }
}

TEST(Dynamics, ForceAtRestIsTheSlopeOfPotentialEnergy)
{
  Random random(12);
  for (const ModelDescription& model : subjects()) {
    SCOPED_TRACE(model.urdf_file);
    SceneDescription d = scene_of({model});
    d.gravity = {1.0, -2.0, -9.0};
    Scene scene(d);
    SceneState state = testing::random_state(scene, random);
    state.v.setZero();
    ContactProblem p;
    scene.compute(state, p);
    const double step = 1e-5;
    for (Eigen::Index k = 0; k < scene.nv(); ++k) {
      const Eigen::VectorXd dv = step * Eigen::VectorXd::Unit(scene.nv(), k);
      const double slope = (scene.potential_energy({scene.integrate(state.q, dv), state.v}) -
                            scene.potential_energy({scene.integrate(state.q, -dv), state.v})) /
                           (2 * step);
      EXPECT_NEAR(p.F(k), slope, 1e-6 * std::max(1.0, p.F.cwiseAbs().maxCoeff()))
          << p.dof_names[static_cast<std::size_t>(k)];
    }
  }
}

TEST(Dynamics, FreeMotionKeepsItsEnergy)
{
  Random random(13);
  for (const ModelDescription& model : subjects()) {
    SCOPED_TRACE(model.urdf_file);
    Scene scene(scene_of({model}));
    const SceneState state = testing::random_state(scene, random);
    ContactProblem p;
    scene.compute(state, p);
    const Eigen::VectorXd a = p.M.ldlt().solve(-p.F);
    const auto energy = [&](double dt) {
      // Second order in the path: the configuration at dt has the velocity of the middle of the step.
      const SceneState moved{scene.integrate(state.q, dt * (state.v + 0.5 * dt * a)), state.v + dt * a};
      return scene.kinetic_energy(moved) + scene.potential_energy(moved);
    };
    const double step = 1e-5, total = energy(0.0);
    const double power_scale = state.v.cwiseAbs().dot(p.F.cwiseAbs()) + std::abs(total);
    EXPECT_NEAR((energy(step) - energy(-step)) / (2 * step), 0.0, 1e-6 * power_scale);
  }
}

TEST(Dynamics, FreeFlyerCarriesTheWeight)
{
  Random random(14);
  for (const ModelDescription& model : subjects()) {
    if (model.base == Base::kFixed) continue;
    Scene scene(scene_of({model}));
    SceneState state = testing::random_state(scene, random);
    state.v.setZero();
    ContactProblem p;
    scene.compute(state, p);
    const Eigen::Quaterniond attitude(state.q.segment<4>(3));
    const double weight = 9.81 * scene.total_mass();
    const Eigen::Vector3d force_W = attitude * Eigen::Vector3d(p.F.head<3>());
    EXPECT_LT((force_W - Eigen::Vector3d(0, 0, weight)).norm(), 1e-11 * weight);
    // Moment about the root: the weight acts at the centre of mass.
    const Eigen::Vector3d arm = scene.center_of_mass(state) - state.q.head<3>();
    const Eigen::Vector3d moment_W = attitude * Eigen::Vector3d(p.F.segment<3>(3));
    EXPECT_LT((moment_W - arm.cross(force_W)).norm(), 1e-10 * weight);
  }
}

TEST(Dynamics, TwoModelsTogetherEqualTheTwoApart)
{
  Random random(15);
  SceneDescription one = scene_of({model_from_text("zoo", testing::zoo_urdf(), Base::kFloating)});
  SceneDescription two = scene_of({model_from_file("biped", own_urdf("biped.urdf"), Base::kFloating)});
  one.contacts = {contact("a", "zoo/follow_link", {0.1, 0.2, 0.3}, Eigen::Vector3d::UnitZ())};
  two.contacts = {contact("b", "biped/left_sole", {0.1, 0.05, 0}, Eigen::Vector3d::UnitX())};
  SceneDescription both = one;
  both.models.push_back(two.models[0]);
  both.contacts.push_back(two.contacts[0]);
  Scene scene1(one), scene2(two), scene12(both);
  const SceneState s1 = testing::random_state(scene1, random), s2 = testing::random_state(scene2, random);
  SceneState s12;
  s12.q.resize(s1.q.size() + s2.q.size());
  s12.v.resize(s1.v.size() + s2.v.size());
  s12.q << s1.q, s2.q;
  s12.v << s1.v, s2.v;
  ContactProblem p1, p2, p12;
  scene1.compute(s1, p1);
  scene2.compute(s2, p2);
  scene12.compute(s12, p12);
  const Eigen::Index n1 = p1.nv(), n2 = p2.nv();
  const auto same = [](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return (a - b).cwiseAbs().maxCoeff(); };
  EXPECT_LT(same(p12.M.topLeftCorner(n1, n1), p1.M), 1e-12);
  EXPECT_LT(same(p12.M.bottomRightCorner(n2, n2), p2.M), 1e-12);
  EXPECT_EQ(p12.M.topRightCorner(n1, n2).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_LT(same(p12.F.head(n1), p1.F), 1e-11);
  EXPECT_LT(same(p12.F.tail(n2), p2.F), 1e-11);
  EXPECT_LT(same(p12.J.topLeftCorner(3, n1), p1.J), 1e-12);
  EXPECT_LT(same(p12.J.bottomRightCorner(3, n2), p2.J), 1e-12);
  EXPECT_EQ(p12.J.topRightCorner(3, n2).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(p12.J.bottomLeftCorner(3, n1).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_LT(same(p12.gamma.head(3), p1.gamma), 1e-11);
  EXPECT_LT(same(p12.gamma.tail(3), p2.gamma), 1e-11);
  EXPECT_NEAR(scene12.total_mass(), scene1.total_mass() + scene2.total_mass(), 1e-12);
}

TEST(Dynamics, MasslessLinkMakesASingularMassThatSurvives)
{
  const std::string text =
      "<robot name='arm'><link name='base'/>"
      "<joint name='a' type='continuous'><parent link='base'/><child link='rod'/><axis xyz='0 1 0'/></joint>"
      "<link name='rod'>" +
      testing::inertial(1.0, "0.5 0 0") +
      "</link>"
      "<joint name='b' type='continuous'><parent link='rod'/><child link='ghost'/><origin xyz='1 0 0'/><axis xyz='0 1 "
      "0'/></joint>"
      "<link name='ghost'/></robot>";
  SceneDescription d = scene_of({model_from_text("arm", text, Base::kFixed)});
  d.models[0].rates = {{"a", 1.0}, {"b", -2.0}};
  d.contacts = {contact("tip", "arm/ghost", {0.3, 0, 0}, Eigen::Vector3d::UnitZ())};
  Scene scene(d);
  const ContactProblem p = scene.compute();
  p.validate();
  EXPECT_GT(p.M(0, 0), 0.1);
  EXPECT_EQ(p.M.row(1), Eigen::RowVector2d(0, 0));
  EXPECT_EQ(p.F(1), 0.0);
  EXPECT_NE(p.J.col(1).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_TRUE(p.gamma.allFinite());
  EXPECT_EQ(scene.warnings().size(), 1u);  // massless leaf

  // A floating model without any mass: M = 0.
  const ContactProblem ghost =
      Scene(scene_of({model_from_text("g", "<robot name='g'><link name='l'/></robot>", Base::kFloating)})).compute();
  ghost.validate();
  EXPECT_EQ(ghost.M, Eigen::MatrixXd::Zero(6, 6));
}

TEST(Dynamics, InertiaIsGivenInTheAxesOfItsOwnFrame)
{
  const std::string moments =
      "<mass value='2'/><inertia ixx='1' ixy='0.1' ixz='0.2' iyy='1.5' iyz='-0.1' izz='0.9'/></inertial></link>";
  const std::string turned_frame =
      "<robot name='r'><link name='a'><inertial><origin xyz='1 2 3' rpy='0.3 -0.5 1.2'/>" + moments + "</robot>";
  const std::string turned_link =
      "<robot name='r'><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/>"
      "<origin xyz='1 2 3' rpy='0.3 -0.5 1.2'/></joint><link name='b'><inertial>" +
      moments + "</robot>";
  const ContactProblem one = Scene(scene_of({model_from_text("r", turned_frame, Base::kFloating)})).compute();
  const ContactProblem two = Scene(scene_of({model_from_text("r", turned_link, Base::kFloating)})).compute();
  EXPECT_LT((one.M - two.M).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((one.F - two.F).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT(std::abs(one.M(3, 4)), 0.1);
}

TEST(Dynamics, GravityCanBeSwitchedOff)
{
  SceneDescription d = scene_of({model_from_file("box", own_urdf("box.urdf"), Base::kFloating)});
  d.gravity.setZero();
  EXPECT_EQ(Scene(d).compute().F, Eigen::VectorXd::Zero(6));
}

TEST(Dynamics, NothingThatMoves)
{
  Scene scene(scene_of({model_from_file("box", own_urdf("box.urdf"), Base::kFixed)}));
  EXPECT_EQ(scene.nv(), 0);
  EXPECT_NO_THROW(scene.compute().validate());
  EXPECT_THROW(scene.center_of_mass(scene.described_state()), InputError);
}

}  // namespace
}  // namespace stiction
