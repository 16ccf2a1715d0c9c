// What `verify` reads, what it binds a report to, and that `check` writes nothing that it refuses.
#include "io/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "io/checked.hpp"
#include "io/json_text.hpp"
#include "io/judgement.hpp"
#include "support/trials.hpp"

namespace stiction::internal {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal(const std::string& text)
{
  try {
    return verify_report(text, "r").message;
  } catch (const InputError& error) {
    return error.what();
  }
}

/// With the checksum that the text should have.
std::string sealed(Json report)
{
  report.erase("checksum");
  report["checksum"] = checksum(report.dump());
  return report.dump();
}

TEST(StrictJson, DeepNestingIsBadInput)
{
  const auto nested = [](int levels) {
    return "{\"a\":" + std::string(static_cast<std::size_t>(levels), '[') +
           std::string(static_cast<std::size_t>(levels), ']') + "}";
  };
  EXPECT_NO_THROW(parse_json(nested(63), "r", "JSON"));
  EXPECT_THROW(parse_json(nested(64), "r", "JSON"), InputError);
  EXPECT_THAT(refusal(nested(80'000)), HasSubstr("r: want at most 64 nested levels, got more"));
  EXPECT_THAT(refusal("{\"a\":" + std::string(80'000, '[')), HasSubstr("nested levels"));
  EXPECT_THAT(refusal("[" + std::string(200'000, '{')), HasSubstr("want a JSON report"));
}

TEST(StrictJson, KeysComeOnce)
{
  EXPECT_THAT(refusal("{\"verdict\":\"holds\",\"verdict\":\"fails\"}"),
              HasSubstr("want each key once, got 'verdict' twice"));
  EXPECT_THAT(refusal("{\"a\":[{\"b\":{\"c\":1,\"d\":2,\"c\":1}}]}"), HasSubstr("got 'c' twice"));
  EXPECT_NO_THROW(parse_json("{\"a\":{\"b\":1},\"c\":{\"b\":1}}", "r", "JSON"));
  EXPECT_THAT(refusal("{\"a\":1e999}"), HasSubstr("want a JSON report"));
}

TEST(StrictReport, UnknownKeysAreRefusedWithTheirPath)
{
  const Json report = checked_json("pinch_on_guide");
  const auto with = [&](const char* pointer) {
    Json forged = report;
    forged[Json::json_pointer(pointer)] = 1;
    return refusal(sealed(forged));
  };
  EXPECT_THAT(with("/certificate/forged"), HasSubstr("report.certificate.forged: want no such entry"));
  EXPECT_THAT(with("/certificate/rules/forged"), HasSubstr("report.certificate.rules.forged: want no such entry"));
  EXPECT_THAT(with("/certificate/problem/forged"), HasSubstr("report.certificate.problem.forged: want no such entry"));
  EXPECT_THAT(with("/certificate/problem/contacts/1/forged"),
              HasSubstr("report.certificate.problem.contacts[1].forged: want no"));
  EXPECT_THAT(with("/contacts/0/forged"), HasSubstr("report.contacts[0].forged: want no such entry"));
  EXPECT_THAT(with("/acceleration/values/ghost"), HasSubstr("report.acceleration.values.ghost: want no such entry"));
  EXPECT_THAT(with("/forged"), HasSubstr("report.forged: want no such entry"));
}

TEST(StrictReport, WrongSizesAreRefused)
{
  const Json report = checked_json("pinch_on_guide");
  const auto with = [&](const char* pointer, const Json& value) {
    Json forged = report;
    forged[Json::json_pointer(pointer)] = value;
    return refusal(sealed(forged));
  };
  EXPECT_THAT(with("/certificate/problem/dofs", Json::array({"p/x"})),
              HasSubstr("want a name for each degree of freedom"));
  EXPECT_THAT(with("/certificate/problem/contacts/0/point_world", Json::array({0, 0})),
              HasSubstr("point_world: want 3 numbers"));
  EXPECT_THAT(with("/certificate/problem/M/0", Json::array({1, 2})), HasSubstr("M[0]: want"));
  EXPECT_THAT(with("/certificate/lambda", Json::array({1, 2})), HasSubstr("proves nothing"));
}

/// A shown entry that contradicts the certificate, one for each kind of entry.
TEST(StrictReport, EveryShownWordAndNumberIsComparedOrListed)
{
  const Json report = checked_json("block_on_ground");
  ASSERT_EQ(report["verdict"], "holds");
  const auto with = [&](const char* pointer, const Json& value) {
    Json forged = report;
    forged[Json::json_pointer(pointer)] = value;
    return refusal(sealed(forged));
  };
  EXPECT_THAT(with("/summary", "fails: it slides"),
              HasSubstr("summary: the report says 'fails: it slides', but its certificate proves"));
  EXPECT_THAT(with("/contacts/0/state", "detaching"), HasSubstr("contacts[0].state: the report says 'detaching'"));
  EXPECT_THAT(with("/contacts/0/name", "nose"), HasSubstr("contacts[0].name: the report says 'nose'"));
  EXPECT_THAT(with("/contacts/0/utilisation", 0.01), HasSubstr("contacts[0].utilisation: the report says 0.01"));
  const Verification honest = verify_report(sealed(report), "r");
  ASSERT_TRUE(honest.valid) << honest.message;
  EXPECT_THAT(honest.unchecked, Contains("margins.friction_scale"));
  EXPECT_THAT(honest.unchecked, Contains("contacts[].unique"));
  EXPECT_THAT(honest.unchecked, Contains("certificate.problem"));
  EXPECT_THAT(honest.unchecked, Contains("inputs.scenario.sha256"));
  EXPECT_THAT(honest.unchecked, Not(Contains("summary")));
  EXPECT_THAT(verification_text(honest), HasSubstr("\nnot re-checked: name, "));
  // What was written anew and found the same is said too, and nothing is in two classes.
  for (const char* entry : {"summary", "contacts[].name", "contacts[].state", "contacts[].utilisation"})
    EXPECT_THAT(honest.recomputed, Contains(entry));
  for (const std::string& entry : honest.recomputed) EXPECT_THAT(honest.unchecked, Not(Contains(entry)));
  EXPECT_THAT(verification_text(honest), HasSubstr("holds, by forces\nrecomputed from what is proved: summary, "));
}

TEST(StrictReport, NamesOfJointsAndContactsAreTheCertificates)
{
  Json report = checked_json("biped_standing", {{"question", "equilibrium"}, {"models.robot.effort", "limits"}});
  Json renamed = Json::object();
  for (const auto& [joint, effort] : report["efforts"].items()) renamed[joint + "_"] = effort;
  Json forged = report;
  forged["efforts"] = renamed;
  EXPECT_THAT(refusal(sealed(forged)), HasSubstr("report.efforts.robot/"));
  forged = report;
  std::swap(forged["contacts"][0]["name"], forged["contacts"][1]["name"]);
  EXPECT_THAT(refusal(sealed(forged)), HasSubstr("contacts[0].name"));
}

/// Reports with false data and a proof that fits them, which only the scenario can tell.
class Binding : public ::testing::Test {
 protected:
  static std::string message(const Json& forged, const std::string& name,
                             const std::vector<ScenarioOverride>& overrides = {})
  {
    const Verification result = verify_report(sealed(forged), "r", scenario(name), overrides);
    return (result.valid ? "valid: " : "") + result.message;
  }
};

TEST_F(Binding, AcceptsTheScenarioOfTheReport)
{
  for (const char* name : {"pinch_on_guide", "block_slides", "box_pushed", "biped_region", "mug_closure",
                           "painleve_klein", "finger_regrasp", "rod_wall_and_rail"})
    EXPECT_THAT(message(checked_json(name), name), HasSubstr("valid: proved: ")) << name;
  const std::vector<ScenarioOverride> overrides = {{"contacts.left.mu", "0.4"}};
  EXPECT_THAT(message(checked_json("pinch_free_fingers", overrides), "pinch_free_fingers", overrides),
              HasSubstr("for this scenario"));
  EXPECT_THAT(message(checked_json("block_on_ground", {{"question", "sliding"}}), "block_on_ground"),
              HasSubstr("for this scenario"));
}

TEST_F(Binding, AnotherScenarioOrAnotherOverrideIsAnother)
{
  EXPECT_THAT(message(checked_json("block_on_ground"), "block_slides"), HasSubstr("the scenario says"));
  EXPECT_THAT(message(checked_json("pinch_free_fingers", {{"contacts.left.mu", "0.4"}}), "pinch_free_fingers"),
              HasSubstr("certificate.problem.contacts[0].mu: the report says 0.4, but the scenario says"));
  EXPECT_THAT(message(checked_json("block_on_ground", {{"name", "other"}}), "block_on_ground"),
              HasSubstr("name: the report says 'other'"));
}

TEST_F(Binding, DataThatDoNotMatterAreCompared)
{
  Json report = checked_json("box_pushed");
  report["certificate"]["problem"]["M"][0][0] = 2.0 * report["certificate"]["problem"]["M"][0][0].get<double>();
  EXPECT_TRUE(
      verify_report(sealed(report), "r").valid);  // at rest masses do not matter, and their problem is another one
  EXPECT_THAT(message(report, "box_pushed"), HasSubstr("certificate.problem.M[0][0]: the report says"));
}

TEST_F(Binding, WorldAxesAreTheScenes)
{
  Json report = checked_json("pinch_on_guide");
  for (std::size_t i = 0; i < report["contacts"].size(); ++i) {  // the world turned about z by 180 degrees
    for (Json& axis : report["certificate"]["problem"]["contacts"][i]["axes_world"])
      for (int k : {0, 1}) axis[static_cast<std::size_t>(k)] = -axis[static_cast<std::size_t>(k)].get<double>();
    for (std::size_t k : {0u, 1u})
      report["contacts"][i]["force_world"][k] = -report["contacts"][i]["force_world"][k].get<double>();
  }
  EXPECT_THAT(message(report, "pinch_on_guide"), HasSubstr("axes_world"));
}

TEST_F(Binding, TheWrenchIsTheScenes)
{
  Json report = checked_json("ball_between_hard_fingers");
  Json shown = report;
  shown["closure"]["resists"]["wrench"][2] = 0.0;
  EXPECT_THAT(refusal(sealed(shown)), HasSubstr("closure.resists.wrench[2]: the report says 0"));
  report["certificate"].erase("wrench");
  EXPECT_THAT(refusal(sealed(report)), HasSubstr("report.certificate.wrench: want an entry"));
}

TEST_F(Binding, GivenEffortsNamesAndWarningsAreTheScenarios)
{
  const Json report = checked_json("pinch_too_weak");
  ASSERT_FALSE(report["efforts"].empty());
  Json forged = report;
  forged["efforts"][forged["efforts"].begin().key()] = 77.0;
  EXPECT_TRUE(verify_report(sealed(forged), "r").valid);
  EXPECT_THAT(verify_report(sealed(forged), "r").unchecked, Contains("efforts." + forged["efforts"].begin().key()));
  EXPECT_THAT(message(forged, "pinch_too_weak"), HasSubstr("the report says 77"));
  forged = report;
  forged["warnings"].push_back("nothing to see");
  EXPECT_THAT(message(forged, "pinch_too_weak"), HasSubstr("warnings: the report says a list of"));
}

TEST_F(Binding, BytesOfScenarioAndRobotsCount)
{
  namespace fs = std::filesystem;
  const Json report = checked_json("block_on_ground");
  const fs::path folder = fs::temp_directory_path() / ("stiction_binding_" + std::to_string(::getpid()));
  fs::create_directories(folder / "scenarios");
  fs::copy(std::string(STICTION_SOURCE_DIR) + "/urdf", folder / "urdf", fs::copy_options::recursive);
  const std::string file = (folder / "scenarios/block_on_ground.yaml").string();
  fs::copy(scenario("block_on_ground"), file);
  const auto message_of_copy = [&] { return verify_report(sealed(report), "r", file).message; };
  EXPECT_THAT(message_of_copy(), HasSubstr("for this scenario"));
  std::ofstream(file, std::ios::app) << "# another byte\n";
  EXPECT_THAT(message_of_copy(), HasSubstr("inputs.scenario.sha256: the report says"));
  fs::copy(scenario("block_on_ground"), file, fs::copy_options::overwrite_existing);
  for (const auto& urdf : fs::directory_iterator(folder / "urdf"))
    std::ofstream(urdf.path(), std::ios::app) << "<!-- -->\n";
  EXPECT_THAT(message_of_copy(), HasSubstr("inputs.urdf.b.sha256: the report says"));
  fs::remove_all(folder);
}

TEST(OwnReports, WhatVerifyRefusesIsUndecided)
{
  ScenarioReport report = checked("block_on_ground");
  refuse(report, "it is a test");
  EXPECT_EQ(report.verdict, Verdict::kUndecided);
  const Json json = report_document(report);
  EXPECT_EQ(json["verdict"], "undecided");
  EXPECT_THAT(json["summary"].get<std::string>(),
              HasSubstr("undecided: the proof does not stand as it is written: it is a test"));
  EXPECT_THAT(to_text(report), HasSubstr("UNDECIDED: block on flat ground"));
  // Far from the origin rounding is large: whatever comes out, it is not a report that is refused.
  const ScenarioReport region = checked("biped_region", {{"models.robot.pose.xyz", "[1000, 700, 0.9]"}});
  EXPECT_TRUE(region.verdict == Verdict::kUndecided || verify_report(to_json(region), "r").valid);
}

/// Every question of every scenario of the gallery with robots of our own, at random friction and gravity.
TEST(OwnReports, AlwaysVerify)
{
  std::mt19937 rng{3};
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(rng); };
  const int draws = testing::trials(1);
  int decided = 0, undecided = 0, unsuited = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(STICTION_SOURCE_DIR) + "/scenarios")) {
    const std::string file = entry.path().string(), text = read_text_file(file, "scenario");
    if (entry.path().extension() != ".yaml" || text.find("package://") != text.npos) continue;
    for (int draw = 0; draw < draws; ++draw)
      for (const char* question :
           {"all_sticking", "equilibrium", "closure", "region", "sliding", "impact", "couplings"}) {
        std::vector<ScenarioOverride> overrides = {{"question", question}};
        if (draw > 0 || question != std::string("region"))
          overrides.push_back(
              {"gravity", "[" + std::to_string(uniform(-2, 2)) + ", " + std::to_string(uniform(-2, 2)) + ", -9.81]"});
        overrides.push_back({"contacts.0.mu", std::to_string(uniform(0, 1))});
        try {
          const ScenarioReport report = check_file(file, overrides, {});
          EXPECT_THAT(report.summary, ::testing::Not(HasSubstr("does not stand as it is written")))
              << file << " " << question << " " << overrides[1].value;
          if (report.verdict == Verdict::kUndecided) {
            ++undecided;
            continue;
          }
          const Verification result = verify_report(to_json(report), "r", file, overrides);
          EXPECT_TRUE(result.valid) << file << " " << question << ": " << result.message;
          ++decided;
        } catch (const InputError&) {
          ++unsuited;
        }
      }
  }
  std::cout << decided << " decided, " << undecided << " undecided, " << unsuited << " not suited to their question\n";
  EXPECT_GT(decided, 100);
}

}  // namespace
}  // namespace stiction::internal
