// The paper's MLCPs as matrices: blocks by hand, solutions of other solvers, and the errata of the print.
#include "stiction/paper/mlcp.hpp"

#include <gmock/gmock.h>

#include "stiction/error.hpp"
#include "stiction/sliding.hpp"
#include "support/algebra.hpp"
#include "support/examples.hpp"
#include "support/random_problems.hpp"
#include "support/sliding.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kStandardGravity = 9.81;

std::vector<std::string> names_of(const Mlcp& mlcp)
{
  std::vector<std::string> names;
  for (const MlcpVariable& variable : mlcp.variables) names.push_back(variable.name);
  return names;
}

/// (a, λ) of a check in the order of an MLCP's unknowns.
Eigen::VectorXd unknowns(const Mlcp& mlcp, const Eigen::VectorXd& a, const Eigen::VectorXd& lambda)
{
  Eigen::VectorXd z(mlcp.q.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const MlcpVariable& variable = mlcp.variables[static_cast<std::size_t>(i)];
    z[i] = variable.role == MlcpRole::kAcceleration ? a[variable.index] : lambda[variable.index];
  }
  return z;
}

/// A free body or two on `contacts` points, some of them bilateral, with a closure row; M > 0.
ContactProblem random_system(Rng& rng, int i)
{
  ContactProblem p = random_contacts(rng, 1 + i % 3, i % 2 ? 0.3 : 1.5);
  if (i % 5 == 4) p.contacts[0].side = Side::kBilateral;
  if (i % 4 == 3) {
    const Eigen::Index row = p.rows();
    p.J.conservativeResize(row + 1, Eigen::NoChange);
    p.J.bottomRows(1) = gaussian(rng, 6).transpose();
    p.gamma.conservativeResize(row + 1);
    p.gamma[row] = 0.0;
    p.loops = {{"loop", static_cast<int>(row), 1}};
  }
  if (i % 2)
    make_holding(rng, p);
  else
    p.F = 5.0 * gaussian(rng, 6);
  if (i % 6 < 2) p.gamma = p.J * gaussian(rng, 6);
  return p;
}

TEST(StickingMlcpOf, Example6BlocksByHand)
{
  const ContactProblem p = fingers_on_guide(-3, 4, 0.5, 0.5);
  const StickingMlcp mlcp = sticking_mlcp(p);
  EXPECT_THAT(names_of(mlcp.full), ElementsAre("v0", "v1", "v2", "v3", "guide", "finger_1 t1", "finger_2 t1",
                                               "finger_1 normal", "finger_2 normal"));
  EXPECT_EQ(mlcp.full.equalities, 7);
  Eigen::MatrixXd J(5, 4);
  J << 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, -1, 0, -1, 0, 0, 1;
  Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(9, 9);
  Q.topLeftCorner(4, 4).setIdentity();
  Q.topRightCorner(4, 5) = -J.transpose();
  Q.bottomLeftCorner(5, 4) = J;
  EXPECT_EQ(mlcp.full.Q, Q);
  EXPECT_EQ(mlcp.full.q, (Eigen::VectorXd(9) << 0, 9.81, -3, 4, 0, 0, 0, 0, 0).finished());
  // (62): M = I, so H1 = Je Je', H2 = Je Ju'
  EXPECT_LE((mlcp.H1() - J.topRows(3) * J.topRows(3).transpose()).norm(), 1e-14);
  EXPECT_LE((mlcp.H2() - J.topRows(3) * J.bottomRows(2).transpose()).norm(), 1e-14);
  EXPECT_LE((mlcp.forces->q - -J * p.F).norm(), 1e-14);
  // (63): each normal keeps its own finger
  EXPECT_LE((mlcp.normals->Q - Eigen::Matrix2d::Identity()).norm(), 1e-12);
  EXPECT_LE((mlcp.normals->q - Eigen::Vector2d(-3, -4)).norm(), 1e-12);
}

