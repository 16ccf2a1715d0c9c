// docs/proofs/region.md
#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "exact/equilibrium.hpp"
#include "exact/polygon.hpp"
#include "exact/questions.hpp"

namespace stiction::exact {
namespace {

const Q kRegionReach = 1'000'000;

Point point(const Json& value) { return {number(value.at(0)), number(value.at(1))}; }
Polygon polygon(const Json& value)
{
  Polygon corners;
  for (const Json& corner : value) corners.push_back(point(corner));
  return corners;
}

/// The part of a region with one choice of signs: its problem, in which contacts that pull have their row turned round.
class Piece {
 public:
  Piece(const Problem& p, const Json& certificate, const std::vector<int>& signs)
      : whole_(p),
        p_(turned(p, signs)),
        shift_(matrix(certificate.at("shift"))),
        signs_(signs),
        equilibrium_(p_, vector(certificate.at("a")))
  {
    for (std::size_t i = 0; i < signs.size(); ++i) {
      const Contact& c = p.contacts[i];
      const bool friction = (c.tangents > 0 && c.mu > 0) || (c.torsional && c.torsion > 0);
      convex_ = convex_ && !(c.bilateral && signs[i] == 0 && friction);
    }
  }

  bool held(const Point& s, const Vector& lambda)
  {
    load(s);
    return convex_ && p_.cone.kind != Cone::kOuter && equilibrium_.sticks() &&
           equilibrium_.holds(with_signs(lambda)).empty();
  }

  /// Beyond p + t direction for every t: no limit takes part, and nothing but the shift drives.
  bool carries(const Point& direction, const Vector& lambda) const
  {
    Problem p = p_;
    for (std::size_t j = 0; j < p.n; ++j) p.F[j] = shift_[j][0] * direction.x + shift_[j][1] * direction.y;
    std::ranges::fill(p.gamma, Q(0));
    for (Contact& c : p.contacts)
      if (c.most) c.most = 0;
    for (Motor& motor : p.motors)
      for (Limit* limit : {&motor.lower, &motor.upper})
        if (*limit) *limit = 0;
    return convex_ && p.cone.kind != Cone::kOuter && Equilibrium(p, Vector(p.n, 0)).holds(with_signs(lambda)).empty();
  }

  /// Nothing is held at these points, nor between them.
  bool fails(const Json& from, const std::vector<Point>& points)
  {
    Leaf leaf = read_leaf(p_, from, p_.n);
    if (p_.cone.kind == Cone::kInner || std::ranges::any_of(leaf.prices, [](const Q& price) { return price < 0; }))
      return false;
    for (std::size_t i = 0; i < signs_.size(); ++i)
      if (leaf.signs.at(i) != 0 && leaf.signs[i] != signs_[i]) return false;
    std::ranges::fill(leaf.signs, 0);
    const auto everywhere = [&](const Leaf& y) {
      return std::ranges::all_of(points, [&](const Point& s) {
        load(s);
        return equilibrium_.sticks() && equilibrium_.fails(y);
      });
    };
    return everywhere(leaf) || everywhere(without_noise(p_, equilibrium_.measured(), leaf));
  }

 private:
  static Problem turned(Problem p, const std::vector<int>& signs)
  {
    for (std::size_t i = 0; i < p.contacts.size(); ++i) {
      Contact& c = p.contacts[i];
      if (signs.at(i) == 0) continue;
      if (!c.bilateral) throw std::invalid_argument("the signs of a piece do not fit the contacts");
      c.bilateral = false;
      if (signs[i] > 0) continue;
      for (Q& entry : p.J[c.row]) entry = -entry;
      p.gamma[c.row] = -p.gamma[c.row];
    }
    return p;
  }

  Vector with_signs(Vector lambda) const
  {
    for (std::size_t i = 0; i < signs_.size(); ++i)
      if (signs_[i] < 0) lambda[p_.contacts[i].row] *= -1;
    return lambda;
  }

  void load(const Point& s)
  {
    Vector F = whole_.F;
    for (std::size_t j = 0; j < F.size(); ++j) F[j] += shift_[j][0] * s.x + shift_[j][1] * s.y;
    equilibrium_.set_load(F);
  }

