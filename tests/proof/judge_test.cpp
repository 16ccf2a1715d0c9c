#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>

#include "proof/examples.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using namespace examples;

Verdict decide(const ContactProblem& p, const Certificate& c, const StickingRules& rules = kAllowed)
{
  std::string why;
  const Verdict verdict = judge(p, rules, c, &why);
  EXPECT_EQ(why.empty(), verdict != Verdict::kUndecided) << why;  // a reason exactly when there is no verdict
  return verdict;
}

std::string reason(const ContactProblem& p, const Certificate& c, const StickingRules& rules = kAllowed)
{
  std::string why;
  EXPECT_EQ(judge(p, rules, c, &why), Verdict::kUndecided);
  return why;
}

/// Each entry of a and lambda moved by 1e-9 of the largest, up and down: nothing of it may be accepted.
void expect_tampering_rejected(const ContactProblem& p, const Certificate& good, const StickingRules& rules)
{
  ASSERT_NE(judge(p, rules, good), Verdict::kUndecided);
  for (Eigen::VectorXd Certificate::*part : {&Certificate::a, &Certificate::lambda})
    for (Eigen::Index i = 0; i < (good.*part).size(); ++i)
      for (const double step : {1e-9, -1e-9}) {
        Certificate bad = good;
        (bad.*part)[i] += step * std::max(1.0, (good.*part).lpNorm<Eigen::Infinity>());
        EXPECT_EQ(judge(p, rules, bad), Verdict::kUndecided) << i << " " << step;
        (bad.*part)[i] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_EQ(judge(p, rules, bad), Verdict::kUndecided);
      }
}

/// A proof of failure is charged for what its multipliers and accelerations miss, so small changes may leave it one;
/// large ones may not, and nothing makes it a proof about `held`, which holds though little is missing.
void expect_tampering_charged(const ContactProblem& p, const Certificate& good, const StickingRules& rules,
                              const ContactProblem& held)
{
  ASSERT_EQ(judge(p, rules, good), Verdict::kFails);
  for (Eigen::VectorXd Certificate::*part : {&Certificate::a, &Certificate::lambda})
    for (Eigen::Index i = 0; i < (good.*part).size(); ++i) {
      Certificate bad = good;
      for (const double step : {1e-14, 1e-9, 1e-4, 1.0, 1e3, 1e12})
        for (const double side : {1.0, -1.0}) {
          (bad.*part)[i] = (good.*part)[i] + side * step * std::max(1.0, (good.*part).lpNorm<Eigen::Infinity>());
          EXPECT_NE(judge(p, rules, bad), Verdict::kHolds);
          EXPECT_EQ(judge(held, rules, bad), Verdict::kUndecided) << i << " " << side * step;
          EXPECT_TRUE(step < 1e3 || judge(p, rules, bad) == Verdict::kUndecided) << i << " " << side * step;
        }
      (bad.*part)[i] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_EQ(judge(p, rules, bad), Verdict::kUndecided);
    }
}

/// What a motion clears the rims of cones by: on a rim, rounding of the axes times the largest forces would be charged.
constexpr double kClearOfRims = 1e-11;

/// KKT pair of (QP-G) when every row is an equality, by a dense solve: an oracle for the tests only.
std::pair<Eigen::VectorXd, Eigen::VectorXd> all_rows_kept(const ContactProblem& p)
{
  const Eigen::Index n = p.nv(), m = p.rows();
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = p.M;
  K.topRightCorner(n, m) = -p.J.transpose();
  K.bottomLeftCorner(m, n) = p.J;
  Eigen::VectorXd rhs(n + m);
  rhs << -p.F, -p.gamma;
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(K);
  Eigen::VectorXd x = solver.solve(rhs);
  x += solver.solve(rhs - K * x);
  return {x.head(n), x.tail(m)};
}

// ---------------------------------------------------------------------------------------------- example 1

/// lambda with the tangential force shared equally; f l <= m g L.
Eigen::VectorXd block_forces(double f, double L = 0.4, double l = 1.0)
{
  const double tilt = f * l / L;
  return vec({(kWeight + tilt) / 2, -f / 2, (kWeight - tilt) / 2, -f / 2});
}

TEST(BlockOnGround, HoldsUpToTheFrictionLimitAndFailsBeyond)
{
  const double mu = 0.3, limit = mu * kWeight;  // |f| l <= m g L up to 0.4 m g: sliding comes first
  for (const double f : {0.0, 0.5 * limit, -0.5 * limit}) {
    const ContactProblem p = block(mu, f);
    EXPECT_EQ(decide(p, forces(vec({0, 0, 0}), block_forces(f))), Verdict::kHolds) << f;
    expect_tampering_rejected(p, forces(vec({0, 0, 0}), block_forces(f)), kAllowed);
  }
  const double f = limit * (1 + 1e-9);
  const ContactProblem p = block(mu, f);
  const Eigen::VectorXd y = vec({-1, -(mu + kClearOfRims), 0});
  const Certificate slides = motion(p, vec({0, 0, 0}), block_forces(f), y);
  EXPECT_EQ(decide(p, slides), Verdict::kFails);
  EXPECT_EQ(decide(p, slides, kForbidden), Verdict::kFails);
  EXPECT_EQ(decide(p, forces(vec({0, 0, 0}), block_forces(f))), Verdict::kUndecided);
  EXPECT_THAT(reason(p, motion(p, vec({0, 0, 0}), block_forces(f), vec({-1, -0.9 * mu, 0}))),
              ::testing::HasSubstr("can oppose"));
  // The same motion proves nothing on the other side.
  const ContactProblem inside = block(mu, limit * (1 - 1e-9));
  EXPECT_EQ(decide(inside, motion(inside, vec({0, 0, 0}), block_forces(limit * (1 - 1e-9)), y)), Verdict::kUndecided);
  EXPECT_EQ(decide(inside, motion(inside, vec({0, 0, 0}), block_forces(limit * (1 - 1e-9)), vec({-1, -mu, 0}))),
            Verdict::kUndecided);
  expect_tampering_charged(p, slides, kForbidden, inside);
}

