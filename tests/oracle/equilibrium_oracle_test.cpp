// Equilibrium with effort limits against judges that see every row at once: a conic solver, and exact rational LPs for
// facets.

#include <gtest/gtest.h>

#include "oracle/conic_oracle.hpp"
#include "oracle/exact_lp.hpp"
#include "stiction/equilibrium.hpp"
#include "support/limbs.hpp"

namespace stiction {
namespace {

using testing::Limbed;
using testing::random_limbed;
using testing::Rng;
using testing::whole_program;

std::vector<Limbed> draw(unsigned seed, int count)
{
  Rng rng{seed};
  std::vector<Limbed> cases;
  for (int i = 0; i < count; ++i)
    cases.push_back(random_limbed(rng, 2 + static_cast<int>(rng() % 5), 2 + static_cast<int>(rng() % 10), i % 3 == 0));
  return cases;
}

TEST(EquilibriumOracle, EffortLimitedVerdictsAgreeWithClarabel)
{
  const std::vector<Limbed> cases = draw(91, 600);
  std::vector<ConeProgram> programs;
  for (const Limbed& limbed : cases) programs.push_back(whole_program(limbed.problem, limbed.a));
  std::string missing;
  const std::vector<test::ConicDistance> answers = test::conic_distances(programs, missing);
  if (!missing.empty()) GTEST_SKIP() << missing;
  ASSERT_EQ(answers.size(), cases.size());

  EquilibriumOptions options;
  options.largest_slack = options.structure = options.explain = false;
  for (const char* name : {"native", "qpoases"}) {
    EquilibriumChecker checker(make_engine(name));
    int held = 0, failed = 0, by_efforts = 0;
    for (size_t i = 0; i < cases.size(); ++i) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(i));
      EquilibriumResult result;
      checker.check(cases[i].problem, cases[i].a, options, result);
      if (!answers[i].solved) continue;
      const double tolerance = test::kConicTolerance * programs[i].e.norm();
      if (result.verdict == Verdict::kHolds) {
        EXPECT_LE(answers[i].distance, tolerance);
        ++held;
      } else if (result.verdict == Verdict::kFails) {
        // A leaf is a separating direction of the whole program.
        const Eigen::VectorXd y = result.certificate.leaves[0].motion;
        EXPECT_GE(answers[i].distance, test::proved_distance(programs[i], y) - tolerance);
        EXPECT_GT(answers[i].distance, 0.0);
        ++failed;
        for (const Actuator& motor : cases[i].problem.actuators)
          if (y[motor.dof] != 0.0) {
            ++by_efforts;
            break;
          }
      } else {
        EXPECT_LE(answers[i].distance, 1e-9 * programs[i].e.norm()) << result.reason;
      }
    }
    EXPECT_GT(held, 150);
    EXPECT_GT(failed, 150);
    EXPECT_GT(by_efforts, 50) << "cases in which the limits decide";
  }
}

TEST(EquilibriumOracle, FacetedVerdictsAgreeWithExactRationals)
{
  if (const std::string missing = test::exact_lp_missing(); !missing.empty()) GTEST_SKIP() << missing;
  EquilibriumOptions options;
  options.largest_slack = options.structure = options.explain = false;
  EquilibriumChecker checker;
  int held = 0, failed = 0;
  for (const Limbed& limbed : draw(92, 150))
    for (const ConeShape& shape : {ConeShape::inner(4), ConeShape::outer(6)}) {
      ConeProgram program = whole_program(limbed.problem, limbed.a);
      for (ConeBlock& block : program.cones) block.cone.shape = shape;
      // The exact judge knows one-sided boxes only: lower + p = tau = upper - q.
      ConeProgram one_sided = program;
      one_sided.boxes.clear();
      const auto nv = limbed.problem.nv();
      for (const BoxVariable& box : program.boxes) {
        if (std::isinf(box.lower)) {
          one_sided.E.col(box.col) *= -1.0;  // upper - q
          one_sided.e.head(nv) -= box.upper * program.E.col(box.col);
          one_sided.boxes.push_back({box.col, 0.0, kInfinity});
          continue;
        }
        one_sided.e.head(nv) -= box.lower * program.E.col(box.col);
        one_sided.boxes.push_back({box.col, 0.0, kInfinity});
        if (std::isinf(box.upper)) continue;
        const auto m = one_sided.E.rows(), n = one_sided.E.cols();
        one_sided.E.conservativeResize(m + 1, n + 1);
        one_sided.E.row(m).setZero();
        one_sided.E.col(n).setZero();
        one_sided.E(m, box.col) = one_sided.E(m, n) = 1.0;
        one_sided.e.conservativeResize(m + 1);
        one_sided.e[m] = box.upper - box.lower;
        one_sided.boxes.push_back({static_cast<int>(n), 0.0, kInfinity});
      }
      one_sided.e_scale.resize(0);
      const Eigen::VectorXd rounding = Eigen::VectorXd::Constant(one_sided.e.size(), 1e-12 * one_sided.e.norm());
      options.shape = shape;
      EquilibriumResult result;
      checker.check(limbed.problem, limbed.a, options, result);
      if (result.verdict == Verdict::kHolds) {
        EXPECT_TRUE(test::exact_feasible(one_sided, rounding));
        ++held;
      } else if (result.verdict == Verdict::kFails) {
        EXPECT_FALSE(test::exact_feasible(one_sided));
        ++failed;
      } else {
        // Inner facets prove no failure and outer ones no holding: the other answer it must be.
        EXPECT_EQ(test::exact_feasible(one_sided, rounding), shape.approximation == ConeApproximation::kOuter);
      }
    }
  EXPECT_GT(held, 40);
  EXPECT_GT(failed, 40);
}

}  // namespace
}  // namespace stiction
