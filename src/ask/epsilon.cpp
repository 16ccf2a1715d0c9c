// Ferrari and Canny's epsilon as a certified interval.
//
// Q = wrenches of the grasp with normal forces of sum at most 1 (L1) or at most 1 each (L-infinity), exact cones;
// epsilon = radius of the largest ball about zero in Q = min of its support function h over unit directions u. h has a
// closed form, so any u gives an upper bound. Lower bounds: for a simplicial cone of directions with unit edges u_j and
// any w in Q, h(u) >= w'u >= |u| min_j w'u_j on the whole cone, since |sum a_j u_j| <= sum a_j. The sphere is cut into
// such cones until each has a w with min_j w'u_j >= (1 - gap) times the upper bound: a convex combination of support
// points, which a small linear program finds. When there is none, its certificate is a direction of the cone where h is
// smaller, the next candidate for the upper bound.
#include <algorithm>
#include <cmath>

#include "ask/closure_workspace.hpp"
#include "base/numerics.hpp"
#include "cone/kernels.hpp"

namespace stiction {
namespace {

constexpr int kMostWrenchRows = 6;
constexpr std::size_t kPool = 40;  // support points kept for the next cells, which are neighbours
constexpr int kMostPoints = 60;    // new ones per cell before it is cut instead
constexpr double kProducts = internal::kProductRounding;
constexpr double kSameDirection = 1e-20;  // squared distance of unit vectors that no reflection can tell apart

using Direction = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostWrenchRows, 1>;
using Cell =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostWrenchRows, kMostWrenchRows>;  ///< edges as columns

class Hull {
 public:
  Hull(const Grasp& grasp, HullNorm norm, Engine& engine) : grasp_(grasp), norm_(norm), engine_(engine)
  {
    for (const GraspBlock& block : grasp.contacts) {
      cones_.push_back(block.cone);
      cones_.back().shape = ConeShape::exact();
    }
  }

  /// h(u), and where it is attained.
  double support_point(const Direction& u, Direction& w) const
  {
    double total = 0.0;
    w.setZero(u.size());
    for (std::size_t i = 0; i < cones_.size(); ++i) {
      const GraspBlock& block = grasp_.contacts[i];
      double h[4] = {}, ray[4] = {};
      for (int k = 0; k < cones_[i].dim(); ++k) h[k] = grasp_.G.col(block.col + k).dot(u);
      FrictionCone cone = cones_[i];
      if (block.side == Side::kBilateral && h[0] < 0.0) cone.sign = -1.0;
      const double value = internal::support(cone, h, ray);
      if (!(value > (norm_ == HullNorm::kL1 ? total : 0.0))) continue;
      if (norm_ == HullNorm::kL1) {
        total = 0.0;
        w.setZero();
      }
      total += value;
      for (int k = 0; k < cone.dim(); ++k) w += ray[k] * grasp_.G.col(block.col + k);
    }
    return total;
  }

  /// Upper bound of epsilon from one direction.
  double distance(const Direction& u) const
  {
    Direction w;
    const double length = u.norm();
    return length > 0.0 ? support_point(u, w) / length * (1.0 + kProducts) : kInfinity;
  }

  /// A direction of less distance: downhill along the sphere, in steps that shorten.
  Direction downhill(Direction u) const
  {
    constexpr int kDownhillSteps = 20;
    constexpr double kFirstStep = 0.5, kShorter = 0.8;
    Direction w, best = u;
    double least = kInfinity, step = kFirstStep;
    for (int k = 0; k < kDownhillSteps; ++k, step *= kShorter) {
      if (const double value = support_point(u, w); value < least) {
        least = value;
        best = u;
      }
      const Direction down = w - w.dot(u) * u;
      const double length = down.norm();
      if (!(length > 0.0)) break;
      u = (u - step / length * down).normalized();
    }
    return best;
  }

  /// Whether some w in Q has w'u_j >= target on every edge of the cell, proved; if not, `inside` receives a direction
  /// of the cell that says why.
  bool covers(const Cell& cell, double target, Direction& inside)
  {
    const Eigen::Index m = cell.rows();
    inside = cell.rowwise().sum();
    Direction w;
    const double enough = target * (1.0 + kProducts);
    const auto covered_by = [&](const Direction& point) {
      return (cell.transpose() * point).minCoeff() >= enough + kProducts * point.norm();
    };
    if (std::ranges::any_of(pool_, covered_by)) return true;  // mostly one will do, without a program
    for (int round = 0; round < kMostPoints; ++round) {
      // sum a_k u_j'w_k - s_j = target, sum a_k + s = 1
      const Eigen::Index p = static_cast<Eigen::Index>(pool_.size());
      program_.E.setZero(m + 1, p + m + 1);
      program_.cones.clear();
      program_.boxes.clear();
      for (Eigen::Index k = 0; k < p; ++k) {
        program_.E.col(k).head(m).noalias() = cell.transpose() * pool_[static_cast<std::size_t>(k)];
        program_.E(m, k) = 1.0;
        program_.cones.push_back({static_cast<int>(k), FrictionCone{0, false, 0.0, 0.0, 1.0, {}}});
      }
      for (Eigen::Index j = 0; j <= m; ++j) {
        program_.E(j, p + j) = j < m ? -1.0 : 1.0;
        program_.boxes.push_back({static_cast<int>(p + j), 0.0, kInfinity});
      }
      program_.e.setConstant(m + 1, enough);
      program_.e[m] = 1.0;
      const Verdict verdict = internal::decide(engine_, program_, judge_claim, answer_);
      if (verdict == Verdict::kHolds) return true;
      if (verdict == Verdict::kUndecided) return false;
      const Direction share = answer_.y.head(m).cwiseMax(0.0);
      inside = cell * share;
      if (support_point(inside, w) <= target * share.sum()) return false;
      if (pool_.size() < kPool)
        pool_.push_back(w);
      else
        pool_[next_++ % kPool] = w;
    }
    return false;
  }

