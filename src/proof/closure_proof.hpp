#pragma once

#include "stiction/proof/closure.hpp"

namespace stiction::internal {

inline constexpr int kMostTwistRows = 6;  // of a grasp map

/// Whether a contact's tangential or torsional columns can carry force in this kind of closure.
bool has_friction(const GraspBlock& block, ClosureKind kind);

/// Memory of the judge, one per thread.
struct ClosureScratch {
  Eigen::VectorXd forces, weight, most;
  Twist clean;
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> gram, stacked;
};

/// judge_closure() without allocation after the first call of a size (explanations aside).
Verdict judge_closure(const Grasp& grasp, ClosureKind kind, const ClosureProof& proof, ClosureScratch& scratch,
                      std::string* why);

/// Whether the wrench drives the leaf's twist and no force of its signs opposes it. Noise in the twist is dropped where
/// that helps.
bool leaf_gives_way(const Grasp& grasp, ClosureKind kind, const Twist& wrench, const MotionLeaf& leaf,
                    ClosureScratch& scratch, std::string* why);

/// Memory of judge_resists(), one per thread.
struct ResistScratch {
  ContactProblem problem;
  Certificate certificate;
  Judge judge;
};

/// G lambda + wrench = 0, J_hand' lambda + effort = hand_load as (EQ) at rest, friction larger by the share `doubt`.
void write_resist_problem(const Grasp& grasp, const Eigen::VectorXd& wrench, double doubt, ContactProblem& p);

/// judge_resists() without allocation after the first call of a size (explanations aside).
Verdict judge_resists(const Grasp& grasp, const Eigen::VectorXd& wrench, const ResistProof& proof,
                      ResistScratch& scratch, std::string* why);

}  // namespace stiction::internal
