// Energy before any impact is solved: the conditions on restitution and their proofs; and impacts among inertial
// couplings (Brogliato 2013, section 6) and of rods and corners (Lötstedt 1982).
#include <algorithm>

#include "support/impacts.hpp"

namespace stiction {
namespace {

using namespace testing;

/// Draws of planar contacts without one-way ones, all with the same ε.
Drawn draw_equal(Rng& rng, int contacts, double e)
{
  Drawn d = draw(rng, contacts);
  for (ImpactLaw& law : d.impact.laws) law = bounce(e, e);
  return d;
}

/// Keeps bilateral rows.
void keep_bilateral(Drawn& d)
{
  for (const Contact& c : d.problem.contacts)
    if (c.side == Side::kBilateral) {
      const Eigen::VectorXd n = d.problem.J.row(c.row).transpose();
      for (int pass = 0; pass < 50; ++pass) d.impact.velocity -= n * (n.dot(d.impact.velocity) / n.squaredNorm());
    }
}

TEST(ImpactConditions, BothFormsOfSimilarCoefficientsAgree)  // (86) and (87)
{
  Rng rng{3};
  int yes = 0;
  for (int i = 0; i < 2000; ++i) {
    Drawn d = draw(rng, 1);
    for (ImpactLaw& law : d.impact.laws)
      if (!law.one_way) law.tangential = law.normal + uniform(rng, -0.1, 0.1) * (1 - law.normal);
    const EnergyConditions c = energy_conditions(d.problem, d.impact.laws);
    if (std::abs(c.spread - c.ratio) > 1e-9) {
      EXPECT_EQ(c.similar, c.spread < c.ratio) << "draw " << i;
    }
    yes += c.similar;
  }
  EXPECT_GT(yes, 200);
  EXPECT_LT(yes, 1900);
  const EnergyConditions ones = energy_conditions(pendulum(.5), {bounce(1, 1)});  // (87) is 0/0 there
  EXPECT_TRUE(ones.similar && ones.sharpened && ones.safe && ones.all_one);
  EXPECT_EQ(ones.spread, 0.0);
}

TEST(ImpactConditions, TwoScalarElementsHaveAnExactBound)  // |e1 - e2|/(1 - e1 e2) <= sqrt(1 - G12²/(G11 G22))
{
  Rng rng{5};
  int safe = 0, unsafe = 0;
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Matrix2d A = Eigen::Map<Eigen::Matrix2d>(gaussian(rng, 4).data());
    ContactProblem p = problem_of(A * A.transpose() + 0.05 * Eigen::Matrix2d::Identity(),
                                  Eigen::Map<Eigen::Matrix2d>(gaussian(rng, 4).data()));
    p.contacts = {single_row(0), single_row(1)};
    const double e1 = uniform(rng, 0, 1), e2 = uniform(rng, -0.9, 0);
    const Eigen::Matrix2d G = delassus(p);
    const double left = (e1 - e2) / (1 - e1 * e2), right = std::sqrt(1 - G(0, 1) * G(0, 1) / (G(0, 0) * G(1, 1)));
    if (std::abs(left - right) < 1e-6) continue;
    const EnergyConditions c = energy_conditions(p, {bounce(e1), one_way(e2)});
    EXPECT_EQ(c.safe, left < right) << "draw " << i;
    EXPECT_EQ(c.sharpened, left < right) << "draw " << i;
    (c.safe ? safe : unsafe)++;
  }
  EXPECT_GT(safe, 300);
  EXPECT_GT(unsafe, 300);
}

/// δG + Gδ with bilateral rows eliminated by a Schur complement: eigenvalue by eigenvalue.
double smallest_of_loss(const Drawn& d)
{
  std::vector<int> act, held;
  std::vector<double> delta;
  for (size_t i = 0; i < d.problem.contacts.size(); ++i) {
    const Contact& c = d.problem.contacts[i];
    const ImpactLaw& law = d.impact.laws[i];
    const auto add = [&](int row, double e) {
      act.push_back(row);
      delta.push_back((1 - e) / (1 + e));
    };
    c.side == Side::kBilateral ? held.push_back(c.row) : add(c.row, law.normal);
    for (int k = 1; k <= c.tangents; ++k) add(c.row + k, law.tangential);
  }
  const Eigen::MatrixXd all = delassus(d.problem);
  Eigen::MatrixXd G = all(act, act);
  if (!held.empty()) G -= all(act, held) * inverse(all(held, held)) * all(held, act);
  const Eigen::Map<Eigen::VectorXd> D(delta.data(), static_cast<Eigen::Index>(delta.size()));
  const Eigen::VectorXd unit = G.diagonal().cwiseSqrt().cwiseInverse();
  G = (unit.asDiagonal() * G * unit.asDiagonal()).eval();
  const Eigen::MatrixXd loss = D.asDiagonal() * G + G * D.asDiagonal();
  // Power iteration on a shifted matrix: no eigenvalue solver but our own three lines.
  const double shift = loss.cwiseAbs().rowwise().sum().maxCoeff();
  Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(loss.rows(), 1.0, 1.7);
  for (int k = 0; k < 3000; ++k) x = (shift * x - loss * x).normalized();
  return x.dot(loss * x);
}

TEST(ImpactConditions, SafeCoefficientsAreProvedExactlyWhereTheyAre)
{
  Rng rng{7};
  int safe = 0, unsafe = 0, held = 0;
  for (int i = 0; i < 600; ++i) {
    Drawn d = draw(rng, 2);
    for (ImpactLaw& law : d.impact.laws) {  // near each other, so that both answers occur
      if (!law.one_way) law.normal *= 0.4;
      law.tangential = 0.4 * std::abs(law.tangential);
    }
    if (std::ranges::all_of(d.problem.contacts, [](const Contact& c) { return c.side == Side::kBilateral; })) continue;
    const double smallest = smallest_of_loss(d);
    if (std::abs(smallest) < 1e-4) continue;
    EXPECT_EQ(proves_safe(d.problem, d.impact.laws), smallest > 0) << "draw " << i << ", " << smallest;
    (smallest > 0 ? safe : unsafe)++;
    for (const Contact& c : d.problem.contacts) held += c.side == Side::kBilateral;
  }
  EXPECT_GT(safe, 80);
  EXPECT_GT(unsafe, 80);
  EXPECT_GT(held, 20);
}

/// Two scalar elements: (e - e')/(1 - e e') within ±s, which adds like the tangent of a hyperbolic angle.
TEST(ImpactConditions, SafeRestitutionIsAnInterval)
{
  const ContactProblem p = pendulum(0.5);
  const Eigen::MatrixXd G = energy_conditions(p, {}).G;
  const double s = std::sqrt(1 - G(0, 1) * G(0, 1) / (G(0, 0) * G(1, 1))), r = energy_conditions(p, {}).ratio;
  const auto add = [](double e, double step) { return (e + step) / (1 + e * step); };
  for (const double tangential : {-0.4, -0.1, 0.0, 0.1, 0.5, 0.9, 1.0}) {
    const SafeRestitution safe = safe_restitution(p, {bounce(0.3, tangential)});
    ASSERT_EQ(safe.applies, add(tangential, s) >= 0) << tangential;
    EXPECT_EQ(safe.similar.has_value(), add(tangential, r) >= 0) << tangential;
    if (safe.similar) {
      EXPECT_NEAR(*safe.similar, add(tangential, r), 1e-9);
    }
    if (!safe.applies) continue;
    EXPECT_NEAR(safe.least, std::max(0.0, add(tangential, -s)), 1e-7) << tangential;
    EXPECT_NEAR(safe.exact, add(tangential, s), 1e-7) << tangential;
    EXPECT_NEAR(*safe.sharpened, add(tangential, s), 1e-7) << tangential;
  }
}

TEST(ImpactConditions, SafeRestitutionIsWhereTheConditionHolds)
{
  Rng rng{17};
  int above_zero = 0, none = 0;
  for (int i = 0; i < 150; ++i) {
    Drawn d = draw(rng, 1 + i % 3);
    const SafeRestitution safe = safe_restitution(d.problem, d.impact.laws);
    none += !safe.applies;
    above_zero += safe.applies && safe.least > 0.01;
    for (int k = 0; k <= 40; ++k) {
      const double e = k / 40.0;
      if (safe.applies && std::min(std::abs(e - safe.least), std::abs(e - safe.exact)) < 1e-6) continue;
      for (std::size_t c = 0; c < d.problem.contacts.size(); ++c)
        if (d.problem.contacts[c].side == Side::kUnilateral && !d.impact.laws[c].one_way) d.impact.laws[c].normal = e;
      EXPECT_EQ(energy_conditions(d.problem, d.impact.laws).exact >= 0,
                safe.applies && e > safe.least && e < safe.exact)
          << "draw " << i << ", e = " << e;
    }
  }
  EXPECT_GT(above_zero, 10);
  EXPECT_GT(none, 5);
}

TEST(ImpactConditions, ArgumentsWithoutASolution)
{
  std::string argument;
  const Eigen::Vector2d down = inverse(pendulum(.5).J) * Eigen::Vector2d(-1, 0), slips = kPendulumSpeed;
  EXPECT_TRUE(proves_no_gain(pendulum(.5), {down, {bounce(.9)}}, &argument));
  EXPECT_EQ(argument, "nothing slips before the impact (Glocker 2012, (98))");
  EXPECT_FALSE(proves_no_gain(pendulum(.5), {slips, {bounce(.5)}}));
  EXPECT_TRUE(proves_no_gain(pendulum(.5), {slips, {bounce(.5, .5)}}, &argument));
  EXPECT_EQ(argument, "all coefficients of restitution are the same (Glocker 2012, (93))");
  EXPECT_TRUE(proves_no_gain(pendulum(.5), {slips, {bounce(.24)}}, &argument));
  EXPECT_EQ(argument,
            "these coefficients of restitution cannot create energy here, whatever the velocity (Glocker 2012, (78))");
  EXPECT_FALSE(proves_no_gain(pendulum(.5), {slips, {bounce(.25)}}));
  EXPECT_FALSE(proves_no_gain(pendulum(.5), {-down, {bounce(.9)}}));  // it separates
  EXPECT_FALSE(proves_no_gain(slide_push(), {Eigen::Vector2d(-1, 0), {bounce(.8), one_way(0)}}));
  // A bilateral row that moves breaks every argument: what catches it may inject.
  ContactProblem rail = slide_push();
  rail.contacts[1] = single_row(1, Side::kBilateral);
  EXPECT_TRUE(proves_no_gain(rail, {Eigen::Vector2d(-1, -1), {bounce(.8), bounce(0)}}));
  EXPECT_FALSE(proves_no_gain(rail, {Eigen::Vector2d(-1, 0), {bounce(.8), bounce(0)}}));
}

TEST(ImpactConditions, EqualCoefficientsNeverGain)  // (93)–(96)
{
  Rng rng{9};
  ImpactChecker checker;
  int conserved = 0;
  for (int i = 0; i < 400; ++i) {
    const double e = i % 4 == 0 ? 1.0 : (i % 4 == 1 ? 0.0 : uniform(rng, 0, 1));
    Drawn d = draw_equal(rng, 2, e);
    keep_bilateral(d);
    bool kept = true;  // two bilateral rows are kept only if the passes above converged
    for (const Contact& c : d.problem.contacts)
      kept = kept && (c.side == Side::kUnilateral || std::abs(d.problem.J.row(c.row) * d.impact.velocity) < 1e-14);
    if (!kept) continue;
    EXPECT_TRUE(proves_safe(d.problem, d.impact.laws));
    const ImpactResult r = checker.check(d.problem, d.impact);
    for (const ImpactSolution& s : r.solutions) {
      EXPECT_LE(s.energy_change, 1e-9 * s.energy_before) << "draw " << i;
      if (e < 1.0) continue;
      const Eigen::VectorXd xi = d.problem.J * (s.velocity + d.impact.velocity);
      EXPECT_NEAR(s.energy_change, 0.5 * s.impulse.dot(xi), 1e-9 * s.energy_before) << "draw " << i;  // (96)
      bool slips = false;
      for (const ContactImpact& c : s.contacts) slips = slips || c.state == ImpactState::kSlips;
      if (!slips) {
        EXPECT_NEAR(s.energy_change, 0.0, 1e-9 * s.energy_before) << "draw " << i;
      }
      conserved += !slips;
    }
    if (!r.solutions.empty()) {
      EXPECT_EQ(r.dissipates, Verdict::kHolds);
    }
  }
  EXPECT_GT(conserved, 10);
}

TEST(ImpactConditions, ClosingContactsWithoutFrictionAreAlwaysConsistent)  // 5.3, and S7: solvable, γ+ unique
{
  Rng rng{13};
  ImpactChecker checker;
  for (int i = 0; i < 300; ++i) {
    const int nv = 3, rows = 1 + i % 5;  // five rows in three degrees of freedom
    const Eigen::MatrixXd A = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, nv * nv).data(), nv, nv);
    ContactProblem p = problem_of(A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(nv, nv),
                                  Eigen::Map<Eigen::MatrixXd>(gaussian(rng, rows * nv).data(), rows, nv));
    const Eigen::VectorXd u = gaussian(rng, nv);
    std::vector<ImpactLaw> laws;
    for (int k = 0; k < rows; ++k) {
      if (p.J.row(k) * u > 0.0) p.J.row(k) *= -1;
      p.contacts.push_back(single_row(k));
      laws.push_back(bounce(uniform(rng, 0, 1)));
    }
    const ImpactResult r = checker.check(p, {u, laws});
    ASSERT_EQ(r.solutions.size(), 1u) << "draw " << i;
    EXPECT_EQ(r.unique, Verdict::kHolds) << "draw " << i;
    EXPECT_LE(r.solutions[0].energy_change, 1e-9 * r.solutions[0].energy_before);
    EXPECT_EQ(r.dissipates, Verdict::kHolds);
    EXPECT_TRUE(r.flaws.empty());
  }
}

