// The question sliding: what happens while some contacts slide and the others stick? (docs/sliding.md)
#pragma once

#include "io/question.hpp"

namespace stiction::internal {

const char* name_of(SolutionCount count);

/// The contacts of a solution: utilisation of the forces as in the certificate, so that `verify` finds the same
/// numbers.
std::vector<ReportedContact> contacts_of(const ContactProblem& problem, const SlidingSolution& solution);

/// Contacts that slide from rest against the direction they are said to take: they would not start that way.
std::vector<std::string> contrary_slips(const ContactProblem& problem, const SlidingAnswer& answer,
                                        const SlidingSolution& solution);

Json sliding_asked(const ScenarioReport& report);
void write_sliding(const ScenarioReport& report, Json& json);
AnswerText sliding_text(const ScenarioReport& report);
Judgement judge_sliding_report(const Field& report);

std::string summary_of(const SlidingAnswer& answer);

}  // namespace stiction::internal
