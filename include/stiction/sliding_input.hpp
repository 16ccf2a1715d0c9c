#pragma once

#include <optional>
#include <vector>

#include "stiction/proof/sliding.hpp"
#include "stiction/scene.hpp"

namespace stiction {

/// Which way each contact of the problem slides. One that moves along its surface slides exactly along its velocity,
/// which a direction only has to agree with; soft fingers that move need one. At rest a contact without friction slides
/// whichever way it likes.
/// @param problem of the scene in this state (Scene::compute).
/// @param slides one per contact of the scene's description: direction of the velocity of `link` relative to `on`, of
/// any length, in the axes that its normal is given in; none: it sticks unless it moves.
/// @throws InputError "contacts[2].slides: …" for a direction that leaves the surface or is not that of the velocity.
SlipDirections slip_directions(Scene& scene, const SceneState& state, const ContactProblem& problem,
                               const std::vector<std::optional<Eigen::Vector3d>>& slides);

/// The same for matrices without a scene that move with `v`; `slides` has one entry per contact of the problem, in its
/// axes (n, t1, t2).
SlipDirections slip_directions(const ContactProblem& problem, const Eigen::VectorXd& v,
                               const std::vector<std::optional<Eigen::Vector3d>>& slides);

/// Per contact with tangents: whether its bodies move along the surface, faster than kRestSpeed.
std::vector<bool> moves_along_surface(const ContactProblem& problem, const Eigen::VectorXd& v);

}  // namespace stiction
