#include "geometry/kinematics.hpp"

#include <cmath>

namespace stiction::internal {
namespace {

Eigen::Isometry3d motion_of(const UrdfJoint& joint, const std::array<double, 6>& q, double position)
{
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  switch (joint.type) {
    case JointType::kRevolute:
    case JointType::kContinuous:
      if (position != 0.0) motion.linear() = Eigen::AngleAxisd(position, joint.axis).toRotationMatrix();
      break;
    case JointType::kPrismatic:
      motion.translation() = position * joint.axis;
      break;
    case JointType::kPlanar: {
      const Eigen::Matrix3d plane = plane_axes(joint.axis);
      motion.translation() = plane * Eigen::Vector3d(q[0], q[1], 0.0);
      motion.linear() = Eigen::AngleAxisd(q[2], joint.axis).toRotationMatrix();
      break;
    }
    case JointType::kFloating:
      motion = isometry({q[0], q[1], q[2]}, {q[3], q[4], q[5]});
      break;
    case JointType::kFixed:
      break;
  }
  return motion;
}

}  // namespace

std::vector<Eigen::Isometry3d> link_poses(const UrdfTree& tree, const ModelState& state)
{
  std::vector<Eigen::Isometry3d> poses(tree.links.size(), Eigen::Isometry3d::Identity());
  std::vector<int> reached{tree.root};
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (const int j : tree.links[idx(reached[k])].child_joints) {
      const UrdfJoint& joint = tree.joints[idx(j)];
      const double position = joint.mimics < 0
                                  ? state.positions[idx(j)][0]
                                  : joint.multiplier * state.positions[idx(joint.mimics)][0] + joint.offset;
      poses[idx(joint.child)] =
          poses[idx(reached[k])] * joint.origin * motion_of(joint, state.positions[idx(j)], position);
      reached.push_back(joint.child);
    }
  return poses;
}

MassPoint mass_point(const UrdfTree& tree, const std::vector<Eigen::Isometry3d>& poses)
{
  MassPoint all;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    all.mass += tree.links[i].mass;
    all.center += tree.links[i].mass * (poses[i] * tree.links[i].com);
  }
  if (all.mass > 0.0) all.center /= all.mass;
  return all;
}

Eigen::Vector3d rpy_of(const Eigen::Matrix3d& R)
{
  if (R.isIdentity(0.0)) return Eigen::Vector3d::Zero();
  const double across = std::hypot(R(0, 0), R(1, 0));
  constexpr double kVertical = 1e-9;  // cosine of the pitch
  if (across < kVertical)             // looking up or down: roll and yaw are about the same axis
    return {std::atan2(-R(1, 2), R(1, 1)), std::atan2(-R(2, 0), across), 0.0};
  return {std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), across), std::atan2(R(1, 0), R(0, 0))};
}

}  // namespace stiction::internal
