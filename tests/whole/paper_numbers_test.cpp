// Examples 1 to 7 of the paper from URDFs in the plane and from matrices: every printed number that is right, to 1e-9,
// and a counter-example for every one that is not.
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "scene/helpers.hpp"
#include "stiction/paper/mlcp.hpp"
#include "stiction/paper/steps.hpp"
#include "stiction/sticking.hpp"
#include "support/algebra.hpp"
#include "support/examples.hpp"

namespace stiction {
namespace {

using testing::block_on_corner;
using testing::block_on_ground;
using testing::contact;
using ::testing::ElementsAre;
using testing::inverse;
using ::testing::IsEmpty;
using testing::model_from_file;
using testing::own_urdf;
using testing::pinch;
using testing::scene_of;

constexpr double kNine = 1e-9, kWeight = 9.81, kL = 0.6, kl = 0.4;  // block.urdf, 1 kg
constexpr double kInertia = (kL * kL + kl * kl) / 12;

ContactDescription on_ground(const std::string& name, const Eigen::Vector3d& point, double mu)
{
  ContactDescription c = contact(name, "b/block", point, Eigen::Vector3d::UnitZ(), mu);
  c.normal_frame = ContactFrame::kWorld;
  return c;
}

SceneDescription planar_block(const char* urdf, double mu)
{
  SceneDescription d = scene_of({model_from_file("b", own_urdf(urdf), Base::kFixed)});
  d.plane = ScenePlane::kXz;
  d.contacts = {on_ground("right", {kL / 2, 0, -kl / 2}, mu), on_ground("left", {-kL / 2, 0, -kl / 2}, mu)};
  return d;
}

void expect_same_problem(const ContactProblem& a, const ContactProblem& b)
{
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.nv(), b.nv());
  EXPECT_LT((a.M - b.M).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((a.F - b.F).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((a.J - b.J).cwiseAbs().maxCoeff(), 1e-12) << a.J << "\n\n" << b.J;
  EXPECT_LT((a.gamma - b.gamma).cwiseAbs().maxCoeff(), 1e-12);
}

/// An example from URDF and from matrices, which agree.
std::vector<ContactProblem> both_ways(const ContactProblem& from_urdf, const ContactProblem& by_hand)
{
  expect_same_problem(from_urdf, by_hand);
  return {from_urdf, by_hand};
}

StickingSteps steps_of(const ContactProblem& p)
{
  StickingChecker checker;
  StickingOptions options;
  options.margins = true;
  return sticking_steps(p, {}, checker.check(p, options), *make_native_engine());
}

const PropositionAtWork& named(const StickingSteps& steps, const std::string& name)
{
  for (const PropositionAtWork& p : steps.propositions)
    if (p.name == name) return p;
  throw std::runtime_error("no proposition " + name);
}

TEST(PaperNumbers, Examples1And4BlockOnTheGround)
{
  for (const ContactProblem& p :
       both_ways(Scene(planar_block("block.urdf", 0.5)).compute(), block_on_ground(1, kL, kl, 0.5, 0.0))) {
    const StickingSteps steps = steps_of(p);
    EXPECT_EQ(steps.verdict, Verdict::kHolds);
    EXPECT_LT(steps.acceleration.norm(), kNine);
    EXPECT_TRUE(steps.acceleration_unique);
    EXPECT_NEAR(steps.multipliers[0].lower, kWeight / 2, kNine);  // λn = (mg/2, mg/2), unique
    EXPECT_NEAR(steps.multipliers[0].upper, kWeight / 2, kNine);
    EXPECT_NEAR(steps.multipliers[2].lower, kWeight / 2, kNine);
    // only λt1 + λt2 is unique: one internal force, the difference
    ASSERT_EQ(steps.internal_forces.cols(), 1);
    EXPECT_NEAR(steps.internal_forces(1, 0) + steps.internal_forces(3, 0), 0, kNine);
    EXPECT_EQ(steps.multipliers[1].upper, kInfinity);
    EXPECT_NEAR(steps.admissible[1].upper, 0.5 * kWeight / 2, kNine);
    EXPECT_NEAR(steps.admissible[1].lower, -0.5 * kWeight / 2, kNine);
    // Example 4: Assumption 1 fails, C2 applies, P8 (i) does not (y part of E: span(1, -1))
    EXPECT_THAT(named(steps, "P6").failed, Not(IsEmpty()));
    EXPECT_THAT(named(steps, "C2").failed, IsEmpty());
    EXPECT_THAT(named(steps, "P8").failed, ElementsAre(::testing::HasSubstr("y part of E")));
    const auto engine = make_native_engine();
    const Solvability s = solvability(p, *engine);
    EXPECT_EQ(s.mfcq, Verdict::kHolds);
    EXPECT_EQ(s.no_free_motion, Verdict::kHolds);
    // normal cone (49) and im Ht: β(1, 0, l/2) = (0, λ1 + λ2, (L/2)(λ1 - λ2)) only for 0; tangent cone w_y >=
    // (L/2)|w_θ|
    const Eigen::RowVector3d n1 = p.J.row(0), n2 = p.J.row(2);
    EXPECT_LT((n1 - Eigen::RowVector3d(0, 1, kL / 2)).norm(), kNine);
    EXPECT_LT((n2 - Eigen::RowVector3d(0, 1, -kL / 2)).norm(), kNine);
    EXPECT_GT((n1 - Eigen::RowVector3d(0, 1, 0.5)).norm(), 0.1);  // Example 4 prints 1/2 for L/2 and for l/2
    EXPECT_GT(std::abs(p.J(1, 2) - 0.5), 0.1);
    for (const double turn : {-1.0, 0.5, 2.0}) {
      const Eigen::Vector3d edge(7, kL / 2 * std::abs(turn), turn);
      EXPECT_NEAR(std::min(n1 * edge, n2 * edge), 0, kNine);
    }
  }
}

TEST(PaperNumbers, Example1SticksBelowFrictionAndTippingLimits)
{
  for (const double mu : {0.3, 5.0})
    for (const double beyond : {-1e-6, 1e-6}) {
      SceneDescription d = planar_block("block.urdf", mu);
      const double limit = std::min(mu * kWeight, kWeight * kL / kl);
      LoadDescription load;
      load.link = "b/block";
      load.force = {limit * (1 + beyond), 0, 0};
      d.loads = {load};
      StickingOptions options;
      options.rules.detachment = Detachment::kForbidden;
      for (const ContactProblem& p : both_ways(Scene(d).compute(), block_on_ground(1, kL, kl, mu, load.force.x()))) {
        const StickingResult r = StickingChecker().check(p, options);
        EXPECT_EQ(r.verdict, beyond < 0 ? Verdict::kHolds : Verdict::kFails);
        EXPECT_EQ(r.indeterminacy, 1);
        if (beyond < 0) {
          EXPECT_NEAR(r.lambda[1] + r.lambda[3], -load.force.x(), kNine);
        }
      }
    }
}

SceneDescription block_on_its_corner(double theta, double rate, double mu)
{
  SceneDescription d = scene_of({model_from_file("b", own_urdf("block.urdf"), Base::kFixed)});
  d.plane = ScenePlane::kXz;
  const double a = (kl * std::sin(theta) - kL * std::cos(theta)) / 2,
               b = (kl * std::cos(theta) + kL * std::sin(theta)) / 2;
  d.models[0].joints = {{"theta", theta}};
  d.models[0].rates = {{"theta", rate}, {"x", -b * rate}, {"y", -a * rate}};  // the corner rests
  d.contacts = {on_ground("corner", {-kL / 2, 0, -kl / 2}, mu)};
  return d;
}

TEST(PaperNumbers, Example2BlockOnOneCorner)
{
  for (const double theta : {0.0, 0.3, std::atan(kL / kl), 1.2}) {
    const Eigen::Vector3d F(0.7, kWeight, -0.2);
    for (ContactProblem q : both_ways(Scene(block_on_its_corner(theta, 0.0, 2.0)).compute(),
                                      block_on_corner(1, kL, kl, theta, 2.0, {0, kWeight, 0}))) {
      q.F = F;
      const double a = q.J(0, 2), b = q.J(1, 2), r = kInertia;
      const ContactLcp lcp = contact_lcp(q);
      EXPECT_TRUE(lcp.hypotheses.hold());                                               // Assumption 1
      EXPECT_NEAR(lcp.Ac(0, 0), (r + a * a - a * a * b * b / (r + b * b)) / r, kNine);  // (40)
      // (41) with its misprints mended (+F^y, other factor and no 1/m in print), and the moment's share
      const double along = 12 * a * b / (kL * kL + kl * kl) / (1 + 12 * b * b / (kL * kL + kl * kl));
      const double turning = -a / r * (1 - b * b / (r + b * b));
      EXPECT_NEAR(lcp.Hc[0], -F.y() + along * F.x() + turning * F.z(), kNine);
      const double printed = F.y() + 12 * a * b / (kL * kL + kl * kl) * F.x() + turning * F.z();
      EXPECT_GT(std::abs(lcp.Hc[0] - printed), 1.0);
      if (theta == std::atan(kL / kl)) {
        EXPECT_NEAR(along, 0, kNine);
      }  // F^x plays no role
      // P9, (53): the normal force, and the ratio that decides
      const FacetMlcp facets = facet_mlcp(q, ConeShape::exact());
      ASSERT_TRUE(facets.hypotheses.hold());
      const double lambda_n = std::max(0.0, -lcp.Hc[0] / lcp.Ac(0, 0));
      EXPECT_NEAR(facets.lambda_n[0], lambda_n, kNine);
      const double lambda_t = (F.x() + b * F.z() / r - a * b / r * lambda_n) / (1 + b * b / r);
      const StickingResult s = StickingChecker().check(q);
      EXPECT_NEAR(s.lambda[1], lambda_t, kNine);
      for (const double beyond : {-1e-6, 1e-6}) {
        q.contacts[0].mu = std::abs(lambda_t) / lambda_n * (1 - beyond);
        EXPECT_EQ(StickingChecker().check(q).verdict, beyond < 0 ? Verdict::kHolds : Verdict::kFails);
      }
    }
  }
}

TEST(PaperNumbers, Example2DriftWhileItRocks)
{
  for (const double theta : {0.2, 0.9}) {
    const double rate = 1.3;
    ContactProblem by_hand = block_on_corner(1, kL, kl, theta, 2.0, {0, kWeight, 0});
    // the corner is at (a, -b) from the centre and turns about it: its acceleration is -rate² times that
    by_hand.gamma << rate * rate * by_hand.J(1, 2), -rate * rate * by_hand.J(0, 2);
    for (const ContactProblem& p : both_ways(Scene(block_on_its_corner(theta, rate, 2.0)).compute(), by_hand)) {
      const ContactLcp lcp = contact_lcp(p);
      const StickingResult s = StickingChecker().check(p);
      EXPECT_NEAR(s.lambda[0], -lcp.Hc[0] / lcp.Ac(0, 0), kNine);
    }
  }
}

/// The rocking block with both corners in the rows: D_nn(θ) = ∇h' M⁻¹ ∇h of (39) and the drift B(θ, θ̇).
TEST(PaperNumbers, Example2DelassusMatrixAndDriftOfBothCorners)
{
  for (const double theta : {0.0, 0.3, -0.7})
    for (const double rate : {0.0, 1.3}) {
      SceneDescription d = planar_block("block.urdf", 0.5);
      d.models[0].joints = {{"theta", theta}};
      d.models[0].rates = {{"theta", rate}};
      const ContactProblem p = Scene(d).compute();
      const double c = std::cos(theta), s = std::sin(theta);
      const Eigen::Vector2d lever((kl * s + kL * c) / 2, (kl * s - kL * c) / 2);  // right, left
      const Eigen::Vector2d height((kl * c - kL * s) / 2, (kl * c + kL * s) / 2);
      Eigen::MatrixXd normals(2, 3);
      normals << p.J.row(0), p.J.row(2);
      const Eigen::Matrix2d D = normals * inverse(p.M) * normals.transpose();
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) EXPECT_NEAR(D(i, j), 1.0 + lever[i] * lever[j] / kInertia, kNine);
        EXPECT_NEAR(p.gamma[2 * i], rate * rate * height[i], kNine);  // B(θ, θ̇)
        EXPECT_NEAR(p.gamma[2 * i + 1], -rate * rate * lever[i], kNine);
      }
      const double determinant = D(0, 0) * D(1, 1) - D(0, 1) * D(1, 0);
      EXPECT_NEAR(determinant, kL * kL * c * c / kInertia, kNine) << "regular until both corners are above each other";
      ContactProblem rows = block_on_ground(1, kL, kl, 0.5, 0.0);  // the same from matrices
      for (int i = 0; i < 2; ++i) {
        rows.J.row(2 * i) << 0, 1, lever[i];
        rows.J.row(2 * i + 1) << 1, 0, height[i];
        rows.gamma.segment<2>(2 * i) << rate * rate * height[i], -rate * rate * lever[i];
      }
      expect_same_problem(p, rows);
    }
}

constexpr double kRod = 0.5, kRodMass = 0.3, kRodInertia = kRodMass * kRod * kRod / 12;

/// At theta = 0 with only the rod turning: appendix D, mended.
ContactProblem block_with_pendulum(double alpha, double rate)
{
  const double c = std::cos(alpha), s = std::sin(alpha), half = kRod / 2, m = kRodMass;
  const double M33 = kInertia + kRodInertia + m * ((kRod * kRod + kl * kl) / 4 + half * kl * s),
               M34 = kRodInertia + m * half / 2 * (kRod + kl * s), M44 = kRodInertia + m * half * half;
  ContactProblem p = block_on_ground(1, kL, kl, 0.5, 0.0);
  p.M.resize(4, 4);
  p.M << 1 + m, 0, -m * (kl / 2 + half * s), -m * half * s,  //
      0, 1 + m, m * half * c, m * half * c,                  //
      -m * (kl / 2 + half * s), m * half * c, M33, M34,      //
      -m * half * s, m * half * c, M34, M44;
  const double pull = m * half * rate * rate, moment = m * kWeight * half * c;
  p.F = Eigen::Vector4d(-pull * c, -pull * s + (1 + m) * kWeight, pull * kl / 2 * c + moment, moment);
  p.J.conservativeResize(4, 4);
  p.J.col(3).setZero();
  return p;
}

TEST(PaperNumbers, Example3BlockWithPendulum)
{
  for (const double alpha : {0.3, -1.1, 2.0}) {
    SceneDescription d = planar_block("block_with_pendulum.urdf", 0.5);
    const double rate = 1.7;
    d.models[0].joints = {{"alpha", alpha}};
    d.models[0].rates = {{"alpha", rate}};
    const double c = std::cos(alpha), s = std::sin(alpha);
    for (const ContactProblem& p : both_ways(Scene(d).compute(), block_with_pendulum(alpha, rate))) {
      EXPECT_NEAR(p.M(2, 2), kInertia + kRodInertia + kRodMass * ((kRod * kRod + kl * kl) / 4 + kRod * kl / 2 * s),
                  kNine);
      EXPECT_NEAR(p.M(2, 3), kRodInertia + kRodMass * kRod / 4 * (kRod + kl * s), kNine);
      EXPECT_NEAR(p.M(3, 3), kRodInertia + kRodMass * kRod * kRod / 4, kNine);
      // as printed: cos for sin, no I_p, no mass of the rod
      EXPECT_GT(std::abs(p.M(2, 2) - (kInertia + kRodMass * ((kRod * kRod + kl * kl) / 4 + kRod * kl / 2 * c))), 1e-3);
      EXPECT_GT(std::abs(p.M(2, 3) - kRod / 4 * (kRod + kl * c)), 1e-3);
      const double pull = kRodMass * kRod / 2 * rate * rate;
      const double rod_moment = kRodMass * kWeight * kRod / 2 * c;
      EXPECT_NEAR(p.F[0], -pull * c, kNine);                               // (42)
      EXPECT_NEAR(p.F[1], -pull * s + (1 + kRodMass) * kWeight, kNine);    // (42)
      EXPECT_NEAR(p.F[2], pull * kl / 2 * c + rod_moment, kNine);          // + (m̄ a l/4) α̇² cos α
      EXPECT_GT(std::abs(p.F[2] - rod_moment + pull * kl / 2 * s), 1e-2);  // printed: - … sin α
      // sums of contact forces from Newton's law of the whole
      const StickingResult r = StickingChecker().check(p);
      EXPECT_EQ(r.indeterminacy, 1);
      EXPECT_TRUE(r.acceleration_unique);
      EXPECT_LT((p.M * r.acceleration + p.F - p.J.transpose() * r.lambda).norm(), kNine);
      EXPECT_LT(r.acceleration.head(3).norm(), kNine);  // the block rests
      const double swing = -rod_moment / p.M(3, 3);
      EXPECT_NEAR(r.acceleration[3], swing, kNine);
      EXPECT_NEAR(r.lambda[1] + r.lambda[3], p.M(0, 3) * swing + p.F[0], kNine);
      EXPECT_NEAR(r.lambda[0] + r.lambda[2], p.M(1, 3) * swing + p.F[1], kNine);
    }
  }
}

/// Example 5 at a posture in which every finger touches its face; its matrices as the paper writes them.
struct RectangleInFingers {
  double theta, x, y, y1 = 0.03, x2 = -0.05, y3 = -0.02;
  double x1 = 0, y2 = 0, x3 = 0;

