#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>

#include "stiction/propositions.hpp"

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
  if (A.size() == 0) return 0;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(with_unit_rows(A).transpose());
  qr.setThreshold(kRankTolerance);
  return static_cast<int>(qr.rank());
}

/// Orthonormal basis of {x : A x = 0}.
inline Eigen::MatrixXd null_space(const Eigen::MatrixXd& A)
{
  const auto n = A.cols();
  if (A.size() == 0) return Eigen::MatrixXd::Identity(n, n);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(with_unit_rows(A).transpose());
  qr.setThreshold(kRankTolerance);
  const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(n, n);
  return Q.rightCols(n - qr.rank());
}

/// Least-squares solution of least norm of A x = b.
inline Eigen::VectorXd least_norm(const Eigen::MatrixXd& A, const Eigen::VectorXd& b)
{
  if (A.size() == 0) return Eigen::VectorXd::Zero(A.cols());
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
  cod.setThreshold(kRankTolerance);
  cod.compute(A);
  return cod.solve(b);
}

/// The problem in coordinates a = S â in which M has a unit diagonal: M̂ = S M S, F̂ = S F, Ĵ = J S. λ and J a stay.
struct UnitMass {
  Eigen::VectorXd S;
  Eigen::MatrixXd M, J;
  Eigen::VectorXd F;
  bool definite = false;
  Eigen::LLT<Eigen::MatrixXd> cholesky;   ///< of M̂ when definite

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
    if (definite) cholesky.compute(M);
  }

  Eigen::VectorXd mass_eigenvalues() const
  {
    if (M.size() == 0) return {};
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M, Eigen::EigenvaluesOnly).eigenvalues();
  }
  /// L⁻¹ X with M̂ = L L': scalar products become those of M⁻¹.
  Eigen::MatrixXd whitened(const Eigen::MatrixXd& X) const { return cholesky.matrixL().solve(X); }
};

}  // namespace stiction::internal
