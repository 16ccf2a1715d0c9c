#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "solve/bounded_least_squares.hpp"
#include "solve/quiet_qpoases.hpp"

namespace stiction::internal {

/// The QP over all multipliers in generator form,  min ½|A z − b|²  over  0 <= z <= width,  by qpOASES on its dual
///
///   min ½|r|² − b'r + width's   s.t.  A_j'r − s_j <= 0,  s >= 0      (s_j only for finite widths)
///
/// whose r is the residual b − A z and whose multipliers are z. Few variables (one per row), a positive definite
/// Hessian and r = 0 always feasible: only the gradient follows b, so a hotstart for the next b can never be
/// infeasible.
class DualMaster {
 public:
  /// Takes over a new problem; the next solve() is a cold start.
  /// @param bounded columns whose width is finite
  void set(const Eigen::MatrixXd& A, std::vector<int> bounded);

  /// Fills z and where each variable sits. False when qpOASES gave up: z and place are then a guess only.
  bool solve(const Eigen::VectorXd& b, const Eigen::VectorXd& width, Eigen::VectorXd& z, std::vector<Place>& place);

  int iterations() const { return iterations_; }

 private:
  void start();

  int rows_ = 0, columns_ = 0;
  std::vector<int> bounded_;  ///< columns with a finite width, in the order of s
  // Kept, because qpOASES points here.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> hessian_, constraints_;
  Eigen::VectorXd lower_, upper_, lower_constraint_, upper_constraint_;
  std::unique_ptr<QuietQpoases> qp_;
  bool started_ = false;
  int iterations_ = 0;
};

}  // namespace stiction::internal
