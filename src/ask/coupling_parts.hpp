// The parts of CouplingChecker that need no engine, for those who re-check its numbers.
#pragma once

#include "stiction/couplings.hpp"

namespace stiction::internal {

/// Everything but the motion: rows, ranks, dependences, Delassus blocks, angles. @throws InputError from
/// problem.validate()
Couplings inertial_couplings(const ContactProblem& problem, TangentialRows tangential);

/// Rows of a motion that has been proved.
struct ActiveRows {
  std::vector<int> loaded;    ///< held, or pushing: their forces may grow and shrink
  std::vector<int> touching;  ///< closed without force, which may only grow
};

/// What acceleration and forces of `couplings` say: what is unique, what opens, whether anything accelerates. Uses
/// `pins` and `shift` where ranks do not decide, and clears them where they prove nothing.
ActiveRows read_motion(const ContactProblem& problem, Couplings& couplings);

}  // namespace stiction::internal
