// Sliding: no certificate proves what another one refutes, and counts depend on neither units, order, engines nor
// contacts given twice.
#include <gtest/gtest.h>

#include "stiction/sliding.hpp"
#include "support/sliding.hpp"
#include "support/sound.hpp"

namespace stiction::sliding_test {

using testing::add_contact;
using testing::forge;
using testing::free_body;
using testing::gaussian;
using testing::Rng;
using testing::trials;
using testing::uniform;

/// Rods, guides, ladders at random angles and friction; bodies on contacts that coincide or nearly so (1e-16 to 1e-6
/// m), masses of 1e-7 to 1e7 kg, loads likewise.
ContactProblem degenerate_system(Rng& rng, SlipDirections& slips)
{
  const double angle = uniform(rng, 0.1, 1.5), mu = uniform(rng, 0, 3);
  const auto side = [&] { return along(rng() % 2 ? 1 : -1); };
  switch (rng() % 5) {
    case 0:
      slips = {side()};
      return rod(angle, uniform(rng, 0, 5), mu);
    case 1:
      slips = {side(), side()};
      return painleve_klein(angle, mu, uniform(rng, 0, 3));
    case 2:
      slips = {side(), side()};
      return ladder(angle, mu, uniform(rng, 0, 3));
    default:
      break;
  }
  ContactProblem p = free_body(rng, rng() % 2 ? 1 : 2);
  const int count = 1 + static_cast<int>(rng() % 3);
  Eigen::Vector3d point = gaussian(rng, 3), normal = gaussian(rng, 3);
  for (int i = 0; i < count; ++i) {
    if (i > 0) point += (rng() % 2 ? std::pow(10.0, uniform(rng, -16, -6)) : 1.0) * Eigen::Vector3d(gaussian(rng, 3));
    if (rng() % 2) normal = gaussian(rng, 3);
    add_contact(p, point, normal, uniform(rng, 0, 1.5), rng() % 4 == 0 ? Side::kBilateral : Side::kUnilateral,
                p.nv() > 6 ? static_cast<int>(rng() % 2) : 0);
    const double turn = uniform(rng, 0, 6);
    slips.push_back(rng() % 3 == 0 ? std::nullopt : std::optional<Eigen::Vector2d>({std::cos(turn), std::sin(turn)}));
  }
  p.F = gaussian(rng, p.nv());
  if (rng() % 3 == 0) p.gamma = gaussian(rng, p.rows());
  if (p.nv() > 6 && rng() % 2) {
    const double heavy = std::pow(10.0, uniform(rng, -7.5, 7.5));
    p.M.bottomRightCorner(6, 6) *= heavy;
    p.F.tail(6) *= heavy;
  }
  return p;
}

/// What a count says: there is a solution, there is none, one only, several.
struct Claims {
  bool some = false, none = false, one = false, several = false;
  void add(SolutionCount count)
  {
    none = none || count == SolutionCount::kNone;
    one = one || count == SolutionCount::kUnique;
    several = several || count == SolutionCount::kSeveral;
    some = some || one || several || count == SolutionCount::kAtLeastOne;
  }
  bool contradict() const { return (some && none) || (one && several); }
};

TEST(SlidingSound, NoCountIsProvedThatAnotherCertificateRefutes)
{
  Rng rng{181};
  SlidingChecker checkers[] = {SlidingChecker(make_engine("native")), SlidingChecker(make_engine("qpoases"))};
  const int count = trials(1000);
  SlidingOptions options;
  options.well_posedness = false;
  int proved = 0;
  for (int i = 0; i < count; ++i) {
    SlipDirections slips;
    const ContactProblem p = degenerate_system(rng, slips);
    ContactProblem near = p;  // the same but for a change of 1e-16 to 1e-3
    const double change = std::pow(10.0, uniform(rng, -16, -3));
    near.F.array() *= 1.0 + change * gaussian(rng, p.nv()).array();
    for (Contact& c : near.contacts) c.mu *= 1.0 + change * uniform(rng, -1, 1);
    Claims claims;
    const SlidingResult own = checkers[i % 2].check(p, slips, options),
                        other = checkers[i % 2].check(near, slips, options);
    claims.add(own.count);
    proved += own.count != SolutionCount::kUndecided;
    claims.add(judge_sliding(p, slips, other.certificate).count);
    for (int trial = 0; trial < 8; ++trial) {
      SlidingCertificate forged = rng() % 2 ? own.certificate : other.certificate;
      const SlidingCertificate& donor = rng() % 2 ? own.certificate : other.certificate;
      if (rng() % 2) forged.leaves.insert(forged.leaves.end(), donor.leaves.begin(), donor.leaves.end());
      if (rng() % 2) forged.witnesses.insert(forged.witnesses.end(), donor.witnesses.begin(), donor.witnesses.end());
      if (rng() % 3 == 0) forged.witnesses.clear();
      for (MotionLeaf& leaf : forged.leaves) {
        forge(rng, leaf.motion);
        if (rng() % 4 == 0 && !leaf.signs.empty()) leaf.signs[rng() % leaf.signs.size()] *= rng() % 2 ? -1 : 0;
      }
      for (SlidingWitness& witness : forged.witnesses) {
        if (rng() % 2) forge(rng, witness.a);
        if (rng() % 2) forge(rng, witness.lambda);
        if (rng() % 4 == 0 && !witness.signs.empty()) witness.signs[rng() % witness.signs.size()] *= -1;
      }
      claims.add(judge_sliding(p, slips, forged).count);
    }
    ASSERT_FALSE(claims.contradict()) << i;
  }
  EXPECT_GT(proved, count * 9 / 10);
}

/// Two coincident feet that push and pull 1e20 N against each other carry no weight by rounding of that.
TEST(SlidingSound, InternalForcesBuyNoTolerance)
{
  ContactProblem p;
  p.M = Eigen::Matrix2d::Identity();
  p.F = Eigen::Vector2d(0, kGravity);
  p.J.resize(4, 2);
  p.J << 0, 1, 1, 0, 0, 1, 1, 0;
  p.gamma.setZero(4);
  p.contacts = {planar_contact("one", 0, 0.0, Side::kBilateral), planar_contact("two", 2, 0.0, Side::kBilateral)};
  const SlipDirections slips = {along(1), along(1)};
  const Eigen::Vector2d rest(0, 0);
  EXPECT_TRUE(proves_sliding_solution(p, slips, rest, Eigen::Vector4d(5, 0, kGravity - 5, 0)));
  for (const double force : {1e8, 1e16, 1e20})
    EXPECT_FALSE(proves_sliding_solution(p, slips, rest, Eigen::Vector4d(force, 0, -force, 0))) << force;
}

/// The same in other units (powers of two), with contacts in another order or the first one given twice.
TEST(SlidingSound, NothingButTheSystemMatters)
{
  Rng rng{182};
  SlidingChecker native(make_engine("native")), qpoases(make_engine("qpoases"));
  SlidingOptions options;
  options.well_posedness = false;
  const int count = trials(2000);
  int open = 0, flips = 0, lost = 0;
  for (int i = 0; i < count; ++i) {
    SlipDirections slips;
    const ContactProblem p = degenerate_system(rng, slips);
    const SolutionCount base = native.check(p, slips, options).count;
    open += base == SolutionCount::kUndecided || base == SolutionCount::kAtLeastOne;
    const auto compare = [&](const ContactProblem& q, const SlipDirections& s, SlidingChecker& checker) {
      const SolutionCount again = checker.check(q, s, options).count;
      Claims claims;
      claims.add(base);
      claims.add(again);
      flips += claims.contradict();
      lost += !claims.contradict() && again != base;
    };
    compare(p, slips, qpoases);
    ContactProblem q = p;  // kilograms and seconds
    const double mass = 0x1p20, time = 0x1p-7;
    q.M *= mass;
    q.F *= mass / (time * time);
    q.gamma /= time * time;
    compare(q, slips, native);
    q = p;  // a degree of freedom in other units
    q.M.row(0) *= 0x1p-30;
    q.M.col(0) *= 0x1p-30;
    q.F[0] *= 0x1p-30;
    q.J.col(0) *= 0x1p-30;
    compare(q, slips, native);
    q = p;  // the rows stay where they are
    SlipDirections reversed = slips;
    std::reverse(q.contacts.begin(), q.contacts.end());
    std::reverse(reversed.begin(), reversed.end());
    compare(q, reversed, native);
    if (p.contacts[0].side == Side::kBilateral) continue;  // twice the same guide may push and pull
    q = p;
    SlipDirections twice = slips;
    const Contact& first = p.contacts[0];
    q.J.conservativeResize(p.rows() + first.rows(), Eigen::NoChange);
    q.J.bottomRows(first.rows()) = p.J.middleRows(first.row, first.rows());
    q.gamma.conservativeResize(p.rows() + first.rows());
    q.gamma.tail(first.rows()) = p.gamma.segment(first.row, first.rows());
    q.contacts.push_back(first);
    q.contacts.back().name = "twin";
    q.contacts.back().row = static_cast<int>(p.rows());
    twice.push_back(slips[0]);
    compare(q, twice, native);
  }
  EXPECT_EQ(flips, 0);
  std::printf("%d systems, %d open, %d variants decided one way only\n", count, open, lost);
  EXPECT_LE(open, count / 20);
  EXPECT_LE(lost, count / 5);
}

}  // namespace stiction::sliding_test