TEST(BlockOnGround, TangentialForcesMayBeSharedInAnyAdmissibleWay)
{
  const double f = 1.0;
  const ContactProblem p = block(0.6, f);
  Eigen::VectorXd lambda = block_forces(f);
  lambda[1] = -1.2;
  lambda[3] = 0.2;
  EXPECT_EQ(decide(p, forces(vec({0, 0, 0}), lambda)), Verdict::kHolds);
  lambda[1] = -6.0;  // beyond 0.6 of its own normal force
  lambda[3] = 5.0;
  EXPECT_THAT(reason(p, forces(vec({0, 0, 0}), lambda)), ::testing::HasSubstr("not admissible"));
}

TEST(BlockOnGround, TipsWhenDetachmentIsForbidden)
{
  const double L = 0.4, l = 1.0, mu = 2.0, limit = kWeight * L / l;
  // The edge lifts a little: at rest it would be charged with rounding of the largest forces.
  const Eigen::VectorXd about_right_edge = -vec({l / 2, L / 2 + kClearOfRims, -1});
  for (const double f : {limit * (1 - 1e-9), limit * (1 + 1e-9)}) {
    const ContactProblem p = block(mu, f);
    const Eigen::VectorXd zero = vec({0, 0, 0});
    const bool holds = f < limit;
    Eigen::VectorXd lambda = block_forces(f);
    lambda[1] = -f;  // only the loaded corner has friction to offer
    lambda[3] = 0.0;
    EXPECT_EQ(decide(p, forces(zero, lambda), kForbidden), holds ? Verdict::kHolds : Verdict::kUndecided);
    EXPECT_EQ(decide(p, motion(p, zero, block_forces(f), about_right_edge), kForbidden),
              holds ? Verdict::kUndecided : Verdict::kFails);
    // With detachment allowed the block turns about the edge, which sticks: it holds, whatever pulling multipliers are
    // shown.
    EXPECT_EQ(decide(p, motion(p, zero, block_forces(f), about_right_edge)), Verdict::kUndecided);
  }
  const double more = 1.5 * limit;
  const ContactProblem tips = block(mu, more);
  EXPECT_EQ(decide(tips, motion(tips, vec({0, 0, 0}), block_forces(more), about_right_edge), kForbidden),
            Verdict::kFails);
  EXPECT_EQ(decide(tips, motion(tips, vec({0, 0, 0}), block_forces(more), about_right_edge)), Verdict::kUndecided);
}

TEST(BlockOnGround, TippedBlockRotatesAboutItsEdgeWhenDetachmentIsAllowed)
{
  // Past the tipping limit (65) lets the left corner go; the right one sticks with enough friction.
  const double f = 6.0;
  ContactProblem p = block(5.0, f);
  ContactProblem right_only = p;
  right_only.contacts.pop_back();
  right_only.J.conservativeResize(2, Eigen::NoChange);
  right_only.gamma.conservativeResize(2);
  const auto [a, on_right] = all_rows_kept(right_only);
  ASSERT_GT((p.J * a)[2], 0.1);  // left corner rises
  const Eigen::VectorXd lambda = vec({on_right[0], on_right[1], 0, 0});
  EXPECT_EQ(decide(p, forces(a, lambda)), Verdict::kHolds);
  EXPECT_EQ(decide(p, forces(a, lambda), kForbidden), Verdict::kUndecided);

  // The redundant tangents could share, but a contact that separates carries nothing.
  Eigen::VectorXd shared = lambda;
  shared[1] -= 0.5;
  shared[3] += 0.5;
  EXPECT_THAT(reason(p, forces(a, shared)), ::testing::HasSubstr("left separates and still carries"));

  // With little friction the right corner slips: fails, and the left corner does not enter the proof.
  const double mu = 0.5 * std::abs(on_right[1]) / on_right[0];
  p.contacts[0].mu = p.contacts[1].mu = mu;
  const Eigen::VectorXd y =
      right_only.J.completeOrthogonalDecomposition().solve(vec({-mu, std::copysign(1.0, on_right[1])}));
  EXPECT_EQ(decide(p, motion(p, a, lambda, y)), Verdict::kFails);
  EXPECT_EQ(decide(p, motion(p, a, shared, y)), Verdict::kFails);  // (QP-G) leaves tangential multipliers free
  // A multiplier that presses where the corner lifts misses the balance, and is charged for it: 10 N are too much, and
  // where friction is enough no such multiplier makes a proof.
  Eigen::VectorXd pressed = lambda;
  pressed[2] += 10.0;
  EXPECT_EQ(decide(p, motion(p, a, pressed, y)), Verdict::kUndecided);
  const double enough = 1.01 * std::abs(on_right[1]) / on_right[0];
  p.contacts[0].mu = p.contacts[1].mu = enough;
  EXPECT_EQ(decide(p, forces(a, lambda)), Verdict::kHolds);
  const Eigen::VectorXd stronger =
      right_only.J.completeOrthogonalDecomposition().solve(vec({-enough, std::copysign(1.0, on_right[1])}));
  for (const double press : {0.0, 1e-3, 0.1, 1.0, 10.0}) {
    pressed[2] = lambda[2] + press;
    EXPECT_EQ(decide(p, motion(p, a, pressed, y)), Verdict::kUndecided);
    EXPECT_EQ(decide(p, motion(p, a, pressed, stronger)), Verdict::kUndecided);
  }
}

