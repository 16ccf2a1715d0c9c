#include "stiction/equilibrium.hpp"

#include <algorithm>
#include <cmath>

#include "ask/contact_reports.hpp"
#include "ask/equilibrium_workspace.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"
#include "stiction/words.hpp"

namespace stiction {

using internal::Loads;

namespace {

/// The entry that owns a row of J.
std::string owner_of(const ContactProblem& problem, Eigen::Index row, std::string& name)
{
  for (size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& c = problem.contacts[i];
    name = c.name;
    if (row >= c.row && row < c.row + c.rows()) return "contacts[" + std::to_string(i) + "]";
  }
  for (size_t i = 0; i < problem.closures.size(); ++i) {
    const Closure& c = problem.closures[i];
    name = c.name;
    if (row >= c.row && row < c.row + c.rows) return "closures[" + std::to_string(i) + "]";
  }
  return "J";
}

}  // namespace

EquilibriumChecker::EquilibriumChecker(std::unique_ptr<Engine> engine) : workspace_(std::make_unique<Workspace>())
{
  if (!engine) throw InputError("engine", "want an engine, got none");
  workspace_->engine = std::move(engine);
}
EquilibriumChecker::~EquilibriumChecker() = default;
EquilibriumChecker::EquilibriumChecker(EquilibriumChecker&&) noexcept = default;
EquilibriumChecker& EquilibriumChecker::operator=(EquilibriumChecker&&) noexcept = default;

EquilibriumResult EquilibriumChecker::check(const ContactProblem& problem, const Eigen::VectorXd& a,
                                            const EquilibriumOptions& options)
{
  problem.validate();
  EquilibriumResult result;
  check(problem, a, options, result);
  return result;
}

void EquilibriumChecker::check(const ContactProblem& problem, const Eigen::VectorXd& a,
                               const EquilibriumOptions& options, EquilibriumResult& result)
{
  workspace_->check(problem, a, options, result);
  if (result.verdict != Verdict::kUndecided || !workspace_->check_by_parts(problem, a, options, result) || !options.explain) return;
  result.explanation = result.verdict == Verdict::kHolds
                           ? internal::describe_balance(problem, result.contacts, result.efforts)
                           : describe_imbalance(problem, options.shape, result.certificate);
}

void EquilibriumChecker::Workspace::load(const ContactProblem& p, const Eigen::VectorXd& given, const ConeShape& cones,
                                         int limit, const Eigen::MatrixXd* columns, bool keep_bounds)
{
  const auto nv = p.nv();
  if (p.M.rows() != nv || p.M.cols() != nv || p.J.rows() != p.rows() || p.J.cols() != nv)
    throw InputError("problem", "want M nv x nv, F nv, J rows x nv, gamma rows");
  if (given.size() != 0 && given.size() != nv)
    throw InputError("a", "want " + std::to_string(nv) + " entries or none, got " + std::to_string(given.size()));
  for (Eigen::Index i = 0; i < given.size(); ++i)
    if (!std::isfinite(given[i]))
      throw InputError("a[" + std::to_string(i) + "]", "want a finite number, got " + internal::text(given[i]));
  problem = &p;
  shape = cones;
  branch_limit = limit;
  iterations = 0;
  if (given.size() == 0)
    a.setZero(nv);
  else
    a = given;

  loads.reset(p);
  const Eigen::Index moving = judge.load_scales(p, a, loads.e, loads.e_scale);
  if (moving >= 0) {
    std::string name;
    const std::string path = owner_of(p, moving, name);
    const double acceleration = p.J.row(moving).dot(a) + p.gamma[moving];
    throw InputError(path, "want " + name + " to stick under the prescribed acceleration (J a + gamma = 0), got " +
                               internal::text(acceleration) + " m/s^2 in its row " + std::to_string(moving));
  }
  motors_of_dof.assign(static_cast<size_t>(nv), 0);
  for (const Actuator& motor : p.actuators) {
    if (motor.dof < 0 || motor.dof >= nv) throw InputError("actuators", "want a dof of the problem");
    ++motors_of_dof[static_cast<size_t>(motor.dof)];
    loads.lower[motor.dof] += motor.lower;
    loads.upper[motor.dof] += motor.upper;
  }
  detaching.assign(p.contacts.size(), 0);
  multipliers.build(p, shape, loads, detaching, columns, keep_bounds);
}

/// What lambda leaves to the motors. Several on one degree of freedom share it in the order they come, each up to its limit.
void EquilibriumChecker::Workspace::write_efforts(const Eigen::VectorXd& lambda, Eigen::VectorXd& efforts) const
{
  const std::vector<Actuator>& motors = problem->actuators;
  efforts.resize(static_cast<Eigen::Index>(motors.size()));
  for (size_t k = 0; k < motors.size(); ++k) {
    const int d = motors[k].dof;
    if (motors_of_dof[static_cast<size_t>(d)] == 1) {
      efforts[static_cast<Eigen::Index>(k)] = loads.e[d] - problem->J.col(d).dot(lambda);
      continue;
    }
    long double effort = loads.e[d];
    for (Eigen::Index r = 0; r < problem->rows(); ++r) effort -= static_cast<long double>(problem->J(r, d)) * lambda[r];
    double rest_lower = 0.0, rest_upper = 0.0;   // what the later ones can take
    for (size_t other = 0; other < motors.size(); ++other) {
      if (motors[other].dof != d || other == k) continue;
      if (other < k) {
        effort -= efforts[static_cast<Eigen::Index>(other)];
      } else {
        rest_lower += motors[other].lower;
        rest_upper += motors[other].upper;
      }
    }
    double least = motors[k].lower, most = motors[k].upper;
    if (rest_lower != 0.0 || rest_upper != 0.0) {
      least = std::max(least, static_cast<double>(effort) - rest_upper);
      most = std::min(most, static_cast<double>(effort) - rest_lower);
      const double even = std::clamp(0.0, std::min(least, most), std::max(least, most));
      efforts[static_cast<Eigen::Index>(k)] = even;
      continue;
    }
    efforts[static_cast<Eigen::Index>(k)] = static_cast<double>(effort);
  }
}

void EquilibriumChecker::Workspace::write_forces(Certificate& certificate)
{
  certificate.kind = CertificateKind::kForces;
  certificate.a = a;
  multipliers.to_lambda(witness, certificate.lambda);
  write_efforts(certificate.lambda, certificate.efforts);
  recycle(certificate.leaves);
}

Verdict EquilibriumChecker::Workspace::judged(const Certificate& certificate, Verdict claimed, std::string& reason)
{
  const Verdict verdict = judge.equilibrium(*problem, a, shape, certificate);
  if (verdict == claimed) {
    reason.clear();
    return verdict;
  }
  std::string why;
  judge.equilibrium(*problem, a, shape, certificate, &why);
  reason = why.empty() ? "the proof was not accepted" : "the proof was not accepted: " + why;
  return Verdict::kUndecided;
}

void EquilibriumChecker::Workspace::write_certificate(Verdict found, Certificate& certificate)
{
  if (found == Verdict::kHolds) return write_forces(certificate);
  certificate.kind = CertificateKind::kMotion;
  certificate.a = a;
  certificate.lambda.setZero(problem->rows());
  certificate.efforts.setZero(static_cast<Eigen::Index>(problem->actuators.size()));
  recycle(certificate.leaves);
  certificate.leaves.swap(leaves);
}

Verdict EquilibriumChecker::Workspace::decide_and_judge(Certificate& certificate, std::string& reason)
{
  // The judge has the last word anyway, so a claim goes to it at once; what it refuses is decided with proofs on the way.
  if (const Verdict claim = claim_signs(); claim != Verdict::kUndecided) {
    write_certificate(claim, certificate);
    if (judge.equilibrium(*problem, a, shape, certificate) == claim) return claim;
  }
  const Verdict verdict = decide_signs();
  if (verdict != Verdict::kUndecided) {
    write_certificate(verdict, certificate);
    const Verdict proved = judged(certificate, verdict, reason);
    if (proved != Verdict::kUndecided || verdict != Verdict::kFails || !sharpen(certificate.leaves, loads)) return proved;
    return judged(certificate, verdict, reason);
  }
  certificate.kind = CertificateKind::kNone;
  reason = undecided_reason;
  return verdict;
}

void EquilibriumChecker::Workspace::check(const ContactProblem& p, const Eigen::VectorXd& given,
                                          const EquilibriumOptions& options, EquilibriumResult& result)
{
  result.verdict = Verdict::kUndecided;
  result.reason.clear();
  result.explanation.clear();
  result.certificate.kind = CertificateKind::kNone;
  recycle(result.certificate.leaves);
  result.contacts.assign(p.contacts.size(), ContactReport{});
  result.indeterminacy = 0;
  result.slack = 0.0;
  result.strict = false;
  for (Margin* margin : {&result.friction_scale, &result.effort, &result.push, &result.ball, &result.generators})
    if (margin->state != Margin::State::kNotAsked) *margin = Margin{};

  load(p, given, options.shape, options.branch_limit);
  result.verdict = decide_and_judge(result.certificate, result.reason);
  if (result.verdict == Verdict::kHolds) {
    if (options.largest_slack) {
      const double load_of_one = set_effort_room();
      shallow = witness;
      const Depth depth = deepen(loads, &effort_room, false);
      result.strict = depth.strict;
      result.slack = load_of_one > 0.0 ? depth.slack / load_of_one : 0.0;
      write_forces(result.certificate);
      result.verdict = judged(result.certificate, Verdict::kHolds, result.reason);
      if (result.verdict == Verdict::kUndecided) {   // the deepest forces may be too large to prove anything
        witness = shallow;
        result.slack = 0.0;
        write_forces(result.certificate);
        result.verdict = judged(result.certificate, Verdict::kHolds, result.reason);
      }
      if (result.verdict == Verdict::kHolds && !result.strict) {
        result.reason = doubt_of_the_rim(result.certificate.lambda);
        if (!result.reason.empty()) result.verdict = Verdict::kUndecided;
      }
    }
    result.lambda = result.certificate.lambda;
  } else {
    multipliers.to_lambda(answer.x, result.lambda);   // the nearest ones, as none are admissible
  }
  write_efforts(result.lambda, result.efforts);
  report_contacts(result.lambda, result.verdict, result.contacts);
  if (options.structure) {
    result.indeterminacy = indeterminacy();
    for (size_t i = 0; i < p.contacts.size(); ++i) result.contacts[i].unique = force_unique(i);
  }
  held_signs = signs;
  held_forces = witness;
  if (options.friction_scale) friction_margin(options, result);
  if (options.effort) effort_margin(options, result);
  if (options.push.size() > 0) push_margin(options, result);
  if (options.ball.cols() > 0) ball_margin(options, result);
  if (options.generators) generators_margin(options, result);
  if (options.explain && result.verdict == Verdict::kFails)
    result.explanation = describe_imbalance(p, shape, result.certificate);
  if (options.explain && result.verdict == Verdict::kHolds) result.explanation = internal::describe_balance(p, result.contacts, result.efforts);
  result.iterations = iterations;
}

/// Efforts keep the same share of half their range as contacts keep of the load of one contact, which is returned.
double EquilibriumChecker::Workspace::set_effort_room()
{
  const double load_of_one =
      problem->contacts.empty() ? 0.0 : carried_load() / static_cast<double>(problem->contacts.size());
  effort_room.setZero(problem->nv());
  for (Eigen::Index d = 0; load_of_one > 0.0 && d < problem->nv(); ++d)
    if (std::isfinite(loads.lower[d]) && std::isfinite(loads.upper[d]))
      effort_room[d] = 0.5 * (loads.upper[d] - loads.lower[d]) / load_of_one;
  return load_of_one;
}

/// The load that the contacts carry, as a force (N): for a body on its feet its weight. Rows of the balance are compared by
/// what a unit contact force does in them.
double EquilibriumChecker::Workspace::carried_load() const
{
  double largest = 0.0;
  for (Eigen::Index d = 0; d < problem->nv(); ++d) {
    if (loads.lower[d] != loads.upper[d] && multipliers.exact_rows() > 0) continue;
    double reach = 0.0;
    for (Eigen::Index r = 0; r < problem->rows(); ++r) reach = std::max(reach, std::abs(problem->J(r, d)));
    if (reach > 0.0) largest = std::max(largest, std::abs(loads.e[d]) / reach);
  }
  return largest;
}

}  // namespace stiction
