// Proofs judged again in rational arithmetic: every proof of the gallery, and forgeries that the truth refutes.
#include "stiction/exact.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "io/checked.hpp"
#include "support/trials.hpp"

namespace stiction::internal {
namespace {

using Json = nlohmann::ordered_json;
using Rng = std::mt19937;

bool proved(const Json& report) { return judge_exactly(report.dump()).valid; }
std::string text_of(const Json& value) { return value.get<std::string>(); }

/// Scenarios whose robots are shipped, and variants with proofs of other kinds.
const std::vector<Json>& gallery()
{
  static const std::vector<Json> reports = [] {
    std::vector<Json> found;
    for (const char* name : {"biped_standing",       "block_on_corner",
                             "block_on_ground",      "block_slides",
                             "block_tips",           "block_with_pendulum",
                             "box_on_slope",         "box_on_steep_slope",
                             "box_pushed",           "jammed_part",
                             "mug_in_hand",          "mug_on_two_fingers",
                             "pinch_free_fingers",   "pinch_on_guide",
                             "pinch_too_weak",       "quadruped_standing",
                             "rail_grasp",           "soft_finger",
                             "stack_of_boxes",       "three_finger_hand",
                             "biped_region",         "mug_closure",
                             "box_slides_on_box",    "ball_between_hard_fingers",
                             "ladder_slips",         "painleve_jammed",
                             "painleve_klein",       "painleve_two_futures",
                             "quadruped_foot_slips", "biped_touchdown",
                             "finger_regrasp",       "pendulum_gains_energy",
                             "quadruped_touchdown",  "ratchet_against_buffer",
                             "ratchet_carts",        "ratchet_carts_gain",
                             "rod_dropped",          "rod_three_ways",
                             "sphere_bounces",       "block_on_three_points",
                             "crank_against_stop",   "rod_wall_and_rail"})
      found.push_back(checked_json(name));
    const char* bilateral =
        "[{name: a, link: box/box, points: [[0.1, 0.1, -0.1], [-0.1, 0.1, -0.1]], normal: [0, 0, 1], mu: 0.3, side: "
        "bilateral}]";
    for (const std::vector<ScenarioOverride>& overrides :
         std::vector<std::vector<ScenarioOverride>>{{{"question", "region"}},
                                                    {{"question", "region"}, {"contacts", bilateral}},
                                                    {{"question", "equilibrium"}, {"contacts", bilateral}},
                                                    {{"question", "sliding"}, {"contacts", bilateral}},
                                                    {{"question", "closure"}}})
      found.push_back(checked_json("box_pushed", overrides));
    found.push_back(checked_json("pinch_free_fingers", {{"contacts.left.mu", "0.4"}}));
    found.push_back(checked_json("biped_standing", {{"loads", "[{link: robot/torso, force: [400, 0, 0]}]"}}));
    found.push_back(checked_json("box_on_slope", {{"options.cone", "{inner: 8}"}}));
    found.push_back(checked_json("box_on_steep_slope", {{"options.cone", "{outer: 6}"}}));
    found.push_back(checked_json("biped_region", {{"options.cone", "{inner: 8}"}}));
    found.push_back(checked_json("biped_region", {{"options.box", "0.05"}}));
    found.push_back(checked_json("box_on_steep_slope", {{"question", "region"}, {"contacts.0.mu", "0.1"}}));
    found.push_back(checked_json("three_finger_hand", {{"question", "closure"}, {"options.object", "object"}}));
    return found;
  }();
  return reports;
}

TEST(Exact, AgreesWithEveryProofOfTheGallery)
{
  std::map<std::string, int> holds, fails;
  std::vector<Json> reports = gallery();
  for (const std::string& file : gallery_files(testing::trials(2) > 2 ? 1 : 4)) {
    if (read_text_file(file, "scenario").find("package://") == std::string::npos) continue;
    const ScenarioReport report = check_file(file, {}, {robot_packages()});
    if (report.verdict != Verdict::kUndecided) reports.push_back(Json::parse(to_json(report)));
  }
  for (const Json& report : reports) {
    const ExactJudgement judged = judge_exactly(report.dump());
    EXPECT_TRUE(judged.valid) << report["name"] << ": " << judged.message;
    ++(text_of(report["verdict"]) == "holds" ? holds : fails)[text_of(report["question"])];
  }
  for (const char* question : {"all_sticking", "equilibrium", "region", "closure", "sliding", "impact", "couplings"}) {
    EXPECT_GE(holds[question], 1) << question;
    EXPECT_GE(fails[question], 1) << question;
  }
}

// ---- Forgeries: each returns false where it would change nothing that is claimed. ----

struct NumberForger {
  Rng rng{11};

