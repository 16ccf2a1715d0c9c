#pragma once

// Gauss' principle has a solution unless one of two systems of rows and cones has none: both alternatives as programs.
#include "stiction/engine.hpp"

namespace stiction::internal {

/// F in range M + range Je' + cone Ju' (dual feasibility). Infeasible with y: along -y the objective falls forever.
void write_balance(const GaussProgram& gauss, ConeProgram& program);

/// Je a = -ge, Ju a - s = -gu, s >= 0 (primal feasibility). Infeasible with y: the Farkas vector of a contradiction.
void write_consistency(const GaussProgram& gauss, ConeProgram& program);

/// True, with the answer filled, when an engine found the alternative infeasible.
bool is_unbalanced(const ConeAnswer& alternative, const GaussProgram& gauss, GaussAnswer& answer);
bool is_contradictory(const ConeAnswer& alternative, const GaussProgram& gauss, GaussAnswer& answer);

}  // namespace stiction::internal
