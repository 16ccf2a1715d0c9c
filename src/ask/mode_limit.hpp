#pragma once

#include <algorithm>

#include "stiction/contact_problem.hpp"

namespace stiction::internal {

/// How many modes to look at: as many as were asked for; those that take about a second, where that was left at its
/// default. Each costs decompositions of its equations.
inline int mode_limit(const ContactProblem& problem, int asked, int by_default)
{
  constexpr double kWork = 5e8;
  if (asked != by_default) return asked;
  const auto equations = static_cast<double>(problem.nv() + problem.rows());
  return static_cast<int>(
      std::clamp(kWork / (equations * equations * equations), 8.0, static_cast<double>(by_default)));
}

}  // namespace stiction::internal
