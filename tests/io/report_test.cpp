#include "io/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/checked.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

TEST(ReportText, GoldenOfAHoldingBlock)
{
  EXPECT_EQ(to_text(checked("block_on_ground")),
            R"(STICKS (holds): block on flat ground, pushed below the friction limit
every contact sticks; nearest to slipping: right (82 % of its friction)

contact  state      normal [N]  friction in use
right    sticking       6.2383  [################----]  82 %
left     sticking       3.5717  [################----]  82 %

 - forces are not unique (1 internal); shown are those that need the least
   friction
 - friction to spare: mu 0.5 could fall to 0.4078
)");
}

TEST(ReportText, GoldenOfAFailingPinch)
{
  // Forces are unique here: 8 N and 9 N, and (g - F1y) / 3 = 3.77 N along both.
  EXPECT_EQ(to_text(checked("pinch_free_fingers", {{"contacts.left.mu", "0.4"}})),
            R"(DOES NOT STICK (fails): two fingers let a mass down
slides along (0, 0, -1): left slips

contact  state      normal [N]  friction in use
left     sliding             8  [####################> 118 %
right    sticking            9  [#################---]  84 %

 - these forces would keep every contact stuck, were friction and pulling
   unlimited

what would make it hold, each by itself:
 - every friction coefficient times 1.179 (mu 0.4 to 0.4713 and mu 0.5 to
   0.5891)
 - friction of left alone raised from 0.4 to 0.4713
 - generalised force added (N, N m): p/y +0.229839, p/x1 +0.275807, p/y1
   -0.459678, p/y2 +0.229839
)");
}

TEST(ReportText, TellsTheMotionThatIsLeft)
{
  // Any separating motion proves failure; the whole box sliding down is the one to tell.
  EXPECT_NE(to_text(checked("box_on_steep_slope"))
                .find("slides along (+0.91, 0, -0.42): bottom/0, bottom/1, bottom/2 and bottom/3 slip"),
            std::string::npos);
}

TEST(ReportText, ColoursOnlyWhenAsked)
{
  const ScenarioReport report = checked("block_on_ground");
  EXPECT_THAT(to_text(report, Colours::kTerminal), HasSubstr("\033[1;32mSTICKS (holds)\033[0m: block"));
  EXPECT_EQ(to_text(report).find('\033'), std::string::npos);
}

TEST(ReportText, FitsEightyColumns)
{
  for (const char* name :
       {"block_on_ground", "box_on_steep_slope", "box_at_the_limit", "mug_in_hand", "biped_standing"})
    EXPECT_LE(widest_line(to_text(checked(name))), 80u) << name;
}

TEST(ReportText, SaysThatAHoldingCaseMoves)
{
  EXPECT_THAT(to_text(checked("block_on_corner")),
              HasSubstr("it moves: b/theta accelerates by 9.474 (m/s² or rad/s²); no contact slips"));
}

TEST(ReportJson, KeysInTheOrderOfTheContract)
{
  const Json json = Json::parse(to_json(checked("pinch_too_weak")));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"stiction", "name", "question", "verdict", "summary", "acceleration",
                                            "contacts", "efforts", "indeterminacy", "margins", "repair", "failure",
                                            "certificate", "solver", "warnings", "inputs", "checksum"}));
  keys.clear();
  for (const auto& [key, value] : json["contacts"][0].items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"name", "state", "normal_force", "tangential_force", "force_world",
                                            "utilisation", "unique", "normal_interval"}));
}

/// The same keys in the same order, the same words, the same numbers up to what another compiler's rounding does to a
/// search.
void expect_like(const Json& got, const Json& golden, const std::string& path)
{
  if (golden.is_number()) {
    ASSERT_TRUE(got.is_number()) << path;
    EXPECT_NEAR(got.get<double>(), golden.get<double>(), 1e-6 * std::max(1.0, std::abs(golden.get<double>()))) << path;
  } else if (golden.is_structured()) {
    ASSERT_EQ(got.type(), golden.type()) << path;
    ASSERT_EQ(got.size(), golden.size()) << path;
    for (auto a = got.items().begin(), b = golden.items().begin(); b != golden.items().end(); ++a, ++b) {
      ASSERT_EQ(a.key(), b.key()) << path;
      if (b.key() != "checksum" && b.key() != "iterations" && b.key() != "inputs")
        expect_like(a.value(), b.value(), path + "/" + b.key());
    }
  } else {
    EXPECT_EQ(got, golden) << path;
  }
}

