// The question couplings: how do contacts and held rows act on each other through the masses? (docs/couplings.md)
#pragma once

#include "io/question.hpp"

namespace stiction::internal {

inline const std::string& row_name(const CouplingsAnswer& answer, int row)
{
  return answer.row_names[static_cast<std::size_t>(row)];
}

/// Largest impulse at a held row that comes with one of 1 at a contact.
double largest_shock(const Couplings& found);

Json couplings_asked(const ScenarioReport& report);
void write_couplings(const ScenarioReport& report, Json& json);
AnswerText couplings_text(const ScenarioReport& report);
Judgement judge_couplings_report(const Field& report);

std::string summary_of(const CouplingsAnswer& answer);

}  // namespace stiction::internal
