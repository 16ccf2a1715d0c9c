// From descriptions to ordinary poses and contacts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "geometry/kinematics.hpp"
#include "stiction/error.hpp"
#include "stiction/geometry.hpp"

namespace stiction {
namespace {

using Eigen::Vector3d;
using testing::ElementsAre;
using testing::HasSubstr;
constexpr double kPi = std::numbers::pi;

std::string link(const std::string& name, const std::string& collision)
{
  return "<link name='" + name +
         "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>" +
         collision + "</link>";
}

std::string collision(const std::string& geometry, const std::string& origin = "")
{
  return "<collision>" + (origin.empty() ? "" : "<origin " + origin + "/>") + "<geometry>" + geometry +
         "</geometry></collision>";
}

std::string joint(const std::string& name, const std::string& type, const std::string& child, const std::string& rest)
{
  return "<joint name='" + name + "' type='" + type + "'><parent link='base'/><child link='" + child + "'/>" + rest +
         "</joint>";
}

std::string robot(const std::string& inside) { return "<robot name='r' version='1.2'>" + inside + "</robot>"; }

const std::string kBrick = robot(link("base", collision("<box size='0.4 0.2 0.1'/>")));

/// A body with four legs that end in balls; `short_by` of the last one.
std::string table(double short_by)
{
  std::string text = link("base", collision("<box size='0.6 0.6 0.02'/>"));
  const char* names[] = {"fl", "fr", "hl", "hr"};
  for (int i = 0; i < 4; ++i) {
    const double z = -0.5 + (i == 3 ? short_by : 0.0);
    text += link(names[i], collision("<sphere radius='0.02'/>"));
    text += joint(std::string("leg_") + names[i], "fixed", names[i],
                  "<origin xyz='" + std::to_string(i < 2 ? 0.25 : -0.25) + " " + std::to_string(i % 2 ? -0.25 : 0.25) +
                      " " + std::to_string(z) + "'/>");
  }
  return robot(text);
}

SceneDescription scene_of(const std::string& urdf, const std::string& name = "robot")
{
  SceneDescription scene;
  ModelDescription model;
  model.name = name;
  model.urdf_text = urdf;
  scene.models = {model};
  return scene;
}

ContactDescription detected(const Detect& detect = {}, double mu = 0.5)
{
  ContactDescription contact;
  contact.name = "auto";
  contact.mu = mu;
  contact.detect = detect;
  return contact;
}

ContactDescription by_hand(const std::string& link, const Vector3d& point)
{
  ContactDescription contact;
  contact.name = "hand";
  contact.link = link;
  contact.points = {point};
  contact.mu = 0.5;
  return contact;
}

ResolvedScene resolve(const SceneDescription& scene) { return SceneGeometry(scene).resolve(scene); }

std::vector<std::string> names_of(const std::vector<ContactDescription>& contacts)
{
  std::vector<std::string> names;
  for (const ContactDescription& contact : contacts) names.push_back(contact.name);
  return names;
}

std::vector<std::string> messages_of(const SceneDescription& scene)
{
  std::vector<std::string> messages;
  for (const Warning& warning : resolve(scene).warnings) messages.push_back(warning.message());
  return messages;
}

std::string refusal(const SceneDescription& scene)
{
  try {
    resolve(scene);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(SceneGeometry, ARobotIsLetDownOntoTheGround)
{
  SceneDescription scene = scene_of(table(0.0));
  scene.ground.emplace().point = {0, 0, 0.3};
  scene.models[0].placing.emplace();
  scene.models[0].pose = {{1, 2, 0}, {0, 0, 0.7}};
  scene.contacts = {detected()};
  const ResolvedScene result = resolve(scene);
  EXPECT_LT((result.scene.models[0].pose.xyz - Vector3d(1, 2, 0.82)).norm(), 1e-12);
  EXPECT_LT((result.scene.models[0].pose.rpy - Vector3d(0, 0, 0.7)).norm(), 1e-12);
  EXPECT_FALSE(result.scene.models[0].placing);
  ASSERT_THAT(names_of(result.scene.contacts), ElementsAre("fl", "fr", "hl", "hr"));
  for (const ContactDescription& contact : result.scene.contacts) {
    EXPECT_EQ(contact.on, "world");
    EXPECT_LT((contact.points[0] - Vector3d(0, 0, -0.02)).norm(), 1e-9) << "the lowest point of the ball";
    EXPECT_EQ(contact.normal, Vector3d::UnitZ());
    EXPECT_EQ(contact.normal_frame, ContactFrame::kWorld);
    EXPECT_FALSE(contact.patch);
  }
  ASSERT_EQ(result.detected.size(), 4u);
  EXPECT_EQ(result.detected[0].link, "robot/fl");
  EXPECT_EQ(result.detected[0].with, "ground");
  EXPECT_NEAR(result.detected[0].distances[0], 0.0, 1e-12);
  EXPECT_TRUE(result.warnings.empty());
  Scene(result.scene).compute();
}

TEST(SceneGeometry, OnASlopeTheRobotIsTiltedWithItAndGravityIsNot)
{
  SceneDescription scene = scene_of(table(0.0));
  const double slope = 15 * kPi / 180;
  scene.ground.emplace().normal = {-std::sin(slope), 0, std::cos(slope)};
  scene.models[0].placing.emplace();
  scene.contacts = {detected()};
  const ResolvedScene result = resolve(scene);
  EXPECT_EQ(result.scene.contacts.size(), 4u);
  EXPECT_LT((result.scene.models[0].pose.rpy - Vector3d(0, -slope, 0)).norm(), 1e-12) << "nose up: it rises towards x";
  EXPECT_LT((result.scene.models[0].pose.xyz - 0.52 * scene.ground->normal).norm(), 1e-12);
  EXPECT_EQ(result.scene.gravity, Vector3d(0, 0, -9.81));
  EXPECT_LT((result.scene.contacts[0].normal - scene.ground->normal).norm(), 1e-12);
}

TEST(SceneGeometry, AShortLegFloatsUntilTheTableSettles)
{
  SceneDescription scene = scene_of(table(0.03));
  scene.ground.emplace();
  scene.models[0].placing.emplace();
  scene.contacts = {detected({{"robot/fl", "robot/fr", "robot/hl", "robot/hr"}, "ground", 0.002})};
  const ResolvedScene lowered = resolve(scene);
  EXPECT_THAT(names_of(lowered.scene.contacts), ElementsAre("fl", "fr", "hl"));
  ASSERT_EQ(lowered.warnings.size(), 1u);
  EXPECT_EQ(lowered.warnings[0].kind, Warning::Kind::kFloats);
  EXPECT_THAT(lowered.warnings[0].message(), HasSubstr("'robot/hr' does not touch: it is 30 mm from the ground"));
  scene.models[0].placing->settle = true;
  // Its weight is over the three long legs, or on their edge: it stays on three.
  EXPECT_EQ(resolve(scene).scene.contacts.size(), 3u);
  scene.models[0].placing->feet = {"fl", "fr"};
  EXPECT_THAT(refusal(scene), HasSubstr("models.robot.pose.settle: want a robot that comes to rest"));
  scene.models[0].placing->feet = {"base", "tail"};
  EXPECT_THAT(refusal(scene), HasSubstr("models.robot.pose.feet[1]: want a link with collision shapes, got 'tail'"));
}

TEST(SceneGeometry, PatchesHaveTheCornersOfTheirHull)
{
  SceneDescription scene = scene_of(kBrick);
  scene.ground.emplace().mu = 0.3;
  scene.models[0].pose.xyz = {0, 0, 0.0515};
  scene.contacts = {detected()};
  scene.contacts[0].detect->mu_of_surface = true;
  const ResolvedScene result = resolve(scene);
  ASSERT_EQ(result.scene.contacts.size(), 1u);
  EXPECT_EQ(result.scene.contacts[0].points.size(), 4u);
  EXPECT_EQ(result.scene.contacts[0].mu, 0.3);
  EXPECT_TRUE(result.scene.contacts[0].patch);
  for (const Vector3d& point : result.scene.contacts[0].points)
    EXPECT_LT((point.cwiseAbs() - Vector3d(0.2, 0.1, 0.05)).norm(), 1e-12);
  for (const double distance : result.detected[0].distances) EXPECT_NEAR(distance, 0.0015, 1e-12);
  EXPECT_EQ(Scene(result.scene).compute().contacts[2].name, "base/2");
  scene.contacts[0].detect->within = 0.001;
  EXPECT_TRUE(resolve(scene).scene.contacts.empty());
  EXPECT_THAT(resolve(scene).warnings[0].message(), HasSubstr("the nearest is 'robot/base', 1.5 mm from the ground"));
}

TEST(SceneGeometry, ObstaclesTouchWithTheirOwnNormalsAndFriction)
{
  SceneDescription scene = scene_of(kBrick);
  scene.ground.emplace().mu = 0.5;
  scene.models[0].pose.xyz = {0, 0, 0.05};
  Obstacle wall;
  wall.name = "wall";
  wall.size = {0.1, 2, 2};
  wall.pose.xyz = {0.2505, 0, 1};  // 0.5 mm from the brick
  wall.mu = 0.9;
  Obstacle ceiling;
  ceiling.name = "ceiling";
  ceiling.kind = Obstacle::Kind::kPlane;
  ceiling.pose = {{0, 0, 0.1}, {kPi, 0, 0}};
  ceiling.mu = 0.1;
  scene.obstacles = {wall, ceiling};
  scene.contacts = {detected()};
  scene.contacts[0].detect->mu_of_surface = true;
  const ResolvedScene result = resolve(scene);
  ASSERT_THAT(names_of(result.scene.contacts), ElementsAre("base", "base@wall", "base@ceiling"));
  const ContactDescription& side = result.scene.contacts[1];
  EXPECT_LT((side.normal - Vector3d(-1, 0, 0)).norm(), 1e-6) << "from the wall into the brick";
  EXPECT_EQ(side.mu, 0.9);
  ASSERT_EQ(side.points.size(), 4u);
  for (const Vector3d& point : side.points) EXPECT_LT((point.cwiseAbs() - Vector3d(0.2, 0.1, 0.05)).norm(), 1e-6);
  EXPECT_GT(side.points[0].x(), 0.0);
  EXPECT_NEAR(result.detected[1].distances[0], 0.0005, 1e-6);
  EXPECT_LT((result.scene.contacts[2].normal - Vector3d(0, 0, -1)).norm(), 1e-12);
  EXPECT_EQ(result.scene.contacts[2].mu, 0.1);
  scene.contacts[0].detect->with = "wall";
  EXPECT_THAT(names_of(resolve(scene).scene.contacts), ElementsAre("base@wall"));
  scene.contacts[0].detect->with = "door";
  EXPECT_THAT(refusal(scene), HasSubstr("contacts[0].detect.with: want ground, an obstacle, a model or model/link"));
}

TEST(SceneGeometry, ModelsTouchEachOther)
{
  SceneDescription scene = scene_of(robot(link("base", collision("<sphere radius='0.1'/>"))), "ball");
  SceneDescription other = scene_of(kBrick, "brick");
  scene.models.push_back(other.models[0]);
  scene.models[0].pose.xyz = {0.3, 0, 0};  // beside the brick's end at x = 0.2
  scene.models[1].base = Base::kFixed;
  scene.contacts = {detected({{"ball/base"}, "brick", 0.002})};
  const ResolvedScene result = resolve(scene);
  ASSERT_THAT(names_of(result.scene.contacts), ElementsAre("base@base"));
  const ContactDescription& contact = result.scene.contacts[0];
  EXPECT_EQ(contact.link, "ball/base");
  EXPECT_EQ(contact.on, "brick/base");
  EXPECT_LT((contact.points[0] - Vector3d(-0.1, 0, 0)).norm(), 1e-6);
  EXPECT_LT((contact.normal - Vector3d(1, 0, 0)).norm(), 1e-6) << "from the brick into the ball";
  EXPECT_EQ(contact.normal_frame, ContactFrame::kOn);
  scene.contacts[0].detect->mu_of_surface = true;
  EXPECT_THAT(refusal(scene), HasSubstr("contacts[0].mu: want friction between 'ball/base' and 'brick/base'"));
}

TEST(SceneGeometry, WhatStandsStillDoesNotTouchTheGround)
{
  SceneDescription scene = scene_of(kBrick);
  scene.ground.emplace();
  scene.models[0].base = Base::kFixed;
  scene.models[0].pose.xyz = {0, 0, 0.05};
  scene.contacts = {detected()};
  EXPECT_TRUE(resolve(scene).scene.contacts.empty());
}

TEST(SceneGeometry, SeveralModelsOfOneRobotHaveNamesOfTheirOwn)
{
  SceneDescription scene = scene_of(kBrick, "left");
  scene.models.push_back(scene.models[0]);
  scene.models[1].name = "right";
  scene.models[1].pose.xyz = {0, 3, 0};
  scene.ground.emplace();
  for (ModelDescription& model : scene.models) model.placing.emplace();
  scene.contacts = {detected()};
  EXPECT_THAT(names_of(resolve(scene).scene.contacts), ElementsAre("left/base", "right/base"));
}

TEST(Implausible, AFootInTheAirIsTold)
{
  SceneDescription scene = scene_of(table(0.0));
  scene.ground.emplace();
  scene.models[0].pose.xyz = {0, 0, 0.52 + 0.16};
  scene.contacts = {by_hand("robot/fl", {0, 0, -0.02})};
  const ResolvedScene result = resolve(scene);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0].kind, Warning::Kind::kOffSurface);
  EXPECT_EQ(result.warnings[0].message(), "contacts[0].at: is 160 mm away from the ground");
  scene.models[0].pose.xyz.z() = 7;
  EXPECT_THAT(resolve(scene).warnings[0].message(), HasSubstr("is 6.48 m away from the ground"));
  scene.models[0].pose.xyz.z() = 0.52;
  EXPECT_TRUE(resolve(scene).warnings.empty());
}

TEST(Implausible, APitchedSoleIsTold)
{
  SceneDescription scene = scene_of(kBrick);
  scene.ground.emplace();
  const double pitch = 18 * kPi / 180;
  scene.models[0].pose = {{0, 0, 0.05 * std::cos(pitch) + 0.2 * std::sin(pitch)}, {0, pitch, 0}};
  scene.contacts = {by_hand("robot/base", {0.2, 0.1, -0.05})};
  scene.contacts[0].points = {{0.2, 0.1, -0.05}, {0.2, -0.1, -0.05}, {-0.2, 0.1, -0.05}, {-0.2, -0.1, -0.05}};
  const ResolvedScene result = resolve(scene);
  ASSERT_EQ(result.warnings.size(), 2u);
  EXPECT_EQ(result.warnings[0].message(), "contacts[0].points[2]: is 124 mm away from the ground");
  EXPECT_EQ(result.warnings[1].kind, Warning::Kind::kNormal);
  EXPECT_EQ(result.warnings[1].message(), "contacts[0].normal: is 18 degrees off the normal of the ground");
}

TEST(Implausible, WrongNormalsPointsBesideTheLinkAndRobotsUnderTheGroundAreTold)
{
  SceneDescription scene = scene_of(kBrick);
  scene.ground.emplace();
  scene.models[0].pose.xyz = {0, 0, 0.05};
  scene.contacts = {by_hand("robot/base", {0, 0, -0.05})};
  scene.contacts[0].normal = {0, 0, -1};
  EXPECT_EQ(resolve(scene).warnings.at(0).message(), "contacts[0].normal: points into the ground");
  scene.contacts[0] = by_hand("robot/base", {0.3, 0, -0.05});
  EXPECT_EQ(resolve(scene).warnings.at(0).message(),
            "contacts[0].at: is 100 mm away from the collision shapes of 'robot/base'");
  scene.contacts.clear();
  scene.models[0].pose.xyz.z() = -0.1;
  const auto warnings = resolve(scene).warnings;
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].kind, Warning::Kind::kUnderGround);
  EXPECT_THAT(warnings[0].message(), HasSubstr("models.robot.pose: the root link is 100 mm under the ground"));
  EXPECT_THAT(warnings[1].message(), HasSubstr("link 'base' is 150 mm under the ground"));
}