TEST(BlockOnGround, AccelerationsAreTakenAsTheyAre)
{
  const ContactProblem p = block(0.6, 1.0);
  // Tolerances of rows are shares of the accelerations themselves: noise of a solve is no zero, whoever solves has to
  // say zero.
  EXPECT_EQ(decide(p, forces(vec({0, 0, 0}), block_forces(1.0))), Verdict::kHolds);
  EXPECT_EQ(decide(p, forces(vec({3e-17, -2e-16, 1e-16}), block_forces(1.0))), Verdict::kUndecided);
  Eigen::VectorXd a = vec({0, 1e-9, 0});
  ContactProblem pushed = p;
  pushed.F -= pushed.M * a;  // balances, but the contacts accelerate
  EXPECT_THAT(reason(pushed, forces(a, block_forces(1.0))), ::testing::HasSubstr("separates"));
  ContactProblem drifting = p;
  drifting.gamma[1] = 1e-9;  // the ground moves away, the block does not follow
  EXPECT_THAT(reason(drifting, forces(vec({0, 0, 0}), block_forces(1.0))), ::testing::HasSubstr("right, row 1"));
  a = vec({1e-9, 0, 0});
  pushed = p;
  pushed.F -= pushed.M * a;
  EXPECT_THAT(reason(pushed, forces(a, block_forces(1.0))), ::testing::HasSubstr("right, row 1"));
}

// ---------------------------------------------------------------------------------------------- example 2

/// Accelerations of other solutions are known to about 1e-8 only: decided at this distance from the boundary while a
/// system moves, and where contacts press against each other (docs/proofs.md, what it costs).
constexpr double kWhileMoving = 1e-7;

TEST(BlockOnCorner, UniqueForceDecidesOnBothSidesOfTheBoundary)
{
  std::mt19937 rng{3};
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int pushed = 0;
  for (int round = 0; round < 300; ++round) {
    ContactProblem p = corner(0.0, 0.3 * uniform(rng), 0.5 * uniform(rng), 5 * uniform(rng), 2 * uniform(rng));
    p.gamma << 0.5 * uniform(rng), 0.5 * uniform(rng);  // the drift of a moving reference
    const auto [a, lambda] = all_rows_kept(p);
    if (lambda[0] < 1e-3 || std::abs(lambda[1]) < 1e-3) continue;
    ++pushed;
    const double needed = std::abs(lambda[1]) / lambda[0];
    for (const double mu : {needed * (1 - kWhileMoving), needed * (1 + kWhileMoving)}) {
      p.contacts[0].mu = mu;
      const Eigen::VectorXd y =
          p.J.completeOrthogonalDecomposition().solve(vec({-mu * (1 + 1e-9), std::copysign(1.0, lambda[1])}));
      const bool holds = mu > needed;
      EXPECT_EQ(decide(p, forces(a, lambda)), holds ? Verdict::kHolds : Verdict::kUndecided);
      EXPECT_EQ(decide(p, motion(p, a, lambda, y)), holds ? Verdict::kUndecided : Verdict::kFails);
    }
    expect_tampering_rejected(p, forces(a, lambda), kAllowed);
  }
  EXPECT_GT(pushed, 100);
}

// ---------------------------------------------------------------------------------------------- examples 6 and 6b

TEST(Guide, HoldsIffTheFingersSqueezeEnough)
{
  const double mu1 = 0.4, mu2 = 0.7, F2 = 9.0, enough = -(kWeight - mu2 * F2) / mu1;
  const Eigen::VectorXd zero = vec({0, 0, 0, 0});
  for (const double F1 : {enough * (1 + 1e-9), enough * (1 - 1e-9)}) {
    const ContactProblem p = guide(mu1, mu2, F1, F2);
    const bool holds = F1 < enough;
    const double share = -mu1 * F1;
    const Certificate all = forces(zero, vec({-F1, share, F2, kWeight - share, F1 + F2}));
    EXPECT_EQ(decide(p, all), holds ? Verdict::kHolds : Verdict::kUndecided);
    const Certificate drops = motion(p, zero, all.lambda, vec({0, 1, mu1 + kClearOfRims, -(mu2 + kClearOfRims)}));
    EXPECT_EQ(decide(p, drops), holds ? Verdict::kUndecided : Verdict::kFails);
    Certificate wrong = drops;
    wrong.leaves[0].motion += 1e-6 * vec({1, 0, 1, 1});  // all through the rail: the only thing that opposes it
    EXPECT_THAT(reason(p, wrong), ::testing::HasSubstr("closure rail"));
    wrong = drops;
    wrong.leaves[0].motion = -drops.leaves[0].motion;
    EXPECT_EQ(decide(p, wrong), Verdict::kUndecided);
    if (holds)
      expect_tampering_rejected(p, all, kAllowed);
    else
      expect_tampering_charged(p, drops, kForbidden, guide(mu1, mu2, enough * (1 + 1e-9), F2));
  }
}

TEST(Guide, OpeningFingersDetach)
{
  // F1 > 0 > F2: both fingers leave, the mass falls; admissible when detachment is allowed, with no force at all.
  ContactProblem p = guide(0.5, 0.5, 2.0, -3.0);
  for (Contact& c : p.contacts) c.tangents = 0;
  p.J = (Eigen::MatrixXd(3, 4) << 1, 0, -1, 0, -1, 0, 0, 1, 1, 0, 0, 0).finished();  // no tangents
  p.gamma = vec({0, 0, 0});
  p.contacts[1].row = 1;
  p.loops[0].row = 2;
  EXPECT_EQ(decide(p, forces(vec({0, -kWeight, -2, 3}), vec({0, 0, 0}))), Verdict::kHolds);
  EXPECT_EQ(decide(p, forces(vec({0, -kWeight, -2, 3}), vec({0, 0, 0})), kForbidden), Verdict::kUndecided);
  EXPECT_EQ(decide(p, forces(vec({0, -kWeight, 0, 0}), vec({-2, -3, -1}))), Verdict::kUndecided);
}

