#include "io/failure.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "io/report.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

constexpr double kLeastToFail = 1e2;  // times the friction: what that does not hold is not a matter of friction

constexpr std::pair<Remedy, const char*> kRemedies[] = {
    {kMoreMotors, "motors"}, {kMoreEffort, "effort"}, {kLargerLimits, "limits"}, {kMoreFriction, "friction"}};

Json remedies_json(Remedies remedies)
{
  Json names = Json::array();
  for (const auto& [remedy, name] : kRemedies)
    if (remedies & remedy) names.push_back(name);
  return names;
}

Remedies read_remedies(const Field& field)
{
  Remedies remedies = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const std::string name = field[i].text();
    const auto* known = std::ranges::find_if(kRemedies, [&](const auto& entry) { return name == entry.second; });
    if (known == std::end(kRemedies) || (remedies & known->first)) field[i].fail("motors | effort | limits | friction");
    remedies |= known->first;
  }
  return remedies;
}

const char* cause_word(FailureCause cause)
{
  switch (cause) {
    case FailureCause::kMotors:
      return "motors";
    case FailureCause::kEffort:
      return "effort";
    case FailureCause::kLimits:
      return "limits";
    case FailureCause::kFriction:
      return "friction";
    case FailureCause::kSeveral:
      return "several";
    case FailureCause::kNothing:
      return "nothing";
    case FailureCause::kUnknown:
      break;
  }
  return "unknown";
}

/// What the words need beside the diagnosis.
Failure read_failure(const Field& field, const ContactProblem& problem, bool moves)
{
  Failure failure;
  failure.pressed = field["pressed"].boolean();
  if (!moves || field["motion"].is_null()) return failure;
  failure.motion = field["motion"].vector(problem.nv());
  failure.signs = field["signs"].integers();
  if (failure.signs.size() != problem.contacts.size()) field["signs"].fail("one entry per contact");
  return failure;
}

/// The verdict that is proved for a counterfactual.
Verdict judged_verdict(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                       bool at_rest, const Failure& failure, const Counterfactual& trial)
{
  const ContactProblem changed = relieved(problem, trial.with, trial.friction, failure.idle_motors);
  if (at_rest && !(trial.with & kMoreMotors))
    return judge(changed, {ConeShape::exact(), rules.detachment}, trial.certificate);
  const Eigen::VectorXd a = at_rest ? Eigen::VectorXd() : certificate.a;
  return judge_equilibrium(changed, a, ConeShape::exact(), trial.certificate);
}

/// What a report says of the least factor on friction against what its counterfactuals prove; "" when they agree.
std::string contradicted_friction(const Field& margins, const Failure& failure)
{
  const bool given = margins.has("friction_scale") && !margins["friction_scale"].is_null();
  const bool open = margins.has("intervals") && margins["intervals"].has("friction_scale");
  if (!given && (open || !margins.has("friction_scale"))) return "";
  const double least = given ? margins["friction_scale"].number() : kInfinity;
  constexpr double kLast = 1e-6;  // digits of a least factor
  for (const Counterfactual& trial : failure.counterfactuals) {
    if (!(trial.with & kMoreFriction)) continue;
    const bool holds = trial.verdict == Verdict::kHolds;
    if (holds ? trial.with == kMoreFriction && least > trial.friction * (1.0 + kLast)
              : least < trial.friction * (1.0 - kLast))
      return "margins.friction_scale: the report says " + (given ? text(least) : std::string("that none helps")) +
             ", but with " + text(trial.friction) + " times the friction it " + (holds ? "holds" : "fails") +
             ", as certificate.counterfactuals proves";
  }
  return "";
}

}  // namespace

std::vector<int> idle_motors(const Situation& situation)
{
  std::vector<int> idle;
  if (!situation.robots) return idle;
  for (const int dof : situation.robots->given_motors()) {
    const std::string& name = situation.problem.dofs[static_cast<std::size_t>(dof)].model;
    for (const ModelDescription& model : situation.scenario.scene.models)
      if (model.name == name && model.effort.kind == Effort::Kind::kNone) idle.push_back(dof);
  }
  std::ranges::sort(idle);
  return idle;
}

