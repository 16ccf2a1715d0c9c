#include "stiction/region.hpp"

#include <algorithm>
#include <cmath>

#include "ask/equilibrium_workspace.hpp"
#include "ask/polygon.hpp"
#include "problem/text.hpp"
#include "stiction/error.hpp"

namespace stiction {

using internal::Loads;
using internal::LineCast;
using internal::LineOptions;

namespace {

constexpr double kFar = 1e6;           // m: nobody's centre of mass is further away
constexpr double kNear = 1.0;          // m: half side of the square that the outer polygon starts from …
constexpr double kWiden = 16.0;        // … and how it grows when the region reaches beyond
constexpr double kFine = 1e-7;         // share of a ray to which its end is found where the distance is settled
constexpr double kCoarse = 0.02;       // the same where the area is, as a share of the relative area gap
constexpr double kFineLength = 1e-3;   // m: boundary points are good to the same share of it, or of their distance
constexpr double kSameLength = 1e-8;   // share of the size of a piece below which lengths are not told apart
constexpr double kDistanceGap = 1e-6;  // share of the size of a piece at which the distance of the position is settled
constexpr double kCoarseDepth = 0.05;  // a point well inside need not be the one deepest inside
constexpr int kMostDistanceDirections = 30;

}  // namespace

struct RegionFinder::Workspace {
  EquilibriumChecker::Workspace search;
  const ContactProblem* problem = nullptr;
  const RegionOptions* options = nullptr;
  Eigen::MatrixX2d shift;
  Eigen::Vector2d position;
  Loads at, slope;
  LineCast line;
  Polygon hull;
  std::vector<int> order;

  /// One piece while it grows.
  struct Sandwich {
    std::vector<int> signs;
    std::vector<Eigen::Vector2d> points;    ///< held
    std::vector<Eigen::VectorXd> forces;    ///< of each point
    Polygon inner;                          ///< hull of the points
    std::vector<int> inner_point;           ///< index of each corner
    Polygon outer;
    std::vector<int> outer_cut;             ///< per side; -1: the clipping square
    std::vector<RegionCut> cuts;
    double half_side = 0.0;                 ///< of the square around the first point, or the position when clipping
    std::string reason;
    int directions = 0;

    bool in_square() const { return std::count(outer_cut.begin(), outer_cut.end(), -1) > 0; }
  };

  void find(const ContactProblem& p, const Eigen::VectorXd& a, RegionResult& result);
  bool find_pieces(RegionResult& result);
  Verdict deepest_point(Sandwich& piece);
  bool find_recession(const std::vector<int>& signs, RegionResult& result);
  void shoot(Sandwich& piece, const Eigen::Vector2d& target, double gap);
  void add_point(Sandwich& piece, const Eigen::Vector2d& c, const Eigen::VectorXd& x);
  void add_cut(Sandwich& piece, const MotionLeaf& leaf);
  void start_outer(Sandwich& piece, double half_side);
  void grow(Sandwich& piece);
  void settle_distance(Sandwich& piece);
  void read_distance(RegionResult& result) const;
  Loads loads_at(const Eigen::Vector2d& c);

