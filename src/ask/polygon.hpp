#pragma once

#include <vector>

#include "stiction/region.hpp"

namespace stiction::internal {

/// Signed area of a polygon in counter-clockwise order.
double area(const Polygon& polygon);

/// Convex hull in counter-clockwise order; `order` receives the index of each corner in `points`.
void convex_hull(const std::vector<Eigen::Vector2d>& points, Polygon& hull, std::vector<int>& order);

/// Cuts a convex polygon to the half-plane normal·c <= offset. `owner[i]` names the cut of the side from corner i to the next;
/// the new side gets `cut`. Returns false when nothing was cut off.
bool clip(Polygon& polygon, std::vector<int>& owner, const Eigen::Vector2d& normal, double offset, int cut);

/// How far p is outside a convex polygon (also a segment or a point); 0 inside.
double distance_outside(const Polygon& polygon, const Eigen::Vector2d& p);

/// How far p is inside a convex polygon: the distance to its nearest side; negative or 0 outside.
double distance_inside(const Polygon& polygon, const Eigen::Vector2d& p);

}  // namespace stiction::internal
