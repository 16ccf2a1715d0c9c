// Checks of frictionless motion with unilateral and bilateral rows (couplings): Gauss' principle and its contradictions.
#include <algorithm>
#include <cmath>
#include <string>

#include "proof/sums.hpp"
#include "stiction/couplings.hpp"

namespace stiction {

using namespace internal;

namespace {

enum class Role : char { kAbsent, kUnilateral, kBilateral };

bool roles_of(Eigen::Index rows, const std::vector<int>& unilateral, const std::vector<int>& bilateral,
              std::vector<Role>& roles)
{
  roles.assign(static_cast<std::size_t>(rows), Role::kAbsent);
  for (const auto& [list, role] : {std::pair{&unilateral, Role::kUnilateral}, std::pair{&bilateral, Role::kBilateral}})
    for (const int r : *list) {
      if (r < 0 || r >= rows) return false;
      roles[static_cast<std::size_t>(r)] = role;
    }
  return true;
}

}  // namespace

bool proves_contradiction(const ContactProblem& problem, const std::vector<int>& unilateral,
                          const std::vector<int>& bilateral, const Eigen::VectorXd& y)
{
  std::vector<Role> roles;
  if (y.size() != problem.rows() || !all_finite(y) || !roles_of(problem.rows(), unilateral, bilateral, roles)) return false;
  Sum drift;
  for (Eigen::Index r = 0; r < y.size(); ++r) {
    const Role role = roles[static_cast<std::size_t>(r)];
    if (role == Role::kAbsent ? y[r] != 0.0 : (role == Role::kUnilateral && y[r] < 0.0)) return false;
    drift.add(y[r], problem.gamma[r]);
  }
  for (Eigen::Index j = 0; j < problem.nv(); ++j) {
    Sum column;
    for (Eigen::Index r = 0; r < y.size(); ++r) column.add(y[r], problem.J(r, j));
    if (std::abs(column.value) > kRounding * column.scale) return false;
  }
  return drift.value < -kRounding * drift.scale;
}

bool proves_motion(const ContactProblem& problem, const std::vector<int>& unilateral, const std::vector<int>& bilateral,
                   const Eigen::VectorXd& a, const Eigen::VectorXd& lambda, std::string* why)
{
  std::vector<Role> roles;
  if (a.size() != problem.nv() || lambda.size() != problem.rows() || !all_finite(a) || !all_finite(lambda) ||
      !roles_of(problem.rows(), unilateral, bilateral, roles))
    return refuse(why, [] { return std::string("sizes or non-finite values"); });
  Eigen::VectorXd scales;
  Judge().row_scales(problem, a, scales);
  // Largest load over √M_ii, so that a residual counts by the acceleration that it would cause.
  long double size = 0.0L;
  for (Eigen::Index i = 0; i < problem.nv(); ++i)
    if (problem.M(i, i) > 0.0)
      size = std::max<long double>(size, std::max(std::abs(problem.F[i]), std::abs(problem.M.row(i).dot(a))) /
                                             std::sqrt(problem.M(i, i)));
  for (Eigen::Index i = 0; i < problem.nv(); ++i) {
    Sum sum;
    sum.add(problem.F[i]);
    for (Eigen::Index j = 0; j < problem.nv(); ++j) sum.add(problem.M(i, j), a[j]);
    for (Eigen::Index r = 0; r < problem.rows(); ++r) sum.add(-problem.J(r, i), lambda[r]);
    if (std::abs(sum.value) > kRounding * sum.scale + kSolve * size * std::sqrt(problem.M(i, i)))
      return refuse(why, [&] { return "degree of freedom " + std::to_string(i) + " is not balanced"; });
  }
  for (Eigen::Index r = 0; r < problem.rows(); ++r) {
    const auto refused = [&](const char* what) { return refuse(why, [&] { return "row " + std::to_string(r) + what; }); };
    const Role role = roles[static_cast<std::size_t>(r)];
    Sum sum;
    sum.add(problem.gamma[r]);
    for (Eigen::Index j = 0; j < problem.nv(); ++j) sum.add(problem.J(r, j), a[j]);
    const long double allowed = kSolve * scales[r];
    if (role == Role::kAbsent) {
      if (lambda[r] != 0.0) return refused(" carries although it was left out");
    } else if (role == Role::kBilateral) {
      if (std::abs(sum.value) > allowed) return refused(" is not kept");
    } else {
      if (lambda[r] < 0.0) return refused(" pulls");
      if (sum.value < -allowed) return refused(" penetrates");
      if (lambda[r] > 0.0 && sum.value > allowed) return refused(" pushes although it opens");
    }
  }
  return true;
}

}  // namespace stiction
