// Masses, momenta and gravity of trees of joints, each in the frame of its own root: neither the place nor the
// orientation of a root in the world enters. docs/proofs/scene.md has the error bounds.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <vector>

#include "scene/urdf.hpp"

namespace stiction::internal {

/// A vector and, entry by entry, the size of the numbers it was computed from. Its rounding is a multiple of the
/// size, not of the value.
struct Sized {
  Eigen::Vector3d value = Eigen::Vector3d::Zero(), size = Eigen::Vector3d::Zero();

  Sized() = default;
  explicit Sized(const Eigen::Vector3d& exact) : value(exact), size(exact.cwiseAbs()) {}
  Sized(const Eigen::Vector3d& computed, const Eigen::Vector3d& from) : value(computed), size(from) {}
};

/// Three columns.
struct SizedAxes {
  Eigen::Matrix3d value = Eigen::Matrix3d::Identity(), size = Eigen::Matrix3d::Identity();
};

/// Rounding per joint between a root and a number, relative to the number's terms: sixteen units of 2^-52.
inline constexpr double kJointRounding = 0x1p-48;

/// Entries that are only rounding become zero; overflow stays.
inline double without_noise(double value, double noise)
{
  return std::abs(value) <= noise && noise < std::numeric_limits<double>::infinity() ? 0.0 : value;
}

/// R x. An entry of R that is exactly zero passes nothing on, any other one may be wrong by its rounding; so the size
/// counts whole.
Sized turned(const Eigen::Matrix3d& R, const Sized& x, double rounding);
SizedAxes turned(const Eigen::Matrix3d& R, const SizedAxes& axes, double rounding);
/// x + shift, where the shift has rounded by its own `size`.
Sized shifted(const Sized& x, const Eigen::Vector3d& shift, const Eigen::Vector3d& size, double rounding);

/// Rigidly connected masses; inertia about their centre of mass.
struct RigidBody {
  double mass = 0.0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();

  void add(const RigidBody& other);
  RigidBody moved(const Eigen::Matrix3d& R, const Eigen::Vector3d& r) const;
};

class Articulation {
 public:
  struct Joint {
    int parent = 0;     ///< 0: the root frame
    int v = 0, nv = 0;  ///< first velocity, number of them; set by add
    bool base = false;  ///< free flyer of a floating root: its frame is the root frame
    int root = 0;       ///< index of the tree
    RigidBody body;     ///< in the joint frame
    bool slides = false, turns = false;
    JointType type = JointType::kFloating;
    Eigen::Vector3d axis =
        Eigen::Vector3d::UnitZ();  ///< in the joint frame; planar joints move in x and y of their frame
    int aligned = -1;              ///< 0, 1, 2: the axis is plus or minus x, y, z
    int q = 0;                     ///< first position
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< of the joint at zero in the parent joint's frame
    Eigen::Vector3d r = Eigen::Vector3d::Zero();
    double rounding = 0.0;  ///< of numbers that belong to this joint, relative to their terms
  };
  /// Where a joint is in the frame of its root, and how long the way there is: that, not the distance, is what
  /// positions round by.
  struct Frame {
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Eigen::Vector3d r = Eigen::Vector3d::Zero();
    double path = 0.0;
  };

  Articulation() { joints_.emplace_back(); }
  /// Joints after their parents, in the order of their velocities; the free flyers of floating roots have no parent
  /// and no place.
  void add(Joint joint);
  RigidBody& body(int joint) { return joints_[static_cast<std::size_t>(joint)].body; }
  /// Sizes the workspace; no joints after this.
  void finish();

  const Joint& joint(int j) const { return joints_[static_cast<std::size_t>(j)]; }
  const Frame& frame(int j) const { return frames_[static_cast<std::size_t>(j)]; }
  /// A joint's body and all behind it, in the root frame; after compose.
  const RigidBody& whole(int j) const { return whole_[static_cast<std::size_t>(j)]; }
  int size() const { return static_cast<int>(joints_.size()); }
  /// Where the joints are, for positions as in Pinocchio's q. Those of the roots' free flyers are not read.
  void place(const Eigen::VectorXd& q);
  /// The same for one joint, in order, from its pose in the parent joint's frame.
  void place(int j, const Eigen::Matrix3d& R, const Eigen::Vector3d& r);
  /// Motions, composite bodies and momenta for the frames as placed.
  void compose();

  /// Of velocity i, in root axes: at the joint's origin.
  auto linear(int i) const { return linear_.col(i); }
  auto angular(int i) const { return angular_.col(i); }
  Sized point(int j, const Sized& p) const;
  SizedAxes axes(int j, const SizedAxes& axes) const;

  void fill_mass(Eigen::MatrixXd& M) const;
  /// Adds gravity's generalised force (slope of potential energy) and its rounding; `gravity` per root, in its frame.
  void add_gravity(const std::vector<Sized>& gravity, Eigen::VectorXd& force, Eigen::VectorXd& noise) const;
  /// Adds the rounding of Newton-Euler's Coriolis and centrifugal forces.
  void add_motion_noise(const Eigen::VectorXd& v, Eigen::VectorXd& noise);
  /// Sizes of the terms of a point's motion: multiples of them are its rounding.
  struct MotionSize {
    double speed = 0, spin = 0, acceleration = 0, spin_rate = 0;
  };
  /// Of the point of a body at most `lever` away from its joint, with zero joint accelerations; after add_motion_noise.
  MotionSize motion_size(int j, double lever) const;

 private:
  void place(const Joint& joint, const Eigen::VectorXd& q, const Frame& parent, Frame& frame, double& step) const;
  double momentum_noise(int j) const;
  double moment_noise(int j, double lever) const;
  void mend(int i, int j, Eigen::MatrixXd& M) const;

  /// What numbers of a joint's motion and of the forces on its subtree are made of, without signs: for rounding.
  struct Terms {
    double speed = 0, spin = 0, acceleration = 0, spin_rate = 0, force = 0, moment = 0;
  };
  /// What the mass matrix needs of a joint, close together.
  struct Rung {
    int parent = 0, v = 0, nv = 0;
    bool slides = false, turns = false;
    Eigen::Vector3d from_parent = Eigen::Vector3d::Zero();
  };
  std::vector<Joint> joints_;
  std::vector<Rung> rungs_;
  std::vector<Frame> frames_;
  std::vector<double> steps_;     ///< length of the step from the parent
  std::vector<RigidBody> whole_;  ///< the joint's body and all behind it, in the root frame
  std::vector<double> reach_;     ///< sum of mass times length of the way to it, over whole_
  std::vector<double> behind_;    ///< the same without the joint's own body
  std::vector<Terms> terms_;
  std::vector<int> joint_of_;  ///< per velocity
  Eigen::Matrix<double, 6, Eigen::Dynamic> S_;
  Eigen::Matrix3Xd linear_, angular_;
  Eigen::Matrix3Xd momentum_, moment_;  ///< of whole_ per unit velocity; moment about the joint's origin
};

}  // namespace stiction::internal
