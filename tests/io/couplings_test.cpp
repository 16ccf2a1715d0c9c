// The question couplings, from scenario files to reports and back: the rod of section 4.3, a block on three points, a
// crank.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "io/checked.hpp"
#include "io/row_answerer.hpp"
#include "stiction/exact.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using Overrides = std::vector<ScenarioOverride>;

const Json& row(const Json& report, const std::string& name)
{
  for (const Json& entry : report["rows"])
    if (entry["name"] == name) return entry;
  throw std::runtime_error("no row " + name);
}
double first(const Json& report, const char* block) { return report["couplings"][block][0][0].get<double>(); }

TEST(CouplingsReport, RodOnAWallAndARail)
{
  const Json rod = checked_json("rod_wall_and_rail");
  EXPECT_EQ(rod["verdict"], "holds");
  EXPECT_NEAR(first(rod, "A"), 1.25, 1e-12);
  EXPECT_NEAR(first(rod, "B"), 1.25, 1e-12);
  EXPECT_NEAR(first(rod, "E"), -0.75, 1e-12);
  EXPECT_NEAR(first(rod, "Ac"), 0.8, 1e-12);
  const Json& couplings = rod["couplings"];
  EXPECT_NEAR(couplings["angles"]["unilateral_bilateral"][0][0].get<double>(), 0.9272952, 1e-7);
  const double inertia[3][3] = {{0.5, 0, 0}, {0, 0.3, 0.848528}, {0, 0.848528, 2.4}};  // (39)
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(couplings["constrained_inertia_inverse"][i][k].get<double>(), inertia[i][k], 1e-6);
  EXPECT_NEAR(couplings["principal_cosines"][0].get<double>(), 0.6, 1e-12);
  EXPECT_NEAR(couplings["singularity_margin"].get<double>(), 0.64, 1e-12);
  EXPECT_NEAR(first(rod, "shock_gain"), 0.6, 1e-12);
  // one contact: its force solves Ac λ + Hc = 0
  EXPECT_NEAR(couplings["Hc"][0].get<double>(), -0.8 * 2 * 3 * 9.81 * 0.5 / 4, 1e-9);
  EXPECT_EQ(couplings["newton_always_solvable"], true);
  EXPECT_LT(couplings["reduced_coordinate_gap"].get<double>(), 1e-12);
  EXPECT_EQ(couplings["forces_unique"], true);
  EXPECT_EQ(couplings["unilateral"], Json::array({"wall normal"}));
  EXPECT_EQ(couplings["bilateral"], Json::array({"rail normal"}));
  EXPECT_NEAR(row(rod, "wall normal")["force"].get<double>(), 2 * 3 * 9.81 * 0.5 / 4, 1e-9);
  EXPECT_NEAR(row(rod, "rail normal")["force"].get<double>(), 2 * 9.81 * 2.5 / 4, 1e-9);
  // Upright or level nothing couples.
  for (const char* theta : {"0", "1.5707963267948966"})
    EXPECT_EQ(checked_json("rod_wall_and_rail", {{"models.rod.joints.theta", theta}})["couplings"]["decoupled"], true);
}

TEST(CouplingsReport, RodThatTurnsWhileItsTipStays)
{
  // Section 4.3 with theta' = w: lu = m c (3 g s - 4 l w^2) / 4, lb = m/4 (g (1 + 3 s^2) - 4 l s w^2), until it
  // separates.
  const double th = 0.7853981633974483, s = std::sin(th), c = std::cos(th), m = 2, l = 0.5, g = 9.81;
  for (const double w : {1.0, 2.0, 4.0}) {
    const std::string rates =
        "{theta: " + std::to_string(w) + ", x: " + Json(-l * s * w).dump() + ", y: " + Json(l * c * w).dump() + "}";
    const Json rod = checked_json("rod_wall_and_rail", {{"models.rod.rates", rates}});
    const double lu = std::max(0.0, m * c * (3 * g * s - 4 * l * w * w) / 4);
    EXPECT_NEAR(row(rod, "wall normal")["force"].get<double>(), lu, 1e-9);
    EXPECT_NEAR(row(rod, "rail normal")["force"].get<double>(),
                lu > 0 ? m / 4 * (g * (1 + 3 * s * s) - 4 * l * s * w * w) : m * (g - l * s * w * w) / (1 + 3 * c * c),
                1e-9);
    EXPECT_EQ(lu > 0, w < 3);
    // drifts of wall and rail are in the vector of the LCP
    EXPECT_NEAR(first(rod, "Ac") * lu + rod["couplings"]["Hc"][0].get<double>(),
                row(rod, "wall normal")["opening"].get<double>(), 1e-9);
  }
}

