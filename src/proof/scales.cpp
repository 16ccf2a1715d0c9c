#include "proof/scales.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stiction::internal {
namespace {

constexpr Eigen::Index kOneBody = 6;  // in so small a system the contacts of a part share its lever arms

int root(std::vector<int>& parent, int j)
{
  while (parent[static_cast<std::size_t>(j)] != j) {
    auto& up = parent[static_cast<std::size_t>(j)];
    up = parent[static_cast<std::size_t>(up)];
    j = up;
  }
  return j;
}

/// The first contact moves with every degree of freedom, as it does with those of one body: all are connected.
bool first_contact_connects(const ContactProblem& p)
{
  if (p.contacts.empty()) return false;
  const Contact& c = p.contacts[0];
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if ((p.J.col(j).segment(c.row, c.rows()).array() == 0.0).all()) return false;
  return true;
}

/// Every row is a normal or a tangent, one contact after the other.
bool has_plain_rows(const ContactProblem& p)
{
  int next = 0;
  for (const Contact& c : p.contacts) {
    if (c.row != next || c.torsional) return false;
    next += 1 + c.tangents;
  }
  return next > 0 && next == p.rows();
}

}  // namespace

bool Scales::is_one_body(const ContactProblem& p) const { return p.nv() <= kOneBody && parts == 1; }

/// Degrees of freedom of one joint are those of one body, whatever its contacts leave out.
void Scales::join_joints(const ContactProblem& p)
{
  for (std::size_t j = 1; j < p.dofs.size(); ++j)
    if (p.dofs[j].joint == p.dofs[j - 1].joint && p.dofs[j].model == p.dofs[j - 1].model)
      root_[static_cast<std::size_t>(root(root_, static_cast<int>(j)))] = root(root_, static_cast<int>(j) - 1);
}

void Scales::find_parts(const ContactProblem& p)
{
  const Eigen::Index n = p.nv();
  part.assign(static_cast<std::size_t>(n), 0);
  row_part.assign(static_cast<std::size_t>(p.rows()), 0);
  parts = 1;
  if (n <= 1 || (n <= kOneBody && first_contact_connects(p))) return;
  root_.resize(static_cast<std::size_t>(n));
  std::iota(root_.begin(), root_.end(), 0);
  const auto join = [&](Eigen::Index i, Eigen::Index j) {
    root_[static_cast<std::size_t>(root(root_, static_cast<int>(i)))] = root(root_, static_cast<int>(j));
  };
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < j; ++i)
      if (p.M(i, j) != 0.0 || p.M(j, i) != 0.0) join(i, j);
  join_joints(p);
  const auto join_rows = [&](int first, int count) {
    Eigen::Index touched = -1;
    for (Eigen::Index j = 0; j < n; ++j) {
      if ((p.J.col(j).segment(first, count).array() == 0.0).all()) continue;
      if (touched >= 0) join(touched, j);
      touched = j;
    }
    for (int r = first; touched >= 0 && r < first + count; ++r)
      row_part[static_cast<std::size_t>(r)] = static_cast<int>(touched);
  };
  for (const Contact& c : p.contacts) join_rows(c.row, c.rows());
  for (const LoopConstraint& c : p.loops) join_rows(c.row, c.rows);
  number_parts(n);
}

/// Roots get the numbers 0, 1, …; a row follows the degree of freedom that it touches.
void Scales::number_parts(Eigen::Index n)
{
  number_.assign(root_.size(), -1);
  parts = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    int& its = number_[static_cast<std::size_t>(root(root_, static_cast<int>(j)))];
    if (its < 0) its = parts++;
    part[static_cast<std::size_t>(j)] = its;
  }
  for (int& r : row_part) r = part[static_cast<std::size_t>(r)];
}

/// `reach` and `lever` from the normals and tangents of all contacts. Points of one body are known to rounding of its
/// longest lever arm, also those that happen to be where levers are measured from.
void Scales::measure_contacts(const ContactProblem& p)
{
  const Eigen::Index n = p.nv();
  const auto contacts = static_cast<Eigen::Index>(p.contacts.size());
  reach.resize(contacts, n);
  lever.setZero(n);
  if (is_one_body(p) && has_plain_rows(p)) {
    lever = p.J.cwiseAbs().colwise().maxCoeff().transpose();
    reach.rowwise() = lever.transpose();
    return;
  }
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
  if (n > kOneBody) return;
  for (Eigen::Index i = 0; i < contacts; ++i) {
    const int its = row_part[static_cast<std::size_t>(p.contacts[static_cast<std::size_t>(i)].row)];
    for (Eigen::Index j = 0; j < n; ++j)
      if (part[static_cast<std::size_t>(j)] == its) reach(i, j) = lever[j];
  }
}

