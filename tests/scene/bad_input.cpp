// One exception type, a message that names the entry and what was wanted, and silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

using testing::contact;
using testing::model_from_file;
using testing::model_from_text;
using testing::own_urdf;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

SceneDescription good()
{
  SceneDescription d = testing::scene_of({model_from_file("robot", own_urdf("biped.urdf"), Base::kFloating),
                                          model_from_text("zoo", testing::zoo_urdf(), Base::kFixed)});
  d.contacts = {contact("toe", "robot/left_sole", {0.1, 0, 0}, Eigen::Vector3d::UnitZ()),
                contact("heel", "robot/left_sole", {-0.1, 0, 0}, Eigen::Vector3d::UnitZ())};
  d.contacts[1].on = "zoo/spin_link";
  d.loads.resize(1);
  d.loads[0].link = "robot/torso";
  d.loops.resize(1);
  d.loops[0].name = "bar";
  d.loops[0].link = "zoo/free_link";
  d.loops[0].kind = LoopDescription::Kind::kGuide;
  return d;
}

void use_text(SceneDescription& d, const std::string& text)
{
  d.models[0].urdf_file.clear();
  d.models[0].urdf_text = text;
  d.contacts.clear();  // they name links of the file
  d.loads.clear();
}

/// A valid one-joint URDF with one thing replaced.
void use_edited(SceneDescription& d, const std::string& from, const std::string& to)
{
  std::string text = testing::one_joint_urdf("revolute", "0 0 1");
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("test: nothing to replace: " + from);
  use_text(d, text.replace(at, from.size(), to));
}

struct BadScene {
  const char* name;
  std::function<void(SceneDescription&)> spoil;
  const char* path;
  const char* wanted;
};
void PrintTo(const BadScene& bad, std::ostream* os) { *os << bad.name; }

class BadScenes : public ::testing::TestWithParam<BadScene> {};

