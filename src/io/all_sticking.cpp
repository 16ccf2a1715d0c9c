// The question all_sticking: does every contact keep sticking, for given efforts? (docs/all_sticking.md)
#include <fmt/format.h>

#include <algorithm>

#include "io/json.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "problem/text.hpp"
#include "stiction/error.hpp"

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
      entry["add"] = by_joint(problem.dof_names, -repair.force);
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

class StickingAnswer final : public Answer {
 public:
  explicit StickingAnswer(const std::string& solver) : checker_(make_engine(solver)) {}

  void ask(const Situation& situation, Extras extras) override
  {
    require_given_efforts(situation);
    require_rest(situation);
    const ScenarioOptions& asked = situation.scenario.options;
    const bool fallback = extras == Extras::kAll;
    StickingOptions options;
    options.rules = {asked.cone, asked.detachment};
    options.intervals = asked.intervals.value_or(fallback);
    options.margins = asked.margins.value_or(fallback);
    options.repairs = asked.repairs.value_or(fallback);
    checker_.check(situation.problem, options, result_);
  }

  Verdict verdict() const override { return result_.verdict; }
  int iterations() const override { return result_.iterations; }

  std::string summary() const override
  {
    if (result_.verdict == Verdict::kUndecided) return "undecided: " + result_.reason;
    if (result_.verdict == Verdict::kHolds) return result_.explanation;
    return "fails: " + (result_.explanation.empty() ? "no admissible contact forces exist" : result_.explanation);
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

 private:
  /// Whether there are forces and an acceleration at all: not when the constraints contradict each other, nothing can balance the
  /// loads, or the motion could not be computed.
  bool has_forces() const
  {
    const CertificateKind kind = result_.certificate.kind;
    if (result_.verdict == Verdict::kUndecided) return (result_.lambda.array() != 0.0).any();
    return kind != CertificateKind::kContradiction && kind != CertificateKind::kUnbalanced;
  }
  Json certificate_json(const Report& report) const;

  StickingChecker checker_;
  StickingResult result_;
};

void StickingAnswer::write_json(const Report& report, Json& json_report) const
{
  const bool forces = has_forces();
  const ContactProblem& problem = report.problem;
  // The certificate's acceleration is the one that was judged; the result's differs from it by rounding.
  const Eigen::VectorXd& a = result_.verdict == Verdict::kUndecided ? result_.acceleration : result_.certificate.a;
  json_report["acceleration"]["values"] = forces ? by_joint(problem.dof_names, a) : Json();
  json_report["acceleration"]["unique"] = forces && result_.acceleration_unique;
  json_report["contacts"] = Json::array();
  if (forces)
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      json_report["contacts"].push_back(
          contact_json(problem.contacts[i], result_.contacts[i], result_.lambda, result_.verdict == Verdict::kHolds));
  json_report["efforts"] = Json::object();
  for (const auto& [joint, effort] : given_efforts(report.scenario, problem))
    json_report["efforts"][joint] = json(effort);
  json_report["indeterminacy"]["degree"] = result_.indeterminacy;
  json_report["margins"] = Json::object();
  if (result_.friction_scale_known)
    json_report["margins"]["friction_scale"] = result_.friction_scale ? json(*result_.friction_scale) : Json();
  json_report["repair"] = Json::array();
  for (const Repair& repair : result_.repairs) json_report["repair"].push_back(repair_json(problem, repair));
  json_report["certificate"] = certificate_json(report);
}

Json StickingAnswer::certificate_json(const Report& report) const
{
  const Certificate certificate = result_.verdict == Verdict::kUndecided ? Certificate{} : result_.certificate;
  Json entry;
  entry["kind"] = name_of(certificate.kind);
  entry["rules"]["cone"] = cone_json(report.scenario.options.cone);
  entry["rules"]["detachment"] = report.scenario.options.detachment == Detachment::kAllowed ? "allowed" : "forbidden";
  entry["problem"] = problem_json(report.problem);
  write_certificate(certificate, entry);
  return entry;
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
  if (holds && result_.acceleration.size() > 0 &&
      result_.acceleration.lpNorm<Eigen::Infinity>() > 1e-4)  // m/s^2, rad/s^2
    text.notes.push_back("it moves: accelerations are not zero, no contact slips");
  if (result_.friction_scale_known && holds && result_.friction_scale)
    text.notes.push_back(
        *result_.friction_scale > 0.0
            ? fmt::format("friction to spare: holds down to {:.4g} of every coefficient", *result_.friction_scale)
            : "holds without any friction");
  if (result_.friction_scale_known && fails && !result_.friction_scale)
    text.notes.push_back("no amount of friction helps");
  append_repairs(text.advice, report.problem, result_.repairs);
  return text;
}

/// Empty when the report's forces are those of the certificate, else what is not.
std::string disagreement(const Field& report, const ContactProblem& problem, const StickingRules& rules,
                         const Certificate& certificate)
{
  const bool forces = certificate.kind == CertificateKind::kForces || certificate.kind == CertificateKind::kMotion;
  const Field contacts = report["contacts"], values = report["acceleration"]["values"];
  if (!forces)
    return contacts.size() == 0 && values.is_null() ? "" : "forces are reported, but the certificate has none";
  if (std::string wrong = by_joint_disagreement(values, certificate.a, "acceleration"); !wrong.empty()) return wrong;
  return contacts_disagreement(contacts, problem, rules.shape, certificate.lambda);
}

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Verification verify_sticking(const Field& report)
{
  const std::string verdict = report["verdict"].text();
  const Field source = report["certificate"];
  const Certificate certificate = read_certificate(source);
  StickingRules rules;
  rules.shape = read_cone(source["rules"]["cone"]);
  const std::string detachment = source["rules"]["detachment"].text();
  if (detachment != "allowed" && detachment != "forbidden") source["rules"]["detachment"].fail("allowed | forbidden");
  rules.detachment = detachment == "allowed" ? Detachment::kAllowed : Detachment::kForbidden;
  const ContactProblem problem = read_problem(source["problem"]);
  try {
    problem.validate();
  } catch (const InputError& error) {
    return {false, std::string("the certificate's problem is not one: ") + error.what()};
  }
  std::string why;
  const Verdict proved = judge(problem, rules, certificate, &why);
  if (proved == Verdict::kUndecided) return {false, "the certificate proves nothing: " + why};
  if (verdict != name_of(proved))
    return {false, "the report says " + quoted(verdict) + ", but its certificate proves " + quoted(name_of(proved))};
  if (const std::string wrong = disagreement(report, problem, rules, certificate); !wrong.empty())
    return {false, wrong};
  return {true, std::string("proved: ") + name_of(proved) + ", by " + name_of(certificate.kind)};
}

std::vector<std::string> sticking_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"utilisation", "slack"};
  if (options.margins.value_or(false)) names.push_back("friction_scale");
  return names;
}

}  // namespace

extern const QuestionKind kAllStickingKind{Question::kAllSticking, require_no_sliding, make_answer<StickingAnswer>, sticking_columns, verify_sticking};

}  // namespace stiction::internal
