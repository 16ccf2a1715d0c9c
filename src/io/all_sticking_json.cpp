#include <algorithm>

#include "ask/contact_reports.hpp"
#include "io/all_sticking_answer.hpp"
#include "io/failure.hpp"
#include "io/judgement.hpp"
#include "io/report.hpp"
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

Json posture_json(const ContactProblem& problem, const PostureRepair& repair)
{
  const std::vector<std::string> labels = joint_labels(problem.dofs);
  Json entry = {{"change", "posture"}, {"add", by_joint(problem, repair.change)}, {"joints", Json::object()}};
  for (const int dof : repair.joints) {
    const Dof& joint = problem.dofs[static_cast<std::size_t>(dof)];
    const auto model = std::ranges::find(repair.models, joint.model, &ModelDescription::name);
    entry["joints"][labels[static_cast<std::size_t>(dof)]] = json(model->joints.at(joint.joint));
  }
  entry["poses"] = Json::object();
  for (const int base : repair.bases) {
    const ModelDescription& model = repair.models[static_cast<std::size_t>(base)];
    entry["poses"][model.name] = {{"xyz", json(Eigen::VectorXd(model.pose.xyz))},
                                  {"rpy", json(Eigen::VectorXd(model.pose.rpy))}};
  }
  entry["gap"] = json(repair.gap);
  return entry;
}

}  // namespace

Json repairs_json(const ContactProblem& problem, const AllStickingAnswer& answer)
{
  Json list = Json::array();
  for (const Repair& repair : answer.result.repairs) list.push_back(repair_json(problem, repair));
  if (answer.posture_repair) list.push_back(posture_json(problem, *answer.posture_repair));
  return list;
}

namespace {

Json question_json(const ContactProblem& problem, const StickingRules& rules, const std::vector<int>& idle_motors)
{
  Json entry;
  entry["rules"]["cone"] = cone_json(rules.shape);
  entry["rules"]["detachment"] = name_of(rules.detachment);
  write_idle_motors(idle_motors, entry["rules"]);
  entry["problem"] = problem_json(problem);
  return entry;
}

}  // namespace

Json all_sticking_asked(const ScenarioReport& report)
{
  const AllStickingAnswer& answer = std::get<AllStickingAnswer>(report.answer);
  return question_json(report.problem, answer.rules, answer.idle_motors);
}

void write_all_sticking(const ScenarioReport& report, Json& json_report)
{
  const StickingResult& result = std::get<AllStickingAnswer>(report.answer).result;
  const bool forces = has_forces(result), decided = result.verdict != Verdict::kUndecided;
  json_report["acceleration"]["values"] =
      forces ? by_joint(report.problem, decided ? result.certificate.a : result.acceleration) : Json();
  json_report["acceleration"]["unique"] = forces && result.acceleration_unique;
  json_report["contacts"] = contacts_json(report.problem, report.contacts);
  json_report["efforts"] = efforts_json(report.efforts);
  json_report["indeterminacy"]["degree"] = result.indeterminacy;
  json_report["margins"] = margins_json(report.margins);
  const AllStickingAnswer& answer = std::get<AllStickingAnswer>(report.answer);
  json_report["repair"] = repairs_json(report.problem, answer);
  if (!answer.repair_notes.empty()) json_report["repair_notes"] = answer.repair_notes;
  if (answer.steps) json_report["steps"] = steps_json(report.problem, answer);
  const bool fails = result.verdict == Verdict::kFails;
  const Detachment detachment = answer.rules.detachment;
  if (fails) json_report["failure"] = failure_json(result.failure);
  json_report["certificate"] = all_sticking_asked(report);
  write_proof(detachment, decided ? result.certificate : Certificate{}, json_report["certificate"]);
  if (fails) json_report["certificate"]["counterfactuals"] = counterfactuals_json(result.failure, detachment);
}

namespace {

StickingRules read_rules(const Field& field)
{
  StickingRules rules;
  rules.shape = read_cone(field["cone"]);
  const std::string detachment = field["detachment"].text();
  for (const Detachment known : {Detachment::kAllowed, Detachment::kForbidden, Detachment::kFree}) {
    rules.detachment = known;
    if (detachment == name_of(known)) return rules;
  }
  field["detachment"].fail("allowed | forbidden | free");
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
  for (const char* key : {"repair_notes", "steps"})
    if (report.has(key)) claims[key] = unproved();
  return claims;
}

}  // namespace

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Judgement judge_all_sticking(const Field& report)
{
  const Field source = report["certificate"];
  const StickingRules rules = read_rules(source["rules"]);
  const Certificate certificate = read_proof(source, rules.detachment);
  const ContactProblem problem = read_problem(source["problem"]);
  if (const auto refused = refused_problem([&] { problem.validate(); })) return *refused;
  Judgement judged;
  std::string why;
  judged.verdict = judge(problem, rules, certificate, &why);
  if (judged.verdict == Verdict::kUndecided) return Judgement::refusal("the certificate proves nothing: " + why);
  std::vector<ContactReport> contacts;
  if (has_forces(certificate.kind)) read_contacts(problem, rules, certificate, judged.verdict, contacts);
  judged.proved = std::string("by ") + name_of(certificate.kind);
  judged.claims = claims_of(report, problem, certificate, contacts);
  const std::vector<int> idle_motors = read_idle_motors(source["rules"], problem);
  judged.question = question_json(problem, rules, idle_motors);
  write_proof(rules.detachment, certificate, judged.proof);
  if (judged.verdict == Verdict::kHolds)
    judged.summary = describe_sticking(problem, contacts, certificate.a);
  else
    judge_failure(report, problem, rules, certificate, idle_motors, true, judged);
  return judged;
}

}  // namespace stiction::internal
