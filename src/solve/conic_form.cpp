#include "solve/conic_form.hpp"

#include <algorithm>
#include <cmath>

#include "cone/kernels.hpp"
#include "solve/answer_check.hpp"

namespace stiction::internal {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

/// Columns x' of a form, written one after the other.
class Columns {
 public:
  Columns(const ConeProgram& program, std::vector<Atom>& atoms) : atoms_(atoms)
  {
    for (const ConeBlock& block : program.cones) add_cone(block);
  }

  void add_number(int program_column, double factor)
  {
    atoms_.push_back({next_, 1});
    map_.emplace_back(program_column, next_++, factor);
  }

  int count() const { return next_; }
  const Triplets& map() const { return map_; }

 private:
  /// Ends of the twist, or none.
  static std::vector<double> twists(const FrictionCone& cone)
  {
    if (!cone.torsional || cone.torsion == 0.0) return {0.0};
    return {-cone.torsion, cone.torsion};
  }

  void add_cone(const ConeBlock& block)
  {
    const FrictionCone& cone = block.cone;
    const int last = block.col + 1 + cone.tangents;
    const auto twist = [&](double end) {
      if (end != 0.0) map_.emplace_back(last, next_, end);
    };
    for (const double end : twists(cone)) {
      if (cone.round() || (cone.tangents == 2 && cone.shape.approximation == ConeApproximation::kExact)) {
        if (cone.mu > 0.0) {
          atoms_.push_back({next_, 3});
          map_.emplace_back(block.col, next_, cone.sign);
          twist(end);
          for (int k = 1; k <= 2; ++k) map_.emplace_back(block.col + k, next_ + k, cone.mu);
          next_ += 3;
          continue;
        }
      }
      for (const auto& [x, y] : tangential_vertices(cone)) {
        atoms_.push_back({next_, 1});
        map_.emplace_back(block.col, next_, cone.sign);
        if (x != 0.0) map_.emplace_back(block.col + 1, next_, x);
        if (y != 0.0) map_.emplace_back(block.col + 2, next_, y);
        twist(end);
        ++next_;
      }
    }
  }

  static std::vector<std::pair<double, double>> tangential_vertices(const FrictionCone& cone)
  {
    if (cone.tangents == 0 || cone.mu == 0.0) return {{0.0, 0.0}};
    if (cone.tangents == 1) return {{-cone.mu, 0.0}, {cone.mu, 0.0}};
    FrictionCone plain = cone;
    plain.torsional = false;
    const Eigen::MatrixXd rays = generators(plain);
    std::vector<std::pair<double, double>> vertices;
    for (Eigen::Index k = 0; k < rays.cols(); ++k) vertices.emplace_back(rays(1, k), rays(2, k));
    return vertices;
  }

