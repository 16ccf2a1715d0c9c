// Coal, behind a wall: solids that are convex, what is between two of them, and mesh files.
#pragma once

#include <Eigen/Geometry>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiction/geometry.hpp"

namespace stiction::internal {

using Points = std::vector<Eigen::Vector3d>;

/// Vertices of a mesh file, scaled, and the box around them.
struct Mesh {
  Points vertices;
  Eigen::AlignedBox3d box;
};
/// @throws InputError at `path`
std::shared_ptr<const Mesh> read_mesh(const std::string& file, const Eigen::Vector3d& scale, const std::string& path);

/// A shape as Coal has it; of a mesh the convex hull.
class Solid {
 public:
  /// @param mesh of a mesh, else null. @throws InputError at `path` for a mesh without volume.
  Solid(const Shape& shape, const Mesh* mesh, const std::string& path);
  ~Solid();

  /// Where two solids are nearer than `within`.
  struct Touch {
    double distance = 0.0;   ///< m; < 0: they overlap
    Eigen::Vector3d normal;  ///< in the world, from the other into this
    Points points;           ///< of this one's surface in the world: a point, or the corners of a patch
  };
  std::optional<Touch> touch(const Eigen::Isometry3d& pose, const Solid& other, const Eigen::Isometry3d& other_pose,
                             double within) const;

  /// Between nearest points; < 0: they overlap.
  double distance(const Eigen::Isometry3d& pose, const Solid& other, const Eigen::Isometry3d& other_pose) const;
  /// Of a point; 0 inside.
  double distance(const Eigen::Isometry3d& pose, const Eigen::Vector3d& point) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  bool faceted_ = false;  ///< a mesh: curved surfaces are facets in it
};

}  // namespace stiction::internal
