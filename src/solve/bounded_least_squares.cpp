#include "solve/bounded_least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::internal {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kPricing = 8 * kEpsilon;  // a unit column against a unit direction: anything below is rounding
constexpr double kNoResidual = 4 * kEpsilon;

}  // namespace

bool BoundedLeastSquares::is_free(int j) const { return std::isinf(lower[j]) && std::isinf(upper[j]); }

/// Variables at the bounds they are said to be at; the others are passive.
void BoundedLeastSquares::start()
{
  const int n = static_cast<int>(A.cols());
  passive_.clear();
  blocked_.assign(static_cast<std::size_t>(n), 0);
  frozen_.assign(static_cast<std::size_t>(n), 0);
  exchanges = 0;
  for (int j = 0; j < n; ++j) {
    if (is_free(j)) place[static_cast<std::size_t>(j)] = Place::kPassive;
    switch (place[static_cast<std::size_t>(j)]) {
      case Place::kLower:
        z[j] = lower[j];
        break;
      case Place::kUpper:
        z[j] = upper[j];
        break;
      case Place::kPassive:
        z[j] = std::clamp(z[j], lower[j], upper[j]);
        passive_.push_back(j);
    }
  }
}

/// The longest share of the step inside the bounds; whoever blocks it becomes fixed there. True: all of it.
bool BoundedLeastSquares::walk(const Eigen::VectorXd& step)
{
  double share = 1.0;
  for (std::size_t k = 0; k < passive_.size(); ++k) {
    const int j = passive_[k];
    const double room = step[static_cast<Eigen::Index>(k)] < 0.0 ? lower[j] - z[j] : upper[j] - z[j];
    const double d = step[static_cast<Eigen::Index>(k)];
    if (std::abs(d) > std::abs(room)) share = std::min(share, room / d);
  }
  for (std::size_t k = 0; k < passive_.size(); ++k) z[passive_[k]] += share * step[static_cast<Eigen::Index>(k)];
  if (share == 1.0) return true;
  for (std::size_t k = 0; k < passive_.size(); ++k) {
    const int j = passive_[k];
    const double d = step[static_cast<Eigen::Index>(k)];
    if (d == 0.0 || is_free(j)) continue;
    const double bound = d < 0.0 ? lower[j] : upper[j];
    if (std::isinf(bound) || (d < 0.0 ? z[j] - bound : bound - z[j]) > kEpsilon * std::abs(share * d)) continue;
    z[j] = bound;
    place[static_cast<std::size_t>(j)] = d < 0.0 ? Place::kLower : Place::kUpper;
    if (share == 0.0) blocked_[static_cast<std::size_t>(j)] = 1;
  }
  std::erase_if(passive_, [&](int j) { return place[static_cast<std::size_t>(j)] != Place::kPassive; });
  if (share > 0.0) std::fill(blocked_.begin(), blocked_.end(), 0);
  return false;
}

bool BoundedLeastSquares::solve(int limit)
{
  start();
  while (exchanges <= limit) {
    factor();
    if (remove_dependent()) {
      ++exchanges;
      continue;
    }
    update_residual();
    if (!walk(correction(residual))) {
      ++exchanges;
      continue;
    }
    update_residual();
    const Eigen::VectorXd refinement = correction(residual);
    for (std::size_t k = 0; k < passive_.size(); ++k) {
      const int j = passive_[k];
      z[j] = std::clamp(z[j] + refinement[static_cast<Eigen::Index>(k)], lower[j], upper[j]);
    }
    update_residual();
    if (residual.norm() <= kNoResidual * b.norm()) return true;
    const int entering = worst_priced();
    if (entering < 0) return true;
    place[static_cast<std::size_t>(entering)] = Place::kPassive;
    passive_.push_back(entering);
    ++exchanges;
  }
  return false;
}

