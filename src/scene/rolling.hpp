// How the point of contact of two curved surfaces travels while they roll and slide on each other (Montana's contact
// kinematics); docs/proofs/scene.md has the derivation.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>

#include "stiction/scene.hpp"

namespace stiction::internal {

/// Surfaces of the bodies A and B of a contact near the point where they touch, in its tangents (t1, t2).
struct ContactShape {
  enum class Sharp { kNone, kA, kB };  ///< the body that touches with a corner or an edge

  bool given = false;  ///< else nothing is known: the point of contact stays with its body
  Sharp sharp = Sharp::kNone;
  Eigen::Matrix2d curvature_a = Eigen::Matrix2d::Zero(), curvature_b = Eigen::Matrix2d::Zero();  ///< 1/m, convex > 0
  /// (curvature_a + curvature_b)^-1 along the directions in which the point can travel, m; zero along the others:
  /// those of an edge or corner, and those along which the surfaces fit into each other.
  Eigen::Matrix2d travel = Eigen::Matrix2d::Zero();

  /// Velocity of the point of contact relative to a point that stays with A (`with_a`) or with B.
  /// `tilt` is n x (omega_A - omega_B), `slip` the velocity of A relative to B there.
  Eigen::Vector2d travel_rate(const Eigen::Vector2d& tilt, const Eigen::Vector2d& slip, bool with_a) const
  {
    const Eigen::Vector2d turned_by_slip =
        with_a ? Eigen::Vector2d(curvature_b * slip) : Eigen::Vector2d(-(curvature_a * slip));
    return -(travel * (tilt + turned_by_slip));
  }
};

/// `axes`: columns normal, t1, t2. @throws InputError below `path`, the contact's entry.
ContactShape contact_shape(const std::optional<SurfaceRadii>& radius, const std::optional<SurfaceRadii>& on_radius,
                           const Eigen::Matrix3d& axes, const std::string& path);

}  // namespace stiction::internal
