#include "base/linear_algebra.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <limits>

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

double Cholesky::compute(const MatrixXd& A)
{
  llt_.compute(A);
  if (A.rows() == 0) return std::numeric_limits<double>::infinity();
  return llt_.info() == Eigen::Success ? llt_.matrixLLT().diagonal().minCoeff() : 0.0;
}

void Cholesky::solve(VectorXd& x) const { llt_.solveInPlace(x); }

void Cholesky::solve_lower(VectorXd& x) const
{
  if (x.size() > 0) llt_.matrixL().solveInPlace(x);
}

void Cholesky::solve_lower(MatrixXd& X) const
{
  if (X.size() > 0) llt_.matrixL().solveInPlace(X);
}

void Cholesky::solve_upper(VectorXd& x) const
{
  if (x.size() > 0) llt_.matrixU().solveInPlace(x);
}

template <int M>
bool PivotedCholesky<M>::compute(const Eigen::Matrix<double, M, M>& A)
{
  ldlt_.compute(A);
  return ldlt_.info() == Eigen::Success;
}

template <int M>
void PivotedCholesky<M>::solve(Eigen::Matrix<double, M, 1>& x) const
{
  ldlt_.solveInPlace(x);
}

template class PivotedCholesky<6>;
template class PivotedCholesky<-1>;

double PivotedLu::compute(const MatrixXd& A)
{
  lu_.compute(A);
  return lu_.rcond();
}

void PivotedLu::solve(const VectorXd& b, VectorXd& x) const { x = lu_.solve(b); }
void PivotedLu::solve_transposed(const VectorXd& b, VectorXd& x) const { x = lu_.transpose().solve(b); }

void PivotedQr::compute(const MatrixXd& A, double threshold)
{
  qr_.setThreshold(threshold);
  qr_.compute(A);
  rank_ = qr_.rank();
}

VectorXd PivotedQr::solve(const VectorXd& b) const { return qr_.solve(b); }

VectorXd PivotedQr::solve_transposed(const VectorXd& products) const
{
  const VectorXd ordered = qr_.colsPermutation().transpose() * products;
  VectorXd t = VectorXd::Zero(qr_.rows());
  t.head(rank_) =
      qr_.matrixQR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().transpose().solve(ordered.head(rank_));
  return qr_.householderQ() * t;
}

VectorXd PivotedQr::orthogonal_part(const VectorXd& x) const
{
  VectorXd t = qr_.householderQ().adjoint() * x;
  t.head(rank_).setZero();
  return qr_.householderQ() * t;
}

void PivotedQr::cancel(Eigen::Index leading, Eigen::Index place, Eigen::Ref<VectorXd> z) const
{
  const MatrixXd& R = qr_.matrixQR();
  z.setZero();
  z[column(place)] = 1.0;
  for (Eigen::Index i = leading - 1; i >= 0; --i) {
    double sum = 0.0;
    for (Eigen::Index j = i + 1; j < leading; ++j) sum += R(i, j) * z[column(j)];
    sum += R(i, place);
    z[column(i)] = -sum / R(i, i);
  }
}

}  // namespace stiction::internal
