// The least friction with which the multipliers of a set meet their cones.
#include <algorithm>
#include <cmath>

#include "ask/hold_search.hpp"

namespace stiction::internal {

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

FrictionBracket HoldSearch::smallest_friction(int contact, double known_holding)
{
  const auto at = [&](double value) { return contact < 0 ? Friction{value, -1, 0.0} : Friction{1.0, contact, value}; };
  return bracket_friction(
      contact < 0 ? 1.0 : std::max(problem->contacts[contact].mu, 0.1), known_holding,
      [&](double value) { return decide_signs(at(value)); }, [&](double value) { return friction_needed(at(value)); });
}

}  // namespace stiction::internal
