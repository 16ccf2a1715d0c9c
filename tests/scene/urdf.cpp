#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

using testing::model_from_file;
using testing::own_urdf;
using testing::scene_of;
namespace fs = std::filesystem;

TEST(Inspect, Zoo)
{
  const RobotInfo info = inspect_urdf_text(testing::zoo_urdf());
  EXPECT_EQ(info.name, "zoo");
  EXPECT_EQ(info.root, "root");
  EXPECT_EQ(info.links.size(), 11u);
  EXPECT_EQ(info.joints.size(), 10u);
  EXPECT_NEAR(info.total_mass, 13.0, 1e-12);
  EXPECT_EQ(info.nv_fixed, 5 + 3 + 6);
  const auto joint = std::ranges::find(info.joints, std::string("chain"), &JointInfo::name);
  ASSERT_NE(joint, info.joints.end());
  EXPECT_EQ(joint->mimics, "turn");  // through follow
  EXPECT_EQ(joint->type, "prismatic");
  EXPECT_EQ(joint->parent, "plane_link");
  EXPECT_EQ(joint->child, "chain_link");
  EXPECT_EQ(joint->lower, -3.0);
  EXPECT_EQ(joint->effort, 10.0);
  const auto spin = std::ranges::find(info.joints, std::string("spin"), &JointInfo::name);
  EXPECT_EQ(spin->upper, kInfinity);  // continuous: no end stop, whatever <limit> says
  EXPECT_TRUE(info.warnings.empty()) << info.warnings[0];
}

TEST(Inspect, SaysWhatLooksWrong)
{
  const RobotInfo info = inspect_urdf_text(
      "<robot name='r'><link name='a'><inertial><mass value='-1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
      "izz='5'/></inertial></link>"
      "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/><limit effort='0' "
      "velocity='-1'/></joint><link name='b'/>"
      "<joint name='k' type='fixed'><parent link='a'/><child link='c'/></joint><link name='c'><inertial><mass "
      "value='0'/>"
      "<inertia ixx='-1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>");
  using ::testing::Contains;
  using ::testing::HasSubstr;
  EXPECT_THAT(info.warnings, Contains(HasSubstr("link 'a', mass: want >= 0, got -1")));
  EXPECT_THAT(info.warnings, Contains(HasSubstr("link 'a', inertia: no body has principal moments (1, 1, 5)")));
  EXPECT_THAT(info.warnings, Contains(HasSubstr("link 'b', mass: a moving leaf link has none")));
  EXPECT_THAT(info.warnings, Contains(HasSubstr("link 'c', inertia: no body has a negative principal moment")));
  EXPECT_THAT(info.warnings, Contains(HasSubstr("link 'c', inertia: a massless link has inertia")));
  EXPECT_THAT(info.warnings, Contains(HasSubstr("joint 'j', limit: the effort limit is 0")));
  EXPECT_THAT(info.warnings, Contains(HasSubstr("joint 'j', limit: the velocity limit is negative")));
  EXPECT_THAT(info.warnings, Contains(HasSubstr("joint 'j', limit: lower and upper are both 0")));
  EXPECT_EQ(info.warnings.size(), 8u);
}

TEST(Inspect, MissingFileNamesTheFile)
{
  try {
    inspect_urdf_file("/no/such.urdf");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.path(), "/no/such.urdf");
  }
}

TEST(Urdf, AHugeFileIsNotRead)
{
  const fs::path file = fs::temp_directory_path() / ("stiction_huge_" + std::to_string(::getpid()) + ".urdf");
  std::ofstream(file) << "<robot name='r'><link name='a'/></robot>";
  EXPECT_EQ(inspect_urdf_file(file).links.size(), 1u);
  fs::resize_file(file, std::uintmax_t{1} << 36);  // takes no room
  EXPECT_THROW(inspect_urdf_file(file), InputError);
  fs::remove(file);
}

TEST(Urdf, NumbersDoNotDependOnTheLocaleOrLayout)
{
  const RobotInfo info = inspect_urdf_text(
      "\xEF\xBB\xBF<?xml version='1.0'?><!-- c --><robot name='r'><link name='a'><inertial><mass value=' +1.5e0\n'/>"
      "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/><origin xyz='\t1\n2  3 "
      "'/></inertial></link><gazebo/></robot>");
  EXPECT_EQ(info.total_mass, 1.5);
}

