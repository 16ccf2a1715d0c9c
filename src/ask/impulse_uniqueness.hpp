#pragma once

#include "stiction/engine.hpp"
#include "stiction/margin.hpp"
#include "stiction/proof/impact.hpp"

namespace stiction::internal {

/// Whether no other impulses than those of a solution lead to its velocity. kFails: there are others, in proportion to
/// those of the solution.
Verdict impulse_is_unique(const ContactProblem& problem, const Impact& impact, const ImpactSolution& solution,
                          Engine& engine);

/// ImpactChecker::impulse_intervals
std::vector<Margin> impulse_ranges(const ContactProblem& problem, const Impact& impact, const ImpactSolution& solution,
                                   Engine& engine);

}  // namespace stiction::internal
