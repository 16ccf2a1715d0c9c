#include "stiction/equilibrium.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "io/checked.hpp"
#include "io/row_answerer.hpp"

namespace stiction::internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

TEST(EquilibriumReport, GoldenOfAPushedBox)
{
  EXPECT_EQ(to_text(checked("box_pushed")), R"(STANDS (holds): box pushed from the side
contacts and efforts balance the load

contact   state      normal [N]  friction in use
ground/0  sticking       2.4525  [--------------------]   0 %
ground/1  sticking       2.4525  [--------------------]   0 %
ground/2  sticking       2.4525  [--------------------]   0 %
ground/3  sticking       2.4525  [--------------------]   0 %

 - forces are not unique (6 internal); shown are those that need the least
   friction
 - holds without any friction
 - box/box may be pushed along (1, 0, 0) with 3.924 N
)");
}

TEST(EquilibriumReport, WhatMovesDoesNotStand)
{
  const std::vector<ScenarioOverride> held = {
      {"question", "equilibrium"}, {"models.b.effort", "unlimited"}, {"models.b.joints.alpha", "0"}};
  const auto text = [&](const char* rate) {
    std::vector<ScenarioOverride> overrides = held;
    overrides.push_back({"models.b.rates.alpha", rate});
    return to_text(checked("block_with_pendulum", overrides));
  };
  EXPECT_THAT(text("0"), StartsWith("STANDS (holds)"));
  EXPECT_THAT(text("1"),
              AllOf(StartsWith("FOLLOWS THE MOTION (holds)"), HasSubstr("for the prescribed velocities, not at rest")));
}

TEST(EquilibriumReport, KeysInTheOrderOfTheContract)
{
  const Json json = checked_json("box_pushed");
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"stiction", "name", "question", "verdict", "summary", "acceleration",
                                            "contacts", "efforts", "indeterminacy", "margins", "repair", "certificate",
                                            "solver", "warnings", "inputs", "checksum"}));
}

double push(const std::vector<ScenarioOverride>& overrides)
{
  return checked_json("box_pushed", overrides)["margins"]["push"].get<double>();
}

TEST(EquilibriumReport, PushesOfABoxByHand)
{
  // Slips at mu m g; tips about its lower edge at m g (w/2) / h, h = height of the push above the ground.
  const double weight = 9.81;
  EXPECT_NEAR(push({}), 0.4 * weight, 1e-5);
  EXPECT_NEAR(push({{"options.push.direction", "[0, -1, 0]"}}), 0.4 * weight, 1e-5);
  EXPECT_NEAR(push({{"options.push.direction", "[0.6, 0.8, 0]"}}), 0.4 * weight, 1e-5);
  EXPECT_NEAR(push({{"options.push.at", "[0, 0, 0.1]"}, {"contacts.ground.mu", "0.9"}}), weight / 2, 1e-5);
  EXPECT_NEAR(push({{"options.push.at", "[0, 0, 0.05]"}, {"contacts.ground.mu", "0.9"}}), weight * 0.1 / 0.15, 1e-5);
  const double every = push({{"options.push.direction", "horizontal"}});
  EXPECT_LE(every, 0.4 * weight);
  EXPECT_GT(every, 0.97 * 0.4 * weight);
  // On a narrow base it tips sideways first, at m g (w/2) / h.
  const double narrow = push(
      {{"options.push", "{link: box/box, at: [0, 0, 0.1], direction: horizontal}"},
       {"contacts.ground.points", "[[0.1, 0.05, -0.1], [0.1, -0.05, -0.1], [-0.1, 0.05, -0.1], [-0.1, -0.05, -0.1]]"}});
  EXPECT_LE(narrow, weight * 0.05 / 0.2 * (1 + 1e-9));
  EXPECT_GT(narrow, 0.97 * weight * 0.05 / 0.2);
  // Up and down count as well: straight up it lifts off at its weight, but on the way up friction fades.
  const Json anywhere = checked_json("box_pushed", {{"options.push.direction", "any"}})["margins"]["intervals"]["push"];
  const double rim = weight * 0.4 / std::hypot(1.0, 0.4);  // distance of the weight from the rim of the cone
  EXPECT_LE(anywhere[0].get<double>(), rim * (1 + 1e-9));
  EXPECT_GE(anywhere[1].get<double>(), rim * (1 - 1e-9));
  EXPECT_LT(anywhere[1].get<double>(), 1.01 * rim);
  // Downwards the harder the better.
  EXPECT_EQ(checked_json("box_pushed", {{"options.push.direction", "[0, 0, -1]"}})["margins"]["push"], "inf");
}

