// Degenerate problems by the thousand, with known verdicts: nothing wrong and nothing undecided.
#include <gtest/gtest.h>

#include <numeric>

#include "stiction/equilibrium.hpp"
#include "stiction/sticking.hpp"
#include "support/random_problems.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

using testing::add_contact;
using testing::free_body;
using testing::gaussian;
using testing::in_units;
using testing::make_either;
using testing::make_failing;
using testing::make_holding;
using testing::random_contacts;
using testing::Rng;
using testing::uniform;

class Degenerate : public ::testing::TestWithParam<const char*> {
 protected:
  StickingChecker checker{make_engine(GetParam())};
  bool native = std::string(GetParam()) == "native";
  int draws = testing::trials(2000);
  StickingOptions options;

  Degenerate() { options.largest_slack = false; }

  void expect(const ContactProblem& problem, Verdict truth, int draw)
  {
    StickingResult result;
    checker.check(problem, options, result);
    ASSERT_EQ(result.verdict, truth) << "draw " << draw << ": " << result.reason << " iterations " << result.iterations;
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, Degenerate, ::testing::Values("native", "qpoases"),
                         [](const auto& engine) { return engine.param; });

TEST_P(Degenerate, OneToTwelveContactsHold)
{
  Rng rng{1};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 1 + i % 12, i % 2 ? 0.3 : 5.0);
    make_holding(rng, p);
    expect(p, Verdict::kHolds, i);
  }
}

TEST_P(Degenerate, OneToTwelveContactsFail)
{
  Rng rng{2};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 1 + i % 12, i % 2 ? 0.3 : 5.0);
    if (make_failing(rng, p)) expect(p, Verdict::kFails, i);
  }
}

TEST_P(Degenerate, DuplicatedContacts)
{
  Rng rng{3};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 1 + i % 6, 0.5);
    const bool holds = i % 2;
    if (!make_either(rng, p, holds)) continue;
    const size_t count = p.contacts.size();
    for (size_t k = 0; k < count; ++k)
      for (int copy = 0; copy < 1 + static_cast<int>(k % 3); ++copy) {
        const Contact c = p.contacts[k];
        add_contact(p, c.point_W, c.axes_W.col(0), c.mu);
        p.J.bottomRows(3) = p.J.middleRows(c.row, 3).eval();
      }
    expect(p, holds ? Verdict::kHolds : Verdict::kFails, i);
  }
}

TEST_P(Degenerate, TwoHardFingersHaveRankFive)
{
  Rng rng{4};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 2, 5.0);
    const bool holds = i % 2;
    if (!make_either(rng, p, holds)) continue;
    expect(p, holds ? Verdict::kHolds : Verdict::kFails, i);
  }
}

TEST_P(Degenerate, SwingingBetweenTwoOpposedFingers)
{
  // A mug held beside its centre of mass (0.00786, 0, 0.05): the tips stick, the mug turns about the line through them.
  for (int i = 0; i <= 40; ++i) {
    ContactProblem p;
    p.M.resize(6, 6);
    p.M << 0.35, 0, 0, 0, 0.0175, 0,                   //
        0, 0.35, 0, -0.0175, 0, 0.00275,               //
        0, 0, 0.35, 0, -0.00275, 0,                    //
        0, -0.0175, 0, 0.001380416667, 0, -0.0001375,  //
        0.0175, 0, -0.00275, 0, 0.001535, 0,           //
        0, 0.00275, 0, -0.0001375, 0, 0.000635416667;
    p.F.resize(6);
    p.F << 0, 0, 0.35 * 9.81, 0, -0.00275 * 9.81, 0;
    p.J.resize(0, 6);
    const double z = 0.0025 * i;
    add_contact(p, {0, -0.04, z}, Eigen::Vector3d::UnitY(), 0.6);
    add_contact(p, {0, 0.04, z}, -Eigen::Vector3d::UnitY(), 0.6);
    expect(p, Verdict::kHolds, i);
  }
}