TEST(Implausible, PointsBesideTheirLinkAreToldWithoutAnyGround)
{
  SceneDescription scene = scene_of(kBrick);
  scene.models[0].pose.xyz = {0, 0, 7};
  scene.contacts = {by_hand("robot/base", {0, 0, -0.45})};
  EXPECT_THAT(messages_of(scene),
              ElementsAre("contacts[0].at: is 400 mm away from the collision shapes of 'robot/base'"));
  scene.contacts[0].points = {{0.2, 0.1, -0.05}, {0.2, 0, -0.056}};
  EXPECT_THAT(messages_of(scene),
              ElementsAre("contacts[0].points[1]: is 6 mm away from the collision shapes of 'robot/base'"));
  scene.contacts[0].points = {{0.2, 0.1, -0.05}, {0.2, 0, -0.054}, {0, 0, 0}};
  EXPECT_THAT(messages_of(scene), ElementsAre()) << "4 mm are little; nor are points inside told";
  scene.contacts[0] = by_hand("robot/base", {0, 0, -0.45});
  scene.contacts[0].active = false;
  EXPECT_THAT(messages_of(scene), ElementsAre());
  scene.models[0].urdf_text = robot(link("base", ""));
  scene.contacts[0].active = true;
  EXPECT_THAT(messages_of(scene), ElementsAre()) << "there are no shapes";
}

