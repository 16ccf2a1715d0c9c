// The monitor of bodies in motion: its verdicts are those of a fresh decision, its proofs those of the step's numbers.
#include "stiction/sticking_monitor.hpp"

#include <gtest/gtest.h>

#include "stiction/error.hpp"
#include "stiction/sticking.hpp"
#include "support/random_problems.hpp"

namespace stiction {
namespace {

TEST(StickingMonitor, NeverChangesAVerdict)
{
  testing::Rng rng{31};
  int held_again = 0, held = 0, failed = 0;
  for (int walk = 0; walk < 40; ++walk) {
    ContactProblem p = testing::random_contacts(rng, 3 + walk % 4, 0.3);
    if (walk % 4 == 3) p.contacts[0].mu = 0.0;
    if (walk % 2)
      testing::make_holding(rng, p);
    else if (!testing::make_failing(rng, p))
      continue;
    StickingRules rules;
    if (walk % 5 == 4) rules.detachment = Detachment::kForbidden;
    StickingMonitor monitor(rules);
    StickingChecker fresh;
    StickingOptions options;
    options.rules = rules;
    const Eigen::VectorXd load = p.F, other = load + 0.6 * load.norm() * testing::gaussian(rng, p.nv()).normalized();
    for (int i = 0; i < 60; ++i) {
      const double share = 0.5 - 0.5 * std::cos(0.1 * i);
      p.F = (1.0 - share) * load + share * other;
      // Bodies in motion: accelerations of points that rigid bodies can have.
      p.gamma = p.J * Eigen::VectorXd::Constant(p.nv(), 0.3 * share).eval();
      const Verdict verdict = monitor.step(p);
      const Verdict expected = fresh.check(p, options).verdict;
      if (verdict != Verdict::kUndecided && expected != Verdict::kUndecided) {
        ASSERT_EQ(verdict, expected) << walk << " " << i;
      }
      if (verdict == Verdict::kUndecided) continue;
      ASSERT_EQ(judge(p, rules, monitor.certificate()), verdict) << walk << " " << i;
      held += verdict == Verdict::kHolds;
      failed += verdict == Verdict::kFails;
      held_again += monitor.reused();
      if (verdict != Verdict::kHolds) continue;
      EXPECT_LT((p.M * monitor.acceleration() + p.F - p.J.transpose() * monitor.lambda()).norm(), 1e-9);
    }
  }
  EXPECT_GT(held, 500);
  EXPECT_GT(failed, 200);
  EXPECT_GT(held_again, held / 2);
}

TEST(StickingMonitor, FlatFeetHaveForcesThatOnlyTheirSumsDecide)
{
  // A block on nine points: rows depend on each other, forces of the steps stay near each other.
  testing::Rng rng{7};
  ContactProblem p = testing::free_body(rng);
  for (int i = 0; i < 9; ++i)
    testing::add_contact(p, {0.1 * (i % 3 - 1), 0.1 * (i / 3 - 1), -0.2}, Eigen::Vector3d::UnitZ(), 0.5);
  StickingMonitor monitor;
  Eigen::VectorXd before;
  for (int i = 0; i < 100; ++i) {
    p.F.setZero(6);
    p.F[2] = 10.0;
    p.F[0] = 3.0 * std::sin(0.06 * i);
    ASSERT_EQ(monitor.step(p), Verdict::kHolds) << i;
    EXPECT_EQ(monitor.reused(), i > 0) << i;
    EXPECT_LT(monitor.acceleration().norm(), 1e-9);
    if (i > 0) {
      EXPECT_LT((monitor.lambda() - before).lpNorm<Eigen::Infinity>(), 0.2);
    }
    before = monitor.lambda();
  }
  p.F[0] = 5.1;
  EXPECT_EQ(monitor.step(p), Verdict::kFails);
  p.F[0] = 4.9;
  EXPECT_EQ(monitor.step(p), Verdict::kHolds);
  EXPECT_FALSE(monitor.reused());
  monitor.reset();
  EXPECT_EQ(monitor.step(p), Verdict::kHolds);
  EXPECT_FALSE(monitor.reused());
  p = testing::random_contacts(rng, 2, 0.1);  // another size
  testing::make_holding(rng, p);
  EXPECT_NE(monitor.step(p), Verdict::kFails);
  EXPECT_FALSE(monitor.reused());
}

/// Accelerations of micrometres per second squared under loads of newtons: rounding of the loads is no reason to decide
/// anew.
TEST(StickingMonitor, SlowMotionsUnderLargeLoadsKeepTheirForces)
{
  testing::Rng rng{8};
  ContactProblem p = testing::free_body(rng);
  for (int i = 0; i < 9; ++i)
    testing::add_contact(p, {0.1 * (i % 3 - 1), 0.1 * (i / 3 - 1), -0.2}, Eigen::Vector3d::UnitZ(), 0.5);
  StickingMonitor monitor;
  for (int i = 0; i < 50; ++i) {
    p.F.setZero(6);
    p.F[2] = 10.0;
    p.F[0] = 3.0 * std::sin(0.06 * i);
    const Eigen::VectorXd a = 1e-6 * (1.0 + std::sin(0.05 * i)) * Eigen::VectorXd::LinSpaced(6, 0.3, 1.1);
    p.gamma = -p.J * a;
    ASSERT_EQ(monitor.step(p), Verdict::kHolds) << i;
    EXPECT_EQ(monitor.reused(), i > 0) << i;
    EXPECT_EQ(judge(p, {}, monitor.certificate()), Verdict::kHolds) << i;
    EXPECT_LT((monitor.acceleration() - a).norm(), 1e-12 * a.norm()) << i;
  }
}

TEST(StickingMonitor, WantsAnEngine) { EXPECT_THROW(StickingMonitor({}, nullptr), InputError); }

}  // namespace
}  // namespace stiction
