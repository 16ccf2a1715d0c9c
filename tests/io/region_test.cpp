#include "stiction/region.hpp"

#include <gmock/gmock.h>

#include <functional>

#include "io/checked.hpp"
#include "io/row_answerer.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

const std::vector<ScenarioOverride> kRegion = {{"question", "region"}};

std::vector<Eigen::Vector2d> corners(const Json& polygon)
{
  std::vector<Eigen::Vector2d> result;
  for (const Json& corner : polygon) result.emplace_back(corner[0].get<double>(), corner[1].get<double>());
  return result;
}

TEST(RegionReport, FlatFeetAreHeldAboveTheirHull)
{
  const Json json = checked_json("biped_region");
  EXPECT_EQ(json["region"]["kind"], "bounded");
  EXPECT_NEAR(json["region"]["area"][0].get<double>(), 0.2 * 0.3, 1e-3 * 0.06);
  EXPECT_NEAR(json["region"]["area"][1].get<double>(), 0.2 * 0.3, 1e-3 * 0.06);
  // Feet from -0.0722 to 0.1278 along x, the centre of mass in their middle.
  EXPECT_NEAR(json["margins"]["com"].get<double>(), 0.1, 1e-3);
  EXPECT_LE(json["margins"]["intervals"]["com"][0].get<double>(), 0.1 + 1e-5);
  EXPECT_GE(json["margins"]["intervals"]["com"][1].get<double>(), 0.1 - 1e-5);
}

TEST(RegionReport, GravityMovesTheRegionAndNotTheFeet)
{
  // The weight meets the ground h tan(alpha) further along: the region moves back by as much.
  const double tilt = 0.1;
  const Json flat = checked_json("biped_region");
  const Json tilted = checked_json("biped_region", {{"gravity", "[0.981, 0, -9.81]"}});
  Scene scene(read_scenario_file(scenario("biped_region")).scene);
  const double height = scene.center_of_mass(scene.described_state()).z();
  double lower = 1.0, lower_tilted = 1.0;
  for (const Eigen::Vector2d& corner : corners(flat["region"]["pieces"][0]["inner"]))
    lower = std::min(lower, corner.x());
  for (const Eigen::Vector2d& corner : corners(tilted["region"]["pieces"][0]["inner"]))
    lower_tilted = std::min(lower_tilted, corner.x());
  EXPECT_NEAR(lower_tilted - lower, -height * tilt, 1e-3);
}

TEST(RegionReport, LoadsStayWhereTheyAre)
{
  // Weight m g at c and 100 N at p: held while (m g c + 100 p) / (m g + 100) is above the feet.
  const Json flat = checked_json("biped_region");
  const Json loaded =
      checked_json("biped_region", {{"loads", "[{link: robot/torso, at: [0.05, 0, 0.2], force: [0, 0, -100]}]"}});
  Scene scene(read_scenario_file(scenario("biped_region")).scene);
  const double weight = scene.total_mass() * 9.81;
  const double p = (scene.link_pose(scene.described_state(), "robot/torso") * Eigen::Vector3d(0.05, 0, 0.2)).x();
  double lower = 1.0, lower_loaded = 1.0;
  for (const Eigen::Vector2d& corner : corners(flat["region"]["pieces"][0]["inner"]))
    lower = std::min(lower, corner.x());
  for (const Eigen::Vector2d& corner : corners(loaded["region"]["pieces"][0]["inner"]))
    lower_loaded = std::min(lower_loaded, corner.x());
  EXPECT_NEAR(lower_loaded, (lower * (weight + 100) - 100 * p) / weight, 1e-3);
}

TEST(RegionReport, InnerHoldsAndBeyondOuterFailsByEquilibrium)
{
  // A torque on the root link moves the weight: d x m g. Equilibrium is asked, not the region.
  for (const char* name : {"quadruped_standing", "biped_standing"}) {
    const std::vector<ScenarioOverride> overrides = {
        {"question", "region"}, {"models.robot.effort", "limits"}, {"gravity", "[1, 0.5, -9.81]"}};
    const Json json = checked_json(name, overrides);
    ASSERT_EQ(json["region"]["kind"], "bounded") << json["summary"];
    const Scenario described = read_scenario_file(scenario(name), overrides);
    Scene scene(described.scene);
    const Eigen::Vector2d position = scene.center_of_mass(scene.described_state()).head<2>();
    const auto verdict_at = [&](const Eigen::Vector2d& c) {
      const Eigen::Vector3d d(c.x() - position.x(), c.y() - position.y(), 0.0);
      const Eigen::Vector3d torque = d.cross(scene.total_mass() * described.scene.gravity);
      std::ostringstream load;
      load.precision(17);
      load << "[{link: " << scene.root_link("robot") << ", torque: [" << torque.x() << ", " << torque.y() << ", "
           << torque.z() << "]}]";
      std::vector<ScenarioOverride> moved = overrides;
      moved[0].value = "equilibrium";
      moved.push_back({"loads", load.str()});
      return checked(name, moved).verdict;
    };
    const auto inner = corners(json["region"]["pieces"][0]["inner"]),
               outer = corners(json["region"]["pieces"][0]["outer"]);
    Eigen::Vector2d middle = Eigen::Vector2d::Zero();
    for (const Eigen::Vector2d& corner : inner) middle += corner / static_cast<double>(inner.size());
    for (const Eigen::Vector2d& corner : inner)
      EXPECT_EQ(verdict_at(middle + 0.999 * (corner - middle)), Verdict::kHolds) << name;
    for (const Eigen::Vector2d& corner : outer)
      EXPECT_EQ(verdict_at(middle + 1.001 * (corner - middle)), Verdict::kFails) << name;
  }
}

