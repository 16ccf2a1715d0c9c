// The two searches along one number, with verdicts that are known for every number.
#include "ask/cast.hpp"

#include <gtest/gtest.h>

#include "ask/friction_bracket.hpp"

namespace stiction::internal {
namespace {

/// Holds up to the root of t + bend t² = 1; a failing t gives the tangent there, as certificates do. Undecided within
/// `blind` of it.
struct BentEnd {
  double bend = 0.0, blind = 0.0;
  int decisions = 0;

  double end() const { return bend == 0.0 ? 1.0 : (std::sqrt(1.0 + 4.0 * bend) - 1.0) / (2.0 * bend); }
  Verdict decide(double t, CastRange& range)
  {
    ++decisions;
    if (std::abs(t - end()) <= blind) return Verdict::kUndecided;
    if (t < end()) return Verdict::kHolds;
    const double tangent = t - (t + bend * t * t - 1.0) / (1.0 + 2.0 * bend * t);
    range.upper = std::min(range.upper, std::max(tangent, range.lower));
    return Verdict::kFails;
  }
  CastRange cast(const CastOptions& options = {}, double upper = kInfinity)
  {
    CastRange range;
    range.upper = upper;
    close_gap(range, options, [&](double t) { return decide(t, range); });
    return range;
  }
};

TEST(Cast, EndsAtOnceWhereTheEndIsFlat)
{
  BentEnd flat;
  const CastRange range = flat.cast({.scale = 1.0}, 10.0);
  EXPECT_EQ(range.end, CastRange::End::kBounded);
  EXPECT_LE(range.lower, 1.0);
  EXPECT_GE(range.upper, 1.0);
  EXPECT_LE(range.upper - range.lower, 1e-9);
  EXPECT_LE(flat.decisions, 3);
}

TEST(Cast, ConvergesFastWhereTheEndIsBent)
{
  for (const double bend : {0.1, 1.0, 10.0, 1000.0}) {
    BentEnd bent{bend};
    const CastRange range = bent.cast({}, 1e3);
    EXPECT_EQ(range.end, CastRange::End::kBounded);
    EXPECT_LE(range.lower, bent.end() * (1 + 1e-15));
    EXPECT_GE(range.upper, bent.end() * (1 - 1e-15));
    EXPECT_LE(range.upper - range.lower, 1e-9 * bent.end());
    EXPECT_LE(bent.decisions, 24) << bend;  // bisection takes forty
  }
}

TEST(Cast, FindsAnEndThatNothingBoundsYet)
{
  for (const double bend : {0.0, 1.0, 1e6}) {
    BentEnd bent{bend};
    const CastRange range = bent.cast({.scale = 1e-6});
    EXPECT_EQ(range.end, CastRange::End::kBounded);
    EXPECT_LE(range.upper - range.lower, 1e-9 * bent.end());
    EXPECT_NEAR(range.lower, bent.end(), 2e-9 * bent.end());
  }
}

TEST(Cast, StopsAtTheCap)
{
  BentEnd bent{1.0};
  const CastRange range = bent.cast({.cap = 0.25});
  EXPECT_EQ(range.end, CastRange::End::kBounded);
  EXPECT_EQ(range.lower, 0.25);
  EXPECT_EQ(bent.decisions, 1);
}

TEST(Cast, StaysOnBothSidesOfWhatCannotBeTold)
{
  BentEnd blind{1.0, 1e-3};
  const CastRange range = blind.cast({}, 10.0);
  EXPECT_EQ(range.end, CastRange::End::kUndecided);
  EXPECT_NEAR(range.lower, blind.end() - 1e-3, 1e-7);
  EXPECT_GE(range.upper, blind.end());
  EXPECT_LE(range.upper, 10.0);
}

TEST(Cast, BelievesAFailureWithoutATangent)
{
  CastRange range;
  const CastOptions coarse{.relative_gap = 0.1, .scale = 1.0};
  close_gap(range, coarse, [](double t) { return t <= 3.0 ? Verdict::kHolds : Verdict::kFails; });
  EXPECT_EQ(range.end, CastRange::End::kBounded);
  EXPECT_LE(range.lower, 3.0);
  EXPECT_GE(range.upper, 3.0);
  EXPECT_LE(range.upper - range.lower, 0.31);
}

/// Enough from `least` on; proofs of failure reach up to `share` of it, undecided within `blind` (relative).
FrictionBracket bracket_at(double least, double share, double blind = 0.0, double holding = kInfinity)
{
  return bracket_friction(
      1.0, {-1.0, holding},
      [&](double friction) {
        if (std::abs(friction - least) < blind * least) return Verdict::kUndecided;
        return friction >= least ? Verdict::kHolds : Verdict::kFails;
      },
      [&](double friction) { return std::max(friction, share * least); });
}

TEST(FrictionBracket, EnclosesTheLeastFriction)
{
  for (const double least : {1e-4, 0.37, 1.0, 12.5, 9e3})
    for (const double share : {0.0, 0.5, 1.0 - 1e-9}) {
      const FrictionBracket bracket = bracket_at(least, share);
      ASSERT_TRUE(bracket.known && bracket.upper) << least;
      EXPECT_LE(bracket.lower, least);
      EXPECT_GE(*bracket.upper, least);
      EXPECT_LE(*bracket.upper - bracket.lower, 1.01e-7 * *bracket.upper) << least << " " << share;
    }
}

TEST(FrictionBracket, KnowsTheEnds)
{
  const FrictionBracket none = bracket_at(0.0, 0.0);
  EXPECT_TRUE(none.known);
  EXPECT_EQ(none.upper, 0.0);
  for (const double share : {0.0, kInfinity}) {
    const FrictionBracket never = bracket_at(1e9, share);
    EXPECT_TRUE(never.known);
    EXPECT_FALSE(never.upper);
    EXPECT_GE(never.lower, kLargestFriction);
  }
  const FrictionBracket squeezed = bracket_at(1e-12, 0.0, 0.0, 1.0);
  EXPECT_TRUE(squeezed.known);
  EXPECT_LE(*squeezed.upper, 1e-6);
}

TEST(FrictionBracket, ApproachesDoubtFromBothSides)
{
  const FrictionBracket bracket = bracket_at(0.37, 0.0, 1e-3);
  ASSERT_TRUE(bracket.known && bracket.upper);
  EXPECT_NEAR(bracket.lower, 0.37 * (1 - 1e-3), 1e-7);
  EXPECT_NEAR(*bracket.upper, 0.37 * (1 + 1e-3), 1e-7);
}

TEST(FrictionBracket, IsSettledOnlyWhereBothEndsMeet)
{
  EXPECT_TRUE(bracket_at(0.37, 0.0).as_number().settled());
  EXPECT_TRUE(bracket_at(0.37, 0.0, 1e-5).as_number().settled());
  EXPECT_FALSE(bracket_at(0.37, 0.0, 1e-3).as_number().settled());
  EXPECT_TRUE(bracket_at(1e9, 0.0).as_number().settled());              // proved that none helps
  EXPECT_TRUE(bracket_at(1e-12, 0.0, 0.0, 1.0).as_number().settled());  // ever less is enough
  // Known to hold with all of its friction, and nothing can be told below: one is not the least.
  const FrictionBracket open =
      bracket_friction(1.0, {-1.0, 1.0}, [](double) { return Verdict::kUndecided; }, [](double mu) { return mu; });
  EXPECT_EQ(open.upper, 1.0);
  EXPECT_FALSE(open.as_number().settled());
}

TEST(FrictionBracket, GivesUpWhereNothingCanBeTold)
{
  const FrictionBracket bracket = bracket_friction(
      1.0, {}, [](double mu) { return mu > 0.0 ? Verdict::kUndecided : Verdict::kFails; },
      [](double mu) { return mu; });
  EXPECT_FALSE(bracket.known);
  EXPECT_FALSE(bracket.upper);
}

/// A proof that says too much, as one whose small sideways terms were taken for rounding, leads nowhere: both ends were
/// decided.
TEST(FrictionBracket, EndsAreTrialsWhateverAProofSaysOfOthers)
{
  for (const double told : {1.9, 50.0, 1e9, kInfinity}) {
    double failed = 0.0;
    const FrictionBracket bracket = bracket_friction(
        1.0, {1.0},
        [&](double factor) {
          if (factor < 1.8) failed = std::max(failed, factor);
          return factor < 1.8 ? Verdict::kFails : Verdict::kHolds;
        },
        [&](double factor) { return std::max(factor, told); });
    ASSERT_TRUE(bracket.known && bracket.upper) << told;
    EXPECT_NEAR(*bracket.upper, 1.8, 1e-6) << told;
    EXPECT_EQ(bracket.lower, failed) << told;
    EXPECT_TRUE(bracket.as_number().settled()) << told;
  }
}

TEST(FrictionBracket, AsksFewTimesWhereNoneHelps)
{
  int asked = 0;
  const auto fails = [&](double) {
    ++asked;
    return Verdict::kFails;
  };
  const FrictionBracket none = bracket_friction(1.0, {1.0}, fails, [](double factor) { return factor; });
  EXPECT_TRUE(none.known);
  EXPECT_FALSE(none.upper);
  EXPECT_LE(asked, 2) << "what fails with several times the friction mostly does so with any";
}

/// Doubt at the largest friction, where coefficients are huge, hides no smaller one that holds.
TEST(FrictionBracket, GoesOnBelowDoubtAtTheLimit)
{
  const FrictionBracket bracket = bracket_friction(
      1.0, {1.0},
      [](double factor) {
        return factor > 1e3 ? Verdict::kUndecided : factor < 37.0 ? Verdict::kFails : Verdict::kHolds;
      },
      [](double factor) { return factor; });
  ASSERT_TRUE(bracket.known && bracket.upper);
  EXPECT_NEAR(*bracket.upper, 37.0, 1e-5);
}

TEST(FrictionBracket, DoesNotBelieveAProofBeyondWhatHolds)
{
  const FrictionBracket bracket = bracket_friction(
      1.0, {-1.0, 2.0}, [](double mu) { return mu < 0.5 ? Verdict::kFails : Verdict::kHolds; },
      [](double) { return kInfinity; });
  ASSERT_TRUE(bracket.known && bracket.upper);
  EXPECT_LE(bracket.lower, 0.5);
  EXPECT_NEAR(*bracket.upper, 0.5, 1e-7);
}

}  // namespace
}  // namespace stiction::internal