/// Rail with friction: lambda_nb = F1 + F2 > 0. One leaf per sign: pushing cannot supply enough, pulling is refuted.
Certificate rough_guide_tree(const ContactProblem& p, double mu1, double mu2, double mu_rail, double F1, double F2)
{
  const Eigen::VectorXd lambda = vec({-F1, 0, F2, 0, F1 + F2, kWeight});
  Certificate c{CertificateKind::kMotion, vec({0, 0, 0, 0}), lambda, {}};
  const double along = -(mu_rail + kClearOfRims);
  c.leaves.push_back({{0, 0, 1}, vec({along, 1, along + mu1 + kClearOfRims, along - mu2 - kClearOfRims})});
  c.leaves.push_back({{0, 0, -1}, vec({1, 0, 1, 1})});
  EXPECT_EQ(p.contacts.size(), 3u);
  return c;
}

TEST(RoughGuide, SignTreeProvesFailure)
{
  const double mu1 = 0.4, mu2 = 0.7, mu_rail = 0.2, F2 = 9.0;
  const double enough = (kWeight - (mu2 + mu_rail) * F2) / (mu_rail - mu1);  // -mu1 F1 + mu2 F2 + mu_rail (F1+F2) = g
  ASSERT_GT(enough + F2, 0.0);
  for (const double F1 : {enough * (1 - kWhileMoving), enough * (1 + kWhileMoving)}) {
    const ContactProblem p = rough_guide(mu1, mu2, mu_rail, F1, F2);
    const double reach = -mu1 * F1 + mu2 * F2 + mu_rail * (F1 + F2);
    const bool holds = reach > kWeight;
    const double rest = kWeight + mu1 * F1 - mu2 * F2;
    const Certificate all = forces(vec({0, 0, 0, 0}), vec({-F1, -mu1 * F1, F2, mu2 * F2, F1 + F2, rest}));
    EXPECT_EQ(decide(p, all), holds ? Verdict::kHolds : Verdict::kUndecided);
    const Certificate tree = rough_guide_tree(p, mu1, mu2, mu_rail, F1, F2);
    EXPECT_EQ(decide(p, tree), holds ? Verdict::kUndecided : Verdict::kFails);
    EXPECT_EQ(decide(p, tree, kForbidden), holds ? Verdict::kUndecided : Verdict::kFails);
  }
}

TEST(RoughGuide, ThePullingHalfOfTheDoubleConeCounts)
{
  // F1 + F2 < 0: the rail pulls, and its friction helps all the same.
  const double mu = 0.5, F1 = -12.0, F2 = 9.0;
  const ContactProblem p = rough_guide(0.4, 0.4, mu, F1, F2);
  const double on_rail = kWeight - 0.4 * (12.0 + 9.0);
  ASSERT_LT(on_rail, mu * 3.0);
  EXPECT_EQ(decide(p, forces(vec({0, 0, 0, 0}), vec({12, 4.8, 9, 3.6, -3, on_rail}))), Verdict::kHolds);
  ContactProblem one_sided = p;
  one_sided.contacts[2].side = Side::kUnilateral;
  EXPECT_EQ(decide(one_sided, forces(vec({0, 0, 0, 0}), vec({12, 4.8, 9, 3.6, -3, on_rail}))), Verdict::kUndecided);
}

TEST(RoughGuide, BrokenTreesAreRejected)
{
  const double mu1 = 0.2, mu2 = 0.2, mu_rail = 0.1, F1 = -5.0, F2 = 9.0;
  const ContactProblem p = rough_guide(mu1, mu2, mu_rail, F1, F2);
  const Certificate good = rough_guide_tree(p, mu1, mu2, mu_rail, F1, F2);
  ASSERT_EQ(decide(p, good), Verdict::kFails);
  const ContactProblem held = rough_guide(mu1, mu2, mu_rail, -30.0, 31.0);
  ASSERT_EQ(decide(held, forces(vec({0, 0, 0, 0}), vec({30, 4.9, 31, 4.91, 1, 0}))), Verdict::kHolds);
  expect_tampering_charged(p, good, kForbidden, held);

  Certificate bad = good;
  std::swap(bad.leaves[0].motion, bad.leaves[1].motion);
  EXPECT_THAT(reason(p, bad), ::testing::HasSubstr("rail can oppose"));
  for (const std::size_t lost : {0u, 1u}) {
    bad = good;
    bad.leaves.erase(bad.leaves.begin() + static_cast<std::ptrdiff_t>(lost));
    EXPECT_THAT(reason(p, bad), ::testing::HasSubstr("do not cover every sign"));
    bad = good;
    bad.leaves[lost].signs[2] = 0;  // a leaf may not claim both signs
    EXPECT_EQ(decide(p, bad), Verdict::kUndecided);
  }
  bad = good;
  bad.leaves.clear();
  EXPECT_EQ(decide(p, bad), Verdict::kUndecided);
  bad = good;
  bad.leaves[0].signs[0] = 1;  // unilateral contacts have no sign to choose
  EXPECT_THAT(reason(p, bad), ::testing::HasSubstr("signs do not fit"));
  bad = good;
  bad.leaves[0].signs[2] = 2;
  EXPECT_EQ(decide(p, bad), Verdict::kUndecided);
  bad = good;
  bad.leaves[0].signs.pop_back();
  EXPECT_EQ(decide(p, bad), Verdict::kUndecided);
  for (std::size_t leaf : {0u, 1u})
    for (Eigen::Index j = 0; j < 4; ++j) {
      bad = good;
      bad.leaves[leaf].motion[j] = std::numeric_limits<double>::infinity();
      EXPECT_EQ(decide(p, bad), Verdict::kUndecided);
    }
}

