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

TEST(Words, TippingNamesTheLiftingAndTheCarryingContacts)
{
  const ContactProblem p = block(2.0, 6.0);
  const Certificate c = motion(p, at_rest(p), Eigen::VectorXd::Zero(4), -vec({0.5, 0.2, -1}));
  EXPECT_EQ(describe_failure(p, kForbidden, c), "tips: left lifts while right carries");
  const Certificate other_way = motion(p, at_rest(p), Eigen::VectorXd::Zero(4), -vec({-0.5, 0.2, 1}));
  EXPECT_EQ(describe_failure(p, kForbidden, other_way), "tips: right lifts while left carries");
}

TEST(Words, SlidingNamesTheDirectionOfTheMotionWhenFramesAreKnown)
{
  ContactProblem p = block(0.3, 4.0);
  const Certificate c = motion(p, at_rest(p), Eigen::VectorXd::Zero(4), vec({-1, -0.3, 0}));
  EXPECT_EQ(describe_failure(p, {}, c), "slides: right and left slip");
  set_frames(p);
  EXPECT_EQ(describe_failure(p, {}, c), "slides along (+1, 0, 0): right and left slip");  // the push was along +x
  const Certificate back = motion(p, at_rest(p), Eigen::VectorXd::Zero(4), vec({2, -0.6, 0}));
  EXPECT_EQ(describe_failure(p, {}, back), "slides along (-1, 0, 0): right and left slip");
  for (Contact& contact : p.contacts) contact.axes_W.col(1) = Eigen::Vector3d(-0.6, 0.8, 0);
  EXPECT_EQ(describe_failure(p, {}, c), "slides along (-0.6, +0.8, 0): right and left slip");
}

TEST(Words, TippingWhileSliding)
{
  const ContactProblem p = block(0.3, 6.0);
  // About a point above ground level: the right corner slips outwards, the left one rises.
  const Eigen::VectorXd v = vec({0.5 + 1.0, 0.2 + 0.3, -1});
  const Certificate c = motion(p, at_rest(p), Eigen::VectorXd::Zero(4), -v);
  ASSERT_NEAR((p.J * v)[0], 0.3 * (p.J * v)[1], 1e-12);
  EXPECT_EQ(describe_failure(p, kForbidden, c), "slides: right slips while left lifts");
}

TEST(Words, AContactThatOnlyLosesItsOwnBodyDoesNotTip)
{
  const ContactProblem p = guide(0.5, 0.5, -30.0, -1.0);
  const Certificate c = motion(p, at_rest(p), Eigen::VectorXd::Zero(5), vec({0, 0, 0, -1}));
  EXPECT_EQ(describe_failure(p, kForbidden, c), "no admissible force holds finger_2 in place: it loses contact");
}

TEST(Words, FallingThroughTheFingers)
{
  const ContactProblem p = guide(0.4, 0.7, -1.0, 1.0);
  const Certificate c = motion(p, at_rest(p), Eigen::VectorXd::Zero(5), vec({0, 1, 0.4, -0.7}));
  EXPECT_EQ(describe_failure(p, {}, c), "slides: finger_1 and finger_2 slip");
}

TEST(Words, ContactsThatAreGoneAreNotMentioned)
{
  ContactProblem p = block(0.3, 4.0);
  Certificate c = motion(p, vec({0, 0, 0}), Eigen::VectorXd::Zero(4), vec({-1, -0.3, 0}));
  p.gamma[2] = 1.0;
  EXPECT_EQ(describe_failure(p, {}, c), "slides: right slips");
  EXPECT_EQ(describe_failure(p, kForbidden, c), "slides: right and left slip");
}

TEST(Words, ContactsThatAreGoneDoNotCarry)
{
  ContactProblem p = block(2.0, 6.0);
  add_contact(p, "spare", 2.0, {vec({0, 1, 0.2}), vec({1, 0, 0.5})});
  p.gamma[4] = 1.0;
  const Certificate c = motion(p, at_rest(p), Eigen::VectorXd::Zero(6), -vec({0.5, 0.2, -1}));
  EXPECT_EQ(describe_failure(p, {}, c), "tips: left lifts while right carries");
  EXPECT_EQ(describe_failure(p, kForbidden, c), "tips: left lifts while right and spare carry");
}