  RectangleInFingers(double theta_, double x_, double y_) : theta(theta_), x(x_), y(y_)
  {
    const double c = std::cos(theta), s = std::sin(theta);
    if (theta == 0.0 && x == 0.0 && y == 0.0) y1 = x2 = y3 = 0.0;
    x1 = x - (kL / 2 + (y1 - y) * s) / c;
    y2 = y + (kl / 2 + (x2 - x) * s) / c;
    x3 = x + (kL / 2 - (y3 - y) * s) / c;
  }

  ContactProblem scene(const Eigen::Vector3d& F, double mu) const
  {
    SceneDescription d = scene_of({model_from_file("h", own_urdf("rectangle_and_fingers.urdf"), Base::kFixed)});
    d.plane = ScenePlane::kXz;
    d.models[0].joints = {{"x", x},           {"y", y}, {"theta", theta}, {"x1", x1 + kL / 2}, {"y2", y2 - kl / 2},
                          {"x3", x3 - kL / 2}};
    d.models[0].effort = {Effort::Kind::kGiven, {{"x1", -F[0]}, {"y2", 0.2 * kWeight - F[1]}, {"x3", -F[2]}}};
    const auto add = [&](const char* name, const char* tip, const Eigen::Vector3d& at, const Eigen::Vector3d& normal) {
      ContactDescription c = contact(name, "h/rectangle", at, normal, mu);
      c.on = std::string("h/") + tip;
      c.at_frame = ContactFrame::kOn;
      d.contacts.push_back(c);
    };
    add("left", "left_tip", {0, 0, y1}, Eigen::Vector3d::UnitX());
    add("top", "top_tip", {x2, 0, 0}, -Eigen::Vector3d::UnitZ());
    add("right", "right_tip", {0, 0, y3}, -Eigen::Vector3d::UnitX());
    return Scene(d).compute();
  }