TEST(ImpactConditions, UncoupledElementsNeverGain)  // (65)–(68): any ε of Table 1
{
  Rng rng{17};
  ImpactChecker checker;
  for (int i = 0; i < 200; ++i) {
    ContactProblem p = problem_of(Eigen::Vector4d(1, 2, 0.5, 3).asDiagonal(), Eigen::Matrix4d::Identity());
    p.contacts = {planar_contact("foot", 0, uniform(rng, 0.1, 1)), single_row(2), single_row(3)};
    const std::vector<ImpactLaw> laws = {bounce(uniform(rng, 0, 1), uniform(rng, -0.99, 1)), bounce(uniform(rng, 0, 1)),
                                         one_way(uniform(rng, -0.99, 0))};
    const Impact impact{gaussian(rng, 4), laws};
    const ImpactResult r = checker.check(p, impact);
    ASSERT_FALSE(r.solutions.empty());
    EXPECT_EQ(r.dissipates, Verdict::kHolds);
    EXPECT_TRUE(r.conditions.safe);
    for (const ImpactSolution& s : r.solutions) {
      EXPECT_LE(s.energy_change, 1e-9 * s.energy_before);
      for (size_t k = 0; k < 3; ++k) {  // (65) of each normal
        const double L = s.contacts[k].impulse[0], e = laws[k].normal;
        const double xi = s.contacts[k].velocity_after[0] + e * s.contacts[k].velocity_before[0];
        const int row = p.contacts[k].row;
        EXPECT_NEAR(s.contacts[k].work_normal, (L * xi - 0.5 * (1 - e) * L * L / p.M(row, row)) / (1 + e),
                    1e-9 * (1 + s.energy_before));
      }
    }
  }
}