TEST(Implausible, ContactsBetweenLinksAreComparedWithBoth)
{
  SceneDescription scene = scene_of(kBrick, "lower");
  scene.models.push_back(scene_of(kBrick, "upper").models[0]);
  scene.models[1].pose.xyz = {0, 0, 0.12};  // a gap of 20 mm
  scene.contacts = {by_hand("upper/base", {0, 0, -0.05})};
  scene.contacts[0].on = "lower/base";
  EXPECT_THAT(messages_of(scene),
              ElementsAre("contacts[0].at: is 20 mm away from the collision shapes of 'lower/base'"));
  scene.models[1].pose.xyz.z() = 0.1;
  EXPECT_THAT(messages_of(scene), ElementsAre());
}

TEST(Implausible, PointsInTheAxesOfWhatIsTouchedAreTakenThere)
{
  SceneDescription scene = scene_of(kBrick, "lower");
  scene.models.push_back(scene_of(kBrick, "upper").models[0]);
  scene.models[0].pose = {{1, 0, 0}, {0, 0, kPi / 2}};
  scene.models[1].pose.xyz = {1, 0, 0.12};  // a gap of 20 mm
  scene.contacts = {by_hand("upper/base", {0, 0.05, 0.05})};
  scene.contacts[0].on = "lower/base";
  scene.contacts[0].at_frame = ContactFrame::kOn;
  EXPECT_THAT(messages_of(scene),
              ElementsAre("contacts[0].at: is 20 mm away from the collision shapes of 'upper/base'"));
  scene.models[1].pose.xyz.z() = 0.1;
  EXPECT_THAT(messages_of(scene), ElementsAre());
}