  std::vector<Sandwich> pieces;
};

RegionFinder::RegionFinder(std::unique_ptr<Engine> engine) : workspace_(std::make_unique<Workspace>())
{
  if (!engine) throw InputError("engine", "want an engine, got none");
  workspace_->search.engine = std::move(engine);
}
RegionFinder::~RegionFinder() = default;
RegionFinder::RegionFinder(RegionFinder&&) noexcept = default;
RegionFinder& RegionFinder::operator=(RegionFinder&&) noexcept = default;

RegionResult RegionFinder::find(const ContactProblem& problem, const Eigen::VectorXd& a, const Eigen::MatrixX2d& shift,
                                const Eigen::Vector2d& position, const RegionOptions& options)
{
  problem.validate();
  RegionResult result;
  find(problem, a, shift, position, options, result);
  return result;
}

void RegionFinder::find(const ContactProblem& problem, const Eigen::VectorXd& a, const Eigen::MatrixX2d& shift,
                        const Eigen::Vector2d& position, const RegionOptions& options, RegionResult& result)
{
  if (shift.rows() != problem.nv() || !shift.allFinite())
    throw InputError("shift", "want " + std::to_string(problem.nv()) + " x 2 finite entries, got " +
                                  std::to_string(shift.rows()) + " rows");
  if (shift.isZero(0.0)) throw InputError("shift", "want an entry that is not 0: the load must move with the centre of mass");
  if (!position.allFinite()) throw InputError("position", "want finite coordinates, got another");
  if (!(options.relative_gap > 0.0))
    throw InputError("options.relative_gap", "want > 0, got " + internal::text(options.relative_gap));
  if (options.clip && !(*options.clip > 0.0 && *options.clip <= kFar))
    throw InputError("options.clip", "want > 0 and <= 1e6 m, got " + internal::text(*options.clip));
  workspace_->shift = shift;
  workspace_->position = position;
  workspace_->options = &options;
  result = RegionResult{};
  workspace_->find(problem, a, result);
}

Loads RegionFinder::Workspace::loads_at(const Eigen::Vector2d& c)
{
  Loads loads = search.loads;
  loads.e += shift * (c - position);
  loads.e_scale += shift.cwiseAbs() * (c - position).cwiseAbs();
  return loads;
}

void RegionFinder::Workspace::find(const ContactProblem& p, const Eigen::VectorXd& a, RegionResult& result)
{
  problem = &p;
  pieces.clear();
  // The current position first: its own verdict and proof.
  search.load(p, a, options->shape, 4096);
  std::string position_reason;
  result.verdict = search.decide_and_judge(result.certificate, position_reason);

  slope.e.setZero(p.nv());
  slope.e_scale.setZero(p.nv());
  slope.lower.setZero(p.nv());
  slope.upper.setZero(p.nv());
  slope.max_normal.setZero(static_cast<Eigen::Index>(p.contacts.size()));

  const bool complete = find_pieces(result);
  if (result.kind == RegionKind::kUndecided && !result.reason.empty()) {
    result.iterations = search.iterations;
    return;
  }
  if (pieces.empty()) {
    result.kind = RegionKind::kEmpty;
    result.area_lower = result.area_upper = 0.0;
    result.distance.state = Margin::State::kNone;
    result.iterations = search.iterations;
    return;
  }
  result.kind = RegionKind::kBounded;
  for (const Sandwich& piece : pieces)
    if (find_recession(piece.signs, result)) break;
  if (result.kind == RegionKind::kUndecided || (result.kind == RegionKind::kUnbounded && !options->clip)) {
    if (result.kind == RegionKind::kUnbounded) result.area_upper = kInfinity;
    result.iterations = search.iterations;
    if (result.kind == RegionKind::kUnbounded) {
      result.distance.state = Margin::State::kUndecided;
      result.distance.reason = "the region is unbounded: ask for a clipping square";
    }
    return;
  }

  std::vector<Polygon> inner, outer;
  bool whole = complete;
  for (Sandwich& piece : pieces) {
    start_outer(piece, options->clip ? *options->clip : kNear);
    grow(piece);
    settle_distance(piece);
    if (!piece.reason.empty()) result.reason = piece.reason;
    whole = whole && (options->clip || !piece.in_square());
    inner.push_back(piece.inner);
    outer.push_back(piece.outer);
    result.directions += piece.directions;
  }
  result.area_lower = union_area(inner);
  if (whole) result.area_upper = union_area(outer);
  read_distance(result);
  for (Sandwich& piece : pieces) {
    RegionPiece out;
    out.signs = piece.signs;
    out.inner = piece.inner;
    for (int i : piece.inner_point) out.forces.push_back(piece.forces[i]);
    out.outer = piece.outer;
    for (size_t side = 0; side < piece.outer.size(); ++side) {
      if (piece.outer_cut[side] >= 0) {
        out.cuts.push_back(piece.cuts[piece.outer_cut[side]]);
      } else {
        RegionCut square;
        const Eigen::Vector2d along = piece.outer[(side + 1) % piece.outer.size()] - piece.outer[side];
        square.normal = Eigen::Vector2d(along.y(), -along.x()).normalized();
        square.offset = square.normal.dot(piece.outer[side]);
        out.cuts.push_back(square);
      }
    }
    result.pieces.push_back(std::move(out));
  }
  result.iterations = search.iterations;
}

/// The sign patterns with which some position is held, each with a point of its own; false when not all could be told.
bool RegionFinder::Workspace::find_pieces(RegionResult& result)
{
  const Eigen::MatrixXd columns = -shift;
  search.multipliers.build(*problem, search.shape, search.loads, search.detaching, &columns);
  std::vector<int> pattern(problem->contacts.size(), 0);
  bool complete = true;
  auto enumerate = [&](auto&& self, size_t contact) -> void {
    if (!complete) return;
    while (contact < pattern.size() && !search.multipliers.needs_sign(contact)) ++contact;
    if (contact == pattern.size()) {
      Sandwich piece;
      piece.signs = pattern;
      const Verdict verdict = deepest_point(piece);
      if (verdict == Verdict::kFails) return;
      complete = verdict == Verdict::kHolds && static_cast<int>(pieces.size()) < options->branch_limit;
      if (complete) pieces.push_back(std::move(piece));
      return;
    }
    // A relaxation of all patterns below: when it fails they all do.
    search.multipliers.arrange(pattern);
    if (internal::decide(*search.engine, search.multipliers.program(), search.answer) == Verdict::kFails) return;
    for (int sign : {1, -1}) {
      pattern[contact] = sign;
      self(self, contact + 1);
    }
    pattern[contact] = 0;
  };
  enumerate(enumerate, 0);
  if (!complete) {
    result.kind = RegionKind::kUndecided;
    result.reason = "the convex pieces of the region could not all be told";
  }
  search.multipliers.build(*problem, search.shape, search.loads, search.detaching);
  return complete;
}

/// A held position well inside: the one with the largest common slack of forces and efforts.
Verdict RegionFinder::Workspace::deepest_point(Sandwich& piece)
{
  const Verdict verdict = search.decide_from(piece.signs);
  if (verdict != Verdict::kHolds) return verdict;
  search.set_effort_room();
  search.deepen(search.loads, &search.effort_room, false, kCoarseDepth);
  const Eigen::Vector2d c = position + search.witness.segment<2>(search.multipliers.extra_column());
  Eigen::VectorXd lambda;
  search.multipliers.to_lambda(search.witness, lambda);
  piece.points.push_back(c);
  piece.forces.push_back(lambda);
  internal::convex_hull(piece.points, piece.inner, piece.inner_point);
  return Verdict::kHolds;
}

/// Whether the piece goes on for ever along some δ: shift δ is carried by rays, δ = u + s u⊥ for one of the four axes u.
bool RegionFinder::Workspace::find_recession(const std::vector<int>& signs, RegionResult& result)
{
  Loads rays = search.loads;
  for (Eigen::Index d = 0; d < rays.e.size(); ++d) {
    if (std::isfinite(rays.lower[d])) rays.lower[d] = 0.0;
    if (std::isfinite(rays.upper[d])) rays.upper[d] = 0.0;
  }
  for (Eigen::Index i = 0; i < rays.max_normal.size(); ++i)
    if (std::isfinite(rays.max_normal[i])) rays.max_normal[i] = 0.0;
  bool found = false;
  for (const Eigen::Vector2d& u : {Eigen::Vector2d(1, 0), Eigen::Vector2d(-1, 0), Eigen::Vector2d(0, 1), Eigen::Vector2d(0, -1)}) {
    const Eigen::Vector2d sideways(-u.y(), u.x());
    const Eigen::MatrixXd column = -shift * sideways;
    rays.e = shift * u;
    rays.e_scale = (shift * u).cwiseAbs();
    search.multipliers.build(*problem, search.shape, search.loads, search.detaching, &column);
    search.multipliers.set_loads(rays);
    const Verdict verdict = search.decide_from(signs);
    if (verdict == Verdict::kFails) continue;
    found = true;
    if (verdict == Verdict::kHolds) {
      result.kind = RegionKind::kUnbounded;
      result.direction = (u + search.witness[search.multipliers.extra_column()] * sideways).normalized();
    } else if (result.kind != RegionKind::kUnbounded) {
      result.kind = RegionKind::kUndecided;
      result.reason = "whether the region is bounded is within tolerance";
    }
    break;
  }
  search.multipliers.build(*problem, search.shape, search.loads, search.detaching);
  return found;
}

void RegionFinder::Workspace::add_point(Sandwich& piece, const Eigen::Vector2d& c, const Eigen::VectorXd& x)
{
  Eigen::VectorXd lambda;
  search.multipliers.to_lambda(x, lambda);
  piece.points.push_back(c);
  piece.forces.push_back(lambda);
  internal::convex_hull(piece.points, piece.inner, piece.inner_point);
}

/// y'(e + shift (c - position)) <= sup for every held c, up to the rounding that the proof forgives.
void RegionFinder::Workspace::add_cut(Sandwich& piece, const MotionLeaf& leaf)
{
  const Eigen::Vector2d normal = shift.transpose() * leaf.motion.head(problem->nv());
  const double size = normal.norm();
  if (!(size > 0.0)) return;
  RegionCut cut;
  cut.normal = normal / size;
  const double rounding = 8 * kRounding * leaf.motion.head(problem->nv()).cwiseAbs().dot(search.loads.e_scale);
  cut.offset = cut.normal.dot(position) + (rounding - search.gain(leaf, search.loads)) / size;
  cut.proof = leaf;
  Polygon outer = piece.outer;
  std::vector<int> outer_cut = piece.outer_cut;
  if (!internal::clip(outer, outer_cut, cut.normal, cut.offset, static_cast<int>(piece.cuts.size()))) return;
  if (outer.size() < 3) return;   // a region without area: rounding must not make nothing of it
  piece.outer.swap(outer);
  piece.outer_cut.swap(outer_cut);
  piece.cuts.push_back(std::move(cut));
}

/// From the middle of what is held towards a corner of what may be: how far, and what stops it there.
void RegionFinder::Workspace::shoot(Sandwich& piece, const Eigen::Vector2d& target, double gap)
{
  ++piece.directions;
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d& c : piece.inner) middle += c / static_cast<double>(piece.inner.size());
  Loads from = loads_at(middle);
  slope.e = shift * (target - middle);
  slope.e_scale = slope.e.cwiseAbs();
  LineOptions how;
  how.relative_gap = gap;
  how.scale = std::min(1.0, kFineLength / (target - middle).norm());
  how.cap = 1.0;
  how.same_signs = true;
  how.bounded = true;
  search.signs = piece.signs;
  search.witness.setZero(search.multipliers.program().E.cols());
  search.cast(from, slope, 0.0, how, line);
  if (line.lower > 0.0) add_point(piece, middle + line.lower * (target - middle), line.x);
  for (const MotionLeaf& leaf : line.leaves) add_cut(piece, leaf);
  if (line.end == LineCast::End::kUndecided && line.leaves.empty() && !(line.lower > 0.0))
    piece.reason = "a boundary point is within tolerance: the gap stays open there";
}

