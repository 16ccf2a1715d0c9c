#include "solve/sparse_engine.hpp"

#include <algorithm>
#include <cmath>

#include "solve/answer_check.hpp"

namespace stiction::internal {
namespace {

constexpr double kNearlyStill[] = {1e-3, 1e-6};  // shares of the fastest row below which a row may be at rest
constexpr double kIdle[] = {1e-4, 1e-7};         // shares of the largest force below which an atom may carry nothing
constexpr double kHeld[] = {0.0, 1e-9, 1e-6};    // shares of a motion that are none: what is pressed from two sides
constexpr int kCorrections = 4;

/// b - A x - C w in extended precision: it is a difference of large sums.
Eigen::VectorXd left_over(const ConicForm& form, const Eigen::VectorXd& x, const Eigen::VectorXd& w)
{
  std::vector<long double> sum(form.b.begin(), form.b.end());
  const auto subtract = [&](const Eigen::SparseMatrix<double>& A, const Eigen::VectorXd& v) {
    for (Eigen::Index j = 0; j < A.outerSize(); ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator it(A, j); it; ++it)
        sum[static_cast<std::size_t>(it.row())] -= static_cast<long double>(it.value()) * v[j];
  };
  subtract(form.A, x);
  subtract(form.C, w);
  Eigen::VectorXd left(form.b.size());
  for (Eigen::Index i = 0; i < left.size(); ++i) left[i] = static_cast<double>(sum[static_cast<std::size_t>(i)]);
  return left;
}

bool inside(const ConicForm& form, const Eigen::VectorXd& x)
{
  return std::ranges::all_of(form.atoms, [&](const Atom& atom) {
    const double* f = x.data() + atom.col;
    return f[0] >= (atom.dim == 1 ? 0.0 : std::hypot(f[1], f[2]));
  });
}

/// The nearest y with C'y = 0.
void make_still(const Eigen::SparseMatrix<double>& C, Eigen::VectorXd& y)
{
  if (C.cols() == 0) return;
  const Eigen::Index m = C.rows(), n = m + C.cols();
  constexpr double kSpare = 1e-12;  // dependent columns leave a pivot of this size
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index i = 0; i < n; ++i) entries.emplace_back(i, i, i < m ? 1.0 : -kSpare);
  for (Eigen::Index k = 0; k < C.cols(); ++k)
    for (Eigen::SparseMatrix<double>::InnerIterator it(C, k); it; ++it)
      entries.emplace_back(m + k, it.row(), it.value());
  Eigen::SparseMatrix<double> kkt(n, n);
  kkt.setFromTriplets(entries.begin(), entries.end());
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::AMDOrdering<int>> ldlt(kkt);
  if (ldlt.info() != Eigen::Success) return;
  for (int pass = 0; pass < kCorrections; ++pass) {
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(n);
    rhs.tail(C.cols()) = -(C.transpose() * y);
    y += Eigen::VectorXd(ldlt.solve(rhs)).head(m);
  }
}

/// The free columns, and those of atoms that y hardly moves: less than this share of the sizes of its sums.
Eigen::SparseMatrix<double> still_columns(const ConicForm& form, const Eigen::VectorXd& y, double share)
{
  std::vector<Eigen::Triplet<double>> entries;
  int next = 0;
  const auto take = [&](const Eigen::SparseMatrix<double>& from, Eigen::Index column) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(from, column); it; ++it)
      entries.emplace_back(it.row(), next, it.value());
    ++next;
  };
  for (Eigen::Index k = 0; k < form.C.cols(); ++k) take(form.C, k);
  for (const Atom& atom : form.atoms) {
    double moved = 0.0, size = 0.0;
    for (int k = 0; k < atom.dim; ++k) {
      double sum = 0.0;
      for (Eigen::SparseMatrix<double>::InnerIterator it(form.A, atom.col + k); it; ++it) {
        sum += it.value() * y[it.row()];
        size += std::abs(it.value() * y[it.row()]);
      }
      moved = std::max(moved, std::abs(sum));
    }
    if (moved <= share * size)
      for (int k = 0; k < atom.dim; ++k) take(form.A, atom.col + k);
  }
  Eigen::SparseMatrix<double> columns(form.A.rows(), next);
  columns.setFromTriplets(entries.begin(), entries.end());
  return columns;
}