TEST(StickingMlcpOf, IsSolvedByTheCheckersMotion)
{
  Rng rng{43};
  StickingChecker checker;
  int detached = 0, bilateral = 0;
  for (int i = 0; i < 200; ++i) {
    const ContactProblem p = random_system(rng, i);
    const StickingResult s = checker.check(p);
    const CertificateKind kind = s.certificate.kind;
    if (kind == CertificateKind::kContradiction || kind == CertificateKind::kUnbalanced) continue;
    const StickingMlcp mlcp = sticking_mlcp(p);
    ASSERT_TRUE(mlcp.hypotheses.hold());
    const Eigen::VectorXd z = unknowns(mlcp.full, s.acceleration, s.lambda);
    EXPECT_LE(mlcp.full.violation(z), 1e-7) << "draw " << i;
    EXPECT_LE(mlcp.forces->violation(unknowns(*mlcp.forces, s.acceleration, s.lambda)), 1e-7) << "draw " << i;
    EXPECT_LE(mlcp.normals->violation(unknowns(*mlcp.normals, s.acceleration, s.lambda)), 1e-6) << "draw " << i;
    // and not by another one
    Eigen::VectorXd other = z;
    other.tail(1).array() += 1.0 + z.cwiseAbs().maxCoeff();
    EXPECT_GT(mlcp.full.violation(other), 1e-3) << "draw " << i;
    for (const ContactReport& c : s.contacts) detached += c.state == ContactState::kDetaching;
    bilateral += i % 5 == 4;
  }
  EXPECT_GT(detached, 20);
  EXPECT_GT(bilateral, 10);
}

TEST(StickingMlcpOf, ReductionsAreSchurComplements)
{
  Rng rng{62};
  for (int i = 0; i < 100; ++i) {
    const ContactProblem p = random_system(rng, i);
    const StickingMlcp mlcp = sticking_mlcp(p);
    const Eigen::Index nv = p.nv(), rows = p.rows();
    const Eigen::MatrixXd Minv = inverse(p.M), J = mlcp.full.Q.bottomLeftCorner(rows, nv);
    const Eigen::MatrixXd W = J * Minv * J.transpose();
    EXPECT_LE((mlcp.forces->Q - W).norm(), 1e-12 * W.norm());
    EXPECT_LE((mlcp.forces->q - (mlcp.full.q.tail(rows) - J * Minv * p.F)).norm(),
              1e-12 * (1 + W.norm()) * p.F.norm() + 1e-12 * p.gamma.norm() + 1e-15);
    const MixedContactLcp lcp = mixed_contact_lcp(p);
    EXPECT_LE((mlcp.normals->Q - lcp.Ac).norm(), 1e-10 * (1 + W.norm()));
    EXPECT_LE((mlcp.normals->q - lcp.Hc).norm(), 1e-9 * (1 + W.norm()) * (1 + p.F.norm() + p.gamma.norm()));
  }
  ContactProblem massless = block_on_ground(1, 1, 1, 0.5, 0);
  massless.M(0, 0) = 0.0;
  EXPECT_THAT(sticking_mlcp(massless).hypotheses.failed, ElementsAre(HasSubstr("singular")));
  EXPECT_FALSE(sticking_mlcp(massless).forces.has_value());
}

// ---- (53)–(58)

TEST(FacetMlcpOf, PrintedQpAndTheOneOverAllMultipliersAgreeWhereNormalForcesAreUnique)
{
  Rng rng{57};
  StickingChecker checker;
  StickingOptions options;
  options.largest_slack = false;
  const int draws = testing::trials(800);
  int holding = 0, failing = 0, not_unique = 0;
  for (int i = 0; i < draws; ++i) {
    ContactProblem p = random_system(rng, i);
    if (i % 7 == 0 && !make_failing(rng, p)) continue;
    const ConeShape shape = ConeShape::inner(4 + 2 * (i % 3));
    options.rules.shape = shape;
    const StickingResult s = checker.check(p, options);
    const FacetMlcp facets = facet_mlcp(p, shape);
    if (!facets.hypotheses.hold()) {
      ++not_unique;
      continue;
    }
    const FacetMlcpAnswer answer = solve_facet_mlcp(facets);
    ASSERT_TRUE(answer.solved) << "draw " << i;
    const Eigen::VectorXd z = (Eigen::VectorXd(facets.mlcp.q.size()) << answer.z, answer.multipliers).finished();
    EXPECT_LE(facets.mlcp.violation(z), 1e-6) << "draw " << i;
    // (53): the normal forces of every solution
    for (const Contact& c : p.contacts)
      EXPECT_NEAR(facets.lambda_n[c.row], s.lambda[c.row], 1e-7 * (1 + s.lambda.norm())) << "draw " << i;
    const FacetSticking all = facet_sticking(p, shape.facets, s);
    if (all.hypotheses.hold()) {
      EXPECT_EQ(answer.sticks, all.sticks) << "draw " << i << " " << answer.residual << " " << all.residual;
    }
    if (s.verdict == Verdict::kHolds) {
      ++holding;
      EXPECT_TRUE(answer.sticks) << "draw " << i << " residual " << answer.residual;
      const Eigen::VectorXd lambda = facets.forces(answer.z);
      EXPECT_LE((p.J * internal::solve(p.M, p.J.transpose() * lambda - p.F) + p.gamma - p.J * s.acceleration - p.gamma)
                    .norm(),
                1e-6 * (1 + facets.scale));
    }
    options.rules.shape = ConeShape::exact();
    if (checker.check(p, options).verdict == Verdict::kFails) {
      ++failing;
      EXPECT_FALSE(answer.sticks) << "draw " << i;
    }
  }
  EXPECT_GT(holding, draws / 16);
  EXPECT_GT(failing, draws / 16);
  EXPECT_GE(not_unique, draws / 160);
}

