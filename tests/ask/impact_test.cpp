// Impacts: the paper's worked examples and corrected claims, laws of energy, and the set of all solutions against an
// enumeration of the linear complementarity problem (140).
#include "stiction/impact.hpp"

#include <gmock/gmock.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "stiction/error.hpp"
#include "support/examples.hpp"
#include "support/random_problems.hpp"

namespace stiction {
namespace {

using testing::gaussian;
using testing::planar_contact;
using testing::Rng;
using testing::uniform;
using ::testing::HasSubstr;

/// A contact that is a single row: no friction.
Contact single_row(int row, Side side = Side::kUnilateral)
{
  Contact c = planar_contact("c" + std::to_string(row), row, 0.0, side);
  c.tangents = 0;
  return c;
}

ImpactLaw one_way(double e)
{
  ImpactLaw law;
  law.normal = e;
  law.one_way = true;
  return law;
}

ContactProblem problem_of(const Eigen::MatrixXd& M, const Eigen::MatrixXd& J)
{
  ContactProblem p;
  p.M = M;
  p.F.setZero(M.rows());
  p.J = J;
  p.gamma.setZero(J.rows());
  return p;
}

/// Slide-push (section 6): two equal masses in a row, a wall below the first (A) and a sprag between them (B).
ContactProblem slide_push(double m = 1.0)
{
  ContactProblem p = problem_of(m * Eigen::Matrix2d::Identity(), (Eigen::Matrix2d() << 1, 0, -1, 1).finished());
  p.contacts = {single_row(0), single_row(1)};
  return p;
}

/// Kane's double pendulum (section 7); `friction` off: a sprag on the tangential row instead.
ContactProblem pendulum(double mu, bool friction = true)
{
  const double l = 2, m = 3, phi1 = 20 * M_PI / 180, phi2 = 30 * M_PI / 180, c = std::cos(phi2 - phi1);
  const Eigen::Matrix2d M = m * l * l * (Eigen::Matrix2d() << 4.0 / 3, c / 2, c / 2, 1.0 / 3).finished();
  ContactProblem p = problem_of(M, (Eigen::Matrix2d() << l * std::sin(phi1), l * std::sin(phi2),  //
                                    -l * std::cos(phi1), -l * std::cos(phi2))
                                       .finished());
  if (friction)
    p.contacts = {planar_contact("tip", 0, mu)};
  else
    p.contacts = {single_row(0), single_row(1)};
  return p;
}
const Eigen::Vector2d kPendulumSpeed(-0.1, -0.2);

ImpactLaw bounce(double normal, double tangential = 0.0)
{
  ImpactLaw law;
  law.normal = normal;
  law.tangential = tangential;
  return law;
}

/// Ball on a bar on two supports (figure 5a): ball y, bar y, angle.
ContactProblem ball_on_bar()
{
  ContactProblem p = problem_of(Eigen::Vector3d(1, 3, 1).asDiagonal(),
                                (Eigen::Matrix3d() << 1, -1, 1, 0, 1, -0.5, 0, 1, 0.5).finished());
  p.contacts = {single_row(0), single_row(1), single_row(2)};
  return p;
}

/// Solid sphere: G = diag(1, 3.5, 3.5)/m.
ContactProblem sphere(double mu)
{
  const double m = 2;
  ContactProblem p = problem_of(Eigen::Vector3d(m, m / 3.5, m / 3.5).asDiagonal(), Eigen::Matrix3d::Identity());
  Contact c = planar_contact("touch", 0, mu);
  c.tangents = 2;
  p.contacts = {c};
  return p;
}

ImpactResult solve(const ContactProblem& p, const Eigen::VectorXd& velocity, const std::vector<ImpactLaw>& laws)
{
  return ImpactSolver().solve(p, {velocity, laws});
}

/// Four forms of W (57)–(63), (97), from the definitions.
void expect_energy_identities(const ContactProblem& p, const Impact& impact, const ImpactSolution& s)
{
  Eigen::VectorXd e = Eigen::VectorXd::Zero(p.rows());
  for (size_t i = 0; i < p.contacts.size(); ++i) {
    const ImpactLaw law = impact.laws.empty() ? ImpactLaw{} : impact.laws[i];
    const Contact& c = p.contacts[i];
    e[c.row] = law.normal;
    e.segment(c.row + 1, c.tangents).setConstant(law.tangential);
    if (c.torsional) e[c.row + 1 + c.tangents] = law.spin;
  }
  const Eigen::MatrixXd G = p.J * p.M.inverse() * p.J.transpose();
  const Eigen::VectorXd before = p.J * impact.velocity, after = p.J * s.velocity, L = s.impulse;
  const Eigen::VectorXd xi = after + e.cwiseProduct(before);
  const auto energy = [&](const Eigen::VectorXd& u) { return 0.5 * u.dot(p.M * u); };
  const double scale = 1e-9 * (energy(impact.velocity) + energy(s.velocity) + L.cwiseAbs().dot(before.cwiseAbs()));
  double sum = 0.0;
  for (const ContactImpact& c : s.contacts) sum += c.work();
  for (const double w : s.closure_work) sum += w;
  EXPECT_NEAR(s.energy_change, energy(s.velocity) - energy(impact.velocity), scale);
  EXPECT_NEAR(s.energy_change, sum, scale);
  const Eigen::VectorXd inner = (2 * xi - (1 - e.array()).matrix().cwiseProduct(G * L)).array() / (1 + e.array());
  EXPECT_NEAR(s.energy_change, 0.5 * L.dot(inner), scale);
  EXPECT_NEAR(s.energy_change, 0.5 * L.dot(xi) + 0.5 * L.dot(((1 - e.array()) * before.array()).matrix()), scale);
  EXPECT_LE(L.dot(xi), scale);   // (23)
}

TEST(ImpactExamples, SlidePushCreatesEnergy)
{
  for (const double m : {1.0, 2.5})
    for (const double v : {1.0, 0.3}) {
      const Impact impact{Eigen::Vector2d(-v, 0), {bounce(1), one_way(0)}};
      const ImpactResult r = ImpactSolver().solve(slide_push(m), impact);
      ASSERT_TRUE(r.complete);
      ASSERT_EQ(r.solutions.size(), 1u);
      const ImpactSolution& s = r.solutions[0];
      EXPECT_TRUE(s.impulse.isApprox(Eigen::Vector2d(3 * m * v, m * v), 1e-12));
      EXPECT_TRUE(s.velocity.isApprox(Eigen::Vector2d(v, v), 1e-12));
      EXPECT_NEAR(s.energy_before, m * v * v / 2, 1e-12);
      EXPECT_NEAR(s.energy_change, m * v * v / 2, 1e-12);
      EXPECT_NEAR(s.contacts[0].work(), 0.0, 1e-12);
      EXPECT_NEAR(s.contacts[1].work(), m * v * v / 2, 1e-12);   // the sprag injects
      EXPECT_EQ(r.dissipates, Verdict::kFails);
      EXPECT_EQ(r.unique, Verdict::kHolds);
      EXPECT_TRUE(r.flaws.empty());
      EXPECT_TRUE(r.bound_applies);
      EXPECT_GE(r.energy_bound, s.energy_change - 1e-12);
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
  EXPECT_NEAR(safe.sharpened, std::sqrt(0.5), 1e-10);   // exact for two scalar elements
  EXPECT_NEAR(safe.similar, 0.145898, 1e-6);
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
  const Case cases[] = {
      {.5, 0, .5, {3.4078792829, 1.4675795461}, {0.1342020143, 0}, {-0.3346489298, 0.3631153642}, 0.4416043990,
       0.1634274686, -0.2286721, 0.3920996, ImpactState::kSticks},
      {.5, .5, .5, {0.6823003921, -0.3411501961}, {0.1342020143, -0.0891550799}, {-0.2062930193, 0.2753147504},
       0.1564549439, -0.1217219865, -0.0457830, -0.0759389, ImpactState::kSlips},
      {0, 0, .5, {0.4548669281, -0.2274334640}, {0, 0.1186795087}, {-0.1708620128, 0.1168765002}, 0.1428726402,
       -0.1353042902, -0.0610441, -0.0742602, ImpactState::kSlips},
      {.5, 0, 0, {1.1963803850, 0}, {0.1342020143, -0.0723392603}, {-0.2305026306, 0.2918750998}, 0.1978986016,
       -0.0802783288, -0.0802783288, 0, ImpactState::kSticks}};
  for (const Case& c : cases) {
    const ContactProblem p = pendulum(c.mu);
    const Impact impact{kPendulumSpeed, {bounce(c.e_n, c.e_t)}};
    const ImpactResult r = ImpactSolver().solve(p, impact);
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
  EXPECT_NEAR(safe.similar, 0.012868, 1e-6);
  EXPECT_NEAR(safe.exact, 0.246162, 1e-6);
  EXPECT_NEAR(safe.sharpened, 0.246162, 1e-6);
}

TEST(ImpactExamples, KanesPendulumThresholds)
{
  // W = 0 for this speed and friction.
  double lower = 0.3, upper = 0.5;
  ImpactSolver solver;
  for (int i = 0; i < 45; ++i) {
    const double e = 0.5 * (lower + upper);
    const ImpactResult r = solver.solve(pendulum(.5), {kPendulumSpeed, {bounce(e)}});
    ASSERT_EQ(r.solutions.size(), 1u);
    (r.solutions[0].energy_change > 0 ? upper : lower) = e;
  }
  EXPECT_NEAR(lower, 0.3968385591, 1e-9);

  // Just above the exact bound some speed gains: the bound is tight.
  const ContactProblem rough = pendulum(1.0);
  const Eigen::Vector2d u = rough.J.inverse() * Eigen::Vector2d(-0.06118776, 0.0943442);
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
  EXPECT_NEAR(stick.energy_change,
              -0.5 * ((1 + e.array()) * before.array()).matrix().dot(G.inverse() * ((1 - e.array()) * before.array()).matrix()),
              1e-9);
}

TEST(ImpactExamples, ASpragReproducesStickingFriction)   // section 7.2
{
  const ImpactResult r = solve(pendulum(0, false), kPendulumSpeed, {bounce(.5), one_way(0)});
  ASSERT_EQ(r.solutions.size(), 1u);
  EXPECT_NEAR(r.solutions[0].impulse[0], 3.4078792829, 1e-9);
  EXPECT_NEAR(r.solutions[0].impulse[1], 1.4675795461, 1e-9);
  EXPECT_EQ(r.dissipates, Verdict::kFails);
}

TEST(ImpactExamples, EquivalentSystemBouncesAlike)   // (135)–(138), from unrounded G
{
  const EnergyConditions c = energy_conditions(pendulum(.5), {});
  const ImpactEquivalent e = impact_equivalent(Eigen::Matrix2d(c.G));
  EXPECT_NEAR(e.lever, 0.6636130579, 1e-9);
  EXPECT_NEAR(e.mass1, 1.3086359320, 1e-8);
  EXPECT_NEAR(e.mass2, 20.2874558027, 1e-6);   // the paper's 20.3217 comes from a rounded G
  ContactProblem p = problem_of(Eigen::Vector2d(e.mass1, e.mass2).asDiagonal(),
                                (Eigen::Matrix2d() << e.lever, 0, -1, 1).finished());
  p.contacts = {planar_contact("tip", 0, .5)};
  const Eigen::Vector2d u = p.J.inverse() * (pendulum(.5).J * kPendulumSpeed);
  EXPECT_NEAR(u[0], -0.4044586306, 1e-8);
  EXPECT_NEAR(u[1], 0.1298900550, 1e-8);
  const ImpactResult stick = solve(p, u, {bounce(.5)}), slip = solve(p, u, {bounce(.5, .5)});
  ASSERT_EQ(stick.solutions.size(), 1u);
  EXPECT_NEAR(stick.solutions[0].velocity[0], 0.2022293153, 1e-8);
  EXPECT_NEAR(stick.solutions[0].velocity[1], 0.2022293153, 1e-8);
  EXPECT_NEAR(stick.solutions[0].energy_change, 0.1634274686, 1e-8);
  ASSERT_EQ(slip.solutions.size(), 1u);
  EXPECT_NEAR(slip.solutions[0].energy_change, -0.1217219865, 1e-8);
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
    EXPECT_EQ(r.dissipates, Verdict::kHolds);   // 5.3: no friction, any mix of coefficients
    EXPECT_TRUE(r.solutions[0].impulse_unique);
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

TEST(ImpactCorrections, SmallCoefficientsWithNegativeOnes)   // S1: (92) as printed passes, energy grows
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

TEST(ImpactCorrections, LargeFrictionNeedNotStick)   // S5
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

TEST(ImpactCorrections, ACoefficientOfMinusOneRemovesNothing)   // S6: the limit couples, and the value itself is refused
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

TEST(ImpactCorrections, OpposedElementsMayHaveNoSolution)   // S7
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
  EXPECT_FALSE(some.solutions[0].impulse_unique);
}

TEST(ImpactCorrections, BilateralRowsDoNotCount)   // S8: their coefficient has no effect, redundant ones do no harm
{
  ContactProblem p = problem_of(Eigen::Vector3d(1, 2, 3).asDiagonal(),
                                (Eigen::MatrixXd(4, 3) << 1, 0, 1, 0, 1, -0.4, 0.3, 1, 0, 0.6, 2, 0).finished());
  p.contacts = {planar_contact("foot", 0, 0.4), single_row(2, Side::kBilateral), single_row(3, Side::kBilateral)};
  const Eigen::Vector3d u(-1, 0.3, -0.2);   // keeps 0.3 x + y = 0
  std::optional<EnergyConditions> first;
  for (const double e : {-0.5, 0.0, 0.9}) {
    const ImpactResult r = solve(p, u, {bounce(.3), bounce(e), bounce(.2)});
    ASSERT_EQ(r.solutions.size(), 1u);
    EXPECT_FALSE(r.solutions[0].impulse_unique);
    EXPECT_NEAR((p.J.bottomRows(2) * r.solutions[0].velocity).norm(), 0, 1e-12);
    EXPECT_GT(r.conditions.ratio, 1e-3);   // of the raw G it would be 0
    if (!first) first = r.conditions;
    EXPECT_TRUE(r.conditions.G.isApprox(first->G, 1e-14));
    EXPECT_EQ(r.conditions.exact, first->exact);
  }
}

TEST(ImpactCorrections, ASeparatingContactActsLikeASprag)   // S9: 5.3 needs γ- <= 0
{
  // Slide-push with B a gap that opens already: same numbers, no friction, yet energy grows.
  const ImpactResult r = solve(slide_push(), Eigen::Vector2d(-1, 0), {bounce(1), bounce(0)});
  EXPECT_NEAR(r.solutions.at(0).energy_change, 0.5, 1e-12);
  EXPECT_EQ(r.dissipates, Verdict::kFails);
  ASSERT_EQ(r.flaws.size(), 1u);
  EXPECT_EQ(r.flaws[0].contact, 1);
  EXPECT_FALSE(r.flaws[0].after);
  EXPECT_NEAR(r.flaws[0].velocity, 1.0, 1e-15);
  EXPECT_FALSE(r.bound_applies);
}

// ---- All solutions, by another way. ----

struct Drawn {
  ContactProblem problem;
  Impact impact;
};

/// Planar contacts with and without friction, sprags and bilateral rows with independent rows.
Drawn draw(Rng& rng, int contacts)
{
  Drawn d;
  int rows = 0;
  for (int i = 0; i < contacts; ++i) {
    const auto kind = rng() % 8;
    ImpactLaw law;
    if (kind < 5) {
      d.problem.contacts.push_back(planar_contact("c" + std::to_string(rows), rows, uniform(rng, 0.1, 2.0)));
      law = bounce(uniform(rng, 0, 1), uniform(rng, -0.9, 1));
      rows += 2;
    } else {
      d.problem.contacts.push_back(single_row(rows, kind == 7 ? Side::kBilateral : Side::kUnilateral));
      law = kind == 5 ? bounce(uniform(rng, 0, 1)) : (kind == 6 ? one_way(uniform(rng, -0.9, 0)) : bounce(0));
      ++rows;
    }
    d.impact.laws.push_back(law);
  }
  const int nv = rows + static_cast<int>(rng() % 3);
  const Eigen::MatrixXd A = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, nv * nv).data(), nv, nv);
  const Eigen::MatrixXd J = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, rows * nv).data(), rows, nv);
  std::vector<Contact> contact_list = d.problem.contacts;
  d.problem = problem_of(A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(nv, nv), J);
  d.problem.contacts = std::move(contact_list);
  d.impact.velocity = gaussian(rng, nv);
  return d;
}

