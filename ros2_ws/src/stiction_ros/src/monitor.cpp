#include "stiction_ros/monitor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "stiction/error.hpp"
#include "stiction/region_input.hpp"
#include "stiction/sticking.hpp"
#include "stiction/trajectory.hpp"
#include "stiction_ros/conversions.hpp"
#include "stiction_ros/message_path.hpp"

namespace stiction_ros {
namespace {

using diagnostic_msgs::msg::DiagnosticStatus;
using std::chrono::nanoseconds;
using stiction::InputError;

constexpr double kRegionBox = 1.0;  // half-width around the centre of mass in which the support region is looked for, m

nanoseconds to_time(const builtin_interfaces::msg::Time& time)
{
  return std::chrono::seconds(time.sec) + nanoseconds(time.nanosec);
}

builtin_interfaces::msg::Time to_message(nanoseconds time)
{
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  builtin_interfaces::msg::Time message;
  message.sec = static_cast<int32_t>(seconds.count());
  message.nanosec = static_cast<uint32_t>((time - seconds).count());
  return message;
}

double to_seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

std::string text(double number)
{
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", number);
  return buffer;
}

std::string text(const std::vector<std::string>& names)
{
  constexpr std::size_t kShown = 6;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) list += (i ? ", " : "") + names[i];
  return names.size() <= kShown ? list : list + " and " + std::to_string(names.size() - kShown) + " more";
}

msg::ContactState to_message(const stiction::Contact& contact, const stiction::ContactReport& report)
{
  using State = stiction::ContactState;
  msg::ContactState message;
  message.name = contact.name;
  message.has_force = true;
  switch (report.state) {
    case State::kSticking:
      message.state = msg::ContactState::STICKING;
      break;
    case State::kRim:
      message.state = msg::ContactState::RIM;
      break;
    case State::kSliding:
      message.state = msg::ContactState::SLIDING;
      break;
    case State::kDetaching:
      message.state = msg::ContactState::DETACHING;
      break;
    case State::kUnloaded:
      message.state = msg::ContactState::UNLOADED;
      break;
  }
  message.normal_force = report.force[0];
  message.tangential_force = {report.force[1], report.force[2]};
  message.torsion_moment = report.force[3];
  message.force = to_vector3(contact.axes_W * report.force.head<3>());
  message.utilisation = report.utilisation;
  message.unique = report.unique;
  return message;
}

/// @param reliable the end of the interval that is proved to hold.
msg::Margin to_message(const std::string& name, const stiction::Margin& margin, double reliable)
{
  using State = stiction::Margin::State;
  msg::Margin message;
  message.name = name;
  if (std::isfinite(margin.lower)) message.lower.push_back(margin.lower);
  if (std::isfinite(margin.upper)) message.upper.push_back(margin.upper);
  switch (margin.state) {
    case State::kKnown:
      message.state = msg::Margin::KNOWN;
      if (std::isfinite(reliable)) message.value.push_back(reliable);
      break;
    case State::kNone:
      message.state = msg::Margin::NONE;
      break;
    case State::kUnbounded:
      message.state = msg::Margin::UNBOUNDED;
      break;
    case State::kUndecided:
    case State::kNotAsked:
      message.state = msg::Margin::UNDECIDED;
      break;
  }
  return message;
}

/// What contacts do in a motion that nothing opposes; nothing is known of them where there is none.
void add_moving_contacts(const stiction::ContactProblem& problem, const Eigen::VectorXd& motion,
                         msg::Stability& stability)
{
  const Eigen::VectorXd speed = motion.size() > 0 ? Eigen::VectorXd(problem.J * motion) : Eigen::VectorXd();
  const double noticed = speed.size() > 0 ? 1e-6 * speed.lpNorm<Eigen::Infinity>() : 0.0;
  for (const stiction::Contact& contact : problem.contacts) {
    msg::ContactState& state = stability.contacts.emplace_back();
    state.name = contact.name;
    if (speed.size() == 0) continue;
    const double apart = speed[contact.row], aside = speed.segment(contact.row + 1, contact.tangents).norm();
    state.state = apart > noticed   ? msg::ContactState::DETACHING
                  : aside > noticed ? msg::ContactState::SLIDING
                                    : msg::ContactState::STICKING;
  }
}

/// A margin that is no finite number.
std::string word_of(const stiction::Margin& margin)
{
  using State = stiction::Margin::State;
  return margin.state == State::kNone ? "none" : margin.state == State::kUnbounded ? "unbounded" : "not known";
}

void add_value(const std::string& key, const std::string& value, DiagnosticStatus& status)
{
  diagnostic_msgs::msg::KeyValue entry;
  entry.key = key;
  entry.value = value;
  status.values.push_back(entry);
}

}  // namespace

