#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <limits>
#include <string>
#include <vector>

namespace stiction {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whether a contact can only push (unilateral) or push and pull (bilateral: a rail, a bolt, a magnet).
enum class Side { kUnilateral, kBilateral };

/// One point contact and the rows of J it owns: row = normal, then `tangents` tangential rows, then one torsion
/// row if `torsional`. Forces act from body B (`on`) on body A (`link`); the normal points from B into A.
struct Contact {
  std::string name;
  Side side = Side::kUnilateral;
  double mu = 0.0;                ///< Coulomb coefficient, >= 0
  int row = 0;                    ///< first row in J and gamma
  int tangents = 2;               ///< 2 in space, 1 in the plane, 0 for a frictionless contact without tangential rows
  bool torsional = false;         ///< soft finger: owns a row for the angular velocity about the normal
  double torsion = 0.0;           ///< |moment| <= torsion * |normal force|, m
  double max_normal = kInfinity;  ///< |normal force| <= max_normal, N
  Eigen::Vector3d point_W = Eigen::Vector3d::Zero();     ///< contact point in the world, m
  Eigen::Matrix3d axes_W = Eigen::Matrix3d::Identity();  ///< columns normal, t1, t2 in the world; right-handed

  int rows() const { return 1 + tangents + (torsional ? 1 : 0); }
};

/// Frictionless bilateral rows without a cone: a kinematic loop, a pin, a weld, a guide.
struct LoopConstraint {
  std::string name;
  int row = 0;
  int rows = 0;
};

/// A degree of freedom driven by a motor; limits in N m or N. Given efforts are already inside F.
struct Actuator {
  std::string name;
  int dof = 0;
  double lower = -kInfinity;
  double upper = kInfinity;
};

/// Whose velocity an entry of v is. This, and not its name, tells degrees of freedom apart.
struct Dof {
  std::string model;  ///< as the scene calls it; empty: there are no models
  std::string joint;  ///< as the URDF calls it; empty: the floating base of the model
  int index = 0;      ///< within the joint
  int size = 1;       ///< degrees of freedom of the joint

  bool of_base() const { return joint.empty(); }
  bool operator==(const Dof&) const = default;
};

/// What people call the joint of each: "model/joint", "model/base"; different for different joints, whatever their
/// names.
std::vector<std::string> joint_labels(const std::vector<Dof>& dofs);

/// What people call each: "model/joint", "model/joint[2]", "model/base[0]"; all different.
std::vector<std::string> dof_labels(const std::vector<Dof>& dofs);

/// Everything the questions need to know about a system at one instant: only matrices, no robot, no file, no solver.
///
///   M a + F = J' lambda,   relative acceleration of the contact rows: J a + gamma
///
/// (equations (1a), (9a) of the paper). F collects Coriolis, centrifugal and gravity terms (positive on this side)
/// minus given efforts and applied loads. M is symmetric positive semidefinite, possibly singular; J may have any
/// rank and any number of rows. SI units.
struct ContactProblem {
  Eigen::MatrixXd M;      ///< nv x nv
  Eigen::VectorXd F;      ///< nv
  Eigen::MatrixXd J;      ///< rows x nv; relative velocity "body A minus body B" of each row
  Eigen::VectorXd gamma;  ///< rows; drift Jdot v, m/s^2 (rad/s^2 on torsion rows)
  std::vector<Contact> contacts;
  std::vector<LoopConstraint> loops;
  std::vector<Actuator> actuators;
  std::vector<std::string> dof_names;  ///< nv names for people, or empty
  std::vector<Dof> dofs;               ///< nv, or empty: unknown

  /// Of many bodies, of which every contact touches one or two: instead of M and J, which stay empty, where sparse_J
  /// has columns. Compressed. EquilibriumChecker and judge_equilibrium take such a problem (EquilibriumChecker says
  /// which); everything else refuses it, and takes dense() of it.
  using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  static constexpr Eigen::Index kFewestSparse = 7;  ///< degrees of freedom: fewer may be one body's, and are dense
  SparseMatrix sparse_M, sparse_J;

  bool is_sparse() const { return sparse_J.cols() > 0; }
  /// Itself, with M and J.
  ContactProblem dense() const;

  Eigen::Index nv() const { return F.size(); }
  Eigen::Index rows() const { return gamma.size(); }

  /// @throws InputError naming the entry: sizes, finiteness, symmetry and semidefiniteness of M, mu, row ownership
  /// (every row belongs to exactly one contact or closure), unique names and degrees of freedom, ordered limits.
  /// A sparse problem only where `storage` says so.
  enum class Storage { kDense, kAny };
  void validate(Storage storage = Storage::kDense) const;
};

/// Row indices of J by role, the paper's Jnb, Jtb, Jnu, Jtu; closures are Jnb rows without friction. Torsion rows
/// count as tangential.
struct RowRoles {
  std::vector<int> normal_bilateral, tangential_bilateral, normal_unilateral, tangential_unilateral;
};
RowRoles row_roles(const ContactProblem& problem);

}  // namespace stiction
