// The question sliding, from scenario files to reports and back: the rods of Painlevé and Klein, a ladder, boxes.
#include <gmock/gmock.h>

#include <cmath>

#include "io/checked.hpp"
#include "io/row_answerer.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using Overrides = std::vector<ScenarioOverride>;

/// Normal forces of every solution, sorted.
std::vector<std::vector<double>> normal_forces(const Json& report)
{
  std::vector<std::vector<double>> all;
  for (const Json& solution : report["solutions"]) {
    all.emplace_back();
    for (const Json& contact : solution["contacts"]) all.back().push_back(contact["normal_force"].get<double>());
  }
  std::ranges::sort(all);
  return all;
}

void expect_forces(const Json& report, const std::vector<std::vector<double>>& expected)
{
  const auto found = normal_forces(report);
  ASSERT_EQ(found.size(), expected.size()) << report["summary"];
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t k = 0; k < found[i].size(); ++k) EXPECT_NEAR(found[i][k], expected[i][k], 1e-6) << i << " " << k;
}

const Json& screen(const Json& report, const std::string& name)
{
  for (const Json& entry : report["well_posedness"]["screens"])
    if (entry["name"] == name) return entry;
  throw std::runtime_error("no screen " + name);
}

TEST(SlidingReport, LooksAtAsManyModesAsAsked)
{
  const Json few = checked_json("painleve_jammed", {{"options.modes", "1"}});
  EXPECT_EQ(few["verdict"], "undecided");
  EXPECT_THAT(few["summary"].get<std::string>(), HasSubstr("more modes than the limit of 1"));
  EXPECT_EQ(checked_json("painleve_jammed", {{"options.modes", "100"}})["verdict"], "fails");
}

TEST(SlidingReport, PainlevesRod)
{
  const Json jammed = checked_json("painleve_jammed");
  EXPECT_EQ(jammed["verdict"], "fails");
  EXPECT_EQ(jammed["count"], "none");
  EXPECT_EQ(jammed["complete"], true);
  EXPECT_TRUE(jammed["solutions"].empty());
  EXPECT_TRUE(jammed["acceleration"]["values"].is_null());
  EXPECT_EQ(jammed["well_posedness"]["unique_for_all_loads"], "fails");
  EXPECT_NEAR(jammed["well_posedness"]["critical_mu"].get<double>(), 4.0 / 3, 1e-9);
  EXPECT_NEAR(jammed["well_posedness"]["margin"].get<double>(), 1 - 2 / (4.0 / 3), 1e-9);

  const Json two = checked_json("painleve_two_futures");
  EXPECT_EQ(two["count"], "several");
  EXPECT_EQ(two["complete"], true);
  expect_forces(two, {{0}, {5.626044}});
  for (const Json& solution : two["solutions"]) {
    const Json& tip = solution["contacts"][0];
    EXPECT_EQ(tip["state"], tip["normal_force"].get<double>() > 1 ? "sliding" : "detaching");
  }
  EXPECT_EQ(two["acceleration"]["unique"], false);

  const Json other =
      checked_json("painleve_jammed", {{"contacts.tip.slides", "[1, 0, 0]"}, {"models.rod.rates.x", "1"}});
  EXPECT_EQ(other["count"], "one");
  expect_forces(other, {{2.4525}});
  EXPECT_EQ(other["well_posedness"]["critical_scale"], "inf");
  EXPECT_EQ(screen(other, "Corollary 2")["satisfied"], true);
  const Json& friction = other["contacts"][0]["force_world"];
  EXPECT_NEAR(friction[0].get<double>(), -2 * 2.4525, 1e-9);  // against the slip, along the world's x
  expect_forces(checked_json("painleve_jammed", {{"contacts.tip.mu", "1"}}), {{24.525}});
}

