#include "proof/motion_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace stiction::internal {
namespace {

constexpr double kNoLever = 0x1p-40;  // share of a row, in units of √M, below which an entry does not count as a lever

/// Degrees of freedom that entries of M, a row of J or the friction of a contact connect, by the number of one of them.
class Components {
 public:
  explicit Components(const ContactProblem& p) : parent_(static_cast<std::size_t>(p.nv()))
  {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (Eigen::Index i = 0; i < p.nv(); ++i)
      for (Eigen::Index j = 0; j < i; ++j)
        if (p.M(i, j) != 0.0 || p.M(j, i) != 0.0) join(i, j);
    for (Eigen::Index r = 0; r < p.rows(); ++r) {
      const Eigen::Index first = of_row(p, r);
      for (Eigen::Index j = first + 1; j < p.nv() && first >= 0; ++j)
        if (p.J(r, j) != 0.0) join(first, j);
    }
    for (const Contact& contact : p.contacts) {
      Eigen::Index known = -1;
      for (int r = contact.row; r < contact.row + contact.rows(); ++r) {
        const Eigen::Index first = of_row(p, r);
        if (first >= 0 && known >= 0) join(first, known);
        if (first >= 0) known = first;
      }
    }
  }

  std::size_t operator[](Eigen::Index j) const
  {
    auto k = static_cast<std::size_t>(j);
    while (parent_[k] != static_cast<int>(k)) k = static_cast<std::size_t>(parent_[k]);
    return k;
  }

  /// First degree of freedom of a row, or -1 for a row of zeros.
  static Eigen::Index of_row(const ContactProblem& p, Eigen::Index r)
  {
    for (Eigen::Index j = 0; j < p.nv(); ++j)
      if (p.J(r, j) != 0.0) return j;
    return -1;
  }

 private:
  void join(Eigen::Index i, Eigen::Index j) { parent_[(*this)[i]] = static_cast<int>((*this)[j]); }

  std::vector<int> parent_;
};

/// C_j: the longest lever of a degree of freedom, and w_r: the longest of a row over √M.
struct Levers {
  Eigen::VectorXd column, row;

  explicit Levers(const ContactProblem& p) : column(Eigen::VectorXd::Zero(p.nv())), row(Eigen::VectorXd::Zero(p.rows()))
  {
    Eigen::VectorXd radius = Eigen::VectorXd::Zero(p.rows());  // of torsion rows, which are no velocities of points
    for (const Contact& c : p.contacts)
      if (c.torsional) radius[c.row + 1 + c.tangents] = c.torsion > 0.0 ? c.torsion : 1.0;
    for (Eigen::Index r = 0; r < p.rows(); ++r) {
      for (Eigen::Index j = 0; j < p.nv(); ++j)
        if (p.M(j, j) > 0.0) row[r] = std::max(row[r], std::abs(p.J(r, j)) / std::sqrt(p.M(j, j)));
      if (radius[r] == 0.0) lengthen(p, r, 1.0, column);
    }
    Eigen::VectorXd spins = Eigen::VectorXd::Zero(p.nv());
    for (Eigen::Index r = 0; r < p.rows(); ++r)
      if (radius[r] > 0.0) lengthen(p, r, radius[r], spins);
    column = (column.array() > 0.0).select(column, spins);
  }

 private:
  void lengthen(const ContactProblem& p, Eigen::Index r, double factor, Eigen::VectorXd& levers) const
  {
    for (Eigen::Index j = 0; j < p.nv(); ++j) {
      const double lever = std::abs(p.J(r, j));
      if (p.M(j, j) <= 0.0 || lever > kNoLever * row[r] * std::sqrt(p.M(j, j)))
        levers[j] = std::max(levers[j], factor * lever);
    }
  }
};

}  // namespace

MotionBounds motion_bounds(const ContactProblem& p, const Eigen::VectorXd& free, const Eigen::VectorXd& applied,
                           const Eigen::VectorXd& offset)
{
  const Eigen::Index nv = p.nv(), rows = p.rows();
  const Components component(p);
  const Levers levers(p);
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(rows);  // of a row among the levers of its columns
  for (Eigen::Index r = 0; r < rows; ++r)
    for (Eigen::Index j = 0; j < nv; ++j)
      if (levers.column[j] > 0.0) weight[r] = std::max(weight[r], std::abs(p.J(r, j)) / levers.column[j]);

  // Per component: the speed of rows, the root of twice an energy, and then the force.
  Eigen::VectorXd speed = Eigen::VectorXd::Zero(nv), root = Eigen::VectorXd::Zero(nv),
                  force = Eigen::VectorXd::Zero(nv);
  for (Eigen::Index j = 0; j < nv; ++j) {
    const auto c = static_cast<Eigen::Index>(component[j]);
    speed[c] += levers.column[j] * free[j];
    root[c] += std::sqrt(std::max(p.M(j, j), 0.0)) * free[j];
  }
  for (Eigen::Index r = 0; r < rows; ++r) {
    const Eigen::Index j = Components::of_row(p, r);
    if (j < 0 || offset[r] == 0.0) continue;
    const auto c = static_cast<Eigen::Index>(component[j]);
    if (weight[r] > 0.0) speed[c] += offset[r] / weight[r];
    if (levers.row[r] > 0.0) root[c] += offset[r] / levers.row[r];
  }

  MotionBounds bounds;
  bounds.motion = free;
  for (Eigen::Index j = 0; j < nv; ++j) {
    const auto c = static_cast<Eigen::Index>(component[j]);
    double more = levers.column[j] > 0.0 ? speed[c] / levers.column[j] : kInfinity;
    if (p.M(j, j) > 0.0) more = std::min(more, root[c] / std::sqrt(p.M(j, j)));
    if (std::isfinite(more)) bounds.motion[j] += more;
  }
  bounds.load = p.M.cwiseAbs() * bounds.motion + applied;
  for (Eigen::Index j = 0; j < nv; ++j)
    if (levers.column[j] > 0.0) force[static_cast<Eigen::Index>(component[j])] += bounds.load[j] / levers.column[j];
  for (Eigen::Index j = 0; j < nv; ++j)  // what passes through a massless one
    if (p.M(j, j) <= 0.0) bounds.load[j] += levers.column[j] * force[static_cast<Eigen::Index>(component[j])];

  bounds.row = p.J.cwiseAbs() * bounds.motion + offset;
  bounds.force.setZero(rows);
  for (Eigen::Index r = 0; r < rows; ++r)
    if (weight[r] > 0.0)
      bounds.force[r] = force[static_cast<Eigen::Index>(component[Components::of_row(p, r)])] / weight[r];
  return bounds;
}

MotionBounds acceleration_bounds(const ContactProblem& p)
{
  Eigen::VectorXd free = Eigen::VectorXd::Zero(p.nv());
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (p.M(j, j) > 0.0) free[j] = std::abs(p.F[j]) / p.M(j, j);
  return motion_bounds(p, free, p.F.cwiseAbs(), p.gamma.cwiseAbs());
}

MotionBounds impact_bounds(const ContactProblem& p, const Eigen::VectorXd& before)
{
  return motion_bounds(p, before.cwiseAbs(), Eigen::VectorXd::Zero(p.nv()), Eigen::VectorXd::Zero(p.rows()));
}

}  // namespace stiction::internal
