// Numbers for people.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/numerics.hpp"
#include "stiction/cone.hpp"
#include "stiction/contact_problem.hpp"

namespace stiction::internal {

/// 0 for what is only rounding of numbers of size `scale`.
inline double tidy(double value, double scale) { return std::abs(value) <= kProductRounding * scale ? 0.0 : value; }

/// "0.31 to 0.32", or one number where both ends read the same.
std::string interval_text(double lower, double upper, int digits = 4);

/// Searches for the least factor on friction end at a millionth: this is as good as none.
inline constexpr double kHardlyAny = 1e-5;

/// The friction of contacts.
std::vector<FrictionCone> cones_of(const std::vector<Contact>& contacts);

/// "mu 0.5 could fall to 0.27 and mu 0.8 to 0.432": all friction times a factor, for a `verb` such as " could fall to
/// ". Empty where a sentence does not take as many different coefficients.
std::string friction_change(const std::vector<FrictionCone>& cones, double factor, const char* verb,
                            std::string (*rounded)(double));

/// "friction to spare: mu 0.5 could fall to 0.27", or that friction hardly matters.
std::string spare_friction_text(const std::vector<FrictionCone>& cones, double least_factor);

/// "every friction coefficient times 1.2 (mu 0.5 to 0.6)": what would do.
std::string more_friction_text(const std::vector<FrictionCone>& cones, double factor);

}  // namespace stiction::internal
