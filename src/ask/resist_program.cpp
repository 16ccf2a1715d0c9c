#include "ask/resist_program.hpp"

#include <cmath>

#include "proof/closure_proof.hpp"

namespace stiction::internal {
namespace {

bool limited(const GraspBlock& block) { return std::isfinite(block.max_normal); }

/// Neither side of a bilateral contact is chosen.
bool two_sided(const GraspBlock& block, const std::vector<int>& signs, std::size_t i)
{
  return block.side == Side::kBilateral && (signs.empty() || signs[i] == 0);
}

void write_balance(const Grasp& grasp, const Eigen::VectorXd& wrench, Eigen::Index limits, ConeProgram& program)
{
  const Eigen::Index m = grasp.G.rows(), n = grasp.G.cols(), dofs = grasp.J_hand.cols();
  program.E.setZero(m + dofs + limits, n + dofs + limits);
  program.e.setZero(m + dofs + limits);
  program.E.topLeftCorner(m, n) = grasp.G;
  program.e.head(m) = -wrench;
  if (m == 6) program.e.segment(3, 3) /= grasp.convention.torque_length;
  if (m == 3) program.e[2] /= grasp.convention.torque_length;
  if (dofs > 0) {
    program.E.block(m, 0, dofs, n) = grasp.J_hand.transpose();
    program.E.block(m, n, dofs, dofs).setIdentity();
    program.e.segment(m, dofs) = grasp.hand_load;
  }
  program.e_scale = program.e.cwiseAbs();
  // Loads of a hand come out of sums over all of its bodies: their rounding is that of the largest.
  if (dofs > 0) program.e_scale.segment(m, dofs).setConstant(grasp.hand_load.lpNorm<Eigen::Infinity>());
}

void write_efforts(const Grasp& grasp, double doubt, ConeProgram& program)
{
  for (Eigen::Index k = 0; k < grasp.J_hand.cols(); ++k) {
    const double lower = grasp.effort_lower[k], upper = grasp.effort_upper[k];
    const int col = static_cast<int>(grasp.G.cols() + k);
    if (std::isinf(lower) && std::isinf(upper)) {
      program.free.push_back(col);
      continue;
    }
    BoxVariable box{col, std::isinf(lower) ? lower : lower - doubt * std::abs(lower),
                    std::isinf(upper) ? upper : upper + doubt * std::abs(upper)};
    if (box.lower > box.upper) box = {col, lower, upper};  // a given effort has no width to lose
    program.boxes.push_back(box);
  }
}

/// The convex hull of a double cone is the line, or with friction everything.
void write_hull(const GraspBlock& block, double share, ConeProgram& program)
{
  const bool line = !has_friction(block, ClosureKind::kFrictionalForm);
  if (limited(block))
    program.boxes.push_back({block.col, -block.max_normal * share, block.max_normal * share});
  else
    program.free.push_back(block.col);
  for (int k = 1; k < block.cone.dim(); ++k) {
    const bool carries = k <= block.cone.tangents ? block.cone.mu > 0.0 : block.cone.torsion > 0.0;
    if (!line && carries)
      program.free.push_back(block.col + k);
    else
      program.boxes.push_back({block.col + k, 0.0, 0.0});
  }
}

/// A verdict is about the true cones, as in judge_closure().
FrictionCone cone_with_doubt(const GraspBlock& block, double doubt, int sign)
{
  FrictionCone cone = block.cone;
  const ConeApproximation looser = doubt < 0.0 ? ConeApproximation::kOuter : ConeApproximation::kInner;
  if (cone.shape.approximation == looser) cone.shape = ConeShape::exact();
  cone.mu *= 1.0 + doubt;
  cone.torsion *= 1.0 + doubt;
  cone.sign = block.side == Side::kBilateral ? sign : 1.0;
  return cone;
}

}  // namespace

void write_resist_program(const Grasp& grasp, const Eigen::VectorXd& wrench, double doubt,
                          const std::vector<int>& signs, ConeProgram& program)
{
  Eigen::Index limits = 0;
  for (std::size_t i = 0; i < grasp.contacts.size(); ++i)
    limits += limited(grasp.contacts[i]) && !two_sided(grasp.contacts[i], signs, i);
  program.cones.clear();
  program.boxes.clear();
  program.free.assign(grasp.free.begin(), grasp.free.end());
  write_balance(grasp, wrench, limits, program);
  write_efforts(grasp, doubt, program);
  Eigen::Index row = program.E.rows() - limits, slack = program.E.cols() - limits;
  for (std::size_t i = 0; i < grasp.contacts.size(); ++i) {
    const GraspBlock& block = grasp.contacts[i];
    if (two_sided(block, signs, i)) {
      write_hull(block, 1.0 + doubt, program);
      continue;
    }
    const FrictionCone cone = cone_with_doubt(block, doubt, signs.empty() ? 1 : signs[i]);
    program.cones.push_back({block.col, cone});
    if (!limited(block)) continue;
    program.E(row, block.col) = cone.sign;
    program.E(row, slack) = 1.0;
    program.e[row++] = block.max_normal * (1.0 + doubt);
    program.boxes.push_back({static_cast<int>(slack++), 0.0, kInfinity});
  }
}

}  // namespace stiction::internal