TEST(SlidingReport, PainleveAndKlein)
{
  const Json three = checked_json("painleve_klein");
  EXPECT_EQ(three["verdict"], "holds");
  EXPECT_EQ(three["count"], "several");
  expect_forces(three, {{-2.4525, 12.2625}, {4.905, 4.905}, {12.2625, -2.4525}});
  EXPECT_NEAR(three["well_posedness"]["critical_scale"].get<double>(), 2.0 / 3, 1e-9);
  EXPECT_EQ(three["well_posedness"]["exists_for_all_loads"].get<std::string>(), "holds");  // |mu1 - mu2| < 2/tan 45
  EXPECT_TRUE(three["well_posedness"]["unique_scales"].is_null());
  EXPECT_THAT(to_text(checked("painleve_klein")), HasSubstr("all other loads have a solution, some several"));
  const Json uneven = checked_json("painleve_klein", {{"contacts.lower.mu", "3"}, {"contacts.upper.mu", "0.5"}});
  EXPECT_EQ(uneven["well_posedness"]["exists_for_all_loads"].get<std::string>(), "fails");
  EXPECT_NEAR(screen(three, "Proposition 9")["bound"].get<double>(), 2.0 / 3, 1e-9);
  EXPECT_EQ(screen(three, "Proposition 9")["satisfied"], false);
  const Json one = checked_json(
      "painleve_klein",
      {{"contacts.lower.slides", "[1, 0, 0]"}, {"contacts.upper.slides", "[1, 0, 0]"}, {"models.rod.rates.x", "1"}});
  EXPECT_EQ(one["count"], "one");
  expect_forces(one, {{4.905, 4.905}});
  const Json half = checked_json("painleve_klein", {{"contacts.upper.mu", "0"}});
  EXPECT_NEAR(screen(half, "Proposition 11")["bound"].get<double>(), 2.0, 1e-9);  // 2 cot 45
}

TEST(SlidingReport, Ladder)
{
  const Json ladder = checked_json("ladder_slips");
  EXPECT_EQ(ladder["count"], "one");
  const double u = 9.81 / (2.05 - 1.65 * 1.35 / 2.95);
  expect_forces(ladder, {{1.35 / 2.95 * u, u}});
  EXPECT_LT(ladder["acceleration"]["values"]["ladder/y"].get<double>(), 0);  // it comes down
  EXPECT_TRUE(ladder["solutions"][0]["contrary_slips"].empty());
  // At 0.5 it would rather stand: from rest neither end starts to slip; while it moves, it is braked and that is no
  // contradiction.
  const Overrides rough = {{"contacts.wall.mu", "0.5"}, {"contacts.ground.mu", "0.5"}};
  EXPECT_EQ(checked_json("ladder_slips", rough)["solutions"][0]["contrary_slips"], Json::array({"wall", "ground"}));
  EXPECT_THAT(to_text(checked("ladder_slips", rough)), HasSubstr("ground is at rest and would not start this way"));
  Overrides falling = rough;
  falling.push_back({"models.ladder.rates", "{theta: 1, x: 0.7071067811865476, y: -0.7071067811865476}"});
  EXPECT_TRUE(checked_json("ladder_slips", falling)["solutions"][0]["contrary_slips"].empty());
  EXPECT_NEAR(ladder["well_posedness"]["critical_mu"].get<double>(), 1.0, 1e-9);
  EXPECT_NEAR(ladder["well_posedness"]["critical_scale"].get<double>(), 1.0 / 0.3, 1e-9);
  EXPECT_EQ(ladder["well_posedness"]["unique_scales"][0].get<double>(), 0.0);
  EXPECT_NEAR(ladder["well_posedness"]["unique_scales"][1].get<double>(), 1.0 / 0.3, 1e-9);
  EXPECT_THAT(to_text(checked("ladder_slips")),
              HasSubstr("one solution for all other loads too, and with any friction below 3.333"));
  const Json back = checked_json("ladder_slips", {{"contacts.ground.slides", "[-1, 0, 0]"}});
  EXPECT_NEAR(back["well_posedness"]["critical_mu"].get<double>(), std::sqrt(2.0), 1e-6);  // a double root
  const Json smooth = checked_json("ladder_slips", {{"contacts.wall.mu", "0"}});
  EXPECT_NEAR(screen(smooth, "Proposition 14")["bound"].get<double>(), 4.0 / 3, 1e-9);
  EXPECT_NEAR(smooth["well_posedness"]["critical_mu"].get<double>(), 4.0 / 3, 1e-9);
  const Json prop13 =
      checked_json("ladder_slips", {{"contacts.wall.mu", "0.751896"}, {"contacts.ground.mu", "0.751896"}});
  EXPECT_NEAR(screen(prop13, "Proposition 13 |P|β₂")["value"].get<double>(), 1.0, 1e-5);
}