TEST(SmoothGuide, ABilateralContactWithoutFrictionNeedsNoBranch)
{
  const double mu1 = 0.4, mu2 = 0.4, F1 = -5.0, F2 = 9.0;
  const ContactProblem p = rough_guide(mu1, mu2, 0.0, F1, F2);
  const Eigen::VectorXd lambda = vec({-F1, 0, F2, 0, F1 + F2, kWeight});
  EXPECT_EQ(decide(p, motion(p, vec({0, 0, 0, 0}), lambda, vec({0, 1, mu1, -mu2}))), Verdict::kFails);
  // A motion through the rail is charged with what the largest forces do along it.
  EXPECT_EQ(decide(p, motion(p, vec({0, 0, 0, 0}), lambda, vec({1e-9, 1, mu1, -mu2}))), Verdict::kFails);
  EXPECT_EQ(decide(p, motion(p, vec({0, 0, 0, 0}), lambda, vec({1e-5, 1, mu1, -mu2}))), Verdict::kUndecided);
  const ContactProblem held = rough_guide(mu1, mu2, 0.0, -15.0, 10.0);
  const Eigen::VectorXd enough = vec({15, 5.9, 10, kWeight - 5.9, -5, 0});
  EXPECT_EQ(decide(held, forces(vec({0, 0, 0, 0}), enough)), Verdict::kHolds);
  for (const double through : {0.0, 1e-9, -1e-9, 1e-5, 1.0})
    EXPECT_EQ(decide(held, motion(held, vec({0, 0, 0, 0}), enough, vec({through, 1, mu1, -mu2}))), Verdict::kUndecided);
}

TEST(MovingFingers, StickingWhileAcceleratingIsDecidedOnBothSides)
{
  const double F1x = -8.0, F2x = 8.0, Fy = -1.0, shear = (kWeight - Fy) / 3, fall = -(kWeight + 2 * Fy) / 3;
  const Eigen::VectorXd a = vec({0, fall, 0, fall, 0, fall}), lambda = vec({-F1x, shear, F2x, shear, 0});
  const double needed = shear / -F1x;
  const ContactProblem held = moving_fingers(needed * (1 + kWhileMoving), 0.9, F1x, F2x, Fy);
  for (const double mu : {needed * (1 - kWhileMoving), needed * (1 + kWhileMoving)}) {
    const ContactProblem p = moving_fingers(mu, 0.9, F1x, F2x, Fy);
    const bool holds = mu > needed;
    EXPECT_EQ(decide(p, forces(a, lambda)), holds ? Verdict::kHolds : Verdict::kUndecided);
    const Eigen::VectorXd y = p.J.completeOrthogonalDecomposition().solve(vec({-mu * (1 + 1e-9), 1, -1e-9, 0, 0}));
    EXPECT_EQ(decide(p, motion(p, a, lambda, y)), holds ? Verdict::kUndecided : Verdict::kFails);
    if (holds)
      expect_tampering_rejected(p, forces(a, lambda), kAllowed);
    else
      expect_tampering_charged(p, motion(p, a, lambda, y), kAllowed, held);
  }
}

// ---------------------------------------------------------------------------------------------- shapes and limits

TEST(Shapes, InnerNeverProvesFailsAndOuterNeverProvesHolds)
{
  const ContactProblem held = block(0.6, 1.0), sliding = block(0.3, 4.0);
  const Certificate yes = forces(vec({0, 0, 0}), block_forces(1.0));
  // Beyond both limits, with forces that only Gauss' principle of the forbidden reading admits.
  const Certificate no = motion(sliding, vec({0, 0, 0}), block_forces(4.0), vec({-1, -0.3, 0}));
  for (const Detachment detachment : {Detachment::kAllowed, Detachment::kForbidden}) {
    const StickingRules inner{ConeShape::inner(8), detachment}, outer{ConeShape::outer(8), detachment};
    EXPECT_EQ(decide(held, yes, inner), Verdict::kHolds);
    EXPECT_THAT(reason(held, yes, outer), ::testing::HasSubstr("outer facets"));
    EXPECT_THAT(reason(sliding, no, inner), ::testing::HasSubstr("inner facets"));
  }
  EXPECT_EQ(decide(sliding, no, {ConeShape::outer(8), Detachment::kForbidden}), Verdict::kFails);
}

/// A point mass on the ground with an oblique horizontal load.
ContactProblem point_mass(double mu, double fx, double fy, double max_normal = kInfinity)
{
  ContactProblem p = system(vec({1, 1, 1}), vec({-fx, -fy, kWeight}));
  add_contact(p, "foot", mu, {vec({0, 0, 1}), vec({1, 0, 0}), vec({0, 1, 0})}).max_normal = max_normal;
  return p;
}

TEST(Shapes, FacetsAreUsedAsTheyAre)
{
  const double mu = 0.5, share = 0.9 * mu * kWeight;  // along the axis: inside the disk, outside inner(4)
  const ContactProblem p = point_mass(mu, share, 0);
  const Certificate c = forces(vec({0, 0, 0}), vec({kWeight, -share, 0}));
  EXPECT_EQ(decide(p, c), Verdict::kHolds);
  EXPECT_EQ(decide(p, c, {ConeShape::inner(4), {}}), Verdict::kUndecided);
  EXPECT_EQ(decide(p, c, {ConeShape::inner(16), {}}), Verdict::kHolds);
  // Along a vertex of outer(4), 1.3 times the disk is still inside the polygon, 1.5 times is not.
  for (const double factor : {1.3, 1.5}) {
    const double f = factor * mu * kWeight / std::sqrt(2.0);
    const ContactProblem q = point_mass(mu, f, f);
    const Eigen::VectorXd lambda = vec({kWeight, -f, -f});
    const double half = std::sqrt(0.5);
    EXPECT_EQ(decide(q, motion(q, vec({0, 0, 0}), lambda, vec({-half, -half, -mu}))), Verdict::kFails);
    EXPECT_EQ(decide(q, motion(q, vec({0, 0, 0}), lambda, vec({-1, -1, -2 * mu})), {ConeShape::outer(4), {}}),
              factor > 1.4 ? Verdict::kFails : Verdict::kUndecided);
  }
}

TEST(Penetration, IsNoSolution)
{
  const ContactProblem p = point_mass(0.5, 0, 0);
  EXPECT_THAT(reason(p, forces(vec({0, 0, -kWeight}), vec({0, 0, 0}))), ::testing::HasSubstr("contact foot, row 0"));
}

