#include "solve/proximal_qp.hpp"

#include <algorithm>

#include "base/linear_algebra.hpp"

namespace stiction::internal {
namespace {

constexpr double kSingular = 1e-9;  // share of the largest eigenvalue below which the proximal term is needed
constexpr double kProximal = 1e-7;  // small: each step shrinks what an eigenvalue l still lacks by rho / (l + rho)
constexpr int kProximalSteps = 40;
constexpr double kSettled = 1e-11;
constexpr double kLeastCurvature = 1e-3;  // of programs whose rows have unit length: what is flatter is flat

}  // namespace

bool ProximalQp::solve(const Eigen::MatrixXd& H, const Eigen::VectorXd& g, const Eigen::MatrixXd& C,
                       const Eigen::VectorXd& lower, Steps steps)
{
  const auto n = static_cast<int>(g.size()), rows = static_cast<int>(C.rows());
  w = Eigen::VectorXd::Zero(n);
  multipliers = Eigen::VectorXd::Zero(rows);
  active.clear();
  iterations = 0;
  const Eigen::VectorXd curvatures = symmetric_eigenvalues(H);
  const double largest = std::max(curvatures.maxCoeff(), kLeastCurvature);
  const bool proximal = steps == Steps::kAlways || !(curvatures.minCoeff() > kSingular * largest);
  const double rho = proximal ? kProximal * largest : 0.0;

  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor hessian = H + rho * Eigen::MatrixXd::Identity(n, n), constraints = C;
  QuietQpoases qp(n, rows, qpOASES::HST_POSDEF, reliable_options());
  Eigen::VectorXd dual = Eigen::VectorXd::Zero(n + rows), working_set = dual;
  // Explicit infinities: without far bounds a hotstart reads null pointers.
  const Eigen::VectorXd infinity = Eigen::VectorXd::Constant(std::max(n, rows), qpOASES::INFTY), minus = -infinity;
  const bool solved = qp.run([&](qpOASES::QProblem& problem) {
    for (int step = 0; step < (proximal ? kProximalSteps : 1); ++step) {
      const Eigen::VectorXd gradient = g - rho * w;
      qpOASES::int_t recalculations = 500 + 20 * (n + rows);  // in: allowed, out: made
      const qpOASES::returnValue status =
          step == 0 ? problem.init(hessian.data(), gradient.data(), constraints.data(), minus.data(), infinity.data(),
                                   lower.data(), infinity.data(), recalculations)
                    : problem.hotstart(gradient.data(), minus.data(), infinity.data(), lower.data(), infinity.data(),
                                       recalculations);
      iterations += static_cast<int>(recalculations);
      if (status != qpOASES::SUCCESSFUL_RETURN) return step > 0;  // the last step's point is good enough to polish
      Eigen::VectorXd next(n);
      problem.getPrimalSolution(next.data());
      problem.getDualSolution(dual.data());
      problem.getWorkingSet(working_set.data());
      const double moved = (next - w).norm();
      w = next;
      if (moved <= kSettled * (1.0 + w.norm())) break;
    }
    return true;
  });
  for (int i = 0; i < rows; ++i) {
    if (working_set[n + i] == 0.0) continue;
    active.push_back(i);
    multipliers[i] = std::max(dual[n + i], 0.0);
  }
  return solved && w.allFinite() && multipliers.allFinite();
}

}  // namespace stiction::internal