  ContactProblem matrices(const Eigen::Vector3d& F, double mu) const
  {
    const double c = std::cos(theta), s = std::sin(theta);
    ContactProblem p;
    p.M = (Eigen::VectorXd(6) << 1, 1, kInertia, 0.1, 0.3, 0.2).finished().asDiagonal();  // x1, x3, y2 by name
    p.F = (Eigen::VectorXd(6) << 0, kWeight, 0, F[0], F[2], F[1]).finished();
    p.J.resize(6, 6);
    p.J.row(0) << c, s, (x1 - x) * s - (y1 - y) * c, -c, 0, 0;    // ∇h1
    p.J.row(1) << -s, c, -kL / 2, s, 0, 0;                        // Ht1
    p.J.row(2) << s, -c, -(x2 - x) * c - (y2 - y) * s, 0, 0, c;   // ∇h2
    p.J.row(3) << c, s, -kl / 2, 0, 0, -s;                        // -Ht2
    p.J.row(4) << -c, -s, -(x3 - x) * s + (y3 - y) * c, 0, c, 0;  // ∇h3
    p.J.row(5) << -s, c, kL / 2, 0, s, 0;                         // Ht3
    p.gamma.setZero(6);
    for (int i = 0; i < 3; ++i) p.contacts.push_back(testing::planar_contact("c" + std::to_string(i), 2 * i, mu));
    return p;
  }

