// Slip directions, and who is at rest, from a scene.
#include "stiction/sliding_input.hpp"

#include "input/boxes.hpp"
#include "stiction/couplings_input.hpp"
#include "stiction/rest.hpp"

namespace stiction {
namespace {

using testing::box_on_floor;
using testing::error_of;
using ::testing::HasSubstr;

using Slides = std::vector<std::optional<Eigen::Vector3d>>;

/// Of the four corners.
SlipDirections slips_of(const SceneDescription& description, const Slides& slides)
{
  Scene scene(description);
  return slip_directions(scene, scene.described_state(), scene.compute(), slides);
}

TEST(SlipDirections, AreInTheAxesOfEachContact)
{
  // Normals fixed to the box: t1 is its x axis, the direction is in its axes, whichever way it is turned.
  for (const auto& slip : slips_of(box_on_floor(0.5, 0.7), {Eigen::Vector3d(0, -3, 0)}))
    EXPECT_LT((slip.value() - Eigen::Vector2d(0, -1)).norm(), 1e-14);
  // In the world the same direction is another one in the world's tangents.
  SceneDescription world = box_on_floor(0.5, 0.7);
  world.contacts[0].normal_frame = ContactFrame::kWorld;
  for (const auto& slip : slips_of(world, {Eigen::Vector3d(2, 2, 0)}))
    EXPECT_LT((slip.value() - Eigen::Vector2d(1, 1).normalized()).norm(), 1e-14);
  for (const auto& slip : slips_of(box_on_floor(0.5), {std::nullopt})) EXPECT_FALSE(slip);
}

TEST(SlipDirections, OfTheContactThatSaysSo)
{
  SceneDescription d = box_on_floor(0.5);
  ContactDescription rail = d.contacts[0];
  rail.name = "rail";
  rail.points.resize(1);
  d.contacts.push_back(rail);  // the fifth contact, the second entry
  const SlipDirections slips = slips_of(d, {std::nullopt, Eigen::Vector3d(1, 0, 0)});
  ASSERT_EQ(slips.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(slips[i]) << i;
  EXPECT_EQ(slips[4].value(), Eigen::Vector2d(1, 0));
  EXPECT_THAT(error_of([&] { slips_of(d, {std::nullopt, Eigen::Vector3d(1, 0, 1)}); }),
              HasSubstr("contacts[1].slides: want a direction along the surface at rail, got (1, 0, 1)"));
}

TEST(SlipDirections, FollowTheVelocity)
{
  SceneDescription d = box_on_floor(0.5, 0.4);
  d.models[0].linear_velocity = {-0.2, 0.2, 0.0};
  const Eigen::Vector2d along = Eigen::Vector2d(-1, 1).normalized();
  for (const auto& slip : slips_of(d, {Eigen::Vector3d(-1.0, 1.0005, 0.0)}))  // written with a few digits
    EXPECT_LT((slip.value() - along).norm(), 1e-14);
  EXPECT_THAT(error_of([&] { slips_of(d, {Eigen::Vector3d(1, -1, 0)}); }),
              HasSubstr("contacts[0].slides: want the direction of the velocity at floor/0"));
  for (const auto& slip : slips_of(d, {std::nullopt})) EXPECT_LT((slip.value() - along).norm(), 1e-14);
  SceneDescription soft = d;
  soft.contacts[0].torsion = 0.1;  // its spin would have to be given
  for (const auto& slip : slips_of(soft, {std::nullopt})) EXPECT_FALSE(slip);
  d.contacts[0].mu = 0.0;  // slides whichever way it moves
  for (const auto& slip : slips_of(d, {std::nullopt})) EXPECT_LT((slip.value() - along).norm(), 1e-14);
  Scene scene(d);
  for (const bool moves : moves_along_surface(scene.compute(), scene.described_state().v)) EXPECT_TRUE(moves);
  for (const bool moves : moves_along_surface(scene.compute(), Eigen::VectorXd::Unit(6, 2))) EXPECT_FALSE(moves);
}

TEST(RequireRest, NamesTheContactAndItsVelocity)
{
  SceneDescription d = box_on_floor(0.5, 0.4);
  const auto asked = [&](const std::vector<bool>& slides) {
    Scene scene(d);
    require_rest(scene, scene.described_state(), scene.compute(), slides);
  };
  EXPECT_EQ(error_of([&] { asked({}); }), "no error");
  d.models[0].linear_velocity = {2e-6, 0, 0};
  EXPECT_THAT(error_of([&] { asked({}); }),
              HasSubstr("contacts[0]: want bodies at rest relative to each other at floor/0"));
  EXPECT_EQ(error_of([&] { asked({true, true, true, true}); }), "no error");
  EXPECT_THAT(error_of([&] { asked({true, true, true, false}); }), HasSubstr("at floor/3"));
  d.models[0].linear_velocity = {0, 0, 0.5};
  EXPECT_THAT(error_of([&] { asked({true, true, true, true}); }),
              HasSubstr("0.5 m/s along the normal; a contact that opens"));
  d.models[0].linear_velocity = {0, 0, -0.5};
  EXPECT_THAT(error_of([&] { asked({true, true, true, true}); }), HasSubstr("hits belongs to the question impact"));
  d.models[0].linear_velocity = {0, 0, 9e-7};
  EXPECT_EQ(error_of([&] { asked({}); }), "no error");
}

/// A box that turns about its left edges, which rest, up or down.
TEST(ContactActivityOf, IsTheSignOfTheGapsVelocity)
{
  const ContactProblem p = Scene(box_on_floor(0.5)).compute();
  constexpr double kSpeed = 0.1;
  using enum ContactActivity;
  const auto turning = [&](double rate) {  // about the edge at x = -kHalf, axes of the box
    Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
    v[2] = kHalf * rate;
    v[4] = -rate;
    return contact_activity(p, v);
  };
  EXPECT_EQ(turning(kSpeed), (std::vector{kParts, kActive, kActive, kParts}));
  EXPECT_EQ(turning(-kSpeed), (std::vector{kMeets, kActive, kActive, kMeets}));
  EXPECT_EQ(turning(1e-6), (std::vector{kActive, kActive, kActive, kActive}));
  ContactProblem glued = p;
  for (Contact& contact : glued.contacts) contact.side = Side::kBilateral;
  EXPECT_EQ(contact_activity(glued, Eigen::VectorXd::Unit(6, 2)), (std::vector<ContactActivity>(4, kActive)));
  EXPECT_THAT(error_of([&] { contact_activity(p, Eigen::VectorXd(2)); }), HasSubstr("v: want 6 entries, got 2"));
}

TEST(CouplingsInput, LeavesOutWhatNothingHolds)
{
  SceneDescription d = box_on_floor(0.5);
  ContactDescription ice = d.contacts[0], pad = d.contacts[0];
  ice.name = "ice";
  ice.points.resize(1);
  ice.mu = 0.0;
  pad = ice;
  pad.name = "pad";
  pad.torsion = 0.01;
  d.contacts = {ice, d.contacts[0], pad};
  LoopDescription weld;
  weld.name = "weld";
  weld.link = "box/box";
  weld.kind = LoopDescription::Kind::kWeld;
  d.loops = {weld};
  Scene scene(d);
  const ContactProblem problem = scene.compute();
  const ContactProblem rows = couplings_input(scene, scene.described_state(), problem, TangentialRows::kHeld);
  EXPECT_NO_THROW(rows.validate());
  ASSERT_EQ(rows.rows(), 1 + 4 * 3 + 2 + 6);
  EXPECT_EQ(rows.contacts[0].tangents, 0);
  EXPECT_EQ(rows.contacts[5].row, 13);
  EXPECT_EQ(rows.J.row(14), problem.J.row(problem.contacts[5].row + 3));  // spin of the pad
  EXPECT_EQ(rows.J.bottomRows(6), problem.J.bottomRows(6));
  EXPECT_EQ(rows.dofs, problem.dofs);

  d.models[0].linear_velocity.x() = 1.0;
  d.contacts = {ice};
  d.loops.clear();
  Scene sliding(d);
  const auto ask = [](Scene& moving, TangentialRows tangential) {
    return error_of([&] { couplings_input(moving, moving.described_state(), moving.compute(), tangential); });
  };
  EXPECT_EQ(ask(sliding, TangentialRows::kHeld), "no error");
  d.contacts[0].mu = 0.1;
  Scene rubbing(d);
  EXPECT_THAT(ask(rubbing, TangentialRows::kHeld), HasSubstr("contacts[0]: want bodies at rest"));
  EXPECT_EQ(ask(rubbing, TangentialRows::kLeftOut), "no error");
}

}  // namespace
}  // namespace stiction
