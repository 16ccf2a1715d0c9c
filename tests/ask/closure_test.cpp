// Closure: the answers of the books, the boundary, proofs and their negative controls, numbers against brute force.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "stiction/closure.hpp"
#include "stiction/error.hpp"
#include "stiction/words.hpp"
#include "support/examples.hpp"
#include "support/grasps.hpp"

namespace stiction {
namespace {

using testing::finger;
using testing::from_wrenches;
using testing::gaussian;
using ::testing::HasSubstr;
using testing::make_grasp;
using testing::planar;
using testing::planar_finger;
using testing::random_fingers;
using testing::Rng;
using testing::uniform;

class GraspClosure : public ::testing::TestWithParam<const char*> {
 protected:
  ClosureChecker checker{make_engine(GetParam())};

  Verdict form(const Grasp& grasp) { return checked(grasp).form_closure.verdict; }
  Verdict frictional(const Grasp& grasp) { return checked(grasp).frictional_form_closure.verdict; }

  /// Every verdict must have come with a proof that the judge accepts again.
  ClosureResult checked(const Grasp& grasp)
  {
    ClosureResult result = checker.check(grasp);
    for (const auto& [kind, verdict] : {std::pair{ClosureKind::kForm, &result.form_closure},
                                        {ClosureKind::kFrictionalForm, &result.frictional_form_closure},
                                        {ClosureKind::kForce, &result.force_closure}})
      if (verdict->verdict != Verdict::kUndecided) {
        EXPECT_EQ(judge_closure(grasp, kind, verdict->proof), verdict->verdict);
        EXPECT_TRUE(verdict->reason.empty());
        EXPECT_FALSE(verdict->explanation.empty());
      } else {
        EXPECT_FALSE(verdict->reason.empty());
      }
    EXPECT_EQ(checker.closed(grasp), result.frictional_form_closure.verdict);
    return result;
  }

