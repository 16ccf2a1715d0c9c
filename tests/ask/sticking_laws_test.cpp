// Laws that any correct answer obeys, whatever the problem.
#include <gtest/gtest.h>

#include "stiction/sticking.hpp"
#include "support/random_problems.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

using testing::gaussian;
using testing::random_contacts;
using testing::Rng;
using testing::uniform;

class StickingLaws : public ::testing::TestWithParam<const char*> {
 protected:
  StickingChecker checker{make_engine(GetParam())};
  int draws = std::string(GetParam()) == "native" ? testing::trials(1000) : 60;

  Verdict verdict(const ContactProblem& problem, ConeShape shape = {})
  {
    StickingOptions options;
    options.rules.shape = shape;
    options.rules.detachment = Detachment::kForbidden;
    options.largest_slack = false;
    StickingResult result;
    checker.check(problem, options, result);
    return result.verdict;
  }

  /// Random contacts under a random load: the verdict is open.
  ContactProblem open_case(Rng& rng)
  {
    ContactProblem p = random_contacts(rng, 2 + static_cast<int>(rng() % 5), 0.6);
    p.F = p.J.transpose() * gaussian(rng, p.rows());  // Gauss' acceleration is zero, signs and cones are not respected
    p.F[2] += 5.0;
    return p;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, StickingLaws, ::testing::Values("native", "qpoases"),
                         [](const auto& engine) { return engine.param; });

TEST_P(StickingLaws, MoreFrictionNeverTurnsHoldsIntoFails)
{
  Rng rng{21};
  int turned = 0;
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = open_case(rng);
    bool held = false, failed = false;
    for (double factor : {0.25, 0.5, 1.0, 2.0, 4.0}) {
      ContactProblem q = p;
      for (Contact& c : q.contacts) c.mu *= factor;
      const Verdict v = verdict(q);
      ASSERT_NE(v, Verdict::kUndecided);
      ASSERT_FALSE(held && v == Verdict::kFails) << i;
      held = held || v == Verdict::kHolds;
      failed = failed || v == Verdict::kFails;
    }
    turned += held && failed;
  }
  EXPECT_GT(turned, draws / 50);  // the draws do cross the boundary
}

TEST_P(StickingLaws, InnerIsInsideExactIsInsideOuterAndTheyConverge)
{
  Rng rng{22};
  int differ[3] = {0, 0, 0};
  for (int i = 0; i < draws; ++i) {
    const ContactProblem p = open_case(rng);
    const Verdict exact = verdict(p);
    ASSERT_NE(exact, Verdict::kUndecided);
    int step = 0;
    for (int k : {3, 8, 64}) {
      const Verdict inner = verdict(p, ConeShape::inner(k)), outer = verdict(p, ConeShape::outer(k));
      // an inner polygon proves only "holds", an outer one only "fails"
      ASSERT_NE(inner, Verdict::kFails);
      ASSERT_NE(outer, Verdict::kHolds);
      ASSERT_FALSE(inner == Verdict::kHolds && exact == Verdict::kFails);
      ASSERT_FALSE(outer == Verdict::kFails && exact == Verdict::kHolds);
      differ[step++] += (exact == Verdict::kHolds) != (inner == Verdict::kHolds);
      differ[step - 1] += (exact == Verdict::kFails) != (outer == Verdict::kFails);
    }
  }
  EXPECT_GT(differ[0], 0);
  EXPECT_LE(differ[1], differ[0]);
  EXPECT_LE(differ[2], differ[1]);
  EXPECT_LE(differ[2], draws / 100);
}

