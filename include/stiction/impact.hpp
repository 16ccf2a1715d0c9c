#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiction/engine.hpp"
#include "stiction/margin.hpp"
#include "stiction/paper/impact_energy.hpp"
#include "stiction/proof/impact.hpp"

namespace stiction {

struct ImpactOptions {
  int leaf_limit = 4096;  ///< parts of the solution set looked at before giving up: for other velocities, and for gains
  bool conditions = true;  ///< fill ImpactResult::conditions
};

/// Neither existence nor uniqueness is assumed: the solutions are enumerated by modes, and slip directions in space by
/// ever smaller sectors, until every part is proved empty or holds a solution that is proved to be its only velocity;
/// where slip in space makes that impossible, until every part is proved to gain no energy, or a solution that does is
/// found.
struct ImpactResult {
  std::vector<ImpactSolution> solutions;  ///< different u+, each checked by the proof room; least energy first
  Verdict exists = Verdict::kUndecided;   ///< kFails: proved that the laws contradict each other
  Verdict unique = Verdict::kUndecided;   ///< of u+: kFails when two were found; kHolds needs `complete`
  bool complete = false;                  ///< proved: no other u+ exists
  /// No solution creates energy (W <= 0). kFails: one does, see energy_change and work() of its contacts. Vacuous when
  /// none exists: then kUndecided.
  Verdict dissipates = Verdict::kUndecided;
  std::string why_dissipates;        ///< the argument used, in words; empty when undecided
  std::vector<KinematicFlaw> flaws;  ///< of u-
  EnergyConditions conditions;
  std::vector<ImpactLeaf> leaves;  ///< the proof of the above
  std::string reason;              ///< why something is undecided
};

/// One per thread. Answers the impact question; allocates for its tree of modes.
class ImpactChecker {
 public:
  explicit ImpactChecker(std::unique_ptr<Engine> engine = make_native_engine());
  ~ImpactChecker();
  ImpactChecker(ImpactChecker&&) noexcept;
  ImpactChecker& operator=(ImpactChecker&&) noexcept;

  /// @throws InputError. The overload that returns the result calls validate(problem, impact), the other one takes both
  /// as valid.
  void check(const ContactProblem& problem, const Impact& impact, const ImpactOptions& options, ImpactResult& result);
  ImpactResult check(const ContactProblem& problem, const Impact& impact, const ImpactOptions& options = {});

  /// Range of the normal impulse of every contact over all impulses that give the velocity of a solution, with the
  /// directions in which it slips. kUndecided: not found, or a bilateral contact with friction may push as well as
  /// pull. Empty for problems of too many rows.
  std::vector<Margin> impulse_intervals(const ContactProblem& problem, const Impact& impact,
                                        const ImpactSolution& solution);

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace stiction
