#include "stiction/closure.hpp"

#include <gmock/gmock.h>

#include "io/checked.hpp"
#include "io/row_answerer.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

const std::vector<ScenarioOverride> kSoft = {{"contacts.left.torsion", "0.005"}, {"contacts.right.torsion", "0.005"}};

TEST(ClosureReport, GoldenOfTwoHardFingers)
{
  EXPECT_EQ(to_text(checked("ball_between_hard_fingers")), R"(NOT CLOSED (fails): ball between two hard fingers
no frictional form closure of ball; free to turn about the line through left and
right

form closure             fails
 - free to slide along (0, +1, 0)
frictional form closure  fails
 - free to turn about the line through left and right
resists gravity, loads   holds

 - epsilon (largest wrench resisted in every direction): 0 N for normal forces
   that sum to 1 N, 0 N for normal forces up to 1 N; torques about (0, 0, 0) m,
   divided by 0.05 m
 - d (largest common slack of internal forces, by 1 N of normal force per
   contact): 1 N
 - no amount of friction gives closure
 - internal forces: 1, motions of the object that no contact sees: 1
)");
}

TEST(ClosureReport, SuctionCupsFailBySeveralMotions)
{
  const Json json = checked_json("cube_on_suction_cups");
  EXPECT_EQ(json["verdict"].get<std::string>(), "fails");
  for (const auto& [name, leaves] : {std::pair{"frictional_form_closure", 8u}, {"resists", 4u}}) {
    EXPECT_EQ(json["closure"][name]["verdict"].get<std::string>(), "fails") << name;
    EXPECT_THAT(json["closure"][name]["explanation"].get<std::string>(),
                HasSubstr("it fails in each of the " + std::to_string(leaves) + " sign cases"));
    EXPECT_EQ(json["certificate"][name]["leaves"].size(), leaves) << name;
  }
  EXPECT_EQ(json["certificate"]["frictional_form_closure"]["wrench"].size(), 6u);
  EXPECT_FALSE(json["certificate"]["form_closure"].contains("leaves"));  // one motion is enough without friction
  const std::string report = json.dump();
  EXPECT_TRUE(verify_report(report, "r").valid);
  const auto message = [&](const char* pointer, const Json& value) {
    return message_about_forged(report, [&](Json& forged) { forged[Json::json_pointer(pointer)] = value; });
  };
  Json fewer = json["certificate"]["frictional_form_closure"]["leaves"], reversed = fewer;
  fewer.erase(fewer.begin());
  for (Json& leaf : reversed)
    for (Json& sign : leaf["signs"]) sign = -sign.get<int>();
  const char* const at = "/certificate/frictional_form_closure/leaves";
  EXPECT_THAT(message(at, fewer), HasSubstr("do not cover every sign"));
  EXPECT_THAT(message(at, reversed), HasSubstr("opposes the motion"));
  EXPECT_THAT(message(at, Json::array()), HasSubstr("proves nothing about frictional_form_closure"));
  EXPECT_THAT(message("/certificate/frictional_form_closure/wrench", Json::array({0, 0, 1, 0, 0, 0})),
              HasSubstr("does not drive the motion"));
  EXPECT_THAT(message("/certificate/resists/leaves", fewer), HasSubstr("proves nothing about resists"));
  // A fourth one presses against them.
  const auto cup = [](const char* name, const char* place) {
    return std::string("{name: ") + name + ", link: cube/box, at: [" + place +
           ", 0.1], normal: [0, 0, -1], mu: 0.6, side: bilateral}, ";
  };
  const Json four = checked_json("cube_on_suction_cups",
                                 {{"contacts", "[" + cup("a", "0.08, 0.07") + cup("b", "-0.08, 0.07") +
                                                   cup("c", "-0.08, -0.07") + cup("d", "0.08, -0.07") + "]"}});
  EXPECT_EQ(four["verdict"].get<std::string>(), "holds");
}

TEST(ClosureReport, SoftFingersCloseAndRanksSaySo)
{
  const Json hard = checked_json("ball_between_hard_fingers"), soft = checked_json("ball_between_hard_fingers", kSoft);
  EXPECT_EQ(hard["verdict"], "fails");
  EXPECT_EQ(soft["verdict"], "holds");
  EXPECT_EQ(hard["quality"]["null_spaces"]["indeterminate"], 1);  // rank 5
  EXPECT_EQ(soft["quality"]["null_spaces"]["indeterminate"], 0);  // rank 6
  EXPECT_TRUE(hard["margins"]["friction_scale"].is_null());
  EXPECT_EQ(soft["closure"]["form_closure"]["verdict"], "fails");  // never for a sphere
}

