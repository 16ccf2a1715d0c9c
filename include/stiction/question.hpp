// What can be asked of a scenario, and the plain data that answers it: what was asked, and the result of its checker
// with the certificate.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stiction/closure.hpp"
#include "stiction/closure_input.hpp"
#include "stiction/couplings.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/equilibrium_input.hpp"
#include "stiction/impact.hpp"
#include "stiction/impact_input.hpp"
#include "stiction/paper/steps.hpp"
#include "stiction/posture_repair.hpp"
#include "stiction/question_list.hpp"
#include "stiction/region.hpp"
#include "stiction/sliding.hpp"
#include "stiction/sticking.hpp"

namespace stiction {

struct AllStickingAnswer {
  StickingRules rules;
  std::vector<int> idle_motors;  ///< degrees of freedom of joints with motors that are given no effort
  StickingResult result;
  std::optional<StickingSteps> steps;           ///< when asked for
  std::optional<PostureRepair> posture_repair;  ///< of a failing case, when asked for
  std::vector<std::string> repair_notes;        ///< what was asked for and is not among the repairs, and why
};

struct EquilibriumAnswer {
  ConeShape shape;
  Eigen::VectorXd a;               ///< prescribed acceleration, nv
  bool moves = false;              ///< at prescribed velocities that are not zero
  std::optional<PushOption> push;  ///< that was asked for: result.push, or result.ball for horizontal and any
  double tolerance = 0.0;          ///< of the data
  std::vector<int> idle_motors;    ///< as in AllStickingAnswer
  EquilibriumResult result;
};

struct ClosureAnswer {
  std::string object;  ///< the model that is held
  GraspInput input;
  Grasp grasp;              ///< of `input`
  ObjectContacts touching;  ///< the contacts with the object
  ClosureResult result;
  ResistResult resists;             ///< whether input.wrench is resisted
  std::optional<ClosureRate> rate;  ///< with uncertain contacts, when asked for

  /// What the verdict is about: with a hand whether it can command every internal force, else what the contacts could
  /// do.
  const ClosureVerdict& decisive() const
  {
    return grasp.has_hand() ? result.force_closure : result.frictional_form_closure;
  }
};

struct RegionAnswer {
  std::string model;  ///< whose centre of mass moves
  RegionInput input;
  RegionRules rules;
  RegionResult result;
};

struct SlidingAnswer {
  SlipDirections slips;
  std::vector<bool> moves;      ///< per contact: bodies do move along the surface
  bool well_posedness = false;  ///< result.well_posedness was asked for
  SlidingResult result;
};

struct ImpactAnswer {
  ImpactInput input;
  ImpactResult result;
  ImpactProof proof;               ///< what result.solutions and `leaves` prove
  std::vector<ImpactLeaf> leaves;  ///< those of result.leaves that the verdicts need
  std::optional<SafeRestitution> safe;
  std::optional<StickingFriction> touchdown;  ///< with which everything that is hit can stick
  bool repaired = false;                      ///< with the restitution safe->exact it holds
  std::vector<Margin> impulse_intervals;      ///< of solution(), one per contact; empty: not asked for

  /// That the report shows: the one that gains most where that is the verdict, else the one that loses most; none:
  /// null.
  const ImpactSolution* solution() const
  {
    if (result.solutions.empty()) return nullptr;
    return proof.dissipates == Verdict::kFails ? &result.solutions.back() : &result.solutions.front();
  }
};

struct CouplingsAnswer {
  ContactProblem problem;  ///< with the rows that take part
  TangentialRows tangential = TangentialRows::kHeld;
  bool intervals = false;              ///< result.intervals were asked for
  std::vector<std::string> row_names;  ///< "toe normal", "toe t1", "loop x": one per row of J
  Couplings result;
};

/// Question::kAllSticking, … of the list in question_list.hpp.
enum class Question {
#define STICTION_ENUMERATOR(Name, name) k##Name,
  STICTION_QUESTIONS(STICTION_ENUMERATOR)
#undef STICTION_ENUMERATOR
};

namespace internal {
template <class First, class... Others>
struct AllButTheFirst {
  using variant = std::variant<Others...>;
};
}  // namespace internal

/// One of the answers above; index() is that of the question.
#define STICTION_ALTERNATIVE(Name, name) , Name##Answer
using Answer = internal::AllButTheFirst<void STICTION_QUESTIONS(STICTION_ALTERNATIVE)>::variant;
#undef STICTION_ALTERNATIVE

/// "all_sticking", …
const char* name_of(Question question);

/// The other way round. @throws InputError with `path` as the entry, naming the questions that are answered.
Question question_named(const std::string& name, const std::string& path = "question");

}  // namespace stiction
