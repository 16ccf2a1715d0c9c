// The question all_sticking: does every contact keep sticking, for given efforts? (docs/all_sticking.md)
#include <fmt/format.h>

#include <algorithm>

#include "ask/contact_reports.hpp"
#include "base/text.hpp"
#include "io/failure.hpp"
#include "io/judgement.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

Json repair_json(const ContactProblem& problem, const Repair& repair)
{
  Json entry;
  switch (repair.change) {
    case Repair::Change::kCommonFriction:
      entry["change"] = "friction_scale";
      entry["to"] = json(repair.value);
      break;
    case Repair::Change::kFriction:
      entry["change"] = "mu";
      entry["contact"] = problem.contacts[static_cast<std::size_t>(repair.contact)].name;
      entry["to"] = json(repair.value);
      break;
    case Repair::Change::kForce:  // F holds applied forces with a minus
      entry["change"] = "force";
      entry["add"] = by_joint(problem, -repair.force);
      break;
  }
  return entry;
}

std::string force_words(const ContactProblem& problem, const Eigen::VectorXd& add)
{
  std::string words;
  const double noticeable = 1e-6 * add.lpNorm<Eigen::Infinity>();
  for (Eigen::Index i = 0; i < add.size(); ++i)
    if (std::abs(add[i]) > noticeable)
      words += fmt::format("{}{} {:+.4g}", words.empty() ? "" : ", ", problem.dof_names[static_cast<std::size_t>(i)],
                           add[i]);
  return words;
}

void append_repairs(std::string& out, const ContactProblem& problem, const std::vector<Repair>& repairs)
{
  if (repairs.empty()) return;
  out += "\nwhat would make it hold, each by itself:\n";
  for (const Repair& repair : repairs) {
    switch (repair.change) {
      case Repair::Change::kCommonFriction:
        append_item(out, fmt::format("every friction coefficient times {:.4g}", repair.value));
        break;
      case Repair::Change::kFriction:
        append_item(out, fmt::format("friction of {} alone raised from {:.4g} to {:.4g}",
                                     problem.contacts[static_cast<std::size_t>(repair.contact)].name,
                                     problem.contacts[static_cast<std::size_t>(repair.contact)].mu, repair.value));
        break;
      case Repair::Change::kForce:
        append_item(out, "generalised force added (N, N m): " + force_words(problem, -repair.force));
        break;
    }
  }
}

Json question_json(const ContactProblem& problem, const StickingRules& rules)
{
  Json entry;
  entry["rules"]["cone"] = cone_json(rules.shape);
  entry["rules"]["detachment"] = rules.detachment == Detachment::kAllowed ? "allowed" : "forbidden";
  entry["problem"] = problem_json(problem);
  return entry;
}

Json proof_json(const Certificate& certificate)
{
  Json entry;
  entry["kind"] = name_of(certificate.kind);
  write_certificate(certificate, entry);
  return entry;
}

bool has_forces(CertificateKind kind) { return kind == CertificateKind::kForces || kind == CertificateKind::kMotion; }

/// States, forces and utilisation as a certificate with forces has them.
void read_contacts(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                   Verdict verdict, std::vector<ContactReport>& contacts)
{
  Eigen::VectorXd scales;
  std::vector<char> detaching;
  Judge().row_scales(problem, certificate.a, scales);
  find_detaching(problem, rules.detachment, certificate.a, scales, detaching);
  contacts.resize(problem.contacts.size());
  report_contacts(problem, rules.shape, detaching, certificate.lambda, verdict, contacts);
}

std::string failure_words(const std::string& explanation)
{
  return "fails: " + (explanation.empty() ? "no admissible forces exist" : explanation);
}