TEST(EquilibriumReport, FailsSayWhatWouldHelp)
{
  const Json json = checked_json("box_on_steep_slope", {{"question", "equilibrium"}});
  EXPECT_EQ(json["verdict"], "fails");
  // 25 degrees: tan 25 over mu.
  const double mu = json["certificate"]["problem"]["contacts"][0]["mu"].get<double>();
  const double scale = std::tan(25.0 * 3.14159265358979 / 180.0) / mu;
  EXPECT_EQ(json["repair"][0]["change"], "friction_scale");
  EXPECT_NEAR(json["repair"][0]["to"].get<double>(), scale, 1e-4);
  EXPECT_THAT(to_text(checked("box_on_steep_slope", {{"question", "equilibrium"}})),
              HasSubstr("every friction coefficient times 1.1"));
}

TEST(EquilibriumReport, AFailingOneShowsTheForcesThatNeedTheLeastFriction)
{
  // On a slope of 25 degrees every point has the same share: tan 25 over mu.
  const ScenarioReport report = checked("box_on_steep_slope", {{"question", "equilibrium"}});
  const std::string text = to_json(report);
  const Json json = Json::parse(text);
  const double mu = json["certificate"]["problem"]["contacts"][0]["mu"].get<double>();
  const double share = std::tan(25.0 * 3.14159265358979 / 180.0) / mu;
  ASSERT_EQ(json["contacts"].size(), 4u);
  double normal = 0.0;
  for (const Json& contact : json["contacts"]) {
    EXPECT_EQ(contact["state"], "sliding");
    EXPECT_NEAR(contact["utilisation"].get<double>(), share, 1e-4);
    normal += contact["normal_force"].get<double>();
  }
  EXPECT_NEAR(normal, 9.81 * std::cos(25.0 * 3.14159265358979 / 180.0), 1e-4);
  EXPECT_THAT(to_text(report), HasSubstr("these forces would balance the load"));
  EXPECT_TRUE(verify_report(text, "r").valid);
  // Forces that balance nothing are not believed, and neither are forces that the certificate does not have.
  EXPECT_THAT(message_about_forged(text, [](Json& r) { r["certificate"]["lambda"][0] = 1.0; }),
              HasSubstr("forces do not balance the load"));
  EXPECT_THAT(message_about_forged(text, [](Json& r) { r["contacts"][0]["normal_force"] = 1.0; }),
              HasSubstr("contacts[0].normal_force"));
  EXPECT_THAT(message_about_forged(text, [](Json& r) { r["contacts"] = Json::array(); }), HasSubstr("contacts"));
  // Where no friction helps there are none.
  const Json tips = checked_json("block_tips", {{"question", "equilibrium"}});
  EXPECT_EQ(tips["verdict"], "fails");
  EXPECT_TRUE(tips["contacts"].empty());
}

