#include "stiction/sticking.hpp"

#include <algorithm>
#include <cmath>

#include "ask/sticking_workspace.hpp"
#include "stiction/error.hpp"

namespace stiction {

using internal::Cast;
using internal::CastOptions;
using internal::Friction;

namespace {

constexpr double kRim = 1e-12;     // share of the force scale below which a slack cannot be told from none
constexpr double kLoaded = 1e-9;   // share of the force scale above which a contact counts as loaded, or inside its cone

}  // namespace

StickingChecker::StickingChecker(std::unique_ptr<Engine> engine) : workspace_(std::make_unique<Workspace>())
{
  if (!engine) throw InputError("engine", "want an engine, got none");
  workspace_->engine = std::move(engine);
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
  workspace_->check(problem, options, result);
  result.prediction.reset();
  if (!options.prediction) return;
  const bool rim = result.verdict == Verdict::kUndecided ||
                   std::any_of(result.contacts.begin(), result.contacts.end(),
                               [](const ContactReport& contact) { return contact.state == ContactState::kRim; });
  if (!rim && result.verdict != Verdict::kFails) return;
  PredictionOptions how;
  if (rim) how.start = result.lambda;   // forces at the rim already solve (69): whether they do is then seen at once
  result.prediction = predict(problem, how);
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
  for (const Closure& closure : p.closures)
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

/// Sets accelerations and multipliers that are rounding noise to zero. A block at rest under a vertical load then has no
/// sideways acceleration of 1e-17 that some frictionless contact would have to explain. Sizes are compared in coordinates
/// in which M has a unit diagonal, where forces and accelerations share one scale whatever the units.
void StickingChecker::Workspace::drop_noise(Eigen::VectorXd& a, Eigen::VectorXd& lambda)
{
  constexpr double kNoise = 1e-15;
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
    if (p.M(i, i) > 0.0 && std::abs(a[i]) * root_mass(i) <= kNoise * scale) a[i] = 0.0;
  for (Eigen::Index r = 0; r < p.rows(); ++r) {
    const double reach = row_reach(r);
    if (reach > 0.0 && std::abs(lambda[r]) * reach <= kNoise * scale) lambda[r] = 0.0;
  }
  // A system at rest: the forces balance without any acceleration, and what there is of it is noise.
  double fastest = 0.0;
  for (Eigen::Index i = 0; i < p.nv(); ++i) fastest = std::max(fastest, std::abs(a[i]) * root_mass(i));
  if (fastest > 0.0 && fastest <= 1e3 * kNoise * scale) {
    shifted.setZero(p.nv());
    if (balanced(shifted, lambda)) a.setZero();
  }
  settle(a, lambda);
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
void StickingChecker::Workspace::settle(Eigen::VectorXd& a, const Eigen::VectorXd& lambda)
{
  if (!mass_definite) return;
  for (int pass = 0; pass < 6 && !balanced(a, lambda); ++pass) {
    for (Eigen::Index i = 0; i < a.size(); ++i) imbalance[i] *= mass_scale[i];
    mass_cholesky.solveInPlace(imbalance);
    for (Eigen::Index i = 0; i < a.size(); ++i) a[i] -= imbalance[i] * mass_scale[i];
  }
}

Verdict StickingChecker::Workspace::judged(StickingResult& result, Verdict claimed)
{
  std::string why;
  const Verdict verdict = judge(*problem, options->rules, result.certificate, &why);
  if (verdict == claimed) return verdict;
  result.reason = why.empty() ? "the proof was not accepted" : "the proof was not accepted: " + why;
  return Verdict::kUndecided;
}

void StickingChecker::Workspace::check(const ContactProblem& p, const StickingOptions& opt, StickingResult& result)
{
  problem = &p;
  options = &opt;
  if (p.M.rows() != p.nv() || p.M.cols() != p.nv() || p.J.rows() != p.rows() || p.J.cols() != p.nv())
    throw InputError("problem", "want M nv x nv, F nv, J rows x nv, gamma rows");
  result.verdict = Verdict::kUndecided;
  result.reason.clear();
  result.explanation.clear();
  result.certificate.kind = CertificateKind::kNone;
  recycle(result.certificate.leaves);
  result.contacts.assign(p.contacts.size(), ContactReport{});
  result.repairs.clear();
  result.friction_scale.reset();
  result.friction_scale_known = false;
  result.strict = false;
  result.slack = 0.0;
  result.lambda.setZero(p.rows());
  result.acceleration.setZero(p.nv());
  iterations = 0;

  // Step 2: the motion, without friction cones.
  load_gauss();
  engine->gauss(gauss, gauss_answer);
  iterations += gauss_answer.iterations;
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
    case GaussOutcome::kSolved: break;
    default: result.reason = "the motion could not be computed (Gauss' principle)"; return;
  }
  if (gauss_answer.outcome != GaussOutcome::kSolved) {
    result.verdict = judged(result, Verdict::kFails);
    if (result.verdict == Verdict::kFails && opt.explain) result.explanation = describe_failure(p, opt.rules, result.certificate);
    return;
  }
  scatter_multipliers(result.lambda);
  factor_mass();
  drop_noise(gauss_answer.a, result.lambda);
  result.acceleration = gauss_answer.a;

  // Step 3: which contacts leave, and the set of multipliers of those that stay.
  judge.row_scales(p, gauss_answer.a, row_scale);
  detaching.assign(p.contacts.size(), 0);
  for (size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& contact = p.contacts[i];
    const double opening = p.J.row(contact.row).dot(gauss_answer.a) + p.gamma[contact.row];
    result.contacts[i].normal_acceleration = opening;
    detaching[i] = contact.side == Side::kUnilateral && opt.rules.detachment == Detachment::kAllowed &&
                   opening > kSolve * row_scale[contact.row];
  }
  result.acceleration_unique = acceleration_unique();
  // e = M a* + F, the load that the contacts carry, and the size of the numbers it is made of.
  load.resize(p.nv());
  load_scale.resize(p.nv());
  for (Eigen::Index i = 0; i < p.nv(); ++i) {
    long double sum = p.F[i];
    double scale = std::abs(p.F[i]);
    for (Eigen::Index j = 0; j < p.nv(); ++j) {
      sum += static_cast<long double>(p.M(i, j)) * gauss_answer.a[j];
      scale += std::abs(p.M(i, j) * gauss_answer.a[j]);
    }
    // forces of the size of Gauss' multipliers leave that much rounding in any sum they enter
    for (Eigen::Index r = 0; r < p.rows(); ++r) scale += std::abs(p.J(r, i) * result.lambda[r]);
    load[i] = static_cast<double>(sum);
    load_scale[i] = scale;
  }
  multipliers.build(p, opt.rules.shape, load, load_scale, detaching);
  result.indeterminacy = indeterminacy();

  // Steps 4 and 5: do they meet the cones?
  result.verdict = decide_signs(Friction{});
  if (result.verdict == Verdict::kUndecided) result.reason = undecided_reason;
  if (result.verdict != Verdict::kHolds && multiplier_admissible(result)) {
    result.verdict = Verdict::kHolds;
    result.reason.clear();
    if (!result.strict) doubt_the_rim(result);
  } else if (result.verdict == Verdict::kHolds) {
    deepen(result);
    result.certificate.kind = CertificateKind::kForces;
    result.certificate.a = gauss_answer.a;
    multipliers.to_lambda(witness, result.certificate.lambda);
    result.lambda = result.certificate.lambda;
    settle(result.certificate.a, result.lambda);
    result.verdict = judged(result, Verdict::kHolds);
    if (result.verdict == Verdict::kHolds && !result.strict) doubt_the_rim(result);
  } else if (result.verdict == Verdict::kFails) {
    result.certificate.kind = CertificateKind::kMotion;
    result.certificate.a = gauss_answer.a;
    result.certificate.lambda = result.lambda;
    result.certificate.leaves.swap(leaves);
    settle(result.certificate.a, result.certificate.lambda);
    result.verdict = judged(result, Verdict::kFails);
    if (result.verdict == Verdict::kFails && opt.explain) result.explanation = describe_failure(p, opt.rules, result.certificate);
  }
  report_contacts(result);

  // Steps 6 to 8.
  if (result.verdict == Verdict::kHolds && opt.intervals) intervals(result);
  if (opt.margins && result.verdict != Verdict::kUndecided) friction_margin(result);
  if (opt.repairs && result.verdict == Verdict::kFails) repairs(result);
  if (result.verdict == Verdict::kHolds && opt.explain) result.explanation = describe_holding(result);
  result.iterations = iterations;
}

void StickingChecker::Workspace::recycle(std::vector<MotionLeaf>& used)
{
  for (MotionLeaf& leaf : used) spare_leaves.push_back(std::move(leaf));
  used.clear();
}

/// Whether the multipliers of Gauss' principle are admissible themselves, as the judge sees it. They are when they are unique and
/// small rows of the load are rounding of large forces, which the search above may take for a motion that nothing opposes.
bool StickingChecker::Workspace::multiplier_admissible(StickingResult& result)
{
  if (!options->rules.shape.may_prove_holds()) return false;
  result.certificate.kind = CertificateKind::kForces;
  result.certificate.a = gauss_answer.a;
  result.certificate.lambda = result.lambda;
  recycle(result.certificate.leaves);
  settle(result.certificate.a, result.lambda);
  if (judge(*problem, options->rules, result.certificate) == Verdict::kHolds) return true;
  result.certificate.kind = CertificateKind::kNone;
  return false;
}

/// Depth-first search over the signs of bilateral contacts. A node leaves the undecided ones unrestricted, a relaxation: if
/// that is infeasible the whole branch is, by one certificate; if its solution happens to respect the double cones, done.
Verdict StickingChecker::Workspace::decide_signs(const Friction& friction)
{
  signs.assign(problem->contacts.size(), 0);
  recycle(leaves);
  nodes = 0;
  return decide_node(friction);
}

Verdict StickingChecker::Workspace::decide_node(const Friction& friction)
{
  if (++nodes > options->branch_limit) {
    undecided_reason = "more than " + std::to_string(options->branch_limit) + " sign patterns of bilateral contacts";
    return Verdict::kUndecided;
  }
  multipliers.arrange(signs, friction);
  const Verdict verdict = internal::decide(*engine, multipliers.program(), answer);
  iterations += answer.iterations;
  if (verdict == Verdict::kUndecided) {
    undecided_reason = "within tolerance of the boundary: neither forces nor a motion could be proved";
    return verdict;
  }
  if (verdict == Verdict::kFails) {
    if (spare_leaves.empty()) {
      leaves.emplace_back();
    } else {
      leaves.push_back(std::move(spare_leaves.back()));
      spare_leaves.pop_back();
    }
    leaves.back().signs = signs;
    multipliers.to_motion(answer.y, leaves.back().motion);
    return verdict;
  }
  // The undecided contact that violates its double cone most.
  int worst = -1;
  double violation = 0.0;
  for (size_t i = 0; i < signs.size(); ++i) {
    if (!multipliers.needs_sign(i) || signs[i] != 0) continue;
    const Contact& contact = problem->contacts[i];
    FrictionCone cone = multipliers.cone(i, friction);
    const double* f = answer.x.data() + multipliers.column(i);
    cone.sign = f[0] < 0.0 ? -1.0 : 1.0;
    double excess = std::max(-slack(cone, f), std::abs(f[0]) - contact.max_normal);
    if (std::isinf(excess)) excess = answer.x.lpNorm<Eigen::Infinity>();
    if (worst < 0 || excess > violation) {
      worst = static_cast<int>(i);
      violation = excess;
    }
  }
  if (worst < 0) {
    witness = answer.x;
    return Verdict::kHolds;
  }
  if (violation <= 0.0) {   // the relaxed solution is a solution: its signs are a feasible pattern
    const std::vector<int> parent = signs;
    for (size_t i = 0; i < signs.size(); ++i)
      if (multipliers.needs_sign(i) && signs[i] == 0) signs[i] = answer.x[multipliers.column(i)] < 0.0 ? -1 : 1;
    const size_t count = leaves.size();
    if (decide_node(friction) == Verdict::kHolds) return Verdict::kHolds;
    leaves.resize(count);
    signs = parent;
  }
  // Try the side the relaxed solution is on first.
  const int first = answer.x[multipliers.column(worst)] < 0.0 ? -1 : 1;
  bool undecided = false;
  for (int sign : {first, -first}) {
    signs[worst] = sign;
    const Verdict branch = decide_node(friction);
    if (branch == Verdict::kHolds) return branch;
    undecided = undecided || branch == Verdict::kUndecided;
    if (nodes > options->branch_limit) break;
  }
  signs[worst] = 0;
  return undecided ? Verdict::kUndecided : Verdict::kFails;
}

/// Moves the witness to the largest common slack: the largest s such that every contact could lose s newtons of normal
/// force and still be inside its cone. Contacts that cannot gain any (they are at their rim in every solution) are then set
/// aside and the rest goes on, so that one of them does not leave all others at an arbitrary vertex.
void StickingChecker::Workspace::deepen(StickingResult& result)
{
  ConeProgram& program = multipliers.program();
  slack_weights.assign(problem->contacts.size(), 0.0);
  double columns = 0.0, force_scale = 0.0;
  for (size_t i = 0; i < slack_weights.size(); ++i)
    if (multipliers.column(i) >= 0 && (problem->contacts[i].side == Side::kUnilateral || signs[i] != 0)) {
      slack_weights[i] = 1.0;
      columns += 1.0;
      force_scale = std::max(force_scale, std::abs(witness[multipliers.column(i)]));
    }
  if (columns == 0.0 || force_scale == 0.0) {
    result.strict = columns == 0.0;
    return;
  }
  for (size_t round = 0; round < problem->contacts.size(); ++round) {
    multipliers.slack_direction(slack_weights, direction);
    if (round == 0 && !options->largest_slack) {
      // Only whether there is any slack beyond rounding.
      program.e.swap(shifted_load);
      program.e = shifted_load + kRim * force_scale * direction;
      const Verdict verdict = internal::decide(*engine, program, answer);
      program.e.swap(shifted_load);
      if (verdict == Verdict::kHolds) {
        shifted = answer.x;
        multipliers.add_normal(slack_weights, kRim * force_scale, shifted);
        if (proves_feasible(program, shifted)) {
          witness = shifted;
          result.strict = true;
          return;
        }
      }
    }
    CastOptions cast_options;
    cast_options.relative_gap = 1e-6;
    cast_options.scale = 1e-6 * force_scale;   // so that a slack of kRim is still resolved
    cast_options.cap = force_scale;   // internal forces could grow without end: the witness sets the scale
    caster.cast(*engine, program, direction, 0.0, witness, cast_options, cast);
    if (cast.lower > kRim * force_scale) {
      shifted = cast.x;
      multipliers.add_normal(slack_weights, cast.lower, shifted);
      if (proves_feasible(program, shifted)) {
        witness = shifted;
        if (round == 0) {
          result.slack = cast.lower;
          result.strict = true;
        }
      }
      return;
    }
    if (cast.end != Cast::End::kBounded || cast.y.size() != program.E.rows()) return;
    // Contacts on which the certificate leans are stuck at the rim.
    double top = 0.0;
    for (size_t i = 0; i < slack_weights.size(); ++i)
      if (slack_weights[i] > 0.0) top = std::max(top, std::abs(program.E.col(multipliers.column(i)).dot(cast.y)));
    bool left = false;
    for (size_t i = 0; i < slack_weights.size(); ++i)
      if (slack_weights[i] > 0.0) {
        if (std::abs(program.E.col(multipliers.column(i)).dot(cast.y)) > 1e-6 * top) slack_weights[i] = 0.0;
        left = left || slack_weights[i] > 0.0;
      }
    if (!left) return;
  }
}

/// Forces that touch a friction rim in every solution: whether they are inside or outside is below rounding, so nothing is
/// claimed. A frictionless or unloaded contact is at the boundary of its cone by its nature and raises no doubt.
void StickingChecker::Workspace::doubt_the_rim(StickingResult& result)
{
  const double force_scale = result.lambda.lpNorm<Eigen::Infinity>();
  for (const Contact& contact : problem->contacts) {
    const double* f = result.lambda.data() + contact.row;
    FrictionCone cone = internal::friction_cone(contact, options->rules.shape);
    if (contact.side == Side::kBilateral && f[0] < 0.0) cone.sign = -1.0;
    const double sideways = Eigen::Map<const Eigen::VectorXd>(f + 1, contact.rows() - 1).lpNorm<Eigen::Infinity>();
    if (sideways > 0.0 && slack(cone, f) <= kRim * force_scale) {
      result.verdict = Verdict::kUndecided;
      result.reason = "contact " + contact.name + " is at the rim of its friction cone to within rounding";
      return;
    }
    if (std::abs(f[0]) > 0.0 && contact.max_normal - std::abs(f[0]) <= kRim * force_scale) {
      result.verdict = Verdict::kUndecided;
      result.reason = "contact " + contact.name + " is at its largest normal force to within rounding";
      return;
    }
  }
}

void StickingChecker::Workspace::report_contacts(StickingResult& result)
{
  double force_scale = 0.0;
  for (const Contact& contact : problem->contacts)
    force_scale = std::max(force_scale, std::abs(result.lambda[contact.row]));
  for (size_t i = 0; i < problem->contacts.size(); ++i) {
    const Contact& contact = problem->contacts[i];
    ContactReport& report = result.contacts[i];
    const double* f = result.lambda.data() + contact.row;
    report.force.setZero();
    report.force[0] = f[0];
    for (int t = 0; t < contact.tangents; ++t) report.force[1 + t] = f[1 + t];
    if (contact.torsional) report.force[3] = f[1 + contact.tangents];
    report.utilisation = utilisation(internal::friction_cone(contact, options->rules.shape), f);
    if (detaching[i])
      report.state = ContactState::kDetaching;
    else if (report.force.head<3>().norm() <= kLoaded * force_scale)
      report.state = ContactState::kUnloaded;
    else if (result.verdict == Verdict::kHolds)
      report.state = contact.mu > 0.0 && report.utilisation >= 1.0 - kLoaded ? ContactState::kRim : ContactState::kSticking;
    else
      report.state = report.utilisation > 1.0 ? ContactState::kSliding : ContactState::kSticking;
    report.unique = force_unique(i);
  }
}

}  // namespace stiction
