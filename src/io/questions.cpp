#include "io/question.hpp"

#include "io/report.hpp"
#include "problem/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {

extern const QuestionKind kAllStickingKind, kClosureKind, kEquilibriumKind, kImpactKind, kRegionKind;

namespace {

constexpr const QuestionKind* kKinds[] = {&kAllStickingKind, &kEquilibriumKind, &kRegionKind, &kClosureKind,
                                           &kImpactKind};

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

}  // namespace

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

void require_rest(const Situation& situation)
{
  const ContactProblem& problem = situation.problem;
  if (situation.state.v.isZero(0.0)) return;
  const Eigen::VectorXd speed = problem.J * situation.state.v;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    if (speed.segment(contact.row, contact.rows()).lpNorm<Eigen::Infinity>() <= kRestSpeed) continue;
    const Eigen::Vector3d velocity = contact_force_in_world(contact, speed.data() + contact.row);  // rows to world axes
    throw InputError(
        "contacts[" + std::to_string(description_of(situation.scenario, i)) + "]",
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

}  // namespace stiction::internal
