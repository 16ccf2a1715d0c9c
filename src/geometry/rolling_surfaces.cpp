#include "geometry/rolling_surfaces.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "geometry/curvature.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using Eigen::Vector3d;

constexpr double kOnSurface = 1e-3;  ///< share of a radius that points which people type may be off, also of directions

enum class Place { kOutside, kInside, kOnIt };

/// Where a point in the shape's frame is, by its distance along `outward` (unit; zero where that is not known).
struct Nearest {
  double distance = 0.0;
  Vector3d outward = Vector3d::Zero();
};

/// At the rim of a cylinder, where two surfaces meet, that which `outward` is of.
Nearest nearest_on(const Shape& shape, const Vector3d& p, const Vector3d& outward)
{
  const double radius = shape.size[0], half = 0.5 * shape.size[1];
  const double off_axis = std::hypot(p.x(), p.y());
  switch (shape.kind) {
    case Shape::Kind::kSphere:
      return {p.norm() - radius, p.normalized()};
    case Shape::Kind::kCapsule: {
      const Vector3d from = p - Vector3d(0.0, 0.0, std::clamp(p.z(), -half, half));
      return {from.norm() - radius, from.normalized()};
    }
    case Shape::Kind::kCylinder: {
      const double aside = off_axis - radius, along = std::abs(p.z()) - half, slack = kOnSurface * radius;
      const bool at_rim = std::abs(aside - along) <= slack;
      if (at_rim ? std::abs(outward.z()) < outward.head<2>().norm() : aside > along)
        return {std::max(aside, along - slack), Vector3d(p.x(), p.y(), 0.0).normalized()};
      return {along, Vector3d(0.0, 0.0, std::copysign(1.0, p.z()))};
    }
    case Shape::Kind::kBox: {
      Eigen::Index face = 0;
      const Vector3d beyond = p.cwiseAbs() - 0.5 * shape.size;
      const double distance = beyond.maxCoeff(&face);
      return {distance, Vector3d::Unit(face) * std::copysign(1.0, p[face])};
    }
    case Shape::Kind::kMesh:
      break;
  }
  return {};
}

Place place_of(const Shape& shape, const Vector3d& p, const Vector3d& outward)
{
  const Nearest nearest = nearest_on(shape, p, outward);
  const double slack = kOnSurface * (shape.kind == Shape::Kind::kBox ? shape.size.minCoeff() : shape.size[0]);
  if (nearest.distance > slack) return Place::kOutside;
  return nearest.distance >= -slack && nearest.outward.cross(outward).norm() <= kOnSurface &&
                 nearest.outward.dot(outward) > 0.0
             ? Place::kOnIt
             : Place::kInside;
}

/// Inside of a flat face: at its rim the body touches with an edge.
bool on_rim(const Shape& shape, const Vector3d& p)
{
  if (shape.kind == Shape::Kind::kCylinder) return std::hypot(p.x(), p.y()) > (1.0 - kOnSurface) * shape.size[0];
  if (shape.kind != Shape::Kind::kBox) return false;
  return ((p.cwiseAbs() - 0.5 * shape.size).array() > -kOnSurface * shape.size.minCoeff()).count() > 1;
}

/// Of a link's surface at a point of the world; none where its shapes do not tell.
std::optional<SurfaceRadii> surface_at(const std::vector<Shape>& shapes, const Eigen::Isometry3d& link,
                                       const Vector3d& point, const Vector3d& outward)
{
  std::optional<SurfaceRadii> found;
  for (const Shape& shape : shapes) {
    if (shape.kind == Shape::Kind::kMesh) return std::nullopt;
    const Eigen::Isometry3d pose = link * shape.pose, into = pose.inverse(Eigen::Isometry);
    const Vector3d p = into * point;
    const Place place = place_of(shape, p, into.linear() * outward);
    if (place == Place::kOutside) continue;
    const std::optional<SurfaceRadii> radii = radii_of(shape, pose, outward);
    if (place == Place::kInside || found || !radii || (flat(*radii) && on_rim(shape, p))) return std::nullopt;
    found = radii;
  }
  return found;
}

/// The bodies of a contact in their places.
struct Bodies {
  const std::vector<Posture>& postures;

