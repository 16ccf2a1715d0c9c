// What one judge tolerates the other has to charge: problems that hold by nothing but a tolerance, each made for one of
// them, and the best proof of the opposite, which must not count; and the same a little further on, where it must.
#include <gtest/gtest.h>

#include "proof/examples.hpp"
#include "proof/scales.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using namespace examples;
using internal::kStaticForces;

/// Degrees of freedom of one body: rounding of a contact's axes is felt by all of them.
ContactProblem one_body(const Eigen::VectorXd& inertia, const Eigen::VectorXd& F)
{
  ContactProblem p = examples::system(inertia, F);
  for (int j = 0; j < static_cast<int>(F.size()); ++j) p.dofs.push_back({"body", "", j, static_cast<int>(F.size())});
  return p;
}

/// A load of 1 N between walls that press against each other with `squeeze` N, and another that is lifted by `lift` N,
/// for which no force is there but rounding of the walls' axes.
struct Squeezed {
  ContactProblem p;
  Eigen::VectorXd lambda;  ///< holds, by rounding
  Eigen::VectorXd y;       ///< "fails"
  Eigen::VectorXd gauss;   ///< multipliers that balance the loads when a floor may pull; empty: nothing does
};

Squeezed by_walls(double lift, double squeeze)
{
  Squeezed s{one_body(vec({1, 1}), vec({1, -lift})), vec({squeeze + 1, squeeze, 0}), vec({0, -1}), vec({1, 0, -lift})};
  add_contact(s.p, "left", 0.0, {vec({1, 0})});
  add_contact(s.p, "right", 0.0, {vec({-1, 0})});
  add_contact(s.p, "floor", 0.0, {vec({0, 1})});
  return s;
}

/// Normal forces of a thousandth, with friction of 1000.
Squeezed by_friction(double lift, double squeeze)
{
  const double press = 1.01e-3 * squeeze;
  Squeezed s{one_body(vec({1, 1, 1}), vec({0, 1, -lift})), vec({press, squeeze, press, 1 - squeeze, 0}),
             vec({0, 0, -1}), vec({0, 1, 0, 0, -lift})};
  add_contact(s.p, "left", 1000.0, {vec({1, 0, 0}), vec({0, 1, 0})});
  add_contact(s.p, "right", 1000.0, {vec({-1, 0, 0}), vec({0, 1, 0})});
  add_contact(s.p, "floor", 0.0, {vec({0, 0, 1})});
  return s;
}

/// Normal forces and friction as large as each other: nearly twice as much is off.
Squeezed by_both(double lift, double squeeze)
{
  Squeezed s = by_friction(1.9 * lift, squeeze);
  s.lambda[0] = s.lambda[2] = squeeze;
  return s;
}

/// Soft fingers turn two wheels against each other, with moments that cancel; a load turns both the same way.
Squeezed by_torsion(double lift, double squeeze)
{
  Squeezed s{one_body(vec({1, 1, 1}), vec({1, -lift, -lift})),
             vec({squeeze + 1, squeeze, squeeze, -squeeze}),
             vec({0, -1, -1}),
             {}};
  for (const double side : {1.0, -1.0}) {
    add_contact(s.p, side > 0 ? "left" : "right", 0.0, {vec({side, 0, 0})});
    append_rows(s.p, {vec({0, 1, -1})});
    s.p.contacts.back().torsional = true;
    s.p.contacts.back().torsion = 1.0;
  }
  return s;
}

/// The same with rods.
Squeezed by_closures(double lift, double squeeze)
{
  Squeezed s{one_body(vec({1, 1, 1}), vec({1, -lift, -lift})), vec({1, squeeze, -squeeze}), vec({0, -1, -1}), {}};
  add_closure(s.p, "hold", {vec({1, 0, 0})});
  add_closure(s.p, "push", {vec({0, 1, -1})});
  add_closure(s.p, "pull", {vec({0, 1, -1})});
  return s;
}

using Make = Squeezed (*)(double lift, double squeeze);

