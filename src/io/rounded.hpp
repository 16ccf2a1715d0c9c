#pragma once

#include <string>

namespace stiction::internal {

/// Four significant digits on the safe side: what is printed does what the number was proved to do, and a thousandth
/// less (more) does not when that is so of the number.
std::string rounded_up(double value);
std::string rounded_down(double value);

}  // namespace stiction::internal
