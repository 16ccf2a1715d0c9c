#include "proof/polygon.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_problems.hpp"

namespace stiction::internal {
namespace {

using testing::Rng;
using testing::uniform;

const Polygon kSquare = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

TEST(Orientation, IsExactWhereDoublesAreNot)
{
  EXPECT_EQ(orientation({0, 0}, {1, 0}, {0, 1}), 1);
  EXPECT_EQ(orientation({0, 0}, {0, 1}, {1, 0}), -1);
  EXPECT_EQ(orientation({0.1, 0.1}, {0.2, 0.2}, {0.7, 0.7}), 0);
  // In line but for one unit in the last place of one coordinate, far from the origin.
  const double far = 12345.678, up = std::nextafter(far + 24.0, 1e9);
  EXPECT_EQ(orientation({far, far}, {far + 12.0, far + 12.0}, {far + 24.0, far + 24.0}), 0);
  EXPECT_EQ(orientation({far, far}, {far + 12.0, far + 12.0}, {far + 24.0, up}), 1);
  EXPECT_EQ(orientation({far, far}, {far + 12.0, far + 12.0}, {up, far + 24.0}), -1);
  Rng rng{5};
  for (int i = 0; i < 1000; ++i) {  // any order of the same three points tells the same
    const Eigen::Vector2d a(uniform(rng, -1, 1), uniform(rng, -1, 1)), b(uniform(rng, -1, 1), uniform(rng, -1, 1));
    const Eigen::Vector2d c = a + uniform(rng, 0, 3) * (b - a);  // nearly in line
    EXPECT_EQ(orientation(a, b, c), orientation(b, c, a));
    EXPECT_EQ(orientation(a, b, c), -orientation(b, a, c));
  }
}

TEST(ConvexHull, NamesItsCornersInOrder)
{
  const std::vector<Eigen::Vector2d> points = {{0.5, 0.5}, {1, 1}, {0, 0}, {0.5, 0}, {1, 0}, {0, 1}, {1, 1}};
  Polygon hull;
  std::vector<int> order;
  convex_hull(points, hull, order);
  EXPECT_TRUE(is_convex(hull));
  ASSERT_EQ(hull.size(), 4u) << "neither what is inside, nor in line, nor twice";
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(hull[i], points[static_cast<size_t>(order[i])]);
  EXPECT_NEAR(area(hull), 1.0, 1e-15);
  convex_hull({{2, 3}, {2, 3}}, hull, order);
  EXPECT_EQ(hull.size(), 1u);
  convex_hull({{0, 0}, {1, 1}, {2, 2}}, hull, order);
  EXPECT_EQ(hull.size(), 2u);
  convex_hull({}, hull, order);
  EXPECT_TRUE(hull.empty());
}

TEST(IsConvex, RefusesWhatIsNotItsOwnHull)
{
  EXPECT_TRUE(is_convex(kSquare));
  EXPECT_TRUE(is_convex({{1, 1}, {0, 1}, {0, 0}, {1, 0}})) << "from another corner";
  EXPECT_TRUE(is_convex({{1, 2}}));
  EXPECT_TRUE(is_convex({{1, 2}, {3, 4}}));
  EXPECT_FALSE(is_convex({{1, 2}, {1, 2}}));
  EXPECT_FALSE(is_convex({{0, 0}, {0, 1}, {1, 1}, {1, 0}})) << "clockwise";
  EXPECT_FALSE(is_convex({{0, 0}, {1, 1}, {1, 0}, {0, 1}})) << "crossed";
  EXPECT_FALSE(is_convex({{0, 0}, {0.5, 0}, {1, 0}, {1, 1}, {0, 1}})) << "a corner in line";
  EXPECT_FALSE(is_convex({{0, 0}, {1, 0}, {0.5, 0.5}, {1, 1}, {0, 1}})) << "a notch";
  Polygon twice = kSquare;
  twice.insert(twice.end(), kSquare.begin(), kSquare.end());
  EXPECT_FALSE(is_convex(twice)) << "wound twice";
  Polygon star;  // every corner turns left, wound twice
  for (int i = 0; i < 5; ++i) star.emplace_back(std::cos(i * 4 * M_PI / 5), std::sin(i * 4 * M_PI / 5));
  EXPECT_FALSE(is_convex(star));
}

TEST(Areas, AreEnclosed)
{
  const Bounds square = area_bounds(kSquare);
  EXPECT_LE(square.lower, 1.0);
  EXPECT_GE(square.upper, 1.0);
  EXPECT_LT(square.upper - square.lower, 1e-14);
  EXPECT_EQ(area_bounds({{1, 2}, {3, 4}}).upper, 0.0);
  // A triangle whose area is known exactly, whatever doubles make of its corners.
  const double far = 0x1p40;
  const Bounds exact = area_bounds({{far, far}, {far + 3, far}, {far, far + 5}});
  EXPECT_LE(exact.lower, 7.5);
  EXPECT_GE(exact.upper, 7.5);
  Rng rng{6};
  for (int i = 0; i < 200; ++i) {  // against sums in extended precision
    const auto corner = [&] { return Eigen::Vector2d(uniform(rng, 1.0, 1.5), uniform(rng, 1.0, 1.5)); };
    Polygon triangle = {corner(), corner(), corner()};
    if (orientation(triangle[0], triangle[1], triangle[2]) < 0) std::swap(triangle[1], triangle[2]);
    const auto minus = [&](int k, int axis) { return static_cast<long double>(triangle[k][axis]) - triangle[0][axis]; };
    const long double wanted = 0.5L * (minus(1, 0) * minus(2, 1) - minus(1, 1) * minus(2, 0));
    EXPECT_LE(area_bounds(triangle).lower, wanted);
    EXPECT_GE(area_bounds(triangle).upper, wanted);
  }
  EXPECT_EQ(union_area_bounds({}).upper, 0.0);
  const Polygon moved = {{0.5, 0.5}, {1.5, 0.5}, {1.5, 1.5}, {0.5, 1.5}};
  const Bounds joined = union_area_bounds({kSquare, moved});
  EXPECT_LE(joined.lower, 1.75);
  EXPECT_GE(joined.upper, 1.75);
  EXPECT_LT(joined.upper - joined.lower, 1e-9);
  const Bounds same = union_area_bounds({kSquare, kSquare});
  EXPECT_LE(same.lower, 1.0);
  EXPECT_GE(same.upper, 1.0);
  EXPECT_LT(same.upper, 1.1);
}

TEST(Clip, KeepsTheOwnersOfSides)
{
  Polygon polygon = kSquare;
  std::vector<int> owner = {10, 11, 12, 13};
  EXPECT_FALSE(clip(polygon, owner, {1, 0}, 2.0, 7)) << "nothing is beyond";
  ASSERT_TRUE(clip(polygon, owner, {1, 0}, 0.25, 7));
  EXPECT_TRUE(is_convex(polygon));
  EXPECT_NEAR(area(polygon), 0.25, 1e-15);
  ASSERT_EQ(owner, (std::vector<int>{10, 7, 12, 13}));
  EXPECT_EQ(polygon[1], Eigen::Vector2d(0.25, 0.0));
  ASSERT_TRUE(clip(polygon, owner, Eigen::Vector2d(1, 1).normalized(), 0.1, 8));
  EXPECT_EQ(std::count(owner.begin(), owner.end(), 8), 1);
  EXPECT_TRUE(clip(polygon, owner, {0, 1}, -1.0, 9));
  EXPECT_TRUE(polygon.empty());
}

TEST(Tidy, LeavesCornersThatTurn)
{
  Polygon polygon = {{0, 0}, {0.5, 0}, {1, 0}, {1, 1}, {1 - 1e-12, 1}, {0, 1}};
  std::vector<int> owner = {0, 1, 2, 3, 4, 5};
  tidy(polygon, owner, 1e-9);
  EXPECT_TRUE(is_convex(polygon));
  ASSERT_EQ(polygon.size(), 4u);
  EXPECT_EQ(owner.size(), 4u);
  EXPECT_EQ(std::count(owner.begin(), owner.end(), 3), 0) << "the short side";
  EXPECT_EQ(std::count(owner.begin(), owner.end(), 4), 1) << "the long one it met";
}

TEST(Distances, InsideAndOutside)
{
  EXPECT_EQ(distance_inside(kSquare, {0.5, 0.25}), 0.25);
  EXPECT_EQ(distance_outside(kSquare, {0.5, 0.25}), 0.0);
  EXPECT_EQ(distance_outside(kSquare, {0.5, -2.0}), 2.0);
  EXPECT_NEAR(distance_outside(kSquare, {4.0, 5.0}), 5.0, 1e-15);
  EXPECT_LE(distance_inside(kSquare, {4.0, 5.0}), 0.0);
  EXPECT_EQ(distance_outside({{0, 0}, {2, 0}}, {1, 3}), 3.0);
  EXPECT_EQ(distance_outside({{0, 0}}, {3, 4}), 5.0);
  EXPECT_EQ(distance_inside({{0, 0}, {2, 0}}, {1, 0}), 0.0);
  EXPECT_EQ(distance_outside({}, {3, 4}), kInfinity);
  EXPECT_GT(distance_error(kSquare), 0.0);
  EXPECT_LT(distance_error(kSquare), 1e-13);
}

TEST(UnionArea, CountsOverlapsOnce)
{
  const Polygon moved = {{0.5, 0.5}, {1.5, 0.5}, {1.5, 1.5}, {0.5, 1.5}};
  const Polygon diamond = {{0.5, -0.5}, {1.5, 0.5}, {0.5, 1.5}, {-0.5, 0.5}};
  EXPECT_NEAR(union_area({kSquare}), 1.0, 1e-12);
  EXPECT_NEAR(union_area({kSquare, moved}), 1.75, 1e-12);
  EXPECT_NEAR(union_area({kSquare, kSquare}), 1.0, 1e-12);
  EXPECT_NEAR(union_area({kSquare, diamond}), 2.0, 1e-12);  // the square inside the diamond of area 2
  EXPECT_NEAR(union_area({kSquare, {{3, 3}, {4, 3}, {4, 4}}}), 1.5, 1e-12);
  const Polygon inside = {{0.2, 0.2}, {0.4, 0.2}, {0.4, 0.4}, {0.2, 0.4}},
                above = {{0, 0.8}, {1, 0.8}, {1, 1.5}, {0, 1.5}};
  EXPECT_NEAR(union_area({kSquare, inside, above}), 1.5, 1e-12);
  // A star: every tip of the diamond |x| + |y| <= 1.5 looks out of the square of area 4 by a quarter.
  const Polygon square = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, tips = {{1.5, 0}, {0, 1.5}, {-1.5, 0}, {0, -1.5}};
  EXPECT_NEAR(union_area({square, tips}), 5.0, 1e-12);
  EXPECT_EQ(union_area({}), 0.0);
}

}  // namespace
}  // namespace stiction::internal
