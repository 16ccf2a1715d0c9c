#include "stiction/equilibrium.hpp"

#include <algorithm>
#include <cmath>

#include "ask/contact_reports.hpp"
#include "ask/equilibrium_workspace.hpp"
#include "ask/failure.hpp"
#include "ask/parts.hpp"
#include "ask/separation.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"
#include "stiction/words.hpp"

namespace stiction {

using internal::Loads;

/// The entry that owns a row of J.
std::string internal::owner_of(const ContactProblem& problem, Eigen::Index row, std::string& name)
{
  for (size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& c = problem.contacts[i];
    name = c.name;
    if (row >= c.row && row < c.row + c.rows()) return "contacts[" + std::to_string(i) + "]";
  }
  for (size_t i = 0; i < problem.loops.size(); ++i) {
    const LoopConstraint& c = problem.loops[i];
    name = c.name;
    if (row >= c.row && row < c.row + c.rows) return "closures[" + std::to_string(i) + "]";
  }
  return "J";
}

EquilibriumChecker::EquilibriumChecker(std::unique_ptr<Engine> engine) : workspace_(std::make_unique<Workspace>())
{
  if (!engine) throw InputError("engine", "want an engine, got none");
  workspace_->search.engine = std::move(engine);
}
EquilibriumChecker::~EquilibriumChecker() = default;
EquilibriumChecker::EquilibriumChecker(EquilibriumChecker&&) noexcept = default;
EquilibriumChecker& EquilibriumChecker::operator=(EquilibriumChecker&&) noexcept = default;

EquilibriumResult EquilibriumChecker::check(const ContactProblem& problem, const Eigen::VectorXd& a,
                                            const EquilibriumOptions& options)
{
  problem.validate(ContactProblem::Storage::kAny);
  EquilibriumResult result;
  check(problem, a, options, result);
  return result;
}

void EquilibriumChecker::check(const ContactProblem& problem, const Eigen::VectorXd& a,
                               const EquilibriumOptions& options, EquilibriumResult& result)
{
  if (!(options.tolerance >= 0.0 && options.tolerance <= kLargestTolerance))
    throw InputError("tolerance",
                     "want 0 to " + internal::text(kLargestTolerance) + ", got " + internal::text(options.tolerance));
  if (problem.is_sparse()) return workspace_->check_sparse(problem, a, options, result);
  workspace_->check(problem, a, options, result);
  if (result.verdict == Verdict::kUndecided) workspace_->check_by_parts(problem, a, options, result);
  if (result.verdict == Verdict::kUndecided) workspace_->ask_second_engine(problem, a, options, result);
  if (options.tolerance > 0.0) workspace_->tolerate(problem, options.tolerance, result);
  if (result.verdict == Verdict::kFails &&
      (result.least_friction_shown || result.least_effort_shown)) {  // instead of those that come nearest
    result.lambda = result.certificate.lambda;
    result.efforts = result.certificate.efforts;
    internal::report_contacts(problem, options.shape, std::vector<char>(problem.contacts.size(), 0), result.lambda,
                              result.verdict, workspace_->part_forces, result.contacts);
  }
  if (!options.explain) return;
  if (result.verdict == Verdict::kHolds)
    result.explanation = internal::describe_balance(problem, result.contacts, result.efforts);
  if (result.verdict != Verdict::kFails) return;
  result.failure = internal::explain_imbalance(problem, result.certificate, options.idle_motors, options.branch_limit,
                                               workspace_->with_most_friction);
  if (result.friction_scale.state == Margin::State::kNone && result.failure.helps == kMoreFriction)
    result.friction_scale = {Margin::State::kUndecided, 1.0, kInfinity, "its proofs contradict each other"};
  result.explanation =
      describe_failure(problem, internal::rules_of_balance(options.shape), result.certificate, result.failure);
}

void EquilibriumChecker::Workspace::load(const ContactProblem& p, const Eigen::VectorXd& given, const ConeShape& cones,
                                         int limit, bool keep_bounds)
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
  search.iterations = 0;
  if (given.size() == 0)
    a.setZero(nv);
  else
    a = given;

