#include "exact/polygon.hpp"

#include <algorithm>
#include <optional>

namespace stiction::exact {
namespace {

struct Side {
  Point from, to;  // from.x < to.x
  std::size_t polygon;

  Q at(const Q& x) const { return from.y + (x - from.x) / (to.x - from.x) * (to.y - from.y); }
};

const Point& next(const Polygon& polygon, std::size_t i) { return polygon[(i + 1) % polygon.size()]; }

/// a / sqrt(square), away from zero or towards it.
Q over_root(const Q& a, const Q& square, bool up) { return a / (up ? root_down(square) : root_up(square)); }

}  // namespace

bool is_strictly_convex(const Polygon& polygon)
{
  if (polygon.size() < 3) return polygon.size() == 1 || (polygon.size() == 2 && !(polygon[0] == polygon[1]));
  for (std::size_t i = 0; i < polygon.size(); ++i)
    for (std::size_t k = 2; k < polygon.size(); ++k)
      if (!(cross(next(polygon, i) - polygon[i], polygon[(i + k) % polygon.size()] - polygon[i]) > 0)) return false;
  return true;
}

/// Vertical slabs between all corners and crossings: in the middle of each the union is as long as on average.
Q union_area(const std::vector<Polygon>& polygons)
{
  std::vector<Side> sides;
  std::vector<Q> xs;
  for (std::size_t k = 0; k < polygons.size(); ++k)
    for (std::size_t i = 0; i < polygons[k].size() && polygons[k].size() > 2; ++i) {
      Point from = polygons[k][i], to = next(polygons[k], i);
      xs.push_back(from.x);
      if (from.x > to.x) std::swap(from, to);
      if (from.x < to.x) sides.push_back({from, to, k});
    }
  for (const Side& a : sides)
    for (const Side& b : sides) {
      const Q from = std::max(a.from.x, b.from.x), to = std::min(a.to.x, b.to.x);
      if (a.polygon >= b.polygon || from >= to) continue;
      const Q before = a.at(from) - b.at(from), after = a.at(to) - b.at(to);
      if (before * after < 0) xs.push_back(from + before / (before - after) * (to - from));
    }
  std::ranges::sort(xs);
  Q sum = 0;
  for (std::size_t i = 0; i + 1 < xs.size(); ++i) {
    const Q middle = (xs[i] + xs[i + 1]) / 2;
    if (xs[i] == xs[i + 1]) continue;
    std::vector<std::pair<Q, Q>> spans;
    for (std::size_t k = 0; k < polygons.size(); ++k) {
      std::vector<Q> ends;
      for (const Side& side : sides)
        if (side.polygon == k && side.from.x < middle && middle < side.to.x) ends.push_back(side.at(middle));
      if (!ends.empty()) spans.emplace_back(*std::ranges::min_element(ends), *std::ranges::max_element(ends));
    }
    std::ranges::sort(spans);
    std::optional<Q> top;
    for (const auto& [low, high] : spans) {
      const Q from = top ? std::max(*top, low) : low;
      if (high > from) sum += (xs[i + 1] - xs[i]) * (high - from);
      top = std::max(top.value_or(high), high);
    }
  }
  return sum;
}

Q depth_of_origin(const Polygon& polygon, bool up)
{
  if (polygon.size() < 3) return 0;
  std::optional<Q> nearest;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point side = next(polygon, i) - polygon[i];
    const Q depth = over_root(cross(polygon[i], side), dot(side, side), up);
    nearest = std::min(nearest.value_or(depth), depth);
  }
  return *nearest;
}

Q distance_of_origin(const Point& from, const Point& to, bool up)
{
  const Point side = to - from;
  const Q length = dot(side, side);
  const Q share = length > 0 ? std::clamp<Q>(-dot(from, side) / length, 0, 1) : Q(0);
  const Point foot{from.x + share * side.x, from.y + share * side.y};
  return up ? root_up(dot(foot, foot)) : root_down(dot(foot, foot));
}

Q distance_of_origin(const Polygon& polygon, bool up)
{
  bool inside = polygon.size() > 2;
  std::optional<Q> nearest;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    inside = inside && cross(polygon[i], next(polygon, i)) >= 0;
    const Q distance = distance_of_origin(polygon[i], next(polygon, i), up);
    nearest = std::min(nearest.value_or(distance), distance);
  }
  return inside ? Q(0) : nearest.value_or(0);
}

Q depth_in_hull(const std::vector<Point>& points)
{
  std::optional<Q> nearest;
  for (const Point& a : points)
    for (const Point& b : points) {
      const Point side = b - a;
      if (a == b || std::ranges::any_of(points, [&](const Point& c) { return cross(side, c - a) < 0; })) continue;
      const Q depth = over_root(cross(a, side), dot(side, side), true);
      nearest = std::min(nearest.value_or(depth), depth);
    }
  return nearest.value_or(0);
}

}  // namespace stiction::exact
