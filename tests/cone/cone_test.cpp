#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "stiction/cone.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kUlps = 1e-14;  // a few roundings of numbers of order one

FrictionCone cone_of(ConeShape shape, double mu, int tangents = 2, double sign = 1.0)
{
  FrictionCone cone;
  cone.tangents = tangents;
  cone.mu = mu;
  cone.sign = sign;
  cone.shape = shape;
  return cone;
}

FrictionCone soft(FrictionCone cone, double torsion)
{
  cone.torsional = true;
  cone.torsion = torsion;
  return cone;
}

Eigen::VectorXd gaussian(int size, std::mt19937& rng)
{
  std::normal_distribution<double> gauss;
  Eigen::VectorXd v(size);
  for (double& x : v) x = gauss(rng);
  return v;
}

/// A random force that the header's own definition of K admits, disk sampled directly: not from the code under test.
Eigen::VectorXd admissible_exact(const FrictionCone& cone, std::mt19937& rng)
{
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(cone.dim());
  const double n = unit(rng), angle = 2 * kPi * unit(rng), radius = cone.mu * n * std::sqrt(unit(rng));
  f[0] = cone.sign * n;
  if (cone.tangents == 1) f[1] = cone.mu * n * (2 * unit(rng) - 1);
  if (cone.tangents == 2) f.segment<2>(1) << radius * std::cos(angle), radius * std::sin(angle);
  if (cone.torsional) f[cone.dim() - 1] = cone.torsion * n * (2 * unit(rng) - 1);
  return f;
}

std::vector<FrictionCone> every_kind()
{
  std::vector<FrictionCone> cones;
  for (const ConeShape shape :
       {ConeShape::exact(), ConeShape::inner(3), ConeShape::outer(3), ConeShape::inner(4), ConeShape::outer(4),
        ConeShape::inner(5), ConeShape::outer(8), ConeShape::inner(8), ConeShape::outer(16), ConeShape::inner(7)})
    for (const double mu : {0.0, 0.3, 1.7})
      for (const int tangents : {0, 1, 2})
        for (const double sign : {1.0, -1.0}) {
          cones.push_back(cone_of(shape, mu, tangents, sign));
          cones.push_back(soft(cones.back(), 0.0));
          cones.push_back(soft(cone_of(shape, mu, tangents, sign), 0.02));
        }
  return cones;
}

bool polyhedral(const FrictionCone& cone)
{
  return cone.shape.approximation != ConeApproximation::kExact || cone.tangents < 2 || cone.mu == 0.0;
}

TEST(Support, RayIsAdmissibleHasUnitNormalAndAttainsTheValue)
{
  std::mt19937 rng{1};
  for (const FrictionCone& cone : every_kind())
    for (int i = 0; i < 100; ++i) {
      const Eigen::VectorXd h = gaussian(cone.dim(), rng);
      Eigen::VectorXd ray(cone.dim());
      const double value = support(cone, h, ray);
      EXPECT_DOUBLE_EQ(value, support(cone, h));
      EXPECT_NEAR(value, h.dot(ray), kUlps * 10);
      EXPECT_EQ(ray[0], cone.sign);
      EXPECT_GE(slack(cone, ray), -kUlps) << ray.transpose();
    }
}

TEST(Support, ExactValueIsClosedForm)
{
  const FrictionCone pushing = soft(cone_of(ConeShape::exact(), 0.5), 0.1);
  FrictionCone pulling = pushing;
  pulling.sign = -1.0;
  const Eigen::Vector4d h(-7.0, 3.0, -4.0, -10.0);
  Eigen::Vector4d ray;
  EXPECT_DOUBLE_EQ(support(pushing, h, ray), -7.0 + 0.5 * 5.0 + 0.1 * 10.0);
  EXPECT_TRUE(ray.isApprox(Eigen::Vector4d(1.0, 0.3, -0.4, -0.1), kUlps)) << ray.transpose();
  EXPECT_DOUBLE_EQ(support(pulling, h, ray), 7.0 + 0.5 * 5.0 + 0.1 * 10.0);
  EXPECT_TRUE(ray.isApprox(Eigen::Vector4d(-1.0, 0.3, -0.4, -0.1), kUlps)) << ray.transpose();
}

