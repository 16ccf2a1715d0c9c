#include "stiction/region.hpp"

#include <algorithm>
#include <cmath>

#include "ask/region_workspace.hpp"
#include "base/text.hpp"
#include "proof/polygon.hpp"
#include "proof/region_case.hpp"
#include "stiction/error.hpp"

namespace stiction {

using internal::LineCast;
using internal::LineOptions;
using internal::Loads;

namespace {

constexpr double kFar = kRegionReach;  // m: nobody's centre of mass is further away
constexpr double kNear = 1.0;          // m: half side of the square that the outer polygon starts from …
constexpr double kWiden = 16.0;        // … and how it grows when the region reaches beyond
constexpr double kFine = 1e-7;         // share of a ray to which its end is found where the distance is settled
constexpr double kCoarse = 0.02;       // the same where the area is, as a share of the relative area gap
constexpr double kCoarsest = 1e-3;     // … and at most this share
constexpr double kFineLength = 1e-3;   // m: boundary points are good to the same share of it, or of their distance
constexpr double kSameLength = 1e-8;   // share of the size of a piece below which lengths are not told apart
constexpr double kDistanceGap = 1e-6;  // share of the size of a piece at which the distance of the position is settled
constexpr double kCoarseDepth = 0.05;  // a point well inside need not be the one deepest inside
constexpr int kMostDistanceDirections = 30;

Eigen::Vector2d middle_of(const Polygon& corners)
{
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d& c : corners) middle += c / static_cast<double>(corners.size());
  return middle;
}

}  // namespace

RegionChecker::RegionChecker(std::unique_ptr<Engine> engine) : workspace_(std::make_unique<Workspace>())
{
  if (!engine) throw InputError("engine", "want an engine, got none");
  workspace_->checker.search.engine = std::move(engine);
}
RegionChecker::~RegionChecker() = default;
RegionChecker::RegionChecker(RegionChecker&&) noexcept = default;
RegionChecker& RegionChecker::operator=(RegionChecker&&) noexcept = default;

RegionResult RegionChecker::check(const ContactProblem& problem, const Eigen::VectorXd& a,
                                  const Eigen::MatrixX2d& shift, const Eigen::Vector2d& position,
                                  const RegionOptions& options)
{
  return check(RegionInput{problem, a, shift, position, -1}, options);
}

RegionResult RegionChecker::check(const RegionInput& input, const RegionOptions& options)
{
  input.problem.validate();
  RegionResult result;
  check(input, options, result);
  return result;
}

void RegionChecker::check(const RegionInput& input, const RegionOptions& options, RegionResult& result)
{
  const Eigen::MatrixX2d& shift = input.shift;
  if (shift.rows() != input.problem.nv() || !shift.allFinite())
    throw InputError("shift", "want " + std::to_string(input.problem.nv()) + " x 2 finite entries, got " +
                                  std::to_string(shift.rows()) + " rows");
  if (shift.isZero(0.0))
    throw InputError("shift", "want an entry that is not 0: the load must move with the centre of mass");
  if (!input.position.allFinite()) throw InputError("position", "want finite coordinates, got another");
  if (!(options.relative_gap > 0.0))
    throw InputError("options.relative_gap", "want > 0, got " + internal::text(options.relative_gap));
  if (options.clip && !(*options.clip > 0.0 && *options.clip <= kFar))
    throw InputError("options.clip", "want > 0 and <= 1e6 m, got " + internal::text(*options.clip));
  workspace_->input = &input;
  workspace_->problem = &input.problem;
  workspace_->shift = shift;
  workspace_->options = &options;
  workspace_->rules = {options.shape, options.clip};
  result = RegionResult{};
  workspace_->find(result);
}

