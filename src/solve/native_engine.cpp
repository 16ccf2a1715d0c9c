#include "solve/native_engine.hpp"

#include <cmath>

#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

constexpr double kRoundingResidual = 1e-14;

double power_of_two_near(double x) { return x > 0.0 ? std::ldexp(1.0, -std::ilogb(x)) : 1.0; }

}  // namespace

/// Copies the program with rows multiplied by row_scale_, powers of two that change no bit of the data.
void NativeEngine::load(const ConeProgram& program)
{
  const auto m = program.E.rows(), n = program.E.cols();
  if (scaled_.rows() != m || scaled_.cols() != n) scaled_.resize(m, n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < m; ++i) scaled_(i, j) = program.E(i, j) * row_scale_[i];
  for (Eigen::Index i = 0; i < m; ++i) target_[i] = program.e[i] * row_scale_[i];
}

void NativeEngine::decide(const ConeProgram& program, ConeAnswer& answer)
{
  const auto m = program.E.rows(), n = program.E.cols();
  if (answer.x.size() != n) answer.x.resize(n);
  if (answer.y.size() != m) answer.y.resize(m);
  if (row_scale_.size() != m) {
    row_scale_.resize(m);
    row_size_.resize(m);
    target_.resize(m);
    interior_.resize(m);
  }
  boxes_.clear();
  free_.assign(program.free.begin(), program.free.end());
  for (const BoxVariable& box : program.boxes) {
    if (std::isinf(box.lower) && std::isinf(box.upper))
      free_.push_back(box.col);
    else
      boxes_.push_back(box);
  }

  // Rows scaled to entries of order one: a newton-metre and a newton then count alike, whatever the units.
  for (Eigen::Index i = 0; i < m; ++i) row_scale_[i] = 0.0;
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < m; ++i) row_scale_[i] = std::max(row_scale_[i], std::abs(program.E(i, j)));
  for (Eigen::Index i = 0; i < m; ++i) row_scale_[i] = power_of_two_near(row_scale_[i]);
  solve(program, answer);
  if (answer.outcome == Outcome::kFeasible && !balanced(program, answer.x)) {
    // Some row carries more noise than its entries suggest (e is a difference of large numbers): weigh rows by the size
    // of the sums in them, as the proof does.
    double largest = 0.0;
    for (Eigen::Index j = 0; j < n; ++j) largest = std::max(largest, std::abs(answer.x[j]));
    for (Eigen::Index i = 0; i < m; ++i)
      row_scale_[i] = power_of_two_near(std::max(row_size_[i], largest / row_scale_[i]));
    solve(program, answer);
  }
}

/// True when every row of E x = e holds to a few roundings of the sums in it; leaves their sizes in row_size_.
bool NativeEngine::balanced(const ConeProgram& program, const Eigen::VectorXd& x)
{
  bool good = true;
  for (Eigen::Index i = 0; i < program.E.rows(); ++i) {
    long double sum = -program.e[i];
    double size = std::abs(program.e[i]);
    if (program.e_scale.size() == program.e.size()) size = std::max(size, program.e_scale[i]);
    for (Eigen::Index j = 0; j < x.size(); ++j)
      if (x[j] != 0.0) {
        const double product = program.E(i, j) * x[j];
        sum += static_cast<long double>(program.E(i, j)) * x[j];
        size += std::abs(product);
      }
    row_size_[i] = size;
    good = good && std::abs(static_cast<double>(sum)) <= kRoundingResidual * size;
  }
  return good;
}

