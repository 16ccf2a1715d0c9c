// Which forces are shown: least friction first, then least norm; the same on both sides of the boundary.
#include "ask/shown_forces.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "stiction/equilibrium.hpp"
#include "stiction/sticking.hpp"
#include "support/random_problems.hpp"
#include "support/stances.hpp"

namespace stiction {
namespace {

using internal::LeastNormForces;
using testing::Rng;
using testing::uniform;

double most_used(const std::vector<ContactReport>& contacts)
{
  double most = 0.0;
  for (const ContactReport& contact : contacts) most = std::max(most, contact.utilisation);
  return most;
}

/// x is the projection of E'y onto the cones: then it is the shortest solution of E x = e := E x, by optimality.
TEST(LeastNorm, FindsTheShortestForcesThatWereBuilt)
{
  Rng rng{5};
  LeastNormForces solver;
  for (int draw = 0; draw < 200; ++draw) {
    const int contacts = 1 + draw % 8, rows = draw % 3 == 0 ? 3 : 6;
    ConeProgram program;
    program.E = Eigen::MatrixXd::NullaryExpr(rows, 3 * contacts, [&] { return uniform(rng, -1, 1); });
    const Eigen::VectorXd y = testing::gaussian(rng, rows), h = program.E.transpose() * y;
    Eigen::VectorXd built(3 * contacts);
    for (int i = 0; i < contacts; ++i) {
      const double mu = uniform(rng, 0.1, 1.0);
      program.cones.push_back({3 * i, {2, false, mu, 0.0, 1.0, {}}});
      built.segment<3>(3 * i) = project_to_cone(mu, h.segment<3>(3 * i));
    }
    program.e = program.E * built;
    if (built.norm() < 1e-3) continue;
    Eigen::VectorXd found;
    ASSERT_TRUE(solver.solve(program, 3 * contacts, found)) << draw;
    EXPECT_LE((found - built).norm(), 1e-5 * built.norm()) << draw;  // the norm is flat there: the root of rounding
    EXPECT_TRUE(proves_feasible(program, found) || (program.E * found - program.e).norm() <= 1e-12 * program.e.norm());
  }
}

TEST(LeastNorm, KeepsDistancesFromLimitsOutOfTheNorm)  // λ1 + λ2 = 10, λ1 + s = 3: (3, 7), not a compromise with s
{
  ConeProgram program;
  program.E.resize(2, 3);
  program.E << 1, 1, 0, 1, 0, 1;
  program.e = Eigen::Vector2d(10, 3);
  program.cones = {{0, {0, false, 0.0, 0.0, 1.0, {}}}, {1, {0, false, 0.0, 0.0, 1.0, {}}}};
  program.boxes = {{2, 0.0, kInfinity}};
  Eigen::VectorXd found;
  ASSERT_TRUE(LeastNormForces().solve(program, 2, found));
  EXPECT_LE((found - Eigen::Vector3d(3, 7, 0)).norm(), 1e-9);
}

/// Rows that carry next to nothing are balanced to rounding of what they carry.
TEST(Balance, CorrectsRowsThatCarryNextToNothing)
{
  Rng rng{8};
  int corrected = 0;
  for (int draw = 0; draw < 50; ++draw) {
    ConeProgram program;
    program.E.setZero(8, 6);
    for (int i = 0; i < 2; ++i) {
      const Eigen::Vector3d arm(uniform(rng, -1, 1), uniform(rng, -1, 1), 0.0);
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d axis = Eigen::Vector3d::Unit((k + 2) % 3);
        program.E.block<3, 1>(0, 3 * i + k) = axis;
        program.E.block<3, 1>(3, 3 * i + k) = arm.cross(axis);
      }
      program.cones.push_back({3 * i, {2, false, 0.7, 0.0, 1.0, {}}});
    }
    program.E.row(6) = 0.3 * program.E.row(0);  // joints that feel only the little ones
    program.E.row(7) = program.E.row(1) - program.E.row(0);
    Eigen::VectorXd x(6);
    x << 40, uniform(rng, 1, 2) * 1e-5, uniform(rng, 1, 2) * 1e-5, 45, uniform(rng, 1, 2) * 1e-5,
        uniform(rng, 1, 2) * 1e-5;
    program.e = program.E * x;
    Eigen::VectorXd rough = x;
    for (double& entry : rough) entry += uniform(rng, -1, 1) * 1e-14;
    if (proves_feasible(program, rough)) continue;
    ++corrected;
    internal::balance(program, rough);
    std::string why;
    EXPECT_TRUE(proves_feasible(program, rough, &why)) << draw << ": " << why;
  }
  EXPECT_GT(corrected, 40);
}

TEST(Shown, NeedNoMoreFrictionThanTheMarginSays)
{
  Rng rng{3};
  StickingChecker sticking;
  EquilibriumChecker equilibrium;
  StickingOptions options;
  options.margins = true;
  EquilibriumOptions margins;
  margins.friction_scale = true;
  int held = 0, failed = 0;
  for (int draw = 0; draw < 60; ++draw) {
    const testing::Stance stance = testing::random_stance(rng, 2 + draw % 2);
    const StickingResult found = sticking.check(stance.problem, options);
    if (found.friction_scale.state == Margin::State::kKnown && found.friction_scale.upper > 1e-3 &&
        found.friction_scale.upper < 10.0) {
      EXPECT_NEAR(most_used(found.contacts), found.friction_scale.upper, 1e-4 * found.friction_scale.upper) << draw;
      (found.verdict == Verdict::kHolds ? held : failed) += 1;
    }
    const EquilibriumResult balanced = equilibrium.check(stance.problem, {}, margins);
    if (balanced.verdict == Verdict::kHolds && balanced.friction_scale.upper > 1e-3) {
      EXPECT_NEAR(most_used(balanced.contacts), balanced.friction_scale.upper, 1e-4 * balanced.friction_scale.upper);
    }
  }
  EXPECT_GT(held, 5);
  EXPECT_GT(failed, 2);
}

/// A table on four equal legs, pushed along its axis of symmetry.
testing::Stance table(double push)
{
  testing::Stance s = testing::make_stance(20.0, {0.0, 0.0, 0.5});
  for (const auto& [x, y] : {std::pair{1, 1}, {1, -1}, {-1, 1}, {-1, -1}})
    testing::add_foot(s, {0.4 * x, 0.3 * y, 0.0}, Eigen::Vector3d::UnitZ(), 0.5);
  s.problem.F[0] -= push;
  s.problem.F[4] -= 0.2 * push;  // at a height of 0.2 m
  return s;
}

TEST(Shown, AreSymmetricWhereTheTableIs)
{
  StickingOptions options;
  options.margins = true;
  for (const double push : {0.0, 30.0, 120.0}) {  // the last one slips
    const StickingResult found = StickingChecker().check(table(push).problem, options);
    EXPECT_EQ(found.verdict, push < 98.1 ? Verdict::kHolds : Verdict::kFails);
    for (const int pair : {0, 2}) {
      const Eigen::Vector4d left = found.contacts[pair].force, right = found.contacts[pair + 1].force;
      EXPECT_NEAR(left[0], right[0], 1e-4 * 50.0) << push;
      EXPECT_NEAR(left.segment<2>(1).norm(), right.segment<2>(1).norm(), 1e-4 * 50.0) << push;
    }
    EXPECT_NEAR(found.friction_scale.upper, push / 98.1, 1e-6);
    EXPECT_NEAR(most_used(found.contacts), push / 98.1, 2e-5);
  }
}

TEST(Shown, ChangeContinuouslyAcrossTheBoundary)
{
  StickingOptions options;
  options.margins = true;
  const StickingResult holds = StickingChecker().check(table(98.0).problem, options);
  const StickingResult fails = StickingChecker().check(table(98.2).problem, options);
  ASSERT_EQ(holds.verdict, Verdict::kHolds);
  ASSERT_EQ(fails.verdict, Verdict::kFails);
  EXPECT_LE((holds.lambda - fails.lambda).lpNorm<Eigen::Infinity>(), 0.2);  // N, for 0.2 N of push
  for (const ContactReport& contact : fails.contacts) EXPECT_NEAR(contact.utilisation, 98.2 / 98.1, 1e-4);
}

TEST(Shown, OfABalanceChangeContinuouslyAcrossTheBoundary)
{
  EquilibriumOptions options;
  options.friction_scale = true;
  const ContactProblem slips = table(98.2).problem;
  const EquilibriumResult holds = EquilibriumChecker().check(table(98.0).problem, {}, options);
  const EquilibriumResult fails = EquilibriumChecker().check(slips, {}, options);
  ASSERT_EQ(holds.verdict, Verdict::kHolds);
  ASSERT_EQ(fails.verdict, Verdict::kFails);
  ASSERT_TRUE(fails.least_friction_shown);
  EXPECT_LE((holds.lambda - fails.lambda).lpNorm<Eigen::Infinity>(), 0.2);  // N, for 0.2 N of push
  for (const ContactReport& contact : fails.contacts) EXPECT_NEAR(contact.utilisation, 98.2 / 98.1, 1e-4);
  EXPECT_LE((slips.F - slips.J.transpose() * fails.lambda).lpNorm<Eigen::Infinity>(), 1e-9);
  // Without the margin, and where no friction helps, those that come nearest.
  EXPECT_FALSE(EquilibriumChecker().check(slips).least_friction_shown);
  testing::Stance lifted = table(0.0);
  lifted.problem.F[2] = -1.0;
  const EquilibriumResult nothing = EquilibriumChecker().check(lifted.problem, {}, options);
  ASSERT_EQ(nothing.verdict, Verdict::kFails);
  EXPECT_FALSE(nothing.least_friction_shown);
}

/// Data that are known to a tolerance: the forces that come nearest decide, not those that need more friction.
TEST(Shown, OfABalanceDoNotDisturbTheTolerance)
{
  EquilibriumOptions options;
  options.friction_scale = true;
  const double limit = 0.5 * 20.0 * 9.81;
  options.tolerance = 1e-4;
  const EquilibriumResult within = EquilibriumChecker().check(table(limit * (1.0 + 1e-6)).problem, {}, options);
  EXPECT_EQ(within.verdict, Verdict::kHolds);
  EXPECT_FALSE(within.least_friction_shown);
  const EquilibriumResult beyond = EquilibriumChecker().check(table(limit * 1.5).problem, {}, options);
  ASSERT_EQ(beyond.verdict, Verdict::kFails);
  EXPECT_TRUE(beyond.least_friction_shown);
  EXPECT_NEAR(most_used(beyond.contacts), 1.5, 1e-4);
}

/// Between two walls any little friction holds if the walls press hard enough: nobody wants to see a million newtons.
TEST(Shown, StayOfTheSizeOfTheLoadWhereSqueezingWouldDo)
{
  testing::Stance s = testing::make_stance(1.0, {0.0, 0.0, 0.0});
  for (const double side : {-1.0, 1.0})
    for (const double z : {-0.1, 0.1})
      testing::add_foot(s, {0.1 * side, 0.0, z}, -side * Eigen::Vector3d::UnitX(), 0.5);
  StickingOptions options;
  options.margins = true;
  const StickingResult found = StickingChecker().check(s.problem, options);
  ASSERT_EQ(found.verdict, Verdict::kHolds);
  EXPECT_LE(found.friction_scale.upper, 1e-5);
  EXPECT_LE(found.lambda.norm(), 1000.0);
  EXPECT_GT(most_used(found.contacts), 0.0);
}

/// Unique forces have intervals of one number, and forces are unique in every solution at their rim or not.
TEST(Intervals, OfUniqueForcesAreOneNumber)
{
  testing::Stance s = testing::make_stance(20.0, {0.05, 0.02, 0.5});
  for (const Eigen::Vector3d& foot :
       {Eigen::Vector3d(0.4, 0.3, 0.0), Eigen::Vector3d(-0.4, 0.3, 0.0), Eigen::Vector3d(0.0, -0.3, 0.0)})
    testing::add_foot(s, foot, Eigen::Vector3d::UnitZ(), 0.0);
  StickingOptions options;
  options.intervals = true;
  const StickingResult found = StickingChecker().check(s.problem, options);
  ASSERT_EQ(found.verdict, Verdict::kHolds);
  for (const ContactReport& contact : found.contacts) {
    EXPECT_NEAR(contact.normal_interval.lower, contact.force[0], 1e-6);
    EXPECT_NEAR(contact.normal_interval.upper, contact.force[0], 1e-6);
  }
}

TEST(RepairingForce, HoldsAsSaidAndAThousandthLessDoesNot)
{
  Rng rng{12};
  StickingOptions options;
  options.repairs = true;
  options.explain = false;
  int repaired = 0;
  for (int draw = 0; draw < 40; ++draw) {
    testing::Stance stance = testing::random_stance(rng, 1 + draw % 2, 0.2);
    for (int k = 0; k < 3; ++k) stance.problem.F[k] += uniform(rng, -300, 300);
    const StickingResult found = StickingChecker().check(stance.problem, options);
    for (const Repair& repair : found.repairs) {
      if (repair.change != Repair::Change::kForce) continue;
      ContactProblem applied = stance.problem;
      applied.F += repair.force;
      EXPECT_EQ(StickingChecker().check(applied).verdict, Verdict::kHolds) << draw;
      applied.F = stance.problem.F + 0.999 * repair.force;
      EXPECT_EQ(StickingChecker().check(applied).verdict, Verdict::kFails) << draw;
      // in six digits of the largest entry, so that people are shown all of it
      const double unit = std::pow(10.0, std::floor(std::log10(repair.force.lpNorm<Eigen::Infinity>())) - 5.0);
      for (const double entry : repair.force) EXPECT_NEAR(entry / unit, std::round(entry / unit), 1e-3) << draw;
      ++repaired;
    }
  }
  EXPECT_GT(repaired, 10);
}

}  // namespace
}  // namespace stiction
