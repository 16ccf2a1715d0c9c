// Grasps, from a scene: a box between fingers on slides, a door.
#include "stiction/closure_input.hpp"

#include "input/boxes.hpp"
#include "stiction/closure.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using testing::contact;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::kG;
using testing::kHalf;
using testing::model_from_file;
using testing::model_from_text;
using testing::own_urdf;
using testing::scene_of;

/// One fingertip on a slide along x; the joint's name begins as the box's does.
constexpr const char* kFinger = R"(<robot name="finger">
  <link name="rail"/>
  <link name="box"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="box[0]" type="prismatic"><parent link="rail"/><child link="box"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="20" velocity="1"/></joint>
</robot>)";

constexpr const char* kDoor = R"(<robot name="door">
  <link name="frame"/>
  <link name="leaf"><inertial><mass value="2"/><origin xyz="0.5 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="frame"/><child link="leaf"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>)";

/// The box, turned and far away, between a finger and a wall, each touching the centre of a face.
SceneDescription held_box(double mu = 0.5)
{
  ModelDescription box = model_from_file("box", own_urdf("box.urdf"), Base::kFloating);
  box.pose = {{5.0, 1.0, 2.0}, {0.0, 0.0, 0.6}};
  ModelDescription finger = model_from_text("boxer", kFinger, Base::kFixed);
  finger.pose = box.pose;
  finger.effort.kind = Effort::Kind::kLimits;
  SceneDescription d = scene_of({finger, box});
  ContactDescription push = contact("push", "box/box", {-kHalf, 0, 0}, Eigen::Vector3d::UnitX(), mu);
  push.on = "boxer/box";
  // The wall is `link`: its normal points out of the box.
  ContactDescription wall = contact("wall", "boxer/rail", {kHalf, 0, 0}, Eigen::Vector3d::UnitX(), mu);
  wall.on = "box/box";
  ContactDescription guide =
      contact("guide", "boxer/box", {0, 0, -kHalf}, Eigen::Vector3d::UnitZ(), mu);  // not of the box
  d.contacts = {guide, push, wall};
  return d;
}

TEST(ObjectContacts, ArePointsAndInwardNormalsInTheObjectsFrame)
{
  Scene scene(held_box());
  const ObjectContacts found = object_contacts(scene, scene.described_state(), scene.compute(), "box");
  ASSERT_EQ(found.contacts.size(), 2u);
  EXPECT_EQ(found.contacts[0].name, "push");
  EXPECT_EQ(found.contacts[1].name, "wall");
  EXPECT_LT((found.contacts[0].point - Eigen::Vector3d(-kHalf, 0, 0)).norm(), 1e-14);
  EXPECT_LT((found.contacts[1].point - Eigen::Vector3d(kHalf, 0, 0)).norm(), 1e-14);
  EXPECT_LT((found.contacts[0].normal - Eigen::Vector3d::UnitX()).norm(), 1e-14);
  EXPECT_LT((found.contacts[1].normal + Eigen::Vector3d::UnitX()).norm(), 1e-14);  // out of the wall's
  EXPECT_EQ(found.contacts[0].kind, GraspContactKind::kHardFinger);
  EXPECT_TRUE(found.pushing_away.empty());

  SceneDescription wrong = held_box(0.0);
  wrong.contacts[1].normal *= -1.0;
  Scene reversed(wrong);
  const ObjectContacts away = object_contacts(reversed, reversed.described_state(), reversed.compute(), "box");
  EXPECT_THAT(away.pushing_away, ElementsAre(0));
  EXPECT_EQ(away.contacts[0].kind, GraspContactKind::kFrictionless);
}

