// The question equilibrium: do contact forces and joint efforts within their limits exist for a prescribed motion?
// (docs/equilibrium.md)
#pragma once

#include "io/question.hpp"

namespace stiction::internal {

Json equilibrium_asked(const ScenarioReport& report);
void write_equilibrium(const ScenarioReport& report, Json& json);
AnswerText equilibrium_text(const ScenarioReport& report);
Judgement judge_equilibrium_report(const Field& report);

std::string summary_of(const EquilibriumAnswer& answer);
std::string imbalance_words(const std::string& explanation);
/// What a tolerance of the data adds to the sentence of a verdict: "holds: within 1e-06 of the data, …".
std::string within_tolerance(const std::string& summary, Verdict verdict, double tolerance, double change);

}  // namespace stiction::internal
