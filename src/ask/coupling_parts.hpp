// The parts of CouplingChecker that need no engine, for those who re-check its numbers.
#pragma once

#include "stiction/couplings.hpp"

namespace stiction::internal {

/// Everything but the motion: rows, ranks, dependences, Delassus blocks, angles. @throws InputError from
/// problem.validate()
Couplings inertial_couplings(const ContactProblem& problem, TangentialRows tangential);

/// What acceleration and forces of `couplings` say: whether the forces are unique and everything is at rest.
/// @param[out] active rows that are held or push
/// @return forces over `active` that move nothing, one per column
Eigen::MatrixXd read_motion(const ContactProblem& problem, Couplings& couplings, std::vector<int>& active);

}  // namespace stiction::internal
