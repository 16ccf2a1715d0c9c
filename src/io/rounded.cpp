#include "io/rounded.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace stiction::internal {
namespace {

constexpr int kDigits = 4;

/// The nearest number of so many digits, moved by one unit of the last one where it is on the wrong side.
std::string rounded(double value, double side)
{
  std::string text = fmt::format("{:.{}g}", value, kDigits);
  if (value == 0.0 || !std::isfinite(value) || side * (std::strtod(text.c_str(), nullptr) - value) >= 0.0) return text;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - (kDigits - 1));
  return fmt::format("{:.{}g}", std::strtod(text.c_str(), nullptr) + side * unit, kDigits);
}

}  // namespace

std::string rounded_up(double value) { return rounded(value, 1.0); }
std::string rounded_down(double value) { return rounded(value, -1.0); }

}  // namespace stiction::internal
