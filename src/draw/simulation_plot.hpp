#pragma once

#include "draw/row_plot.hpp"
#include "stiction/simulator.hpp"

namespace stiction::internal {

/// A simulation over time: whether all that touches sticks, speeds, energies, which contacts touch, and events.
RowPlot simulation_plot(const Simulation& simulation);

}  // namespace stiction::internal
