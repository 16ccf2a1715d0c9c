// Polyhedral programs: every proved verdict must agree with exact rational arithmetic on the same doubles.

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/exact_lp.hpp"
#include "solve/random_programs.hpp"
#include "stiction/engine.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using test::exact_feasible;
using test::RandomPrograms;

class ExactLp : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override
  {
    if (!test::exact_lp_missing().empty()) GTEST_SKIP() << "SKIPPED: " << test::exact_lp_missing();
  }

  std::unique_ptr<Engine> engine_ = make_engine(GetParam());
  int wrong_ = 0, undecided_ = 0, holds_ = 0, fails_ = 0;

  /// Verdicts are about data up to rounding: is the other answer right when e moves by 1e-12 of its size?
  static bool near_boundary(const ConeProgram& program, bool feasible, const Eigen::VectorXd& y)
  {
    const double step = 1e-12 * program.e.norm();
    if (!feasible) return exact_feasible(program, Eigen::VectorXd::Constant(program.e.size(), step));
    if (!(y.norm() > 0.0)) return false;
    ConeProgram pushed = program;
    pushed.e += step * y.normalized();
    return !exact_feasible(pushed);
  }

  void compare(const ConeProgram& program)
  {
    ConeAnswer answer;
    engine_->decide(program, answer);
    const bool exact = exact_feasible(program);
    (exact ? holds_ : fails_)++;
    Verdict verdict = Verdict::kUndecided;
    if (answer.outcome == Outcome::kFeasible && proves_feasible(program, answer.x)) verdict = Verdict::kHolds;
    if (answer.outcome == Outcome::kInfeasible && proves_infeasible(program, answer.y)) verdict = Verdict::kFails;
    if (verdict == (exact ? Verdict::kHolds : Verdict::kFails)) return;
    if (near_boundary(program, exact, answer.y)) return;
    (verdict == Verdict::kUndecided ? undecided_ : wrong_)++;
  }

  void expect_agreement(int at_least_each)
  {
    EXPECT_EQ(wrong_, 0);
    EXPECT_EQ(undecided_, 0);
    EXPECT_GT(holds_, at_least_each);  // both answers occur, or the comparison says little
    EXPECT_GT(fails_, at_least_each);
  }
};

TEST_P(ExactLp, OracleKnowsSimpleCases)
{
  ConeProgram program;
  program.E = Eigen::Matrix2d::Identity();
  FrictionCone cone;
  cone.tangents = 1;
  cone.mu = 0.5;
  program.cones = {{0, cone}};
  program.e = Eigen::Vector2d(2.0, 1.0);
  EXPECT_TRUE(exact_feasible(program));  // exactly on the boundary
  program.e[1] = std::nextafter(1.0, 2.0);
  EXPECT_FALSE(exact_feasible(program));
  program.e = Eigen::Vector2d(-1.0, 0.0);
  EXPECT_FALSE(exact_feasible(program));
  program.e.setZero();
  EXPECT_TRUE(exact_feasible(program));
  program.cones.clear();
  program.free = {0, 1};
  program.e = Eigen::Vector2d(-3.0, 5.0);
  EXPECT_TRUE(exact_feasible(program));
}

TEST_P(ExactLp, RandomContacts)
{
  RandomPrograms random(71);
  for (int i = 0; i < 1000; ++i) {
    const ConeShape shape = i % 2 ? ConeShape::inner(random.integer(3, 8)) : ConeShape::outer(random.integer(3, 8));
    const int contacts = random.integer(1, 8);
    ConeProgram program = i % 3 == 0 ? random.feasible(contacts, shape, 2)
                          : i % 3 == 1
                              ? random.infeasible(contacts, shape, std::pow(10.0, random.uniform(-8.0, 0.0)), 0.0)
                              : random.feasible(contacts, shape);
    if (i % 3 == 2) program.e = random.vector(6);  // nobody knows
    compare(program);
  }
  expect_agreement(200);
}

TEST_P(ExactLp, SmallIntegersTieAllTheTime)
{
  // Planar contacts with small integer rows: duplicates, dependencies and loads exactly on facets are the rule.
  RandomPrograms random(72);
  for (int i = 0; i < 1500; ++i) {
    const int rows = random.integer(1, 4), contacts = random.integer(1, 5);
    ConeProgram program;
    program.E = Eigen::MatrixXd::NullaryExpr(rows, 2 * contacts, [&] { return random.integer(-2, 2); });
    program.e = Eigen::VectorXd::NullaryExpr(rows, [&] { return random.integer(-2, 2); });
    for (int c = 0; c < contacts; ++c) {
      FrictionCone cone;
      cone.tangents = 1;
      cone.mu = 0.5 * random.integer(0, 3);
      cone.sign = random.integer(0, 3) == 0 ? -1.0 : 1.0;
      program.cones.push_back({2 * c, cone});
    }
    if (random.integer(0, 2) == 0) {
      program.E.conservativeResize(rows, 2 * contacts + 1);
      for (int r = 0; r < rows; ++r) program.E(r, 2 * contacts) = random.integer(-1, 1);
      program.free.push_back(2 * contacts);
    }
    compare(program);
  }
  expect_agreement(300);
}

INSTANTIATE_TEST_SUITE_P(Engines, ExactLp, testing::Values("native", "qpoases"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace stiction
