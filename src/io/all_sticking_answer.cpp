#include "io/all_sticking_answer.hpp"

#include <algorithm>

#include "ask/contact_reports.hpp"
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
  report_contacts(problem, rules.shape, detaching, certificate.lambda, verdict, contacts);
}

namespace {

class AllStickingAsker final : public Asker {
 public:
  explicit AllStickingAsker(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

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
    options.idle_motors = answer_.idle_motors;
    StickingResult& result = answer_.result;
    checker_.check(situation.problem, options, result);
    answer_.steps.reset();
    if (asked.steps)
      answer_.steps = sticking_steps(situation.problem, options.rules, result, *make_engine(asked.solver));
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
    if (result.friction_scale_known) cells.push_back({"friction_scale", result.friction_scale});
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
          reported_contacts(report.problem, result.contacts, decided ? result.certificate.lambda : result.lambda,
                            result.verdict == Verdict::kHolds && answer_.rules.detachment != Detachment::kFree);
    report.efforts = given_efforts(report.scenario, report.problem);
    if (result.friction_scale_known) report.margins.push_back(reported_margin("friction_scale", result.friction_scale));
    report.iterations = result.iterations;
    if (!result.second_engine.empty()) report.solver += ", " + result.second_engine;
    report.answer = std::move(answer_);
  }

 private:
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
