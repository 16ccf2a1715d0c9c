#include "stiction/couplings_input.hpp"

#include "stiction/rest.hpp"

namespace stiction {
namespace {

ContactProblem without_frictionless_tangents(const ContactProblem& problem)
{
  ContactProblem result = problem;
  std::vector<int> kept;
  const auto keep = [&](int first, int count) {
    const int start = static_cast<int>(kept.size());
    for (int k = 0; k < count; ++k) kept.push_back(first + k);
    return start;
  };
  for (Contact& contact : result.contacts) {
    const int first = contact.row, torsion = first + 1 + contact.tangents;
    if (contact.mu == 0.0) contact.tangents = 0;
    contact.row = keep(first, 1 + contact.tangents);
    if (contact.torsional) keep(torsion, 1);
  }
  for (LoopConstraint& closure : result.loops) closure.row = keep(closure.row, closure.rows);
  result.J = problem.J(kept, Eigen::all);
  result.gamma = problem.gamma(kept);
  return result;
}

/// Contacts that need not be at rest along their surface.
std::vector<bool> free_to_slide(const ContactProblem& problem, TangentialRows tangential)
{
  std::vector<bool> slides;
  for (const Contact& contact : problem.contacts)
    slides.push_back(tangential == TangentialRows::kLeftOut || (contact.mu == 0.0 && !contact.torsional));
  return slides;
}

}  // namespace

ContactProblem couplings_input(const Scene& scene, const SceneState& state, const ContactProblem& problem,
                               TangentialRows tangential)
{
  require_rest(scene, state, problem, free_to_slide(problem, tangential));
  return without_frictionless_tangents(problem);
}

ContactProblem couplings_input(const ContactProblem& problem, const Eigen::VectorXd& v, TangentialRows tangential)
{
  require_rest(problem, v, free_to_slide(problem, tangential));
  return without_frictionless_tangents(problem);
}

}  // namespace stiction
