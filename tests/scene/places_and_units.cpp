// Neither the place of a scene, nor its units, nor unrelated bodies change what is said about a body.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>

#include "base/linear_algebra.hpp"
#include "scene/helpers.hpp"

namespace stiction {
namespace {

using testing::contact;
using testing::inertial;
using testing::model_from_file;
using testing::model_from_text;
using testing::own_urdf;
using testing::Random;
using testing::scene_of;

const Eigen::Vector3d kFar(1e6, 0.7e6, -0.3e6);

std::string free_body(double mass = 1.3)
{
  return "<robot name='b'><link name='body'>" + inertial(mass, "0.03 -0.02 0.05", 0.1 * mass) + "</link></robot>";
}

/// Bodies that touch each other and the world, everything given in link frames, with loads and a closure.
SceneDescription random_scene(Random& random, bool moving)
{
  SceneDescription d = scene_of({model_from_text("zoo", testing::zoo_urdf(), Base::kFloating),
                                 model_from_text("body", free_body(), Base::kFloating),
                                 model_from_text("arm", testing::one_joint_urdf("revolute", "1 2 -2"), Base::kFixed)});
  for (ModelDescription& model : d.models) {
    model.pose.xyz = 0.1 * random.vector3();
    model.pose.rpy = random.vector3();
    if (moving && model.base == Base::kFloating) {
      model.linear_velocity = random.vector3();
      model.angular_velocity = random.vector3();
    }
  }
  d.contacts = {contact("one", "body/body", 0.1 * random.vector3(), random.direction()),
                contact("two", "body/body", 0.1 * random.vector3(), random.direction()),
                contact("toe", "zoo/spin_link", random.vector3(), random.direction()),
                contact("palm", "body/body", 0.1 * random.vector3(), random.direction()),
                contact("tip", "arm/tip", 0.1 * random.vector3(), random.direction())};
  d.contacts[1].normal_frame = ContactFrame::kWorld;
  d.contacts[2].torsion = 0.01;
  d.contacts[3].on = "zoo/follow_link";
  d.contacts[4].on = "body/body";
  d.contacts[4].normal_frame = ContactFrame::kOn;
  LoopDescription weld;
  weld.name = "weld";
  weld.link = "zoo/chain_link";
  weld.at = random.vector3();
  weld.kind = LoopDescription::Kind::kWeld;
  d.loops = {weld};
  LoadDescription load;
  load.link = "zoo/plane_link";
  load.force = random.vector3();
  load.torque = random.vector3();
  load.at = random.vector3();
  d.loads = {load};
  return d;
}

void shift(SceneDescription& d, const Eigen::Vector3d& by)
{
  for (ModelDescription& model : d.models) model.pose.xyz += by;
}

/// Largest change of an entry, relative to the largest entry of the matrix.
double change(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
  if (a.size() == 0) return 0.0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(a.cwiseAbs().maxCoeff(), 1e-300);
}

double smallest_singular_value(const Eigen::MatrixXd& J) { return internal::singular_values(J).minCoeff(); }

TEST(Places, OneBodyAndOneRobotHaveTheSameMatricesBitByBitWhereverTheyAre)
{
  Random random(1);
  for (int draw = 0; draw < 50; ++draw) {
    SceneDescription d = random_scene(random, draw % 2 == 1);
    d.contacts.resize(3);  // on the world
    d.contacts[0].on = d.contacts[1].on = d.contacts[2].on = "world";
    const ContactProblem here = Scene(d).compute();
    shift(d, kFar);
    const ContactProblem there = Scene(d).compute();
    EXPECT_EQ(here.M, there.M);
    EXPECT_EQ(here.F, there.F);
    EXPECT_EQ(here.J, there.J);
    EXPECT_EQ(here.gamma, there.gamma);
  }
}

/// The poses themselves are numbers near 1e6 m, so their differences change by 2^-33 m (1.2e-10 m), and nothing else
/// does.
TEST(Places, BodiesThatTouchEachOtherChangeByTheRoundingOfTheirPosesOnly)
{
  Random random(2);
  for (int draw = 0; draw < 50; ++draw) {
    SceneDescription d = random_scene(random, draw % 2 == 1);
    for (ModelDescription& model : d.models)  // on a grid that 1e6 m can hold
      model.pose.xyz = model.pose.xyz.unaryExpr([](double x) { return std::round(x * 0x1p20) * 0x1p-20; });
    const ContactProblem here = Scene(d).compute();
    shift(d, Eigen::Vector3d(0x1p20, -0x1p19, 0x1p18));
    const ContactProblem on_grid = Scene(d).compute();
    EXPECT_EQ(here.M, on_grid.M);
    EXPECT_EQ(here.F, on_grid.F);
    EXPECT_EQ(here.J, on_grid.J);
    EXPECT_EQ(here.gamma, on_grid.gamma);
    shift(d, kFar);
    const ContactProblem there = Scene(d).compute();
    EXPECT_EQ(here.M, there.M);
    EXPECT_EQ(here.F, there.F);
    EXPECT_LE(change(here.J, there.J), 1e-9);
    EXPECT_LE(change(here.gamma, there.gamma), 1e-8);
  }
}

/// Turning a floating body with its contacts changes gravity's direction only.
TEST(Places, OrientationOfAFloatingBodyIsNotInItsMassesAndRows)
{
  Random random(3);
  SceneDescription d = scene_of({model_from_text("body", free_body(), Base::kFloating)});
  d.contacts = {contact("one", "body/body", {0.1, 0.2, -0.3}, random.direction()),
                contact("two", "body/body", {-0.1, 0.05, 0.3}, random.direction())};
  const ContactProblem straight = Scene(d).compute();
  d.models[0].pose.rpy = {0.3, -0.7, 1.9};
  const ContactProblem turned = Scene(d).compute();
  EXPECT_EQ(straight.M, turned.M);
  EXPECT_EQ(straight.J, turned.J);
}

TEST(Places, TwoContactsOfOneBodyKeepRankFiveWhereverItIs)
{
  Random random(4);
  for (const double distance : {0.0, 10.0, 100.0, 1e6}) {
    for (int draw = 0; draw < 200; ++draw) {
      SceneDescription d = scene_of({model_from_text("body", free_body(), Base::kFloating)});
      d.models[0].pose.xyz = distance * Eigen::Vector3d(1, 0.7, -0.3) + 0.1 * random.vector3();
      d.models[0].pose.rpy = random.vector3();
      d.contacts = {contact("one", "body/body", 0.1 * random.vector3(), random.direction()),
                    contact("two", "body/body", 0.1 * random.vector3(), random.direction())};
      if (draw % 2) d.contacts[0].normal_frame = d.contacts[1].normal_frame = ContactFrame::kWorld;
      ASSERT_LE(smallest_singular_value(Scene(d).compute().J), 2e-16) << distance;
    }
  }
}

TEST(Places, TwoFingersOnOneBodyKeepRankFiveWhereverItIs)
{
  Random random(5);
  for (int draw = 0; draw < 100; ++draw) {
    SceneDescription d =
        scene_of({model_from_text("body", free_body(), Base::kFloating),
                  model_from_text("hand", testing::one_joint_urdf("revolute", "0 0 1"), Base::kFixed)});
    d.models[0].pose.rpy = random.vector3();
    d.models[1].pose.rpy = random.vector3();
    shift(d, kFar);
    d.contacts = {contact("one", "body/body", 0.1 * random.vector3(), random.direction()),
                  contact("two", "body/body", 0.1 * random.vector3(), random.direction())};
    d.contacts[0].on = d.contacts[1].on = "hand/tip";
    ASSERT_LE(smallest_singular_value(Scene(d).compute().J), 1e-15);
  }
}

TEST(UnrelatedBodies, HoweverHeavyOrLoadedChangeNoBitOfTheOthers)
{
  Random random(6);
  for (int draw = 0; draw < 20; ++draw) {
    SceneDescription d = random_scene(random, draw % 2 == 1);
    const ContactProblem alone = Scene(d).compute();
    d.models.push_back(model_from_text("heavy", free_body(1e15), Base::kFloating));
    d.models.back().pose.xyz = kFar;
    d.contacts.push_back(contact("heavy", "heavy/body", {0, 0, -1e9}, Eigen::Vector3d::UnitZ()));
    LoadDescription load;
    load.link = "heavy/body";
    load.force = {0, 0, -1e25};
    d.loads.push_back(load);
    const ContactProblem both = Scene(d).compute();
    const Eigen::Index nv = alone.nv(), rows = 3 * 5 + 1;
    EXPECT_EQ(alone.M, both.M.topLeftCorner(nv, nv));
    EXPECT_EQ(alone.F, both.F.head(nv));
    EXPECT_EQ(alone.J.topRows(rows), both.J.topLeftCorner(rows, nv));
    EXPECT_EQ(alone.gamma.head(rows), both.gamma.head(rows));
  }
}

TEST(UnrelatedBodies, ASmallWeightBesideALargeForceOnTheSameBodyStays)
{
  SceneDescription d = scene_of({model_from_file("box", own_urdf("box.urdf"), Base::kFloating)});
  d.gravity = {6.93, 0, -6.93};
  LoadDescription load;
  load.link = "box/box";
  load.force = {0, 0, -1e20};
  d.loads = {load};
  const double weight = Scene(d).total_mass() * 6.93;
  EXPECT_EQ(Scene(d).compute().F[0], -weight);
}

/// Numbers of a unit, as powers of two.
struct Units {
  double length = 1, mass = 1, time = 1;
  double force() const { return mass * length / (time * time); }
};

std::string number(double value)
{
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// An arm with a slide, with a load and contacts, in other units.
SceneDescription in_units(const Units& u, bool moving)
{
  const auto length = [&](double x) { return number(x * u.length); };
  const auto body = [&](double mass) {
    const double moment = u.mass * u.length * u.length * mass;
    return "<inertial><origin xyz='" + length(0.07) + " " + length(-0.11) + " " + length(0.23) +
           "' rpy='0.2 0.5 -0.9'/><mass value='" + number(mass * u.mass) + "'/><inertia ixx='" +
           number(0.013 * moment) + "' ixy='0' ixz='0' iyy='" + number(0.017 * moment) + "' iyz='0' izz='" +
           number(0.019 * moment) + "'/></inertial>";
  };
  const auto joint = [&](const std::string& name, const std::string& type, const std::string& parent,
                         const std::string& child) {
    return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child +
           "'/><origin xyz='" + length(0.31) + " " + length(0.13) + " " + length(-0.29) +
           "' rpy='0.7 -0.3 1.3'/><axis xyz='1 2 -2'/>" +
           "<limit lower='-1e300' upper='1e300' effort='1' velocity='1'/></joint>";
  };
  SceneDescription d = scene_of({model_from_text(
      "arm",
      "<robot name='r'><link name='root'>" + body(2.1) + "</link>" + joint("turn", "revolute", "root", "upper") +
          "<link name='upper'>" + body(1.7) + "</link>" + joint("slide", "prismatic", "upper", "lower") +
          "<link name='lower'>" + body(0.3) + "</link>" + joint("bolt", "fixed", "lower", "tip") + "<link name='tip'>" +
          body(0.1) + "</link></robot>",
      Base::kFloating)});
  d.gravity = Eigen::Vector3d(1.1, -2.3, -9.7) * (u.length / (u.time * u.time));
  ModelDescription& arm = d.models[0];
  arm.pose.xyz = u.length * Eigen::Vector3d(0.3, 0.7, 1.9);
  arm.pose.rpy = {0.3, 0.2, 0.1};
  arm.joints = {{"turn", 0.37}, {"slide", 0.21 * u.length}};
  if (moving) {
    arm.rates = {{"turn", 1.37 / u.time}, {"slide", 0.71 * u.length / u.time}};
    arm.linear_velocity = Eigen::Vector3d(0.3, 0.1, -0.7) * (u.length / u.time);
    arm.angular_velocity = Eigen::Vector3d(0.7, -1.1, 0.3) / u.time;
  }
  d.contacts = {contact("root", "arm/root", u.length * Eigen::Vector3d(0.1, 0.2, 0.3), Eigen::Vector3d(0, 0.6, 0.8)),
                contact("tip", "arm/tip", u.length * Eigen::Vector3d(0.11, 0.22, -0.33), Eigen::Vector3d(0.8, 0, 0.6))};
  LoadDescription load;
  load.link = "arm/tip";
  load.force = u.force() * Eigen::Vector3d(3.1, -0.7, 0.2);
  load.torque = u.force() * u.length * Eigen::Vector3d(0.1, 0.3, -0.2);
  load.at = u.length * Eigen::Vector3d(0.05, 0.01, 0.02);
  d.loads = {load};
  return d;
}

TEST(Units, PowersOfTwoChangeMatricesByExactlyThosePowers)
{
  for (const bool moving : {false, true}) {
    const ContactProblem metres = Scene(in_units({}, moving)).compute();
    for (const Units& u : {Units{0x1p-40, 1, 1}, Units{0x1p40, 1, 1}, Units{1, 0x1p-60, 1}, Units{1, 0x1p60, 1},
                           Units{1, 1, 0x1p-20}, Units{1, 1, 0x1p20}, Units{0x1p-30, 0x1p-90, 0x1p-10}}) {
      const ContactProblem other = Scene(in_units(u, moving)).compute();
      Eigen::VectorXd arm = Eigen::VectorXd::Constant(metres.nv(), 1.0);  // of each velocity, in lengths
      for (const int turning : {3, 4, 5, 6}) arm[turning] = u.length;
      EXPECT_EQ(other.M, Eigen::MatrixXd(arm.asDiagonal() * metres.M * arm.asDiagonal()) * u.mass);
      EXPECT_EQ(other.F, Eigen::VectorXd(arm.asDiagonal() * metres.F) * u.force());
      EXPECT_EQ(other.J, metres.J * arm.asDiagonal());
      EXPECT_EQ(other.gamma, metres.gamma * (u.length / (u.time * u.time)));
    }
  }
}

/// Three links in a line, hanging, in turned frames: cosines of a right angle are not zero in doubles.
std::string hanging_arm(const std::string& inertia)
{
  const auto link = [&](const std::string& name) {
    return "<link name='" + name + "'><inertial><origin xyz='0 0 -0.15'/><mass value='0.7'/>" + inertia +
           "</inertial></link>";
  };
  const auto joint = [&](const std::string& name, const std::string& parent, const std::string& child,
                         const std::string& origin) {
    return "<joint name='" + name + "' type='revolute'><parent link='" + parent + "'/><child link='" + child +
           "'/><origin " + origin +
           "/><axis xyz='0 1 0'/><limit lower='-9' upper='9' effort='1' velocity='1'/></joint>";
  };
  return "<robot name='arm'><link name='root'/>" + joint("j1", "root", "l1", "xyz='0.3 0.2 1.1' rpy='0.3 0.7 1.9'") +
         link("l1") + joint("j2", "l1", "l2", "xyz='0 0 -0.3'") + link("l2") +
         joint("j3", "l2", "l3", "xyz='0 0 -0.3'") + link("l3") + "</robot>";
}
const std::string kThin = "<inertia ixx='0.005' ixy='0' ixz='0' iyy='0.005' iyz='0' izz='0'/>";

TEST(Forces, AStraightHangingArmHasExactlyNoneAtItsJoints)
{
  SceneDescription d = scene_of({model_from_text("arm", hanging_arm(kThin), Base::kFixed)});
  // The arm hangs along the z axis of its first joint: gravity points there.
  const Eigen::Matrix3d R =
      (Eigen::AngleAxisd(1.9, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitY()) *
       Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()))
          .toRotationMatrix();
  d.gravity = -9.81 * R.col(2);
  const ContactProblem straight = Scene(d).compute();
  EXPECT_EQ(straight.F, Eigen::VectorXd::Zero(3));
  d.models[0].joints["j1"] = 1e-9;  // but a real angle is seen
  EXPECT_NEAR(Scene(d).compute().F[0], 2.1 * 9.81 * 0.45 * 1e-9, 1e-14);
}

/// Down 1 km, half a turn, up 1 km: positions round by the way, not by the distance from the root.
TEST(Forces, AFoldedArmThatHangsBelowItsFirstJointHasNoneThere)
{
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child,
                        const std::string& z) {
    return "<joint name='" + name + "' type='continuous'><parent link='" + parent + "'/><child link='" + child +
           "'/><origin xyz='0 0 " + z + "'/><axis xyz='0 1 0'/></joint><link name='" + child + "'>" +
           (child == "c" ? "<inertial><origin xyz='0 0 -0.15'/><mass value='0.7'/>" + kThin + "</inertial>" : "") +
           "</link>";
  };
  SceneDescription d =
      scene_of({model_from_text("arm",
                                "<robot name='arm'><link name='root'/>" + joint("j0", "root", "a", "0") +
                                    joint("j1", "a", "b", "-1000") + joint("j2", "b", "c", "-1000") + "</robot>",
                                Base::kFixed)});
  d.models[0].joints = {{"j1", 3.141592653589793}, {"j2", 3.141592653589793}};
  const ContactProblem folded = Scene(d).compute();
  EXPECT_EQ(folded.F[0], 0.0);
  EXPECT_NEAR(folded.F[1], 0.0, 1e-12);
}

TEST(Forces, GivenEffortsThatCarryTheWeightLeaveNothing)
{
  SceneDescription d = scene_of({model_from_text("arm", hanging_arm(kThin), Base::kFixed)});
  d.models[0].joints = {{"j1", 0.3}, {"j2", 0.5}, {"j3", -1.1}};
  const Eigen::VectorXd weight = Scene(d).compute().F;
  ASSERT_GT(weight.cwiseAbs().minCoeff(), 0.1);
  d.models[0].effort.kind = Effort::Kind::kGiven;
  for (int k = 0; k < 3; ++k) d.models[0].effort.given["j" + std::to_string(k + 1)] = weight[k];
  EXPECT_EQ(Scene(d).compute().F, Eigen::VectorXd::Zero(3));
}

TEST(Masses, ThinLinksInAnyPoseAreSemidefinite)
{
  Random random(7);
  const std::string rod =
      "<robot name='rod'><link name='rod'/><joint name='bolt' type='fixed'><parent link='rod'/><child link='half'/>"
      "<origin xyz='0.1 0.2 0.3' rpy='0.4 0.5 0.6'/></joint><link name='half'><inertial><mass value='0.7'/>" +
      kThin + "</inertial></link></robot>";
  const std::string spun =
      "<robot name='spun'><link name='root'/><joint name='spin' type='revolute'><parent link='root'/>"
      "<child link='rod'/><origin xyz='0.7 0.5 0.3' rpy='0.4 0.5 0.6'/><axis xyz='0 0 1'/>"
      "<limit lower='-9' upper='9' effort='1' velocity='1'/></joint><link name='rod'/>"
      "<joint name='swing' type='revolute'><parent link='rod'/><child link='end'/><origin xyz='0 0 1' rpy='0 0 0.3'/>"
      "<axis xyz='0 0 1'/><limit lower='-9' upper='9' effort='1' velocity='1'/></joint>"
      "<link name='end'><inertial><mass value='0.7'/>" +
      kThin + "</inertial></link></robot>";
  SceneDescription d = scene_of({model_from_text("rod", rod, Base::kFloating),
                                 model_from_text("arm", hanging_arm(kThin), Base::kFloating),
                                 model_from_text("spun", spun, Base::kFloating)});
  Scene scene(d);
  for (int draw = 0; draw < 200; ++draw) {
    SceneState state = testing::random_state(scene, random);
    ContactProblem problem;
    scene.compute(state, problem);
    EXPECT_NO_THROW(problem.validate()) << draw;
    EXPECT_EQ(problem.M, problem.M.transpose());
    EXPECT_GE(problem.M.diagonal().minCoeff(), 0.0);
  }
}

TEST(Masses, ARodTurnsAboutItsOwnLineWithoutInertia)
{
  const std::string rod =
      "<robot name='rod'><link name='root'/><joint name='spin' type='revolute'><parent link='root'/><child link='rod'/>"
      "<origin xyz='0.7 0.5 0.3' rpy='0.4 0.5 0.6'/><axis xyz='0.6 0 0.8'/>"
      "<limit lower='-9' upper='9' effort='1' velocity='1'/></joint>"
      "<link name='rod'><inertial><origin xyz='0.06 0 0.08' rpy='0 0.6435011087932844 0'/><mass value='0.7'/>" +
      kThin + "</inertial></link></robot>";
  SceneDescription d = scene_of({model_from_text("rod", rod, Base::kFixed)});
  d.models[0].joints["spin"] = 0.7;
  EXPECT_EQ(Scene(d).compute().M(0, 0), 0.0);
}

TEST(Overflow, NamesTheModel)
{
  Scene scene(scene_of({model_from_text("body", free_body(1.0), Base::kFloating)}));
  SceneState state = scene.described_state();
  state.v.setConstant(1e200);
  ContactProblem problem;
  try {
    scene.compute(state, problem);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("models.body: want numbers whose products are finite"), std::string::npos)
        << error.what();
  }
}

