// Why a case fails, in reports: the key `failure`, the proofs of its counterfactuals beside the certificate, and what
// `verify` makes of both.
#pragma once

#include "io/judgement.hpp"
#include "io/question.hpp"
#include "stiction/failure.hpp"

namespace stiction::internal {

/// Motors of models with `effort: none`.
std::vector<int> idle_motors(const Situation& situation);

/// The same in the rules of a certificate, where there are any: what would help depends on them.
void write_idle_motors(const std::vector<int>& motors, Json& rules);
std::vector<int> read_idle_motors(const Field& rules, const ContactProblem& problem);

/// The key `failure` of a report.
Json failure_json(const Failure& failure);

/// The key `counterfactuals` of a certificate.
Json counterfactuals_json(const Failure& failure, Detachment detachment);

/// Judges the counterfactuals of a failing report and diagnoses from them anew. Adds to `judged` the claims and proofs
/// of the two keys and its summary; the motion told is not proved.
/// @param rules of all_sticking, or those of words about equilibrium
/// @param at_rest the question is all_sticking: with motors, something stays at rest
/// @throws InputError when it is not a report
void judge_failure(const Field& report, const ContactProblem& problem, const StickingRules& rules,
                   const Certificate& certificate, const std::vector<int>& idle_motors, bool at_rest,
                   Judgement& judged);

}  // namespace stiction::internal
