// The search behind sticking, equilibrium and region: what it finds is checked by the meaning of forces and motions.
#include "ask/hold.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ask/line_cast.hpp"
#include "ask/separation.hpp"
#include "ask/slack.hpp"
#include "support/examples.hpp"
#include "support/random_problems.hpp"

namespace stiction::internal {
namespace {

using testing::Rng;

/// A contact problem whose loads are F, and what it takes to decide it.
struct HoldCase {
  explicit HoldCase(const ContactProblem& contacts) : problem(contacts)
  {
    workspace.engine = make_native_engine();
    loads.reset(problem);
    loads.e = problem.F;
    loads.e_scale = loads.e.cwiseAbs();
    build();
  }
  void build() { set.build(problem, {}, loads, std::vector<char>(problem.contacts.size(), 0)); }
  HoldProblem question() { return {set, loads}; }
  Verdict decide() { return internal::decide(question(), workspace, found); }

  /// Forces that balance the loads inside their (double) cones.
  void expect_forces(const Loads& at, const Eigen::VectorXd& x) const
  {
    Eigen::VectorXd lambda;
    set.to_lambda(x, lambda);
    EXPECT_LE((problem.J.transpose() * lambda - at.e).norm(), 1e-12 * (1.0 + at.e.norm()));
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const Contact& c = problem.contacts[i];
      FrictionCone cone = friction_cone(c, {});
      if (c.side == Side::kBilateral && lambda[c.row] < 0.0) cone.sign = -1.0;
      EXPECT_GE(stiction::slack(cone, lambda.segment(c.row, c.rows())), -1e-12 * (1.0 + lambda.norm()));
      EXPECT_LE(std::abs(lambda[c.row]), c.max_normal * (1.0 + 1e-12));
    }
  }
  /// Every sign pattern has a leaf whose motion is driven and opposed by no contact.
  void expect_leaves() const
  {
    ASSERT_FALSE(found.leaves.empty());
    const auto contacts = problem.contacts.size();
    for (unsigned pattern = 0; pattern < 1u << contacts; ++pattern) {
      const auto sign = [&](std::size_t i) { return pattern >> i & 1 ? 1 : -1; };
      const bool covered = std::ranges::any_of(found.leaves, [&](const MotionLeaf& leaf) {
        for (std::size_t i = 0; i < contacts; ++i)
          if (problem.contacts[i].side == Side::kBilateral && leaf.signs[i] * sign(i) < 0) return false;
        return true;
      });
      EXPECT_TRUE(covered) << "pattern " << pattern;
    }
    for (const MotionLeaf& leaf : found.leaves) {
      EXPECT_GT(gain(problem, leaf, loads), 0.0);
      for (std::size_t i = 0; i < contacts; ++i) {
        const Contact& c = problem.contacts[i];
        if (!set.needs_sign(i) && c.side == Side::kBilateral) continue;
        const Eigen::VectorXd h = problem.J.middleRows(c.row, c.rows()) * leaf.motion.head(problem.nv());
        FrictionCone cone = friction_cone(c, {});
        cone.sign = c.side == Side::kUnilateral ? 1.0 : leaf.signs[i];
        if (cone.sign != 0.0)
          EXPECT_LE(support(cone, h), 1e-10 * h.norm());
        else
          EXPECT_LE(h.norm(), 1e-9 * leaf.motion.norm());
      }
    }
  }

