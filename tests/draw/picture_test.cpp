#include "stiction/picture.hpp"

#include <gmock/gmock.h>

#include <set>

#include "draw/golden_svg.hpp"
#include "draw/svg.hpp"
#include "io/checked.hpp"
#include "stiction/error.hpp"
#include "stiction/problem_file.hpp"

namespace stiction::internal {
namespace {

using Eigen::Vector3d;
using Kind = Picture::Kind;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<const Picture::Arrow*> arrows_of(const Picture& picture, Kind kind)
{
  std::vector<const Picture::Arrow*> list;
  for (const Picture::Arrow& arrow : picture.arrows)
    if (arrow.kind == kind) list.push_back(&arrow);
  return list;
}

TEST(Drawing, Golden)
{
  // A fails in the plane, a robot in space, an impact: text must be the same, coordinates to rounding.
  for (const char* name : {"block_tips", "quadruped_foot_slips", "rod_dropped"})
    expect_golden(to_svg(picture_of(checked(name))), name, 0.21);
}

TEST(PictureOf, HasTheForcesOfTheReport)
{
  const ScenarioReport report = checked("pinch_free_fingers");
  const Picture picture = picture_of(report);
  const auto forces = arrows_of(picture, Kind::kForce);
  ASSERT_EQ(forces.size(), 2u);
  EXPECT_LT((forces[0]->vector - Vector3d(8.0, 0.0, 3.77)).norm(), 1e-9);  // example 6b of the paper
  EXPECT_LT((forces[0]->from - Vector3d(-0.1, 0.0, 0.0)).norm(), 1e-12);
  EXPECT_EQ(forces[0]->label, "left 8.84 N, 94 %");
  EXPECT_EQ(picture.plane, ScenePlane::kXz);
}

TEST(PictureOf, CaptionsSayWhatWouldTurnTheVerdict)
{
  EXPECT_THAT(picture_of(checked("box_on_slope")).captions,
              ::testing::Contains(HasSubstr("mu 0.4 could fall to 0.364")));  // tan 20 degrees
  const Picture slips = picture_of(checked("box_on_steep_slope"));
  EXPECT_THAT(slips.captions.front(), HasSubstr("were friction and pulling unlimited"));
  EXPECT_EQ(slips.remedy, "what would make it hold, each by itself");
  EXPECT_THAT(slips.remedies.front(), HasSubstr("mu 0.4 to 0.4664"));  // tan 25 degrees
  const std::string svg = to_svg(slips);
  EXPECT_THAT(svg, HasSubstr("mu 0.4 to 0.4664"));
  EXPECT_THAT(svg, HasSubstr("friction cone (mu 0.4)"));
  EXPECT_THAT(picture_of(checked("ball_between_hard_fingers")).captions,
              ::testing::Contains("no amount of friction gives closure"));
  const std::string two = to_svg(picture_of(checked("pinch_free_fingers", {{"contacts.left.mu", "0.4"}})));
  EXPECT_THAT(two, HasSubstr("friction cone (left mu 0.4, right mu 0.5)"));
  EXPECT_THAT(two, HasSubstr("friction of left alone raised from 0.4 to 0.4713"));
}

TEST(PictureOf, WhatIsTooWeakHasTheForcesOfStrongerMotors)
{
  const Picture picture =
      picture_of(checked("biped_standing", {{"question", "equilibrium"},
                                            {"models.robot.effort", "limits"},
                                            {"loads", "[{link: robot/torso, force: [0, 0, -2000]}]"}}));
  EXPECT_EQ(picture.verdict, Verdict::kFails);
  Vector3d sum = Vector3d::Zero();
  for (const Picture::Arrow* arrow : arrows_of(picture, Kind::kForce)) sum += arrow->vector;
  EXPECT_GT(sum.z(), 2000.0);
  EXPECT_THAT(picture.captions, ::testing::Contains(HasSubstr("with every effort limit times")));
}

TEST(PictureOf, FailingMotionGoesDownhill)
{
  const Picture picture = picture_of(checked("box_on_steep_slope"));
  EXPECT_EQ(picture.headline, "DOES NOT STICK (fails)");
  EXPECT_EQ(picture.verdict, Verdict::kFails);
  EXPECT_EQ(picture.motion, "motion that nothing opposes");
  const auto motions = arrows_of(picture, Kind::kMotion);
  ASSERT_FALSE(motions.empty());
  // 25 degrees: cos and -sin along x and z.
  EXPECT_LT((motions[0]->vector.normalized() - Vector3d(0.9063, 0.0, -0.4226)).norm(), 1e-3);
  EXPECT_EQ(arrows_of(picture, Kind::kBeyond).size(), 4u);
}

TEST(PictureOf, FreeMotionOfAGraspTurnsAboutItsLine)
{
  // Two hard fingers: the ball may turn about the line through them, so no point of the contacts moves.
  const Picture picture = picture_of(checked("ball_between_hard_fingers"));
  ASSERT_EQ(picture.motion, "motion that the grasp leaves free");
  ASSERT_FALSE(arrows_of(picture, Kind::kMotion).empty());
  for (const Picture::Arrow* arrow : arrows_of(picture, Kind::kMotion))
    EXPECT_NEAR(arrow->vector.dot((picture.points[1] - picture.points[0]).normalized()), 0.0,
                1e-6 * arrow->vector.norm());
}

TEST(PictureOf, FreeMotionOfAnObjectIsAboutItsContacts)
{
  // The mug, whose centre of mass is not its origin, turns about the line through the two fingers: chords of circles
  // around it.
  const Picture picture = picture_of(checked("mug_on_two_fingers", {{"question", "closure"}}));
  const auto motions = arrows_of(picture, Kind::kMotion);
  ASSERT_FALSE(motions.empty());
  const Vector3d axis = (picture.points[1] - picture.points[0]).normalized();
  for (const Picture::Arrow* arrow : motions) {
    const Vector3d middle = arrow->from + 0.5 * arrow->vector - picture.points[0];
    EXPECT_NEAR(arrow->vector.dot(middle), 0.0, 1e-6 * arrow->vector.norm());
    EXPECT_NEAR(arrow->vector.dot(axis), 0.0, 1e-6 * arrow->vector.norm());
  }
}

TEST(PictureOf, WhatIsOutsideItsRegionTopplesThatWay)
{
  // Gravity leans along x so far that the weight meets the ground beyond the toes.
  const Picture picture = picture_of(checked("biped_region", {{"gravity", "[4, 0, -9.81]"}}));
  const auto motions = arrows_of(picture, Kind::kMotion);
  ASSERT_FALSE(motions.empty());
  EXPECT_GT(motions[0]->vector.x(), 0.5 * motions[0]->vector.norm());
  EXPECT_FALSE(picture.areas.empty());
}

TEST(PictureOf, SmallPatchesAreOneForceWithTheirResultant)
{
  const Picture picture =
      picture_of(checked("box_on_slope", {{"models.box.pose", "{}"},
                                          {"contacts.bottom.points",
                                           "[[0.01, 0.01, -0.1], [0.01, -0.01, -0.1], [-0.01, 0.01, "
                                           "-0.1], [-0.01, -0.01, -0.1]]"}}));
  const auto forces = arrows_of(picture, Kind::kForce);
  ASSERT_EQ(forces.size(), 1u);
  EXPECT_LT((forces[0]->vector - Vector3d(0.0, 0.0, 9.81)).norm(), 1e-9);
  EXPECT_LT((forces[0]->from - Vector3d(0.0, 0.0, -0.1)).norm(), 1e-9);
  EXPECT_THAT(forces[0]->label, HasSubstr("bottom (4 points) 9.81 N"));
  EXPECT_EQ(picture.points.size(), 4u);
}

TEST(PictureOf, WhatRestsAfterAnImpactHasNoGhost)
{
  const Picture picture = picture_of(checked("rod_dropped"));
  EXPECT_EQ(picture.motion, "");
  EXPECT_TRUE(arrows_of(picture, Kind::kAfter).empty());
  const auto before = arrows_of(picture, Kind::kBefore);
  ASSERT_EQ(before.size(), 1u);
  EXPECT_NEAR(before[0]->vector.z(), -1.0, 1e-12);
  const auto impulses = arrows_of(picture, Kind::kImpulse);
  ASSERT_EQ(impulses.size(), 2u);
  EXPECT_NEAR(impulses[0]->vector.z() + impulses[1]->vector.z(), 0.5, 1e-9);  // stops 1 kg at 0.5 m/s
}

TEST(PictureOf, NamesAndPlacesMayBeStrange)
{
  for (const ScenarioOverride& change :
       {ScenarioOverride{"name", "a < b & \"c\" \xc3\xa9"}, ScenarioOverride{"models.box.pose.xyz", "[1e6, -1e6, 1e6]"},
        ScenarioOverride{"contacts", "[]"}, ScenarioOverride{"gravity", "[0, 0, 0]"}}) {
    const std::string svg = to_svg(picture_of(checked("box_pushed", {change, {"options", "{}"}})));
    EXPECT_THAT(svg, ::testing::EndsWith("</svg>\n")) << change.path;
    EXPECT_THAT(svg, Not(HasSubstr("nan"))) << change.path;
    EXPECT_THAT(svg, Not(HasSubstr("=\"inf"))) << change.path;
    if (change.path == "name") {
      EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;c&quot; \xc3\xa9"));
    }
  }
}

TEST(PictureMaker, DrawsEachAsIfItWereAlone)
{
  // The same robots in other postures, others, obstacles, and the first again.
  PictureMaker maker;
  for (const char* name : {"box_on_slope", "box_on_steep_slope", "quadruped_standing", "quadruped_foot_slips", "",
                           "ball_detected", "box_on_slope"}) {
    if (!*name) {  // matrices between robots
      const Scenario matrices = as_bare_problem(checked("quadruped_standing").scenario);
      EXPECT_TRUE(maker.picture_of(ScenarioChecker().check(matrices)).frames.empty());
      continue;
    }
    const ScenarioReport report = checked(name);
    const Picture alone = picture_of(report), again = maker.picture_of(report);
    EXPECT_EQ(to_svg(again), to_svg(alone)) << name;
    ASSERT_EQ(again.frames.size(), alone.frames.size()) << name;
    for (std::size_t i = 0; i < alone.frames.size(); ++i)
      EXPECT_EQ(again.frames[i].pose.matrix(), alone.frames[i].pose.matrix()) << name << " " << alone.frames[i].link;
  }
}

TEST(PictureMaker, SeesThatAnObstacleIsAnother)
{
  PictureMaker maker;
  ScenarioReport report = checked("box_on_slope");
  Obstacle wall;
  wall.name = "wall";
  wall.size.setConstant(0.1);
  report.scenario.scene.obstacles = {wall};
  const std::string before = to_svg(maker.picture_of(report));
  report.scenario.scene.obstacles[0].size *= 2.0;
  EXPECT_EQ(to_svg(maker.picture_of(report)), to_svg(picture_of(report)));
  EXPECT_NE(to_svg(maker.picture_of(report)), before);
}

TEST(PictureMaker, ForgetsWhatCouldNotBeLoaded)
{
  PictureMaker maker;
  const ScenarioReport good = checked("box_on_slope");
  ScenarioReport bad = good;
  bad.scenario.scene.models[0].urdf_file = "nowhere.urdf";
  EXPECT_EQ(to_svg(maker.picture_of(good)), to_svg(picture_of(good)));
  EXPECT_THROW(maker.picture_of(bad), InputError);
  EXPECT_EQ(to_svg(maker.picture_of(good)), to_svg(picture_of(good)));
}

TEST(PictureOf, PutsEveryLinkWhereTheSceneHasIt)
{
  const ScenarioReport report = checked("quadruped_foot_slips");
  Scene scene(report.scenario.scene);
  std::set<std::string> links, ghosts;
  for (const Picture::Frame& frame : picture_of(report).frames) {
    const double way = (frame.pose.matrix() - scene.link_pose(scene.described_state(), frame.link).matrix()).norm();
    if (frame.role == Picture::Role::kGhost) {
      EXPECT_TRUE(ghosts.insert(frame.link).second);
      EXPECT_GT(way, 0.0);
    } else {
      EXPECT_TRUE(links.insert(frame.link).second);
      EXPECT_EQ(way, 0.0);
    }
  }
  EXPECT_EQ(links.size(), 17u);  // a trunk and four legs of four links
  EXPECT_FALSE(ghosts.empty());
}

TEST(PictureOf, ConesKnowTheirContacts)
{
  const ScenarioReport report = checked("quadruped_foot_slips");
  const Picture picture = picture_of(report);
  std::set<std::size_t> all;
  for (const Picture::Cone& cone : picture.cones)
    for (const std::size_t i : cone.contacts) {
      EXPECT_TRUE(all.insert(i).second);
      EXPECT_THAT(report.problem.contacts[i].name, ::testing::StartsWith(cone.name));
    }
  EXPECT_EQ(all.size(), report.problem.contacts.size());
}

TEST(PictureOf, MatricesHaveContactsOnly)
{
  Scenario scenario = as_bare_problem(read_scenario_file(internal::scenario("box_on_steep_slope")));
  ScenarioChecker checker;
  const Picture picture = picture_of(checker.check(scenario));
  EXPECT_TRUE(picture.solids.empty());
  EXPECT_EQ(picture.points.size(), 4u);
  EXPECT_EQ(arrows_of(picture, Kind::kMotion).size(), 4u);
  EXPECT_THAT(picture.notes, ::testing::Contains(HasSubstr("no bodies")));
}

TEST(ViewNamed, ReadsWordsAndDirections)
{
  EXPECT_EQ(view_named("top").along, Vector3d(0.0, 0.0, -1.0));
  EXPECT_EQ(view_named("front").along, Vector3d(-1.0, 0.0, 0.0));  // robots look along x (REP 103)
  EXPECT_EQ(view_named("1,-2,0.5").along, Vector3d(1.0, -2.0, 0.5));
  for (const char* bad : {"", "up", "1,2", "0,0,0", "1,2,3,4", "nan,0,1", "1,2,3x"})
    EXPECT_THROW(view_named(bad), InputError) << bad;
}

TEST(Svg, PiecesOfText)
{
  EXPECT_EQ(escaped("a\x01<\xff>"), "a?&lt;?&gt;");
  EXPECT_EQ(px(-0.04), "0.0");
  EXPECT_DOUBLE_EQ(round_number_below(0.2), 0.2);
  EXPECT_DOUBLE_EQ(round_number_below(4.9), 2.0);
  EXPECT_DOUBLE_EQ(round_number_below(99.0), 50.0);
}

TEST(Svg, ClipsToTheFrame)
{
  const Eigen::AlignedBox2d frame(Eigen::Vector2d(0.0, 0.0), Eigen::Vector2d(10.0, 10.0));
  EXPECT_TRUE(clipped({{-5.0, -5.0}, {-1.0, 20.0}}, frame).empty());
  const Outline line = clipped({{-10.0, 5.0}, {20.0, 5.0}}, frame);
  ASSERT_EQ(line.size(), 2u);
  EXPECT_EQ(line[0], Eigen::Vector2d(0.0, 5.0));
  EXPECT_EQ(line[1], Eigen::Vector2d(10.0, 5.0));
  for (const Eigen::Vector2d& corner : clipped({{-5.0, 5.0}, {5.0, -5.0}, {15.0, 5.0}, {5.0, 15.0}}, frame))
    EXPECT_TRUE(frame.contains(corner));
}

}  // namespace
}  // namespace stiction::internal
