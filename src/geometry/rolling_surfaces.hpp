// Radii of surfaces that roll, from the collision shapes of bodies that contacts given by hand are on.
#pragma once

#include <vector>

#include "geometry/bodies.hpp"

namespace stiction::internal {

class RollingSurfaces {
 public:
  /// Reads collision shapes; where that cannot be done nothing is filled in.
  explicit RollingSurfaces(const SceneDescription& description);
  bool fits(const SceneDescription& description) const;

  /// Radii for contacts of moving bodies that say none, have their points on a sphere, cylinder or capsule and its
  /// normal there, on `link` or `on`, and on the other body a known surface too; the world is flat. A warning tells.
  void fill_in(SceneDescription& scene, std::vector<Warning>& warnings) const;

 private:
  std::vector<UrdfSource> sources_;  ///< by model
  std::vector<RobotShapes> robots_;  ///< likewise; empty: shapes could not be read
};

/// Whether any body of the scene is described as moving.
bool moves(const SceneDescription& description);

}  // namespace stiction::internal
