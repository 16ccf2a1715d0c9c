#include "draw/region_drawing.hpp"

#include <gmock/gmock.h>

#include <regex>

#include "draw/golden_svg.hpp"
#include "io/checked.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

TEST(RegionDrawing, Golden)
{
  // A search that takes another way moves corners by less than the gap: a fifth of a pixel here.
  expect_golden(region_svg(checked("biped_region")), "biped_region", 0.2);
}

TEST(RegionDrawing, SaysWhichWayIsUphill)
{
  EXPECT_THAT(region_svg(checked("biped_region")), ::testing::Not(HasSubstr("uphill")));
  // Gravity leans along x: the ground rises the other way, by atan 0.1.
  const std::string leaning = region_svg(checked("biped_region", {{"gravity", "[0.981, 0, -9.81]"}}));
  EXPECT_THAT(leaning, HasSubstr("uphill, 5.71°"));
  EXPECT_THAT(leaning, HasSubstr("gravity leans"));
  EXPECT_THAT(leaning, HasSubstr("<path class=\"slope\" d=\"M622.0 84.0L590.0 84.0\"/>"));
  EXPECT_THAT(leaning, HasSubstr("<path class=\"slope\" d=\"M590.0 124.0L622.0 124.0\"/>"));
}

TEST(RegionDrawing, HasASoleForEachFoot)
{
  const std::string svg = region_svg(checked("biped_region"));
  std::size_t soles = 0;
  for (std::size_t at = svg.find("<polygon class=\"sole\""); at != svg.npos;
       at = svg.find("<polygon class=\"sole\"", at + 1))
    ++soles;
  EXPECT_EQ(soles, 2u);
}

TEST(RegionDrawing, UnboundedAndEmptyRegionsSaySo)
{
  EXPECT_THAT(region_svg(checked("box_on_steep_slope", {{"question", "region"}, {"contacts.0.mu", "0.1"}})),
              HasSubstr("the region is empty"));
  const std::vector<ScenarioOverride> walls = {
      {"question", "region"},
      {"options", "{}"},
      {"contacts",
       "[{name: a, link: box/box, points: [[-0.1, 0.1, 0.1], [-0.1, -0.1, 0.1], [-0.1, 0, -0.1]], normal: "
       "[1, 0, 0], mu: 0.8}, {name: b, link: box/box, points: [[0.1, 0.1, 0.1], [0.1, -0.1, 0.1], [0.1, 0, "
       "-0.1]], normal: [-1, 0, 0], mu: 0.8}]"}};
  EXPECT_THAT(region_svg(checked("box_pushed", walls)), HasSubstr(">unbounded</text>"));
}

/// Sides on paper, without short ones round corners.
struct DrawnSide {
  double x, y;  ///< of the middle, pixels
  bool upright;
  std::string limit;
};
std::vector<DrawnSide> sides_of(const std::string& svg)
{
  const std::regex side(R"~(<path class="(\w+)" d="M([-.\d]+) ([-.\d]+)L([-.\d]+) ([-.\d]+)"><title>([^<]*)</title>)~");
  std::vector<DrawnSide> sides;
  for (std::sregex_iterator at(svg.begin(), svg.end(), side), end; at != end; ++at) {
    const double x0 = std::stod((*at)[2]), y0 = std::stod((*at)[3]), x1 = std::stod((*at)[4]), y1 = std::stod((*at)[5]);
    if (std::hypot(x1 - x0, y1 - y0) < 20.0) continue;
    sides.push_back({0.5 * (x0 + x1), 0.5 * (y0 + y1), std::abs(x1 - x0) < std::abs(y1 - y0), (*at)[6]});
  }
  return sides;
}

