#include "stiction_ros/conversions.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "stiction/error.hpp"

namespace stiction_ros {
namespace {

using stiction::InputError;

// Values in the order of the messages' constants, which count from 0.
constexpr stiction::ContactFrame kContactFrames[] = {stiction::ContactFrame::kLink, stiction::ContactFrame::kWorld,
                                                     stiction::ContactFrame::kOn};
constexpr stiction::Side kSides[] = {stiction::Side::kUnilateral, stiction::Side::kBilateral};
constexpr stiction::Base kBases[] = {stiction::Base::kFloating, stiction::Base::kFixed};
constexpr stiction::Effort::Kind kEfforts[] = {stiction::Effort::Kind::kNone, stiction::Effort::Kind::kLimits,
                                               stiction::Effort::Kind::kUnlimited, stiction::Effort::Kind::kGiven};
constexpr stiction::LoadDescription::Frame kLoadFrames[] = {stiction::LoadDescription::Frame::kWorld,
                                                            stiction::LoadDescription::Frame::kLink};
constexpr stiction::LoopDescription::Kind kClosures[] = {stiction::LoopDescription::Kind::kPin,
                                                         stiction::LoopDescription::Kind::kWeld,
                                                         stiction::LoopDescription::Kind::kGuide};
constexpr stiction::ConeApproximation kCones[] = {
    stiction::ConeApproximation::kExact, stiction::ConeApproximation::kInner, stiction::ConeApproximation::kOuter};
constexpr stiction::Detachment kDetachments[] = {stiction::Detachment::kAllowed, stiction::Detachment::kForbidden,
                                                 stiction::Detachment::kFree};
constexpr stiction::PushOption::Direction kPushes[] = {stiction::PushOption::Direction::kGiven,
                                                       stiction::PushOption::Direction::kHorizontal,
                                                       stiction::PushOption::Direction::kAny};
constexpr stiction::Verdict kVerdicts[] = {stiction::Verdict::kUndecided, stiction::Verdict::kHolds,
                                           stiction::Verdict::kFails};
constexpr std::optional<bool> kExtras[] = {std::nullopt, true, false};
constexpr stiction::ContactState kStates[] = {stiction::ContactState::kSticking, stiction::ContactState::kRim,
                                              stiction::ContactState::kSliding, stiction::ContactState::kDetaching,
                                              stiction::ContactState::kUnloaded};  // from STICKING = 1

template <class Value, std::size_t n>
Value value_of(std::uint8_t number, const std::string& path, const Value (&values)[n])
{
  if (number >= n) throw InputError(path, "want 0 to " + std::to_string(n - 1) + ", got " + std::to_string(number));
  return values[number];
}

template <class Value, std::size_t n>
std::uint8_t number_of(const Value& value, const Value (&values)[n])
{
  return static_cast<std::uint8_t>(std::ranges::find(values, value) - std::ranges::begin(values));
}

std::string indexed(const std::string& list, std::size_t i) { return list + "[" + std::to_string(i) + "]"; }

/// "left_sole" -> "robot/left_sole", unless it is a link of one of the models already.
std::string full_name(const std::string& link, const std::vector<std::string>& models)
{
  const bool complete = link.empty() || link == "world" ||
                        std::ranges::any_of(models, [&](const auto& model) { return link.starts_with(model + "/"); });
  return complete ? link : models.front() + "/" + link;
}

void require_size(std::size_t size, std::size_t wanted, const std::string& path)
{
  if (size != 0 && size != wanted)
    throw InputError(path, "want none or one per name (" + std::to_string(wanted) + "), got " + std::to_string(size));
}

int to_int(std::uint32_t number)
{
  return static_cast<int>(std::min<std::uint32_t>(number, 1u << 30));
}  // far beyond any limit

template <class List>
auto optional_of(const List& list) -> std::optional<typename List::value_type>
{
  if (list.empty()) return std::nullopt;
  return list.front();
}

template <class List>
void set_finite(double value, List& list)
{
  if (std::isfinite(value)) list.push_back(value);
}

template <class Value, class List>
void set_list(const std::optional<Value>& value, List& list)
{
  if (value) list.push_back(*value);
}

stiction::LoadDescription to_load(const msg::Load& message, const std::string& path,
                                  const std::vector<std::string>& models)
{
  stiction::LoadDescription load;
  load.link = full_name(message.link, models);
  load.force = to_vector(message.force);
  load.torque = to_vector(message.torque);
  load.at = to_vector(message.at);
  load.frame = value_of(message.frame, path + ".frame", kLoadFrames);
  return load;
}

msg::Load to_message(const stiction::LoadDescription& load)
{
  msg::Load message;
  message.link = load.link;
  message.force = to_vector3(load.force);
  message.torque = to_vector3(load.torque);
  message.at = to_point(load.at);
  message.frame = number_of(load.frame, kLoadFrames);
  return message;
}

stiction::LoopDescription to_closure(const msg::Closure& message, const std::string& path,
                                     const std::vector<std::string>& models)
{
  stiction::LoopDescription closure;
  closure.name = message.name;
  closure.link = full_name(message.link, models);
  closure.on = message.on_link.empty() ? "world" : full_name(message.on_link, models);
  closure.at = to_vector(message.at);
  closure.kind = value_of(message.kind, path + ".kind", kClosures);
  if (closure.kind == stiction::LoopDescription::Kind::kGuide) closure.normal = to_vector(message.normal);
  return closure;
}

msg::Closure to_message(const stiction::LoopDescription& closure)
{
  msg::Closure message;
  message.name = closure.name;
  message.link = closure.link;
  message.on_link = closure.on;
  message.at = to_point(closure.at);
  message.kind = number_of(closure.kind, kClosures);
  message.normal = to_vector3(closure.normal);
  return message;
}

stiction::ScenarioOptions to_options(const msg::Options& message, const std::vector<std::string>& models)
{
  stiction::ScenarioOptions options;
  options.cone.approximation = value_of(message.cone, "options.cone", kCones);
  if (options.cone.approximation != stiction::ConeApproximation::kExact) options.cone.facets = to_int(message.facets);
  options.detachment = value_of(message.detachment, "options.detachment", kDetachments);
  options.solver = message.solver;
  options.object = message.object;
  options.intervals = value_of(message.intervals, "options.intervals", kExtras);
  options.margins = value_of(message.margins, "options.margins", kExtras);
  options.repairs = value_of(message.repairs, "options.repairs", kExtras);
  for (const msg::Push& source : message.push) {
    stiction::PushOption& push = options.push.emplace();
    push.kind = value_of(source.kind, "options.push.kind", kPushes);
    push.link = full_name(source.link, models);
    push.at = to_vector(source.at);
    if (push.kind == stiction::PushOption::Direction::kGiven) push.direction = to_vector(source.direction);
  }
  options.gap = optional_of(message.gap);
  options.box = optional_of(message.box);
  options.plane = message.plane;
  options.length = optional_of(message.length);
  for (const auto& point : message.point) options.point = to_vector(point);
  for (const auto& wrench : message.wrench)
    options.wrench = stiction::WrenchOption{to_vector(wrench.force), to_vector(wrench.torque)};
  for (const msg::Noise& noise : message.noise)
    options.noise = stiction::NoiseOption{noise.position, noise.angle, to_int(noise.samples), noise.seed};
  for (const std::uint32_t modes : message.modes) options.modes = to_int(modes);
  options.tangential = message.tangential;
  return options;
}

msg::Options to_message(const stiction::ScenarioOptions& options)
{
  msg::Options message;
  message.cone = number_of(options.cone.approximation, kCones);
  if (options.cone.approximation != stiction::ConeApproximation::kExact)
    message.facets = static_cast<std::uint32_t>(options.cone.facets);
  message.detachment = number_of(options.detachment, kDetachments);
  message.solver = options.solver;
  message.object = options.object;
  message.intervals = number_of(options.intervals, kExtras);
  message.margins = number_of(options.margins, kExtras);
  message.repairs = number_of(options.repairs, kExtras);
  if (options.push) {
    msg::Push& push = message.push.emplace_back();
    push.kind = number_of(options.push->kind, kPushes);
    push.link = options.push->link;
    push.at = to_point(options.push->at);
    push.direction = to_vector3(options.push->direction);
  }
  set_list(options.gap, message.gap);
  set_list(options.box, message.box);
  message.plane = options.plane;
  set_list(options.length, message.length);
  if (options.point) message.point.push_back(to_point(*options.point));
  if (options.wrench) {
    auto& wrench = message.wrench.emplace_back();
    wrench.force = to_vector3(options.wrench->force);
    wrench.torque = to_vector3(options.wrench->torque);
  }
  if (options.noise) {
    msg::Noise& noise = message.noise.emplace_back();
    noise.position = options.noise->position;
    noise.angle = options.noise->angle;
    noise.samples = static_cast<std::uint32_t>(options.noise->samples);
    noise.seed = options.noise->seed;
  }
  if (options.modes) message.modes.push_back(static_cast<std::uint32_t>(*options.modes));
  message.tangential = options.tangential;
  return message;
}

msg::ContactState to_message(const stiction::ReportedContact& contact)
{
  msg::ContactState message;
  const stiction::ContactReport& found = contact.found;
  message.name = contact.name;
  message.state = static_cast<std::uint8_t>(msg::ContactState::STICKING + number_of(found.state, kStates));
  message.has_force = contact.force_W.has_value();
  if (contact.force_W) {
    message.normal_force = found.force[0];
    message.tangential_force = {found.force[1], found.force[2]};
    message.force = to_vector3(*contact.force_W);
    message.torsion_moment = found.force[3];
  }
  message.utilisation = found.utilisation;
  message.unique = found.unique;
  if (found.normal_interval.enclosed()) {
    message.normal_interval.push_back(found.normal_interval.lower);
    message.normal_interval.push_back(found.normal_interval.upper);
  }
  return message;
}

msg::Margin to_message(const stiction::ReportedMargin& margin)
{
  using State = stiction::Margin::State;
  const State state = margin.margin.state;
  msg::Margin message;
  message.name = margin.name;
  message.state = state == State::kKnown       ? msg::Margin::KNOWN
                  : state == State::kNone      ? msg::Margin::NONE
                  : state == State::kUnbounded ? msg::Margin::UNBOUNDED
                                               : msg::Margin::UNDECIDED;
  set_finite(margin.value, message.value);
  set_finite(margin.interval ? margin.margin.lower : margin.value, message.lower);
  set_finite(margin.interval ? margin.margin.upper : margin.value, message.upper);
  return message;
}

}  // namespace

Eigen::Vector3d to_vector(const geometry_msgs::msg::Point& point) { return {point.x, point.y, point.z}; }
Eigen::Vector3d to_vector(const geometry_msgs::msg::Vector3& vector) { return {vector.x, vector.y, vector.z}; }

geometry_msgs::msg::Point to_point(const Eigen::Vector3d& vector)
{
  geometry_msgs::msg::Point point;
  point.x = vector.x();
  point.y = vector.y();
  point.z = vector.z();
  return point;
}

geometry_msgs::msg::Vector3 to_vector3(const Eigen::Vector3d& vector)
{
  geometry_msgs::msg::Vector3 message;
  message.x = vector.x();
  message.y = vector.y();
  message.z = vector.z();
  return message;
}

stiction::Pose to_pose(const geometry_msgs::msg::Pose& message, const std::string& path)
{
  const auto& q = message.orientation;
  const Eigen::Quaterniond turn(q.w, q.x, q.y, q.z);
  if (!(std::abs(turn.norm() - 1.0) <= 1e-3))
    throw InputError(path + ".orientation", "want a unit quaternion, got norm " + std::to_string(turn.norm()));
  const Eigen::Matrix3d R = turn.normalized().toRotationMatrix();
  // R = Rz(yaw) Ry(pitch) Rx(roll). The roll is what is left after the yaw that was found, so that near pitch = ±90°,
  // where the two are not unique, they still fit together.
  const double yaw = std::atan2(R(1, 0), R(0, 0)), s = std::sin(yaw), c = std::cos(yaw);
  stiction::Pose pose;
  pose.xyz = to_vector(message.position);
  pose.rpy = {std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1)),
              std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))), yaw};
  return pose;
}

