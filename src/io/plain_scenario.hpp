#pragma once

#include <optional>

#include "stiction/geometry.hpp"
#include "stiction/scenario.hpp"

namespace stiction::internal {

/// A scenario whose poses and contacts are ordinary ones, and what geometry has to say about it.
struct PlainScenario {
  Scenario scenario;
  std::vector<DetectedContact> detected;
  std::vector<Warning> warnings;
  std::vector<std::pair<std::string, std::string>> mesh_files;
  std::vector<int> sources;  ///< of its contacts, in the original; empty: each its own
};

/// A scenario that needs no shapes has their warnings only where these are told, and where the options are strict.
/// @param geometry of its robots: made, or made anew, when it is needed.
/// @throws InputError naming the entry, also for what is implausible where the options are strict.
PlainScenario plain_scenario(const Scenario& scenario, std::optional<SceneGeometry>& geometry, bool told);

/// Whether contacts whose bodies move apart are to be left out of it.
bool leaves_out_parting(const Scenario& scenario);

/// Leaves them out, a patch when all of its points part; warnings say so.
void leave_out_parting(PlainScenario& plain);

/// SHA-256 of meshes that it needed, by their names in URDFs and scenarios.
std::vector<std::pair<std::string, std::string>> mesh_hashes(const PlainScenario& plain);

}  // namespace stiction::internal
