#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proof/examples.hpp"
#include "stiction/words.hpp"

namespace stiction {
namespace {

using namespace examples;

/// Planar x-z frames for the block's contacts: normal up, tangent along +x.
void set_frames(ContactProblem& p)
{
  for (Contact& c : p.contacts) c.axes_W << 0, 1, 0, 0, 0, 1, 1, 0, 0;  // columns (0,0,1), (1,0,0), (0,1,0)
}

Eigen::VectorXd at_rest(const ContactProblem& p) { return Eigen::VectorXd::Zero(p.nv()); }

/// A failing case with the motion v, and what is said about it.
Failure failing(const ContactProblem& p, const Eigen::VectorXd& v, FailureCause cause, Remedies defied = 0)
{
  Failure failure;
  failure.cause = cause;
  failure.defied = defied;
  failure.motion = v;
  failure.signs.assign(p.contacts.size(), 0);
  return failure;
}
std::string words_of(const ContactProblem& p, const StickingRules& rules, const Failure& failure)
{
  return describe_failure(p, rules, motion(p, at_rest(p), Eigen::VectorXd::Zero(p.rows()), -failure.motion), failure);
}
constexpr FailureCause kNothing = FailureCause::kNothing, kFriction = FailureCause::kFriction;

TEST(Words, TippingNamesTheLiftingAndTheCarryingContacts)
{
  const ContactProblem p = block(2.0, 6.0);
  EXPECT_EQ(words_of(p, kForbidden, failing(p, vec({0.5, 0.2, -1}), kNothing, kMoreFriction)),
            "tips: left lifts while right carries");
  EXPECT_EQ(words_of(p, kForbidden, failing(p, vec({-0.5, 0.2, 1}), kNothing, kMoreFriction)),
            "tips: right lifts while left carries");
}

TEST(Words, SlidingNamesTheDirectionOfTheMotionWhenFramesAreKnown)
{
  ContactProblem p = block(0.3, 4.0);
  const Failure push = failing(p, vec({1, 0.3, 0}), kFriction);  // along +x
  EXPECT_EQ(words_of(p, {}, push), "slides: left and right slip");
  set_frames(p);
  EXPECT_EQ(words_of(p, {}, push), "slides along (+1, 0, 0): left and right slip");
  EXPECT_EQ(words_of(p, {}, failing(p, vec({-2, 0.6, 0}), kFriction)), "slides along (-1, 0, 0): left and right slip");
  for (Contact& contact : p.contacts) contact.axes_W.col(1) = Eigen::Vector3d(-0.6, 0.8, 0);
  EXPECT_EQ(words_of(p, {}, push), "slides along (-0.6, +0.8, 0): left and right slip");
}

TEST(Words, DirectionsHalfwayBetweenTwoRoundedOnesDoNotFlicker)
{
  ContactProblem p = block(0.3, 4.0);
  const Failure push = failing(p, vec({1, 0.3, 0}), kFriction);
  std::string told;
  for (const double change : {-1e-9, 0.0, 1e-9}) {
    for (Contact& contact : p.contacts) contact.axes_W.col(1) = Eigen::Vector3d(0.125 + change, 0, 0.9921567416492215);
    const std::string text = words_of(p, {}, push);
    EXPECT_TRUE(told.empty() || text == told) << text << told;
    told = text;
  }
  EXPECT_EQ(told, "slides along (+0.13, 0, +0.99): left and right slip");
}

TEST(Words, TippingWhileSliding)
{
  const ContactProblem p = block(0.3, 6.0);
  // About a point above ground level: the right corner slips outwards, the left one rises.
  const Eigen::VectorXd v = vec({0.5 + 1.0, 0.2 + 0.3, -1});
  ASSERT_NEAR((p.J * v)[0], 0.3 * (p.J * v)[1], 1e-12);
  EXPECT_EQ(words_of(p, kForbidden, failing(p, v, kFriction)), "slides: right slips while left lifts");
}

TEST(Words, TheFirstWordIsTheCauseWhateverMoves)
{
  ContactProblem p = block(0.3, 4.0);
  p.actuators = {{"knee", 2, -3.0, 3.0}};
  const Eigen::VectorXd v = vec({1.5, 0.5, -1});
  EXPECT_EQ(words_of(p, kForbidden, failing(p, v, FailureCause::kMotors)),
            "no joint efforts are given, and with enough of them it would hold (right slips, left lifts)");
  EXPECT_EQ(words_of(p, kForbidden, failing(p, v, FailureCause::kEffort)),
            "too weak: knee is at its limit (right slips, left lifts)");
  Failure several = failing(p, v, FailureCause::kSeveral);
  several.helps = kMoreFriction | kMoreEffort;
  EXPECT_EQ(words_of(p, kForbidden, several),
            "gives way: right slips, left lifts; only larger effort limits and more friction together would hold it");
  EXPECT_EQ(words_of(p, kForbidden, failing(p, v, FailureCause::kUnknown)), "gives way: right slips, left lifts");
  Failure loose = failing(p, v, kNothing, kMoreFriction);
  loose.pressed = false;
  EXPECT_EQ(words_of(p, kForbidden, loose),
            "gives way: right slips, left lifts, and no friction holds on, as nothing presses there");
}

TEST(Words, RoundingDoesNotMove)
{
  ContactProblem p = block(0.3, 4.0);
  p.actuators = {{"knee", 2, -3.0, 3.0}};
  const Eigen::VectorXd still = vec({0.5, 0.2, -1});  // about the right corner, whose row has rounding left
  p.J.bottomRows(2).setZero();
  p.J(0, 2) *= 1.0 + 1e-14;
  ASSERT_NE((p.J * still)[0], 0.0);
  EXPECT_EQ(words_of(p, kForbidden, failing(p, still, FailureCause::kEffort)), "too weak: knee is at its limit");
}

TEST(Words, WhatHasNoFrictionIsNotSaidToSlide)
{
  const ContactProblem p = block(0.0, 4.0);
  EXPECT_EQ(words_of(p, {}, failing(p, vec({1, 0, 0}), kNothing)),
            "gives way: left and right slip: they have no friction");
}

TEST(Words, AContactThatOnlyLosesItsOwnBodyDoesNotTip)
{
  const ContactProblem p = guide(0.5, 0.5, -30.0, -1.0);
  EXPECT_EQ(words_of(p, kForbidden, failing(p, vec({0, 0, 0, 1}), kNothing)),
            "no admissible force holds finger_2 in place: it loses contact");
}

TEST(Words, FallingThroughTheFingers)
{
  const ContactProblem p = guide(0.4, 0.7, -1.0, 1.0);
  EXPECT_EQ(words_of(p, {}, failing(p, vec({0, -1, -0.4, 0.7}), kFriction)), "slides: finger_1 and finger_2 slip");
}

TEST(Words, ContactsThatAreGoneAreNotMentioned)
{
  ContactProblem p = block(0.3, 4.0);
  p.gamma[2] = 1.0;
  const Failure push = failing(p, vec({1, 0.3, 0}), kFriction);
  EXPECT_EQ(words_of(p, {}, push), "slides: right slips");
  EXPECT_EQ(words_of(p, kForbidden, push), "slides: left and right slip");
}

TEST(Words, ContactsThatAreGoneDoNotCarry)
{
  ContactProblem p = block(2.0, 6.0);
  add_contact(p, "spare", 2.0, {vec({0, 1, 0.2}), vec({1, 0, 0.5})});
  p.gamma[4] = 1.0;
  const Failure tips = failing(p, vec({0.5, 0.2, -1}), kNothing, kMoreFriction);
  EXPECT_EQ(words_of(p, {}, tips), "tips: left lifts while right carries");
  EXPECT_EQ(words_of(p, kForbidden, tips), "tips: left lifts while right and spare carry");
}

TEST(Words, LimitsAndTwistsAndSignCases)
{
  ContactProblem heavy = system(vec({1}), vec({kWeight}));
  add_contact(heavy, "foot", 0.5, {vec({1})}).max_normal = 5.0;
  EXPECT_EQ(words_of(heavy, {}, failing(heavy, vec({-1}), FailureCause::kLimits)),
            "overloads: foot would have to push beyond its largest normal force");

  ContactProblem pad = system(vec({1, 1}), vec({kWeight, -1}));
  add_contact(pad, "pad", 0.0, {vec({1, 0})}).torsional = true;
  append_rows(pad, {vec({0, 1})});
  pad.contacts[0].torsion = 0.01;
  EXPECT_EQ(words_of(pad, {}, failing(pad, vec({0.01, 1}), kFriction)), "twists: pad turns about its normal");

  const ContactProblem rail = rough_guide(0.2, 0.2, 0.1, -5, 9);
  Failure slips = failing(rail, vec({0.1, -1, -0.1, 0.3}), kFriction);
  slips.signs[2] = 1;
  EXPECT_EQ(words_of(rail, {}, slips),
            "slides: finger_1, finger_2 and rail slip (if rail pushes; otherwise it fails as well)");
}

TEST(Words, WhatNothingHoldsIsNamed)
{
  ContactProblem p = system(vec({1, 1}), vec({0, 5}));
  p.dof_names = {"cart", "lift"};
  EXPECT_EQ(words_of(p, {}, failing(p, vec({0, -5}), kNothing)), "there are no contacts, and nothing else holds lift");
  add_contact(p, "wall", 0.0, {vec({1, 0})});
  EXPECT_EQ(words_of(p, {}, failing(p, vec({0, -5}), kNothing)), "nothing holds lift: no contact opposes that motion");
}

TEST(Words, AccelerationsHaveNumbers)
{
  ContactProblem p = system(vec({2, 2, 2, 1, 1, 1, 1}), vec({0, 0, 20, 0, 0, 0, 0}));
  p.dof_names = {"b[0]", "b[1]", "b[2]", "b[3]", "b[4]", "b[5]", "arm"};
  EXPECT_EQ(describe_acceleration(p, Eigen::VectorXd::Zero(7)), "");
  EXPECT_EQ(describe_acceleration(p, vec({0, 0, 0, 0, 0, 0, -3.25})),
            "it moves: arm accelerates by 3.25 (m/s² or rad/s²)");
  for (int i = 0; i < 6; ++i) p.dofs.push_back({"b", "", i, 6});
  p.dofs.push_back({"b", "arm", 0, 1});
  EXPECT_EQ(describe_acceleration(p, vec({0, 0, -10, 0, 0, 0, 0})), "it falls: 10 m/s²");
  EXPECT_EQ(describe_acceleration(p, vec({0, 0, 2, 0, 0, 0, 0})), "it moves: 2 m/s²");
  add_contact(p, "foot", 0.5, {vec({0, 0, 1, 0, 0, 0, 0}), vec({1, 0, 0, 0, 0, 0, 0}), vec({0, 1, 0, 0, 0, 0, 0})});
  set_frames(p);
  EXPECT_EQ(describe_acceleration(p, vec({0, 0, -10, 0, 0, 0, 0})), "it falls: 10 m/s² down");
  EXPECT_EQ(describe_acceleration(p, vec({1, 0, 0, 0, 0, 0, 0})), "it moves: 1 m/s² along (+1, 0, 0)");
  p.gamma[0] = -1.0;  // moves, so that the axes of its base may turn
  EXPECT_EQ(describe_acceleration(p, vec({1, 0, 0, 0, 0, 0, 0})), "");
}

TEST(Words, ContradictingRowsAreNamed)
{
  ContactProblem p = system(vec({1, 1}), vec({0, 0}));
  add_contact(p, "left_toe", 0.5, {vec({1, 0}), vec({0, 1})});
  add_closure(p, "guide", {vec({1, 0})});
  add_closure(p, "idle", {vec({0, 1})});
  p.gamma << -1, 0, 0, 0;
  EXPECT_EQ(describe_failure(p, {}, {CertificateKind::kContradiction, {}, vec({1, 0, -1, 1e-15}), {}}, {}),
            "these constraints contradict each other: left_toe (normal) and guide");
  p.J.row(2).setZero();
  p.gamma << 0, 0, 1, 0;
  EXPECT_EQ(describe_failure(p, {}, {CertificateKind::kContradiction, {}, vec({0, 0, -1, 0}), {}}, {}),
            "guide cannot be kept: no acceleration satisfies it");
}

TEST(Words, UnbalancedForcesNameTheirDegreesOfFreedom)
{
  ContactProblem p = system(vec({1, 0}), vec({0, 1}));
  const Certificate c{CertificateKind::kUnbalanced, vec({0, -1}), {}, {}};
  EXPECT_THAT(describe_failure(p, {}, c, {}),
              ::testing::StartsWith("nothing can balance the forces on degree of freedom 1"));
  p.dof_names = {"base", "slider"};
  EXPECT_THAT(describe_failure(p, {}, c, {}), ::testing::StartsWith("nothing can balance the forces on slider:"));
}

TEST(Words, ManyContactsAreCountedAndOtherCertificatesAreSilent)
{
  ContactProblem p = system(vec({1, 1}), vec({-9, kWeight}));
  for (const char* name : {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"})
    add_contact(p, name, 0.1, {vec({0, 1}), vec({1, 0})});
  EXPECT_EQ(words_of(p, {}, failing(p, vec({1, 0.1}), kFriction)), "slides: 9 of 9 contacts slip");
  const Failure slips = failing(p, vec({1, 0.1}), kFriction);
  EXPECT_EQ(list_failing_contacts(p, {}, motion(p, at_rest(p), Eigen::VectorXd::Zero(18), -slips.motion), slips),
            "slip: c0, c1, c2, c3, c4, c5, c6, c7, c8");
  EXPECT_EQ(describe_failure(p, {}, {}, {}), "");
  EXPECT_EQ(describe_failure(p, {}, forces(vec({0, 0}), Eigen::VectorXd::Zero(18)), {}), "");
}

}  // namespace
}  // namespace stiction