TEST(CouplingsReport, BlockOnThreePoints)
{
  const Json block = checked_json("block_on_three_points");
  EXPECT_EQ(block["verdict"], "holds");
  EXPECT_EQ(block["couplings"]["balanced"], true);
  EXPECT_EQ(block["acceleration"]["unique"], true);
  EXPECT_EQ(block["couplings"]["forces_unique"], false);
  EXPECT_EQ(block["indeterminacy"]["degree"], 2);
  double sum = 0;
  for (const char* name : {"left", "middle", "right"}) {
    const Json& entry = row(block, std::string(name) + " normal");
    sum += entry["force"].get<double>();
    EXPECT_NEAR(entry["interval"][0].get<double>(), 0, 1e-6);
    EXPECT_NEAR(entry["interval"][1].get<double>(), 9.81, 1e-6);
  }
  EXPECT_NEAR(sum, 9.81, 1e-9);
  for (const Json& line : block["couplings"]["Ac"])
    for (const Json& entry : line) EXPECT_NEAR(entry.get<double>(), 1.0, 1e-12);
  // Without the guides it may turn: outer points carry half of what the middle leaves.
  const Json loose = checked_json("block_on_three_points", {{"closures", "[]"}});
  EXPECT_EQ(loose["indeterminacy"]["degree"], 1);
  EXPECT_NEAR(row(loose, "left normal")["interval"][1].get<double>(), 9.81 / 2, 1e-6);
  EXPECT_NEAR(row(loose, "middle normal")["interval"][1].get<double>(), 9.81, 1e-6);
}

TEST(CouplingsReport, FeetThatWouldHaveToPullPinForces)
{
  // The weight is over an outer foot: the other two cannot take any of it, although the three rows depend on each
  // other.
  const Overrides outer = {
      {"closures", "[]"}, {"contacts.left.at", "[0, 0, -0.2]"}, {"contacts.middle.at", "[0.1, 0, -0.2]"}};
  const Json block = checked_json("block_on_three_points", outer);
  EXPECT_EQ(block["indeterminacy"]["degree"], 1);
  EXPECT_EQ(block["couplings"]["forces_unique"], true);
  EXPECT_EQ(block["summary"].get<std::string>(), "holds: nothing accelerates, with one set of forces");
  EXPECT_NEAR(row(block, "left normal")["force"].get<double>(), 9.81, 1e-9);
  for (const Json& entry : block["rows"]) EXPECT_EQ(entry["interval"][0], entry["interval"][1]);
  const std::string json = to_json(checked("block_on_three_points", outer));
  EXPECT_TRUE(verify_report(json, "r").valid) << verify_report(json, "r").message;
  EXPECT_THAT(message_about_forged(json, [](Json& r) { r["certificate"]["pins"] = Json::array(); }),
              HasSubstr("but its certificate proves 'holds: nothing accelerates'"));
  EXPECT_THAT(message_about_forged(json, [](Json& r) { r["certificate"]["pins"] = Json::array({1.0, 1.0, 1.0}); }),
              HasSubstr("certificate proves"));
  EXPECT_THAT(message_about_forged(json,
                                   [](Json& r) {
                                     for (Json& entry : r["certificate"]["pins"]) entry = -entry.get<double>();
                                   }),
              HasSubstr("but its certificate proves 'holds: nothing accelerates'"));
}

TEST(CouplingsReport, WhatGlidesIsNotAtRest)
{
  const Overrides glides = {{"closures", "[]"}, {"models.b.rates", "{x: 1}"}};
  EXPECT_EQ(checked_json("block_on_three_points", glides)["summary"].get<std::string>(),
            "holds: nothing accelerates, with forces that are not unique");
}

