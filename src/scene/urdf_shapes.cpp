#include "scene/urdf_shapes.hpp"

#include "base/limits.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "scene/urdf_messages.hpp"
#include "scene/urdf_outline.hpp"
#include "stiction/error.hpp"

namespace urdf {
class Capsule;  // older urdfdoms have none
}

namespace stiction::internal {
namespace {

template <class Capsule>
bool read_capsule(const urdf::Geometry& geometry, Shape& shape)
{
  if constexpr (requires(Capsule capsule) { capsule.radius; }) {
    const auto* capsule = dynamic_cast<const Capsule*>(&geometry);
    if (!capsule) return false;
    shape.kind = Shape::Kind::kCapsule;
    shape.size = {capsule->radius, capsule->length, 0.0};
    return true;
  }
  return false;
}

[[noreturn]] void fail_shape(const std::string& path, const UrdfPlace& link, const std::string& what)
{
  throw InputError(path,
                   "link " + quoted(link.name) + ", collision: " + what + " (line " + std::to_string(link.line) + ")");
}

Eigen::Vector3d vector_of(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Shape shape_of(const urdf::Collision& source, const std::string& path, const UrdfPlace& link)
{
  using Kind = Shape::Kind;
  Shape shape;
  const urdf::Rotation& r = source.origin.rotation;
  const Eigen::Quaterniond turn(r.w, r.x, r.y, r.z);
  shape.pose.translation() = vector_of(source.origin.position);
  if (!(std::abs(turn.norm() - 1.0) <= kWrittenByHand)) fail_shape(path, link, "want a rotation, got none");
  shape.pose.linear() = turn.toRotationMatrix();
  if (const auto* box = dynamic_cast<const urdf::Box*>(source.geometry.get())) {
    shape.size = vector_of(box->dim);
  } else if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(source.geometry.get())) {
    shape.kind = Kind::kSphere;
    shape.size = {sphere->radius, 0.0, 0.0};
  } else if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(source.geometry.get())) {
    shape.kind = Kind::kCylinder;
    shape.size = {cylinder->radius, cylinder->length, 0.0};
  } else if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(source.geometry.get())) {
    shape.kind = Kind::kMesh;
    shape.size = vector_of(mesh->scale);
    shape.mesh_file = unmasked(mesh->filename);
  } else if (!read_capsule<urdf::Capsule>(*source.geometry, shape)) {
    fail_shape(path, link, "want a box, sphere, cylinder, capsule or mesh, got another shape");
  }
  const double largest =
      std::max(shape.size.lpNorm<Eigen::Infinity>(), shape.pose.translation().lpNorm<Eigen::Infinity>());
  if (!in_range(largest)) fail_shape(path, link, "want finite numbers up to 1e50, got others");
  if (shape.kind != Kind::kMesh && shape.size.minCoeff() < 0.0)
    fail_shape(path, link, "want lengths >= 0, got " + text(shape.size));
  return shape;
}

}  // namespace

std::vector<std::vector<Shape>> parse_shapes(const std::string& text, const std::string& path)
{
  const UrdfOutline outline = read_outline(text, path);
  const UrdfReading reading = read_quietly(outline.text);
  if (!reading.model || !reading.errors.empty())
    throw InputError(path, "want valid URDF, got what urdfdom refuses");             // parse_urdf says more
  for (const auto& [name, link] : reading.model->links_) link->child_links.clear();  // else freed by recursion
  std::vector<std::vector<Shape>> shapes(outline.links.size());
  for (std::size_t i = 0; i < outline.links.size(); ++i) {
    const auto link = reading.model->getLink(masked(outline.links[i].name));
    if (!link) continue;
    for (const auto& collision : link->collision_array)
      if (collision && collision->geometry) shapes[i].push_back(shape_of(*collision, path, outline.links[i]));
  }
  return shapes;
}

}  // namespace stiction::internal
