// What a scene's robots and obstacles look like, for drawings.
#pragma once

#include <string>
#include <vector>

#include "geometry/plane.hpp"
#include "stiction/scene.hpp"

namespace stiction::internal {

/// A solid as the convex hull of corners and balls.
using Hull = std::vector<Corner>;

struct LinkOutline {
  std::size_t model = 0;              ///< index in SceneDescription::models
  std::string name;                   ///< "model/link"
  bool moves = true;                  ///< false: fixed to the world
  std::vector<Hull> shapes;           ///< in the link's frame
  std::vector<Eigen::Vector3d> ends;  ///< of bars from the link's origin, where it has mass but no shapes
};

struct SceneOutline {
  std::vector<LinkOutline> links;
  std::vector<std::pair<std::string, Hull>> obstacles;  ///< name, in the world; planes are none
  std::vector<std::string> unread;                      ///< meshes that were not found or not read, with the reason
};

/// Collision shapes; of a mesh its corners in 600 directions. A link without any that has mass is bars from its origin
/// to the joints that it carries, or to its centre of mass. Meshes that cannot be read are left out.
/// @throws InputError at models.NAME.urdf
SceneOutline outline_of(const SceneDescription& description);

}  // namespace stiction::internal
