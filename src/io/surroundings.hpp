// Keys of scenarios that are about geometry: ground, obstacles, poses on the ground, contacts to be detected.
#pragma once

#include "io/entry_reader.hpp"
#include "stiction/scenario.hpp"

namespace stiction::internal {

Ground decode_ground(const Entry& entry);
Obstacle decode_obstacle(const Entry& entry, const std::string& path, const std::string& folder);

/// `pose` of a model or an obstacle; only a model's may be on the ground.
void decode_pose(const Entry& entry, const std::string& path, Pose& pose, std::optional<Placing>* placing);

Detect decode_detect(const Entry& entry, const std::string& path);
/// What `contacts: auto` stands for.
ContactDescription automatic_contacts();

}  // namespace stiction::internal
