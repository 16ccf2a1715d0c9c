#pragma once

#include <Eigen/Core>
#include <optional>

#include "stiction/cone_program.hpp"

namespace stiction {

/// Friction disks replaced by polygons, over all multipliers at once: normal forces are unknowns like the others, so
/// that they need not be unique. Not QP (57) as printed, which fixes them by (53) beforehand (stiction/paper/mlcp.hpp):
/// its verdict where (57) has one, other numbers.
///
///   min ½|E λ − e|²   s.t.  C_i λt_i + D_i λn_i >= 0,  λn_i >= 0        for every contact i
///
/// All contacts stick (with facets for disks) iff the optimum is 0. Its KKT system is
///
///   0 = E'(E λ − e) − H'ν,   0 <= ν  ⟂  H λ >= 0,        H = all half-spaces stacked, in the order of the cones.
struct FacetQpAnswer {
  Outcome outcome = Outcome::kNotRun;  ///< kFeasible: optimum 0 to `tolerance`; kInfeasible: positive optimum
  double optimum = 0.0;                ///< ½|E λ − e|²
  Eigen::VectorXd lambda;
  Eigen::VectorXd multipliers;  ///< ν
  /// Largest violation of the KKT system: |E'(E λ − e) − H'ν| over |E|'|e|, and |min(ν, H λ)| with both in units of
  /// their size.
  double mlcp_residual = 0.0;
  int iterations = 0;
};

/// H for a program without exact round cones. Rows per contact: polygon sides (in the plane ±), torsion ±,
/// normal.
/// @throws InputError when a cone is round.
Eigen::MatrixXd facet_halfspaces(const ConeProgram& program);

/// By qpOASES. `tolerance` is on |E λ − e| relative to |e|. It claims only what a QP solver's tolerances allow; proofs
/// come from the engines. @throws InputError for round cones or boxes.
FacetQpAnswer solve_facet_qp(const ConeProgram& program, double tolerance = 1e-7);

/// min ½|A z + f|²  s.t.  C z + D >= 0: QP (57) as printed; by qpOASES.
struct PolygonQpAnswer {
  bool solved = false;
  Eigen::VectorXd z;
  Eigen::VectorXd multipliers;  ///< one per row of C, >= 0
};
PolygonQpAnswer solve_polygon_qp(const Eigen::MatrixXd& A, const Eigen::VectorXd& f, const Eigen::MatrixXd& C,
                                 const Eigen::VectorXd& D);

/// The solution of 0 <= λ ⟂ A λ + h >= 0 with A symmetric positive definite: the projection of -A⁻¹h onto λ >= 0 in the
/// metric of A (53). By qpOASES, then exactly on the rows that it found positive. None: no solution was found.
std::optional<Eigen::VectorXd> project_positive(const Eigen::MatrixXd& A, const Eigen::VectorXd& h);

}  // namespace stiction
