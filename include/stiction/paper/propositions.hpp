#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "stiction/contact_problem.hpp"
#include "stiction/paper/facet_qp.hpp"
#include "stiction/sticking.hpp"

namespace stiction {

// The paper's propositions as functions, to explain a verdict: which of the classical conditions hold here and which
// numbers they give. Each returns its values and whether its hypotheses held. The values are computed wherever the
// formulas make sense, but they mean what the proposition says only if the hypotheses hold. Nothing here is a proof;
// verdicts are StickingChecker's.
//
// Ranks are taken in coordinates in which M has a unit diagonal and rows of J have unit length, so units do not matter:
// what is below kRankTolerance there counts as zero. All functions throw what ContactProblem::validate throws.

inline constexpr double kRankTolerance = 1e-10;

/// What a proposition assumes and the case at hand violates, in words; none: the proposition applies.
struct Hypotheses {
  std::vector<std::string> failed;

  bool hold() const { return failed.empty(); }
  void require(bool condition, const char* words)
  {
    if (!condition) failed.emplace_back(words);
  }
};

/// Ranks of the KKT matrix [[M, -J'], [J, 0]] with M positive semidefinite, and what follows from them.
struct KktStructure {
  int rank_mass = 0;
  int rank_rows = 0;
  int free_motions = 0;              ///< dim(ker M ∩ ker J) = nv - rank [M; J]
  bool consistent = false;           ///< gamma in im J: some acceleration satisfies the constraints
  bool balanced = false;             ///< F in im [M J']: some forces and acceleration balance the load
  bool acceleration_unique = false;  ///< free_motions = 0
  bool forces_unique = false;        ///< rows independent

  bool solvable() const { return consistent && balanced; }
};

/// P1: bilateral sticking, all of its rows held: closures, normals and tangents of bilateral contacts. The matrix M_b
/// of (14a) is invertible iff the rows are independent and ker M ∩ ker J = {0}. (Of dependent rows only the sum Jn'λn +
/// Jt'λt is unique, not each of them as the paper has it.)
struct BilateralKkt {
  Hypotheses hypotheses;  ///< no unilateral contact
  KktStructure structure;

  bool invertible() const { return structure.acceleration_unique && structure.forces_unique; }
};
BilateralKkt bilateral_kkt(const ContactProblem& problem);

/// P2, P3: bilateral contacts with independent rows. lambda = G^-1 (J M^-1 F - gamma), G = J M^-1 J' > 0, is the only
/// candidate, and all contacts stick iff it satisfies (22): |λt_i| <= mu_i |λn_i| (torsion and largest force alike).
struct BilateralSticking {
  Hypotheses hypotheses;  ///< M > 0, rows independent, every contact bilateral
  Eigen::MatrixXd G;      ///< rows x rows; empty when M is singular, like all that follows
  Eigen::VectorXd acceleration, lambda;
  std::vector<double> utilisation;  ///< per contact
  bool sticks = false;              ///< (22), to rounding
};
BilateralSticking bilateral_sticking(const ContactProblem& problem);

/// C1: the same at rest (v = 0, a = 0): J'λ = F, any M.
struct BilateralStatics {
  Hypotheses hypotheses;  ///< rows independent, every contact bilateral, gamma = 0, F in im J'
  Eigen::VectorXd lambda;
  std::vector<double> utilisation;
  bool sticks = false;
};
BilateralStatics bilateral_statics(const ContactProblem& problem);

/// P4: contacts strictly inside (22) go on sticking for continuous data; those with equality may start to slip (then
/// problem (69) decides, see predict). A contact with tangential rows that is unloaded, or has no friction, has
/// equality in (22); one without such rows has nothing to lose.
struct Persistence {
  Hypotheses hypotheses;                   ///< (22) holds for `lambda`
  std::vector<int> strict, rim, violated;  ///< contact indices; rim: within 1e-9 of the friction budget
  bool persists = false;                   ///< all strict
};
Persistence persistence(const ContactProblem& problem, const Eigen::VectorXd& lambda);

/// P5, (26)–(33): all rows held, rows and M of any rank. The forces of least Euclidean norm among all solutions of
/// M a + F = J'λ, J a + gamma = 0. With E = M + J'J and D = J E†J' they are gamma + D†(J E†F - gamma), by the
/// pseudo-inverse of the bordered matrix; here they come from complete orthogonal decompositions of the rows and of M
/// on their null space.
struct MinimumNormForces {
  Hypotheses hypotheses;  ///< constraints consistent, load balanced
  KktStructure structure;
  Eigen::VectorXd acceleration, lambda;
};
MinimumNormForces minimum_norm_forces(const ContactProblem& problem);

/// P6, (35)–(38): M > 0. Eliminating what is an equality (tangential rows Jt; with bilateral contacts their normals and
/// closures too, see P12) leaves the contact LCP  0 <= λn ⟂ Ac λn + Hc >= 0  of the unilateral normals, with
///
///   Ac = Jn Mc⁻¹ Jn',   Mc⁻¹ = M⁻¹ - T Jt M⁻¹,   Hc = gamma_n - Jn Mc⁻¹ F - Jn T gamma_t,   T = M⁻¹Jt'(Jt M⁻¹ Jt')⁻¹.
///
/// Ac is symmetric positive semidefinite always; λn is unique for all data iff Ac > 0. With dependent but consistent
/// tangential rows a pseudo-inverse stands for the inverse: same acceleration, λt not unique.
struct ContactLcp {
  Hypotheses hypotheses;     ///< M > 0, Jt full row rank, no bilateral contact or closure
  std::vector<int> normals;  ///< rows of J, in the order of Ac
  Eigen::MatrixXd Ac;
  Eigen::VectorXd Hc;
  double smallest_eigenvalue = 0.0;  ///< of Ac
  int rank = 0;                      ///< of Ac
  bool unique_for_all_data = false;  ///< Ac > 0
};
ContactLcp contact_lcp(const ContactProblem& problem);

/// P12, (62)–(64): bilateral and unilateral contacts. Equality rows Je = [Jnb; Jtb; Jtu] are eliminated as in P6. With
/// the Delassus blocks Auu = Jnu M⁻¹ Jnu', Aee = Je M⁻¹ Je', Aue = Jnu M⁻¹ Je' (rows of J as they are, not normalised)
///
///   Ac = Auu - Aue Aee⁻¹ Aue',  and  σmax(Aue)·σmax(Aue') < σmin(Auu)·σmin(Aee)  suffices for Ac > 0,
///
/// because σmax(Aue Aee⁻¹ Aue') <= σmax(Aue)²/σmin(Aee). An absent block counts as σmin = 1. Sufficient only: it may
/// fail although Ac > 0.
struct MixedContactLcp : ContactLcp {  ///< hypotheses: M > 0, Je full row rank
  double coupling = 0.0;               ///< left side
  double separation = 0.0;             ///< right side
  bool bound_holds = false;            ///< left < right, beyond rounding
};
MixedContactLcp mixed_contact_lcp(const ContactProblem& problem);

/// P7, P8, C2, C3: solvability of the MLCP (Gauss' principle, no friction cones), decided and proved by two linear
/// programs (primal and dual feasibility), and the named conditions that explain it for all data at once. Je: every row
/// but the unilateral normals Ju.
struct Solvability {
  Hypotheses hypotheses;                     ///< none beyond valid data
  Verdict consistent = Verdict::kUndecided;  ///< some a has Je a + ge = 0, Ju a + gu >= 0
  Verdict balanced = Verdict::kUndecided;    ///< some a and λ, λu >= 0, have M a + F = J'λ
  Verdict solvable = Verdict::kUndecided;    ///< both

