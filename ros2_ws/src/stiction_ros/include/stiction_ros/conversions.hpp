// Between ROS messages and the library's plain data, every field both ways. What the library would not notice itself
// (an unknown enum value, lists of different lengths, a quaternion that is none) throws stiction::InputError with the
// path of the entry.
#pragma once

#include <geometry_msgs/msg/point.hpp>
#include <geometry_msgs/msg/pose.hpp>
#include <geometry_msgs/msg/vector3.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <stiction_msgs/msg/batch_result.hpp>
#include <stiction_msgs/msg/result.hpp>
#include <stiction_msgs/msg/scenario.hpp>
#include <string>

#include "stiction/report.hpp"
#include "stiction/scenario.hpp"

namespace stiction_ros {

namespace msg = stiction_msgs::msg;

/// Name of a model that has none.
inline constexpr const char* kRobot = "robot";

Eigen::Vector3d to_vector(const geometry_msgs::msg::Point& point);
Eigen::Vector3d to_vector(const geometry_msgs::msg::Vector3& vector);
geometry_msgs::msg::Point to_point(const Eigen::Vector3d& vector);
geometry_msgs::msg::Vector3 to_vector3(const Eigen::Vector3d& vector);

/// Quaternions within 1e-3 of unit length are normalised (drivers send single precision), others are errors.
stiction::Pose to_pose(const geometry_msgs::msg::Pose& pose, const std::string& path);
geometry_msgs::msg::Pose to_message(const stiction::Pose& pose);

/// Puts positions and velocities, and with Effort::kGiven efforts, of the named joints into the model; others stay as
/// they are.
void set_joint_state(const sensor_msgs::msg::JointState& state, const std::string& path,
                     stiction::ModelDescription& model);

/// A model without URDF gets `robot_urdf`.
stiction::ModelDescription to_model(const msg::Model& model, const std::string& path, const std::string& robot_urdf);
msg::Model to_message(const stiction::ModelDescription& model);  ///< @throws InputError when the URDF is not in memory

/// Links that do not begin with one of the `models` and a slash belong to the first one.
stiction::ContactDescription to_contact(const msg::Contact& contact, const std::string& path,
                                        const std::vector<std::string>& models, stiction::ContactMotion& motion);
msg::Contact to_message(const stiction::ContactDescription& contact, const stiction::ContactMotion& motion = {});

stiction::Scenario to_scenario(const msg::Scenario& scenario, const std::string& robot_urdf);
msg::Scenario to_message(const stiction::Scenario& scenario);  ///< as for models

msg::Verdict to_message(stiction::Verdict verdict);
msg::Result to_message(const stiction::ScenarioReport& report);
msg::BatchResult to_message(const stiction::ScenarioNumbers& row);

}  // namespace stiction_ros
