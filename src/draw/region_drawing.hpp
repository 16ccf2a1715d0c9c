#pragma once

#include <string>

#include "io/report.hpp"

namespace stiction::internal {

/// Drawing of a report of the question region: axes in metres, contacts, centre of mass, inner and outer region,
/// margin.
/// @throws InputError when the report answers another question.
std::string region_svg(const ScenarioReport& report);

/// "piece,polygon,x,y", one line per corner in counter-clockwise order; polygon is inner or outer. @throws InputError
/// as above.
std::string region_csv(const ScenarioReport& report);

}  // namespace stiction::internal
