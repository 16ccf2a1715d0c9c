#include "stiction/equilibrium.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/error.hpp"
#include "support/limbs.hpp"

namespace stiction {
namespace {

using testing::add_contact;
using testing::add_flat_foot;
using testing::add_foot;
using testing::gaussian;
using ::testing::HasSubstr;
using testing::Limbed;
using testing::make_stance;
using testing::on_legs;
using testing::random_limbed;
using testing::random_stance;
using testing::Rng;
using testing::Stance;
using testing::uniform;

constexpr double kWeight = 9.81;

/// The known value is inside a proved interval that is as narrow as asked.
void expect_margin(const Margin& margin, double value, double relative = 1e-6)
{
  EXPECT_EQ(margin.state, Margin::State::kKnown) << margin.reason;
  const double rounding = 1e-12 * std::abs(value);
  EXPECT_LE(margin.lower, value + rounding);
  EXPECT_GE(margin.upper, value - rounding);
  EXPECT_LE(margin.upper - margin.lower, relative * std::max(std::abs(value), 1e-9));
}

class Equilibrium : public ::testing::TestWithParam<const char*> {
 protected:
  EquilibriumChecker checker{make_engine(GetParam())};
  bool native = std::string(GetParam()) == "native";

  Verdict verdict(const ContactProblem& p, const Eigen::VectorXd& a = {}, ConeShape shape = {})
  {
    EquilibriumOptions options;
    options.shape = shape;
    options.largest_slack = false;
    options.structure = false;
    const EquilibriumResult result = checker.check(p, a, options);
    if (result.verdict != Verdict::kUndecided) {
      EXPECT_EQ(judge_equilibrium(p, a, shape, result.certificate), result.verdict);
    }
    return result.verdict;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Equilibrium, ::testing::Values("native", "qpoases"),
                         [](const auto& engine) { return std::string(engine.param); });

/// From the tests of hpp-centroidal-dynamics: four points, m = 54, mu = 0.3, com 1 m above their middle.
Stance four_points(double mu = 0.3)
{
  Stance s = make_stance(54.0, {0, 0, 1});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.05, 0.1, mu);
  return s;
}

/// An arm with two motors without limits, loaded with 3 and -1 N m, and no contact.
ContactProblem arm()
{
  ContactProblem p;
  p.M.setIdentity(2, 2);
  p.F.resize(2);
  p.F << 3.0, -1.0;
  p.J.resize(0, 2);
  p.gamma.resize(0);
  p.actuators = {{"shoulder", 0}, {"elbow", 1}};
  return p;
}

TEST_P(Equilibrium, GeneratorsMarginIsTheRobustnessOfThePeer)
{
  EquilibriumOptions options;
  options.shape = ConeShape::inner(4);
  options.generators = true;
  Stance s = four_points();
  expect_margin(checker.check(s.problem, {}, options).generators, 54 * kWeight * 0.3 / (4 * std::sqrt(1 + 0.09)));
  // The centre of mass accelerated sideways: F = m c̈ and its moment, as a load.
  const Eigen::Vector3d force(54.0 * 1000.0, 0, 0);
  s.problem.F.head<3>() += force;
  s.problem.F.tail<3>() += s.com.cross(force);
  const EquilibriumResult result = checker.check(s.problem, {}, options);
  EXPECT_EQ(result.generators.state, Margin::State::kKnown);
  EXPECT_NEAR(result.generators.lower, -77545.874, 1e-2);
  EXPECT_NEAR(result.generators.upper, -77545.874, 1e-2);
  EXPECT_EQ(result.verdict, Verdict::kUndecided) << "inner facets prove no failure";
  EXPECT_EQ(verdict(s.problem), Verdict::kFails);
}

TEST_P(Equilibrium, CubeWithstandsPushesUpToItsFriction)
{
  Stance s = make_stance(10.0, {0, 0, 0.5});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.5, 0.5, 0.4);
  const double limit = 10.0 * kWeight * 0.4;  // slides before it tips: 0.4 < 0.5 / 0.5
  EquilibriumOptions options;
  options.push = Eigen::VectorXd::Zero(6);
  options.push[0] = 1.0;  // at the centre of mass
  options.push[4] = 0.5;
  options.friction_scale = true;
  options.ball = Eigen::MatrixXd::Zero(6, 2);
  options.ball.col(0) = options.push;
  options.ball(1, 1) = 1.0;
  options.ball(3, 1) = -0.5;
  EquilibriumResult result = checker.check(s.problem, {}, options);
  EXPECT_EQ(result.verdict, Verdict::kHolds);
  expect_margin(result.push, limit);
  EXPECT_EQ(result.ball.state, Margin::State::kKnown) << result.ball.reason;
  EXPECT_LE(result.ball.lower, limit * (1 + 1e-9));
  EXPECT_GE(result.ball.upper, limit * (1 - 1e-9));
  EXPECT_LE(result.ball.upper - result.ball.lower, 0.011 * limit);
  EXPECT_EQ(result.friction_scale.upper, 0.0) << "a cube at rest needs no friction";

