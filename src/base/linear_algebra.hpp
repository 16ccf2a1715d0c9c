// Decompositions of dense matrices, without templates: Eigen's cost the compiler seconds wherever they are used and are
// compiled here, once.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>
#include <memory>

namespace stiction::internal {

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);  ///< descending

struct SingularVectors {
  Eigen::VectorXd values;  ///< descending
  Eigen::MatrixXd U, V;    ///< A = U diag(values) V'
};
SingularVectors thin_svd(const Eigen::MatrixXd& A);
/// The same with a square V, whose last columns span the null space; U is left empty.
SingularVectors svd_with_null_space(const Eigen::MatrixXd& A);

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);  ///< ascending; of the lower triangle
struct SymmetricEigen {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< orthonormal columns
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);
double determinant(const Eigen::MatrixXd& A);

/// Columns of a square orthogonal matrix: the first `rank` span the columns of A, the others what is orthogonal to
/// them. Pivots below `threshold` times the largest count as zero.
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

Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);  ///< A⁻¹B, A square and regular
Eigen::MatrixXd solve_definite(const Eigen::MatrixXd& A,
                               const Eigen::MatrixXd& B);   ///< A⁻¹B, A symmetric positive definite
Eigen::MatrixXd cholesky_factor(const Eigen::MatrixXd& A);  ///< L with A = L L', A symmetric positive definite
Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& L, const Eigen::MatrixXd& B);             ///< L⁻¹B
Eigen::MatrixXd solve_lower_transposed(const Eigen::MatrixXd& L, const Eigen::MatrixXd& B);  ///< L'⁻¹B

// The classes below keep their memory from one matrix to the next.

/// A = L L', A symmetric positive definite.
class Cholesky {
 public:
  /// Smallest entry on the diagonal of L: 0 when A is not definite, infinity when it is empty.
  double compute(const Eigen::MatrixXd& A);
  void solve(Eigen::VectorXd& x) const;        ///< x becomes A⁻¹x
  void solve_lower(Eigen::VectorXd& x) const;  ///< L⁻¹x
  void solve_lower(Eigen::MatrixXd& X) const;  ///< L⁻¹X
  void solve_upper(Eigen::VectorXd& x) const;  ///< L'⁻¹x

 private:
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

/// A = P'L D L'P, A symmetric semidefinite with M rows, 6 or -1 for any number.
template <int M>
class PivotedCholesky {
 public:
  bool compute(const Eigen::Matrix<double, M, M>& A);  ///< of the lower triangle; false when it fails
  void solve(Eigen::Matrix<double, M, 1>& x) const;    ///< x becomes A⁻¹x, with 0 for what is singular

 private:
  Eigen::LDLT<Eigen::Matrix<double, M, M>> ldlt_;
};

/// P A = L U, A square.
class PivotedLu {
 public:
  double compute(const Eigen::MatrixXd& A);                        ///< estimate of the reciprocal condition number
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const;  ///< A x = b
  void solve_transposed(const Eigen::VectorXd& b, Eigen::VectorXd& x) const;  ///< A'x = b

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

/// A P = Q R; pivots below `threshold` times the largest count as zero.
class PivotedQr {
 public:
  void compute(const Eigen::MatrixXd& A, double threshold);
  Eigen::Index rank() const { return rank_; }
  Eigen::Index column(Eigen::Index place) const { return qr_.colsPermutation().indices()[place]; }  ///< of A
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;                    ///< least squares, 0 for dependent columns
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& products) const;  ///< shortest x with A'x = products
  Eigen::VectorXd orthogonal_part(const Eigen::VectorXd& x) const;          ///< of x, to the columns of A
  /// A z = 0, to rounding where the column at `place` depends on the `leading` ones pivoted first: z is 1 there, and 0
  /// elsewhere.
  void cancel(Eigen::Index leading, Eigen::Index place, Eigen::Ref<Eigen::VectorXd> z) const;

 private:
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
  Eigen::Index rank_ = 0;
};

}  // namespace stiction::internal
