// The nearest point of a product of cones, boxes and lines is known by its optimality conditions, which are checked as
// they are.
#include "solve/nearest_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "stiction/contact_problem.hpp"

namespace stiction::internal {
namespace {

using Stop = NearestPoint::Stop;

/// min |E x - e| with everything the class can take.
struct NearestProblem {
  Eigen::MatrixXd E;
  Eigen::VectorXd e;
  std::vector<ConeBlock> cones;
  std::vector<BoxVariable> boxes;
  std::vector<int> free;

  NearestPoint::Data data() const
  {
    return {static_cast<int>(E.rows()), E.data(), e.data(), static_cast<int>(E.cols()), &cones, &boxes, &free};
  }
};

class DrawNearest {
 public:
  explicit DrawNearest(unsigned seed) : rng_(seed) {}

  double uniform(double lower, double upper) { return std::uniform_real_distribution<double>(lower, upper)(rng_); }
  Eigen::MatrixXd matrix(Eigen::Index m, Eigen::Index n)
  {
    std::normal_distribution<double> normal;
    return Eigen::MatrixXd::NullaryExpr(m, n, [&] { return normal(rng_); });
  }
  NearestProblem problem(int m, int cones, int boxes, int free)
  {
    NearestProblem p;
    int n = 0;
    for (int i = 0; i < cones; ++i) {
      FrictionCone cone;
      cone.tangents = i % 4 == 3 ? 1 : 2;
      cone.torsional = i % 4 == 2;
      cone.torsion = 0.3;
      cone.mu = uniform(0.1, 1.0);
      cone.sign = i % 3 == 2 ? -1.0 : 1.0;
      if (i % 5 == 4) cone.shape = ConeShape::inner(6);
      p.cones.push_back({n, cone});
      n += cone.dim();
    }
    for (int i = 0; i < boxes; ++i) {
      const double lower = i % 3 == 0 ? -kInfinity : uniform(-1, 0), upper = i % 3 == 1 ? kInfinity : uniform(0, 1);
      p.boxes.push_back({n++, lower, upper});
    }
    for (int i = 0; i < free; ++i) p.free.push_back(n++);
    p.E = matrix(m, n);
    p.e = 3.0 * matrix(m, 1);
    return p;
  }

