// What forces say about contacts, and about a case that holds: plain functions of the numbers in a certificate, so that
// a report and those who re-check it say the same.
#pragma once

#include <string>
#include <vector>

#include "proof/scales.hpp"
#include "stiction/sliding.hpp"
#include "stiction/sticking.hpp"

namespace stiction::internal {

/// Unilateral contacts that open with acceleration a, beyond kSolve of the rows' scales (Judge::row_scales).
void find_detaching(const ContactProblem& problem, Detachment detachment, const Eigen::VectorXd& a,
                    const Eigen::VectorXd& row_scales, std::vector<char>& detaching);

/// The largest force in each part of a system: what a contact's own is compared with before it counts as none. What
/// other parts carry does not matter. Keeps its memory from one call to the next.
class PartForces {
 public:
  void measure(const ContactProblem& problem, const Eigen::VectorXd& lambda);
  double around(Eigen::Index row) const { return largest_[scales_.row_part[static_cast<std::size_t>(row)]]; }

 private:
  Scales scales_;
  Eigen::VectorXd largest_;
};

/// Forces, utilisation and state of each contact; `reports` has one entry for each, of which nothing else changes.
void report_contacts(const ContactProblem& problem, const ConeShape& shape, const std::vector<char>& detaching,
                     const Eigen::VectorXd& lambda, Verdict verdict, PartForces& forces,
                     std::vector<ContactReport>& reports);

/// Share of the force scale below which a slack cannot be told from none.
inline constexpr double kNoSlack = 1e-12;

/// Empty, or why the forces lambda are too near to a rim to claim anything: where they touch it in every solution,
/// whether they are inside or outside is below rounding. A frictionless or unloaded contact is at the boundary of its
/// cone by its nature and raises no doubt.
std::string doubt_of_the_rim(const ContactProblem& problem, const ConeShape& shape, const Eigen::VectorXd& lambda);

/// The same contacts with `factor` times their friction, torsion included.
ContactProblem with_friction(const ContactProblem& problem, double factor);

/// The factor on all friction with which forces are within their cones: the largest share of it that a contact uses.
double friction_needed(const ContactProblem& problem, const ConeShape& shape, const Eigen::VectorXd& lambda);

/// Whether these forces and efforts would balance a load that fails with the friction at hand, had every contact
/// friction_needed() times as much: the judge of (EQ) says so.
bool balances_with_more_friction(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                                 const Eigen::VectorXd& lambda, const Eigen::VectorXd& efforts);

/// Whether they would, were every effort limit large enough for these efforts.
bool balances_with_larger_efforts(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                                  const Eigen::VectorXd& lambda, const Eigen::VectorXd& efforts);

/// The rules for words about a case of equilibrium: every contact takes part.
inline StickingRules rules_of_balance(const ConeShape& shape) { return {shape, Detachment::kForbidden}; }

/// One sentence about a case of all_sticking that holds with acceleration a.
std::string describe_sticking(const ContactProblem& problem, const std::vector<ContactReport>& contacts,
                              const Eigen::VectorXd& a);

/// "left and right leave", "nothing leaves"
std::string leaving_words(const ContactProblem& problem, const std::vector<int>& leaving);

/// One sentence about a case of equilibrium that holds.
std::string describe_balance(const ContactProblem& problem, const std::vector<ContactReport>& contacts,
                             const Eigen::VectorXd& efforts);

/// The different solutions among the witnesses of `result.certificate`, with all that is said about them.
void gather_solutions(const ContactProblem& problem, const SlipDirections& slips, SlidingResult& result);

/// One sentence about count and solutions of `result`.
std::string describe_sliding(const ContactProblem& problem, const SlipDirections& slips, const SlidingResult& result);

}  // namespace stiction::internal