TEST(EquilibriumReport, AFailingOneShowsTheForcesThatNeedTheLeastEffort)
{
  // The knees of a standing biped are its weakest joints, and nothing can be shifted to others.
  const double load = 2000.0;
  const ScenarioReport report = checked("biped_standing", {{"question", "equilibrium"},
                                                           {"models.robot.effort", "limits"},
                                                           {"loads", "[{link: robot/torso, force: [0, 0, -2000]}]"}});
  ASSERT_EQ(report.verdict, Verdict::kFails);
  const std::string text = to_json(report);
  const Json json = Json::parse(text);
  const double factor = json["repair"][0]["to"].get<double>();
  EXPECT_EQ(json["repair"][0]["change"], "effort_scale");
  EXPECT_GT(factor, 1.05);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  ASSERT_EQ(json["contacts"].size(), report.problem.contacts.size());
  for (const Json& contact : json["contacts"]) {
    EXPECT_LE(contact["utilisation"].get<double>(), 1.0 + 1e-9) << contact["name"];
    for (int k = 0; k < 3; ++k) sum[k] += contact["force_world"][static_cast<std::size_t>(k)].get<double>();
  }
  Scene scene(report.scenario.scene);
  EXPECT_LT((sum - Eigen::Vector3d(0.0, 0.0, 9.81 * scene.total_mass() + load)).norm(), 1e-6);
  double most = 0.0;
  for (const Actuator& motor : report.problem.actuators)
    most = std::max(most, std::abs(json["efforts"][motor.name].get<double>()) / motor.upper);
  EXPECT_NEAR(most, factor, 1e-5);
  EXPECT_THAT(to_text(report), HasSubstr("these forces would balance the load with every effort limit times"));
  EXPECT_TRUE(verify_report(text, "r").valid);
  EXPECT_THAT(message_about_forged(text, [](Json& r) { r["certificate"]["lambda"][0] = 1.0; }),
              HasSubstr("forces do not balance the load"));
  EXPECT_THAT(message_about_forged(text, [](Json& r) { r["certificate"]["efforts"][0] = 1.0; }),
              HasSubstr("forces do not balance the load"));
  EXPECT_THAT(message_about_forged(text, [](Json& r) { r["efforts"]["robot/left_knee"] = 1.0; }),
              HasSubstr("left_knee"));
  EXPECT_THAT(message_about_forged(text, [](Json& r) { r["contacts"] = Json::array(); }), HasSubstr("contacts"));
}

/// Feeds the efforts that equilibrium found to all_sticking, another question with another proof: nothing may move.
void expect_efforts_hold(const std::string& name, const std::string& model)
{
  const std::vector<ScenarioOverride> limits = {{"question", "equilibrium"}, {"models." + model + ".effort", "limits"}};
  const Json found = checked_json(name, limits);
  ASSERT_EQ(found["verdict"], "holds");
  std::string efforts;
  for (const auto& [joint, effort] : found["efforts"].items())
    efforts += (efforts.empty() ? "{" : ", ") + joint.substr(joint.find('/') + 1) + ": " + effort.dump();
  const Json given = checked_json(name, {{"question", "all_sticking"}, {"models." + model + ".effort", efforts + "}"}});
  EXPECT_EQ(given["verdict"], "holds") << given["summary"];
  for (const auto& [joint, a] : given["acceleration"]["values"].items())
    for (const Json& value : a.is_array() ? a : Json::array({a})) EXPECT_NEAR(value.get<double>(), 0.0, 1e-6) << joint;
}

TEST(EquilibriumReport, EffortsItFindsHoldWhenGiven)
{
  expect_efforts_hold("biped_standing", "robot");
  expect_efforts_hold("quadruped_standing", "robot");
}

