// The judge of support regions, on regions known by hand, and forgers of every entry.
#include "stiction/proof/region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "support/limbs.hpp"

namespace stiction {
namespace {

Margin between(double lower, double upper) { return {Margin::State::kKnown, lower, upper, {}}; }

using testing::add_flat_foot;
using testing::add_foot;
using ::testing::HasSubstr;
using testing::make_stance;
using testing::Stance;

struct Proved {
  RegionInput input;
  RegionRules rules;
  RegionCertificate certificate;
  RegionClaims claims;

  bool accepted(std::string* why = nullptr) const { return judge_region(input, rules, certificate, claims, why); }
};

constexpr double kA = 0.5, kB = 0.25, kRoom = 1e-9, kLift = 1e-11;

/// y that proves that nothing is held beyond n·c = offset above four points at the corners of a rectangle: minus the
/// motion that tips over that edge, and by a little up. At rest the legs on the edge would be charged with what
/// rounding of bounded forces could supply there, 1e-8 of the size.
MotionLeaf tips(const RegionInput& input, const Eigen::Vector2d& n, double offset)
{
  MotionLeaf leaf;
  leaf.signs.assign(input.problem.contacts.size(), 0);
  leaf.motion.setZero(input.problem.nv());
  leaf.motion.head<6>() << 0.0, 0.0, -offset - kLift, n.y(), -n.x(), 0.0;
  return leaf;
}

/// A table with legs at (±0.5, ±0.25), its centre of mass above (0.1, 0.05): held above the rectangle of its legs.
Proved table(const Eigen::Vector2d& position = {0.1, 0.05})
{
  Stance s = make_stance(10.0, {position.x(), position.y(), 0.7});
  add_flat_foot(s, Eigen::Vector3d::Zero(), kA, kB, 0.5);
  Proved t;
  t.input = {s.problem, {}, s.shift, position, -1};
  RegionPieceProof& piece = t.certificate.pieces.emplace_back();
  piece.signs.assign(4, 0);
  const double weight = 98.1;
  for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
    piece.inner.push_back(Eigen::Vector2d(x * kA, y * kB) - position);
    Eigen::VectorXd& lambda = piece.forces.emplace_back(Eigen::VectorXd::Zero(12));
    for (const Contact& c : s.problem.contacts)
      if (c.point_W.x() * x > 0 && c.point_W.y() * y > 0) lambda[c.row] = weight;
    piece.outer.push_back(Eigen::Vector2d(x * (kA + kRoom), y * (kB + kRoom)) - position);
  }
  piece.sides = {tips(t.input, {0, -1}, kB), tips(t.input, {1, 0}, kA), tips(t.input, {0, 1}, kB),
                 tips(t.input, {-1, 0}, kA)};
  t.certificate.position.kind = CertificateKind::kForces;
  t.certificate.position.a = Eigen::VectorXd::Zero(6);
  // Bilinear weights of the four legs.
  t.certificate.position.lambda = Eigen::VectorXd::Zero(12);
  for (const Contact& c : s.problem.contacts)
    t.certificate.position.lambda[c.row] =
        weight * 0.25 * (1 + position.x() / c.point_W.x()) * (1 + position.y() / c.point_W.y());
  t.claims = {Verdict::kHolds,
              RegionKind::kBounded,
              {},
              between(4 * kA * kB * (1 - 1e-12), 4 * kA * kB * (1 + 1e-7)),
              between(0.2 - 1e-12, 0.2 + 1e-8)};
  return t;
}

std::string refusal(const Proved& original, const std::function<void(Proved&)>& forge)
{
  Proved forged = original;
  forge(forged);
  std::string why;
  return forged.accepted(&why) ? "accepted" : why;
}

TEST(RegionJudge, AcceptsATable)
{
  const Proved t = table();
  std::string why;
  ASSERT_TRUE(t.accepted(&why)) << why;
  const auto proved = proved_region(t.input, t.rules, t.certificate, &why);
  ASSERT_TRUE(proved) << why;
  EXPECT_NEAR(proved->area.lower, 0.5, 1e-12);
  EXPECT_NEAR(proved->area.upper, 0.5, 1e-7);
  EXPECT_NEAR(proved->distance.lower, 0.2, 1e-12);
}

TEST(RegionJudge, RefusesForgedPolygons)
{
  const Proved t = table();
  const auto why = [&](const std::function<void(Proved&)>& forge) { return refusal(t, forge); };
  EXPECT_THAT(why([](Proved& f) {
                for (Eigen::Vector2d& c : f.certificate.pieces[0].outer) c *= 0.5;
              }),
              HasSubstr("something may be held"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].outer[0].x() += 1e-6; }), HasSubstr("something may be held"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].outer.erase(f.certificate.pieces[0].outer.begin()); }),
              HasSubstr("differ in number"));
  EXPECT_THAT(why([](Proved& f) {  // a cut dropped with its side
                RegionPieceProof& p = f.certificate.pieces[0];
                p.outer.erase(p.outer.begin());
                p.sides.erase(p.sides.begin());
              }),
              HasSubstr("something may be held"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].sides[1] = f.certificate.pieces[0].sides[3]; }),
              HasSubstr("something may be held"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].sides[1].motion.resize(0); }), HasSubstr("has no proof"));
  EXPECT_THAT(why([](Proved& f) { std::swap(f.certificate.pieces[0].outer[0], f.certificate.pieces[0].outer[2]); }),
              HasSubstr("outer polygon is not convex"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].inner[0].x() -= 1e-6; }), HasSubstr("is held is not proved"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].inner[2].y() += 1e-9; }), HasSubstr("is held is not proved"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].forces[1] *= 1.001; }), HasSubstr("is held is not proved"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].forces.pop_back(); }), HasSubstr("differ in number"));
  EXPECT_THAT(why([](Proved& f) {  // wound twice
                RegionPieceProof& p = f.certificate.pieces[0];
                const RegionPieceProof once = p;
                p.inner.insert(p.inner.end(), once.inner.begin(), once.inner.end());
                p.forces.insert(p.forces.end(), once.forces.begin(), once.forces.end());
                f.claims.area.lower = 1.0;
              }),
              HasSubstr("inner polygon is not convex"));
  EXPECT_THAT(why([](Proved& f) {
                RegionPieceProof& p = f.certificate.pieces[0];
                std::swap(p.inner[0], p.inner[1]), std::swap(p.forces[0], p.forces[1]);
              }),
              HasSubstr("inner polygon is not convex"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces.push_back(f.certificate.pieces[0]); }), HasSubstr("same signs"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].signs = {1, 0, 0, 0}; }), HasSubstr("signs of a piece"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].signs.pop_back(); }), HasSubstr("signs of a piece"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].sides[0].motion[3] = NAN; }), HasSubstr("not finite"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces[0].outer[0].x() = -kInfinity; }), HasSubstr("not finite"));
}

