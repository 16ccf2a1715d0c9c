// Equilibrium of data that are known to a relative size only.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <cmath>
#include <random>

#include "stiction/equilibrium.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

constexpr double kMu = 0.5, kWeight = 10.0;

/// A point on the ground, pushed sideways with a little more than its friction: mu * weight + excess.
ContactProblem pushed_point(double excess)
{
  ContactProblem problem;
  problem.M = Eigen::Matrix3d::Zero();
  problem.F = Eigen::Vector3d(kMu * kWeight + excess, 0.0, kWeight);
  problem.J.resize(3, 3);
  problem.J << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  problem.gamma.setZero(3);
  problem.contacts.resize(1);
  problem.contacts[0].name = "foot";
  problem.contacts[0].mu = kMu;
  return problem;
}

/// The tolerance from which on some problem that near holds: by then x and z together make up for the excess,
/// t (|F_x| + |f|₁) + mu t (|F_z| + |f|₁) = excess, to first order.
double least_tolerance(double excess)
{
  const double x = kMu * kWeight, all = x + kWeight;
  return excess / (x + all + kMu * (kWeight + all));
}

EquilibriumResult check(const ContactProblem& problem, double tolerance)
{
  EquilibriumOptions options;
  options.tolerance = tolerance;
  options.friction_scale = true;
  return EquilibriumChecker().check(problem, {}, options);
}

TEST(Tolerance, HoldsFromWhereAProblemThatNearHolds)
{
  for (const double excess : {1e-9, 5e-7, 1e-4}) {
    const ContactProblem problem = pushed_point(excess);
    const double least = least_tolerance(excess);
    EXPECT_EQ(check(problem, 0.0).verdict, Verdict::kFails);
    EXPECT_EQ(check(problem, 0.5 * least).verdict, Verdict::kFails) << excess;  // all problems that near fail
    EXPECT_NE(check(problem, 0.99 * least).verdict, Verdict::kHolds) << excess;
    const EquilibriumResult found = check(problem, 2.0 * least);  // the forces that come nearest need no more
    ASSERT_EQ(found.verdict, Verdict::kHolds) << excess;
    EXPECT_GE(found.change, 0.999 * least);
    EXPECT_LE(found.change, 2.0 * least);
    EXPECT_EQ(found.friction_scale.state, Margin::State::kNotAsked);  // of the data as they are, which fail
    Judge judge;
    EXPECT_EQ(judge.equilibrium(problem, {}, {}, found.certificate), Verdict::kUndecided);
    EXPECT_EQ(judge.equilibrium_within(1.001 * found.change, problem, {}, {}, found.certificate), Verdict::kHolds);
    EXPECT_EQ(judge.equilibrium_within(0.999 * found.change, problem, {}, {}, found.certificate), Verdict::kUndecided);
  }
}

TEST(Tolerance, ChangesNothingWhereTheDataHold)
{
  const EquilibriumResult exact = check(pushed_point(-1e-3), 0.0), within = check(pushed_point(-1e-3), 1e-3);
  EXPECT_EQ(within.verdict, Verdict::kHolds);
  EXPECT_EQ(within.change, 0.0);
  EXPECT_EQ(within.lambda, exact.lambda);
}

