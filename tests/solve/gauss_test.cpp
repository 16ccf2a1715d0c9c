// Gauss' principle (QP-G) asked of every engine: solutions by their KKT residuals, failures by their own Farkas
// vectors.

#include <gtest/gtest.h>

#include <cmath>

#include "solve/random_programs.hpp"
#include "stiction/engine.hpp"

namespace stiction {
namespace {

using test::number;
using test::RandomPrograms;

class Gauss : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Engine> engine_ = make_engine(GetParam());
  GaussAnswer answer_;
  RandomPrograms random_{51};

  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index cols)
  {
    return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return random_.gauss(); });
  }

  /// Random equality and inequality rows; rank of Je below its row count every other time.
  GaussProgram program(Eigen::Index n, Eigen::Index rank_M, Eigen::Index ne, Eigen::Index nu)
  {
    GaussProgram p;
    const Eigen::MatrixXd root = matrix(rank_M, n);
    p.M = root.transpose() * root;
    p.M = (0.5 * (p.M + p.M.transpose())).eval();
    p.F = random_.vector(n);
    p.Je = random_.integer(0, 1) ? matrix(ne, n) : Eigen::MatrixXd(matrix(ne, ne / 2) * matrix(ne / 2, n));
    p.Ju = matrix(nu, n);
    p.ge = Eigen::VectorXd::Zero(ne);
    p.gu = Eigen::VectorXd::Zero(nu);
    return p;
  }

  void expect_solved(const GaussProgram& p, const std::string& what)
  {
    SCOPED_TRACE(what);
    engine_->gauss(p, answer_);
    ASSERT_EQ(answer_.outcome, GaussOutcome::kSolved) << static_cast<int>(answer_.outcome);
    const Eigen::VectorXd &a = answer_.a, &le = answer_.lambda_e, &lu = answer_.lambda_u;
    const auto b = a.cwiseAbs();
    const Eigen::VectorXd balance = p.M * a + p.F - p.Je.transpose() * le - p.Ju.transpose() * lu;
    const Eigen::VectorXd size = p.M.cwiseAbs() * b + p.F.cwiseAbs() + p.Je.cwiseAbs().transpose() * le.cwiseAbs() +
                                 p.Ju.cwiseAbs().transpose() * lu.cwiseAbs();
    for (Eigen::Index i = 0; i < balance.size(); ++i) EXPECT_LE(std::abs(balance[i]), 5e-14 * size[i]) << "dof " << i;
    // Accelerations come out of a linear solve: 1e-11 of the largest one, as the proof room allows.
    const double scale = 1e-11 * (1.0 + a.cwiseAbs().maxCoeff());
    const Eigen::VectorXd held = p.Je * a + p.ge, gap = p.Ju * a + p.gu;
    for (Eigen::Index i = 0; i < held.size(); ++i) EXPECT_LE(std::abs(held[i]), scale * (1 + p.Je.row(i).norm()));
    for (Eigen::Index i = 0; i < gap.size(); ++i) {
      EXPECT_GE(gap[i], -scale * (1 + p.Ju.row(i).norm())) << "row " << i;
      EXPECT_GE(lu[i], 0.0) << "row " << i;
      EXPECT_LE(lu[i] > 0.0 ? gap[i] : 0.0, scale * (1 + p.Ju.row(i).norm())) << "row " << i;
    }
  }

  void expect_contradiction(const GaussProgram& p, const std::string& what)
  {
    SCOPED_TRACE(what);
    engine_->gauss(p, answer_);
    ASSERT_EQ(answer_.outcome, GaussOutcome::kContradiction) << static_cast<int>(answer_.outcome);
    const Eigen::VectorXd &le = answer_.lambda_e, &lu = answer_.lambda_u;
    const double size = le.cwiseAbs().sum() + lu.cwiseAbs().sum();
    for (const double l : lu) EXPECT_GE(l, -1e-13 * size);
    const Eigen::VectorXd turn = p.Je.transpose() * le + p.Ju.transpose() * lu;
    EXPECT_LE(turn.cwiseAbs().maxCoeff(), 1e-13 * size * (1 + p.Je.norm() + p.Ju.norm()));
    EXPECT_LT(p.ge.dot(le) + p.gu.dot(lu), 0.0);
  }

  void expect_unbalanced(const GaussProgram& p, const std::string& what)
  {
    SCOPED_TRACE(what);
    engine_->gauss(p, answer_);
    ASSERT_EQ(answer_.outcome, GaussOutcome::kUnbalanced) << static_cast<int>(answer_.outcome);
    const Eigen::VectorXd& a = answer_.a;
    const double size = 1e-12 * a.cwiseAbs().maxCoeff();
    EXPECT_LE((p.M * a).cwiseAbs().maxCoeff(), size * (1 + p.M.norm()));
    EXPECT_LE((p.Je * a).norm(), size * (1 + p.Je.norm()));
    for (const double rise : Eigen::VectorXd(p.Ju * a)) EXPECT_GE(rise, -size * (1 + p.Ju.norm()));
    EXPECT_LT(p.F.dot(a), 0.0);
  }
};

