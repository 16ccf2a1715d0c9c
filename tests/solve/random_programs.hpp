#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "stiction/cone.hpp"
#include "stiction/cone_program.hpp"

namespace stiction::test {

/// "draw 7", for messages.
inline std::string number(const char* what, int i) { return std::string(what) + " " + std::to_string(i); }

/// Random cone programs whose answer is known because they were built around it.
class RandomPrograms {
 public:
  explicit RandomPrograms(unsigned seed) : rng_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(rng_); }
  double gauss() { return std::normal_distribution<double>()(rng_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng_); }
  Eigen::VectorXd vector(Eigen::Index n)
  {
    return Eigen::VectorXd::NullaryExpr(n, [&] { return gauss(); });
  }
  Eigen::Vector3d unit() { return vector(3).normalized(); }

  /// Wrench map of a contact: columns normal, t1, t2 (and torsion); rows force, moment.
  static Eigen::MatrixXd wrenches(const Eigen::Vector3d& point, const Eigen::Vector3d& normal, const FrictionCone& cone)
  {
    const Eigen::Vector3d t1 = normal.unitOrthogonal(), t2 = normal.cross(t1);
    Eigen::MatrixXd E = Eigen::MatrixXd::Zero(6, cone.dim());
    int c = 0;
    const auto force = [&](const Eigen::Vector3d& axis) {
      E.block<3, 1>(0, c) = axis;
      E.block<3, 1>(3, c++) = point.cross(axis);
    };
    force(normal);
    if (cone.tangents > 0) force(t1);
    if (cone.tangents > 1) force(t2);
    if (cone.torsional) E.block<3, 1>(3, c) = normal;
    return E;
  }

  FrictionCone cone(const ConeShape& shape)
  {
    FrictionCone result;
    result.shape = shape;
    result.mu = integer(0, 7) == 0 ? 0.0 : uniform(0.05, 1.5);
    result.torsional = integer(0, 5) == 0;
    result.torsion = result.torsional ? uniform(0.0, 0.1) : 0.0;
    result.tangents = integer(0, 9) == 0 ? 1 : 2;
    return result;
  }

  void append(ConeProgram& program, const Eigen::MatrixXd& columns, const FrictionCone& cone)
  {
    const Eigen::Index old = program.E.cols();
    program.E.conservativeResize(columns.rows(), old + columns.cols());
    program.E.rightCols(columns.cols()) = columns;
    program.cones.push_back({static_cast<int>(old), cone});
  }

  /// A force of the cone: a positive combination of `rays` extreme rays.
  Eigen::VectorXd force(const FrictionCone& cone, int rays)
  {
    Eigen::VectorXd f = Eigen::VectorXd::Zero(cone.dim()), ray(cone.dim());
    for (int k = 0; k < rays; ++k) {
      const Eigen::VectorXd h = vector(cone.dim());
      support(cone, h, ray);
      f += uniform(0.0, 2.0) * ray;
    }
    return f;
  }

  /// Contacts anywhere on a body, normals anyhow; e is what chosen admissible forces add up to.
  ConeProgram feasible(int contacts, const ConeShape& shape, int rays = 4)
  {
    ConeProgram program;
    program.E.resize(6, 0);
    program.e = program.e_scale = Eigen::VectorXd::Zero(6);
    for (int i = 0; i < contacts; ++i) {
      const FrictionCone k = cone(shape);
      append(program, wrenches(vector(3), unit(), k), k);
      const Eigen::VectorXd f = force(k, rays);
      program.e += program.E.rightCols(k.dim()) * f;
      program.e_scale += program.E.rightCols(k.dim()).cwiseAbs() * f.cwiseAbs();
    }
    return program;
  }

  /// A motion y that every contact lets happen (`clearance` = 0: some only just), and a load that drives it by
  /// `drive`.
  ConeProgram infeasible(int contacts, const ConeShape& shape, double drive, double clearance = 1e-3)
  {
    ConeProgram program;
    program.E.resize(6, 0);
    program.e = Eigen::VectorXd::Zero(6);
    const Eigen::VectorXd y = vector(6).normalized();
    for (int i = 0; i < contacts; ++i) {
      FrictionCone k = cone(shape);
      for (int attempt = 0;; ++attempt) {
        if (attempt > 20) k.mu *= 0.7;  // round cones that wide fit no half-space
        Eigen::MatrixXd W = wrenches(vector(3), unit(), k);
        Eigen::VectorXd h = W.transpose() * y;
        if (support(k, h) > -clearance) continue;
        append(program, W, k);
        break;
      }
      if (integer(0, 1) == 0) program.e += program.E.rightCols(k.dim()) * force(k, 2);
    }
    program.e += (drive - std::min(0.0, program.e.dot(y))) * y;
    if (program.e.dot(y) > 0.0) program.e += (drive - program.e.dot(y)) * y;  // exactly `drive` along y
    return program;
  }

  std::mt19937& rng() { return rng_; }

 private:
  std::mt19937 rng_;
};

}  // namespace stiction::test
