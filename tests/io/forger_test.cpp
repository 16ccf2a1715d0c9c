// A forger changes every entry of every report in turn; nothing is accepted that changes a claim. By default a few
// forgeries of each field are drawn; STICTION_TRIALS=1000000 draws them all.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <random>

#include "io/check.hpp"
#include "io/checked.hpp"
#include "io/json_text.hpp"
#include "io/judgement.hpp"
#include "io/verify.hpp"
#include "stiction/error.hpp"
#include "support/trials.hpp"

namespace stiction::internal {
namespace {

using Pointer = Json::json_pointer;

/// The gallery, and some of the scenarios with real robots, where these are found; all in a long run by hand.
std::vector<std::string> scenarios_to_forge() { return gallery_files(testing::trials(2) > 2 ? 1 : 5); }

std::size_t forgeries_per_field() { return static_cast<std::size_t>(testing::trials(2)); }

/// "/contacts/0/unique" -> "contacts[].unique"
std::string field_of(const Json& report, Pointer pointer)
{
  std::vector<std::string> parts;
  for (; !pointer.empty(); pointer.pop_back())
    parts.push_back(report.at(pointer.parent_pointer()).is_array() ? "[]" : pointer.back());
  std::string name;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    name += (name.empty() || *part == "[]" ? "" : ".") + *part;
  return name;
}

void collect(const Json& value, const Pointer& at, std::vector<Pointer>& all)
{
  if (!at.empty()) all.push_back(at);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, all);
  if (value.is_object())
    for (const auto& [key, item] : value.items()) collect(item, at / key, all);
}

/// The opposite of a word, or another one.
std::string other_word(const std::string& word)
{
  static const std::map<std::string, std::string> kOpposites = {
      {"holds", "fails"},          {"fails", "holds"},
      {"sticking", "sliding"},     {"sliding", "sticking"},
      {"unilateral", "bilateral"}, {"bilateral", "unilateral"},
      {"forces", "motion"},        {"motion", "forces"},
      {"one", "several"},          {"several", "one"},
      {"bounded", "unbounded"},    {"allowed", "forbidden"},
      {"held", "left_out"},        {"inf", "-inf"},
      {"exact", "exactly"}};
  const auto found = kOpposites.find(word);
  return found != kOpposites.end() ? found->second : word + "x";
}

/// Everything that is done to one entry.
std::vector<Json> forged_values(const Json& value)
{
  if (value.is_number_integer()) return {value.get<int>() + 1, -value.get<int>() - 1, 1000000, nullptr, "1"};
  if (value.is_number()) {
    const double x = value.get<double>();
    const bool none = std::abs(x) < 1e-12;  // rounding may be other rounding
    return {none ? 0.01 : 1.01 * x, none ? -0.01 : -x, none ? 1e20 : 1e20 * x, "inf", nullptr};
  }
  if (value.is_boolean()) return {!value.get<bool>(), nullptr};
  if (value.is_string()) {
    const std::string word = value.get<std::string>();
    std::string claim = word;
    if (word.starts_with("holds")) claim = "fails" + word.substr(5);
    if (word.starts_with("fails")) claim = "holds" + word.substr(5);
    return {other_word(word), "", claim == word ? Json(word + ", really") : Json(claim)};
  }
  if (value.is_null()) return {0.0, Json::array(), "holds"};
  std::vector<Json> list;
  if (value.is_array()) {
    list.push_back(Json::array());
    if (value.empty()) return {Json::array({1.0})};
    Json shorter = value, longer = value, turned = value;
    shorter.erase(shorter.size() - 1);
    longer.push_back(value.front());
    std::swap(turned.front(), turned.back());
    return {shorter, longer, turned, Json::array()};
  }
  list.push_back(Json::object());
  Json more = value;
  more["forged"] = 1.0;
  list.push_back(more);
  for (const auto& [key, item] : value.items()) {
    Json less = value;
    less.erase(key);
    list.push_back(less);
  }
  if (value.size() > 1) {  // names swapped
    Json swapped = Json::object();
    const std::string first = value.begin().key(), second = std::next(value.begin()).key();
    for (const auto& [key, item] : value.items()) swapped[key == first ? second : key == second ? first : key] = item;
    list.push_back(swapped);
  }
  return list;
}

/// Whether two entries say the same, up to rounding of the largest number beside them and the order of keys.
bool same(const Json& a, const Json& b, double scale)
{
  try {
    return Comparison("", "").difference(a, b, "", {1e-12, 1e-12 * scale, 0x1p-48}).empty();
  } catch (const InputError&) {
    return false;
  }
}

double largest_in(const Json& value)
{
  double largest = value.is_number() ? std::abs(value.get<double>()) : 0.0;
  for (const Json& item : value.is_structured() ? value : Json::array()) largest = std::max(largest, largest_in(item));
  return largest;
}

bool accepted(const Json& report, const ScenarioReport* scenario, Verification& result)
{
  try {
    result = verify_json(report, scenario);
  } catch (const InputError&) {
    return false;
  }
  return result.valid;
}

/// Whether an entry, or what is in it, is listed as not re-checked.
bool listed(const std::string& field, const std::vector<std::string>& unchecked)
{
  const auto inside = [](const std::string& a, const std::string& b) {
    return a == b || a.starts_with(b + ".") || a.starts_with(b + "[");
  };
  return std::ranges::any_of(unchecked,
                             [&](const std::string& name) { return inside(field, name) || inside(name, field); });
}

/// Whether an entry belongs to a certificate's proof, which may be another one as long as it proves the same.
bool of_proof(const std::string& field, const Json& question)
{
  if (!field.starts_with("certificate.")) return false;
  const std::string key = field.substr(12, field.find_first_of(".[", 12) - 12);
  return !question.contains(key);
}

class Forger : public ::testing::Test {
 protected:
  void forge(const std::string& file)
  {
    const ScenarioReport scenario = check_file(file, {}, {robot_packages()});
    if (scenario.verdict == Verdict::kUndecided) return;
    const Json report = Json::parse(to_json(scenario)),
               question = kind_of(scenario.scenario.question).asked_json(scenario);
    Verification honest;
    ASSERT_TRUE(accepted(report, &scenario, honest)) << file << ": " << honest.message;
    std::vector<Pointer> all;
    collect(report, Pointer(), all);
    std::ranges::shuffle(all, rng_);
    std::map<std::string, std::size_t> tried;
    std::map<std::string, double> scales;  // only of impacts: numbers there are differences of large ones
    for (const auto& [key, value] : report.items())
      scales[key] = report["question"] == "impact" ? largest_in(value) : 0.0;
    scales["detected"] = 1e3;  // distances agree to 1e-9 m, as verify says
    for (const Pointer& at : all) {
      const std::string field = field_of(report, at);
      if (field == "checksum" || tried[field] >= forgeries_per_field()) continue;
      std::vector<Json> values = forged_values(report.at(at));
      std::ranges::shuffle(values, rng_);
      for (const Json& value : values) {
        if (tried[field] >= forgeries_per_field()) break;
        if (same(value, report.at(at), scales[field.substr(0, field.find_first_of(".["))])) continue;
        ++tried[field];
        ++forgeries_;
        try_one(file, report, at, value, field, scenario, question);
      }
    }
  }