TEST_P(BadScenes, NameTheEntryAndWhatWasWanted)
{
  SceneDescription d = good();
  GetParam().spoil(d);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  std::string path, message;
  try {
    Scene scene(d);
    message = "accepted";
  } catch (const InputError& error) {
    path = error.path();
    message = error.what();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(path, GetParam().path) << message;
  EXPECT_THAT(message, ::testing::HasSubstr(GetParam().wanted));
  EXPECT_THAT(message, ::testing::StartsWith(path + ": "));
  EXPECT_THAT(message, ::testing::HasSubstr("want"));
  EXPECT_THAT(message, ::testing::HasSubstr("got"));
}

TEST(BadScenes, TheUnspoiltSceneIsAccepted) { EXPECT_NO_THROW(Scene{good()}); }

using D = SceneDescription;
const char* const kUrdf = "models.robot.urdf";

INSTANTIATE_TEST_SUITE_P(
    Urdf, BadScenes,
    ::testing::Values(
        BadScene{"MissingFile", [](D& d) { d.models[0].urdf_file = "/no/such.urdf"; }, kUrdf,
                 "want an existing file, got '/no/such.urdf'"},
        BadScene{"Directory", [](D& d) { d.models[0].urdf_file = "/"; }, kUrdf, "want a file, got the directory"},
        BadScene{"MissingPackage", [](D& d) { d.models[0].urdf_file = "package://nobody/a.urdf"; }, kUrdf,
                 "want a file in ROS_PACKAGE_PATH"},
        BadScene{"BarePackage", [](D& d) { d.models[0].urdf_file = "package://"; }, kUrdf, "want package://name/file"},
        BadScene{"NeitherFileNorText", [](D& d) { d.models[0].urdf_file.clear(); }, kUrdf, "got neither"},
        BadScene{"FileAndText", [](D& d) { d.models[0].urdf_text = "<robot/>"; }, kUrdf, "got both"},
        BadScene{"BrokenXml", [](D& d) { use_text(d, "<robot><link name='a'></robot>"); }, kUrdf,
                 "want well-formed XML"},
        BadScene{"NotXml", [](D& d) { use_text(d, "hello"); }, kUrdf, "want"},
        BadScene{"CutByAZero", [](D& d) { use_edited(d, "<axis", std::string("\0<axis", 6)); }, kUrdf,
                 "want well-formed XML"},
        BadScene{"BinaryNoise",
                 [](D& d) {
                   use_text(d, std::string("\x7f"
                                           "ELF\0\1\2\xff<",
                                           9));
                 },
                 kUrdf, "want"},
        BadScene{"NotARobot", [](D& d) { use_text(d, "<html><robot/></html>"); }, kUrdf,
                 "want a <robot> element, got <html>"},
        BadScene{"Sdf", [](D& d) { use_text(d, "<?xml version='1.0'?><sdf version='1.9'><model/></sdf>"); }, kUrdf,
                 "got an SDF file (<sdf>), Gazebo's format: give the URDF that it was made from, or convert it"},
        BadScene{"Mjcf", [](D& d) { use_text(d, "<!-- a hand -->\n<mujoco model='m'><worldbody/></mujoco>"); }, kUrdf,
                 "got an MJCF file (<mujoco>), MuJoCo's format: give the URDF that it was made from, or convert it"},
        BadScene{"NoLinks", [](D& d) { use_text(d, "<robot name='r'/>"); }, kUrdf, "want at least one <link>"},
        BadScene{"Xacro", [](D& d) { use_text(d, "<robot><xacro:include filename='a'/></robot>"); }, kUrdf,
                 "want plain URDF, got a xacro file"},
        BadScene{"TwoRoots", [](D& d) { use_text(d, "<robot><link name='a'/><link name='b'/></robot>"); }, kUrdf,
                 "want one root link, got 'a' and 'b'"},
        BadScene{"SameLinkName", [](D& d) { use_edited(d, "<link name='tip'>", "<link name='root'>"); }, kUrdf,
                 "link 'root': want a unique name"},
        BadScene{
            "SameJointName",
            [](D& d) {
              use_edited(
                  d, "</robot>",
                  "<link name='x'/><joint name='j' type='fixed'><parent link='tip'/><child link='x'/></joint></robot>");
            },
            kUrdf, "joint 'j': want a unique name"},
        BadScene{"NamelessLink", [](D& d) { use_edited(d, "<link name='root'>", "<link>"); }, kUrdf,
                 "link: want attribute name"},
        BadScene{"EmptyLinkName", [](D& d) { use_edited(d, "<link name='root'>", "<link name=''>"); }, kUrdf,
                 "want a name"},
        BadScene{"NamelessJoint", [](D& d) { use_edited(d, "<joint name='j'", "<joint"); }, kUrdf,
                 "joint: want attribute name"},
        BadScene{"UnknownJointType", [](D& d) { use_edited(d, "'revolute'", "'ball'"); }, kUrdf,
                 "joint 'j': want valid URDF, got what urdfdom refuses: Joint [j] has no known type [ball]"},
        BadScene{"UnknownParent", [](D& d) { use_edited(d, "<parent link='root'/>", "<parent link='rot'/>"); }, kUrdf,
                 "joint 'j', parent: want the name of a link, got 'rot'"},
        BadScene{"NoChild", [](D& d) { use_edited(d, "<child link='tip'/>", ""); }, kUrdf,
                 "joint 'j': want a <child> element"},
        BadScene{"LoopTwoParents",
                 [](D& d) {
                   use_edited(d, "</robot>",
                              "<joint name='k' type='fixed'><parent link='root'/><child link='tip'/></joint></robot>");
                 },
                 kUrdf, "got a kinematic loop: link 'tip' is also the child of joint 'j'"},
        BadScene{"LoopToTheRoot",
                 [](D& d) {
                   use_edited(d, "</robot>",
                              "<joint name='k' type='fixed'><parent link='tip'/><child link='root'/></joint></robot>");
                 },
                 kUrdf, "kinematic loop"},
        BadScene{"LoopBesideTheTree",
                 [](D& d) {
                   use_edited(d, "</robot>",
                              "<link name='a'/><link name='b'/><joint name='ab' type='fixed'><parent link='a'/><child "
                              "link='b'/></joint>"
                              "<joint name='ba' type='fixed'><parent link='b'/><child link='a'/></joint></robot>");
                 },
                 kUrdf, "kinematic loop through link 'a'"},
        BadScene{"NegativeMass", [](D& d) { use_edited(d, "<mass value='2'/>", "<mass value='-2'/>"); }, kUrdf,
                 "link 'root', mass: want >= 0, got -2"},
        BadScene{"NanMass", [](D& d) { use_edited(d, "<mass value='2'/>", "<mass value='nan'/>"); }, kUrdf,
                 "link 'root': want valid URDF, got what urdfdom refuses: Inertial: mass [nan]"},
        BadScene{"InfiniteMass", [](D& d) { use_edited(d, "<mass value='2'/>", "<mass value='inf'/>"); }, kUrdf,
                 "link 'root': want valid URDF, got what urdfdom refuses: Inertial: mass [inf]"},
        BadScene{"OverflowingMass", [](D& d) { use_edited(d, "<mass value='2'/>", "<mass value='1e999'/>"); }, kUrdf,
                 "link 'root': want valid URDF"},
        BadScene{"HexMass", [](D& d) { use_edited(d, "<mass value='2'/>", "<mass value='0x2'/>"); }, kUrdf,
                 "link 'root': want valid URDF"},
        BadScene{"TwoMasses", [](D& d) { use_edited(d, "<mass value='2'/>", "<mass value='2 3'/>"); }, kUrdf,
                 "link 'root': want valid URDF"},
        BadScene{"EmptyMass", [](D& d) { use_edited(d, "<mass value='2'/>", "<mass value=' '/>"); }, kUrdf,
                 "link 'root': want valid URDF"},
        BadScene{"WordForMass", [](D& d) { use_edited(d, "<mass value='2'/>", "<mass value='2kg'/>"); }, kUrdf,
                 "link 'root': want valid URDF, got what urdfdom refuses: Inertial: mass [2kg]"},
        BadScene{"NoMass", [](D& d) { use_edited(d, "<mass value='2'/>", ""); }, kUrdf,
                 "link 'root': want valid URDF, got what urdfdom refuses: Inertial element must have a mass element"},
        BadScene{"NoInertia", [](D& d) { use_edited(d, "<inertia ", "<inertias "); }, kUrdf,
                 "link 'root': want valid URDF, got what urdfdom refuses: Inertial element must have inertia element"},
        BadScene{"IncompleteInertia", [](D& d) { use_edited(d, "izz='", "zz='"); }, kUrdf, "link 'root': want valid URDF"},
        BadScene{"NanInertia", [](D& d) { use_edited(d, "ixy='0.01'", "ixy='NaN'"); }, kUrdf,
                 "link 'root': want valid URDF, got what urdfdom refuses: Inertial: inertia element ixy"},
        BadScene{"NegativeInertia", [](D& d) { use_edited(d, "ixx='0.1'", "ixx='-0.1'"); }, kUrdf,
                 "inertia: want principal moments >= 0"},
        BadScene{"TwoNumbers", [](D& d) { use_edited(d, "xyz='0.3 -0.2 0.5'", "xyz='0.3 -0.2'"); }, kUrdf,
                 "joint 'j': want valid URDF, got what urdfdom refuses: Parser found 2 elements but 3 expected"},
        BadScene{"FourNumbers", [](D& d) { use_edited(d, "xyz='0.3 -0.2 0.5'", "xyz='0.3 -0.2 1 2'"); }, kUrdf,
                 "joint 'j': want valid URDF"},
        BadScene{"FormatInOrigin", [](D& d) { use_edited(d, "xyz='0.3", "xyz='%s%n&#37;s%d"); }, kUrdf,
                 "Unable to parse component [%s%n%s%d]"},
        BadScene{"InfinityInOrigin", [](D& d) { use_edited(d, "rpy='0.3", "rpy='-inf"); }, kUrdf,
                 "joint 'j': want valid URDF"},
        BadScene{"UnknownVersion", [](D& d) { use_edited(d, "<robot", "<robot version='9.7'"); }, kUrdf,
                 "robot 'one': want valid URDF, got what urdfdom refuses: Invalid 'version' specified"},
        BadScene{"NoVersion", [](D& d) { use_edited(d, "<robot", "<robot version='new'"); }, kUrdf,
                 "robot 'one': want valid URDF"},
        BadScene{"QuaternionInTheFirstVersion",
                 [](D& d) { use_edited(d, "rpy='0.3 -0.4 1.1'", "quat_xyzw='0 0 0 1'"); }, kUrdf,
                 "joint 'j', origin: quat_xyzw: want <robot version=\"1.1\"> or newer"},
        BadScene{"ZeroQuaternion",
                 [](D& d) {
                   use_edited(d, "rpy='0.3 -0.4 1.1'", "quat_xyzw='0 0 0 0.0'");
                   d.models[0].urdf_text.replace(0, 6, "<robot version='1.1'");
                 },
                 kUrdf, "joint 'j', origin: quat_xyzw: want four numbers that are not all zero"},
        BadScene{"QuaternionAndAngles",
                 [](D& d) {
                   use_edited(d, "rpy='0.3", "quat_xyzw='0 0 1 0' rpy='0.3");
                   d.models[0].urdf_text.replace(0, 6, "<robot version='1.1'");
                 },
                 kUrdf, "joint 'j': want valid URDF"},
        BadScene{"HugeQuaternion",
                 [](D& d) {
                   use_edited(d, "rpy='0.3 -0.4 1.1'", "quat_xyzw='1e200 0 0 1'");
                   d.models[0].urdf_text.replace(0, 6, "<robot version='1.1'");
                 },
                 kUrdf, "joint 'j', origin: want a rotation"},
        BadScene{"ZeroAxis", [](D& d) { use_edited(d, "<axis xyz='0 0 1'/>", "<axis xyz='0 0 0'/>"); }, kUrdf,
                 "joint 'j', axis: want a non-zero vector"},
        BadScene{"HugeAxis", [](D& d) { use_edited(d, "<axis xyz='0 0 1'/>", "<axis xyz='0 0 1e300'/>"); }, kUrdf,
                 "joint 'j', axis: want numbers up to 1e50"},
        BadScene{"AxisWithoutNumbers", [](D& d) { use_edited(d, "<axis xyz='0 0 1'/>", "<axis/>"); }, kUrdf,
                 "joint 'j', axis: want a non-zero vector"},
        BadScene{"NoLimit", [](D& d) { use_edited(d, "<limit lower='-3' upper='3' effort='10' velocity='1'/>", ""); },
                 kUrdf, "joint 'j': want valid URDF"},
        BadScene{"NoEffort", [](D& d) { use_edited(d, "effort='10'", ""); }, kUrdf,
                 "joint 'j': want valid URDF"},
        BadScene{"SameMaterialName",
                 [](D& d) {
                   const std::string red = "<material name='red'><color rgba='1 0 0 1'/></material>";
                   use_edited(d, "</robot>", red + red + "</robot>");
                 },
                 kUrdf, "robot 'one': want valid URDF, got what urdfdom refuses: material 'red' is not unique"},
        BadScene{"BrokenShape",
                 [](D& d) { use_edited(d, "<link name='tip'>", "<link name='tip'><collision><geometry><box/></geometry></collision>"); },
                 kUrdf, "link 'tip': want valid URDF"},
        BadScene{"NegativeEffort", [](D& d) { use_edited(d, "effort='10'", "effort='-10'"); }, kUrdf,
                 "effort: want >= 0, got -10"},
        BadScene{"CrossedLimits", [](D& d) { use_edited(d, "lower='-3'", "lower='4'"); }, kUrdf,
                 "want lower <= upper, got 4 and 3"},
        BadScene{"MimicNothing", [](D& d) { use_edited(d, "</joint>", "<mimic joint='nobody'/></joint>"); }, kUrdf,
                 "joint 'j', mimic: want the name of a joint, got 'nobody'"},
        BadScene{"MimicItself", [](D& d) { use_edited(d, "</joint>", "<mimic joint='j'/></joint>"); }, kUrdf,
                 "want a chain that ends, got a circle"},
        BadScene{"MimicAFixedJoint",
                 [](D& d) {
                   use_edited(d, "</joint>",
                              "<mimic joint='k'/></joint><link name='x'/><joint name='k' type='fixed'><parent "
                              "link='tip'/><child link='x'/></joint>");
                 },
                 kUrdf, "mimic: want revolute, continuous or prismatic joints"},
        BadScene{"NanMimic", [](D& d) { use_edited(d, "</joint>", "<mimic joint='j' multiplier='nan'/></joint>"); },
                 kUrdf, "joint 'j': want valid URDF"},
        BadScene{"OverflowingMimicChain",
                 [](D& d) {
                   use_edited(d, "</joint>",
                              "<mimic joint='k' multiplier='1e300'/></joint><link name='x'/><link name='y'/>"
                              "<joint name='k' type='continuous'><parent link='tip'/><child link='x'/>"
                              "<mimic joint='l' multiplier='1e300'/></joint>"
                              "<joint name='l' type='continuous'><parent link='x'/><child link='y'/></joint>");
                 },
                 kUrdf, "joint 'j', mimic: want finite numbers"},
        BadScene{"SameAttributeTwice", [](D& d) { use_edited(d, "effort='10'", "effort='10' effort='20'"); }, kUrdf,
                 "want well-formed XML"},
        BadScene{"TooManyLinks",
                 [](D& d) {
                   std::string links;
                   for (int i = 0; i < 5000; ++i) links += "<link name='l" + std::to_string(i) + "'/>";
                   use_edited(d, "</robot>", links + "</robot>");
                 },
                 kUrdf, "want at most 4096 links, got 5002"},
        BadScene{"DeepNesting",
                 [](D& d) {
                   std::string deep;
                   for (int i = 0; i < 100000; ++i) deep += "<gazebo>";
                   use_edited(d, "</robot>", deep);
                 },
                 kUrdf, "want at most 64 nested elements, got 100001"},
        BadScene{"DeepNestingBehindQuotesAndComments",
                 [](D& d) {
                   std::string deep = "<a b='</a>' c=\"'/>\"><!-- </a></a> <a> --><![CDATA[</a>]]><?x </a>?><b c='>'/>";
                   for (int i = 0; i < 62; ++i) deep += "<gazebo>";  // in robot, a: 64, and one more
                   use_edited(d, "</robot>", deep + "<c>");
                 },
                 kUrdf, "want at most 64 nested elements, got 65"},
        BadScene{"SixtyFourLevels",
                 [](D& d) {
                   std::string deep;
                   for (int i = 0; i < 63; ++i) deep += "<gazebo>";
                   use_edited(d, "</robot>", deep);
                 },
                 kUrdf, "want well-formed XML"},
        BadScene{"EntityBomb",
                 [](D& d) {
                   use_text(d, "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
                               "<robot name='&b;'><link name='&b;&b;'/><link name='&a;'/></robot>");
                 },
                 kUrdf, "want"},
        BadScene{"HugeFile", [](D& d) { use_edited(d, "</robot>", std::string(9 << 20, ' ') + "</robot>"); }, kUrdf,
                 "want at most 8388608 bytes"}),
    [](const auto& bad) { return std::string(bad.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Description, BadScenes,
    ::testing::Values(
        BadScene{"NoModels", [](D& d) { d.models.clear(); }, "models", "want at least one"},
        BadScene{"NamelessModel", [](D& d) { d.models[0].name.clear(); }, "models[0].name", "want a name"},
        BadScene{"ModelCalledWorld", [](D& d) { d.models[0].name = "world"; }, "models[0].name", "not 'world'"},
        BadScene{"SlashInModelName", [](D& d) { d.models[0].name = "a/b"; }, "models[0].name", "without '/'"},
        BadScene{"SameModelName", [](D& d) { d.models[1].name = "robot"; }, "models[1].name", "'robot' twice"},
        BadScene{"NanGravity", [](D& d) { d.gravity.z() = kNan; }, "gravity", "want three finite numbers"},
        BadScene{"InfinitePosition", [](D& d) { d.models[0].pose.xyz.x() = kInfinity; }, "models.robot.pose.xyz",
                 "want three finite numbers"},
        BadScene{"NanAttitude", [](D& d) { d.models[0].pose.rpy.x() = kNan; }, "models.robot.pose.rpy",
                 "want three finite numbers"},
        BadScene{"NanTwist", [](D& d) { d.models[0].angular_velocity.x() = kNan; }, "models.robot.twist.angular",
                 "want three finite numbers"},
        BadScene{"MovingFixedBase", [](D& d) { d.models[1].linear_velocity.x() = 1; }, "models.zoo.twist",
                 "want zero for a fixed base"},
        BadScene{"UnknownJoint", [](D& d) { d.models[0].joints["left_kne"] = 0; }, "models.robot.joints.left_kne",
                 "want a joint of the URDF (left_hip"},
        BadScene{"NanJoint", [](D& d) { d.models[0].joints["left_knee"] = kNan; }, "models.robot.joints.left_knee",
                 "want a finite number"},
        BadScene{"InfiniteRate", [](D& d) { d.models[0].rates["left_knee"] = kInfinity; },
                 "models.robot.rates.left_knee", "want a finite number"},
        BadScene{"PositionOfFixedJoint", [](D& d) { d.models[1].joints["bolt"] = 0; }, "models.zoo.joints.bolt",
                 "got the fixed joint 'bolt'"},
        BadScene{"PositionOfMimic", [](D& d) { d.models[1].joints["chain"] = 0; }, "models.zoo.joints.chain",
                 "want joint 'turn', which this one mimics"},
        BadScene{"OneNumberForPlanar", [](D& d) { d.models[1].joints["plane"] = 0; }, "models.zoo.joints.plane",
                 "got the planar joint"},
        BadScene{"TwoNumbersForPlanar", [](D& d) { d.models[1].multi_joints["plane"] = {0, 0}; },
                 "models.zoo.joints.plane", "want 3 numbers, got 2"},
        BadScene{"FiveNumbersForFloating", [](D& d) { d.models[1].multi_rates["free"] = {0, 0, 0, 0, 0}; },
                 "models.zoo.rates.free", "want 6 numbers, got 5"},
        BadScene{"NanInPlanar", [](D& d) { d.models[1].multi_joints["plane"] = {0, kNan, 0}; },
                 "models.zoo.joints.plane[1]", "want a finite number"},
        BadScene{"MultiForRevolute", [](D& d) { d.models[1].multi_joints["turn"] = {0}; }, "models.zoo.joints.turn",
                 "want a planar or floating joint"},
        BadScene{"EffortOfUnknownJoint", [](D& d) { d.models[0].effort = {Effort::Kind::kGiven, {{"x", 0.0}}}; },
                 "models.robot.effort.x", "want a joint of the URDF"},
        BadScene{"NanEffort", [](D& d) { d.models[0].effort = {Effort::Kind::kGiven, {{"left_knee", kNan}}}; },
                 "models.robot.effort.left_knee", "want a finite number"},
        BadScene{"EffortOfPlanar", [](D& d) { d.models[1].effort = {Effort::Kind::kGiven, {{"plane", 0.0}}}; },
                 "models.zoo.effort.plane", "got the planar joint"},
        BadScene{"EffortsWithLimits", [](D& d) { d.models[0].effort = {Effort::Kind::kLimits, {{"left_knee", 1.0}}}; },
                 "models.robot.effort", "want efforts per joint only with kind `given`"},
        BadScene{"LoadOnUnknownLink", [](D& d) { d.loads[0].link = "robot/head"; }, "loads[0].link",
                 "want a link of models.robot (torso"},
        BadScene{"LoadOnTheWorld", [](D& d) { d.loads[0].link = "world"; }, "loads[0].link", "want 'model/link'"},
        BadScene{"NanForce", [](D& d) { d.loads[0].force.x() = kNan; }, "loads[0].force", "want three finite numbers"},
        BadScene{"InfiniteTorque", [](D& d) { d.loads[0].torque.x() = kInfinity; }, "loads[0].torque",
                 "want three finite numbers"},
        BadScene{"NanLoadPoint", [](D& d) { d.loads[0].at.x() = kNan; }, "loads[0].at", "want three finite numbers"},
        BadScene{"NamelessContact", [](D& d) { d.contacts[1].name.clear(); }, "contacts[1].name", "want a name"},
        BadScene{"SameContactName", [](D& d) { d.contacts[1].name = "toe"; }, "contacts[1].name", "'toe' twice"},
        BadScene{"PatchNamedAsContact",
                 [](D& d) {
                   d.contacts[0].name = "heel/0";
                   d.contacts[1].patch = true;
                 },
                 "contacts[1].name", "'heel/0' twice"},
        BadScene{"UnknownModel", [](D& d) { d.contacts[0].link = "robo/left_sole"; }, "contacts[0].link",
                 "want a model of the scene (robot, zoo), got 'robo'"},
        BadScene{"UnknownLink", [](D& d) { d.contacts[0].link = "robot/left_soul"; }, "contacts[0].link",
                 "got 'left_soul'"},
        BadScene{"LinkWithoutModel", [](D& d) { d.contacts[0].link = "left_sole"; }, "contacts[0].link",
                 "want 'world' or 'model/link'"},
        BadScene{"ContactOfTheWorld", [](D& d) { d.contacts[0].link = "world"; }, "contacts[0].link",
                 "want 'model/link'"},
        BadScene{"UnknownOn", [](D& d) { d.contacts[0].on = "floor"; }, "contacts[0].on",
                 "want 'world' or 'model/link', got 'floor'"},
        BadScene{"ContactWithItself", [](D& d) { d.contacts[0].on = "robot/left_foot"; }, "contacts[0]",
                 "want two bodies that can move relative to each other"},
        BadScene{"FixedOnTheWorld", [](D& d) { d.contacts[0].link = "zoo/root"; }, "contacts[0]",
                 "want two bodies that can move relative to each other"},
        BadScene{"ZeroNormal", [](D& d) { d.contacts[0].normal.setZero(); }, "contacts[0].normal",
                 "want a unit vector, got (0, 0, 0)"},
        BadScene{"LongNormal", [](D& d) { d.contacts[0].normal = {0, 0, 1 + 3e-6}; }, "contacts[0].normal",
                 "want a unit vector"},
        BadScene{"NanNormal", [](D& d) { d.contacts[0].normal.x() = kNan; }, "contacts[0].normal",
                 "want three finite numbers"},
        BadScene{"NegativeMu", [](D& d) { d.contacts[0].mu = -0.1; }, "contacts[0].mu",
                 "want finite and >= 0, got -0.1"},
        BadScene{"NanMu", [](D& d) { d.contacts[0].mu = kNan; }, "contacts[0].mu", "want finite and >= 0"},
        BadScene{"InfiniteMu", [](D& d) { d.contacts[0].mu = kInfinity; }, "contacts[0].mu", "want finite and >= 0"},
        BadScene{"NegativeTorsion", [](D& d) { d.contacts[0].torsion = -1; }, "contacts[0].torsion",
                 "want finite and >= 0"},
        BadScene{"NegativeLimit", [](D& d) { d.contacts[0].max_normal = -1; }, "contacts[0].max_normal", "want >= 0"}),
    [](const auto& bad) { return std::string(bad.param.name); });

INSTANTIATE_TEST_SUITE_P(
    PointsAndClosures, BadScenes,
    ::testing::Values(
        BadScene{"NanForceLimit", [](D& d) { d.contacts[0].max_normal = kNan; }, "contacts[0].max_normal", "want >= 0"},
        BadScene{"NoPoint", [](D& d) { d.contacts[0].points.clear(); }, "contacts[0].at", "want at least one point"},
        BadScene{"NanPoint", [](D& d) { d.contacts[0].points[0].z() = kNan; }, "contacts[0].at",
                 "want three finite numbers"},
        BadScene{"NanInPatch", [](D& d) { d.contacts[0].points.push_back({0, kNan, 0}); }, "contacts[0].points[1]",
                 "want three finite numbers"},
        BadScene{"NamelessClosure", [](D& d) { d.loops[0].name.clear(); }, "closures[0].name", "want a name"},
        BadScene{"ClosureNamedAsContact", [](D& d) { d.loops[0].name = "toe"; }, "closures[0].name", "'toe' twice"},
        BadScene{"ClosureOfUnknownLink", [](D& d) { d.loops[0].link = "zoo/nobody"; }, "closures[0].link",
                 "want a link of models.zoo"},
        BadScene{"ClosureOnUnknownModel", [](D& d) { d.loops[0].on = "x/y"; }, "closures[0].on",
                 "want a model of the scene"},
        BadScene{"NanClosurePoint", [](D& d) { d.loops[0].at.x() = kNan; }, "closures[0].at",
                 "want three finite numbers"},
        BadScene{"ZeroGuide", [](D& d) { d.loops[0].normal.setZero(); }, "closures[0].normal", "want a unit vector"}),
    [](const auto& bad) { return std::string(bad.param.name); });

}  // namespace
}  // namespace stiction