  std::size_t pick(std::size_t size) { return std::uniform_int_distribution<std::size_t>(0, size - 1)(rng); }
  Json& any(Json& list) { return list[pick(list.size())]; }
};
using Forgery = std::function<bool(Json& report, NumberForger& forger)>;

bool holds(const Json& report) { return text_of(report["verdict"]) == "holds"; }
const char* other(const Json& verdict) { return text_of(verdict) == "holds" ? "fails" : "holds"; }

/// The numbers of a list times `by`; false when all are zero.
bool scale(Json& list, double by)
{
  bool any = false;
  for (Json& entry : list) {
    any = any || entry.get<double>() != 0.0;
    entry = entry.get<double>() * by;
  }
  return any;
}

bool claim_the_other_verdict(Json& report, NumberForger&)
{
  report["verdict"] = other(report["verdict"]);
  return true;
}

/// A load that nobody balances, or that drives nothing.
bool change_loads(Json& report, NumberForger&)
{
  Json& problem = report["certificate"]["problem"];
  if (!holds(report)) {
    const bool drift = scale(problem["gamma"], -1.0);
    return scale(problem["F"], -1.0) || drift;
  }
  return scale(problem["F"], 1.0 + 1e-6);
}

bool change_forces(Json& report, NumberForger&)
{
  Json& certificate = report["certificate"];
  if (holds(report)) return scale(certificate["lambda"], 1.0 + 1e-9);
  if (text_of(certificate["kind"]) != "motion") return false;
  for (Json& leaf : certificate["leaves"]) scale(leaf["motion"], -1.0);
  return true;
}

bool take_friction_or_leaves_away(Json& report, NumberForger&)
{
  Json& certificate = report["certificate"];
  if (!holds(report)) {
    certificate["leaves"] = Json::array();
    return text_of(certificate["kind"]) == "motion";
  }
  const Json& found = report["margins"]["friction_scale"];
  const double needed = found.is_number() ? found.get<double>() : 0.0;
  if (!(needed > 0.0 && needed < 1.0)) return false;
  for (Json& contact : certificate["problem"]["contacts"])
    for (const char* coefficient : {"mu", "torsion"})
      contact[coefficient] = contact[coefficient].get<double>() * 0.999 * needed;
  return true;
}

bool turn_facets_round(Json& report, NumberForger&)
{
  Json& cone = report["certificate"]["rules"]["cone"];
  if (!cone.is_object()) return false;
  cone = cone.contains("inner") ? Json{{"outer", 8}} : Json{{"inner", 8}};
  return true;
}

const std::vector<Forgery> kForcesForgeries = {claim_the_other_verdict, change_loads, change_forces,
                                               take_friction_or_leaves_away, turn_facets_round};

const std::vector<Forgery> kCouplingsForgeries = {
    claim_the_other_verdict, change_loads,
    [](Json& report, NumberForger&) {
      return scale(report["certificate"]["lambda"], holds(report) ? 1.0 + 1e-6 : -1.0);
    },
    [](Json& report, NumberForger&) { return holds(report) && scale(report["certificate"]["a"], 1.0 + 1e-6); },
    [](Json& report, NumberForger& forger) {  // a row that pulls is one that may
      Json& certificate = report["certificate"];
      if (certificate["unilateral"].empty()) return false;
      Json& force = certificate["lambda"][forger.any(certificate["unilateral"]).get<std::size_t>()];
      force = -1.0 - std::abs(force.get<double>());
      return true;
    }};

const std::vector<Forgery> kSlidingForgeries = {
    claim_the_other_verdict,
    [](Json& report, NumberForger&) {
      return holds(report) && scale(report["certificate"]["problem"]["F"], 1.0 + 1e-9);
    },
    [](Json& report, NumberForger& forger) {
      return holds(report) && scale(forger.any(report["certificate"]["witnesses"])["a"], 1.0 + 1e-9);
    },
    [](Json& report, NumberForger& forger) {
      return holds(report) && scale(forger.any(report["certificate"]["witnesses"])["lambda"], 1.0 + 1e-9);
    },
    [](Json& report, NumberForger& forger) {
      Json& leaves = report["certificate"]["leaves"];
      if (leaves.empty()) return false;
      scale(forger.any(leaves)["motion"], -1.0);
      return true;
    },
    [](Json& report, NumberForger& forger) {
      Json& list = report["certificate"][forger.pick(2) ? "leaves" : "witnesses"];
      if (list.empty() || !report["complete"].get<bool>()) return false;
      list.erase(forger.pick(list.size()));
      return true;
    },
    [](Json& report, NumberForger&) {
      report["count"] = text_of(report["count"]) == "one" ? "several" : "one";
      return true;
    }};

/// Of `impact`, claims that need all leaves.
bool is_complete(const Json& report) { return report["impact"]["complete"].get<bool>(); }

const std::vector<Forgery> kImpactForgeries = {
    claim_the_other_verdict,
    [](Json& report, NumberForger& forger) {
      Json& solutions = report["certificate"]["solutions"];
      if (solutions.empty()) return false;
      Json& speed = forger.any(forger.any(solutions)["velocity"]);
      speed = speed.get<double>() + 1e-6;
      return true;
    },
    [](Json& report, NumberForger& forger) {
      Json& solutions = report["certificate"]["solutions"];
      return !solutions.empty() && scale(forger.any(solutions)["impulse"], -1.0);
    },
    [](Json& report, NumberForger& forger) {
      const char* claims[] = {"exists", "unique", "dissipates"};
      Json& claim = report["impact"][claims[forger.pick(3)]];
      if (text_of(claim) == "undecided") return false;
      claim = other(claim);
      return true;
    },
    [](Json& report, NumberForger& forger) {
      Json& leaves = report["certificate"]["leaves"];
      if (leaves.empty() || !is_complete(report)) return false;
      leaves.erase(forger.pick(leaves.size()));
      return true;
    },
    [](Json& report, NumberForger& forger) {
      Json& leaves = report["certificate"]["leaves"];
      if (leaves.empty() || !is_complete(report)) return false;
      Json& leaf = forger.any(leaves);
      return leaf.contains("witness") ? scale(leaf["witness"], -1.0) : scale(leaf["left_inverse"][0], 1.0 + 1e-3);
    },
    [](Json& report, NumberForger&) {
      return !report["certificate"]["solutions"].empty() && scale(report["certificate"]["velocity"], 1.0 + 1e-6);
    }};

/// The corners of a polygon moved away from the position, or towards it.
bool blow_up(Json& corners, double by)
{
  bool any = false;
  for (Json& corner : corners) any = scale(corner, by) || any;
  return any;
}

const std::vector<Forgery> kRegionForgeries = {
    claim_the_other_verdict,
    change_loads,
    [](Json& report, NumberForger& forger) {
      Json& pieces = report["certificate"]["pieces"];
      return !pieces.empty() && blow_up(forger.any(pieces)["inner"], 1.0 + 1e-6);
    },
    [](Json& report, NumberForger& forger) {
      Json& pieces = report["certificate"]["pieces"];
      return !pieces.empty() && blow_up(forger.any(pieces)["outer"], 0.9);
    },
    [](Json& report, NumberForger& forger) {
      Json& area = report["region"]["area"][forger.pick(2)];
      if (!area.is_number() || text_of(report["region"]["kind"]) != "bounded") return false;
      const double before = area.get<double>();
      area = (&area == &report["region"]["area"][0] ? 1.01 : 0.99) * before;
      return before > 0.0;
    },
    [](Json& report, NumberForger& forger) {
      if (text_of(report["region"]["kind"]) != "bounded" || !report["margins"].contains("intervals")) return false;
      Json& ends = report["margins"]["intervals"]["com"];
      const std::size_t end = forger.pick(2);  // one end beyond the other: no number is between them
      if (!ends[0].is_number() || !ends[1].is_number()) return false;
      ends[end] = ends[1 - end].get<double>() + (end == 0 ? 1e-6 : -1e-6);
      return true;
    },
    [](Json& report, NumberForger&) {
      Json& certificate = report["certificate"];
      certificate["pieces"] = certificate["empty"] = Json::array();
      certificate["ray"] = nullptr;
      return text_of(report["region"]["kind"]) != "undecided";
    },
    [](Json& report, NumberForger&) {
      const bool bounded = text_of(report["region"]["kind"]) == "bounded";
      report["region"]["kind"] = bounded ? "unbounded" : "bounded";
      report["region"]["direction"] = Json::array({1.0, 0.0});
      return true;
    }};

const std::vector<Forgery> kClosureForgeries = {
    claim_the_other_verdict,
    [](Json& report, NumberForger& forger) {
      const char* kinds[] = {"form_closure", "frictional_form_closure", "force_closure", "resists"};
      const char* kind = kinds[forger.pick(4)];
      if (!report["closure"].contains(kind)) return false;
      Json& claim = report["closure"][kind]["verdict"];
      if (text_of(claim) == "undecided") return false;
      claim = other(claim);
      return true;
    },
    [](Json& report, NumberForger&) {
      const bool held = text_of(report["closure"]["frictional_form_closure"]["verdict"]) == "holds";
      Json& proof = report["certificate"]["frictional_form_closure"];
      return scale(proof[held ? "forces" : "twist"], held ? -1.0 : 0.0);
    },
    [](Json& report, NumberForger&) {  // a wrench that these forces do not resist
      return text_of(report["closure"]["resists"]["verdict"]) == "holds" &&
             scale(report["certificate"]["wrench"], 1.0 + 1e-6);
    },
    [](Json& report, NumberForger& forger) {  // contacts that hold nothing
      if (text_of(report["closure"]["frictional_form_closure"]["verdict"]) != "holds") return false;
      for (Json& row : report["certificate"]["problem"]["J"])
        for (const Json& dof : report["certificate"]["object_dofs"])
          if (dof == report["certificate"]["object_dofs"][forger.pick(1)]) row[dof.get<std::size_t>()] = 0.0;
      return true;
    }};

TEST(Exact, RefusesForgeries)
{
  const std::map<std::string, std::vector<Forgery>> forgeries = {
      {"all_sticking", kForcesForgeries}, {"equilibrium", kForcesForgeries}, {"region", kRegionForgeries},
      {"closure", kClosureForgeries},     {"sliding", kSlidingForgeries},    {"impact", kImpactForgeries},
      {"couplings", kCouplingsForgeries}};
  std::map<std::string, std::vector<const Json*>> reports;
  for (const Json& report : gallery()) reports[text_of(report["question"])].push_back(&report);
  const int wanted = testing::trials(1000);
  NumberForger forger;
  int forged = 0;
  for (int i = 0; forged < wanted && i < 10 * wanted; ++i)
    for (const auto& [question, kinds] : forgeries) {
      Json report = *reports[question][forger.pick(reports[question].size())];
      const std::size_t kind = forger.pick(kinds.size());
      if (!kinds[kind](report, forger)) continue;
      ++forged;
      EXPECT_FALSE(proved(report)) << report["name"] << ", " << question << ", kind of forgery " << kind;
    }
  EXPECT_GE(forged, wanted);
}

/// A body on one planar contact with the load (3, 4): M a + F = J'lambda needs lambda = (4, 3), friction 3/4 exactly.
bool holds_with(double mu)
{
  Json report = Json::parse(R"({"question": "equilibrium", "verdict": "holds", "certificate": {"kind": "forces",
    "a": [0, 0], "lambda": [4, 3], "efforts": [], "rules": {"cone": "exact"}, "problem": {"M": [[1, 0], [0, 1]],
    "F": [3, 4], "J": [[0, 1], [1, 0]], "gamma": [0, 0], "closures": [], "contacts": [{"name": "c", "row": 0,
    "tangents": 1, "torsional": false, "side": "unilateral", "torsion": 0, "max_normal": "inf"}]}}})");
  report["certificate"]["problem"]["contacts"][0]["mu"] = mu;
  return proved(report);
}

