#!/usr/bin/env bash
# Builds and tests the ROS 2 packages against the library in BUILD: all of them where there is a ROS 2 with rclcpp, else messages, conversions
# and request handling with the wheels in .deps/ros.
#
#   scripts/test_ros.sh BUILD [cmake options]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$PWD/$1
shift
. scripts/find_ros.sh
packages=(stiction_msgs stiction_ros)
if [[ -n "$ros_found" ]]; then
  packages+=(stiction_bringup)
else
  export AMENT_PREFIX_PATH=$PWD/.deps/ros PATH=$PWD/.deps/ros/bin:$PATH CMAKE_PREFIX_PATH=$PWD/.deps/ros LD_LIBRARY_PATH=$PWD/.deps/ros/lib
fi
prefix=$build/ros/install
cmake --install "$build" --prefix "$prefix" >/dev/null
export AMENT_PREFIX_PATH=$prefix:$AMENT_PREFIX_PATH CMAKE_PREFIX_PATH=$prefix:${CMAKE_PREFIX_PATH:-}
export LD_LIBRARY_PATH=$prefix/lib:${LD_LIBRARY_PATH:-} PATH=$prefix/bin:$PATH
for package in "${packages[@]}"; do
  cmake -S "ros2_ws/src/$package" -B "$build/ros/$package" -G Ninja -Wno-dev --no-warn-unused-cli --log-level=NOTICE -DCMAKE_INSTALL_PREFIX="$prefix" "$@"
  cmake --build "$build/ros/$package"
  cmake --install "$build/ros/$package" >/dev/null
  if [[ -n "$ros_found" ]]; then   # clients in Python find the messages, launch files the executables
    set +u
    . "$prefix/share/$package/local_setup.bash"
    set -u
  fi
done
for package in "${packages[@]:1}"; do
  ctest --test-dir "$build/ros/$package" --output-on-failure --no-tests=error -O "$build/ros/$package/ctest.log"
done
{
  [[ -n "$ros_found" ]] || echo "SKIPPED: the node, its launch files and its client test were neither built nor run: there is no rclcpp," \
    "neither in AMENT_PREFIX_PATH nor below /opt/ros."
} | tee "$build/ros/skipped"
