// The multiplier set against J'λ + τ = e written out row by row.
#include "ask/multiplier_set.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_problems.hpp"

namespace stiction::internal {
namespace {

using testing::gaussian;
using testing::Rng;

/// Three contacts of a body, the second of which leaves, the third of which may pull and is limited, a closure of two
/// rows.
class MultiplierSetOf : public ::testing::Test {
 protected:
  void SetUp() override
  {
    problem_ = testing::random_contacts(rng_, 3, 0.3);
    problem_.contacts[2].side = Side::kBilateral;
    problem_.contacts[2].max_normal = 5.0;
    const auto row = problem_.J.rows();
    problem_.J.conservativeResize(row + 2, 6);
    problem_.J.bottomRows(2) = Eigen::Map<Eigen::MatrixXd>(gaussian(rng_, 12).data(), 2, 6);
    problem_.gamma = Eigen::VectorXd::Zero(row + 2);
    problem_.loops.push_back({"hinge", static_cast<int>(row), 2});
    loads_.reset(problem_);
    loads_.e = gaussian(rng_, 6);
    loads_.e_scale = loads_.e.cwiseAbs();
  }

  /// Motors on the last two degrees of freedom: one with both limits, one without an upper one.
  void add_motors()
  {
    loads_.lower[4] = -1.0;
    loads_.upper[4] = 2.0;
    loads_.lower[5] = -3.0;
    loads_.upper[5] = kInfinity;
  }

  Eigen::VectorXd efforts(const Eigen::VectorXd& lambda) const { return loads_.e - problem_.J.transpose() * lambda; }