TEST(Exact, KnowsWhereTheConeEnds)
{
  EXPECT_TRUE(holds_with(0.75));
  EXPECT_TRUE(holds_with(0.75 * (1 - 0x1p-45)));   // within what the verdict is about
  EXPECT_FALSE(holds_with(0.75 * (1 - 0x1p-41)));  // 3 * 2^-41 > 2^-44 (3 + 4 + 3)
}

/// A body in space on one contact with the load (1 along `angle`, 2): friction 1/2 in that direction.
bool holds_in_facets(const char* side, double angle, double mu)
{
  Json report = Json::parse(R"({"question": "equilibrium", "verdict": "holds", "certificate": {"kind": "forces",
    "a": [0, 0, 0], "efforts": [], "problem": {"M": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "J": [[0, 0, 1], [1, 0, 0], [0, 1, 0]], "gamma": [0, 0, 0], "closures": [], "contacts": [{"name": "c", "row": 0,
    "tangents": 2, "torsional": false, "side": "unilateral", "torsion": 0, "max_normal": "inf"}]}}})");
  Json& certificate = report["certificate"];
  certificate["rules"]["cone"] = Json{{side, 4}};
  certificate["problem"]["F"] = {std::cos(angle), std::sin(angle), 2.0};
  certificate["lambda"] = {2.0, std::cos(angle), std::sin(angle)};
  certificate["problem"]["contacts"][0]["mu"] = mu;
  return proved(report);
}

