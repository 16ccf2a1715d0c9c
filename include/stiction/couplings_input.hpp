#pragma once

#include "stiction/couplings.hpp"
#include "stiction/scene.hpp"

namespace stiction {

/// The rows whose couplings are asked about: a contact without friction has nothing to hold it along its surface, its
/// tangential rows go.
/// @param problem of the scene in this state (Scene::compute).
/// @throws InputError unless bodies are at rest relative to each other in the rows that take part (require_rest).
ContactProblem couplings_input(const Scene& scene, const SceneState& state, const ContactProblem& problem,
                               TangentialRows tangential);

/// The same for matrices without a scene that move with `v`.
ContactProblem couplings_input(const ContactProblem& problem, const Eigen::VectorXd& v, TangentialRows tangential);

}  // namespace stiction
