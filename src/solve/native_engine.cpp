#include "solve/native_engine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

constexpr double kRoundingResidual = 1e-14;
constexpr double kFirstPause = 0.1, kPauses[] = {1e-4, 1e-8, 0.0};  // scores at which the descent looks around
constexpr double kRoughDual = 1e-2;                                 // an interior dual needs to be positive, not best
constexpr double kNoDual = 1e-10;                                   // cones that span a subspace have none

/// 2^-k with x in [2^k, 2^(k+1)); 1 for 0.
double power_of_two_near(double x)
{
  if (!(x > 0.0)) return 1.0;
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(x) >> 52;  // k + 1023
  if (exponent == 0 || exponent >= 2046) return std::ldexp(1.0, -std::ilogb(x));
  return std::bit_cast<double>((2046 - exponent) << 52);
}

/// Six rows are worth loops of their own: M = 6, or -1 for any number.
template <int M>
using RowMap = Eigen::Map<Eigen::Array<double, M, 1>>;
template <int M>
using ConstRowMap = Eigen::Map<const Eigen::Array<double, M, 1>>;

/// Largest |E(i, j)| of every row.
template <int M>
void write_row_maxima(const Eigen::MatrixXd& E, double* maxima)
{
  const auto m = E.rows();
  RowMap<M> out(maxima, m);
  out.setZero();
  for (Eigen::Index j = 0; j < E.cols(); ++j) out = out.max(ConstRowMap<M>(E.data() + j * m, m).abs());
}

/// Copies E with its rows scaled.
template <int M>
void write_scaled(const Eigen::MatrixXd& E, const double* row_scale, double* scaled)
{
  const auto m = E.rows();
  const ConstRowMap<M> scale(row_scale, m);
  for (Eigen::Index j = 0; j < E.cols(); ++j)
    RowMap<M>(scaled + j * m, m) = ConstRowMap<M>(E.data() + j * m, m) * scale;
}

/// True when `scaled` is what write_scaled would write.
template <int M>
bool is_scaled(const Eigen::MatrixXd& E, const double* row_scale, const double* scaled)
{
  const auto m = E.rows();
  const ConstRowMap<M> scale(row_scale, m);
  for (Eigen::Index j = 0; j < E.cols(); ++j)
    if (!(ConstRowMap<M>(scaled + j * m, m) == ConstRowMap<M>(E.data() + j * m, m) * scale).all()) return false;
  return true;
}

/// size(i) += sum over j of |E(i, j) x(j)|, and sum(i) likewise without the bars.
template <int M>
void add_products(const Eigen::MatrixXd& E, const Eigen::VectorXd& x, double* sum, double* size)
{
  const auto m = E.rows();
  RowMap<M> sums(sum, m), sizes(size, m);
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    if (x[j] == 0.0) continue;
    const ConstRowMap<M> column(E.data() + j * m, m);
    sums += column * x[j];
    sizes += column.abs() * std::abs(x[j]);
  }
}

void add_all_products(const Eigen::MatrixXd& E, const Eigen::VectorXd& x, Eigen::VectorXd& sum, Eigen::VectorXd& size)
{
  if (E.rows() == 6)
    add_products<6>(E, x, sum.data(), size.data());
  else
    add_products<-1>(E, x, sum.data(), size.data());
}

/// No variables but normal and tangential forces.
bool only_forces(const ConeProgram& program)
{
  return program.free.empty() && program.boxes.empty() &&
         std::none_of(program.cones.begin(), program.cones.end(),
                      [](const ConeBlock& block) { return block.cone.torsional; });
}

/// What the entries of a row were computed from, at least.
double load_size(const ConeProgram& program, Eigen::Index i)
{
  const double e = std::abs(program.e[i]);
  return program.e_scale.size() == program.e.size() ? std::max(e, program.e_scale[i]) : e;
}

}  // namespace

/// Copies the program with rows multiplied by row_scale_, powers of two that change no bit of the data.
void NativeEngine::load(const ConeProgram& program)
{
  const auto m = program.E.rows(), n = program.E.cols();
  if (scaled_.rows() != m || scaled_.cols() != n) scaled_.resize(m, n);
  if (m == 6)
    write_scaled<6>(program.E, row_scale_.data(), scaled_.data());
  else
    write_scaled<-1>(program.E, row_scale_.data(), scaled_.data());
  for (Eigen::Index i = 0; i < m; ++i) target_[i] = program.e[i] * row_scale_[i];
}

/// Boxes without bounds count as free; everything else is kept as it is, also to recognise the program when it comes
/// back.
void NativeEngine::sort_variables(const ConeProgram& program)
{
  cones_.assign(program.cones.begin(), program.cones.end());
  given_boxes_.assign(program.boxes.begin(), program.boxes.end());
  given_free_.assign(program.free.begin(), program.free.end());
  boxes_.clear();
  free_.assign(program.free.begin(), program.free.end());
  for (const BoxVariable& box : program.boxes) {
    if (std::isinf(box.lower) && std::isinf(box.upper))
      free_.push_back(box.col);
    else
      boxes_.push_back(box);
  }
}

