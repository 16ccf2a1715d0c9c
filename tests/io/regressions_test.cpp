// Scenarios whose own reports `verify` once refused, that were refused as bad input, or that were proved to hold in one
// wording and to fail in another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "io/checked.hpp"
#include "stiction/exact.hpp"

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

/// NAME_base.yaml and the same said otherwise: contacts in another order, somewhere else, beside something heavy, with
/// another engine. What is expected is what rational arithmetic proves; where contacts are so near to each other that
/// it is undecided, no wording may contradict another one.
TEST(Regressions, NoWordingContradictsAnother)
{
  int wordings = 0;
  for (const char* question : {"all_sticking", "equilibrium"}) {
    std::map<std::string, std::vector<Verdict>> verdicts;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder + "worded")) {
      if (entry.path().extension() != ".yaml") continue;
      SCOPED_TRACE(entry.path().string() + " " + question);
      const ScenarioReport report = check_file(entry.path().string(), {{"question", question}}, {});
      ++wordings;
      const std::string text = read_text_file(entry.path().string(), "scenario");
      if (question == std::string("all_sticking") && !text.starts_with("# expect: undecided")) {
        EXPECT_THAT(text, StartsWith("# expect: " + std::string(name_of(report.verdict)) + "\n"));
      }
      if (report.verdict == Verdict::kUndecided) continue;
      const std::string name = entry.path().stem().string();
      verdicts[name.substr(0, name.rfind('_'))].push_back(report.verdict);
      expect_verified(report);
      EXPECT_TRUE(judge_exactly(to_json(report)).valid);
    }
    for (const auto& [name, found] : verdicts)
      EXPECT_TRUE(std::ranges::all_of(found, [&](Verdict verdict) { return verdict == found.front(); })) << name;
  }
  EXPECT_EQ(wordings, 2 * 23);
}

/// What another body carries, however much, does not hold this one, does not push it through the floor, does not take
/// the word from it that its contacts carry, or leave, and does not let it be moved against its contacts.
TEST(Regressions, ALoadElsewhereMattersToNoBody)
{
  const std::string file = kFolder + "worded/erased_weight.yaml";
  for (const char* force : {"[0, 0, -1e3]", "[0, 0, -1e8]", "[0, 0, -1e10]", "[0, 0, -1e13]", "[0, 0, -1.3e14]"}) {
    SCOPED_TRACE(force);
    const auto ask = [&](std::vector<ScenarioOverride> overrides) {
      overrides.push_back({"loads.0.force", force});
      const ScenarioReport report = check_file(file, overrides, {});
      expect_verified(report);
      return report;
    };
    for (const char* question : {"all_sticking", "equilibrium"}) {
      EXPECT_EQ(ask({{"question", question}}).verdict, Verdict::kFails) << question;
      const ScenarioReport held = ask({{"question", question}, {"contacts.a.mu", "1.5"}});
      EXPECT_EQ(held.verdict, Verdict::kHolds) << question;
      double carried = 0.0;
      for (std::size_t i = 0; i < 4; ++i)
        if (held.contacts[i].found.state != ContactState::kUnloaded) carried += held.contacts[i].found.force[0];
      EXPECT_NEAR(carried, 6.93, 1e-6) << question << ": its weight";
    }
    const ScenarioReport leaves = ask({{"gravity", "[0, 0, 9.81]"}});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(leaves.contacts[i].found.state, ContactState::kDetaching);
    for (const char* acceleration : {"[0, 0, 1]", "[0, 0, -1]", "[1, 0, 0]"})
      EXPECT_THROW(ask({{"question", "equilibrium"}, {"models.box.acceleration.linear", acceleration}}), InputError)
          << acceleration;
  }
}

/// A mug between two fingers that do not quite oppose each other, in the frame of a map.
TEST(Regressions, AMugFarFromTheOrigin)
{
  for (const char* at : {"[0, 0, 0.8]", "[1000, 700, 0.8]"}) {
    SCOPED_TRACE(at);
    const ScenarioReport report = checked(
        "mug_on_two_fingers", {{"contacts.index.at", "[0.004, 0.04, 0.055]"},
                               {"models.mug.pose", "{xyz: " + std::string(at) + ", rpy: [0.594, 0.539, 0.053]}"}});
    EXPECT_EQ(report.verdict, Verdict::kHolds);
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
