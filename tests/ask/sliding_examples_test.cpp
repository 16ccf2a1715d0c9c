// Sliding contacts: the papers' examples by number, and the corrected errata.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/algebra.hpp"
#include "support/random_problems.hpp"
#include "support/sliding.hpp"

namespace stiction::sliding_test {

using stiction::testing::Rng;
using stiction::testing::uniform;
using ::testing::Contains;
using ::testing::HasSubstr;

// ---- E0: the rod of Painlevé ----------------------------------------------------------------------------------------

TEST(PainleveRod, JamsWhenItCannotBeSlowedDown)
{
  const SlidingResult r = solved(rod(kWorstAngle, 0, 2), {along(-1)});
  EXPECT_EQ(r.count, SolutionCount::kNone);
  EXPECT_EQ(r.verdict, Verdict::kFails);
  EXPECT_TRUE(r.solutions.empty());
  EXPECT_THAT(r.explanation, HasSubstr("jammed"));
}

TEST(PainleveRod, HasTwoSolutionsWhenItLiftsFast)
{
  const ContactProblem p = rod(kWorstAngle, 4, 2);
  const SlidingResult r = solved(p, {along(-1)});
  ASSERT_EQ(r.count, SolutionCount::kSeveral);
  EXPECT_TRUE(r.complete);
  const auto forces = normal_forces(p, r);
  ASSERT_EQ(forces.size(), 2u);
  EXPECT_NEAR(forces[0][0], 0, 1e-12);
  EXPECT_NEAR(forces[1][0], 5.626044, 1e-6);
  for (const SlidingSolution& s : r.solutions)
    EXPECT_EQ(s.contacts[0].state, s.lambda[0] > 1 ? ContactState::kSliding : ContactState::kDetaching);
}

TEST(PainleveRod, HasOneSolutionTheOtherWayOrWithLessFriction)
{
  const SlidingResult other = solved(rod(kWorstAngle, 0, 2), {along(1)});
  ASSERT_EQ(other.count, SolutionCount::kUnique);
  EXPECT_NEAR(other.solutions[0].lambda[0], 2.4525, 1e-10);
  EXPECT_NEAR(other.solutions[0].lambda[1], -2 * 2.4525, 1e-10);
  EXPECT_TRUE(other.well_posedness.copositive);
  EXPECT_EQ(other.well_posedness.critical_scale, kInfinity);
  EXPECT_TRUE(screen(other.well_posedness, "Corollary 2").satisfied());
  const SlidingResult less = solved(rod(kWorstAngle, 0, 1), {along(-1)});
  ASSERT_EQ(less.count, SolutionCount::kUnique);
  EXPECT_NEAR(less.solutions[0].lambda[0], 24.525, 1e-10);
  EXPECT_FALSE(less.well_posedness.copositive);
}

TEST(PainleveRod, CriticalFrictionIsTheFormula)
{
  for (const double kappa : {0.2, 1.0 / 3, 0.7})
    for (const double theta : {0.3, 0.8, 1.1, 1.4}) {
      const double c = std::cos(theta), s = std::sin(theta), formula = (kappa + c * c) / (s * c);
      const WellPosedness w = friction_well_posedness(rod(theta, 1, 0.5, 2, 0.7, kappa), {along(-1)});
      EXPECT_NEAR(w.critical_mu, formula, 1e-12 * formula);
      EXPECT_NEAR(w.critical_scale, formula / 0.5, 1e-12 * formula);
      EXPECT_NEAR(*w.critical_scale_any_sense, formula / 0.5, 1e-12 * formula);
      EXPECT_NEAR(screen(w, "Proposition 12").bound, formula, 1e-12 * formula);  // exact for one contact
      EXPECT_NEAR(w.direction_free_mu, formula, 1e-12 * formula);                // one tangent: the same
      EXPECT_EQ(screen(w, "Proposition 12").satisfied(), 0.5 < formula);
    }
  EXPECT_NEAR(friction_well_posedness(rod(kWorstAngle, 0, 1), {along(-1)}).critical_mu, 4.0 / 3, 1e-12);
}

TEST(PainleveRod, MarginChangesSignAtTheCriticalFriction)
{
  for (const double mu : {1.33, 1.34}) {
    const WellPosedness w = friction_well_posedness(rod(kWorstAngle, 0, mu), {along(-1)});
    EXPECT_EQ(w.unique_for_all_loads, mu < 4.0 / 3 ? Verdict::kHolds : Verdict::kFails);
    EXPECT_NEAR(w.margin, 1 - mu / (4.0 / 3), 1e-12);
  }
  EXPECT_EQ(friction_well_posedness(rod(kWorstAngle, 0, 4.0 / 3), {along(-1)}).unique_for_all_loads,
            Verdict::kUndecided);
}

// ---- E1: Painlevé–Klein ---------------------------------------------------------------------------------------------

TEST(PainleveKlein, ThreeSolutionsOneWayOneTheOther)
{
  const ContactProblem p = painleve_klein(M_PI / 4, 1.5, 1.5);
  const SlidingResult r = solved(p, {along(-1), along(-1)});
  ASSERT_EQ(r.count, SolutionCount::kSeveral);
  EXPECT_TRUE(r.complete);
  const auto forces = normal_forces(p, r);
  ASSERT_EQ(forces.size(), 3u);
  const double expected[3][2] = {{-2.4525, 12.2625}, {4.905, 4.905}, {12.2625, -2.4525}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(forces[i][k], expected[i][k], 1e-10);
  const SlidingResult other = solved(p, {along(1), along(1)});
  ASSERT_EQ(other.count, SolutionCount::kUnique);
  EXPECT_NEAR(other.solutions[0].lambda[0], 4.905, 1e-10);
}

TEST(PainleveKlein, BoundsAreTheFormulas)
{
  for (const double degrees : {20.0, 30.0, 45.0, 60.0, 75.0}) {
    const double theta = degrees * M_PI / 180, c = std::cos(theta), cot = 1 / std::tan(theta);
    const WellPosedness w = friction_well_posedness(painleve_klein(theta, 0.3, 0.3), {along(1), along(1)});
    const double printed = 2 / (3 * std::sqrt(1 - std::cos(4 * theta))) *
                           std::sqrt(-(3 * c * c + 1) * std::abs(3 * c * c - 1) + 9 * c * c * c * c + 1);
    const double formula = std::min(2.0, 6 * c * c) / (3 * std::sin(2 * theta));
    EXPECT_NEAR(screen(w, "Proposition 9").bound, formula, 1e-12);
    EXPECT_NEAR(printed, formula, 1e-7);
    EXPECT_NEAR(screen(w, "Proposition 10").bound, formula / 3, 1e-12);
    EXPECT_NEAR(screen(w, "contraction |A⁻¹At[mu]|").value, 0.3 / cot, 1e-12);
    EXPECT_NEAR(w.critical_mu, cot, 1e-9);
    EXPECT_FALSE(screen(w, "Proposition 12").hypotheses.hold());
  }
  const auto bound = [](double degrees) {
    const ContactProblem p = painleve_klein(degrees * M_PI / 180, 0.3, 0.3);
    return screen(friction_well_posedness(p, {along(1), along(1)}), "Proposition 9").bound;
  };
  EXPECT_NEAR(bound(30), 0.769800, 1e-6);
  EXPECT_NEAR(bound(45), 2.0 / 3, 1e-12);
  EXPECT_NEAR(bound(60), 0.577350, 1e-6);
}

TEST(PainleveKlein, Proposition11WithOneEndFrictionless)
{
  const double theta = 0.7;
  const ContactProblem p = painleve_klein(theta, 0.3, 0.0);
  const WellPosedness w = friction_well_posedness(p, {along(1), along(1)});
  EXPECT_TRUE(screen(w, "Proposition 11").hypotheses.hold());
  EXPECT_FALSE(screen(w, "Proposition 9").hypotheses.hold());
  EXPECT_NEAR(screen(w, "Proposition 11").bound, 2 / std::tan(theta), 1e-12);
  // Erratum 11: the Schur complement is that of the frictionless block, not of the frictional one.
  const double c = std::cos(theta), s = std::sin(theta), A = 1 + 3 * c * c, B = 1 - 3 * c * c;
  EXPECT_NEAR((A - B * B / A) / (3 * s * c * std::abs(-1 - B / A)), 2 / std::tan(theta), 1e-12);
}

/// Erratum 7: |μ1 - μ2| < 2/tanθ is that every load has a solution; that each has one is μ1 + μ2 < 2/tanθ.
TEST(PainleveKlein, TheSumOfFrictionsDecidesNotTheirDifference)
{
  Rng rng{3};
  for (int i = 0; i < 200; ++i) {
    const double theta = uniform(rng, 0.2, 1.3), mu1 = uniform(rng, 0.05, 2), mu2 = uniform(rng, 0.05, 2);
    const double excess = (mu1 + mu2) * std::tan(theta) - 2;
    if (std::abs(excess) < 1e-3) continue;
    const WellPosedness w = friction_well_posedness(painleve_klein(theta, mu1, mu2), {along(1), along(-1)});
    EXPECT_EQ(w.unique_for_all_loads, excess < 0 ? Verdict::kHolds : Verdict::kFails);
    EXPECT_NEAR(w.critical_scale, 2 / std::tan(theta) / (mu1 + mu2), 1e-9);
  }
  int exists = 0, jams = 0;
  SlidingChecker checker;
  for (int i = 0; i < 200; ++i) {
    const double theta = uniform(rng, 0.2, 1.5), mu1 = uniform(rng, 0.05, 2), mu2 = uniform(rng, 0.05, 2);
    const double excess = std::abs(mu1 - mu2) * std::tan(theta) - 2;
    if (std::abs(excess) < 1e-3) continue;
    ContactProblem p = painleve_klein(theta, mu1, mu2);
    const SlipDirections slips = i % 2 ? SlipDirections{along(1), along(1)} : SlipDirections{along(-1), along(-1)};
    const WellPosedness w = friction_well_posedness(p, slips);
    ASSERT_EQ(w.exists_for_all_loads, excess < 0 ? Verdict::kHolds : Verdict::kFails) << theta << " " << mu1 - mu2;
    ++(excess < 0 ? exists : jams);
    ASSERT_EQ(w.unsolvable_load.has_value(), excess > 0);
    if (excess < 0) continue;
    p.F = *w.unsolvable_load;
    EXPECT_EQ(checker.check(p, slips).count, SolutionCount::kNone);
  }
  EXPECT_GT(exists, 100);
  EXPECT_GT(jams, 20);
  // The printed condition calls the case with three solutions well posed.
  EXPECT_LT(std::abs(1.5 - 1.5), 2 / std::tan(M_PI / 4));
  EXPECT_EQ(friction_well_posedness(painleve_klein(M_PI / 4, 1.5, 1.5), {along(-1), along(-1)}).unique_for_all_loads,
            Verdict::kFails);
}

// ---- E2: ladder -----------------------------------------------------------------------------------------------------

TEST(Ladder, Proposition14WithAFrictionlessWall)
{
  for (const double theta : {M_PI / 4, M_PI / 6, 1.0}) {
    const WellPosedness w = friction_well_posedness(ladder(theta, 0, 0.4), kFalling);
    EXPECT_TRUE(screen(w, "Proposition 14").hypotheses.hold());
    EXPECT_NEAR(screen(w, "Proposition 14").bound, 4 / (3 * std::sin(2 * theta)), 1e-12);
    EXPECT_NEAR(w.critical_mu, 4 / (3 * std::sin(2 * theta)), 1e-12);
  }
}

/// A foot that sticks counts as held: by elimination of its rows, and by the loads for which solutions are lost.
TEST(StickingFoot, IsHeldInProposition14)
{
  Rng rng{31};
  int lost = 0;
  for (int draw = 0; draw < 60; ++draw) {
    constexpr int n = 5;
    ContactProblem p;
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return uniform(rng, -1, 1); });
    p.M = root * root.transpose() + 0.5 * Eigen::MatrixXd::Identity(n, n);
    p.F = testing::gaussian(rng, n);
    p.J = Eigen::MatrixXd::NullaryExpr(4, n, [&] { return uniform(rng, -1, 1); });
    p.gamma.setZero(4);
    p.contacts = {planar_contact("foot", 0, 0.8), planar_contact("slips", 2, 0.0)};
    const Eigen::MatrixXd G = testing::delassus(p), eliminated = testing::inverse(G.topLeftCorner<2, 2>());
    const Eigen::Matrix2d rest =
        G.bottomRightCorner<2, 2>() - G.bottomLeftCorner<2, 2>() * eliminated * G.topRightCorner<2, 2>();
    const double bound = rest(0, 0) / std::abs(rest(0, 1)), against = rest(0, 1) > 0 ? 1.0 : -1.0;
    p.contacts[1].mu = 0.5 * bound;
    const WellPosedness w = friction_well_posedness(p, {std::nullopt, along(against)});
    EXPECT_TRUE(screen(w, "Proposition 14").hypotheses.hold());
    EXPECT_NEAR(screen(w, "Proposition 14").bound, bound, 1e-9 * bound) << draw;
    EXPECT_NEAR(w.critical_mu, bound, 1e-9 * bound) << draw;
    // with as much friction as that, a load that presses has no solution and one that lifts has two
    ContactProblem held = p;
    held.contacts.erase(held.contacts.begin());
    held.loops = {{"foot", 0, 2}};
    for (const double share : {0.9, 1.1}) {
      held.contacts[0].mu = share * bound;
      const SolutionCount count = solved(held, {along(against)}).count;
      EXPECT_EQ(count == SolutionCount::kUnique, share < 1.0) << draw;
      EXPECT_TRUE(share < 1.0 || count == SolutionCount::kNone || count == SolutionCount::kSeveral);
      lost += count == SolutionCount::kNone;
    }
    EXPECT_EQ(friction_well_posedness(p, {std::nullopt, along(-against)}).critical_mu, kInfinity);
  }
  EXPECT_GT(lost, 10);
  EXPECT_LT(lost, 50);
}