/// visit(column) for the columns that measure rows.
template <class Visit>
void NativeEngine::for_each_measure(const ConeProgram& program, Visit visit) const
{
  if (!forces_measure_)
    for (Eigen::Index col = 0; col < program.E.cols(); ++col) visit(col);
  else
    for (const ConeBlock& block : program.cones)
      for (int k = 0; k <= block.cone.tangents; ++k) visit(block.col + k);
}

/// Rows of entries of order one: a newton-metre and a newton then count alike, whatever the units.
void NativeEngine::scale_rows(const ConeProgram& program)
{
  const auto m = program.E.rows();
  if (m == 6)
    write_row_maxima<6>(program.E, row_scale_.data());
  else
    write_row_maxima<-1>(program.E, row_scale_.data());
  if (forces_measure_) {
    constexpr double kAboutForces =
        0x1p-32;  // rows with less than this share of forces are about what else they have: inertia
    row_size_.setZero();
    for_each_measure(program, [&](Eigen::Index col) { row_size_ = row_size_.cwiseMax(program.E.col(col).cwiseAbs()); });
    for (Eigen::Index i = 0; i < m; ++i)
      if (row_size_[i] > kAboutForces * row_scale_[i]) row_scale_[i] = row_size_[i];
  }
  for (Eigen::Index i = 0; i < m; ++i) row_scale_[i] = power_of_two_near(row_scale_[i]);
}

/// Contacts measure rows by their forces: moments and variables without cones have units of their own, beside which
/// lever arms in other units are huge or nothing.
void NativeEngine::decide(const ConeProgram& program, ConeAnswer& answer)
{
  if (program.is_sparse()) throw InputError("sparse_E", "want a dense E for the native engine, got a sparse one");
  throw_if_stopped(stop_check());
  decide_measured(program, answer, !only_forces(program));
}

void NativeEngine::decide_measured(const ConeProgram& program, ConeAnswer& answer, bool forces_measure)
{
  forces_measure_ = forces_measure;
  const auto m = program.E.rows(), n = program.E.cols();
  if (answer.x.size() != n) answer.x.resize(n);
  if (answer.y.size() != m) answer.y.resize(m);
  if (row_scale_.size() != m) {
    row_scale_.resize(m);
    row_size_.resize(m);
    row_sum_.resize(m);
    target_.resize(m);
    interior_.resize(m);
  }
  sort_variables(program);
  scale_rows(program);
  known_ = true;
  solve(program, answer);
  if (answer.outcome == Outcome::kFeasible && !balanced(program, answer.x)) {
    known_ = false;
    // Some row carries more noise than its entries suggest (e is a difference of large numbers): weigh rows by the size
    // of the sums in them, as the proof does.
    double largest = 0.0;
    for_each_measure(program, [&](Eigen::Index col) { largest = std::max(largest, std::abs(answer.x[col])); });
    for (Eigen::Index i = 0; i < m; ++i)
      row_scale_[i] = power_of_two_near(std::max(row_size_[i], largest / row_scale_[i]));
    solve(program, answer);
  }
}

bool NativeEngine::same_but_for_e(const ConeProgram& program)
{
  const auto same_cone = [](const ConeBlock& a, const ConeBlock& b) {
    return a.col == b.col && a.cone.tangents == b.cone.tangents && a.cone.torsional == b.cone.torsional &&
           a.cone.mu == b.cone.mu && a.cone.torsion == b.cone.torsion && a.cone.sign == b.cone.sign &&
           a.cone.shape.approximation == b.cone.shape.approximation && a.cone.shape.facets == b.cone.shape.facets;
  };
  const auto same_box = [](const BoxVariable& a, const BoxVariable& b) {
    return a.col == b.col && a.lower == b.lower && a.upper == b.upper;
  };
  if (program.E.rows() != scaled_.rows() || program.E.cols() != scaled_.cols() || program.free != given_free_ ||
      !std::equal(program.cones.begin(), program.cones.end(), cones_.begin(), cones_.end(), same_cone) ||
      !std::equal(program.boxes.begin(), program.boxes.end(), given_boxes_.begin(), given_boxes_.end(), same_box))
    return false;
  return program.E.rows() == 6 ? is_scaled<6>(program.E, row_scale_.data(), scaled_.data())
                               : is_scaled<-1>(program.E, row_scale_.data(), scaled_.data());
}

void NativeEngine::decide_next(const ConeProgram& program, ConeAnswer& answer)
{
  if (!known_ || !same_but_for_e(program)) return decide(program, answer);
  throw_if_stopped(stop_check());
  const auto m = program.E.rows(), n = program.E.cols();
  if (answer.x.size() != n) answer.x.resize(n);
  if (answer.y.size() != m) answer.y.resize(m);
  for (Eigen::Index i = 0; i < m; ++i) target_[i] = program.e[i] * row_scale_[i];
  answer_with(nearest_.run_again(target_.data(), kFirstPause), program, answer);
  if (answer.outcome == Outcome::kFeasible && !balanced(program, answer.x)) decide(program, answer);
}

