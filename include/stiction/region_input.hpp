#pragma once

#include <string>
#include <vector>

#include "stiction/proof/region.hpp"
#include "stiction/scene.hpp"

namespace stiction {

/// What the support region of a model with a floating base is asked about, in one state: the model's weight and inertia
/// act at its centre of mass, which moves horizontally; `loads` stay where they are.
/// @param problem of the scene in this state (Scene::compute), with the coefficients that are asked about.
/// @param loads those of the scene's description: they are inside F, but do not move.
/// @throws InputError when there is no such model or its base does not float.
RegionInput region_input(Scene& scene, const SceneState& state, const ContactProblem& problem, const std::string& model,
                         const std::vector<LoadDescription>& loads = {});

/// RegionInput::base of a model by its name, or -1.
Eigen::Index floating_base(const ContactProblem& problem, const std::string& model);

}  // namespace stiction
