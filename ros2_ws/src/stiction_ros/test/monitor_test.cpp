#include "stiction_ros/monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "cart.hpp"
#include "stiction/error.hpp"
#include "stiction_ros/conversions.hpp"

namespace {

using diagnostic_msgs::msg::DiagnosticStatus;
using stiction_msgs::msg::Margin;
using stiction_msgs::msg::Verdict;
using stiction_ros::Monitor;
using stiction_ros::MonitorOptions;
using stiction_ros::Observation;

constexpr double kNow = 100.0;

void stand(Monitor& monitor, double slide, double mu = 0.6)
{
  monitor.set_robot(cart::kUrdf);
  monitor.set_contacts(cart::feet(kNow, mu));
  monitor.set_joints(cart::slider(slide, kNow));
  monitor.set_base(cart::base(kNow));
}

Observation observe(Monitor& monitor) { return monitor.observe(cart::at(kNow)); }

TEST(Monitor, HoldsWithTheDistanceOfTheCentreOfMassFromTheEdge)
{
  Monitor monitor;
  for (const double slide : {0.0, 0.1, -0.3}) {
    stand(monitor, slide);
    const Observation seen = observe(monitor);
    ASSERT_EQ(seen.stability.verdict.value, Verdict::HOLDS) << seen.stability.summary;
    EXPECT_FALSE(seen.stability.stale);
    EXPECT_EQ(seen.stability.reason, "");
    EXPECT_EQ(seen.stability.margin.name, "com");
    ASSERT_EQ(seen.stability.margin.state, Margin::KNOWN);
    const double margin = 0.1 - std::abs(slide) / 4.0;
    EXPECT_LE(seen.stability.margin.lower.at(0), margin + 1e-9);  // proved from both sides
    EXPECT_GE(seen.stability.margin.upper.at(0), margin - 1e-9);
    EXPECT_NEAR(seen.stability.margin.value.at(0), margin, 1e-3);
    EXPECT_EQ(seen.diagnostic.level, DiagnosticStatus::OK) << seen.diagnostic.message;
    EXPECT_EQ(seen.diagnostic.hardware_id, "cart");

    // Forces and moments about the world's origin balance the weight.
    ASSERT_EQ(seen.stability.contacts.size(), 4u);
    double up = 0.0, about_y = 0.0, about_x = 0.0, along_x = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto& contact = seen.stability.contacts[i];
      const auto point = cart::feet(kNow).contacts[0].points[i];
      EXPECT_EQ(contact.name, "foot/" + std::to_string(i));
      EXPECT_EQ(contact.state, stiction_msgs::msg::ContactState::STICKING);
      EXPECT_DOUBLE_EQ(contact.force.z, contact.normal_force);
      up += contact.force.z;
      along_x += contact.force.x;
      about_y -= point.x * contact.force.z;
      about_x += point.y * contact.force.z;
    }
    EXPECT_NEAR(up, cart::kWeight, 1e-9);
    EXPECT_NEAR(along_x, 0.0, 1e-9);
    EXPECT_NEAR(about_x, 0.0, 1e-9);
    EXPECT_NEAR(about_y, -cart::kWeight * slide / 4.0, 1e-9);
  }
}

MonitorOptions in_motion()
{
  MonitorOptions options;
  options.motion = MonitorOptions::Motion::kMeasured;
  options.margin = MonitorOptions::Margin::kFriction;
  return options;
}

