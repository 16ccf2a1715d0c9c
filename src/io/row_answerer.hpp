#pragma once

#include "io/row_output.hpp"
#include "io/scenario_answerer.hpp"
#include "io/scenario_document.hpp"

namespace stiction::internal {

/// Answers rows over one scenario; one per thread. An answer depends on its row alone, never on the rows before.
class RowAnswerer {
 public:
  /// @throws InputError when the scenario itself cannot be used.
  RowAnswerer(const ScenarioDocument& document, const std::vector<std::string>& package_paths);
  RowAnswerer(const RowAnswerer& other);  ///< shares what never changes

  /// @throws InputError when the row is bad.
  void answer(const BatchRow& row, RowAnswer& answer);

  /// The scenario with the changes of a row, until the next. @throws InputError
  const Scenario& decode(const BatchRow& row);
  static void write(const Asker& asked, RowAnswer& answer);
  ScenarioAnswerer& answerer() { return answerer_; }

  /// Names of the cells that rows have unless they change the question or its options.
  std::vector<std::string> columns() const;

  /// SHA-256 of the scenario's URDFs, by model, and meshes.
  std::vector<std::pair<std::string, std::string>> input_hashes() const { return answerer_.input_hashes(); }

 private:
  bool change_sections(const BatchRow& row);
  void restore();

  const ScenarioDocument document_;
  const std::vector<std::string> package_paths_;
  Scenario base_;                               ///< as written
  Scenario row_;                                ///< base_ with the changes of a row
  std::vector<std::size_t> models_, contacts_;  ///< that the row changes
  bool whole_ = false;                          ///< the row changes other parts: row_ was read as a whole
  ScenarioAnswerer answerer_;                   ///< with the scene of base_ loaded
};

}  // namespace stiction::internal
