#include "geometry/outline.hpp"

#include <cmath>
#include <numbers>
#include <set>

#include "geometry/bodies.hpp"
#include "geometry/detect.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

/// Those that are furthest in one of 600 directions, spread evenly: a picture shows no others.
Hull outermost(const Hull& corners)
{
  constexpr int kOutlineDirections = 600;
  if (corners.size() <= kOutlineDirections) return corners;
  std::set<std::size_t> kept;
  for (int k = 0; k < kOutlineDirections; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / kOutlineDirections, turn = k * std::numbers::pi * (3.0 - std::sqrt(5.0));
    const double across = std::sqrt(1.0 - z * z);
    const Eigen::Vector3d direction(across * std::cos(turn), across * std::sin(turn), z);
    std::size_t furthest = 0;
    for (std::size_t i = 1; i < corners.size(); ++i)
      if (direction.dot(corners[i].center - corners[furthest].center) > 0.0) furthest = i;
    kept.insert(furthest);
  }
  Hull hull;
  for (const std::size_t i : kept) hull.push_back(corners[i]);
  return hull;
}

/// A shape at its place, or none and a note.
void add_shape(const Shape& shape, const Eigen::Isometry3d& pose, const std::string& urdf, const std::string& path,
               MeshStore& meshes, std::vector<Hull>& shapes, std::vector<std::string>& unread)
{
  try {
    Hull corners;
    add_corners({shape, meshes.mesh(shape, urdf, path), pose}, corners);
    shapes.push_back(outermost(corners));
  } catch (const InputError& error) {
    unread.push_back(error.what());
  }
}

std::vector<Eigen::Vector3d> bars_of(const UrdfTree& tree, std::size_t link)
{
  std::vector<Eigen::Vector3d> ends;
  if (!(tree.links[link].mass > 0.0)) return ends;
  for (const int joint : tree.links[link].child_joints) ends.push_back(tree.joints[idx(joint)].origin.translation());
  if (ends.empty()) ends.push_back(tree.links[link].com);
  return ends;
}

}  // namespace

SceneOutline outline_of(const SceneDescription& description)
{
  SceneOutline outline;
  MeshStore meshes(description.package_paths);
  for (std::size_t m = 0; m < description.models.size(); ++m) {
    const ModelDescription& model = description.models[m];
    const RobotShapes robot = read_robot(model, description.package_paths);
    const Posture posture{model.name, &robot, model.base == Base::kFixed, {}, Eigen::Isometry3d::Identity()};
    for (std::size_t i = 0; i < robot.tree->links.size(); ++i) {
      LinkOutline link{m, model.name + "/" + posture.link_name(i), posture.moves(i), {}, {}};
      for (const Shape& shape : robot.shapes[i])
        add_shape(shape, shape.pose, robot.place, posture.path() + ".urdf", meshes, link.shapes, outline.unread);
      if (link.shapes.empty()) link.ends = bars_of(*robot.tree, i);
      outline.links.push_back(std::move(link));
    }
  }
  for (std::size_t i = 0; i < description.obstacles.size(); ++i) {
    const Obstacle& obstacle = description.obstacles[i];
    if (obstacle.kind == Obstacle::Kind::kPlane) continue;
    const Shape shape = shape_of(obstacle);
    std::vector<Hull> shapes;
    add_shape(shape, shape.pose, "", "obstacles[" + std::to_string(i) + "]", meshes, shapes, outline.unread);
    for (Hull& hull : shapes) outline.obstacles.emplace_back(obstacle.name, std::move(hull));
  }
  return outline;
}

}  // namespace stiction::internal
