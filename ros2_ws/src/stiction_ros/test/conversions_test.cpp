#include "stiction_ros/conversions.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <regex>
#include <sstream>

#include "stiction/error.hpp"

namespace stiction_ros {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// Every key of a scenario file, each with a value of its own.
constexpr const char* kEverything = R"(
stiction: 1
name: everything
gravity: [0.1, 0.2, -9.7]
models:
  robot:
    urdf: robot.urdf
    base: fixed
    pose: {xyz: [1, 2, 3], rpy: [0, 0, 0]}
    joints: {knee: 0.4, plane: [0.5, 0.6, 0.7]}
    rates: {knee: 0.8, plane: [0.9, 1.0, 1.1]}
    twist: {linear: [1.2, 1.3, 1.4], angular: [1.5, 1.6, 1.7]}
    accelerations: {knee: 1.8, plane: [1.9, 2.0, 2.1]}
    acceleration: {linear: [2.2, 2.3, 2.4], angular: [2.5, 2.6, 2.7]}
    effort: {knee: 2.8}
  mug: {urdf: mug.urdf, effort: limits}
loads:
  - {link: robot/torso, force: [3, 3.1, 3.2], torque: [3.3, 3.4, 3.5], at: [3.6, 3.7, 3.8], frame: link}
contacts:
  - name: toe
    link: robot/sole
    on: mug/mug
    points: [[4, 4.1, 4.2], [4.3, 4.4, 4.5]]
    at_frame: world
    normal: [0, 0.6, 0.8]
    normal_frame: on
    mu: 4.6
    side: bilateral
    torsion: 4.7
    max_normal: 4.8
    slides: [4.9, 5, 5.1]
    restitution: {normal: 0.52, tangential: 0.53, spin: 0.54}
    one_way: true
    mu_second: 0.55
closures:
  - {name: rail, link: robot/a, on: mug/b, at: [5.4, 5.5, 5.6], kind: guide, normal: [0.8, 0, 0.6]}
question: equilibrium
options:
  cone: {outer: 12}
  detachment: forbidden
  solver: qpoases
  intervals: true
  margins: false
  object: mug
  push: {link: robot/torso, at: [6, 6.1, 6.2], direction: [0.6, 0.8, 0]}
  gap: 0.063
  box: 6.4
  plane: yz
  length: 6.5
  point: [6.6, 6.7, 6.8]
  wrench: {force: [7, 7.1, 7.2], torque: [7.3, 7.4, 7.5]}
  noise: {position: 0.076, angle: 0.077, samples: 78, seed: 79}
  modes: 80
  tangential: left_out
)";

/// What the generated code prints of its message, with shorter numbers.
const std::string kEveryField = R"({name: "everything", gravity: [0.1, 0.2, -9.7],
  models: [{name: "robot", urdf: "<robot.urdf/>", base: 1,
    pose: {position: {x: 1, y: 2, z: 3}, orientation: {x: 0, y: 0, z: 0, w: 1}},
    twist: {linear: {x: 1.2, y: 1.3, z: 1.4}, angular: {x: 1.5, y: 1.6, z: 1.7}},
    acceleration: {linear: {x: 2.2, y: 2.3, z: 2.4}, angular: {x: 2.5, y: 2.6, z: 2.7}},
    joint_state: {header: {stamp: {sec: 0, nanosec: 0}, frame_id: ""}, name: ["knee"], position: [0.4], velocity: [0.8], effort: [2.8]},
    joint_acceleration: [1.8],
    joint_vectors: [{name: "plane", position: [0.5, 0.6, 0.7], velocity: [0.9, 1, 1.1], acceleration: [1.9, 2, 2.1]}], effort: 3},
   {name: "mug", urdf: "<mug.urdf/>", base: 0,
    pose: {position: {x: 0, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}},
    twist: {linear: {x: 0, y: 0, z: 0}, angular: {x: 0, y: 0, z: 0}},
    acceleration: {linear: {x: 0, y: 0, z: 0}, angular: {x: 0, y: 0, z: 0}},
    joint_state: {header: {stamp: {sec: 0, nanosec: 0}, frame_id: ""}, name: [], position: [], velocity: [], effort: []},
    joint_acceleration: [], joint_vectors: [], effort: 1}],
  loads: [{link: "robot/torso", force: {x: 3, y: 3.1, z: 3.2}, torque: {x: 3.3, y: 3.4, z: 3.5}, at: {x: 3.6, y: 3.7, z: 3.8}, frame: 1}],
  contacts: [{name: "toe", link: "robot/sole", on_link: "mug/mug", points: [{x: 4, y: 4.1, z: 4.2}, {x: 4.3, y: 4.4, z: 4.5}], patch: true,
    at_frame: 1, normal: {x: 0, y: 0.6, z: 0.8}, normal_frame: 2, mu: 4.6, side: 1, torsion: 4.7, max_normal: 4.8,
    slides: [{x: 4.9, y: 5, z: 5.1}], restitution_normal: 0.52, restitution_tangential: 0.53,
    restitution_spin: 0.54, one_way: true, mu_second: [0.55]}],
  closures: [{name: "rail", link: "robot/a", on_link: "mug/b", at: {x: 5.4, y: 5.5, z: 5.6}, kind: 2, normal: {x: 0.8, y: 0, z: 0.6}}],
  question: "equilibrium",
  options: {cone: 2, facets: 12, detachment: 1, solver: "qpoases", object: "mug", intervals: 1, margins: 2, repairs: 0,
    push: [{kind: 0, link: "robot/torso", at: {x: 6, y: 6.1, z: 6.2}, direction: {x: 0.6, y: 0.8, z: 0}}],
    gap: [0.063], box: [6.4], plane: "yz", length: [6.5], point: [{x: 6.6, y: 6.7, z: 6.8}],
    wrench: [{force: {x: 7, y: 7.1, z: 7.2}, torque: {x: 7.3, y: 7.4, z: 7.5}}],
    noise: [{position: 0.076, angle: 0.077, samples: 78, seed: 79}], modes: [80], tangential: "left_out"}})";