  Eigen::Vector3d gaps() const
  {
    const double c = std::cos(theta), s = std::sin(theta);
    return {-(x1 - x) * c - (y1 - y) * s - kL / 2, (y2 - y) * c - (x2 - x) * s - kl / 2,
            (x3 - x) * c + (y3 - y) * s - kL / 2};
  }
};

TEST(PaperNumbers, Example5RowsOfARectangleBetweenFingers)
{
  for (const double theta : {0.0, 0.25, -0.4}) {
    const RectangleInFingers hand(theta, 0.02, -0.01);
    EXPECT_LT(hand.gaps().norm(), 1e-15);
    expect_same_problem(hand.scene({-20, 6, 18}, 0.5), hand.matrices({-20, 6, 18}, 0.5));
    // gradients of the gaps by finite differences
    const ContactProblem p = hand.matrices({-20, 6, 18}, 0.5);
    double RectangleInFingers::*const coordinates[] = {&RectangleInFingers::x,     &RectangleInFingers::y,
                                                       &RectangleInFingers::theta, &RectangleInFingers::x1,
                                                       &RectangleInFingers::x3,    &RectangleInFingers::y2};
    for (int k = 0; k < 6; ++k) {
      RectangleInFingers plus = hand, minus = hand;
      constexpr double kStep = 1e-6;
      plus.*coordinates[k] += kStep;
      minus.*coordinates[k] -= kStep;
      const Eigen::Vector3d slope = (plus.gaps() - minus.gaps()) / (2 * kStep);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(p.J(2 * i, k), slope[i], 1e-9) << "gap " << i << " coordinate " << k;
    }
    // printed expansions have + for - before L/2 = (1/2) sqrt(L² + l²) sin α: no gap would be closed
    EXPECT_NEAR((hand.gaps() + Eigen::Vector3d(kL, kl, kL)).minCoeff(), kl, 1e-12);
    // Ht3 as printed is (0, 0, -h3 …): zero at contact, so that contact 3 could never hold sideways
    EXPECT_GT(p.J.row(5).norm(), 1.0);
  }
}

TEST(PaperNumbers, Example5ClosedForm)
{
  const RectangleInFingers hand(0.0, 0.0, 0.0);
  for (const Eigen::Vector3d& F : {Eigen::Vector3d(-20, 6, 18), Eigen::Vector3d(-10, 3, 13)}) {
    const double tilt = kl / kL * (F[0] + F[2]);
    const Eigen::Vector3d lambda_n(-F[0], F[1], F[2]);
    const Eigen::Vector3d lambda_t((kWeight + F[1] - tilt) / 2, F[0] + F[2],
                                   (kWeight + F[1] + tilt) / 2);  // t2: other way
    for (const bool from_urdf : {true, false}) {
      ContactProblem p = from_urdf ? hand.scene(F, 5.0) : hand.matrices(F, 5.0);
      const StickingResult r = StickingChecker().check(p);
      EXPECT_LT(r.acceleration.norm(), kNine);
      EXPECT_EQ(r.indeterminacy, 0);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(r.lambda[2 * i], lambda_n[i], kNine);
        EXPECT_NEAR(r.lambda[2 * i + 1], lambda_t[i], kNine);
      }
      for (int i = 0; i < 3; ++i)
        for (const double beyond : {-1e-6, 1e-6}) {
          p.contacts[static_cast<std::size_t>(i)].mu = std::abs(lambda_t[i]) / lambda_n[i] * (1 - beyond);
          EXPECT_EQ(StickingChecker().check(p).verdict, beyond < 0 ? Verdict::kHolds : Verdict::kFails) << i;
          p.contacts[static_cast<std::size_t>(i)].mu = 5.0;
        }
      // Assumption 1, P8 (i) and C2 hold here
      const StickingSteps steps = steps_of(p);
      for (const char* name : {"P6", "P8", "C2", "P9", "P10"})
        EXPECT_THAT(named(steps, name).failed, IsEmpty()) << name;
      const auto engine = make_native_engine();
      EXPECT_EQ(solvability(p, *engine).E_is_zero, Verdict::kHolds);
    }
  }
}

