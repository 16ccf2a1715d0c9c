// What doors read from a ScenarioReport is what its JSON says, for every question.
#include <gmock/gmock.h>

#include <set>

#include "io/checked.hpp"
#include "stiction/report.hpp"

namespace stiction::internal {
namespace {

using testing::ElementsAre;

struct Case {
  const char* name;
  std::vector<ScenarioOverride> overrides;
};

/// Every question, with both verdicts where that is quick, margins known, without end, and none.
const std::vector<Case> kCases = {
    {"block_on_ground", {}},
    {"pinch_too_weak", {}},
    {"soft_finger", {}},
    {"box_on_steep_slope", {{"options.margins", "false"}}},
    {"box_at_the_limit", {}},
    {"box_pushed", {}},
    {"biped_standing", {{"question", "equilibrium"}, {"models.robot.effort", "limits"}}},
    {"box_on_steep_slope", {{"question", "equilibrium"}}},
    {"ball_between_hard_fingers", {}},
    {"mug_closure", {}},
    {"three_finger_hand", {{"question", "closure"}, {"options.object", "object"}, {"models.hand.effort", "unlimited"}}},
    {"biped_region", {}},
    {"box_on_slope", {{"question", "region"}}},
    {"painleve_klein", {}},
    {"painleve_jammed", {}},
    {"ladder_slips", {}},
    {"biped_touchdown", {}},
    {"pendulum_gains_energy", {}},
    {"sphere_bounces", {}},
    {"crank_against_stop", {}},
    {"pinch_on_guide", {{"question", "couplings"}}},
};

double number(const Json& json)
{
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>() == "inf" ? kInfinity : -kInfinity;
}

const Json& entry(const Json& json, const char* key)
{
  static const Json kNothing = Json::object();
  return json.contains(key) ? json.at(key) : kNothing;
}

void expect_contacts(const std::vector<ReportedContact>& contacts, const Json& json)
{
  ASSERT_EQ(contacts.size(), json.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactReport& found = contacts[i].found;
    const Json& said = json[i];
    EXPECT_EQ(contacts[i].name, said["name"].get<std::string>());
    EXPECT_EQ(name_of(found.state), said["state"].get<std::string>());
    EXPECT_EQ(found.utilisation, number(said["utilisation"]));
    ASSERT_EQ(contacts[i].force_W.has_value(), said.contains("force_world")) << "an impact has impulses";
    if (!contacts[i].force_W) continue;
    EXPECT_EQ(found.force[0], number(said["normal_force"]));
    for (std::size_t k = 0; k < said["tangential_force"].size(); ++k)
      EXPECT_EQ(found.force[static_cast<Eigen::Index>(k) + 1], number(said["tangential_force"][k]));
    EXPECT_EQ(found.force[3], said.contains("torsion_moment") ? number(said["torsion_moment"]) : 0.0);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ((*contacts[i].force_W)[static_cast<Eigen::Index>(k)], number(said["force_world"][k]));
    EXPECT_EQ(found.unique, said["unique"].get<bool>());
    ASSERT_EQ(found.normal_interval.enclosed(), !said["normal_interval"].is_null());
    if (!found.normal_interval.enclosed()) continue;
    EXPECT_EQ(found.normal_interval.lower, number(said["normal_interval"][0]));
    EXPECT_EQ(found.normal_interval.upper, number(said["normal_interval"][1]));
  }
}

void expect_margins(const std::vector<ReportedMargin>& margins, const Json& json)
{
  std::set<std::string> said, told;
  for (const auto& item : json.items())
    if (item.key() != "intervals") said.insert(item.key());
  for (const auto& item : entry(json, "intervals").items()) said.insert(item.key());
  for (const ReportedMargin& margin : margins) {
    SCOPED_TRACE(margin.name);
    told.insert(margin.name);
    const Margin::State state = margin.margin.state;
    EXPECT_EQ(state == Margin::State::kUndecided, !json.contains(margin.name));
    EXPECT_EQ(state == Margin::State::kNone, json.contains(margin.name) && json[margin.name].is_null());
    if (state == Margin::State::kKnown || state == Margin::State::kUnbounded)
      EXPECT_EQ(margin.value, number(json[margin.name]));
    else
      EXPECT_TRUE(std::isnan(margin.value));
    EXPECT_EQ(std::isinf(margin.value), state == Margin::State::kUnbounded);
    const Json& intervals = entry(json, "intervals");
    ASSERT_EQ(margin.interval, intervals.contains(margin.name));
    if (!margin.interval) continue;
    EXPECT_EQ(margin.margin.lower, number(intervals[margin.name][0]));
    EXPECT_EQ(margin.margin.upper, number(intervals[margin.name][1]));
  }
  EXPECT_EQ(told, said);
  EXPECT_EQ(told.size(), margins.size());
}

TEST(TypedReport, HasWhatItsJsonSays)
{
  std::set<Question> questions;
  int holds = 0, fails = 0, contacts = 0, efforts = 0, margins = 0;
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.name + (test.overrides.empty() ? "" : " " + test.overrides[0].value));
    const ScenarioReport report = checked(test.name, test.overrides);
    const Json json = Json::parse(to_json(report));
    EXPECT_EQ(name_of(report.scenario.question), json["question"].get<std::string>());
    EXPECT_EQ(report.answer.index(), static_cast<std::size_t>(report.scenario.question));
    EXPECT_EQ(to_string(report.verdict), json["verdict"].get<std::string>());
    EXPECT_EQ(report.summary, json["summary"].get<std::string>());
    EXPECT_EQ(report.warnings, json["warnings"].get<std::vector<std::string>>());
    EXPECT_EQ(report.solver, json["solver"]["name"].get<std::string>());
    EXPECT_EQ(report.iterations, json["solver"]["iterations"].get<int>());
    EXPECT_EQ(Json::parse(certificate_json(report)), json["certificate"]);
    expect_contacts(report.contacts, entry(json, "contacts"));
    expect_margins(report.margins, entry(json, "margins"));
    ASSERT_EQ(report.efforts.size(), entry(json, "efforts").size());
    for (const ReportedEffort& effort : report.efforts)
      EXPECT_EQ(effort.value, number(json["efforts"][effort.name])) << effort.name;
    questions.insert(report.scenario.question);
    holds += report.verdict == Verdict::kHolds;
    fails += report.verdict == Verdict::kFails;
    contacts += static_cast<int>(report.contacts.size());
    efforts += static_cast<int>(report.efforts.size());
    margins += static_cast<int>(report.margins.size());
  }
  EXPECT_EQ(questions.size(), std::variant_size_v<Answer>);
  EXPECT_GE(holds, 6);
  EXPECT_GE(fails, 5);
  EXPECT_GE(contacts, 30);
  EXPECT_GE(efforts, 10);
  EXPECT_GE(margins, 12);
}

