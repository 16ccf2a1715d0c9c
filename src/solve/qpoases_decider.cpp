#include "solve/qpoases_decider.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "cone/kernels.hpp"
#include "solve/answer_check.hpp"

namespace stiction::internal {
namespace {

constexpr double kTight = 0x1p-46;     // stop generating rays below this relative violation
constexpr double kLeastGap = 0x1p-43;  // separations below this relative gap are not worth claiming
constexpr double kTouching = 1e-10;    // columns this near to orthogonal are meant to be
constexpr double kSmallResidual = 1e-9;
constexpr double kBeyondRays = 1e-9;  // step along the axis, beyond the one that is just enough for every ray
constexpr int kMasterRounds = 80;
constexpr int kAge = 3;             // rounds a ray without force stays
constexpr int kAllGenerators = 16;  // facets up to which every generator enters at once

bool same(const FrictionCone& a, const FrictionCone& b)
{
  return a.tangents == b.tangents && a.torsional == b.torsional && a.mu == b.mu && a.torsion == b.torsion &&
         a.sign == b.sign && a.shape.approximation == b.shape.approximation && a.shape.facets == b.shape.facets;
}

}  // namespace

bool QpoasesDecider::same_structure(const ConeProgram& program) const
{
  if (!ready_ || program.E.rows() != program_.E.rows() || program.E.cols() != program_.E.cols()) return false;
  if (program.cones.size() != program_.cones.size() || program.boxes.size() != program_.boxes.size() ||
      program.free != program_.free)
    return false;
  for (std::size_t i = 0; i < program.cones.size(); ++i)
    if (program.cones[i].col != program_.cones[i].col || !same(program.cones[i].cone, program_.cones[i].cone))
      return false;
  for (std::size_t i = 0; i < program.boxes.size(); ++i) {
    const BoxVariable &a = program.boxes[i], &b = program_.boxes[i];
    if (a.col != b.col || a.lower != b.lower || a.upper != b.upper) return false;
  }
  return program.E == program_.E;
}

void QpoasesDecider::add(Column column)
{
  column.scaled = Eigen::VectorXd::Zero(row_scale_.size());
  for (int d = 0; d < column.dim; ++d)
    column.scaled += program_.E.col(column.col + d) * column.ray[static_cast<std::size_t>(d)];
  column.scaled = column.scaled.cwiseProduct(row_scale_);
  column.norm = column.scaled.norm();
  if (column.norm == 0.0) return;  // moves nothing
  column.scaled /= column.norm;
  columns_.push_back(std::move(column));
}

void QpoasesDecider::start_rays(int index)
{
  const ConeBlock& block = program_.cones[static_cast<std::size_t>(index)];
  const FrictionCone& cone = block.cone;
  Column column;
  column.col = block.col;
  column.dim = cone.dim();
  column.cone = index;
  if (is_polyhedral(cone) && (cone.tangents < 2 || cone.mu == 0.0 || cone.shape.facets <= kAllGenerators)) {
    const Eigen::MatrixXd rays = generators(cone);
    for (Eigen::Index j = 0; j < rays.cols(); ++j) {
      std::copy_n(rays.col(j).data(), column.dim, column.ray.begin());
      add(column);
    }
    return;
  }
  for (int quarter = 0; quarter < 4; ++quarter) {
    const double angle = std::numbers::pi * (0.25 + 0.5 * quarter);
    for (const double twist : {1.0, -1.0}) {
      const std::array<double, 4> h{0.0, std::cos(angle), std::sin(angle), twist};
      support(cone, h.data(), column.ray.data());
      add(column);
      if (!cone.torsional) break;
    }
  }
}

void QpoasesDecider::prepare(const ConeProgram& program)
{
  program_ = program;
  ready_ = false;
  const Eigen::Index m = program.E.rows();

  // Rows: the largest entry that a unit of normal force, box or free variable can cause.
  Eigen::VectorXd weight = Eigen::VectorXd::Ones(program.E.cols());
  for (const ConeBlock& block : program.cones) {
    weight.segment(block.col + 1, block.cone.tangents).setConstant(block.cone.mu);
    if (block.cone.torsional) weight[block.col + 1 + block.cone.tangents] = block.cone.torsion;
  }
  row_scale_ = Eigen::VectorXd::Ones(m);
  if (program.E.cols() > 0) {
    const Eigen::VectorXd largest = (program.E.cwiseAbs() * weight.asDiagonal()).rowwise().maxCoeff();
    for (Eigen::Index i = 0; i < m; ++i)
      if (largest[i] > 0.0) row_scale_[i] = 1.0 / largest[i];
  }

  columns_.clear();
  for (const int j : program.free) {
    Column column;
    column.col = j;
    add(std::move(column));
  }
  off_free_ = Eigen::MatrixXd::Identity(m, m);
  if (!columns_.empty()) {
    Eigen::MatrixXd basis(m, static_cast<Eigen::Index>(columns_.size()));
    for (std::size_t k = 0; k < columns_.size(); ++k) basis.col(static_cast<Eigen::Index>(k)) = columns_[k].scaled;
    off_free_ = column_span(basis, kDependent).complement();
  }
  base_ = Eigen::VectorXd::Zero(program.E.cols());
  for (std::size_t i = 0; i < program.boxes.size(); ++i) {
    const BoxVariable& box = program.boxes[i];
    base_[box.col] = std::clamp(0.0, box.lower, box.upper);
    Column column;
    column.col = box.col;
    column.box = static_cast<int>(i);
    add(std::move(column));
  }
  for (int i = 0; i < static_cast<int>(program.cones.size()); ++i) start_rays(i);
  start_ = columns_;
  find_axis();
  set_master(start_master_);
  ready_ = true;
}

/// The sum of the cone axes is positive on all rays whenever the contacts roughly face the same way.
void QpoasesDecider::find_axis()
{
  axis_ = Eigen::VectorXd::Zero(row_scale_.size());
  for (const Column& column : columns_)
    if (column.cone >= 0) axis_ += column.scaled;
  axis_ = off_free_ * (off_free_.transpose() * axis_);
  if (axis_.norm() > 0.0) axis_ /= axis_.norm();
  const Eigen::VectorXd h = -(program_.E.transpose() * axis_.cwiseProduct(row_scale_));
  for (const ConeBlock& block : program_.cones)
    if (!(support(block.cone, h.data() + block.col) < 0.0)) {
      axis_.resize(0);
      return;
    }
}

/// Hands the columns that are not free to the QP; box variables that can move both ways enter as two.
void QpoasesDecider::set_master(DualMaster& master)
{
  std::vector<Eigen::VectorXd> projected;
  std::vector<int> bounded;
  for (const Column& column : columns_) {
    if (column.box < 0 && column.cone < 0) continue;
    const Eigen::VectorXd a = off_free_.transpose() * column.scaled;
    if (column.box < 0) {
      projected.push_back(a);
      continue;
    }
    const BoxVariable& box = program_.boxes[static_cast<std::size_t>(column.box)];
    for (const double sign : {1.0, -1.0}) {
      const double bound = sign > 0.0 ? box.upper : box.lower;
      if (bound == base_[box.col]) continue;
      if (std::isfinite(bound)) bounded.push_back(static_cast<int>(projected.size()));
      projected.push_back(sign * a);
    }
  }
  Eigen::MatrixXd A(off_free_.cols(), static_cast<Eigen::Index>(projected.size()));
  for (std::size_t j = 0; j < projected.size(); ++j) A.col(static_cast<Eigen::Index>(j)) = projected[j];
  master.set(A, std::move(bounded));
}

/// Solves the QP over the present columns, then polishes: squares_ holds the optimum to rounding.
void QpoasesDecider::solve_master(DualMaster& master, ConeAnswer& answer)
{
  const auto n = static_cast<Eigen::Index>(columns_.size());
  const Eigen::VectorXd scaled_e = program_.e.cwiseProduct(row_scale_) / scale_;
  const Eigen::VectorXd offset = (program_.E * base_).cwiseProduct(row_scale_) / scale_;

  std::vector<double> width;
  for (const Column& column : columns_) {
    if (column.cone >= 0) width.push_back(std::numeric_limits<double>::infinity());
    if (column.box < 0) continue;
    const BoxVariable& box = program_.boxes[static_cast<std::size_t>(column.box)];
    for (const double room : {box.upper - base_[box.col], base_[box.col] - box.lower})
      if (room > 0.0) width.push_back(room * column.norm / scale_);
  }
  Eigen::VectorXd z;
  std::vector<Place> place;
  // When qpOASES gives up the polish starts with every variable at its bound.
  const Eigen::Map<const Eigen::VectorXd> widths(width.data(), static_cast<Eigen::Index>(width.size()));
  master.solve(off_free_.transpose() * (scaled_e - offset), widths, z, place);
  answer.iterations += master.iterations();

  squares_.A.resize(row_scale_.size(), n);
  squares_.b = scaled_e;
  squares_.lower.setZero(n);
  squares_.upper.setConstant(n, std::numeric_limits<double>::infinity());
  squares_.z.setZero(n);
  squares_.place.assign(static_cast<std::size_t>(n), Place::kLower);
  Eigen::Index q = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    const Column& column = columns_[static_cast<std::size_t>(j)];
    Place& at = squares_.place[static_cast<std::size_t>(j)];
    squares_.A.col(j) = column.scaled;
    if (column.cone >= 0) {
      squares_.z[j] = z[q];
      at = place[static_cast<std::size_t>(q++)];
    } else if (column.box >= 0) {
      const BoxVariable& box = program_.boxes[static_cast<std::size_t>(column.box)];
      const double unit = column.norm / scale_;
      squares_.lower[j] = box.lower * unit;
      squares_.upper[j] = box.upper * unit;
      const double base = base_[box.col];
      squares_.z[j] = base * unit;
      at = base == box.lower ? Place::kLower : base == box.upper ? Place::kUpper : Place::kPassive;
      for (const double sign : {1.0, -1.0}) {
        if ((sign > 0.0 ? box.upper : box.lower) == base) continue;
        squares_.z[j] += sign * z[q];
        const Place moved = place[static_cast<std::size_t>(q++)];
        if (moved == Place::kPassive) at = Place::kPassive;
        if (moved == Place::kUpper) at = sign > 0.0 ? Place::kUpper : Place::kLower;
      }
    } else {
      squares_.lower[j] = -std::numeric_limits<double>::infinity();
    }
  }
  squares_.solve(static_cast<int>(50 + 5 * (n + row_scale_.size())));
  answer.iterations += squares_.exchanges;
}

