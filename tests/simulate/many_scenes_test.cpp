// Energy, order of convergence, and many scenes: what holds stays, what fails begins with the motion of its proof.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "stiction/simulator.hpp"
#include "stiction/sticking.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

Scenario written(const std::string& text)
{
  return read_scenario_text("stiction: 1\n" + text, std::string(STICTION_SOURCE_DIR) + "/scenarios");
}

SimulatorOptions with_step(double step)
{
  SimulatorOptions options;
  options.step = step;
  return options;
}

/// A double pendulum that is let go at large angles: no closed form, but an energy and a converged end.
Scenario pendulum()
{
  return written(R"(
models: {p: {urdf: ../urdf/double_pendulum.urdf, base: fixed, joints: {upper: 1.5, lower: 0.5}, effort: none}}
contacts: []
question: all_sticking
)");
}

TEST(SimulatedEnergy, IsKeptWithoutContacts)
{
  const Simulation simulation = Simulator(pendulum()).run(2.5 * testing::trials(2));
  for (const SimulationStep& step : simulation.steps) ASSERT_LT(std::abs(step.imbalance), 1e-7) << step.time;
}

TEST(Convergence, IsOfOrderFour)
{
  const auto end = [](double step) {
    const Simulation simulation = Simulator(pendulum()).run(1.0, with_step(step));
    return simulation.steps.back().joints;
  };
  const Eigen::VectorXd best = end(2.5e-4);
  const double coarse = (end(4e-3) - best).norm(), fine = (end(2e-3) - best).norm();
  EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.5) << coarse << " " << fine;
}

/// A body that spins, falls, slides and stops: the instant at which a ball begins to roll, by steps of three lengths.
TEST(Convergence, EventsDoNotLoseIt)
{
  Scenario ladder = written(R"(
models: {ladder: {urdf: ../urdf/rod.urdf, base: fixed, joints: {theta: -1.0471975511965976}, effort: none}}
contacts:
  - {name: wall, link: ladder/rod, at: [-1, 0, 0], normal: [1, 0, 0], normal_frame: world, mu: 0.1}
  - {name: ground, link: ladder/rod, at: [1, 0, 0], normal: [0, 0, 1], normal_frame: world, mu: 0.1}
question: all_sticking
)");
  const auto leaves = [&](double step) {
    const Simulation simulation = Simulator(ladder).run(1.2, with_step(step));
    for (const SimulationEvent& event : simulation.events)
      if (event.kind == SimulationEvent::Kind::kLifts) return event.time;
    return 0.0;
  };
  const double best = leaves(1e-3), coarse = std::abs(leaves(0.04) - best), fine = std::abs(leaves(0.02) - best);
  EXPECT_GT(best, 0.1);
  EXPECT_GT(std::log2(coarse / fine), 3.0) << coarse << " " << fine;
}

/// A body on three to six points of a slope, pushed at random: half of such scenes hold.
Scenario random_scene(std::mt19937& rng)
{
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Scenario scenario = written("models: {box: {urdf: ../urdf/box.urdf}}\ncontacts: []\nquestion: all_sticking\n");
  const int points = 3 + static_cast<int>(rng() % 4);
  const double slope = 0.3 * (1.0 + unit(rng));
  const Eigen::Vector3d uphill(1.0, 0.0, 0.0);
  scenario.scene.gravity = Eigen::AngleAxisd(slope, Eigen::Vector3d::UnitY()) * Eigen::Vector3d(0.0, 0.0, -9.81);
  for (int i = 0; i < points; ++i) {
    ContactDescription contact;
    contact.name = "c" + std::to_string(i);
    contact.link = "box/box";
    const double angle = 2.0 * M_PI * (i + 0.3 * unit(rng)) / points;
    contact.points = {Eigen::Vector3d(0.1 * std::cos(angle), 0.1 * std::sin(angle), -0.1)};
    contact.mu = 0.35 + 0.25 * unit(rng);
    scenario.scene.contacts.push_back(contact);
    scenario.contact_motions.emplace_back();
  }
  LoadDescription load;
  load.link = "box/box";
  load.force = 3.0 * Eigen::Vector3d(unit(rng), unit(rng), unit(rng));
  load.torque = 0.1 * Eigen::Vector3d(unit(rng), unit(rng), unit(rng));
  load.frame = LoadDescription::Frame::kLink;
  scenario.scene.loads.push_back(load);
  return scenario;
}

TEST(ManyScenes, HoldOrBeginAsTheProofSays)
{
  // 200 and more in a long run by hand: STICTION_TRIALS=10.
  std::mt19937 rng{11};
  int holds = 0, fails = 0, several = 0;
  for (int k = 0; k < testing::trials(30); ++k) {
    const Scenario scenario = random_scene(rng);
    Scene scene(scenario.scene);
    const ContactProblem problem = scene.compute();
    const StickingResult verdict = StickingChecker().check(problem);
    if (verdict.verdict == Verdict::kUndecided) continue;
    if (verdict.verdict == Verdict::kHolds && verdict.acceleration.lpNorm<Eigen::Infinity>() < 1e-9) {
      ++holds;
      const Simulation simulation = Simulator(scenario).run(1.0, with_step(5e-3));
      ASSERT_EQ(simulation.outcome, SimulationOutcome::kDone) << k << ": " << simulation.reason;
      const SimulationStep& last = simulation.steps.back();
      EXPECT_TRUE(simulation.sticks) << k;
      EXPECT_LT((last.bodies[0].translation() - simulation.steps[0].bodies[0].translation()).norm(), 1e-12) << k;
      EXPECT_LT(last.state.v.norm(), 1e-12) << k;
    } else if (verdict.verdict == Verdict::kFails) {
      ++fails;
      // The proof's y has y'(M a0 + F) > y'J'f for all admissible f, a0 that of Gauss' principle: what happens, which
      // has such forces, differs from a0 along the motion -y: -y'M (a - a0) > 0.
      SimulatorOptions options = with_step(1e-3);
      Simulation simulation = Simulator(scenario).run(2e-3, options);
      if (simulation.outcome != SimulationOutcome::kDone) {
        // Bodies that turn as they slide share their weight among more than three points in many ways.
        EXPECT_EQ(simulation.outcome, SimulationOutcome::kSeveral) << k << ": " << simulation.reason;
        ++several;
        options.count_solutions = false;
        simulation = Simulator(scenario).run(2e-3, options);
        ASSERT_EQ(simulation.outcome, SimulationOutcome::kDone) << k << ": " << simulation.reason;
      }
      EXPECT_FALSE(simulation.sticks) << k;
      const SimulationStep &first = simulation.steps.front(), &last = simulation.steps.back();
      ASSERT_FALSE(verdict.certificate.leaves.empty()) << k;
      const Eigen::VectorXd motion = -verdict.certificate.leaves.front().motion.head(problem.nv());
      EXPECT_GT(motion.dot(problem.M * (first.state.a - verdict.certificate.a)), 0.0) << k;
      EXPECT_GT(motion.dot(problem.M * (last.state.v / last.time - verdict.certificate.a)), 0.0) << k;
    }
  }
  std::cout << holds << " hold and stay, " << fails << " fail, of which " << several << " have several futures\n";
  EXPECT_GT(holds, 3);
  EXPECT_GT(fails, 3);
}

}  // namespace
}  // namespace stiction