TEST_P(StickingLaws, ReturnedForcesAreAdmissibleAndDeepest)
{
  Rng rng{23};
  StickingOptions options;
  options.rules.detachment = Detachment::kForbidden;
  int bounded = 0;
  for (int i = 0; i < draws / 4; ++i) {
    const ContactProblem p = open_case(rng);
    const StickingResult r = checker.check(p, options);
    if (r.verdict != Verdict::kHolds) continue;
    const Eigen::VectorXd balance = p.M * r.acceleration + p.F - p.J.transpose() * r.lambda;
    EXPECT_LT(balance.norm(), 1e-10 * (1 + p.F.norm()));
    for (size_t c = 0; c < p.contacts.size(); ++c) {
      const Eigen::Vector4d& f = r.contacts[c].force;
      EXPECT_LE(f.segment<2>(1).norm(), p.contacts[c].mu * f[0] + 1e-9);
      // the common slack: losing it would keep every contact inside
      EXPECT_GE(f[0] - r.slack - f.segment<2>(1).norm() / p.contacts[c].mu, -1e-6 * (1 + f[0]));
    }
    // nothing deeper: with a little more than that slack taken away it fails, unless internal forces can grow at will
    const auto without = [&](double force) {
      ContactProblem q = p;
      for (const Contact& c : p.contacts) q.F -= force * p.J.row(c.row).transpose();
      return verdict(q);
    };
    if (without(100 * (1 + r.slack)) == Verdict::kFails) {
      ++bounded;
      EXPECT_EQ(without(r.slack + 1e-4 * (1 + r.slack)), Verdict::kFails) << i;
    }
  }
  EXPECT_GT(bounded, 0);
}

TEST_P(StickingLaws, LimitsOnNormalForces)
{
  // A plank on two supports: the load's position decides which limit breaks first.
  Rng rng{24};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = testing::free_body(rng);
    for (double x : {-1.0, 1.0})
      for (double y : {-0.1, 0.1}) testing::add_contact(p, {x, y, 0}, Eigen::Vector3d::UnitZ(), 0.5);
    const double weight = 100.0, at = uniform(rng, -0.8, 0.8);
    p.F << 0, 0, weight, 0, -at * weight, 0;     // F = minus the wrench of the weight at (at, 0, 0)
    const double right = weight * (1 + at) / 4;  // per point, by moments
    for (double distance : {0.1, 1e-6, 1e-8}) {
      p.contacts[2].max_normal = p.contacts[3].max_normal = right * (1 + distance);
      ASSERT_EQ(verdict(p), Verdict::kHolds) << i;
      p.contacts[2].max_normal = p.contacts[3].max_normal = right * (1 - distance);
      ASSERT_EQ(verdict(p), Verdict::kFails) << i;
    }
  }
}

TEST_P(StickingLaws, SoftFingersResistTwistingUpToTheirTorsion)
{
  Rng rng{25};
  for (int i = 0; i < draws; ++i) {
    // Two opposed soft fingers squeeze a body; a torque about their line is carried by torsion alone.
    ContactProblem p = testing::free_body(rng);
    testing::add_contact(p, {-0.1, 0, 0}, Eigen::Vector3d::UnitX(), 0.6);
    testing::add_contact(p, {0.1, 0, 0}, -Eigen::Vector3d::UnitX(), 0.6);
    Eigen::MatrixXd J(8, 6);
    J << p.J.topRows(3), Eigen::RowVectorXd::Zero(6), p.J.bottomRows(3), Eigen::RowVectorXd::Zero(6);
    J(3, 3) = 1.0;  // rotation about each finger's own normal
    J(7, 3) = -1.0;
    p.J = J;
    p.gamma.setZero(8);
    p.contacts[1].row = 4;
    const double torsion = uniform(rng, 0.005, 0.05), squeeze = uniform(rng, 1, 20);
    for (Contact& c : p.contacts) {
      c.torsional = true;
      c.torsion = torsion;
      c.max_normal = squeeze;  // internal forces could otherwise grow at will
    }
    const double limit = 2 * torsion * squeeze;
    for (double distance : {0.2, 1e-5, 1e-8}) {
      p.F << 0, 0, 0, limit * (1 - distance), 0, 0;
      ASSERT_EQ(verdict(p), Verdict::kHolds) << i;
      p.F[3] = limit * (1 + distance);
      ASSERT_EQ(verdict(p), Verdict::kFails) << i;
    }
  }
}

}  // namespace
}  // namespace stiction
