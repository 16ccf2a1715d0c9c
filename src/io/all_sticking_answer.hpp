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

/// What the steps of the paper's algorithm found (docs/theory.md): a list with an entry for each, and lines for people.
Json steps_json(const ContactProblem& problem, const AllStickingAnswer& answer);
std::string steps_text(const ContactProblem& problem, const AllStickingAnswer& answer);
/// What would make a failing case hold: the list `repair`.
Json repairs_json(const ContactProblem& problem, const AllStickingAnswer& answer);
/// The same as lines.
std::vector<std::string> repairs_words(const ContactProblem& problem, const AllStickingAnswer& answer);
std::string failure_words(const std::string& explanation);

}  // namespace stiction::internal