geometry_msgs::msg::Pose to_message(const stiction::Pose& pose)
{
  using Eigen::AngleAxisd, Eigen::Vector3d;
  const Eigen::Quaterniond turn = AngleAxisd(pose.rpy.z(), Vector3d::UnitZ()) *
                                  AngleAxisd(pose.rpy.y(), Vector3d::UnitY()) *
                                  AngleAxisd(pose.rpy.x(), Vector3d::UnitX());
  geometry_msgs::msg::Pose message;
  message.position = to_point(pose.xyz);
  message.orientation.w = turn.w();
  message.orientation.x = turn.x();
  message.orientation.y = turn.y();
  message.orientation.z = turn.z();
  return message;
}

void set_joint_state(const sensor_msgs::msg::JointState& state, const std::string& path,
                     stiction::ModelDescription& model)
{
  const std::size_t count = state.name.size();
  require_size(state.position.size(), count, path + ".position");
  require_size(state.velocity.size(), count, path + ".velocity");
  require_size(state.effort.size(), count, path + ".effort");
  const bool efforts = model.effort.kind == stiction::Effort::Kind::kGiven && !state.effort.empty();
  std::set<std::string> seen;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = state.name[i];
    if (!seen.insert(name).second)
      throw InputError(indexed(path + ".name", i), "want each joint once, got '" + name + "' twice");
    if (!state.position.empty()) model.joints[name] = state.position[i];
    if (!state.velocity.empty()) model.rates[name] = state.velocity[i];
    if (efforts) model.effort.given[name] = state.effort[i];
  }
}

