// How surfaces are curved where shapes touch.
#pragma once

#include <optional>
#include <utility>

#include "stiction/geometry.hpp"

namespace stiction::internal {

/// Principal radii of a shape's surface where something touches it along `normal` (in the world, into the shape or out
/// of it); `along` is then in the world too. None where that is not known: at edges and corners, and of meshes.
std::optional<SurfaceRadii> radii_of(const Shape& shape, const Eigen::Isometry3d& pose, const Eigen::Vector3d& normal);

bool flat(const SurfaceRadii& radii);

/// Of `link` and of what it touches.
using CurvedPair = std::pair<SurfaceRadii, SurfaceRadii>;

/// None unless both are known and one of them is curved: flat faces on each other touch with their corners.
std::optional<CurvedPair> curved(const std::optional<SurfaceRadii>& one, const std::optional<SurfaceRadii>& other);

/// Of a patch that consists of two: what both have, or none.
std::optional<CurvedPair> common(const std::optional<CurvedPair>& a, const std::optional<CurvedPair>& b);

}  // namespace stiction::internal
