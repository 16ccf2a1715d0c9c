// The question all_sticking: does every contact keep sticking, for given efforts? (docs/all_sticking.md)
#pragma once

#include "io/question.hpp"

namespace stiction::internal {

/// Whether there are forces and an acceleration at all: not when the constraints contradict each other, nothing can
/// balance the loads, or the motion could not be computed.
bool has_forces(const StickingResult& result);
bool has_forces(CertificateKind kind);

/// States, forces and utilisation as a certificate with forces has them.
void read_contacts(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                   Verdict verdict, std::vector<ContactReport>& contacts);

Json all_sticking_asked(const ScenarioReport& report);
void write_all_sticking(const ScenarioReport& report, Json& json);
AnswerText all_sticking_text(const ScenarioReport& report);
Judgement judge_all_sticking(const Field& report);

std::string summary_of(const AllStickingAnswer& answer);
std::string failure_words(const std::string& explanation);

}  // namespace stiction::internal