void write_idle_motors(const std::vector<int>& motors, Json& rules)
{
  if (!motors.empty()) rules["idle_motors"] = motors;
}

std::vector<int> read_idle_motors(const Field& rules, const ContactProblem& problem)
{
  if (!rules.has("idle_motors")) return {};
  const std::vector<int> motors = rules["idle_motors"].integers();
  for (std::size_t i = 0; i < motors.size(); ++i) {
    const int dof = motors[i];
    const bool joint = dof >= 0 && dof < static_cast<int>(problem.dofs.size()) &&
                       !problem.dofs[static_cast<std::size_t>(dof)].of_base() &&
                       std::ranges::find(problem.actuators, dof, &Actuator::dof) == problem.actuators.end();
    if (!joint || (i > 0 && motors[i - 1] >= dof)) rules["idle_motors"].fail("joints without efforts, in their order");
  }
  return motors;
}

Json failure_json(const Failure& failure)
{
  Json entry;
  entry["cause"] = cause_word(failure.cause);
  entry["helps"] = remedies_json(failure.helps);
  entry["defied"] = remedies_json(failure.defied);
  entry["motion"] = failure.motion.size() > 0 ? json(Eigen::VectorXd(failure.motion.array() + 0.0)) : Json();  // no -0
  entry["signs"] = failure.signs;
  entry["pressed"] = failure.pressed;
  return entry;
}

Json counterfactuals_json(const Failure& failure, Detachment detachment)
{
  Json list = Json::array();
  for (const Counterfactual& trial : failure.counterfactuals) {
    Json entry;
    entry["with"] = remedies_json(trial.with);
    entry["friction"] = json(trial.friction);
    entry["verdict"] = name_of(trial.verdict);
    write_proof(detachment, trial.certificate, entry);
    entry["efforts"] = json(trial.certificate.efforts);
    list.push_back(std::move(entry));
  }
  return list;
}

void judge_failure(const Field& report, const ContactProblem& problem, const StickingRules& rules,
                   const Certificate& certificate, const std::vector<int>& idle_motors, bool at_rest, Judgement& judged)
{
  const bool moves = told_motion(certificate) != nullptr;
  Failure failure = read_failure(report["failure"], problem, moves);
  failure.idle_motors = idle_motors;
  const Field trials = report["certificate"]["counterfactuals"];
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Counterfactual trial;
    trial.with = read_remedies(trials[i]["with"]);
    trial.friction = trials[i]["friction"].number();
    if (!(trial.friction >= 1.0 && trial.friction <= kUnlimitedFriction)) trials[i]["friction"].fail("1 to 1e4");
    trial.certificate = read_proof(trials[i], rules.detachment);
    trial.certificate.efforts = trials[i]["efforts"].vector();
    trial.verdict = judged_verdict(problem, rules, certificate, at_rest, failure, trial);
    const bool rubs = trial.with & kMoreFriction;
    if (rubs ? trial.verdict == Verdict::kFails && trial.friction < kLeastToFail : trial.friction != 1.0)
      trials[i]["friction"].fail("1 without more friction, 100 or more where it does not help");
    if (trial.verdict == Verdict::kUndecided) {
      judged.refused = trials[i].path() + " proves nothing";
      return;
    }
    failure.counterfactuals.push_back(std::move(trial));
  }
  judged.refused = contradicted_friction(report["margins"], failure);
  if (!judged.refused.empty()) return;
  if (moves)
    diagnose(possible_remedies(problem, failure.idle_motors), failure);
  else
    failure.cause = FailureCause::kNothing;
  const std::string words = describe_failure(problem, rules, certificate, failure);
  judged.summary = "fails: " + (words.empty() ? "no admissible forces exist" : words);
  judged.tells_unproved = failure.motion.size() > 0;
  judged.claims["failure"] = failure_json(failure);
  for (const char* key : {"motion", "signs", "pressed"}) judged.claims["failure"][key] = unproved();
  judged.proof["counterfactuals"] = counterfactuals_json(failure, rules.detachment);
}

}  // namespace stiction::internal