TEST(Implausible, LinksThatAreFixedToEachOtherAreOneBody)
{
  SceneDescription scene = scene_of(table(0.0));
  scene.contacts = {by_hand("robot/base", {0.25, 0.25, -0.52})};  // the end of a leg
  EXPECT_THAT(messages_of(scene), ElementsAre());
  scene.contacts[0].points[0].z() -= 0.1;
  EXPECT_THAT(messages_of(scene),
              ElementsAre("contacts[0].at: is 100 mm away from the collision shapes of 'robot/base'"));
}

TEST(Implausible, EveryLinkUnderTheGroundIsCounted)
{
  SceneDescription scene = scene_of(table(0.1));  // one leg is shorter
  scene.ground.emplace();
  scene.models[0].pose.xyz.z() = 0.52 - 0.02;
  EXPECT_THAT(messages_of(scene),
              ElementsAre("models.robot.pose: link 'fl' and 2 more are up to 20 mm under the ground"));
}

/// A brick of 0.4 x 0.2 x 0.1 m, 50 mm inside something else.
TEST(Implausible, DetectedContactsDeepInsideAreTold)
{
  SceneDescription scene = scene_of(kBrick);
  Obstacle step;
  step.name = "step";
  step.size = {2, 2, 0.4};
  step.pose.xyz.z() = -0.2;
  scene.obstacles = {step};
  scene.contacts = {detected()};
  const auto told = [&](double z) {
    scene.models[0].pose.xyz.z() = z;
    return messages_of(scene);
  };
  EXPECT_THAT(told(0.05 - 0.05), ElementsAre("contacts[0]: 'robot/base' is 50 mm inside 'step'"));
  EXPECT_THAT(told(0.05 - 0.004), ElementsAre());
  scene.obstacles[0].kind = Obstacle::Kind::kPlane;
  scene.obstacles[0].pose.xyz.z() = 0.0;
  EXPECT_THAT(told(0.05 - 0.03), ElementsAre("contacts[0]: 'robot/base' is 30 mm inside 'step'"));
  EXPECT_THAT(told(0.05), ElementsAre());
  scene.obstacles.clear();
  scene.models.push_back(scene_of(kBrick, "other").models[0]);
  EXPECT_THAT(told(0.1 - 0.02), ElementsAre("contacts[0]: 'robot/base' is 20 mm inside 'other/base'"));
  EXPECT_THAT(told(0.1), ElementsAre());
}

