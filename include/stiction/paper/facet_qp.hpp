#pragma once

#include <Eigen/Core>

#include "stiction/cone_program.hpp"

namespace stiction {

/// The paper's QP (57) as it stands, for comparison with the engines: friction disks replaced by polygons, in
/// half-space form,
///
///   min ½|E λ − e|²   s.t.  C_i λt_i + D_i λn_i >= 0,  λn_i >= 0        for every contact i          (54)–(57)
///
/// All contacts stick (with facets for disks) iff the optimum is 0. Its KKT system is the MLCP (58)
///
///   0 = E'(E λ − e) − H'z,   0 <= z  ⟂  H λ >= 0,        H = all half-spaces stacked, in the order of the cones.
struct FacetQpAnswer {
  Outcome outcome = Outcome::kNotRun;  ///< kFeasible: optimum 0 to `tolerance`; kInfeasible: positive optimum
  double optimum = 0.0;                ///< ½|E λ − e|²
  Eigen::VectorXd lambda;
  Eigen::VectorXd multipliers;  ///< z
  /// Largest violation of (58): |E'(E λ − e) − H'z| over |E|'|e|, and |min(z, H λ)| with both in units of their size.
  double mlcp_residual = 0.0;
  int iterations = 0;
};

/// H of (58) for a program without exact round cones. Rows per contact: polygon sides (in the plane ±), torsion ±,
/// normal.
/// @throws InputError when a cone is round.
Eigen::MatrixXd facet_halfspaces(const ConeProgram& program);

/// Solves QP (57) by qpOASES. `tolerance` is on |E λ − e| relative to |e|. It claims only what a QP solver's
/// tolerances allow; proofs come from the engines. Boxes are not part of (57). @throws InputError for round cones or
/// boxes.
FacetQpAnswer solve_facet_qp(const ConeProgram& program, double tolerance = 1e-7);

}  // namespace stiction
