// Recomputing a contact problem for a new state beside the bare Pinocchio calls that it needs, on Pinocchio's own model
// of the same URDF: Talos (nv 38) with 8 contacts, at rest and moving.
#include <benchmark/benchmark.h>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include <random>
#include <string>
#include <vector>

#include "talos.hpp"

namespace stiction {
namespace {

constexpr int kStates = 64;  // more than a branch predictor learns by heart

std::vector<SceneState> random_states(const Scene& scene, bool moving)
{
  std::mt19937 engine(1);
  std::normal_distribution<double> gauss;
  const auto random = [&] {
    return Eigen::VectorXd::NullaryExpr(scene.nv(), [&](Eigen::Index) { return gauss(engine); }).eval();
  };
  std::vector<SceneState> states;
  for (int i = 0; i < kStates; ++i) {
    SceneState state{scene.integrate(scene.described_state().q, random()), random()};
    if (!moving) state.v.setZero();
    states.push_back(state);
  }
  return states;
}

void scene_compute(benchmark::State& run, bool moving)
{
  if (talos_file().empty()) return run.SkipWithError("no robots: set STICTION_ROBOT_DATA");
  Scene scene = talos_on_its_soles(Effort::Kind::kLimits);
  const auto states = random_states(scene, moving);
  ContactProblem problem;
  std::size_t i = 0;
  for (auto _ : run) {
    scene.compute(states[i++ % kStates], problem);
    benchmark::DoNotOptimize(problem.J.data());
  }
  run.counters["nv"] = static_cast<double>(scene.nv());
  run.counters["rows"] = static_cast<double>(problem.rows());
}

/// FK + Jacobians, CRBA, gravity or nonlinear effects.
void pinocchio_calls(benchmark::State& run, bool moving)
{
  if (talos_file().empty()) return run.SkipWithError("no robots: set STICTION_ROBOT_DATA");
  pinocchio::Model model;
  pinocchio::urdf::buildModel(talos_file(), pinocchio::JointModelFreeFlyer(), model);
  pinocchio::Data data(model);
  const Scene scene = talos_on_its_soles(Effort::Kind::kLimits);
  if (model.nq != scene.nq() || model.nv != scene.nv()) return run.SkipWithError("the models differ");
  const auto states = random_states(scene, moving);
  std::size_t i = 0;
  for (auto _ : run) {
    const SceneState& state = states[i++ % kStates];
    pinocchio::computeJointJacobians(model, data, state.q);
    pinocchio::crba(model, data, state.q);
    if (moving)
      pinocchio::nonLinearEffects(model, data, state.q, state.v);
    else
      pinocchio::computeGeneralizedGravity(model, data, state.q);
    benchmark::DoNotOptimize(data.M.data());
  }
}

BENCHMARK_CAPTURE(pinocchio_calls, talos_at_rest, false);
BENCHMARK_CAPTURE(scene_compute, talos_8_contacts_at_rest, false);
BENCHMARK_CAPTURE(pinocchio_calls, talos_moving, true);
BENCHMARK_CAPTURE(scene_compute, talos_8_contacts_moving, true);

}  // namespace
}  // namespace stiction
