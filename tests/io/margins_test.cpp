// Numbers around the verdict, as reports and people are told them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/checked.hpp"
#include "io/rounded.hpp"

namespace stiction::internal {
namespace {

using Json = nlohmann::ordered_json;

double margin_number(const Json& value)
{
  return value.is_number() ? value.get<double>() : std::stod(value.get<std::string>());
}

TEST(Rounded, IsEnoughAndAThousandthLessIsNot)
{
  EXPECT_EQ(enough(1.178), "1.178");
  EXPECT_EQ(enough(1.17800001), "1.179");
  EXPECT_EQ(enough(0.47126), "0.4713");
  EXPECT_EQ(enough(99999.0), "1e+05");
  EXPECT_EQ(enough(0.0), "0");
  for (double value = 1e-4; value < 1e4; value *= 1.0137) {
    const double printed = std::stod(enough(value));
    EXPECT_GE(printed, value);
    EXPECT_LT(0.999 * printed, value);
  }
}

TEST(Rounded, TellsABoundaryOrTheSideThatHolds)
{
  EXPECT_EQ(at_least(0.50000001), "0.5");
  EXPECT_EQ(at_least(0.81544), "0.8155");
  EXPECT_EQ(at_most(3.9239999), "3.924");
  EXPECT_EQ(at_most(3.92388), "3.923");
}

TEST(Margins, OfUniqueForcesAreFound)  // four point feet: twelve forces, eighteen rows
{
  const Json report = checked_json("quadruped_standing");
  EXPECT_NEAR(margin_number(report["margins"]["friction_scale"]), 2.266e-6, 1e-9);
  for (const Json& contact : report["contacts"]) {
    EXPECT_EQ(margin_number(contact["normal_interval"][0]), margin_number(contact["normal_force"]));
    EXPECT_EQ(margin_number(contact["normal_interval"][1]), margin_number(contact["normal_force"]));
  }
}

/// What is nearest to slipping uses as much of its friction as the margin says is needed.
TEST(Margins, AgreeWithTheForcesShown)
{
  for (const char* name : {"block_on_ground", "box_on_slope", "box_on_steep_slope", "mug_in_hand", "rail_grasp",
                           "pinch_too_weak", "pinch_on_guide", "block_on_corner"}) {
    const Json report = checked_json(name);
    if (!report["margins"].contains("friction_scale") || report["margins"]["friction_scale"].is_null()) continue;
    double used = 0.0;
    for (const Json& contact : report["contacts"]) used = std::max(used, margin_number(contact["utilisation"]));
    const double scale = margin_number(report["margins"]["friction_scale"]);
    EXPECT_NEAR(used, scale, 1e-4 * scale) << name;
  }
}

TEST(Margins, OfASymmetricStackShowSymmetricForces)
{
  const Json report = checked_json("stack_of_boxes");
  ASSERT_EQ(report["contacts"].size(), 8u);
  for (const std::size_t i : {0u, 2u, 4u, 6u})  // left and right of the plane of symmetry
    EXPECT_NEAR(margin_number(report["contacts"][i]["normal_force"]),
                margin_number(report["contacts"][i + 1]["normal_force"]), 1e-6);
}

}  // namespace
}  // namespace stiction::internal
