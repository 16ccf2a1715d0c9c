#include "io/json.hpp"

#include <cmath>

#include "io/judgement.hpp"
#include "io/report.hpp"

namespace stiction::internal {

Json json(double value)
{
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return nullptr;  // not known
  return value > 0.0 ? "inf" : "-inf";
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

Json json(const ContactProblem::SparseMatrix& matrix)
{
  Json row = Json::array(), col = Json::array(), value = Json::array();
  for (Eigen::Index i = 0; i < matrix.outerSize(); ++i)
    for (ContactProblem::SparseMatrix::InnerIterator it(matrix, i); it; ++it) {
      row.push_back(it.row());
      col.push_back(it.col());
      value.push_back(it.value());
    }
  return {{"row", row}, {"col", col}, {"value", value}};
}

Json by_joint(const ContactProblem& problem, const Eigen::VectorXd& values)
{
  const std::vector<std::string> labels = joint_labels(problem.dofs);
  Json map = Json::object();
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (problem.dofs[k].size == 1)
      map[labels[k]] = json(values[i]);
    else
      map[labels[k]].push_back(json(values[i]));
  }
  return map;
}

Json contacts_json(const ContactProblem& problem, const std::vector<ReportedContact>& contacts)
{
  Json list = Json::array();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const ContactReport& found = contacts[i].found;
    Json entry;
    entry["name"] = contacts[i].name;
    entry["state"] = name_of(found.state);
    entry["normal_force"] = json(found.force[0]);
    entry["tangential_force"] = json(Eigen::VectorXd(found.force.segment(1, contact.tangents)));
    entry["force_world"] = contacts[i].force_W ? json(Eigen::VectorXd(*contacts[i].force_W)) : Json();
    entry["utilisation"] = json(found.utilisation);
    entry["unique"] = problem.is_sparse() ? Json() : Json(found.unique);
    const Margin& interval = found.normal_interval;
    entry["normal_interval"] = interval.enclosed() ? Json{json(interval.lower), json(interval.upper)} : Json();
    if (contact.torsional) entry["torsion_moment"] = json(found.force[3]);
    list.push_back(entry);
  }
  return list;
}

Json efforts_json(const std::vector<ReportedEffort>& efforts)
{
  Json map = Json::object();
  for (const ReportedEffort& effort : efforts) map[effort.name] = json(effort.value);
  return map;
}

Json margins_json(const std::vector<ReportedMargin>& margins)
{
  using State = Margin::State;
  Json map = Json::object(), intervals = Json::object();
  for (const ReportedMargin& margin : margins) {
    if (margin.margin.state == State::kNone) map[margin.name] = nullptr;
    if (margin.margin.state == State::kKnown || margin.margin.state == State::kUnbounded)
      map[margin.name] = json(margin.value);
    if (margin.interval) intervals[margin.name] = {json(margin.margin.lower), json(margin.margin.upper)};
  }
  if (!intervals.empty()) map["intervals"] = intervals;
  return map;
}

Json proved_contacts_json(const ContactProblem& problem, const std::vector<ContactReport>& found,
                          const Eigen::VectorXd& lambda)
{
  Json list = contacts_json(problem, reported_contacts(problem, found, lambda));
  for (Json& entry : list) entry["unique"] = unproved();
  return list;
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
  entry["joints"] = Json::array();  // one per degree of freedom
  for (const Dof& dof : problem.dofs)
    entry["joints"].push_back({{"model", dof.model},
                               {"joint", dof.of_base() ? Json() : Json(dof.joint)},
                               {"index", dof.index},
                               {"size", dof.size}});
  entry["M"] = problem.is_sparse() ? json(problem.sparse_M) : json(problem.M);
  entry["F"] = json(problem.F);
  entry["J"] = problem.is_sparse() ? json(problem.sparse_J) : json(problem.J);
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
  for (const LoopConstraint& closure : problem.loops)
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

void write_proof(Detachment detachment, const Certificate& certificate, Json& entry)
{
  entry["kind"] = name_of(certificate.kind);
  write_certificate(certificate, entry);
  if (detachment != Detachment::kFree || certificate.kind == CertificateKind::kNone) return;
  entry["leaving"] = certificate.leaving;
  entry["modes"] = Json::array();
  for (const Certificate& mode : certificate.modes) {
    Json one;
    one["leaving"] = mode.leaving;
    one["kind"] = name_of(mode.kind);
    if (mode.kind == CertificateKind::kPenetration) one["penetrating"] = mode.penetrating;
    write_certificate(mode, one);
    entry["modes"].push_back(std::move(one));
  }
}

Field Field::operator[](const char* key) const
{
  if (!json_.is_object() || !json_.contains(key))
    throw NotAReport(path_ + "." + key, "want an entry, got none: not a report");
  return {json_.at(key), path_ + "." + key};
}

Field Field::operator[](std::size_t i) const
{
  if (i >= size()) fail("at least " + std::to_string(i + 1) + " entries");
  return {json_[i], path_ + "[" + std::to_string(i) + "]"};
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
  for (std::size_t i = 0; i < size(); ++i) {
    const Json& entry = json_[i];
    values[static_cast<Eigen::Index>(i)] = entry.is_number() ? entry.get<double>() : (*this)[i].number();
  }
  return values;
}

std::vector<int> Field::integers() const
{
  std::vector<int> values;
  for (std::size_t i = 0; i < size(); ++i) values.push_back((*this)[i].integer());
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
  throw NotAReport(
      path_, "want " + want + ", got " + json_.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 40));
}

