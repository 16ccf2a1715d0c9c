#pragma once

#include "base/linear_algebra.hpp"
#include "stiction/cone_program.hpp"

namespace stiction::internal {

/// Solves the equations E x = e of a mode when they have exactly one solution, and with E' the vectors that prove a
/// violated sign. Balanced, factored in double, refined with residuals in long double: what comes out is accurate
/// enough for proofs that forgive rounding of each row only.
class ModeSolver {
 public:
  /// False when E is not square or too near singular (reciprocal condition below kProductRounding after balancing).
  bool factor(const ConeProgram& program);

  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x);             ///< E x = b
  void solve_transposed(const Eigen::VectorXd& h, Eigen::VectorXd& y);  ///< E'y = h

  /// y with E'y = 0, y'e > 0 when E x = e has no solution at all: more rows than forces to keep them (a contact that
  /// opens and must not slip), or rows that contradict each other. False when the equations seem consistent.
  bool contradiction(const ConeProgram& program, Eigen::VectorXd& y);

 private:
  void balance(const Eigen::MatrixXd& E);
  template <bool kTransposed>
  void refined(const Eigen::VectorXd& b, Eigen::VectorXd& x);

  const ConeProgram* program_ = nullptr;
  Eigen::VectorXd row_scale_, column_scale_, rest_, step_;
  Eigen::MatrixXd balanced_;
  PivotedLu lu_;
};

/// A linear functional h with h'x > 0 that no admissible x has, for each violated sign or cone of a program, worst
/// first. Empty: x is admissible.
struct Violation {
  double size = 0.0;  ///< as a share of the largest entry of x of the same kind
  Eigen::VectorXd h;
};
void violations(const ConeProgram& program, const Eigen::VectorXd& x, std::vector<Violation>& found);

}  // namespace stiction::internal