/// Forces from the coefficients, refined in the forces themselves so that each row is met relative to its own
/// products.
bool QpoasesDecider::try_witness(ConeAnswer& answer)
{
  Eigen::VectorXd& x = answer.x;
  x = Eigen::VectorXd::Zero(program_.E.cols());
  for (const BoxVariable& box : program_.boxes) x[box.col] = base_[box.col];  // columns that move nothing stay here
  const auto move = [&](const Column& column, double z) {
    for (int d = 0; d < column.dim; ++d)
      x[column.col + d] += column.ray[static_cast<std::size_t>(d)] * (z * scale_ / column.norm);
  };
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    if (columns_[j].box >= 0) x[columns_[j].col] = 0.0;
    move(columns_[j], squares_.z[static_cast<Eigen::Index>(j)]);
  }
  const auto inside = [&](Eigen::VectorXd& v) {
    for (const BoxVariable& box : program_.boxes) v[box.col] = std::clamp(v[box.col], box.lower, box.upper);
  };
  inside(x);
  if (squares_.residual.norm() > kSmallResidual * squares_.b.norm()) return false;

  double error = witness_error(program_, x);
  for (int pass = 0; pass < 3 && error > 0.0; ++pass) {
    Eigen::VectorXd better = x;
    const Eigen::Vector<long double, Eigen::Dynamic> miss =
        program_.e.cast<long double>() - program_.E.cast<long double>() * x.cast<long double>();
    const Eigen::VectorXd step = squares_.correction(miss.cast<double>().cwiseProduct(row_scale_) / scale_);
    if (step.size() != static_cast<Eigen::Index>(squares_.passive().size()))
      break;  // the working set moved on: no factor of it
    std::swap(better, x);
    for (std::size_t k = 0; k < squares_.passive().size(); ++k)
      move(columns_[static_cast<std::size_t>(squares_.passive()[k])], step[static_cast<Eigen::Index>(k)]);
    inside(x);
    std::swap(better, x);
    for (int snap = 0; snap < 2; ++snap) {
      const double e = witness_error(program_, better);
      if (e < error) {
        error = e;
        x = better;
      }
      // Entries that are only rounding noise: zero is the better guess.
      const double noise = kNoise * better.cwiseAbs().maxCoeff();
      for (const ConeBlock& block : program_.cones) {
        if (std::abs(better[block.col]) <= noise) better.segment(block.col, block.cone.dim()).setZero();
        for (int d = 1; d < block.cone.dim(); ++d)
          if (std::abs(better[block.col + d]) <= kNoise * std::abs(better[block.col])) better[block.col + d] = 0.0;
      }
      for (const int j : program_.free)
        if (std::abs(better[j]) <= noise) better[j] = 0.0;
    }
  }
  return error <= kProven;
}

