// The steps of the algorithm in reports, and the MLCPs as a file.
#include <gmock/gmock.h>

#include <cmath>
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

/// What the propositions say of contacts that may open is not about those that may not, or are free.
TEST(Steps, SayWhatIsAskedOfContactsThatOpen)
{
  const auto text = [](const std::string& name, const std::string& detachment) {
    std::string words = to_text(checked(name, {{"options.steps", "true"}, {"options.detachment", detachment}}));
    for (std::size_t i = 0; (i = words.find("\n   ", i)) != std::string::npos;) words.replace(i, 4, " ");  // wrapped
    return words;
  };
  const std::string forbidden = text("block_tips", "forbidden");
  EXPECT_THAT(forbidden, HasSubstr("ten thousand times the friction would not help"));
  // 16 N over the right corner: mu N = 15.7035 N of 10.2548 N, not rounded down
  EXPECT_THAT(forbidden, HasSubstr("P11 (smallest common friction coefficient; contacts may open): 1.532"));
  EXPECT_THAT(forbidden,
              HasSubstr("P5 (all rows held, forces of least norm): their norm is 15.26, outside of the disk of "
                        "left; other forces may be inside"));
  const std::string free = text("block_slides", "free");
  EXPECT_THAT(free, HasSubstr("2 motion: none, whichever contacts leave"));
  EXPECT_THAT(free, HasSubstr("P7 (MLCP solvable; what opens is held sideways): yes"));
  // both corners lack 6 N - 0.5 m g and would accelerate: (1 + 0.2^2 / I) 1.095 m/s² each
  EXPECT_THAT(free, HasSubstr("not every contact sticks (|A z + F| 2.978 m/s²)"));
  EXPECT_THAT(text("block_tips", "allowed"), HasSubstr("P11 (smallest common friction coefficient): 1.532"));
  EXPECT_THAT(text("box_tips_off_step", "free"), HasSubstr("+8.2125, others were not looked for"));
  const std::string hill = text("ball_over_hill", "allowed");
  EXPECT_THAT(hill,
              HasSubstr("+171.429 (of a base or planar joint: in its own axes, which turn with it), the only one"));
  EXPECT_THAT(hill, HasSubstr("their norm is 0.2477, inside of every disk"));
  EXPECT_THAT(text("block_tips", "allowed"), Not(HasSubstr("own axes")));
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

TEST(Steps, WithoutFrictionNothingPersists)
{
  for (const char* name : {"block_at_rest", "block_on_three_points", "rod_wall_and_rail"}) {
    std::vector<ScenarioOverride> smooth = {{"options.steps", "true"}, {"question", "all_sticking"}};
    if (name == std::string("block_at_rest")) {
      smooth.push_back({"contacts.left.mu", "0"});
      smooth.push_back({"contacts.right.mu", "0"});
    }
    const ScenarioReport held = checked(name, smooth);
    const StepsJson report = StepsJson::parse(to_json(held));
    EXPECT_EQ(report["verdict"], "holds") << name;
    EXPECT_EQ(step_of(report, 7)["persists"], false) << name;
    EXPECT_TRUE(step_of(report, 7)["strict"].empty()) << name;
    EXPECT_EQ(step_of(report, 7)["rim"].size(), report["contacts"].size()) << name;
    EXPECT_THAT(proposition(report, "P4")["says"].get<std::string>(), HasSubstr("at the rim of its disk")) << name;
    for (const auto& [contact, radius] : step_of(report, 4)["radius"].items())
      EXPECT_EQ(radius, StepsJson({0.0, 0.0})) << name << " " << contact;
    EXPECT_THAT(to_text(held), Not(HasSubstr("nan"))) << name;
  }
}

TEST(Steps, RoundingReadsAsZero)
{
  const auto text = [](const std::vector<ScenarioOverride>& more) {
    std::vector<ScenarioOverride> all = kSteps;
    all.insert(all.end(), more.begin(), more.end());
    return to_text(checked("ladder_too_flat", all));
  };
  EXPECT_THAT(text({{"options.cone", "{inner: 6}"}}), HasSubstr("ground t1      -inf to 0\n"));
  EXPECT_THAT(text({}), HasSubstr("smallest eigenvalue of Ac 0\n"));
}

TEST(Steps, ForcesThatKeepNothing)
{
  const std::string lifted = to_text(checked("block_at_rest", {{"loads", "[{link: b/block, force: [5, 0, 20]}]"}}));
  EXPECT_THAT(lifted, HasSubstr("every contact opens: none can carry anything"));
  EXPECT_THAT(lifted, Not(HasSubstr("would keep")));
  EXPECT_THAT(to_text(checked("pinch_too_weak")), HasSubstr("these forces would keep every contact stuck, were"));
}

TEST(Steps, WithoutContacts)
{
  const ScenarioReport falls = checked("block_on_ground", {{"options.steps", "true"}, {"contacts", "[]"}});
  EXPECT_THAT(to_text(falls), HasSubstr("2 motion: acceleration"));
}

/// Scenarios of planar joints that say nothing about a plane: the same verdict, forces of the plane.
TEST(UnaskedPlane, ChangesNoVerdict)
{
  for (const char* name : {"jammed_part", "three_finger_hand", "ladder_too_flat"}) {
    const StepsJson found = StepsJson::parse(to_json(checked(name)));
    const StepsJson space = StepsJson::parse(to_json(checked(name, {{"plane", "none"}})));
    EXPECT_EQ(found["verdict"], space["verdict"]) << name;
    ASSERT_EQ(found["contacts"].size(), space["contacts"].size());
    for (std::size_t i = 0; i < found["contacts"].size(); ++i) {
      EXPECT_EQ(found["contacts"][i]["tangential_force"].size(), 1u);
      EXPECT_EQ(space["contacts"][i]["tangential_force"].size(), 2u);
    }
    EXPECT_EQ(space["indeterminacy"]["degree"].get<int>() - found["indeterminacy"]["degree"].get<int>(),
              static_cast<int>(found["contacts"].size()))
        << "a row of zeros at every contact";
    EXPECT_THAT(found["warnings"].dump(), HasSubstr("nothing leaves the plane xz: one tangent per contact"));
  }
  const StepsJson facets = StepsJson::parse(to_json(checked("three_finger_hand", {{"options.cone", "{inner: 5}"}})));
  EXPECT_EQ(facets["contacts"][0]["tangential_force"].size(), 2u) << "polygons are those of space";
  EXPECT_EQ(scenario_of("painleve_klein").scene.plane, ScenePlane::kNone) << "other questions as they were";
}

/// Loetstedt's filter: a rod whose left end rests while the right one parts.
TEST(Parting, IsLeftOutWhereAskedFor)
{
  const std::vector<ScenarioOverride> rising = {
      {"question", "all_sticking"}, {"models.r.rates", "{y: 0.5, theta: 0.5}"}, {"contacts.left.mu", "1"}};
  EXPECT_THAT(error_of("rod_dropped", rising), HasSubstr("want bodies at rest"));
  std::vector<ScenarioOverride> left_out = rising;
  left_out.push_back({"options.parting", "left_out"});
  const ScenarioReport report = checked("rod_dropped", left_out);
  ASSERT_EQ(report.contacts.size(), 1u);
  EXPECT_EQ(report.contacts[0].name, "left");
  // m = 1, l = 1: the left end stays, N = m g / 4; friction gives it the drift l w²
  EXPECT_NEAR(report.contacts[0].found.force[0], 9.81 / 4, 1e-9);
  EXPECT_THAT(report.warnings, Contains(HasSubstr("contacts.right: bodies move apart with 1 m/s: left out")));
  EXPECT_TRUE(verify_report(to_json(report), "r").valid);
  left_out[1].value = "{y: -0.5, theta: -0.5}";
  EXPECT_THAT(error_of("rod_dropped", left_out), HasSubstr("question impact")) << "what hits is not left out";
  left_out[0].value = "impact";
  EXPECT_EQ(checked("rod_dropped", left_out).contacts.size(), 2u);
}

/// A box of 0.2 m and 1 kg that turns about its edge x = -0.1 at 0.1 rad/s: that edge rests, the other one parts.
Scenario rocking_box(const std::string& question, const std::string& more = "")
{
  const std::string corners = "points: [[0.1, 0.1, -0.1], [0.1, -0.1, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1]]";
  return read_scenario_text(
      "stiction: 1\nmodels:\n  box: {urdf: ../urdf/box.urdf, pose: {xyz: [0, 0, 0.1]}, twist: "
      "{linear: [-0.01, 0, 0.01], angular: [0, -0.1, 0]}}\ncontacts:\n" +
          more + "  - {name: bottom, link: box/box, " + corners + ", normal: [0, 0, 1], mu: 2}\nquestion: " + question +
          "\noptions: {parting: left_out}\n",
      STICTION_SOURCE_DIR "/scenarios");
}

TEST(Parting, OfPointsOfAPatch)
{
  const ScenarioReport rocks = check(rocking_box("all_sticking"));
  ASSERT_EQ(rocks.contacts.size(), 2u);
  EXPECT_EQ(rocks.contacts[0].name, "bottom/2") << "points keep their names";
  EXPECT_EQ(rocks.contacts[1].name, "bottom/3");
  EXPECT_THAT(rocks.warnings, Contains(HasSubstr("contacts.bottom/0: bodies move apart with 0.02 m/s: left out")));
  EXPECT_THAT(rocks.warnings, Not(Contains(HasSubstr("contacts.bottom/2: "))));
  // about the edge: (1/6 m l² + m l²/2) alpha = m g l/2, both feet carry m (g - alpha l/2 - w² l/2)
  const double l = 0.2, alpha = 9.81 * 0.5 / (l / 6 + l / 2);
  const double each = 0.5 * (9.81 - alpha * l / 2 - 0.01 * l / 2);
  EXPECT_EQ(rocks.verdict, Verdict::kHolds);
  for (const auto& contact : rocks.contacts) EXPECT_NEAR(contact.found.force[0], each, 1e-6) << contact.name;
  EXPECT_TRUE(verify_report(to_json(rocks), "r").valid);
  for (const char* question : {"couplings", "equilibrium", "region"})
    EXPECT_EQ(check(rocking_box(question)).problem.contacts.size(), 2u) << question;
}

TEST(Parting, LeavesEntriesWhereTheyAre)
{
  // the first entry parts: what is wrong with the second is still about contacts[1]
  const std::string parts = "  - {name: front, link: box/box, at: [0.1, 0, -0.1], normal: [0, 0, 1], mu: 2}\n";
  const std::string slips = "  - {name: side, link: box/box, at: [-0.1, 0, 0.1], normal: [0, 0, 1], mu: 2}\n";
  try {
    check(rocking_box("all_sticking", parts + slips));
    ADD_FAILURE() << "moves";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("contacts[1]: want bodies at rest relative to each other at side"));
  }
}

