#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "stiction/cone.hpp"
#include "stiction/contact_problem.hpp"
#include "stiction/paper/propositions.hpp"
#include "stiction/proof/sliding.hpp"

namespace stiction {

// The paper's mixed linear complementarity problems as matrices with named rows, for those who bring their own solver
// (docs/mlcp.md). Signs are the right ones where the paper's are misprinted.

/// What an unknown of an MLCP is. Closures count as bilateral normals.
enum class MlcpRole {
  kAcceleration,
  kNormalBilateral,
  kTangentialBilateral,
  kTangentialUnilateral,
  kNormalUnilateral,
  kFrictionRatio,  ///< z of (55): tangential force per normal force
  kFacet           ///< multiplier of a side of a polygon
};

/// An unknown and the row that belongs to it.
struct MlcpVariable {
  std::string name;  ///< "b/x", "left normal", "left t1"
  MlcpRole role = MlcpRole::kAcceleration;
  int index = 0;  ///< degree of freedom, row of J, or side of the contact's polygon
};

/// Q z + q = w with w_i = 0, z_i free for i < equalities, and 0 <= z_i ⟂ w_i >= 0 for the others.
struct Mlcp {
  Eigen::MatrixXd Q;
  Eigen::VectorXd q;
  int equalities = 0;
  std::vector<MlcpVariable> variables;

  /// Largest violation by z: of equalities |w_i|, else |min(z_i, w_i)|, each relative to the size of the terms of its
  /// row (z_i: to the largest unknown of its kind, forces or not).
  double violation(const Eigen::VectorXd& z) const;
};

/// Every contact sticks, or leaves along its normal; friction disks aside.
///
///   z = (a, λnb, λtb, λtu, λnu):  M a - J'λ + F = 0,  Je a + γe = 0,  0 <= λnu ⟂ Ju a + γu >= 0      (43), (65a)
///
/// with Je = [Jnb; Jtb; Jtu]. Contacts that slide along d lose their tangential rows, and Jn' becomes
/// Jn' - mu Jt'd in their columns (73). Where M > 0, eliminating a gives
///
///   z = (λe, λnu):  [H1 H2; H2' Auu] z + (γ - J M⁻¹F),   H1 = Je M⁻¹Je',  H2 = Je M⁻¹Ju'              (62), W of (74)
///
/// and eliminating λe the contact LCP 0 <= λnu ⟂ Ac λnu + Hc >= 0 of (37), (63), A^{st,sl} of (74). A pseudo-inverse
/// stands for the inverse of H1 where rows depend on each other.
struct StickingMlcp {
  Mlcp full;
  Hypotheses hypotheses;        ///< of what follows: M > 0
  std::optional<Mlcp> forces;   ///< (62)
  std::optional<Mlcp> normals;  ///< (37), (63)

  auto H1() const { return forces->Q.topLeftCorner(forces->equalities, forces->equalities); }
  auto H2() const { return forces->Q.topRightCorner(forces->equalities, forces->Q.cols() - forces->equalities); }
};

/// @param slips one per contact, or empty: all stick.
/// @throws InputError from problem.validate(); "slides[2]" for a bilateral contact with friction that slides (its
/// friction is mu |λn|, not linear), one with torsion, and a direction that is not a unit vector.
StickingMlcp sticking_mlcp(const ContactProblem& problem, const SlipDirections& slips = {});

/// Polygons for the friction disks and the normal forces of (53), which must be unique: what is left is to find
/// λt_i = |λn_i| z_i with z_i in the polygon of contact i such that no contact starts to move sideways:
///
///   Ã z + F̃ = 0,  C z + D >= 0,   Ã = Att [|λn|],  F̃ = Jt M⁻¹(Jn'λn - F) + γt                        (54), (55)
///   QP (57):   min ½|Ã z + F̃|²  s.t.  C z + D >= 0: all contacts stick iff the optimum is 0 (P10)
///   MLCP (58): 0 = Ã'(Ã z + F̃) - C'ν,  0 <= ν ⟂ C z + D >= 0, its KKT system
///
/// The print has F - … for … - F in (52)–(54). Jt: tangential and torsion rows of all contacts, Jn: all other rows.
struct FacetMlcp {
  Hypotheses hypotheses;     ///< M > 0, rows consistent, λn unique, no largest normal force
  Eigen::VectorXd lambda_n;  ///< rows of J; zero on tangential rows; (53)
  Eigen::MatrixXd A;         ///< Ã
  Eigen::VectorXd F;         ///< F̃
  Eigen::MatrixXd C;
  Eigen::VectorXd D;
  Mlcp mlcp;           ///< (58), unknowns (z, ν)
  double scale = 0.0;  ///< of the accelerations that F̃ is a sum of, m/s²

  /// (z, λn) as forces, ordered as rows of J.
  Eigen::VectorXd forces(const Eigen::VectorXd& z) const;
};

/// @param shape kInner or kOuter; kExact only where every contact is planar or frictionless (polygons are then exact).
/// @throws InputError from problem.validate(), and for exact round cones.
FacetMlcp facet_mlcp(const ContactProblem& problem, const ConeShape& shape);

/// z* and ν of (57), (58) by qpOASES. It claims only what a QP solver's tolerances allow.
struct FacetMlcpAnswer {
  bool solved = false;  ///< qpOASES found the optimum
  Eigen::VectorXd z, multipliers;
  double optimum = 0.0;   ///< ½|Ã z + F̃|²
  double residual = 0.0;  ///< |Ã z + F̃| over FacetMlcp::scale
  bool sticks = false;    ///< residual <= tolerance
};
FacetMlcpAnswer solve_facet_mlcp(const FacetMlcp& problem, double tolerance = 1e-7);

/// "toe normal", "toe t1", "toe torsion", "loop x", "guide": one name per row of J. Pins and welds have rows along the
/// world's axes (numbered in planar problems).
std::vector<std::string> row_labels(const ContactProblem& problem);

}  // namespace stiction