/// The outer polygon from a square and all cuts so far. Once no side of the square is left it is the intersection of the cuts.
void RegionFinder::Workspace::start_outer(Sandwich& piece, double half)
{
  const Eigen::Vector2d centre = options->clip ? position : piece.points[0];
  piece.half_side = half;
  piece.outer = {centre + Eigen::Vector2d(-half, -half), centre + Eigen::Vector2d(half, -half),
                 centre + Eigen::Vector2d(half, half), centre + Eigen::Vector2d(-half, half)};
  piece.outer_cut.assign(4, -1);
  for (size_t i = 0; i < piece.cuts.size(); ++i)
    internal::clip(piece.outer, piece.outer_cut, piece.cuts[i].normal, piece.cuts[i].offset, static_cast<int>(i));
}

/// Shoots at the corner of the outer polygon that is furthest from the inner one, until the areas agree.
void RegionFinder::Workspace::grow(Sandwich& piece)
{
  const double fine = std::min(kCoarse * options->relative_gap, 1e-3);
  std::vector<Eigen::Vector2d> given_up;
  while (piece.directions < options->max_directions) {
    const double outer_area = internal::area(piece.outer), gap = outer_area - internal::area(piece.inner);
    double size = 0.0, furthest = 0.0;
    Eigen::Vector2d target = Eigen::Vector2d::Zero();
    for (const Eigen::Vector2d& c : piece.outer) {
      size = std::max(size, (c - piece.outer[0]).norm());
      const double distance = internal::distance_outside(piece.inner, c);
      const bool tried = std::any_of(given_up.begin(), given_up.end(), [&](const Eigen::Vector2d& g) { return g == c; });
      if (tried || distance <= furthest) continue;
      furthest = distance;
      target = c;
    }
    if (gap <= options->relative_gap * outer_area || furthest <= kSameLength * size) {
      if (options->clip || !piece.in_square()) return;
      if (piece.half_side >= kFar) break;
      start_outer(piece, kWiden * piece.half_side);
      given_up.clear();
      continue;
    }
    const size_t points = piece.points.size(), cuts = piece.cuts.size();
    shoot(piece, target, fine);
    const bool reached = piece.points.size() > points && (piece.points.back() - target).norm() <= 2 * fine * size;
    if (piece.cuts.size() == cuts || reached) given_up.push_back(target);
  }
  piece.reason = "the area gap is still open after " + std::to_string(piece.directions) + " directions";
}

