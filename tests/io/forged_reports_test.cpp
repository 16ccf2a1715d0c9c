// Reports that were once accepted although they claim the opposite of what is true. They are told in today's format
// first, so that they are refused for what they claim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/check.hpp"
#include "io/checked.hpp"
#include "io/json_text.hpp"
#include "io/judgement.hpp"
#include "io/verify.hpp"

namespace stiction::internal {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// Entries by name of a joint: another robot has others.
bool of_joints(const std::string& key)
{
  return key == "values" || key == "efforts" || key == "before" || key == "after";
}

/// What was forged, with the keys of a report of today.
Json told_as(const Json& today, const Json& forged, const std::string& key = "")
{
  if (today.is_array() && forged.is_array() && !today.empty()) {
    Json list = Json::array();
    for (std::size_t i = 0; i < forged.size(); ++i)
      list.push_back(told_as(today[std::min(i, today.size() - 1)], forged[i], key));
    return list;
  }
  if (!today.is_object() || !forged.is_object() || of_joints(key)) return forged;
  Json object = Json::object();
  for (const auto& [name, value] : today.items())
    object[name] = forged.contains(name) ? told_as(value, forged[name], name) : value;
  return object;
}

/// Names such as "box/base[2]" and "crank/theta".
Json joints_of(const Json& dofs)
{
  Json joints = Json::array();
  for (const Json& dof : dofs) {
    const std::string name = dof.get<std::string>(), model = name.substr(0, name.find('/'));
    const std::size_t bracket = name.find('[');
    const std::string joint = name.substr(model.size() + 1, bracket - model.size() - 1);
    if (bracket == name.npos)
      joints.push_back({{"model", model}, {"joint", joint}, {"index", 0}, {"size", 1}});
    else
      joints.push_back({{"model", model}, {"joint", nullptr}, {"index", name[bracket + 1] - '0'}, {"size", 6}});
  }
  return joints;
}

struct Forged {
  const char* file;
  const char* like;     ///< a scenario of the gallery whose report has the same keys
  const char* refusal;  ///< what `verify` says
  const char* question = "";
  const char* summary = "";  ///< told instead of the forger's, so that other entries are looked at
};

Json forged_report(const Forged& forged)
{
  std::vector<ScenarioOverride> overrides;
  if (*forged.question) overrides.push_back({"question", forged.question});
  const std::string file = std::string(STICTION_SOURCE_DIR) + "/tests/regressions/forged/" + forged.file + ".json";
  const Json old = parse_json(read_text_file(file, "report"), "report", "a JSON report");
  Json report = told_as(checked_json(forged.like, overrides), old);
  report["certificate"]["problem"]["joints"] = joints_of(report["certificate"]["problem"]["dofs"]);
  if (*forged.summary) report["summary"] = forged.summary;
  return report;
}

TEST(ForgedReports, AreRefusedForWhatTheyClaim)
{
  const Forged kForged[] = {
      // One problem, and "proofs" of both verdicts: the motion of the one is no motion, the other does not stick.
      {"same_problem_holds", "box_on_slope", "c0, row 1 does not keep its acceleration"},
      {"same_problem_fails", "box_on_steep_slope", "nothing drives the motion beyond rounding"},
      // Large internal forces, and an acceleration moved along a free motion.
      {"allsticking_holds_to_fails_biped_standing", "box_on_steep_slope", "nothing drives the motion beyond rounding"},
      {"allsticking_holds_to_fails_two_feet", "box_on_steep_slope", "nothing drives the motion beyond rounding"},
      // One entry of M of 1e-40; M of 1e60, which does not matter at rest.
      {"all_sticking_flip_by_one_M_entry", "box_on_slope", "row 1 does not keep its acceleration"},
      {"equilibrium_flip_by_M", "box_on_slope", "is violated at box/base[0]", "equilibrium"},
      // A row in both lists; internal forces of 1e30.
      {"couplings_flip_holds_to_fails", "crank_against_stop", "the rows do not contradict each other"},
      {"couplings_flip_fails_to_holds", "crank_against_stop", "is faster than the loads explain"},
      // An inverse that buys tolerance; impulses of 1e20; one of three velocities as the only one.
      {"impact_flip_fails_to_holds", "rod_three_ways", "a leaf is not proved"},
      {"impact_flip_holds_to_fails", "rod_three_ways", "is hit harder than the impact explains"},
      {"impact_only_one_of_three_0", "rod_three_ways", "velocity.unique: the report says true", "",
       "holds: the impact takes 0.1742 J of 0.505 J"},
      {"impact_only_one_of_three_1", "rod_three_ways", "velocity.unique: the report says true", "",
       "holds: the impact takes 0.1563 J of 0.505 J"},
      {"impact_only_one_of_three_2", "rod_three_ways", "velocity.unique: the report says true", "",
       "holds: nothing is hit, velocities stay as they are"},
      // A solution left out.
      {"sliding_drop_solution_0", "painleve_two_futures", "acceleration.unique: the report says true", "",
       "holds: at least one solution: tip slides; others are not excluded"},
      {"sliding_drop_solution_1", "painleve_two_futures", "acceleration.unique: the report says true", "",
       "holds: at least one solution: tip leaves; others are not excluded"},
  };
  for (const Forged& forged : kForged) {
    SCOPED_TRACE(forged.file);
    const Json report = forged_report(forged);
    Verification result;
    ASSERT_NO_THROW(result = verify_json(report, nullptr)) << "want the format of today";
    EXPECT_FALSE(result.valid);
    EXPECT_THAT(result.message, HasSubstr(forged.refusal));
  }
}

/// The world turned under all contacts at once: a certificate knows how contacts are turned to each other and to their
/// body, and not where the world is. Only a scenario tells; without one, what depends on it is listed by name.
TEST(ForgedReports, TheAxesOfTheWorldAreTheScenarios)
{
  const Json turned = forged_report({"force_world_rotated", "box_on_slope", ""});
  const Verification alone = verify_json(turned, nullptr);
  EXPECT_TRUE(alone.valid) << alone.message;
  EXPECT_THAT(alone.unchecked, Contains("contacts[].force_world"));
  EXPECT_THAT(alone.recomputed, Not(Contains("contacts[].force_world")));
  const ScenarioReport scenario = checked("box_on_slope");
  EXPECT_FALSE(verify_json(turned, &scenario).valid);
  const Verification bound = verify_json(Json::parse(to_json(scenario)), &scenario);
  EXPECT_TRUE(bound.valid) << bound.message;
  EXPECT_THAT(bound.recomputed, Contains("contacts[].force_world"));

  const auto directions = [](const std::string& file, bool with_scenario) {
    const ScenarioReport report = check_file(file, {}, {});
    return verify_json(Json::parse(to_json(report)), with_scenario ? &report : nullptr).unchecked;
  };
  const std::string falls = std::string(STICTION_SOURCE_DIR) + "/tests/regressions/worded/shift_1_base.yaml";
  EXPECT_THAT(directions(falls, false), Contains("summary")) << "it falls along (+0.06, -0.9, -0.44)";
  EXPECT_THAT(directions(falls, true), Not(Contains("summary")));
  EXPECT_THAT(directions(stiction::internal::scenario("box_on_slope"), false), Not(Contains("summary")));
  EXPECT_THAT(directions(stiction::internal::scenario("ball_between_hard_fingers"), false),
              Contains("closure.form_closure.explanation"));
}

}  // namespace
}  // namespace stiction::internal