TEST(FacetMlcpOf, Example6SegmentAndItsBoundary)
{
  for (const double missing : {-0.5, -1e-3, 1e-3, 0.5}) {  // newtons of friction beyond the weight
    const double F1 = -10.0, mu1 = 0.4, mu2 = 0.5, F2 = (kStandardGravity + missing + mu1 * F1) / mu2;
    const FacetMlcp facets = facet_mlcp(fingers_on_guide(F1, F2, mu1, mu2), ConeShape::exact());
    ASSERT_TRUE(facets.hypotheses.hold());
    EXPECT_NEAR(facets.lambda_n[0], 10.0, 1e-12);
    EXPECT_NEAR(facets.lambda_n[2], F2, 1e-12);
    EXPECT_NEAR(facets.lambda_n[4], F1 + F2, 1e-12);  // λnb
    // Ã z + F̃ = 0 reads λt1 + λt2 = g, twice
    EXPECT_LE((facets.A - (Eigen::Matrix2d() << 10, F2, 10, F2).finished()).norm(), 1e-12);
    EXPECT_LE((facets.F - Eigen::Vector2d(-kStandardGravity, -kStandardGravity)).norm(), 1e-12);
    const FacetMlcpAnswer answer = solve_facet_mlcp(facets);
    EXPECT_EQ(answer.sticks, missing > 0.0);
    if (missing < 0.0) {
      EXPECT_NEAR(answer.optimum, missing * missing, 1e-9);  // both rows miss it
      EXPECT_NEAR(answer.z[0], mu1, 1e-9);
      EXPECT_NEAR(answer.z[1], mu2, 1e-9);
    }
  }
}

TEST(FacetMlcpOf, SignAsPrintedIsWrong)
{
  // (52)–(54) print + Jt M⁻¹F - γt for γt - Jt M⁻¹F. With friction between the two ratios, the print has the other
  // verdict.
  for (const double push : {-2.0, 1.0, 3.0}) {
    ContactProblem p = block_on_corner(1, 0.8, 1.3, 0.4, 0.9, {push, kStandardGravity, 0.3});
    const FacetMlcp facets = facet_mlcp(p, ConeShape::exact());
    ASSERT_TRUE(facets.hypotheses.hold());
    const double load = (p.J.row(1) * inverse(p.M) * p.F)(0);
    const double ratio = std::abs(facets.F[0] / facets.A(0, 0));
    const double printed = std::abs((facets.F[0] + 2 * load) / facets.A(0, 0));
    ASSERT_GT(std::abs(printed - ratio), 0.04);
    p.contacts[0].mu = 0.5 * (ratio + printed);
    EXPECT_EQ(StickingChecker().check(p).verdict, ratio < printed ? Verdict::kHolds : Verdict::kFails) << push;
    EXPECT_EQ(solve_facet_mlcp(facet_mlcp(p, ConeShape::exact())).sticks, ratio < printed) << push;
  }
}

