#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "stiction/contact_problem.hpp"
#include "stiction/proof.hpp"

namespace stiction {

// Collisions of a whole system at one instant (touchdown of a foot, regrasp of a finger), by Newton's law of
// restitution and Coulomb's law in impulses: the standard impacts of Glocker (2012), whose equation numbers are quoted.
//
//   M (u+ - u-) = J'Λ,   γ± = J u±,   ξ = γ+ + ε γ-                                                     (19)–(21)
//   unilateral normal   0 <= Λn ⟂ ξn >= 0              bilateral rows, closures   ξ = 0                  (32), (35)
//   friction            Λt in |Λn| D;  ξt = 0 inside D; on its rim ξt is an outward normal of D at -Λt    (39)–(55)
//
// D is an interval (one tangent), a disk, or an ellipse with semi-axes mu along t1 and mu_second along t2. "Sticks"
// means ξt = 0, that is γt+ = -ε γt-: at rest only for ε = 0. The law is Newton's and so is its bias: |Λt| = mu Λn is
// too large where a slip reverses or a stick begins to slip within the impact (Glocker, section 4.5).
//
// Forces (F, effort limits, max_normal) are finite and do nothing in an instant: ignored, like gamma. The velocity
// tangent to the configuration space serves as u; J is the contact Jacobian. SI units: m/s, N s, J.

/// What hits and how it bounces, per contact of the problem. Table 1 of the paper: ranges outside are bad input.
struct ImpactLaw {
  double normal = 0.0;  ///< ε of the normal: [0, 1] closing, (-1, 0] one-way, (-1, 1] bilateral (no effect at γ- = 0)
  double tangential = 0.0;  ///< ε of friction, (-1, 1]
  double spin = 0.0;        ///< ε of the torsion row, (-1, 1]
  /// A sprag or ratchet instead of a gap: the normal row is a velocity that can only be >= 0, also before the impact.
  bool one_way = false;
  /// Orthotropic friction: coefficient along t2, Contact::mu then is the one along t1; both zero or both positive.
  std::optional<double> mu_second;
};

struct Impact {
  Eigen::VectorXd velocity;     ///< u-, nv
  std::vector<ImpactLaw> laws;  ///< one per contact, or empty: everything plastic
};

/// @throws InputError naming the entry ("laws[1].normal"): sizes, finiteness, Table 1; and what problem.validate
/// throws.
void validate(const ContactProblem& problem, const Impact& impact);

enum class ImpactState {
  kOpens,     ///< no impulse, leaves faster than its law asks for (ξn > 0)
  kUnloaded,  ///< no impulse, ξn = 0
  kSticks,    ///< impulse, ξt = 0, or nothing can move along the surface
  kSlips      ///< impulse on the rim, ξt != 0; or there is no friction, so that nothing keeps it from slipping
};

/// One contact through the impact, in its own axes: normal, t1, t2, torsion (absent components 0).
struct ContactImpact {
  ImpactState state = ImpactState::kUnloaded;
  Eigen::Vector4d impulse = Eigen::Vector4d::Zero();          ///< on body A, N s (torsion N m s)
  Eigen::Vector4d velocity_before = Eigen::Vector4d::Zero();  ///< γ-, m/s (rad/s)
  Eigen::Vector4d velocity_after = Eigen::Vector4d::Zero();   ///< γ+
  double work_normal = 0.0;                                   ///< ½ Λn (γn+ + γn-), J                      (59)
  double work_tangential = 0.0;                               ///< the same of friction, torsion included
  double utilisation = 0.0;                                   ///< |Λt| / (mu |Λn|), torsion by the larger of the two

