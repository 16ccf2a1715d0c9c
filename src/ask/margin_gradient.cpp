#include "stiction/margin_gradient.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ask/closure_family.hpp"
#include "ask/contact_reports.hpp"
#include "ask/equilibrium_workspace.hpp"
#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "solve/boundary_pair.hpp"
#include "stiction/error.hpp"

namespace stiction {

using internal::BoundaryPair;
using internal::ConeFamily;
using internal::Friction;
using internal::HoldProblem;
using internal::Loads;

namespace {

constexpr double kAsideOfMargin[] = {1e-6, 1e-5, 1e-4, 1e-3};  // of the margin's unit: where its failing side is asked
constexpr double kSameValue = 1e-9;                            // of the unit, by which a margin's ends may be missed
constexpr double kSameSide = 1e-6;                             // of two sides of a region
constexpr double kLeastFriction = 1e-6;                        // below it a margin of friction is at its end
constexpr double kPresses = 1e-9;                              // share of the largest force

const char* const kNotFound = "no forces and motion were found that are at the boundary together";
const double kNotKnown = std::numeric_limits<double>::quiet_NaN();

Slopes zeros(std::size_t count)
{
  const auto n = static_cast<Eigen::Index>(count);
  return {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
}

const char* not_a_number(const Margin& margin)
{
  switch (margin.state) {
    case Margin::State::kKnown:
      return nullptr;
    case Margin::State::kNotAsked:
      return "the margin was not asked for";
    case Margin::State::kNone:
      return "there is no such margin";
    case Margin::State::kUnbounded:
      return "the margin has no end";
    default:
      return "the margin is not known";
  }
}

/// Rows and vectors of a planar grasp in space.
struct Axes {
  int force[3] = {0, 1, 2}, torque[3] = {0, 1, 2};
  int forces = 3, torques = 3;

  explicit Axes(GraspPlane plane)
  {
    if (plane == GraspPlane::kNone) return;
    forces = 2;
    torques = 1;
    const int across = plane == GraspPlane::kXY ? 2 : plane == GraspPlane::kYZ ? 0 : 1;
    torque[0] = across;
    force[0] = (across + 1) % 3;
    force[1] = (across + 2) % 3;
  }
  Eigen::Vector3d force_of(const Eigen::VectorXd& rows) const
  {
    Eigen::Vector3d v = Eigen::Vector3d::Zero();
    for (int k = 0; k < forces; ++k) v[force[k]] = rows[k];
    return v;
  }
  Eigen::Vector3d torque_of(const Eigen::VectorXd& rows) const
  {
    Eigen::Vector3d v = Eigen::Vector3d::Zero();
    for (int k = 0; k < torques; ++k) v[torque[k]] = rows[forces + k];
    return v;
  }
};

}  // namespace

struct MarginDifferentiator::Workspace {
  /// What a margin is the end of.
  struct Line {
    bool friction = false;  ///< t is the factor on it; else that of the slopes
    bool largest = false;   ///< the margin is the largest number that holds, not the smallest
    double sign = 1.0;      ///< margin = sign * t
    double failing = 0.0;   ///< t of the failing end
    double outward = 1.0;   ///< to the failing side
    double unit = 1.0;      ///< of t
  };

  bool refuse(const Margin& margin, const ConeShape& shape, MarginGradient& result);
  void load(const ContactProblem& asked, const Eigen::VectorXd& a)
  {
    problem = asked;
    checker.load(problem, a, {}, 4096);
  }
  bool find(const Loads& loads, const std::vector<Loads>& slopes, const Loads& nearby_slope, const Line& line,
            MarginGradient& result);
  void write_family(const Loads& loads, const std::vector<Loads>& slopes, const Line& line);
  bool choose_signs(const Loads& loads, const Loads& slope, const Line& line);
  bool settle(MarginGradient& result);
  void confirm(const Margin& margin, const Line& line, MarginGradient& result);
  void write(const Line& line, MarginGradient& result);
  void write_motors(const Line& line, const std::vector<char>& scaled, MarginGradient& result) const;
  void extend_over_accelerations(MarginGradient& result);
  void set(Slopes& slopes, Eigen::Index k, double constant, double factor, const Eigen::VectorXd& c);
  int cone_of(std::size_t contact) const;