/// Some of the rows, and the atoms and free columns that have entries in them.
ConicForm some_rows(const ConicForm& form, const std::vector<int>& rows)
{
  std::vector<int> place(static_cast<std::size_t>(form.A.rows()), -1);
  for (std::size_t k = 0; k < rows.size(); ++k) place[static_cast<std::size_t>(rows[k])] = static_cast<int>(k);
  ConicForm some;
  std::vector<Eigen::Triplet<double>> entries;
  const auto take = [&](const Eigen::SparseMatrix<double>& from, Eigen::Index column, int to) {
    bool any = false;
    for (Eigen::SparseMatrix<double>::InnerIterator it(from, column); it; ++it)
      if (const int row = place[static_cast<std::size_t>(it.row())]; row >= 0) {
        entries.emplace_back(row, to, it.value());
        any = true;
      }
    return any;
  };
  int next = 0;
  for (const Atom& atom : form.atoms) {
    bool any = false;
    for (int k = 0; k < atom.dim; ++k) any = take(form.A, atom.col + k, next + k) || any;
    if (!any) continue;
    some.atoms.push_back({next, atom.dim});
    next += atom.dim;
  }
  some.A.resize(static_cast<Eigen::Index>(rows.size()), next);
  some.A.setFromTriplets(entries.begin(), entries.end());
  entries.clear();
  next = 0;
  for (Eigen::Index k = 0; k < form.C.cols(); ++k) next += take(form.C, k, next);
  some.C.resize(static_cast<Eigen::Index>(rows.size()), next);
  some.C.setFromTriplets(entries.begin(), entries.end());
  some.b = form.b(rows);
  return some;
}

/// Some of the atoms, and where their columns were.
ConicForm some_atoms(const ConicForm& form, const std::vector<char>& kept, std::vector<int>& columns)
{
  ConicForm some;
  columns.clear();
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < form.atoms.size(); ++i) {
    if (!kept[i]) continue;
    const Atom& atom = form.atoms[i];
    some.atoms.push_back({static_cast<int>(columns.size()), atom.dim});
    for (int k = 0; k < atom.dim; ++k) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(form.A, atom.col + k); it; ++it)
        entries.emplace_back(it.row(), columns.size(), it.value());
      columns.push_back(atom.col + k);
    }
  }
  some.A.resize(form.A.rows(), static_cast<Eigen::Index>(columns.size()));
  some.A.setFromTriplets(entries.begin(), entries.end());
  some.C = form.C;
  some.b = form.b;
  return some;
}

/// Tangential forces that are nothing beside their normal force are what is left of zeros.
void drop_noise(const ConicForm& form, Eigen::VectorXd& x)
{
  constexpr double kNoTangent = 1e-18;
  for (const Atom& atom : form.atoms)
    for (int k = 1; k < atom.dim; ++k)
      if (std::abs(x[atom.col + k]) <= kNoTangent * x[atom.col]) x[atom.col + k] = 0.0;
}

/// What the method found, balanced to rounding of its sums; false when it then is no longer inside.
bool balanced_point(InteriorPoint& method, const ConicForm& form, Eigen::VectorXd& x, Eigen::VectorXd& w)
{
  x = method.x();
  w = method.w();
  for (int pass = 0; pass < kCorrections; ++pass) method.correct(left_over(form, x, w), x, w);
  drop_noise(form, x);
  return inside(form, x);
}

}  // namespace

bool SparseEngine::accept_point(const Eigen::VectorXd& x, const Eigen::VectorXd& w, const ConeProgram& program,
                                ConeAnswer& answer)
{
  form_.to_program(x, w, answer.x);
  if (!(witness_error(program, answer.x) <= kProven)) return false;
  answer.outcome = Outcome::kFeasible;
  return true;
}

bool SparseEngine::accept_motion(const Eigen::VectorXd& found, const ConeProgram& program, ConeAnswer& answer)
{
  for (const double share : kHeld) {
    Eigen::VectorXd y = found;
    make_still(still_columns(form_.form, y, share), y);
    const double largest = y.lpNorm<Eigen::Infinity>();
    if (!(largest > 0.0)) continue;
    y /= largest;
    form_.to_motion(y, answer.y);
    double gap = 0.0;
    if (!(separation_error(program, answer.y, &gap) <= kProven && gap > kProven)) continue;
    answer.outcome = Outcome::kInfeasible;
    return true;
  }
  return false;
}

