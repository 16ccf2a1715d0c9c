#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <random>

#include "stiction/proof.hpp"

namespace stiction {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

FrictionCone cone(double mu, ConeShape shape = ConeShape::exact())
{
  FrictionCone c;
  c.mu = mu;
  c.shape = shape;
  return c;
}

/// A mass on one point contact: contact axes are world axes with the normal first.
ConeProgram point(double mu, const Eigen::Vector3d& e, ConeShape shape = ConeShape::exact())
{
  ConeProgram p;
  p.E = Eigen::Matrix3d::Identity();
  p.e = e;
  p.cones.push_back({0, cone(mu, shape)});
  return p;
}

Eigen::VectorXd gaussian(Eigen::Index size, std::mt19937& rng)
{
  std::normal_distribution<double> gauss;
  Eigen::VectorXd v(size);
  for (double& x : v) x = gauss(rng);
  return v;
}

/// Random contacts, one box and one free variable over six rows; e is left to the caller.
ConeProgram random_program(int contacts, std::mt19937& rng)
{
  ConeProgram p;
  const int columns = 3 * contacts + 2;
  p.E.resize(6, columns);
  for (int j = 0; j < columns; ++j) p.E.col(j) = gaussian(6, rng);
  for (int i = 0; i < contacts; ++i) p.cones.push_back({3 * i, cone(0.2 + 0.1 * i)});
  p.boxes.push_back({3 * contacts, -1.0, 2.0});
  p.free = {3 * contacts + 1};
  return p;
}

/// A random x inside cones and boxes, by the definitions.
Eigen::VectorXd random_admissible(const ConeProgram& p, std::mt19937& rng)
{
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  Eigen::VectorXd x = gaussian(p.E.cols(), rng);
  for (const ConeBlock& block : p.cones) {
    x[block.col] = std::abs(x[block.col]);
    const double radius = block.cone.mu * x[block.col] * unit(rng);
    x.segment<2>(block.col + 1) *= radius / x.segment<2>(block.col + 1).norm();
  }
  for (const BoxVariable& box : p.boxes) x[box.col] = box.lower + unit(rng) * (box.upper - box.lower);
  return x;
}

TEST(Feasible, ConstructedSolutionsAcceptedAndEveryTamperedEntryRejected)
{
  std::mt19937 rng{1};
  for (int round = 0; round < 200; ++round) {
    ConeProgram p = random_program(1 + round % 5, rng);
    const Eigen::VectorXd x = random_admissible(p, rng);
    p.e = p.E * x;
    std::string why;
    ASSERT_TRUE(proves_feasible(p, x, &why)) << why;
    EXPECT_FALSE(proves_feasible(p, 1.000001 * x));
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      Eigen::VectorXd tampered = x;
      tampered[i] += 1e-9 * std::max(1.0, std::abs(x[i]));
      EXPECT_FALSE(proves_feasible(p, tampered, &why)) << i;
      EXPECT_FALSE(why.empty());
      tampered[i] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(proves_feasible(p, tampered));
    }
    EXPECT_FALSE(proves_feasible(p, x.head(x.size() - 1)));
  }
}

TEST(Feasible, ConesAndBoxesAreKept)
{
  std::string why;
  EXPECT_TRUE(proves_feasible(point(0.5, {2, 0.6, 0.8}), Eigen::Vector3d(2, 0.6, 0.8)));  // on the rim
  EXPECT_FALSE(proves_feasible(point(0.5, {2, 0.6, 0.8000001}), Eigen::Vector3d(2, 0.6, 0.8000001), &why));
  EXPECT_EQ(why, "cones[0] does not contain its force");
  EXPECT_FALSE(proves_feasible(point(0.5, {-1, 0, 0}), Eigen::Vector3d(-1, 0, 0)));
  EXPECT_FALSE(proves_feasible(point(0.0, {1, 1e-30, 0}), Eigen::Vector3d(1, 1e-30, 0)));
  // Inner facets admit less, outer ones more.
  const Eigen::Vector3d along_axis(2, 0.99, 0), beyond(2, 0.7 * 1.2, 0.7 * 1.2);
  EXPECT_TRUE(proves_feasible(point(0.5, along_axis), along_axis));
  EXPECT_FALSE(proves_feasible(point(0.5, along_axis, ConeShape::inner(4)), along_axis));
  EXPECT_FALSE(proves_feasible(point(0.5, beyond), beyond));
  EXPECT_TRUE(proves_feasible(point(0.5, beyond, ConeShape::outer(4)), beyond));

  ConeProgram box;
  box.E = Eigen::MatrixXd::Ones(1, 1);
  box.boxes.push_back({0, 1.0, 3.0});
  for (const double x : {0.999999, 1.0, 2.0, 3.0, 3.000001}) {
    box.e = Eigen::VectorXd::Constant(1, x);
    EXPECT_EQ(proves_feasible(box, box.e), x >= 1.0 && x <= 3.0) << x;
  }
}

