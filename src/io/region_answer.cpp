#include "io/region_answer.hpp"

#include <algorithm>

#include "base/nearest_name.hpp"
#include "base/text.hpp"
#include "io/report.hpp"
#include "stiction/error.hpp"
#include "stiction/region_input.hpp"
#include "stiction/rest.hpp"

namespace stiction::internal {

const char* name_of(RegionKind kind)
{
  switch (kind) {
    case RegionKind::kEmpty:
      return "empty";
    case RegionKind::kBounded:
      return "bounded";
    case RegionKind::kUnbounded:
      return "unbounded";
    case RegionKind::kUndecided:
      break;
  }
  return "undecided";
}

std::vector<ReportedMargin> margins_of(const RegionResult& result)
{
  if (result.distance.state == Margin::State::kNotAsked) return {};
  ReportedMargin com = reported_margin("com", result.distance, SafeEnd::kLower);
  com.interval = result.distance.enclosed();
  return {com};
}

namespace {

/// The model whose centre of mass moves: `options.object`, or the only one that floats. @throws InputError
const std::string& moving_model(const Scenario& scenario)
{
  const std::string& wanted = scenario.options.object;
  const ModelDescription* found = nullptr;
  for (const ModelDescription& model : scenario.scene.models) {
    if (model.base != Base::kFloating || (!wanted.empty() && model.name != wanted)) continue;
    if (found)
      throw InputError("options.object", "want the model whose centre of mass moves (" + found->name + ", " +
                                             model.name + ", …), got none");
    found = &model;
  }
  if (!found && !wanted.empty())
    throw InputError("options.object", "want a model with a floating base, got " + quoted(wanted) +
                                           did_you_mean(wanted, all_names(scenario.scene.models)));
  if (!found) throw InputError("models", "want one with a floating base, whose centre of mass may move, got none");
  return found->name;
}

class RegionAsker final : public Asker {
 public:
  explicit RegionAsker(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override
  {
    situation.require_rest();
    const ScenarioOptions& asked = situation.scenario.options;
    answer_.model = moving_model(situation.scenario);
    answer_.input = region_input(situation.scene(), situation.state, situation.problem, answer_.model,
                                 situation.scenario.scene.loads);
    answer_.rules = {asked.cone, asked.box};
  }

  void ask(const Situation& situation, Extras) override
  {
    read(situation);
    RegionOptions options;
    options.shape = answer_.rules.shape;
    options.clip = answer_.rules.clip;
    if (situation.scenario.options.gap) options.relative_gap = *situation.scenario.options.gap;
    checker_.check(answer_.input, options, answer_.result);
  }

  Verdict verdict() const override { return answer_.result.verdict; }
  std::string summary() const override { return summary_of(answer_.result); }

  void write_row(std::vector<RowCell>& cells) const override
  {
    const RegionResult& result = answer_.result;
    const bool distance = result.distance.enclosed();
    const bool area = result.kind != RegionKind::kUndecided || !result.pieces.empty();
    cells.push_back({"region", {}, name_of(result.kind)});
    cells.push_back({"com", distance ? std::optional(result.distance.lower) : std::nullopt});
    cells.push_back({"area_lower", area ? std::optional(result.area.lower) : std::nullopt});
    cells.push_back({"area_upper", area ? std::optional(result.area.upper) : std::nullopt});
  }

  void move_to(ScenarioReport& report) override
  {
    report.margins = margins_of(answer_.result);
    report.iterations = answer_.result.iterations;
    report.answer = std::move(answer_);
  }

 private:
  RegionChecker checker_;
  RegionAnswer answer_;
};

void require_for_region(const Scenario& scenario)
{
  require_no_sliding(scenario);
  moving_model(scenario);
}

std::vector<std::string> region_columns(const ScenarioOptions&)
{
  return {"region", "com", "area_lower", "area_upper"};
}

}  // namespace

extern const QuestionKind kRegionKind{
    require_for_region, make_asker<RegionAsker>, region_columns, region_asked, write_region,
    region_text,        judge_region_report,     6000,           false,        "a robot whose centre of mass moves"};

}  // namespace stiction::internal
