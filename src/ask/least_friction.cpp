// Only minimal friction changes the cones themselves: bracket a monotone function, helped by what failing motions tell.
#include <algorithm>
#include <cmath>

#include "ask/hold_search.hpp"

namespace stiction::internal {
namespace {

constexpr double kFrictionGap = 1e-7;       // relative, of the least friction
constexpr double kLargestFriction = 1e6;    // beyond this no friction is called enough
constexpr double kSmallestFriction = 1e-6;  // a squeeze can make do with ever less: enough is enough

}  // namespace

/// The largest friction (as factor, or as mu of one contact) that the last failing search proves insufficient: a leaf's
/// motion stays a certificate while every cone's support stays <= 0.
double HoldSearch::friction_needed(const Friction& friction) const
{
  double needed = kInfinity;
  for (const MotionLeaf& leaf : leaves) {
    double leaf_needs = kInfinity;
    Eigen::Index price = problem->nv();
    for (size_t i = 0; i < problem->contacts.size(); ++i) {
      const Contact& c = problem->contacts[i];
      const double w = std::isfinite(c.max_normal) ? leaf.motion[price++] : 0.0;
      if (multipliers.column(i) < 0) continue;
      const double sign = c.side == Side::kUnilateral ? 1.0 : leaf.signs[i];
      if (sign == 0.0 || (friction.contact >= 0 && friction.contact != static_cast<int>(i))) continue;
      Eigen::Vector4d h = Eigen::Vector4d::Zero();
      h.head(c.rows()) = problem->J.middleRows(c.row, c.rows()) * leaf.motion.head(problem->nv());
      // support of the cone: normal + (what is searched) * sideways
      double normal = sign * h[0] - w;
      FrictionCone cone = friction_cone(c, shape);
      if (friction.contact >= 0) {
        if (c.torsional) normal += c.torsion * std::abs(h[1 + c.tangents]);
        cone.mu = 1.0;
        cone.torsion = 0.0;
      }
      const Eigen::Vector4d h_t(0.0, h[1], h[2], h[3]);
      const double sideways = support(cone, h_t.data());
      if (sideways > 1e-12 * h.norm() * std::max(1e-12, friction.contact < 0 ? c.mu : 1.0))
        leaf_needs = std::min(leaf_needs, std::max(0.0, -normal / sideways));
    }
    needed = std::min(needed, leaf_needs);
  }
  return needed;
}

/// Smallest factor on every mu (contact < 0), or smallest mu of one contact alone, with which it holds; to kFrictionGap above
/// the true value, so that the returned value does hold. Empty and known: no friction helps.
HoldSearch::LeastFriction HoldSearch::smallest_friction(int contact, double known_holding)
{
  LeastFriction least;
  auto at = [&](double value) { return contact < 0 ? Friction{value, -1, 0.0} : Friction{1.0, contact, value}; };
  double& lower = least.lower;
  double upper = known_holding;
  const Verdict none = decide_signs(at(0.0));
  least.known = none != Verdict::kUndecided;
  if (none == Verdict::kHolds) least.upper = 0.0;
  if (none != Verdict::kFails) return least;
  lower = friction_needed(at(0.0));
  if (!(lower < upper)) lower = 0.0;   // rounding of a motion that says no friction helps, where some is known to
  // Upwards until it holds.
  for (double trial = contact < 0 ? 1.0 : std::max(problem->contacts[contact].mu, 0.1); !std::isfinite(upper); trial *= 4.0) {
    trial = std::max(trial, 2.0 * lower);
    if (!(trial <= kLargestFriction)) return least;
    const Verdict verdict = decide_signs(at(trial));
    if (verdict == Verdict::kHolds)
      upper = trial;
    else if (verdict == Verdict::kFails)
      lower = std::max({lower, trial, friction_needed(at(trial))});
    else
      least.known = false;
    if (!least.known) return least;
  }
  // A few steps at the lower bound itself: certificates often stop exactly at the answer. What is too near to the boundary to be
  // proved either way only bounds where to try next.
  double tried = lower;
  for (int i = 0; i < 100 && upper - tried > kFrictionGap * upper && upper > kSmallestFriction; ++i) {
    const double near = tried + 0.5 * kFrictionGap * upper;
    const double trial = i % 3 == 2 || near >= upper ? 0.5 * (tried + upper) : std::max(near, tried + 0.01 * (upper - tried) * (i % 3));
    const Verdict verdict = decide_signs(at(trial));
    if (verdict == Verdict::kHolds)
      upper = trial;
    else if (verdict == Verdict::kFails)
      lower = std::max({lower, trial, std::min(friction_needed(at(trial)), upper)});
    tried = std::max({tried, lower, verdict == Verdict::kUndecided ? trial : 0.0});
  }
  least.upper = upper;
  return least;
}

}  // namespace stiction::internal
