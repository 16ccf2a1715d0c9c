// Claims that are judged, and lines that are cast to the end of what forces can do: the known ends of one friction
// cone.
#include "ask/proved.hpp"

#include <gtest/gtest.h>

namespace stiction::internal {
namespace {

/// One contact in space, its force itself on the left-hand side: representable is what is inside the cone.
ConeProgram single_cone(double mu, const Eigen::Vector3d& e)
{
  ConeProgram program;
  program.E = Eigen::Matrix3d::Identity();
  program.e = e;
  program.cones.push_back({0, FrictionCone{2, false, mu, 0.0, 1.0, {}}});
  return program;
}

class ProvedByEvery : public ::testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Engine> engine_ = make_engine(GetParam());
};

TEST_P(ProvedByEvery, DecidesWhetherAForceIsInsideItsCone)
{
  ConeAnswer answer;
  EXPECT_EQ(decide(*engine_, single_cone(0.5, {1.0, 0.3, 0.3}), answer), Verdict::kHolds);
  EXPECT_EQ(decide(*engine_, single_cone(0.5, {1.0, 0.4, 0.4}), answer), Verdict::kFails);
  EXPECT_EQ(decide_next(*engine_, single_cone(0.5, {1.0, 0.3, -0.3}), answer), Verdict::kHolds);
  EXPECT_EQ(decide_next(*engine_, single_cone(0.5, {-1.0, 0.0, 0.0}), answer), Verdict::kFails);
}

TEST_P(ProvedByEvery, CastsToTheRim)
{
  ConeProgram program = single_cone(0.5, {2.0, 0.0, 0.0});
  const Eigen::Vector3d load = program.e;
  Caster caster;
  Cast cast;
  caster.cast(*engine_, program, Eigen::Vector3d(0.0, 0.6, -0.8), 0.0, load, {}, cast);
  EXPECT_EQ(cast.end, CastRange::End::kBounded);
  EXPECT_NEAR(cast.lower, 1.0, 1e-8);  // 0.5 * 2 N
  EXPECT_NEAR(cast.upper, 1.0, 1e-8);
  EXPECT_LE(cast.lower, 1.0 + 1e-12);
  EXPECT_GE(cast.upper, 1.0 - 1e-12);
  EXPECT_EQ(program.e, load) << "it is given back as it was";
  EXPECT_LE((cast.x - Eigen::Vector3d(2.0, 0.6, -0.8)).norm(), 1e-7);  // the witness at `lower`
}

TEST_P(ProvedByEvery, CastsFromWhereItStarts)
{
  ConeProgram program = single_cone(0.5, {2.0, 0.0, 0.0});
  Caster caster;
  Cast cast;
  caster.cast(*engine_, program, Eigen::Vector3d(-1.0, 0.0, 0.5), 0.5, Eigen::Vector3d(1.5, 0.0, 0.25), {}, cast);
  EXPECT_NEAR(cast.lower, 1.0, 1e-8);  // 0.5 t <= 0.5 (2 - t)
  EXPECT_NEAR(cast.upper, 1.0, 1e-8);
}

TEST_P(ProvedByEvery, KnowsLinesWithoutEnd)
{
  ConeProgram program = single_cone(0.5, {1.0, 0.0, 0.0});
  Caster caster;
  Cast cast;
  caster.cast(*engine_, program, Eigen::Vector3d(1.0, 0.4, 0.0), 0.0, Eigen::Vector3d(1.0, 0.0, 0.0), {}, cast);
  EXPECT_EQ(cast.end, CastRange::End::kUnbounded);
}

INSTANTIATE_TEST_SUITE_P(Engines, ProvedByEvery, ::testing::Values("native", "qpoases"));

TEST(Balance, RemovesWhatASolutionMisses)
{
  const ConeProgram program = single_cone(0.5, {1.0, 0.2, 0.1});
  Eigen::VectorXd x = program.e + Eigen::Vector3d(1e-7, -2e-7, 1e-8);
  balance(program, x);
  EXPECT_LE((x - program.e).norm(), 1e-15);
}

}  // namespace
}  // namespace stiction::internal
