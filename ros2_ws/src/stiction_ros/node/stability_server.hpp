#pragma once

#include <diagnostic_updater/diagnostic_updater.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/float64.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <thread>
#include <vector>

#if __has_include(<tf2_ros/buffer.hpp>)
#include <tf2_ros/buffer.hpp>
#include <tf2_ros/transform_listener.hpp>
#else  // Jazzy
#include <tf2_ros/buffer.h>
#include <tf2_ros/transform_listener.h>
#endif

#include "handler_pool.hpp"
#include "stiction_ros/event_log.hpp"
#include "stiction_ros/monitor.hpp"

namespace stiction_ros {

/// The node: answers ~/check, ~/check_scenario and ~/check_batch, and watches a robot (docs/ros2.md). All it does
/// itself is to connect topics, services and parameters to RequestHandler and Monitor.
class StabilityServer : public rclcpp::Node {
 public:
  /// @throws std::exception when a parameter cannot be used.
  explicit StabilityServer(const rclcpp::NodeOptions& options = rclcpp::NodeOptions());
  ~StabilityServer() override;

  int threads() const { return threads_; }  ///< for the executor; 0: one per core

 private:
  using GetParameter = std::function<rclcpp::Parameter(const std::string&)>;

  void declare_parameters();
  MonitorOptions monitor_options(const GetParameter& get) const;
  void set_robot(const std::string& urdf);
  void start_services();
  void listen_for_robot();
  void start_monitor();
  void look_up_base();
  void observe();
  void start_diagnostics();

  int threads_ = 0;
  std::string fixed_frame_;
  std::optional<HandlerPool> pool_;
  std::mutex monitor_mutex_;  // parameters may change in another thread
  Monitor monitor_;
  EventLog log_;

  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
  std::vector<rclcpp::SubscriptionBase::SharedPtr> subscriptions_;
  rclcpp::Publisher<stiction_msgs::msg::Stability>::SharedPtr stability_;
  rclcpp::Publisher<std_msgs::msg::Float64>::SharedPtr margin_;
  rclcpp::Publisher<geometry_msgs::msg::PointStamped>::SharedPtr com_;
  rclcpp::Publisher<geometry_msgs::msg::PolygonStamped>::SharedPtr support_polygon_;
  std::unique_ptr<diagnostic_updater::Updater> diagnostics_;
  diagnostic_msgs::msg::DiagnosticStatus diagnostic_;  // the last
  rclcpp::Publisher<visualization_msgs::msg::MarkerArray>::SharedPtr markers_;
  std::unique_ptr<tf2_ros::Buffer> transforms_;  // none: the base pose comes from a topic
  std::unique_ptr<tf2_ros::TransformListener> listener_;
  rclcpp::CallbackGroup::SharedPtr request_group_, monitor_group_;
  rclcpp::TimerBase::SharedPtr timer_, diagnostics_timer_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr on_parameters_;
  // Of its own, whoever spins the node: requests, however many and long, do not delay the monitor.
  rclcpp::executors::SingleThreadedExecutor monitor_executor_;
  std::thread monitor_thread_;
};

}  // namespace stiction_ros