TEST(ImpactConditions, RedundantRowsHaveRankAndNoRatio)  // S8
{
  ContactProblem p =
      problem_of(Eigen::Matrix2d::Identity(), (Eigen::Matrix<double, 3, 2>() << 1, 0, 1, 0, 0, 1).finished());
  p.contacts = {single_row(0), single_row(1), single_row(2)};
  const EnergyConditions unequal = energy_conditions(p, {bounce(.5), bounce(.4), bounce(0)});
  const EnergyConditions equal = energy_conditions(p, {bounce(.5), bounce(.5), bounce(.5)});
  EXPECT_EQ(unequal.rank, 2);
  EXPECT_NEAR(unequal.ratio, 0.0, 1e-15);
  EXPECT_FALSE(unequal.similar || unequal.small || unequal.sharpened || unequal.safe);
  EXPECT_TRUE(equal.similar && equal.sharpened && equal.safe && equal.equal);
  EXPECT_FALSE(equal.small);  // (92) passes for zero only
}

TEST(ImpactConditions, FlawsOfVelocities)  // Table 1, before and after
{
  ContactProblem p = problem_of(Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity());
  p.contacts = {single_row(0, Side::kBilateral), single_row(1)};
  p.loops = {{"latch", 2, 1}};
  const ImpactResult r = ImpactChecker().check(p, {Eigen::Vector3d(2, -3, 4), {bounce(.5), one_way(0)}});
  ASSERT_EQ(r.flaws.size(), 3u);
  EXPECT_EQ(r.flaws[0].contact, 0);
  EXPECT_EQ(r.flaws[0].velocity, 2.0);
  EXPECT_EQ(r.flaws[1].contact, 1);  // a ratchet that goes the way it cannot
  EXPECT_EQ(r.flaws[1].velocity, -3.0);
  EXPECT_EQ(r.flaws[2].closure, 0);
  EXPECT_EQ(r.flaws[2].velocity, 4.0);
  ASSERT_EQ(r.solutions.at(0).flaws.size(), 1u);
  EXPECT_TRUE(r.solutions[0].flaws[0].after);  // γ+ = -0.5 γ- of the bilateral contact
  EXPECT_NEAR(r.solutions[0].flaws[0].velocity, -1.0, 1e-12);
  EXPECT_FALSE(r.solutions[0].energy_bound);
  EXPECT_TRUE(ImpactChecker().check(p, {Eigen::Vector3d(0, 3, 0), {bounce(.5), one_way(0)}}).flaws.empty());
}

