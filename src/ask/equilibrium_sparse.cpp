// (EQ) of many bodies: the program of all forces and efforts at once, with the entries of J that are there.
#include <algorithm>
#include <cmath>

#include "ask/contact_reports.hpp"
#include "ask/equilibrium_workspace.hpp"
#include "ask/multiplier_set.hpp"
#include "base/text.hpp"
#include "cone/kernels.hpp"
#include "stiction/error.hpp"
#include "stiction/words.hpp"

namespace stiction {

using internal::text;

namespace {

constexpr Eigen::Index kMostDense = Eigen::Index{1} << 22;  // entries of M and J that are worth a dense decision
constexpr const char* kNotSparse = "not computed for sparse problems";

/// Sums of the limits of all motors of a degree of freedom.
struct Motors {
  Eigen::VectorXd lower, upper;

  explicit Motors(const ContactProblem& p) : lower(Eigen::VectorXd::Zero(p.nv())), upper(Eigen::VectorXd::Zero(p.nv()))
  {
    for (const Actuator& motor : p.actuators) {
      if (motor.dof < 0 || motor.dof >= p.nv()) throw InputError("actuators", "want a dof of the problem");
      lower[motor.dof] += motor.lower;
      upper[motor.dof] += motor.upper;
    }
  }
  bool unlimited(Eigen::Index d) const { return std::isinf(lower[d]) && std::isinf(upper[d]); }
};

/// The program of (EQ): rows are degrees of freedom, but for those with an unlimited motor, then the limits of normal
/// forces (normal + distance = limit); columns are rows of J in their order, then distances, then efforts.
struct SparseForces {
  ConeProgram program;
  std::vector<int> row_of_dof;    ///< -1: none
  std::vector<int> limited;       ///< contacts
  std::vector<int> free_normals;  ///< frictionless bilateral contacts

  SparseForces(const ContactProblem& p, const ConeShape& shape, const Eigen::VectorXd& load,
               const Eigen::VectorXd& load_scale);
};

/// A bilateral contact with friction or a limit has two halves, which are not convex together.
void require_convex(const ContactProblem& p)
{
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const bool rubs = (c.tangents > 0 && c.mu > 0.0) || (c.torsional && c.torsion > 0.0);
    if (c.side == Side::kBilateral && (rubs || std::isfinite(c.max_normal)))
      throw InputError(
          "contacts[" + std::to_string(i) + "].side",
          "want unilateral, or bilateral without friction and limit, in a sparse problem (or a dense one), "
          "got bilateral " +
              c.name);
  }
}

SparseForces::SparseForces(const ContactProblem& p, const ConeShape& shape, const Eigen::VectorXd& load,
                           const Eigen::VectorXd& load_scale)
{
  const Motors motors(p);
  int rows = 0;
  for (Eigen::Index d = 0; d < p.nv(); ++d) row_of_dof.push_back(motors.unlimited(d) ? -1 : rows++);
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index r = 0; r < p.rows(); ++r)
    for (ContactProblem::SparseMatrix::InnerIterator it(p.sparse_J, r); it; ++it)
      if (const int row = row_of_dof[static_cast<std::size_t>(it.col())]; row >= 0 && it.value() != 0.0)
        entries.emplace_back(row, static_cast<int>(r), it.value());
  int columns = static_cast<int>(p.rows());
  std::vector<double> limits;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    if (c.side == Side::kBilateral) {  // the normal force is free, the rest is zero
      program.free.push_back(c.row);
      for (int k = 1; k < c.rows(); ++k) program.boxes.push_back({c.row + k, 0.0, 0.0});
      continue;
    }
    program.cones.push_back({c.row, internal::friction_cone(c, shape)});
    if (!std::isfinite(c.max_normal)) continue;
    limited.push_back(static_cast<int>(i));
    limits.push_back(c.max_normal);
    entries.emplace_back(rows, c.row, 1.0);
    entries.emplace_back(rows++, columns, 1.0);
    program.boxes.push_back({columns++, 0.0, kInfinity});
  }
  for (const LoopConstraint& c : p.loops)
    for (int k = 0; k < c.rows; ++k) program.free.push_back(c.row + k);
  program.e.resize(rows);
  program.e_scale.resize(rows);
  for (Eigen::Index d = 0; d < p.nv(); ++d) {
    const int row = row_of_dof[static_cast<std::size_t>(d)];
    if (row < 0) continue;
    program.e[row] = load[d];
    program.e_scale[row] = load_scale[d];
    if (motors.lower[d] == 0.0 && motors.upper[d] == 0.0) continue;
    entries.emplace_back(row, columns, 1.0);
    program.boxes.push_back({columns++, motors.lower[d], motors.upper[d]});
  }
  for (std::size_t k = 0; k < limits.size(); ++k)
    program.e[rows - static_cast<Eigen::Index>(limits.size() - k)] =
        program.e_scale[rows - static_cast<Eigen::Index>(limits.size() - k)] = limits[k];
  program.sparse_E.resize(rows, columns);
  program.sparse_E.setFromTriplets(entries.begin(), entries.end());
}