SceneDescription planar_pinch(const char* urdf, double mu1, double mu2, const std::map<std::string, double>& efforts)
{
  SceneDescription d = pinch(urdf, mu1, mu2);
  d.plane = ScenePlane::kXz;
  d.models[0].effort = {Effort::Kind::kGiven, efforts};
  return d;
}

TEST(PaperNumbers, Example6SegmentOfTangentialForces)
{
  const double F1 = -12, F2 = 10, mu1 = 0.5, mu2 = 0.4 + 0.1;
  const auto example = [&](double f1, double f2) {
    return both_ways(Scene(planar_pinch("pinch_on_guide.urdf", mu1, mu2, {{"x1", -f1}, {"x2", -f2}})).compute(),
                     testing::fingers_on_guide(f1, f2, mu1, mu2));
  };
  for (const ContactProblem& p : example(F1, F2)) {
    const StickingSteps steps = steps_of(p);
    EXPECT_EQ(steps.internal_forces.cols(), 1);
    EXPECT_NEAR(steps.multipliers[0].lower, -F1, kNine);
    EXPECT_NEAR(steps.multipliers[2].upper, F2, kNine);
    EXPECT_NEAR(steps.multipliers[4].upper, F1 + F2, kNine);  // λnb of the guide
    EXPECT_NEAR(steps.disk_radius[0].upper, -mu1 * F1, kNine);
    // λt1 in [g - mu2 F2, mu1 |F1|], λt2 = g - λt1
    EXPECT_NEAR(steps.admissible[1].lower, kWeight - mu2 * F2, kNine);
    EXPECT_NEAR(steps.admissible[1].upper, -mu1 * F1, kNine);
    EXPECT_NEAR(steps.admissible[3].lower, kWeight + mu1 * F1, kNine);
    EXPECT_NEAR(steps.admissible[3].upper, mu2 * F2, kNine);
    EXPECT_TRUE(steps.persists);
    // Step 3 as printed has J'λ = M a, without F: none of these multipliers solves it. (65b) as printed has |λt| <= mu,
    // without λn: 9.81 N would be beyond both disks.
    const Eigen::VectorXd lambda = StickingChecker().check(p).lambda;
    EXPECT_LT((p.J.transpose() * lambda - p.M * steps.acceleration - p.F).norm(), kNine);
    EXPECT_GT((p.J.transpose() * lambda - p.M * steps.acceleration).norm(), 1.0);
    EXPECT_GT(lambda[1] + lambda[3], mu1 + mu2);
  }
  for (const double beyond : {-1e-6, 1e-6}) {  // -mu1 F1 + mu2 F2 >= g
    const double needed = (kWeight + mu1 * F1) / mu2 * (1 - beyond);
    for (const ContactProblem& q : example(F1, needed))
      EXPECT_EQ(StickingChecker().check(q).verdict, beyond < 0 ? Verdict::kHolds : Verdict::kFails);
  }
  for (const ContactProblem& open : example(5.0, -5.0)) {
    const StickingSteps leaving = steps_of(open);
    EXPECT_NEAR(leaving.normal_acceleration[0], 5.0, kNine);
    EXPECT_NEAR(leaving.normal_acceleration[1], 5.0, kNine);
  }
}

