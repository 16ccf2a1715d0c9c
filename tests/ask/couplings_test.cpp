// Inertial couplings: the worked examples with numbers, the corrected claims, and laws that hold for all data.
#include "stiction/couplings.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "stiction/error.hpp"
#include "support/algebra.hpp"
#include "support/random_problems.hpp"

namespace stiction {
namespace {

using testing::gaussian;
using testing::Rng;
using testing::uniform;

/// Frictionless rows: unilateral ones first, then closures.
ContactProblem rows(const Eigen::MatrixXd& M, const Eigen::VectorXd& F, const Eigen::MatrixXd& Jh,
                    const Eigen::MatrixXd& Jg)
{
  ContactProblem p;
  p.M = M;
  p.F = F;
  p.J.resize(Jh.rows() + Jg.rows(), M.rows());
  p.J << Jh, Jg;
  p.gamma.setZero(p.J.rows());
  for (int i = 0; i < Jh.rows(); ++i) {
    Contact c;
    c.name = "h" + std::to_string(i);
    c.row = i;
    c.tangents = 0;
    p.contacts.push_back(c);
  }
  for (int i = 0; i < Jg.rows(); ++i) p.loops.push_back({"g" + std::to_string(i), static_cast<int>(Jh.rows()) + i, 1});
  return p;
}

Couplings analyse(const ContactProblem& p) { return CouplingChecker().check(p); }

void expect_unique_where_intervals_are_points(const Couplings& c)
{
  double widest = 0.0;
  for (const Margin& interval : c.intervals) {
    ASSERT_EQ(interval.state, Margin::State::kKnown);
    widest = std::max(widest, interval.upper - interval.lower);
  }
  const double size = c.forces.lpNorm<Eigen::Infinity>();
  EXPECT_EQ(c.forces_unique == Verdict::kHolds, widest <= 1e-7 * size) << widest << " of " << size;
}

/// The rod of section 4.3: length 2l, one tip on a wall (h = x - l c), one row of its height held (g = y - l s - H).
ContactProblem rod(double mass, double l, double th, double rate = 0.0, double g = 0.0)
{
  const double s = std::sin(th), c = std::cos(th);
  ContactProblem p = rows(Eigen::Vector3d(mass, mass, mass * l * l / 3).asDiagonal(), Eigen::Vector3d(0, mass * g, 0),
                          Eigen::RowVector3d(1, 0, l * s), Eigen::RowVector3d(0, 1, -l * c));
  p.gamma << l * c * rate * rate, l * s * rate * rate;
  return p;
}

TEST(CouplingExamples, BlockOnThreeRows)  // example 1: x vertical
{
  const double mass = 2, g = 9.81;
  for (const double push : {0.0, 3.0, -mass * g - 1.0}) {  // positive pushes down
    ContactProblem p = rows(mass * Eigen::Matrix2d::Identity(), Eigen::Vector2d(mass * g + push, 0.5),
                            (Eigen::MatrixXd(3, 2) << 1, 0, 1, 0, 1, 0).finished(), Eigen::MatrixXd(0, 2));
    const Couplings c = analyse(p);
    EXPECT_TRUE(c.A.isApprox(Eigen::MatrixXd::Constant(3, 3, 1 / mass), 1e-12));
    EXPECT_EQ(c.rank_unilateral, 1);
    EXPECT_EQ(c.redundancy,
              2);  // hyperstatic with three rows in two degrees of freedom, and with two in three: rank < m
    EXPECT_FALSE(c.unique_for_all_data);
    ASSERT_EQ(c.solvable, Verdict::kHolds);
    const double total = std::max(0.0, mass * g + push);
    EXPECT_NEAR(c.forces.sum(), total, 1e-9);
    EXPECT_NEAR(c.acceleration[0], std::max(0.0, -(g + push / mass)), 1e-9);
    EXPECT_NEAR(c.acceleration[1], -0.25, 1e-9);
    for (const Margin& i : c.intervals) {
      EXPECT_EQ(i.state, Margin::State::kKnown);
      EXPECT_NEAR(i.lower, 0, 1e-7);
      EXPECT_NEAR(i.upper, total, 1e-7);
    }
    EXPECT_EQ(c.forces_unique, total == 0.0 ? Verdict::kHolds : Verdict::kFails);
    EXPECT_EQ(c.opening.head(1)[0] > 0.0, total == 0.0);
    ASSERT_EQ(c.dependences.size(), 2u);
    for (const Dependence& d : c.dependences) EXPECT_NEAR(d.unilateral.sum(), 0, 1e-12);
  }
}

/// Prop. 2 and 6, Cor. 1 (P6 ii of the main paper): two solutions of the LCP differ by forces that move nothing, across
/// Hc.
TEST(CouplingLaws, DifferencesOfSolutionsMoveNothing)
{
  Rng rng{21};
  for (int draw = 0; draw < 50; ++draw) {
    const int n = 4 + draw % 3;
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return gaussian(rng, 1)[0]; });
    Eigen::MatrixXd Jh = Eigen::MatrixXd::NullaryExpr(4, n, [&] { return gaussian(rng, 1)[0]; });
    const Eigen::MatrixXd Jg = Eigen::MatrixXd::NullaryExpr(1, n, [&] { return gaussian(rng, 1)[0]; });
    Jh.row(3) = 0.5 * (Jh.row(0) + Jh.row(1)) + Jg;  // one redistribution, the held row in it
    ContactProblem p =
        rows(root * root.transpose() + Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd::Zero(n), Jh, Jg);
    p.F = p.J.transpose() * (Eigen::VectorXd(5) << 3, 2, 1, 1, uniform(rng, -1, 1)).finished();  // all push: at rest
    const Couplings c = analyse(p);
    ASSERT_EQ(c.solvable, Verdict::kHolds);
    EXPECT_EQ(c.forces_unique, Verdict::kFails);
    ASSERT_EQ(c.dependences.size(), 1u);
    const Eigen::VectorXd& shift = c.dependences[0].unilateral;
    const Eigen::MatrixXd inverse = testing::inverse(p.M);
    const Eigen::VectorXd H2 = -Jg * inverse * p.F;
    const Eigen::VectorXd Hc = -Jh * inverse * p.F + c.shock_gain.transpose() * H2;
    const double scale = shift.norm() * (1.0 + p.F.norm());
    EXPECT_LE((c.Ac * shift).norm(), 1e-9 * scale * c.Ac.norm());
    EXPECT_NEAR(Hc.dot(shift), 0.0, 1e-9 * scale * (1.0 + Hc.norm()));
    EXPECT_LE((Jh.transpose() * shift + Jg.transpose() * c.dependences[0].bilateral).norm(), 1e-9 * scale);
    Eigen::VectorXd other = c.forces;
    for (int i = 0; i < 4; ++i) other[i] += 1e-3 * shift[i];
    other[4] += 1e-3 * c.dependences[0].bilateral[0];
    EXPECT_LE((p.M * c.acceleration + p.F - p.J.transpose() * other).norm(), 1e-9 * scale * (1.0 + other.norm()));
  }
}

