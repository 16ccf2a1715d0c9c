// Impacts: the paper's worked examples and corrected claims, laws of energy, and the set of all solutions against an
// enumeration of the linear complementarity problem (140).
#include "stiction/impact.hpp"

#include <gmock/gmock.h>

#include "ask/impulse_uniqueness.hpp"
#include "stiction/error.hpp"
#include "support/impacts.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

using namespace testing;
using ::testing::HasSubstr;

TEST(ImpactExamples, SlidePushCreatesEnergy)
{
  for (const double m : {1.0, 2.5})
    for (const double v : {1.0, 0.3}) {
      const Impact impact{Eigen::Vector2d(-v, 0), {bounce(1), one_way(0)}};
      const ImpactResult r = ImpactChecker().check(slide_push(m), impact);
      ASSERT_TRUE(r.complete);
      ASSERT_EQ(r.solutions.size(), 1u);
      const ImpactSolution& s = r.solutions[0];
      EXPECT_TRUE(s.impulse.isApprox(Eigen::Vector2d(3 * m * v, m * v), 1e-12));
      EXPECT_TRUE(s.velocity.isApprox(Eigen::Vector2d(v, v), 1e-12));
      EXPECT_NEAR(s.energy_before, m * v * v / 2, 1e-12);
      EXPECT_NEAR(s.energy_change, m * v * v / 2, 1e-12);
      EXPECT_NEAR(s.contacts[0].work(), 0.0, 1e-12);
      EXPECT_NEAR(s.contacts[1].work(), m * v * v / 2, 1e-12);  // the sprag injects
      EXPECT_EQ(r.dissipates, Verdict::kFails);
      EXPECT_EQ(r.unique, Verdict::kHolds);
      EXPECT_TRUE(r.flaws.empty());
      ASSERT_TRUE(s.energy_bound);
      EXPECT_GE(*s.energy_bound, s.energy_change - 1e-12);
      EXPECT_NEAR(r.conditions.ratio, (7 - 3 * std::sqrt(5.0)) / 2, 1e-12);
      EXPECT_NEAR(r.conditions.smallest, (3 - std::sqrt(5.0)) / (2 * m), 1e-12);
      EXPECT_NEAR(r.conditions.spread, 1.0, 1e-15);
      EXPECT_NEAR(r.conditions.small_left, 1.0, 1e-15);
      EXPECT_FALSE(r.conditions.similar || r.conditions.small || r.conditions.sharpened || r.conditions.safe);
      expect_energy_identities(slide_push(m), impact, s);
    }
}

TEST(ImpactExamples, SlidePushGainsAboveTheExactThreshold)
{
  const ContactProblem p = slide_push();
  for (const double e : {0.1, 0.5, 0.7, 0.7071, 0.70711, 0.9, 1.0}) {
    const ImpactResult r = solve(p, Eigen::Vector2d(-1, 0), {bounce(e), one_way(0)});
    ASSERT_EQ(r.solutions.size(), 1u);
    const ImpactSolution& s = r.solutions[0];
    EXPECT_TRUE(s.velocity.isApprox(Eigen::Vector2d(e, e), 1e-12));
    EXPECT_TRUE(s.impulse.isApprox(Eigen::Vector2d(1 + 2 * e, e), 1e-12));
    EXPECT_NEAR(s.energy_change, 0.5 * (2 * e * e - 1), 1e-12);
    EXPECT_EQ(r.dissipates, e > std::sqrt(0.5) ? Verdict::kFails : Verdict::kHolds) << e;
    EXPECT_EQ(r.conditions.safe, e < std::sqrt(0.5)) << e;
  }
  const SafeRestitution safe = safe_restitution(p, {bounce(0), one_way(0)});
  ASSERT_TRUE(safe.applies);
  EXPECT_NEAR(safe.exact, std::sqrt(0.5), 1e-10);
  EXPECT_NEAR(*safe.sharpened, std::sqrt(0.5), 1e-10);  // exact for two scalar elements
  EXPECT_NEAR(*safe.similar, 0.145898, 1e-6);
  const double r = energy_conditions(p, {bounce(0), one_way(0)}).ratio;
  EXPECT_NEAR(2 * std::sqrt(r) / (1 + r), 0.6667, 1e-4);

  const ImpactResult negative = solve(p, Eigen::Vector2d(-1, 0), {bounce(1), one_way(-0.5)});
  EXPECT_TRUE(negative.solutions.at(0).velocity.isApprox(Eigen::Vector2d(1, 1.5), 1e-12));
  EXPECT_TRUE(negative.solutions[0].impulse.isApprox(Eigen::Vector2d(3.5, 1.5), 1e-12));
  EXPECT_NEAR(negative.solutions[0].energy_change, 1.125, 1e-12);
  const ImpactResult plastic = solve(p, Eigen::Vector2d(-1, 0), {bounce(0), one_way(0)});
  EXPECT_NEAR(plastic.solutions.at(0).velocity.norm(), 0.0, 1e-14);
  EXPECT_TRUE(plastic.solutions[0].impulse.isApprox(Eigen::Vector2d(1, 0), 1e-12));
  EXPECT_NEAR(plastic.solutions[0].energy_change, -0.5, 1e-12);
}

TEST(ImpactExamples, KanesPendulum)
{
  struct Case {
    double e_n, e_t, mu, L[2], after[2], u[2], T, W, W_n, W_t;
    ImpactState state;
  };
  const Case cases[] = {{.5,
                         0,
                         .5,
                         {3.4078792829, 1.4675795461},
                         {0.1342020143, 0},
                         {-0.3346489298, 0.3631153642},
                         0.4416043990,
                         0.1634274686,
                         -0.2286721,
                         0.3920996,
                         ImpactState::kSticks},
                        {.5,
                         .5,
                         .5,
                         {0.6823003921, -0.3411501961},
                         {0.1342020143, -0.0891550799},
                         {-0.2062930193, 0.2753147504},
                         0.1564549439,
                         -0.1217219865,
                         -0.0457830,
                         -0.0759389,
                         ImpactState::kSlips},
                        {0,
                         0,
                         .5,
                         {0.4548669281, -0.2274334640},
                         {0, 0.1186795087},
                         {-0.1708620128, 0.1168765002},
                         0.1428726402,
                         -0.1353042902,
                         -0.0610441,
                         -0.0742602,
                         ImpactState::kSlips},
                        {.5,
                         0,
                         0,
                         {1.1963803850, 0},
                         {0.1342020143, -0.0723392603},
                         {-0.2305026306, 0.2918750998},
                         0.1978986016,
                         -0.0802783288,
                         -0.0802783288,
                         0,
                         ImpactState::kSlips},  // nothing keeps it
                        {.7,                    // section 7.3
                         0,
                         .5,
                         {5.4995088826, 2.7497544413},
                         {0.1878828201, -0.0176913472},
                         {-0.4430383998, 0.4909389341},
                         0.7671037850,
                         0.4889268546,
                         -0.2214135510,
                         0.7103404056,
                         ImpactState::kSlips}};
  for (const Case& c : cases) {
    const ContactProblem p = pendulum(c.mu);
    const Impact impact{kPendulumSpeed, {bounce(c.e_n, c.e_t)}};
    const ImpactResult r = ImpactChecker().check(p, impact);
    ASSERT_EQ(r.solutions.size(), 1u);
    EXPECT_TRUE(r.complete);
    const ImpactSolution& s = r.solutions[0];
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(s.impulse[k], c.L[k], 1e-9);
      EXPECT_NEAR(s.contacts[0].velocity_after[k], c.after[k], 1e-9);
      EXPECT_NEAR(s.velocity[k], c.u[k], 1e-9);
    }
    EXPECT_NEAR(s.energy_before, 0.2781769304, 1e-9);
    EXPECT_NEAR(s.energy_before + s.energy_change, c.T, 1e-9);
    EXPECT_NEAR(s.energy_change, c.W, 1e-9);
    EXPECT_NEAR(s.contacts[0].work_normal, c.W_n, 1e-7);
    EXPECT_NEAR(s.contacts[0].work_tangential, c.W_t, 1e-7);
    EXPECT_EQ(s.contacts[0].state, c.state);
    EXPECT_EQ(r.dissipates, c.W > 0 ? Verdict::kFails : Verdict::kHolds);
    expect_energy_identities(p, impact, s);
  }
  const EnergyConditions c = energy_conditions(pendulum(.5), {bounce(.5)});
  EXPECT_NEAR(c.G(0, 0), 0.3365200968, 1e-9);
  EXPECT_NEAR(c.G(0, 1), -0.5071028860, 1e-9);
  EXPECT_NEAR(c.G(1, 1), 0.8134460152, 1e-9);
  EXPECT_NEAR(c.smallest, 0.0146100375, 1e-9);
  EXPECT_NEAR(c.largest, 1.1353560746, 1e-9);
  EXPECT_NEAR(c.ratio, 0.0128682427, 1e-9);
  EXPECT_NEAR(c.spread, 0.5, 1e-12);
  EXPECT_NEAR(c.small_left, 2.0 / 3, 1e-12);
  EXPECT_NEAR(energy_conditions(pendulum(.5), {bounce(.7)}).spread, 0.7, 1e-12);
  EXPECT_NEAR(energy_conditions(pendulum(.5), {bounce(.7)}).small_left, 0.8235, 1e-4);
  EXPECT_NEAR(2 * std::sqrt(c.ratio) / (1 + c.ratio), 0.223994, 1e-6);
  const SafeRestitution safe = safe_restitution(pendulum(.5), {bounce(0)});
  EXPECT_NEAR(*safe.similar, 0.012868, 1e-6);
  EXPECT_NEAR(safe.exact, 0.246162, 1e-6);
  EXPECT_NEAR(*safe.sharpened, 0.246162, 1e-6);
}