TEST(RegionReport, EmptyAndOutsideAndUnbounded)
{
  const Json empty = checked_json("box_on_steep_slope", {{"question", "region"}, {"contacts.0.mu", "0.1"}});
  EXPECT_EQ(empty["region"]["kind"], "empty");
  EXPECT_EQ(empty["verdict"], "fails");
  EXPECT_TRUE(empty["margins"]["com"].is_null());
  EXPECT_THAT(empty["summary"].get<std::string>(), HasSubstr("the support region is empty"));
  const Json outside = checked_json("biped_region", {{"gravity", "[4, 0, -9.81]"}});
  EXPECT_EQ(outside["verdict"], "fails");
  EXPECT_LT(outside["margins"]["com"].get<double>(), -0.01);
  EXPECT_THAT(outside["summary"].get<std::string>(), HasSubstr("m outside the support region"));
  // Hands against opposite walls: the weight may be anywhere between and beyond.
  const std::vector<ScenarioOverride> walls = {{"question", "region"},
                                               {"contacts",
                                                "[{name: a, link: box/box, points: [[-0.1, 0.1, 0.1], [-0.1, -0.1, "
                                                "0.1], [-0.1, 0, -0.1]], normal: [1, 0, 0], mu: 0.8}, "
                                                "{name: b, link: box/box, points: [[0.1, 0.1, 0.1], [0.1, -0.1, 0.1], "
                                                "[0.1, 0, -0.1]], normal: [-1, 0, 0], mu: 0.8}]"}};
  const Json unbounded = checked_json("box_pushed", walls);
  EXPECT_EQ(unbounded["region"]["kind"], "unbounded");
  EXPECT_TRUE(unbounded["region"]["pieces"].empty());
  EXPECT_EQ(unbounded["verdict"], "holds");
  std::vector<ScenarioOverride> boxed = walls;
  boxed.push_back({"options.box", "0.5"});
  const Json clipped = checked_json("box_pushed", boxed);
  EXPECT_LE(clipped["region"]["area"][1].get<double>(), 1.0 + 1e-9);
  EXPECT_GT(clipped["region"]["area"][0].get<double>(), 0.9);
  for (const auto& overrides : {walls, boxed}) {
    const Verification proof = verify_report(to_json(checked("box_pushed", overrides)), "r");
    EXPECT_TRUE(proof.valid) << proof.message;
  }
}

TEST(RegionReport, BadInputNamesTheEntry)
{
  EXPECT_THAT(error_of("block_on_ground", kRegion), HasSubstr("models: want one with a floating base"));
  EXPECT_THAT(error_of("stack_of_boxes", kRegion),
              HasSubstr("options.object: want the model whose centre of mass moves (lower, upper"));
  EXPECT_THAT(error_of("biped_region", {{"options.object", "cow"}}),
              HasSubstr("options.object: want a model with a floating base, got 'cow'"));
  EXPECT_EQ(error_of("stack_of_boxes", {{"question", "region"}, {"options.object", "upper"}}), "no error");
}