TEST(SlidingReport, OneBoxBrakesOnAnotherThatSticks)
{
  const Json boxes = checked_json("box_slides_on_box");
  EXPECT_EQ(boxes["verdict"], "holds");
  EXPECT_EQ(boxes["count"], "one");
  EXPECT_NEAR(boxes["acceleration"]["values"]["upper/base"][0].get<double>(), -0.3 * 9.81, 1e-9);
  for (const Json& a : boxes["acceleration"]["values"]["lower/base"]) EXPECT_NEAR(a.get<double>(), 0, 1e-9);
  double drag = 0;
  for (const Json& contact : boxes["contacts"]) {
    const bool floor = contact["name"].get<std::string>().starts_with("floor");
    if (!floor) {
      EXPECT_EQ(contact["state"], "sliding");
    }
    if (floor) drag += contact["force_world"][0].get<double>();
  }
  EXPECT_NEAR(drag, -0.3 * 9.81, 1e-9);
  EXPECT_EQ(checked_json("box_slides_on_box", {{"contacts.between.mu", "0.5"}})["verdict"], "fails");
}

TEST(SlidingReport, DirectionsAreThoseOfTheNormalsFrame)
{
  // Down a slope of 25 degrees, along the box's own x: g (sin 25 - mu cos 25).
  const Overrides down = {{"question", "sliding"}, {"contacts.bottom.slides", "[2, 0, 0]"}};
  const Json box = checked_json("box_on_steep_slope", down);
  const double mu = box["certificate"]["problem"]["contacts"][0]["mu"].get<double>(),
               slope = 25.0 / 180 * 3.14159265358979;
  EXPECT_EQ(box["count"], "one");
  EXPECT_NEAR(box["acceleration"]["values"]["box/base"][0].get<double>(),
              9.81 * (std::sin(slope) - mu * std::cos(slope)), 1e-6);
  const Overrides world = {{"question", "sliding"},
                           {"contacts.bottom.slides", "[0.9063077870366499, 0, -0.42261826174069944]"},
                           {"contacts.bottom.normal", "[0.42261826174069944, 0, 0.9063077870366499]"},
                           {"contacts.bottom.normal_frame", "world"}};
  EXPECT_NEAR(checked_json("box_on_steep_slope", world)["acceleration"]["values"]["box/base"][0].get<double>(),
              box["acceleration"]["values"]["box/base"][0].get<double>(), 1e-9);
}

TEST(SlidingReport, ContactsWithoutFrictionSlideAnyway)
{
  const Json slope = checked_json("box_on_slope", {{"question", "sliding"}, {"contacts.bottom.mu", "0"}});
  EXPECT_EQ(slope["count"], "one");
  EXPECT_NEAR(slope["acceleration"]["values"]["box/base"][0].get<double>(), 9.81 * std::sin(0.3490658503988659), 1e-9);
  // While it moves, too, and without a word about the direction.
  const Json moving =
      checked_json("box_on_slope",
                   {{"question", "sliding"}, {"contacts.bottom.mu", "0"}, {"models.box.twist", "{linear: [0, 3, 0]}"}});
  EXPECT_EQ(moving["count"], "one");
  EXPECT_NEAR(moving["acceleration"]["values"]["box/base"][0].get<double>(), 9.81 * std::sin(0.3490658503988659), 1e-9);
}

TEST(SlidingReport, WithoutSlidingContactsItIsAllSticking)
{
  for (const char* name : {"block_on_ground", "block_slides", "pinch_on_guide", "pinch_too_weak", "box_on_slope",
                           "box_on_steep_slope", "rail_grasp"})
    EXPECT_EQ(checked_json(name, {{"question", "sliding"}})["verdict"], checked_json(name)["verdict"]) << name;
}

TEST(SlidingReport, KeysInTheOrderOfTheContract)
{
  const Json json = checked_json("ladder_slips");
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"stiction", "name", "question", "verdict", "summary", "acceleration",
                                            "contacts", "efforts", "count", "complete", "solutions", "well_posedness",
                                            "certificate", "solver", "warnings", "inputs", "checksum"}));
  EXPECT_TRUE(checked_json("ladder_slips", {{"options.margins", "false"}})["well_posedness"].is_null());
}