void BoundedLeastSquares::factor()
{
  columns_.resize(A.rows(), static_cast<Eigen::Index>(passive_.size()));
  for (std::size_t k = 0; k < passive_.size(); ++k) columns_.col(static_cast<Eigen::Index>(k)) = A.col(passive_[k]);
  if (columns_.size() > 0) qr_.compute(columns_, kDependent);
}

Eigen::VectorXd BoundedLeastSquares::correction(const Eigen::VectorXd& rhs) const
{
  if (columns_.size() == 0) return Eigen::VectorXd::Zero(columns_.cols());
  return qr_.solve(rhs);
}

/// A dependent passive column can be exchanged away without changing A z: slide along the null vector until a bound
/// stops.
bool BoundedLeastSquares::remove_dependent()
{
  if (columns_.size() == 0 || qr_.rank() == columns_.cols()) return false;
  const Eigen::Index rank = qr_.rank(), count = columns_.cols();
  Eigen::VectorXd null(count);
  qr_.cancel(rank, rank, null);

  double best = std::numeric_limits<double>::infinity();
  Eigen::Index stop = -1;
  double way = 1.0;
  for (const double sign : {1.0, -1.0}) {
    for (Eigen::Index k = 0; k < count; ++k) {
      const double d = sign * null[k];
      const int j = passive_[static_cast<std::size_t>(k)];
      if (std::abs(d) < kDependent) continue;
      const double room = (d < 0.0 ? z[j] - lower[j] : upper[j] - z[j]) / std::abs(d);
      if (room < best) {
        best = room;
        stop = k;
        way = sign;
      }
    }
  }
  if (stop < 0) {
    // Only free variables depend on each other: one of them is not needed.
    const auto spare = passive_.begin() + qr_.column(rank);
    frozen_[static_cast<std::size_t>(*spare)] = 1;
    passive_.erase(spare);
    return true;
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    const int j = passive_[static_cast<std::size_t>(k)];
    z[j] = std::clamp(z[j] + way * best * null[k], lower[j], upper[j]);
  }
  const int j = passive_[static_cast<std::size_t>(stop)];
  const bool down = way * null[stop] < 0.0;
  z[j] = down ? lower[j] : upper[j];
  place[static_cast<std::size_t>(j)] = down ? Place::kLower : Place::kUpper;
  passive_.erase(passive_.begin() + stop);
  return true;
}

void BoundedLeastSquares::update_residual()
{
  // Extended precision: the refinement step needs a residual better than the solution.
  Eigen::Vector<long double, Eigen::Dynamic> sum = b.cast<long double>();
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    if (z[j] != 0.0) sum -= A.col(j).cast<long double>() * static_cast<long double>(z[j]);
  residual = sum.cast<double>();
  direction = residual;
  if (columns_.size() > 0) {
    for (int pass = 0; pass < 2; ++pass) direction = qr_.orthogonal_part(direction);
    if (qr_.rank() == A.rows()) direction.setZero();
  }
  const double norm = direction.norm();
  if (norm > 0.0) direction /= norm;
  if (norm > 0.0 && columns_.size() > 0) refine_direction();
}

/// One correction with products in extended precision makes the orthogonality good relative to each product's own
/// size, not only to the largest entry of the direction.
void BoundedLeastSquares::refine_direction()
{
  const Eigen::Vector<long double, Eigen::Dynamic> products =
      columns_.cast<long double>().transpose() * direction.cast<long double>();
  direction -= qr_.solve_transposed(products.cast<double>());
}

int BoundedLeastSquares::worst_priced() const
{
  int worst = -1;
  double gain = kPricing;
  for (int j = 0; j < A.cols(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (place[at] == Place::kPassive || blocked_[at] || frozen_[at] || lower[j] == upper[j]) continue;
    const double slope = A.col(j).dot(direction) * (place[at] == Place::kLower ? 1.0 : -1.0);
    if (slope > gain) {
      gain = slope;
      worst = j;
    }
  }
  return worst;
}

}  // namespace stiction::internal
