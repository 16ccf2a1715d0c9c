// Columns of a trajectory: short names of what changes with time, as entries of the scenario.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/row_reader.hpp"
#include "io/scenario_document.hpp"
#include "stiction/contact_problem.hpp"

namespace stiction::internal {

/// A row of a trajectory whose columns have become entries of the scenario.
struct TrackChanges {
  double time = 0.0;
  bool rates = false, accelerations = false;  ///< given: not to be differenced
  std::string schedule;                       ///< which contacts the row has on, as it is written
};

/// One per thread: it remembers columns.
class TrackColumns {
 public:
  /// @param dofs of the scene's problem
  TrackColumns(const ScenarioDocument& document, const Scenario& scenario, std::vector<Dof> dofs);

  /// Replaces the columns of a row by paths. @throws InputError naming the column
  TrackChanges translate(BatchRow& row);

 private:
  enum class Kind { kPath, kTime, kContact, kBase, kVector };
  struct Column {
    Kind kind = Kind::kPath;
    std::string path;       ///< kPath, kContact: of the scenario
    std::size_t model = 0;  ///< kBase
    std::size_t part = 0;   ///< kBase: which number; kVector: of q, v, a, tau
    bool rates = false, accelerations = false;
  };
  /// Numbers of a floating base by their place in kBaseParts.
  using BaseNumbers = std::map<std::size_t, Entry>;

  const Column& column(const std::string& name);
  Column find_column(const std::string& name) const;
  std::string joint_path(const std::string& name, const char* entry) const;
  std::size_t model_of_base(const std::string& model, const std::string& name) const;
  void add_vector(std::size_t which, const Entry& list, std::vector<std::pair<std::string, Entry>>& changes) const;
  void add_base(std::size_t model, const BaseNumbers& numbers,
                std::vector<std::pair<std::string, Entry>>& changes) const;

  std::vector<std::string> models_, contacts_, sections_;
  std::vector<char> floating_, placed_;
  std::vector<Dof> dofs_;
  bool plane_ = false;
  std::map<std::string, Column> known_;
};

}  // namespace stiction::internal
