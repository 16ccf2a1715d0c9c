// Rows of a file as batch and track take them: lines of text, or entries of arrays.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/document.hpp"

namespace stiction::internal {

/// Lines of a file, one at a time and in constant memory.
class LineReader {
 public:
  /// @param option what errors blame
  LineReader(const std::string& file, const char* option);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// False at the end. Lines longer than kLongest are cut to kLongest + 1 characters.
  bool next(std::string& line);
  std::uint64_t bytes() const { return bytes_; }  ///< read so far

  static constexpr std::size_t kLongest = 1 << 20;

 private:
  std::FILE* file_;
  std::string name_, option_;
  std::uint64_t bytes_ = 0;
};

/// One row of the input: what it calls itself and which entries of the scenario it replaces.
struct BatchRow {
  std::string id;  ///< as JSON: "\"7\"" or "7"
  std::vector<std::pair<std::string, Entry>> changes;
};

/// {"id": "7", "contacts.left_toe.mu": 0.3}. `row` (from 1) stands in for a missing id.
/// @throws InputError; `parsed.id` is set as soon as it is known.
void parse_json_row(const std::string& line, std::uint64_t row, BatchRow& parsed);

/// Cells of a CSV line (RFC 4180 without line breaks inside cells), and the columns that they start in, from 1.
/// @throws InputError
std::vector<std::string> split_csv(const std::string& line, std::vector<int>* starts = nullptr);

/// Cells below a header of paths, one of which may be `id`; empty cells replace nothing. `line_number` (from 1) is for
/// messages.
void parse_csv_row(const std::vector<std::string>& header, const std::string& line, std::uint64_t row,
                   std::uint64_t line_number, BatchRow& parsed);

/// Endings of files of rows.
enum class RowFormat { kJson, kCsv, kNpz };

/// @param option what errors blame. @throws InputError for other endings than .jsonl and .csv.
RowFormat text_format_of(const std::string& file, const char* option);

/// One row as it was read.
struct InputLine {
  std::string text;                 ///< of arrays: the bytes of their entries
  std::uint64_t line = 0, row = 0;  ///< from 1; rows do not count the header and blank lines
};

/// Rows after the first `before`, up to number `last`.
struct RowRange {
  std::uint64_t before = 0, last = std::numeric_limits<std::uint64_t>::max();
};

/// The input as numbered rows. Parsing may go on in many threads.
class RowReader {
 public:
  /// @throws InputError blaming --inputs
  RowReader(const std::string& file, RowFormat format);
  ~RowReader();

  /// Leaves out rows before the range, and ends after it.
  void restrict_to(const RowRange& range) { range_ = range; }

  bool next(InputLine& line);
  void parse(const InputLine& line, BatchRow& row) const;

  /// Names of the columns: of a CSV header, of arrays; empty for JSON, where every row has its own.
  const std::vector<std::string>& header() const { return header_; }
  std::uint64_t bytes() const;  ///< of the range

 private:
  struct Source;  ///< lines of text or arrays
  struct Lines;
  struct Arrays;

  std::unique_ptr<Source> source_;
  RowFormat format_;
  std::vector<std::string> header_;
  RowRange range_;
  std::uint64_t rows_ = 0, left_out_ = 0;
};

}  // namespace stiction::internal
