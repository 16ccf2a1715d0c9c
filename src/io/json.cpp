#include "io/json.hpp"

#include <cmath>

#include "io/report.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {

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

Json contact_json(const Contact& contact, const ContactReport& found, const Eigen::VectorXd& lambda, bool interval)
{
  Json entry;
  entry["name"] = contact.name;
  entry["state"] = name_of(found.state);
  entry["normal_force"] = json(found.force[0]);
  entry["tangential_force"] = json(Eigen::VectorXd(found.force.segment(1, contact.tangents)));
  entry["force_world"] = json(Eigen::VectorXd(contact_force_in_world(contact, lambda.data() + contact.row)));
  entry["utilisation"] = json(found.utilisation);
  entry["unique"] = found.unique;
  interval = interval && found.normal_lower <= found.normal_upper;
  entry["normal_interval"] = interval ? Json{json(found.normal_lower), json(found.normal_upper)} : Json();
  if (contact.torsional) entry["torsion_moment"] = json(found.force[3]);
  return entry;
}

Json cone_json(const ConeShape& shape)
{
  switch (shape.approximation) {
    case ConeApproximation::kInner:
      return {{"inner", shape.facets}};
    case ConeApproximation::kOuter:
      return {{"outer", shape.facets}};
    case ConeApproximation::kExact:
      break;
  }
  return "exact";
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
    row["axes_world"] = json(Eigen::MatrixXd(contact.axes_W.transpose()));  // normal, t1, t2
    entry["contacts"].push_back(row);
  }
  entry["closures"] = Json::array();
  for (const Closure& closure : problem.closures)
    entry["closures"].push_back({{"name", closure.name}, {"row", closure.row}, {"rows", closure.rows}});
  if (!problem.actuators.empty()) entry["actuators"] = Json::array();
  for (const Actuator& actuator : problem.actuators)
    entry["actuators"].push_back({{"name", actuator.name},
                                  {"dof", actuator.dof},
                                  {"lower", json(actuator.lower)},
                                  {"upper", json(actuator.upper)}});
  return entry;
}

Json leaf_json(const MotionLeaf& leaf) { return {{"signs", leaf.signs}, {"motion", json(leaf.motion)}}; }

void write_certificate(const Certificate& certificate, Json& entry)
{
  entry["a"] = json(certificate.a);
  entry["lambda"] = json(certificate.lambda);
  entry["leaves"] = Json::array();
  for (const MotionLeaf& leaf : certificate.leaves) entry["leaves"].push_back(leaf_json(leaf));
}

Field Field::operator[](const char* key) const
{
  if (!json_.is_object() || !json_.contains(key))
    throw InputError(path_ + "." + key, "want an entry, got none: not a report");
  return {json_.at(key), path_ + "." + key};
}

std::size_t Field::size() const
{
  if (!json_.is_array()) fail("a list");
  return json_.size();
}

double Field::number() const
{
  if (json_.is_string() && json_.get<std::string>() == "inf") return kInfinity;
  if (json_.is_string() && json_.get<std::string>() == "-inf") return -kInfinity;
  if (!json_.is_number()) fail("a number");
  return json_.get<double>();
}

int Field::integer() const
{
  if (!json_.is_number_integer() || std::abs(json_.get<double>()) > 1e9) fail("a whole number");
  return json_.get<int>();
}

bool Field::boolean() const
{
  if (!json_.is_boolean()) fail("true or false");
  return json_.get<bool>();
}

std::string Field::text() const
{
  if (!json_.is_string()) fail("a text");
  return json_.get<std::string>();
}

Eigen::VectorXd Field::vector() const
{
  Eigen::VectorXd values(static_cast<Eigen::Index>(size()));
  for (std::size_t i = 0; i < size(); ++i) values[static_cast<Eigen::Index>(i)] = (*this)[i].number();
  return values;
}

Eigen::VectorXd Field::vector(Eigen::Index entries) const
{
  if (static_cast<Eigen::Index>(size()) != entries) fail(std::to_string(entries) + " numbers");
  return vector();
}

