#include "words/phrases.hpp"

#include <cmath>

namespace stiction::internal {

std::string join(const Names& names)
{
  constexpr std::size_t kMost = 6;
  std::string text;
  const std::size_t shown = names.size() > kMost ? kMost - 1 : names.size();
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::string say(const Names& names, const char* singular, const char* plural)
{
  return join(names) + " " + (names.size() == 1 ? singular : plural);
}

std::string direction_text(const Eigen::Vector3d& direction)
{
  std::string text = "(";
  for (int i = 0; i < 3; ++i) {
    const double rounded = std::round(direction[i] * 100.0) / 100.0;
    std::string number = rounded == 0.0 ? "0" : std::to_string(std::abs(rounded));
    while (number.find('.') != std::string::npos && (number.back() == '0' || number.back() == '.')) {
      const bool point = number.back() == '.';
      number.pop_back();
      if (point) break;
    }
    text += (i > 0 ? ", " : "") + std::string(rounded > 0.0 ? "+" : rounded < 0.0 ? "-" : "") + number;
  }
  return text + ")";
}

}  // namespace stiction::internal
