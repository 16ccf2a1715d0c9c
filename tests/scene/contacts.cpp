// Contacts between two bodies, frames, patches, closures, loads, efforts, copies.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

using testing::contact;
using testing::model_from_file;
using testing::model_from_text;
using testing::own_urdf;
using testing::Random;
using testing::scene_of;

double difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

SceneDescription two_zoos()
{
  return scene_of({model_from_text("a", testing::zoo_urdf(), Base::kFloating),
                   model_from_text("b", testing::zoo_urdf(), Base::kFloating)});
}

/// A contact of a/spin_link on b/plane_link; the same points of both links on the world; the bodies swapped.
SceneDescription touching()
{
  SceneDescription d = two_zoos();
  ContactDescription pair = contact("pair", "a/spin_link", {0.1, 0.2, 0.3}, Eigen::Vector3d(1, 2, 2) / 3);
  pair.on = "b/plane_link";
  pair.normal_frame = ContactFrame::kWorld;
  pair.torsion = 0.1;
  ContactDescription swapped = pair;
  swapped.name = "swapped";
  std::swap(swapped.link, swapped.on);
  swapped.at_frame = ContactFrame::kOn;  // the same point of a/spin_link
  ContactDescription first = pair;
  first.name = "first";
  first.on = "world";
  d.contacts = {pair, swapped, first};
  return d;
}

TEST(TwoBodies, RowsAreBodyAMinusBodyB)
{
  Random random(21);
  SceneDescription d = touching();
  Scene probe(d);
  const SceneState state = testing::random_state(probe, random);
  ContactProblem p;
  probe.compute(state, p);
  // The material point of b that is at the contact now, found from outside.
  ContactProblem on_b;
  {
    SceneDescription frame = two_zoos();
    ContactDescription origin = contact("o", "b/plane_link", {0, 0, 0}, Eigen::Vector3d::UnitZ());
    frame.contacts = {origin};
    ContactProblem f;
    Scene(frame).compute(state, f);
    Eigen::Matrix3d R;  // columns x y z of the link: axes are (normal = z, t1 = x, t2 = y)
    R << f.contacts[0].axes_W.col(1), f.contacts[0].axes_W.col(2), f.contacts[0].axes_W.col(0);
    ContactDescription second = d.contacts[2];
    second.link = "b/plane_link";
    second.points = {R.transpose() * (p.contacts[0].point_W - f.contacts[0].point_W)};
    frame.contacts = {second};
    Scene(frame).compute(state, on_b);
  }
  ASSERT_LT((on_b.contacts[0].point_W - p.contacts[0].point_W).norm(), 1e-12);
  const auto pair = p.J.middleRows(0, 4), swapped = p.J.middleRows(4, 4), on_a = p.J.middleRows(8, 4);
  EXPECT_LT(difference(pair, on_a - on_b.J), 1e-12);
  EXPECT_LT(difference(swapped, -pair), 1e-12);
  EXPECT_LT(difference(p.gamma.segment(4, 4), -p.gamma.segment(0, 4)), 1e-10);
}

/// A point of one body travels over another that turns: gamma is d/dt (J v) for every choice of frames.
TEST(TwoBodies, DriftOfABodyThatSlidesOverATurningOne)
{
  Random random(27);
  SceneDescription d = touching();
  const ContactDescription pair = d.contacts[0];
  d.contacts.clear();
  for (const ContactFrame at : {ContactFrame::kLink, ContactFrame::kOn})
    for (const ContactFrame normal : {ContactFrame::kLink, ContactFrame::kOn, ContactFrame::kWorld}) {
      d.contacts.push_back(pair);
      d.contacts.back().name += std::to_string(d.contacts.size());
      d.contacts.back().at_frame = at;
      d.contacts.back().normal_frame = normal;
    }
  Scene scene(d);
  const SceneState state = testing::random_state(scene, random);
  constexpr double kStep = 1e-5;
  ContactProblem here, ahead, behind;
  scene.compute(state, here);
  scene.compute({scene.integrate(state.q, kStep * state.v), state.v}, ahead);
  scene.compute({scene.integrate(state.q, -kStep * state.v), state.v}, behind);
  const Eigen::VectorXd drift = (ahead.J * state.v - behind.J * state.v) / (2 * kStep);
  EXPECT_LT(difference(here.gamma, drift), 1e-7 * here.gamma.cwiseAbs().maxCoeff());
  for (int k = 1; k < 6; ++k) EXPECT_GT(difference(here.gamma.segment(4 * k, 4), here.gamma.head(4)), 1e-3);
}