TEST_P(Degenerate, FrictionlessContacts)
{
  Rng rng{5};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 1 + i % 9, 0.8);
    for (Contact& c : p.contacts) c.mu = 0.0;
    make_holding(rng, p);
    expect(p, Verdict::kHolds, i);
    // a sideways load on a flat frictionless floor
    ContactProblem floor = free_body(rng);
    for (int k = 0; k < 3 + i % 4; ++k)
      add_contact(floor, {uniform(rng, -1, 1), uniform(rng, -1, 1), 0}, Eigen::Vector3d::UnitZ(), 0.0);
    make_holding(rng, floor);
    expect(floor, Verdict::kHolds, i);
    floor.F[0] += uniform(rng, 1e-3, 1.0);
    expect(floor, Verdict::kFails, i);
  }
}

TEST_P(Degenerate, NoLoad)
{
  Rng rng{6};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, i % 7, 2.0);
    expect(p, Verdict::kHolds, i);
  }
}

TEST_P(Degenerate, OpposingContactsHoldAnyLoadBetweenThem)
{
  Rng rng{7};
  for (int i = 0; i < draws; ++i) {
    // Four pairs of opposed contacts in general position: force closure. The load is balanced by internal forces alone.
    ContactProblem p = free_body(rng);
    for (int k = 0; k < 4; ++k) {
      const Eigen::Vector3d n = gaussian(rng, 3), point = gaussian(rng, 3);
      add_contact(p, point, n, 0.5);
      add_contact(p, point + 0.3 * n.normalized(), -n, 0.5);
    }
    p.F = gaussian(rng, 6);
    options.rules.detachment = Detachment::kForbidden;
    expect(p, Verdict::kHolds, i);
  }
}

TEST_P(Degenerate, FourLeggedTable)
{
  Rng rng{8};
  for (int i = 0; i < draws; ++i) {
    const double a = uniform(rng, 0.2, 1), b = uniform(rng, 0.2, 1), mu = uniform(rng, 0.1, 1),
                 h = uniform(rng, 0.1, 1);
    ContactProblem p = free_body(rng);
    for (double x : {-a, a})
      for (double y : {-b, b}) add_contact(p, {x, y, -h}, Eigen::Vector3d::UnitZ(), mu);
    // F is minus the applied load: weight at the origin, a horizontal push at the centre
    const double weight = p.M(0, 0) * 9.81, angle = uniform(rng, 0, 6.3);
    const double slide = mu * weight;
    const double tip = weight / h * std::min(a / std::abs(std::cos(angle)), b / std::abs(std::sin(angle)));
    for (double factor : {0.5, 0.999, 1.001, 2.0}) {
      const double push = factor * std::min(slide, tip);
      p.F << -push * std::cos(angle), -push * std::sin(angle), weight, 0, 0, 0;
      options.rules.detachment = Detachment::kForbidden;
      expect(p, factor < 1 ? Verdict::kHolds : Verdict::kFails, i);
    }
    if (native) {
      StickingOptions all = options;
      all.largest_slack = true;
      p.F << 0, 0, weight, 0, 0, 0;
      StickingResult r = checker.check(p, all);
      ASSERT_EQ(r.verdict, Verdict::kHolds) << r.reason;
      EXPECT_EQ(r.indeterminacy, 6);
      EXPECT_FALSE(r.contacts[0].unique);
      EXPECT_NEAR(r.slack, weight / 4, 1e-5 * weight);
    }
  }
}

TEST_P(Degenerate, SingularMass)
{
  Rng rng{9};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 3 + i % 4, 1.0);
    // rank one to five
    const Eigen::MatrixXd B = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, 30).data(), 6, 5).leftCols(1 + i % 5);
    p.M = B * B.transpose();
    const bool holds = i % 2;
    if (!make_either(rng, p, holds)) continue;
    // Where M has rank one and hardly any inertia about one axis, 1e-7 of the largest, it takes a motion without
    // inertia (1040, 1730, 1920).
    expect(p, holds ? Verdict::kHolds : Verdict::kFails, i);
  }
}