Eigen::MatrixXd Field::matrix(Eigen::Index rows, Eigen::Index cols) const
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

void Field::fail(const std::string& want) const
{
  throw InputError(
      path_, "want " + want + ", got " + json_.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 40));
}

ConeShape read_cone(const Field& cone)
{
  ConeShape shape;
  if (cone.has("inner"))
    shape = ConeShape::inner(cone["inner"].integer());
  else if (cone.has("outer"))
    shape = ConeShape::outer(cone["outer"].integer());
  else if (cone.text() != "exact")
    cone.fail("exact | {inner: facets} | {outer: facets}");
  if (shape.approximation != ConeApproximation::kExact && (shape.facets < 3 || shape.facets > 1000000))
    cone.fail("3 facets or more");
  return shape;
}

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
    problem.closures.push_back(
        {closures[i]["name"].text(), closures[i]["row"].integer(), closures[i]["rows"].integer()});
  if (field.has("actuators")) {
    const Field actuators = field["actuators"];
    for (std::size_t i = 0; i < actuators.size(); ++i)
      problem.actuators.push_back({actuators[i]["name"].text(), actuators[i]["dof"].integer(),
                                   actuators[i]["lower"].number(), actuators[i]["upper"].number()});
  }
  return problem;
}

MotionLeaf read_leaf(const Field& field)
{
  MotionLeaf leaf;
  const Field signs = field["signs"];
  for (std::size_t k = 0; k < signs.size(); ++k) leaf.signs.push_back(signs[k].integer());
  leaf.motion = field["motion"].vector();
  return leaf;
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
  for (std::size_t i = 0; i < leaves.size(); ++i) certificate.leaves.push_back(read_leaf(leaves[i]));
  return certificate;
}

namespace {

/// Utilisation comes out of square roots, which processors may round differently; forces are copied exactly.
bool nearly(double a, double b) { return a == b || std::abs(a - b) <= 1e-12 * std::abs(b); }

}  // namespace

std::string contacts_disagreement(const Field& contacts, const ContactProblem& problem, const ConeShape& shape,
                                  const Eigen::VectorXd& lambda)
{
  if (contacts.size() != problem.contacts.size()) return "the contacts are not the certificate's";
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const double* rows = lambda.data() + contact.row;
    const FrictionCone cone{contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, shape};
    if (contacts[i]["name"].text() != contact.name)
      return "contact " + std::to_string(i) + " is not the certificate's " + contact.name;
    if (contacts[i]["normal_force"].number() != rows[0])
      return "the normal force of " + contact.name + " is not the certificate's";
    if (contacts[i]["tangential_force"].vector() != Eigen::Map<const Eigen::VectorXd>(rows + 1, contact.tangents))
      return "the tangential force of " + contact.name + " is not the certificate's";
    if (contacts[i]["force_world"].vector() != contact_force_in_world(contact, rows))
      return "the world force of " + contact.name + " is not the certificate's";
    if (!nearly(contacts[i]["utilisation"].number(), utilisation(cone, rows)))
      return "the utilisation of " + contact.name + " is not the certificate's";
    if (contact.torsional && contacts[i]["torsion_moment"].number() != rows[1 + contact.tangents])
      return "the torsion moment of " + contact.name + " is not the certificate's";
  }
  return "";
}

std::string by_joint_disagreement(const Field& values, const Eigen::VectorXd& wanted, const std::string& what)
{
  if (!values.is_object()) return "the " + what + " is missing";
  Eigen::Index dof = 0;
  for (const auto& [name, value] : values.json().items()) {
    const Field entry(value, values.path() + "." + name);
    const Eigen::VectorXd part = value.is_array() ? entry.vector() : Eigen::VectorXd::Constant(1, entry.number());
    if (dof + part.size() > wanted.size() || part != wanted.segment(dof, part.size()))
      return "the " + what + " of " + name + " is not the certificate's";
    dof += part.size();
  }
  return dof == wanted.size() ? "" : what + "s are missing";
}

}  // namespace stiction::internal