// ---- Impacts among inertial couplings, without friction. ----

TEST(ImpactCouplings, BilateralImpulsesAndVelocities)  // (72), (73), the energy of unequal restitutions, joint shock
{
  Rng rng{19};
  ImpactChecker checker;
  int hit = 0;
  for (int i = 0; i < 200; ++i) {
    const int nv = 5;
    const Eigen::MatrixXd A = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, nv * nv).data(), nv, nv);
    ContactProblem p = problem_of(A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(nv, nv),
                                  Eigen::Map<Eigen::MatrixXd>(gaussian(rng, 4 * nv).data(), 4, nv));
    p.contacts = {single_row(0), single_row(1)};
    p.loops = {{"loop", 2, 2}};
    const Eigen::MatrixXd Jh = p.J.topRows(2), Jg = p.J.bottomRows(2), Minv = inverse(p.M);
    Eigen::VectorXd u = gaussian(rng, nv);
    u -= Jg.transpose() * inverse(Jg * Jg.transpose()) * Jg * u;
    u -= Jg.transpose() * inverse(Jg * Jg.transpose()) * Jg * u;
    const std::vector<ImpactLaw> laws = {bounce(uniform(rng, 0, 1)), bounce(uniform(rng, 0, 1))};
    const ImpactResult r = checker.check(p, {u, laws});
    ASSERT_FALSE(r.solutions.empty()) << "draw " << i;
    const ImpactSolution& s = r.solutions[0];
    const Eigen::Vector2d pu = s.impulse.head(2), pb = s.impulse.tail(2);
    const Eigen::Matrix2d B = Jg * Minv * Jg.transpose(), E = Jh * Minv * Jg.transpose();
    const Eigen::MatrixXd Mc = Minv - Minv * Jg.transpose() * inverse(B) * Jg * Minv;
    EXPECT_LE((pb + inverse(B) * E.transpose() * pu).norm(), 1e-8 * (1 + pu.norm())) << "draw " << i;
    EXPECT_LE((s.velocity - u - Mc * Jh.transpose() * pu).norm(), 1e-8 * (1 + u.norm())) << "draw " << i;
    const Eigen::Vector2d before = Jh * u, after = Jh * s.velocity, e(laws[0].normal, laws[1].normal);
    const bool both = (after + e.cwiseProduct(before)).norm() < 1e-9;  // Newton's law (76) with equality at both
    if (both) {
      EXPECT_NEAR(s.energy_change, 0.5 * pu.dot((1 - e.array()).matrix().cwiseProduct(before)), 1e-8 * s.energy_before);
    }
    hit += both && pu.minCoeff() > 0;
  }
  EXPECT_GT(hit, 10);
}

