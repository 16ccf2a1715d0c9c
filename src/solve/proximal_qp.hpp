#pragma once

#include <Eigen/Core>
#include <vector>

#include "solve/quiet_qpoases.hpp"

namespace stiction::internal {

/// min ½ w'H w + g'w  s.t.  C w >= lower,  H positive semidefinite, by qpOASES.
///
/// A singular H gets proximal steps, min … + ½ rho |w − w_last|²: each has a positive definite Hessian and is a
/// hotstart from the last, and the steps end at a solution of the QP itself, not of a regularised one. Entries should
/// be of size one.
struct ProximalQp {
  Eigen::VectorXd w;
  Eigen::VectorXd multipliers;  ///< >= 0, one per row of C
  std::vector<int> active;      ///< rows in the final working set
  int iterations = 0;

  enum class Steps { kWhenSingular, kAlways };

  /// False when qpOASES found no solution: infeasible, unbounded or out of iterations.
  bool solve(const Eigen::MatrixXd& H, const Eigen::VectorXd& g, const Eigen::MatrixXd& C, const Eigen::VectorXd& lower,
             Steps steps = Steps::kWhenSingular);
};

}  // namespace stiction::internal
