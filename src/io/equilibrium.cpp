// The question equilibrium: do contact forces and joint efforts within their limits exist for a prescribed motion?
// (docs/equilibrium.md)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ask/contact_reports.hpp"
#include "base/text.hpp"
#include "io/failure.hpp"
#include "io/judgement.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "stiction/equilibrium_input.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

using PushDirection = PushOption::Direction;

/// Which end of a margin's interval may be relied on: the one that is proved to hold.
enum class SafeEnd { kLower, kUpper };

/// A proved interval narrower than this share of itself counts as a number.
constexpr double kNarrow = 0.02;

struct NamedMargin {
  const char* name;
  const char* words;  ///< for people
  const Margin& margin;
  SafeEnd safe;

  double value() const { return safe == SafeEnd::kLower ? margin.lower : margin.upper; }
  /// As the library says, except that an interval speaks for itself, however its search ended.
  Margin::State state() const
  {
    if (margin.state != Margin::State::kKnown && margin.state != Margin::State::kUndecided) return margin.state;
    const bool narrow = std::isfinite(margin.upper) &&
                        (margin.upper - margin.lower <= kNarrow * std::abs(margin.upper) || margin.upper <= 1e-6);
    return narrow ? Margin::State::kKnown : Margin::State::kUndecided;
  }
};

/// A prescribed acceleration belongs to the question.
Json question_json(const ContactProblem& problem, const ConeShape& shape, const Eigen::VectorXd& a)
{
  Json entry;
  entry["rules"]["cone"] = cone_json(shape);
  entry["problem"] = problem_json(problem);
  entry["a"] = json(a);
  return entry;
}

Json proof_json(const Certificate& certificate)
{
  Json entry;
  entry["kind"] = name_of(certificate.kind);
  write_certificate(certificate, entry);
  entry.erase("a");
  entry["efforts"] = json(certificate.efforts);
  return entry;
}

std::string imbalance_words(const std::string& explanation)
{
  return "fails: " + (explanation.empty() ? "no admissible forces exist" : explanation);
}