void Scales::measure_blocks(const ContactProblem& p)
{
  const Eigen::Index n = p.nv();
  lever.setZero(n);
  largest_entry.setZero(n);
  for (Eigen::Index r = 0; r < p.rows(); ++r)
    for (ContactProblem::SparseMatrix::InnerIterator it(p.sparse_J, r); it; ++it)
      largest_entry[it.col()] = std::max(largest_entry[it.col()], std::abs(it.value()));
  blocks.assign(p.contacts.size(), {});
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    Block& block = blocks[i];
    for (int r = c.row; r < c.row + c.rows(); ++r)
      for (ContactProblem::SparseMatrix::InnerIterator it(p.sparse_J, r); it; ++it)
        if (it.value() != 0.0) block.columns.push_back(static_cast<int>(it.col()));
    std::sort(block.columns.begin(), block.columns.end());
    block.columns.erase(std::unique(block.columns.begin(), block.columns.end()), block.columns.end());
    const auto rows = static_cast<std::size_t>(c.rows());
    block.entries.assign(rows * block.columns.size(), 0.0);
    block.reach.assign(block.columns.size(), 0.0);
    for (std::size_t k = 0; k < rows; ++k)
      for (ContactProblem::SparseMatrix::InnerIterator it(p.sparse_J, c.row + static_cast<Eigen::Index>(k)); it; ++it) {
        if (it.value() == 0.0) continue;
        const auto at = static_cast<std::size_t>(
            std::lower_bound(block.columns.begin(), block.columns.end(), static_cast<int>(it.col())) -
            block.columns.begin());
        block.entries[at * rows + k] = it.value();
        if (static_cast<int>(k) <= c.tangents) block.reach[at] = std::max(block.reach[at], std::abs(it.value()));
      }
    for (std::size_t k = 0; k < block.columns.size(); ++k)
      lever[block.columns[k]] = std::max(lever[block.columns[k]], block.reach[k]);
  }
}

/// As measure() of a dense problem of more than one body, over the entries that are there.
void Scales::measure_sparse(const ContactProblem& p)
{
  using Row = ContactProblem::SparseMatrix::InnerIterator;
  const Eigen::Index n = p.nv();
  measure_blocks(p);
  root_.resize(static_cast<std::size_t>(n));
  std::iota(root_.begin(), root_.end(), 0);
  const auto join = [&](int i, int j) { root_[static_cast<std::size_t>(root(root_, i))] = root(root_, j); };
  for (Eigen::Index i = 0; i < n; ++i)
    for (Row it(p.sparse_M, i); it; ++it)
      if (it.value() != 0.0) join(static_cast<int>(i), static_cast<int>(it.col()));
  join_joints(p);
  part.assign(static_cast<std::size_t>(n), 0);
  row_part.assign(static_cast<std::size_t>(p.rows()), 0);
  const auto join_rows = [&](int first, int count) {
    int touched = -1;
    for (int r = first; r < first + count; ++r)
      for (Row it(p.sparse_J, r); it; ++it) {
        if (it.value() == 0.0) continue;
        if (touched >= 0) join(touched, static_cast<int>(it.col()));
        touched = static_cast<int>(it.col());
      }
    for (int r = first; touched >= 0 && r < first + count; ++r) row_part[static_cast<std::size_t>(r)] = touched;
  };
  for (const Contact& c : p.contacts) join_rows(c.row, c.rows());
  for (const LoopConstraint& c : p.loops) join_rows(c.row, c.rows);
  number_parts(n);
  for (Eigen::Index j = 0; j < n; ++j)
    if (lever[j] == 0.0) lever[j] = largest_entry[j];
  weight.setZero(p.rows());
  const auto weigh_row = [&](int row) {
    double most = 0.0;
    for (Row it(p.sparse_J, row); it; ++it)
      if (lever[it.col()] > 0.0) most = std::max(most, std::abs(it.value()) / lever[it.col()]);
    return most;
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    double most = 0.0;
    for (std::size_t k = 0; k < blocks[i].columns.size(); ++k)
      if (const double arm = lever[blocks[i].columns[k]]; arm > 0.0) most = std::max(most, blocks[i].reach[k] / arm);
    weight.segment(c.row, 1 + c.tangents).setConstant(most);
    if (c.torsional) weight[c.row + 1 + c.tangents] = weigh_row(c.row + 1 + c.tangents);
  }
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r) weight[r] = weigh_row(r);
}

