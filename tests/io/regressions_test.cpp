// Scenarios whose own reports `verify` once refused, or that were refused as bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "io/checked.hpp"

namespace stiction::internal {
namespace {

using ::testing::StartsWith;

const std::string kFolder = std::string(STICTION_SOURCE_DIR) + "/tests/regressions/";

void expect_verified(const ScenarioReport& report)
{
  const Verification proof = verify_report(to_json(report), "report");
  EXPECT_TRUE(proof.valid) << proof.message;
}

TEST(Regressions, EveryScenarioIsDecidedAndVerified)
{
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().string());
    const ScenarioReport report = check_file(entry.path().string(), {}, {});
    const std::string expected = "# expect: " + std::string(name_of(report.verdict)) + "\n";
    EXPECT_THAT(read_text_file(entry.path().string(), "scenario"), StartsWith(expected));
    expect_verified(report);
    ++files;
  }
  EXPECT_GE(files, 12);
}

TEST(Regressions, EveryQuestionAboutAThinLink)
{
  for (const char* question : {"all_sticking", "equilibrium", "closure", "region", "sliding", "impact", "couplings"}) {
    SCOPED_TRACE(question);
    const ScenarioReport report = check_file(kFolder + "thin_link.yaml", {{"question", question}}, {});
    EXPECT_NE(report.verdict, Verdict::kUndecided);
    expect_verified(report);
  }
}

/// Impulses that are rounding have no friction: it was 4e15.
TEST(Regressions, WhereNothingIsHitNoFrictionIsNeeded)
{
  const auto report = nlohmann::json::parse(to_json(check_file(kFolder + "crank_two_pins_hit.yaml", {}, {})));
  EXPECT_EQ(report["margins"]["sticking_friction"].get<double>(), 0.0);
}

/// Nor what a body weighs that nothing connects with the one that slips.
TEST(Regressions, AHeavyNeighbourHoldsNothing)
{
  for (const char* plane : {"xz", "none"})
    for (const char* question : {"all_sticking", "equilibrium"}) {
      SCOPED_TRACE(std::string(plane) + " " + question);
      const ScenarioReport report =
          check_file(kFolder + "heavy_neighbour.yaml", {{"plane", plane}, {"question", question}}, {});
      EXPECT_EQ(report.verdict, Verdict::kFails);
      expect_verified(report);
    }
}

/// Where the robot stands does not matter.
TEST(Regressions, RegionsFarFromTheOrigin)
{
  for (const char* at : {"[1000, 700, 0.83527]", "[5e6, 0, 0.83527]", "[0, -1e5, 100]"}) {
    SCOPED_TRACE(at);
    const ScenarioReport report = checked("biped_region", {{"models.robot.pose.xyz", at}});
    EXPECT_EQ(report.verdict, Verdict::kHolds);
    expect_verified(report);
  }
  expect_verified(checked("biped_region", {{"options.cone", "{inner: 8}"}}));
}

}  // namespace
}  // namespace stiction::internal
