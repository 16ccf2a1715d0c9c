#pragma once

#include "ask/hold.hpp"
#include "solve/nearest_point.hpp"

namespace stiction::internal {

/// min |forces|  s.t.  E x = e,  x in the cones, boxes and free variables of a program. Workspace, one per thread.
///
/// Method of multipliers: each step is one nearest point of [ρ V'; I] x = [ρ b + y/ρ; 0], where V'x = b are the rows
/// made orthonormal, and the multipliers y collect ρ² times what the steps before missed. The last corrections are made
/// in the rows themselves, with more digits.
class LeastNormForces {
 public:
  /// @param forces that many columns, the first ones, count in the norm; the others are distances from limits.
  /// @return false: not found.
  bool solve(const ConeProgram& program, Eigen::Index forces, Eigen::VectorXd& x);

 private:
  bool descend(const ConeProgram& program, double stiffness, Eigen::VectorXd& x);
  void set_rows(const ConeProgram& program, Eigen::Index forces);

  Eigen::MatrixXd rows_, stacked_;  ///< V', and with the unit rows below
  Eigen::VectorXd b_, target_, multipliers_;
  NearestPoint nearest_;
};

/// Which of all forces that carry the loads are shown: those that need the least friction, and of these the ones of
/// least norm. They do not depend on the path of an engine, are symmetric where the contacts and loads are, and change
/// continuously from cases that hold to cases that fail. One per thread.
class ShownForces {
 public:
  /// @param least   the least factor on all friction with which it holds, as bracketed from above
  /// @param known   admissible forces as they are (columns of the set), empty when there are none: where ever larger
  ///                ones need ever less friction, forces of ten times their size are as large as people want to see
  /// @param[out] shown forces and signs; false: not found, they mean nothing
  bool find(const HoldProblem& problem, double least, const Eigen::VectorXd& known, HoldWorkspace& workspace,
            HoldAnswer& shown);

  /// Forces of least norm that would carry the loads, were friction unlimited: contacts only push, on `detaching` ones
  /// without pressing. False: not found.
  bool without_cones(const ContactProblem& problem, const Loads& loads, const std::vector<char>& detaching,
                     Eigen::VectorXd& lambda);

 private:
  bool at(const HoldProblem& problem, double factor, HoldWorkspace& workspace, HoldAnswer& shown);

  LeastNormForces least_norm_;
  HoldAnswer trial_;
};

}  // namespace stiction::internal
