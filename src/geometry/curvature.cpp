#include "geometry/curvature.hpp"

#include <cmath>

namespace stiction::internal {
namespace {

/// Angle, rad, within which a normal is along or across an axis: what a robot that stands may be off by.
constexpr double kAligned = 1e-4;

bool same(const SurfaceRadii& a, const SurfaceRadii& b)
{
  if (a.first != b.first || a.second != b.second || a.along.has_value() != b.along.has_value()) return false;
  return !a.along || a.along->normalized().cross(b.along->normalized()).norm() <= kAligned;
}

}  // namespace

bool flat(const SurfaceRadii& radii) { return radii.first == kInfinity && radii.second == kInfinity; }

std::optional<SurfaceRadii> radii_of(const Shape& shape, const Eigen::Isometry3d& pose, const Eigen::Vector3d& normal)
{
  const double radius = shape.size[0];
  const Eigen::Vector3d axis = pose.linear().col(2);
  const bool along = axis.cross(normal).norm() <= kAligned, across = std::abs(axis.dot(normal)) <= kAligned;
  switch (shape.kind) {
    case Shape::Kind::kBox:
      for (int i = 0; i < 3; ++i)
        if (pose.linear().col(i).cross(normal).norm() <= kAligned) return SurfaceRadii{};
      return std::nullopt;
    case Shape::Kind::kSphere:
      return SurfaceRadii{radius, radius, {}};
    case Shape::Kind::kCapsule:
      return across ? SurfaceRadii{kInfinity, radius, axis} : SurfaceRadii{radius, radius, {}};
    case Shape::Kind::kCylinder:
      if (along) return SurfaceRadii{};
      return across ? std::optional(SurfaceRadii{kInfinity, radius, axis}) : std::nullopt;
    case Shape::Kind::kMesh:
      break;
  }
  return std::nullopt;
}

std::optional<CurvedPair> curved(const std::optional<SurfaceRadii>& one, const std::optional<SurfaceRadii>& other)
{
  if (!one || !other || (flat(*one) && flat(*other))) return std::nullopt;
  return CurvedPair{*one, *other};
}

std::optional<CurvedPair> common(const std::optional<CurvedPair>& a, const std::optional<CurvedPair>& b)
{
  return a && b && same(a->first, b->first) && same(a->second, b->second) ? a : std::nullopt;
}

}  // namespace stiction::internal
