#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "proof/motion_bounds.hpp"
#include "proof/sums.hpp"
#include "stiction/proof/impact.hpp"

namespace stiction::internal {

/// One contact with its law: what of it takes part in an impact.
struct ImpactElement {
  const Contact& contact;
  ImpactLaw law;

  ImpactElement(const ContactProblem& problem, const Impact& impact, std::size_t i)
      : contact(problem.contacts[i]), law(impact.laws.empty() ? ImpactLaw{} : impact.laws[i])
  {
  }

  bool bilateral() const { return contact.side == Side::kBilateral; }
  bool rubs() const { return contact.tangents > 0 && contact.mu > 0.0; }  ///< otherwise D = {0} and ξt is free
  bool twists() const { return contact.torsional && contact.torsion > 0.0; }
  /// A bilateral contact without friction has one mode only.
  bool branches() const { return !bilateral() || rubs() || twists(); }
  int torsion_row() const { return contact.row + 1 + contact.tangents; }
  /// Factor that turns the friction ellipse into the disk of radius mu: on row k of J, and its inverse on the impulse.
  double stretch(int tangent) const
  {
    return tangent == 1 && law.mu_second && contact.mu > 0.0 ? *law.mu_second / contact.mu : 1.0;
  }
  double restitution(int row) const
  {
    if (row == contact.row) return law.normal;
    return contact.torsional && row == torsion_row() ? law.spin : law.tangential;
  }
};

/// ε per row of J; closures are plastic, which only matters when they moved before the impact.
inline Eigen::VectorXd restitutions(const ContactProblem& problem, const Impact& impact)
{
  Eigen::VectorXd e = Eigen::VectorXd::Zero(problem.rows());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactElement element(problem, impact, i);
    for (int k = 0; k < element.contact.rows(); ++k)
      e[element.contact.row + k] = element.restitution(element.contact.row + k);
  }
  return e;
}

/// Size of normal impulses of a contact: what its normal, or friction of at most one times it, may hand on. 0 when no
/// row of the contact moves anything.
inline double normal_bound(const ImpactElement& element, const MotionBounds& bounds)
{
  const Contact& c = element.contact;
  double bound = bounds.force[c.row] > 0.0 ? bounds.force[c.row] : kInfinity;
  const auto friction = [&](int row, double mu) {
    if (mu > 0.0 && bounds.force[row] > 0.0) bound = std::min(bound, bounds.force[row] / std::min(mu, 1.0));
  };
  for (int k = 0; k < c.tangents; ++k) friction(c.row + 1 + k, c.mu * element.stretch(k));
  if (!std::isfinite(bound) && c.torsional) friction(element.torsion_row(), c.torsion);
  return std::isfinite(bound) ? bound : 0.0;
}

/// Rows of J that share one reservoir C and one ε: a unilateral normal, friction, torsion. Bilateral rows have none.
struct Reservoir {
  std::vector<int> rows;
  double restitution = 0.0;
  bool closing = false;  ///< normal of a contact with a gap
};
std::vector<Reservoir> reservoirs(const ContactProblem& problem, const Impact& impact);

/// Sum of one row of A times x with the scale of its terms.
template <class Row>
Sum product(const Row& row, const Eigen::VectorXd& x)
{
  Sum sum;
  for (Eigen::Index j = 0; j < x.size(); ++j) sum.add(row[j], x[j]);
  return sum;
}

/// Sizes that allowances refer to: V² = Σ M_kk (u-² + u+²) is a speed times the root of a mass.
struct ImpactScales {
  Eigen::VectorXd momentum;  ///< √M_ii V
  Eigen::VectorXd speed;     ///< |J| (|u-| + |u+| + V/√M_jj)

  ImpactScales(const ContactProblem& p, const Eigen::VectorXd& before, const Eigen::VectorXd& after)
  {
    const double V = std::sqrt(p.M.diagonal().dot(before.cwiseAbs2() + after.cwiseAbs2()));
    Eigen::VectorXd reach = before.cwiseAbs() + after.cwiseAbs();
    momentum.setZero(p.nv());
    for (Eigen::Index i = 0; i < p.nv(); ++i) {
      if (p.M(i, i) <= 0.0) continue;
      momentum[i] = std::sqrt(p.M(i, i)) * V;
      reach[i] += V / std::sqrt(p.M(i, i));
    }
    speed = p.J.cwiseAbs() * reach;
  }
};

/// γ- against Table 1, and whether (98) applies and bounds W by zero because nothing slips before the impact.
struct BeforeImpact {
  bool held = true;     ///< bilateral rows kept
  bool closing = true;  ///< closing contacts close
  bool at_rest = true;  ///< friction and one-way rows do not move
};

/// @param[out] flaws optional: conditions of Table 1 that γ- does not meet are appended.
BeforeImpact look_before(const ContactProblem& problem, const Impact& impact, std::vector<KinematicFlaw>* flaws);

/// Velocities after the impact that differ by more than this share of MotionBounds::motion are different.
inline constexpr double kDifferent = 0x1p-22;

/// True when the velocities, with `radius` (optional) added to their distance, are within `share` of kDifferent.
inline bool same_velocity(const MotionBounds& bounds, const Eigen::VectorXd& one, const Eigen::VectorXd& other,
                          double share = 1.0, const Eigen::VectorXd* radius = nullptr)
{
  for (Eigen::Index j = 0; j < one.size(); ++j)
    if (!(std::abs(one[j] - other[j]) + (radius ? (*radius)[j] : 0.0) <= share * kDifferent * bounds.motion[j]))
      return false;
  return true;
}

/// Work above this is a gain of energy: a share of the energy that momenta and velocities of their expected sizes have.
double noticeable_gain(const MotionBounds& bounds);

}  // namespace stiction::internal
