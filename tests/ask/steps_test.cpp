// The steps of the algorithm against answers known beforehand, and against a brute search on random problems.
#include "stiction/paper/steps.hpp"

#include <gmock/gmock.h>

#include "stiction/error.hpp"
#include "stiction/paper/propositions.hpp"
#include "support/algebra.hpp"
#include "support/examples.hpp"
#include "support/random_problems.hpp"

namespace stiction {
namespace {

using namespace testing;

StickingSteps steps_of_problem(const ContactProblem& p, StickingResult* checked = nullptr)
{
  StickingChecker checker;
  StickingOptions options;
  options.margins = options.intervals = true;
  const StickingResult result = checker.check(p, options);
  if (checked) *checked = result;
  return sticking_steps(p, options.rules, result, *make_native_engine());
}

TEST(StickingStepsOf, UnsolvableProblemsEndAtStepTwo)
{
  ContactProblem p = block_on_ground(1, 1, 0.5, 0.5, 3);
  p.gamma[1] = 1.0;
  const StickingSteps steps = steps_of_problem(p);
  EXPECT_FALSE(steps.solvable);
  EXPECT_EQ(steps.verdict, Verdict::kFails);
  EXPECT_TRUE(steps.multipliers.empty() && steps.admissible.empty() && !steps.prediction);
  EXPECT_FALSE(steps.propositions.empty());
}

TEST(StickingStepsOf, RangesAgreeWithTheCheckersAndHoldEveryMixture)
{
  Rng rng{11};
  int redundant = 0;
  for (int i = 0; i < 25; ++i) {
    ContactProblem p = random_contacts(rng, 2 + i % 3, 0.4);
    make_holding(rng, p);
    if (i % 5 == 0) p.contacts[0].max_normal = 2.5;
    StickingResult checked;
    const StickingSteps steps = steps_of_problem(p, &checked);
    if (checked.verdict != Verdict::kHolds) continue;
    ASSERT_TRUE(steps.solvable);
    ASSERT_EQ(steps.internal_forces.cols(), checked.indeterminacy);
    EXPECT_LE((p.J.transpose() * steps.internal_forces).cwiseAbs().maxCoeff(), 1e-9) << "draw " << i;
    redundant += checked.indeterminacy > 0;
    for (std::size_t c = 0; c < p.contacts.size(); ++c) {
      const auto row = static_cast<std::size_t>(p.contacts[c].row);
      const Margin& range = steps.admissible[row];
      ASSERT_EQ(range.state, Margin::State::kKnown) << "draw " << i;
      const double size = 1e-6 * (1 + checked.lambda.norm());
      EXPECT_NEAR(range.lower, checked.contacts[c].normal_interval.lower, size) << "draw " << i;
      if (std::isfinite(checked.contacts[c].normal_interval.upper)) {
        EXPECT_NEAR(range.upper, checked.contacts[c].normal_interval.upper, size) << "draw " << i;
      }
    }
    // forces that were shown, and what they are with a little of every internal force, stay in the ranges where
    // admissible
    for (Eigen::Index r = 0; r < p.rows(); ++r) {
      const Margin& inside = steps.admissible[static_cast<std::size_t>(r)];
      const Margin& all = steps.multipliers[static_cast<std::size_t>(r)];
      const double slack = 1e-7 * (1 + checked.lambda.norm());
      EXPECT_LE(inside.lower, checked.lambda[r] + slack);
      EXPECT_GE(inside.upper, checked.lambda[r] - slack);
      EXPECT_LE(all.lower, inside.lower + slack) << "draw " << i << " row " << r;
      EXPECT_GE(all.upper, inside.upper - slack) << "draw " << i << " row " << r;
    }
  }
  EXPECT_GT(redundant, 5);
}

TEST(StickingStepsOf, BilateralContactWhoseSignIsOpenHasNoRanges)
{
  // a block between two bilateral rails in series: forces may push at one and pull at the other
  ContactProblem p = block_on_ground(1, 1, 0.5, 0.5, 0.0);
  p.J.row(2) = p.J.row(0);  // the same normal twice, bilateral: only the sum is known
  p.F = Eigen::Vector3d(0, 9.81, 9.81 / 2);
  for (Contact& c : p.contacts) c.side = Side::kBilateral;
  const StickingSteps steps = steps_of_problem(p);
  ASSERT_EQ(steps.verdict, Verdict::kHolds);
  EXPECT_EQ(steps.multipliers[0].lower, -kInfinity);
  EXPECT_TRUE(steps.admissible.empty());
}

TEST(StickingStepsOf, StrictnessAndTheRim)
{
  // 4 N of push against 4.905 N of friction persist; a push at the limit of one corner alone is at its rim
  StickingSteps steps = steps_of_problem(block_on_corner(1, 0.6, 0.4, 0.5, 0.6, {0, 9.81, 0}));
  EXPECT_TRUE(steps.persists);
  EXPECT_THAT(steps.strict, ::testing::ElementsAre(0));
  EXPECT_FALSE(steps.prediction.has_value());
  steps = steps_of_problem(block_on_corner(1, 0.6, 0.4, 0.5, 0.2, {0, 9.81, 0}));
  EXPECT_EQ(steps.verdict, Verdict::kFails);
  EXPECT_FALSE(steps.persists);
  EXPECT_THAT(steps.violated, ::testing::ElementsAre(0));
  ASSERT_TRUE(steps.prediction && steps.prediction->converged());
  EXPECT_EQ(steps.prediction->contacts[0].motion, PredictedMotion::kSlips);
}

TEST(StickingStepsOf, ContactsThatMayNotOpenHaveTheMultipliersOfTheEquations)
{
  // 16 N at the centre of a block of width 0.6 and height 0.4 m: the left corner would have to pull (61)
  const ContactProblem p = block_on_ground(1, 0.6, 0.4, 2.0, 16.0);
  StickingOptions options;
  options.rules.detachment = Detachment::kForbidden;
  const StickingResult result = StickingChecker().check(p, options);
  const StickingSteps steps = sticking_steps(p, options.rules, result, *make_native_engine());
  EXPECT_EQ(steps.verdict, Verdict::kFails);
  EXPECT_NEAR(steps.multipliers[2].lower, 9.81 / 2 - 16 * 0.2 / 0.6, 1e-9);
  EXPECT_LT(steps.multipliers[2].upper, 0.0);
}

TEST(StickingStepsOf, ContactsThatOpenTakeNoPartInInternalForces)
{
  // a tall block that tips: the tangential rows of both corners are one row twice, but its left corner leaves
  StickingResult checked;
  const StickingSteps steps = steps_of_problem(block_on_ground(1, 1, 4, 3.0, 4.0), &checked);
  ASSERT_EQ(checked.contacts[1].state, ContactState::kDetaching);
  EXPECT_EQ(steps.internal_forces.cols(), 0);
  for (const std::size_t row : {2u, 3u}) {
    EXPECT_EQ(steps.multipliers[row].upper, 0.0);
    EXPECT_EQ(steps.multipliers[row].lower, 0.0);
  }
  EXPECT_EQ(steps_of_problem(block_on_ground(1, 1, 4, 3.0, 0.0)).internal_forces.cols(), 1);
}

TEST(StickingStepsOf, SaysWhereARankHangsOnLastDigits)
{
  // between walls that are parallel, or nearly
  ContactProblem walls;
  walls.M.setIdentity(2, 2);
  walls.F.setZero(2);
  walls.J.resize(2, 2);
  walls.gamma.setZero(2);
  for (int i = 0; i < 2; ++i) {
    walls.contacts.push_back(planar_contact("wall" + std::to_string(i), i, 0.0));
    walls.contacts.back().tangents = 0;
  }
  for (const auto& [tilt, rank, doubt] :
       {std::tuple{0.0, 1, false}, {1e-12, 1, true}, {4e-9, 2, true}, {1e-3, 2, false}}) {
    walls.J << 1, 0, -1, tilt;
    const StickingSteps steps = steps_of_problem(walls);
    EXPECT_EQ(steps.rank_rows, rank) << tilt;
    ASSERT_EQ(steps.doubtful_rank.has_value(), doubt) << tilt;
    if (doubt) {
      EXPECT_NEAR(*steps.doubtful_rank, tilt / std::sqrt(2.0), 1e-3 * tilt);
    }
  }
}

TEST(StickingStepsOf, WantsTheResultOfTheProblem)
{
  EXPECT_THROW(sticking_steps(block_on_ground(1, 1, 1, 0.5, 0), {}, StickingResult{}, *make_native_engine()),
               InputError);
}

}  // namespace
}  // namespace stiction
