#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/contact_problem.hpp"
#include "stiction/engine.hpp"
#include "stiction/margin.hpp"
#include "stiction/proof.hpp"
#include "stiction/sticking.hpp"

namespace stiction {

/// What is asked beyond the verdict; each costs extra decisions.
struct EquilibriumOptions {
  ConeShape shape;
  bool largest_slack = true;  ///< return the forces deepest inside cones and effort limits, not any admissible ones
  bool structure = true;      ///< fill indeterminacy and ContactReport::unique (a rank decomposition)
  /// Fill `explanation` and `failure`; words need memory, and those about a failing case other decisions (what would
  /// help?): a control loop may do without.
  bool explain = true;
  std::vector<int>
      idle_motors;          ///< degrees of freedom whose motors are given no effort, for the words: would they help?
  int branch_limit = 4096;  ///< nodes of the sign tree over bilateral contacts before "undecided"
  double tolerance = 0.0;   ///< relative, of the data, at most kLargestTolerance: see EquilibriumResult::change

  bool friction_scale = false;  ///< smallest factor on every mu and torsion with which it holds; forces: that factor
  bool effort = false;          ///< smallest factor on all effort limits with which it holds: min of max |tau|/limit
  bool generators = false;      ///< shape inner(k), unilateral contacts: see EquilibriumResult::generators
  Eigen::VectorXd push;         ///< nv: generalised force of a unit push (J_point' direction); empty: not asked
  Eigen::MatrixXd ball;  ///< nv x k, k = 1, 2 or 3: generalised forces of orthogonal unit pushes; empty: not asked
  double relative_gap = 1e-7;  ///< at which friction_scale, effort, push and generators stop
  double ball_gap = 1e-2;      ///< relative, at which the ball stops
};

struct EquilibriumResult {
  Verdict verdict = Verdict::kUndecided;
  std::string reason;  ///< why undecided, empty otherwise
  /// kForces (a, lambda, efforts) or kMotion (a, leaves); judge_equilibrium accepts it for every verdict but undecided.
  /// Of a failing case lambda and efforts are zero or, with least_friction_shown or least_effort_shown, those below.
  Certificate certificate;
  /// rows; admissible when the verdict is holds, else the forces that come nearest or, where more friction or larger
  /// efforts alone would do and friction_scale or effort was asked for, those that need the least of it
  Eigen::VectorXd lambda;
  /// One per actuator, N m or N: what lambda asks of it, M a + F - J'lambda on its degree of freedom, beyond the given
  /// efforts inside F. Within the limits when the verdict is holds.
  Eigen::VectorXd efforts;
  std::vector<ContactReport> contacts;  ///< state is sticking, rim or unloaded; normal intervals are not computed
  /// Dimension of the internal forces that change no unactuated row; -1 of sparse problems: not computed.
  int indeterminacy = 0;
  /// Largest s such that every contact keeps |λt| <= mu λn - s s_i, λn >= s s_i and every effort stays s (upper -
  /// lower)/2 away from its limits; s_i = (load that the contacts carry, the weight for a body on its feet) / (number
  /// of contacts), so s is a share. 0 unless asked for; stops growing where internal forces could grow without end. Of
  /// sparse problems: that of the forces returned, which are well inside, not the largest.
  double slack = 0.0;
  /// Every cone and limit strictly inside: small changes of the data change no verdict. Never with a contact without
  /// friction that has tangential rows, whose cone has no inside.
  bool strict = false;

  bool least_friction_shown = false;  ///< `lambda` is, of all forces that balance the load, what needs least friction
  /// Of a failing case: `lambda` balances the load inside its cones, were every effort limit effort.upper times as
  /// large.
  bool least_effort_shown = false;
  Margin friction_scale;  ///< kNone: no friction helps
  Margin effort;          ///< kNone: not even unlimited efforts help. Limits that exclude 0 are kept as they are.
  Margin push;            ///< N: largest t such that every push in [0, t] is held; kNone when it fails without a push
  Margin ball;            ///< N: radius of the largest ball of pushes around none, all held; kNone as for push
  /// Largest r (N) such that forces exist with every coefficient of contact i's k unit-norm generators at least
  /// r (1 + mu_i²) / (k mu_i): the sum of so many generators is r away from the boundary of the friction cone. With one
  /// mu this is the "robustness" of hpp-centroidal-dynamics; negative when it fails. kNone: not even pulling generators
  /// balance.
  Margin generators;

