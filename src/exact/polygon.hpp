#pragma once

// Convex polygons with rational corners.
#include "exact/rational.hpp"

namespace stiction::exact {

struct Point {
  Q x, y;

  Point operator-(const Point& other) const { return {x - other.x, y - other.y}; }
  bool operator==(const Point&) const = default;
};
using Polygon = std::vector<Point>;

inline Q cross(const Point& a, const Point& b) { return a.x * b.y - a.y * b.x; }
inline Q dot(const Point& a, const Point& b) { return a.x * b.x + a.y * b.y; }

/// The corners are those of their own convex hull, in its order.
bool is_strictly_convex(const Polygon& polygon);

Q union_area(const std::vector<Polygon>& polygons);

/// How far the origin is inside: distance to the nearest side, negative or 0 outside. Rounded towards zero, or away
/// from it.
Q depth_of_origin(const Polygon& polygon, bool up);
/// How far the origin is outside; 0 inside.
Q distance_of_origin(const Polygon& polygon, bool up);
/// Of the origin from a segment.
Q distance_of_origin(const Point& from, const Point& to, bool up);
/// How far the origin is inside the convex hull of these points, rounded up.
Q depth_in_hull(const std::vector<Point>& points);

}  // namespace stiction::exact
