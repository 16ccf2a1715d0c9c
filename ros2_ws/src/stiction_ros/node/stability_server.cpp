#include "stability_server.hpp"

#include <limits>
#include <rclcpp_components/register_node_macro.hpp>

#include "stiction/error.hpp"

namespace stiction_ros {
namespace {

using rcl_interfaces::msg::ParameterDescriptor;
using stiction::InputError;

enum class Change { kNever, kAnyTime };

ParameterDescriptor described(const std::string& text, Change change)
{
  ParameterDescriptor descriptor;
  descriptor.description = text;
  descriptor.read_only = change == Change::kNever;
  return descriptor;
}

ParameterDescriptor ranged(const std::string& text, double from, double to, Change change)
{
  ParameterDescriptor descriptor = described(text, change);
  descriptor.floating_point_range.resize(1);
  descriptor.floating_point_range[0].from_value = from;
  descriptor.floating_point_range[0].to_value = to;
  return descriptor;
}

ParameterDescriptor counted(const std::string& text, int64_t from, int64_t to, Change change)
{
  ParameterDescriptor descriptor = described(text, change);
  descriptor.integer_range.resize(1);
  descriptor.integer_range[0].from_value = from;
  descriptor.integer_range[0].to_value = to;
  descriptor.integer_range[0].step = 1;
  return descriptor;
}

ParameterDescriptor chosen(const std::string& text, const std::string& first, const std::string& second, Change change)
{
  ParameterDescriptor descriptor = described(text, change);
  descriptor.additional_constraints = first + " or " + second;
  return descriptor;
}

/// True for the first of two words. @throws InputError
bool is_first(const rclcpp::Parameter& parameter, const std::string& first, const std::string& second)
{
  const std::string& value = parameter.as_string();
  if (value != first && value != second)
    throw InputError(parameter.get_name(), "want " + first + " or " + second + ", got '" + value + "'");
  return value == first;
}

}  // namespace

StabilityServer::StabilityServer(const rclcpp::NodeOptions& options)
    : Node("stability_server", options), monitor_executor_([this] {
        rclcpp::ExecutorOptions own;
        own.context = get_node_base_interface()->get_context();
        return own;
      }())
{
  declare_parameters();
  threads_ = static_cast<int>(get_parameter("threads").as_int());
  RequestLimits limits;
  limits.contact_points = static_cast<std::size_t>(get_parameter("limits.contact_points").as_int());
  limits.states = static_cast<std::size_t>(get_parameter("limits.states").as_int());
  limits.time = get_parameter("limits.time").as_double();
  pool_.emplace(limits, [context = get_node_base_interface()->get_context()] { return !context->is_valid(); });
  request_group_ = create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  monitor_group_ = create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  start_services();
  start_monitor();
  listen_for_robot();
  monitor_executor_.add_callback_group(monitor_group_, get_node_base_interface());
  monitor_thread_ = std::thread([this] { monitor_executor_.spin(); });
}

StabilityServer::~StabilityServer()
{
  monitor_executor_.cancel();
  if (monitor_thread_.joinable()) monitor_thread_.join();
}

void StabilityServer::listen_for_robot()
{
  if (const std::string urdf = get_parameter("robot_description").as_string(); !urdf.empty()) {
    set_robot(urdf);
    return;
  }
  rclcpp::SubscriptionOptions subscription;
  subscription.callback_group = monitor_group_;
  subscriptions_.push_back(create_subscription<std_msgs::msg::String>(
      "robot_description", rclcpp::QoS(1).reliable().transient_local(),
      [this](const std_msgs::msg::String& message) { set_robot(message.data); }, subscription));
}

void StabilityServer::declare_parameters()
{
  const double inf = std::numeric_limits<double>::max();
  declare_parameter(
      "robot_description", "",
      described("URDF text of the robot; empty: taken from the topic robot_description.", Change::kNever));
  declare_parameter("threads", 0, counted("Callbacks that run at once; 0: one per core.", 0, 256, Change::kNever));
  declare_parameter("limits.contact_points", 1000,
                    counted("Contact points that a request may have.", 0, 1000000, Change::kNever));
  declare_parameter("limits.time", 30.0,
                    ranged("Seconds that one request may take, a batch as a whole; 0: any.", 0.0, 1e9, Change::kNever));
  declare_parameter("limits.states", 100000, counted("States that a batch may have.", 0, 100000000, Change::kNever));

  declare_parameter(
      "monitor.rate", 10.0,
      ranged("Judgements per second, Hz; 0: services only, nothing is watched.", 0.0, 1000.0, Change::kNever));
  declare_parameter("monitor.fixed_frame", "world",
                    described("Frame in which the ground does not move and gravity is given.", Change::kNever));
  declare_parameter(
      "monitor.base", "floating",
      chosen("Whether the root link is free or bolted to the fixed frame.", "floating", "fixed", Change::kNever));
  declare_parameter("monitor.base_source", "tf",
                    chosen("Where the pose of a floating base comes from: tf, or the topic base_pose.", "tf", "topic",
                           Change::kNever));
  declare_parameter("monitor.motion", "rest",
                    chosen("What is judged: the posture as if at rest, or whether all contacts keep sticking with the "
                           "velocities and efforts that are measured.",
                           "rest", "measured", Change::kNever));
  declare_parameter("monitor.max_slip", 0.05,
                    ranged("In motion: velocities of contacts below this are noise, and taken out; m/s.", 0.0, 1000.0,
                           Change::kAnyTime));
  declare_parameter(
      "monitor.effort", "limits",
      chosen("What the motors can do: the URDF's limits, or anything.", "limits", "unlimited", Change::kAnyTime));
  declare_parameter("monitor.gravity", std::vector<double>{0.0, 0.0, -9.81},
                    described("Gravity in the fixed frame, three numbers, m/s^2.", Change::kAnyTime));
  declare_parameter(
      "monitor.margin", "com",
      chosen(
          "What is measured: distance of the centre of mass from the edge of its support region (m), or share of the "
          "friction that is not needed.",
          "com", "friction", Change::kAnyTime));
  declare_parameter("monitor.warn_below", 0.02,
                    ranged("Diagnostics warn when the margin is smaller; m, or a share of the friction.", 0.0, 1000.0,
                           Change::kAnyTime));
  declare_parameter("monitor.hysteresis", 0.0,
                    ranged("A warning ends where the margin is larger than warn_below by this, in its unit.", 0.0,
                           1000.0, Change::kAnyTime));
  declare_parameter(
      "monitor.max_age", 0.5,
      ranged("Joint states and base pose older than this are not judged, s.", 0.0, 3600.0, Change::kAnyTime));
  declare_parameter("monitor.max_contacts_age", 0.5,
                    ranged("The same for contacts, s; 0: they stay until replaced.", 0.0, inf, Change::kAnyTime));
  declare_parameter("markers.cone_length", 0.1,
                    ranged("Sides of the friction cones, m.", 0.0, 100.0, Change::kAnyTime));
  declare_parameter("markers.weight_length", 0.5,
                    ranged("Arrow of a force as large as the robot's weight, m.", 0.0, 100.0, Change::kAnyTime));
  declare_parameter("markers.motion_length", 0.2,
                    ranged("Longest arrow of a failing motion, m.", 0.0, 100.0, Change::kAnyTime));
}

/// @throws InputError naming the parameter.
MonitorOptions StabilityServer::monitor_options(const GetParameter& get) const
{
  MonitorOptions options;
  options.fixed_frame = get("monitor.fixed_frame").as_string();
  options.base =
      is_first(get("monitor.base"), "floating", "fixed") ? stiction::Base::kFloating : stiction::Base::kFixed;
  options.effort = is_first(get("monitor.effort"), "limits", "unlimited") ? stiction::Effort::Kind::kLimits
                                                                          : stiction::Effort::Kind::kUnlimited;
  const std::vector<double> gravity = get("monitor.gravity").as_double_array();
  if (gravity.size() != 3)
    throw InputError("monitor.gravity", "want three numbers, got " + std::to_string(gravity.size()));
  options.gravity = Eigen::Vector3d(gravity[0], gravity[1], gravity[2]);
  options.margin = is_first(get("monitor.margin"), "com", "friction") ? MonitorOptions::Margin::kCom
                                                                      : MonitorOptions::Margin::kFriction;
  options.motion = is_first(get("monitor.motion"), "rest", "measured") ? MonitorOptions::Motion::kRest
                                                                       : MonitorOptions::Motion::kMeasured;
  options.max_slip = get("monitor.max_slip").as_double();
  options.warn_below = get("monitor.warn_below").as_double();
  options.hysteresis = get("monitor.hysteresis").as_double();
  options.max_age = get("monitor.max_age").as_double();
  options.max_contacts_age = get("monitor.max_contacts_age").as_double();
  options.style.cone_length = get("markers.cone_length").as_double();
  options.style.weight_length = get("markers.weight_length").as_double();
  options.style.motion_length = get("markers.motion_length").as_double();
  return options;
}

void StabilityServer::set_robot(const std::string& urdf)
{
  pool_->set_robot(urdf);
  const std::lock_guard lock(monitor_mutex_);
  monitor_.set_robot(urdf);
  if (monitor_.root_link().empty())
    RCLCPP_ERROR(get_logger(), "robot_description: cannot be used; ~/check and the diagnostics say why");
  else
    RCLCPP_INFO(get_logger(), "robot_description: root link %s", monitor_.root_link().c_str());
}

void StabilityServer::start_services()
{
  const auto serve = [this]<typename Service>(const std::string& name, Service*, auto answer) {
    services_.push_back(create_service<Service>(
        name,
        [this, answer](const std::shared_ptr<typename Service::Request> request,
                       std::shared_ptr<typename Service::Response> response) {
          pool_->lend([&](RequestHandler& handler) { (handler.*answer)(*request, *response); });
        },
        rclcpp::ServicesQoS(), request_group_));
  };
  using namespace stiction_msgs::srv;
  serve("~/check", static_cast<Check*>(nullptr), &RequestHandler::check);
  serve("~/check_scenario", static_cast<CheckScenario*>(nullptr), &RequestHandler::check_scenario);
  serve("~/check_batch", static_cast<CheckBatch*>(nullptr), &RequestHandler::check_batch);
}

void StabilityServer::start_monitor()
{
  monitor_.set_options(monitor_options([this](const std::string& name) { return get_parameter(name); }));
  on_parameters_ = add_on_set_parameters_callback([this](const std::vector<rclcpp::Parameter>& changes) {
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = true;
    try {
      const MonitorOptions options = monitor_options([&](const std::string& name) {
        for (const rclcpp::Parameter& change : changes)
          if (change.get_name() == name) return change;
        return get_parameter(name);
      });
      const std::lock_guard lock(monitor_mutex_);
      monitor_.set_options(options);
    } catch (const std::exception& error) {
      result.successful = false;
      result.reason = error.what();
    }
    return result;
  });

  const double rate = get_parameter("monitor.rate").as_double();
  if (rate == 0.0) return;
  fixed_frame_ = get_parameter("monitor.fixed_frame").as_string();
  stability_ = create_publisher<stiction_msgs::msg::Stability>("~/stability", 1);
  margin_ = create_publisher<std_msgs::msg::Float64>("~/margin", 1);
  com_ = create_publisher<geometry_msgs::msg::PointStamped>("~/com", 1);
  support_polygon_ = create_publisher<geometry_msgs::msg::PolygonStamped>("~/support_polygon", 1);
  start_diagnostics();
  markers_ = create_publisher<visualization_msgs::msg::MarkerArray>("~/markers", 1);

  rclcpp::SubscriptionOptions subscription;
  subscription.callback_group = monitor_group_;
  const auto listen = [&]<typename Message>(const std::string& topic, const rclcpp::QoS& qos,
                                            void (Monitor::*set)(const Message&)) {
    subscriptions_.push_back(create_subscription<Message>(
        topic, qos,
        [this, set](const Message& message) {
          const std::lock_guard lock(monitor_mutex_);
          (monitor_.*set)(message);
        },
        subscription));
  };
  listen("joint_states", rclcpp::SensorDataQoS(), &Monitor::set_joints);
  listen("contacts", rclcpp::QoS(1).reliable().transient_local(), &Monitor::set_contacts);
  if (monitor_.options().base == stiction::Base::kFloating) {
    if (is_first(get_parameter("monitor.base_source"), "tf", "topic")) {
      transforms_ = std::make_unique<tf2_ros::Buffer>(get_clock());
      listener_ = std::make_unique<tf2_ros::TransformListener>(*transforms_, this);
    } else {
      listen("base_pose", rclcpp::SensorDataQoS(), &Monitor::set_base);
    }
  }
  if (monitor_.options().base == stiction::Base::kFloating &&
      monitor_.options().motion == MonitorOptions::Motion::kMeasured)
    listen("base_twist", rclcpp::SensorDataQoS(), &Monitor::set_base_twist);
  timer_ = rclcpp::create_timer(
      this, get_clock(), rclcpp::Duration::from_seconds(1.0 / rate), [this] { observe(); }, monitor_group_);
}

/// Once a second, and at once when the level changes; by the monitor's thread, as requests may keep the others busy.
void StabilityServer::start_diagnostics()
{
  diagnostic_.level = diagnostic_msgs::msg::DiagnosticStatus::STALE;
  diagnostic_.message = "not judged yet";
  diagnostics_ = std::make_unique<diagnostic_updater::Updater>(this);
  const rclcpp::Duration period = diagnostics_->getPeriod();
  constexpr double kNever = 1e8;  // s
  diagnostics_->setPeriod(kNever);
  diagnostics_->setHardwareID("none");
  diagnostics_->add("stability", [this](diagnostic_updater::DiagnosticStatusWrapper& status) {
    const std::string name = status.name;
    static_cast<diagnostic_msgs::msg::DiagnosticStatus&>(status) = diagnostic_;
    status.name = name;
  });
  diagnostics_timer_ =
      rclcpp::create_timer(this, get_clock(), period, [this] { diagnostics_->force_update(); }, monitor_group_);
}

void StabilityServer::look_up_base()
{
  if (!transforms_ || monitor_.root_link().empty()) return;
  try {
    const auto transform = transforms_->lookupTransform(fixed_frame_, monitor_.root_link(), tf2::TimePointZero);
    geometry_msgs::msg::PoseStamped pose;
    pose.header = transform.header;
    if (rclcpp::Time(pose.header.stamp).nanoseconds() == 0)
      pose.header.stamp = now();  // static transforms only: never old
    pose.pose.position.x = transform.transform.translation.x;
    pose.pose.position.y = transform.transform.translation.y;
    pose.pose.position.z = transform.transform.translation.z;
    pose.pose.orientation = transform.transform.rotation;
    monitor_.set_base(pose);
  } catch (const tf2::TransformException& error) {
    monitor_.set_base_problem(error.what());
  }
}

void StabilityServer::observe()
{
  Observation observation;
  {
    const std::lock_guard lock(monitor_mutex_);
    look_up_base();
    observation = monitor_.observe(now());
  }
  stability_->publish(observation.stability);
  markers_->publish(observation.markers);
  support_polygon_->publish(observation.support_polygon);
  if (observation.com) com_->publish(*observation.com);
  if (observation.margin) margin_->publish(std_msgs::msg::Float64().set__data(*observation.margin));
  const bool other_level = observation.diagnostic.level != diagnostic_.level;
  diagnostic_ = observation.diagnostic;
  if (other_level) diagnostics_->force_update();

  const std::optional<std::string> line = log_.next(observation.diagnostic.message, now().seconds());
  if (!line) return;
  if (observation.diagnostic.level == diagnostic_msgs::msg::DiagnosticStatus::OK)
    RCLCPP_INFO(get_logger(), "%s", line->c_str());
  else
    RCLCPP_WARN(get_logger(), "%s", line->c_str());
}

}  // namespace stiction_ros

RCLCPP_COMPONENTS_REGISTER_NODE(stiction_ros::StabilityServer)