  EquilibriumChecker::Workspace checker;
  ContactProblem problem;  ///< a copy: `along` is asked later
  internal::Caster caster{judge_claim};
  BoundaryPair pair;
  ConeFamily family;
  ConeAnswer answer;
  std::vector<int> signs;
  Eigen::MatrixXd carried;  ///< orthonormal columns: loads that contacts could carry at all; empty: all are asked about
  bool largest = false;
  bool of_grasp = false;
  Eigen::VectorXd functional;
};

MarginDifferentiator::MarginDifferentiator(std::unique_ptr<Engine> engine) : workspace_(std::make_unique<Workspace>())
{
  if (!engine) throw InputError("engine", "want an engine, got none");
  workspace_->checker.search.engine = std::move(engine);
}
MarginDifferentiator::~MarginDifferentiator() = default;
MarginDifferentiator::MarginDifferentiator(MarginDifferentiator&&) noexcept = default;
MarginDifferentiator& MarginDifferentiator::operator=(MarginDifferentiator&&) noexcept = default;

bool MarginDifferentiator::Workspace::refuse(const Margin& margin, const ConeShape& shape, MarginGradient& result)
{
  result = {};
  of_grasp = false;
  carried.resize(0, 0);
  if (const char* why = not_a_number(margin)) result.reason = why;
  if (shape.approximation != ConeApproximation::kExact) result.reason = "facets have no gradient: want exact cones";
  return !result.reason.empty();
}

/// Those with which it holds next to the boundary.
bool MarginDifferentiator::Workspace::choose_signs(const Loads& loads, const Loads& slope, const Line& line)
{
  signs.assign(checker.problem->contacts.size(), 0);
  if (!checker.set.needs_signs()) return true;
  Loads at;
  for (const double share : kAsideOfMargin) {
    const double t = line.failing - line.outward * share * line.unit;
    at.set_line(loads, line.friction ? 0.0 : t, slope);
    const HoldProblem trial{checker.set, at, nullptr, {line.friction ? t : 1.0, -1, 0.0}, checker.branch_limit};
    if (decide(trial, checker.search, checker.found) != Verdict::kHolds) continue;
    signs = checker.found.signs;
    return true;
  }
  return false;
}

void MarginDifferentiator::Workspace::write_family(const Loads& loads, const std::vector<Loads>& slopes,
                                                   const Line& line)
{
  internal::MultiplierSet& set = checker.set;
  family.ways.resize(set.program().E.rows(), std::ssize(slopes));
  for (std::size_t k = 0; k < slopes.size(); ++k)
    family.ways.col(static_cast<Eigen::Index>(k)) = set.arrange(slopes[k], signs).e;
  family.program = set.arrange(loads, signs, {line.friction ? 0.0 : 1.0, -1, 0.0});
  family.slopes.clear();
  if (line.friction) {
    for (std::size_t i = 0; i < checker.problem->contacts.size(); ++i)
      if (cone_of(i) >= 0)
        family.slopes.push_back({checker.problem->contacts[i].mu, checker.problem->contacts[i].torsion});
  }
  if (carried.cols() == 0) return;
  family.program.E = carried.transpose() * family.program.E;
  family.program.e = carried.transpose() * family.program.e;
  family.program.e_scale = carried.cwiseAbs().transpose() * family.program.e_scale;
  family.ways = carried.transpose() * family.ways;
}

/// The place of a contact's cone in the program; -1: it has none.
int MarginDifferentiator::Workspace::cone_of(std::size_t contact) const
{
  if (of_grasp) return static_cast<int>(contact);
  const std::vector<ConeBlock>& cones = checker.set.program().cones;
  for (std::size_t k = 0; k < cones.size(); ++k)
    if (cones[k].col == checker.set.column(contact)) return static_cast<int>(k);
  return -1;
}

/// Asks on the failing side, nearer and nearer to what can be told, and goes to the boundary from there. Effort limits
/// become rows when forces break them.
bool MarginDifferentiator::Workspace::find(const Loads& loads, const std::vector<Loads>& slopes,
                                           const Loads& nearby_slope, const Line& line, MarginGradient& result)
{
  constexpr int kMostRounds = 100;
  internal::MultiplierSet& set = checker.set;
  largest = line.largest;
  result.reason = kNotFound;
  if (!choose_signs(loads, nearby_slope, line)) return false;
  Loads at;
  for (const double share : kAsideOfMargin) {
    const double t = line.failing + line.outward * share * line.unit;
    at.set_line(loads, line.friction ? 0.0 : t, nearby_slope);
    for (int round = 0; round < kMostRounds; ++round) {
      const ConeProgram& program = set.arrange(at, signs, {line.friction ? t : 1.0, -1, 0.0});
      checker.search.engine->decide(program, answer);
      if (answer.outcome == Outcome::kFeasible && set.add_violated_bounds(answer.x)) continue;
      if (answer.outcome != Outcome::kInfeasible) break;
      if (carried.cols() > 0) answer.y = carried.transpose() * answer.y;
      write_family(loads, slopes, line);
      if (!pair.find(family, t, answer)) break;
      if (!set.add_violated_bounds(pair.forces())) return settle(result);
    }
  }
  return false;
}

bool MarginDifferentiator::Workspace::settle(MarginGradient& result)
{
  result.reason = "which forces are possible at the boundary is not known";
  if (!pair.settle(*checker.search.engine, judge_claim, caster)) return false;
  result.reason = "the motion at the boundary is not unique";
  if (!pair.motion_unique()) return false;
  result.differentiable = pair.forces_unique();
  result.reason = result.differentiable ? "" : "the forces at the boundary are not unique";
  return true;
}

/// One pair of slopes, constant + factor c'x over all forces x of the boundary.
void MarginDifferentiator::Workspace::set(Slopes& slopes, Eigen::Index k, double constant, double factor,
                                          const Eigen::VectorXd& c)
{
  double least = 0.0, most = 0.0;
  if (!pair.range(c, *checker.search.engine, caster, least, most)) {
    slopes.rising[k] = slopes.falling[k] = kNotKnown;
    return;
  }
  if (factor < 0.0) std::swap(least, most);
  slopes.rising[k] = constant + factor * (largest ? most : least);
  slopes.falling[k] = constant + factor * (largest ? least : most);
}

/// Everything that the pair says, in units of the margin.
void MarginDifferentiator::Workspace::write(const Line& line, MarginGradient& result)
{
  const ContactProblem& p = *checker.problem;
  const std::size_t count = p.contacts.size();
  const double scale = -line.sign / pair.rate(), coefficients = line.friction ? pair.t() : 1.0;
  result.known = true;
  result.value = line.sign * pair.t();
  result.a = checker.a;
  checker.set.to_lambda(pair.forces(), result.lambda);
  const Eigen::VectorXd y = carried.cols() > 0 ? Eigen::VectorXd(carried * pair.motion()) : pair.motion();
  Eigen::VectorXd motion;
  checker.set.to_motion(y, motion);
  result.motion = scale * motion.head(p.nv());
  result.row_motion.setZero(p.rows());
  result.mu = result.torsion = result.max_normal = zeros(count);
  Eigen::Index price = p.nv();
  for (std::size_t i = 0; i < count; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    if (std::isfinite(p.contacts[i].max_normal))
      result.max_normal.rising[k] = result.max_normal.falling[k] = -scale * motion[price++];
    if (cone_of(i) < 0) continue;
    const auto cone = static_cast<std::size_t>(cone_of(i));
    pair.sliding_of(cone, functional);
    set(result.mu, k, 0.0, -scale * coefficients, functional);
    pair.spinning_of(cone, functional);
    set(result.torsion, k, 0.0, -scale * coefficients, functional);
  }
}

/// Limits that end the margin. @param scaled per degree of freedom: its limits are in the margin times its value
void MarginDifferentiator::Workspace::write_motors(const Line& line, const std::vector<char>& scaled,
                                                   MarginGradient& result) const
{
  const std::vector<Actuator>& motors = checker.problem->actuators;
  result.lower = result.upper = zeros(motors.size());
  for (std::size_t k = 0; k < motors.size(); ++k) {
    const auto d = static_cast<std::size_t>(motors[k].dof);
    if (!checker.set.held_by_motor(motors[k].dof)) continue;
    const double factor = !scaled.empty() && scaled[d] ? line.sign * pair.t() : 1.0;
    // y (e - bound): y > 0 leans on the upper one
    const double raw = result.motion[motors[k].dof] / (-line.sign / pair.rate());
    const double slope = -factor * result.motion[motors[k].dof];
    Slopes& leaning = raw > 0.0 ? result.upper : result.lower;
    leaning.rising[static_cast<Eigen::Index>(k)] = leaning.falling[static_cast<Eigen::Index>(k)] = slope;
  }
}

/// The margin's interval contains what was found.
void MarginDifferentiator::Workspace::confirm(const Margin& margin, const Line& line, MarginGradient& result)
{
  const double room = kSameValue * line.unit;
  if (!result.known || (result.value >= margin.lower - room && result.value <= margin.upper + room)) return;
  result = {};
  result.reason = "forces and motion were found at the boundary of something else";
}

MarginGradient MarginDifferentiator::friction_scale(const ContactProblem& problem, const Eigen::VectorXd& a,
                                                    const Margin& margin)
{
  Workspace& w = *workspace_;
  MarginGradient result;
  if (w.refuse(margin, {}, result)) return result;
  w.load(problem, a);
  if (margin.upper <= kLeastFriction) {
    result.reason = "no friction is needed: the margin is at its end";
    return result;
  }
  const Workspace::Line line{true, false, 1.0, margin.lower, -1.0, margin.upper};
  Loads none;
  none.set_zero(problem);
  if (!w.find(w.checker.loads, {}, none, line, result)) return result;
  w.write(line, result);
  w.write_motors(line, {}, result);
  w.confirm(margin, line, result);
  return result;
}

MarginGradient MarginDifferentiator::effort(const ContactProblem& problem, const Eigen::VectorXd& a,
                                            const Margin& margin)
{
  Workspace& w = *workspace_;
  MarginGradient result;
  if (w.refuse(margin, {}, result)) return result;
  w.load(problem, a);
  Loads from, slope, unlimited;
  if (!(margin.upper > kLeastFriction) || !internal::scale_limits(w.checker.loads, problem, from, slope, unlimited)) {
    result.reason = "no effort is needed: the margin is at its end";
    return result;
  }
  std::vector<char> scaled(static_cast<std::size_t>(problem.nv()));
  for (Eigen::Index d = 0; d < problem.nv(); ++d)
    scaled[static_cast<std::size_t>(d)] = slope.lower[d] != 0.0 || slope.upper[d] != 0.0;
  const Workspace::Line line{false, false, -1.0, -margin.lower, 1.0, margin.upper};
  if (!w.find(from, {slope}, slope, line, result)) return result;
  w.write(line, result);
  w.write_motors(line, scaled, result);
  w.confirm(margin, line, result);
  return result;
}

MarginGradient MarginDifferentiator::push(const ContactProblem& problem, const Eigen::VectorXd& a,
                                          const Eigen::VectorXd& push, const Margin& margin)
{
  Workspace& w = *workspace_;
  MarginGradient result;
  if (push.size() != problem.nv() || !push.allFinite())
    throw InputError("push",
                     "want " + std::to_string(problem.nv()) + " finite entries, got " + std::to_string(push.size()));
  if (w.refuse(margin, {}, result)) return result;
  w.load(problem, a);
  Loads slope;
  slope.set_zero(problem);
  slope.e = -push;
  slope.e_scale = push.cwiseAbs();
  const Workspace::Line line{false,        true, 1.0,
                             margin.upper, 1.0,  std::max(margin.upper, kSameValue * w.checker.carried_load())};
  if (!w.find(w.checker.loads, {slope}, slope, line, result)) return result;
  w.write(line, result);
  w.write_motors(line, {}, result);
  w.confirm(margin, line, result);
  return result;
}

namespace {

/// Where the position leaves the region soonest, or is nearest to it from outside: a unit vector outwards. None: there
/// are two, or it is a corner.
std::optional<Eigen::Vector2d> way_out(const RegionResult& result, const Eigen::Vector2d& position)
{
  if (result.pieces.size() != 1) return {};
  const RegionCut* nearest = nullptr;
  double least = kInfinity;
  for (const RegionCut& cut : result.pieces[0].cuts)
    if (const double room = cut.offset - cut.normal.dot(position); room < least) {
      least = room;
      nearest = &cut;
    }
  if (!nearest || nearest->proof.motion.size() == 0) return {};
  const double size = std::max(std::abs(least), kSameSide);
  for (const RegionCut& cut : result.pieces[0].cuts) {
    const bool as_near = cut.offset - cut.normal.dot(position) <= least + kSameSide * size;
    if (as_near && cut.normal.dot(nearest->normal) < 0.9) return {};
  }
  return nearest->normal;
}

}  // namespace

MarginGradient MarginDifferentiator::com(const RegionInput& input, const RegionResult& region)
{
  Workspace& w = *workspace_;
  MarginGradient result;
  const ContactProblem& problem = input.problem;
  if (input.shift.rows() != problem.nv())
    throw InputError("shift",
                     "want " + std::to_string(problem.nv()) + " rows, got " + std::to_string(input.shift.rows()));
  if (w.refuse(region.distance, {}, result)) return result;
  w.load(problem, input.a);
  const std::optional<Eigen::Vector2d> out = way_out(region, input.position);
  if (!out) {
    result.reason = "the region ends as near in another direction";
    return result;
  }
  std::vector<Loads> ways(2);
  for (int k = 0; k < 2; ++k) {
    ways[static_cast<std::size_t>(k)].set_zero(problem);
    ways[static_cast<std::size_t>(k)].e = input.shift.col(k);
    ways[static_cast<std::size_t>(k)].e_scale = input.shift.col(k).cwiseAbs();
  }
  Loads slope;
  slope.set_zero(problem);
  slope.e = input.shift * *out;
  slope.e_scale = slope.e.cwiseAbs();
  const Margin& margin = region.distance;
  const Workspace::Line line{false,        true, 1.0,
                             margin.upper, 1.0,  std::max({std::abs(margin.lower), std::abs(margin.upper), kSameSide})};
  if (!w.find(w.checker.loads, ways, slope, line, result)) return result;
  w.write(line, result);
  w.write_motors(line, {}, result);
  w.confirm(margin, line, result);
  return result;
}

/// The acceleration is that of Gauss' principle, with multipliers z of its rows: M y + J'z = 0. A motion of which only
/// what contacts feel was asked for is completed by what they do not.
void MarginDifferentiator::Workspace::extend_over_accelerations(MarginGradient& result)
{
  const ContactProblem& p = *checker.problem;
  std::vector<Eigen::Index> kept;
  const auto keep = [&](int row, int rows) {
    for (int r = row; r < row + rows; ++r) kept.push_back(r);
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i)
    if (checker.set.column(i) >= 0) keep(p.contacts[i].row, p.contacts[i].rows());
  for (const LoopConstraint& loop : p.loops) keep(loop.row, loop.rows);
  const Eigen::Index nv = p.nv(), n = std::ssize(kept);
  // In coordinates in which M has a unit diagonal, rows of unit length.
  Eigen::VectorXd root(nv);
  for (Eigen::Index d = 0; d < nv; ++d) root[d] = p.M(d, d) > 0.0 ? 1.0 / std::sqrt(p.M(d, d)) : 1.0;
  Eigen::MatrixXd J = p.J(kept, Eigen::all) * root.asDiagonal();
  Eigen::VectorXd length = J.rowwise().norm();
  length = length.unaryExpr([](double size) { return size > 0.0 ? size : 1.0; });
  J = length.cwiseInverse().asDiagonal() * J;
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(nv + n, nv + n);
  system.topLeftCorner(nv, nv) = root.asDiagonal() * p.M * root.asDiagonal();
  system.topRightCorner(nv, n) = J.transpose();
  system.bottomLeftCorner(n, nv) = J;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(nv + n);
  right.tail(n) = J * result.motion.cwiseQuotient(root);
  const Eigen::VectorXd both = internal::LeastNorm(system, internal::kDependent).solve(right);
  result.motion = root.cwiseProduct(both.head(nv));
  for (Eigen::Index k = 0; k < n; ++k) result.row_motion[kept[static_cast<std::size_t>(k)]] = both[nv + k] / length[k];
}

MarginGradient MarginDifferentiator::friction_scale(const ContactProblem& problem, const StickingRules& rules,
                                                    const StickingResult& sticking)
{
  Workspace& w = *workspace_;
  MarginGradient result;
  if (w.refuse(sticking.friction_scale, rules.shape, result)) return result;
  const Margin& margin = sticking.friction_scale;
  if (rules.detachment == Detachment::kFree) result.reason = "contacts that are free once they leave";
  if (margin.upper <= kLeastFriction) result.reason = "no friction is needed: the margin is at its end";
  if (!sticking.acceleration_unique) result.reason = "the acceleration is not unique";
  if (sticking.acceleration.size() != problem.nv() || sticking.lambda.size() != problem.rows())
    throw InputError("result", "want one about this problem");
  if (!result.reason.empty()) return result;
  EquilibriumChecker::Workspace& c = w.checker;
  w.problem = problem;
  c.problem = &w.problem;
  c.shape = {};
  c.branch_limit = 4096;
  c.a = sticking.acceleration;
  Eigen::VectorXd row_scale;
  c.judge.row_scales(problem, c.a, row_scale);
  internal::find_detaching(problem, rules.detachment, c.a, row_scale, c.detaching);
  Eigen::VectorXd staying = sticking.lambda;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (c.detaching[i]) staying.segment(problem.contacts[i].row, problem.contacts[i].rows()).setZero();
  c.loads.reset(problem);
  c.loads.e = problem.J.transpose() * staying;
  c.loads.e_scale = problem.J.cwiseAbs().transpose() * staying.cwiseAbs();
  c.set.build(w.problem, {}, c.loads, c.detaching);
  w.signs.assign(problem.contacts.size(), 1);
  w.carried = internal::column_span(c.set.arrange(c.loads, w.signs).E, internal::kRank).basis();
  const Workspace::Line line{true, false, 1.0, margin.lower, -1.0, margin.upper};
  Loads none;
  none.set_zero(problem);
  if (!w.find(c.loads, {}, none, line, result)) return result;
  w.write(line, result);
  result.lower = result.upper = zeros(problem.actuators.size());
  w.extend_over_accelerations(result);
  w.confirm(margin, line, result);
  // Of a contact that neither presses nor opens nobody knows which of both a change of the data makes it do.
  const double most = staying.lpNorm<Eigen::Infinity>();
  for (std::size_t i = 0; i < problem.contacts.size() && result.known; ++i) {
    const Contact& contact = problem.contacts[i];
    if (c.detaching[i] || contact.side == Side::kBilateral || rules.detachment == Detachment::kForbidden) continue;
    if (std::max(staying[contact.row], result.lambda[contact.row]) > kPresses * most) continue;
    result = {};
    result.reason = "contact " + contact.name + " neither presses nor opens";
  }
  return result;
}

GraspGradient MarginDifferentiator::friction_factor(const Grasp& grasp, const Margin& margin)
{
  grasp.validate();
  Workspace& w = *workspace_;
  GraspGradient gradient;
  MarginGradient& result = gradient.matrices;
  if (w.refuse(margin, {}, result)) return gradient;
  w.of_grasp = true;
  w.largest = false;
  if (!internal::write_closure_family(grasp, w.family)) result.reason = "want contacts that push, with exact cones";
  if (margin.upper <= kLeastFriction) result.reason = "no friction is needed: the margin is at its end";
  if (!result.reason.empty() || grasp.contacts.empty()) return gradient;
  const Workspace::Line line{true, false, 1.0, margin.lower, -1.0, margin.upper};
  result.reason = kNotFound;
  bool found = false;
  ConeProgram nearby;
  for (const double share : kAsideOfMargin) {
    const double t = margin.lower - share * margin.upper;
    internal::write_closure_at(w.family, t, nearby);
    w.checker.search.engine->decide(nearby, w.answer);
    found = w.answer.outcome == Outcome::kInfeasible && w.pair.find(w.family, t, w.answer) && w.settle(result);
    if (found) break;
  }
  if (!found) return gradient;
  const double scale = -1.0 / w.pair.rate();
  result.known = true;
  result.value = w.pair.t();
  result.lambda = w.pair.forces();
  result.motion = scale * w.pair.motion();
  const std::size_t count = grasp.contacts.size();
  result.mu = result.torsion = result.max_normal = zeros(count);
  gradient.points = gradient.normals = zeros(3 * count);
  for (std::size_t i = 0; i < count; ++i) {
    w.pair.sliding_of(i, w.functional);
    w.set(result.mu, static_cast<Eigen::Index>(i), 0.0, -scale * w.pair.t(), w.functional);
    w.pair.spinning_of(i, w.functional);
    w.set(result.torsion, static_cast<Eigen::Index>(i), 0.0, -scale * w.pair.t(), w.functional);
  }
  w.confirm(margin, line, result);
  if (!result.known || (grasp.G.rows() != 6 && grasp.G.rows() != 3)) return gradient;

  const Axes axes(grasp.G.rows() == 6 ? GraspPlane::kNone : grasp.convention.plane);
  const double length = grasp.convention.torque_length;
  const Eigen::Vector3d v = axes.force_of(result.motion), turn = axes.torque_of(result.motion) / length;
  Eigen::MatrixXd of_points = Eigen::MatrixXd::Zero(grasp.G.cols(), static_cast<Eigen::Index>(3 * count));
  Eigen::MatrixXd of_normals = of_points;
  for (std::size_t i = 0; i < count; ++i) {
    const GraspBlock& block = grasp.contacts[i];
    const Eigen::Vector3d arm = block.point - grasp.convention.reference;
    const Eigen::Vector3d n = axes.force_of(grasp.G.col(block.col));
    for (int j = 0; j < 3; ++j) {
      const auto column = static_cast<Eigen::Index>(3 * i) + j;
      const Eigen::Vector3d tilt = n.cross(Eigen::Vector3d::Unit(j));
      for (int k = 0; k <= block.cone.tangents; ++k) {
        const Eigen::Vector3d axis = axes.force_of(grasp.G.col(block.col + k)), tilted = tilt.cross(axis);
        of_points(block.col + k, column) = turn.dot(Eigen::Vector3d::Unit(j).cross(axis));
        of_normals(block.col + k, column) = v.dot(tilted) + turn.dot(arm.cross(tilted));
      }
      if (block.cone.torsional) of_normals(block.col + 1 + block.cone.tangents, column) = turn.dot(tilt.cross(n));
      if (!block.point_known)
        of_points.col(column).setConstant(kNotKnown), of_normals.col(column).setConstant(kNotKnown);
    }
  }
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * count));
  gradient.points = along(none, of_points);
  gradient.normals = along(none, of_normals);
  return gradient;
}

Slopes MarginDifferentiator::along(const Eigen::VectorXd& loads, const Eigen::MatrixXd& rows)
{
  Workspace& w = *workspace_;
  const Eigen::Index columns_of_rows = w.of_grasp ? w.pair.forces().size() : w.problem.rows();
  if (rows.rows() != columns_of_rows || rows.cols() != loads.size())
    throw InputError("rows", "want " + std::to_string(columns_of_rows) + " x " + std::to_string(loads.size()) +
                                 " as for the margin last differentiated, got " + std::to_string(rows.rows()) + " x " +
                                 std::to_string(rows.cols()));
  Slopes slopes = zeros(static_cast<std::size_t>(loads.size()));
  Eigen::VectorXd columns;
  for (Eigen::Index k = 0; k < loads.size(); ++k) {
    if (w.of_grasp)
      columns = rows.col(k);
    else
      w.checker.set.from_lambda(rows.col(k), columns);
    w.set(slopes, k, loads[k], -1.0, columns);
  }
  return slopes;
}

}  // namespace stiction
