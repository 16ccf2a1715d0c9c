// Sizes of contact accelerations under all loads of a part together: what finders and words take for zero, and what a
// prescribed acceleration that keeps rows is compared with.
#include <cmath>

#include "proof/judge_parts.hpp"
#include "stiction/proof.hpp"

namespace stiction {

using namespace internal;

/// (|J| A + |gamma|)_i with A_j = L / sqrt(M_jj), L^2 = sum of load_k^2 / M_kk in a part, load = max(|M a + F|, |F|).
static void compute_row_scales(const ContactProblem& p, const Eigen::VectorXd& a, JudgeScratch& s)
{
  s.load = p.F;
  s.rows = p.gamma;
  const Eigen::VectorXd diagonal = p.is_sparse() ? Eigen::VectorXd(p.sparse_M.diagonal()) : Eigen::VectorXd();
  if (p.is_sparse()) {
    s.load += p.sparse_M * a;
    s.rows += p.sparse_J * a;
  }
  for (Eigen::Index j = 0; j < p.nv() && !p.is_sparse(); ++j) {
    if (a[j] == 0.0) continue;
    s.load += a[j] * p.M.col(j);
    s.rows += a[j] * p.J.col(j);
  }
  s.scales.measure(p);
  const auto part = [&](Eigen::Index j) { return s.scales.part[static_cast<std::size_t>(j)]; };
  const auto inertia = [&](Eigen::Index j) { return p.is_sparse() ? diagonal[j] : p.M(j, j); };
  s.heaviest.setZero(s.scales.parts);
  s.squares.setZero(s.scales.parts);
  for (Eigen::Index j = 0; j < p.nv(); ++j) s.heaviest[part(j)] = std::max(s.heaviest[part(j)], inertia(j));
  const auto mass = [&](Eigen::Index j) {
    const double heaviest = s.heaviest[part(j)];
    return inertia(j) > 0.0 ? inertia(j) : heaviest > 0.0 ? heaviest : 1.0;
  };
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const double size = std::max(std::abs(s.load[j]), std::abs(p.F[j]));
    s.squares[part(j)] += size * size / mass(j);
  }
  const auto fastest = [&](Eigen::Index j) { return std::sqrt(s.squares[part(j)] / mass(j)); };
  s.row_scale = p.gamma.cwiseAbs();
  if (p.is_sparse()) {
    Eigen::VectorXd reach(p.nv());
    for (Eigen::Index j = 0; j < p.nv(); ++j) reach[j] = fastest(j);
    s.row_scale += p.sparse_J.cwiseAbs() * reach;
    return;
  }
  for (Eigen::Index j = 0; j < p.nv(); ++j) s.row_scale += fastest(j) * p.J.col(j).cwiseAbs();
}

namespace internal {

Eigen::Index row_that_leaves(const ContactProblem& p, const Eigen::VectorXd& a, JudgeScratch& s)
{
  if (p.gamma.lpNorm<1>() == 0.0 && a.lpNorm<1>() == 0.0) return -1;  // at rest
  compute_row_scales(p, a, s);
  Eigen::Index worst = -1;
  double most = 0.0;
  for (Eigen::Index i = 0; i < p.rows(); ++i) {
    const double excess = std::abs(s.rows[i]) - kConsistent * s.row_scale[i];
    if (!(excess <= most)) {
      worst = i;
      most = excess;
    }
  }
  return worst;
}

}  // namespace internal

void Judge::row_scales(const ContactProblem& problem, const Eigen::VectorXd& a, Eigen::VectorXd& scales)
{
  compute_row_scales(problem, a, *scratch_);
  scales = scratch_->row_scale;
}

Eigen::Index Judge::load_scales(const ContactProblem& problem, const Eigen::VectorXd& a, Eigen::VectorXd& load,
                                Eigen::VectorXd& scales)
{
  load = problem.F;
  scales = problem.F.cwiseAbs();
  for (Eigen::Index j = 0; j < problem.nv(); ++j) {
    if (a[j] == 0.0) continue;
    if (problem.is_sparse()) {
      load += a[j] * problem.sparse_M.row(j).transpose();
      scales += std::abs(a[j]) * problem.sparse_M.row(j).transpose().cwiseAbs();
      continue;
    }
    load += a[j] * problem.M.col(j);
    scales += std::abs(a[j]) * problem.M.col(j).cwiseAbs();
  }
  return row_that_leaves(problem, a, *scratch_);
}

}  // namespace stiction