void RegionChecker::Workspace::find(RegionResult& result)
{
  pieces.clear();
  separations.clear();
  charged = !problem->loops.empty();
  search_all(result);
  const std::string reason = result.reason;
  part_by_part = false;
  write_proof(result);
  std::optional<RegionClaims> proved = proved_region(*input, rules, result.proof);
  if (!proved) {
    part_by_part = true;
    result.reason = reason;
    write_proof(result);
    keep_what_is_proved(result);
    std::string why;
    proved = proved_region(*input, rules, result.proof, &why);
    if (!proved) result.reason = why;
  }
  write_claims(proved, result);
  result.iterations = checker.search.iterations;
}

void RegionChecker::Workspace::search_all(RegionResult& result)
{
  const ContactProblem& p = *problem;
  checker.search.engine->forget();  // an answer must not depend on the one before
  // The current position first: its own verdict and proof.
  checker.load(p, input->a, options->shape, 4096);
  std::string position_reason;
  result.verdict = checker.decide_and_judge(result.proof.position, position_reason);
  if (result.verdict == Verdict::kUndecided) result.proof.position = Certificate{};

  // The judge forgives rounding of every force at its contact's lever arms, also where a load is next to nothing.
  scales.measure(p);
  Loads& loads = checker.loads;
  scales.measure_loads(loads.e);
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    loads.e_scale[j] = std::max(loads.e_scale[j], scales.lever[j] * scales.force[scales.part[static_cast<size_t>(j)]]);
  slope.set_zero(p);

  if (!find_pieces(result)) {
    pieces.clear();
    return;
  }
  result.kind = pieces.empty() ? RegionKind::kEmpty : RegionKind::kBounded;
  for (Sandwich& piece : pieces)
    if (find_recession(piece, result)) break;
  if (result.kind == RegionKind::kUndecided || (result.kind == RegionKind::kUnbounded && !options->clip)) {
    pieces.clear();
    return;
  }
  for (Sandwich& piece : pieces) {
    start_outer(piece, options->clip ? *options->clip : kNear);
    grow(piece);
    settle_distance(piece);
    if (!piece.reason.empty()) result.reason = piece.reason;
    result.directions += piece.directions;
  }
}

/// The sign patterns with which some position is held, each with a point of its own; false when not all could be told.
bool RegionChecker::Workspace::find_pieces(RegionResult& result)
{
  const Eigen::MatrixXd columns = -shift;
  internal::MultiplierSet anywhere;  // the position is two free variables beside the forces
  anywhere.build(*problem, options->shape, checker.loads, checker.detaching, &columns);
  std::vector<int> pattern(problem->contacts.size(), 0);
  bool known = true;
  internal::visit_signs(anywhere, 0, pattern, [&](const std::vector<int>& signs, bool complete) {
    if (!known) return false;
    if (!complete) {  // a relaxation of all patterns below: when it fails they all do
      ConeAnswer& answer = checker.search.answer;
      const ConeProgram& program = anywhere.arrange(checker.loads, signs);
      if (internal::decide(*checker.search.engine, program, judge_claim, answer) != Verdict::kFails) return true;
      MotionLeaf leaf;
      leaf.signs = signs;
      anywhere.to_motion(answer.y, leaf.motion);
      add_empty(leaf, result.proof.empty);
      return false;
    }
    Sandwich piece;
    piece.signs = signs;
    const Verdict verdict = deepest_point(anywhere, piece);
    if (verdict == Verdict::kFails) {
      for (const MotionLeaf& leaf : found.leaves) add_empty(leaf, result.proof.empty);
      return false;
    }
    known = verdict == Verdict::kHolds && static_cast<int>(pieces.size()) < options->branch_limit;
    if (known) pieces.push_back(std::move(piece));
    return false;
  });
  if (!known) {
    result.kind = RegionKind::kUndecided;
    result.reason = "the convex pieces of the region could not all be told";
  }
  return known;
}