TEST(ImpactExamples, KanesPendulumThresholds)
{
  // W = 0 for this speed and friction.
  double lower = 0.3, upper = 0.5;
  ImpactChecker checker;
  for (int i = 0; i < 45; ++i) {
    const double e = 0.5 * (lower + upper);
    const ImpactResult r = checker.check(pendulum(.5), {kPendulumSpeed, {bounce(e)}});
    ASSERT_EQ(r.solutions.size(), 1u);
    (r.solutions[0].energy_change > 0 ? upper : lower) = e;
  }
  EXPECT_NEAR(lower, 0.3968385591, 1e-9);

  // Just above the exact bound some speed gains: the bound is tight.
  const ContactProblem rough = pendulum(1.0);
  const Eigen::Vector2d u = inverse(rough.J) * Eigen::Vector2d(-0.06118776, 0.0943442);
  const ImpactResult tight = solve(rough, u, {bounce(.26)});
  ASSERT_EQ(tight.solutions.size(), 1u);
  EXPECT_NEAR(tight.solutions[0].impulse[0], 0.89655509, 1e-6);
  EXPECT_NEAR(tight.solutions[0].impulse[1], 0.44293225, 1e-6);
  EXPECT_NEAR(tight.solutions[0].energy_change, 5.965e-4, 1e-6);
  EXPECT_EQ(tight.dissipates, Verdict::kFails);

  const StickingTouchdown stick = sticking_touchdown(pendulum(.5), {kPendulumSpeed, {bounce(.5)}});
  ASSERT_TRUE(stick.consistent);
  EXPECT_NEAR(stick.friction[0], 0.430643, 1e-6);
  EXPECT_NEAR(stick.energy_change, 0.1634274686, 1e-9);
  const Eigen::Matrix2d G = energy_conditions(pendulum(.5), {}).G;
  const Eigen::Vector2d before = pendulum(.5).J * kPendulumSpeed, e(.5, 0);
  EXPECT_NEAR(
      stick.energy_change,
      -0.5 * ((1 + e.array()) * before.array()).matrix().dot(inverse(G) * ((1 - e.array()) * before.array()).matrix()),
      1e-9);
}

TEST(ImpactExamples, RimlessWheelTakesAStep)
{
  // Half-angle α between spokes of length l, inertia κ m l²: it turns about the old foot until the new one hits, with
  // ω+/ω- = r = (κ + cos 2α)/(κ + 1); the old foot leaves. The new one needs friction of cot α (1 - r)/(1 + r).
  const double l = 0.8, m = 5, omega = -1.7;
  for (const double alpha : {M_PI / 6, M_PI / 8, 0.2})
    for (const double kappa : {0.0001, 0.4, 1.0}) {
      const double s = l * std::sin(alpha), c = l * std::cos(alpha);
      ContactProblem p = problem_of(Eigen::Vector3d(m, m, kappa * m * l * l).asDiagonal(),
                                    (Eigen::MatrixXd(4, 3) << 0, 1, -s, 1, 0, c, 0, 1, s, 1, 0, c).finished());
      p.contacts = {planar_contact("old", 0, 0.1), planar_contact("new", 2, 0.1)};
      const Impact impact{Eigen::Vector3d(-c * omega, s * omega, omega), {}};
      ASSERT_NEAR((p.J * impact.velocity).head(2).norm(), 0, 1e-12);
      const double r = (kappa + std::cos(2 * alpha)) / (kappa + 1), mu = c / s * (1 - r) / (1 + r);
      const auto found = sticking_friction(p, impact);
      ASSERT_TRUE(found);
      EXPECT_NEAR(found->mu, mu, 1e-9);
      EXPECT_EQ(found->leaves, std::vector<int>{0});
      EXPECT_EQ(sticking_touchdown(p, impact).largest_friction(), kInfinity);  // nobody leaves: the old foot pulls
      ContactProblem wide = problem_of(p.M, p.J.replicate(5, 1));  // five points each: too many to try every choice
      for (int k = 0; k < 10; ++k) wide.contacts.push_back(planar_contact("c" + std::to_string(k), 2 * k, 0.1));
      const auto shared = sticking_friction(wide, impact);
      ASSERT_TRUE(shared);
      EXPECT_NEAR(shared->mu, mu, 1e-9);
      EXPECT_EQ(shared->leaves, (std::vector<int>{0, 2, 4, 6, 8}));
      for (const double share : {0.99, 1.01}) {
        for (Contact& contact : p.contacts) contact.mu = share * mu;
        const ImpactResult result = solve(p, impact.velocity, {});
        ASSERT_EQ(result.solutions.size(), 1u);
        EXPECT_EQ(result.solutions[0].contacts[1].state, share < 1 ? ImpactState::kSlips : ImpactState::kSticks);
        if (share < 1) continue;
        EXPECT_EQ(result.solutions[0].contacts[0].state, ImpactState::kOpens);
        EXPECT_NEAR(result.solutions[0].velocity[2], r * omega, 1e-9);
      }
    }
}

TEST(ImpactExamples, UnloadedContactsPinImpulses)
{
  // A beam on three feet (y and angle) that comes to rest: hit at an outer one alone, or at two of them.
  ContactProblem p =
      problem_of(Eigen::Vector2d(3, 2).asDiagonal(), (Eigen::MatrixXd(3, 2) << 1, -1, 1, 0, 1, 1).finished());
  p.contacts = {single_row(0), single_row(1), single_row(2)};
  const auto hit_by = [&](const Eigen::Vector3d& impulse) {
    const ImpactResult r = solve(p, -inverse(p.M) * p.J.transpose() * impulse, {});
    EXPECT_EQ(r.solutions.size(), 1u);
    EXPECT_NEAR(r.solutions.at(0).velocity.norm(), 0, 1e-12);
    return r.solutions.at(0).impulse_unique;
  };
  EXPECT_EQ(hit_by({2, 0, 0}), Verdict::kHolds);
  EXPECT_EQ(hit_by({0, 0, 1}), Verdict::kHolds);
  EXPECT_EQ(hit_by({0, 3, 0}), Verdict::kFails);
  EXPECT_EQ(hit_by({1, 1, 0}), Verdict::kFails);
  // all impulses are these + t (1, -2, 1), as far as no foot pulls
  const auto ranges = [&](const Eigen::Vector3d& impulse) {
    const Impact impact{-inverse(p.M) * p.J.transpose() * impulse, {}};
    ImpactChecker checker;
    return checker.impulse_intervals(p, impact, checker.check(p, impact).solutions.at(0));
  };
  const auto expect = [](const Margin& range, double lower, double upper) {
    EXPECT_EQ(range.state, Margin::State::kKnown);
    EXPECT_NEAR(range.lower, lower, 1e-8);
    EXPECT_NEAR(range.upper, upper, 1e-8);
  };
  std::vector<Margin> found = ranges({0, 3, 0});
  expect(found.at(0), 0, 1.5), expect(found.at(1), 0, 3), expect(found.at(2), 0, 1.5);
  found = ranges({1, 1, 0});
  expect(found.at(0), 1, 1.5), expect(found.at(1), 0, 1), expect(found.at(2), 0, 0.5);
  found = ranges({2, 0, 0});
  expect(found.at(0), 2, 2), expect(found.at(1), 0, 0), expect(found.at(2), 0, 0);
}