TEST(EquilibriumReport, EffortMarginIsTheShareOfTheWeakestJoint)
{
  // By symmetry each knee carries what all_sticking was given, 18.4515 of 150 N m, and nothing can be shifted to other
  // joints.
  const Json json = checked_json("biped_standing", {{"question", "equilibrium"}, {"models.robot.effort", "limits"}});
  EXPECT_NEAR(json["margins"]["effort"].get<double>(), 18.4515 / 150, 1e-4);
  EXPECT_NEAR(json["efforts"]["robot/left_knee"].get<double>(), -18.4515, 0.05);
  const Json unlimited =
      checked_json("biped_standing", {{"question", "equilibrium"}, {"models.robot.effort", "unlimited"}});
  EXPECT_EQ(unlimited["verdict"], "holds");
  EXPECT_FALSE(unlimited["margins"].contains("effort"));
  // Without motors a standing biped collapses.
  EXPECT_EQ(checked_json("biped_standing", {{"question", "equilibrium"}, {"models.robot.effort", "none"}})["verdict"],
            "fails");
}

TEST(EquilibriumReport, PrescribedAccelerationsWeighInTheForces)
{
  // Three feet and a stand carry while the fourth leg is thrown: the contact forces add up to m (c'' - g).
  const std::vector<ScenarioOverride> swing = {{"question", "equilibrium"},
                                               {"models.robot.effort", "unlimited"},
                                               {"contacts.rh.link", "robot/body"},  // a stand in place of the leg
                                               {"contacts.rh.at", "[-0.25, -0.15, -0.05]"},
                                               {"models.robot.accelerations", "{rh_thigh: 9, rh_knee: -20}"}};
  const ScenarioReport report = checked("quadruped_standing", swing);
  ASSERT_EQ(report.verdict, Verdict::kHolds) << report.summary;
  const Json json = Json::parse(to_json(report));
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const Json& contact : json["contacts"])
    for (int k = 0; k < 3; ++k) sum[k] += contact["force_world"][static_cast<std::size_t>(k)].get<double>();
  Scene scene(read_scenario_file(scenario("quadruped_standing"), swing).scene);
  SceneState moved = scene.described_state();
  const double step = 1e-6;
  moved.q = scene.integrate(moved.q, step * moved.a);
  const Eigen::Vector3d c = (scene.center_of_mass(moved) - scene.center_of_mass(scene.described_state())) / step;
  EXPECT_GT(c.norm(), 0.05);
  EXPECT_LT((sum - scene.total_mass() * (c + Eigen::Vector3d(0, 0, 9.81))).norm(), 1e-3);
  EXPECT_EQ(json["acceleration"]["values"]["robot/rh_knee"], -20.0);
  EXPECT_THAT(to_text(report), HasSubstr("for the prescribed acceleration, not at rest"));
  EXPECT_TRUE(verify_report(to_json(report), "r").valid);
}

TEST(EquilibriumReport, BadInputNamesTheEntry)
{
  const auto box = [](const std::string& path, const std::string& value) {
    return error_of("box_pushed", {{path, value}});
  };
  EXPECT_THAT(box("options.push.link", "box/lid"), HasSubstr("options.push.link: want a link of models.box"));
  EXPECT_THAT(box("options.push.link", "world"), HasSubstr("options.push.link: want 'model/link', got 'world'"));
  EXPECT_THAT(error_of("box_pushed", {{"gravity", "[0, 0, 0]"}, {"options.push.direction", "horizontal"}}),
              HasSubstr("options.push.direction: want a unit vector or any where there is no gravity"));
  EXPECT_THAT(box("contacts.ground.slides", "[1, 0, 0]"),
              HasSubstr("contacts[0].slides: want no sliding contact in the question equilibrium"));
  EXPECT_THAT(box("models.box.twist", "{linear: [1, 0, 0]}"), HasSubstr("contacts[0]: want bodies at rest"));
  EXPECT_THAT(box("models.box.acceleration", "{linear: [1, 0, 0]}"),
              HasSubstr("contacts[0]"));  // cannot stick and accelerate
  EXPECT_THAT(box("models.box.accelerations", "{x: 1}"), HasSubstr("models.box.accelerations.x: want a joint"));
}