MotionLeaf leaf_of(const ContactProblem& p, const SparseForces& forces, const Eigen::VectorXd& y)
{
  MotionLeaf leaf;
  leaf.signs.assign(p.contacts.size(), 0);
  leaf.motion.setZero(p.nv() + static_cast<Eigen::Index>(forces.limited.size()));
  for (Eigen::Index d = 0; d < p.nv(); ++d)
    if (const int row = forces.row_of_dof[static_cast<std::size_t>(d)]; row >= 0) leaf.motion[d] = y[row];
  const auto limits = static_cast<Eigen::Index>(forces.limited.size());
  for (Eigen::Index k = 0; k < limits; ++k) leaf.motion[p.nv() + k] = std::max(0.0, -y[y.size() - limits + k]);
  return leaf;
}

/// What lambda leaves to the motors: those that share a degree of freedom take as little as they can, in their order.
void share_efforts(const ContactProblem& p, const Eigen::VectorXd& load, const Eigen::VectorXd& lambda,
                   Eigen::VectorXd& efforts)
{
  Eigen::VectorXd rest = load - p.sparse_J.transpose() * lambda;
  Motors later(p);
  efforts.resize(static_cast<Eigen::Index>(p.actuators.size()));
  for (std::size_t k = 0; k < p.actuators.size(); ++k) {
    const Actuator& motor = p.actuators[k];
    later.lower[motor.dof] = later.upper[motor.dof] = 0.0;
    for (std::size_t i = k + 1; i < p.actuators.size(); ++i)
      if (p.actuators[i].dof == motor.dof) {
        later.lower[motor.dof] += p.actuators[i].lower;
        later.upper[motor.dof] += p.actuators[i].upper;
      }
    double& effort = efforts[static_cast<Eigen::Index>(k)];
    effort = rest[motor.dof];
    if (later.lower[motor.dof] != 0.0 || later.upper[motor.dof] != 0.0) {
      const double least = std::max(motor.lower, effort - later.upper[motor.dof]);
      const double most = std::min(motor.upper, effort - later.lower[motor.dof]);
      effort = std::clamp(0.0, std::min(least, most), std::max(least, most));
    }
    rest[motor.dof] -= effort;
  }
}

/// The largest load of a degree of freedom, as a force on the longest lever arm there.
double largest_load(const ContactProblem& p, const Eigen::VectorXd& load)
{
  Eigen::VectorXd reach = Eigen::VectorXd::Zero(p.nv());
  for (Eigen::Index r = 0; r < p.rows(); ++r)
    for (ContactProblem::SparseMatrix::InnerIterator it(p.sparse_J, r); it; ++it)
      reach[it.col()] = std::max(reach[it.col()], std::abs(it.value()));
  double largest = 0.0;
  for (Eigen::Index d = 0; d < p.nv(); ++d)
    if (reach[d] > 0.0) largest = std::max(largest, std::abs(load[d]) / reach[d]);
  return largest;
}

void measure_slack(const ContactProblem& p, const ConeShape& shape, const Eigen::VectorXd& load,
                   EquilibriumResult& result)
{
  double least = kInfinity;
  for (const Contact& c : p.contacts) {
    if (c.side == Side::kBilateral) continue;
    const double* f = result.lambda.data() + c.row;
    const FrictionCone cone = internal::friction_cone(c, shape);
    least = std::min({least, c.mu > 0.0 ? std::min(1.0, c.mu) * internal::slack(cone, f) : f[0], c.max_normal - f[0]});
  }
  for (std::size_t k = 0; k < p.actuators.size(); ++k) {
    const double effort = result.efforts[static_cast<Eigen::Index>(k)];
    if (!(effort > p.actuators[k].lower && effort < p.actuators[k].upper)) least = 0.0;
  }
  result.strict = least > 0.0 && !p.contacts.empty();
  const double whole = largest_load(p, load);
  if (result.strict && whole > 0.0) result.slack = least * static_cast<double>(p.contacts.size()) / whole;
}

void leave_margins_open(const EquilibriumOptions& options, EquilibriumResult& result)
{
  const auto open = [](bool asked, Margin& margin) {
    margin = Margin{};
    if (!asked) return;
    margin.state = Margin::State::kUndecided;
    margin.reason = kNotSparse;
  };
  open(options.friction_scale, result.friction_scale);
  open(options.effort, result.effort);
  open(options.push.size() > 0, result.push);
  open(options.ball.size() > 0, result.ball);
  open(options.generators, result.generators);
}