TEST(ImpactExamples, UnloadedContactsThatSlipPushAgainstTheirSlip)
{
  // A point mass (x, z) on two contacts with the same rows and other ε: the one that is hit slips forwards, ξ of the
  // unloaded one is negative. Friction inside the cone of that one could replace the first, on its rim it cannot.
  ContactProblem p =
      problem_of(Eigen::Matrix2d::Identity(), (Eigen::MatrixXd(4, 2) << 0, 1, 1, 0, 0, 1, 1, 0).finished());
  p.contacts = {planar_contact("hit", 0, 0.3), planar_contact("idle", 2, 0.3)};
  const Impact impact{Eigen::Vector2d(1, -1), {bounce(0), bounce(0, -0.9)}};
  ImpactSolution s;
  s.velocity = Eigen::Vector2d(0.7, 0);
  s.impulse = Eigen::Vector4d(1, -0.3, 0, 0);
  s.contacts.resize(2);
  for (ContactImpact& c : s.contacts) {
    c.velocity_before = Eigen::Vector4d(-1, 1, 0, 0);
    c.velocity_after = Eigen::Vector4d(0, 0.7, 0, 0);
  }
  s.contacts[0].state = ImpactState::kSlips;
  s.contacts[0].impulse = Eigen::Vector4d(1, -0.3, 0, 0);
  s.contacts[0].utilisation = 1.0;
  const auto engine = make_native_engine();
  EXPECT_EQ(internal::impulse_is_unique(p, impact, s, *engine), Verdict::kHolds);
  const std::vector<Margin> ranges = internal::impulse_ranges(p, impact, s, *engine);
  EXPECT_NEAR(ranges.at(0).lower, 1, 1e-8);
  EXPECT_NEAR(ranges.at(1).upper, 0, 1e-8);
  // with the same ε both slip alike, and share the impulse as they like
  const Impact alike{impact.velocity, {bounce(0), bounce(0)}};
  EXPECT_EQ(internal::impulse_is_unique(p, alike, s, *engine), Verdict::kFails);
  EXPECT_NEAR(internal::impulse_ranges(p, alike, s, *engine).at(1).upper, 1, 1e-8);
}

TEST(ImpactExamples, ASpragReproducesStickingFriction)  // section 7.2
{
  const ImpactResult r = solve(pendulum(0, false), kPendulumSpeed, {bounce(.5), one_way(0)});
  ASSERT_EQ(r.solutions.size(), 1u);
  EXPECT_NEAR(r.solutions[0].impulse[0], 3.4078792829, 1e-9);
  EXPECT_NEAR(r.solutions[0].impulse[1], 1.4675795461, 1e-9);
  EXPECT_EQ(r.dissipates, Verdict::kFails);
}

TEST(ImpactExamples, EquivalentSystemBouncesAlike)  // (135)–(138), from unrounded G
{
  const EnergyConditions c = energy_conditions(pendulum(.5), {});
  const ImpactEquivalent e = impact_equivalent(Eigen::Matrix2d(c.G));
  EXPECT_NEAR(e.lever, 0.6636130579, 1e-9);
  EXPECT_NEAR(e.mass1, 1.3086359320, 1e-8);
  EXPECT_NEAR(e.mass2, 20.2874558027, 1e-6);  // the paper's 20.3217 comes from a rounded G
  ContactProblem p =
      problem_of(Eigen::Vector2d(e.mass1, e.mass2).asDiagonal(), (Eigen::Matrix2d() << e.lever, 0, -1, 1).finished());
  p.contacts = {planar_contact("tip", 0, .5)};
  const Eigen::Vector2d u = inverse(p.J) * (pendulum(.5).J * kPendulumSpeed);
  EXPECT_NEAR(u[0], -0.4044586306, 1e-8);
  EXPECT_NEAR(u[1], 0.1298900550, 1e-8);
  const ImpactResult stick = solve(p, u, {bounce(.5)}), slip = solve(p, u, {bounce(.5, .5)});
  ASSERT_EQ(stick.solutions.size(), 1u);
  EXPECT_NEAR(stick.solutions[0].velocity[0], 0.2022293153, 1e-8);
  EXPECT_NEAR(stick.solutions[0].velocity[1], 0.2022293153, 1e-8);
  EXPECT_NEAR(stick.solutions[0].energy_change, 0.1634274686, 1e-8);
  ASSERT_EQ(slip.solutions.size(), 1u);
  EXPECT_NEAR(slip.solutions[0].energy_change, -0.1217219865, 1e-8);
  const ImpactResult faster = solve(p, u, {bounce(.7)}),
                     pendulum_faster = solve(pendulum(.5), kPendulumSpeed, {bounce(.7)});
  ASSERT_EQ(faster.solutions.size(), 1u);
  EXPECT_EQ(faster.solutions[0].contacts[0].state, ImpactState::kSlips);
  EXPECT_NEAR(faster.solutions[0].velocity[0], 0.2831210415, 1e-8);
  EXPECT_NEAR(faster.solutions[0].velocity[1], 0.2654296943, 1e-8);
  EXPECT_NEAR(faster.solutions[0].energy_before, pendulum_faster.solutions.at(0).energy_before, 1e-9);
  EXPECT_NEAR(faster.solutions[0].energy_change, pendulum_faster.solutions[0].energy_change, 1e-9);
  EXPECT_NEAR(impact_equivalent((Eigen::Matrix2d() << .3365, -.5071, -.5071, .8134).finished()).mass2, 20.3217,
              1e-4);  // S4
  EXPECT_THROW(impact_equivalent((Eigen::Matrix2d() << 1, .5, .5, 1).finished()), InputError);
}

TEST(ImpactExamples, BallOnBar)
{
  const ContactProblem p = ball_on_bar();
  const Eigen::Vector3d u(-1, 0, 0);
  struct Case {
    Eigen::Vector3d e, L;
    double W;
  };
  for (const Case& c : {Case{{.5, .5, .5}, {1.3125, 1.875, 0}, -0.328125}, Case{{1, 1, 1}, {1.75, 2.5, 0}, 0},
                        Case{{.8, .1, .3}, {1.575, 2.25, 0}, -0.1575}}) {
    const ImpactResult r = solve(p, u, {bounce(c.e[0]), bounce(c.e[1]), bounce(c.e[2])});
    ASSERT_EQ(r.solutions.size(), 1u);
    EXPECT_TRUE(r.solutions[0].impulse.isApprox(c.L, 1e-12));
    EXPECT_NEAR(r.solutions[0].energy_change, c.W, 1e-12);
    EXPECT_EQ(r.dissipates, Verdict::kHolds);  // 5.3: no friction, any mix of coefficients
    EXPECT_EQ(r.solutions[0].impulse_unique, Verdict::kHolds);
    EXPECT_EQ(r.solutions[0].contacts[2].state, ImpactState::kOpens);
  }
  const ImpactResult half = solve(p, u, {bounce(.5), bounce(.5), bounce(.5)});
  EXPECT_NEAR(half.solutions[0].contacts[0].velocity_after[0], .5, 1e-12);
  EXPECT_NEAR(half.solutions[0].contacts[1].velocity_after[0], 0, 1e-12);
  EXPECT_NEAR(half.solutions[0].contacts[2].velocity_after[0], .375, 1e-12);
}

TEST(ImpactExamples, SphereSlipsOrSticks)
{
  const Eigen::Vector3d u(-3, 2, 1);
  const ImpactResult slip = solve(sphere(.1), u, {bounce(.6, .2)});
  ASSERT_EQ(slip.solutions.size(), 1u);
  EXPECT_NEAR(slip.solutions[0].impulse[0], 9.6, 1e-12);
  EXPECT_NEAR(slip.solutions[0].impulse[1], -0.8586501, 1e-7);
  EXPECT_NEAR(slip.solutions[0].impulse[2], -0.42932505, 1e-7);
  EXPECT_NEAR(slip.solutions[0].velocity[1], 0.49736232, 1e-7);
  EXPECT_NEAR(slip.solutions[0].velocity[2], 0.24868116, 1e-7);
  EXPECT_NEAR(slip.solutions[0].energy_change, -7.10022526, 1e-7);
  EXPECT_EQ(slip.solutions[0].contacts[0].state, ImpactState::kSlips);
  EXPECT_EQ(slip.dissipates, Verdict::kHolds);
  const ImpactResult stick = solve(sphere(.5), u, {bounce(.6, .2)});
  ASSERT_EQ(stick.solutions.size(), 1u);
  EXPECT_NEAR(stick.solutions[0].impulse[1], -1.37142857, 1e-8);
  EXPECT_NEAR(stick.solutions[0].velocity[1], -.4, 1e-12);
  EXPECT_NEAR(stick.solutions[0].velocity[2], -.2, 1e-12);
  EXPECT_NEAR(stick.solutions[0].energy_change, -7.13142857, 1e-8);
  EXPECT_TRUE(stick.complete);
  EXPECT_EQ(stick.solutions[0].contacts[0].state, ImpactState::kSticks);
}

