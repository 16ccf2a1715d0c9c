#pragma once

#include <string>
#include <vector>

#include "io/document.hpp"
#include "stiction/scenario.hpp"

namespace stiction::internal {

class Map;

/// A scenario or problem file as it is written, with overrides applied; `decode` reads it.
struct ScenarioDocument {
  Entry root;
  std::string folder;                            ///< URDF files are relative to it
  std::string sha256 = {};                       ///< of the text, before overrides; empty: unknown
  std::vector<ScenarioOverride> overrides = {};  ///< that were applied

  Scenario decode() const;

  /// An error about an entry of the scene ("contacts[2].normal: …"), with the line and column of that entry in front.
  InputError located(const InputError& error) const;
};

ScenarioDocument load_scenario(const std::string& file);
ScenarioDocument parse_scenario(const std::string& text, const std::string& folder, const std::string& source);

/// Applies overrides in order; errors in them name `--set path=value` instead of a line.
void apply(const std::vector<ScenarioOverride>& overrides, ScenarioDocument& document);

// The parts that rows of a batch replace one by one. `path` as in error messages.
ModelDescription decode_model(const Entry& entry, const std::string& name, const std::string& folder);
ContactDescription decode_contact(const Entry& entry, const std::string& path, ContactMotion& motion);

// Keys that scenarios and problem files share.
void decode_impact_law(const Map& contact, ContactMotion& motion);  ///< restitution, one_way, mu_second
Question decode_question(const Map& document);

}  // namespace stiction::internal
