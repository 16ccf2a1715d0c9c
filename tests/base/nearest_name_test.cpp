#include "base/nearest_name.hpp"

#include <gtest/gtest.h>

namespace stiction::internal {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps)
{
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("inspect", "inspct"), 1u);
  EXPECT_EQ(edit_distance("normal", "noraml"), 1u);  // a swap is one slip of the fingers, not two
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("flaw", "lawn"), 2u);
}

TEST(NearestName, FindsTheNearestNotTheFirst)
{
  EXPECT_EQ(nearest_name("velocit", {"velocities", "velocity", "velocitron"}), "velocity");  // all three are near
  EXPECT_EQ(nearest_name("--hepl", {"--version", "--help"}), "--help");
}

TEST(NearestName, StaysSilentWhenNothingIsNear)
{
  EXPECT_EQ(nearest_name("frobnicate", {"check", "inspect"}), "");
  EXPECT_EQ(nearest_name("xy", {"mu", "at", "on"}), "");
  EXPECT_EQ(nearest_name("anything", {}), "");
}

TEST(DidYouMean, EndsAMessageOrSaysNothing)
{
  EXPECT_EQ(did_you_mean("left_kne", {"right_knee", "left_knee"}), ", did you mean 'left_knee'?");
  EXPECT_EQ(did_you_mean("nose", {"right_knee", "left_knee"}), "");
}

}  // namespace
}  // namespace stiction::internal