TEST(Monitor, InMotionFrictionCarriesWhatTheMotorPushesOff)
{
  // The ballast is pushed along x with the motor's effort f, the cube with -f: friction holds it up to mu times the
  // weight. A ballast that moves, or a posture that would hold with other efforts, changes nothing.
  Monitor monitor(in_motion());
  for (const double effort : {0.0, 5.0, -20.0, 23.5, 23.6, -30.0}) {
    stand(monitor, 0.0);
    monitor.set_joints(cart::driven(0.3, effort, kNow));
    monitor.set_base_twist(cart::twist(0.0, kNow));
    const Observation seen = observe(monitor);
    const double scale = std::abs(effort) / (0.6 * cart::kWeight);
    ASSERT_FALSE(seen.stability.stale) << seen.stability.reason;
    EXPECT_EQ(seen.stability.verdict.value, scale < 1.0 ? Verdict::HOLDS : Verdict::FAILS) << seen.stability.summary;
    EXPECT_EQ(seen.stability.margin.name, "friction_scale");
    ASSERT_EQ(seen.stability.margin.state, Margin::KNOWN);
    EXPECT_NEAR(seen.stability.margin.value.at(0), scale, 2e-4);
    double along_x = 0.0;
    for (const auto& contact : seen.stability.contacts) along_x += contact.force.x;
    if (scale < 1.0) {
      EXPECT_NEAR(along_x, effort, 1e-9);
    }
    if (scale > 1.0) {
      EXPECT_NE(seen.stability.summary.find("slides"), std::string::npos) << seen.stability.summary;
    }
  }
}

TEST(Monitor, InMotionSaysWhatIsMissing)
{
  Monitor monitor(in_motion());
  stand(monitor, 0.0);
  EXPECT_NE(observe(monitor).stability.reason.find("no velocity and effort of slide"), std::string::npos);
  monitor.set_joints(cart::driven(0.0, 1.0, kNow));
  EXPECT_NE(observe(monitor).stability.reason.find("base twist: none has arrived"), std::string::npos);
  monitor.set_base_twist(cart::twist(0.0, kNow - 10.0));
  EXPECT_NE(observe(monitor).stability.reason.find("base twist: 10 s old"), std::string::npos);
  auto elsewhere = cart::twist(0.0, kNow);
  elsewhere.header.frame_id = "world";
  monitor.set_base_twist(elsewhere);
  EXPECT_NE(observe(monitor).stability.reason.find("base twist: want it in the axes of cube"), std::string::npos);
  monitor.set_base_twist(cart::twist(std::nan(""), kNow));
  EXPECT_NE(observe(monitor).stability.reason.find("want finite numbers"), std::string::npos);
  monitor.set_base_twist(cart::twist(0.2, kNow));  // contacts move: faster than noise
  EXPECT_NE(observe(monitor).stability.reason.find("contacts[0].points["), std::string::npos);
  EXPECT_NE(observe(monitor).stability.reason.find("got 0.2 m/s"), std::string::npos);
  monitor.set_base_twist(cart::twist(0.04, kNow));  // noise
  EXPECT_EQ(observe(monitor).stability.verdict.value, Verdict::HOLDS);
  auto wrong = cart::driven(0.0, 1.0, kNow);
  wrong.effort = {1.0, 2.0};
  monitor.set_joints(wrong);
  EXPECT_NE(observe(monitor).stability.reason.find("joint_states.effort: want none or one per name"),
            std::string::npos);
  MonitorOptions com = in_motion();
  com.margin = MonitorOptions::Margin::kCom;
  EXPECT_THROW(Monitor{com}, stiction::InputError);
}

TEST(Monitor, WarnsBelowTheMargin)
{
  MonitorOptions options;
  options.warn_below = 0.05;
  Monitor monitor(options);
  stand(monitor, 0.19);  // 0.0525 m
  EXPECT_EQ(observe(monitor).diagnostic.level, DiagnosticStatus::OK);
  monitor.set_joints(cart::slider(0.21, kNow));  // 0.0475 m
  const Observation close = observe(monitor);
  EXPECT_EQ(close.stability.verdict.value, Verdict::HOLDS);
  EXPECT_EQ(close.diagnostic.level, DiagnosticStatus::WARN);
  EXPECT_NE(close.diagnostic.message.find("is below 0.05 m"), std::string::npos) << close.diagnostic.message;
  options.warn_below = 0.04;
  monitor.set_options(options);
  EXPECT_EQ(observe(monitor).diagnostic.level, DiagnosticStatus::OK);
}