TEST(Words, LimitsAndTwistsAndSignCases)
{
  ContactProblem heavy = system(vec({1}), vec({kWeight}));
  add_contact(heavy, "foot", 0.5, {vec({1})}).max_normal = 5.0;
  EXPECT_EQ(describe_failure(heavy, {}, motion(heavy, vec({0}), vec({0}), vec({1, 1}))),
            "overloads: foot would have to push beyond the largest normal force");

  ContactProblem pad = system(vec({1, 1}), vec({kWeight, -1}));
  add_contact(pad, "pad", 0.0, {vec({1, 0})}).torsional = true;
  append_rows(pad, {vec({0, 1})});
  pad.contacts[0].torsion = 0.01;
  EXPECT_EQ(describe_failure(pad, {}, motion(pad, vec({0, 0}), vec({0, 0}), vec({-0.01, -1}))),
            "twists: pad turns about its normal");

  const ContactProblem rail = rough_guide(0.2, 0.2, 0.1, -5, 9);
  Certificate tree{CertificateKind::kMotion, at_rest(rail), Eigen::VectorXd::Zero(6), {}};
  tree.leaves.push_back({{0, 0, 1}, vec({-0.1, 1, 0.1, -0.3})});
  tree.leaves.push_back({{0, 0, -1}, vec({1, 0, 1, 1})});
  EXPECT_EQ(describe_failure(rail, {}, tree),
            "slides: finger_1, finger_2 and rail slip (if rail pushes; it fails in each of the 2 sign cases)");
  std::swap(tree.leaves[0], tree.leaves[1]);  // the leaf that only refutes pulling has nothing to tell
  EXPECT_EQ(describe_failure(rail, {}, tree),
            "slides: finger_1, finger_2 and rail slip (if rail pushes; it fails in each of the 2 sign cases)");
  tree.leaves.pop_back();
  EXPECT_EQ(describe_failure(rail, {}, tree), "no contact opposes the motion that the applied forces drive");
}

TEST(Words, ContradictingRowsAreNamed)
{
  ContactProblem p = system(vec({1, 1}), vec({0, 0}));
  add_contact(p, "left_toe", 0.5, {vec({1, 0}), vec({0, 1})});
  add_closure(p, "guide", {vec({1, 0})});
  add_closure(p, "idle", {vec({0, 1})});
  p.gamma << -1, 0, 0, 0;
  EXPECT_EQ(describe_failure(p, {}, {CertificateKind::kContradiction, {}, vec({1, 0, -1, 1e-15}), {}}),
            "these constraints contradict each other: left_toe (normal) and guide");
  p.J.row(2).setZero();
  p.gamma << 0, 0, 1, 0;
  EXPECT_EQ(describe_failure(p, {}, {CertificateKind::kContradiction, {}, vec({0, 0, -1, 0}), {}}),
            "guide cannot be kept: no acceleration satisfies it");
}

TEST(Words, UnbalancedForcesNameTheirDegreesOfFreedom)
{
  ContactProblem p = system(vec({1, 0}), vec({0, 1}));
  const Certificate c{CertificateKind::kUnbalanced, vec({0, -1}), {}, {}};
  EXPECT_THAT(describe_failure(p, {}, c),
              ::testing::StartsWith("nothing can balance the forces on degree of freedom 1"));
  p.dof_names = {"base", "slider"};
  EXPECT_THAT(describe_failure(p, {}, c), ::testing::StartsWith("nothing can balance the forces on slider:"));
}

TEST(Words, LongListsAreCutAndOtherCertificatesAreSilent)
{
  ContactProblem p = system(vec({1, 1}), vec({-9, kWeight}));
  for (const char* name : {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"})
    add_contact(p, name, 0.1, {vec({0, 1}), vec({1, 0})});
  EXPECT_EQ(describe_failure(p, {}, motion(p, vec({0, 0}), Eigen::VectorXd::Zero(18), vec({-1, -0.1}))),
            "slides: c0, c1, c2, c3, c4 and 4 more slip");
  EXPECT_EQ(describe_failure(p, {}, {}), "");
  EXPECT_EQ(describe_failure(p, {}, forces(vec({0, 0}), Eigen::VectorXd::Zero(18))), "");
}

}  // namespace
}  // namespace stiction
