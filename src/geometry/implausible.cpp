// What the collision shapes have against a scene that was described by hand.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "base/text.hpp"
#include "geometry/detect.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

constexpr double kTilted = 5.0 * std::numbers::pi / 180.0;  // rad: a normal beside that of the surface
constexpr double kSquare = 1e-6;                            // rad: beyond a right angle that was meant

struct HandContact {
  const ContactDescription& contact;
  std::string path;
  Eigen::Isometry3d link = Eigen::Isometry3d::Identity(), on = Eigen::Isometry3d::Identity();
  const Posture *link_posture = nullptr, *on_posture = nullptr;
  std::size_t link_index = 0, on_index = 0;

  Eigen::Vector3d in_world(const Eigen::Vector3d& v, ContactFrame frame, bool point) const
  {
    const Eigen::Isometry3d pose = frame == ContactFrame::kLink ? link
                                   : frame == ContactFrame::kOn ? on
                                                                : Eigen::Isometry3d::Identity();
    return point ? Eigen::Vector3d(pose * v) : Eigen::Vector3d(pose.linear() * v);
  }
  std::string point_path(std::size_t k) const
  {
    return contact.patch || contact.points.size() > 1 ? path + ".points[" + std::to_string(k) + "]" : path + ".at";
  }
};

/// The posture and link of "model/link"; false for the world, and for names that the scene will refuse.
bool find_link(const std::vector<Posture>& postures, const std::string& name, const Posture*& posture,
               std::size_t& link)
{
  for (const Posture& one : postures)
    for (std::size_t i = 0; name.starts_with(one.name + "/") && i < one.in_root.size(); ++i)
      if (name == one.name + "/" + one.link_name(i)) {
        posture = &one;
        link = i;
        return true;
      }
  return false;
}

/// Distance of a point from the shapes of the rigid body that a link is part of; negative: it has none.
double distance_from_body(const Posture& posture, std::size_t link, const Eigen::Vector3d& point, MeshStore& meshes)
{
  double least = kInfinity;
  const int body = posture.carrier(link);
  for (std::size_t i = 0; i < posture.in_root.size(); ++i)
    for (const Shape& shape : posture.robot->shapes[i])
      if (posture.carrier(i) == body)
        least = std::min(
            least,
            meshes.solid(shape, posture.robot->place, posture.path() + ".urdf").distance(posture.link_pose(i), point));
  return std::isfinite(least) ? least : -1.0;
}

struct NearestSurface {
  std::string name;             ///< empty: none
  double distance = kInfinity;  ///< < 0: inside; of meshes 0 there
  Points normals;               ///< of the faces that are as near; of meshes none
};

/// Of a box, with every face whose plane a point outside is beyond, or nearly: on an edge all that meet there.
NearestSurface surface_of_box(const Obstacle& obstacle, const Eigen::Vector3d& point)
{
  const Eigen::Isometry3d pose = isometry(obstacle.pose.xyz, obstacle.pose.rpy);
  const Eigen::Vector3d p = pose.inverse(Eigen::Isometry) * point, beyond = p.cwiseAbs() - 0.5 * obstacle.size;
  const double out = beyond.cwiseMax(0.0).norm();
  NearestSurface surface{quoted(obstacle.name), out > 0.0 ? out : beyond.maxCoeff(), {}};
  for (Eigen::Index k = 0; k < 3; ++k)
    if (beyond[k] >= std::min(0.0, beyond.maxCoeff()) - kOffBy)
      surface.normals.emplace_back((p[k] < 0.0 ? -1.0 : 1.0) * pose.linear().col(k));
  return surface;
}

NearestSurface surface_of(const Obstacle& obstacle, MeshStore& meshes, const Eigen::Vector3d& point)
{
  const std::string name = quoted(obstacle.name);
  switch (obstacle.kind) {
    case Obstacle::Kind::kPlane:
      return {name, plane_of(obstacle).height(point), {plane_of(obstacle).normal}};
    case Obstacle::Kind::kBox:
      return surface_of_box(obstacle, point);
    case Obstacle::Kind::kMesh:
      break;
  }
  const Solid& solid = meshes.solid(shape_of(obstacle), "", "obstacles." + obstacle.name);
  return {name, solid.distance(Eigen::Isometry3d::Identity(), point), {}};
}

NearestSurface nearest_surface(const Surroundings& at, const Eigen::Vector3d& point)
{
  NearestSurface nearest;
  if (at.description.ground) nearest = {"the ground", at.ground().height(point), {at.ground().normal}};
  for (const Obstacle& obstacle : at.description.obstacles)
    if (NearestSurface one = surface_of(obstacle, at.meshes, point);
        std::abs(one.distance) < std::abs(nearest.distance))
      nearest = std::move(one);
  return nearest;
}

void compare_normal(const HandContact& hand, const NearestSurface& surface, std::vector<Warning>& warnings)
{
  if (surface.normals.empty()) return;
  const Eigen::Vector3d normal = hand.in_world(hand.contact.normal, hand.contact.normal_frame, false).normalized();
  double angle = std::numbers::pi;
  for (const Eigen::Vector3d& one : surface.normals)
    angle = std::min(angle, std::acos(std::clamp(normal.dot(one), -1.0, 1.0)));
  if (angle > 0.5 * std::numbers::pi + kSquare) {
    warnings.push_back({Warning::Kind::kNormal, hand.path + ".normal", "points into " + surface.name});
  } else if (angle > kTilted && surface.normals.size() == 1) {  // anything between them on an edge
    char degrees[32];
    std::snprintf(degrees, sizeof degrees, "%.3g", angle * 180.0 / std::numbers::pi);
    warnings.push_back({Warning::Kind::kNormal, hand.path + ".normal",
                        std::string("is ") + degrees + " degrees off the normal of " + surface.name});
  }
}

