// A simulation as text, JSON and CSV.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/scenario_document.hpp"
#include "stiction/simulator.hpp"

namespace stiction::internal {

struct SimulationArguments {
  ScenarioDocument document;
  std::vector<std::string> package_paths;
  double seconds = 1.0;
  SimulatorOptions options;
};

/// @throws InputError; about the scene with line and column.
Simulation simulate_document(const SimulationArguments& arguments);

/// When something happens, and what: one entry for all that does at one instant.
std::vector<std::pair<double, std::string>> told_events(const Simulation& simulation);

/// 0 done, 3 when it ended early.
int exit_code(const Simulation& simulation);

}  // namespace stiction::internal