TEST(CouplingsReport, SaysWhichContactsOpen)
{
  const Overrides lifts = {{"closures", "[]"}, {"gravity", "[0, 0, 2]"}};
  const Json block = checked_json("block_on_three_points", lifts);
  for (const Json& entry : block["rows"]) EXPECT_NEAR(entry["opening"].get<double>(), 2, 1e-12);
  EXPECT_EQ(block["couplings"]["forces_unique"], true);
  EXPECT_THAT(to_text(checked("block_on_three_points", lifts)), HasSubstr("left opens with 2 m/s²\n"));
  const Overrides held = {{"question", "couplings"}, {"gravity", "[1, 0, 2]"}};
  EXPECT_THAT(to_text(checked("block_on_ground", held)),
              HasSubstr("opens with 5.538 m/s²; its other rows are held all the same"));
  // a contact of one row opens beside another one that is held
  const std::string rod = to_text(checked("rod_wall_and_rail", {{"contacts.wall.at", "[0.5, 0, 0]"}}));
  EXPECT_THAT(rod, HasSubstr("wall opens with 5.886 m/s²\n"));
}

TEST(CouplingsReport, LcpIsSolvedByTheForcesItShows)
{
  for (const char* name : {"rod_wall_and_rail", "block_on_three_points"}) {
    const Json couplings = checked_json(name)["couplings"], report = checked_json(name);
    const std::size_t contacts = couplings["unilateral"].size();
    for (std::size_t i = 0; i < contacts; ++i) {
      double w = couplings["Hc"][i].get<double>();
      for (std::size_t j = 0; j < contacts; ++j)
        w += couplings["Ac"][i][j].get<double>() * report["rows"][j]["force"].get<double>();
      EXPECT_NEAR(w, report["rows"][i]["opening"].get<double>(), 1e-9) << name << " " << i;
    }
  }
}

/// Ends of a rod have Ac = [[4, -2], [-2, 4]], whose inverse has no negative entry; two points on the same side of its
/// centre have [[4, 2.5], [2.5, 1.75]].
TEST(CouplingsReport, NewtonsLawForEveryApproach)
{
  const auto with = [](const char* second) {
    return checked_json(
        "rod_dropped",
        {{"question", "couplings"}, {"models.r.rates", "{}"}, {"contacts.right.at", second}})["couplings"];
  };
  const Json ends = with("[1, 0, 0]");
  EXPECT_NEAR(ends["Ac"][0][1].get<double>(), -2.0, 1e-12);
  EXPECT_EQ(ends["newton_always_solvable"], true);
  const Json near = with("[-0.5, 0, 0]");
  EXPECT_GT(near["Ac"][0][1].get<double>(), 0.0);
  EXPECT_EQ(near["newton_always_solvable"], false);
  // cos = 2.5 / sqrt(4 * 1.75): the kinetic angle is 180 - 19.11 degrees
  const std::vector<ScenarioOverride> close = {
      {"question", "couplings"}, {"models.r.rates", "{}"}, {"contacts.right.at", "[-0.5, 0, 0]"}};
  EXPECT_THAT(to_text(checked("rod_dropped", close)), ::testing::HasSubstr("have a kinetic angle of 160.9"));
}

TEST(CouplingsReport, NothingBalancesALoadOnAMasslessProbe)
{
  const std::string urdf = testing::TempDir() + "probe_" + std::to_string(::getpid()) + ".urdf";
  std::ofstream(urdf) << R"(<robot name="p"><link name="base"/><link name="probe"/>
    <joint name="z" type="prismatic"><parent link="base"/><child link="probe"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="0" velocity="1"/></joint></robot>)";
  const auto pulled = [&](const char* force) {
    return to_json(check_scenario_text("stiction: 1\nmodels: {p: {urdf: " + urdf +
                                       ", base: fixed, effort: none}}\nloads: [{link: p/probe, force: [0, 0, " + force +
                                       "]}]\ncontacts: [{name: tip, link: p/probe, at: [0, 0, 0], normal: [0, 0, 1], "
                                       "mu: 0}]\nquestion: couplings\n"));
  };
  const std::string json = pulled("2");
  const Json pressed = Json::parse(pulled("-2")), lifted = Json::parse(json);
  std::filesystem::remove(urdf);
  EXPECT_NEAR(row(pressed, "tip normal")["force"].get<double>(), 2, 1e-12);
  EXPECT_EQ(pressed["acceleration"]["unique"], true);  // without a mass, but held
  EXPECT_EQ(lifted["verdict"].get<std::string>(), "fails");
  EXPECT_EQ(lifted["certificate"]["kind"].get<std::string>(), "unbalanced");
  EXPECT_THAT(lifted["summary"].get<std::string>(), HasSubstr("no forces balance the load"));
  EXPECT_EQ(verify_report(json, "r").message, "proved: fails, by an imbalance");
  EXPECT_TRUE(judge_exactly(json).valid) << judge_exactly(json).message;
  const auto reversed = [](Json& r) { r["certificate"]["a"][0] = -r["certificate"]["a"][0].get<double>(); };
  EXPECT_THAT(message_about_forged(json, reversed), HasSubstr("proves nothing: the load does not move"));
  Json forged = lifted;
  reversed(forged);
  EXPECT_FALSE(judge_exactly(forged.dump()).valid);
}