/// Whole reports, one per question and kind of certificate. Written by `stiction check NAME --json`.
TEST(ReportJson, Golden)
{
  for (const std::string name : {"pinch_on_guide", "pinch_too_weak", "box_pushed", "ball_between_hard_fingers"}) {
    const std::string golden =
        read_text_file(std::string(STICTION_SOURCE_DIR) + "/tests/io/golden/" + name + ".json", "golden");
    expect_like(Json::parse(to_json(checked(name))), Json::parse(golden), name);
  }
}

TEST(ReportJson, NumbersOfTheSpecification)
{
  // Example 6: lambda_n1 = 12, lambda_n2 = 10, normal forces unique, friction_scale = g / (mu (12 + 10)).
  const Json json = Json::parse(to_json(checked("pinch_on_guide")));
  EXPECT_NEAR(json["contacts"][0]["normal_force"].get<double>(), 12.0, 1e-9);
  EXPECT_NEAR(json["contacts"][1]["normal_force"].get<double>(), 10.0, 1e-9);
  EXPECT_NEAR(json["margins"]["friction_scale"].get<double>(), 9.81 / 11.0, 1e-6);
  EXPECT_NEAR(json["contacts"][0]["normal_interval"][1].get<double>(), 12.0, 1e-6);
  // The world force of the left finger on the mass pushes along +x and carries a part of the weight.
  EXPECT_NEAR(json["contacts"][0]["force_world"][0].get<double>(), 12.0, 1e-9);
  EXPECT_NEAR(json["contacts"][0]["force_world"][2].get<double>() + json["contacts"][1]["force_world"][2].get<double>(),
              9.81, 1e-9);
}

TEST(ReportJson, TheRepairingForceRepairs)
{
  const ScenarioReport report = checked("block_slides");
  const Json json = Json::parse(to_json(report));
  double x = 0.0, z = 0.0;
  for (const Json& repair : json["repair"])
    if (repair["change"] == "force") {
      x = repair["add"]["b/x"].get<double>();
      z = repair["add"]["b/y"].get<double>();
    }
  EXPECT_LT(x, -0.1);
  const auto with = [&](double share) {
    return checked("block_slides", {{"loads.0.force", "[" + std::to_string(6.0 + share * x) + ", 0, " +
                                                          std::to_string(share * z) + "]"}})
        .verdict;
  };
  EXPECT_EQ(with(1.1), Verdict::kHolds);
  EXPECT_EQ(with(0.9), Verdict::kFails);
}

TEST(ReportJson, UndecidedClaimsNothing)
{
  const Json json = Json::parse(to_json(checked("box_at_the_limit")));
  EXPECT_EQ(json["verdict"], "undecided");
  EXPECT_EQ(json["certificate"]["kind"], "none");
  EXPECT_THAT(verify_report(json.dump(), "r").message, HasSubstr("claims nothing"));
}

TEST(Verify, AcceptsWhatCheckWrites)
{
  for (const char* name : {"block_on_ground", "block_slides", "block_tips", "pinch_on_guide", "pinch_too_weak",
                           "rail_grasp", "mug_in_hand", "soft_finger", "block_with_pendulum"}) {
    const Verification result = verify_report(to_json(checked(name)), "r");
    EXPECT_TRUE(result.valid) << name << ": " << result.message;
  }
}

TEST(Verify, RoundingOfRowsTimesForcesIsNoMotion)
{
  // A standing quadruped was once "proved" to slip: y'(M a + F) = 1e-15, rows J y of 1e-16 forgiven, forces of 40 N.
  const std::string file = std::string(STICTION_SOURCE_DIR) + "/tests/regressions/quadruped_false_motion.json";
  const Verification result = verify_report(read_text_file(file, "report"), file);
  EXPECT_FALSE(result.valid);
  EXPECT_THAT(result.message, HasSubstr("nothing drives the motion"));
}

TEST(Verify, SaysWhatDisagrees)
{
  const std::string json = to_json(checked("pinch_on_guide"));
  const auto message = [&](auto edit) { return message_about_forged(json, edit); };
  EXPECT_THAT(message([](Json& r) { r["verdict"] = "fails"; }),
              HasSubstr("says 'fails', but its certificate proves 'holds'"));
  EXPECT_THAT(message([](Json& r) { r["contacts"][0]["normal_force"] = 12.5; }),
              HasSubstr("contacts[0].normal_force: the report says 12.5, but its certificate proves 12"));
  EXPECT_THAT(message([](Json& r) { r["contacts"][1]["tangential_force"][0] = 0.0; }),
              HasSubstr("contacts[1].tangential_force[0]: the report says 0"));
  EXPECT_THAT(message([](Json& r) { r["contacts"][1]["force_world"][2] = 4.0; }),
              HasSubstr("contacts[1].force_world[2]"));
  EXPECT_THAT(message([](Json& r) { r["contacts"][1]["utilisation"] = 0.5; }), HasSubstr("contacts[1].utilisation"));
  EXPECT_THAT(message([](Json& r) { r["acceleration"]["values"]["p/y"] = 1.0; }),
              HasSubstr("acceleration.values.p/y: the report says 1"));
  EXPECT_THAT(message([](Json& r) { r["contacts"].erase(1); }),
              HasSubstr("contacts: the report says a list of 1, but its certificate proves a list of 2"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["lambda"][0] = 11.0; }), HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["problem"]["F"][1] = 9.0; }), HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["problem"]["contacts"][0]["mu"] = 0.01; }),
              HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["problem"]["M"][0][1] = 1.0; }), HasSubstr("problem is not one"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["kind"] = "motion"; }), HasSubstr("proves nothing"));
}

