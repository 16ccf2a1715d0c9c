#include "io/question.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "io/report.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {

#define STICTION_KIND(Name, name) extern const QuestionKind k##Name##Kind;
STICTION_QUESTIONS(STICTION_KIND)
#undef STICTION_KIND

namespace {

struct NamedKind {
  const char* name;
  const QuestionKind& kind;
};

/// In the order of Question.
constexpr NamedKind kKinds[] = {
#define STICTION_KIND(Name, name) {#name, k##Name##Kind},
    STICTION_QUESTIONS(STICTION_KIND)
#undef STICTION_KIND
};

}  // namespace

Scene& Situation::scene() const
{
  if (!robots) throw std::logic_error("asked for the robots of a bare problem");
  return *robots;
}

const ContactMotion& Situation::motion_of(std::size_t contact) const
{
  return scenario
      .contact_motions[robots ? static_cast<std::size_t>(robots->contact_origins()[contact].description) : contact];
}

void Situation::require_rest(const std::vector<bool>& slides) const
{
  if (robots)
    stiction::require_rest(*robots, state, problem, slides);
  else
    stiction::require_rest(problem, state.v, slides);
}

void Asker::write_culprit(const ContactProblem&, std::vector<RowCell>&) const {}

void write_culprit_cells(const ContactProblem& problem, const StickingRules& rules, Verdict verdict,
                         const Certificate& certificate, const Failure& failure,
                         const std::vector<ContactReport>& contacts, std::vector<RowCell>& cells)
{
  if (verdict == Verdict::kFails) {
    const FailureDigest digest = digest_failure(problem, rules, certificate, failure);
    std::string names;
    for (const std::string& name : digest.culprits) names += (names.empty() ? "" : ", ") + name;
    cells.push_back({"cause", {}, digest.cause});
    cells.push_back({"culprit", {}, names});
    return;
  }
  const auto worst = std::ranges::max_element(contacts, {}, &ContactReport::utilisation);
  const bool known = verdict == Verdict::kHolds && worst != contacts.end() && worst->utilisation > 0.0;
  cells.push_back({"cause", {}});
  cells.push_back(
      {"culprit", {}, known ? problem.contacts[static_cast<std::size_t>(worst - contacts.begin())].name : ""});
}

void write_worst_joint(const std::vector<JointEffort>& efforts, std::vector<RowCell>& cells)
{
  const JointEffort* worst = nullptr;
  const auto share = [](const JointEffort& motor) {
    const double limit = motor.effort < 0.0 ? motor.lower : motor.upper;
    return std::isfinite(limit) && limit != 0.0 ? std::abs(motor.effort / limit) : 0.0;
  };
  for (const JointEffort& motor : efforts)
    if (!worst || share(motor) > share(*worst) ||
        (share(motor) == share(*worst) && std::abs(motor.effort) > std::abs(worst->effort)))
      worst = &motor;
  cells.push_back({"joint", {}, worst ? worst->joint : ""});
  cells.push_back({"joint_effort", worst ? std::optional(worst->effort) : std::nullopt});
  cells.push_back({"joint_load", worst && share(*worst) > 0.0 ? std::optional(share(*worst)) : std::nullopt});
}

std::vector<std::string> culprit_columns() { return {"cause", "culprit", "joint", "joint_effort", "joint_load"}; }

const QuestionKind& kind_of(Question question)
{
  const auto index = static_cast<std::size_t>(question);
  if (index >= std::size(kKinds)) throw InputError("question", "want a question, got number " + std::to_string(index));
  return kKinds[index].kind;
}

void require_plain_contacts(const Scenario& scenario)
{
  for (std::size_t i = 0; i < scenario.contact_motions.size(); ++i) {
    const ContactMotion& motion = scenario.contact_motions[i];
    const std::string path = "contacts[" + std::to_string(i) + "].", question = stiction::name_of(scenario.question);
    if (motion.one_way)
      throw InputError(path + "one_way", "want no one-way contact in the question " + question +
                                             ", got true; the question impact has them");
    if (motion.mu_second)
      throw InputError(path + "mu_second", "want the same friction in all directions in the question " + question +
                                               ", got " + text(*motion.mu_second) +
                                               "; the question impact has orthotropic friction");
  }
}

