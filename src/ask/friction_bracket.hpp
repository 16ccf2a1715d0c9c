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

/// Only the least friction changes the cones themselves: brackets a monotone verdict, helped by what proofs of failure
/// tell.
/// @param first     where to try first
/// @param holding   a friction that is known to be enough, or infinity
/// @param decide_at Verdict with that friction
/// @param reach     after "fails" at that friction: up to which the same proof says so
template <class DecideAt, class Reach>
FrictionBracket bracket_friction(double first, double holding, DecideAt&& decide_at, Reach&& reach)
{
  constexpr double kGap = 1e-7;  // relative, of the least friction
  constexpr int kMostDoubts = 2, kMostFrictions = 200;
  FrictionBracket least;
  double &lower = least.lower, upper = holding;
  // Trials too near to the boundary to be decided leave a gap of doubt, which both ends then approach.
  double doubt_lower = kInfinity, doubt_upper = 0.0;
  const auto narrow = [&](double trial) {
    const Verdict verdict = decide_at(trial);
    if (verdict == Verdict::kHolds) {
      upper = trial;
    } else if (verdict == Verdict::kFails) {
      const double further = reach(trial);  // beyond what is known to hold it is rounding
      lower = std::max({lower, trial, std::isinf(upper) || further < upper ? further : 0.0});
    } else {
      doubt_lower = std::min(doubt_lower, trial);
      doubt_upper = std::max(doubt_upper, trial);
    }
    return verdict;
  };

  narrow(0.0);
  double trial = first;
  for (int doubts = 0; std::isinf(upper); trial *= 4.0) {  // upwards until it holds
    least.known = lower >= kLargestFriction;
    if (least.known) return least;
    trial = std::min(std::max(trial, 2.0 * lower), kLargestFriction);
    if (narrow(trial) == Verdict::kUndecided && (++doubts > kMostDoubts || trial == kLargestFriction)) return least;
  }
  for (int i = 0; i < kMostFrictions && upper > kLeastTried; ++i) {
    const double gap = kGap * upper, from = std::max(lower, doubt_upper);
    const bool doubted = doubt_upper > 0.0;
    if (upper - from > gap) {
      // Proofs of failure often end exactly at the answer: try a little above them, and the middle now and then.
      narrow(doubted || i % 2 == 1 || from == 0.0 ? 0.5 * (from + upper) : from + 0.5 * gap);
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
