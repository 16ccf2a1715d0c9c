#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stiction/proof.hpp"
#include "stiction/scene.hpp"

namespace stiction {

enum class Question { kAllSticking, kEquilibrium, kClosure, kRegion, kSliding, kImpact, kCouplings };

/// "all_sticking", …
const char* name_of(Question question);

/// What a contact does besides touching; only some questions look at it.
struct ContactMotion {
  std::optional<Eigen::Vector3d> slides;   ///< direction of the velocity of `link` relative to `on`, in normal_frame
  double restitution_normal = 0.0;
  double restitution_tangential = 0.0;
};

/// The `options` of a scenario. Extras that are not set are up to the program: `check` computes them, `batch` does not.
struct ScenarioOptions {
  ConeShape cone;
  Detachment detachment = Detachment::kAllowed;
  std::string solver = "native";    ///< native or qpoases
  std::string object;               ///< closure: the model that is held
  std::optional<bool> intervals;    ///< range of every normal force
  std::optional<bool> margins;      ///< friction_scale
  std::optional<bool> repairs;      ///< what would make a failing case hold
};

/// A scenario file as plain data.
struct Scenario {
  std::string name;
  SceneDescription scene;
  std::vector<ContactMotion> contact_motions;   ///< one per scene.contacts
  Question question = Question::kAllSticking;
  ScenarioOptions options;
};

/// Replaces one entry of a scenario: {"contacts.left_toe.mu", "0.3"}; the value is YAML.
struct ScenarioOverride {
  std::string path;
  std::string value;
};

/// Reads a scenario file (docs/scenario.md). URDF files are relative to it. Nothing is loaded yet: Scene does that.
/// @throws InputError "file:line:column: path: want …, got …".
Scenario read_scenario_file(const std::string& file, const std::vector<ScenarioOverride>& overrides = {});

/// The same from memory; `folder` is what URDF files are relative to, `source` the name in messages.
Scenario read_scenario_text(const std::string& text, const std::string& folder = ".", const std::string& source = "scenario",
                            const std::vector<ScenarioOverride>& overrides = {});

}  // namespace stiction
