// What reports say about a failing case, and that texts for people have no internals in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "io/checked.hpp"
#include "io/json.hpp"
#include "io/json_text.hpp"
#include "io/number_text.hpp"
#include "io/scenario_answerer.hpp"
#include "io/verify.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string word(const Json& value) { return value.get<std::string>(); }

/// Why verify refuses a report; empty: it does not.
std::string refusal(const Json& report)
{
  try {
    const Verification found = verify_json(report, nullptr);
    return found.valid ? "" : found.message;
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(FailureReport, SaysWhatWouldHelpAndProvesIt)
{
  const Json slides = checked_json("block_slides"), tips = checked_json("block_tips"),
             weak = checked_json("quadruped_standing", {{"question", "equilibrium"},
                                                        {"models.robot.effort", "limits"},
                                                        {"loads", "[{link: robot/body, force: [0, 0, -2000]}]"}});
  EXPECT_EQ(word(slides["failure"]["cause"]), "friction");
  EXPECT_EQ(slides["failure"]["helps"], Json::array({"friction"}));
  EXPECT_THAT(word(slides["summary"]), StartsWith("fails: slides along"));
  EXPECT_EQ(word(tips["failure"]["cause"]), "nothing");
  EXPECT_EQ(tips["failure"]["defied"], Json::array({"friction"}));
  EXPECT_THAT(word(tips["summary"]), StartsWith("fails: tips: left lifts"));
  EXPECT_EQ(word(weak["failure"]["cause"]), "effort");
  EXPECT_THAT(word(weak["summary"]), StartsWith("fails: too weak: robot/"));
  for (const Json& report : {slides, tips, weak}) EXPECT_TRUE(verify_json(report, nullptr).valid) << report["name"];
}

TEST(FailureReport, NoCauseIsBelievedWithoutItsCounterfactuals)
{
  const Json report = checked_json("block_slides");
  const auto refused = [&](const char* pointer, const Json& value) {
    Json forged = report;
    forged[Json::json_pointer(pointer)] = value;
    return verify_json(forged, nullptr).message;
  };
  EXPECT_THAT(refused("/failure/cause", "nothing"), HasSubstr("failure.cause: the report says 'nothing'"));
  EXPECT_THAT(refused("/failure/helps", Json::array({"limits"})), HasSubstr("failure.helps"));
  EXPECT_THAT(refused("/certificate/counterfactuals", Json::array()), HasSubstr("but its certificate proves"));
  EXPECT_THAT(refused("/certificate/counterfactuals/0/friction", 1.0), HasSubstr("counterfactuals[0] proves nothing"));
  EXPECT_THAT(refused("/certificate/counterfactuals/0/verdict", "fails"), HasSubstr("verdict"));
  EXPECT_THAT(refused("/summary", "fails: tips"), HasSubstr("summary: the report says 'fails: tips'"));
  // Of the motion told nothing is proved, and that is said; the sentence is that of the motion.
  const Verification honest = verify_json(report, nullptr);
  EXPECT_THAT(honest.unchecked, ::testing::Contains("failure.motion"));
  Json back = report["failure"]["motion"];
  for (Json& number : back) number = -number.get<double>();
  EXPECT_THAT(refused("/failure/motion", back), HasSubstr("summary: the report says"));
}

TEST(FailureReport, WithoutEffortsThatIsSaidFirst)
{
  const std::vector<ScenarioOverride> none = {{"models.robot.effort", "none"}, {"question", "equilibrium"}};
  const Json limp = checked_json("quadruped_standing", none);
  EXPECT_EQ(word(limp["failure"]["cause"]), "motors");
  EXPECT_THAT(word(limp["summary"]), StartsWith("fails: no joint efforts are given, and with enough of them it would"));
  // Joints of a block that stand for the plane have no motors: the URDF says so.
  EXPECT_FALSE(checked_json("block_slides")["certificate"]["rules"].contains("idle_motors"));
  EXPECT_GT(limp["certificate"]["rules"]["idle_motors"].size(), 0u);
  EXPECT_EQ(refusal(limp), "");
}

TEST(FailureReport, ForgedCounterfactualsAreRefused)
{
  Json steep = checked_json("box_on_steep_slope");
  ASSERT_EQ(refusal(steep), "");
  Json trial = {{"with", {"friction"}}, {"friction", 1.0}, {"verdict", "fails"}, {"kind", "motion"}};
  for (const char* key : {"a", "lambda", "leaves"}) trial[key] = steep["certificate"][key];
  trial["efforts"] = Json::array();
  steep["certificate"]["counterfactuals"] = Json::array({trial});  // "more" friction that is none
  EXPECT_THAT(refusal(steep), HasSubstr("counterfactuals[0].friction"));

  // A pendulum that swings freely is no pendulum that is held, whatever the friction below.
  Json swings = checked_json("block_with_pendulum", {{"question", "equilibrium"}, {"models.b.rates.alpha", "0"}});
  ASSERT_EQ(refusal(swings), "");
  ASSERT_EQ(word(swings["failure"]["cause"]), "nothing");
  swings["certificate"]["counterfactuals"] = Json::array(
      {{{"with", {"friction"}},
        {"friction", 1e4},
        {"verdict", "holds"},
        {"kind", "forces"},
        {"a", {0.0, 0.0, 0.0, -28.115552874966582}},
        {"lambda", {4.953821291197257, 0.31157677485029794, 0.0, 5.784692690798052, 0.31157677485029794, 0.0}},
        {"leaves", Json::array()},
        {"efforts", Json::array()}}});
  EXPECT_THAT(refusal(swings), HasSubstr("counterfactuals[0] proves nothing"));

  Json box = checked_json("box_on_steep_slope");
  box["certificate"]["rules"]["idle_motors"] = {0, 1, 2};  // of its free base
  EXPECT_THAT(refusal(box), HasSubstr("idle_motors"));
}

/// What a report says of the least friction has to agree with what its counterfactuals prove.
TEST(FailureReport, TheLeastFrictionDoesNotContradictWhatIsProved)
{
  Json slides = checked_json("block_slides"), tips = checked_json("block_tips");
  ASSERT_TRUE(slides["margins"]["friction_scale"].is_number());
  slides["margins"]["friction_scale"] = nullptr;
  EXPECT_THAT(refusal(slides), HasSubstr("margins.friction_scale: the report says that none helps, but with 10000"));
  slides["margins"]["friction_scale"] = 2e4;
  EXPECT_THAT(refusal(slides), HasSubstr("margins.friction_scale: the report says 20000, but with 10000"));
  ASSERT_TRUE(tips["margins"]["friction_scale"].is_null());
  tips["margins"]["friction_scale"] = 3.0;
  EXPECT_THAT(refusal(tips), HasSubstr("margins.friction_scale: the report says 3, but with 10000"));
}

TEST(FailureReport, HoldingIsNotStandingStill)
{
  const std::string limp = to_text(checked("quadruped_standing", {{"models.robot.effort", "none"}}));
  EXPECT_THAT(limp, HasSubstr("STICKS WHILE IT FALLS (holds): quadruped on four feet\nevery contact sticks while it "
                              "falls: 8.275 m/s² down"));
  const std::string free = to_text(checked("quadruped_standing", {{"contacts", "[]"}}));
  EXPECT_THAT(free, HasSubstr("NO CONTACTS (holds): quadruped on four feet\nthere are no contacts, so nothing can "
                              "slip; it falls: 9.81 m/s²"));
}

/// What is pushed along the ground or lifted from it does not fall.
TEST(FailureReport, OnlyWhatGoesDownFalls)
{
  const auto box = [](const char* force) {
    return to_text(checked("box_pushed", {{"question", "all_sticking"},
                                          {"contacts.ground.mu", "0"},
                                          {"options", "{detachment: free}"},
                                          {"models.box.effort", "none"},
                                          {"loads", "[{link: box/box, force: " + std::string(force) + "}]"}}));
  };
  for (const char* force : {"[0, 0, 50]", "[30, 0, 12]"}) {
    EXPECT_THAT(box(force), HasSubstr("it moves: ")) << force;
    EXPECT_THAT(box(force), Not(HasSubstr("falls"))) << force;
    EXPECT_THAT(box(force), Not(HasSubstr("FALLS"))) << force;
  }
}

TEST(FailureReport, RowsSayWhatReportsSayUnlessToldNotTo)
{
  Scenario scenario = checked("block_slides").scenario;
  ScenarioAnswerer answerer(scenario);
  const std::string full = word(checked_json("block_slides")["summary"]);
  EXPECT_EQ(answerer.ask(scenario).summary(), full);
  scenario.options.explain = false;
  EXPECT_EQ(answerer.ask(scenario).summary(), "fails: no admissible forces exist");
}

TEST(NumberText, OneNumberIsOneNumberAndRoundingIsNone)
{
  EXPECT_EQ(interval_text(0.0, 0.0), "0");
  EXPECT_EQ(interval_text(0.31, 0.31 + 1e-9), "0.31");
  EXPECT_EQ(interval_text(0.31, 0.32), "0.31 to 0.32");
  EXPECT_EQ(tidy(2.8e-17, 0.3), 0.0);
  EXPECT_EQ(tidy(2.8e-17, 1e-17), 2.8e-17);
}

TEST(NumberText, FrictionIsToldAsCoefficients)
{
  const auto cone = [](double mu, double torsion = 0.0) {
    return FrictionCone{2, torsion > 0.0, mu, torsion, 1.0, ConeShape()};
  };
  const FrictionCone rough = cone(0.5), smooth = cone(0.0), soft = cone(0.8, 0.003);
  EXPECT_EQ(spare_friction_text({rough}, 9.5e-07), "friction to spare: holds with next to none");
  EXPECT_EQ(spare_friction_text({rough}, 0.0), "holds without any friction");
  EXPECT_EQ(spare_friction_text({rough, rough, smooth}, 0.54), "friction to spare: mu 0.5 could fall to 0.27");
  EXPECT_EQ(spare_friction_text({soft, rough}, 0.5),
            "friction to spare: mu 0.8 could fall to 0.4 and torsion 0.003 m to 0.0015 m and mu 0.5 to 0.25");
  // Rounded to the side that holds: 0.41237 is too little, and so is 0.47129.
  EXPECT_EQ(spare_friction_text({rough}, 0.82474), "friction to spare: mu 0.5 could fall to 0.4124");
  EXPECT_EQ(more_friction_text({cone(0.4)}, 1.178201), "every friction coefficient times 1.179 (mu 0.4 to 0.4713)");
  std::vector<FrictionCone> many;
  for (const double mu : {0.1, 0.2, 0.3, 0.4}) many.push_back(cone(mu));
  EXPECT_EQ(spare_friction_text(many, 0.5), "friction to spare: every coefficient could fall to 0.5 times what it is");
  EXPECT_EQ(more_friction_text(many, 1.5), "every friction coefficient times 1.5");
}

TEST(TextsForPeople, HaveNoRoundingNoKeysAndNoEquationNumbers)
{
  const std::pair<const char*, std::regex> internals[] = {
      {"rounding or a search's floor", std::regex("[0-9]e-(0[7-9]|[1-9][0-9])")},
      {"an interval of one number", std::regex("[^-.0-9]([0-9.]+) to \\1\\b(?![.0-9])")},
      {"an equation without its paper", std::regex("[^,n] \\([0-9][0-9]\\)")},
      {"a key", std::regex("friction_scale|form_closure|force_closure|normal_interval|epsilon_l")}};
  std::vector<std::string> texts;
  for (const std::string& file : gallery_files(1)) {
    ScenarioReport report = check_file(file, {}, {robot_packages()});
    report.warnings.clear();  // they quote what URDFs say
    texts.push_back(to_text(report));
  }
  // Two feet span a segment, and a grasp that slips has no slack.
  const char* diagonal =
      "[{name: feet, link: box/box, points: [[0.1, 0.1, -0.1], [-0.1, -0.1, -0.1]], normal: [0, 0, 1], mu: 0.4}]";
  const char* aside =
      "[{name: feet, link: box/box, points: [[0.12, 0.1, -0.1], [-0.08, -0.1, -0.1]], normal: [0, 0, 1], mu: 0.4}]";
  for (const char* feet : {diagonal, aside})
    texts.push_back(to_text(checked("box_pushed", {{"question", "region"}, {"contacts", feet}, {"options", "{}"}})));
  EXPECT_THAT(texts.back(), HasSubstr("an area of 0 m²"));
  for (const char* mu : {"0.01", "0.1", "0.3"})
    texts.push_back(to_text(checked("mug_closure", {{"contacts.0.mu", mu}, {"contacts.1.mu", mu}})));
  for (const std::string& text : texts)
    for (const auto& [what, pattern] : internals)
      EXPECT_FALSE(std::regex_search(text, pattern)) << what << " in\n" << text;
}

/// Forces that only unlimited friction would allow are in the table, and nobody says that they keep anything.
TEST(TextsForPeople, TablesHaveTheForcesTheySpeakOf)
{
  const std::string pulled = to_text(checked(
      "quadruped_standing", {{"models.robot.effort", "none"}, {"loads", "[{link: robot/body, force: [0, 0, 2000]}]"}}));
  EXPECT_THAT(pulled, HasSubstr("every contact opens: none can carry anything"));
  EXPECT_THAT(pulled, Not(HasSubstr("these forces would keep")));
  EXPECT_THAT(pulled, ::testing::ContainsRegex("detaching +0 +sideways [0-9.]+ N"));
}

/// Nothing that is not there holds, slips or is coupled.
TEST(TextsForPeople, ScenesWithoutContactsSaySo)
{
  for (const char* question : {"sliding", "couplings", "all_sticking", "equilibrium"}) {
    const std::string text = to_text(checked(
        "box_pushed", {{"question", question}, {"contacts", "[]"}, {"options", "{}"}, {"gravity", "[0, 0, 0]"}}));
    EXPECT_THAT(text, ::testing::StartsWith("NO CONTACTS (holds)")) << question;
    EXPECT_THAT(text, HasSubstr("there are no contacts")) << question;
  }
}

}  // namespace
}  // namespace stiction::internal