void NativeEngine::solve(const ConeProgram& program, ConeAnswer& answer)
{
  load(program);
  const auto m = program.E.rows(), n = program.E.cols();
  NearestPoint::Data data;
  data.m = static_cast<int>(m);
  data.n = static_cast<int>(n);
  data.E = scaled_.data();
  data.e = target_.data();
  data.cones = &program.cones;
  data.boxes = &boxes_;
  data.free = &free_;

  // Pause when the residual is nearly a certificate: if a direction exists that is positive on all rays (or at least on
  // those it violates) the rest of the descent is not needed.
  NearestPoint::Stop stop = nearest_.run(data, 0.1);
  for (double pause : {1e-4, 1e-8, 0.0}) {
    if (stop != NearestPoint::Stop::kPaused) break;
    if (find_interior_dual(program, pause == 1e-4)) nearest_.offer_interior_dual(interior_.data());
    stop = nearest_.resume(pause);
  }
  answer.iterations = nearest_.iterations();
  std::copy(nearest_.x().begin(), nearest_.x().end(), answer.x.data());
  // A residual that rounding of the sums explains is none: the size of those sums, not of e alone, is the measure.
  double size2 = 0.0;
  for (Eigen::Index i = 0; i < m; ++i) {
    double sum = std::max(std::abs(target_[i]), program.e_scale.size() == m ? program.e_scale[i] * row_scale_[i] : 0.0);
    for (Eigen::Index j = 0; j < n; ++j) sum += std::abs(scaled_(i, j) * answer.x[j]);
    size2 += sum * sum;
  }
  if (nearest_.residual_norm() <= kRoundingResidual * std::sqrt(size2) || stop == NearestPoint::Stop::kReached)
    answer.outcome = Outcome::kFeasible;
  else
    answer.outcome = stop == NearestPoint::Stop::kIterations ? Outcome::kIterationLimit : Outcome::kInfeasible;
  // Entries that are nothing beside the others are rounding of rounding: zero, as are free variables of that kind.
  constexpr double kNothing = 1e-20;
  double largest_x = 0.0, largest_y = 0.0;
  for (double xi : nearest_.x()) largest_x = std::max(largest_x, std::abs(xi));
  for (int j : free_)
    if (std::abs(answer.x[j]) <= kNothing * largest_x) answer.x[j] = 0.0;
  for (double yi : nearest_.y()) largest_y = std::max(largest_y, std::abs(yi));
  const double scale = largest_y > 0.0 ? 1.0 / largest_y : 0.0;
  for (Eigen::Index i = 0; i < m; ++i) {
    const double yi = nearest_.y()[i] * scale;
    answer.y[i] = std::abs(yi) > kNothing ? yi * row_scale_[i] : 0.0;
  }
}

/// Looks for d with d'(ray) >= 1 on every ray (`everywhere`), or on the rays of the cones that the current residual violates
/// and >= 0 on the others: least-distance programming, a nearest-point problem in one dimension more. Writes interior_.
bool NativeEngine::find_interior_dual(const ConeProgram& program, bool everywhere)
{
  const auto m = scaled_.rows();
  if (everywhere && free_.empty()) {
    // A guess that often works: the sum of the normals, when they all face one half-space as feet do.
    for (Eigen::Index i = 0; i < m; ++i) interior_[i] = 0.0;
    for (const ConeBlock& block : program.cones)
      for (Eigen::Index i = 0; i < m; ++i) interior_[i] += block.cone.sign * scaled_(i, block.col);
    bool positive = true;
    for (const ConeBlock& block : program.cones) {
      double h[4] = {};
      for (int j = 0; j < block.cone.dim(); ++j) {
        h[j] = 0.0;
        for (Eigen::Index i = 0; i < m; ++i) h[j] -= scaled_(i, block.col + j) * interior_[i];
      }
      positive = positive && support(block.cone, h) < 0.0;
    }
    if (positive) return true;
  }
  if (lifted_.rows() != m + 1 || lifted_.cols() != scaled_.cols()) {
    lifted_.resize(m + 1, scaled_.cols());
    lifted_target_.resize(m + 1);
  }
  lifted_.topRows(m) = scaled_;
  lifted_.row(m).setZero();
  for (size_t i = 0; i < program.cones.size(); ++i)
    if (everywhere || nearest_.violation(i) > 0.0) lifted_(m, program.cones[i].col) = program.cones[i].cone.sign;
  lifted_target_.setZero();
  lifted_target_[m] = 1.0;
  NearestPoint::Data data;
  data.m = static_cast<int>(m) + 1;
  data.n = static_cast<int>(scaled_.cols());
  data.E = lifted_.data();
  data.e = lifted_target_.data();
  data.cones = &program.cones;
  data.free = &free_;
  // An approximate d will do: it needs to be positive, not best.
  if (dual_nearest_.run(data, 1e-2) == NearestPoint::Stop::kReached) return false;
  const std::vector<double>& rho = dual_nearest_.residual();
  if (!(rho[m] > 1e-10)) return false;   // no such d: those cones span a subspace of the rows
  for (Eigen::Index i = 0; i < m; ++i) interior_[i] = -rho[i] / rho[m];
  return true;
}

}  // namespace stiction::internal

namespace stiction {
std::unique_ptr<Engine> make_native_engine() { return std::make_unique<internal::NativeEngine>(); }
}  // namespace stiction