/// The robot with its contacts, loaded, and the workspaces of the questions.
struct Monitor::Judge {
  stiction::SceneDescription description;  ///< one model, the robot
  std::optional<stiction::Scene> scene;    ///< none: to be loaded from the description
  stiction::SceneState state;
  stiction::ContactProblem problem;
  stiction::EquilibriumChecker checker;
  stiction::EquilibriumResult result;
  stiction::StickingChecker moving_checker;
  stiction::StickingResult moving;
  stiction::RegionChecker region_checker;
  stiction::RegionResult region;

  stiction::ModelDescription& model() { return description.models.front(); }
  void decide(const MonitorOptions& options);
  void decide_in_motion(const MonitorOptions& options);
  void find_region();
  View view(const MonitorOptions& options);
};

/// @throws InputError when contacts, robot and posture do not fit.
void Monitor::Judge::decide(const MonitorOptions& options)
{
  // A contact point given in the world belongs to the posture in which it is looked at.
  const bool world_points = std::ranges::any_of(
      description.contacts, [](const auto& contact) { return contact.at_frame == stiction::ContactFrame::kWorld; });
  if (!scene || world_points) {
    scene.reset();
    scene.emplace(description);
  }
  state = scene->state(description.models);
  if (options.motion == MonitorOptions::Motion::kMeasured) return decide_in_motion(options);
  scene->compute(state, problem);
  stiction::EquilibriumOptions asked;
  asked.friction_scale = options.margin == MonitorOptions::Margin::kFriction;
  checker.check(problem, {}, asked, result);
  if (options.base == stiction::Base::kFloating) find_region();
}

/// Of the velocity nearest to the measured one in which contacts are at rest; what is told of the answer is told as of
/// an equilibrium.
void Monitor::Judge::decide_in_motion(const MonitorOptions& options)
{
  const stiction::StickingCorrection noise = stiction::stick(*scene, state, problem);
  if (noise.speed > options.max_slip)
    for (const stiction::Contact& contact : problem.contacts)
      if (contact.row == noise.speed_row)
        throw InputError("contacts." + contact.name, "want it at rest within " + text(options.max_slip) +
                                                         " m/s (max_slip), got " + text(noise.speed) + " m/s");
  stiction::StickingOptions asked;
  asked.margins = true;
  moving_checker.check(problem, asked, moving);
  result.verdict = moving.verdict;
  result.reason = moving.reason;
  result.certificate = moving.certificate;
  result.lambda = moving.lambda;
  result.contacts = moving.contacts;
  result.explanation = moving.explanation;
  result.friction_scale = moving.friction_scale;
}

void Monitor::Judge::find_region()
{
  stiction::RegionOptions asked;
  asked.clip = kRegionBox;
  region_checker.check(stiction::region_input(*scene, state, problem, kRobot, description.loads), asked, region);
}

View Monitor::Judge::view(const MonitorOptions& options)
{
  View view{.problem = problem, .result = result};
  if (options.base == stiction::Base::kFloating && options.motion == MonitorOptions::Motion::kRest)
    view.region = &region;
  view.center_of_mass = scene->center_of_mass(state, kRobot);
  view.weight = std::max(scene->total_mass(kRobot) * options.gravity.norm(), 1e-9);
  if (const Eigen::VectorXd motion = failing_motion(problem, result); motion.size() > 0) {
    const double step = 1e-6 / std::max(motion.norm(), 1e-12);
    stiction::SceneState moved = state;
    moved.q = scene->integrate(state.q, motion * step);
    view.center_of_mass_velocity = (scene->center_of_mass(moved, kRobot) - view.center_of_mass) / step;
  }
  return view;
}