TEST(RegionJudge, RefusesForgedClaims)
{
  const Proved t = table();
  const auto why = [&](const std::function<void(Proved&)>& forge) { return refusal(t, forge); };
  EXPECT_THAT(why([](Proved& f) { f.claims.verdict = Verdict::kFails; }), HasSubstr("the position is held"));
  EXPECT_THAT(why([](Proved& f) { f.claims.area.lower = 0.5001; }), HasSubstr("more than that of the inner"));
  EXPECT_THAT(why([](Proved& f) { f.claims.area.upper = 0.4999; }), HasSubstr("less than that of the outer"));
  EXPECT_THAT(why([](Proved& f) { f.claims.area.upper = NAN; }), HasSubstr("less than that of the outer"));
  EXPECT_THAT(why([](Proved& f) { f.claims.distance.lower = 0.2001; }), HasSubstr("not that far inside"));
  EXPECT_THAT(why([](Proved& f) { f.claims.distance.upper = 0.1999; }), HasSubstr("further inside"));
  EXPECT_THAT(why([](Proved& f) { f.claims.kind = RegionKind::kEmpty; }),
              HasSubstr("no proof that the region is empty"));
  EXPECT_THAT(why([](Proved& f) { f.claims.kind = RegionKind::kUnbounded; }),
              HasSubstr("no proof that the region is unbounded"));
  EXPECT_THAT(why([](Proved& f) {  // what the outer polygon would contradict
                f.claims.kind = RegionKind::kUnbounded;
                f.claims.direction = {1, 0};
                f.claims.area.upper = f.claims.distance.upper = kInfinity;
                RegionRay& ray = f.certificate.ray.emplace();
                ray.signs.assign(4, 0);
                ray.point = f.certificate.pieces[0].inner[0];
                ray.forces = f.certificate.pieces[0].forces[0];
                ray.direction = {1, 0};
                ray.ray = 1e20 * ray.forces;
              }),
              HasSubstr("unbounded is not proved"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.pieces.clear(); }), HasSubstr("no proof that the region is bounded"));
  EXPECT_THAT(why([](Proved& f) {
                f.certificate.pieces[0].outer.clear();
                f.certificate.pieces[0].sides.clear();
              }),
              HasSubstr("no proof that the region is bounded"));
  EXPECT_THAT(why([](Proved& f) { f.certificate.position = {}; }), HasSubstr("no proof of the position"));
  EXPECT_EQ(why([](Proved& f) {  // to claim less is no forgery
              f.claims.kind = RegionKind::kUndecided;
              f.claims.area.lower = f.claims.distance.lower = 0.0;
              f.claims.area.upper = f.claims.distance.upper = kInfinity;
            }),
            "accepted");
}

