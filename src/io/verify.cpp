#include "io/verify.hpp"

#include <algorithm>
#include <cmath>

#include "base/file.hpp"
#include "base/limits.hpp"
#include "io/check.hpp"
#include "io/json_text.hpp"
#include "io/judgement.hpp"
#include "io/wrap.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

/// Sums that processors may round differently.
constexpr double kSame = 1e-12;
/// The same for what comes out of inverses and eigenvalues.
constexpr double kDerived = 1e-8;
/// Distances of contacts are differences of coordinates, m.
constexpr double kSameDetected = 1e-9;
/// The same scene on another processor: a few roundings of the numbers in a row.
constexpr double kRebuilt = 0x1p-48;

double largest_number(const Json& value)
{
  double largest = value.is_number() ? std::abs(value.get<double>()) : 0.0;
  if (value.is_structured())
    for (const auto& [key, item] : value.items()) largest = std::max(largest, largest_number(item));
  return largest;
}

/// The report that may be made of a judgement. What a certificate knows nothing about is the scenario's, if there is
/// one.
Json document(const Json& shown, const Judgement& judged, const ScenarioReport* scenario)
{
  Json wanted;
  wanted["stiction"] = 1;
  wanted["name"] = scenario ? Json(scenario->scenario.name) : unproved();
  wanted["question"] = shown["question"];
  wanted["verdict"] = name_of(judged.verdict);
  wanted["summary"] = judged.summary.empty() ? unproved() : Json(judged.summary);
  wanted.update(judged.claims);
  if (scenario && wanted.contains("efforts") && wanted["efforts"].is_discarded())
    wanted["efforts"] = efforts_json(given_efforts(scenario->scenario, scenario->problem));
  wanted["certificate"] = judged.question;
  wanted["certificate"].update(judged.proof);
  wanted["solver"] = unproved();
  wanted["warnings"] = scenario ? Json(scenario->warnings) : unproved();
  if (scenario ? !scenario->detected.empty() : shown.contains("detected"))
    wanted["detected"] = scenario ? detected_json(scenario->detected) : unproved();
  wanted["inputs"] = scenario ? inputs_json(scenario->inputs) : unproved();
  if (shown.contains("checksum")) wanted["checksum"] = shown["checksum"];
  return wanted;
}

/// How near the numbers of a key must be.
Closeness closeness_of(const std::string& key, const Json& wanted, const Judgement& judged)
{
  if (key == "certificate") return {};
  if (key == "detected") return {kSame, kSameDetected, 0.0};
  const double same = key == judged.derived ? kDerived : kSame;
  const bool differences = key == judged.derived || judged.differences;
  return {same, differences ? same * largest_number(wanted) : 0.0, 0.0};
}

std::string first_difference(const Json& shown, const Json& wanted, const Judgement& judged, Comparison& comparison)
{
  for (const auto& [key, value] : shown.items())
    if (!wanted.contains(key)) throw InputError("report." + key, "want no such entry, got one");
  for (const auto& [key, value] : wanted.items()) {
    if (!shown.contains(key)) throw InputError("report." + key, "want an entry, got none: not a report");
    std::string found = comparison.difference(shown[key], value, key, closeness_of(key, value, judged));
    if (!found.empty()) return found;
  }
  return "";
}

/// What the first line of `verify` says already, or nobody claims.
bool of_every_report(const std::string& name)
{
  return name == "stiction" || name == "question" || name == "verdict" || name == "checksum";
}

/// Words of `src/words` about directions in the world: "along (+1, 0, 0)", "falls: 9.81 m/s² down".
bool tells_a_direction(const std::string& key, const Json& value)
{
  if ((key != "summary" && key != "explanation") || !value.is_string()) return false;
  const std::string words = value.get<std::string>();
  return words.find(" along (") != words.npos || words.find(" down") != words.npos;
}

/// Lists what depends on where the axes of the world point. A certificate knows how contacts are turned to each other,
/// not how all of them are turned together: that is the scenario's.
void add_world(const Json& proved, const ReportPath& path, Comparison& comparison)
{
  if (proved.is_array())
    for (std::size_t i = 0; i < proved.size(); ++i) add_world(proved[i], path.at(i), comparison);
  if (!proved.is_object()) return;
  for (const auto& [key, value] : proved.items()) {
    if (key == "certificate") continue;
    const bool force = key == "force_world" && !value.is_null();
    if (force || tells_a_direction(key, value)) comparison.add_unproved({}, path.below(key));
    add_world(value, path.below(key), comparison);
  }
}