TEST(Ladder, ExactConditionIsTheFormula)
{
  Rng rng{4};
  for (int i = 0; i < 300; ++i) {
    const double theta = uniform(rng, 0.1, 1.4), mb = uniform(rng, 0, 3), mu = uniform(rng, 0, 3);
    const double xb = i % 2 ? 1 : -1, xu = i % 4 < 2 ? 1 : -1, s = std::sin(theta), c = std::cos(theta);
    double worst = 1e9;
    for (const int sigma : {1, -1}) {
      const double beta = sigma * mb * xb, upsilon = mu * xu;
      worst = std::min({worst, 4 - 3 * std::sin(2 * theta) * (upsilon + beta) + 2 * beta * upsilon,
                        1 + 3 * s * s - 3 * s * c * beta});
    }
    if (std::abs(worst) < 1e-6) continue;
    const WellPosedness w = friction_well_posedness(ladder(theta, mb, mu), {along(xb), along(xu)});
    EXPECT_EQ(w.unique_for_all_loads, worst > 0 ? Verdict::kHolds : Verdict::kFails) << theta << " " << mb << " " << mu;
  }
}

TEST(Ladder, CriticalFrictionAt45Degrees)
{
  for (const double wall : {1.0, -1.0}) {
    const WellPosedness w = friction_well_posedness(ladder(M_PI / 4, 0.5, 0.5), {along(wall), along(1)});
    EXPECT_NEAR(w.critical_mu, 1.0, 1e-9);
    EXPECT_NEAR(friction_well_posedness(ladder(M_PI / 4, 0.5, 0.5), {along(wall), along(-1)}).critical_mu,
                std::sqrt(2.0), 1e-7);                    // a double root
    EXPECT_NEAR(*w.critical_scale_any_sense, 2.0, 1e-9);  // both senses: the worse of the two
  }
}