TEST(CouplingsReport, CrankAgainstAStop)
{
  const Json crank = checked_json("crank_against_stop");
  EXPECT_EQ(crank["verdict"], "fails");
  EXPECT_EQ(crank["certificate"]["kind"], "contradiction");
  EXPECT_TRUE(crank["acceleration"]["values"].is_null());
  EXPECT_THAT(crank["summary"].get<std::string>(), HasSubstr("stop normal and axle x contradict each other"));
  EXPECT_EQ(checked_json("crank_against_stop", {{"gravity", "[100, 0, 0]"}})["verdict"], "fails");  // whatever the load
  EXPECT_EQ(checked_json("crank_against_stop", {{"contacts.stop.normal", "[-1, 0, 0]"}})["verdict"], "holds");
  EXPECT_EQ(checked_json("crank_against_stop", {{"models.crank.rates.theta", "0"}})["verdict"], "holds");
}

TEST(CouplingsReport, TangentialRowsAreHeldOrLeftOut)
{
  const Overrides asks = {{"question", "couplings"}};
  const Json held = checked_json("block_on_ground", asks);
  const Json left = checked_json("block_on_ground", {{"question", "couplings"}, {"options.tangential", "left_out"}});
  EXPECT_EQ(held["couplings"]["bilateral"].size(), 2u);  // one tangent each, in the plane
  EXPECT_EQ(left["couplings"]["bilateral"].size(), 0u);
  EXPECT_EQ(left["couplings"]["unilateral"].size(), 2u);
  // mu = 0 leaves the rows of that contact out by itself.
  const Json smooth = checked_json("block_on_ground", {{"question", "couplings"}, {"contacts.left.mu", "0"}});
  EXPECT_EQ(smooth["couplings"]["bilateral"], Json::array({"right t1"}));
  EXPECT_THAT(error_of("block_on_ground", {{"question", "couplings"}, {"options.tangential", "loose"}}),
              HasSubstr("options.tangential: want held | left_out, got"));
}

TEST(CouplingsReport, SaysWhichRowsFight)
{
  const std::string text = to_text(checked("rod_wall_and_rail"));
  EXPECT_THAT(text, HasSubstr("strongest coupling: wall normal against rail normal; kinetic angle 53.13\n"));
  EXPECT_THAT(text, HasSubstr("an impulse of 1 at wall normal comes with 0.6 at rail"));
  EXPECT_THAT(to_text(checked("block_on_three_points")),
              HasSubstr("upper_guide and lower_guide depend\n   on each other"));
}

TEST(CouplingsReport, BadInputNamesTheEntry)
{
  const auto rod = [](const Overrides& overrides) { return error_of("rod_wall_and_rail", overrides); };
  EXPECT_THAT(rod({{"contacts.wall.slides", "[0, 0, 1]"}}),
              HasSubstr("contacts[0].slides: want no sliding contact in the question couplings"));
  EXPECT_THAT(rod({{"options.cone", "{outer: 8}"}}), HasSubstr("options.cone: want exact for the question couplings"));
  EXPECT_THAT(rod({{"models.rod.rates", "{x: -1}"}}),
              HasSubstr("contacts[0]: want no velocity across the surface at wall"));
  EXPECT_THAT(rod({{"models.rod.rates", "{theta: 1}"}, {"contacts.wall.mu", "0.5"}}),
              HasSubstr("contacts[0]: want bodies at rest relative to each other at wall"));
  EXPECT_THAT(error_of("crank_against_stop", {{"models.crank.rates", "{x: 1}"}, {"contacts", "[]"}}),
              HasSubstr("closures[0]: want rates that keep axle closed"));
  EXPECT_THAT(error_of("biped_standing", {{"question", "couplings"}, {"models.robot.effort", "limits"}}),
              HasSubstr("models.robot.effort: want given efforts for couplings"));
}

