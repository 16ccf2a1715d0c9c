#include "simulate/motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

constexpr double kLawsSolved = 1e-11;     // residual that is asked of the laws
constexpr double kAccepted = 1e-9;        // and the one that redundant contacts may be left with
constexpr double kSmallTurn = 1e-3;       // rad: below, a series has all digits
constexpr double kPlaceRounding = 1e-13;  // m: gaps below are rounding of places in the world

/// Forces of another instant, where the same contacts had some.
Eigen::VectorXd forces_of(const Instant& other, const Instant& wanted)
{
  if (other.closed == wanted.closed) return other.laws.lambda;
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(wanted.problem.rows());
  for (std::size_t i = 0; i < wanted.closed.size(); ++i) {
    const auto known = std::ranges::find(other.closed, wanted.closed[i]);
    if (known == other.closed.end()) continue;
    const Contact& from = other.problem.contacts[static_cast<std::size_t>(known - other.closed.begin())];
    const Contact& to = wanted.problem.contacts[i];
    forces.segment(to.row, to.rows()) = other.laws.lambda.segment(from.row, from.rows());
  }
  return forces;
}

}  // namespace

void Motion::evaluate(const SceneState& state, const Instant* near, Instant& out)
{
  out.closed = touching.closed;
  scene.compute(state, touching.closed, out.problem);
  const ContactProblem& problem = out.problem;
  out.speed = problem.J * state.v;
  out.slips.assign(problem.contacts.size(), {});
  for (std::size_t i = 0; i < touching.closed.size(); ++i) {
    if (!touching.slides[i]) continue;
    const Contact& contact = problem.contacts[i];
    Eigen::Vector2d along = Eigen::Vector2d::Zero();
    along.head(contact.tangents) = out.speed.segment(contact.row + 1, contact.tangents);
    // Past the end of its slip it goes on as it did, so that the laws are smooth across that instant.
    const bool forward = along.dot(*touching.slides[i]) > 0.0 && along.norm() > kStandstill;
    out.slips[i] = forward ? Eigen::Vector2d(along.normalized()) : *touching.slides[i];
  }
  for (std::size_t k = 0; k < problem.actuators.size(); ++k) {
    Actuator& motor = out.problem.actuators[k];
    if (k < touching.turns.size() && touching.turns[k] != 0.0)
      (touching.turns[k] > 0.0 ? motor.upper : motor.lower) = touching.turns[k] > 0.0 ? motor.lower : motor.upper;
  }
  MotionLawOptions how;
  how.tolerance = kLawsSolved;
  how.slips = out.slips;
  how.brakes = true;
  if (near && near->laws.lambda.size() > 0) {
    how.start = forces_of(*near, out);
    how.start_effort = near->laws.effort;
    how.newton_first = true;
  }
  out.laws = predict_motion(problem, how);
  out.residual = out.laws.residual;
  if (out.laws.outcome == PredictionOutcome::kNotConverged && out.residual <= kAccepted)
    out.laws.outcome = PredictionOutcome::kConverged;

  out.power = scene.applied(state).dot(state.v);
  out.friction = -out.laws.lambda.dot(out.speed);
  for (std::size_t k = 0; k < problem.actuators.size(); ++k)
    out.friction -= out.laws.effort[static_cast<Eigen::Index>(k)] * state.v[problem.actuators[k].dof];
}

Motion::Motion(const Scenario& scenario) : scene(scenario)
{
  const ContactProblem problem = scene.bodies().compute();
  for (const ModelDescription& model : scene.models()) {
    if (model.base != Base::kFloating) continue;
    std::vector<int> dofs;
    for (std::size_t i = 0; i < problem.dofs.size(); ++i)
      if (problem.dofs[i].model == model.name && problem.dofs[i].of_base()) dofs.push_back(static_cast<int>(i));
    FreeBase base{scene.bodies().root_link(model.name), {-1, -1, -1, -1, -1, -1}};
    // In a plane two velocities are left, and the turn about what is across them.
    std::vector<std::size_t> free{0, 1, 2, 3, 4, 5};
    if (dofs.size() == 3) {
      const ScenePlane plane = scene.bodies().plane();
      const Eigen::Vector3d across = plane == ScenePlane::kXy   ? Eigen::Vector3d::UnitZ()
                                     : plane == ScenePlane::kYz ? Eigen::Vector3d::UnitX()
                                                                : Eigen::Vector3d::UnitY();
      Eigen::Index held = 0;  // its own axis that is across the plane
      (turn_of(base, scene.start().q).transpose() * across).cwiseAbs().maxCoeff(&held);
      free.clear();
      for (Eigen::Index k = 0; k < 3; ++k)
        if (k != held) free.push_back(static_cast<std::size_t>(k));
      free.push_back(static_cast<std::size_t>(3 + held));
    }
    if (dofs.size() != free.size()) continue;
    for (std::size_t k = 0; k < free.size(); ++k) base.dof[free[k]] = dofs[k];
    bases_.push_back(base);
  }
}

