#pragma once

#include <Eigen/Core>
#include <vector>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"

namespace stiction::internal {

/// Where a variable of a bounded problem sits.
enum class Place { kLower, kUpper, kPassive };

/// min ½|A z − b|²  over  lower <= z <= upper, solved to rounding from a nearly right working set.
///
/// qpOASES finds the working set but works with updated factors and tolerances near 1e-9; a certificate needs the
/// residual's direction to rounding even when the residual is 1e-9 of b. So the passive columns are factored afresh
/// (Householder, column pivoting), the solution is refined once with an extended-precision residual, and the residual
/// is orthogonalised again against them. Where the working set was wrong a few exchanges mend it.
class BoundedLeastSquares {
 public:
  // Problem, filled by the caller. Columns with two infinite bounds stay passive.
  Eigen::MatrixXd A;
  Eigen::VectorXd b, lower, upper;
  // Start and result.
  Eigen::VectorXd z;
  std::vector<Place> place;
  // Result.
  Eigen::VectorXd residual;   ///< b − A z
  Eigen::VectorXd direction;  ///< unit residual, orthogonal to the passive columns to rounding; 0 when they span all
  int exchanges = 0;

  /// False when `limit` exchanges did not suffice.
  bool solve(int limit);

  /// Change of the passive variables (in the order of passive()) that removes the residual `rhs` in the least-squares
  /// sense.
  Eigen::VectorXd correction(const Eigen::VectorXd& rhs) const;
  const std::vector<int>& passive() const { return passive_; }

 private:
  void start();
  void factor();
  bool walk(const Eigen::VectorXd& step);
  bool remove_dependent();
  void update_residual();
  void refine_direction();
  int worst_priced() const;
  bool is_free(int j) const;

  std::vector<int> passive_;
  std::vector<char> blocked_, frozen_;
  PivotedQr qr_;
  Eigen::MatrixXd columns_;
};

}  // namespace stiction::internal
