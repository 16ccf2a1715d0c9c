#pragma once

#include <vector>

#include "solve/decide.hpp"
#include "stiction/contact_problem.hpp"

namespace stiction::internal {

/// The pushing cone of one contact of a problem.
inline FrictionCone friction_cone(const Contact& contact, const ConeShape& shape)
{
  return {contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, shape};
}

/// A change of the friction coefficients: a factor on every mu and torsion, and one contact whose mu is replaced
/// instead.
struct Friction {
  double factor = 1.0;
  int contact = -1;
  double mu = 0.0;
};

/// The numbers that a question moves while the contacts stay: what has to be carried, and how much may carry it.
struct Loads {
  Eigen::VectorXd e;             ///< nv: J'λ + τ = e
  Eigen::VectorXd e_scale;       ///< nv: size of the numbers e was computed from
  Eigen::VectorXd lower, upper;  ///< nv: efforts τ; equal: given, both infinite: the row asks nothing
  Eigen::VectorXd max_normal;    ///< contacts; infinite: no limit

  /// Given efforts only (zero: they are inside e), limits of the contacts as in the problem; e and e_scale are sized,
  /// not set.
  void reset(const ContactProblem& problem);
  void set_zero(const ContactProblem& problem);
  /// *this = from + t * slope; rounding grows with both.
  void set_line(const Loads& from, double t, const Loads& slope);
};

/// Λ* of the spec (section 3): the multipliers { λ : J'λ + τ = e, λ = 0 on detaching contacts, τ within limits } as a
/// cone program, with every contact's friction cone. For given forces τ = 0 and e = M a* + F is the same for all
/// solutions of Gauss' principle; for (EQ) τ is what motors add.
///
/// A bilateral contact's double cone is not convex: its sign is chosen by the caller (0: force unrestricted, a
/// relaxation). A largest normal force adds one row: sign λn + s = max, s >= 0. A row whose effort is unlimited is not
/// built. A limited effort is left out too until its bound is violated: then that bound becomes a row, J_d'λ + p = e -
/// lower or J_d'λ - p = e - upper with p >= 0. A certificate of fewer rows is one of all rows, extended by zeros.
class MultiplierSet {
 public:
  /// @param columns optional, nv x k: free variables δ beside the multipliers, J'λ + τ + columns δ = e.
  /// @param keep_bounds start with the effort bounds that were rows last time; only for a problem of the same make.
  void build(const ContactProblem& problem, const ConeShape& shape, const Loads& loads,
             const std::vector<char>& detaching, const Eigen::MatrixXd* columns = nullptr, bool keep_bounds = false);

  /// The program of these loads, of the same make as those it was built for (what was equal or infinite stays so),
  /// signs (one per contact, used where needs_sign) and friction. It is what add_violated_bounds, complete and
  /// to_motion are about until the next.
  const ConeProgram& arrange(const Loads& loads, const std::vector<int>& signs, const Friction& friction = {});

  /// Makes rows of the effort bounds that x violates; false when it violates none.
  bool add_violated_bounds(const Eigen::VectorXd& x);

  /// Sizes x to the program and computes the distances from limits and bounds from the forces in it.
  void complete(Eigen::VectorXd& x) const;

  /// The pushing cone of a contact under that friction.
  FrictionCone cone(size_t contact, const Friction& friction) const;

  /// Bilateral with friction or a limit: the two halves of the double cone must be told apart.
  bool needs_sign(size_t contact) const { return needs_sign_[contact]; }
  bool needs_signs() const;

  /// False where a contact that is there has rows along its surface and no friction on them: (22) is then an equality.
  bool cones_have_an_inside() const;

  /// Whether a motor acts on the degree of freedom: its effort is not given.
  bool held_by_motor(Eigen::Index dof) const { return has_motor_[static_cast<size_t>(dof)] != 0; }

  const ContactProblem& problem() const { return *problem_; }
  const ConeProgram& program() const { return program_; }

  /// Column of the contact's normal force; -1 when it is absent (detaching).
  int column(size_t contact) const { return column_[contact]; }
  /// First column of the free variables δ.
  int extra_column() const { return extra_column_; }
  /// Rows of the balance that are always there: unactuated or with a given effort.
  int exact_rows() const { return exact_rows_; }
  /// Columns of contacts and closures; they come first.
  int force_columns() const { return force_columns_; }

  void to_lambda(const Eigen::VectorXd& x, Eigen::VectorXd& lambda) const;
  void from_lambda(const Eigen::VectorXd& lambda, Eigen::VectorXd& x) const;

  /// Certificate of the program in the form of the proof: nv entries, then the prices of the limits in contact order.
  void to_motion(const Eigen::VectorXd& y, Eigen::VectorXd& motion) const;
  /// The other way round, where every row is a degree of freedom; else false.
  bool from_motion(const Eigen::VectorXd& motion, Eigen::VectorXd& y) const;

 private:
  struct Bound {
    int dof = 0;
    bool upper = false;
  };

  void number_rows(const Loads& loads);
  void number_columns(const Loads& loads, const std::vector<char>& detaching);
  void write_exact_rows();
  void write_bound(size_t k);
  void append_bounds(size_t first);
  void set_loads(const Loads& loads);

  const ContactProblem* problem_ = nullptr;
  const Eigen::MatrixXd* extra_ = nullptr;
  ConeShape shape_;
  Loads loads_;
  ConeProgram program_;
  int exact_rows_ = 0, limit_rows_ = 0, force_columns_ = 0, extra_column_ = 0, fixed_columns_ = 0;
  std::vector<int> exact_dof_;    ///< per exact row
  std::vector<char> has_motor_;   ///< per dof
  std::vector<int> limited_dof_;  ///< with at least one finite effort bound, not equal
  std::vector<int> column_, limit_row_, limit_column_;
  std::vector<char> needs_sign_;
  std::vector<double> sign_;  ///< of the cone in use, 0 when free
  std::vector<int> closure_column_;
  std::vector<Bound> bounds_;      ///< those that are rows
  std::vector<char> bound_state_;  ///< per dof, bit 0: lower is a row, bit 1: upper is
  Eigen::VectorXd lambda_;
};

inline FrictionCone MultiplierSet::cone(size_t contact, const Friction& friction) const
{
  FrictionCone cone = friction_cone(problem_->contacts[contact], shape_);
  cone.mu *= friction.factor;
  cone.torsion *= friction.factor;
  if (friction.contact == static_cast<int>(contact)) cone.mu = friction.mu;
  return cone;
}

}  // namespace stiction::internal