/// A held position well inside: the one with the largest common slack of forces and efforts.
Verdict RegionChecker::Workspace::deepest_point(internal::MultiplierSet& anywhere, Sandwich& piece)
{
  const internal::HoldProblem held = problem_of(anywhere, checker.loads, piece.signs);
  const Verdict verdict = decide(held, checker.search, found);
  if (verdict != Verdict::kHolds) return verdict;
  const Eigen::VectorXd first = found.forces;
  checker.set_effort_room();
  checker.slack.deepen(held, &checker.effort_room, false, checker.search, found, kCoarseDepth);
  add_point(piece, found.forces.segment<2>(anywhere.extra_column()), found.forces);
  add_point(piece, first.segment<2>(anywhere.extra_column()), first);  // slack without end may lead far away
  return Verdict::kHolds;
}

/// Whether the piece goes on for ever along some δ: shift δ is carried by rays, δ = u + s u⊥ for one of the four axes
/// u.
bool RegionChecker::Workspace::find_recession(Sandwich& piece, RegionResult& result)
{
  Loads rays = checker.loads;
  for (Eigen::Index d = 0; d < rays.e.size(); ++d) {
    if (std::isfinite(rays.lower[d])) rays.lower[d] = 0.0;
    if (std::isfinite(rays.upper[d])) rays.upper[d] = 0.0;
  }
  for (Eigen::Index i = 0; i < rays.max_normal.size(); ++i)
    if (std::isfinite(rays.max_normal[i])) rays.max_normal[i] = 0.0;
  internal::MultiplierSet along;
  for (const Eigen::Vector2d& u :
       {Eigen::Vector2d(1, 0), Eigen::Vector2d(-1, 0), Eigen::Vector2d(0, 1), Eigen::Vector2d(0, -1)}) {
    const Eigen::Vector2d sideways(-u.y(), u.x());
    const Eigen::MatrixXd column = -shift * sideways;
    rays.e = shift * u;
    rays.e_scale = (shift * u).cwiseAbs();
    along.build(*problem, options->shape, checker.loads, checker.detaching, &column);
    const Verdict verdict = decide(problem_of(along, rays, piece.signs), checker.search, found);
    if (verdict == Verdict::kFails) {
      piece.walls.insert(piece.walls.end(), found.leaves.begin(), found.leaves.end());
      continue;
    }
    if (verdict == Verdict::kHolds) {
      result.kind = RegionKind::kUnbounded;
      write_ray(piece, u + found.forces[along.extra_column()] * sideways, found.forces, result.proof.ray.emplace());
    } else if (result.kind != RegionKind::kUnbounded) {
      result.kind = RegionKind::kUndecided;
      result.reason = "whether the region is bounded is within tolerance";
    }
    return true;
  }
  return false;
}

/// From a point that the judge says is held, if there is one, with forces that are rays.
void RegionChecker::Workspace::write_ray(const Sandwich& piece, const Eigen::Vector2d& along,
                                         const Eigen::VectorXd& rays, RegionRay& ray)
{
  ray.signs = piece.signs;
  std::string why;
  internal::RegionCase judge(*input, rules, &why);
  for (size_t i = piece.points.size(); i-- > 0 && judge.take_signs(piece.signs);) {
    ray.point = piece.points[i];
    ray.forces = piece.forces[i];
    if (judge.held(ray.point, ray.forces)) break;
  }
  ray.direction = along.normalized();
  checker.set.to_lambda(rays, ray.ray);
  ray.ray /= along.norm();
}

void RegionChecker::Workspace::add_point(Sandwich& piece, const Eigen::Vector2d& c, const Eigen::VectorXd& x)
{
  Eigen::VectorXd lambda;
  checker.set.to_lambda(x, lambda);  // the same columns in every set
  piece.points.push_back(c);
  piece.forces.push_back(lambda);
  internal::convex_hull(piece.points, piece.inner, piece.inner_point);
}

