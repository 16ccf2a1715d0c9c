// Plots of rows: verdict bands, curves below each other over one axis, contact schedule.
#include "draw/row_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/numerics.hpp"
#include "draw/svg.hpp"

namespace stiction::internal {
namespace {

constexpr double kPlotWidth = 900.0, kPlotLeft = 92.0, kPlotRight = 24.0, kBandHeight = 26.0, kCurveHeight = 96.0,
                 kBarHeight = 14.0;
constexpr double kPlotInside = kPlotWidth - kPlotLeft - kPlotRight;
constexpr int kColumns = static_cast<int>(kPlotInside);  // of pixels

/// What a column of pixels shows: the worst of the rows in it.
enum class Band { kNone, kHolds, kUndecided, kBad, kFails };
constexpr std::array kBandNames = {"", "holds", "undecided", "bad rows", "fails"};
constexpr std::array kBandCss = {"", "band_holds", "band_undecided", "band_bad", "band_fails"};

Band band_of(const std::optional<Verdict>& verdict)
{
  if (!verdict) return Band::kBad;
  return *verdict == Verdict::kHolds ? Band::kHolds : *verdict == Verdict::kFails ? Band::kFails : Band::kUndecided;
}

std::string style_of_plots()
{
  return "<style>.stiction text{fill:#000}.stiction .title{font-size:16px;font-weight:bold}"
         ".stiction .frame{fill:none;stroke:#666}.stiction .grid{stroke:#ddd;fill:none}"
         ".stiction .limit{stroke:#a33c00;stroke-dasharray:6 3;stroke-width:1.3;fill:none}"
         ".stiction .curve{stroke:#0072b2;stroke-width:1.6;fill:none;stroke-linejoin:round}"
         ".stiction .alone{fill:#0072b2}.stiction .mark{stroke:#000;stroke-dasharray:2 2;fill:none}"
         ".stiction .band_holds{fill:#cfe6f5}.stiction .band_fails{fill:#a33c00}"
         ".stiction .band_undecided{fill:url(#undecided)}.stiction .band_bad{fill:url(#bad)}"
         ".stiction .behind{fill:#a33c00;fill-opacity:.14}.stiction .on{fill:#444}</style>\n"
         "<defs><pattern id=\"undecided\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
         "height=\"6\" fill=\"#fff\"/><path d=\"M0 6L6 0\" stroke=\"#000\" stroke-width=\".9\"/></pattern>"
         "<pattern id=\"bad\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><rect width=\"5\" height=\"5\" "
         "fill=\"#fff\"/><circle cx=\"2.5\" cy=\"2.5\" r=\"1\" fill=\"#000\"/></pattern></defs>\n";
}

class PlotPage {
 public:
  explicit PlotPage(const RowPlot& plot) : plot_(plot)
  {
    first_ = plot.rows.empty() ? 0.0 : plot.rows.front().x;
    last_ = plot.rows.empty() ? 1.0 : plot.rows.back().x;
    if (!(last_ > first_)) last_ = first_ + 1.0;
    paint_bands();
  }

  std::string svg()
  {
    heading();
    const double top = y_;
    band();
    for (const RowPlot::Curve& curve : plot_.curves) panel(curve);
    for (const RowPlot::Schedule& schedule : plot_.schedules) bars(schedule);
    axis(top);
    marks(top);
    const double height = std::ceil(y_ + 10.0);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"stiction\" width=\"{0}\" height=\"{1}\" "
               "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"{3}\">\n<title>{2}</title>\n",
               kPlotWidth, height, escaped(plot_.title), kSmallText) +
           style_of_plots() + fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n", kPlotWidth, height) +
           grid_ + out_ + "</svg>\n";
  }

 private:
  double across(double x) const { return kPlotLeft + (x - first_) / (last_ - first_) * kPlotInside; }
  int column_of(double x) const { return std::clamp(static_cast<int>(across(x) - kPlotLeft), 0, kColumns - 1); }
  void text(double x, double y, const std::string& words, const char* more = "")
  {
    out_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", px(x), px(y), more, escaped(words));
  }
  void box(double x, double y, double width, double height, const char* css, const std::string& title = "")
  {
    out_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", css, px(x), px(y), px(width),
                        px(height)) +
            (title.empty() ? "/>\n" : "><title>" + escaped(title) + "</title></rect>\n");
  }

  /// From half way to the row before to half way to the one after.
  std::pair<double, double> reach(std::size_t i) const
  {
    const auto& rows = plot_.rows;
    return {i > 0 ? 0.5 * (rows[i - 1].x + rows[i].x) : first_,
            i + 1 < rows.size() ? 0.5 * (rows[i].x + rows[i + 1].x) : last_};
  }

  void paint_bands()
  {
    for (std::size_t i = 0; i < plot_.rows.size(); ++i) {
      const auto [from, to] = reach(i);
      const Band band = band_of(plot_.rows[i].verdict);
      for (int k = column_of(from); k <= column_of(to); ++k)
        if (band > painted_[static_cast<std::size_t>(k)].first) painted_[static_cast<std::size_t>(k)] = {band, i};
      share_[static_cast<std::size_t>(band)] += plot_.over_time ? to - from : 1.0;
    }
  }

