#include "io/check.hpp"

#include "io/scenario_answerer.hpp"

namespace stiction::internal {

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
  require_askable(scenario);
  return ScenarioAnswerer(scenario.scene).report(scenario);
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
