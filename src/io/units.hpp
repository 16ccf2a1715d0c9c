// Numbers that may carry a unit: `15 deg`, `0.2 rad`, `2 mm`. Without one they are SI.
#pragma once

#include "io/entry_reader.hpp"

namespace stiction::internal {

double length(const Entry& entry, const std::string& path);  ///< m
double angle(const Entry& entry, const std::string& path);   ///< rad
double length_at_least_zero(const Entry& entry, const std::string& path);
double positive_length(const Entry& entry, const std::string& path);
/// Of a joint: an angle or a length.
double joint_position(const Entry& entry, const std::string& path);

Eigen::Vector3d lengths(const Entry& entry, const std::string& path);
Eigen::Vector3d angles(const Entry& entry, const std::string& path);
/// Of the map's entry, or `fallback` where there is none.
Eigen::Vector3d lengths_or(const Map& map, const char* key, const Eigen::Vector3d& fallback);

}  // namespace stiction::internal
