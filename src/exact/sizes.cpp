#include "exact/sizes.hpp"

#include <algorithm>

namespace stiction::exact {
namespace {

const Q kSafelyDefiniteSquared = Q(1, 10'000'000'000);  // square of a pivot of M with a unit diagonal
const Q kSwingRounding = Q(102, 100);
constexpr std::size_t kOneBody = 6;  // in so small a system the contacts of a part share its lever arms

/// M^-1 of a part; none where it is not safely definite.
bool invert_part(const Problem& p, std::size_t k, Sizes& s)
{
  std::vector<std::size_t> own;
  for (std::size_t j = 0; j < p.n; ++j)
    if (s.part[j] == k) own.push_back(j);
  Matrix M(own.size(), Vector(own.size()));
  for (std::size_t i = 0; i < own.size(); ++i)
    for (std::size_t j = 0; j < own.size(); ++j) M[i][j] = p.M[own[i]][own[j]];
  const std::optional<Matrix> found = inverse(M, kSafelyDefiniteSquared);
  for (std::size_t i = 0; i < own.size() && found; ++i)
    for (std::size_t j = 0; j < own.size(); ++j) s.inverse[own[i]][own[j]] = (*found)[i][j];
  return found.has_value();
}

/// Degrees of freedom connected by entries of M, contacts, loops, or one joint.
void find_parts(const Problem& p, Sizes& s)
{
  s.part.assign(p.n, 0);
  s.row_part.assign(p.m, 0);
  for (std::size_t j = 0; j < p.n; ++j) s.part[j] = j;
  const auto join = [&](std::size_t i, std::size_t j) {
    const std::size_t from = s.part[i], to = s.part[j];
    for (std::size_t& its : s.part)
      if (its == from) its = to;
  };
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (p.M[i][j] != 0 || p.M[j][i] != 0) join(i, j);
  for (std::size_t j = 1; j < p.joints.size(); ++j)
    if (p.joints[j] == p.joints[j - 1]) join(j, j - 1);
  const auto join_rows = [&](std::size_t first, std::size_t count) {
    std::optional<std::size_t> touched;
    for (std::size_t j = 0; j < p.n; ++j)
      for (std::size_t r = first; r < first + count; ++r)
        if (p.J[r][j] != 0) {
          if (touched) join(*touched, j);
          touched = j;
        }
    for (std::size_t r = first; touched && r < first + count; ++r) s.row_part[r] = *touched;
  };
  for (const Contact& c : p.contacts) join_rows(c.row, c.end() - c.row);
  for (const Loop& c : p.loops) join_rows(c.row, c.rows);
  for (std::size_t& r : s.row_part) r = s.part[r];
  s.parts = p.n;  // some are empty
}

}  // namespace

Sizes measure(const Problem& p)
{
  Sizes s;
  find_parts(p, s);
  s.lever.assign(p.n, 0);
  s.reach.assign(p.contacts.size(), Vector(p.n, 0));
  for (std::size_t i = 0; i < p.contacts.size(); ++i)
    for (std::size_t j = 0; j < p.n; ++j) {
      for (std::size_t r = p.contacts[i].row; r < p.contacts[i].last(); ++r)
        s.reach[i][j] = std::max<Q>(s.reach[i][j], abs(p.J[r][j]));
      s.lever[j] = std::max(s.lever[j], s.reach[i][j]);
    }
  for (std::size_t i = 0; i < p.contacts.size() && p.n <= kOneBody; ++i)
    for (std::size_t j = 0; j < p.n; ++j)
      if (s.part[j] == s.row_part[p.contacts[i].row]) s.reach[i][j] = s.lever[j];
  for (std::size_t j = 0; j < p.n; ++j) {
    if (s.lever[j] != 0) continue;  // where no contact reaches, loops and torsion set the unit
    for (std::size_t r = 0; r < p.m; ++r) s.lever[j] = std::max<Q>(s.lever[j], abs(p.J[r][j]));
  }
  s.weight.assign(p.m, 0);
  const auto weigh = [&](const Vector& entries) {
    Q largest = 0;
    for (std::size_t j = 0; j < p.n; ++j)
      if (s.lever[j] > 0) largest = std::max<Q>(largest, abs(entries[j]) / s.lever[j]);
    return largest;
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    for (std::size_t r = c.row; r < c.last(); ++r) s.weight[r] = weigh(s.reach[i]);
    if (c.torsional) s.weight[c.last()] = weigh(p.J[c.last()]);
  }
  p.every_loop_row([&](std::size_t r) { s.weight[r] = weigh(p.J[r]); });
  s.force.assign(s.parts, 0);
  s.drift.assign(s.parts, 0);
  return s;
}

void measure_loads(const Problem& p, const Vector& load, Sizes& s)
{
  s.force.assign(s.parts, 0);
  const auto count = [&](std::size_t j, const Q& newtons) {
    if (s.lever[j] > 0) s.force[s.part[j]] += abs(newtons) / s.lever[j];
  };
  for (std::size_t j = 0; j < p.n; ++j) count(j, load[j]);
  for (const Motor& motor : p.motors) {
    if (motor.lower && *motor.lower > 0) count(motor.dof, *motor.lower);
    if (motor.upper && *motor.upper < 0) count(motor.dof, *motor.upper);
  }
}

void measure_forces(const Problem& p, Sizes& s)
{
  for (std::size_t r = 0; r < p.m; ++r)
    if (s.weight[r] > 0) s.drift[s.row_part[r]] = std::max<Q>(s.drift[s.row_part[r]], abs(p.gamma[r]) / s.weight[r]);
  for (std::size_t j = 0; j < p.n; ++j) {
    Q& force = s.force[s.part[j]];
    if (s.lever[j] > 0) {
      force += (abs(p.F[j]) + p.M[j][j] * s.drift[s.part[j]] / s.lever[j]) / s.lever[j];
    } else if (p.M[j][j] > 0 && p.F[j] != 0) {
      for (std::size_t i = 0; i < p.n; ++i)
        if (s.lever[i] > 0) force += abs(p.M[i][j]) / p.M[j][j] * abs(p.F[j]) / s.lever[i];
    }
  }
}

void measure_accelerations(const Problem& p, Sizes& s)
{
  s.inverse.assign(p.n, Vector(p.n, 0));
  s.swing.assign(p.n, -1);
  s.definite.assign(s.parts, false);
  for (std::size_t k = 0; k < s.parts; ++k) s.definite[k] = invert_part(p, k, s);
  Vector energy(s.parts, 0), fastest = s.drift, own(p.n, 0);
  for (std::size_t j = 0; j < p.n; ++j) {
    const std::size_t k = s.part[j];
    if (!(p.M[j][j] > 0)) continue;
    const Q asked = s.lever[j] > 0 ? Q(s.drift[k] / s.lever[j]) : Q(0);
    energy[k] += p.M[j][j] * asked * asked;
    energy[k] += s.definite[k] ? Q(p.F[j] * times(s.inverse[j], p.F)) : Q(p.F[j] * p.F[j] / p.M[j][j]);
    if (s.definite[k]) s.swing[j] = root_up(s.inverse[j][j]);
  }
  for (std::size_t j = 0; j < p.n; ++j) {
    if (!(p.M[j][j] > 0)) continue;
    own[j] = root_up(energy[s.part[j]]) * (s.swing[j] >= 0 ? Q(kSwingRounding * s.swing[j]) : root_up(1 / p.M[j][j]));
    fastest[s.part[j]] = std::max<Q>(fastest[s.part[j]], s.lever[j] * own[j]);
  }
  s.acceleration = own;
  for (std::size_t j = 0; j < p.n; ++j) {
    if (s.lever[j] > 0) s.acceleration[j] = std::max<Q>(s.acceleration[j], fastest[s.part[j]] / s.lever[j]);
    s.acceleration[j] *= p.M[j][j] > 0 ? kAccelerations : kMasslessAccelerations;
  }
}

Q Sizes::load_reach(const Problem& p, std::size_t j) const
{
  Q sum = 0;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    sum += 2 * reach[i][j] * row_force(c.row);
    if (c.torsional) sum += abs(p.J[c.last()][j]) * row_force(c.last());
  }
  p.every_loop_row([&](std::size_t r) { sum += abs(p.J[r][j]) * row_force(r); });
  return sum;
}

}  // namespace stiction::exact
