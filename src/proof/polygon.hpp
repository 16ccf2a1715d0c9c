#pragma once

// Convex polygons in the plane: exact predicates, and lengths and areas with bounds on their rounding.
#include <vector>

#include "stiction/proof/region.hpp"

namespace stiction::internal {

struct Bounds {
  double lower, upper;
};

/// +1 when a, b, c turn left, -1 right, 0 in line: exact (barring underflow).
int orientation(const Eigen::Vector2d& a, const Eigen::Vector2d& b, const Eigen::Vector2d& c);

/// Convex hull in counter-clockwise order, without corners in line; `order` receives the index of each corner in
/// `points`.
void convex_hull(const std::vector<Eigen::Vector2d>& points, Polygon& hull, std::vector<int>& order);

/// True when the corners are those of their own convex hull, once each and in its order: strictly convex, wound once.
/// Also for one point and for two different ones.
bool is_convex(const Polygon& polygon);

/// Signed area of a polygon in counter-clockwise order.
double area(const Polygon& polygon);
Bounds area_bounds(const Polygon& polygon);
/// Of a union of convex polygons.
Bounds union_area_bounds(const std::vector<Polygon>& polygons);

/// Cuts a convex polygon to the half-plane normal·c <= offset. `owner[i]` names the cut of the side from corner i to
/// the next; the new side gets `cut`. Returns false when nothing was cut off.
bool clip(Polygon& polygon, std::vector<int>& owner, const Eigen::Vector2d& normal, double offset, int cut);

/// Makes an outer polygon strictly convex: corners in line, or nearer to the next than `length`, go, and of the two
/// sides they part the longer keeps its owner.
void tidy(Polygon& polygon, std::vector<int>& owner, double length);

/// How far p is outside a convex polygon (also a segment or a point); 0 inside.
double distance_outside(const Polygon& polygon, const Eigen::Vector2d& p);

/// How far p is inside a convex polygon: the distance to its nearest side; negative or 0 outside.
double distance_inside(const Polygon& polygon, const Eigen::Vector2d& p);

/// Error of the two distances of the origin from a polygon, at most.
double distance_error(const Polygon& polygon);

}  // namespace stiction::internal
