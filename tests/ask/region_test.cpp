#include "stiction/region.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "stiction/error.hpp"
#include "support/limbs.hpp"

namespace stiction {
namespace {

using testing::add_flat_foot;
using testing::add_foot;
using testing::align_axes;
using testing::make_stance;
using testing::move_com;
using testing::on_legs;
using testing::random_stance;
using testing::Rng;
using testing::Stance;
using testing::uniform;

double shoelace(const Polygon& p)
{
  double twice = 0.0;
  for (size_t i = 0; i < p.size(); ++i) {
    const Eigen::Vector2d &a = p[i], &b = p[(i + 1) % p.size()];
    twice += a.x() * b.y() - a.y() * b.x();
  }
  return twice / 2;
}

class Region : public ::testing::TestWithParam<const char*> {
 protected:
  RegionChecker region_checker{make_engine(GetParam())};
  EquilibriumChecker checker{make_engine(GetParam())};
  bool native = std::string(GetParam()) == "native";

  RegionResult find(const Stance& s, const RegionOptions& options = {})
  {
    return region_checker.check(s.problem, {}, s.shift, s.position, options);
  }

  /// (EQ) asked again with the centre of mass somewhere else.
  Verdict verdict_at(Stance s, const Eigen::Vector2d& c)
  {
    move_com(s, c);
    EquilibriumOptions options;
    options.largest_slack = options.structure = options.explain = false;
    EquilibriumResult result;
    checker.check(s.problem, {}, options, result);
    return result.verdict;
  }

  void expect_area(const RegionResult& result, double area)
  {
    EXPECT_EQ(result.kind, RegionKind::kBounded) << result.reason;
    EXPECT_LE(result.area.lower, area * (1 + 1e-9));
    EXPECT_GE(result.area.upper, area * (1 - 1e-9));
    EXPECT_LE(result.area.upper - result.area.lower, 1.01e-3 * area);
  }