  std::vector<Atom>& atoms_;
  Triplets map_;
  int next_ = 0;
};

double power_of_two(double x) { return x > 0.0 && std::isfinite(x) ? std::ldexp(1.0, -std::ilogb(x)) : 1.0; }

void scale_columns(Eigen::SparseMatrix<double>& A, const Eigen::VectorXd& scale)
{
  for (Eigen::Index j = 0; j < A.outerSize(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(A, j); it; ++it) it.valueRef() *= scale[j];
}

double largest_entry(const Eigen::SparseMatrix<double>& A, Eigen::Index column)
{
  double largest = 0.0;
  for (Eigen::SparseMatrix<double>::InnerIterator it(A, column); it; ++it)
    largest = std::max(largest, std::abs(it.value()));
  return largest;
}

}  // namespace

void ConeProgramForm::build(const ConeProgram& program)
{
  const Eigen::Index rows = program.rows(), cols = program.cols();
  form.atoms.clear();
  shift.setZero(cols);
  Columns columns(program, form.atoms);
  std::vector<int> free = program.free;
  std::vector<std::pair<int, double>> widths;  // column of the distance from the lower bound, width
  for (const BoxVariable& box : program.boxes) {
    const bool lower = std::isfinite(box.lower), upper = std::isfinite(box.upper);
    if (!lower && !upper) {
      free.push_back(box.col);
      continue;
    }
    shift[box.col] = lower ? box.lower : box.upper;
    if (box.lower == box.upper) continue;
    if (lower && upper) widths.emplace_back(columns.count(), box.upper - box.lower);
    columns.add_number(box.col, lower ? 1.0 : -1.0);
  }
  const int mapped = columns.count();
  for (std::size_t k = 0; k < widths.size(); ++k) form.atoms.push_back({mapped + static_cast<int>(k), 1});
  const int all = mapped + static_cast<int>(widths.size());
  map.resize(cols, all);
  map.setFromTriplets(columns.map().begin(), columns.map().end());
  map_free.resize(cols, static_cast<Eigen::Index>(free.size()));
  Triplets places;
  for (std::size_t k = 0; k < free.size(); ++k) places.emplace_back(free[k], static_cast<int>(k), 1.0);
  map_free.setFromTriplets(places.begin(), places.end());

  Eigen::SparseMatrix<double> A = program.sparse_E * map, C = program.sparse_E * map_free;
  A.prune(0.0, 0.0);
  C.prune(0.0, 0.0);
  const Eigen::VectorXd load = program.e - program.sparse_E * shift;
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(rows);
  for (const Eigen::SparseMatrix<double>* part : {&A, &C})
    for (Eigen::Index j = 0; j < part->outerSize(); ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator it(*part, j); it; ++it)
        largest[it.row()] = std::max(largest[it.row()], std::abs(it.value()));
  row_of.clear();
  lost_row = -1;
  std::vector<int> place(static_cast<std::size_t>(rows), -1);
  const auto size_of = [&](Eigen::Index i) {
    return program.e_scale.size() == rows ? std::max(std::abs(program.e[i]), program.e_scale[i])
                                          : std::abs(program.e[i]);
  };
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (largest[i] > 0.0) {
      place[static_cast<std::size_t>(i)] = static_cast<int>(row_of.size());
      row_of.push_back(static_cast<int>(i));
    } else if (std::abs(load[i]) > kProven * size_of(i)) {
      lost_row = static_cast<int>(i);
    }
  }
  const auto balance_rows = static_cast<Eigen::Index>(row_of.size());
  row_of.resize(row_of.size() + widths.size(), -1);
  const auto m = static_cast<Eigen::Index>(row_of.size());
  row_scale.setOnes(m);
  form.b.resize(m);
  for (Eigen::Index i = 0; i < balance_rows; ++i) {
    const int from = row_of[static_cast<std::size_t>(i)];
    row_scale[i] = power_of_two(largest[from]);
    form.b[i] = row_scale[i] * load[from];
  }
  for (std::size_t k = 0; k < widths.size(); ++k)
    form.b[balance_rows + static_cast<Eigen::Index>(k)] = widths[k].second;
  const auto take = [&](const Eigen::SparseMatrix<double>& from, Eigen::Index count, Eigen::SparseMatrix<double>& to) {
    Triplets entries;
    for (Eigen::Index j = 0; j < from.outerSize(); ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator it(from, j); it; ++it) {
        const int row = place[static_cast<std::size_t>(it.row())];
        entries.emplace_back(row, static_cast<int>(j), row_scale[row] * it.value());
      }
    if (&from == &A)
      for (std::size_t k = 0; k < widths.size(); ++k)
        for (const int column : {widths[k].first, mapped + static_cast<int>(k)})
          entries.emplace_back(static_cast<int>(balance_rows + static_cast<Eigen::Index>(k)), column, 1.0);
    to.resize(m, count);
    to.setFromTriplets(entries.begin(), entries.end());
  };
  take(A, all, form.A);
  take(C, static_cast<Eigen::Index>(free.size()), form.C);

  load_scale = power_of_two(form.b.size() > 0 ? form.b.lpNorm<Eigen::Infinity>() : 0.0);
  form.b *= load_scale;
  Eigen::VectorXd scale(all), free_scale(static_cast<Eigen::Index>(free.size()));
  for (const Atom& atom : form.atoms) {
    double most = 0.0;
    for (int k = 0; k < atom.dim; ++k) most = std::max(most, largest_entry(form.A, atom.col + k));
    scale.segment(atom.col, atom.dim).setConstant(power_of_two(most));
  }
  for (Eigen::Index k = 0; k < free_scale.size(); ++k) free_scale[k] = power_of_two(largest_entry(form.C, k));
  scale_columns(form.A, scale);
  scale_columns(form.C, free_scale);
  scale_columns(map, scale);
  scale_columns(map_free, free_scale);
}

void ConeProgramForm::to_program(const Eigen::VectorXd& x, const Eigen::VectorXd& w, Eigen::VectorXd& solution) const
{
  solution = map * x;
  if (w.size() > 0) solution += map_free * w;
  solution = solution / load_scale + shift;
}

void ConeProgramForm::to_motion(const Eigen::VectorXd& y, Eigen::VectorXd& motion) const
{
  motion.setZero();
  for (Eigen::Index i = 0; i < y.size(); ++i)
    if (const int row = row_of[static_cast<std::size_t>(i)]; row >= 0) motion[row] = row_scale[i] * y[i];
}

}  // namespace stiction::internal
