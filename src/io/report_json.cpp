#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "io/report.hpp"

namespace stiction::internal {
namespace {

using Json = nlohmann::ordered_json;

Json json(double value)
{
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf";
}

Json json(const Eigen::VectorXd& values)
{
  Json list = Json::array();
  for (double value : values) list.push_back(json(value));
  return list;
}

Json json(const Eigen::MatrixXd& matrix)
{
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) rows.push_back(json(Eigen::VectorXd(matrix.row(i).transpose())));
  return rows;
}

/// {"robot/base": [6], "robot/left_knee": 0.1}: degrees of freedom "name[k]" are gathered into a list.
Json by_joint(const std::vector<std::string>& names, const Eigen::VectorXd& values)
{
  Json map = Json::object();
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const std::string& name = names[static_cast<std::size_t>(i)];
    const auto bracket = name.rfind('[');
    if (bracket == name.npos)
      map[name] = json(values[i]);
    else
      map[name.substr(0, bracket)].push_back(json(values[i]));
  }
  return map;
}

Json contact_json(const Report& report, std::size_t i)
{
  const Contact& contact = report.problem.contacts[i];
  const ContactReport& found = report.result.contacts[i];
  Json entry;
  entry["name"] = contact.name;
  entry["state"] = name_of(found.state);
  entry["normal_force"] = json(found.force[0]);
  entry["tangential_force"] = json(Eigen::VectorXd(found.force.segment(1, contact.tangents)));
  entry["force_world"] = json(Eigen::VectorXd(contact_force_in_world(contact, report.result.lambda.data() + contact.row)));
  entry["utilisation"] = json(found.utilisation);
  entry["unique"] = found.unique;
  const bool interval = report.result.verdict == Verdict::kHolds && found.normal_lower <= found.normal_upper;
  entry["normal_interval"] = interval ? Json{json(found.normal_lower), json(found.normal_upper)} : Json();
  if (contact.torsional) entry["torsion_moment"] = json(found.force[3]);
  return entry;
}

Json repair_json(const Report& report, const Repair& repair)
{
  Json entry;
  switch (repair.change) {
    case Repair::Change::kCommonFriction:
      entry["change"] = "friction_scale";
      entry["to"] = json(repair.value);
      break;
    case Repair::Change::kFriction:
      entry["change"] = "mu";
      entry["contact"] = report.problem.contacts[static_cast<std::size_t>(repair.contact)].name;
      entry["to"] = json(repair.value);
      break;
    case Repair::Change::kForce:   // F holds applied forces with a minus
      entry["change"] = "force";
      entry["add"] = by_joint(report.problem.dof_names, -repair.force);
      break;
  }
  return entry;
}

Json rules_json(const StickingRules& rules)
{
  Json entry;
  switch (rules.shape.approximation) {
    case ConeApproximation::kExact: entry["cone"] = "exact"; break;
    case ConeApproximation::kInner: entry["cone"]["inner"] = rules.shape.facets; break;
    case ConeApproximation::kOuter: entry["cone"]["outer"] = rules.shape.facets; break;
  }
  entry["detachment"] = rules.detachment == Detachment::kAllowed ? "allowed" : "forbidden";
  return entry;
}

Json problem_json(const ContactProblem& problem)
{
  Json entry;
  entry["dofs"] = problem.dof_names;
  entry["M"] = json(problem.M);
  entry["F"] = json(problem.F);
  entry["J"] = json(problem.J);
  entry["gamma"] = json(problem.gamma);
  entry["contacts"] = Json::array();
  for (const Contact& contact : problem.contacts) {
    Json row;
    row["name"] = contact.name;
    row["side"] = contact.side == Side::kUnilateral ? "unilateral" : "bilateral";
    row["mu"] = json(contact.mu);
    row["row"] = contact.row;
    row["tangents"] = contact.tangents;
    row["torsional"] = contact.torsional;
    row["torsion"] = json(contact.torsion);
    row["max_normal"] = json(contact.max_normal);
    row["point_world"] = json(Eigen::VectorXd(contact.point_W));
    row["axes_world"] = json(Eigen::MatrixXd(contact.axes_W.transpose()));   // normal, t1, t2
    entry["contacts"].push_back(row);
  }
  entry["closures"] = Json::array();
  for (const Closure& closure : problem.closures)
    entry["closures"].push_back({{"name", closure.name}, {"row", closure.row}, {"rows", closure.rows}});
  return entry;
}

Json certificate_json(const Report& report)
{
  const bool proved = report.result.verdict != Verdict::kUndecided;
  const Certificate& certificate = report.result.certificate;
  Json entry;
  entry["kind"] = name_of(proved ? certificate.kind : CertificateKind::kNone);
  entry["rules"] = rules_json(report.rules);
  entry["problem"] = problem_json(report.problem);
  entry["a"] = proved ? json(certificate.a) : Json::array();
  entry["lambda"] = proved ? json(certificate.lambda) : Json::array();
  entry["leaves"] = Json::array();
  if (proved)
    for (const MotionLeaf& leaf : certificate.leaves)
      entry["leaves"].push_back({{"signs", leaf.signs}, {"motion", json(leaf.motion)}});
  return entry;
}

}  // namespace

std::string checksum(const std::string& text)
{
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

std::string report_json(const Report& report)
{
  const StickingResult& result = report.result;
  const bool forces = has_forces(result);
  Json json_report;
  json_report["stiction"] = 1;
  json_report["name"] = report.name;
  json_report["question"] = stiction::name_of(report.question);
  json_report["verdict"] = name_of(result.verdict);
  json_report["summary"] = summary_of(result);
  // The certificate's acceleration is the one that was judged; the result's differs from it by rounding.
  const Eigen::VectorXd& a = result.verdict == Verdict::kUndecided ? result.acceleration : result.certificate.a;
  json_report["acceleration"]["values"] = forces ? by_joint(report.problem.dof_names, a) : Json();
  json_report["acceleration"]["unique"] = forces && result.acceleration_unique;
  json_report["contacts"] = Json::array();
  if (forces)
    for (std::size_t i = 0; i < report.problem.contacts.size(); ++i) json_report["contacts"].push_back(contact_json(report, i));
  json_report["efforts"] = Json::object();
  for (const auto& [joint, effort] : report.efforts) json_report["efforts"][joint] = json(effort);
  json_report["indeterminacy"]["degree"] = result.indeterminacy;
  json_report["margins"] = Json::object();
  if (result.friction_scale_known)
    json_report["margins"]["friction_scale"] = result.friction_scale ? json(*result.friction_scale) : Json();
  json_report["repair"] = Json::array();
  for (const Repair& repair : result.repairs) json_report["repair"].push_back(repair_json(report, repair));
  json_report["certificate"] = certificate_json(report);
  json_report["solver"] = {{"name", report.solver}, {"iterations", result.iterations}};
  json_report["warnings"] = report.warnings;
  const auto dump = [&] { return json_report.dump(-1, ' ', false, Json::error_handler_t::replace); };   // names come from URDFs
  json_report["checksum"] = checksum(dump());
  return dump() + "\n";
}

}  // namespace stiction::internal
