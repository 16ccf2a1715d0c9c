// Radii of contacts given by hand, from the collision shapes that they are on.
#include <gmock/gmock.h>

#include "io/checked.hpp"

namespace stiction::internal {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// The ball of urdf/sphere.urdf (0.05 m) rolls along x at 1 m/s, or is at rest.
ScenarioReport ball(const std::string& at, const std::string& more, bool rolls = true,
                    const std::string& question = "all_sticking")
{
  const std::string twist = rolls ? ", twist: {linear: [1, 0, 0], angular: [0, 20, 0]}" : "";
  return check(
      read_scenario_text("stiction: 1\nmodels:\n  ball: {urdf: ../urdf/sphere.urdf, pose: {xyz: [0, 0, 0.05]}" + twist +
                             "}\ncontacts:\n  - {name: g, link: ball/sphere, at: " + at +
                             ", normal: [0, 0, 1], mu: 0.5" + more + "}\nquestion: " + question + "\n",
                         STICTION_SOURCE_DIR "/scenarios"));
}

TEST(RollingSurfaces, ABallHasItsRadius)
{
  const char* below = "[0, 0, -0.05]";
  const ScenarioReport found = ball(below, ""), said = ball(below, ", radius: 0.05");
  EXPECT_LT((found.problem.gamma - said.problem.gamma).norm(), 1e-12);
  ASSERT_EQ(found.contacts.size(), 1u);
  EXPECT_NEAR(found.contacts[0].found.force[0], 0.2 * 9.81, 1e-9) << "a ball that rolls carries its weight";
  EXPECT_THAT(found.warnings, Contains(HasSubstr("contacts.g: its bodies may roll: the radius is that of the")));
  EXPECT_THAT(found.warnings, Not(Contains(HasSubstr("taken for a corner"))));
  const ScenarioReport corner = ball(below, ", radius: 0");
  EXPECT_GT(std::abs(corner.problem.gamma[0] - said.problem.gamma[0]), 0.05 * 400 - 1e-9) << "r w² of difference";
}

/// A ball that is found on a slope, and slips with too little friction: its normal passes through its centre, whatever
/// rounding says.
TEST(RollingSurfaces, ABallThatIsFoundOnASlopeIsDecided)
{
  for (int slope = 3; slope < 60; slope += 4) {
    const ScenarioReport found =
        checked("ball_detected", {{"ground.mu", "0.01"}, {"ground.slope", std::to_string(slope) + " deg"}});
    EXPECT_EQ(found.verdict, Verdict::kFails) << slope << " degrees: " << found.summary;  // 2/7 tan is needed
  }
}

/// The disk of urdf/disk.urdf touches with both ends of a line of its side: at its rims that side is what is meant.
TEST(RollingSurfaces, ACylinderRollsOnTheEndsOfItsSide)
{
  const auto disk = [](const std::string& y) {
    return check(read_scenario_text(
        "stiction: 1\nmodels:\n  d: {urdf: ../urdf/disk.urdf, base: fixed, joints: {plane: [0, 0.1, 0]}, rates: "
        "{plane: "
        "[3, 0, -30]}}\ncontacts:\n  - {name: g, link: d/disk, points: [[0, -" +
            y + ", -0.1], [0, " + y + ", -0.1]], normal: [0, 0, 1], mu: 0.5}\nquestion: all_sticking\n",
        STICTION_SOURCE_DIR "/scenarios"));
  };
  const ScenarioReport ends = disk("0.01"), inside = disk("0.005");
  EXPECT_TRUE(inside.scenario.scene.contacts[0].radius);
  EXPECT_TRUE(ends.scenario.scene.contacts[0].radius);
  EXPECT_LT((ends.problem.gamma - inside.problem.gamma).norm(), 1e-12);
}

TEST(RollingSurfaces, AreLeftAloneWhereNothingSaysThem)
{
  // below the surface, where it slides, and at rest
  const ScenarioReport inside = ball("[0, 0, -0.04]", "", true, "sliding");
  EXPECT_THAT(inside.warnings, Contains(HasSubstr("taken for a corner")));
  EXPECT_FALSE(inside.scenario.scene.contacts[0].radius);
  const ScenarioReport rests = ball("[0, 0, -0.05]", "", false);
  EXPECT_FALSE(rests.scenario.scene.contacts[0].radius);
  EXPECT_TRUE(rests.warnings.empty());
}

}  // namespace
}  // namespace stiction::internal
