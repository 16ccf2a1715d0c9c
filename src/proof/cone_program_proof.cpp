#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "proof/sums.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using internal::refuse;
using internal::Sum;
using Values = Eigen::Ref<const Eigen::VectorXd>;

std::string entry(const char* list, std::size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

double row_scale(const ConeProgram& program, Eigen::Index i)
{
  return program.e_scale.size() == 0 ? std::abs(program.e[i]) : std::max(std::abs(program.e[i]), program.e_scale[i]);
}

/// sums[i] += (E x)_i, with their scales.
void add_sparse_rows(const ConeProgram& program, const Eigen::VectorXd& x, std::vector<Sum>& sums)
{
  for (Eigen::Index j = 0; j < x.size(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(program.sparse_E, j); it; ++it)
      sums[static_cast<std::size_t>(it.row())].add(it.value(), x[j]);
}

bool usable(const ConeProgram& program)
{
  const Eigen::Index rows = program.rows();
  if (program.is_sparse()) {
    const Eigen::SparseMatrix<double>& E = program.sparse_E;
    if (!E.isCompressed() || !internal::all_finite(Eigen::Map<const Eigen::VectorXd>(E.valuePtr(), E.nonZeros())))
      return false;
  }
  return program.e.size() == rows && (program.e_scale.size() == 0 || program.e_scale.size() == rows) &&
         (program.is_sparse() || internal::all_finite(program.E)) && internal::all_finite(program.e) &&
         internal::all_finite(program.e_scale);
}

/// Plain double arithmetic settles the rows of everyday programs; M = 6 fixes their number.
template <int M>
bool quickly_balanced(const ConeProgram& program, const Eigen::VectorXd& x)
{
  constexpr int kMostTerms = M > 0 ? M : static_cast<int>(internal::kFewTerms);
  using Rows = Eigen::Array<double, M, 1, 0, kMostTerms, 1>;
  using Column = Eigen::Map<const Eigen::Array<double, M, 1>>;
  const Eigen::Index m = program.E.rows();
  if (m > kMostTerms) return false;
  Rows sum(m), size(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    sum[i] = -program.e[i];
    size[i] = row_scale(program, i);
  }
  Eigen::Index terms = 1;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    if (x[j] == 0.0) continue;
    const Column column(program.E.data() + j * m, m);
    sum += column * x[j];
    size += column.abs() * std::abs(x[j]);
    ++terms;
  }
  bool balanced = terms <= internal::kFewTerms;
  for (Eigen::Index i = 0; i < m; ++i)
    balanced = balanced && size[i] > internal::kSmall && size[i] < internal::kLarge &&
               std::abs(sum[i]) <= 0.5 * kRounding * size[i];
  return balanced;
}

bool sparse_rows_balance(const ConeProgram& program, const Eigen::VectorXd& x, std::string* why)
{
  std::vector<Sum> rows(static_cast<std::size_t>(program.rows()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].value = -static_cast<long double>(program.e[static_cast<Eigen::Index>(i)]);
    rows[i].scale = row_scale(program, static_cast<Eigen::Index>(i));
  }
  add_sparse_rows(program, x, rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!(std::abs(rows[i].value) <= kRounding * rows[i].scale))
      return refuse(why, [&] { return "row " + std::to_string(i) + " is not balanced"; });
  return true;
}

bool rows_balance(const ConeProgram& program, const Eigen::VectorXd& x, std::string* why)
{
  if (program.is_sparse()) return sparse_rows_balance(program, x, why);
  if (program.E.rows() == 6 ? quickly_balanced<6>(program, x) : quickly_balanced<-1>(program, x)) return true;
  // A few rows at a time, so that the columns of E are read along memory.
  constexpr Eigen::Index kRowsAtOnce = 8;
  for (Eigen::Index top = 0; top < program.E.rows(); top += kRowsAtOnce) {
    const Eigen::Index count = std::min(kRowsAtOnce, program.E.rows() - top);
    Sum rows[kRowsAtOnce];
    for (Eigen::Index i = 0; i < count; ++i) {
      rows[i].value = -static_cast<long double>(program.e[top + i]);
      rows[i].scale = row_scale(program, top + i);
    }
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      if (x[j] == 0.0) continue;
      const double* column = program.E.data() + j * program.E.rows() + top;
      for (Eigen::Index i = 0; i < count; ++i) rows[i].add(column[i], x[j]);
    }
    for (Eigen::Index i = 0; i < count; ++i)
      if (!(std::abs(rows[i].value) <= kRounding * rows[i].scale))
        return refuse(why, [&] { return "row " + std::to_string(top + i) + " is not balanced"; });
  }
  return true;
}

bool contains(const FrictionCone& cone, const double* f)
{
  bool zero = true;
  for (int k = 0; k < cone.dim(); ++k) zero = zero && f[k] == 0.0;
  return zero || internal::slack(cone, f) >= -kRounding * std::abs(f[0]);  // refuses the wrong sign of f_n as well
}

/// y'E_j over one column.
Sum column_sum(const ConeProgram& program, const Values& y, int col)
{
  Sum h;
  if (program.is_sparse()) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(program.sparse_E, col); it; ++it) h.add(it.value(), y[it.row()]);
    return h;
  }
  const double* column = program.E.data() + static_cast<Eigen::Index>(col) * program.E.rows();
  for (Eigen::Index i = 0; i < y.size(); ++i) h.add(column[i], y[i]);
  return h;
}

