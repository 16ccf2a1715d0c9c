// From what the search believes about a region to what the judge accepts: everything a RegionResult says comes from
// there.
#include <algorithm>
#include <cmath>

#include "ask/region_workspace.hpp"
#include "ask/separation.hpp"
#include "proof/polygon.hpp"

namespace stiction {
namespace {

/// How far the sides are moved outwards, in units of kRounding of the sums behind them.
constexpr double kCutRoom = 32.0, kMoreRoom = 64.0, kMostRoom = 1e14;

/// Steps from a side to where its motion is clearly driven, in sizes of the polygon; how much less than linearly the
/// drive grows.
constexpr double kNearStep = 1e-4, kBend = 1e-6;
constexpr int kMostMoves = 3;
constexpr double kAround = 4.0;

/// So many contacts that push and pull may be told apart: that takes two to the power of them motions.
constexpr int kMostSides = 6;

/// Corners nearer to each other than this share of that room are one.
constexpr double kSameCorner = 0.1;

}  // namespace

/// A motion at which contacts are at rest, as those of an edge over which something tips, would have to outweigh what
/// rounding lets them supply. Turned a little it opens them all; best by a motion that does not see the shift, so that
/// cuts stay parallel.
bool RegionChecker::Workspace::turn_away(MotionLeaf& leaf)
{
  std::vector<char> locked(static_cast<std::size_t>(problem->nv()), 0);
  for (Eigen::Index d = 0; d < problem->nv(); ++d)
    locked[static_cast<std::size_t>(d)] = leaf.motion[d] == 0.0 && checker.set.held_by_motor(d);
  auto known = std::ranges::find_if(separations,
                                    [&](const Separation& s) { return s.signs == leaf.signs && s.locked == locked; });
  if (known == separations.end()) {
    known = separations.insert(known, Separation{leaf.signs, locked, {}});
    const Eigen::MatrixXd nothing(problem->nv(), 0);
    if (!internal::separate_contacts(checker.set, leaf, shift, checker.search, known->away) &&
        !internal::separate_contacts(checker.set, leaf, nothing, checker.search, known->away))
      known->away.resize(0);
  }
  return known->away.size() > 0 && internal::turn(checker.set, known->away, leaf);
}

/// How many contacts may push and pull under a leaf. These cannot be opened.
int RegionChecker::Workspace::sides_left_open(const MotionLeaf& leaf) const
{
  int count = 0;
  for (std::size_t i = 0; i < leaf.signs.size(); ++i)
    count += leaf.signs[i] == 0 && problem->contacts[i].side == Side::kBilateral;
  return count;
}

/// Out at the reach, loads are so large that no contact may be left at rest: contacts that push and pull are told
/// apart.
void RegionChecker::Workspace::add_empty(const MotionLeaf& leaf, std::vector<MotionLeaf>& empty)
{
  const int open = sides_left_open(leaf);
  for (int pattern = 0; pattern < 1 << (open <= kMostSides ? open : 0); ++pattern) {
    MotionLeaf& one = empty.emplace_back(leaf);
    int next = 0;
    for (std::size_t i = 0; open <= kMostSides && i < one.signs.size(); ++i)
      if (one.signs[i] == 0 && problem->contacts[i].side == Side::kBilateral)
        one.signs[i] = pattern >> next++ & 1 ? -1 : 1;
    turn_away(one);
  }
}

/// Moves the sides of the polygon out to where the judge says that what is beyond fails; false when no side has to.
bool RegionChecker::Workspace::move_out(internal::RegionCase& judge, const Polygon& outer,
                                        const std::vector<int>& owner, const Sandwich& piece,
                                        std::vector<double>& offsets) const
{
  double size = 0.0;
  for (const Eigen::Vector2d& corner : outer) size = std::max(size, (corner - outer[0]).norm());
  bool moved = false;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    if (owner[i] < 0) continue;
    const auto k = static_cast<std::size_t>(owner[i]);
    const RegionCut& cut = piece.cuts[k];
    const double rate = (shift.transpose() * cut.proof.motion.head(problem->nv())).norm();
    if (!judge.take_leaf(cut.proof)) continue;
    double out = 0.0;
    for (const Eigen::Vector2d& corner : {outer[i], outer[(i + 1) % outer.size()]}) {
      if (judge.failing_gain(corner) > 0.0) continue;
      // The gain grows along the normal, all but linearly: from a point where there is some.
      for (const double step : {kNearStep * size, size}) {
        const double gain = judge.failing_gain(corner + step * cut.normal);
        if (!(gain > 0.0)) continue;
        out = std::max(out, step - gain / rate * (1.0 - kBend));
        break;
      }
    }
    offsets[k] += out;
    moved = moved || out > 0.0;
  }
  return moved;
}