class Tolerances : public ::testing::TestWithParam<Make> {
 protected:
  const double most = 0.9 * kStaticForces;  ///< nearly the largest forces that a verdict is about
  const double little = 2e-8;               ///< below what they may be off by, 2 * 2^18 * 2^-44
  const double much = 1e-6;                 ///< above

  static Verdict equilibrium(const Squeezed& s, const Certificate& c)
  {
    return judge_equilibrium(s.p, Eigen::VectorXd::Zero(s.p.nv()), ConeShape::exact(), c);
  }
  static Certificate yes(const Squeezed& s) { return forces(Eigen::VectorXd::Zero(s.p.nv()), s.lambda); }
  static Certificate no(const Squeezed& s)
  {
    return motion(s.p, Eigen::VectorXd::Zero(s.p.nv()), s.gauss.size() > 0 ? s.gauss : s.lambda, s.y);
  }
};

INSTANTIATE_TEST_SUITE_P(OfAxes, Tolerances,
                         ::testing::Values(by_walls, by_friction, by_torsion, by_closures, by_both));

TEST_P(Tolerances, AreChargedInEquilibrium)
{
  const Squeezed holds = GetParam()(little, most), fails = GetParam()(much, most);
  EXPECT_EQ(equilibrium(holds, yes(holds)), Verdict::kHolds);
  EXPECT_EQ(equilibrium(holds, no(holds)), Verdict::kUndecided);
  EXPECT_EQ(equilibrium(fails, yes(fails)), Verdict::kUndecided);
  EXPECT_EQ(equilibrium(fails, no(fails)), Verdict::kFails);
}

TEST_P(Tolerances, AreChargedInSticking)
{
  const Squeezed holds = GetParam()(little, most), fails = GetParam()(much, most);
  EXPECT_EQ(judge(holds.p, kForbidden, yes(holds)), Verdict::kHolds);
  EXPECT_EQ(judge(holds.p, kForbidden, no(holds)),
            Verdict::kUndecided);  // solutions at rest may have larger forces than moving ones
  EXPECT_EQ(judge(fails.p, kForbidden, yes(fails)), Verdict::kUndecided);
  const bool may_turn = fails.gauss.size() == 0;  // then it sticks and accelerates
  EXPECT_EQ(judge(fails.p, kForbidden, no(fails)), may_turn ? Verdict::kUndecided : Verdict::kFails);
}

TEST_P(Tolerances, AreChargedWhereNothingHasInertia)
{
  for (const double lift : {little, much}) {
    Squeezed s = GetParam()(lift, most);
    for (Eigen::Index j = 0; j < s.p.nv(); ++j)
      if (s.y[j] != 0.0) s.p.M(j, j) = 0.0;
    const Certificate falls{CertificateKind::kUnbalanced, -s.y, {}, {}};
    EXPECT_EQ(judge(s.p, kAllowed, yes(s)), lift < much ? Verdict::kHolds : Verdict::kUndecided);
    EXPECT_EQ(judge(s.p, kAllowed, falls), lift < much ? Verdict::kUndecided : Verdict::kFails);
  }
}

TEST_P(Tolerances, GrowNoFurtherThanTheLargestForces)
{
  // Four times the largest forces would hold this, and are not what a verdict is about.
  const Squeezed s = GetParam()(4 * little, 4 * most);
  EXPECT_EQ(equilibrium(s, yes(s)), Verdict::kUndecided);
  EXPECT_EQ(equilibrium(s, no(s)), Verdict::kFails);
  EXPECT_EQ(judge(s.p, kForbidden, yes(s)), Verdict::kUndecided);
}

TEST_P(Tolerances, CountForcesByTheLoadsInMotion)
{
  // Beside them something accelerates: forces up to 2^12 of the load, each with the tolerance of twice the load at the
  // most.
  for (const double lift : {1e-13, 1e-10}) {
    Squeezed s = GetParam()(lift, 4000.0);
    const Eigen::Index n = s.p.nv();
    ContactProblem p = one_body(Eigen::VectorXd::Ones(n + 1), Eigen::VectorXd::Ones(n + 1));
    p.F.head(n) = s.p.F;
    p.J.setZero(s.p.rows(), n + 1);
    p.J.leftCols(n) = s.p.J;
    p.gamma = s.p.gamma;
    p.contacts = s.p.contacts;
    p.loops = s.p.loops;
    Eigen::VectorXd a = Eigen::VectorXd::Zero(n + 1);
    a[n] = -1.0;
    EXPECT_EQ(judge(p, kForbidden, forces(a, s.lambda)), lift < 1e-12 ? Verdict::kHolds : Verdict::kUndecided) << lift;
    s.lambda *= 1.1;  // beyond 2^12
    EXPECT_EQ(judge(p, kForbidden, forces(a, s.lambda)), Verdict::kUndecided);
  }
}

