// ContactProblem and Grasp: matrices in, checked once, read-only from then on, so that threads may share them.
#include "types.hpp"

namespace stiction::python {
namespace {

constexpr std::array kSides{"unilateral", "bilateral"};
constexpr std::array kPlanes{"", "xy", "yz", "zx"};

Contact make_contact(std::string name, double mu, int row, int tangents, const std::string& side,
                     std::optional<double> torsion, double max_normal, nb::handle point, nb::handle axes)
{
  Contact contact;
  contact.name = std::move(name);
  contact.mu = mu;
  contact.row = row;
  contact.tangents = tangents;
  contact.side = static_cast<Side>(position_of(side, kSides, "side"));
  contact.torsional = torsion.has_value();
  contact.torsion = torsion.value_or(0.0);
  contact.max_normal = max_normal;
  if (!point.is_none()) contact.point_W = point_of(point, "point");
  if (!axes.is_none()) {
    const Eigen::MatrixXd matrix = matrix_of(axes, "axes");
    if (matrix.rows() != 3 || matrix.cols() != 3) throw InputError("axes", "want a 3 x 3 matrix");
    contact.axes_W = matrix;
  }
  return contact;
}

ContactProblem make_problem(nb::handle M, nb::handle F, nb::handle J, std::vector<Contact> contacts, nb::handle gamma,
                            std::vector<LoopConstraint> loops, std::vector<Actuator> actuators,
                            std::vector<std::string> dof_names)
{
  ContactProblem problem;
  problem.F = vector_of(F, "F");
  problem.M = M.is_none() ? Eigen::MatrixXd::Zero(problem.nv(), problem.nv()).eval() : matrix_of(M, "M");
  problem.J = matrix_of(J, "J");
  problem.gamma = gamma.is_none() ? Eigen::VectorXd::Zero(problem.J.rows()).eval() : vector_of(gamma, "gamma");
  problem.contacts = std::move(contacts);
  problem.loops = std::move(loops);
  problem.actuators = std::move(actuators);
  problem.dof_names = std::move(dof_names);
  problem.validate();
  return problem;
}

/// A column of numbers with one entry per contact; one number is that of every contact.
std::vector<double> per_contact(nb::handle value, std::size_t contacts, const char* path)
{
  double number = 0.0;
  if (nb::try_cast(value, number)) return std::vector<double>(contacts, number);
  const Eigen::VectorXd numbers = vector_of(value, path);
  if (static_cast<std::size_t>(numbers.size()) != contacts)
    throw InputError(
        path, "want " + std::to_string(contacts) + " numbers, one per contact, got " + std::to_string(numbers.size()));
  return {numbers.begin(), numbers.end()};
}

std::vector<GraspContact> make_fingers(nb::handle points, nb::handle normals, nb::handle mu, nb::handle torsion,
                                       const std::vector<std::string>& names, const std::string& side)
{
  const Eigen::MatrixXd at = matrix_of(points, "points"), into = matrix_of(normals, "normals");
  if (at.cols() != 3) throw InputError("points", "want 3 columns, got " + std::to_string(at.cols()));
  if (into.rows() != at.rows() || into.cols() != 3)
    throw InputError("normals", "want the shape of points, (" + std::to_string(at.rows()) + ", 3), got (" +
                                    std::to_string(into.rows()) + ", " + std::to_string(into.cols()) + ")");
  const auto count = static_cast<std::size_t>(at.rows());
  if (!names.empty() && names.size() != count) throw InputError("names", "want one per contact");
  const bool bilateral = position_of(side, kSides, "side") == 1;
  const std::vector<double> friction = per_contact(mu, count, "mu"), spin = per_contact(torsion, count, "torsion");
  std::vector<GraspContact> fingers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    fingers[i] = {names.empty() ? std::string() : names[i],
                  at.row(row),
                  into.row(row),
                  friction[i],
                  spin[i],
                  bilateral       ? GraspContactKind::kBilateral
                  : spin[i] > 0.0 ? GraspContactKind::kSoftFinger
                                  : GraspContactKind::kHardFinger};
  }
  return fingers;
}

Grasp make_grasp(nb::handle points, nb::handle normals, nb::handle mu, nb::handle torsion,
                 const std::vector<std::string>& names, const std::string& side, nb::handle center,
                 double torque_length, const std::string& plane, nb::handle cone)
{
  WrenchConvention convention;
  convention.plane = static_cast<GraspPlane>(position_of(plane, kPlanes, "plane"));
  if (!center.is_none()) convention.reference = point_of(center, "center");
  convention.torque_length = torque_length;
  Grasp grasp;
  set_grasp(make_fingers(points, normals, mu, torsion, names, side), convention, shape_of(cone), grasp);
  grasp.validate();
  return grasp;
}

std::string described(const ContactProblem& problem)
{
  const auto count = [](std::size_t n, const char* what) { return std::to_string(n) + " " + what; };
  return "<ContactProblem: nv " + std::to_string(problem.nv()) + ", " +
         count(static_cast<std::size_t>(problem.rows()), "rows, ") + count(problem.contacts.size(), "contacts, ") +
         count(problem.loops.size(), "loops, ") + count(problem.actuators.size(), "actuators>");
}

/// What a problem is made of.
void bind_rows(nb::module_& module)
{
  nb::class_<Contact> contact(module, "Contact",
                              "A point contact and the rows of J it owns: normal, tangents, torsion.\n\n"
                              "Forces act from body B on body A, the normal points from B into A.");
  contact.def(
      nb::new_(&make_contact), nb::arg("name"), nb::arg("mu"), nb::arg("row"), nb::arg("tangents") = 2,
      nb::arg("side") = "unilateral", nb::arg("torsion") = nb::none(), nb::arg("max_normal") = kInfinity,
      nb::arg("point") = nb::none(), nb::arg("axes") = nb::none(),
      "mu: Coulomb coefficient. row: first row in J. tangents: 2 in space, 1 in the plane, 0 without friction.\n"
      "torsion: None, or m: |moment| <= torsion * normal force, on one more row. max_normal: N.\n"
      "point: (3,) m, in the world. axes: (3, 3), columns normal, t1, t2 in the world.");
  contact.def_ro("name", &Contact::name)
      .def_ro("mu", &Contact::mu, "Coulomb coefficient.")
      .def_ro("row", &Contact::row, "First row in J.")
      .def_ro("tangents", &Contact::tangents)
      .def_ro("side", &Contact::side)
      .def_prop_ro(
          "torsion", [](const Contact& c) { return c.torsional ? std::optional(c.torsion) : std::nullopt; },
          "m; None: no torsion row.")
      .def_ro("max_normal", &Contact::max_normal, "N.")
      .def_prop_ro("rows", &Contact::rows, "How many rows of J it owns.")
      .def("__repr__", [](const Contact& c) { return "<Contact '" + c.name + "'>"; });
  def_array(contact, "point", &Contact::point_W, "(3,) m, in the world.");
  def_array(contact, "axes", &Contact::axes_W, "(3, 3), columns normal, t1, t2 in the world.");

  nb::class_<LoopConstraint>(module, "LoopConstraint", "Frictionless bilateral rows: a loop, a pin, a weld, a guide.")
      .def(
          "__init__",
          [](LoopConstraint* self, std::string name, int row, int rows) {
            new (self) LoopConstraint{std::move(name), row, rows};
          },
          nb::arg("name"), nb::arg("row"), nb::arg("rows"))
      .def_ro("name", &LoopConstraint::name)
      .def_ro("row", &LoopConstraint::row)
      .def_ro("rows", &LoopConstraint::rows);

  nb::class_<Actuator>(module, "Actuator", "A degree of freedom driven by a motor; limits in N m or N.")
      .def(
          "__init__",
          [](Actuator* self, std::string name, int dof, double lower, double upper) {
            new (self) Actuator{std::move(name), dof, lower, upper};
          },
          nb::arg("name"), nb::arg("dof"), nb::arg("lower") = -kInfinity, nb::arg("upper") = kInfinity)
      .def_ro("name", &Actuator::name)
      .def_ro("dof", &Actuator::dof)
      .def_ro("lower", &Actuator::lower)
      .def_ro("upper", &Actuator::upper);
}

void bind_grasp(nb::module_& module)
{
  nb::class_<GraspBlock> block(module, "GraspContact", "The columns of one contact in a grasp map.");
  block.def_ro("name", &GraspBlock::name)
      .def_ro("column", &GraspBlock::col)
      .def_prop_ro("mu", [](const GraspBlock& b) { return b.cone.mu; })
      .def_prop_ro(
          "torsion", [](const GraspBlock& b) { return b.cone.torsion; }, "m.")
      .def_ro("side", &GraspBlock::side);
  def_array(block, "point", &GraspBlock::point, "(3,) m.");

  nb::class_<Grasp> grasp(module, "Grasp",
                          "What touches an object: wrench on the object = G lambda.\n\n"
                          "Rows of G: force, then torque / torque_length about `center`; 6 in space, 3 in the plane.");
  grasp.def(
      nb::new_(&make_grasp), nb::arg("points"), nb::arg("normals"), nb::arg("mu"), nb::arg("torsion") = 0.0,
      nb::arg("names") = std::vector<std::string>{}, nb::arg("side") = "unilateral", nb::arg("center") = nb::none(),
      nb::arg("torque_length") = 1.0, nb::arg("plane") = "", nb::arg("cone") = nb::none(),
      "points: (k, 3) m. normals: (k, 3), unit vectors into the object. mu, torsion (m): a number or (k,).\n"
      "center: (3,) m, what torques are about; the origin. torque_length: m. plane: \"\", \"xy\", \"yz\", \"zx\".\n"
      "cone: \"exact\", {\"inner\": 8}, {\"outer\": 8}.");
  grasp.def_ro("contacts", &Grasp::contacts);
  grasp.def_prop_ro("torque_length", [](const Grasp& g) { return g.convention.torque_length; }, "m.");
  def_array(grasp, "G", &Grasp::G, "(rows, columns): wrench = G lambda.");
  def_array(grasp, "J_hand", &Grasp::J_hand, "(columns, degrees of freedom of the hand).");
}

}  // namespace