  Margin form_d(const Grasp& grasp)
  {
    ClosureOptions options;
    options.d = true;
    return checker.check(grasp, options).form_d;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, GraspClosure, ::testing::Values("native", "qpoases"),
                         [](const auto& engine) { return engine.param; });

void expect_near(const Margin& value, double truth, double tolerance = 1e-8)
{
  EXPECT_LE(value.lower, truth + 1e-12);
  EXPECT_GE(value.upper, truth - 1e-12);
  EXPECT_LE(value.upper - value.lower, tolerance);
}

TEST_P(GraspClosure, LynchAndParkExample12_7)
{
  Eigen::MatrixXd F(3, 4);
  F << 0, 0, -1, 2,  //
      -1, 0, 1, 0,   //
      0, -1, 0, 1;
  const Grasp grasp = from_wrenches(F);
  const ClosureResult result = checked(grasp);
  EXPECT_EQ(result.form_closure.verdict, Verdict::kHolds);
  const Eigen::VectorXd f = result.form_closure.proof.forces;
  EXPECT_TRUE((f / f[1]).isApprox(Eigen::Vector4d(2, 1, 2, 1), 1e-12)) << f.transpose();
  expect_near(form_d(grasp), 2.0 / 3.0);
}

TEST_P(GraspClosure, SquareIsClosedByOpposedPairsButNotByAPinwheel)
{
  const double a = 0.5;
  const Grasp closed = make_grasp({planar_finger(1, a, -1, 0), planar_finger(a, 1, 0, -1), planar_finger(-1, -a, 1, 0),
                                   planar_finger(-a, -1, 0, 1)},
                                  planar());
  EXPECT_EQ(form(closed), Verdict::kHolds);
  expect_near(form_d(closed), 1.0);
  const Grasp pinwheel = make_grasp({planar_finger(1, a, -1, 0), planar_finger(-a, 1, 0, -1),
                                     planar_finger(-1, -a, 1, 0), planar_finger(a, -1, 0, 1)},
                                    planar());
  EXPECT_EQ(form(pinwheel), Verdict::kFails);
  expect_near(form_d(pinwheel), 0.0);
}

TEST_P(GraspClosure, FourPlanarContactsFromTwoPoints)
{
  const auto four = [](const std::vector<Eigen::Vector2d>& p) {
    return make_grasp({planar_finger(p[0].x(), p[0].y(), 1, 0), planar_finger(p[1].x(), p[1].y(), 0, 1),
                       planar_finger(p[2].x(), p[2].y(), -1, 0), planar_finger(p[3].x(), p[3].y(), 0, -1)},
                      planar());
  };
  const Grasp closed = four({{-1, -2}, {-1, -2}, {1, 2}, {1, 2}});
  EXPECT_EQ(form(closed), Verdict::kHolds);
  expect_near(form_d(closed), 2.0 / 3.0);
  EXPECT_EQ(form(four({{-1, -1}, {0, -2}, {1, 1}, {0, 2}})), Verdict::kFails);
}

TEST_P(GraspClosure, PositiveDependenceWithoutRankIsNotClosure)
{
  const Grasp grasp =
      make_grasp({planar_finger(0, 1, 1, 0), planar_finger(1, 1, -1, -1), planar_finger(1, 0, 0, 1)}, planar());
  const ClosureResult result = checked(grasp);
  EXPECT_EQ(result.form_closure.verdict, Verdict::kFails);
  EXPECT_GT(form_d(grasp).lower, 0.5);                                  // d alone would have said yes
  EXPECT_EQ(result.form_closure.explanation, "free to turn about f2");  // where the three lines meet
}

Grasp unit_square(double mu, double c = 0.25, double h = 0.5)
{
  return make_grasp(
      {planar_finger(0, -0.5, 0, 1, mu), planar_finger(0.5, h - 0.5, -1, 0), planar_finger(c, 0.5, 0, -1)}, planar());
}

TEST_P(GraspClosure, LeastFrictionOfTheUnitSquareIsDecidedOnBothSidesAndNotAtTheBoundary)
{
  EXPECT_EQ(frictional(unit_square(0.5 - 1e-6)), Verdict::kFails);
  EXPECT_EQ(frictional(unit_square(0.5)), Verdict::kUndecided);
  EXPECT_EQ(frictional(unit_square(0.5 * (1 + 1e-12))), Verdict::kUndecided);
  EXPECT_EQ(frictional(unit_square(0.5 * (1 - 1e-12))), Verdict::kUndecided);
  EXPECT_EQ(frictional(unit_square(0.5 + 1e-6)), Verdict::kHolds);
  ClosureOptions options;
  options.minimal_friction = true;
  for (const double mu : {0.2, 0.5, 0.9}) {
    const ClosureResult result = checker.check(unit_square(mu), options);
    const Margin factor = result.friction_factor, first = result.contact_friction[0];
    ASSERT_EQ(factor.state, Margin::State::kKnown);
    ASSERT_EQ(first.state, Margin::State::kKnown);
    EXPECT_LE(factor.lower, 0.5 / mu * (1 + 1e-12));
    EXPECT_GE(factor.upper, 0.5 / mu * (1 - 1e-12));
    EXPECT_LT(factor.upper - factor.lower, 1e-6 * factor.upper);
    EXPECT_LE(first.lower, 0.5 + 1e-12);
    EXPECT_GE(first.upper, 0.5 - 1e-12);
    EXPECT_LT(first.upper - first.lower, 1e-6);
    // Both ends are what they say.
    EXPECT_EQ(frictional(unit_square(first.upper)), Verdict::kHolds);
    EXPECT_EQ(frictional(unit_square(first.lower)), Verdict::kFails);
  }
}

TEST_P(GraspClosure, TwoFingersNeedTheJoiningLineInsideBothCones)
{
  for (const auto& [a1, a2] : {std::pair{0.1, 0.3}, {0.4, -0.2}, {0.0, 0.35}}) {
    const double least = std::max(std::abs(std::tan(a1)), std::abs(std::tan(a2)));
    const auto plane = [&, a = a1, b = a2](double mu) {
      return make_grasp(
          {planar_finger(-1, 0, std::cos(a), std::sin(a), mu), planar_finger(1, 0, -std::cos(b), std::sin(b), mu)},
          planar());
    };
    const auto space = [&, a = a1, b = a2](double mu) {
      std::vector<GraspContact> contacts = {finger({-1, 0, 0}, {std::cos(a), std::sin(a), 0}, mu),
                                            finger({1, 0, 0}, {-std::cos(b), std::sin(b), 0}, mu)};
      for (GraspContact& contact : contacts) {
        contact.kind = GraspContactKind::kSoftFinger;
        contact.torsion = 0.05;
      }
      return make_grasp(contacts);
    };
    for (const double share : {1e-6, 0.1}) {
      EXPECT_EQ(frictional(plane(least * (1 + share))), Verdict::kHolds);
      EXPECT_EQ(frictional(plane(least * (1 - share))), Verdict::kFails);
      EXPECT_EQ(frictional(space(least * (1 + share))), Verdict::kHolds);
      EXPECT_EQ(frictional(space(least * (1 - share))), Verdict::kFails);
    }
    EXPECT_EQ(frictional(plane(least)), Verdict::kUndecided);
    EXPECT_EQ(frictional(space(least)), Verdict::kUndecided);
  }
}

TEST_P(GraspClosure, TorsionAboutSkewNormalsAllowsForcesBesideTheJoiningLine)
{
  // Moments about normals that are tilted in different planes balance a pair of forces with an arm: less friction will
  // do than for forces along the line. With vanishing torsion the line decides again.
  const auto skew = [](double mu, double torsion) {
    std::vector<GraspContact> contacts = {finger({-1, 0, 0}, {std::cos(0.1), std::sin(0.1), 0}, mu),
                                          finger({1, 0, 0}, {-std::cos(0.3), 0, std::sin(0.3)}, mu)};
    for (GraspContact& contact : contacts) {
      contact.kind = GraspContactKind::kSoftFinger;
      contact.torsion = torsion;
    }
    return make_grasp(contacts);
  };
  EXPECT_EQ(frictional(skew(std::tan(0.3) - 1e-3, 0.05)), Verdict::kHolds);
  EXPECT_EQ(frictional(skew(0.25, 1e-3)), Verdict::kFails);
  EXPECT_EQ(frictional(skew(0.32, 1e-3)), Verdict::kHolds);
}

std::vector<GraspContact> antipodal(GraspContactKind left, GraspContactKind right)
{
  std::vector<GraspContact> contacts = {finger({-1, 0.3, 0}, {1, 0, 0}, 0.5), finger({1, 0.3, 0}, {-1, 0, 0}, 0.5)};
  contacts[0].kind = left;
  contacts[1].kind = right;
  contacts[0].torsion = contacts[1].torsion = 0.1;
  return contacts;
}

TEST_P(GraspClosure, TwoHardFingersLeaveTheObjectFreeToTurnAboutTheirLine)
{
  const auto hard = GraspContactKind::kHardFinger, soft = GraspContactKind::kSoftFinger;
  ClosureOptions options;
  options.null_spaces = true;
  const ClosureResult result = checker.check(make_grasp(antipodal(hard, hard)), options);
  EXPECT_EQ(result.frictional_form_closure.verdict, Verdict::kFails);
  EXPECT_EQ(result.frictional_form_closure.explanation, "free to turn about the line through f1 and f2");
  EXPECT_EQ(result.null_spaces->indeterminate, 1);  // rank 5
  EXPECT_EQ(result.null_spaces->graspable, 1);
  for (const auto other : {hard, soft}) {
    const ClosureResult one = checker.check(make_grasp(antipodal(soft, other)), options);
    EXPECT_EQ(one.frictional_form_closure.verdict, Verdict::kHolds);
    EXPECT_EQ(one.null_spaces->indeterminate, 0);
  }
}

TEST_P(GraspClosure, AnyLineOfTwoHardFingersIsFound)
{
  Rng rng{11};
  for (int i = 0; i < 200; ++i) {
    const Eigen::Vector3d p = gaussian(rng, 3), q = gaussian(rng, 3);
    const ClosureResult result = checked(make_grasp({finger(p, q - p, 0.4), finger(q, p - q, 0.4)}));
    EXPECT_EQ(result.frictional_form_closure.verdict, Verdict::kFails);
    EXPECT_EQ(result.frictional_form_closure.explanation, "free to turn about the line through f1 and f2");
  }
}

TEST_P(GraspClosure, FormClosureNeedsFourContactsInThePlaneAndSevenInSpace)
{
  Rng rng{3};
  int closed_in_plane = 0, closed_in_space = 0;
  for (int i = 0; i < 300; ++i) {
    for (const bool plane : {true, false}) {
      const int most = plane ? 5 : 10, count = 1 + i % most;
      const ClosureResult result =
          checked(make_grasp(random_fingers(rng, count, 5.0, plane), plane ? planar() : WrenchConvention{}));
      ASSERT_NE(result.form_closure.verdict, Verdict::kUndecided);
      if (result.form_closure.verdict == Verdict::kHolds) {
        EXPECT_GE(count, plane ? 4 : 7);
        EXPECT_EQ(result.frictional_form_closure.verdict, Verdict::kHolds);  // friction only helps
        ++(plane ? closed_in_plane : closed_in_space);
      }
    }
  }
  EXPECT_GT(closed_in_plane, 0);
  EXPECT_GT(closed_in_space, 0);
}

TEST_P(GraspClosure, DiskAndSphereAreNeverFormClosed)
{
  Rng rng{4};
  for (int i = 0; i < 100; ++i)
    for (const bool plane : {true, false}) {
      std::vector<GraspContact> contacts;
      const Eigen::Vector3d centre = plane ? Eigen::Vector3d(1, 2, 0) : Eigen::Vector3d(1, 2, 3);
      for (int k = 0; k < 4 + i % 8; ++k) {
        Eigen::Vector3d n = gaussian(rng, 3);
        if (plane) n.z() = 0.0;
        n.normalize();
        contacts.push_back(finger(centre - 0.05 * n, n, 0.3));
      }
      WrenchConvention convention = plane ? planar() : WrenchConvention{};
      EXPECT_EQ(form(make_grasp(contacts, convention)), Verdict::kFails) << i << plane;
      convention.reference = centre;  // torques are nothing but rounding
      EXPECT_EQ(form(make_grasp(contacts, convention)), Verdict::kFails) << i << plane;
    }
}

TEST_P(GraspClosure, NoContactsAndOneContact)
{
  EXPECT_EQ(frictional(make_grasp({})), Verdict::kFails);
  const ClosureResult one = checked(make_grasp({finger({0, 0, 0}, {0, 0, 1}, 0.5)}));
  EXPECT_EQ(one.frictional_form_closure.verdict, Verdict::kFails);
  EXPECT_EQ(one.form_closure.verdict, Verdict::kFails);
}

TEST_P(GraspClosure, CoincidentPointsAndParallelNormals)
{
  const GraspContact up = finger({0.2, 0.1, 0}, {0, 0, 1}, 0.5);
  EXPECT_EQ(frictional(make_grasp({up, up, up, up})), Verdict::kFails);
  EXPECT_EQ(frictional(make_grasp({finger({0, 0, 0}, {0, 0, 1}, 0.5), finger({1, 0, 0}, {0, 0, 1}, 0.5),
                                   finger({0, 1, 0}, {0, 0, 1}, 0.5)})),
            Verdict::kFails);
}

TEST_P(GraspClosure, InvariantUnderRotationOrderReferenceLengthAndReversedNormals)
{
  Rng rng{5};
  for (int i = 0; i < 150; ++i) {
    std::vector<GraspContact> contacts = random_fingers(rng, 2 + i % 7, i % 2 ? 5.0 : 1.0, false);
    const Verdict verdict = frictional(make_grasp(contacts));
    ASSERT_NE(verdict, Verdict::kUndecided);
    WrenchConvention elsewhere;
    elsewhere.reference = gaussian(rng, 3);
    elsewhere.torque_length = uniform(rng, 0.01, 10.0);
    EXPECT_EQ(frictional(make_grasp(contacts, elsewhere)), verdict);
    const Eigen::Matrix3d R =
        Eigen::AngleAxisd(uniform(rng, 0, 6), Eigen::Vector3d(gaussian(rng, 3)).normalized()).matrix();
    std::vector<GraspContact> turned = contacts;
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    for (GraspContact& contact : turned) {
      contact.point = R * contact.point + Eigen::Vector3d(0.3, -2, 1);
      contact.normal = R * contact.normal;
    }
    EXPECT_EQ(frictional(make_grasp(turned)), verdict);
    for (GraspContact& contact : turned) contact.normal = -contact.normal;
    EXPECT_EQ(frictional(make_grasp(turned)), verdict);
  }
}

TEST_P(GraspClosure, BilateralContactsHoldBothWays)
{
  // Three pins at right angles on a planar body stop everything, three fingers do not.
  std::vector<GraspContact> pins = {planar_finger(1, 0, -1, 0), planar_finger(0, 1, 0, -1),
                                    planar_finger(1, 0.5, -1, 0)};
  EXPECT_EQ(form(make_grasp(pins, planar())), Verdict::kFails);
  for (GraspContact& pin : pins) pin.kind = GraspContactKind::kBilateral;
  EXPECT_EQ(form(make_grasp(pins, planar())), Verdict::kHolds);
  pins.pop_back();
  EXPECT_EQ(form(make_grasp(pins, planar())), Verdict::kFails);
  // With friction two suction cups in line close the plane; so does one pushing and one pulling side by side.
  std::vector<GraspContact> cups = {planar_finger(-1, 0, 1, 0, 0.5), planar_finger(1, 0, 1, 0, 0.5)};
  EXPECT_EQ(frictional(make_grasp(cups, planar())), Verdict::kFails);
  for (GraspContact& cup : cups) cup.kind = GraspContactKind::kBilateral;
  EXPECT_EQ(frictional(make_grasp(cups, planar())), Verdict::kHolds);
  // One cup resists forces, but a turn about it is free.
  cups.pop_back();
  EXPECT_EQ(frictional(make_grasp(cups, planar())), Verdict::kFails);
}

/// A suction cup at the origin along x; two frictionless fingers push up at its sides and stop every turn about it.
std::vector<GraspContact> cup_between_fingers(double mu)
{
  std::vector<GraspContact> contacts = {planar_finger(0, 0, 1, 0, mu), planar_finger(-1, 0, 0, 1),
                                        planar_finger(1, 0, 0, 1)};
  contacts[0].kind = GraspContactKind::kBilateral;
  return contacts;
}

TEST_P(GraspClosure, PushingAndPullingMayFailByDifferentMotions)
{
  // Only turns about the cup leave it at rest, and the fingers stop these; yet nothing stops a pull upwards: friction
  // needs a force along x that nothing balances. If the cup pushes the body moves up and away along +x, else along -x.
  std::vector<GraspContact> contacts = cup_between_fingers(0.5);
  const ClosureResult result = checked(make_grasp(contacts, planar()));
  ASSERT_EQ(result.frictional_form_closure.verdict, Verdict::kFails);
  const ClosureProof& proof = result.frictional_form_closure.proof;
  EXPECT_EQ(proof.twist.size(), 0);
  ASSERT_EQ(proof.leaves.size(), 2u);
  for (const MotionLeaf& leaf : proof.leaves) {
    EXPECT_GE(leaf.signs[0] * leaf.motion[0], 0.5 * leaf.motion[1]);
    EXPECT_GT(leaf.motion[1], 0.0);
  }
  EXPECT_THAT(result.frictional_form_closure.explanation, ::testing::HasSubstr("it fails in each of the 2 sign cases"));
  // A third finger from above stops that. What is left to stop is along x, and it takes both signs: neither verdict.
  contacts.push_back(planar_finger(0.5, 1, 0, -1));
  EXPECT_EQ(frictional(make_grasp(contacts, planar())), Verdict::kUndecided);
  // One more along x, and the cup can press against it.
  contacts.push_back(planar_finger(1, 0, -1, 0));
  EXPECT_EQ(frictional(make_grasp(contacts, planar())), Verdict::kHolds);
}

TEST_P(GraspClosure, MagnetsNeedToPressAgainstEachOther)
{
  // Three magnets on a wall: the load gives each its normal force, a load along the wall gives none and so no friction.
  std::vector<GraspContact> magnets = {finger({1, 0, 0}, {0, 0, 1}, 0.5), finger({-1, 1, 0}, {0, 0, 1}, 0.5),
                                       finger({-1, -1, 0}, {0, 0, 1}, 0.5)};
  for (GraspContact& magnet : magnets) magnet.kind = GraspContactKind::kBilateral;
  const ClosureResult three = checked(make_grasp(magnets));
  EXPECT_EQ(three.frictional_form_closure.verdict, Verdict::kFails);
  EXPECT_EQ(three.frictional_form_closure.proof.leaves.size(), 8u);
  EXPECT_EQ(checker.resists(make_grasp(magnets), Eigen::VectorXd(Eigen::VectorXd::Unit(6, 0))).verdict,
            Verdict::kFails);
  EXPECT_EQ(checker.resists(make_grasp(magnets), Eigen::VectorXd(Eigen::VectorXd::Unit(6, 2))).verdict,
            Verdict::kHolds);
  // A fourth lets them press in turn.
  magnets.push_back(finger({3, 0.5, 0}, {0, 0, 1}, 0.5));
  magnets.back().kind = GraspContactKind::kBilateral;
  EXPECT_EQ(frictional(make_grasp(magnets)), Verdict::kHolds);
}

TEST_P(GraspClosure, WrenchesAreRefusedForEachSign)
{
  const Grasp grasp = make_grasp(cup_between_fingers(0.5), planar());
  const auto verdict = [&](const Eigen::Vector3d& wrench) {
    const ResistResult result = checker.resists(grasp, wrench);
    EXPECT_EQ(judge_resists(grasp, wrench, result.proof), result.verdict);
    return result.verdict;
  };
  // Forces along x have friction, and the fingers push up.
  EXPECT_EQ(verdict({1, 0.49, 0}), Verdict::kHolds);
  EXPECT_EQ(verdict({-1, 0.49, 0}), Verdict::kHolds);
  EXPECT_EQ(verdict({1, 0.51, 0}), Verdict::kFails);
  EXPECT_EQ(verdict({0, 1, 0}), Verdict::kFails);
  EXPECT_EQ(verdict({0, -1, 0}), Verdict::kHolds);
  const ResistResult up = checker.resists(grasp, Eigen::Vector3d(0, 1, 0));
  ASSERT_EQ(up.proof.leaves.size(), 2u);
  EXPECT_EQ(up.proof.y.size(), 0);
  EXPECT_GT(up.twist[1], 0.0);
}

TEST_P(GraspClosure, FacetsNeverProveMoreThanTheConeAllows)
{
  // Line of the fingers along a corner of the inner polygon and a side of the outer one: between them only doubt.
  const double mu = std::tan(0.3);
  const auto grasp = [&](double share, const ConeShape& shape) {
    std::vector<GraspContact> contacts = {finger({-1, 0, 0}, {std::cos(0.3), std::sin(0.3), 0}, mu * share),
                                          finger({1, 0, 0}, {-std::cos(0.3), std::sin(0.3), 0}, mu * share)};
    for (GraspContact& contact : contacts) {
      contact.kind = GraspContactKind::kSoftFinger;
      contact.torsion = 0.1;
    }
    return make_grasp(contacts, {}, shape);
  };
  EXPECT_EQ(frictional(grasp(2.0, ConeShape::inner(4))), Verdict::kHolds);
  EXPECT_EQ(frictional(grasp(0.5, ConeShape::outer(4))), Verdict::kFails);
  for (const double share : {0.8, 0.99, 1.01, 1.2}) {
    EXPECT_NE(frictional(grasp(share, ConeShape::inner(4))), share > 1.0 ? Verdict::kFails : Verdict::kHolds);
    EXPECT_NE(frictional(grasp(share, ConeShape::outer(4))), share > 1.0 ? Verdict::kFails : Verdict::kHolds);
  }
}

// ---- hand, force closure, resisting
// -----------------------------------------------------------------------------------

/// Two hard fingers in the plane, each on a slider along x; with `lift` also on one along y.
Grasp two_finger_hand(bool lift, double mu = 0.5)
{
  std::vector<GraspContact> contacts = {planar_finger(-1, 0, 1, 0, mu), planar_finger(1, 0, -1, 0, mu)};
  for (GraspContact& contact : contacts) contact.kind = GraspContactKind::kHardFinger;
  Grasp grasp = make_grasp(contacts, planar());
  // relative velocity: object minus finger. Columns n1 = +x, t1 = +y, n2 = -x, t2 = -y.
  grasp.J_hand.setZero(4, lift ? 4 : 2);
  grasp.J_hand(0, 0) = -1.0;
  grasp.J_hand(2, 1) = 1.0;
  if (lift) {
    grasp.J_hand(1, 2) = -1.0;
    grasp.J_hand(3, 3) = 1.0;
  }
  grasp.effort_lower.setConstant(grasp.J_hand.cols(), -10.0);
  grasp.effort_upper.setConstant(grasp.J_hand.cols(), 10.0);
  grasp.hand_load.setZero(grasp.J_hand.cols());
  return grasp;
}

TEST_P(GraspClosure, ForceClosureNeedsAHandThatCommandsInternalForces)
{
  const Grasp bare = make_grasp({planar_finger(-1, 0, 1, 0, 0.5), planar_finger(1, 0, -1, 0, 0.5)}, planar());
  EXPECT_THAT(checked(bare).force_closure.reason, HasSubstr("no hand"));
  EXPECT_EQ(checked(two_finger_hand(false)).force_closure.verdict, Verdict::kHolds);
  EXPECT_EQ(checked(two_finger_hand(true)).force_closure.verdict, Verdict::kHolds);

  // Motors switched off along x: nobody squeezes. The squeeze itself is the proof.
  Grasp weak = two_finger_hand(true);
  weak.effort_lower.head(2).setZero();
  weak.effort_upper.head(2).setZero();
  const ClosureResult result = checked(weak);
  EXPECT_EQ(result.frictional_form_closure.verdict, Verdict::kHolds);
  EXPECT_EQ(result.force_closure.verdict, Verdict::kFails);
  EXPECT_THAT(result.force_closure.explanation, HasSubstr("cannot command"));
  EXPECT_EQ(result.force_closure.proof.twist.size(), 0);
  const Eigen::VectorXd f = result.force_closure.proof.forces / result.force_closure.proof.forces[0];
  EXPECT_TRUE(f.isApprox(Eigen::Vector4d(1, 0, 1, 0), 1e-12)) << f.transpose();

  // Without frictional form closure there is no force closure either, by the same twist.
  Grasp open = two_finger_hand(true, 0.0);
  EXPECT_EQ(checked(open).force_closure.verdict, Verdict::kFails);
}

TEST_P(GraspClosure, NullSpacesOfHandAndObject)
{
  ClosureOptions options;
  options.null_spaces = true;
  const NullSpaces two = checker.check(two_finger_hand(false), options).null_spaces.value();
  EXPECT_TRUE(two.hand);
  EXPECT_EQ(two.indeterminate, 0);
  EXPECT_EQ(two.graspable, 1);
  EXPECT_EQ(two.redundant, 0);
  EXPECT_EQ(two.defective, 2);  // the sliders do not feel tangential forces
  EXPECT_EQ(two.hyperstatic, 0);
  const NullSpaces open = checker.check(two_finger_hand(true, 0.0), options).null_spaces.value();
  EXPECT_EQ(open.indeterminate, 2);  // y and rotation
  EXPECT_EQ(open.redundant, 2);      // up and down, past a frictionless face
  EXPECT_EQ(open.graspable, 1);
  EXPECT_EQ(open.defective, 0);
}

TEST_P(GraspClosure, ResistsWeightWithinFrictionAndEffort)
{
  // Weight W on two fingers that squeeze with at most 10 N each: 2 mu 10 >= W.
  const Grasp grasp = two_finger_hand(true);
  const auto verdict = [&](const Grasp& g, const Eigen::Vector3d& wrench) {
    const ResistResult result = checker.resists(g, wrench);
    EXPECT_EQ(judge_resists(g, wrench, result.proof), result.verdict);
    if (result.verdict == Verdict::kFails) {
      EXPECT_GT(result.twist.dot(wrench), 0.0);
    }
    if (result.verdict == Verdict::kHolds) {
      EXPECT_LT((g.G * result.forces + wrench).norm(), 1e-12);
      EXPECT_LT((g.J_hand.transpose() * result.forces + result.efforts - g.hand_load).norm(), 1e-12);
    }
    return result.verdict;
  };
  EXPECT_EQ(verdict(grasp, {0, -9.9, 0}), Verdict::kHolds);
  EXPECT_EQ(verdict(grasp, {0, -10.0, 0}), Verdict::kUndecided);
  EXPECT_EQ(verdict(grasp, {0, -10.1, 0}), Verdict::kFails);
  EXPECT_EQ(verdict(grasp, {0, -10 * (1 + 1e-6), 0}), Verdict::kFails);
  EXPECT_EQ(verdict(grasp, {0, -10 * (1 - 1e-6), 0}), Verdict::kHolds);
  // Either end of the range may be the one that binds.
  for (const double end : {-1.0, 1.0}) {
    Grasp one_sided = grasp;
    (end > 0.0 ? one_sided.effort_lower : one_sided.effort_upper).setConstant(-1000.0 * end);
    EXPECT_EQ(verdict(one_sided, {0, -9.9, 0}), Verdict::kHolds);
    EXPECT_EQ(verdict(one_sided, {0, -10.0, 0}), Verdict::kUndecided);
    EXPECT_EQ(verdict(one_sided, {0, -10.1, 0}), Verdict::kFails);
  }
  // Straight into one finger friction does not matter, only its effort.
  for (const double side : {-1.0, 1.0}) {
    EXPECT_EQ(verdict(grasp, {side * 9.9, 0, 0}), Verdict::kHolds);
    EXPECT_EQ(verdict(grasp, {side * 10.0, 0, 0}), Verdict::kUndecided);
    EXPECT_EQ(verdict(grasp, {side * 10.1, 0, 0}), Verdict::kFails);
  }
  // Closed, so without the limits of the hand any wrench will do.
  EXPECT_EQ(
      verdict(make_grasp({planar_finger(-1, 0, 1, 0, 0.5), planar_finger(1, 0, -1, 0, 0.5)}, planar()), {3, -1e6, 7}),
      Verdict::kHolds);
  // Limits on normal forces say the same as those on efforts.
  Grasp soft = make_grasp({planar_finger(-1, 0, 1, 0, 0.5), planar_finger(1, 0, -1, 0, 0.5)}, planar());
  for (GraspBlock& block : soft.contacts) block.max_normal = 10.0;
  EXPECT_EQ(verdict(soft, {0, -9.9, 0}), Verdict::kHolds);
  EXPECT_EQ(verdict(soft, {0, -10.1, 0}), Verdict::kFails);
  // The hand's own weight takes its share: one slider needs all of its effort for itself.
  Grasp heavy = grasp;
  heavy.hand_load[0] = -10.0 - 9.0;  // effort + J' lambda = load, so that the push left is between 9 and 29
  EXPECT_EQ(verdict(heavy, {0, -8.9, 0}), Verdict::kHolds);
  heavy.hand_load[0] = 5.0;  // the push left is at most 5
  EXPECT_EQ(verdict(heavy, {0, -5.1, 0}), Verdict::kFails);
  EXPECT_EQ(verdict(heavy, {0, -4.9, 0}), Verdict::kHolds);
}

TEST_P(GraspClosure, TorquesOfAWrenchAreInNewtonMetresWhateverTheLength)
{
  std::vector<GraspContact> contacts = {planar_finger(-0.02, 0, 1, 0, 0.5), planar_finger(0.02, 0, -1, 0, 0.5)};
  WrenchConvention convention = planar();
  convention.torque_length = 0.02;
  Grasp grasp = make_grasp(contacts, convention);
  for (GraspBlock& block : grasp.contacts) block.max_normal = 10.0;
  // Tangential forces of 5 N each at arms of 0.02 m: 0.2 N m.
  EXPECT_EQ(checker.resists(grasp, Eigen::Vector3d(0, 0, 0.19)).verdict, Verdict::kHolds);
  EXPECT_EQ(checker.resists(grasp, Eigen::Vector3d(0, 0, 0.21)).verdict, Verdict::kFails);
}

TEST_P(GraspClosure, GraspOfAContactProblem)
{
  ContactProblem p = testing::three_fingers(1.0, 0.1, 0.7, {1, 1, 1}, 0.4, 9.81);  // sliders push radially on a disk
  for (int i = 0; i < 3; ++i) p.actuators.push_back({"slider_" + std::to_string(i), 3 + i, -20.0, 20.0});
  Grasp grasp;
  set_grasp(p, {0, 1, 2}, planar(), ConeShape::exact(), grasp);
  grasp.validate();
  const ClosureResult result = checked(grasp);
  EXPECT_EQ(result.form_closure.verdict, Verdict::kFails);
  EXPECT_EQ(result.frictional_form_closure.verdict, Verdict::kHolds);
  EXPECT_EQ(result.force_closure.verdict, Verdict::kHolds);  // tangential forces alone have no internal combination
  EXPECT_EQ(grasp.J_hand.cols(), 3);
  EXPECT_EQ(grasp.effort_upper, Eigen::Vector3d::Constant(20.0));
  EXPECT_EQ(grasp.hand_load, Eigen::Vector3d::Constant(-1.0));
  // One motor feels the squeeze of all three, but does not command every internal force.
  Grasp lazy = grasp;
  lazy.effort_lower.tail(2).setZero();
  lazy.effort_upper.tail(2).setZero();
  EXPECT_EQ(checked(lazy).force_closure.verdict, Verdict::kFails);
  // The same from points and normals; tangents point the other way there.
  std::vector<GraspContact> contacts;
  for (int i = 0; i < 3; ++i) {
    const double angle = M_PI / 2 + i * 2 * M_PI / 3;
    const Eigen::Vector3d out(std::cos(angle), std::sin(angle), 0);
    contacts.push_back(finger(0.7 * out, -out, 0.4));
  }
  for (const Eigen::Vector3d& reference : {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0.3, -0.2, 0)}) {
    WrenchConvention convention = planar();
    convention.reference = reference;
    convention.torque_length = 0.7;
    set_grasp(p, {0, 1, 2}, convention, ConeShape::exact(), grasp);
    Eigen::MatrixXd direct = make_grasp(contacts, convention).G;
    for (int i = 0; i < 3; ++i) direct.col(2 * i + 1) *= -1.0;
    EXPECT_LT((grasp.G - direct).norm(), 1e-14);
  }
  EXPECT_THROW(set_grasp(p, {0, 0}, planar(), ConeShape::exact(), grasp), InputError);
  EXPECT_THROW(set_grasp(p, {6}, planar(), ConeShape::exact(), grasp), InputError);
  EXPECT_THROW(set_grasp(p, {}, planar(), ConeShape::exact(), grasp), InputError);
}

TEST(GraspFromProblem, SixDegreesOfFreedomAboutAnotherPoint)
{
  Rng rng{8};
  ContactProblem p = testing::free_body(rng);
  std::vector<GraspContact> contacts;
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d point = gaussian(rng, 3), normal = Eigen::Vector3d(gaussian(rng, 3)).normalized();
    testing::add_contact(p, point, normal, 0.5);
    contacts.push_back(finger(point, normal, 0.5));
  }
  WrenchConvention convention;
  convention.reference = {0.3, -1, 2};
  convention.torque_length = 0.25;
  Grasp grasp;
  set_grasp(p, {0, 1, 2, 3, 4, 5}, convention, ConeShape::exact(), grasp);
  EXPECT_LT((grasp.G - make_grasp(contacts, convention).G).norm(), 1e-12);
  EXPECT_FALSE(grasp.has_hand());
}

// ---- the judge
// ----------------------------------------------------------------------------------------------------------

TEST(ClosureJudge, RefusesForcesThatProveNothing)
{
  const Grasp grasp = make_grasp({planar_finger(-1, 0, 1, 0, 0.5), planar_finger(1, 0, -1, 0, 0.5)}, planar());
  const auto judged = [&](const Eigen::Vector4d& f, ClosureKind kind = ClosureKind::kFrictionalForm) {
    return judge_closure(grasp, kind, {f, {}});
  };
  EXPECT_EQ(judged({1, 0, 1, 0}), Verdict::kHolds);
  EXPECT_EQ(judged({1, 0.4, 1, 0.4}), Verdict::kUndecided);  // a couple, not balanced
  EXPECT_EQ(judged({1, 0, 1.001, 0}), Verdict::kHolds);      // unbalanced by less than the slack makes up for
  EXPECT_EQ(judged({1, 0, 30, 0}), Verdict::kUndecided);     // unbalanced by more
  EXPECT_EQ(judged({-1, 0, -1, 0}), Verdict::kUndecided);    // pulls
  EXPECT_EQ(judged({1, 0.5, 1, 0.5}), Verdict::kUndecided);  // on the rim: no room
  EXPECT_EQ(judged({1, 0.6, 1, 0.6}), Verdict::kUndecided);  // outside
  EXPECT_EQ(judged({0, 0, 0, 0}), Verdict::kUndecided);
  EXPECT_EQ(judged({std::nan(""), 0, 1, 0}), Verdict::kUndecided);
  EXPECT_EQ(judged({1, 0, 1, 0}, ClosureKind::kForm), Verdict::kUndecided);   // rank 1 without friction
  EXPECT_EQ(judged({1, 0, 1, 0}, ClosureKind::kForce), Verdict::kUndecided);  // no hand
  EXPECT_EQ(judge_closure(grasp, ClosureKind::kFrictionalForm, {Eigen::Vector3d(1, 0, 1), {}}), Verdict::kUndecided);
  std::string why;
  EXPECT_EQ(judge_closure(grasp, ClosureKind::kFrictionalForm, {Eigen::Vector4d(1, 0.6, 1, 0.6), {}}, &why),
            Verdict::kUndecided);
  EXPECT_EQ(why, "contact f1 is outside its cone");
}

TEST(ClosureJudge, RefusesTwistsThatAContactOpposes)
{
  const Grasp grasp = make_grasp(
      {planar_finger(0, -0.5, 0, 1, 0.4), planar_finger(0.5, 0, -1, 0), planar_finger(0.25, 0.5, 0, -1)}, planar());
  const auto judged = [&](const Eigen::Vector3d& v) {
    return judge_closure(grasp, ClosureKind::kFrictionalForm, {{}, v});
  };
  // Turning clockwise about (c, h - 1/2) = (1/4, 0): contacts 2 and 3 slide, contact 1 at (-1/4, -1/2) moves by (-1/2,
  // 1/4): up by half its way sideways, outside a cone of friction 0.4.
  const auto turn_about = [](double x, double y) { return Eigen::Vector3d(-y, x, -1.0); };
  EXPECT_EQ(judged(turn_about(0.25, 0)), Verdict::kFails);
  EXPECT_EQ(judged(-turn_about(0.25, 0)), Verdict::kUndecided);
  EXPECT_EQ(judged(turn_about(0.25, -1e-9)), Verdict::kUndecided);  // presses into contact 2
  EXPECT_EQ(judged(turn_about(0.2, 0)), Verdict::kUndecided);       // presses into contact 3
  EXPECT_EQ(judged({0, 0, 0}), Verdict::kUndecided);
  EXPECT_EQ(judged({0, std::nan(""), 1}), Verdict::kUndecided);
  Grasp rough = grasp;
  rough.contacts[0].cone.mu = 0.5;  // exactly on the rim: one part in a billion more would hold
  EXPECT_EQ(judge_closure(rough, ClosureKind::kFrictionalForm, {{}, turn_about(0.25, 0)}), Verdict::kUndecided);
  rough.contacts[0].cone.mu = 0.5 * (1 - 1e-8);
  EXPECT_EQ(judge_closure(rough, ClosureKind::kFrictionalForm, {{}, turn_about(0.25, 0)}), Verdict::kFails);
}

TEST(ClosureJudge, RefusesLeavesThatProveNothing)
{
  const Grasp grasp = make_grasp(cup_between_fingers(0.5), planar());
  const ClosureProof good{{},
                          {},
                          Eigen::Vector3d(0, 1, 0),
                          {{{1, 0, 0}, Eigen::Vector3d(0.6, 1, 0)}, {{-1, 0, 0}, Eigen::Vector3d(-0.6, 1, 0)}}};
  std::string why;
  const auto judged = [&](const auto& change, ClosureKind kind = ClosureKind::kFrictionalForm) {
    ClosureProof proof = good;
    change(proof);
    why.clear();
    return judge_closure(grasp, kind, proof, &why);
  };
  EXPECT_EQ(judged([](ClosureProof&) {}), Verdict::kFails);
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves.pop_back(); }), Verdict::kUndecided);
  EXPECT_EQ(why, "the leaves do not cover every sign of the bilateral contacts");
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[1] = p.leaves[0]; }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { std::swap(p.leaves[0].motion, p.leaves[1].motion); }), Verdict::kUndecided);
  EXPECT_EQ(why, "contact f1 opposes the motion");
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].signs[0] = 0; }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].motion[0] = 0.5; }), Verdict::kUndecided);  // exactly on the rim
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].motion[0] = 0.5 * (1 + 1e-8); }), Verdict::kFails);
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].motion[0] = 0.49; }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].motion[2] = 2; }), Verdict::kUndecided);  // into a finger
  // Motions that no one wrench drives: sliding off to either side.
  const auto slide = [](ClosureProof& p) {
    p.leaves[0].motion = Eigen::Vector3d(1, 0, 0);
    p.leaves[1].motion = Eigen::Vector3d(-1, 0, 0);
  };
  EXPECT_EQ(judged(slide), Verdict::kUndecided);
  EXPECT_EQ(why, "the wrench does not drive the motion of a leaf");
  EXPECT_EQ(judged([&](ClosureProof& p) { (slide(p), p.wrench = Eigen::Vector3d(1, 0, 0)); }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.wrench = Eigen::Vector3d(1, 0.6 * (1 + 1e-10), 0); }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.wrench = Eigen::Vector3d(1, 0.6 * (1 + 1e-8), 0); }), Verdict::kFails);
  EXPECT_EQ(judged([](ClosureProof& p) { p.wrench *= -1; }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.wrench.setZero(); }), Verdict::kUndecided);
  // Signs belong to double cones only.
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].signs[1] = 1; }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].signs[0] = 2; }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof&) {}, ClosureKind::kForm), Verdict::kUndecided);
  EXPECT_EQ(why, "a leaf's signs do not fit the contacts");
  // Sizes, numbers, and a proof that is two.
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].signs.pop_back(); }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].motion.resize(0); }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].motion.setZero(); }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.leaves[0].motion[2] = std::nan(""); }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.wrench.resize(0); }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.wrench[0] = std::nan(""); }), Verdict::kUndecided);
  EXPECT_EQ(judged([](ClosureProof& p) { p.twist = Eigen::Vector3d(0, 0, 1); }), Verdict::kUndecided);
}

