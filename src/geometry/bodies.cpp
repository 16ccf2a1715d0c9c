#include "geometry/bodies.hpp"

#include <algorithm>

#include "base/nearest_name.hpp"
#include "base/text.hpp"
#include "geometry/settle.hpp"
#include "scene/urdf_shapes.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {

RobotShapes read_robot(const ModelDescription& model, const std::vector<std::string>& package_paths)
{
  const std::string path = "models." + model.name + ".urdf";
  RobotShapes robot;
  if (model.urdf_file.empty() == model.urdf_text.empty())
    throw InputError(path,
                     "want either a file or a text, got " + std::string(model.urdf_file.empty() ? "neither" : "both"));
  if (!model.urdf_file.empty()) robot.place = locate_urdf_file(model.urdf_file, package_paths, path);
  const std::string content = robot.place.empty() ? model.urdf_text : read_urdf_file(robot.place, {}, path);
  auto tree = std::make_shared<UrdfTree>(parse_urdf(content, path));
  tree->source = {model.urdf_file, model.urdf_text, package_paths};
  robot.tree = std::move(tree);
  robot.shapes = parse_shapes(content, path);
  return robot;
}

Posture posture_of(const ModelDescription& model, const RobotShapes& robot)
{
  const ModelState state = read_state(model, *robot.tree);
  return {model.name, &robot, model.base == Base::kFixed, link_poses(*robot.tree, state), state.pose};
}

MeshStore::Key MeshStore::key_of(const Shape& shape, const std::string& urdf)
{
  Key key{shape.kind, shape.mesh_file, shape.kind == Shape::Kind::kMesh ? urdf : "", {}};
  key.numbers.assign(shape.size.data(), shape.size.data() + 3);
  key.numbers.insert(key.numbers.end(), shape.pose.data(), shape.pose.data() + 16);
  return key;
}

const Mesh* MeshStore::mesh(const Shape& shape, const std::string& urdf, const std::string& path)
{
  if (shape.kind != Shape::Kind::kMesh) return nullptr;
  const Key key{shape.kind, shape.mesh_file, urdf, {shape.size[0], shape.size[1], shape.size[2]}};
  auto& [file, mesh] = meshes_[key];
  if (!mesh) {
    file = locate_mesh_file(shape.mesh_file, urdf, package_paths_, path);
    mesh = read_mesh(file, shape.size, path);
  }
  used_[shape.mesh_file] = file;
  return mesh.get();
}

const Solid& MeshStore::solid(const Shape& shape, const std::string& urdf, const std::string& path)
{
  const Mesh* const vertices = mesh(shape, urdf, path);
  std::shared_ptr<const Solid>& solid = solids_[key_of(shape, urdf)];
  if (!solid) solid = std::make_shared<const Solid>(shape, vertices, path);
  return *solid;
}

int Posture::carrier(std::size_t link) const
{
  const UrdfTree& tree = *robot->tree;
  for (;;) {
    const int joint = tree.links[link].parent_joint;
    if (joint < 0 || tree.joints[idx(joint)].type != JointType::kFixed) return static_cast<int>(link);
    link = idx(tree.joints[idx(joint)].parent);
  }
}

double lowest_of(const Posture& posture, std::size_t link, const Plane& plane, MeshStore& meshes)
{
  double low = kInfinity;
  for (const Shape& shape : posture.robot->shapes[link]) {
    const Mesh* mesh = meshes.mesh(shape, posture.robot->place, posture.path() + ".urdf");
    low = std::min(low, lowest({shape, mesh, posture.link_pose(link) * shape.pose}, plane));
  }
  return low;
}

namespace {

/// Links that may touch: those named, or all with shapes.
std::vector<std::size_t> standing_links(const Placing& placing, const Posture& posture)
{
  const RobotShapes& robot = *posture.robot;
  std::vector<std::size_t> links;
  for (std::size_t k = 0; k < placing.feet.size(); ++k) {
    const std::string path = posture.path() + ".pose.feet[" + std::to_string(k) + "]";
    const int link = robot.tree->find_link(placing.feet[k]);
    if (link < 0 || robot.shapes[idx(link)].empty())
      throw InputError(path, "want a link with collision shapes, got " + quoted(placing.feet[k]) +
                                 (link < 0 ? ", which the URDF does not have" +
                                                 did_you_mean(placing.feet[k], all_names(robot.tree->links))
                                           : ", which has none"));
    links.push_back(idx(link));
  }
  for (std::size_t i = 0; placing.feet.empty() && i < robot.shapes.size(); ++i)
    if (!robot.shapes[i].empty()) links.push_back(i);
  if (links.empty())
    throw InputError(posture.path() + ".pose.on", "want a URDF with collision shapes, got one without any");
  return links;
}

}  // namespace

void place_on_ground(const Placing& placing, const Pose& pose, const Plane& ground, const Eigen::Vector3d& gravity,
                     Posture& posture, MeshStore& meshes)
{
  Eigen::Isometry3d frame = Eigen::Isometry3d::Identity();
  frame.linear() = plane_axes(ground.normal);
  frame.translation() = ground.point;
  posture.root = frame * isometry({pose.xyz.x(), pose.xyz.y(), 0.0}, pose.rpy);
  const std::vector<std::size_t> links = standing_links(placing, posture);
  if (placing.settle) {
    std::vector<Corner> corners;
    for (const std::size_t link : links)
      for (const Shape& shape : posture.robot->shapes[link])
        add_corners({shape, meshes.mesh(shape, posture.robot->place, posture.path() + ".urdf"),
                     posture.link_pose(link) * shape.pose},
                    corners);
    const Eigen::Vector3d center = posture.root * mass_point(*posture.robot->tree, posture.in_root).center;
    constexpr double kAnyTurn = 1e3;
    const Settled settled = settle(corners, center, ground, gravity, kAnyTurn);
    if (!settled.settled)
      throw InputError(posture.path() + ".pose.settle",
                       "want a robot that comes to rest on three points of the ground, got one that rolls on");
    posture.root.linear() = settled.rotation * posture.root.linear();
  }
  double low = kInfinity;
  for (const std::size_t link : links) low = std::min(low, lowest_of(posture, link, ground, meshes));
  posture.root.translation() -= low * ground.normal;
}

}  // namespace stiction::internal