TEST(Implausible, PointsInsideBoxesAndNormalsIntoThemAreTold)
{
  SceneDescription scene = scene_of(kBrick);
  Obstacle step;
  step.name = "step";
  step.size = {0.4, 0.4, 0.4};
  step.pose = {{1, 0, 0}, {0, 0, kPi / 2}};
  scene.obstacles = {step};
  scene.contacts = {by_hand("robot/base", {-0.2, 0, 0})};
  ContactDescription& contact = scene.contacts[0];
  const auto told = [&](double x, const Vector3d& normal) {  // the end of the brick, beside the face at x = 1.2
    scene.models[0].pose.xyz.x() = 0.2 + x;
    contact.normal = normal;
    return messages_of(scene);
  };
  EXPECT_THAT(told(1.2, Vector3d::UnitX()), ElementsAre());
  EXPECT_THAT(told(1.15, -Vector3d::UnitX()),
              ElementsAre("contacts[0].at: is 50 mm inside 'step'", "contacts[0].normal: points into 'step'"));
  EXPECT_THAT(told(1.3, Vector3d::UnitX()), ElementsAre("contacts[0].at: is 100 mm away from 'step'"));
  EXPECT_THAT(told(1.2, Vector3d(std::cos(0.3), std::sin(0.3), 0)),
              ElementsAre("contacts[0].normal: is 17.2 degrees off the normal of 'step'"));
  contact.points[0] = {-0.2, 0, 0.05};  // of the edge of a lower step any normal between those of both faces
  scene.obstacles[0].pose.xyz.z() = -0.15;
  EXPECT_THAT(told(1.2, Vector3d(1, 0, 1).normalized()), ElementsAre());
  EXPECT_THAT(told(1.2, Vector3d::UnitZ()), ElementsAre());
  EXPECT_THAT(told(1.2, Vector3d(-1, 0, -0.1).normalized()), ElementsAre("contacts[0].normal: points into 'step'"));
}

