// What one judge tolerates the other has to charge: problems that hold by nothing but a tolerance, each made for one of them, and the
// best proof of the opposite, which must not count; and the same a little further on, where it must.
#include <gtest/gtest.h>

#include "proof/examples.hpp"
#include "proof/scales.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using namespace examples;
using internal::kRelative;
using internal::kStaticForces;

const StickingRules kAllowed{}, kForbidden{ConeShape::exact(), Detachment::kForbidden};

/// A load of 1 N between walls that press against each other with `squeeze` N, and another that is lifted by `lift` N, for which no
/// force is there but rounding of the walls' axes.
struct Squeezed {
  ContactProblem p;
  Eigen::VectorXd lambda;   ///< holds, by rounding
  Eigen::VectorXd y;        ///< "fails"
  Eigen::VectorXd gauss;    ///< multipliers that balance the loads when a floor may pull; empty: nothing does
};

Squeezed by_walls(double lift, double squeeze)
{
  Squeezed s{system(vec({1, 1}), vec({1, -lift})), vec({squeeze + 1, squeeze, 0}), vec({0, -1}), vec({1, 0, -lift})};
  add_contact(s.p, "left", 0.0, {vec({1, 0})});
  add_contact(s.p, "right", 0.0, {vec({-1, 0})});
  add_contact(s.p, "floor", 0.0, {vec({0, 1})});
  return s;
}

/// Normal forces of a thousandth, with friction of 1000.
Squeezed by_friction(double lift, double squeeze)
{
  const double press = 1.01e-3 * squeeze;
  Squeezed s{system(vec({1, 1, 1}), vec({0, 1, -lift})), vec({press, squeeze, press, 1 - squeeze, 0}), vec({0, 0, -1}),
             vec({0, 1, 0, 0, -lift})};
  add_contact(s.p, "left", 1000.0, {vec({1, 0, 0}), vec({0, 1, 0})});
  add_contact(s.p, "right", 1000.0, {vec({-1, 0, 0}), vec({0, 1, 0})});
  add_contact(s.p, "floor", 0.0, {vec({0, 0, 1})});
  return s;
}

/// Soft fingers turn two wheels against each other, with moments that cancel; a load turns both the same way.
Squeezed by_torsion(double lift, double squeeze)
{
  Squeezed s{system(vec({1, 1, 1}), vec({1, -lift, -lift})), vec({squeeze + 1, squeeze, squeeze, -squeeze}), vec({0, -1, -1}), {}};
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
  Squeezed s{system(vec({1, 1, 1}), vec({1, -lift, -lift})), vec({1, squeeze, -squeeze}), vec({0, -1, -1}), {}};
  add_closure(s.p, "hold", {vec({1, 0, 0})});
  add_closure(s.p, "push", {vec({0, 1, -1})});
  add_closure(s.p, "pull", {vec({0, 1, -1})});
  return s;
}

using Make = Squeezed (*)(double lift, double squeeze);

class Tolerances : public ::testing::TestWithParam<Make> {
 protected:
  const double most = 0.9 * kStaticForces;   ///< nearly the largest forces that a verdict is about
  const double little = 2e-8;                ///< below what they may be off by, 2 * 2^18 * 2^-44
  const double much = 1e-6;                  ///< above

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

INSTANTIATE_TEST_SUITE_P(OfAxes, Tolerances, ::testing::Values(by_walls, by_friction, by_torsion, by_closures));

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
  EXPECT_EQ(judge(holds.p, kForbidden, no(holds)), Verdict::kUndecided);   // solutions at rest may have larger forces than moving ones
  EXPECT_EQ(judge(fails.p, kForbidden, yes(fails)), Verdict::kUndecided);
  const bool may_turn = fails.gauss.size() == 0;   // then it sticks and accelerates
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
  // Beside them something accelerates: forces up to 2^12 of the load, each with the tolerance of twice the load at the most.
  for (const double lift : {1e-13, 1e-10}) {
    Squeezed s = GetParam()(lift, 4000.0);
    const Eigen::Index n = s.p.nv();
    ContactProblem p = system(Eigen::VectorXd::Ones(n + 1), Eigen::VectorXd::Ones(n + 1));
    p.F.head(n) = s.p.F;
    p.J.setZero(s.p.rows(), n + 1);
    p.J.leftCols(n) = s.p.J;
    p.gamma = s.p.gamma;
    p.contacts = s.p.contacts;
    p.closures = s.p.closures;
    Eigen::VectorXd a = Eigen::VectorXd::Zero(n + 1);
    a[n] = -1.0;
    EXPECT_EQ(judge(p, kForbidden, forces(a, s.lambda)), lift < 1e-12 ? Verdict::kHolds : Verdict::kUndecided) << lift;
    s.lambda *= 1.1;   // beyond 2^12
    EXPECT_EQ(judge(p, kForbidden, forces(a, s.lambda)), Verdict::kUndecided);
  }
}

