#pragma once

#include "solve/qpoases_decider.hpp"
#include "stiction/engine.hpp"

namespace stiction::internal {

/// Gauss' principle by qpOASES; `decider` answers the two alternatives that qpOASES gives no certificate for.
void solve_gauss(const GaussProgram& program, QpoasesDecider& decider, GaussAnswer& answer);

}  // namespace stiction::internal
