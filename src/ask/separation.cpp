#include "ask/separation.hpp"

#include <algorithm>
#include <cmath>

#include "cone/kernels.hpp"

namespace stiction::internal {
namespace {

double sign_of(const Contact& contact, int leaf_sign) { return contact.side == Side::kUnilateral ? 1.0 : leaf_sign; }

/// The forces of the leaf's signs with J'lambda = unseen z and sum of normal forces = 1; false: no contact has a sign.
bool write_pressing(const MultiplierSet& set, const MotionLeaf& leaf, const Eigen::MatrixXd& unseen,
                    ConeProgram& program)
{
  const ContactProblem& p = set.problem();
  const auto nv = p.nv();
  program.E.setZero(nv + 1, p.rows() + unseen.cols());
  program.E.topLeftCorner(nv, p.rows()) = p.J.transpose();
  program.E.topRightCorner(nv, unseen.cols()) = unseen;
  for (Eigen::Index d = 0; d < nv; ++d)  // what a motor holds stays where it is
    if (leaf.motion[d] == 0.0 && set.held_by_motor(d)) program.E.row(d).setZero();
  program.e.setZero(nv + 1);
  program.e[nv] = 1.0;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double sign = sign_of(c, leaf.signs[i]);
    const bool carries = set.column(i) >= 0;
    if (carries && sign != 0.0) {
      program.cones.push_back({c.row, set.cone(i, {})});
      program.cones.back().cone.sign = sign;
      program.E(nv, c.row) = sign;
      continue;
    }
    for (int r = c.row; r < c.row + c.rows(); ++r) {
      if (carries)
        program.free.push_back(r);
      else
        program.boxes.push_back({r, 0.0, 0.0});
    }
  }
  for (const LoopConstraint& c : p.loops)
    for (int r = 0; r < c.rows; ++r) program.free.push_back(c.row + r);
  for (Eigen::Index k = 0; k < unseen.cols(); ++k) program.free.push_back(static_cast<int>(p.rows() + k));
  return !program.cones.empty();
}

}  // namespace

bool separate_contacts(const MultiplierSet& set, const MotionLeaf& leaf, const Eigen::MatrixXd& unseen,
                       HoldWorkspace& workspace, Eigen::VectorXd& away)
{
  ConeProgram pressing;
  if (!write_pressing(set, leaf, unseen, pressing)) return false;
  ConeAnswer answer;
  workspace.engine->decide(pressing, answer);
  workspace.iterations += answer.iterations;
  if (answer.outcome != Outcome::kInfeasible) return false;
  const auto nv = set.problem().nv();
  away = answer.y.head(nv);
  for (Eigen::Index d = 0; d < nv; ++d)
    if (leaf.motion[d] == 0.0 && set.held_by_motor(d)) away[d] = 0.0;
  return true;
}

bool turn(const MultiplierSet& set, const Eigen::VectorXd& away, MotionLeaf& leaf)
{
  constexpr double kRoundings = 8.0;    // roundings beyond which it is clear
  constexpr double kMostSpoilt = 1e-3;  // of `away` that rounding may spoil, and of the leaf that `away` may
  const ContactProblem& p = set.problem();
  const auto nv = p.nv();
  double longest_of_away = 0.0, longest_of_leaf = 0.0;  // lever arms count as their longest
  for (Eigen::Index d = 0; d < nv && p.rows() > 0; ++d) {
    const double lever = p.J.col(d).cwiseAbs().maxCoeff();
    longest_of_away += lever * std::abs(away[d]);
    longest_of_leaf += lever * std::abs(leaf.motion[d]);
  }
  double least = kInfinity, reach_of_away = 0.0, needed = 0.0;
  Eigen::Vector4d h, g;  // of `away` and of the leaf at one contact
  Eigen::Index next_price = nv;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double price = std::isfinite(c.max_normal) ? leaf.motion[next_price++] : 0.0;
    FrictionCone cone = set.cone(i, {});
    cone.sign = sign_of(c, leaf.signs[i]);
    if (set.column(i) < 0 || cone.sign == 0.0) continue;
    // Sideways forces count as at most twice the friction of the disk.
    const double weight = 1.0 + 3.0 * c.mu + (c.torsional ? c.torsion : 0.0);
    h.setZero();
    g.setZero();
    for (Eigen::Index d = 0; d < nv; ++d)
      for (int k = 0; k < c.rows(); ++k) {
        const double entry = p.J(c.row + k, d);
        h[k] += entry * away[d];
        g[k] += entry * leaf.motion[d];
      }
    least = std::min(least, -support(cone, h.data()));
    reach_of_away = std::max(reach_of_away, weight * longest_of_away);
    needed =
        std::max(needed, kRoundings * kRounding * weight * longest_of_leaf + 2.0 * (support(cone, g.data()) - price));
  }
  if (!(least > kRoundings * kRounding / kMostSpoilt * reach_of_away) || !std::isfinite(least)) return false;
  const double share = std::max(needed, 0.0) / least;
  const double most = leaf.motion.head(nv).lpNorm<Eigen::Infinity>();
  if (!(share * away.lpNorm<Eigen::Infinity>() <= kMostSpoilt * most)) return false;
  leaf.motion.head(nv) += share * away;
  return true;
}

bool sharpen(const MultiplierSet& set, const Loads& loads, HoldWorkspace& workspace, std::vector<MotionLeaf>& leaves)
{
  const ContactProblem& p = set.problem();
  Eigen::VectorXd away;
  for (MotionLeaf& leaf : leaves) {
    const double driven = gain(p, leaf, loads);
    if (!(driven > 0.0) || !separate_contacts(set, leaf, Eigen::MatrixXd(p.nv(), 0), workspace, away)) return false;
    MotionLeaf turned = leaf;
    turned.motion.head(p.nv()) += away;
    const double lost = driven - gain(p, turned, loads);
    const double share = lost > 0.5 * driven ? 0.5 * driven / lost : 1.0;
    leaf.motion.head(p.nv()) += share * away;
  }
  return true;
}

}  // namespace stiction::internal
