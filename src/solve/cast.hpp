#pragma once

#include <algorithm>
#include <cmath>

#include "solve/decide.hpp"

namespace stiction::internal {

/// Where on a line something ceases to hold: it does at `lower`, it does not beyond `upper`, both proved.
struct CastRange {
  enum class End { kBounded, kUnbounded, kUndecided } end = End::kUndecided;
  double lower = 0.0;
  double upper = kInfinity;
};

struct CastOptions {
  double relative_gap = 1e-9;
  double scale = 0.0;  ///< gaps below relative_gap * scale count as closed; also the first step when nothing bounds t
  double cap = kInfinity;  ///< stop when lower reaches this
};

/// Closes the gap of a range by Newton's method from outside: proofs of failure reach back to the end itself where it
/// is flat, and converge to it superlinearly elsewhere, so that it is expected within a small part of the last step.
/// @param decide_at Verdict at t. Before it says kFails it lowers range.upper to where its proof ends, if that is
/// before t.
template <class DecideAt>
void close_gap(CastRange& range, const CastOptions& options, DecideAt&& decide_at)
{
  constexpr int kMostCasts = 80;
  constexpr double kShare = 0.02;                    // of the last step
  constexpr double kShortest = 1e-6, kLonger = 8.0;  // steps while nothing bounds the line
  double step = range.upper - range.lower, stride = std::max(options.scale, kShortest);
  double ceiling = kInfinity;  // too near to the end to be proved either way
  for (int i = 0; i < kMostCasts; ++i) {
    const double gap = range.upper - range.lower;
    const double end = std::isfinite(range.upper) ? std::abs(range.upper) : 0.0;
    const double closed = options.relative_gap * std::max({std::abs(range.lower), end, options.scale});
    if (gap <= closed || range.lower >= options.cap) {
      range.end = CastRange::End::kBounded;
      return;
    }
    if (std::isfinite(ceiling) && ceiling - range.lower <= closed) return;
    double next = range.upper;
    if (ceiling < range.upper) {
      next = 0.5 * (range.lower + ceiling);
    } else if (std::isinf(range.upper)) {
      next = std::isfinite(options.cap) ? options.cap : range.lower + stride;
      stride *= kLonger;
    } else if (i > 0) {
      next = range.upper - std::clamp(kShare * step, 0.5 * closed, 0.5 * gap);
    }
    const double t = std::min(next, options.cap), before = std::min(range.upper, t);
    if (!std::isfinite(t)) return;
    switch (decide_at(t)) {
      case Verdict::kHolds:
        range.lower = std::max(range.lower, t);
        step = 0.0;  // the proof was sharp: the end is expected right at it
        break;
      case Verdict::kFails:
        range.upper = std::min(range.upper, std::max(t, range.lower));
        step = std::min(before - range.upper, range.upper - range.lower);
        break;
      default:
        ceiling = t;
    }
  }
}

/// The largest t such that e + t d is representable: at `lower` with witness x, not beyond `upper` by certificate y.
struct Cast : CastRange {
  Eigen::VectorXd x, y;
};

/// Workspace of casts; one per thread.
class Caster {
 public:
  explicit Caster(ClaimJudge judge) : judge_(judge) {}

  /// `program` must be representable at t = start with witness `x`; program.e is restored on return.
  /// Every infeasible t yields a separating y and so the cut t <= (sup - y'e)/(y'd); every feasible one a lower bound.
  void cast(Engine& engine, ConeProgram& program, const Eigen::VectorXd& d, double start, const Eigen::VectorXd& x,
            const CastOptions& options, Cast& result);

 private:
  ClaimJudge judge_;
  ConeAnswer answer_;
  Eigen::VectorXd e0_;
  ConeProgram recession_;
};

}  // namespace stiction::internal
