#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

#include "stiction/cone.hpp"

namespace stiction {

/// Variables x[col … col+cone.dim()) lie in a friction cone.
struct ConeBlock {
  int col = 0;
  FrictionCone cone;
};

/// lower <= x[col] <= upper; one side may be infinite.
struct BoxVariable {
  int col = 0;
  double lower = 0.0;
  double upper = 0.0;
};

/// The one kind of mathematical program behind every question: is there an x with
///
///   E x = e,   x in cones x boxes x free ?
///
/// Every column belongs to exactly one cone block, box or free variable. Rows may be redundant, E may have any rank.
struct ConeProgram {
  Eigen::MatrixXd E;
  /// Instead of E, where it has columns: of many bodies, of which every column touches few. Compressed. Only the sparse
  /// engine and the proofs take it.
  Eigen::SparseMatrix<double> sparse_E;
  Eigen::VectorXd e;
  std::vector<ConeBlock> cones;
  std::vector<BoxVariable> boxes;
  std::vector<int> free;

  /// Scale of the numbers that e was computed from, per row, for the rounding allowance of the proof; empty = |e|.
  Eigen::VectorXd e_scale;

  bool is_sparse() const { return sparse_E.cols() > 0; }
  Eigen::Index rows() const { return is_sparse() ? sparse_E.rows() : E.rows(); }
  Eigen::Index cols() const { return is_sparse() ? sparse_E.cols() : E.cols(); }

  /// @throws InputError: sizes, non-finite entries, column ownership, cone parameters, crossed bounds.
  void validate() const;
};

/// What an engine claims. Claims are not verdicts: see proof.hpp.
enum class Outcome { kNotRun, kFeasible, kInfeasible, kIterationLimit, kNumericalFailure };

struct ConeAnswer {
  Outcome outcome = Outcome::kNotRun;
  Eigen::VectorXd x;  ///< a solution when feasible; otherwise the x that comes nearest in the scaled rows
  Eigen::VectorXd y;  ///< when infeasible: y'e > max of y'E x over cones x boxes, y'E = 0 on free columns
  int iterations = 0;
};

}  // namespace stiction
