#include "io/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/rounded.hpp"

namespace stiction::internal {

std::string interval_text(double lower, double upper, int digits)
{
  const std::string from = fmt::format("{:.{}g}", lower, digits), to = fmt::format("{:.{}g}", upper, digits);
  return from == to ? from : from + " to " + to;
}

std::vector<FrictionCone> cones_of(const std::vector<Contact>& contacts)
{
  std::vector<FrictionCone> cones;
  for (const Contact& contact : contacts)
    cones.push_back({contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, {}});
  return cones;
}

std::string friction_change(const std::vector<FrictionCone>& cones, double factor, const char* verb,
                            std::string (*rounded)(double))
{
  constexpr std::size_t kMostCoefficients = 3;
  struct Coefficient {
    const char *name, *unit;
    double value;
    bool operator==(const Coefficient&) const = default;
  };
  std::vector<Coefficient> different;
  const auto add = [&](const Coefficient& found) {
    if (found.value > 0.0 && std::ranges::find(different, found) == different.end()) different.push_back(found);
  };
  for (const FrictionCone& cone : cones) {
    add({"mu", "", cone.tangents > 0 ? cone.mu : 0.0});
    add({"torsion", " m", cone.torsional ? cone.torsion : 0.0});
  }
  if (different.size() > kMostCoefficients) return "";
  std::string words;
  for (const Coefficient& each : different)
    words += fmt::format("{}{} {:.4g}{}{}{}{}", words.empty() ? "" : " and ", each.name, each.value, each.unit,
                         words.empty() ? verb : " to ", rounded(factor * each.value), each.unit);
  return words;
}

std::string spare_friction_text(const std::vector<FrictionCone>& cones, double least_factor)
{
  if (least_factor == 0.0) return "holds without any friction";
  if (least_factor <= kHardlyAny) return "friction to spare: holds with next to none";
  const std::string change = friction_change(cones, least_factor, " could fall to ", at_least);
  return "friction to spare: " +
         (change.empty() ? "every coefficient could fall to " + at_least(least_factor) + " times what it is" : change);
}

std::string more_friction_text(const std::vector<FrictionCone>& cones, double factor)
{
  const std::string change = friction_change(cones, factor, " to ", enough);
  return "every friction coefficient times " + enough(factor) + (change.empty() ? "" : " (" + change + ")");
}

}  // namespace stiction::internal
