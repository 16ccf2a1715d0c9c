#pragma once

// Sparse because every contact touches one or two bodies: a step costs a factor of a matrix with a block per pair of
// bodies that touch.
#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <vector>

#include "stiction/stop.hpp"

namespace stiction::internal {

/// Columns col … col + dim of a conic form: a number >= 0 (dim 1), or (f0, f1, f2) with f0 >= |(f1, f2)| (dim 3).
struct Atom {
  int col = 0, dim = 1;
};

/// Find x in the atoms and any w with A x + C w = b. Columns and rows of about unit size; every row has an entry.
struct ConicForm {
  Eigen::SparseMatrix<double> A, C;
  std::vector<Atom> atoms;
  Eigen::VectorXd b;
};

/// Decides a conic form by a primal-dual interior-point method with Nesterov-Todd scaling on
///
///   min s   s.t.  A x + C w + s d = b,  x in the atoms,  s >= -1,      d = b - A u - C v for a point u inside,
///
/// where (u, v, s = 1) is a start that satisfies every equation: with s <= 0 a point of the form is found that is
/// strictly inside every atom, with s > 0 at the optimum y separates (-A'y in the atoms, C'y = 0, b'y > 0).
class InteriorPoint {
 public:
  enum class Stop { kInside, kSeparated, kStalled };

  /// @throws Stopped
  Stop run(const ConicForm& form, const StopCheck& stop);

  const Eigen::VectorXd& x() const { return x_; }  ///< kInside: strictly; kStalled: where it stalled
  const Eigen::VectorXd& w() const { return w_; }
  const Eigen::VectorXd& y() const { return y_; }  ///< kSeparated: with margin; kStalled: where it stalled
  const Eigen::VectorXd& z() const { return z_; }  ///< kStalled: dual of x
  int iterations() const { return iterations_; }

  /// Adds to x and w what makes up for `left` = b - A x - C w, by the least change in the last scaling: what presses
  /// hard takes most. After kInside.
  void correct(const Eigen::VectorXd& left, Eigen::VectorXd& x, Eigen::VectorXd& w);

 private:
  /// Columns of atoms with entries in the same rows.
  struct Group {
    std::vector<int> rows;        ///< ascending
    std::vector<int> places;      ///< of the lower triangle of rows x rows in the values of kkt_, column by column
    std::vector<int> atoms;       ///< indices
    std::vector<double> entries;  ///< rows x columns of its atoms, one after the other
  };
  /// Of an atom: W z = W^-1 x = lambda.
  struct Scaling {
    double eta = 1.0, w[3] = {1.0, 0.0, 0.0};
  };

  void arrange();
  void start();
  bool scale_atoms();
  bool factor();
  void solve(const Eigen::VectorXd& rhs, Eigen::VectorXd& solution);
  void multiply(const Eigen::VectorXd& v, Eigen::VectorXd& product) const;
  void solve_step(const Eigen::VectorXd& rho, double rho_s);
  bool step();
  bool separates();
  void move_inside();
  void apply_scaling(const Eigen::VectorXd& v, Eigen::VectorXd& out, bool inverse) const;
  double largest_step(const Eigen::VectorXd& v, const Eigen::VectorXd& dv) const;

  const ConicForm* form_ = nullptr;
  int degree_ = 0;
  std::vector<Group> groups_;
  std::vector<Scaling> scaling_;
  Eigen::SparseMatrix<double> kkt_;  ///< lower triangle of [A W² A', C; C', 0] with some of its diagonal more
  std::vector<int> diagonal_;
  Eigen::VectorXd regular_;  ///< what the diagonal has more
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::AMDOrdering<int>> ldlt_;
  bool analysed_ = false;
  Eigen::VectorXd x_, w_, y_, z_, u_, v_, d_;
  double s_ = 2.0, zs_ = 1.0, omega_ = 0.0;  ///< s + 1, its dual, and their quotient
  Eigen::VectorXd kd_;                       ///< solution for d
  double kd_pivot_ = 1.0;
  Eigen::VectorXd lambda_, rho_, dx_, dw_, dy_, dz_, ax_, az_, rp_, rd_, rf_, work_, rhs_, left_, sol_;
  double ds_ = 0.0, dzs_ = 0.0;
  Eigen::VectorXd size_y_, slope_;
  int iterations_ = 0;
};

}  // namespace stiction::internal