TEST(PrescribedAcceleration, IsALoadOfEquilibrium)
{
  ContactProblem p = point_mass(0.5, 0, 0);  // in a lift
  p.gamma[0] = -2.0;
  const Eigen::VectorXd a = vec({0, 0, 2});
  const auto equilibrium = [&](const Certificate& c) { return judge_equilibrium(p, a, ConeShape::exact(), c); };
  EXPECT_EQ(equilibrium(forces(a, vec({kWeight + 2, 0, 0}))), Verdict::kHolds);
  EXPECT_EQ(equilibrium(forces(a, vec({kWeight, 0, 0}))), Verdict::kUndecided);
  p.F[2] = -1.0;  // pulled up by less than that
  EXPECT_EQ(equilibrium(forces(a, vec({1, 0, 0}))), Verdict::kHolds);
  EXPECT_EQ(equilibrium(motion(p, a, vec({1, 0, 0}), vec({0, 0, -1}))), Verdict::kUndecided);
  p.F[2] = -3.0;  // by more
  EXPECT_EQ(equilibrium(motion(p, a, vec({1, 0, 0}), vec({0, 0, -1}))), Verdict::kFails);
}

TEST(Limits, LargestNormalForceIsAPricedLimit)
{
  const Eigen::VectorXd zero = vec({0, 0, 0});
  for (const double limit : {kWeight * (1 + 1e-9), kWeight * (1 - 1e-9)}) {
    const ContactProblem p = point_mass(0.5, 0, 0, limit);
    const bool holds = limit > kWeight;
    EXPECT_EQ(decide(p, forces(zero, vec({kWeight, 0, 0}))), holds ? Verdict::kHolds : Verdict::kUndecided);
    const auto priced = [&](double price) { return motion(p, zero, vec({kWeight, 0, 0}), vec({0, 0, 1, price})); };
    EXPECT_EQ(decide(p, priced(1.0)), holds ? Verdict::kUndecided : Verdict::kFails);
    // The contact can push more than was paid for: here as much as its limit says, in equilibrium any force.
    EXPECT_EQ(decide(p, priced(0.9)), holds ? Verdict::kUndecided : Verdict::kFails);
    EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), priced(0.9)), Verdict::kUndecided);
    EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), priced(1.0 + kClearOfRims)),
              holds ? Verdict::kUndecided : Verdict::kFails);
    EXPECT_EQ(decide(p, priced(1.1)), Verdict::kUndecided);
    EXPECT_EQ(decide(p, priced(-1.0)), Verdict::kUndecided);
    EXPECT_THAT(reason(p, motion(p, zero, vec({kWeight, 0, 0}), vec({0, 0, -1, -0.5}))), ::testing::HasSubstr("price"));
    std::string why;
    EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), priced(-1.0), &why), Verdict::kUndecided);
    EXPECT_THAT(why, ::testing::HasSubstr("price"));
    EXPECT_EQ(decide(p, motion(p, zero, vec({kWeight, 0, 0}), vec({0, 0, 1}))), Verdict::kUndecided);
  }
}

TEST(SoftFinger, TorsionIsBoundedByTheNormalForce)
{
  ContactProblem p = system(vec({1, 0.1}), vec({kWeight, -0.2}));  // height, turn about the normal
  Contact& c = add_contact(p, "pad", 0.0, {vec({1, 0})});
  append_rows(p, {vec({0, 1})});
  c.torsional = true;
  const double needed = 0.2 / kWeight;
  for (const double torsion : {needed * (1 + 1e-9), needed * (1 - 1e-9)}) {
    p.contacts[0].torsion = torsion;
    const bool holds = torsion > needed;
    EXPECT_EQ(decide(p, forces(vec({0, 0}), vec({kWeight, -0.2}))), holds ? Verdict::kHolds : Verdict::kUndecided);
    EXPECT_EQ(decide(p, motion(p, vec({0, 0}), vec({kWeight, -0.2}), vec({-(torsion + kClearOfRims), -1}))),
              holds ? Verdict::kUndecided : Verdict::kFails);
    EXPECT_THAT(reason(p, motion(p, vec({0, 0}), vec({kWeight, -0.2}), vec({-0.9 * torsion, -1}))),
                ::testing::HasSubstr("pad can oppose"));
  }
}

// ---------------------------------------------------------------------------------------------- other failures

TEST(Contradiction, RowsThatCannotAllBeKept)
{
  ContactProblem p = system(vec({1, 1}), vec({0, 0}));
  add_closure(p, "a", {vec({1, 0})});
  add_closure(p, "b", {vec({2, 0})});
  p.gamma << 0, 1;
  Certificate c{CertificateKind::kContradiction, {}, vec({2, -1}), {}};
  EXPECT_EQ(decide(p, c), Verdict::kFails);
  EXPECT_EQ(decide(p, c, {ConeShape::inner(4), {}}), Verdict::kFails);  // no cone is involved
  c.lambda = vec({-2, 1});
  EXPECT_EQ(decide(p, c), Verdict::kUndecided);
  c.lambda = vec({2, -1.000001});
  EXPECT_EQ(decide(p, c), Verdict::kUndecided);
  c.lambda = vec({2});
  EXPECT_EQ(decide(p, c), Verdict::kUndecided);
  p.gamma << 1, 2;
  c.lambda = vec({2, -1});
  EXPECT_EQ(decide(p, c), Verdict::kUndecided);  // redundant but consistent
}

TEST(Contradiction, AUnilateralNormalOnlyResistsOneWay)
{
  ContactProblem p = system(vec({1}), vec({0}));
  add_contact(p, "foot", 0.5, {vec({1})});
  add_closure(p, "pin", {vec({1})});
  p.gamma << -1, 0;  // penetrates
  EXPECT_EQ(decide(p, {CertificateKind::kContradiction, {}, vec({1, -1}), {}}), Verdict::kFails);
  p.gamma << 1, 0;  // separates
  const Certificate pulls{CertificateKind::kContradiction, {}, vec({-1, 1}), {}};
  EXPECT_THAT(reason(p, pulls), ::testing::HasSubstr("negative"));
  EXPECT_EQ(decide(p, pulls, kForbidden), Verdict::kFails);
}