stiction::ModelDescription to_model(const msg::Model& message, const std::string& path, const std::string& robot_urdf)
{
  stiction::ModelDescription model;
  model.name = message.name.empty() ? kRobot : message.name;
  model.urdf_text = message.urdf.empty() ? robot_urdf : message.urdf;
  model.base = value_of(message.base, path + ".base", kBases);
  model.pose = to_pose(message.pose, path + ".pose");
  model.linear_velocity = to_vector(message.twist.linear);
  model.angular_velocity = to_vector(message.twist.angular);
  model.linear_acceleration = to_vector(message.acceleration.linear);
  model.angular_acceleration = to_vector(message.acceleration.angular);
  model.effort.kind = value_of(message.effort, path + ".effort", kEfforts);
  const sensor_msgs::msg::JointState& joints = message.joint_state;
  if (model.effort.kind == stiction::Effort::Kind::kGiven && joints.effort.empty() && !joints.name.empty())
    throw InputError(path + ".joint_state.effort", "want one per name where efforts are given, got none");
  set_joint_state(joints, path + ".joint_state", model);
  require_size(message.joint_acceleration.size(), joints.name.size(), path + ".joint_acceleration");
  for (std::size_t i = 0; i < message.joint_acceleration.size(); ++i)
    model.accelerations[joints.name[i]] = message.joint_acceleration[i];
  for (std::size_t i = 0; i < message.joint_vectors.size(); ++i) {
    const msg::JointVector& joint = message.joint_vectors[i];
    if (model.multi_joints.contains(joint.name))
      throw InputError(indexed(path + ".joint_vectors", i) + ".name",
                       "want each joint once, got '" + joint.name + "' twice");
    model.multi_joints[joint.name] = joint.position;
    if (!joint.velocity.empty()) model.multi_rates[joint.name] = joint.velocity;
    if (!joint.acceleration.empty()) model.multi_accelerations[joint.name] = joint.acceleration;
  }
  return model;
}

