// Iterative refinement of an acceleration and its forces: engines solve to about 1e-13, proofs about systems that move
// want more.
#include <algorithm>
#include <cmath>

#include "ask/sticking_workspace.hpp"
#include "base/numerics.hpp"

namespace stiction {

/// Newton's step on M a + F = J'λ and J a + gamma = 0 for the rows that keep still, with residuals in extended
/// precision. Rows that depend on each other to rounding share what is left by the step of least norm. Contacts that
/// open carry nothing.
void StickingChecker::Workspace::refine(Eigen::VectorXd& a, Eigen::VectorXd& lambda) const
{
  const ContactProblem& p = *problem;
  std::vector<int> kept = equality_rows, loaded;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    if (!detaching[i] && std::ranges::find(equality_rows, c.row) == equality_rows.end()) kept.push_back(c.row);
    for (int r = c.row; !detaching[i] && r < c.row + c.rows(); ++r) loaded.push_back(r);
  }
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r) loaded.push_back(r);

  const Eigen::Index n = p.nv(), rows = static_cast<Eigen::Index>(kept.size()),
                     forces = static_cast<Eigen::Index>(loaded.size());
  const Eigen::VectorXd unit = p.M.diagonal().unaryExpr([](double m) { return m > 0.0 ? 1.0 / std::sqrt(m) : 1.0; });
  const Eigen::MatrixXd J = p.J * unit.asDiagonal();
  Eigen::VectorXd row_unit(p.rows());
  for (Eigen::Index r = 0; r < p.rows(); ++r) {
    const double reach = J.row(r).lpNorm<Eigen::Infinity>();
    row_unit[r] = reach > 0.0 ? 1.0 / reach : 1.0;
  }
  const Eigen::MatrixXd unit_J = row_unit.asDiagonal() * J;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + rows, n + forces);
  A.topLeftCorner(n, n) = unit.asDiagonal() * p.M * unit.asDiagonal();
  A.topRightCorner(n, forces) = -unit_J(loaded, Eigen::all).transpose();
  A.bottomLeftCorner(rows, n) = unit_J(kept, Eigen::all);
  const internal::LeastNorm solver(A, internal::kDependent);

  Eigen::VectorXd left(n + rows);
  for (int pass = 0; pass < 3; ++pass) {
    for (Eigen::Index i = 0; i < n; ++i) {
      long double sum = p.F[i];
      for (Eigen::Index j = 0; j < n; ++j) sum += static_cast<long double>(p.M(i, j)) * a[j];
      for (Eigen::Index r = 0; r < p.rows(); ++r) sum -= static_cast<long double>(p.J(r, i)) * lambda[r];
      left[i] = static_cast<double>(sum * unit[i]);
    }
    for (Eigen::Index k = 0; k < rows; ++k) {
      const int r = kept[static_cast<std::size_t>(k)];
      long double sum = p.gamma[r];
      for (Eigen::Index j = 0; j < n; ++j) sum += static_cast<long double>(p.J(r, j)) * a[j];
      left[n + k] = static_cast<double>(sum * row_unit[r]);
    }
    const Eigen::VectorXd step = solver.solve(left);
    for (Eigen::Index j = 0; j < n; ++j) a[j] -= step[j] * unit[j];
    for (Eigen::Index k = 0; k < forces; ++k) {
      const int r = loaded[static_cast<std::size_t>(k)];
      lambda[r] -= step[n + k] * row_unit[r];
    }
  }
}

}  // namespace stiction