/// Erratum 8: the printed "around 0.65" is not what Proposition 13 gives. Erratum 9a: it depends on the side from which
/// the wall is looked at; the screen takes the better one.
TEST(Ladder, Proposition13As58HasIt)
{
  const auto value = [](double mu) {
    return screen(friction_well_posedness(ladder(M_PI / 4, mu, mu), kFalling), "Proposition 13 |P|β₂").value;
  };
  EXPECT_NEAR(value(0.751896), 1.0, 2e-6);
  EXPECT_LT(value(0.65), 0.9);
  ContactProblem turned = ladder(M_PI / 4, 0.4084, 0.4084);
  turned.J.row(0) *= -1;
  const WellPosedness w = friction_well_posedness(turned, kFalling);
  EXPECT_NEAR(screen(w, "Proposition 13 |P|β₂").value, value(0.4084), 1e-12);
  EXPECT_LT(screen(w, "Proposition 13 |P|β₂").value, 0.6);  // 1.0 without turning the wall back
  EXPECT_GE(screen(w, "Proposition 13 |P|β₂, bound that grows with mu").value, screen(w, "Proposition 13 |P|β₂").value);
}

/// Errata 9b, 9c: the value depends on the slip signs, and the friction at which it is 1 along the diagonal bounds no
/// box: without friction at the wall it is already above 1 there.
TEST(Ladder, TheDiagonalRootOfProposition13IsNoBound)
{
  const auto value = [](double wall, double ground, const SlipDirections& slips) {
    return screen(friction_well_posedness(ladder(M_PI / 4, wall, ground), slips), "Proposition 13 |P|β₂").value;
  };
  EXPECT_NEAR(value(1e-9, 0.751896, kFalling), 1.0053, 1e-4);
  EXPECT_LE(value(0.74794, 0.74794, kFalling), 1.0);
  EXPECT_LE(value(1e-9, 0.74794, kFalling), 1.0 + 1e-5);
  EXPECT_GT(std::abs(value(0.5, 0.5, kFalling) - value(0.5, 0.5, {along(-1), along(-1)})), 1e-3);
}