  /// Every corner of the inner polygon is held by its forces, every half-plane is proved by its motion: with the judge
  /// of (EQ).
  void expect_proved(const Stance& s, const RegionResult& result)
  {
    for (const RegionPiece& piece : result.pieces) {
      ASSERT_EQ(piece.inner.size(), piece.forces.size());
      for (size_t i = 0; i < piece.inner.size(); ++i) {
        Stance moved = s;
        move_com(moved, piece.inner[i]);
        Certificate proof;
        proof.kind = CertificateKind::kForces;
        proof.a = Eigen::VectorXd::Zero(s.problem.nv());
        proof.lambda = piece.forces[i];
        proof.efforts.resize(static_cast<Eigen::Index>(s.problem.actuators.size()));
        for (size_t k = 0; k < s.problem.actuators.size(); ++k) {
          const int d = s.problem.actuators[k].dof;
          proof.efforts[k] = moved.problem.F[d] - s.problem.J.col(d).dot(proof.lambda);
        }
        std::string why;
        EXPECT_EQ(judge_equilibrium(moved.problem, {}, {}, proof, &why), Verdict::kHolds) << why;
      }
      ASSERT_EQ(piece.outer.size(), piece.cuts.size());
      for (const RegionCut& cut : piece.cuts) {
        if (cut.proof.motion.size() == 0) continue;
        Stance moved = s;
        move_com(moved, (cut.offset + 1e-6) * cut.normal);
        Certificate proof;
        proof.kind = CertificateKind::kMotion;
        proof.a = Eigen::VectorXd::Zero(s.problem.nv());
        proof.lambda.setZero(s.problem.rows());
        proof.leaves = {cut.proof};
        std::string why;
        if (result.pieces.size() == 1) {
          EXPECT_EQ(judge_equilibrium(moved.problem, {}, {}, proof, &why), Verdict::kFails) << why;
        }
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Region, ::testing::Values("native", "qpoases"),
                         [](const auto& engine) { return std::string(engine.param); });

TEST_P(Region, OfThreePointsIsTheirTriangleWhateverTheFriction)
{
  const double triangle = 3 * std::numbers::sqrt3 / 4;
  for (const double mu : {0.1, 1.0}) {
    Stance s = make_stance(10.0, {0.1, 0.0, 1.0});
    for (int i = 0; i < 3; ++i) {
      const double angle = 2 * std::numbers::pi * i / 3;
      add_foot(s, {std::cos(angle), std::sin(angle), 0}, Eigen::Vector3d::UnitZ(), mu);
    }
    const RegionResult result = find(s);
    expect_area(result, triangle);
    expect_proved(s, result);
    EXPECT_EQ(result.verdict, Verdict::kHolds);
    // Inradius 0.5; the position is 0.1 towards a corner: 0.5 - 0.1 cos 60° from the two sides there.
    EXPECT_EQ(result.distance.state, Margin::State::kKnown);
    EXPECT_LE(result.distance.lower, 0.45 + 1e-9);
    EXPECT_GE(result.distance.upper, 0.45 - 1e-9);
    EXPECT_LE(result.distance.upper - result.distance.lower, 1e-5);
  }
}

TEST_P(Region, OfTiltedContactsLosesAreaOnlyByFacets)
{
  Stance s = make_stance(10.0, {0.0, 0.0, 1.0});
  const double tilt = std::numbers::pi / 6;
  for (int i = 0; i < 3; ++i) {
    const double angle = 2 * std::numbers::pi * i / 3;
    const Eigen::Vector3d out(std::cos(angle), std::sin(angle), 0);
    add_foot(s, out, std::sin(tilt) * out + std::cos(tilt) * Eigen::Vector3d::UnitZ(), 0.7);
    align_axes(s.problem, i);
  }
  expect_area(find(s), 3 * std::numbers::sqrt3 / 4);
  RegionOptions inner;
  inner.shape = ConeShape::inner(4);
  const RegionResult result = find(s, inner);
  EXPECT_LE(result.area.lower, 1.294947 + 1e-6);
  EXPECT_GE(result.area.upper, 1.294947 - 1e-6);
}

TEST_P(Region, OfAFlatFootIsTheFoot)
{
  for (const double mu : {0.05, 0.8}) {
    Stance s = make_stance(30.0, {0.35, 0.1, 0.9});
    add_flat_foot(s, {0.3, 0.1, 0.0}, 0.1, 0.05, mu);
    const RegionResult result = find(s);
    expect_area(result, 0.2 * 0.1);
    ASSERT_EQ(result.pieces.size(), 1u);
    EXPECT_GT(shoelace(result.pieces[0].inner), 0.0) << "counter-clockwise";
    for (const Eigen::Vector2d& c : result.pieces[0].inner) {
      EXPECT_LE(std::abs(c.x() - 0.3), 0.1 + 1e-9);
      EXPECT_LE(std::abs(c.y() - 0.1), 0.05 + 1e-9);
    }
    EXPECT_NEAR(result.distance.lower, 0.05, 1e-6);
    EXPECT_NEAR(result.distance.upper, 0.05, 1e-6);

    Stance outside = s;
    move_com(outside, {0.7, 0.1});
    const RegionResult far = find(outside);
    expect_area(far, 0.2 * 0.1);  // the region does not depend on where the centre of mass is
    EXPECT_EQ(far.verdict, Verdict::kFails);
    EXPECT_NEAR(far.distance.lower, -0.3, 1e-5);
    EXPECT_NEAR(far.distance.upper, -0.3, 1e-5);
  }
}

TEST_P(Region, WithoutFrictionOnASlopeIsEmpty)
{
  Stance s = make_stance(30.0, {0.0, 0.0, 0.9});
  for (const auto& [x, y] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
    add_foot(s, {0.1 * x, 0.1 * y, 0.01 * x}, Eigen::Vector3d(-0.1, 0, 1), 0.05);
  const RegionResult result = find(s);
  EXPECT_EQ(result.kind, RegionKind::kEmpty);
  EXPECT_EQ(result.area.upper, 0.0);
  EXPECT_EQ(result.verdict, Verdict::kFails);
  EXPECT_EQ(result.distance.state, Margin::State::kNone);
}

TEST_P(Region, BetweenWallsIsUnbounded)
{
  // Hands pressed against opposite walls: with force closure every position is held.
  Stance s = make_stance(30.0, {0.0, 0.0, 0.9});
  for (int side : {1, -1})
    for (const auto& [y, z] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
      add_foot(s, {0.5 * side, 0.1 * y, 1.0 + 0.1 * z}, Eigen::Vector3d(-side, 0, 0), 0.6);
  RegionResult result = find(s);
  EXPECT_EQ(result.kind, RegionKind::kUnbounded);
  EXPECT_NEAR(result.direction.norm(), 1.0, 1e-9);
  EXPECT_TRUE(result.pieces.empty());
  EXPECT_EQ(verdict_at(s, s.position + 1e3 * result.direction), Verdict::kHolds);
  RegionOptions clipped;
  clipped.clip = 2.0;
  result = find(s, clipped);
  EXPECT_EQ(result.kind, RegionKind::kUnbounded);
  EXPECT_NEAR(result.area.lower, 16.0, 1e-2);
  EXPECT_NEAR(result.area.upper, 16.0, 1e-9);
  EXPECT_GE(result.distance.lower, 2.0 - 1e-3);
  EXPECT_EQ(result.distance.upper, kInfinity);
  // Arms have their limits: far, but not without end.
  const Stance arms = on_legs(s, 100.0 * s.mass * 9.81);
  result = find(arms);
  ASSERT_EQ(result.kind, RegionKind::kBounded) << result.reason;
  EXPECT_GT(result.area.lower, 100.0);
  EXPECT_LE(result.area.upper - result.area.lower, 1.001e-3 * result.area.upper);
  EXPECT_EQ(verdict_at(arms, {1e3, 1e3}), Verdict::kFails);
}

TEST_P(Region, OfTwoPointsIsASegment)
{
  Stance s = make_stance(30.0, {0.05, 0.0, 0.9});
  add_foot(s, {0.1, 0.05, 0.0}, Eigen::Vector3d::UnitZ(), 0.5);
  add_foot(s, {-0.1, -0.05, 0.0}, Eigen::Vector3d::UnitZ(), 0.5);
  const RegionResult result = find(s);
  EXPECT_EQ(result.kind, RegionKind::kBounded);
  EXPECT_LT(result.area.upper, 1e-6);
  EXPECT_EQ(result.verdict, Verdict::kFails);
  EXPECT_LE(result.distance.lower, -0.0223606);  // 0.05 sin(atan 0.5)
  EXPECT_GE(result.distance.upper, -0.0223608);
}

/// Rounding takes every straight line out of a segment, wherever it lies: it is found to both of its ends all the same.
TEST_P(Region, OfTwoTiltedPointsIsFoundToItsEnds)
{
  Rng rng{235};
  int segments = 0;
  for (int draw = 0; draw < 120; ++draw) {
    Stance s = make_stance(uniform(rng, 5.0, 90.0), {uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, 0.3, 1.0)});
    for (int foot = 0; foot < 2; ++foot) {
      const Eigen::Vector3d tilt = 0.2 * Eigen::Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), 0.0);
      add_foot(s, {uniform(rng, -0.5, 0.5), uniform(rng, -0.5, 0.5), uniform(rng, -0.1, 0.1)},
               (Eigen::Vector3d::UnitZ() + tilt).normalized(), uniform(rng, 0.3, 0.9));
    }
    const RegionResult result = find(draw % 2 ? on_legs(s, 100.0 * s.mass) : s);
    if (result.kind != RegionKind::kBounded) continue;
    ++segments;
    EXPECT_LE(result.distance.upper - result.distance.lower, 1e-5) << draw;
    for (const Eigen::Vector2d& end : result.pieces[0].outer) {
      double nearest = kInfinity;
      for (const Eigen::Vector2d& held : result.pieces[0].inner) nearest = std::min(nearest, (held - end).norm());
      EXPECT_LE(nearest, 1e-5) << draw;
    }
  }
  EXPECT_GE(segments, 60);
}

TEST_P(Region, OfWeakLegsIsCutByTheirMotors)
{
  // Unit square of legs, each carrying at most T = 0.4 of the weight: x + y positions where no leg has to carry more.
  Stance s = make_stance(10.0, {0.0, 0.0, 1.0});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.5, 0.5, 0.5);
  const double T = 0.4 * 10.0 * 9.81;
  Stance legs = on_legs(s, T), limited = s;
  for (Contact& c : limited.problem.contacts) c.max_normal = T;
  const RegionResult by_motors = find(legs), by_contacts = find(limited);
  expect_proved(legs, by_motors);
  EXPECT_NEAR(by_motors.area.lower, by_contacts.area.lower, 2e-3);
  // Along x: two legs carry 0.8 at +0.5, two 0.2 at -0.5: |x| <= 0.3. Along the diagonal (1,1): 0.4 at the far corner,
  // 0.4 and 0.2 at the two beside, nothing at the near one … the support is 0.4·1 + (0.4 + 0.2)·0 - 0·1 = 0.4, less 0.2
  // if (0.2 at -1).
  Eigen::Vector2d far = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d& c : by_motors.pieces[0].outer) far = far.cwiseMax(c.cwiseAbs());
  EXPECT_NEAR(far.x(), 0.3, 1e-4);
  EXPECT_NEAR(far.y(), 0.3, 1e-4);
  expect_area(by_motors, by_contacts.area.upper);
}

TEST_P(Region, InnerHoldsAndOuterFails)
{
  Rng rng{31};
  int regions = 0;
  for (int i = 0; i < (native ? 100 : 6); ++i) {
    Stance s = random_stance(rng, 1 + i % 3, 0.4, 0.3);
    if (i % 4 == 3) s = on_legs(s, uniform(rng, 0.3, 0.8) * s.mass * 9.81);
    const RegionResult result = find(s);
    if (result.kind == RegionKind::kEmpty) continue;
    ASSERT_EQ(result.kind, RegionKind::kBounded) << i << " " << result.reason;
    ++regions;
    ASSERT_LE(result.area.upper - result.area.lower, 1.001e-3 * result.area.upper) << i << " " << result.reason;
    if (i % 10 == 0) expect_proved(s, result);
    const RegionPiece& piece = result.pieces[0];
    Eigen::Vector2d middle = Eigen::Vector2d::Zero();
    for (const Eigen::Vector2d& c : piece.inner) middle += c / static_cast<double>(piece.inner.size());
    for (size_t k = 0; k < piece.inner.size(); ++k)
      for (const double t : {0.0, 0.5}) {
        const Eigen::Vector2d c = piece.inner[k] + t * (piece.inner[(k + 1) % piece.inner.size()] - piece.inner[k]);
        EXPECT_EQ(verdict_at(s, c + 1e-3 * (middle - c)), Verdict::kHolds) << i;
      }
    for (size_t k = 0; k < piece.outer.size(); ++k)
      for (const double t : {0.0, 0.5}) {
        const Eigen::Vector2d c = piece.outer[k] + t * (piece.outer[(k + 1) % piece.outer.size()] - piece.outer[k]);
        EXPECT_EQ(verdict_at(s, c + 1e-3 * (c - middle)), Verdict::kFails) << i;
      }
    const bool inside = result.verdict == Verdict::kHolds;
    EXPECT_EQ(result.verdict, verdict_at(s, s.position));
    EXPECT_TRUE(inside ? result.distance.lower >= 0.0 : result.distance.upper <= 0.0) << i;
  }
  EXPECT_GT(regions, native ? 60 : 3);
}

TEST_P(Region, DistanceIsHowFarTheCentreOfMassMayGo)
{
  Rng rng{32};
  for (int i = 0; i < (native ? 30 : 3); ++i) {
    Stance s = random_stance(rng, 2, 0.3, 0.2);
    const RegionResult result = find(s);
    if (result.kind != RegionKind::kBounded || result.verdict != Verdict::kHolds) continue;
    EXPECT_LE(result.distance.upper - result.distance.lower, 1e-4) << i;
    for (int k = 0; k < 16; ++k) {
      const double angle = 2 * std::numbers::pi * k / 16;
      const Eigen::Vector2d way(std::cos(angle), std::sin(angle));
      EXPECT_EQ(verdict_at(s, s.position + 0.999 * result.distance.lower * way), Verdict::kHolds) << i;
    }
  }
}

TEST_P(Region, OfARailIsAUnionOfPieces)
{
  // Two feet and a hand on a rail that can push and pull along its normal, with friction only in proportion.
  Stance s = make_stance(30.0, {0.0, 0.0, 0.9});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.1, 0.1, 0.5);
  add_foot(s, {0.3, 0.0, 1.0}, -Eigen::Vector3d::UnitX(), 0.3, Side::kBilateral);
  const RegionResult result = find(s);
  ASSERT_EQ(result.kind, RegionKind::kBounded) << result.reason;
  ASSERT_EQ(result.pieces.size(), 2u);
  EXPECT_GT(result.area.lower, 0.04) << "more than the foot alone";
  EXPECT_LE(result.area.upper, shoelace(result.pieces[0].outer) + shoelace(result.pieces[1].outer) + 1e-9);
  int held = 0, dropped = 0;
  for (double x = -0.8; x <= 0.8; x += 0.1)
    for (double y = -0.3; y <= 0.3; y += 0.1) {
      const Eigen::Vector2d c(x + 0.013, y + 0.017);
      bool in_inner = false, in_outer = false;
      for (const RegionPiece& piece : result.pieces) {
        auto inside = [&](const Polygon& polygon) {
          for (size_t k = 0; k < polygon.size(); ++k) {
            const Eigen::Vector2d side = polygon[(k + 1) % polygon.size()] - polygon[k], to = c - polygon[k];
            if (side.x() * to.y() - side.y() * to.x() < 0.0) return false;
          }
          return polygon.size() > 2;
        };
        in_inner = in_inner || inside(piece.inner);
        in_outer = in_outer || inside(piece.outer);
      }
      const Verdict verdict = verdict_at(s, c);
      if (in_inner) {
        EXPECT_EQ(verdict, Verdict::kHolds) << c.transpose();
      }
      if (!in_outer) {
        EXPECT_EQ(verdict, Verdict::kFails) << c.transpose();
      }
      held += in_inner;
      dropped += !in_outer;
    }
  EXPECT_GT(held, 5);
  EXPECT_GT(dropped, 5);
}

TEST_P(Region, IsTheSameInAnyUnitsAndAfterTurns)
{
  Rng rng{33};
  for (int i = 0; i < (native ? 20 : 2); ++i) {
    const Stance s = random_stance(rng, 2, 0.3, 0.2);
    const RegionResult straight = find(s);
    if (straight.kind != RegionKind::kBounded) continue;
    Stance heavy = s;
    heavy.problem.M *= 50.0;
    heavy.problem.F *= 50.0;
    heavy.shift *= 50.0;
    const RegionResult scaled = find(heavy);
    EXPECT_LE(scaled.area.lower, straight.area.upper * (1 + 1e-9));
    EXPECT_GE(scaled.area.upper, straight.area.lower * (1 - 1e-9));
    // Turned about the vertical: the same shape, turned.
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.1, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    Stance turned = make_stance(s.mass, turn * s.com);
    for (const Contact& c : s.problem.contacts) add_foot(turned, turn * c.point_W, turn * c.axes_W.col(0), c.mu);
    const RegionResult rotated = find(turned);
    EXPECT_LE(rotated.area.lower, straight.area.upper * (1 + 1e-9));
    EXPECT_GE(rotated.area.upper, straight.area.lower * (1 - 1e-9));
    EXPECT_NEAR(rotated.distance.lower, straight.distance.lower, 1e-4);
  }
}

TEST_P(Region, SaysWhatIsWrongWithItsInput)
{
  Stance s = make_stance(10.0, {0, 0, 1});
  add_flat_foot(s, Eigen::Vector3d::Zero(), 0.1, 0.1, 0.5);
  EXPECT_THROW(region_checker.check(s.problem, {}, s.shift.topRows(5), s.position), InputError);
  EXPECT_THROW(region_checker.check(s.problem, {}, Eigen::MatrixX2d::Zero(6, 2), s.position), InputError);
  RegionOptions options;
  options.clip = -1.0;
  EXPECT_THROW(find(s, options), InputError);
  options.clip.reset();
  options.relative_gap = 0.0;
  EXPECT_THROW(find(s, options), InputError);
}

RegionClaims claims_of(const RegionResult& result)
{
  return {result.verdict, result.kind, result.direction, result.area, result.distance};
}

/// What the checker says is what the judge proves, and nothing better is.
void expect_judged(const Stance& s, const RegionResult& result, const RegionOptions& options, const std::string& what)
{
  const RegionInput input{s.problem, {}, s.shift, s.position, -1};
  const RegionRules rules{options.shape, options.clip};
  std::string why;
  EXPECT_TRUE(judge_region(input, rules, result.proof, claims_of(result), &why)) << what << ": " << why;
  const auto refused = [&](auto forge) {
    RegionCertificate certificate = result.proof;
    RegionClaims claims = claims_of(result);
    forge(certificate, claims);
    return !judge_region(input, rules, certificate, claims);
  };
  if (result.kind != RegionKind::kBounded || result.proof.pieces.empty() || result.proof.pieces[0].inner.size() < 3)
    return;
  EXPECT_TRUE(refused([](RegionCertificate& c, RegionClaims&) {  // halved
    for (RegionPieceProof& piece : c.pieces) {
      Eigen::Vector2d middle = Eigen::Vector2d::Zero();
      for (const Eigen::Vector2d& corner : piece.outer) middle += corner / static_cast<double>(piece.outer.size());
      for (Eigen::Vector2d& corner : piece.outer) corner = middle + 0.5 * (corner - middle);
    }
  })) << what;
  EXPECT_TRUE(refused([](RegionCertificate& c, RegionClaims&) { c.pieces[0].inner[0] += Eigen::Vector2d(5, 0); }))
      << what;
  EXPECT_TRUE(refused([](RegionCertificate& c, RegionClaims&) { c.pieces[0].sides.pop_back(); })) << what;
  EXPECT_TRUE(refused([](RegionCertificate& c, RegionClaims&) { c.pieces.push_back(c.pieces[0]); })) << what;
  EXPECT_TRUE(refused([](RegionCertificate& c, RegionClaims&) { c.pieces.pop_back(); })) << what;
  if (result.area.lower > 0.0) {
    EXPECT_TRUE(refused([](RegionCertificate&, RegionClaims& k) { k.area.lower *= 1 + 1e-12; })) << what;
  }
  EXPECT_TRUE(refused([](RegionCertificate&, RegionClaims& k) { k.area.upper *= 1 - 1e-12; })) << what;
  EXPECT_TRUE(refused([](RegionCertificate&, RegionClaims& k) { k.distance.lower += 1e-9; })) << what;
  EXPECT_TRUE(refused([](RegionCertificate&, RegionClaims& k) {
    k.distance.upper = std::min(k.distance.upper, 1e9) - 1e-9;
  })) << what;
  EXPECT_TRUE(refused([](RegionCertificate&, RegionClaims& k) { k.kind = RegionKind::kUnbounded; })) << what;
  EXPECT_TRUE(refused([](RegionCertificate&, RegionClaims& k) { k.kind = RegionKind::kEmpty; })) << what;
}

TEST_P(Region, IsWhatTheJudgeProves)
{
  Rng rng{34};
  int decided = 0;
  const int draws = native ? 150 : 10;
  for (int i = 0; i < draws; ++i) {
    // From many contacts to a single one: polygons, segments and points; some with a rail, weak legs, facets, clipped.
    Stance s = i % 5 < 3 ? random_stance(rng, 1 + i % 3, 0.4, 0.3)
                         : make_stance(30.0, {uniform(rng, -0.1, 0.1), uniform(rng, -0.1, 0.1), 0.9},
                                       {uniform(rng, -2, 2), uniform(rng, -2, 2), -9.81});
    if (i % 5 >= 3)
      for (int k = 0; k <= i % 5 - 3; ++k)
        add_foot(s, {uniform(rng, -0.2, 0.2), uniform(rng, -0.2, 0.2), 0.0}, Eigen::Vector3d::UnitZ(), 0.7);
    if (i % 7 == 0) add_foot(s, {0.3, 0.1, 1.0}, -Eigen::Vector3d::UnitX(), 0.3, Side::kBilateral);
    if (i % 11 == 0) s = on_legs(s, uniform(rng, 0.3, 0.8) * s.mass * 9.81);
    RegionOptions options;
    if (i % 6 == 1) options.shape = ConeShape::inner(8);
    if (i % 6 == 2) options.shape = ConeShape::outer(8);
    if (i % 4 == 3) options.clip = uniform(rng, 0.01, 0.5);
    const RegionResult result = find(s, options);
    expect_judged(s, result, options, "draw " + std::to_string(i));
    if (options.shape.may_prove_fails()) {
      EXPECT_NE(result.kind, RegionKind::kUndecided) << i << ": " << result.reason;
    }
    decided += result.kind != RegionKind::kUndecided;
  }
  EXPECT_GT(decided, draws / 2);
}

TEST_P(Region, FarFromTheOriginIsAsGood)
{
  // Only the position is far: the matrices are about points near the body.
  for (const double far : {1e3, 1e6}) {
    Stance s = make_stance(30.0, {0.02, 0.01, 0.9});
    add_flat_foot(s, {0.0, 0.0, 0.0}, 0.1, 0.05, 0.5);
    s.position += Eigen::Vector2d(far, -far);
    const RegionResult result = find(s);
    expect_area(result, 0.2 * 0.1);
    expect_judged(s, result, {}, "far");
    EXPECT_NEAR(result.distance.lower, 0.04, 1e-6);
    for (const Eigen::Vector2d& c : result.pieces[0].inner) EXPECT_LE((c - s.position).norm(), 0.2);
  }
}

TEST_P(Region, OfOnePointIsAPoint)
{
  Stance s = make_stance(30.0, {0.0, 0.0, 0.9}, {1.0, 0.5, -9.81});
  add_foot(s, {0.1, 0.05, 0.0}, Eigen::Vector3d::UnitZ(), 0.5);
  const RegionResult result = find(s);
  EXPECT_EQ(result.kind, RegionKind::kBounded) << result.reason;
  EXPECT_LT(result.area.upper, 1e-18);
  expect_judged(s, result, {}, "point");
  // Above the contact, against gravity: 0.9 (1, 0.5) / -9.81 from it.
  const Eigen::Vector2d wanted = Eigen::Vector2d(0.1, 0.05) - 0.9 / 9.81 * Eigen::Vector2d(1.0, 0.5);
  for (const Eigen::Vector2d& c : result.pieces[0].outer) EXPECT_LE((c - wanted).norm(), 1e-9);
}

TEST_P(Region, OfOnePointUnderNextToNoLoadAlongOneAxis)
{
  Stance s = make_stance(30.0, {0.0, 0.0, 0.9}, {2e-16, 3.2, -9.3});
  add_foot(s, {-0.06354342278440428, 0.04201547643224224, 0.0}, Eigen::Vector3d::UnitZ(), 0.7);
  const RegionResult result = find(s);
  EXPECT_EQ(result.kind, RegionKind::kBounded) << result.reason;
  EXPECT_LT(result.area.upper, 1e-18);
  expect_judged(s, result, {}, "point");
}

TEST_P(Region, OfContactsThatPressAgainstEachOther)
{
  // Two walls squeeze without a lever arm. No motion opens both, so that the sides have to outweigh rounding of the
  // largest forces.
  Stance s = make_stance(30.0, {0.02, 0.01, 0.5});
  add_flat_foot(s, {0.0, 0.0, 0.0}, 0.1, 0.05, 0.0);
  add_foot(s, {0.3, 0.0, 0.5}, -Eigen::Vector3d::UnitX(), 0.0);
  add_foot(s, {-0.3, 0.0, 0.5}, Eigen::Vector3d::UnitX(), 0.0);
  const RegionResult result = find(s);
  expect_area(result, 0.2 * 0.1);
  expect_judged(s, result, {}, "squeezed");
  ASSERT_EQ(result.pieces.size(), 1u) << result.reason;
  for (const Eigen::Vector2d& c : result.pieces[0].outer) {
    EXPECT_LE(std::abs(c.x()), 0.1 + 1e-6);
    EXPECT_LE(std::abs(c.y()), 0.05 + 1e-6);
  }
  EXPECT_NEAR(result.distance.lower, 0.04, 1e-6);
  EXPECT_NEAR(result.distance.upper, 0.04, 1e-6);
}

TEST_P(Region, EmptyEverywhere)
{
  // Pulled up: no position of the centre of mass holds it down. The only contact stays where the motion turns about.
  for (const double far : {0.0, 1e3, 1e5}) {
    Stance s = make_stance(30.0, {0.0, 0.0, 0.9}, {0.0, 0.3, 9.81});
    add_foot(s, {0.1 + far, 0.05, 0.0}, Eigen::Vector3d::UnitZ(), 0.5);
    const RegionResult result = find(s);
    EXPECT_EQ(result.kind, RegionKind::kEmpty) << far << ": " << result.reason;
    expect_judged(s, result, {}, "empty");
  }
}

}  // namespace
}  // namespace stiction
