#include "stiction/contact_problem.hpp"

#include <Eigen/SparseCholesky>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

using internal::quoted;
using internal::text;

using internal::kUnitRounding;   // of contact axes, which only place forces in reports
using internal::kWrittenByHand;  // of a planner's own M, relative to the diagonal: symmetry, semidefiniteness

std::string at(const char* list, std::size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

std::string sizes(Eigen::Index rows, Eigen::Index cols) { return std::to_string(rows) + " x " + std::to_string(cols); }

void check_size(const std::string& path, const Eigen::MatrixXd& A, Eigen::Index rows, Eigen::Index cols)
{
  if (A.rows() != rows || A.cols() != cols)
    throw InputError(path, "want " + sizes(rows, cols) + ", got " + sizes(A.rows(), A.cols()));
}

template <class Derived>
void check_finite(const std::string& path, const Eigen::MatrixBase<Derived>& A)
{
  if (A.allFinite()) return;
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      if (!std::isfinite(A(i, j))) {
        const std::string index = A.cols() == 1 ? std::to_string(i) : std::to_string(i) + "," + std::to_string(j);
        throw InputError(path + "(" + index + ")", "want a finite number, got " + text(A(i, j)));
      }
}

void check_not_negative(const std::string& path, double value)
{
  if (!std::isfinite(value) || value < 0.0) throw InputError(path, "want finite and >= 0, got " + text(value));
}

/// Scale-free: M is compared with its own diagonal, because metres and radians, tonnes and grams share one matrix.
void check_mass(const Eigen::MatrixXd& M)
{
  const Eigen::Index n = M.rows();
  Eigen::VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (M(i, i) < 0.0)
      throw InputError("M",
                       "want positive semidefinite, got diagonal entry " + std::to_string(i) + " = " + text(M(i, i)));
    scale(i) = M(i, i) > 0.0 ? 1.0 / std::sqrt(M(i, i)) : 0.0;
  }
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < j; ++i) {
      const double allowed = kWrittenByHand * std::sqrt(M(i, i)) * std::sqrt(M(j, j));
      const std::string entry = "M(" + std::to_string(i) + "," + std::to_string(j) + ")";
      if (std::abs(M(i, j) - M(j, i)) > allowed)
        throw InputError(entry, "want M symmetric, got " + text(M(i, j)) + " and " + text(M(j, i)));
      if (scale(i) * scale(j) == 0.0 && M(i, j) != 0.0)
        throw InputError(entry, "want positive semidefinite M: 0 beside a zero diagonal entry, got " + text(M(i, j)));
    }
  if (M.isDiagonal(0.0)) return;  // none at all, point masses: many bodies need no eigenvalues
  const Eigen::MatrixXd unit_diagonal = scale.asDiagonal() * (0.5 * (M + M.transpose())) * scale.asDiagonal();
  const double smallest = internal::symmetric_eigenvalues(unit_diagonal)[0];
  if (!(smallest >= -kWrittenByHand * static_cast<double>(n)))
    throw InputError("M", "want positive semidefinite, got eigenvalue " + text(smallest) + " at unit diagonal");
}

using SparseMatrix = ContactProblem::SparseMatrix;

void check_sparse(const std::string& path, const SparseMatrix& A, Eigen::Index rows, Eigen::Index cols)
{
  if (A.rows() != rows || A.cols() != cols)
    throw InputError(path, "want " + sizes(rows, cols) + ", got " + sizes(A.rows(), A.cols()));
  if (!A.isCompressed()) throw InputError(path, "want a compressed matrix, got another one");
  for (Eigen::Index i = 0; i < A.outerSize(); ++i)
    for (SparseMatrix::InnerIterator it(A, i); it; ++it)
      if (!std::isfinite(it.value()))
        throw InputError(path + "(" + std::to_string(i) + "," + std::to_string(it.col()) + ")",
                         "want a finite number, got " + text(it.value()));
}

/// As check_mass.
void check_sparse_mass(const SparseMatrix& M)
{
  const Eigen::Index n = M.rows();
  const Eigen::VectorXd diagonal = M.diagonal();
  Eigen::VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (diagonal[i] < 0.0)
      throw InputError(
          "M", "want positive semidefinite, got diagonal entry " + std::to_string(i) + " = " + text(diagonal[i]));
    scale[i] = diagonal[i] > 0.0 ? 1.0 / std::sqrt(diagonal[i]) : 0.0;
  }
  for (Eigen::Index i = 0; i < n; ++i)
    for (SparseMatrix::InnerIterator it(M, i); it; ++it) {
      const Eigen::Index j = it.col();
      const std::string entry = "M(" + std::to_string(i) + "," + std::to_string(j) + ")";
      const double other = M.coeff(j, i);
      if (std::abs(it.value() - other) > kWrittenByHand * std::sqrt(diagonal[i]) * std::sqrt(diagonal[j]))
        throw InputError(entry, "want M symmetric, got " + text(it.value()) + " and " + text(other));
      if (scale[i] * scale[j] == 0.0 && it.value() != 0.0)
        throw InputError(entry,
                         "want positive semidefinite M: 0 beside a zero diagonal entry, got " + text(it.value()));
    }
  if (M.nonZeros() <= n && diagonal.size() == n && SparseMatrix(M - SparseMatrix(diagonal.asDiagonal())).norm() == 0.0)
    return;
  Eigen::SparseMatrix<double> shifted = scale.asDiagonal() * M * scale.asDiagonal();
  Eigen::SparseMatrix<double> one(n, n);
  one.setIdentity();
  shifted += 2.0 * kWrittenByHand * static_cast<double>(n) * one;
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt(shifted);
  if (ldlt.info() != Eigen::Success || !(ldlt.vectorD().minCoeff() > 0.0))
    throw InputError("M", "want positive semidefinite, got a negative eigenvalue at unit diagonal");
}

