#include "io/impact_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "io/report.hpp"
#include "proof/impact_law.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"

namespace stiction::internal {

const char* name_of(ImpactState state)
{
  switch (state) {
    case ImpactState::kOpens:
      return "detaching";
    case ImpactState::kUnloaded:
      return "unloaded";
    case ImpactState::kSticks:
      return "sticking";
    case ImpactState::kSlips:
      return "sliding";
  }
  return "";
}

std::vector<Injection> injections(const ContactProblem& problem, const ImpactSolution& solution)
{
  const double noticeable = kClear * (2.0 * solution.energy_before + std::abs(solution.energy_change));
  std::vector<Injection> list;
  const auto add = [&](const std::string& who, double work) {
    if (work > noticeable) list.push_back({who, work});
  };
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    add("the normal of " + problem.contacts[i].name, solution.contacts[i].work_normal);
    add("friction of " + problem.contacts[i].name, solution.contacts[i].work_tangential);
  }
  for (std::size_t i = 0; i < problem.loops.size(); ++i) add(problem.loops[i].name, solution.closure_work[i]);
  std::ranges::sort(list, [](const Injection& a, const Injection& b) { return a.work > b.work; });
  return list;
}

Verdict verdict_of(const ImpactProof& proof)
{
  if (proof.exists != Verdict::kHolds) return proof.exists;
  return proof.dissipates;
}

std::vector<KinematicFlaw> flaws_of(const ImpactInput& asked, const ImpactSolution* solution)
{
  std::vector<KinematicFlaw> flaws;
  look_before(asked.problem, asked.impact, &flaws);
  if (solution) flaws.insert(flaws.end(), solution->flaws.begin(), solution->flaws.end());
  std::erase_if(flaws, [](const KinematicFlaw& flaw) { return std::abs(flaw.velocity) <= kRestSpeed; });
  return flaws;
}

bool may_stick(const ContactProblem& problem)
{
  return !problem.contacts.empty() && std::ranges::none_of(problem.contacts, &Contact::torsional);
}

std::vector<ImpactLaw> with_restitution(const ImpactInput& asked, double restitution)
{
  std::vector<ImpactLaw> laws = asked.impact.laws;
  for (std::size_t i = 0; i < laws.size(); ++i)
    if (asked.problem.contacts[i].side == Side::kUnilateral && !laws[i].one_way) laws[i].normal = restitution;
  return laws;
}

