#pragma once

// One judge per question: what it says of a decided report.
#include "exact/problem.hpp"

namespace stiction::exact {

Refusal judge_forces(const Json& report);  // all_sticking, equilibrium, and the position of a region
Refusal judge_region(const Json& report);
Refusal judge_closure(const Json& report);
Refusal judge_sliding(const Json& report);
Refusal judge_impact(const Json& report);
Refusal judge_couplings(const Json& report);

}  // namespace stiction::exact