void bind_problem(nb::module_& module)
{
  bind_rows(module);
  nb::class_<ContactProblem> problem(
      module, "ContactProblem",
      "M a + F = J' lambda + S' tau at one instant: only matrices, no robot, no file.\n\n"
      "F: Coriolis, centrifugal and gravity terms minus given efforts and loads. Rows of J:\n"
      "velocity \"body A minus body B\", normal first. Checked when made, read-only from\n"
      "then on: threads may share one.");
  problem.def(nb::new_(&make_problem), nb::arg("M").none(), nb::arg("F"), nb::arg("J"), nb::arg("contacts"),
              nb::arg("gamma") = nb::none(), nb::arg("loops") = std::vector<LoopConstraint>{},
              nb::arg("actuators") = std::vector<Actuator>{}, nb::arg("dof_names") = std::vector<std::string>{},
              "M: (nv, nv), None is zero. F: (nv,). J: (rows, nv). gamma: (rows,), Jdot v, None is zero. SI units.");
  def_array(problem, "M", &ContactProblem::M, "(nv, nv), symmetric, semidefinite.");
  def_array(problem, "F", &ContactProblem::F, "(nv,), N or N m.");
  def_array(problem, "J", &ContactProblem::J, "(rows, nv).");
  def_array(problem, "gamma", &ContactProblem::gamma, "(rows,), drift Jdot v, m/s^2.");
  problem.def_prop_ro("nv", &ContactProblem::nv)
      .def_prop_ro("rows", &ContactProblem::rows)
      .def_ro("contacts", &ContactProblem::contacts)
      .def_ro("loops", &ContactProblem::loops)
      .def_ro("actuators", &ContactProblem::actuators)
      .def_ro("dof_names", &ContactProblem::dof_names)
      .def("__repr__", described);
  bind_grasp(module);
}

}  // namespace stiction::python