TEST(Tolerances, OfLoadsAreChargedInEquilibrium)
{
  // One smooth contact pushes two sliders apart; their loads differ by a few roundings. The motion clears the contact by just more than
  // its axis is known.
  for (const double apart : {3 * kRelative, 30 * kRelative}) {
    ContactProblem p = system(vec({1, 1}), vec({1, -1 + apart}));
    add_contact(p, "between", 0.0, {vec({1, -1})});
    const Eigen::VectorXd zero = vec({0, 0}), lambda = vec({1 - apart / 2}), y = vec({1, 1 + 2.25 * kRelative});
    const bool holds = apart < 10 * kRelative;
    EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), forces(zero, lambda)), holds ? Verdict::kHolds : Verdict::kUndecided);
    EXPECT_EQ(judge_equilibrium(p, zero, ConeShape::exact(), motion(p, zero, lambda, y)), holds ? Verdict::kUndecided : Verdict::kFails);
  }
}

TEST(Tolerances, OfRowsAreChargedInContradictions)
{
  // Two pins of one slider contradict each other by 2e-14 m/s^2 while another slider leaves its contact with 1 m/s^2.
  for (const double gap : {2e-14, 1e-9}) {
    ContactProblem p = system(vec({1, 1}), vec({0, -1}));
    add_contact(p, "leaves", 0.0, {vec({0, 1})});
    add_closure(p, "a", {vec({1, 0})});
    add_closure(p, "b", {vec({1, 0})});
    p.gamma << 0, 0, gap;
    const Certificate between = forces(vec({-gap / 2, 1}), vec({0, -gap / 2, 0}));
    const Certificate contradiction{CertificateKind::kContradiction, {}, vec({0, 1, -1}), {}};
    EXPECT_EQ(judge(p, kAllowed, between), gap < 1e-12 ? Verdict::kHolds : Verdict::kUndecided);
    EXPECT_EQ(judge(p, kAllowed, contradiction), gap < 1e-12 ? Verdict::kUndecided : Verdict::kFails);
  }
}

TEST(Tolerances, OfContradictionsAreChargedWithTheLargestAccelerations)
{
  // Rows that differ by a rounding have a common solution far away: 15 of 16 times the acceleration that the drift asks for.
  const double differ = 8 * internal::kAtRest;
  ContactProblem p = system(vec({0, 0, 0}), vec({0, 0, 0}));
  add_closure(p, "a", {vec({1, 1, 0})});
  add_closure(p, "b", {vec({1, 1 + differ, 0})});
  add_closure(p, "drifts", {vec({0, 0, 1})});
  p.gamma << 0, 15 * differ, 1;
  const Certificate contradiction{CertificateKind::kContradiction, {}, vec({1, -1, 0}), {}};
  EXPECT_EQ(judge(p, kAllowed, forces(vec({15, -15, -1}), vec({0, 0, 0}))), Verdict::kHolds);
  EXPECT_EQ(judge(p, kAllowed, contradiction), Verdict::kUndecided);
  p.gamma << 0, 150 * differ, 1;   // further away than accelerations are considered
  EXPECT_EQ(judge(p, kAllowed, forces(vec({150, -150, -1}), vec({0, 0, 0}))), Verdict::kUndecided);
  EXPECT_EQ(judge(p, kAllowed, contradiction), Verdict::kFails);
}

TEST(Tolerances, OfInertiaAreChargedWithTheLargestAccelerations)
{
  // A root of 2^-43 kg under 1 kg in relative coordinates takes nearly the largest acceleration; M d = 0 to rounding.
  const double root = 0x1p-43, fast = 3968;
  ContactProblem p = system(vec({1 + root, 1}), vec({-(1 + root * fast), -1}));
  p.M(0, 1) = p.M(1, 0) = 1;
  EXPECT_EQ(judge(p, kAllowed, forces(vec({fast, 1 - fast}), Eigen::VectorXd(0))), Verdict::kHolds);
  EXPECT_EQ(judge(p, kAllowed, {CertificateKind::kUnbalanced, vec({1, -1}), {}, {}}), Verdict::kUndecided);
}

}  // namespace
}  // namespace stiction