TEST(Exact, KnowsWhereFacetsAre)
{
  const double corner = std::atan(1.0), flat = 0.0;  // of the square with its corners at 45 degrees
  EXPECT_TRUE(holds_in_facets("inner", corner, 0.5 + 1e-9));
  EXPECT_FALSE(holds_in_facets("inner", corner, 0.5 - 1e-9));
  EXPECT_TRUE(holds_in_facets("inner", flat, 0.5 * std::sqrt(2.0) + 1e-9));
  EXPECT_FALSE(holds_in_facets("inner", flat, 0.5 * std::sqrt(2.0) - 1e-9));
  EXPECT_FALSE(holds_in_facets("outer", flat, 2.0));  // a cone around the true one proves nothing of the kind
}

/// One mass of 1 kg, two rows that measure its velocity, as closures: accelerations are -gamma.
Json two_rows(const char* question, const char* kind, double gamma1, double gamma2)
{
  Json report = Json::parse(R"({"verdict": "fails", "certificate": {"a": [0], "efforts": [], "leaves": [],
    "rules": {"cone": "exact", "detachment": "allowed"}, "problem": {"M": [[1]], "F": [0], "J": [[1], [1]], "contacts": [],
    "closures": [{"name": "k", "row": 0, "rows": 2}]}}})");
  report["question"] = question;
  report["certificate"]["kind"] = kind;
  report["certificate"]["problem"]["gamma"] = {gamma1, gamma2};
  return report;
}

