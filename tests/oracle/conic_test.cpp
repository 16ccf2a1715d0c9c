// Exact (round) cones: proved verdicts against a conic solver that shares nothing with the engines but the problem.

#include <gtest/gtest.h>

#include <cmath>

#include "oracle/conic_oracle.hpp"
#include "solve/random_programs.hpp"
#include "stiction/contact_problem.hpp"
#include "stiction/engine.hpp"
#include "stiction/proof.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

using test::RandomPrograms;

/// A third feasible, a third infeasible by construction, a third unknown to anybody.
ConeProgram draw(RandomPrograms& random, int i)
{
  const int contacts = random.integer(1, 8);
  ConeProgram program =
      i % 3 == 0   ? random.feasible(contacts, ConeShape::exact(), random.integer(1, 3))
      : i % 3 == 1 ? random.infeasible(contacts, ConeShape::exact(), std::pow(10.0, random.uniform(-6.0, 0.0)), 0.0)
                   : random.feasible(contacts, ConeShape::exact());
  program.e_scale.resize(0);
  if (i % 3 == 2) {
    program.e = random.vector(6);
    if (random.integer(0, 2) == 0) {  // motors with limits and a free joint
      const Eigen::Index n = program.E.cols();
      program.E.conservativeResize(6, n + 3);
      program.E.rightCols(3) = Eigen::MatrixXd::NullaryExpr(6, 3, [&] { return random.gauss(); });
      program.boxes = {{static_cast<int>(n), -0.5, 1.0}, {static_cast<int>(n) + 1, 0.2, kInfinity}};
      program.free = {static_cast<int>(n) + 2};
    }
  }
  return program;
}

TEST(ConicOracle, BothEnginesAgreeWithClarabel)
{
  const int count = testing::trials(2000);

  RandomPrograms random(81);
  std::vector<ConeProgram> programs;
  for (int i = 0; i < count; ++i) programs.push_back(draw(random, i));
  std::string missing;
  const std::vector<test::ConicDistance> answers = test::conic_distances(programs, missing);
  if (!missing.empty()) GTEST_SKIP() << missing;
  ASSERT_EQ(answers.size(), programs.size());

  const auto native = make_engine("native"), qpoases = make_engine("qpoases");
  int held = 0, failed = 0, unsolved = 0;
  for (int i = 0; i < count; ++i) {
    const ConeProgram& program = programs[static_cast<std::size_t>(i)];
    const double distance = answers[i].distance, tolerance = test::kConicTolerance * program.e.norm();
    if (!answers[i].solved) {
      ++unsolved;
      continue;
    }
    for (const auto* engine : {&native, &qpoases}) {
      SCOPED_TRACE("problem " + std::to_string(i) + ", " + std::string((*engine)->name()));
      ConeAnswer found;
      (*engine)->decide(program, found);
      if (found.outcome == Outcome::kFeasible && proves_feasible(program, found.x)) {
        EXPECT_LE(distance, tolerance);
        ++held;
      } else if (found.outcome == Outcome::kInfeasible && proves_infeasible(program, found.y)) {
        EXPECT_GE(distance, test::proved_distance(program, found.y) - tolerance);
        ++failed;
      } else {
        EXPECT_LE(distance, 1e-9 * program.e.norm()) << "undecided, outcome " << static_cast<int>(found.outcome);
      }
    }
  }
  EXPECT_GT(held, count / 2);
  EXPECT_GT(failed, count / 2);
  EXPECT_LE(unsolved, count / 100);
  RecordProperty("problems", count);
  RecordProperty("proved_holds", held);
  RecordProperty("proved_fails", failed);
  RecordProperty("solver_gave_up", unsolved);
}

}  // namespace
}  // namespace stiction