  /// x part of the set E of (47): {x : M x = 0, Je x = 0, Ju x >= 0} is {0}. Balanced for every F (and only then).
  Verdict no_free_motion = Verdict::kUndecided;
  /// y part of E: {y : Je'y in -cone(Ju')} is {0}, so the rows Je are independent and never press against the normals.
  Verdict no_jam = Verdict::kUndecided;
  /// E = {0}, of pairs (x, y): P8 (i).
  Verdict E_is_zero = Verdict::kUndecided;
  /// Definition 1: some v has Ju v > 0. Unilateral rows only.
  Verdict mfcq = Verdict::kUndecided;
  /// Je independent and some d has Je d = 0, Ju d > 0: consistent for every gamma (and only then).
  Verdict consistent_for_every_drift = Verdict::kUndecided;
  /// im Je' ∩ cone(Ju') = {0}: pushing contacts and held rows cannot press against each other.
  Verdict ranges_independent = Verdict::kUndecided;
  /// C2: M > 0 and ranges independent; solvable for every F, with one acceleration. Needs also what the paper does not
  /// ask for: drifts of the held rows that do not contradict each other.
  Verdict c2_applies = Verdict::kUndecided;
  int free_motions = 0;  ///< dim(ker M ∩ ker Je); 0: the acceleration is unique (P8 iii)
};
Solvability solvability(const ContactProblem& problem, Engine& engine);

/// What P9 and P10 ask, over all multipliers instead of one choice of normal forces: friction disks replaced by inner
/// polygons of `facets` sides. With the acceleration a* of Gauss' principle the columns of E are the rows J' of
/// contacts that stay, e = M a* + F, and all contacts stick (with polygons for disks) iff the optimum of the QP is 0. A
/// frictional bilateral contact gets the sign of its force in `solved`. QP (57) and MLCP (58) as printed:
/// stiction/paper/mlcp.hpp.
struct FacetSticking {
  Hypotheses hypotheses;   ///< MLCP solvable, no largest normal force, signs of bilateral contacts not in question
  ConeProgram program;     ///< E, e and the polygons
  FacetQpAnswer answer;    ///< lambda in the columns of `program`
  double residual = 0.0;   ///< |E λ - e| / |e|; 0 for e = 0
  Eigen::VectorXd lambda;  ///< rows, ordered as in J
  bool sticks = false;
};
FacetSticking facet_sticking(const ContactProblem& problem, int facets, const StickingResult& solved);

/// P11: a solvable MLCP sticks with enough friction, the same mu at every contact with tangential rows, provided that
/// some multiplier pushes wherever a tangential force is needed. Torsion coefficients grow with mu in proportion.
struct MinimalFriction {
  Hypotheses hypotheses;     ///< MLCP solvable, no torsional contact
  std::optional<double> mu;  ///< smallest common mu; empty: none suffices, or not `known`
  bool known = false;
};
MinimalFriction minimal_friction(const ContactProblem& problem, StickingChecker& checker);

}  // namespace stiction
