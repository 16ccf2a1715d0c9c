#include "ask/slack.hpp"

#include <algorithm>
#include <cmath>

#include "ask/contact_reports.hpp"

namespace stiction::internal {

/// Which contacts take part in the common slack; returns the largest normal force among them, or -1.
double SlackSearch::weigh_contacts(const MultiplierSet& set, const HoldAnswer& held)
{
  const std::vector<Contact>& contacts = set.problem().contacts;
  weights_.assign(contacts.size(), 0.0);
  double force_scale = -1.0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (set.column(i) < 0 || (contacts[i].side == Side::kBilateral && held.signs[i] == 0)) continue;
    weights_[i] = contacts[i].side == Side::kUnilateral ? 1.0 : static_cast<double>(held.signs[i]);
    force_scale = std::max(force_scale, std::abs(held.forces[set.column(i)]));
  }
  return force_scale;
}

/// Loads per newton of slack: every chosen normal force lowered by one, limits and effort bounds that much nearer.
void SlackSearch::set_slope(const HoldProblem& problem, const Eigen::VectorXd* effort_room)
{
  const ContactProblem& p = problem.set.problem();
  slope_.set_zero(p);
  for (std::size_t i = 0; i < weights_.size(); ++i)
    if (weights_[i] != 0.0) {
      slope_.e -= weights_[i] * p.J.row(p.contacts[i].row).transpose();
      // a limited force keeps the same distance from its limit: sign λn + s = max - 2 t after the shift of λn
      const auto k = static_cast<Eigen::Index>(i);
      if (std::isfinite(problem.loads.max_normal[k])) slope_.max_normal[k] = -2.0;
    }
  if (!effort_room) return;
  slope_.lower = *effort_room;
  slope_.upper = -*effort_room;
}

/// Takes the forces of the load t down the slope, with the normal forces put back; false when rounding forbids.
bool SlackSearch::put_back(const HoldProblem& problem, const Eigen::VectorXd& forces, double t, HoldAnswer& held)
{
  MultiplierSet& set = problem.set;
  const ConeProgram& program = set.arrange(problem.loads, held.signs);
  shifted_ = forces;
  for (std::size_t i = 0; i < weights_.size(); ++i)
    if (weights_[i] != 0.0) shifted_[set.column(i)] += t * weights_[i];
  set.complete(shifted_);
  if (set.add_violated_bounds(shifted_) || !proves_feasible(program, shifted_)) return false;
  held.forces = shifted_;
  return true;
}

bool SlackSearch::try_slack(const HoldProblem& problem, double slack, HoldWorkspace& workspace, HoldAnswer& held)
{
  at_.set_line(problem.loads, slack, slope_);
  const HoldProblem trial{problem.set, at_, &held.signs, {}, problem.branch_limit};
  const Verdict verdict = decide_next(trial, workspace, trial_);
  workspace.recycle(trial_.leaves);
  return verdict == Verdict::kHolds && put_back(problem, trial_.forces, slack, held);
}

bool SlackSearch::give(const HoldProblem& problem, const Eigen::VectorXd* effort_room, double slack,
                       HoldWorkspace& workspace, HoldAnswer& held)
{
  if (weigh_contacts(problem.set, held) < 0.0) return false;
  set_slope(problem, effort_room);
  return try_slack(problem, slack, workspace, held);
}

/// Contacts on which the certificate of the cast leans can gain no slack in any solution; false: no others are left.
bool SlackSearch::set_aside_stuck_contacts(const ContactProblem& problem)
{
  constexpr double kLeans = 1e-6;  // share of the largest one
  const auto leans = [&](std::size_t i) {
    return std::abs(problem.J.row(problem.contacts[i].row).dot(line_.leaves[0].motion.head(problem.nv())));
  };
  double top = 0.0;
  for (std::size_t i = 0; i < weights_.size(); ++i)
    if (weights_[i] != 0.0) top = std::max(top, leans(i));
  bool left = false;
  for (std::size_t i = 0; i < weights_.size(); ++i)
    if (weights_[i] != 0.0) {
      if (leans(i) > kLeans * top) weights_[i] = 0.0;
      left = left || weights_[i] != 0.0;
    }
  return left;
}

/// The largest s such that every contact could lose s newtons of normal force and still be inside its cone. Contacts
/// that cannot gain any (they are at their rim in every solution) are then set aside and the rest goes on, so that one
/// of them does not leave all others at an arbitrary vertex.
SlackSearch::Depth SlackSearch::deepen(const HoldProblem& problem, const Eigen::VectorXd* effort_room, bool any_slack,
                                       HoldWorkspace& workspace, HoldAnswer& held, double relative_gap)
{
  constexpr double kFineSlack = 1e-6;  // with the gap: a slack of kNoSlack is still resolved
  Depth depth;
  const double force_scale = weigh_contacts(problem.set, held);
  if (force_scale <= 0.0) {
    depth.any = force_scale < 0.0;
    return depth;
  }
  LineOptions how;
  how.relative_gap = relative_gap;
  how.scale = kFineSlack * force_scale;
  how.cap = force_scale;  // internal forces could grow without end: the forces at hand set the scale
  how.same_signs = true;
  for (std::size_t round = 0; round <= weights_.size(); ++round) {
    set_slope(problem, round == 0 ? effort_room : nullptr);
    if (round == 0 && any_slack && try_slack(problem, kNoSlack * force_scale, workspace, held)) {
      depth.any = true;
      return depth;
    }
    caster_.cast(problem, slope_, 0.0, held, how, workspace, line_);
    if (line_.lower > kNoSlack * force_scale) {
      if (put_back(problem, line_.forces, line_.lower, held) && round == 0) depth = {line_.lower, true};
      return depth;
    }
    if (line_.end != LineCast::End::kBounded || line_.leaves.empty()) return depth;
    if (!set_aside_stuck_contacts(problem.set.problem())) return depth;
  }
  return depth;
}

}  // namespace stiction::internal
