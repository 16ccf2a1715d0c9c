// Margins of (EQ), each proved from both sides (section 2 of the spec).
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "ask/contact_reports.hpp"
#include "ask/equilibrium_workspace.hpp"
#include "stiction/error.hpp"

namespace stiction {

using internal::HoldProblem;
using internal::LineCast;
using internal::LineOptions;
using internal::Loads;
using internal::MultiplierSet;

namespace {

constexpr int kMostBallDirections = 400;

/// Of the load that contacts carry, or of effort limits: margins that are smaller are as good as zero, so that their
/// gaps are measured by this. Ends of a ball are found to the same share of the gap that it closes.
constexpr double kSmallMargin = 1e-3;
constexpr double kFarMargin = 1e3;      // of the load: a ball that large has no end
constexpr double kLeastLoad = 1e-9;     // N: of bodies without weight
constexpr double kJustEnough = 1e-12;   // beyond limits that are just enough, by rounding
constexpr double kInsideMargin = 1e-6;  // step back from a margin found without proof, so that it can be proved

void set_undecided(Margin& margin, std::string reason)
{
  margin.state = Margin::State::kUndecided;
  margin.reason = std::move(reason);
}

/// What a margin about a case that has to hold says when it does not; true when it does.
bool holds_or_say(const EquilibriumResult& result, Margin& margin)
{
  if (result.verdict == Verdict::kFails) margin.state = Margin::State::kNone;
  if (result.verdict == Verdict::kUndecided) set_undecided(margin, result.reason);
  return result.verdict == Verdict::kHolds;
}

double distance_from_origin(const Eigen::Vector3d& p, const Eigen::Vector3d& q)
{
  const Eigen::Vector3d side = q - p;
  const double length2 = side.squaredNorm();
  const double t = length2 > 0.0 ? std::clamp(-p.dot(side) / length2, 0.0, 1.0) : 0.0;
  return (p + t * side).norm();
}

/// Of a triangle; equal corners make it a segment or a point.
double distance_from_origin(const Eigen::Vector3d& p, const Eigen::Vector3d& q, const Eigen::Vector3d& r)
{
  const Eigen::Vector3d normal = (q - p).cross(r - p);
  const bool above = normal.norm() > 0.0 && normal.dot((q - p).cross(-p)) >= 0.0 &&
                     normal.dot((r - q).cross(-q)) >= 0.0 && normal.dot((p - r).cross(-r)) >= 0.0;
  if (above) return std::abs(p.dot(normal)) / normal.norm();
  return std::min({distance_from_origin(p, q), distance_from_origin(q, r), distance_from_origin(r, p)});
}

/// The end of a cast as a margin.
void set_from(Margin& margin, const LineCast& line, double lower, double upper)
{
  margin.lower = lower;
  margin.upper = upper;
  if (line.end == LineCast::End::kBounded)
    margin.state = Margin::State::kKnown;
  else if (line.end == LineCast::End::kUnbounded)
    margin.state = Margin::State::kUnbounded;
  else
    set_undecided(margin, "within tolerance of the boundary");
}

/// Pushes w of length r in all directions: e - ball w. Boundary points p = t u of the held (convex) set along
/// directions u span simplices with the origin that are held as well; what is inside all of them bounds r below. Every
/// motion that fails a push bounds it above by its half-space. The simplex that reaches least far is split until the
/// bounds meet.
class BallSandwich {
 public:
  BallSandwich(EquilibriumChecker::Workspace& checker, const EquilibriumOptions& options)
      : checker_(checker),
        options_(options),
        k_(static_cast<int>(options.ball.cols())),
        branches_(checker.set.needs_signs()),
        far_(kFarMargin * std::max(checker.carried_load(), kLeastLoad))
  {
    how_.relative_gap = kSmallMargin * options.ball_gap;
    how_.scale = kSmallMargin * checker.carried_load();
    how_.cap = far_;
  }

