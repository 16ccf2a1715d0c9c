#include "stiction/region_input.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction {

Eigen::Index floating_base(const ContactProblem& problem, const std::string& model)
{
  const std::vector<Dof>& dofs = problem.dofs;
  for (std::size_t first = 0; first + 6 <= dofs.size(); ++first) {
    int found = 0;
    while (found < 6 && dofs[first + static_cast<std::size_t>(found)] == Dof{model, "", found, 6}) ++found;
    if (found == 6) return static_cast<Eigen::Index>(first);
  }
  return -1;
}

/// Moved along x or y, weight and inertia act with the torque of m (c'' - g) = what the linear rows of the base ask of
/// contacts and loads together.
RegionInput region_input(Scene& scene, const SceneState& state, const ContactProblem& problem, const std::string& model,
                         const std::vector<LoadDescription>& loads)
{
  RegionInput input;
  input.problem = problem;
  input.a = state.a;
  input.base = floating_base(problem, model);
  if (input.base < 0) throw InputError("model", "want a model with a floating base, got " + internal::quoted(model));
  Eigen::VectorXd asked = problem.F;
  if (state.a.size() > 0) asked += problem.M * state.a;
  for (const LoadDescription& load : loads) asked += scene.generalised_force(state, load);
  const std::string root = scene.root_link(model);
  const Eigen::Vector3d force_W = scene.link_pose(state, root).linear() * asked.segment<3>(input.base);
  if (!internal::in_range(force_W.lpNorm<Eigen::Infinity>()))
    throw InputError("model", "want loads of " + internal::quoted(model) +
                                  " up to 1e50 N, its weight among them, got " + internal::text(force_W.norm()) + " N");
  input.shift.resize(problem.nv(), 2);
  for (int k = 0; k < 2; ++k) {
    LoadDescription torque;
    torque.link = root;
    torque.torque = Eigen::Vector3d::Unit(k).cross(force_W);
    input.shift.col(k) = scene.generalised_force(state, torque);
  }
  if (input.shift.isZero(0.0))
    throw InputError("gravity",
                     "want a weight that moves with the centre of mass of " + internal::quoted(model) + ", got none");
  input.position = scene.center_of_mass(state, model).head<2>();
  return input;
}

}  // namespace stiction
