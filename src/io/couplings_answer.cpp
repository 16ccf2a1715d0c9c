#include "io/couplings_answer.hpp"

#include "ask/coupling_parts.hpp"
#include "io/report.hpp"
#include "stiction/couplings_input.hpp"

namespace stiction::internal {

std::vector<std::string> row_names(const ContactProblem& problem)
{
  static const char* const kParts[] = {" x", " y", " z", " about x", " about y", " about z"};
  std::vector<std::string> names(static_cast<std::size_t>(problem.rows()));
  for (const Contact& contact : problem.contacts)
    for (int k = 0; k < contact.rows(); ++k)
      names[static_cast<std::size_t>(contact.row + k)] =
          contact.name + (k == 0                  ? " normal"
                          : k <= contact.tangents ? " t" + std::to_string(k)
                                                  : " torsion");
  for (const LoopConstraint& closure : problem.loops)
    for (int k = 0; k < closure.rows; ++k)
      names[static_cast<std::size_t>(closure.row + k)] = closure.name + (closure.rows == 1 ? "" : kParts[k]);
  return names;
}

double largest_shock(const Couplings& found)
{
  return found.shock_gain.size() > 0 ? found.shock_gain.cwiseAbs().maxCoeff() : 0.0;
}

namespace {

void require_for_couplings(const Scenario& scenario)
{
  require_no_sliding(scenario);
  require_default_rules(scenario);
}

class CouplingsAsker final : public Asker {
 public:
  explicit CouplingsAsker(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override
  {
    read_rows(situation);
    answer_.result = inertial_couplings(answer_.problem, answer_.tangential);
  }

  void ask(const Situation& situation, Extras extras) override
  {
    read_rows(situation);
    answer_.intervals = situation.scenario.options.intervals.value_or(extras == Extras::kAll);
    answer_.result = checker_.check(answer_.problem, {answer_.tangential, answer_.intervals});
  }

  Verdict verdict() const override { return answer_.result.solvable; }
  std::string summary() const override { return summary_of(answer_); }

  void write_row(std::vector<RowCell>& cells) const override
  {
    const Couplings& found = answer_.result;
    const auto number = [&](double value) { return found.definite_mass ? std::optional(value) : std::nullopt; };
    cells.push_back({"redundancy", static_cast<double>(found.redundancy)});
    cells.push_back({"singularity_margin", number(found.singularity_margin)});
    cells.push_back({"smallest_Ac", number(found.smallest_Ac)});
    cells.push_back({"largest_shock", number(largest_shock(found))});
  }

  void move_to(ScenarioReport& report) override
  {
    report.efforts = given_efforts(report.scenario, answer_.problem);
    report.answer = std::move(answer_);
  }

 private:
  void read_rows(const Situation& situation)
  {
    require_given_efforts(situation);
    answer_.tangential =
        situation.scenario.options.tangential == "held" ? TangentialRows::kHeld : TangentialRows::kLeftOut;
    answer_.problem = situation.robots
                          ? couplings_input(situation.scene(), situation.state, situation.problem, answer_.tangential)
                          : couplings_input(situation.problem, situation.state.v, answer_.tangential);
    answer_.row_names = row_names(answer_.problem);
  }

  CouplingChecker checker_;
  CouplingsAnswer answer_;
};

std::vector<std::string> couplings_columns(const ScenarioOptions&)
{
  return {"redundancy", "singularity_margin", "smallest_Ac", "largest_shock"};
}

}  // namespace

extern const QuestionKind kCouplingsKind{require_for_couplings,  make_asker<CouplingsAsker>,
                                         couplings_columns,      couplings_asked,
                                         write_couplings,        couplings_text,
                                         judge_couplings_report, 1000};

}  // namespace stiction::internal
