#pragma once

#include <vector>

#include "proof/impact_law.hpp"
#include "stiction/proof/impact.hpp"

namespace stiction::internal {

/// The parts that a mode falls into, all of them together as wide as it: normal first, then friction, then torsion,
/// then ever smaller sectors of slip. Empty when there is nothing left to tell apart.
std::vector<ContactImpactMode> split_mode(const ImpactElement& element, const ContactImpactMode& mode);

/// True when y'e exceeds y'E x for every x of the leaf's program within its bounds, tolerances and blur of E included:
/// no solution in the sense of proves_impact has these modes (and, with the gain row, gains energy). Adds doubts up, so
/// any y is safe to try.
bool excludes(const ImpactProgram& program, const Eigen::VectorXd& y);

/// Largest |x_k| of a solution, cones included; 0 where nothing moves.
Eigen::VectorXd reach_of(const ImpactProgram& program);

/// The program with one row more: quantity'x <= limit.
ImpactProgram below(const ImpactProgram& program, const Eigen::VectorXd& quantity, double limit);

}  // namespace stiction::internal
