#pragma once

#include <vector>

#include "stiction/picture.hpp"

namespace stiction::internal {

/// The ground and planes among the obstacles, as large as the focus; and where contacts touch the world without any of
/// these, a patch of the plane that they lie in.
void add_surfaces(const SceneDescription& description, const std::vector<ContactOrigin>& origins,
                  const ContactProblem& problem, Picture& picture);

}  // namespace stiction::internal