TEST(Exact, AContradictionIsChargedWithWhatRoundingLeavesOfRowsAndAccelerations)
{
  const auto contradicts = [](double gamma1, double gamma2, double first, double second) {
    Json report = two_rows("all_sticking", "contradiction", gamma1, gamma2);
    report["certificate"]["lambda"] = {first, second};
    return proved(report);
  };
  EXPECT_TRUE(contradicts(-1.0, 1.0, 1.0, -1.0));
  EXPECT_FALSE(contradicts(-1.0, 1.0, -1.0, 1.0));             // the other way round
  EXPECT_TRUE(contradicts(-1.0 - 0x1p-20, -1.0, 1.0, -1.0));   // clearly more than rounding
  EXPECT_FALSE(contradicts(-1.0 - 0x1p-40, -1.0, 1.0, -1.0));  // 2^-46 of what loads could accelerate
  EXPECT_FALSE(contradicts(-1.0, -1.0, 1.0 + 0x1p-10, -1.0));  // rows that agree, with forces left over
}

TEST(Exact, ACouplingThatPullsIsNone)
{
  const auto holds = [](double load) {
    Json report = Json::parse(R"({"question": "couplings", "verdict": "holds", "certificate": {"kind": "forces",
      "a": [0], "unilateral": [0], "bilateral": [], "problem": {"M": [[1]], "J": [[1]], "gamma": [0], "closures": [],
      "contacts": [{"name": "c", "row": 0, "tangents": 0, "torsional": false, "side": "unilateral", "torsion": 0,
      "mu": 0, "max_normal": "inf"}]}}})");
    report["certificate"]["problem"]["F"] = {load};
    report["certificate"]["lambda"] = {load};  // M a + F = J'lambda
    return proved(report);
  };
  EXPECT_TRUE(holds(1.0));
  EXPECT_FALSE(holds(-1.0));
}