/// With the URDFs in memory, as messages want them.
stiction::Scenario everything(const std::vector<stiction::ScenarioOverride>& overrides = {})
{
  stiction::Scenario scenario = stiction::read_scenario_text(kEverything, "", "scenario", overrides);
  for (auto& model : scenario.scene.models) model.urdf_text = "<" + std::exchange(model.urdf_file, "") + "/>";
  return scenario;
}

std::string error_of(const msg::Scenario& message)
{
  try {
    to_scenario(message, "<robot/>");
  } catch (const stiction::InputError& error) {
    return error.what();
  }
  return "no error";
}

// The generated code prints every field of a message, so one that is forgotten shows here.
TEST(Conversions, EveryFieldIsInTheMessage)
{
  std::ostringstream text;
  stiction_msgs::msg::to_flow_style_yaml(to_message(everything()), text);
  std::string printed = std::regex_replace(text.str(), std::regex("(\\.\\d*?)0+(?=[,}\\]])"), "$1");
  printed = std::regex_replace(printed, std::regex("\\.(?=[,}\\]])"), "");
  EXPECT_EQ(printed, std::regex_replace(kEveryField, std::regex(",\n *"), ", "));
}

TEST(Conversions, EveryFieldComesBack)
{
  for (const auto& overrides : std::vector<std::vector<stiction::ScenarioOverride>>{
           {},
           {{"models.robot.base", "floating"}, {"models.robot.effort", "unlimited"}, {"models.mug.effort", "none"}},
           {{"contacts.toe.at_frame", "link"},
            {"contacts.toe.normal_frame", "world"},
            {"contacts.toe.side", "unilateral"}},
           {{"contacts.toe.at_frame", "on"}, {"contacts.toe.normal_frame", "link"}, {"contacts.toe.on", "world"}},
           {{"loads.0.frame", "world"}, {"closures.rail", "{name: pin, link: robot/a, kind: pin}"}},
           {{"closures.rail", "{name: weld, link: robot/a, kind: weld}"}, {"question", "closure"}},
           {{"options.cone", "{inner: 5}"},
            {"options.detachment", "allowed"},
            {"options.push.direction", "horizontal"}},
           {{"options", "{repairs: false, margins: true, push: {link: robot/a, direction: any}}"},
            {"question", "region"}},
           {{"options", "{}"}, {"contacts", "[{name: a, link: robot/b, at: [1, 2, 3], normal: [0, 0, 1], mu: 0}]"}}}) {
    const stiction::Scenario scenario = everything(overrides);
    const msg::Scenario message = to_message(scenario);
    const stiction::Scenario back = to_scenario(message, "");
    EXPECT_TRUE(to_message(back) == message);
    EXPECT_TRUE(back.scene.models == scenario.scene.models);
    EXPECT_TRUE(back.scene.loads == scenario.scene.loads);
    EXPECT_TRUE(back.scene.contacts == scenario.scene.contacts);
    EXPECT_TRUE(back.scene.loops == scenario.scene.loops);
    EXPECT_EQ(back.question, scenario.question);
  }
}

