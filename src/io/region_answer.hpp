// The question region: where may the centre of mass go? (docs/region.md)
#pragma once

#include "io/question.hpp"

namespace stiction::internal {

const char* name_of(RegionKind kind);

Json region_asked(const ScenarioReport& report);
void write_region(const ScenarioReport& report, Json& json);
AnswerText region_text(const ScenarioReport& report);
Judgement judge_region_report(const Field& report);

/// One sentence about a region and the position in it.
std::string summary_of(const RegionResult& result);

/// `com`: the distance from the boundary.
std::vector<ReportedMargin> margins_of(const RegionResult& result);

}  // namespace stiction::internal
