#include "io/check.hpp"

#include <algorithm>

namespace stiction::internal {
namespace {

/// "models.robot.urdf: joint … limit: the effort limit is 0" matters only where efforts are to be found within the limits.
bool concerns_unused_limits(const std::string& warning, const Scenario& scenario)
{
  return warning.ends_with("limit: the effort limit is 0") &&
         std::ranges::none_of(scenario.scene.models, [&](const ModelDescription& model) {
           return model.effort.kind == Effort::Kind::kLimits && warning.starts_with("models." + model.name + ".urdf: ");
         });
}

}  // namespace

int exit_code(Verdict verdict)
{
  switch (verdict) {
    case Verdict::kHolds: return 0;
    case Verdict::kFails: return 1;
    case Verdict::kUndecided: break;
  }
  return 3;
}

Report check(const Scenario& scenario)
{
  const QuestionKind& kind = kind_of(stiction::name_of(scenario.question));
  kind.require(scenario);
  Report report;
  report.scenario = scenario;
  Scene scene(scenario.scene);
  report.warnings = scene.warnings();
  std::erase_if(report.warnings, [&](const std::string& warning) { return concerns_unused_limits(warning, scenario); });
  report.problem = scene.compute();
  report.answer = kind.make(scenario.options.solver);
  report.answer->ask({report.scenario, scene, scene.described_state(), report.problem}, Extras::kAll);
  return report;
}

Report check_document(const ScenarioDocument& document, const std::vector<std::string>& package_paths)
{
  Scenario scenario = document.decode();
  scenario.scene.package_paths = package_paths;
  try {
    return check(scenario);
  } catch (const InputError& error) {
    throw document.located(error);
  }
}

Report check_file(const std::string& file, const std::vector<ScenarioOverride>& overrides,
                  const std::vector<std::string>& package_paths)
{
  ScenarioDocument document = load_scenario(file);
  apply(overrides, document);
  return check_document(document, package_paths);
}

}  // namespace stiction::internal
