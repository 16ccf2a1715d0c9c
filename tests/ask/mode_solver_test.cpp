// The equations of a mode, solved to rounding of every row whatever the units.
#include "ask/mode_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_problems.hpp"

namespace stiction::internal {
namespace {

using testing::gaussian;
using testing::Rng;
using testing::uniform;

/// Square, with rows and columns of very different sizes.
ConeProgram badly_scaled_mode(Rng& rng, Eigen::Index n)
{
  ConeProgram program;
  program.E = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, n * n).data(), n, n);
  for (Eigen::Index i = 0; i < n; ++i) program.E.row(i) *= std::pow(10.0, uniform(rng, -9, 9));
  for (Eigen::Index j = 0; j < n; ++j) program.E.col(j) *= std::pow(10.0, uniform(rng, -9, 9));
  program.e = Eigen::VectorXd::Zero(n);
  return program;
}

/// |A x - b| of the row that is off most, as a share of the products in it.
double worst_row(const Eigen::MatrixXd& A, const Eigen::VectorXd& x, const Eigen::VectorXd& b)
{
  double worst = 0.0;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    long double sum = -b[i], size = std::abs(b[i]);
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      sum += static_cast<long double>(A(i, j)) * x[j];
      size += std::abs(static_cast<long double>(A(i, j)) * x[j]);
    }
    worst = std::max(worst, static_cast<double>(std::abs(sum) / size));
  }
  return worst;
}

TEST(ModeSolver, SolvesEveryRowToRounding)
{
  Rng rng{3};
  ModeSolver solver;
  Eigen::VectorXd x;
  for (int i = 0; i < 100; ++i) {
    const auto n = static_cast<Eigen::Index>(1 + i % 9);
    const ConeProgram program = badly_scaled_mode(rng, n);
    if (!solver.factor(program)) continue;
    const Eigen::VectorXd b = program.E * gaussian(rng, n), h = program.E.transpose() * gaussian(rng, n);
    solver.solve(b, x);
    EXPECT_LE(worst_row(program.E, x, b), 4e-16) << i;
    solver.solve_transposed(h, x);
    EXPECT_LE(worst_row(program.E.transpose(), x, h), 4e-16) << i;
  }
}

TEST(ModeSolver, RefusesEquationsWithoutExactlyOneSolution)
{
  Rng rng{4};
  ModeSolver solver;
  ConeProgram program = badly_scaled_mode(rng, 5);
  EXPECT_TRUE(solver.factor(program));
  program.E.row(3) = 1e6 * program.E.row(1);
  EXPECT_FALSE(solver.factor(program)) << "singular in any units";
  program.E.conservativeResize(4, 5);
  EXPECT_FALSE(solver.factor(program)) << "not square";
}

TEST(ModeSolver, FindsTheContradictionBetweenRows)
{
  Rng rng{5};
  ModeSolver solver;
  for (int i = 0; i < 50; ++i) {
    const Eigen::Index m = 4 + i % 3, n = 3;
    ConeProgram program;
    program.E = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, m * n).data(), m, n);
    Eigen::VectorXd y;
    program.e = program.E * gaussian(rng, n);
    EXPECT_FALSE(solver.contradiction(program, y)) << "these are consistent";
    program.e += gaussian(rng, m);
    ASSERT_TRUE(solver.contradiction(program, y));
    EXPECT_LE(worst_row(program.E.transpose(), y, Eigen::VectorXd::Zero(n)), 1e-15);
    EXPECT_GT(y.dot(program.e), 0.0);
  }
}

TEST(ModeSolver, NamesEveryViolatedSignAndCone)
{
  ConeProgram program;
  program.E = Eigen::MatrixXd::Identity(9, 9);
  FrictionCone soft, pulling;
  soft.mu = 0.5;
  soft.torsional = true;
  soft.torsion = 0.1;
  pulling.mu = 0.3;
  pulling.sign = -1.0;
  program.cones = {{0, soft}, {4, pulling}};
  program.boxes = {{7, 0.0, kInfinity}, {8, 0.0, kInfinity}};
  Eigen::VectorXd x(9);
  x << 1.0, 0.3, 0.4, 0.05, -1.0, 0.1, 0.2, 2.0, 0.0;
  std::vector<Violation> found;
  violations(program, x, found);
  EXPECT_TRUE(found.empty()) << "on the rim is inside";

  x << 1.0, 0.6, 0.8, -0.2, 0.5, 0.1, 0.0, -2.0, 3.0;  // slips, twists; pushes; negative
  violations(program, x, found);
  ASSERT_EQ(found.size(), 5u);  // the pushing one of a pulling contact also has no friction
  Rng rng{6};
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_TRUE(k == 0 || found[k].size <= found[k - 1].size);
    EXPECT_GT(found[k].h.dot(x), 0.0);
    for (int i = 0; i < 100; ++i) {  // no admissible x has h'x > 0
      Eigen::VectorXd other = gaussian(rng, 9).cwiseAbs();
      for (const ConeBlock& block : program.cones) {
        const double angle = uniform(rng, 0, 7), normal = other[block.col];
        other[block.col] *= block.cone.sign;
        other[block.col + 1] = block.cone.mu * normal * std::cos(angle);
        other[block.col + 2] = block.cone.mu * normal * std::sin(angle);
        if (block.cone.torsional) other[block.col + 3] = block.cone.torsion * normal * uniform(rng, -1, 1);
      }
      EXPECT_LE(found[k].h.dot(other), 1e-14);
    }
  }
  EXPECT_NEAR(found[0].size, 2.0 / 3.0, 1e-15);
}

}  // namespace
}  // namespace stiction::internal