  void close(Margin& margin)
  {
    span_axes();
    double lower = 0.0;
    for (;;) {
      const auto worst = std::ranges::min_element(simplices_, {}, &Simplex::reach);
      lower = worst->reach;
      if (k_ == 1 || closed(lower, piece_upper_) || points_.size() >= kMostBallDirections) break;
      const Simplex split_one = *worst;
      simplices_.erase(worst);
      split(split_one);
    }
    margin.lower = std::min(lower, upper_);
    margin.upper = upper_;
    if (std::isinf(upper_))
      margin.state = lower >= 0.5 * far_ ? Margin::State::kUnbounded : Margin::State::kUndecided;
    else
      margin.state = complete_ && closed(lower, upper_) ? Margin::State::kKnown : Margin::State::kUndecided;
    if (margin.state == Margin::State::kUndecided) margin.reason = "the gap is still open after the pushes tried";
  }

 private:
  struct Simplex {
    int corner[3];
    double reach;  ///< distance of the origin from its far side: what a ball of that radius has in its cone is inside
  };

  bool closed(double lower, double upper) const { return upper - lower <= options_.ball_gap * upper; }

  /// A boundary point along a direction; returns its index.
  int shoot(const Eigen::Vector3d& way)
  {
    Loads& slope = checker_.slope;
    LineCast& line = checker_.line;
    slope.set_zero(*checker_.problem);
    slope.e = -options_.ball * way.head(k_);
    slope.e_scale = slope.e.cwiseAbs();
    how_.same_signs = true;  // a convex piece: hulls of held points are held
    cast(0.0);
    complete_ = complete_ && line.end != LineCast::End::kUndecided;
    const double held = line.lower;
    if (line.end == LineCast::End::kBounded) piece_upper_ = std::min(piece_upper_, std::max(held, line.upper));
    if (line.leaves.size() == 1) {
      const MotionLeaf& leaf = line.leaves[0];
      const Eigen::VectorXd normal = options_.ball.transpose() * leaf.motion.head(checker_.problem->nv());
      const double size = normal.norm();
      if (size > 0.0) piece_upper_ = std::min(piece_upper_, -gain(*checker_.problem, leaf, checker_.loads) / size);
    }
    if (branches_) {  // what no signs hold
      how_.same_signs = false;
      cast(held);
    }
    if (line.end == LineCast::End::kBounded) upper_ = std::min(upper_, std::max(held, line.upper));
    if (!branches_) upper_ = std::min(upper_, piece_upper_);
    ways_.push_back(way);
    points_.push_back(held * way);
    return static_cast<int>(points_.size()) - 1;
  }

  void cast(double start)
  {
    checker_.caster.cast(checker_.hold_problem(), checker_.slope, start, checker_.found, how_, checker_.search,
                         checker_.line);
  }

  void add_simplex(int i, int j, int l)
  {
    simplices_.push_back({{i, j, l}, distance_from_origin(points_[i], points_[j], points_[l])});
  }

  void span_axes()
  {
    int axis[3][2] = {};
    for (int i = 0; i < k_; ++i)
      for (int s : {0, 1}) axis[i][s] = shoot((s == 0 ? 1.0 : -1.0) * Eigen::Vector3d::Unit(i));
    for (int s0 : {0, 1})
      for (int s1 = 0; s1 < (k_ > 1 ? 2 : 1); ++s1)
        for (int s2 = 0; s2 < (k_ > 2 ? 2 : 1); ++s2)
          add_simplex(axis[0][s0], k_ > 1 ? axis[1][s1] : axis[0][s0], k_ > 2 ? axis[2][s2] : axis[0][s0]);
  }