TEST(Unbalanced, ForceOnSomethingWithoutInertia)
{
  ContactProblem p = system(vec({1, 0}), vec({0, 1}));
  const Certificate c{CertificateKind::kUnbalanced, vec({0, -1}), {}, {}};
  EXPECT_EQ(decide(p, c), Verdict::kFails);
  EXPECT_EQ(decide(p, {CertificateKind::kUnbalanced, vec({0, 1}), {}, {}}), Verdict::kUndecided);
  EXPECT_EQ(decide(p, {CertificateKind::kUnbalanced, vec({1e-9, -1}), {}, {}}), Verdict::kUndecided);
  ContactProblem heavy = p;
  heavy.M(1, 1) = 1e-9;
  EXPECT_THAT(reason(heavy, c), ::testing::HasSubstr("M a is not zero"));
  ContactProblem leaving = p;
  add_contact(leaving, "foot", 0.5, {vec({0, -1})});
  EXPECT_EQ(decide(leaving, c), Verdict::kFails);
  EXPECT_EQ(decide(leaving, c, kForbidden), Verdict::kUndecided);
  ContactProblem resting = p;
  add_contact(resting, "foot", 0.5, {vec({0, 1})});
  EXPECT_THAT(reason(resting, c), ::testing::HasSubstr("contacts"));
}

TEST(MasslessLinks, RestOnlyWithoutAcceleration)
{
  // A mass rests through two massless links: rows z - z1, z1 - z2, z2. Noise in their accelerations is not taken for
  // zero.
  ContactProblem p = system(vec({1, 0, 0}), vec({kWeight, 0, 0}));
  add_closure(p, "upper", {vec({1, -1, 0})});
  add_closure(p, "lower", {vec({0, 1, -1})});
  add_contact(p, "foot", 0.5, {vec({0, 0, 1})});
  const Eigen::VectorXd lambda = vec({kWeight, kWeight, kWeight});
  EXPECT_EQ(decide(p, forces(vec({0, 0, 0}), lambda)), Verdict::kHolds);
  EXPECT_EQ(decide(p, forces(vec({0, 1e-16, -1e-16}), lambda)), Verdict::kUndecided);
  EXPECT_EQ(decide(p, forces(vec({0, 0, -1e-8}), lambda)), Verdict::kUndecided);
}

// ---------------------------------------------------------------------------------------------- internal forces

/// Two opposite contacts pinch a point mass along a slanted line; gravity acts along -y.
ContactProblem pinch(double mu)
{
  const double c = std::cos(0.3), s = std::sin(0.3);
  ContactProblem p = system(vec({1, 1}), vec({0, kWeight}));
  add_contact(p, "left", mu, {vec({c, s}), vec({-s, c})});
  add_contact(p, "right", mu, {vec({-c, -s}), vec({-s, c})});
  return p;
}

TEST(InternalForces, LargeOnesAreAcceptedAndHugeOnesBuyNoTolerance)
{
  const double c = std::cos(0.3), s = std::sin(0.3), g = kWeight;
  for (const double squeeze : {1e2, 1e4, 1e14}) {
    const ContactProblem p = pinch(0.5);
    const Eigen::VectorXd lambda = vec({squeeze + g * s, g * c / 2, squeeze, g * c / 2});
    EXPECT_EQ(decide(p, forces(vec({0, 0}), lambda)), squeeze < 1e10 ? Verdict::kHolds : Verdict::kUndecided);
  }
  // Without friction nothing carries the weight across the line, although the residual g is rounding of 1e15.
  const ContactProblem smooth = pinch(0.0);
  EXPECT_EQ(decide(smooth, forces(vec({0, 0}), vec({1e15, 0, 1e15, 0}))), Verdict::kUndecided);
}

TEST(InternalForces, DoNotExcuseAWrongAcceleration)
{
  // A block at rest that holds. The claim: it accelerates, and no admissible force does that.
  const ContactProblem p = block(0.6, 1.0, 4.0);
  const Eigen::VectorXd a = vec({8, 0, 0}), load = p.M * a + p.F;
  Eigen::VectorXd lambda = p.J.transpose().completeOrthogonalDecomposition().solve(load);
  const Eigen::VectorXd y = vec({1, -0.6, 0});
  ASSERT_GT(y.dot(load), 1.0);
  ASSERT_GT(std::min(lambda[0], lambda[2]), 1.0);
  for (const double internal : {0.0, 1e13}) {
    lambda[1] += internal;
    lambda[3] -= internal;
    EXPECT_THAT(reason(p, motion(p, a, lambda, y)), ::testing::HasSubstr("nothing drives the motion beyond rounding"));
  }
}

TEST(NearlySeparating, ProvesNeitherThatTheContactHelpsNorThatItIsGone)
{
  // A foot that separates by 1e-9 m/s^2 under a drift: too much to carry force, too little to be written off.
  ContactProblem p = point_mass(0.5, 6.0, 0);
  ASSERT_LT(0.5 * kWeight, 6.0);
  p.contacts[0].tangents = 2;
  p.gamma << kWeight + 1e-9, -6.0, 0;
  const Eigen::VectorXd a = vec({6, 0, -kWeight}), none = vec({0, 0, 0});
  EXPECT_EQ(decide(p, forces(a, none)), Verdict::kHolds);  // it may well go, and then nothing is needed
  // Were it gone, any load would fail; as it is not clearly gone the motion has to respect it.
  ContactProblem loaded = p;
  loaded.gamma << kWeight + 1e-9, 0, 0;
  const Eigen::VectorXd slow = vec({0, 0, -kWeight});
  const Eigen::VectorXd lambda = vec({0, -6, 0});
  EXPECT_EQ(decide(loaded, motion(loaded, slow, lambda, vec({-1, 0, 0}))), Verdict::kUndecided);
  EXPECT_EQ(decide(loaded, motion(loaded, slow, lambda, vec({-1, 0, -0.5}))), Verdict::kFails);
  loaded.gamma[0] = kWeight + 1e-6;
  EXPECT_EQ(decide(loaded, motion(loaded, slow, lambda, vec({-1, 0, 0}))), Verdict::kFails);
}