  loads.reset(p);
  const Eigen::Index moving = judge.load_scales(p, a, loads.e, loads.e_scale);
  if (moving >= 0) {
    std::string name;
    const std::string path = internal::owner_of(p, moving, name);
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
  set.build(p, shape, loads, detaching, nullptr, keep_bounds);
}

/// What lambda leaves to the motors.
void EquilibriumChecker::Workspace::write_efforts(const Eigen::VectorXd& lambda, Eigen::VectorXd& efforts) const
{
  const std::vector<Actuator>& motors = problem->actuators;
  efforts.resize(static_cast<Eigen::Index>(motors.size()));
  for (std::size_t k = 0; k < motors.size(); ++k) {
    const int d = motors[k].dof;
    const bool alone = motors_of_dof[static_cast<std::size_t>(d)] == 1;
    efforts[static_cast<Eigen::Index>(k)] =
        alone ? loads.e[d] - problem->J.col(d).dot(lambda) : shared_effort(k, lambda, efforts);
  }
}

/// Several motors on one degree of freedom share its effort in the order they come: each takes as little as its limits
/// and those of the later ones allow, the last one the rest. `efforts` has those before.
double EquilibriumChecker::Workspace::shared_effort(std::size_t motor, const Eigen::VectorXd& lambda,
                                                    const Eigen::VectorXd& efforts) const
{
  const std::vector<Actuator>& motors = problem->actuators;
  const int d = motors[motor].dof;
  long double rest = loads.e[d];
  for (Eigen::Index r = 0; r < problem->rows(); ++r) rest -= static_cast<long double>(problem->J(r, d)) * lambda[r];
  double later_lower = 0.0, later_upper = 0.0;  // what the later ones can take
  for (std::size_t k = 0; k < motors.size(); ++k) {
    if (motors[k].dof != d || k == motor) continue;
    if (k < motor) {
      rest -= efforts[static_cast<Eigen::Index>(k)];
    } else {
      later_lower += motors[k].lower;
      later_upper += motors[k].upper;
    }
  }
  const auto effort = static_cast<double>(rest);
  if (later_lower == 0.0 && later_upper == 0.0) return effort;
  const double least = std::max(motors[motor].lower, effort - later_upper);
  const double most = std::min(motors[motor].upper, effort - later_lower);
  return std::clamp(0.0, std::min(least, most), std::max(least, most));
}

void EquilibriumChecker::Workspace::write_forces(Certificate& certificate)
{
  certificate.kind = CertificateKind::kForces;
  certificate.a = a;
  set.to_lambda(found.forces, certificate.lambda);
  write_efforts(certificate.lambda, certificate.efforts);
  search.recycle(certificate.leaves);
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

void EquilibriumChecker::Workspace::write_certificate(Certificate& certificate)
{
  if (found.verdict == Verdict::kHolds) return write_forces(certificate);
  certificate.kind = CertificateKind::kMotion;
  certificate.a = a;
  certificate.lambda.setZero(problem->rows());
  certificate.efforts.setZero(static_cast<Eigen::Index>(problem->actuators.size()));
  search.recycle(certificate.leaves);
  certificate.leaves.swap(found.leaves);
}

Verdict EquilibriumChecker::Workspace::decide_and_judge(Certificate& certificate, std::string& reason)
{
  // The judge has the last word anyway, so a claim goes to it at once; what it refuses is decided with proofs on the
  // way.
  if (const Verdict claimed = claim(hold_problem(), search, found); claimed != Verdict::kUndecided) {
    write_certificate(certificate);
    if (judge.equilibrium(*problem, a, shape, certificate) == claimed) return claimed;
  }
  const Verdict verdict = decide(hold_problem(), search, found);
  if (verdict == Verdict::kUndecided) {
    certificate.kind = CertificateKind::kNone;
    reason = found.reason;
    return verdict;
  }
  write_certificate(certificate);
  const Verdict proved = judged(certificate, verdict, reason);
  if (proved != Verdict::kUndecided || verdict != Verdict::kFails) return proved;
  return internal::sharpen(set, loads, search, certificate.leaves) ? judged(certificate, verdict, reason) : proved;
}

/// The forces found, deeper inside their cones where they can be proved there.
void EquilibriumChecker::Workspace::deepen(EquilibriumResult& result)
{
  const double load_of_one = set_effort_room();
  shallow = found.forces;
  const internal::SlackSearch::Depth depth = slack.deepen(hold_problem(), &effort_room, false, search, found);
  result.strict = depth.any && set.cones_have_an_inside();
  result.slack = load_of_one > 0.0 ? depth.slack / load_of_one : 0.0;
  write_forces(result.certificate);
  result.verdict = judged(result.certificate, Verdict::kHolds, result.reason);
  if (result.verdict == Verdict::kUndecided) {  // the deepest forces may be too large to prove anything
    found.forces = shallow;
    result.slack = 0.0;
    write_forces(result.certificate);
    result.verdict = judged(result.certificate, Verdict::kHolds, result.reason);
  }
  if (result.verdict != Verdict::kHolds || depth.any) return;
  result.reason = internal::doubt_of_the_rim(*problem, shape, result.certificate.lambda);
  if (!result.reason.empty()) result.verdict = Verdict::kUndecided;
}

/// A motion that proves failure of all data within the tolerance has to separate contacts by more than that: one that
/// does so under a little more friction may.
bool EquilibriumChecker::Workspace::fails_within(const ContactProblem& p, double tolerance, Certificate& certificate,
                                                 std::string& why)
{
  const auto proved = [&](const Certificate& motion) {
    return judge.equilibrium_within(tolerance, p, a, shape, motion, &why) == Verdict::kFails;
  };
  if (proved(certificate)) return true;
  EquilibriumOptions plain;
  plain.shape = shape;
  plain.largest_slack = plain.structure = plain.explain = false;
  plain.branch_limit = branch_limit;
  EquilibriumResult of_wider;
  Workspace other;
  const internal::Lend lend(search.engine, other.search.engine);
  // What the judge charges is (1 + √2 mu) times the motion of the lever arms: 1 + mu where these are those of the slip.
  for (const double levers : {1.05, 4.0, 16.0}) {
    ContactProblem wider = p;
    for (Contact& contact : wider.contacts)
      if (contact.tangents > 0) contact.mu += levers * tolerance * (1.0 + 1.4143 * contact.mu) * (1.0 + contact.mu);
    other.check(wider, a, plain, of_wider);
    if (of_wider.verdict != Verdict::kFails) return false;
    if (!proved(of_wider.certificate)) continue;
    certificate.leaves = of_wider.certificate.leaves;
    return true;
  }
  return false;
}

/// Forces that miss by less than the tolerance are those that come nearest.
void EquilibriumChecker::Workspace::tolerate(const ContactProblem& p, double tolerance, EquilibriumResult& result)
{
  if (result.verdict == Verdict::kHolds) return;
  const Verdict exact = result.verdict;
  const Certificate nearest{CertificateKind::kForces, a, result.lambda, {}, result.efforts};
  std::string why;
  if (judge.equilibrium_within(tolerance, p, a, shape, nearest) == Verdict::kHolds) {
    result.verdict = Verdict::kHolds;
    result.change = judge.needed_tolerance();
    result.certificate = nearest;
    result.reason.clear();
    internal::report_contacts(p, shape, detaching, result.lambda, result.verdict, part_forces, result.contacts);
  } else if (exact == Verdict::kFails && !fails_within(p, tolerance, result.certificate, why)) {
    result.verdict = Verdict::kUndecided;
    result.reason = "the data fail, but perhaps not all within the tolerance: " + why;
  }
  if (result.verdict == exact) return;
  result.least_friction_shown = result.least_effort_shown = false;
  for (Margin* margin : {&result.friction_scale, &result.effort, &result.push, &result.ball, &result.generators})
    *margin = Margin{};
}

void EquilibriumChecker::Workspace::check(const ContactProblem& p, const Eigen::VectorXd& given,
                                          const EquilibriumOptions& options, EquilibriumResult& result)
{
  result.verdict = Verdict::kUndecided;
  result.reason.clear();
  result.explanation.clear();
  result.failure = {};
  result.least_friction_shown = result.least_effort_shown = false;
  result.second_engine.clear();
  result.certificate.kind = CertificateKind::kNone;
  search.recycle(result.certificate.leaves);
  result.contacts.assign(p.contacts.size(), ContactReport{});
  result.indeterminacy = 0;
  result.slack = result.change = 0.0;
  result.strict = false;
  for (Margin* margin : {&result.friction_scale, &result.effort, &result.push, &result.ball, &result.generators})
    if (margin->state != Margin::State::kNotAsked) *margin = Margin{};
  with_most_friction.kind = CertificateKind::kNone;

  search.engine->forget();  // an answer must not depend on the one before
  load(p, given, options.shape, options.branch_limit);
  result.verdict = decide_and_judge(result.certificate, result.reason);
  if (result.verdict == Verdict::kHolds) {
    if (options.largest_slack) deepen(result);
    result.lambda = result.certificate.lambda;
  } else if (found.forces.size() >= set.force_columns()) {
    set.to_lambda(found.forces, result.lambda);  // the nearest ones, as none are admissible
  } else {
    result.lambda.setZero(p.rows());  // an engine that has none to show
  }
  write_efforts(result.lambda, result.efforts);
  internal::report_contacts(p, shape, detaching, result.lambda, result.verdict, part_forces, result.contacts);
  if (options.structure) {
    result.indeterminacy = internal_forces.find(set);
    for (std::size_t i = 0; i < p.contacts.size(); ++i) result.contacts[i].unique = internal_forces.spare(set, i);
  }
  if (options.friction_scale) friction_margin(result);
  if (options.effort) effort_margin(options, result);
  if (options.push.size() > 0) push_margin(options, result);
  if (options.ball.cols() > 0) ball_margin(options, result);
  if (options.generators) generators_margin(options, result);
  result.iterations = search.iterations;
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

/// The load that the contacts carry, as a force (N): for a body on its feet its weight. Rows of the balance are
/// compared by what a unit contact force does in them.
double EquilibriumChecker::Workspace::carried_load() const
{
  double largest = 0.0;
  for (Eigen::Index d = 0; d < problem->nv(); ++d) {
    if (loads.lower[d] != loads.upper[d] && set.exact_rows() > 0) continue;
    double reach = 0.0;
    for (Eigen::Index r = 0; r < problem->rows(); ++r) reach = std::max(reach, std::abs(problem->J(r, d)));
    if (reach > 0.0) largest = std::max(largest, std::abs(loads.e[d]) / reach);
  }
  return largest;
}

}  // namespace stiction
