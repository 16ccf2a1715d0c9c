// What only the qpOASES back end offers: QP (57) and MLCP (58) in the paper's facet form, and silence from many
// threads.

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "solve/dual_master.hpp"
#include "solve/random_programs.hpp"
#include "stiction/engine.hpp"
#include "stiction/error.hpp"
#include "stiction/paper/facet_qp.hpp"

namespace stiction {
namespace {

using test::RandomPrograms;

TEST(FacetQp, OptimumIsZeroExactlyWhenTheGeneratorFormIsFeasible)
{
  RandomPrograms random(61);
  const auto engine = make_engine("native");
  int holding = 0;
  for (int i = 0; i < 200; ++i) {
    const ConeShape shape = random.integer(0, 1) ? ConeShape::inner(random.integer(3, 9)) : ConeShape::outer(6);
    const int contacts = random.integer(1, 6);
    const ConeProgram program = random.integer(0, 1) ? random.feasible(contacts, shape, 3)
                                                     : random.infeasible(contacts, shape, random.uniform(0.01, 1.0));
    const FacetQpAnswer facets = solve_facet_qp(program);
    ConeAnswer generators;
    engine->decide(program, generators);
    EXPECT_EQ(facets.outcome, generators.outcome) << "case " << i << ", optimum " << facets.optimum;
    EXPECT_LT(facets.mlcp_residual, 1e-7) << "case " << i;
    holding += facets.outcome == Outcome::kFeasible;
  }
  EXPECT_GT(holding, 50);
  EXPECT_LT(holding, 150);
}

TEST(FacetQp, MultipliersAreTheResidualSeenThroughTheHalfSpaces)
{
  // One frictionless planar contact that is pulled: nothing can be supplied, all of e remains.
  ConeProgram program;
  program.E = Eigen::Matrix2d::Identity();
  program.e = Eigen::Vector2d(-2.0, 0.0);
  FrictionCone cone;
  cone.tangents = 1;
  cone.mu = 0.5;
  program.cones = {{0, cone}};
  const FacetQpAnswer answer = solve_facet_qp(program);
  EXPECT_EQ(answer.outcome, Outcome::kInfeasible);
  EXPECT_NEAR(answer.optimum, 2.0, 1e-9);
  EXPECT_NEAR(answer.lambda.norm(), 0.0, 1e-9);
  // Stationarity 0 = E'(E λ − e) − H'z with rows (mu, ±1) and (1, 0): mu (z1 + z2) + z3 = 2, z1 = z2.
  EXPECT_NEAR(0.5 * (answer.multipliers[0] + answer.multipliers[1]) + answer.multipliers[2], 2.0, 1e-9);
  EXPECT_NEAR(answer.multipliers[0], answer.multipliers[1], 1e-9);
}

TEST(FacetQp, OptimumIsTheSquaredDistanceBeyondTheCone)
{
  // Projection of (n, t) = (1, 1) on the planar cone mu = 0.5, by hand: along the ray (2, 1)/√5.
  ConeProgram program;
  program.E = Eigen::Matrix2d::Identity();
  program.e = Eigen::Vector2d(1.0, 1.0);
  FrictionCone cone;
  cone.tangents = 1;
  cone.mu = 0.5;
  program.cones = {{0, cone}};
  const FacetQpAnswer answer = solve_facet_qp(program);
  EXPECT_NEAR(answer.optimum, 0.5 * (1.0 / 5.0), 1e-9);
  EXPECT_NEAR(answer.lambda[0], 1.2, 1e-9);
  EXPECT_NEAR(answer.lambda[1], 0.6, 1e-9);
}

TEST(FacetQp, RefusesRoundConesAndBoxes)
{
  RandomPrograms random(62);
  ConeProgram program;
  FrictionCone cone;
  cone.mu = 0.5;
  program.E = Eigen::Matrix3d::Identity();
  program.e = Eigen::Vector3d::Ones();
  program.cones = {{0, cone}};
  EXPECT_THROW(solve_facet_qp(program), InputError);
  program.cones.clear();
  program.free = {0, 1};
  program.boxes = {{2, 0.0, 1.0}};
  EXPECT_THROW(solve_facet_qp(program), InputError);
}

TEST(DualMaster, SolvesTheLeastSquaresProblemOfWhichItSolvesTheDual)
{
  // By itself, before any polish: KKT of min ½|A z − b|², 0 <= z <= width, to the tolerance of a QP solver.
  RandomPrograms random(64);
  int upper = 0, passive = 0;
  for (int i = 0; i < 100; ++i) {
    const int m = random.integer(1, 6), n = random.integer(1, 20);
    const Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(m, n, [&] { return random.gauss(); });
    Eigen::VectorXd width = Eigen::VectorXd::Constant(n, kInfinity), z;
    std::vector<int> bounded;
    for (int j = 0; j < n; ++j) {
      if (i % 2 == 0 || random.integer(0, 1)) continue;
      bounded.push_back(j);
      width[j] = random.uniform(0.01, 0.3);
    }
    internal::DualMaster master;
    master.set(A, bounded);
    for (int load = 0; load < 3; ++load) {  // the second and third are hotstarts
      const Eigen::VectorXd b = random.vector(m);
      std::vector<internal::Place> place;
      ASSERT_TRUE(master.solve(b, width, z, place)) << i;
      const Eigen::VectorXd slope = A.transpose() * (b - A * z);
      for (int j = 0; j < n; ++j) {
        EXPECT_GE(z[j], 0.0);
        EXPECT_LE(z[j], width[j]);
        const internal::Place at = place[static_cast<std::size_t>(j)];
        EXPECT_LE(at == internal::Place::kUpper ? 0.0 : slope[j], 1e-7) << "case " << i << " column " << j;
        EXPECT_GE(at == internal::Place::kLower ? 0.0 : slope[j], -1e-7) << "case " << i << " column " << j;
        upper += at == internal::Place::kUpper;
        passive += at == internal::Place::kPassive;
      }
    }
  }
  EXPECT_GT(upper, 50);
  EXPECT_GT(passive, 200);
}

TEST(QpoasesEngine, BadInputThrowsAndLeavesTheEngineUsable)
{
  RandomPrograms random(63);
  const auto engine = make_qpoases_engine();
  ConeAnswer answer;
  const ConeProgram good = random.feasible(2, ConeShape::exact());
  ConeProgram bad = good;
  bad.e[0] = std::nan("");
  EXPECT_THROW(engine->decide(bad, answer), InputError);
  bad = good;
  bad.e.conservativeResize(5);
  EXPECT_THROW(engine->decide(bad, answer), InputError);
  bad = good;
  bad.cones.pop_back();
  EXPECT_THROW(engine->decide(bad, answer), InputError);
  bad = good;
  bad.cones[0].cone.mu = -1.0;
  EXPECT_THROW(engine->decide(bad, answer), InputError);
  engine->decide(good, answer);
  EXPECT_EQ(answer.outcome, Outcome::kFeasible);
  bad = good;
  bad.e[0] = std::nan("");  // now in the same structure as the last program
  EXPECT_THROW(engine->decide(bad, answer), InputError);
  engine->decide(good, answer);
  EXPECT_EQ(answer.outcome, Outcome::kFeasible);

  GaussProgram gauss;
  GaussAnswer gauss_answer;
  gauss.M = Eigen::Matrix2d::Identity();
  gauss.F = Eigen::Vector2d::Ones();
  gauss.Je.resize(0, 2);
  gauss.ge.resize(1);
  EXPECT_THROW(engine->gauss(gauss, gauss_answer), InputError);
  gauss.ge.resize(0);
  gauss.F[1] = kInfinity;
  EXPECT_THROW(engine->gauss(gauss, gauss_answer), InputError);
}

TEST(QpoasesEngine, ManyThreadsAgreeAndPrintNothing)
{
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const auto outcomes = [](unsigned seed) {
    RandomPrograms random(seed);
    const auto engine = make_qpoases_engine();
    std::vector<Outcome> result;
    ConeAnswer answer;
    GaussAnswer gauss;
    for (int i = 0; i < 40; ++i) {
      const ConeProgram program =
          i % 2 ? random.feasible(4, ConeShape::exact(), 2) : random.infeasible(4, ConeShape::exact(), 0.1);
      engine->decide(program, answer);
      result.push_back(answer.outcome);
      GaussProgram contradiction;  // makes qpOASES report infeasibility, which it would like to print
      contradiction.M = Eigen::Matrix2d::Identity();
      contradiction.F = Eigen::Vector2d::Zero();
      contradiction.Je.resize(0, 2);
      contradiction.ge.resize(0);
      contradiction.Ju.resize(2, 2);
      contradiction.Ju << 1, 0, -1, 0;
      contradiction.gu = Eigen::Vector2d(-1, -1);
      engine->gauss(contradiction, gauss);
      EXPECT_EQ(gauss.outcome, GaussOutcome::kContradiction);
    }
    return result;
  };
  std::vector<Outcome> alone = outcomes(1), together[4];
  std::vector<std::thread> threads;
  for (auto& result : together) threads.emplace_back([&result, &outcomes] { result = outcomes(1); });
  for (auto& thread : threads) thread.join();
  const std::string out = ::testing::internal::GetCapturedStdout(), err = ::testing::internal::GetCapturedStderr();
  for (const auto& result : together) EXPECT_EQ(result, alone);
  EXPECT_EQ(out, "");
  EXPECT_EQ(err, "");
}

}  // namespace
}  // namespace stiction
