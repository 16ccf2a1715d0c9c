// Margins of (EQ), each proved from both sides (section 2 of the spec).
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "ask/equilibrium_workspace.hpp"
#include "stiction/error.hpp"

namespace stiction {

using internal::LineCast;
using internal::LineOptions;

namespace {

constexpr int kMostBallDirections = 400;

void set_undecided(Margin& margin, std::string reason)
{
  margin.state = Margin::State::kUndecided;
  margin.reason = std::move(reason);
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

}  // namespace

void EquilibriumChecker::Workspace::restore()
{
  signs = held_signs;
  witness = held_forces;
  multipliers.set_loads(loads);
  multipliers.arrange(signs);
}

void EquilibriumChecker::Workspace::zero_slope()
{
  slope.e.setZero(problem->nv());
  slope.e_scale.setZero(problem->nv());
  slope.lower.setZero(problem->nv());
  slope.upper.setZero(problem->nv());
  slope.max_normal.setZero(static_cast<Eigen::Index>(problem->contacts.size()));
}

void EquilibriumChecker::Workspace::friction_margin(const EquilibriumOptions&, EquilibriumResult& result)
{
  const internal::FrictionBracket least = smallest_friction(-1, result.verdict == Verdict::kHolds ? 1.0 : kInfinity);
  Margin& margin = result.friction_scale;
  margin.lower = std::min(least.lower, least.upper.value_or(kInfinity));
  margin.upper = least.upper.value_or(kInfinity);
  if (!least.known)
    set_undecided(margin, undecided_reason);
  else
    margin.state = least.upper ? Margin::State::kKnown : Margin::State::kNone;
  restore();
}

/// Limits σ [lower, upper] of every motor whose limits contain zero; the smallest σ is the end of a cast along -σ.
void EquilibriumChecker::Workspace::effort_margin(const EquilibriumOptions& options, EquilibriumResult& result)
{
  Margin& margin = result.effort;
  internal::Loads from = loads, none = loads;   // at σ = 0; without limits that can be scaled
  zero_slope();
  bool any = false;
  for (Eigen::Index d = 0; d < problem->nv(); ++d) {
    double &lower = from.lower[d], &upper = from.upper[d];
    if (lower == upper || lower > 0.0 || upper < 0.0) continue;
    if (std::isfinite(lower) && lower < 0.0) {
      slope.lower[d] = -lower;   // t = -σ
      lower = 0.0;
      none.lower[d] = -kInfinity;
      any = true;
    }
    if (std::isfinite(upper) && upper > 0.0) {
      slope.upper[d] = -upper;
      upper = 0.0;
      none.upper[d] = kInfinity;
      any = true;
    }
  }
  if (!any) {
    margin.state = result.verdict == Verdict::kHolds   ? Margin::State::kKnown
                   : result.verdict == Verdict::kFails ? Margin::State::kNone
                                                       : Margin::State::kUndecided;
    margin.reason = result.reason;
    if (result.verdict == Verdict::kHolds) margin.lower = margin.upper = 0.0;
    return;
  }
  // Enough σ to start from: one, or what forces without those limits need.
  double start = 1.0;
  if (result.verdict != Verdict::kHolds) {
    multipliers.build(*problem, shape, none, detaching);
    const Verdict strongest = decide_signs();
    Eigen::VectorXd lambda;
    if (strongest == Verdict::kHolds) multipliers.to_lambda(witness, lambda);
    multipliers.build(*problem, shape, loads, detaching);
    if (strongest != Verdict::kHolds) {
      if (strongest == Verdict::kFails)
        margin.state = Margin::State::kNone;
      else
        set_undecided(margin, undecided_reason);
      restore();
      return;
    }
    for (Eigen::Index d = 0; d < problem->nv(); ++d) {
      const double effort = loads.e[d] - problem->J.col(d).dot(lambda);
      if (slope.lower[d] > 0.0) start = std::max(start, -effort / slope.lower[d]);
      if (slope.upper[d] < 0.0) start = std::max(start, -effort / slope.upper[d]);
    }
    start *= 1.0 + 1e-12;
  }
  LineOptions how;
  how.relative_gap = options.relative_gap;
  how.scale = 1e-3;   // efforts below a millionth of a millionth of the limits are none
  how.cap = 0.0;
  how.bounded = true;
  cast(from, slope, -start, how, line);
  set_from(margin, line, std::max(0.0, -line.upper), std::max(0.0, -line.lower));
  if (line.lower >= 0.0) margin.lower = margin.upper = 0.0;
  restore();
}

void EquilibriumChecker::Workspace::push_margin(const EquilibriumOptions& options, EquilibriumResult& result)
{
  if (options.push.size() != problem->nv() || !options.push.allFinite())
    throw InputError("options.push", "want " + std::to_string(problem->nv()) + " finite entries, got " +
                                         std::to_string(options.push.size()));
  Margin& margin = result.push;
  if (result.verdict != Verdict::kHolds) {
    if (result.verdict == Verdict::kFails)
      margin.state = Margin::State::kNone;
    else
      set_undecided(margin, result.reason);
    return;
  }
  zero_slope();
  slope.e = -options.push;   // an applied force is on the other side of M a + F = J'λ + τ
  slope.e_scale = options.push.cwiseAbs();
  LineOptions how;
  how.relative_gap = options.relative_gap;
  how.scale = 1e-3 * carried_load();
  cast(loads, slope, 0.0, how, line);
  set_from(margin, line, line.lower, line.upper);
  restore();
}

/// Pushes w of length r in all directions: e - ball w. Boundary points p = t u of the held (convex) set along directions u
/// span simplices with the origin that are held as well; what is inside all of them bounds r below. Every motion that
/// fails a push bounds it above by its half-space. The simplex that reaches least far is split until the bounds meet.
void EquilibriumChecker::Workspace::ball_margin(const EquilibriumOptions& options, EquilibriumResult& result)
{
  const auto k = options.ball.cols();
  if (options.ball.rows() != problem->nv() || k > 3 || !options.ball.allFinite())
    throw InputError("options.ball", "want " + std::to_string(problem->nv()) + " x 1, 2 or 3 finite entries, got " +
                                         std::to_string(options.ball.rows()) + " x " + std::to_string(k));
  Margin& margin = result.ball;
  if (result.verdict != Verdict::kHolds) {
    if (result.verdict == Verdict::kFails)
      margin.state = Margin::State::kNone;
    else
      set_undecided(margin, result.reason);
    return;
  }
  struct Simplex {
    int corner[3];
    double reach;   ///< distance of the origin from its far side: what a ball of that radius has in its cone is inside
  };
  std::vector<Eigen::Vector3d> ways, points;
  std::vector<Simplex> simplices;
  double upper = kInfinity;
  bool complete = true;
  LineOptions how;
  how.relative_gap = 1e-3 * options.ball_gap;
  how.scale = 1e-3 * carried_load();
  const bool branches = multipliers.needs_signs();
  // Pushes of a thousand times the load are as good as any.
  const double far = 1e3 * std::max(carried_load(), 1e-9);
  auto shoot = [&](const Eigen::Vector3d& way) {
    zero_slope();
    slope.e = -options.ball * way.head(k);
    slope.e_scale = slope.e.cwiseAbs();
    restore();
    how.cap = far;
    how.same_signs = true;   // a convex piece: hulls of held points are held
    cast(loads, slope, 0.0, how, line);
    complete = complete && line.end != LineCast::End::kUndecided;
    const double held = line.lower;
    if (branches) {   // what no signs hold
      how.same_signs = false;
      cast(loads, slope, held, how, line);
    }
    if (line.end == LineCast::End::kBounded) upper = std::min(upper, std::max(held, line.upper));
    if (!branches && line.leaves.size() == 1) {
      const Eigen::VectorXd normal = options.ball.transpose() * line.leaves[0].motion.head(problem->nv());
      if (normal.norm() > 0.0) upper = std::min(upper, -gain(line.leaves[0], loads) / normal.norm());
    }
    ways.push_back(way);
    points.push_back(held * way);
    return static_cast<int>(points.size()) - 1;
  };
  auto make = [&](int i, int j, int l) {
    Simplex simplex{{i, j, l}, 0.0};
    simplex.reach = distance_from_origin(points[i], points[j], points[l]);
    simplices.push_back(simplex);
  };
  int axis[3][2] = {};
  for (int i = 0; i < k; ++i)
    for (int s : {0, 1}) axis[i][s] = shoot((s == 0 ? 1.0 : -1.0) * Eigen::Vector3d::Unit(i));
  for (int s0 : {0, 1})
    for (int s1 = 0; s1 < (k > 1 ? 2 : 1); ++s1)
      for (int s2 = 0; s2 < (k > 2 ? 2 : 1); ++s2)
        make(axis[0][s0], k > 1 ? axis[1][s1] : axis[0][s0], k > 2 ? axis[2][s2] : axis[0][s0]);

  double lower = 0.0;
  for (;;) {
    const auto worst = std::min_element(simplices.begin(), simplices.end(),
                                        [](const Simplex& p, const Simplex& q) { return p.reach < q.reach; });
    lower = worst->reach;
    if (k == 1 || upper - lower <= options.ball_gap * upper || points.size() >= kMostBallDirections) break;
    // Split the longest side, as seen from the origin.
    const Simplex split = *worst;
    simplices.erase(worst);
    int from = 0, to = 1;
    double least = 2.0;
    for (int i = 0; i < k; ++i)
      for (int j = i + 1; j < k; ++j) {
        const double cosine = ways[split.corner[i]].dot(ways[split.corner[j]]);
        if (cosine < least) {
          least = cosine;
          from = i;
          to = j;
        }
      }
    const Eigen::Vector3d middle = ways[split.corner[from]] + ways[split.corner[to]];
    const int added = shoot(middle.normalized());
    for (int end : {from, to}) {
      Simplex half = split;
      half.corner[end] = added;
      make(half.corner[0], half.corner[1], k > 2 ? half.corner[2] : half.corner[0]);
    }
  }
  margin.lower = std::min(lower, upper);
  margin.upper = upper;
  if (std::isinf(upper))
    margin.state = lower >= 0.5 * far ? Margin::State::kUnbounded : Margin::State::kUndecided;
  else
    margin.state = complete && upper - lower <= options.ball_gap * upper ? Margin::State::kKnown : Margin::State::kUndecided;
  if (margin.state == Margin::State::kUndecided) margin.reason = "the gap is still open after the pushes tried";
  restore();
}

/// Every coefficient of contact i at least r (1 + mu²) / (k mu): e - r (sum of unit generators, so weighted) is carried.
/// Adding generators never hurts, so an r below one that is possible is possible too.
void EquilibriumChecker::Workspace::generators_margin(const EquilibriumOptions& options, EquilibriumResult& result)
{
  if (shape.approximation != ConeApproximation::kInner)
    throw InputError("options.generators", "want inner facets, got another cone");
  Margin& margin = result.generators;
  zero_slope();
  for (const Contact& contact : problem->contacts) {
    if (contact.side == Side::kBilateral) {
      set_undecided(margin, "contact " + contact.name + " is bilateral: it has no generators");
      return;
    }
    if (contact.mu == 0.0 || contact.tangents == 0) {
      set_undecided(margin, "contact " + contact.name + " has no friction: its generators are one");
      return;
    }
    Eigen::MatrixXd rays = generators(internal::friction_cone(contact, shape));
    rays.colwise().normalize();
    const double weight = (1.0 + contact.mu * contact.mu) / (static_cast<double>(rays.cols()) * contact.mu);
    slope.e -= problem->J.middleRows(contact.row, contact.rows()).transpose() * (weight * rays.rowwise().sum());
  }
  slope.e_scale = slope.e.cwiseAbs();
  LineOptions how;
  how.relative_gap = options.relative_gap;
  const double scale = carried_load();
  how.scale = 1e-3 * scale;
  double start = 0.0;
  if (result.verdict != Verdict::kHolds) {   // any b at all: a free variable beside the forces
    const Eigen::MatrixXd column = -slope.e;
    multipliers.build(*problem, shape, loads, detaching, &column);
    const Verdict verdict = decide_signs();
    if (verdict == Verdict::kHolds) start = witness[multipliers.extra_column()];
    start -= 1e-6 * std::max(std::abs(start), scale);
    multipliers.build(*problem, shape, loads, detaching);
    if (verdict == Verdict::kHolds) {
      internal::Loads at = loads;
      at.set_line(loads, start, slope);
      multipliers.set_loads(at);
      if (decide_signs() != Verdict::kHolds) {
        set_undecided(margin, "within tolerance of the boundary");
        restore();
        return;
      }
    } else {
      if (verdict == Verdict::kFails)
        margin.state = Margin::State::kNone;
      else
        set_undecided(margin, undecided_reason);
      restore();
      return;
    }
  }
  cast(loads, slope, start, how, line);
  set_from(margin, line, line.lower, line.upper);
  restore();
}

}  // namespace stiction
