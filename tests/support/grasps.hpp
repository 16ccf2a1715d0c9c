#pragma once

// Grasps of the books and random ones, shared by the closure tests.
#include <Eigen/Geometry>
#include <numbers>

#include "stiction/grasp.hpp"
#include "support/random_problems.hpp"

namespace stiction::testing {

inline GraspContact finger(const Eigen::Vector3d& point, const Eigen::Vector3d& normal, double mu)
{
  GraspContact contact;
  contact.point = point;
  contact.normal = normal.normalized();
  contact.mu = mu;
  contact.kind = mu > 0.0 ? GraspContactKind::kHardFinger : GraspContactKind::kFrictionless;
  return contact;
}

inline GraspContact planar_finger(double x, double y, double nx, double ny, double mu = 0.0)
{
  return finger({x, y, 0.0}, {nx, ny, 0.0}, mu);
}

inline WrenchConvention planar()
{
  WrenchConvention convention;
  convention.plane = GraspPlane::kXY;
  return convention;
}

inline Grasp make_grasp(const std::vector<GraspContact>& contacts, const WrenchConvention& convention = {},
                        const ConeShape& shape = ConeShape::exact())
{
  Grasp grasp;
  set_grasp(contacts, convention, shape, grasp);
  return grasp;
}

/// Frictionless contacts with these wrenches.
inline Grasp from_wrenches(const Eigen::MatrixXd& wrenches)
{
  Grasp grasp;
  grasp.G = wrenches;
  for (int i = 0; i < wrenches.cols(); ++i) {
    GraspBlock block;
    block.name = "f" + std::to_string(i + 1);
    block.col = i;
    block.cone.tangents = 0;
    grasp.contacts.push_back(block);
  }
  return grasp;
}

/// Fingers around a bumpy ball; `spread` below 1 leaves them on one side.
inline std::vector<GraspContact> random_fingers(Rng& rng, int count, double spread, bool plane)
{
  std::vector<GraspContact> contacts;
  const auto vector = [&] {
    Eigen::Vector3d v = gaussian(rng, 3);
    if (plane) v.z() = 0.0;
    return v;
  };
  const Eigen::Vector3d side = vector().normalized();
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d point = (side + spread * vector()).normalized();
    contacts.push_back(finger(point * uniform(rng, 0.5, 1.5), -point + 0.3 * vector(), uniform(rng, 0.1, 0.9)));
  }
  return contacts;
}

}  // namespace stiction::testing