ContactProblem::SparseMatrix Field::sparse_matrix(Eigen::Index rows, Eigen::Index cols) const
{
  const std::vector<int> row = (*this)["row"].integers(), col = (*this)["col"].integers();
  const Eigen::VectorXd value = (*this)["value"].vector();
  if (row.size() != col.size() || static_cast<Eigen::Index>(row.size()) != value.size())
    fail("as many rows, columns and values");
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k] < 0 || row[k] >= rows) fail("rows within 0.." + std::to_string(rows - 1));
    if (col[k] < 0 || col[k] >= cols) fail("columns within 0.." + std::to_string(cols - 1));
    const bool ascends = k == 0 || row[k] > row[k - 1] || (row[k] == row[k - 1] && col[k] > col[k - 1]);
    if (!ascends) fail("entries row by row, each once");
    entries.emplace_back(row[k], col[k], value[static_cast<Eigen::Index>(k)]);
  }
  ContactProblem::SparseMatrix matrix(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
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
  if (field["J"].is_object()) {
    if (problem.nv() == 0) field["F"].fail("degrees of freedom");
    problem.sparse_M = field["M"].sparse_matrix(problem.nv(), problem.nv());
    problem.sparse_J = field["J"].sparse_matrix(problem.rows(), problem.nv());
  } else {
    problem.M = field["M"].matrix(problem.nv(), problem.nv());
    problem.J = field["J"].matrix(problem.rows(), problem.nv());
  }
  const Field dofs = field["dofs"], joints = field["joints"];
  const Field contacts = field["contacts"], loops = field["closures"];
  if (static_cast<Eigen::Index>(dofs.size()) != problem.nv()) dofs.fail("a name for each degree of freedom");
  if (static_cast<Eigen::Index>(joints.size()) != problem.nv()) joints.fail("a joint for each degree of freedom");
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const Field joint = joints[i]["joint"];
    problem.dof_names.push_back(dofs[i].text());
    problem.dofs.push_back({joints[i]["model"].text(), joint.is_null() ? "" : joint.text(),
                            joints[i]["index"].integer(), joints[i]["size"].integer()});
    if (problem.dofs.back().size < 1 || problem.dofs.back().size > 6) joints[i]["size"].fail("1 to 6");
  }
  if (problem.dof_names != dof_labels(problem.dofs)) dofs.fail("the names of `joints`");
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
    contact.point_W = source["point_world"].vector(3);
    contact.axes_W = source["axes_world"].matrix(3, 3).transpose();
    problem.contacts.push_back(contact);
  }
  for (std::size_t i = 0; i < loops.size(); ++i)
    problem.loops.push_back({loops[i]["name"].text(), loops[i]["row"].integer(), loops[i]["rows"].integer()});
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
  leaf.signs = field["signs"].integers();
  leaf.motion = field["motion"].vector();
  return leaf;
}

Certificate read_certificate(const Field& field)
{
  Certificate certificate;
  const std::string kind = field["kind"].text();
  for (CertificateKind known :
       {CertificateKind::kForces, CertificateKind::kMotion, CertificateKind::kContradiction,
        CertificateKind::kUnbalanced, CertificateKind::kModes, CertificateKind::kPenetration, CertificateKind::kNone})
    if (kind == name_of(known)) certificate.kind = known;
  if (kind != name_of(certificate.kind))
    field["kind"].fail("forces | motion | contradiction | unbalanced | modes | penetration | none");
  certificate.a = field["a"].vector();
  certificate.lambda = field["lambda"].vector();
  const Field leaves = field["leaves"];
  for (std::size_t i = 0; i < leaves.size(); ++i) certificate.leaves.push_back(read_leaf(leaves[i]));
  return certificate;
}

Certificate read_proof(const Field& field, Detachment detachment)
{
  Certificate certificate = read_certificate(field);
  if (detachment != Detachment::kFree) return certificate;
  certificate.leaving = field["leaving"].integers();
  const Field modes = field["modes"];
  for (std::size_t i = 0; i < modes.size(); ++i) {
    Certificate mode = read_certificate(modes[i]);
    mode.leaving = modes[i]["leaving"].integers();
    if (mode.kind == CertificateKind::kPenetration) mode.penetrating = modes[i]["penetrating"].integer();
    certificate.modes.push_back(std::move(mode));
  }
  return certificate;
}

}  // namespace stiction::internal
