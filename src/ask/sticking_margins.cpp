// Step 6 of the algorithm and beyond: force intervals, the least friction, what would repair a failing case.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ask/contact_reports.hpp"
#include "ask/parts.hpp"
#include "ask/sticking_workspace.hpp"
#include "base/numerics.hpp"
#include "solve/nearest_point.hpp"

namespace stiction {

using internal::CastOptions;
using internal::FrictionBracket;

namespace {

constexpr size_t kIntervalPatterns = 64;  // sign patterns over which intervals are united
constexpr double kRestOfGauss = 1e-9;     // share of a sum that rounding of accelerations and rest leave in it
constexpr double kEnough = 1.0 + 1e-5;    // times the least friction: clear of the rim, where rounding decides
constexpr double kSomeFriction = 0.01;    // the largest factor makes 100 of it, beyond which no friction is either

}  // namespace

/// Margins ask what would be with other forces. The load is a sum of what Gauss' principle found, and rounding of that
/// is no load: what is left is the part that the contacts can carry, to rounding of its own sums. Elsewhere all rows
/// beyond the rank of the contacts would refuse any forces but none.
void StickingChecker::Workspace::settle_load()
{
  const ConeProgram& program = set.arrange(loads, std::vector<int>(problem->contacts.size(), 1));
  const auto forces = set.force_columns();
  const Eigen::MatrixXd carried = program.E.topLeftCorner(set.exact_rows(), forces);
  if (forces == 0) return;
  Eigen::VectorXd left = loads.e, x = Eigen::VectorXd::Zero(forces);
  const internal::LeastNorm solver(carried, internal::kDependent);
  for (int pass = 0; pass < 2; ++pass) {
    x += solver.solve(left);
    for (Eigen::Index i = 0; i < left.size(); ++i) {
      long double sum = loads.e[i];
      for (Eigen::Index j = 0; j < forces; ++j) sum -= static_cast<long double>(carried(i, j)) * x[j];
      left[i] = static_cast<double>(sum);
    }
  }
  for (Eigen::Index i = 0; i < left.size(); ++i)
    if (std::abs(left[i]) <= kRestOfGauss * loads.e_scale[i]) loads.e[i] -= left[i];
}

/// The sign patterns with which it holds; false when they are too many or not all could be told.
bool StickingChecker::Workspace::admissible_patterns(std::vector<std::vector<int>>& patterns)
{
  bool known = true;
  std::vector<int> pattern(problem->contacts.size(), 0);
  internal::visit_signs(set, 0, pattern, [&](const std::vector<int>& signs, bool complete) {
    if (!known) return false;
    const Verdict verdict = internal::decide(*search.engine, set.arrange(loads, signs), judge_claim, search.answer);
    if (verdict == Verdict::kFails) return false;
    if (!complete) return true;
    known = verdict == Verdict::kHolds && patterns.size() < kIntervalPatterns;
    if (known) patterns.push_back(signs);
    return false;
  });
  return known;
}

/// Adds the normal forces of one sign pattern: two casts per contact, on the program with one row more that reads the
/// force off.
void StickingChecker::Workspace::widen_intervals(const std::vector<int>& pattern, std::vector<ContactReport>& contacts)
{
  const ConeProgram& base = set.arrange(loads, pattern);
  if (internal::decide(*search.engine, base, judge_claim, search.answer) != Verdict::kHolds) return;
  const Eigen::VectorXd start = search.answer.x;
  const auto m = base.E.rows(), n = base.E.cols();
  CastOptions how;
  how.scale = start.lpNorm<Eigen::Infinity>();
  for (size_t i = 0; i < pattern.size(); ++i) {
    ContactReport& report = contacts[i];
    const int column = set.column(i);
    if (column < 0) {
      report.normal_interval = {Margin::State::kKnown, 0.0, 0.0, {}};
      continue;
    }
    if (report.unique) {
      report.normal_interval = {Margin::State::kKnown, report.force[0], report.force[0], {}};
      continue;
    }
    extended.cones = base.cones;
    extended.boxes = base.boxes;
    extended.free = base.free;
    extended.E.setZero(m + 1, n);
    extended.E.topRows(m) = base.E;
    extended.E(m, column) = 1.0;
    extended.e.resize(m + 1);
    extended.e << base.e, start[column];
    extended.e_scale.resize(m + 1);
    extended.e_scale << base.e_scale, std::abs(start[column]);
    direction.setZero(m + 1);
    Margin& interval = report.normal_interval;
    for (const double way : {1.0, -1.0}) {
      direction[m] = way;
      caster.cast(*search.engine, extended, direction, 0.0, start, how, cast);
      const double reach = cast.end == internal::Cast::End::kUnbounded ? kInfinity : cast.upper;  // a proved bound
      if (way > 0.0)
        interval.upper = std::max(interval.upper, start[column] + reach);
      else
        interval.lower = std::min(interval.lower, start[column] - reach);
      if (cast.end == internal::Cast::End::kUndecided) {
        interval.state = Margin::State::kUndecided;
        interval.reason = "too near to an end of the range to be decided";
      }
    }
  }
}

/// Range of every normal force over all admissible solutions.
void StickingChecker::Workspace::intervals(StickingResult& result)
{
  std::vector<std::vector<int>> patterns;
  const bool known = admissible_patterns(patterns);
  for (ContactReport& report : result.contacts) {
    report.normal_interval = {Margin::State::kUndecided, -kInfinity, kInfinity, "not all signs could be told"};
    if (known) report.normal_interval = {Margin::State::kKnown, kInfinity, -kInfinity, {}};  // nothing yet
  }
  if (known)
    for (const std::vector<int>& pattern : patterns) widen_intervals(pattern, result.contacts);
  for (size_t i = 0; i < result.contacts.size(); ++i) {
    const Contact& contact = problem->contacts[i];
    Margin& interval = result.contacts[i].normal_interval;
    if (contact.side == Side::kUnilateral) interval.lower = std::max(interval.lower, 0.0);
    interval.upper = std::min(interval.upper, contact.max_normal);
    interval.lower = std::max(interval.lower, -contact.max_normal);
    if (!(interval.lower <= interval.upper)) interval = {};
  }
}

/// The least factor on all friction, from what the verdict says of the friction at hand.
FrictionBracket StickingChecker::Workspace::common_friction(const StickingResult& result)
{
  internal::KnownFriction known;
  if (result.verdict == Verdict::kHolds) known.holding = 1.0;
  if (result.verdict == Verdict::kFails) {
    known.failing = 1.0;
    trial.leaves = result.certificate.leaves;
  }
  return least_friction(hold_problem(), -1, known, search, trial);
}

/// The same by verdicts about the whole problem, whatever its rounding.
FrictionBracket StickingChecker::Workspace::friction_by_verdicts()
{
  return internal::bracket_friction(
      1.0, {1.0}, [&](double factor) { return verdict_as(internal::with_friction(*problem, factor)); },
      [](double factor) { return factor; });
}

void StickingChecker::Workspace::friction_margin(StickingResult& result)
{
  FrictionBracket least = common_friction(result);
  if (least.known && !least.upper && result.verdict == Verdict::kFails) {
    with_most_friction = result.certificate;
    with_most_friction.leaves = trial.leaves;
    const ContactProblem most = internal::with_friction(*problem, kUnlimitedFriction);
    if (judge(most, options->rules, with_most_friction) != Verdict::kFails) {  // rounding made the difference
      with_most_friction.kind = CertificateKind::kNone;
      least = friction_by_verdicts();
    }
  }
  result.friction_scale = least.as_number();
  if (result.verdict == Verdict::kFails && least.upper && !repaired_by_friction(*least.upper)) {
    result.friction_scale = {Margin::State::kUndecided, least.lower, kInfinity, "what it finds is not proved to hold"};
    return;
  }
  show_forces(result, least);
}

/// Of all forces those that need the least friction, where they prove as much as those at hand.
void StickingChecker::Workspace::show_forces(StickingResult& result, const internal::FrictionBracket& least)
{
  const bool holds = result.verdict == Verdict::kHolds;
  if (!least.known || result.certificate.kind == CertificateKind::kNone) return;
  Certificate& certificate = result.certificate;
  Eigen::VectorXd before = certificate.lambda;
  if (least.upper) {
    const Eigen::VectorXd none;
    if (!shown_forces.find(hold_problem(), *least.upper, holds ? found.forces : none, search, trial)) return;
    set.to_lambda(trial.forces, certificate.lambda);
  } else if (!shown_forces.without_cones(*problem, loads, detaching, certificate.lambda)) {
    return;
  }
  result.least_friction_shown = judge(*problem, options->rules, certificate) == result.verdict;
  if (!result.least_friction_shown && !certificate.a.isZero(0.0)) {  // of the load as it is, not as it was settled
    Eigen::VectorXd a = certificate.a;
    refine(certificate.a, certificate.lambda);
    for (const Contact& contact : problem->contacts)  // what rounding of the others made pull carries nothing
      if (contact.side == Side::kUnilateral && certificate.lambda[contact.row] < 0.0)
        certificate.lambda.segment(contact.row, contact.rows()).setZero();
    result.least_friction_shown = judge(*problem, options->rules, certificate) == result.verdict;
    if (!result.least_friction_shown) certificate.a.swap(a);
  }
  if (result.least_friction_shown)
    result.lambda = certificate.lambda;
  else
    certificate.lambda.swap(before);
}

void StickingChecker::Workspace::repairs(StickingResult& result)
{
  const Margin& scale = result.friction_scale;
  std::optional<double> factor;
  if (std::isfinite(scale.upper)) factor = scale.upper;  // enough, if not the least
  bool none = scale.state == Margin::State::kNone;
  if (!options->margins) {
    const FrictionBracket least = common_friction(result);
    none = least.known && !least.upper;
    if (least.known && least.upper && repaired_by_friction(*least.upper)) factor = least.upper;
  }
  if (factor && *factor > 1.0) result.repairs.push_back({Repair::Change::kCommonFriction, -1, *factor, {}});
  repairing_frictions(none, result);
  repairing_force(result);
}

/// Contacts whose friction alone would do.
/// @param none no factor on the friction of all helps, so no larger one of a contact that has some does
void StickingChecker::Workspace::repairing_frictions(bool none, StickingResult& result)
{
  constexpr int kMostRepaired = 64;  // each takes a search of its own, and who reads of more?
  int tried = 0;
  for (size_t i = 0; i < problem->contacts.size(); ++i) {
    const double mu = problem->contacts[i].mu;
    if (set.column(i) < 0 || problem->contacts[i].tangents == 0 || (none && mu > kSomeFriction)) continue;
    if (++tried > kMostRepaired) {
      ++result.frictions_not_tried;
      continue;
    }
    trial.leaves = result.certificate.leaves;
    const FrictionBracket least = least_friction(hold_problem(), static_cast<int>(i), {mu}, search, trial);
    if (!least.known || !least.upper || *least.upper <= mu) continue;
    ContactProblem repaired = *problem;
    repaired.contacts[i].mu = kEnough * *least.upper;
    if (!options->rules.shape.may_prove_holds() || holds_as(repaired))
      result.repairs.push_back({Repair::Change::kFriction, static_cast<int>(i), *least.upper, {}});
  }
}

/// What the search finds is about a load that rounding was taken out of; where that makes the difference, as on a foot
/// that carries next to nothing, more friction does not hold as said.
bool StickingChecker::Workspace::repaired_by_friction(double factor)
{
  if (!options->rules.shape.may_prove_holds()) return true;  // facets outside of the cones prove nothing of the kind
  return holds_as(internal::with_friction(*problem, kEnough * factor));
}

/// The verdict about a changed problem, decided and judged anew.
Verdict StickingChecker::Workspace::verdict_as(const ContactProblem& changed)
{
  StickingOptions verdict_only;
  verdict_only.rules = options->rules;
  verdict_only.branch_limit = options->branch_limit;
  verdict_only.largest_slack = verdict_only.explain = false;
  Workspace other;
  StickingResult result;
  const internal::Lend lend(search.engine, other.search.engine);
  if (options->rules.detachment == Detachment::kFree)
    other.check_free(changed, verdict_only, result);
  else
    other.check(changed, verdict_only, result);
  return result.verdict;
}

/// The nearest load that the contacts can carry with the same acceleration, J'λ - (M a* + F) at the nearest point, with
/// `room` newtons of every normal force to spare. For bilateral contacts the nearest over the sign patterns that
/// failed.
/// @param dofs to which a force may be added; none: all. The others weigh so much that what is left of them is rounding
///             beside `room`; where it is not, no such force helps.
std::optional<Eigen::VectorXd> StickingChecker::Workspace::nearest_load(const std::vector<MotionLeaf>& leaves,
                                                                        double room, const std::vector<int>& dofs)
{
  constexpr double kWeight = 1e4, kNoForce = 1e-6;
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(problem->nv(), dofs.empty() ? 1.0 : kWeight);
  for (const int dof : dofs) weights[dof] = 1.0;
  std::optional<Eigen::VectorXd> best;
  internal::NearestPoint nearest;
  for (const MotionLeaf& leaf : leaves) {
    std::vector<int> complete = leaf.signs;
    for (size_t i = 0; i < complete.size(); ++i)
      if (set.needs_sign(i) && complete[i] == 0) complete[i] = 1;
    const ConeProgram& program = set.arrange(loads, complete);
    if (program.E.rows() != problem->nv()) return {};  // limits have rows of their own: not a load
    const Eigen::MatrixXd E = weights.asDiagonal() * program.E;
    Eigen::VectorXd e = weights.cwiseProduct(program.e);
    for (const ConeBlock& block : program.cones) e -= room * block.cone.sign * E.col(block.col);
    internal::NearestPoint::Data data;
    data.m = static_cast<int>(E.rows());
    data.n = static_cast<int>(E.cols());
    data.E = E.data();
    data.e = e.data();
    data.cones = &program.cones;
    data.boxes = &program.boxes;
    data.free = &program.free;
    if (nearest.run(data, 0.0) == internal::NearestPoint::Stop::kIterations) continue;
    Eigen::VectorXd change = -Eigen::Map<const Eigen::VectorXd>(nearest.residual().data(),
                                                                static_cast<Eigen::Index>(nearest.residual().size()));
    change = change.cwiseQuotient(weights);
    const Eigen::VectorXd left = (weights.array() > 1.0).select(change, 0.0);
    if (left.norm() > kNoForce * change.norm()) continue;
    change -= left;
    if (!best || change.norm() < best->norm()) best = change;
  }
  return best;
}

/// The smallest force that repairs is at the boundary, where rounding decides. So a little more is said, in as many
/// digits as people are shown, and only if it holds as said; a thousandth less would not do.
void StickingChecker::Workspace::repairing_force(StickingResult& result)
{
  constexpr double kLastDigit = 1e-5;              // of the largest entry
  constexpr double kRooms[] = {1e-5, 1e-4, 5e-4};  // shares of the force by which it may grow
  const std::vector<MotionLeaf>& leaves = result.certificate.leaves;
  const std::optional<Eigen::VectorXd> least = nearest_load(leaves, 0.0, options->repair_dofs);
  if (!least || least->isZero(0.0)) return;
  double reach = 0.0;  // of one newton more on every contact
  for (const Contact& contact : problem->contacts) reach += problem->J.row(contact.row).norm();
  for (const double share : kRooms) {
    std::optional<Eigen::VectorXd> force = nearest_load(
        leaves, share * least->norm() / std::max(reach, std::numeric_limits<double>::min()), options->repair_dofs);
    if (!force) return;
    const double digits = -std::floor(std::log10(kLastDigit * force->lpNorm<Eigen::Infinity>()));
    const double unit = std::pow(10.0, std::abs(digits));  // a power of ten as such, so that decimals come out short
    for (double& entry : *force)
      entry = digits > 0.0 ? std::round(entry * unit) / unit : std::round(entry / unit) * unit;
    ContactProblem repaired = *problem;
    repaired.F += *force;
    if (!holds_as(repaired)) continue;
    result.repairs.push_back({Repair::Change::kForce, -1, force->norm(), *force});
    return;
  }
}

}  // namespace stiction
