#include "draw/labels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/svg.hpp"

namespace stiction::internal {

double LabelPlacer::cost_of(const Eigen::AlignedBox2d& box) const
{
  constexpr double kCrossed = 6.0;  // pixels of distance that a line below the text is worth
  double cost = 0.0;
  for (const auto& [from, to] : lines_)
    if (const Outline covered = clipped({from, to}, box); covered.size() == 2)
      cost += kCrossed + 0.2 * (covered[1] - covered[0]).norm();
  return cost;
}

std::optional<Eigen::AlignedBox2d> LabelPlacer::place(const Eigen::Vector2d& about, const Eigen::Vector2d& away,
                                                      double width, double height)
{
  constexpr double kDistances[] = {6.0, 14.0, 24.0, 36.0, 50.0};
  constexpr int kPlacesAround = 12;
  const double start = away.norm() > 0.0 ? std::atan2(away.y(), away.x()) : -0.25 * std::numbers::pi;
  std::optional<Eigen::AlignedBox2d> best;
  double least = 1e9;
  for (const double distance : kDistances)
    for (int k = 0; k < kPlacesAround; ++k) {
      const double turn = 2.0 * std::numbers::pi * (k % 2 ? -(k + 1) / 2 : k / 2) / kPlacesAround;
      const Eigen::Vector2d direction(std::cos(start + turn), std::sin(start + turn));
      const Eigen::Vector2d half(0.5 * width, 0.5 * height);
      const Eigen::Vector2d middle = about + distance * direction + half.cwiseProduct(direction);
      const Eigen::AlignedBox2d box(middle - half, middle + half);
      const auto meets = [&](const Eigen::AlignedBox2d& other) { return other.intersects(box); };
      if (!frame_.contains(box) || std::ranges::any_of(taken_, meets)) continue;
      const double cost = distance + 4.0 * std::abs(turn) + cost_of(box);
      if (cost < least) {
        least = cost;
        best = box;
      }
    }
  if (best) taken_.push_back(*best);
  return best;
}

}  // namespace stiction::internal