  for (const double share : {0.9, 1.1}) {
    ContactProblem pushed = s.problem;
    pushed.F -= share * limit * options.push;
    result = checker.check(pushed, {}, options);
    EXPECT_EQ(result.verdict, share < 1.0 ? Verdict::kHolds : Verdict::kFails);
    expect_margin(result.friction_scale, share, 2e-7);
    if (share > 1.0) {
      EXPECT_EQ(result.push.state, Margin::State::kNone);
      EXPECT_THAT(result.explanation, HasSubstr("slides along (+1"));
    }
  }
}

TEST_P(Equilibrium, FourBilateralPointsAreSixfoldIndeterminate)
{
  Stance s = make_stance(10.0, {0.1, 0.0, 0.3});
  for (const auto& [x, y] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
    add_foot(s, {0.2 * x, 0.3 * y, 0}, Eigen::Vector3d::UnitZ(), 0.5, Side::kBilateral);
  const EquilibriumResult result = checker.check(s.problem);
  EXPECT_EQ(result.verdict, Verdict::kHolds);
  EXPECT_EQ(result.indeterminacy, 6);
  for (const ContactReport& contact : result.contacts) EXPECT_FALSE(contact.unique);
}

TEST_P(Equilibrium, BilateralFeetHoldWhatUnilateralFeetDrop)
{
  for (const Side side : {Side::kUnilateral, Side::kBilateral}) {
    Stance s = make_stance(10.0, {0.5, 0.0, 0.3});  // beyond the feet: the rear ones must pull
    for (const auto& [x, y] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
      add_foot(s, {0.2 * x, 0.3 * y, 0}, Eigen::Vector3d::UnitZ(), 0.5, side);
    EXPECT_EQ(verdict(s.problem), side == Side::kUnilateral ? Verdict::kFails : Verdict::kHolds);
  }
  // Bilateral contacts have friction only in proportion to their force: sideways pull without any normal load.
  Stance s = make_stance(1.0, {0, 0, 0}, {-9.81, 0, 0});
  add_foot(s, {0, 0, 0}, Eigen::Vector3d::UnitZ(), 0.5, Side::kBilateral);
  const EquilibriumResult result = checker.check(s.problem);
  EXPECT_EQ(result.verdict, Verdict::kFails);
  EXPECT_EQ(result.certificate.leaves.size(), 2u) << "one motion per sign";
}

TEST_P(Equilibrium, LegsCarryWhatTheirMotorsCan)
{
  Stance s = make_stance(20.0, {0.0, 0.0, 0.5});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.2, 0.3, 0.6);
  const double share = 20.0 * kWeight / 4.0;
  EquilibriumOptions options;
  options.effort = true;
  for (const double limit : {1.25 * share, 0.8 * share}) {
    const Stance legs = on_legs(s, limit);
    const EquilibriumResult result = checker.check(legs.problem, {}, options);
    EXPECT_EQ(result.verdict, limit > share ? Verdict::kHolds : Verdict::kFails);
    expect_margin(result.effort, share / limit);
    ASSERT_EQ(result.efforts.size(), 4);
    if (limit > share) {
      for (int i = 0; i < 4; ++i) EXPECT_NEAR(result.efforts[i], -result.contacts[i].force[0], 1e-9);
      EXPECT_NEAR(result.efforts.sum(), -4 * share, 1e-9);
      EXPECT_LE(result.efforts.cwiseAbs().maxCoeff(), limit);
      EXPECT_THAT(result.explanation, HasSubstr("highest effort: leg_"));
    } else {
      EXPECT_THAT(result.explanation, HasSubstr("too weak: leg_0, leg_1, leg_2 and leg_3 are at their limits"));
    }
  }
  // Without limits only the six rows of the body count.
  Stance strong = on_legs(s, kInfinity);
  EXPECT_EQ(verdict(strong.problem), Verdict::kHolds);
  const EquilibriumResult unlimited = checker.check(strong.problem, {}, options);
  expect_margin(unlimited.effort, 0.0);
  // Without motors the legs give way whatever the friction.
  strong.problem.actuators.clear();
  options.friction_scale = true;
  const EquilibriumResult limp = checker.check(strong.problem, {}, options);
  EXPECT_EQ(limp.verdict, Verdict::kFails);
  EXPECT_EQ(limp.friction_scale.state, Margin::State::kNone);
  EXPECT_EQ(limp.effort.state, Margin::State::kNone);
}

TEST_P(Equilibrium, AMotorLimitIsALimitOnTheForceItSupplies)
{
  Rng rng{21};
  int holds = 0, fails = 0;
  for (int i = 0; i < (native ? 200 : 20); ++i) {
    Stance s = random_stance(rng, 2, 0.3, 0.15);
    const double limit = s.mass * kWeight * uniform(rng, 0.15, 0.6);
    const Stance legs = on_legs(s, limit);
    for (Contact& c : s.problem.contacts) c.max_normal = limit;
    const Verdict limited = verdict(s.problem);
    EXPECT_EQ(verdict(legs.problem), limited) << i;
    holds += limited == Verdict::kHolds;
    fails += limited == Verdict::kFails;
  }
  EXPECT_GT(holds, 0);
  EXPECT_GT(fails, 0);
}

TEST_P(Equilibrium, TwoMotorsOnOneJointAddUp)
{
  Stance s = make_stance(20.0, {0.0, 0.0, 0.5});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.2, 0.3, 0.6);
  const double share = 20.0 * kWeight / 4.0;
  for (const double way : {1.0, -1.0}) {  // legs that push with negative, then with positive efforts
    ContactProblem legs = on_legs(s, 0.7 * share).problem;
    legs.J.rightCols(4) *= way;
    for (int i = 0; i < 4; ++i)
      legs.actuators.push_back(
          {"second_" + std::to_string(i), 6 + i, way > 0.0 ? -0.5 * share : 0.0, way > 0.0 ? 0.0 : 0.5 * share});
    const EquilibriumResult result = checker.check(legs);
    EXPECT_EQ(result.verdict, Verdict::kHolds) << result.reason;
    for (int k = 0; k < 8; ++k) {
      EXPECT_GE(result.efforts[k], legs.actuators[k].lower - 1e-9);
      EXPECT_LE(result.efforts[k], legs.actuators[k].upper + 1e-9);
    }
  }
}

TEST_P(Equilibrium, PrescribedAccelerationsLoadTheFeet)
{
  // Accelerated upwards with the ground (an elevator): the contacts follow, the weight is that of g + a.
  Stance s = make_stance(10.0, {0, 0, 0.5});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.5, 0.5, 0.4);
  Eigen::VectorXd a = Eigen::VectorXd::Zero(6);
  a[2] = 2.0;
  EXPECT_THROW(checker.check(s.problem, a), InputError) << "the ground does not move";
  s.problem.gamma = -s.problem.J * a;
  const EquilibriumResult result = checker.check(s.problem, a);
  EXPECT_EQ(result.verdict, Verdict::kHolds);
  double sum = 0.0;
  for (const ContactReport& contact : result.contacts) sum += contact.force[0];
  EXPECT_NEAR(sum, 10.0 * (kWeight + 2.0), 1e-9);
  EXPECT_EQ(judge_equilibrium(s.problem, {}, {}, result.certificate), Verdict::kUndecided) << "another acceleration";
}

