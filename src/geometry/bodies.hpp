// The robots of a scene as bodies with collision shapes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "geometry/kinematics.hpp"
#include "geometry/plane.hpp"

namespace stiction::internal {

/// A URDF with its collision shapes.
struct RobotShapes {
  std::shared_ptr<const UrdfTree> tree;
  std::vector<std::vector<Shape>> shapes;  ///< by link
  std::string place;                       ///< the URDF file as it was found; empty: a text
};
/// @throws InputError at models.NAME.urdf
RobotShapes read_robot(const ModelDescription& model, const std::vector<std::string>& package_paths);

/// Mesh files and convex solids, read once. Copies share them.
class MeshStore {
 public:
  explicit MeshStore(std::vector<std::string> package_paths) : package_paths_(std::move(package_paths)) {}

  /// Null for what is no mesh. @param urdf that names it are relative to. @throws InputError at `path`
  const Mesh* mesh(const Shape& shape, const std::string& urdf, const std::string& path);
  const Solid& solid(const Shape& shape, const std::string& urdf, const std::string& path);

  /// Mesh files that were asked for since then: as written, and where they are.
  void forget_use() { used_.clear(); }
  std::vector<std::pair<std::string, std::string>> files() const { return {used_.begin(), used_.end()}; }

 private:
  struct Key {
    Shape::Kind kind;
    std::string file, urdf;
    std::vector<double> numbers;
    auto operator<=>(const Key&) const = default;
  };
  static Key key_of(const Shape& shape, const std::string& urdf);

  std::vector<std::string> package_paths_;
  std::map<Key, std::pair<std::string, std::shared_ptr<const Mesh>>> meshes_;
  std::map<Key, std::shared_ptr<const Solid>> solids_;
  std::map<std::string, std::string> used_;
};

/// A robot in a posture.
struct Posture {
  std::string name;
  const RobotShapes* robot = nullptr;
  bool fixed = false;
  std::vector<Eigen::Isometry3d> in_root;  ///< frames of links
  Eigen::Isometry3d root = Eigen::Isometry3d::Identity();

  Eigen::Isometry3d link_pose(std::size_t link) const { return root * in_root[link]; }
  std::string link_name(std::size_t link) const { return robot->tree->links[link].name; }
  std::string path() const { return "models." + name; }
  /// The first link of the rigid body that a link is part of.
  int carrier(std::size_t link) const;
  /// Whether it can move at all.
  bool moves(std::size_t link) const { return !fixed || carrier(link) != robot->tree->root; }
};

/// As it is described. `robot` has to stay.
Posture posture_of(const ModelDescription& model, const RobotShapes& robot);

/// Lowest point of a link's shapes above a plane; infinite where it has none. @throws InputError for missing meshes
double lowest_of(const Posture& posture, std::size_t link, const Plane& plane, MeshStore& meshes);

/// Lets a posture's root down, or up, onto the ground (Placing says how). @throws InputError at models.NAME.pose
void place_on_ground(const Placing& placing, const Pose& pose, const Plane& ground, const Eigen::Vector3d& gravity,
                     Posture& posture, MeshStore& meshes);

}  // namespace stiction::internal
