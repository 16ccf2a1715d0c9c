// Closure and epsilon against judges that share no code with us: rational linear programs, and the facets of Qhull.
#include <gtest/gtest.h>

#include <Eigen/QR>

#include "oracle/exact_lp.hpp"
#include "stiction/closure.hpp"
#include "support/grasps.hpp"

#ifdef STICTION_HAVE_QHULL
extern "C" {
#include <libqhull_r/libqhull_r.h>
}
#endif

namespace stiction {
namespace {

using testing::make_grasp;
using testing::planar;
using testing::random_fingers;
using testing::Rng;

/// Internal forces with room of at least 1 in every polyhedral cone, in rational arithmetic, and rank.
bool exactly_closed(const Grasp& grasp)
{
  const Eigen::Index m = grasp.G.rows(), n = grasp.G.cols();
  ConeProgram program;
  program.E = grasp.G;
  program.e.setZero(m);
  for (const GraspBlock& block : grasp.contacts) {
    program.cones.push_back({block.col, block.cone});
    program.e -= grasp.G.col(block.col);
  }
  if (Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(grasp.G).rank() < m || !test::exact_feasible(program)) return false;
  if (ClosureChecker().closed(grasp) == Verdict::kHolds) return true;
  // A motion that is free by geometry (a turn about the line through two fingers) is opposed by the rounding of G, with
  // forces of 1e15: ask again for normal forces of sum at most 1e9. Only then, it takes ten times as long.
  program.E.conservativeResize(m + 1, n + 1);
  program.E.row(m).setZero();
  program.E.col(n).setZero();
  for (const GraspBlock& block : grasp.contacts) program.E(m, block.col) = 1.0;
  program.E(m, n) = 1.0;
  program.boxes.push_back({static_cast<int>(n), 0.0, kInfinity});
  program.e.conservativeResize(m + 1);
  program.e[m] = 1e9;
  return test::exact_feasible(program);
}

class ClosureOracle : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, ClosureOracle, ::testing::Values("native", "qpoases"),
                         [](const auto& engine) { return engine.param; });

TEST_P(ClosureOracle, PlanarGraspsAreDecidedAsByRationalArithmetic)
{
  if (!test::exact_lp_missing().empty()) GTEST_SKIP() << test::exact_lp_missing();
  Rng rng{31};
  ClosureChecker checker(make_engine(GetParam()));
  int closed = 0;
  for (int i = 0; i < 2500; ++i) {
    const Grasp grasp = make_grasp(random_fingers(rng, 2 + i % 11, i % 3 ? 0.8 : 4.0, true), planar());
    const Verdict verdict = checker.closed(grasp);
    ASSERT_EQ(verdict, exactly_closed(grasp) ? Verdict::kHolds : Verdict::kFails) << i;
    closed += verdict == Verdict::kHolds;
  }
  EXPECT_GT(closed, 800);
  EXPECT_LT(closed, 2000);
}

/// Whether forces of some choice of signs balance the wrench, in rational arithmetic.
bool exactly_resists(const Grasp& grasp, const Eigen::VectorXd& wrench)
{
  ConeProgram program;
  program.E = grasp.G;
  program.e = -wrench;
  std::vector<std::size_t> sided;
  for (const GraspBlock& block : grasp.contacts) {
    if (block.side == Side::kBilateral) sided.push_back(program.cones.size());
    program.cones.push_back({block.col, block.cone});
  }
  for (unsigned pattern = 0; pattern < 1u << sided.size(); ++pattern) {
    for (std::size_t k = 0; k < sided.size(); ++k) program.cones[sided[k]].cone.sign = pattern >> k & 1 ? -1.0 : 1.0;
    if (test::exact_feasible(program)) return true;
  }
  return false;
}

TEST_P(ClosureOracle, PlanarGraspsWithDoubleConesAreDecidedAsByRationalArithmetic)
{
  if (!test::exact_lp_missing().empty()) GTEST_SKIP() << test::exact_lp_missing();
  Rng rng{34};
  ClosureChecker checker(make_engine(GetParam()));
  int holds = 0, leaves = 0, undecided = 0, refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<GraspContact> fingers = random_fingers(rng, 2 + i % 3, i % 3 ? 0.8 : 4.0, true);
    for (std::size_t k = 0; k <= static_cast<std::size_t>(i % 2); ++k) fingers[k].kind = GraspContactKind::kBilateral;
    const Grasp grasp = make_grasp(fingers, planar());
    const ClosureResult result = checker.check(grasp);
    const ClosureVerdict& found = result.frictional_form_closure;
    undecided += found.verdict == Verdict::kUndecided;
    if (found.verdict == Verdict::kFails) {  // a twist says which wrench: one that has its signs
      const bool one = found.proof.leaves.empty();
      const Eigen::VectorXd wrench = one ? found.proof.twist : found.proof.wrench;
      leaves += !one;
      // Twists leave bilateral contacts at rest by geometry, in rational arithmetic they do not quite.
      ASSERT_FALSE(!one && exactly_resists(grasp, wrench)) << i;
    }
    const Eigen::VectorXd wrench = testing::gaussian(rng, 3);
    const bool resisted = exactly_resists(grasp, wrench);
    if (found.verdict == Verdict::kHolds) {
      ++holds;
      ASSERT_TRUE(resisted) << i;
    }
    const ResistResult resists = checker.resists(grasp, wrench);
    ASSERT_EQ(resists.verdict, resisted ? Verdict::kHolds : Verdict::kFails) << i;
    refused += !resists.proof.leaves.empty();
  }
  EXPECT_GT(holds, 300);
  EXPECT_GT(leaves, 100);
  EXPECT_GT(refused, 100);
  EXPECT_EQ(undecided, 0);
}