  const Problem& whole_;
  Problem p_;
  Matrix shift_;
  std::vector<int> signs_;
  Equilibrium equilibrium_;
  bool convex_ = true;
};

/// Points far beyond the corners: every side of the polygon through them turns to the left about the origin, and is
/// further from it than `reach` and all corners. None where they are not found.
Polygon far_corners(const Polygon& outer, Q reach)
{
  const std::size_t n = outer.size();
  std::vector<Point> normal, out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Point along = outer[(i + 1) % n] - outer[i];
    const Q length = root_up(dot(along, along));
    normal.push_back({along.y / length, -along.x / length});
    reach = std::max<Q>(reach, Q(102, 100) * root_up(dot(outer[i], outer[i])));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Point sum{normal[i].x + normal[(i + n - 1) % n].x, normal[i].y + normal[(i + n - 1) % n].y};
    const Q length = root_up(dot(sum, sum));
    if (length == 0) return {};
    out[i] = {Q(Q(sum.x / length).convert_to<double>()), Q(Q(sum.y / length).convert_to<double>())};
  }
  Polygon far(n);
  for (Q length = 8 * reach; length < kRegionReach * kRegionReach * reach; length *= 16) {
    for (std::size_t i = 0; i < n; ++i) far[i] = {outer[i].x + length * out[i].x, outer[i].y + length * out[i].y};
    bool around = true;
    for (std::size_t i = 0; i < n && around; ++i) {
      const Point &p = far[i], &q = far[(i + 1) % n];
      const Q turn = cross(p, q);
      around = turn > 0 && turn * turn > reach * reach * dot(q - p, q - p);
    }
    if (around) return far;
  }
  return {};
}

bool beyond_square(const Q& clip, const std::vector<Point>& points)
{
  const auto all = [&](const auto& beyond) { return std::ranges::all_of(points, beyond); };
  return all([&](const Point& s) { return s.x >= clip; }) || all([&](const Point& s) { return s.x <= -clip; }) ||
         all([&](const Point& s) { return s.y >= clip; }) || all([&](const Point& s) { return s.y <= -clip; });
}

/// Nothing outside the polygon is held, within the clipping square if there is one. `side`: the proof of each side.
bool nothing_outside(Piece& piece, const Polygon& outer, const std::vector<Json>& sides, const Limit& clip)
{
  if (outer.size() < 3 || sides.size() != outer.size() || !is_strictly_convex(outer)) return false;
  const Polygon far = far_corners(outer, clip ? Q(2 * *clip) : kRegionReach);
  if (far.empty()) return false;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const std::size_t k = (i + 1) % outer.size();
    const std::vector<Point> corners{outer[i], outer[k], far[i], far[k]};
    const bool proved =
        sides[i].at("motion").empty() ? clip && beyond_square(*clip, corners) : piece.fails(sides[i], corners);
    if (!proved) return false;
  }
  return true;
}

/// What is known of one piece.
struct ProvedPiece {
  std::vector<int> signs;
  Polygon inner, outer;
  std::vector<bool> has_proof;  // per side of outer
  bool encloses_all = false;    // beyond the clipping square as well
  bool bounded = false;
};

Refusal judge_piece(const Problem& p, const Json& certificate, const Json& from, const Limit& clip, ProvedPiece& proved)
{
  proved.signs = from.at("signs").get<std::vector<int>>();
  proved.inner = polygon(from.at("inner"));
  proved.outer = polygon(from.at("outer"));
  Piece piece(p, certificate, proved.signs);
  for (std::size_t i = 0; i < proved.inner.size(); ++i) {
    const Point& s = proved.inner[i];
    if (clip && (abs(s.x) > *clip || abs(s.y) > *clip)) return "an inner corner is beyond the clipping square";
    if (!piece.held(s, vector(from.at("forces").at(i)))) return "an inner corner is not held";
  }
  if (!proved.inner.empty() && !is_strictly_convex(proved.inner)) return "an inner polygon is not convex";
  std::vector<Json> sides, walls;
  for (const Json& cut : from.at("cuts")) {
    sides.push_back(cut.at("proof"));
    proved.has_proof.push_back(!sides.back().at("motion").empty());
  }
  if (!proved.outer.empty() && !nothing_outside(piece, proved.outer, sides, clip))
    return "something may be held outside an outer polygon";
  const bool touches = std::ranges::find(proved.has_proof, false) != proved.has_proof.end();
  proved.encloses_all = !touches && (!clip || !proved.inner.empty());
  proved.bounded = !proved.outer.empty() && proved.encloses_all;
  if (!from.contains("bound") || from.at("bound").empty()) return "";
  for (const Json& wall : from.at("bound_sides")) walls.push_back(wall);
  proved.bounded = true;
  return nothing_outside(piece, polygon(from.at("bound")), walls, {}) ? "" : "that the region is bounded is not proved";
}