TEST(Support, NoSampleOfTheExactConeExceedsItAndTheBestComesNear)
{
  std::mt19937 rng{2};
  for (const FrictionCone& cone : every_kind()) {
    if (cone.shape.approximation != ConeApproximation::kExact) continue;
    const Eigen::VectorXd h = gaussian(cone.dim(), rng);
    const double value = support(cone, h);
    double best = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < 20000; ++i) {
      const Eigen::VectorXd f = admissible_exact(cone, rng);
      const double n = std::abs(f[0]);
      if (n < 1e-9) continue;
      best = std::max(best, h.dot(f) / n);
    }
    EXPECT_LE(best, value + 1e-12);
    EXPECT_GE(best, value - 0.05);  // 20000 draws leave small gaps only
  }
}

TEST(Support, IsTheBestGenerator)
{
  std::mt19937 rng{3};
  for (const FrictionCone& cone : every_kind()) {
    if (!polyhedral(cone)) continue;
    const Eigen::MatrixXd rays = generators(cone);
    for (int i = 0; i < 200; ++i) {
      const Eigen::VectorXd h = gaussian(cone.dim(), rng);
      EXPECT_NEAR(support(cone, h), (h.transpose() * rays).maxCoeff(), 1e-13);
    }
    // Directions along the axes and the facet normals, where two vertices tie.
    if (cone.tangents != 2) continue;
    for (int j = 0; j < 4 * std::max(cone.shape.facets, 4); ++j) {
      const double angle = j * kPi / (2 * std::max(cone.shape.facets, 4));
      Eigen::VectorXd h = Eigen::VectorXd::Zero(cone.dim());
      h.segment<2>(1) << std::cos(angle), std::sin(angle);
      EXPECT_NEAR(support(cone, h), (h.transpose() * rays).maxCoeff(), 1e-13);
    }
  }
}

TEST(Support, ZeroTangentialDirectionStillGivesAnAdmissibleRay)
{
  for (const FrictionCone& cone : every_kind()) {
    Eigen::VectorXd h = Eigen::VectorXd::Zero(cone.dim()), ray(cone.dim());
    h[0] = 2.0;
    EXPECT_EQ(support(cone, h, ray), 2.0 * cone.sign);
    EXPECT_TRUE(ray.allFinite());
    EXPECT_GE(slack(cone, ray), -kUlps);
  }
}

TEST(Support, InnerBelowExactBelowOuterAndBothConverge)
{
  std::mt19937 rng{4};
  for (int i = 0; i < 1000; ++i) {
    const Eigen::VectorXd h = gaussian(3, rng);
    const double exact = support(cone_of(ConeShape::exact(), 0.7), h);
    for (const int k : {3, 4, 5, 8, 16, 1000}) {
      const double inner = support(cone_of(ConeShape::inner(k), 0.7), h);
      const double outer = support(cone_of(ConeShape::outer(k), 0.7), h);
      EXPECT_LE(inner, exact + kUlps);
      EXPECT_GE(outer, exact - kUlps);
      const double gap = 0.7 * h.tail<2>().norm() * (1.0 / std::cos(kPi / k) - std::cos(kPi / k));
      EXPECT_LE(outer - inner, gap + kUlps);
    }
  }
}

TEST(Slack, ExactAgreesWithTheDefinition)
{
  std::mt19937 rng{5};
  const FrictionCone cone = soft(cone_of(ConeShape::exact(), 0.4), 0.3);
  for (int i = 0; i < 1000; ++i) {
    const Eigen::VectorXd f = gaussian(4, rng);
    const double want = std::min({f[0] - std::hypot(f[1], f[2]) / 0.4, f[0] - std::abs(f[3]) / 0.3, f[0]});
    EXPECT_NEAR(slack(cone, f), want, 1e-14 * (1 + std::abs(want)));
    FrictionCone pulling = cone;
    pulling.sign = -1;
    EXPECT_NEAR(slack(pulling, Eigen::VectorXd(-f)), want, 1e-14 * (1 + std::abs(want)));
  }
}

