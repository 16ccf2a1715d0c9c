// Rows of results, read back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/row_reader.hpp"
#include "stiction/proof.hpp"

namespace stiction::internal {

/// One line of results of a batch or trajectory.
struct RowResult {
  bool answered = false;  ///< else the row was bad
  std::string id, summary;
  Verdict verdict = Verdict::kUndecided;
  std::map<std::string, double> numbers;  ///< cells that have one, infinities included
  std::map<std::string, std::string> words;

  std::optional<double> number(const std::string& column) const;
};

/// @param columns of a CSV, those between verdict and summary
RowResult read_result(RowFormat format, const std::vector<std::string>& columns, const std::string& line);

}  // namespace stiction::internal
