#include "stiction/proof/region.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "proof/polygon.hpp"
#include "proof/region_case.hpp"
#include "proof/sign_cover.hpp"
#include "proof/sums.hpp"

namespace stiction {
namespace internal {
namespace {

/// Rounding of a sum of three terms and of a product in each: 2^-52 of their absolute values, with room.
constexpr double kShiftRounding = 0x1p-50;

/// Position and shift come from other sums over the same numbers than M and J.
constexpr double kPlace = 1e-9;
/// Sum of the unit normals of neighbouring sides below which their corner has no direction.
constexpr double kSharpest = 1e-12;

bool has_friction(const Contact& c) { return (c.tangents > 0 && c.mu > 0.0) || (c.torsional && c.torsion > 0.0); }

/// These points, and so everything between them, are on the far side of one side of the clipping square.
bool beyond_square(const std::optional<double>& clip, std::initializer_list<Eigen::Vector2d> points)
{
  if (!clip) return false;
  for (const int k : {0, 1})
    for (const double sign : {1.0, -1.0})
      if (std::ranges::all_of(points, [&](const Eigen::Vector2d& s) { return sign * s[k] >= *clip; })) return true;
  return false;
}

std::string metres(const Eigen::Vector2d& s)
{
  return "(" + std::to_string(s.x()) + ", " + std::to_string(s.y()) + ") m from the position";
}

}  // namespace

/// The outer polygon encloses the piece beyond the clipping square as well: from a held corner, convex as it is, the
/// piece cannot go there without crossing the ring around the polygon in which nothing is held.
bool encloses_all(const RegionPieceProof& piece, const std::optional<double>& clip)
{
  return !touches_square(piece.sides) && (!clip || !piece.inner.empty());
}

void side_line(const RegionInput& input, const RegionPieceProof& piece, std::size_t i, Eigen::Vector2d& normal,
               double& offset)
{
  const Eigen::Vector2d &from = piece.outer[i], &to = piece.outer[(i + 1) % piece.outer.size()];
  const Eigen::VectorXd& motion = piece.sides[i].motion;
  const Eigen::Vector2d along = to - from;
  normal = Eigen::Vector2d(along.y(), -along.x());
  if (motion.size() >= input.shift.rows()) normal = input.shift.transpose() * motion.head(input.shift.rows());
  normal.normalize();
  offset = normal.dot(input.position) + std::max(normal.dot(from), normal.dot(to));
}

bool touches_square(const std::vector<MotionLeaf>& sides)
{
  return std::ranges::any_of(sides, [](const MotionLeaf& leaf) { return leaf.motion.size() == 0; });
}

RegionCase::RegionCase(const RegionInput& input, const RegionRules& rules, std::string* why)
    : input_(input), rules_(rules), why_(why), a_(input.a)
{
  if (a_.size() == 0) a_.setZero(input.problem.nv());
}

bool RegionCase::well_formed()
{
  const auto no = [&](const char* text) { return refuse(why_, [&] { return std::string(text); }); };
  const Eigen::Index nv = input_.problem.nv();
  if (a_.size() != nv || !all_finite(a_)) return no("a has the wrong size or is not finite");
  if (input_.shift.rows() != nv || !input_.shift.allFinite())
    return no("the shift has the wrong size or is not finite");
  if (input_.shift.isZero(0.0)) return no("the shift is zero: no load moves with the centre of mass");
  if (!input_.position.allFinite()) return no("the position is not finite");
  if (rules_.clip && !(*rules_.clip > 0.0 && *rules_.clip <= kRegionReach)) return no("the clipping square is not one");
  return input_.base < 0 || placed();
}

/// Position and shift against M, J and the contact points. In the axes of the base, M has m c and J the levers; the
/// contact points then tell where the base is.
bool RegionCase::placed()
{
  const ContactProblem& p = input_.problem;
  const Eigen::Index b = input_.base;
  if (b + 6 > p.nv() || p.M.rows() != p.nv() || p.J.cols() != p.nv() || p.J.rows() != p.rows())
    return refuse(why_, [] { return std::string("the base is not in the problem"); });
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if ((j < b + 3 || j >= b + 6) && !input_.shift.row(j).isZero(0.0))
      return refuse(why_, [] { return std::string("the shift is more than a moment on the base"); });
  const double mass = p.M(b, b);
  if (!(mass > 0.0)) return true;
  const Eigen::Vector3d com_B = Eigen::Vector3d(p.M(b + 1, b + 5), p.M(b + 2, b + 3), p.M(b, b + 4)) / mass;
  for (const Contact& c : p.contacts) {
    if (c.tangents != 2 || c.row < 0 || c.row + 3 > p.rows()) continue;
    Eigen::Matrix3d R = c.axes_W * p.J.block<3, 3>(c.row, b);
    if (!(R * R.transpose()).isIdentity(kPlace)) continue;  // of another model
    const Eigen::Matrix3d lever = R.transpose() * c.axes_W * p.J.block<3, 3>(c.row, b + 3);
    if (R.determinant() < 0.0) R = -R;  // the model is the body that is pushed on
    const Eigen::Vector3d point_B(lever(1, 2), lever(2, 0), lever(0, 1));
    const Eigen::Vector3d com_W = c.point_W + R * (com_B - point_B);
    const double room = kPlace * (1.0 + c.point_W.norm() + point_B.norm() + com_B.norm());
    if (!((com_W.head<2>() - input_.position).norm() <= room))
      return refuse(why_, [&] { return "the centre of mass is not at the position, says contact " + c.name; });
    const Eigen::Matrix<double, 3, 2> moment = R * input_.shift.middleRows<3>(b + 3);  // e_x x f, e_y x f
    const double wrong =
        std::max({std::abs(moment(0, 0)), std::abs(moment(1, 1)), std::abs(moment(1, 0) + moment(0, 1))});
    if (!(wrong <= kPlace * moment.norm()))
      return refuse(why_, [] { return std::string("the shift is not the moment of a force at the centre of mass"); });
  }
  return true;
}

/// The contacts of these signs only push: those that pull get their normal row turned round.
bool RegionCase::take_signs(const std::vector<int>& signs)
{
  problem_ = input_.problem;
  measured_ = false;
  signs_ = signs;
  convex_ = true;
  if (signs.size() != problem_.contacts.size())
    return refuse(why_, [] { return std::string("the signs of a piece do not fit the contacts"); });
  for (std::size_t i = 0; i < signs.size(); ++i) {
    Contact& c = problem_.contacts[i];
    const bool bilateral = c.side == Side::kBilateral;
    if (signs[i] != 0 && (!bilateral || std::abs(signs[i]) != 1))
      return refuse(why_, [] { return std::string("the signs of a piece do not fit the contacts"); });
    if (signs[i] == 0) {
      convex_ = convex_ && !(bilateral && has_friction(c));
      continue;
    }
    c.side = Side::kUnilateral;
    if (signs[i] > 0 || c.row < 0 || c.row >= problem_.J.rows() || c.row >= problem_.rows()) continue;
    problem_.J.row(c.row) *= -1.0;
    problem_.gamma[c.row] *= -1.0;
  }
  return true;
}

Verdict RegionCase::position(const Certificate& certificate)
{
  return judge_.equilibrium(input_.problem, a_, rules_.shape, certificate, why_);
}

/// The forces hold where F is `load`, with the efforts that they ask for: several motors of one degree of freedom share
/// it.
bool RegionCase::balances(const Eigen::VectorXd& lambda)
{
  if (lambda.size() != problem_.rows() || problem_.J.rows() != problem_.rows() || problem_.J.cols() != problem_.nv())
    return refuse(why_, [] { return std::string("the forces have the wrong size"); });
  if (!convex_)
    return refuse(why_,
                  [] { return std::string("the piece leaves open whether a contact with friction pushes or pulls"); });
  forces_.kind = CertificateKind::kForces;
  forces_.a = a_;
  forces_.lambda = lambda;
  for (std::size_t i = 0; i < signs_.size(); ++i)
    if (signs_[i] < 0) forces_.lambda[problem_.contacts[i].row] *= -1.0;
  forces_.efforts.setZero(static_cast<Eigen::Index>(problem_.actuators.size()));
  rest_ = problem_.F - problem_.J.transpose() * forces_.lambda;
  if (problem_.M.rows() == a_.size() && problem_.M.cols() == a_.size()) rest_ += problem_.M * a_;
  for (const bool first : {true, false})  // as near to zero as limits allow, then what is left
    for (std::size_t k = 0; k < problem_.actuators.size(); ++k) {
      const Actuator& motor = problem_.actuators[k];
      if (motor.dof < 0 || motor.dof >= problem_.nv() || !(motor.lower <= motor.upper)) continue;
      double& effort = forces_.efforts[static_cast<Eigen::Index>(k)];
      const double next = std::clamp(first ? 0.0 : effort + rest_[motor.dof], motor.lower, motor.upper);
      rest_[motor.dof] -= next - effort;
      effort = next;
    }
  return judge_.equilibrium(problem_, a_, rules_.shape, forces_, why_) == Verdict::kHolds;
}

bool RegionCase::held(const Eigen::Vector2d& s, const Eigen::VectorXd& lambda)
{
  if (!s.allFinite()) return refuse(why_, [] { return std::string("a corner is not finite"); });
  problem_.F = input_.problem.F + input_.shift * s;
  return balances(lambda);
}

/// Nothing that has a limit takes part in a ray, and nothing but the shift drives it.
bool RegionCase::goes_on(const Eigen::Vector2d& direction, const Eigen::VectorXd& lambda)
{
  if (!direction.allFinite() || !(std::abs(direction.norm() - 1.0) <= kPlace))
    return refuse(why_, [] { return std::string("the direction is not a unit vector"); });
  const ContactProblem all = problem_;
  const Eigen::VectorXd a = a_;
  a_.setZero();
  problem_.gamma.setZero();
  problem_.F = input_.shift * direction;
  for (Contact& c : problem_.contacts)
    if (std::isfinite(c.max_normal)) c.max_normal = 0.0;
  for (Actuator& motor : problem_.actuators) {
    if (std::isfinite(motor.lower)) motor.lower = 0.0;
    if (std::isfinite(motor.upper)) motor.upper = 0.0;
  }
  const bool carried = balances(lambda);
  problem_ = all;
  a_ = a;
  return carried;
}

/// A leaf that serves the signs at hand, with nothing for the judge to tidy: at every position it then judges the same
/// motion.
bool RegionCase::take_leaf(const MotionLeaf& leaf)
{
  if (leaf.signs.size() != signs_.size())
    return refuse(why_, [] { return std::string("the signs of a leaf do not fit the contacts"); });
  leaf_.leaves.resize(1);
  MotionLeaf& taken = leaf_.leaves[0];
  taken = leaf;
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    if (leaf.signs[i] != 0 && leaf.signs[i] != signs_[i])
      return refuse(why_, [] { return std::string("a leaf is about other signs than its piece"); });
    taken.signs[i] = 0;
  }
  const Eigen::Index nv = problem_.nv();
  if (leaf.motion.size() < nv || problem_.J.cols() != nv || !all_finite(leaf.motion))
    return refuse(why_, [] { return std::string("a leaf's motion has the wrong size or is not finite"); });
  Eigen::VectorXd y = taken.motion.head(nv);
  while (drop_noise(problem_.J.transpose(), y)) {
  }
  taken.motion.head(nv) = y;
  leaf_.kind = CertificateKind::kMotion;
  leaf_.a = a_;
  return true;
}

/// For every load that rounding of F + shift s could make of it.
double RegionCase::failing_gain(const Eigen::Vector2d& s)
{
  if (!measured_ && !leaf_judge_.measure(problem_, a_, why_)) return -kInfinity;
  measured_ = true;
  problem_.F = input_.problem.F + input_.shift * s;
  rest_ = kShiftRounding * (input_.problem.F.cwiseAbs() + input_.shift.cwiseAbs() * s.cwiseAbs());
  return leaf_judge_.failing_gain(problem_, a_, rules_.shape, leaf_, rest_, why_);
}

/// Points far beyond the corners, such that the polygon through them encloses every position that is asked about.
bool RegionCase::far_corners(const Polygon& outer, double reach, Polygon& far)
{
  const std::size_t n = outer.size();
  std::vector<Eigen::Vector2d> normal(n), out(n);
  double furthest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Eigen::Vector2d along = outer[(i + 1) % n] - outer[i];
    normal[i] = Eigen::Vector2d(along.y(), -along.x()).normalized();
    furthest = std::max(furthest, outer[i].norm());
  }
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = normal[i] + normal[(i + n - 1) % n];
    if (!(out[i].norm() > kSharpest))
      return refuse(why_, [] { return std::string("a corner of the outer polygon is too sharp"); });
    out[i].normalize();
  }
  far.resize(n);
  reach = std::max(reach, 1.01 * furthest);  // a ring around the whole polygon
  for (double length = 4.0 * (reach + furthest); length < 1e12 * reach; length *= 16.0) {
    double nearest = kInfinity;  // side to the origin
    for (std::size_t i = 0; i < n; ++i) far[i] = outer[i] + length * out[i];
    for (std::size_t i = 0; i < n; ++i) {
      const Eigen::Vector2d &p = far[i], &q = far[(i + 1) % n];
      nearest = std::min(nearest, (p.x() * q.y() - p.y() * q.x()) / (q - p).norm());
    }
    if (nearest > 1.001 * reach) return true;  // and every side turns to the left about the origin: wound at least once
  }
  return refuse(why_, [] { return std::string("the outer polygon does not close around the region"); });
}