TEST(CouplingExamples, Rod)
{
  const double mass = 2, l = 0.5;
  for (const double th : {0.0, 0.3, M_PI / 4, 1.2, M_PI / 2}) {
    const double s = std::sin(th), c = std::cos(th);
    const Couplings r = analyse(rod(mass, l, th));
    EXPECT_NEAR(r.A(0, 0), (1 + 3 * s * s) / mass, 1e-12);
    EXPECT_NEAR(r.B(0, 0), (1 + 3 * c * c) / mass, 1e-12);
    EXPECT_NEAR(r.E(0, 0), -3 * s * c / mass, 1e-12);
    EXPECT_NEAR(r.Ac(0, 0), 4 / (mass * (1 + 3 * c * c)), 1e-12);
    const double cosine = 3 * s * c / std::sqrt((1 + 3 * s * s) * (1 + 3 * c * c));
    EXPECT_NEAR(r.angles.ub(0, 0), std::acos(cosine), 1e-12);
    EXPECT_NEAR(r.Ac(0, 0), r.A(0, 0) * (1 - cosine * cosine), 1e-12);  // Prop 7 (30)
    EXPECT_NEAR(r.principal_cosines[0], std::abs(cosine), 1e-12);
    EXPECT_NEAR(r.singularity_margin, 1 - cosine * cosine, 1e-12);
    Eigen::Matrix3d Mc = Eigen::Matrix3d::Zero();  // (39)
    Mc(0, 0) = 1 / mass;
    Mc(1, 1) = 3 * c * c / (mass * (1 + 3 * c * c));
    Mc(1, 2) = Mc(2, 1) = 3 * c / (mass * l * (1 + 3 * c * c));
    Mc(2, 2) = 3 / (mass * l * l * (1 + 3 * c * c));
    EXPECT_NEAR((r.constrained_inertia_inverse - Mc).norm(), 0, 1e-11);
    EXPECT_EQ(r.decoupled, std::abs(s * c) < 1e-12);
    EXPECT_LT(r.reduced_coordinate_gap, 1e-12);
    EXPECT_TRUE(r.unique_for_all_data);
  }
  const Couplings r = analyse(rod(mass, l, M_PI / 4));
  EXPECT_NEAR(r.A(0, 0), 1.25, 1e-12);
  EXPECT_NEAR(r.E(0, 0), -0.75, 1e-12);
  EXPECT_NEAR(r.Ac(0, 0), 0.8, 1e-12);
  EXPECT_NEAR(r.angles.ub(0, 0), 0.9272952, 1e-7);
  EXPECT_NEAR(r.constrained_inertia_inverse(1, 2), 0.848528, 1e-6);
  EXPECT_NEAR(r.constrained_inertia_inverse(2, 2), 2.4, 1e-12);
}

TEST(CouplingExamples, FallingRod)
{
  const double mass = 2, l = 0.5, g = 9.81;
  int touching = 0, separated = 0;
  for (const double th : {0.2, 0.7, 1.3})
    for (const double w : {0.0, 1.0, 3.0, 6.0}) {
      const double s = std::sin(th), c = std::cos(th);
      const Couplings r = analyse(rod(mass, l, th, w, g));
      ASSERT_EQ(r.solvable, Verdict::kHolds);
      const double lu = std::max(0.0, mass * c * (3 * g * s - 4 * l * w * w) / 4);
      EXPECT_NEAR(r.forces[0], lu, 1e-9);
      EXPECT_NEAR(
          r.forces[1],
          lu > 0 ? mass / 4 * (g * (1 + 3 * s * s) - 4 * l * s * w * w) : mass * (g - l * s * w * w) / (1 + 3 * c * c),
          1e-9);
      EXPECT_EQ(r.forces_unique, Verdict::kHolds);
      EXPECT_NEAR(r.intervals[0].lower, lu, 1e-9);
      (lu > 0 ? touching : separated)++;
    }
  EXPECT_GT(touching, 2);
  EXPECT_GT(separated, 2);
}