/// Boxes of 1 kg on top of each other, four frictionless corners each, the floor turned by `tilt`: nothing balances the
/// weight's component along it.
ContactProblem stack_of_boxes(int boxes, double tilt)
{
  constexpr double kHalf = 0.1;
  ContactProblem problem;
  const Eigen::Index nv = 6 * boxes;
  problem.M.setZero(nv, nv);
  problem.F.setZero(nv);
  problem.J.setZero(12 * boxes, nv);
  problem.gamma.setZero(12 * boxes);
  for (int box = 0; box < boxes; ++box) {
    problem.F.segment<3>(6 * box) = 9.81 * Eigen::Vector3d(std::sin(tilt), 0.0, std::cos(tilt));
    for (int corner = 0; corner < 4; ++corner) {
      const int row = 12 * box + 3 * corner;
      const double x = corner % 2 ? kHalf : -kHalf, y = corner / 2 ? kHalf : -kHalf;
      for (const int side : {0, 1}) {  // pushes the box up and the one below down
        if (box == 0 && side == 1) continue;
        const double sign = side == 0 ? 1.0 : -1.0;
        const Eigen::Vector3d at(x, y, side == 0 ? -kHalf : kHalf);
        const Eigen::Vector3d axes[3] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()};
        for (int k = 0; k < 3; ++k) {
          problem.J.row(row + k).segment<3>(6 * (box - side)) = sign * axes[k].transpose();
          problem.J.row(row + k).segment<3>(6 * (box - side) + 3) = sign * at.cross(axes[k]).transpose();
        }
      }
      Contact contact;
      contact.name = "c" + std::to_string(4 * box + corner);
      contact.row = row;
      problem.contacts.push_back(contact);
    }
  }
  return problem;
}

TEST(Tolerance, LetsStacksStandThatMissByLittle)
{
  for (const double tilt : {1e-10, 4e-7}) {
    const ContactProblem stack = stack_of_boxes(3, tilt);
    EXPECT_EQ(check(stack, 0.0).verdict, Verdict::kFails) << tilt;
    const EquilibriumResult found = check(stack, 1e-6);
    ASSERT_EQ(found.verdict, Verdict::kHolds) << tilt << ": " << found.reason;
    // The weight and, at each corner, its share may be turned: by at least a third of the tilt together.
    EXPECT_GE(found.change, 0.1 * tilt);
    EXPECT_LE(found.change, tilt);
    EXPECT_NE(check(stack, 1e-3 * tilt).verdict, Verdict::kHolds) << tilt;
  }
  EXPECT_EQ(check(stack_of_boxes(3, 0.0), 0.0).verdict, Verdict::kHolds);
  EXPECT_NE(check(stack_of_boxes(3, 1e-3), 1e-6).verdict, Verdict::kHolds);
}

/// No change of data that are zero lifts a body that nothing touches from above.
TEST(Tolerance, PullsNobodyUp)
{
  ContactProblem problem = pushed_point(0.0);
  problem.F[2] = -kWeight;
  EXPECT_EQ(check(problem, 1e-3).verdict, Verdict::kFails);
}

/// Nobody can prove both: forces and motions that are judged with one tolerance exclude each other, at every size of
/// it.
TEST(Tolerance, NobodyProvesBoth)
{
  std::mt19937 rng{3};
  std::uniform_real_distribution<double> exponent(-12.0, -3.0), factor(0.2, 5.0);
  Judge judge;
  int holds = 0, fails = 0;
  for (int draw = 0; draw < 200; ++draw) {
    const double excess = std::pow(10.0, exponent(rng)), tolerance = factor(rng) * least_tolerance(excess);
    const ContactProblem problem = pushed_point(excess);
    const EquilibriumResult within = check(problem, tolerance), exact = check(problem, 0.0);
    holds += within.verdict == Verdict::kHolds;
    fails += within.verdict == Verdict::kFails;
    if (within.verdict == Verdict::kHolds) {
      EXPECT_NE(judge.equilibrium_within(tolerance, problem, {}, {}, exact.certificate), Verdict::kFails);
    }
  }
  EXPECT_GT(holds, 50);
  EXPECT_GT(fails, 20);
}

TEST(Tolerance, OfMoreThanAHundredthIsRefused)
{
  EXPECT_THROW(check(pushed_point(1.0), 0.1), InputError);
  EXPECT_THROW(check(pushed_point(1.0), -1e-9), InputError);
  EXPECT_THROW(check(pushed_point(1.0), std::nan("")), InputError);
}

}  // namespace
}  // namespace stiction