class StickingAnswer final : public Answer {
 public:
  explicit StickingAnswer(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override
  {
    require_given_efforts(situation);
    require_rest(situation.scene, situation.state, situation.problem);
  }

  void ask(const Situation& situation, Extras extras) override
  {
    read(situation);
    const ScenarioOptions& asked = situation.scenario.options;
    const bool fallback = extras == Extras::kAll;
    StickingOptions options;
    options.rules = {asked.cone, asked.detachment};
    options.intervals = asked.intervals.value_or(fallback);
    options.margins = asked.margins.value_or(fallback);
    options.repairs = asked.repairs.value_or(fallback);
    options.explain = fallback || asked.explain.value_or(true);
    options.idle_motors = idle_motors(situation);
    checker_.check(situation.problem, options, result_);
    if (!fallback || result_.verdict == Verdict::kUndecided || !has_forces()) return;
    // The certificate's numbers are the ones that are judged; the result's may differ from them by rounding.
    read_contacts(situation.problem, options.rules, result_.certificate, result_.verdict, result_.contacts);
    if (result_.verdict == Verdict::kHolds)
      result_.explanation = describe_sticking(situation.problem, result_.contacts, result_.certificate.a);
  }

  Verdict verdict() const override { return result_.verdict; }
  int iterations() const override { return result_.iterations; }

  std::string summary() const override
  {
    if (result_.verdict == Verdict::kUndecided) return "undecided: " + result_.reason;
    if (result_.verdict == Verdict::kHolds) return result_.explanation;
    return failure_words(result_.explanation);
  }

  void write_row(std::vector<RowCell>& cells) const override
  {
    double utilisation = 0.0;
    for (const ContactReport& contact : result_.contacts) utilisation = std::max(utilisation, contact.utilisation);
    cells.push_back({"utilisation", utilisation});
    cells.push_back({"slack", result_.slack});
    if (result_.friction_scale_known) cells.push_back({"friction_scale", result_.friction_scale});
  }

  void write_json(const Report& report, Json& json_report) const override;
  AnswerText text(const Report& report) const override;
  Json question(const Report& report) const override
  {
    return question_json(report.problem, {report.scenario.options.cone, report.scenario.options.detachment});
  }

 private:
  /// Whether there are forces and an acceleration at all: not when the constraints contradict each other, nothing can
  /// balance the loads, or the motion could not be computed.
  bool has_forces() const
  {
    const CertificateKind kind = result_.certificate.kind;
    if (result_.verdict == Verdict::kUndecided) return (result_.lambda.array() != 0.0).any();
    return internal::has_forces(kind);
  }

  StickingChecker checker_;
  StickingResult result_;
};

void StickingAnswer::write_json(const Report& report, Json& json_report) const
{
  const bool forces = has_forces();
  const ContactProblem& problem = report.problem;
  const bool decided = result_.verdict != Verdict::kUndecided;
  const Eigen::VectorXd& a = decided ? result_.certificate.a : result_.acceleration;
  const Eigen::VectorXd& lambda = decided ? result_.certificate.lambda : result_.lambda;
  json_report["acceleration"]["values"] = forces ? by_joint(problem, a) : Json();
  json_report["acceleration"]["unique"] = forces && result_.acceleration_unique;
  json_report["contacts"] = Json::array();
  if (forces)
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      json_report["contacts"].push_back(
          contact_json(problem.contacts[i], result_.contacts[i], lambda, result_.verdict == Verdict::kHolds));
  json_report["efforts"] = Json::object();
  for (const auto& [joint, effort] : given_efforts(report.scenario, problem))
    json_report["efforts"][joint] = json(effort);
  json_report["indeterminacy"]["degree"] = result_.indeterminacy;
  json_report["margins"] = Json::object();
  if (result_.friction_scale_known)
    json_report["margins"]["friction_scale"] = result_.friction_scale ? json(*result_.friction_scale) : Json();
  json_report["repair"] = Json::array();
  for (const Repair& repair : result_.repairs) json_report["repair"].push_back(repair_json(problem, repair));
  if (result_.verdict == Verdict::kFails) json_report["failure"] = failure_json(result_.failure);
  json_report["certificate"] = question(report);
  json_report["certificate"].update(proof_json(decided ? result_.certificate : Certificate{}));
  if (result_.verdict == Verdict::kFails)
    json_report["certificate"]["counterfactuals"] = counterfactuals_json(result_.failure);
}

AnswerText StickingAnswer::text(const Report& report) const
{
  AnswerText text;
  const bool holds = result_.verdict == Verdict::kHolds, fails = result_.verdict == Verdict::kFails;
  const bool forces = has_forces() && !report.problem.contacts.empty();
  if (forces) text.table = contacts_text(report.problem, result_.contacts);
  if (fails && forces)
    text.notes.push_back("these forces would keep every contact stuck, were friction and pulling unlimited");
  if (holds && result_.indeterminacy > 0)
    text.notes.push_back(
        fmt::format("forces are not unique ({} internal); shown are those deepest inside the friction cones",
                    result_.indeterminacy));
  const std::string motion = describe_acceleration(report.problem, result_.acceleration);
  if (holds && report.problem.contacts.empty())
    text.headline = "no contacts";
  else if (holds && motion.starts_with("it falls"))
    text.headline = "sticks while it falls";
  else if (holds && !motion.empty())
    text.notes.push_back(motion + "; no contact slips");
  if (const std::string who =
          list_failing_contacts(report.problem, {report.scenario.options.cone, report.scenario.options.detachment},
                                result_.certificate, result_.failure);
      fails && !who.empty())
    text.notes.push_back(who);
  if (result_.friction_scale_known && holds && result_.friction_scale && !report.problem.contacts.empty())
    text.notes.push_back(spare_friction_text(*result_.friction_scale));
  if (result_.friction_scale_known && fails && !result_.friction_scale)
    text.notes.push_back("no amount of friction helps");
  append_repairs(text.advice, report.problem, result_.repairs);
  return text;
}

StickingRules read_rules(const Field& field)
{
  StickingRules rules;
  rules.shape = read_cone(field["cone"]);
  const std::string detachment = field["detachment"].text();
  if (detachment != "allowed" && detachment != "forbidden") field["detachment"].fail("allowed | forbidden");
  rules.detachment = detachment == "allowed" ? Detachment::kAllowed : Detachment::kForbidden;
  return rules;
}

/// What a report may say about a certificate that proves `verdict`.
Json claims_of(const Field& report, const ContactProblem& problem, const Certificate& certificate,
               const std::vector<ContactReport>& contacts)
{
  const bool forces = has_forces(certificate.kind);
  Json claims;
  claims["acceleration"]["values"] = forces ? by_joint(problem, certificate.a) : Json();
  claims["acceleration"]["unique"] = unproved();
  claims["contacts"] = forces ? proved_contacts_json(problem, contacts, certificate.lambda) : Json::array();
  if (certificate.kind == CertificateKind::kForces)
    leave_intervals(report["contacts"], "normal_interval", claims["contacts"], "normal_force");
  for (const char* key : {"efforts", "indeterminacy", "margins", "repair"}) claims[key] = unproved();
  return claims;
}

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Judgement judge_sticking(const Field& report)
{
  const Field source = report["certificate"];
  const Certificate certificate = read_certificate(source);
  const StickingRules rules = read_rules(source["rules"]);
  const ContactProblem problem = read_problem(source["problem"]);
  try {
    problem.validate();
  } catch (const InputError& error) {
    return Judgement::refusal(std::string("the certificate's problem is not one: ") + error.what());
  }
  Judgement judged;
  std::string why;
  judged.verdict = judge(problem, rules, certificate, &why);
  if (judged.verdict == Verdict::kUndecided) return Judgement::refusal("the certificate proves nothing: " + why);
  std::vector<ContactReport> contacts;
  if (has_forces(certificate.kind)) read_contacts(problem, rules, certificate, judged.verdict, contacts);
  judged.proved = std::string("by ") + name_of(certificate.kind);
  judged.claims = claims_of(report, problem, certificate, contacts);
  judged.question = question_json(problem, rules);
  judged.proof = proof_json(certificate);
  if (judged.verdict == Verdict::kHolds)
    judged.summary = describe_sticking(problem, contacts, certificate.a);
  else
    judge_failure(report, problem, rules, certificate, true, judged);
  return judged;
}

std::vector<std::string> sticking_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"utilisation", "slack"};
  if (options.margins.value_or(false)) names.push_back("friction_scale");
  return names;
}

}  // namespace

extern const QuestionKind kAllStickingKind{Question::kAllSticking, require_no_sliding, make_answer<StickingAnswer>,
                                           sticking_columns, judge_sticking};

}  // namespace stiction::internal