  /// Calls use(first column, one beyond the last, the first row of it) for stretches of one band.
  template <class Use>
  void each_stretch(Use use) const
  {
    for (std::size_t k = 0, next; k < painted_.size(); k = next) {
      for (next = k + 1; next < painted_.size() && painted_[next].first == painted_[k].first;) ++next;
      if (painted_[k].first != Band::kNone) use(k, next, painted_[k].second);
    }
  }

  /// Title, and how much of the time or of the rows each verdict has.
  void heading()
  {
    y_ = 10.0;
    for (const std::string& line : broken_into_lines(plot_.title, 16.0, kPlotWidth - 40.0))
      text(20.0, y_ += 20.0, line, " class=\"title\"");
    double x = 20.0, total = 0.0;
    for (const double share : share_) total += share;
    y_ += 10.0;
    for (const Band band : {Band::kHolds, Band::kFails, Band::kUndecided, Band::kBad}) {
      const auto b = static_cast<std::size_t>(band);
      if (share_[b] == 0.0 && band != Band::kHolds && band != Band::kFails) continue;
      const std::string words =
          fmt::format("{} {:.1f} % of the {}", kBandNames[b], 100.0 * share_[b] / std::max(total, kTiny),
                      plot_.over_time ? "time" : "rows");
      box(x, y_, 18.0, 12.0, kBandCss[b]);
      box(x, y_, 18.0, 12.0, "frame");
      text(x + 24.0, y_ + 10.0, words);
      x += 48.0 + text_width(words, kSmallText);
    }
    y_ += 24.0 + 15.0 * static_cast<double>(plot_.marks.size());
  }

  void band()
  {
    each_stretch([&](std::size_t from, std::size_t to, std::size_t row) {
      const auto band = static_cast<std::size_t>(painted_[from].first);
      std::string title = std::string(kBandNames[band]) + fmt::format(" from {:.6g}", plot_.rows[row].x);
      if (!plot_.rows[row].summary.empty()) title += ": " + plot_.rows[row].summary;
      box(kPlotLeft + static_cast<double>(from), y_, static_cast<double>(to - from), kBandHeight, kBandCss[band],
          title);
    });
    box(kPlotLeft, y_, kPlotInside, kBandHeight, "frame");
    text(kPlotLeft - 8.0, y_ + 17.0, "verdict", " text-anchor=\"end\"");
    y_ += kBandHeight + 8.0;
  }

  /// Least and largest value of a panel, with its limit and some room.
  static std::pair<double, double> range_of(const RowPlot::Curve& curve)
  {
    double low = kInfinity, high = -kInfinity;
    for (const double value : curve.values)
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    low = std::min({low, curve.limit.value_or(low), high > 0.0 ? 0.0 : high});
    high = std::max({high, curve.limit.value_or(high), 0.0});
    if (!(high > low)) high = low + 1.0;
    const double room = 0.06 * (high - low);
    return {low == 0.0 ? low : low - room, high + room};
  }

  void panel(const RowPlot::Curve& curve)
  {
    y_ += 16.0;
    text(kPlotLeft, y_ - 4.0, curve.words);
    const auto [low, high] = range_of(curve);
    const auto down = [&, from = low, size = high - low](double value) {
      return y_ + kCurveHeight * (1.0 - (value - from) / size);
    };
    each_stretch([&](std::size_t from, std::size_t to, std::size_t) {
      if (painted_[from].first == Band::kFails)
        box(kPlotLeft + static_cast<double>(from), y_, static_cast<double>(to - from), kCurveHeight, "behind");
    });
    const double step = tick_step(high - low, 4.0);
    for (double k = std::ceil(low / step); k * step <= high; ++k) {
      out_ += fmt::format("<path class=\"grid\" d=\"M{} {}H{}\"/>\n", px(kPlotLeft), px(down(k * step)),
                          px(kPlotWidth - kPlotRight));
      text(kPlotLeft - 8.0, down(k * step) + 4.0, fmt::format("{:.4g}", k == 0.0 ? 0.0 : k * step),
           " text-anchor=\"end\"");
    }
    if (curve.limit)
      out_ += fmt::format("<path class=\"limit\" d=\"M{} {}H{}\"/>\n", px(kPlotLeft), px(down(*curve.limit)),
                          px(kPlotWidth - kPlotRight));
    line(curve, down);
    box(kPlotLeft, y_, kPlotInside, kCurveHeight, "frame");
    y_ += kCurveHeight + 8.0;
  }

