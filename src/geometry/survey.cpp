#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "geometry/bodies.hpp"
#include "scene/urdf.hpp"
#include "scene/urdf_shapes.hpp"
#include "stiction/error.hpp"
#include "stiction/geometry.hpp"

namespace stiction {
namespace {

/// Share of a robot's height, from its lowest point, in which feet are.
constexpr double kFeet = 0.1;

/// Whether links with shapes that can move relative to it hang on a link.
bool carries_limbs(const internal::RobotShapes& robot, const internal::Posture& posture, std::size_t link)
{
  for (std::size_t i = 0; i < robot.shapes.size(); ++i) {
    if (robot.shapes[i].empty() || posture.carrier(i) == posture.carrier(link)) continue;
    for (int up = static_cast<int>(i); up >= 0;) {
      if (posture.carrier(internal::idx(up)) == posture.carrier(link)) return true;
      const int joint = robot.tree->links[internal::idx(up)].parent_joint;
      up = joint < 0 ? -1 : robot.tree->joints[internal::idx(joint)].parent;
    }
  }
  return false;
}

}  // namespace

RobotSurvey survey_robot(const ModelDescription& model, const std::vector<std::string>& package_paths)
{
  using namespace internal;
  const RobotShapes robot = read_robot(model, package_paths);
  const UrdfTree& tree = *robot.tree;
  MeshStore meshes(package_paths);
  const Posture posture{model.name, &robot, false, link_poses(tree, read_state(model, tree)),
                        Eigen::Isometry3d::Identity()};
  RobotSurvey survey;
  const MassPoint mass = mass_point(tree, posture.in_root);
  survey.mass = mass.mass;
  survey.center_of_mass = mass.center;
  for (const UrdfJoint& joint : tree.joints)
    if (freedoms(joint.type) == 1 && joint.mimics < 0 && !(joint.limited && std::isfinite(joint.effort)))
      survey.unlimited.push_back(joint.name);

  const Plane floor, ceiling{Eigen::Vector3d::Zero(), -Eigen::Vector3d::UnitZ()};
  std::vector<double> low(tree.links.size(), kInfinity);
  survey.lowest = kInfinity;
  survey.highest = -kInfinity;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    if (robot.shapes[i].empty()) continue;
    survey.links.push_back({tree.links[i].name, robot.shapes[i]});
    try {
      low[i] = lowest_of(posture, i, floor, meshes);
      survey.lowest = std::min(survey.lowest, low[i]);
      survey.highest = std::max(survey.highest, -lowest_of(posture, i, ceiling, meshes));
    } catch (const InputError& error) {
      survey.unread.push_back("link " + quoted(tree.links[i].name) + ": " + error.what());
    }
  }
  if (!std::isfinite(survey.lowest)) survey.lowest = survey.highest = 0.0;
  const double reach = survey.lowest + kFeet * (survey.highest - survey.lowest);
  const auto lowest_of_body = [&](std::size_t link) {
    for (std::size_t i = 0; i < tree.links.size(); ++i)
      if (posture.carrier(i) == posture.carrier(link) && low[i] < low[link]) return false;
    return true;
  };
  for (std::size_t i = 0; i < tree.links.size(); ++i)
    if (low[i] <= reach && lowest_of_body(i) && !carries_limbs(robot, posture, i))
      survey.feet.push_back(tree.links[i].name);
  return survey;
}

std::string urdf_file_of(const ModelDescription& model, const std::vector<std::string>& package_paths)
{
  if (model.urdf_file.empty()) return {};
  return internal::locate_urdf_file(model.urdf_file, package_paths, "models." + model.name + ".urdf");
}

std::string mesh_file_of(const std::string& mesh, const std::string& urdf_file,
                         const std::vector<std::string>& package_paths, const std::string& path)
{
  return internal::locate_mesh_file(mesh, urdf_file, package_paths, path);
}

}  // namespace stiction
