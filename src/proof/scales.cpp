#include "proof/scales.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stiction::internal {
namespace {

constexpr Eigen::Index kOneBody = 6;   // so few degrees of freedom are one part: not worth a search

int root(std::vector<int>& parent, int j)
{
  while (parent[static_cast<std::size_t>(j)] != j) {
    auto& up = parent[static_cast<std::size_t>(j)];
    up = parent[static_cast<std::size_t>(up)];
    j = up;
  }
  return j;
}

}  // namespace

void Scales::find_parts(const ContactProblem& p)
{
  const Eigen::Index n = p.nv();
  part.assign(static_cast<std::size_t>(n), 0);
  row_part.assign(static_cast<std::size_t>(p.rows()), 0);
  parts = 1;
  if (n <= kOneBody) return;
  root_.resize(static_cast<std::size_t>(n));
  std::iota(root_.begin(), root_.end(), 0);
  const auto join = [&](Eigen::Index i, Eigen::Index j) {
    root_[static_cast<std::size_t>(root(root_, static_cast<int>(i)))] = root(root_, static_cast<int>(j));
  };
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < j; ++i)
      if (p.M(i, j) != 0.0 || p.M(j, i) != 0.0) join(i, j);
  const auto join_rows = [&](int first, int count) {
    Eigen::Index touched = -1;
    for (Eigen::Index j = 0; j < n; ++j) {
      if ((p.J.col(j).segment(first, count).array() == 0.0).all()) continue;
      if (touched >= 0) join(touched, j);
      touched = j;
    }
    for (int r = first; touched >= 0 && r < first + count; ++r) row_part[static_cast<std::size_t>(r)] = static_cast<int>(touched);
  };
  for (const Contact& c : p.contacts) join_rows(c.row, c.rows());
  for (const Closure& c : p.closures) join_rows(c.row, c.rows);
  // Roots get the numbers 0, 1, …; a row follows the degree of freedom that it touches.
  number_.assign(root_.size(), -1);
  parts = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    int& its = number_[static_cast<std::size_t>(root(root_, static_cast<int>(j)))];
    if (its < 0) its = parts++;
    part[static_cast<std::size_t>(j)] = its;
  }
  for (int& r : row_part) r = part[static_cast<std::size_t>(r)];
}

/// `reach` and `lever` from the normals and tangents of all contacts.
void Scales::measure_contacts(const ContactProblem& p)
{
  const Eigen::Index n = p.nv();
  const auto contacts = static_cast<Eigen::Index>(p.contacts.size());
  reach.resize(contacts, n);
  lever.setZero(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double* column = p.J.data() + j * p.rows();
    double longest = 0.0;
    for (Eigen::Index i = 0; i < contacts; ++i) {
      const Contact& c = p.contacts[static_cast<std::size_t>(i)];
      const double* entry = column + c.row;
      double own = std::abs(entry[0]);
      for (int k = 1; k <= c.tangents; ++k) own = std::max(own, std::abs(entry[k]));
      reach(i, j) = own;
      longest = std::max(longest, own);
    }
    lever[j] = longest;
  }
  // Points of one body are known to rounding of its longest lever arm, also those that happen to be where levers are measured from.
  if (n <= kOneBody) reach.rowwise() = lever.transpose();
}

void Scales::measure(const ContactProblem& p)
{
  find_parts(p);
  measure_contacts(p);
  const Eigen::Index n = p.nv();
  // Where no contact reaches, closures and torsion set the unit.
  for (Eigen::Index j = 0; j < n; ++j)
    if (lever[j] == 0.0) lever[j] = p.rows() > 0 ? p.J.col(j).cwiseAbs().maxCoeff() : 0.0;
  const auto weigh = [&](auto&& entries) {
    double largest = 0.0;
    for (Eigen::Index j = 0; j < n; ++j)
      if (lever[j] > 0.0) largest = std::max(largest, std::abs(entries(j)) / lever[j]);
    return largest;
  };
  weight.resize(p.rows());
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const auto row = static_cast<Eigen::Index>(i);
    const double own = n <= kOneBody && i > 0 ? weight[p.contacts[0].row] : weigh([&](Eigen::Index j) { return reach(row, j); });
    weight.segment(c.row, 1 + c.tangents).setConstant(own);
    const int last = c.row + 1 + c.tangents;
    if (c.torsional) weight[last] = weigh([&](Eigen::Index j) { return p.J(last, j); });
  }
  for (const Closure& c : p.closures)
    for (int r = c.row; r < c.row + c.rows; ++r) weight[r] = weigh([&](Eigen::Index j) { return p.J(r, j); });
}

