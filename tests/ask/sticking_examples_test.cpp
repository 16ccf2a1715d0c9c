// The worked examples of the paper, both verdicts of each and their boundaries.
#include <gmock/gmock.h>

#include "stiction/sticking.hpp"
#include "support/algebra.hpp"
#include "support/examples.hpp"

namespace stiction {
namespace {

using testing::block_on_corner;
using testing::block_on_ground;
using testing::fingers_on_guide;
using testing::moving_fingers_on_guide;
using testing::three_fingers;

class StickingExamples : public ::testing::TestWithParam<const char*> {
 protected:
  StickingChecker checker{make_engine(GetParam())};

  StickingResult check(const ContactProblem& problem, StickingOptions options = {})
  {
    StickingResult result = checker.check(problem, options);
    EXPECT_EQ(result.verdict == Verdict::kUndecided, !result.reason.empty()) << result.reason;
    return result;
  }

  /// `truth` holds for the exact numbers; nearer to the boundary than `decided` "undecided" is allowed, the opposite
  /// never.
  void expect_never_wrong(const ContactProblem& problem, Verdict truth, double distance,
                          Detachment detachment = Detachment::kAllowed, double decided = 1e-9)
  {
    StickingOptions options;
    options.rules.detachment = detachment;
    const Verdict verdict = check(problem, options).verdict;
    if (distance > decided)
      EXPECT_EQ(verdict, truth) << "at relative distance " << distance;
    else
      EXPECT_TRUE(verdict == truth || verdict == Verdict::kUndecided) << "at relative distance " << distance;
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, StickingExamples, ::testing::Values("native", "qpoases"),
                         [](const auto& engine) { return engine.param; });

TEST_P(StickingExamples, BlockOnGroundCarriesItsWeight)
{
  const StickingResult r = check(block_on_ground(2, 1, 0.5, 0.4, 0));
  ASSERT_EQ(r.verdict, Verdict::kHolds) << r.reason;
  EXPECT_NEAR(r.contacts[0].force[0] + r.contacts[1].force[0], 2 * 9.81, 1e-12);
  EXPECT_NEAR(r.acceleration.norm(), 0, 1e-12);
  EXPECT_TRUE(r.acceleration_unique);
  EXPECT_EQ(r.indeterminacy, 1);  // the two tangential forces
  EXPECT_TRUE(r.strict);
  EXPECT_NEAR(r.slack, 9.81, 1e-4);  // 9.81 N per corner could be lost
}

TEST_P(StickingExamples, BlockSticksIffFrictionAndWidthAllow)
{
  const double m = 1.5, g = 9.81;
  for (double mu : {0.1, 0.5, 1.0, 3.0})
    for (double l : {0.2, 1.0, 4.0}) {
      const double L = 1.0, limit = std::min(mu * m * g, m * g * L / l);
      for (double side : {1.0, -1.0})
        for (double distance : {0.3, 1e-3, 1e-6, 3e-9, 1e-10, 1e-11, 1e-12}) {
          expect_never_wrong(block_on_ground(m, L, l, mu, side * limit * (1 - distance), g), Verdict::kHolds, distance,
                             Detachment::kForbidden);
          expect_never_wrong(block_on_ground(m, L, l, mu, side * limit * (1 + distance), g), Verdict::kFails, distance,
                             Detachment::kForbidden);
        }
    }
}

TEST_P(StickingExamples, TallBlockTipsOverOneCornerThatSticks)
{
  // |f| l > m g L with ample friction: (65) has a solution in which one corner lifts; the report says so.
  const StickingResult r = check(block_on_ground(1, 1, 4, 3.0, 4.0));
  EXPECT_EQ(r.verdict, Verdict::kHolds);
  EXPECT_EQ(r.contacts[0].state, ContactState::kSticking);
  EXPECT_EQ(r.contacts[1].state, ContactState::kDetaching);
  EXPECT_GT(r.contacts[1].normal_acceleration, 0.1);
  EXPECT_THAT(r.explanation, ::testing::HasSubstr("left detaches"));
}

TEST_P(StickingExamples, WhereNoFrictionHelpsThatIsSaid)
{
  StickingOptions options;
  options.margins = options.repairs = options.explain = true;
  const StickingResult r = check(block_on_ground(1, 4, 0.0, 0.2, 3.0, 0.0), options);  // pushed, and weightless
  EXPECT_EQ(r.verdict, Verdict::kFails) << r.reason;
  EXPECT_EQ(r.friction_scale.state, Margin::State::kNone);
  EXPECT_FALSE(r.explanation.empty());
}

TEST_P(StickingExamples, BlockTangentialForcesOnlySumIsUnique)
{
  const StickingResult r = check(block_on_ground(1, 1, 0.5, 0.8, 3.0));
  ASSERT_EQ(r.verdict, Verdict::kHolds);
  EXPECT_NEAR(r.contacts[0].force[1] + r.contacts[1].force[1], -3.0, 1e-12);
  EXPECT_FALSE(r.contacts[0].unique);
}

TEST_P(StickingExamples, BlockMinimalFrictionIsPushOverWeight)
{
  StickingOptions options;
  options.margins = options.repairs = options.intervals = true;
  StickingResult r = check(block_on_ground(1, 2, 0.5, 0.8, 3.0), options);
  ASSERT_EQ(r.verdict, Verdict::kHolds);
  ASSERT_EQ(r.friction_scale.state, Margin::State::kKnown);
  EXPECT_NEAR(r.friction_scale.upper, 3.0 / 9.81 / 0.8, 1e-6);
  // moments: (right - left) L/2 = push l/2
  const double right = (9.81 + 3.0 * 0.5 / 2) / 2;
  EXPECT_NEAR(r.contacts[0].normal_interval.lower, right, 1e-6);
  EXPECT_NEAR(r.contacts[0].normal_interval.upper, right, 1e-6);

  r = check(block_on_ground(1, 2, 0.5, 0.2, 3.0), options);
  ASSERT_EQ(r.verdict, Verdict::kFails);
  ASSERT_EQ(r.friction_scale.state, Margin::State::kKnown);
  EXPECT_NEAR(r.friction_scale.upper, 3.0 / 9.81 / 0.2, 1e-5);
  bool common = false, force = false;
  int single = 0;
  for (const Repair& repair : r.repairs) {
    if (repair.change == Repair::Change::kCommonFriction) common = true;
    if (repair.change == Repair::Change::kFriction) {
      ++single;
      ContactProblem repaired = block_on_ground(1, 2, 0.5, 0.2, 3.0);
      repaired.contacts[repair.contact].mu = repair.value;
      EXPECT_EQ(check(repaired).verdict, Verdict::kHolds);
      repaired.contacts[repair.contact].mu = repair.value * (1 - 1e-5);
      EXPECT_EQ(check(repaired).verdict, Verdict::kFails);
    }
    if (repair.change == Repair::Change::kForce) {
      force = true;
      ContactProblem repaired = block_on_ground(1, 2, 0.5, 0.2, 3.0);
      const Eigen::VectorXd F = repaired.F;
      repaired.F = F + 1.0001 * repair.force;
      EXPECT_EQ(check(repaired).verdict, Verdict::kHolds);
      repaired.F = F + 0.999 * repair.force;
      EXPECT_EQ(check(repaired).verdict, Verdict::kFails);
    }
  }
  EXPECT_TRUE(common);
  EXPECT_TRUE(force);
  EXPECT_EQ(single, 2);
}

/// Example 6 with motors on the fingers: -mu1 F1 + mu2 F2 >= g, so the shortest change of (F1, F2) is along (-mu1,
/// mu2).
TEST_P(StickingExamples, FingersArePressedByTheirMotorsAlone)
{
  constexpr double g = 9.81, mu1 = 0.5, mu2 = 0.3, F1 = -8.0, F2 = 10.0;
  StickingOptions options;
  options.repairs = true;
  const auto force_of = [&](const std::vector<int>& dofs) -> Eigen::VectorXd {
    options.repair_dofs = dofs;
    for (const Repair& repair : check(fingers_on_guide(F1, F2, mu1, mu2), options).repairs)
      if (repair.change == Repair::Change::kForce) return repair.force;
    return {};
  };
  const double missing = g + mu1 * F1 - mu2 * F2, norm = mu1 * mu1 + mu2 * mu2;
  const Eigen::VectorXd both = force_of({2, 3});
  ASSERT_EQ(both.size(), 4);
  EXPECT_EQ(both.head(2), Eigen::Vector2d::Zero());
  EXPECT_NEAR(both[2], -mu1 * missing / norm, 1e-3);
  EXPECT_NEAR(both[3], mu2 * missing / norm, 1e-3);
  const Eigen::VectorXd second = force_of({3});
  ASSERT_EQ(second.size(), 4);
  EXPECT_EQ(second.head(3), Eigen::Vector3d::Zero());
  EXPECT_NEAR(second[3], missing / mu2, 0.01);
  for (const Eigen::VectorXd& force : {both, second}) {
    ContactProblem repaired = fingers_on_guide(F1, F2, mu1, mu2);
    repaired.F += force;
    EXPECT_EQ(check(repaired).verdict, Verdict::kHolds);
    repaired.F -= 2e-3 * force;
    EXPECT_EQ(check(repaired).verdict, Verdict::kFails);
  }
  EXPECT_GT(std::abs(force_of({})[1]), 0.1) << "the weight itself, which no motor lifts";
  EXPECT_EQ(force_of({0}).size(), 0) << "the guide carries what is added across it";
}

TEST_P(StickingExamples, BlockWithoutFrictionHoldsOnlyWithoutPush)
{
  EXPECT_EQ(check(block_on_ground(1, 1, 1, 0, 0)).verdict, Verdict::kHolds)
      << check(block_on_ground(1, 1, 1, 0, 0)).reason;
  EXPECT_EQ(check(block_on_ground(1, 1, 1, 0, 1e-6)).verdict, Verdict::kFails);
}

TEST_P(StickingExamples, BlockPulledUpDetaches)
{
  ContactProblem p = block_on_ground(1, 1, 0.5, 0.5, 0);
  p.F[1] = -2.0;  // lifted
  StickingResult r = check(p);
  EXPECT_EQ(r.verdict, Verdict::kHolds);  // (65): no force needed, both contacts detach
  EXPECT_EQ(r.contacts[0].state, ContactState::kDetaching);
  EXPECT_EQ(r.contacts[1].state, ContactState::kDetaching);
  EXPECT_NEAR(r.acceleration[1], 2.0, 1e-12);
  EXPECT_THAT(r.explanation, ::testing::HasSubstr("detach"));
  StickingOptions forbidden;
  forbidden.rules.detachment = Detachment::kForbidden;
  EXPECT_EQ(check(p, forbidden).verdict, Verdict::kFails);  // (61): the ground would have to pull
}

TEST_P(StickingExamples, CornerForceIsUniqueAndSticksIffInsideTheCone)
{
  // Example 2: one contact, M > 0: λ = G^-1 (J M^-1 F), sticks iff |λt| <= μ λn.
  const double m = 1.0, L = 1.0, l = 0.6;
  for (double theta : {0.0, 0.3, 0.7, 1.2})
    for (double fx : {-4.0, 0.0, 2.5}) {
      const Eigen::Vector3d F(fx, m * 9.81, 0.4);
      ContactProblem p = block_on_corner(m, L, l, theta, 1.0, F);
      const Eigen::Matrix2d G = testing::delassus(p);
      const Eigen::Vector2d lambda = testing::inverse(G) * (p.J * testing::inverse(p.M) * F);
      ASSERT_GT(lambda[0], 0.0);
      const double needed = std::abs(lambda[1]) / lambda[0];
      // The block turns about its corner: accelerations of other solutions, and with them the load, are known to about
      // 1e-8 only (docs/proofs.md, what it costs). That it holds is shown by forces, which need no such doubt.
      for (double distance : {0.5, 1e-4, 3e-7, 1e-8, 1e-10, 1e-12}) {
        p.contacts[0].mu = needed * (1 + distance);
        expect_never_wrong(p, Verdict::kHolds, distance);
        p.contacts[0].mu = needed * (1 - distance);
        expect_never_wrong(p, Verdict::kFails, distance, Detachment::kAllowed, 1e-7);
      }
      p.contacts[0].mu = needed * 2;
      const StickingResult r = check(p);
      EXPECT_NEAR(r.contacts[0].force[0], lambda[0], 1e-11);
      EXPECT_NEAR(r.contacts[0].force[1], lambda[1], 1e-11);
      EXPECT_TRUE(r.contacts[0].unique);
      EXPECT_EQ(r.indeterminacy, 0);
    }
}

TEST_P(StickingExamples, ThreeFingersCarryTheObjectIffTheyPressEnough)
{
  // Without a push nothing holds the object; with a strong one friction does.
  EXPECT_EQ(check(three_fingers(0.2, 0.001, 0.05, {20, 20, 20}, 0.5, 9.81)).verdict, Verdict::kHolds);
  EXPECT_EQ(check(three_fingers(0.2, 0.001, 0.05, {0.1, 0.1, 0.1}, 0.5, 9.81)).verdict, Verdict::kFails);
  const StickingResult r = check(three_fingers(0.2, 0.001, 0.05, {20, 20, 20}, 0.5, 9.81));
  for (const ContactReport& c : r.contacts) EXPECT_LE(c.utilisation, 1.0);
}

TEST_P(StickingExamples, FingersOnGuideHoldIffFrictionCarriesTheWeight)
{
  const double g = 9.81;
  for (double mu1 : {0.2, 0.8})
    for (double F1 : {-5.0, -20.0}) {
      const double mu2 = 0.5, F2_needed = (g + mu1 * F1) / mu2;
      if (F2_needed <= 0.0) continue;
      for (double distance : {0.2, 1e-5, 1e-8, 1e-10, 1e-12}) {
        expect_never_wrong(fingers_on_guide(F1, F2_needed * (1 + distance), mu1, mu2, g), Verdict::kHolds, distance);
        expect_never_wrong(fingers_on_guide(F1, F2_needed * (1 - distance), mu1, mu2, g), Verdict::kFails, distance);
      }
    }
  StickingOptions options;
  options.intervals = true;
  const StickingResult r = check(fingers_on_guide(-30, 40, 0.3, 0.4, g), options);
  ASSERT_EQ(r.verdict, Verdict::kHolds);
  EXPECT_NEAR(r.contacts[0].force[0], 30, 1e-11);
  EXPECT_NEAR(r.contacts[1].force[0], 40, 1e-11);
  EXPECT_NEAR(r.lambda[4], -30 + 40, 1e-11);  // λnb = F1 + F2
  EXPECT_NEAR(r.contacts[0].force[1] + r.contacts[1].force[1], g, 1e-11);
  EXPECT_NEAR(r.acceleration.norm(), 0, 1e-12);
  EXPECT_EQ(r.indeterminacy, 1);  // the segment λt1 + λt2 = g
  EXPECT_NEAR(r.contacts[0].normal_interval.lower, 30, 1e-7);
}

TEST_P(StickingExamples, FingersPulledAwayDetachAndTheMassFalls)
{
  const StickingResult r = check(fingers_on_guide(5, -5, 0.5, 0.5));
  EXPECT_EQ(r.verdict, Verdict::kFails);
  EXPECT_EQ(r.contacts[0].state, ContactState::kDetaching);
  EXPECT_EQ(r.contacts[1].state, ContactState::kDetaching);
}

TEST_P(StickingExamples, MovingFingersStickWhileAccelerating)
{
  const double g = 9.81, Fy = 2.0, lambda = (g - Fy) / 3, a = -(g + 2 * Fy) / 3;
  const StickingResult r = check(moving_fingers_on_guide(-20, 20, Fy, 0.5, 0.5, g));
  ASSERT_EQ(r.verdict, Verdict::kHolds);
  EXPECT_NEAR(r.contacts[0].force[1], lambda, 1e-11);
  EXPECT_NEAR(r.contacts[1].force[1], lambda, 1e-11);
  for (int dof : {1, 3, 5}) EXPECT_NEAR(r.acceleration[dof], a, 1e-11);
  for (double distance : {0.2, 1e-6, 1e-10, 1e-12}) {
    const double press = lambda / 0.5;
    expect_never_wrong(moving_fingers_on_guide(-press * (1 + distance), 30, Fy, 0.5, 0.5, g), Verdict::kHolds,
                       distance);
    expect_never_wrong(moving_fingers_on_guide(-press * (1 - distance), 30, Fy, 0.5, 0.5, g), Verdict::kFails,
                       distance);
  }
}

}  // namespace
}  // namespace stiction