  /// With EquilibriumOptions::tolerance: how much the data must change for the forces to be exact, 0: not at all.
  /// Otherwise "holds" is about some problem within the tolerance, "fails" about all of them; margins are about the
  /// data as they are, and not known where these have another verdict.
  double change = 0.0;

  std::string explanation;  ///< one sentence in words: what holds, or what gives way and why
  Failure failure;          ///< of a failing case, when words were asked for: what would help, and the motion told
  int iterations = 0;
  std::string second_engine;  ///< that decided what the given one left open; empty: none did
};

/// Decides (EQ): are there contact forces in their cones and efforts within their limits with
///
///   M a + F = J'λ + S'τ,   λ_i in K_i,   lower <= τ <= upper                                     (EQ)
///
/// for a prescribed acceleration a? Every contact and closure is taken to stick. A degree of freedom without actuator
/// is unactuated (τ = 0 there), an actuator without finite limit drops its row, several actuators on one add up. One
/// checker per thread.
///
/// Sparse problems (ContactProblem::is_sparse), with any contacts but bilateral ones with friction or a limit, are
/// decided by the sparse engine, whatever the checker's own is. Margins are then undecided, with the reason, and an
/// undecided verdict is asked again densely where M and J have at most 2^22 entries.
class EquilibriumChecker {
 public:
  explicit EquilibriumChecker(std::unique_ptr<Engine> engine = make_native_engine());
  ~EquilibriumChecker();
  EquilibriumChecker(EquilibriumChecker&&) noexcept;
  EquilibriumChecker& operator=(EquilibriumChecker&&) noexcept;

  /// @param a prescribed acceleration, nv; empty: zero.
  /// @throws InputError: sizes; "contacts[i]" or "closures[i]" when J a + gamma is not zero there (beyond kConsistent
  /// of its scale): such data contradict "this contact sticks and the motion is a", which is not a failure to hold. The
  /// overload that returns the result also validates the problem.
  void check(const ContactProblem& problem, const Eigen::VectorXd& a, const EquilibriumOptions& options,
             EquilibriumResult& result);
  EquilibriumResult check(const ContactProblem& problem, const Eigen::VectorXd& a = {},
                          const EquilibriumOptions& options = {});

  struct Workspace;

 private:
  std::unique_ptr<Workspace> workspace_;
};

/// (EQ) for a control loop: the same contacts, limits and sizes, new numbers every step. The last proof is tried first
/// (the last forces, corrected to the new load; the last failing motion), and only when the judge refuses it a new
/// decision is made, with the effort limits that mattered before. A verdict is always judged against the numbers of the
/// step, so the past never decides it. Allocates nothing after the first steps. One per thread.
class EquilibriumMonitor {
 public:
  explicit EquilibriumMonitor(ConeShape shape = {}, std::unique_ptr<Engine> engine = make_native_engine());
  ~EquilibriumMonitor();
  EquilibriumMonitor(EquilibriumMonitor&&) noexcept;
  EquilibriumMonitor& operator=(EquilibriumMonitor&&) noexcept;

  /// Verdict, lambda, efforts and certificate of one step; a empty: zero. Inputs as for EquilibriumChecker::check, but
  /// only sizes and J a + gamma are checked. A problem of other sizes, or after reset(), starts afresh.
  Verdict step(const ContactProblem& problem, const Eigen::VectorXd& a);
  void reset();

  const Certificate& certificate() const;  ///< proof of the last verdict
  const Eigen::VectorXd& lambda() const;   ///< admissible when the last verdict was holds
  const Eigen::VectorXd& efforts() const;  ///< one per actuator
  const std::string& reason() const;       ///< why undecided
  bool reused() const;                     ///< the last verdict came from the proof of the step before

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