msg::Model to_message(const stiction::ModelDescription& model)
{
  if (!model.urdf_file.empty())
    throw InputError("models." + model.name + ".urdf_file",
                     "want the URDF as text, got the file '" + model.urdf_file + "'");
  msg::Model message;
  message.name = model.name;
  message.urdf = model.urdf_text;
  message.base = number_of(model.base, kBases);
  message.pose = to_message(model.pose);
  message.twist.linear = to_vector3(model.linear_velocity);
  message.twist.angular = to_vector3(model.angular_velocity);
  message.acceleration.linear = to_vector3(model.linear_acceleration);
  message.acceleration.angular = to_vector3(model.angular_acceleration);
  message.effort = number_of(model.effort.kind, kEfforts);
  // One list per quantity, one entry per name: a joint that any of them names is in all of them, at its default.
  std::set<std::string> names;
  for (const auto* map : {&model.joints, &model.rates, &model.accelerations, &model.effort.given})
    for (const auto& item : *map) names.insert(item.first);
  for (const std::string& name : names) {
    if (!model.joints.contains(name))
      throw InputError("models." + model.name + ".joints",
                       "want a position for '" + name + "', got none: messages have one per name");
    const auto value = [&](const std::map<std::string, double>& map) {
      return map.contains(name) ? map.at(name) : 0.0;
    };
    message.joint_state.name.push_back(name);
    message.joint_state.position.push_back(value(model.joints));
    if (!model.rates.empty()) message.joint_state.velocity.push_back(value(model.rates));
    if (model.effort.kind == stiction::Effort::Kind::kGiven)
      message.joint_state.effort.push_back(value(model.effort.given));
    if (!model.accelerations.empty()) message.joint_acceleration.push_back(value(model.accelerations));
  }
  for (const auto& [name, position] : model.multi_joints) {
    msg::JointVector& joint = message.joint_vectors.emplace_back();
    joint.name = name;
    joint.position = position;
    if (const auto found = model.multi_rates.find(name); found != model.multi_rates.end())
      joint.velocity = found->second;
    if (const auto found = model.multi_accelerations.find(name); found != model.multi_accelerations.end())
      joint.acceleration = found->second;
  }
  return message;
}

