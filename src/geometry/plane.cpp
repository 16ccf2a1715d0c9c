#include "geometry/plane.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/settle.hpp"
#include "scene/blueprint.hpp"

namespace stiction::internal {
namespace {

using Eigen::Vector3d;
using Kind = Shape::Kind;

constexpr int kPrismSides = 64;

/// Unit, perpendicular to the axis, as far down as that goes; any where all are level.
Vector3d down_across(const Vector3d& axis, const Vector3d& normal)
{
  const Vector3d down = axis * axis.dot(normal) - normal;
  constexpr double kLevel = 1e-12;
  return down.norm() > kLevel ? Vector3d(down.normalized()) : Vector3d(contact_axes(axis).col(1));
}

Vector3d box_corner(const PlacedShape& placed, int i)
{
  const Vector3d half = 0.5 * placed.shape.size;
  return placed.pose *
         Vector3d(i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(), i & 4 ? half.z() : -half.z());
}

/// Of the end of a cylinder or capsule at +z or -z.
Vector3d end_center(const PlacedShape& placed, double side)
{
  return placed.pose * Vector3d(0.0, 0.0, side * 0.5 * placed.shape.size[1]);
}

void add_cylinder_contacts(const PlacedShape& placed, const Plane& plane, double within,
                           std::vector<PlanePoint>& points)
{
  const Vector3d axis = placed.pose.linear().col(2), down = down_across(axis, plane.normal);
  const auto add = [&](const Vector3d& point) {
    if (const double distance = plane.height(point); distance <= within) points.push_back({point, distance});
  };
  const double radius = placed.shape.size[0], upright = axis.dot(plane.normal);
  if (std::abs(upright) < std::numbers::sqrt2 / 2.0) {  // it lies: the ends of its lowest line
    for (const double side : {-1.0, 1.0}) add(end_center(placed, side) + radius * down);
    return;
  }
  const Vector3d center = end_center(placed, upright > 0.0 ? -1.0 : 1.0), across = axis.cross(down);
  for (std::size_t k = 0; k < kMostPatchPoints; ++k) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(kMostPatchPoints);
    add(center + radius * (std::cos(angle) * down + std::sin(angle) * across));
  }
}

/// The face that it lies on: the plane is tilted, by at most kLying, until it touches three vertices of those in reach.
void add_mesh_contacts(const PlacedShape& placed, const Plane& plane, double within, std::vector<PlanePoint>& points)
{
  if (bound_of_lowest(placed, plane) > within) return;
  std::vector<Corner> near;
  std::vector<PlanePoint> reach;
  for (const Vector3d& vertex : placed.mesh->vertices) {
    const Vector3d point = placed.pose * vertex;
    if (const double distance = plane.height(point); distance <= within) {
      near.push_back({point, 0.0});
      reach.push_back({point, distance});
    }
  }
  if (near.empty()) return;
  Vector3d middle = Vector3d::Zero();
  const std::vector<PlanePoint> hull = reduced_patch(reach, plane.normal);
  for (const PlanePoint& corner : hull) middle += corner.point / static_cast<double>(hull.size());
  const Settled lying = settle(near, middle, plane, -plane.normal, kLying);
  const Eigen::Matrix3d turn = lying.settled ? lying.rotation : Eigen::Matrix3d::Identity();
  double low = kInfinity;
  for (const Corner& corner : near) low = std::min(low, plane.normal.dot(turn * corner.center));
  for (std::size_t i = 0; i < near.size(); ++i) {
    const double bump = std::max(kFlatFace, kFlatShare * (near[i].center - middle).norm());
    if (plane.normal.dot(turn * near[i].center) <= low + std::min(within, bump)) points.push_back(reach[i]);
  }
}

}  // namespace

