#pragma once

#include <string>

namespace stiction::internal {

/// Four significant digits of what is to be applied, never less than that: it does what the number was proved to do.
/// As one unit of the last digit is a thousandth at most, a thousandth less does not where the number is the least.
std::string enough(double value);

/// Four significant digits of a boundary that was proved to within a millionth: the boundary itself where they tell it,
/// else on the side that holds.
std::string at_least(double boundary);
std::string at_most(double boundary);

}  // namespace stiction::internal
