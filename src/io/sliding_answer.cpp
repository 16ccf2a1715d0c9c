#include "io/sliding_answer.hpp"

#include "base/text.hpp"
#include "io/report.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"
#include "stiction/sliding_input.hpp"

namespace stiction::internal {

const char* name_of(SolutionCount count)
{
  switch (count) {
    case SolutionCount::kNone:
      return "none";
    case SolutionCount::kUnique:
      return "one";
    case SolutionCount::kSeveral:
      return "several";
    case SolutionCount::kAtLeastOne:
      return "at_least_one";
    case SolutionCount::kUndecided:
      break;
  }
  return "undecided";
}

std::vector<ReportedContact> contacts_of(const ContactProblem& problem, const SlidingSolution& solution)
{
  std::vector<ContactReport> contacts = solution.contacts;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const FrictionCone cone{contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, ConeShape::exact()};
    contacts[i].utilisation = utilisation(cone, solution.lambda.segment(contact.row, contact.rows()));
  }
  return reported_contacts(problem, contacts, solution.lambda);
}

std::vector<std::string> contrary_slips(const ContactProblem& problem, const SlidingAnswer& answer,
                                        const SlidingSolution& solution)
{
  std::vector<std::string> names;
  for (std::size_t i = 0; i < answer.slips.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    if (!answer.slips[i] || answer.moves[i] || contact.mu == 0.0 ||
        solution.contacts[i].state != ContactState::kSliding)
      continue;
    const auto J = problem.J.middleRows<2>(contact.row + 1);
    const Eigen::Vector2d drift = problem.gamma.segment<2>(contact.row + 1);
    const double start = answer.slips[i]->dot(J * solution.acceleration + drift);
    const double scale = (J.cwiseAbs() * solution.acceleration.cwiseAbs() + drift.cwiseAbs()).sum();
    if (start < -kClear * scale) names.push_back(contact.name);
  }
  return names;
}

namespace {

void require_for_sliding(const Scenario& scenario)
{
  require_plain_contacts(scenario);
  require_default_rules(scenario);
  for (std::size_t i = 0; i < scenario.contact_motions.size(); ++i) {
    const double torsion =
        scenario.bare ? scenario.bare->problem.contacts[i].torsion : scenario.scene.contacts[i].torsion;
    if (scenario.contact_motions[i].slides && torsion > 0.0)
      throw InputError("contacts[" + std::to_string(i) + "].torsion",
                       "want none at a contact that slides, as its spin is not given, got " + internal::text(torsion));
  }
}

class SlidingAsker final : public Asker {
 public:
  explicit SlidingAsker(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override
  {
    require_given_efforts(situation);
    std::vector<std::optional<Eigen::Vector3d>> given;
    for (const ContactMotion& motion : situation.scenario.contact_motions) given.push_back(motion.slides);
    answer_.slips = situation.robots ? slip_directions(situation.scene(), situation.state, situation.problem, given)
                                     : slip_directions(situation.problem, situation.state.v, given);
    answer_.moves = moves_along_surface(situation.problem, situation.state.v);
    std::vector<bool> slides;
    for (const auto& slip : answer_.slips) slides.push_back(slip.has_value());
    situation.require_rest(slides);
  }

  void ask(const Situation& situation, Extras extras) override
  {
    read(situation);
    answer_.well_posedness = situation.scenario.options.margins.value_or(extras == Extras::kAll);
    SlidingOptions options;
    options.well_posedness = answer_.well_posedness;
    options.node_limit = situation.scenario.options.modes.value_or(options.node_limit);
    answer_.result = checker_.check(situation.problem, answer_.slips, options);
  }

  Verdict verdict() const override { return answer_.result.verdict; }
  std::string summary() const override { return summary_of(answer_); }

  void write_row(std::vector<RowCell>& cells) const override
  {
    const SlidingResult& result = answer_.result;
    cells.push_back({"count", {}, name_of(result.count)});
    cells.push_back({"solutions", static_cast<double>(result.solutions.size())});
    if (!answer_.well_posedness) return;
    const bool known = result.well_posedness.hypotheses.hold();
    cells.push_back({"critical_scale", known ? std::optional(result.well_posedness.critical_scale) : std::nullopt});
    cells.push_back({"margin", known ? std::optional(result.well_posedness.margin) : std::nullopt});
  }

  void move_to(ScenarioReport& report) override
  {
    const SlidingResult& result = answer_.result;
    if (!result.solutions.empty()) report.contacts = contacts_of(report.problem, result.solutions.front());
    report.efforts = given_efforts(report.scenario, report.problem);
    report.iterations = result.nodes;
    if (!result.second_engine.empty()) report.solver += ", " + result.second_engine;
    report.answer = std::move(answer_);
  }

 private:
  SlidingChecker checker_;
  SlidingAnswer answer_;
};

std::vector<std::string> sliding_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"count", "solutions"};
  if (options.margins.value_or(false)) names.insert(names.end(), {"critical_scale", "margin"});
  return names;
}

}  // namespace

extern const QuestionKind kSlidingKind{require_for_sliding,  make_asker<SlidingAsker>,
                                       sliding_columns,      sliding_asked,
                                       write_sliding,        sliding_text,
                                       judge_sliding_report, 240};

}  // namespace stiction::internal
