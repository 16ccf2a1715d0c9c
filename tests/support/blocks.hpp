#pragma once

// Walls, arches and piles of free blocks as sparse contact problems: six degrees of freedom a block, velocities of its
// centre and about it, in world axes.
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "stiction/contact_problem.hpp"

namespace stiction::test {

class Blocks {
 public:
  explicit Blocks(double mu) : mu_(mu) {}

  /// @return its number
  int add(const Eigen::Vector3d& center, double mass)
  {
    center_.push_back(center);
    mass_.push_back(mass);
    return static_cast<int>(center_.size()) - 1;
  }
  int count() const { return static_cast<int>(center_.size()); }
  const Eigen::Vector3d& center(int block) const { return center_[static_cast<std::size_t>(block)]; }

  /// `above` rests at `point` on `below` (-1: the ground); the normal points into `above`.
  void touch(int above, int below, const Eigen::Vector3d& point, const Eigen::Vector3d& normal)
  {
    touches_.push_back({above, below, point, normal});
  }

  /// The corners of the horizontal or vertical rectangle that two boxes share.
  void touch(int above, int below, const Eigen::Vector3d& corner, const Eigen::Vector3d& side,
             const Eigen::Vector3d& other, const Eigen::Vector3d& normal)
  {
    for (const double s : {0.0, 1.0})
      for (const double t : {0.0, 1.0}) touch(above, below, corner + s * side + t * other, normal);
  }

  ContactProblem problem() const
  {
    const int nv = 6 * count();
    ContactProblem p;
    p.F.setZero(nv);
    std::vector<Eigen::Triplet<double>> mass, rows;
    for (int i = 0; i < count(); ++i) {
      const double m = mass_[static_cast<std::size_t>(i)];
      for (int k = 0; k < 6; ++k) mass.emplace_back(6 * i + k, 6 * i + k, k < 3 ? m : 0.2 * m);
      p.F[6 * i + 2] = 9.81 * m;
    }
    int row = 0;
    for (const Touch& t : touches_) {
      Contact c;
      c.name = "c" + std::to_string(p.contacts.size());
      c.mu = mu_;
      c.row = row;
      c.point_W = t.point;
      c.axes_W.col(0) = t.normal;
      c.axes_W.col(1) = t.normal.unitOrthogonal();
      c.axes_W.col(2) = c.axes_W.col(0).cross(c.axes_W.col(1));
      for (const auto& [block, sign] : {std::pair{t.above, 1.0}, {t.below, -1.0}}) {
        if (block < 0) continue;
        const Eigen::Vector3d arm = t.point - center(block);
        for (int r = 0; r < 3; ++r) {
          const Eigen::Vector3d axis = c.axes_W.col(r), moment = arm.cross(axis);
          for (int k = 0; k < 3; ++k) {
            if (axis[k] != 0.0) rows.emplace_back(row + r, 6 * block + k, sign * axis[k]);
            if (moment[k] != 0.0) rows.emplace_back(row + r, 6 * block + 3 + k, sign * moment[k]);
          }
        }
      }
      row += 3;
      p.contacts.push_back(c);
    }
    p.gamma.setZero(row);
    p.sparse_M.resize(nv, nv);
    p.sparse_M.setFromTriplets(mass.begin(), mass.end());
    p.sparse_J.resize(row, nv);
    p.sparse_J.setFromTriplets(rows.begin(), rows.end());
    return p;
  }

 private:
  struct Touch {
    int above, below;
    Eigen::Vector3d point, normal;
  };
  double mu_;
  std::vector<Eigen::Vector3d> center_;
  std::vector<double> mass_;
  std::vector<Touch> touches_;
};

/// Courses of `length` blocks of 2 x 1 x 1 m, every other one `bond` m along the wall. The last block of such a course
/// tips off its end when its centre is beyond it: bond > 1.
inline ContactProblem wall(int length, int courses, double mu, double bond = 0.6)
{
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(), z = Eigen::Vector3d::UnitZ();
  Blocks blocks(mu);
  const auto start = [&](int i, int k) { return 2.0 * i + (k % 2) * bond; };
  for (int k = 0; k < courses; ++k)
    for (int i = 0; i < length; ++i) {
      const int own = blocks.add({start(i, k) + 1.0, 0.5, k + 0.5}, 2.0);
      if (k == 0) blocks.touch(own, -1, start(i, k) * x, 2.0 * x, y, z);
      for (int j = std::max(0, i - 1); k > 0 && j <= std::min(length - 1, i + 1); ++j) {
        const double from = std::max(start(i, k), start(j, k - 1)), to = std::min(start(i, k), start(j, k - 1)) + 2.0;
        if (to > from + 1e-9) blocks.touch(own, (k - 1) * length + j, from * x + k * z, (to - from) * x, y, z);
      }
      if (i > 0) blocks.touch(own, own - 1, start(i, k) * x + k * z, y, z, x);
    }
  return blocks.problem();
}

/// `arches` half circles side by side, each of `voussoirs` stones from one springing to the other, of radius 1 m and
/// this thickness: 0.107 is the least that stands.
inline ContactProblem arcade(int arches, int voussoirs, double thickness, double mu = 0.8)
{
  Blocks blocks(mu);
  const double step = std::numbers::pi / voussoirs;
  for (int a = 0; a < arches; ++a) {
    const Eigen::Vector3d foot(3.0 * a, 0.0, 0.0);
    const auto spoke = [](double angle) { return Eigen::Vector3d(std::cos(angle), 0.0, std::sin(angle)); };
    for (int i = 0; i <= voussoirs; ++i) {
      const double angle = i * step;
      const int own = i < voussoirs ? blocks.add(foot + spoke(angle + 0.5 * step), thickness * step) : -1;
      const int before = i > 0 ? (own >= 0 ? own : blocks.count()) - 1 : -1;
      const Eigen::Vector3d normal(-std::sin(angle), 0.0, std::cos(angle));  // towards larger angles
      for (const double radius : {1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness})
        for (const double y : {-0.2, 0.2}) {
          const Eigen::Vector3d point = foot + radius * spoke(angle) + y * Eigen::Vector3d::UnitY();
          if (own >= 0)
            blocks.touch(own, before, point, normal);
          else
            blocks.touch(before, -1, point, -normal);
        }
    }
  }
  return blocks.problem();
}

/// A pyramid of cubes, each on four, with a base of `base` x `base`.
inline ContactProblem pile(int base, double mu)
{
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(), z = Eigen::Vector3d::UnitZ();
  Blocks blocks(mu);
  std::vector<int> below;
  for (int k = 0; k < base; ++k) {
    const int n = base - k;
    std::vector<int> here;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const Eigen::Vector3d corner(i + 0.5 * k, j + 0.5 * k, k);
        const int own = blocks.add(corner + Eigen::Vector3d::Constant(0.5), 1.0);
        here.push_back(own);
        if (k == 0) blocks.touch(own, -1, corner, x, y, z);
        for (int q = 0; k > 0 && q < 4; ++q) {
          const int s = q / 2, t = q % 2;
          const auto under = static_cast<std::size_t>((i + s) * (n + 1) + j + t);
          blocks.touch(own, below[under], corner + 0.5 * (s * x + t * y), 0.5 * x, 0.5 * y, z);
        }
      }
    below = here;
  }
  return blocks.problem();
}

}  // namespace stiction::test