TEST_P(Gauss, PositiveDefiniteMass)
{
  for (int i = 0; i < 200; ++i) {
    const Eigen::Index n = random_.integer(1, 10);
    GaussProgram p = program(n, n + 2, random_.integer(0, static_cast<int>(n)), random_.integer(0, 8));
    const Eigen::VectorXd known = random_.vector(n);  // feasible by construction, some rows just touching
    p.ge = -p.Je * known;
    p.gu = -p.Ju * known;
    for (Eigen::Index k = 0; k < p.gu.size(); ++k) p.gu[k] += random_.integer(0, 1) * random_.uniform(0.0, 1.0);
    expect_solved(p, number("case", i));
  }
}

TEST_P(Gauss, SingularMassBuiltAroundAnAnswer)
{
  for (int i = 0; i < 200; ++i) {
    const Eigen::Index n = random_.integer(2, 10), rank = random_.integer(0, static_cast<int>(n) - 1);
    GaussProgram p = program(n, rank, random_.integer(0, static_cast<int>(n)), random_.integer(0, 8));
    const Eigen::VectorXd a = random_.vector(n), le = random_.vector(p.ge.size());
    Eigen::VectorXd lu = Eigen::VectorXd::Zero(p.gu.size());
    p.ge = -p.Je * a;
    p.gu = -p.Ju * a;
    for (Eigen::Index k = 0; k < p.gu.size(); ++k) {
      const int kind = random_.integer(0, 2);  // pressed, open, or just touching
      if (kind == 0) lu[k] = random_.uniform(0.0, 2.0);
      if (kind == 1) p.gu[k] += random_.uniform(0.1, 1.0);
    }
    p.F = p.Je.transpose() * le + p.Ju.transpose() * lu - p.M * a;
    expect_solved(p, number("case", i));
    EXPECT_LE((p.M * (answer_.a - a)).cwiseAbs().maxCoeff(), 1e-8 * (1 + p.M.norm() * (1 + answer_.a.norm())))
        << "M a is unique";
  }
}

TEST_P(Gauss, ContradictingRows)
{
  for (int i = 0; i < 200; ++i) {
    const Eigen::Index n = random_.integer(1, 8), ne = random_.integer(0, 6), nu = random_.integer(1, 6);
    GaussProgram p = program(n, random_.integer(0, static_cast<int>(n)), ne, nu);
    Eigen::VectorXd le = random_.vector(ne), lu = Eigen::VectorXd::Zero(nu);
    for (Eigen::Index k = 0; k < nu; ++k) lu[k] = random_.integer(0, 1) * random_.uniform(0.1, 1.0);
    lu[0] = 1.0;
    // Row 0 becomes what makes J'y = 0, and the drifts make gamma'y negative.
    Eigen::RowVectorXd sum = -(p.Je.transpose() * le).transpose();
    for (Eigen::Index k = 1; k < nu; ++k) sum -= lu[k] * p.Ju.row(k);
    p.Ju.row(0) = sum;
    p.ge = random_.vector(ne);
    p.gu = random_.vector(nu);
    p.gu[0] = -p.ge.dot(le) - p.gu.tail(nu - 1).dot(lu.tail(nu - 1)) - std::pow(10.0, random_.uniform(-6.0, 0.0));
    // A mass that balances anything, so that only the rows are at fault.
    p.M += Eigen::MatrixXd::Identity(n, n);
    expect_contradiction(p, number("case", i));
  }
}

