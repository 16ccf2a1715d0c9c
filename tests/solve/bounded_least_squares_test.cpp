// Bounded least squares against all working sets, one by one.
#include "solve/bounded_least_squares.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <random>

#include "stiction/contact_problem.hpp"

namespace stiction::internal {
namespace {

/// The least |A z - b| over lower <= z <= upper: of all choices of bounds, the best that stays within them.
double least_distance(const BoundedLeastSquares& p)
{
  const Eigen::Index n = p.A.cols();
  int choices = 1;
  for (Eigen::Index j = 0; j < n; ++j) choices *= 3;
  double least = kInfinity;
  for (int choice = 0; choice < choices; ++choice) {
    Eigen::VectorXd z(n);
    std::vector<Eigen::Index> open;
    bool possible = true;
    for (Eigen::Index j = 0, rest = choice; j < n; ++j, rest /= 3) {
      z[j] = rest % 3 == 0 ? p.lower[j] : rest % 3 == 1 ? p.upper[j] : 0.0;
      if (rest % 3 == 2) open.push_back(j);
      possible = possible && std::isfinite(z[j]);
    }
    if (!possible) continue;
    if (!open.empty()) {
      const Eigen::MatrixXd columns = p.A(Eigen::all, open);
      const Eigen::VectorXd part = columns.completeOrthogonalDecomposition().solve(p.b - p.A * z);
      for (std::size_t k = 0; k < open.size(); ++k) z[open[k]] = part[static_cast<Eigen::Index>(k)];
    }
    if (((z - p.lower).array() < -1e-12).any() || ((p.upper - z).array() < -1e-12).any()) continue;
    least = std::min(least, (p.b - p.A * z).norm());
  }
  return least;
}

class BoundedLeastSquaresOf : public ::testing::Test {
 protected:
  void draw(Eigen::Index rows, Eigen::Index cols)
  {
    std::normal_distribution<double> normal;
    const auto number = [&] { return normal(rng_); };
    p_.A = Eigen::MatrixXd::NullaryExpr(rows, cols, number);
    p_.b = 3.0 * Eigen::VectorXd::NullaryExpr(rows, number);
    p_.lower = Eigen::VectorXd::Zero(cols);
    p_.upper = Eigen::VectorXd::NullaryExpr(cols, [&] { return rng_() % 2 ? kInfinity : std::abs(number()); });
    p_.z = p_.lower;
    p_.place.assign(static_cast<std::size_t>(cols), Place::kLower);  // right for some, wrong for others
  }

  void expect_optimal()
  {
    ASSERT_TRUE(p_.solve(100));
    EXPECT_TRUE(((p_.z - p_.lower).array() >= 0.0).all() && ((p_.upper - p_.z).array() >= 0.0).all());
    EXPECT_LE((p_.residual - (p_.b - p_.A * p_.z)).norm(), 1e-13 * p_.b.norm());
    EXPECT_NEAR(p_.residual.norm(), least_distance(p_), 1e-11 * p_.b.norm());
    if (p_.direction.isZero(0.0)) return;
    EXPECT_NEAR(p_.direction.norm(), 1.0, 1e-14);
    for (const int j : p_.passive()) EXPECT_NEAR(p_.direction.dot(p_.A.col(j)), 0.0, 1e-14 * p_.A.col(j).norm());
  }

  std::mt19937 rng_{7};
  BoundedLeastSquares p_;
};

TEST_F(BoundedLeastSquaresOf, RandomProblemsIsTheBestOfAllWorkingSets)
{
  int touched = 0;
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    draw(5, 1 + trial % 5);
    expect_optimal();
    touched += static_cast<int>(p_.passive().size());
  }
  EXPECT_GT(touched, 200);  // not all at their bounds
}

TEST_F(BoundedLeastSquaresOf, WrongStartsIsTheSame)
{
  for (int trial = 0; trial < 50; ++trial) {
    SCOPED_TRACE(trial);
    draw(4, 4);
    p_.upper = Eigen::VectorXd::Constant(4, 0.7);
    p_.z = p_.upper;
    p_.place.assign(4, Place::kUpper);
    expect_optimal();
  }
}

TEST_F(BoundedLeastSquaresOf, FreeColumnsStayPassive)
{
  draw(4, 3);
  p_.lower[1] = -kInfinity;
  p_.upper[1] = kInfinity;
  p_.z[1] = 0.0;
  p_.place[1] = Place::kPassive;
  ASSERT_TRUE(p_.solve(100));
  EXPECT_TRUE(std::ranges::count(p_.passive(), 1) == 1);
  EXPECT_NEAR(p_.A.col(1).dot(p_.residual), 0.0, 1e-13 * p_.b.norm());
}

TEST_F(BoundedLeastSquaresOf, ResidualsThatAreTinyHaveADirection)
{
  draw(3, 2);
  p_.upper.setConstant(kInfinity);
  const Eigen::Vector3d a = p_.A.col(0), b = p_.A.col(1), across = a.cross(b).normalized();
  p_.b = 2.0 * a + 3.0 * b + 1e-9 * across;
  ASSERT_TRUE(p_.solve(100));
  EXPECT_NEAR(p_.z[0], 2.0, 1e-12);
  EXPECT_NEAR(p_.z[1], 3.0, 1e-12);
  EXPECT_NEAR(p_.direction.dot(across), 1.0, 1e-10);
}

}  // namespace
}  // namespace stiction::internal
