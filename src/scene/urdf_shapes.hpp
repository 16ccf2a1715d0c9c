#pragma once

#include <string>
#include <vector>

#include "stiction/geometry.hpp"

namespace stiction::internal {

/// Collision shapes of the links of a URDF, in the order of UrdfTree::links. Meshes are not read.
/// @param path entry that error messages start with. @throws InputError
std::vector<std::vector<Shape>> parse_shapes(const std::string& text, const std::string& path);

/// Where a mesh of a URDF is. `package://name/rest` is looked up as for URDFs, then in the folders that the URDF is in;
/// other names are relative to the URDF, whose place is `urdf` (empty: of a text). @throws InputError at `path`
std::string locate_mesh_file(const std::string& mesh, const std::string& urdf,
                             const std::vector<std::string>& package_paths, const std::string& path);

}  // namespace stiction::internal
