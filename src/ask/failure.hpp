// Why a case fails: asks the counterfactual problems and looks for the motion that is told. Only where words are
// wanted.
#pragma once

#include "stiction/failure.hpp"

namespace stiction::internal {

/// Of a failing case of all_sticking.
Failure explain_sticking_failure(const ContactProblem& problem, const StickingRules& rules,
                                 const Certificate& certificate, const std::vector<int>& idle_motors, int branch_limit);

/// Of a failing case of equilibrium under the certificate's acceleration.
Failure explain_imbalance(const ContactProblem& problem, const Certificate& certificate,
                          const std::vector<int>& idle_motors, int branch_limit);

}  // namespace stiction::internal
