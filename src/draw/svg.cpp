#include "draw/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/settle.hpp"

namespace stiction::internal {
namespace {

/// Bytes of the UTF-8 character at the beginning; 0: there is none.
std::size_t utf8_length(const char* at, std::size_t left)
{
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  const std::size_t length = byte(0) < 0x80         ? 1
                             : byte(0) >> 5 == 0x6  ? 2
                             : byte(0) >> 4 == 0xe  ? 3
                             : byte(0) >> 3 == 0x1e ? 4
                                                    : 0;
  if (length == 0 || length > left) return 0;
  unsigned code = length == 1 ? byte(0) : byte(0) & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 0x2) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr unsigned kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool allowed = code >= 0x20 && !(code >= 0xd800 && code < 0xe000) && code != 0xfffe && code != 0xffff;
  return allowed && code >= kLeast[length] && code < 0x110000 ? length : 0;
}

double area_of_corner(const Eigen::Vector2d& a, const Eigen::Vector2d& b, const Eigen::Vector2d& c)
{
  return (b - a).x() * (c - a).y() - (b - a).y() * (c - a).x();
}

}  // namespace

std::string escaped(const std::string& text)
{
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.data() + i, text.size() - i);
    if (length == 0)
      out += '?';
    else if (text[i] == '<')
      out += "&lt;";
    else if (text[i] == '>')
      out += "&gt;";
    else if (text[i] == '&')
      out += "&amp;";
    else if (text[i] == '"')
      out += "&quot;";
    else
      out.append(text, i, length);
    i += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string px(double value) { return fmt::format("{:.1f}", std::abs(value) < 0.05 ? 0.0 : value); }

std::string points_text(const Outline& outline)
{
  std::string text;
  for (const Eigen::Vector2d& point : outline) text += (text.empty() ? "" : " ") + px(point.x()) + "," + px(point.y());
  return text;
}

double text_width(const std::string& text, double size)
{
  constexpr double kAverage = 0.6;  // of the size: DejaVu Sans, among the widest
  const auto letters =
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return kAverage * size * static_cast<double>(letters);
}

std::vector<std::string> broken_into_lines(const std::string& text, double size, double width)
{
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    while (text_width(word, size) > width && word.size() > 4) word.replace(word.size() - 4, 4, "…");
    if (!lines.back().empty() && text_width(lines.back() + " " + word, size) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines;
}

double round_number_below(double value)
{
  constexpr double kUp = 1.0 + 1e-9;  // 0.2 is not 0.1999…
  const double power = std::pow(10.0, std::floor(std::log10(value * kUp)));
  const double digit = value * kUp / power;
  return (digit < 2.0 ? 1.0 : digit < 5.0 ? 2.0 : 5.0) * power;
}

double tick_step(double size, double ticks)
{
  const double rough = size / ticks, power = std::pow(10.0, std::floor(std::log10(rough)));
  const double digit = rough / power;
  return (digit < 1.5 ? 1.0 : digit < 3.5 ? 2.0 : digit < 7.5 ? 5.0 : 10.0) * power;
}

Outline visible_hull(const Outline& points)
{
  Outline hull;
  for (const int i : convex_hull(points, [](const Eigen::Vector2d& p) { return p; }))
    hull.push_back(points[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < hull.size() && hull.size() > 2;) {
    const Eigen::Vector2d &before = hull[(i + hull.size() - 1) % hull.size()], &after = hull[(i + 1) % hull.size()];
    const double height = std::abs(area_of_corner(before, after, hull[i])) /
                          std::max((after - before).norm(), std::numeric_limits<double>::min());
    if (height < 0.25)
      hull.erase(hull.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  return hull;
}

Outline clipped(Outline outline, const Eigen::AlignedBox2d& to)
{
  for (int axis = 0; axis < 2; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      const double limit = sign < 0.0 ? -to.min()[axis] : to.max()[axis];
      const auto beyond = [&](const Eigen::Vector2d& p) { return sign * p[axis] - limit; };
      Outline kept;
      const std::size_t sides = outline.size() == 2 ? 1 : outline.size();
      if (sides == 1 && beyond(outline[0]) <= 0.0) kept.push_back(outline[0]);
      for (std::size_t i = 0; i < sides; ++i) {
        const Eigen::Vector2d &a = outline[i], &b = outline[(i + 1) % outline.size()];
        const double at_a = beyond(a), at_b = beyond(b);
        if (at_a * at_b < 0.0) kept.push_back(a + (b - a) * (at_a / (at_a - at_b)));
        if (at_b <= 0.0) kept.push_back(b);
      }
      outline = std::move(kept);
      if (outline.empty()) return outline;
    }
  return outline;
}

}  // namespace stiction::internal
