#pragma once

#include <vector>

#include "solve/cast.hpp"

namespace stiction::internal {

/// Programs that depend on one number t: E x = e + t d, x in cones of friction mu + t mu_slope. `program` is that of
/// t = 0. Cones are exact.
struct ConeFamily {
  struct Slope {
    double mu = 0.0, torsion = 0.0;
  };
  ConeProgram program;
  std::vector<Slope> slopes;  ///< per cone; empty: the cones stay
  /// m x 1: d itself. m x k: d is the worst of ways * (unit vector), the one that y opposes most; t is then the
  /// distance from the boundary. No columns: the load stays.
  Eigen::MatrixXd ways;
};

/// Forces x and a motion y at the t where a family ceases to be feasible, each a proof that it is there: x solves the
/// program, y separates it from those on the other side, y'(e + t d) = 0 and both are complementary.
///
/// Found from an answer nearby by Newton's method on these equations, and then checked to rounding; what does not pass
/// is not found.
class BoundaryPair {
 public:
  /// @param t a number on the infeasible side, near the boundary, for which `nearby` says so: its nearest point and the
  ///          motion that separates it.
  bool find(const ConeFamily& family, double t, const ConeAnswer& nearby);

  double t() const { return t_; }
  const Eigen::VectorXd& forces() const { return x_; }
  const Eigen::VectorXd& motion() const { return y_; }  ///< y'(e + t d) > 0 on the infeasible side
  double rate() const { return rate_; }                 ///< slope of y'(e + t d - E x) along t, with the cones

  bool forces_unique() const { return forces_unique_; }
  bool motion_unique() const { return motion_unique_; }

  /// The forces that could be in the place of x: all of these and no others go with y at t. Variables are scaled rays
  /// of what slides, and what rests as it is; `expand` makes forces of them.
  const ConeProgram& face() const { return face_; }
  const Eigen::MatrixXd& expand() const { return expand_; }
  /// Tells which of them press, so that uniqueness of y is settled; takes another admissible x where those found are
  /// not. Only needed where forces are not unique. False: none is proved.
  bool settle(Engine& engine, ClaimJudge judge, Caster& caster);

  /// Range of c'x over the face; both ends are c'x when it is constant there.
  bool range(const Eigen::VectorXd& c, Engine& engine, Caster& caster, double& least, double& most);

  /// n |h_t| and n |h_m| of a cone of the family (by its place), what friction does per unit of its coefficients, as
  /// functionals of the forces.
  void sliding_of(std::size_t cone, Eigen::VectorXd& c) const;
  void spinning_of(std::size_t cone, Eigen::VectorXd& c) const;

 private:
  /// What a cone does at the boundary.
  struct Contact {
    bool presses = false, slides = false, spins = false;  ///< slides, spins: to the rim that the motion says
    bool rests = false, holds_twist = false;              ///< forces along the surface, about the normal are free
    int first = -1;                                       ///< of its unknowns; -1: none
  };
  enum class Bound { kInside, kLower, kUpper };

  void scale(const ConeFamily& family);
  bool classify(double tolerance);
  void number_unknowns();
  void write_columns();
  void start(const Eigen::VectorXd& x);
  double newton();
  bool complementary();
  void test_uniqueness();
  void write_face();
  double mu(std::size_t cone) const { return family_->program.cones[cone].cone.mu + t_ * slope(cone).mu; }
  double torsion(std::size_t cone) const
  {
    return family_->program.cones[cone].cone.torsion + t_ * slope(cone).torsion;
  }
  ConeFamily::Slope slope(std::size_t cone) const
  {
    return family_->slopes.empty() ? ConeFamily::Slope{} : family_->slopes[cone];
  }
  Eigen::VectorXd direction() const;  ///< d, in scaled rows

  const ConeFamily* family_ = nullptr;
  Eigen::VectorXd row_scale_;     ///< rows are divided by it
  Eigen::MatrixXd E_, ways_;      ///< scaled
  Eigen::VectorXd e_, y_scaled_;  ///< likewise
  double size_ = 1.0;             ///< of the forces
  bool homogeneous_ = false;      ///< no load: forces are of sum 1
  std::vector<Contact> contacts_;
  std::vector<Bound> bounds_;
  std::vector<int> bound_unknown_;
  int unknowns_ = 0;
  Eigen::MatrixXd columns_;  ///< of the unknowns, in scaled rows
  Eigen::MatrixXd slopes_;   ///< of the columns along t
  Eigen::MatrixXd curvature_;
  Eigen::VectorXd constant_, a_;  ///< what variables at bounds do; the unknowns, in units of size_
  double t_ = 0.0, rate_ = 0.0;
  Eigen::VectorXd x_, y_, normal_;
  bool forces_unique_ = false, motion_unique_ = false;
  ConeProgram face_;
  Eigen::MatrixXd expand_;
  std::vector<char> pressing_;  ///< unknowns that are clear of their bounds in some forces of the face
};

}  // namespace stiction::internal
