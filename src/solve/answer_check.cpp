#include "solve/answer_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cone/kernels.hpp"

namespace stiction::internal {
namespace {

double ratio(double violation, double size)
{
  if (violation <= 0.0) return 0.0;
  return size > 0.0 ? violation / size : std::numeric_limits<double>::infinity();
}

Eigen::VectorXd product(const ConeProgram& p, const Eigen::VectorXd& x)
{
  return p.is_sparse() ? Eigen::VectorXd(p.sparse_E * x) : Eigen::VectorXd(p.E * x);
}

/// |E| x
Eigen::VectorXd magnitudes(const ConeProgram& p, const Eigen::VectorXd& x)
{
  return p.is_sparse() ? Eigen::VectorXd(p.sparse_E.cwiseAbs() * x) : Eigen::VectorXd(p.E.cwiseAbs() * x);
}

Eigen::VectorXd transposed_product(const ConeProgram& p, const Eigen::VectorXd& y)
{
  return p.is_sparse() ? Eigen::VectorXd(p.sparse_E.transpose() * y) : Eigen::VectorXd(p.E.transpose() * y);
}

Eigen::VectorXd transposed_magnitudes(const ConeProgram& p, const Eigen::VectorXd& y)
{
  return p.is_sparse() ? Eigen::VectorXd(p.sparse_E.cwiseAbs().transpose() * y)
                       : Eigen::VectorXd(p.E.cwiseAbs().transpose() * y);
}

}  // namespace

double ray_magnitude(const FrictionCone& cone, const double* ray, const double* magnitudes)
{
  double sum = 0.0;
  for (int d = 0; d < cone.dim(); ++d) sum += std::abs(ray[d]) * magnitudes[d];
  return sum;
}

double witness_error(const ConeProgram& program, const Eigen::VectorXd& x)
{
  if (!x.allFinite()) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd sums = magnitudes(program, x.cwiseAbs());
  Eigen::VectorXd size = sums + program.e.cwiseAbs();
  if (program.e_scale.size() > 0) size = size.cwiseMax(sums + program.e_scale);
  const Eigen::VectorXd miss = (product(program, x) - program.e).cwiseAbs();
  double worst = 0.0;
  for (Eigen::Index i = 0; i < miss.size(); ++i) worst = std::max(worst, ratio(miss[i], size[i]));
  for (const ConeBlock& block : program.cones) {
    const double* f = x.data() + block.col;
    worst = std::max(worst, ratio(-slack(block.cone, f), std::abs(f[0])));
  }
  for (const BoxVariable& box : program.boxes) {
    const double v = x[box.col];
    worst = std::max(worst, ratio(box.lower - v, std::max(std::abs(v), std::abs(box.lower))));
    worst = std::max(worst, ratio(v - box.upper, std::max(std::abs(v), std::abs(box.upper))));
  }
  return worst;
}

double separation_error(const ConeProgram& program, const Eigen::VectorXd& y, double* gap)
{
  *gap = -1.0;
  if (!y.allFinite()) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd h = transposed_product(program, y);
  const Eigen::VectorXd magnitude = transposed_magnitudes(program, y.cwiseAbs());
  double worst = 0.0;
  for (const ConeBlock& block : program.cones) {
    double ray[4];
    const double value = support(block.cone, h.data() + block.col, ray);
    worst = std::max(worst, ratio(value, ray_magnitude(block.cone, ray, magnitude.data() + block.col)));
  }
  for (const int j : program.free) worst = std::max(worst, ratio(std::abs(h[j]), magnitude[j]));

  double left = y.dot(program.e), size = 0.0;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const double e =
        program.e_scale.size() > 0 ? std::max(std::abs(program.e[i]), program.e_scale[i]) : std::abs(program.e[i]);
    size += std::abs(y[i]) * e;
  }
  for (const BoxVariable& box : program.boxes) {
    const double bound = h[box.col] > 0.0 ? box.upper : box.lower;
    if (std::isinf(bound)) {
      worst = std::max(worst, ratio(std::abs(h[box.col]), magnitude[box.col]));
      continue;
    }
    left -= h[box.col] * bound;
    size += magnitude[box.col] * std::abs(bound);
  }
  *gap = size > 0.0 ? left / size : (left > 0.0 ? 1.0 : -1.0);
  return worst;
}

}  // namespace stiction::internal
