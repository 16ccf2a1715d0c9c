#include "io/rounded.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace stiction::internal {
namespace {

constexpr int kShownDigits = 4;
constexpr double kBoundary = 1e-6;  // share of itself to within which a boundary is proved

/// The nearest number of so many digits, moved by one unit of the last one where it is on the wrong side by more than
/// that share.
std::string rounded(double value, double side, double share)
{
  const std::string text = fmt::format("{:.{}g}", value, kShownDigits);
  const double printed = std::strtod(text.c_str(), nullptr);
  if (value == 0.0 || !std::isfinite(value) || side * (printed - value) >= -share * std::abs(value)) return text;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - (kShownDigits - 1));
  return fmt::format("{:.{}g}", printed + side * unit, kShownDigits);
}

}  // namespace

std::string enough(double value) { return rounded(value, 1.0, 0.0); }
std::string at_least(double boundary) { return rounded(boundary, 1.0, kBoundary); }
std::string at_most(double boundary) { return rounded(boundary, -1.0, kBoundary); }

}  // namespace stiction::internal