// ---- What the paper prints and is not so. ----

TEST(ImpactCorrections, SmallCoefficientsWithNegativeOnes)  // S1: (92) as printed passes, energy grows
{
  const ContactProblem p = slide_push();
  const ImpactResult r = solve(p, Eigen::Vector2d(-1, 1), {bounce(0), one_way(-0.9)});
  ASSERT_EQ(r.solutions.size(), 1u);
  EXPECT_TRUE(r.solutions[0].impulse.isApprox(Eigen::Vector2d(1.8, 0.8), 1e-12));
  EXPECT_NEAR(r.solutions[0].energy_change, 0.62, 1e-12);
  EXPECT_TRUE(r.flaws.empty());
  const double e_max = r.conditions.e_max, printed = 2 * e_max / (1 + e_max);
  EXPECT_LE(printed, r.conditions.ratio);
  EXPECT_FALSE(r.conditions.small);
  EXPECT_FALSE(r.conditions.safe);
}

TEST(ImpactCorrections, LargeFrictionNeedNotStick)  // S5
{
  for (const auto& [mu, W] : {std::pair{10.0, -0.104655}, std::pair{1000.0, -0.10983}}) {
    const ImpactResult r = solve(pendulum(mu), kPendulumSpeed, {bounce(1, 1)});
    ASSERT_EQ(r.solutions.size(), 1u);
    EXPECT_EQ(r.solutions[0].contacts[0].state, ImpactState::kSlips);
    EXPECT_NEAR(r.solutions[0].energy_change, W, 1e-5);
    EXPECT_EQ(r.dissipates, Verdict::kHolds);
  }
  EXPECT_EQ(sticking_touchdown(pendulum(1), {kPendulumSpeed, {bounce(1, 1)}}).friction[0], kInfinity);
}

TEST(ImpactCorrections, ACoefficientOfMinusOneRemovesNothing)  // S6: the limit couples, and the value itself is refused
{
  const ImpactResult r = solve(slide_push(), Eigen::Vector2d(-1, 0), {bounce(.5), one_way(-1 + 1e-9)});
  EXPECT_TRUE(r.solutions.at(0).impulse.isApprox(Eigen::Vector2d(3, 1.5), 1e-8));
  ContactProblem alone = slide_push();
  alone.J = alone.J.topRows(1).eval();
  alone.gamma.setZero(1);
  alone.contacts.resize(1);
  EXPECT_NEAR(solve(alone, Eigen::Vector2d(-1, 0), {bounce(.5)}).solutions.at(0).impulse[0], 1.5, 1e-12);
  try {
    solve(slide_push(), Eigen::Vector2d(-1, 0), {bounce(.5), one_way(-1)});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.path(), "laws[1].normal");
    EXPECT_THAT(e.what(), HasSubstr("want (-1, 0], got -1"));
  }
}

TEST(ImpactCorrections, OpposedElementsMayHaveNoSolution)  // S7
{
  ContactProblem p = problem_of(Eigen::MatrixXd::Identity(1, 1), Eigen::Vector2d(1, -1));
  p.contacts = {single_row(0), single_row(1)};
  const Eigen::VectorXd u = Eigen::VectorXd::Constant(1, -1.0);
  const ImpactResult none = solve(p, u, {bounce(.5), one_way(0)});
  EXPECT_EQ(none.exists, Verdict::kFails);
  EXPECT_TRUE(none.complete);
  EXPECT_TRUE(none.solutions.empty());
  EXPECT_EQ(none.dissipates, Verdict::kUndecided);
  // Equal coefficients agree with each other: γ+ = 0.
  const ImpactResult some = solve(p, u, {bounce(0), one_way(0)});
  EXPECT_EQ(some.exists, Verdict::kHolds);
  EXPECT_EQ(some.unique, Verdict::kHolds);
  EXPECT_NEAR(some.solutions.at(0).velocity[0], 0.0, 1e-14);
  EXPECT_EQ(some.solutions[0].impulse_unique, Verdict::kFails);
}

TEST(ImpactCorrections, BilateralRowsDoNotCount)  // S8: their coefficient has no effect, redundant ones do no harm
{
  ContactProblem p = problem_of(Eigen::Vector3d(1, 2, 3).asDiagonal(),
                                (Eigen::MatrixXd(4, 3) << 1, 0, 1, 0, 1, -0.4, 0.3, 1, 0, 0.6, 2, 0).finished());
  p.contacts = {planar_contact("foot", 0, 0.4), single_row(2, Side::kBilateral), single_row(3, Side::kBilateral)};
  const Eigen::Vector3d u(-1, 0.3, -0.2);  // keeps 0.3 x + y = 0
  std::optional<EnergyConditions> first;
  for (const double e : {-0.5, 0.0, 0.9}) {
    const ImpactResult r = solve(p, u, {bounce(.3), bounce(e), bounce(.2)});
    ASSERT_EQ(r.solutions.size(), 1u);
    EXPECT_EQ(r.solutions[0].impulse_unique, Verdict::kFails);
    EXPECT_NEAR((p.J.bottomRows(2) * r.solutions[0].velocity).norm(), 0, 1e-12);
    EXPECT_GT(r.conditions.ratio, 1e-3);  // of the raw G it would be 0
    if (!first) first = r.conditions;
    // The contact rows as they move with the guide held: Schur complement of the guide, stated once.
    const Eigen::MatrixXd G = delassus(p);
    EXPECT_TRUE(
        r.conditions.G.isApprox(G.topLeftCorner(2, 2) - G.block(0, 2, 2, 1) * G.block(2, 0, 1, 2) / G(2, 2), 1e-10));
    EXPECT_TRUE(r.conditions.G.isApprox(first->G, 1e-14));
    EXPECT_EQ(r.conditions.exact, first->exact);
  }
}

TEST(ImpactCorrections, ASeparatingContactActsLikeASprag)  // S9: 5.3 needs γ- <= 0
{
  // Slide-push with B a gap that opens already: same numbers, no friction, yet energy grows.
  const ImpactResult r = solve(slide_push(), Eigen::Vector2d(-1, 0), {bounce(1), bounce(0)});
  EXPECT_NEAR(r.solutions.at(0).energy_change, 0.5, 1e-12);
  EXPECT_EQ(r.dissipates, Verdict::kFails);
  ASSERT_EQ(r.flaws.size(), 1u);
  EXPECT_EQ(r.flaws[0].contact, 1);
  EXPECT_FALSE(r.flaws[0].after);
  EXPECT_NEAR(r.flaws[0].velocity, 1.0, 1e-15);
  EXPECT_FALSE(r.solutions.at(0).energy_bound);
}

// ---- All solutions, by another way. ----