Monitor::Monitor(const MonitorOptions& options) : judge_(std::make_unique<Judge>())
{
  judge_->description.models.resize(1);
  judge_->model().name = kRobot;
  set_options(options);
}

Monitor::~Monitor() = default;

void Monitor::set_options(const MonitorOptions& options)
{
  if (options.base == stiction::Base::kFixed && options.margin == MonitorOptions::Margin::kCom)
    throw InputError("monitor.margin", "want friction with a fixed base, got com");
  const bool measured = options.motion == MonitorOptions::Motion::kMeasured;
  if (measured && options.margin == MonitorOptions::Margin::kCom)
    throw InputError("monitor.margin", "want friction in motion, as support regions are about rest, got com");
  if (options.effort != stiction::Effort::Kind::kLimits && options.effort != stiction::Effort::Kind::kUnlimited)
    throw InputError("monitor.effort", "want limits or unlimited, got another kind");
  if (!options.gravity.allFinite()) throw InputError("monitor.gravity", "want finite numbers");
  for (const auto& [name, value] : {std::pair{"monitor.max_age", options.max_age},
                                    {"monitor.max_contacts_age", options.max_contacts_age},
                                    {"monitor.max_slip", options.max_slip},
                                    {"monitor.warn_below", options.warn_below},
                                    {"monitor.hysteresis", options.hysteresis},
                                    {"markers.cone_length", options.style.cone_length},
                                    {"markers.weight_length", options.style.weight_length},
                                    {"markers.motion_length", options.style.motion_length}})
    if (!(std::isfinite(value) && value >= 0.0))
      throw InputError(name, "want a finite number >= 0, got " + text(value));
  Judge& judge = *judge_;
  const stiction::Effort::Kind effort = measured ? stiction::Effort::Kind::kGiven : options.effort;
  const bool same = judge.model().base == options.base && judge.model().effort.kind == effort &&
                    judge.description.gravity == options.gravity;
  options_ = options;
  if (same) return;
  judge.model().base = options.base;
  judge.model().effort = {effort, {}};
  if (!measured) {
    judge.model().rates.clear();
    judge.model().linear_velocity.setZero();
    judge.model().angular_velocity.setZero();
  }
  judge.description.gravity = options.gravity;
  judge.scene.reset();
}

void Monitor::set_robot(const std::string& urdf_text)
{
  if (judge_->model().urdf_text == urdf_text && robot_problem_.empty()) return;
  robot_name_.clear();
  root_link_.clear();
  robot_problem_.clear();
  joint_names_.clear();
  judge_->model().urdf_text = urdf_text;
  judge_->scene.reset();
  if (urdf_text.empty()) return;
  try {
    const stiction::RobotInfo robot = stiction::inspect_urdf_text(urdf_text);
    for (const stiction::JointInfo& joint : robot.joints) {
      if (joint.type == "planar" || joint.type == "floating")
        throw InputError("joint " + joint.name,
                         "want a joint that joint_states can describe, got a " + joint.type + " one");
      if (joint.type != "fixed" && joint.mimics.empty()) joint_names_.push_back(joint.name);
    }
    robot_name_ = robot.name;
    root_link_ = robot.root;
  } catch (const std::exception& error) {
    robot_problem_ = error.what();
  }
}

void Monitor::set_contacts(const msg::ContactArray& contacts)
{
  const bool same = contacts_ && contacts_problem_.empty() && contacts_->contacts == contacts.contacts;
  contacts_ = contacts;
  if (same) return;
  contacts_problem_.clear();
  judge_->scene.reset();
  judge_->description.contacts.clear();
  try {
    for (std::size_t i = 0; i < contacts.contacts.size(); ++i) {
      stiction::ContactMotion motion;
      judge_->description.contacts.push_back(
          to_contact(contacts.contacts[i], "contacts[" + std::to_string(i) + "]", {kRobot}, motion));
      if (motion.slides) throw InputError("contacts[" + std::to_string(i) + "].slides", "want a contact that sticks");
    }
  } catch (const std::exception& error) {
    contacts_problem_ = error.what();
  }
}

