#pragma once

// What "solution" means to the judge of sliding, from the data alone (docs/proofs/sliding.md).
#include <Eigen/Core>
#include <string>
#include <vector>

#include "proof/scales.hpp"
#include "proof/sliding_program.hpp"

namespace stiction::internal {

/// A balance or a row holds when it is off by no more than this share of what loads alone would cause there.
inline constexpr double kModeTolerance = 0x1p-41;  // 4.5e-13
/// Accelerations, and forces that change their side, count as different beyond this share of their scale; solutions are
/// unique when no two are apart by a quarter of it.
inline constexpr double kSameSolution = 1e-7;

/// A solution is (a, lambda) with |a| <= most_a, |lambda| <= most_force on the rows of normals, tangents and closures,
/// the laws of forces exactly, balances within `balance` and rows of J a + gamma within `still`.
struct SlidingBounds {
  Scales scales;
  Eigen::VectorXd usual_a, most_a;  ///< per degree of freedom
  Eigen::VectorXd most_force;       ///< per row of J; infinite where a force moves nothing
  Eigen::VectorXd balance;          ///< per degree of freedom
  Eigen::VectorXd still, most_row;  ///< per row of J: what counts as zero, and the most a solution can have

  void measure(const ContactProblem& problem);

  /// What accelerations of degree of freedom j are compared with: what the loads would cause, or as many times that as
  /// the part of an acceleration `a` is faster.
  double scale(const Eigen::VectorXd& a, Eigen::Index j) const;

  /// The largest normal force of a contact that slides, whose tangential one is bounded as well.
  double most_sliding(const Contact& contact) const { return most_force[contact.row] / std::max(1.0, contact.mu); }
};

/// A mode's program with the bounds of its columns and rows.
class SlidingMode {
 public:
  SlidingMode(const ContactProblem& problem, const SlipDirections& slips, const SlidingBounds& bounds)
      : p_(problem), slips_(slips), bounds_(bounds)
  {
  }
  void set(const std::vector<int>& signs);
  ConeProgram& program() { return program_; }
  const SlidingColumns& columns() const { return columns_; }

  /// y'e exceeds everything that solutions of these signs, errors within tolerances and rounding could supply: there
  /// are none.
  bool is_empty(const Eigen::VectorXd& y, std::string* why = nullptr);

  /// Bounds of |x - x'| for any two solutions x, x' of the mode (all signs given), per column.
  void spread(Eigen::VectorXd& apart) const;

 private:
  struct Inverse;
  Inverse inverse() const;
  bool separates(const Eigen::VectorXd& y, std::string* why) const;
  void write_bounds();
  /// Smaller bounds of the columns where the equations give them; false when there is nothing new.
  bool tighten();

  const ContactProblem& p_;
  const SlipDirections& slips_;
  const SlidingBounds& bounds_;
  ConeProgram program_;
  SlidingColumns columns_;
  Eigen::VectorXd tolerance_;  ///< per row of the program
  bool tightened_ = false;
  Eigen::VectorXd most_;     ///< per column
  std::vector<int> slides_;  ///< per column: the contact that slides with this force, or -1
  std::vector<Eigen::Vector2d> directions_;
  Eigen::VectorXd clean_;
};

}  // namespace stiction::internal
