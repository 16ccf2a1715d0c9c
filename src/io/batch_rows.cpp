// Rows of a batch: JSON lines and CSV.
#include "base/names.hpp"
#include "base/text.hpp"
#include "io/json_text.hpp"
#include "io/row_reader.hpp"

namespace stiction::internal {
namespace {

using Json = nlohmann::ordered_json;

Entry entry_of(const Json& json)
{
  Entry entry;
  switch (json.type()) {
    case Json::value_t::null:
      break;
    case Json::value_t::array:
      entry.kind = Entry::Kind::kList;
      for (const Json& item : json) entry.items.push_back(entry_of(item));
      break;
    case Json::value_t::object:
      entry.kind = Entry::Kind::kMap;
      for (const auto& [key, value] : json.items()) {
        entry.keys.push_back(key);
        entry.items.push_back(entry_of(value));
      }
      break;
    case Json::value_t::string:
      entry.kind = Entry::Kind::kText;
      entry.text = json.get<std::string>();
      entry.quoted = true;
      break;
    default:
      entry.kind = Entry::Kind::kText;
      entry.text = json.is_number_float() ? text(json.get<double>()) : json.dump();
      break;
  }
  return entry;
}

void check_length(const std::string& line)
{
  if (line.size() > LineReader::kLongest) throw InputError("", "want at most a megabyte per row, got more");
}

}  // namespace

void parse_json_row(const std::string& line, std::uint64_t row, BatchRow& parsed)
{
  parsed.id = std::to_string(row);
  parsed.changes.clear();
  check_length(line);
  const Json json = parse_json(line, "", "a JSON object");
  if (!json.is_object()) throw InputError("", "want a JSON object, got another value");
  if (const auto id = json.find("id"); id != json.end()) {
    if (!id->is_string() && !id->is_number()) throw InputError("id", "want a text or a number, got something else");
    parsed.id = id->dump();
  }
  for (const auto& [key, value] : json.items())
    if (key != "id") parsed.changes.emplace_back(key, entry_of(value));
}

std::vector<std::string> split_csv(const std::string& line, std::vector<int>* starts)
{
  std::vector<std::string> cells(1);
  if (starts) *starts = {1};
  const std::size_t end = line.ends_with('\r') ? line.size() - 1 : line.size();
  for (std::size_t i = 0; i < end; ++i) {
    if (line[i] == ',') {
      cells.emplace_back();
      if (starts) starts->push_back(static_cast<int>(i) + 2);
    } else if (line[i] == '"' && cells.back().empty()) {
      if (starts) ++starts->back();
      for (++i;; ++i) {
        if (i >= end) throw InputError("", "want a closing quote, got none");
        if (line[i] != '"')
          cells.back() += line[i];
        else if (i + 1 < end && line[i + 1] == '"')
          cells.back() += line[i++];
        else
          break;
      }
      if (i + 1 < end && line[i + 1] != ',')
        throw InputError("", "want a comma after a quoted cell, got " + internal::quoted(line.substr(i + 1, 1)));
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

namespace {

/// A list or a map in a cell; errors name its column too.
Entry parse_cell(const std::string& column, const std::string& cell, TextStart start)
{
  try {
    return parse_yaml(cell, "", start);
  } catch (const InputError& error) {
    const std::size_t place = error.path().empty() ? 0 : error.path().size() + 2;
    throw InputError(error.path(), column + ": " + std::string(error.what()).substr(place));
  }
}

}  // namespace

void parse_csv_row(const std::vector<std::string>& header, const std::string& line, std::uint64_t row,
                   std::uint64_t line_number, BatchRow& parsed)
{
  parsed.id = std::to_string(row);
  parsed.changes.clear();
  check_length(line);
  const auto number = static_cast<int>(line_number);
  if (const std::size_t bad = not_utf8(line); bad != line.npos)
    throw InputError(std::to_string(number) + ":" + std::to_string(bad + 1), "want UTF-8, got another encoding");
  std::vector<int> starts;
  const std::vector<std::string> cells = split_csv(line, &starts);
  if (cells.size() != header.size())
    throw InputError("", "want " + std::to_string(header.size()) + " cells, got " + std::to_string(cells.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (header[i] == "id") {
      if (!cells[i].empty()) parsed.id = Json(cells[i]).dump(-1, ' ', false, Json::error_handler_t::replace);
      continue;
    }
    if (cells[i].empty()) continue;
    Entry entry;
    if (cells[i].front() == '[' || cells[i].front() == '{') {
      entry = parse_cell(header[i], cells[i], {number, starts[i]});
    } else {
      entry.kind = Entry::Kind::kText;
      entry.text = cells[i];
    }
    parsed.changes.emplace_back(header[i], std::move(entry));
  }
}

}  // namespace stiction::internal