  ContactProblem problem;
  Loads loads;
  MultiplierSet set;
  HoldWorkspace workspace;
  HoldAnswer found;
};

TEST(Hold, FindsForcesOrMotions)
{
  Rng rng{21};
  int holds = 0, fails = 0;
  for (int i = 0; i < 60; ++i) {
    ContactProblem p = testing::random_contacts(rng, 3 + i % 5, 0.4);
    if (!testing::make_either(rng, p, i % 2 == 0)) continue;
    HoldCase one(p);
    if (i % 2 == 0) {
      ASSERT_EQ(one.decide(), Verdict::kHolds) << i;
      one.expect_forces(one.loads, one.found.forces);
      ++holds;
    } else {
      ASSERT_EQ(one.decide(), Verdict::kFails) << i;
      one.expect_leaves();
      ++fails;
    }
    EXPECT_EQ(one.found.verdict, internal::claim(one.question(), one.workspace, one.found)) << "the claim is the same";
  }
  EXPECT_GT(holds, 20);
  EXPECT_GT(fails, 5);
}

TEST(Hold, SearchesTheSignsOfBilateralContacts)
{
  Rng rng{22};
  int holds = 0, fails = 0, branched = 0;
  for (int i = 0; i < 80; ++i) {
    ContactProblem p = testing::random_contacts(rng, 3, 0.4, Side::kBilateral);
    testing::make_holding(rng, p);
    for (Contact& c : p.contacts) c.mu *= i % 2 ? 0.05 : 1.0;
    HoldCase one(p);
    EXPECT_EQ(internal::claim(one.question(), one.workspace, one.found), Verdict::kUndecided) << "signs need proofs";
    const Verdict verdict = one.decide();
    ASSERT_NE(verdict, Verdict::kUndecided) << i;
    if (verdict == Verdict::kHolds) {
      one.expect_forces(one.loads, one.found.forces);
      for (std::size_t c = 0; c < 3; ++c) {
        const double normal = one.found.forces[one.set.column(c)];
        EXPECT_GE(normal * one.found.signs[c], 0.0);
        EXPECT_NE(one.found.signs[c], 0);
      }
      ++holds;
    } else {
      one.expect_leaves();
      branched += one.found.leaves.size() > 1;
      ++fails;
    }
  }
  EXPECT_GT(holds, 30);
  EXPECT_GT(fails, 10);
  EXPECT_GT(branched, 3);
}

TEST(Hold, KeepsTheSignsItIsGiven)
{
  Rng rng{23};
  ContactProblem p = testing::random_contacts(rng, 4, 0.4, Side::kBilateral);
  testing::make_holding(rng, p);
  HoldCase one(p);
  ASSERT_EQ(one.decide(), Verdict::kHolds);
  const std::vector<int> held = one.found.signs;
  HoldProblem question = one.question();
  question.signs = &held;
  EXPECT_EQ(internal::decide(question, one.workspace, one.found), Verdict::kHolds);
  EXPECT_EQ(one.found.signs, held);
  int others = 0;
  for (unsigned pattern = 0; pattern < 16; ++pattern) {  // every pattern is decided, at most the held ones hold
    std::vector<int> signs(4);
    for (unsigned i = 0; i < 4; ++i) signs[i] = pattern >> i & 1 ? 1 : -1;
    question.signs = &signs;
    const Verdict verdict = internal::decide(question, one.workspace, one.found);
    if (verdict == Verdict::kHolds) {
      EXPECT_EQ(one.found.signs, signs);
      one.expect_forces(one.loads, one.found.forces);
    } else {
      ++others;
      ASSERT_EQ(verdict, Verdict::kFails);
      ASSERT_EQ(one.found.leaves.size(), 1u);
      EXPECT_EQ(one.found.leaves[0].signs, signs);
    }
  }
  EXPECT_GT(others, 0);
}

TEST(Hold, SaysWhenTheTreeIsTooLarge)
{
  Rng rng{24};
  for (int i = 0; i < 50; ++i) {
    ContactProblem p = testing::random_contacts(rng, 4, 0.4, Side::kBilateral);
    testing::make_holding(rng, p);
    for (Contact& c : p.contacts) c.mu *= 0.05;
    HoldCase one(p);
    if (one.decide() != Verdict::kFails || one.found.leaves.size() < 3) continue;
    HoldProblem question = one.question();
    question.branch_limit = 2;
    EXPECT_EQ(internal::decide(question, one.workspace, one.found), Verdict::kUndecided);
    EXPECT_NE(one.found.reason.find("more than 2 sign patterns"), std::string::npos);
    return;
  }
  FAIL() << "no tree of three leaves was drawn";
}

TEST(Hold, KeepsEffortsWithinTheirBounds)
{
  // A block on ground whose sideways degree of freedom has a motor of 1 N, without friction: pushes up to that are
  // held.
  for (const double push : {0.5, -0.5, 1.5, -1.5}) {
    HoldCase one(testing::block_on_ground(1.0, 0.4, 0.1, 0.0, push));
    one.loads.lower[0] = -1.0;
    one.loads.upper[0] = 1.0;
    one.build();
    EXPECT_EQ(one.decide(), std::abs(push) < 1.0 ? Verdict::kHolds : Verdict::kFails) << push;
    if (std::abs(push) > 1.0) {
      EXPECT_LT(one.found.leaves.at(0).motion[0] * push, 0.0);  // M a + F = J'λ + τ: F is -push
    }
  }
}

TEST(Hold, DoesNotDependOnWhatWasDecidedBefore)
{
  Rng rng{25};
  ContactProblem p = testing::random_contacts(rng, 5, 0.4, Side::kBilateral);
  testing::make_holding(rng, p);
  HoldCase one(p);
  ASSERT_EQ(one.decide(), Verdict::kHolds);
  const HoldAnswer first = one.found;
  // Another friction, other signs, other loads, a cast, more slack: none of it is in the way of the next decision.
  least_friction(one.question(), -1, {-1.0, 1.0}, one.workspace, one.found);
  Loads slope;
  slope.set_zero(one.problem);
  slope.e = -one.loads.e;
  LineCaster caster;
  LineCast line;
  caster.cast(one.question(), slope, 0.0, first, {}, one.workspace, line);
  SlackSearch slack;
  HoldAnswer deep = first;
  slack.deepen(one.question(), nullptr, false, one.workspace, deep);
  one.workspace.engine->forget();
  ASSERT_EQ(one.decide(), Verdict::kHolds);
  EXPECT_EQ(one.found.signs, first.signs);
  EXPECT_EQ(one.found.forces, first.forces);
}

TEST(LineCast, EndsWhereTheBlockSlidesOrTips)
{
  // Pushed at its centre, a block slides at mu m g and tips at m g L / l.
  const double weight = 9.81;
  for (const auto& [mu, l] : {std::pair{0.3, 0.5}, {0.6, 0.5}, {0.6, 1.2}}) {
    const double L = 0.4, limit = std::min(mu * weight, weight * L / l);
    HoldCase one(testing::block_on_ground(1.0, L, l, mu, 0.0));
    const HoldCase pushed(testing::block_on_ground(1.0, L, l, mu, 1.0));
    ASSERT_EQ(one.decide(), Verdict::kHolds);
    Loads slope;
    slope.set_zero(one.problem);
    slope.e = pushed.loads.e - one.loads.e;
    LineOptions how;
    how.scale = 1.0;
    LineCaster caster;
    LineCast line;
    caster.cast(one.question(), slope, 0.0, one.found, how, one.workspace, line);
    EXPECT_EQ(line.end, LineCast::End::kBounded);
    EXPECT_NEAR(line.lower, limit, 1e-8);
    EXPECT_NEAR(line.upper, limit, 1e-8);
    EXPECT_LE(line.lower, line.upper);
    Loads at;
    at.set_line(one.loads, line.lower, slope);
    one.expect_forces(at, line.forces);
    ASSERT_FALSE(line.leaves.empty());
    at.set_line(one.loads, line.upper + 1e-6, slope);
    EXPECT_GT(gain(one.problem, line.leaves[0], at), 0.0);
    at.set_line(one.loads, line.upper - 1e-6, slope);
    EXPECT_LT(gain(one.problem, line.leaves[0], at), 0.0);
  }
}

TEST(LineCast, SeesALineWithoutEnd)
{
  HoldCase one(testing::block_on_ground(1.0, 0.4, 0.5, 0.6, 0.0));
  ASSERT_EQ(one.decide(), Verdict::kHolds);
  Loads slope = one.loads;  // ever heavier
  slope.max_normal.setZero();
  LineOptions how;
  LineCaster caster;
  LineCast line;
  caster.cast(one.question(), slope, 0.0, one.found, how, one.workspace, line);
  EXPECT_EQ(line.end, LineCast::End::kUnbounded);
  how.cap = 3.0;
  caster.cast(one.question(), slope, 0.0, one.found, how, one.workspace, line);
  EXPECT_EQ(line.lower, 3.0);
  Loads at;
  at.set_line(one.loads, 3.0, slope);
  one.expect_forces(at, line.forces);
}

TEST(LineCast, EndsWhereTheFeetCarryTheirMost)
{
  ContactProblem p = testing::block_on_ground(1.0, 0.4, 0.5, 0.6, 0.0);
  for (Contact& c : p.contacts) c.max_normal = 6.0;
  HoldCase one(p);
  ASSERT_EQ(one.decide(), Verdict::kHolds);
  Loads slope = one.loads;  // ever heavier, while the limits stay
  slope.max_normal.setZero();
  LineCaster caster;
  LineCast line;
  caster.cast(one.question(), slope, 0.0, one.found, {}, one.workspace, line);
  EXPECT_EQ(line.end, LineCast::End::kBounded);
  EXPECT_NEAR(line.lower, 12.0 / 9.81 - 1.0, 1e-8);
  EXPECT_NEAR(line.upper, 12.0 / 9.81 - 1.0, 1e-8);
}

TEST(CommonSlack, IsSharedByTheFeetOfABlock)
{
  // Without a push each of the two feet carries half of the weight, which is all the slack there is.
  HoldCase one(testing::block_on_ground(2.0, 0.4, 0.5, 0.5, 0.0));
  ASSERT_EQ(one.decide(), Verdict::kHolds);
  SlackSearch slack;
  HoldAnswer deep = one.found;
  const SlackSearch::Depth depth = slack.deepen(one.question(), nullptr, false, one.workspace, deep, 1e-9);
  EXPECT_TRUE(depth.any);
  EXPECT_NEAR(depth.slack, 9.81, 1e-6);
  one.expect_forces(one.loads, deep.forces);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(deep.forces[one.set.column(i)], 9.81, 1e-6);
  deep = one.found;
  EXPECT_TRUE(slack.give(one.question(), nullptr, 5.0, one.workspace, deep));
  one.expect_forces(one.loads, deep.forces);
  for (std::size_t i = 0; i < 2; ++i) {
    const Contact& c = one.problem.contacts[i];
    EXPECT_GE(stiction::slack(friction_cone(c, {}), deep.forces.segment(one.set.column(i), c.rows())), 5.0 - 1e-9);
  }
  const Eigen::VectorXd before = deep.forces;
  EXPECT_FALSE(slack.give(one.question(), nullptr, 10.0, one.workspace, deep));
  EXPECT_EQ(deep.forces, before);
}

TEST(LeastFriction, IsThatOfABlockBeingPushed)
{
  for (const double push : {1.0, 3.0, 6.0}) {
    HoldCase one(testing::block_on_ground(1.0, 0.4, 0.3, 0.5, push));
    const FrictionBracket bracket = least_friction(one.question(), -1, {}, one.workspace, one.found);
    ASSERT_TRUE(bracket.known && bracket.upper);
    EXPECT_NEAR(*bracket.upper, push / 9.81 / 0.5, 1e-6);
    EXPECT_LE(bracket.lower, push / 9.81 / 0.5 + 1e-12);
    EXPECT_GE(bracket.lower, (push / 9.81 / 0.5) * (1.0 - 2e-7));
  }
  HoldCase tips(testing::block_on_ground(1.0, 0.2, 1.0, 0.5, 4.0));
  const FrictionBracket none = least_friction(tips.question(), -1, {}, tips.workspace, tips.found);
  EXPECT_TRUE(none.known);
  EXPECT_FALSE(none.upper) << "it tips whatever the friction";
}

TEST(Separation, OpensEveryContactOfATippingBlock)
{
  HoldCase one(testing::block_on_ground(1.0, 0.2, 1.0, 0.5, 2.5));
  ASSERT_EQ(one.decide(), Verdict::kFails);
  std::vector<MotionLeaf> leaves = one.found.leaves;
  ASSERT_TRUE(sharpen(one.set, one.loads, one.workspace, leaves));
  for (const MotionLeaf& leaf : leaves) {
    EXPECT_GT(gain(one.problem, leaf, one.loads), 0.0);
    for (const Contact& c : one.problem.contacts) {
      const Eigen::VectorXd h = one.problem.J.middleRows(c.row, c.rows()) * leaf.motion.head(3);
      EXPECT_LT(support(friction_cone(c, {}), h), 0.0) << "clearly separates";
    }
  }
}

}  // namespace
}  // namespace stiction::internal
