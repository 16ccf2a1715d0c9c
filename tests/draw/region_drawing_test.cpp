#include "draw/region_drawing.hpp"

#include <gmock/gmock.h>

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
