// Scenes in a plane: one tangent per contact, planar bodies, the same matrices as the scene in space has in that plane.
#include <gmock/gmock.h>

#include <cmath>

#include "base/linear_algebra.hpp"
#include "scene/helpers.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

using testing::contact;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::model_from_file;
using testing::own_urdf;
using testing::pinch;
using testing::scene_of;

std::string plane_error(const SceneDescription& d)
{
  try {
    Scene(d).compute();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A box (1 kg, edges of 0.2 m) that stands on two edges' middles, turned by `pitch` in the plane xz.
SceneDescription box_in_plane(double pitch, ScenePlane plane = ScenePlane::kXz)
{
  SceneDescription d = scene_of({model_from_file("box", own_urdf("box.urdf"), Base::kFloating)});
  d.models[0].pose.rpy.y() = pitch;
  d.models[0].pose.xyz = {0.3, -0.2, 0.7};
  d.contacts = {contact("right", "box/box", {0.1, 0.05, -0.1}, Eigen::Vector3d::UnitZ(), 0.4),
                contact("left", "box/box", {-0.1, -0.05, -0.1}, Eigen::Vector3d::UnitZ(), 0.4)};
  d.plane = plane;
  return d;
}

TEST(Plane, FloatingBoxHasThreeDegreesOfFreedomAndOneTangent)
{
  for (const double pitch : {0.0, 0.35, -2.0}) {
    Scene scene(box_in_plane(pitch));
    const ContactProblem p = scene.compute();
    p.validate();
    EXPECT_EQ(scene.plane(), ScenePlane::kXz);
    EXPECT_EQ(p.nv(), 3);
    EXPECT_EQ(p.dof_names, (std::vector<std::string>{"box/base[0]", "box/base[1]", "box/base[2]"}));
    EXPECT_EQ(p.dofs[2], (Dof{"box", "", 2, 3}));
    const double I = 0.2 * 0.2 / 6;
    EXPECT_LT((p.M - Eigen::MatrixXd(Eigen::Vector3d(1, 1, I).asDiagonal())).cwiseAbs().maxCoeff(), 1e-12);
    // weight in the box's own axes
    EXPECT_LT((p.F - Eigen::Vector3d(-9.81 * std::sin(pitch), 9.81 * std::cos(pitch), 0)).cwiseAbs().maxCoeff(), 1e-14);
    // (vx, vz, wy) of the box's axes: a point (px, pz) has vx + pz w, vz - px w
    Eigen::MatrixXd J(4, 3);
    J << 0, 1, -0.1, 1, 0, -0.1, 0, 1, 0.1, 1, 0, -0.1;
    EXPECT_LT((p.J - J).cwiseAbs().maxCoeff(), 1e-16) << p.J;
    for (const Contact& c : p.contacts) {
      EXPECT_EQ(c.tangents, 1);
      EXPECT_NEAR(c.axes_W(0, 1), std::cos(pitch), 1e-15);  // t1 is the box's x axis
      EXPECT_NEAR(c.axes_W(2, 1), -std::sin(pitch), 1e-15);
      EXPECT_EQ(c.axes_W(1, 0), 0.0);
      EXPECT_EQ(c.axes_W(1, 1), 0.0);
    }
  }
}

/// Matrices in the plane are those in space with the velocities across it left out, for every plane, moving or not.
TEST(Plane, MatricesAreThoseOfSpace)
{
  testing::Random random{3};
  struct Case {
    ScenePlane plane;
    Eigen::Vector3d spin;           ///< axis that turns stay about
    std::vector<int> kept;          ///< velocities of a floating base
    Eigen::Vector3d first, second;  ///< axes inside
  };
  const Case cases[] = {
      {ScenePlane::kXz, Eigen::Vector3d::UnitY(), {0, 2, 4}, Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitZ()},
      {ScenePlane::kXy, Eigen::Vector3d::UnitZ(), {0, 1, 5}, Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()},
      {ScenePlane::kYz, Eigen::Vector3d::UnitX(), {1, 2, 3}, Eigen::Vector3d::UnitY(), Eigen::Vector3d::UnitZ()}};
  for (const Case& one : cases)
    for (int draw = 0; draw < 20; ++draw) {
      SceneDescription d = scene_of({model_from_file("box", own_urdf("box.urdf"), Base::kFloating)});
      ModelDescription& box = d.models[0];
      box.pose.xyz = random.vector3();
      box.pose.rpy = random.vector3().x() * one.spin;
      const Eigen::Vector3d speed = random.vector3();
      box.linear_velocity = speed.x() * one.first + speed.y() * one.second;
      box.angular_velocity = speed.z() * one.spin;
      d.gravity = random.vector3();
      const double angle = 3 * random.vector3().x();
      d.contacts = {
          contact("c", "box/box", random.vector3(), std::cos(angle) * one.first + std::sin(angle) * one.second, 0.5)};
      const ContactProblem space = Scene(d).compute();
      d.plane = one.plane;
      const ContactProblem plane = Scene(d).compute();
      plane.validate();
      const Eigen::MatrixXd M = space.M(one.kept, one.kept);
      EXPECT_LT((plane.M - M).cwiseAbs().maxCoeff(), 1e-14);
      EXPECT_LT((plane.F - space.F(one.kept)).cwiseAbs().maxCoeff(), 1e-13);
      // the normal is the same row; the tangent is a combination of the two in space
      const Eigen::RowVectorXd normal = space.J.row(0)(one.kept);
      EXPECT_LT((plane.J.row(0) - normal).cwiseAbs().maxCoeff(), 1e-15);
      EXPECT_NEAR(plane.gamma[0], space.gamma[0], 1e-13);
      const Eigen::Vector3d t = plane.contacts[0].axes_W.col(1);
      const Eigen::Vector2d mix = space.contacts[0].axes_W.rightCols<2>().transpose() * t;
      EXPECT_NEAR(mix.norm(), 1.0, 1e-14);
      const Eigen::MatrixXd both = space.J.middleRows(1, 2)(Eigen::all, one.kept);
      EXPECT_LT((plane.J.row(1) - mix.transpose() * both).cwiseAbs().maxCoeff(), 1e-14);
      EXPECT_NEAR(plane.gamma[1], mix.dot(space.gamma.segment(1, 2)), 1e-13);
    }
}

TEST(Plane, HoldsJointsThatWouldLeaveIt)
{
  SceneDescription d = scene_of({model_from_file("robot", own_urdf("quadruped.urdf"), Base::kFloating)});
  d.models[0].pose.xyz = {0, 0, 0.5};
  d.contacts = {contact("foot", "robot/rh_foot", {0, 0, 0}, Eigen::Vector3d::UnitZ(), 0.5)};
  d.contacts[0].normal_frame = ContactFrame::kWorld;
  const ContactProblem space = Scene(d).compute();
  d.plane = ScenePlane::kXz;
  Scene scene(d);
  const ContactProblem p = scene.compute();
  p.validate();
  ASSERT_EQ(scene.warnings().size(), 1u);
  EXPECT_EQ(scene.warnings()[0].kind, Warning::Kind::kPlane);
  EXPECT_EQ(
      scene.warnings()[0].message(),
      "plane: joints that would leave the plane xz are held: robot/lf_hip, robot/lh_hip, robot/rf_hip, robot/rh_hip");
  EXPECT_EQ(p.nv(), space.nv() - 3 - 4);
  for (Eigen::Index i = 0; i < p.nv(); ++i)
    EXPECT_EQ(p.dof_names[static_cast<std::size_t>(i)].find("hip"), std::string::npos);
  // motors and efforts of held joints are gone, others keep theirs
  d.models[0].effort.kind = Effort::Kind::kLimits;
  EXPECT_EQ(Scene(d).compute().actuators.size(), space.dofs.size() - 6 - 4);
  d.models[0].rates = {{"lf_hip", 0.1}};
  EXPECT_EQ(plane_error(d), "models.robot.rates.lf_hip: want 0 for what the plane of the scene holds, got 0.1");
  // turned out of the plane: other joints would leave it then
  d.models[0].rates.clear();
  d.models[0].joints = {{"lf_hip", 0.3}};
  const SceneState turned = scene.state(d.models);
  ContactProblem out;
  EXPECT_THROW(scene.compute(turned, out), InputError);
}

TEST(Plane, ClosuresHaveTheRowsOfThePlane)
{
  SceneDescription d = box_in_plane(0.2);
  d.contacts.clear();
  LoopDescription pin{.name = "pin", .link = "box/box", .at = {0.1, 0, 0.1}};
  LoopDescription weld = pin;
  weld.name = "weld";
  weld.kind = LoopDescription::Kind::kWeld;
  d.loops = {pin, weld};
  const ContactProblem p = Scene(d).compute();
  p.validate();
  EXPECT_EQ(p.loops[0].rows, 2);
  EXPECT_EQ(p.loops[1].rows, 3);
  d.plane = ScenePlane::kNone;
  const ContactProblem space = Scene(d).compute();
  const std::vector<int> columns = {0, 2, 4}, rows = {0, 2, 3, 5, 7};  // x, z; x, z, about y
  EXPECT_LT((p.J - space.J(rows, columns)).cwiseAbs().maxCoeff(), 1e-15);
  d.plane = ScenePlane::kXz;
  d.loops = {
      {.name = "guide", .link = "box/box", .kind = LoopDescription::Kind::kGuide, .normal = Eigen::Vector3d::UnitY()}};
  EXPECT_THAT(plane_error(d), HasSubstr("closures.guide.normal: want one in the plane xz"));
}

TEST(Plane, SaysWhatDoesNotLieInIt)
{
  SceneDescription d = box_in_plane(0.2);
  d.contacts[0].normal = Eigen::Vector3d::UnitY();
  EXPECT_THAT(plane_error(d), HasSubstr("contacts[0].normal: want one in the plane xz of the scene, got (0, 1, 0)"));
  d = box_in_plane(0.2);
  d.contacts[1].torsion = 0.01;
  EXPECT_THAT(plane_error(d), HasSubstr("contacts[1].torsion: want 0 in a plane"));
  d = box_in_plane(0.2);
  d.contacts.clear();
  d.models[0].pose.rpy = {0.4, 0, 0};
  EXPECT_THAT(plane_error(d), HasSubstr("models.box.pose.rpy: want axes along or across the plane xz"));
  d = box_in_plane(0.2);
  d.models[0].linear_velocity = {0, 0.1, 0};
  EXPECT_THAT(plane_error(d), HasSubstr("models.box.twist: want 0 for what the plane of the scene holds, got 0.1"));
  d = box_in_plane(0.0);  // on its side: the plane's normal is another axis of the box
  d.models[0].pose.rpy = {M_PI / 2, 0, 0};
  for (ContactDescription& c : d.contacts) c.normal_frame = ContactFrame::kWorld;
  EXPECT_EQ(plane_error(d), "no error");
}

TEST(Plane, IsFoundWhereNothingCanLeaveIt)
{
  SceneDescription d = pinch("pinch_on_guide.urdf");
  EXPECT_EQ(Scene(d).plane(), ScenePlane::kNone);
  EXPECT_EQ(Scene(d).compute().contacts[0].tangents, 2);  // only where it is asked for
  d.plane = ScenePlane::kAuto;
  Scene scene(d);
  EXPECT_EQ(scene.plane(), ScenePlane::kXz);
  EXPECT_EQ(scene.compute().contacts[0].tangents, 1);
  ASSERT_EQ(scene.warnings().size(), 1u);
  EXPECT_EQ(scene.warnings()[0].message(), "plane: nothing leaves the plane xz: one tangent per contact");
  d.contacts[0].normal = Eigen::Vector3d::UnitY();  // a contact that presses across it
  EXPECT_EQ(Scene(d).plane(), ScenePlane::kNone);
  EXPECT_EQ(Scene(d).compute().contacts[1].tangents, 2);
  EXPECT_EQ(Scene(box_in_plane(0.1, ScenePlane::kAuto)).plane(), ScenePlane::kNone);
}

/// For files that say nothing: a normal that is typed, or a root turned, by a millionth is not in the plane, as
/// verdicts could then be others than in space.
TEST(Plane, IsFoundWithoutBeingAskedForOnlyToRounding)
{
  SceneDescription d = pinch("pinch_on_guide.urdf");
  d.plane = ScenePlane::kExact;
  EXPECT_EQ(Scene(d).plane(), ScenePlane::kXz);
  EXPECT_EQ(Scene(d).compute().contacts[0].tangents, 1);
  const auto also_found = [&](ScenePlane plane) {
    d.plane = plane;
    return Scene(d).plane() != ScenePlane::kNone;
  };
  d.contacts[0].normal = Eigen::Vector3d(1, 1e-6, 0).normalized();
  EXPECT_TRUE(also_found(ScenePlane::kAuto));
  EXPECT_FALSE(also_found(ScenePlane::kExact));
  d = pinch("pinch_on_guide.urdf");
  d.models[0].pose.rpy = {1e-6, 0, 0};
  EXPECT_TRUE(also_found(ScenePlane::kAuto));
  EXPECT_FALSE(also_found(ScenePlane::kExact));
  d.models[0].pose.rpy = {0, 0.7, 0};  // rounding of its sine and cosine
  EXPECT_TRUE(also_found(ScenePlane::kExact));
  d.models[0].pose.rpy = {0, 0, M_PI / 2};
  EXPECT_TRUE(also_found(ScenePlane::kExact));
  EXPECT_EQ(Scene(d).plane(), ScenePlane::kYz);
  EXPECT_FALSE((d = box_in_plane(0.0, ScenePlane::kExact), also_found(ScenePlane::kExact)))
      << "a free body may leave it";
}

TEST(Plane, TangentsPointAlongTheFramesAxes)
{
  // whichever way the plane is seen from: the sign does not depend on the state
  for (const double roll : {0.0, M_PI}) {
    SceneDescription d = box_in_plane(0.0);
    d.models[0].pose.rpy = {roll, 0.4, 0};
    const ContactProblem p = Scene(d).compute();
    EXPECT_GT(p.J(1, 0), 0.5);  // t1 = +x of the box
  }
}

}  // namespace
}  // namespace stiction
