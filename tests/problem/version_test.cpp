#include "stiction/version.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stiction {
namespace {

TEST(Version, IsThatOfTheProject)
{
  EXPECT_STREQ(STICTION_VERSION, STICTION_PROJECT_VERSION);
  EXPECT_STREQ(version(), STICTION_PROJECT_VERSION);
  EXPECT_EQ(std::to_string(STICTION_VERSION_MAJOR) + "." + std::to_string(STICTION_VERSION_MINOR) + "." +
                std::to_string(STICTION_VERSION_PATCH),
            STICTION_VERSION);
}

}  // namespace
}  // namespace stiction
