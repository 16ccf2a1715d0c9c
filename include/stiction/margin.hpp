#pragma once

#include <string>

#include "stiction/contact_problem.hpp"

namespace stiction {

/// A number with a proof on both sides: the true value lies in [lower, upper].
struct Margin {
  enum class State {
    kNotAsked,
    kKnown,      ///< lower <= value <= upper, both proved
    kNone,       ///< there is no such value (no friction suffices, nothing is held even without the push, …): proved
    kUnbounded,  ///< no largest value exists: lower is held and may be raised without end
    kUndecided   ///< what is proved is in [lower, upper]; `reason` says why the gap stays open
  } state = State::kNotAsked;
  double lower = -kInfinity;
  double upper = kInfinity;
  std::string reason;

  /// There is a value and [lower, upper] is proved to contain it, however wide the gap.
  bool enclosed() const { return state == State::kKnown || state == State::kUndecided; }

  /// It is proved what it is, or that there is none.
  bool settled() const { return state == State::kKnown || state == State::kNone; }
};

}  // namespace stiction
