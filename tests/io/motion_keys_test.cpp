// Keys of scenario files about motion: radii of surfaces, blows, friction of joints.
#include <gmock/gmock.h>

#include "io/checked.hpp"
#include "stiction/scenario.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

ContactDescription contact_with(const std::string& radius)
{
  return read_scenario_file(scenario("ball_over_hill"), {{"contacts.hill.radius", radius}}).scene.contacts[0];
}

TEST(RadiusKey, OneOrTwoNumbersOrADirection)
{
  EXPECT_EQ(contact_with("0.05").radius, (SurfaceRadii{0.05, 0.05}));
  EXPECT_EQ(contact_with("[0.05, flat]").radius, (SurfaceRadii{0.05, kInfinity}));
  EXPECT_EQ(contact_with("[inf, -2]").radius, (SurfaceRadii{kInfinity, -2.0}));
  EXPECT_EQ(contact_with("{radii: [1, 0], along: [0, 1, 0]}").radius,
            (SurfaceRadii{1.0, 0.0, Eigen::Vector3d::UnitY()}));
  EXPECT_EQ(contact_with("0.05").on_radius, (SurfaceRadii{1.0, 1.0}));
  for (const char* bad : {"[1]", "round", "[1, 2, 3]", "{radii: [1, 2]}"})
    EXPECT_THAT(error_of("ball_over_hill", {{"contacts.hill.radius", bad}}), HasSubstr("contacts[0].radius")) << bad;
}

TEST(RadiusKey, TextbookForcesOfTheGallery)
{
  const Json slope = checked_json("ball_down_slope"), wheel = checked_json("wheel_at_speed"),
             hill = checked_json("ball_over_hill");
  const double angle = 0.3490658503988659;
  EXPECT_NEAR(slope["contacts"][0]["normal_force"].get<double>(), 0.2 * 9.81 * std::cos(angle), 1e-9);
  EXPECT_NEAR(slope["contacts"][0]["utilisation"].get<double>(), 2.0 / 7.0 * std::tan(angle) / 0.2, 1e-9);
  EXPECT_NEAR(wheel["contacts"][0]["normal_force"].get<double>(), 0.5 * 9.81, 1e-12);
  EXPECT_NEAR(hill["contacts"][0]["normal_force"].get<double>(), 0.2 * (9.81 - 9.0 / 1.05), 1e-9);
  for (const Json& report : {slope, wheel, hill}) EXPECT_TRUE(report["warnings"].empty());
}

TEST(RadiusKey, WarnsWithoutIt)
{
  Scenario rolls = read_scenario_file(scenario("wheel_at_speed"));
  rolls.scene.contacts[0].radius.reset();
  const ScenarioReport round = check(rolls);  // of its collision shape
  ASSERT_EQ(round.warnings.size(), 1u);
  EXPECT_THAT(round.warnings[0], HasSubstr("the radius is that of the collision shape"));
  EXPECT_NEAR(round.contacts[0].found.force[0], 0.5 * 9.81, 1e-12);
  const Scenario tips = read_scenario_text(
      "stiction: 1\nmodels:\n  b: {urdf: " + std::string(STICTION_SOURCE_DIR) +
      "/urdf/box.urdf, twist: {linear: [3, 0, 0], angular: [0, 30, 0]}}\ncontacts:\n"
      "  - {name: floor, link: b/box, at: [0, 0, -0.1], normal: [0, 0, 1], mu: 0.5}\nquestion: all_sticking\n");
  const ScenarioReport report = check(tips);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_THAT(report.warnings[0], HasSubstr("contacts[0]: its bodies turn over each other at 30 rad/s"));
  EXPECT_TRUE(verify_report(to_json(report), "r").valid);
  Scenario hits = tips;
  hits.question = Question::kImpact;
  EXPECT_TRUE(check(hits).warnings.empty());
}

/// A ball on the ground, struck from above and along its table.
std::string struck_ball(const std::string& blow)
{
  return "stiction: 1\nmodels:\n  ball: {urdf: " + std::string(STICTION_SOURCE_DIR) +
         "/urdf/sphere.urdf}\nimpulses:\n  - {link: ball/sphere, " + blow +
         "}\ncontacts:\n  - {name: table, link: ball/sphere, at: [0, 0, -0.05], normal: [0, 0, 1], mu: 0.5}\nquestion: "
         "impact\n";
}

TEST(Impulses, ABlowFromAboveIsPassedOn)
{
  const ScenarioReport report = check_scenario_text(struck_ball("impulse: [0, 0, -1]"));
  ASSERT_EQ(report.verdict, Verdict::kHolds);
  const ImpactSolution& after = *std::get<ImpactAnswer>(report.answer).solution();
  EXPECT_NEAR(after.impulse[0], 1.0, 1e-12);
  EXPECT_NEAR(after.velocity.norm(), 0.0, 1e-12);
  EXPECT_TRUE(verify_report(to_json(report), "r").valid);
}

/// Struck 2/5 of its radius above the centre a billiard ball rolls at once; at the centre it slides.
TEST(Impulses, ABilliardBallRollsAtOnce)
{
  const auto after = [](const char* height) {
    const ScenarioReport report =
        check_scenario_text(struck_ball("impulse: [1, 0, 0], at: [0, 0, " + std::string(height) + "]"));
    return std::get<ImpactAnswer>(report.answer).solution()->velocity;
  };
  EXPECT_LT((after("0.02") - (Eigen::VectorXd(6) << 5, 0, 0, 0, 100, 0).finished()).norm(), 1e-10);
  EXPECT_LT((after("0") - (Eigen::VectorXd(6) << 5, 0, 0, 0, 0, 0).finished()).norm(), 1e-10);
}

TEST(Impulses, BelongToImpact)
{
  EXPECT_THROW(check_scenario_text(struck_ball("impulse: [1, 0, 0]"), ".", "s", {{"question", "all_sticking"}}),
               InputError);
  EXPECT_THROW(check_scenario_text(struck_ball("force: [1, 0, 0]")), InputError);
}

TEST(JointFrictionKey, Arrives)
{
  const auto friction = [](const std::string& value) {
    return read_scenario_file(scenario("biped_standing"), {{"models.robot.joint_friction", value}})
        .scene.models[0]
        .joint_friction;
  };
  EXPECT_EQ(friction("urdf").kind, JointFriction::Kind::kUrdf);
  EXPECT_EQ(friction("none").kind, JointFriction::Kind::kNone);
  EXPECT_EQ(friction("{left_knee: 2.5}"), (JointFriction{JointFriction::Kind::kGiven, {{"left_knee", 2.5}}}));
  EXPECT_THAT(error_of("biped_standing", {{"models.robot.joint_friction", "{left_knee: -1}"}}),
              HasSubstr("models.robot.joint_friction.left_knee"));
  EXPECT_THAT(error_of("biped_standing", {{"question", "all_sticking"},
                                          {"models.robot.effort", "none"},
                                          {"models.robot.joint_friction", "{left_knee: 1}"}}),
              HasSubstr("models.robot.joint_friction: want none for all_sticking"));
}

}  // namespace
}  // namespace stiction::internal