/// The same near the current position, until its distance from the boundary is settled.
void RegionFinder::Workspace::settle_distance(Sandwich& piece)
{
  std::vector<Eigen::Vector2d> given_up;
  for (int i = 0; i < kMostDistanceDirections && piece.inner.size() > 2; ++i) {
    // The inner side nearest to the position, and the corner of the outer polygon furthest beyond it.
    double nearest = kInfinity, size = 0.0;
    Eigen::Vector2d normal = Eigen::Vector2d::Zero(), on_side = normal;
    for (size_t k = 0; k < piece.inner.size(); ++k) {
      const Eigen::Vector2d &p = piece.inner[k], &q = piece.inner[(k + 1) % piece.inner.size()];
      size = std::max(size, (q - p).norm());
      const double distance = internal::distance_outside({p, q}, position);
      if (distance >= nearest) continue;
      nearest = distance;
      on_side = p;
      normal = Eigen::Vector2d((q - p).y(), -(q - p).x()).normalized();
    }
    double beyond = 0.0;
    Eigen::Vector2d target = position;
    for (const Eigen::Vector2d& c : piece.outer) {
      const bool tried = std::any_of(given_up.begin(), given_up.end(), [&](const Eigen::Vector2d& g) { return g == c; });
      if (tried || normal.dot(c - on_side) <= beyond) continue;
      beyond = normal.dot(c - on_side);
      target = c;
    }
    if (beyond <= kDistanceGap * size) return;
    const size_t cuts = piece.cuts.size();
    shoot(piece, target, kFine);
    if (piece.cuts.size() == cuts) given_up.push_back(target);
  }
}

