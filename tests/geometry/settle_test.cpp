// Bodies that tip over until they stand: where they end is known beforehand.
#include "geometry/settle.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stiction::internal {
namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;

const Vector3d kDown{0, 0, -9.81};

std::vector<Corner> box(const Vector3d& half)
{
  std::vector<Corner> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back({{i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(), i & 4 ? half.z() : -half.z()}});
  return corners;
}

std::vector<Corner> turned(std::vector<Corner> corners, const Matrix3d& R)
{
  for (Corner& corner : corners) corner.center = R * corner.center;
  return corners;
}

TEST(Settle, ABoxComesToRestOnAFace)
{
  std::mt19937 rng{1};
  std::normal_distribution<double> gauss;
  for (int trial = 0; trial < 200; ++trial) {
    const Matrix3d start = Eigen::Quaterniond(gauss(rng), gauss(rng), gauss(rng), gauss(rng)).normalized().matrix();
    const Settled result = settle(turned(box({0.3, 0.2, 0.1}), start), Vector3d::Zero(), {}, kDown, 100);
    ASSERT_TRUE(result.settled);
    const Vector3d up = (result.rotation * start).transpose() * Vector3d::UnitZ();
    EXPECT_NEAR(up.cwiseAbs().maxCoeff(), 1.0, 1e-9) << "an axis of the box is vertical";
  }
}

TEST(Settle, ItTipsToTheSideThatItsWeightIsOn)
{
  // On the edge along y, tilted a little less, and a little more, than balanced.
  for (const double angle : {0.75, 0.82}) {
    const Matrix3d start = AngleAxisd(angle, Vector3d::UnitY()).matrix();
    const Settled result = settle(turned(box({0.1, 0.1, 0.1}), start), Vector3d::Zero(), {}, kDown, 100);
    ASSERT_TRUE(result.settled);
    const AngleAxisd turn(result.rotation);
    EXPECT_NEAR(turn.angle() * turn.axis().y(), angle < 0.7853 ? -angle : 1.5707963267948966 - angle, 1e-9);
  }
}

TEST(Settle, ATableWithAShortLegStandsOnThree)
{
  const std::vector<Corner> feet = {{{1, 1, 0}}, {{-1, 1, 0}}, {{-1, -1, 0}}, {{1, -1, 0.02}}};
  const Vector3d center{0.1, -0.1, 1.0};  // towards the short leg
  const Settled result = settle(feet, center, {}, kDown, 1);
  ASSERT_TRUE(result.settled);
  std::vector<double> heights;
  double low = 1e9;
  for (const Corner& foot : feet) low = std::min(low, (result.rotation * foot.center).z());
  for (const Corner& foot : feet) heights.push_back((result.rotation * foot.center).z() - low);
  EXPECT_NEAR(heights[0], 0, 1e-12);
  EXPECT_NEAR(heights[2], 0, 1e-12);
  EXPECT_NEAR(heights[3], 0, 1e-12) << "it tips onto the short leg";
  EXPECT_GT(heights[1], 0.015);
  // With its weight on the long ones it stays.
  const Settled stays = settle(feet, {-0.1, 0.1, 1.0}, {}, kDown, 1);
  EXPECT_TRUE(stays.settled);
  EXPECT_TRUE(stays.rotation.isIdentity(1e-12));
}

TEST(Settle, BallsAtTheEndsOfLegsTouchWithTheirLowestPoints)
{
  const std::vector<Corner> feet = {{{1, 0, 0.05}, 0.05}, {{-1, 1, 0.06}, 0.03}, {{-1, -1, 0.04}, 0.02}};
  const Settled result = settle(feet, {-0.3, 0, 1}, {}, kDown, 1);
  ASSERT_TRUE(result.settled);
  std::vector<double> heights;
  for (const Corner& foot : feet) heights.push_back((result.rotation * foot.center).z() - foot.radius);
  EXPECT_NEAR(heights[0], heights[1], 1e-12);
  EXPECT_NEAR(heights[0], heights[2], 1e-12);
}

TEST(Settle, OnASlopeGravityDecides)
{
  // A slim box on a slope of 30 degrees stands unless it is higher than wide / tan 30.
  const Matrix3d tilt = AngleAxisd(-0.5235987755982988, Vector3d::UnitY()).matrix();
  const Plane slope{Vector3d::Zero(), tilt * Vector3d::UnitZ()};
  const Settled low = settle(turned(box({0.1, 0.1, 0.17}), tilt), Vector3d::Zero(), slope, kDown, 100);
  ASSERT_TRUE(low.settled);
  EXPECT_TRUE(low.rotation.isIdentity(1e-12));
  const Settled high = settle(turned(box({0.1, 0.1, 0.18}), tilt), Vector3d::Zero(), slope, kDown, 100);
  ASSERT_TRUE(high.settled);
  EXPECT_NEAR(AngleAxisd(high.rotation).angle(), 1.5707963267948966, 1e-9) << "it falls onto its side, downhill";
}

TEST(Settle, ABallNeverStands)
{
  EXPECT_FALSE(settle({{{0, 0, 0}, 0.1}}, {0, 0, 0}, {}, kDown, 100).settled);
  EXPECT_FALSE(settle({}, {0, 0, 0}, {}, kDown, 100).settled);
  EXPECT_FALSE(settle(box({1, 1, 1}), {0, 0, 0}, {}, -kDown, 100).settled) << "gravity pulls away";
}

TEST(ConvexHull, LeavesOutPointsOnEdges)
{
  const std::vector<Eigen::Vector2d> points = {{0, 0}, {1, 0}, {0.5, 0}, {1, 1}, {0, 1}, {0.5, 0.5}, {0, 0.5}};
  EXPECT_EQ(convex_hull(points, [](const auto& p) { return p; }), (std::vector<int>{0, 1, 3, 4}));
}

}  // namespace
}  // namespace stiction::internal
