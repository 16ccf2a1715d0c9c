// docs/proofs/couplings.md
#include <algorithm>

#include "exact/motion_sizes.hpp"
#include "exact/questions.hpp"

namespace stiction::exact {
namespace {

enum class Role { kAbsent, kUnilateral, kBilateral };

MotionSizes acceleration_sizes(const Problem& p, bool up)
{
  Vector free(p.n, 0), loads(p.n), offset(p.m);
  for (std::size_t j = 0; j < p.n; ++j) {
    loads[j] = abs(p.F[j]);
    if (p.M[j][j] > 0) free[j] = loads[j] / p.M[j][j];
  }
  for (std::size_t r = 0; r < p.m; ++r) offset[r] = abs(p.gamma[r]);
  return motion_sizes(p, free, loads, offset, up);
}

Refusal couplings_hold(const Problem& p, const std::vector<Role>& roles, const Vector& a, const Vector& lambda)
{
  const MotionSizes size = acceleration_sizes(p, false);
  for (std::size_t j = 0; j < p.n; ++j) {
    const Vector forces = column(p.J, j);
    if (abs(a.at(j)) > kReach * size.motion[j]) return "an acceleration is beyond all proportion to the loads";
    if (abs(times(p.M[j], a) + p.F[j] - times(forces, lambda)) >
        kSolve * size.load[j] + kLastBits * sizes(forces, lambda))
      return "the forces do not balance the loads";
  }
  for (std::size_t r = 0; r < p.m; ++r) {
    const Q row = times(p.J[r], a) + p.gamma[r], still = kSolve * size.row[r];
    const bool zeros = std::ranges::all_of(p.J[r], [](const Q& entry) { return entry == 0; });
    if (!zeros && abs(lambda.at(r)) > kReach * size.force[r]) return "a force is beyond all proportion to the loads";
    if (roles[r] == Role::kAbsent && lambda[r] != 0) return "a row carries although it was left out";
    if (roles[r] == Role::kBilateral && abs(row) > still) return "a row is not kept";
    if (roles[r] == Role::kUnilateral && (lambda[r] < 0 || row < -still || (lambda[r] > 0 && row > still)))
      return "a row pulls, penetrates or pushes although it opens";
  }
  return "";
}

Refusal couplings_fail(const Problem& p, const std::vector<Role>& roles, const Vector& y)
{
  const MotionSizes size = acceleration_sizes(p, true);
  Q gain = 0;
  for (std::size_t r = 0; r < p.m; ++r) {
    if (roles[r] == Role::kAbsent ? y.at(r) != 0 : roles[r] == Role::kUnilateral && y.at(r) < 0)
      return "a row that does not take part, or pulls, is part of the contradiction";
    gain -= y[r] * p.gamma[r] + abs(y[r]) * kSolve * size.row[r];
  }
  for (std::size_t j = 0; j < p.n; ++j) gain -= abs(times(column(p.J, j), y)) * kReach * size.motion[j];
  return gain > 0 ? "" : "the rows do not contradict each other";
}

Refusal couplings_unbalanced(const Problem& p, const std::vector<Role>& roles, const Vector& d)
{
  const MotionSizes size = acceleration_sizes(p, true);
  Q gain = 0;
  for (std::size_t j = 0; j < p.n; ++j)
    gain -=
        d.at(j) * p.F[j] + abs(d[j]) * kSolve * size.load[j] + abs(times(column(p.M, j), d)) * kReach * size.motion[j];
  for (std::size_t r = 0; r < p.m; ++r) {
    if (roles[r] == Role::kAbsent) continue;
    const Q row = times(p.J[r], d), against = roles[r] == Role::kBilateral ? abs(row) : row < 0 ? Q(-row) : Q(0);
    gain -= (against + kLastBits * sizes(p.J[r], d)) * kReach * size.force[r];
  }
  return gain > 0 ? "" : "the load does not move anything that nothing holds";
}

}  // namespace

Refusal judge_couplings_report(const Json& report)
{
  const Json& certificate = report.at("certificate");
  const Problem p = read_problem(certificate);
  std::vector<Role> roles(p.m, Role::kAbsent);
  for (const auto& [list, role] : {std::pair{"unilateral", Role::kUnilateral}, {"bilateral", Role::kBilateral}})
    for (const Json& row : certificate.at(list)) {
      Role& its = roles.at(row.get<std::size_t>());
      if (its != Role::kAbsent) return "a row is listed twice";
      its = role;
    }
  const Vector a = vector(certificate.at("a")), lambda = vector(certificate.at("lambda"));
  if (report.at("verdict").get<std::string>() == "holds") return couplings_hold(p, roles, a, lambda);
  const bool unbalanced = certificate.at("kind").get<std::string>() == "unbalanced";
  return unbalanced ? couplings_unbalanced(p, roles, a) : couplings_fail(p, roles, lambda);
}

}  // namespace stiction::exact