TEST(ClosureJudge, RefusesInternalForcesThatTheHandFeels)
{
  Grasp grasp = two_finger_hand(true);
  const auto judged = [&](const Eigen::Vector4d& f) { return judge_closure(grasp, ClosureKind::kForce, {f, {}}); };
  EXPECT_EQ(judged({1, 0, 1, 0}), Verdict::kHolds);
  grasp.effort_lower.head(2).setZero();
  grasp.effort_upper.head(2).setZero();
  EXPECT_EQ(judged({1, 0, 1, 0}), Verdict::kFails);
  EXPECT_EQ(judged({1, 0, 2, 0}), Verdict::kUndecided);      // not internal
  EXPECT_EQ(judged({1, 0.1, 1, 0.1}), Verdict::kUndecided);  // felt by the lifting motors
}

TEST(ClosureWords, SlideScrewAndTurn)
{
  const Grasp grasp = make_grasp({finger({1, 0, 0}, {-1, 0, 0}, 0.5), finger({0, 1, 0}, {0, -1, 0}, 0.5)});
  const auto words = [&](const Eigen::VectorXd& v) { return describe_free_motion(grasp, v); };
  const auto twist = [](double a, double b, double c, double d, double e, double f) {
    return Eigen::VectorXd((Eigen::VectorXd(6) << a, b, c, d, e, f).finished());
  };
  EXPECT_EQ(words(twist(0, 0, 1, 0, 0, 0)), "free to slide along (0, 0, +1)");
  EXPECT_EQ(words(twist(-3, 0, 0, 0, 0, 0)), "free to slide along (-1, 0, 0), leaving f1");
  EXPECT_EQ(words(twist(0, -1, 0, 0, 0, 1)), "free to turn about the line through f1 along (0, 0, +1), leaving f2");
  EXPECT_EQ(words(twist(0, 0, 0.5, 0, 0, 1)), "free to screw about the line through (0, 0, 0) m along (0, 0, +1)");
  EXPECT_EQ(words(Eigen::VectorXd::Zero(6)), "");
  EXPECT_EQ(words(Eigen::VectorXd(Eigen::VectorXd::Ones(4))), "");
}

