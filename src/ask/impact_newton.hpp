#pragma once

#include <vector>

#include "proof/impact_law.hpp"
#include "stiction/proof/impact.hpp"

namespace stiction::internal {

/// Newton's method on the equations that the impact laws are in given modes. It works on the impact as the acceleration
/// problem of the same laws: M d = J'Λ, ξ = J d + (1+ε)γ-, ellipses stretched to disks. A point is z = (d, Λ).
class ImpactNewton {
 public:
  /// Keeps references to the elements, one per contact, and to the bounds.
  ImpactNewton(const ContactProblem& problem, const Impact& impact, const std::vector<ImpactElement>& elements,
               const MotionBounds& bounds);

  const ContactProblem& problem() const { return problem_; }
  const Eigen::VectorXd& stretch() const { return stretch_; }  ///< per row; Λ of the impact = stretch ∘ Λ here

  /// Modes by the projected form of the laws, Λ - proj(Λ - ξ/w) with w = Σ J_rj²/M_jj: no sectors of slip.
  std::vector<ContactImpactMode> modes_at(const Eigen::VectorXd& z) const;

  /// Newton's steps from z to the equations of a mode, each of least change.
  bool solve(const std::vector<ContactImpactMode>& modes, Eigen::VectorXd& z) const;

  /// Impulses that are rounding of nothing become nothing, and those beyond a rim by rounding go back to it.
  Eigen::VectorXd tidy(const std::vector<ContactImpactMode>& modes, Eigen::VectorXd impulse) const;

 private:
  void equations(const std::vector<ContactImpactMode>& modes, const Eigen::VectorXd& z, Eigen::VectorXd& r,
                 Eigen::MatrixXd& slope) const;

  ContactProblem problem_;
  Eigen::VectorXd stretch_;
  Eigen::VectorXd units_;  ///< of (d, Λ)
  const std::vector<ImpactElement>& elements_;
  const MotionBounds& bounds_;
};

}  // namespace stiction::internal
