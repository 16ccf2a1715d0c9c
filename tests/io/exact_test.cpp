// Proofs judged again in rational arithmetic: every proof of the gallery, and forgeries that the truth refutes.
#include "stiction/exact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "io/checked.hpp"

namespace stiction::internal {
namespace {

using Json = nlohmann::ordered_json;

bool proved(const Json& report) { return judge_exactly(report.dump()).valid; }

/// Scenarios of the two questions whose robots are shipped, and the failing variants of two of them.
const std::vector<Json>& gallery()
{
  static const std::vector<Json> reports = [] {
    std::vector<Json> found;
    for (const char* name :
         {"biped_standing",      "block_on_corner",    "block_on_ground",    "block_slides",   "block_tips",
          "block_with_pendulum", "box_on_slope",       "box_on_steep_slope", "box_pushed",     "jammed_part",
          "mug_in_hand",         "mug_on_two_fingers", "pinch_free_fingers", "pinch_on_guide", "pinch_too_weak",
          "quadruped_standing",  "rail_grasp",         "soft_finger",        "stack_of_boxes", "three_finger_hand"})
      found.push_back(checked_json(name));
    found.push_back(checked_json("pinch_free_fingers", {{"contacts.left.mu", "0.4"}}));
    found.push_back(checked_json("biped_standing", {{"loads", "[{link: robot/torso, force: [400, 0, 0]}]"}}));
    return found;
  }();
  return reports;
}

TEST(Exact, AgreesWithEveryProofOfTheGallery)
{
  int holds = 0, fails = 0;
  for (const Json& report : gallery()) {
    const ExactJudgement judged = judge_exactly(report.dump());
    EXPECT_TRUE(judged.valid) << report["name"] << ": " << judged.message;
    (report["verdict"] == "holds" ? holds : fails) += 1;
  }
  EXPECT_GE(holds, 12);
  EXPECT_GE(fails, 4);
}

/// The double `value` times 1 + share.
void scale(Json& value, double share) { value = value.get<double>() * (1.0 + share); }

TEST(Exact, RefusesForgeries)
{
  std::mt19937 rng{11};
  const auto pick = [&](std::size_t size) { return std::uniform_int_distribution<std::size_t>(0, size - 1)(rng); };
  int forged = 0;
  for (int i = 0; i < 1000; ++i) {
    Json report = gallery()[pick(gallery().size())];
    Json& certificate = report["certificate"];
    Json& problem = certificate["problem"];
    const bool holds = report["verdict"] == "holds";
    switch (i % 4) {
      case 0:  // the other verdict from the same certificate
        report["verdict"] = holds ? "fails" : "holds";
        break;
      case 1:  // a load that nobody balances, or that drives nothing
        if (holds) {
          Json* largest = &problem["F"][0];
          for (Json& force : problem["F"])
            if (std::abs(force.get<double>()) > std::abs(largest->get<double>())) largest = &force;
          if (largest->get<double>() == 0.0) continue;
          scale(*largest, 1e-9);
        } else {
          for (Json& force : problem["F"]) force = -force.get<double>();
          for (Json& drift : problem["gamma"]) drift = -drift.get<double>();
        }
        break;
      case 2:  // forces of another size, or the opposite motion
        if (holds) {
          bool loaded = false;
          for (Json& force : certificate["lambda"]) {
            loaded = loaded || force.get<double>() != 0.0;
            scale(force, 1e-9);
          }
          if (!loaded) continue;
        } else if (certificate["kind"] == "motion") {
          for (Json& leaf : certificate["leaves"])
            for (Json& entry : leaf["motion"]) entry = -entry.get<double>();
        } else {
          continue;
        }
        break;
      default:  // less friction than is needed, or a cover without leaves
        if (holds) {
          const Json& found = report["margins"]["friction_scale"];
          const double needed = found.is_number() ? found.get<double>() : 0.0;
          if (!(needed > 0.0 && needed < 1.0)) continue;
          for (Json& contact : problem["contacts"])
            for (const char* coefficient : {"mu", "torsion"}) scale(contact[coefficient], 0.999 * needed - 1.0);
        } else {
          certificate["leaves"] = Json::array();
          if (certificate["kind"] != "motion") continue;
        }
    }
    ++forged;
    EXPECT_FALSE(proved(report)) << i << ' ' << report["name"] << ", kind of forgery " << i % 4;
  }
  EXPECT_GT(forged, 800);
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

TEST(Exact, SaysWhatItDoesNotJudge)
{
  EXPECT_NE(judge_exactly(checked_json("mug_closure").dump()).message.find("not closure"), std::string::npos);
  EXPECT_NE(judge_exactly(checked_json("box_on_slope", {{"options.cone", "{inner: 8}"}}).dump()).message.find("facets"),
            std::string::npos);
  EXPECT_FALSE(judge_exactly(checked_json("box_at_the_limit").dump()).valid);
}

}  // namespace
}  // namespace stiction::internal