 private:
  const Grasp& grasp_;
  HullNorm norm_;
  Engine& engine_;
  std::vector<FrictionCone> cones_;
  std::vector<Direction> pool_;
  std::size_t next_ = 0;
  ConeProgram program_;
  ConeAnswer answer_;
};

/// The 2^m orthants of a frame in which u is the centre of one: cells meet where the minimum is not.
std::vector<Cell> first_cells(const Direction& u)
{
  const Eigen::Index m = u.size();
  const Direction centre = Direction::Constant(m, 1.0 / std::sqrt(static_cast<double>(m)));
  Cell frame = Cell::Identity(m, m);
  const Direction v = centre - u;
  if (v.squaredNorm() > kSameDirection) frame -= 2.0 / v.squaredNorm() * v * v.transpose();
  std::vector<Cell> cells;
  for (int signs = 0; signs < 1 << m; ++signs) {
    Cell cell = frame;
    for (Eigen::Index j = 0; j < m; ++j) cell.col(j) = (frame.col(j) * (signs >> j & 1 ? -1.0 : 1.0)).normalized();
    cells.push_back(cell);
  }
  return cells;
}

void bisect(const Cell& cell, Cell& one, Cell& other)
{
  Eigen::Index a = 0, b = 1;
  double widest = kInfinity;
  for (Eigen::Index j = 0; j < cell.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i)
      if (const double cosine = cell.col(i).dot(cell.col(j)); cosine < widest) {
        widest = cosine;
        a = i;
        b = j;
      }
  const Direction middle = (cell.col(a) + cell.col(b)).normalized();
  one = cell;
  other = cell;
  one.col(a) = middle;
  other.col(b) = middle;
}

}  // namespace

Margin ClosureChecker::Workspace::epsilon(const Grasp& grasp, HullNorm norm, const ClosureOptions& options)
{
  using State = Margin::State;
  const Margin none{State::kNone, 0.0, kInfinity, {}};
  if (!grasp.free.empty()) return none;  // forces without a normal have no unit
  for (const GraspBlock& block : grasp.contacts)
    if (block.side == Side::kBilateral && internal::has_friction(block, ClosureKind::kFrictionalForm)) return none;
  const Verdict closed = decide(grasp, ClosureKind::kFrictionalForm, trial_proof);
  if (closed == Verdict::kFails) return {State::kKnown, 0.0, 0.0, {}};
  const Eigen::Index m = grasp.G.rows();
  Hull hull(grasp, norm, *engine);
  double upper = kInfinity;
  Direction best = Direction::Unit(m, 0), inside;
  const auto lower_upper = [&](const Direction& u) {
    if (const double value = hull.distance(u); value < upper) {
      upper = value;
      best = u.normalized();
    }
  };
  for (Eigen::Index k = 0; k < 2 * m; ++k) lower_upper(hull.downhill(Direction::Unit(m, k / 2) * (k % 2 ? -1.0 : 1.0)));
  if (closed == Verdict::kUndecided) return {State::kUndecided, 0.0, upper, "whether the grasp is closed is undecided"};
  if (m == 1) return {State::kKnown, upper * (1.0 - 4.0 * kProducts), upper, {}};

  double proved = 0.0;
  const auto below = [&] { return options.epsilon_stop_below && upper < *options.epsilon_stop_below; };
  const auto stopped_below = [&] {
    return Margin{State::kUndecided, proved, upper, "it is below what it was compared with"};
  };
  if (below()) return stopped_below();
  // Cuts the sphere until every cell is covered to the target; false when there are too many, or some never are.
  const auto cover = [&](const auto& target) {
    std::vector<Cell> cells = first_cells(best);
    int left = options.epsilon_cells;
    Cell one, other;
    while (!cells.empty()) {
      if (left-- == 0 || below() || upper < target()) return false;
      const Cell cell = cells.back();
      cells.pop_back();
      if (hull.covers(cell, target(), inside)) continue;
      lower_upper(inside);
      bisect(cell, one, other);
      cells.push_back(one);
      cells.push_back(other);
    }
    proved = std::max(proved, target());
    return true;
  };
  const auto to_gap = [&](double gap) { return cover([&upper, gap] { return (1.0 - gap) * upper; }); };
  if (const std::optional<double>& least = options.epsilon_at_least; least && *least > 0.0 && upper >= *least)
    if (cover([&least] { return *least; }))
      return {State::kUndecided, proved, upper, "it is as large as what it was compared with"};
  // Coarse first, which also finds the minimum to centre the finer cells on.
  constexpr double kCoarseGap = 0.4, kFallbackGap = 0.1;
  if (to_gap(kCoarseGap) && to_gap(options.epsilon_gap)) return {State::kKnown, proved, upper, {}};
  if (below()) return stopped_below();
  if (proved > 0.0) to_gap(kFallbackGap);
  return {State::kUndecided, proved, upper, "the gap is still open after so many cells"};
}

}  // namespace stiction
