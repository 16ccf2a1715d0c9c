// Scenes in a plane of the world: what leaves it is held, and every contact has one tangent.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "stiction/scene.hpp"

namespace stiction::internal {

/// Axes and normals may be out of the plane by so much and still be taken to lie in it: people type 1.5708 for a right
/// angle.
inline constexpr double kInPlane = 1e-5;

/// Rounding of what is in the plane in any posture, for one that nobody asked for.
inline constexpr double kInPlaneExactly = 1e-12;

/// 0, 1, 2: the plane is normal to x, y, z.
inline int normal_axis(ScenePlane plane) { return plane == ScenePlane::kYz ? 0 : plane == ScenePlane::kXz ? 1 : 2; }

enum class PlanarMotion { kInside, kAcross, kOblique };

/// Of a velocity whose linear and angular parts are in world axes. kAcross: what is left of it inside is nothing.
inline PlanarMotion motion_in(ScenePlane plane, const Eigen::Vector3d& linear, const Eigen::Vector3d& angular,
                              double tolerance = kInPlane)
{
  const int k = normal_axis(plane);
  Eigen::Vector3d inside = linear, tilt = angular;
  inside[k] = tilt[k] = 0.0;
  const double leaves = std::max(std::abs(linear[k]), tilt.lpNorm<Eigen::Infinity>());
  const double stays = std::max(inside.lpNorm<Eigen::Infinity>(), std::abs(angular[k]));
  if (leaves <= tolerance) return PlanarMotion::kInside;
  return stays <= tolerance ? PlanarMotion::kAcross : PlanarMotion::kOblique;
}

/// Right-handed (normal, t1, t2) with t1 in the plane whose normal is `across`, all in the axes of one frame. t1 points
/// along the axis of the frame that it is nearest to, whichever way that plane is seen from.
inline Eigen::Matrix3d planar_axes(const Eigen::Vector3d& normal, Eigen::Vector3d across)
{
  constexpr double kRounded = 1e-12;
  across = (across.array().abs() > kRounded).select(across, 0.0).matrix().normalized();
  Eigen::Vector3d t = across.cross(normal).normalized();
  int longest = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(t[k]) > std::abs(t[longest]) * (1.0 + kRounded)) longest = k;
  if (t[longest] < 0.0) t = -t;
  Eigen::Matrix3d axes;
  axes << normal, t, normal.cross(t);
  return axes;
}

}  // namespace stiction::internal