  /// In the middle of the longest side, as seen from the origin.
  void split(const Simplex& simplex)
  {
    int from = 0, to = 1;
    double least = 2.0;
    for (int i = 0; i < k_; ++i)
      for (int j = i + 1; j < k_; ++j) {
        const double cosine = ways_[simplex.corner[i]].dot(ways_[simplex.corner[j]]);
        if (cosine >= least) continue;
        least = cosine;
        from = i;
        to = j;
      }
    const Eigen::Vector3d middle = ways_[simplex.corner[from]] + ways_[simplex.corner[to]];
    const int added = shoot(middle.normalized());
    for (int end : {from, to}) {
      Simplex half = simplex;
      half.corner[end] = added;
      add_simplex(half.corner[0], half.corner[1], k_ > 2 ? half.corner[2] : half.corner[0]);
    }
  }

  EquilibriumChecker::Workspace& checker_;
  const EquilibriumOptions& options_;
  const int k_;
  const bool branches_;
  const double far_;  // N: pushes of a thousand times the load are as good as any
  LineOptions how_;
  std::vector<Eigen::Vector3d> ways_, points_;
  std::vector<Simplex> simplices_;
  double upper_ = kInfinity;
  double piece_upper_ =
      kInfinity;  ///< of the signs at hand: what other signs hold beyond does not raise the lower bound
  bool complete_ = true;
};

}  // namespace

bool internal::scale_limits(const Loads& loads, const ContactProblem& problem, Loads& from, Loads& slope,
                            Loads& unlimited)
{
  from = unlimited = loads;
  slope.set_zero(problem);
  bool any = false;
  for (Eigen::Index d = 0; d < problem.nv(); ++d) {
    double &lower = from.lower[d], &upper = from.upper[d];
    if (lower == upper || lower > 0.0 || upper < 0.0) continue;
    if (std::isfinite(lower) && lower < 0.0) {
      slope.lower[d] = -lower;
      lower = 0.0;
      unlimited.lower[d] = -kInfinity;
      any = true;
    }
    if (std::isfinite(upper) && upper > 0.0) {
      slope.upper[d] = -upper;
      upper = 0.0;
      unlimited.upper[d] = kInfinity;
      any = true;
    }
  }
  return any;
}

void EquilibriumChecker::Workspace::friction_margin(EquilibriumResult& result)
{
  internal::KnownFriction known;
  if (result.verdict == Verdict::kHolds) known.holding = 1.0;
  if (result.verdict == Verdict::kFails) {
    known.failing = 1.0;
    trial.leaves = result.certificate.leaves;
  }
  const internal::FrictionBracket least = least_friction(hold_problem(), -1, known, search, trial);
  result.friction_scale = least.as_margin(trial.reason);
  Margin& margin = result.friction_scale;
  if (margin.state == Margin::State::kNone) {
    with_most_friction = result.certificate;
    with_most_friction.leaves = trial.leaves;
    const ContactProblem most = internal::with_friction(*problem, kUnlimitedFriction);
    if (judge_equilibrium(most, a, shape, with_most_friction) != Verdict::kFails)
      set_undecided(margin, "that none helps could not be proved");
  }
  if (least.known && least.upper && result.verdict == Verdict::kHolds) show_forces(result, *least.upper);
  if (least.known && least.upper && result.verdict == Verdict::kFails) show_forces_of_failure(result, *least.upper);
}

/// Of a load that fails for want of friction: the forces that would need the least of it.
void EquilibriumChecker::Workspace::show_forces_of_failure(EquilibriumResult& result, double least)
{
  if (!shown_forces.find(hold_problem(), least, {}, search, trial)) return;
  Certificate forces;
  set.to_lambda(trial.forces, forces.lambda);
  write_efforts(forces.lambda, forces.efforts);
  if (!internal::balances_with_more_friction(*problem, a, shape, forces.lambda, forces.efforts)) return;
  result.least_friction_shown = true;
  result.certificate.lambda = forces.lambda;
  result.certificate.efforts = forces.efforts;
}

/// Of all forces those that need the least friction, where they are proved as well as those at hand.
void EquilibriumChecker::Workspace::show_forces(EquilibriumResult& result, double least)
{
  if (!shown_forces.find(hold_problem(), least, found.forces, search, trial)) return;
  found.forces.swap(trial.forces);
  Certificate before = result.certificate;
  write_forces(result.certificate);
  if (judge.equilibrium(*problem, a, shape, result.certificate) != Verdict::kHolds) {
    result.certificate = before;
    found.forces.swap(trial.forces);
    return;
  }
  result.least_friction_shown = true;
  found.signs = trial.signs;
  result.lambda = result.certificate.lambda;
  result.efforts = result.certificate.efforts;
  internal::report_contacts(*problem, shape, detaching, result.lambda, result.verdict, part_forces, result.contacts);
}

/// The smallest σ is the end of a cast along -σ.
void EquilibriumChecker::Workspace::effort_margin(const EquilibriumOptions& options, EquilibriumResult& result)
{
  Margin& margin = result.effort;
  Loads from, unlimited;
  if (!internal::scale_limits(loads, *problem, from, slope, unlimited)) {
    if (!holds_or_say(result, margin)) return;
    margin.state = Margin::State::kKnown;
    margin.lower = margin.upper = 0.0;
    return;
  }
  // Enough σ to start from: one, or what forces without those limits need.
  double start = 1.0;
  const bool holds = result.verdict == Verdict::kHolds;
  if (!holds) {
    MultiplierSet strongest;
    strongest.build(*problem, shape, unlimited, detaching);
    const Verdict verdict = decide({strongest, unlimited, nullptr, {}, branch_limit}, search, trial);
    if (verdict == Verdict::kFails) margin.state = Margin::State::kNone;
    if (verdict == Verdict::kUndecided) set_undecided(margin, trial.reason);
    if (verdict != Verdict::kHolds) return;
    Eigen::VectorXd lambda;
    strongest.to_lambda(trial.forces, lambda);
    for (Eigen::Index d = 0; d < problem->nv(); ++d) {
      const double effort = loads.e[d] - problem->J.col(d).dot(lambda);
      if (slope.lower[d] > 0.0) start = std::max(start, -effort / slope.lower[d]);
      if (slope.upper[d] < 0.0) start = std::max(start, -effort / slope.upper[d]);
    }
    start *= 1.0 + kJustEnough;
  }
  LineOptions how;
  how.relative_gap = options.relative_gap;
  how.scale = kSmallMargin;
  how.cap = 0.0;
  how.bounded = true;
  const HoldProblem scaled{set, from, nullptr, {}, branch_limit};
  caster.cast(scaled, slope, -start, holds ? found : trial, how, search, line);
  set_from(margin, line, std::max(0.0, -line.upper), std::max(0.0, -line.lower));
  if (line.lower >= 0.0) margin.lower = margin.upper = 0.0;
  if (result.verdict == Verdict::kFails && !result.least_friction_shown) show_forces_of_weakness(result);
}

/// Of a load that fails for want of effort: the forces at the end of the cast, which need the least of it.
void EquilibriumChecker::Workspace::show_forces_of_weakness(EquilibriumResult& result)
{
  Certificate forces;
  set.to_lambda(line.forces, forces.lambda);
  write_efforts(forces.lambda, forces.efforts);
  if (!internal::balances_with_larger_efforts(*problem, a, shape, forces.lambda, forces.efforts)) return;
  result.least_effort_shown = true;
  result.certificate.lambda = forces.lambda;
  result.certificate.efforts = forces.efforts;
}

void EquilibriumChecker::Workspace::push_margin(const EquilibriumOptions& options, EquilibriumResult& result)
{
  if (options.push.size() != problem->nv() || !options.push.allFinite())
    throw InputError("options.push", "want " + std::to_string(problem->nv()) + " finite entries, got " +
                                         std::to_string(options.push.size()));
  if (!holds_or_say(result, result.push)) return;
  slope.set_zero(*problem);
  slope.e = -options.push;  // an applied force is on the other side of M a + F = J'λ + τ
  slope.e_scale = options.push.cwiseAbs();
  LineOptions how;
  how.relative_gap = options.relative_gap;
  how.scale = kSmallMargin * carried_load();
  caster.cast(hold_problem(), slope, 0.0, found, how, search, line);
  set_from(result.push, line, line.lower, line.upper);
}

void EquilibriumChecker::Workspace::ball_margin(const EquilibriumOptions& options, EquilibriumResult& result)
{
  const auto k = options.ball.cols();
  if (options.ball.rows() != problem->nv() || k > 3 || !options.ball.allFinite())
    throw InputError("options.ball", "want " + std::to_string(problem->nv()) + " x 1, 2 or 3 finite entries, got " +
                                         std::to_string(options.ball.rows()) + " x " + std::to_string(k));
  if (holds_or_say(result, result.ball)) BallSandwich(*this, options).close(result.ball);
}

/// The load per r of the generators margin: every coefficient of contact i at least r (1 + mu²) / (k mu), so that e - r
/// (sum of unit generators, so weighted) has to be carried. False when a contact has no generators, which the margin
/// says.
bool EquilibriumChecker::Workspace::set_generator_slope(Margin& margin)
{
  slope.set_zero(*problem);
  for (const Contact& contact : problem->contacts) {
    if (contact.side == Side::kBilateral) {
      set_undecided(margin, "contact " + contact.name + " is bilateral: it has no generators");
      return false;
    }
    if (contact.mu == 0.0 || contact.tangents == 0) {
      set_undecided(margin, "contact " + contact.name + " has no friction: its generators are one");
      return false;
    }
    Eigen::MatrixXd rays = generators(internal::friction_cone(contact, shape));
    rays.colwise().normalize();
    const double weight = (1.0 + contact.mu * contact.mu) / (static_cast<double>(rays.cols()) * contact.mu);
    slope.e -= problem->J.middleRows(contact.row, contact.rows()).transpose() * (weight * rays.rowwise().sum());
  }
  slope.e_scale = slope.e.cwiseAbs();
  return true;
}

/// Adding generators never hurts, so an r below one that is possible is possible too.
void EquilibriumChecker::Workspace::generators_margin(const EquilibriumOptions& options, EquilibriumResult& result)
{
  if (shape.approximation != ConeApproximation::kInner)
    throw InputError("options.generators", "want inner facets, got another cone");
  Margin& margin = result.generators;
  if (!set_generator_slope(margin)) return;
  LineOptions how;
  how.relative_gap = options.relative_gap;
  const double scale = carried_load();
  how.scale = kSmallMargin * scale;
  double start = 0.0;
  const bool holds = result.verdict == Verdict::kHolds;
  if (!holds) {  // any r at all: a free variable beside the forces
    const Eigen::MatrixXd column = -slope.e;
    MultiplierSet any;
    any.build(*problem, shape, loads, detaching, &column);
    const Verdict verdict = decide({any, loads, nullptr, {}, branch_limit}, search, trial);
    if (verdict == Verdict::kFails) margin.state = Margin::State::kNone;
    if (verdict == Verdict::kUndecided) set_undecided(margin, trial.reason);
    if (verdict != Verdict::kHolds) return;
    start = trial.forces[any.extra_column()];
    start -= kInsideMargin * std::max(std::abs(start), scale);
    Loads at;
    at.set_line(loads, start, slope);
    if (decide({set, at, nullptr, {}, branch_limit}, search, trial) != Verdict::kHolds)
      return set_undecided(margin, "within tolerance of the boundary");
  }
  caster.cast(hold_problem(), slope, start, holds ? found : trial, how, search, line);
  set_from(margin, line, line.lower, line.upper);
}

}  // namespace stiction
