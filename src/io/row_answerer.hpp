#pragma once

#include <map>

#include "io/batch.hpp"
#include "io/question.hpp"

namespace stiction::internal {

struct RowAnswer {
  Verdict verdict = Verdict::kUndecided;
  std::string summary;
  std::vector<RowCell> cells;   ///< what the question adds
};

/// Answers rows over one scenario; one per thread. Rows that change only the state, efforts or coefficients reuse the loaded
/// scene, others load it again. An answer depends on its row alone, never on the rows before.
class RowAnswerer {
 public:
  /// @throws InputError when the scenario itself cannot be used.
  RowAnswerer(const ScenarioDocument& document, const std::vector<std::string>& package_paths);
  RowAnswerer(const RowAnswerer& other);   ///< shares what never changes

  /// @throws InputError when the row is bad.
  void answer(const BatchRow& row, RowAnswer& answer);

  /// Names of the cells that rows have unless they change the question or its options.
  std::vector<std::string> columns() const;

 private:
  bool change_sections(const BatchRow& row);
  bool scene_fits() const;
  bool compute_from_scene();
  void restore();

  const ScenarioDocument document_;
  const std::vector<std::string> package_paths_;
  Scenario base_;       ///< as written
  Scenario row_;        ///< base_ with the changes of a row
  std::vector<std::size_t> models_, contacts_;   ///< that the row changes
  bool whole_ = false;  ///< the row changes other parts: row_ was read as a whole
  Scene scene_;         ///< of base_ without given efforts
  std::map<std::string, Eigen::Index> dofs_;
  bool world_points_ = false;   ///< contact points that depend on the described state
  SceneState state_;
  ContactProblem problem_;
  std::unique_ptr<Answer> answer_;
  Question question_ = Question::kAllSticking;   ///< of answer_, like the next
  std::string solver_;
};

}  // namespace stiction::internal
