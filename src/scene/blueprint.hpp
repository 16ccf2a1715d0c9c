#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "scene/rolling.hpp"
#include "scene/urdf.hpp"
#include "stiction/scene.hpp"

namespace stiction::internal {

/// A link of a model of the scene; model -1 is the world.
struct BodyRef {
  int model = -1;
  int link = -1;
  bool operator==(const BodyRef&) const = default;
};

/// Position and rate of every URDF joint (mimic joints: left at zero, they follow) and of the root link.
struct ModelState {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();  ///< root link, own axes
  Eigen::Vector3d linear_acceleration = Eigen::Vector3d::Zero(), angular_acceleration = Eigen::Vector3d::Zero();
  std::vector<std::array<double, 6>> positions, rates, accelerations;
};

struct ModelBlueprint {
  std::string name;
  std::shared_ptr<const UrdfTree> tree;
  Base base = Base::kFloating;
  ModelState state;
  struct Motor {
    int joint = -1;
    double lower = -kInfinity, upper = kInfinity;
  };
  std::vector<Motor> motors;      ///< efforts to be found
  std::vector<Motor> frictions;   ///< of joints that have some
  std::vector<int> given_motors;  ///< joints with a motor whose effort is given or none, and without friction
  std::vector<std::pair<int, double>> given_efforts;  ///< joint, N m or N
};

struct LoadBlueprint {
  BodyRef body;
  Eigen::Vector3d force, torque, at;
  bool in_world = true;  ///< axes of force and torque: world, else link
};

/// One contact point.
struct ContactBlueprint {
  std::string name;
  BodyRef link, on;
  Eigen::Vector3d point;
  ContactFrame at_frame;
  Eigen::Matrix3d axes;  ///< columns normal, t1, t2 in normal_frame
  ContactFrame normal_frame;
  double mu, torsion, max_normal;
  Side side;
  ContactShape shape;
  ContactOrigin origin;
};

struct LoopBlueprint {
  std::string name;
  BodyRef link, on;
  Eigen::Vector3d at;
  LoopDescription::Kind kind;
  Eigen::Matrix3d axes;  ///< kGuide: columns normal, t1, t2 in the link frame
};

/// A description with every entry checked and every name resolved; needs no kinematics.
struct Blueprint {
  Eigen::Vector3d gravity;
  ScenePlane plane = ScenePlane::kNone;
  std::vector<ModelBlueprint> models;
  std::vector<LoadBlueprint> loads;
  std::vector<ContactBlueprint> contacts;
  std::vector<LoopBlueprint> loops;
  std::vector<Warning> warnings;
  std::vector<Warning> load_warnings;  ///< among them
};

/// URDFs that `known` has are not read again. @throws InputError naming the entry.
Blueprint make_blueprint(const SceneDescription& description, const std::vector<ModelBlueprint>& known);

/// A load on a link of the models. @throws InputError below `path`.
LoadBlueprint read_load(const LoadDescription& load, const std::string& path,
                        const std::vector<ModelBlueprint>& models);

/// "world" or "model/link". @throws InputError with `path` as the entry.
BodyRef find_body(const std::string& body, const std::string& path, const std::vector<ModelBlueprint>& models);

/// The state part of a model's description.
ModelState read_state(const ModelDescription& model, const UrdfTree& tree);

/// Its given efforts: joint, N m or N.
std::vector<std::pair<int, double>> read_given_efforts(const ModelDescription& model, const UrdfTree& tree);

/// What is allowed but looks wrong: in the URDF, joints outside their limits, efforts beyond or without limits.
void add_warnings(const ModelDescription& model, const UrdfTree& tree, std::vector<Warning>& warnings);

/// Right-handed axes (normal, t1, t2). t1 is the x axis (the y axis for normals near x) projected onto the tangent
/// plane, so that the normal z gives (z, x, y).
Eigen::Matrix3d contact_axes(const Eigen::Vector3d& normal);

/// The same as (t1, t2, normal): x and y in a plane, z out of it. Pinocchio's planar joint moves in x and y and turns
/// about z; URDF's moves in the plane normal to its axis.
Eigen::Matrix3d plane_axes(const Eigen::Vector3d& normal);

}  // namespace stiction::internal
