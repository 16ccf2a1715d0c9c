// Shapes against a plane: exact, in closed form.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "geometry/solid.hpp"
#include "stiction/geometry.hpp"

namespace stiction::internal {

struct Plane {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< unit; solid below

  double height(const Eigen::Vector3d& p) const { return normal.dot(p - point); }
};

/// A shape somewhere in the world.
struct PlacedShape {
  const Shape& shape;
  const Mesh* mesh;        ///< of a mesh, else null
  Eigen::Isometry3d pose;  ///< of the shape itself
};

/// Vertices of meshes are in one plane to this, m, or to this share of their distance from the middle of the face:
/// soles of real robots have bumps, but curved surfaces in facets must not count as flat.
inline constexpr double kFlatFace = 2e-5;
inline constexpr double kFlatShare = 0.01;
/// How far a mesh may be pitched or rolled for the face that it lies on to count as lying, rad.
inline constexpr double kLying = 0.1;
inline constexpr std::size_t kMostPatchPoints = 8;

/// A corner of a shape, or a ball that is part of it.
struct Corner {
  Eigen::Vector3d center;
  double radius = 0.0;
};
/// Whose convex hull is the shape; cylinders are prisms of 64 sides.
void add_corners(const PlacedShape& placed, std::vector<Corner>& corners);

/// Of its lowest point above a plane.
double lowest(const PlacedShape& placed, const Plane& plane);

/// Not above that: quickly, from the box around a mesh.
double bound_of_lowest(const PlacedShape& placed, const Plane& plane);

struct PlanePoint {
  Eigen::Vector3d point;
  double distance = 0.0;
};
/// Points of a shape that touch a plane (geometry.hpp says which).
void add_plane_contacts(const PlacedShape& placed, const Plane& plane, double within, std::vector<PlanePoint>& points);

/// Corners of the convex hull, seen along the normal: counter-clockwise, at most kMostPatchPoints, those that keep most
/// of its area.
std::vector<PlanePoint> reduced_patch(std::vector<PlanePoint> points, const Eigen::Vector3d& normal);

}  // namespace stiction::internal