/// True when every row of E x = e holds to a few roundings of the sums in it; if not, leaves their sizes in row_size_.
bool NativeEngine::balanced(const ConeProgram& program, const Eigen::VectorXd& x)
{
  const auto m = program.E.rows(), n = program.E.cols();
  for (Eigen::Index i = 0; i < m; ++i) {
    row_sum_[i] = -program.e[i];
    row_size_[i] = load_size(program, i);
  }
  add_all_products(program.E, x, row_sum_, row_size_);
  // Double sums of few terms settle the clear cases; the others are summed with more digits.
  Eigen::Index terms = 1;
  for (Eigen::Index j = 0; j < n; ++j) terms += x[j] != 0.0;
  const double rounding = static_cast<double>(terms) * std::numeric_limits<double>::epsilon();
  bool good = true;
  for (Eigen::Index i = 0; i < m && good; ++i) {
    if (std::abs(row_sum_[i]) + rounding * row_size_[i] <= kRoundingResidual * row_size_[i]) continue;
    long double sum = -program.e[i];
    for (Eigen::Index j = 0; j < n; ++j)
      if (x[j] != 0.0) sum += static_cast<long double>(program.E(i, j)) * x[j];
    good = std::abs(static_cast<double>(sum)) <= kRoundingResidual * row_size_[i];
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
  data.cones = &cones_;
  data.boxes = &boxes_;
  data.free = &free_;
  data.stop = &stop_check();

  answer_with(nearest_.run(data, kFirstPause), program, answer);
}

/// Continues from where the descent stopped, and writes the answer.
void NativeEngine::answer_with(NearestPoint::Stop stop, const ConeProgram& program, ConeAnswer& answer)
{
  // It pauses when the residual is nearly a certificate: if a direction exists that is positive on all rays (or at
  // least on those it violates) the rest of the descent is not needed.
  const auto m = program.E.rows();
  for (const double pause : kPauses) {
    if (stop != NearestPoint::Stop::kPaused) break;
    offer_interior_dual(program, pause == kPauses[0]);
    stop = nearest_.resume(pause);
  }
  answer.iterations = nearest_.iterations();
  std::copy(nearest_.x().begin(), nearest_.x().end(), answer.x.data());
  if (stop == NearestPoint::Stop::kReached || residual_is_rounding(program, answer.x))
    answer.outcome = Outcome::kFeasible;
  else
    answer.outcome = stop == NearestPoint::Stop::kIterations ? Outcome::kIterationLimit : Outcome::kInfeasible;
  // Entries that are nothing beside the others are rounding of rounding: zero, as are free variables of that kind.
  constexpr double kNothing = 1e-20;
  double largest_x = 0.0, largest_y = 0.0;
  if (!free_.empty())
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

/// A residual that rounding of the sums explains is none: the size of those sums, not of e alone, is the measure.
bool NativeEngine::residual_is_rounding(const ConeProgram& program, const Eigen::VectorXd& x)
{
  const auto m = scaled_.rows();
  double load = 0.0;
  for (Eigen::Index i = 0; i < m; ++i) {
    row_sum_[i] = 0.0;
    row_size_[i] = load_size(program, i) * row_scale_[i];
    load += row_size_[i];
  }
  // Entries of rows measured by all of them lie below 2: that bounds the sums, and settles all but tiny residuals.
  const double most = load + 2.0 * static_cast<double>(m) * x.lpNorm<1>();
  if (known_ && !forces_measure_ && nearest_.residual_norm() > 2.0 * kRoundingResidual * most) return false;
  add_all_products(scaled_, x, row_sum_, row_size_);
  return nearest_.residual_norm() <= kRoundingResidual * row_size_.norm();
}

/// Looks for d with d'(ray) >= 1 on every ray (`everywhere`), or on the rays of the cones that the current residual
/// violates and >= 0 on the others: least-distance programming, a nearest-point problem in one dimension more. Offers
/// it.
void NativeEngine::offer_interior_dual(const ConeProgram& program, bool everywhere)
{
  const auto m = scaled_.rows();
  if (everywhere && free_.empty()) {
    // A guess that often works: the sum of the normals, when they all face one half-space as feet do.
    interior_.setZero();
    for (const ConeBlock& block : program.cones) interior_ += block.cone.sign * scaled_.col(block.col);
    if (nearest_.offer_interior_dual(interior_.data())) return;
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
  data.stop = &stop_check();
  if (dual_nearest_.run(data, kRoughDual) == NearestPoint::Stop::kReached) return;
  const std::vector<double>& rho = dual_nearest_.residual();
  if (!(rho[m] > kNoDual)) return;
  for (Eigen::Index i = 0; i < m; ++i) interior_[i] = -rho[i] / rho[m];
  nearest_.offer_interior_dual(interior_.data());
}

}  // namespace stiction::internal

namespace stiction {
std::unique_ptr<Engine> make_native_engine() { return std::make_unique<internal::NativeEngine>(); }
}  // namespace stiction
