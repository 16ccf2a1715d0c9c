#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "stiction/contact_problem.hpp"
#include "stiction/engine.hpp"
#include "stiction/margin.hpp"
#include "stiction/proof/couplings.hpp"

namespace stiction {

// How contacts and held rows act on each other through the masses (Brogliato 2013): the numbers behind "this grasp
// pinches its own loop closure" or "landing here shocks that guide". Frictionless mechanics: tangential rows of
// contacts are either held (sticking) or left out. Joints of a URDF are no rows: what they carry is not asked here.
//
// Unilateral rows h: normals of unilateral contacts. Bilateral rows g: closures, normals of bilateral contacts and,
// when held, all tangential and torsion rows.  With A = Jh M⁻¹Jh', B = Jg M⁻¹Jg', E = Jh M⁻¹Jg' and M > 0:
//
//   Ac = A - E B⁻¹E'  (16),   Mc⁻¹ = M⁻¹ - M⁻¹Jg'B⁻¹Jg M⁻¹  (17),   lb = -B⁻¹(E'lu + H2)  (13)
//
// B⁻¹ is a pseudo-inverse where rows of Jg are dependent. Ranks are taken of rows normalised in M⁻¹: what is below
// kRankTolerance (paper/propositions.hpp) there counts as zero, so units do not matter.

enum class TangentialRows { kHeld, kLeftOut };

struct CouplingOptions {
  TangentialRows tangential = TangentialRows::kHeld;
  bool intervals = true;  ///< per-row force intervals: two linear programs each
};

/// Kinetic angle (9) between two rows: θ = π - acos(n1'M⁻¹n2 / (|n1||n2|)), the angle of the wedge both rows leave
/// free. π/2: decoupled. For a bilateral row the sign of g is arbitrary: θ and π - θ say the same. NaN where a row is
/// zero.
struct KineticAngles {
  Eigen::MatrixXd uu, ub, bb;  ///< rad; unilateral x unilateral, unilateral x bilateral, bilateral x bilateral
};

/// A weighted sum of rows that says why Ac is singular: Σ unilateral_i h_i + Σ bilateral_j g_j = 0.
struct Dependence {
  Eigen::VectorXd unilateral, bilateral;  ///< in the order of those of Couplings
};

struct Couplings {
  std::vector<int> unilateral, bilateral;  ///< rows of J
  bool definite_mass = false;  ///< M > 0; otherwise only ranks, equilibrium, forces and intervals are filled

  Eigen::MatrixXd A, B, E, Ac, constrained_inertia_inverse;   ///< the last: Mc⁻¹
  int rank_unilateral = 0, rank_bilateral = 0, rank_all = 0;  ///< of Jh, Jg, [Jh; Jg]
  int redundancy = 0;  ///< rows minus rank_all: degree of indeterminacy of all forces
  double smallest_A = 0.0, smallest_B = 0.0, smallest_Ac = 0.0;  ///< smallest eigenvalues (0 for an empty block)
  bool unique_for_all_data = false;     ///< Ac > 0: rank_all - rank_bilateral = number of unilateral rows
  std::vector<Dependence> dependences;  ///< `redundancy` independent ones; with rows normalised they are orthonormal

  KineticAngles angles;
  KineticAngles constrained_angles;  ///< only uu: the same with Mc⁻¹
  /// Cosines of the principal kinetic angles between the spans of Jh and Jg, largest first. 1: the spans meet, Ac is
  /// singular if A is not; det Ac = det A Π(1 - σ²).
  Eigen::VectorXd principal_cosines;
  double singularity_margin = 1.0;  ///< 1 - σmax², 1 when nothing couples
  /// Unilateral and bilateral combinations (unit length in M⁻¹) of the smallest principal angle: which rows fight.
  Eigen::VectorXd worst_unilateral, worst_bilateral;

