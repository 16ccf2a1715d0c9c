#pragma once

#include <string>

#include "stiction/equilibrium.hpp"
#include "stiction/scene.hpp"

namespace stiction {

/// How hard a point of a link may be pushed.
struct PushOption {
  enum class Direction { kGiven, kHorizontal, kAny } kind = Direction::kGiven;
  std::string link;                                      ///< "model/link"
  Eigen::Vector3d at = Eigen::Vector3d::Zero();          ///< in the link frame
  Eigen::Vector3d direction = Eigen::Vector3d::UnitX();  ///< kGiven: unit, in the world
};

/// Unit vectors across gravity, the first one as near to the x axis as it can be (to the y axis where gravity is near
/// x).
/// @throws InputError "options.push.direction" without gravity.
Eigen::Matrix<double, 3, 2> horizontal_axes(const Eigen::Vector3d& gravity);

/// Asks for the push: `options.push` in one direction, `options.ball` in all horizontal ones or in all.
/// @throws InputError below "options.push" when there is no such link, or no gravity for a horizontal push.
void ask_push(Scene& scene, const SceneState& state, const PushOption& push, EquilibriumOptions& options);

/// Asks for those margins of friction, efforts and generators that mean something for the problem and `options.shape`.
void ask_margins(const ContactProblem& problem, EquilibriumOptions& options);

}  // namespace stiction
