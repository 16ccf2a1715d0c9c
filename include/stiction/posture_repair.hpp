#pragma once

#include <string>
#include <vector>

#include "stiction/scene.hpp"
#include "stiction/sticking.hpp"

namespace stiction {

/// What may move to repair a posture (step 6 of the paper's algorithm), and what contacts do meanwhile.
struct PostureMoves {
  std::vector<int> dofs;  ///< degrees of freedom of 1-dof joints and of floating bases
  /// kStay: every contact stays where it is on both of its bodies, as feet do that are not lifted. kAlong: gaps stay
  /// closed, but points may travel along the face that they touch, which is taken to be flat. Closures stay closed.
  enum class Contacts { kStay, kAlong } contacts = Contacts::kStay;
};

/// A posture near the given one in which every contact sticks.
struct PostureRepair {
  bool found = false;
  std::string reason;                    ///< why none was found; that there is none is not said
  Eigen::VectorXd change;                ///< nv, as Scene::integrate takes it; 0 where nothing may move
  std::vector<int> joints;               ///< degrees of freedom of 1-dof joints that move
  std::vector<int> bases;                ///< indices in `models` of those whose base moves
  std::vector<ModelDescription> models;  ///< in the new posture, rounded as people are shown it
  double gap = 0.0;  ///< m, rad: by how much rounding and the search leave contacts and closures out of place, at most
};

/// Follows the gradient of the distance between the load and what the contacts carry, with contacts and closures kept
/// in place; goes back to the smallest change on its way that holds, Euclidean norm over rad and m. Others may be
/// smaller. What is found was decided anew, for the numbers in `models`.
/// @param problem of `description`, which `scene` was made from, at rest
/// @throws InputError when a degree of freedom is none of a 1-dof joint or floating base.
PostureRepair repaired_posture(const SceneDescription& description, Scene& scene, const ContactProblem& problem,
                               const StickingRules& rules, const PostureMoves& moves, StickingChecker& checker);

}  // namespace stiction