  void try_one(const std::string& file, Json report, const Pointer& at, const Json& value, const std::string& field,
               const ScenarioReport& scenario, const Json& question)
  {
    report[at] = value;
    Verification result;
    if (!accepted(report, &scenario, result)) return;
    ++accepted_[std::string(stiction::name_of(scenario.scenario.question)) + ": " + field];
    EXPECT_TRUE(of_proof(field, question) || listed(field, result.unchecked))
        << std::filesystem::path(file).stem().string() << ": " << at.to_string() << " became "
        << value.dump().substr(0, 60);
  }

  std::mt19937 rng_{11};
  int forgeries_ = 0;
  std::map<std::string, int> accepted_;
};

TEST_F(Forger, ChangesNoClaim)
{
  for (const std::string& file : scenarios_to_forge()) forge(file);
  EXPECT_GT(forgeries_, 1000);
  std::cout << forgeries_
            << " forgeries; accepted, as proofs that prove the same or as entries said not to be re-checked:\n";
  for (const auto& [field, count] : accepted_) std::cout << "  " << field << "  " << count << "\n";
}

TEST_F(Forger, TransplantsNoCertificate)
{
  std::map<std::string, std::vector<std::pair<ScenarioReport, Json>>> by_question;
  for (const std::string& file : scenarios_to_forge()) {
    ScenarioReport scenario = check_file(file, {}, {robot_packages()});
    if (scenario.verdict == Verdict::kUndecided) continue;
    Json report = Json::parse(to_json(scenario));
    const std::string question = report["question"].get<std::string>();
    by_question[question].emplace_back(std::move(scenario), std::move(report));
  }
  int tried = 0;
  for (const auto& [question, reports] : by_question)
    for (const auto& [scenario, report] : reports)
      for (const auto& [other_scenario, other] : reports) {
        if (&report == &other) continue;
        Verification result;
        Json forged = report;
        forged["certificate"] = other["certificate"];
        EXPECT_FALSE(accepted(forged, nullptr, result) && forged["summary"] != other["summary"]) << report["name"];
        EXPECT_FALSE(accepted(other, &scenario, result)) << other["name"] << " as " << report["name"];
        forged = other;
        forged["inputs"] = report["inputs"];
        forged["name"] = report["name"];
        forged["warnings"] = report["warnings"];
        EXPECT_FALSE(accepted(forged, &scenario, result)) << other["name"] << " as " << report["name"];
        ++tried;
      }
  EXPECT_GT(tried, 100);
}

TEST_F(Forger, RepeatsNoKey)
{
  int tried = 0;
  for (const std::string& file : scenarios_to_forge()) {
    const std::string text = to_json(check_file(file, {}, {robot_packages()}));
    std::vector<std::size_t> objects;
    for (std::size_t i = text.find("{\""); i != text.npos; i = text.find("{\"", i + 1)) objects.push_back(i + 1);
    std::ranges::shuffle(objects, rng_);
    objects.resize(std::min<std::size_t>(objects.size(), 10));
    objects.push_back(1);
    for (const std::size_t at : objects) {
      const std::string key = text.substr(at, text.find('"', at + 1) + 1 - at);
      const std::string forged = text.substr(0, at) + key + ":0," + text.substr(at);
      EXPECT_THROW(verify_report(forged, "r"), InputError) << key;
      ++tried;
    }
  }
  EXPECT_GT(tried, 200);
}

}  // namespace
}  // namespace stiction::internal