TEST_P(Degenerate, MasslessLink)
{
  // A massless slider between a mass and the ground (coordinates: mass z, slider z): the slider only passes forces on.
  Rng rng{10};
  for (int i = 0; i < draws; ++i) {
    const double m = uniform(rng, 0.1, 10), mu = uniform(rng, 0.1, 1), weight = 9.81 * m;
    ContactProblem p;
    p.M = Eigen::Vector4d(m, m, 0, 0).asDiagonal();  // mass (x, z), slider (x, z)
    p.J.resize(4, 4);
    p.J << 0, 1, 0, -1,  // mass on slider: normal, tangent
        1, 0, -1, 0,     //
        0, 0, 0, 1,      // slider on ground
        0, 0, 1, 0;
    p.gamma.setZero(4);
    for (int k = 0; k < 2; ++k) {
      Contact c;
      c.name = k ? "ground" : "seat";
      c.row = 2 * k;
      c.tangents = 1;
      c.mu = k ? mu : 2 * mu;
      p.contacts.push_back(c);
    }
    const double factor = i % 2 ? uniform(rng, 0, 0.99) : uniform(rng, 1.01, 1.9);
    p.F = Eigen::Vector4d(-factor * mu * weight, weight, 0, 0);
    expect(p, factor < 1 ? Verdict::kHolds : Verdict::kFails, i);
    // nothing balances a force on a massless slider that no contact touches
    ContactProblem loose = p;
    loose.J.row(3).setZero();
    loose.J.row(1) << 1, 0, 0, 0;
    loose.F[2] = 1.0;
    expect(loose, Verdict::kFails, i);
  }
}

TEST_P(Degenerate, InconsistentBilateralRows)
{
  Rng rng{11};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 2 + i % 3, 1.0);
    const auto row = p.J.rows();
    p.J.conservativeResize(row + 2, 6);
    p.J.row(row) = gaussian(rng, 6).transpose();
    p.J.row(row + 1) = 2.0 * p.J.row(row);
    p.gamma.conservativeResize(row + 2);
    p.gamma[row] = 1.0;
    p.gamma[row + 1] = i % 2 ? 2.0 : 2.5;
    p.loops = {{"loop", static_cast<int>(row), 2}};
    p.contacts.clear();  // closures only: either consistent or a contradiction
    p.J = p.J.bottomRows(2).eval();
    p.gamma = p.gamma.tail(2).eval();
    p.loops[0].row = 0;
    p.F = gaussian(rng, 6);
    StickingResult r;
    checker.check(p, options, r);
    ASSERT_EQ(r.verdict, i % 2 ? Verdict::kHolds : Verdict::kFails) << i << r.reason;
    if (i % 2 == 0) {
      ASSERT_EQ(r.certificate.kind, CertificateKind::kContradiction);
    }
  }
}

TEST_P(Degenerate, AllContactsBilateral)
{
  Rng rng{12};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 1 + i % 5, 2.0, Side::kBilateral);
    make_holding(rng, p);
    expect(p, Verdict::kHolds, i);
  }
}

TEST_P(Degenerate, OneBilateralContactPullsOrPushes)
{
  // One contact: the force is what it is; the double cone decides.
  Rng rng{13};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 1, 2.0, Side::kBilateral);
    const Contact& c = p.contacts[0];
    const double normal = uniform(rng, 0.1, 2) * (i % 2 ? 1 : -1),
                 share = i % 4 < 2 ? uniform(rng, 0, 0.99) : uniform(rng, 1.01, 3);
    const double angle = uniform(rng, 0, 6.3), t = share * c.mu * std::abs(normal);
    p.F = p.J.transpose() * Eigen::Vector3d(normal, t * std::cos(angle), t * std::sin(angle));
    expect(p, share < 1 ? Verdict::kHolds : Verdict::kFails, i);
  }
}

TEST_P(Degenerate, OtherUnits)
{
  Rng rng{14};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 2 + i % 6, 1.0);
    const bool holds = i % 2;
    if (!make_either(rng, p, holds)) continue;
    const double length = i % 3 ? 1e6 : 1e-6, mass = i % 5 ? 1e-6 : 1e6;
    expect(in_units(p, length, mass), holds ? Verdict::kHolds : Verdict::kFails, i);
  }
}

TEST_P(Degenerate, ManyContacts)
{
  Rng rng{15};
  const int affordable = native ? draws : testing::trials(20);  // qpOASES takes a second for 200 contacts
  for (int i = 0; i < affordable; ++i) {
    ContactProblem p = random_contacts(rng, 1 + (i * 7) % 200, i % 3 ? 0.2 : 3.0);
    const bool holds = i % 2;
    if (!make_either(rng, p, holds)) continue;
    expect(p, holds ? Verdict::kHolds : Verdict::kFails, i);
  }
}

