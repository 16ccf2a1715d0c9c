#pragma once

#include <cmath>

#include "base/linear_algebra.hpp"
#include "stiction/paper/propositions.hpp"

namespace stiction::internal {

inline Eigen::MatrixXd rows_of(const Eigen::MatrixXd& J, const std::vector<int>& rows) { return J(rows, Eigen::all); }

/// Jnb, Jtb, Jtu in one list.
inline std::vector<int> equality_rows(const RowRoles& roles)
{
  std::vector<int> rows = roles.normal_bilateral;
  for (const auto* more : {&roles.tangential_bilateral, &roles.tangential_unilateral})
    rows.insert(rows.end(), more->begin(), more->end());
  return rows;
}

inline Eigen::MatrixXd with_unit_rows(Eigen::MatrixXd A)
{
  for (auto row : A.rowwise()) {
    const double size = row.norm();
    if (size > 0.0) row /= size;
  }
  return A;
}

/// Rank of A with rows brought to unit length.
inline int rank_of(const Eigen::MatrixXd& A)
{
  return A.size() == 0 ? 0 : static_cast<int>(column_rank(with_unit_rows(A).transpose(), kRankTolerance));
}

/// Orthonormal basis of {x : A x = 0}.
inline Eigen::MatrixXd null_space(const Eigen::MatrixXd& A)
{
  if (A.size() == 0) return Eigen::MatrixXd::Identity(A.cols(), A.cols());
  return column_span(with_unit_rows(A).transpose(), kRankTolerance).complement();
}

/// Least-squares solution of least norm of A x = b.
inline Eigen::VectorXd least_norm(const Eigen::MatrixXd& A, const Eigen::VectorXd& b)
{
  if (A.size() == 0) return Eigen::VectorXd::Zero(A.cols());
  return LeastNorm(A, kRankTolerance).solve(b);
}

/// The problem in coordinates a = S â in which M has a unit diagonal: M̂ = S M S, F̂ = S F, Ĵ = J S. λ and J a stay.
struct UnitMass {
  Eigen::VectorXd S;
  Eigen::MatrixXd M, J;
  Eigen::VectorXd F;
  bool definite = false;
  Eigen::MatrixXd L;  ///< M̂ = L L' when definite

  explicit UnitMass(const ContactProblem& p) : S(p.nv())
  {
    for (Eigen::Index i = 0; i < p.nv(); ++i) {
      const double reach = p.rows() > 0 ? p.J.col(i).lpNorm<Eigen::Infinity>() : 0.0;
      S[i] = p.M(i, i) > 0.0 ? 1.0 / std::sqrt(p.M(i, i)) : (reach > 0.0 ? 1.0 / reach : 1.0);
    }
    M = S.asDiagonal() * p.M * S.asDiagonal();
    J = p.J * S.asDiagonal();
    F = S.cwiseProduct(p.F);
    const Eigen::VectorXd eigenvalues = mass_eigenvalues();
    definite = p.nv() == 0 || eigenvalues[0] > kRankTolerance;
    if (definite && p.nv() > 0) L = cholesky_factor(M);
  }

  Eigen::VectorXd mass_eigenvalues() const { return M.size() == 0 ? Eigen::VectorXd() : symmetric_eigenvalues(M); }
  /// L⁻¹ X: scalar products become those of M⁻¹.
  Eigen::MatrixXd whitened(const Eigen::MatrixXd& X) const { return solve_lower(L, X); }
};

}  // namespace stiction::internal
