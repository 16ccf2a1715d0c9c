#include "draw/contact_surfaces.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/detect.hpp"
#include "scene/blueprint.hpp"

namespace stiction::internal {
namespace {

using Eigen::Vector3d;

/// The rectangle of a plane that covers points, and this much around them. Its sides are along the world's axes as far
/// as the plane goes.
Picture::Surface rectangle(const std::string& name, const Plane& plane, const std::vector<Vector3d>& points,
                           double around)
{
  const Eigen::Matrix3d axes = plane_axes(plane.normal);
  Eigen::AlignedBox2d box;
  for (const Vector3d& point : points) box.extend((axes.transpose() * (point - plane.point)).head<2>());
  const Eigen::Vector2d low = box.min().array() - around, high = box.max().array() + around;
  Picture::Surface surface{name, plane.normal, {}};
  for (const auto& [x, y] :
       {std::pair(low.x(), low.y()), {high.x(), low.y()}, {high.x(), high.y()}, {low.x(), high.y()}})
    surface.corners.push_back(plane.point + axes * Vector3d(x, y, 0.0));
  return surface;
}

std::vector<Vector3d> corners_of(const Eigen::AlignedBox3d& box)
{
  std::vector<Vector3d> corners;
  for (int i = 0; i < 8; ++i) corners.push_back(box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(i)));
  return corners;
}

bool lies_in(const Plane& plane, const Vector3d& point, const Vector3d& normal, double within)
{
  constexpr double kSameNormal = 1e-4;  // 1 - cosine
  return normal.dot(plane.normal) > 1.0 - kSameNormal && std::abs(plane.height(point)) <= within;
}

bool on_obstacle(const Picture& picture, const Vector3d& point, double within)
{
  for (const Picture::Solid& solid : picture.solids) {
    if (solid.role != Picture::Role::kObstacle) continue;
    Eigen::AlignedBox3d box;
    for (const Picture::Ball& ball : solid.hull) box.extend(ball.center);
    if (box.exteriorDistance(point) <= within) return true;
  }
  return false;
}

}  // namespace

void add_surfaces(const SceneDescription& description, const std::vector<ContactOrigin>& origins,
                  const ContactProblem& problem, Picture& picture)
{
  const double size = picture.focus.sizes().maxCoeff(), near = 0.02 * size;
  std::vector<Plane> known;
  const auto add_known = [&](const std::string& name, const Plane& plane) {
    known.push_back(plane);
    picture.surfaces.push_back(rectangle(name, plane, corners_of(picture.focus), 0.15 * size));
  };
  if (description.ground) add_known("ground", {description.ground->point, description.ground->normal});
  for (const Obstacle& obstacle : description.obstacles)
    if (obstacle.kind == Obstacle::Kind::kPlane) add_known(obstacle.name, plane_of(obstacle));

  std::vector<std::pair<Plane, std::vector<Vector3d>>> patches;
  for (std::size_t i = 0; i < problem.contacts.size() && i < origins.size(); ++i) {
    if (origins[i].link >= 0 && origins[i].on >= 0) continue;
    const Vector3d& point = problem.contacts[i].point_W;
    const Vector3d normal = (origins[i].on < 0 ? 1.0 : -1.0) * problem.contacts[i].axes_W.col(0);
    const auto holds = [&](const Plane& plane) { return lies_in(plane, point, normal, near); };
    if (std::ranges::any_of(known, holds) || on_obstacle(picture, point, near)) continue;
    const auto patch = std::ranges::find_if(patches, [&](const auto& other) { return holds(other.first); });
    if (patch != patches.end())
      patch->second.push_back(point);
    else
      patches.push_back({{point, normal}, {point}});
  }
  for (const auto& [plane, points] : patches) picture.surfaces.push_back(rectangle("", plane, points, 0.12 * size));
}

}  // namespace stiction::internal
