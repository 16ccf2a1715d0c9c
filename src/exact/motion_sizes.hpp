#pragma once

// Sizes of motions and of what they meet, from the data alone (docs/proofs/couplings.md).
#include "exact/problem.hpp"

namespace stiction::exact {

inline const Q kSolve = power_of_two(-36), kReach = power_of_two(12), kLastBits = power_of_two(-52);

struct MotionSizes {
  Vector motion, load;  // per degree of freedom
  Vector row, force;    // per row of J; force: 0 for a row of zeros
};

/// Of motions that start with `free` and meet rows with `offset` (none is negative), rounded up or down.
MotionSizes motion_sizes(const Problem& p, const Vector& free, const Vector& applied, const Vector& offset, bool up);

}  // namespace stiction::exact
