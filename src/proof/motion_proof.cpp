// Checks of frictionless motion with unilateral and bilateral rows (couplings): Gauss' principle and its
// contradictions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "proof/motion_bounds.hpp"
#include "proof/sums.hpp"
#include "stiction/proof/couplings.hpp"

namespace stiction {

using namespace internal;

namespace {

enum class Role : char { kAbsent, kUnilateral, kBilateral };

/// False unless the lists are rows of J, each of them once.
bool roles_of(Eigen::Index rows, const std::vector<int>& unilateral, const std::vector<int>& bilateral,
              std::vector<Role>& roles)
{
  roles.assign(static_cast<std::size_t>(rows), Role::kAbsent);
  for (const auto& [list, role] : {std::pair{&unilateral, Role::kUnilateral}, std::pair{&bilateral, Role::kBilateral}})
    for (const int r : *list) {
      if (r < 0 || r >= rows || roles[static_cast<std::size_t>(r)] != Role::kAbsent) return false;
      roles[static_cast<std::size_t>(r)] = role;
    }
  return true;
}

/// Share of its absolute terms that a sum over rows or degrees of freedom may be off.
long double rounding_of_sums(const ContactProblem& problem)
{
  return 4.0L * std::numeric_limits<long double>::epsilon() *
         static_cast<long double>(problem.rows() + problem.nv() + 1);
}

/// (J a + γ)_r
Sum row_of(const ContactProblem& problem, const Eigen::VectorXd& a, Eigen::Index r)
{
  Sum sum;
  sum.add(problem.gamma[r]);
  for (Eigen::Index j = 0; j < problem.nv(); ++j) sum.add(problem.J(r, j), a[j]);
  return sum;
}

bool balances(const ContactProblem& problem, const MotionBounds& bounds, const Eigen::VectorXd& a,
              const Eigen::VectorXd& lambda, std::string* why)
{
  for (Eigen::Index i = 0; i < problem.nv(); ++i) {
    Sum sum, forces;
    sum.add(problem.F[i]);
    for (Eigen::Index j = 0; j < problem.nv(); ++j) sum.add(problem.M(i, j), a[j]);
    for (Eigen::Index r = 0; r < problem.rows(); ++r) forces.add(-problem.J(r, i), lambda[r]);
    if (!(std::abs(sum.value + forces.value) <= kSolve * bounds.load[i] + kLastBits * forces.scale))
      return refuse(why, [&] { return "degree of freedom " + std::to_string(i) + " is not balanced"; });
  }
  return true;
}

bool within_reach(const MotionBounds& bounds, const Eigen::VectorXd& a, const Eigen::VectorXd& lambda, std::string* why)
{
  for (Eigen::Index j = 0; j < a.size(); ++j)
    if (!(std::abs(a[j]) <= kReach * bounds.motion[j]))
      return refuse(why,
                    [&] { return "degree of freedom " + std::to_string(j) + " is faster than the loads explain"; });
  for (Eigen::Index r = 0; r < lambda.size(); ++r)
    if (bounds.force[r] > 0.0 && !(std::abs(lambda[r]) <= kReach * bounds.force[r]))
      return refuse(why, [&] { return "row " + std::to_string(r) + " carries more than the loads explain"; });
  return true;
}

}  // namespace

bool proves_contradiction(const ContactProblem& problem, const std::vector<int>& unilateral,
                          const std::vector<int>& bilateral, const Eigen::VectorXd& y)
{
  std::vector<Role> roles;
  if (y.size() != problem.rows() || !all_finite(y) || !roles_of(problem.rows(), unilateral, bilateral, roles))
    return false;
  const MotionBounds bounds = acceleration_bounds(problem);
  // For every a within reach that keeps the rows to kSolve: y'γ = y'(J a + γ) - (J'y)'a >= -missed - moved.
  const long double last_bit = rounding_of_sums(problem);
  Sum drift;
  long double charge = 0.0L;
  for (Eigen::Index r = 0; r < y.size(); ++r) {
    const Role role = roles[static_cast<std::size_t>(r)];
    if (role == Role::kAbsent ? y[r] != 0.0 : (role == Role::kUnilateral && y[r] < 0.0)) return false;
    drift.add(y[r], problem.gamma[r]);
    charge += std::abs(static_cast<long double>(y[r])) * (kSolve + kReach * last_bit) * bounds.row[r];
  }
  for (Eigen::Index j = 0; j < problem.nv(); ++j) {
    Sum column;
    for (Eigen::Index r = 0; r < y.size(); ++r) column.add(y[r], problem.J(r, j));
    charge += (std::abs(column.value) + last_bit * column.scale) * kReach * bounds.motion[j];
  }
  return std::isfinite(charge) && -drift.value - last_bit * drift.scale > kBoundRounding * charge;
}

bool proves_imbalance(const ContactProblem& problem, const std::vector<int>& unilateral,
                      const std::vector<int>& bilateral, const Eigen::VectorXd& d)
{
  std::vector<Role> roles;
  if (d.size() != problem.nv() || !all_finite(d) || !roles_of(problem.rows(), unilateral, bilateral, roles))
    return false;
  const MotionBounds bounds = acceleration_bounds(problem);
  // For every a and λ within reach with residual M a + F - J'λ = ρ:  F'd = ρ'd - (M'd)'a + λ'J d >= -charge: M may be
  // unsymmetric to rounding.
  const long double last_bit = rounding_of_sums(problem);
  Sum work;
  long double charge = 0.0L;
  for (Eigen::Index i = 0; i < problem.nv(); ++i) {
    work.add(d[i], problem.F[i]);
    Sum inertia;
    for (Eigen::Index j = 0; j < problem.nv(); ++j) inertia.add(problem.M(j, i), d[j]);
    charge += (std::abs(inertia.value) + last_bit * inertia.scale) * kReach * bounds.motion[i];
    charge += std::abs(static_cast<long double>(d[i])) * (kSolve + kReach * last_bit) * bounds.load[i];
  }
  for (Eigen::Index r = 0; r < problem.rows(); ++r) {
    const Role role = roles[static_cast<std::size_t>(r)];
    if (role == Role::kAbsent) continue;
    Sum row;
    for (Eigen::Index j = 0; j < problem.nv(); ++j) row.add(problem.J(r, j), d[j]);
    if (row.scale > 0.0L && !(bounds.force[r] > 0.0)) return false;  // nothing bounds what it carries
    const long double against = role == Role::kUnilateral ? std::max(0.0L, -row.value) : std::abs(row.value);
    charge += (against + (kLastBits + last_bit) * row.scale) * kReach * bounds.force[r];
  }
  return std::isfinite(charge) && -work.value - last_bit * work.scale > kBoundRounding * charge;
}

bool proves_motion(const ContactProblem& problem, const std::vector<int>& unilateral, const std::vector<int>& bilateral,
                   const Eigen::VectorXd& a, const Eigen::VectorXd& lambda, std::string* why)
{
  std::vector<Role> roles;
  if (a.size() != problem.nv() || lambda.size() != problem.rows() || !all_finite(a) || !all_finite(lambda) ||
      !roles_of(problem.rows(), unilateral, bilateral, roles))
    return refuse(why, [] { return std::string("sizes, rows listed twice, or non-finite values"); });
  const MotionBounds bounds = acceleration_bounds(problem);
  if (!all_finite(bounds.load) || !all_finite(bounds.row))
    return refuse(why, [] { return std::string("numbers too large"); });
  if (!within_reach(bounds, a, lambda, why) || !balances(problem, bounds, a, lambda, why)) return false;
  for (Eigen::Index r = 0; r < problem.rows(); ++r) {
    const auto refused = [&](const char* what) {
      return refuse(why, [&] { return "row " + std::to_string(r) + what; });
    };
    const Role role = roles[static_cast<std::size_t>(r)];
    const Sum sum = row_of(problem, a, r);
    const long double allowed = kSolve * static_cast<long double>(bounds.row[r]);
    if (role == Role::kAbsent) {
      if (lambda[r] != 0.0) return refused(" carries although it was left out");
    } else if (role == Role::kBilateral) {
      if (!(std::abs(sum.value) <= allowed)) return refused(" is not kept");
    } else {
      if (lambda[r] < 0.0) return refused(" pulls");
      if (!(sum.value >= -allowed)) return refused(" penetrates");
      if (lambda[r] > 0.0 && !(sum.value <= allowed)) return refused(" pushes although it opens");
    }
  }
  return true;
}

}  // namespace stiction