TEST(Slack, InnerInsideExactInsideOuter)
{
  std::mt19937 rng{6};
  int in_inner = 0, only_outer = 0;
  for (int i = 0; i < 5000; ++i) {
    Eigen::VectorXd f = gaussian(3, rng);
    f[0] = std::abs(f[0]);
    for (const int k : {3, 4, 7, 8}) {
      const double inner = slack(cone_of(ConeShape::inner(k), 0.6), f);
      const double outer = slack(cone_of(ConeShape::outer(k), 0.6), f);
      const double exact = 0.6 * f[0] - f.tail<2>().norm();  // the oracle
      if (inner >= 0) {
        EXPECT_GE(exact, -kUlps);
      }
      if (exact >= 0) {
        EXPECT_GE(outer, -kUlps);
      }
      in_inner += inner >= 0;
      only_outer += outer >= 0 && exact < 0;
    }
  }
  EXPECT_GT(in_inner, 100);
  EXPECT_GT(only_outer, 100);
}

TEST(Slack, PolygonAgreesWithItsHalfspacesAndGenerators)
{
  std::mt19937 rng{7};
  for (const int k : {3, 4, 5, 6, 8, 16})
    for (const ConeShape shape : {ConeShape::inner(k), ConeShape::outer(k)})
      for (const double sign : {1.0, -1.0}) {
        const FrictionCone cone = cone_of(shape, 0.8, 2, sign);
        Eigen::MatrixX2d C;
        Eigen::VectorXd D;
        polygon_halfspaces(cone, C, D);
        ASSERT_EQ(C.rows(), k);
        const Eigen::MatrixXd rays = generators(cone);
        ASSERT_EQ(rays.cols(), k);
        for (int j = 0; j < k; ++j) {
          const Eigen::VectorXd room = C * rays.col(j).segment<2>(1) + D;
          EXPECT_GE(room.minCoeff(), -kUlps);
          EXPECT_EQ((room.array() < 1e-12).count(), 2) << room.transpose();  // a vertex lies on two sides
          EXPECT_NEAR(slack(cone, rays.col(j)), 0.0, kUlps);
        }
        for (int i = 0; i < 300; ++i) {
          const Eigen::VectorXd f = gaussian(3, rng);
          const double n = sign * f[0];
          const bool inside = n >= 0 && (C * f.tail<2>() + n * D).minCoeff() >= 0;  // f_t in n {w : C w + D >= 0}
          EXPECT_EQ(slack(cone, f) >= 0, inside) << f.transpose();
        }
      }
}

TEST(Slack, ZeroCoefficientsAdmitNothingSideways)
{
  const FrictionCone slippery = soft(cone_of(ConeShape::exact(), 0.0), 0.0);
  const Eigen::Vector4d straight(2.0, 0.0, 0.0, 0.0), sideways(2.0, 0.0, 1e-9, 0.0), twist(2.0, 0.0, 0.0, 1e-9);
  EXPECT_EQ(slack(slippery, straight), 2.0);
  EXPECT_EQ(slack(slippery, sideways), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(slack(slippery, twist), -std::numeric_limits<double>::infinity());
  const Eigen::Vector4d pull(-1.0, 0.0, 0.0, 0.0);
  EXPECT_EQ(slack(slippery, pull), -1.0);
}

TEST(ConeVectors, HaveAnEntryForEachRowOfTheContact)
{
  const FrictionCone cone = soft(cone_of(ConeShape::exact(), 0.5), 0.1);
  const Eigen::VectorXd four = Eigen::VectorXd::Ones(4), three = Eigen::VectorXd::Ones(3);
  Eigen::VectorXd ray(3);
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([&] { support(cone, three); }), "h: want 4 entries, got 3");
  EXPECT_EQ(message([&] { support(cone, four, ray); }), "ray: want 4 entries, got 3");
  EXPECT_EQ(message([&] { slack(cone, three); }), "f: want 4 entries, got 3");
  EXPECT_EQ(message([&] { utilisation(cone, three); }), "f: want 4 entries, got 3");
  EXPECT_EQ(message([&] { support(cone, four); }), "");
}

