#pragma once

#include "stiction/engine.hpp"
#include "stiction/verdict.hpp"

namespace stiction::internal {

/// Says what a claim proves: kHolds, kFails or nothing. Callers hand over the proof room's judge_claim, because this
/// room only finds: it knows no judge, and no verdict is its own.
using ClaimJudge = Verdict (*)(const ConeProgram& program, const ConeAnswer& claim);

/// The judge of callers that prove what they make of a claim.
Verdict believe(const ConeProgram& program, const ConeAnswer& claim);

/// What an engine claims about a cone program, corrected until the judge accepts it: kHolds (feasible), kFails
/// (infeasible) or kUndecided.
Verdict decide(Engine& engine, const ConeProgram& program, ClaimJudge judge, ConeAnswer& answer);

/// decide() for a program that often differs from the one before in e only; what the judge refuses from there is
/// decided afresh.
Verdict decide_next(Engine& engine, const ConeProgram& program, ClaimJudge judge, ConeAnswer& answer);

/// Corrects x, which solves E x = e nearly, so that it does to rounding of the sums in every row, by the least change
/// of the variables that have room for it. Forces that are next to nothing become zero.
void balance(const ConeProgram& program, Eigen::VectorXd& x);

}  // namespace stiction::internal