TEST(Verify, OneDigitAnywhereFails)
{
  for (const char* name : {"pinch_on_guide", "pinch_too_weak"}) expect_no_digit_may_change(to_json(checked(name)));
}

TEST(Verify, WhatIsNoReportIsBadInput)
{
  const std::string json = to_json(checked("block_on_ground"));
  EXPECT_THROW(verify_report("", "r"), InputError);
  EXPECT_THROW(verify_report("[1, 2]", "r"), InputError);
  EXPECT_THROW(verify_report("{}", "r"), InputError);
  try {
    Json other = Json::parse(json);
    other["question"] = "juggling";
    verify_report(other.dump(), "r");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("report.question: want a question that this version answers (all_sticking | "));
  }
  EXPECT_THROW(verify_report(json.substr(0, json.size() / 2), "r"), InputError);
  for (const char* key : {"verdict", "contacts", "certificate", "question", "stiction", "checksum"}) {
    Json report = Json::parse(json);
    report.erase(key);
    EXPECT_THROW(verify_report(report.dump(), "r"), InputError) << key;
    report[key] = Json::array({1, "x"});
    EXPECT_THROW(verify_report(report.dump(), "r"), InputError) << key;
  }
}

TEST(Check, ErrorsOfTheQuestionNameTheLine)
{
  EXPECT_THAT(error_of("biped_standing", {{"models.robot.effort", "limits"}}),
              HasSubstr("--set models.robot.effort=limits: models.robot.effort: want given efforts for all_sticking: "
                        "`none`, or `{left_hip: 1.5, …}`"));
  EXPECT_THAT(error_of("block_on_ground", {{"contacts.left.slides", "[1, 0, 0]"}}),
              HasSubstr("contacts[1].slides: want no sliding contact in the question all_sticking"));
  EXPECT_THAT(error_of("block_on_ground", {{"models.b.joints.z", "1"}}),
              HasSubstr("models.b.joints.z: want a joint of the URDF"));
  EXPECT_THAT(error_of("block_on_ground", {{"contacts.left.link", "b/blok"}}), HasSubstr("want a link of models.b"));
}

TEST(Check, MovingContactsAreBadInputAndSayHowFast)
{
  EXPECT_THAT(error_of("block_on_ground", {{"models.b.rates", "{x: 0.25}"}}),
              HasSubstr("block_on_ground.yaml:12:5: contacts[0]: want bodies at rest relative to each other at right "
                        "(1e-06 m/s), got velocity "
                        "(0.25, 0, 0) m/s in the world; a contact that already slides has `slides`, one that hits "
                        "belongs to the question impact"));
  EXPECT_EQ(error_of("block_on_ground", {{"models.b.rates", "{x: 1e-7}"}}), "no error");
  EXPECT_THAT(error_of("pinch_on_guide", {{"models.p.rates", "{x: 0.25, x1: 0.25, x2: 0.25}"}}),
              HasSubstr("want rates that keep guide closed"));
}

TEST(Check, OptionsReachTheAnswer)
{
  // 16 facets of an inner pyramid have at least cos(pi/16) of the friction.
  EXPECT_EQ(checked("box_on_slope", {{"options.cone", "{inner: 16}"}}).verdict, Verdict::kHolds);
  EXPECT_EQ(checked("box_on_slope", {{"options.cone", "{outer: 16}"}}).verdict, Verdict::kUndecided);
  EXPECT_EQ(checked("box_on_slope", {{"options.solver", "qpoases"}}).scenario.options.solver, "qpoases");
  const Json bare = Json::parse(to_json(checked("pinch_too_weak", {{"options", "{margins: false, repairs: false}"}})));
  EXPECT_TRUE(bare["margins"].empty());
  EXPECT_TRUE(bare["repair"].empty());
}

}  // namespace
}  // namespace stiction::internal