TEST(Conversions, NamesAndDefaults)
{
  msg::Scenario message;
  EXPECT_EQ(message.gravity[2], -9.81);
  message.contacts.resize(1);
  message.contacts[0].link = "sole";
  message.loads.resize(1);
  message.loads[0].link = "torso";
  message.closures.resize(1);
  message.closures[0].link = "a";
  message.closures[0].on_link = "world";
  message.options.push.resize(1);
  message.options.push[0].link = "left/torso";  // no model is called left
  stiction::Scenario scenario = to_scenario(message, "<robot/>");
  ASSERT_EQ(scenario.scene.models.size(), 1u);
  EXPECT_EQ(scenario.scene.models[0].name, "robot");
  EXPECT_EQ(scenario.scene.models[0].urdf_text, "<robot/>");
  EXPECT_EQ(scenario.scene.models[0].base, stiction::Base::kFloating);
  EXPECT_EQ(scenario.scene.contacts[0].link, "robot/sole");
  EXPECT_EQ(scenario.scene.contacts[0].on, "world");
  EXPECT_EQ(scenario.scene.contacts[0].max_normal, stiction::kInfinity);
  EXPECT_EQ(scenario.scene.loads[0].link, "robot/torso");
  EXPECT_EQ(scenario.scene.loops[0].link, "robot/a");
  EXPECT_EQ(scenario.scene.loops[0].on, "world");
  EXPECT_EQ(scenario.options.push->link, "robot/left/torso");
  EXPECT_EQ(scenario.question, stiction::Question::kAllSticking);
  EXPECT_EQ(scenario.options.solver, "auto");

  message.models.resize(2);
  message.models[0].name = "hand";
  message.models[0].urdf = "<hand/>";
  message.contacts[0].max_normal = 0.0;  // a limit, not its absence
  scenario = to_scenario(message, "<robot/>");
  EXPECT_EQ(scenario.scene.contacts[0].link, "hand/sole");
  EXPECT_EQ(scenario.scene.contacts[0].max_normal, 0.0);
  EXPECT_EQ(scenario.scene.models[0].urdf_text, "<hand/>");
  EXPECT_EQ(scenario.scene.models[1].urdf_text, "<robot/>");
}

Eigen::Matrix3d rotation(const Eigen::Vector3d& rpy)  // as URDF defines it, written out
{
  const double r = rpy.x(), p = rpy.y(), y = rpy.z();
  Eigen::Matrix3d x, yy, z;
  x << 1, 0, 0, 0, std::cos(r), -std::sin(r), 0, std::sin(r), std::cos(r);
  yy << std::cos(p), 0, std::sin(p), 0, 1, 0, -std::sin(p), 0, std::cos(p);
  z << std::cos(y), -std::sin(y), 0, std::sin(y), std::cos(y), 0, 0, 0, 1;
  return z * yy * x;
}

TEST(Conversions, RotationsAreTheSameInBothNotations)
{
  std::mt19937 rng{3};
  std::uniform_real_distribution<double> angle(-4.0, 4.0);
  for (int i = 0; i < 2000; ++i) {
    stiction::Pose pose;
    pose.xyz = {angle(rng), angle(rng), angle(rng)};
    pose.rpy = {angle(rng), angle(rng), angle(rng)};
    if (i % 4 == 1) pose.rpy.y() = M_PI_2;                                 // roll and yaw are not unique there
    if (i % 4 == 2) pose.rpy.y() = -M_PI_2 + std::pow(10.0, -1 - i % 16);  // nor, in doubles, near it
    const geometry_msgs::msg::Pose message = to_message(pose);
    const stiction::Pose back = to_pose(message, "pose");
    EXPECT_EQ(back.xyz, pose.xyz);
    EXPECT_LT((rotation(back.rpy) - rotation(pose.rpy)).cwiseAbs().maxCoeff(), 1e-14) << pose.rpy.transpose();
    const auto& q = message.orientation;  // q v q* by hand
    const Eigen::Vector3d u(q.x, q.y, q.z), v(0.3, -0.5, 0.8);
    const Eigen::Vector3d turned = v + 2.0 * u.cross(u.cross(v) + q.w * v);
    EXPECT_LT((turned - rotation(pose.rpy) * v).norm(), 1e-14);
  }
}