TEST(FacetMlcpOf, SaysWhatItAssumes)
{
  EXPECT_TRUE(facet_mlcp(block_on_ground(1, 1, 0.5, 0.5, 1), ConeShape::exact()).hypotheses.hold());
  Rng rng{5};
  ContactProblem table = free_body(rng);  // four legs
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) add_contact(table, {x, y, 0}, Eigen::Vector3d::UnitZ(), 0.5);
  table.F[2] = 10.0;
  EXPECT_THAT(facet_mlcp(table, ConeShape::inner(4)).hypotheses.failed,
              ElementsAre(HasSubstr("unilateral contacts are not unique")));
  EXPECT_THROW(facet_mlcp(table, ConeShape::exact()), InputError);
  EXPECT_FALSE(solve_facet_mlcp(facet_mlcp(table, ConeShape::inner(4))).solved);
  ContactProblem twice = fingers_on_guide(-3, 4, 0.5, 0.5);  // the guide twice
  twice.J.conservativeResize(6, Eigen::NoChange);
  twice.J.row(5) = twice.J.row(4);
  twice.gamma.setZero(6);
  twice.loops[0].rows = 2;
  EXPECT_THAT(facet_mlcp(twice, ConeShape::exact()).hypotheses.failed,
              ElementsAre(HasSubstr("closures are not unique")));
  ContactProblem torn = block_on_ground(1, 1, 0.5, 0.5, 1);
  torn.gamma[1] = 1.0;
  EXPECT_THAT(facet_mlcp(torn, ConeShape::exact()).hypotheses.failed, ElementsAre(HasSubstr("contradict")));
  ContactProblem limited = block_on_ground(1, 1, 0.5, 0.5, 1);
  limited.contacts[0].max_normal = 3.0;
  EXPECT_THAT(facet_mlcp(limited, ConeShape::exact()).hypotheses.failed, ElementsAre(HasSubstr("largest")));
}

// ---- (73), (74)

TEST(StickSlideMlcp, IsSolvedByTheSolutionsOfSliding)
{
  Rng rng{73};
  int solutions = 0, sticking = 0;
  for (int i = 0; i < 60; ++i) {
    ContactProblem p = random_contacts(rng, 2 + i % 2, 0.2);
    for (Contact& c : p.contacts) c.mu = uniform(rng, 0.05, 0.3);
    p.contacts.back().mu = 4.0;
    p.F = 2.0 * gaussian(rng, 6);
    p.F[2] += 10.0;
    SlipDirections slips(p.contacts.size());
    for (std::size_t k = 0; k + 1 < slips.size(); ++k) slips[k] = Eigen::Vector2d(gaussian(rng, 2)).normalized();
    const SlidingResult found = sliding_test::solved(p, slips);
    const StickingMlcp mlcp = sticking_mlcp(p, slips);
    EXPECT_EQ(mlcp.full.q.size(), 6 + p.rows() - 2 * static_cast<int>(slips.size() - 1));
    for (const SlidingSolution& s : found.solutions) {
      ++solutions;
      sticking += s.contacts.back().state == ContactState::kSticking;
      EXPECT_LE(mlcp.full.violation(unknowns(mlcp.full, s.acceleration, s.lambda)), 1e-8) << "draw " << i;
      EXPECT_LE(mlcp.forces->violation(unknowns(*mlcp.forces, s.acceleration, s.lambda)), 1e-8) << "draw " << i;
      EXPECT_LE(mlcp.normals->violation(unknowns(*mlcp.normals, s.acceleration, s.lambda)), 1e-8) << "draw " << i;
    }
  }
  EXPECT_GT(solutions, 30);
  EXPECT_GT(sticking, 5);
}

TEST(StickSlideMlcp, RodOfPainleve)
{
  // A of (74) for one sliding tip is the number of Painlevé's paradox: (1 + 3 cos θ (cos θ - mu sin θ))/m, slip +x
  for (const double mu : {0.2, 2.0}) {
    const double theta = 1.0, c = std::cos(theta), s = std::sin(theta);
    const ContactProblem p = sliding_test::rod(theta, 0.0, mu);
    const StickingMlcp mlcp = sticking_mlcp(p, {sliding_test::along(1)});
    ASSERT_EQ(mlcp.normals->Q.size(), 1);
    EXPECT_NEAR(mlcp.normals->Q(0, 0), 1 + 3 * c * (c + mu * s), 1e-12);
    EXPECT_NEAR(sticking_mlcp(p, {sliding_test::along(-1)}).normals->Q(0, 0), 1 + 3 * c * (c - mu * s), 1e-12);
    EXPECT_NEAR(mlcp.normals->q[0], -kStandardGravity, 1e-12);
  }
}

TEST(StickSlideMlcp, RefusesWhatIsNotLinear)
{
  const ContactProblem p = sliding_test::painleve_klein(1.0, 0.3, 0.3);
  EXPECT_THROW(sticking_mlcp(p, {sliding_test::along(1), std::nullopt}), InputError);
  EXPECT_THROW(sticking_mlcp(p, {std::nullopt}), InputError);
  EXPECT_THROW(sticking_mlcp(sliding_test::rod(1, 0, 0.3), {Eigen::Vector2d(0.5, 0)}), InputError);
  EXPECT_THROW(sticking_mlcp(sliding_test::rod(1, 0, 0.3), {Eigen::Vector2d(0, 1)}), InputError);
}

}  // namespace
}  // namespace stiction
