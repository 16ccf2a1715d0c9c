#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "stiction/failure.hpp"
#include "stiction/margin.hpp"
#include "stiction/proof.hpp"

namespace stiction::internal {

inline constexpr double kLargestFriction = kUnlimitedFriction;  // beyond this no friction is called enough
inline constexpr double kLeastTried = 1e-6;  // a squeeze can make do with ever less: enough is enough

/// The least friction with which something holds, as a factor on all coefficients or as one of them.
struct FrictionBracket {
  bool known = false;           ///< upper holds; else a decision on the way was undecided
  double lower = 0.0;           ///< fails below (0: nothing proved)
  std::optional<double> upper;  ///< holds; empty and known: no friction helps

  Margin as_margin(const std::string& why_open) const
  {
    const double most = upper.value_or(kInfinity);
    if (!known) return {Margin::State::kUndecided, std::min(lower, most), most, why_open};
    return {upper ? Margin::State::kKnown : Margin::State::kNone, std::min(lower, most), most, ""};
  }

  /// The same where people are shown one number: undecided if trials too near to the boundary left more of it open than
  /// its digits.
  Margin as_number() const
  {
    constexpr double kShownShare = 1e-4;
    Margin margin = as_margin("a friction on the way is undecided");
    if (margin.state == Margin::State::kKnown && !(*upper - lower <= std::max(kShownShare * *upper, kLeastTried)))
      margin = {Margin::State::kUndecided, lower, *upper, "too near to the boundary in between"};
    return margin;
  }
};

/// Frictions about which the answer is known already.
struct KnownFriction {
  double failing = -1.0;  ///< negative: none
  double holding = kInfinity;
};

/// Only the least friction changes the cones themselves: brackets a monotone verdict, helped by what proofs of failure
/// tell. Both ends are trials that were decided; what a proof says of other frictions only tells where to try.
/// @param first     where to try first
/// @param decide_at Verdict with that friction
/// @param reach     after "fails" at that friction: up to which the same proof says so, but for rounding
template <class DecideAt, class Reach>
FrictionBracket bracket_friction(double first, const KnownFriction& given, DecideAt&& decide_at, Reach&& reach)
{
  constexpr double kGap = 1e-7, kBelow = 0.4;  // relative, of the least friction; a share of that
  constexpr int kMostDoubts = 2, kMostFrictions = 200, kFailuresBeforeLimit = 2;
  constexpr double kMostBelowDoubt =
      200.0;  // where the limit is in doubt, and more than a hundred times is hardly meant
  FrictionBracket least;
  double &lower = least.lower, upper = given.holding, hint = 0.0;
  // Trials too near to the boundary to be decided leave a gap of doubt, which both ends then approach.
  double doubt_lower = kInfinity, doubt_upper = 0.0;
  const auto failed = [&](double trial) {
    lower = std::max(lower, trial);
    const double further = reach(trial);
    if (further < upper || std::isinf(upper)) hint = std::max(hint, further);
  };
  const auto narrow = [&](double trial) {
    const Verdict verdict = decide_at(trial);
    if (verdict == Verdict::kHolds) {
      upper = trial;
      if (hint >= upper) hint = 0.0;  // the proof said too much
      if (doubt_upper >= upper) doubt_lower = kInfinity, doubt_upper = 0.0;
    } else if (verdict == Verdict::kFails) {
      failed(trial);
    } else {
      doubt_lower = std::min(doubt_lower, trial);
      doubt_upper = std::max(doubt_upper, trial);
    }
    return verdict;
  };

  int failures = 0, doubts = 0;
  if (given.failing >= 0.0) {
    failed(given.failing);
    ++failures;
  } else {
    narrow(0.0);
  }
  bool limit_tried = false;
  for (double trial = first; std::isinf(upper); trial *= 4.0) {  // upwards until it holds
    least.known = lower >= kLargestFriction;
    if (least.known) return least;
    trial = std::max(trial, 2.0 * std::max(lower, hint));
    if (limit_tried && trial > kMostBelowDoubt) return least;
    // What fails with several frictions mostly does so with any.
    const bool limit = trial >= kLargestFriction || (failures >= kFailuresBeforeLimit && !limit_tried);
    if (limit && limit_tried) return least;
    limit_tried = limit_tried || limit;
    const Verdict verdict = narrow(limit ? kLargestFriction : trial);
    failures += verdict == Verdict::kFails;
    if (verdict == Verdict::kUndecided && (++doubts > kMostDoubts || trial >= kLargestFriction)) return least;
    if (limit) trial *= 0.25;  // the same one if there is doubt at the limit
  }
  for (int i = 0; i < kMostFrictions && upper > kLeastTried; ++i) {
    const double gap = kGap * upper, from = std::max({lower, hint, doubt_upper});
    const bool doubted = doubt_upper > 0.0;
    if (upper - from > (1.0 - kBelow) * gap) {
      // Proofs of failure often end exactly at the answer: try a little above them, and the middle now and then.
      const bool middle = doubted || i % 2 == 1 || from == 0.0;
      narrow(!middle                            ? from + 0.5 * gap
             : upper > 4.0 * from && from > 0.0 ? std::sqrt(from * upper)
                                                : 0.5 * (from + upper));
    } else if (hint - lower > gap) {  // the proof's end is decided too, a little below it
      if (narrow(hint - kBelow * gap) != Verdict::kFails) hint = 0.0;
    } else if (doubted && doubt_lower - lower > gap) {
      narrow(0.5 * (lower + doubt_lower));
    } else {
      break;
    }
  }
  least.known = true;
  least.upper = upper;
  return least;
}

}  // namespace stiction::internal
