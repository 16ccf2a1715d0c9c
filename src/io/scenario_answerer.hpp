#pragma once

#include "geometry/rolling_surfaces.hpp"
#include "io/plain_scenario.hpp"
#include "io/report.hpp"
#include "stiction/trajectory.hpp"

namespace stiction::internal {

/// A motion that was measured or differenced, instead of the described one: it is moved to the nearest in which
/// contacts stick.
struct MeasuredMotion {
  Eigen::VectorXd v, a;
  double tolerance = kInfinity;        ///< of velocities at contacts, m/s: what may be taken out
  double span = 0.0;                   ///< s: an acceleration counts as the velocity that it gives within this time
  StickingCorrection correction = {};  ///< receives what was taken out
};

/// Answers scenarios; what geometry decides of them is found first. Loads the scene of one; those that differ from it
/// only in state, given efforts, coefficients, question or options reuse it, others load their own for once; bare
/// problems need none. An answer depends on its scenario alone, never on those before. One per thread.
class ScenarioAnswerer {
 public:
  explicit ScenarioAnswerer(const Scenario& scenario);
  ScenarioAnswerer(const ScenarioAnswerer& other);  ///< shares the loaded models
  ScenarioAnswerer& operator=(const ScenarioAnswerer&) = delete;

  bool fits(const Scenario& scenario) const;

  /// Of every engine; then what answers throws Stopped, and the answerer is of no more use.
  void set_stop(StopCheck stop) { stop_ = std::move(stop); }

  /// With those extras only that the scenario asks for. The answer is the asker's, until the next one.
  const Asker& ask(const Scenario& asked);

  /// With ordinary poses and contacts: itself, or one that lives until the next call. @throws InputError
  /// @param told its warnings, also where it needs no shapes
  const PlainScenario& plain(const Scenario& scenario, bool told = false);
  /// Of a plain scenario of the same robots.
  SceneState state_of(const Scenario& plain) const { return scene_->scene.state(plain.scene.models); }
  /// Leaves out points of those contacts for which `may_leave` that part, or meet, faster than the tolerance.
  void leave_out_moving(const std::vector<char>& may_leave, const MeasuredMotion& motion, Scenario& plain);
  /// `ask` of a plain scenario; with a motion, or null: the described one.
  const Asker& ask_plain(const Scenario& plain, MeasuredMotion* motion);
  const Scene& scene() const { return scene_->scene; }
  /// Of the last scenario that was asked.
  const ContactProblem& problem() const { return problem_; }

  /// With every extra that the scenario does not turn off; undecided where `verify` would refuse it.
  ScenarioReport report(const Scenario& asked);

  /// Only reads what is asked: the report has a question, but no answer.
  ScenarioReport read(const Scenario& asked);

  /// SHA-256 of URDFs, by model, and of the meshes that the last scenario needed, by file.
  std::vector<std::pair<std::string, std::string>> input_hashes() const;

 private:
  ScenarioAnswerer(const Scenario& scenario, std::optional<SceneGeometry> geometry);

  struct LoadedScene {
    LoadedScene(const SceneDescription& description, Scene scene);
    bool fits(const Scenario& scenario) const;

    SceneDescription description;
    Scene scene;
    bool world_points = false;  ///< rows of contacts depend on the described state
  };

  bool fits_plain(const Scenario& scenario) const;
  LoadedScene& loaded_for(const Scenario& plain);
  void compute(LoadedScene& loaded, const SceneDescription& description, ContactProblem& problem);
  void compute(const Scenario& scenario, ContactProblem& problem);

  std::unique_ptr<Engine> engine_named(const std::string& solver) const;
  ScenarioReport start(const Scenario& scenario);
  Scene* robots() { return scene_ ? &scene_->scene : nullptr; }

  std::optional<SceneGeometry> geometry_;                  ///< of scenarios that need one
  std::optional<RollingSurfaces> surfaces_;                ///< of scenarios that move
  PlainScenario plain_;                                    ///< of the last scenario
  std::vector<std::pair<std::string, std::string>> urdf_;  ///< SHA-256 by model, as loaded
  std::optional<LoadedScene> scene_;                       ///< none: of a bare problem
  std::optional<LoadedScene> other_;                       ///< with the contacts of the last that needed others
  SceneState state_;
  ContactProblem problem_;
  std::unique_ptr<Asker> asker_;
  Question question_ = Question::kAllSticking;  ///< of asker_
  Engine* engine_ = nullptr;                    ///< of asker_, which owns it
  std::string solver_;                          ///< that was asked for
  StopCheck stop_;
};

/// Whether a scenario can be asked, as far as that shows before robots are loaded. @throws InputError
void require_askable(const Scenario& scenario);

}  // namespace stiction::internal