Eigen::Matrix3d Motion::turn_of(const FreeBase& base, const Eigen::VectorXd& q)
{
  SceneState there = scene.start();
  there.q = q;
  return scene.bodies().link_pose(there, base.root).linear();
}

namespace {

Eigen::Vector3d part(const Eigen::VectorXd& v, const std::array<int, 6>& dof, std::size_t first)
{
  Eigen::Vector3d out = Eigen::Vector3d::Zero();
  for (std::size_t k = 0; k < 3; ++k)
    if (dof[first + k] >= 0) out[static_cast<Eigen::Index>(k)] = v[dof[first + k]];
  return out;
}

void set_linear(const Eigen::Vector3d& linear, const std::array<int, 6>& dof, Eigen::VectorXd& v)
{
  for (std::size_t k = 0; k < 3; ++k)
    if (dof[k] >= 0) v[dof[k]] = linear[static_cast<Eigen::Index>(k)];
}

/// V⁻¹ of the exponential of a rigid motion: V u is how far it goes when it turns by `turn` and has the twist (u,
/// turn).
Eigen::Vector3d without_turn(const Eigen::Vector3d& turn, const Eigen::Vector3d& way)
{
  const double angle = turn.norm();
  const Eigen::Vector3d once = turn.cross(way), twice = turn.cross(once);
  const double share = angle < kSmallTurn ? 1.0 / 12.0 + angle * angle / 720.0
                                          : (1.0 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle);
  return way - 0.5 * once + share * twice;
}

}  // namespace

/// q after a step whose linear parts of floating bases are in the world's axes: bodies that spin go straight on.
Eigen::VectorXd Motion::moved(const Eigen::VectorXd& q, const Eigen::VectorXd& step)
{
  Eigen::VectorXd own = step;
  for (const FreeBase& base : bases_) {
    const Eigen::Vector3d way = turn_of(base, q).transpose() * part(step, base.dof, 0);
    set_linear(without_turn(part(step, base.dof, 3), way), base.dof, own);
  }
  return scene.bodies().integrate(q, own);
}

Eigen::VectorXd Motion::with_world_axes(const Eigen::VectorXd& q, Eigen::VectorXd v, bool to_world)
{
  for (const FreeBase& base : bases_) {
    const Eigen::Matrix3d turn = turn_of(base, q);
    const Eigen::Vector3d linear = part(v, base.dof, 0);
    set_linear(to_world ? Eigen::Vector3d(turn * linear) : Eigen::Vector3d(turn.transpose() * linear), base.dof, v);
  }
  return v;
}

/// Rate of change of velocities in the world's axes.
Eigen::VectorXd Motion::world_acceleration(const SceneState& state, const Eigen::VectorXd& a)
{
  Eigen::VectorXd out = a;
  for (const FreeBase& base : bases_) {
    const Eigen::Vector3d coriolis = part(state.v, base.dof, 3).cross(part(state.v, base.dof, 0));
    set_linear(turn_of(base, state.q) * (part(a, base.dof, 0) + coriolis), base.dof, out);
  }
  return out;
}

