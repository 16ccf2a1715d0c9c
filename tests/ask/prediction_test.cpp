// Coulomb's law at the acceleration level (69): what happens next.
#include <gmock/gmock.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include "stiction/error.hpp"
#include "stiction/prediction.hpp"
#include "stiction/sticking.hpp"
#include "support/examples.hpp"
#include "support/random_problems.hpp"

namespace stiction {
namespace {

using namespace testing;

constexpr double kG = 9.81;

/// The laws of (69), written down from their definition; `tolerance` is a share of the load in the norm of M⁻¹.
void expect_laws(const ContactProblem& p, const Prediction& s, double tolerance, int draw = 0)
{
  const Eigen::MatrixXd M_inverse = p.M.llt().solve(Eigen::MatrixXd::Identity(p.nv(), p.nv()));
  const Eigen::VectorXd reach = (p.J * M_inverse * p.J.transpose()).diagonal().cwiseSqrt();
  double load = std::sqrt(p.F.dot(M_inverse * p.F));
  for (Eigen::Index r = 0; r < p.rows(); ++r)
    if (reach[r] > 0) load = std::max(load, std::abs(p.gamma[r]) / reach[r]);
  const Eigen::VectorXd miss = p.M * s.acceleration + p.F - p.J.transpose() * s.lambda;
  EXPECT_LE(miss.norm(), 1e-10 * (p.F.norm() + (p.J.transpose() * s.lambda).norm() + 1e-300)) << "draw " << draw;
  const Eigen::VectorXd u = p.J * s.acceleration + p.gamma;
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r)
      EXPECT_LE(std::abs(u[r]), tolerance * load * reach[r]) << "draw " << draw;
  for (size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double still = tolerance * load * reach[c.row], weak = tolerance * load / reach[c.row];
    const double ln = s.lambda[c.row], un = u[c.row];
    SCOPED_TRACE(::testing::Message() << "draw " << draw << ", contact " << i);
    if (c.side == Side::kUnilateral) {
      EXPECT_GE(ln, -weak);
      EXPECT_GE(un, -still);
      EXPECT_TRUE(ln <= weak || un <= still) << ln << " N while opening at " << un;
    } else {
      EXPECT_LE(std::abs(un), still);
    }
    const auto disk = [&](int at, int size, double mu) {
      if (size == 0) return;
      const Eigen::VectorXd lt = s.lambda.segment(at, size), ut = u.segment(at, size);
      const double t_reach = reach.segment(at, size).maxCoeff();
      const double t_weak = tolerance * load / t_reach + mu * weak, t_still = tolerance * load * t_reach;
      EXPECT_LE(lt.norm(), mu * std::abs(ln) + t_weak);
      EXPECT_LE(lt.dot(ut), (lt.norm() + t_weak) * t_still) << "friction drives the motion";
      if (ut.norm() <= 10 * t_still) return;
      // slips: at the rim, against the motion
      EXPECT_NEAR(lt.norm(), mu * std::abs(ln), 10 * t_weak);
      EXPECT_LE((lt + mu * std::abs(ln) * ut.normalized()).norm(), 10 * t_weak + 10 * lt.norm() * t_still / ut.norm());
    };
    disk(c.row + 1, c.tangents, c.mu);
    if (c.torsional) disk(c.row + 1 + c.tangents, 1, c.torsion);
  }
}

Prediction predicted(const ContactProblem& p)
{
  const Prediction s = predict(p);
  EXPECT_TRUE(s.converged()) << s.residual;
  expect_laws(p, s, 1e-7);
  return s;
}

/// A box with four corner contacts on a slope that falls along -x of the contact plane.
ContactProblem box_on_slope(double angle, double mu, double half_width = 0.5, double height = 0.2)
{
  ContactProblem p;
  p.M = Eigen::VectorXd::Ones(6).asDiagonal();
  p.M.diagonal() *= 2.0;
  p.F.setZero(6);
  p.F.head<3>() = 2.0 * kG * Eigen::Vector3d(std::sin(angle), 0, std::cos(angle));
  p.J.resize(0, 6);
  for (const double x : {-half_width, half_width})
    for (const double y : {-half_width, half_width}) add_contact(p, {x, y, -height}, {0, 0, 1}, mu);
  return p;
}

TEST(Prediction, BoxSlidesDownASlopePastTheFrictionAngle)
{
  for (const double mu : {0.0, 0.2, 0.5})
    for (const double past : {0.02, 0.3}) {
      const double angle = std::atan(mu) + past;
      const ContactProblem p = box_on_slope(angle, mu);
      const Prediction s = predicted(p);
      EXPECT_NEAR(s.acceleration[0], -kG * (std::sin(angle) - mu * std::cos(angle)), 1e-7);
      for (size_t i = 0; i < 4; ++i) {
        ASSERT_EQ(s.contacts[i].motion, PredictedMotion::kSlips);
        const Contact& c = p.contacts[i];
        const Eigen::Vector2d t = s.contacts[i].tangential_acceleration;
        const Eigen::Vector3d way = (c.axes_W.col(1) * t[0] + c.axes_W.col(2) * t[1]).normalized();
        EXPECT_NEAR((way + Eigen::Vector3d::UnitX()).norm(), 0, 1e-6);
      }
    }
}

TEST(Prediction, BoxOnAGentleSlopeStays)
{
  const Prediction s = predicted(box_on_slope(std::atan(0.5) - 0.01, 0.5));
  for (const ContactPrediction& c : s.contacts) EXPECT_EQ(c.motion, PredictedMotion::kSticks);
  EXPECT_NEAR(s.acceleration.norm(), 0, 1e-8);
}

TEST(Prediction, BlockPushedPastItsFrictionAccelerates)
{
  const double m = 2, mu = 0.3, push = 1.5 * mu * m * kG;
  const Prediction s = predicted(block_on_ground(m, 1, 0.1, mu, push));
  EXPECT_NEAR(s.acceleration[0], push / m - mu * kG, 1e-8);
  EXPECT_NEAR(s.acceleration.tail<2>().norm(), 0, 1e-8);
  for (const ContactPrediction& c : s.contacts) {
    EXPECT_EQ(c.motion, PredictedMotion::kSlips);
    EXPECT_NEAR(c.tangential_acceleration[0], s.acceleration[0], 1e-8);
    EXPECT_NEAR(c.force[1], -mu * c.force[0], 1e-7);
  }
}

TEST(Prediction, TallBlockTipsOverTheFarCorner)
{
  // right corner pivots: I_c α = f l/2 - m g L/2 about the corner, in closed form
  const double m = 1, L = 1, l = 4, push = 4.0;
  const Prediction s = predicted(block_on_ground(m, L, l, 3.0, push));
  EXPECT_EQ(s.contacts[0].motion, PredictedMotion::kSticks);
  EXPECT_EQ(s.contacts[1].motion, PredictedMotion::kDetaches);
  const double inertia = m * (L * L + l * l) / 3.0;
  EXPECT_NEAR(s.acceleration[2], -(push * l / 2 - m * kG * L / 2) / inertia, 1e-8);
  EXPECT_NEAR(s.contacts[1].normal_acceleration, -L * s.acceleration[2], 1e-8);
}

TEST(Prediction, OneSlippingFingerDragsTheMassDown)
{
  // example 6 with too little grip: the mass slides down between fingers that press with 3 and 4 N
  const Prediction s = predicted(fingers_on_guide(-3, 4, 0.5, 0.25));
  EXPECT_NEAR(s.acceleration[1], -(kG - 0.5 * 3 - 0.25 * 4), 1e-8);
  EXPECT_NEAR(s.lambda[4], 1.0, 1e-8);  // the guide takes the difference: F1 + F2
  for (const ContactPrediction& c : s.contacts) EXPECT_EQ(c.motion, PredictedMotion::kSlips);
  // and detaches when both fingers pull back
  for (const ContactPrediction& c : predicted(fingers_on_guide(3, -4, 0.5, 0.25)).contacts)
    EXPECT_EQ(c.motion, PredictedMotion::kDetaches);
}

TEST(Prediction, BilateralRailSlipsAgainstItsFriction)
{
  // a bead pressed against a rail from either side, driven along it
  for (const double press : {2.0, -2.0}) {
    ContactProblem p;
    p.M = Eigen::Matrix2d::Identity();
    p.F = Eigen::Vector2d(-press, -3.0);
    p.J = Eigen::Matrix2d::Identity();
    p.gamma.setZero(2);
    p.contacts = {planar_contact("rail", 0, 0.5, Side::kBilateral)};
    const Prediction s = predicted(p);
    EXPECT_NEAR(s.lambda[0], -press, 1e-9);
    EXPECT_NEAR(s.acceleration[1], 3.0 - 0.5 * 2.0, 1e-8);
    EXPECT_EQ(s.contacts[0].motion, PredictedMotion::kSlips);
  }
}

TEST(Prediction, SoftFingerSpinsPastItsTorsion)
{
  ContactProblem p;
  p.M = Eigen::Matrix4d::Identity();
  p.F = Eigen::Vector4d(10, 0, 0, -1.0);  // pressed with 10 N, twisted with 1 N m
  p.J = Eigen::Matrix4d::Identity();
  p.gamma.setZero(4);
  Contact c;
  c.name = "soft";
  c.mu = 0.5;
  c.torsional = true;
  for (const double torsion : {0.05, 0.2}) {
    c.torsion = torsion;
    p.contacts = {c};
    const Prediction s = predicted(p);
    EXPECT_NEAR(s.contacts[0].spin_acceleration, std::max(0.0, 1.0 - 10 * torsion), 1e-8);
    EXPECT_EQ(s.contacts[0].motion, torsion < 0.1 ? PredictedMotion::kSlips : PredictedMotion::kSticks);
  }
}

TEST(Prediction, HoldingProblemsStick)
{
  // From nothing some wedged draws find another solution of (69), in which they move: holding is weak stability. From
  // forces that hold, all of them stick.
  Rng rng{3};
  StickingChecker checker;
  int moving = 0;
  for (int i = 0; i < 300; ++i) {
    ContactProblem p = random_contacts(rng, 1 + i % 4, 0.3);
    make_holding(rng, p);
    PredictionOptions options;
    for (const bool wedged : {false, true}) {
      if (wedged) options.start = checker.check(p).lambda;
      const Prediction s = predict(p, options);
      ASSERT_TRUE(s.converged()) << "draw " << i << " residual " << s.residual;
      expect_laws(p, s, 1e-7, i);
      bool moves = false;
      for (const ContactPrediction& c : s.contacts) moves = moves || c.motion != PredictedMotion::kSticks;
      if (wedged)
        EXPECT_FALSE(moves) << "draw " << i;
      else
        moving += moves;
    }
  }
  EXPECT_LE(moving, 3);
}

TEST(Prediction, RandomLoadsObeyEveryLaw)
{
  Rng rng{4};
  int unconverged = 0, slipping = 0, detaching = 0;
  const int draws = 600;
  for (int i = 0; i < draws; ++i) {
    const Side side = i % 5 == 4 ? Side::kBilateral : Side::kUnilateral;
    ContactProblem p = random_contacts(rng, 1 + i % 6, i % 2 ? 0.3 : 1.0, side);
    p.F = 5.0 * gaussian(rng, 6);
    if (i % 3 == 0) p.gamma = p.J * gaussian(rng, 6);  // a drift that some acceleration can undo
    if (i % 7 == 0) {
      p.loops = {{"pin", static_cast<int>(p.rows()), 1}};
      p.J.conservativeResize(p.rows() + 1, 6);
      p.J.bottomRows(1) = gaussian(rng, 6).transpose();
      p.gamma.conservativeResize(p.J.rows());
      p.gamma.tail<1>().setZero();
    }
    const Prediction s = predict(p);
    if (!s.converged()) {
      ++unconverged;
      continue;
    }
    expect_laws(p, s, 1e-7, i);
    for (const ContactPrediction& c : s.contacts) {
      slipping += c.motion == PredictedMotion::kSlips;
      detaching += c.motion == PredictedMotion::kDetaches;
    }
  }
  RecordProperty("unconverged", unconverged);
  EXPECT_LE(unconverged, draws / 100);
  EXPECT_GT(slipping, draws / 10);
  EXPECT_GT(detaching, draws / 10);
}

TEST(Prediction, FailingProblemsMove)
{
  Rng rng{5};
  int seen = 0;
  for (int i = 0; i < 400; ++i) {
    ContactProblem p = random_contacts(rng, 1 + i % 5, i % 2 ? 0.3 : 5.0);
    if (!make_failing(rng, p)) continue;
    const Prediction s = predict(p);
    if (!s.converged()) continue;
    ++seen;
    expect_laws(p, s, 1e-7, i);
    bool moves = false;
    for (const ContactPrediction& c : s.contacts) moves = moves || c.motion != PredictedMotion::kSticks;
    EXPECT_TRUE(moves) << "draw " << i;
  }
  EXPECT_GT(seen, 50);
}

TEST(Prediction, UnitsChangeNothing)
{
  Rng rng{6};
  for (int i = 0; i < 60; ++i) {
    ContactProblem p = random_contacts(rng, 1 + i % 3, 0.3);
    p.F = 5.0 * gaussian(rng, 6);
    const Prediction s = predict(p), t = predict(in_units(p, i % 2 ? 1e3 : 1e-3, i % 3 ? 1e-6 : 1e6));
    ASSERT_EQ(s.outcome, t.outcome);
    if (!s.converged()) continue;
    for (size_t k = 0; k < s.contacts.size(); ++k)
      EXPECT_EQ(s.contacts[k].motion, t.contacts[k].motion) << "draw " << i;
  }
}

TEST(Prediction, SaysWhenItDoesNotApply)
{
  ContactProblem p = block_on_ground(1, 1, 1, 0.5, 0);
  p.M(2, 2) = 0.0;
  EXPECT_EQ(predict(p).outcome, PredictionOutcome::kSingularMass);

  ContactProblem q = fingers_on_guide(-3, 4, 0.5, 0.5);
  q.loops[0].rows = 2;  // a second guide row that contradicts the first
  q.J.conservativeResize(6, 4);
  q.J.row(5) = q.J.row(4);
  q.gamma.conservativeResize(6);
  q.gamma[5] = 1.0;
  EXPECT_EQ(predict(q).outcome, PredictionOutcome::kContradiction);

  PredictionOptions hasty;
  hasty.max_sweeps = 0;
  EXPECT_EQ(predict(block_on_ground(1, 1, 1, 0.5, 0), hasty).outcome, PredictionOutcome::kNotConverged);
  PredictionOptions wrong;
  wrong.start = Eigen::VectorXd::Zero(3);
  EXPECT_THROW(predict(block_on_ground(1, 1, 1, 0.5, 0), wrong), InputError);
}

TEST(Prediction, NoContactFallsFreely)
{
  ContactProblem p = block_on_ground(2, 1, 1, 0.5, 1.0);
  p.J.resize(0, 3);
  p.gamma.resize(0);
  p.contacts.clear();
  const Prediction s = predicted(p);
  EXPECT_NEAR((s.acceleration - Eigen::Vector3d(0.5, -kG, 0)).norm(), 0, 1e-12);
}

TEST(Prediction, CheckerPredictsOnlyWhenAskedAndNeeded)
{
  StickingChecker checker;
  StickingOptions options;
  const ContactProblem slides = block_on_ground(1, 1, 0.1, 0.3, 5.0), stays = block_on_ground(1, 1, 0.1, 0.3, 1.0);
  EXPECT_FALSE(checker.check(slides, options).prediction.has_value());
  options.prediction = true;
  StickingResult r;
  checker.check(slides, options, r);
  ASSERT_EQ(r.verdict, Verdict::kFails);
  ASSERT_TRUE(r.prediction.has_value());
  EXPECT_TRUE(r.prediction->converged());
  EXPECT_EQ(r.prediction->contacts[0].motion, PredictedMotion::kSlips);
  checker.check(stays, options, r);
  ASSERT_EQ(r.verdict, Verdict::kHolds);
  EXPECT_FALSE(r.prediction.has_value()) << "left over from the call before";

  // exactly at the rim: sticking is one of the solutions of (69), and it is the one found from the forces at hand
  checker.check(block_on_ground(1, 1, 0.1, 0.5, 5.0, 10.0), options, r);
  ASSERT_NE(r.verdict, Verdict::kFails);
  ASSERT_TRUE(r.prediction.has_value());
  EXPECT_TRUE(r.prediction->converged());
  EXPECT_EQ(r.prediction->contacts[0].motion, PredictedMotion::kSticks);
}

TEST(Prediction, RowsThatContradictWhenStuckMaySlip)
{
  // two feet on a conveyor each, moving apart: sticking is impossible, slipping is not
  ContactProblem p = block_on_ground(1, 1, 0.1, 0.3, 0.0);
  p.gamma[1] = 1.0;
  p.gamma[3] = -1.0;
  StickingOptions options;
  options.prediction = true;
  const StickingResult r = StickingChecker().check(p, options);
  ASSERT_EQ(r.certificate.kind, CertificateKind::kContradiction);
  ASSERT_TRUE(r.prediction.has_value() && r.prediction->converged());
  expect_laws(p, *r.prediction, 1e-7);
  EXPECT_EQ(r.prediction->contacts[0].motion, PredictedMotion::kSlips);
  EXPECT_EQ(r.prediction->contacts[1].motion, PredictedMotion::kSlips);
}

}  // namespace
}  // namespace stiction
