// One workspace per thread, everything else shared: the same answers as alone, and nothing for ThreadSanitizer to say.
#include <gtest/gtest.h>

#include <thread>

#include "stiction/closure.hpp"
#include "stiction/sticking.hpp"
#include "support/grasps.hpp"
#include "support/random_problems.hpp"

namespace stiction {
namespace {

class Threads : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, Threads, ::testing::Values("native", "qpoases"),
                         [](const auto& engine) { return engine.param; });

TEST_P(Threads, ManyCheckersGiveTheAnswersOfOne)
{
  testing::Rng rng{3};
  std::vector<ContactProblem> problems;
  for (int i = 0; i < 60; ++i) {
    ContactProblem p = testing::random_contacts(rng, 1 + i % 6, 1.0, i % 5 ? Side::kUnilateral : Side::kBilateral);
    if (i % 5 == 0 || i % 2 || !testing::make_failing(rng, p)) testing::make_holding(rng, p);
    problems.push_back(p);
  }
  const auto run = [&] {
    StickingChecker checker(make_engine(GetParam()));
    std::vector<StickingResult> results;
    for (const ContactProblem& p : problems) results.push_back(checker.check(p));
    return results;
  };
  const std::vector<StickingResult> alone = run();
  std::vector<std::vector<StickingResult>> together(4);
  std::vector<std::thread> threads;
  for (auto& results : together) threads.emplace_back([&] { results = run(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& results : together)
    for (size_t i = 0; i < problems.size(); ++i) {
      EXPECT_EQ(results[i].verdict, alone[i].verdict);
      EXPECT_NE(results[i].verdict, Verdict::kUndecided) << results[i].reason;
      EXPECT_EQ(results[i].lambda, alone[i].lambda);
    }
}

TEST_P(Threads, ManyClosureCheckersGiveTheAnswersOfOne)
{
  testing::Rng rng{4};
  std::vector<Grasp> grasps;
  for (int i = 0; i < 60; ++i)
    grasps.push_back(testing::make_grasp(testing::random_fingers(rng, 2 + i % 6, i % 2 ? 0.8 : 4.0, false)));
  const auto run = [&] {
    ClosureChecker checker(make_engine(GetParam()));
    std::vector<ClosureResult> results;
    for (const Grasp& grasp : grasps) results.push_back(checker.check(grasp));
    return results;
  };
  const std::vector<ClosureResult> alone = run();
  std::vector<std::vector<ClosureResult>> together(4);
  std::vector<std::thread> threads;
  for (auto& results : together) threads.emplace_back([&] { results = run(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& results : together)
    for (size_t i = 0; i < grasps.size(); ++i) {
      EXPECT_NE(results[i].frictional_form_closure.verdict, Verdict::kUndecided);
      EXPECT_EQ(results[i].frictional_form_closure.verdict, alone[i].frictional_form_closure.verdict);
      EXPECT_EQ(results[i].frictional_form_closure.proof.forces, alone[i].frictional_form_closure.proof.forces);
      EXPECT_EQ(results[i].frictional_form_closure.proof.twist, alone[i].frictional_form_closure.proof.twist);
    }
}

}  // namespace
}  // namespace stiction
