#pragma once

// Sizes that the data alone give (docs/proofs.md).
#include "exact/problem.hpp"

namespace stiction::exact {

inline const Q kStaticForces = power_of_two(18), kMovingForces = power_of_two(12);
inline const Q kAccelerations = power_of_two(12), kMasslessAccelerations = power_of_two(4);

struct Sizes {
  std::vector<std::size_t> part, row_part;  // of degrees of freedom and rows
  std::size_t parts = 1;
  Matrix reach;  // r_cj
  Vector lever, weight;
  Vector force, drift;         // Phi and largest |gamma| per part
  Vector acceleration, swing;  // X_j, g_j; a swing below 0 is not known
  std::vector<bool> definite;  // per part
  Matrix inverse;              // M^-1 of the parts that are definite

  Q row_force(std::size_t row) const { return weight[row] > 0 ? Q(force[row_part[row]] / weight[row]) : Q(0); }
  /// What forces of their scale do to degree of freedom j.
  Q load_reach(const Problem& p, std::size_t j) const;
};

/// Parts, lever arms and weights.
Sizes measure(const Problem& p);
/// Phi of loads, and of the efforts that motors cannot avoid.
void measure_loads(const Problem& p, const Vector& load, Sizes& s);
/// Phi and drift of M a + F = J'lambda with a free.
void measure_forces(const Problem& p, Sizes& s);
/// g_j and X_j, rounded up.
void measure_accelerations(const Problem& p, Sizes& s);

}  // namespace stiction::exact
