// Results of a batch or trajectory as curves: margins over time, or over the number that the rows change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/batch.hpp"
#include "io/row_result.hpp"

namespace stiction::internal {

/// Rows in the order of x.
struct RowPlot {
  struct Row {
    double x = 0.0;
    std::optional<Verdict> verdict;  ///< none: the row was bad
    std::string summary;             ///< of one that does not hold
  };
  struct Curve {
    std::string words;            ///< "least friction that holds [share of mu]"
    std::optional<double> limit;  ///< where a verdict turns
    std::vector<double> values;   ///< per row; NaN: there is none
  };
  struct Schedule {
    std::string contact;
    std::vector<bool> on;  ///< per row
  };
  struct Mark {
    double x = 0.0;
    std::string words;
  };

  std::string title, x_words;
  bool over_time = false;
  std::vector<Row> rows;
  std::vector<Curve> curves;
  std::vector<Schedule> schedules;
  std::vector<Mark> marks;
};

/// What a trajectory's results say, over time; which contacts are on, from the columns `contact.NAME` of its rows.
RowPlot read_track_plot(const BatchArguments& arguments);
/// What a batch's results say, over the number that its rows change: of several the only one that is not the same in
/// all rows, or that all others are equal to; else over the number of the row.
RowPlot read_batch_plot(const BatchArguments& arguments);

std::string row_plot_svg(const RowPlot& plot);

/// A page with a drawing in it, which needs no other file.
std::string html_page(const std::string& title, const std::string& svg);

/// @throws InputError blaming --plot for another ending than .svg and .html.
void require_plot_name(const std::string& file);

/// Before a run: @throws InputError blaming --plot for another ending than .svg and .html, for results that cannot be
/// read back, and for a part of the rows.
void require_plottable(const BatchArguments& arguments, const std::string& file);

}  // namespace stiction::internal
