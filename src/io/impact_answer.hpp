// The question impact: what do velocities become when bodies hit, and is energy created? (docs/impact.md)
#pragma once

#include "io/question.hpp"

namespace stiction::internal {

const char* name_of(ImpactState state);

Verdict verdict_of(const ImpactProof& proof);

/// Whether anything is hit.
inline bool hits(const ImpactSolution& solution) { return (solution.impulse.array() != 0.0).any(); }

struct Injection {
  std::string who;  ///< "friction of tip"
  double work;
};

/// The part of a solution's work that is positive beyond rounding.
std::vector<Injection> injections(const ContactProblem& problem, const ImpactSolution& solution);

/// Velocities that Table 1 of Glocker 2012 does not have, before the impact and after it.
std::vector<KinematicFlaw> flaws_of(const ImpactInput& asked, const ImpactSolution* solution);

/// Whether a friction to stick is looked for: torsion has no coefficient to compare with it.
bool may_stick(const ContactProblem& problem);

/// The laws with another ε at every contact that closes.
std::vector<ImpactLaw> with_restitution(const ImpactInput& asked, double restitution);

Json impact_asked(const ScenarioReport& report);
void write_impact(const ScenarioReport& report, Json& json);
AnswerText impact_text(const ScenarioReport& report);
Judgement judge_impact_report(const Field& report);

std::string summary_of(const ImpactAnswer& answer);

}  // namespace stiction::internal
