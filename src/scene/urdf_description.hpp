#pragma once

#include <string>

namespace stiction::internal {

/// The URDF of `robot_descriptions:NAME`: asks python3 where that package has it. @throws InputError at `path`
std::string locate_description(const std::string& name, const std::string& path);

}  // namespace stiction::internal