class EquilibriumAnswer final : public Answer {
 public:
  explicit EquilibriumAnswer(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override
  {
    require_rest(situation.scene, situation.state, situation.problem);
    a_ = situation.state.a;
  }
  void ask(const Situation& situation, Extras extras) override;
  Json question(const Report& report) const override
  {
    return question_json(report.problem, report.scenario.options.cone, a_);
  }

  Verdict verdict() const override { return result_.verdict; }
  int iterations() const override { return result_.iterations; }
  std::string summary() const override
  {
    if (result_.verdict == Verdict::kUndecided) return "undecided: " + result_.reason;
    if (result_.verdict == Verdict::kHolds) return result_.explanation;
    return imbalance_words(result_.explanation);
  }
  void write_row(std::vector<RowCell>& cells) const override;
  void write_json(const Report& report, Json& json_report) const override;
  AnswerText text(const Report& report) const override;

 private:
  std::vector<NamedMargin> margins() const
  {
    return {{"friction_scale", "least factor on every friction coefficient", result_.friction_scale, SafeEnd::kUpper},
            {"effort", "least factor on every effort limit", result_.effort, SafeEnd::kUpper},
            {"push", "largest push [N]", options_.ball.size() > 0 ? result_.ball : result_.push, SafeEnd::kLower},
            {"generators", "what every generator can carry [N]", result_.generators, SafeEnd::kLower}};
  }

  EquilibriumChecker checker_;
  EquilibriumOptions options_;
  EquilibriumResult result_;
  Eigen::VectorXd a_;
};

void EquilibriumAnswer::ask(const Situation& situation, Extras extras)
{
  read(situation);
  const ScenarioOptions& asked = situation.scenario.options;
  options_ = {};
  options_.shape = asked.cone;
  options_.explain = extras == Extras::kAll || asked.explain.value_or(true);
  options_.idle_motors = idle_motors(situation);
  if (asked.margins.value_or(extras == Extras::kAll)) ask_margins(situation.problem, options_);
  if (asked.push) ask_push(situation.scene, situation.state, *asked.push, options_);
  checker_.check(situation.problem, a_, options_, result_);
}

void EquilibriumAnswer::write_row(std::vector<RowCell>& cells) const
{
  double utilisation = 0.0;
  for (const ContactReport& contact : result_.contacts) utilisation = std::max(utilisation, contact.utilisation);
  cells.push_back({"utilisation", utilisation});
  cells.push_back({"slack", result_.slack});
  for (const NamedMargin& margin : margins()) {
    const Margin::State state = margin.state();
    if (state == Margin::State::kNotAsked || state == Margin::State::kUndecided) continue;
    cells.push_back({margin.name, {}});
    if (state == Margin::State::kKnown) cells.back().number = margin.value();
    if (state == Margin::State::kUnbounded) cells.back().number = kInfinity;
  }
}

void EquilibriumAnswer::write_json(const Report& report, Json& json_report) const
{
  const ContactProblem& problem = report.problem;
  const bool proved = result_.verdict != Verdict::kUndecided;
  json_report["acceleration"]["values"] = by_joint(problem, a_);
  json_report["acceleration"]["unique"] = true;  // it is prescribed
  json_report["contacts"] = Json::array();
  json_report["efforts"] = Json::object();
  if (result_.verdict == Verdict::kHolds) {
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      json_report["contacts"].push_back(contact_json(problem.contacts[i], result_.contacts[i], result_.lambda, false));
    for (std::size_t i = 0; i < problem.actuators.size(); ++i)
      json_report["efforts"][problem.actuators[i].name] = json(result_.efforts[static_cast<Eigen::Index>(i)]);
  }
  json_report["indeterminacy"]["degree"] = result_.indeterminacy;
  json_report["margins"] = Json::object();
  Json repairs = Json::array(), intervals = Json::object();
  for (const NamedMargin& margin : margins()) {
    using State = Margin::State;
    const State state = margin.state();
    if (state == State::kNotAsked) continue;
    if (state == State::kKnown) json_report["margins"][margin.name] = json(margin.value());
    if (state == State::kNone) json_report["margins"][margin.name] = nullptr;
    if (state == State::kUnbounded) json_report["margins"][margin.name] = json(kInfinity);
    if (state != State::kNone) intervals[margin.name] = {json(margin.margin.lower), json(margin.margin.upper)};
    if (margin.safe == SafeEnd::kUpper && state == State::kKnown && result_.verdict == Verdict::kFails)
      repairs.push_back({{"change", margin.name == std::string("effort") ? "effort_scale" : margin.name},
                         {"to", json(margin.value())}});
  }
  if (!intervals.empty()) json_report["margins"]["intervals"] = intervals;
  json_report["repair"] = repairs;
  if (result_.verdict == Verdict::kFails) json_report["failure"] = failure_json(result_.failure);
  json_report["certificate"] = question(report);
  json_report["certificate"].update(proof_json(proved ? result_.certificate : Certificate{}));
  if (result_.verdict == Verdict::kFails)
    json_report["certificate"]["counterfactuals"] = counterfactuals_json(result_.failure);
}

AnswerText EquilibriumAnswer::text(const Report& report) const
{
  AnswerText text;
  const ContactProblem& problem = report.problem;
  const bool holds = result_.verdict == Verdict::kHolds, fails = result_.verdict == Verdict::kFails;
  if (holds && !problem.contacts.empty()) text.table = contacts_text(problem, result_.contacts);
  if (holds && result_.indeterminacy > 0)
    text.notes.push_back(fmt::format(
        "forces are not unique ({} internal); shown are those deepest inside the friction cones and effort limits",
        result_.indeterminacy));
  if (holds && problem.contacts.empty()) text.headline = "no contacts";
  if ((a_.array() != 0.0).any()) text.notes.push_back("for the prescribed acceleration, not at rest");
  if (const std::string who =
          list_failing_contacts(problem, rules_of_balance(options_.shape), result_.certificate, result_.failure);
      fails && !who.empty())
    text.notes.push_back(who);
  std::string advice;
  for (const NamedMargin& margin : margins()) {
    using State = Margin::State;
    const std::string name = margin.name;
    const State state = margin.state();
    if (state == State::kNotAsked) continue;
    if (state == State::kUndecided)
      text.notes.push_back(fmt::format("{}: only known to be {}{}", margin.words,
                                       interval_text(margin.margin.lower, margin.margin.upper),
                                       margin.margin.reason.empty() ? "" : ": " + margin.margin.reason));
    else if (name == "friction_scale" && state == State::kNone)
      text.notes.push_back("no amount of friction helps");
    else if (name == "friction_scale" && holds)
      text.notes.push_back(spare_friction_text(margin.value()));
    else if (name == "friction_scale" && fails && state == State::kKnown)
      append_item(advice, fmt::format("every friction coefficient times {:.4g}", margin.value()));
    else if (name == "effort" && state == State::kNone)
      text.notes.push_back("no joint efforts help, however large");
    else if (name == "effort" && holds)
      text.notes.push_back(fmt::format("efforts to spare: holds with {:.4g} of every effort limit", margin.value()));
    else if (name == "effort" && fails && state == State::kKnown)
      append_item(advice, fmt::format("every effort limit times {:.4g}", margin.value()));
    else if (name == "push" && holds) {
      const PushOption& push = *report.scenario.options.push;
      const std::string way = push.kind == PushDirection::kGiven        ? "along " + internal::text(push.direction)
                              : push.kind == PushDirection::kHorizontal ? "in any horizontal direction"
                                                                        : "in any direction";
      text.notes.push_back(state == State::kUnbounded
                               ? fmt::format("{} may be pushed {} as hard as you like", push.link, way)
                               : fmt::format("{} may be pushed {} with {:.4g} N", push.link, way, margin.value()));
    } else if (name == "generators" && state == State::kKnown)
      text.notes.push_back(fmt::format("every generator of the inner pyramids can carry {:.6g} N", margin.value()));
  }
  if (!advice.empty()) text.advice = "\nwhat would make it hold, each by itself:\n" + advice;
  return text;
}

/// What a report may say about a certificate that proves `verdict`.
Json claims_of(const ContactProblem& problem, const Certificate& certificate, Verdict verdict,
               const std::vector<ContactReport>& contacts)
{
  const bool holds = verdict == Verdict::kHolds;
  Json claims;
  claims["acceleration"]["values"] = by_joint(problem, certificate.a);
  claims["acceleration"]["unique"] = true;  // it is prescribed
  claims["contacts"] = holds ? proved_contacts_json(problem, contacts, certificate.lambda) : Json::array();
  claims["efforts"] = Json::object();
  for (std::size_t i = 0; holds && i < problem.actuators.size(); ++i)
    claims["efforts"][problem.actuators[i].name] = json(certificate.efforts[static_cast<Eigen::Index>(i)]);
  for (const char* key : {"indeterminacy", "margins", "repair"}) claims[key] = unproved();
  return claims;
}

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Judgement judge_equilibrium_report(const Field& report)
{
  const Field source = report["certificate"];
  Certificate certificate = read_certificate(source);
  certificate.efforts = source["efforts"].vector();
  const ConeShape shape = read_cone(source["rules"]["cone"]);
  const ContactProblem problem = read_problem(source["problem"]);
  try {
    problem.validate();
  } catch (const InputError& error) {
    return Judgement::refusal(std::string("the certificate's problem is not one: ") + error.what());
  }
  Judgement judged;
  std::string why;
  judged.verdict = judge_equilibrium(problem, certificate.a, shape, certificate, &why);
  if (judged.verdict == Verdict::kUndecided) return Judgement::refusal("the certificate proves nothing: " + why);
  std::vector<ContactReport> contacts(problem.contacts.size());
  if (judged.verdict == Verdict::kHolds) {
    const std::vector<char> detaching(problem.contacts.size(), 0);
    report_contacts(problem, shape, detaching, certificate.lambda, judged.verdict, contacts);
    judged.summary = describe_balance(problem, contacts, certificate.efforts);
  }
  judged.proved = std::string("by ") + name_of(certificate.kind);
  judged.claims = claims_of(problem, certificate, judged.verdict, contacts);
  judged.question = question_json(problem, shape, certificate.a);
  judged.proof = proof_json(certificate);
  if (judged.verdict == Verdict::kFails)
    judge_failure(report, problem, rules_of_balance(shape), certificate, false, judged);
  return judged;
}

std::vector<std::string> equilibrium_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"utilisation", "slack"};
  if (options.margins.value_or(false)) names.insert(names.end(), {"friction_scale", "effort"});
  if (options.push) names.push_back("push");
  return names;
}

}  // namespace

extern const QuestionKind kEquilibriumKind{Question::kEquilibrium, require_no_sliding, make_answer<EquilibriumAnswer>,
                                           equilibrium_columns, judge_equilibrium_report};

}  // namespace stiction::internal
