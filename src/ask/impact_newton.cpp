// Newton's method on the equations of the impact laws.
#include "ask/impact_newton.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ask/propositions_algebra.hpp"
#include "base/numerics.hpp"

namespace stiction::internal {

using Mode = ContactImpactMode;

namespace {

constexpr double kLastColumn = 1e-15;    // in place of kDependent, where that leaves equations of a mode unsolved
constexpr double kImpulseNoise = 1e-13;  // share of the largest impulse that is left of others that cancel

/// Residual and slope in (d, Λ): M d - J'Λ, then one equation per row of J by mode. Every row with a law has weight
/// one, impulses that are zero too.
struct Equations {
  const ContactProblem& p;
  const Eigen::VectorXd& z;
  const Eigen::VectorXd xi;
  Eigen::VectorXd& r;
  Eigen::MatrixXd& slope;
  const Eigen::Index nv = p.nv();

  double impulse(int row) const { return z[nv + row]; }

  void held(int row)
  {
    r[nv + row] = xi[row];
    slope.row(nv + row).head(nv) = p.J.row(row);
  }

  /// Λ_row = ratio Λ_normal
  void tied(int row, int normal, double ratio)
  {
    r[nv + row] = impulse(row) - ratio * impulse(normal);
    slope(nv + row, nv + row) = 1.0;
    slope(nv + row, nv + normal) -= ratio;
  }

  /// Λ_t = -sign mu Λ_n (direction of slip), of a contact in space.
  void slipping(const Contact& c, const Mode& mode, double sign)
  {
    const int t = c.row + 1;
    Eigen::Vector2d direction = xi.segment<2>(t);
    const double speed = direction.norm(), middle = 0.5 * (mode.from + mode.to);
    direction = speed > 0.0 ? Eigen::Vector2d(direction / speed) : Eigen::Vector2d(std::cos(middle), std::sin(middle));
    r.segment<2>(nv + t) = z.segment<2>(nv + t) + sign * c.mu * impulse(c.row) * direction;
    slope.block<2, 2>(nv + t, nv + t).setIdentity();
    slope.block<2, 1>(nv + t, nv + c.row) += sign * c.mu * direction;
    if (!(speed > 0.0)) return;
    const Eigen::Matrix2d turn = Eigen::Matrix2d::Identity() - direction * direction.transpose();
    slope.block(nv + t, 0, 2, nv) += (sign * c.mu * impulse(c.row) / speed) * turn * p.J.middleRows(t, 2);
  }

  void contact(const ImpactElement& element, const Mode& mode)
  {
    const Contact& c = element.contact;
    const bool open = mode.normal == Mode::Normal::kOpen, slips = mode.tangential == Mode::Tangential::kSlip;
    const double sign = mode.normal == Mode::Normal::kPulls ? -1.0 : 1.0;
    open ? tied(c.row, c.row, 0.0) : held(c.row);
    if (c.tangents == 2 && !open && element.rubs() && slips)
      slipping(c, mode, sign);
    else
      for (int row = c.row + 1; row <= c.row + c.tangents; ++row)
        if (open || !element.rubs())
          tied(row, c.row, 0.0);
        else if (slips)
          tied(row, c.row, mode.from == 0.0 ? -sign * c.mu : sign * c.mu);
        else
          held(row);
    if (!c.torsional) return;
    const int row = element.torsion_row();
    if (open || !element.twists())
      tied(row, c.row, 0.0);
    else if (mode.spin == Mode::Spin::kStick)
      held(row);
    else
      tied(row, c.row, mode.spin == Mode::Spin::kPositive ? -sign * c.torsion : sign * c.torsion);
  }
};

}  // namespace

ImpactNewton::ImpactNewton(const ContactProblem& problem, const Impact& impact,
                           const std::vector<ImpactElement>& elements, const MotionBounds& bounds)
    : problem_(problem), stretch_(Eigen::VectorXd::Ones(problem.rows())), elements_(elements), bounds_(bounds)
{
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactElement element(problem, impact, i);
    for (int k = 0; k < element.contact.tangents; ++k) stretch_[element.contact.row + 1 + k] = element.stretch(k);
  }
  problem_.F.setZero();
  problem_.J = stretch_.asDiagonal() * problem.J;
  problem_.gamma = (1.0 + restitutions(problem, impact).array()) * (problem_.J * impact.velocity).array();
  problem_.actuators.clear();
  // Velocities in units of 1/√M_ii; impulses likewise through their rows.
  units_.setOnes(problem_.nv() + problem_.rows());
  for (Eigen::Index i = 0; i < problem_.nv(); ++i)
    if (problem_.M(i, i) > 0.0) units_[i] = 1.0 / std::sqrt(problem_.M(i, i));
  for (Eigen::Index i = 0; i < problem_.rows(); ++i) {
    const double size = (problem_.J.row(i).transpose().cwiseProduct(units_.head(problem_.nv()))).norm();
    if (size > 0.0) units_[problem_.nv() + i] = 1.0 / size;
  }
}