TEST(Monitor, AWarningEndsWhereTheMarginHasGrownByTheHysteresis)
{
  MonitorOptions options;
  options.warn_below = 0.05;
  options.hysteresis = 0.02;
  Monitor monitor(options);
  const auto level = [&](double margin) {
    stand(monitor, 4.0 * (0.1 - margin));
    return observe(monitor).diagnostic.level;
  };
  EXPECT_EQ(level(0.06), DiagnosticStatus::OK);  // not warned before
  EXPECT_EQ(level(0.04), DiagnosticStatus::WARN);
  EXPECT_EQ(level(0.06), DiagnosticStatus::WARN);
  EXPECT_NE(observe(monitor).diagnostic.message.find("is below 0.07 m"), std::string::npos);
  EXPECT_EQ(level(0.08), DiagnosticStatus::OK);
  EXPECT_EQ(level(0.06), DiagnosticStatus::OK);
}

TEST(Monitor, ShowsTheCentreOfMassAboveThePolygonThatHoldsIt)
{
  Monitor monitor;
  for (const double slide : {0.2, 0.5}) {
    stand(monitor, slide);
    auto base = cart::base(kNow);
    base.pose.position.x = 3.0;
    monitor.set_base(base);
    const Observation seen = observe(monitor);
    ASSERT_TRUE(seen.com && seen.margin);
    EXPECT_NEAR(seen.com->point.x, 3.0 + slide / 4.0, 1e-9);
    EXPECT_NEAR(seen.com->point.z, 0.1, 1e-9);
    EXPECT_EQ(seen.com->header, seen.stability.header);
    EXPECT_EQ(seen.support_polygon.header, seen.stability.header);
    EXPECT_NEAR(*seen.margin, 0.1 - slide / 4.0, 1e-3);
    const auto& corners = seen.support_polygon.polygon.points;
    ASSERT_GE(corners.size(), 4u);
    double area = 0.0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const auto &a = corners[i], &b = corners[(i + 1) % corners.size()];
      area += 0.5 * (double(a.x) * b.y - double(b.x) * a.y);
      EXPECT_LE(std::max(std::abs(a.x - 3.0), std::abs(double(a.y))), 0.1 + 1e-6);
      EXPECT_NEAR(a.z, 0.0, 1e-6);
    }
    EXPECT_NEAR(area, 0.04, 1e-3);
  }
  monitor.set_contacts(cart::no_feet(kNow));
  const Observation falls = observe(monitor);
  EXPECT_TRUE(falls.com && falls.support_polygon.polygon.points.empty());
  EXPECT_FALSE(falls.margin);
  monitor.set_base_problem("lost");
  EXPECT_FALSE(observe(monitor).com || observe(monitor).margin);
}

TEST(Monitor, FailsWhereItTips)
{
  Monitor monitor;
  stand(monitor, 0.39);
  EXPECT_EQ(observe(monitor).stability.verdict.value, Verdict::HOLDS);
  monitor.set_joints(cart::slider(0.41, kNow));
  const Observation tips = observe(monitor);
  EXPECT_EQ(tips.stability.verdict.value, Verdict::FAILS);
  EXPECT_FALSE(tips.stability.stale);
  EXPECT_EQ(tips.diagnostic.level, DiagnosticStatus::ERROR);
  EXPECT_NEAR(tips.stability.margin.value.at(0), -0.0025, 1e-3);
  // It tips about the corners at +x: the others lift. There are no forces, and no number that is none.
  ASSERT_EQ(tips.stability.contacts.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& contact = tips.stability.contacts[i];
    const bool lifts = cart::feet(kNow).contacts[0].points[i].x < 0.0;
    EXPECT_EQ(contact.name, "foot/" + std::to_string(i));
    EXPECT_FALSE(contact.has_force);
    EXPECT_EQ(contact.state == stiction_msgs::msg::ContactState::DETACHING, lifts) << i << ": " << int(contact.state);
  }
  EXPECT_EQ(tips.stability.summary.rfind("fails: ", 0), 0u) << tips.stability.summary;
}