TEST(ImpactCouplings,
     NewtonsLawWithEqualityMayBeImpossible)  // Ac = [[1, .9], [.9, 1]]: (77) has the solution (4.79, -4.21)
{
  const Eigen::Matrix2d Ac = (Eigen::Matrix2d() << 1, .9, .9, 1).finished();
  ContactProblem p = problem_of(inverse(Ac), Eigen::Matrix2d::Identity());
  p.contacts = {single_row(0), single_row(1)};
  const Eigen::Vector2d u(-1, -.1), equality = inverse(Ac) * -u;
  EXPECT_NEAR(equality[0], 4.79, 5e-3);
  EXPECT_NEAR(equality[1], -4.21, 5e-3);
  const ImpactResult r = solve(p, u, {});
  ASSERT_EQ(r.solutions.size(), 1u);
  EXPECT_LE((r.solutions[0].impulse - Eigen::Vector2d(1, 0)).norm(), 1e-12);
  EXPECT_LE((r.solutions[0].velocity - Eigen::Vector2d(0, .8)).norm(), 1e-12);
  EXPECT_EQ(sticking_touchdown(p, {u, {}}).friction[1], kInfinity);  // it would have to pull
}

TEST(ImpactCouplings,
     RodOnAnObliqueGuide)  // example 3 with the right sign: pb = -α/(α² + β²) pu; 0 for kinetic orthogonality
{
  const double m = 2, l = .5, theta = .8;
  for (const auto& [alpha, beta] : {std::pair{1.0, 2.0}, std::pair{-.5, 1.0}, std::pair{0.0, 1.0}}) {
    ContactProblem p =
        problem_of(Eigen::Vector3d(m, m, m * l * l / 3).asDiagonal(),
                   (Eigen::Matrix<double, 2, 3>() << 1, 0, l * std::sin(theta), alpha, beta, 0).finished());
    p.contacts = {single_row(0)};
    p.loops = {{"guide", 1, 1}};
    const Eigen::Vector3d u(-beta, alpha, -.3);
    const ImpactResult r = solve(p, u, {bounce(.2)});
    if ((p.J.row(0) * u)[0] >= 0) continue;
    ASSERT_EQ(r.solutions.size(), 1u);
    const double pu = r.solutions[0].impulse[0], size = alpha * alpha + beta * beta;
    EXPECT_NEAR(r.solutions[0].impulse[1], -alpha / size * pu, 1e-12);
    const double Ac = (3 * std::pow(std::sin(theta), 2) + beta * beta / size) / m;
    EXPECT_NEAR(pu, -1.2 * (p.J.row(0) * u)[0] / Ac, 1e-12);
  }
}

