// Step 6 of the paper's algorithm for q: postures that hold, against closed forms of the boundary.
#include "stiction/posture_repair.hpp"

#include <cmath>
#include <numbers>

#include "input/boxes.hpp"

namespace stiction::testing {
namespace {

/// What the search says about the description, for the degrees of freedom asked for.
PostureRepair repair_of(const SceneDescription& description, const std::vector<int>& dofs,
                        PostureMoves::Contacts contacts = PostureMoves::Contacts::kStay,
                        const StickingRules& rules = {})
{
  Scene scene(description);
  StickingChecker checker;
  return repaired_posture(description, scene, scene.compute(), rules, {dofs, contacts}, checker);
}

Verdict verdict_of(SceneDescription description, const std::vector<ModelDescription>& models)
{
  description.models = models;
  return StickingChecker().check(Scene(description).compute()).verdict;
}

/// The rod of urdf/rod.urdf (2 m) between ground and wall, at an angle above the ground.
SceneDescription ladder(double angle, double ground, double wall)
{
  SceneDescription d = scene_of({model_from_file("ladder", own_urdf("rod.urdf"), Base::kFixed)});
  d.models[0].joints = {{"x", std::cos(angle)}, {"y", std::sin(angle)}, {"theta", -angle}};
  d.contacts = {contact("wall", "ladder/rod", {-1, 0, 0}, {1, 0, 0}, wall),
                contact("ground", "ladder/rod", {1, 0, 0}, {0, 0, 1}, ground)};
  for (ContactDescription& c : d.contacts) c.normal_frame = ContactFrame::kWorld;
  return d;
}

/// A table that turns about x (roll) and then y (pitch), too heavy to be turned by what is on it: a box that does not
/// turn itself, on one contact.
SceneDescription table(double roll, double pitch, double mu, const std::string& limits = "lower='-2' upper='2'")
{
  const auto joint = [&](const std::string& name, const std::string& parent, const std::string& type,
                         const std::string& axis, const std::string& range) {
    return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + name +
           "_link'/><axis xyz='" + axis + "'/><limit " + range + " effort='0' velocity='1'/></joint>";
  };
  const auto heavy = [](const std::string& name, double mass, double moment) {
    const std::string m = std::to_string(moment);
    return "<link name='" + name + "_link'><inertial><mass value='" + std::to_string(mass) + "'/><inertia ixx='" + m +
           "' ixy='0' ixz='0' iyy='" + m + "' iyz='0' izz='" + m + "'/></inertial></link>";
  };
  const std::string wide = "lower='-9' upper='9'";
  const std::string urdf = "<robot name='table'><link name='world_link'/>" +
                           joint("roll", "world_link", "revolute", "1 0 0", limits) + heavy("roll", 1.0, 1e7) +
                           joint("pitch", "roll_link", "revolute", "0 1 0", limits) + heavy("pitch", 1.0, 1e7) +
                           joint("sx", "pitch_link", "prismatic", "1 0 0", wide) + "<link name='sx_link'/>" +
                           joint("sy", "sx_link", "prismatic", "0 1 0", wide) + "<link name='sy_link'/>" +
                           joint("sz", "sy_link", "prismatic", "0 0 1", wide) + heavy("sz", 1.0, 0.1) + "</robot>";
  SceneDescription d = scene_of({model_from_text("table", urdf, Base::kFixed)});
  d.models[0].joints = {{"roll", roll}, {"pitch", pitch}};
  d.contacts = {contact("box", "table/sz_link", {0, 0, 0}, {0, 0, 1}, mu)};
  d.contacts[0].on = "table/pitch_link";
  return d;
}

constexpr double kNearBoundary = 2e-3;  // of the change: the search goes back to a thousandth of it

TEST(PostureRepair, LadderIsPutUpAsFarAsItMustBe)
{
  for (const auto& [ground, wall] : {std::pair(0.4, 0.0), std::pair(0.4, 0.3), std::pair(0.25, 0.6)}) {
    const double least = std::atan((1.0 - ground * wall) / (2.0 * ground)), angle = least - 0.2;
    const PostureRepair repair = repair_of(ladder(angle, ground, wall), {0, 1, 2}, PostureMoves::Contacts::kAlong);
    ASSERT_TRUE(repair.found) << repair.reason;
    const double found = -repair.models[0].joints.at("theta");
    EXPECT_GE(found, least);
    EXPECT_LE(found, least + kNearBoundary * 0.4);
    EXPECT_NEAR(repair.models[0].joints.at("x"), std::cos(found), 1e-8);
    EXPECT_NEAR(repair.models[0].joints.at("y"), std::sin(found), 1e-8);
    EXPECT_LE(repair.gap, 1e-8);
    EXPECT_EQ(repair.joints, (std::vector<int>{0, 1, 2}));
    EXPECT_NEAR(repair.change[2], angle - found, 1e-8);
    EXPECT_EQ(verdict_of(ladder(angle, ground, wall), repair.models), Verdict::kHolds);
  }
}

TEST(PostureRepair, ContactsThatStayLetNoLadderMove)
{
  const PostureRepair repair = repair_of(ladder(0.5, 0.4, 0.3), {0, 1, 2});
  EXPECT_FALSE(repair.found);
  EXPECT_THAT(repair.reason, ::testing::HasSubstr("keeps contacts in place"));
}

/// The box holds iff the table's tilt is at most atan mu: cos(roll) cos(pitch) >= 1 / sqrt(1 + mu^2).
TEST(PostureRepair, TheNearestOfManyTiltsIsFound)
{
  const double roll = 0.5, pitch = 0.4, mu = 0.3, cosine = 1.0 / std::sqrt(1.0 + mu * mu);
  double nearest = kInfinity;
  for (double r = 0.0; r <= std::acos(cosine); r += 1e-6)
    nearest = std::min(nearest, std::hypot(r - roll, std::acos(std::min(1.0, cosine / std::cos(r))) - pitch));
  const PostureRepair repair = repair_of(table(roll, pitch, mu), {0, 1});
  ASSERT_TRUE(repair.found) << repair.reason;
  const auto& joints = repair.models[0].joints;
  EXPECT_GE(std::cos(joints.at("roll")) * std::cos(joints.at("pitch")), cosine);
  EXPECT_LE(repair.change.norm(), (1.0 + 2.0 * kNearBoundary) * nearest);
  EXPECT_GE(repair.change.norm(), nearest * (1.0 - 1e-6));
  EXPECT_EQ(verdict_of(table(roll, pitch, mu), repair.models), Verdict::kHolds);
}

TEST(PostureRepair, JointsStayWithinTheirLimits)
{
  const double mu = 0.3;
  const PostureRepair repair = repair_of(table(0.05, 0.4, mu, "lower='-2' upper='2'"), {1});
  ASSERT_TRUE(repair.found) << repair.reason;
  EXPECT_EQ(repair.models[0].joints.at("roll"), 0.05);
  EXPECT_LE(repair.models[0].joints.at("pitch"), std::atan(mu));
  const PostureRepair limited = repair_of(table(0.31, 0.4, mu, "lower='0.3' upper='2'"), {0, 1});
  EXPECT_FALSE(limited.found) << "with both at 0.3 it slides";
  EXPECT_THAT(limited.reason, ::testing::HasSubstr("limits"));
}

/// A box whose weight is beyond its two front corners leans back with its base: the corners stay.
TEST(PostureRepair, BasesMoveWithTheirContactsInPlace)
{
  SceneDescription d = scene_of({model_from_file("box", own_urdf("box.urdf"), Base::kFloating)});
  d.models[0].pose = {{0.0, 0.0, kHalf}, {0.0, 0.0, 0.0}};
  d.contacts = {contact("front", "box/box", {kHalf, kHalf, -kHalf}, Eigen::Vector3d::UnitZ(), 0.8)};
  d.contacts[0].points = {{kHalf, kHalf, -kHalf}, {kHalf, -kHalf, -kHalf}};
  d.contacts[0].normal_frame = ContactFrame::kWorld;
  const StickingRules stay{ConeShape::exact(), Detachment::kForbidden};
  Scene scene(d);
  StickingOptions options;
  options.rules = stay;
  ASSERT_EQ(StickingChecker().check(scene.compute(), options).verdict, Verdict::kHolds) << "it falls about its edge";
  d.contacts[0].mu = 0.2;  // the fall pulls the edge backwards: 0.2 is not enough
  ASSERT_EQ(StickingChecker().check(Scene(d).compute(), options).verdict, Verdict::kFails);
  const PostureRepair repair = repair_of(d, {0, 1, 2, 3, 4, 5}, PostureMoves::Contacts::kStay, stay);
  ASSERT_TRUE(repair.found) << repair.reason;
  EXPECT_EQ(repair.bases, (std::vector<int>{0}));
  EXPECT_LE(repair.gap, 1e-8);
  const Eigen::Vector3d edge =
      Eigen::AngleAxisd(repair.models[0].pose.rpy[1], Eigen::Vector3d::UnitY()) * Eigen::Vector3d(kHalf, 0.0, -kHalf) +
      repair.models[0].pose.xyz;
  EXPECT_LE((edge - Eigen::Vector3d(kHalf, 0.0, 0.0)).norm(), 1e-7);
  SceneDescription repaired = d;
  repaired.models = repair.models;
  EXPECT_EQ(StickingChecker().check(Scene(repaired).compute(), options).verdict, Verdict::kHolds);
}

TEST(PostureRepair, SaysWhyThereIsNone)
{
  SceneDescription d = table(0.5, 0.4, 0.3);
  d.models[0].rates = {{"roll", 0.1}};
  EXPECT_THAT(repair_of(d, {0, 1}).reason, ::testing::HasSubstr("bodies move"));
  d = table(0.5, 0.4, 0.3);
  d.contacts[0].radius = SurfaceRadii{0.1, 0.1};
  EXPECT_THAT(repair_of(d, {0, 1}).reason, ::testing::HasSubstr("radii"));
  EXPECT_EQ(repair_of(table(0.0, 0.1, 0.3), {0, 1}).reason, "it holds");
  EXPECT_THAT(error_of([&] { repair_of(table(0.5, 0.4, 0.3), {9}); }), ::testing::HasSubstr("moves.dofs: want"));
}

}  // namespace
}  // namespace stiction::testing
