#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiction/contact_problem.hpp"
#include "stiction/engine.hpp"
#include "stiction/proof.hpp"
#include "stiction/propositions.hpp"
#include "stiction/sticking.hpp"

namespace stiction {

/// Which contacts slide, and which way: one entry per contact, in the order of ContactProblem::contacts. The direction is
/// that of the velocity of `link` relative to `on`, a unit vector in the contact's axes (t1, t2); in the plane its second
/// component is 0. Empty: the contact sticks (one without tangential rows has nothing to stick with and may do either).
using SlipDirections = std::vector<std::optional<Eigen::Vector2d>>;

/// The laws of a system some contacts of which slide, at one instant (tutorial (1); all-sticking paper (71)–(77)):
///
///   M a + F = J'λ,   u = J a + gamma,   closures and normals of bilateral contacts: u = 0,
///   unilateral normals: 0 <= λn ⟂ un >= 0,
///   a contact that slides along d:  λt = -mu |λn| d                        (1b), ut free
///   a contact that sticks:  ut = 0 and |λt| <= mu |λn|, torsion alike, as in (65).
///
/// With friction on |λn| these are not monotone: there may be no solution (the rod of Painlevé jams: only an impact goes
/// on), one, or several. A mode gives each contact a sign: +1 closed or pushing, -1 open (unilateral) or pulling
/// (bilateral); 0 leaves it open, where the laws are relaxed to what is convex:
///
///   unilateral 0: λn >= 0, un >= 0 without complementarity;   bilateral 0: λn = p - q, λt = -mu (p + q) d, p, q >= 0
///   (one that sticks: the same with a cone each for p and q).
///
/// Contacts without a choice (a bilateral one that needs no friction) have sign 0 in every mode.
struct SlidingCertificate {
  /// Modes without a solution: `signs` per contact and the vector of proves_infeasible for sliding_program(signs).
  std::vector<MotionLeaf> leaves;
};

/// The convex program of a mode. Rows: the nv equations of motion, then the rows of J whose acceleration is prescribed;
/// columns: a, then forces and separations. See src/proof.
ConeProgram sliding_program(const ContactProblem& problem, const SlipDirections& slips, const std::vector<int>& signs);

/// True when (a, lambda) obeys the laws above: balance of forces, rows, complementarity, direction and size of friction,
/// each to the tolerances of proof.hpp. No solver. `why` (optional) receives the first law broken.
bool proves_sliding_solution(const ContactProblem& problem, const SlipDirections& slips, const Eigen::VectorXd& a,
                             const Eigen::VectorXd& lambda, std::string* why = nullptr);

/// How many solutions a given state has. Solutions count as different when their accelerations are.
enum class SolutionCount {
  kUndecided,    ///< nothing found, nothing excluded: see SlidingResult::reason
  kNone,         ///< every mode is proved to have none
  kUnique,       ///< one acceleration, and every other mode is proved to have none
  kSeveral,      ///< at least two, all listed when SlidingResult::complete
  kAtLeastOne    ///< one was found; whether there are others was not settled
};

/// One solution of the laws.
struct SlidingSolution {
  std::vector<int> signs;                ///< its mode, +1 or -1 per contact (0: no choice)
  Eigen::VectorXd acceleration;          ///< nv
  Eigen::VectorXd lambda;                ///< rows
  std::vector<ContactReport> contacts;   ///< state kSliding, kSticking, kRim, kDetaching or kUnloaded; forces in contact axes
  bool acceleration_unique = false;      ///< no other acceleration in this mode; false: a continuum, this is one of it
  bool forces_unique = false;            ///< no other forces in this mode
  bool within_limits = true;             ///< |λn| <= max_normal everywhere (a limit of a contact, not a law of motion)
};

/// A named sufficient condition of the papers, cheap and usually far from sharp.
struct FrictionScreen {
  std::string name;        ///< e.g. "Proposition 12"
  Hypotheses hypotheses;   ///< what it assumes and the case at hand violates
  double bound = 0.0;      ///< the condition is value < bound; +inf when friction does not couple into the normals
  double value = 0.0;      ///< largest mu of the sliding contacts, or what `name` says
  std::string guarantees;  ///< what value < bound implies, for every load