TEST(Ladder, ExactConditionDoesNotDependOnTheSideOfTheWall)
{
  Rng rng{5};
  for (int i = 0; i < 50; ++i) {
    const ContactProblem p = ladder(uniform(rng, 0.1, 1.4), uniform(rng, 0.1, 2), uniform(rng, 0.1, 2));
    ContactProblem turned = p;
    turned.J.row(0) *= -1;
    const WellPosedness a = friction_well_posedness(p, kFalling), b = friction_well_posedness(turned, kFalling);
    EXPECT_NEAR(a.critical_scale, b.critical_scale, 1e-9 * a.critical_scale);
    EXPECT_NEAR(a.margin, b.margin, 1e-12);
    SlidingResult ra = solved(p, kFalling), rb = solved(turned, kFalling);
    ASSERT_EQ(ra.count, rb.count);
    ASSERT_EQ(ra.solutions.size(), rb.solutions.size());
    for (const SlidingSolution& s : ra.solutions) {
      double nearest = kInfinity;
      for (const SlidingSolution& t : rb.solutions)
        nearest = std::min(nearest, (s.acceleration - t.acceleration).norm());
      EXPECT_LT(nearest, 1e-9 * (1 + s.acceleration.norm()));
    }
  }
}

// ---- E3 to E6: redundant rows, singular mass, contradictions --------------------------------------------------------