void Scales::measure(const ContactProblem& p)
{
  if (p.is_sparse()) return measure_sparse(p);
  const Eigen::Index n = p.nv();
  find_parts(p);
  measure_contacts(p);
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
  if (is_one_body(p) && has_plain_rows(p)) {  // one reach for all contacts
    weight.setConstant(weigh([&](Eigen::Index j) { return reach(0, j); }));
    return;
  }
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const auto row = static_cast<Eigen::Index>(i);
    const double own =
        is_one_body(p) && i > 0 ? weight[p.contacts[0].row] : weigh([&](Eigen::Index j) { return reach(row, j); });
    weight.segment(c.row, 1 + c.tangents).setConstant(own);
    const int last = c.row + 1 + c.tangents;
    if (c.torsional) weight[last] = weigh([&](Eigen::Index j) { return p.J(last, j); });
  }
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r) weight[r] = weigh([&](Eigen::Index j) { return p.J(r, j); });
}

void Scales::measure_loads(const Eigen::VectorXd& load, const std::vector<Actuator>& motors)
{
  force.setZero(parts);
  const auto count = [&](Eigen::Index j, double newtons) {
    if (lever[j] > 0.0) force[part[static_cast<std::size_t>(j)]] += std::abs(newtons) / lever[j];
  };
  for (Eigen::Index j = 0; j < load.size(); ++j) count(j, load[j]);
  for (const Actuator& motor : motors) count(motor.dof, std::clamp(0.0, motor.lower, motor.upper));
}

void Scales::measure_forces(const ContactProblem& p)
{
  const Eigen::Index n = p.nv();
  force.setZero(parts);
  drift.setZero(parts);
  for (Eigen::Index r = 0; r < p.rows(); ++r) {
    double& most = drift[row_part[static_cast<std::size_t>(r)]];
    if (weight[r] > 0.0) most = std::max(most, std::abs(p.gamma[r]) / weight[r]);
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    const int k = part[static_cast<std::size_t>(j)];
    const double inertia = p.M(j, j), own = std::abs(p.F[j]);
    if (lever[j] > 0.0) {
      force[k] += (own + inertia * drift[k] / lever[j]) / lever[j];
    } else if (inertia > 0.0 &&
               own > 0.0) {  // moves freely: its inertia acts on the degrees of freedom that contacts hold
      for (Eigen::Index i = 0; i < n; ++i)
        if (lever[i] > 0.0) force[k] += std::abs(p.M(i, j)) / inertia * own / lever[i];
    }
  }
}

/// g_j = sqrt((M^-1)_jj), rounded up, over the degrees of freedom with inertia.
void Scales::measure_swings(const ContactProblem& p)
{
  swing.setConstant(p.nv(), kInfinity);
  massive_.clear();
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (p.M(j, j) > 0.0) massive_.push_back(j);
  const auto m = static_cast<Eigen::Index>(massive_.size());
  unit_mass_.resize(m, m);
  for (Eigen::Index k = 0; k < m; ++k)
    for (Eigen::Index i = 0; i < m; ++i) {
      const Eigen::Index row = massive_[static_cast<std::size_t>(i)], column = massive_[static_cast<std::size_t>(k)];
      unit_mass_(i, k) = p.M(row, column) / (std::sqrt(p.M(row, row)) * std::sqrt(p.M(column, column)));
    }
  definite.assign(static_cast<std::size_t>(parts), 1);
  double pivot = cholesky_.compute(unit_mass_);
  if (!(pivot > kSafelyDefinite)) {
    leave_out_singular_parts();
    pivot = cholesky_.compute(unit_mass_);
  }
  condition = 1.0 / pivot;
  inverse_factor_.setIdentity(m, m);
  cholesky_.solve_lower(inverse_factor_);
  for (Eigen::Index k = 0; k < m; ++k) {
    const Eigen::Index j = massive_[static_cast<std::size_t>(k)];
    if (is_definite(j)) swing[j] = 1.02 * inverse_factor_.col(k).norm() / std::sqrt(p.M(j, j));
  }
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (!(p.M(j, j) > 0.0)) definite[static_cast<std::size_t>(part[static_cast<std::size_t>(j)])] = 0;
}

