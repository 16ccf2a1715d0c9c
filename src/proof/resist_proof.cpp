// Judges whether a grasp resists one wrench: as equilibrium at rest, with the judge of that question.
#include <algorithm>
#include <cmath>

#include "proof/closure_proof.hpp"
#include "proof/sums.hpp"

namespace stiction {
namespace internal {

void write_resist_problem(const Grasp& grasp, const Eigen::VectorXd& wrench, double doubt, ContactProblem& p)
{
  const Eigen::Index m = grasp.G.rows(), n = grasp.G.cols(), dofs = grasp.J_hand.cols(), nv = m + dofs;
  p.M.setZero(nv, nv);
  p.J.resize(n, nv);
  p.J.leftCols(m) = grasp.G.transpose();
  p.F.resize(nv);
  p.F.head(m) = -wrench;
  if (m == 6) p.F.segment(3, 3) /= grasp.convention.torque_length;
  if (m == 3) p.F[2] /= grasp.convention.torque_length;
  if (dofs > 0) {
    p.J.rightCols(dofs) = grasp.J_hand;
    p.F.tail(dofs) = grasp.hand_load;
  }
  p.gamma.setZero(n);
  p.contacts.resize(grasp.contacts.size());
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const GraspBlock& block = grasp.contacts[i];
    Contact& c = p.contacts[i];
    c.name = block.name;
    c.side = block.side;
    c.row = block.col;
    c.tangents = block.cone.tangents;
    c.torsional = block.cone.torsional;
    c.mu = block.cone.mu * (1.0 + doubt);
    c.torsion = block.cone.torsion * (1.0 + doubt);
    c.max_normal = block.max_normal;
  }
  p.loops.resize(grasp.free.size());
  for (std::size_t i = 0; i < p.loops.size(); ++i) {
    p.loops[i].row = grasp.free[i];
    p.loops[i].rows = 1;
  }
  p.actuators.resize(static_cast<std::size_t>(dofs));
  for (Eigen::Index k = 0; k < dofs; ++k) {
    Actuator& motor = p.actuators[static_cast<std::size_t>(k)];
    motor.dof = static_cast<int>(m + k);
    motor.lower = grasp.effort_lower[k];
    motor.upper = grasp.effort_upper[k];
  }
}

namespace {

bool resist_shape(const Grasp& grasp, const Eigen::VectorXd& wrench, const ResistProof& proof, std::string* why)
{
  const Eigen::Index m = grasp.G.rows(), n = grasp.G.cols(), dofs = grasp.J_hand.cols();
  const auto refused = [&](const char* words) { return refuse(why, [&] { return std::string(words); }); };
  if (m < 1 || m > kMostTwistRows || (dofs > 0 && grasp.J_hand.rows() != n) || grasp.hand_load.size() != dofs ||
      grasp.effort_lower.size() != dofs || grasp.effort_upper.size() != dofs)
    return refused("the grasp is malformed");
  if (wrench.size() != m || (!proof.signs.empty() && proof.signs.size() != grasp.contacts.size()))
    return refused("wrench or signs have the wrong size");
  if (proof.claims == Verdict::kUndecided) return refused("nothing is claimed");
  if (proof.y.size() > 0 && !proof.leaves.empty()) return refused("a motion and leaves: want one of them");
  if (proof.claims == Verdict::kHolds ? proof.x.size() < n + dofs : proof.leaves.empty() && proof.y.size() < m + dofs)
    return refused("the proof has the wrong size");
  return true;
}

/// The vector of the program with its limits as a leaf: motion, then a price for every limit.
bool write_leaf(const Grasp& grasp, const ResistProof& proof, MotionLeaf& leaf, std::string* why)
{
  const Eigen::Index nv = grasp.G.rows() + grasp.J_hand.cols();
  Eigen::Index limited = 0, row = nv;
  for (const GraspBlock& block : grasp.contacts) limited += std::isfinite(block.max_normal);
  leaf.signs.assign(grasp.contacts.size(), 0);
  leaf.motion.resize(nv + limited);
  leaf.motion.head(nv) = proof.y.head(nv);
  Eigen::Index next = nv;
  for (const GraspBlock& block : grasp.contacts) {
    if (!std::isfinite(block.max_normal)) continue;
    if (block.side == Side::kBilateral) {  // limited by a box, which has no row: its price is what it opposes
      double along = grasp.G.col(block.col).dot(proof.y.head(grasp.G.rows()));
      if (grasp.has_hand())
        along += grasp.J_hand.row(block.col).dot(proof.y.segment(grasp.G.rows(), grasp.J_hand.cols()));
      leaf.motion[next++] = std::abs(along);
    } else {
      if (row >= proof.y.size()) return refuse(why, [] { return std::string("the proof has the wrong size"); });
      leaf.motion[next++] = std::max(-proof.y[row++], 0.0);
    }
  }
  return true;
}

}  // namespace

Verdict judge_resists(const Grasp& grasp, const Eigen::VectorXd& wrench, const ResistProof& proof,
                      ResistScratch& scratch, std::string* why)
{
  if (!resist_shape(grasp, wrench, proof, why)) return Verdict::kUndecided;
  const bool holds = proof.claims == Verdict::kHolds;
  const Eigen::Index m = grasp.G.rows(), n = grasp.G.cols(), dofs = grasp.J_hand.cols();
  Certificate& certificate = scratch.certificate;
  write_resist_problem(grasp, wrench, holds ? -kClosureDoubt : kClosureDoubt, scratch.problem);
  certificate.a.setZero(m + dofs);
  if (holds) {
    certificate.kind = CertificateKind::kForces;
    certificate.lambda = proof.x.head(n);
    certificate.efforts = proof.x.segment(n, dofs);
  } else {
    certificate.kind = CertificateKind::kMotion;
    certificate.leaves.resize(1);
    if (!proof.leaves.empty())
      certificate.leaves = proof.leaves;
    else if (!write_leaf(grasp, proof, certificate.leaves[0], why))
      return Verdict::kUndecided;
  }
  // A verdict is about the true cones.
  return scratch.judge.equilibrium(scratch.problem, certificate.a, ConeShape::exact(), certificate, why);
}

}  // namespace internal

Verdict judge_resists(const Grasp& grasp, const Eigen::VectorXd& wrench, const ResistProof& proof, std::string* why)
{
  internal::ResistScratch scratch;
  return internal::judge_resists(grasp, wrench, proof, scratch, why);
}

}  // namespace stiction
