#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "proof/sign_cover.hpp"

namespace stiction::internal {
namespace {

std::vector<MotionLeaf> leaves_of(const std::vector<std::vector<int>>& signs)
{
  std::vector<MotionLeaf> leaves;
  for (const auto& s : signs) leaves.push_back({s, {}});
  return leaves;
}

/// Oracle: tries every sign pattern.
bool covers_by_enumeration(const std::vector<MotionLeaf>& leaves, std::size_t contacts)
{
  for (unsigned pattern = 0; pattern < (1u << contacts); ++pattern) {
    bool covered = false;
    for (const MotionLeaf& leaf : leaves) {
      bool agrees = true;
      for (std::size_t c = 0; c < contacts; ++c) {
        const int sign = (pattern >> c) & 1u ? 1 : -1;
        agrees = agrees && leaf.signs[c] != -sign;
      }
      covered = covered || agrees;
    }
    if (!covered) return false;
  }
  return true;
}

TEST(SignCover, SmallTrees)
{
  EXPECT_FALSE(covers_every_sign({}, 0));
  EXPECT_FALSE(covers_every_sign({}, 2));
  EXPECT_TRUE(covers_every_sign(leaves_of({{}}), 0));
  EXPECT_TRUE(covers_every_sign(leaves_of({{0, 0}}), 2));
  EXPECT_FALSE(covers_every_sign(leaves_of({{1, 0}}), 2));
  EXPECT_FALSE(covers_every_sign(leaves_of({{1, 0}, {1, 0}}), 2));
  EXPECT_TRUE(covers_every_sign(leaves_of({{-1, 0}, {1, 0}}), 2));
  EXPECT_TRUE(covers_every_sign(leaves_of({{-1, 0}, {1, 1}, {1, -1}}), 2));
  EXPECT_FALSE(covers_every_sign(leaves_of({{-1, 1}, {1, 1}, {1, -1}}), 2));
  const auto not_a_tree = leaves_of({{1, 1, 0}, {0, -1, 1}, {-1, 0, -1}, {1, -1, -1}, {-1, 1, 1}});
  EXPECT_TRUE(covers_every_sign(not_a_tree, 3));
}

TEST(SignCover, AgreesWithEnumeration)
{
  std::mt19937 rng{5};
  std::uniform_int_distribution<int> sign(-1, 1), count(1, 12), contacts(1, 5);
  int covered = 0, open = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto n = static_cast<std::size_t>(contacts(rng));
    std::vector<std::vector<int>> signs(static_cast<std::size_t>(count(rng)), std::vector<int>(n));
    for (auto& leaf : signs)
      for (int& s : leaf) s = sign(rng);
    const auto leaves = leaves_of(signs);
    const bool want = covers_by_enumeration(leaves, n);
    EXPECT_EQ(covers_every_sign(leaves, n), want);
    (want ? covered : open)++;
  }
  EXPECT_GT(covered, 500);
  EXPECT_GT(open, 500);
}

TEST(SignCover, DeepTreesAreQuickAndALostLeafIsNoticed)
{
  // A random tree over 200 contacts with 4096 leaves.
  std::mt19937 rng{6};
  std::vector<std::vector<int>> signs{std::vector<int>(200, 0)};
  while (signs.size() < 4096) {
    const std::size_t leaf = std::uniform_int_distribution<std::size_t>(0, signs.size() - 1)(rng);
    const std::size_t contact = std::uniform_int_distribution<std::size_t>(0, 199)(rng);
    if (signs[leaf][contact] != 0) continue;
    signs.push_back(signs[leaf]);
    signs[leaf][contact] = 1;
    signs.back()[contact] = -1;
  }
  std::shuffle(signs.begin(), signs.end(), rng);
  EXPECT_TRUE(covers_every_sign(leaves_of(signs), 200));
  signs.pop_back();
  EXPECT_FALSE(covers_every_sign(leaves_of(signs), 200));
}

}  // namespace
}  // namespace stiction::internal