TEST(Tolerances, OfAxesReachWhatTheirContactReaches)
{
  // by_walls with degrees of freedom enough for several bodies, in one part: the walls do not reach what is lifted.
  const double lift = 2e-8, squeeze = 0.9 * kStaticForces;
  const auto q = [](std::initializer_list<double> first) {
    Eigen::VectorXd v = Eigen::VectorXd::Zero(7);
    v.head(static_cast<Eigen::Index>(first.size())) = vec(first);
    return v;
  };
  ContactProblem p = one_body(Eigen::VectorXd::Ones(7), q({1, -lift}));
  p.M(0, 1) = p.M(1, 0) = 0.5;
  add_contact(p, "left", 0.0, {q({1})});
  add_contact(p, "right", 0.0, {q({-1})});
  add_contact(p, "floor", 0.0, {q({0, 1})});
  const Certificate yes = forces(q({}), vec({squeeze + 1, squeeze, 0})),
                    no = motion(p, q({}), vec({1, 0, 0}), q({0, -1}));
  EXPECT_EQ(judge_equilibrium(p, q({}), ConeShape::exact(), yes), Verdict::kUndecided);
  EXPECT_EQ(judge_equilibrium(p, q({}), ConeShape::exact(), no), Verdict::kFails);
}

TEST(Tolerances, OfLoadsAreChargedInEquilibrium)
{
  // One smooth contact pushes two sliders apart; their loads differ by a few roundings. The motion clears the contact
  // by just more than its axis is known.
  for (const double apart : {3 * kRounding, 30 * kRounding}) {
    ContactProblem p = one_body(vec({1, 1}), vec({1, -1 + apart}));
    add_contact(p, "between", 0.0, {vec({1, -1})});
    const Eigen::VectorXd zero = vec({0, 0}), lambda = vec({1 - apart / 2}), y = vec({1, 1 + 2.25 * kRounding});
    const bool holds = apart < 10 * kRounding;
    EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), forces(zero, lambda)),
              holds ? Verdict::kHolds : Verdict::kUndecided);
    EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), motion(p, zero, lambda, y)),
              holds ? Verdict::kUndecided : Verdict::kFails);
  }
}

TEST(Tolerances, OfRowsAreChargedInContradictions)
{
  // Two pins of one slider contradict each other by 2e-14 m/s^2 while another slider follows a drift of 1 m/s^2.
  for (const double gap : {2e-14, 1e-9}) {
    ContactProblem p = one_body(vec({0, 0}), vec({0, 0}));
    add_closure(p, "a", {vec({1, 0})});
    add_closure(p, "b", {vec({1, 0})});
    add_closure(p, "drifts", {vec({0, 1})});
    p.gamma << 0, gap, 1;
    const Certificate between = forces(vec({-gap / 2, -1}), vec({0, 0, 0}));
    const Certificate contradiction{CertificateKind::kContradiction, {}, vec({1, -1, 0}), {}};
    EXPECT_EQ(judge(p, kAllowed, between), gap < 1e-12 ? Verdict::kHolds : Verdict::kUndecided);
    EXPECT_EQ(judge(p, kAllowed, contradiction), gap < 1e-12 ? Verdict::kUndecided : Verdict::kFails);
  }
}

