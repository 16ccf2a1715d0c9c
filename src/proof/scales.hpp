#pragma once

// Sizes that the data alone give, whatever a certificate says: the tolerances and bounds of the judges are made of them
// (docs/proofs.md). All are invariant under changes of units.
#include <Eigen/Core>
#include <vector>

#include "base/linear_algebra.hpp"
#include "stiction/proof.hpp"

namespace stiction::internal {

/// Contact accelerations come out of a linear solve and count as zero to this share of the largest one of their part.
inline constexpr double kAtRest = 0x1p-46;  // 1.4e-14
/// Forces that a verdict is about, in units of the loads of their part: at rest, and in motion.
inline constexpr double kStaticForces = 0x1p18, kMovingForces = 0x1p12;
/// Accelerations that a verdict is about, in units of what the loads alone would cause; those without inertia have only
/// the accelerations of the others to be compared with.
inline constexpr double kAccelerations = 0x1p12, kMasslessAccelerations = 0x1p4;
/// Pivot of a mass matrix with unit diagonal from which errors of its inverse stay below a hundredth.
inline constexpr double kSafelyDefinite = 1e-5;

/// Bodies that do not touch are parts of their own: no scale of one is a tolerance of another. A contact acts in metres
/// per second and newtons; `lever` translates degrees of freedom into these.
struct Scales {
  using Reach = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  /// Of a sparse problem: the columns that the rows of a contact have entries in, with these entries.
  struct Block {
    std::vector<int> columns;
    std::vector<double> entries;  ///< rows of the contact, column by column
    std::vector<double> reach;    ///< per column
  };

  double backward = kRounding;  ///< u: error of the data that a verdict allows for, relative to their sizes
  int parts = 1;
  std::vector<int> part;      ///< per degree of freedom: connected by entries of M, rows of J, or one joint
  std::vector<int> row_part;  ///< per row of J
  Reach reach;                ///< contacts x nv: largest |J| over normal and tangents, the contact's lever arm
  Eigen::VectorXd lever;      ///< C_j, per degree of freedom: its longest lever arm
  Eigen::VectorXd weight;     ///< m_i, per row of J: largest |J_ij| / C_j; shared by normal and tangents of a contact
  Eigen::VectorXd force;      ///< Phi, per part: newtons
  Eigen::VectorXd drift;      ///< per part: largest |gamma| of a row, m/s^2
  std::vector<Block> blocks;  ///< per contact of a sparse problem, which has no `reach`
  Eigen::VectorXd largest_entry;  ///< per degree of freedom of a sparse problem: largest |J|
  // Of systems that move, see measure_accelerations.
  Eigen::VectorXd acceleration;  ///< X_j, per degree of freedom: the largest acceleration a verdict is about
  Eigen::VectorXd swing;         ///< g_j: |x_j| <= g_j |x| in the norm of M; infinite: without inertia, or not known
  double condition = 1.0;        ///< of the factor of M with a unit diagonal, over the parts with swings
  std::vector<char> definite;    ///< per part: every swing is known

  /// Parts, reach, levers and weights.
  void measure(const ContactProblem& problem);
  /// `force` of given loads (nv) and of the efforts that motors cannot avoid; convex in the loads, as the judge of
  /// regions needs it.
  void measure_loads(const Eigen::VectorXd& load, const std::vector<Actuator>& motors = {});
  /// `force` and `drift` of M a + F = J'lambda with a free.
  void measure_forces(const ContactProblem& problem);
  /// `acceleration`, `swing`, `condition` and `definite`, after measure_forces.
  void measure_accelerations(const ContactProblem& problem);
  /// Columns x of X become M^-1/2 x in parts that are definite.
  void divide_by_root_mass(const ContactProblem& problem, Eigen::MatrixXd& X);

  /// Force scale of a row, N (N m on torsion rows): Phi / m_i; 0 when it moves nothing.
  double row_force(Eigen::Index row) const
  {
    return weight[row] > 0.0 ? force[row_part[static_cast<std::size_t>(row)]] / weight[row] : 0.0;
  }

  /// Share of the force scale in the balance of a degree of freedom: newtons at every lever arm, N or N m.
  double load_reach(const ContactProblem& problem, Eigen::Index dof) const;

 private:
  void find_parts(const ContactProblem& problem);
  void join_joints(const ContactProblem& problem);
  bool is_one_body(const ContactProblem& problem) const;
  void measure_contacts(const ContactProblem& problem);
  void measure_sparse(const ContactProblem& problem);
  void measure_blocks(const ContactProblem& problem);
  void number_parts(Eigen::Index n);
  void measure_swings(const ContactProblem& problem);
  void leave_out_singular_parts();
  int part_of_massive(Eigen::Index k) const
  {
    return part[static_cast<std::size_t>(massive_[static_cast<std::size_t>(k)])];
  }
  bool is_definite(Eigen::Index dof) const
  {
    return definite[static_cast<std::size_t>(part[static_cast<std::size_t>(dof)])];
  }

  std::vector<int> root_, number_;
  std::vector<Eigen::Index> massive_;
  Eigen::VectorXd energy_, fastest_, work_;
  Eigen::MatrixXd unit_mass_, inverse_factor_, quotients_;
  Cholesky cholesky_;
};

}  // namespace stiction::internal