/// Post-impact velocities by complementary bases of (140): per frictional contact (ΛN, ΛR, ξL) or their partners
/// (ξN, ξR, ΛL), with ΛR = mu ΛN + ΛT, ΛL = mu ΛN - ΛT, ξR - ξL = ξT (times `sign`, for the caption of figure 4).
std::vector<Eigen::VectorXd> enumerate(const Drawn& d, double sign = 1.0)
{
  const ContactProblem& p = d.problem;
  const Eigen::MatrixXd Minv = inverse(p.M), G = p.J * Minv * p.J.transpose();
  const Eigen::VectorXd before = p.J * d.impact.velocity;
  const Eigen::Index rows = p.rows();
  // w = N z + q over z = (ΛN, ΛR, ξL, …), w the partners; bilateral rows: w = 0 always (z basic).
  std::vector<int> choices;  // index in z of those with a choice
  Eigen::Index size = 0;
  for (const Contact& c : p.contacts) size += c.tangents > 0 ? 3 : 1;
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(size, size), Lambda = Eigen::MatrixXd::Zero(rows, size);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(size);
  std::vector<char> always(static_cast<size_t>(size), 0);
  Eigen::Index at = 0;
  for (const Contact& c : p.contacts) {
    Lambda(c.row, at) = 1;
    if (c.tangents > 0) {
      Lambda(c.row + 1, at) = -c.mu;
      Lambda(c.row + 1, at + 1) = 1;
    }
    at += c.tangents > 0 ? 3 : 1;
  }
  const Eigen::MatrixXd GL = G * Lambda;
  at = 0;
  for (size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const ImpactLaw& law = d.impact.laws[i];
    N.row(at) = GL.row(c.row);
    q[at] = (1 + law.normal) * before[c.row];
    always[static_cast<size_t>(at)] = c.side == Side::kBilateral;
    if (c.tangents > 0) {
      N.row(at + 1) = sign * GL.row(c.row + 1);
      N(at + 1, at + 2) += 1;
      q[at + 1] = sign * (1 + law.tangential) * before[c.row + 1];
      N(at + 2, at) = 2 * c.mu;
      N(at + 2, at + 1) = -1;
    }
    at += c.tangents > 0 ? 3 : 1;
  }
  for (int k = 0; k < size; ++k)
    if (!always[static_cast<size_t>(k)]) choices.push_back(k);
  std::vector<Eigen::VectorXd> found;
  for (unsigned bits = 0; bits < (1u << choices.size()); ++bits) {
    std::vector<int> basic;  // z basic, w = 0
    for (int k = 0; k < size; ++k)
      if (always[static_cast<size_t>(k)]) basic.push_back(k);
    for (size_t k = 0; k < choices.size(); ++k)
      if (bits >> k & 1u) basic.push_back(choices[k]);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(size);
    if (!basic.empty()) {
      const Eigen::MatrixXd K = N(basic, basic);
      if (internal::column_rank(K, 1e-13) < K.cols()) continue;
      z(basic) = internal::solve(K, -q(basic)).col(0);
    }
    const Eigen::VectorXd w = N * z + q;
    bool good = true;
    for (const int k : choices) good = good && z[k] >= -1e-9 && w[k] >= -1e-9;
    if (!good) continue;
    const Eigen::VectorXd u = d.impact.velocity + Minv * p.J.transpose() * (Lambda * z);
    bool known = false;
    for (const Eigen::VectorXd& other : found) known = known || close(other, u);
    if (!known) found.push_back(u);
  }
  return found;
}

TEST(ImpactCorrections, DecompositionOfTheSign)  // S3: x = xR - xL as in (9) and (140), not xL - xR as below figure 4
{
  const Drawn kane{pendulum(.5), {kPendulumSpeed, {bounce(.5, .5)}}};
  const Eigen::VectorXd u = solve(kane.problem, kPendulumSpeed, kane.impact.laws).solutions.at(0).velocity;
  const std::vector<Eigen::VectorXd> right = enumerate(kane), printed = enumerate(kane, -1.0);
  ASSERT_EQ(right.size(), 1u);
  EXPECT_TRUE(close(right[0], u));
  for (const Eigen::VectorXd& other : printed) EXPECT_FALSE(close(other, u));
}

TEST(ImpactSolutions, AreAllThoseOfTheComplementarityProblem)
{
  Rng rng{11};
  ImpactChecker checker;
  int count[4] = {}, incomplete = 0, gains = 0, safe = 0;
  const int draws = trials(5000);
  for (int i = 0; i < draws; ++i) {
    const double share = static_cast<double>(i) / draws;
    const int contacts = share < 0.3 ? 1 : (share < 0.8 ? 2 : (share < 0.98 ? 3 : 4));
    const Drawn d = draw(rng, contacts);
    const std::vector<Eigen::VectorXd> expected = enumerate(d);
    const ImpactResult r = checker.check(d.problem, d.impact);
    ASSERT_EQ(r.solutions.size(), expected.size()) << "draw " << i;
    for (const Eigen::VectorXd& u : expected) {
      bool found = false;
      for (const ImpactSolution& s : r.solutions) found = found || close(s.velocity, u);
      EXPECT_TRUE(found) << "draw " << i;
    }
    ++count[std::min<size_t>(expected.size(), 3)];
    incomplete += !r.complete;
    EXPECT_EQ(r.exists, expected.empty() ? (r.complete ? Verdict::kFails : Verdict::kUndecided) : Verdict::kHolds);
    bool gain = false;
    for (const ImpactSolution& s : r.solutions) {
      expect_energy_identities(d.problem, d.impact, s);
      gain = gain || s.energy_change > 0;
    }
    if (!expected.empty() && r.complete) {
      EXPECT_EQ(r.dissipates, gain ? Verdict::kFails : Verdict::kHolds) << "draw " << i;
    }
    gains += gain;
    // A coefficient that is safe for all velocities is safe for this one (bilateral rows kept).
    bool bilateral = false;
    for (const Contact& c : d.problem.contacts) bilateral = bilateral || c.side == Side::kBilateral;
    if (r.conditions.safe && !bilateral) {
      EXPECT_FALSE(gain) << "draw " << i;
    }
    if (r.conditions.similar || r.conditions.small || r.conditions.sharpened) {
      EXPECT_TRUE(r.conditions.safe) << "draw " << i;
    }
    if (r.conditions.small) {
      EXPECT_TRUE(r.conditions.similar) << "draw " << i;
    }  // S2: not independent of each other
    safe += r.conditions.safe;
  }
  RecordProperty("several", count[2] + count[3]);
  EXPECT_LE(incomplete, 2);  // modes so ill-conditioned that tolerances leave the velocity open
  EXPECT_GT(count[2] + count[3], draws / 500);
  EXPECT_GT(gains, draws / 25);
  EXPECT_GT(safe, draws / 17);
}

/// One degree of freedom: every row is a multiple of it, so u+ lies in an interval that the unilateral rows leave, and
/// impulses of both signs decide where.
TEST(ImpactSolutions, ExistOrNotWithDependentRows)
{
  Rng rng{5};
  ImpactChecker checker;
  int none = 0, some = 0;
  for (int i = 0; i < 1000; ++i) {
    const int rows = 2 + static_cast<int>(rng() % 3);
    const double u = uniform(rng, -1, 1);
    ContactProblem p = problem_of(Eigen::MatrixXd::Constant(1, 1, 2.0), gaussian(rng, rows));
    Impact impact{Eigen::VectorXd::Constant(1, u), {}};
    double lower = -kInfinity, upper = kInfinity;  // bounds on u+ from ξ >= 0
    for (int k = 0; k < rows; ++k) {
      p.contacts.push_back(single_row(k));
      const double speed = p.J(k, 0) * u;
      impact.laws.push_back(speed <= 0 ? bounce(rng() % 3 == 0 ? 0.5 : uniform(rng, 0, 1))
                                       : one_way(uniform(rng, -0.9, 0)));
      const double bound = -impact.laws.back().normal * u;
      if (p.J(k, 0) > 0)
        lower = std::max(lower, bound);
      else
        upper = std::min(upper, bound);
    }
    const ImpactResult r = checker.check(p, impact);
    ASSERT_TRUE(r.complete) << "draw " << i;
    if (lower > upper) {
      ++none;
      EXPECT_EQ(r.exists, Verdict::kFails) << "draw " << i;
      EXPECT_TRUE(r.solutions.empty());
      continue;
    }
    ++some;
    // The mass moves only as far as the bounds push it.
    ASSERT_EQ(r.solutions.size(), 1u) << "draw " << i;
    EXPECT_NEAR(r.solutions[0].velocity[0], std::clamp(u, lower, upper), 1e-10);
  }
  EXPECT_GT(none, 100);
  EXPECT_GT(some, 100);
}

/// Spatial contacts of a free body that falls and slides.
Drawn draw_in_space(Rng& rng, int contacts)
{
  Drawn d;
  d.problem = testing::random_contacts(rng, contacts, 0.2);
  d.impact.velocity = gaussian(rng, 6);
  d.impact.velocity[2] = -1 - std::abs(d.impact.velocity[2]);
  for (int i = 0; i < contacts; ++i) d.impact.laws.push_back(bounce(uniform(rng, 0, 1), uniform(rng, -0.5, 1)));
  return d;
}