/// Post-impact velocities by complementary bases of (140): per frictional contact (ΛN, ΛR, ξL) or their partners
/// (ξN, ξR, ΛL), with ΛR = mu ΛN + ΛT, ΛL = mu ΛN - ΛT, ξR - ξL = ξT.
std::vector<Eigen::VectorXd> enumerate(const Drawn& d)
{
  const ContactProblem& p = d.problem;
  const Eigen::MatrixXd Minv = p.M.inverse(), G = p.J * Minv * p.J.transpose();
  const Eigen::VectorXd before = p.J * d.impact.velocity;
  const Eigen::Index rows = p.rows();
  // w = N z + q over z = (ΛN, ΛR, ξL, …), w the partners; bilateral rows: w = 0 always (z basic).
  std::vector<int> choices;   // index in z of those with a choice
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
      N.row(at + 1) = GL.row(c.row + 1);
      N(at + 1, at + 2) += 1;
      q[at + 1] = (1 + law.tangential) * before[c.row + 1];
      N(at + 2, at) = 2 * c.mu;
      N(at + 2, at + 1) = -1;
    }
    at += c.tangents > 0 ? 3 : 1;
  }
  for (int k = 0; k < size; ++k)
    if (!always[static_cast<size_t>(k)]) choices.push_back(k);
  std::vector<Eigen::VectorXd> found;
  for (unsigned bits = 0; bits < (1u << choices.size()); ++bits) {
    std::vector<int> basic;   // z basic, w = 0
    for (int k = 0; k < size; ++k)
      if (always[static_cast<size_t>(k)]) basic.push_back(k);
    for (size_t k = 0; k < choices.size(); ++k)
      if (bits >> k & 1u) basic.push_back(choices[k]);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(size);
    if (!basic.empty()) {
      const Eigen::MatrixXd K = N(basic, basic);
      const Eigen::FullPivLU<Eigen::MatrixXd> lu(K);
      if (!lu.isInvertible()) continue;
      z(basic) = lu.solve(-q(basic));
    }
    const Eigen::VectorXd w = N * z + q;
    bool good = true;
    for (const int k : choices) good = good && z[k] >= -1e-9 && w[k] >= -1e-9;
    if (!good) continue;
    const Eigen::VectorXd u = d.impact.velocity + Minv * p.J.transpose() * (Lambda * z);
    bool known = false;
    for (const Eigen::VectorXd& other : found) known = known || (other - u).norm() <= 1e-6 * (1 + u.norm());
    if (!known) found.push_back(u);
  }
  return found;
}

