// The question all_sticking: does every contact keep sticking, for given efforts? (docs/all_sticking.md)
#include <fmt/format.h>

#include <algorithm>

#include "ask/contact_reports.hpp"
#include "base/text.hpp"
#include "io/judgement.hpp"
#include "io/report.hpp"
#include "io/rounded.hpp"
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
      words += fmt::format("{}{} {:+.6g}", words.empty() ? "" : ", ", problem.dof_names[static_cast<std::size_t>(i)],
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
        append_item(out, "every friction coefficient times " + enough(repair.value));
        break;
      case Repair::Change::kFriction:
        append_item(out,
                    fmt::format("friction of {} alone raised from {:.4g} to {}",
                                problem.contacts[static_cast<std::size_t>(repair.contact)].name,
                                problem.contacts[static_cast<std::size_t>(repair.contact)].mu, enough(repair.value)));
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

/// What people are told, and how much friction the motion that they are told of overcomes at least.
Json proof_json(const Certificate& certificate, double told_friction)
{
  Json entry;
  entry["kind"] = name_of(certificate.kind);
  write_certificate(certificate, entry);
  if (certificate.kind == CertificateKind::kMotion) entry["told_friction"] = json(told_friction);
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
  return "fails: " + (explanation.empty() ? "no admissible contact forces exist" : explanation);
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
    checker_.check(situation.problem, options, result_);
    if (!fallback || result_.verdict == Verdict::kUndecided || !has_forces()) return;
    // The certificate's numbers are the ones that are judged; the result's may differ from them by rounding.
    read_contacts(situation.problem, options.rules, result_.certificate, result_.verdict, result_.contacts);
    if (result_.verdict == Verdict::kHolds)
      result_.explanation = describe_sticking(situation.problem, result_.contacts);
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
  json_report["certificate"] = question(report);
  json_report["certificate"].update(proof_json(decided ? result_.certificate : Certificate{}, result_.told_friction));
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
    text.notes.push_back(fmt::format(
        "forces are not unique ({} internal); shown are those that need the least friction", result_.indeterminacy));
  if (holds && result_.acceleration.size() > 0 &&
      result_.acceleration.lpNorm<Eigen::Infinity>() > 1e-4)  // m/s^2, rad/s^2
    text.notes.push_back("it moves: accelerations are not zero, no contact slips");
  if (result_.friction_scale_known && holds && result_.friction_scale)
    text.notes.push_back(
        *result_.friction_scale > 0.0
            ? fmt::format("friction to spare: holds down to {} of every coefficient", at_least(*result_.friction_scale))
            : "holds without any friction");
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
  const double told_friction = certificate.kind == CertificateKind::kMotion ? source["told_friction"].number() : 1.0;
  if (!(told_friction >= 1.0 && told_friction < kInfinity)) source["told_friction"].fail("a finite number >= 1");
  const ContactProblem told = with_friction(problem, told_friction);
  if (told_friction > 1.0 && judge(told, rules, certificate, &why) != Verdict::kFails)
    return Judgement::refusal("the certificate does not prove failure for told_friction: " + why);
  std::vector<ContactReport> contacts;
  if (has_forces(certificate.kind)) read_contacts(problem, rules, certificate, judged.verdict, contacts);
  judged.summary = judged.verdict == Verdict::kHolds ? describe_sticking(problem, contacts)
                                                     : failure_words(describe_failure(told, rules, certificate));
  judged.proved = std::string("by ") + name_of(certificate.kind);
  judged.claims = claims_of(report, problem, certificate, contacts);
  judged.question = question_json(problem, rules);
  judged.proof = proof_json(certificate, told_friction);
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
