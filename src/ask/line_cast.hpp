#pragma once

#include "ask/hold.hpp"
#include "solve/cast.hpp"

namespace stiction::internal {

/// How far along a line of loads it holds: everything from the start to `lower` does, beyond `upper` not everything
/// does.
struct LineCast : CastRange {
  Eigen::VectorXd forces;          ///< at `lower`, columns of the set
  std::vector<MotionLeaf> leaves;  ///< the failing search that gave `upper`; empty: none did
};

struct LineOptions : CastOptions {
  bool same_signs = false;  ///< only forces with the signs at the start: a convex piece
  bool bounded = false;     ///< known to end before the cap or not to matter: do not look for rays
};

/// Workspace of casts of loads; one per thread.
class LineCaster {
 public:
  /// Along from.loads + t slope, from t = start that `held` holds (forces and signs; the signs of `from` are not looked
  /// at).
  void cast(const HoldProblem& from, const Loads& slope, double start, const HoldAnswer& held,
            const LineOptions& options, HoldWorkspace& workspace, LineCast& result);

 private:
  void set_rays(const Loads& from, const Loads& slope);
  void cut(const HoldProblem& from, const Loads& slope, double t, LineCast& result);

  Loads at_;
  HoldAnswer trial_;
};

}  // namespace stiction::internal