bool RegionCase::outer(const Polygon& polygon, const std::vector<MotionLeaf>& sides, const std::optional<double>& clip)
{
  const std::size_t n = polygon.size();
  if (sides.size() != n)
    return refuse(why_, [] { return std::string("the sides of the outer polygon and their proofs differ in number"); });
  for (const Eigen::Vector2d& corner : polygon)
    if (!corner.allFinite()) return refuse(why_, [] { return std::string("a corner is not finite"); });
  if (n < 3 || !is_convex(polygon))
    return refuse(why_, [] { return std::string("the outer polygon is not convex, or not in order"); });
  Polygon far;
  if (!far_corners(polygon, clip ? 2.0 * *clip : kRegionReach, far)) return false;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = (i + 1) % n;
    if (sides[i].motion.size() == 0) {
      if (!beyond_square(clip, {polygon[i], polygon[j], far[i], far[j]}))
        return refuse(why_, [] { return std::string("a side of the outer polygon has no proof"); });
      continue;
    }
    if (!take_leaf(sides[i])) return false;
    for (const Eigen::Vector2d& s : {polygon[i], polygon[j], far[i], far[j]})
      if (!(failing_gain(s) > 0.0))
        return refuse(why_, [&, inner = why_ ? *why_ : ""] {
          return "beyond the side at " + metres(polygon[i]) + " something may be held: " + inner;
        });
  }
  return true;
}

