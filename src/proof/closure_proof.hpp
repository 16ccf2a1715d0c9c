#pragma once

#include "stiction/closure.hpp"

namespace stiction::internal {

/// Whether a contact's tangential or torsional columns can carry force in this kind of closure.
bool has_friction(const GraspBlock& block, ClosureKind kind);

/// The true cone of a contact as `kind` sees it: pushing, normals only for kForm; never looser (holds) or tighter (fails)
/// than the exact one.
FrictionCone cone_for_holds(const GraspBlock& block, ClosureKind kind);
FrictionCone cone_for_fails(const GraspBlock& block, ClosureKind kind);

/// Memory of the judge, one per thread.
struct ClosureScratch {
  Eigen::VectorXd weight, clean;
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> gram, stacked;
};

/// Writes how far each column may move while every contact stays in its cone, all columns of a contact at once within a
/// ball: slack / sqrt 2 times (1, mu, mu, torsion). Zero where a column cannot carry force. False when the forces are
/// outside a cone.
bool ball_weights(const Grasp& grasp, ClosureKind kind, const Eigen::VectorXd& forces, Eigen::VectorXd& weight,
                  std::string* why);

/// judge_closure() without allocation after the first call of a size (explanations aside).
Verdict judge_closure(const Grasp& grasp, ClosureKind kind, const ClosureProof& proof, ClosureScratch& scratch,
                      std::string* why);

}  // namespace stiction::internal
