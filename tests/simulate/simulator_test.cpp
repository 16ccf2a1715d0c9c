// Simulations against closed forms.
#include "stiction/simulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "stiction/error.hpp"

namespace stiction {
namespace {

constexpr double kGravity = 9.81;
using Kind = SimulationEvent::Kind;

Scenario scenario_of(const std::string& text)
{
  return read_scenario_text("stiction: 1\n" + text, std::string(STICTION_SOURCE_DIR) + "/scenarios");
}

Scenario gallery(const std::string& name, const std::vector<ScenarioOverride>& overrides = {})
{
  return read_scenario_file(std::string(STICTION_SOURCE_DIR) + "/scenarios/" + name + ".yaml", overrides);
}

SimulatorOptions steps_of(double step)
{
  SimulatorOptions options;
  options.step = step;
  return options;
}

const SimulationEvent* first(const Simulation& simulation, Kind kind)
{
  const auto found = std::ranges::find(simulation.events, kind, &SimulationEvent::kind);
  return found == simulation.events.end() ? nullptr : &*found;
}

Eigen::Vector3d place(const SimulationStep& step, std::size_t body = 0) { return step.bodies[body].translation(); }

/// A box of 1 kg, 0.2 m, on its face, that slides at `speed` along x.
Scenario box_on_ground(double mu, double speed)
{
  return scenario_of(
      "models:\n  box: {urdf: ../urdf/box.urdf, twist: {linear: [" + std::to_string(speed) +
      ", 0, 0]}}\ncontacts:\n  - {name: bottom, link: box/box, points: [[0.1, 0.1, -0.1], [0.1, -0.1, -0.1], "
      "[-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1]], normal: [0, 0, 1], mu: " +
      std::to_string(mu) + "}\nquestion: all_sticking\n");
}

/// The same on a slope: gravity is turned instead of the ground.
Simulation slide(double degrees, double mu, double speed, double seconds, const SimulatorOptions& options = {})
{
  Scenario scenario = box_on_ground(mu, speed);
  const double angle = degrees * M_PI / 180.0;
  scenario.scene.gravity = {kGravity * std::sin(angle), 0.0, -kGravity * std::cos(angle)};
  return Simulator(scenario).run(seconds, options);
}

TEST(Simulator, ABoxSlidesDownASlope)
{
  const double angle = 30.0 * M_PI / 180.0, expected = kGravity * (std::sin(angle) - 0.2 * std::cos(angle));
  const Simulation simulation = slide(30.0, 0.2, 0.5, 0.5, steps_of(0.01));
  ASSERT_EQ(simulation.outcome, SimulationOutcome::kDone) << simulation.reason;
  for (const SimulationStep& step : simulation.steps) {
    EXPECT_NEAR(step.state.a[0], expected, 1e-9);
    EXPECT_NEAR(step.state.v[0], 0.5 + expected * step.time, 1e-9);
    EXPECT_NEAR(place(step).x(), 0.5 * step.time + 0.5 * expected * step.time * step.time, 1e-9);
    EXPECT_NEAR(place(step).z(), 0.0, 1e-12);
    EXPECT_EQ(step.count, SolutionCount::kUnique);
    EXPECT_LT(std::abs(step.imbalance), 1e-12);
  }
  // From rest it begins to: friction of 0.2 does not hold it.
  const Simulation rest = slide(30.0, 0.2, 0.0, 0.1, steps_of(0.01));
  EXPECT_EQ(rest.verdict, Verdict::kFails);
  EXPECT_FALSE(rest.disagrees());
  ASSERT_NE(first(rest, Kind::kSlips), nullptr);
  EXPECT_NEAR(rest.steps.back().state.v[0], 0.1 * expected, 1e-9);
}

TEST(Simulator, ABoxThatSlidesUpStopsAndStays)
{
  const double angle = 20.0 * M_PI / 180.0, brake = kGravity * (std::sin(angle) + 0.4 * std::cos(angle));
  const Simulation simulation = slide(20.0, 0.4, -1.0, 0.5);
  ASSERT_EQ(simulation.outcome, SimulationOutcome::kDone) << simulation.reason;
  const SimulationEvent* const sticks = first(simulation, Kind::kSticks);
  ASSERT_NE(sticks, nullptr);
  EXPECT_NEAR(sticks->time, 1.0 / brake, 1e-9);
  EXPECT_NEAR(place(simulation.steps.back()).x(), -0.5 / brake, 1e-9);
  EXPECT_TRUE(simulation.steps.back().state.v.isZero(1e-12));
  EXPECT_NEAR(simulation.steps.back().friction_loss, 0.4 * kGravity * std::cos(angle) * 0.5 / brake, 1e-9);
  // Less friction than tan 20°: it comes down again.
  const Simulation back = slide(20.0, 0.3, -1.0, 1.0);
  const double up = kGravity * (std::sin(angle) + 0.3 * std::cos(angle)),
               down = kGravity * (std::sin(angle) - 0.3 * std::cos(angle));
  EXPECT_NEAR(back.steps.back().state.v[0], down * (1.0 - 1.0 / up), 1e-9);
}

/// A ball of 0.05 m that leaves the ground with `speed`.
Scenario ball(double speed, double restitution)
{
  return scenario_of("models:\n  ball: {urdf: ../urdf/sphere.urdf, pose: {xyz: [0, 0, 0.05]}, twist: {linear: [0, 0, " +
                     std::to_string(speed) +
                     "]}}\ncontacts:\n  - {name: ground, link: ball/sphere, at: [0, 0, -0.05], normal: [0, 0, 1], mu: "
                     "0.5, radius: 0.05, restitution: {normal: " +
                     std::to_string(restitution) + "}}\nquestion: all_sticking\n");
}

TEST(Simulator, BouncesAccumulate)
{
  for (const double e : {0.3, 0.5, 0.8}) {
    const double all = 2.0 * 3.0 / (kGravity * (1.0 - e));
    const Simulation simulation = Simulator(ball(3.0, e)).run(1.1 * all);
    ASSERT_EQ(simulation.outcome, SimulationOutcome::kDone) << simulation.reason;
    const SimulationEvent* const rests = first(simulation, Kind::kRests);
    ASSERT_NE(rests, nullptr) << e;
    EXPECT_NEAR(rests->time, all, 1e-3 * all + 1e-3) << e;  // it rests at the end of a step
    double flight = 2.0 * 3.0 / kGravity, time = 0.0, speed = 3.0;
    int hits = 0;
    for (const SimulationEvent& event : simulation.events) {
      if (event.kind != Kind::kHits || ++hits > 6) continue;
      time += flight;
      EXPECT_NEAR(event.time, time, 1e-10) << e;
      EXPECT_NEAR(event.value, speed, 1e-10) << e;
      flight *= e;
      speed *= e;
    }
    EXPECT_GE(hits, 6);
    EXPECT_LT(std::abs(simulation.steps.back().imbalance), 1e-10);
    EXPECT_NEAR(simulation.steps.back().impact_loss, 0.5 * 0.2 * 9.0, 1e-9);
  }
}

TEST(Simulator, ABallRolls)
{
  const double expected = 5.0 / 7.0 * kGravity * std::sin(20.0 * M_PI / 180.0);
  const Simulation simulation = Simulator(gallery("ball_down_slope")).run(0.5, steps_of(0.005));
  ASSERT_EQ(simulation.outcome, SimulationOutcome::kDone) << simulation.reason;
  const Eigen::Vector3d down = Eigen::Vector3d(std::cos(20.0 * M_PI / 180.0), 0.0, -std::sin(20.0 * M_PI / 180.0));
  for (const SimulationStep& step : simulation.steps) {
    const double way = (place(step) - place(simulation.steps.front())).dot(down);
    EXPECT_NEAR(way, 2.0 * step.time + 0.5 * expected * step.time * step.time, 1e-9);
    EXPECT_EQ(step.contacts.front().state, SimulatedContact::State::kSticks);
    EXPECT_LT(std::abs(step.contacts.front().gap), 1e-11);
  }
}

TEST(Simulator, ABallThatSlidesBeginsToRoll)
{
  // At 2 m/s without spin: it slides until 2/7 of that are gone, after 2 v/(7 mu g), and rolls on with 5/7 v.
  Scenario scenario = ball(0.0, 0.0);
  scenario.scene.models[0].linear_velocity = {2.0, 0.0, 0.0};
  const Simulation simulation = Simulator(scenario).run(0.3);
  const SimulationEvent* const sticks = first(simulation, Kind::kSticks);
  ASSERT_NE(sticks, nullptr);
  EXPECT_NEAR(sticks->time, 2.0 * 2.0 / (7.0 * 0.5 * kGravity), 1e-9);
  const Eigen::Vector3d velocity =
      simulation.steps.back().bodies[0].linear() * simulation.steps.back().state.v.head<3>();
  EXPECT_NEAR(velocity.x(), 5.0 / 7.0 * 2.0, 1e-9);
  EXPECT_LT(std::abs(simulation.steps.back().imbalance), 1e-9);
}

TEST(Simulator, ALadderLeavesTheWall)
{
  // Without friction, from rest at 60° to the ground: when the sine has fallen to two thirds.
  const double start = M_PI / 3.0;
  const Simulation simulation = Simulator(scenario_of(R"(
models: {ladder: {urdf: ../urdf/rod.urdf, base: fixed, joints: {theta: -1.0471975511965976}, effort: none}}
contacts:
  - {name: wall, link: ladder/rod, at: [-1, 0, 0], normal: [1, 0, 0], normal_frame: world, mu: 0}
  - {name: ground, link: ladder/rod, at: [1, 0, 0], normal: [0, 0, 1], normal_frame: world, mu: 0}
question: all_sticking
)"))
                                    .run(1.0);
  ASSERT_EQ(simulation.outcome, SimulationOutcome::kDone) << simulation.reason;
  const SimulationEvent* const lifts = first(simulation, Kind::kLifts);
  ASSERT_NE(lifts, nullptr);
  EXPECT_EQ(simulation.contacts[static_cast<std::size_t>(lifts->contact)].name, "wall");
  // Energy until then: v² from ½ m v² + ½ I w² = m g l (sin 60° - sin), with v = l w and I = m l²/3.
  const auto before = std::ranges::find_if(simulation.steps, [&](const auto& step) { return step.time > lifts->time; });
  ASSERT_NE(before, simulation.steps.end());
  const SimulationStep& late = *before;
  // Back from the step after it: theta is smooth to second order across it.
  const double dt = lifts->time - late.time,
               angle = -(late.joints[2] + dt * late.state.v[2] + 0.5 * dt * dt * late.state.a[2]);
  EXPECT_NEAR(std::sin(angle), 2.0 / 3.0 * std::sin(start), 1e-7);
}

TEST(Simulator, APainleveRodStops)
{
  const Simulation jammed = Simulator(gallery("painleve_jammed")).run(1.0);
  EXPECT_EQ(jammed.outcome, SimulationOutcome::kNoSolution);
  EXPECT_EQ(jammed.time, 0.0);
  EXPECT_NE(jammed.reason.find("contradict"), std::string::npos) << jammed.reason;
  const Simulation several = Simulator(gallery("painleve_two_futures")).run(1.0);
  EXPECT_EQ(several.outcome, SimulationOutcome::kSeveral) << several.reason;
}

/// A block of 0.2 m by 0.8 m that stands on one edge, tilted by 0.1 rad.
struct RockingBlock {
  static constexpr double kHalfWidth = 0.1, kHalfHeight = 0.4, kTilt = 0.1;
  double alpha = std::atan2(kHalfWidth, kHalfHeight), radius = std::hypot(kHalfWidth, kHalfHeight);

  Scenario scenario() const
  {
    const double inertia = (kHalfWidth * kHalfWidth + kHalfHeight * kHalfHeight) / 3.0;
    Scenario result = scenario_of(R"(
plane: xz
models: {block: {urdf: ../urdf/box.urdf}}
contacts:
  - {name: right, link: block/block, at: [0.1, 0, -0.4], normal: [0, 0, 1], normal_frame: world, mu: 2}
  - {name: left, link: block/block, at: [-0.1, 0, -0.4], normal: [0, 0, 1], normal_frame: world, mu: 2}
question: all_sticking
)");
    ModelDescription& model = result.scene.models[0];
    model.urdf_file.clear();
    char number[32];
    std::snprintf(number, sizeof number, "%.17g", inertia);
    model.urdf_text =
        std::string("<robot name=\"block\"><link name=\"block\"><inertial><mass value=\"1\"/><inertia ixx=\"") +
        number + "\" iyy=\"" + number + "\" izz=\"" + number +
        "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>";
    return result;
  }

  /// Time from rest at a tilt to standing on both edges, by the integral of energy over the substitution
  /// tilt = start - u², which has no singularity.
  double quarter() const
  {
    const double p2 = 2.0 * kGravity * radius / (4.0 / 3.0 * radius * radius);
    const int n = 2000;
    const double end = std::sqrt(kTilt), h = end / n;
    const auto f = [&](double u) {
      if (u == 0.0) return 2.0 / std::sqrt(p2 * std::sin(alpha - kTilt));
      const double speed2 = p2 * (std::cos(alpha - kTilt) - std::cos(alpha - kTilt + u * u));
      return 2.0 * u / std::sqrt(speed2);
    };
    double sum = f(0.0) + f(end);
    for (int k = 1; k < n; ++k) sum += (k % 2 ? 4.0 : 2.0) * f(k * h);
    return sum * h / 3.0;
  }
};

TEST(Simulator, ABlockRocks)
{
  const RockingBlock block;
  Scenario scenario = block.scenario();
  // Tilted about its right edge, which stays at the origin's right: the other one is in the air.
  ModelDescription& model = scenario.scene.models[0];
  model.pose.rpy = {0.0, RockingBlock::kTilt, 0.0};
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(RockingBlock::kTilt, Eigen::Vector3d::UnitY()).toRotationMatrix();
  const Eigen::Vector3d corner(RockingBlock::kHalfWidth, 0.0, -RockingBlock::kHalfHeight);
  model.pose.xyz = corner - turn * corner + Eigen::Vector3d(0.0, 0.0, RockingBlock::kHalfHeight);
  scenario.scene.contacts.pop_back();
  scenario.contact_motions.pop_back();
  // The ground catches the left edge, which no contact is about.
  scenario.scene.ground = Ground{Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitZ(), 2.0};
  model.urdf_text.replace(model.urdf_text.find("</link>"), 7,
                          "<collision><geometry><box size=\"0.2 0.02 0.8\"/></geometry></collision></link>");
  const Simulation simulation = Simulator(scenario).run(1.2);
  ASSERT_EQ(simulation.outcome, SimulationOutcome::kDone) << simulation.reason;
  const SimulationEvent* const hits = first(simulation, Kind::kHits);
  ASSERT_NE(hits, nullptr);
  EXPECT_NEAR(hits->time, block.quarter(), 1e-8);
  // Housner: 1 - 3/2 sin² alpha of the speed is left.
  const double rate = std::sqrt(2.0 * kGravity * block.radius / (4.0 / 3.0 * block.radius * block.radius) *
                                (std::cos(block.alpha - RockingBlock::kTilt) - std::cos(block.alpha)));
  EXPECT_NEAR(hits->value, rate * 2.0 * RockingBlock::kHalfWidth, 1e-7);
  const double left = 1.0 - 1.5 * std::pow(std::sin(block.alpha), 2);
  const double lost = 0.5 * 4.0 / 3.0 * block.radius * block.radius * rate * rate * (1.0 - left * left);
  const auto after = std::ranges::find_if(simulation.steps, [&](const auto& step) { return step.time > hits->time; });
  EXPECT_NEAR(after->impact_loss, lost, 1e-8);
}

TEST(Simulator, RefusesWhatItDoesNotCover)
{
  const auto message = [](const Scenario& scenario, double seconds) {
    try {
      Simulator(scenario).run(seconds);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(ball(1.0, 0.5), -1.0), "for: want a time > 0 s, got -1");
  EXPECT_NE(message(gallery("ratchet_carts"), 1.0).find("one_way"), std::string::npos);
  Scenario matrices;
  matrices.bare.emplace();
  EXPECT_NE(message(matrices, 1.0).find("want robots"), std::string::npos);
}

}  // namespace
}  // namespace stiction