 private:
  std::mt19937 rng_;
};

/// x is admissible and the residual e - E x opposes every admissible change of it.
void expect_nearest(const NearestProblem& p, const NearestPoint& nearest, const std::string& what)
{
  SCOPED_TRACE(what);
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(nearest.x().data(), p.E.cols());
  const Eigen::VectorXd r = p.e - p.E * x, h = p.E.transpose() * r;
  const double small = 1e-9 * (1.0 + p.e.norm());
  EXPECT_LE((Eigen::Map<const Eigen::VectorXd>(nearest.residual().data(), r.size()) - r).norm(), small);
  for (const ConeBlock& block : p.cones) {
    EXPECT_GE(slack(block.cone, x.segment(block.col, block.cone.dim())), -small);
    EXPECT_LE(support(block.cone, h.segment(block.col, block.cone.dim())), small);
    EXPECT_LE(std::abs(h.segment(block.col, block.cone.dim()).dot(x.segment(block.col, block.cone.dim()))), small);
  }
  for (const BoxVariable& box : p.boxes) {
    EXPECT_GE(x[box.col], box.lower);
    EXPECT_LE(x[box.col], box.upper);
    EXPECT_TRUE(x[box.col] >= box.upper - small || h[box.col] <= small) << h[box.col];
    EXPECT_TRUE(x[box.col] <= box.lower + small || h[box.col] >= -small) << h[box.col];
  }
  for (const int j : p.free) EXPECT_LE(std::abs(h[j]), small);
}

TEST(NearestPoint, ProjectsOntoOneConeAsTheFormulaSays)
{
  NearestPoint nearest;
  for (const double sign : {1.0, -1.0}) {
    NearestProblem p;
    p.E = Eigen::Matrix3d::Identity();
    p.e = Eigen::Vector3d(sign, 1.2, 1.6);  // 2 sideways, at mu = 0.5 outside
    FrictionCone cone;
    cone.mu = 0.5;
    cone.sign = sign;
    p.cones = {{0, cone}};
    EXPECT_EQ(nearest.run(p.data(), 0.0), Stop::kSeparated);
    const double normal = (1.0 + 0.5 * 2.0) / 1.25;
    const Eigen::Vector3d wanted(sign * normal, 0.5 * normal * 0.6, 0.5 * normal * 0.8);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(nearest.x()[static_cast<std::size_t>(i)], wanted[i], 1e-12);
    EXPECT_NEAR(nearest.residual_norm(), (p.e - wanted).norm(), 1e-12);
  }
}

TEST(NearestPoint, MeetsTheOptimalityConditions)
{
  DrawNearest draw(5);
  NearestPoint nearest;
  int reached = 0, apart = 0;
  for (int m = 2; m <= 8; ++m)
    for (int i = 0; i < 40; ++i) {
      const NearestProblem p = draw.problem(m, i % 4, i % 5, i % 5 == 0 ? 1 : 0);
      if (p.E.cols() == 0) continue;
      const Stop stop = nearest.run(p.data(), 0.0);
      expect_nearest(p, nearest, std::to_string(m) + " rows, " + std::to_string(i));
      reached += stop == Stop::kReached;
      apart += stop == Stop::kSeparated;
    }
  EXPECT_GT(reached, 20);
  EXPECT_GT(apart, 100);
}

TEST(NearestPoint, ReachesWhatIsThereToRounding)
{
  DrawNearest draw(6);
  NearestPoint nearest;
  for (int m : {3, 4, 6, 7, 9}) {
    NearestProblem p = draw.problem(m, m, 0, 0);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(p.E.cols());
    for (const ConeBlock& block : p.cones) x[block.col] = block.cone.sign;  // on the axes: well inside
    p.e = p.E * x;
    EXPECT_EQ(nearest.run(p.data(), 0.0), Stop::kReached);
    EXPECT_LE(nearest.residual_norm(), 1e-14 * p.e.norm());
    expect_nearest(p, nearest, std::to_string(m));
  }
}

TEST(NearestPoint, RunsAgainToTheSameResidualAsAfresh)
{
  DrawNearest draw(7);
  for (int i = 0; i < 60; ++i) {
    NearestProblem p = draw.problem(3 + i % 5, 2 + i % 3, i % 4, i % 2);
    NearestPoint warm;
    warm.run(p.data(), 0.0);
    for (int k = 0; k < 5; ++k) {
      p.e += 0.5 * draw.matrix(p.e.size(), 1);
      warm.run_again(p.e.data(), 0.0);
      expect_nearest(p, warm, std::to_string(i) + ", " + std::to_string(k));
    }
  }
}

TEST(NearestPoint, PausesAndGoesOn)
{
  DrawNearest draw(8);
  int pauses = 0;
  for (int i = 0; i < 40; ++i) {
    const NearestProblem p = draw.problem(6, 4, 0, 0);
    NearestPoint nearest;
    Stop stop = nearest.run(p.data(), 0.3);
    pauses += stop == Stop::kPaused;
    if (stop == Stop::kPaused) stop = nearest.resume(0.0);
    EXPECT_NE(stop, Stop::kPaused);
    expect_nearest(p, nearest, std::to_string(i));
  }
  EXPECT_GT(pauses, 5);
}

/// Cones but the last `others` within the half-space d'v > 0 of their images; boxes as wide as [-2, 3].
NearestProblem within_half_space(DrawNearest& draw, const Eigen::VectorXd& d, int boxes, std::size_t others)
{
  NearestProblem p = draw.problem(6, 4, boxes, 0);
  for (BoxVariable& box : p.boxes) box.lower = -2.0, box.upper = 3.0;
  for (std::size_t i = 0; i + others < p.cones.size(); ++i) {
    const ConeBlock& block = p.cones[i];
    p.E.col(block.col) = 3.0 * block.cone.sign * d + 0.3 * p.E.col(block.col);
    p.E.middleCols(block.col + 1, block.cone.dim() - 1) *= 0.3;
  }
  return p;
}

/// y'e minus the supports of boxes, and the largest support of a cone, of a certificate.
std::pair<double, double> gain_and_worst(const NearestProblem& p, const NearestPoint& nearest)
{
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(nearest.y().data(), 6), h = p.E.transpose() * y;
  double gain = y.dot(p.e), worst = -kInfinity;
  for (const BoxVariable& box : p.boxes) gain -= std::max(h[box.col] * box.lower, h[box.col] * box.upper);
  for (const ConeBlock& block : p.cones)
    worst = std::max(worst, support(block.cone, h.segment(block.col, block.cone.dim())));
  return {gain, worst};
}

TEST(NearestPoint, RepairsACertificateWithAnInteriorDual)
{
  DrawNearest draw(9);
  for (const int boxes : {0, 2}) {
    int repaired = 0;
    for (int i = 0; i < 80; ++i) {
      const Eigen::VectorXd d = draw.matrix(6, 1).normalized();
      const NearestProblem p = within_half_space(draw, d, boxes, 0);
      NearestPoint nearest;
      if (nearest.run(p.data(), 0.5) != Stop::kPaused) continue;
      if (!nearest.offer_interior_dual(d.data())) continue;
      if (nearest.resume(0.0) != Stop::kSeparated) continue;
      const auto [gain, worst] = gain_and_worst(p, nearest);
      EXPECT_LE(worst, 1e-12);
      EXPECT_GT(gain, 0.0);
      repaired += worst < 0.0;
    }
    EXPECT_GT(repaired, 5) << boxes;
  }
}

TEST(NearestPoint, BelievesADualOnlyWhereItHelpsEveryCone)
{
  DrawNearest draw(10);
  int separated = 0;
  for (int i = 0; i < 400; ++i) {
    const Eigen::VectorXd d = draw.matrix(6, 1).normalized();
    const NearestProblem p = within_half_space(draw, d, 0, 1);
    NearestPoint nearest;
    if (nearest.run(p.data(), 0.5) != Stop::kPaused) continue;
    nearest.offer_interior_dual(d.data());
    if (nearest.resume(0.0) != Stop::kSeparated) continue;
    const auto [gain, worst] = gain_and_worst(p, nearest);
    EXPECT_LE(worst, 1e-9);
    EXPECT_GT(gain, 0.0);
    ++separated;
  }
  EXPECT_GT(separated, 20);
}

}  // namespace
}  // namespace stiction::internal