TEST(CouplingExamples, ShockOfAGuide)  // example 3b; the paper's sign of pb is wrong
{
  const double mass = 2, l = 0.5, th = 0.6, s = std::sin(th), alpha = 0.7, beta = -1.1, n = alpha * alpha + beta * beta;
  ContactProblem p = rod(mass, l, th);
  p.J.row(1) << alpha, beta, 0;
  const Couplings r = analyse(p);
  EXPECT_NEAR(r.E(0, 0), alpha / mass, 1e-12);
  EXPECT_NEAR(r.B(0, 0), n / mass, 1e-12);
  EXPECT_NEAR(r.shock_gain(0, 0), -alpha / n, 1e-12);
  EXPECT_NEAR(r.Ac(0, 0), (3 * s * s + beta * beta / n) / mass, 1e-12);
  // What decides the sign: only -alpha/n keeps the guide in the impact.
  const Eigen::Vector3d v = -Eigen::Vector3d(-beta, alpha, -0.4);  // towards the wall
  auto engine = make_native_engine();
  for (const ShockLaw law : {ShockLaw::kMoreau, ShockLaw::kNewton}) {
    const Shock hit = shock(p, v, Eigen::MatrixXd::Constant(1, 1, 0.3), law, *engine);
    ASSERT_EQ(hit.exists, Verdict::kHolds);
    EXPECT_NEAR(hit.unilateral_impulse[0], -1.3 * p.J.row(0).dot(v) / r.Ac(0, 0), 1e-12);
    EXPECT_GT(hit.unilateral_impulse[0], 1.0);
    EXPECT_NEAR(hit.bilateral_impulse[0], -alpha / n * hit.unilateral_impulse[0], 1e-12);
    EXPECT_NEAR(p.J.row(1).dot(hit.velocity), 0, 1e-12);
  }
  const Eigen::Vector3d printed = testing::inverse(p.M) * (p.J.row(0).transpose() + alpha / n * p.J.row(1).transpose());
  const Eigen::Vector3d right = testing::inverse(p.M) * (p.J.row(0).transpose() - alpha / n * p.J.row(1).transpose());
  EXPECT_NEAR(p.J.row(1).dot(right), 0, 1e-12);
  EXPECT_GT(std::abs(p.J.row(1).dot(printed)), 0.1);

  p.J.row(0) << 1, 0, 0;  // s = 0, beta = 0: singular
  p.J.row(1) << alpha, 0, 0;
  const Couplings flat = analyse(p);
  EXPECT_FALSE(flat.unique_for_all_data);
  EXPECT_NEAR(flat.Ac(0, 0), 0, 1e-15);
  EXPECT_NEAR(flat.principal_cosines[0], 1, 1e-12);
  EXPECT_NEAR(flat.singularity_margin, 0, 1e-12);
}

TEST(CouplingExamples, KineticallyOrthogonalGuidePassesNoShock)
{
  const double mass = 2, l = 0.5, th = 0.6, s = std::sin(th);
  ContactProblem p = rod(mass, l, th);
  for (const Eigen::RowVector3d& g : {Eigen::RowVector3d(0, 1, 0), Eigen::RowVector3d(-3 * s * 0.4 / l, 0.3, 0.4),
                                      Eigen::RowVector3d(3 / l, 0, -1 / s)}) {  // the last: 3x/l - ln tan(th/2)
    p.J.row(1) = g;
    const Couplings r = analyse(p);
    EXPECT_TRUE(r.decoupled);
    EXPECT_NEAR(r.shock_gain(0, 0), 0, 1e-12);
    EXPECT_NEAR(r.angles.ub(0, 0), M_PI / 2, 1e-12);
    EXPECT_TRUE(r.Ac.isApprox(r.A, 1e-12));
  }
}

TEST(CouplingExamples, EllipseInReducedCoordinates)  // example 2, with T12 = dΩ/dx2 corrected
{
  for (const double x2 : {-0.8, 0.1, 0.6}) {
    const double x1 = 0.5 * std::sqrt(1 - x2 * x2), t = -0.5 * x2 / std::sqrt(1 - x2 * x2);
    const double h1 = 0.4, h2 = -1.3;
    const Couplings r = analyse(rows(Eigen::Matrix2d::Identity(), Eigen::Vector2d::Zero(), Eigen::RowVector2d(h1, h2),
                                     Eigen::RowVector2d(8 * x1, 2 * x2)));
    EXPECT_NEAR(r.Ac(0, 0), std::pow(t * h1 + h2, 2) / (1 + t * t), 1e-12);
    EXPECT_LT(r.reduced_coordinate_gap, 1e-12);
    const double printed = -0.5 * std::sqrt(1 - x2 * x2);
    EXPECT_GT(std::abs(std::pow(printed * h1 + h2, 2) / (1 + printed * printed) - r.Ac(0, 0)), 1e-3);
  }
}

TEST(CouplingExamples, TwoAxesAndOneGuide)
{
  const Eigen::Matrix3d I = Eigen::Matrix3d::Identity();
  const Couplings a = analyse(rows(I, Eigen::Vector3d::Zero(), I.topRows(2), Eigen::RowVector3d(1, 1, 1)));
  EXPECT_TRUE(a.Ac.isApprox((Eigen::Matrix2d() << 2, -1, -1, 2).finished() / 3, 1e-12));
  EXPECT_NEAR(a.smallest_Ac, 1.0 / 3, 1e-12);
  const Couplings b = analyse(rows(I, Eigen::Vector3d::Zero(), I.topRows(2), Eigen::RowVector3d(1, 1, 0)));
  EXPECT_TRUE(b.Ac.isApprox((Eigen::Matrix2d() << .5, -.5, -.5, .5).finished(), 1e-12));
  EXPECT_FALSE(b.unique_for_all_data);  // although no single row is colinear with the guide
  EXPECT_NEAR(b.singularity_margin, 0, 1e-12);
  EXPECT_NEAR(std::abs(b.worst_unilateral[0]), std::sqrt(.5), 1e-9);  // and these two together are
  EXPECT_NEAR(b.worst_unilateral[0], b.worst_unilateral[1], 1e-9);
  for (const auto& angles : {b.angles.ub}) EXPECT_GT(std::sin(angles(0, 0)), 0.7);
  ASSERT_EQ(b.dependences.size(), 1u);
}