/// The intersection of the cuts, every one moved outwards by its rounding at the corners, and the motions behind its
/// sides: by more and more rounding until the judge agrees.
bool RegionChecker::Workspace::close(internal::RegionCase& judge, const Sandwich& piece,
                                     const std::optional<double>& clip, Polygon& outer,
                                     std::vector<MotionLeaf>& sides) const
{
  Eigen::Vector2d furthest = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d& corner : piece.outer) furthest = furthest.cwiseMax(corner.cwiseAbs());
  const Eigen::VectorXd scale = checker.loads.e_scale + shift.cwiseAbs() * furthest;
  const Eigen::Vector2d centre = clip ? Eigen::Vector2d::Zero() : piece.points[0];
  const double half = clip ? piece.half_side : kAround * piece.half_side;  // out of the way of cuts that move
  std::vector<double> offsets(piece.cuts.size());
  for (double factor = kCutRoom; factor < kMostRoom; factor *= kMoreRoom) {
    double least = kInfinity;
    for (std::size_t i = 0; i < piece.cuts.size(); ++i) {
      const Eigen::VectorXd y = piece.cuts[i].proof.motion.head(problem->nv());
      const double room = factor * kRounding * y.cwiseAbs().dot(scale) / (shift.transpose() * y).norm();
      if (std::ranges::find(piece.outer_cut, static_cast<int>(i)) != piece.outer_cut.end())
        least = std::min(least, room);
      offsets[i] = piece.cuts[i].offset + room;
    }
    std::vector<int> owner;
    for (int moves = 0; moves <= kMostMoves; ++moves) {
      outer = {centre + Eigen::Vector2d(-half, -half), centre + Eigen::Vector2d(half, -half),
               centre + Eigen::Vector2d(half, half), centre + Eigen::Vector2d(-half, half)};
      owner.assign(4, -1);
      for (std::size_t i = 0; i < piece.cuts.size(); ++i)
        if (std::ranges::find(piece.outer_cut, static_cast<int>(i)) != piece.outer_cut.end())
          internal::clip(outer, owner, piece.cuts[i].normal, offsets[i], static_cast<int>(i));
      if (std::isfinite(least)) internal::tidy(outer, owner, kSameCorner * least);
      if (!(charged || part_by_part) || moves == kMostMoves || !move_out(judge, outer, owner, piece, offsets)) break;
    }
    sides.clear();
    for (const int cut : owner)
      sides.push_back(cut >= 0 ? piece.cuts[static_cast<std::size_t>(cut)].proof : MotionLeaf{piece.signs, {}});
    if (!part_by_part || judge.outer(outer, sides, clip)) return true;
  }
  outer.clear();
  sides.clear();
  return false;
}

/// The walls of the four axes enclose the whole piece, as far out as they may be.
void RegionChecker::Workspace::close_beyond_the_square(internal::RegionCase& judge, const Sandwich& piece,
                                                       RegionPieceProof& proof)
{
  Sandwich whole;
  whole.signs = piece.signs;
  whole.points = piece.points;
  for (const MotionLeaf& wall : piece.walls)
    if (RegionCut cut = cut_of(piece, wall); !cut.normal.isZero(0.0)) whole.cuts.push_back(std::move(cut));
  for (whole.half_side = *options->clip; whole.half_side <= kRegionReach; whole.half_side *= 16.0) {
    const double half = whole.half_side;
    const Eigen::Vector2d &c = piece.points[0], x(half, 0.0), y(0.0, half);
    whole.outer = {c - x - y, c + x - y, c + x + y, c - x + y};
    whole.outer_cut.assign(4, -1);
    for (std::size_t i = 0; i < whole.cuts.size(); ++i)
      internal::clip(whole.outer, whole.outer_cut, whole.cuts[i].normal, whole.cuts[i].offset, static_cast<int>(i));
    if (whole.outer.size() > 2 && !whole.in_square()) break;
  }
  if (!whole.in_square()) close(judge, whole, std::nullopt, proof.bound, proof.bound_sides);
}