TEST_P(Equilibrium, ContactsThatCannotFollowAreNamed)
{
  Stance s = make_stance(10.0, {0, 0, 0.5});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.5, 0.5, 0.4);
  s.problem.gamma[3 * 2] = 0.3;
  try {
    checker.check(s.problem);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.path(), "contacts[2]");
    EXPECT_THAT(error.what(), HasSubstr("c2 to stick under the prescribed acceleration"));
  }
  EXPECT_THROW(checker.check(s.problem, Eigen::VectorXd::Zero(5)), InputError);
}

TEST_P(Equilibrium, ClosuresCarryAnything)
{
  Stance s = make_stance(10.0, {3.0, 0, 0.5});  // far from the only foot
  add_foot(s, Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitZ(), 0.4);
  EXPECT_EQ(verdict(s.problem), Verdict::kFails);
  s.problem.J.conservativeResize(9, 6);
  s.problem.J.bottomRows(6).setIdentity();
  s.problem.gamma.setZero(9);
  s.problem.loops = {{"weld", 3, 6}};
  EXPECT_EQ(verdict(s.problem), Verdict::kHolds);
}

TEST_P(Equilibrium, NothingToHoldAndNothingToHoldWith)
{
  ContactProblem p = arm();
  EXPECT_EQ(verdict(p), Verdict::kHolds);
  for (Actuator& motor : p.actuators) motor.lower = -5.0, motor.upper = 5.0;
  const EquilibriumResult result = checker.check(p);
  EXPECT_EQ(result.verdict, Verdict::kHolds);
  EXPECT_EQ(result.efforts, p.F);
  p.actuators[0].upper = 2.0;
  EXPECT_EQ(verdict(p), Verdict::kFails);
  p.actuators.clear();
  EXPECT_EQ(verdict(p), Verdict::kFails);
  p.F.setZero();
  EXPECT_EQ(verdict(p), Verdict::kHolds);
}

