#include "ask/multiplier_set.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/proof.hpp"

namespace stiction::internal {

void Loads::reset(const ContactProblem& problem)
{
  e.resize(problem.nv());
  e_scale.resize(problem.nv());
  lower.setZero(problem.nv());
  upper.setZero(problem.nv());
  max_normal.resize(static_cast<Eigen::Index>(problem.contacts.size()));
  for (size_t i = 0; i < problem.contacts.size(); ++i) max_normal[i] = problem.contacts[i].max_normal;
}

void Loads::set_zero(const ContactProblem& problem)
{
  for (Eigen::VectorXd* numbers : {&e, &e_scale, &lower, &upper}) numbers->setZero(problem.nv());
  max_normal.setZero(static_cast<Eigen::Index>(problem.contacts.size()));
}

void Loads::set_line(const Loads& from, double t, const Loads& slope)
{
  e = from.e + t * slope.e;
  e_scale = from.e_scale + std::abs(t) * slope.e_scale;
  lower = from.lower + t * slope.lower;
  upper = from.upper + t * slope.upper;
  max_normal = from.max_normal + t * slope.max_normal;
}

void MultiplierSet::build(const ContactProblem& problem, const ConeShape& shape, const Loads& loads,
                          const std::vector<char>& detaching, const Eigen::MatrixXd* columns, bool keep_bounds)
{
  problem_ = &problem;
  extra_ = columns;
  shape_ = shape;
  number_rows(loads);
  number_columns(loads, detaching);
  const auto nv = static_cast<size_t>(problem.nv());
  if (!keep_bounds || bound_state_.size() != nv) {
    bounds_.clear();
    bound_state_.assign(nv, 0);
  }
  const auto rows = exact_rows_ + limit_rows_ + static_cast<Eigen::Index>(bounds_.size());
  program_.E.resize(rows, fixed_columns_ + static_cast<Eigen::Index>(bounds_.size()));
  if (rows > exact_rows_) program_.E.setZero();  // the exact rows are written in full, the others here and there
  program_.e.resize(rows);
  program_.e_scale.resize(rows);
  write_exact_rows();
  for (size_t k = 0; k < bounds_.size(); ++k) write_bound(k);
  set_loads(loads);
}

/// Rows whose effort is given, and those that may become rows.
void MultiplierSet::number_rows(const Loads& loads)
{
  const auto nv = problem_->nv();
  exact_dof_.clear();
  limited_dof_.clear();
  has_motor_.resize(static_cast<size_t>(nv));
  for (Eigen::Index d = 0; d < nv; ++d) {
    has_motor_[static_cast<size_t>(d)] = loads.lower[d] != loads.upper[d];
    if (loads.lower[d] == loads.upper[d])
      exact_dof_.push_back(static_cast<int>(d));
    else if (std::isfinite(loads.lower[d]) || std::isfinite(loads.upper[d]))
      limited_dof_.push_back(static_cast<int>(d));
  }
  exact_rows_ = static_cast<int>(exact_dof_.size());
}

/// Columns of contacts, closures, distances from limits and δ, in this order, and the rows of the limits.
void MultiplierSet::number_columns(const Loads& loads, const std::vector<char>& detaching)
{
  const size_t contacts = problem_->contacts.size();
  column_.resize(contacts);
  limit_row_.resize(contacts);
  limit_column_.resize(contacts);
  needs_sign_.resize(contacts);
  sign_.resize(contacts);
  closure_column_.assign(problem_->loops.size(), -1);
  limit_rows_ = 0;
  int next = 0;
  for (size_t i = 0; i < contacts; ++i) {
    const Contact& contact = problem_->contacts[i];
    column_[i] = limit_row_[i] = limit_column_[i] = -1;
    needs_sign_[i] = 0;
    sign_[i] = 0.0;
    if (detaching[i]) continue;
    column_[i] = next;
    next += contact.rows();
    const bool limited = std::isfinite(loads.max_normal[static_cast<Eigen::Index>(i)]);
    if (limited) limit_row_[i] = exact_rows_ + limit_rows_++;
    const bool friction = (contact.tangents > 0 && contact.mu > 0.0) || (contact.torsional && contact.torsion > 0.0);
    needs_sign_[i] = contact.side == Side::kBilateral && (friction || limited);
  }
  for (size_t k = 0; k < problem_->loops.size(); ++k) {
    closure_column_[k] = next;
    next += problem_->loops[k].rows;
  }
  force_columns_ = next;
  for (size_t i = 0; i < contacts; ++i)
    if (limit_row_[i] >= 0) limit_column_[i] = next++;
  extra_column_ = next;
  if (extra_) next += static_cast<int>(extra_->cols());
  fixed_columns_ = next;
}

void MultiplierSet::write_exact_rows()
{
  const bool one_body = problem_->nv() == 6 && exact_rows_ == 6;  // worth a loop without counting
  const Eigen::Index stride = problem_->J.rows(), rows = program_.E.rows();
  const double* J = problem_->J.data();
  double* E = program_.E.data();
  const auto copy = [&](int row, int count, int column) {
    const double* from = J + row;
    double* to = E + column * rows;
    for (const double* end = from + count; from != end; ++from, to += rows)
      if (one_body)
        for (int i = 0; i < 6; ++i) to[i] = from[i * stride];
      else
        for (int i = 0; i < exact_rows_; ++i) to[i] = from[exact_dof_[i] * stride];
  };
  for (size_t i = 0; i < column_.size(); ++i)
    if (column_[i] >= 0) copy(problem_->contacts[i].row, problem_->contacts[i].rows(), column_[i]);
  for (size_t k = 0; k < closure_column_.size(); ++k)
    copy(problem_->loops[k].row, problem_->loops[k].rows, closure_column_[k]);
  for (int c = 0; extra_ && c < extra_->cols(); ++c)
    for (int i = 0; i < exact_rows_; ++i) program_.E(i, extra_column_ + c) = (*extra_)(exact_dof_[i], c);
}

/// Row k of the bounds: J_d'λ + columns_d δ + p = e - lower, or J_d'λ + columns_d δ - p = e - upper.
void MultiplierSet::write_bound(size_t k)
{
  const Bound& bound = bounds_[k];
  const auto row = exact_rows_ + limit_rows_ + static_cast<Eigen::Index>(k);
  for (size_t i = 0; i < column_.size(); ++i)
    for (int r = 0; column_[i] >= 0 && r < problem_->contacts[i].rows(); ++r)
      program_.E(row, column_[i] + r) = problem_->J(problem_->contacts[i].row + r, bound.dof);
  for (size_t c = 0; c < closure_column_.size(); ++c)
    for (int r = 0; r < problem_->loops[c].rows; ++r)
      program_.E(row, closure_column_[c] + r) = problem_->J(problem_->loops[c].row + r, bound.dof);
  for (int c = 0; extra_ && c < extra_->cols(); ++c) program_.E(row, extra_column_ + c) = (*extra_)(bound.dof, c);
  program_.E(row, fixed_columns_ + static_cast<Eigen::Index>(k)) = bound.upper ? -1.0 : 1.0;
}

void MultiplierSet::set_loads(const Loads& loads)
{
  if (!limited_dof_.empty() || limit_rows_ > 0) loads_ = loads;  // nobody asks for them otherwise
  for (int i = 0; i < exact_rows_; ++i) {
    const int d = exact_dof_[i];
    program_.e[i] = loads.e[d] - loads.lower[d];
    program_.e_scale[i] = std::max(loads.e_scale[d], std::abs(loads.lower[d]));
  }
  for (size_t i = 0; i < limit_row_.size(); ++i)
    if (limit_row_[i] >= 0) {
      program_.e[limit_row_[i]] = loads.max_normal[i];
      program_.e_scale[limit_row_[i]] = std::abs(loads.max_normal[i]);
    }
  for (size_t k = 0; k < bounds_.size(); ++k) {
    const int d = bounds_[k].dof;
    const double bound = bounds_[k].upper ? loads.upper[d] : loads.lower[d];
    const auto row = exact_rows_ + limit_rows_ + static_cast<Eigen::Index>(k);
    program_.e[row] = loads.e[d] - bound;
    program_.e_scale[row] = std::max(loads.e_scale[d], std::abs(bound));
  }
}

bool MultiplierSet::add_violated_bounds(const Eigen::VectorXd& x)
{
  if (limited_dof_.empty()) return false;
  to_lambda(x, lambda_);
  const size_t before = bounds_.size();
  for (const int d : limited_dof_) {
    double effort = loads_.e[d] - problem_->J.col(d).dot(lambda_);
    for (int c = 0; extra_ && c < extra_->cols(); ++c) effort -= (*extra_)(d, c) * x[extra_column_ + c];
    const double scale = std::max(loads_.e_scale[d], problem_->J.col(d).cwiseAbs().dot(lambda_.cwiseAbs()));
    const double tolerance = 0.25 * kRounding * scale;  // the proof forgives four times that
    if (effort < loads_.lower[d] - tolerance && !(bound_state_[d] & 1)) {
      bound_state_[d] |= 1;
      bounds_.push_back({d, false});
    }
    if (effort > loads_.upper[d] + tolerance && !(bound_state_[d] & 2)) {
      bound_state_[d] |= 2;
      bounds_.push_back({d, true});
    }
  }
  if (bounds_.size() == before) return false;
  append_bounds(before);
  return true;
}

void MultiplierSet::append_bounds(size_t first)
{
  const auto old_rows = program_.E.rows(), old_columns = program_.E.cols();
  const auto more = static_cast<Eigen::Index>(bounds_.size() - first);
  program_.E.conservativeResize(old_rows + more, old_columns + more);
  program_.E.bottomRows(more).setZero();
  program_.E.rightCols(more).setZero();
  program_.e.conservativeResize(old_rows + more);
  program_.e_scale.conservativeResize(old_rows + more);
  for (size_t k = first; k < bounds_.size(); ++k) {
    write_bound(k);
    program_.boxes.push_back({fixed_columns_ + static_cast<int>(k), 0.0, kInfinity});
  }
  set_loads(loads_);
}

bool MultiplierSet::needs_signs() const
{
  return std::any_of(needs_sign_.begin(), needs_sign_.end(), [](char needs) { return needs != 0; });
}

bool MultiplierSet::cones_have_an_inside() const
{
  for (size_t i = 0; i < column_.size(); ++i) {
    const Contact& contact = problem_->contacts[i];
    const bool thin = (contact.tangents > 0 && contact.mu == 0.0) || (contact.torsional && contact.torsion == 0.0);
    if (column_[i] >= 0 && thin) return false;
  }
  return true;
}

const ConeProgram& MultiplierSet::arrange(const Loads& loads, const std::vector<int>& signs, const Friction& friction)
{
  set_loads(loads);
  program_.cones.clear();
  program_.boxes.clear();
  program_.free.clear();
  for (size_t i = 0; i < column_.size(); ++i) {
    if (column_[i] < 0) continue;
    const Contact& c = problem_->contacts[i];
    sign_[i] = c.side == Side::kUnilateral ? 1.0 : (needs_sign_[i] ? static_cast<double>(signs[i]) : 0.0);
    if (sign_[i] == 0.0 && needs_sign_[i]) {
      for (int r = 0; r < c.rows(); ++r) program_.free.push_back(column_[i] + r);
    } else if (sign_[i] == 0.0) {  // bilateral without friction: the normal force is free, the rest is zero
      program_.free.push_back(column_[i]);
      for (int r = 1; r < c.rows(); ++r) program_.boxes.push_back({column_[i] + r, 0.0, 0.0});
    } else {
      program_.cones.push_back({column_[i], cone(i, friction)});
      program_.cones.back().cone.sign = sign_[i];
    }
    if (limit_row_[i] >= 0) {
      // without a chosen sign the limit is left out: a relaxation
      program_.E(limit_row_[i], column_[i]) = sign_[i];
      program_.E(limit_row_[i], limit_column_[i]) = 1.0;
      program_.boxes.push_back({limit_column_[i], 0.0, kInfinity});
    }
  }
  for (size_t k = 0; k < closure_column_.size(); ++k)
    for (int r = 0; r < problem_->loops[k].rows; ++r) program_.free.push_back(closure_column_[k] + r);
  for (int c = 0; extra_ && c < extra_->cols(); ++c) program_.free.push_back(extra_column_ + c);
  for (size_t k = 0; k < bounds_.size(); ++k)
    program_.boxes.push_back({fixed_columns_ + static_cast<int>(k), 0.0, kInfinity});
  return program_;
}

void MultiplierSet::complete(Eigen::VectorXd& x) const
{
  x.conservativeResize(program_.E.cols());
  for (size_t i = 0; i < limit_row_.size(); ++i)
    if (limit_row_[i] >= 0) x[limit_column_[i]] = std::max(0.0, loads_.max_normal[i] - sign_[i] * x[column_[i]]);
  for (size_t k = 0; k < bounds_.size(); ++k) {
    const auto row = exact_rows_ + limit_rows_ + static_cast<Eigen::Index>(k);
    long double gap = program_.e[row];
    for (int j = 0; j < force_columns_; ++j) gap -= static_cast<long double>(program_.E(row, j)) * x[j];
    for (int j = extra_column_; j < fixed_columns_; ++j) gap -= static_cast<long double>(program_.E(row, j)) * x[j];
    x[fixed_columns_ + static_cast<Eigen::Index>(k)] =
        std::max(0.0, static_cast<double>(bounds_[k].upper ? -gap : gap));
  }
}

void MultiplierSet::to_lambda(const Eigen::VectorXd& x, Eigen::VectorXd& lambda) const
{
  lambda.setZero(problem_->rows());
  for (size_t i = 0; i < column_.size(); ++i)
    for (int r = 0; column_[i] >= 0 && r < problem_->contacts[i].rows(); ++r)
      lambda[problem_->contacts[i].row + r] = x[column_[i] + r];
  for (size_t k = 0; k < closure_column_.size(); ++k)
    for (int r = 0; r < problem_->loops[k].rows; ++r) lambda[problem_->loops[k].row + r] = x[closure_column_[k] + r];
}

void MultiplierSet::from_lambda(const Eigen::VectorXd& lambda, Eigen::VectorXd& x) const
{
  x.setZero(program_.E.cols());
  for (size_t i = 0; i < column_.size(); ++i)
    for (int r = 0; column_[i] >= 0 && r < problem_->contacts[i].rows(); ++r)
      x[column_[i] + r] = lambda[problem_->contacts[i].row + r];
  for (size_t k = 0; k < closure_column_.size(); ++k)
    for (int r = 0; r < problem_->loops[k].rows; ++r) x[closure_column_[k] + r] = lambda[problem_->loops[k].row + r];
}

bool MultiplierSet::from_motion(const Eigen::VectorXd& motion, Eigen::VectorXd& y) const
{
  if (program_.E.rows() != exact_rows_ || motion.size() != problem_->nv()) return false;
  y.resize(exact_rows_);
  for (int i = 0; i < exact_rows_; ++i) y[i] = motion[exact_dof_[i]];
  return true;
}

void MultiplierSet::to_motion(const Eigen::VectorXd& y, Eigen::VectorXd& motion) const
{
  const auto nv = problem_->nv();
  Eigen::Index limited = 0;
  for (const Contact& contact : problem_->contacts) limited += std::isfinite(contact.max_normal);
  motion.setZero(nv + limited);
  for (int i = 0; i < exact_rows_; ++i) motion[exact_dof_[i]] = y[i];
  for (size_t k = 0; k < bounds_.size(); ++k) {
    const double price = y[exact_rows_ + limit_rows_ + static_cast<Eigen::Index>(k)];
    motion[bounds_[k].dof] += bounds_[k].upper ? std::max(0.0, price) : std::min(0.0, price);
  }
  Eigen::Index k = nv;
  for (size_t i = 0; i < column_.size(); ++i) {
    if (!std::isfinite(problem_->contacts[i].max_normal)) continue;
    if (limit_row_[i] >= 0 && sign_[i] != 0.0) motion[k] = std::max(0.0, -y[limit_row_[i]]);
    ++k;
  }
}

}  // namespace stiction::internal