  bool satisfied() const { return hypotheses.hold() && value < bound; }
};

/// Whether the sliding problem has exactly one solution for every load F (and drift): a property of M, J, mu and the slip
/// directions. Contacts that stick are taken as held, pushing or not (the feet on the ground while one slips).
///
/// With N the normals of the contacts that slide and T their slip directions, both within the motions that closures,
/// frictionless bilateral contacts and held ones leave: X(σ) = N'M⁻¹(N - T[mu σ]), σ = 1 for unilateral contacts. One solution for
/// every load iff det X(σ)_{b ∪ α} > 0 for every sign σ of the bilateral contacts b and every subset α of the unilateral.
struct WellPosedness {
  Hypotheses hypotheses;   ///< M > 0; normals independent of each other and of what is held; few enough contacts
  int contacts = 0;        ///< normals of contacts that slide
  int rank = 0;            ///< of these normals; below `contacts` redundant forces are never unique
  Eigen::MatrixXd dependencies;   ///< contacts x (contacts - rank): normal forces that cancel

  Verdict unique_for_all_loads = Verdict::kUndecided;   ///< holds: margin > 0; undecided when it is rounding
  double margin = 0.0;            ///< smallest determinant over the product of the diagonal of N'M⁻¹N, signed
  bool positive_definite = false; ///< X + X' > 0 (unilateral only)
  bool copositive = false;        ///< Corollary 2: friction couples in no positive entry (unilateral only); with
                                  ///< independent normals a solution exists for every load and every mu
  double critical_scale = 0.0;    ///< one solution for every load at every factor on mu below this one, not at it; +inf: at all
  double critical_mu = 0.0;       ///< the same as one mu at all of these contacts
  std::optional<double> critical_scale_any_sense;   ///< whichever way along its line each contact slides; up to 8 contacts
  double direction_free_mu = 0.0; ///< sufficient: below this mu for slip directions of every kind (both tangents)
  std::optional<double> lipschitz;   ///< of normal forces with respect to drift, N/(m/s²): unilateral only, when unique
  std::vector<FrictionScreen> screens;
};

struct SlidingOptions {
  int node_limit = 8192;         ///< modes and partial modes looked at before "at least one" or "undecided"
  bool well_posedness = true;
  double same = 1e-7;            ///< accelerations that differ by less than this share of their scale are the same
};

struct SlidingResult {
  /// kHolds: at least one solution; kFails: none (jammed); kUndecided.
  Verdict verdict = Verdict::kUndecided;
  SolutionCount count = SolutionCount::kUndecided;
  bool complete = false;         ///< every mode was settled: `solutions` are all there are (a continuum by one of it)
  std::string reason;            ///< why undecided, or why not complete
  std::vector<SlidingSolution> solutions;
  SlidingCertificate certificate;
  WellPosedness well_posedness;
  std::string explanation;       ///< one sentence in words
  int nodes = 0;                 ///< modes and partial modes looked at
};

/// Judges a list of solutions and a certificate from the problem's own numbers, without an engine: the count they prove
/// (solutions that break a law, or modes not covered, prove less).
SolutionCount judge_sliding(const ContactProblem& problem, const SlipDirections& slips, const SlidingResult& result,
                            std::string* why = nullptr);

/// Finds the solutions of a given state and judges how the problem is posed. One per thread.
class SlidingChecker {
 public:
  explicit SlidingChecker(std::unique_ptr<Engine> engine = make_native_engine());
  ~SlidingChecker();
  SlidingChecker(SlidingChecker&&) noexcept;
  SlidingChecker& operator=(SlidingChecker&&) noexcept;

  /// @throws InputError from problem.validate(); for slips of the wrong size, a direction that is not a unit vector within
  /// 1e-6 or leaves the plane, and a sliding contact with torsion (its spin is not given): "slides[2]".
  SlidingResult check(const ContactProblem& problem, const SlipDirections& slips, const SlidingOptions& options = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

/// The well-posedness part alone. @throws InputError as SlidingChecker::check.
WellPosedness friction_well_posedness(const ContactProblem& problem, const SlipDirections& slips);

}  // namespace stiction