TEST(GraspInput, BadContactsAreNamed)
{
  const auto message = [](const GraspContact& contact, const WrenchConvention& convention = {}) -> std::string {
    try {
      Grasp grasp;
      set_grasp({finger({1, 0, 0}, {0, 0, 1}, 0.5), contact}, convention, ConeShape::exact(), grasp);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  GraspContact contact = finger({0, 0, 0}, {0, 0, 1}, 0.5);
  EXPECT_EQ(message(contact), "accepted");
  contact.normal = {0, 0, 1.1};
  EXPECT_EQ(message(contact), "contacts[1].normal: want a unit vector, got (0, 0, 1.1)");
  contact.normal = {0, 0, 1};
  contact.mu = -0.1;
  EXPECT_EQ(message(contact), "contacts[1].mu: want finite and >= 0, got -0.1");
  contact.mu = 0.1;
  contact.point.x() = std::nan("");
  EXPECT_THAT(message(contact), HasSubstr("contacts[1].point"));
  contact.point.setZero();
  WrenchConvention convention = planar();
  EXPECT_THAT(message(contact, convention), HasSubstr("want a vector of the plane"));
  convention = {};
  convention.torque_length = 0.0;
  EXPECT_EQ(message(contact, convention), "torque_length: want finite and > 0, got 0");
  Grasp grasp = make_grasp({contact});
  EXPECT_THROW(ClosureChecker().resists(grasp, Eigen::Vector3d(0, 0, 1)), InputError);
  grasp.contacts[0].col = 1;
  EXPECT_THROW(grasp.validate(), InputError);
}

// ---- numbers
// ------------------------------------------------------------------------------------------------------------

/// Smallest distance of zero from the facets of a convex hull, by trying every plane through rows points.
double brute_force_radius(const Eigen::MatrixXd& points)
{
  const Eigen::Index m = points.rows(), n = points.cols();
  double radius = kInfinity;
  std::vector<Eigen::Index> pick(static_cast<std::size_t>(m));
  Eigen::MatrixXd edges(m, m - 1);
  const auto visit = [&] {
    for (Eigen::Index k = 1; k < m; ++k)
      edges.col(k - 1) = points.col(pick[static_cast<std::size_t>(k)]) - points.col(pick[0]);
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(edges.transpose());
    if (lu.rank() < m - 1) return;
    const Eigen::VectorXd normal = lu.kernel().col(0).normalized();
    const double offset = normal.dot(points.col(pick[0]));
    const Eigen::VectorXd heights = points.transpose() * normal;
    if (heights.maxCoeff() <= offset + 1e-9 || heights.minCoeff() >= offset - 1e-9)
      radius = std::min(radius, std::abs(offset));
  };
  const auto choose = [&](auto&& self, Eigen::Index from, std::size_t depth) -> void {
    if (depth == pick.size()) return visit();
    for (Eigen::Index i = from; i < n; ++i) {
      pick[depth] = i;
      self(self, i + 1, depth + 1);
    }
  };
  choose(choose, 0, 0);
  return radius;
}

/// Edge wrenches of polyhedral cones at unit normal force.
std::vector<Eigen::MatrixXd> edge_wrenches(const Grasp& grasp)
{
  std::vector<Eigen::MatrixXd> edges;
  for (const GraspBlock& block : grasp.contacts)
    edges.push_back(grasp.G.middleCols(block.col, block.cone.dim()) * generators(block.cone));
  return edges;
}

ClosureResult with_epsilon(ClosureChecker& checker, const Grasp& grasp)
{
  ClosureOptions options;
  options.epsilon_l1 = options.epsilon_linf = true;
  return checker.check(grasp, options);
}

void expect_certified(const Margin& interval, double truth)
{
  EXPECT_LE(interval.lower, truth * (1 + 1e-9));
  EXPECT_GE(interval.upper, truth * (1 - 1e-9));
  EXPECT_LE(interval.upper - interval.lower, 0.0101 * interval.upper);
}

TEST_P(GraspClosure, EpsilonOfTwoFingersOnADisk)
{
  for (const double mu : {0.2, 0.5, 1.0}) {
    const Grasp grasp = make_grasp({planar_finger(-1, 0, 1, 0, mu), planar_finger(1, 0, -1, 0, mu)}, planar());
    expect_certified(with_epsilon(checker, grasp).epsilon_l1, mu / std::sqrt(mu * mu + 2.0));
  }
}

TEST_P(GraspClosure, EpsilonOfPlanarGraspsIsThatOfAllFacets)
{
  Rng rng{21};
  int closed = 0;
  for (int i = 0; i < 40; ++i) {
    const Grasp grasp = make_grasp(random_fingers(rng, 2 + i % 3, 4.0, true), planar());
    const ClosureResult result = with_epsilon(checker, grasp);
    if (result.frictional_form_closure.verdict == Verdict::kFails) {
      EXPECT_EQ(result.epsilon_l1.upper, 0.0);
      continue;
    }
    ++closed;
    const std::vector<Eigen::MatrixXd> edges = edge_wrenches(grasp);
    Eigen::MatrixXd all(3, 1), sums = Eigen::MatrixXd::Zero(3, 1);
    all.setZero();
    for (const Eigen::MatrixXd& e : edges) {
      all.conservativeResize(3, all.cols() + e.cols());
      all.rightCols(e.cols()) = e;
      Eigen::MatrixXd next(3, sums.cols() * (e.cols() + 1));
      next.leftCols(sums.cols()) = sums;
      for (Eigen::Index k = 0; k < e.cols(); ++k)
        next.middleCols(sums.cols() * (k + 1), sums.cols()) = sums.colwise() + e.col(k);
      sums = next;
    }
    expect_certified(result.epsilon_l1, brute_force_radius(all));
    expect_certified(result.epsilon_linf, brute_force_radius(sums));
  }
  EXPECT_GT(closed, 10);
}

TEST(ClosureNumbers, EpsilonOfFrictionlessSpatialGraspsIsThatOfAllFacets)
{
  Rng rng{22};
  ClosureChecker checker;
  int closed = 0;
  for (int i = 0; closed < 6; ++i) {
    Eigen::MatrixXd wrenches = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, 6 * 9).data(), 6, 9);
    wrenches.col(8) = -wrenches.leftCols(8).rowwise().sum() / 4.0;  // positive dependence is rare otherwise
    const Grasp grasp = from_wrenches(wrenches);
    ClosureOptions options;
    options.epsilon_l1 = true;
    const ClosureResult result = checker.check(grasp, options);
    ASSERT_EQ(result.form_closure.verdict, Verdict::kHolds);
    ++closed;
    expect_certified(result.epsilon_l1, brute_force_radius(wrenches));
  }
}

