// A cart whose answers are known: a cube of 3 kg and edges of 0.2 m stands on the corners of its lower face, 0.1 m
// below its frame; 1 kg slides along x in the middle of it. With the slider at s the centre of mass is at s / 4, the
// support region is the square.
#pragma once

#include <geometry_msgs/msg/pose_stamped.hpp>
#include <geometry_msgs/msg/twist_stamped.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <stiction_msgs/msg/contact_array.hpp>

namespace cart {

inline constexpr double kWeight = 4.0 * 9.81;

inline const char* const kUrdf = R"(<robot name="cart">
  <link name="cube">
    <inertial><mass value="3"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="cube"/><child link="ballast"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="1"/>
  </joint>
  <link name="ballast">
    <inertial><mass value="1"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial>
  </link>
</robot>)";

inline builtin_interfaces::msg::Time at(double seconds)
{
  builtin_interfaces::msg::Time time;
  time.sec = static_cast<int32_t>(seconds);
  time.nanosec = static_cast<uint32_t>((seconds - time.sec) * 1e9 + 0.5);
  return time;
}

inline sensor_msgs::msg::JointState slider(double position, double time)
{
  sensor_msgs::msg::JointState state;
  state.header.stamp = at(time);
  state.name = {"slide"};
  state.position = {position};
  return state;
}

/// With its velocity and effort.
inline sensor_msgs::msg::JointState driven(double velocity, double effort, double time)
{
  sensor_msgs::msg::JointState state = slider(0.0, time);
  state.velocity = {velocity};
  state.effort = {effort};
  return state;
}

inline geometry_msgs::msg::TwistStamped twist(double along_x, double time)
{
  geometry_msgs::msg::TwistStamped moves;
  moves.header.stamp = at(time);
  moves.header.frame_id = "cube";
  moves.twist.linear.x = along_x;
  return moves;
}

inline geometry_msgs::msg::PoseStamped base(double time)
{
  geometry_msgs::msg::PoseStamped pose;
  pose.header.stamp = at(time);
  pose.header.frame_id = "world";
  pose.pose.position.z = 0.1;
  return pose;
}

inline stiction_msgs::msg::ContactArray feet(double time, double mu = 0.6)
{
  stiction_msgs::msg::ContactArray array;
  array.header.stamp = at(time);
  stiction_msgs::msg::Contact contact;
  contact.name = "foot";
  contact.link = "cube";
  contact.mu = mu;
  contact.normal.z = 1.0;
  for (const auto& [x, y] : {std::pair{0.1, 0.1}, {-0.1, 0.1}, {-0.1, -0.1}, {0.1, -0.1}}) {
    geometry_msgs::msg::Point point;
    point.x = x;
    point.y = y;
    point.z = -0.1;
    contact.points.push_back(point);
  }
  array.contacts = {contact};
  return array;
}

/// It is said that there are none.
inline stiction_msgs::msg::ContactArray no_feet(double time)
{
  stiction_msgs::msg::ContactArray array;
  array.header.stamp = at(time);
  return array;
}

}  // namespace cart