TEST(RegionJudge, RefusesForgedInput)
{
  const Proved t = table();
  const auto why = [&](const std::function<void(Proved&)>& forge) { return refusal(t, forge); };
  EXPECT_THAT(why([](Proved& f) { f.input.shift.setZero(); }), HasSubstr("shift is zero"));
  EXPECT_THAT(why([](Proved& f) { f.input.shift *= 0.5; }), HasSubstr("not proved"));
  EXPECT_THAT(why([](Proved& f) { f.input.shift.conservativeResize(5, 2); }), HasSubstr("wrong size"));
  EXPECT_THAT(why([](Proved& f) { f.input.position.x() = NAN; }), HasSubstr("position is not finite"));
  // With the base's degrees of freedom known, the contact points tell where the centre of mass is.
  Proved based = t;
  based.input.base = 0;
  std::string reason;
  ASSERT_TRUE(based.accepted(&reason)) << reason;
  EXPECT_THAT(refusal(based, [](Proved& f) { f.input.position.x() += 5.0; }), HasSubstr("not at the position"));
  EXPECT_THAT(refusal(based, [](Proved& f) { f.input.position.y() += 1e-6; }), HasSubstr("not at the position"));
  EXPECT_THAT(refusal(based, [](Proved& f) { f.input.shift(0, 0) = 1.0; }), HasSubstr("more than a moment"));
  EXPECT_THAT(refusal(based, [](Proved& f) { f.input.shift(3, 1) *= 1.001; }), HasSubstr("not the moment of a force"));
  RegionInput other = t.input;
  EXPECT_TRUE(other == t.input);
  other.problem.contacts[2].mu = 0.49;
  EXPECT_FALSE(other == t.input);
  other = t.input;
  other.shift(4, 0) *= 1 + 1e-15;
  EXPECT_FALSE(other == t.input);
}

