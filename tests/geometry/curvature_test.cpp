// Radii of curvature of contacts that collision shapes make, against those that the shapes have by hand.
#include "geometry/curvature.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace stiction {
namespace {

using Eigen::Vector3d;

/// A body of one shape, turned about y, on the ground.
SceneDescription lying(const std::string& shapes, double pitch = 0.0)
{
  SceneDescription scene;
  ModelDescription model;
  model.name = "body";
  model.urdf_text =
      "<robot name='r' version='1.2'><link name='base'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
      "iyy='1' "
      "iyz='0' izz='1'/></inertial>" +
      shapes + "</link></robot>";
  model.placing = Placing{};
  model.pose.rpy = {0.0, pitch, 0.3};
  scene.models = {model};
  scene.ground = Ground{};
  scene.ground->mu = 0.5;
  ContactDescription contact;
  contact.name = "auto";
  contact.detect = Detect{};
  contact.detect->mu_of_surface = true;
  scene.contacts = {contact};
  return scene;
}

std::string shape(const std::string& geometry, const std::string& xyz = "0 0 0")
{
  return "<collision><origin xyz='" + xyz + "'/><geometry>" + geometry + "</geometry></collision>";
}

ContactDescription found(const SceneDescription& scene)
{
  const ResolvedScene resolved = SceneGeometry(scene).resolve(scene);
  EXPECT_EQ(resolved.scene.contacts.size(), 1u);
  return resolved.scene.contacts.at(0);
}

TEST(Curvature, OfShapesOnTheGround)
{
  const std::string ball = shape("<sphere radius='0.05'/>"), rod = shape("<cylinder radius='0.1' length='0.6'/>"),
                    pill = shape("<capsule radius='0.02' length='0.3'/>"), box = shape("<box size='0.2 0.2 0.2'/>");
  const double lie = std::numbers::pi / 2;
  ContactDescription contact = found(lying(ball, 0.7));
  ASSERT_TRUE(contact.radius);
  EXPECT_EQ(contact.radius->first, 0.05);
  EXPECT_EQ(contact.radius->second, 0.05);
  EXPECT_FALSE(contact.on_radius) << "the ground is flat";
  for (const std::string& lies : {rod, pill}) {
    contact = found(lying(lies, lie));
    ASSERT_EQ(contact.points.size(), 2u);
    ASSERT_TRUE(contact.radius && contact.radius->along);
    EXPECT_EQ(contact.radius->first, kInfinity);
    EXPECT_EQ(contact.radius->second, lies == rod ? 0.1 : 0.02);
    EXPECT_LT(contact.radius->along->cross(Vector3d(std::cos(0.3), std::sin(0.3), 0.0)).norm(), 1e-12);
  }
  contact = found(lying(pill, 0.4));  // on its lower end
  ASSERT_TRUE(contact.radius);
  EXPECT_EQ(contact.radius->first, 0.02);
  EXPECT_FALSE(contact.radius->along);
  for (const auto& sharp : {lying(box), lying(box, 0.4), lying(rod), lying(rod, 0.4)})
    EXPECT_FALSE(found(sharp).radius) << "corners and edges stay with their body";
  // Balls of one size under a foot are one contact; of two sizes, nothing is said.
  EXPECT_TRUE(found(lying(shape("<sphere radius='0.05'/>", "0.2 0 0") + ball)).radius);
  EXPECT_FALSE(found(lying(shape("<sphere radius='0.06'/>", "0.2 0 0.01") + ball)).radius);
  // What the entry says stays.
  SceneDescription own = lying(ball);
  own.contacts[0].radius = SurfaceRadii{1.0, 2.0, {}};
  EXPECT_EQ(found(own).radius->first, 1.0);
}

TEST(Curvature, OfTwoBodies)
{
  // A ball on a lying cylinder, which has its axis along the world's y, and on the face and the edge of a box.
  SceneDescription scene = lying(shape("<sphere radius='0.05'/>"));
  scene.models[0].placing.reset();
  scene.models[0].pose = {{0.0, 0.0, 0.15}, {0.2, 0.1, 0.0}};
  scene.ground.reset();
  scene.contacts[0].mu = 0.5;
  scene.contacts[0].detect->mu_of_surface = false;
  ModelDescription other = lying(shape("<cylinder radius='0.1' length='0.6'/>")).models[0];
  other.name = "other";
  other.placing.reset();
  other.pose = {{0.0, 0.0, 0.0}, {std::numbers::pi / 2, 0.0, 0.0}};
  scene.models.push_back(other);
  ContactDescription contact = found(scene);
  ASSERT_TRUE(contact.radius && contact.on_radius && contact.on_radius->along);
  EXPECT_EQ(contact.radius->first, 0.05);
  EXPECT_EQ(contact.on_radius->first, kInfinity);
  EXPECT_EQ(contact.on_radius->second, 0.1);
  EXPECT_EQ(contact.normal_frame, ContactFrame::kOn);  // then so is `along`: the axis, z of the cylinder
  EXPECT_LT(contact.on_radius->along->cross(Vector3d::UnitZ()).norm(), 1e-6);

  scene.models[1].pose = {{0.0, 0.0, -0.2}, {}};  // upright: on its flat end
  contact = found(scene);
  ASSERT_TRUE(contact.radius);
  EXPECT_EQ(contact.radius->first, 0.05);
  EXPECT_FALSE(contact.on_radius) << "its end is flat";

  scene.models[1] = lying(shape("<box size='0.2 0.2 0.2'/>")).models[0];
  scene.models[1].name = "other";
  scene.models[1].placing.reset();
  scene.models[1].pose = {};
  contact = found(scene);
  EXPECT_TRUE(contact.radius);
  EXPECT_FALSE(contact.on_radius);
  scene.models[1].pose.rpy = {0.0, std::numbers::pi / 4, 0.0};
  scene.models[0].pose.xyz.z() = 0.1 * std::numbers::sqrt2 + 0.05;
  EXPECT_FALSE(found(scene).radius) << "a ball on an edge: not known";
}

TEST(Curvature, ABallThatRollsKeepsItsGap)
{
  // With velocities that stay the same in its own axes, which turn, the centre accelerates by omega x v = -80 m/s² z,
  // and so does the gap; the material point below it has omega² r = 80 m/s² besides.
  SceneDescription scene = lying(shape("<sphere radius='0.05'/>"));
  scene.models[0].pose.rpy.setZero();
  SceneDescription plain = SceneGeometry(scene).resolve(scene).scene;
  plain.models[0].linear_velocity = {2.0, 0.0, 0.0};
  plain.models[0].angular_velocity = {0.0, 40.0, 0.0};
  EXPECT_NEAR(Scene(plain).compute().gamma[0], -80.0, 1e-9);
  plain.contacts[0].radius.reset();
  EXPECT_NEAR(Scene(plain).compute().gamma[0], 0.0, 1e-9);
}

}  // namespace
}  // namespace stiction
