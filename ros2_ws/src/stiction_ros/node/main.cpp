#include <sys/resource.h>

#include <cstdio>
#include <exception>

#include "stability_server.hpp"

int main(int argc, char** argv)
{
  rclcpp::init(argc, argv);
  try {
    const auto node = std::make_shared<stiction_ros::StabilityServer>();
    rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(),
                                                      static_cast<std::size_t>(node->threads()));
    executor.add_node(node);
    // Requests only: the monitor's thread has begun already, and comes first where processors are short.
    constexpr int kAfterMonitor = 5;
    ::setpriority(PRIO_PROCESS, 0, kAfterMonitor);
    executor.spin();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stability_server: %s\n", error.what());
    rclcpp::shutdown();
    return 1;
  }
  rclcpp::shutdown();
}
