#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Urdf, NumbersDoNotDependOnTheLocaleOrLayout)
{
  const RobotInfo info = inspect_urdf_text(
      "\xEF\xBB\xBF<?xml version='1.0'?><!-- c --><robot name='r'><link name='a'><inertial><mass value=' +1.5e0\n'/>"
      "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/><origin xyz='\t1\n2  3 "
      "'/></inertial></link><gazebo/></robot>");
  EXPECT_EQ(info.total_mass, 1.5);
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
