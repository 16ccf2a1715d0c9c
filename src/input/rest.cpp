#include "stiction/rest.hpp"

#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction {

using internal::text;

namespace {

/// `entry_of(i)` is the entry of the description that contact i comes from.
template <class EntryOf>
void require_rest_of(const ContactProblem& problem, const Eigen::VectorXd& v, const std::vector<bool>& slides,
                     EntryOf entry_of)
{
  if (v.isZero(0.0)) return;
  const Eigen::VectorXd speed = problem.J * v;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const bool along = !slides.empty() && slides[i];
    if (speed.segment(contact.row, along ? 1 : contact.rows()).lpNorm<Eigen::Infinity>() <= kRestSpeed) continue;
    const std::string path = "contacts[" + std::to_string(entry_of(i)) + "]";
    if (along)
      throw InputError(
          path, "want no velocity across the surface at " + contact.name + " (1e-06 m/s), got " +
                    text(speed[contact.row]) + " m/s along the normal; a contact that " +
                    (speed[contact.row] > 0.0 ? "opens is none: leave it out" : "hits belongs to the question impact"));
    const Eigen::Vector3d velocity =
        contact.axes_W.leftCols(1 + contact.tangents) * speed.segment(contact.row, 1 + contact.tangents);
    const double spin = contact.torsional ? speed[contact.row + contact.rows() - 1] : 0.0;
    throw InputError(path,
                     "want bodies at rest relative to each other at " + contact.name + " (1e-06 m/s), got velocity " +
                         text(velocity) + " m/s in the world" +
                         (contact.torsional ? ", turning at " + text(spin) + " rad/s" : "") +
                         "; a contact that already slides has `slides`, one that hits belongs to the question impact");
  }
  for (std::size_t i = 0; i < problem.loops.size(); ++i) {
    const LoopConstraint& closure = problem.loops[i];
    const double largest = speed.segment(closure.row, closure.rows).lpNorm<Eigen::Infinity>();
    if (largest > kRestSpeed)
      throw InputError("closures[" + std::to_string(i) + "]",
                       "want rates that keep " + closure.name + " closed (1e-06 m/s or rad/s), got " + text(largest));
  }
}

}  // namespace

void require_rest(const Scene& scene, const SceneState& state, const ContactProblem& problem,
                  const std::vector<bool>& slides)
{
  require_rest_of(problem, state.v, slides, [&](std::size_t i) { return scene.contact_origins()[i].description; });
}

void require_rest(const ContactProblem& problem, const Eigen::VectorXd& v, const std::vector<bool>& slides)
{
  require_rest_of(problem, v, slides, [](std::size_t i) { return i; });
}

std::vector<ContactActivity> contact_activity(const ContactProblem& problem, const Eigen::VectorXd& v,
                                              double rest_speed)
{
  if (v.size() != problem.nv())
    throw InputError("v", "want " + std::to_string(problem.nv()) + " entries, got " + std::to_string(v.size()));
  std::vector<ContactActivity> activity;
  for (const Contact& contact : problem.contacts) {
    const double speed = contact.side == Side::kBilateral ? 0.0 : problem.J.row(contact.row).dot(v);
    activity.push_back(speed > rest_speed    ? ContactActivity::kParts
                       : speed < -rest_speed ? ContactActivity::kMeets
                                             : ContactActivity::kActive);
  }
  return activity;
}

}  // namespace stiction