void Monitor::set_joints(const sensor_msgs::msg::JointState& joints)
{
  joints_problem_.clear();
  if (joints.position.size() != joints.name.size()) {
    joints_problem_ = "joint_states.position: want one per name (" + std::to_string(joints.name.size()) + "), got " +
                      std::to_string(joints.position.size());
    return;
  }
  for (const auto& [what, values] :
       {std::pair<const char*, const std::vector<double>*>{"velocity", &joints.velocity}, {"effort", &joints.effort}})
    if (!values->empty() && values->size() != joints.name.size())
      joints_problem_ = std::string("joint_states.") + what + ": want none or one per name (" +
                        std::to_string(joints.name.size()) + "), got " + std::to_string(values->size());
  if (!joints_problem_.empty()) return;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < joints.name.size(); ++i) {
    if (!std::isfinite(joints.position[i]))
      joints_problem_ = "joint_states: " + joints.name[i] + ": want a finite position, got " + text(joints.position[i]);
    if (!seen.insert(joints.name[i]).second) joints_problem_ = "joint_states: " + joints.name[i] + " is there twice";
  }
  if (!joints_problem_.empty()) return;
  for (std::size_t i = 0; i < joints.name.size(); ++i)
    joints_[joints.name[i]] = {
        joints.position[i], joints.velocity.empty() ? std::nullopt : std::optional(joints.velocity[i]),
        joints.effort.empty() ? std::nullopt : std::optional(joints.effort[i]), to_time(joints.header.stamp)};
}

void Monitor::set_base(const geometry_msgs::msg::PoseStamped& pose)
{
  base_problem_.clear();
  base_ = pose;
}

void Monitor::set_base_problem(const std::string& why)
{
  base_.reset();
  base_problem_ = why;
}

void Monitor::set_base_twist(const geometry_msgs::msg::TwistStamped& twist) { base_twist_ = twist; }

void Monitor::check_age(const std::string& what, Time stamp, double limit, Time now, std::vector<std::string>& problems)
{
  const double age = to_seconds(now - stamp);
  if (age > limit && stamp == Time{})
    problems.push_back(what + ": no time stamp");
  else if (age > limit)
    problems.push_back(what + ": " + text(age) + " s old, want at most " + text(limit) + " s");
  else if (-age > limit)
    problems.push_back(what + ": " + text(-age) + " s in the future: the clocks differ");
}

/// What is missing of velocities and efforts.
void Monitor::find_motion_problems(Time now, std::vector<std::string>& problems)
{
  std::vector<std::string> unmeasured;
  for (const std::string& name : joint_names_)
    if (const auto joint = joints_.find(name);
        joint != joints_.end() && !(std::isfinite(joint->second.velocity.value_or(std::nan(""))) &&
                                    std::isfinite(joint->second.effort.value_or(std::nan("")))))
      unmeasured.push_back(name);
  if (!unmeasured.empty()) problems.push_back("joint_states: no velocity and effort of " + text(unmeasured));
  if (options_.base != stiction::Base::kFloating) return;
  if (!base_twist_) {
    problems.push_back("base twist: none has arrived");
    return;
  }
  oldest_ = std::min(oldest_, to_time(base_twist_->header.stamp));
  check_age("base twist", to_time(base_twist_->header.stamp), options_.max_age, now, problems);
  if (const std::string& frame = base_twist_->header.frame_id; !frame.empty() && frame != root_link_)
    problems.push_back("base twist: want it in the axes of " + root_link_ + ", got '" + frame + "'");
  const auto& [linear, angular] = std::pair(base_twist_->twist.linear, base_twist_->twist.angular);
  for (const double value : {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z})
    if (!std::isfinite(value)) {
      problems.push_back("base twist: want finite numbers, got " + text(value));
      break;
    }
}

