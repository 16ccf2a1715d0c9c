#pragma once

#include <string>

#include "stiction/scenario.hpp"

namespace stiction {

/// Reads a problem file, matrices instead of robots (docs/problem.md): Scenario::bare is set. Such files are also read
/// by read_scenario_file, and answered by everything that answers scenarios.
/// @throws InputError "file:line:column: path: want …, got …", also for a scenario with robots.
Scenario read_problem_file(const std::string& file, const std::vector<ScenarioOverride>& overrides = {});

/// The same from JSON in memory; `source` is the name in messages.
Scenario read_problem_text(const std::string& text, const std::string& source = "problem",
                           const std::vector<ScenarioOverride>& overrides = {});

/// A problem file that reads back as the same numbers; matrices that are mostly zero are written as triplets.
/// @throws InputError unless Scenario::bare is set and valid.
std::string problem_text(const Scenario& scenario);

/// The same question about the matrices of a scene in its described state: loads the robots, computes the problem and
/// forgets the robots. A bare problem stays what it is.
/// @throws InputError when the scene cannot be loaded, or the question or an option needs its robots.
Scenario as_bare_problem(const Scenario& scenario);

/// The paper's MLCPs of a scenario that asks all_sticking or sliding, as JSON with named rows (docs/mlcp.md,
/// stiction/paper/mlcp.hpp). With `options.cone` facets, or in the plane, also (54)–(58).
/// @throws InputError as as_bare_problem, for another question and for `detachment: forbidden`.
std::string mlcp_text(const Scenario& scenario);

}  // namespace stiction
