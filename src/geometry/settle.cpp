#include "geometry/settle.hpp"

#include <cmath>
#include <numbers>
#include <optional>

#include "scene/blueprint.hpp"

namespace stiction::internal {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kOnGround = 1e-7;  // of the extent: STL files have single precision
constexpr int kMostTips = 1000;

/// What a body stands on, seen along the normal, and the nearest part of it to where the centre's weight goes.
struct Support {
  bool stands = false;     ///< the weight goes through the inside
  int pivot = -1;          ///< corner that it tips over
  int other = -1;          ///< of an edge that it tips over, else -1
  Vector2d out{0.0, 0.0};  ///< from there towards the weight
};

Support support_of(const std::vector<int>& hull, const std::vector<Vector2d>& places, const Vector2d& weight,
                   double rounding)
{
  const auto at = [&](std::size_t k) -> const Vector2d& { return places[idx(hull[k % hull.size()])]; };
  Support support;
  bool inside = hull.size() >= 3;
  double nearest = kInfinity;
  for (std::size_t k = 0; k < hull.size(); ++k) {
    const Vector2d a = at(k), edge = at(k + 1) - a;
    const double length = edge.norm();
    if (hull.size() >= 3) inside &= edge.x() * (weight - a).y() - edge.y() * (weight - a).x() >= -rounding * length;
    const double along = length > 0.0 ? std::clamp(edge.dot(weight - a) / length, 0.0, length) : 0.0;
    const Vector2d point = length > 0.0 ? Vector2d(a + along / length * edge) : a;
    if (const double distance = (weight - point).norm(); distance < nearest) {
      nearest = distance;
      const bool at_start = along <= rounding, at_end = along >= length - rounding;
      support.pivot = at_end && !at_start ? hull[(k + 1) % hull.size()] : hull[k];
      support.other = at_start || at_end || length == 0.0 ? -1 : hull[(k + 1) % hull.size()];
      support.out = weight - point;
    }
  }
  support.stands = inside;
  return support;
}

/// The least angle at which another corner comes down to the plane that `pivot` is on, turned about an axis through it.
std::optional<double> next_touch(const std::vector<Corner>& corners, const Support& support, const Vector3d& axis,
                                 const Vector3d& normal)
{
  constexpr double kNoTurn = 1e-9;
  const Corner& pivot = corners[idx(support.pivot)];
  double least = kInfinity;
  for (std::size_t j = 0; j < corners.size(); ++j) {
    if (static_cast<int>(j) == support.pivot || static_cast<int>(j) == support.other) continue;
    const Vector3d arm = corners[j].center - pivot.center;
    // height(θ) = A cos θ + B sin θ + C
    const double C = normal.dot(axis) * axis.dot(arm), A = normal.dot(arm) - C, B = normal.dot(axis.cross(arm));
    const double level = corners[j].radius - pivot.radius - C, reach = std::hypot(A, B);
    if (reach <= std::abs(level) || reach == 0.0) continue;
    // From above: the root where the height falls.
    double angle = std::atan2(B, A) + std::acos(level / reach);
    if (angle <= kNoTurn) angle += 2.0 * std::numbers::pi;
    if (angle > 2.0 * std::numbers::pi) angle -= 2.0 * std::numbers::pi;
    if (angle > kNoTurn) least = std::min(least, angle);
  }
  return least <= std::numbers::pi ? std::optional(least) : std::nullopt;
}

}  // namespace

Settled settle(std::vector<Corner> corners, Vector3d center, const Plane& plane, const Vector3d& down, double most)
{
  Settled result;
  const Vector3d& normal = plane.normal;
  const double fall = normal.dot(down);
  if (corners.empty() || !(fall < 0.0)) return result;
  const Eigen::Matrix3d axes = plane_axes(normal);
  double extent = 0.0;
  for (const Corner& corner : corners) extent = std::max(extent, (corner.center - center).norm() + corner.radius);
  const double rounding = kOnGround * extent;
  const auto seen = [&](const Vector3d& p) -> Vector2d { return {axes.col(0).dot(p), axes.col(1).dot(p)}; };

  double turned = 0.0;
  for (int tips = 0; tips < kMostTips; ++tips) {
    double low = kInfinity;
    for (const Corner& corner : corners) low = std::min(low, plane.height(corner.center) - corner.radius);
    std::vector<int> touching;
    std::vector<Vector2d> places(corners.size());
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (plane.height(corners[i].center) - corners[i].radius > low + rounding) continue;
      touching.push_back(static_cast<int>(i));
      places[i] = seen(corners[i].center);
    }
    std::vector<int> hull;
    for (const int k : convex_hull(touching, [&](int i) { return places[idx(i)]; })) hull.push_back(touching[idx(k)]);
    const Vector2d weight = seen(center - (plane.height(center) - low) / fall * down);
    const Support support = support_of(hull, places, weight, rounding);
    if (support.stands) {
      result.settled = true;
      return result;
    }
    Vector3d axis = support.out.norm() > rounding
                        ? Vector3d(normal.cross(axes.leftCols<2>() * support.out).normalized())
                        : Vector3d(axes.col(1));  // balanced on a point: any way
    if (support.other >= 0) {
      const Vector3d edge = (corners[idx(support.other)].center - corners[idx(support.pivot)].center).normalized();
      const bool balanced = support.out.norm() <= rounding;
      axis = balanced || edge.dot(axis) > 0.0 ? edge : Vector3d(-edge);
    }
    const std::optional<double> angle = next_touch(corners, support, axis, normal);
    if (!angle || (turned += *angle) > most) return result;
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(*angle, axis).toRotationMatrix();
    const Vector3d pivot = corners[idx(support.pivot)].center;
    for (Corner& corner : corners) corner.center = pivot + turn * (corner.center - pivot);
    center = pivot + turn * (center - pivot);
    result.rotation = turn * result.rotation;
  }
  return result;
}

}  // namespace stiction::internal