TEST(PaperNumbers, Example6bForcesAreUniqueAndPropositionsApply)
{
  const double F1x = -8, F2x = 9, Fy = kWeight - 11.31;
  const SceneDescription d = planar_pinch("pinch_free_fingers.urdf", 0.5, 0.5,
                                          {{"x1", -F1x}, {"x2", -F2x}, {"y1", kWeight - Fy}, {"y2", kWeight - Fy}});
  for (const ContactProblem& p :
       both_ways(Scene(d).compute(), testing::moving_fingers_on_guide(F1x, F2x, Fy, 0.5, 0.5))) {
    const StickingSteps steps = steps_of(p);
    EXPECT_EQ(steps.internal_forces.cols(), 0);
    EXPECT_EQ(steps.verdict, Verdict::kHolds);
    EXPECT_NEAR(steps.multipliers[1].lower, (kWeight - Fy) / 3, kNine);
    EXPECT_NEAR(steps.multipliers[3].upper, (kWeight - Fy) / 3, kNine);
    EXPECT_NEAR(steps.acceleration[1], -(kWeight + 2 * Fy) / 3, kNine);
    EXPECT_NEAR(steps.acceleration[3], -(kWeight + 2 * Fy) / 3, kNine);
    for (const char* name : {"P8", "C2", "P9", "P10", "P12"}) EXPECT_THAT(named(steps, name).failed, IsEmpty()) << name;
    // sticks iff |g - F1y| / 3 <= min(-mu1 F1x, mu2 F2x)
    for (const double beyond : {-1e-6, 1e-6}) {
      ContactProblem q = p;
      for (Contact& contact : q.contacts) contact.mu = (kWeight - Fy) / 3 / std::min(-F1x, F2x) * (1 - beyond);
      EXPECT_EQ(StickingChecker().check(q).verdict, beyond < 0 ? Verdict::kHolds : Verdict::kFails);
    }
  }
}