TEST(ClosureNumbers, EpsilonOfExactConesIsBelowEverySampledDirection)
{
  Rng rng{23};
  ClosureChecker checker;
  for (int i = 0; i < 6; ++i) {
    const Grasp grasp = make_grasp(random_fingers(rng, 4 + i % 3, 6.0, false));
    ClosureOptions options;
    options.epsilon_l1 = true;
    const ClosureResult result = checker.check(grasp, options);
    if (result.frictional_form_closure.verdict != Verdict::kHolds) continue;
    // Support by brute force over many edges, minimised by a random walk that shrinks.
    Grasp fine = grasp;
    for (GraspBlock& block : fine.contacts) block.cone.shape = ConeShape::outer(256);
    const std::vector<Eigen::MatrixXd> edges = edge_wrenches(fine);
    const auto height = [&](const Eigen::VectorXd& u) {
      double top = 0.0;
      for (const Eigen::MatrixXd& e : edges) top = std::max(top, (e.transpose() * u).maxCoeff());
      return top / u.norm();
    };
    double sampled = kInfinity;
    for (int start = 0; start < 10; ++start) {
      Eigen::VectorXd u = gaussian(rng, 6).normalized();
      double value = height(u), step = 0.5;
      for (int k = 0; k < 3000; ++k) {
        const Eigen::VectorXd next = (u + step * gaussian(rng, 6)).normalized();
        if (const double h = height(next); h < value) {
          value = h;
          u = next;
        } else {
          step = std::max(1e-4, step * 0.995);
        }
      }
      sampled = std::min(sampled, value);
    }
    EXPECT_LE(result.epsilon_l1.lower, sampled);
    EXPECT_LT(result.epsilon_l1.upper, sampled * 1.01);  // what a walk finds in 6 dimensions is never better than this
    EXPECT_LE(result.epsilon_l1.upper - result.epsilon_l1.lower, 0.0101 * result.epsilon_l1.upper);
  }
}

