#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace stiction::internal {

/// Below this share of the largest, a velocity or a multiplier is not worth a word.
inline constexpr double kNoticeable = 1e-6;

using Names = std::vector<std::string>;

/// "a", "a and b", "a, b and c"; long lists are cut.
std::string join(const Names& names);

/// "x lifts", "x and y lift".
std::string say(const Names& names, const char* singular, const char* plural);

/// "(+1, 0, -0.71)".
std::string direction_text(const Eigen::Vector3d& direction);

}  // namespace stiction::internal
