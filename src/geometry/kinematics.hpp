#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "scene/blueprint.hpp"

namespace stiction::internal {

/// Frames of all links in the root link's frame.
std::vector<Eigen::Isometry3d> link_poses(const UrdfTree& tree, const ModelState& state);

/// Mass, and centre of mass in the root link's frame (zero where there is no mass).
struct MassPoint {
  double mass = 0.0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
};
MassPoint mass_point(const UrdfTree& tree, const std::vector<Eigen::Isometry3d>& poses);

/// Fixed-axis angles of a rotation, as isometry() takes them.
Eigen::Vector3d rpy_of(const Eigen::Matrix3d& rotation);

}  // namespace stiction::internal