TEST(Conversions, QuaternionsOfSinglePrecisionAreUsedOthersAreNot)
{
  geometry_msgs::msg::Pose pose;
  pose.orientation.w = pose.orientation.x = static_cast<float>(std::sqrt(0.5));
  EXPECT_NEAR(to_pose(pose, "pose").rpy.x(), M_PI_2, 1e-15);
  pose.orientation.w = 0.9;
  EXPECT_THROW(to_pose(pose, "pose"), stiction::InputError);
  pose.orientation.w = pose.orientation.x = 0.0;
  EXPECT_THROW(to_pose(pose, "pose"), stiction::InputError);
}

TEST(Conversions, JointStatesReplaceWhatTheyName)
{
  stiction::ModelDescription model;
  model.joints = {{"a", 1.0}, {"b", 2.0}};
  sensor_msgs::msg::JointState state;
  state.name = {"b", "c"};
  state.position = {3.0, 4.0};
  state.effort = {5.0, 6.0};
  set_joint_state(state, "s", model);
  EXPECT_EQ(model.joints, (std::map<std::string, double>{{"a", 1.0}, {"b", 3.0}, {"c", 4.0}}));
  EXPECT_TRUE(model.rates.empty());
  EXPECT_TRUE(model.effort.given.empty()) << "efforts count only where they are given";
  model.effort.kind = stiction::Effort::Kind::kGiven;
  state.velocity = {7.0, 8.0};
  set_joint_state(state, "s", model);
  EXPECT_EQ(model.rates, (std::map<std::string, double>{{"b", 7.0}, {"c", 8.0}}));
  EXPECT_EQ(model.effort.given, (std::map<std::string, double>{{"b", 5.0}, {"c", 6.0}}));
}

TEST(Conversions, ErrorsNameTheEntry)
{
  struct Case {
    const char* want;
    void (*spoil)(msg::Scenario& message);
  };
  using M = msg::Scenario;
  const Case cases[] = {
      {"models[0].base: want 0 to 1, got 2", [](M& m) { m.models[0].base = 2; }},
      {"models[1].effort: want 0 to 3, got 4", [](M& m) { m.models[1].effort = 4; }},
      {"models[0].pose.orientation: want a unit quaternion, got norm 0",
       [](M& m) { m.models[0].pose.orientation.w = 0; }},
      {"models[0].joint_state.position: want none or one per name (1), got 2",
       [](M& m) { m.models[0].joint_state.position.push_back(0); }},
      {"models[0].joint_state.velocity: want none", [](M& m) { m.models[0].joint_state.velocity = {1, 2, 3}; }},
      {"models[0].joint_state.effort: want none", [](M& m) { m.models[0].joint_state.effort = {1, 2, 3}; }},
      {"models[0].joint_state.effort: want one per name where", [](M& m) { m.models[0].joint_state.effort.clear(); }},
      {"models[0].joint_state.name[1]: want each joint once, got 'knee' twice",
       [](M& m) {
         m.models[0].joint_state.name.push_back("knee");
         m.models[0].joint_state.position.push_back(0);
         m.models[0].joint_state.velocity.clear();
         m.models[0].joint_state.effort = {1, 2};
       }},
      {"models[0].joint_acceleration: want none", [](M& m) { m.models[0].joint_acceleration = {1, 2}; }},
      {"models[0].joint_vectors[1].name: want each joint once",
       [](M& m) { m.models[0].joint_vectors.push_back(m.models[0].joint_vectors[0]); }},
      {"loads[0].frame: want 0 to 1", [](M& m) { m.loads[0].frame = 9; }},
      {"contacts[0].at_frame: want 0 to 2", [](M& m) { m.contacts[0].at_frame = 3; }},
      {"contacts[0].normal_frame: want 0 to 2", [](M& m) { m.contacts[0].normal_frame = 255; }},
      {"contacts[0].side: want 0 to 1", [](M& m) { m.contacts[0].side = 2; }},
      {"closures[0].kind: want 0 to 2", [](M& m) { m.closures[0].kind = 3; }},
      {"question: want a question that this version answers", [](M& m) { m.question = "why"; }},
      {"options.cone: want 0 to 2", [](M& m) { m.options.cone = 3; }},
      {"options.detachment: want 0 to 2", [](M& m) { m.options.detachment = 3; }},
      {"options.intervals: want 0 to 2", [](M& m) { m.options.intervals = 3; }},
      {"options.margins: want 0 to 2", [](M& m) { m.options.margins = 3; }},
      {"options.repairs: want 0 to 2", [](M& m) { m.options.repairs = 3; }},
      {"options.push.kind: want 0 to 2", [](M& m) { m.options.push[0].kind = 3; }},
  };
  EXPECT_EQ(error_of(to_message(everything())), "no error");
  for (const Case& test : cases) {
    msg::Scenario message = to_message(everything());
    test.spoil(message);
    EXPECT_THAT(error_of(message), StartsWith(test.want));
  }
}

