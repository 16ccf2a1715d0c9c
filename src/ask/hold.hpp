#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ask/friction_bracket.hpp"
#include "ask/multiplier_set.hpp"

namespace stiction::internal {

/// Do forces hold the loads? Everything that a decision depends on. Deciding changes nothing but which program the set
/// is about.
struct HoldProblem {
  MultiplierSet& set;  ///< the contacts and their cones
  const Loads& loads;
  const std::vector<int>* signs = nullptr;  ///< allowed, per contact; 0 (or none given): either
  Friction friction = {};
  int branch_limit = 4096;
};

/// Kept from call to call for its memory.
struct HoldAnswer {
  Verdict verdict = Verdict::kUndecided;
  Eigen::VectorXd forces;          ///< columns of the set: admissible when it holds, else the last that came nearest
  std::vector<int> signs;          ///< of the forces when it holds
  std::vector<MotionLeaf> leaves;  ///< when it fails: one motion for all signs below each pattern
  std::string reason;              ///< when undecided
};

/// An engine, and memory that the first call of a size sizes. One per thread.
struct HoldWorkspace {
  std::unique_ptr<Engine> engine;
  ConeAnswer answer;                     ///< to the last program
  std::vector<MotionLeaf> spare_leaves;  ///< used ones, kept for their memory
  int iterations = 0;                    ///< of all decisions since it was set to 0

  void recycle(std::vector<MotionLeaf>& used);
};

/// Decides, with a proof of the program. Searches the signs of bilateral contacts that have none, depth first: a node
/// leaves them unrestricted, a relaxation; if that is infeasible the whole branch is, by one certificate; if its
/// solution happens to respect the double cones, done.
Verdict decide(const HoldProblem& problem, HoldWorkspace& workspace, HoldAnswer& found);

/// The same for one of several loads on the same set: the engine may continue from the one before.
Verdict decide_next(const HoldProblem& problem, HoldWorkspace& workspace, HoldAnswer& found);

/// What the engine claims where no signs have to be searched, for callers that prove what they make of it; undecided
/// elsewhere.
Verdict claim(const HoldProblem& problem, HoldWorkspace& workspace, HoldAnswer& found);

/// How much a leaf's motion is driven beyond what everything can supply; positive: it proves failure. Linear in the
/// loads.
double gain(const ContactProblem& problem, const MotionLeaf& leaf, const Loads& loads);

/// Smallest factor on every mu (contact < 0), or smallest mu of one contact alone, with which it holds. Of a friction
/// known to fail `last` has the leaves; leaves the last decision on the way there.
FrictionBracket least_friction(const HoldProblem& problem, int contact, const KnownFriction& known,
                               HoldWorkspace& workspace, HoldAnswer& last);

/// Visits the patterns of signs of the contacts that need one, depth first, relaxations on the way (0: either).
/// @param visit (pattern, complete) false: nothing below is visited
template <class Visit>
void visit_signs(const MultiplierSet& set, std::size_t contact, std::vector<int>& pattern, Visit&& visit)
{
  while (contact < pattern.size() && !set.needs_sign(contact)) ++contact;
  const bool complete = contact == pattern.size();
  if (!visit(pattern, complete) || complete) return;
  for (const int sign : {1, -1}) {
    pattern[contact] = sign;
    visit_signs(set, contact + 1, pattern, visit);
  }
  pattern[contact] = 0;
}

}  // namespace stiction::internal