/// The laws, once more: projections -Λ = proj_C(-Λ + ρ ξ) as in (17), with C a disk or an ellipse.
void expect_inclusions(const Drawn& d, const ImpactSolution& s)
{
  const ContactProblem& p = d.problem;
  const Eigen::VectorXd residual = p.M * (s.velocity - d.impact.velocity) - p.J.transpose() * s.impulse;
  EXPECT_NEAR(residual.norm(), 0, 1e-8 * (1 + s.impulse.norm()));
  const Eigen::VectorXd before = p.J * d.impact.velocity, after = p.J * s.velocity;
  for (size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const ImpactLaw& law = d.impact.laws[i];
    const double xi = after[c.row] + law.normal * before[c.row], normal = s.impulse[c.row];
    if (c.side == Side::kUnilateral)
      EXPECT_NEAR(normal, std::max(0.0, normal - xi), 1e-7 * (1 + normal));
    else
      EXPECT_NEAR(xi, 0, 1e-7);
    if (c.tangents == 2) {
      const double r1 = c.mu * std::abs(normal), r2 = law.mu_second.value_or(c.mu) * std::abs(normal);
      const Eigen::Vector2d L = s.impulse.segment<2>(c.row + 1);
      const Eigen::Vector2d x = after.segment<2>(c.row + 1) + law.tangential * before.segment<2>(c.row + 1);
      // Maximal dissipation: -Λ'ξ is the largest over the whole ellipse, found by walking around it.
      double best = 0;
      for (int k = 0; k < 3600; ++k)
        best = std::max(best, -(r1 * std::cos(k * M_PI / 1800) * x[0] + r2 * std::sin(k * M_PI / 1800) * x[1]));
      EXPECT_NEAR(-L.dot(x), best, 1e-5 * (r1 + r2) * (1 + x.norm()));
      EXPECT_LE(std::pow(L[0], 2) * r2 * r2 + std::pow(L[1], 2) * r1 * r1, r1 * r1 * r2 * r2 * (1 + 1e-9) + 1e-18);
    }
    if (c.torsional) {
      const int row = c.row + 1 + c.tangents;
      const double x = after[row] + law.spin * before[row];
      EXPECT_NEAR(-s.impulse[row] * x, c.torsion * std::abs(normal) * std::abs(x), 1e-7 * (1 + std::abs(normal)));
      EXPECT_LE(std::abs(s.impulse[row]), c.torsion * std::abs(normal) * (1 + 1e-9) + 1e-15);
    }
  }
}

TEST(ImpactInSpace, SatisfiesTheInclusions)
{
  Rng rng{17};
  ImpactChecker checker;
  int solved = 0, slips = 0, sticks = 0, opens = 0, decided = 0;
  for (int i = 0; i < 90; ++i) {
    Drawn d = draw_in_space(rng, 1 + i % 3);  // three: nine rows in six degrees of freedom
    if (i % 4 == 1)
      for (size_t k = 0; k < d.impact.laws.size(); ++k)
        d.impact.laws[k].mu_second = d.problem.contacts[k].mu * uniform(rng, 0.3, 3);
    const ImpactResult r = checker.check(d.problem, d.impact);
    if (i % 3 < 2) {
      ASSERT_FALSE(r.solutions.empty()) << "draw " << i;
    }  // at most six independent rows: there is one
    solved += !r.solutions.empty();
    bool gain = false;
    for (const ImpactSolution& s : r.solutions) {
      expect_inclusions(d, s);
      expect_energy_identities(d.problem, d.impact, s);
      for (const ContactImpact& c : s.contacts) {
        slips += c.state == ImpactState::kSlips;
        sticks += c.state == ImpactState::kSticks;
        opens += c.state == ImpactState::kOpens;
        EXPECT_LE(c.utilisation, 1 + 1e-9);
        EXPECT_NEAR(c.state == ImpactState::kSlips ? c.utilisation : 1, 1, 1e-9);
      }
      gain = gain || s.energy_change > 1e-9;
      EXPECT_LE(s.residual, 1.0);
    }
    if (gain) {
      EXPECT_EQ(r.dissipates, Verdict::kFails);
    }
    if (r.dissipates == Verdict::kHolds) {
      EXPECT_FALSE(gain);
    }
    decided += r.dissipates != Verdict::kUndecided;
  }
  EXPECT_GT(slips, 20);
  EXPECT_GT(sticks, 20);
  EXPECT_GT(opens, 5);
  EXPECT_GT(decided, 2 * solved / 3);
  RecordProperty("decided", decided);
}

TEST(ImpactInSpace, APlanarImpactStaysInItsPlane)
{
  Rng rng{23};
  ImpactChecker checker;
  for (int i = 0; i < 60; ++i) {
    Drawn planar;
    do planar = draw(rng, 1);
    while (planar.problem.contacts[0].tangents != 1);
    const auto nv = planar.problem.nv();
    // One more degree of freedom across the plane, uncoupled.
    Drawn space = planar;
    space.problem = problem_of(Eigen::MatrixXd::Identity(nv + 1, nv + 1), Eigen::MatrixXd::Zero(3, nv + 1));
    space.problem.M.topLeftCorner(nv, nv) = planar.problem.M;
    space.problem.J.topLeftCorner(2, nv) = planar.problem.J;
    space.problem.J(2, nv) = 1;
    space.problem.contacts = planar.problem.contacts;
    space.problem.contacts[0].tangents = 2;
    space.impact.velocity.conservativeResize(nv + 1);
    space.impact.velocity[nv] = 0;
    const ImpactResult flat = checker.check(planar.problem, planar.impact),
                       full = checker.check(space.problem, space.impact);
    for (const ImpactSolution& s : flat.solutions) {
      bool found = false;
      for (const ImpactSolution& t : full.solutions)
        found = found ||
                (t.velocity.head(nv) - s.velocity).norm() + std::abs(t.velocity[nv]) <= 1e-6 * (1 + s.velocity.norm());
      EXPECT_TRUE(found) << "draw " << i;
    }
  }
}

TEST(ImpactInSpace, AxesAndStretchingDoNotMatter)
{
  Rng rng{29};
  ImpactChecker checker;
  for (int i = 0; i < 40; ++i) {
    const Drawn d = draw_in_space(rng, 2);
    const ImpactResult r = checker.check(d.problem, d.impact);
    Drawn turned = d;  // tangents turned by an angle, one flipped
    for (const Contact& c : d.problem.contacts) {
      const double angle = uniform(rng, 0, 6), cs = std::cos(angle), sn = std::sin(angle);
      turned.problem.J.middleRows(c.row + 1, 2) =
          (Eigen::Matrix2d() << cs, sn, sn, -cs).finished() * d.problem.J.middleRows(c.row + 1, 2);
    }
    const ImpactResult t = checker.check(turned.problem, turned.impact);
    ASSERT_EQ(r.solutions.size(), t.solutions.size()) << "draw " << i;
    for (size_t k = 0; k < r.solutions.size(); ++k)
      EXPECT_TRUE(r.solutions[k].velocity.isApprox(t.solutions[k].velocity, 1e-6));
    Drawn same = d;  // an ellipse that is a disk
    for (size_t k = 0; k < 2; ++k) same.impact.laws[k].mu_second = d.problem.contacts[k].mu;
    EXPECT_TRUE(
        checker.check(same.problem, same.impact).solutions.at(0).velocity.isApprox(r.solutions.at(0).velocity, 1e-6));
  }
}

TEST(ImpactInSpace, OrthotropicSphere)
{
  // Uncoupled: Λn as before; slip solves ξ + α Λ/μ² = 0 on the ellipse, here by bisection on α.
  const double mu1 = 0.1, mu2 = 0.04, Ln = 9.6, g = 3.5 / 2;
  const Eigen::Vector2d c(1.2 * 2, 1.2 * 1);  // (1+ε)γ-
  double lower = 0, upper = 1e3;
  const auto impulse = [&](double a) {
    return Eigen::Vector2d(-c[0] / (g + a / (mu1 * mu1)), -c[1] / (g + a / (mu2 * mu2)));
  };
  for (int i = 0; i < 200; ++i) {
    const double a = 0.5 * (lower + upper);
    const Eigen::Vector2d L = impulse(a);
    (std::hypot(L[0] / mu1, L[1] / mu2) > Ln ? lower : upper) = a;
  }
  ImpactLaw law = bounce(.6, .2);
  law.mu_second = mu2;
  const ImpactResult r = solve(sphere(mu1), Eigen::Vector3d(-3, 2, 1), {law});
  ASSERT_EQ(r.solutions.size(), 1u);
  EXPECT_NEAR((r.solutions[0].impulse.tail(2) - impulse(lower)).norm(), 0, 1e-9);
}

