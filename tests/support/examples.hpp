#pragma once

// The worked examples of the paper as bare matrices (planar: one tangent per contact).
#include <cmath>
#include <string>
#include <vector>

#include "stiction/contact_problem.hpp"

namespace stiction::testing {

inline Contact planar_contact(std::string name, int row, double mu, Side side = Side::kUnilateral)
{
  Contact contact;
  contact.name = std::move(name);
  contact.row = row;
  contact.tangents = 1;
  contact.mu = mu;
  contact.side = side;
  return contact;
}

/// Example 1: block of width L and height l on flat ground, q = (x, y, θ) at the centre, two corner contacts.
/// `push` acts horizontally at the centre.
inline ContactProblem block_on_ground(double m, double L, double l, double mu, double push, double g = 9.81)
{
  ContactProblem p;
  p.M = Eigen::Vector3d(m, m, m * (L * L + l * l) / 12.0).asDiagonal();
  p.F = Eigen::Vector3d(-push, m * g, 0.0);
  p.J.resize(4, 3);
  p.J << 0, 1, L / 2,  // normal of the right corner
      1, 0, l / 2,     //
      0, 1, -L / 2,    // normal of the left corner
      1, 0, l / 2;
  p.gamma.setZero(4);
  p.contacts = {planar_contact("right", 0, mu), planar_contact("left", 2, mu)};
  return p;
}

/// Example 2: the same block standing on one corner at angle θ.
inline ContactProblem block_on_corner(double m, double L, double l, double theta, double mu, const Eigen::Vector3d& F)
{
  ContactProblem p;
  p.M = Eigen::Vector3d(m, m, m * (L * L + l * l) / 12.0).asDiagonal();
  p.F = F;
  p.J.resize(2, 3);
  p.J << 0, 1, (l * std::sin(theta) - L * std::cos(theta)) / 2,  //
      1, 0, (l * std::cos(theta) + L * std::sin(theta)) / 2;
  p.gamma.setZero(2);
  p.contacts = {planar_contact("corner", 0, mu)};
  return p;
}

/// After example 5: a disk (x, y, θ) of radius r and three fingers, each pushing radially with one prismatic joint.
inline ContactProblem three_fingers(double m, double I, double r, const Eigen::Vector3d& push, double mu, double g)
{
  ContactProblem p;
  p.M = (Eigen::VectorXd(6) << m, m, I, 0.5, 0.5, 0.5).finished().asDiagonal();
  p.F = (Eigen::VectorXd(6) << 0, m * g, 0, -push[0], -push[1], -push[2]).finished();
  p.J.setZero(6, 6);
  for (int i = 0; i < 3; ++i) {
    const double angle = M_PI / 2 + i * 2 * M_PI / 3;
    const double c = std::cos(angle), s = std::sin(angle);
    // normal into the object: -(c, s); the finger moves along it. Relative velocity: object minus finger.
    p.J.row(2 * i) << -c, -s, 0, 0, 0, 0;
    p.J(2 * i, 3 + i) = -1;
    p.J.row(2 * i + 1) << -s, c, r, 0, 0, 0;
    p.contacts.push_back(planar_contact("finger_" + std::to_string(i + 1), 2 * i, mu));
  }
  p.gamma.setZero(6);
  return p;
}

/// Example 6: two fingers press a mass on a vertical bilateral frictionless guide, q = (x, y, x1, x2), unit masses.
inline ContactProblem fingers_on_guide(double F1, double F2, double mu1, double mu2, double g = 9.81)
{
  ContactProblem p;
  p.M = Eigen::MatrixXd::Identity(4, 4);
  p.F = Eigen::Vector4d(0, g, F1, F2);
  p.J.resize(5, 4);
  p.J << 1, 0, -1, 0,  // finger 1 from the left: normal +x into the mass
      0, 1, 0, 0,      //
      -1, 0, 0, 1,     // finger 2 from the right
      0, 1, 0, 0,      //
      1, 0, 0, 0;      // guide
  p.gamma.setZero(5);
  p.contacts = {planar_contact("finger_1", 0, mu1), planar_contact("finger_2", 2, mu2)};
  p.loops = {{"guide", 4, 1}};
  return p;
}

/// Example 6b: the same with fingers free to move vertically, q = (x, y, x1, y1, x2, y2).
inline ContactProblem moving_fingers_on_guide(double F1x, double F2x, double Fy, double mu1, double mu2,
                                              double g = 9.81)
{
  ContactProblem p;
  p.M = Eigen::MatrixXd::Identity(6, 6);
  p.F = (Eigen::VectorXd(6) << 0, g, F1x, Fy, F2x, Fy).finished();
  p.J.setZero(5, 6);
  p.J.row(0) << 1, 0, -1, 0, 0, 0;
  p.J.row(1) << 0, 1, 0, -1, 0, 0;
  p.J.row(2) << -1, 0, 0, 0, 1, 0;
  p.J.row(3) << 0, 1, 0, 0, 0, -1;
  p.J.row(4) << 1, 0, 0, 0, 0, 0;
  p.gamma.setZero(5);
  p.contacts = {planar_contact("finger_1", 0, mu1), planar_contact("finger_2", 2, mu2)};
  p.loops = {{"guide", 4, 1}};
  return p;
}

}  // namespace stiction::testing