TEST(Conversions, MessagesNeedPositionsAndTexts)
{
  stiction::ModelDescription model;
  model.name = "m";
  model.urdf_file = "m.urdf";
  EXPECT_THROW(to_message(model), stiction::InputError);
  model.urdf_file.clear();
  model.rates["a"] = 1.0;
  EXPECT_THROW(to_message(model), stiction::InputError);
  model.joints["a"] = 0.0;
  EXPECT_THAT(to_message(model).joint_state.velocity, ElementsAre(1.0));
}

stiction::ReportedContact contact_that(stiction::ContactState state)
{
  stiction::ReportedContact contact;
  contact.found.state = state;
  return contact;
}

/// A report with everything that answers have in common.
stiction::ScenarioReport everything_reported()
{
  using State = stiction::ContactState;
  using MarginState = stiction::Margin::State;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN(), kInfinity = stiction::kInfinity;
  stiction::ScenarioReport report;
  report.verdict = stiction::Verdict::kFails;
  report.summary = "slips";
  stiction::ReportedContact a = contact_that(State::kRim), b = contact_that(State::kSticking);
  a.name = "a";
  a.found.force = {1.5, 2.5, 3.5, 8.0};
  a.force_W = Eigen::Vector3d(4, 5, 6);
  a.found.utilisation = kInfinity;
  a.found.normal_interval = {MarginState::kKnown, -kInfinity, 7.0, ""};
  b.name = "b";  // of an impact
  b.found.force.setConstant(kNone);
  b.found.unique = false;
  report.contacts = {a,
                     b,
                     contact_that(State::kSticking),
                     contact_that(State::kSliding),
                     contact_that(State::kDetaching),
                     contact_that(State::kUnloaded)};
  report.problem.contacts.resize(report.contacts.size());
  report.contacts[2].force_W = Eigen::Vector3d::Zero();
  report.contacts[2].found.force = {1.0, 9.0, 0.0, 0.0};
  report.efforts = {{"r/knee", -14.5}, {"r/hip", 2.0}};
  report.margins = {{"known", {MarginState::kKnown, 0.4, 0.5, ""}, 0.5, true},
                    {"none", {MarginState::kNone, -kInfinity, kInfinity, ""}},
                    {"endless", {MarginState::kUnbounded, -kInfinity, kInfinity, ""}, kInfinity},
                    {"open", {MarginState::kUndecided, 1.0, kInfinity, ""}, kNone, true},
                    {"number", {MarginState::kKnown, 3.0, 3.0, ""}, 3.0}};
  report.warnings = {"w1", "w2"};
  return report;
}

