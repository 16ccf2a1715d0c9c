#pragma once

#include <vector>

#include "stiction/cone_program.hpp"

namespace stiction::internal {

/// A few rounds of alternating projections for G f = 0 with slack in every cone: between the internal forces (one
/// factorisation of at most six rows) and the cones moved along their normals by one. For grasps that are clearly
/// closed, or clearly not, they end within a microsecond, and an engine need not be asked. Pushing cones only.
class AlternatingProjections {
 public:
  enum class End { kOpen, kForces, kTwist };

  /// `program` has G as E; e, boxes are not read, boxes are columns at zero. kForces: forces() solves G f = 0 with
  /// slack > 0 in every cone. kTwist: twist() has twist'G in the dual of every cone. Claims, to be judged.
  End run(const ConeProgram& program);

  const std::vector<double>& forces() const { return f_; }
  const double* twist() const { return u_; }

 private:
  template <int m>
  End run_rows(const ConeProgram& program);

  std::vector<double> f_, scale_, columns_;
  double gram_[36], u_[6];
};

}  // namespace stiction::internal
