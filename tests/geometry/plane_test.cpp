// Shapes against a plane: points computed by hand, and meshes against every vertex of their files.
#include "geometry/plane.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <numbers>
#include <random>

#include "geometry/settle.hpp"
#include "scene/blueprint.hpp"

namespace stiction::internal {
namespace {

using Eigen::AngleAxisd;
using Eigen::Isometry3d;
using Eigen::Translation3d;
using Eigen::Vector3d;
constexpr double kPi = std::numbers::pi;

Shape shape(Shape::Kind kind, const Vector3d& size) { return {kind, Isometry3d::Identity(), size, {}}; }

std::vector<PlanePoint> contacts(const Shape& shape, const Isometry3d& pose, const Plane& plane, double within,
                                 const Mesh* mesh = nullptr)
{
  std::vector<PlanePoint> points;
  add_plane_contacts({shape, mesh, pose}, plane, within, points);
  return reduced_patch(points, plane.normal);
}

/// Each wanted point is there, and no other.
void expect_points(const std::vector<PlanePoint>& found, const std::vector<Vector3d>& wanted, const char* what)
{
  ASSERT_EQ(found.size(), wanted.size()) << what;
  for (const Vector3d& point : wanted) {
    double nearest = kInfinity;
    for (const PlanePoint& one : found) nearest = std::min(nearest, (one.point - point).norm());
    EXPECT_LT(nearest, 1e-9) << what << ": " << point.transpose();
  }
}

Isometry3d at(double x, double y, double z) { return Isometry3d(Translation3d(x, y, z)); }

TEST(PlaneContacts, PrimitivesTouchWhereTheyShould)
{
  const Plane floor;
  const Shape box = shape(Shape::Kind::kBox, {0.4, 0.2, 0.1}), ball = shape(Shape::Kind::kSphere, {0.05, 0, 0});
  const Shape can = shape(Shape::Kind::kCylinder, {0.1, 0.3, 0}), pill = shape(Shape::Kind::kCapsule, {0.1, 0.3, 0});
  expect_points(contacts(box, at(1, 2, 0.05), floor, 1e-6),
                {{1.2, 2.1, 0}, {1.2, 1.9, 0}, {0.8, 2.1, 0}, {0.8, 1.9, 0}}, "box");
  expect_points(contacts(ball, at(1, 2, 0.05), floor, 1e-6), {{1, 2, 0}}, "sphere");
  expect_points(contacts(pill, at(0, 0, 0.25), floor, 1e-6), {{0, 0, 0}}, "standing capsule");
  const Isometry3d lying = at(0, 0, 0.1) * AngleAxisd(kPi / 2, Vector3d::UnitY());
  expect_points(contacts(pill, lying, floor, 1e-6), {{0.15, 0, 0}, {-0.15, 0, 0}}, "lying capsule");
  expect_points(contacts(can, lying, floor, 1e-6), {{0.15, 0, 0}, {-0.15, 0, 0}}, "lying cylinder");
  const std::vector<PlanePoint> rim = contacts(can, at(0, 0, 0.15), floor, 1e-6);
  ASSERT_EQ(rim.size(), 8u);
  for (const PlanePoint& point : rim) {
    EXPECT_NEAR(point.point.head<2>().norm(), 0.1, 1e-12);
    EXPECT_NEAR(point.point.z(), 0.0, 1e-12);
  }
}

TEST(PlaneContacts, OnASlopeEverythingTurnsWithIt)
{
  const AngleAxisd tilt(0.3, Vector3d(1, 2, 0).normalized());
  const Plane slope{{0.1, -0.2, 0.7}, tilt * Vector3d::UnitZ()};
  const Isometry3d to_slope = Translation3d(slope.point) * tilt;
  const Shape box = shape(Shape::Kind::kBox, {0.4, 0.2, 0.1});
  std::vector<Vector3d> wanted;
  for (const double x : {-0.2, 0.2})
    for (const double y : {-0.1, 0.1}) wanted.push_back(to_slope * Vector3d(x, y, 0));
  expect_points(contacts(box, to_slope * at(0, 0, 0.05), slope, 1e-6), wanted, "box");
  const Shape can = shape(Shape::Kind::kCylinder, {0.1, 0.3, 0});
  const Isometry3d lying = to_slope * at(0, 0, 0.1) * AngleAxisd(kPi / 2, Vector3d::UnitX());
  expect_points(contacts(can, lying, slope, 1e-6), {to_slope * Vector3d(0, 0.15, 0), to_slope * Vector3d(0, -0.15, 0)},
                "cylinder");
}

TEST(PlaneContacts, OnlyWhatIsWithinTheDistanceCounts)
{
  const Plane floor;
  const Shape box = shape(Shape::Kind::kBox, {0.4, 0.2, 0.1});
  // Pitched by 0.01 rad about its lower edge at x = -0.2: the other one is 4 mm up.
  const Isometry3d pitched = at(-0.2, 0, 0) * AngleAxisd(-0.01, Vector3d::UnitY()) * at(0.2, 0, 0.05);
  EXPECT_EQ(contacts(box, pitched, floor, 0.002).size(), 2u);
  const auto all = contacts(box, pitched, floor, 0.005);
  ASSERT_EQ(all.size(), 4u);
  for (const PlanePoint& point : all)
    EXPECT_NEAR(point.distance, point.point.x() > 0 ? 0.4 * std::sin(0.01) : 0.0, 1e-12);
  EXPECT_TRUE(contacts(box, at(0, 0, 0.053), floor, 0.002).empty());
  EXPECT_NEAR(contacts(box, at(0, 0, 0.04), floor, 0.002).at(0).distance, -0.01, 1e-15) << "1 cm inside";
  EXPECT_EQ(contacts(box, at(0, 0, -0.2), floor, 0.002).size(), 4u) << "the upper face touches nothing";
  const Shape can = shape(Shape::Kind::kCylinder, {0.1, 0.3, 0});
  EXPECT_TRUE(contacts(can, at(0, 0, 0.1021) * AngleAxisd(kPi / 2, Vector3d::UnitX()), floor, 0.002).empty());
  // The curved side of a lying cylinder is no flat patch, however far it reaches.
  EXPECT_EQ(contacts(can, at(0, 0, 0.1) * AngleAxisd(kPi / 2, Vector3d::UnitX()), floor, 0.05).size(), 2u);
}

TEST(PlaneContacts, LowestPointsAreThoseOfManySamples)
{
  std::mt19937 rng{3};
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto direction = [&] { return Vector3d(uniform(rng), uniform(rng), uniform(rng)).normalized(); };
  for (int trial = 0; trial < 50; ++trial) {
    const Isometry3d pose = at(uniform(rng), uniform(rng), uniform(rng)) * AngleAxisd(kPi * uniform(rng), direction());
    const Plane plane{direction(), direction()};
    for (const Shape::Kind kind : {Shape::Kind::kCylinder, Shape::Kind::kCapsule, Shape::Kind::kBox}) {
      const Shape one = shape(kind, {0.2, 0.5, 0.3});
      double sampled = kInfinity;
      for (int i = 0; i < 20000; ++i) {  // points of the shape: none may be lower, one nearly as low
        const double angle = kPi * uniform(rng), side = uniform(rng) > 0 ? 0.25 : -0.25;
        Vector3d p;
        if (kind == Shape::Kind::kBox)
          p = Vector3d(uniform(rng) > 0 ? 0.1 : -0.1, side, uniform(rng) > 0 ? 0.15 : -0.15);
        else if (kind == Shape::Kind::kCylinder)
          p = Vector3d(0.2 * std::cos(angle), 0.2 * std::sin(angle), side);
        else
          p = 0.2 * direction() + Vector3d(0, 0, side);
        sampled = std::min(sampled, plane.height(pose * p));
      }
      const double low = lowest({one, nullptr, pose}, plane);
      EXPECT_LE(low, sampled + 1e-12);
      EXPECT_GT(low, sampled - (kind == Shape::Kind::kCapsule ? 2e-3 : 1e-5));
    }
  }
}

TEST(ReducedPatch, KeepsCornersAndMostOfTheArea)
{
  std::vector<PlanePoint> grid;
  for (int i = 0; i <= 10; ++i)
    for (int j = 0; j <= 6; ++j) grid.push_back({{0.1 * i, 0.1 * j, 0.0}, 0.0});
  expect_points(reduced_patch(grid, Vector3d::UnitZ()), {{0, 0, 0}, {1, 0, 0}, {1, 0.6, 0}, {0, 0.6, 0}}, "grid");
  std::vector<PlanePoint> circle;
  for (int i = 0; i < 100; ++i)
    circle.push_back({{std::cos(2 * kPi * i / 100), std::sin(2 * kPi * i / 100), 0.0}, 0.0});
  const auto eight = reduced_patch(circle, Vector3d::UnitZ());
  ASSERT_EQ(eight.size(), 8u);
  double area = 0.0;
  for (std::size_t i = 0; i < 8; ++i) area += 0.5 * eight[i].point.cross(eight[(i + 1) % 8].point).z();
  EXPECT_GT(area, 0.97 * 4 * std::sin(kPi / 4)) << "a regular octagon has 2.83";
  EXPECT_EQ(reduced_patch({{{1, 2, 0}, 0}, {{1, 2, 0}, 0}}, Vector3d::UnitZ()).size(), 1u);
  EXPECT_EQ(reduced_patch({{{0, 0, 0}, 0}, {{1, 0, 0}, 0}, {{0.5, 0, 0}, 0}}, Vector3d::UnitZ()).size(), 2u);
}

/// Vertices of a binary STL file, without anybody's loader.
std::vector<Vector3d> stl_vertices(const std::string& file)
{
  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::vector<Vector3d> vertices;
  if (bytes.size() < 84) return vertices;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  if (bytes.size() != 84 + 50 * std::size_t{count}) return vertices;
  for (std::size_t t = 0; t < count; ++t)
    for (std::size_t v = 0; v < 3; ++v) {
      float xyz[3];
      std::memcpy(xyz, bytes.data() + 84 + 50 * t + 12 * (v + 1), 12);
      vertices.emplace_back(xyz[0], xyz[1], xyz[2]);
    }
  return vertices;
}

class Meshes : public testing::TestWithParam<const char*> {};

TEST_P(Meshes, LowestVerticesAreThoseOfTheFile)
{
#ifdef STICTION_ROBOT_DATA
  const std::string file = std::string(STICTION_ROBOT_DATA) + "/" + GetParam();
  const std::vector<Vector3d> vertices = stl_vertices(file);
  ASSERT_FALSE(vertices.empty()) << file;
  const auto mesh = read_mesh(file, Vector3d::Ones(), "mesh");
  const Shape one = shape(Shape::Kind::kMesh, Vector3d::Ones());
  std::mt19937 rng{5};
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 20; ++trial) {
    const AngleAxisd turn(kPi * uniform(rng), Vector3d(uniform(rng), uniform(rng), uniform(rng)).normalized());
    Isometry3d pose = at(uniform(rng), uniform(rng), 0.0) * turn;
    double low = kInfinity;
    for (const Vector3d& vertex : vertices) low = std::min(low, (pose * vertex).z());
    EXPECT_NEAR(lowest({one, mesh.get(), pose}, Plane()), low, 1e-9);
    pose = at(0, 0, -low) * pose;
    const auto found = contacts(one, pose, Plane(), 0.002, mesh.get());
    ASSERT_FALSE(found.empty());
    EXPECT_LE(found.size(), kMostPatchPoints);
    double nearest = kInfinity;
    for (const PlanePoint& point : found) {  // each is a vertex of the file, at its own height
      double off = kInfinity;
      for (const Vector3d& vertex : vertices) off = std::min(off, (pose * vertex - point.point).norm());
      EXPECT_LT(off, 1e-9);
      EXPECT_NEAR(point.distance, point.point.z(), 1e-12);
      EXPECT_LE(point.distance, 0.002);
      nearest = std::min(nearest, point.distance);
    }
    EXPECT_LT(nearest, 1e-3) << "the face that it lies on is beside the lowest vertex";
  }
#else
  GTEST_SKIP() << "no robots: set STICTION_ROBOT_DATA";
#endif
}

/// The face that a mesh stands on when it is tipped from a random posture, found by trying every vertex: an edge from
/// the lowest one, then a third with all others above. False where faces are too small to tell.
bool stand_on_a_face(const std::vector<Vector3d>& vertices, const Vector3d& up, Plane& plane)
{
  const auto lowest_vertex = [&](auto&& slope) {
    Vector3d best;
    double least = kInfinity;
    for (const Vector3d& vertex : vertices)
      if (const double one = slope(vertex); one < least) {
        least = one;
        best = vertex;
      }
    return best;
  };
  const Vector3d a = lowest_vertex([&](const Vector3d& v) { return up.dot(v); });
  constexpr double kApart = 1e-3;  // m: corners of a face large enough for rounding of the file not to matter
  const auto tip = [&](const Vector3d& axis, const Vector3d& out) {
    return lowest_vertex([&](const Vector3d& v) {
      const Vector3d to = v - a, flat = to - axis * axis.dot(to);
      return flat.norm() < kApart ? kInfinity : std::atan2(flat.dot(up), flat.dot(out));
    });
  };
  const Vector3d side = up.unitOrthogonal();
  const Vector3d b = tip(side.cross(up), side);
  const Vector3d edge = (b - a).normalized();
  Vector3d out = edge.cross(up).normalized();
  const Vector3d c = lowest_vertex([&](const Vector3d& v) {
    const Vector3d to = v - a, flat = to - edge * edge.dot(to);
    return flat.norm() < kApart ? kInfinity : std::abs(std::atan2(flat.dot(edge.cross(out)), flat.dot(out)));
  });
  plane = {a, (b - a).cross(c - a).normalized()};
  if (plane.normal.dot(up) < 0.0) plane.normal = -plane.normal;
  return std::ranges::all_of(vertices, [&](const Vector3d& v) { return plane.height(v) > -1e-7; });
}

/// How far the directions to the other points leave an angle free: more than half a turn at corners of their hull.
double free_angle(const std::vector<Vector3d>& points, const Vector3d& at, const Plane& plane)
{
  const Eigen::Matrix3d axes = plane_axes(plane.normal);
  std::vector<double> angles;
  for (const Vector3d& point : points)
    if (const Vector3d to = point - at; to.norm() > 1e-6)
      angles.push_back(std::atan2(to.dot(axes.col(1)), to.dot(axes.col(0))));
  std::ranges::sort(angles);
  double widest = 2 * kPi - (angles.back() - angles.front());
  for (std::size_t i = 1; i < angles.size(); ++i) widest = std::max(widest, angles[i] - angles[i - 1]);
  return widest;
}

TEST_P(Meshes, PatchesAreTheCornersOfTheFaceThatAMeshStandsOn)
{
#ifdef STICTION_ROBOT_DATA
  const std::string file = std::string(STICTION_ROBOT_DATA) + "/" + GetParam();
  const std::vector<Vector3d> vertices = stl_vertices(file);
  const auto mesh = read_mesh(file, Vector3d::Ones(), "mesh");
  const Shape one = shape(Shape::Kind::kMesh, Vector3d::Ones());
  std::mt19937 rng{7};
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  constexpr double kReach = 1e-6;  // of single precision in the file, and no more
  int stood = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Vector3d up = Vector3d(uniform(rng), uniform(rng), uniform(rng)).normalized();
    Plane plane;
    plane.normal = up;
    double low = kInfinity;
    for (const Vector3d& vertex : vertices) low = std::min(low, plane.height(vertex));
    plane.point = (low - 0.5 * kReach) * up;
    std::vector<Vector3d> near;
    for (const Vector3d& vertex : vertices)
      if (plane.height(vertex) <= kReach) near.push_back(vertex);
    const auto touching = contacts(one, Isometry3d::Identity(), plane, kReach, mesh.get());
    ASSERT_FALSE(touching.empty());
    const auto nearest = std::ranges::min(touching, {}, &PlanePoint::distance);
    EXPECT_NEAR(nearest.distance, 0.5 * kReach, 1e-12) << "the lowest vertex";
    if (std::ranges::all_of(near, [&](const Vector3d& v) { return (v - near[0]).norm() < 1e-9; }))
      expect_points(touching, {near[0]}, "one vertex");
    if (!stand_on_a_face(vertices, up, plane)) continue;
    near.clear();
    for (const Vector3d& vertex : vertices)
      if (plane.height(vertex) <= kReach) near.push_back(vertex);
    const auto found = contacts(one, Isometry3d::Identity(), plane, kReach, mesh.get());
    std::vector<Vector3d> corners;
    for (const Vector3d& vertex : near)
      if (free_angle(near, vertex, plane) > kPi + 1e-3 &&
          std::ranges::none_of(corners, [&](const Vector3d& c) { return (c - vertex).norm() < 1e-6; }))
        corners.push_back(vertex);
    for (const PlanePoint& point : found) EXPECT_GT(free_angle(near, point.point, plane), kPi - 1e-3) << trial;
    EXPECT_EQ(found.size() >= corners.size(), corners.size() <= kMostPatchPoints) << trial;
    for (const Vector3d& corner : corners)
      EXPECT_TRUE(corners.size() > kMostPatchPoints ||
                  std::ranges::any_of(found, [&](const PlanePoint& p) { return (p.point - corner).norm() < 1e-6; }))
          << trial;
    stood += corners.size() > 2;
  }
  EXPECT_GT(stood, 5);
#else
  GTEST_SKIP() << "no robots: set STICTION_ROBOT_DATA";
#endif
}

INSTANTIATE_TEST_SUITE_P(Robots, Meshes,
                         testing::Values("go2_description/collisions/foot_convex.stl",
                                         "solo_description/meshes/stl/with_foot/solo_foot.stl",
                                         "talos_data/meshes/v2/ankle_X_collision.stl"));

}  // namespace
}  // namespace stiction::internal
