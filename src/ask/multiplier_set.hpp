#pragma once

#include <vector>

#include "ask/proved.hpp"
#include "stiction/contact_problem.hpp"

namespace stiction::internal {

/// A change of the friction coefficients: a factor on every mu and torsion, and one contact whose mu is replaced instead.
struct Friction {
  double factor = 1.0;
  int contact = -1;
  double mu = 0.0;
};

/// Λ* of the spec (section 3): the multipliers { λ : J'λ = e, λ = 0 on detaching contacts } as a cone program, with every
/// contact's friction cone. e = M a* + F is the same for all solutions of Gauss' principle.
///
/// A bilateral contact's double cone is not convex: its sign is chosen by the caller (0: force unrestricted, a relaxation).
/// A largest normal force adds one row: sign λn + s = max, s >= 0.
class MultiplierSet {
 public:
  void build(const ContactProblem& problem, const ConeShape& shape, const Eigen::VectorXd& e,
             const Eigen::VectorXd& e_scale, const std::vector<char>& detaching);

  /// Chooses signs (one per contact, used where needs_sign) and the friction.
  void arrange(const std::vector<int>& signs, const Friction& friction = {});

  /// The pushing cone of a contact under that friction.
  FrictionCone cone(size_t contact, const Friction& friction) const;

  /// Bilateral with friction or a limit: the two halves of the double cone must be told apart.
  bool needs_sign(size_t contact) const { return needs_sign_[contact]; }

  ConeProgram& program() { return program_; }
  const ConeProgram& program() const { return program_; }

  /// Column of the contact's normal force; -1 when it is absent (detaching).
  int column(size_t contact) const { return column_[contact]; }

  void to_lambda(const Eigen::VectorXd& x, Eigen::VectorXd& lambda) const;

  /// Certificate of the program in the form of the proof: nv entries, then the prices of the limits in contact order.
  void to_motion(const Eigen::VectorXd& y, Eigen::VectorXd& motion) const;

  /// Direction of the common slack: lowering every chosen contact's normal force by one newton (0 / 1 weights).
  void slack_direction(const std::vector<double>& weights, Eigen::VectorXd& d) const;

  /// x + t * (weights on the normal forces): undoes the shift of slack_direction.
  void add_normal(const std::vector<double>& weights, double t, Eigen::VectorXd& x) const;

 private:
  const ContactProblem* problem_ = nullptr;
  ConeShape shape_;
  ConeProgram program_;
  std::vector<int> column_, limit_row_, limit_column_;
  std::vector<char> needs_sign_;
  std::vector<double> sign_;        ///< of the cone in use, 0 when free
  std::vector<int> closure_column_;
};

/// The cone of one contact of a problem.
FrictionCone friction_cone(const Contact& contact, const ConeShape& shape);

}  // namespace stiction::internal
