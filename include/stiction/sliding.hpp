#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stiction/contact_problem.hpp"
#include "stiction/engine.hpp"
#include "stiction/paper/propositions.hpp"
#include "stiction/proof/sliding.hpp"
#include "stiction/sticking.hpp"

namespace stiction {

/// One solution of the laws.
struct SlidingSolution {
  std::vector<int> signs;               ///< its mode (the first of several with the same acceleration)
  Eigen::VectorXd acceleration;         ///< nv
  Eigen::VectorXd lambda;               ///< rows
  std::vector<ContactReport> contacts;  ///< kSliding, kSticking, kRim, kDetaching or kUnloaded; no intervals
  bool acceleration_unique = false;     ///< no other acceleration in this mode; false: perhaps a continuum
  bool forces_unique = false;           ///< no other forces have this acceleration
  bool within_limits = true;            ///< |λn| <= max_normal everywhere (a limit of a contact, not a law of motion)
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

/// Whether the sliding problem has exactly one solution, or at least one, for every load F (and drift): properties of
/// M, J, mu and the slip directions. Contacts that stick are taken as held, pushing or not (the feet on the ground
/// while one slips).
///
/// With N the normals of the contacts that slide and T their slip directions, both within the motions that closures,
/// frictionless bilateral contacts and held ones leave: X(σ) = N'M⁻¹(N - T[mu σ]), σ = 1 for unilateral contacts. One
/// solution for every load iff det X(σ)_{b ∪ α} > 0 for every sign σ of the bilateral contacts b and every subset α of
/// the unilateral ones. (Our own criterion: the papers have sufficient conditions, and the P-property of one matrix.)
/// Where none of them vanishes, the signs of those of a load's solutions add up to the same number for every load, the
/// degree of the laws: unless it is 0, every load has a solution.
struct WellPosedness {
  Hypotheses hypotheses;         ///< M > 0; normals independent of each other and of what is held; few enough contacts
  int contacts = 0;              ///< normals of contacts that slide
  int rank = 0;                  ///< of these normals; below `contacts` redundant forces are never unique
  Eigen::MatrixXd dependencies;  ///< contacts x (contacts - rank): normal forces that cancel

  Verdict unique_for_all_loads = Verdict::kUndecided;  ///< holds: margin > 0; undecided when it is rounding
  double margin = 0.0;  ///< smallest determinant over the product of the diagonal of N'M⁻¹N, signed
  /// At least one solution for every load. kFails: `unsolvable_load` has none.
  Verdict exists_for_all_loads = Verdict::kUndecided;
  std::optional<Eigen::VectorXd> unsolvable_load;  ///< F, nv, with drift 0
  bool positive_definite = false;                  ///< X + X' > 0 (unilateral only)
  bool copositive = false;      ///< Corollary 2: friction couples in no positive entry (unilateral only); with
                                ///< independent normals a solution exists for every load and every mu
  double critical_scale = 0.0;  ///< one solution for every load at each factor on mu below this one; +inf: at all
  double critical_mu = 0.0;     ///< the same as one mu at all of these contacts that have friction
  /// Factors on mu around 1 with one solution for every load, if 1 is one of them: more friction may restore what less
  /// has lost, so that the first is 0 only where critical_scale > 1.
  std::optional<std::pair<double, double>> unique_scales;
  /// The same whichever way along its line each contact slides, up to 8 contacts: the largest box |mu_i ξ_i| <= s mu_i.
  std::optional<double> critical_scale_any_sense;
  double direction_free_mu = 0.0;   ///< sufficient: below this mu for slip directions of every kind (both tangents)
  std::optional<double> lipschitz;  ///< of normal forces with respect to drift, N/(m/s²); unilateral only, if unique
  std::vector<FrictionScreen> screens;
};

struct SlidingOptions {
  int node_limit = 8192;  ///< modes looked at before "at least one" or "undecided"; at 8192 fewer in large scenes
  bool well_posedness = true;
};

struct SlidingResult {
  /// kHolds: at least one solution; kFails: none (jammed); kUndecided.
  Verdict verdict = Verdict::kUndecided;
  SolutionCount count = SolutionCount::kUndecided;
  bool complete = false;  ///< every mode was settled: `solutions` are all there are
  std::string reason;     ///< why undecided, or why not complete
  std::vector<SlidingSolution> solutions;
  SlidingCertificate certificate;
  WellPosedness well_posedness;
  std::string explanation;    ///< one sentence in words
  int nodes = 0;              ///< modes and partial modes looked at
  std::string second_engine;  ///< that settled a mode which the given one left open; empty: none did
};

/// Finds the solutions of a given state and judges how the problem is posed. One per thread.
class SlidingChecker {
 public:
  explicit SlidingChecker(std::unique_ptr<Engine> engine = make_native_engine());
  ~SlidingChecker();
  SlidingChecker(SlidingChecker&&) noexcept;
  SlidingChecker& operator=(SlidingChecker&&) noexcept;

  /// @throws InputError for slips of the wrong size, a direction that is not a unit vector
  /// within 1e-6 or leaves the plane, and a sliding contact with torsion (its spin is not given): "slides[2]". The
  /// overload that returns the result also validates the problem.
  void check(const ContactProblem& problem, const SlipDirections& slips, const SlidingOptions& options,
             SlidingResult& result);
  SlidingResult check(const ContactProblem& problem, const SlipDirections& slips, const SlidingOptions& options = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

/// The well-posedness part alone. @throws InputError as SlidingChecker::check.
WellPosedness friction_well_posedness(const ContactProblem& problem, const SlipDirections& slips);

}  // namespace stiction