/// Nearest point of a triangle: in its inside, on its edges or at its corners, by trying all.
Vector3d nearest_of_triangle(const std::array<Vector3d, 3>& corner, const Vector3d& point)
{
  Vector3d best = corner[0];
  const auto consider = [&](const Vector3d& one) {
    if ((one - point).norm() < (best - point).norm()) best = one;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3d &a = corner[i], along = corner[(i + 1) % 3] - a;
    consider(a + std::clamp((point - a).dot(along) / along.squaredNorm(), 0.0, 1.0) * along);
  }
  Eigen::Matrix<double, 3, 2> sides;
  sides << corner[1] - corner[0], corner[2] - corner[0];
  const Eigen::Vector2d in = (sides.transpose() * sides).inverse() * sides.transpose() * (point - corner[0]);
  if (in.minCoeff() >= 0.0 && in.sum() <= 1.0) consider(corner[0] + sides * in);
  return best;
}

/// A ball beside a tetrahedron from a file, scaled and turned: against every triangle.
TEST(SceneGeometry, MeshObstaclesTouchWhereTheirTrianglesAreNearest)
{
  std::mt19937 rng{11};
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto draw = [&] { return Vector3d(uniform(rng), uniform(rng), uniform(rng)); };
  int at_faces = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const std::string file = testing::TempDir() + "tetrahedron" + std::to_string(::getpid()) + ".stl";
    const std::array<Vector3d, 4> corner{Vector3d(1, 0.2, 0.1), Vector3d(-0.7, 1, -0.2), Vector3d(-0.3, -1, 0.2),
                                         Vector3d(0.1, 0.2, 1.5)};
    std::ofstream out(file);
    out << "solid t\n";
    for (std::size_t leave = 0; leave < 4; ++leave) {
      out << "facet normal 0 0 0\nouter loop\n";
      for (std::size_t i = 0; i < 4; ++i)
        if (i != leave) out << "vertex " << corner[i].transpose() << "\n";
      out << "endloop\nendfacet\n";
    }
    out << "endsolid t\n";
    out.close();
    Obstacle rock;
    rock.name = "rock";
    rock.kind = Obstacle::Kind::kMesh;
    rock.mesh_file = file;
    rock.size = {0.3, 0.2, 0.4};
    rock.pose = {draw(), 3.0 * draw()};
    const Eigen::Isometry3d pose = internal::isometry(rock.pose.xyz, rock.pose.rpy);
    const Vector3d center = rock.pose.xyz + draw().normalized() * 2.0;
    Vector3d nearest = Vector3d::Constant(1e3);
    for (std::size_t leave = 0; leave < 4; ++leave) {
      std::array<Vector3d, 3> triangle;
      for (std::size_t i = 0, k = 0; i < 4; ++i)
        if (i != leave) triangle[k++] = pose * Vector3d(rock.size.cwiseProduct(corner[i]));
      const Vector3d one = nearest_of_triangle(triangle, center);
      if ((one - center).norm() < (nearest - center).norm()) nearest = one;
    }
    const double radius = (nearest - center).norm() - 0.001;  // a gap of 1 mm
    SceneDescription scene =
        scene_of(robot(link("base", collision("<sphere radius='" + std::to_string(radius) + "'/>"))));
    scene.models[0].pose.xyz = center;
    scene.obstacles = {rock};
    scene.contacts = {detected()};
    const ResolvedScene result = resolve(scene);
    std::filesystem::remove(file);
    ASSERT_EQ(result.detected.size(), 1u) << trial;
    const Vector3d normal = (center - nearest).normalized();
    constexpr double kWritten = 2e-6;  // six decimals of the radius, and the tolerance of distances
    EXPECT_NEAR(result.detected[0].distances.at(0), 0.001, kWritten);
    EXPECT_LT((result.scene.contacts[0].normal - normal).norm(), 1e-4);
    EXPECT_LT((center + result.scene.contacts[0].points.at(0) - (nearest + 0.001 * normal)).norm(), 2e-4) << trial;
    double off = 1e3;
    for (const Vector3d& one : corner)
      off = std::min(off, (pose * Vector3d(rock.size.cwiseProduct(one)) - nearest).norm());
    at_faces += off > 0.01;
  }
  EXPECT_GT(at_faces, 5) << "not only corners";
}

