#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "stiction/words.hpp"
#include "words/phrases.hpp"

namespace stiction {
namespace {

using internal::direction_text;
using internal::join;
using internal::kNoticeable;
using internal::Names;
using internal::number_text;
using internal::sign_case;

std::string point_text(const Eigen::Vector3d& p, const int* axes, int count)
{
  std::string text = "(";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + number_text(p[axes[i]]);
  return text + ")";
}

/// A direction of a line has no sign: its first noticeable coordinate is positive.
std::string line_direction(Eigen::Vector3d d)
{
  constexpr double kShownCoordinate = 1e-3;
  for (int i = 0; i < 3; ++i)
    if (std::abs(d[i]) > kShownCoordinate) {
      if (d[i] < 0.0) d = -d;
      break;
    }
  return direction_text(d);
}

/// The instantaneous screw of a twist: in space and in the plane.
struct Screw {
  bool planar = false;
  int axes[3] = {0, 1, 2};  ///< of the plane: its two directions, then its normal
  Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();  ///< m/s at the reference, rad/s
};

Screw screw_of(const Grasp& grasp, const Twist& twist)
{
  Screw screw;
  screw.planar = twist.size() == 3;
  if (!screw.planar) {
    screw.linear = twist.head<3>();
    screw.angular = twist.tail<3>() / grasp.convention.torque_length;
    return screw;
  }
  const int first = grasp.convention.plane == GraspPlane::kYZ ? 1 : grasp.convention.plane == GraspPlane::kZX ? 2 : 0;
  for (int i = 0; i < 3; ++i) screw.axes[i] = (first + i) % 3;
  screw.linear[screw.axes[0]] = twist[0];
  screw.linear[screw.axes[1]] = twist[1];
  screw.angular[screw.axes[2]] = twist[2] / grasp.convention.torque_length;
  return screw;
}

/// Extent of the contacts about the reference, m; the length that turns angles into comparable motions.
double reach(const Grasp& grasp)
{
  double largest = 0.0;
  for (const GraspBlock& block : grasp.contacts)
    if (block.point_known) largest = std::max(largest, (block.point - grasp.convention.reference).norm());
  return largest > 0.0 ? largest : grasp.convention.torque_length;
}

/// Contacts that the motion leaves; velocities that are rounding of the products in them are none.
Names left_contacts(const Grasp& grasp, const Twist& twist)
{
  Names names;
  for (const GraspBlock& block : grasp.contacts) {
    const auto column = grasp.G.col(block.col);
    if (block.side == Side::kUnilateral && column.dot(twist) > kNoticeable * column.cwiseAbs().dot(twist.cwiseAbs()))
      names.push_back(block.name);
  }
  return names;
}

}  // namespace

std::string describe_free_motion(const Grasp& grasp, const Twist& twist)
{
  if (twist.size() != grasp.G.rows() || twist.size() == 0 || twist.cwiseAbs().maxCoeff() == 0.0) return "";
  const Names left = left_contacts(grasp, twist);
  const std::string leaving = left.empty() ? "" : ", leaving " + join(left);
  if (twist.size() != 3 && twist.size() != 6) return "free to move" + leaving;

  const Screw screw = screw_of(grasp, twist);
  const double size = reach(grasp), turn = screw.angular.norm();
  if (turn * size <= kNoticeable * screw.linear.norm())
    return "free to slide along " + direction_text(screw.linear.normalized()) + leaving;
  const Eigen::Vector3d axis = screw.angular / turn;
  const double pitch = axis.dot(screw.linear) / turn;  // m/rad
  const Eigen::Vector3d on_axis = grasp.convention.reference + axis.cross(screw.linear) / turn;
  std::string text = std::abs(pitch) > kNoticeable * size ? "free to screw about " : "free to turn about ";

  Names through;
  for (const GraspBlock& block : grasp.contacts) {
    Eigen::Vector3d off = block.point - on_axis;
    off -= axis * axis.dot(off);
    if (block.point_known && off.norm() <= kNoticeable * std::max(size, off.norm())) through.push_back(block.name);
  }
  if (screw.planar) {
    text += through.empty() ? "the point " + point_text(on_axis, screw.axes, 2) + " m" : join(through);
  } else if (through.size() >= 2) {
    text += "the line through " + join(through);
  } else {
    const std::string point = through.empty() ? point_text(on_axis, screw.axes, 3) + " m" : through[0];
    text += "the line through " + point + " along " + line_direction(axis);
  }
  return text + leaving;
}

std::string describe_free_motion(const Grasp& grasp, const ClosureProof& proof)
{
  if (proof.leaves.empty()) return describe_free_motion(grasp, proof.twist);
  const MotionLeaf& leaf = proof.leaves[0];
  return describe_free_motion(grasp, Twist(leaf.motion)) + sign_case(grasp.contacts, leaf, proof.leaves.size());
}

std::string describe_free_motion(const Grasp& grasp, const ResistProof& proof)
{
  const Eigen::Index m = grasp.G.rows();
  if (proof.leaves.empty()) return describe_free_motion(grasp, Twist(-proof.y.head(m)));
  const MotionLeaf& leaf = proof.leaves[0];
  return describe_free_motion(grasp, Twist(-leaf.motion.head(m))) +
         sign_case(grasp.contacts, leaf, proof.leaves.size());
}

}  // namespace stiction