  Rng rng_{17};
  ContactProblem problem_;
  Loads loads_;
  std::vector<char> detaching_ = {0, 1, 0};
  std::vector<int> pull_ = {0, 0, -1}, either_ = {0, 0, 0};
  MultiplierSet set_;
};

TEST_F(MultiplierSetOf, IsTheBalanceOfWhatStays)
{
  set_.build(problem_, {}, loads_, detaching_);
  const ConeProgram& program = set_.arrange(loads_, pull_);
  EXPECT_EQ(set_.column(1), -1);
  EXPECT_EQ(set_.force_columns(), 3 + 3 + 2);
  EXPECT_EQ(set_.exact_rows(), 6);
  Eigen::VectorXd lambda = gaussian(rng_, problem_.rows()), x, back;
  lambda.segment(problem_.contacts[1].row, 3).setZero();
  set_.from_lambda(lambda, x);
  EXPECT_LE((program.E.topRows(6) * x - problem_.J.transpose() * lambda).norm(), 1e-14);
  EXPECT_EQ(program.e.head(6), loads_.e);
  set_.to_lambda(x, back);
  EXPECT_EQ(back, lambda);
  program.validate();
}

TEST_F(MultiplierSetOf, TellsTheSidesApart)
{
  set_.build(problem_, {}, loads_, detaching_);
  EXPECT_FALSE(set_.needs_sign(0));
  EXPECT_FALSE(set_.needs_sign(1)) << "it carries nothing";
  EXPECT_TRUE(set_.needs_sign(2));
  for (const int sign : {1, -1}) {
    pull_[2] = sign;
    const ConeProgram& program = set_.arrange(loads_, pull_, {2.0, 0, 0.7});
    ASSERT_EQ(program.cones.size(), 2u);
    EXPECT_EQ(program.cones[0].cone.sign, 1.0);
    EXPECT_EQ(program.cones[0].cone.mu, 0.7) << "replaced";
    EXPECT_EQ(program.cones[1].cone.sign, sign);
    EXPECT_EQ(program.cones[1].cone.mu, 2.0 * problem_.contacts[2].mu);
  }
  const ConeProgram& relaxed = set_.arrange(loads_, either_);
  EXPECT_EQ(relaxed.cones.size(), 1u);
  EXPECT_EQ(relaxed.free.size(), 3u + 2u);
}

TEST_F(MultiplierSetOf, LeavesOnlyTheNormalOfARailWithoutFriction)
{
  problem_.contacts[2].mu = 0.0;
  problem_.contacts[2].max_normal = loads_.max_normal[2] = kInfinity;
  set_.build(problem_, {}, loads_, detaching_);
  EXPECT_FALSE(set_.needs_signs());
  const ConeProgram& program = set_.arrange(loads_, either_);
  EXPECT_EQ(program.free.size(), 1u + 2u);
  ASSERT_EQ(program.boxes.size(), 2u);
  for (const BoxVariable& box : program.boxes) EXPECT_TRUE(box.lower == 0.0 && box.upper == 0.0);
  problem_.contacts[2].max_normal = loads_.max_normal[2] = 5.0;
  set_.build(problem_, {}, loads_, detaching_);
  EXPECT_TRUE(set_.needs_sign(2)) << "a limit has a side";
}

TEST_F(MultiplierSetOf, TakesGivenEffortsOffTheLoads)
{
  loads_.lower[3] = loads_.upper[3] = 2.5;
  set_.build(problem_, {}, loads_, detaching_);
  EXPECT_EQ(set_.exact_rows(), 6);
  EXPECT_EQ(set_.arrange(loads_, pull_).e[3], loads_.e[3] - 2.5);
}

TEST_F(MultiplierSetOf, KeepsTheDistanceFromALimit)
{
  set_.build(problem_, {}, loads_, detaching_);
  for (const int sign : {1, -1}) {
    pull_[2] = sign;
    const ConeProgram& program = set_.arrange(loads_, pull_);
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(problem_.rows()), x;
    lambda[problem_.contacts[2].row] = sign * 3.0;
    set_.from_lambda(lambda, x);
    set_.complete(x);
    EXPECT_NEAR(program.E.row(6).dot(x), program.e[6], 1e-15);
    EXPECT_EQ(program.e[6], 5.0);
    EXPECT_EQ(x[set_.force_columns()], 2.0);
  }
}

TEST_F(MultiplierSetOf, MakesRowsOfBoundsThatAreViolated)
{
  add_motors();
  set_.build(problem_, {}, loads_, detaching_);
  EXPECT_EQ(set_.exact_rows(), 4);
  EXPECT_TRUE(set_.held_by_motor(4) && set_.held_by_motor(5) && !set_.held_by_motor(3));
  const ConeProgram& program = set_.arrange(loads_, pull_);
  const auto rows = program.E.rows();
  // Efforts within, then beyond, the limits: J'λ is what e leaves to them.
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(problem_.rows()), x;
  const auto closure = problem_.loops[0].row;
  Eigen::Matrix2d J = problem_.J.block<2, 2>(closure, 4).transpose();
  for (const Eigen::Vector2d& wanted : {Eigen::Vector2d(0.5, 7.0), Eigen::Vector2d(2.5, -3.5)}) {
    lambda.segment<2>(closure) = J.inverse() * (loads_.e.tail<2>() - wanted);
    ASSERT_LE((efforts(lambda).tail<2>() - wanted).norm(), 1e-12);
    set_.from_lambda(lambda, x);
    set_.complete(x);
    const bool within = wanted[0] < 2.0;
    EXPECT_EQ(set_.add_violated_bounds(x), !within);
    EXPECT_EQ(program.E.rows(), within ? rows : rows + 2);
  }
  EXPECT_FALSE(set_.add_violated_bounds(x)) << "they are rows already";
  // Within the bounds, what complete() adds makes the new rows hold; they are J_d'λ + p = e - lower, J_d'λ - p = e -
  // upper.
  lambda.segment<2>(closure) = J.inverse() * (loads_.e.tail<2>() - Eigen::Vector2d(1.5, -2.0));
  set_.from_lambda(lambda, x);
  set_.complete(x);
  const Eigen::VectorXd rest = program.E.bottomRows(2) * x - program.e.tail(2);
  EXPECT_LE(rest.norm(), 1e-12);
  EXPECT_NEAR(x[x.size() - 2], 0.5, 1e-12);  // of upper 2
  EXPECT_NEAR(x[x.size() - 1], 1.0, 1e-12);  // of lower -3
  program.validate();
}

TEST_F(MultiplierSetOf, TurnsCertificatesIntoMotionsAndPrices)
{
  add_motors();
  set_.build(problem_, {}, loads_, detaching_);
  const ConeProgram& program = set_.arrange(loads_, pull_);
  Eigen::VectorXd x = 100.0 * Eigen::VectorXd::Ones(program.E.cols());
  ASSERT_TRUE(set_.add_violated_bounds(x));
  // For every admissible p >= 0 and s >= 0 the certificate's gain is that of the motion: y'e = motion'(e - bound) -
  // price max.
  Eigen::VectorXd y = gaussian(rng_, program.E.rows()), motion;
  y[4] = -0.5;  // a limit that presses
  for (Eigen::Index k = 5; k < y.size(); ++k)
    y[k] = program.E(k, program.E.cols() - (y.size() - k)) < 0.0 ? 0.25 : -0.25;
  set_.to_motion(y, motion);
  ASSERT_EQ(motion.size(), 6 + 1);
  double gain = -motion[6] * 5.0;
  for (int d = 0; d < 6; ++d)
    if (motion[d] != 0.0) gain += motion[d] * (loads_.e[d] - (motion[d] > 0.0 ? loads_.upper[d] : loads_.lower[d]));
  EXPECT_NEAR(gain, y.dot(program.e), 1e-12);
  EXPECT_EQ(motion[6], 0.5);
}

TEST_F(MultiplierSetOf, TakesVariablesBesideTheForces)
{
  loads_.lower[5] = -3.0;
  loads_.upper[5] = kInfinity;
  const Eigen::MatrixXd columns = Eigen::Map<Eigen::MatrixXd>(gaussian(rng_, 12).data(), 6, 2);
  set_.build(problem_, {}, loads_, detaching_, &columns);
  const ConeProgram& program = set_.arrange(loads_, pull_);
  EXPECT_EQ(program.E.block(0, set_.extra_column(), 5, 2), columns.topRows(5));
  Eigen::VectorXd x = Eigen::VectorXd::Zero(program.E.cols());
  x[set_.extra_column()] = std::copysign(1e3, columns(5, 0));  // leaves less than the motor can take
  ASSERT_TRUE(set_.add_violated_bounds(x));
  EXPECT_EQ(program.E.block(program.E.rows() - 1, set_.extra_column(), 1, 2), columns.row(5));
}

TEST_F(MultiplierSetOf, MovesAlongALine)
{
  Loads slope, at;
  slope.set_zero(problem_);
  slope.e[2] = 2.0;
  slope.e_scale[2] = 3.0;
  slope.max_normal[2] = -1.0;
  at.set_line(loads_, -0.5, slope);
  EXPECT_EQ(at.e[2], loads_.e[2] - 1.0);
  EXPECT_EQ(at.e_scale[2], loads_.e_scale[2] + 1.5);
  set_.build(problem_, {}, loads_, detaching_);
  EXPECT_EQ(set_.arrange(at, pull_).e[6], 5.5);
  EXPECT_EQ(set_.arrange(loads_, pull_).e[6], 5.0);
}

}  // namespace
}  // namespace stiction::internal