  double work() const { return work_normal + work_tangential; }  ///< > 0: this contact injects energy
};

/// A condition of Table 1 on velocities that the impact as given, or a solution, does not meet.
struct KinematicFlaw {
  int contact = -1;  ///< or -1 and
  int closure = -1;
  bool after = false;  ///< γ+ of a solution instead of γ-
  double velocity =
      0.0;  ///< the offending one: a closing contact that separates already, a bilateral row that moves, …
};

/// A velocity after the impact that satisfies every law.
struct ImpactSolution {
  Eigen::VectorXd velocity;  ///< u+, nv
  Eigen::VectorXd impulse;   ///< Λ, rows of J
  std::vector<ContactImpact> contacts;
  std::vector<double> closure_work;  ///< J; 0 for closures that were kept before the impact
  double energy_before = 0.0;        ///< T- = ½ u-'M u-, J
  double energy_change = 0.0;        ///< W = T+ - T-, the sum of all work
  /// (98): when closing contacts close and bilateral rows are kept before the impact (nothing otherwise), W <= Σ over
  /// friction and one-way rows of ½(1-ε)Λ'γ-, J. An increase needs friction along the slip before the impact.
  std::optional<double> energy_bound;
  std::vector<KinematicFlaw> flaws;              ///< of u+
  Verdict impulse_unique = Verdict::kUndecided;  ///< no other Λ gives this u+
  double residual = 0.0;  ///< largest violation of a law, as a share of what the proof allows (<= 1)
};

/// How contacts behave in one part of the solution set; default: anything.
struct ContactImpactMode {
  enum class Normal { kAny, kOpen, kPushes, kPulls } normal = Normal::kAny;  ///< kPulls: bilateral contacts only
  enum class Tangential { kAny, kStick, kSlip } tangential = Tangential::kAny;
  /// kSlip: angle of (ξ1, ξ2 mu_second/mu), rad, to - from <= π/2; with one tangent from = to = 0 (ξ > 0) or π (ξ < 0).
  double from = 0.0, to = 0.0;
  enum class Spin { kAny, kStick, kPositive, kNegative } spin = Spin::kAny;  ///< sign of ξ of the torsion row
};

/// Of friction that slips, or torsion that spins, in a leaf: its normal impulse and its speed exceed these in every
/// solution that gains energy. Witnesses separate the program with the gain row from smaller ones; zero needs none.
struct SlipFloor {
  double impulse = 0.0, speed = 0.0;
  Eigen::VectorXd impulse_witness, speed_witness;
};

/// What is known about the solutions with these modes, with proof.
struct ImpactLeaf {
  std::vector<ContactImpactMode> modes;  ///< one per contact
  enum class Kind {
    kUnresolved,  ///< nothing
    kEmpty,       ///< none: `witness` separates (Farkas)
    kSolved,      ///< all have the velocity of `solution`: rows of `left_inverse` recover u+ - u- from the equations
    kLoses        ///< any has W < 0: `witness` separates them from the row that W > 0 implies (ImpactProgram)
  } kind = Kind::kUnresolved;
  int solution = -1;
  Eigen::VectorXd witness;
  Eigen::MatrixXd left_inverse;
  std::vector<SlipFloor> floors;  ///< kLoses: none, or one per ImpactProgram::losses
};

/// T+ - T- and who did it, from u-, u+ and Λ alone; fills works, energies, their bound, velocities, flaws and states of
/// `solution`.
void account(const ContactProblem& problem, const Impact& impact, ImpactSolution& solution);

/// True when (u+, Λ) satisfies momentum balance, restitution, cones and slip directions: there are ξ̂ and impulses
/// within 2⁻⁵⁰ of Λ that satisfy the laws exactly, ξ̂ within kSolve of the speeds of the rows, momentum within kSolve of
/// the momenta and 2⁻⁵² of |J|'|Λ|, and u+ - u- and Λ exceed what the data lead to expect by 2¹² at most. All sizes
/// come from the problem and u- alone (docs/proofs/impact.md).
/// @param[out] residual optional: the largest violation over its allowance.
bool proves_impact(const ContactProblem& problem, const Impact& impact, const Eigen::VectorXd& velocity,
                   const Eigen::VectorXd& impulse, double* residual = nullptr, std::string* why = nullptr);

/// Friction that slips, or torsion that spins: Λ'ξ = -rate |Λn| |ξ|, and in a leaf |Λn| = pressing'x, |ξ| >= speed'x.
struct SlipLoss {
  double rate = 0.0;
  Eigen::VectorXd pressing, speed;  ///< per column
};

/// The relaxed laws of a leaf as a program, x = (u+ - u-, impulses along generators, ξ components >= 0); `impulses`
/// (rows of J x columns) gives Λ = impulses x. For kGains the last row says that W > 0 by (97), with (18) or, above
/// floors N and S of losses, with |Λn||ξ| >= N |ξ| + S |Λn| - N S:   Σ ½(1-ε)Λ'γ- - ½ Σ rate (N speed'x + S pressing'x
/// - N S) >= 0.
///
/// A solution in the sense of proves_impact in these modes is such an x up to `tolerance` per row and `blur` per entry
/// of E, and has |x_k| <= bound_k (of a cone: its normal impulse): sizes computed from the problem alone.
struct ImpactProgram {
  ConeProgram program;
  Eigen::MatrixXd impulses;
  Eigen::VectorXd tolerance, bound;
  Eigen::MatrixXd blur;
  std::vector<SlipLoss> losses;
};
enum class LeafQuestion { kLaws, kGains };
/// @param floors none, or one per loss
void write_impact_program(const ContactProblem& problem, const Impact& impact,
                          const std::vector<ContactImpactMode>& modes, LeafQuestion question, ImpactProgram& out,
                          const std::vector<SlipFloor>& floors = {});

/// What solutions and leaves prove. What is about all solutions takes leaves that cover every mode, or proves_no_gain.
struct ImpactProof {
  bool covers = false;  ///< the leaves leave no mode out and none is kUnresolved
  Verdict exists = Verdict::kUndecided, unique = Verdict::kUndecided, dissipates = Verdict::kUndecided;
  bool complete = false;
  std::string why_dissipates;  ///< the argument, in words
};
ImpactProof judge_impact(const ContactProblem& problem, const Impact& impact,
                         const std::vector<ImpactSolution>& solutions, const std::vector<ImpactLeaf>& leaves,
                         std::string* why = nullptr);

/// True when no impact with these coefficients gains energy, whatever mu, mode and u-, as long as u- keeps bilateral
/// rows: all ε are equal (93)–(95), or M > 0 and δG + Gδ >= 0 (78), bilateral rows eliminated from G.
bool proves_safe(const ContactProblem& problem, const std::vector<ImpactLaw>& laws);

/// True when no solution for this u- gains energy: contacts close and nothing slips before (98), or proves_safe.
/// @param[out] argument optional: which of them, in words.
bool proves_no_gain(const ContactProblem& problem, const Impact& impact, std::string* argument = nullptr);

/// True when A + allowance·max|A|·I has a Cholesky factor: A is positive semidefinite to that allowance.
bool proves_semidefinite(const Eigen::MatrixXd& A, double allowance = 1e-12);

}  // namespace stiction

// Proved of an ImpactResult: solutions with their energies, exists, unique, complete, dissipates and why. Not proved:
// impulse_unique of a solution, conditions, and what is searched with other data: safe restitution, least friction.