/// Plain double arithmetic settles the cones that clearly do not oppose y; cones near the limit are left to the long
/// sums.
template <int M>
bool quickly_blocked(const ConeProgram& program, const double* y, const ConeBlock& block)
{
  using Column = Eigen::Map<const Eigen::Array<double, M, 1>>;
  const Eigen::Index rows = program.E.rows();
  if (program.is_sparse() || rows > internal::kFewTerms) return false;
  double h[4] = {}, scale[4] = {};
  for (int k = 0; k < block.cone.dim(); ++k) {
    const Column column(program.E.data() + (block.col + k) * rows, rows), motion(y, rows);
    h[k] = (column * motion).sum();
    scale[k] = (column * motion).abs().sum();
  }
  return internal::clearly_blocked(block.cone, h, scale, 0.0);
}

/// Largest |E| of every row of a sparse program.
Eigen::VectorXd largest_of_rows(const ConeProgram& program)
{
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(program.rows());
  for (Eigen::Index j = 0; j < program.cols(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(program.sparse_E, j); it; ++it)
      largest[it.row()] = std::max(largest[it.row()], std::abs(it.value()));
  return largest;
}

bool separates(const ConeProgram& program, const Values& y, std::string* why)
{
  const bool six = y.size() == 6;
  Sum gain;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    gain.value += static_cast<long double>(y[i]) * program.e[i];
    gain.scale += std::abs(static_cast<long double>(y[i])) * row_scale(program, i);
  }
  for (std::size_t i = 0; i < program.cones.size(); ++i) {
    const ConeBlock& block = program.cones[i];
    if (six ? quickly_blocked<6>(program, y.data(), block) : quickly_blocked<-1>(program, y.data(), block)) continue;
    Sum h[4];
    for (int k = 0; k < block.cone.dim(); ++k) h[k] = column_sum(program, y, block.col + k);
    const Sum best = internal::support_sum(block.cone, h);
    if (!(best.value <= kRounding * best.scale))
      return refuse(why, [&] { return entry("cones", i) + " has a ray with y'E x > 0"; });
  }
  for (std::size_t i = 0; i < program.free.size(); ++i) {
    const Sum h = column_sum(program, y, program.free[i]);
    if (!(std::abs(h.value) <= kRounding * h.scale))
      return refuse(why, [&] { return "y'E is not zero on " + entry("free", i); });
  }
  for (std::size_t i = 0; i < program.boxes.size(); ++i) {
    const BoxVariable& box = program.boxes[i];
    const Sum h = column_sum(program, y, box.col);
    const double bound = h.value > 0.0L ? box.upper : box.lower;
    if (std::isinf(bound)) {
      if (!(std::abs(h.value) <= kRounding * h.scale))
        return refuse(why, [&] { return entry("boxes", i) + " is unbounded where y'E x grows"; });
      continue;
    }
    gain.value -= bound * h.value;
    gain.scale += std::abs(bound) * h.scale;
  }
  if (!(gain.value > kRounding * gain.scale))
    return refuse(why, [] { return std::string("y'e does not exceed what cones and boxes can supply"); });
  return true;
}

}  // namespace

bool proves_feasible(const ConeProgram& program, const Eigen::VectorXd& x, std::string* why)
{
  if (!usable(program)) return refuse(why, [] { return std::string("the program is malformed"); });
  if (x.size() != program.cols() || !internal::all_finite(x))
    return refuse(why, [] { return std::string("x has the wrong size or is not finite"); });
  for (std::size_t i = 0; i < program.cones.size(); ++i) {
    const ConeBlock& block = program.cones[i];
    const double* f = x.data() + block.col;
    if (!contains(block.cone, f)) return refuse(why, [&] { return entry("cones", i) + " does not contain its force"; });
  }
  for (std::size_t i = 0; i < program.boxes.size(); ++i) {
    const BoxVariable& box = program.boxes[i];
    const double v = x[box.col];
    if (!(v >= box.lower - kRounding * std::abs(v) && v <= box.upper + kRounding * std::abs(v)))
      return refuse(why, [&] { return entry("boxes", i) + " does not contain its value"; });
  }
  return rows_balance(program, x, why);
}

bool proves_infeasible(const ConeProgram& program, const Eigen::VectorXd& y, std::string* why)
{
  if (!usable(program)) return refuse(why, [] { return std::string("the program is malformed"); });
  if (y.size() != program.rows() || !internal::all_finite(y))
    return refuse(why, [] { return std::string("y has the wrong size or is not finite"); });
  if (separates(program, y, why)) return true;
  if (program.is_sparse()) {
    Eigen::VectorXd clean = y;
    return internal::drop_noise(largest_of_rows(program), clean) && separates(program, clean, nullptr);
  }
  constexpr int kOnTheStack = 128;  // so that programs of everyday sizes are judged without the heap
  if (y.size() > kOnTheStack) {
    Eigen::VectorXd clean = y;
    return internal::drop_noise(program.E, clean) && separates(program, clean, nullptr);
  }
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kOnTheStack, 1> clean = y;
  return internal::drop_noise(program.E, clean) && separates(program, clean, nullptr);
}

Verdict judge_claim(const ConeProgram& program, const ConeAnswer& claim)
{
  if (claim.outcome == Outcome::kFeasible && proves_feasible(program, claim.x)) return Verdict::kHolds;
  if (claim.outcome == Outcome::kInfeasible && proves_infeasible(program, claim.y)) return Verdict::kFails;
  return Verdict::kUndecided;
}

}  // namespace stiction
