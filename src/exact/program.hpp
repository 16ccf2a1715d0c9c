#pragma once

// Linear equations with unknowns in friction cones: what solutions of one kind satisfy.
#include "exact/problem.hpp"

namespace stiction::exact {

/// One unknown, or those of a friction cone: normal, tangents, torsion.
struct Unknown {
  enum Kind { kFree, kPositive, kCone } kind = kFree;
  Matrix columns;            // of E
  Q most;                    // of the (first) unknown's absolute value
  Q mu = 0, torsion = 0;     // of a cone
  int sign = 1;              // of a cone's normal unknown
  std::size_t tangents = 0;  // of a cone
  Q sideways = 0;            // most of a cone's tangential part
  Matrix blur = {};          // of the columns: none, or what E may differ by

  /// Bound of the absolute value of the k-th one.
  Q most_of(std::size_t k) const
  {
    return k == 0 ? most : k <= tangents ? std::min<Q>(mu * most, sideways) : Q(torsion * most);
  }
};

/// |E x - e| <= room + blur |x|, |x| <= most.
struct Program {
  std::vector<Unknown> unknowns;
  Vector e, room;
};

/// y proves that the program has no solution: y'e exceeds all that y'E x, room and blur could be.
bool separates(const Program& program, const Vector& y);

}  // namespace stiction::exact
