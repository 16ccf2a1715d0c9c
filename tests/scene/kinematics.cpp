// Jacobians and drifts against finite differences of positions, orientations and velocities; forward kinematics of
// every joint type against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

using testing::contact;
using testing::model_from_file;
using testing::model_from_text;
using testing::Random;
using testing::scene_of;

constexpr double kStep = 1e-5;       // central differences: truncation about step^2, rounding about 1e-16 / step
constexpr double kTolerance = 1e-7;  // relative to the largest entry

void expect_close(const Eigen::MatrixXd& actual, const Eigen::MatrixXd& expected, const char* what)
{
  const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
  EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), kTolerance * scale) << what;
}

/// Per chosen link: "p<i>" with world axes and torsion, "r<i>" with axes fixed to the link, so that its axes_W is the
/// link's orientation, and a weld.
SceneDescription instrumented(const ModelDescription& model, const std::vector<std::string>& links, Random& random)
{
  SceneDescription d = scene_of({model});
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::string link = model.name + "/" + links[i];
    ContactDescription p = contact("p" + std::to_string(i), link, random.vector3(), random.direction());
    p.normal_frame = ContactFrame::kWorld;
    p.torsion = 0.1;
    ContactDescription r = p;
    r.name = "r" + std::to_string(i);
    r.normal_frame = ContactFrame::kLink;
    LoopDescription w;
    w.name = "w" + std::to_string(i);
    w.link = link;
    w.at = p.points[0];
    w.kind = LoopDescription::Kind::kWeld;
    d.contacts.push_back(p);
    d.contacts.push_back(r);
    d.loops.push_back(w);
  }
  return d;
}

Eigen::Vector3d vex(const Eigen::Matrix3d& S)
{
  return 0.5 * Eigen::Vector3d(S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1));
}

/// Rows of p<i>, r<i>, w<i> from differences of point_W and axes_W alone.
void check_jacobian(Scene& scene, const SceneState& state)
{
  ContactProblem here, ahead, behind;
  scene.compute(state, here);
  Eigen::MatrixXd J(here.rows(), here.nv());
  for (Eigen::Index k = 0; k < here.nv(); ++k) {
    const Eigen::VectorXd step = kStep * Eigen::VectorXd::Unit(here.nv(), k);
    scene.compute({scene.integrate(state.q, step), state.v}, ahead);
    scene.compute({scene.integrate(state.q, -step), state.v}, behind);
    for (std::size_t i = 0; i + 1 < here.contacts.size(); i += 2) {
      const Contact& p = here.contacts[i];
      const Contact& r = here.contacts[i + 1];
      const Eigen::Vector3d velocity = (ahead.contacts[i].point_W - behind.contacts[i].point_W) / (2 * kStep);
      const Eigen::Vector3d omega =
          vex((ahead.contacts[i + 1].axes_W - behind.contacts[i + 1].axes_W) / (2 * kStep) * r.axes_W.transpose());
      for (const Contact& c : {p, r}) {
        J.col(k).segment<3>(c.row) = c.axes_W.transpose() * velocity;
        J(c.row + 3, k) = c.axes_W.col(0).dot(omega);
      }
      const LoopConstraint& w = here.loops[i / 2];
      J.col(k).segment<6>(w.row) << velocity, omega;
    }
  }
  expect_close(here.J, J, "J");
}

/// gamma = d/dt (J v) at constant v, whether axes stand still or turn with the link.
void check_drift(Scene& scene, const SceneState& state)
{
  ContactProblem here, ahead, behind;
  scene.compute(state, here);
  scene.compute({scene.integrate(state.q, kStep * state.v), state.v}, ahead);
  scene.compute({scene.integrate(state.q, -kStep * state.v), state.v}, behind);
  EXPECT_GT(here.gamma.cwiseAbs().maxCoeff(), 1e-3);  // the test would be empty without drift
  expect_close(here.gamma, (ahead.J * state.v - behind.J * state.v) / (2 * kStep), "gamma");
}

void check_model(const ModelDescription& model, const std::vector<std::string>& links, unsigned seed)
{
  Random random(seed);
  Scene scene(instrumented(model, links, random));
  for (int trial = 0; trial < 2; ++trial) {
    const SceneState state = testing::random_state(scene, random);
    check_jacobian(scene, state);
    check_drift(scene, state);
  }
}