/// Orthogonal to all columns that it nearly is orthogonal to already. A column in the span of ill-conditioned passive
/// ones inherits their rounding many times enlarged; taking it into the basis removes that.
Eigen::VectorXd QpoasesDecider::tidied(const Eigen::VectorXd& direction) const
{
  std::vector<const Column*> touching;
  for (const Column& column : columns_)
    if (std::abs(column.scaled.dot(direction)) <= kTouching) touching.push_back(&column);
  if (touching.empty()) return direction;
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(touching.size()), direction.size());
  for (std::size_t k = 0; k < touching.size(); ++k)
    rows.row(static_cast<Eigen::Index>(k)) = touching[k]->scaled.transpose();
  const LeastNorm least(rows, kDependent);
  Eigen::VectorXd result = direction;
  for (int pass = 0; pass < 2; ++pass) {
    const Eigen::Vector<long double, Eigen::Dynamic> products = rows.cast<long double>() * result.cast<long double>();
    result -= least.solve(products.cast<double>());
  }
  return result;
}

bool QpoasesDecider::try_separation(const Eigen::VectorXd& direction, ConeAnswer& answer)
{
  double gap = 0.0;
  Eigen::VectorXd tidy;
  // As it is, then tidied, then without the entries that may be rounding noise.
  for (const double noise : {-1.0, 0.0, kNoise, 16 * kNoise, 50 * kNoise}) {
    if (noise == 0.0) tidy = tidied(direction);
    const Eigen::VectorXd& d = noise < 0.0 ? direction : tidy;
    const double floor = noise * d.cwiseAbs().maxCoeff();
    const Eigen::VectorXd y =
        row_scale_.cwiseProduct(d.unaryExpr([floor](double v) { return std::abs(v) <= floor ? 0.0 : v; }));
    const double error = separation_error(program_, y, &gap);
    if (error <= kProven && gap >= kLeastGap) {
      answer.y = y;
      return true;
    }
    if (gap < kLeastGap) return false;
  }
  return false;
}