TEST(SlidingReport, BadInputNamesTheEntryAndBothDirections)
{
  const auto rod = [](const Overrides& overrides) { return error_of("painleve_two_futures", overrides); };
  EXPECT_THAT(rod({{"contacts.tip.slides", "[1, 0, 0]"}}),
              HasSubstr("contacts[0].slides: want the direction of the velocity at tip, (-"));
  EXPECT_THAT(rod({{"contacts.tip.slides", "[1, 0, 0]"}}), HasSubstr("got (1, 0, 0) in the world"));
  EXPECT_THAT(rod({{"contacts.tip.slides", "[-1, 0, 0.1]"}}),
              HasSubstr("contacts[0].slides: want a direction along the surface at tip, got (-1, 0, 0.1)"));
  EXPECT_THAT(rod({{"models.rod.rates.y", "1.7"}}),
              HasSubstr("contacts[0]: want no velocity across the surface at tip"));
  EXPECT_THAT(rod({{"models.rod.rates.y", "1.7"}}), HasSubstr("belongs to the question impact"));
  EXPECT_THAT(rod({{"models.rod.rates.y", "1.9"}}), HasSubstr("leave it out"));
  EXPECT_THAT(rod({{"contacts.tip.torsion", "0.1"}}),
              HasSubstr("contacts[0].torsion: want none at a contact that slides"));
  EXPECT_THAT(rod({{"options.cone", "{inner: 8}"}}), HasSubstr("options.cone: want exact for the question sliding"));
  EXPECT_THAT(rod({{"options.detachment", "forbidden"}}), HasSubstr("options.detachment: want allowed"));
  EXPECT_THAT(rod({{"contacts.tip.slides", "[0, 0, 0]"}}), HasSubstr("contacts[0].slides: want a direction"));
  EXPECT_THAT(error_of("box_slides_on_box", {{"contacts.between.slides", "[0.6, 0.8, 0]"}}),
              HasSubstr("(0.5, 0, 0) m/s in the world, got (0.6, 0.8, 0)"));
  EXPECT_THAT(error_of("box_slides_on_box",
                       {{"models.lower.twist", "{linear: [0.1, 0, 0]}"}, {"contacts.floor.torsion", "0.1"}}),
              HasSubstr("contacts[0]: want bodies at rest relative to each other at floor/0"));
  EXPECT_THAT(error_of("biped_standing", {{"question", "sliding"}, {"models.robot.effort", "limits"}}),
              HasSubstr("models.robot.effort: want given efforts for sliding"));
}

/// What moves slides, whether it says so or not.
TEST(SlidingReport, TakesTheDirectionFromTheVelocity)
{
  const Json said = checked_json("box_slides_on_box");
  Scenario scenario = read_scenario_file(std::string(STICTION_SOURCE_DIR) + "/scenarios/box_slides_on_box.yaml");
  ASSERT_TRUE(scenario.contact_motions[1].slides);
  scenario.contact_motions[1].slides.reset();
  const Json taken = Json::parse(to_json(check(scenario)));
  for (const char* key : {"verdict", "summary", "acceleration", "contacts", "solutions"})
    EXPECT_EQ(said[key], taken[key]) << key;
}

TEST(SlidingVerify, AcceptsWhatCheckWritesAndSaysWhatItProves)
{
  const auto message = [](const std::string& name, const Overrides& overrides = {}) {
    const Verification result = verify_report(to_json(checked(name, overrides)), "r");
    EXPECT_TRUE(result.valid) << name << ": " << result.message;
    return result.message;
  };
  EXPECT_EQ(message("painleve_jammed"), "proved: fails, no mode has a solution");
  EXPECT_EQ(message("painleve_two_futures"), "proved: holds, with 2 solutions and no other");
  EXPECT_EQ(message("painleve_klein"), "proved: holds, with 3 solutions and no other");
  EXPECT_EQ(message("ladder_slips"), "proved: holds, with one solution and no other");
  message("box_slides_on_box");
  message("quadruped_foot_slips");
  message("ladder_slips", {{"options.solver", "qpoases"}});
  message("pinch_on_guide", {{"question", "sliding"}});
  message("box_on_steep_slope", {{"question", "sliding"}});
}

