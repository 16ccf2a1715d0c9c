#pragma once

// Contact problems with a known verdict: the answer is chosen first and the problem is built around it.
#include <Eigen/Geometry>
#include <random>

#include "stiction/contact_problem.hpp"

namespace stiction::testing {

using Rng = std::mt19937;

inline double uniform(Rng& rng, double lower, double upper)
{
  return std::uniform_real_distribution<double>(lower, upper)(rng);
}
inline Eigen::VectorXd gaussian(Rng& rng, Eigen::Index n)
{
  std::normal_distribution<double> normal;
  Eigen::VectorXd v(n);
  for (Eigen::Index i = 0; i < n; ++i) v[i] = normal(rng);
  return v;
}

/// Adds a point contact of a free rigid body (twist: linear, angular at the origin) with the world.
inline void add_contact(ContactProblem& p, const Eigen::Vector3d& point, const Eigen::Vector3d& normal, double mu,
                        Side side = Side::kUnilateral, int body = 0)
{
  Contact c;
  c.name = "c" + std::to_string(p.contacts.size());
  c.row = static_cast<int>(p.J.rows());
  c.mu = mu;
  c.side = side;
  c.point_W = point;
  const Eigen::Vector3d n = normal.normalized(), t1 = n.unitOrthogonal(), t2 = n.cross(t1);
  c.axes_W << n, t1, t2;
  const Eigen::Index row = p.J.rows(), nv = p.F.size();
  p.J.conservativeResize(row + 3, nv);
  p.J.bottomRows(3).setZero();
  for (int k = 0; k < 3; ++k) {
    p.J.block<1, 3>(row + k, 6 * body) = c.axes_W.col(k).transpose();
    p.J.block<1, 3>(row + k, 6 * body + 3) = point.cross(c.axes_W.col(k)).transpose();
  }
  p.gamma.conservativeResize(row + 3);
  p.gamma.tail(3).setZero();
  p.contacts.push_back(c);
}

inline ContactProblem free_body(Rng& rng, int bodies = 1)
{
  ContactProblem p;
  p.M.setZero(6 * bodies, 6 * bodies);
  for (int b = 0; b < bodies; ++b) {
    const double m = uniform(rng, 0.5, 3.0);
    const Eigen::MatrixXd A = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, 9).data(), 3, 3);
    p.M.block<3, 3>(6 * b, 6 * b) = m * Eigen::Matrix3d::Identity();
    p.M.block<3, 3>(6 * b + 3, 6 * b + 3) = 0.1 * m * (A * A.transpose() + Eigen::Matrix3d::Identity());
  }
  p.F.setZero(6 * bodies);
  p.J.resize(0, 6 * bodies);
  return p;
}

/// Random points in a box, normals in all directions or mostly up.
inline ContactProblem random_contacts(Rng& rng, int contacts, double spread, Side side = Side::kUnilateral)
{
  ContactProblem p = free_body(rng);
  for (int i = 0; i < contacts; ++i) {
    const Eigen::Vector3d normal = Eigen::Vector3d(gaussian(rng, 3)) * spread + Eigen::Vector3d::UnitZ();
    add_contact(p, {uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -0.3, 0.3)}, normal, uniform(rng, 0.1, 1.2),
                side);
  }
  return p;
}

/// Loads the problem with forces strictly inside every cone: it holds, with acceleration zero.
inline void make_holding(Rng& rng, ContactProblem& p)
{
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(p.rows());
  for (const Contact& c : p.contacts) {
    lambda[c.row] = uniform(rng, 0.2, 2.0) * (c.side == Side::kBilateral && rng() % 2 ? -1.0 : 1.0);
    if (c.tangents == 0) continue;
    Eigen::VectorXd t = gaussian(rng, c.tangents).normalized();
    lambda.segment(c.row + 1, c.tangents) = t * uniform(rng, 0, 0.9) * c.mu * std::abs(lambda[c.row]);
  }
  for (const LoopConstraint& c : p.loops) lambda.segment(c.row, c.rows) = gaussian(rng, c.rows);
  p.F = p.J.transpose() * lambda;
}

/// Turns normals and lowers friction until a chosen motion y is opposed by no admissible force, then loads the problem
/// so that y'F > 0 with multipliers that push: it fails although Gauss' principle has acceleration zero. Only for
/// unilateral contacts with two tangents. Returns false when the draw is unsuitable.
inline bool make_failing(Rng& rng, ContactProblem& p)
{
  const Eigen::VectorXd y = gaussian(rng, p.nv());
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(p.rows());
  for (Contact& c : p.contacts) {
    Eigen::Vector3d h = p.J.middleRows(c.row, 3) * y;
    if (h[0] > 0.0) {
      p.J.middleRows(c.row, 2) *= -1.0;  // normal and one tangent: still right-handed
      c.axes_W.leftCols<2>() *= -1.0;
      h.head<2>() *= -1.0;
    }
    const double sideways = h.tail<2>().norm();
    if (sideways < 0.05 || h[0] > -0.05) return false;
    c.mu = std::min(c.mu, -h[0] / sideways * uniform(rng, 0.2, 0.9));
    lambda[c.row] = uniform(rng, 0.2, 2.0);
    lambda.segment<2>(c.row + 1) = h.tail<2>() / sideways * (-h[0] / sideways) * lambda[c.row] * uniform(rng, 1.1, 3.0);
  }
  p.F = p.J.transpose() * lambda;
  return !p.contacts.empty();
}

/// make_holding or make_failing; false when the draw is unsuitable.
inline bool make_either(Rng& rng, ContactProblem& p, bool holds)
{
  if (!holds) return make_failing(rng, p);
  make_holding(rng, p);
  return true;
}

/// The same problem in other units: lengths times `length`, masses times `mass` (forces scale with both).
inline ContactProblem in_units(const ContactProblem& p, double length, double mass)
{
  // free body: linear rates scale with length, angular do not; rows of contacts are lengths
  ContactProblem q = p;
  Eigen::VectorXd unit(p.nv());
  for (Eigen::Index i = 0; i < p.nv(); ++i) unit[i] = (i / 3) % 2 == 0 ? length : 1.0;
  for (Eigen::Index i = 0; i < p.nv(); ++i) {
    for (Eigen::Index j = 0; j < p.nv(); ++j) q.M(i, j) = p.M(i, j) * mass * length * length / (unit[i] * unit[j]);
    q.F[i] = p.F[i] * mass * length * length / unit[i];
    q.J.col(i) = p.J.col(i) * length / unit[i];
  }
  q.gamma *= length;
  return q;
}

}  // namespace stiction::testing