TEST(Pendulum, MasslessAngleAndARedundantConstraint)
{
  const double m = 1.5, l = 2, theta = 0.7;
  for (const double rate : {0.0, 1.3})
    for (const int rows : {2, 3}) {
      const double c = std::cos(theta), s = std::sin(theta), x = l * s, y = -l * c;
      ContactProblem p;
      p.M = Eigen::Vector3d(m, m, 0).asDiagonal();
      p.F = Eigen::Vector3d(0, m * kGravity, 0);
      Eigen::MatrixXd J(3, 3);
      J << 1, 0, -l * c, 0, 1, -l * s, 2 * x, 2 * y, 0;
      const Eigen::Vector3d gamma(l * s * rate * rate, -l * c * rate * rate, 2 * l * l * rate * rate);
      p.J = J.topRows(rows);
      p.gamma = gamma.head(rows);
      p.loops = {{"loop", 0, rows}};
      const SlidingResult r = solved(p, {});
      ASSERT_EQ(r.count, SolutionCount::kUnique) << r.reason;
      const SlidingSolution& solution = r.solutions[0];
      EXPECT_EQ(solution.forces_unique, rows == 2);
      EXPECT_NEAR(solution.acceleration[2], -kGravity / l * s, 1e-9);
      EXPECT_NEAR((p.J.transpose() * solution.lambda).norm(), m * (kGravity * c + l * rate * rate), 1e-9);
      if (rate == 0) {
        EXPECT_NEAR((solution.acceleration - Eigen::Vector3d(-4.833631, -4.071311, -3.159888)).norm(), 0, 2e-6);
      }
      EXPECT_THAT(r.well_posedness.hypotheses.failed, Contains(HasSubstr("M is singular")));
    }
}

