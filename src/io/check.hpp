#pragma once

#include "io/report.hpp"
#include "io/scenario_document.hpp"

namespace stiction::internal {

/// Loads the scene and answers the scenario's question, with every extra that the options do not turn off.
ScenarioReport check(const Scenario& scenario, const StopCheck& stop = {});

/// The same for a file; errors about the scene name line and column.
ScenarioReport check_file(const std::string& file, const std::vector<ScenarioOverride>& overrides,
                          const std::vector<std::string>& package_paths);

/// Answers from text in memory, as check_file does.
ScenarioReport check_document(const ScenarioDocument& document, const std::vector<std::string>& package_paths,
                              const StopCheck& stop = {});

/// Loads the scene of a file and reads what is asked, without answering.
ScenarioReport read_file(const std::string& file, const std::vector<ScenarioOverride>& overrides,
                         const std::vector<std::string>& package_paths);

/// The scenario file and its URDFs.
std::vector<std::string> input_files(const ScenarioDocument& document, const std::vector<std::string>& package_paths);

/// @throws InputError when `out` is one of the files, by whatever name: results do not replace what they are made of.
void require_none_of(const std::vector<std::string>& files, const std::string& out, const char* option);

/// 0 holds, 1 fails, 3 undecided.
int exit_code(Verdict verdict);

}  // namespace stiction::internal