TEST(Monitor, MeasuresFrictionOnASlope)
{
  MonitorOptions options;
  options.margin = MonitorOptions::Margin::kFriction;
  options.effort = stiction::Effort::Kind::kUnlimited;
  const double slope = 0.3;
  options.gravity = 9.81 * Eigen::Vector3d(0.0, std::sin(slope), -std::cos(slope));
  options.warn_below = 0.4;
  Monitor monitor(options);
  stand(monitor, 0.0);
  const Observation seen = observe(monitor);
  ASSERT_EQ(seen.stability.verdict.value, Verdict::HOLDS);
  EXPECT_EQ(seen.stability.margin.name, "friction_scale");
  EXPECT_NEAR(seen.stability.margin.value.at(0), std::tan(slope) / 0.6, 1e-5);  // 0.516: 0.484 to spare
  EXPECT_EQ(seen.diagnostic.level, DiagnosticStatus::OK) << seen.diagnostic.message;
  monitor.set_contacts(cart::feet(kNow, 0.5));  // 0.619: 0.381 to spare
  EXPECT_EQ(observe(monitor).diagnostic.level, DiagnosticStatus::WARN);
  monitor.set_contacts(cart::feet(kNow, 0.3));
  EXPECT_EQ(observe(monitor).stability.verdict.value, Verdict::FAILS);
}

TEST(Monitor, RespectsEffortLimits)
{
  MonitorOptions options;
  options.base = stiction::Base::kFixed;
  options.margin = MonitorOptions::Margin::kFriction;
  options.gravity = {9.81, 0.0, 0.0};  // along the slider, whose motor can do 5 N
  Monitor monitor(options);
  monitor.set_robot(cart::kUrdf);
  monitor.set_contacts(cart::no_feet(kNow));
  monitor.set_joints(cart::slider(0.0, kNow));
  EXPECT_EQ(observe(monitor).stability.verdict.value, Verdict::FAILS);  // and needs no base pose
  options.effort = stiction::Effort::Kind::kUnlimited;
  monitor.set_options(options);
  EXPECT_EQ(observe(monitor).stability.verdict.value, Verdict::HOLDS);
}

TEST(Monitor, FallsWithoutContacts)
{
  Monitor monitor;
  stand(monitor, 0.0);
  monitor.set_contacts(cart::no_feet(kNow));  // it was said that there are none
  const Observation seen = observe(monitor);
  EXPECT_EQ(seen.stability.verdict.value, Verdict::FAILS) << seen.stability.summary;
  EXPECT_EQ(seen.stability.margin.state, Margin::NONE);
  EXPECT_TRUE(seen.stability.margin.value.empty() && seen.stability.margin.lower.empty());
  bool said = false;
  for (const auto& entry : seen.diagnostic.values) {
    EXPECT_EQ(entry.value.find("inf"), std::string::npos) << entry.key << ": " << entry.value;
    EXPECT_EQ(entry.value.find("nan"), std::string::npos) << entry.key << ": " << entry.value;
    said = said || (entry.key == "margin [m]" && entry.value == "none");
  }
  EXPECT_TRUE(said);
}

TEST(Monitor, ContactsExpireUnlessTheyAreSaidToStay)
{
  Monitor monitor;
  stand(monitor, 0.0);
  monitor.set_contacts(cart::feet(kNow - 1.0));
  EXPECT_TRUE(observe(monitor).stability.stale);
  EXPECT_NE(observe(monitor).stability.reason.find("contacts: 1 s old"), std::string::npos);
  monitor.set_contacts(cart::feet(0.0));  // whoever forgot the stamp
  EXPECT_NE(observe(monitor).stability.reason.find("contacts: no time stamp"), std::string::npos);
  MonitorOptions options;
  options.max_contacts_age = 0.0;
  monitor.set_options(options);
  EXPECT_EQ(observe(monitor).stability.verdict.value, Verdict::HOLDS);
}