TEST(Table, FourLegsSlidingTogetherShareTheLoadAsTheyLike)
{
  const double a = 0.4, b = 0.3, m = 2, mu = 0.25;
  ContactProblem p;
  p.M = (Eigen::VectorXd(6) << m, m, m, 0.2, 0.3, 0.4).finished().asDiagonal();
  p.F = (Eigen::VectorXd(6) << 0, 0, m * kGravity, 0, 0, 0).finished();
  p.J.resize(0, 6);
  for (const auto& [x, y] : {std::pair{a, b}, {-a, b}, {-a, -b}, {a, -b}})
    stiction::testing::add_contact(p, {x, y, 0}, Eigen::Vector3d::UnitZ(), mu);
  // Slides along world x; axes of add_contact are its own.
  const Eigen::Matrix3d axes = p.contacts[0].axes_W;
  const Eigen::Vector2d d(axes(0, 1), axes(0, 2));
  const SlidingResult r = solved(p, {d, d, d, d});
  ASSERT_EQ(r.count, SolutionCount::kUnique) << r.reason;
  EXPECT_NEAR(r.solutions[0].acceleration[0], -mu * kGravity, 1e-10);
  EXPECT_NEAR(r.solutions[0].acceleration.tail(5).norm(), 0, 1e-10);
  EXPECT_FALSE(r.solutions[0].forces_unique);
  EXPECT_EQ(r.well_posedness.rank, 3);
  EXPECT_FALSE(r.well_posedness.hypotheses.hold());
  EXPECT_EQ(r.well_posedness.unique_for_all_loads, Verdict::kUndecided);
  ASSERT_EQ(r.well_posedness.dependencies.cols(), 1);
  const Eigen::Vector4d null = r.well_posedness.dependencies.col(0) / r.well_posedness.dependencies(0, 0);
  EXPECT_NEAR((null - Eigen::Vector4d(1, -1, 1, -1)).norm(), 0, 1e-10);
}

