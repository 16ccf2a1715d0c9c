#include "io/all_sticking_answer.hpp"

#include <algorithm>

#include "ask/contact_reports.hpp"
#include "base/nearest_name.hpp"
#include "base/text.hpp"
#include "io/failure.hpp"
#include "io/report.hpp"
#include "stiction/rest.hpp"

namespace stiction::internal {

bool has_forces(CertificateKind kind) { return kind == CertificateKind::kForces || kind == CertificateKind::kMotion; }

bool has_forces(const StickingResult& result)
{
  if (result.verdict == Verdict::kUndecided) return (result.lambda.array() != 0.0).any();
  return has_forces(result.certificate.kind);
}

void read_contacts(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                   Verdict verdict, std::vector<ContactReport>& contacts)
{
  Eigen::VectorXd scales;
  std::vector<char> detaching;
  Judge().row_scales(problem, certificate.a, scales);
  find_detaching(problem, rules.detachment, certificate.a, scales, detaching);
  for (const int contact : certificate.leaving) detaching[static_cast<std::size_t>(contact)] = 1;
  contacts.resize(problem.contacts.size());
  PartForces part_forces;
  report_contacts(problem, rules.shape, detaching, certificate.lambda, verdict, part_forces, contacts);
}

namespace {

/// Degrees of freedom of joints and bases by the names that reports have for them.
std::vector<int> dofs_named(const ContactProblem& problem, const std::vector<std::string>& names,
                            const std::string& path)
{
  const std::vector<std::string> labels = joint_labels(problem.dofs);
  std::vector<int> dofs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t before = dofs.size();
    for (std::size_t k = 0; k < labels.size(); ++k)
      if (labels[k] == names[i]) dofs.push_back(static_cast<int>(k));
    if (dofs.size() > before) continue;
    std::string known;
    for (std::size_t k = 0; k < labels.size(); ++k)
      if (k == 0 || labels[k] != labels[k - 1]) known += (known.empty() ? "" : ", ") + labels[k];
    throw InputError(path + "[" + std::to_string(i) + "]",
                     "want one of " + known + ", got " + quoted(names[i]) + did_you_mean(names[i], labels));
  }
  std::ranges::sort(dofs);
  dofs.erase(std::ranges::unique(dofs).begin(), dofs.end());
  return dofs;
}

/// Joints to which `options.repair_forces` lets a force be added; none: all.
std::vector<int> repair_dofs(const Situation& situation)
{
  const std::optional<RepairForcesOption>& asked = situation.scenario.options.repair_forces;
  if (!asked) return {};
  if (!asked->actuated) return dofs_named(situation.problem, asked->joints, "options.repair_forces");
  std::vector<int> dofs;
  for (const Actuator& actuator : situation.problem.actuators) dofs.push_back(actuator.dof);
  if (situation.robots)
    dofs.insert(dofs.end(), situation.robots->given_motors().begin(), situation.robots->given_motors().end());
  std::ranges::sort(dofs);
  dofs.erase(std::ranges::unique(dofs).begin(), dofs.end());
  if (dofs.empty()) throw InputError("options.repair_forces", "want joints with motors for actuated, got none");
  return dofs;
}

/// Motors that a repairing force asks for more than their limits, by name.
std::string overloaded_motors(const Situation& situation, const Repair& repair)
{
  if (!situation.robots) return {};
  std::vector<ModelDescription> models = situation.scenario.scene.models;
  const std::vector<int>& motors = situation.robots->given_motors();
  for (const int dof : motors) {
    const Dof& joint = situation.problem.dofs[static_cast<std::size_t>(dof)];
    Effort& effort = models[static_cast<std::size_t>(situation.robots->model_index(joint.model))].effort;
    effort.kind = Effort::Kind::kGiven;
    effort.given[joint.joint] -= repair.force[dof];  // F holds efforts with a minus
  }
  std::string names;
  for (const Warning& warning : situation.robots->warnings(models))
    if (warning.kind == Warning::Kind::kEffortLimit) names += (names.empty() ? "" : "; ") + warning.message();
  return names;
}

class AllStickingAsker final : public Asker {
 public:
  explicit AllStickingAsker(std::unique_ptr<Engine> engine) : stop_(engine->stop_check()), checker_(std::move(engine))
  {
  }

  void read(const Situation& situation) override
  {
    require_given_efforts(situation);
    situation.require_rest();
    answer_.rules = {situation.scenario.options.cone, situation.scenario.options.detachment};
    answer_.idle_motors = idle_motors(situation);
    efforts_.clear();
    for (const ReportedEffort& given : given_efforts(situation.scenario, situation.problem))
      efforts_.push_back({given.name, given.value});
  }

