// The options of a scenario. Each is declared once, in the table of options.cpp: how files say it, which values it may
// have, how it is written, and whether it means something without robots.
#pragma once

#include "io/document.hpp"
#include "io/question.hpp"

namespace stiction::internal {

/// Of a pyramid that replaces a friction cone.
inline constexpr int kMostFacets = 4096;

/// @throws InputError "file:3:7: options.gap: want …, got …"
ScenarioOptions decode_options(const Entry& entry);

/// The same rules for options that a program has set. @throws InputError
void require_options(const Scenario& scenario);

/// @throws InputError for those that are about robots, which a problem file has none of.
void require_options_of_matrices(const ScenarioOptions& options);

/// Those that are not the default, so that decode_options reads them back.
Json options_json(const ScenarioOptions& options);

}  // namespace stiction::internal