TEST(ImpactElements, TorsionAndBilateralFriction)
{
  Rng rng{31};
  ImpactChecker checker;
  int pulls = 0, spins = 0;
  for (int i = 0; i < 120; ++i) {
    // A rough bilateral slider and a soft finger, all rows independent.
    Drawn d;
    const int nv = 7;
    const Eigen::MatrixXd A = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, nv * nv).data(), nv, nv);
    d.problem = problem_of(A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(nv, nv),
                           Eigen::Map<Eigen::MatrixXd>(gaussian(rng, 6 * nv).data(), 6, nv));
    Contact soft = planar_contact("soft", 0, uniform(rng, 0.1, 1));
    soft.tangents = 2;
    soft.torsional = true;
    soft.torsion = uniform(rng, 0.05, 0.5);
    d.problem.contacts = {soft, planar_contact("slider", 4, uniform(rng, 0.1, 0.6), Side::kBilateral)};
    ImpactLaw law = bounce(uniform(rng, 0, 1), uniform(rng, -0.5, 1));
    law.spin = uniform(rng, -0.5, 1);
    d.impact.laws = {law, bounce(0, uniform(rng, -0.5, 1))};
    // Velocity that keeps the slider.
    Eigen::VectorXd u = gaussian(rng, nv);
    const Eigen::VectorXd n = d.problem.J.row(4).transpose();
    d.impact.velocity = u - n * (n.dot(u) / n.squaredNorm());
    const ImpactResult r = checker.check(d.problem, d.impact);
    for (const ImpactSolution& s : r.solutions) {
      expect_inclusions(d, s);
      expect_energy_identities(d.problem, d.impact, s);
      pulls += s.impulse[4] < 0;
      spins += s.impulse[3] != 0;
      const double slider =
          s.velocity.dot(d.problem.J.row(5)) + d.impact.laws[1].tangential * d.impact.velocity.dot(d.problem.J.row(5));
      EXPECT_NEAR(-s.impulse[5] * slider, d.problem.contacts[1].mu * std::abs(s.impulse[4] * slider),
                  1e-7 * (1 + s.impulse.norm()));
    }
    EXPECT_FALSE(r.solutions.empty()) << "draw " << i;
  }
  EXPECT_GT(pulls, 10);
  EXPECT_GT(spins, 10);
}

TEST(ImpactElements, DuplicatesScalesAndFlippedTangents)
{
  Rng rng{37};
  ImpactChecker checker;
  for (int i = 0; i < 200; ++i) {
    const Drawn d = draw(rng, 2);
    const ImpactResult r = checker.check(d.problem, d.impact);
    const auto same = [&](const ImpactResult& other, double impulse_factor, const char* what) {
      ASSERT_EQ(other.solutions.size(), r.solutions.size()) << what << ", draw " << i;
      for (size_t k = 0; k < r.solutions.size(); ++k) {
        EXPECT_TRUE(close(other.solutions[k].velocity, r.solutions[k].velocity)) << what << ", draw " << i;
        EXPECT_NEAR(other.solutions[k].energy_change, impulse_factor * r.solutions[k].energy_change,
                    1e-6 * impulse_factor * r.solutions[k].energy_before);
      }
      EXPECT_EQ(other.dissipates, r.dissipates) << what << ", draw " << i;
      EXPECT_EQ(other.conditions.safe, r.conditions.safe);
      EXPECT_NEAR(other.conditions.exact, r.conditions.exact, 1e-6);
    };
    Drawn heavy = d;
    heavy.problem.M *= 50;
    same(checker.check(heavy.problem, heavy.impact), 50, "mass");
    Drawn flipped = d;
    for (const Contact& c : d.problem.contacts)
      if (c.tangents > 0)
        flipped.problem.J.row(c.row + 1) *= -1;
      else if (c.side == Side::kBilateral)
        flipped.problem.J.row(c.row) *= -1;
    same(checker.check(flipped.problem, flipped.impact), 1, "sign");
    // The first contact twice: without friction only impulses become ambiguous.
    if (d.problem.contacts[0].tangents > 0) continue;
    Drawn twice = d;
    const auto rows = d.problem.rows();
    twice.problem.J.conservativeResize(rows + 1, Eigen::NoChange);
    twice.problem.J.row(rows) = d.problem.J.row(d.problem.contacts[0].row);
    twice.problem.gamma.setZero(rows + 1);
    twice.problem.contacts.push_back(single_row(static_cast<int>(rows), d.problem.contacts[0].side));
    twice.impact.laws.push_back(d.impact.laws[0]);
    const ImpactResult t = checker.check(twice.problem, twice.impact);
    ASSERT_EQ(t.solutions.size(), r.solutions.size()) << "draw " << i;
    for (size_t k = 0; k < r.solutions.size(); ++k) {
      EXPECT_TRUE(close(t.solutions[k].velocity, r.solutions[k].velocity)) << "draw " << i;
      if (r.solutions[k].contacts[0].state != ImpactState::kOpens) {
        EXPECT_EQ(t.solutions[k].impulse_unique, Verdict::kFails);
      }
    }
  }
}

TEST(ImpactElements, NothingSlipsBeforeMeansNoGain)  // F13
{
  Rng rng{41};
  ImpactChecker checker;
  int holds = 0;
  for (int i = 0; i < 200; ++i) {
    Drawn d = draw(rng, 2);
    // Closing contacts close, everything else is at rest.
    Eigen::VectorXd wanted = Eigen::VectorXd::Zero(d.problem.rows());
    for (size_t k = 0; k < d.problem.contacts.size(); ++k)
      if (d.problem.contacts[k].side == Side::kUnilateral && !d.impact.laws[k].one_way)
        wanted[d.problem.contacts[k].row] = -uniform(rng, 0.1, 1);
    const Eigen::MatrixXd& J = d.problem.J;
    d.impact.velocity = J.transpose() * internal::solve(J * J.transpose(), wanted);
    const ImpactResult r = checker.check(d.problem, d.impact);
    for (const ImpactSolution& s : r.solutions) EXPECT_LE(s.energy_change, 1e-9 * s.energy_before) << "draw " << i;
    EXPECT_EQ(r.dissipates, Verdict::kHolds) << "draw " << i;
    holds += r.dissipates == Verdict::kHolds;
  }
  EXPECT_EQ(holds, 200);
}

TEST(ImpactElements, MasslessPartsAndClosures)
{
  // A mass with a massless foot on the ground: the foot carries the impulse only if something passes it on (a closure).
  ContactProblem p = problem_of(Eigen::Vector2d(2, 0).asDiagonal(), (Eigen::Matrix2d() << 0, 1, 1, -1).finished());
  p.contacts = {single_row(0)};
  p.loops = {{"leg", 1, 1}};
  const ImpactResult r = solve(p, Eigen::Vector2d(-1, -1), {bounce(.5)});
  ASSERT_EQ(r.solutions.size(), 1u);
  EXPECT_NEAR((r.solutions[0].velocity - Eigen::Vector2d(.5, .5)).norm(), 0, 1e-12);
  EXPECT_NEAR(r.solutions[0].impulse[0], 3, 1e-12);
  EXPECT_NEAR(r.solutions[0].impulse[1], 3, 1e-12);
  EXPECT_NEAR(r.solutions[0].energy_change, -0.75, 1e-12);
  EXPECT_TRUE(r.complete);
  EXPECT_FALSE(r.conditions.applies);
  EXPECT_EQ(r.dissipates, Verdict::kHolds);
}

TEST(ImpactElements, ManyContactsStayWithinTheLimit)
{
  Rng rng{43};
  Drawn d = draw_in_space(rng, 12);
  ImpactOptions options;
  options.leaf_limit = 200;
  const ImpactResult r = ImpactChecker().check(d.problem, d.impact, options);
  for (const ImpactSolution& s : r.solutions) expect_inclusions(d, s);
  EXPECT_FALSE(r.complete);
  EXPECT_FALSE(r.reason.empty());
  EXPECT_NE(r.unique, Verdict::kHolds);
}

