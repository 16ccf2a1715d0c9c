#include "io/row_result.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace stiction::internal {
namespace {

std::optional<double> number_in(const std::string& cell)
{
  if (cell == "inf") return kInfinity;
  if (cell == "-inf") return -kInfinity;
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size() ? std::optional(value) : std::nullopt;
}

void add_cell(const std::string& column, const std::string& cell, RowResult& row)
{
  if (const std::optional<double> value = number_in(cell))
    row.numbers.emplace(column, *value);
  else if (!cell.empty())
    row.words.emplace(column, cell);
}

void set_verdict(const std::string& word, RowResult& row)
{
  for (const Verdict verdict : {Verdict::kHolds, Verdict::kFails, Verdict::kUndecided})
    if (word == to_string(verdict)) row.verdict = verdict;
}

}  // namespace

std::optional<double> RowResult::number(const std::string& column) const
{
  const auto found = numbers.find(column);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

RowResult read_result(RowFormat format, const std::vector<std::string>& columns, const std::string& line)
{
  RowResult row;
  if (format == RowFormat::kCsv) {
    const std::vector<std::string> cells = split_csv(line);
    row.id = cells.front();
    row.answered = cells.size() == columns.size() + 4 && cells.back().empty();
    if (!row.answered) return row;
    set_verdict(cells[1], row);
    for (std::size_t i = 0; i < columns.size(); ++i) add_cell(columns[i], cells[i + 2], row);
    row.summary = cells[cells.size() - 2];
    return row;
  }
  const auto json = nlohmann::json::parse(line);
  row.id = json["id"].is_string() ? json["id"].get<std::string>() : json["id"].dump();
  row.answered = !json.contains("error");
  if (!row.answered) return row;
  for (const auto& [key, value] : json.items()) {
    if (key == "id" || key == "summary") continue;
    if (value.is_number()) row.numbers.emplace(key, value.get<double>());
    if (value.is_string()) add_cell(key, value.get<std::string>(), row);
  }
  set_verdict(json["verdict"].get<std::string>(), row);
  row.summary = json["summary"].get<std::string>();
  return row;
}

}  // namespace stiction::internal
