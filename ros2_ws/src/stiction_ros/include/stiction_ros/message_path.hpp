#pragma once

#include <stiction_msgs/msg/scenario.hpp>
#include <string>

namespace stiction_ros {

/// The library names entries as scenario files do ("models.robot.pose.xyz", "contacts.left_toe.on"); a client knows the
/// fields of its message ("models[0].pose.position", "contacts[2].on_link").
std::string message_path(const std::string& path, const stiction_msgs::msg::Scenario& scenario);

}  // namespace stiction_ros
