#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/row_reader.hpp"
#include "io/scenario_document.hpp"

namespace stiction::internal {

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
  std::string settings;             ///< what else results depend on, beside the document: of a trajectory
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
