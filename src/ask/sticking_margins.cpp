// Step 6 of the algorithm and beyond: force intervals, the least friction, what would repair a failing case.
#include <algorithm>
#include <cmath>

#include "ask/sticking_workspace.hpp"
#include "solve/nearest_point.hpp"

namespace stiction {

using internal::CastOptions;
using internal::FrictionBracket;

namespace {

constexpr size_t kIntervalPatterns = 64;  // sign patterns over which intervals are united

}  // namespace

/// The sign patterns with which it holds; false when they are too many or not all could be told.
bool StickingChecker::Workspace::admissible_patterns(std::vector<std::vector<int>>& patterns)
{
  bool known = true;
  std::vector<int> pattern(problem->contacts.size(), 0);
  internal::visit_signs(set, 0, pattern, [&](const std::vector<int>& signs, bool complete) {
    if (!known) return false;
    const Verdict verdict = internal::decide(*search.engine, set.arrange(loads, signs), search.answer);
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
  if (internal::decide(*search.engine, base, search.answer) != Verdict::kHolds) return;
  const Eigen::VectorXd start = search.answer.x;
  const auto m = base.E.rows(), n = base.E.cols();
  CastOptions how;
  how.scale = start.lpNorm<Eigen::Infinity>();
  for (size_t i = 0; i < pattern.size(); ++i) {
    ContactReport& report = contacts[i];
    const int column = set.column(i);
    if (column < 0) {
      report.normal_lower = report.normal_upper = 0.0;
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
    for (const double way : {1.0, -1.0}) {
      direction[m] = way;
      caster.cast(*search.engine, extended, direction, 0.0, start, how, cast);
      const double reach = cast.end == internal::Cast::End::kUnbounded ? kInfinity : cast.upper;  // a proved bound
      if (way > 0.0)
        report.normal_upper = std::max(report.normal_upper, start[column] + reach);
      else
        report.normal_lower = std::min(report.normal_lower, start[column] - reach);
    }
  }
}

/// Range of every normal force over all admissible solutions.
void StickingChecker::Workspace::intervals(StickingResult& result)
{
  std::vector<std::vector<int>> patterns;
  const bool known = admissible_patterns(patterns);
  for (ContactReport& report : result.contacts) {
    report.normal_lower = known ? kInfinity : -kInfinity;
    report.normal_upper = -report.normal_lower;
  }
  if (known)
    for (const std::vector<int>& pattern : patterns) widen_intervals(pattern, result.contacts);
  for (size_t i = 0; i < result.contacts.size(); ++i) {
    const Contact& contact = problem->contacts[i];
    ContactReport& report = result.contacts[i];
    if (contact.side == Side::kUnilateral) report.normal_lower = std::max(report.normal_lower, 0.0);
    report.normal_upper = std::min(report.normal_upper, contact.max_normal);
    report.normal_lower = std::max(report.normal_lower, -contact.max_normal);
  }
}

void StickingChecker::Workspace::friction_margin(StickingResult& result)
{
  const double known = result.verdict == Verdict::kHolds ? 1.0 : kInfinity;
  const FrictionBracket least = least_friction(hold_problem(), -1, known, search, trial);
  result.friction_scale = least.upper;
  result.friction_scale_known = least.settled();
}

void StickingChecker::Workspace::repairs(StickingResult& result)
{
  FrictionBracket least{result.friction_scale.has_value(), 0.0, result.friction_scale};  // enough, if not the least
  if (!options->margins) least = least_friction(hold_problem(), -1, kInfinity, search, trial);
  if (least.known && least.upper && *least.upper > 1.0)
    result.repairs.push_back({Repair::Change::kCommonFriction, -1, *least.upper, {}});
  for (size_t i = 0; i < problem->contacts.size(); ++i) {
    if (set.column(i) < 0 || problem->contacts[i].tangents == 0) continue;
    least = least_friction(hold_problem(), static_cast<int>(i), kInfinity, search, trial);
    if (least.known && least.upper && *least.upper > problem->contacts[i].mu)
      result.repairs.push_back({Repair::Change::kFriction, static_cast<int>(i), *least.upper, {}});
  }
  repairing_force(result);
}

/// The nearest load that the contacts can carry with the same acceleration: J'λ - (M a* + F) at the nearest point. For
/// bilateral contacts the nearest over the sign patterns that failed.
void StickingChecker::Workspace::repairing_force(StickingResult& result)
{
  std::optional<Eigen::VectorXd> best;
  internal::NearestPoint nearest;
  for (const MotionLeaf& leaf : result.certificate.leaves) {
    std::vector<int> complete = leaf.signs;
    for (size_t i = 0; i < complete.size(); ++i)
      if (set.needs_sign(i) && complete[i] == 0) complete[i] = 1;
    const ConeProgram& program = set.arrange(loads, complete);
    if (program.E.rows() != problem->nv()) break;  // limits have rows of their own: not a load
    internal::NearestPoint::Data data;
    data.m = static_cast<int>(program.E.rows());
    data.n = static_cast<int>(program.E.cols());
    data.E = program.E.data();
    data.e = program.e.data();
    data.cones = &program.cones;
    data.boxes = &program.boxes;
    data.free = &program.free;
    if (nearest.run(data, 0.0) == internal::NearestPoint::Stop::kIterations) continue;
    const Eigen::VectorXd change = -Eigen::Map<const Eigen::VectorXd>(
        nearest.residual().data(), static_cast<Eigen::Index>(nearest.residual().size()));
    if (!best || change.norm() < best->norm()) best = change;
  }
  if (best) result.repairs.push_back({Repair::Change::kForce, -1, best->norm(), *best});
}

}  // namespace stiction