TEST(CouplingCorrections, NewtonsLawNeedNotHaveASolution)  // test (c), errata 11 and 12
{
  const Eigen::Matrix2d Ac = (Eigen::Matrix2d() << 1, .9, .9, 1).finished();
  ContactProblem p =
      rows(testing::inverse(Ac), Eigen::Vector2d::Zero(), Eigen::Matrix2d::Identity(), Eigen::MatrixXd(0, 2));
  auto engine = make_native_engine();
  const Eigen::Vector2d v(-1, -.1);
  const Eigen::Matrix2d zero = Eigen::Matrix2d::Zero(), one = Eigen::Matrix2d::Identity();
  EXPECT_TRUE(analyse(p).Ac.isApprox(Ac, 1e-12));
  EXPECT_EQ(shock(p, v, zero, ShockLaw::kNewton, *engine).exists, Verdict::kFails);
  const Shock moreau = shock(p, v, zero, ShockLaw::kMoreau, *engine);
  ASSERT_EQ(moreau.exists, Verdict::kHolds);
  EXPECT_NEAR((moreau.unilateral_impulse - Eigen::Vector2d(1, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((moreau.velocity - Eigen::Vector2d(0, .8)).norm(), 0, 1e-12);

  // Monotone R(I+R)⁻¹Ac does not keep bodies apart: vN+ = (-.5, 1).
  ContactProblem q = rows(one, Eigen::Vector2d::Zero(), one, Eigen::MatrixXd(0, 2));
  const Eigen::Matrix2d R = (Eigen::Matrix2d() << -.5, 1, 1, .5).finished();
  EXPECT_EQ(shock(q, Eigen::Vector2d(-1, 0), R, ShockLaw::kNewton, *engine).exists, Verdict::kFails);
  const Eigen::Matrix2d good = (Eigen::Matrix2d() << .5, .1, .2, .3).finished();
  const Shock solved = shock(q, Eigen::Vector2d(-1, -2), good, ShockLaw::kNewton, *engine);
  ASSERT_EQ(solved.exists, Verdict::kHolds);
  EXPECT_NEAR((solved.velocity - Eigen::Vector2d(.7, .8)).norm(), 0, 1e-12);
  EXPECT_NEAR(solved.energy_change, 0.5 * solved.unilateral_impulse.dot((one - good) * Eigen::Vector2d(-1, -2)), 1e-12);
  EXPECT_THROW(shock(q, Eigen::Vector2d(-1, -2), good, ShockLaw::kMoreau, *engine), InputError);
}

TEST(CouplingExamples, RodOnTwoContacts)  // both rows of section 4.3 unilateral
{
  const double mass = 2, l = 0.5, th = 0.7, s = std::sin(th), c = std::cos(th);
  const ContactProblem both =
      rows(Eigen::Vector3d(mass, mass, mass * l * l / 3).asDiagonal(), Eigen::Vector3d::Zero(),
           (Eigen::MatrixXd(2, 3) << 1, 0, l * s, 0, 1, -l * c).finished(), Eigen::MatrixXd(0, 3));
  const Couplings r = analyse(both);
  EXPECT_TRUE(r.A.isApprox(
      (Eigen::Matrix2d() << 1 + 3 * s * s, -3 * s * c, -3 * s * c, 1 + 3 * c * c).finished() / mass, 1e-12));
  EXPECT_NEAR(internal::determinant(r.A), 4 / (mass * mass), 1e-12);
  // Erratum 17: with the other tip on the rail (g = y + l s) E changes its sign, Ac does not.
  ContactProblem other = rod(mass, l, th);
  other.J.row(1) << 0, 1, l * c;
  EXPECT_NEAR(analyse(other).E(0, 0), 3 * s * c / mass, 1e-12);
  EXPECT_NEAR(analyse(other).Ac(0, 0), analyse(rod(mass, l, th)).Ac(0, 0), 1e-12);
}

TEST(CouplingExamples, InelasticShocks)  // E7 of the sliding spec: a rod on both ends, a corner, energy
{
  auto engine = make_native_engine();
  const Eigen::MatrixXd ends = (Eigen::MatrixXd(2, 2) << 1, -1, 1, 1).finished();  // q = (y, θ), half-length 1, m = 1
  const ContactProblem p =
      rows(Eigen::Vector2d(1, 1.0 / 3).asDiagonal(), Eigen::Vector2d::Zero(), ends, Eigen::MatrixXd(0, 2));
  EXPECT_TRUE(analyse(p).A.isApprox((Eigen::Matrix2d() << 4, -2, -2, 4).finished(), 1e-12));
  const auto inelastic = [&](const ContactProblem& problem, const Eigen::VectorXd& before) {
    const auto m = static_cast<Eigen::Index>(problem.contacts.size());
    const Shock hit = shock(problem, before, Eigen::MatrixXd::Zero(m, m), ShockLaw::kMoreau, *engine);
    EXPECT_EQ(hit.exists, Verdict::kHolds);
    const Eigen::MatrixXd A = testing::delassus(problem);
    EXPECT_NEAR(hit.energy_change, -0.5 * hit.unilateral_impulse.dot(A * hit.unilateral_impulse), 1e-9);  // (f)
    return hit;
  };
  const auto at_ends = [&](double left, double right) {
    return Eigen::VectorXd(testing::inverse(ends) * Eigen::Vector2d(left, right));
  };
  EXPECT_NEAR((inelastic(p, at_ends(-1, -1)).unilateral_impulse - Eigen::Vector2d(0.5, 0.5)).norm(), 0, 1e-12);
  const Shock one = inelastic(p, at_ends(0, -1));
  EXPECT_NEAR((one.unilateral_impulse - Eigen::Vector2d(1.0 / 6, 1.0 / 3)).norm(), 0, 1e-12);
  EXPECT_NEAR(one.energy_change, -1.0 / 6, 1e-12);
  // A particle runs into a wall along a floor: G columns (-1, 0) and (0, 1).
  const ContactProblem corner = rows(3 * Eigen::Matrix2d::Identity(), Eigen::Vector2d::Zero(),
                                     (Eigen::Matrix2d() << -1, 0, 0, 1).finished(), Eigen::MatrixXd(0, 2));
  const Shock stopped = inelastic(corner, Eigen::Vector2d(2, 0));
  EXPECT_NEAR(stopped.velocity.norm(), 0, 1e-12);
  EXPECT_NEAR((stopped.unilateral_impulse - Eigen::Vector2d(6, 0)).norm(), 0, 1e-12);
  // Erratum 16: an impulse at a contact that separated before; its own work is positive, the total is not.
  const Eigen::Matrix2d A = (Eigen::Matrix2d() << 1, -.8, -.8, 1).finished();
  const ContactProblem pair =
      rows(testing::inverse(A), Eigen::Vector2d::Zero(), Eigen::Matrix2d::Identity(), Eigen::MatrixXd(0, 2));
  const Shock pulled = inelastic(pair, Eigen::Vector2d(-1, .1));
  EXPECT_NEAR((pulled.unilateral_impulse - Eigen::Vector2d(2.556, 1.944)).norm(), 0, 1e-3);
  EXPECT_GT(pulled.unilateral_impulse[1] * .1, 0);
  EXPECT_LT(pulled.energy_change, 0);
  Rng rng{31};
  for (int i = 0; i < 100; ++i) {
    const auto matrix = [&](int r, int c) {
      return Eigen::MatrixXd(Eigen::Map<Eigen::MatrixXd>(gaussian(rng, r * c).data(), r, c));
    };
    const Eigen::MatrixXd L = matrix(4, 4);
    EXPECT_LE(inelastic(rows(L * L.transpose() + Eigen::Matrix4d::Identity(), Eigen::Vector4d::Zero(), matrix(3, 4),
                             Eigen::MatrixXd(0, 4)),
                        gaussian(rng, 4))
                  .energy_change,
              1e-12);
  }
}

TEST(CouplingCorrections, RanksThatThePaperMiscounts)
{
  // Erratum 2: two motions are left and one contact: unique with rank 1 = m, not n - p = 2.
  const Couplings one = analyse(rows(Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero(), Eigen::RowVector3d(1, 0, 0),
                                     Eigen::RowVector3d(0, 0, 1)));
  EXPECT_TRUE(one.unique_for_all_data);
  EXPECT_EQ(one.rank_all - one.rank_bilateral, 1);
  // Erratum 15: hyperstatic with m = 2 < n = 3.
  const Couplings twice = analyse(rows(Eigen::Matrix3d::Identity(), Eigen::Vector3d(1, 0, 0),
                                       (Eigen::MatrixXd(2, 3) << 1, 0, 0, 1, 0, 0).finished(), Eigen::MatrixXd(0, 3)));
  EXPECT_EQ(twice.redundancy, 1);
  EXPECT_EQ(twice.forces_unique, Verdict::kFails);
  // Erratum 18: decoupled, and yet m + p > n, as A is singular.
  const Couplings crowd = analyse(rows(Eigen::Matrix2d::Identity(), Eigen::Vector2d::Zero(),
                                       (Eigen::MatrixXd(2, 2) << 1, 0, 1, 0).finished(), Eigen::RowVector2d(0, 1)));
  EXPECT_TRUE(crowd.decoupled);
  EXPECT_FALSE(crowd.unique_for_all_data);
}

TEST(CouplingCorrections, ContradictionsHaveAWitnessAndIgnoreTheLoad)
{
  // h1 = x, h2 = -x with drifts that cannot both be kept.
  ContactProblem p = rows(Eigen::Matrix2d::Identity(), Eigen::Vector2d(3, 4),
                          (Eigen::Matrix2d() << 1, 0, -1, 0).finished(), Eigen::RowVector2d(0, 1));
  p.gamma << -1, -0.5, 0;
  for (const double load : {0.0, 100.0, -100.0}) {
    p.F[0] = load;
    const Couplings c = analyse(p);
    ASSERT_EQ(c.solvable, Verdict::kFails);
    EXPECT_TRUE(proves_contradiction(p, c.unilateral, c.bilateral, c.contradiction));
    EXPECT_FALSE(proves_contradiction(p, c.unilateral, c.bilateral, -c.contradiction));
  }
  p.gamma << -1, 1.5, 0;
  EXPECT_EQ(analyse(p).solvable, Verdict::kHolds);
}

TEST(CouplingCorrections, ColinearRowsHaveAngleZeroOrPi)  // erratum 6
{
  const Couplings c = analyse(rows(Eigen::Matrix2d::Identity(), Eigen::Vector2d::Zero(), Eigen::RowVector2d(1, 2),
                                   (Eigen::Matrix2d() << 2, 4, -1, -2).finished()));
  EXPECT_NEAR(c.angles.ub(0, 0), M_PI, 1e-7);
  EXPECT_NEAR(c.angles.ub(0, 1), 0, 1e-7);
  EXPECT_EQ(c.rank_bilateral, 1);
  EXPECT_EQ(c.Ac(0, 0), 0.0);  // erratum 19: not 1e-17
  EXPECT_EQ(c.redundancy, 2);
}

/// (55) as printed drops H4 and reads Jh[M⁻¹F - H3]; (20) and Gauss' principle with both kinds of rows must agree.
TEST(CouplingLaws, GaussAgreesWithTheComplementarityProblem)
{
  Rng rng{3};
  int opening = 0, coupled_wrong = 0;
  for (int i = 0; i < 400; ++i) {
    const int nv = 5 + static_cast<int>(rng() % 2), m = 1 + static_cast<int>(rng() % 3),
              g = static_cast<int>(rng() % 2) + 1;
    const auto matrix = [&](int r, int c) {
      return Eigen::MatrixXd(Eigen::Map<Eigen::MatrixXd>(gaussian(rng, r * c).data(), r, c));
    };
    const Eigen::MatrixXd L = matrix(nv, nv);
    ContactProblem p = rows(L * L.transpose() + 0.2 * Eigen::MatrixXd::Identity(nv, nv), gaussian(rng, nv),
                            matrix(m, nv), matrix(g, nv));
    p.gamma = gaussian(rng, m + g);
    const Couplings c = analyse(p);
    ASSERT_EQ(c.solvable, Verdict::kHolds);
    // Blocks from their definitions.
    const Eigen::MatrixXd Jh = p.J.topRows(m), Jg = p.J.bottomRows(g), Mi = testing::inverse(p.M);
    const Eigen::MatrixXd A = Jh * Mi * Jh.transpose(), B = Jg * Mi * Jg.transpose(), E = Jh * Mi * Jg.transpose();
    const Eigen::MatrixXd Ac = A - E * testing::inverse(B) * E.transpose();
    EXPECT_TRUE(c.A.isApprox(A, 1e-8) && c.B.isApprox(B, 1e-8) && c.Ac.isApprox(Ac, 1e-7));
    EXPECT_NEAR((c.E - E).norm(), 0, 1e-8 * (1 + E.norm()));
    EXPECT_TRUE(c.shock_gain.isApprox(-testing::inverse(B) * E.transpose(), 1e-7));
    EXPECT_LT(c.reduced_coordinate_gap, 1e-8);
    double product = 1;
    for (const double s : c.principal_cosines) product *= 1 - s * s;
    const double det = internal::determinant(c.A);
    EXPECT_NEAR(internal::determinant(c.Ac), det * product, 1e-7 * det);
    // (31): the largest eigenvalue of A^-1/2 E B⁻¹E' A^-1/2 is the square of the largest cosine; small E suffices (Cor
    // 4).
    const internal::SymmetricEigen spectrum = internal::symmetric_eigen(A);
    const Eigen::MatrixXd root =
        spectrum.vectors * spectrum.values.cwiseSqrt().cwiseInverse().asDiagonal() * spectrum.vectors.transpose();
    const Eigen::MatrixXd coupling = root * E * testing::inverse(B) * E.transpose() * root;
    EXPECT_NEAR(internal::symmetric_eigenvalues(coupling).maxCoeff(), std::pow(c.principal_cosines[0], 2), 1e-7);
    if (E.squaredNorm() < c.smallest_A * c.smallest_B) {
      EXPECT_TRUE(c.unique_for_all_data);
    }
    EXPECT_NEAR((Jg * c.constrained_inertia_inverse).norm(), 0, 1e-8 * Mi.norm() * Jg.norm());
    // The LCP (20) by enumeration.
    const Eigen::VectorXd H0 = p.gamma.head(m) - Jh * Mi * p.F, H2 = p.gamma.tail(g) - Jg * Mi * p.F;
    const Eigen::VectorXd H4 = H0 - E * testing::inverse(B) * H2;
    int found = 0;
    for (int bits = 0; bits < (1 << m); ++bits) {
      std::vector<int> on;
      for (int k = 0; k < m; ++k)
        if (bits >> k & 1) on.push_back(k);
      Eigen::VectorXd lu = Eigen::VectorXd::Zero(m);
      if (!on.empty()) lu(on) = internal::solve(Ac(on, on), -H4(on)).col(0);
      const Eigen::VectorXd w = Ac * lu + H4;
      if (lu.minCoeff() < -1e-10 || w.minCoeff() < -1e-10) continue;
      ++found;
      const Eigen::VectorXd lb = -testing::inverse(B) * (E.transpose() * lu + H2);
      EXPECT_NEAR((c.forces.head(m) - lu).norm(), 0, 1e-6 * (1 + lu.norm()));
      EXPECT_NEAR((c.forces.tail(g) - lb).norm(), 0, 1e-6 * (1 + lb.norm()));
      const Eigen::VectorXd a = Mi * (p.J.transpose() * c.forces - p.F);
      EXPECT_NEAR((c.acceleration - a).norm(), 0, 1e-6 * (1 + a.norm()));
      opening += w.maxCoeff() > 1e-6;
      // Without the bilateral drift (as the printed (55) has it) the contact forces would be others.
      coupled_wrong += (H4 - H0).norm() > 1e-3;
    }
    EXPECT_EQ(found, 1) << "draw " << i;
  }
  EXPECT_GT(opening, 50);
  EXPECT_GT(coupled_wrong, 100);
}

TEST(CouplingLaws, UnitsSignsAndDuplicatesChangeNothingThatMatters)
{
  Rng rng{8};
  for (int i = 0; i < 100; ++i) {
    const int nv = 5, m = 2, g = 2;
    const auto matrix = [&](int r, int c) {
      return Eigen::MatrixXd(Eigen::Map<Eigen::MatrixXd>(gaussian(rng, r * c).data(), r, c));
    };
    const Eigen::MatrixXd L = matrix(nv, nv);
    const ContactProblem p = rows(L * L.transpose() + 0.2 * Eigen::MatrixXd::Identity(nv, nv), gaussian(rng, nv),
                                  matrix(m, nv), matrix(g, nv));
    const Couplings c = analyse(p);

    ContactProblem flipped = p;  // the sign of g is arbitrary: θ becomes π - θ
    flipped.J.row(m) *= -1;
    const Couplings f = analyse(flipped);
    EXPECT_NEAR(f.angles.ub(0, 0), M_PI - c.angles.ub(0, 0), 1e-9);
    EXPECT_TRUE(f.Ac.isApprox(c.Ac, 1e-9));
    EXPECT_NEAR(f.forces[m], -c.forces[m], 1e-7 * (1 + std::abs(c.forces[m])));

    ContactProblem heavy = p;  // everything 7 times as heavy and as loaded
    heavy.M *= 7;
    heavy.F *= 7;
    const Couplings h = analyse(heavy);
    EXPECT_TRUE((7 * h.Ac).isApprox(c.Ac, 1e-9));
    EXPECT_NEAR(h.singularity_margin, c.singularity_margin, 1e-9);
    EXPECT_TRUE(h.acceleration.isApprox(c.acceleration, 1e-6));

    ContactProblem twice =
        rows(p.M, p.F, p.J.topRows(m), (Eigen::MatrixXd(g + 1, nv) << p.J.bottomRows(g), 2 * p.J.row(m)).finished());
    const Couplings t = analyse(twice);  // a closure stated twice: pseudo-inverse of B
    EXPECT_EQ(t.redundancy, c.redundancy + 1);
    EXPECT_EQ(t.unique_for_all_data, c.unique_for_all_data);
    EXPECT_TRUE(t.Ac.isApprox(c.Ac, 1e-8));
    EXPECT_TRUE(t.acceleration.isApprox(c.acceleration, 1e-6));
    EXPECT_EQ(t.forces_unique, Verdict::kFails);
    EXPECT_EQ(t.intervals[static_cast<size_t>(m)].upper, kInfinity);
    EXPECT_EQ(t.intervals[static_cast<size_t>(m)].lower, -kInfinity);
    EXPECT_NEAR(t.intervals[static_cast<size_t>(m + 1)].upper, t.intervals[static_cast<size_t>(m + 1)].lower, 1e-9);
  }
}

TEST(CouplingLaws, StaticsIsAlwaysSolvable)  // H4 in R(Ac) at rest, with dependent rows too
{
  Rng rng{21};
  int balanced = 0, unique = 0;
  for (int i = 0; i < 200; ++i) {
    const auto matrix = [&](int r, int c) {
      return Eigen::MatrixXd(Eigen::Map<Eigen::MatrixXd>(gaussian(rng, r * c).data(), r, c));
    };
    const Eigen::MatrixXd base = matrix(2, 3), mix = matrix(5, 2);
    ContactProblem p =
        rows(Eigen::Vector3d(1, 2, 3).asDiagonal(), gaussian(rng, 3), mix.topRows(3) * base, mix.bottomRows(2) * base);
    if (i % 2) p.F = p.J.transpose() * (Eigen::VectorXd(5) << 1, 2, 3, -1, 1).finished();
    const Couplings c = analyse(p);
    ASSERT_EQ(c.solvable, Verdict::kHolds) << "draw " << i;
    EXPECT_EQ(c.rank_all, 2);
    EXPECT_EQ(c.redundancy, 3);
    if (i % 2) {
      EXPECT_TRUE(c.balanced) << "draw " << i;
    }
    balanced += c.balanced;
    for (const int r : c.unilateral) EXPECT_LE(c.intervals[static_cast<size_t>(r)].lower, c.forces[r] + 1e-9);
    expect_unique_where_intervals_are_points(c);
    unique += c.forces_unique == Verdict::kHolds;
  }
  EXPECT_GE(balanced, 100);
  EXPECT_LT(balanced, 150);
  EXPECT_LT(unique, 100);
}

TEST(CouplingLaws, WhatCannotPullPinsForces)  // rows that depend on each other, and yet one set of forces
{
  // Three feet in a row under a beam: y and angle.
  const Eigen::MatrixXd feet = (Eigen::MatrixXd(3, 2) << 1, -1, 1, 0, 1, 1).finished();
  for (const double weight_at : {-1.0, -0.9, 0.0, 1.0}) {
    const Couplings c = analyse(
        rows(Eigen::Vector2d(3, 2).asDiagonal(), Eigen::Vector2d(30, 30 * weight_at), feet, Eigen::MatrixXd(0, 2)));
    ASSERT_EQ(c.solvable, Verdict::kHolds);
    EXPECT_TRUE(c.balanced);
    EXPECT_EQ(c.redundancy, 1);
    const bool pinned = std::abs(weight_at) == 1.0;
    EXPECT_EQ(c.forces_unique, pinned ? Verdict::kHolds : Verdict::kFails) << weight_at;
    EXPECT_EQ(c.pins.size(), pinned ? 2 : 0);
    expect_unique_where_intervals_are_points(c);
    if (pinned) {
      EXPECT_NEAR(c.forces[weight_at < 0 ? 0 : 2], 30, 1e-9);
    }
  }
  // Example 1 with a load that just takes the weight off: only no force at all is left.
  const Couplings lifted = analyse(rows(Eigen::Matrix2d::Identity(), Eigen::Vector2d(0, 0.5),
                                        (Eigen::MatrixXd(3, 2) << 1, 0, 1, 0, 1, 0).finished(), Eigen::MatrixXd(0, 2)));
  EXPECT_EQ(lifted.forces_unique, Verdict::kHolds);
  // Two of the same opposed: they may pinch what is between them, with any force.
  const Couplings pinched = analyse(rows(Eigen::Matrix2d::Identity(), Eigen::Vector2d(0, 0.5),
                                         (Eigen::MatrixXd(2, 2) << 1, 0, -1, 0).finished(), Eigen::MatrixXd(0, 2)));
  EXPECT_EQ(pinched.forces_unique, Verdict::kFails);
  EXPECT_EQ(pinched.intervals[0].upper, kInfinity);
  EXPECT_GT(pinched.shift.minCoeff(), 0.0);
}

TEST(CouplingLaws, DegenerateLoadsHaveUniqueForcesWhereTheirIntervalsArePoints)
{
  Rng rng{33};
  int unique = 0, several = 0;
  for (int i = 0; i < 200; ++i) {
    const int nv = 3, m = 6;  // cones of six rays in space, loads on a face of few of them: only these can carry
    Eigen::MatrixXd J(m, nv);
    for (int r = 0; r < m; ++r) J.row(r) << std::cos(r), std::sin(r), uniform(rng, 0.2, 1.0);
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(m);
    for (int k = 0; k < 1 + i % 3; ++k) lambda[static_cast<int>(rng() % m)] = uniform(rng, 1, 2);
    const Couplings c = analyse(rows(Eigen::Matrix3d::Identity(), J.transpose() * lambda, J, Eigen::MatrixXd(0, nv)));
    ASSERT_EQ(c.solvable, Verdict::kHolds);
    ASSERT_TRUE(c.balanced);
    ASSERT_NE(c.forces_unique, Verdict::kUndecided) << i;
    expect_unique_where_intervals_are_points(c);
    ++(c.forces_unique == Verdict::kHolds ? unique : several);
  }
  EXPECT_GT(unique, 20);
  EXPECT_GT(several, 20);
}

TEST(CouplingProof, OneProblemIsNotBothSolvableAndUnbalanced)
{
  // Symmetric to rounding only: M d = 0 for d = (1, -1), but d'M a is not 0.
  const double e = 1.9 * 0x1p-31;
  ContactProblem p;
  p.M = (Eigen::Matrix2d() << 1.0, 1.0, 1.0 + e, 1.0 + e).finished();
  p.F = Eigen::Vector2d(2.0, 2.0 * (1.0 + e));
  p.J.resize(0, 2);
  p.gamma.resize(0);
  p.validate();
  EXPECT_TRUE(proves_motion(p, {}, {}, Eigen::Vector2d(-1.0, -1.0), Eigen::VectorXd()));
  EXPECT_FALSE(proves_imbalance(p, {}, {}, Eigen::Vector2d(1.0, -1.0)));
}

TEST(CouplingLaws, SingularMassAndEmptyProblems)
{
  ContactProblem p =
      rows(Eigen::Vector2d(1, 0).asDiagonal(), Eigen::Vector2d(0, 2), Eigen::RowVector2d(0, 1), Eigen::MatrixXd(0, 2));
  const Couplings c = analyse(p);  // a massless part held by a contact
  EXPECT_FALSE(c.definite_mass);
  EXPECT_EQ(c.A.size(), 0);
  ASSERT_EQ(c.solvable, Verdict::kHolds);
  EXPECT_NEAR(c.forces[0], 2, 1e-12);
  p.F = Eigen::Vector2d(3, -2);  // pulled off: nothing balances
  const Couplings u = analyse(p);
  EXPECT_EQ(u.solvable, Verdict::kFails);
  EXPECT_TRUE(proves_imbalance(p, u.unilateral, u.bilateral, u.imbalance));
  EXPECT_TRUE(proves_imbalance(p, {0}, {}, Eigen::Vector2d(0, 1)));
  EXPECT_FALSE(proves_imbalance(p, {0}, {}, Eigen::Vector2d(0, -1)));    // the load does not move it that way
  EXPECT_FALSE(proves_imbalance(p, {0}, {}, Eigen::Vector2d(1e-3, 1)));  // something with a mass moves along
  EXPECT_FALSE(proves_imbalance(p, {}, {0}, Eigen::Vector2d(0, 1)));     // held
  EXPECT_FALSE(proves_imbalance(p, {0}, {}, Eigen::Vector3d(0, 1, 0)));
  EXPECT_TRUE(proves_imbalance(p, {}, {}, Eigen::Vector2d(0, 1)));
  EXPECT_FALSE(proves_imbalance(p, {}, {}, Eigen::Vector2d(0, -1)));  // nor with nothing in the way
  EXPECT_FALSE(proves_motion(p, {0}, {}, Eigen::Vector2d::Zero(), Eigen::VectorXd::Zero(1)));
  const Couplings none =
      analyse(rows(Eigen::Matrix2d::Identity(), Eigen::Vector2d(1, 1), Eigen::MatrixXd(0, 2), Eigen::MatrixXd(0, 2)));
  EXPECT_TRUE(none.decoupled);
  EXPECT_EQ(none.singularity_margin, 1.0);
  EXPECT_EQ(none.solvable, Verdict::kHolds);
}

TEST(CouplingLaws, AccelerationIsUniqueWhereMassesAndLoadedRowsLeaveNothingOpen)
{
  // Prop 1 (ii) of the tutorial: a pendulum whose angle has no inertia of its own, held by two rows.
  const double th = 0.7, l = 2;
  const ContactProblem pendulum =
      rows(Eigen::Vector3d(1.5, 1.5, 0).asDiagonal(), Eigen::Vector3d(0, 1.5 * 9.81, 0), Eigen::MatrixXd(0, 3),
           (Eigen::MatrixXd(2, 3) << 1, 0, -l * std::cos(th), 0, 1, -l * std::sin(th)).finished());
  const Couplings c = analyse(pendulum);
  ASSERT_EQ(c.solvable, Verdict::kHolds);
  EXPECT_FALSE(c.definite_mass);
  EXPECT_EQ(c.acceleration_unique, Verdict::kHolds);
  EXPECT_NEAR(c.acceleration[2], -9.81 / l * std::sin(th), 1e-9);
  // The second degree of freedom has no mass and only contacts that open.
  const Couplings free = analyse(rows(Eigen::Vector2d(1, 0).asDiagonal(), Eigen::Vector2d(-5, 0),
                                      (Eigen::MatrixXd(2, 2) << 1, 1, 1, -1).finished(), Eigen::MatrixXd(0, 2)));
  ASSERT_EQ(free.solvable, Verdict::kHolds);
  EXPECT_EQ(free.acceleration_unique, Verdict::kFails);
  EXPECT_EQ(analyse(rod(2, 0.5, 0.7)).acceleration_unique, Verdict::kHolds);
}

TEST(CouplingProof, RejectsWhatIsNotSo)
{
  const ContactProblem p = rod(2, 0.5, 0.7, 0.0, 9.81);
  const Couplings c = analyse(p);
  ASSERT_TRUE(proves_motion(p, c.unilateral, c.bilateral, c.acceleration, c.forces));
  for (int k = 0; k < 2; ++k) {
    Eigen::VectorXd forces = c.forces;
    forces[k] += 1e-6;
    EXPECT_FALSE(proves_motion(p, c.unilateral, c.bilateral, c.acceleration, forces));
  }
  Eigen::VectorXd a = c.acceleration;
  a[2] += 1e-6;
  EXPECT_FALSE(proves_motion(p, c.unilateral, c.bilateral, a, c.forces));
  EXPECT_FALSE(proves_motion(p, {}, c.bilateral, c.acceleration, c.forces));  // a force on a row that was left out
  // Balanced and at rest, but only because the contact pulls.
  const ContactProblem lifted = rows(Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Constant(1, -1.0),
                                     Eigen::MatrixXd::Identity(1, 1), Eigen::MatrixXd(0, 1));
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(1), pull = Eigen::VectorXd::Constant(1, -1.0);
  EXPECT_TRUE(proves_motion(lifted, {}, {0}, rest, pull));
  EXPECT_FALSE(proves_motion(lifted, {0}, {}, rest, pull));
}

}  // namespace
}  // namespace stiction
