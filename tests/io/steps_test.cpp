// The steps of the algorithm in reports, and the MLCPs as a file.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "io/checked.hpp"
#include "stiction/error.hpp"
#include "stiction/problem_file.hpp"
#include "stiction/report.hpp"

namespace stiction::internal {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using StepsJson = nlohmann::ordered_json;

const std::vector<ScenarioOverride> kSteps = {{"options.steps", "true"}};

Scenario scenario_of(const std::string& name, const std::vector<ScenarioOverride>& overrides = {})
{
  return read_scenario_file(scenario(name), overrides);
}

StepsJson step_of(const StepsJson& report, int number)
{
  for (const StepsJson& step : report.at("steps"))
    if (step["step"] == number) return step;
  throw std::runtime_error("no step " + std::to_string(number));
}

StepsJson proposition(const StepsJson& report, const std::string& name)
{
  const StepsJson step = step_of(report, 8);
  for (const StepsJson& one : step["propositions"])
    if (one["name"] == name) return one;
  throw std::runtime_error("no proposition " + name);
}

TEST(Steps, Example6SegmentCanBeReadOff)
{
  const StepsJson report = StepsJson::parse(to_json(checked("pinch_on_guide", kSteps)));
  EXPECT_EQ(step_of(report, 1)["dofs"], 4);
  EXPECT_EQ(step_of(report, 1)["rank_rows"], 4);
  EXPECT_EQ(step_of(report, 2)["unique"], true);
  EXPECT_NEAR(step_of(report, 2)["closure_forces"]["guide"][0].get<double>(), -2.0, 1e-9);
  EXPECT_EQ(step_of(report, 2)["normal_acceleration"]["left"], 0.0);
  EXPECT_EQ(step_of(report, 3)["dimension"], 1);
  const StepsJson internal = step_of(report, 3)["internal_forces"][0];
  EXPECT_NEAR(internal["left t1"].get<double>() + internal["right t1"].get<double>(), 0.0, 1e-12);
  EXPECT_EQ(internal.size(), 2u);
  EXPECT_EQ(step_of(report, 3)["ranges"]["left t1"][1], "inf");
  EXPECT_NEAR(step_of(report, 4)["radius"]["left"][1].get<double>(), 6.0, 1e-9);
  const StepsJson ranges = step_of(report, 5)["ranges"];
  EXPECT_NEAR(ranges["left t1"][0].get<double>(), 9.81 - 5.0, 1e-8);
  EXPECT_NEAR(ranges["left t1"][1].get<double>(), 6.0, 1e-8);
  EXPECT_EQ(step_of(report, 7)["persists"], true);
  EXPECT_EQ(proposition(report, "C2")["applies"], true);
  EXPECT_EQ(proposition(report, "P12")["applies"], false);
}

TEST(Steps, OfAFailingCase)
{
  const StepsJson report = StepsJson::parse(to_json(checked("pinch_too_weak", kSteps)));
  EXPECT_EQ(step_of(report, 5)["verdict"], "fails");
  EXPECT_TRUE(step_of(report, 5)["ranges"].empty());
  EXPECT_EQ(step_of(report, 6)["changes"], report["repair"]);
  EXPECT_EQ(step_of(report, 7)["persists"], false);
  EXPECT_EQ(step_of(report, 7)["prediction"]["contacts"]["left"]["motion"], "slips");
  EXPECT_THAT(proposition(report, "P10")["says"].get<std::string>(), HasSubstr("not every contact sticks"));
  EXPECT_THAT(proposition(report, "P4")["hypotheses_failed"].dump(), HasSubstr("not every contact sticks"));
}

TEST(Steps, OnlyOnRequestAndVerified)
{
  const ScenarioReport plain = checked("block_on_ground"), asked = checked("block_on_ground", kSteps);
  EXPECT_FALSE(StepsJson::parse(to_json(plain)).contains("steps"));
  EXPECT_THAT(to_text(plain), Not(HasSubstr("steps of the algorithm")));
  EXPECT_THAT(to_text(asked), HasSubstr("steps of the algorithm"));
  EXPECT_LE(widest_line(to_text(asked)), 80u);
  const Verification proof = verify_report(to_json(asked), "report");
  EXPECT_TRUE(proof.valid) << proof.message;
  EXPECT_THAT(proof.unchecked, Contains("steps"));
  EXPECT_THAT(verify_report(to_json(plain), "report").unchecked, Not(Contains("steps")));
}

TEST(Steps, AreThoseOfAllSticking)
{
  EXPECT_THAT(error_of("block_on_ground", {{"options.steps", "true"}, {"question", "sliding"}}),
              HasSubstr("options.steps: want none unless the question is all_sticking, got true"));
  EXPECT_THAT(error_of("block_on_ground", {{"question", "closure"}}),
              HasSubstr("plane: want none for the question closure, which has options.plane, got xz"));
}

TEST(Steps, WithoutContacts)
{
  const ScenarioReport falls = checked("block_on_ground", {{"options.steps", "true"}, {"contacts", "[]"}});
  EXPECT_THAT(to_text(falls), HasSubstr("2 motion: acceleration"));
}

TEST(MlcpFile, HasTheMatricesOfExample6)
{
  const StepsJson file = StepsJson::parse(mlcp_text(scenario_of("pinch_on_guide")));
  EXPECT_EQ(file["stiction_mlcp"], 1);
  EXPECT_EQ(file["mlcp"]["equations"], "(65a)");
  EXPECT_EQ(file["mlcp"]["equalities"], 7);
  EXPECT_EQ(file["mlcp"]["unknowns"][4]["name"], "guide");
  EXPECT_EQ(file["mlcp"]["unknowns"][7]["kind"], "normal_unilateral");
  EXPECT_EQ(file["mlcp"]["Q"][0], StepsJson({1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, -1.0, 1.0}));
  EXPECT_EQ(file["forces"]["equations"], "(62)");
  EXPECT_EQ(file["normals"]["Q"], StepsJson::parse("[[1.0,0.0],[0.0,1.0]]"));
  EXPECT_EQ(file["contacts"][0]["tangents"], StepsJson({1}));
  EXPECT_EQ(file["facets"]["D"], StepsJson({0.5, 0.5, 0.5, 0.5}));
}

TEST(MlcpFile, SaysWhatHasNone)
{
  EXPECT_THROW(mlcp_text(scenario_of("biped_standing", {{"question", "equilibrium"}})), InputError);
  EXPECT_THROW(mlcp_text(scenario_of("block_tips")), InputError);  // detachment: forbidden
  const StepsJson space = StepsJson::parse(mlcp_text(scenario_of("ball_in_three_arms")));
  EXPECT_FALSE(space.contains("facets"));  // round disks
  EXPECT_EQ(space["mlcp"]["equations"], "(43)");
  const StepsJson facets =
      StepsJson::parse(mlcp_text(scenario_of("ball_in_three_arms", {{"options", "{cone: {inner: 6}}"}})));
  EXPECT_EQ(facets["facets"]["C"].size(), 18u);
  const StepsJson slides = StepsJson::parse(mlcp_text(scenario_of("painleve_jammed")));
  EXPECT_EQ(slides["mlcp"]["equations"], "(73)");
  EXPECT_EQ(slides["contacts"][0]["slides"].size(), slides["contacts"][0]["tangents"].size());
}

}  // namespace
}  // namespace stiction::internal
