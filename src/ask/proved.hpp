#pragma once

#include "stiction/engine.hpp"
#include "stiction/proof.hpp"

namespace stiction::internal {

/// An engine's claim about a cone program, judged: kHolds (feasible), kFails (infeasible) or kUndecided.
Verdict decide(Engine& engine, const ConeProgram& program, ConeAnswer& answer);

/// The claim alone: for callers that prove what they make of it.
Verdict claim(Engine& engine, const ConeProgram& program, ConeAnswer& answer);

/// decide() for a program that often differs from the one before in e only; what cannot be proved from there is decided afresh.
Verdict decide_next(Engine& engine, const ConeProgram& program, ConeAnswer& answer);

/// The largest t such that e + t d is representable, with a proof on both sides.
struct Cast {
  enum class End { kBounded, kUnbounded, kUndecided } end = End::kUndecided;
  double lower = 0.0;   ///< representable, with witness x
  double upper = 0.0;   ///< nothing beyond is representable, by certificate y (kBounded)
  Eigen::VectorXd x, y;
};

struct CastOptions {
  double relative_gap = 1e-9;
  double scale = 0.0;          ///< gaps below relative_gap * scale count as closed
  double cap = kInfinity;      ///< stop when lower reaches this
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

/// sup of y'E x over the boxes of the program (cones and free variables contribute nothing to a valid certificate).
double box_support(const ConeProgram& program, const Eigen::VectorXd& y);

}  // namespace stiction::internal