TEST(RegionVerify, EveryCornerAndSideIsJudged)
{
  const std::string json = to_json(checked("biped_region"));
  const Verification proof = verify_report(json, "r");
  EXPECT_TRUE(proof.valid) << proof.message;
  EXPECT_EQ(proof.message, "proved: holds, by forces, and the region");
  const auto message = [&](auto edit) { return message_about_forged(json, edit); };
  EXPECT_THAT(message([](Json& r) { r["verdict"] = "fails"; }), HasSubstr("the position is held, says its proof"));
  EXPECT_THAT(message([](Json& r) { r["region"]["pieces"][0]["inner"][0][0] = 0.5; }),
              HasSubstr("region.pieces[0].inner[0][0]: the report says 0.5"));
  EXPECT_THAT(message([](Json& r) { r["region"]["pieces"][0]["outer"][0][0] = 0.5; }),
              HasSubstr("region.pieces[0].outer[0][0]: the report says 0.5"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["pieces"][0]["inner"][0][0] = 0.5; }),
              HasSubstr("is held is not proved"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["pieces"][0]["forces"].erase(0); }),
              HasSubstr("differ in number"));
  EXPECT_THAT(message([](Json& r) {
                Json& offset = r["certificate"]["pieces"][0]["cuts"][0]["offset"];
                offset = offset.get<double>() - 0.01;
              }),
              HasSubstr("cuts[0].offset: the report says"));
  EXPECT_THAT(message([](Json& r) { r["region"]["position"][0] = 0.09; }),
              HasSubstr("region.position[0]: the report says 0.09"));
  EXPECT_THAT(message([](Json& r) { r["region"]["position"][0] = r["certificate"]["position"][0] = 0.09; }),
              HasSubstr("the centre of mass is not at the position"));
  EXPECT_THAT(message([](Json& r) { r["region"]["area"][0] = 0.07; }), HasSubstr("more than that of the inner"));
  EXPECT_THAT(message([](Json& r) { r["region"]["area"][1] = 0.05; }), HasSubstr("less than that of the outer"));
  EXPECT_THAT(message([](Json& r) { r["margins"]["com"] = r["margins"]["intervals"]["com"][0] = 0.11; }),
              HasSubstr("not that far inside"));
  EXPECT_THAT(message([](Json& r) { r["margins"]["intervals"]["com"][1] = 0.09; }), HasSubstr("further inside"));
  EXPECT_THAT(message([](Json& r) { r["region"]["model"] = "cow"; }), HasSubstr("region.model: the report says 'cow'"));
  EXPECT_THAT(message([](Json& r) { r["region"]["model"] = r["certificate"]["model"] = "cow"; }),
              HasSubstr("floating base, got 'cow'"));
  expect_no_digit_may_change(json, 60);
}

/// Moves or scales every corner, as shown and as proved.
void change_corners(Json& report, const char* polygon, const std::function<void(Json& corner, bool world)>& change)
{
  for (Json& piece : report["region"]["pieces"])
    for (Json& corner : piece[polygon]) change(corner, true);
  for (Json& piece : report["certificate"]["pieces"])
    for (Json& corner : piece[polygon]) change(corner, false);
}

TEST(RegionVerify, ForgedRegionsAreRefused)
{
  const std::string json = to_json(checked("biped_region"));
  const auto message = [&](auto edit) { return message_about_forged(json, edit); };
  EXPECT_THAT(message([](Json& r) {  // half of it
                change_corners(r, "outer",
                               [](Json& c, bool) { c[0] = 0.5 * c[0].get<double>(), c[1] = 0.5 * c[1].get<double>(); });
                r["region"]["area"][1] = 0.25 * r["region"]["area"][1].get<double>();
              }),
              HasSubstr("something may be held"));
  EXPECT_THAT(message([](Json& r) {  // somewhere else
                for (const char* polygon : {"inner", "outer"})
                  change_corners(r, polygon, [](Json& c, bool world) {
                    if (world) c[0] = c[0].get<double>() + 5.0;
                  });
                r["region"]["position"][0] = r["region"]["position"][0].get<double>() + 5.0;
                r["certificate"]["position"] = r["region"]["position"];
              }),
              HasSubstr("not at the position"));
  EXPECT_THAT(message([](Json& r) {  // wound twice
                for (Json* pieces : {&r["region"]["pieces"], &r["certificate"]["pieces"]}) {
                  Json& inner = (*pieces)[0]["inner"];
                  for (const Json& corner : Json(inner)) inner.push_back(corner);
                }
                Json& forces = r["certificate"]["pieces"][0]["forces"];
                for (const Json& lambda : Json(forces)) forces.push_back(lambda);
                r["region"]["area"] = {0.1199, 0.12};
              }),
              HasSubstr("inner polygon is not convex"));
  EXPECT_THAT(message([](Json& r) {  // listed twice
                for (Json* pieces : {&r["region"]["pieces"], &r["certificate"]["pieces"]})
                  pieces->push_back(Json((*pieces)[0]));
              }),
              HasSubstr("two pieces have the same signs"));
  EXPECT_THAT(message([](Json& r) {  // unbounded
                r["region"]["kind"] = "unbounded";
                r["region"]["direction"] = {1.0, 0.0};
                r["region"]["pieces"] = r["certificate"]["pieces"] = Json::array();
                r["region"]["area"] = {0.0, "inf"};
                r["margins"]["com"] = "inf";
                r["margins"]["intervals"]["com"] = {"inf", "inf"};
              }),
              HasSubstr("no proof that the region is unbounded"));
  EXPECT_THAT(message([](Json& r) {  // empty
                r["region"]["kind"] = "empty";
                r["region"]["pieces"] = r["certificate"]["pieces"] = Json::array();
                r["region"]["area"] = {0.0, 0.0};
                r["margins"] = {{"com", nullptr}};
              }),
              HasSubstr("no proof that the region is empty"));
  EXPECT_THAT(message([](Json& r) {  // as if nothing moved
                for (Json& row : r["certificate"]["shift"]) row = {0.0, 0.0};
              }),
              HasSubstr("shift is zero"));
  EXPECT_THAT(message([](Json& r) {  // as if it weighed nothing along y
                for (Json& row : r["certificate"]["shift"]) row[1] = 0.0;
              }),
              HasSubstr("not the moment of a force"));
}

