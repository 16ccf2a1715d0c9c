#pragma once

#include "types.hpp"

namespace stiction::python {

/// A loaded scene and what it was loaded from.
struct SceneHandle {
  SceneDescription description;
  Locked<Scene> scene;
  std::vector<std::string> contact_names;  ///< of the problem
  std::vector<std::string> warnings;       ///< of geometry, then of the scene

  SceneHandle(const SceneDescription& described, Scene&& loaded) : description(described), scene(std::move(loaded)) {}
};

}  // namespace stiction::python