void compare_with_world(const Surroundings& at, const HandContact& hand, std::vector<Warning>& warnings)
{
  std::optional<NearestSurface> worst;
  std::size_t point = 0;
  for (std::size_t k = 0; k < hand.contact.points.size(); ++k) {
    NearestSurface near = nearest_surface(at, hand.in_world(hand.contact.points[k], hand.contact.at_frame, true));
    if (near.name.empty() || (worst && std::abs(worst->distance) >= std::abs(near.distance))) continue;
    worst = std::move(near);
    point = k;
  }
  if (!worst) return;
  if (std::abs(worst->distance) > kOffBy)
    warnings.push_back({Warning::Kind::kOffSurface, hand.point_path(point),
                        "is " + length_text(std::abs(worst->distance)) +
                            (worst->distance < 0.0 ? " inside " : " away from ") + worst->name});
  compare_normal(hand, *worst, warnings);
}

void compare_with_body(const Posture& posture, std::size_t link, const HandContact& hand, MeshStore& meshes,
                       std::vector<Warning>& warnings)
{
  double worst = 0.0;
  std::size_t point = 0;
  for (std::size_t k = 0; k < hand.contact.points.size(); ++k) {
    const double distance =
        distance_from_body(posture, link, hand.in_world(hand.contact.points[k], hand.contact.at_frame, true), meshes);
    if (distance <= worst) continue;
    worst = distance;
    point = k;
  }
  if (worst > kOffBy)
    warnings.push_back({Warning::Kind::kOffSurface, hand.point_path(point),
                        "is " + length_text(worst) + " away from the collision shapes of " +
                            quoted(posture.name + "/" + posture.link_name(link))});
}

void compare_contact(const Surroundings& at, const ContactDescription& contact, std::size_t index,
                     std::vector<Warning>& warnings)
{
  HandContact hand{contact, "contacts[" + std::to_string(index) + "]"};
  if (!find_link(at.postures, contact.link, hand.link_posture, hand.link_index)) return;
  hand.link = hand.link_posture->link_pose(hand.link_index);
  if (find_link(at.postures, contact.on, hand.on_posture, hand.on_index))
    hand.on = hand.on_posture->link_pose(hand.on_index);
  else
    compare_with_world(at, hand, warnings);
  compare_with_body(*hand.link_posture, hand.link_index, hand, at.meshes, warnings);
  if (hand.on_posture) compare_with_body(*hand.on_posture, hand.on_index, hand, at.meshes, warnings);
}

/// The deepest link of a model under the ground, and its root.
void compare_posture(const Posture& posture, const Plane& ground, MeshStore& meshes, std::vector<Warning>& warnings)
{
  double deepest = -kOffBy;
  std::string who;
  int others = -1;
  for (std::size_t i = 0; i < posture.in_root.size(); ++i) {
    double bound = kInfinity;
    for (const Shape& shape : posture.robot->shapes[i]) {
      const Mesh* mesh = meshes.mesh(shape, posture.robot->place, posture.path() + ".urdf");
      bound = std::min(bound, bound_of_lowest({shape, mesh, posture.link_pose(i) * shape.pose}, ground));
    }
    if (bound >= -kOffBy) continue;
    const double low = lowest_of(posture, i, ground, meshes);
    others += low < -kOffBy;
    if (low >= deepest) continue;
    deepest = low;
    who = posture.link_name(i);
  }
  const double root = ground.height(posture.root.translation());
  if (root < -kOffBy)
    warnings.push_back({Warning::Kind::kUnderGround, posture.path() + ".pose",
                        "the root link is " + length_text(-root) + " under the ground"});
  if (who.empty()) return;
  const std::string more = others > 0 ? " and " + std::to_string(others) + " more" : "";
  warnings.push_back({Warning::Kind::kUnderGround, posture.path() + ".pose",
                      "link " + quoted(who) + more + (others > 0 ? " are up to " : " is ") + length_text(-deepest) +
                          " under the ground"});
}

}  // namespace

void add_implausible(const Surroundings& at, std::vector<Warning>& warnings)
{
  const auto unless_unread = [&](const std::string& path, auto&& compare) {
    try {
      compare();
    } catch (const InputError& error) {  // a mesh that nothing but this needs
      const std::string what = error.what();
      warnings.push_back({Warning::Kind::kUrdf, path, "not compared with collision shapes: " + what});
    }
  };
  for (std::size_t i = 0; i < at.description.contacts.size(); ++i)
    if (!at.description.contacts[i].detect && at.description.contacts[i].active)
      unless_unread("contacts[" + std::to_string(i) + "]",
                    [&] { compare_contact(at, at.description.contacts[i], i, warnings); });
  for (const Posture& posture : at.postures)
    if (at.description.ground)
      unless_unread(posture.path() + ".pose", [&] { compare_posture(posture, at.ground(), at.meshes, warnings); });
}

}  // namespace stiction::internal