/// What is nearly at rest may be wedged by forces that grow without end: a motion of the rest alone.
bool SparseEngine::without_still_rows(double still, const ConeProgram& program, ConeAnswer& answer)
{
  const Eigen::VectorXd speed = method_.y().cwiseAbs();
  const double least = still * speed.maxCoeff();
  std::vector<int> rows;
  for (Eigen::Index i = 0; i < speed.size(); ++i)
    if (speed[i] > least) rows.push_back(static_cast<int>(i));
  if (rows.empty() || static_cast<Eigen::Index>(rows.size()) == speed.size()) return false;
  const ConicForm some = some_rows(form_.form, rows);
  const InteriorPoint::Stop stop = again_.run(some, stop_check());
  answer.iterations += again_.iterations();
  if (stop != InteriorPoint::Stop::kSeparated) return false;
  Eigen::VectorXd y = again_.y();
  make_still(some.C, y);
  Eigen::VectorXd whole = Eigen::VectorXd::Zero(speed.size());
  for (std::size_t k = 0; k < rows.size(); ++k) whole[rows[k]] = y[static_cast<Eigen::Index>(k)];
  return accept_motion(whole, program, answer);
}

/// What can carry nothing leaves no room inside its cone: a point of the rest alone.
bool SparseEngine::without_idle_atoms(double idle, const ConeProgram& program, ConeAnswer& answer)
{
  double largest = 0.0;
  for (const Atom& atom : form_.form.atoms) largest = std::max(largest, method_.x()[atom.col]);
  std::vector<char> kept;
  for (const Atom& atom : form_.form.atoms) kept.push_back(method_.x()[atom.col] > idle * largest);
  if (std::ranges::find(kept, 0) == kept.end()) return false;
  std::vector<int> columns;
  const ConicForm some = some_atoms(form_.form, kept, columns);
  const InteriorPoint::Stop stop = again_.run(some, stop_check());
  answer.iterations += again_.iterations();
  Eigen::VectorXd x, w;
  if (stop != InteriorPoint::Stop::kInside || !balanced_point(again_, some, x, w)) return false;
  Eigen::VectorXd whole = Eigen::VectorXd::Zero(form_.form.A.cols());
  for (std::size_t k = 0; k < columns.size(); ++k) whole[columns[k]] = x[static_cast<Eigen::Index>(k)];
  return accept_point(whole, w, program, answer);
}

bool SparseEngine::trivial(const ConeProgram& program, ConeAnswer& answer)
{
  if (form_.lost_row >= 0) {  // nothing acts in it
    answer.y[form_.lost_row] = program.e[form_.lost_row] > 0.0 ? 1.0 : -1.0;
    double gap = 0.0;
    if (separation_error(program, answer.y, &gap) > kProven || !(gap > kProven)) return false;
    answer.outcome = Outcome::kInfeasible;
    return true;
  }
  if (!form_.form.b.isZero(0.0)) return false;
  answer.x = form_.shift;
  answer.outcome = Outcome::kFeasible;
  return true;
}

void SparseEngine::decide(const ConeProgram& given, ConeAnswer& answer)
{
  throw_if_stopped(stop_check());
  if (!given.is_sparse()) {
    sparse_ = given;
    sparse_.sparse_E = given.E.sparseView(1.0, 0.0);
    sparse_.E.resize(0, 0);
  }
  const ConeProgram& program = given.is_sparse() ? given : sparse_;
  answer.x.setZero(program.cols());
  answer.y.setZero(program.rows());
  answer.iterations = 0;
  form_.build(program);
  if (trivial(program, answer)) return;
  const InteriorPoint::Stop stop = method_.run(form_.form, stop_check());
  answer.iterations = method_.iterations();
  Eigen::VectorXd x, w;
  if (stop == InteriorPoint::Stop::kInside && balanced_point(method_, form_.form, x, w) &&
      accept_point(x, w, program, answer))
    return;
  if (stop == InteriorPoint::Stop::kSeparated && accept_motion(method_.y(), program, answer)) return;
  if (accept_motion(method_.y(), program, answer)) return;
  for (const double still : kNearlyStill)
    if (without_still_rows(still, program, answer)) return;
  for (const double idle : kIdle)
    if (without_idle_atoms(idle, program, answer)) return;
  form_.to_program(method_.x(), method_.w(), answer.x);
  answer.outcome = Outcome::kIterationLimit;
}

}  // namespace stiction::internal

namespace stiction {

std::unique_ptr<Engine> make_sparse_engine() { return std::make_unique<internal::SparseEngine>(); }

}  // namespace stiction
