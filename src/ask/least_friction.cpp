// The least friction with which it holds.
#include <algorithm>
#include <cmath>

#include "ask/hold.hpp"
#include "base/numerics.hpp"
#include "cone/kernels.hpp"

namespace stiction::internal {
namespace {

/// The largest friction (as factor, or as mu of one contact) that a leaf proves insufficient, but for rounding: its
/// motion stays a certificate while every cone's support stays <= 0.
double friction_needed(const MultiplierSet& set, const MotionLeaf& leaf, const Friction& friction)
{
  const ContactProblem& p = set.problem();
  double needed = kInfinity;
  Eigen::Index price = p.nv();
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double w = std::isfinite(c.max_normal) ? leaf.motion[price++] : 0.0;
    if (set.column(i) < 0) continue;
    const double sign = c.side == Side::kUnilateral ? 1.0 : leaf.signs[i];
    if (sign == 0.0 || (friction.contact >= 0 && friction.contact != static_cast<int>(i))) continue;
    Eigen::Vector4d h = Eigen::Vector4d::Zero();
    h.head(c.rows()) = p.J.middleRows(c.row, c.rows()) * leaf.motion.head(p.nv());
    // support of the cone: normal + (what is searched) * sideways
    double normal = sign * h[0] - w;
    FrictionCone cone = set.cone(i, {});
    if (friction.contact >= 0) {
      if (c.torsional) normal += c.torsion * std::abs(h[1 + c.tangents]);
      cone.mu = 1.0;
      cone.torsion = 0.0;
    }
    const Eigen::Vector4d h_t(0.0, h[1], h[2], h[3]);
    const double sideways = support(cone, h_t.data());
    if (sideways > kProductRounding * h.norm() * std::max(kProductRounding, friction.contact < 0 ? c.mu : 1.0))
      needed = std::min(needed, std::max(0.0, -normal / sideways));
  }
  return needed;
}

/// Motions that prove failure with one friction often do so with another: a judgement is cheaper than a decision, and
/// at the largest friction more certain.
bool still_proved(const HoldProblem& problem, const Friction& friction, const std::vector<MotionLeaf>& leaves)
{
  Eigen::VectorXd y;
  return std::ranges::all_of(leaves, [&](const MotionLeaf& leaf) {
    const ConeProgram& program = problem.set.arrange(problem.loads, leaf.signs, friction);
    return problem.set.from_motion(leaf.motion, y) && proves_infeasible(program, y);
  });
}

}  // namespace

FrictionBracket least_friction(const HoldProblem& problem, int contact, const KnownFriction& known,
                               HoldWorkspace& workspace, HoldAnswer& last)
{
  HoldProblem trial = problem;
  bool proved = known.failing >= 0.0 && !last.leaves.empty();  // the last verdict was "fails", by last.leaves
  const auto decide_at = [&](double value) {
    trial.friction = contact < 0 ? Friction{value, -1, 0.0} : Friction{1.0, contact, value};
    if (proved && still_proved(problem, trial.friction, last.leaves)) return Verdict::kFails;
    const Verdict verdict = decide(trial, workspace, last);
    proved = verdict == Verdict::kFails;
    return verdict;
  };
  const auto reach = [&](double) {
    double needed = kInfinity;
    for (const MotionLeaf& leaf : last.leaves)
      needed = std::min(needed, friction_needed(problem.set, leaf, trial.friction));
    return needed;
  };
  const double first =
      contact < 0 ? 1.0 : std::max(problem.set.problem().contacts[static_cast<std::size_t>(contact)].mu, 0.1);
  return bracket_friction(first, known, decide_at, reach);
}

}  // namespace stiction::internal
