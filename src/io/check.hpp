#pragma once

#include "io/report.hpp"
#include "io/scenario_document.hpp"

namespace stiction::internal {

/// Slower than this, bodies count as at rest relative to each other: m/s, rad/s on rows that turn.
inline constexpr double kRestSpeed = 1e-6;

/// @throws InputError unless the question is one that can be answered, with entries that belong to it.
void require_question(const Scenario& scenario);

/// all_sticking needs given efforts. @throws InputError saying what to write instead.
void require_given_efforts(const Scenario& scenario, const ContactProblem& problem);

/// @throws InputError with the velocity of the first contact or closure whose bodies move relative to each other.
void require_rest(const Scenario& scenario, const ContactProblem& problem, const Eigen::VectorXd& v);

/// `extras`: intervals, margins and repairs, where the scenario does not say.
StickingOptions sticking_options(const ScenarioOptions& options, bool extras);

/// Loads the scene and answers the scenario's question, with every extra that the options do not turn off.
Report check(const Scenario& scenario);

/// The same for a file; errors about the scene name line and column.
Report check_file(const std::string& file, const std::vector<ScenarioOverride>& overrides,
                  const std::vector<std::string>& package_paths);

/// Answers from text in memory, as check_file does.
Report check_document(const ScenarioDocument& document, const std::vector<std::string>& package_paths);

/// 0 holds, 1 fails, 3 undecided.
int exit_code(Verdict verdict);

}  // namespace stiction::internal