bool RegionCase::nowhere(const MotionLeaf& leaf)
{
  constexpr double kRadius = 2.002 * kRegionReach;  // of a triangle around the reach
  if (!take_signs(leaf.signs) || !take_leaf(leaf)) return false;
  for (const Eigen::Vector2d& s : {Eigen::Vector2d(kRadius, 0.0), Eigen::Vector2d(-0.5 * kRadius, 0.8661 * kRadius),
                                   Eigen::Vector2d(-0.5 * kRadius, -0.8661 * kRadius)})
    if (!(failing_gain(s) > 0.0))
      return refuse(why_, [&, inner = why_ ? *why_ : ""] { return "that nothing is held is not proved: " + inner; });
  return true;
}

bool RegionCase::piece(const RegionPieceProof& proof, bool& bounded)
{
  if (!take_signs(proof.signs)) return false;
  if (proof.forces.size() != proof.inner.size())
    return refuse(why_,
                  [] { return std::string("the corners of the inner polygon and their forces differ in number"); });
  for (const Eigen::Vector2d& corner : proof.inner)
    if (rules_.clip && !(corner.cwiseAbs().maxCoeff() <= *rules_.clip))
      return refuse(why_, [] { return std::string("an inner corner is beyond the clipping square"); });
  for (std::size_t i = 0; i < proof.inner.size(); ++i)
    if (!held(proof.inner[i], proof.forces[i]))
      return refuse(why_, [&, inner = why_ ? *why_ : ""] {
        return "that the inner corner " + metres(proof.inner[i]) + " is held is not proved: " + inner;
      });
  if (!proof.inner.empty() && !is_convex(proof.inner))
    return refuse(why_, [] { return std::string("the inner polygon is not convex, or not in order"); });
  if (!proof.outer.empty() && !outer(proof.outer, proof.sides, rules_.clip)) return false;
  if (!proof.bound.empty() && !outer(proof.bound, proof.bound_sides, std::nullopt)) return false;
  bounded = !proof.bound.empty() || (!proof.outer.empty() && encloses_all(proof, rules_.clip));
  return true;
}

