#pragma once

// What never changes about a scene, made once from its blueprint. Includes Pinocchio: for core, plane and scene*.cpp.
#include <pinocchio/multibody/model.hpp>

#include <string>
#include <utility>
#include <vector>

#include "scene/articulation.hpp"
#include "scene/blueprint.hpp"
#include "scene/coordinates.hpp"
#include "scene/plane.hpp"
#include "stiction/scene.hpp"

namespace stiction::internal {

/// Pose of a model's root link in the world. Everything is computed in root frames: one pose never meets the other
/// ones, except in `carried`, as a difference.
struct Root {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d t = Eigen::Vector3d::Zero();
};

/// A point of one root frame, in another one.
inline Sized carried(const Sized& p, const Root& from, const Root& to)
{
  const Eigen::Vector3d between = from.t - to.t;
  const Sized there = shifted(turned(from.R, p, kJointRounding), between, between.cwiseAbs(), kJointRounding);
  return turned(to.R.transpose(), there, kJointRounding);
}

inline SizedAxes carried(const SizedAxes& axes, const Root& from, const Root& to)
{
  return turned(Eigen::Matrix3d(to.R.transpose() * from.R), axes, kJointRounding);
}

/// A link as part of a joint's body.
struct Placed {
  int root = 0;                                           ///< 0 the world, m + 1 model m
  int joint = 0;                                          ///< 0: the root frame itself
  pinocchio::SE3 placement = pinocchio::SE3::Identity();  ///< link frame in the joint frame
};

inline Sized point_of(const Placed& body, const Eigen::Vector3d& point)
{
  const Eigen::Vector3d& step = body.placement.translation();
  return shifted(turned(body.placement.rotation(), Sized(point), kJointRounding), step, step.cwiseAbs(),
                 kJointRounding);
}

inline SizedAxes axes_of(const Placed& body, const Eigen::Matrix3d& axes)
{
  return turned(body.placement.rotation(), SizedAxes{axes, axes.cwiseAbs()}, kJointRounding);
}

/// One velocity that moves a row: `factor` is +1 for body A, -1 for body B, times the mimic multiplier.
struct Column {
  int joint = 0;
  int full = 0;  ///< among all velocities, with mimic joints
  int dof = 0;   ///< in the problem
  double factor = 1.0;
  int base = -1;  ///< 0 to 5: of a root's free flyer, whose frame is the root frame
};

/// Which body a point or an axis is fixed to.
enum class Carrier { kA, kB, kWorld };

/// Rows that compare two bodies at one point: `linear` rows along axes, then `angular` rows about axes.
struct RowBlock {
  Placed a, b;
  Carrier point_on = Carrier::kA, axes_on = Carrier::kA;  ///< a point is never kWorld
  Sized point;                                            ///< in the joint frame of its body
  SizedAxes axes;  ///< columns, in the joint frame of their body, or in the world
  int row = 0, linear = 3, angular = 0;
  int turn_axis = 0;                         ///< first of the axes that angular rows are about
  std::vector<Column> columns_a, columns_b;  ///< joints that support exactly one of the bodies: the others cancel
  double rounding = 0.0;                     ///< of the point and the axes, relative to their sizes
  ContactShape shape;                        ///< of a contact
};

struct LoadBlock {
  Placed body;
  bool in_world = true;
  Sized point, force, torque;  ///< in the joint frame; force and torque in the world if in_world
  std::vector<Column> columns;
};

/// Everything that never changes: shared between copies of a scene.
struct Core {
  pinocchio::Model model;  ///< without gravity: it has another direction in each root frame
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  Articulation articulation;
  std::vector<std::vector<Placed>> links;  ///< per model, per link
  std::vector<Root> fixed_roots;           ///< per root; those of floating models are part of the state
  std::vector<std::pair<int, int>> bases;  ///< root, first entry in the full q: of floating models
  Coordinates coordinates;
  std::vector<ModelBlueprint> models;

  std::vector<RowBlock> rows;
  std::vector<LoadBlock> loads;
  ContactProblem prototype;  ///< names and coefficients; matrices empty
  Eigen::Index row_count = 0;
  double mass = 0.0;
  SceneState described;
  std::vector<ContactOrigin> contact_origins;
  std::vector<int> given_motors;
  std::vector<int> brakes;                       ///< indices of the actuators that are friction of joints
  std::vector<Warning> warnings, load_warnings;  ///< load_warnings: those that no state changes
  ScenePlane plane = ScenePlane::kNone;          ///< found, if it was to be

  explicit Core(const Blueprint& blueprint);

  void add_efforts(int m, const std::vector<std::pair<int, double>>& given, Eigen::VectorXd& effort) const;
  LoadBlock load_block(const LoadBlueprint& source) const;
  Placed placed(BodyRef body) const;
  int model_index(const std::string& name) const;
  void split_roots(Eigen::VectorXd& full_q, std::vector<Root>& roots) const;

  /// @throws InputError for joints or contacts of the problem that leave the plane.
  void check_plane(const Articulation& bodies, const std::vector<Root>& roots, const ContactProblem& problem) const;

 private:
  PlanarMotion motion_of(ScenePlane candidate, int joint, int k, const Articulation& bodies,
                         const std::vector<Root>& roots, double tolerance = kInPlane) const;
  Eigen::Matrix3d orientation(BodyRef body, const Articulation& bodies, const std::vector<Root>& roots) const;
  Eigen::Matrix3d orientation(const ContactBlueprint& contact, const Articulation& bodies,
                              const std::vector<Root>& roots) const;
  bool stays_in(ScenePlane candidate, const Blueprint& blueprint, const Articulation& bodies,
                const std::vector<Root>& roots) const;
  void lay_into_plane(const Blueprint& blueprint);
  std::vector<char> leaving_velocities(const Articulation& bodies, const std::vector<Root>& roots);
  Articulation described_bodies(std::vector<Root>& roots) const;
  void add_model(int m);
  void add_actuators();
  void add_link(int m, int link, const Placed& placed);
  void add_joint(int m, int joint, const Placed& parent);
  void check_inertias();
  void add_rows(const Blueprint& blueprint);
  RowBlock contact_block(const ContactBlueprint& source, const Articulation& described_bodies,
                         const std::vector<Root>& roots) const;
  RowBlock closure_block(const LoopBlueprint& source, const Articulation& described_bodies,
                         const std::vector<Root>& roots) const;
  std::vector<Column> columns(const Placed& body, const Placed& other, double sign) const;
};

}  // namespace stiction::internal