TEST(GraspOf, TakesTheObjectsOwnDegreesOfFreedom)
{
  Scene scene(held_box());
  const SceneState& state = scene.described_state();
  const ContactProblem problem = scene.compute();
  GraspOptions options;
  options.object = "box";  // the finger's model, link and joint are called alike
  const GraspInput input = grasp_of(scene, state, problem, options);
  EXPECT_THAT(input.object_dofs, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(input.problem.J, problem.J);
  EXPECT_NEAR(input.convention.torque_length, kHalf, 1e-14);
  EXPECT_LT(input.convention.reference.norm(), 1e-14);
  ASSERT_TRUE(input.pose);
  EXPECT_LT((input.pose->origin - Eigen::Vector3d(5, 1, 2)).norm(), 1e-14);
  Eigen::VectorXd weight(6);
  weight << 0, 0, -kG, 0, 0, 0;
  EXPECT_LT((input.wrench - weight).norm(), 1e-13) << input.wrench.transpose();

  Grasp grasp;
  input.build(grasp);
  EXPECT_EQ(grasp.J_hand.cols(), 1);
  EXPECT_EQ(grasp.effort_upper[0], 20.0);
  ResistResult resists;  // 0.5 * 20 N * 2 sides carry 9.81 N
  ClosureChecker().resists(grasp, input.wrench, resists);
  EXPECT_EQ(resists.verdict, Verdict::kHolds) << resists.reason;
}

TEST(GraspOf, MovesWrenchesToThePointAndIntoTheObjectsAxes)
{
  Scene scene(held_box());
  GraspOptions options;
  options.object = "box";
  options.point = Eigen::Vector3d(0.02, 0.0, 0.0);
  options.wrench = WrenchOption{{1, 0, 0}, {0, 0, 2}};
  options.length = 0.5;
  const GraspInput input = grasp_of(scene, scene.described_state(), scene.compute(), options);
  Eigen::VectorXd expected(6);  // weight at -0.02 from the point, and the force turned by -0.6 about z
  expected << std::cos(0.6), -std::sin(0.6), -kG, 0, -0.02 * kG, 2;
  EXPECT_LT((input.wrench - expected).norm(), 1e-13) << input.wrench.transpose();
  EXPECT_EQ(input.convention.torque_length, 0.5);
}

TEST(GraspOf, LeavesMotionsOutOfThePlane)
{
  Scene scene(held_box());
  const SceneState& state = scene.described_state();
  const ContactProblem problem = scene.compute();
  GraspOptions options;
  options.object = "box";
  const std::pair<GraspPlane, std::vector<int>> planes[] = {
      {GraspPlane::kXY, {0, 1, 5}}, {GraspPlane::kYZ, {1, 2, 3}}, {GraspPlane::kZX, {2, 0, 4}}};
  for (const auto& [plane, degrees] : planes) {
    options.plane = plane;
    const GraspInput input = grasp_of(scene, state, problem, options);
    ASSERT_EQ(input.problem.nv(), 4);
    EXPECT_NO_THROW(input.problem.validate());
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(input.problem.J.col(input.object_dofs[k]), problem.J.col(1 + degrees[k])) << k;
      EXPECT_EQ(input.problem.dofs[static_cast<std::size_t>(input.object_dofs[k])], (Dof{"box", "", degrees[k], 6}));
    }
    EXPECT_EQ(input.problem.actuators[0].dof, 0);
    EXPECT_EQ(input.wrench.size(), 3);
  }
}

TEST(GraspOf, TheJointsOfAnObjectOnAFixedBase)
{
  SceneDescription d = scene_of({model_from_text("door", kDoor, Base::kFixed)});
  d.contacts = {contact("stop", "door/leaf", {1, 0, 0}, Eigen::Vector3d::UnitY())};
  LoadDescription wind;
  wind.link = "door/leaf";
  wind.at = {1, 0, 0};
  wind.force = {0, -3, 0};
  d.loads = {wind};
  Scene scene(d);
  GraspOptions options;
  options.object = "door";
  const GraspInput input = grasp_of(scene, scene.described_state(), scene.compute(), options);
  EXPECT_THAT(input.object_dofs, ElementsAre(0));
  EXPECT_FALSE(input.pose);
  ASSERT_EQ(input.wrench.size(), 1);
  EXPECT_NEAR(input.wrench[0], -3.0, 1e-14);
  options.wrench = WrenchOption{};
  EXPECT_THAT(error_of([&] { grasp_of(scene, scene.described_state(), scene.compute(), options); }),
              HasSubstr("options.wrench: want `loads` instead"));
  SceneDescription hand = scene_of({model_from_file("hand", own_urdf("three_finger_hand.urdf"), Base::kFloating)});
  Scene gripper(hand);
  options = {};
  options.object = "hand";
  EXPECT_THAT(error_of([&] { grasp_of(gripper, gripper.described_state(), gripper.compute(), options); }),
              HasSubstr("options.object: want a rigid object with a floating base"));
}

}  // namespace
}  // namespace stiction