bool RegionCase::ray(const RegionRay& proof)
{
  if (!take_signs(proof.signs)) return false;
  const bool starts = held(proof.point, proof.forces);
  if (starts && goes_on(proof.direction, proof.ray)) return true;
  return refuse(why_, [&, inner = why_ ? *why_ : ""] {
    return std::string("that the region is unbounded is not proved, ") + (starts ? "on its way: " : "at its start: ") +
           inner;
  });
}

namespace {

bool patterns_meet(const std::vector<int>& a, const std::vector<int>& b)
{
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (a[i] * b[i] < 0) return false;
  return true;
}

/// Distance of the origin from the nearest side that has a proof.
double nearest_proved_side(const RegionPieceProof& piece)
{
  double nearest = kInfinity;
  for (std::size_t i = 0; i < piece.outer.size(); ++i)
    if (piece.sides[i].motion.size() > 0)
      nearest = std::min(nearest, distance_outside({piece.outer[i], piece.outer[(i + 1) % piece.outer.size()]},
                                                   Eigen::Vector2d::Zero()));
  return nearest;
}

/// Lower bound: the inner polygons are held. Upper bound, when every sign pattern is accounted for: outside the outer
/// polygons nothing is, except beyond the clipping square.
void distances(const RegionRules& rules, const RegionCertificate& certificate, bool closed, RegionClaims& claims)
{
  const Eigen::Vector2d origin = Eigen::Vector2d::Zero();
  double lower = -kInfinity, upper = -kInfinity;
  std::vector<Eigen::Vector2d> corners;
  bool in_square = false;
  for (const RegionPieceProof& piece : certificate.pieces) {
    const double error = distance_error(piece.inner), depth = distance_inside(piece.inner, origin);
    if (!piece.inner.empty())
      lower = std::max(lower, (depth > error ? depth : -distance_outside(piece.inner, origin)) - error);
    if (!closed) continue;
    const double outer_error = distance_error(piece.outer), outside = distance_outside(piece.outer, origin);
    const bool square = !encloses_all(piece, rules.clip);
    if (outside > outer_error)
      upper = std::max(upper, outer_error - (square ? std::min(outside, *rules.clip) : outside));
    else
      upper = std::max(upper, nearest_proved_side(piece) + outer_error);
    in_square = in_square || square;
    corners.insert(corners.end(), piece.outer.begin(), piece.outer.end());
  }
  if (!closed) upper = kInfinity;
  if (closed && certificate.pieces.size() > 1 && upper >= 0.0) {
    // Pieces may join: their union ends where the hull of all outer polygons does.
    Polygon around;
    std::vector<int> ignored;
    convex_hull(corners, around, ignored);
    upper = in_square ? kInfinity : std::max(upper, distance_inside(around, origin) + distance_error(around));
  }
  claims.distance.lower = claims.verdict == Verdict::kHolds ? std::max(0.0, lower) : lower;
  claims.distance.upper = claims.verdict == Verdict::kFails ? std::min(0.0, upper) : upper;
}

}  // namespace
}  // namespace internal