TEST_P(Equilibrium, RotationOrderDuplicatesAndMassChangeNoVerdict)
{
  Rng rng{22};
  int holds = 0, fails = 0;
  for (int i = 0; i < (native ? 200 : 20); ++i) {
    const Stance s = random_stance(rng, 2, 0.4, 0.25);
    const ContactProblem& p = s.problem;
    const Verdict straight = verdict(p);
    holds += straight == Verdict::kHolds;
    fails += straight == Verdict::kFails;

    Eigen::MatrixXd R = Eigen::MatrixXd::Zero(6, 6);
    const Eigen::Matrix3d turn = Eigen::Quaterniond(Eigen::Vector4d(gaussian(rng, 4).normalized())).toRotationMatrix();
    R.topLeftCorner<3, 3>() = R.bottomRightCorner<3, 3>() = turn;
    ContactProblem turned = p;
    turned.M = R * p.M * R.transpose();
    turned.F = R * p.F;
    turned.J = p.J * R.transpose();
    EXPECT_EQ(verdict(turned), straight) << i;

    ContactProblem shuffled = p;
    std::reverse(shuffled.contacts.begin(), shuffled.contacts.end());
    EXPECT_EQ(verdict(shuffled), straight) << i;

    ContactProblem doubled = p;
    const Contact& c = p.contacts[rng() % p.contacts.size()];
    add_contact(doubled, c.point_W, c.axes_W.col(0), c.mu);
    EXPECT_EQ(verdict(doubled), straight) << i;

    ContactProblem heavy = p;
    heavy.M *= 1e3;
    heavy.F *= 1e3;
    EXPECT_EQ(verdict(heavy), straight) << i;
  }
  EXPECT_GT(holds, 0);
  EXPECT_GT(fails, 0);
}

