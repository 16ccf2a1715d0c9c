// What plots of rows show, from the files of rows and results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "draw/row_plot.hpp"
#include "io/check.hpp"
#include "io/entry_reader.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostCurves = 5;

/// How a column of results is shown, the most telling first.
struct ShownColumn {
  const char *column, *words;
  double factor = 1.0;
  double limit = kNoValue;
};
constexpr ShownColumn kShownColumns[] = {
    {"com", "centre of mass inside its region [m]", 1.0, 0.0},
    {"friction_scale", "least friction that holds [share of mu]", 1.0, 1.0},
    {"effort", "least effort limits that hold [share]", 1.0, 1.0},
    {"push", "largest push [N]", 1.0, 0.0},
    {"utilisation", "friction in use [%]", 100.0, 100.0},
    {"joint_load", "joint nearest to its limit [%]", 100.0, 100.0},
    {"slack", "room for normal forces [N]", 1.0, 0.0},
    {"epsilon_l1", "epsilon, normal forces sum to 1 N [N]", 1.0, 0.0},
    {"energy_change", "change of kinetic energy [J]", 1.0, 0.0},
};
/// That belong to no curve of their own.
constexpr const char* kLeftOut[] = {"time",         "contacts", "correction_speed", "correction_acceleration",
                                    "joint_effort", "line",     "area_lower",       "area_upper"};

std::vector<RowResult> read_results(const std::string& file)
{
  const RowFormat format = text_format_of(file, "--out");
  LineReader reader(file, "--plot");
  std::vector<std::string> columns;
  std::string line;
  if (format == RowFormat::kCsv && reader.next(line)) {
    columns = split_csv(line);
    if (columns.size() < 4) throw InputError("--plot", "want results of rows, got others in " + quoted(file));
    columns = {columns.begin() + 2, columns.end() - 2};
  }
  std::vector<RowResult> results;
  while (reader.next(line)) results.push_back(read_result(format, columns, line));
  return results;
}

/// Reads every row of the input; those that are none are left as they are.
template <class Use>
void each_input(const std::string& file, std::size_t most, Use use)
{
  RowReader reader(file, file.ends_with(".npz") ? RowFormat::kNpz : text_format_of(file, "--inputs"));
  InputLine line;
  BatchRow row;
  for (std::size_t i = 0; i < most && reader.next(line); ++i) {
    try {
      row = {};
      reader.parse(line, row);
      use(i, row);
    } catch (const InputError&) {
    }
  }
}

/// A row that an error answered is drawn between its neighbours.
void add_rows(const std::vector<RowResult>& results, const std::vector<double>& x, RowPlot& plot)
{
  for (std::size_t i = 0; i < results.size(); ++i) {
    RowPlot::Row& row = plot.rows.emplace_back();
    row.x = x[i];
    if (results[i].answered) row.verdict = results[i].verdict;
    if (results[i].answered && results[i].verdict != Verdict::kHolds) row.summary = results[i].summary;
  }
}

/// @param document whose question decides in which unit the slack is: of equilibrium it is a share of the load
void add_curves(const ScenarioDocument& document, const std::vector<RowResult>& results, RowPlot& plot)
{
  const Entry* question = document.root.find("question");
  const bool shares = question && question->text == name_of(Question::kEquilibrium);
  std::map<std::string, std::vector<double>> found;
  for (std::size_t i = 0; i < results.size(); ++i)
    for (const auto& [column, value] : results[i].numbers)
      if (std::ranges::find(kLeftOut, column) == std::end(kLeftOut))
        found.try_emplace(column, results.size(), kNoValue).first->second[i] = value;
  const auto add = [&](const std::string& words, double limit, std::vector<double>&& values) {
    const bool drawable = std::ranges::any_of(values, [](double value) { return std::isfinite(value); });
    if (drawable && plot.curves.size() < kMostCurves)
      plot.curves.push_back({words, std::isnan(limit) ? std::nullopt : std::optional(limit), std::move(values)});
  };
  for (const ShownColumn& shown : kShownColumns) {
    const auto at = found.find(shown.column);
    if (at == found.end()) continue;
    for (double& value : at->second) value *= shown.factor;
    const bool share = shares && at->first == "slack";
    add(share ? "room for normal forces and efforts [share of load and limits]" : shown.words, shown.limit,
        std::move(at->second));
    found.erase(at);
  }
  for (auto& [column, values] : found) {
    std::string words = column;
    std::ranges::replace(words, '_', ' ');
    add(words, kNoValue, std::move(values));
  }
}

std::string title_of(const BatchArguments& arguments)
{
  const Entry* name = arguments.document.root.find("name");
  return name && !name->text.empty() ? name->text : std::filesystem::path(arguments.inputs).filename().string();
}