TEST(SlidingVerify, SaysWhatDisagrees)
{
  const std::string json = to_json(checked("painleve_klein"));
  const auto message = [&](auto edit) { return message_about_forged(json, edit); };
  EXPECT_THAT(message([](Json& r) { r["verdict"] = "fails"; }),
              HasSubstr("says 'fails', but its certificate proves 'holds'"));
  EXPECT_THAT(message([](Json& r) { r["count"] = "one"; }),
              HasSubstr("says 'one', but its certificate proves 'several'"));
  EXPECT_THAT(message([](Json& r) { r["complete"] = false; }),
              HasSubstr("complete: the report says false, but its certificate proves true"));
  EXPECT_THAT(message([](Json& r) { r["solutions"].erase(2); }),
              HasSubstr("solutions: the report says a list of 2, but its certificate proves a list of 3"));
  EXPECT_THAT(message([](Json& r) { r["solutions"][1]["contacts"][0]["normal_force"] = 1.0; }),
              HasSubstr("solutions[1].contacts[0].normal_force"));
  EXPECT_THAT(message([](Json& r) { r["contacts"][0]["normal_force"] = 1.0; }), HasSubstr("contacts[0].normal_force"));
  EXPECT_THAT(message([](Json& r) { r["acceleration"]["values"]["rod/x"] = 1.0; }),
              HasSubstr("acceleration.values.rod/x"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["witnesses"][2]["lambda"][0] = 13.0; }),
              HasSubstr("M a + F = J'lambda is violated"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["slips"][0][0] = 1.0; }), HasSubstr("breaks the law of sliding"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["slips"][0] = nullptr; }), HasSubstr("proves nothing"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["problem"]["contacts"][0]["mu"] = 1.4; }),
              HasSubstr("breaks the law of sliding"));
  EXPECT_THAT(message([](Json& r) { r["certificate"]["leaves"].clear(); }), HasSubstr("not"));
  // A solution too many, listed and with a witness that is none.
  EXPECT_THAT(message([](Json& r) {
                Json witness = r["certificate"]["witnesses"][0], solution = r["solutions"][0];
                const double x = witness["a"][0].get<double>() + 1;
                witness["a"][0] = x;
                solution["acceleration"]["values"]["rod/x"] = x;
                r["certificate"]["witnesses"].push_back(witness);
                r["solutions"].push_back(solution);
              }),
              HasSubstr("M a + F = J'lambda is violated"));
  // Jammed only as long as every mode is shown to be empty.
  const std::string jammed = to_json(checked("painleve_jammed"));
  EXPECT_THAT(message_about_forged(jammed, [](Json& r) { r["certificate"]["leaves"].erase(0); }),
              HasSubstr("proves nothing"));
  EXPECT_THAT(message_about_forged(jammed, [](Json& r) { r["certificate"]["problem"]["contacts"][0]["mu"] = 1.2; }),
              HasSubstr("proves nothing"));
  expect_no_digit_may_change(jammed);
}

TEST(SlidingBatch, RowsAnswerAsCheckDoes)
{
  const std::vector<Overrides> rows = {{{"contacts.ground.mu", "0.9"}},
                                       {{"contacts.wall.mu", "1.5"}, {"contacts.ground.mu", "1.5"}},
                                       {{"contacts.ground.slides", "[-1, 0, 0]"}},
                                       {{"models.ladder.joints.theta", "-1.1"}},
                                       {{"gravity", "[0, 0, -1.6]"}, {"contacts.wall.mu", "0"}},
                                       {{"contacts.wall.side", "unilateral"}},
                                       {}};
  ScenarioDocument document = load_scenario(scenario("ladder_slips"));
  apply({{"options.margins", "true"}}, document);
  RowAnswerer answerer(document, {});
  EXPECT_EQ(answerer.columns(), (std::vector<std::string>{"count", "solutions", "critical_scale", "margin"}));
  for (const Overrides& overrides : rows) {
    BatchRow row;
    for (const auto& [path, value] : overrides) row.changes.emplace_back(path, parse_yaml(value, ""));
    RowAnswer answer;
    answerer.answer(row, answer);
    const Json expected = checked_json("ladder_slips", overrides);
    EXPECT_EQ(name_of(answer.verdict), expected["verdict"].get<std::string>());
    ASSERT_EQ(answer.cells.size(), 4u);
    EXPECT_EQ(answer.cells[0].word, expected["count"].get<std::string>());
    EXPECT_EQ(answer.cells[1].number, static_cast<double>(expected["solutions"].size()));
    EXPECT_EQ(answer.cells[2].number, expected["well_posedness"]["critical_scale"].get<double>());
    EXPECT_EQ(answer.cells[3].number, expected["well_posedness"]["margin"].get<double>());
  }
}

}  // namespace
}  // namespace stiction::internal