// The answer of each question is that of its checker, certificate and all: it is judged as it is.
TEST(TypedReport, CertificatesAreJudgedWithoutJson)
{
  const ScenarioReport block = checked("block_on_ground");
  const auto& sticking = std::get<AllStickingAnswer>(block.answer);
  EXPECT_EQ(judge(block.problem, sticking.rules, sticking.result.certificate), block.verdict);

  const ScenarioReport pushed = checked("box_pushed");
  const auto& equilibrium = std::get<EquilibriumAnswer>(pushed.answer);
  EXPECT_EQ(judge_equilibrium(pushed.problem, equilibrium.a, equilibrium.shape, equilibrium.result.certificate),
            pushed.verdict);
  EXPECT_TRUE(equilibrium.push.has_value());

  const ScenarioReport ball = checked("ball_between_hard_fingers");
  const auto& closure = std::get<ClosureAnswer>(ball.answer);
  EXPECT_EQ(judge_closure(closure.grasp, closure.grasp.has_hand() ? ClosureKind::kForce : ClosureKind::kFrictionalForm,
                          closure.decisive().proof),
            ball.verdict);
  EXPECT_EQ(judge_resists(closure.grasp, closure.input.wrench, closure.resists.proof), closure.resists.verdict);

  const ScenarioReport biped = checked("biped_region");
  const auto& region = std::get<RegionAnswer>(biped.answer);
  const auto proved = proved_region(region.input, region.rules, region.result.proof);
  ASSERT_TRUE(proved.has_value());
  EXPECT_EQ(proved->verdict, biped.verdict);
  EXPECT_EQ(proved->kind, region.result.kind);
  EXPECT_EQ(region.model, "robot");

  const ScenarioReport klein = checked("painleve_klein");
  const auto& sliding = std::get<SlidingAnswer>(klein.answer);
  EXPECT_EQ(judge_sliding(klein.problem, sliding.slips, sliding.result.certificate).count, sliding.result.count);

  const ScenarioReport touchdown = checked("biped_touchdown");
  const auto& impact = std::get<ImpactAnswer>(touchdown.answer);
  EXPECT_EQ(judge_impact(impact.input.problem, impact.input.impact, impact.result.solutions, impact.leaves).dissipates,
            impact.proof.dissipates);
  ASSERT_NE(impact.solution(), nullptr);

  const ScenarioReport pinch = checked("pinch_on_guide", {{"question", "couplings"}});
  const auto& couplings = std::get<CouplingsAnswer>(pinch.answer);
  EXPECT_TRUE(proves_motion(couplings.problem, couplings.result.unilateral, couplings.result.bilateral,
                            couplings.result.acceleration, couplings.result.forces));
  EXPECT_EQ(static_cast<Eigen::Index>(couplings.row_names.size()), couplings.problem.rows());
}

TEST(TypedReport, EffortsOfAHandHoldItStill)
{
  const ScenarioReport report =
      checked("three_finger_hand",
              {{"question", "closure"}, {"options.object", "object"}, {"models.hand.effort", "unlimited"}});
  const auto& answer = std::get<ClosureAnswer>(report.answer);
  ASSERT_EQ(answer.resists.verdict, Verdict::kHolds);
  const Eigen::VectorXd wanted =
      answer.grasp.hand_load - answer.grasp.J_hand.transpose() * answer.resists.forces;  // by balance
  ASSERT_EQ(report.efforts.size(), 3u);
  for (std::size_t i = 0; i < report.efforts.size(); ++i) {
    EXPECT_EQ(report.efforts[i].name, "hand/finger" + std::to_string(i + 1));
    EXPECT_NEAR(report.efforts[i].value, wanted[static_cast<Eigen::Index>(i)], 1e-9 * (1.0 + wanted.norm()));
  }
  EXPECT_GT(std::abs(wanted[0] - wanted[2]), 1e-3) << "else their order does not show";
}

TEST(TypedReport, QuestionsHaveTheirNames)
{
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::variant_size_v<Answer>; ++i) {
    const auto question = static_cast<Question>(i);
    names.push_back(stiction::name_of(question));
    EXPECT_EQ(question_named(names.back()), question);
  }
  EXPECT_THAT(names, ElementsAre("all_sticking", "equilibrium", "closure", "region", "sliding", "impact", "couplings"));
  EXPECT_THROW(question_named("why"), InputError);
  EXPECT_THROW(kind_of(static_cast<Question>(names.size())), InputError);
  Scenario scenario = read_scenario_file(internal::scenario("block_on_ground"));
  scenario.question = static_cast<Question>(names.size());
  EXPECT_THROW(ScenarioChecker().check(scenario), InputError);
}

}  // namespace
}  // namespace stiction::internal