/// The corners that the judge says are held, within the clipping square.
void RegionChecker::Workspace::write_inner(internal::RegionCase& judge, const Sandwich& piece,
                                           RegionPieceProof& proof) const
{
  std::vector<Eigen::Vector2d> points;
  std::vector<int> kept, order;
  for (const int i : piece.inner_point) {
    Eigen::Vector2d s = piece.points[static_cast<std::size_t>(i)];
    if (options->clip) {
      const double clip = *options->clip, beyond = s.cwiseAbs().maxCoeff() - clip;
      if (beyond > kCutRoom * kRounding * clip) continue;
      s = s.cwiseMax(-clip).cwiseMin(clip);
    }
    if (part_by_part && !judge.held(s, piece.forces[static_cast<std::size_t>(i)])) continue;
    points.push_back(s);
    kept.push_back(i);
  }
  internal::convex_hull(points, proof.inner, order);
  for (const int corner : order)
    proof.forces.push_back(piece.forces[static_cast<std::size_t>(kept[static_cast<std::size_t>(corner)])]);
}

void RegionChecker::Workspace::write_proof(RegionResult& result)
{
  std::string why;
  internal::RegionCase judge(*input, rules, &why);
  result.proof.pieces.clear();
  for (const Sandwich& piece : pieces) {
    RegionPieceProof& proof = result.proof.pieces.emplace_back();
    proof.signs = piece.signs;
    if (!judge.take_signs(piece.signs)) continue;
    write_inner(judge, piece, proof);
    if (!options->shape.may_prove_fails()) {
      result.reason = "inner facets bound the region from inside only";
      continue;
    }
    if (!close(judge, piece, options->clip, proof.outer, proof.sides) && result.reason.empty())
      result.reason = "no polygon around the region could be proved: " + why;
    if (options->clip && !proof.outer.empty() && !result.proof.ray && !internal::encloses_all(proof, options->clip))
      close_beyond_the_square(judge, piece, proof);
  }
}

/// Patterns that are not proved empty, and a ray that is none, are left out.
void RegionChecker::Workspace::keep_what_is_proved(RegionResult& result)
{
  std::string why;
  internal::RegionCase judge(*input, rules, &why);
  std::erase_if(result.proof.empty, [&](const MotionLeaf& leaf) { return !judge.nowhere(leaf); });
  if (result.proof.ray && !judge.ray(*result.proof.ray)) result.proof.ray.reset();
  if (result.reason.empty()) result.reason = why;
}

void RegionChecker::Workspace::write_claims(std::optional<RegionClaims> proved, RegionResult& result)
{
  if (!proved) {  // the parts are proved, yet not together
    result.proof.pieces.clear();
    result.proof.empty.clear();
    result.proof.ray.reset();
    proved = proved_region(*input, rules, result.proof);
    if (!proved) {
      result.proof = {};
      proved.emplace();
    }
  }
  result.verdict = proved->verdict;
  result.kind = proved->kind;
  result.direction = proved->direction;
  result.area = proved->area;
  result.distance = proved->distance;
  result.distance.state = std::isfinite(proved->distance.lower) ? Margin::State::kKnown : Margin::State::kUndecided;
  if (result.kind == RegionKind::kEmpty) {
    result.distance = {};
    result.distance.state = Margin::State::kNone;
  } else if (result.kind == RegionKind::kUnbounded && !options->clip) {
    result.distance.state = Margin::State::kUndecided;
    result.distance.reason = "the region is unbounded: ask for a clipping square";
  } else if (result.kind == RegionKind::kUndecided && result.reason.empty()) {
    result.reason = "whether the region goes on beyond the clipping square is not proved";
  }
  const Eigen::Vector2d& position = input->position;
  for (const RegionPieceProof& proof : result.proof.pieces) {
    RegionPiece& piece = result.pieces.emplace_back();
    piece.signs = proof.signs;
    piece.forces = proof.forces;
    for (const Eigen::Vector2d& s : proof.inner) piece.inner.push_back(position + s);
    for (const Eigen::Vector2d& s : proof.outer) piece.outer.push_back(position + s);
    for (std::size_t i = 0; i < proof.outer.size(); ++i) {
      RegionCut& cut = piece.cuts.emplace_back();
      internal::side_line(*input, proof, i, cut.normal, cut.offset);
      cut.proof = proof.sides[i];
    }
  }
}

}  // namespace stiction