/// y'(e + shift s) <= sup for every held s, up to the rounding that the proof forgives. No normal: y does not see the
/// shift.
RegionCut RegionChecker::Workspace::cut_of(const Sandwich& piece, const MotionLeaf& proof)
{
  RegionCut cut;
  MotionLeaf leaf = proof;
  leaf.signs = piece.signs;
  if (!turn_away(leaf) || sides_left_open(leaf) > 0) charged = true;
  const Eigen::Vector2d normal = shift.transpose() * leaf.motion.head(problem->nv());
  const double size = normal.norm();
  if (!(size > 0.0)) return cut;
  cut.normal = normal / size;
  const double rounding = 8 * kRounding * leaf.motion.head(problem->nv()).cwiseAbs().dot(checker.loads.e_scale);
  cut.offset = (rounding - gain(*problem, leaf, checker.loads)) / size;
  cut.proof = leaf;
  return cut;
}

void RegionChecker::Workspace::add_cut(Sandwich& piece, const MotionLeaf& leaf)
{
  RegionCut cut = cut_of(piece, leaf);
  if (cut.normal.isZero(0.0)) return;
  double most = 0.0;
  for (const Eigen::Vector2d& corner : piece.outer) most = std::max(most, cut.normal.dot(corner) - cut.offset);
  if (most <= kSameLength * kFineLength) return;  // rounding, without end where a piece has no width
  Polygon outer = piece.outer;
  std::vector<int> outer_cut = piece.outer_cut;
  if (!internal::clip(outer, outer_cut, cut.normal, cut.offset, static_cast<int>(piece.cuts.size()))) return;
  if (outer.size() < 3) return;  // a region without area: rounding must not make nothing of it
  piece.outer.swap(outer);
  piece.outer_cut.swap(outer_cut);
  piece.cuts.push_back(std::move(cut));
}

/// How far it holds on the way to the target, and what stops it there. False: nothing was found out.
bool RegionChecker::Workspace::cast_from_the_middle(Sandwich& piece, internal::MultiplierSet& set,
                                                    const Eigen::Vector2d& middle, const Eigen::Vector2d& target,
                                                    double gap)
{
  ++piece.directions;
  from = checker.loads;
  from.e += shift * middle;
  from.e_scale += shift.cwiseAbs() * middle.cwiseAbs();
  slope.e = shift * (target - middle);
  slope.e_scale = slope.e.cwiseAbs();
  LineOptions how;
  how.relative_gap = gap;
  how.scale = std::min(1.0, kFineLength / (target - middle).norm());
  how.cap = 1.0;
  how.same_signs = true;
  how.bounded = true;
  found.signs = piece.signs;
  found.forces.setZero(set.program().E.cols());
  checker.caster.cast(problem_of(set, from, piece.signs), slope, 0.0, found, how, checker.search, line);
  for (const MotionLeaf& leaf : line.leaves) add_cut(piece, leaf);
  return line.end != LineCast::End::kUndecided || !line.leaves.empty() || line.lower > 0.0;
}

/// From the middle of what is held towards a corner of what may be.
void RegionChecker::Workspace::shoot(Sandwich& piece, const Eigen::Vector2d& target, double gap)
{
  const Eigen::Vector2d middle = middle_of(piece.inner);
  if (!cast_from_the_middle(piece, checker.set, middle, target, gap))
    piece.reason = "a boundary point is within tolerance: the gap stays open there";
  if (line.lower > 0.0) add_point(piece, middle + line.lower * (target - middle), line.forces);
}

/// The same in a piece without width, which a straight shot leaves at once by rounding: sideways the engine may choose
/// the position.
void RegionChecker::Workspace::shoot_beside(Sandwich& piece, const Eigen::Vector2d& target)
{
  const Eigen::Vector2d middle = middle_of(piece.inner), way = target - middle, sideways(-way.y(), way.x());
  const Eigen::MatrixXd column = -shift * sideways;
  internal::MultiplierSet beside;
  beside.build(*problem, options->shape, checker.loads, checker.detaching, &column);
  beside.arrange(checker.loads, piece.signs);
  cast_from_the_middle(piece, beside, middle, target, kFine);
  if (line.lower > 0.0)
    add_point(piece, middle + line.lower * way + line.forces[beside.extra_column()] * sideways, line.forces);
}

