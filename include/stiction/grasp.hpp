#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "stiction/cone.hpp"
#include "stiction/contact_problem.hpp"

namespace stiction {

/// How a contact touches the object.
enum class GraspContactKind {
  kFrictionless,  ///< pushes along its normal
  kHardFinger,    ///< Coulomb friction
  kSoftFinger,    ///< and a moment about the normal
  kBilateral      ///< pushes and pulls along its normal, with friction mu |normal force|
};

/// One contact of a grasp, as a planner knows it.
struct GraspContact {
  std::string name;                                   ///< for words; empty: "f1", "f2" …
  Eigen::Vector3d point = Eigen::Vector3d::Zero();    ///< m
  Eigen::Vector3d normal = Eigen::Vector3d::UnitX();  ///< unit vector into the object
  double mu = 0.0;                                    ///< Coulomb; not read for kFrictionless
  double torsion = 0.0;                               ///< m; read for kSoftFinger only
  GraspContactKind kind = GraspContactKind::kHardFinger;
};

/// The plane of a planar grasp; points and normals are projected into it, torques are those about its normal.
enum class GraspPlane { kNone, kXY, kYZ, kZX };

/// What wrenches refer to. Closure does not depend on it, epsilon does.
struct WrenchConvention {
  GraspPlane plane = GraspPlane::kNone;
  Eigen::Vector3d reference = Eigen::Vector3d::Zero();  ///< torques are taken about this point, m
  double torque_length = 1.0;  ///< > 0, m: torques are divided by it, so that all rows are newtons
};

/// A motion of the object, dual to the rows of G: at most six entries, kept without heap memory.
using Twist = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

/// The columns of one contact in a grasp map: normal, then tangents, then torsion.
struct GraspBlock {
  std::string name;
  int col = 0;
  FrictionCone cone;  ///< sign is not read, see side
  Side side = Side::kUnilateral;
  double max_normal = kInfinity;                    ///< |normal force| <= max_normal, N; matters to `resists` only
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< for words, in the frame of the wrenches, m
  bool point_known = false;
};

/// One object and what touches it: only matrices.
///
///   wrench on the object = G lambda,   relative velocity of the columns = G' v (object) + J_hand q' (hand)
///
/// Rows of G: force, then torque / torque_length about `reference`; 6 in space, 3 in the plane (two forces, one
/// torque).
/// Other counts, 1 to 5, are an object with other degrees of freedom (a door: 1): plain rows, without words for
/// motions.
/// A twist v is dual to these rows: linear velocity of the body at the reference point, then angular velocity times
/// torque_length, both in m/s.
struct Grasp {
  Eigen::MatrixXd G;
  std::vector<GraspBlock> contacts;
  std::vector<int> free;   ///< columns of frictionless bilateral rows without a cone (pins, welds, guides)
  Eigen::MatrixXd J_hand;  ///< columns of G x hand degrees of freedom; no columns: the hand is not modelled
  Eigen::VectorXd effort_lower, effort_upper;  ///< per hand degree of freedom, N m or N; equal: not actuated
  Eigen::VectorXd hand_load;                   ///< J_hand' lambda + effort = hand_load holds the hand still; N m or N
  WrenchConvention convention;

  bool has_hand() const { return J_hand.cols() > 0; }

  /// @throws InputError naming the entry: sizes, finiteness, cone parameters, column ownership, crossed limits.
  void validate() const;
};

/// Fills G and the contacts; the hand is left out. Torques within rounding of their products are zero. Allocates
/// nothing when `grasp` had the same kinds of contacts before.
/// @throws InputError "contacts[2].normal: want a unit vector, got …" and the like; normals within 1e-6 of unit length
/// are normalised. In the plane a normal must lie in it to 1e-6.
void set_grasp(const std::vector<GraspContact>& contacts, const WrenchConvention& convention, const ConeShape& shape,
               Grasp& grasp);

/// Where the object is.
struct ObjectPose {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();  ///< columns: the object's axes in the world
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();        ///< in the world, m
};

/// The grasp of the object with the given degrees of freedom: G' = J(:, object), J_hand = J(:, all others), wrenches
/// and twists in the axes of the object's own velocity. Six degrees of freedom are a floating joint (linear, angular
/// velocity); three are planar motion in the axes that convention.plane names (the plane's two linear velocities,
/// then the angular one: {0, 1, 5} of a floating joint for kXY, {1, 2, 3} for kYZ, {2, 0, 4} for kZX).
/// `convention.reference` is a point in the object's axes. Efforts of degrees of freedom without actuator are zero,
/// those of several add up; hand_load = F of the hand. Points of contacts stay unknown to words unless `object_W`
/// gives the object's pose. Contacts that do not touch the object stay: their forces may be needed to hold the hand.
/// @throws InputError when a degree of freedom is out of range or named twice.
void set_grasp(const ContactProblem& problem, const std::vector<int>& object_dofs, const WrenchConvention& convention,
               const ConeShape& shape, Grasp& grasp, const ObjectPose* object_W = nullptr);

}  // namespace stiction