TEST(Contradiction, TwoConstraintsThatCurveApart)  // E5
{
  for (const double curvature : {0.7, -0.7}) {
    ContactProblem p;
    p.M = Eigen::Matrix2d::Identity();
    p.F = Eigen::Vector2d(0, kGravity);
    p.J.resize(2, 2);
    p.J << 0, 1, 0, -1;
    p.gamma = Eigen::Vector2d(0, -curvature * 4);
    p.contacts = {normal_only("floor", 0), normal_only("ceiling", 1)};
    const SlidingResult r = solved(p, {std::nullopt, std::nullopt});
    EXPECT_EQ(r.count, curvature > 0 ? SolutionCount::kNone : SolutionCount::kUnique);
    if (curvature > 0) {
      EXPECT_EQ(r.certificate.leaves.size(), 1u);  // the relaxation already fails
    }
  }
}

TEST(SingularMass, ExistsWithoutBeingUnique)  // E6
{
  ContactProblem p;
  p.M = Eigen::Vector2d(1, 0).asDiagonal();
  p.F = Eigen::Vector2d(-5, 0);
  p.J.resize(2, 2);
  p.J << 1, 1, 1, -1;
  p.gamma.setZero(2);
  p.contacts = {normal_only("one", 0), normal_only("other", 1)};
  const SlidingResult many = solved(p, {std::nullopt, std::nullopt});
  EXPECT_EQ(many.count, SolutionCount::kSeveral);
  EXPECT_FALSE(many.complete);  // a continuum is not a list
  for (const SlidingSolution& s : many.solutions) {
    EXPECT_NEAR(s.acceleration[0], 5, 1e-9);
    EXPECT_LE(std::abs(s.acceleration[1]), 5 + 1e-9);
    EXPECT_NEAR(s.lambda.norm(), 0, 1e-9);
  }
  p.F[1] = 1;
  const SlidingResult one = solved(p, {std::nullopt, std::nullopt});
  ASSERT_EQ(one.count, SolutionCount::kUnique) << one.reason;
  EXPECT_NEAR((one.solutions[0].acceleration - Eigen::Vector2d(6, -6)).norm(), 0, 1e-9);
  EXPECT_NEAR((one.solutions[0].lambda - Eigen::Vector2d(1, 0)).norm(), 0, 1e-9);
}

// ---- Errata of the frictionless part --------------------------------------------------------------------------------

/// Errata 2, 3: Proposition 7(v) and (vii) call this solvable.
TEST(Errata, AHeldNormalThatMustAlsoOpen)
{
  ContactProblem p;
  p.M = Eigen::Matrix2d::Identity();
  p.F.setZero(2);
  p.J.resize(2, 2);
  p.J << 0, 1, 0, 1;
  p.gamma = Eigen::Vector2d(0, -1);
  p.loops = {{"rail", 0, 1}};
  p.contacts = {normal_only("floor", 1)};
  EXPECT_EQ(solved(p, {std::nullopt}).count, SolutionCount::kNone);
  p.gamma[1] = 1;
  EXPECT_EQ(solved(p, {std::nullopt}).count, SolutionCount::kUnique);
}

/// Erratum 4: feasible constraints do not make a solution when M is singular.
TEST(Errata, MasslessPointPushedAway)
{
  ContactProblem p;
  p.M.setZero(1, 1);
  p.F.setConstant(1, -1);
  p.J.setOnes(1, 1);
  p.gamma.setZero(1);
  p.contacts = {normal_only("floor", 0)};
  EXPECT_EQ(solved(p, {std::nullopt}).count, SolutionCount::kNone);
}

/// Erratum 5: only the sum of bilateral and unilateral forces is unique.
TEST(Errata, OnlyTheSumOfForcesIsUnique)
{
  ContactProblem p;
  p.M.setOnes(1, 1);
  p.F.setConstant(1, 3);
  p.J.setOnes(2, 1);
  p.gamma.setZero(2);
  p.loops = {{"rail", 0, 1}};
  p.contacts = {normal_only("floor", 1)};
  const SlidingResult r = solved(p, {std::nullopt});
  ASSERT_EQ(r.count, SolutionCount::kUnique);
  EXPECT_FALSE(r.solutions[0].forces_unique);
  EXPECT_NEAR(r.solutions[0].lambda.sum(), 3, 1e-12);
}

}  // namespace stiction::sliding_test
