// Judges a report from its own numbers. Uses the proof room only: no engine can repeat its own mistake here.
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/report.hpp"
#include "problem/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using Json = nlohmann::ordered_json;

/// One entry of the report and its path for messages.
class Field {
 public:
  Field(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  Field operator[](const char* key) const
  {
    if (!json_.is_object() || !json_.contains(key)) throw InputError(path_ + "." + key, "want an entry, got none: not a report");
    return {json_.at(key), path_ + "." + key};
  }
  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  bool is_null() const { return json_.is_null(); }
  bool is_object() const { return json_.is_object(); }
  std::size_t size() const
  {
    if (!json_.is_array()) fail("a list");
    return json_.size();
  }
  Field operator[](std::size_t i) const { return {json_.at(i), path_ + "[" + std::to_string(i) + "]"}; }

  double number() const
  {
    if (json_.is_string() && json_.get<std::string>() == "inf") return kInfinity;
    if (json_.is_string() && json_.get<std::string>() == "-inf") return -kInfinity;
    if (!json_.is_number()) fail("a number");
    return json_.get<double>();
  }
  int integer() const
  {
    if (!json_.is_number_integer() || std::abs(json_.get<double>()) > 1e9) fail("a whole number");
    return json_.get<int>();
  }
  bool boolean() const
  {
    if (!json_.is_boolean()) fail("true or false");
    return json_.get<bool>();
  }
  std::string text() const
  {
    if (!json_.is_string()) fail("a text");
    return json_.get<std::string>();
  }
  Eigen::VectorXd vector() const
  {
    Eigen::VectorXd values(static_cast<Eigen::Index>(size()));
    for (std::size_t i = 0; i < size(); ++i) values[static_cast<Eigen::Index>(i)] = (*this)[i].number();
    return values;
  }
  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index cols) const
  {
    if (static_cast<Eigen::Index>(size()) != rows) fail(std::to_string(rows) + " rows");
    Eigen::MatrixXd values(rows, cols);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const Field row = (*this)[static_cast<std::size_t>(i)];
      if (static_cast<Eigen::Index>(row.size()) != cols) row.fail(std::to_string(cols) + " numbers");
      values.row(i) = row.vector().transpose();
    }
    return values;
  }
  const Json& json() const { return json_; }

  [[noreturn]] void fail(const std::string& want) const
  {
    throw InputError(path_, "want " + want + ", got " + json_.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 40));
  }

 private:
  const Json& json_;
  std::string path_;
};

ContactProblem read_problem(const Field& field)
{
  ContactProblem problem;
  problem.F = field["F"].vector();
  problem.gamma = field["gamma"].vector();
  problem.M = field["M"].matrix(problem.nv(), problem.nv());
  problem.J = field["J"].matrix(problem.rows(), problem.nv());
  const Field dofs = field["dofs"], contacts = field["contacts"], closures = field["closures"];
  for (std::size_t i = 0; i < dofs.size(); ++i) problem.dof_names.push_back(dofs[i].text());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Field source = contacts[i];
    Contact contact;
    contact.name = source["name"].text();
    const std::string side = source["side"].text();
    if (side != "unilateral" && side != "bilateral") source["side"].fail("unilateral | bilateral");
    contact.side = side == "unilateral" ? Side::kUnilateral : Side::kBilateral;
    contact.mu = source["mu"].number();
    contact.row = source["row"].integer();
    contact.tangents = source["tangents"].integer();
    contact.torsional = source["torsional"].boolean();
    contact.torsion = source["torsion"].number();
    contact.max_normal = source["max_normal"].number();
    contact.point_W = source["point_world"].vector().size() == 3 ? Eigen::Vector3d(source["point_world"].vector())
                                                                 : Eigen::Vector3d::Constant(kInfinity);
    contact.axes_W = source["axes_world"].matrix(3, 3).transpose();
    problem.contacts.push_back(contact);
  }
  for (std::size_t i = 0; i < closures.size(); ++i)
    problem.closures.push_back({closures[i]["name"].text(), closures[i]["row"].integer(), closures[i]["rows"].integer()});
  return problem;
}

StickingRules read_rules(const Field& field)
{
  StickingRules rules;
  const Field cone = field["cone"];
  if (cone.has("inner")) rules.shape = ConeShape::inner(cone["inner"].integer());
  else if (cone.has("outer")) rules.shape = ConeShape::outer(cone["outer"].integer());
  else if (cone.text() != "exact") cone.fail("exact | {inner: facets} | {outer: facets}");
  if (rules.shape.approximation != ConeApproximation::kExact && (rules.shape.facets < 3 || rules.shape.facets > 1000000))
    cone.fail("3 facets or more");
  const std::string detachment = field["detachment"].text();
  if (detachment != "allowed" && detachment != "forbidden") field["detachment"].fail("allowed | forbidden");
  rules.detachment = detachment == "allowed" ? Detachment::kAllowed : Detachment::kForbidden;
  return rules;
}