/// Where a cone image is pointed, y − t d with d positive on every ray blocks every contact strictly for large enough
/// t.
bool QpoasesDecider::try_repaired_separation(ConeAnswer& answer)
{
  if (axis_.size() == 0) return false;
  const Eigen::VectorXd h = -(program_.E.transpose() * axis_.cwiseProduct(row_scale_));
  double t = 0.0;
  for (std::size_t i = 0; i < program_.cones.size(); ++i) {
    const ConeBlock& block = program_.cones[i];
    const double value = values_[static_cast<Eigen::Index>(i)];
    if (value > 0.0) t = std::max(t, value / -support(block.cone, h.data() + block.col));
  }
  return t > 0.0 && std::isfinite(t) && try_separation(squares_.direction - (t * (1.0 + kBeyondRays)) * axis_, answer);
}

/// The best ray of every cone against the current direction.
void QpoasesDecider::price()
{
  const Eigen::VectorXd y = squares_.direction.cwiseProduct(row_scale_);
  const Eigen::VectorXd h = program_.E.transpose() * y;
  const Eigen::VectorXd magnitude = program_.E.cwiseAbs().transpose() * y.cwiseAbs();
  values_.resize(static_cast<Eigen::Index>(program_.cones.size()));
  found_.clear();
  for (std::size_t i = 0; i < program_.cones.size(); ++i) {
    const ConeBlock& block = program_.cones[i];
    Column column;
    column.col = block.col;
    column.dim = block.cone.dim();
    column.cone = static_cast<int>(i);
    double& value = values_[static_cast<Eigen::Index>(i)];
    value = support(block.cone, h.data() + block.col, column.ray.data());
    if (value <= kTight * ray_magnitude(block.cone, column.ray.data(), magnitude.data() + block.col)) continue;
    found_.push_back(std::move(column));
  }
}

