#pragma once

#include <nlohmann/json_fwd.hpp>

#include "io/report.hpp"

namespace stiction::internal {

/// Judges a report as verify_report does, but for its checksum. With a scenario whose question was read (it need not be
/// answered) also whether the report is about it.
/// @throws InputError when it is not a report.
Verification verify_json(const nlohmann::ordered_json& report, const ScenarioReport* scenario);

/// The whole of a file of at most 128 MiB. @throws InputError
std::string read_report_file(const std::string& file);

/// For people: whether it is valid and why, and what was not re-checked.
std::string verification_text(const Verification& result);

}  // namespace stiction::internal
