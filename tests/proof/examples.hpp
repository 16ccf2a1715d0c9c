#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "stiction/proof.hpp"

/// Worked examples of the specification, section 8, as bare matrices (planar), and small builders for tests.
namespace stiction::examples {

inline const StickingRules kAllowed{}, kForbidden{ConeShape::exact(), Detachment::kForbidden};

inline Eigen::VectorXd vec(std::initializer_list<double> values)
{
  Eigen::VectorXd v(static_cast<Eigen::Index>(values.size()));
  Eigen::Index i = 0;
  for (const double x : values) v[i++] = x;
  return v;
}

/// An empty problem with the given inertia (diagonal) and F.
inline ContactProblem system(const Eigen::VectorXd& inertia, const Eigen::VectorXd& F)
{
  ContactProblem p;
  p.M = inertia.asDiagonal();
  p.F = F;
  p.J.resize(0, F.size());
  p.gamma.resize(0);
  return p;
}

inline void append_rows(ContactProblem& p, const std::vector<Eigen::VectorXd>& rows)
{
  for (const Eigen::VectorXd& row : rows) {
    p.J.conservativeResize(p.J.rows() + 1, Eigen::NoChange);
    p.J.bottomRows(1) = row.transpose();
    p.gamma.conservativeResize(p.gamma.size() + 1);
    p.gamma[p.gamma.size() - 1] = 0.0;
  }
}

/// rows: normal, then tangents.
inline Contact& add_contact(ContactProblem& p, const std::string& name, double mu,
                            const std::vector<Eigen::VectorXd>& rows, Side side = Side::kUnilateral)
{
  Contact c;
  c.name = name;
  c.side = side;
  c.mu = mu;
  c.row = static_cast<int>(p.rows());
  c.tangents = static_cast<int>(rows.size()) - 1;
  append_rows(p, rows);
  p.contacts.push_back(c);
  return p.contacts.back();
}

inline void add_closure(ContactProblem& p, const std::string& name, const std::vector<Eigen::VectorXd>& rows)
{
  p.loops.push_back({name, static_cast<int>(p.rows()), static_cast<int>(rows.size())});
  append_rows(p, rows);
}

inline constexpr double kWeight = 9.81;  // mass 1

/// Example 1: block of width L and height l on flat ground, horizontal force f at the centre. "right" is at +L/2.
inline ContactProblem block(double mu, double f, double L = 0.4, double l = 1.0)
{
  ContactProblem p = system(vec({1, 1, (L * L + l * l) / 12}), vec({-f, kWeight, 0}));
  add_contact(p, "right", mu, {vec({0, 1, L / 2}), vec({1, 0, l / 2})});
  add_contact(p, "left", mu, {vec({0, 1, -L / 2}), vec({1, 0, l / 2})});
  return p;
}

/// Example 2: block on one corner with lever arms a = Jn_3 and b = Jt_3; force f and torque at the centre.
inline ContactProblem corner(double mu, double a, double b, double f, double torque)
{
  ContactProblem p = system(vec({1, 1, 0.1}), vec({-f, kWeight, -torque}));
  add_contact(p, "corner", mu, {vec({0, 1, a}), vec({1, 0, b})});
  return p;
}

/// Example 6: two fingers hold a mass on a vertical guide, q = (x, y, x1, x2).
inline ContactProblem guide(double mu1, double mu2, double F1, double F2)
{
  ContactProblem p = system(vec({1, 1, 1, 1}), vec({0, kWeight, F1, F2}));
  add_contact(p, "finger_1", mu1, {vec({1, 0, -1, 0}), vec({0, 1, 0, 0})});
  add_contact(p, "finger_2", mu2, {vec({-1, 0, 0, 1}), vec({0, 1, 0, 0})});
  add_closure(p, "rail", {vec({1, 0, 0, 0})});
  return p;
}

/// Example 6 with friction at the guide, which then is a bilateral contact with a double cone.
inline ContactProblem rough_guide(double mu1, double mu2, double mu_rail, double F1, double F2)
{
  ContactProblem p = guide(mu1, mu2, F1, F2);
  p.loops.clear();
  p.J.conservativeResize(4, Eigen::NoChange);
  p.gamma.conservativeResize(4);
  add_contact(p, "rail", mu_rail, {vec({1, 0, 0, 0}), vec({0, 1, 0, 0})}, Side::kBilateral);
  return p;
}

/// Example 6b: the fingers move vertically too, q = (x, y, x1, y1, x2, y2).
inline ContactProblem moving_fingers(double mu1, double mu2, double F1x, double F2x, double Fy)
{
  ContactProblem p = system(Eigen::VectorXd::Ones(6), vec({0, kWeight, F1x, Fy, F2x, Fy}));
  add_contact(p, "finger_1", mu1, {vec({1, 0, -1, 0, 0, 0}), vec({0, 1, 0, -1, 0, 0})});
  add_contact(p, "finger_2", mu2, {vec({-1, 0, 0, 0, 1, 0}), vec({0, 1, 0, 0, 0, -1})});
  add_closure(p, "rail", {vec({1, 0, 0, 0, 0, 0})});
  return p;
}

inline Certificate forces(const Eigen::VectorXd& a, const Eigen::VectorXd& lambda)
{
  return {CertificateKind::kForces, a, lambda, {}};
}

/// One leaf for both signs of everything.
inline Certificate motion(const ContactProblem& p, const Eigen::VectorXd& a, const Eigen::VectorXd& lambda,
                          const Eigen::VectorXd& y)
{
  return {CertificateKind::kMotion, a, lambda, {{std::vector<int>(p.contacts.size(), 0), y}}};
}

}  // namespace stiction::examples
