#pragma once

// From which sizes on something is worth a word.

namespace stiction::internal {

/// Below this share of the largest, a velocity or a multiplier is not worth a word.
inline constexpr double kNoticeable = 1e-6;

/// Below this share of the fastest contact's, a speed is none: far above the accuracy of a motion, far below what
/// people see, so that what is structurally at rest stays so under small changes.
inline constexpr double kMoves = 1e-3;

/// A contact that separates by less than this share of its speed more than the rim asks for slips.
inline constexpr double kOnTheRim = 1e-2;

}  // namespace stiction::internal
