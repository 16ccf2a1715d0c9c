#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "stiction/cone_program.hpp"
#include "stiction/contact_problem.hpp"
#include "stiction/proof.hpp"

namespace stiction {

/// Which contacts slide, and which way: one entry per contact, in the order of ContactProblem::contacts. The direction
/// is that of the velocity of `link` relative to `on`, a unit vector in the contact's axes (t1, t2); in the plane its
/// second component is 0. Empty: the contact sticks (without tangential rows there is nothing to stick with).
using SlipDirections = std::vector<std::optional<Eigen::Vector2d>>;

/// A solution of the laws of a system some contacts of which slide, at one instant (tutorial (1); all-sticking paper
/// (71)–(77)):
///
///   M a + F = J'λ,   u = J a + gamma,   closures and normals of bilateral contacts: u = 0,
///   unilateral normals: 0 <= λn ⟂ un >= 0,
///   a contact that slides along d:  λt = -mu |λn| d, ut free                                          (1b)
///   a contact that sticks:  ut = 0 and |λt| <= mu |λn|, torsion alike, as in (65).
///
/// With friction on |λn| these are not monotone: there may be no solution (the rod of Painlevé jams), one, or several.
/// A mode gives each contact a sign: +1 closed or pushing, -1 open (unilateral) or pulling (bilateral). Contacts
/// without a choice (bilateral ones without friction) have sign 0.
struct SlidingWitness {
  std::vector<int> signs;  ///< per contact
  Eigen::VectorXd a;       ///< nv
  Eigen::VectorXd lambda;  ///< rows
};

struct SlidingCertificate {
  std::vector<SlidingWitness> witnesses;  ///< modes with a solution, one each
  /// Modes without: `signs` per contact (0: whichever), `motion` separates their program from all that solutions within
  /// bounds could supply (docs/proofs/sliding.md).
  std::vector<MotionLeaf> leaves;
};

/// The convex program of a mode. Rows: the nv equations of motion, then the rows of J whose acceleration is prescribed,
/// in contact order, then closures. Columns: a, then forces and separations un. A sign 0 relaxes the laws of the
/// contact to what is convex:
///
///   unilateral: λn >= 0 and un >= 0 without complementarity,
///   bilateral:  λn = p - q, λt = -mu (p + q) d, p, q >= 0  (one that sticks: a cone each for p and q).
ConeProgram sliding_program(const ContactProblem& problem, const SlipDirections& slips, const std::vector<int>& signs);

/// True when (a, lambda) obeys the laws above: balance of forces, rows, complementarity, direction and size of
/// friction, to tolerances and within bounds that the data alone give (docs/proofs/sliding.md). No solver. `why`
/// (optional) receives the first law broken.
bool proves_sliding_solution(const ContactProblem& problem, const SlipDirections& slips, const Eigen::VectorXd& a,
                             const Eigen::VectorXd& lambda, std::string* why = nullptr);

/// How many solutions a given state has. Solutions count as different when their accelerations are (by more than 1e-7
/// of what the loads would give each degree of freedom, or of how fast it is), or when a contact pushes in one and
/// pulls in the other and what is half-way between them is no solution. Redundant contacts, which share a load in a
/// continuum of ways, so make one solution. No two certificates of one state prove counts that contradict each other.
enum class SolutionCount {
  kUndecided,  ///< nothing found, nothing excluded
  kNone,       ///< every mode is proved to have none
  kUnique,     ///< one, and every other mode is proved to have none
  kSeveral,    ///< at least two
  kAtLeastOne  ///< one was found; whether there are others was not settled
};

/// The count that a certificate proves, from the problem's own numbers and without an engine, and whether the witnesses
/// have every acceleration there is.
struct SlidingJudgement {
  SolutionCount count = SolutionCount::kUndecided;
  bool complete = false;
  std::string why;  ///< the first witness or leaf that proves nothing, or what is left open
};
SlidingJudgement judge_sliding(const ContactProblem& problem, const SlipDirections& slips,
                               const SlidingCertificate& certificate);

}  // namespace stiction

// Proved of a SlidingResult: verdict, count, complete and solutions. Computed anew from the data by who reads a report:
// well_posedness. Its explanation follows from these.
