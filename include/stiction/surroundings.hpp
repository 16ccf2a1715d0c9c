// What stands around the robots, and what of a scene is left to geometry: plain data. `SceneGeometry` (geometry.hpp)
// turns it into ordinary poses and contacts.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

namespace stiction {

/// Position and orientation in the parent frame; rpy = fixed-axis roll, pitch, yaw in radians, as in URDF.
struct Pose {
  Eigen::Vector3d xyz = Eigen::Vector3d::Zero();
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();
  bool operator==(const Pose&) const = default;
};

/// A plane of the world that everything stands on: solid below, along -normal. A slope tilts it, not gravity.
struct Ground {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< unit
  std::optional<double> mu = {};                      ///< of detected contacts that say none
  bool operator==(const Ground&) const = default;
};

/// Something else that stands still.
struct Obstacle {
  enum class Kind { kBox, kPlane, kMesh };  ///< a plane is solid below the z axis of its pose
  std::string name;
  Kind kind = Kind::kBox;
  Eigen::Vector3d size = Eigen::Vector3d::Ones();  ///< lengths of a box, m; scale of a mesh
  std::string mesh_file = {};                      ///< as of a URDF: a file or package://
  Pose pose = {};                                  ///< in the world
  std::optional<double> mu = {};
  bool operator==(const Obstacle&) const = default;
};

/// A model's root link is moved along the ground's normal until something touches. Its pose is then one in the ground's
/// frame: z is the normal, x the world's x axis (y for normals near x) projected onto the ground, the origin its point;
/// the pose's own z does not count.
struct Placing {
  std::vector<std::string> feet = {};  ///< links that may touch; empty: all
  bool settle = false;                 ///< also tipped, as if joints were locked, until it stands on three points
  bool operator==(const Placing&) const = default;
};

/// Contacts that are found where collision shapes meet.
struct Detect {
  std::vector<std::string> links = {};  ///< "model/link"; empty: all
  std::string with = {};                ///< "ground", an obstacle, a model or "model/link"; empty: whatever it touches
  double within = 0.002;                ///< distance that counts as touching, m
  bool mu_of_surface = false;           ///< friction is that of the ground or obstacle
  bool operator==(const Detect&) const = default;
};

}  // namespace stiction
