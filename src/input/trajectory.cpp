#include "stiction/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

void require_times(std::span<const double> times, std::size_t rows, std::size_t at)
{
  if (times.size() != rows || at >= rows || rows < 3)
    throw InputError("times", "want three rows or more around an instant to difference, got " + std::to_string(rows));
  for (std::size_t k = 0; k < rows; ++k)
    if (!std::isfinite(times[k]) || (k > 0 && !(times[k] > times[k - 1])))
      throw InputError("times", "want increasing times, got " + internal::text(times[k]) +
                                    (k > 0 ? " after " + internal::text(times[k - 1]) : ""));
}

/// Columns: weights of the samples in the first and second derivative at times[at] of the polynomial of `degree` that
/// fits them best.
Eigen::MatrixX2d derivative_weights(std::span<const double> times, std::size_t at, int degree)
{
  const auto rows = static_cast<Eigen::Index>(times.size());
  const double span = std::max(times.back() - times[at], times[at] - times.front());
  Eigen::MatrixXd powers(rows, degree + 1);  // of times in units of the span: a well-conditioned basis
  for (Eigen::Index k = 0; k < rows; ++k)
    for (int d = 0; d <= degree; ++d)
      powers(k, d) = std::pow((times[static_cast<std::size_t>(k)] - times[at]) / span, d);
  const Eigen::MatrixXd fit =
      internal::LeastNorm(powers, internal::kDependent).solve(Eigen::MatrixXd::Identity(rows, rows));
  Eigen::MatrixX2d weights(rows, 2);
  weights.col(0) = fit.row(1) / span;
  weights.col(1) = 2.0 * fit.row(2) / (span * span);
  return weights;
}

/// x moved to the nearest with J x + offset = 0 in the metric M = L L'; `constraint` is that of J L'⁻¹.
void move_onto(const ContactProblem& problem, const Eigen::MatrixXd& L, const internal::LeastNorm& constraint,
               const Eigen::VectorXd& offset, Eigen::VectorXd& x)
{
  for (int pass = 0; pass < 3; ++pass)  // the later ones take rounding out
    x -= internal::solve_lower_transposed(L, constraint.solve(problem.J * x + offset));
}

/// Largest norm of a block of rows, and the first row of it.
void find_largest(const ContactProblem& problem, const Eigen::VectorXd& rows, double& largest, int& row)
{
  const auto consider = [&](int first, int count) {
    if (count == 0 || (row >= 0 && rows.segment(first, count).norm() <= largest)) return;
    largest = rows.segment(first, count).norm();
    row = first;
  };
  for (const Contact& contact : problem.contacts) consider(contact.row, contact.rows());
  for (const LoopConstraint& loop : problem.loops) consider(loop.row, loop.rows);
}

}  // namespace

void fit_motion(const Scene& scene, std::span<const double> times, std::span<const Eigen::VectorXd> q, std::size_t at,
                Eigen::VectorXd& v, Eigen::VectorXd& a)
{
  require_times(times, q.size(), at);
  const Eigen::MatrixX2d weights = derivative_weights(times, at, q.size() >= 5 ? 3 : 2);
  v.setZero(scene.nv());
  a.setZero(scene.nv());
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (k == at) continue;  // its difference is zero
    const Eigen::VectorXd step = scene.difference(q[at], q[k]);
    v += weights(static_cast<Eigen::Index>(k), 0) * step;
    a += weights(static_cast<Eigen::Index>(k), 1) * step;
  }
}

void fit_acceleration(std::span<const double> times, std::span<const Eigen::VectorXd> v, std::size_t at,
                      Eigen::VectorXd& a)
{
  require_times(times, v.size(), at);
  const Eigen::MatrixX2d weights = derivative_weights(times, at, 2);
  a.setZero(v[at].size());
  for (std::size_t k = 0; k < v.size(); ++k) a += weights(static_cast<Eigen::Index>(k), 0) * (v[k] - v[at]);
}

StickingCorrection stick(Scene& scene, SceneState& state, ContactProblem& problem)
{
  scene.compute(state, problem);
  StickingCorrection correction;
  if (problem.rows() == 0) return correction;
  // Bodies without mass follow the others: a little of the largest makes the metric one without changing what sticks.
  constexpr double kMassless = 1e-9;
  constexpr double kSameRow = 1e-9;  // corners of a rigid sole share rows but for rounding of where they are
  Eigen::MatrixXd M = problem.M;
  M.diagonal().array() += kMassless * std::max(M.diagonal().maxCoeff(), internal::kTiny);
  const Eigen::MatrixXd L = internal::cholesky_factor(M);
  const Eigen::MatrixXd J = internal::solve_lower(L, problem.J.transpose()).transpose();
  const internal::LeastNorm constraint(J, kSameRow);

  find_largest(problem, problem.J * state.v, correction.speed, correction.speed_row);
  move_onto(problem, L, constraint, Eigen::VectorXd::Zero(problem.rows()), state.v);
  scene.compute(state, problem);  // gamma and F are those of the new velocity
  if (state.a.size() == 0) state.a.setZero(scene.nv());
  find_largest(problem, problem.J * state.a + problem.gamma, correction.acceleration, correction.acceleration_row);
  move_onto(problem, L, constraint, problem.gamma, state.a);
  return correction;
}

}  // namespace stiction
