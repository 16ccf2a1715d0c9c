#include "stiction/impact_input.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

constexpr double kQuarterTurn = 0.5 * std::numbers::pi;

/// Takes over the rows that move, contact by contact.
class MovingRows {
 public:
  MovingRows(const ContactProblem& problem, const Eigen::VectorXd& velocity) : source_(problem)
  {
    weight_ = Eigen::VectorXd::Ones(problem.nv());
    for (Eigen::Index j = 0; j < problem.nv(); ++j)
      if (problem.M(j, j) > 0.0) weight_[j] = 1.0 / std::sqrt(problem.M(j, j));
    for (const Contact& c : problem.contacts)
      for (int k = 0; k <= c.tangents; ++k) largest_ = std::max(largest_, reach(problem.J.row(c.row + k)));
    out_.problem = problem;
    out_.problem.contacts.clear();
    out_.problem.F.setZero();  // finite forces do nothing in an instant
    out_.problem.actuators.clear();
    out_.impact.velocity = velocity;
  }

  void add(Contact contact, ImpactLaw law)
  {
    const int row = contact.row, torsion = row + 1 + contact.tangents;
    contact.row = rows();
    take(source_.J.row(row));
    if (contact.tangents == 2)
      add_tangents(row, contact, law);
    else if (contact.tangents == 1 && idle(source_.J.row(row + 1)))
      contact.tangents = 0;
    else if (contact.tangents == 1)
      take(source_.J.row(row + 1));
    if (contact.tangents == 0) contact.mu = 0.0;
    if (contact.torsional) {
      const Eigen::RowVectorXd spin = source_.J.row(torsion);
      contact.torsional = spin.lpNorm<Eigen::Infinity>() > kRounding;
      if (contact.torsional)
        take(spin);
      else
        contact.torsion = 0.0;
    }
    out_.problem.contacts.push_back(contact);
    out_.impact.laws.push_back(law);
  }

  ImpactInput finish()
  {
    for (LoopConstraint& closure : out_.problem.loops) {
      const int row = closure.row;
      closure.row = rows();
      for (int k = 0; k < closure.rows; ++k) take(source_.J.row(row + k));
    }
    out_.problem.J.resize(rows(), source_.nv());
    for (int k = 0; k < rows(); ++k) out_.problem.J.row(k) = J_[static_cast<std::size_t>(k)];
    out_.problem.gamma.setZero(rows());
    return std::move(out_);
  }

 private:
  /// Turned so that the second tangent is the one that moves least.
  void add_tangents(int row, Contact& contact, ImpactLaw& law)
  {
    const Eigen::RowVectorXd t1 = source_.J.row(row + 1), t2 = source_.J.row(row + 2);
    const bool orthotropic = law.mu_second && *law.mu_second != contact.mu;
    const Eigen::RowVectorXd w1 = t1 * weight_.asDiagonal(), w2 = t2 * weight_.asDiagonal();
    double angle = idle(t1) && !idle(t2) ? kQuarterTurn : 0.0;
    if (!orthotropic && !idle(t1) && !idle(t2))
      angle = 0.5 * std::atan2(2.0 * w1.dot(w2), w1.squaredNorm() - w2.squaredNorm());
    const double c = angle == kQuarterTurn ? 0.0 : std::cos(angle), s = std::sin(angle);
    const Eigen::RowVectorXd along = c * t1 + s * t2, across = c * t2 - s * t1;
    if (idle(across)) {
      const Eigen::Matrix3d axes = contact.axes_W;
      contact.axes_W.col(1) = c * axes.col(1) + s * axes.col(2);
      contact.axes_W.col(2) = c * axes.col(2) - s * axes.col(1);
      if (orthotropic && angle != 0.0) contact.mu = *law.mu_second;
      law.mu_second.reset();
      contact.tangents = idle(along) ? 0 : 1;
      if (contact.tangents == 1) take(along);
    } else {
      take(t1);
      take(t2);
    }
  }

  int rows() const { return static_cast<int>(J_.size()); }
  void take(const Eigen::RowVectorXd& row) { J_.push_back(row); }
  double reach(const Eigen::RowVectorXd& row) const
  {
    return row.size() > 0 ? row.transpose().cwiseProduct(weight_).lpNorm<Eigen::Infinity>() : 0.0;
  }
  bool idle(const Eigen::RowVectorXd& row) const { return reach(row) <= kRounding * largest_; }

  const ContactProblem& source_;
  Eigen::VectorXd weight_;  ///< 1/√M_jj: rows in units of what they can do
  double largest_ = 0.0;    ///< of a normal or tangential row
  std::vector<Eigen::RowVectorXd> J_;
  ImpactInput out_;
};

}  // namespace

Eigen::VectorXd struck(const ContactProblem& problem, const Eigen::VectorXd& velocity, const Eigen::VectorXd& impulse)
{
  constexpr double kNoInertia = 1e-6;  // share that other velocities leave of one's own root of inertia
  const Eigen::VectorXd unit = problem.M.diagonal().cwiseMax(internal::kTiny).cwiseSqrt().cwiseInverse();
  internal::Cholesky inertia;
  if (!(inertia.compute(unit.asDiagonal() * problem.M * unit.asDiagonal()) > kNoInertia))
    throw InputError("impulses", "want inertia that resists a blow in every direction, got M that is singular");
  Eigen::VectorXd change = impulse.cwiseProduct(unit);
  inertia.solve(change);
  return velocity + change.cwiseProduct(unit);
}

ImpactInput impact_input(const ContactProblem& problem, const Eigen::VectorXd& velocity,
                         const std::vector<ImpactLaw>& laws)
{
  if (!laws.empty() && laws.size() != problem.contacts.size())
    throw InputError("laws", "want one per contact (" + std::to_string(problem.contacts.size()) + ") or none, got " +
                                 std::to_string(laws.size()));
  MovingRows moving(problem, velocity);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    moving.add(problem.contacts[i], laws.empty() ? ImpactLaw{} : laws[i]);
  return moving.finish();
}

}  // namespace stiction
