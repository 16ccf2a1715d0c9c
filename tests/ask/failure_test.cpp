// What counterfactuals imply, and what remedies change; the cases they are asked about are in tests of io and whole.
#include "stiction/failure.hpp"

#include <gtest/gtest.h>

#include "support/examples.hpp"

namespace stiction {
namespace {

Counterfactual answer(Remedies with, Verdict verdict)
{
  Counterfactual trial;
  trial.with = with;
  trial.verdict = verdict;
  return trial;
}

Failure diagnosed(Remedies possible, std::vector<Counterfactual> answers)
{
  Failure failure;
  failure.counterfactuals = std::move(answers);
  diagnose(possible, failure);
  return failure;
}

constexpr Remedies kThree = kMoreEffort | kLargerLimits | kMoreFriction;

TEST(Diagnosis, WhatFailsWithAllFailsWithEach)
{
  const Failure failure = diagnosed(kThree, {answer(kThree, Verdict::kFails)});
  EXPECT_EQ(failure.cause, FailureCause::kNothing);
  EXPECT_EQ(failure.helps, 0u);
  EXPECT_EQ(failure.defied, kThree);
}

TEST(Diagnosis, TheFirstThatHelpsAloneIsTold)
{
  const Failure failure =
      diagnosed(kThree, {answer(kMoreEffort, Verdict::kFails), answer(kLargerLimits, Verdict::kHolds),
                         answer(kMoreEffort | kMoreFriction, Verdict::kFails)});
  EXPECT_EQ(failure.cause, FailureCause::kLimits);
  EXPECT_EQ(failure.helps, kLargerLimits);
  EXPECT_EQ(failure.defied, kMoreEffort | kMoreFriction) << "the motion told is one that the others do not stop";
}

/// Larger limits hold with motors; that says nothing about what holds without.
TEST(Diagnosis, MotorsImplyNothingAboutTheOthers)
{
  const Failure failure =
      diagnosed(kMoreMotors | kMoreFriction, {answer(kMoreMotors | kMoreFriction, Verdict::kFails)});
  EXPECT_EQ(failure.cause, FailureCause::kUnknown);
}

TEST(Diagnosis, OnlySeveralTogether)
{
  const std::vector<Counterfactual> alone = {answer(kMoreEffort, Verdict::kFails),
                                             answer(kLargerLimits, Verdict::kFails),
                                             answer(kMoreFriction, Verdict::kFails)};
  std::vector<Counterfactual> pair = alone, all = alone;
  pair.push_back(answer(kMoreEffort | kLargerLimits, Verdict::kFails));
  pair.push_back(answer(kLargerLimits | kMoreFriction, Verdict::kHolds));
  Failure failure = diagnosed(kThree, pair);
  EXPECT_EQ(failure.cause, FailureCause::kSeveral);
  EXPECT_EQ(failure.helps, kLargerLimits | kMoreFriction);
  EXPECT_EQ(failure.defied, kMoreEffort);
  for (const Remedies two : {kMoreEffort | kLargerLimits, kMoreEffort | kMoreFriction, kLargerLimits | kMoreFriction})
    all.push_back(answer(two, Verdict::kFails));
  all.push_back(answer(kThree, Verdict::kHolds));
  failure = diagnosed(kThree, all);
  EXPECT_EQ(failure.cause, FailureCause::kSeveral);
  EXPECT_EQ(failure.helps, kThree);
  EXPECT_EQ(failure.defied, 0u);
}

/// While one of them is open it may be the one.
TEST(Diagnosis, WhatIsOpenIsNotRuledOut)
{
  EXPECT_EQ(diagnosed(kThree, {}).cause, FailureCause::kUnknown);
  EXPECT_EQ(diagnosed(kThree, {answer(kMoreEffort, Verdict::kFails), answer(kThree, Verdict::kHolds)}).cause,
            FailureCause::kUnknown);
}

TEST(Remedied, LimitsGoOnTheirOwnSide)
{
  ContactProblem p = testing::block_on_ground(1, 1, 1, 0.5, 0);
  p.contacts[0].max_normal = 7.0;
  p.actuators = {{"both", 0, -5.0, 3.0}, {"pulls", 1, -5.0, 0.0}, {"pushes", 1, 0.0, 5.0}, {"none", 2, 0.0, 0.0}};
  EXPECT_EQ(possible_remedies(p, {}), kThree);
  EXPECT_EQ(possible_remedies(p, {2}), kThree | kMoreMotors);
  const ContactProblem strong = relieved(p, kMoreEffort, 1.0, {});
  const std::pair<double, double> wanted[] = {{-kInfinity, kInfinity}, {-kInfinity, 0.0}, {0.0, kInfinity}, {0.0, 0.0}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(strong.actuators[i].lower, wanted[i].first) << strong.actuators[i].name;
    EXPECT_EQ(strong.actuators[i].upper, wanted[i].second) << strong.actuators[i].name;
  }
  EXPECT_EQ(strong.contacts[0].max_normal, 7.0);
  const ContactProblem firm = relieved(p, kLargerLimits | kMoreFriction, 100.0, {});
  EXPECT_EQ(firm.contacts[0].max_normal, kInfinity);
  EXPECT_EQ(firm.contacts[1].mu, 50.0);
  EXPECT_EQ(firm.actuators[0].upper, 3.0);
  EXPECT_EQ(relieved(p, kMoreMotors, 1.0, {2}).actuators.back().upper, kInfinity);
  // nothing to have more of
  p.contacts[0].max_normal = kInfinity;
  for (Contact& contact : p.contacts) contact.mu = 0.0;
  p.actuators = {{"none", 2, 0.0, 0.0}, {"any", 0, -kInfinity, kInfinity}};
  EXPECT_EQ(possible_remedies(p, {}), 0u);
  p.actuators.push_back({"pulls", 1, -1.0, 0.0});
  EXPECT_EQ(possible_remedies(p, {}), static_cast<Remedies>(kMoreEffort));
}

}  // namespace
}  // namespace stiction