TEST(ImpactProofs, RejectWhatIsNotSo)
{
  const ContactProblem p = pendulum(.5);
  const Impact impact{kPendulumSpeed, {bounce(.5)}};
  const ImpactResult r = ImpactChecker().check(p, impact);
  const ImpactSolution& s = r.solutions.at(0);
  std::string why;
  ASSERT_TRUE(proves_impact(p, impact, s.velocity, s.impulse));
  for (int k = 0; k < 2; ++k) {
    Eigen::VectorXd L = s.impulse;
    L[k] *= 1 + 1e-8;
    EXPECT_FALSE(proves_impact(p, impact, s.velocity, L, nullptr, &why));
    EXPECT_THAT(why, HasSubstr("momentum"));
    EXPECT_FALSE(proves_impact(p, impact, s.velocity + inverse(p.M) * p.J.transpose() * (L - s.impulse), L));
  }
  // Balanced, but of another law: less friction, other restitution, wrong sign of slip.
  EXPECT_FALSE(proves_impact(pendulum(.4), impact, s.velocity, s.impulse, nullptr, &why));
  EXPECT_THAT(why, HasSubstr("exceeds its budget"));
  EXPECT_FALSE(proves_impact(p, {kPendulumSpeed, {bounce(.6)}}, s.velocity, s.impulse, nullptr, &why));
  EXPECT_THAT(why, HasSubstr("slower"));
  EXPECT_FALSE(proves_impact(p, {kPendulumSpeed, {bounce(.4)}}, s.velocity, s.impulse, nullptr, &why));
  EXPECT_THAT(why, HasSubstr("opens"));
  const auto with = [&](const Eigen::Vector2d& L) {  // any impulse with its momentum
    return proves_impact(p, {kPendulumSpeed, {bounce(0)}}, kPendulumSpeed + inverse(p.M) * p.J.transpose() * L, L,
                         nullptr, &why);
  };
  const Eigen::Matrix2d G = delassus(p);
  const double before = (p.J * kPendulumSpeed)[0];
  const double reversed = -before / (G(0, 0) + .5 * G(0, 1));  // slips along instead of against
  EXPECT_FALSE(with({reversed, .5 * reversed}));
  EXPECT_THAT(why, HasSubstr("oppose"));
  const double inside = -before / (G(0, 0) - .25 * G(0, 1));
  EXPECT_FALSE(with({inside, -.25 * inside}));
  EXPECT_THAT(why, HasSubstr("inside"));
  EXPECT_FALSE(with({-.1, 0}));
  EXPECT_THAT(why, HasSubstr("pulls"));

  // A cover with a leaf missing, a wrong witness, or a solution of another leaf proves nothing.
  ASSERT_TRUE(judge_impact(p, impact, r.solutions, r.leaves).complete);
  for (size_t k = 0; k < r.leaves.size(); ++k) {
    std::vector<ImpactLeaf> fewer = r.leaves;
    fewer.erase(fewer.begin() + static_cast<long>(k));
    EXPECT_FALSE(judge_impact(p, impact, r.solutions, fewer).covers);
    std::vector<ImpactLeaf> wrong = r.leaves;
    wrong[k].witness *= -1;
    wrong[k].left_inverse *= 1.001;
    EXPECT_FALSE(judge_impact(p, impact, r.solutions, wrong).covers);
  }
  EXPECT_EQ(judge_impact(p, impact, {}, r.leaves).exists, Verdict::kUndecided);
  // One solution twice is not two.
  EXPECT_EQ(judge_impact(p, impact, {s, s}, {}).unique, Verdict::kUndecided);
}

TEST(ImpactProofs, RejectModesThatNoContactHas)  // a leaf as wide as that would cover what its program leaves out
{
  using Mode = ContactImpactMode;
  const ContactProblem flat = pendulum(.5), round = sphere(.1);
  const auto covers = [](const ContactProblem& p, const Impact& impact, Mode::Normal normal, double from, double to) {
    const ImpactResult r = ImpactChecker().check(p, impact);
    ImpactLeaf leaf;
    leaf.kind = ImpactLeaf::Kind::kEmpty;
    leaf.modes.resize(1);
    leaf.modes[0].normal = normal;
    leaf.modes[0].tangential = Mode::Tangential::kSlip;
    leaf.modes[0].from = from;
    leaf.modes[0].to = to;
    std::string why;
    judge_impact(p, impact, r.solutions, {leaf}, &why);
    return why;
  };
  const Impact drop{kPendulumSpeed, {bounce(.5)}}, bounced{Eigen::Vector3d(-3, 2, 1), {bounce(.6, .2)}};
  const auto pushes = Mode::Normal::kPushes;
  EXPECT_THAT(covers(flat, drop, pushes, 0, 4), HasSubstr("a mode that tip does not have"));
  EXPECT_THAT(covers(flat, drop, pushes, 1, 1), HasSubstr("a mode that tip does not have"));
  EXPECT_THAT(covers(flat, drop, Mode::Normal::kPulls, 0, 0), HasSubstr("a mode that tip does not have"));
  EXPECT_THAT(covers(round, bounced, pushes, 0, 2 * M_PI), HasSubstr("a mode that touch does not have"));
  EXPECT_THAT(covers(round, bounced, pushes, 1, 0), HasSubstr("a mode that touch does not have"));
  EXPECT_THAT(covers(flat, drop, pushes, 0, 0), HasSubstr("a leaf is not proved"));  // a mode it has, without a proof
  EXPECT_THAT(covers(round, bounced, pushes, 0, M_PI / 2), HasSubstr("a leaf is not proved"));
}

TEST(ImpactProofs, Semidefinite)
{
  EXPECT_TRUE(proves_semidefinite((Eigen::Matrix2d() << 1, 1, 1, 1).finished()));
  EXPECT_FALSE(proves_semidefinite((Eigen::Matrix2d() << 1, 1 + 1e-10, 1 + 1e-10, 1).finished()));
  EXPECT_TRUE(proves_semidefinite(Eigen::MatrixXd::Zero(3, 3)));
  EXPECT_TRUE(proves_semidefinite(Eigen::MatrixXd(0, 0)));
  EXPECT_FALSE(proves_semidefinite(-Eigen::MatrixXd::Identity(2, 2)));
}

TEST(ImpactInput, NamesTheEntry)
{
  const auto path = [](const ContactProblem& p, const Eigen::VectorXd& u, const std::vector<ImpactLaw>& laws) {
    try {
      solve(p, u, laws);
    } catch (const InputError& e) {
      return e.path();
    }
    return std::string();
  };
  const ContactProblem p = pendulum(.5);
  const Eigen::Vector2d u = kPendulumSpeed;
  EXPECT_EQ(path(p, Eigen::Vector3d::Zero(), {}), "velocity");
  EXPECT_EQ(path(p, u * std::nan(""), {}), "velocity");
  EXPECT_EQ(path(p, u, {bounce(0), bounce(0)}), "laws");
  EXPECT_EQ(path(p, u, {bounce(-.1)}), "laws[0].normal");
  EXPECT_EQ(path(p, u, {bounce(1.1)}), "laws[0].normal");
  EXPECT_EQ(path(p, u, {bounce(.1, -1)}), "laws[0].tangential");
  EXPECT_EQ(path(p, u, {bounce(.1, std::nan(""))}), "laws[0].tangential");
  EXPECT_EQ(path(p, u, {one_way(.1)}), "laws[0].normal");
  const ContactProblem rail = [] {
    ContactProblem held = slide_push();
    held.contacts[0] = single_row(0, Side::kBilateral);
    return held;
  }();
  EXPECT_EQ(path(rail, u, {one_way(0), bounce(0)}), "laws[0].one_way");
  EXPECT_EQ(path(rail, u, {bounce(-1), bounce(0)}), "laws[0].normal");
  EXPECT_EQ(path(rail, u, {bounce(-.9), bounce(0)}), "");
  EXPECT_EQ(path(p, u, {one_way(-1)}), "laws[0].normal");
  ImpactLaw law;
  law.mu_second = .3;
  EXPECT_EQ(path(p, u, {law}), "laws[0].mu_second");
  EXPECT_EQ(path(sphere(0), Eigen::Vector3d(-1, 0, 0), {law}), "laws[0].mu_second");
  EXPECT_EQ(path(sphere(.2), Eigen::Vector3d(-1, 0, 0), {law}), "");
  law.spin = -2;
  EXPECT_EQ(path(sphere(.2), Eigen::Vector3d(-1, 0, 0), {law}), "laws[0].spin");
  // Nothing at all is fine.
  EXPECT_EQ(solve(problem_of(Eigen::Matrix2d::Identity(), Eigen::MatrixXd(0, 2)), u, {}).solutions.at(0).velocity, u);
}

}  // namespace
}  // namespace stiction