TEST(RegionJudge, RefusesAPolygonThatDoesNotEncloseTheReach)
{
  // The table stands 50 km away, and one motion fails everywhere on this side of it. A flat triangle around the
  // position has far corners at which that motion fails as well, unless they are so far out that they enclose the
  // reach.
  constexpr double kAway = -5e4, kWide = 500.0,
                   kFlat = 0.005;  // wide: forces at 1000 km are not all a matter of rounding
  Stance s = make_stance(10.0, {0.0, 0.0, 0.7});
  add_flat_foot(s, {0.0, kAway, 0.0}, kWide, kB, 0.5);
  Proved t;
  t.input = {s.problem, {}, s.shift, s.position, -1};
  RegionPieceProof& piece = t.certificate.pieces.emplace_back();
  piece.signs.assign(4, 0);
  piece.outer = {{-1.0, 0.0}, {1.0, 0.0}, {0.0, 2 * kFlat}};
  piece.sides.assign(3, tips(t.input, {0, 1}, kAway + kB));
  t.claims.kind = RegionKind::kBounded;
  EXPECT_THAT(refusal(t, [](Proved&) {}), HasSubstr("something may be held"));
  // Within a clipping square it is the truth.
  t.rules.clip = 100.0;
  t.claims = {Verdict::kUndecided, RegionKind::kUndecided, {}, between(0.0, 2.1 * kFlat), {}};
  std::string why;
  EXPECT_TRUE(t.accepted(&why)) << why;
}

TEST(RegionJudge, SidesAreJudgedForTheRoundingOfTheirLoads)
{
  // The position is 1000 km away: F + S s cancels all but the last digits, 1e-9 m of them are rounding, 1e-8 m are not.
  const Eigen::Vector2d position(1e6, 0.0);
  for (const double room : {1e-9, 1e-8}) {
    Proved t = table(position);
    t.certificate.position = {};
    RegionPieceProof& piece = t.certificate.pieces[0];
    piece.inner.clear();
    piece.forces.clear();
    piece.outer.clear();
    for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
      piece.outer.push_back(Eigen::Vector2d(x * (kA + room), y * (kB + room)) - position);
    t.claims = {Verdict::kUndecided, RegionKind::kBounded, {}, between(0.0, kInfinity), {}};
    std::string why;
    EXPECT_EQ(t.accepted(&why), room > 5e-9) << why;
  }
}

TEST(RegionJudge, OutsideItKnowsHowFar)
{
  Proved t = table({0.9, 0.05});
  t.certificate.position = {
      CertificateKind::kMotion, Eigen::VectorXd::Zero(6), {}, {t.certificate.pieces[0].sides[1]}, {}};
  t.claims.verdict = Verdict::kFails;
  t.claims.distance.lower = -0.4 - 1e-8;
  t.claims.distance.upper = -0.4 + 1e-8;
  std::string why;
  EXPECT_TRUE(t.accepted(&why)) << why;
  EXPECT_THAT(refusal(t, [](Proved& f) { f.claims.distance.lower = -0.399; }), HasSubstr("not that far inside"));
  EXPECT_THAT(refusal(t, [](Proved& f) { f.claims.distance.upper = -0.401; }), HasSubstr("further inside"));
}