TEST(RepairPosture, OfTheLadder)
{
  const StepsJson report = StepsJson::parse(to_json(checked("ladder_too_flat")));
  EXPECT_EQ(report["verdict"], "fails");
  const StepsJson& repair = report["repair"].back();
  ASSERT_EQ(repair["change"], "posture");
  const double least = std::atan((1 - 0.4 * 0.15) / 0.8), found = -repair["joints"]["ladder/theta"].get<double>();
  EXPECT_GE(found, least);
  EXPECT_LE(found, least + 1e-3);
  // what it says to write is what holds
  std::vector<ScenarioOverride> mended;
  for (const char* joint : {"x", "y", "theta"})
    mended.push_back(
        {std::string("models.ladder.joints.") + joint, repair["joints"][std::string("ladder/") + joint].dump()});
  EXPECT_EQ(checked("ladder_too_flat", mended).verdict, Verdict::kHolds);
  const std::string text = to_text(checked("ladder_too_flat"));
  EXPECT_THAT(text, HasSubstr("posture (m, rad): ladder/x"));
  EXPECT_TRUE(verify_report(report.dump(), "r").valid);
  const StepsJson stays =
      StepsJson::parse(to_json(checked("ladder_too_flat", {{"options.repair_posture.contacts", "stay"}})));
  EXPECT_THAT(stays["repair_notes"][0].get<std::string>(), HasSubstr("posture: no move that keeps contacts in place"));
  EXPECT_THAT(
      error_of("ladder_too_flat", {{"options.repair_posture.move", "[ladder/z]"}}),
      HasSubstr("options.repair_posture.move[0]: want one of ladder/x, ladder/y, ladder/theta, got 'ladder/z'"));
}