namespace {

/// Table 1 of the paper: which coefficients a kind of contact may have.
void require_range(const std::string& path, double value, bool closing, double upper, const char* kind)
{
  const bool good = value <= upper && (closing ? value >= 0.0 : value > -1.0);
  if (!good)
    throw InputError(
        path, fmt::format("want {}, {}] for {}, got {}", closing ? "[0" : "(-1", text(upper), kind, text(value)));
}

void require_for_impact(const Scenario& scenario)
{
  require_default_rules(scenario);
  for (std::size_t i = 0; i < scenario.contact_motions.size(); ++i) {
    const ContactMotion& motion = scenario.contact_motions[i];
    const Side side = scenario.bare ? scenario.bare->problem.contacts[i].side : scenario.scene.contacts[i].side;
    const double mu = scenario.bare ? scenario.bare->problem.contacts[i].mu : scenario.scene.contacts[i].mu;
    const std::string path = "contacts[" + std::to_string(i) + "].";
    if (motion.slides)
      throw InputError(path + "slides",
                       "want velocities in `rates` and `twist` for the question impact, got " + text(*motion.slides));
    const bool bilateral = side == Side::kBilateral;
    if (bilateral && motion.one_way)
      throw InputError(path + "one_way", "want a unilateral contact, got a bilateral one");
    const char* kind = bilateral        ? "a bilateral contact"
                       : motion.one_way ? "a one-way contact"
                                        : "a contact that closes";
    require_range(path + "restitution.normal", motion.restitution_normal, !bilateral && !motion.one_way,
                  motion.one_way ? 0.0 : 1.0, kind);
    require_range(path + "restitution.tangential", motion.restitution_tangential, false, 1.0, "friction");
    require_range(path + "restitution.spin", motion.restitution_spin, false, 1.0, "torsion");
    if (motion.mu_second && (*motion.mu_second > 0.0) != (mu > 0.0))
      throw InputError(path + "mu_second",
                       "want it positive exactly where mu is (" + text(mu) + "), got " + text(*motion.mu_second));
  }
}

ImpactInput read_impact(const Situation& situation)
{
  std::vector<ImpactLaw> laws;
  for (std::size_t i = 0; i < situation.problem.contacts.size(); ++i) {
    const ContactMotion& motion = situation.motion_of(i);
    laws.push_back({motion.restitution_normal, motion.restitution_tangential, motion.restitution_spin, motion.one_way,
                    motion.mu_second});
  }
  Eigen::VectorXd velocity = situation.state.v;
  if (!situation.scenario.impulses.empty()) {
    Eigen::VectorXd blow = Eigen::VectorXd::Zero(velocity.size());
    for (std::size_t i = 0; i < situation.scenario.impulses.size(); ++i)
      blow += situation.scene().generalised_force(situation.state, situation.scenario.impulses[i],
                                                  "impulses[" + std::to_string(i) + "]");
    velocity = struck(situation.problem, velocity, blow);
  }
  return impact_input(situation.problem, velocity, laws);
}

class ImpactAsker final : public Asker {
 public:
  explicit ImpactAsker(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override { answer_.input = read_impact(situation); }
  void ask(const Situation& situation, Extras extras) override;
  Verdict verdict() const override { return verdict_of(answer_.proof); }
  std::string summary() const override { return summary_of(answer_); }
  void write_row(std::vector<RowCell>& cells) const override;
  void move_to(ScenarioReport& report) override;

 private:
  void find_margins();
  void try_safe_restitution(ImpactOptions options);

  ImpactChecker checker_;
  ImpactAnswer answer_;
};

void ImpactAsker::ask(const Situation& situation, Extras extras)
{
  read(situation);
  const ScenarioOptions& asked = situation.scenario.options;
  const bool margins = asked.margins.value_or(extras == Extras::kAll);
  ImpactOptions options;
  options.conditions = margins;
  options.leaf_limit = asked.modes.value_or(options.leaf_limit);
  const auto& [problem, impact] = answer_.input;
  ImpactResult& result = answer_.result;
  ImpactProof& proof = answer_.proof;
  result = checker_.check(problem, impact, options);
  proof = judge_impact(problem, impact, result.solutions, {});
  answer_.leaves.clear();
  if (proof.complete != result.complete || proof.exists != result.exists || proof.unique != result.unique ||
      proof.dissipates != result.dissipates) {
    answer_.leaves = result.leaves;
    proof = judge_impact(problem, impact, result.solutions, answer_.leaves);
  }
  answer_.impulse_intervals.clear();
  if (answer_.solution() && asked.intervals.value_or(extras == Extras::kAll))
    answer_.impulse_intervals = checker_.impulse_intervals(problem, impact, *answer_.solution());
  answer_.safe.reset();
  answer_.touchdown.reset();
  answer_.repaired = false;
  if (!margins) return;
  find_margins();
  if (asked.repairs.value_or(extras == Extras::kAll)) try_safe_restitution(options);
}

void ImpactAsker::find_margins()
{
  const auto& [problem, impact] = answer_.input;
  answer_.safe = safe_restitution(problem, impact.laws);
  if (may_stick(problem)) answer_.touchdown = sticking_friction(problem, impact);
}

void ImpactAsker::try_safe_restitution(ImpactOptions options)
{
  if (verdict() != Verdict::kFails || answer_.result.solutions.empty() || !answer_.safe->applies) return;
  const ImpactInput& input = answer_.input;
  options.conditions = false;
  const ImpactResult found =
      checker_.check(input.problem, {input.impact.velocity, with_restitution(input, answer_.safe->exact)}, options);
  answer_.repaired = found.exists == Verdict::kHolds && found.dissipates == Verdict::kHolds;
}

void ImpactAsker::write_row(std::vector<RowCell>& cells) const
{
  const ImpactSolution* found = answer_.solution();
  const auto number = [&](double value) { return found ? std::optional(value) : std::nullopt; };
  double utilisation = 0.0;
  if (found)
    for (const ContactImpact& contact : found->contacts) utilisation = std::max(utilisation, contact.utilisation);
  cells.push_back({"energy_before", number(found ? found->energy_before : 0.0)});
  cells.push_back({"energy_change", number(found ? found->energy_change : 0.0)});
  cells.push_back({"utilisation", number(utilisation)});
  cells.push_back({"solutions", static_cast<double>(answer_.result.solutions.size())});
  cells.push_back({"unique", {}, name_of(answer_.proof.unique)});
  if (answer_.safe)
    cells.push_back({"restitution", answer_.safe->applies ? std::optional(answer_.safe->exact) : std::nullopt});
}

/// As contacts of other questions are called.
ContactState state_of(ImpactState state)
{
  switch (state) {
    case ImpactState::kOpens:
      return ContactState::kDetaching;
    case ImpactState::kSticks:
      return ContactState::kSticking;
    case ImpactState::kSlips:
      return ContactState::kSliding;
    case ImpactState::kUnloaded:
      break;
  }
  return ContactState::kUnloaded;
}

void ImpactAsker::move_to(ScenarioReport& report)
{
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Contact>& contacts = answer_.input.problem.contacts;
  if (const ImpactSolution* solution = answer_.solution())
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      ContactReport found;
      found.state = state_of(solution->contacts[i].state);
      found.force.setConstant(kNone);
      found.utilisation = solution->contacts[i].utilisation;
      found.unique = false;
      report.contacts.push_back({contacts[i].name, found, std::nullopt});
    }
  if (const auto& safe = answer_.safe) {
    const auto number = [&](double value) { return safe->applies ? std::optional(value) : std::nullopt; };
    report.margins.push_back(reported_margin("restitution", number(safe->exact)));
    report.margins.push_back(reported_margin("restitution_least", number(safe->least)));
    report.margins.push_back(reported_margin("restitution_sharpened", safe->sharpened));
    report.margins.push_back(reported_margin("restitution_similar", safe->similar));
    const auto& touchdown = answer_.touchdown;
    if (may_stick(answer_.input.problem))
      report.margins.push_back(
          reported_margin("sticking_friction", touchdown ? std::optional(touchdown->mu) : std::nullopt));
  }
  report.iterations = static_cast<int>(answer_.result.leaves.size());
  report.answer = std::move(answer_);
}

std::vector<std::string> impact_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"energy_before", "energy_change", "utilisation", "solutions", "unique"};
  if (options.margins.value_or(false)) names.push_back("restitution");
  return names;
}

}  // namespace

extern const QuestionKind kImpactKind{require_for_impact,  make_asker<ImpactAsker>,
                                      impact_columns,      impact_asked,
                                      write_impact,        impact_text,
                                      judge_impact_report, 400};

}  // namespace stiction::internal
