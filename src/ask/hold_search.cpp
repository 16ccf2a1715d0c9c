#include "ask/hold_search.hpp"

#include <algorithm>
#include <cmath>

#include "ask/contact_reports.hpp"

namespace stiction::internal {
namespace {

constexpr double kRim = 1e-12;     // share of the force scale below which a slack cannot be told from none
constexpr double kRank = 1e-10;    // relative to unit columns

}  // namespace

void HoldSearch::recycle(std::vector<MotionLeaf>& used)
{
  for (MotionLeaf& leaf : used) spare_leaves_.push_back(std::move(leaf));
  used.clear();
}

/// A node leaves the undecided signs unrestricted, a relaxation: if that is infeasible the whole branch is, by one
/// certificate; if its solution happens to respect the double cones, done.
Verdict HoldSearch::decide_signs(const Friction& friction)
{
  start_signs_.assign(problem->contacts.size(), 0);
  return decide_from(start_signs_, friction);
}

Verdict HoldSearch::claim_signs()
{
  if (multipliers.needs_signs()) return Verdict::kUndecided;   // an unproved node could hide the branch that holds
  struct Until {   // also when an engine throws: nothing else may go without proof
    bool& claims_only;
    ~Until() { claims_only = false; }
  } end{claims_only_ = true};
  return decide_signs();
}

Verdict HoldSearch::decide_next(const std::vector<int>& kept)
{
  in_sequence_ = true;
  const Verdict verdict = decide_from(kept);
  in_sequence_ = false;
  return verdict;
}

Verdict HoldSearch::decide_from(const std::vector<int>& kept, const Friction& friction)
{
  signs = kept;
  recycle(leaves);
  nodes = 0;
  return decide_node(friction);
}

/// Decides the program of these signs; effort bounds become rows when a solution without them violates them.
Verdict HoldSearch::decide_program(const Friction& friction)
{
  multipliers.arrange(signs, friction);
  for (;;) {
    const ConeProgram& program = multipliers.program();
    Verdict verdict = Verdict::kHolds;
    if (program.E.rows() == 0) {
      answer.x.setZero(program.E.cols());
      answer.y.resize(0);
      answer.iterations = 0;
    } else {
      // Only what was decided about these numbers before may be a start: answers must not depend on earlier problems.
      const bool again = in_sequence_ && decided_build_ == multipliers.builds();
      if (claims_only_)
        verdict = internal::claim(*engine, program, answer);
      else
        verdict = again ? internal::decide_next(*engine, program, answer) : internal::decide(*engine, program, answer);
      decided_build_ = multipliers.builds();
      if (verdict == Verdict::kUndecided && !claims_only_ && answer.outcome == Outcome::kInfeasible &&
          fails_with_more(friction))
        verdict = Verdict::kFails;
    }
    iterations += answer.iterations;
    if (verdict == Verdict::kFails || !multipliers.add_violated_bounds(answer.x)) return verdict;
  }
}

/// A motion that even slightly wider cones cannot oppose is clear of the rounding that spoils one for the cones themselves.
bool HoldSearch::fails_with_more(const Friction& friction)
{
  for (const double more : {1e-9, 1e-6}) {
    multipliers.arrange(signs, {friction.factor * (1.0 + more), friction.contact, friction.mu * (1.0 + more)});
    engine->decide(multipliers.program(), answer);
    iterations += answer.iterations;
    multipliers.arrange(signs, friction);
    if (answer.outcome == Outcome::kInfeasible && proves_infeasible(multipliers.program(), answer.y)) return true;
  }
  return false;
}

Verdict HoldSearch::decide_node(const Friction& friction)
{
  if (++nodes > branch_limit) {
    undecided_reason = "more than " + std::to_string(branch_limit) + " sign patterns of bilateral contacts";
    return Verdict::kUndecided;
  }
  const Verdict verdict = decide_program(friction);
  if (verdict == Verdict::kUndecided) {
    undecided_reason = "within tolerance of the boundary: neither forces nor a motion could be proved";
    return verdict;
  }
  if (verdict == Verdict::kFails) {
    if (spare_leaves_.empty()) {
      leaves.emplace_back();
    } else {
      leaves.push_back(std::move(spare_leaves_.back()));
      spare_leaves_.pop_back();
    }
    leaves.back().signs = signs;
    multipliers.to_motion(answer.y, leaves.back().motion);
    return verdict;
  }
  // The undecided contact that violates its double cone most.
  int worst = -1;
  double violation = 0.0;
  for (size_t i = 0; i < signs.size(); ++i) {
    if (!multipliers.needs_sign(i) || signs[i] != 0) continue;
    const Contact& contact = problem->contacts[i];
    FrictionCone cone = multipliers.cone(i, friction);
    const double* f = answer.x.data() + multipliers.column(i);
    cone.sign = f[0] < 0.0 ? -1.0 : 1.0;
    double excess = std::max(-slack(cone, f), std::abs(f[0]) - contact.max_normal);
    if (std::isinf(excess)) excess = answer.x.lpNorm<Eigen::Infinity>();
    if (worst < 0 || excess > violation) {
      worst = static_cast<int>(i);
      violation = excess;
    }
  }
  if (worst < 0) {
    witness = answer.x;
    return Verdict::kHolds;
  }
  // Try the side the relaxed solution is on first.
  const int first = answer.x[multipliers.column(worst)] < 0.0 ? -1 : 1;
  if (violation <= 0.0) {   // the relaxed solution is a solution: its signs are a feasible pattern
    const std::vector<int> parent = signs;
    for (size_t i = 0; i < signs.size(); ++i)
      if (multipliers.needs_sign(i) && signs[i] == 0) signs[i] = answer.x[multipliers.column(i)] < 0.0 ? -1 : 1;
    const size_t count = leaves.size();
    if (decide_node(friction) == Verdict::kHolds) return Verdict::kHolds;
    leaves.resize(count);
    signs = parent;
  }
  bool undecided = false;
  for (int sign : {first, -first}) {
    signs[worst] = sign;
    const Verdict branch = decide_node(friction);
    if (branch == Verdict::kHolds) return branch;
    undecided = undecided || branch == Verdict::kUndecided;
    if (nodes > branch_limit) break;
  }
  signs[worst] = 0;
  return undecided ? Verdict::kUndecided : Verdict::kFails;
}

double HoldSearch::gain(const MotionLeaf& leaf, const Loads& loads) const
{
  const auto nv = problem->nv();
  double sum = 0.0;
  for (Eigen::Index d = 0; d < nv; ++d) {
    const double y = leaf.motion[d];
    if (y != 0.0) sum += y * (loads.e[d] - (y > 0.0 ? loads.upper[d] : loads.lower[d]));
  }
  Eigen::Index price = nv;
  for (size_t i = 0; i < problem->contacts.size(); ++i)
    if (std::isfinite(problem->contacts[i].max_normal)) {
      const double w = leaf.motion[price++];
      if (w != 0.0) sum -= w * loads.max_normal[i];
    }
  return sum;
}

bool HoldSearch::separate_contacts(const MotionLeaf& leaf, const Eigen::MatrixXd& unseen, Eigen::VectorXd& away)
{
  const ContactProblem& p = *problem;
  const auto nv = p.nv();
  ConeProgram& program = separation_;
  program.E.setZero(nv + 1, p.rows() + unseen.cols());
  program.E.topLeftCorner(nv, p.rows()) = p.J.transpose();
  program.E.topRightCorner(nv, unseen.cols()) = unseen;
  for (Eigen::Index d = 0; d < nv; ++d)   // what a motor holds stays where it is
    if (leaf.motion[d] == 0.0 && multipliers.held_by_motor(d)) program.E.row(d).setZero();
  program.e.setZero(nv + 1);
  program.e[nv] = 1.0;
  program.e_scale.resize(0);
  program.cones.clear();
  program.boxes.clear();
  program.free.clear();
  for (size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const int sign = c.side == Side::kUnilateral ? 1 : leaf.signs[i];
    if (detaching[i] || sign == 0) {
      for (int r = 0; r < c.rows(); ++r) {
        if (detaching[i])
          program.boxes.push_back({c.row + r, 0.0, 0.0});
        else
          program.free.push_back(c.row + r);
      }
      continue;
    }
    program.cones.push_back({c.row, friction_cone(c, shape)});
    program.cones.back().cone.sign = sign;
    program.E(nv, c.row) = sign;
  }
  for (const Closure& c : p.closures)
    for (int r = 0; r < c.rows; ++r) program.free.push_back(c.row + r);
  for (Eigen::Index k = 0; k < unseen.cols(); ++k) program.free.push_back(static_cast<int>(p.rows() + k));
  if (program.cones.empty()) return false;
  decided_build_ = 0;   // what the engine decided last is this
  engine->decide(program, separation_answer_);
  iterations += separation_answer_.iterations;
  if (separation_answer_.outcome != Outcome::kInfeasible) return false;
  away = separation_answer_.y.head(nv);
  for (Eigen::Index d = 0; d < nv; ++d)
    if (leaf.motion[d] == 0.0 && multipliers.held_by_motor(d)) away[d] = 0.0;
  return true;
}

bool HoldSearch::turn(MotionLeaf& leaf, const Eigen::VectorXd& away) const
{
  constexpr double kClear = 8.0, kMost = 1e-3;   // beyond rounding; what is left of `away`, and of the leaf
  const ContactProblem& p = *problem;
  const auto nv = p.nv();
  double longest_of_away = 0.0, longest_of_leaf = 0.0;   // lever arms count as their longest
  for (Eigen::Index d = 0; d < nv && p.rows() > 0; ++d) {
    const double lever = p.J.col(d).cwiseAbs().maxCoeff();
    longest_of_away += lever * std::abs(away[d]);
    longest_of_leaf += lever * std::abs(leaf.motion[d]);
  }
  double least = kInfinity, reach_of_away = 0.0, needed = 0.0, h[4];
  Eigen::Index next_price = nv;
  for (size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double price = std::isfinite(c.max_normal) ? leaf.motion[next_price++] : 0.0;
    FrictionCone cone = friction_cone(c, shape);
    cone.sign = c.side == Side::kUnilateral ? 1.0 : leaf.signs[i];
    if (detaching[i] || cone.sign == 0.0) continue;
    // Sideways forces count as at most twice the friction of the disk.
    const double weight = 1.0 + 3.0 * c.mu + (c.torsional ? c.torsion : 0.0);
    for (int k = 0; k < c.rows(); ++k) h[k] = p.J.row(c.row + k).dot(away);
    least = std::min(least, -support(cone, h));
    reach_of_away = std::max(reach_of_away, weight * longest_of_away);
    for (int k = 0; k < c.rows(); ++k) h[k] = p.J.row(c.row + k).dot(leaf.motion.head(nv));
    needed = std::max(needed, kClear * kRounding * weight * longest_of_leaf + 2.0 * (support(cone, h) - price));
  }
  if (!(least > kClear * kRounding / kMost * reach_of_away) || !std::isfinite(least)) return false;
  const double share = std::max(needed, 0.0) / least;
  const double most = leaf.motion.head(nv).lpNorm<Eigen::Infinity>();
  if (!(share * away.lpNorm<Eigen::Infinity>() <= kMost * most)) return false;
  leaf.motion.head(nv) += share * away;
  return true;
}

bool HoldSearch::sharpen(std::vector<MotionLeaf>& sharpened, const Loads& loads)
{
  for (MotionLeaf& leaf : sharpened) {
    const double driven = gain(leaf, loads);
    if (!(driven > 0.0) || !separate_contacts(leaf, Eigen::MatrixXd(problem->nv(), 0), direction)) return false;
    MotionLeaf turned = leaf;
    turned.motion.head(problem->nv()) += direction;
    const double lost = driven - gain(turned, loads);
    const double share = lost > 0.5 * driven ? 0.5 * driven / lost : 1.0;
    leaf.motion.head(problem->nv()) += share * direction;
  }
  return true;
}

void HoldSearch::cast(const Loads& from, const Loads& slope, double start, const LineOptions& options, LineCast& result)
{
  result.lower = start;
  result.upper = kInfinity;
  result.x = witness;
  result.end = LineCast::End::kUndecided;
  recycle(result.leaves);
  witness_signs_ = signs;
  if (!options.same_signs) start_signs_.assign(signs.size(), 0);
  // Every leaf of a failing search says from where on its signs fail; the last of them is where all do.
  auto cut = [&](double t) {
    double last = result.lower;
    for (const MotionLeaf& leaf : leaves) {
      const double rate = gain(leaf, slope);
      last = std::max(last, rate > 0.0 ? -gain(leaf, from) / rate : t);
    }
    last = std::min(last, t);
    if (!(last < result.upper)) return;
    result.upper = last;
    result.leaves.swap(leaves);
  };

  if (!options.bounded) {
    // Without end iff the slope itself is carried by rays: forces without limits, limits growing with t.
    at_ = slope;
    for (Eigen::Index d = 0; d < at_.e.size(); ++d) {
      if (std::isinf(from.lower[d])) at_.lower[d] = -kInfinity;
      if (std::isinf(from.upper[d])) at_.upper[d] = kInfinity;
    }
    for (Eigen::Index i = 0; i < at_.max_normal.size(); ++i)
      if (std::isinf(from.max_normal[i])) at_.max_normal[i] = kInfinity;
    multipliers.set_loads(at_);
    start_signs_ = witness_signs_;
    const Verdict ray = decide_next(start_signs_);
    if (ray == Verdict::kHolds) {
      result.end = LineCast::End::kUnbounded;
      if (std::isfinite(options.cap)) {
        const auto forces = multipliers.force_columns();
        result.x.head(forces) += (options.cap - start) * witness.head(forces);
        result.lower = options.cap;
      }
      signs = witness_signs_;
      multipliers.set_loads(from);
      multipliers.arrange(signs);
      return;
    }
    if (ray == Verdict::kFails && (options.same_signs || !multipliers.needs_signs())) cut(kInfinity);
  }

  close_gap(result, options, [&](double t) {
    at_.set_line(from, t, slope);
    multipliers.set_loads(at_);
    if (options.same_signs)
      start_signs_ = witness_signs_;
    else
      std::fill(start_signs_.begin(), start_signs_.end(), 0);
    const Verdict verdict = decide_next(start_signs_);
    if (verdict == Verdict::kHolds) {
      result.x = witness;
      witness_signs_ = signs;
    }
    if (verdict == Verdict::kFails) cut(t);
    return verdict;
  });
  signs = witness_signs_;
  multipliers.set_loads(from);
  multipliers.arrange(signs);
}

/// Which contacts take part in the common slack; returns the largest normal force of the witness among them, or -1.
double HoldSearch::weigh_contacts()
{
  const size_t contacts = problem->contacts.size();
  slack_weights_.assign(contacts, 0.0);
  double force_scale = -1.0;
  for (size_t i = 0; i < contacts; ++i) {
    const Contact& contact = problem->contacts[i];
    if (multipliers.column(i) < 0 || (contact.side == Side::kBilateral && signs[i] == 0)) continue;
    slack_weights_[i] = contact.side == Side::kUnilateral ? 1.0 : static_cast<double>(signs[i]);
    force_scale = std::max(force_scale, std::abs(witness[multipliers.column(i)]));
  }
  return force_scale;
}

/// Loads per newton of slack: every chosen normal force lowered by one, limits and effort bounds that much nearer.
void HoldSearch::set_slack_slope(const Loads& loads, const Eigen::VectorXd* effort_room)
{
  const auto nv = problem->nv();
  slope_.e.setZero(nv);
  slope_.e_scale.setZero(nv);
  slope_.lower.setZero(nv);
  slope_.upper.setZero(nv);
  slope_.max_normal.setZero(static_cast<Eigen::Index>(slack_weights_.size()));
  for (size_t i = 0; i < slack_weights_.size(); ++i)
    if (slack_weights_[i] != 0.0) {
      slope_.e -= slack_weights_[i] * problem->J.row(problem->contacts[i].row).transpose();
      // a limited force keeps the same distance from its limit: sign λn + s = max - 2 t after the shift of λn
      if (std::isfinite(loads.max_normal[i])) slope_.max_normal[i] = -2.0;
    }
  if (!effort_room) return;
  slope_.lower = *effort_room;
  slope_.upper = -*effort_room;
}

/// Makes the forces x of the load t down the slope the witness, with the normal forces put back; false when rounding forbids.
bool HoldSearch::put_back(const Eigen::VectorXd& x, double t)
{
  shifted = x;
  for (size_t i = 0; i < slack_weights_.size(); ++i)
    if (slack_weights_[i] != 0.0) shifted[multipliers.column(i)] += t * slack_weights_[i];
  multipliers.complete(shifted);
  if (multipliers.add_violated_bounds(shifted) || !proves_feasible(multipliers.program(), shifted)) return false;
  witness = shifted;
  return true;
}

bool HoldSearch::give_slack(const Loads& loads, const Eigen::VectorXd* effort_room, double slack)
{
  if (weigh_contacts() < 0.0) return false;
  set_slack_slope(loads, effort_room);
  return slack_at(loads, slack);
}

bool HoldSearch::slack_at(const Loads& loads, double slack)
{
  at_.set_line(loads, slack, slope_);
  multipliers.set_loads(at_);
  in_sequence_ = true;
  const Verdict verdict = decide_program({});
  in_sequence_ = false;
  multipliers.set_loads(loads);
  return verdict == Verdict::kHolds && put_back(answer.x, slack);
}

/// The largest s such that every contact could lose s newtons of normal force and still be inside its cone. Contacts that
/// cannot gain any (they are at their rim in every solution) are then set aside and the rest goes on, so that one of them does
/// not leave all others at an arbitrary vertex.
HoldSearch::Depth HoldSearch::deepen(const Loads& loads, const Eigen::VectorXd* effort_room, bool any_slack,
                                     double relative_gap)
{
  Depth depth;
  const double force_scale = weigh_contacts();
  if (force_scale <= 0.0) {
    depth.strict = force_scale < 0.0;
    return depth;
  }
  const size_t contacts = problem->contacts.size();
  for (size_t round = 0; round <= contacts; ++round) {
    set_slack_slope(loads, round == 0 ? effort_room : nullptr);
    if (round == 0 && any_slack && slack_at(loads, kRim * force_scale)) {   // only whether there is any beyond rounding
      depth.strict = true;
      return depth;
    }
    LineOptions line;
    line.relative_gap = relative_gap;
    line.scale = 1e-6 * force_scale;   // so that a slack of kRim is still resolved
    line.cap = force_scale;   // internal forces could grow without end: the witness sets the scale
    line.same_signs = true;
    cast(loads, slope_, 0.0, line, deep_);
    if (deep_.lower > kRim * force_scale) {
      if (put_back(deep_.x, deep_.lower) && round == 0) {
        depth.slack = deep_.lower;
        depth.strict = true;
      }
      return depth;
    }
    if (deep_.end != LineCast::End::kBounded || deep_.leaves.empty()) return depth;
    // Contacts on which the certificate leans are stuck at the rim.
    auto leans = [&](size_t i) {
      return std::abs(problem->J.row(problem->contacts[i].row).dot(deep_.leaves[0].motion.head(problem->nv())));
    };
    double top = 0.0;
    for (size_t i = 0; i < contacts; ++i)
      if (slack_weights_[i] != 0.0) top = std::max(top, leans(i));
    bool left = false;
    for (size_t i = 0; i < contacts; ++i)
      if (slack_weights_[i] != 0.0) {
        if (leans(i) > 1e-6 * top) slack_weights_[i] = 0.0;
        left = left || slack_weights_[i] != 0.0;
      }
    if (!left) return depth;
  }
  return depth;
}

/// Forces that touch a friction rim in every solution: whether they are inside or outside is below rounding, so nothing is
/// claimed. A frictionless or unloaded contact is at the boundary of its cone by its nature and raises no doubt.
std::string HoldSearch::doubt_of_the_rim(const Eigen::VectorXd& lambda) const
{
  const double force_scale = lambda.lpNorm<Eigen::Infinity>();
  for (const Contact& contact : problem->contacts) {
    const double* f = lambda.data() + contact.row;
    FrictionCone cone = friction_cone(contact, shape);
    if (contact.side == Side::kBilateral && f[0] < 0.0) cone.sign = -1.0;
    const double sideways = Eigen::Map<const Eigen::VectorXd>(f + 1, contact.rows() - 1).lpNorm<Eigen::Infinity>();
    if (sideways > 0.0 && slack(cone, f) <= kRim * force_scale)
      return "contact " + contact.name + " is at the rim of its friction cone to within rounding";
    if (std::abs(f[0]) > 0.0 && contact.max_normal - std::abs(f[0]) <= kRim * force_scale)
      return "contact " + contact.name + " is at its largest normal force to within rounding";
  }
  return "";
}

void HoldSearch::report_contacts(const Eigen::VectorXd& lambda, Verdict verdict, std::vector<ContactReport>& reports) const
{
  internal::report_contacts(*problem, shape, detaching, lambda, verdict, reports);
}

int HoldSearch::indeterminacy()
{
  const Eigen::Index rows = multipliers.exact_rows(), columns = multipliers.force_columns();
  active_rows_ = multipliers.program().E.topLeftCorner(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    const double size = active_rows_.col(j).norm();
    if (size > 0.0) active_rows_.col(j) /= size;
  }
  if (columns == 0 || rows == 0) {
    null_space.setIdentity(columns, columns);
    return static_cast<int>(columns);
  }
  rank_qr_.compute(active_rows_, kRank);
  const auto rank = rank_qr_.rank();
  null_space.resize(columns, columns - rank);
  for (Eigen::Index k = 0; k < null_space.cols(); ++k) rank_qr_.cancel(rank, rank + k, null_space.col(k));
  return static_cast<int>(columns - rank);
}

/// A contact's force is the same in every solution when no internal force touches it. Otherwise forces strictly inside
/// their cones can move along that internal force; at the rim this is only said after `intervals`.
bool HoldSearch::force_unique(size_t contact) const
{
  const int column = multipliers.column(contact);
  if (column < 0 || null_space.cols() == 0) return true;
  return null_space.middleRows(column, problem->contacts[contact].rows()).lpNorm<Eigen::Infinity>() <= 1e-8;
}

}  // namespace stiction::internal
