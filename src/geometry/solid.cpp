#include "geometry/solid.hpp"

#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/contact_patch.h>
#include <coal/distance.h>
#include <coal/mesh_loader/loader.h>
#include <coal/shape/geometric_shapes.h>

#include <exception>

#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

/// Vertices of a facet are in one plane to this, m: a curved surface in facets must not count as flat.
constexpr double kFacet = 1e-4;
constexpr double kAccuracy = 1e-9;  // of distances, m

coal::Transform3s transform(const Eigen::Isometry3d& pose) { return {pose.linear(), pose.translation()}; }

}  // namespace

std::shared_ptr<const Mesh> read_mesh(const std::string& file, const Eigen::Vector3d& scale, const std::string& path)
{
  try {
    const coal::BVHModelPtr_t read = coal::MeshLoader(coal::BV_AABB).load(file, scale);
    auto mesh = std::make_shared<Mesh>();
    if (read && read->vertices) mesh->vertices = *read->vertices;
    for (const Eigen::Vector3d& vertex : mesh->vertices) mesh->box.extend(vertex);
    if (!mesh->vertices.empty()) return mesh;
  } catch (const std::exception& error) {
    throw InputError(path, "want a mesh (STL, OBJ, DAE …), got " + quoted(file) + ": " + error.what());
  }
  throw InputError(path, "want a mesh with vertices, got none in " + quoted(file));
}

struct Solid::Impl {
  std::unique_ptr<coal::ShapeBase> shape;
  Eigen::Isometry3d pose;  ///< in its link
};

Solid::Solid(const Shape& shape, const Mesh* mesh, const std::string& path)
    : impl_(std::make_unique<Impl>()), faceted_(shape.kind == Shape::Kind::kMesh)
{
  impl_->pose = shape.pose;
  const double radius = shape.size[0], length = shape.size[1];
  switch (shape.kind) {
    case Shape::Kind::kBox:
      impl_->shape = std::make_unique<coal::Box>(shape.size);
      break;
    case Shape::Kind::kSphere:
      impl_->shape = std::make_unique<coal::Sphere>(radius);
      break;
    case Shape::Kind::kCylinder:
      impl_->shape = std::make_unique<coal::Cylinder>(radius, length);
      break;
    case Shape::Kind::kCapsule:
      impl_->shape = std::make_unique<coal::Capsule>(radius, length);
      break;
    case Shape::Kind::kMesh:
      try {
        auto copy = std::make_shared<Points>(mesh->vertices);
        impl_->shape.reset(coal::ConvexBase::convexHull(copy, static_cast<unsigned>(copy->size()), false, "Qt"));
      } catch (const std::exception& error) {
        throw InputError(path, "want a mesh with a convex hull, got " + quoted(shape.mesh_file) + ": " + error.what());
      }
      break;
  }
  impl_->shape->computeLocalAABB();
}

Solid::~Solid() = default;

std::optional<Solid::Touch> Solid::touch(const Eigen::Isometry3d& pose, const Solid& other,
                                         const Eigen::Isometry3d& other_pose, double within) const
{
  const coal::Transform3s mine = transform(pose * impl_->pose), theirs = transform(other_pose * other.impl_->pose);
  coal::CollisionRequest request;
  request.security_margin = within;
  request.gjk_tolerance = request.epa_tolerance = kAccuracy;
  coal::CollisionResult result;
  coal::collide(impl_->shape.get(), mine, other.impl_->shape.get(), theirs, request, result);
  if (!result.isCollision()) return std::nullopt;
  const coal::Contact& contact = result.getContact(0);
  Touch touch{contact.penetration_depth, -contact.normal, {}};
  const double tolerance = faceted_ || other.faceted_ ? std::min(within, kFacet) : within;
  constexpr std::size_t kPatches = 1, kSamples = 8;
  const coal::ContactPatchRequest patches(kPatches, kSamples, std::max(tolerance, kAccuracy));
  coal::ContactPatchResult found(patches);
  coal::computeContactPatch(impl_->shape.get(), mine, other.impl_->shape.get(), theirs, result, patches, found);
  for (std::size_t i = 0; found.numContactPatches() > 0 && i < found.getContactPatch(0).size(); ++i)
    touch.points.push_back(found.getContactPatch(0).getPointShape1(i));
  if (touch.points.empty()) touch.points.push_back(contact.nearest_points[0]);
  return touch;
}

double Solid::distance(const Eigen::Isometry3d& pose, const Solid& other, const Eigen::Isometry3d& other_pose) const
{
  coal::DistanceRequest request;
  request.gjk_tolerance = request.epa_tolerance = kAccuracy;
  coal::DistanceResult result;
  return coal::distance(impl_->shape.get(), transform(pose * impl_->pose), other.impl_->shape.get(),
                        transform(other_pose * other.impl_->pose), request, result);
}

double Solid::distance(const Eigen::Isometry3d& pose, const Eigen::Vector3d& point) const
{
  const Solid speck({Shape::Kind::kSphere, Eigen::Isometry3d::Identity(), Eigen::Vector3d::Zero(), {}}, nullptr, "");
  return std::max(0.0, distance(pose, speck, Eigen::Isometry3d(Eigen::Translation3d(point))));
}

}  // namespace stiction::internal
