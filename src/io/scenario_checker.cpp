// The program's answers for programs.
#include "io/check.hpp"
#include "io/scenario_answerer.hpp"
#include "stiction/report.hpp"

namespace stiction {
struct ScenarioChecker::Impl {
  std::optional<internal::ScenarioAnswerer> answerer;  ///< of the last scenario
  StopCheck stop;

  internal::ScenarioAnswerer& answerer_of(const Scenario& scenario)
  {
    internal::require_askable(scenario);
    if (scenario.bare) scenario.bare->problem.validate();  // a program's; files are checked as they are read
    if (!answerer || !answerer->fits(scenario)) {
      answerer.reset();  // stays empty when loading fails
      answerer.emplace(scenario);
    }
    answerer->set_stop(stop);
    return *answerer;
  }

  /// What `work` makes of the answerer; one that was stopped is not used again.
  template <class Work>
  auto answer(const Scenario& scenario, Work work)
  {
    throw_if_stopped(stop);
    try {
      return work(answerer_of(scenario));
    } catch (const Stopped&) {
      answerer.reset();
      throw;
    }
  }
};

ScenarioChecker::ScenarioChecker() : impl_(std::make_unique<Impl>()) {}
ScenarioChecker::~ScenarioChecker() = default;
ScenarioChecker::ScenarioChecker(ScenarioChecker&&) noexcept = default;
ScenarioChecker& ScenarioChecker::operator=(ScenarioChecker&&) noexcept = default;

void ScenarioChecker::set_stop(StopCheck stop) { impl_->stop = std::move(stop); }

void ScenarioChecker::load(const Scenario& scenario) { impl_->answerer_of(scenario); }

ScenarioReport ScenarioChecker::check(const Scenario& scenario)
{
  return impl_->answer(scenario, [&](internal::ScenarioAnswerer& answerer) { return answerer.report(scenario); });
}

ScenarioNumbers ScenarioChecker::check_numbers(const Scenario& scenario)
{
  return impl_->answer(scenario, [&](internal::ScenarioAnswerer& answerer) {
    const internal::Asker& asker = answerer.ask(scenario);
    std::vector<internal::RowCell> cells;
    asker.write_row(cells);
    ScenarioNumbers numbers{asker.verdict(), asker.summary(), {}};
    for (const internal::RowCell& cell : cells) numbers.cells.push_back({cell.name, cell.number, cell.word});
    return numbers;
  });
}

ScenarioReport check_scenario_text(const std::string& text, const std::string& folder, const std::string& source,
                                   const std::vector<ScenarioOverride>& overrides,
                                   const std::vector<std::string>& package_paths, const StopCheck& stop)
{
  internal::ScenarioDocument document = internal::parse_scenario(text, folder, source);
  internal::apply(overrides, document);
  return internal::check_document(document, package_paths, stop);
}

}  // namespace stiction
