// Whether the acceleration is unique (section 4, step 2 of the spec).
#include <cmath>

#include "ask/sticking_workspace.hpp"
#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "proof/scales.hpp"

namespace stiction {

using namespace internal;

/// Cholesky of M in coordinates with a unit diagonal, where the pivots tell definiteness whatever the units.
void StickingChecker::Workspace::factor_mass()
{
  const ContactProblem& p = *problem;
  const auto nv = p.nv();
  unit_mass = p.M;
  mass_scale.resize(nv);
  imbalance.resize(nv);
  for (Eigen::Index i = 0; i < nv; ++i) {
    mass_scale[i] = p.M(i, i) > 0.0 ? 1.0 / std::sqrt(p.M(i, i)) : 0.0;
    unit_mass.row(i) *= mass_scale[i];
    unit_mass.col(i) *= mass_scale[i];
  }
  mass_definite = mass_cholesky.compute(unit_mass) > kSafelyDefinite;
}

/// Two solutions differ by d with M d = 0, F'd = 0, Je d = 0 and Ju d >= 0 on the closed contacts (P1, P8 iii); unique
/// iff only d = 0 does that. M > 0 settles it at once.
bool StickingChecker::Workspace::acceleration_unique()
{
  if (mass_definite) return true;
  const ContactProblem& p = *problem;
  const auto nv = p.nv();
  Eigen::MatrixXd stack(nv + gauss.Je.rows(), nv);
  stack << p.M, gauss.Je;
  for (Eigen::Index r = 0; r < stack.rows(); ++r) {
    const double size = stack.row(r).norm();
    if (size > 0.0) stack.row(r) /= size;
  }
  const ColumnSpan span = column_span(stack.transpose(), kRank);
  if (span.rank == nv) return true;
  const Eigen::MatrixXd Z = span.complement();

  std::vector<int> closed;  // inequality rows that touch
  for (size_t i = 0, k = 0; i < p.contacts.size(); ++i) {
    if (k < inequality_rows.size() && inequality_rows[k] == p.contacts[i].row) {
      if (!detaching[i]) closed.push_back(static_cast<int>(k));
      ++k;
    }
  }
  Eigen::MatrixXd A(closed.size(), Z.cols());
  for (size_t i = 0; i < closed.size(); ++i) {
    A.row(i) = gauss.Ju.row(closed[i]) * Z;
    const double size = gauss.Ju.row(closed[i]).norm();
    if (size > 0.0) A.row(i) /= size;
  }
  if (closed.empty()) return false;
  if (column_rank(A, kRank) < Z.cols()) return false;  // moves along all closed contacts; F does no work there
  // A pointed cone: is there a d with A d = s >= 0, sum s = 1, F'd = 0?
  ConeProgram& program = extended;
  const auto k = A.rows(), z = Z.cols();
  program.E.setZero(k + 2, z + k);
  program.E.topLeftCorner(k, z) = A;
  program.E.block(0, z, k, k) = -Eigen::MatrixXd::Identity(k, k);
  program.E.row(k).head(z) = p.F.transpose() * Z;
  program.E.row(k + 1).tail(k).setOnes();
  program.e.setZero(k + 2);
  program.e[k + 1] = 1.0;
  program.e_scale.resize(0);
  program.cones.clear();
  program.boxes.clear();
  program.free.clear();
  for (Eigen::Index j = 0; j < z; ++j) program.free.push_back(static_cast<int>(j));
  for (Eigen::Index j = 0; j < k; ++j) program.boxes.push_back({static_cast<int>(z + j), 0.0, kInfinity});
  // F'd is a sum of non-negative terms λ_i s_i: rounding of F itself must not count
  program.E.row(k) = program.E.row(k).unaryExpr(
      [&](double x) { return std::abs(x) <= kProductRounding * p.F.lpNorm<Eigen::Infinity>() ? 0.0 : x; });
  return internal::decide(*search.engine, program, judge_claim, search.answer) == Verdict::kFails;
}

}  // namespace stiction