TEST(Conversions, ResultsHoldTheReport)
{
  const stiction::ScenarioReport report = everything_reported();
  const msg::Result result = to_message(report);
  EXPECT_EQ(result.verdict.value, msg::Verdict::FAILS);
  EXPECT_EQ(result.question, "all_sticking");
  EXPECT_EQ(result.summary, "slips");
  ASSERT_EQ(result.contacts.size(), 6u);
  const msg::ContactState& a = result.contacts[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.state, msg::ContactState::RIM);
  EXPECT_EQ(a.normal_force, 1.5);
  EXPECT_THAT(a.tangential_force, ElementsAre(2.5, 3.5));
  EXPECT_EQ(to_vector(a.force), Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(a.torsion_moment, 8.0);
  EXPECT_EQ(a.utilisation, stiction::kInfinity);
  EXPECT_TRUE(a.unique);
  EXPECT_THAT(a.normal_interval, ElementsAre(-stiction::kInfinity, 7.0));
  const msg::ContactState& b = result.contacts[1];
  EXPECT_TRUE(a.has_force);
  EXPECT_FALSE(b.has_force);
  EXPECT_EQ(b.normal_force, 0.0);
  EXPECT_THAT(b.tangential_force, ElementsAre(0.0, 0.0));
  EXPECT_EQ(to_vector(b.force), Eigen::Vector3d(0, 0, 0));
  EXPECT_EQ(b.torsion_moment, 0.0);
  EXPECT_FALSE(b.unique);
  EXPECT_TRUE(b.normal_interval.empty());
  EXPECT_EQ(result.contacts[2].state, msg::ContactState::STICKING);
  EXPECT_THAT(result.contacts[2].tangential_force, ElementsAre(9.0, 0.0));
  EXPECT_EQ(result.contacts[3].state, msg::ContactState::SLIDING);
  EXPECT_EQ(result.contacts[4].state, msg::ContactState::DETACHING);
  EXPECT_EQ(result.contacts[5].state, msg::ContactState::UNLOADED);
  EXPECT_THAT(result.effort_names, ElementsAre("r/knee", "r/hip"));
  EXPECT_THAT(result.efforts, ElementsAre(-14.5, 2.0));
  ASSERT_EQ(result.margins.size(), 5u);
  EXPECT_EQ(result.margins[0].name, "known");
  EXPECT_EQ(result.margins[0].state, msg::Margin::KNOWN);
  EXPECT_THAT(result.margins[0].value, ElementsAre(0.5));
  EXPECT_THAT(result.margins[0].lower, ElementsAre(0.4));
  EXPECT_THAT(result.margins[0].upper, ElementsAre(0.5));
  EXPECT_EQ(result.margins[1].state, msg::Margin::NONE);
  for (const int without : {1, 2}) {  // what is not known, or infinite, is not there
    EXPECT_THAT(result.margins[without].value, IsEmpty());
    EXPECT_THAT(result.margins[without].lower, IsEmpty());
    EXPECT_THAT(result.margins[without].upper, IsEmpty());
  }
  EXPECT_EQ(result.margins[2].state, msg::Margin::UNBOUNDED);
  EXPECT_EQ(result.margins[3].name, "open");
  EXPECT_EQ(result.margins[3].state, msg::Margin::UNDECIDED);
  EXPECT_THAT(result.margins[3].value, IsEmpty());
  EXPECT_THAT(result.margins[3].lower, ElementsAre(1.0));
  EXPECT_THAT(result.margins[3].upper, IsEmpty());
  EXPECT_THAT(result.margins[4].lower, ElementsAre(3.0));
  EXPECT_THAT(result.margins[4].upper, ElementsAre(3.0));
  EXPECT_THAT(result.warnings, ElementsAre("w1", "w2"));
}

TEST(Conversions, ResultsHoldTheProof)
{
  const stiction::ScenarioReport report = stiction::check_scenario_text(
      R"({stiction: 1, models: {block: {urdf: ../urdf/block.urdf}}})", std::string(STICTION_SOURCE_DIR) + "/scenarios");
  const msg::Result result = to_message(report);
  EXPECT_EQ(result.report, to_json(report));
  EXPECT_THAT(result.report, HasSubstr("\"certificate\":" + certificate_json(report) + ",\"solver\""));
}

TEST(Conversions, NumbersOfABatch)
{
  const msg::BatchResult result = to_message(stiction::ScenarioNumbers{
      stiction::Verdict::kHolds, "fine", {{"slack", 2.5, ""}, {"scale", {}, ""}, {"region", {}, "empty"}}});
  EXPECT_EQ(result.error.code, msg::Error::NONE);
  EXPECT_EQ(result.verdict.value, msg::Verdict::HOLDS);
  EXPECT_EQ(result.summary, "fine");
  EXPECT_THAT(result.number_names, ElementsAre("slack"));  // "scale" is not known
  EXPECT_THAT(result.numbers, ElementsAre(2.5));
  EXPECT_THAT(result.word_names, ElementsAre("region"));
  EXPECT_THAT(result.words, ElementsAre("empty"));
  EXPECT_EQ(to_message(stiction::Verdict::kUndecided).value, msg::Verdict::UNDECIDED);
}

}  // namespace
}  // namespace stiction_ros