TEST(RegionJudge, EmptyNeedsAMotionThatFailsEverywhere)
{
  Stance s = make_stance(30.0, {0.0, 0.0, 0.9});
  for (const auto& [x, y] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
    add_foot(s, {0.1 * x, 0.1 * y, 0.0}, Eigen::Vector3d(-0.1, 0, 1).normalized(), 0.0);
  Proved p;
  p.input = {s.problem, {}, s.shift, s.position, -1};
  MotionLeaf leaf;
  leaf.signs.assign(4, 0);
  leaf.motion.setZero(6);
  leaf.motion[0] = 1.0;
  leaf.motion[2] = 0.05;
  p.certificate.empty = {leaf};
  p.certificate.position = {CertificateKind::kMotion, Eigen::VectorXd::Zero(6), {}, {leaf}, {}};
  p.claims = {Verdict::kFails, RegionKind::kEmpty, {}, between(0.0, 0.0), between(0.0, 0.0)};
  std::string why;
  EXPECT_TRUE(p.accepted(&why)) << why;
  EXPECT_THAT(refusal(p, [](Proved& f) { f.certificate.empty[0].motion[4] = 1e-3; }),
              HasSubstr("nothing is held is not proved"));
  EXPECT_THAT(refusal(p, [](Proved& f) { f.certificate.empty.clear(); }),
              HasSubstr("no proof that the region is empty"));
  // What fails at the position and not everywhere proves nothing about other places.
  Proved t = table({0.9, 0.05});
  t.certificate.position = {
      CertificateKind::kMotion, Eigen::VectorXd::Zero(6), {}, {t.certificate.pieces[0].sides[1]}, {}};
  t.certificate.empty = t.certificate.position.leaves;
  t.certificate.pieces.clear();
  t.claims = p.claims;
  EXPECT_FALSE(t.accepted());
}

/// Welded to the world: every position is held.
Proved welded()
{
  Stance s = make_stance(10.0, {0.0, 0.0, 0.5});
  s.problem.J.setIdentity(6, 6);
  s.problem.gamma.setZero(6);
  s.problem.loops.push_back({"weld", 0, 6});
  Proved p;
  p.input = {s.problem, {}, s.shift, s.position, -1};
  p.certificate.position = {CertificateKind::kForces, Eigen::VectorXd::Zero(6), s.problem.F, {}, {}};
  const Eigen::Vector2d along(0.6, 0.8);
  p.certificate.ray = RegionRay{{}, {0.0, 0.0}, s.problem.F, along, s.shift * along};
  p.claims = {Verdict::kHolds, RegionKind::kUnbounded, along, between(0.0, kInfinity), between(0.0, kInfinity)};
  return p;
}

TEST(RegionJudge, UnboundedNeedsForcesThatCarryTheDirection)
{
  const Proved p = welded();
  std::string reason;
  ASSERT_TRUE(p.accepted(&reason)) << reason;
  EXPECT_THAT(refusal(p, [](Proved& f) { f.claims.direction = {0.8, 0.6}; }), HasSubstr("another direction"));
  EXPECT_THAT(refusal(p, [](Proved& f) { f.claims.direction = f.certificate.ray->direction = {0.8, 0.6}; }),
              HasSubstr("unbounded is not proved"));
  EXPECT_THAT(refusal(p, [](Proved& f) { f.certificate.ray->ray[4] += 1.0; }), HasSubstr("unbounded is not proved"));
  EXPECT_THAT(refusal(p, [](Proved& f) { f.certificate.ray->point.x() = 1.0; }), HasSubstr("unbounded is not proved"));
  EXPECT_THAT(refusal(p, [](Proved& f) { f.certificate.ray->direction.setZero(); }), HasSubstr("not a unit vector"));
  // A force that has a limit cannot carry it for ever.
  Stance s = make_stance(10.0, {0.0, 0.0, 0.5});
  add_foot(s, {0.2, 0.0, 0.0}, Eigen::Vector3d::UnitZ(), 0.5);
  Proved limited = p;
  Contact pad;
  pad.name = "pad";
  pad.row = 0;
  pad.tangents = 0;
  pad.side = Side::kBilateral;
  limited.input.problem.loops = {{"weld", 1, 5}};
  limited.input.problem.contacts = {pad};
  limited.input.problem.J.row(0).swap(limited.input.problem.J.row(4));  // the moment about y is the pad's
  std::swap(limited.certificate.position.lambda[0], limited.certificate.position.lambda[4]);
  for (Eigen::VectorXd* v : {&limited.certificate.ray->forces, &limited.certificate.ray->ray})
    std::swap((*v)[0], (*v)[4]);
  limited.certificate.ray->signs = {0};
  ASSERT_TRUE(limited.accepted(&reason)) << reason;
  EXPECT_THAT(refusal(limited, [](Proved& f) { f.input.problem.contacts[0].max_normal = 1e9; }),
              HasSubstr("unbounded is not proved"));
}

TEST(RegionJudge, ClippingSidesNeedNoProofAndClaimNothing)
{
  Proved t = table();
  t.rules.clip = 0.1;
  RegionPieceProof& piece = t.certificate.pieces[0];
  const RegionPieceProof whole = piece;
  const Proved original = t;
  piece.inner = {{0, 0}};
  piece.forces = {t.certificate.position.lambda};
  piece.outer = {{-0.1, -0.1}, {0.1, -0.1}, {0.1, 0.1}, {-0.1, 0.1}};
  piece.sides.assign(4, MotionLeaf{{0, 0, 0, 0}, {}});
  t.claims = {Verdict::kHolds, RegionKind::kUndecided, Eigen::Vector2d::Zero(), between(0.0, 0.0401),
              between(0.0, kInfinity)};
  std::string why;
  EXPECT_TRUE(t.accepted(&why)) << why;
  EXPECT_THAT(refusal(t, [](Proved& f) { f.claims.kind = RegionKind::kBounded; }),
              HasSubstr("no proof that the region is bounded"));
  EXPECT_THAT(refusal(t, [](Proved& f) { f.claims.distance.upper = 0.11; }), HasSubstr("further inside"));
  EXPECT_THAT(refusal(t, [](Proved& f) { f.certificate.pieces[0].outer[0].x() += 1e-9; }), HasSubstr("has no proof"));
  EXPECT_THAT(refusal(t, [](Proved& f) { f.rules.clip = 0.2; }), HasSubstr("has no proof"));
  EXPECT_THAT(refusal(t, [](Proved& f) { f.rules.clip.reset(); }), HasSubstr("has no proof"));
  // The polygon around everything proves that it is bounded.
  t.claims.kind = RegionKind::kBounded;
  piece.bound = whole.outer;
  piece.bound_sides = whole.sides;
  EXPECT_TRUE(t.accepted(&why)) << why;
  EXPECT_THAT(refusal(original, [](Proved&) {}), HasSubstr("beyond the clipping square"));
}

TEST(RegionJudge, FacetsProveOneSideOnly)
{
  Proved t = table();
  t.rules.shape = ConeShape::outer(8);
  EXPECT_THAT(refusal(t, [](Proved&) {}), HasSubstr("outer facets cannot prove"));
  t.rules.shape = ConeShape::inner(8);
  EXPECT_THAT(refusal(t, [](Proved&) {}), HasSubstr("inner facets cannot prove"));
  t.certificate.pieces[0].outer.clear();
  t.certificate.pieces[0].sides.clear();
  t.claims.kind = RegionKind::kUndecided;
  t.claims.area.upper = t.claims.distance.upper = kInfinity;
  std::string why;
  EXPECT_TRUE(t.accepted(&why)) << why;
}

TEST(RegionJudge, PiecesOfOneSignMustAllBeThere)
{
  // A table bolted to the wall by a hand with friction: pushing or pulling. Only the piece that pushes is given.
  Proved t = table();
  Contact hand = t.input.problem.contacts[0];
  hand.name = "hand";
  hand.row = 12;
  hand.side = Side::kBilateral;
  t.input.problem.contacts.push_back(hand);
  t.input.problem.J.conservativeResize(15, 6);
  t.input.problem.J.bottomRows<3>() = t.input.problem.J.topRows<3>();  // above the first leg
  t.input.problem.gamma.setZero(15);
  t.certificate.position.lambda.conservativeResizeLike(Eigen::VectorXd::Zero(15));
  RegionPieceProof& piece = t.certificate.pieces[0];
  piece.signs = {0, 0, 0, 0, 1};
  for (Eigen::VectorXd& lambda : piece.forces) lambda.conservativeResizeLike(Eigen::VectorXd::Zero(15));
  for (MotionLeaf& side : piece.sides) side.signs = {0, 0, 0, 0, 1};
  EXPECT_THAT(refusal(t, [](Proved&) {}), HasSubstr("no proof that the region is bounded"));
  t.claims.kind = RegionKind::kUndecided;
  EXPECT_THAT(refusal(t, [](Proved&) {}), HasSubstr("less than that of the outer"));
  t.claims.area.upper = t.claims.distance.upper = kInfinity;
  std::string why;
  EXPECT_TRUE(t.accepted(&why)) << why;
  EXPECT_THAT(refusal(t, [](Proved& f) { f.certificate.pieces[0].signs[4] = 0; }), HasSubstr("pushes or pulls"));
  EXPECT_THAT(refusal(t, [](Proved& f) { f.certificate.pieces[0].signs[4] = -1; }),
              HasSubstr("other signs than its piece"));
}

}  // namespace
}  // namespace stiction