TEST(ClosureReport, EpsilonOfTwoFingersOnADisk)
{
  // Planar, unit radius: mu / sqrt(mu^2 + 2); the radius divides the torques.
  for (double mu : {0.5, 0.9}) {
    const Json json = checked_json("ball_between_hard_fingers", {{"options", "{plane: xy}"},
                                                                 {"contacts.left.mu", std::to_string(mu)},
                                                                 {"contacts.right.mu", std::to_string(mu)}});
    EXPECT_EQ(json["verdict"], "holds");
    EXPECT_NEAR(json["quality"]["torque_length"].get<double>(), 0.05, 1e-12);
    const double exact = mu / std::sqrt(mu * mu + 2);
    EXPECT_LE(json["quality"]["epsilon_l1"][0].get<double>(), exact * (1 + 1e-9));
    EXPECT_GE(json["quality"]["epsilon_l1"][1].get<double>(), exact * (1 - 1e-9));
    EXPECT_LT(json["quality"]["epsilon_l1"][1].get<double>() - json["quality"]["epsilon_l1"][0].get<double>(),
              0.011 * exact);
  }
}

TEST(ClosureReport, PlanesAreThoseOfTheObjectsAxes)
{
  // The same two fingers along x: in xy and zx they close, in yz there is no finger at all.
  for (const auto& [plane, verdict] : {std::pair("xy", "holds"), {"zx", "holds"}, {"yz", "fails"}}) {
    const Json json = checked_json("ball_between_hard_fingers", {{"options", std::string("{plane: ") + plane + "}"}});
    EXPECT_EQ(json["verdict"], verdict) << plane;
    const Verification proof = verify_report(
        to_json(checked("ball_between_hard_fingers", {{"options", std::string("{plane: ") + plane + "}"}})), "r");
    EXPECT_TRUE(proof.valid) << plane << ": " << proof.message;
  }
}

TEST(ClosureReport, ResistsWhatFrictionCanCarry)
{
  // Normal forces up to N: weight and wrench below 2 mu N.
  const double weight = Scene(read_scenario_file(scenario("ball_between_hard_fingers")).scene).total_mass() * 9.81;
  const auto verdict = [&](double normal, const std::string& wrench) {
    const std::string text = std::to_string(normal);
    const Json json =
        checked_json("ball_between_hard_fingers", {{"contacts.left.max_normal", text},
                                                   {"contacts.right.max_normal", text},
                                                   {"options", "{margins: false, wrench: " + wrench + "}"}});
    return json["closure"]["resists"]["verdict"].get<std::string>();
  };
  EXPECT_EQ(verdict(1.01 * weight / 1.8, "{}"), "holds");
  EXPECT_EQ(verdict(0.99 * weight / 1.8, "{}"), "fails");
  EXPECT_EQ(verdict(1.01 * (weight + 2) / 1.8, "{force: [0, 0, -2]}"), "holds");
  EXPECT_EQ(verdict(0.99 * (weight + 2) / 1.8, "{force: [0, 0, -2]}"), "fails");
  for (const char* torque : {"0.5", "0.01", "0.0001"})  // about the line through the fingers
    EXPECT_EQ(verdict(1000.0, std::string("{torque: [") + torque + ", 0, 0]}"), "fails");
  EXPECT_EQ(verdict(1000.0, "{torque: [0, 0.5, 0]}"), "holds");
}

TEST(ClosureReport, WrenchIsInTheWorldAndAboutThePoint)
{
  // Turning the ball with its fingers turns nothing in the world: gravity stays, so does the verdict about a wrench.
  const std::vector<ScenarioOverride> turned = {
      {"models.ball.pose", "{xyz: [0.3, 0.2, 0.1], rpy: [0, 1.5707963267948966, 0]}"},
      {"contacts.left.max_normal", "1000"},
      {"contacts.right.max_normal", "1000"}};
  const auto resists = [&](const std::string& wrench) {
    std::vector<ScenarioOverride> overrides = turned;
    overrides.push_back({"options", "{margins: false, wrench: " + wrench + "}"});
    return checked_json("ball_between_hard_fingers", overrides)["closure"]["resists"]["verdict"].get<std::string>();
  };
  EXPECT_EQ(resists("{torque: [0, 0, 0.5]}"), "fails");  // the fingers are now above each other
  EXPECT_EQ(resists("{torque: [0.5, 0, 0]}"), "holds");
}

