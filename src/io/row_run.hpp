// Rows in, answers out, in their order: what batch and track share. Rows are answered by threads in chunks, results
// are written as they are known, and an interrupted run can be continued.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/batch.hpp"
#include "io/row_output.hpp"

namespace stiction::internal {

/// Consecutive rows, with neighbours that their answers depend on.
struct Chunk {
  std::vector<InputLine> lines;
  std::size_t before = 0, after = 0;  ///< of the lines: neighbours, which are not answered
  std::string output;
  std::uint64_t bad = 0, bytes = 0;
  bool done = false;

  std::size_t rows() const { return lines.size() - before - after; }
};

/// Answers chunks; one per thread. An answer depends on its row and its neighbours alone.
class ChunkAnswerer {
 public:
  virtual ~ChunkAnswerer() = default;
  virtual std::unique_ptr<ChunkAnswerer> clone() const = 0;

  /// Writes the output of a chunk and counts its bad rows.
  virtual void answer(const RowReader& reader, const OutputFormat& format, Chunk& chunk) = 0;
  virtual std::vector<std::string> columns() const = 0;
  /// SHA-256 of URDFs and meshes, by name.
  virtual std::vector<std::pair<std::string, std::string>> input_hashes() const = 0;
};

struct RowRun {
  const BatchArguments& arguments;
  RowFormat inputs = RowFormat::kJson;
  std::size_t neighbours = 0;  ///< of a row, on each side, that its answer may depend on
  std::function<std::unique_ptr<ChunkAnswerer>(const RowReader&)> make;
  std::function<void(const std::string&)> written;  ///< every line of the results, in order; may be empty
};

/// @throws InputError: the scenario itself, or files that cannot be read or written. Bad rows are answered, not thrown.
BatchProgress run_rows(const RowRun& run);

}  // namespace stiction::internal
