#include "io/plain_scenario.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"
#include "io/sha256.hpp"
#include "stiction/error.hpp"
#include "stiction/proof.hpp"
#include "stiction/rest.hpp"

namespace stiction::internal {

namespace {

void refuse_if_strict(const Scenario& scenario, const std::vector<Warning>& warnings)
{
  if (scenario.options.strict && !warnings.empty())
    throw InputError(warnings.front().path, warnings.front().text + " (options.strict)");
}

/// What shapes have against contacts of a scenario that needs no shapes: nothing where they cannot be read.
std::vector<Warning> told_by_shapes(const Scenario& scenario, std::optional<SceneGeometry>& geometry)
{
  std::vector<Warning> warnings;
  SceneDescription scene = scenario.scene;
  const std::size_t told = std::min(scene.contacts.size(), scenario.contact_motions.size());
  for (std::size_t i = 0; i < told; ++i)  // a ratchet may reach across a gap
    scene.contacts[i].active = scene.contacts[i].active && !scenario.contact_motions[i].one_way;
  try {
    if (!geometry || !geometry->fits(scene)) geometry.emplace(scene);
    warnings = geometry->resolve(scene).warnings;
  } catch (const InputError&) {  // of robots and their state: the scene says more
  }
  std::erase_if(warnings, [](const Warning& warning) { return warning.kind == Warning::Kind::kUrdf; });
  return warnings;
}

}  // namespace

PlainScenario plain_scenario(const Scenario& scenario, std::optional<SceneGeometry>& geometry, bool told)
{
  PlainScenario plain{scenario, {}, {}, {}, {}};
  if (scenario.bare) return plain;
  if (!has_geometry(scenario.scene)) {
    if (told || scenario.options.strict) plain.warnings = told_by_shapes(scenario, geometry);
    refuse_if_strict(scenario, plain.warnings);
    return plain;
  }
  if (!geometry || !geometry->fits(scenario.scene)) geometry.emplace(scenario.scene);
  ResolvedScene resolved = geometry->resolve(scenario.scene);
  for (std::size_t i = 0; i < scenario.contact_motions.size(); ++i)  // a ratchet may reach across a gap
    if (scenario.contact_motions[i].one_way)
      std::erase_if(resolved.warnings, [&](const Warning& warning) {
        return warning.path.starts_with("contacts[" + std::to_string(i) + "]");
      });
  refuse_if_strict(scenario, resolved.warnings);
  plain = {scenario, std::move(resolved.detected), std::move(resolved.warnings), std::move(resolved.mesh_files),
           std::move(resolved.sources)};
  plain.scenario.scene = std::move(resolved.scene);
  plain.scenario.contact_motions.clear();
  for (const int source : plain.sources)
    plain.scenario.contact_motions.push_back(scenario.contact_motions[static_cast<std::size_t>(source)]);
  return plain;
}

bool leaves_out_parting(const Scenario& scenario)
{
  const Question question = scenario.question;
  return scenario.options.parting == "left_out" && question != Question::kImpact && question != Question::kClosure;
}

void leave_out_parting(PlainScenario& plain)
{
  Scenario& scenario = plain.scenario;
  const auto tell = [&](const std::string& name, double speed) {
    plain.warnings.push_back({Warning::Kind::kFloats, "contacts." + name,
                              fmt::format("bodies move apart with {:.4g} m/s: left out (options.parting)", speed)});
  };
  if (scenario.bare) {
    ContactProblem& problem = scenario.bare->problem;
    if (scenario.bare->v.size() == 0) return;
    const std::vector<ContactActivity> activity = contact_activity(problem, scenario.bare->v);
    std::vector<int> parting;
    for (std::size_t i = activity.size(); i-- > 0;) {
      if (activity[i] != ContactActivity::kParts) continue;
      parting.insert(parting.begin(), static_cast<int>(i));
      tell(problem.contacts[i].name, problem.J.row(problem.contacts[i].row).dot(scenario.bare->v));
      scenario.contact_motions.erase(scenario.contact_motions.begin() + static_cast<std::ptrdiff_t>(i));
    }
    problem = problem_without(problem, parting);
    return;
  }
  Scene scene(scenario.scene);
  const ContactProblem problem = scene.compute();
  const Eigen::VectorXd& v = scene.described_state().v;
  const std::vector<ContactActivity> activity = contact_activity(problem, v);
  std::size_t next = 0;  // contacts of the problem are the points that take part, in the order of the entries
  for (ContactDescription& entry : scenario.scene.contacts) {
    const std::size_t first = next;
    std::vector<int> parting;
    std::vector<double> speeds;
    for (std::size_t k = 0; k < entry.points.size(); ++k) {
      if (!entry.takes_part(k)) continue;
      if (const std::size_t i = next++; activity[i] == ContactActivity::kParts) {
        parting.push_back(static_cast<int>(k));
        speeds.push_back(problem.J.row(problem.contacts[i].row).dot(v));
      }
    }
    if (parting.empty()) continue;
    if (parting.size() == next - first)
      tell(entry.name, *std::ranges::min_element(speeds));
    else
      for (std::size_t k = 0; k < parting.size(); ++k) tell(entry.name + "/" + std::to_string(parting[k]), speeds[k]);
    entry.left_out.insert(entry.left_out.end(), parting.begin(), parting.end());
  }
}

std::vector<std::pair<std::string, std::string>> mesh_hashes(const PlainScenario& plain)
{
  std::vector<std::pair<std::string, std::string>> hashes;
  for (const auto& [name, file] : plain.mesh_files) hashes.emplace_back(name, sha256_of_file(file));
  return hashes;
}

}  // namespace stiction::internal

namespace stiction {

Scenario resolved_scenario(const Scenario& scenario, std::vector<Warning>* warnings)
{
  std::optional<SceneGeometry> geometry;
  internal::PlainScenario plain = internal::plain_scenario(scenario, geometry, warnings != nullptr);
  if (warnings) *warnings = std::move(plain.warnings);
  return std::move(plain.scenario);
}

}  // namespace stiction