void check_name(std::set<std::string>& names, const std::string& path, const std::string& name)
{
  if (name.empty()) throw InputError(path + ".name", "want a name, got an empty one");
  if (!names.insert(name).second)
    throw InputError(path + ".name", "want a unique name, got " + quoted(name) + " twice");
}

/// Every row of J has exactly one owner.
class RowOwners {
 public:
  explicit RowOwners(Eigen::Index rows) : owner_(static_cast<std::size_t>(rows)) {}

  void claim(const std::string& path, int first, int count)
  {
    const auto size = static_cast<long>(owner_.size());
    if (first < 0 || static_cast<long>(first) + count > size)
      throw InputError(path + ".row", "want rows within 0.." + std::to_string(size - 1) + ", got " +
                                          std::to_string(first) + ".." +
                                          std::to_string(static_cast<long>(first) + count - 1));
    for (int r = first; r < first + count; ++r) {
      std::string& owner = owner_[static_cast<std::size_t>(r)];
      if (!owner.empty())
        throw InputError(path + ".row",
                         "want rows of its own, got row " + std::to_string(r) + " that " + owner + " owns");
      owner = path;
    }
  }

  void check_complete() const
  {
    for (std::size_t r = 0; r < owner_.size(); ++r)
      if (owner_[r].empty())
        throw InputError("J", "want every row in a contact or closure, got row " + std::to_string(r) + " in none");
  }

 private:
  std::vector<std::string> owner_;
};

void check_contact(const std::string& path, const Contact& c)
{
  check_not_negative(path + ".mu", c.mu);
  check_not_negative(path + ".torsion", c.torsion);
  if (!(c.max_normal >= 0.0)) throw InputError(path + ".max_normal", "want >= 0, got " + text(c.max_normal));
  if (c.tangents < 0 || c.tangents > 2)
    throw InputError(path + ".tangents", "want 0, 1 or 2, got " + std::to_string(c.tangents));
  if (c.tangents == 0 && c.mu > 0.0)
    throw InputError(path + ".mu", "want 0 for a contact without tangential rows, got " + text(c.mu));
  if (!c.torsional && c.torsion > 0.0)
    throw InputError(path + ".torsion", "want 0 for a contact without a torsion row, got " + text(c.torsion));
  check_finite(path + ".point_W", c.point_W);
  check_finite(path + ".axes_W", c.axes_W);
  if ((c.axes_W.transpose() * c.axes_W - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() > kUnitRounding ||
      internal::determinant(c.axes_W) < 0.0)
    throw InputError(path + ".axes_W", "want orthonormal right-handed columns (normal, t1, t2), got " +
                                           text(Eigen::Vector3d(c.axes_W.col(0))) + ", " +
                                           text(Eigen::Vector3d(c.axes_W.col(1))) + ", " +
                                           text(Eigen::Vector3d(c.axes_W.col(2))));
}

void check_dofs(const std::vector<Dof>& dofs, Eigen::Index n)
{
  if (!dofs.empty() && static_cast<Eigen::Index>(dofs.size()) != n)
    throw InputError("dofs", "want " + std::to_string(n) + " or none, got " + std::to_string(dofs.size()));
  std::set<std::tuple<std::string, std::string, int>> known;
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const Dof& dof = dofs[i];
    if (dof.index < 0 || dof.index >= dof.size)
      throw InputError(at("dofs", i) + ".index",
                       "want 0.." + std::to_string(dof.size - 1) + ", got " + std::to_string(dof.index));
    if (!known.insert({dof.model, dof.joint, dof.index}).second)
      throw InputError(at("dofs", i), "want each degree of freedom once, got one twice");
  }
}

}  // namespace

