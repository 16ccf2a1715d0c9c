#include "io/equilibrium_answer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/failure.hpp"
#include "io/report.hpp"
#include "stiction/rest.hpp"

namespace stiction::internal {
namespace {

/// A proved interval narrower than this share of itself counts as a number.
constexpr double kNarrow = 0.02;
/// So does one that ends here: zero for a person.
constexpr double kNearZero = 1e-6;

struct NamedMargin {
  const char* name;
  const Margin& margin;
  SafeEnd safe;

  /// As the library says, except that an interval speaks for itself, however its search ended.
  Margin::State state() const
  {
    if (margin.state != Margin::State::kKnown && margin.state != Margin::State::kUndecided) return margin.state;
    const bool narrow = std::isfinite(margin.upper) &&
                        (margin.upper - margin.lower <= kNarrow * std::abs(margin.upper) || margin.upper <= kNearZero);
    return narrow ? Margin::State::kKnown : Margin::State::kUndecided;
  }
};

std::array<NamedMargin, 4> named_margins(const EquilibriumAnswer& answer)
{
  const EquilibriumResult& result = answer.result;
  const bool ball = answer.push && answer.push->kind != PushOption::Direction::kGiven;
  return {{{"friction_scale", result.friction_scale, SafeEnd::kUpper},
           {"effort", result.effort, SafeEnd::kUpper},
           {"push", ball ? result.ball : result.push, SafeEnd::kLower},
           {"generators", result.generators, SafeEnd::kLower}}};
}

class EquilibriumAsker final : public Asker {
 public:
  explicit EquilibriumAsker(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override
  {
    situation.require_rest();
    answer_.shape = situation.scenario.options.cone;
    answer_.push = situation.scenario.options.push;
    answer_.tolerance = situation.scenario.options.tolerance;
    answer_.a = situation.state.a;
    answer_.moves = !situation.state.v.isZero(0.0);
    answer_.idle_motors = idle_motors(situation);
  }

  void ask(const Situation& situation, Extras extras) override
  {
    read(situation);
    EquilibriumOptions options;
    options.shape = answer_.shape;
    options.tolerance = answer_.tolerance;
    options.explain = extras == Extras::kAll || situation.scenario.options.explain.value_or(true);
    options.idle_motors = answer_.idle_motors;
    const bool worthwhile = extras == Extras::kAll && !situation.problem.is_sparse();
    if (situation.scenario.options.margins.value_or(worthwhile)) ask_margins(situation.problem, options);
    if (answer_.push) ask_push(situation.scene(), situation.state, *answer_.push, options);
    checker_.check(situation.problem, answer_.a, options, answer_.result);
  }

  Verdict verdict() const override { return answer_.result.verdict; }
  std::string summary() const override { return summary_of(answer_); }
  void write_row(std::vector<RowCell>& cells) const override;
  void write_culprit(const ContactProblem& problem, std::vector<RowCell>& cells) const override;
  void move_to(ScenarioReport& report) override;

 private:
  EquilibriumChecker checker_;
  EquilibriumAnswer answer_;
};

void EquilibriumAsker::write_row(std::vector<RowCell>& cells) const
{
  double utilisation = 0.0;
  for (const ContactReport& contact : answer_.result.contacts) utilisation = std::max(utilisation, contact.utilisation);
  cells.push_back({"utilisation", utilisation});
  cells.push_back({"slack", answer_.result.slack});
  for (const NamedMargin& margin : named_margins(answer_)) {
    const Margin::State state = margin.state();
    if (state == Margin::State::kNotAsked || state == Margin::State::kUndecided) continue;
    cells.push_back({margin.name, {}});
    if (state == Margin::State::kKnown)
      cells.back().number = margin.safe == SafeEnd::kLower ? margin.margin.lower : margin.margin.upper;
    if (state == Margin::State::kUnbounded) cells.back().number = kInfinity;
  }
}

void EquilibriumAsker::write_culprit(const ContactProblem& problem, std::vector<RowCell>& cells) const
{
  const EquilibriumResult& result = answer_.result;
  write_culprit_cells(problem, {answer_.shape, Detachment::kForbidden}, result.verdict, result.certificate,
                      result.failure, result.contacts, cells);
  std::vector<JointEffort> efforts;
  for (std::size_t i = 0; result.verdict == Verdict::kHolds && i < problem.actuators.size(); ++i)
    efforts.push_back({problem.actuators[i].name, result.efforts[static_cast<Eigen::Index>(i)],
                       problem.actuators[i].lower, problem.actuators[i].upper});
  write_worst_joint(efforts, cells);
}

void EquilibriumAsker::move_to(ScenarioReport& report)
{
  const EquilibriumResult& result = answer_.result;
  const bool would_do = result.least_friction_shown || result.least_effort_shown;
  if (result.verdict == Verdict::kHolds || (result.verdict == Verdict::kFails && would_do)) {
    report.contacts = reported_contacts(report.problem, result.contacts, result.lambda);
    for (std::size_t i = 0; i < report.problem.actuators.size(); ++i)
      report.efforts.push_back({report.problem.actuators[i].name, result.efforts[static_cast<Eigen::Index>(i)]});
  }
  for (const NamedMargin& named : named_margins(answer_)) {
    if (named.margin.state == Margin::State::kNotAsked) continue;
    Margin margin = named.margin;
    margin.state = named.state();
    report.margins.push_back(reported_margin(named.name, margin, named.safe));
  }
  report.iterations = result.iterations;
  if (!result.second_engine.empty()) report.solver += ", " + result.second_engine;
  report.answer = std::move(answer_);
}

std::vector<std::string> equilibrium_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"utilisation", "slack"};
  if (options.margins.value_or(false)) names.insert(names.end(), {"friction_scale", "effort"});
  if (options.push) names.push_back("push");
  return names;
}

}  // namespace

extern const QuestionKind kEquilibriumKind{require_no_sliding,
                                           make_asker<EquilibriumAsker>,
                                           equilibrium_columns,
                                           equilibrium_asked,
                                           write_equilibrium,
                                           equilibrium_text,
                                           judge_equilibrium_report,
                                           6000,
                                           false};

}  // namespace stiction::internal
