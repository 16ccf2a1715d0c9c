#include "stiction/sticking.hpp"

#include <algorithm>
#include <cmath>

#include "ask/contact_reports.hpp"
#include "ask/failure.hpp"
#include "ask/separation.hpp"
#include "ask/sticking_workspace.hpp"
#include "base/numerics.hpp"
#include "stiction/error.hpp"
#include "stiction/words.hpp"

namespace stiction {

StickingChecker::StickingChecker(std::unique_ptr<Engine> engine) : workspace_(std::make_unique<Workspace>())
{
  if (!engine) throw InputError("engine", "want an engine, got none");
  workspace_->search.engine = std::move(engine);
}
StickingChecker::~StickingChecker() = default;
StickingChecker::StickingChecker(StickingChecker&&) noexcept = default;
StickingChecker& StickingChecker::operator=(StickingChecker&&) noexcept = default;

StickingResult StickingChecker::check(const ContactProblem& problem, const StickingOptions& options)
{
  problem.validate();
  StickingResult result;
  check(problem, options, result);
  return result;
}

void StickingChecker::check(const ContactProblem& problem, const StickingOptions& options, StickingResult& result)
{
  const bool free = options.rules.detachment == Detachment::kFree;
  free ? workspace_->check_free(problem, options, result) : workspace_->check(problem, options, result);
  if (result.verdict == Verdict::kUndecided && !free) workspace_->check_by_parts(problem, options, result);
  if (result.verdict == Verdict::kUndecided && !free) workspace_->ask_second_engine(problem, options, result);
  if (options.explain) workspace_->explain(problem, options, result);
  result.prediction.reset();
  if (!options.prediction) return;
  const bool rim = result.verdict == Verdict::kUndecided ||
                   std::any_of(result.contacts.begin(), result.contacts.end(),
                               [](const ContactReport& contact) { return contact.state == ContactState::kRim; });
  if (!rim && result.verdict != Verdict::kFails) return;
  PredictionOptions how;
  if (rim) how.start = result.lambda;  // forces at the rim already solve (69): whether they do is then seen at once
  result.prediction = predict(problem, how);
}

void StickingChecker::Workspace::explain(const ContactProblem& p, const StickingOptions& opt, StickingResult& result)
{
  if (result.verdict == Verdict::kHolds)
    result.explanation = internal::describe_sticking(p, result.contacts, result.certificate.a);
  if (result.verdict != Verdict::kFails) return;
  result.failure = internal::explain_sticking_failure(p, opt.rules, result.certificate, opt.idle_motors,
                                                      opt.branch_limit, with_most_friction);
  // What was said of a load that rounding was taken out of: with the load as it is more friction is proved to help.
  if (result.friction_scale.state == Margin::State::kNone && result.failure.helps == kMoreFriction)
    result.friction_scale.state = Margin::State::kUndecided;
  result.explanation = describe_failure(p, opt.rules, result.certificate, result.failure);
}

/// Rows of Gauss' principle: unilateral normals may open unless detachment is forbidden, all others are equalities.
void StickingChecker::Workspace::load_gauss()
{
  const ContactProblem& p = *problem;
  equality_rows.clear();
  inequality_rows.clear();
  for (const Contact& contact : p.contacts)
    for (int r = 0; r < contact.rows(); ++r) {
      const bool may_open =
          r == 0 && contact.side == Side::kUnilateral && options->rules.detachment == Detachment::kAllowed;
      (may_open ? inequality_rows : equality_rows).push_back(contact.row + r);
    }
  for (const LoopConstraint& closure : p.loops)
    for (int r = 0; r < closure.rows; ++r) equality_rows.push_back(closure.row + r);

  gauss.M = p.M;
  gauss.F = p.F;
  gauss.Je.resize(equality_rows.size(), p.nv());
  gauss.ge.resize(equality_rows.size());
  gauss.Ju.resize(inequality_rows.size(), p.nv());
  gauss.gu.resize(inequality_rows.size());
  for (size_t i = 0; i < equality_rows.size(); ++i) {
    gauss.Je.row(i) = p.J.row(equality_rows[i]);
    gauss.ge[i] = p.gamma[equality_rows[i]];
  }
  for (size_t i = 0; i < inequality_rows.size(); ++i) {
    gauss.Ju.row(i) = p.J.row(inequality_rows[i]);
    gauss.gu[i] = p.gamma[inequality_rows[i]];
  }
}

void StickingChecker::Workspace::scatter_multipliers(Eigen::VectorXd& lambda) const
{
  lambda.setZero(problem->rows());
  for (size_t i = 0; i < equality_rows.size(); ++i) lambda[equality_rows[i]] = gauss_answer.lambda_e[i];
  for (size_t i = 0; i < inequality_rows.size(); ++i) lambda[inequality_rows[i]] = gauss_answer.lambda_u[i];
}

/// Sets accelerations and multipliers that are rounding noise to zero. A block at rest under a vertical load then has
/// no sideways acceleration of 1e-17 that some frictionless contact would have to explain. Sizes are compared in
/// coordinates in which M has a unit diagonal, where forces and accelerations share one scale whatever the units.
void StickingChecker::Workspace::drop_noise(Eigen::VectorXd& a, Eigen::VectorXd& lambda)
{
  const ContactProblem& p = *problem;
  auto root_mass = [&](Eigen::Index i) { return std::sqrt(std::max(p.M(i, i), 0.0)); };
  auto row_reach = [&](Eigen::Index r) {
    double reach = 0.0;
    for (Eigen::Index i = 0; i < p.nv(); ++i)
      if (p.M(i, i) > 0.0) reach = std::max(reach, std::abs(p.J(r, i)) / root_mass(i));
    return reach;
  };
  double scale = 0.0;
  for (Eigen::Index i = 0; i < p.nv(); ++i)
    if (p.M(i, i) > 0.0) scale = std::max({scale, std::abs(p.F[i]) / root_mass(i), std::abs(a[i]) * root_mass(i)});
  for (Eigen::Index r = 0; r < p.rows(); ++r) scale = std::max(scale, std::abs(lambda[r]) * row_reach(r));
  for (Eigen::Index i = 0; i < p.nv(); ++i)
    if (p.M(i, i) > 0.0 && std::abs(a[i]) * root_mass(i) <= internal::kNoise * scale) a[i] = 0.0;
  for (Eigen::Index r = 0; r < p.rows(); ++r) {
    const double reach = row_reach(r);
    if (reach > 0.0 && std::abs(lambda[r]) * reach <= internal::kNoise * scale) lambda[r] = 0.0;
  }
  // A system at rest, or so nearly that a proof has to be about one at rest.
  constexpr double kRest = 1e-10;
  double fastest = 0.0;
  for (Eigen::Index i = 0; i < p.nv(); ++i) fastest = std::max(fastest, std::abs(a[i]) * root_mass(i));
  if (fastest <= kRest * scale && p.gamma.isZero(0.0)) a.setZero();
}

/// True when M a + F = J'λ holds to rounding of the sums in every row; leaves the differences in `imbalance`.
bool StickingChecker::Workspace::balanced(const Eigen::VectorXd& a, const Eigen::VectorXd& lambda)
{
  const ContactProblem& p = *problem;
  bool good = true;
  for (Eigen::Index i = 0; i < p.nv(); ++i) {
    long double sum = p.F[i];
    double scale = std::abs(p.F[i]);
    for (Eigen::Index j = 0; j < p.nv(); ++j) {
      sum += static_cast<long double>(p.M(i, j)) * a[j];
      scale += std::abs(p.M(i, j) * a[j]);
    }
    for (Eigen::Index r = 0; r < p.rows(); ++r) {
      sum -= static_cast<long double>(p.J(r, i)) * lambda[r];
      scale += std::abs(p.J(r, i) * lambda[r]);
    }
    imbalance[i] = static_cast<double>(sum);
    good = good && std::abs(imbalance[i]) <= 0.25 * kRounding * scale;
  }
  return good;
}

/// Makes M a + F = J'λ hold to rounding on every row, by a change of a that is itself of the size of rounding (the rows
/// J a + gamma have the wider allowance of a linear solve, the balance of forces has not).
bool StickingChecker::Workspace::settle(Eigen::VectorXd& a, const Eigen::VectorXd& lambda)
{
  if (!mass_definite || a.isZero(0.0)) return false;
  for (int pass = 0; pass < 6 && !balanced(a, lambda); ++pass) {
    for (Eigen::Index i = 0; i < a.size(); ++i) imbalance[i] *= mass_scale[i];
    mass_cholesky.solve(imbalance);
    for (Eigen::Index i = 0; i < a.size(); ++i) a[i] -= imbalance[i] * mass_scale[i];
  }
  return true;
}

Verdict StickingChecker::Workspace::judged(StickingResult& result, Verdict claimed)
{
  std::string why;
  const Verdict verdict = judge(*problem, options->rules, result.certificate, &why);
  if (verdict == claimed) {
    result.reason.clear();
    return verdict;
  }
  result.reason = why.empty() ? "the proof was not accepted" : "the proof was not accepted: " + why;
  return Verdict::kUndecided;
}

/// The verdict of the forces found with Gauss' acceleration.
Verdict StickingChecker::Workspace::judged_forces(StickingResult& result)
{
  result.certificate.kind = CertificateKind::kForces;
  result.certificate.a = gauss_answer.a;
  set.to_lambda(found.forces, result.certificate.lambda);
  result.lambda = result.certificate.lambda;
  Verdict verdict = judged(result, Verdict::kHolds);
  if (verdict == Verdict::kUndecided && settle(result.certificate.a, result.lambda))
    verdict = judged(result, Verdict::kHolds);
  if (verdict != Verdict::kUndecided || gauss_answer.a.isZero(0.0)) return verdict;
  result.certificate.a = gauss_answer.a;
  refine(result.certificate.a, result.certificate.lambda);
  verdict = judged(result, Verdict::kHolds);
  if (verdict == Verdict::kHolds) result.lambda = result.certificate.lambda;
  return verdict;
}

/// An empty result that keeps its memory.
void StickingChecker::Workspace::start(const ContactProblem& p, const StickingOptions& opt, StickingResult& result)
{
  if (p.M.rows() != p.nv() || p.M.cols() != p.nv() || p.J.rows() != p.rows() || p.J.cols() != p.nv())
    throw InputError("problem", "want M nv x nv, F nv, J rows x nv, gamma rows");
  problem = &p;
  options = &opt;
  search.iterations = 0;
  search.engine->forget();  // an answer must not depend on the one before
  result.verdict = Verdict::kUndecided;
  result.reason.clear();
  result.explanation.clear();
  result.failure = {};
  result.certificate.kind = CertificateKind::kNone;
  with_most_friction.kind = CertificateKind::kNone;
  search.recycle(result.certificate.leaves);
  result.contacts.assign(p.contacts.size(), ContactReport{});
  result.repairs.clear();
  result.frictions_not_tried = 0;
  result.nearest_load.reset();
  result.friction_scale = {};
  result.least_friction_shown = false;
  result.second_engine.clear();
  result.strict = false;
  result.slack = 0.0;
  result.acceleration_unique = false;
  result.indeterminacy = 0;
  result.lambda.setZero(p.rows());
  result.acceleration.setZero(p.nv());
}

/// Step 2: the motion, without friction cones. False when there is none, which may be the verdict.
bool StickingChecker::Workspace::solve_motion(StickingResult& result)
{
  const ContactProblem& p = *problem;
  load_gauss();
  search.engine->gauss(gauss, gauss_answer);
  search.iterations += gauss_answer.iterations;
  switch (gauss_answer.outcome) {
    case GaussOutcome::kContradiction:
      result.certificate.kind = CertificateKind::kContradiction;
      scatter_multipliers(result.certificate.lambda);
      result.certificate.a.setZero(p.nv());
      break;
    case GaussOutcome::kUnbalanced:
      result.certificate.kind = CertificateKind::kUnbalanced;
      result.certificate.a = gauss_answer.a;
      result.certificate.lambda.setZero(p.rows());
      break;
    case GaussOutcome::kSolved:
      scatter_multipliers(result.lambda);
      factor_mass();
      drop_noise(gauss_answer.a, result.lambda);
      result.acceleration = gauss_answer.a;
      return true;
    default:
      result.reason = "the motion could not be computed (Gauss' principle)";
      return false;
  }
  result.verdict = judged(result, Verdict::kFails);
  return false;
}

/// e = M a* + F, the load that the contacts carry, and the size of the numbers it is made of.
void StickingChecker::Workspace::set_carried_load(const Eigen::VectorXd& lambda)
{
  const ContactProblem& p = *problem;
  loads.reset(p);
  for (Eigen::Index i = 0; i < p.nv(); ++i) {
    long double sum = p.F[i];
    double scale = std::abs(p.F[i]);
    for (Eigen::Index j = 0; j < p.nv(); ++j) {
      sum += static_cast<long double>(p.M(i, j)) * gauss_answer.a[j];
      scale += std::abs(p.M(i, j) * gauss_answer.a[j]);
    }
    // forces of the size of Gauss' multipliers leave that much rounding in any sum they enter
    for (Eigen::Index r = 0; r < p.rows(); ++r) scale += std::abs(p.J(r, i) * lambda[r]);
    loads.e[i] = static_cast<double>(sum);
    loads.e_scale[i] = scale;
  }
}

void StickingChecker::Workspace::check(const ContactProblem& p, const StickingOptions& opt, StickingResult& result)
{
  start(p, opt, result);
  if (!solve_motion(result)) return;

  // Step 3: which contacts leave, and the set of multipliers of those that stay.
  judge.row_scales(p, gauss_answer.a, row_scale);
  for (size_t i = 0; i < p.contacts.size(); ++i) {
    const int row = p.contacts[i].row;
    result.contacts[i].normal_acceleration = p.J.row(row).dot(gauss_answer.a) + p.gamma[row];
  }
  internal::find_detaching(p, opt.rules.detachment, gauss_answer.a, row_scale, detaching);
  result.acceleration_unique = acceleration_unique();
  set_carried_load(result.lambda);
  set.build(p, opt.rules.shape, loads, detaching);
  result.indeterminacy = internal_forces.find(set);

  meet_cones(result);
  if (result.verdict == Verdict::kUndecided && lighten(result, false)) meet_cones(result);
  if (result.verdict == Verdict::kUndecided && gauss_answer.a.isZero(0.0) && lighten(result, true)) meet_cones(result);

  // Steps 6 to 8.
  for (size_t i = 0; i < p.contacts.size(); ++i) result.contacts[i].unique = internal_forces.spare(set, i);
  const bool more = opt.intervals || opt.margins || opt.repairs || opt.nearest_load;
  if (more && result.verdict != Verdict::kUndecided) settle_load();
  if (opt.margins && result.verdict != Verdict::kUndecided) friction_margin(result);
  internal::report_contacts(p, opt.rules.shape, detaching, result.lambda, result.verdict, part_forces, result.contacts);
  if (result.verdict == Verdict::kHolds && opt.intervals) intervals(result);
  if (opt.repairs && result.verdict == Verdict::kFails) repairs(result);
  if (opt.nearest_load && result.verdict == Verdict::kFails)
    result.nearest_load = nearest_load(result.certificate.leaves, 0.0, {});
  result.iterations = search.iterations;
}

/// Steps 4 and 5: do the multipliers meet the cones?
void StickingChecker::Workspace::meet_cones(StickingResult& result)
{
  result.verdict = decide(hold_problem(), search, found);
  if (result.verdict == Verdict::kUndecided) result.reason = found.reason;
  if (result.verdict == Verdict::kHolds)
    prove_holds(result);
  else if (!multiplier_admissible(result) && result.verdict == Verdict::kFails)
    prove_fails(result);
}

/// Where rows depend on each other, as those of flat feet do, multipliers of Gauss' principle may be thousands of times
/// larger than forces that would do, and what rounding leaves of them spoils motion and load. Those of least norm say
/// the same, and the motion is refined with them; false: there are none.
/// @param slowly a motion that is next to rest is kept: it is no rounding where the contacts cannot carry all of a
/// load,
///               as two points below a body whose centre of mass misses their line by a millionth of a micrometre
bool StickingChecker::Workspace::lighten(StickingResult& result, bool slowly)
{
  if (!shown_forces.without_cones(*problem, loads, detaching, result.lambda)) return false;
  refine(gauss_answer.a, result.lambda);
  if (!slowly) drop_noise(gauss_answer.a, result.lambda);
  result.acceleration = gauss_answer.a;
  set_carried_load(result.lambda);
  settle_load();
  return true;
}

/// The forces found, deeper inside their cones where they can be proved there.
void StickingChecker::Workspace::prove_holds(StickingResult& result)
{
  shallow = found.forces;
  const bool any_slack = !options->largest_slack;
  const internal::SlackSearch::Depth depth = slack.deepen(hold_problem(), nullptr, any_slack, search, found);
  result.slack = depth.slack;
  result.strict = depth.any && set.cones_have_an_inside();
  result.verdict = judged_forces(result);
  if (result.verdict == Verdict::kUndecided) {  // the deepest forces may be too large to prove anything
    found.forces = shallow;
    result.slack = 0.0;
    result.verdict = judged_forces(result);
  }
  if (result.verdict == Verdict::kHolds && !depth.any) doubt(result);
}

/// The motions found, sharper or refined where that takes a proof.
void StickingChecker::Workspace::prove_fails(StickingResult& result)
{
  result.certificate.kind = CertificateKind::kMotion;
  result.certificate.a = gauss_answer.a;
  result.certificate.lambda = result.lambda;
  result.certificate.leaves.swap(found.leaves);
  result.verdict = judged(result, Verdict::kFails);
  if (result.verdict == Verdict::kUndecided && internal::sharpen(set, loads, search, result.certificate.leaves))
    result.verdict = judged(result, Verdict::kFails);
  if (result.verdict == Verdict::kUndecided && !gauss_answer.a.isZero(0.0)) {
    refine(result.certificate.a, result.certificate.lambda);
    result.verdict = judged(result, Verdict::kFails);
  }
  if (result.verdict == Verdict::kUndecided) prove_fails_with_more(result);
}

/// Motions that contacts which open would not oppose either: where they hardly open they are not proved to be gone. And
/// motions without inertia: where M is singular, solutions may accelerate too much to tell what inertia opposes others.
void StickingChecker::Workspace::prove_fails_with_more(StickingResult& result)
{
  const std::vector<char> nobody(detaching.size(), 0);
  const auto attempt = [&](const Eigen::MatrixXd* columns) {
    set.build(*problem, options->rules.shape, loads, nobody, columns);
    if (decide(hold_problem(), search, found) != Verdict::kFails) return;
    result.certificate.leaves.swap(found.leaves);
    result.verdict = judged(result, Verdict::kFails);
  };
  if (std::ranges::find(detaching, 1) != detaching.end()) attempt(nullptr);
  if (result.verdict == Verdict::kUndecided && !mass_definite) {
    const Eigen::MatrixXd inertia = internal::column_span(problem->M, internal::kDependent).basis();
    attempt(&inertia);
  }
  set.build(*problem, options->rules.shape, loads, detaching);
}

void StickingChecker::Workspace::doubt(StickingResult& result) const
{
  result.reason = internal::doubt_of_the_rim(*problem, options->rules.shape, result.lambda);
  if (!result.reason.empty()) result.verdict = Verdict::kUndecided;
}

/// Whether the multipliers of Gauss' principle are admissible themselves, as the judge sees it; then they are the
/// verdict. They are when they are unique and small rows of the load are rounding of large forces, which the search may
/// take for a motion that nothing opposes.
bool StickingChecker::Workspace::multiplier_admissible(StickingResult& result)
{
  if (!options->rules.shape.may_prove_holds()) return false;
  result.certificate.kind = CertificateKind::kForces;
  result.certificate.a = gauss_answer.a;
  result.certificate.lambda = result.lambda;
  search.recycle(result.certificate.leaves);
  if (judge(*problem, options->rules, result.certificate) != Verdict::kHolds) {
    result.certificate.kind = CertificateKind::kNone;
    return false;
  }
  result.verdict = Verdict::kHolds;
  result.reason.clear();
  doubt(result);
  return true;
}

}  // namespace stiction
