#include "draw/row_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Files that are gone afterwards.
class PlotFiles : public ::testing::Test {
 protected:
  void SetUp() override
  {
    folder_ = std::filesystem::temp_directory_path() /
              ("stiction_plot_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  BatchArguments arguments(const std::string& inputs, const std::string& in, const std::string& results,
                           const std::string& out)
  {
    std::ofstream(folder_ / inputs) << in;
    std::ofstream(folder_ / results) << out;
    BatchArguments arguments;
    arguments.document = parse_scenario("name: a <box>", "", "scenario");
    arguments.inputs = (folder_ / inputs).string();
    arguments.out = (folder_ / results).string();
    return arguments;
  }

 private:
  std::filesystem::path folder_;
};

using RowPlotData = PlotFiles;

std::vector<double> all_x(const RowPlot& plot)
{
  std::vector<double> x;
  for (const RowPlot::Row& row : plot.rows) x.push_back(row.x);
  return x;
}

TEST_F(RowPlotData, ABatchIsDrawnOverTheNumberThatItsRowsChange)
{
  const BatchArguments files =
      arguments("rows.csv", "contacts.a.mu,contacts.b.mu,gravity\n0.5,0.5,1\n0.3,0.3,1\n0.4,0.4,1\n", "out.csv",
                "id,verdict,utilisation,slack,friction_scale,summary,error\n"
                "1,holds,0.728,2,0.728,holds: it does,\n2,fails,,,inf,\"fails: it, too\",\n"
                "3,holds,0.91,1,0.91,holds: it does,\n");
  const RowPlot plot = read_batch_plot(files);
  EXPECT_EQ(plot.title, "a <box>");
  EXPECT_EQ(plot.x_words, "contacts.a.mu, contacts.b.mu");  // always the same; gravity never changes
  EXPECT_THAT(all_x(plot), ElementsAre(0.3, 0.4, 0.5));
  ASSERT_EQ(plot.curves.size(), 3u);
  EXPECT_EQ(plot.curves[1].words, "friction in use [%]");
  EXPECT_TRUE(std::isnan(plot.curves[1].values[0]));
  EXPECT_NEAR(plot.curves[1].values[1], 91.0, 1e-9);
  EXPECT_EQ(plot.curves[1].limit, 100.0);
  ASSERT_EQ(plot.marks.size(), 1u);
  EXPECT_EQ(plot.marks[0].words, "fails at 0.3, holds at 0.4");
  EXPECT_DOUBLE_EQ(plot.marks[0].x, 0.35);
  EXPECT_EQ(plot.rows[0].summary, "fails: it, too");
}

TEST_F(RowPlotData, RowsThatChangeTwoThingsAreNumbered)
{
  const RowPlot plot =
      read_batch_plot(arguments("rows.jsonl", "{\"a\": 1, \"b\": 3}\n{\"a\": 2, \"b\": 1}\n", "out.jsonl",
                                "{\"id\":1,\"verdict\":\"holds\",\"slack\":1.5,\"summary\":\"holds\"}\n{\"id\":2,"
                                "\"line\":2,\"error\":\"bad\"}\n"));
  EXPECT_EQ(plot.x_words, "row");
  EXPECT_THAT(all_x(plot), ElementsAre(1.0, 2.0));
  EXPECT_EQ(plot.rows[0].verdict, Verdict::kHolds);
  EXPECT_FALSE(plot.rows[1].verdict);
}

TEST_F(RowPlotData, ATrajectoryShowsWhichContactsAreOn)
{
  const RowPlot plot = read_track_plot(arguments(
      "rows.csv", "time,contact.left,contact.right\n0,1,0\n0.5,0,\n1.5,x\n2,1,1\n", "out.jsonl",
      "{\"id\":1,\"verdict\":\"fails\",\"time\":0,\"joint_load\":0.25,\"contacts\":1,\"summary\":\"fails: tips\"}\n"
      "{\"id\":2,\"verdict\":\"undecided\",\"time\":0.5,\"joint_load\":null,\"contacts\":1,\"summary\":\"?\"}\n"
      "{\"id\":3,\"line\":4,\"error\":\"want\"}\n"
      "{\"id\":4,\"verdict\":\"holds\",\"time\":2,\"joint_load\":0.5,\"contacts\":2,\"summary\":\"holds\"}\n"));
  EXPECT_TRUE(plot.over_time);
  ASSERT_EQ(plot.rows.size(), 4u);
  EXPECT_EQ(plot.rows[0].x, 0.0);
  EXPECT_EQ(plot.rows[1].x, 0.5);
  EXPECT_EQ(plot.rows[3].x, 2.0);
  ASSERT_EQ(plot.schedules.size(), 2u);
  EXPECT_EQ(plot.schedules[0].contact, "left");
  EXPECT_EQ(plot.schedules[0].on, (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(plot.schedules[1].on, (std::vector<bool>{false, true, true, true}));  // an empty cell changes nothing
  ASSERT_EQ(plot.curves.size(), 1u);                                              // not one of contacts or time
  EXPECT_EQ(plot.curves[0].words, "joint nearest to its limit [%]");
  EXPECT_EQ(plot.curves[0].values[3], 50.0);
}

TEST_F(RowPlotData, AsksForFilesThatCanBeReadBack)
{
  BatchArguments files = arguments("rows.csv", "", "out.csv", "");
  files.document = load_scenario(std::string(STICTION_SOURCE_DIR) + "/scenarios/box_on_slope.yaml");
  require_plottable(files, "a.svg");
  EXPECT_THROW(require_plottable(files, "a.png"), InputError);
  EXPECT_THROW(require_plottable(files, files.out), InputError);
  files.shard = BatchShard{1, 2};
  EXPECT_THROW(require_plottable(files, "a.svg"), InputError);
  files.shard.reset();
  files.out = "/dev/null";
  EXPECT_THROW(require_plottable(files, "a.svg"), InputError);
}

RowPlot many_rows(std::size_t odd, const std::optional<Verdict>& verdict)
{
  RowPlot plot;
  plot.over_time = true;
  for (std::size_t i = 0; i < 20000; ++i)
    plot.rows.push_back({0.01 * static_cast<double>(i), i == odd ? verdict : Verdict::kHolds, ""});
  plot.curves.push_back({"it", 1.0, std::vector<double>(plot.rows.size(), 0.5)});
  plot.curves[0].values[odd] = 0.75;
  return plot;
}

TEST(RowPlot, OneRowOfManyIsSeen)
{
  for (const std::size_t odd : {0u, 7777u, 19999u}) {
    EXPECT_THAT(row_plot_svg(many_rows(odd, Verdict::kFails)), HasSubstr("class=\"band_fails\" x=\"")) << odd;
    EXPECT_THAT(row_plot_svg(many_rows(odd, Verdict::kFails)), HasSubstr("class=\"behind\"")) << odd;
    EXPECT_THAT(row_plot_svg(many_rows(odd, Verdict::kUndecided)), HasSubstr("undecided from")) << odd;
    EXPECT_THAT(row_plot_svg(many_rows(odd, std::nullopt)), HasSubstr("bad rows from")) << odd;
  }
  const std::string svg = row_plot_svg(many_rows(7777, Verdict::kHolds));
  EXPECT_THAT(svg, Not(HasSubstr("fails from")));
  EXPECT_LT(svg.size(), 60000u);  // as many points as pixels, not as rows
  const auto peak = many_rows(7777, Verdict::kHolds);
  RowPlot flat = peak;
  flat.curves[0].values[7777] = 0.5;
  EXPECT_NE(row_plot_svg(flat), svg);  // the one larger value is drawn
}

TEST(RowPlot, ValuesThatAreMissingLeaveAGap)
{
  RowPlot plot;
  for (int i = 0; i < 5; ++i) plot.rows.push_back({1.0 * i, Verdict::kHolds, ""});
  plot.curves.push_back({"it", std::nullopt, {1.0, 2.0, kMissing, kInfinity, 3.0}});
  const std::string svg = row_plot_svg(plot);
  EXPECT_THAT(svg, HasSubstr("<circle class=\"alone\""));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(RowPlot, NoRowsAndOneRowAreDrawn)
{
  EXPECT_THAT(row_plot_svg({}), HasSubstr("</svg>"));
  RowPlot plot;
  plot.rows.push_back({3.0, Verdict::kFails, "fails: <so>"});
  EXPECT_THAT(row_plot_svg(plot), HasSubstr("fails: &lt;so&gt;"));
}

TEST(RowPlot, APageNeedsNothingElse)
{
  const std::string page = html_page("a <b>", row_plot_svg(many_rows(1, Verdict::kFails)));
  EXPECT_THAT(page, HasSubstr("<title>a &lt;b&gt;</title>"));
  for (const char* outside : {"src=", "href=", "@import", "url(http"}) EXPECT_THAT(page, Not(HasSubstr(outside)));
}

}  // namespace
}  // namespace stiction::internal
