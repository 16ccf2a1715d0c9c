#pragma once

// Bodies on feet as bare matrices: six rows of force and moment about the origin, a point contact per corner.
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "stiction/contact_problem.hpp"
#include "support/random_problems.hpp"

namespace stiction::testing {

/// A body of mass m under gravity, held by contacts with the world: M a + F = J'λ at the origin's axes. M is that of a
/// point mass at com with a little inertia of its own.
struct Stance {
  ContactProblem problem;
  Eigen::MatrixX2d shift;    ///< change of F per metre of com
  Eigen::Vector2d position;  ///< of com
  double mass = 0.0;
  Eigen::Vector3d com, gravity;
};

inline Eigen::Matrix3d skew(const Eigen::Vector3d& v)
{
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

inline Stance make_stance(double mass, const Eigen::Vector3d& com, const Eigen::Vector3d& gravity = {0, 0, -9.81})
{
  Stance s;
  s.mass = mass;
  s.com = com;
  s.gravity = gravity;
  s.position = com.head<2>();
  const Eigen::Matrix3d c = skew(com);
  s.problem.M.setZero(6, 6);
  s.problem.M.topLeftCorner<3, 3>() = mass * Eigen::Matrix3d::Identity();
  s.problem.M.topRightCorner<3, 3>() = -mass * c;
  s.problem.M.bottomLeftCorner<3, 3>() = mass * c;
  s.problem.M.bottomRightCorner<3, 3>() = -mass * c * c + 0.1 * mass * Eigen::Matrix3d::Identity();
  s.problem.F.resize(6);
  s.problem.F << -mass * gravity, -mass * com.cross(gravity);
  s.problem.J.resize(0, 6);
  s.problem.gamma.resize(0);
  s.shift.setZero(6, 2);
  for (int k = 0; k < 2; ++k)
    s.shift.col(k).tail<3>() = -mass * Eigen::Vector3d(Eigen::Vector3d::Unit(k)).cross(gravity);
  return s;
}

/// F of the same body with its centre of mass above another point.
inline void move_com(Stance& s, const Eigen::Vector2d& c)
{
  s.problem.F += s.shift * (c - s.position);
  s.position = c;
  s.com.head<2>() = c;
}

/// A contact with chosen axes: t1 is `along` made perpendicular to the normal.
inline void add_foot(Stance& s, const Eigen::Vector3d& point, const Eigen::Vector3d& normal, double mu,
                     Side side = Side::kUnilateral)
{
  add_contact(s.problem, point, normal, mu, side);
}

/// Axes with t1 as near to the world's x as possible, so that inner(4) has its edges at 45° to it.
inline void align_axes(ContactProblem& p, size_t contact)
{
  Contact& c = p.contacts[contact];
  const Eigen::Vector3d n = c.axes_W.col(0);
  const Eigen::Vector3d t1 = (Eigen::Vector3d::UnitX() - n.x() * n).normalized(), t2 = n.cross(t1);
  c.axes_W << n, t1, t2;
  for (int k = 0; k < 3; ++k) {
    p.J.block<1, 3>(c.row + k, 0) = c.axes_W.col(k).transpose();
    p.J.block<1, 3>(c.row + k, 3) = c.point_W.cross(c.axes_W.col(k)).transpose();
  }
}

/// Corners of a rectangle with half sides a (x) and b (y) around a centre, normals up.
inline void add_flat_foot(Stance& s, const Eigen::Vector3d& centre, double a, double b, double mu)
{
  for (const auto& [x, y] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
    add_foot(s, centre + Eigen::Vector3d(x * a, y * b, 0.0), Eigen::Vector3d::UnitZ(), mu);
    align_axes(s.problem, s.problem.contacts.size() - 1);
  }
}

/// Feet on rough ground: flat soles with four corners, tilted, at heights; the centre of mass somewhere near.
inline Stance random_stance(Rng& rng, int feet, double tilt = 0.4, double spread = 0.5)
{
  const Eigen::Vector3d com(uniform(rng, -spread, spread), uniform(rng, -spread, spread), uniform(rng, 0.5, 1.2));
  Stance s = make_stance(uniform(rng, 20.0, 90.0), com);
  for (int f = 0; f < feet; ++f) {
    const Eigen::Vector3d n =
        (Eigen::Vector3d::UnitZ() + tilt * Eigen::Vector3d(uniform(rng, -1, 1), uniform(rng, -1, 1), 0.0)).normalized();
    const Eigen::Vector3d x = n.unitOrthogonal(), y = n.cross(x);
    const Eigen::Vector3d centre(uniform(rng, -spread, spread), uniform(rng, -spread, spread), uniform(rng, -0.2, 0.3));
    const double mu = uniform(rng, 0.3, 0.9);
    for (const auto& [sx, sy] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
      add_foot(s, centre + 0.1 * sx * x + 0.05 * sy * y, n, mu);
  }
  return s;
}

}  // namespace stiction::testing