void require_no_sliding(const Scenario& scenario)
{
  require_plain_contacts(scenario);
  for (std::size_t i = 0; i < scenario.contact_motions.size(); ++i)
    if (scenario.contact_motions[i].slides)
      throw InputError("contacts[" + std::to_string(i) + "].slides",
                       "want no sliding contact in the question " + std::string(stiction::name_of(scenario.question)) +
                           ", got " + text(*scenario.contact_motions[i].slides));
}

void require_default_rules(const Scenario& scenario)
{
  const std::string question = stiction::name_of(scenario.question);
  if (scenario.options.cone.approximation != ConeApproximation::kExact)
    throw InputError("options.cone", "want exact for the question " + question + ", got facets");
  if (scenario.options.detachment != Detachment::kAllowed)
    throw InputError("options.detachment",
                     "want allowed for the question " + question + ", got " + name_of(scenario.options.detachment));
}

void require_given_efforts(const Situation& situation)
{
  if (situation.problem.actuators.empty()) return;
  if (!situation.robots)
    throw InputError("actuators", "want none for " + std::string(stiction::name_of(situation.scenario.question)) +
                                      ": given efforts are part of F, the question equilibrium finds efforts; got " +
                                      quoted(situation.problem.actuators.front().name));
  const Dof& dof = situation.problem.dofs[static_cast<std::size_t>(situation.problem.actuators.front().dof)];
  const std::string question = stiction::name_of(situation.scenario.question);
  for (const ModelDescription& description : situation.scenario.scene.models) {
    if (description.name != dof.model) continue;
    const Effort::Kind kind = description.effort.kind;
    if (kind != Effort::Kind::kLimits && kind != Effort::Kind::kUnlimited)
      throw InputError("models." + dof.model + ".joint_friction",
                       "want none for " + question +
                           ": friction of joints is an effort that is to be found, which the "
                           "question equilibrium does; got some at " +
                           quoted(dof.joint));
    throw InputError("models." + dof.model + ".effort", "want given efforts for " + question + ": `none`, or `{" +
                                                            dof.joint +
                                                            ": 1.5, …}` in N m or N (unnamed joints 0), got " +
                                                            (kind == Effort::Kind::kLimits ? "limits" : "unlimited") +
                                                            "; the question equilibrium finds efforts within limits");
  }
}

std::vector<ReportedEffort> given_efforts(const Scenario& scenario, const ContactProblem& problem)
{
  std::vector<ReportedEffort> efforts;
  for (const ModelDescription& model : scenario.scene.models) {
    if (model.effort.kind != Effort::Kind::kGiven) continue;
    for (std::size_t i = 0; i < problem.dofs.size(); ++i) {
      const Dof& dof = problem.dofs[i];
      if (dof.model != model.name || dof.size != 1) continue;
      const auto given = model.effort.given.find(dof.joint);
      efforts.push_back({problem.dof_names[i], given == model.effort.given.end() ? 0.0 : given->second});
    }
  }
  return efforts;
}

}  // namespace stiction::internal

namespace stiction {

const char* name_of(Question question)
{
  const auto index = static_cast<std::size_t>(question);
  return index < std::size(internal::kKinds) ? internal::kKinds[index].name : "";
}

Question question_named(const std::string& name, const std::string& path)
{
  std::string known;
  for (std::size_t i = 0; i < std::size(internal::kKinds); ++i) {
    const char* const one = internal::kKinds[i].name;
    if (name == one) return static_cast<Question>(i);
    known += (known.empty() ? "" : " | ") + std::string(one);
  }
  throw InputError(path, "want a question that this version answers (" + known + "), got " + internal::quoted(name));
}

}  // namespace stiction