TEST(SceneGeometry, RefusesWhatItCannotDo)
{
  SceneDescription scene = scene_of(kBrick);
  scene.models[0].placing.emplace();
  EXPECT_THAT(refusal(scene), HasSubstr("models.robot.pose.on: want a scenario with a ground, got none"));
  EXPECT_THROW(Scene{scene}, InputError) << "poses to be found are no poses";
  scene = scene_of(robot(link("base", "")));
  scene.ground.emplace();
  scene.models[0].placing.emplace();
  EXPECT_THAT(refusal(scene), HasSubstr("want a URDF with collision shapes"));
  scene.models[0].placing.reset();
  scene.contacts = {detected({{"robot/base"}, "ground", 0.002})};
  EXPECT_THAT(refusal(scene), HasSubstr("contacts[0].detect.links[0]: want a link with collision shapes"));
  EXPECT_THROW(Scene{scene}, InputError) << "contacts to be found are no contacts";
  scene = scene_of(robot(link("base", collision("<mesh filename='no_such.stl'/>"))));
  scene.ground.emplace();
  scene.contacts = {detected()};
  EXPECT_THAT(refusal(scene), HasSubstr("models.robot.urdf: want a readable mesh, got 'no_such.stl'"));
}

TEST(SceneGeometry, CapsulesAreReadWhereUrdfHasThem)
{
  SceneDescription scene =
      scene_of(robot(link("base", collision("<capsule radius='0.1' length='0.4'/>", "rpy='0 1.5707963267948966 0'"))));
  scene.ground.emplace();
  scene.models[0].placing.emplace();
  scene.contacts = {detected()};
  const ResolvedScene result = resolve(scene);
  EXPECT_NEAR(result.scene.models[0].pose.xyz.z(), 0.1, 1e-12);
  EXPECT_EQ(result.scene.contacts.at(0).points.size(), 2u);
}

