#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stiction/scene.hpp"

namespace stiction {

/// A collision shape of a link, as in URDF.
struct Shape {
  enum class Kind { kBox, kSphere, kCylinder, kCapsule, kMesh } kind = Kind::kBox;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< in the link; cylinders and capsules along z
  /// Box: lengths. Sphere: radius. Cylinder, capsule: radius, length (of a capsule without its ends). Mesh: scale.
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  std::string mesh_file = {};  ///< as it is written
};

/// What was found where a link touches something.
struct DetectedContact {
  std::string name;  ///< of the contact: the link's, and "@" with what it touches unless that is the ground
  std::string link;  ///< "model/link"
  std::string with;  ///< "ground", an obstacle or "model/link"
  std::vector<double> distances;  ///< one per point, m; < 0: they overlap
};

/// A description with ordinary poses and contacts, which Scene takes.
struct ResolvedScene {
  SceneDescription scene;
  std::vector<int> sources;               ///< one per contact: index in the contacts of the original
  std::vector<DetectedContact> detected;  ///< those that were
  std::vector<Warning> warnings;          ///< contacts and poses that the shapes contradict
  std::vector<std::pair<std::string, std::string>> mesh_files;  ///< that were needed: as written, and where they are
};

/// Whether a description has ground, obstacles, or anything to be found by SceneGeometry.
bool has_geometry(const SceneDescription& description);

/// Collision shapes of a scene's robots, and what follows from them for a state: poses on the ground, contacts, and
/// what is implausible. Meshes are read when they are first needed, and count as their convex hulls except against
/// planes, which see their vertices only. Copies share what was read: one per thread.
///
/// Against a plane, a contact's points are the corners of boxes, the lowest points of spheres, of the ends of capsules
/// and of the rims of lying cylinders, eight points of the rim of a standing one, and the vertices of the face that a
/// mesh lies on, as far as they are within the distance asked for. Between other shapes they are those of Coal's
/// contact patches. At most eight are kept, corners of their convex hull: a patch never becomes larger than it is.
class SceneGeometry {
 public:
  /// Reads the URDFs. @throws InputError naming the entry.
  explicit SceneGeometry(const SceneDescription& description);
  ~SceneGeometry();
  SceneGeometry(const SceneGeometry& other);
  SceneGeometry(SceneGeometry&&) noexcept;
  SceneGeometry& operator=(const SceneGeometry&) = delete;
  SceneGeometry& operator=(SceneGeometry&&) noexcept;

  /// Whether it has the robots of a description: the same files in the same order.
  bool fits(const SceneDescription& description) const;

  /// Of a description that fits. Entries that need no geometry stay as they are.
  /// @throws InputError naming the entry.
  ResolvedScene resolve(const SceneDescription& description);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What `stiction inspect` and `stiction new` tell about a robot's geometry, with its joints where the model has them.
struct RobotSurvey {
  struct Link {
    std::string name;
    std::vector<Shape> shapes;
  };
  std::vector<Link> links;  ///< those with collision shapes
  double mass = 0.0;
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();  ///< in the root link, m
  double lowest = 0.0, highest = 0.0;                        ///< of all shapes along the root link's z, m
  std::vector<std::string> feet;       ///< links that could be feet: with no link beyond them, near the lowest point
  std::vector<std::string> unlimited;  ///< joints that move and have no effort limit
  std::vector<std::string> unread;     ///< meshes that were not found or not read, with the reason
};
RobotSurvey survey_robot(const ModelDescription& model, const std::vector<std::string>& package_paths = {});

/// Where the URDF of a model is, with package:// and robot_descriptions: looked up; empty: the model has a text.
/// @throws InputError at models.NAME.urdf
std::string urdf_file_of(const ModelDescription& model, const std::vector<std::string>& package_paths = {});

/// Where a mesh is that a URDF names; `urdf_file` is the result of urdf_file_of. @throws InputError with `path` as the
/// entry.
std::string mesh_file_of(const std::string& mesh, const std::string& urdf_file,
                         const std::vector<std::string>& package_paths = {}, const std::string& path = "mesh");

}  // namespace stiction