// Unlike a certificate about a problem that is none, which is refused.
TEST(RegionVerify, WhatIsNoReportIsNotJudged)
{
  const Json report = checked_json("biped_region");
  Json without = report, untrue = report;
  without["certificate"].erase("shift");
  EXPECT_THROW(verify_report(without.dump(), "r"), InputError);
  untrue["certificate"]["problem"]["contacts"][0]["mu"] = -1.0;
  EXPECT_THAT(verify_report(untrue.dump(), "r").message, HasSubstr("the certificate's problem is not one"));
}

TEST(RegionVerify, OwnReportsAreValid)
{
  const std::vector<std::vector<ScenarioOverride>> cases = {{{"models.robot.pose.xyz", "[1000, -1000, 0.83527]"}},
                                                            {{"models.robot.pose.xyz", "[1000000, 1000000, 0.83527]"}},
                                                            {{"options.cone", "{inner: 8}"}},
                                                            {{"options.box", "0.05"}},
                                                            {{"gravity", "[4, 0, -9.81]"}}};
  for (const auto& overrides : cases) {
    const Verification proof = verify_report(to_json(checked("biped_region", overrides)), "r");
    EXPECT_TRUE(proof.valid) << overrides[0].value << ": " << proof.message;
  }
  const std::vector<ScenarioOverride> inner = {{"options.cone", "{inner: 8}"}};
  const Json facets = checked_json("biped_region", inner);
  EXPECT_EQ(facets["region"]["kind"], "undecided");
  EXPECT_EQ(facets["region"]["area"][1], "inf");
  EXPECT_GT(facets["region"]["area"][0].get<double>(), 0.0599);
  EXPECT_EQ(verify_report(to_json(checked("biped_region", inner)), "r").message,
            "proved: holds, by forces, and what is held; not that nothing beyond is held");
  // A contact that is far away, where the origin is near.
  const std::vector<ScenarioOverride> far = {
      {"question", "region"},
      {"contacts",
       "[{name: a, link: box/box, normal: [0, 0, 1], mu: 0.8, points: [[1000, 0, -0.1], [-0.1, 0.1, -0.1], "
       "[-0.1, -0.1, -0.1]]}]"}};
  const Verification distant = verify_report(to_json(checked("box_pushed", far)), "r");
  EXPECT_TRUE(distant.valid) << distant.message;
  // One contact: a point.
  const std::vector<ScenarioOverride> point = {
      {"question", "region"},
      {"contacts", "[{name: a, link: box/box, at: [0.05, 0.02, -0.1], normal: [0, 0, 1], mu: 0.8}]"}};
  const Verification proof = verify_report(to_json(checked("box_pushed", point)), "r");
  EXPECT_TRUE(proof.valid) << proof.message;
  EXPECT_LT(checked_json("box_pushed", point)["region"]["area"][1].get<double>(), 1e-18);
}

TEST(RegionBatch, RowsHaveTheirColumns)
{
  RowAnswerer answerer(load_scenario(scenario("biped_region")), {});
  EXPECT_EQ(answerer.columns(), (std::vector<std::string>{"region", "com", "area_lower", "area_upper"}));
  BatchRow row;
  row.changes.emplace_back("models.robot.pose.xyz", parse_yaml("[1, 0, 0.83527]", ""));
  RowAnswer answer;
  answerer.answer(row, answer);
  EXPECT_EQ(answer.verdict, Verdict::kHolds);
  EXPECT_EQ(answer.cells[0].word, "bounded");
  EXPECT_NEAR(answer.cells[1].number.value(), 0.1, 1e-3);
  EXPECT_NEAR(answer.cells[2].number.value(), 0.06, 1e-4);
}

}  // namespace
}  // namespace stiction::internal