/// Everything that keeps the inputs from being judged together, in words.
std::vector<std::string> Monitor::find_problems(Time now)
{
  std::vector<std::string> problems;
  oldest_ = now;
  if (root_link_.empty())
    problems.push_back(robot_problem_.empty() ? "robot_description: none has arrived"
                                              : "robot_description: " + robot_problem_);
  if (!joints_problem_.empty()) problems.push_back(joints_problem_);
  std::vector<std::string> missing;
  const Joint* oldest = nullptr;
  std::string oldest_name;
  const Joint* newest = nullptr;
  std::string newest_name;
  for (const std::string& name : joint_names_) {
    const auto joint = joints_.find(name);
    if (joint == joints_.end()) {
      missing.push_back(name);
      continue;
    }
    if (!oldest || joint->second.stamp < oldest->stamp) oldest = &joint->second, oldest_name = name;
    if (!newest || joint->second.stamp > newest->stamp) newest = &joint->second, newest_name = name;
  }
  if (!missing.empty()) {
    std::vector<std::string> others;
    for (const auto& [name, joint] : joints_)
      if (std::ranges::find(joint_names_, name) == joint_names_.end()) others.push_back(name);
    problems.push_back("joint_states: no position of " + text(missing) +
                       (others.empty() ? "" : "; the robot does not have " + text(others)));
  }
  if (oldest) {
    oldest_ = std::min(oldest_, oldest->stamp);
    const std::size_t before = problems.size();
    check_age("joint_states: " + oldest_name, oldest->stamp, options_.max_age, now, problems);
    if (problems.size() == before)
      check_age("joint_states: " + newest_name, newest->stamp, options_.max_age, now, problems);
  }
  if (options_.base == stiction::Base::kFloating) {
    if (!base_) {
      problems.push_back("base pose: " + (base_problem_.empty() ? "none has arrived" : base_problem_));
    } else {
      oldest_ = std::min(oldest_, to_time(base_->header.stamp));
      check_age("base pose", to_time(base_->header.stamp), options_.max_age, now, problems);
      if (base_->header.frame_id != options_.fixed_frame)
        problems.push_back("base pose: want it in frame " + options_.fixed_frame + ", got '" + base_->header.frame_id +
                           "'");
    }
  }
  if (options_.motion == MonitorOptions::Motion::kMeasured) find_motion_problems(now, problems);
  if (!contacts_) {
    problems.push_back("contacts: none have arrived");
  } else {
    if (!contacts_problem_.empty()) problems.push_back(contacts_problem_);
    if (options_.max_contacts_age > 0.0)
      check_age("contacts", to_time(contacts_->header.stamp), options_.max_contacts_age, now, problems);
    if (const std::string& frame = contacts_->header.frame_id; !frame.empty() && frame != options_.fixed_frame)
      problems.push_back("contacts: want frame " + options_.fixed_frame + " or none, got '" + frame + "'");
  }
  return problems;
}

Observation Monitor::observe(const builtin_interfaces::msg::Time& now)
{
  Observation observation;
  const Time time = to_time(now);
  const std::vector<std::string> problems = find_problems(time);
  msg::Stability& stability = observation.stability;
  stability.header.frame_id = options_.fixed_frame;
  stability.header.stamp = to_message(oldest_);
  const Time age = std::max(time - oldest_, Time{});
  stability.age.sec = static_cast<int32_t>(std::chrono::duration_cast<std::chrono::seconds>(age).count());
  stability.age.nanosec = static_cast<uint32_t>((age % std::chrono::seconds(1)).count());
  stability.margin.name = options_.margin == MonitorOptions::Margin::kCom ? "com" : "friction_scale";
  observation.diagnostic.name = "stability";
  observation.diagnostic.hardware_id = robot_name_;

  if (problems.empty()) {
    try {
      judge(observation);
    } catch (const InputError& error) {
      msg::Scenario names;
      names.contacts = contacts_->contacts;
      const std::string what = error.what(), path = error.path();
      report_problems(path.starts_with("contacts") ? message_path(path, names) + what.substr(path.size()) : what,
                      observation);
    } catch (const std::exception& error) {
      report_problems(error.what(), observation);
    }
  } else {
    std::string all;
    for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
    report_problems(all, observation);
  }
  observation.support_polygon.header = stability.header;
  add_value("age [s]", text(to_seconds(age)), observation.diagnostic);
  return observation;
}

void Monitor::report_problems(const std::string& problems, Observation& observation) const
{
  msg::Stability& stability = observation.stability;
  stability.verdict.value = msg::Verdict::UNDECIDED;
  stability.contacts.clear();
  stability.margin = to_message(stability.margin.name, stiction::Margin{}, 0.0);
  stability.stale = true;
  stability.reason = problems;
  stability.summary = "not judged: " + problems;
  observation.diagnostic.level = DiagnosticStatus::STALE;
  observation.diagnostic.message = stability.summary;
  observation.diagnostic.values.clear();
  observation.markers = no_markers(stability.header);
}