TEST_P(Equilibrium, FindsTheForcesAndEffortsAProblemWasBuiltAround)
{
  Rng rng{23};
  for (int i = 0; i < (native ? 500 : 40); ++i) {
    const Limbed limbed = random_limbed(rng, 2 + static_cast<int>(rng() % 5), 2 + static_cast<int>(rng() % 10), true);
    EXPECT_EQ(verdict(limbed.problem, limbed.a), Verdict::kHolds) << i;
  }
}

TEST_P(Equilibrium, LargestSlackIsSharedByContactsAndMotors)
{
  Stance s = make_stance(20.0, {0.0, 0.0, 0.5});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.2, 0.3, 0.6);
  const double share = 20.0 * kWeight / 4.0;
  for (const double way : {1.0, -1.0}) {  // legs that push with negative, then with positive efforts
    ContactProblem legs = on_legs(s, 1.25 * share).problem;
    legs.J.rightCols(4) *= way;
    const EquilibriumResult result = checker.check(legs);
    // Each leg carries `share`; its motor stays (1.25 - 1) share from its limit, which is 0.2 of half its range.
    EXPECT_NEAR(result.slack, 0.2, 1e-5);
    EXPECT_TRUE(result.strict);
    for (const ContactReport& contact : result.contacts) EXPECT_NEAR(contact.force[0], share, 1e-3 * share);
  }
  // A limit on the force itself keeps the same distance as the cone does.
  for (Contact& c : s.problem.contacts) c.max_normal = 1.25 * share;
  EXPECT_NEAR(checker.check(s.problem).slack, 0.25, 1e-5);
}

TEST_P(Equilibrium, LargestSlackEndsWhereMotorsHaveNoRoomLeft)
{
  // Two soft fingers on slides press a box of 1 kg from both sides, its centre of mass beside their line. With motors
  // of up to 30 N it is they that end the slack, in the middle of their range, where their limits meet.
  constexpr double kOff = 0.01, kReach = 0.0495, kMost = 30.0;
  ContactProblem p;
  p.M = Eigen::VectorXd::Ones(8).asDiagonal();
  p.F = kWeight * Eigen::VectorXd::Unit(8, 4);
  p.gamma.setZero(8);
  p.J.resize(8, 8);
  p.J << -1, 0, 1, 0, 0, 0, 0, kOff,    //
      0, 0, 0, 1, 0, 0, 0, -kReach,     //
      0, 0, 0, 0, 1, -kOff, kReach, 0,  //
      0, 0, 0, 0, 0, 1, 0, 0,           //
      0, -1, -1, 0, 0, 0, 0, -kOff,     //
      0, 0, 0, 1, 0, 0, 0, kReach,      //
      0, 0, 0, 0, -1, kOff, kReach, 0,  //
      0, 0, 0, 0, 0, -1, 0, 0;
  for (int k = 0; k < 2; ++k) {
    Contact c;
    c.name = k ? "right" : "left";
    c.row = 4 * k;
    c.tangents = 2;
    c.torsional = true;
    c.mu = 0.5;
    c.torsion = 0.005;
    p.contacts.push_back(c);
    p.actuators.push_back({c.name, k, 0.0, kMost});
  }
  EquilibriumOptions options;
  options.largest_slack = true;
  const EquilibriumResult r = checker.check(p, {}, options);
  EXPECT_EQ(r.verdict, Verdict::kHolds) << r.reason;
  EXPECT_EQ(r.second_engine, "");
  EXPECT_TRUE(r.strict);
  EXPECT_NEAR(r.slack, 1.0, 1e-6);
  EXPECT_NEAR(r.efforts[0], 0.5 * kMost, 1e-4);
}

TEST_P(Equilibrium, PushesTipABoxTheirOwnWay)
{
  // Centre of mass at x = 0.1 of a base from -0.2 to 0.2, pushed at its height 0.5.
  Stance s = make_stance(10.0, {0.1, 0, 0.5});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.2, 0.2, 5.0);
  for (const double way : {1.0, -1.0}) {
    EquilibriumOptions options;
    options.push = Eigen::VectorXd::Zero(6);
    options.push[0] = way;
    options.push[4] = 0.5 * way;
    expect_margin(checker.check(s.problem, {}, options).push, 10.0 * kWeight * (0.2 - 0.1 * way) / 0.5);
  }
}

