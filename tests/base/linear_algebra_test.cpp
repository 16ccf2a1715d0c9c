// Decompositions against what defines them: products with the matrix that was decomposed.
#include "base/linear_algebra.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stiction::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kTolerance = 1e-12;

class LinearAlgebra : public ::testing::Test {
 protected:
  MatrixXd drawn(Eigen::Index rows, Eigen::Index cols)
  {
    MatrixXd A(rows, cols);
    for (double& entry : A.reshaped()) entry = normal_(generator_);
    return A;
  }
  VectorXd drawn(Eigen::Index rows) { return drawn(rows, 1); }
  MatrixXd definite(Eigen::Index rows)
  {
    const MatrixXd A = drawn(rows, rows + 2);
    return A * A.transpose();
  }

 private:
  std::mt19937 generator_{7};
  std::normal_distribution<double> normal_;
};

TEST_F(LinearAlgebra, CholeskySolves)
{
  const MatrixXd A = definite(5), B = drawn(5, 3);
  const VectorXd b = drawn(5);
  const MatrixXd L = cholesky_factor(A);
  Cholesky cholesky;
  EXPECT_EQ(cholesky.compute(A), L.diagonal().minCoeff());
  VectorXd x = b;
  cholesky.solve(x);
  EXPECT_LT((A * x - b).norm(), kTolerance);
  x = b;
  cholesky.solve_lower(x);
  EXPECT_LT((L * x - b).norm(), kTolerance);
  x = b;
  cholesky.solve_upper(x);
  EXPECT_LT((L.transpose() * x - b).norm(), kTolerance);
  MatrixXd X = B;
  cholesky.solve_lower(X);
  EXPECT_LT((L * X - B).norm(), kTolerance);
}

TEST_F(LinearAlgebra, CholeskySaysWhatIsNotDefinite)
{
  Cholesky cholesky;
  MatrixXd A = definite(4);
  A(3, 3) = -1.0;
  EXPECT_EQ(cholesky.compute(A), 0.0);
  EXPECT_TRUE(std::isinf(cholesky.compute(MatrixXd(0, 0))));
}

TEST_F(LinearAlgebra, PivotedCholeskySolvesWhatIsConsistent)
{
  const MatrixXd C = drawn(6, 4), A = C * C.transpose();  // of rank 4
  const VectorXd b = A * drawn(6);
  PivotedCholesky<6> six;
  PivotedCholesky<-1> any;
  Eigen::Vector<double, 6> of_six = b;
  VectorXd of_any = b;
  ASSERT_TRUE(six.compute(A));
  ASSERT_TRUE(any.compute(A));
  six.solve(of_six);
  any.solve(of_any);
  EXPECT_LT((A * of_six - b).norm(), 1e-9);
  EXPECT_LT((A * of_any - b).norm(), 1e-9);
}

TEST_F(LinearAlgebra, LuSolvesBothWays)
{
  MatrixXd A = drawn(5, 5);
  const VectorXd b = drawn(5);
  PivotedLu lu;
  VectorXd x;
  EXPECT_GT(lu.compute(A), 1e-6);
  lu.solve(b, x);
  EXPECT_LT((A * x - b).norm(), kTolerance);
  lu.solve_transposed(b, x);
  EXPECT_LT((A.transpose() * x - b).norm(), kTolerance);
  A.col(4) = A.col(0) - A.col(1);
  EXPECT_LT(lu.compute(A), 1e-14);
}

TEST_F(LinearAlgebra, QrKnowsDependentColumns)
{
  MatrixXd A = drawn(6, 5);
  A.col(1) = 2.0 * A.col(3) - A.col(4);
  PivotedQr qr;
  qr.compute(A, 1e-12);
  ASSERT_EQ(qr.rank(), 4);
  VectorXd z(5);
  qr.cancel(4, 4, z);
  EXPECT_EQ(z[qr.column(4)], 1.0);
  EXPECT_LT((A * z).norm(), kTolerance);

  const VectorXd x = drawn(6), part = qr.orthogonal_part(x);
  EXPECT_LT((A.transpose() * part).norm(), kTolerance);
  EXPECT_EQ(column_rank((MatrixXd(6, 6) << A, x - part).finished(), 1e-12), 4);  // what was taken away is in their span

  const VectorXd b = A * drawn(5);
  EXPECT_LT((A * qr.solve(b) - b).norm(), kTolerance);
  const VectorXd products = A.transpose() * x, shortest = qr.solve_transposed(products);
  EXPECT_LT((A.transpose() * shortest - products).norm(), kTolerance);
  EXPECT_LT(qr.orthogonal_part(shortest).norm(), kTolerance);
}

/// A column that depends on nothing is cancelled as far as the leading ones reach: what is left is orthogonal to them.
TEST_F(LinearAlgebra, QrCancelsAsFarAsItCan)
{
  const MatrixXd A = drawn(6, 4);
  PivotedQr qr;
  qr.compute(A, 1e-12);
  VectorXd z(4);
  qr.cancel(2, 3, z);
  EXPECT_EQ(z[qr.column(2)], 0.0);
  EXPECT_NEAR(A.col(qr.column(0)).dot(A * z), 0.0, kTolerance);
  EXPECT_NEAR(A.col(qr.column(1)).dot(A * z), 0.0, kTolerance);
}

}  // namespace
}  // namespace stiction::internal