/// @throws InputError when the inputs do not fit each other.
void Monitor::judge(Observation& observation)
{
  Judge& judge = *judge_;
  stiction::ModelDescription& model = judge.model();
  model.joints.clear();
  for (const std::string& name : joint_names_) model.joints[name] = joints_.at(name).position;
  model.pose = options_.base == stiction::Base::kFloating ? to_pose(base_->pose, "base pose") : stiction::Pose{};
  if (options_.motion == MonitorOptions::Motion::kMeasured) {
    for (const std::string& name : joint_names_) {
      model.rates[name] = *joints_.at(name).velocity;
      model.effort.given[name] = *joints_.at(name).effort;
    }
    if (base_twist_ && options_.base == stiction::Base::kFloating) {
      const geometry_msgs::msg::Twist& twist = base_twist_->twist;
      model.linear_velocity = {twist.linear.x, twist.linear.y, twist.linear.z};
      model.angular_velocity = {twist.angular.x, twist.angular.y, twist.angular.z};
    }
  }
  judge.decide(options_);

  msg::Stability& stability = observation.stability;
  const stiction::EquilibriumResult& result = judge.result;
  const bool com = options_.margin == MonitorOptions::Margin::kCom;
  const stiction::Margin& margin = com ? judge.region.distance : result.friction_scale;
  stability.verdict = stiction_ros::to_message(result.verdict);
  stability.margin = to_message(stability.margin.name, margin, com ? margin.lower : margin.upper);
  // What may be relied on, in the unit of warn_below; a search that stopped early has proved an end nevertheless.
  const double spare = margin.state == stiction::Margin::State::kUnbounded ? stiction::kInfinity
                       : com                                               ? margin.lower
                                                                           : 1.0 - margin.upper;
  const std::string unit = com ? " m" : " of the friction";
  DiagnosticStatus& status = observation.diagnostic;
  switch (result.verdict) {
    case stiction::Verdict::kHolds:
      stability.summary = result.explanation;
      for (std::size_t i = 0; i < result.contacts.size(); ++i)
        stability.contacts.push_back(to_message(judge.problem.contacts[i], result.contacts[i]));
      warned_ = spare < options_.warn_below + (warned_ ? options_.hysteresis : 0.0);
      status.level = warned_ ? DiagnosticStatus::WARN : DiagnosticStatus::OK;
      status.message = status.level == DiagnosticStatus::OK
                           ? "holds"
                           : "holds, but the margin of " + text(spare) + unit + " is below " +
                                 text(options_.warn_below + (spare < options_.warn_below ? 0.0 : options_.hysteresis)) +
                                 unit;
      break;
    case stiction::Verdict::kFails:
      stability.summary =
          "fails: " + (result.explanation.empty() ? "no admissible forces and efforts exist" : result.explanation);
      add_moving_contacts(judge.problem, failing_motion(judge.problem, result), stability);
      status.level = DiagnosticStatus::ERROR;
      status.message = stability.summary;
      break;
    case stiction::Verdict::kUndecided:
      stability.summary = "undecided: " + result.reason;
      status.level = DiagnosticStatus::WARN;
      status.message = stability.summary;
      break;
  }
  add_value(com ? "margin [m]" : "friction to spare", std::isfinite(spare) ? text(spare) : word_of(margin), status);
  add_value("contacts", std::to_string(judge.problem.contacts.size()), status);
  const View view = judge.view(options_);
  observation.markers = markers(stability.header, view, options_.style);
  if (std::isfinite(spare)) observation.margin = spare;
  observation.com.emplace().header = stability.header;
  observation.com->point = to_point(view.center_of_mass);
  if (!view.region || view.region->pieces.empty()) return;
  for (const Eigen::Vector2d& corner : view.region->pieces.front().inner) {
    geometry_msgs::msg::Point32& point = observation.support_polygon.polygon.points.emplace_back();
    point.x = static_cast<float>(corner.x());
    point.y = static_cast<float>(corner.y());
    point.z = static_cast<float>(ground_height(view));
  }
}

}  // namespace stiction_ros