TEST_P(ClosureOracle, SpatialGraspsAgreeWithInnerAndOuterFacetsInRationalArithmetic)
{
  if (!test::exact_lp_missing().empty()) GTEST_SKIP() << test::exact_lp_missing();
  Rng rng{32};
  ClosureChecker checker(make_engine(GetParam()));
  // The rational programs take the time; the second engine is asked about fewer.
  const int grasps = std::string(GetParam()) == "native" ? 2500 : 300;
  int closed = 0, between = 0;
  for (int i = 0; i < grasps; ++i) {
    const std::vector<GraspContact> contacts = random_fingers(rng, 2 + i % 11, i % 3 ? 0.8 : 4.0, false);
    const Grasp exact = make_grasp(contacts), inner = make_grasp(contacts, {}, ConeShape::inner(8)),
                outer = make_grasp(contacts, {}, ConeShape::outer(8));
    const Verdict verdict = checker.closed(exact);
    ASSERT_NE(verdict, Verdict::kUndecided) << i;
    const bool inner_closed = exactly_closed(inner), outer_closed = inner_closed || exactly_closed(outer);
    if (inner_closed) {
      ASSERT_EQ(verdict, Verdict::kHolds) << i;
    }
    if (!outer_closed) {
      ASSERT_EQ(verdict, Verdict::kFails) << i;
    }
    // Facets are decided as facets where they may prove anything.
    ASSERT_EQ(checker.closed(inner) == Verdict::kHolds, inner_closed) << i;
    ASSERT_EQ(checker.closed(outer) == Verdict::kFails, !outer_closed) << i;
    closed += verdict == Verdict::kHolds;
    between += inner_closed != outer_closed;
  }
  EXPECT_GT(closed, grasps / 4);
  EXPECT_LT(closed, grasps * 3 / 4);
  EXPECT_GT(between, 3);  // the facets are not all the same to us
}

#ifdef STICTION_HAVE_QHULL
/// Radius of the largest ball about zero inside the hull of the columns; negative when zero is outside.
double hull_radius(Eigen::MatrixXd points)
{
  qhT state;
  qhT* qh = &state;
  qh_zero(qh, nullptr);
  char command[] = "qhull Qt Pp";
  double radius = kInfinity;
  if (qh_new_qhull(qh, static_cast<int>(points.rows()), static_cast<int>(points.cols()), points.data(), False, command,
                   nullptr, nullptr) == 0) {
    facetT* facet;
    FORALLfacets { radius = std::min(radius, -facet->offset); }
  }
  qh_freeqhull(qh, !qh_ALL);
  int current = 0, total = 0;
  qh_memfreeshort(qh, &current, &total);
  return radius;
}
#endif

TEST(EpsilonOracle, SpatialEpsilonLiesBetweenInnerAndOuterHulls)
{
#ifndef STICTION_HAVE_QHULL
  GTEST_SKIP() << "Qhull (Debian: libqhull-dev) was not found";
#else
  Rng rng{33};
  ClosureChecker checker;
  int closed = 0;
  for (int i = 0; closed < 8; ++i) {
    const std::vector<GraspContact> contacts = random_fingers(rng, 3 + i % 3, 4.0, false);
    ClosureOptions options;
    options.epsilon_l1 = true;
    const ClosureResult result = checker.check(make_grasp(contacts), options);
    if (result.frictional_form_closure.verdict != Verdict::kHolds) continue;
    ++closed;
    const auto radius = [&](const ConeShape& shape) {
      const Grasp grasp = make_grasp(contacts, {}, shape);
      Eigen::MatrixXd points(6, 24 * static_cast<Eigen::Index>(contacts.size()));
      for (std::size_t k = 0; k < contacts.size(); ++k)
        points.middleCols(24 * static_cast<Eigen::Index>(k), 24) =
            grasp.G.middleCols(grasp.contacts[k].col, 3) * generators(grasp.contacts[k].cone);
      return hull_radius(points);
    };
    EXPECT_GE(result.epsilon_l1.upper, radius(ConeShape::inner(24)) * (1 - 1e-9));
    EXPECT_LE(result.epsilon_l1.lower, radius(ConeShape::outer(24)) * (1 + 1e-9));
    EXPECT_LE(result.epsilon_l1.upper - result.epsilon_l1.lower, 0.0101 * result.epsilon_l1.upper);
    EXPECT_GT(result.epsilon_l1.lower, 0.97 * radius(ConeShape::inner(24)));
    EXPECT_LT(result.epsilon_l1.upper, 1.03 * radius(ConeShape::outer(24)));
  }
#endif
}

}  // namespace
}  // namespace stiction
