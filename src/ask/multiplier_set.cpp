#include "ask/multiplier_set.hpp"

#include <cmath>

namespace stiction::internal {

FrictionCone friction_cone(const Contact& contact, const ConeShape& shape)
{
  FrictionCone cone;
  cone.tangents = contact.tangents;
  cone.torsional = contact.torsional;
  cone.mu = contact.mu;
  cone.torsion = contact.torsion;
  cone.shape = shape;
  return cone;
}

void MultiplierSet::build(const ContactProblem& problem, const ConeShape& shape, const Eigen::VectorXd& e,
                          const Eigen::VectorXd& e_scale, const std::vector<char>& detaching)
{
  problem_ = &problem;
  shape_ = shape;
  const size_t contacts = problem.contacts.size();
  column_.assign(contacts, -1);
  limit_row_.assign(contacts, -1);
  limit_column_.assign(contacts, -1);
  needs_sign_.assign(contacts, 0);
  sign_.assign(contacts, 0.0);
  closure_column_.assign(problem.closures.size(), -1);

  const auto nv = problem.nv();
  int columns = 0, limits = 0;
  for (size_t i = 0; i < contacts; ++i) {
    const Contact& contact = problem.contacts[i];
    if (detaching[i]) continue;
    column_[i] = columns;
    columns += contact.rows();
    const bool limited = std::isfinite(contact.max_normal);
    if (limited) limit_row_[i] = static_cast<int>(nv) + limits++;
    const bool friction = (contact.tangents > 0 && contact.mu > 0.0) || (contact.torsional && contact.torsion > 0.0);
    needs_sign_[i] = contact.side == Side::kBilateral && (friction || limited);
  }
  for (size_t k = 0; k < problem.closures.size(); ++k) {
    closure_column_[k] = columns;
    columns += problem.closures[k].rows;
  }
  for (size_t i = 0; i < contacts; ++i)
    if (limit_row_[i] >= 0) limit_column_[i] = columns++;

  program_.E.setZero(nv + limits, columns);
  program_.e.setZero(nv + limits);
  program_.e_scale.setZero(nv + limits);
  program_.e.head(nv) = e;
  program_.e_scale.head(nv) = e_scale;
  auto copy = [&](int row, int rows, int column) {
    for (int r = 0; r < rows; ++r)
      for (Eigen::Index i = 0; i < nv; ++i) program_.E(i, column + r) = problem.J(row + r, i);
  };
  for (size_t i = 0; i < contacts; ++i)
    if (column_[i] >= 0) copy(problem.contacts[i].row, problem.contacts[i].rows(), column_[i]);
  for (size_t k = 0; k < problem.closures.size(); ++k)
    copy(problem.closures[k].row, problem.closures[k].rows, closure_column_[k]);
}

FrictionCone MultiplierSet::cone(size_t contact, const Friction& friction) const
{
  FrictionCone cone = friction_cone(problem_->contacts[contact], shape_);
  cone.mu *= friction.factor;
  cone.torsion *= friction.factor;
  if (friction.contact == static_cast<int>(contact)) cone.mu = friction.mu;
  return cone;
}

void MultiplierSet::arrange(const std::vector<int>& signs, const Friction& friction)
{
  program_.cones.clear();
  program_.boxes.clear();
  program_.free.clear();
  for (size_t i = 0; i < column_.size(); ++i) {
    if (column_[i] < 0) continue;
    const Contact& c = problem_->contacts[i];
    sign_[i] = c.side == Side::kUnilateral ? 1.0 : (needs_sign_[i] ? static_cast<double>(signs[i]) : 0.0);
    if (sign_[i] == 0.0 && needs_sign_[i]) {
      for (int r = 0; r < c.rows(); ++r) program_.free.push_back(column_[i] + r);
    } else if (sign_[i] == 0.0) {   // bilateral without friction: the normal force is free, the rest is zero
      program_.free.push_back(column_[i]);
      for (int r = 1; r < c.rows(); ++r) program_.boxes.push_back({column_[i] + r, 0.0, 0.0});
    } else {
      ConeBlock block;
      block.col = column_[i];
      block.cone = cone(i, friction);
      block.cone.sign = sign_[i];
      program_.cones.push_back(block);
    }
    if (limit_row_[i] >= 0) {
      // without a chosen sign the limit is left out: a relaxation
      program_.E(limit_row_[i], column_[i]) = sign_[i];
      program_.E(limit_row_[i], limit_column_[i]) = 1.0;
      program_.e[limit_row_[i]] = c.max_normal;
      program_.e_scale[limit_row_[i]] = c.max_normal;
      program_.boxes.push_back({limit_column_[i], 0.0, kInfinity});
    }
  }
  for (size_t k = 0; k < closure_column_.size(); ++k)
    for (int r = 0; r < problem_->closures[k].rows; ++r) program_.free.push_back(closure_column_[k] + r);
}

void MultiplierSet::to_lambda(const Eigen::VectorXd& x, Eigen::VectorXd& lambda) const
{
  lambda.setZero(problem_->rows());
  for (size_t i = 0; i < column_.size(); ++i)
    for (int r = 0; column_[i] >= 0 && r < problem_->contacts[i].rows(); ++r)
      lambda[problem_->contacts[i].row + r] = x[column_[i] + r];
  for (size_t k = 0; k < closure_column_.size(); ++k)
    for (int r = 0; r < problem_->closures[k].rows; ++r)
      lambda[problem_->closures[k].row + r] = x[closure_column_[k] + r];
}

void MultiplierSet::to_motion(const Eigen::VectorXd& y, Eigen::VectorXd& motion) const
{
  const auto nv = problem_->nv();
  Eigen::Index limited = 0;
  for (const Contact& contact : problem_->contacts) limited += std::isfinite(contact.max_normal);
  motion.setZero(nv + limited);
  motion.head(nv) = y.head(nv);
  Eigen::Index k = nv;
  for (size_t i = 0; i < column_.size(); ++i) {
    if (!std::isfinite(problem_->contacts[i].max_normal)) continue;
    if (limit_row_[i] >= 0 && sign_[i] != 0.0) motion[k] = std::max(0.0, -y[limit_row_[i]]);
    ++k;
  }
}

void MultiplierSet::slack_direction(const std::vector<double>& weights, Eigen::VectorXd& d) const
{
  d.setZero(program_.E.rows());
  for (size_t i = 0; i < column_.size(); ++i)
    if (column_[i] >= 0 && sign_[i] != 0.0 && weights[i] != 0.0) {
      d -= weights[i] * sign_[i] * program_.E.col(column_[i]);
      // a limited force keeps the same distance from its limit: sign λn + s = max - 2 t after the shift of λn
      if (limit_row_[i] >= 0) d[limit_row_[i]] -= weights[i];
    }
}

void MultiplierSet::add_normal(const std::vector<double>& weights, double t, Eigen::VectorXd& x) const
{
  for (size_t i = 0; i < column_.size(); ++i)
    if (column_[i] >= 0 && sign_[i] != 0.0) {
      x[column_[i]] += t * weights[i] * sign_[i];
      if (limit_column_[i] >= 0) x[limit_column_[i]] += t * weights[i];
    }
}

}  // namespace stiction::internal
