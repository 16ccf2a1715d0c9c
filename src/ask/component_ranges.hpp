#pragma once

#include "solve/cast.hpp"
#include "stiction/margin.hpp"
#include "stiction/proof.hpp"

namespace stiction::internal {

inline constexpr Eigen::Index kMostRanges = 200;  ///< rows of J: two casts each, on programs of this size

/// Ranges of single variables over all that represent the same load: E x with x in the program's cones and boxes;
/// kUndecided, and anything, where an end could not be told.
class ComponentRanges {
 public:
  /// @param start one of them; e of the program is not looked at. @param engine has to stay.
  ComponentRanges(ConeProgram program, Eigen::VectorXd start, Engine& engine);

  Margin of(int column);

 private:
  ConeProgram program_;  ///< one row more, which reads a variable off
  Eigen::VectorXd start_;
  Engine& engine_;
  Caster caster_{judge_claim};
  Cast cast_;
};

}  // namespace stiction::internal
