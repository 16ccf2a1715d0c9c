// From what the search believes about a region to what the judge accepts: everything a RegionResult says comes from there.
#include <algorithm>
#include <cmath>

#include "ask/region_workspace.hpp"
#include "proof/polygon.hpp"

namespace stiction {
namespace {

/// How far the sides are moved outwards, in units of kRounding of the sums behind them.
constexpr double kCutRoom = 32.0, kMoreRoom = 64.0, kMostRoom = 1e14;

/// Corners nearer to each other than this share of that room are one.
constexpr double kSameCorner = 0.1;

}  // namespace

/// The intersection of the cuts, every one moved outwards by its rounding at the corners, and the motions behind its sides: by
/// more and more rounding until the judge agrees.
bool RegionFinder::Workspace::close(internal::RegionCase& judge, const Sandwich& piece, const std::optional<double>& clip,
                                    Polygon& outer, std::vector<MotionLeaf>& sides) const
{
  Eigen::Vector2d furthest = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d& corner : piece.outer) furthest = furthest.cwiseMax(corner.cwiseAbs());
  const Eigen::VectorXd scale = search.loads.e_scale + shift.cwiseAbs() * furthest;
  const Eigen::Vector2d centre = clip ? Eigen::Vector2d::Zero() : piece.points[0];
  const double half = piece.half_side;
  for (double factor = kCutRoom; factor < kMostRoom; factor *= kMoreRoom) {
    outer = {centre + Eigen::Vector2d(-half, -half), centre + Eigen::Vector2d(half, -half),
             centre + Eigen::Vector2d(half, half), centre + Eigen::Vector2d(-half, half)};
    std::vector<int> owner(4, -1);
    double least = kInfinity;
    for (std::size_t i = 0; i < piece.cuts.size(); ++i) {
      if (std::ranges::find(piece.outer_cut, static_cast<int>(i)) == piece.outer_cut.end()) continue;
      const Eigen::VectorXd y = piece.cuts[i].proof.motion.head(problem->nv());
      const double room = factor * kRounding * y.cwiseAbs().dot(scale) / (shift.transpose() * y).norm();
      least = std::min(least, room);
      internal::clip(outer, owner, piece.cuts[i].normal, piece.cuts[i].offset + room, static_cast<int>(i));
    }
    if (std::isfinite(least)) internal::tidy(outer, owner, kSameCorner * least);
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
void RegionFinder::Workspace::close_beyond_the_square(internal::RegionCase& judge, const Sandwich& piece,
                                                      RegionPieceProof& proof) const
{
  Sandwich whole;
  whole.signs = piece.signs;
  whole.points = piece.points;
  for (const MotionLeaf& wall : piece.walls)
    if (RegionCut cut = cut_of(wall); !cut.normal.isZero(0.0)) whole.cuts.push_back(std::move(cut));
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
void RegionFinder::Workspace::write_inner(internal::RegionCase& judge, const Sandwich& piece, RegionPieceProof& proof) const
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

void RegionFinder::Workspace::write_proof(RegionResult& result)
{
  std::string why;
  internal::RegionCase judge(*input, rules, &why);
  result.proof.pieces.clear();
  for (const Sandwich& piece : pieces) {
    RegionPieceProof& proof = result.proof.pieces.emplace_back();
    proof.signs = piece.signs;
    if (part_by_part && !judge.take_signs(piece.signs)) continue;
    write_inner(judge, piece, proof);
    if (!options->shape.may_prove_fails()) {
      result.reason = "inner facets bound the region from inside only";
      continue;
    }
    if (!close(judge, piece, options->clip, proof.outer, proof.sides) && result.reason.empty())
      result.reason = "no polygon around the region could be proved: " + why;
    if (!proof.outer.empty() && !result.proof.ray && !internal::encloses_all(proof, options->clip))
      close_beyond_the_square(judge, piece, proof);
  }
}

/// Patterns that are not proved empty, and a ray that is none, are left out.
void RegionFinder::Workspace::keep_what_is_proved(RegionResult& result)
{
  std::string why;
  internal::RegionCase judge(*input, rules, &why);
  std::erase_if(result.proof.empty, [&](const MotionLeaf& leaf) { return !judge.nowhere(leaf); });
  if (result.proof.ray && !judge.ray(*result.proof.ray)) result.proof.ray.reset();
  if (result.reason.empty()) result.reason = why;
}

void RegionFinder::Workspace::write_claims(std::optional<RegionClaims> proved, RegionResult& result)
{
  if (!proved) {   // the parts are proved, yet not together
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
  result.area_lower = proved->area_lower;
  result.area_upper = proved->area_upper;
  result.distance.lower = proved->distance_lower;
  result.distance.upper = proved->distance_upper;
  result.distance.state = std::isfinite(proved->distance_lower) ? Margin::State::kKnown : Margin::State::kUndecided;
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
