// Options of scenarios: each is read, bounded and written by one row of a table.
#include "io/options.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include <nlohmann/json.hpp>
#include <set>

#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;

/// One value, not the default, of every option.
constexpr const char* kEveryOption = R"({
  "cone": {"inner": 8}, "detachment": "forbidden", "solver": "qpoases", "tolerance": 1e-06, "intervals": false,
  "margins": true, "repairs": false, "explain": false,
  "push": {"link": "box/lid", "at": [0.1, 0.2, 0.3], "direction": [0.0, 0.0, 1.0]}, "gap": 0.01, "box": 2.5,
  "object": "mug", "plane": "yz", "length": 0.1, "point": [1.0, 2.0, 3.0],
  "wrench": {"force": [1.0, 0.0, 0.0], "torque": [0.0, 2.0, 0.0]},
  "noise": {"position": 0.001, "angle": 0.02, "samples": 7, "seed": 12}, "tangential": "left_out", "modes": 99})";

ScenarioOptions decoded_options(const std::string& text) { return decode_options(parse_yaml(text, "options")); }

TEST(Options, AreWrittenAsTheyWereRead)
{
  const Json every = Json::parse(kEveryOption);
  EXPECT_EQ(options_json(decoded_options(kEveryOption)).dump(), every.dump());
  for (const auto& [key, value] : every.items()) {  // and none without the others
    const Json one = {{key, value}};
    EXPECT_EQ(options_json(decoded_options(one.dump())).dump(), one.dump());
  }
  for (const char* direction : {"any", "horizontal"}) {
    const Json push = {{"push", {{"link", "a/b"}, {"at", {0.0, 0.0, 0.0}}, {"direction", direction}}}};
    EXPECT_EQ(options_json(decoded_options(push.dump())).dump(), push.dump());
  }
  EXPECT_EQ(options_json(decoded_options("{cone: {outer: 5}}"))["cone"].dump(), R"({"outer":5})");
  EXPECT_EQ(options_json(ScenarioOptions()), Json::object());
  EXPECT_EQ(options_json(decoded_options("{cone: exact, solver: auto, tangential: held, detachment: allowed}")),
            Json::object());
}

std::string refusal_of(const std::function<void()>& call)
{
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Options, OfRobotsAreRefusedForMatrices)
{
  const Json every = Json::parse(kEveryOption);
  const std::set<std::string> robots = {"push", "plane", "wrench", "noise"};
  for (const auto& [key, value] : every.items()) {
    const ScenarioOptions options = decoded_options(Json({{key, value}}).dump());
    const std::string error = refusal_of([&] { require_options_of_matrices(options); });
    if (robots.contains(key))
      EXPECT_THAT(error, HasSubstr("options." + key + ": want none for a problem file"));
    else
      EXPECT_EQ(error, "no error") << key;
  }
}

TEST(Options, OfOneQuestionAreRefusedWithOthers)
{
  Scenario scenario;
  scenario.options.tolerance = 1e-6;
  scenario.question = Question::kEquilibrium;
  EXPECT_EQ(refusal_of([&] { require_options(scenario); }), "no error");
  scenario.question = Question::kRegion;
  EXPECT_THAT(refusal_of([&] { require_options(scenario); }),
              HasSubstr("options.tolerance: want none unless the question is equilibrium, got 1e-06"));
}

TEST(Options, ThatProgramsSetAreBounded)
{
  const auto error_after = [](const std::function<void(ScenarioOptions&)>& change) {
    Scenario scenario;
    scenario.question = Question::kEquilibrium;
    change(scenario.options);
    return refusal_of([&] { require_options(scenario); });
  };
  using O = ScenarioOptions;
  EXPECT_THAT(error_after([](O& o) { o.tangential = "free"; }), HasSubstr("options.tangential: want held | left_out"));
  EXPECT_THAT(error_after([](O& o) { o.modes = 0; }), HasSubstr("options.modes: want 1 to 1e6, got 0"));
  EXPECT_THAT(error_after([](O& o) { o.tolerance = std::nan(""); }), HasSubstr("options.tolerance: want 0 to 2^-7"));
  EXPECT_THAT(error_after([](O& o) { o.box = 2e6; }), HasSubstr("options.box: want at most 1e6 m"));
  EXPECT_THAT(error_after([](O& o) { o.cone = ConeShape::outer(2); }),
              HasSubstr("options.cone: want 3 to 4096 facets"));
}

}  // namespace
}  // namespace stiction::internal
