// Dry friction of joints and brakes: an arm that hangs level needs m g c = 9.81 N m.
#include <gmock/gmock.h>

#include "scene/helpers.hpp"
#include "stiction/equilibrium.hpp"

namespace stiction {
namespace {

using testing::model_from_text;
using testing::scene_of;

SceneDescription level_arm(double urdf_friction)
{
  const std::string urdf =
      "<robot name='arm'><link name='root'/><joint name='j' type='revolute'><parent link='root'/><child link='arm'/>"
      "<axis xyz='0 1 0'/><limit lower='-3' upper='3' effort='5' velocity='1'/><dynamics friction='" +
      std::to_string(urdf_friction) + "'/></joint><link name='arm'><inertial><origin xyz='0.5 0 0'/><mass value='2'/>" +
      "<inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link></robot>";
  return scene_of({model_from_text("a", urdf, Base::kFixed)});
}

Verdict arm_verdict(const SceneDescription& d) { return EquilibriumChecker().check(Scene(d).compute()).verdict; }

TEST(JointFrictionOf, HoldsAnArmThatIsNotDriven)
{
  for (const double friction : {9.7, 9.9}) {
    SceneDescription d = level_arm(friction);
    EXPECT_EQ(arm_verdict(d), Verdict::kFails);  // unless asked for, the URDF's friction counts for nothing
    d.models[0].joint_friction.kind = JointFriction::Kind::kUrdf;
    EXPECT_EQ(arm_verdict(d), friction > 9.81 ? Verdict::kHolds : Verdict::kFails);
    d = level_arm(0.0);
    d.models[0].joint_friction = {JointFriction::Kind::kGiven, {{"j", friction}}};
    EXPECT_EQ(arm_verdict(d), friction > 9.81 ? Verdict::kHolds : Verdict::kFails);
    d.models[0].joint_friction.given = {};
    EXPECT_EQ(arm_verdict(d), Verdict::kFails);
  }
}

TEST(JointFrictionOf, HelpsAMotor)
{
  for (const double friction : {4.7, 4.9}) {
    SceneDescription d = level_arm(0.0);
    d.models[0].effort.kind = Effort::Kind::kLimits;  // 5 N m
    d.models[0].joint_friction = {JointFriction::Kind::kGiven, {{"j", friction}}};
    const ContactProblem p = Scene(d).compute();
    ASSERT_EQ(p.actuators.size(), 2u);
    EXPECT_EQ(p.actuators[0].name, "a/j");
    EXPECT_EQ(p.actuators[1].name, "a/j (friction)");
    EXPECT_EQ(p.actuators[1].upper, friction);
    EXPECT_EQ(arm_verdict(d), friction > 4.81 ? Verdict::kHolds : Verdict::kFails);
  }
}

TEST(JointFrictionOf, BrakesWhatMoves)
{
  for (const double rate : {0.2, -0.2}) {
    SceneDescription d = level_arm(3.0);
    d.models[0].joint_friction.kind = JointFriction::Kind::kUrdf;
    d.models[0].rates = {{"j", rate}};
    const ContactProblem p = Scene(d).compute();
    ASSERT_EQ(p.actuators.size(), 1u);
    EXPECT_EQ(p.actuators[0].lower, rate > 0.0 ? -3.0 : 3.0);
    EXPECT_EQ(p.actuators[0].upper, p.actuators[0].lower);
  }
}

TEST(JointFrictionOf, SaysWhatIsWrong)
{
  const auto message = [](SceneDescription d, const JointFriction& friction) -> std::string {
    d.models[0].joint_friction = friction;
    try {
      Scene scene(d);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  using Kind = JointFriction::Kind;
  using ::testing::HasSubstr;
  EXPECT_THAT(message(level_arm(1.0), {Kind::kGiven, {{"j", -1.0}}}),
              HasSubstr("models.a.joint_friction.j: want finite"));
  EXPECT_THAT(message(level_arm(1.0), {Kind::kGiven, {{"k", 1.0}}}),
              HasSubstr("models.a.joint_friction.k: want a joint"));
  EXPECT_THAT(message(level_arm(1.0), {Kind::kUrdf, {{"j", 1.0}}}), HasSubstr("only with kind `given`"));
  EXPECT_THAT(message(level_arm(-1.0), {Kind::kUrdf, {}}), HasSubstr("models.a.joint_friction.j: want finite"));
}

}  // namespace
}  // namespace stiction