/// Cutoffs end the search early with what is proved by then, and change nothing where they do not apply.
TEST(ClosureNumbers, EpsilonIsComparedWithCutoffs)
{
  Rng rng{29};
  ClosureChecker checker;
  int compared = 0;
  for (int i = 0; i < 12; ++i) {
    const bool plane = i % 4 != 0;
    const Grasp grasp = make_grasp(random_fingers(rng, 4 + i % 3, 6.0, plane), plane ? planar() : WrenchConvention{});
    const auto interval = [&](std::optional<double> at_least, std::optional<double> stop_below) {
      ClosureOptions options;
      options.form = options.force = options.explain = false;
      options.epsilon_l1 = true;
      options.epsilon_at_least = at_least;
      options.epsilon_stop_below = stop_below;
      return checker.check(grasp, options).epsilon_l1;
    };
    const Margin whole = interval({}, {});
    if (!(whole.lower > 0.0)) {
      EXPECT_EQ(interval(0.1, 0.1).upper, 0.0);
      continue;
    }
    ++compared;
    const Margin large = interval(0.7 * whole.lower, {}), small = interval({}, 1.5 * whole.upper);
    EXPECT_GE(large.lower, 0.7 * whole.lower);
    EXPECT_LE(large.lower, whole.upper);
    EXPECT_GE(large.upper, whole.lower);
    EXPECT_EQ(large.state, Margin::State::kUndecided);
    EXPECT_EQ(large.reason, "it is as large as what it was compared with");
    EXPECT_LT(small.upper, 1.5 * whole.upper);
    EXPECT_GE(small.upper, whole.lower);
    EXPECT_EQ(small.lower, 0.0);
    EXPECT_EQ(small.reason, "it is below what it was compared with");
    for (const Margin& same : {interval(1.5 * whole.upper, {}), interval({}, 0.7 * whole.lower)}) {
      EXPECT_EQ(same.state, Margin::State::kKnown);
      EXPECT_EQ(same.lower, whole.lower);
      EXPECT_EQ(same.upper, whole.upper);
    }
  }
  EXPECT_GT(compared, 5);
}

