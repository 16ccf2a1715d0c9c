#include "ask/shown_forces.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"

namespace stiction::internal {
namespace {

// Of the rows against the norm: stiff ones find their multipliers in few steps, soft ones leave digits to the norm.
constexpr Eigen::Index kMostColumns = 1000;  // decompositions take a second there, eight times that for 2000
constexpr double kStiffnesses[] = {1e5, 1e2};
constexpr int kMostSteps = 60;
constexpr double kReached = 1e-13;  // share of the load that a step may miss
constexpr double kSlower = 0.98;    // steps that miss more of what the last one missed lead nowhere

/// Friction that is rounding of the force beside it is none, where that is as good a solution.
void drop_noise(const ConeProgram& program, Eigen::VectorXd& x)
{
  Eigen::VectorXd clean = x;
  for (const ConeBlock& block : program.cones)
    for (int k = 1; k < block.cone.dim(); ++k)
      if (std::abs(clean[block.col + k]) <= kNoise * std::abs(clean[block.col])) clean[block.col + k] = 0.0;
  if (proves_feasible(program, clean)) x = clean;
}

}  // namespace

/// Rows that do not depend on each other, orthonormal, so that one stiffness fits them all.
void LeastNormForces::set_rows(const ConeProgram& program, Eigen::Index forces)
{
  const Eigen::Index n = program.E.cols();
  Eigen::MatrixXd scaled = program.E;
  Eigen::VectorXd e = program.e;
  for (Eigen::Index i = 0; i < scaled.rows(); ++i) {
    const double size = scaled.row(i).lpNorm<Eigen::Infinity>();
    if (!(size > 0.0)) continue;
    scaled.row(i) /= size;
    e[i] /= size;
  }
  const SingularVectors svd = thin_svd(scaled);
  Eigen::Index rank = 0;
  while (rank < svd.values.size() && svd.values[rank] > kRank * svd.values[0]) ++rank;
  rows_ = svd.V.leftCols(rank).transpose();
  b_ = (svd.U.leftCols(rank).transpose() * e).cwiseQuotient(svd.values.head(rank));
  stacked_.setZero(rank + n, n);
  stacked_.bottomRows(n).diagonal().head(forces).setOnes();
}

bool LeastNormForces::descend(const ConeProgram& program, double stiffness, Eigen::VectorXd& x)
{
  const Eigen::Index rank = rows_.rows(), n = rows_.cols();
  stacked_.topRows(rank) = stiffness * rows_;
  target_.setZero(rank + n);
  target_.head(rank) = stiffness * b_ + multipliers_ / stiffness;
  NearestPoint::Data data;
  data.m = static_cast<int>(rank + n);
  data.n = static_cast<int>(n);
  data.E = stacked_.data();
  data.e = target_.data();
  data.cones = &program.cones;
  data.boxes = &program.boxes;
  data.free = &program.free;
  double missed = kInfinity;
  for (int step = 0; step < kMostSteps; ++step) {
    const NearestPoint::Stop stop = step == 0 ? nearest_.run(data, 0.0) : nearest_.run_again(target_.data(), 0.0);
    if (stop == NearestPoint::Stop::kIterations) return false;
    x = Eigen::Map<const Eigen::VectorXd>(nearest_.x().data(), n);
    const Eigen::VectorXd miss = b_ - rows_ * x;
    if (miss.norm() <= kReached * b_.norm() || !(miss.norm() < kSlower * missed)) break;
    missed = miss.norm();
    multipliers_ += stiffness * stiffness * miss;
    target_.head(rank) += stiffness * miss;
  }
  return x.allFinite();
}

bool LeastNormForces::solve(const ConeProgram& program, Eigen::Index forces, Eigen::VectorXd& x)
{
  x.setZero(program.E.cols());
  if (program.E.rows() == 0 || program.E.cols() == 0) return true;
  if (program.E.cols() > kMostColumns) return false;
  set_rows(program, forces);
  multipliers_.setZero(rows_.rows());
  for (const double stiffness : kStiffnesses)
    if (!descend(program, stiffness, x)) return false;
  balance(program, x);
  drop_noise(program, x);
  return x.allFinite();
}

/// The forces of least norm with that much friction; effort bounds that they violate become rows.
bool ShownForces::at(const HoldProblem& problem, double factor, HoldWorkspace& workspace, HoldAnswer& shown)
{
  HoldProblem eased = problem;
  eased.friction.factor = factor;
  if (decide(eased, workspace, shown) != Verdict::kHolds) return false;
  MultiplierSet& set = problem.set;
  do {
    const ConeProgram& program = set.arrange(problem.loads, shown.signs, eased.friction);
    if (!least_norm_.solve(program, set.force_columns(), shown.forces)) return false;
  } while (set.add_violated_bounds(shown.forces));
  return true;
}

bool ShownForces::find(const HoldProblem& problem, double least, const Eigen::VectorXd& known, HoldWorkspace& workspace,
                       HoldAnswer& shown)
{
  constexpr double kBeyondLeast = 1e-5;  // beyond the least friction, where multipliers of the rows have no bound
  constexpr double kMostGrowth = 10;     // times the forces known
  constexpr int kMostTrials = 20;
  const Eigen::Index forces = problem.set.force_columns();
  if (!at(problem, (1.0 + kBeyondLeast) * least, workspace, shown)) return false;
  const double most = known.size() >= forces ? kMostGrowth * known.head(forces).norm() : kInfinity;
  if (shown.forces.head(forces).norm() <= most) return true;
  double low = std::max(least, kLeastTried), high = 1.0;
  for (int i = 0; i < kMostTrials && high > (1.0 + kBeyondLeast) * low; ++i) {
    const double middle = std::sqrt(low * high);
    if (at(problem, middle, workspace, trial_) && trial_.forces.head(forces).norm() <= most)
      high = middle;
    else
      low = middle;
  }
  return at(problem, high, workspace, shown);
}

bool ShownForces::without_cones(const ContactProblem& problem, const Loads& loads, const std::vector<char>& detaching,
                                Eigen::VectorXd& lambda)
{
  MultiplierSet all;
  all.build(problem, {}, loads, std::vector<char>(problem.contacts.size(), 0));
  ConeProgram program = all.arrange(loads, std::vector<int>(problem.contacts.size(), 0));
  program.cones.clear();
  program.boxes.clear();
  std::vector<char> pushes(static_cast<std::size_t>(program.E.cols()), 0);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (problem.contacts[i].side == Side::kUnilateral) {
      program.boxes.push_back({all.column(i), 0.0, detaching[i] ? 0.0 : kInfinity});
      pushes[static_cast<std::size_t>(all.column(i))] = 1;
    }
  program.free.clear();
  for (int j = 0; j < static_cast<int>(pushes.size()); ++j)
    if (!pushes[static_cast<std::size_t>(j)]) program.free.push_back(j);
  Eigen::VectorXd x;
  if (!least_norm_.solve(program, all.force_columns(), x)) return false;
  all.to_lambda(x, lambda);
  return true;
}

}  // namespace stiction::internal
