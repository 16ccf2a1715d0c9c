// Once sized, a check with the native engine allocates nothing. The linker sends every malloc of our objects (Eigen's
// among them) through the counter below, operator new has its own (count_news.cpp).
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "stiction/closure.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/sticking.hpp"
#include "stiction/sticking_monitor.hpp"
#include "support/examples.hpp"
#include "support/grasps.hpp"
#include "support/limbs.hpp"
#include "support/random_problems.hpp"

extern std::atomic<long> g_news;
static std::atomic<long> g_mallocs{0};

extern "C" {
void* __real_malloc(std::size_t size);
void* __wrap_malloc(std::size_t size)
{
  ++g_mallocs;
  return __real_malloc(size);
}
}

namespace stiction {
namespace {

template <class Call>
long allocations_of(Call&& call)
{
  const long before = g_news + g_mallocs;
  call();
  return g_news + g_mallocs - before;
}

TEST(AllocationCounter, SeesBothKinds)
{
  EXPECT_GT(allocations_of([] { ::testing::Test::RecordProperty("v", static_cast<int>(std::vector<int>(100, 1)[3])); }),
            0);
  EXPECT_GT(allocations_of([] { ::testing::Test::RecordProperty("e", Eigen::VectorXi::Constant(100, 2).eval()[3]); }),
            0);
}

TEST(Allocation, ChecksAfterTheFirstAllocateNothing)
{
  testing::Rng rng{5};
  for (bool slack : {false, true}) {
    StickingChecker checker;
    StickingOptions options;
    options.largest_slack = slack;
    options.explain = false;
    StickingResult result;
    std::vector<ContactProblem> problems;
    for (int i = 0; i < 20; ++i) {
      ContactProblem p = testing::random_contacts(rng, 6, 0.3);
      if (i % 2 || !testing::make_failing(rng, p)) testing::make_holding(rng, p);
      problems.push_back(p);
    }
    for (const ContactProblem& p : problems) checker.check(p, options, result);
    int holds = 0, fails = 0;
    for (const ContactProblem& p : problems) {
      EXPECT_EQ(allocations_of([&] { checker.check(p, options, result); }), 0) << "slack " << slack;
      holds += result.verdict == Verdict::kHolds;
      fails += result.verdict == Verdict::kFails;
    }
    EXPECT_GT(holds, 0);
    EXPECT_GT(fails, 0);
  }
}

TEST(Allocation, EquilibriumAfterTheFirstAllocatesNothing)
{
  testing::Rng rng{7};
  EquilibriumChecker checker;
  EquilibriumOptions options;
  options.explain = false;
  EquilibriumResult result;
  std::vector<testing::Stance> stances;
  for (int i = 0; i < 20; ++i) stances.push_back(testing::random_stance(rng, 2, 0.3, 0.1));
  for (const testing::Stance& s : stances) checker.check(s.problem, {}, options, result);
  int holds = 0, fails = 0;
  const Eigen::VectorXd at_rest;
  for (const testing::Stance& s : stances) {
    EXPECT_EQ(allocations_of([&] { checker.check(s.problem, at_rest, options, result); }), 0);
    holds += result.verdict == Verdict::kHolds;
    fails += result.verdict == Verdict::kFails;
  }
  EXPECT_GT(holds, 0);
  EXPECT_GT(fails, 0);
}

TEST(Allocation, MonitorStepsAfterTheFirstAllocateNothing)
{
  testing::Rng rng{8};
  const Eigen::VectorXd at_rest;
  int holds = 0, fails = 0, afresh = 0;
  for (int walk = 0; walk < 10; ++walk) {
    testing::Stance s = testing::random_stance(rng, 2, 0.2, 0.1);
    if (walk % 2) s = testing::on_legs(s, 0.4 * s.mass * 9.81);
    EquilibriumMonitor monitor;
    std::vector<Eigen::Vector2d> path;
    for (int i = 0; i < 100; ++i) path.push_back(0.2 * Eigen::Vector2d(std::cos(0.1 * i), std::sin(0.1 * i)));
    for (const Eigen::Vector2d& c : path) {  // once around: every limit that matters is a row
      move_com(s, c);
      monitor.step(s.problem, at_rest);
    }
    for (const Eigen::Vector2d& c : path) {
      move_com(s, c);
      Verdict verdict = Verdict::kUndecided;
      EXPECT_EQ(allocations_of([&] { verdict = monitor.step(s.problem, at_rest); }), 0) << walk;
      holds += verdict == Verdict::kHolds;
      fails += verdict == Verdict::kFails;
      afresh += !monitor.reused();
    }
  }
  EXPECT_GT(holds, 0);
  EXPECT_GT(fails, 0);
  EXPECT_GT(afresh, 0);
}

TEST(Allocation, StepsInMotionAfterTheFirstAllocateNothing)
{
  testing::Rng rng{12};
  int holds = 0, fails = 0, reused = 0, afresh = 0;
  for (int walk = 0; walk < 10; ++walk) {
    ContactProblem p = testing::random_contacts(rng, 5, 0.3);
    testing::make_holding(rng, p);
    StickingMonitor monitor;
    const Eigen::VectorXd load = p.F, other = 0.8 * load.norm() * testing::gaussian(rng, p.nv()).normalized();
    for (const bool counted : {false, true})
      for (int i = 0; i < 100; ++i) {
        p.F = load + std::sin(0.1 * i) * other;
        Verdict verdict = Verdict::kUndecided;
        const long count = allocations_of([&] { verdict = monitor.step(p); });
        if (!counted) continue;
        EXPECT_EQ(count, 0) << walk << " " << i;
        holds += verdict == Verdict::kHolds;
        fails += verdict == Verdict::kFails;
        reused += monitor.reused();
        afresh += !monitor.reused();
      }
  }
  EXPECT_GT(holds, 0);
  EXPECT_GT(fails, 0);
  EXPECT_GT(reused, 0);
  EXPECT_GT(afresh, 0);
}

TEST(Allocation, DecisionsAfterTheFirstAllocateNothing)
{
  testing::Rng rng{6};
  const auto engine = make_native_engine();
  ConeAnswer answer;
  ConeProgram program;
  for (int i = 0; i < 100; ++i) {
    ContactProblem p = testing::random_contacts(rng, 8, i % 3 ? 0.3 : 4.0);
    if (i % 2 || !testing::make_failing(rng, p)) testing::make_holding(rng, p);
    program.E = p.J.transpose();
    program.e = p.F;
    program.cones.clear();
    for (const Contact& c : p.contacts) {
      ConeBlock block;
      block.col = c.row;
      block.cone.mu = c.mu;
      program.cones.push_back(block);
    }
    if (i < 20) engine->decide(program, answer);  // both outcomes, both kinds of certificate
    EXPECT_EQ(allocations_of([&] { engine->decide(program, answer); }), 0) << i;
    bool good = false;
    EXPECT_EQ(allocations_of([&] {
                good = answer.outcome == Outcome::kFeasible ? proves_feasible(program, answer.x)
                                                            : proves_infeasible(program, answer.y);
              }),
              0);
    EXPECT_TRUE(good);
  }
}

TEST(Allocation, ClosureVerdictsAfterTheFirstAllocateNothing)
{
  testing::Rng rng{9};
  for (const bool plane : {true, false}) {
    ClosureChecker planner, checker, resister;
    const WrenchConvention convention = plane ? testing::planar() : WrenchConvention{};
    std::vector<std::vector<GraspContact>> contacts;
    for (int i = 0; i < 60; ++i) contacts.push_back(testing::random_fingers(rng, 5, i % 2 ? 0.7 : 4.0, plane));
    contacts.push_back(std::vector<GraspContact>(5, contacts[0][0]));  // five times the same: rank is missing
    std::vector<Grasp> grasps;
    for (const auto& list : contacts) {
      Grasp grasp = testing::make_grasp(list, convention);
      grasp.J_hand.setIdentity(grasp.G.cols(), 4);
      grasp.effort_lower.setConstant(4, -1.0);
      grasp.effort_upper.setConstant(4, 1.0);
      grasp.hand_load.setZero(4);
      grasps.push_back(grasp);
    }
    ClosureOptions options;
    options.explain = false;
    ClosureResult result;
    ResistResult resists;
    const Eigen::VectorXd wrench = 0.3 * Eigen::VectorXd::Ones(plane ? 3 : 6);
    int verdicts[3][3] = {};
    for (const bool counted : {false, true})
      for (size_t i = 0; i < grasps.size(); ++i) {
        Verdict verdict = Verdict::kUndecided;
        const long closed = allocations_of([&] { verdict = planner.closed(contacts[i], convention); });
        const long check = allocations_of([&] { checker.check(grasps[i], options, result); });
        const long resist = allocations_of([&] { resister.resists(grasps[i], wrench, resists); });
        if (!counted) continue;
        EXPECT_EQ(closed, 0) << i;
        EXPECT_EQ(check, 0) << i;
        EXPECT_EQ(resist, 0) << i;
        ++verdicts[0][static_cast<int>(verdict)];
        ++verdicts[1][static_cast<int>(result.force_closure.verdict)];
        ++verdicts[2][static_cast<int>(resists.verdict)];
      }
    for (const auto& counts : verdicts) EXPECT_EQ(counts[0], 0);
    EXPECT_GT(verdicts[0][1], 5);
    EXPECT_GT(verdicts[0][2], 5);
    EXPECT_GT(verdicts[1][2], 5);
    EXPECT_GT(verdicts[2][1] * verdicts[2][2], 0);
  }
}

}  // namespace
}  // namespace stiction