/// Celledoni, Marthinsen and Owren's method of order 4, without commutators: two exponentials for the last stage and
/// two for the end; velocities, which add up, follow the classical method of Runge and Kutta. Linear velocities of
/// floating bases are in the world's axes.
Motion::End Motion::integrate(const SceneState& start, const Instant& at_start, double h)
{
  std::array<Eigen::VectorXd, 4> rate, acceleration;
  std::array<double, 4> power{}, friction{};
  End end;
  Instant stage;
  const auto take = [&](std::size_t k, const SceneState& state, const Instant& instant) {
    rate[k] = with_world_axes(state.q, state.v, true);
    acceleration[k] = world_acceleration(state, instant.laws.acceleration);
    power[k] = instant.power;
    friction[k] = instant.friction;
    end.solved = end.solved && instant.solved();
  };
  take(0, start, at_start);
  SceneState at = start;
  Eigen::VectorXd second = start.q;
  for (std::size_t k = 1; k < 4 && end.solved; ++k) {
    const double length = k == 3 ? h : 0.5 * h;
    at.q = k == 3 ? moved(second, h * rate[2] - 0.5 * h * rate[0]) : moved(start.q, length * rate[k - 1]);
    at.v = with_world_axes(at.q, rate[0] + length * acceleration[k - 1], false);
    if (k == 1) second = at.q;
    evaluate(at, &at_start, stage);
    take(k, at, stage);
  }
  end.state = start;
  if (!end.solved) return end;
  end.state.q = moved(start.q, (h / 12.0) * (3.0 * rate[0] + 2.0 * rate[1] + 2.0 * rate[2] - rate[3]));
  end.state.q = moved(end.state.q, (h / 12.0) * (-rate[0] + 2.0 * rate[1] + 2.0 * rate[2] + 3.0 * rate[3]));
  end.state.v = with_world_axes(
      end.state.q,
      rate[0] + (h / 6.0) * (acceleration[0] + 2.0 * acceleration[1] + 2.0 * acceleration[2] + acceleration[3]), false);
  end.work = (h / 6.0) * (power[0] + 2.0 * power[1] + 2.0 * power[2] + power[3]);
  end.friction = (h / 6.0) * (friction[0] + 2.0 * friction[1] + 2.0 * friction[2] + friction[3]);
  return end;
}

double Motion::stabilise(SceneState& state, const Instant& instant)
{
  const ContactProblem& problem = instant.problem;
  std::vector<int> rows, normals;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    rows.push_back(contact.row);
    normals.push_back(contact.row);
    const bool sticks = !touching.slides[i] && instant.laws.contacts[i].motion == PredictedMotion::kSticks &&
                        (contact.mu > 0.0 || contact.torsional);
    for (int k = 1; sticks && k < contact.rows(); ++k) rows.push_back(contact.row + k);
  }
  for (const LoopConstraint& loop : problem.loops)
    for (int k = 0; k < loop.rows; ++k) rows.push_back(loop.row + k);
  std::vector<int> held;
  for (std::size_t k = 0; k < problem.actuators.size(); ++k)
    if (touching.turns[k] == 0.0) held.push_back(problem.actuators[k].dof);
  if (rows.empty() && held.empty()) return 0.0;

  // The nearest velocity, and then place, in the kinetic metric.
  const auto nearest = [&](const Eigen::MatrixXd& J, const Eigen::VectorXd& wrong) -> Eigen::VectorXd {
    const Eigen::VectorXd scale = problem.M.diagonal().cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd L = cholesky_factor(scale.asDiagonal() * problem.M * scale.asDiagonal());
    const Eigen::MatrixXd X = solve_lower(L, scale.asDiagonal() * J.transpose());
    const Eigen::VectorXd change = LeastNorm(X.transpose(), kRank).solve(wrong);
    return -scale.cwiseProduct(Eigen::VectorXd(solve_lower_transposed(L, change)));
  };
  Eigen::MatrixXd J(static_cast<Eigen::Index>(rows.size() + held.size()), problem.nv());
  J.setZero();
  for (std::size_t r = 0; r < rows.size(); ++r) J.row(static_cast<Eigen::Index>(r)) = problem.J.row(rows[r]);
  for (std::size_t r = 0; r < held.size(); ++r) J(static_cast<Eigen::Index>(rows.size() + r), held[r]) = 1.0;
  const Eigen::VectorXd wrong = J * state.v;
  if (!wrong.isZero(0.0)) state.v += nearest(J, wrong);

  Eigen::VectorXd gaps;
  scene.gaps(state, gaps);
  Eigen::VectorXd off(static_cast<Eigen::Index>(normals.size()));
  for (std::size_t i = 0; i < normals.size(); ++i) off[static_cast<Eigen::Index>(i)] = gaps[touching.closed[i]];
  const double largest = off.size() > 0 ? off.lpNorm<Eigen::Infinity>() : 0.0;
  if (largest <= kPlaceRounding) return largest;
  Eigen::MatrixXd N(off.size(), problem.nv());
  for (std::size_t i = 0; i < normals.size(); ++i) N.row(static_cast<Eigen::Index>(i)) = problem.J.row(normals[i]);
  state.q = scene.bodies().integrate(state.q, nearest(N, off));
  return largest;
}

}  // namespace stiction::internal
