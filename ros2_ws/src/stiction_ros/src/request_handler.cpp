#include "stiction_ros/request_handler.hpp"

#include <algorithm>
#include <filesystem>
#include <new>

#include "stiction/error.hpp"
#include "stiction_ros/conversions.hpp"
#include "stiction_ros/message_path.hpp"

namespace stiction_ros {
namespace {

/// Why a request is answered by an error of its own kind.
struct Refusal {
  std::uint8_t code;
  std::string message;
};

void require_at_most(std::size_t limit, std::size_t size, const std::string& what)
{
  if (size > limit)
    throw Refusal{msg::Error::TOO_LARGE,
                  what + ": want at most " + std::to_string(limit) + ", got " + std::to_string(size)};
}

stiction::Scenario read(const msg::Scenario& message, const std::string& robot_urdf, const RequestLimits& limits)
{
  std::size_t points = 0, text = 0;
  bool robot_needed = message.models.empty();
  for (const msg::Contact& contact : message.contacts) points += std::max<std::size_t>(1, contact.points.size());
  for (const msg::Model& model : message.models) {
    text += model.urdf.size();
    robot_needed = robot_needed || model.urdf.empty();
  }
  require_at_most(limits.contact_points, points + message.loads.size() + message.closures.size(),
                  "contact points, loads and closures");
  require_at_most(limits.text, text, "bytes of URDF text");
  if (message.question == stiction::name_of(stiction::Question::kAllSticking) && message.contacts.empty() &&
      message.closures.empty())
    throw stiction::InputError("contacts",
                               "want at least one contact or closure, got none: nothing can slip where "
                               "nothing touches, and a robot that falls would be said to hold");
  if (robot_needed && robot_urdf.empty())
    throw Refusal{msg::Error::NO_ROBOT, "models: want a URDF in the request or from robot_description, got neither"};
  return to_scenario(message, robot_urdf);
}

/// How large a scenario file's scene is, and that it names no file which may have no end, or wait for a writer.
void require_bounded(const stiction::Scenario& scenario, const RequestLimits& limits)
{
  std::size_t points = scenario.scene.loads.size() + scenario.scene.loops.size();
  if (scenario.bare) points += scenario.bare->problem.contacts.size();
  for (const auto& contact : scenario.scene.contacts) points += std::max<std::size_t>(1, contact.points.size());
  require_at_most(limits.contact_points, points, "contact points, loads and closures");
  std::error_code ignored;
  for (const stiction::ModelDescription& model : scenario.scene.models)
    if (std::filesystem::exists(model.urdf_file, ignored) &&
        !std::filesystem::is_regular_file(model.urdf_file, ignored))
      throw stiction::InputError("models." + model.name + ".urdf",
                                 "want a regular file, got '" + model.urdf_file + "'");
}

/// "contacts.left_toe.mu=0.3", as --set of the program.
std::vector<stiction::ScenarioOverride> read_overrides(const std::vector<std::string>& texts)
{
  std::vector<stiction::ScenarioOverride> overrides;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == text.npos || equals == 0)
      throw stiction::InputError("overrides[" + std::to_string(overrides.size()) + "]",
                                 "want PATH=VALUE such as contacts.left_toe.mu=0.3, got '" + text + "'");
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return overrides;
}

/// Errors in overrides name the option of the program.
std::string named_by_override(const std::string& message, const std::vector<std::string>& overrides)
{
  for (std::size_t k = 0; k < overrides.size(); ++k)
    if (const std::string option = "--set " + overrides[k]; message.starts_with(option))
      return "overrides[" + std::to_string(k) + "]" + message.substr(option.size());
  return message;
}

/// The same error about the fields of the message.
Refusal refusal_of(const stiction::InputError& error, const msg::Scenario& scenario)
{
  const std::string what = error.what(), path = error.path();
  const bool robot = path.starts_with("models") && path.ends_with(".urdf");
  return {robot ? msg::Error::BAD_ROBOT : msg::Error::BAD_REQUEST,
          path.empty() ? what : message_path(path, scenario) + what.substr(path.size())};
}

}  // namespace

RequestHandler::RequestHandler(const RequestLimits& limits, std::function<bool()> cancelled)
    : limits_(limits), cancelled_(std::move(cancelled)), stop_([this] { return is_cancelled() || is_too_long(); })
{
  if (!(limits.time >= 0.0)) throw stiction::InputError("limits.time", "want a number >= 0");
  checker_.set_stop(stop_);
}

bool RequestHandler::is_too_long() const
{
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  return limits_.time > 0.0 && passed.count() > limits_.time;
}

