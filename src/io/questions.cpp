#include "io/question.hpp"

#include "io/report.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {

extern const QuestionKind kAllStickingKind, kClosureKind, kCouplingsKind, kEquilibriumKind, kImpactKind, kRegionKind, kSlidingKind;

namespace {

constexpr const QuestionKind* kKinds[] = {&kAllStickingKind, &kEquilibriumKind, &kRegionKind,   &kClosureKind,
                                          &kSlidingKind,     &kImpactKind,      &kCouplingsKind};

}  // namespace

std::size_t description_of(const Scenario& scenario, std::size_t contact)
{
  std::size_t first = 0;
  for (std::size_t i = 0; i < scenario.scene.contacts.size(); ++i) {
    first += scenario.scene.contacts[i].points.size();
    if (contact < first) return i;
  }
  return 0;
}

const QuestionKind& kind_of(const std::string& question, const std::string& path)
{
  std::string known;
  for (const QuestionKind* kind : kKinds) {
    const char* name = stiction::name_of(kind->question);
    if (question == name) return *kind;
    known += (known.empty() ? "" : " | ") + std::string(name);
  }
  throw InputError(path, "want a question that this version answers (" + known + "), got " + quoted(question));
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
    throw InputError("options.detachment", "want allowed for the question " + question + ", got forbidden");
}

void require_rest(const Situation& situation, const std::vector<bool>& slides)
{
  const ContactProblem& problem = situation.problem;
  if (situation.state.v.isZero(0.0)) return;
  const Eigen::VectorXd speed = problem.J * situation.state.v;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const bool along = !slides.empty() && slides[i];
    if (speed.segment(contact.row, along ? 1 : contact.rows()).lpNorm<Eigen::Infinity>() <= kRestSpeed) continue;
    const Eigen::Vector3d velocity = contact_force_in_world(contact, speed.data() + contact.row);  // rows to world axes
    const std::string path = "contacts[" + std::to_string(description_of(situation.scenario, i)) + "]";
    if (along)
      throw InputError(path, "want no velocity across the surface at " + contact.name + " (1e-06 m/s), got " +
                                 text(speed[contact.row]) + " m/s along the normal; a contact that " +
                                 (speed[contact.row] > 0.0 ? "opens is none: leave it out"
                                                           : "hits belongs to the question impact"));
    const double spin = contact.torsional ? speed[contact.row + contact.rows() - 1] : 0.0;
    throw InputError(
        path, "want bodies at rest relative to each other at " + contact.name + " (1e-06 m/s), got velocity " +
                  text(velocity) + " m/s in the world" +
                  (contact.torsional ? ", turning at " + text(spin) + " rad/s" : "") +
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

void require_given_efforts(const Situation& situation)
{
  if (situation.problem.actuators.empty()) return;
  const std::string& dof = situation.problem.actuators.front().name;
  const std::string model = dof.substr(0, dof.find('/')), joint = dof.substr(dof.find('/') + 1);
  for (const ModelDescription& description : situation.scenario.scene.models)
    if (description.name == model)
      throw InputError("models." + model + ".effort",
                       "want given efforts for " + std::string(stiction::name_of(situation.scenario.question)) +
                           ": `none`, or `{" + joint + ": 1.5, …}` in N m or N (unnamed joints 0), got " +
                           (description.effort.kind == Effort::Kind::kLimits ? "limits" : "unlimited") +
                           "; the question equilibrium finds efforts within limits");
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

}  // namespace stiction::internal

namespace stiction {

Question question_named(const std::string& name, const std::string& path) { return internal::kind_of(name, path).question; }

}  // namespace stiction