/// The inertia of a part that is not safely definite becomes the identity in unit_mass_: its swings are not known.
void Scales::leave_out_singular_parts()
{
  // Cholesky's method, column by column; parts do not see each other.
  Eigen::MatrixXd& L = inverse_factor_;
  L = unit_mass_;
  const Eigen::Index m = L.rows();
  for (Eigen::Index k = 0; k < m; ++k) {
    const double pivot = std::sqrt(L(k, k) - L.row(k).head(k).squaredNorm());
    if (!(pivot > kSafelyDefinite)) definite[static_cast<std::size_t>(part_of_massive(k))] = 0;
    L(k, k) = pivot > kSafelyDefinite ? pivot : 1.0;
    for (Eigen::Index i = k + 1; i < m; ++i) L(i, k) = (L(i, k) - L.row(i).head(k).dot(L.row(k).head(k))) / L(k, k);
  }
  for (Eigen::Index k = 0; k < m; ++k) {
    if (definite[static_cast<std::size_t>(part_of_massive(k))]) continue;
    unit_mass_.row(k).setZero();
    unit_mass_.col(k).setZero();
    unit_mass_(k, k) = 1.0;
  }
}

void Scales::divide_by_root_mass(const ContactProblem& p, Eigen::MatrixXd& X)
{
  quotients_.resize(static_cast<Eigen::Index>(massive_.size()), X.cols());
  for (std::size_t k = 0; k < massive_.size(); ++k)
    quotients_.row(static_cast<Eigen::Index>(k)) = X.row(massive_[k]) / std::sqrt(p.M(massive_[k], massive_[k]));
  cholesky_.solve_lower(quotients_);
  X.setZero();
  for (std::size_t k = 0; k < massive_.size(); ++k) X.row(massive_[k]) = quotients_.row(static_cast<Eigen::Index>(k));
}

/// The norm of a in M is at most that of M^-1 F, where M is definite, and what the drift asks for.
void Scales::measure_accelerations(const ContactProblem& p)
{
  measure_swings(p);
  const Eigen::Index n = p.nv();
  energy_.setZero(parts);
  work_.setZero(static_cast<Eigen::Index>(massive_.size()));
  for (std::size_t k = 0; k < massive_.size(); ++k)
    work_[static_cast<Eigen::Index>(k)] = p.F[massive_[k]] / std::sqrt(p.M(massive_[k], massive_[k]));
  cholesky_.solve_lower(work_);
  for (std::size_t k = 0; k < massive_.size(); ++k) {
    const Eigen::Index j = massive_[k];
    const int its = part[static_cast<std::size_t>(j)];
    const double due = work_[static_cast<Eigen::Index>(k)], asked = lever[j] > 0.0 ? drift[its] / lever[j] : 0.0;
    energy_[its] += due * due + p.M(j, j) * asked * asked;
  }
  const auto own = [&](Eigen::Index j) {
    return std::sqrt(energy_[part[static_cast<std::size_t>(j)]]) *
           (std::isfinite(swing[j]) ? swing[j] : 1.0 / std::sqrt(p.M(j, j)));
  };
  fastest_ = drift;  // at the contacts, m/s^2
  for (const Eigen::Index j : massive_) {
    double& most = fastest_[part[static_cast<std::size_t>(j)]];
    most = std::max(most, lever[j] * own(j));
  }
  acceleration.setZero(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const bool massive = p.M(j, j) > 0.0;
    if (massive) acceleration[j] = own(j);
    if (lever[j] > 0.0)
      acceleration[j] = std::max(acceleration[j], fastest_[part[static_cast<std::size_t>(j)]] / lever[j]);
    acceleration[j] *= massive ? kAccelerations : kMasslessAccelerations;
  }
}

double Scales::load_reach(const ContactProblem& p, Eigen::Index dof) const
{
  double sum = 0.0;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    sum += 2.0 * reach(static_cast<Eigen::Index>(i), dof) * row_force(c.row);  // normal and tangents
    const int last = c.row + 1 + c.tangents;
    if (c.torsional) sum += std::abs(p.J(last, dof)) * row_force(last);
  }
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r) sum += std::abs(p.J(r, dof)) * row_force(r);
  return sum;
}

}  // namespace stiction::internal
