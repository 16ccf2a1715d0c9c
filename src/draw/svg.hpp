// Pieces of SVG text, and what drawings need of the plane. Coordinates are pixels, y down.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <string>
#include <vector>

namespace stiction::internal {

using Outline = std::vector<Eigen::Vector2d>;

/// The least size of letters: 8.25 pt.
inline constexpr double kSmallText = 11.0;

/// Text between tags: markup escaped, what is no UTF-8 or not allowed in XML replaced by "?".
std::string escaped(const std::string& text);

/// A coordinate with one decimal; never "-0.0".
std::string px(double value);

/// "x,y x,y …"
std::string points_text(const Outline& outline);

/// Width of text in letters of a size; no less than common sans-serif fonts need.
double text_width(const std::string& text, double size);

/// Lines that are no wider than that, broken at blanks; words that do not fit alone are cut.
std::vector<std::string> broken_into_lines(const std::string& text, double size, double width);

/// The number 1, 2 or 5 times a power of ten that is next below or equal; of a positive number.
double round_number_below(double value);

/// The step of 1, 2 or 5 times a power of ten that gives about so many ticks.
double tick_step(double size, double ticks);

/// Corners of the convex hull that show: within a quarter of a pixel of its neighbours' line a corner is none.
Outline visible_hull(const Outline& points);

/// The part of a convex outline, or of a line of two points, in a rectangle.
Outline clipped(Outline outline, const Eigen::AlignedBox2d& to);

}  // namespace stiction::internal
