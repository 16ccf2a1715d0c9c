#pragma once

#include <array>
#include <vector>

#include "solve/bounded_least_squares.hpp"
#include "solve/dual_master.hpp"
#include "stiction/cone_program.hpp"

namespace stiction::internal {

inline bool is_polyhedral(const FrictionCone& cone)
{
  return cone.tangents < 2 || cone.mu == 0.0 || cone.shape.approximation != ConeApproximation::kExact;
}

/// Decides cone programs with the QP of facets in generator form, by qpOASES; round cones get new generators until the
/// answer no longer depends on them. Consecutive programs that differ only in e continue from the previous working
/// set.
class QpoasesDecider {
 public:
  void decide(const ConeProgram& program, ConeAnswer& answer);
  void forget() { ready_ = false; }  ///< the next program starts afresh

 private:
  /// One variable of the QP: a free variable, a box variable, or the coefficient of a ray of a cone.
  struct Column {
    int col = 0, dim = 1;                           ///< which entries of x it moves …
    std::array<double, 4> ray{1.0, 0.0, 0.0, 0.0};  ///< … in which direction
    int box = -1, cone = -1;                        ///< neither: free
    int age = 0;                                    ///< rounds since it last carried a force
    Eigen::VectorXd scaled;                         ///< unit column in scaled rows
    double norm = 1.0;                              ///< length of the unscaled one: x += ray * (z scale_ / norm)
  };

  class RimNewton;

  bool same_structure(const ConeProgram& program) const;
  void prepare(const ConeProgram& program);
  void add(Column column);
  void start_rays(int cone);
  void find_axis();

  void set_master(DualMaster& master);
  void solve_master(DualMaster& master, ConeAnswer& answer);
  bool try_witness(ConeAnswer& answer);
  bool try_tangents(ConeAnswer& answer);
  Eigen::VectorXd tidied(const Eigen::VectorXd& direction) const;
  bool try_separation(const Eigen::VectorXd& direction, ConeAnswer& answer);
  bool try_repaired_separation(ConeAnswer& answer);
  void price();
  bool add_rays();

  ConeProgram program_;  // copy: the structure that the master QP belongs to, and the e in hand
  Eigen::VectorXd row_scale_;
  Eigen::MatrixXd off_free_;  // orthonormal basis of the scaled directions orthogonal to every free column
  std::vector<Column> start_, columns_;
  Eigen::VectorXd base_;  // boxes at their value nearest to zero, everything else 0
  Eigen::VectorXd axis_;  // scaled direction, positive on all rays of all cones; empty if none is known
  double scale_ = 1.0;    // forces are divided by it inside the QP
  DualMaster start_master_, round_master_;
  bool ready_ = false;
  BoundedLeastSquares squares_, tangents_;
  Eigen::VectorXd values_;     // support value of each cone at the current direction …
  std::vector<Column> found_;  // … and the rays where it is positive beyond rounding
};

}  // namespace stiction::internal
