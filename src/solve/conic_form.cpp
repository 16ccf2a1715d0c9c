#include "solve/conic_form.hpp"

#include <algorithm>
#include <cmath>

#include "cone/kernels.hpp"
#include "solve/answer_check.hpp"

namespace stiction::internal {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;
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

void scale_columns(SparseMatrix& A, const Eigen::VectorXd& scale)
{
  for (Eigen::Index j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) it.valueRef() *= scale[j];
}

double largest_entry(const SparseMatrix& A, Eigen::Index column)
{
  double largest = 0.0;
  for (SparseMatrix::InnerIterator it(A, column); it; ++it) largest = std::max(largest, std::abs(it.value()));
  return largest;
}

/// ConeProgramForm::build, step by step.
class FormBuilder {
 public:
  FormBuilder(const ConeProgram& program, ConeProgramForm& made) : program_(program), made_(made), free_(program.free)
  {
  }

  void run()
  {
    write_maps();
    SparseMatrix A = program_.sparse_E * made_.map, C = program_.sparse_E * made_.map_free;
    A.prune(0.0, 0.0);
    C.prune(0.0, 0.0);
    choose_rows(A, C);
    take_rows(A, widths_, made_.form.A);
    take_rows(C, {}, made_.form.C);
    scale_all();
  }

 private:
  /// Both bounds of a box are finite: its distances from them add up to the width.
  struct Width {
    int lower, upper;  ///< columns
    double value;
  };

  void write_maps();
  void choose_rows(const SparseMatrix& A, const SparseMatrix& C);
  void take_rows(const SparseMatrix& from, const std::vector<Width>& widths, SparseMatrix& to) const;
  void scale_all();
  double size_of_row(Eigen::Index i) const
  {
    return program_.e_scale.size() == program_.rows() ? std::max(std::abs(program_.e[i]), program_.e_scale[i])
                                                      : std::abs(program_.e[i]);
  }

  const ConeProgram& program_;
  ConeProgramForm& made_;
  std::vector<int> free_;  ///< columns of the program, boxes without bounds among them
  std::vector<Width> widths_;
  std::vector<int> place_;  ///< row of the form per row of the program, -1: none
};

void FormBuilder::write_maps()
{
  std::vector<Atom>& atoms = made_.form.atoms;
  atoms.clear();
  made_.shift.setZero(program_.cols());
  Columns columns(program_, atoms);
  for (const BoxVariable& box : program_.boxes) {
    const bool lower = std::isfinite(box.lower), upper = std::isfinite(box.upper);
    if (!lower && !upper) {
      free_.push_back(box.col);
      continue;
    }
    made_.shift[box.col] = lower ? box.lower : box.upper;
    if (box.lower == box.upper) continue;
    if (lower && upper) widths_.push_back({columns.count(), 0, box.upper - box.lower});
    columns.add_number(box.col, lower ? 1.0 : -1.0);
  }
  int all = columns.count();
  for (Width& width : widths_) {
    atoms.push_back({all, 1});
    width.upper = all++;
  }
  made_.map.resize(program_.cols(), all);
  made_.map.setFromTriplets(columns.map().begin(), columns.map().end());
  made_.map_free.resize(program_.cols(), std::ssize(free_));
  Triplets places;
  for (std::size_t k = 0; k < free_.size(); ++k) places.emplace_back(free_[k], static_cast<int>(k), 1.0);
  made_.map_free.setFromTriplets(places.begin(), places.end());
}

/// Rows that have entries, with what they ask for, then one for every width.
void FormBuilder::choose_rows(const SparseMatrix& A, const SparseMatrix& C)
{
  const Eigen::VectorXd load = program_.e - program_.sparse_E * made_.shift;
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(program_.rows());
  for (const SparseMatrix* part : {&A, &C})
    for (Eigen::Index j = 0; j < part->outerSize(); ++j)
      for (SparseMatrix::InnerIterator it(*part, j); it; ++it)
        largest[it.row()] = std::max(largest[it.row()], std::abs(it.value()));
  std::vector<int>& row_of = made_.row_of;
  row_of.clear();
  made_.lost_row = -1;
  place_.assign(static_cast<std::size_t>(program_.rows()), -1);
  for (Eigen::Index i = 0; i < program_.rows(); ++i) {
    if (largest[i] > 0.0) {
      place_[static_cast<std::size_t>(i)] = static_cast<int>(row_of.size());
      row_of.push_back(static_cast<int>(i));
    } else if (std::abs(load[i]) > kProven * size_of_row(i)) {
      made_.lost_row = static_cast<int>(i);
    }
  }
  const auto balance_rows = std::ssize(row_of);
  row_of.resize(row_of.size() + widths_.size(), -1);
  made_.row_scale.setOnes(std::ssize(row_of));
  made_.form.b.resize(std::ssize(row_of));
  for (Eigen::Index i = 0; i < balance_rows; ++i) {
    const int from = row_of[static_cast<std::size_t>(i)];
    made_.row_scale[i] = power_of_two(largest[from]);
    made_.form.b[i] = made_.row_scale[i] * load[from];
  }
  for (std::size_t k = 0; k < widths_.size(); ++k)
    made_.form.b[balance_rows + static_cast<Eigen::Index>(k)] = widths_[k].value;
}

void FormBuilder::take_rows(const SparseMatrix& from, const std::vector<Width>& widths, SparseMatrix& to) const
{
  Triplets entries;
  for (Eigen::Index j = 0; j < from.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(from, j); it; ++it) {
      const int row = place_[static_cast<std::size_t>(it.row())];
      entries.emplace_back(row, static_cast<int>(j), made_.row_scale[row] * it.value());
    }
  const auto rows = static_cast<int>(made_.row_of.size());
  int row = rows - static_cast<int>(widths.size());
  for (const Width& width : widths) {
    for (const int column : {width.lower, width.upper}) entries.emplace_back(row, column, 1.0);
    ++row;
  }
  to.resize(rows, from.cols());
  to.setFromTriplets(entries.begin(), entries.end());
}

/// Columns, and the load, by powers of two.
void FormBuilder::scale_all()
{
  ConicForm& form = made_.form;
  made_.load_scale = power_of_two(form.b.size() > 0 ? form.b.lpNorm<Eigen::Infinity>() : 0.0);
  form.b *= made_.load_scale;
  Eigen::VectorXd scale(made_.map.cols()), free_scale(made_.map_free.cols());
  for (const Atom& atom : form.atoms) {
    double most = 0.0;
    for (int k = 0; k < atom.dim; ++k) most = std::max(most, largest_entry(form.A, atom.col + k));
    scale.segment(atom.col, atom.dim).setConstant(power_of_two(most));
  }
  for (Eigen::Index k = 0; k < free_scale.size(); ++k) free_scale[k] = power_of_two(largest_entry(form.C, k));
  scale_columns(form.A, scale);
  scale_columns(form.C, free_scale);
  scale_columns(made_.map, scale);
  scale_columns(made_.map_free, free_scale);
}

}  // namespace

void ConeProgramForm::build(const ConeProgram& program) { FormBuilder(program, *this).run(); }

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
