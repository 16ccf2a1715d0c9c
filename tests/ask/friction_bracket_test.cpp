// The search for the least friction, with verdicts that are known for every number.
#include "ask/friction_bracket.hpp"

#include <gtest/gtest.h>

namespace stiction::internal {
namespace {

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