TEST_P(Gauss, InconsistentBilateralRows)
{
  for (int i = 0; i < 100; ++i) {
    const Eigen::Index n = random_.integer(4, 8);
    GaussProgram p = program(n, n + 1, 3, 2);
    p.Je = matrix(3, n);
    p.Je.row(2) = p.Je.row(0) + 2.0 * p.Je.row(1);
    p.ge = random_.vector(3);
    p.ge[2] = p.ge[0] + 2.0 * p.ge[1];
    p.gu.setConstant(100.0);
    expect_solved(p, number("consistent, case", i));
    p.ge[2] += std::pow(10.0, random_.uniform(-8.0, 0.0)) * (random_.integer(0, 1) ? 1.0 : -1.0);
    expect_contradiction(p, number("inconsistent, case", i));
  }
}

TEST_P(Gauss, NothingBalancesAMasslessDirection)
{
  for (int i = 0; i < 200; ++i) {
    const Eigen::Index n = random_.integer(2, 9), rank = random_.integer(0, static_cast<int>(n) - 1);
    GaussProgram p = program(n, rank, random_.integer(0, 3), random_.integer(0, 6));
    // A direction v that M and the equality rows ignore and the inequalities allow: in small integers, so that M v = 0
    // exactly and not up to a rounding that an acceleration of 1e13 could make up for.
    const auto integers = [&](Eigen::Index rows) {
      return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(rows, n, [&] { return random_.integer(-4, 4); }));
    };
    Eigen::VectorXd v = integers(1).transpose();
    const Eigen::Index pivot = random_.integer(0, static_cast<int>(n) - 1);
    v[pivot] = 1.0;
    const auto ignore_v = [&](Eigen::MatrixXd rows) {
      rows.col(pivot) -= rows * v;
      return rows;
    };
    const Eigen::MatrixXd root = ignore_v(integers(rank));
    p.M = root.transpose() * root;
    p.Je = ignore_v(integers(p.Je.rows()));
    p.Ju = integers(p.Ju.rows());
    for (Eigen::Index k = 0; k < p.Ju.rows(); ++k) {
      if (random_.integer(0, 1))
        p.Ju.row(k) = ignore_v(p.Ju.row(k));
      else if (p.Ju.row(k).dot(v) < 0.0)
        p.Ju.row(k) *= -1.0;
    }
    p.F[pivot] -= p.F.dot(v) + std::pow(10.0, random_.uniform(-4.0, 0.0));
    expect_unbalanced(p, number("case", i));
  }
}

TEST_P(Gauss, MasslessLinkHeldByARow)
{
  // A massless point between a mass and a wall: M = diag(2, 0), row x2 - x1 = 0 carries the load.
  GaussProgram p;
  p.M = Eigen::Vector2d(2.0, 0.0).asDiagonal();
  p.F = Eigen::Vector2d(1.0, -3.0);
  p.Je.resize(1, 2);
  p.Je << -1.0, 1.0;
  p.ge = Eigen::VectorXd::Zero(1);
  p.Ju.resize(0, 2);
  p.gu.resize(0);
  expect_solved(p, "held");
  EXPECT_NEAR(answer_.a[0], 1.0, 1e-14);  // 2 a = 3 - 1
  EXPECT_NEAR(answer_.a[1], 1.0, 1e-14);
  EXPECT_NEAR(answer_.lambda_e[0], -3.0, 1e-14);
  p.Je.resize(0, 2);
  p.ge.resize(0);
  expect_unbalanced(p, "released");
}

/// Example 2: block on one corner at angle theta; with the corner pressed the contact force follows from (40).
TEST_P(Gauss, Example2CornerForceFollowsFromAc)
{
  const double L = 0.6, l = 0.4, m = 1.0, g = 9.81;
  for (const double theta : {0.1, 0.5, 0.9, 1.2}) {
    const double a = (l * std::sin(theta) - L * std::cos(theta)) / 2;
    const double b = (l * std::cos(theta) + L * std::sin(theta)) / 2;
    const double r = (l * l + L * L) / 12;
    GaussProgram p;
    p.M = Eigen::Vector3d(m, m, m * r).asDiagonal();
    p.F = Eigen::Vector3d(0.0, m * g, 0.0);
    p.Je.resize(1, 3);
    p.Je << 1, 0, b;
    p.Ju.resize(1, 3);
    p.Ju << 0, 1, a;
    p.ge = p.gu = Eigen::VectorXd::Zero(1);
    expect_solved(p, "theta " + std::to_string(theta));
    const double Ac = (r + a * a - a * a * b * b / (r + b * b)) / (m * r);
    // Without the normal force the corner would fall with g; the tangential row does not couple to gravity.
    EXPECT_NEAR(answer_.lambda_u[0], g / Ac, 1e-12);
    EXPECT_NEAR(answer_.lambda_e[0], -answer_.lambda_u[0] * a * b / (r + b * b), 1e-12);
  }
}

