// Decompositions of dense matrices as plain functions. Eigen's are templates that cost the compiler seconds wherever they are
// used; what no inner loop needs is compiled here, once.
#pragma once

#include <Eigen/Core>
#include <memory>

namespace stiction::internal {

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);   ///< descending

struct SingularVectors {
  Eigen::VectorXd values;   ///< descending
  Eigen::MatrixXd U, V;     ///< A = U diag(values) V'
};
SingularVectors thin_svd(const Eigen::MatrixXd& A);
/// The same with a square V, whose last columns span the null space; U is left empty.
SingularVectors svd_with_null_space(const Eigen::MatrixXd& A);

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);   ///< ascending; of the lower triangle
struct SymmetricEigen {
  Eigen::VectorXd values;    ///< ascending
  Eigen::MatrixXd vectors;   ///< orthonormal columns
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);
double determinant(const Eigen::MatrixXd& A);

/// Columns of a square orthogonal matrix: the first `rank` span the columns of A, the others what is orthogonal to them. Pivots
/// below `threshold` times the largest count as zero.
struct ColumnSpan {
  Eigen::MatrixXd Q;
  Eigen::Index rank = 0;

  auto basis() const { return Q.leftCols(rank); }
  auto complement() const { return Q.rightCols(Q.cols() - rank); }
};
ColumnSpan column_span(const Eigen::MatrixXd& A, double threshold);
Eigen::Index column_rank(const Eigen::MatrixXd& A, double threshold);

/// Least-squares solutions of least norm of A X = B, with a threshold on pivots as above.
class LeastNorm {
 public:
  LeastNorm(const Eigen::MatrixXd& A, double threshold);
  ~LeastNorm();
  Eigen::Index rank() const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& B) const;

 private:
  struct Decomposition;
  std::unique_ptr<Decomposition> decomposition_;
};

Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);            ///< A⁻¹B, A square and regular
Eigen::MatrixXd solve_definite(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);   ///< A⁻¹B, A symmetric positive definite
Eigen::MatrixXd cholesky_factor(const Eigen::MatrixXd& A);   ///< L with A = L L', A symmetric positive definite
Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& L, const Eigen::MatrixXd& B);              ///< L⁻¹B
Eigen::MatrixXd solve_lower_transposed(const Eigen::MatrixXd& L, const Eigen::MatrixXd& B);   ///< L'⁻¹B

}  // namespace stiction::internal
