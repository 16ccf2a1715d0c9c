#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "stiction/scene.hpp"

namespace stiction::internal {

/// Indices are int or Eigen::Index here, so that -1 can say "none"; containers want them unsigned.
inline std::size_t idx(Eigen::Index i) { return static_cast<std::size_t>(i); }

enum class JointType { kRevolute, kContinuous, kPrismatic, kPlanar, kFloating, kFixed };

/// Degrees of freedom of a joint type: 0, 1, 3 or 6.
int freedoms(JointType type);
const char* name_of(JointType type);

struct UrdfLink {
  std::string name;
  int line = 0;
  double mass = 0.0;                                  ///< kg; 0 without an <inertial>
  Eigen::Vector3d com = Eigen::Vector3d::Zero();      ///< in the link frame, m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre of mass, in link axes, kg m^2
  int parent_joint = -1;                              ///< -1: root
  std::vector<int> child_joints;                      ///< sorted by joint name, as Pinocchio orders them
};

struct UrdfJoint {
  std::string name;
  JointType type = JointType::kFixed;
  int line = 0;
  int parent = -1, child = -1;                               ///< links
  Eigen::Isometry3d origin = Eigen::Isometry3d::Identity();  ///< joint frame in the parent link
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();           ///< unit; plane normal of a planar joint; joint frame
  bool limited = false;                                      ///< has a <limit>
  double lower = -kInfinity, upper = kInfinity;              ///< rad or m
  double effort = kInfinity, velocity = kInfinity;
  double friction = 0.0;                  ///< of <dynamics>, N m or N
  int mimics = -1;                        ///< joint that drives this one, itself no mimic
  double multiplier = 1.0, offset = 0.0;  ///< position = multiplier * position of `mimics` + offset
};

/// What a URDF was read from: a file that may be looked up in packages, or a text.
struct UrdfSource {
  std::string file, text;
  std::vector<std::string> package_paths;
  bool operator==(const UrdfSource&) const = default;
};

/// A URDF as a checked tree: names unique, every link reached from the root exactly once, numbers finite, axes unit,
/// limits ordered, mimic chains resolved to their first joint.
struct UrdfTree {
  UrdfSource source;
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  int root = -1;

  int find_link(const std::string& link) const;    ///< -1: none
  int find_joint(const std::string& joint) const;  ///< -1: none
};

/// @param path entry that error messages start with. @throws InputError
UrdfTree parse_urdf(const std::string& text, const std::string& path);

/// Reads a URDF file. `package://name/rest` is looked up in ROS_PACKAGE_PATH, AMENT_PREFIX_PATH/share and
/// `package_paths`, in this order. @throws InputError with `path` as the entry.
std::string read_urdf_file(const std::string& file, const std::vector<std::string>& package_paths,
                           const std::string& path);
/// Where that is.
std::string locate_urdf_file(const std::string& file, const std::vector<std::string>& package_paths,
                             const std::string& path);

/// Something about masses or limits that no real mechanism has.
struct Finding {
  std::string what;       ///< "link 'foot', mass: want >= 0, got -1"
  bool unusable = false;  ///< true: no contact problem can be made of it
  Warning::Kind kind = Warning::Kind::kUrdf;
};
std::vector<Finding> physical_findings(const UrdfTree& tree);

Eigen::Isometry3d isometry(const Eigen::Vector3d& xyz, const Eigen::Vector3d& rpy);

}  // namespace stiction::internal
