// Detachment::kFree: every contact sticks, or leaves and is then neither held nor loaded.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "proof/examples.hpp"
#include "stiction/sticking.hpp"
#include "support/random_problems.hpp"

namespace stiction {
namespace {

using testing::gaussian;
using testing::Rng;
using testing::uniform;

StickingOptions with(Detachment detachment)
{
  StickingOptions options;
  options.rules.detachment = detachment;
  return options;
}

/// Example 1 with its left corner `step` higher.
ContactProblem block_on_step(double mu, double f, double step)
{
  ContactProblem p = examples::block(mu, f);
  p.J(3, 2) -= step;  // lever of the left tangent
  return p;
}

TEST(FreeDetachment, ABoxTipsOverItsEdgeWhereverTheOtherOneRests)
{
  // L = 0.4, l = 1, mass 1: it tips about the right corner as l f > L g, and mu g > f.
  constexpr double f = 4.5, mu = 1.5;
  for (const double step : {0.0, 1e-4, 1e-2}) {
    const ContactProblem p = block_on_step(mu, f, step);
    StickingChecker checker;
    const StickingResult allowed = checker.check(p, with(Detachment::kAllowed));
    EXPECT_EQ(allowed.verdict, step == 0.0 ? Verdict::kHolds : Verdict::kFails) << step;
    const StickingResult free = checker.check(p, with(Detachment::kFree));
    ASSERT_EQ(free.verdict, Verdict::kHolds) << step << free.reason;
    EXPECT_EQ(free.certificate.leaving, std::vector<int>{1});
    EXPECT_EQ(free.contacts[1].state, ContactState::kDetaching);
    // About the corner at (0.2, -0.5): I + |r|^2 = 0.0967 + 0.29, torque (forward over the corner) 0.5 f - 0.2 g.
    const double spin = (0.5 * f - 0.2 * examples::kWeight) / ((0.16 + 1.0) / 12 + 0.29);
    EXPECT_NEAR(std::abs(free.acceleration[2]), spin, 1e-12);
    EXPECT_NEAR(free.contacts[1].normal_acceleration, 0.4 * spin, 1e-12);
    EXPECT_NE(free.explanation.find("left detaches"), std::string::npos) << free.explanation;
  }
}

TEST(FreeDetachment, WhatIsLiftedMayBePulledSideways)
{
  ContactProblem p = block_on_step(0.1, 20.0, 0.1);
  p.F[1] = -1.0;
  StickingChecker checker;
  EXPECT_EQ(checker.check(p, with(Detachment::kAllowed)).verdict, Verdict::kFails);
  const StickingResult free = checker.check(p, with(Detachment::kFree));
  EXPECT_EQ(free.verdict, Verdict::kHolds);
  EXPECT_FALSE(free.certificate.leaving.empty());
  EXPECT_EQ(free.lambda, Eigen::VectorXd::Zero(4));
}

TEST(FreeDetachment, ABlockThatSlidesFailsInEveryMode)
{
  const ContactProblem p = examples::block(0.1, 2.0);  // 0.2 of its weight
  StickingChecker checker;
  const StickingResult free = checker.check(p, with(Detachment::kFree));
  ASSERT_EQ(free.verdict, Verdict::kFails) << free.reason;
  ASSERT_EQ(free.certificate.kind, CertificateKind::kModes);
  ASSERT_EQ(free.certificate.modes.size(), 4u);
  const StickingRules rules{ConeShape::exact(), Detachment::kFree};
  EXPECT_EQ(judge(p, rules, free.certificate), Verdict::kFails);
  EXPECT_NE(free.explanation.find("left and right slip, whichever contacts leave"), std::string::npos)
      << free.explanation;
  for (std::size_t i = 0; i < 4; ++i) {
    Certificate less = free.certificate;
    less.modes.erase(less.modes.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(judge(p, rules, less), Verdict::kUndecided) << "mode " << i << " is missing";
    Certificate twice = free.certificate;
    twice.modes[i] = twice.modes[(i + 1) % 4];
    EXPECT_EQ(judge(p, rules, twice), Verdict::kUndecided) << "another mode in the place of " << i;
    Certificate moved = free.certificate;
    moved.modes[i].leaving = moved.modes[(i + 1) % 4].leaving;
    EXPECT_EQ(judge(p, rules, moved), Verdict::kUndecided) << "mode " << i << " under another name";
  }
  // Falls into the ground: not by a motion upwards, and not at a contact that stays.
  const auto last = std::ranges::find(free.certificate.modes, CertificateKind::kPenetration, &Certificate::kind);
  ASSERT_NE(last, free.certificate.modes.end());
  Certificate risen = free.certificate;
  Certificate& mode = risen.modes[static_cast<std::size_t>(last - free.certificate.modes.begin())];
  mode.a = -mode.a;
  EXPECT_EQ(judge(p, rules, risen), Verdict::kUndecided);
  mode = *last;
  mode.penetrating = -1;
  EXPECT_EQ(judge(p, rules, risen), Verdict::kUndecided);
  // Certificates of one rule are none of another.
  EXPECT_EQ(judge(p, {}, free.certificate), Verdict::kUndecided);
  EXPECT_EQ(judge(p, rules, checker.check(p).certificate), Verdict::kUndecided);
}

/// By hand: the corner that stays carries (ft, fn) with ratio mu_needed; the other one nothing, in every mode that
/// holds.
TEST(FreeDetachment, MarginsAndIntervalsAreThoseOfAllModes)
{
  constexpr double f = 4.5, mu = 1.5;
  StickingOptions options = with(Detachment::kFree);
  options.margins = options.intervals = true;
  const StickingResult r = StickingChecker().check(block_on_step(mu, f, 1e-2), options);
  ASSERT_EQ(r.verdict, Verdict::kHolds) << r.reason;
  // It turns about the right corner, r = (-0.2, 0.5) to its centre, with `spin`: forces are m (a + g) and m a - f.
  const double spin = (0.5 * f - 0.2 * examples::kWeight) / ((0.16 + 1.0) / 12 + 0.29);
  const double normal = examples::kWeight + 0.2 * spin, sideways = f - 0.5 * spin;
  ASSERT_EQ(r.friction_scale.state, Margin::State::kKnown);
  EXPECT_NEAR(r.friction_scale.upper, sideways / normal / mu, 1e-6);
  EXPECT_NEAR(r.contacts[0].normal_interval.lower, normal, 1e-9);
  EXPECT_NEAR(r.contacts[0].normal_interval.upper, normal, 1e-9);
  EXPECT_EQ(r.contacts[1].normal_interval.lower, 0.0);
  EXPECT_EQ(r.contacts[1].normal_interval.upper, 0.0);
  ContactProblem less = block_on_step(mu, f, 1e-2);
  for (const double share : {0.999, 1.001}) {
    for (Contact& contact : less.contacts) contact.mu = share * r.friction_scale.upper * mu;
    EXPECT_EQ(StickingChecker().check(less, with(Detachment::kFree)).verdict,
              share > 1.0 ? Verdict::kHolds : Verdict::kFails);
  }
}

TEST(FreeDetachment, FrictionRepairsABlockThatSlides)
{
  constexpr double f = 2.0, mu = 0.1, g = examples::kWeight;
  StickingOptions options = with(Detachment::kFree);
  options.margins = options.repairs = true;
  const StickingResult r = StickingChecker().check(examples::block(mu, f), options);
  ASSERT_EQ(r.verdict, Verdict::kFails) << r.reason;
  ASSERT_EQ(r.friction_scale.state, Margin::State::kKnown);
  EXPECT_NEAR(r.friction_scale.upper, f / (mu * g), 1e-5);
  // moments: (right - left) 0.2 = f 0.5
  const double right = 0.5 * (g + 2.5 * f), left = g - right;
  ASSERT_EQ(r.repairs.size(), 3u);
  EXPECT_EQ(r.repairs[0].change, Repair::Change::kCommonFriction);
  for (std::size_t i : {0u, 1u}) {
    EXPECT_EQ(r.repairs[1 + i].contact, static_cast<int>(i));
    const double own = i == 0 ? right : left, other = i == 0 ? left : right;
    EXPECT_NEAR(r.repairs[1 + i].value, (f - mu * other) / own, 1e-5);
  }
}

TEST(FreeDetachment, SaysWhatWouldHelp)
{
  constexpr double f = 4.5, kStep = 1e-6;
  StickingChecker checker;
  const auto cause = [&](double mu, double max_normal) {
    ContactProblem p = block_on_step(mu, f, kStep);
    for (Contact& contact : p.contacts) contact.max_normal = max_normal;
    const StickingResult r = checker.check(p, with(Detachment::kFree));
    EXPECT_EQ(r.verdict, Verdict::kFails) << r.reason;
    EXPECT_NE(r.explanation.find("whichever contacts leave"), std::string::npos) << r.explanation;
    for (const Counterfactual& trial : r.failure.counterfactuals)
      EXPECT_EQ(judge(relieved(p, trial.with, trial.friction, {}), {ConeShape::exact(), Detachment::kFree},
                      trial.certificate),
                trial.verdict);
    return r.failure;
  };
  const Failure friction = cause(0.2, kInfinity);
  EXPECT_EQ(friction.cause, FailureCause::kFriction);
  EXPECT_EQ(friction.counterfactuals.back().certificate.leaving, std::vector<int>{1}) << "it tips off its left corner";
  EXPECT_EQ(cause(1.5, 5.0).cause, FailureCause::kLimits);
  const Failure both = cause(0.2, 5.0);
  EXPECT_EQ(both.cause, FailureCause::kSeveral);
  EXPECT_EQ(both.helps, kLargerLimits | kMoreFriction);
  EXPECT_EQ(cause(0.0, kInfinity).cause, FailureCause::kNothing);
  // With the printed equations the left corner has to rise without moving sideways: no friction does that.
  EXPECT_EQ(checker.check(block_on_step(0.2, f, kStep), with(Detachment::kAllowed)).failure.cause,
            FailureCause::kNothing);
}

TEST(FreeDetachment, RefusesForcesThatDoNotFit)
{
  const ContactProblem p = block_on_step(1.5, 4.5, 0.1);
  const StickingRules rules{ConeShape::exact(), Detachment::kFree};
  const Certificate good = StickingChecker().check(p, with(Detachment::kFree)).certificate;
  ASSERT_EQ(judge(p, rules, good), Verdict::kHolds);
  const auto refused = [&](auto change) {
    Certificate bad = good;
    change(bad);
    return judge(p, rules, bad) == Verdict::kUndecided;
  };
  EXPECT_TRUE(refused([](Certificate& c) { c.leaving = {}; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.leaving = {0}; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.leaving = {0, 1}; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.leaving = {1, 1}; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.leaving = {2}; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.lambda[2] = 1e-9; }));
  EXPECT_TRUE(refused([](Certificate& c) { c.a = -c.a; }));
  ContactProblem bilateral = p;
  bilateral.contacts[1].side = Side::kBilateral;
  EXPECT_EQ(judge(bilateral, rules, good), Verdict::kUndecided);
}

/// A block that falls through the ground with all contacts gone would solve everything else.
TEST(FreeDetachment, WhatLeavesMustNotPenetrate)
{
  const ContactProblem p = examples::block(0.5, 0.0);
  Certificate falls{CertificateKind::kForces, examples::vec({0, -examples::kWeight, 0}), Eigen::VectorXd::Zero(4), {}};
  falls.leaving = {0, 1};
  std::string why;
  EXPECT_EQ(judge(p, {ConeShape::exact(), Detachment::kFree}, falls, &why), Verdict::kUndecided);
  EXPECT_NE(why.find("into its surface"), std::string::npos) << why;
}

/// Nothing says how fast a massless part moves once nothing holds it.
TEST(FreeDetachment, AMasslessPartMayMoveAsItLikes)
{
  ContactProblem p = examples::system(examples::vec({1, 0}), examples::vec({5, 0}));
  examples::add_contact(p, "tip", 0.0, {examples::vec({1, 1})});
  Certificate mode{CertificateKind::kPenetration, examples::vec({-5, 0}), Eigen::VectorXd(0), {}};
  mode.leaving = {0};
  mode.penetrating = 0;
  EXPECT_FALSE(Judge().refutes_mode(p, ConeShape::exact(), mode));
  EXPECT_NE(StickingChecker().check(p, with(Detachment::kFree)).verdict, Verdict::kFails);
}

/// Rises with 1 m/s^2 from a surface that comes after it.
TEST(FreeDetachment, PenetrationIsDecidedBySign)
{
  ContactProblem p = examples::system(examples::vec({1}), examples::vec({-1}));
  examples::add_contact(p, "floor", 0.0, {examples::vec({1})});
  Certificate mode{CertificateKind::kPenetration, examples::vec({1}), Eigen::VectorXd(0), {}};
  mode.leaving = {0};
  mode.penetrating = 0;
  for (const double drift : {-0.9, -1.1}) {
    p.gamma[0] = drift;
    EXPECT_EQ(Judge().refutes_mode(p, ConeShape::exact(), mode), drift < -1.0) << drift;
  }
}

TEST(FreeDetachment, ManyContacts)
{
  ContactProblem p = examples::system(examples::vec({1, 1, 1}), examples::vec({0, 9.81, 0}));
  for (int i = 0; i < 12; ++i)
    examples::add_contact(p, "c" + std::to_string(i), 0.5,
                          {examples::vec({0, 1, 0.1 * i - 0.5}), examples::vec({1, 0, 0.2})});
  EXPECT_EQ(StickingChecker().check(p, with(Detachment::kFree)).verdict, Verdict::kHolds);
  p.F[0] = -9.0;
  const StickingResult slides = StickingChecker().check(p, with(Detachment::kFree));
  EXPECT_EQ(slides.verdict, Verdict::kUndecided);
  EXPECT_NE(slides.reason.find("12 unilateral contacts"), std::string::npos) << slides.reason;
}

/// Dense rows, all independent: forces and accelerations of every mode are unique.
ContactProblem dense(Rng& rng)
{
  constexpr int n = 7;
  ContactProblem p;
  const Eigen::MatrixXd root = Eigen::Map<const Eigen::MatrixXd>(gaussian(rng, n * n).data(), n, n);
  p.M = root * root.transpose() + Eigen::MatrixXd::Identity(n, n);
  p.F = 5.0 * gaussian(rng, n);
  p.J.resize(0, n);
  p.gamma.resize(0);
  const int contacts = 1 + static_cast<int>(rng() % 3);
  for (int i = 0; i < contacts; ++i)
    examples::add_contact(p, "c" + std::to_string(i), uniform(rng, 0.2, 2.0), {gaussian(rng, n), gaussian(rng, n)},
                          rng() % 5 == 0 ? Side::kBilateral : Side::kUnilateral);
  if (rng() % 3 == 0) p.gamma = gaussian(rng, static_cast<int>(p.rows()));
  return p;
}

/// By elimination, set by set: the least of what the conditions of a mode leave, and the largest over all modes. The
/// sign tells whether it holds.
double margin_of(const ContactProblem& p)
{
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  double best = -kInfinity;
  for (unsigned gone = 0; gone < 1u << p.contacts.size(); ++gone) {
    std::vector<int> rows;
    bool bilateral_leaves = false;
    for (std::size_t i = 0; i < p.contacts.size(); ++i) {
      const Contact& c = p.contacts[i];
      if (gone >> i & 1u)
        bilateral_leaves = bilateral_leaves || c.side == Side::kBilateral;
      else
        for (int r = 0; r < c.rows(); ++r) rows.push_back(c.row + r);
    }
    if (bilateral_leaves) continue;
    const Eigen::Index n = p.nv(), m = static_cast<Eigen::Index>(rows.size());
    Matrix K = Matrix::Zero(n + m, n + m);
    Vector rhs(n + m);
    K.topLeftCorner(n, n) = p.M.cast<long double>();
    rhs.head(n) = -p.F.cast<long double>();
    for (Eigen::Index k = 0; k < m; ++k) {
      const int r = rows[static_cast<std::size_t>(k)];
      K.row(n + k).head(n) = p.J.row(r).cast<long double>();
      K.col(n + k).head(n) = -p.J.row(r).transpose().cast<long double>();
      rhs[n + k] = -p.gamma[r];
    }
    const Vector x = K.partialPivLu().solve(rhs);
    double least = kInfinity;
    Eigen::Index next = n;
    for (std::size_t i = 0; i < p.contacts.size(); ++i) {
      const Contact& c = p.contacts[i];
      if (gone >> i & 1u) {
        const long double opening = p.J.row(c.row).cast<long double>().dot(x.head(n).transpose()) + p.gamma[c.row];
        least = std::min(least, static_cast<double>(opening));
      } else {
        const double normal = static_cast<double>(x[next]), sideways = static_cast<double>(x[next + 1]);
        const double pushes = c.side == Side::kBilateral ? std::abs(normal) : normal;
        least = std::min(least, c.mu * pushes - std::abs(sideways));
        next += 2;
      }
    }
    best = std::max(best, least);
  }
  return best;
}

TEST(FreeDetachment, AgreesWithElimination)
{
  Rng rng(71);
  StickingChecker checker;
  int holds = 0, fails = 0, leaves = 0, undecided = 0;
  for (int draw = 0; draw < 600; ++draw) {
    const ContactProblem p = dense(rng);
    const double margin = margin_of(p);
    const StickingResult result = checker.check(p, with(Detachment::kFree));
    if (result.verdict == Verdict::kUndecided) {
      ++undecided;
      EXPECT_LT(std::abs(margin), 1e-6) << result.reason;
      continue;
    }
    EXPECT_EQ(result.verdict == Verdict::kHolds, margin > 0.0) << draw << " " << margin;
    ++(margin > 0.0 ? holds : fails);
    leaves += !result.certificate.leaving.empty();
  }
  EXPECT_GT(holds, 100);
  EXPECT_GT(fails, 100);
  EXPECT_GT(leaves, 30);
  EXPECT_LT(undecided, 6);
}

/// Friction is the cause where ten thousand times as much holds, by elimination.
TEST(FreeDetachment, CausesAgreeWithElimination)
{
  Rng rng(74);
  StickingChecker checker;
  int friction = 0, nothing = 0;
  for (int draw = 0; draw < 400; ++draw) {
    const ContactProblem p = dense(rng);
    const StickingResult result = checker.check(p, with(Detachment::kFree));
    if (result.verdict != Verdict::kFails || result.failure.cause == FailureCause::kUnknown) continue;
    ContactProblem rough = p;
    for (Contact& contact : rough.contacts) contact.mu *= kUnlimitedFriction;
    const bool helps = margin_of(rough) > 0.0;
    EXPECT_EQ(result.failure.cause, helps ? FailureCause::kFriction : FailureCause::kNothing) << draw;
    ++(helps ? friction : nothing);
  }
  EXPECT_GT(friction, 50);
  EXPECT_GT(nothing, 20);
}

/// Forbidden implies allowed implies free.
TEST(FreeDetachment, IsTheWeakestOfTheThree)
{
  Rng rng(72);
  StickingChecker checker;
  int only_free = 0;
  for (int draw = 0; draw < 200; ++draw) {
    ContactProblem p = testing::random_contacts(rng, 1 + static_cast<int>(rng() % 4), 0.2);
    p.F = 9.81 * gaussian(rng, 6).cwiseProduct(p.M.diagonal());
    const Verdict forbidden = checker.check(p, with(Detachment::kForbidden)).verdict,
                  allowed = checker.check(p, with(Detachment::kAllowed)).verdict,
                  free = checker.check(p, with(Detachment::kFree)).verdict;
    EXPECT_FALSE(forbidden == Verdict::kHolds && allowed == Verdict::kFails) << draw;
    EXPECT_FALSE(allowed == Verdict::kHolds && free == Verdict::kFails) << draw;
    only_free += free == Verdict::kHolds && allowed == Verdict::kFails;
  }
  EXPECT_GT(only_free, 5);
}

/// Certificates of problems nearby, at any distance, are put before the judge: it never accepts both verdicts.
TEST(FreeDetachment, NobodyProvesBoth)
{
  Rng rng(73);
  StickingChecker checker;
  const StickingRules rules{ConeShape::exact(), Detachment::kFree};
  int accepted = 0, foreign = 0;
  for (int draw = 0; draw < 150; ++draw) {
    const ContactProblem p = dense(rng);
    bool holds = false, fails = false;
    for (int k = 0; k < 8; ++k) {
      ContactProblem near = p;
      if (k > 0) {
        const double size = std::pow(10.0, uniform(rng, -16, 0));
        near.F += size * gaussian(rng, static_cast<int>(p.nv()));
        if (k % 2) near.gamma += size * gaussian(rng, static_cast<int>(p.rows()));
        for (Contact& c : near.contacts) c.mu *= std::exp(size * gaussian(rng, 1)[0]);
      }
      const Verdict verdict = judge(p, rules, checker.check(near, with(Detachment::kFree)).certificate);
      holds = holds || verdict == Verdict::kHolds;
      fails = fails || verdict == Verdict::kFails;
      accepted += verdict != Verdict::kUndecided;
      foreign += k > 0 && verdict != Verdict::kUndecided;
    }
    EXPECT_FALSE(holds && fails) << draw;
  }
  EXPECT_GT(accepted, 150);
  EXPECT_GT(foreign, 50);
}

}  // namespace
}  // namespace stiction