TEST(RegionDrawing, SaysWhereTheBodyTipsAndWhereItSlips)
{
  const auto feet = sides_of(region_svg(checked("biped_region")));
  ASSERT_EQ(feet.size(), 4u);
  for (const DrawnSide& side : feet) EXPECT_EQ(side.limit, "tipping");
  // A box in a groove along y, with sides of 45 degrees: along x lines of action meet above the centre of mass as far
  // as friction lets them lean (0.0385 m), along y the box tips over its lower edges.
  const auto groove = sides_of(region_svg(
      checked("box_pushed", {{"question", "region"},
                             {"options", "{}"},
                             {"contacts",
                              "[{name: a, link: box/box, points: [[-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1]], normal: "
                              "[0.7071067811865476, 0, 0.7071067811865476], mu: 0.2}, {name: b, link: box/box, points: "
                              "[[0.1, 0.1, -0.1], [0.1, -0.1, -0.1]], normal: [-0.7071067811865476, 0, "
                              "0.7071067811865476], mu: 0.2}]"}})));
  ASSERT_EQ(groove.size(), 4u);
  for (const DrawnSide& side : groove) EXPECT_EQ(side.limit, side.upright ? "friction" : "tipping");
}

TEST(RegionDrawing, SaysWhichEffortLimitsASide)
{
  // Ahead ankles give in, behind knees; towards a foot, those of its leg.
  const auto loaded = sides_of(region_svg(checked(
      "biped_region", {{"models.robot.effort", "limits"}, {"loads", "[{link: robot/torso, force: [0, 0, -1500]}]"}})));
  ASSERT_GE(loaded.size(), 6u);
  double left = 1e9, right = -1e9, low = -1e9, high = 1e9;
  for (const DrawnSide& side : loaded) {
    left = std::min(left, side.x);
    right = std::max(right, side.x);
    low = std::max(low, side.y);
    high = std::min(high, side.y);
  }
  for (const DrawnSide& side : loaded) {
    const std::string leg = side.y < 0.5 * (low + high) - 1.0   ? "left"
                            : side.y > 0.5 * (low + high) + 1.0 ? "right"
                                                                : "";
    EXPECT_THAT(side.limit, HasSubstr("effort of " + leg)) << side.x << " " << side.y;
    if (side.x == right) {
      EXPECT_THAT(side.limit, ::testing::EndsWith("_ankle and 1 more"));
    }
    if (side.x == left) {
      EXPECT_THAT(side.limit, ::testing::EndsWith("_knee and 1 more"));
    }
  }
  // Between two walls it is how hard they may be pressed.
  const auto walls = sides_of(region_svg(checked(
      "box_pushed", {{"question", "region"},
                     {"options", "{}"},
                     {"contacts",
                      "[{name: a, link: box/box, points: [[-0.1, 0.1, 0.1], [-0.1, -0.1, 0.1], [-0.1, 0.1, "
                      "-0.1], [-0.1, -0.1, -0.1]], normal: [1, 0, 0], mu: 0.8, max_normal: 10}, {name: b, link: "
                      "box/box, points: [[0.1, 0.1, 0.1], [0.1, -0.1, 0.1], [0.1, 0.1, -0.1], [0.1, -0.1, "
                      "-0.1]], normal: [-1, 0, 0], mu: 0.8, max_normal: 10}]"}})));
  ASSERT_GE(walls.size(), 4u);
  for (const DrawnSide& side : walls) EXPECT_EQ(side.limit, "largest normal force");
}

TEST(RegionDrawing, CsvHasEveryCorner)
{
  const ScenarioReport report = checked("biped_region");
  const Json json = Json::parse(to_json(report));
  const std::string csv = region_csv(report);
  EXPECT_THAT(csv, ::testing::StartsWith("piece,polygon,x,y\n0,inner,"));
  const auto lines = static_cast<std::size_t>(std::ranges::count(csv, '\n'));
  EXPECT_EQ(lines, 1 + json["region"]["pieces"][0]["inner"].size() + json["region"]["pieces"][0]["outer"].size());
  EXPECT_THROW(region_svg(checked("box_pushed")), InputError);
  EXPECT_THROW(region_csv(checked("box_pushed")), InputError);
}

TEST(RegionDrawing, NamesAreEscaped)
{
  EXPECT_THAT(region_svg(checked("biped_region", {{"name", "a < b & \"c\""}})),
              HasSubstr("a &lt; b &amp; &quot;c&quot;"));
}

}  // namespace
}  // namespace stiction::internal
