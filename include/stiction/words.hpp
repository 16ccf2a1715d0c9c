#pragma once

// Sentences for people about what was proved. They read certificates and judge nothing.
#include <string>
#include <vector>

#include "stiction/failure.hpp"
#include "stiction/proof/closure.hpp"

namespace stiction {

/// One sentence for people about a failing case, e.g. "tips: heel_l and heel_r lift while toe_l and toe_r carry" or
/// "slides along (+1, 0, 0): c0 and c1 slip". The first word is the cause: *slides* where more friction alone would
/// help, *too weak* where more effort, *overloads* where larger normal forces alone would, *tips* where nothing does
/// and a body turns about contacts that stay; the motion told is Failure::motion. For (EQ) detachment is forbidden:
/// every contact takes part. Judges nothing; empty when there is nothing to tell.
std::string describe_failure(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                             const Failure& failure);

/// The certificate whose motion is told: of a search over contacts that leave (Detachment::kFree) the mode in which the
/// fewest do, of those that a motion refutes. nullptr: friction and limits have no part in the failure.
const Certificate* told_motion(const Certificate& certificate);

/// The same as data: the first word of the sentence, and what it is about: the contacts that slip, lift or are
/// overloaded, the motors at their limits, or, of a body that tips, the contacts that it tips over.
struct FailureDigest {
  std::string
      cause;  ///< slides, twists, tips, too weak, overloads, no efforts, gives way, contradicts; empty: not known
  std::vector<std::string> culprits;
};
FailureDigest digest_failure(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                             const Failure& failure);

/// In a scene of many contacts, of which the sentence gives only the numbers: which ones. "slip: a, b; stay: c"; empty:
/// the sentence has their names.
std::string list_failing_contacts(const ContactProblem& problem, const StickingRules& rules,
                                  const Certificate& certificate, const Failure& failure);

/// "it falls: 9.8 m/s² down", "it moves: leg/knee 36 rad/s²"; empty at rest, and while free or planar joints move.
std::string describe_acceleration(const ContactProblem& problem, const Eigen::VectorXd& a);

/// A free motion in words: "free to turn about the line through f1 and f2", "free to slide along (0, 0, +1)",
/// "free to turn about (0.1, 0), leaving f3". Judges nothing.
std::string describe_free_motion(const Grasp& grasp, const Twist& twist);

/// The same for proofs of failure, which may have a motion for each choice of signs of bilateral contacts.
std::string describe_free_motion(const Grasp& grasp, const ClosureProof& proof);
std::string describe_free_motion(const Grasp& grasp, const ResistProof& proof);

}  // namespace stiction