TEST(Exact, AModeWithManyAccelerationsIsNotSettled)
{
  const auto only_one = [](double mass) {  // of the second and third body; a row keeps the sum of all velocities
    Json report = Json::parse(R"({"question": "sliding", "verdict": "holds", "count": "one", "complete": true,
      "certificate": {"kind": "modes", "slips": [], "leaves": [], "witnesses": [{"signs": []}],
      "problem": {"F": [1, 0, 0], "J": [[1, 1, 1]], "gamma": [0], "contacts": [],
      "closures": [{"name": "k", "row": 0, "rows": 1}]}}})");
    report["certificate"]["problem"]["M"] = {{1, 0, 0}, {0, mass, 0}, {0, 0, mass}};
    const double force = mass / (mass + 2.0);  // a = (f - 1, f / m, f / m), sum 0
    Json& witness = report["certificate"]["witnesses"][0];
    witness["lambda"] = {force};
    witness["a"] = mass > 0.0 ? Json{force - 1.0, force / mass, force / mass} : Json{-1.0, 0.5, 0.5};
    return proved(report);
  };
  EXPECT_TRUE(only_one(1.0));
  EXPECT_FALSE(only_one(0.0));  // (-1, 1, 0) would do as well
}

TEST(Exact, ForcesBesideAMotionBalanceTheLoad)
{
  const Json report = checked_json("box_on_steep_slope", {{"question", "equilibrium"}});
  ASSERT_FALSE(report["contacts"].empty());
  EXPECT_TRUE(proved(report));
  for (const std::size_t row : {0u, 1u, 2u}) {
    Json forged = report;
    Json& force = forged["certificate"]["lambda"][row];
    force = force.get<double>() + 1e-6;
    EXPECT_FALSE(proved(forged)) << row;
  }
  Json lifted = report;  // friction without a normal force: no coefficient is enough
  lifted["certificate"]["lambda"][0] = 0.0;
  EXPECT_FALSE(proved(lifted));
}

TEST(Exact, ForcesOfStrongerMotorsBalanceTheLoad)
{
  const Json report = checked_json("biped_standing", {{"question", "equilibrium"},
                                                      {"models.robot.effort", "limits"},
                                                      {"loads", "[{link: robot/torso, force: [0, 0, -2000]}]"}});
  ASSERT_EQ(report["verdict"], "fails");
  ASSERT_FALSE(report["contacts"].empty());
  EXPECT_TRUE(proved(report));
  for (const char* key : {"lambda", "efforts"}) {
    Json forged = report;
    Json& force = forged["certificate"][key][0];
    force = force.get<double>() + 1e-3;
    EXPECT_FALSE(proved(forged)) << key;
  }
}

TEST(Exact, SaysWhyItProvesNothing)
{
  EXPECT_NE(judge_exactly(checked_json("box_at_the_limit").dump()).message.find("undecided"), std::string::npos);
  Json report = checked_json("box_on_slope");
  report["certificate"].erase("lambda");
  EXPECT_NE(judge_exactly(report.dump()).message.find("lambda"), std::string::npos);
}

}  // namespace
}  // namespace stiction::internal