stiction::ContactDescription to_contact(const msg::Contact& message, const std::string& path,
                                        const std::vector<std::string>& models, stiction::ContactMotion& motion)
{
  stiction::ContactDescription contact;
  contact.name = message.name;
  contact.link = full_name(message.link, models);
  contact.on = message.on_link.empty() ? "world" : full_name(message.on_link, models);
  for (const auto& point : message.points) contact.points.push_back(to_vector(point));
  contact.patch = message.patch;
  contact.at_frame = value_of(message.at_frame, path + ".at_frame", kContactFrames);
  contact.normal = to_vector(message.normal);
  contact.normal_frame = value_of(message.normal_frame, path + ".normal_frame", kContactFrames);
  contact.mu = message.mu;
  contact.side = value_of(message.side, path + ".side", kSides);
  contact.torsion = message.torsion;
  contact.max_normal = message.max_normal < 0.0 ? stiction::kInfinity : message.max_normal;
  motion = {};
  for (const auto& direction : message.slides) motion.slides = to_vector(direction);
  motion.restitution_normal = message.restitution_normal;
  motion.restitution_tangential = message.restitution_tangential;
  motion.restitution_spin = message.restitution_spin;
  motion.one_way = message.one_way;
  motion.mu_second = optional_of(message.mu_second);
  return contact;
}

msg::Contact to_message(const stiction::ContactDescription& contact, const stiction::ContactMotion& motion)
{
  msg::Contact message;
  message.name = contact.name;
  message.link = contact.link;
  message.on_link = contact.on;
  for (const Eigen::Vector3d& point : contact.points) message.points.push_back(to_point(point));
  message.patch = contact.patch;
  message.at_frame = number_of(contact.at_frame, kContactFrames);
  message.normal = to_vector3(contact.normal);
  message.normal_frame = number_of(contact.normal_frame, kContactFrames);
  message.mu = contact.mu;
  message.side = number_of(contact.side, kSides);
  message.torsion = contact.torsion;
  message.max_normal = std::isinf(contact.max_normal) ? -1.0 : contact.max_normal;
  if (motion.slides) message.slides.push_back(to_vector3(*motion.slides));
  message.restitution_normal = motion.restitution_normal;
  message.restitution_tangential = motion.restitution_tangential;
  message.restitution_spin = motion.restitution_spin;
  message.one_way = motion.one_way;
  set_list(motion.mu_second, message.mu_second);
  return message;
}