std::optional<RegionClaims> proved_region(const RegionInput& input, const RegionRules& rules,
                                          const RegionCertificate& certificate, std::string* why)
{
  using namespace internal;
  std::string reason;
  RegionCase judge(input, rules, why ? why : &reason);
  const auto no = [&](const char* text) {
    if (why) *why = text;
    return std::nullopt;
  };
  if (!judge.well_formed()) return std::nullopt;
  RegionClaims claims;
  if (certificate.position.kind != CertificateKind::kNone) {
    claims.verdict = judge.position(certificate.position);
    if (claims.verdict == Verdict::kUndecided) return std::nullopt;
  }
  std::vector<MotionLeaf> patterns = certificate.empty;
  bool closed = true, bounded = true;
  for (const MotionLeaf& leaf : certificate.empty)
    if (!judge.nowhere(leaf)) return std::nullopt;
  std::vector<Polygon> inner, outer;
  for (std::size_t i = 0; i < certificate.pieces.size(); ++i) {
    const RegionPieceProof& piece = certificate.pieces[i];
    for (std::size_t k = 0; k < i; ++k)
      if (patterns_meet(piece.signs, certificate.pieces[k].signs)) return no("two pieces have the same signs");
    bool piece_bounded = false;
    if (!judge.piece(piece, piece_bounded)) return std::nullopt;
    bounded = bounded && piece_bounded;
    closed = closed && !piece.outer.empty();
    patterns.push_back({piece.signs, {}});
    inner.push_back(piece.inner);
    outer.push_back(piece.outer);
  }
  const bool all = !patterns.empty() && covers_every_sign(patterns, input.problem.contacts.size());
  closed = closed && all;
  if (certificate.ray) {
    if (!judge.ray(*certificate.ray)) return std::nullopt;
    claims.kind = RegionKind::kUnbounded;
    claims.direction = certificate.ray->direction;
  } else if (all && bounded) {
    claims.kind = certificate.pieces.empty() ? RegionKind::kEmpty : RegionKind::kBounded;
  }
  claims.area = {Margin::State::kUndecided, union_area_bounds(inner).lower, kInfinity,
                 "how far the region goes on is not proved"};
  if (closed) claims.area = {Margin::State::kKnown, claims.area.lower, union_area_bounds(outer).upper, {}};
  if (claims.kind == RegionKind::kEmpty && claims.verdict == Verdict::kHolds)
    return no("the position is held, yet no position is");
  distances(rules, certificate, closed, claims);
  if (!(claims.area.lower <= claims.area.upper) || !(claims.distance.lower <= claims.distance.upper))
    return no("what is held reaches beyond what can be");
  return claims;
}

