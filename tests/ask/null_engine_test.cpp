// Whoever needs an engine says so at once.
#include <gtest/gtest.h>

#include "stiction/closure.hpp"
#include "stiction/couplings.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/error.hpp"
#include "stiction/impact.hpp"
#include "stiction/region.hpp"
#include "stiction/sliding.hpp"
#include "stiction/sticking.hpp"

namespace stiction {
namespace {

template <class Checker>
class NullEngine : public ::testing::Test {};

using Checkers = ::testing::Types<StickingChecker, EquilibriumChecker, RegionChecker, ClosureChecker, SlidingChecker,
                                  ImpactChecker, CouplingChecker>;
TYPED_TEST_SUITE(NullEngine, Checkers);

template <class Make>
std::string path_of_error(Make make)
{
  try {
    make();
  } catch (const InputError& error) {
    return error.path();
  }
  return "no error";
}

TYPED_TEST(NullEngine, IsRefused)
{
  EXPECT_EQ(path_of_error([] { TypeParam checker(nullptr); }), "engine");
}

TEST(NullEngineOfAMonitor, IsRefused)
{
  EXPECT_EQ(path_of_error([] { EquilibriumMonitor monitor({}, nullptr); }), "engine");
}

}  // namespace
}  // namespace stiction
