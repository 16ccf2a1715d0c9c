// Pushes and margins of equilibrium, from a scene.
#include "stiction/equilibrium_input.hpp"

#include "input/boxes.hpp"

namespace stiction {
namespace {

using testing::box_on_floor;
using testing::error_of;
using ::testing::HasSubstr;
using testing::kG;

TEST(HorizontalAxes, AreAcrossGravityAndRightHanded)
{
  for (const Eigen::Vector3d& gravity :
       {Eigen::Vector3d(0, 0, -kG), Eigen::Vector3d(0, 0, 1.6), Eigen::Vector3d(-9, 1, 2), Eigen::Vector3d(1, -2, 3)}) {
    const Eigen::Matrix<double, 3, 2> axes = horizontal_axes(gravity);
    EXPECT_LT((axes.transpose() * axes - Eigen::Matrix2d::Identity()).norm(), 1e-14);
    EXPECT_LT((axes.transpose() * gravity).norm(), 1e-14);
    EXPECT_LT((axes.col(0).cross(axes.col(1)) + gravity.normalized()).norm(), 1e-14);  // up
  }
  EXPECT_EQ(horizontal_axes({0, 0, -kG}).col(0), Eigen::Vector3d::UnitX());
  EXPECT_EQ(horizontal_axes({0, 0, -kG}).col(1), Eigen::Vector3d::UnitY());
  EXPECT_THAT(error_of([] { horizontal_axes(Eigen::Vector3d::Zero()); }), HasSubstr("options.push.direction: want"));
}

TEST(AskPush, IsAUnitForceAtThePointInTheWorld)
{
  Scene scene(box_on_floor(0.5, 0.3));
  const SceneState& state = scene.described_state();
  PushOption push;
  push.link = "box/box";
  push.at = {0.0, 0.0, 0.05};
  EquilibriumOptions options;
  options.ball.setOnes(6, 3);  // of a question before
  ask_push(scene, state, push, options);
  Eigen::VectorXd expected(6);  // in the axes of the box, which are turned by 0.3 about z
  expected << std::cos(0.3), -std::sin(0.3), 0.0, 0.05 * std::sin(0.3), 0.05 * std::cos(0.3), 0.0;
  EXPECT_LT((options.push - expected).norm(), 1e-14) << options.push.transpose();
  EXPECT_EQ(options.ball.size(), 0);

  push.kind = PushOption::Direction::kHorizontal;
  ask_push(scene, state, push, options);
  EXPECT_EQ(options.push.size(), 0);
  ASSERT_EQ(options.ball.cols(), 2);
  EXPECT_LT((options.ball.col(0) - expected).norm(), 1e-14);
  EXPECT_LT(std::abs(options.ball.col(0).head<3>().dot(options.ball.col(1).head<3>())), 1e-14);
  EXPECT_EQ(options.ball(2, 1), 0.0);
  push.kind = PushOption::Direction::kAny;
  ask_push(scene, state, push, options);
  EXPECT_EQ(options.ball.cols(), 3);
  EXPECT_EQ(options.ball(2, 2), 1.0);

  push.link = "box/lid";
  EXPECT_THAT(error_of([&] { ask_push(scene, state, push, options); }), HasSubstr("options.push.link: want a link"));
  SceneDescription weightless = box_on_floor(0.5);
  weightless.gravity.setZero();
  Scene space(weightless);
  push.link = "box/box";
  push.kind = PushOption::Direction::kHorizontal;
  EXPECT_THAT(error_of([&] { ask_push(space, space.described_state(), push, options); }),
              HasSubstr("options.push.direction: want a unit vector or any where there is no gravity"));
}

/// The box slides at mu m g or tips at m g half the edge over the height of the push, whichever comes first.
TEST(AskPush, GivesTheKnownLargestPush)
{
  for (const double mu : {0.3, 3.0}) {
    Scene scene(box_on_floor(mu, 0.0));
    PushOption push;
    push.link = "box/box";
    push.at = {0.0, 0.0, 0.05};
    EquilibriumOptions options;
    ask_push(scene, scene.described_state(), push, options);
    const EquilibriumResult result = EquilibriumChecker().check(scene.compute(), {}, options);
    EXPECT_NEAR(result.push.lower, std::min(mu * kG, kG * 0.1 / 0.15), 1e-5);
  }
}

TEST(AskMargins, AsksOnlyForThoseThatMeanSomething)
{
  ContactProblem problem = Scene(box_on_floor(0.5)).compute();
  const auto asked = [&](ConeShape shape) {
    EquilibriumOptions options;
    options.shape = shape;
    ask_margins(problem, options);
    EXPECT_TRUE(options.friction_scale);
    return options;
  };
  EXPECT_FALSE(asked(ConeShape::exact()).effort);
  EXPECT_FALSE(asked(ConeShape::exact()).generators);
  EXPECT_FALSE(asked(ConeShape::outer(8)).generators);
  EXPECT_TRUE(asked(ConeShape::inner(8)).generators);
  problem.actuators = {{"unlimited", 0}};
  EXPECT_FALSE(asked(ConeShape::exact()).effort);
  problem.actuators.push_back({"limited", 1, -kInfinity, 2.0});
  EXPECT_TRUE(asked(ConeShape::exact()).effort);
  problem.contacts[1].side = Side::kBilateral;
  EXPECT_FALSE(asked(ConeShape::inner(8)).generators);
}

}  // namespace
}  // namespace stiction