bool judge_region(const RegionInput& input, const RegionRules& rules, const RegionCertificate& certificate,
                  const RegionClaims& claims, std::string* why)
{
  using namespace internal;
  const std::optional<RegionClaims> proved = proved_region(input, rules, certificate, why);
  if (!proved) return false;
  const auto no = [&](const char* text) { return refuse(why, [&] { return std::string(text); }); };
  if (claims.verdict != Verdict::kUndecided && claims.verdict != proved->verdict)
    return no(proved->verdict == Verdict::kUndecided ? "there is no proof of the position"
              : proved->verdict == Verdict::kHolds   ? "the position is held, says its proof"
                                                     : "the position is not held, says its proof");
  if (claims.kind != RegionKind::kUndecided && claims.kind != proved->kind)
    return no(claims.kind == RegionKind::kUnbounded ? "there is no proof that the region is unbounded"
              : claims.kind == RegionKind::kEmpty   ? "there is no proof that the region is empty"
                                                    : "there is no proof that the region is bounded");
  if (claims.kind == RegionKind::kUnbounded && claims.direction != proved->direction)
    return no("the region is unbounded along another direction");
  if (!(claims.area.lower <= proved->area.lower)) return no("the area is more than that of the inner polygons");
  if (!(claims.area.upper >= proved->area.upper)) return no("the area is less than that of the outer polygons");
  if (claims.kind == RegionKind::kEmpty) return true;
  if (!(claims.distance.lower <= proved->distance.lower))
    return no("the position is not that far inside the inner polygons");
  if (!(claims.distance.upper >= proved->distance.upper))
    return no("the position is further inside the outer polygons");
  return true;
}

bool operator==(const RegionInput& a, const RegionInput& b)
{
  const auto same = [](const auto& x, const auto& y) { return x.rows() == y.rows() && x.cols() == y.cols() && x == y; };
  const auto contact = [](const Contact& x, const Contact& y) {
    return x.name == y.name && x.side == y.side && x.mu == y.mu && x.row == y.row && x.tangents == y.tangents &&
           x.torsional == y.torsional && x.torsion == y.torsion && x.max_normal == y.max_normal &&
           x.point_W == y.point_W && x.axes_W == y.axes_W;
  };
  const auto closure = [](const LoopConstraint& x, const LoopConstraint& y) {
    return x.name == y.name && x.row == y.row && x.rows == y.rows;
  };
  const auto motor = [](const Actuator& x, const Actuator& y) {
    return x.name == y.name && x.dof == y.dof && x.lower == y.lower && x.upper == y.upper;
  };
  const ContactProblem &p = a.problem, &q = b.problem;
  return same(p.M, q.M) && same(p.F, q.F) && same(p.J, q.J) && same(p.gamma, q.gamma) && same(a.a, b.a) &&
         same(a.shift, b.shift) && a.position == b.position && a.base == b.base && p.dof_names == q.dof_names &&
         p.dofs == q.dofs && std::ranges::equal(p.contacts, q.contacts, contact) &&
         std::ranges::equal(p.loops, q.loops, closure) && std::ranges::equal(p.actuators, q.actuators, motor);
}

}  // namespace stiction
