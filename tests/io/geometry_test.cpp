// Scenarios whose poses and contacts are found: from a URDF and a posture to an answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "io/batch.hpp"
#include "io/check.hpp"
#include "io/checked.hpp"
#include "io/scenario_writer.hpp"
#include "stiction/geometry.hpp"
#include "stiction/problem_file.hpp"

namespace stiction::internal {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;
constexpr double kPi = std::numbers::pi;

/// The box of urdf/box.urdf (0.2 x 0.2 x 0.2 m, frame at its centre) on the ground.
std::string box_on(const std::string& ground, const std::string& rest = "contacts: auto\nquestion: equilibrium\n",
                   const std::string& pose = "{on: ground}")
{
  return "stiction: 1\nname: box\nground: {" + ground + "}\nmodels:\n  box: {urdf: ../urdf/box.urdf, pose: " + pose +
         "}\n" + rest;
}

const std::string kFolder = std::string(STICTION_SOURCE_DIR) + "/scenarios";

ScenarioReport check_text(const std::string& text, const std::vector<ScenarioOverride>& overrides = {})
{
  return check_scenario_text(text, kFolder, "scenario", overrides);
}

std::string refusal_of(const std::string& text, const std::vector<ScenarioOverride>& overrides = {})
{
  try {
    check_text(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

/// Without any ground, 40 cm below the box that the points are said to be on.
TEST(GeometryScenario, PointsBesideTheirLinkAreToldWithoutAGround)
{
  const std::string text =
      "stiction: 1\nname: box\nmodels:\n  box: {urdf: ../urdf/box.urdf, pose: {xyz: [0, 0, 7]}}\ncontacts:\n"
      "  - {name: c, link: box/box, points: [[0.1, 0.1, -0.5], [0.1, -0.1, -0.5], [-0.1, 0.1, -0.5], [-0.1, -0.1, "
      "-0.5]],"
      " normal: [0, 0, 1], mu: 0.5}\nquestion: equilibrium\n";
  const ScenarioReport report = check_text(text);
  EXPECT_EQ(report.verdict, Verdict::kHolds);
  EXPECT_THAT(report.warnings,
              ::testing::ElementsAre("contacts[0].points[0]: is 400 mm away from the collision shapes of 'box/box'"));
  EXPECT_TRUE(verify_report(to_json(report), "report").valid);
  EXPECT_THAT(
      refusal_of(text, {{"options.strict", "true"}}),
      HasSubstr("contacts[0].points[0]: is 400 mm away from the collision shapes of 'box/box' (options.strict)"));
  EXPECT_TRUE(checked("ratchet_carts").warnings.empty()) << "a ratchet reaches across a gap";
  EXPECT_THAT(checked("ratchet_carts", {{"ground.height", "-5"}}).warnings,
              ::testing::ElementsAre("contacts[0].at: is 5 m away from the ground",
                                     "contacts[0].normal: is 90 degrees off the normal of the ground"));
}

TEST(GeometryScenario, ABallThatIsFoundRollsAsTheOneThatIsGiven)
{
  // 5/7 g sin 20°, m g cos 20° and 2/7 m g sin 20° (scenarios/ball_down_slope.yaml).
  const ScenarioReport report = checked("ball_detected"), given = checked("ball_down_slope");
  ASSERT_EQ(report.verdict, Verdict::kHolds);
  ASSERT_EQ(report.contacts.size(), 1u);
  EXPECT_NEAR(report.contacts[0].found.force[0], 1.8437, 1e-4);
  EXPECT_NEAR(report.contacts[0].force_W->norm(), given.contacts[0].force_W->norm(), 1e-9);
  EXPECT_TRUE(report.warnings.empty());
  // Written out it says the same.
  const ScenarioDocument document = load_scenario(scenario("ball_detected"));
  const std::string written = written_scenario(document, {});
  EXPECT_THAT(written, HasSubstr("radius: 0.05"));
  EXPECT_NEAR(check_text(written).contacts.at(0).found.force[0], report.contacts[0].found.force[0], 1e-12);
}

TEST(GeometryScenario, ContactsThatAreOffAreNotThere)
{
  const std::string by_hand =
      "contacts:\n  - {name: all, link: box/box, points: [[0.1, 0.1, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1]], "
      "normal: [0, 0, 1], mu: 0.5, active: ACTIVE}\n"
      "  - {name: last, link: box/box, at: [0.1, -0.1, -0.1], normal: [0, 0, 1], mu: 0.5}\nquestion: equilibrium\n";
  const auto with = [&](const std::string& active) {
    std::string text = by_hand;
    text.replace(text.find("ACTIVE"), 6, active);
    return check_text(box_on("mu: 0.5", text));
  };
  for (const char* on : {"true", "1"}) EXPECT_EQ(with(on).problem.contacts.size(), 4u);
  for (const char* off : {"false", "0"}) {
    const ScenarioReport report = with(off);
    EXPECT_EQ(report.verdict, Verdict::kFails);
    ASSERT_EQ(report.problem.contacts.size(), 1u);
    EXPECT_EQ(report.problem.contacts[0].name, "last");
    EXPECT_EQ(report.problem.contacts[0].mu, 0.5);
    EXPECT_TRUE(verify_report(to_json(report), "r").valid);
  }
  EXPECT_THAT(refusal_of(box_on("mu: 0.5",
                                "contacts:\n  - {name: a, link: box/box, at: [0, 0, -0.1], normal: [0, 0, 1], "
                                "mu: 0.5, active: 2}\n")),
              HasSubstr("contacts[0].active: want true or false, got '2'"));
  EXPECT_THAT(refusal_of(box_on("mu: 0.5",
                                "contacts:\n  - {name: a, link: box/lid, at: [0, 0, 0], normal: [0, 0, 1], "
                                "mu: 0.5, active: false}\n")),
              HasSubstr("contacts[0].link"))
      << "what is wrong with it does not wait until it is on";
  const ScenarioReport detected = check_text(
      box_on("mu: 0.5", "contacts:\n  - {name: feet, detect: {with: ground}, active: false}\nquestion: equilibrium\n"));
  EXPECT_EQ(detected.problem.contacts.size(), 0u);
}

TEST(GeometryScenario, ABoxSlidesWhereTheSlopeIsSteeperThanItsFriction)
{
  for (const double degrees : {20.0, 26.0, 27.0, 40.0}) {  // atan 0.5 = 26.565
    const ScenarioReport report =
        check_text(box_on("slope: " + std::to_string(degrees) + " deg, toward: [1, 2], mu: 0.5"));
    EXPECT_EQ(report.verdict, degrees < 26.565 ? Verdict::kHolds : Verdict::kFails) << degrees;
    EXPECT_EQ(report.detected.size(), 1u);
    EXPECT_EQ(report.scenario.scene.contacts.at(0).points.size(), 4u);
    EXPECT_TRUE(report.warnings.empty());
  }
}

TEST(GeometryScenario, UnitsAreAccepted)
{
  const Scenario scenario = read_scenario_text(
      box_on("height: 20 mm, mu: 0.5", "contacts:\n  - {detect: {with: ground, within: 0.1 cm}, mu: 0.4}\n",
             "{on: ground, yaw: 90 deg, xyz: [10 cm, 2, 0]}"),
      kFolder);
  EXPECT_EQ(scenario.scene.ground->point, Eigen::Vector3d(0, 0, 0.02));
  EXPECT_NEAR(scenario.scene.models[0].pose.rpy.z(), kPi / 2, 1e-15);
  EXPECT_EQ(scenario.scene.models[0].pose.xyz, Eigen::Vector3d(0.1, 2, 0));
  EXPECT_EQ(scenario.scene.contacts[0].detect->within, 0.001);
  EXPECT_EQ(scenario.scene.contacts[0].mu, 0.4);
  const auto with_pose = [](const std::string& pose) {
    return read_scenario_text(box_on("mu: 1", "", pose), kFolder).scene.models[0].pose;
  };
  EXPECT_LT((with_pose("{quat: [0, 0, 0.70710678, 0.70710678]}").rpy - Eigen::Vector3d(0, 0, kPi / 2)).norm(), 1e-8);
  EXPECT_LT((with_pose("{rpy: [10 deg, 0.2 rad, -3deg]}").rpy - Eigen::Vector3d(kPi / 18, 0.2, -kPi / 60)).norm(),
            1e-15);
  const ScenarioReport biped = checked("biped_standing", {{"models.robot.joints.left_knee", "40 deg"}});
  EXPECT_NEAR(biped.scenario.scene.models[0].joints.at("left_knee"), 40 * kPi / 180, 1e-15);
}

TEST(GeometryScenario, WhatIsWrongIsSaidWithItsPlace)
{
  EXPECT_THAT(refusal_of(box_on("slope: 15 degrees")),
              HasSubstr("scenario:3:17: ground.slope: want a number of radians, or an angle"));
  EXPECT_THAT(refusal_of(box_on("slope: 2 mm")), HasSubstr("want a number of radians, or an angle such as 15 deg"));
  EXPECT_THAT(refusal_of(box_on("slope: 90 deg")), HasSubstr("between -90 and 90 degrees"));
  EXPECT_THAT(refusal_of(box_on("normal: [0, 0, 2]")), HasSubstr("ground.normal: want a unit vector"));
  EXPECT_THAT(refusal_of(box_on("normal: [0, 0, 1], slope: 1 deg")), HasSubstr("either point and normal"));
  EXPECT_THAT(refusal_of(box_on("toward: [1, 0]")), HasSubstr("ground.toward: want a slope as well"));
  EXPECT_THAT(refusal_of(box_on("mu: 1", "", "{on: table}")), HasSubstr("models.box.pose.on: want ground"));
  EXPECT_THAT(refusal_of(box_on("mu: 1", "", "{on: ground, xyz: [0, 0, 1]}")), HasSubstr("want no height (0)"));
  EXPECT_THAT(refusal_of(box_on("mu: 1", "", "{settle: true}")), HasSubstr("want on: ground as well"));
  EXPECT_THAT(refusal_of(box_on("mu: 1", "", "{rpy: [0, 0, 0], yaw: 1}")), HasSubstr("one of rpy, quat and yaw"));
  EXPECT_THAT(refusal_of(box_on("mu: 1", "", "{quat: [0, 0, 0, 2]}")), HasSubstr("of length 1"));
  EXPECT_THAT(refusal_of(box_on("height: 0")),
              HasSubstr("contacts[0].mu: want friction between 'box/box' and 'ground'"));
  EXPECT_THAT(refusal_of(box_on("mu: 1", "contacts:\n  - {name: a, detect: auto, link: box/box}\n")),
              HasSubstr("either detect, or link, at and normal"));
  EXPECT_THAT(refusal_of(box_on("mu: 1", "contacts:\n  - {detect: {links: [box/lid]}}\n")),
              HasSubstr("contacts[0].detect.links[0]: want a link of models.box, got 'box/lid'"));
  EXPECT_THAT(refusal_of(box_on("mu: 1", "obstacles: [{name: a, box: [1, 1, 1], plane: true}]\n")),
              HasSubstr("obstacles[0]: want one of box, plane and mesh"));
  EXPECT_THAT(refusal_of("stiction: 1\nmodels:\n  box: {urdf: ../urdf/box.urdf, pose: {on: ground}}\n"),
              HasSubstr("want a scenario with a ground, got none"));
}

TEST(GeometryScenario, StrictMakesErrorsOfWarnings)
{
  const std::string hand =
      "contacts:\n  - {name: a, link: box/box, at: [0, 0, -0.1], normal: [0, 0, 1], mu: 0.5}\nquestion: equilibrium\n";
  const std::string high = box_on("mu: 0.5", hand, "{xyz: [0, 0, 0.26]}");
  const ScenarioReport report = check_text(high);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0], "contacts[0].at: is 160 mm away from the ground");
  EXPECT_THAT(to_text(report), HasSubstr("warning: contacts[0].at: is 160 mm away"));
  EXPECT_THAT(refusal_of(high, {{"options.strict", "true"}}),
              HasSubstr("is 160 mm away from the ground (options.strict)"));
  EXPECT_EQ(refusal_of(box_on("mu: 0.5", hand, "{xyz: [0, 0, 0.1]}"), {{"options.strict", "true"}}), "none");
}

TEST(GeometryReport, CarriesDistancesAndIsVerified)
{
  const fs::path folder = fs::temp_directory_path() / ("stiction_geometry_" + std::to_string(::getpid()));
  fs::create_directories(folder / "scenarios");
  fs::copy(fs::path(kFolder).parent_path() / "urdf", folder / "urdf");
  const std::string file = (folder / "scenarios" / "box.yaml").string();
  std::ofstream(file) << box_on("mu: 0.5", "contacts: auto\nquestion: equilibrium\n", "{xyz: [0, 0, 0.101]}");
  const ScenarioReport report = check_file(file, {}, {});
  const ordered_json json = ordered_json::parse(to_json(report));
  ASSERT_EQ(json["detected"].size(), 1u);
  EXPECT_EQ(json["detected"][0]["contact"], "box");
  EXPECT_EQ(json["detected"][0]["with"], "ground");
  EXPECT_NEAR(json["detected"][0]["distances"][3].get<double>(), 0.001, 1e-12);
  EXPECT_THAT(to_text(report), HasSubstr("box on ground (4 points, 1 mm)"));
  const Verification alone = verify_report(to_json(report), "r"), bound = verify_report(to_json(report), "r", file);
  EXPECT_TRUE(alone.valid) << alone.message;
  EXPECT_THAT(alone.unchecked, ::testing::Contains("detected"));
  EXPECT_TRUE(bound.valid) << bound.message;
  EXPECT_THAT(bound.unchecked, Not(::testing::Contains("detected")));
  std::ofstream(file) << box_on("mu: 0.5", "contacts: auto\nquestion: equilibrium\n", "{xyz: [0, 0, 0.1015]}");
  EXPECT_FALSE(verify_report(to_json(report), "r", file).valid) << "another height is another report";
  // Contacts that were not detected are not claimed to be.
  EXPECT_FALSE(checked_json("block_on_ground").contains("detected"));
  fs::remove_all(folder);
}

TEST(GeometryScenario, RowsOfABatchFindTheirOwnContacts)
{
  const fs::path folder = fs::temp_directory_path() / ("stiction_rows_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream((folder / "rows.jsonl").string()) << R"({"id": 1, "models.box.pose.rpy": [0, 0, 1]}
{"id": 2, "models.box.pose": {"xyz": [0, 0, 0.3]}}
{"id": 3, "ground.slope": "30 deg"}
{"id": 4, "contacts.sole.mu": 0.01, "ground.slope": 0.02}
{"id": 5, "contacts.sole.mu": 0.03, "ground.slope": 0.02}
{"id": 6, "contacts.sole.detect.with": "door"}
)";
  BatchArguments arguments;
  arguments.document = parse_scenario(
      box_on("mu: 0.5", "contacts:\n  - {name: sole, detect: {with: ground}, mu: 0.5}\nquestion: equilibrium\n"),
      kFolder, "s");
  arguments.inputs = (folder / "rows.jsonl").string();
  std::vector<std::string> outputs;
  for (const int threads : {1, 3}) {
    arguments.threads = threads;
    arguments.out = (folder / ("out" + std::to_string(threads) + ".jsonl")).string();
    EXPECT_EQ(run_batch(arguments).bad, 1u);
    outputs.push_back(read_text_file(arguments.out, "out"));
  }
  EXPECT_EQ(outputs[0], outputs[1]);
  std::istringstream lines(outputs[0]);
  std::vector<std::string> verdicts;
  for (std::string line; std::getline(lines, line);)
    verdicts.push_back(ordered_json::parse(line).value("verdict", "bad"));
  EXPECT_EQ(verdicts, (std::vector<std::string>{"holds", "fails", "fails", "fails", "holds", "bad"})) << outputs[0];
  fs::remove_all(folder);
}

TEST(GeometryScenario, BecomesABareProblemLikeAnyOther)
{
  const Scenario scenario = read_scenario_text(box_on("slope: 10 deg, mu: 0.5"), kFolder);
  const Scenario bare = as_bare_problem(scenario);
  EXPECT_EQ(bare.bare->problem.contacts.size(), 4u);
  EXPECT_EQ(check(bare).verdict, Verdict::kHolds);
}

/// What is written out gives the same matrices, and so the same verdict.
TEST(WrittenScenario, SaysTheSame)
{
  const std::string entries =
      "obstacles:\n  - {name: wall, box: [0.1, 2, 2], pose: {xyz: [0.15, 0, 1]}, mu: 0.1}\nloads:\n  - {link: box/box, "
      "force: [3, 0, 0]}\ncontacts:\n  - {name: all, detect: auto, max_normal: 900, torsion: 1 mm}\n  - {name: 'hand, "
      "one', link: "
      "box/box, at: [0, 0, 0.1], normal: [0, 0, -1], mu: 0}\nquestion: equilibrium\noptions: {margins: false}\n";
  for (const std::string& text : {box_on("slope: 10 deg, mu: 0.5"), box_on("mu: 0.5", entries)}) {
    const ScenarioDocument document = parse_scenario(text, kFolder, "s");
    const std::string written = written_scenario(document, {});
    EXPECT_THAT(written, Not(HasSubstr("detect")));
    EXPECT_THAT(written, Not(HasSubstr("on: ground")));
    const ScenarioReport was = check_document(document, {}), is = check_text(written);
    EXPECT_EQ(was.verdict, is.verdict) << written;
    EXPECT_EQ(was.problem.J, is.problem.J) << written;
    EXPECT_EQ(was.problem.F, is.problem.F);
    ASSERT_EQ(was.problem.contacts.size(), is.problem.contacts.size());
    for (std::size_t i = 0; i < was.problem.contacts.size(); ++i) {
      EXPECT_EQ(was.problem.contacts[i].name, is.problem.contacts[i].name);
      EXPECT_EQ(was.problem.contacts[i].mu, is.problem.contacts[i].mu);
      EXPECT_EQ(was.problem.contacts[i].max_normal, is.problem.contacts[i].max_normal);
    }
    EXPECT_TRUE(is.detected.empty());
    EXPECT_EQ(was.warnings.size(), is.warnings.size());
  }
}

/// Folder with package://example-robot-data, or empty.
std::string robots()
{
#ifdef STICTION_ROBOT_DATA
  return fs::path(STICTION_ROBOT_DATA).parent_path().parent_path().string();
#else
  return "";
#endif
}

class NewScenarioOf : public ::testing::TestWithParam<const char*> {};

TEST_P(NewScenarioOf, RunsAndNeedsNoCoordinates)
{
  if (robots().empty()) GTEST_SKIP() << "no robots: set STICTION_ROBOT_DATA";
  NewScenario wanted;
  wanted.urdf = "package://example-robot-data/robots/" + std::string(GetParam());
  wanted.package_paths = {robots()};
  const std::string text = new_scenario(wanted);
  const ScenarioDocument document = parse_scenario(text, ".", "new");
  const ScenarioReport report = check_document(document, {robots()});
  EXPECT_NE(report.verdict, Verdict::kUndecided) << report.summary;
  EXPECT_GE(report.detected.size(), 2u) << text;
  for (const DetectedContact& contact : report.detected)
    for (const double distance : contact.distances) {
      EXPECT_LE(distance, 0.002);
      EXPECT_GE(distance, -1e-9) << "nothing is inside the ground";
    }
  EXPECT_TRUE(verify_report(to_json(report), "r").valid);
}

INSTANTIATE_TEST_SUITE_P(
    Robots, NewScenarioOf,
    ::testing::Values("go2_description/urdf/go2.urdf", "g1_description/urdf/g1_29dof_rev_1_0.urdf",
                      "talos_data/robots/talos_reduced.urdf", "solo_description/robots/solo12.urdf",
                      "anymal_b_simple_description/robots/anymal.urdf", "anymal_c_simple_description/urdf/anymal.urdf",
                      "a1_description/urdf/a1.urdf", "bolt_description/robots/bolt.urdf",
                      "hyq_description/robots/hyq_no_sensors.urdf", "icub_description/robots/icub_reduced.urdf"));

TEST(NewScenario, SaysWhatItCannotDo)
{
  NewScenario wanted;
  wanted.urdf = std::string(STICTION_SOURCE_DIR) + "/urdf/box.urdf";
  const auto error = [&] {
    try {
      new_scenario(wanted);
    } catch (const InputError& refused) {
      return std::string(refused.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error(), "none");
  wanted.feet = {"sole"};
  EXPECT_THAT(error(), HasSubstr("--feet: want links with collision shapes (box), got 'sole'"));
  wanted.feet = {};
  wanted.ground = "slop: 3";
  EXPECT_THAT(error(), HasSubstr("did you mean 'slope'?"));
  wanted.ground = "";
  wanted.urdf = "robot_descriptions:no such; robot";
  EXPECT_THAT(error(), HasSubstr("want robot_descriptions:NAME such as go2_description"));
}

/// The fingers of the detected grasp are where those given by hand are.
TEST(MugInAllegro, IsFoundWhereItWasTyped)
{
  if (robots().empty()) GTEST_SKIP() << "no robots: set STICTION_ROBOT_DATA";
  const ScenarioReport found = check_file(scenario("mug_detected"), {}, {robots()});
  const ScenarioReport typed = check_file(scenario("mug_in_allegro"), {}, {robots()});
  EXPECT_EQ(found.verdict, Verdict::kHolds);
  ASSERT_EQ(found.problem.contacts.size(), typed.problem.contacts.size());
  for (const Contact& contact : found.problem.contacts) {
    double nearest = 1.0;
    for (const Contact& other : typed.problem.contacts)
      nearest = std::min(nearest, (contact.point_W - other.point_W).norm() +
                                      0.01 * (contact.axes_W.col(0) + other.axes_W.col(0)).norm());
    EXPECT_LT(nearest, 1e-4) << contact.name << ": that file has six digits of angles, and the other side's normal";
  }
}

}  // namespace
}  // namespace stiction::internal