TEST(Feasible, ResidualIsJudgedAgainstTheScaleOfItsRow)
{
  ConeProgram p = point(1.0, {1e-12, 0, 0});
  const Eigen::VectorXd zero = Eigen::Vector3d::Zero();
  EXPECT_FALSE(proves_feasible(p, zero));  // a small load is still a load
  p.e_scale = Eigen::Vector3d(100, 0, 0);  // unless it is what is left of large numbers
  EXPECT_TRUE(proves_feasible(p, zero));
}

TEST(Infeasible, ClosedFormSeparationsOfOneContact)
{
  std::string why;
  const ConeProgram slides = point(0.5, {2, 0.8, 0.9});
  const Eigen::Vector3d t = Eigen::Vector3d(0, 0.8, 0.9).normalized();
  const Eigen::Vector3d y = t - 0.5 * Eigen::Vector3d::UnitX();
  EXPECT_TRUE(proves_infeasible(slides, y, &why)) << why;
  EXPECT_FALSE(proves_infeasible(slides, -y));
  EXPECT_FALSE(proves_infeasible(slides, Eigen::Vector3d::Zero()));
  EXPECT_FALSE(proves_infeasible(slides, y.head<2>()));
  EXPECT_FALSE(proves_infeasible(slides, Eigen::Vector3d(y[0], y[1], kInf)));
  EXPECT_FALSE(proves_infeasible(slides, y + Eigen::Vector3d(1e-9, 0, 0), &why));  // an admissible force opposes it
  EXPECT_EQ(why, "cones[0] has a ray with y'E x > 0");
  EXPECT_FALSE(proves_infeasible(point(0.5, {2, 0.6, 0.7}), y));  // a load the cone can carry
  // Any positive multiple is the same certificate, however small or large.
  for (const double scale : {1e-300, 1e-9, 1e9, 1e300}) EXPECT_TRUE(proves_infeasible(slides, scale * y)) << scale;
  EXPECT_FALSE(proves_infeasible(slides, 1e-320 * (y + Eigen::Vector3d(1e-2, 0, 0))));

  EXPECT_TRUE(proves_infeasible(point(0.0, {1, 1e-6, 0}), Eigen::Vector3d(0, 1, 0)));
  EXPECT_TRUE(proves_infeasible(point(0.5, {-1, 0, 0}), Eigen::Vector3d(-1, 0, 0)));
}

TEST(Infeasible, BoundaryOfTheConeIsNotSeparated)
{
  const Eigen::Vector3d y(-0.5, 1, 0);
  EXPECT_FALSE(proves_infeasible(point(0.5, {2, 1, 0}), y));
  EXPECT_FALSE(proves_infeasible(point(0.5, {2, 1 + 1e-14, 0}), y));  // rounding of the load
  EXPECT_TRUE(proves_infeasible(point(0.5, {2, 1 + 1e-12, 0}), y));
  ConeProgram blurred = point(0.5, {2, 1 + 1e-12, 0});
  blurred.e_scale = Eigen::Vector3d(1e3, 1e3, 1e3);
  EXPECT_FALSE(proves_infeasible(blurred, y));
}

