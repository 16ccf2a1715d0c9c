#pragma once

// Sentences for people about what was proved. They read certificates and judge nothing.
#include <string>

#include "stiction/proof/closure.hpp"

namespace stiction {

/// One sentence for people about a certificate of failure, e.g. "tips: heel_l and heel_r lift while toe_l and toe_r
/// carry" or "slides along (+1, 0, 0): c0 and c1 slip". Reads the certificate, judges nothing; empty when there is
/// nothing to tell.
std::string describe_failure(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate);

/// The same for a certificate of (EQ): also names the joints whose limits the motion runs into.
std::string describe_imbalance(const ContactProblem& problem, const ConeShape& shape, const Certificate& certificate);

/// A free motion in words: "free to turn about the line through f1 and f2", "free to slide along (0, 0, +1)",
/// "free to turn about (0.1, 0), leaving f3". Judges nothing.
std::string describe_free_motion(const Grasp& grasp, const Twist& twist);

/// The same for proofs of failure, which may have a motion for each choice of signs of bilateral contacts.
std::string describe_free_motion(const Grasp& grasp, const ClosureProof& proof);
std::string describe_free_motion(const Grasp& grasp, const ResistProof& proof);

}  // namespace stiction