/// Adds the priced rays of the most violated cones and forgets those long unused. False: no cone is violated.
bool QpoasesDecider::add_rays()
{
  if (found_.empty()) return false;
  const auto count = std::min(found_.size(), static_cast<std::size_t>(16 + 2 * row_scale_.size()));
  std::partial_sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(count), found_.end(),
                    [&](const Column& a, const Column& b) { return values_[a.cone] > values_[b.cone]; });
  for (std::size_t j = 0; j < columns_.size(); ++j)
    columns_[j].age = squares_.place[j] == Place::kLower ? columns_[j].age + 1 : 0;
  std::erase_if(columns_, [](const Column& column) { return column.cone >= 0 && column.age > kAge; });
  for (std::size_t k = 0; k < count; ++k) add(std::move(found_[k]));
  return true;
}

void QpoasesDecider::decide(const ConeProgram& program, ConeAnswer& answer)
{
  answer.outcome = Outcome::kNotRun;
  answer.iterations = 0;
  answer.y = Eigen::VectorXd::Zero(program.E.rows());
  if (!same_structure(program)) {
    program.validate();
    prepare(program);
  } else {
    if (program.e.size() != program_.e.size() || !program.e.allFinite() || program.e_scale.size() > 0)
      program.validate();
    program_.e = program.e;
    program_.e_scale = program.e_scale;
  }
  columns_ = start_;
  scale_ = (program_.e - program_.E * base_).cwiseProduct(row_scale_).norm();
  if (scale_ == 0.0) {
    answer.x = base_;
    answer.outcome = Outcome::kFeasible;
    return;
  }

  DualMaster* master = &start_master_;
  double best = std::numeric_limits<double>::infinity();
  int stalled = 0;
  for (int round = 0; round < kMasterRounds; ++round) {
    solve_master(*master, answer);
    if (try_witness(answer)) {
      answer.outcome = Outcome::kFeasible;
      return;
    }
    price();
    if (try_separation(squares_.direction, answer) || try_repaired_separation(answer)) {
      answer.outcome = Outcome::kInfeasible;
      return;
    }
    if (try_tangents(answer)) return;
    const bool more = add_rays();
    stalled = squares_.residual.norm() < best * (1.0 - kTight) ? 0 : stalled + 1;
    best = std::min(best, squares_.residual.norm());
    if (!more || stalled > kAge) {
      answer.y = squares_.direction.cwiseProduct(row_scale_);
      answer.outcome = Outcome::kNumericalFailure;
      return;
    }
    set_master(round_master_);
    master = &round_master_;
  }
  answer.y = squares_.direction.cwiseProduct(row_scale_);
  answer.outcome = Outcome::kIterationLimit;
}

}  // namespace stiction::internal
