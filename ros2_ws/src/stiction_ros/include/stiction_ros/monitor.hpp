#pragma once

#include <builtin_interfaces/msg/time.hpp>
#include <chrono>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>
#include <geometry_msgs/msg/point_stamped.hpp>
#include <geometry_msgs/msg/polygon_stamped.hpp>
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <geometry_msgs/msg/twist_stamped.hpp>
#include <map>
#include <memory>
#include <optional>
#include <sensor_msgs/msg/joint_state.hpp>
#include <stiction_msgs/msg/contact_array.hpp>
#include <stiction_msgs/msg/stability.hpp>
#include <string>
#include <vector>

#include "stiction/scene.hpp"
#include "stiction_ros/markers.hpp"

namespace stiction_ros {

struct MonitorOptions {
  std::string fixed_frame = "world";                ///< in which the ground does not move; gravity is given in it
  stiction::Base base = stiction::Base::kFloating;  ///< kFixed: the root link is the fixed frame
  /// kRest: is there an equilibrium in this posture, with some efforts? kMeasured: do all contacts keep sticking, with
  /// the velocities and efforts that are measured? Then the margin is kFriction.
  enum class Motion { kRest, kMeasured } motion = Motion::kRest;
  stiction::Effort::Kind effort = stiction::Effort::Kind::kLimits;  ///< kLimits or kUnlimited; at rest
  double max_slip = 0.05;  ///< m/s, measured: velocities of contacts below this are noise, and taken out
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};
  /// kCom: distance of the centre of mass from the boundary of its support region, m; needs a floating base. kFriction:
  /// share of every friction coefficient that is not needed, 1 - friction_scale.
  enum class Margin { kCom, kFriction } margin = Margin::kCom;
  double warn_below = 0.02;       ///< margin, in its own unit
  double hysteresis = 0.0;        ///< what the margin has to be more than that for a warning to end, in the same unit
  double max_age = 0.5;           ///< of joint states, base pose and base twist, s
  double max_contacts_age = 0.5;  ///< s; 0: contacts stay until replaced
  MarkerStyle style;
};

/// What is published at one instant.
struct Observation {
  stiction_msgs::msg::Stability stability;
  diagnostic_msgs::msg::DiagnosticStatus diagnostic;
  std::optional<double> margin;  ///< what may be relied on, in the unit of `warn_below`; none: not judged, or infinite
  std::optional<geometry_msgs::msg::PointStamped> com;  ///< centre of mass
  geometry_msgs::msg::PolygonStamped support_polygon;   ///< proved to hold it, on the ground; empty: nothing is
  visualization_msgs::msg::MarkerArray markers;
};

/// Watches a robot: is there, in its present posture, an equilibrium with contact forces in their friction cones and
/// efforts within their limits?
///
/// At rest (MonitorOptions::Motion) velocities and measured efforts are not used; in motion they are, and every
/// contact is asked to keep sticking (StickingChecker). An input that is missing, too old
/// or does not fit the others is named and nothing is claimed; no input makes it throw. One thread at a time.
class Monitor {
 public:
  /// @throws InputError naming the option.
  explicit Monitor(const MonitorOptions& options = {});
  ~Monitor();
  void set_options(const MonitorOptions& options);  ///< @throws as above, and keeps the old ones

  void set_robot(const std::string& urdf_text);
  void set_contacts(const stiction_msgs::msg::ContactArray& contacts);
  /// Keeps the last position of each joint: several publishers may each send some of them. Joints that the robot does
  /// not have, and those that follow others (mimic), are not used.
  void set_joints(const sensor_msgs::msg::JointState& joints);
  void set_base(const geometry_msgs::msg::PoseStamped& pose);  ///< of the root link
  void set_base_problem(const std::string& why);               ///< there is no base pose, until the next one
  /// Of the root link, in its own axes (frame_id: the root link or none). Only used in motion.
  void set_base_twist(const geometry_msgs::msg::TwistStamped& twist);

  const MonitorOptions& options() const { return options_; }
  const std::string& root_link() const { return root_link_; }  ///< empty without robot

  Observation observe(const builtin_interfaces::msg::Time& now);

 private:
  using Time = std::chrono::nanoseconds;  // since the epoch of the clock that stamps the messages
  struct Joint {
    double position = 0.0;
    std::optional<double> velocity, effort;  ///< where they are measured
    Time stamp{};
  };
  struct Judge;

  void check_age(const std::string& what, Time stamp, double limit, Time now, std::vector<std::string>& problems);
  std::vector<std::string> find_problems(Time now);
  void find_motion_problems(Time now, std::vector<std::string>& problems);
  void judge(Observation& observation);
  void report_problems(const std::string& problems, Observation& observation) const;

  MonitorOptions options_;
  std::string robot_name_, root_link_;
  std::vector<std::string> joint_names_;  ///< that a posture needs
  std::string robot_problem_, joints_problem_, base_problem_, contacts_problem_;
  std::map<std::string, Joint> joints_;  ///< of the robot or not
  std::optional<geometry_msgs::msg::PoseStamped> base_;
  std::optional<geometry_msgs::msg::TwistStamped> base_twist_;
  std::optional<stiction_msgs::msg::ContactArray> contacts_;
  Time oldest_{};        ///< of joints and base pose, at the last observation
  bool warned_ = false;  ///< the margin was too small, and has not grown enough since
  std::unique_ptr<Judge> judge_;
};

}  // namespace stiction_ros