TEST(EquilibriumVerify, AcceptsWhatCheckWrites)
{
  const std::vector<std::pair<std::string, std::vector<ScenarioOverride>>> cases = {
      {"box_pushed", {}},
      {"box_on_steep_slope", {{"question", "equilibrium"}}},
      {"box_on_slope", {{"question", "equilibrium"}, {"options.cone", "{inner: 8}"}}},
      {"rail_grasp", {{"question", "equilibrium"}}},
      {"soft_finger", {{"question", "equilibrium"}}},
      {"biped_standing", {{"question", "equilibrium"}, {"models.robot.effort", "limits"}}},
      {"pinch_on_guide", {{"question", "equilibrium"}}},
  };
  for (const auto& [name, overrides] : cases) {
    const ScenarioReport report = checked(name, overrides);
    const Verification result = verify_report(to_json(report), "r");
    EXPECT_EQ(result.valid, report.verdict != Verdict::kUndecided) << name << ": " << result.message;
  }
}

TEST(EquilibriumVerify, SaysWhatDisagrees)
{
  const std::string json =
      to_json(checked("biped_standing", {{"question", "equilibrium"}, {"models.robot.effort", "limits"}}));
  const auto message = [&](auto edit) { return message_about_forged(json, edit); };
  EXPECT_THAT(message([](Json& r) { r["verdict"] = "fails"; }),
              HasSubstr("says 'fails', but its certificate proves 'holds'"));
  EXPECT_THAT(message([](Json& r) { r["contacts"][0]["normal_force"] = 12.5; }), HasSubstr("contacts[0].normal_force"));
  EXPECT_THAT(message([](Json& r) { r["efforts"]["robot/left_knee"] = 0.5; }),
              HasSubstr("efforts.robot/left_knee: the report says 0.5"));
  EXPECT_THAT(message([](Json& r) { r["efforts"].erase("robot/right_knee"); }), HasSubstr("effort"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["efforts"][0] = 200.0; }), HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["problem"]["F"][2] = 200.0; }), HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) {
                for (Json& motor : r["certificate"]["problem"]["actuators"])
                  motor["upper"] = 0.01, motor["lower"] = -0.01;
              }),
              HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["a"][2] = 1.0; }), HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) { r["acceleration"]["values"]["robot/left_knee"] = 1.0; }),
              HasSubstr("acceleration.values.robot/left_knee"));
  expect_no_digit_may_change(to_json(checked("box_pushed")));
}

TEST(EquilibriumBatch, RowsAnswerAsCheckDoes)
{
  const std::vector<std::vector<ScenarioOverride>> rows = {
      {{"models.robot.joints.left_knee", "0.85"}},
      {{"contacts.left.mu", "0.01"}},
      {{"contacts.right.max_normal", "20"}},
      {{"models.robot.effort", "none"}},
      {{"models.robot.pose.rpy", "[0, 0.1, 0]"}, {"models.robot.effort", "unlimited"}},
      {{"gravity", "[3, 0, -9.81]"}},
      {{"question", "all_sticking"}, {"models.robot.effort", "none"}},
      {},
  };
  ScenarioDocument document = load_scenario(scenario("biped_standing"));
  apply({{"question", "equilibrium"}, {"models.robot.effort", "limits"}}, document);
  RowAnswerer answerer(document, {});
  int holds = 0, fails = 0;
  for (const auto& overrides : rows) {
    BatchRow row;
    for (const auto& [path, value] : overrides) row.changes.emplace_back(path, parse_yaml(value, ""));
    RowAnswer answer;
    answerer.answer(row, answer);
    std::vector<ScenarioOverride> all = {{"question", "equilibrium"}, {"models.robot.effort", "limits"}};
    all.insert(all.end(), overrides.begin(), overrides.end());
    EXPECT_EQ(answer.verdict, checked("biped_standing", all).verdict);
    holds += answer.verdict == Verdict::kHolds;
    fails += answer.verdict == Verdict::kFails;
  }
  EXPECT_GE(holds, 3);
  EXPECT_GE(fails, 2);
}

}  // namespace
}  // namespace stiction::internal
