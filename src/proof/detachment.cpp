#include "proof/detachment.hpp"

#include <algorithm>

#include "proof/judge_parts.hpp"

namespace stiction {

ContactProblem problem_without(const ContactProblem& problem, const std::vector<int>& leaving)
{
  ContactProblem rest = problem;
  rest.contacts.clear();
  Eigen::Index rows = 0;
  const auto keep = [&](int first, int count) {
    for (int r = first; r < first + count; ++r, ++rows) {
      rest.J.row(rows) = problem.J.row(r);
      rest.gamma[rows] = problem.gamma[r];
    }
    return static_cast<int>(rows) - count;
  };
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    if (std::ranges::binary_search(leaving, static_cast<int>(i))) continue;
    rest.contacts.push_back(problem.contacts[i]);
    rest.contacts.back().row = keep(problem.contacts[i].row, problem.contacts[i].rows());
  }
  for (LoopConstraint& closure : rest.loops) closure.row = keep(closure.row, closure.rows);
  rest.J.conservativeResize(rows, Eigen::NoChange);
  rest.gamma.conservativeResize(rows);
  return rest;
}

namespace internal {

bool may_leave(const ContactProblem& problem, const std::vector<int>& leaving, std::string* why)
{
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    const int contact = leaving[i];
    if (contact < 0 || contact >= static_cast<int>(problem.contacts.size()) || (i > 0 && contact <= leaving[i - 1]) ||
        problem.contacts[static_cast<std::size_t>(contact)].side != Side::kUnilateral)
      return refuse(why, [] { return std::string("the contacts that leave are not unilateral ones in their order"); });
  }
  return true;
}

bool covers_every_mode(const ContactProblem& problem, const std::vector<Certificate>& modes, std::string* why)
{
  std::vector<int> bit(problem.contacts.size(), 0);
  int free = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (problem.contacts[i].side == Side::kUnilateral) bit[i] = free++;
  const auto missing = [&] {
    return refuse(why, [] { return std::string("the modes do not cover every way to leave"); });
  };
  if (free > kMostLeaving) return missing();
  std::vector<char> covered(std::size_t{1} << free, 0);
  for (const Certificate& mode : modes) {
    std::size_t index = 0;
    for (const int contact : mode.leaving) index |= std::size_t{1} << bit[static_cast<std::size_t>(contact)];
    covered[index] = 1;
  }
  return std::ranges::all_of(covered, [](char one) { return one != 0; }) || missing();
}

bool leaves_with_forces(const ContactProblem& problem, const ConeShape& shape, const Certificate& certificate,
                        Judge& judge, std::string* why)
{
  if (!may_leave(problem, certificate.leaving, why) || !given(certificate.a, problem.nv(), "a", why) ||
      !given(certificate.lambda, problem.rows(), "lambda", why))
    return false;
  std::vector<char> gone(static_cast<std::size_t>(problem.rows()), 0);
  for (const int contact : certificate.leaving) {
    const Contact& c = problem.contacts[static_cast<std::size_t>(contact)];
    for (int r = c.row; r < c.row + c.rows(); ++r) {
      gone[static_cast<std::size_t>(r)] = 1;
      if (certificate.lambda[r] != 0.0)
        return refuse(why, [&] { return "contact " + c.name + " leaves, but carries a force"; });
    }
    Sum opening = row_sum(problem, certificate.a, c.row);
    opening.add(problem.gamma[c.row]);
    if (!(opening.value >= -static_cast<long double>(kAtRest) * opening.scale))
      return refuse(why, [&] { return "contact " + c.name + " leaves, but into its surface"; });
  }
  Certificate stays{CertificateKind::kForces, certificate.a, {}, {}};
  const ContactProblem rest = problem_without(problem, certificate.leaving);
  stays.lambda.resize(rest.rows());
  const auto copy = [&](int from, int to, int count) {
    stays.lambda.segment(to, count) = certificate.lambda.segment(from, count);
  };
  std::size_t next = 0;
  for (const Contact& c : problem.contacts)
    if (!gone[static_cast<std::size_t>(c.row)]) copy(c.row, rest.contacts[next++].row, c.rows());
  for (std::size_t i = 0; i < problem.loops.size(); ++i)
    copy(problem.loops[i].row, rest.loops[i].row, problem.loops[i].rows);
  return judge(rest, {shape, Detachment::kForbidden}, stays, why) == Verdict::kHolds;
}

}  // namespace internal
}  // namespace stiction