TEST(Overflow, NumbersOfASceneHaveALimit)
{
  const auto error_of = [](auto change) -> std::string {
    SceneDescription d = scene_of({model_from_text("body", free_body(1.0), Base::kFloating)});
    const std::string link = Scene(d).root_link("body");
    d.contacts = {contact("toe", link, {0, 0, 0}, Eigen::Vector3d::UnitZ()),
                  contact("sole", link, {0, 0, 0}, Eigen::Vector3d::UnitZ())};
    d.contacts[1].points = {{0, 0, 0}, {1, 0, 0}};
    change(d);
    try {
      Scene scene(d);
      return "no error";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(error_of([](SceneDescription& d) { d.gravity.z() = -1e50; }), "no error");
  EXPECT_EQ(error_of([](SceneDescription& d) { d.gravity.z() = -2e50; }),
            "gravity: want numbers up to 1e50, got (0, 0, -2e+50)");
  EXPECT_EQ(error_of([](SceneDescription& d) { d.contacts[1].points[1].x() = 1e155; }),
            "contacts[1].points[1]: want numbers up to 1e50, got (1e+155, 0, 0)");
  EXPECT_EQ(error_of([](SceneDescription& d) { d.contacts[0].mu = 1e60; }),
            "contacts[0].mu: want a number up to 1e50, got 1e+60");
  EXPECT_EQ(error_of([](SceneDescription& d) { d.models[0].pose.xyz.x() = 1e308; }),
            "models.body.pose.xyz: want numbers up to 1e50, got (1e+308, 0, 0)");
  EXPECT_NE(error_of([](SceneDescription& d) {
              d.models[0].urdf_text = free_body(1e60);
            }).find("link 'body', inertial: want numbers up to 1e50, got 1e+60"),
            std::string::npos);
}

}  // namespace
}  // namespace stiction