TEST(Monitor, AgreesWithTheQuestionsOfTheLibrary)
{
  Monitor monitor;
  stiction::ScenarioChecker checker;
  std::mt19937 rng{5};
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int holding = 0;
  for (int i = 0; i < 40; ++i) {
    const double slide = 0.6 * uniform(rng), mu = 0.3 + 0.2 * uniform(rng);
    const Eigen::Quaterniond turn = Eigen::AngleAxisd(0.4 * uniform(rng), Eigen::Vector3d::UnitY()) *
                                    Eigen::AngleAxisd(0.4 * uniform(rng), Eigen::Vector3d::UnitX());
    auto base = cart::base(kNow);
    base.pose.orientation.x = turn.x();
    base.pose.orientation.y = turn.y();
    base.pose.orientation.z = turn.z();
    base.pose.orientation.w = turn.w();
    monitor.set_robot(cart::kUrdf);
    monitor.set_contacts(cart::feet(kNow, mu));
    monitor.set_joints(cart::slider(slide, kNow));
    monitor.set_base(base);
    const Observation seen = observe(monitor);

    stiction_msgs::msg::Scenario message;
    message.models.resize(1);
    message.models[0].pose = base.pose;
    message.models[0].joint_state = cart::slider(slide, 0.0);
    message.models[0].effort = stiction_msgs::msg::Model::EFFORT_LIMITS;
    message.contacts = cart::feet(0.0, mu).contacts;
    message.question = "equilibrium";
    const auto equilibrium = checker.check_numbers(stiction_ros::to_scenario(message, cart::kUrdf));
    message.question = "region";
    message.options.box = {1.0};
    const auto region = checker.check_numbers(stiction_ros::to_scenario(message, cart::kUrdf));
    ASSERT_EQ(seen.stability.verdict.value, stiction_ros::to_message(equilibrium.verdict).value);
    for (const auto& cell : region.cells)
      if (cell.name == "com" && cell.number) {
        EXPECT_NEAR(seen.stability.margin.value.at(0), *cell.number, 1e-9) << i;
      }
    holding += seen.stability.verdict.value == Verdict::HOLDS;
  }
  EXPECT_GT(holding, 5);  // both verdicts occur
  EXPECT_LT(holding, 35);
}

TEST(Monitor, RejectsOptionsThatMakeNoSense)
{
  MonitorOptions options;
  options.base = stiction::Base::kFixed;
  EXPECT_THROW(Monitor{options}, stiction::InputError);  // com needs a floating base
  options = {};
  options.effort = stiction::Effort::Kind::kNone;
  EXPECT_THROW(Monitor{options}, stiction::InputError);
  options = {};
  for (const double wrong : {std::nan(""), -1.0, stiction::kInfinity})  // nan passes the ranges of ROS parameters
    for (const auto& number : std::vector<std::pair<std::string, std::function<double*(MonitorOptions&)>>>{
             {"monitor.max_age", [](auto& o) { return &o.max_age; }},
             {"monitor.max_contacts_age", [](auto& o) { return &o.max_contacts_age; }},
             {"monitor.max_slip", [](auto& o) { return &o.max_slip; }},
             {"monitor.warn_below", [](auto& o) { return &o.warn_below; }},
             {"markers.cone_length", [](auto& o) { return &o.style.cone_length; }},
             {"markers.weight_length", [](auto& o) { return &o.style.weight_length; }},
             {"markers.motion_length", [](auto& o) { return &o.style.motion_length; }}}) {
      options = {};
      *number.second(options) = wrong;
      try {
        Monitor{options};
        ADD_FAILURE() << number.first << " = " << wrong;
      } catch (const stiction::InputError& error) {
        EXPECT_EQ(error.path(), number.first);
      }
    }
  options = {};
  options.gravity.x() = std::nan("");
  EXPECT_THROW(Monitor{options}, stiction::InputError);
}

/// An input that spoils a good situation, and words that the reason must have.
struct Spoiled {
  const char* what;
  std::function<void(Monitor&)> spoil;
  const char* words;
};

