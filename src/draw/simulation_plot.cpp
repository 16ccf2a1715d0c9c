#include "draw/simulation_plot.hpp"

#include <algorithm>

#include "io/simulation.hpp"

namespace stiction::internal {

RowPlot simulation_plot(const Simulation& simulation)
{
  constexpr std::size_t kMostMarks = 4, kMostSchedules = 16;
  using State = SimulatedContact::State;
  RowPlot plot;
  plot.title = simulation.name.empty() ? "simulation" : simulation.name;
  plot.x_words = "time [s]";
  plot.over_time = true;
  RowPlot::Curve speed{"largest speed of a joint or base [m/s, rad/s]", {}, {}}, slip{"fastest slip [m/s]", {}, {}},
      kinetic{"kinetic energy [J]", {}, {}}, lost{"lost to friction and impacts [J]", {}, {}};
  for (const SimulationStep& step : simulation.steps) {
    RowPlot::Row row;
    row.x = step.time;
    double fastest = 0.0;
    std::string slips;
    for (std::size_t i = 0; i < step.contacts.size(); ++i) {
      if (step.contacts[i].state != State::kSlips) continue;
      slips += (slips.empty() ? "" : ", ") + simulation.contacts[i].name;
      fastest = std::max(fastest, step.contacts[i].slip);
    }
    row.verdict = slips.empty() ? Verdict::kHolds : Verdict::kFails;
    if (!slips.empty()) row.summary = "slips: " + slips;
    plot.rows.push_back(row);
    speed.values.push_back(step.state.v.size() > 0 ? step.state.v.lpNorm<Eigen::Infinity>() : 0.0);
    slip.values.push_back(fastest);
    kinetic.values.push_back(step.kinetic);
    lost.values.push_back(step.friction_loss + step.impact_loss);
  }
  plot.curves = {speed, slip, kinetic, lost};
  for (std::size_t i = 0; i < simulation.contacts.size() && plot.schedules.size() < kMostSchedules; ++i) {
    RowPlot::Schedule schedule{simulation.contacts[i].name, {}};
    for (const SimulationStep& step : simulation.steps) schedule.on.push_back(step.contacts[i].state != State::kOpen);
    if (std::ranges::find(schedule.on, true) != schedule.on.end()) plot.schedules.push_back(std::move(schedule));
  }
  for (const auto& [time, words] : told_events(simulation))
    if (plot.marks.size() < kMostMarks) plot.marks.push_back({time, words});
  return plot;
}

}  // namespace stiction::internal