/// Frames of links are those of the scene, joints of every type included.
TEST(LinkPoses, AgreeWithTheScene)
{
  std::string text = link("base", "");
  text += link("a", "") + joint("turn", "revolute", "a",
                                "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><axis xyz='1 2 2'/><limit lower='-3' upper='3' "
                                "effort='1' velocity='1'/>");
  text += link("b", "") +
          joint("slide", "prismatic", "b", "<axis xyz='0 1 1'/><limit lower='-3' upper='3' effort='1' velocity='1'/>");
  text += link("c", "") + joint("plane", "planar", "c", "<origin xyz='0 0 1'/><axis xyz='1 0 1'/>");
  text += link("d", "") + joint("free", "floating", "d", "<origin rpy='0 0 1'/>");
  text += link("e", "") +
          joint("follow", "continuous", "e", "<axis xyz='0 0 1'/><mimic joint='turn' multiplier='-2' offset='0.5'/>");
  SceneDescription scene = scene_of(robot(text));
  scene.models[0].joints = {{"turn", 0.7}, {"slide", -0.4}};
  scene.models[0].multi_joints = {{"plane", {0.3, -0.2, 0.9}}, {"free", {1, 2, 3, 0.4, 0.5, 0.6}}};
  scene.models[0].pose = {{3, 2, 1}, {0.3, -0.8, 2}};
  Scene whole(scene);
  const internal::UrdfTree tree = internal::parse_urdf(scene.models[0].urdf_text, "urdf");
  const internal::ModelState state = internal::read_state(scene.models[0], tree);
  const auto poses = internal::link_poses(tree, state);
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Eigen::Isometry3d wanted = whole.link_pose(whole.described_state(), "robot/" + tree.links[i].name);
    EXPECT_TRUE((state.pose * poses[i]).isApprox(wanted, 1e-12)) << tree.links[i].name;
  }
  EXPECT_LT(
      (state.pose * internal::mass_point(tree, poses).center - whole.center_of_mass(whole.described_state())).norm(),
      1e-12);
}

TEST(RpyOf, IsTheInverse)
{
  std::mt19937 rng{2};
  std::uniform_real_distribution<double> uniform(-kPi, kPi);
  for (int i = 0; i < 200; ++i) {
    Vector3d rpy(uniform(rng), uniform(rng) / 2, uniform(rng));
    if (i % 10 == 0) rpy.y() = i % 20 ? kPi / 2 : -kPi / 2;
    const Eigen::Matrix3d R = internal::isometry(Vector3d::Zero(), rpy).linear();
    EXPECT_TRUE(internal::isometry(Vector3d::Zero(), internal::rpy_of(R)).linear().isApprox(R, 1e-9));
  }
}

}  // namespace
}  // namespace stiction
