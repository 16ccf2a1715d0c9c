#pragma once

// How many random trials a test makes.
#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace stiction::testing {

/// A test's usual number of trials, times STICTION_TRIALS of the environment: a tenth under the sanitizers, a hundred
/// in a long run by hand.
inline int trials(int usual)
{
  const char* factor = std::getenv("STICTION_TRIALS");
  return factor ? std::max(1, static_cast<int>(std::lround(usual * std::atof(factor)))) : usual;
}

}  // namespace stiction::testing
