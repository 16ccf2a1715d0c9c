// Lines that are cast to their end: with verdicts that are known for every number, and to the known ends of one
// friction cone. Claims that are judged.
#include "solve/cast.hpp"

#include <gtest/gtest.h>

#include "stiction/proof.hpp"

namespace stiction::internal {
namespace {

/// Holds up to the root of t + bend t² = 1; a failing t gives the tangent there, as certificates do. Undecided within
/// `blind` of it.
struct BentEnd {
  double bend = 0.0, blind = 0.0;
  int decisions = 0;

  double end() const { return bend == 0.0 ? 1.0 : (std::sqrt(1.0 + 4.0 * bend) - 1.0) / (2.0 * bend); }
  Verdict decide(double t, CastRange& range)
  {
    ++decisions;
    if (std::abs(t - end()) <= blind) return Verdict::kUndecided;
    if (t < end()) return Verdict::kHolds;
    const double tangent = t - (t + bend * t * t - 1.0) / (1.0 + 2.0 * bend * t);
    range.upper = std::min(range.upper, std::max(tangent, range.lower));
    return Verdict::kFails;
  }
  CastRange cast(const CastOptions& options = {}, double upper = kInfinity)
  {
    CastRange range;
    range.upper = upper;
    close_gap(range, options, [&](double t) { return decide(t, range); });
    return range;
  }
};

TEST(Cast, EndsAtOnceWhereTheEndIsFlat)
{
  BentEnd flat;
  const CastRange range = flat.cast({.scale = 1.0}, 10.0);
  EXPECT_EQ(range.end, CastRange::End::kBounded);
  EXPECT_LE(range.lower, 1.0);
  EXPECT_GE(range.upper, 1.0);
  EXPECT_LE(range.upper - range.lower, 1e-9);
  EXPECT_LE(flat.decisions, 3);
}

TEST(Cast, ConvergesFastWhereTheEndIsBent)
{
  for (const double bend : {0.1, 1.0, 10.0, 1000.0}) {
    BentEnd bent{bend};
    const CastRange range = bent.cast({}, 1e3);
    EXPECT_EQ(range.end, CastRange::End::kBounded);
    EXPECT_LE(range.lower, bent.end() * (1 + 1e-15));
    EXPECT_GE(range.upper, bent.end() * (1 - 1e-15));
    EXPECT_LE(range.upper - range.lower, 1e-9 * bent.end());
    EXPECT_LE(bent.decisions, 24) << bend;  // bisection takes forty
  }
}

TEST(Cast, FindsAnEndThatNothingBoundsYet)
{
  for (const double bend : {0.0, 1.0, 1e6}) {
    BentEnd bent{bend};
    const CastRange range = bent.cast({.scale = 1e-6});
    EXPECT_EQ(range.end, CastRange::End::kBounded);
    EXPECT_LE(range.upper - range.lower, 1e-9 * bent.end());
    EXPECT_NEAR(range.lower, bent.end(), 2e-9 * bent.end());
  }
}

TEST(Cast, StopsAtTheCap)
{
  BentEnd bent{1.0};
  const CastRange range = bent.cast({.cap = 0.25});
  EXPECT_EQ(range.end, CastRange::End::kBounded);
  EXPECT_EQ(range.lower, 0.25);
  EXPECT_EQ(bent.decisions, 1);
}

TEST(Cast, StaysOnBothSidesOfWhatCannotBeTold)
{
  BentEnd blind{1.0, 1e-3};
  const CastRange range = blind.cast({}, 10.0);
  EXPECT_EQ(range.end, CastRange::End::kUndecided);
  EXPECT_NEAR(range.lower, blind.end() - 1e-3, 1e-7);
  EXPECT_GE(range.upper, blind.end());
  EXPECT_LE(range.upper, 10.0);
}

TEST(Cast, BelievesAFailureWithoutATangent)
{
  CastRange range;
  const CastOptions coarse{.relative_gap = 0.1, .scale = 1.0};
  close_gap(range, coarse, [](double t) { return t <= 3.0 ? Verdict::kHolds : Verdict::kFails; });
  EXPECT_EQ(range.end, CastRange::End::kBounded);
  EXPECT_LE(range.lower, 3.0);
  EXPECT_GE(range.upper, 3.0);
  EXPECT_LE(range.upper - range.lower, 0.31);
}

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
  EXPECT_EQ(decide(*engine_, single_cone(0.5, {1.0, 0.3, 0.3}), judge_claim, answer), Verdict::kHolds);
  EXPECT_EQ(decide(*engine_, single_cone(0.5, {1.0, 0.4, 0.4}), judge_claim, answer), Verdict::kFails);
  EXPECT_EQ(decide_next(*engine_, single_cone(0.5, {1.0, 0.3, -0.3}), judge_claim, answer), Verdict::kHolds);
  EXPECT_EQ(decide_next(*engine_, single_cone(0.5, {-1.0, 0.0, 0.0}), judge_claim, answer), Verdict::kFails);
}

TEST_P(ProvedByEvery, CastsToTheRim)
{
  ConeProgram program = single_cone(0.5, {2.0, 0.0, 0.0});
  const Eigen::Vector3d load = program.e;
  Caster caster{judge_claim};
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
  Caster caster{judge_claim};
  Cast cast;
  caster.cast(*engine_, program, Eigen::Vector3d(-1.0, 0.0, 0.5), 0.5, Eigen::Vector3d(1.5, 0.0, 0.25), {}, cast);
  EXPECT_NEAR(cast.lower, 1.0, 1e-8);  // 0.5 t <= 0.5 (2 - t)
  EXPECT_NEAR(cast.upper, 1.0, 1e-8);
}

TEST_P(ProvedByEvery, KnowsLinesWithoutEnd)
{
  ConeProgram program = single_cone(0.5, {1.0, 0.0, 0.0});
  Caster caster{judge_claim};
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