std::string find_robot(const std::string& file)
{
  for (const auto& entry : std::filesystem::recursive_directory_iterator(testing::robot_folder()))
    if (entry.path().filename() == file) return entry.path().string();
  return {};
}

class FiniteDifferences : public ::testing::TestWithParam<const char*> {};

TEST_P(FiniteDifferences, RealRobot)
{
  if (testing::robot_folder().empty()) GTEST_SKIP() << testing::kNoRobots;
  const std::string file = find_robot(GetParam());
  ASSERT_FALSE(file.empty());
  Random random(7);
  const RobotInfo info = inspect_urdf_file(file);
  std::vector<std::string> moving, chosen;
  for (const JointInfo& joint : info.joints)
    if (joint.type != "fixed") moving.push_back(joint.child);
  ASSERT_FALSE(moving.empty());
  for (int i = 0; i < 4; ++i) chosen.push_back(moving[random.index(moving.size())]);
  check_model(model_from_file("robot", file, Base::kFloating), chosen, 1);
  check_model(model_from_file("robot", file, Base::kFixed), chosen, 2);
}

INSTANTIATE_TEST_SUITE_P(Robots, FiniteDifferences,
                         ::testing::Values("talos_full_v2.urdf", "solo12.urdf", "anymal.urdf", "g1_29dof_rev_1_0.urdf",
                                           "go2.urdf", "icub.urdf", "allegro_right_hand.urdf", "panda.urdf",
                                           "ur5_robot.urdf", "pr2.urdf"),
                         [](const auto& robot) {
                           const std::string file = robot.param;
                           return file.substr(0, file.find('.'));
                         });

TEST(JointTypes, EveryJointType)
{
  for (const char* type : {"revolute", "continuous", "prismatic", "planar", "floating"})
    for (const char* axis : {"1 0 0", "0 1 0", "0 0 1", "0 0 -1", "1 2 -2"}) {
      SCOPED_TRACE(std::string(type) + " about " + axis);
      check_model(model_from_text("m", testing::one_joint_urdf(type, axis), Base::kFloating), {"tip"}, 3);
    }
}

TEST(JointTypes, AllJointTypesAndMimicsInOneTree)
{
  for (Base base : {Base::kFloating, Base::kFixed})
    check_model(model_from_text("zoo", testing::zoo_urdf(), base),
                {"spin_link", "plane_link", "free_link", "follow_link", "chain_link"}, 4);
}

/// Position of a point of the tip of one_joint_urdf, from the URDF specification.
class JointMeaning : public ::testing::Test {
 protected:
  static Eigen::Isometry3d origin()
  {
    return Eigen::Translation3d(0.3, -0.2, 0.5) * Eigen::AngleAxisd(1.1, Eigen::Vector3d::UnitZ()) *
           Eigen::AngleAxisd(-0.4, Eigen::Vector3d::UnitY()) * Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX());
  }
  static Eigen::Vector3d tip_point(const ModelDescription& model)
  {
    SceneDescription d = scene_of({model});
    d.contacts = {contact("c", "m/tip", {0.4, -0.3, 0.2}, Eigen::Vector3d::UnitZ())};
    return Scene(d).compute().contacts[0].point_W;
  }
  static void expect_at(const ModelDescription& model, const Eigen::Isometry3d& motion)
  {
    const Eigen::Vector3d expected = origin() * motion * Eigen::Vector3d(0.4, -0.3, 0.2);
    EXPECT_LT((tip_point(model) - expected).norm(), 1e-12);
  }
};

TEST_F(JointMeaning, RevoluteContinuousPrismaticAboutSkewAxis)
{
  const Eigen::Vector3d axis = Eigen::Vector3d(1, 2, -2) / 3;
  for (const char* type : {"revolute", "continuous", "prismatic"}) {
    ModelDescription m = model_from_text("m", testing::one_joint_urdf(type, "1 2 -2"), Base::kFixed);
    m.joints = {{"j", 0.7}};
    expect_at(m, type == std::string("prismatic") ? Eigen::Isometry3d(Eigen::Translation3d(0.7 * axis))
                                                  : Eigen::Isometry3d(Eigen::AngleAxisd(0.7, axis)));
  }
}

TEST_F(JointMeaning, Floating)
{
  ModelDescription m = model_from_text("m", testing::one_joint_urdf("floating", "1 0 0"), Base::kFixed);
  m.multi_joints = {{"j", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}}};
  expect_at(m, Eigen::Translation3d(0.1, 0.2, 0.3) * Eigen::AngleAxisd(0.6, Eigen::Vector3d::UnitZ()) *
                   Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitY()) * Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX()));
}

