#include "io/inspect_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/checked.hpp"

namespace stiction::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RobotInfo arm()
{
  RobotInfo robot;
  robot.name = "arm";
  robot.root = "base";
  robot.links = {{"base", 3.0}, {"upper", 1.5}, {"hand", 0.0}};
  JointInfo shoulder;
  shoulder.name = "shoulder";
  shoulder.type = "revolute";
  shoulder.parent = "base";
  shoulder.child = "upper";
  shoulder.lower = -1.25;
  shoulder.upper = 2.5;
  shoulder.effort = 40;
  JointInfo wrist;
  wrist.name = "wrist";
  wrist.type = "fixed";
  wrist.parent = "upper";
  wrist.child = "hand";
  robot.joints = {shoulder, wrist};
  robot.total_mass = 4.5;
  robot.nv_fixed = 1;
  return robot;
}

TEST(InspectText, ShowsEveryLinkJointAndLimit)
{
  EXPECT_EQ(inspect_text(arm()),
            "arm: 3 links, 2 joints, 1 degree of freedom (+6 with a floating base), 4.5 kg\n"
            "root link: base\n"
            "\n"
            "link                     mass [kg]  parent                 joint\n"
            "base                             3\n"
            "upper                          1.5  base                   shoulder\n"
            "hand                             0  upper                  wrist\n"
            "\n"
            "joint                         type           lower     upper    effort  velocity\n"
            "shoulder                      revolute       -1.25       2.5        40         -\n"
            "wrist                         fixed\n"
            "limits in rad, N m, rad/s (prismatic: m, N, m/s); - means none\n"
            "\n"
            "nothing looks wrong\n");
}

TEST(InspectText, LongNamesStayWholeWithin80Columns)
{
  RobotInfo robot = arm();
  const std::string long_name(60, 'x');
  robot.links[1].name = robot.joints[0].child = robot.joints[1].parent = long_name;
  robot.joints[0].name = long_name + "_joint";
  robot.joints[1].mimics = long_name;
  robot.warnings = {"link " + long_name + " has a mass of 0 kg and carries nothing else that could move it at all"};
  const std::string text = inspect_text(robot);
  EXPECT_THAT(text, HasSubstr("\n" + long_name + "\n"));
  EXPECT_THAT(text, HasSubstr("follows " + long_name));
  EXPECT_LE(widest_line(text), 80u);
}

TEST(InspectText, WarningsReplaceTheAllClear)
{
  RobotInfo robot = arm();
  robot.warnings = {
      "link hand: no mass, and nothing heavier moves with it, so the mass matrix is singular along its joint",
      "second"};
  const std::string text = inspect_text(robot);
  EXPECT_THAT(text, HasSubstr("\nlooks wrong:\n - link hand: no mass"));
  EXPECT_THAT(text, HasSubstr("\n - second\n"));
  EXPECT_THAT(text, Not(HasSubstr("nothing looks wrong")));
  EXPECT_LE(widest_line(text), 80u);
}

TEST(InspectText, OneLinkAlone)
{
  RobotInfo robot;
  robot.name = robot.root = "stone";
  robot.links = {{"stone", 1.0}};
  EXPECT_THAT(inspect_text(robot), HasSubstr("1 link, 0 joints, 0 degrees of freedom"));
  EXPECT_THAT(inspect_text(robot), Not(HasSubstr("velocity")));
}

}  // namespace
}  // namespace stiction::internal