TEST(Duals, PolarDirectionsAreBlockedAndOthersHaveAWitness)
{
  std::mt19937 rng{8};
  int blocked = 0, open = 0;
  for (const FrictionCone& cone : every_kind())
    for (int i = 0; i < 50; ++i) {
      Eigen::VectorXd h = gaussian(cone.dim(), rng), ray(cone.dim());
      h[0] -= cone.sign;
      if (support(cone, h, ray) > 0) {
        ++open;
        EXPECT_GT(h.dot(ray), -kUlps);
        continue;
      }
      ++blocked;
      if (!cone.shape.may_prove_fails()) continue;
      for (int s = 0; s < 20; ++s) EXPECT_LE(h.dot(admissible_exact(cone, rng)), kUlps);
    }
  EXPECT_GT(blocked, 500);
  EXPECT_GT(open, 500);
}

TEST(Utilisation, ShareOfTheBudget)
{
  const double inf = std::numeric_limits<double>::infinity();
  const FrictionCone cone = soft(cone_of(ConeShape::exact(), 0.5), 0.1);
  const Eigen::Vector4d half(4.0, 0.6, 0.8, 0.0), twisted(4.0, 0.6, 0.8, -0.3), none(0.0, 0.0, 0.0, 0.0);
  const Eigen::Vector4d unloaded(0.0, 0.1, 0.0, 0.0), pulled(-4.0, 0.6, 0.8, 0.0);
  EXPECT_DOUBLE_EQ(utilisation(cone, half), 0.5);
  EXPECT_DOUBLE_EQ(utilisation(cone, twisted), 0.75);
  EXPECT_EQ(utilisation(cone, none), 0.0);
  EXPECT_EQ(utilisation(cone, unloaded), inf);
  EXPECT_DOUBLE_EQ(utilisation(cone, pulled), 0.5);  // |f_n|: the same for both halves of a double cone
  EXPECT_EQ(utilisation(cone_of(ConeShape::exact(), 0.0), half.head<3>()), inf);
  const Eigen::Vector3d straight(1.0, 0.0, 0.0);
  EXPECT_EQ(utilisation(cone_of(ConeShape::exact(), 0.0), straight), 0.0);
  const Eigen::Vector3d corner(1.0, 0.5 / std::sqrt(2.0), 0.5 / std::sqrt(2.0)), axis(1.0, 0.5, 0.0);
  EXPECT_NEAR(utilisation(cone_of(ConeShape::inner(4), 0.5), corner), 1.0, kUlps);
  EXPECT_NEAR(utilisation(cone_of(ConeShape::inner(4), 0.5), axis), std::sqrt(2.0), kUlps);
  EXPECT_NEAR(utilisation(cone_of(ConeShape::outer(4), 0.5), axis), 1.0, kUlps);
}

TEST(Projection, SatisfiesTheOptimalityConditions)
{
  // p = P(f) iff p in K, f - p in the polar of K, and (f - p) orthogonal to p (Moreau).
  std::mt19937 rng{9};
  for (const double mu : {0.0, 0.2, 1.0, 5.0}) {
    const FrictionCone cone = cone_of(ConeShape::exact(), mu);
    int regions[3] = {};
    for (int i = 0; i < 5000; ++i) {
      const Eigen::Vector3d f = gaussian(3, rng), p = project_to_cone(mu, f), r = f - p;
      EXPECT_GE(mu * p[0] - p.tail<2>().norm(), -kUlps);
      EXPECT_GE(p[0], 0.0);
      EXPECT_LE(support(cone, r), 1e-13);
      EXPECT_NEAR(r.dot(p), 0.0, 1e-13);
      ++regions[p == f ? 0 : p.isZero() ? 1 : 2];
    }
    if (mu > 0) {
      EXPECT_GT(regions[0], 10);
    }
    EXPECT_GT(regions[1], 10);
    EXPECT_GT(regions[2], 10);
  }
}

