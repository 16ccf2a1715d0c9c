// Problem files: read strictly, answered as scenes are, written from scenes without losing a bit.
#include "stiction/problem_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/batch.hpp"
#include "io/checked.hpp"
#include "stiction/exact.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

/// A block of 10 N on one point: holds exactly while the push of 4 N is at most mu times 10 N.
Json block(double mu)
{
  return {{"stiction_problem", 1},
          {"name", "block"},
          {"question", "equilibrium"},
          {"nv", 3},
          {"rows", 3},
          {"F", {4.0, 0.0, 10.0}},
          {"J", {{"row", {0, 1, 2}}, {"col", {2, 0, 1}}, {"value", {1.0, 1.0, 1.0}}}},
          {"contacts", {{"tangents", 2}, {"mu", {mu}}}}};
}

ScenarioReport check_matrices(const std::string& text, const std::vector<ScenarioOverride>& overrides = {})
{
  return check_scenario_text(text, "", "p.json", overrides);
}
Verdict verdict_of(const Json& file, const std::vector<ScenarioOverride>& overrides = {})
{
  return check_matrices(file.dump(), overrides).verdict;
}

std::string error_of_text(const std::string& text, const std::vector<ScenarioOverride>& overrides = {})
{
  try {
    check_matrices(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
template <class Edit>
std::string error_after(Edit edit)
{
  Json file = block(0.5);
  edit(file);
  return error_of_text(file.dump(1));
}

TEST(ProblemFile, IsAnsweredAsItsNumbersSay)
{
  EXPECT_EQ(verdict_of(block(0.5)), Verdict::kHolds);
  EXPECT_EQ(verdict_of(block(0.41)), Verdict::kHolds);
  EXPECT_EQ(verdict_of(block(0.39)), Verdict::kFails);
  Json upside_down = block(0.5);
  upside_down["F"][2] = -10.0;
  EXPECT_EQ(verdict_of(upside_down), Verdict::kFails);
}

TEST(ProblemFile, DenseMatricesListsOfContactsAndLeftOutCountsMeanTheSame)
{
  Json file = block(0.39);
  file["J"] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  file["contacts"] = Json::array({{{"mu", 0.39}}});
  file.erase("nv");
  file.erase("rows");
  const Scenario dense = read_problem_text(file.dump()), table = read_problem_text(block(0.39).dump());
  EXPECT_EQ(dense.bare->problem.J, table.bare->problem.J);
  EXPECT_EQ(dense.bare->problem.contacts[0].name, "c0");
  EXPECT_EQ(dense.bare->problem.dof_names, (std::vector<std::string>{"v0", "v1", "v2"}));
  EXPECT_EQ(verdict_of(file), Verdict::kFails);
}

TEST(ProblemFile, EntriesMayBeReplaced)
{
  EXPECT_EQ(verdict_of(block(0.5), {{"contacts.c0.mu", "0.3"}}), Verdict::kFails);
  EXPECT_EQ(verdict_of(block(0.5), {{"contacts[0].mu", "0.3"}}), Verdict::kFails);
  EXPECT_EQ(verdict_of(block(0.5), {{"F[0]", "6"}}), Verdict::kFails);
  EXPECT_EQ(verdict_of(block(0.45), {{"options.cone", "{inner: 4}"}}), Verdict::kUndecided);  // 4 > 4.5 cos 45°
  EXPECT_THAT(error_of_text(block(0.5).dump(), {{"contacts.c7.mu", "0.3"}}), HasSubstr("want one of c0"));
  EXPECT_THAT(error_of_text(block(0.5).dump(), {{"question", "region"}}), HasSubstr("region needs a robot"));
}

TEST(ProblemFile, EveryQuestionThatMatricesAnswer)
{
  Json file = block(0.5);
  EXPECT_THAT(error_of_text(file.dump(), {{"question", "all_sticking"}}), HasSubstr("M: want the mass matrix"));
  file["M"] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  for (const char* question : {"all_sticking", "equilibrium", "couplings", "sliding", "impact", "closure"}) {
    file["question"] = question;
    const ScenarioReport report = check_matrices(file.dump());
    const std::string expected = question == std::string("closure") ? "fails" : "holds";  // it may be lifted
    EXPECT_EQ(to_string(report.verdict), expected) << question << ": " << report.summary;
    EXPECT_TRUE(verify_report(to_json(report)).valid) << question;
  }
  file["question"] = "all_sticking";
  file["actuators"] = Json::array({{{"dof", 0}, {"lower", -1.0}, {"upper", 1.0}}});
  EXPECT_THAT(error_of_text(file.dump()), HasSubstr("actuators: want none for all_sticking"));
  file["question"] = "equilibrium";
  EXPECT_EQ(verdict_of(file, {{"contacts.c0.mu", "0.31"}}), Verdict::kHolds);  // 1 N of the 4 N is the motor's
  EXPECT_EQ(verdict_of(file, {{"contacts.c0.mu", "0.29"}}), Verdict::kFails);
  EXPECT_EQ(verdict_of(file, {{"contacts.c0.mu", "0.29"}, {"actuators[0].upper", "\"inf\""}}), Verdict::kHolds);
}

/// A point that slides at 1 m/s and one that hits the ground at 2 m/s.
TEST(ProblemFile, HasVelocitiesForSlidingAndImpact)
{
  Json file = block(0.5);
  file["M"] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  file["v"] = {1.0, 0.0, 0.0};
  EXPECT_THAT(error_of_text(file.dump()), HasSubstr("contacts[0]: want bodies at rest"));
  file["contacts"] = Json::array({{{"mu", 0.5}, {"slides", {1.0, 0.0}}}});
  file["question"] = "sliding";
  const Json slides = Json::parse(to_json(check_matrices(file.dump())));
  EXPECT_EQ(slides["verdict"].get<std::string>(), "holds");
  EXPECT_NEAR(slides["acceleration"]["values"]["v0"].get<double>(), -4.0 - 5.0, 1e-9);
  file["contacts"][0]["slides"] = {-1.0, 0.0};
  EXPECT_THAT(error_of_text(file.dump()), HasSubstr("contacts[0].slides: want the direction of the velocity"));

  file["contacts"] = Json::array({{{"mu", 0.5}, {"restitution", {{"normal", 0.5}}}}});
  file["question"] = "impact";
  file["v"] = {0.0, 0.0, -2.0};
  const std::string impact = to_json(check_matrices(file.dump()));
  EXPECT_THAT(impact, HasSubstr("\"verdict\":\"holds\""));
  EXPECT_TRUE(verify_report(impact).valid);
}

TEST(ProblemFile, SaysWhereItIsWrong)
{
  EXPECT_THAT(error_after([](Json& file) { file["F"][1] = "x"; }),
              HasSubstr("p.json:9:3: F[1]: want a number, got 'x'"));
  EXPECT_THAT(error_after([](Json& file) { file["nv"] = 4; }), HasSubstr("nv: want 3, as many as F has, got '4'"));
  EXPECT_THAT(error_after([](Json& file) { file["rows"] = 4; }), HasSubstr("rows: want 3, as many as contacts"));
  EXPECT_THAT(error_after([](Json& file) { file["J"]["row"][2] = 3; }),
              HasSubstr("J.row[2]: want a whole number from 0 to 2"));
  EXPECT_THAT(error_after([](Json& file) { file["J"]["col"][2] = 0.5; }), HasSubstr("J.col[2]: want a whole number"));
  EXPECT_THAT(error_after([](Json& file) { file["J"]["col"].push_back(0); }),
              HasSubstr("J.col: want a list of 3 numbers"));
  EXPECT_THAT(error_after([](Json& file) {
                file["J"]["row"][2] = 1;
                file["J"]["col"][2] = 0;
              }),
              HasSubstr("J.value[2]: want each entry once, got a second one in row 1, column 0"));
  EXPECT_THAT(error_after([](Json& file) { file["J"] = {{1.0, 0.0, 0.0}}; }), HasSubstr("J: want 3 rows, or triplets"));
  EXPECT_THAT(error_after([](Json& file) { file["J"]["vlaue"] = 1; }), HasSubstr("did you mean 'value'?"));
  EXPECT_THAT(error_after([](Json& file) { file.erase("J"); }), HasSubstr("want an entry 'J', got none"));
  EXPECT_THAT(error_after([](Json& file) { file.erase("F"); }), HasSubstr("want an entry 'F', got none"));
  EXPECT_THAT(error_after([](Json& file) { file["contacts"]["mu"][0] = -1.0; }),
              HasSubstr("contacts[0].mu: want a number >= 0"));
  EXPECT_THAT(error_after([](Json& file) { file["contacts"] = Json::array({{{"mu", 1.0}, {"mju", 1.0}}}); }),
              HasSubstr("did you mean 'mu'?"));
  EXPECT_THAT(error_after([](Json& file) { file["contacts"] = Json::array({{{"mu", 1.0}, {"row", 1}}}); }),
              HasSubstr("contacts[0].row: want rows within 0..2, got 1..3"));
  EXPECT_THAT(error_after([](Json& file) { file["M"] = {{1.0, 2.0, 0.0}, {2.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}; }),
              HasSubstr("M: want positive semidefinite"));
  EXPECT_THAT(error_after([](Json& file) { file["gamma"] = {0.0}; }), HasSubstr("gamma: want a list of 3 numbers"));
  EXPECT_THAT(error_after([](Json& file) { file["dofs"] = {"x", "y"}; }),
              HasSubstr("dofs: want a list of one for each of the 3"));
  EXPECT_THAT(error_after([](Json& file) { file["dofs"] = {"x", "y", "x"}; }), HasSubstr("dofs[2]: want each"));
  EXPECT_THAT(error_after([](Json& file) { file["stiction_problem"] = 2; }), HasSubstr("want version 1"));
  EXPECT_THAT(error_after([](Json& file) { file["options"]["cones"] = 1; }), HasSubstr("did you mean 'cone'?"));
  EXPECT_THAT(error_after([](Json& file) { file["options"]["push"] = {{"link", "a/b"}, {"direction", "any"}}; }),
              HasSubstr("options.push: want none for a problem file"));
  EXPECT_THAT(error_of_text(R"({"stiction_problem": 1, "F": [], "F": []})"),
              HasSubstr("p.json:1:34: want each key once"));
  EXPECT_THAT(error_of_text("{\"stiction_problem\": 1,\n \"F\": [1,]}"), HasSubstr("p.json:2:"));
  EXPECT_THAT(error_of_text("{\"stiction_problem\": " + std::string(100, '[')), HasSubstr("at most 64 nested levels"));
}

TEST(ProblemFile, IsRefusedBeforeItTakesAllMemory)
{
  const std::string many(R"({"stiction_problem": 1, "F": [0], "contacts": [], "closures": [{"rows": 1000000}]})");
  EXPECT_THAT(error_of_text(many, {{"question", "equilibrium"}}), HasSubstr("want an entry 'J', got none"));
  std::string zeros = "0";
  for (int i = 1; i < 100; ++i) zeros += ",0";
  EXPECT_THAT(error_of_text(R"({"stiction_problem": 1, "question": "equilibrium", "F": [)" + zeros +
                            R"(], "J": {"row": [], "col": [], "value": []}, "closures": [{"rows": 1000000}]})"),
              HasSubstr("want at most 1000000 rows of contacts"));
  EXPECT_THAT(error_of_text(R"({"stiction_problem": 1, "question": "equilibrium", "F": [)" + zeros +
                            R"(], "J": {"row": [], "col": [], "value": []}, "closures": [{"rows": 1000000}],
                             "options": {"solver": "native"}})"),
              HasSubstr("J: want at most 67108864 entries, zeros included, got 1000000 x 100"));
}

TEST(ProblemFile, OtherKeysAreAllowedButMisspeltOnesAreToldAbout)
{
  Json file = block(0.5);
  file["source"] = "a paper";
  file["verdict"] = "fails";  // somebody's opinion
  EXPECT_EQ(read_problem_text(file.dump()).bare->warnings, std::vector<std::string>());
  file["gama"] = {0.0, 0.0, 0.0};
  EXPECT_THAT(to_text(check_matrices(file.dump())), HasSubstr("gama: not read; did you mean 'gamma'?"));
  EXPECT_THAT(error_after([](Json& entry) { entry["contacts"]["source"] = 1; }),
              HasSubstr("contacts.source: want a known key"));
}

class ProblemFileOnDisk : public ::testing::Test {
 protected:
  ProblemFileOnDisk() { std::filesystem::create_directories(folder_); }
  ~ProblemFileOnDisk() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const
  {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("stiction_problem_" + std::to_string(::getpid()));
};

TEST_F(ProblemFileOnDisk, ReportsVerifyAgainstTheirFile)
{
  const std::string file = write("block.json", block(0.5).dump()), other = write("other.json", block(0.6).dump());
  const std::string report = to_json(check_file(file, {}, {}));
  EXPECT_TRUE(verify_report(report, "r").valid);
  EXPECT_TRUE(verify_report(report, "r", file).valid);
  EXPECT_THAT(verify_report(report, "r", other).message, HasSubstr("certificate.problem.contacts[0].mu"));
  EXPECT_THAT(verify_report(report, "r", file, {{"F[0]", "3"}}).message, HasSubstr("certificate.problem.F[0]"));
  const Json json = Json::parse(report);
  EXPECT_THAT(json["inputs"]["scenario"]["sha256"].get<std::string>(), ::testing::SizeIs(64));
}

TEST_F(ProblemFileOnDisk, RowsOfABatchReplaceTheirEntries)
{
  BatchArguments arguments;
  arguments.document = load_scenario(write("block.json", block(0.5).dump()));
  arguments.inputs = write("rows.jsonl",
                           "{\"id\": 1}\n{\"id\": 2, \"contacts.c0.mu\": 0.3}\n{\"id\": 3, \"F[0]\": 4.9}\n"
                           "{\"id\": 4, \"F\": [1, 2]}\n{\"id\": 5, \"question\": \"region\"}\n");
  arguments.out = (folder_ / "out.jsonl").string();
  EXPECT_EQ(run_batch(arguments).bad, 2u);
  std::ifstream stream(arguments.out);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[0], HasSubstr("\"verdict\":\"holds\""));
  EXPECT_THAT(lines[1], HasSubstr("\"verdict\":\"fails\""));
  EXPECT_THAT(lines[2], HasSubstr("\"verdict\":\"holds\""));
  EXPECT_THAT(lines[3], HasSubstr("nv: want 2"));
  EXPECT_THAT(lines[4], HasSubstr("region needs a robot"));
}

TEST(ProblemFile, MayHaveATolerance)
{
  Json file = block(0.4 - 1e-8);
  EXPECT_EQ(verdict_of(file), Verdict::kFails);
  file["options"]["tolerance"] = 1e-6;
  const ScenarioReport report = check_matrices(file.dump());
  EXPECT_THAT(report.summary, HasSubstr("holds: within 1e-06 of the data, which these forces need changed by "));
  EXPECT_TRUE(verify_report(to_json(report)).valid) << verify_report(to_json(report)).message;
  EXPECT_TRUE(judge_exactly(to_json(report)).valid) << judge_exactly(to_json(report)).message;
  EXPECT_THAT(message_about_forged(to_json(report), [](Json& json) { json["tolerance"]["needed"] = 1e-12; }),
              HasSubstr("tolerance.needed"));
  EXPECT_THAT(
      message_about_forged(to_json(report), [](Json& json) { json["certificate"]["rules"].erase("tolerance"); }),
      HasSubstr("is violated"));
  EXPECT_THAT(error_of_text(file.dump(), {{"options.tolerance", "0.1"}}),
              HasSubstr("options.tolerance: want 0 to 2^-7"));
  EXPECT_THAT(error_of_text(file.dump(), {{"question", "closure"}}), HasSubstr("options.tolerance: want none unless"));
  const ScenarioReport fails = check_matrices(file.dump(), {{"contacts.c0.mu", "0.2"}});
  EXPECT_THAT(fails.summary, HasSubstr("fails: all data within 1e-06 fail: "));
  EXPECT_TRUE(judge_exactly(to_json(fails)).valid) << judge_exactly(to_json(fails)).message;
}

/// What a report says besides where it comes from. Efforts that were given are part of F; words about a closure need to
/// know where the object is.
Json without_origin(const std::string& report)
{
  Json json = Json::parse(report);
  for (const char* key : {"inputs", "checksum", "warnings"}) json.erase(key);
  if (json["question"].get<std::string>() != "equilibrium") json.erase("efforts");
  if (json["question"].get<std::string>() == "closure")
    for (const char* key : {"summary", "certificate", "closure", "contacts"}) json.erase(key);
  return json;
}

class SceneAsProblem : public ::testing::TestWithParam<const char*> {};

TEST_P(SceneAsProblem, HasTheSameReport)
{
  const Scenario scene = read_scenario_file(scenario(GetParam()));
  const std::string text = problem_text(as_bare_problem(scene));
  const Scenario bare = read_problem_text(text);
  EXPECT_EQ(problem_text(bare), text);
  ScenarioChecker checker;
  const ScenarioReport of_scene = checker.check(scene), of_problem = checker.check(bare);
  EXPECT_EQ(without_origin(to_json(of_scene)), without_origin(to_json(of_problem))) << GetParam();
  EXPECT_TRUE(verify_report(to_json(of_problem)).valid);
}

INSTANTIATE_TEST_SUITE_P(Gallery, SceneAsProblem,
                         ::testing::Values("block_on_ground", "block_slides", "biped_standing", "rail_grasp",
                                           "pinch_on_guide", "box_slides_on_box", "painleve_jammed", "sphere_bounces",
                                           "crank_against_stop", "ball_between_hard_fingers", "soft_finger",
                                           "stack_of_boxes"),
                         [](const auto& test) { return std::string(test.param); });

TEST(SceneThatNeedsItsRobot, IsNotWritten)
{
  const auto error_of_scene = [](const std::string& name, const std::vector<ScenarioOverride>& overrides) {
    try {
      as_bare_problem(read_scenario_file(scenario(name), overrides));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error_of_scene("biped_region", {}), HasSubstr("region needs a robot"));
  EXPECT_THAT(error_of_scene("mug_closure", {{"options.plane", "xy"}}), HasSubstr("options.plane: want none"));
}

}  // namespace
}  // namespace stiction::internal