TEST(Tolerances, OfContradictionsAreChargedWithTheLargestAccelerations)
{
  // Rows that differ by a rounding have a common solution far away: 15 of 16 times the acceleration that the drift asks
  // for.
  const double differ = 8 * internal::kAtRest;
  ContactProblem p = one_body(vec({0, 0, 0}), vec({0, 0, 0}));
  add_closure(p, "a", {vec({1, 1, 0})});
  add_closure(p, "b", {vec({1, 1 + differ, 0})});
  add_closure(p, "drifts", {vec({0, 0, 1})});
  p.gamma << 0, 15 * differ, 1;
  const Certificate contradiction{CertificateKind::kContradiction, {}, vec({1, -1, 0}), {}};
  EXPECT_EQ(judge(p, kAllowed, forces(vec({15, -15, -1}), vec({0, 0, 0}))), Verdict::kHolds);
  EXPECT_EQ(judge(p, kAllowed, contradiction), Verdict::kUndecided);
  p.gamma << 0, 150 * differ, 1;  // further away than accelerations are considered
  EXPECT_EQ(judge(p, kAllowed, forces(vec({150, -150, -1}), vec({0, 0, 0}))), Verdict::kUndecided);
  EXPECT_EQ(judge(p, kAllowed, contradiction), Verdict::kFails);
}

TEST(Tolerances, OfInertiaAreChargedWithTheLargestAccelerations)
{
  // A root of 2^-43 kg under 1 kg in relative coordinates takes nearly the largest acceleration; M d = 0 to rounding.
  const double root = 0x1p-43, fast = 3968;
  ContactProblem p = one_body(vec({1 + root, 1}), vec({-(1 + root * fast), -1}));
  p.M(0, 1) = p.M(1, 0) = 1;
  EXPECT_EQ(judge(p, kAllowed, forces(vec({fast, 1 - fast}), Eigen::VectorXd(0))), Verdict::kHolds);
  EXPECT_EQ(judge(p, kAllowed, {CertificateKind::kUnbalanced, vec({1, -1}), {}, {}}), Verdict::kUndecided);
}

// ---------------------------------------------------------------------------------------------- systems that move
//
// A weight of 10 N on the floor, pushed sideways by what friction of 0.5 carries and a little more; q = (x, z, moves,
// ...). Something moves with 1 m/s^2, which makes 2^-46 m/s^2 of every row rest, and a heavy x makes that a force.

constexpr double kWeightOf = 10.0, kFriction = 0.5, kClearOfRim = 1e-12, kRow = 0.95 * internal::kAtRest;

struct Pushed {
  ContactProblem p;
  Certificate yes, no;

  Pushed(const Eigen::VectorXd& inertia, Eigen::Index more)
  {
    const Eigen::Index n = 3 + more;
    p = one_body(inertia, Eigen::VectorXd::Zero(n));
    p.F[1] = kWeightOf;
    add_contact(p, "floor", kFriction, {Eigen::VectorXd::Unit(n, 1), Eigen::VectorXd::Unit(n, 0)});
  }

  /// After its other rows: q2 follows a drift.
  void follow_drift()
  {
    add_closure(p, "drifts", {Eigen::VectorXd::Unit(p.nv(), 2)});
    p.gamma[p.rows() - 1] = 1.0;
    certify(-1.0);
    yes.lambda[p.rows() - 1] = no.lambda[p.rows() - 1] = -p.M(2, 2);
  }

  /// The same: q2 leaves its contact, which asks for no forces anywhere.
  void leave()
  {
    p.F[2] = -p.M(2, 2);
    add_contact(p, "leaves", 0.0, {Eigen::VectorXd::Unit(p.nv(), 2)});
    certify(1.0);
  }

  void certify(double moves)
  {
    Eigen::VectorXd a = Eigen::VectorXd::Zero(p.nv()), y = Eigen::VectorXd::Zero(p.nv()),
                    lambda = Eigen::VectorXd::Zero(p.rows());
    a[2] = moves;
    lambda[0] = kWeightOf;
    yes = forces(a, lambda);
    yes.lambda[1] = kFriction * kWeightOf;
    y[0] = 1.0;
    y[1] = -(kFriction * std::abs(p.J(1, 0)) + kClearOfRim);
    no = motion(p, a, lambda, y);
  }