/// A joint may be called "base", or "plane[0]" beside a planar joint "plane": whoever comes later gets an underscore.
std::vector<std::string> joint_labels(const std::vector<Dof>& dofs)
{
  std::set<std::string> taken;
  std::map<std::pair<std::string, std::string>, std::string> labels;
  const auto add = [&](const Dof& dof) {
    const auto [entry, is_new] = labels.try_emplace({dof.model, dof.joint}, dof.of_base() ? "base" : dof.joint);
    if (!is_new) return;
    std::string& label = entry->second;
    if (!dof.model.empty()) label = dof.model + "/" + label;
    const auto clashes = [&] {
      bool found = taken.contains(label);
      for (int k = 0; k < dof.size && dof.size > 1; ++k)
        found = found || taken.contains(label + "[" + std::to_string(k) + "]");
      return found;
    };
    while (clashes()) label += "_";
    taken.insert(label);
  };
  for (const Dof& dof : dofs)
    if (!dof.of_base() && dof.size == 1) add(dof);
  for (const Dof& dof : dofs)
    if (!dof.of_base()) add(dof);
  for (const Dof& dof : dofs) add(dof);
  std::vector<std::string> result;
  for (const Dof& dof : dofs) result.push_back(labels.at({dof.model, dof.joint}));
  return result;
}

std::vector<std::string> dof_labels(const std::vector<Dof>& dofs)
{
  std::vector<std::string> labels = joint_labels(dofs);
  for (std::size_t i = 0; i < dofs.size(); ++i)
    if (dofs[i].size > 1) labels[i] += "[" + std::to_string(dofs[i].index) + "]";
  return labels;
}

ContactProblem ContactProblem::dense() const
{
  ContactProblem result = *this;
  if (!is_sparse()) return result;
  result.M = sparse_M;
  result.J = sparse_J;
  result.sparse_M = result.sparse_J = SparseMatrix();
  return result;
}

void ContactProblem::validate(Storage storage) const
{
  const Eigen::Index n = nv();
  if (is_sparse() && storage == Storage::kDense)
    throw InputError("J", "want dense M and J (ContactProblem::dense()) for this question, got sparse ones");
  if (is_sparse() && n < kFewestSparse)
    throw InputError("J", "want dense M and J of fewer than " + std::to_string(kFewestSparse) +
                              " degrees of freedom, got sparse ones of " + std::to_string(n));
  if (is_sparse()) {
    check_sparse("M", sparse_M, n, n);
    check_sparse("J", sparse_J, rows(), n);
    check_sparse_mass(sparse_M);
  } else {
    check_size("M", M, n, n);
    check_size("J", J, rows(), n);
    check_finite("M", M);
    check_finite("J", J);
  }
  check_finite("F", F);
  check_finite("gamma", gamma);
  if (!is_sparse()) check_mass(M);

  std::set<std::string> names;
  RowOwners owners(rows());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::string path = at("contacts", i);
    check_name(names, path, contacts[i].name);
    check_contact(path, contacts[i]);
    owners.claim(path, contacts[i].row, contacts[i].rows());
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::string path = at("closures", i);
    check_name(names, path, loops[i].name);
    if (loops[i].rows < 1) throw InputError(path + ".rows", "want >= 1, got " + std::to_string(loops[i].rows));
    owners.claim(path, loops[i].row, loops[i].rows);
  }
  owners.check_complete();

  std::set<std::string> actuator_names;
  for (std::size_t i = 0; i < actuators.size(); ++i) {
    const std::string path = at("actuators", i);
    const Actuator& motor = actuators[i];
    check_name(actuator_names, path, motor.name);
    if (motor.dof < 0 || motor.dof >= n)
      throw InputError(path + ".dof", "want 0.." + std::to_string(n - 1) + ", got " + std::to_string(motor.dof));
    if (!(motor.lower <= motor.upper) || motor.lower == kInfinity || motor.upper == -kInfinity)
      throw InputError(path, "want lower <= upper, got " + text(motor.lower) + " and " + text(motor.upper));
  }

  if (!dof_names.empty() && static_cast<Eigen::Index>(dof_names.size()) != n)
    throw InputError("dof_names",
                     "want " + std::to_string(n) + " names or none, got " + std::to_string(dof_names.size()));
  std::set<std::string> unique_names;
  for (std::size_t i = 0; i < dof_names.size(); ++i) check_name(unique_names, at("dof_names", i), dof_names[i]);
  check_dofs(dofs, n);
}

RowRoles row_roles(const ContactProblem& problem)
{
  RowRoles roles;
  for (const Contact& c : problem.contacts) {
    const bool bilateral = c.side == Side::kBilateral;
    (bilateral ? roles.normal_bilateral : roles.normal_unilateral).push_back(c.row);
    auto& tangential = bilateral ? roles.tangential_bilateral : roles.tangential_unilateral;
    for (int k = 1; k < c.rows(); ++k) tangential.push_back(c.row + k);
  }
  for (const LoopConstraint& c : problem.loops)
    for (int k = 0; k < c.rows; ++k) roles.normal_bilateral.push_back(c.row + k);
  return roles;
}

}  // namespace stiction