std::optional<double> number_of(const Entry& entry)
{
  try {
    return number(entry, "");
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// The numbers that rows change: by path, one per row.
std::map<std::string, std::vector<double>> changed_numbers(const std::string& inputs, std::size_t rows)
{
  std::map<std::string, std::vector<double>> columns;
  each_input(inputs, rows, [&](std::size_t i, const BatchRow& row) {
    for (const auto& [path, entry] : row.changes)
      if (const std::optional<double> value = number_of(entry))
        columns.try_emplace(path, rows, kNoValue).first->second[i] = *value;
  });
  std::erase_if(columns, [](const auto& column) {  // not in every row, or the same in all
    const std::vector<double>& values = column.second;
    return std::ranges::any_of(values, [](double value) { return std::isnan(value); }) ||
           std::ranges::all_of(values, [&](double value) { return value == values.front(); });
  });
  return columns;
}

/// Where the verdict turns along x, if it does so seldom enough to be told.
void mark_turns(RowPlot& plot)
{
  constexpr std::size_t kMostTurns = 3;
  std::vector<RowPlot::Mark> turns;
  for (std::size_t i = 1; i < plot.rows.size(); ++i) {
    const RowPlot::Row &before = plot.rows[i - 1], &after = plot.rows[i];
    if (!before.verdict || !after.verdict || before.verdict == after.verdict) continue;
    turns.push_back({0.5 * (before.x + after.x), fmt::format("{} at {:.6g}, {} at {:.6g}", to_string(*before.verdict),
                                                             before.x, to_string(*after.verdict), after.x)});
  }
  if (turns.size() <= kMostTurns) plot.marks = std::move(turns);
}

/// Rows, curves in the order of x.
void sort_by_x(std::vector<RowResult>& results, std::vector<double>& x)
{
  std::vector<std::size_t> order(x.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i]; });
  std::vector<RowResult> sorted;
  std::vector<double> sorted_x;
  for (const std::size_t i : order) {
    sorted.push_back(std::move(results[i]));
    sorted_x.push_back(x[i]);
  }
  results = std::move(sorted);
  x = std::move(sorted_x);
}

}  // namespace

void require_plot_name(const std::string& file)
{
  if (!file.ends_with(".svg") && !file.ends_with(".html"))
    throw InputError("--plot", "want a file that ends in .svg or .html, got " + quoted(file));
}

void require_plottable(const BatchArguments& arguments, const std::string& file)
{
  require_plot_name(file);
  if (arguments.shard) throw InputError("--plot", "want all rows, got --shard");
  std::error_code ignored;
  for (const std::string* read : {&arguments.inputs, &arguments.out})
    if (std::filesystem::exists(*read, ignored) && !std::filesystem::is_regular_file(*read, ignored))
      throw InputError("--plot", "want rows and results in files, which are read again, got " + quoted(*read));
  std::vector<std::string> made_of = input_files(arguments.document, arguments.package_paths);
  made_of.insert(made_of.end(), {arguments.inputs, arguments.out});
  if (file == arguments.out) throw InputError("--plot", "want another file than the results, got " + quoted(file));
  require_none_of(made_of, file, "--plot");
}

RowPlot read_track_plot(const BatchArguments& arguments)
{
  RowPlot plot;
  plot.title = title_of(arguments);
  plot.x_words = "time [s]";
  plot.over_time = true;
  const std::vector<RowResult> results = read_results(arguments.out);
  std::vector<double> x;
  for (const RowResult& result : results) x.push_back(result.number("time").value_or(kNoValue));
  std::map<std::string, std::vector<bool>> schedules;
  constexpr std::string_view kPrefix = "contact.";
  each_input(arguments.inputs, results.size(), [&](std::size_t i, const BatchRow& row) {
    for (const auto& [path, entry] : row.changes) {
      if (path == "time" && std::isnan(x[i])) x[i] = number_of(entry).value_or(kNoValue);  // of a bad row
      if (!path.starts_with(kPrefix)) continue;
      const bool on = number_of(entry).value_or(entry.text == "false" ? 0.0 : 1.0) != 0.0;
      schedules.try_emplace(path.substr(kPrefix.size()), results.size(), true).first->second[i] = on;
    }
  });
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isnan(x[i])) x[i] = i > 0 ? x[i - 1] : 0.0;
  add_rows(results, x, plot);
  add_curves(arguments.document, results, plot);
  for (auto& [contact, on] : schedules) plot.schedules.push_back({contact, std::move(on)});
  return plot;
}

RowPlot read_batch_plot(const BatchArguments& arguments)
{
  RowPlot plot;
  plot.title = title_of(arguments);
  std::vector<RowResult> results = read_results(arguments.out);
  const std::map<std::string, std::vector<double>> columns = changed_numbers(arguments.inputs, results.size());
  const bool one = !columns.empty() && std::ranges::all_of(columns, [&](const auto& column) {
    return column.second == columns.begin()->second;
  });
  std::vector<double> x;
  if (one) {
    for (const auto& [path, values] : columns) plot.x_words += (plot.x_words.empty() ? "" : ", ") + path;
    x = columns.begin()->second;
    sort_by_x(results, x);
  } else {
    plot.x_words = "row";
    for (std::size_t i = 0; i < results.size(); ++i) x.push_back(static_cast<double>(i + 1));
  }
  add_rows(results, x, plot);
  add_curves(arguments.document, results, plot);
  if (one) mark_turns(plot);
  return plot;
}

}  // namespace stiction::internal