TEST_F(JointMeaning, PlanarMovesInThePlaneNormalToItsAxis)
{
  struct Case {
    const char* axis;
    Eigen::Vector3d normal, x, y;
  };
  const Case cases[] = {{"0 0 1", {0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                        {"0 -1 0", {0, -1, 0}, {1, 0, 0}, {0, 0, 1}},
                        {"1 0 0", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                        {"0.6 0 0.8", {0.6, 0, 0.8}, {0.8, 0, -0.6}, {0, 1, 0}}};
  for (const Case& c : cases) {
    ModelDescription m = model_from_text("m", testing::one_joint_urdf("planar", c.axis), Base::kFixed);
    m.multi_joints = {{"j", {0.2, -0.5, 0.9}}};
    expect_at(m, Eigen::Translation3d(0.2 * c.x - 0.5 * c.y) * Eigen::AngleAxisd(0.9, c.normal));
  }
}

TEST_F(JointMeaning, BaseAtPose)
{
  ModelDescription m = model_from_text("m", testing::one_joint_urdf("revolute", "0 0 1"), Base::kFixed);
  m.joints = {{"j", 0.7}};
  const Eigen::Vector3d at_origin = tip_point(m);
  m.pose = {{1, 2, 3}, {0.1, 0.2, 0.3}};
  const Eigen::Isometry3d pose = Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()) *
                                 Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitY()) *
                                 Eigen::AngleAxisd(0.1, Eigen::Vector3d::UnitX());
  EXPECT_LT((tip_point(m) - pose * at_origin).norm(), 1e-12);
  m.base = Base::kFloating;
  EXPECT_LT((tip_point(m) - pose * at_origin).norm(), 1e-12);
}

TEST(Mimic, FollowsThroughChains)
{
  // In the zoo: follow = -0.5 turn + 0.3, chain = 2 follow + 0.1 = -turn + 0.7. A copy without mimics is set by hand.
  std::string free_text = testing::zoo_urdf();
  for (std::size_t at; (at = free_text.find("<mimic")) != std::string::npos;)
    free_text.erase(at, free_text.find("/>", at) + 2 - at);
  ModelDescription mimic = model_from_text("zoo", testing::zoo_urdf(), Base::kFixed);
  ModelDescription free = model_from_text("zoo", free_text, Base::kFixed);
  mimic.joints = {{"turn", 0.4}};
  mimic.rates = {{"turn", 2.0}};
  free.joints = {{"turn", 0.4}, {"follow", 0.1}, {"chain", 0.3}};
  free.rates = {{"turn", 2.0}, {"follow", -1.0}, {"chain", -2.0}};
  SceneDescription d = scene_of({mimic});
  d.contacts = {contact("a", "zoo/follow_link", {0.1, 0.2, 0.3}, Eigen::Vector3d::UnitZ()),
                contact("b", "zoo/chain_link", {0.1, 0.2, 0.3}, Eigen::Vector3d::UnitZ())};
  Scene with(d);
  const ContactProblem reduced = with.compute();
  d.models = {free};
  Scene without(d);
  const ContactProblem full = without.compute();
  ASSERT_EQ(full.nv(), reduced.nv() + 2);
  // T by names: every dof of the mimic model keeps its name.
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(full.nv(), reduced.nv());
  const auto column = [&](const std::string& name) {
    return std::find(reduced.dof_names.begin(), reduced.dof_names.end(), name) - reduced.dof_names.begin();
  };
  for (Eigen::Index i = 0; i < full.nv(); ++i) {
    const std::string& name = full.dof_names[static_cast<std::size_t>(i)];
    if (name == "zoo/follow")
      T(i, column("zoo/turn")) = -0.5;
    else if (name == "zoo/chain")
      T(i, column("zoo/turn")) = -1.0;
    else
      T(i, column(name)) = 1.0;
  }
  EXPECT_LT((reduced.M - T.transpose() * full.M * T).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((reduced.F - T.transpose() * full.F).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((reduced.J - full.J * T).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((reduced.gamma - full.gamma).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_NEAR(with.kinetic_energy(with.described_state()), without.kinetic_energy(without.described_state()), 1e-12);
  for (std::size_t i : {0u, 1u}) EXPECT_LT((reduced.contacts[i].point_W - full.contacts[i].point_W).norm(), 1e-12);
}

}  // namespace
}  // namespace stiction