/// A claim about the boundary's distance, where there is one: at least the lower end, at most the upper one.
Refusal check_distance(const Json& report, const std::vector<ProvedPiece>& pieces, bool closed, const Limit& clip)
{
  const Json& margins = report.at("margins");
  if (!margins.contains("intervals")) return "";
  const Limit lower = limit(margins.at("intervals").at("com").at(0)),
              upper = limit(margins.at("intervals").at("com").at(1));
  const std::string verdict = report.at("verdict").get<std::string>();
  Limit least, most;
  std::vector<Point> corners;
  bool all_enclosed = true;
  const auto raise = [](Limit& bound, const Q& by) { bound = bound ? std::max<Q>(*bound, by) : by; };
  for (const ProvedPiece& piece : pieces) {
    if (!piece.inner.empty()) {
      const Q depth = depth_of_origin(piece.inner, false);
      raise(least, depth > 0 ? depth : Q(-distance_of_origin(piece.inner, true)));
    }
    if (!closed) continue;
    const Q outside = distance_of_origin(piece.outer, false);
    std::optional<Q> nearest;
    for (std::size_t i = 0; i < piece.outer.size(); ++i)
      if (piece.has_proof[i]) {
        const Q side = distance_of_origin(piece.outer[i], piece.outer[(i + 1) % piece.outer.size()], true);
        nearest = std::min(nearest.value_or(side), side);
      }
    if (outside > 0)
      raise(most, -(piece.encloses_all ? outside : std::min<Q>(outside, *clip)));
    else if (nearest)
      raise(most, *nearest);
    else
      return upper ? "no side of the region is proved" : "";
    all_enclosed = all_enclosed && piece.encloses_all;
    corners.insert(corners.end(), piece.outer.begin(), piece.outer.end());
  }
  if (closed && pieces.size() > 1 && *most >= 0) {
    if (!all_enclosed)
      closed = false;
    else
      most = std::max<Q>(*most, depth_in_hull(corners));
  }
  if (verdict == "holds") raise(least, 0);
  if (verdict == "fails" && closed) most = std::min<Q>(*most, 0);
  if (lower && (!least || *lower > *least)) return "the position is not that far inside the inner polygons";
  if (upper && !(verdict == "fails" && *upper >= 0) && (!closed || !most || *upper < *most))
    return "the position may be further inside the outer polygons";
  return "";
}

}  // namespace

Refusal judge_region_report(const Json& report)
{
  const Json &certificate = report.at("certificate"), &region = report.at("region");
  const Problem p = read_problem(certificate);
  if (const Refusal refusal = judge_equilibrium_report(report); !refusal.empty()) return "at the position: " + refusal;
  const Json& square = certificate.at("rules").at("clip");
  const Limit clip = square.is_null() ? Limit() : Limit(number(square));
  std::vector<std::vector<int>> patterns;
  const Q radius = Q(2002, 1000) * kRegionReach;  // of a triangle around the reach
  for (const Json& leaf : certificate.at("empty")) {
    patterns.push_back(leaf.at("signs").get<std::vector<int>>());
    if (!Piece(p, certificate, patterns.back())
             .fails(leaf,
                    {{radius, 0}, {-radius / 2, Q(8661, 10000) * radius}, {-radius / 2, Q(-8661, 10000) * radius}}))
      return "that nothing is held is not proved";
  }
  std::vector<ProvedPiece> pieces;
  std::vector<Polygon> inner, outer;
  bool closed = true, bounded = true;
  for (const Json& from : certificate.at("pieces")) {
    ProvedPiece piece;
    if (const Refusal refusal = judge_piece(p, certificate, from, clip, piece); !refusal.empty()) return refusal;
    for (const ProvedPiece& other : pieces) {
      bool apart = false;
      for (std::size_t i = 0; i < p.contacts.size(); ++i) apart = apart || piece.signs[i] * other.signs[i] < 0;
      if (!apart) return "two pieces have the same signs";
    }
    closed = closed && !piece.outer.empty();
    bounded = bounded && piece.bounded;
    patterns.push_back(piece.signs);
    inner.push_back(piece.inner);
    outer.push_back(piece.outer);
    pieces.push_back(piece);
  }
  const bool all = covers_every_sign(patterns, p.contacts.size());
  closed = closed && all;
  const std::string kind = region.at("kind").get<std::string>();
  const Json& ray = certificate.at("ray");
  if (kind == "unbounded") {
    if (ray.is_null() || ray.at("direction") != region.at("direction"))
      return "that the region is unbounded is not proved";
    Piece piece(p, certificate, ray.at("signs").get<std::vector<int>>());
    if (!piece.held(point(ray.at("point")), vector(ray.at("forces"))) ||
        !piece.carries(point(ray.at("direction")), vector(ray.at("ray"))))
      return "that the region is unbounded is not proved";
  }
  if ((kind == "bounded" && !(all && bounded && !pieces.empty())) || (kind == "empty" && !(all && pieces.empty())))
    return "that the region is " + kind + " is not proved";
  const Limit least = limit(region.at("area").at(0)), most = limit(region.at("area").at(1));
  if (!least || *least > union_area(inner)) return "the area is more than that of the inner polygons";
  if (most && (!closed || *most < union_area(outer))) return "the area is less than that of the outer polygons";
  return kind == "empty" ? "" : check_distance(report, pieces, closed, clip);
}

}  // namespace stiction::exact