void Scales::measure_loads(const ContactProblem& p, const Eigen::VectorXd& load)
{
  constexpr double kShareOfMotors = 16.0;
  const Eigen::Index n = p.nv();
  force.setZero(parts);
  if (p.actuators.empty()) {
    for (Eigen::Index j = 0; j < n; ++j)
      if (lever[j] > 0.0) force[part[static_cast<std::size_t>(j)]] += std::abs(load[j]) / lever[j];
    return;
  }
  lower_.setZero(n);
  upper_.setZero(n);
  motors_.setZero(parts);
  for (const Actuator& motor : p.actuators) {
    lower_[motor.dof] += motor.lower;
    upper_[motor.dof] += motor.upper;
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    if (lever[j] == 0.0) continue;
    const int k = part[static_cast<std::size_t>(j)];
    const double size = std::abs(load[j]), beyond = std::clamp(std::max(load[j] - upper_[j], lower_[j] - load[j]), 0.0, size);
    force[k] += beyond / lever[j];
    motors_[k] += (size - beyond) / lever[j];
  }
  for (int k = 0; k < parts; ++k) force[k] += force[k] > 0.0 ? std::min(motors_[k], kShareOfMotors * force[k]) : motors_[k];
}

void Scales::measure_motion(const ContactProblem& p)
{
  const Eigen::Index n = p.nv();
  force.setZero(parts);
  drift.setZero(parts);
  acceleration.setZero(n);
  for (Eigen::Index r = 0; r < p.rows(); ++r) {
    double& most = drift[row_part[static_cast<std::size_t>(r)]];
    if (weight[r] > 0.0) most = std::max(most, std::abs(p.gamma[r]) / weight[r]);
  }
  // What F and the drift do: forces at the contacts, and the energy L^2 = sum F^2 / M of the accelerations they cause.
  energy_.setZero(parts);
  for (Eigen::Index j = 0; j < n; ++j) {
    const int k = part[static_cast<std::size_t>(j)];
    const double inertia = p.M(j, j), own = std::abs(p.F[j]);
    if (lever[j] > 0.0) {
      const double swing = drift[k] / lever[j];
      force[k] += (own + inertia * swing) / lever[j];
      energy_[k] += inertia * swing * swing;
    } else if (inertia > 0.0 && own > 0.0) {   // moves freely: its inertia acts on the degrees of freedom that contacts hold
      for (Eigen::Index i = 0; i < n; ++i)
        if (lever[i] > 0.0) force[k] += std::abs(p.M(i, j)) / inertia * own / lever[i];
    }
    if (inertia > 0.0) energy_[k] += own * (own / inertia);
  }
  fastest_ = drift;   // at the contacts, m/s^2
  for (Eigen::Index j = 0; j < n; ++j)
    if (p.M(j, j) > 0.0) {
      double& most = fastest_[part[static_cast<std::size_t>(j)]];
      most = std::max(most, lever[j] * std::sqrt(energy_[part[static_cast<std::size_t>(j)]] / p.M(j, j)));
    }
  for (Eigen::Index j = 0; j < n; ++j) {
    const int k = part[static_cast<std::size_t>(j)];
    const bool massive = p.M(j, j) > 0.0;
    if (massive) acceleration[j] = std::sqrt(energy_[k] / p.M(j, j));
    if (lever[j] > 0.0) acceleration[j] = std::max(acceleration[j], fastest_[k] / lever[j]);
    acceleration[j] *= massive ? kAccelerations : kMasslessAccelerations;
  }
}

double Scales::load_reach(const ContactProblem& p, Eigen::Index dof) const
{
  double sum = 0.0;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    sum += 2.0 * reach(static_cast<Eigen::Index>(i), dof) * row_force(c.row);   // normal and tangents
    const int last = c.row + 1 + c.tangents;
    if (c.torsional) sum += std::abs(p.J(last, dof)) * row_force(last);
  }
  for (const Closure& c : p.closures)
    for (int r = c.row; r < c.row + c.rows; ++r) sum += std::abs(p.J(r, dof)) * row_force(r);
  return sum;
}

}  // namespace stiction::internal
