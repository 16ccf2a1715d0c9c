// Bodies that roll, from URDF to forces: textbook values at any speed.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scene/helpers.hpp"
#include "stiction/sticking.hpp"

namespace stiction {
namespace {

using Eigen::Vector3d;
using testing::contact;
using testing::model_from_file;
using testing::own_urdf;
using testing::scene_of;

constexpr double kGravity = 9.81, kBallRadius = 0.05, kBallMass = 0.2;  // sphere.urdf
constexpr double kDiskRadius = 0.1;                                     // disk.urdf, 0.5 kg

/// On a surface that falls towards +x by `slope`, moving down it at `speed`.
SceneDescription rolling_ball(double slope, double speed, double mu)
{
  const Vector3d up(std::sin(slope), 0, std::cos(slope)), down(std::cos(slope), 0, -std::sin(slope));
  SceneDescription d = scene_of({model_from_file("ball", own_urdf("sphere.urdf"), Base::kFloating)});
  d.models[0].linear_velocity = speed * down;
  d.models[0].angular_velocity = {0, speed / kBallRadius, 0};
  d.contacts = {contact("ground", "ball/sphere", -kBallRadius * up, up, mu)};
  d.contacts[0].radius = SurfaceRadii{kBallRadius, kBallRadius};
  return d;
}

StickingResult answer(const SceneDescription& d) { return StickingChecker().check(Scene(d).compute()); }

/// In the world: the velocity of a root link is told in its own axes, which turn.
Vector3d centre_acceleration(const SceneDescription& d, const StickingResult& result)
{
  return result.acceleration.head<3>() + d.models[0].angular_velocity.cross(d.models[0].linear_velocity);
}

TEST(RollingForces, ABallDownASlope)
{
  for (const double degrees : {5.0, 20.0, 40.0})
    for (const double speed : {0.0, 0.5, 5.0}) {
      const double slope = degrees * std::numbers::pi / 180, needed = 2.0 / 7.0 * std::tan(slope);
      const SceneDescription enough = rolling_ball(slope, speed, 1.001 * needed);
      const StickingResult rolls = answer(enough);
      ASSERT_EQ(rolls.verdict, Verdict::kHolds) << degrees << " " << speed << " " << rolls.reason;
      EXPECT_NEAR(rolls.lambda[0], kBallMass * kGravity * std::cos(slope), 1e-9);
      EXPECT_NEAR(rolls.lambda.segment<2>(1).norm(), 2.0 / 7.0 * kBallMass * kGravity * std::sin(slope), 1e-9);
      EXPECT_NEAR(centre_acceleration(enough, rolls).norm(), 5.0 / 7.0 * kGravity * std::sin(slope), 1e-9);
      EXPECT_EQ(answer(rolling_ball(slope, speed, 0.999 * needed)).verdict, Verdict::kFails) << degrees << " " << speed;
    }
}

TEST(RollingForces, AWheelAtSpeedCarriesItsWeight)
{
  for (const double rate : {1.0, 30.0, 1000.0}) {
    SceneDescription d = scene_of({model_from_file("wheel", own_urdf("disk.urdf"), Base::kFixed)});
    d.models[0].multi_joints = {{"plane", {0, 0.1, 0}}};
    d.models[0].multi_rates = {{"plane", {0.1 * rate, 0, -rate}}};
    d.contacts = {contact("ground", "wheel/disk", {0, 0, -0.1}, Vector3d::UnitZ())};
    d.contacts[0].radius = SurfaceRadii{0.1, kInfinity};
    const StickingResult rolls = answer(d);
    EXPECT_EQ(rolls.verdict, Verdict::kHolds);
    EXPECT_NEAR(rolls.lambda[0], 0.5 * kGravity, 1e-9);
    EXPECT_NEAR(rolls.lambda[1], 0.0, 1e-9);
    // Negative control: a corner of the wheel swings about its centre.
    d.contacts[0].radius.reset();
    EXPECT_NEAR(answer(d).lambda[0], std::max(0.0, 0.5 * (kGravity - 0.1 * rate * rate)), 1e-9);
  }
}

/// On a slope, or on top of a cylinder of radius `on` (in a pipe, where it is negative), where it falls by `slope`;
/// urdf/disk.urdf is a solid disk.
SceneDescription rolling_disk(double slope, double speed, double mu, double on = kInfinity)
{
  const Vector3d up(std::sin(slope), 0, std::cos(slope));
  SceneDescription d = scene_of({model_from_file("disk", own_urdf("disk.urdf"), Base::kFixed)});
  d.models[0].multi_joints = {{"plane", {0, 0, 0}}};
  d.models[0].multi_rates = {{"plane", {speed * std::cos(slope), -speed * std::sin(slope), -speed / kDiskRadius}}};
  d.contacts = {contact("ground", "disk/disk", -kDiskRadius * up, up, mu)};
  d.contacts[0].radius = SurfaceRadii{kDiskRadius, kInfinity};
  if (std::isfinite(on)) d.contacts[0].on_radius = SurfaceRadii{on, kInfinity};
  return d;
}

/// A third of the weight along the slope is friction, two thirds accelerate it. On a cylinder or in a pipe the normal
/// force is less or more by m v² / (distance of the axes); a guide that holds on both sides may pull.
TEST(RollingForces, AWheelDownSlopesCylindersAndPipes)
{
  for (const Side side : {Side::kUnilateral, Side::kBilateral})
    for (const double on : {kInfinity, 0.4, -0.4})
      for (const double speed : {0.0, 1.0, 30.0}) {
        constexpr double slope = 0.3, along = kGravity * 0.5 / 3.0;
        SceneDescription d = rolling_disk(slope, speed, 1.0, on);
        d.contacts[0].side = side;
        const double bend = std::isfinite(on) ? 1.0 / (on + kDiskRadius) : 0.0;
        const double normal = 0.5 * (kGravity * std::cos(slope) - speed * speed * bend);
        const double friction = along * std::sin(slope);
        if (normal < 0.0 && side == Side::kUnilateral) {
          const StickingResult leaves = answer(d);
          EXPECT_EQ(leaves.contacts[0].state, ContactState::kDetaching) << on << " " << speed;
          continue;
        }
        const double needed = friction / std::abs(normal);
        for (const double share : {0.99, 1.001}) {
          d.contacts[0].mu = share * needed;
          const StickingResult rolls = answer(d);
          EXPECT_EQ(rolls.verdict, share > 1.0 ? Verdict::kHolds : Verdict::kFails)
              << on << " " << speed << " " << share << rolls.reason;
          EXPECT_NEAR(rolls.lambda[0], normal, 1e-9 * (1.0 + speed * speed)) << on << " " << speed;
          EXPECT_NEAR(rolls.lambda.segment<2>(1).norm(), friction, 1e-9 * (1.0 + speed * speed));
          if (share > 1.0) {
            EXPECT_NEAR(std::abs(rolls.acceleration[2]) * kDiskRadius, 2.0 / 3.0 * kGravity * std::sin(slope),
                        1e-9 * (1.0 + speed * speed));
          }
        }
      }
}

/// The lower one is pinned at its centre: like two gears, whatever their speed. Their material points at the contact
/// accelerate apart by 2 r w².
TEST(RollingForces, TwoDisksThatTurnOnEachOtherCarryTheWeight)
{
  for (const double rate : {0.0, 3.0, 500.0}) {
    SceneDescription d = scene_of({model_from_file("top", own_urdf("disk.urdf"), Base::kFixed),
                                   model_from_file("low", own_urdf("disk.urdf"), Base::kFixed)});
    d.models[0].multi_joints = {{"plane", {0, 2 * kDiskRadius, 0}}};
    d.models[0].multi_rates = {{"plane", {0, 0, rate}}};
    d.models[1].multi_rates = {{"plane", {0, 0, -rate}}};
    d.contacts = {contact("mesh", "top/disk", {0, 0, -kDiskRadius}, Vector3d::UnitZ())};
    d.contacts[0].on = "low/disk";
    d.contacts[0].radius = d.contacts[0].on_radius = SurfaceRadii{kDiskRadius, kInfinity};
    LoopDescription pin;
    pin.name = "pin";
    pin.link = "low/disk";
    pin.kind = LoopDescription::Kind::kPin;
    d.loops = {pin};
    const StickingResult turns = answer(d);
    EXPECT_EQ(turns.verdict, Verdict::kHolds) << turns.reason;
    EXPECT_NEAR(turns.lambda[0], 0.5 * kGravity, 1e-9 * (1.0 + rate));
    EXPECT_NEAR(turns.acceleration.norm(), 0.0, 1e-9 * (1.0 + rate));
    d.contacts[0].radius.reset();  // negative control: corners
    d.contacts[0].on_radius.reset();
    EXPECT_NEAR(answer(d).lambda[0], std::max(0.0, 0.5 * (kGravity - 2 * kDiskRadius * rate * rate)),
                1e-9 * (1 + rate));
  }
}

TEST(RollingForces, ABallOverAHillAndThroughAHollow)
{
  const double leaves = std::sqrt(kGravity * (1.0 + kBallRadius));
  for (const double speed : {0.5 * leaves, 0.999 * leaves, 1.001 * leaves, 2.0 * leaves}) {
    SceneDescription hill = rolling_ball(0.0, speed, 0.5);
    hill.contacts[0].on_radius = SurfaceRadii{1.0, 1.0};
    const StickingResult over = answer(hill);
    ASSERT_EQ(over.verdict, Verdict::kHolds);
    const double push = kBallMass * (kGravity - speed * speed / (1.0 + kBallRadius));
    EXPECT_NEAR(over.lambda[0], std::max(0.0, push), 1e-9);
    EXPECT_EQ(over.contacts[0].state == ContactState::kDetaching, push < 0.0);
    SceneDescription hollow = hill;
    hollow.contacts[0].on_radius = SurfaceRadii{-1.0, -1.0};
    EXPECT_NEAR(answer(hollow).lambda[0], kBallMass * (kGravity + speed * speed / (1.0 - kBallRadius)), 1e-9);
  }
}

}  // namespace
}  // namespace stiction