TEST(ImpactSolutions, AreAllThoseOfTheComplementarityProblem)
{
  Rng rng{11};
  ImpactSolver solver;
  int count[4] = {}, incomplete = 0, gains = 0, safe = 0;
  for (int i = 0; i < 5000; ++i) {
    const int contacts = i < 1500 ? 1 : (i < 4000 ? 2 : (i < 4900 ? 3 : 4));
    const Drawn d = draw(rng, contacts);
    const std::vector<Eigen::VectorXd> expected = enumerate(d);
    const ImpactResult r = solver.solve(d.problem, d.impact);
    ASSERT_EQ(r.solutions.size(), expected.size()) << "draw " << i;
    for (const Eigen::VectorXd& u : expected) {
      bool found = false;
      for (const ImpactSolution& s : r.solutions) found = found || (s.velocity - u).norm() <= 1e-6 * (1 + u.norm());
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
    if (!expected.empty()) { EXPECT_EQ(r.dissipates, gain ? Verdict::kFails : Verdict::kHolds) << "draw " << i; }
    gains += gain;
    // A coefficient that is safe for all velocities is safe for this one (bilateral rows kept).
    bool bilateral = false;
    for (const Contact& c : d.problem.contacts) bilateral = bilateral || c.side == Side::kBilateral;
    if (r.conditions.safe && !bilateral) { EXPECT_FALSE(gain) << "draw " << i; }
    if (r.conditions.similar || r.conditions.small || r.conditions.sharpened) { EXPECT_TRUE(r.conditions.safe) << "draw " << i; }
    safe += r.conditions.safe;
  }
  RecordProperty("several", count[2] + count[3]);
  EXPECT_EQ(incomplete, 0);
  EXPECT_GT(count[2] + count[3], 10);
  EXPECT_GT(gains, 300);
  EXPECT_GT(safe, 300);
}

}  // namespace
}  // namespace stiction