TEST(ClosureReport, WrenchesByHand)
{
  const auto wrench = [](const std::string& name, const std::vector<ScenarioOverride>& overrides) {
    std::vector<double> result;
    const Json json = checked_json(name, overrides);
    for (const Json& entry : json["closure"]["resists"]["wrench"]) result.push_back(entry.get<double>());
    return result;
  };
  using ::testing::DoubleNear;
  using ::testing::ElementsAre;
  const auto near = [](double value) { return DoubleNear(value, 1e-12); };
  // The mug, 0.35 kg, centre of mass at x = 0.055 / 7: about its frame the weight turns it about y by x m g.
  const double weight = 0.35 * 9.81, arm = 0.055 / 7;
  EXPECT_THAT(wrench("mug_closure", {{"options", "{margins: false}"}}), ElementsAre(0, 0, near(-weight), 0, 0, 0));
  EXPECT_THAT(wrench("mug_closure", {{"options", "{margins: false, point: [0, 0, 0]}"}}),
              ElementsAre(0, 0, near(-weight), 0, near(arm * weight), 0));
  // Turned by a quarter about z, the world's x is the object's -y; torques as well.
  EXPECT_THAT(wrench("mug_closure", {{"models.mug.pose", "{rpy: [0, 0, 1.5707963267948966]}"},
                                     {"options", "{margins: false, wrench: {force: [1, 0, 0], torque: [2, 0, 0]}}"}}),
              ElementsAre(0, near(-1), near(-weight), 0, near(-2), 0));
  // Rows of a plane: its two forces in cyclic order, its torque.
  EXPECT_THAT(wrench("mug_closure", {{"contacts", "[]"}, {"options", "{margins: false, plane: zx, point: [0, 0, 0]}"}}),
              ElementsAre(near(-weight), 0, near(arm * weight)));
  EXPECT_THAT(wrench("mug_closure",
                     {{"contacts", "[]"},
                      {"options", "{margins: false, plane: yz, wrench: {force: [1, 2, 3], torque: [4, 5, 6]}}"}}),
              ElementsAre(near(2), near(3 - weight), near(4)));
}

TEST(ClosureReport, AHandThatCannotCommandWhatTheContactsCould)
{
  const Json json =
      checked_json("three_finger_hand",
                   {{"question", "closure"}, {"options.object", "object"}, {"models.hand.effort", "unlimited"}});
  EXPECT_EQ(json["closure"]["frictional_form_closure"]["verdict"], "holds");
  EXPECT_EQ(json["closure"]["force_closure"]["verdict"], "fails");
  EXPECT_EQ(json["verdict"], "fails");
  EXPECT_GT(json["quality"]["null_spaces"]["hyperstatic"].get<int>(), 0);
  EXPECT_THAT(json["summary"].get<std::string>(),
              HasSubstr("no force closure of object; the hand cannot command every internal force"));
}

TEST(ClosureReport, RemarksOnNormalsThatPointAway)
{
  const std::vector<ScenarioOverride> reversed = {{"contacts.left.normal", "[-1, 0, 0]"},
                                                  {"contacts.right.normal", "[1, 0, 0]"}};
  EXPECT_THAT(to_text(checked("ball_between_hard_fingers", reversed)),
              HasSubstr("warning: the normal of left points away"));
  EXPECT_EQ(checked("ball_between_hard_fingers", reversed).verdict, checked("ball_between_hard_fingers").verdict);
}

TEST(ClosureReport, NoiseIsSeeded)
{
  const auto rate = [](const std::string& seed) {
    return checked_json(
        "mug_closure", {{"options", "{margins: false, noise: {position: 0.01, angle: 0.3, samples: 200, seed: " + seed +
                                        "}}"}})["quality"]["rate"];
  };
  const Json one = rate("1");
  EXPECT_EQ(one, rate("1"));
  EXPECT_NE(one["holds"], rate("2")["holds"]);
  EXPECT_EQ(one["samples"], 200);
  EXPECT_GT(one["value"].get<double>(), 0.3);
  EXPECT_LT(one["value"].get<double>(), 1.0);
}

