// Why a case fails: asks the counterfactual problems and looks for the motion that is told. Only where words are
// wanted.
#pragma once

#include "stiction/failure.hpp"

namespace stiction::internal {

/// Most unilateral contacts with which other coefficients or limits are tried where contacts are free to leave: every
/// trial looks at all sets of them.
inline constexpr int kMostLeavingInTrials = 6;

/// Of a failing case of all_sticking.
/// @param known what margins found of the most friction; asked about first, as every proof is judged. kNone: nothing
Failure explain_sticking_failure(const ContactProblem& problem, const StickingRules& rules,
                                 const Certificate& certificate, const std::vector<int>& idle_motors, int branch_limit,
                                 const Certificate& known);

/// Of a failing case of equilibrium under the certificate's acceleration.
Failure explain_imbalance(const ContactProblem& problem, const Certificate& certificate,
                          const std::vector<int>& idle_motors, int branch_limit, const Certificate& known);

}  // namespace stiction::internal
