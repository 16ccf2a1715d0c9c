#include "exact/motion_sizes.hpp"

#include <algorithm>
#include <optional>

namespace stiction::exact {
namespace {

const Q kNoLeverSquared = power_of_two(-80);  // of a row's entry over that of its largest, in units of the root of M

std::optional<std::size_t> first_dof(const Vector& row)
{
  for (std::size_t j = 0; j < row.size(); ++j)
    if (row[j] != 0) return j;
  return {};
}

/// Degrees of freedom that M, rows or contacts connect.
std::vector<std::size_t> connected(const Problem& p)
{
  std::vector<std::size_t> set(p.n);
  for (std::size_t j = 0; j < p.n; ++j) set[j] = j;
  const auto join = [&](std::size_t i, std::size_t j) {
    const std::size_t from = set[i], to = set[j];
    std::ranges::replace(set, from, to);
  };
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t j = 0; j < p.n; ++j)
      if (p.M[i][j] != 0) join(i, j);
  const auto join_rows = [&](std::size_t begin, std::size_t end) {
    std::optional<std::size_t> known;
    for (std::size_t r = begin; r < end; ++r)
      for (std::size_t j = 0; j < p.n; ++j)
        if (p.J[r][j] != 0) join(j, known.value_or(j)), known = j;
  };
  for (std::size_t r = 0; r < p.m; ++r) join_rows(r, r + 1);
  for (const Contact& c : p.contacts) join_rows(c.row, c.end());
  return set;
}

/// C_j: the longest lever of a column. Torsion rows, which are no velocities of points, count with their radius and
/// only where there is no other.
Vector longest_levers(const Problem& p)
{
  Vector radius(p.m, 0), levers(p.n, 0), spins(p.n, 0);
  for (const Contact& c : p.contacts)
    if (c.torsional) radius[c.last()] = c.torsion > 0 ? c.torsion : Q(1);
  for (std::size_t r = 0; r < p.m; ++r) {
    Q largest = 0;  // square of the largest entry in units of the root of M
    for (std::size_t j = 0; j < p.n; ++j)
      if (p.M[j][j] > 0) largest = std::max<Q>(largest, p.J[r][j] * p.J[r][j] / p.M[j][j]);
    for (std::size_t j = 0; j < p.n; ++j)
      if (!(p.M[j][j] > 0) || p.J[r][j] * p.J[r][j] > kNoLeverSquared * largest * p.M[j][j]) {
        Q& longest = radius[r] > 0 ? spins[j] : levers[j];
        longest = std::max<Q>(longest, abs(p.J[r][j]) * (radius[r] > 0 ? radius[r] : Q(1)));
      }
  }
  for (std::size_t j = 0; j < p.n; ++j)
    if (levers[j] == 0) levers[j] = spins[j];
  return levers;
}

}  // namespace

MotionSizes motion_sizes(const Problem& p, const Vector& free, const Vector& applied, const Vector& offset, bool up)
{
  const std::vector<std::size_t> set = connected(p);
  const Vector lever = longest_levers(p);
  Vector root, other;  // of the diagonal of M, rounded this way and the other
  for (std::size_t j = 0; j < p.n; ++j) {
    root.push_back(up ? root_up(p.M[j][j]) : root_down(p.M[j][j]));
    other.push_back(up ? root_down(p.M[j][j]) : root_up(p.M[j][j]));
  }
  // Per set: the speed of its rows, the same in units of the root of M, and then the force.
  Vector speed(p.n, 0), momentum(p.n, 0), force(p.n, 0), weight(p.m, 0);
  for (std::size_t j = 0; j < p.n; ++j) {
    speed[set[j]] += lever[j] * free[j];
    momentum[set[j]] += root[j] * free[j];
  }
  for (std::size_t r = 0; r < p.m; ++r) {
    std::optional<Q> least;  // 1 over the largest entry in units of the root of M
    for (std::size_t j = 0; j < p.n; ++j) {
      if (p.J[r][j] == 0) continue;
      if (lever[j] > 0) weight[r] = std::max<Q>(weight[r], abs(p.J[r][j]) / lever[j]);
      if (root[j] > 0) least = std::min<Q>(least.value_or(root[j] / abs(p.J[r][j])), root[j] / abs(p.J[r][j]));
    }
    if (offset[r] == 0) continue;
    if (weight[r] > 0) speed[set[*first_dof(p.J[r])]] += offset[r] / weight[r];
    if (least) momentum[set[*first_dof(p.J[r])]] += offset[r] * *least;
  }
  MotionSizes sizes{free, applied, offset, Vector(p.m, 0)};
  for (std::size_t j = 0; j < p.n; ++j) {
    std::optional<Q> more;
    if (lever[j] > 0) more = speed[set[j]] / lever[j];
    if (p.M[j][j] > 0) more = std::min<Q>(more.value_or(momentum[set[j]] / other[j]), momentum[set[j]] / other[j]);
    if (more) sizes.motion[j] += *more;
  }
  for (std::size_t j = 0; j < p.n; ++j) {
    sizes.load[j] += exact::sizes(p.M[j], sizes.motion);
    if (lever[j] > 0) force[set[j]] += sizes.load[j] / lever[j];
  }
  for (std::size_t j = 0; j < p.n; ++j)  // what passes through a massless one
    if (!(p.M[j][j] > 0)) sizes.load[j] += lever[j] * force[set[j]];
  for (std::size_t r = 0; r < p.m; ++r) {
    sizes.row[r] += exact::sizes(p.J[r], sizes.motion);
    if (weight[r] > 0) sizes.force[r] = force[set[*first_dof(p.J[r])]] / weight[r];
  }
  return sizes;
}

}  // namespace stiction::exact
