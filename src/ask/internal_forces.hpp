#pragma once

#include "ask/multiplier_set.hpp"
#include "base/linear_algebra.hpp"

namespace stiction::internal {

/// Entries of an internal force of unit length below this are none: they come out of a triangular solve.
inline constexpr double kNoShare = 1e-8;

/// Forces of a set that balance each other: they can be added to any solution. Workspace, one per thread.
class InternalForces {
 public:
  /// Returns how many there are: columns of the contacts and closures that stay, minus rank.
  int find(const MultiplierSet& set);

  /// No internal force touches the contact: its force is the same in every solution. Otherwise forces strictly inside
  /// their cones can move along it; at the rim this is only said after force intervals.
  bool spare(const MultiplierSet& set, std::size_t contact) const;

 private:
  Eigen::MatrixXd rows_;   ///< of the balance, unit columns
  Eigen::MatrixXd basis_;  ///< rows of the balance times basis = 0
  PivotedQr qr_;
};

}  // namespace stiction::internal
