// The scene's own coordinates beside Pinocchio's: a floating base, a planar joint and two joints of which one follows.
#include "scene/coordinates.hpp"

#include <gmock/gmock.h>

#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using ::testing::ElementsAre;

/// q of Pinocchio: 7 of the base, 4 of `slide`, 1 of `follower` = -2 driver + 0.3, 1 of `driver`; v: 6, 3, 1, 1.
Coordinates following_gripper()
{
  auto tree = std::make_shared<UrdfTree>();
  tree->joints.resize(3);
  tree->joints[0].name = "driver";
  tree->joints[1].name = "follower";
  tree->joints[1].mimics = 0;
  tree->joints[1].multiplier = -2.0;
  tree->joints[1].offset = 0.3;
  tree->joints[2].name = "slide";
  Coordinates c;
  c.model_names = {"hand"};
  c.trees = {tree};
  c.slots = {{0, -1, JointType::kFloating, 0, 0},
             {0, 2, JointType::kPlanar, 7, 6},
             {0, 1, JointType::kRevolute, 11, 9},
             {0, 0, JointType::kRevolute, 12, 10}};
  c.number(13, 11);
  return c;
}

TEST(Coordinates, FollowersHaveNone)
{
  const Coordinates c = following_gripper();
  EXPECT_TRUE(c.has_mimics);
  EXPECT_EQ(c.nq, 12);
  EXPECT_EQ(c.nv, 10);
  EXPECT_EQ(c.dof_of(0, 0), 9);
  EXPECT_EQ(c.dof_of(0, 1), 9) << "that of its driver";
  EXPECT_EQ(c.dof_of(0, 2), 6);
  EXPECT_THAT(c.unit_segments, ElementsAre(std::pair{3, 4}, std::pair{9, 2}));
  const std::vector<Dof> dofs = c.dofs();
  ASSERT_EQ(dofs.size(), 10u);
  EXPECT_EQ(dofs[5], (Dof{"hand", "", 5, 6}));
  EXPECT_EQ(dofs[8], (Dof{"hand", "slide", 2, 3}));
  EXPECT_EQ(dofs[9], (Dof{"hand", "driver", 0, 1}));
}

TEST(Coordinates, ExpandAndReduceUndoEachOther)
{
  const Coordinates c = following_gripper();
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(12, 0.1, 1.2), v = Eigen::VectorXd::LinSpaced(10, 1.0, 10.0);
  Eigen::VectorXd full(13), rate(11);
  c.expand(q, full);
  EXPECT_EQ(full.head(11), q.head(11));
  EXPECT_DOUBLE_EQ(full[12], q[11]);
  EXPECT_DOUBLE_EQ(full[11], -2.0 * q[11] + 0.3);
  EXPECT_EQ(c.reduce(full), q);
  c.expand_rate(v, rate);
  EXPECT_EQ(rate.head(9), v.head(9));
  EXPECT_DOUBLE_EQ(rate[10], v[9]);
  EXPECT_DOUBLE_EQ(rate[9], -2.0 * v[9]) << "an offset has no rate";
}

TEST(Coordinates, StatesAreWrittenWherePinocchioWantsThem)
{
  const Coordinates c = following_gripper();
  ModelState state;
  state.pose.translation() = Eigen::Vector3d(1.0, 2.0, 3.0);
  state.linear = Eigen::Vector3d(4.0, 5.0, 6.0);
  state.angular = Eigen::Vector3d(7.0, 8.0, 9.0);
  state.positions = {{0.5}, {99.0}, {0.1, 0.2, 1.0}};
  state.rates = {{0.25}, {99.0}, {0.3, 0.4, 0.5}};
  state.accelerations = {{-1.0}, {99.0}, {-2.0, -3.0, -4.0}};
  const SceneState made = c.make_state({state});
  Eigen::VectorXd q(12), v(10);
  q << 1, 2, 3, 0, 0, 0, 1, 0.1, 0.2, std::cos(1.0), std::sin(1.0), 0.5;
  v << 4, 5, 6, 7, 8, 9, 0.3, 0.4, 0.5, 0.25;
  EXPECT_EQ(made.q, q);
  EXPECT_EQ(made.v, v);
  EXPECT_EQ(made.a.tail(4), Eigen::Vector4d(-2.0, -3.0, -4.0, -1.0));
  EXPECT_NO_THROW(c.check(made));
  for (const Eigen::Index broken : {6, 9}) {  // quaternion; cosine and sine
    SceneState wrong = made;
    wrong.q[broken] += 0.1;
    EXPECT_THROW(c.check(wrong), InputError);
  }
}

}  // namespace
}  // namespace stiction::internal