constexpr double kPress = 2.0, kBall = 0.2;  // N; kg, sphere.urdf

ContactProblem hand_from_urdf(double mu)
{
  const double press = kPress, weight = kBall * kWeight;
  SceneDescription d = scene_of({model_from_file("ball", own_urdf("sphere.urdf"), Base::kFloating),
                                 model_from_file("hand", own_urdf("three_arms.urdf"), Base::kFixed)});
  d.models[0].pose.xyz.z() = 0.15;
  std::map<std::string, double> efforts;
  for (int i = 1; i <= 3; ++i) {
    ContactDescription c = contact("tip" + std::to_string(i), "ball/sphere", {0, 0, 0}, Eigen::Vector3d::UnitX(), mu);
    c.on = "hand/tip" + std::to_string(i);
    c.at_frame = c.normal_frame = ContactFrame::kOn;
    d.contacts.push_back(c);
    // the tip is 0.15 m above the shoulder and 0.2 m from the elbow; positive angles bend downwards
    const double elbow = -0.2 * weight / 3 - 0.1 * 0.1 * kWeight;
    efforts["elbow" + std::to_string(i)] = elbow;
    efforts["shoulder" + std::to_string(i)] = elbow + 0.15 * press;
  }
  d.models[1].effort = {Effort::Kind::kGiven, efforts};
  return Scene(d).compute();
}

/// By hand: an arm has an upright upper link (0.2 kg, 0.15 m, moments 3.85e-4 across and 2e-5 along) and a lower one
/// that points inwards (0.1 kg, 0.2 m, 1e-5 along and 3.4e-4 across); its tip is on the ball, 0.05 m from the centre.
ContactProblem hand_from_matrices(double mu)
{
  constexpr double upper = 0.15, half = 0.1, reach = 0.2, radius = 0.05;
  ContactProblem p;
  p.M.setZero(15, 15);
  p.M.topLeftCorner<6, 6>().diagonal() << kBall, kBall, kBall, 2e-4, 2e-4, 2e-4;  // 2/5 m r²
  p.F.setZero(15);
  p.F[2] = kBall * kWeight;
  p.J.setZero(9, 15);
  p.gamma.setZero(9);
  const double elbow = -reach * kBall * kWeight / 3 - half * 0.1 * kWeight;
  for (int i = 0; i < 3; ++i) {
    const double turned = (1 + 2 * i / 3.0) * std::numbers::pi;  // the arm's x axis points to the centre
    const Eigen::Vector3d in(std::cos(turned), std::sin(turned), 0), left(-in.y(), in.x(), 0), up(0, 0, 1);
    const int arm = 6 + 3 * i, row = 3 * i;
    const double bend = 3.4e-4 + 0.1 * half * half;                               // about the elbow
    p.M.block<3, 3>(arm, arm) << 2e-5 + bend, 0, 0,                               // yaw: the lower link swings round
        0, 3.85e-4 + 0.2 * upper * upper / 4 + bend + 0.1 * upper * upper, bend,  //
        0, bend, bend;
    const double gravity = -half * 0.1 * kWeight;  // positive angles bend downwards
    p.F.segment<3>(arm) << 0, gravity - (elbow + upper * kPress), gravity - elbow;
    const Eigen::Vector3d point = -radius * in;
    const Eigen::Vector3d tip[3] = {reach * left, upper * in - reach * up, -reach * up};  // velocities of the tip
    const Eigen::Vector3d axes[3] = {in, left, up};
    for (int k = 0; k < 3; ++k) {
      p.J.block<1, 3>(row + k, 0) = axes[k].transpose();
      p.J.block<1, 3>(row + k, 3) = point.cross(axes[k]).transpose();
      for (int j = 0; j < 3; ++j) p.J(row + k, arm + j) = -axes[k].dot(tip[j]);
    }
    Contact c = testing::planar_contact("tip" + std::to_string(i + 1), row, mu);
    c.tangents = 2;
    p.contacts.push_back(c);
  }
  return p;
}

