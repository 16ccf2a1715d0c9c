#include "io/plain_scenario.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "io/sha256.hpp"
#include "stiction/error.hpp"
#include "stiction/proof.hpp"
#include "stiction/rest.hpp"

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

bool leaves_out_parting(const Scenario& scenario)
{
  const Question question = scenario.question;
  return scenario.options.parting == "left_out" && question != Question::kImpact && question != Question::kClosure &&
         question != Question::kRegion;
}

void leave_out_parting(PlainScenario& plain)
{
  Scenario& scenario = plain.scenario;
  const auto tell = [&](const std::string& name, double speed) {
    plain.warnings.push_back({Warning::Kind::kFloats, "contacts." + name,
                              "bodies move apart with " + text(speed) + " m/s: left out (options.parting)"});
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
  for (std::size_t entry = scenario.scene.contacts.size(); entry-- > 0;) {
    bool parts = true;
    double speed = kInfinity;
    for (std::size_t i = 0; i < activity.size(); ++i) {
      if (scene.contact_origins()[i].description != static_cast<int>(entry)) continue;
      parts = parts && activity[i] == ContactActivity::kParts;
      speed = std::min(speed, problem.J.row(problem.contacts[i].row).dot(v));
    }
    if (!parts || speed == kInfinity) continue;
    tell(scenario.scene.contacts[entry].name, speed);
    scenario.scene.contacts.erase(scenario.scene.contacts.begin() + static_cast<std::ptrdiff_t>(entry));
    scenario.contact_motions.erase(scenario.contact_motions.begin() + static_cast<std::ptrdiff_t>(entry));
    if (!plain.sources.empty()) plain.sources.erase(plain.sources.begin() + static_cast<std::ptrdiff_t>(entry));
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
  if (scenario.bare || !has_geometry(scenario.scene)) return scenario;
  SceneGeometry geometry(scenario.scene);
  internal::PlainScenario plain = internal::plain_scenario(scenario, geometry);
  if (warnings) *warnings = std::move(plain.warnings);
  return std::move(plain.scenario);
}

}  // namespace stiction
