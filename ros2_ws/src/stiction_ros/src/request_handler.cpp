#include "stiction_ros/request_handler.hpp"

#include <algorithm>
#include <new>

#include "stiction/error.hpp"
#include "stiction_ros/conversions.hpp"

namespace stiction_ros {
namespace {

/// Why a request is answered by an error of its own kind.
struct Refusal {
  std::uint8_t code;
  std::string message;
};

bool is_about_urdf(const stiction::InputError& error)
{
  return error.path().starts_with("models.") && error.path().ends_with(".urdf");
}

/// Runs `work`; whatever it throws becomes the error. `bad_input` is the code of errors about anything but a URDF.
template <class Work>
msg::Error attempt(std::uint8_t bad_input, Work work)
{
  msg::Error error;
  try {
    work();
  } catch (const Refusal& refusal) {
    error.code = refusal.code;
    error.message = refusal.message;
  } catch (const stiction::InputError& wrong) {
    error.code = bad_input == msg::Error::BAD_REQUEST && is_about_urdf(wrong) ? msg::Error::BAD_ROBOT : bad_input;
    error.message = wrong.what();
  } catch (const std::bad_alloc&) {
    error.code = msg::Error::TOO_LARGE;
    error.message = "not enough memory for this request";
  } catch (const std::exception& bug) {
    error.code = msg::Error::INTERNAL;
    error.message = bug.what();
  } catch (...) {
    error.code = msg::Error::INTERNAL;
    error.message = "an exception of unknown type";
  }
  return error;
}

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
  require_at_most(limits.contact_points, points + message.loads.size() + message.loops.size(),
                  "contact points, loads and closures");
  require_at_most(limits.text, text, "bytes of URDF text");
  if (robot_needed && robot_urdf.empty())
    throw Refusal{msg::Error::NO_ROBOT, "models: want a URDF in the request or from robot_description, got neither"};
  return to_scenario(message, robot_urdf);
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

}  // namespace

void RequestHandler::check(const stiction_msgs::srv::Check::Request& request,
                           stiction_msgs::srv::Check::Response& response) noexcept
{
  response = stiction_msgs::srv::Check::Response();
  response.error = attempt(msg::Error::BAD_REQUEST, [&] {
    response.result = to_message(checker_.check(read(request.scenario, robot_urdf_, limits_)));
  });
}

void RequestHandler::check_batch(const stiction_msgs::srv::CheckBatch::Request& request,
                                 stiction_msgs::srv::CheckBatch::Response& response) noexcept
{
  response = stiction_msgs::srv::CheckBatch::Response();
  response.error = attempt(msg::Error::BAD_REQUEST, [&] {
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
      const msg::Error error = attempt(msg::Error::BAD_REQUEST, [&] {
        robot.joints = joints;
        robot.rates = rates;
        robot.effort.given = efforts;
        set_joint_state(request.joint_states[i], "joint_states" + index, robot);
        if (!request.base_poses.empty()) robot.pose = to_pose(request.base_poses[i], "base_poses" + index);
        result = to_message(checker_.check_numbers(scenario));
      });
      result.error = error;
      response.results.push_back(std::move(result));
    }
  });
  if (response.error.code != msg::Error::NONE) response.results.clear();
}

void RequestHandler::check_scenario(const stiction_msgs::srv::CheckScenario::Request& request,
                                    stiction_msgs::srv::CheckScenario::Response& response) noexcept
{
  response = stiction_msgs::srv::CheckScenario::Response();
  response.error = attempt(msg::Error::BAD_SCENARIO, [&] {
    require_at_most(limits_.text, request.scenario.size(), "bytes of scenario text");
    const stiction::ScenarioReport report = stiction::check_scenario_text(
        request.scenario, request.folder, "scenario", read_overrides(request.overrides), request.package_paths);
    response.verdict = to_message(report.verdict);
    response.report = to_json(report);
    response.text = to_text(report);
  });
}

}  // namespace stiction_ros