TEST(RepairForces, OfMotorsWithinTheirLimits)
{
  // -mu1 F1 + mu2 F2 >= g with the fingers' motors alone: equal friction, so both press alike
  const StepsJson report =
      StepsJson::parse(to_json(checked("pinch_too_weak", {{"options.repair_forces", "actuated"}})));
  const StepsJson& force = report["repair"].back();
  ASSERT_EQ(force["change"], "force") << report["repair"].dump() << report.value("repair_notes", StepsJson()).dump();
  EXPECT_EQ(force["add"]["p/y"], 0.0);
  EXPECT_EQ(force["add"]["p/x"], 0.0);
  EXPECT_NEAR(force["add"]["p/x1"].get<double>(), -force["add"]["p/x2"].get<double>(), 1e-3);
  EXPECT_GT(force["add"]["p/x1"].get<double>(), 0.0);
  EXPECT_THAT(error_of("pinch_too_weak", {{"options.repair_forces", "[p/nobody]"}}),
              HasSubstr("options.repair_forces[0]"));
  EXPECT_THAT(error_of("ladder_too_flat", {{"options.repair_forces", "actuated"}}),
              HasSubstr("want joints with motors for actuated, got none"));
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
  const auto refusal = [](const char* detachment) {
    try {
      mlcp_text(scenario_of("block_at_rest", {{"options.detachment", detachment}}));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(refusal("forbidden"),
              HasSubstr("want allowed: contacts that may not open have no complementarity, got forbidden"));
  EXPECT_THAT(refusal("free"), HasSubstr("want allowed: which contacts leave is searched"));
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