TEST(Generators, PlaneFrictionlessAndTorsion)
{
  EXPECT_EQ(generators(cone_of(ConeShape::exact(), 0.5, 1)), (Eigen::MatrixXd(2, 2) << 1, 1, 0.5, -0.5).finished());
  EXPECT_EQ(generators(cone_of(ConeShape::exact(), 0.5, 1, -1)),
            (Eigen::MatrixXd(2, 2) << -1, -1, 0.5, -0.5).finished());
  EXPECT_EQ(generators(cone_of(ConeShape::exact(), 0.0)), (Eigen::MatrixXd(3, 1) << 1, 0, 0).finished());
  EXPECT_EQ(generators(cone_of(ConeShape::exact(), 0.5, 0)), Eigen::MatrixXd::Ones(1, 1));
  const Eigen::MatrixXd twist = generators(soft(cone_of(ConeShape::inner(4), 0.5), 0.1));
  EXPECT_EQ(twist.cols(), 8);
  EXPECT_EQ(twist.row(3).maxCoeff(), 0.1);
  EXPECT_EQ(twist.row(3).minCoeff(), -0.1);
  EXPECT_THROW(generators(cone_of(ConeShape::exact(), 0.5)), InputError);
}

TEST(Polygons, FirstVertexIsHalfAStepOffTheAxis)
{
  const Eigen::MatrixXd rays = generators(cone_of(ConeShape::inner(4), 1.0));
  EXPECT_NEAR(rays(1, 0), std::sqrt(0.5), kUlps);
  EXPECT_NEAR(rays(2, 0), std::sqrt(0.5), kUlps);
  EXPECT_NEAR(generators(cone_of(ConeShape::outer(3), 1.0)).col(0).tail<2>().norm(), 2.0, kUlps);  // 1/cos(60 deg)
}

TEST(ConeShapes, SayWhatTheyMayProve)
{
  EXPECT_TRUE(ConeShape::exact().may_prove_holds() && ConeShape::exact().may_prove_fails());
  EXPECT_TRUE(ConeShape::inner(4).may_prove_holds() && !ConeShape::inner(4).may_prove_fails());
  EXPECT_TRUE(!ConeShape::outer(4).may_prove_holds() && ConeShape::outer(4).may_prove_fails());
}

void expect_bad(const FrictionCone& cone, const std::string& path)
{
  try {
    validate(cone, "cone");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.path(), path);
  }
}

TEST(Validation, NamesTheBadEntry)
{
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW(validate(cone_of(ConeShape::exact(), 0.0, 0), "cone"));
  expect_bad(cone_of(ConeShape::exact(), -0.1), "cone.mu");
  expect_bad(cone_of(ConeShape::exact(), nan), "cone.mu");
  expect_bad(cone_of(ConeShape::exact(), 0.5, 3), "cone.tangents");
  expect_bad(cone_of(ConeShape::exact(), 0.5, 2, 0.5), "cone.sign");
  expect_bad(cone_of(ConeShape::inner(2), 0.5), "cone.facets");
  expect_bad(soft(cone_of(ConeShape::exact(), 0.5), -1.0), "cone.torsion");
  Eigen::MatrixX2d C;
  Eigen::VectorXd D;
  EXPECT_THROW(polygon_halfspaces(cone_of(ConeShape::exact(), 0.5), C, D), InputError);
  EXPECT_THROW(polygon_halfspaces(cone_of(ConeShape::inner(4), 0.5, 1), C, D), InputError);
}

}  // namespace
}  // namespace stiction
