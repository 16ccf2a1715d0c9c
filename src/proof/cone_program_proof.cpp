#include <algorithm>
#include <cmath>
#include <string>

#include "proof/sums.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using internal::refuse;
using internal::Sum;
using Values = Eigen::Ref<const Eigen::VectorXd>;

std::string entry(const char* list, std::size_t i)
{
  return std::string(list) + "[" + std::to_string(i) + "]";
}

double row_scale(const ConeProgram& program, Eigen::Index i)
{
  return program.e_scale.size() == 0 ? std::abs(program.e[i]) : std::max(std::abs(program.e[i]), program.e_scale[i]);
}

bool usable(const ConeProgram& program)
{
  const Eigen::Index rows = program.E.rows();
  return program.e.size() == rows && (program.e_scale.size() == 0 || program.e_scale.size() == rows) &&
         internal::all_finite(program.E) && internal::all_finite(program.e) && internal::all_finite(program.e_scale);
}

bool rows_balance(const ConeProgram& program, const Eigen::VectorXd& x, std::string* why)
{
  // A few rows at a time, so that the columns of E are read along memory.
  constexpr Eigen::Index kStrip = 8;
  for (Eigen::Index top = 0; top < program.E.rows(); top += kStrip) {
    const Eigen::Index count = std::min(kStrip, program.E.rows() - top);
    Sum rows[kStrip];
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
  return zero || slack(cone, f) >= -kRounding * std::abs(f[0]);   // refuses the wrong sign of f_n as well
}

/// y'E_j over one column.
Sum column_sum(const ConeProgram& program, const Values& y, int col)
{
  Sum h;
  const double* column = program.E.data() + static_cast<Eigen::Index>(col) * program.E.rows();
  for (Eigen::Index i = 0; i < y.size(); ++i) h.add(column[i], y[i]);
  return h;
}

/// Plain double arithmetic settles the cones that clearly do not oppose y: with at most 64 rows its error stays below
/// 2^-46 of the sum of absolute products. Cones near the limit, and the fringes of the exponent range, where that bound
/// does not hold, are left to the long sums.
bool quickly_blocked(const ConeProgram& program, const Values& y, const ConeBlock& block)
{
  constexpr Eigen::Index kMostRows = 64;
  constexpr double kSmall = 1e-140, kLarge = 1e140;
  const Eigen::Index rows = y.size();
  if (rows > kMostRows) return false;
  const int dim = block.cone.dim();
  double h[4] = {}, scale[4] = {};
  const double* columns = program.E.data() + static_cast<Eigen::Index>(block.col) * rows;
  for (Eigen::Index i = 0; i < rows; ++i)
    for (int k = 0; k < dim; ++k) {
      const double product = columns[k * rows + i] * y[i];
      h[k] += product;
      scale[k] += std::abs(product);
    }
  // The other components only add to the scale; their errors do not matter once the value is below it by that much.
  const double total = scale[0] + block.cone.mu * (scale[1] + scale[2]) + block.cone.torsion * scale[dim - 1];
  return scale[0] > kSmall && total < kLarge && support(block.cone, h) <= -0.5 * kRounding * total;
}

bool separates(const ConeProgram& program, const Values& y, std::string* why)
{
  Sum gain;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    gain.value += static_cast<long double>(y[i]) * program.e[i];
    gain.scale += std::abs(static_cast<long double>(y[i])) * row_scale(program, i);
  }
  for (std::size_t i = 0; i < program.cones.size(); ++i) {
    const ConeBlock& block = program.cones[i];
    if (quickly_blocked(program, y, block)) continue;
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
  if (x.size() != program.E.cols() || !internal::all_finite(x))
    return refuse(why, [] { return std::string("x has the wrong size or is not finite"); });
  for (std::size_t i = 0; i < program.cones.size(); ++i) {
    const ConeBlock& block = program.cones[i];
    const double* f = x.data() + block.col;
    if (!contains(block.cone, f))
      return refuse(why, [&] { return entry("cones", i) + " does not contain its force"; });
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
  if (y.size() != program.E.rows() || !internal::all_finite(y))
    return refuse(why, [] { return std::string("y has the wrong size or is not finite"); });
  if (separates(program, y, why)) return true;
  constexpr int kOnTheStack = 128;   // so that programs of everyday sizes are judged without the heap
  if (y.size() > kOnTheStack) {
    Eigen::VectorXd clean = y;
    return internal::drop_noise(program.E, clean) && separates(program, clean, nullptr);
  }
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kOnTheStack, 1> clean = y;
  return internal::drop_noise(program.E, clean) && separates(program, clean, nullptr);
}

}  // namespace stiction