/// Example 6: rows guide, t1, t2 held, normals 1 and 2 unilateral; q = (x, y, x1, x2).
TEST_P(Gauss, Example6FingersPressOrLeave)
{
  GaussProgram p;
  p.M = Eigen::Vector4d(1.0, 1.0, 0.5, 0.5).asDiagonal();
  p.Je.resize(3, 4);
  p.Je << 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0;
  p.ge = Eigen::VectorXd::Zero(3);
  p.Ju.resize(2, 4);
  p.Ju << 1, 0, -1, 0, -1, 0, 0, 1;
  p.gu = Eigen::VectorXd::Zero(2);
  p.F = Eigen::Vector4d(0.0, 9.81, -7.0, 8.0);
  expect_solved(p, "pressing");
  EXPECT_NEAR(answer_.a.norm(), 0.0, 1e-13);
  EXPECT_NEAR(answer_.lambda_u[0], 7.0, 1e-13);
  EXPECT_NEAR(answer_.lambda_u[1], 8.0, 1e-13);
  EXPECT_NEAR(answer_.lambda_e[0], 1.0, 1e-13);
  EXPECT_NEAR(answer_.lambda_e[1] + answer_.lambda_e[2], 9.81, 1e-13);
  p.F = Eigen::Vector4d(0.0, 9.81, 7.0, -8.0);
  expect_solved(p, "leaving");
  EXPECT_EQ(answer_.lambda_u[0], 0.0);
  EXPECT_EQ(answer_.lambda_u[1], 0.0);
  EXPECT_NEAR(answer_.a[2], -14.0, 1e-12);
  EXPECT_NEAR(answer_.a[3], 16.0, 1e-12);
}

TEST_P(Gauss, TableWithManyLegs)
{
  // n legs under a plate, every leg's row redundant beyond three: the acceleration is unique, the forces are not.
  for (const int legs : {4, 12, 50}) {
    GaussProgram p;
    p.M = Eigen::Vector3d(10.0, 0.4, 0.6).asDiagonal();  // heave, roll, pitch
    p.F = Eigen::Vector3d(98.1, 0.0, 0.0);
    p.Je.resize(0, 3);
    p.ge.resize(0);
    p.Ju.resize(legs, 3);
    p.gu = Eigen::VectorXd::Zero(legs);
    for (int k = 0; k < legs; ++k) {
      const double angle = 2 * M_PI * (k + 0.3) / legs;
      p.Ju.row(k) << 1.0, 0.5 * std::sin(angle), -0.5 * std::cos(angle);
    }
    expect_solved(p, number("standing on", legs));
    EXPECT_NEAR(answer_.a.norm(), 0.0, 1e-12);
    EXPECT_NEAR(answer_.lambda_u.sum(), 98.1, 1e-11);
    p.F[1] = 98.1;  // weight two radii out: it tips
    expect_solved(p, number("tipping on", legs));
    EXPECT_GT(answer_.a.norm(), 1.0);
  }
}

TEST_P(Gauss, UnitsDoNotMatter)
{
  for (int i = 0; i < 100; ++i) {
    const Eigen::Index n = random_.integer(2, 8);
    GaussProgram p = program(n, random_.integer(1, static_cast<int>(n)), 3, 4);
    p.M += 1e-3 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd known = random_.vector(n);
    p.ge = -p.Je * known;
    p.gu = -p.Ju * known;
    expect_solved(p, number("case", i));
    const double mass = std::pow(10.0, random_.integer(-6, 6));
    p.M *= mass;
    p.F *= mass;
    expect_solved(p, number("scaled case", i));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Gauss, ::testing::Values("native", "qpoases"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace stiction
