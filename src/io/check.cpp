#include "io/check.hpp"

#include "problem/text.hpp"

namespace stiction::internal {
namespace {

/// The entry of the scenario that contact i of the problem comes from; patches give several contacts each.
std::size_t description_of(const Scenario& scenario, std::size_t contact)
{
  std::size_t first = 0;
  for (std::size_t i = 0; i < scenario.scene.contacts.size(); ++i) {
    first += scenario.scene.contacts[i].points.size();
    if (contact < first) return i;
  }
  return 0;
}

std::vector<std::pair<std::string, double>> given_efforts(const Scenario& scenario, const ContactProblem& problem)
{
  std::vector<std::pair<std::string, double>> efforts;
  for (const ModelDescription& model : scenario.scene.models) {
    if (model.effort.kind != Effort::Kind::kGiven) continue;
    for (const std::string& dof : problem.dof_names) {
      if (!dof.starts_with(model.name + "/") || dof.ends_with("]")) continue;
      const auto given = model.effort.given.find(dof.substr(model.name.size() + 1));
      efforts.emplace_back(dof, given == model.effort.given.end() ? 0.0 : given->second);
    }
  }
  return efforts;
}

}  // namespace

int exit_code(Verdict verdict)
{
  switch (verdict) {
    case Verdict::kHolds: return 0;
    case Verdict::kFails: return 1;
    case Verdict::kUndecided: break;
  }
  return 3;
}

void require_question(const Scenario& scenario)
{
  if (scenario.question != Question::kAllSticking)
    throw InputError("question", "want all_sticking, the one that this version answers, got " + quoted(stiction::name_of(scenario.question)));
  for (std::size_t i = 0; i < scenario.contact_motions.size(); ++i)
    if (scenario.contact_motions[i].slides)
      throw InputError("contacts[" + std::to_string(i) + "].slides",
                       "want no sliding contact in the question all_sticking, got " + text(*scenario.contact_motions[i].slides));
}

void require_given_efforts(const Scenario& scenario, const ContactProblem& problem)
{
  if (problem.actuators.empty()) return;
  const std::string& dof = problem.actuators.front().name;
  const std::string model = dof.substr(0, dof.find('/')), joint = dof.substr(dof.find('/') + 1);
  for (const ModelDescription& description : scenario.scene.models)
    if (description.name == model)
      throw InputError("models." + model + ".effort",
                       "want given efforts for all_sticking: `none`, or `{" + joint + ": 1.5, …}` in N m or N (unnamed joints 0), got " +
                           (description.effort.kind == Effort::Kind::kLimits ? "limits" : "unlimited") +
                           "; the question equilibrium finds efforts within limits");
}

void require_rest(const Scenario& scenario, const ContactProblem& problem, const Eigen::VectorXd& v)
{
  if (v.isZero(0.0)) return;
  const Eigen::VectorXd speed = problem.J * v;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    if (speed.segment(contact.row, contact.rows()).lpNorm<Eigen::Infinity>() <= kRestSpeed) continue;
    const Eigen::Vector3d velocity = contact_force_in_world(contact, speed.data() + contact.row);   // rows to world axes
    throw InputError("contacts[" + std::to_string(description_of(scenario, i)) + "]",
                     "want bodies at rest relative to each other at " + contact.name + " (1e-06 m/s), got velocity " +
                         text(velocity) + " m/s in the world" +
                         (contact.torsional ? ", turning at " + text(speed[contact.row + contact.rows() - 1]) + " rad/s" : "") +
                         "; a contact that already slides has `slides`, one that hits belongs to the question impact");
  }
  for (std::size_t i = 0; i < problem.closures.size(); ++i) {
    const Closure& closure = problem.closures[i];
    const double largest = speed.segment(closure.row, closure.rows).lpNorm<Eigen::Infinity>();
    if (largest > kRestSpeed)
      throw InputError("closures[" + std::to_string(i) + "]",
                       "want rates that keep " + closure.name + " closed (1e-06 m/s or rad/s), got " + text(largest));
  }
}

StickingOptions sticking_options(const ScenarioOptions& options, bool extras)
{
  StickingOptions result;
  result.rules = {options.cone, options.detachment};
  result.intervals = options.intervals.value_or(extras);
  result.margins = options.margins.value_or(extras);
  result.repairs = options.repairs.value_or(extras);
  return result;
}

Report check(const Scenario& scenario)
{
  require_question(scenario);
  Scene scene(scenario.scene);
  Report report;
  report.name = scenario.name;
  report.question = scenario.question;
  report.solver = scenario.options.solver;
  report.warnings = scene.warnings();
  // Efforts are given: what the limits of passive joints are does not matter here.
  std::erase_if(report.warnings, [](const std::string& warning) { return warning.ends_with("limit: the effort limit is 0"); });
  report.problem = scene.compute();
  require_given_efforts(scenario, report.problem);
  require_rest(scenario, report.problem, scene.described_state().v);
  report.efforts = given_efforts(scenario, report.problem);
  const StickingOptions options = sticking_options(scenario.options, true);
  report.rules = options.rules;
  report.result = StickingChecker(make_engine(scenario.options.solver)).check(report.problem, options);
  return report;
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
