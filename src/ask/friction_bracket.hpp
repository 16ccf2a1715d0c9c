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

/// The search of bracket_friction.
template <class DecideAt, class Reach>
class FrictionSearch {
 public:
  FrictionSearch(const KnownFriction& given, DecideAt& decide_at, Reach& reach)
      : given_(given), decide_at_(decide_at), reach_(reach), upper_(given.holding)
  {
  }

  FrictionBracket run(double first)
  {
    if (given_.failing >= 0.0)
      failed(given_.failing);
    else
      narrow(0.0);
    if (!raise(first)) return least_;
    close();
    least_.known = true;
    least_.upper = upper_;
    return least_;
  }

 private:
  void failed(double trial)
  {
    least_.lower = std::max(least_.lower, trial);
    const double further = reach_(trial);
    if (further < upper_ || std::isinf(upper_)) hint_ = std::max(hint_, further);
  }

  Verdict narrow(double trial)
  {
    const Verdict verdict = decide_at_(trial);
    if (verdict == Verdict::kHolds) {
      upper_ = trial;
      if (hint_ >= upper_) hint_ = 0.0;  // the proof said too much
      if (doubt_upper_ >= upper_) doubt_lower_ = kInfinity, doubt_upper_ = 0.0;
    } else if (verdict == Verdict::kFails) {
      failed(trial);
    } else {
      doubt_lower_ = std::min(doubt_lower_, trial);
      doubt_upper_ = std::max(doubt_upper_, trial);
    }
    return verdict;
  }

  /// Upwards until it holds; false: it never does, or that cannot be told.
  bool raise(double first)
  {
    constexpr int kMostDoubts = 2, kFailuresBeforeLimit = 2;
    constexpr double kMostBelowDoubt =
        200.0;  // where the limit is in doubt, and more than a hundred times is hardly meant
    int failures = given_.failing >= 0.0, doubts = 0;
    bool limit_tried = false;
    for (double trial = first; std::isinf(upper_); trial *= 4.0) {
      least_.known = least_.lower >= kLargestFriction;
      if (least_.known) return false;
      trial = std::max(trial, 2.0 * std::max(least_.lower, hint_));
      if (limit_tried && trial > kMostBelowDoubt) return false;
      // What fails with several frictions mostly does so with any.
      const bool limit = trial >= kLargestFriction || (failures >= kFailuresBeforeLimit && !limit_tried);
      if (limit && limit_tried) return false;
      limit_tried = limit_tried || limit;
      const Verdict verdict = narrow(limit ? kLargestFriction : trial);
      failures += verdict == Verdict::kFails;
      if (verdict == Verdict::kUndecided && (++doubts > kMostDoubts || trial >= kLargestFriction)) return false;
      if (limit) trial *= 0.25;  // the same one if there is doubt at the limit
    }
    return true;
  }

  /// Both ends together, or to both sides of the doubt.
  void close()
  {
    constexpr double kGap = 1e-7, kBelow = 0.4;  // relative, of the least friction; a share of that
    constexpr int kMostFrictions = 200;
    for (int i = 0; i < kMostFrictions && upper_ > kLeastTried; ++i) {
      const double gap = kGap * upper_, from = std::max({least_.lower, hint_, doubt_upper_});
      const bool doubted = doubt_upper_ > 0.0;
      if (upper_ - from > (1.0 - kBelow) * gap) {
        // Proofs of failure often end exactly at the answer: try a little above them, and the middle now and then.
        const bool middle = doubted || i % 2 == 1 || from == 0.0;
        narrow(!middle                             ? from + 0.5 * gap
               : upper_ > 4.0 * from && from > 0.0 ? std::sqrt(from * upper_)
                                                   : 0.5 * (from + upper_));
      } else if (hint_ - least_.lower > gap) {  // the proof's end is decided too, a little below it
        if (narrow(hint_ - kBelow * gap) != Verdict::kFails) hint_ = 0.0;
      } else if (doubted && doubt_lower_ - least_.lower > gap) {
        narrow(0.5 * (least_.lower + doubt_lower_));
      } else {
        break;
      }
    }
  }

  const KnownFriction& given_;
  DecideAt& decide_at_;
  Reach& reach_;
  FrictionBracket least_;
  double upper_, hint_ = 0.0;  ///< hint_: up to which a proof of failure says that others fail too
  /// Trials too near to the boundary to be decided leave a gap of doubt, which both ends then approach.
  double doubt_lower_ = kInfinity, doubt_upper_ = 0.0;
};

/// Only the least friction changes the cones themselves: brackets a monotone verdict, helped by what proofs of failure
/// tell. Both ends are trials that were decided; what a proof says of other frictions only tells where to try.
/// @param first     where to try first
/// @param decide_at Verdict with that friction
/// @param reach     after "fails" at that friction: up to which the same proof says so, but for rounding
template <class DecideAt, class Reach>
FrictionBracket bracket_friction(double first, const KnownFriction& given, DecideAt&& decide_at, Reach&& reach)
{
  return FrictionSearch(given, decide_at, reach).run(first);
}

}  // namespace stiction::internal
