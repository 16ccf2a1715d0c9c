#pragma once

// What a certificate of couplings proves: Gauss' principle without friction cones.
#include <Eigen/Core>
#include <string>
#include <vector>

#include "stiction/proof.hpp"

namespace stiction {

/// J'y = 0, y >= 0 on the unilateral rows, y = 0 on rows that are in neither list, y'γ < 0: no acceleration keeps the
/// rows. y'γ must exceed what J'y and the tolerances of proves_motion can do for any acceleration within its bounds, so
/// that no problem has both proofs (docs/proofs/couplings.md).
bool proves_contradiction(const ContactProblem& problem, const std::vector<int>& unilateral,
                          const std::vector<int>& bilateral, const Eigen::VectorXd& y);

/// M d = 0, J d = 0 on the bilateral and >= 0 on the unilateral rows, F'd < 0: no forces balance the load, which moves
/// massless parts that nothing holds. F'd must exceed what M d, J d and the tolerances of proves_motion can do for any
/// acceleration and forces within its bounds.
bool proves_imbalance(const ContactProblem& problem, const std::vector<int>& unilateral,
                      const std::vector<int>& bilateral, const Eigen::VectorXd& d);

/// M a + F = J'λ, rows of `bilateral` have J a + γ = 0, of `unilateral` 0 <= λ ⟂ J a + γ >= 0, λ = 0 elsewhere; to
/// kSolve of the loads and accelerations that F, M, J and γ lead to expect, which a and λ may exceed by 2¹². Each row
/// is listed once.
bool proves_motion(const ContactProblem& problem, const std::vector<int>& unilateral, const std::vector<int>& bilateral,
                   const Eigen::VectorXd& a, const Eigen::VectorXd& lambda, std::string* why = nullptr);

}  // namespace stiction

// Proved of Couplings: solvable, acceleration, forces and opening; with `pins` and `shift` whether they are unique.
// Computed from the masses anew by who reads a report: angles, shock_gain and the like. Not proved: intervals, beyond
// that they contain the force shown; dependences and the worst rows are a choice among equals.