TEST(Infeasible, BoxesContributeTheirSupport)
{
  ConeProgram p;
  p.E = Eigen::MatrixXd::Ones(1, 1);
  p.boxes.push_back({0, 5.0, 10.0});
  const Eigen::VectorXd up = Eigen::VectorXd::Ones(1), down = -up;
  const auto at = [&](double e) {
    p.e = Eigen::VectorXd::Constant(1, e);
    return p;
  };
  EXPECT_TRUE(proves_infeasible(at(0.0), down));
  EXPECT_FALSE(proves_infeasible(at(0.0), up));
  EXPECT_TRUE(proves_infeasible(at(10.1), up));
  EXPECT_FALSE(proves_infeasible(at(10.0), up));
  EXPECT_FALSE(proves_infeasible(at(7.0), up));
  EXPECT_FALSE(proves_infeasible(at(7.0), down));
  p.boxes[0].upper = kInf;
  EXPECT_FALSE(proves_infeasible(at(1e9), up));
  EXPECT_TRUE(proves_infeasible(at(4.9), down));
  p.boxes.clear();
  p.free = {0};
  EXPECT_FALSE(proves_infeasible(at(1e9), up));
}

TEST(Infeasible, NothingIsSeparatedFromAFeasibleProgram)
{
  // Random directions, and the residual of projected gradient steps, which is a certificate when there is one.
  std::mt19937 rng{2};
  int infeasible_proved = 0;
  for (int round = 0; round < 300; ++round) {
    ConeProgram p = random_program(1 + round % 3, rng);
    p.free.clear();
    p.boxes.push_back({static_cast<int>(p.E.cols()) - 1, -1.0, 1.0});
    const Eigen::VectorXd x0 = random_admissible(p, rng);
    ConeProgram other = p;
    p.e = p.E * x0;
    other.e = 10.0 * gaussian(6, rng);  // usually out of reach of so few contacts
    for (const ConeProgram* program : {&p, &other}) {
      Eigen::VectorXd x = Eigen::VectorXd::Zero(p.E.cols());
      const double step = 1.0 / (p.E.norm() * p.E.norm());
      for (int i = 0; i < 3000; ++i) {
        x += step * p.E.transpose() * (program->e - p.E * x);
        for (const ConeBlock& block : p.cones)
          x.segment<3>(block.col) = project_to_cone(block.cone.mu, x.segment<3>(block.col));
        for (const BoxVariable& box : p.boxes) x[box.col] = std::clamp(x[box.col], box.lower, box.upper);
      }
      const Eigen::VectorXd y = program->e - p.E * x;
      // A strictly blocked direction repairs the small error that the iteration leaves.
      for (const double repair : {0.0, 1e-6, 1e-3}) {
        Eigen::VectorXd tried = y;
        for (const ConeBlock& block : p.cones) tried -= repair * y.norm() * p.E.col(block.col);
        const bool proved = proves_infeasible(*program, tried);
        if (program == &p) {
          EXPECT_FALSE(proved);
        }
        infeasible_proved += proved;
      }
    }
    for (int i = 0; i < 50; ++i) EXPECT_FALSE(proves_infeasible(p, gaussian(6, rng)));
  }
  EXPECT_GT(infeasible_proved, 100);
}

TEST(Infeasible, NoiseInAnIndependentPartDoesNotSpoilTheProof)
{
  // Two masses, each on its own contact; only the first slips. The second part of y is noise.
  ConeProgram p;
  p.E = Eigen::MatrixXd::Identity(6, 6);
  p.e = (Eigen::VectorXd(6) << 1, 1, 0, 1, 0, 0).finished();
  p.cones = {{0, cone(0.5)}, {3, cone(0.5)}};
  Eigen::VectorXd y = (Eigen::VectorXd(6) << -0.5, 1, 0, 1e-17, 2e-17, -1e-17).finished();
  EXPECT_TRUE(proves_infeasible(p, y));
  y[3] = 1e-9;  // not noise: this contact can oppose it
  EXPECT_FALSE(proves_infeasible(p, y));
}

TEST(MalformedPrograms, ProveNothing)
{
  ConeProgram p = point(0.5, {2, 0.8, 0.9});
  const Eigen::Vector3d y(-0.5, 0.6643638388299198, 0.7474093186836598);
  ASSERT_TRUE(proves_infeasible(p, y));
  p.e[0] = -kInf;
  EXPECT_FALSE(proves_infeasible(p, y));
  EXPECT_FALSE(proves_feasible(p, Eigen::Vector3d(1, 0, 0)));
  p = point(0.5, {2, 0.8, 0.9});
  p.E(0, 2) = kInf;
  EXPECT_FALSE(proves_infeasible(p, y));
  p.E(0, 2) = 0.0;
  p.e.resize(2);
  EXPECT_FALSE(proves_infeasible(p, y));
}

}  // namespace
}  // namespace stiction
