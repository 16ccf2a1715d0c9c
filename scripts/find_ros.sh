# Sourced: a ROS 2 with rclcpp, from the environment or below /opt/ros; ros_found says which, empty if there is none.
find_rclcpp() {
  local prefix
  for prefix in $(tr : " " <<<"${AMENT_PREFIX_PATH:-}"); do
    if [[ -d "$prefix/share/rclcpp" ]]; then echo "$prefix"; return; fi
  done
}
ros_found=$(find_rclcpp)
for ros_setup in /opt/ros/*/setup.bash; do
  [[ -z "$ros_found" && -f "$ros_setup" ]] || continue
  set +u   # ROS's setup files use variables that are not set
  . "$ros_setup"
  set -u
  ros_found=$(find_rclcpp)
done
