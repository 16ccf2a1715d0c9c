#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scene/blueprint.hpp"

namespace stiction::internal {

/// Where a joint of a URDF (-1: the free flyer of the root link) sits in Pinocchio's vectors.
struct JointSlot {
  int model = -1, joint = -1;
  JointType type = JointType::kFloating;
  int q = 0, v = 0;
};

/// The scene's own coordinates: Pinocchio's ("full") without those of mimic joints, which are ordinary joints there.
///
/// Each full entry depends on one entry of the scene: full(i) = scale(i) * scene(source[i]) + offset(i). For velocities
/// this is the constant matrix T of v_full = T v, with M = T' M_full T, J = J_full T, F = T' F_full.
struct Coordinates {
  std::vector<std::string> model_names;
  std::vector<std::shared_ptr<const UrdfTree>> trees;
  std::vector<JointSlot> slots;  ///< in Pinocchio's order

  bool has_mimics = false;
  bool holds_any = false;  ///< velocities that are zero: their v_source is -1
  std::vector<int> q_source, v_source;
  Eigen::VectorXd q_scale, q_offset, v_scale;
  Eigen::Index nq = 0, nv = 0;
  std::vector<std::pair<int, int>> unit_segments;  ///< (start in q, length) that must have unit norm

  /// Fills everything below `slots` from what is above.
  void number(Eigen::Index full_nq, Eigen::Index full_nv);
  /// Takes velocities out, one flag per full one; what follows a held joint is held too.
  /// @throws InputError for a joint that is not held and is followed by one that should be.
  void hold(const std::vector<char>& held);

  int dof_of(int model, int joint) const;  ///< first entry of a joint in v; -1: it is held
  std::vector<Dof> dofs() const;
  SceneState make_state(const std::vector<ModelState>& states) const;
  void expand(const Eigen::VectorXd& q, Eigen::VectorXd& full_q) const;       ///< presized
  void expand_rate(const Eigen::VectorXd& v, Eigen::VectorXd& full_v) const;  ///< presized
  Eigen::VectorXd reduce(const Eigen::VectorXd& full_q) const;
  /// Of a difference of configurations: turns of continuous joints become at most half ones.
  Eigen::VectorXd reduce_rate(const Eigen::VectorXd& full_v) const;

  /// @throws InputError: sizes, finiteness, unit quaternions.
  void check(const SceneState& state) const;

 private:
  const UrdfJoint* joint_of(const JointSlot& slot) const;  ///< null for a free flyer
  bool follows(const JointSlot& slot) const;
  const JointSlot& driver_of(const JointSlot& slot) const;
  int freedoms_of(const JointSlot& slot) const;  ///< that are not held
};

}  // namespace stiction::internal