void require_sizes(const ContactProblem& p, const Eigen::VectorXd& given, const EquilibriumOptions& options)
{
  const auto nv = p.nv();
  if (p.sparse_M.rows() != nv || p.sparse_M.cols() != nv || p.sparse_J.rows() != p.rows() || p.sparse_J.cols() != nv)
    throw InputError("problem", "want sparse_M nv x nv, F nv, sparse_J rows x nv, gamma rows");
  if (given.size() != 0 && (given.size() != nv || !given.allFinite()))
    throw InputError("a", "want " + std::to_string(nv) + " finite entries or none, got others");
  if (options.tolerance > 0.0)
    throw InputError("tolerance", "want 0 for a sparse problem, got " + text(options.tolerance));
}

/// The same problem, dense, of another engine: only verdict, forces and their proof.
void ask_densely(const ContactProblem& p, const Eigen::VectorXd& given, const EquilibriumOptions& options,
                 std::unique_ptr<Engine> engine, EquilibriumResult& result)
{
  const std::string name(engine->name());
  EquilibriumOptions plain = options;
  plain.explain = plain.structure = plain.friction_scale = plain.effort = plain.generators = false;
  plain.push.resize(0);
  plain.ball.resize(0, 0);
  EquilibriumChecker(std::move(engine)).check(p.dense(), given, plain, result);
  result.second_engine = name;
}

}  // namespace

void EquilibriumChecker::Workspace::check_sparse(const ContactProblem& p, const Eigen::VectorXd& given,
                                                 const EquilibriumOptions& options, EquilibriumResult& result)
{
  require_sizes(p, given, options);
  require_convex(p);
  const auto nv = p.nv();
  a = given.size() == 0 ? Eigen::VectorXd(Eigen::VectorXd::Zero(nv)) : given;
  Eigen::VectorXd load, load_scale;
  if (const Eigen::Index moving = judge.load_scales(p, a, load, load_scale); moving >= 0) {
    std::string name;
    const std::string path = internal::owner_of(p, moving, name);
    throw InputError(path, "want " + name + " to stick under the prescribed acceleration (J a + gamma = 0), got " +
                               text(p.sparse_J.row(moving).dot(a) + p.gamma[moving]) + " m/s^2 in its row " +
                               std::to_string(moving));
  }
  const SparseForces forces(p, options.shape, load, load_scale);
  const auto engine = make_sparse_engine();
  ConeAnswer answer;
  engine->decide(forces.program, answer);

  result = EquilibriumResult{};
  result.iterations = answer.iterations;
  result.indeterminacy = -1;
  leave_margins_open(options, result);
  result.lambda = answer.x.head(p.rows());
  share_efforts(p, load, result.lambda, result.efforts);
  const Certificate proof = answer.outcome == Outcome::kInfeasible
                                ? Certificate{CertificateKind::kMotion,
                                              a,
                                              Eigen::VectorXd::Zero(p.rows()),
                                              {leaf_of(p, forces, answer.y)},
                                              Eigen::VectorXd::Zero(result.efforts.size())}
                                : Certificate{CertificateKind::kForces, a, result.lambda, {}, result.efforts};
  result.verdict = judge.equilibrium(p, a, options.shape, proof, &result.reason);
  if (result.verdict != Verdict::kUndecided) {
    result.reason.clear();
    result.certificate = proof;
  } else if (nv * (nv + p.rows()) <= kMostDense) {
    ask_densely(p, given, options, stopping_with(*engine, engine->second_opinion()), result);
    if (judge.equilibrium(p, a, options.shape, result.certificate, &result.reason) != result.verdict)
      result.verdict = Verdict::kUndecided;
    result.indeterminacy = -1;
    leave_margins_open(options, result);
  }
  if (result.verdict == Verdict::kHolds && result.second_engine.empty()) measure_slack(p, options.shape, load, result);
  if (result.verdict == Verdict::kUndecided && result.reason.empty())
    result.reason = "within tolerance of the boundary: neither forces nor a motion could be proved";
  result.contacts.assign(p.contacts.size(), ContactReport{});
  internal::report_contacts(p, options.shape, std::vector<char>(p.contacts.size(), 0), result.lambda, result.verdict,
                            part_forces, result.contacts);
  if (!options.explain) return;
  if (result.verdict == Verdict::kHolds)
    result.explanation = internal::describe_balance(p, result.contacts, result.efforts);
  if (result.verdict == Verdict::kFails)
    result.explanation =
        describe_failure(p, internal::rules_of_balance(options.shape), result.certificate, result.failure);
}

}  // namespace stiction
