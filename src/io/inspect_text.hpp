#pragma once

#include <string>

#include "stiction/geometry.hpp"

namespace stiction::internal {

/// What `stiction inspect` prints: links with masses, joints with limits, and what looks wrong. At most 80 columns wide
/// as long as every single name is.
std::string inspect_text(const RobotInfo& robot);

/// Below it: collision shapes, centre of mass, height, what could be a foot, joints without effort limits.
std::string survey_text(const RobotSurvey& survey);

/// Both, of a file, package://… or robot_descriptions:NAME. @throws InputError
std::string inspect_robot(const std::string& file, const std::vector<std::string>& package_paths);

}  // namespace stiction::internal
