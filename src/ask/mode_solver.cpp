#include "ask/mode_solver.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"

namespace stiction::internal {

void ModeSolver::balance(const Eigen::MatrixXd& E)
{
  balanced_ = E;
  row_scale_.setOnes(E.rows());
  column_scale_.setOnes(E.cols());
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (Eigen::Index i = 0; i < E.rows(); ++i) {
      const double size = std::sqrt(balanced_.row(i).lpNorm<Eigen::Infinity>());
      if (!(size > 0.0)) continue;
      row_scale_[i] /= size;
      balanced_.row(i) /= size;
    }
    for (Eigen::Index j = 0; j < E.cols(); ++j) {
      const double size = std::sqrt(balanced_.col(j).lpNorm<Eigen::Infinity>());
      if (!(size > 0.0)) continue;
      column_scale_[j] /= size;
      balanced_.col(j) /= size;
    }
  }
}

bool ModeSolver::factor(const ConeProgram& program)
{
  if (program.E.rows() != program.E.cols() || program.E.rows() == 0) return false;
  program_ = &program;
  balance(program.E);
  return lu_.compute(balanced_) > kProductRounding;
}

bool ModeSolver::contradiction(const ConeProgram& program, Eigen::VectorXd& y)
{
  const Eigen::MatrixXd& E = program.E;
  if (E.size() == 0) return false;
  balance(E);
  const LeastNorm transposed(balanced_.transpose(), kDependent);
  // The part of e outside the range of E, cleaned until E'y is rounding of its products.
  Eigen::VectorXd e = program.e.cwiseProduct(row_scale_);
  const double size = e.norm();
  y = e.cwiseProduct(row_scale_);
  rest_.resize(E.cols());
  for (int pass = 0; pass < 3; ++pass) {
    for (Eigen::Index j = 0; j < E.cols(); ++j) {
      long double sum = 0.0L;
      for (Eigen::Index i = 0; i < E.rows(); ++i) sum += static_cast<long double>(E(i, j)) * y[i];
      rest_[j] = static_cast<double>(sum) * column_scale_[j];
    }
    step_ = transposed.solve(rest_);
    y -= step_.cwiseProduct(row_scale_);
  }
  return y.cwiseQuotient(row_scale_).norm() > kProductRounding * size;
}

template <bool kTransposed>
void ModeSolver::refined(const Eigen::VectorXd& b, Eigen::VectorXd& x)
{
  const Eigen::MatrixXd& E = program_->E;
  const auto n = E.rows();
  x.setZero(n);
  rest_ = b;
  for (int pass = 0; pass < 4; ++pass) {
    if constexpr (kTransposed) {
      rest_.array() *= column_scale_.array();
      lu_.solve_transposed(rest_, step_);
      x.array() += step_.array() * row_scale_.array();
    } else {
      rest_.array() *= row_scale_.array();
      lu_.solve(rest_, step_);
      x.array() += step_.array() * column_scale_.array();
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      long double sum = b[i];
      for (Eigen::Index j = 0; j < n; ++j)
        sum -= static_cast<long double>(kTransposed ? E(j, i) : E(i, j)) * static_cast<long double>(x[j]);
      rest_[i] = static_cast<double>(sum);
    }
  }
}

void ModeSolver::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) { refined<false>(b, x); }
void ModeSolver::solve_transposed(const Eigen::VectorXd& h, Eigen::VectorXd& y) { refined<true>(h, y); }

void violations(const ConeProgram& program, const Eigen::VectorXd& x, std::vector<Violation>& found)
{
  found.clear();
  double largest = 0.0;
  for (const BoxVariable& box : program.boxes) largest = std::max(largest, std::abs(x[box.col]));
  for (const ConeBlock& block : program.cones)
    largest = std::max(largest, x.segment(block.col, block.cone.dim()).lpNorm<Eigen::Infinity>());
  const auto violated = [&](double amount) -> Eigen::VectorXd& {
    found.push_back({amount / largest, Eigen::VectorXd::Zero(x.size())});
    return found.back().h;
  };
  for (const BoxVariable& box : program.boxes)
    if (x[box.col] < 0.0) violated(-x[box.col])[box.col] = -1.0;
  for (const ConeBlock& block : program.cones) {
    const FrictionCone& cone = block.cone;
    const int n = block.col, t = n + 1, m = t + cone.tangents;
    const double normal = cone.sign * x[n];
    if (normal < 0.0) violated(-normal)[n] = -cone.sign;
    // |λt| > mu λn: along λt/|λt| no admissible force exceeds mu λn.
    const double size = x.segment(t, cone.tangents).norm();
    if (size > cone.mu * normal) {
      Eigen::VectorXd& h = violated(size - cone.mu * normal);
      h[n] = -cone.mu * cone.sign;
      h.segment(t, cone.tangents) = x.segment(t, cone.tangents) / size;
    }
    if (cone.torsional && std::abs(x[m]) > cone.torsion * normal) {
      Eigen::VectorXd& h = violated(std::abs(x[m]) - cone.torsion * normal);
      h[n] = -cone.torsion * cone.sign;
      h[m] = x[m] < 0.0 ? -1.0 : 1.0;
    }
  }
  std::sort(found.begin(), found.end(), [](const Violation& a, const Violation& b) { return a.size > b.size; });
}

}  // namespace stiction::internal