  /// {posture, link} of "model/link"; none for the world and for names that there are not.
  std::optional<std::pair<const Posture*, std::size_t>> find(const std::string& name) const
  {
    for (const Posture& posture : postures)
      for (std::size_t i = 0; i < posture.robot->tree->links.size(); ++i)
        if (name == posture.name + "/" + posture.link_name(i)) return std::pair{&posture, i};
    return std::nullopt;
  }

  Eigen::Isometry3d pose(const std::string& name) const
  {
    const auto body = find(name);
    return body ? body->first->link_pose(body->second) : Eigen::Isometry3d::Identity();
  }

  std::optional<SurfaceRadii> surface(const std::string& name, const Vector3d& point, const Vector3d& outward) const
  {
    if (name == "world") return SurfaceRadii{};
    const auto body = find(name);
    if (!body) return std::nullopt;
    return surface_at(body->first->robot->shapes[body->second], pose(name), point, outward);
  }
};

/// What both bodies have at all points of a contact, in the world.
std::optional<CurvedPair> radii_at(const Bodies& bodies, const ContactDescription& contact,
                                   const Eigen::Matrix3d& normal_frame)
{
  const Vector3d normal = normal_frame * contact.normal.normalized();
  const Eigen::Isometry3d at = contact.at_frame == ContactFrame::kLink ? bodies.pose(contact.link)
                               : contact.at_frame == ContactFrame::kOn ? bodies.pose(contact.on)
                                                                       : Eigen::Isometry3d::Identity();
  std::optional<CurvedPair> both;
  for (std::size_t k = 0; k < contact.points.size(); ++k) {
    const Vector3d point = at * contact.points[k];
    const std::optional<CurvedPair> here =
        curved(bodies.surface(contact.link, point, -normal), bodies.surface(contact.on, point, normal));
    both = k == 0 ? here : common(both, here);
  }
  return both;
}

}  // namespace

bool moves(const SceneDescription& description)
{
  return std::ranges::any_of(description.models, [](const ModelDescription& model) {
    const auto turns = [](const auto& rate) { return rate.second != 0.0; };
    const auto turn = [](const auto& rates) {
      return std::ranges::count(rates.second, 0.0) < std::ssize(rates.second);
    };
    return !model.linear_velocity.isZero(0.0) || !model.angular_velocity.isZero(0.0) ||
           std::ranges::any_of(model.rates, turns) || std::ranges::any_of(model.multi_rates, turn);
  });
}

RollingSurfaces::RollingSurfaces(const SceneDescription& description)
{
  for (const ModelDescription& model : description.models)
    sources_.push_back({model.urdf_file, model.urdf_text, description.package_paths});
  try {
    for (const ModelDescription& model : description.models)
      robots_.push_back(read_robot(model, description.package_paths));
  } catch (const InputError&) {  // a scene looks at no shapes, and may well be about robots whose shapes are flawed
    robots_.clear();
  }
}

bool RollingSurfaces::fits(const SceneDescription& description) const
{
  return std::ranges::equal(sources_, description.models, [&](const UrdfSource& source, const ModelDescription& model) {
    return source == UrdfSource{model.urdf_file, model.urdf_text, description.package_paths};
  });
}

void RollingSurfaces::fill_in(SceneDescription& scene, std::vector<Warning>& warnings) const
{
  if (robots_.size() != scene.models.size()) return;
  std::vector<Posture> postures;
  for (std::size_t m = 0; m < robots_.size(); ++m) postures.push_back(posture_of(scene.models[m], robots_[m]));
  const Bodies bodies{postures};
  for (ContactDescription& contact : scene.contacts) {
    if (contact.radius || contact.on_radius || contact.detect || !contact.active) continue;
    Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
    if (contact.normal_frame != ContactFrame::kWorld)
      frame = bodies.pose(contact.normal_frame == ContactFrame::kLink ? contact.link : contact.on).linear();
    std::optional<CurvedPair> found = radii_at(bodies, contact, frame);
    if (!found) continue;
    for (SurfaceRadii* radii : {&found->first, &found->second})
      if (radii->along) radii->along = frame.transpose() * *radii->along;
    if (!flat(found->first)) contact.radius = found->first;
    if (!flat(found->second)) contact.on_radius = found->second;
    warnings.push_back(
        {Warning::Kind::kTurningContact, "contacts." + contact.name,
         "its bodies may roll: the radius is that of the collision shape it is on (`radius: 0` says that "
         "it is a corner)"});
  }
}

}  // namespace stiction::internal