  void expect(bool holds) const
  {
    std::string why;
    EXPECT_EQ(judge(p, kAllowed, yes, &why), holds ? Verdict::kHolds : Verdict::kUndecided) << why;
    EXPECT_EQ(judge(p, kAllowed, no, &why), holds ? Verdict::kUndecided : Verdict::kFails) << why;
  }
};

TEST(MovingTolerances, OfRowsTimesInertiaAreCharged)
{
  const double mass = 0x1p40;
  for (const double factor : {1.0, 50.0}) {
    Pushed s(vec({mass, 1, 1}), 0);
    const double push = mass * factor * kRow;  // carried by inertia, while the row is at rest
    s.p.F[0] = kFriction * kWeightOf + push;
    s.leave();
    s.yes.a[0] = -factor * kRow;
    s.no.lambda[1] = s.p.F[0];
    s.expect(factor < 2);
  }
}

TEST(MovingTolerances, OfObliqueRowsAddUp)
{
  // A second row holds another direction, at a tenth of a right angle: x moves by both tolerances, ten times.
  const double mass = 0x1p40, across = 0.1;
  for (const double factor : {1.0, 50.0}) {
    Pushed s(vec({mass, 1, 1, mass}), 1);
    s.p.J.row(1) << across, 0, 0, 1;
    add_closure(s.p, "holds", {vec({0, 0, 0, 1})});
    const double moved = factor * 2 * kRow / across;
    s.p.F[0] = across * kFriction * kWeightOf + mass * moved;
    s.leave();
    s.yes.a[0] = -moved;
    s.yes.a[3] = factor * kRow;
    s.yes.lambda[2] = mass * s.yes.a[3] - kFriction * kWeightOf;
    s.no.lambda[1] = s.p.F[0] / across;
    s.no.lambda[2] = -s.no.lambda[1];
    s.expect(factor < 2);
  }
}

TEST(MovingTolerances, OfNearlyDependentRowsMoveWhatIsBetweenThem)
{
  // Two rods hold q3 and q4, nearly along each other: q4 moves by both tolerances over 5e-4 and drags x along.
  const double mass = 0x1p30, apart = 5e-4;
  Pushed s(vec({mass, 1, 1, mass, mass}), 2);
  s.p.M(0, 4) = s.p.M(4, 0) = mass / 2;
  add_closure(s.p, "one", {vec({0, 0, 0, 1, 0})});
  add_closure(s.p, "other", {vec({0, 0, 0, 1, apart})});
  const double moved = 2 * kRow / apart;
  s.p.F[0] = kFriction * kWeightOf + mass / 2 * moved;
  s.leave();
  s.yes.a[3] = kRow;
  s.yes.a[4] = -moved;
  s.yes.lambda[3] = -mass * moved / apart;
  s.yes.lambda[2] = mass * kRow - s.yes.lambda[3];
  s.no.lambda[1] = s.p.F[0];
  s.expect(true);
}

TEST(MovingTolerances, ARowThatACertificateForgets)
{
  // A pin holds q3 against 1 N. A certificate without the pin's force lets q3 go, and its inertia pushes x beyond
  // friction.
  Pushed s(vec({1, 1, 1, 1}), 1);
  s.p.M(0, 3) = s.p.M(3, 0) = 0.5;
  add_closure(s.p, "pin", {vec({0, 0, 0, 1})});
  s.p.F << 0.98 * kFriction * kWeightOf, kWeightOf, 0, -1.0;
  s.follow_drift();
  s.yes.lambda[1] = s.p.F[0];
  s.yes.lambda[2] = -1.0;
  s.no.a[3] = 1.0;
  s.no.lambda[1] = s.p.F[0] + 0.5;
  s.expect(true);
}

TEST(MovingTolerances, AContactThatACertificateLetsPushWhileItLeaves)
{
  // q3 leaves its contact with 1 m/s^2. With a force there all the same it leaves faster and drags x beyond friction.
  Pushed s(vec({1, 1, 1, 1}), 1);
  s.p.M(0, 3) = s.p.M(3, 0) = 0.5;
  add_contact(s.p, "leaves", 0.0, {vec({0, 0, 0, 1})});
  s.p.F << 0.9 * kFriction * kWeightOf - 0.5, kWeightOf, 0, -1.0;
  s.follow_drift();
  s.yes.a[3] = 1.0;
  s.yes.lambda[1] = s.p.F[0] + 0.5;
  s.no.a[3] = 6.0;
  s.no.lambda[2] = 5.0;
  s.no.lambda[1] = s.p.F[0] + 3.0;
  s.expect(true);
}

