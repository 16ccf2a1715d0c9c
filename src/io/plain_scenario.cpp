#include "io/plain_scenario.hpp"

#include "io/sha256.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {

PlainScenario plain_scenario(const Scenario& scenario, SceneGeometry& geometry)
{
  ResolvedScene resolved = geometry.resolve(scenario.scene);
  if (scenario.options.strict && !resolved.warnings.empty())
    throw InputError(resolved.warnings.front().path, resolved.warnings.front().text + " (options.strict)");
  PlainScenario plain{scenario, std::move(resolved.detected), std::move(resolved.warnings),
                      std::move(resolved.mesh_files), std::move(resolved.sources)};
  plain.scenario.scene = std::move(resolved.scene);
  plain.scenario.contact_motions.clear();
  for (const int source : plain.sources)
    plain.scenario.contact_motions.push_back(scenario.contact_motions[static_cast<std::size_t>(source)]);
  return plain;
}

std::vector<std::pair<std::string, std::string>> mesh_hashes(const PlainScenario& plain)
{
  std::vector<std::pair<std::string, std::string>> hashes;
  for (const auto& [name, file] : plain.mesh_files) hashes.emplace_back(name, sha256_of_file(file));
  return hashes;
}

}  // namespace stiction::internal

namespace stiction {

Scenario resolved_scenario(const Scenario& scenario)
{
  if (scenario.bare || !has_geometry(scenario.scene)) return scenario;
  SceneGeometry geometry(scenario.scene);
  return internal::plain_scenario(scenario, geometry).scenario;
}

}  // namespace stiction