  /// Points of a stretch with values; of many in one column of pixels the first, the least, the largest and the last.
  template <class Down>
  void line(const RowPlot::Curve& curve, const Down& down)
  {
    Outline points;
    const auto finish = [&] {
      if (points.size() == 1)
        out_ += fmt::format("<circle class=\"alone\" cx=\"{}\" cy=\"{}\" r=\"2\"/>\n", px(points[0].x()),
                            px(points[0].y()));
      if (points.size() > 1) {
        std::string path;
        for (const Eigen::Vector2d& p : points) path += (path.empty() ? "M" : "L") + px(p.x()) + " " + px(p.y());
        out_ += "<path class=\"curve\" d=\"" + path + "\"/>\n";
      }
      points.clear();
    };
    for (std::size_t i = 0; i < curve.values.size();) {
      if (!std::isfinite(curve.values[i])) {
        finish();
        ++i;
        continue;
      }
      std::size_t least = i, most = i, last = i;
      const int column = column_of(plot_.rows[i].x);
      for (std::size_t k = i; k < curve.values.size() && column_of(plot_.rows[k].x) == column; last = k++) {
        if (!std::isfinite(curve.values[k])) break;
        if (curve.values[k] < curve.values[least]) least = k;
        if (curve.values[k] > curve.values[most]) most = k;
      }
      std::vector<std::size_t> kept = {i, least, most, last};
      std::ranges::sort(kept);
      kept.erase(std::ranges::unique(kept).begin(), kept.end());
      for (const std::size_t k : kept) points.emplace_back(across(plot_.rows[k].x), down(curve.values[k]));
      i = last + 1;
    }
    finish();
  }

  void bars(const RowPlot::Schedule& schedule)
  {
    std::vector<bool> on(painted_.size(), false);
    for (std::size_t i = 0; i < schedule.on.size() && i < plot_.rows.size(); ++i) {
      const auto [from, to] = reach(i);
      for (int k = column_of(from); schedule.on[i] && k <= column_of(to); ++k) on[static_cast<std::size_t>(k)] = true;
    }
    y_ += 4.0;
    for (std::size_t k = 0, next; k < on.size(); k = next) {
      for (next = k + 1; next < on.size() && on[next] == on[k];) ++next;
      if (on[k]) box(kPlotLeft + static_cast<double>(k), y_, static_cast<double>(next - k), kBarHeight - 2.0, "on");
    }
    box(kPlotLeft, y_, kPlotInside, kBarHeight - 2.0, "frame");
    text(kPlotLeft - 8.0, y_ + 10.0, broken_into_lines(schedule.contact, kSmallText, kPlotLeft - 16.0).front(),
         " text-anchor=\"end\"");
    y_ += kBarHeight;
  }

  void axis(double top)
  {
    y_ += 6.0;
    const double step = tick_step(last_ - first_, 8.0);
    constexpr double kAtTheEnd = 1e-9;  // of a step: ticks at both ends are drawn, rounded or not
    for (double k = std::ceil(first_ / step - kAtTheEnd); k * step <= last_ + kAtTheEnd * step; ++k) {
      const double x = std::clamp(across(k * step), kPlotLeft, kPlotWidth - kPlotRight);
      grid_ += fmt::format("<path class=\"grid\" d=\"M{} {}V{}\"/>\n", px(x), px(top), px(y_));
      text(x, y_ + 14.0, fmt::format("{:.6g}", k == 0.0 ? 0.0 : k * step), " text-anchor=\"middle\"");
    }
    for (const std::string& words : broken_into_lines(plot_.x_words, kSmallText, kPlotInside))
      text(kPlotLeft + 0.5 * kPlotInside, (y_ += 16.0) + 16.0, words, " text-anchor=\"middle\"");
    y_ += 18.0;
  }

  /// A line through all panels each, with its words above the band.
  void marks(double top)
  {
    double y = top - 15.0 * static_cast<double>(plot_.marks.size());
    for (const RowPlot::Mark& mark : plot_.marks) {
      const double x = std::clamp(across(mark.x), kPlotLeft, kPlotWidth - kPlotRight);
      const bool left = x > kPlotLeft + 0.5 * kPlotInside;
      out_ += fmt::format("<path class=\"mark\" d=\"M{} {}V{}\"/>\n", px(x), px(y), px(y_ - 38.0));
      const double room = (left ? x : kPlotWidth - x) - 40.0;
      const std::vector<std::string> lines = broken_into_lines(mark.words, kSmallText, room);
      text(left ? x - 4.0 : x + 4.0, y + 9.0, lines.front() + (lines.size() > 1 ? " …" : ""),
           left ? " text-anchor=\"end\"" : "");
      y += 15.0;
    }
  }

  const RowPlot& plot_;
  double first_, last_, y_ = 0.0;
  std::array<std::pair<Band, std::size_t>, kColumns> painted_{};
  std::array<double, kBandNames.size()> share_{};
  std::string grid_, out_;  ///< what is behind everything, and everything
};

}  // namespace

std::string row_plot_svg(const RowPlot& plot) { return PlotPage(plot).svg(); }

std::string html_page(const std::string& title, const std::string& svg)
{
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width\">\n<title>" +
         escaped(title) +
         "</title>\n<style>body{margin:1em auto;max-width:1100px;background:#fff}svg{width:100%;height:auto}</style>\n"
         "</head>\n<body>\n" +
         svg + "</body>\n</html>\n";
}

}  // namespace stiction::internal
