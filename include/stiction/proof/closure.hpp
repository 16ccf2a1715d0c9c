#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "stiction/cone_program.hpp"
#include "stiction/grasp.hpp"
#include "stiction/proof.hpp"

namespace stiction {

/// Closure is a strict property, so it is told from its opposite only up to a tolerance: "holds" means that it would
/// still hold with every number of G changed by this share of itself, "fails" that it would still fail with every
/// friction coefficient larger by this share. Between them (exactly at the least friction) nothing is claimed.
inline constexpr double kClosureDoubt = 0x1p-30;  // 9.3e-10

/// Which closure. All first order: second-order immobility (curvature) is out of scope.
enum class ClosureKind {
  kForm,            ///< normals only
  kFrictionalForm,  ///< with the friction cones: every wrench can be resisted
  kForce            ///< and the hand commands every internal force: ker G and ker J_hand' meet in zero only
};

/// What judge_closure() checks.
struct ClosureProof {
  Eigen::VectorXd forces;  ///< holds: internal forces, G forces = 0, inside the cones. Fails with an empty twist
                           ///< (kForce): internal forces that the hand cannot command, J_hand' forces = 0
  Twist twist;             ///< fails: a motion of the object that no contact opposes; empty otherwise
  /// Fails where frictional bilateral contacts leave no such motion that is free for both of their signs: a wrench (N,
  /// torques over the torque length) that is resisted with no choice of signs, and leaves of a sign tree that say so.
  /// The motion of a leaf is a twist that the wrench drives and no force of the leaf's signs opposes. Empty otherwise.
  Twist wrench{};
  std::vector<MotionLeaf> leaves{};

  bool claims_failure() const { return twist.size() > 0 || !leaves.empty(); }
};

/// Judges a proof from the grasp's own numbers, with no solver: the verdict it proves, or kUndecided and why not.
///
/// Holds: with a ball of radius slack_i / sqrt 2 around the forces of contact i inside its cone (tangents in units of
/// mu, torsion in units of its coefficient), the wrenches of the grasp contain G forces plus the image of those balls,
/// hence a ball of the radius of that image's smallest singular value. When it exceeds the residual G forces and
/// kClosureDoubt of the sums in each row, every wrench can be resisted: strictly interior internal force and rank in
/// one.
/// Fails: the twist is not zero and in the dual of every cone with friction (1 + kClosureDoubt) mu, up to kRounding of
/// what the forces of the cone could do at all. No grasp has certificates of both that are accepted
/// (docs/proofs/closure.md). kForce: forces and the smallest singular value of (G; J_hand') with unit columns above
/// kClosureDoubt; fails by a twist or by internal forces that do no work on any actuated degree of freedom. A verdict
/// is about the true cones: with inner facets a twist must be in the dual of the exact cone to prove "fails", with
/// outer ones the forces must be in the exact cone to prove "holds". Frictional bilateral contacts push or pull as the
/// sign of their normal force says; a twist must leave them at rest, one of a leaf only those without a sign. Leaves
/// must cover every choice of signs, and the wrench must drive each of their twists by more than kClosureDoubt of its
/// terms.
Verdict judge_closure(const Grasp& grasp, ClosureKind kind, const ClosureProof& proof, std::string* why = nullptr);

/// Certificate of `resists`: G lambda + wrench = 0 and, when the hand is modelled, J_hand' lambda + effort = hand_load
/// within the effort limits and the limits on normal forces. `wrench` has the rows of G, forces in N, torques in N m
/// about the reference point. Columns: those of G, one effort per hand degree of freedom. Rows: those of G, one per
/// hand degree of freedom, one per limit of a unilateral contact.
struct ResistProof {
  Verdict claims = Verdict::kUndecided;
  std::vector<int> signs;  ///< kHolds: one per contact, the side of frictional bilateral ones, else 0
  Eigen::VectorXd x;       ///< kHolds: a solution with friction smaller by kClosureDoubt; what follows is not read
  Eigen::VectorXd y;       ///< kFails: separates with friction larger by kClosureDoubt and all signs 0; or empty, and
  std::vector<MotionLeaf> leaves{};  ///< a leaf per choice of signs: y of the first rows, then a price per limit
};

/// As equilibrium at rest, see judge_equilibrium: forces are bounded by the loads, internal forces buy no tolerance.
/// Efforts and limits count as they are given.
Verdict judge_resists(const Grasp& grasp, const Eigen::VectorXd& wrench, const ResistProof& proof,
                      std::string* why = nullptr);

}  // namespace stiction

// Proved: the verdicts of a ClosureResult and of a ResistResult, with forces, efforts and twist of the latter. Not
// proved: d, form_d, epsilon_l1, epsilon_linf, friction_factor, contact_friction, null_spaces, and a ClosureRate.