TEST(TwoBodies, ForcesAreEqualAndOppositeAndDoNoWorkOnARigidMotionOfTheScene)
{
  Random random(22);
  Scene scene(touching());
  SceneState state = testing::random_state(scene, random);
  // Both free flyers move with one world twist (v at the origin, omega); all joints stand still.
  const Eigen::Vector3d linear = random.vector3(), omega = random.vector3();
  state.v.setZero();
  const Eigen::Index half_q = scene.nq() / 2, half_v = scene.nv() / 2;
  for (Eigen::Index m : {0, 1}) {
    const Eigen::Vector3d position = state.q.segment<3>(m * half_q);
    const Eigen::Quaterniond attitude(state.q.segment<4>(m * half_q + 3));
    state.v.segment<3>(m * half_v) = attitude.conjugate() * Eigen::Vector3d(linear + omega.cross(position));
    state.v.segment<3>(m * half_v + 3) = attitude.conjugate() * omega;
  }
  ContactProblem p;
  scene.compute(state, p);
  const Eigen::VectorXd relative = p.J * state.v;
  EXPECT_LT(relative.head(8).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT(relative.tail(4).cwiseAbs().maxCoeff(), 1e-2);  // negative control: on the world it is not at rest
  // Both points accelerate alike: relative drift zero, though each drifts.
  EXPECT_LT(p.gamma.head(8).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_GT(p.gamma.tail(4).cwiseAbs().maxCoeff(), 1e-2);
  // The wrench of any contact force on b's free flyer is minus that on a's, taken about the same point of the world.
  const Eigen::VectorXd generalised = p.J.topRows(4).transpose() * random.vector(4);
  Eigen::Matrix<double, 6, 1> total = Eigen::Matrix<double, 6, 1>::Zero();
  double size = 0;
  for (Eigen::Index m : {0, 1}) {
    const Eigen::Vector3d position = state.q.segment<3>(m * half_q);
    const Eigen::Quaterniond attitude(state.q.segment<4>(m * half_q + 3));
    const Eigen::Vector3d force = attitude * Eigen::Vector3d(generalised.segment<3>(m * half_v));
    const Eigen::Vector3d moment = attitude * Eigen::Vector3d(generalised.segment<3>(m * half_v + 3));
    total.head<3>() += force;
    total.tail<3>() += moment + position.cross(force);
    size += force.norm();
  }
  EXPECT_GT(size, 0.1);
  EXPECT_LT(total.norm(), 1e-12 * (1 + size));
}

TEST(TwoBodies, LinksOfOneModelIgnoreTheirCommonAncestors)
{
  SceneDescription d = scene_of({model_from_file("r", own_urdf("biped.urdf"), Base::kFloating)});
  ContactDescription c = contact("knees", "r/left_shank", {0, 0, 0}, Eigen::Vector3d::UnitY());
  c.on = "r/right_shank";
  d.contacts = {c};
  const ContactProblem p = Scene(d).compute();
  EXPECT_EQ(p.J.leftCols(6).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_NE(p.J.rightCols(6).cwiseAbs().maxCoeff(), 0.0);
}

TEST(Frames, PointsAndNormalsStayOnTheirBodies)
{
  SceneDescription d = scene_of({model_from_file("low", own_urdf("box.urdf"), Base::kFloating),
                                 model_from_file("high", own_urdf("box.urdf"), Base::kFloating)});
  d.models[0].pose = {{1, 0, 0}, {0, 0, 0}};
  d.models[1].pose = {{1, 0, 0.2}, {0, 0, 0.5}};
  const Eigen::Vector3d spot(1.05, 0, 0.1);  // in the world
  for (ContactFrame frame : {ContactFrame::kLink, ContactFrame::kWorld, ContactFrame::kOn}) {
    ContactDescription c =
        contact("c" + std::to_string(static_cast<int>(frame)), "high/box", spot, Eigen::Vector3d::UnitZ());
    c.on = "low/box";
    c.at_frame = c.normal_frame = frame;
    if (frame == ContactFrame::kLink)
      c.points = {Eigen::AngleAxisd(-0.5, Eigen::Vector3d::UnitZ()) * (spot - Eigen::Vector3d(1, 0, 0.2))};
    if (frame == ContactFrame::kOn) c.points = {spot - Eigen::Vector3d(1, 0, 0)};
    d.contacts.push_back(c);
  }
  Scene scene(d);
  ContactProblem p = scene.compute();
  for (const Contact& c : p.contacts) {
    EXPECT_LT((c.point_W - spot).norm(), 1e-12) << c.name;
    EXPECT_LT((c.axes_W.col(0) - Eigen::Vector3d::UnitZ()).norm(), 1e-12) << c.name;
  }
  EXPECT_LT(difference(p.contacts[1].axes_W.col(1), Eigen::Vector3d::UnitX()), 1e-15);  // t1 = x of the frame
  EXPECT_LT(difference(p.contacts[0].axes_W.col(1), Eigen::Vector3d(std::cos(0.5), std::sin(0.5), 0)), 1e-12);
  // Shift and tilt the upper box: its own point goes along, as does the one that was given in the world.
  SceneState state = scene.described_state();
  state.v.setZero();
  state.v.tail<6>() << 0.3, 0, 0, 0.4, 0, 0;
  scene.compute({scene.integrate(state.q, state.v), Eigen::VectorXd::Zero(scene.nv())}, p);
  EXPECT_GT((p.contacts[0].point_W - spot).norm(), 0.1);
  EXPECT_LT((p.contacts[1].point_W - p.contacts[0].point_W).norm(), 1e-12);
  EXPECT_LT((p.contacts[2].point_W - spot).norm(), 1e-12);
  EXPECT_GT((p.contacts[0].axes_W.col(0) - Eigen::Vector3d::UnitZ()).norm(), 0.1);
  EXPECT_LT((p.contacts[1].axes_W.col(0) - Eigen::Vector3d::UnitZ()).norm(), 1e-12);
  EXPECT_LT((p.contacts[2].axes_W.col(0) - Eigen::Vector3d::UnitZ()).norm(), 1e-12);
}

TEST(Frames, AxesAreOrthonormalAndRightHandedForEveryNormal)
{
  Random random(23);
  std::vector<Eigen::Vector3d> normals;
  for (int i = 0; i < 3; ++i) normals.insert(normals.end(), {Eigen::Vector3d::Unit(i), -Eigen::Vector3d::Unit(i)});
  for (int i = 0; i < 50; ++i) normals.push_back(random.direction());
  SceneDescription d = scene_of({model_from_file("box", own_urdf("box.urdf"), Base::kFloating)});
  for (std::size_t i = 0; i < normals.size(); ++i)
    d.contacts.push_back(contact("c" + std::to_string(i), "box/box", {0, 0, 0}, normals[i]));
  const ContactProblem p = Scene(d).compute();
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Eigen::Matrix3d& axes = p.contacts[i].axes_W;
    EXPECT_LT((axes.col(0) - normals[i]).norm(), 1e-14);
    EXPECT_LT((axes.transpose() * axes - Eigen::Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_GT(axes.determinant(), 0.9);
  }
  EXPECT_EQ(p.contacts[4].axes_W, (Eigen::Matrix3d() << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished());  // z, x, y
}

TEST(Contacts, CarryTheirCoefficientsAndPatchNames)
{
  SceneDescription d = scene_of({model_from_file("box", own_urdf("box.urdf"), Base::kFloating)});
  ContactDescription patch = contact("sole", "box/box", {0.1, 0.1, -0.1}, Eigen::Vector3d(0, 0, 1 + 5e-7), 0.7);
  patch.points.push_back({-0.1, 0.1, -0.1});
  patch.torsion = 0.02;
  patch.max_normal = 40;
  ContactDescription single = contact("bolt", "box/box", {0, 0, 0.1}, -Eigen::Vector3d::UnitZ(), 0.0);
  single.side = Side::kBilateral;
  ContactDescription lone_patch = single;
  lone_patch.name = "lone";
  lone_patch.patch = true;
  d.contacts = {patch, single, lone_patch};
  LoopDescription pin;
  pin.name = "pin";
  pin.link = "box/box";
  d.loops = {pin};
  const ContactProblem p = Scene(d).compute();
  p.validate();
  ASSERT_EQ(p.contacts.size(), 4u);
  EXPECT_EQ(p.contacts[0].name, "sole/0");
  EXPECT_EQ(p.contacts[1].name, "sole/1");
  EXPECT_EQ(p.contacts[2].name, "bolt");
  EXPECT_EQ(p.contacts[3].name, "lone/0");
  EXPECT_EQ(p.contacts[0].mu, 0.7);
  EXPECT_EQ(p.contacts[0].torsion, 0.02);
  EXPECT_EQ(p.contacts[0].max_normal, 40);
  EXPECT_EQ(p.contacts[0].rows(), 4);
  EXPECT_EQ(p.contacts[2].rows(), 3);  // mu = 0 keeps its tangential rows
  EXPECT_EQ(p.contacts[2].side, Side::kBilateral);
  EXPECT_NEAR(p.contacts[0].axes_W.col(0).norm(), 1.0, 1e-15);  // normalised
  EXPECT_EQ(p.loops[0].row, 14);
  EXPECT_EQ(p.loops[0].rows, 3);
  EXPECT_EQ(p.rows(), 17);
  const RowRoles roles = row_roles(p);
  EXPECT_EQ(roles.normal_unilateral, (std::vector<int>{0, 4}));
  EXPECT_EQ(roles.normal_bilateral, (std::vector<int>{8, 11, 14, 15, 16}));
}

TEST(Loads, ActThroughTheJacobianOfTheirPoint)
{
  Random random(24);
  const Eigen::Vector3d force = random.vector3(), torque = random.vector3(), at = random.vector3();
  for (auto frame : {LoadDescription::Frame::kWorld, LoadDescription::Frame::kLink}) {
    SceneDescription d = scene_of({model_from_text("zoo", testing::zoo_urdf(), Base::kFloating)});
    LoopDescription weld;  // its rows are the velocity and angular velocity of the point in the world
    weld.name = "w";
    weld.link = "zoo/follow_link";
    weld.at = at;
    weld.kind = LoopDescription::Kind::kWeld;
    d.loops = {weld};
    d.contacts = {contact("c", "zoo/follow_link", at, Eigen::Vector3d::UnitZ())};
    Scene bare(d);
    LoadDescription load;
    load.link = weld.link;
    load.force = force;
    load.torque = torque;
    load.at = at;
    load.frame = frame;
    d.loads = {load};
    Scene loaded(d);
    const SceneState state = testing::random_state(bare, random);
    ContactProblem without, with;
    bare.compute(state, without);
    loaded.compute(state, with);
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    if (frame == LoadDescription::Frame::kLink)
      R << without.contacts[0].axes_W.col(1), without.contacts[0].axes_W.col(2), without.contacts[0].axes_W.col(0);
    Eigen::VectorXd wrench(6);
    wrench << R * force, R * torque;
    const Eigen::VectorXd expected = without.F - without.J.bottomRows(6).transpose() * wrench;
    EXPECT_LT(difference(with.F, expected), 1e-11);
    EXPECT_GT(difference(with.F, without.F), 1e-2);
  }
}

TEST(Efforts, GivenOnesGoIntoFAndFreeOnesBecomeActuators)
{
  SceneDescription d = scene_of({model_from_file("r", own_urdf("biped.urdf"), Base::kFloating)});
  const ContactProblem none = Scene(d).compute();
  EXPECT_TRUE(none.actuators.empty());
  d.models[0].effort = {Effort::Kind::kGiven, {{"left_knee", 7.0}}};
  const ContactProblem given = Scene(d).compute();
  EXPECT_TRUE(given.actuators.empty());
  Eigen::VectorXd change = given.F - none.F;
  const auto knee = std::find(given.dof_names.begin(), given.dof_names.end(), "r/left_knee") - given.dof_names.begin();
  EXPECT_NEAR(change(knee), -7.0, 1e-12);
  change(knee) = 0;
  EXPECT_EQ(change.cwiseAbs().maxCoeff(), 0.0);

  d.models[0].effort = {Effort::Kind::kLimits, {}};
  const ContactProblem limited = Scene(d).compute();
  limited.validate();
  ASSERT_EQ(limited.actuators.size(), 6u);
  for (const Actuator& motor : limited.actuators) {
    EXPECT_EQ(motor.name, limited.dof_names[static_cast<std::size_t>(motor.dof)]);
    const double bound = motor.name.find("ankle") != std::string::npos ? 80.0 : 150.0;
    EXPECT_EQ(motor.upper, bound);
    EXPECT_EQ(motor.lower, -bound);
  }
  EXPECT_EQ(limited.F, none.F);
  d.models[0].effort.kind = Effort::Kind::kUnlimited;
  EXPECT_EQ(Scene(d).compute().actuators[0].upper, kInfinity);
}

TEST(Efforts, MimicAndMultiFreedomJointsHaveNoMotor)
{
  SceneDescription d = scene_of({model_from_text("zoo", testing::zoo_urdf(), Base::kFloating)});
  d.models[0].effort.kind = Effort::Kind::kLimits;
  std::vector<std::string> names;
  for (const Actuator& motor : Scene(d).compute().actuators) names.push_back(motor.name);
  EXPECT_EQ(names, (std::vector<std::string>{"zoo/slide", "zoo/slant", "zoo/turn", "zoo/skew", "zoo/spin"}));
}

TEST(State, DescriptionAndNames)
{
  SceneDescription d = scene_of({model_from_text("zoo", testing::zoo_urdf(), Base::kFloating)});
  d.models[0].linear_velocity = {1, 2, 3};
  d.models[0].angular_velocity = {4, 5, 6};
  d.models[0].multi_rates = {{"plane", {7, 8, 9}}};
  d.models[0].joints = {{"turn", 5.0}};  // limit 3
  Scene scene(d);
  EXPECT_EQ(scene.nv(), 6 + 6 + 5 + 3);
  EXPECT_EQ(scene.nq(), 7 + 7 + 5 + 4);
  const ContactProblem p = scene.compute();
  const auto rate = [&](const std::string& name) {
    return scene.described_state().v(std::find(p.dof_names.begin(), p.dof_names.end(), name) - p.dof_names.begin());
  };
  EXPECT_EQ(rate("zoo/base[1]"), 2.0);
  EXPECT_EQ(rate("zoo/base[5]"), 6.0);
  EXPECT_EQ(rate("zoo/plane[2]"), 9.0);
  ASSERT_EQ(scene.warnings().size(), 2u);  // turn itself, and chain = -turn + 0.7 = -4.3
  EXPECT_EQ(scene.warnings()[0].kind, Warning::Kind::kJointLimits);
  EXPECT_EQ(scene.warnings()[0].path, "models.zoo.joints.turn");
  EXPECT_EQ(scene.warnings()[0].message(), "models.zoo.joints.turn: 5 is outside the limits -3 to 3");

  d.models[0].joints = {{"turn", 0.25}};
  const SceneState other = scene.state(d.models);
  EXPECT_EQ(other.q, Scene(d).described_state().q);
  EXPECT_EQ(other.v, scene.described_state().v);
}

TEST(State, UnnamedJointsStartAtTheLimitNearestToZero)
{
  std::string text = testing::one_joint_urdf("revolute", "0 0 1");
  text.replace(text.find("lower='-3'"), 10, "lower='1' ");
  EXPECT_EQ(Scene(scene_of({model_from_text("m", text, Base::kFixed)})).described_state().q(0), 1.0);
}

TEST(Scene, CopiesAreIndependentAndTheSame)
{
  Random random(25);
  Scene original(touching());
  Scene copy(original);
  const SceneState state = testing::random_state(original, random);
  ContactProblem a, b, c;
  original.compute(state, a);
  copy.compute(original.described_state(), c);
  copy.compute(state, b);
  EXPECT_EQ(a.M, b.M);
  EXPECT_EQ(a.F, b.F);
  EXPECT_EQ(a.J, b.J);
  EXPECT_EQ(a.gamma, b.gamma);
  Scene moved(std::move(copy));
  moved.compute(state, c);
  EXPECT_EQ(a.J, c.J);
}

TEST(Scene, RecomputingLeavesNothingOfTheStateBefore)
{
  Random random(26);
  Scene scene(touching());
  ContactProblem reused, fresh;
  scene.compute(testing::random_state(scene, random), reused);
  SceneState state = testing::random_state(scene, random);
  state.v.setZero();
  scene.compute(state, reused);
  Scene(touching()).compute(state, fresh);
  EXPECT_EQ(reused.M, fresh.M);
  EXPECT_EQ(reused.F, fresh.F);
  EXPECT_EQ(reused.J, fresh.J);
  EXPECT_EQ(reused.gamma, Eigen::VectorXd::Zero(fresh.rows()));
}

TEST(Scene, BadStatesAreRefused)
{
  Scene scene(touching());
  ContactProblem p;
  SceneState state = scene.described_state();
  state.q.conservativeResize(3);
  EXPECT_THROW(scene.compute(state, p), InputError);
  state = scene.described_state();
  state.v(0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(scene.compute(state, p), InputError);
  state = scene.described_state();
  state.q(6) = 0.5;  // w of the first quaternion
  EXPECT_THROW(scene.compute(state, p), InputError);
}

}  // namespace
}  // namespace stiction