/// Runs `work`; whatever it throws becomes the error.
template <class Work>
msg::Error RequestHandler::attempt(Work work) const
{
  msg::Error error;
  const auto say = [&](std::uint8_t code, const std::string& message) {
    error.code = code;
    error.message = message;
  };
  try {
    work();
  } catch (const Refusal& refusal) {
    say(refusal.code, refusal.message);
  } catch (const stiction::Stopped&) {
    if (is_cancelled())
      say(msg::Error::CANCELLED, "cancelled before there was an answer");
    else
      say(msg::Error::TOO_LONG, "no answer within the time that this server gives a request (limits.time)");
  } catch (const stiction::InputError& wrong) {
    say(msg::Error::BAD_REQUEST, wrong.what());
  } catch (const std::bad_alloc&) {
    say(msg::Error::TOO_LARGE, "not enough memory for this request");
  } catch (const std::exception& bug) {
    say(msg::Error::INTERNAL, bug.what());
  } catch (...) {
    say(msg::Error::INTERNAL, "an exception of unknown type");
  }
  return error;
}

/// `attempt`, where errors are about the fields of a scenario message.
template <class Work>
msg::Error RequestHandler::attempt_about(const msg::Scenario& scenario, Work work) const
{
  return attempt([&] {
    try {
      work();
    } catch (const stiction::InputError& error) {
      throw refusal_of(error, scenario);
    }
  });
}

void RequestHandler::check(const stiction_msgs::srv::Check::Request& request,
                           stiction_msgs::srv::Check::Response& response) noexcept
{
  begin_ = std::chrono::steady_clock::now();
  response = stiction_msgs::srv::Check::Response();
  response.error = attempt_about(request.scenario, [&] {
    response.result = to_message(checker_.check(read(request.scenario, robot_urdf_, limits_)));
  });
}

void RequestHandler::check_batch(const stiction_msgs::srv::CheckBatch::Request& request,
                                 stiction_msgs::srv::CheckBatch::Response& response) noexcept
{
  begin_ = std::chrono::steady_clock::now();
  response = stiction_msgs::srv::CheckBatch::Response();
  response.error = attempt_about(request.scenario, [&] {
    const std::size_t count = request.joint_states.size();
    require_at_most(limits_.states, count, "joint states");
    if (!request.base_poses.empty() && request.base_poses.size() != count)
      throw stiction::InputError("base_poses", "want none or one per joint state (" + std::to_string(count) +
                                                   "), got " + std::to_string(request.base_poses.size()));
    stiction::Scenario scenario = read(request.scenario, robot_urdf_, limits_);
    checker_.load(scenario);  // what is wrong with the scenario is said once, not per state
    stiction::ModelDescription& robot = scenario.scene.models.front();
    const auto joints = robot.joints, rates = robot.rates, efforts = robot.effort.given;
    for (std::size_t i = 0; i < count; ++i) {
      msg::BatchResult result;
      const std::string index = "[" + std::to_string(i) + "]";
      const msg::Error error = attempt_about(request.scenario, [&] {
        robot.joints = joints;
        robot.rates = rates;
        robot.effort.given = efforts;
        set_joint_state(request.joint_states[i], "joint_states" + index, robot);
        if (!request.base_poses.empty()) robot.pose = to_pose(request.base_poses[i], "base_poses" + index);
        result = to_message(checker_.check_numbers(scenario));
      });
      if (error.code == msg::Error::TOO_LONG || error.code == msg::Error::CANCELLED)
        throw Refusal{error.code, error.message + ": " + std::to_string(i) + " of " + std::to_string(count) +
                                      " states were answered"};
      result.error = error;
      response.results.push_back(std::move(result));
    }
  });
  if (response.error.code != msg::Error::NONE) response.results.clear();
}

void RequestHandler::check_scenario(const stiction_msgs::srv::CheckScenario::Request& request,
                                    stiction_msgs::srv::CheckScenario::Response& response) noexcept
{
  begin_ = std::chrono::steady_clock::now();
  response = stiction_msgs::srv::CheckScenario::Response();
  response.error = attempt([&] {
    require_at_most(limits_.text, request.scenario.size(), "bytes of scenario text");
    try {
      const std::vector<stiction::ScenarioOverride> overrides = read_overrides(request.overrides);
      require_bounded(stiction::read_scenario_text(request.scenario, request.folder, "scenario", overrides), limits_);
      const stiction::ScenarioReport report = stiction::check_scenario_text(
          request.scenario, request.folder, "scenario", overrides, request.package_paths, stop_);
      response.verdict = to_message(report.verdict);
      response.report = to_json(report);
      response.text = to_text(report);
    } catch (const stiction::InputError& error) {
      throw Refusal{msg::Error::BAD_SCENARIO, named_by_override(error.what(), request.overrides)};
    }
  });
}

}  // namespace stiction_ros
