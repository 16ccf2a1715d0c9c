// Bodies that slide, of the papers, and what their tests ask of the answers.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "stiction/sliding.hpp"
#include "support/examples.hpp"

namespace stiction::sliding_test {

using stiction::testing::planar_contact;

inline constexpr double kGravity = 9.81;

inline std::optional<Eigen::Vector2d> along(double sense) { return Eigen::Vector2d(sense, 0.0); }

inline SlidingResult solved(const ContactProblem& p, const SlipDirections& slips)
{
  SlidingChecker checker;
  return checker.check(p, slips);
}

inline const FrictionScreen& screen(const WellPosedness& w, const std::string& name)
{
  for (const FrictionScreen& s : w.screens)
    if (s.name == name) return s;
  throw std::runtime_error("no screen " + name);
}

/// Normal forces of all solutions, sorted.
inline std::vector<std::vector<double>> normal_forces(const ContactProblem& p, const SlidingResult& r)
{
  std::vector<std::vector<double>> all;
  for (const SlidingSolution& s : r.solutions) {
    std::vector<double> forces;
    for (const Contact& c : p.contacts) forces.push_back(s.lambda[c.row]);
    all.push_back(forces);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// Rod of half-length l, inertia κ m l², lower tip on the ground, q = (x, y, θ).
inline ContactProblem rod(double theta, double rate, double mu, double m = 1, double l = 1, double kappa = 1.0 / 3)
{
  ContactProblem p;
  p.M = Eigen::Vector3d(m, m, kappa * m * l * l).asDiagonal();
  p.F = Eigen::Vector3d(0, m * kGravity, 0);
  p.J.resize(2, 3);
  p.J << 0, 1, -l * std::cos(theta), 1, 0, l * std::sin(theta);
  p.gamma = Eigen::Vector2d(l * rate * rate * std::sin(theta), l * rate * rate * std::cos(theta));
  p.contacts = {planar_contact("tip", 0, mu)};
  return p;
}

/// A rod of length 1 and mass 1 between two parallel horizontal guides.
inline ContactProblem painleve_klein(double theta, double mu1, double mu2)
{
  const double c = std::cos(theta), s = std::sin(theta);
  ContactProblem p;
  p.M = Eigen::Vector3d(1, 1, 1.0 / 12).asDiagonal();
  p.F = Eigen::Vector3d(0, kGravity, 0);
  p.J.resize(4, 3);
  p.J << 0, 1, -c / 2, 1, 0, s / 2, 0, 1, c / 2, 1, 0, -s / 2;
  p.gamma.setZero(4);
  p.contacts = {planar_contact("lower", 0, mu1, Side::kBilateral), planar_contact("upper", 2, mu2, Side::kBilateral)};
  return p;
}

/// Length 2, mass 1; wall bilateral, ground unilateral, θ from the ground.
inline ContactProblem ladder(double theta, double mu_wall, double mu_ground)
{
  const double c = std::cos(theta), s = std::sin(theta);
  ContactProblem p;
  p.M = Eigen::Vector3d(1, 1, 1.0 / 3).asDiagonal();
  p.F = Eigen::Vector3d(0, kGravity, 0);
  p.J.resize(4, 3);
  p.J << 1, 0, s, 0, 1, c, 0, 1, -c, 1, 0, -s;
  p.gamma.setZero(4);
  p.contacts = {planar_contact("wall", 0, mu_wall, Side::kBilateral), planar_contact("ground", 2, mu_ground)};
  return p;
}

inline Contact normal_only(std::string name, int row)
{
  Contact c;
  c.name = std::move(name);
  c.row = row;
  c.tangents = 0;
  return c;
}

inline const double kWorstAngle = std::atan(2.0);              ///< of the rod: least critical friction
inline const SlipDirections kFalling = {along(-1), along(1)};  ///< the ladder: down the wall, away from it

}  // namespace stiction::sliding_test
