#include "ask/contact_reports.hpp"
#include "io/equilibrium_answer.hpp"
#include "io/failure.hpp"
#include "io/judgement.hpp"
#include "io/report.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

/// A prescribed acceleration belongs to the question, and so does a tolerance of the data.
Json question_json(const ContactProblem& problem, const ConeShape& shape, double tolerance,
                   const std::vector<int>& idle_motors, const Eigen::VectorXd& a)
{
  Json entry;
  entry["rules"]["cone"] = cone_json(shape);
  if (tolerance > 0.0) entry["rules"]["tolerance"] = json(tolerance);
  write_idle_motors(idle_motors, entry["rules"]);
  entry["problem"] = problem_json(problem);
  entry["a"] = json(a);
  return entry;
}

Json tolerance_json(double tolerance, double change)
{
  return {{"of_data", json(tolerance)}, {"needed", json(change)}};
}

Json balance_proof_json(const Certificate& certificate)
{
  Json entry;
  entry["kind"] = name_of(certificate.kind);
  write_certificate(certificate, entry);
  entry.erase("a");
  entry["efforts"] = json(certificate.efforts);
  return entry;
}

/// Friction and efforts with which it would hold.
Json repairs_json(const std::vector<ReportedMargin>& margins)
{
  Json list = Json::array();
  for (const auto& [name, change] : {std::pair{"friction_scale", "friction_scale"}, {"effort", "effort_scale"}})
    for (const ReportedMargin& margin : margins)
      if (margin.name == name && margin.margin.state == Margin::State::kKnown)
        list.push_back({{"change", change}, {"to", json(margin.value)}});
  return list;
}

}  // namespace

Json equilibrium_asked(const ScenarioReport& report)
{
  const EquilibriumAnswer& answer = std::get<EquilibriumAnswer>(report.answer);
  return question_json(report.problem, answer.shape, answer.tolerance, answer.idle_motors, answer.a);
}

void write_equilibrium(const ScenarioReport& report, Json& json_report)
{
  const EquilibriumAnswer& answer = std::get<EquilibriumAnswer>(report.answer);
  const EquilibriumResult& result = answer.result;
  json_report["acceleration"]["values"] = by_joint(report.problem, answer.a);
  json_report["acceleration"]["unique"] = true;  // it is prescribed
  json_report["contacts"] = contacts_json(report.problem, report.contacts);
  json_report["efforts"] = efforts_json(report.efforts);
  if (answer.tolerance > 0.0 && result.verdict == Verdict::kHolds)
    json_report["tolerance"] = tolerance_json(answer.tolerance, result.change);
  json_report["indeterminacy"]["degree"] = result.indeterminacy < 0 ? Json() : Json(result.indeterminacy);
  json_report["margins"] = margins_json(report.margins);
  json_report["repair"] = result.verdict == Verdict::kFails ? repairs_json(report.margins) : Json::array();
  const bool fails = result.verdict == Verdict::kFails;
  if (fails) json_report["failure"] = failure_json(result.failure);
  json_report["certificate"] = equilibrium_asked(report);
  json_report["certificate"].update(
      balance_proof_json(result.verdict == Verdict::kUndecided ? Certificate{} : result.certificate));
  if (fails)
    json_report["certificate"]["counterfactuals"] = counterfactuals_json(result.failure, Detachment::kForbidden);
}

namespace {

/// What a report may say about a certificate, with forces or without.
Json claims_of(const ContactProblem& problem, const Certificate& certificate, bool forces,
               const std::vector<ContactReport>& contacts)
{
  Json claims;
  claims["acceleration"]["values"] = by_joint(problem, certificate.a);
  claims["acceleration"]["unique"] = true;  // it is prescribed
  claims["contacts"] = forces ? proved_contacts_json(problem, contacts, certificate.lambda) : Json::array();
  claims["efforts"] = Json::object();
  for (std::size_t i = 0; forces && i < problem.actuators.size(); ++i)
    claims["efforts"][problem.actuators[i].name] = json(certificate.efforts[static_cast<Eigen::Index>(i)]);
  for (const char* key : {"indeterminacy", "margins", "repair"}) claims[key] = unproved();
  return claims;
}

}  // namespace

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Judgement judge_equilibrium_report(const Field& report)
{
  const Field source = report["certificate"];
  Certificate certificate = read_certificate(source);
  certificate.efforts = source["efforts"].vector();
  const ConeShape shape = read_cone(source["rules"]["cone"]);
  const ContactProblem problem = read_problem(source["problem"]);
  if (const auto refused = refused_problem([&] { problem.validate(ContactProblem::Storage::kAny); })) return *refused;
  Judgement judged;
  std::string why;
  const double tolerance = source["rules"].has("tolerance") ? source["rules"]["tolerance"].number() : 0.0;
  Judge judge;
  judged.verdict = judge.equilibrium_within(tolerance, problem, certificate.a, shape, certificate, &why);
  if (judged.verdict == Verdict::kUndecided) return Judgement::refusal("the certificate proves nothing: " + why);
  const double needed = judge.needed_tolerance();
  const bool holds = judged.verdict == Verdict::kHolds, forces = holds || !certificate.lambda.isZero(0.0);
  if (!holds && forces &&
      !balances_with_more_friction(problem, certificate.a, shape, certificate.lambda, certificate.efforts) &&
      !balances_with_larger_efforts(problem, certificate.a, shape, certificate.lambda, certificate.efforts))
    return Judgement::refusal("the certificate's forces do not balance the load, whatever the friction or the efforts");
  std::vector<ContactReport> contacts(problem.contacts.size());
  if (forces) {
    const std::vector<char> detaching(problem.contacts.size(), 0);
    PartForces part_forces;
    report_contacts(problem, shape, detaching, certificate.lambda, judged.verdict, part_forces, contacts);
  }
  if (holds) judged.summary = describe_balance(problem, contacts, certificate.efforts);
  judged.proved = std::string("by ") + name_of(certificate.kind);
  judged.claims = claims_of(problem, certificate, forces, contacts);
  if (tolerance > 0.0 && holds) judged.claims["tolerance"] = tolerance_json(tolerance, needed);
  const std::vector<int> idle_motors = read_idle_motors(source["rules"], problem);
  judged.question = question_json(problem, shape, tolerance, idle_motors, certificate.a);
  judged.proof = balance_proof_json(certificate);
  if (judged.verdict == Verdict::kFails)
    judge_failure(report, problem, rules_of_balance(shape), certificate, idle_motors, false, judged);
  if (judged.refused.empty()) judged.summary = within_tolerance(judged.summary, judged.verdict, tolerance, needed);
  return judged;
}

}  // namespace stiction::internal