TEST(Monitor, NamesWhatItCannotUseAndRecovers)
{
  const auto joints = [](auto change) {
    return [change](Monitor& monitor) {
      auto state = cart::slider(0.0, kNow);
      change(state);
      monitor.set_joints(state);
    };
  };
  const auto base = [](auto change) {
    return [change](Monitor& monitor) {
      auto pose = cart::base(kNow);
      change(pose);
      monitor.set_base(pose);
    };
  };
  const auto contacts = [](auto change) {
    return [change](Monitor& monitor) {
      auto array = cart::feet(kNow);
      change(array);
      monitor.set_contacts(array);
    };
  };
  const std::vector<Spoiled> cases = {
      {"URDF", [](Monitor& m) { m.set_robot("<robot"); }, "robot_description: urdf"},
      {"no URDF", [](Monitor& m) { m.set_robot(""); }, "robot_description: none has arrived"},
      {"other robot",
       [](Monitor& m) {
         std::string other = cart::kUrdf;
         for (std::size_t k = other.find("slide"); k != std::string::npos; k = other.find("slide", k))
           other.replace(k, 5, "glide");
         m.set_robot(other);
       },
       "joint_states: no position of glide; the robot does not have slide"},
      {"planar joint",
       [](Monitor& m) {
         std::string other = cart::kUrdf;
         other.replace(other.find("prismatic"), 9, "planar");
         m.set_robot(other);
       },
       "joint slide: want a joint that joint_states can describe, got a planar one"},
      {"old joints", joints([](auto& s) { s.header.stamp = cart::at(kNow - 0.75); }),
       "joint_states: slide: 0.75 s old, want at most 0.5 s"},
      {"joints of the future", joints([](auto& s) { s.header.stamp = cart::at(kNow + 2.0); }),
       "slide: 2 s in the future"},
      {"joints without stamp", joints([](auto& s) { s.header.stamp = cart::at(0.0); }), "slide: no time stamp"},
      {"positions", joints([](auto& s) { s.position.clear(); }), "joint_states.position: want one per name (1), got 0"},
      {"nan", joints([](auto& s) { s.position[0] = std::nan(""); }),
       "joint_states: slide: want a finite position, got nan"},
      {"twice", joints([](auto& s) { s.name.push_back("slide"), s.position.push_back(0.0); }), "slide is there twice"},
      {"old base", base([](auto& p) { p.header.stamp = cart::at(kNow - 3.0); }), "base pose: 3 s old"},
      {"frame of the base", base([](auto& p) { p.header.frame_id = "odom"; }),
       "base pose: want it in frame world, got 'odom'"},
      {"quaternion", base([](auto& p) { p.pose.orientation.w = 0.0; }), "base pose"},
      {"position", base([](auto& p) { p.pose.position.x = std::nan(""); }), "pose"},
      {"no base", [](Monitor& m) { m.set_base_problem("no transform"); }, "base pose: no transform"},
      {"link", contacts([](auto& c) { c.contacts[0].link = "wheel"; }), "contacts[0].link"},
      {"other model", contacts([](auto& c) { c.contacts[0].on_link = "mug/mug"; }), "contacts[0].on_link"},
      {"normal", contacts([](auto& c) { c.contacts[0].normal.z = 2.0; }), "contacts[0].normal"},
      {"side", contacts([](auto& c) { c.contacts[0].side = 7; }), "contacts[0].side"},
      {"mu", contacts([](auto& c) { c.contacts[0].mu = -1.0; }), "contacts[0].mu"},
      {"slides", contacts([](auto& c) { c.contacts[0].slides.resize(1), c.contacts[0].slides[0].x = 1.0; }),
       "contacts[0].slides"},
      {"no points", contacts([](auto& c) { c.contacts[0].points.clear(); }), "contacts[0]"},
      {"frame of the contacts", contacts([](auto& c) { c.header.frame_id = "odom"; }),
       "contacts: want frame world or none, got 'odom'"},
      {"old contacts", contacts([](auto& c) { c.header.stamp = cart::at(kNow - 20.0); }), "contacts: 20 s old"},
  };
  MonitorOptions options;
  options.max_contacts_age = 10.0;
  Monitor monitor(options);
  for (const Spoiled& spoiled : cases) {
    SCOPED_TRACE(spoiled.what);
    stand(monitor, 0.0);
    ASSERT_EQ(observe(monitor).stability.verdict.value, Verdict::HOLDS);
    spoiled.spoil(monitor);
    const Observation seen = observe(monitor);
    EXPECT_EQ(seen.stability.verdict.value, Verdict::UNDECIDED);
    EXPECT_TRUE(seen.stability.stale);
    EXPECT_NE(seen.stability.reason.find(spoiled.words), std::string::npos) << seen.stability.reason;
    EXPECT_NE(seen.stability.summary.find(seen.stability.reason), std::string::npos);
    EXPECT_TRUE(seen.stability.contacts.empty());
    EXPECT_NE(seen.stability.margin.state, Margin::KNOWN);
    EXPECT_EQ(seen.diagnostic.level, DiagnosticStatus::STALE);
    EXPECT_EQ(seen.markers.markers.size(), 1u);  // only DELETEALL
  }
}