std::vector<Mode> ImpactNewton::modes_at(const Eigen::VectorXd& z) const
{
  const ContactProblem& p = problem_;
  const Eigen::VectorXd xi = p.J * z.head(p.nv()) + p.gamma, step = units_.tail(p.rows()).cwiseAbs2();
  const Eigen::VectorXd impulse = z.tail(p.rows()), aim = impulse - step.cwiseProduct(xi);
  std::vector<Mode> modes(elements_.size());
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const ImpactElement& element = elements_[i];
    const Contact& c = element.contact;
    Mode& mode = modes[i];
    const double normal = element.bilateral() ? impulse[c.row] : aim[c.row], pressing = std::abs(normal);
    mode.normal = normal > 0.0          ? Mode::Normal::kPushes
                  : element.bilateral() ? Mode::Normal::kPulls
                                        : Mode::Normal::kOpen;
    if (mode.normal == Mode::Normal::kOpen) continue;
    const auto friction = aim.segment(c.row + 1, c.tangents);
    mode.tangential = friction.norm() > c.mu * pressing ? Mode::Tangential::kSlip : Mode::Tangential::kStick;
    if (c.tangents == 1 && friction[0] > 0.0) mode.from = mode.to = std::numbers::pi;  // it slips against its friction
    if (!element.twists()) continue;
    const double moment = aim[element.torsion_row()];
    mode.spin = std::abs(moment) <= c.torsion * pressing ? Mode::Spin::kStick
                : moment > 0.0                           ? Mode::Spin::kNegative
                                                         : Mode::Spin::kPositive;
  }
  return modes;
}

bool ImpactNewton::solve(const std::vector<Mode>& modes, Eigen::VectorXd& z) const
{
  const auto nv = problem_.nv(), rows = problem_.rows();
  Eigen::VectorXd r(nv + rows);
  Eigen::MatrixXd slope(nv + rows, nv + rows);
  double dependent = kDependent;
  for (int step = 0; step < 25; ++step) {
    equations(modes, z, r, slope);
    Eigen::VectorXd weight = units_;  // of equations: momenta and velocities
    for (Eigen::Index i = nv; i < nv + rows; ++i)
      if (slope(i, i) != 0.0) weight[i] = 1.0 / units_[i];  // impulses
    slope = weight.asDiagonal() * slope * units_.asDiagonal();
    const Eigen::VectorXd change = LeastNorm(slope, dependent).solve(weight.cwiseProduct(r));
    if (!change.allFinite()) return false;
    z -= units_.cwiseProduct(change);
    if (step == 0 || change.norm() > kNoise * z.cwiseQuotient(units_).norm()) continue;
    // What is left of a velocity belongs to a column that only seemed dependent.
    const bool kept =
        (r.tail(rows).array().abs() <= kSolve * bounds_.row.array() || slope.diagonal().tail(rows).array() != 0.0)
            .all();
    if (kept || dependent == kLastColumn) break;
    dependent = kLastColumn;
  }
  return true;
}

void ImpactNewton::equations(const std::vector<Mode>& modes, const Eigen::VectorXd& z, Eigen::VectorXd& r,
                             Eigen::MatrixXd& slope) const
{
  const ContactProblem& p = problem_;
  const auto nv = p.nv(), rows = p.rows();
  slope.setZero();
  slope.topLeftCorner(nv, nv) = p.M;
  slope.topRightCorner(nv, rows) = -p.J.transpose();
  r.head(nv) = p.M * z.head(nv) - p.J.transpose() * z.tail(rows);
  Equations at{p, z, p.J * z.head(nv) + p.gamma, r, slope};
  for (const LoopConstraint& closure : p.loops)
    for (int row = closure.row; row < closure.row + closure.rows; ++row) at.held(row);
  for (std::size_t i = 0; i < elements_.size(); ++i) at.contact(elements_[i], modes[i]);
}

Eigen::VectorXd ImpactNewton::tidy(const std::vector<Mode>& modes, Eigen::VectorXd impulse) const
{
  const double noise = kImpulseNoise * (impulse.size() > 0 ? impulse.lpNorm<Eigen::Infinity>() : 0.0);
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const ImpactElement& element = elements_[i];
    const Contact& c = element.contact;
    double& normal = impulse[c.row];
    auto tangential = impulse.segment(c.row + 1, c.tangents);
    if (modes[i].normal == Mode::Normal::kOpen || (!element.bilateral() && std::abs(normal) <= noise))
      impulse.segment(c.row, c.rows()).setZero();
    if (!element.rubs()) tangential.setZero();
    const double budget = c.mu * std::abs(normal), reach = tangential.norm();
    if (reach > budget && reach <= budget * (1.0 + kRimShare) + noise) tangential *= reach > 0.0 ? budget / reach : 0.0;
    if (!c.torsional) continue;
    double& moment = impulse[element.torsion_row()];
    const double limit = element.twists() ? c.torsion * std::abs(normal) : 0.0;
    if (std::abs(moment) <= limit * (1.0 + kRimShare) + noise) moment = std::clamp(moment, -limit, limit);
  }
  return impulse;
}

}  // namespace stiction::internal
