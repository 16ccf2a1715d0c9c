#include "solve/dual_master.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::internal {

void DualMaster::set(const Eigen::MatrixXd& A, std::vector<int> bounded)
{
  rows_ = static_cast<int>(A.rows());
  columns_ = static_cast<int>(A.cols());
  bounded_ = std::move(bounded);
  qp_.reset();
  if (rows_ == 0 || columns_ == 0) return;

  const int variables = rows_ + static_cast<int>(bounded_.size());
  constraints_.setZero(columns_, variables);
  constraints_.leftCols(rows_) = A.transpose();
  for (std::size_t k = 0; k < bounded_.size(); ++k) constraints_(bounded_[k], rows_ + static_cast<int>(k)) = -1.0;
  lower_.setConstant(variables, -qpOASES::INFTY);
  lower_.tail(variables - rows_).setZero();
  upper_.setConstant(variables, qpOASES::INFTY);  // no null pointers: without far bounds a hotstart reads them
  lower_constraint_.setConstant(columns_, -qpOASES::INFTY);
  upper_constraint_.setZero(columns_);
  if (!bounded_.empty()) {
    hessian_.setZero(variables, variables);
    hessian_.topLeftCorner(rows_, rows_).setIdentity();
  }
  start();
}

void DualMaster::start()
{
  started_ = false;
  qp_ = std::make_unique<QuietQpoases>(static_cast<int>(constraints_.cols()), columns_,
                                       bounded_.empty() ? qpOASES::HST_IDENTITY : qpOASES::HST_SEMIDEF,
                                       reliable_options());
}

bool DualMaster::solve(const Eigen::VectorXd& b, const Eigen::VectorXd& width, Eigen::VectorXd& z,
                       std::vector<Place>& place)
{
  z.setZero(columns_);
  place.assign(static_cast<std::size_t>(columns_), Place::kLower);
  iterations_ = 0;
  if (!qp_) return true;

  const int variables = static_cast<int>(constraints_.cols());
  Eigen::VectorXd gradient(variables);
  gradient.head(rows_) = -b;
  for (std::size_t k = 0; k < bounded_.size(); ++k) gradient[rows_ + static_cast<int>(k)] = width[bounded_[k]];

  Eigen::VectorXd multipliers(variables + columns_), working_set(variables + columns_);
  const bool solved = qp_->run([&](qpOASES::QProblem& qp) {
    const auto limit = static_cast<qpOASES::int_t>(200 + 10 * (variables + columns_));
    qpOASES::returnValue status = qpOASES::RET_INIT_FAILED;
    qpOASES::int_t recalculations = limit;  // in: how many are allowed, out: how many were made
    if (started_) {
      status = qp.hotstart(gradient.data(), lower_.data(), upper_.data(), lower_constraint_.data(),
                           upper_constraint_.data(), recalculations);
      iterations_ += static_cast<int>(recalculations);
      if (status != qpOASES::SUCCESSFUL_RETURN) qp.reset();
    }
    if (status != qpOASES::SUCCESSFUL_RETURN) {
      recalculations = limit;
      status =
          qp.init(bounded_.empty() ? nullptr : hessian_.data(), gradient.data(), constraints_.data(), lower_.data(),
                  upper_.data(), lower_constraint_.data(), upper_constraint_.data(), recalculations);
      iterations_ += static_cast<int>(recalculations);
    }
    qp.getDualSolution(multipliers.data());
    qp.getWorkingSet(working_set.data());
    started_ = status == qpOASES::SUCCESSFUL_RETURN;
    return started_;
  });
  if (!solved) {
    start();  // whatever state it is in, the next call shall not inherit it
    return false;
  }

  for (int j = 0; j < columns_; ++j) {
    if (working_set[variables + j] == 0.0) continue;
    z[j] = std::clamp(-multipliers[variables + j], 0.0, width[j]);  // qpOASES: negative at an upper bound
    place[static_cast<std::size_t>(j)] = Place::kPassive;
  }
  for (std::size_t k = 0; k < bounded_.size(); ++k) {
    const int j = bounded_[k];
    const bool active = place[static_cast<std::size_t>(j)] == Place::kPassive;
    if (active && working_set[rows_ + static_cast<int>(k)] == 0.0) {  // s_j > 0: z_j presses against its width
      z[j] = width[j];
      place[static_cast<std::size_t>(j)] = Place::kUpper;
    }
  }
  return solved;
}

}  // namespace stiction::internal
