#include "problem/linear_algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace stiction::internal {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

Eigen::ColPivHouseholderQR<MatrixXd> pivoted_qr(const MatrixXd& A, double threshold)
{
  Eigen::ColPivHouseholderQR<MatrixXd> qr(A);
  qr.setThreshold(threshold);
  return qr;
}

}  // namespace

VectorXd singular_values(const MatrixXd& A) { return Eigen::JacobiSVD<MatrixXd>(A).singularValues(); }

SingularVectors thin_svd(const MatrixXd& A)
{
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.singularValues(), svd.matrixU(), svd.matrixV()};
}

SingularVectors svd_with_null_space(const MatrixXd& A)
{
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
  return {svd.singularValues(), {}, svd.matrixV()};
}

VectorXd symmetric_eigenvalues(const MatrixXd& A)
{
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigen symmetric_eigen(const MatrixXd& A)
{
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Eigen::VectorXcd eigenvalues(const MatrixXd& A) { return Eigen::EigenSolver<MatrixXd>(A, false).eigenvalues(); }

double determinant(const MatrixXd& A) { return A.determinant(); }

ColumnSpan column_span(const MatrixXd& A, double threshold)
{
  if (A.size() == 0) return {MatrixXd::Identity(A.rows(), A.rows()), 0};
  const auto qr = pivoted_qr(A, threshold);
  return {qr.householderQ() * MatrixXd::Identity(A.rows(), A.rows()), qr.rank()};
}

Eigen::Index column_rank(const MatrixXd& A, double threshold) { return pivoted_qr(A, threshold).rank(); }

struct LeastNorm::Decomposition {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> orthogonal;
};

LeastNorm::LeastNorm(const MatrixXd& A, double threshold) : decomposition_(std::make_unique<Decomposition>())
{
  decomposition_->orthogonal.setThreshold(threshold);
  decomposition_->orthogonal.compute(A);
}

LeastNorm::~LeastNorm() = default;

Eigen::Index LeastNorm::rank() const { return decomposition_->orthogonal.rank(); }

MatrixXd LeastNorm::solve(const MatrixXd& B) const { return decomposition_->orthogonal.solve(B); }

MatrixXd solve(const MatrixXd& A, const MatrixXd& B) { return Eigen::PartialPivLU<MatrixXd>(A).solve(B); }

MatrixXd solve_definite(const MatrixXd& A, const MatrixXd& B) { return Eigen::LLT<MatrixXd>(A).solve(B); }

MatrixXd cholesky_factor(const MatrixXd& A) { return Eigen::LLT<MatrixXd>(A).matrixL(); }

// Eigen forms a null reference when there is nothing to solve.
MatrixXd solve_lower(const MatrixXd& L, const MatrixXd& B)
{
  if (B.size() == 0) return B;
  return L.triangularView<Eigen::Lower>().solve(B);
}

MatrixXd solve_lower_transposed(const MatrixXd& L, const MatrixXd& B)
{
  if (B.size() == 0) return B;
  return L.transpose().triangularView<Eigen::Upper>().solve(B);
}

}  // namespace stiction::internal