  void ask(const Situation& situation, Extras extras) override
  {
    read(situation);
    const ScenarioOptions& asked = situation.scenario.options;
    const bool fallback = extras == Extras::kAll;
    StickingOptions options;
    options.rules = answer_.rules;
    options.intervals = asked.intervals.value_or(fallback);
    options.margins = asked.margins.value_or(fallback);
    options.repairs = asked.repairs.value_or(fallback);
    options.explain = fallback || asked.explain.value_or(true);
    options.repair_dofs = repair_dofs(situation);
    options.idle_motors = answer_.idle_motors;
    StickingResult& result = answer_.result;
    checker_.check(situation.problem, options, result);
    answer_.repair_notes.clear();
    answer_.posture_repair.reset();
    if (result.verdict == Verdict::kFails && options.repairs) look_for_repairs(situation, options);
    answer_.steps.reset();
    if (asked.steps) {
      const std::unique_ptr<Engine> engine = make_engine(asked.solver);
      engine->set_stop(stop_);
      answer_.steps = sticking_steps(situation.problem, options.rules, result, *engine);
    }
    if (!fallback || result.verdict == Verdict::kUndecided || !has_forces(result)) return;
    // The certificate's numbers are the ones that are judged; the result's may differ from them by rounding.
    read_contacts(situation.problem, options.rules, result.certificate, result.verdict, result.contacts);
    if (result.verdict == Verdict::kHolds)
      result.explanation = describe_sticking(situation.problem, result.contacts, result.certificate.a);
  }

  Verdict verdict() const override { return answer_.result.verdict; }
  std::string summary() const override { return summary_of(answer_); }

  void write_row(std::vector<RowCell>& cells) const override
  {
    const StickingResult& result = answer_.result;
    double utilisation = 0.0;
    for (const ContactReport& contact : result.contacts) utilisation = std::max(utilisation, contact.utilisation);
    cells.push_back({"utilisation", utilisation});
    cells.push_back({"slack", result.slack});
    if (result.friction_scale.settled()) cells.push_back({"friction_scale", friction_scale()});
  }

  void write_culprit(const ContactProblem& problem, std::vector<RowCell>& cells) const override
  {
    const StickingResult& result = answer_.result;
    write_culprit_cells(problem, answer_.rules, result.verdict, result.certificate, result.failure, result.contacts,
                        cells);
    write_worst_joint(efforts_, cells);
  }

  void move_to(ScenarioReport& report) override
  {
    const StickingResult& result = answer_.result;
    const bool decided = result.verdict != Verdict::kUndecided;
    if (has_forces(result))
      report.contacts =
          reported_contacts(report.problem, result.contacts, decided ? result.certificate.lambda : result.lambda);
    report.efforts = given_efforts(report.scenario, report.problem);
    if (result.friction_scale.settled()) report.margins.push_back(reported_margin("friction_scale", friction_scale()));
    report.iterations = result.iterations;
    if (!result.second_engine.empty()) report.solver += ", " + result.second_engine;
    report.answer = std::move(answer_);
  }

 private:
  /// Of a settled one: with this it holds; none: with no friction.
  std::optional<double> friction_scale() const
  {
    const Margin& scale = answer_.result.friction_scale;
    return scale.state == Margin::State::kKnown ? std::optional(scale.upper) : std::nullopt;
  }

  /// Forces that no motor has are no repair; and the posture.
  void look_for_repairs(const Situation& situation, const StickingOptions& options)
  {
    std::vector<Repair>& repairs = answer_.result.repairs;
    if (const int left = answer_.result.frictions_not_tried; left > 0)
      answer_.repair_notes.push_back("friction of one contact alone: not looked for at " + std::to_string(left) +
                                     " more contacts");
    const auto force = std::ranges::find(repairs, Repair::Change::kForce, &Repair::change);
    if (options.rules.detachment == Detachment::kFree) {
      answer_.repair_notes.push_back("forces or posture: with detachment free neither is looked for");
      return;
    }
    if (!options.repair_dofs.empty()) {
      const std::string overloaded = force == repairs.end() ? "" : overloaded_motors(situation, *force);
      if (force == repairs.end())
        answer_.repair_notes.push_back("forces on the joints asked for: none was found that makes it hold");
      else if (!overloaded.empty())
        answer_.repair_notes.push_back("forces on the joints asked for are beyond their limits: " + overloaded);
      if (!overloaded.empty()) repairs.erase(force);
    }
    const std::optional<RepairPostureOption>& asked = situation.scenario.options.repair_posture;
    if (!asked) return;
    const PostureMoves moves = {dofs_named(situation.problem, asked->move, "options.repair_posture.move"),
                                asked->contacts};
    PostureRepair found = repaired_posture(situation.scenario.scene, situation.scene(), situation.problem,
                                           options.rules, moves, checker_);
    if (found.found)
      answer_.posture_repair = std::move(found);
    else
      answer_.repair_notes.push_back("posture: " + found.reason);
  }

  StopCheck stop_;  // of the engine
  StickingChecker checker_;
  AllStickingAnswer answer_;
  std::vector<JointEffort> efforts_;  ///< that are given
};

std::vector<std::string> all_sticking_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"utilisation", "slack"};
  if (options.margins.value_or(false)) names.push_back("friction_scale");
  return names;
}

}  // namespace

extern const QuestionKind kAllStickingKind{require_no_sliding,   make_asker<AllStickingAsker>,
                                           all_sticking_columns, all_sticking_asked,
                                           write_all_sticking,   all_sticking_text,
                                           judge_all_sticking,   1800};

}  // namespace stiction::internal
