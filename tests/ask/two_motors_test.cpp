// Several motors on one degree of freedom add up, whoever asks.
#include <gtest/gtest.h>

#include "stiction/closure.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/region.hpp"
#include "support/limbs.hpp"

namespace stiction {
namespace {

constexpr double kBoxWeight = 9.81;

/// A finger (degree of freedom 0, along x) presses a body (1: x, 2: y) against a wall; friction carries its weight as
/// long as mu times both normal forces reaches it: the finger needs an effort of the weight for mu = 0.5.
ContactProblem pressed(const std::vector<Actuator>& motors)
{
  ContactProblem p;
  p.M = Eigen::Vector3d(0.1, 1, 1).asDiagonal();
  p.F = Eigen::Vector3d(0, 0, kBoxWeight);
  p.J.resize(4, 3);
  p.J << -1, 1, 0,  // finger, normal and tangent
      0, 0, 1,      //
      0, -1, 0,     // wall
      0, 0, 1;
  p.gamma = Eigen::VectorXd::Zero(4);
  p.contacts.resize(2);
  for (int i = 0; i < 2; ++i) {
    Contact& c = p.contacts[static_cast<std::size_t>(i)];
    c.name = i == 0 ? "finger" : "wall";
    c.row = 2 * i;
    c.tangents = 1;
    c.mu = 0.5;
  }
  p.actuators = motors;
  return p;
}

Verdict resists(const ContactProblem& p)
{
  Grasp grasp;
  set_grasp(p, {1, 2}, {}, ConeShape::exact(), grasp);
  ResistResult result;
  ClosureChecker().resists(grasp, Eigen::Vector2d(0, -kBoxWeight), result);
  return result.verdict;
}

TEST(TwoMotors, AddUpInEquilibriumAndInClosure)
{
  const std::vector<Actuator> strong = {{"one", 0, -5, 5}, {"two", 0, -6, 6}};
  const std::vector<Actuator> weak = {{"one", 0, -6, 6}, {"two", 0, 0, 3}};
  EXPECT_EQ(EquilibriumChecker().check(pressed(strong)).verdict, Verdict::kHolds);
  EXPECT_EQ(resists(pressed(strong)), Verdict::kHolds);
  EXPECT_EQ(EquilibriumChecker().check(pressed(weak)).verdict, Verdict::kFails);
  EXPECT_EQ(resists(pressed(weak)), Verdict::kFails);
  // One of them may even push the wrong way.
  const std::vector<Actuator> against = {{"one", 0, 11, 12}, {"two", 0, -1, -0.5}};
  EXPECT_EQ(EquilibriumChecker().check(pressed(against)).verdict, Verdict::kHolds);
  EXPECT_EQ(resists(pressed(against)), Verdict::kHolds);
}

TEST(TwoMotors, AddUpInRegions)
{
  testing::Stance s = testing::make_stance(10.0, {0.0, 0.0, 1.0});
  testing::add_flat_foot(s, Eigen::Vector3d::Zero(), 0.5, 0.5, 0.5);
  // No leg may carry more than 0.4 of the weight.
  const testing::Stance legs = testing::on_legs(s, 0.4 * 10.0 * kBoxWeight);
  ContactProblem halves = legs.problem;
  halves.actuators.clear();
  for (const Actuator& motor : legs.problem.actuators)
    for (const double share : {0.25, 0.75})
      halves.actuators.push_back(
          {motor.name + (share < 0.5 ? " a" : " b"), motor.dof, share * motor.lower, share * motor.upper});
  const RegionResult whole = RegionChecker().check(legs.problem, {}, legs.shift, legs.position);
  const RegionResult shared = RegionChecker().check(halves, {}, legs.shift, legs.position);
  ASSERT_EQ(shared.kind, RegionKind::kBounded) << shared.reason;
  EXPECT_EQ(shared.verdict, whole.verdict);
  EXPECT_NEAR(shared.area.lower, whole.area.lower, 1e-9);
  EXPECT_NEAR(shared.area.upper, whole.area.upper, 1e-9);
}

}  // namespace
}  // namespace stiction
