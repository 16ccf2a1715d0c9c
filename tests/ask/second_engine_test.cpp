// Who decided is said, and who is asked decides.
#include <gtest/gtest.h>

#include "stiction/closure.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/paper/steps.hpp"
#include "stiction/sliding.hpp"
#include "stiction/sticking.hpp"
#include "support/stances.hpp"

namespace stiction {
namespace {

/// Counts questions, and answers none unless it has a friend who does.
class Counter final : public Engine {
 public:
  explicit Counter(int& questions, std::unique_ptr<Engine> friend_of_mine = nullptr, bool may_be_bypassed = false)
      : questions_(questions), friend_(std::move(friend_of_mine)), may_be_bypassed_(may_be_bypassed)
  {
  }
  std::string_view name() const override { return "counter"; }
  std::unique_ptr<Engine> fresh() const override
  {
    return std::make_unique<Counter>(questions_, friend_ ? friend_->fresh() : nullptr, may_be_bypassed_);
  }
  bool may_be_bypassed() const override { return may_be_bypassed_; }
  void decide(const ConeProgram& program, ConeAnswer& answer) override
  {
    ++questions_;
    answer = {};
    if (friend_) friend_->decide(program, answer);
  }
  void gauss(const GaussProgram&, GaussAnswer& answer) override { answer = {}; }

 private:
  int& questions_;
  std::unique_ptr<Engine> friend_;
  bool may_be_bypassed_;
};

/// Four corners that stick: redundant, so that equations alone do not settle it.
ContactProblem table()
{
  testing::Stance s = testing::make_stance(10.0, {0.0, 0.0, 1.0});
  testing::add_flat_foot(s, Eigen::Vector3d::Zero(), 0.5, 0.5, 0.5);
  return s.problem;
}

TEST(SecondEngine, OfSlidingIsNamedWhenItHelped)
{
  const ContactProblem problem = table();
  const SlipDirections slips(problem.contacts.size());
  int questions = 0;
  const SlidingResult helped = SlidingChecker(std::make_unique<Counter>(questions)).check(problem, slips);
  EXPECT_EQ(helped.verdict, Verdict::kHolds) << helped.reason;
  EXPECT_GT(questions, 0);
  EXPECT_EQ(helped.second_engine, "native");
  const SlidingResult alone = SlidingChecker().check(problem, slips);
  EXPECT_EQ(alone.verdict, Verdict::kHolds) << alone.reason;
  EXPECT_EQ(alone.second_engine, "");
}

TEST(SecondEngine, OfStickingAndOfABalanceIsNamedWhenItHelped)
{
  const ContactProblem problem = table();
  int questions = 0;
  const StickingResult sticks = StickingChecker(std::make_unique<Counter>(questions)).check(problem);
  EXPECT_EQ(sticks.verdict, Verdict::kHolds) << sticks.reason;
  EXPECT_EQ(sticks.second_engine, "native");
  const EquilibriumResult balanced = EquilibriumChecker(std::make_unique<Counter>(questions)).check(problem);
  EXPECT_EQ(balanced.verdict, Verdict::kHolds) << balanced.reason;
  EXPECT_EQ(balanced.second_engine, "native");
  EXPECT_GT(questions, 0);
  EXPECT_EQ(StickingChecker().check(problem).second_engine, "");
  EXPECT_EQ(EquilibriumChecker().check(problem).second_engine, "");
}

TEST(SecondEngine, OfClosureIsTheOneThatWasAskedFor)
{
  Grasp grasp;  // three fingers around a disk
  std::vector<GraspContact> contacts(3);
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * i;
    contacts[static_cast<std::size_t>(i)].point = Eigen::Vector3d(std::cos(angle), std::sin(angle), 0.0);
    contacts[static_cast<std::size_t>(i)].normal = -contacts[static_cast<std::size_t>(i)].point;
    contacts[static_cast<std::size_t>(i)].mu = 0.5;
  }
  WrenchConvention planar;
  planar.plane = GraspPlane::kXY;
  set_grasp(contacts, planar, ConeShape::exact(), grasp);
  int questions = 0;
  EXPECT_EQ(ClosureChecker(std::make_unique<Counter>(questions, make_native_engine())).closed(grasp), Verdict::kHolds);
  EXPECT_GT(questions, 0);
  questions = 0;
  ClosureChecker bypassing(std::make_unique<Counter>(questions, nullptr, true));
  EXPECT_EQ(bypassing.closed(grasp), Verdict::kHolds);
  EXPECT_EQ(questions, 0) << "it said that clear cases need not come to it";
}

TEST(SecondEngine, SharesNoMethodWithTheFirst)
{
  for (const char* name : {"native", "sparse", "qpoases"}) {
    const auto engine = make_engine(name);
    EXPECT_EQ(engine->fresh()->name(), name);
    EXPECT_NE(engine->second_opinion()->name(), name);
    EXPECT_EQ(engine->may_be_bypassed(), std::string_view(name) == "native") << name;
  }
}

TEST(SecondEngine, AnyEngineTellsTheSteps)
{
  const ContactProblem problem = table();
  int questions = 0;
  Counter engine(questions, make_native_engine());
  const StickingResult sticks = StickingChecker().check(problem);
  const StickingSteps steps = sticking_steps(problem, {}, sticks, engine);
  EXPECT_GT(questions, 0);
  EXPECT_FALSE(steps.propositions.empty());
}

}  // namespace
}  // namespace stiction