TEST(ClosureReport, BadInputNamesTheEntry)
{
  EXPECT_THAT(error_of("three_finger_hand", {{"question", "closure"}}),
              HasSubstr("options.object: want the model that is held (object, hand), got none"));
  EXPECT_THAT(error_of("mug_closure", {{"options.object", "cup"}}),
              HasSubstr("options.object: want the model that is held (mug), got 'cup'"));
  EXPECT_THAT(error_of("biped_standing", {{"question", "closure"}}), HasSubstr("options.object: want a rigid object"));
  EXPECT_THAT(error_of("three_finger_hand", {{"question", "closure"}, {"options", "{object: object, plane: xy}"}}),
              HasSubstr("options.plane: want no plane for an object on a fixed base"));
  EXPECT_THAT(error_of("three_finger_hand",
                       {{"question", "closure"}, {"options", "{object: object, wrench: {force: [0, 0, 1]}}"}}),
              HasSubstr("options.wrench: want `loads` instead"));
  EXPECT_THAT(error_of("mug_closure", {{"contacts.thumb.slides", "[1, 0, 0]"}}),
              HasSubstr("want no sliding contact in the question closure"));
}

TEST(ClosureVerify, EffortsOfTheHandAreTheCertificates)
{
  const std::string json =
      to_json(checked("three_finger_hand",
                      {{"question", "closure"}, {"options.object", "object"}, {"models.hand.effort", "unlimited"}}));
  EXPECT_TRUE(verify_report(json, "r").valid);
  EXPECT_THAT(message_about_forged(json, [](Json& r) { r["efforts"]["hand/finger1"] = 3.5; }),
              HasSubstr("efforts.hand/finger1: the report says 3.5"));
}

TEST(ClosureVerify, JudgesEveryVerdict)
{
  const std::string json = to_json(checked("mug_closure"));
  const Verification proof = verify_report(json, "r");
  EXPECT_TRUE(proof.valid);
  EXPECT_EQ(proof.message, "proved: holds, form_closure fails, frictional_form_closure holds, resists holds");
  const auto message = [&](auto edit) { return message_about_forged(json, edit); };
  EXPECT_THAT(message([](Json& r) { r["closure"]["form_closure"]["verdict"] = "holds"; }),
              HasSubstr("closure.form_closure.verdict: the report says 'holds', but its certificate proves 'fails'"));
  EXPECT_THAT(message([](Json& r) { r["verdict"] = "fails"; }), HasSubstr("the report says 'fails'"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["frictional_form_closure"]["forces"][0] = -1.0; }),
              HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) {
                for (Json& contact : r["certificate"]["problem"]["contacts"]) contact["mu"] = 0.1;
              }),
              HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) { r["closure"]["resists"]["wrench"][0] = 100.0; }), HasSubstr("resists"));
  EXPECT_THAT(message([](Json& r) { r["contacts"][0]["normal_force"] = 100.0; }),
              HasSubstr("contacts[0].normal_force"));
  EXPECT_THAT(message([](Json& r) { r["quality"]["torque_point"][0] = 0.03; }), HasSubstr("quality.torque_point[0]"));
  expect_no_digit_may_change(json, 40);
}

TEST(ClosureBatch, VerdictsAreWords)
{
  RowAnswerer answerer(load_scenario(scenario("ball_between_hard_fingers")), {});
  EXPECT_EQ(answerer.columns(),
            (std::vector<std::string>{"form_closure", "frictional_form_closure", "force_closure", "resists"}));
  BatchRow row;
  for (const ScenarioOverride& change : kSoft) row.changes.emplace_back(change.path, parse_yaml(change.value, ""));
  RowAnswer answer;
  answerer.answer(row, answer);
  EXPECT_EQ(answer.verdict, Verdict::kHolds);
  EXPECT_STREQ(answer.cells[0].name, "form_closure");
  EXPECT_EQ(answer.cells[0].word, "fails");
  EXPECT_EQ(answer.cells[1].word, "holds");
}

}  // namespace
}  // namespace stiction::internal