/// The message with which a text is refused.
std::string refusal(const std::string& text)
{
  try {
    inspect_urdf_text(text);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Urdf, MessagesSayTheLineOfTheElement)
{
  const std::string text =
      "<?xml version='1.0'?>\n"
      "<robot\n"
      "  name='r'>\n"
      "  <!-- <joint name='knee'/>\n"
      "  -->\n"
      "  <link name='knee'/>\n"
      "  <link name='foot'>\n"
      "    <inertial>\n"
      "      <mass value='1'/>\n"
      "      <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>\n"
      "    </inertial>\n"
      "  </link>\n"
      "  <joint name='knee' type='continuous'>\n"
      "    <parent link='knee'/>\n"
      "    <child link='foot'/>\n"
      "    <axis xyz='1\n0\n0'/>\n"
      "  </joint>\n"
      "</robot>\n";
  const auto edited = [&](const std::string& from, const std::string& to) {
    return refusal(std::string(text).replace(text.find(from), from.size(), to));
  };
  using ::testing::EndsWith;
  using ::testing::HasSubstr;
  EXPECT_EQ(refusal(text), "accepted");
  EXPECT_THAT(edited("<mass value='1'/>", "<mass value='1kg'/>"), EndsWith("Link [foot] (line 7)"));
  EXPECT_THAT(edited("xyz='1\n0", "xyz='1\nx"), EndsWith("(line 13)"));
  EXPECT_THAT(edited("xyz='1\n0", "xyz='1\nx"), HasSubstr("urdf: joint 'knee': want valid URDF"));
  EXPECT_THAT(edited("'continuous'", "'ball'"), EndsWith("(line 13)"));
  EXPECT_THAT(edited("xyz='1", "xyz='0"),
              EndsWith("joint 'knee', axis: want a non-zero vector, got (0, 0, 0) (line 13)"));
  EXPECT_THAT(edited("<parent link='knee'", "<parent link='hip'"), EndsWith("(line 13)"));
  EXPECT_THAT(edited("<child link='foot'", "<child"), EndsWith("(line 15)"));
  EXPECT_THAT(edited("name='foot'", "name='knee'"), EndsWith("(line 7)"));
  EXPECT_THAT(edited("name='r'", "version='0.1'"), EndsWith("(line 2)"));
  EXPECT_THAT(edited("  </joint>\n", ""), EndsWith("(line 13)"));
}

TEST(Urdf, ReadsQuaternionsOfVersion11)
{
  // A quarter turn about z, not of unit length, brings the tip from x to y.
  const std::string text =
      "<robot name='r' version='1.1'><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/>"
      "<origin xyz='1 0 0' quat_xyzw=' 0 0\t2 2 '/></joint><link name='b'>" +
      testing::inertial(1.0) + "</link></robot>";
  Scene scene(scene_of({testing::model_from_text("r", text, Base::kFloating)}));
  const Eigen::Isometry3d pose = scene.link_pose(scene.described_state(), "r/b");
  EXPECT_TRUE(pose.linear().isApprox(Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitZ()).toRotationMatrix(), 1e-12));
  EXPECT_TRUE(pose.translation().isApprox(Eigen::Vector3d::UnitX(), 1e-12));
}

TEST(Urdf, KeepsNamesAndTheOrderOfTheFile)
{
  const RobotInfo info = inspect_urdf_text(
      "<robot><link name='z 100%s'/><joint name='&lt;j&#37;&gt;' type='continuous'><parent link='z 100%s'/>"
      "<child link=' a&amp;b '/></joint><link name=' a&amp;b '/><link name='ö\n1'/><joint name='b' type='continuous'>"
      "<parent link='z 100%s'/><child link='ö 1'/><mimic joint='&lt;j%>'/></joint></robot>");
  EXPECT_EQ(info.name, "");
  EXPECT_EQ(info.root, "z 100%s");
  ASSERT_EQ(info.links.size(), 3u);
  EXPECT_EQ(info.links[1].name, " a&b ");
  EXPECT_EQ(info.links[2].name, "ö 1");
  EXPECT_EQ(info.joints[0].name, "<j%>");
  EXPECT_EQ(info.joints[0].child, " a&b ");
  EXPECT_EQ(info.joints[1].mimics, "<j%>");
}

TEST(Urdf, ReadsALongChain)
{
  std::string text = "<robot name='r'><link name='l4095'/>";
  for (int i = 4094; i >= 0; --i)  // the last names first: they are freed first
    text += "<link name='l" + std::to_string(i) + "'/><joint name='j" + std::to_string(i) +
            "' type='fixed'><parent link='l" + std::to_string(i + 1) + "'/><child link='l" + std::to_string(i) +
            "'/></joint>";
  EXPECT_EQ(inspect_urdf_text(text + "</robot>").links.size(), 4096u);
}

TEST(Urdf, LockedJointsThatStillMimicAreFixed)
{
  const std::string text =
      "<robot name='r'><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/><mimic "
      "joint='gone'/></joint>"
      "<link name='b'/></robot>";
  EXPECT_EQ(inspect_urdf_text(text).nv_fixed, 0);
}

/// Sets an environment variable for one test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name)
  {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class Packages : public ::testing::Test {
 protected:
  void SetUp() override
  {
    root_ = fs::temp_directory_path() /
            ("stiction_packages_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
             ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(root_ / "share" / "boxes" / "urdf");
    fs::copy_file(own_urdf("box.urdf"), root_ / "share" / "boxes" / "urdf" / "box.urdf",
                  fs::copy_options::overwrite_existing);
  }
  void TearDown() override { fs::remove_all(root_); }
  static double mass(const std::vector<std::string>& package_paths)
  {
    SceneDescription d = scene_of({model_from_file("box", "package://boxes/urdf/box.urdf", Base::kFloating)});
    d.package_paths = package_paths;
    return Scene(d).total_mass();
  }
  fs::path root_;
};

TEST_F(Packages, AmentPrefixPath)
{
  Environment ament("AMENT_PREFIX_PATH", "/nowhere:" + root_.string());
  EXPECT_EQ(mass({}), 1.0);
}

TEST_F(Packages, RosPackagePath)
{
  Environment ros("ROS_PACKAGE_PATH", "/nowhere:" + (root_ / "share").string());
  EXPECT_EQ(mass({}), 1.0);
}

TEST_F(Packages, RosPackagePathNamesThePackageItself)
{
  Environment ros("ROS_PACKAGE_PATH", (root_ / "share" / "boxes").string());
  EXPECT_EQ(mass({}), 1.0);
}

TEST_F(Packages, PackagePaths)
{
  EXPECT_EQ(mass({"/nowhere", (root_ / "share").string()}), 1.0);
  EXPECT_EQ(mass({(root_ / "share" / "boxes").string() + "/"}), 1.0);
  EXPECT_THROW(mass({"/nowhere"}), InputError);
}

}  // namespace
}  // namespace stiction