  Eigen::MatrixXd shock_gain;  ///< pb = shock_gain pu: -B⁻¹E' (72), bilateral x unilateral
  bool decoupled = false;      ///< E = 0 to rounding: no shock passes, Ac = A

  /// Gauss' principle with these rows: acceleration, forces, what is proved.
  Verdict solvable = Verdict::kUndecided;  ///< kFails: a contradiction or an imbalance, one of the next two
  std::string reason;                      ///< why undecided
  Eigen::VectorXd contradiction;           ///< no acceleration keeps all rows, whatever F: J'y = 0, y >= 0 on
                                           ///< unilaterals, y'γ < 0 over rows of J
  Eigen::VectorXd imbalance;               ///< no forces balance F: M d = 0, Jg d = 0, Jh d >= 0, F'd < 0; nv
  Eigen::VectorXd acceleration, forces;    ///< nv; rows of J (0 on rows left out)
  /// Accelerations are unique where M and the rows that carry or are held leave nothing open (always when M > 0).
  /// Forces are where these rows are independent and no force can be shifted to rows that touch without any: dependent
  /// rows may have one set of forces all the same, as nothing can pull.
  Verdict acceleration_unique = Verdict::kUndecided, forces_unique = Verdict::kUndecided;
  /// Why forces are unique although rows depend on each other: a direction d with J d = 0 on rows that carry or are
  /// held and J d > 0 on those that touch without force. Or why they are not: forces that move nothing, >= 0 on the
  /// latter. Empty where ranks alone decide.
  Eigen::VectorXd pins, shift;
  Eigen::VectorXd opening;  ///< per row: J a + γ of a unilateral row that opens, m/s²; 0 for rows that stay closed
  /// Per row of J: range of its multiplier over all solutions of the contact problem without friction cones (Gauss'
  /// principle), N (N m for torsion rows). kKnown: both ends to 1e-9 of the scale, infinite where unbounded, [0, 0] for
  /// rows left out; kNone: there is no solution.
  std::vector<Margin> intervals;
  bool balanced = false;  ///< no acceleration: below kClear of what the loads alone would cause. Velocities may be any
  /// Ac by the null-space route, Jh Z (Z'M Z)⁻¹ Z'Jh' (69), against Ac: largest difference over the largest entry of A.
  double reduced_coordinate_gap = 0.0;
};

/// One per thread.
class CouplingChecker {
 public:
  explicit CouplingChecker(std::unique_ptr<Engine> engine = make_native_engine());
  ~CouplingChecker();
  CouplingChecker(CouplingChecker&&) noexcept;
  CouplingChecker& operator=(CouplingChecker&&) noexcept;

  /// @throws InputError from problem.validate(), in both overloads: ranks and inverses are part of the answer.
  void check(const ContactProblem& problem, const CouplingOptions& options, Couplings& result);
  Couplings check(const ContactProblem& problem, const CouplingOptions& options = {});

 private:
  std::unique_ptr<Engine> engine_;
};

/// Frictionless multiple impact with a restitution matrix R (76): vN+ = -R vN-, pu >= 0, bilateral rows kept. kNewton
/// solves (77) as printed, which need not have a solution; kMoreau solves 0 <= pu ⟂ vN+ + R vN- >= 0 and needs R = e I.
enum class ShockLaw { kNewton, kMoreau };
struct Shock {
  Verdict exists = Verdict::kUndecided;
  Eigen::VectorXd unilateral_impulse, bilateral_impulse;  ///< pu, pb = shock_gain pu, N s
  Eigen::VectorXd velocity;                               ///< v+
  double energy_change = 0.0;                             ///< ½ pu'(I - R) vN- for kNewton, T+ - T- always
};
/// @throws InputError: sizes, v- that does not keep the bilateral rows, singular M, R not a multiple of I for kMoreau.
Shock shock(const ContactProblem& problem, const Eigen::VectorXd& velocity, const Eigen::MatrixXd& R, ShockLaw law,
            Engine& engine, const CouplingOptions& options = {});

}  // namespace stiction