/// The outer polygon from a square and all cuts so far. Once no side of the square is left it is the intersection of
/// the cuts.
void RegionChecker::Workspace::start_outer(Sandwich& piece, double half)
{
  const Eigen::Vector2d centre = options->clip ? Eigen::Vector2d::Zero() : piece.points[0];
  piece.half_side = half;
  piece.outer = {centre + Eigen::Vector2d(-half, -half), centre + Eigen::Vector2d(half, -half),
                 centre + Eigen::Vector2d(half, half), centre + Eigen::Vector2d(-half, half)};
  piece.outer_cut.assign(4, -1);
  for (size_t i = 0; i < piece.cuts.size(); ++i)
    internal::clip(piece.outer, piece.outer_cut, piece.cuts[i].normal, piece.cuts[i].offset, static_cast<int>(i));
}

/// Shoots at the corner of the outer polygon that is furthest from the inner one, until the areas agree.
void RegionChecker::Workspace::grow(Sandwich& piece)
{
  const double fine = std::min(kCoarse * options->relative_gap, kCoarsest);
  std::vector<Eigen::Vector2d> given_up;
  while (piece.directions < options->max_directions) {
    const double outer_area = internal::area(piece.outer), gap = outer_area - internal::area(piece.inner);
    double size = 0.0, furthest = 0.0;
    Eigen::Vector2d target = Eigen::Vector2d::Zero();
    for (const Eigen::Vector2d& c : piece.outer) {
      size = std::max(size, (c - piece.outer[0]).norm());
      const double distance = internal::distance_outside(piece.inner, c);
      const bool tried =
          std::any_of(given_up.begin(), given_up.end(), [&](const Eigen::Vector2d& g) { return g == c; });
      if (tried || distance <= furthest) continue;
      furthest = distance;
      target = c;
    }
    if (gap <= options->relative_gap * outer_area || furthest <= kSameLength * std::max(size, kFineLength)) {
      if (options->clip || !piece.in_square()) return;
      if (piece.half_side >= kFar) break;
      start_outer(piece, kWiden * piece.half_side);
      given_up.clear();
      continue;
    }
    const size_t points = piece.points.size(), cuts = piece.cuts.size();
    shoot(piece, target, fine);
    const auto is_reached = [&] {
      return piece.points.size() > points && (piece.points.back() - target).norm() <= 2 * fine * size;
    };
    if (!is_reached() && outer_area <= kSameLength * size * size) shoot_beside(piece, target);
    const bool reached = is_reached();
    if (piece.cuts.size() == cuts || reached) given_up.push_back(target);
  }
  piece.reason = "the area gap is still open after " + std::to_string(piece.directions) + " directions";
}

/// The same near the current position, until its distance from the boundary is settled.
void RegionChecker::Workspace::settle_distance(Sandwich& piece)
{
  std::vector<Eigen::Vector2d> given_up;
  for (int i = 0; i < kMostDistanceDirections && piece.inner.size() > 2; ++i) {
    // The inner side nearest to the position, and the corner of the outer polygon furthest beyond it.
    double nearest = kInfinity, size = 0.0;
    Eigen::Vector2d normal = Eigen::Vector2d::Zero(), on_side = normal;
    for (size_t k = 0; k < piece.inner.size(); ++k) {
      const Eigen::Vector2d &p = piece.inner[k], &q = piece.inner[(k + 1) % piece.inner.size()];
      size = std::max(size, (q - p).norm());
      const double distance = internal::distance_outside({p, q}, Eigen::Vector2d::Zero());
      if (distance >= nearest) continue;
      nearest = distance;
      on_side = p;
      normal = Eigen::Vector2d((q - p).y(), -(q - p).x()).normalized();
    }
    double beyond = 0.0;
    Eigen::Vector2d target = Eigen::Vector2d::Zero();
    for (const Eigen::Vector2d& c : piece.outer) {
      const bool tried =
          std::any_of(given_up.begin(), given_up.end(), [&](const Eigen::Vector2d& g) { return g == c; });
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

}  // namespace stiction
