#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include <stiction_msgs/srv/check.hpp>
#include <stiction_msgs/srv/check_batch.hpp>
#include <stiction_msgs/srv/check_scenario.hpp>

#include "stiction/report.hpp"

namespace stiction_ros {

/// What a server accepts; more is answered by Error::TOO_LARGE before anything is computed, or by TOO_LONG.
struct RequestLimits {
  std::size_t contact_points = 1000;
  std::size_t states = 100000;  ///< of a batch
  std::size_t text = 64 << 20;  ///< bytes of a scenario or of all URDFs
  double time = 30.0;           ///< s that one request may take, a batch as a whole; 0: any
};

/// Answers the services without ROS's machinery. Never throws: whatever goes wrong is in the response's error. One per
/// thread. Keeps the robots of the last request loaded: states, efforts and friction that change cost no loading.
class RequestHandler {
 public:
  /// @param cancelled asked again and again while a request is answered: true ends it by Error::CANCELLED
  /// @throws InputError naming the limit
  explicit RequestHandler(const RequestLimits& limits = {}, std::function<bool()> cancelled = {});
  RequestHandler(const RequestHandler&) = delete;
  RequestHandler& operator=(const RequestHandler&) = delete;

  /// URDF text for models that have none, from robot_description; empty: there is none (yet).
  void set_robot(const std::string& urdf) { robot_urdf_ = urdf; }
  const std::string& robot() const { return robot_urdf_; }

  void check(const stiction_msgs::srv::Check::Request& request, stiction_msgs::srv::Check::Response& response) noexcept;
  void check_batch(const stiction_msgs::srv::CheckBatch::Request& request,
                   stiction_msgs::srv::CheckBatch::Response& response) noexcept;
  /// Reads URDF files anew each time.
  void check_scenario(const stiction_msgs::srv::CheckScenario::Request& request,
                      stiction_msgs::srv::CheckScenario::Response& response) noexcept;

 private:
  template <class Work>
  stiction_msgs::msg::Error attempt(Work work) const;
  template <class Work>
  stiction_msgs::msg::Error attempt_about(const stiction_msgs::msg::Scenario& scenario, Work work) const;
  bool is_cancelled() const { return cancelled_ && cancelled_(); }
  bool is_too_long() const;

  RequestLimits limits_;
  std::function<bool()> cancelled_;
  stiction::StopCheck stop_;
  std::chrono::steady_clock::time_point begin_;  ///< of the request
  std::string robot_urdf_;
  stiction::ScenarioChecker checker_;
};

}  // namespace stiction_ros