TEST(ImpactCouplings, CornersAndBouncingBalls)
{
  ContactProblem corner = problem_of(3 * Eigen::Matrix2d::Identity(), (Eigen::Matrix2d() << -1, 0, 0, 1).finished());
  corner.contacts = {single_row(0), single_row(1)};
  const ImpactResult stops = solve(corner, Eigen::Vector2d(2, 0), {});
  EXPECT_LE(stops.solutions.at(0).velocity.norm(), 1e-14);
  EXPECT_LE((stops.solutions[0].impulse - Eigen::Vector2d(6, 0)).norm(), 1e-12);
  // A ball: every bounce keeps e of the speed, so that flight times 2 v/g add up to 2 v0/(g (1 - e)).
  ContactProblem ball = problem_of(Eigen::MatrixXd::Identity(1, 1), Eigen::MatrixXd::Identity(1, 1));
  ball.contacts = {single_row(0)};
  const double e = .6, g = 9.81, v0 = 3;
  double v = v0, time = 0;
  ImpactChecker checker;
  for (int i = 0; i < 60; ++i) {
    time += 2 * v / g;
    v = checker.check(ball, {Eigen::VectorXd::Constant(1, -v), {bounce(e)}}).solutions.at(0).velocity[0];
  }
  EXPECT_NEAR(time, 2 * v0 / (g * (1 - e)), 1e-9);
}

TEST(ImpactCouplings,
     StickingTouchdownReversesEveryRow)  // F14: J u+ = -e J u-, the impulse dynamics of rigid-body libraries
{
  Rng rng{23};
  for (int i = 0; i < 100; ++i) {
    Drawn d = draw_equal(rng, 2, uniform(rng, 0, 1));
    const double e = d.impact.laws[0].normal;
    const StickingTouchdown touchdown = sticking_touchdown(d.problem, d.impact);
    ASSERT_TRUE(touchdown.consistent) << "draw " << i;
    EXPECT_LE((d.problem.J * (touchdown.velocity + e * d.impact.velocity)).norm(),
              1e-8 * (1 + d.impact.velocity.norm()));
    const Eigen::VectorXd momentum = d.problem.M * (touchdown.velocity - d.impact.velocity);
    EXPECT_LE((momentum - d.problem.J.transpose() * touchdown.impulse).norm(), 1e-8 * (1 + touchdown.impulse.norm()));
  }
}

}  // namespace
}  // namespace stiction
