#pragma once

#include <string>

#include "stiction/scene.hpp"

namespace stiction::internal {

/// What `stiction inspect` prints: links with masses, joints with limits, and what looks wrong. At most 80 columns wide
/// as long as every single name is.
std::string inspect_text(const RobotInfo& robot);

}  // namespace stiction::internal
