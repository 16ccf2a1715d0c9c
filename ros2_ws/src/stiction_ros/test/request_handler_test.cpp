#include "stiction_ros/request_handler.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <sstream>

#include "stiction/error.hpp"
#include "stiction_ros/conversions.hpp"

namespace stiction_ros {
namespace {

using stiction_msgs::srv::Check;
using stiction_msgs::srv::CheckBatch;
using stiction_msgs::srv::CheckScenario;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const std::string kSource = STICTION_SOURCE_DIR;

std::string read_file(const std::string& file)
{
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A scenario of the gallery as a message; models have their URDF in it.
msg::Scenario gallery(const std::string& name)
{
  stiction::Scenario scenario = stiction::read_scenario_file(kSource + "/scenarios/" + name + ".yaml");
  for (stiction::ModelDescription& model : scenario.scene.models) {
    model.urdf_text = read_file(std::exchange(model.urdf_file, ""));
    for (const auto& effort : model.effort.given) model.joints.try_emplace(effort.first, 0.0);
    for (const auto& rate : model.rates) model.joints.try_emplace(rate.first, 0.0);
  }
  return to_message(scenario);
}

Check::Response ask(RequestHandler& handler, const msg::Scenario& scenario)
{
  Check::Request request;
  request.scenario = scenario;
  Check::Response response;
  handler.check(request, response);
  return response;
}

CheckScenario::Response ask_text(RequestHandler& handler, const std::string& text,
                                 const std::vector<std::string>& overrides = {})
{
  CheckScenario::Request request;
  request.scenario = text;
  request.folder = kSource + "/scenarios";
  request.overrides = overrides;
  CheckScenario::Response response;
  handler.check_scenario(request, response);
  return response;
}

// The library answers the file, the handler the message: same verdict, same sentence, and a report whose proof can be
// checked.
TEST(RequestHandler, SaysWhatTheLibrarySays)
{
  RequestHandler handler;
  int asked = 0, fails = 0;
  for (const auto& file : std::filesystem::directory_iterator(kSource + "/scenarios")) {
    const std::string text = read_file(file.path());
    if (text.find("package://") != text.npos) continue;  // real robots: whether they are installed is not our business
    const std::string name = file.path().stem();
    SCOPED_TRACE(name);
    const stiction::ScenarioReport wanted = stiction::check_scenario_text(text, kSource + "/scenarios");
    const auto says = [&](const char* key) { return text.find(key) != text.npos; };
    if (!says("radius:") && !says("\nground:")) {  // messages have neither: texts of scenarios do
      const Check::Response got = ask(handler, gallery(name));
      ASSERT_EQ(got.error.code, msg::Error::NONE) << got.error.message;
      EXPECT_EQ(got.result.verdict, to_message(wanted.verdict));
      EXPECT_EQ(got.result.summary, wanted.summary);
      EXPECT_THAT(got.result.report, HasSubstr("\"certificate\""));
      if (wanted.verdict != stiction::Verdict::kUndecided) {
        EXPECT_TRUE(stiction::verify_report(got.result.report).valid);
      }
    }
    const CheckScenario::Response by_text = ask_text(handler, text);
    ASSERT_EQ(by_text.error.code, msg::Error::NONE) << by_text.error.message;
    EXPECT_EQ(by_text.verdict, to_message(wanted.verdict));
    EXPECT_EQ(by_text.report, to_json(wanted));
    EXPECT_EQ(by_text.text, to_text(wanted));
    ++asked;
    fails += wanted.verdict == stiction::Verdict::kFails;
  }
  EXPECT_GE(asked, 15);
  EXPECT_GE(fails, 3);
}

TEST(RequestHandler, AnswersDoNotDependOnEarlierRequests)
{
  msg::Scenario standing = gallery("biped_standing"), bent = standing, slippery = standing, pushed = standing,
                world = standing;
  bent.models[0].joint_state.position[0] += 0.1;
  bent.models[0].pose.position.z += 0.01;
  slippery.contacts[1].mu = 0.01;
  slippery.models[0].joint_state.effort[0] += 5.0;
  pushed.loads.resize(1);
  pushed.loads[0].link = "torso";
  pushed.loads[0].force.x = 80.0;
  for (msg::Contact& contact : world.contacts) contact.at_frame = msg::Contact::FRAME_WORLD;
  msg::Scenario world_bent = world;
  world_bent.models[0].joint_state.position = bent.models[0].joint_state.position;
  msg::Scenario found = standing;
  found.question = "equilibrium";
  found.models[0].effort = msg::Model::EFFORT_LIMITS;
  msg::Scenario outside = standing;
  outside.models[0].joint_state.position[1] = 3.1;  // a warning, not an error

  RequestHandler used;
  const std::vector<msg::Scenario> requests = {standing, bent,       slippery, standing, pushed,
                                               world,    world_bent, found,    outside,  standing};
  std::set<std::string> reports;
  for (const msg::Scenario& request : requests) {
    RequestHandler fresh;
    const Check::Response got = ask(used, request);
    EXPECT_EQ(got.error.code, msg::Error::NONE) << got.error.message;
    EXPECT_EQ(got, ask(fresh, request));
    reports.insert(got.result.report);
  }
  EXPECT_EQ(reports.size(), 8u) << "every change changes the report";
}

TEST(RequestHandler, UsesTheServersRobot)
{
  RequestHandler handler;
  msg::Scenario scenario = gallery("biped_standing");
  const Check::Response wanted = ask(handler, scenario);
  const std::string urdf = std::exchange(scenario.models[0].urdf, "");
  EXPECT_EQ(ask(handler, scenario).error.code, msg::Error::NO_ROBOT);
  handler.set_robot(urdf);
  scenario.models[0].name.clear();
  for (msg::Contact& contact : scenario.contacts) contact.link = contact.link.substr(6);  // robot/
  EXPECT_EQ(ask(handler, scenario), wanted);
  // Another robot under the same name is noticed.
  handler.set_robot(read_file(kSource + "/urdf/quadruped.urdf"));
  EXPECT_EQ(ask(handler, scenario).error.code, msg::Error::BAD_REQUEST);
  handler.set_robot("");
  EXPECT_EQ(ask(handler, scenario).error.code, msg::Error::NO_ROBOT);
  // Without models: the robot alone, in the air. Whether contacts stick that nobody named is no question.
  handler.set_robot(urdf);
  msg::Scenario alone;
  EXPECT_EQ(ask(handler, alone).error.code, msg::Error::BAD_REQUEST);
  EXPECT_THAT(ask(handler, alone).error.message, StartsWith("contacts: want at least one"));
  alone.question = "equilibrium";
  EXPECT_EQ(ask(handler, alone).error.code, msg::Error::NONE) << ask(handler, alone).error.message;
  EXPECT_EQ(ask(handler, alone).result.verdict.value, msg::Verdict::FAILS) << "it falls";
}

TEST(RequestHandler, BatchesAnswerEveryState)
{
  RequestHandler handler;
  CheckBatch::Request request;
  request.scenario = gallery("biped_standing");
  const sensor_msgs::msg::JointState base = request.scenario.models[0].joint_state;
  for (int i = 0; i < 5; ++i) {
    sensor_msgs::msg::JointState& state = request.joint_states.emplace_back();
    state.name = {"left_hip", "right_hip"};
    state.position = {-0.4 + 0.02 * i, -0.4 - 0.02 * i};
    state.velocity = {0.0, 0.0};
    state.effort = {0.0, 40.0 * i};
    request.base_poses.push_back(request.scenario.models[0].pose);
    request.base_poses.back().orientation.w = std::cos(0.05 * i);
    request.base_poses.back().orientation.y = std::sin(0.05 * i);
  }
  request.joint_states[1].name[0] = "third_hip";
  request.base_poses[2].orientation.w = 7.0;
  request.joint_states[4].position.pop_back();
  CheckBatch::Response response;
  handler.check_batch(request, response);
  ASSERT_EQ(response.error.code, msg::Error::NONE) << response.error.message;
  ASSERT_EQ(response.results.size(), 5u);
  for (const int bad : {1, 2, 4}) EXPECT_EQ(response.results[bad].error.code, msg::Error::BAD_REQUEST);
  EXPECT_THAT(response.results[1].error.message, HasSubstr("third_hip"));
  EXPECT_THAT(response.results[2].error.message, StartsWith("base_poses[2].orientation"));
  EXPECT_THAT(response.results[4].error.message, StartsWith("joint_states[4].position"));
  for (const int good : {0, 3}) {
    SCOPED_TRACE(good);
    const msg::BatchResult& result = response.results[good];
    EXPECT_EQ(result.error.code, msg::Error::NONE) << result.error.message;
    msg::Scenario one = request.scenario;
    stiction::ModelDescription model = to_model(one.models[0], "", "");
    set_joint_state(request.joint_states[good], "", model);
    one.models[0] = to_message(model);
    one.models[0].pose = request.base_poses[good];
    EXPECT_EQ(result, to_message(stiction::ScenarioChecker().check_numbers(to_scenario(one, ""))));
    EXPECT_EQ(result.verdict, ask(handler, one).result.verdict);
    ASSERT_FALSE(result.number_names.empty());
    EXPECT_EQ(result.number_names[0], "utilisation");
    EXPECT_EQ(result.number_names.size(), result.numbers.size());
  }
  EXPECT_EQ(response.results[0].verdict.value, msg::Verdict::HOLDS);
  EXPECT_EQ(response.results[3].verdict.value, msg::Verdict::FAILS) << "a hip that kicks with 120 N m";

  request.base_poses.pop_back();
  handler.check_batch(request, response);
  EXPECT_EQ(response.error.code, msg::Error::BAD_REQUEST);
  EXPECT_THAT(response.error.message, StartsWith("base_poses: want none or one per joint state (5), got 4"));
  EXPECT_TRUE(response.results.empty());
  request.base_poses.clear();
  request.scenario.contacts[0].mu = -1.0;  // said once
  handler.check_batch(request, response);
  EXPECT_EQ(response.error.code, msg::Error::BAD_REQUEST);
  EXPECT_THAT(response.error.message, StartsWith("contacts[0].mu"));
  EXPECT_TRUE(response.results.empty());
}

TEST(RequestHandler, EveryErrorHasItsCode)
{
  RequestLimits limits;
  limits.contact_points = 10;
  limits.states = 3;
  limits.text = 1 << 20;
  RequestHandler handler(limits);
  const msg::Scenario good = gallery("biped_standing");
  ASSERT_EQ(ask(handler, good).error.code, msg::Error::NONE);

  msg::Scenario bad = good;
  bad.models[0].urdf.clear();
  EXPECT_EQ(ask(handler, bad).error.code, msg::Error::NO_ROBOT);
  EXPECT_THAT(ask(handler, bad).error.message, HasSubstr("robot_description"));
  bad.models[0].urdf = "<robot";
  EXPECT_EQ(ask(handler, bad).error.code, msg::Error::BAD_ROBOT);
  EXPECT_THAT(ask(handler, bad).error.message, StartsWith("models[0].urdf: "));
  bad = good;
  bad.contacts[1].normal.z = 0.0;
  EXPECT_EQ(ask(handler, bad).error.code, msg::Error::BAD_REQUEST);
  EXPECT_EQ(ask(handler, bad).error.message, "contacts[1].normal: want a unit vector, got (0, 0, 0)");
  Check::Request request;
  request.scenario = bad;
  Check::Response used = ask(handler, good);
  handler.check(request, used);
  EXPECT_EQ(used.result, msg::Result()) << "nothing of the last answer is left";
  bad = good;
  bad.contacts[1].points.resize(7);
  EXPECT_EQ(ask(handler, bad).error.code, msg::Error::TOO_LARGE);
  EXPECT_THAT(ask(handler, bad).error.message, HasSubstr("want at most 10, got 11"));
  bad = good;
  bad.models[0].urdf.append(1 << 20, ' ');
  EXPECT_EQ(ask(handler, bad).error.code, msg::Error::TOO_LARGE);

  CheckBatch::Request batch;
  batch.scenario = good;
  batch.joint_states.resize(4);
  CheckBatch::Response results;
  handler.check_batch(batch, results);
  EXPECT_EQ(results.error.code, msg::Error::TOO_LARGE);
  batch.joint_states.resize(3);
  handler.check_batch(batch, results);
  EXPECT_EQ(results.error.code, msg::Error::NONE) << results.error.message;
  EXPECT_EQ(results.results.size(), 3u);
  batch.scenario.models[0].urdf.clear();
  handler.check_batch(batch, results);
  EXPECT_EQ(results.error.code, msg::Error::NO_ROBOT);

  const std::string text = read_file(kSource + "/scenarios/box_on_slope.yaml");
  EXPECT_EQ(ask_text(handler, text).error.code, msg::Error::NONE);
  EXPECT_EQ(ask_text(handler, text, {"contacts.bottom.mu=0.3"}).verdict.value, msg::Verdict::FAILS);
  EXPECT_EQ(ask_text(handler, text, {"contacts.bottom.mu"}).error.code, msg::Error::BAD_SCENARIO);
  EXPECT_THAT(ask_text(handler, text, {"a=1", "=2"}).error.message, StartsWith("overrides[1]: want PATH=VALUE"));
  EXPECT_EQ(ask_text(handler, "stiction: 2").error.code, msg::Error::BAD_SCENARIO);
  EXPECT_THAT(ask_text(handler, "stiction: 2").error.message, StartsWith("scenario:1:11: stiction: want version 1"));
  EXPECT_EQ(ask_text(handler, std::string(1 << 21, '#')).error.code, msg::Error::TOO_LARGE);
  CheckScenario::Request elsewhere;
  elsewhere.scenario = text;
  elsewhere.folder = "/nowhere";
  CheckScenario::Response response;
  handler.check_scenario(elsewhere, response);
  EXPECT_EQ(response.error.code, msg::Error::BAD_SCENARIO);
  EXPECT_THAT(response.error.message, HasSubstr("/urdf/box.urdf"));

  EXPECT_EQ(ask(handler, good).error.code, msg::Error::NONE) << "and it goes on";
}

TEST(RequestHandler, WhatTakesTooLongOrIsCancelledEnds)
{
  bool cancelled = false;
  RequestLimits limits;
  limits.time = 1e-6;
  RequestHandler hasty(limits, [&] { return cancelled; });
  const msg::Scenario good = gallery("biped_standing");
  CheckBatch::Request batch;
  batch.scenario = good;
  batch.joint_states.resize(1000);
  CheckBatch::Response rows;
  const std::string text = read_file(kSource + "/scenarios/biped_standing.yaml");
  for (const bool by_client : {false, true}) {
    cancelled = by_client;
    const int code = by_client ? msg::Error::CANCELLED : msg::Error::TOO_LONG;
    EXPECT_EQ(ask(hasty, good).error.code, code);
    EXPECT_EQ(ask(hasty, good).result, msg::Result());
    EXPECT_EQ(ask_text(hasty, text).error.code, code);
    hasty.check_batch(batch, rows);
    EXPECT_EQ(rows.error.code, code) << rows.error.message;
    EXPECT_THAT(rows.error.message, HasSubstr("0 of 1000 states were answered"));
    EXPECT_TRUE(rows.results.empty());
  }
  limits.time = 0.0;  // any
  int asked = 0;
  RequestHandler patient(limits, [&] { return ++asked > 500; });
  patient.check_batch(batch, rows);
  EXPECT_EQ(rows.error.code, msg::Error::CANCELLED);
  EXPECT_THAT(rows.error.message, Not(HasSubstr(": 0 of")));
  EXPECT_TRUE(rows.results.empty());
  asked = -1000000;
  EXPECT_EQ(ask(patient, good), ask(*std::make_unique<RequestHandler>(), good)) << "and it goes on";
  limits.time = kNan;
  EXPECT_THROW(RequestHandler{limits}, stiction::InputError);
}

TEST(RequestHandler, ReadsRegularFilesOnly)
{
  RequestHandler handler;
  const std::string pipe = testing::TempDir() + "stiction_pipe_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& file : {std::string("/dev/zero"), std::string("/dev/stdin"), pipe, testing::TempDir()}) {
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = ask_text(handler, "{stiction: 1, models: {robot: {urdf: " + file + "}}}");
    EXPECT_EQ(answer.error.code, msg::Error::BAD_SCENARIO);
    EXPECT_THAT(answer.error.message, HasSubstr("models.robot.urdf: want a regular file, got '" + file + "'"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  }
  std::filesystem::remove(pipe);
}

TEST(RequestHandler, ScenarioTextsHaveTheSameLimits)
{
  RequestLimits limits;
  limits.contact_points = 3;
  RequestHandler handler(limits);
  const std::string text = read_file(kSource + "/scenarios/box_on_slope.yaml");  // a patch of four points
  EXPECT_EQ(ask_text(handler, text).error.code, msg::Error::TOO_LARGE);
  limits.contact_points = 4;
  RequestHandler larger(limits);
  EXPECT_EQ(ask_text(larger, text).error.code, msg::Error::NONE);
}

TEST(RequestHandler, ErrorsNameTheFieldsOfTheMessage)
{
  const auto path_of = [](const msg::Scenario& scenario) {
    RequestHandler handler;
    const std::string message = ask(handler, scenario).error.message;
    return message.substr(0, message.find(": "));
  };
  using M = msg::Scenario;
  const std::vector<std::pair<const char*, std::function<void(M&)>>> cases = {
      {"contacts[1].points", [](M& m) { m.contacts[1].points.clear(); }},
      {"contacts[0].on_link", [](M& m) { m.contacts[0].on_link = "robot/no_such_link"; }},
      {"contacts[1].slides[0]", [](M& m) { m.contacts[1].slides.resize(1); }},
      {"models[0].pose.position", [](M& m) { m.models[0].pose.position.x = kNan; }},
      {"models[0].joint_state.position[1]", [](M& m) { m.models[0].joint_state.position[1] = kNan; }},
      {"models[0].joint_state.velocity[0]",
       [](M& m) {
         m.models[0].joint_state.velocity.assign(m.models[0].joint_state.name.size(), 0.0);
         m.models[0].joint_state.velocity[0] = kNan;
       }},
      {"models[0].joint_state.position[0]", [](M& m) { m.models[0].joint_state.name[0] = "no_such_joint"; }},
  };
  for (const auto& [field, spoil] : cases) {
    M scenario = gallery("biped_standing");
    spoil(scenario);
    EXPECT_EQ(path_of(scenario), field);
  }
  RequestHandler handler;
  const std::string text = read_file(kSource + "/scenarios/box_on_slope.yaml");
  EXPECT_THAT(ask_text(handler, text, {"gravity=[0, 0, -9]", "contacts.bottom.mu=-1"}).error.message,
              StartsWith("overrides[1]"));
}

/// One way to spoil a request that is always wrong.
struct Spoiler {
  const char* name;
  std::function<void(msg::Scenario&, std::mt19937&)> spoil;
};

double bad_number(std::mt19937& rng)
{
  constexpr double kBad[] = {kNan, stiction::kInfinity, -stiction::kInfinity};
  return kBad[rng() % 3];
}

double negative_or_bad(std::mt19937& rng) { return rng() % 2 ? -1e-9 - static_cast<double>(rng()) : bad_number(rng); }

template <class Vector>
void spoil_vector(Vector& vector, std::mt19937& rng)
{
  (rng() % 3 == 0 ? vector.x : rng() % 2 ? vector.y : vector.z) = bad_number(rng);
}

std::string garbage(std::mt19937& rng)
{
  std::string text(1 + rng() % 40, '?');
  for (char& c : text) c = static_cast<char>(1 + rng() % 255);
  return "no such " + text;
}

std::uint8_t beyond(unsigned last, std::mt19937& rng)
{
  return static_cast<std::uint8_t>(last + 1 + rng() % (255 - last));
}

template <class List>
auto& any(List& list, std::mt19937& rng)
{
  return list[rng() % list.size()];
}

/// The request has contacts, a load and joints with positions, velocities and given efforts.
std::vector<Spoiler> spoilers()
{
  using M = msg::Scenario;
  using R = std::mt19937;
  return {
      {"gravity", [](M& m, R& r) { m.gravity[r() % 3] = bad_number(r); }},
      {"question", [](M& m, R& r) { m.question = r() % 2 ? garbage(r) : ""; }},
      {"model name", [](M& m, R& r) { m.models[0].name = r() % 2 ? "a/b" : "world"; }},
      {"same model twice", [](M& m, R&) { m.models.push_back(m.models[0]); }},
      {"urdf garbage", [](M& m, R& r) { m.models[0].urdf = garbage(r); }},
      {"urdf cut", [](M& m, R& r) { m.models[0].urdf.resize(1 + r() % (m.models[0].urdf.size() - 10)); }},
      {"base", [](M& m, R& r) { m.models[0].base = beyond(1, r); }},
      {"quaternion", [](M& m, R& r) { m.models[0].pose.orientation.w = r() % 2 ? bad_number(r) : 2.0; }},
      {"position", [](M& m, R& r) { spoil_vector(m.models[0].pose.position, r); }},
      {"twist", [](M& m, R& r) { spoil_vector(r() % 2 ? m.models[0].twist.linear : m.models[0].twist.angular, r); }},
      {"acceleration",
       [](M& m, R& r) {
         spoil_vector(r() % 2 ? m.models[0].acceleration.linear : m.models[0].acceleration.angular, r);
       }},
      {"moving contact", [](M& m, R& r) { m.models[0].twist.linear.x = 1.0 + r() % 9; }},
      {"joint name", [](M& m, R& r) { any(m.models[0].joint_state.name, r) = r() % 2 ? garbage(r) : ""; }},
      {"joint twice", [](M& m, R&) { m.models[0].joint_state.name[0] = m.models[0].joint_state.name[1]; }},
      {"joint position", [](M& m, R& r) { any(m.models[0].joint_state.position, r) = bad_number(r); }},
      {"joint velocity", [](M& m, R& r) { any(m.models[0].joint_state.velocity, r) = bad_number(r); }},
      {"joint effort", [](M& m, R& r) { any(m.models[0].joint_state.effort, r) = bad_number(r); }},
      {"too few positions", [](M& m, R&) { m.models[0].joint_state.position.resize(1); }},
      {"too many velocities", [](M& m, R& r) { m.models[0].joint_state.velocity.resize(100 + r() % 1000); }},
      {"too few efforts", [](M& m, R& r) { m.models[0].joint_state.effort.resize(r() % 2); }},
      {"joint accelerations", [](M& m, R& r) { m.models[0].joint_acceleration.resize(50 + r() % 10); }},
      {"joint vector", [](M& m, R& r) { m.models[0].joint_vectors.resize(1 + r() % 2); }},
      {"effort kind", [](M& m, R& r) { m.models[0].effort = beyond(3, r); }},
      {"efforts to be found",
       [](M& m, R& r) { m.models[0].effort = r() % 2 ? msg::Model::EFFORT_LIMITS : msg::Model::EFFORT_UNLIMITED; }},
      {"load link", [](M& m, R& r) { m.loads[0].link = r() % 2 ? garbage(r) : ""; }},
      {"load", [](M& m, R& r) { r() % 2 ? spoil_vector(m.loads[0].force, r) : spoil_vector(m.loads[0].torque, r); }},
      {"load point", [](M& m, R& r) { spoil_vector(m.loads[0].at, r); }},
      {"load frame", [](M& m, R& r) { m.loads[0].frame = beyond(1, r); }},
      {"contact name", [](M& m, R& r) { any(m.contacts, r).name.clear(); }},
      {"contact twice", [](M& m, R& r) { m.contacts.push_back(any(m.contacts, r)); }},
      {"contact link", [](M& m, R& r) { any(m.contacts, r).link = r() % 3   ? garbage(r)
                                                                  : r() % 2 ? ""
                                                                            : "world"; }},
      {"contact on", [](M& m, R& r) { any(m.contacts, r).on_link = garbage(r); }},
      {"contact on itself",
       [](M& m, R& r) {
         auto& c = any(m.contacts, r);
         c.on_link = c.link;
       }},
      {"no points", [](M& m, R& r) { any(m.contacts, r).points.clear(); }},
      {"point", [](M& m, R& r) { spoil_vector(any(any(m.contacts, r).points, r), r); }},
      {"at_frame", [](M& m, R& r) { any(m.contacts, r).at_frame = beyond(2, r); }},
      {"normal", [](M& m, R& r) { any(m.contacts, r).normal.z = r() % 2 ? 0.0 : 1.0001; }},
      {"normal number", [](M& m, R& r) { spoil_vector(any(m.contacts, r).normal, r); }},
      {"normal_frame", [](M& m, R& r) { any(m.contacts, r).normal_frame = beyond(2, r); }},
      {"mu", [](M& m, R& r) { any(m.contacts, r).mu = negative_or_bad(r); }},
      {"side", [](M& m, R& r) { any(m.contacts, r).side = beyond(1, r); }},
      {"torsion", [](M& m, R& r) { any(m.contacts, r).torsion = negative_or_bad(r); }},
      {"max_normal", [](M& m, R& r) { any(m.contacts, r).max_normal = kNan; }},
      {"slides", [](M& m, R& r) { any(m.contacts, r).slides.resize(1); }},
      {"restitution",
       [](M& m, R& r) {
         (r() % 2 ? m.contacts[0].restitution_normal : m.contacts[0].restitution_tangential) = bad_number(r);
       }},
      {"spin", [](M& m, R& r) { m.contacts[0].restitution_spin = bad_number(r); }},
      {"mu_second", [](M& m, R& r) { m.contacts[0].mu_second.assign(1, negative_or_bad(r)); }},
      {"modes", [](M& m, R& r) { m.options.modes.assign(std::size_t{1}, r() % 2 ? 0u : 2000000u); }},
      {"tangential", [](M& m, R& r) { m.options.tangential = garbage(r); }},
      {"closure", [](M& m, R&) { m.closures.resize(1); }},
      {"closure kind",
       [](M& m, R& r) {
         m.closures.resize(1);
         m.closures[0].kind = beyond(2, r);
       }},
      {"cone", [](M& m, R& r) { m.options.cone = beyond(2, r); }},
      {"facets",
       [](M& m, R& r) {
         m.options.cone = 1 + r() % 2;
         m.options.facets = r() % 2 ? r() % 3 : 5000 + r() % 4000000000u;
       }},
      {"detachment", [](M& m, R& r) { m.options.detachment = beyond(2, r); }},
      {"solver", [](M& m, R& r) { m.options.solver = r() % 2 ? garbage(r) : ""; }},
      {"extras",
       [](M& m, R& r) {
         (r() % 3 == 0 ? m.options.intervals : r() % 2 ? m.options.margins : m.options.repairs) = beyond(2, r);
       }},
      {"push",
       [](M& m, R& r) {
         m.options.push.resize(1);
         m.options.push[0].direction.x = r() % 2 ? kNan : 3.0;
       }},
      {"push kind",
       [](M& m, R& r) {
         m.options.push.resize(1);
         m.options.push[0].kind = beyond(2, r);
       }},
      {"positive options",
       [](M& m, R& r) {
         (r() % 3 == 0 ? m.options.gap
          : r() % 2    ? m.options.box
                       : m.options.length)
             .assign(1, r() % 2 ? 0.0 : negative_or_bad(r));
       }},
      {"plane", [](M& m, R& r) { m.options.plane = garbage(r); }},
      {"point option",
       [](M& m, R& r) {
         m.options.point.resize(1);
         spoil_vector(m.options.point[0], r);
       }},
      {"wrench",
       [](M& m, R& r) {
         m.options.wrench.resize(1);
         spoil_vector(m.options.wrench[0].torque, r);
       }},
      {"noise",
       [](M& m, R& r) {
         m.options.noise.resize(1);
         m.options.noise[0].angle = negative_or_bad(r);
       }},
      {"samples",
       [](M& m, R& r) {
         m.options.noise.resize(1);
         m.options.noise[0].samples = r() % 2 ? 0 : 4000000000u;
       }},
      {"too many points", [](M& m, R& r) { any(m.contacts, r).points.resize(5000); }},
  };
}

/// A request in which everything that spoilers touch is there.
msg::Scenario loaded_request()
{
  msg::Scenario scenario = gallery("biped_standing");
  scenario.models[0].joint_state.velocity.assign(scenario.models[0].joint_state.name.size(), 0.0);
  scenario.loads.resize(1);
  scenario.loads[0].link = "torso";
  scenario.loads[0].force.x = 0.1;
  return scenario;
}

/// Every name in the path with which a message begins is a field of some message.
void expect_fields(const std::string& message)
{
  static const std::set<std::string> fields = [] {
    std::set<std::string> names = {"position", "orientation", "linear", "angular", "velocity",
                                   "effort",   "name",        "force",  "torque"};  // of other packages' messages
    for (const auto& file : std::filesystem::directory_iterator(kSource + "/ros2_ws/src/stiction_msgs/msg")) {
      std::istringstream lines(read_file(file.path()));
      for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string type, name;
        if (words >> type >> name && name.find('=') == name.npos) names.insert(name);
      }
    }
    return names;
  }();
  const std::string path = message.substr(0, message.find(": "));
  std::string name;
  for (const char c : path + ".") {
    if (c != '.') {
      name += c;
      continue;
    }
    EXPECT_TRUE(fields.contains(name.substr(0, name.find('[')))) << message;
    name.clear();
  }
}

TEST(RequestHandler, AThousandMalformedRequestsAreRefused)
{
  std::mt19937 rng{9};
  RequestHandler handler;
  const msg::Scenario good = loaded_request();
  const Check::Response wanted = ask(handler, good);
  ASSERT_EQ(wanted.error.code, msg::Error::NONE) << wanted.error.message;
  const std::vector<Spoiler> ways = spoilers();
  for (std::size_t i = 0; i < 1000; ++i) {
    const Spoiler& way = i < ways.size() ? ways[i] : ways[rng() % ways.size()];  // each at least once
    SCOPED_TRACE(way.name);
    CheckBatch::Request batch;
    batch.scenario = good;
    way.spoil(batch.scenario, rng);
    const Check::Response response = ask(handler, batch.scenario);
    EXPECT_NE(response.error.code, msg::Error::NONE);
    EXPECT_NE(response.error.code, msg::Error::INTERNAL) << response.error.message;
    EXPECT_GE(response.error.message.size(), 10u);
    EXPECT_EQ(response.result, msg::Result());
    if (response.error.code != msg::Error::TOO_LARGE) expect_fields(response.error.message);
    if (i % 10 != 0) continue;
    batch.joint_states.resize(2);
    CheckBatch::Response results;
    handler.check_batch(batch, results);
    if (results.error.code == msg::Error::NONE) {  // a state that does not suit the question
      ASSERT_EQ(results.results.size(), 2u);
      EXPECT_EQ(results.results[1].error.code, msg::Error::BAD_REQUEST);
    }
    EXPECT_EQ(ask(handler, good), wanted) << "the next request must not notice";
  }
}

TEST(RequestHandler, MalformedTextsAreRefused)
{
  std::mt19937 rng{10};
  RequestHandler handler;
  const std::string good = read_file(kSource + "/scenarios/box_on_slope.yaml");
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    std::string text = good;
    for (unsigned k = 0; k <= rng() % 4; ++k) {
      const std::size_t at = rng() % text.size();
      if (i % 3 == 0)
        text.resize(at + 1);
      else if (i % 3 == 1)
        text[at] = static_cast<char>(rng());
      else
        text.insert(at, garbage(rng));
    }
    const CheckScenario::Response response = ask_text(handler, text);
    if (response.error.code == msg::Error::NONE) continue;  // a change in a comment, or another good number
    ++refused;
    EXPECT_EQ(response.error.code, msg::Error::BAD_SCENARIO) << response.error.message;
    EXPECT_FALSE(response.error.message.empty());
    EXPECT_TRUE(response.report.empty());
  }
  EXPECT_GT(refused, 250);
  // Deep and long ones, which must not eat the stack.
  for (const char* open : {"[", "{a: ", "- "}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += open;
    EXPECT_EQ(ask_text(handler, deep).error.code, msg::Error::BAD_SCENARIO);
  }
  std::string nested = "<robot name='r'>";
  for (int i = 0; i < 100000; ++i) nested += "<link>";
  msg::Scenario scenario = loaded_request();
  scenario.models[0].urdf = nested;
  EXPECT_EQ(ask(handler, scenario).error.code, msg::Error::BAD_ROBOT);
  std::string chain = "<robot name='r'><link name='l0'/>";
  for (int i = 1; i <= 20000; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    chain += "<link name='l" + n + "'/><joint name='j" + n + "' type='continuous'><parent link='l" + before +
             "'/><child link='l" + n + "'/></joint>";
  }
  scenario.models[0].urdf = chain + "</robot>";
  EXPECT_EQ(ask(handler, scenario).error.code, msg::Error::BAD_ROBOT);
}

}  // namespace
}  // namespace stiction_ros
