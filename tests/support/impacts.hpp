#pragma once

// Examples of Glocker (2012), random systems and the laws of energy that every impact obeys.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/impact.hpp"
#include "support/algebra.hpp"
#include "support/examples.hpp"
#include "support/random_problems.hpp"

namespace stiction::testing {

/// A contact that is a single row: no friction.
inline Contact single_row(int row, Side side = Side::kUnilateral)
{
  Contact c = planar_contact("c" + std::to_string(row), row, 0.0, side);
  c.tangents = 0;
  return c;
}

inline ImpactLaw one_way(double e)
{
  ImpactLaw law;
  law.normal = e;
  law.one_way = true;
  return law;
}

inline ContactProblem problem_of(const Eigen::MatrixXd& M, const Eigen::MatrixXd& J)
{
  ContactProblem p;
  p.M = M;
  p.F.setZero(M.rows());
  p.J = J;
  p.gamma.setZero(J.rows());
  return p;
}

/// Slide-push (section 6): two equal masses in a row, a wall below the first (A) and a sprag between them (B).
inline ContactProblem slide_push(double m = 1.0)
{
  ContactProblem p = problem_of(m * Eigen::Matrix2d::Identity(), (Eigen::Matrix2d() << 1, 0, -1, 1).finished());
  p.contacts = {single_row(0), single_row(1)};
  return p;
}

/// Kane's double pendulum (section 7); `friction` off: a sprag on the tangential row instead.
inline ContactProblem pendulum(double mu, bool friction = true)
{
  const double l = 2, m = 3, phi1 = 20 * M_PI / 180, phi2 = 30 * M_PI / 180, c = std::cos(phi2 - phi1);
  const Eigen::Matrix2d M = m * l * l * (Eigen::Matrix2d() << 4.0 / 3, c / 2, c / 2, 1.0 / 3).finished();
  ContactProblem p = problem_of(M, (Eigen::Matrix2d() << l * std::sin(phi1), l * std::sin(phi2),  //
                                    -l * std::cos(phi1), -l * std::cos(phi2))
                                       .finished());
  if (friction)
    p.contacts = {planar_contact("tip", 0, mu)};
  else
    p.contacts = {single_row(0), single_row(1)};
  return p;
}
inline const Eigen::Vector2d kPendulumSpeed(-0.1, -0.2);

inline ImpactLaw bounce(double normal, double tangential = 0.0)
{
  ImpactLaw law;
  law.normal = normal;
  law.tangential = tangential;
  return law;
}

/// Ball on a bar on two supports (figure 5a): ball y, bar y, angle.
inline ContactProblem ball_on_bar()
{
  ContactProblem p = problem_of(Eigen::Vector3d(1, 3, 1).asDiagonal(),
                                (Eigen::Matrix3d() << 1, -1, 1, 0, 1, -0.5, 0, 1, 0.5).finished());
  p.contacts = {single_row(0), single_row(1), single_row(2)};
  return p;
}

/// Solid sphere: G = diag(1, 3.5, 3.5)/m.
inline ContactProblem sphere(double mu)
{
  const double m = 2;
  ContactProblem p = problem_of(Eigen::Vector3d(m, m / 3.5, m / 3.5).asDiagonal(), Eigen::Matrix3d::Identity());
  Contact c = planar_contact("touch", 0, mu);
  c.tangents = 2;
  p.contacts = {c};
  return p;
}

inline ImpactResult solve(const ContactProblem& p, const Eigen::VectorXd& velocity, const std::vector<ImpactLaw>& laws)
{
  return ImpactChecker().check(p, {velocity, laws});
}

/// Velocities of draws are of size one.
inline bool close(const Eigen::VectorXd& u, const Eigen::VectorXd& v)
{
  return (u - v).norm() <= 1e-6 * (1 + v.norm());
}

/// Four forms of W (57)–(63), (97), from the definitions.
inline void expect_energy_identities(const ContactProblem& p, const Impact& impact, const ImpactSolution& s)
{
  Eigen::VectorXd e = Eigen::VectorXd::Zero(p.rows());
  for (size_t i = 0; i < p.contacts.size(); ++i) {
    const ImpactLaw law = impact.laws.empty() ? ImpactLaw{} : impact.laws[i];
    const Contact& c = p.contacts[i];
    e[c.row] = law.normal;
    e.segment(c.row + 1, c.tangents).setConstant(law.tangential);
    if (c.torsional) e[c.row + 1 + c.tangents] = law.spin;
  }
  const Eigen::MatrixXd G = delassus(p);
  const Eigen::VectorXd before = p.J * impact.velocity, after = p.J * s.velocity, L = s.impulse;
  const Eigen::VectorXd xi = after + e.cwiseProduct(before);
  const auto energy = [&](const Eigen::VectorXd& u) { return 0.5 * u.dot(p.M * u); };
  const double scale = 1e-9 * (energy(impact.velocity) + energy(s.velocity) + L.cwiseAbs().dot(before.cwiseAbs()));
  double sum = 0.0;
  for (const ContactImpact& c : s.contacts) sum += c.work();
  for (const double w : s.closure_work) sum += w;
  EXPECT_NEAR(s.energy_change, energy(s.velocity) - energy(impact.velocity), scale);
  EXPECT_NEAR(s.energy_change, sum, scale);
  const Eigen::VectorXd inner = (2 * xi - (1 - e.array()).matrix().cwiseProduct(G * L)).array() / (1 + e.array());
  EXPECT_NEAR(s.energy_change, 0.5 * L.dot(inner), scale);
  EXPECT_NEAR(s.energy_change, 0.5 * L.dot(xi) + 0.5 * L.dot(((1 - e.array()) * before.array()).matrix()), scale);
  EXPECT_LE(L.dot(xi), scale);  // (23)
  if (s.energy_bound) {
    EXPECT_LE(s.energy_change, *s.energy_bound + scale);  // (98)
  }
  // (28b), also at e = 0
  const Eigen::VectorXd backward = -e.cwiseProduct(G * L) + (1 + e.array()).matrix().cwiseProduct(after);
  EXPECT_LE((xi - backward).norm(), 1e-9 * (1 + xi.norm() + after.norm() + (G * L).norm()));
}

struct Drawn {
  ContactProblem problem;
  Impact impact;
};

/// Planar contacts with and without friction, sprags and bilateral rows with independent rows.
inline Drawn draw(Rng& rng, int contacts)
{
  Drawn d;
  int rows = 0;
  for (int i = 0; i < contacts; ++i) {
    const auto kind = rng() % 8;
    ImpactLaw law;
    if (kind < 5) {
      d.problem.contacts.push_back(planar_contact("c" + std::to_string(rows), rows, uniform(rng, 0.1, 2.0)));
      law = bounce(uniform(rng, 0, 1), uniform(rng, -0.9, 1));
      rows += 2;
    } else {
      d.problem.contacts.push_back(single_row(rows, kind == 7 ? Side::kBilateral : Side::kUnilateral));
      law = kind == 5 ? bounce(uniform(rng, 0, 1)) : (kind == 6 ? one_way(uniform(rng, -0.9, 0)) : bounce(0));
      ++rows;
    }
    d.impact.laws.push_back(law);
  }
  const int nv = rows + static_cast<int>(rng() % 3);
  const Eigen::MatrixXd A = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, nv * nv).data(), nv, nv);
  const Eigen::MatrixXd J = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, rows * nv).data(), rows, nv);
  std::vector<Contact> contact_list = d.problem.contacts;
  d.problem = problem_of(A * A.transpose() + 0.3 * Eigen::MatrixXd::Identity(nv, nv), J);
  d.problem.contacts = std::move(contact_list);
  d.impact.velocity = gaussian(rng, nv);
  return d;
}

}  // namespace stiction::testing
