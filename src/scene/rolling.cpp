#include "scene/rolling.hpp"

#include <cmath>

#include "base/limits.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

/// Sums of curvatures below this share of the curvatures count as zero: the surfaces fit into each other.
constexpr double kFitting = 0x1p-30;

struct Surface {
  Eigen::Matrix2d curvature = Eigen::Matrix2d::Zero();
  Eigen::Matrix2d smooth = Eigen::Matrix2d::Identity();  ///< projector onto the directions without an edge
  bool sharp = false;
};

Surface surface_of(const std::optional<SurfaceRadii>& radii, const Eigen::Matrix3d& axes, const std::string& path)
{
  Surface surface;
  if (!radii) return surface;
  Eigen::Vector2d first(1.0, 0.0);
  if (radii->along) {
    const Eigen::Vector3d& along = *radii->along;
    first = axes.rightCols<2>().transpose() * along;
    if (!along.allFinite() || !(first.norm() > kUnitRounding * along.norm()))
      throw InputError(path + ".along", "want a direction that is not the normal's, got " + text(along));
    first.normalize();
  }
  const Eigen::Vector2d second(-first.y(), first.x());
  const auto add = [&](double radius, const Eigen::Vector2d& direction) {
    if (std::isnan(radius) || (std::isfinite(radius) && !in_range(radius)))
      throw InputError(path, "want radii up to 1e50 m, or inf, got " + text(radius));
    if (radius != 0.0 && !in_range(1.0 / radius))
      throw InputError(path, "want a radius of 0 or of at least 1e-50 m, got " + text(radius));
    if (radius == 0.0) {
      surface.sharp = true;
      surface.smooth -= direction * direction.transpose();
    } else {
      surface.curvature += direction * direction.transpose() / radius;
    }
  };
  if (radii->first == 0.0 && radii->second == 0.0) {
    surface.sharp = true;
    surface.smooth.setZero();
    return surface;
  }
  add(radii->first, first);
  add(radii->second, second);
  return surface;
}

}  // namespace

ContactShape contact_shape(const std::optional<SurfaceRadii>& radius, const std::optional<SurfaceRadii>& on_radius,
                           const Eigen::Matrix3d& axes, const std::string& path)
{
  ContactShape shape;
  if (!radius && !on_radius) return shape;
  shape.given = true;
  const Surface a = surface_of(radius, axes, path + ".radius"), b = surface_of(on_radius, axes, path + ".on_radius");
  if (a.sharp && b.sharp)
    throw InputError(path + ".on_radius", "want a corner or edge (0) on one of the two bodies, got it on both");
  shape.sharp = a.sharp ? ContactShape::Sharp::kA : b.sharp ? ContactShape::Sharp::kB : ContactShape::Sharp::kNone;
  shape.curvature_a = a.curvature;
  shape.curvature_b = b.curvature;
  const Eigen::Matrix2d smooth = a.smooth * b.smooth;  // one of them is the identity
  const Eigen::Matrix2d sum = smooth * (a.curvature + b.curvature) * smooth;
  const double zero = kFitting * (a.curvature.cwiseAbs().sum() + b.curvature.cwiseAbs().sum());
  // Eigenvalues mean +- spread, with the projectors (1 +- deviator / spread) / 2.
  const double mean = 0.5 * (sum(0, 0) + sum(1, 1));
  Eigen::Matrix2d deviator = 0.5 * (sum + sum.transpose());
  deviator.diagonal().array() -= mean;
  const double spread = std::hypot(deviator(0, 0), deviator(0, 1));
  if (mean - spread < -zero)
    throw InputError(path + (on_radius ? ".on_radius" : ".radius"),
                     "want surfaces that do not cut into each other: a hollow (radius < 0) at least as wide as what "
                     "lies in it, got curvatures of " +
                         text(mean - spread) + " 1/m together");
  if (spread > 0.0) deviator /= spread;
  for (const double sign : {1.0, -1.0}) {
    const double curvature = mean + sign * spread;
    if (curvature > zero) shape.travel += 0.5 * (Eigen::Matrix2d::Identity() + sign * deviator) / curvature;
  }
  return shape;
}

}  // namespace stiction::internal
