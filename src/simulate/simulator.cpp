#include "stiction/simulator.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "simulate/run.hpp"
#include "stiction/error.hpp"

namespace stiction {

struct Simulator::Workspace {
  explicit Workspace(const Scenario& scenario) : motion(scenario) {}
  internal::Motion motion;
};

Simulator::Simulator(const Scenario& scenario) : workspace_(std::make_unique<Workspace>(scenario)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

Simulation Simulator::run(double seconds, const SimulatorOptions& options)
{
  constexpr double kMostGridSteps = 1e7;
  if (!(std::isfinite(seconds) && seconds > 0.0))
    throw InputError("for", "want a time > 0 s, got " + internal::text(seconds));
  if (!(std::isfinite(options.step) && options.step > 0.0))
    throw InputError("step", "want a time > 0 s, got " + internal::text(options.step));
  if (seconds / options.step > kMostGridSteps)
    throw InputError("step", "want at most 1e7 steps, got " + internal::text(seconds / options.step));
  if (options.most_impacts < 1)
    throw InputError("most_impacts", "want at least 1, got " + std::to_string(options.most_impacts));
  if (options.record < 1) throw InputError("record", "want at least 1, got " + std::to_string(options.record));
  return internal::SimulationRun(workspace_->motion, options).run(seconds);
}

}  // namespace stiction
