#include "io/row_output.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/names.hpp"
#include "base/text.hpp"
#include "io/report.hpp"

namespace stiction::internal {
namespace {

std::string json_text(const std::string& text)
{
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string csv_text(const std::string& text)
{
  if (text.find_first_of(",\"\r") == text.npos) return text;
  std::string quoted_text = "\"";
  for (char c : text) quoted_text += c == '"' ? "\"\"" : std::string(1, c);
  return quoted_text + "\"";
}

std::string number_text(double value, RowFormat format)
{
  if (std::isfinite(value)) return text(value);
  if (std::isnan(value)) return format == RowFormat::kJson ? "null" : "";  // not known
  return format == RowFormat::kJson ? (value > 0 ? "\"inf\"" : "\"-inf\"") : (value > 0 ? "inf" : "-inf");
}

/// The id of a row as a CSV cell: JSON text loses its quotes.
std::string csv_id(const std::string& id)
{
  return csv_text(id.starts_with('"') ? printable(nlohmann::json::parse(id).get<std::string>()) : id);
}

}  // namespace

std::string OutputFormat::header() const
{
  if (format == RowFormat::kJson || !begins) return "";
  std::string line = "id,verdict,";
  for (const std::string& column : columns) line += column + ",";
  return line + "summary,error\n";
}

std::string OutputFormat::row(const std::string& id, const RowAnswer& answer) const
{
  if (format == RowFormat::kCsv) {
    std::string line = csv_id(id) + "," + name_of(answer.verdict) + ",";
    for (const std::string& column : columns) {
      const auto cell = std::ranges::find(answer.cells, column, &RowCell::name);
      line += (cell == answer.cells.end() ? "" : cell_text(*cell)) + ",";
    }
    return line + csv_text(answer.summary) + ",\n";
  }
  std::string line = "{\"id\":" + id + ",\"verdict\":\"" + name_of(answer.verdict) + "\"";
  for (const RowCell& cell : answer.cells) line += std::string(",\"") + cell.name + "\":" + cell_text(cell);
  return line + ",\"summary\":" + json_text(answer.summary) + "}\n";
}

std::string OutputFormat::cell_text(const RowCell& cell) const
{
  if (cell.number) return number_text(*cell.number, format);
  if (!cell.word.empty()) return format == RowFormat::kCsv ? csv_text(cell.word) : json_text(cell.word);
  return format == RowFormat::kCsv ? "" : "null";
}

std::string OutputFormat::error(const std::string& id, std::uint64_t line, const std::string& message) const
{
  const std::string clean = printable(message);
  if (format == RowFormat::kCsv)
    return csv_id(id) + ",," + std::string(columns.size(), ',') + "," +
           csv_text("line " + std::to_string(line) + ": " + clean) + "\n";
  return "{\"id\":" + id + ",\"line\":" + std::to_string(line) + ",\"error\":" + json_text(clean) + "}\n";
}

bool OutputFormat::answers(const std::string& line, const std::string& id, bool& error) const
{
  const auto verdict = [](const std::string& word) {
    return word == name_of(Verdict::kHolds) || word == name_of(Verdict::kFails) || word == name_of(Verdict::kUndecided);
  };
  if (format == RowFormat::kCsv) {
    std::vector<std::string> cells;
    try {
      cells = split_csv(line);
    } catch (const InputError&) {
      return false;
    }
    if (cells.size() != columns.size() + 4 || csv_text(cells.front()) != csv_id(id)) return false;
    error = !cells.back().empty();
    return error ? cells[1].empty() : verdict(cells[1]);
  }
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("id") || json["id"].dump() != id) return false;
  error = json.contains("error");
  return error ||
         (json.contains("verdict") && json["verdict"].is_string() && verdict(json["verdict"].get<std::string>()));
}

}  // namespace stiction::internal
