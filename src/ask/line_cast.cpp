#include "ask/line_cast.hpp"

namespace stiction::internal {
namespace {

/// From where on the limits of some effort exclude each other. A motion has one entry per degree of freedom, so that
/// what says so, a price of either limit, cancels in it: such a failure is told here and nowhere else.
double where_limits_cross(const Loads& from, const Loads& slope)
{
  double first = kInfinity;
  for (Eigen::Index d = 0; d < from.e.size(); ++d) {
    const double closing = slope.lower[d] - slope.upper[d];
    if (closing > 0.0) first = std::min(first, (from.upper[d] - from.lower[d]) / closing);
  }
  return first;
}

}  // namespace

/// The slope itself, to be carried by rays: forces without limits, limits that grow with t.
void LineCaster::set_rays(const Loads& from, const Loads& slope)
{
  at_ = slope;
  for (Eigen::Index d = 0; d < at_.e.size(); ++d) {
    if (std::isinf(from.lower[d])) at_.lower[d] = -kInfinity;
    if (std::isinf(from.upper[d])) at_.upper[d] = kInfinity;
  }
  for (Eigen::Index i = 0; i < at_.max_normal.size(); ++i)
    if (std::isinf(from.max_normal[i])) at_.max_normal[i] = kInfinity;
}

/// Every leaf of a failing search says from where on its signs fail; the last of them is where all do.
void LineCaster::cut(const HoldProblem& from, const Loads& slope, double t, LineCast& result)
{
  const ContactProblem& problem = from.set.problem();
  double last = result.lower;
  for (const MotionLeaf& leaf : trial_.leaves) {
    const double rate = gain(problem, leaf, slope);
    last = std::max(last, rate > 0.0 ? -gain(problem, leaf, from.loads) / rate : t);
  }
  last = std::min(last, t);
  if (!(last < result.upper)) return;
  result.upper = last;
  result.leaves.swap(trial_.leaves);
}

void LineCaster::cast(const HoldProblem& from, const Loads& slope, double start, const HoldAnswer& held,
                      const LineOptions& options, HoldWorkspace& workspace, LineCast& result)
{
  result.lower = start;
  result.upper = where_limits_cross(from.loads, slope);
  result.end = LineCast::End::kUndecided;
  result.forces = held.forces;
  workspace.recycle(result.leaves);
  HoldProblem trial{from.set, at_, &held.signs, from.friction, from.branch_limit};
  if (!options.bounded && std::isinf(result.upper)) {
    set_rays(from.loads, slope);
    const Verdict ray = decide_next(trial, workspace, trial_);
    if (ray == Verdict::kHolds) {
      result.end = LineCast::End::kUnbounded;
      if (!std::isfinite(options.cap)) return;
      const auto forces = from.set.force_columns();
      result.forces.head(forces) += (options.cap - start) * trial_.forces.head(forces);
      result.lower = options.cap;
      return;
    }
    if (ray == Verdict::kFails && (options.same_signs || !from.set.needs_signs())) cut(from, slope, kInfinity, result);
  }
  if (!options.same_signs) trial.signs = nullptr;
  close_gap(result, options, [&](double t) {
    at_.set_line(from.loads, t, slope);
    const Verdict verdict = decide_next(trial, workspace, trial_);
    if (verdict == Verdict::kHolds) result.forces = trial_.forces;
    if (verdict == Verdict::kFails) cut(from, slope, t, result);
    return verdict;
  });
  workspace.recycle(trial_.leaves);
}

}  // namespace stiction::internal