TEST(PaperNumbers, Example7HandOfThreeArms)
{
  const double press = kPress, weight = kBall * kWeight, mu = 0.5;
  const ContactProblem p = hand_from_urdf(mu), by_hand = hand_from_matrices(mu);
  ASSERT_EQ(p.nv(), 15);
  expect_same_problem(p, by_hand);

  // (67), (68): M is block diagonal, each contact's rows meet the ball and its own arm
  std::vector<int> block;
  for (const Dof& dof : p.dofs) block.push_back(dof.model == "ball" ? 0 : dof.joint.back() - '0');
  EXPECT_EQ(std::count(block.begin(), block.end(), 0), 6);
  for (Eigen::Index i = 0; i < 15; ++i)
    for (Eigen::Index j = 0; j < 15; ++j)
      if (block[static_cast<std::size_t>(i)] != block[static_cast<std::size_t>(j)]) {
        EXPECT_EQ(p.M(i, j), 0.0);
      }
  for (std::size_t c = 0; c < 3; ++c)
    for (int k = 0; k < 3; ++k) {
      double arm = 0.0;
      for (Eigen::Index j = 0; j < 15; ++j) {
        const int owner = block[static_cast<std::size_t>(j)];
        if (owner == static_cast<int>(c) + 1) arm += std::abs(p.J(p.contacts[c].row + k, j));
        if (owner != 0 && owner != static_cast<int>(c) + 1) {
          EXPECT_EQ(p.J(p.contacts[c].row + k, j), 0.0);
        }
      }
      EXPECT_GT(arm, 0.1);  // every arm moves its tip in every direction
    }

  for (ContactProblem q : {p, by_hand}) {
    const StickingResult r = StickingChecker().check(q);
    EXPECT_EQ(r.indeterminacy, 0);
    EXPECT_LT(r.acceleration.norm(), kNine);
    for (const ContactReport& c : r.contacts) {
      EXPECT_NEAR(c.force[0], press, kNine);
      EXPECT_NEAR(c.force.segment<2>(1).norm(), weight / 3, kNine);
    }
    for (const double beyond : {-1e-6, 1e-6}) {
      for (Contact& c : q.contacts) c.mu = weight / 3 / press * (1 - beyond);
      EXPECT_EQ(StickingChecker().check(q).verdict, beyond < 0 ? Verdict::kHolds : Verdict::kFails);
    }
  }
}

TEST(PaperNumbers, SignsOfTheTwentySecondEquation)
{
  // (22) prints + d/dt(Ht') q̇ in its last bracket; with drift the sign matters: λ = G⁻¹(J M⁻¹F - γ).
  ContactProblem p = block_on_corner(1, kL, kl, 0.4, 2.0, {0.3, kWeight, 0.1});
  p.contacts[0].side = Side::kBilateral;
  p.gamma = Eigen::Vector2d(0.5, -2.0);
  const BilateralSticking found = bilateral_sticking(p);
  ASSERT_TRUE(found.hypotheses.hold());
  const Eigen::VectorXd a = inverse(p.M) * (p.J.transpose() * found.lambda - p.F);
  EXPECT_LT((p.J * a + p.gamma).norm(), kNine);
  const Eigen::VectorXd printed = inverse(found.G) * (p.J * inverse(p.M) * p.F + p.gamma);
  EXPECT_GT((p.J * inverse(p.M) * (p.J.transpose() * printed - p.F) + p.gamma).norm(), 0.1);
}

TEST(PaperNumbers, NormalForcesOfTheTwentyThirdEquation)
{
  // λ = W F + V of (23): W = G⁻¹ J M⁻¹ and V = -G⁻¹γ; with the extra inverse of G_nn in print it is another force.
  ContactProblem p = block_on_corner(1, kL, kl, 0.4, 2.0, {0.3, kWeight, 0.1});
  p.contacts[0].side = Side::kBilateral;
  p.gamma = Eigen::Vector2d(0.5, -2.0);
  const BilateralSticking found = bilateral_sticking(p);
  const Eigen::MatrixXd W = inverse(found.G) * p.J * inverse(p.M);
  const Eigen::VectorXd V = -inverse(found.G) * p.gamma;
  EXPECT_LT((W * p.F + V - found.lambda).norm(), kNine);
  EXPECT_GT(std::abs(found.lambda[0] / found.G(0, 0) - found.lambda[0]), 0.1);
}

TEST(PaperNumbers, ForcesOfLeastNormDoNotDecide)
{
  // P5 says "sticks iff the forces of least norm are in their cones". They share what is held sideways evenly; with an
  // icy corner all of it can be carried by the other one.
  ContactProblem p = block_on_ground(1, kL, kl, 1.0, 2.0);
  p.contacts[0].mu = 0.0;
  const MinimumNormForces least = minimum_norm_forces(p);
  EXPECT_NEAR(least.lambda[1], -1.0, kNine);
  EXPECT_GT(std::abs(least.lambda[1]), p.contacts[0].mu * least.lambda[0]);
  const StickingResult r = StickingChecker().check(p);
  ASSERT_EQ(r.verdict, Verdict::kHolds) << r.reason;
  EXPECT_NEAR(r.lambda[1], 0.0, kNine);
  EXPECT_NEAR(r.lambda[3], -2.0, kNine);
}

}  // namespace
}  // namespace stiction
