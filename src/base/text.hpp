#pragma once

#include <Eigen/Core>
#include <string>

namespace stiction::internal {

/// Values as they appear in error messages: shortest decimal that reads back as the same double.
std::string text(double value);
std::string text(const Eigen::Vector3d& vector);
std::string quoted(const std::string& name);

}  // namespace stiction::internal
