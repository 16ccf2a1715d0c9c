#include "io/number_text.hpp"

#include <fmt/format.h>

#include "io/rounded.hpp"

namespace stiction::internal {

std::string interval_text(double lower, double upper, int digits)
{
  const std::string from = fmt::format("{:.{}g}", lower, digits), to = fmt::format("{:.{}g}", upper, digits);
  return from == to ? from : from + " to " + to;
}

std::string spare_friction_text(double least_factor)
{
  if (least_factor == 0.0) return "holds without any friction";
  if (least_factor <= kHardlyAny) return "friction to spare: holds with next to none";
  return "friction to spare: holds down to " + at_least(least_factor) + " of every coefficient";
}

}  // namespace stiction::internal