Certificate read_certificate(const Field& field)
{
  Certificate certificate;
  const std::string kind = field["kind"].text();
  for (CertificateKind known : {CertificateKind::kForces, CertificateKind::kMotion, CertificateKind::kContradiction,
                                CertificateKind::kUnbalanced, CertificateKind::kNone})
    if (kind == name_of(known)) certificate.kind = known;
  if (kind != name_of(certificate.kind)) field["kind"].fail("forces | motion | contradiction | unbalanced | none");
  certificate.a = field["a"].vector();
  certificate.lambda = field["lambda"].vector();
  const Field leaves = field["leaves"];
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    MotionLeaf leaf;
    const Field signs = leaves[i]["signs"];
    for (std::size_t k = 0; k < signs.size(); ++k) leaf.signs.push_back(signs[k].integer());
    leaf.motion = leaves[i]["motion"].vector();
    certificate.leaves.push_back(std::move(leaf));
  }
  return certificate;
}

bool same(const Field& field, const Eigen::VectorXd& values) { return field.vector() == values; }

/// Utilisation comes out of square roots, which processors may round differently; forces are copied exactly.
bool nearly(double a, double b) { return a == b || std::abs(a - b) <= 1e-12 * std::abs(b); }

/// Empty when the report's forces are those of the certificate, else what is not.
std::string disagreement(const Field& report, const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate)
{
  const bool forces = certificate.kind == CertificateKind::kForces || certificate.kind == CertificateKind::kMotion;
  const Field contacts = report["contacts"], values = report["acceleration"]["values"];
  if (!forces) return contacts.size() == 0 && values.is_null() ? "" : "forces are reported, but the certificate has none";

  Eigen::Index dof = 0;
  if (!values.is_object()) return "the acceleration is missing";
  for (const auto& [name, value] : values.json().items()) {
    const Field entry(value, "report.acceleration.values." + name);
    const Eigen::VectorXd part = value.is_array() ? entry.vector() : Eigen::VectorXd::Constant(1, entry.number());
    if (dof + part.size() > problem.nv() || part != certificate.a.segment(dof, part.size()))
      return "the acceleration of " + name + " is not the certificate's";
    dof += part.size();
  }
  if (dof != problem.nv()) return "accelerations are missing";

  if (contacts.size() != problem.contacts.size()) return "the contacts are not the certificate's";
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const double* rows = certificate.lambda.data() + contact.row;
    const FrictionCone cone{contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, rules.shape};
    if (contacts[i]["name"].text() != contact.name) return "contact " + std::to_string(i) + " is not the certificate's " + contact.name;
    if (contacts[i]["normal_force"].number() != rows[0]) return "the normal force of " + contact.name + " is not the certificate's";
    if (!same(contacts[i]["tangential_force"], Eigen::Map<const Eigen::VectorXd>(rows + 1, contact.tangents)))
      return "the tangential force of " + contact.name + " is not the certificate's";
    if (!same(contacts[i]["force_world"], contact_force_in_world(contact, rows)))
      return "the world force of " + contact.name + " is not the certificate's";
    if (!nearly(contacts[i]["utilisation"].number(), utilisation(cone, rows)))
      return "the utilisation of " + contact.name + " is not the certificate's";
    if (contact.torsional && contacts[i]["torsion_moment"].number() != rows[1 + contact.tangents])
      return "the torsion moment of " + contact.name + " is not the certificate's";
  }
  return "";
}

}  // namespace

Verification verify_report(const std::string& text, const std::string& source)
{
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError(source, std::string("want a JSON report, got: ") + error.what());
  }
  const Field report(json, "report");
  if (report["stiction"].integer() != 1) report["stiction"].fail("version 1");
  if (const std::string question = report["question"].text(); question != "all_sticking")
    throw InputError("report.question", "want all_sticking, the one that this version verifies, got " + quoted(question));
  const std::string verdict = report["verdict"].text();
  const Field source_certificate = report["certificate"];
  const Certificate certificate = read_certificate(source_certificate);
  const StickingRules rules = read_rules(source_certificate["rules"]);
  const ContactProblem problem = read_problem(source_certificate["problem"]);

  if (verdict == "undecided") return {false, "the report is undecided: it claims nothing, so there is no proof to check"};
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
  if (const std::string wrong = disagreement(report, problem, rules, certificate); !wrong.empty()) return {false, wrong};
  const std::string written = report["checksum"].text();
  json.erase("checksum");
  if (written != checksum(json.dump(-1, ' ', false, Json::error_handler_t::replace)))
    return {false, "the checksum does not match: the report was changed after it was written"};
  return {true, std::string("proved: ") + name_of(proved) + ", by " + name_of(certificate.kind)};
}

}  // namespace stiction::internal