TEST(ClosureNumbers, DWithFrictionIsThatOverGenerators)
{
  // Two opposed planar fingers: all four edges equal, d = 1. Tilted by 0.1 each, the forces lie along the joining line:
  // slack 1 - tan(0.1)/mu at normal force 1.
  ClosureChecker checker;
  ClosureOptions options;
  options.d = true;
  const auto d = [&](double tilt) {
    return checker
        .check(make_grasp({planar_finger(-1, 0, std::cos(tilt), std::sin(tilt), 0.5),
                           planar_finger(1, 0, -std::cos(tilt), std::sin(tilt), 0.5)},
                          planar()),
               options)
        .d;
  };
  expect_near(d(0.0), 1.0);
  expect_near(d(0.1), 1.0 - std::tan(0.1) / 0.5);
}

TEST(ClosureNumbers, RateIsReproducibleAndFallsWithNoise)
{
  ClosureChecker checker;
  const std::vector<GraspContact> contacts = {planar_finger(-1, 0, 1, 0, 0.3), planar_finger(1, 0, -1, 0, 0.3)};
  ContactNoise noise;
  noise.angle = 0.02;
  noise.seed = 7;
  const ClosureRate calm = checker.rate(contacts, planar(), noise);
  EXPECT_EQ(calm.holds, 1000);  // the cones are 0.29 rad wide, fifteen standard deviations
  EXPECT_GT(calm.lower, 0.99);
  noise.angle = 0.29145679447786715;  // atan 0.3: one standard deviation each, closed if both are within
  noise.samples = 20000;
  const ClosureRate rough = checker.rate(contacts, planar(), noise);
  const double within = std::erf(1.0 / std::numbers::sqrt2);
  EXPECT_NEAR(rough.rate, within * within, 0.012);  // 3.5 standard errors
  EXPECT_LT(rough.lower, within * within);
  EXPECT_GT(rough.upper, within * within);
  EXPECT_EQ(rough.seed, 7u);
  EXPECT_EQ(rough.holds + rough.fails + rough.undecided, 20000);
  EXPECT_EQ(checker.rate(contacts, planar(), noise).holds, rough.holds);
  noise.seed = 8;
  EXPECT_NE(checker.rate(contacts, planar(), noise).holds, rough.holds);
  noise.samples = 0;
  EXPECT_THROW(checker.rate(contacts, planar(), noise), InputError);
}

}  // namespace
}  // namespace stiction