TEST(MovingTolerances, ALoadWithoutInertiaThatACertificateForgets)
{
  // A massless q4 pulls q3 along by a rod, and the inertia of q3 relieves x. A certificate without the rod's force
  // leaves q3 where it is.
  Pushed s(vec({1, 1, 1, 1, 0}), 2);
  s.p.M(0, 3) = s.p.M(3, 0) = -0.5;
  add_closure(s.p, "rod", {vec({0, 0, 0, 1, -1})});
  s.p.F << 1.08 * kFriction * kWeightOf, kWeightOf, 0, 0, -1.0;
  s.follow_drift();
  s.yes.a[3] = s.yes.a[4] = 1.0;
  s.yes.lambda[1] = s.p.F[0] - 0.5;
  s.yes.lambda[2] = 1.0;
  s.no.lambda[1] = s.p.F[0];
  s.expect(true);
}

TEST(MovingTolerances, AContactThatACertificateLetsGo)
{
  // A rough pad under 0.05 N holds 1 N sideways. A certificate that misses the balance by as little lets it go.
  ContactProblem p = one_body(vec({1, 1, 1}), vec({1, 0.05, 0}));
  add_contact(p, "pad", 100.0, {vec({0, 1, 0}), vec({1, 0, 0})});
  add_closure(p, "drifts", {vec({0, 0, 1})});
  p.gamma[2] = 1.0;
  EXPECT_EQ(judge(p, kAllowed, forces(vec({0, 0, -1}), vec({0.05, 1, -1}))), Verdict::kHolds);
  EXPECT_EQ(judge(p, kAllowed, motion(p, vec({0, 0.05, -1}), vec({0, 1, -1}), vec({1, 0, 0}))), Verdict::kUndecided);
}

TEST(MovingTolerances, SolutionsAtRestWithLargeForcesAreNotForgotten)
{
  // Gauss' principle lifts q3 with 2e-8 m/s^2, and x, coupled to it, slips. At rest rounding of the walls carries what
  // lifts it.
  const double lift = 2e-8, squeeze = 0.9 * kStaticForces;
  ContactProblem p =
      one_body(vec({0x1p54, 1, 1, 1}), vec({0.45, 1, 1, -lift}));  // x, z of the weight, between the walls, lifted
  p.M(0, 3) = p.M(3, 0) = 5e7;
  add_contact(p, "floor", 0.5, {vec({0, 1, 0, 0}), vec({1, 0, 0, 0})});
  add_contact(p, "left", 0.0, {vec({0, 0, 1, 0})});
  add_contact(p, "right", 0.0, {vec({0, 0, -1, 0})});
  add_contact(p, "below", 0.0, {vec({0, 0, 0, 1})});
  const Eigen::VectorXd rest = vec({0, 0, 0, 0}), lifted = vec({0, 0, 0, lift});
  const Certificate yes = forces(rest, vec({1, 0.45, squeeze + 1, squeeze, 0}));
  const Certificate no = motion(p, lifted, vec({1, 0.45 + 5e7 * lift, 1, 0, 0}), vec({1, -(0.5 + kClearOfRim), 0, 0}));
  EXPECT_EQ(judge(p, kAllowed, yes), Verdict::kHolds);
  EXPECT_EQ(judge(p, kAllowed, no), Verdict::kUndecided);
  p.F[3] = -1e-5;  // more than rounding carries
  Certificate faster = no;
  faster.a[3] = 1e-5;
  faster.lambda[1] = 0.45 + 5e7 * 1e-5;
  EXPECT_EQ(judge(p, kAllowed, yes), Verdict::kUndecided);
  EXPECT_EQ(judge(p, kAllowed, faster), Verdict::kFails);
}

}  // namespace
}  // namespace stiction
