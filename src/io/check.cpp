#include "io/check.hpp"

#include <filesystem>

#include "base/text.hpp"
#include "io/scenario_answerer.hpp"
#include "scene/urdf.hpp"

namespace stiction::internal {

int exit_code(Verdict verdict)
{
  switch (verdict) {
    case Verdict::kHolds:
      return 0;
    case Verdict::kFails:
      return 1;
    case Verdict::kUndecided:
      break;
  }
  return 3;
}

ScenarioReport check(const Scenario& scenario, const StopCheck& stop)
{
  require_askable(scenario);
  throw_if_stopped(stop);
  ScenarioAnswerer answerer(scenario);
  answerer.set_stop(stop);
  return answerer.report(scenario);
}

namespace {

/// What `answer` makes of the scenario of a document, with the hash of the document.
template <class AnswerScenario>
ScenarioReport with_inputs(const ScenarioDocument& document, const std::vector<std::string>& package_paths,
                           AnswerScenario answer)
{
  Scenario scenario = document.decode();
  scenario.scene.package_paths = package_paths;
  try {
    ScenarioReport report = answer(scenario);
    report.inputs.scenario = document.sha256;
    for (const ScenarioOverride& change : document.overrides)
      if (change.path != "question") report.inputs.set.push_back(change);
    return report;
  } catch (const InputError& error) {
    throw document.located(error);
  }
}

}  // namespace

std::vector<std::string> input_files(const ScenarioDocument& document, const std::vector<std::string>& package_paths)
{
  std::vector<std::string> files;
  if (document.root.source) files.push_back(*document.root.source);
  try {
    for (const ModelDescription& model : document.decode().scene.models)
      files.push_back(locate_urdf_file(model.urdf_file, package_paths, "models." + model.name + ".urdf"));
  } catch (const InputError& error) {
    throw document.located(error);
  }
  return files;
}

void require_none_of(const std::vector<std::string>& files, const std::string& out, const char* option)
{
  std::error_code ignored;
  for (const std::string& file : files)
    if (std::filesystem::equivalent(file, out, ignored))
      throw InputError(option, "want another file than the inputs, got " + quoted(out));
}

ScenarioReport check_document(const ScenarioDocument& document, const std::vector<std::string>& package_paths,
                              const StopCheck& stop)
{
  return with_inputs(document, package_paths, [&](const Scenario& scenario) { return check(scenario, stop); });
}

ScenarioReport check_file(const std::string& file, const std::vector<ScenarioOverride>& overrides,
                          const std::vector<std::string>& package_paths)
{
  ScenarioDocument document = load_scenario(file);
  apply(overrides, document);
  return check_document(document, package_paths);
}

ScenarioReport read_file(const std::string& file, const std::vector<ScenarioOverride>& overrides,
                         const std::vector<std::string>& package_paths)
{
  ScenarioDocument document = load_scenario(file);
  apply(overrides, document);
  return with_inputs(document, package_paths, [](const Scenario& scenario) {
    require_askable(scenario);
    return ScenarioAnswerer(scenario).read(scenario);
  });
}

}  // namespace stiction::internal
