// Numbers for people.
#pragma once

#include <cmath>
#include <string>

#include "base/numerics.hpp"

namespace stiction::internal {

/// 0 for what is only rounding of numbers of size `scale`.
inline double tidy(double value, double scale) { return std::abs(value) <= kProductRounding * scale ? 0.0 : value; }

/// "0.31 to 0.32", or one number where both ends read the same.
std::string interval_text(double lower, double upper, int digits = 4);

/// Searches for the least factor on friction end at a millionth: this is as good as none.
inline constexpr double kHardlyAny = 1e-5;

/// "holds down to 0.6 of every coefficient", or that friction hardly matters.
std::string spare_friction_text(double least_factor);

}  // namespace stiction::internal