TEST_P(Degenerate, RotatedAndPermuted)
{
  Rng rng{16};
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_contacts(rng, 2 + i % 6, 1.0);
    const bool holds = i % 2;
    if (!make_either(rng, p, holds)) continue;
    Eigen::Matrix<double, 6, 6> X = Eigen::Matrix<double, 6, 6>::Zero();
    const Eigen::Matrix3d R = Eigen::Quaterniond::UnitRandom().toRotationMatrix();
    X.topLeftCorner<3, 3>() = X.bottomRightCorner<3, 3>() = R;
    ContactProblem q = p;
    q.M = X * p.M * X.transpose();
    q.M = (0.5 * (q.M + q.M.transpose())).eval();
    q.F = X * p.F;
    std::vector<int> order(p.contacts.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), rng);
    for (size_t k = 0; k < order.size(); ++k) {
      q.contacts[k] = p.contacts[order[k]];
      q.contacts[k].row = static_cast<int>(3 * k);
      q.J.middleRows(3 * k, 3) = p.J.middleRows(3 * order[k], 3) * X.transpose();
    }
    expect(q, holds ? Verdict::kHolds : Verdict::kFails, i);
  }
}

/// A body of one kilogram on a level ring of so many points around its centre, pushed sideways.
ContactProblem body_on_ring(int points, double push)
{
  Rng rng{1};
  ContactProblem p = testing::free_body(rng);
  p.M = Eigen::MatrixXd::Identity(6, 6);
  p.F << -push, 0.0, 9.81, 0.0, 0.0, 0.0;
  for (int k = 0; k < points; ++k) {
    const double angle = 2.0 * M_PI * k / points;
    add_contact(p, {std::cos(angle), std::sin(angle), -0.1}, Eigen::Vector3d::UnitZ(), 0.5);
  }
  p.gamma.setZero(p.rows());
  return p;
}

/// Two of the points carry it: rows in which only rounding is carried then keep a proof away.
TEST(Ring, OfManyPointsIsDecided)
{
  StickingChecker checker;
  EquilibriumChecker at_rest;
  for (const int points : {330, 350, 400, 520, 590, 597}) {
    const StickingResult holds = checker.check(body_on_ring(points, 0.0));
    EXPECT_EQ(holds.verdict, Verdict::kHolds) << points << ": " << holds.reason;
    EXPECT_TRUE(holds.strict) << points;
    EXPECT_EQ(at_rest.check(body_on_ring(points, 4.0)).verdict, Verdict::kHolds) << points;
    const StickingResult pushed = checker.check(body_on_ring(points, 4.0));
    EXPECT_EQ(pushed.verdict, Verdict::kHolds) << points << ": " << pushed.reason;
    const StickingResult slides = checker.check(body_on_ring(points, 9.0));
    ASSERT_EQ(slides.verdict, Verdict::kFails) << points << ": " << slides.reason;
    EXPECT_EQ(slides.failure.cause, FailureCause::kFriction) << points;  // it would tip at 98.1 N only
  }
}

TEST(Ring, OfFourHundredPointsHasItsLeastFriction)
{
  StickingOptions options;
  options.margins = true;
  for (const double push : {4.0, 9.0}) {
    const StickingResult result = StickingChecker().check(body_on_ring(400, push), options);
    ASSERT_EQ(result.friction_scale.state, Margin::State::kKnown) << push;
    EXPECT_NEAR(result.friction_scale.upper, push / 9.81 / 0.5, 3e-4) << push;
  }
}

/// Friction of single contacts is looked for at the first ones only, and that is said.
TEST(Ring, RepairsAreBounded)
{
  StickingOptions options;
  options.repairs = true;
  const StickingResult slides = StickingChecker().check(body_on_ring(100, 9.0), options);
  ASSERT_EQ(slides.verdict, Verdict::kFails);
  EXPECT_EQ(slides.frictions_not_tried, 36);
  EXPECT_LE(slides.repairs.size(), 66u);
}

}  // namespace
}  // namespace stiction
