#pragma once

#include "io/plain_scenario.hpp"
#include "io/report.hpp"

namespace stiction::internal {

/// Answers scenarios; what geometry decides of them is found first. Loads the scene of one; those that differ from it
/// only in state, given efforts, coefficients, question or options reuse it, others load their own for once; bare
/// problems need none. An answer depends on its scenario alone, never on those before. One per thread.
class ScenarioAnswerer {
 public:
  explicit ScenarioAnswerer(const Scenario& scenario);
  ScenarioAnswerer(const ScenarioAnswerer& other);  ///< shares the loaded models
  ScenarioAnswerer& operator=(const ScenarioAnswerer&) = delete;

  bool fits(const Scenario& scenario) const;

  /// With those extras only that the scenario asks for. The answer is the asker's, until the next one.
  const Asker& ask(const Scenario& asked);

  /// With every extra that the scenario does not turn off; undecided where `verify` would refuse it.
  ScenarioReport report(const Scenario& asked);

  /// Only reads what is asked: the report has a question, but no answer.
  ScenarioReport read(const Scenario& asked);

  /// SHA-256 of URDFs, by model, and of the meshes that the last scenario needed, by file.
  std::vector<std::pair<std::string, std::string>> input_hashes() const;

 private:
  ScenarioAnswerer(const Scenario& scenario, std::optional<SceneGeometry> geometry);

  /// With ordinary poses and contacts: itself, or plain_. @throws InputError
  const Scenario& plain(const Scenario& scenario);
  bool fits_plain(const Scenario& scenario) const;
  void compute(const SceneDescription& description, ContactProblem& problem);
  void compute(const Scenario& scenario, ContactProblem& problem);

  ScenarioReport start(const Scenario& scenario);
  Scene* robots() { return scene_ ? &*scene_ : nullptr; }

  std::optional<SceneGeometry> geometry_;  ///< of scenarios that need one
  PlainScenario plain_;                    ///< of the last such scenario
  SceneDescription description_;
  std::vector<std::pair<std::string, std::string>> urdf_;  ///< SHA-256 by model, as loaded
  std::optional<Scene> scene_;                             ///< none: of a bare problem
  bool world_points_ = false;                              ///< rows of contacts depend on the described state
  SceneState state_;
  ContactProblem problem_;
  std::unique_ptr<Asker> asker_;
  Question question_ = Question::kAllSticking;  ///< of asker_
  Engine* engine_ = nullptr;                    ///< of asker_, which owns it
};

/// Whether a scenario can be asked, as far as that shows before robots are loaded. @throws InputError
void require_askable(const Scenario& scenario);

}  // namespace stiction::internal