TEST(Monitor, SaysAtFirstWhatItWaitsFor)
{
  Monitor monitor;
  const std::string reason = observe(monitor).stability.reason;
  for (const char* input : {"robot_description: none", "base pose: none", "contacts: none"})
    EXPECT_NE(reason.find(input), std::string::npos) << reason;
  monitor.set_robot(cart::kUrdf);
  EXPECT_NE(observe(monitor).stability.reason.find("joint_states: no position of slide"), std::string::npos);
}

TEST(Monitor, TakesJointsFromSeveralPublishersAndSaysTheAgeOfTheOldestInput)
{
  std::string urdf = cart::kUrdf;  // a second slider, and a third one that follows it
  urdf.replace(urdf.find("</robot>"), 8,
               R"(<joint name="slide2" type="prismatic"><parent link="ballast"/><child link="tip"/>
    <limit lower="-1" upper="1" effort="5" velocity="1"/></joint><link name="tip"/>
    <joint name="follower" type="prismatic"><parent link="tip"/><child link="end"/><mimic joint="slide2"/>
    <limit lower="-1" upper="1" effort="5" velocity="1"/></joint><link name="end"/></robot>)");
  Monitor monitor;
  stand(monitor, 0.0);
  monitor.set_robot(urdf);
  EXPECT_TRUE(observe(monitor).stability.stale);
  auto second = cart::slider(0.0, kNow - 0.25);
  second.name = {"slide2", "follower", "wheel_of_another_robot"};
  second.position = {0.0, 0.0, 1.0};
  monitor.set_joints(second);
  const Observation seen = observe(monitor);
  EXPECT_EQ(seen.stability.verdict.value, Verdict::HOLDS) << seen.stability.reason;
  EXPECT_EQ(seen.stability.age.sec, 0);
  EXPECT_EQ(seen.stability.age.nanosec, 250000000u);
  EXPECT_EQ(seen.stability.header.stamp, cart::at(kNow - 0.25));
  EXPECT_EQ(seen.stability.header.frame_id, "world");
}

TEST(Monitor, KeepsContactPointsGivenInTheWorldWhereTheyAre)
{
  Monitor monitor;
  stand(monitor, 0.0);
  auto contacts = cart::feet(kNow);
  contacts.contacts[0].at_frame = stiction_msgs::msg::Contact::FRAME_WORLD;
  for (auto& point : contacts.contacts[0].points) point.z = 0.0;
  monitor.set_contacts(contacts);
  for (const double x : {0.0, 0.06, 0.12}) {  // the cube moves over the points
    auto base = cart::base(kNow);
    base.pose.position.x = x;
    monitor.set_base(base);
    const Observation seen = observe(monitor);
    EXPECT_EQ(seen.stability.verdict.value, x < 0.1 ? Verdict::HOLDS : Verdict::FAILS) << seen.stability.reason;
    EXPECT_NEAR(seen.stability.margin.value.at(0), 0.1 - x, 1e-3);
  }
}

}  // namespace