void add_corners(const PlacedShape& placed, std::vector<Corner>& corners)
{
  const double radius = placed.shape.size[0];
  switch (placed.shape.kind) {
    case Kind::kBox:
      for (int i = 0; i < 8; ++i) corners.push_back({box_corner(placed, i)});
      break;
    case Kind::kSphere:
      corners.push_back({placed.pose.translation(), radius});
      break;
    case Kind::kCapsule:
      for (const double side : {-1.0, 1.0}) corners.push_back({end_center(placed, side), radius});
      break;
    case Kind::kCylinder:
      for (const double side : {-1.0, 1.0})
        for (int k = 0; k < kPrismSides; ++k) {
          const double angle = 2.0 * std::numbers::pi * k / kPrismSides;
          corners.push_back({end_center(placed, side) +
                             placed.pose.linear() * Vector3d(radius * std::cos(angle), radius * std::sin(angle), 0.0)});
        }
      break;
    case Kind::kMesh:
      for (const Vector3d& vertex : placed.mesh->vertices) corners.push_back({placed.pose * vertex});
      break;
  }
}

double lowest(const PlacedShape& placed, const Plane& plane)
{
  const double radius = placed.shape.size[0];
  double low = kInfinity;
  switch (placed.shape.kind) {
    case Kind::kBox:
      for (int i = 0; i < 8; ++i) low = std::min(low, plane.height(box_corner(placed, i)));
      break;
    case Kind::kSphere:
      low = plane.height(placed.pose.translation()) - radius;
      break;
    case Kind::kCapsule:
      for (const double side : {-1.0, 1.0}) low = std::min(low, plane.height(end_center(placed, side)) - radius);
      break;
    case Kind::kCylinder: {
      const Vector3d down = radius * down_across(placed.pose.linear().col(2), plane.normal);
      for (const double side : {-1.0, 1.0}) low = std::min(low, plane.height(end_center(placed, side) + down));
      break;
    }
    case Kind::kMesh:
      for (const Vector3d& vertex : placed.mesh->vertices) low = std::min(low, plane.height(placed.pose * vertex));
      break;
  }
  return low;
}

double bound_of_lowest(const PlacedShape& placed, const Plane& plane)
{
  if (!placed.mesh) return lowest(placed, plane);
  const Eigen::AlignedBox3d& box = placed.mesh->box;
  const Vector3d turned = placed.pose.linear().transpose() * plane.normal;
  return plane.height(placed.pose * box.center()) - 0.5 * turned.cwiseAbs().dot(box.sizes());
}

void add_plane_contacts(const PlacedShape& placed, const Plane& plane, double within, std::vector<PlanePoint>& points)
{
  const auto add = [&](const Vector3d& point) {
    if (const double distance = plane.height(point); distance <= within) points.push_back({point, distance});
  };
  const Vector3d down = -placed.shape.size[0] * plane.normal;
  switch (placed.shape.kind) {
    case Kind::kBox:
      // Of a box inside the ground only the lower half: an upper face touches nothing.
      for (int i = 0; i < 8; ++i)
        if (const Vector3d corner = box_corner(placed, i);
            plane.height(corner) <= plane.height(placed.pose.translation()))
          add(corner);
      break;
    case Kind::kSphere:
      add(placed.pose.translation() + down);
      break;
    case Kind::kCapsule:
      for (const double side : {-1.0, 1.0}) add(end_center(placed, side) + down);
      break;
    case Kind::kCylinder:
      add_cylinder_contacts(placed, plane, within, points);
      break;
    case Kind::kMesh:
      add_mesh_contacts(placed, plane, within, points);
      break;
  }
}

std::vector<PlanePoint> reduced_patch(std::vector<PlanePoint> points, const Vector3d& normal)
{
  const Eigen::Matrix3d axes = plane_axes(normal);
  const std::vector<int> hull = convex_hull(points, [&](const PlanePoint& p) -> Eigen::Vector2d {
    return {axes.col(0).dot(p.point), axes.col(1).dot(p.point)};
  });
  std::vector<PlanePoint> corners;
  for (const int i : hull) corners.push_back(points[idx(i)]);
  const auto area = [&](std::size_t i) {  // that is lost without corner i
    const std::size_t n = corners.size();
    const Vector3d a = corners[(i + n - 1) % n].point, b = corners[i].point, c = corners[(i + 1) % n].point;
    return std::abs(normal.dot((b - a).cross(c - a)));
  };
  while (corners.size() > kMostPatchPoints) {
    std::size_t least = 0;
    for (std::size_t i = 1; i < corners.size(); ++i)
      if (area(i) < area(least)) least = i;
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(least));
  }
  return corners;
}

}  // namespace stiction::internal