stiction::Scenario to_scenario(const msg::Scenario& message, const std::string& robot_urdf)
{
  stiction::Scenario scenario;
  scenario.name = message.name;
  scenario.scene.gravity = {message.gravity[0], message.gravity[1], message.gravity[2]};
  for (std::size_t i = 0; i < message.models.size(); ++i)
    scenario.scene.models.push_back(to_model(message.models[i], indexed("models", i), robot_urdf));
  if (message.models.empty()) scenario.scene.models.push_back(to_model(msg::Model(), "models[0]", robot_urdf));
  std::vector<std::string> models;
  for (const stiction::ModelDescription& model : scenario.scene.models) models.push_back(model.name);
  for (std::size_t i = 0; i < message.loads.size(); ++i)
    scenario.scene.loads.push_back(to_load(message.loads[i], indexed("loads", i), models));
  for (std::size_t i = 0; i < message.contacts.size(); ++i)
    scenario.scene.contacts.push_back(
        to_contact(message.contacts[i], indexed("contacts", i), models, scenario.contact_motions.emplace_back()));
  for (std::size_t i = 0; i < message.closures.size(); ++i)
    scenario.scene.loops.push_back(to_closure(message.closures[i], indexed("closures", i), models));
  scenario.question = stiction::question_named(message.question);
  scenario.options = to_options(message.options, models);
  return scenario;
}

msg::Scenario to_message(const stiction::Scenario& asked)
{
  const stiction::Scenario scenario = stiction::resolved_scenario(asked);  // messages have ordinary poses and contacts
  msg::Scenario message;
  message.name = scenario.name;
  for (std::size_t k = 0; k < 3; ++k) message.gravity[k] = scenario.scene.gravity[static_cast<Eigen::Index>(k)];
  for (const auto& model : scenario.scene.models) message.models.push_back(to_message(model));
  for (const auto& load : scenario.scene.loads) message.loads.push_back(to_message(load));
  for (std::size_t i = 0; i < scenario.scene.contacts.size(); ++i)
    message.contacts.push_back(to_message(scenario.scene.contacts[i], i < scenario.contact_motions.size()
                                                                          ? scenario.contact_motions[i]
                                                                          : stiction::ContactMotion{}));
  for (const auto& closure : scenario.scene.loops) message.closures.push_back(to_message(closure));
  message.question = stiction::name_of(scenario.question);
  message.options = to_message(scenario.options);
  return message;
}

msg::Verdict to_message(stiction::Verdict verdict)
{
  msg::Verdict message;
  message.value = number_of(verdict, kVerdicts);
  return message;
}

msg::Result to_message(const stiction::ScenarioReport& report)
{
  msg::Result result;
  result.verdict = to_message(report.verdict);
  result.question = stiction::name_of(report.scenario.question);
  result.summary = report.summary;
  for (const auto& contact : report.contacts) result.contacts.push_back(to_message(contact));
  for (const auto& effort : report.efforts) {
    result.effort_names.push_back(effort.name);
    result.efforts.push_back(effort.value);
  }
  for (const auto& margin : report.margins) result.margins.push_back(to_message(margin));
  result.warnings = report.warnings;
  result.report = to_json(report);
  return result;
}

msg::BatchResult to_message(const stiction::ScenarioNumbers& numbers)
{
  msg::BatchResult result;
  result.verdict = to_message(numbers.verdict);
  result.summary = numbers.summary;
  for (const auto& cell : numbers.cells) {
    if (cell.number) {
      result.number_names.push_back(cell.name);
      result.numbers.push_back(*cell.number);
    } else if (!cell.word.empty()) {
      result.word_names.push_back(cell.name);
      result.words.push_back(cell.word);
    }
  }
  return result;
}

}  // namespace stiction_ros
