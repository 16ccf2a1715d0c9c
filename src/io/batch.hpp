#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/scenario_document.hpp"

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

/// How far a batch is; `total_bytes` is the size of the input, `bad` counts rows answered by an error.
struct BatchProgress {
  std::uint64_t rows = 0, resumed = 0, bad = 0, bytes = 0, total_bytes = 0;
  bool finished = false;
};

/// One of `count` blocks of consecutive rows, as equal as can be; their results, one after the other, are those of the
/// whole file.
struct BatchShard {
  std::uint64_t index = 1, count = 1;  ///< from 1
};

/// "3/16". @throws InputError
BatchShard parse_shard(const std::string& text);

struct BatchArguments {
  ScenarioDocument document;
  std::vector<std::string> package_paths;
  std::string inputs, out;          ///< .jsonl or .csv each
  std::optional<BatchShard> shard;  ///< of `inputs`, which is then a regular file; only the first writes a CSV header
  int threads = 1;
  bool resume = false;
  std::function<void(const BatchProgress&)> progress;  ///< called between chunks; may be empty
};

/// Answers every row: rows are read, answered by `threads` workers and appended to `out` in their order, in chunks that
/// are on disk before the next ones follow. The output does not depend on the number of threads. With `resume`, rows
/// that `out` already answers are skipped, and a torn last line is dropped.
/// @throws InputError: the scenario itself, or files that cannot be read or written. Bad rows are answered, not thrown.
BatchProgress run_batch(const BatchArguments& arguments);

}  // namespace stiction::internal
