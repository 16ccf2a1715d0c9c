#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>
#include <vector>

#include "geometry/plane.hpp"

namespace stiction::internal {

/// Indices of the corners of the convex hull of points, counter-clockwise from the one with the least x; points nearer
/// than rounding to an edge, or to another corner, are none.
/// @param project gives the two coordinates.
template <class Point, class Project>
std::vector<int> convex_hull(const std::vector<Point>& points, Project project)
{
  constexpr double kFlat = 1e-9;  // of the extent
  std::vector<Eigen::Vector2d> p;
  double extent = 0.0;
  for (const Point& point : points) {
    p.push_back(project(point));
    extent = std::max(extent, (p.back() - p.front()).lpNorm<Eigen::Infinity>());
  }
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](int i) -> const Eigen::Vector2d& { return p[static_cast<std::size_t>(i)]; };
  std::ranges::sort(order, [&](int i, int j) {
    return at(i).x() != at(j).x() ? at(i).x() < at(j).x() : at(i).y() != at(j).y() ? at(i).y() < at(j).y() : i < j;
  });
  const auto redundant = [&](int a, int b, int c) {  // b between a and c, or right of their line
    const Eigen::Vector2d ab = at(b) - at(a), ac = at(c) - at(a);
    return ab.norm() <= kFlat * extent || ab.x() * ac.y() - ab.y() * ac.x() <= kFlat * extent * ac.norm();
  };
  std::vector<int> hull;
  const auto add_chain = [&](auto first, auto last) {
    const std::size_t start = hull.size();
    for (auto it = first; it != last; ++it) {
      while (hull.size() >= start + 2 && redundant(hull[hull.size() - 2], hull.back(), *it)) hull.pop_back();
      hull.push_back(*it);
    }
    hull.pop_back();  // begins the other chain
  };
  if (points.size() < 2) return order;
  add_chain(order.begin(), order.end());
  add_chain(order.rbegin(), order.rend());
  if (hull.size() == 2 && (at(hull[0]) - at(hull[1])).norm() <= kFlat * std::max(extent, 1.0)) hull.pop_back();
  return hull;
}

/// How a rigid body turns until it stands.
struct Settled {
  bool settled = false;  ///< false: it never stands, or not after at most that much turning
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
};

/// Tips a body, the hull of its corners, over the corner or edge that it stands on, towards where its centre of mass
/// falls, until what it stands on has the centre's foot along `down` inside: exact, but for corners of cylinders. It
/// never slides.
/// @param most turning allowed, rad.
Settled settle(std::vector<Corner> corners, Eigen::Vector3d center, const Plane& plane, const Eigen::Vector3d& down,
               double most);

}  // namespace stiction::internal
