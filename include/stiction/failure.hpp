#pragma once

// Why a case fails, by counterfactuals: which changes alone would make it hold, each with its proof, and the one motion
// that is told about it.
#include <vector>

#include "stiction/proof.hpp"

namespace stiction {

/// What a failing case could have more of, in the order in which it is asked for.
enum Remedy : unsigned {
  kMoreMotors = 1,    ///< motors without limits at joints that have one but are given no effort (`effort: none`)
  kMoreEffort = 2,    ///< no effort limits; those that are zero stay
  kLargerLimits = 4,  ///< no largest normal forces
  kMoreFriction = 8   ///< every coefficient of friction and torsion times up to kUnlimitedFriction
};
using Remedies = unsigned;  ///< a sum of them

/// Coefficients that are this many times as large count as unlimited. With more of them the last digits of the data
/// decide: a millionfold friction makes a hold of a sole that is uneven by 1e-9 of its size.
inline constexpr double kUnlimitedFriction = 1e4;

/// The motion that is told where friction does not help is one that so many times the friction does not stop. More
/// would make it a matter of the last digits: huge friction turns the least unevenness of a sole into a hold.
inline constexpr double kToldFriction = 1e3;

/// The same problem with remedies, and its judged answer.
struct Counterfactual {
  Remedies with = 0;
  double friction = 1.0;  ///< factor on every mu and torsion
  Verdict verdict = Verdict::kUndecided;
  Certificate certificate;  ///< of relieved(): judge_equilibrium or, for all_sticking without kMoreMotors, judge
                            ///< accepts it
};

/// The remedy that alone would help (the first one in the order above), or none does. kSeveral: only several together.
/// kUnknown: the counterfactuals could not be decided.
enum class FailureCause { kUnknown, kMotors, kEffort, kLimits, kFriction, kSeveral, kNothing };

struct Failure {
  FailureCause cause = FailureCause::kUnknown;
  Remedies helps = 0;            ///< the remedy that helps, or those that do together
  Remedies defied = 0;           ///< the motion below is one that these together do not stop either
  std::vector<int> idle_motors;  ///< degrees of freedom to which kMoreMotors gives motors
  std::vector<Counterfactual> counterfactuals;

  /// nv: the acceleration that is left, beyond the one of Gauss' principle or the prescribed one, when contacts and
  /// motors, with the defied remedies, resist as well as they can: -M⁻¹(e - p), where p is the point nearest to the
  /// load e = M a + F, in the kinetic metric M⁻¹, of all that they can supply. It is unique, continuous in the data and
  /// free of coordinates; empty when it was not looked for. No proof depends on it.
  Eigen::VectorXd motion;
  std::vector<int> signs;  ///< with which bilateral contacts come nearest, per contact; 0: no sign matters
  /// False: kToldFriction does not stop the motion, but contacts come to its rim, as next to nothing presses there; the
  /// motion is then the one with the friction at hand.
  bool pressed = true;
};

/// The problem with remedies. `friction` is the factor of kMoreFriction.
ContactProblem relieved(const ContactProblem& problem, Remedies with, double friction,
                        const std::vector<int>& idle_motors);

/// Which remedies change anything about a problem.
Remedies possible_remedies(const ContactProblem& problem, const std::vector<int>& idle_motors);

/// Cause, helps and defied as the verdicts of the counterfactuals have it: what others imply is not asked for. For
/// all_sticking a counterfactual with motors is one at rest: it implies nothing about those without.
void diagnose(Remedies possible, Failure& failure);

}  // namespace stiction