/// Empty when what the certificate is about is what the scenario asks, else the first difference.
std::string scenario_difference(const Json& asked, const ScenarioReport& scenario)
{
  Comparison comparison("the report says", "the scenario says");
  const Json wanted = kind_of(scenario.scenario.question).asked_json(scenario);
  return comparison.difference(asked, wanted, "certificate", {kRebuilt, 0.0, kRebuilt});
}

}  // namespace

Verification verify_json(const Json& json, const ScenarioReport* scenario)
{
  const Field report(json, "report");
  if (report["stiction"].integer() != 1) report["stiction"].fail("version 1");
  const QuestionKind& kind = kind_of(question_named(report["question"].text(), "report.question"));
  const std::string verdict = report["verdict"].text(), summary = report["summary"].text();
  if (verdict == name_of(Verdict::kUndecided))
    return {false, "the report is undecided: it claims nothing, so there is no proof to check", {}, {}};
  const Judgement judged = kind.judge(report);
  if (!judged.refused.empty()) return {false, judged.refused, {}, {}};
  const ContactProblem problem = read_problem(report["certificate"]["problem"]);
  if (std::string found = axes_disagreement(problem); !found.empty()) return {false, found, {}, {}};
  if (scenario)
    if (std::string found = scenario_difference(judged.question, *scenario); !found.empty())
      return {false, found, {}, {}};

  Comparison comparison("the report says", "its certificate proves");
  const Json wanted = document(json, judged, scenario);
  if (std::string found = first_difference(json, wanted, judged, comparison); !found.empty())
    return {false, found, {}, {}};
  if (!summary.starts_with(verdict + ":"))
    return {false, "summary: want one that begins with " + verdict + ", as the verdict does", {}, {}};
  if (judged.tells_unproved) comparison.add_unproved({}, "summary");
  if (!scenario) {
    add_world(wanted, "", comparison);
    for (const auto& [key, value] : judged.question.items()) comparison.add_unproved({}, "certificate." + key);
  }
  Verification valid{true,
                     "proved: " + verdict + ", " + judged.proved + (scenario ? ", for this scenario" : ""),
                     comparison.unproved(),
                     {}};
  for (const std::string& name : comparison.agreed())
    if (!of_every_report(name) && std::ranges::find(valid.unchecked, name) == valid.unchecked.end())
      valid.recomputed.push_back(name);
  return valid;
}

std::string read_report_file(const std::string& file) { return read_whole_file(file, kMostReportBytes, "report"); }

std::string verification_text(const Verification& result)
{
  std::string text = (result.valid ? "valid: " : "NOT VALID: ") + result.message + "\n";
  const auto list = [&](const char* title, const std::vector<std::string>& entries) {
    std::string names;
    for (const std::string& name : entries) names += (names.empty() ? "" : ", ") + name;
    if (!names.empty()) append_wrapped(text, title + names);
  };
  list("recomputed from what is proved: ", result.recomputed);
  list("not re-checked: ", result.unchecked);
  return text;
}

namespace {

/// What `verify` says of a report, and its checksum.
template <class VerifyField>
Verification verify_text(const std::string& text, const std::string& source, VerifyField verify)
{
  Json json = parse_json(text, source, "a JSON report");
  const Field report(json, "report");
  const std::string written = report["checksum"].text();
  const Verification result = verify(report);
  if (!result.valid) return result;
  json.erase("checksum");
  if (written != checksum(json.dump(-1, ' ', false, Json::error_handler_t::replace)))
    return {false, "the checksum does not match: the report was changed after it was written", {}, {}};
  return result;
}

}  // namespace
}  // namespace stiction::internal

namespace stiction {

Verification verify_report(const std::string& text, const std::string& source)
{
  using namespace internal;
  return verify_text(text, source, [](const Field& report) { return verify_json(report.json(), nullptr); });
}

Verification verify_report(const std::string& text, const std::string& source, const std::string& scenario_file,
                           const std::vector<ScenarioOverride>& overrides,
                           const std::vector<std::string>& package_paths)
{
  using namespace internal;
  return verify_text(text, source, [&](const Field& report) {
    std::vector<ScenarioOverride> changes = overrides;
    changes.push_back({"question", name_of(question_named(report["question"].text(), "report.question"))});
    const ScenarioReport scenario = read_file(scenario_file, changes, package_paths);
    return verify_json(report.json(), &scenario);
  });
}

}  // namespace stiction