TEST_P(Equilibrium, EveryPushInTheBallIsHeldAndSomeJustOutsideIsNot)
{
  Rng rng{25};
  int balls = 0;
  for (int i = 0; i < (native ? 30 : 4); ++i) {
    const Stance s = random_stance(rng, 2, 0.3, 0.1);
    EquilibriumOptions options;
    const int k = 2 + i % 2;
    options.ball = Eigen::MatrixXd::Zero(6, k);
    options.ball.topRows(3).setIdentity();
    for (int j = 0; j < k; ++j)
      options.ball.col(j).tail<3>() = s.com.cross(Eigen::Vector3d(options.ball.col(j).head<3>()));
    const EquilibriumResult result = checker.check(s.problem, {}, options);
    if (result.verdict != Verdict::kHolds) continue;
    ++balls;
    ASSERT_EQ(result.ball.state, Margin::State::kKnown)
        << i << " " << result.ball.reason << ": " << result.ball.lower << " " << result.ball.upper;
    EXPECT_LE(result.ball.upper - result.ball.lower, 0.0101 * result.ball.upper);
    int dropped = 0;
    for (int d = 0; d < 400; ++d) {
      Eigen::Vector3d push(gaussian(rng, 3));
      if (k == 2) push.z() = 0.0;
      push.normalize();
      Eigen::VectorXd way(6);
      way << push, s.com.cross(push);
      ContactProblem pushed = s.problem;
      pushed.F -= 0.9999 * result.ball.lower * way;
      EXPECT_EQ(verdict(pushed), Verdict::kHolds) << i;
      pushed.F -= (1.1 * result.ball.upper - 0.9999 * result.ball.lower) * way;
      dropped += verdict(pushed) == Verdict::kFails;
    }
    EXPECT_GT(dropped, 0) << i;
  }
  EXPECT_GT(balls, native ? 4 : 0);
}

TEST_P(Equilibrium, OnTheRimNothingIsClaimed)
{
  Stance s = make_stance(10.0, {0, 0, 0.5});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.5, 0.5, 0.5);
  s.problem.F[0] -= 0.5 * 10.0 * kWeight;
  s.problem.F[4] -= 0.5 * 0.5 * 10.0 * kWeight;
  EXPECT_EQ(checker.check(s.problem).verdict, Verdict::kUndecided);
}

TEST(EquilibriumJudge, MeasuresEveryLoadAnew)
{
  const ContactProblem heavy = four_points().problem;
  ContactProblem light = heavy;
  light.F *= 1e-6;
  EquilibriumChecker checker;
  const Certificate of_heavy = checker.check(heavy).certificate;
  Certificate of_light = checker.check(light).certificate;
  Judge judge;
  EXPECT_EQ(judge.equilibrium(heavy, {}, {}, of_heavy), Verdict::kHolds);
  EXPECT_EQ(judge.equilibrium(light, {}, {}, of_light), Verdict::kHolds);
  of_light.lambda[0] *= 1.0 + 1e-9;  // rounding beside the heavy load
  EXPECT_EQ(judge.equilibrium(light, {}, {}, of_light), Verdict::kUndecided);
}

