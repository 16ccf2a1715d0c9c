#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "stiction/contact_problem.hpp"
#include "stiction/prediction.hpp"
#include "stiction/sticking.hpp"

namespace stiction {

/// A proposition of the paper at the case at hand.
struct PropositionAtWork {
  std::string name;                 ///< "P6", "C2": the paper's numbering
  std::string about;                ///< what it decides
  std::vector<std::string> failed;  ///< hypotheses that do not hold, in words; none: it applies
  std::string says;                 ///< what it says here; empty where it does not apply
};

/// What the steps of the algorithm in section 4.2 of the paper find, in its order. For people: verdict and proof are
/// those of the StickingResult that it was made from, and nothing else here is judged. Ranges are kUndecided where they
/// could not be told.
struct StickingSteps {
  std::vector<std::string> row_names;  ///< one per row of J, of all vectors of forces below

  // 1: data
  int dofs = 0, contacts = 0, closures = 0, rows = 0;
  int rank_mass = 0, rank_rows = 0;
  /// Singular value of the rows (of unit length, masses of unit size) within a thousandth or a thousandfold of
  /// kRankTolerance: whether these rows depend on each other is a matter of the last digits. None: no doubt.
  std::optional<double> doubtful_rank;

  // 2: a solution of the MLCP (65a) without friction disks
  bool solvable = false;  ///< the rest is empty otherwise
  Eigen::VectorXd acceleration;
  bool acceleration_unique = false;
  Eigen::VectorXd normal_acceleration;  ///< per contact, m/s²; positive: it leaves

  // 3: all multipliers of it: λ0 + internal forces, normals of unilateral contacts >= 0
  Eigen::MatrixXd internal_forces;  ///< rows x degree: a basis, largest entry of each 1
  std::vector<Margin> multipliers;  ///< per row; over all of them
  // 4: friction disks
  std::vector<Margin> disk_radius;  ///< per contact: mu |λn|, N
  // 5: those of 3 in the disks of 4
  Verdict verdict = Verdict::kUndecided;
  std::vector<Margin> admissible;  ///< per row; empty unless it holds
  // 6: what to change when there are none
  std::vector<Repair> repairs;
  /// 7: contacts that go on sticking for continuous data (P4 i); at the rim (P4 ii); outside of their disks
  std::vector<int> strict, rim, violated;
  bool persists = false;
  std::optional<Prediction>
      prediction;  ///< (69), when a contact is at the rim or none of the multipliers is admissible
  std::vector<PropositionAtWork> propositions;
};

/// @param result of StickingChecker::check with these rules.
StickingSteps sticking_steps(const ContactProblem& problem, const StickingRules& rules, const StickingResult& result,
                             Engine& engine);

}  // namespace stiction
