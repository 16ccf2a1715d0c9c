#pragma once

#include "ask/cast.hpp"
#include "stiction/engine.hpp"
#include "stiction/proof.hpp"

namespace stiction::internal {

/// An engine's claim about a cone program, judged: kHolds (feasible), kFails (infeasible) or kUndecided.
Verdict decide(Engine& engine, const ConeProgram& program, ConeAnswer& answer);

/// The claim alone: for callers that prove what they make of it.
Verdict claim(Engine& engine, const ConeProgram& program, ConeAnswer& answer);

/// decide() for a program that often differs from the one before in e only; what cannot be proved from there is decided
/// afresh.
Verdict decide_next(Engine& engine, const ConeProgram& program, ConeAnswer& answer);

/// Corrects x, which solves E x = e nearly, so that it does to rounding of the sums in every row, by the least change
/// of the variables that have room for it. Forces that are next to nothing become zero.
void balance(const ConeProgram& program, Eigen::VectorXd& x);

/// The largest t such that e + t d is representable: at `lower` with witness x, not beyond `upper` by certificate y.
struct Cast : CastRange {
  Eigen::VectorXd x, y;
};

/// Workspace of casts; one per thread.
class Caster {
 public:
  /// `program` must be representable at t = start with witness `x`; program.e is restored on return.
  /// Every infeasible t yields a separating y and so the cut t <= (sup - y'e)/(y'd); every feasible one a lower bound.
  void cast(Engine& engine, ConeProgram& program, const Eigen::VectorXd& d, double start, const Eigen::VectorXd& x,
            const CastOptions& options, Cast& result);

 private:
  ConeAnswer answer_;
  Eigen::VectorXd e0_;
  ConeProgram recession_;
};

}  // namespace stiction::internal
