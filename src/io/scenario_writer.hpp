// Scenario files that the program writes.
#pragma once

#include <string>
#include <vector>

#include "io/scenario_document.hpp"

namespace stiction::internal {

/// The scenario of a document with what geometry found written out: poses and contacts become ordinary entries. Files
/// that it names are written as absolute paths. @throws InputError as resolved_scenario
std::string written_scenario(const ScenarioDocument& document, const std::vector<std::string>& package_paths);

/// What `stiction new` is told.
struct NewScenario {
  std::string urdf;                    ///< as typed
  std::string ground = {};             ///< entries of `ground`: "slope: 10 deg, mu: 0.5"
  std::vector<std::string> feet = {};  ///< links; empty: those that could be
  std::vector<std::string> package_paths = {};
};
/// A scenario with comments that can be answered as it is. @throws InputError
std::string new_scenario(const NewScenario& wanted);

}  // namespace stiction::internal