void RegionFinder::Workspace::read_distance(RegionResult& result) const
{
  double lower = -kInfinity, upper = -kInfinity;
  for (const Sandwich& piece : pieces) {
    const double inside = internal::distance_inside(piece.inner, position);
    lower = std::max(lower, inside > 0.0 ? inside : -internal::distance_outside(piece.inner, position));
    // Outside: the nearest point of the outer polygon, or one beyond the clipping square. Inside: any cut ends the region.
    const double outside = internal::distance_outside(piece.outer, position);
    double depth = kInfinity;
    if (outside > 0.0) depth = -(piece.in_square() ? std::min(outside, options->clip.value_or(0.0)) : outside);
    if (outside <= 0.0)
      for (const RegionCut& cut : piece.cuts) depth = std::min(depth, std::max(0.0, cut.offset - cut.normal.dot(position)));
    upper = std::max(upper, depth);
  }
  if (pieces.size() > 1 && upper >= 0.0) {
    // Pieces may join: their union ends where the hull of all outer polygons does.
    std::vector<Eigen::Vector2d> corners;
    for (const Sandwich& piece : pieces) {
      corners.insert(corners.end(), piece.outer.begin(), piece.outer.end());
      if (piece.in_square()) upper = kInfinity;
    }
    Polygon around;
    std::vector<int> ignored;
    internal::convex_hull(corners, around, ignored);
    upper = std::max(upper, internal::distance_inside(around, position));
  }
  result.distance.lower = result.verdict == Verdict::kHolds ? std::max(0.0, lower) : lower;
  result.distance.upper = result.verdict == Verdict::kFails ? std::min(0.0, upper) : upper;
  result.distance.state = Margin::State::kKnown;
}

}  // namespace stiction