TEST(EquilibriumJudge, RefusesTamperedProofs)
{
  Stance s = make_stance(20.0, {0.0, 0.0, 0.5});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.2, 0.3, 0.6);
  const double share = 20.0 * kWeight / 4.0;
  EquilibriumChecker checker;
  const ContactProblem strong = on_legs(s, 1.25 * share).problem, weak = on_legs(s, 0.8 * share).problem;
  const Certificate forces = checker.check(strong).certificate, motion = checker.check(weak).certificate;
  ASSERT_EQ(judge_equilibrium(strong, {}, {}, forces), Verdict::kHolds);
  ASSERT_EQ(judge_equilibrium(weak, {}, {}, motion), Verdict::kFails);
  std::string why;
  EXPECT_EQ(judge_equilibrium(weak, {}, {}, forces, &why), Verdict::kUndecided);
  EXPECT_THAT(why, HasSubstr("leg_0 is beyond its limit"));
  EXPECT_EQ(judge_equilibrium(strong, {}, {}, motion, &why), Verdict::kUndecided);
  EXPECT_THAT(why, HasSubstr("nothing drives the motion"));

  Certificate bad = forces;
  bad.efforts[2] *= 1.0 + 1e-9;
  EXPECT_EQ(judge_equilibrium(strong, {}, {}, bad, &why), Verdict::kUndecided);
  EXPECT_THAT(why, HasSubstr("is violated at degree of freedom 8"));
  bad = forces;
  bad.lambda[1] = 0.7 * bad.lambda[0];
  EXPECT_EQ(judge_equilibrium(strong, {}, {}, bad), Verdict::kUndecided);
  bad = forces;
  bad.efforts.resize(0);
  EXPECT_EQ(judge_equilibrium(strong, {}, {}, bad), Verdict::kUndecided);
  bad = motion;
  bad.leaves[0].motion[6] = 0.0;  // a leg that would not be at its limit
  EXPECT_EQ(judge_equilibrium(weak, {}, {}, bad), Verdict::kUndecided);
  bad = motion;
  bad.leaves.clear();
  EXPECT_EQ(judge_equilibrium(weak, {}, {}, bad), Verdict::kUndecided);
  EXPECT_EQ(judge_equilibrium(strong, {}, ConeShape::outer(8), forces), Verdict::kUndecided);
  EXPECT_EQ(judge_equilibrium(weak, {}, ConeShape::inner(8), motion), Verdict::kUndecided);
  // The same for a motor that pushes the other way: an arm that holds 3 and -1 N m.
  ContactProblem lifting = arm();
  const Certificate held = checker.check(lifting).certificate;
  ASSERT_EQ(judge_equilibrium(lifting, {}, {}, held), Verdict::kHolds);
  lifting.actuators[0].upper = 2.0;
  EXPECT_EQ(judge_equilibrium(lifting, {}, {}, held, &why), Verdict::kUndecided);
  EXPECT_THAT(why, HasSubstr("shoulder is beyond its limit"));
  // The motor without a limit could oppose the motion.
  ContactProblem one_free = weak;
  one_free.actuators[0].lower = -kInfinity;
  EXPECT_EQ(judge_equilibrium(one_free, {}, {}, motion, &why), Verdict::kUndecided);
  EXPECT_THAT(why, HasSubstr("leg_0 can oppose the motion without limit"));
}

TEST(EquilibriumMonitor, NeverChangesAVerdict)
{
  Rng rng{24};
  EquilibriumChecker checker;
  EquilibriumOptions options;
  options.largest_slack = options.structure = options.explain = false;
  EquilibriumResult fresh;
  int held_again = 0, failed_again = 0, steps = 0, holds = 0, fails = 0;
  for (int walk = 0; walk < 40; ++walk) {
    Stance s = random_stance(rng, 2, 0.3, 0.15);
    if (walk % 2) s = on_legs(s, 0.35 * s.mass * kWeight);
    EquilibriumMonitor monitor;
    Eigen::Vector2d c = s.position;
    for (int i = 0; i < 100; ++i) {
      c += 0.004 * Eigen::Vector2d(gaussian(rng, 2));
      move_com(s, c);
      const Verdict verdict = monitor.step(s.problem, {});
      checker.check(s.problem, {}, options, fresh);
      ASSERT_EQ(verdict, fresh.verdict) << walk << " " << i;
      ASSERT_EQ(judge_equilibrium(s.problem, {}, {}, monitor.certificate()), verdict);
      holds += verdict == Verdict::kHolds;
      fails += verdict == Verdict::kFails;
      if (monitor.reused()) ++(verdict == Verdict::kHolds ? held_again : failed_again);
      ++steps;
    }
  }
  EXPECT_GT(held_again, holds / 2);
  EXPECT_GT(failed_again, fails / 2);
  EXPECT_GT(holds, steps / 20);
  EXPECT_GT(fails, steps / 20);
}

}  // namespace
}  // namespace stiction