TEST(CouplingsVerify, AcceptsWhatCheckWrites)
{
  const auto message = [](const std::string& name, const Overrides& overrides = {}) {
    const Verification result = verify_report(to_json(checked(name, overrides)), "r");
    EXPECT_TRUE(result.valid) << name << ": " << result.message;
    return result.message;
  };
  EXPECT_EQ(message("rod_wall_and_rail"), "proved: holds, by forces");
  EXPECT_EQ(message("crank_against_stop"), "proved: fails, by contradiction");
  message("block_on_three_points");
  for (const char* name : {"block_on_ground", "pinch_on_guide", "quadruped_standing", "soft_finger", "stack_of_boxes"})
    message(name, {{"question", "couplings"}});
  message("quadruped_standing",
          {{"question", "couplings"}, {"options.solver", "qpoases"}, {"options.tangential", "left_out"}});
}

TEST(CouplingsVerify, SaysWhatDisagrees)
{
  const std::string json = to_json(checked("rod_wall_and_rail"));
  const auto message = [&](auto edit) { return message_about_forged(json, edit); };
  EXPECT_THAT(message([](Json& r) { r["verdict"] = "fails"; }),
              HasSubstr("says 'fails', but its certificate proves 'holds'"));
  EXPECT_THAT(message([](Json& r) { r["rows"][0]["force"] = 7.0; }), HasSubstr("rows[0].force: the report says 7"));
  EXPECT_THAT(message([](Json& r) { r["rows"][0]["name"] = "floor normal"; }),
              HasSubstr("rows[0].name: the report says 'floor normal', but its certificate proves 'wall normal'"));
  EXPECT_THAT(message([](Json& r) { r["rows"][0]["interval"] = Json::array({0.0, 1.0}); }),
              HasSubstr("rows[0].interval"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["lambda"][0] = 7.0; }),
              HasSubstr("proves nothing: degree of freedom"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["a"][0] = 7.0; }), HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["bilateral"] = Json::array(); }),
              HasSubstr("certificate.bilateral: the report says a list of 0"));
  EXPECT_THAT(message([](Json& r) { r["couplings"]["E"][0][0] = 0.75; }),
              HasSubstr("couplings.E[0][0]: the report says 0.75"));
  EXPECT_THAT(message([](Json& r) { r["acceleration"]["values"]["rod/x"] = 1.0; }),
              HasSubstr("acceleration.values.rod/x"));
  const std::string crank = to_json(checked("crank_against_stop"));
  EXPECT_THAT(message_about_forged(crank, [](Json& r) { r["certificate"]["lambda"][0] = -1.0; }),
              HasSubstr("proves nothing"));
  EXPECT_THAT(message_about_forged(crank, [](Json& r) { r["certificate"]["problem"]["gamma"][0] = 0.0; }),
              HasSubstr("proves nothing"));
  EXPECT_THAT(message_about_forged(crank, [](Json& r) { r["certificate"]["pins"] = Json::array({1.0}); }),
              HasSubstr("certificate.pins"));
  expect_no_digit_may_change(crank);
}

TEST(CouplingsBatch, RowsAnswerAsCheckDoes)
{
  const std::vector<Overrides> rows = {{{"models.rod.joints.theta", "0.3"}},
                                       {{"contacts.rail.side", "unilateral"}},
                                       {{"contacts.wall.mu", "0.4"}},
                                       {{"gravity", "[1, 0, -9.81]"}},
                                       {}};
  RowAnswerer answerer(load_scenario(scenario("rod_wall_and_rail")), {});
  for (const Overrides& overrides : rows) {
    BatchRow changes;
    for (const auto& [path, value] : overrides) changes.changes.emplace_back(path, parse_yaml(value, ""));
    RowAnswer answer;
    answerer.answer(changes, answer);
    const Json expected = checked_json("rod_wall_and_rail", overrides);
    EXPECT_EQ(name_of(answer.verdict), expected["verdict"].get<std::string>());
    ASSERT_EQ(answer.cells.size(), answerer.columns().size());
    EXPECT_EQ(answer.cells[0].number, expected["indeterminacy"]["degree"].get<double>());
    EXPECT_EQ(answer.cells[1].number, expected["couplings"]["singularity_margin"].get<double>());
    EXPECT_EQ(answer.cells[2].number, expected["couplings"]["smallest_Ac"].get<double>());
  }
}

}  // namespace
}  // namespace stiction::internal
