// How rows of results are spelled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/question.hpp"
#include "io/row_reader.hpp"

namespace stiction::internal {

struct RowAnswer {
  Verdict verdict = Verdict::kUndecided;
  std::string summary;
  std::vector<RowCell> cells;  ///< what the question adds
};

struct OutputFormat {
  RowFormat format;                  ///< kJson or kCsv
  std::vector<std::string> columns;  ///< of the question, between verdict and summary; CSV only
  bool begins;                       ///< nothing is written before: a CSV needs its header

  std::string header() const;
  std::string row(const std::string& id, const RowAnswer& answer) const;
  std::string error(const std::string& id, std::uint64_t line, const std::string& message) const;

  /// Whether a written line answers the row of this id, by a verdict or by an error.
  bool answers(const std::string& line, const std::string& id, bool& error) const;

 private:
  std::string cell_text(const RowCell& cell) const;
};

}  // namespace stiction::internal