// ---------------------------------------------------------------------------------------------- one problem, one
// verdict

TEST(OneVerdict, FrictionBeyondTheLargestNormalForceCounts)
{
  // max_normal bounds the normal force only: with mu > 1 friction may exceed it. 12 N sideways, 14.7 N of friction.
  const ContactProblem p = point_mass(1.5, 12, 0, 11);
  const Eigen::VectorXd zero = vec({0, 0, 0}), lambda = vec({kWeight, -12, 0});
  for (const StickingRules& rules : {kAllowed, kForbidden}) {
    EXPECT_EQ(decide(p, forces(zero, lambda), rules), Verdict::kHolds);
    EXPECT_EQ(decide(p, motion(p, zero, lambda, vec({-1, 0, 0, 0})), rules), Verdict::kUndecided);
  }
  EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), forces(zero, lambda)), Verdict::kHolds);
  EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), motion(p, zero, lambda, vec({-1, 0, 0, 0}))),
            Verdict::kUndecided);
}

TEST(OneVerdict, TorsionGrowsWhereFrictionIsBounded)
{
  // q = (x, y, turn about x): two soft fingers pinch along x with half of the largest normal force, torsion carries a
  // torque.
  ContactProblem p = system(vec({1, 1, 1}), vec({0, 0, -1}));
  for (const double side : {1.0, -1.0}) {
    add_contact(p, side > 0 ? "left" : "right", 4.0, {vec({side, 0, 0}), vec({0, 1, 0})});
    append_rows(p, {vec({0, 0, 1})});
    p.contacts.back().torsional = true;
    p.contacts.back().torsion = 0x1p-18;
  }
  const Eigen::VectorXd zero = vec({0, 0, 0}), lambda = vec({0x1p17, 0, -0.5, 0x1p17, 0, -0.5});
  for (const StickingRules& rules : {kAllowed, kForbidden}) {
    EXPECT_EQ(decide(p, forces(zero, lambda), rules), Verdict::kHolds);
    EXPECT_EQ(decide(p, motion(p, zero, lambda, vec({0, 0, -1})), rules), Verdict::kUndecided);
  }
  EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), forces(zero, lambda)), Verdict::kHolds);
  EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), motion(p, zero, lambda, vec({0, 0, -1}))),
            Verdict::kUndecided);
}

TEST(OneVerdict, EffortsThatMotorsCannotAvoidAreLoads)
{
  // A motor that pushes against a wall with 5 N at least: the wall carries them, whatever else there is to carry.
  for (const double F : {0.0, 1e-9, 1.0})
    for (const double side : {1.0, -1.0}) {
      ContactProblem p = system(vec({1}), vec({side * F}));
      add_contact(p, "wall", 0.5, {vec({-side})});
      p.actuators.push_back({"motor", 0, side > 0 ? 5.0 : -20.0, side > 0 ? 20.0 : -5.0});
      Certificate pushes = forces(vec({0}), vec({5 - F})), yields = motion(p, vec({0}), vec({0}), vec({-side}));
      pushes.efforts = vec({5 * side});
      EXPECT_EQ(judge_equilibrium(p, vec({0}), ConeShape::exact(), pushes), Verdict::kHolds);
      EXPECT_EQ(judge_equilibrium(p, vec({0}), ConeShape::exact(), yields), Verdict::kUndecided);
      p.contacts[0].max_normal = 3.0;  // not the wall of before
      yields.leaves[0].motion = vec({-side, 1 + 1e-9});
      EXPECT_EQ(judge_equilibrium(p, vec({0}), ConeShape::exact(), pushes), Verdict::kUndecided);
      EXPECT_EQ(judge_equilibrium(p, vec({0}), ConeShape::exact(), yields), Verdict::kFails);
    }
}

TEST(OneVerdict, WithoutContactsNothingFails)
{
  // A motor pushes a slider of 1 kg off a free base of 0.1 g; q = (base, slider from base). M is far from singular in
  // double, the base accelerates by 1e4 m/s^2, more than F_j^2 / M_jj suggest.
  const double base = 1e-4;
  ContactProblem p = system(vec({1 + base, 1}), vec({0, -1}));
  p.M(0, 1) = p.M(1, 0) = 1;
  EXPECT_EQ(decide(p, {CertificateKind::kUnbalanced, vec({-1, 1}), {}, {}}), Verdict::kUndecided);
  EXPECT_EQ(decide(p, forces(vec({-1 / base, 1 / base + 1}), Eigen::VectorXd(0))), Verdict::kHolds);
}

TEST(MalformedCertificates, ProveNothing)
{
  const ContactProblem p = block(0.6, 1.0);
  EXPECT_EQ(decide(p, {}), Verdict::kUndecided);
  EXPECT_EQ(decide(p, forces(vec({0, 0}), block_forces(1.0))), Verdict::kUndecided);
  EXPECT_EQ(decide(p, forces(vec({0, 0, 0}), vec({1, 2}))), Verdict::kUndecided);
  ContactProblem broken = p;
  broken.contacts[1].row = 3;
  EXPECT_EQ(decide(broken, forces(vec({0, 0, 0}), block_forces(1.0))), Verdict::kUndecided);
  broken = p;
  broken.F[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(decide(broken, forces(vec({0, 0, 0}), block_forces(1.0))), Verdict::kUndecided);
}

TEST(NoContacts, GaussDecides)
{
  const ContactProblem falling = system(vec({2}), vec({kWeight}));
  EXPECT_EQ(decide(falling, forces(vec({-kWeight / 2}), Eigen::VectorXd(0))), Verdict::kHolds);
  EXPECT_EQ(decide(falling, forces(vec({0}), Eigen::VectorXd(0))), Verdict::kUndecided);
}

}  // namespace
}  // namespace stiction
