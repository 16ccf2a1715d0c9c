// What tests compute for themselves, by decompositions that are compiled once.
#pragma once

#include "base/linear_algebra.hpp"
#include "stiction/contact_problem.hpp"

namespace stiction::testing {

inline Eigen::MatrixXd inverse(const Eigen::MatrixXd& A)
{
  return internal::solve(A, Eigen::MatrixXd::Identity(A.rows(), A.cols()));
}

/// J M⁻¹ J'
inline Eigen::MatrixXd delassus(const ContactProblem& p) { return p.J * internal::solve(p.M, p.J.transpose()); }

}  // namespace stiction::testing
