#include "io/surroundings.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>

#include "base/numerics.hpp"
#include "base/text.hpp"
#include "geometry/kinematics.hpp"
#include "io/units.hpp"

namespace stiction::internal {
namespace {

std::vector<std::string> names_list(const Entry& entry, const std::string& path)
{
  if (entry.kind != Entry::Kind::kList || entry.items.empty()) fail(entry, path, "a list of links");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entry.items.size(); ++i)
    names.push_back(text_of(entry.items[i], path + "[" + std::to_string(i) + "]"));
  return names;
}

/// Orientation as rpy, quat [x, y, z, w] or yaw: one of them.
Eigen::Vector3d decode_orientation(const Map& map, const Eigen::Vector3d& fallback)
{
  const Entry *rpy = map.find("rpy"), *quat = map.find("quat"), *yaw = map.find("yaw");
  if (const Entry* second = rpy && quat ? quat : (rpy || quat) && yaw ? yaw : nullptr)
    fail(*second, map.path_of(second == quat ? "quat" : "yaw"), "one of rpy, quat and yaw");
  if (rpy) return angles(*rpy, map.path_of("rpy"));
  if (yaw) return {0.0, 0.0, angle(*yaw, map.path_of("yaw"))};
  if (!quat) return fallback;
  const std::string path = map.path_of("quat");
  if (quat->kind != Entry::Kind::kList || quat->items.size() != 4) fail(*quat, path, "four numbers: x, y, z, w");
  const std::vector<double> q = numbers(*quat, path);
  const Eigen::Quaterniond turn(q[3], q[0], q[1], q[2]);
  constexpr double kTypedLength = 1e-3;  // people type three digits
  if (!(std::abs(turn.norm() - 1.0) <= kTypedLength)) fail(*quat, path, "a quaternion x, y, z, w of length 1");
  return rpy_of(turn.normalized().toRotationMatrix());
}

}  // namespace

Ground decode_ground(const Entry& entry)
{
  const Map map(entry, "ground", {"height", "slope", "toward", "point", "normal", "mu"});
  Ground ground;
  if (const Entry* found = map.find("mu")) ground.mu = number_at_least_zero(*found, "ground.mu");
  const Entry *normal = map.find("normal"), *slope = map.find("slope"), *toward = map.find("toward");
  if (normal || map.find("point")) {
    for (const char* key : {"height", "slope", "toward"})
      if (const Entry* other = map.find(key))
        fail(*other, map.path_of(key), "either point and normal, or height and slope");
    ground.point = lengths_or(map, "point", ground.point);
    if (normal) ground.normal = vector3(*normal, "ground.normal");
    if (!(std::abs(ground.normal.norm() - 1.0) <= kUnitRounding)) fail(*normal, "ground.normal", "a unit vector");
    ground.normal.normalize();
    return ground;
  }
  if (const Entry* found = map.find("height")) ground.point.z() = length(*found, "ground.height");
  if (toward && !slope) fail(*toward, "ground.toward", "a slope as well");
  if (!slope) return ground;
  const double rise = angle(*slope, "ground.slope");
  if (!(std::abs(rise) < std::acos(0.0))) fail(*slope, "ground.slope", "an angle between -90 and 90 degrees");
  Eigen::Vector2d uphill = Eigen::Vector2d::UnitX();
  if (toward) {
    const std::vector<double> way = numbers(*toward, "ground.toward");
    if (way.size() != 2 || std::hypot(way[0], way[1]) == 0.0) fail(*toward, "ground.toward", "a direction [x, y]");
    uphill = Eigen::Vector2d(way[0], way[1]).normalized();
  }
  if (rise != 0.0) ground.normal << -std::sin(rise) * uphill, std::cos(rise);
  return ground;
}

void decode_pose(const Entry& entry, const std::string& path, Pose& pose, std::optional<Placing>* placing)
{
  std::vector<std::string> keys = {"xyz", "rpy", "quat", "yaw"};
  if (placing) keys.insert(keys.end(), {"on", "settle", "feet"});
  const Map map(entry, path, keys);
  pose.xyz = lengths_or(map, "xyz", pose.xyz);
  pose.rpy = decode_orientation(map, pose.rpy);
  if (!placing) return;
  const Entry* on = map.find("on");
  for (const char* key : {"settle", "feet"})
    if (const Entry* found = map.find(key); found && !on) fail(*found, map.path_of(key), "on: ground as well");
  if (!on) return;
  if (text_of(*on, map.path_of("on")) != "ground") fail(*on, map.path_of("on"), "ground");
  if (pose.xyz.z() != 0.0)
    fail(*map.find("xyz"), map.path_of("xyz"), "no height (0) on the ground, which is where z follows from");
  placing->emplace();
  if (const Entry* found = map.find("settle")) (*placing)->settle = boolean(*found, map.path_of("settle"));
  if (const Entry* found = map.find("feet")) (*placing)->feet = names_list(*found, map.path_of("feet"));
}

Obstacle decode_obstacle(const Entry& entry, const std::string& path, const std::string& folder)
{
  using Kind = Obstacle::Kind;
  const Map map(entry, path, {"name", "box", "plane", "mesh", "scale", "pose", "mu"});
  Obstacle obstacle;
  obstacle.name = text_of(map.need("name"), map.path_of("name"));
  const Entry *box = map.find("box"), *plane = map.find("plane"), *mesh = map.find("mesh"), *scale = map.find("scale");
  if ((box != nullptr) + (plane != nullptr) + (mesh != nullptr) != 1) fail(entry, path, "one of box, plane and mesh");
  if (box) obstacle.size = lengths(*box, map.path_of("box"));
  if (box && !(obstacle.size.minCoeff() > 0.0)) fail(*box, map.path_of("box"), "three lengths > 0");
  if (plane) {
    obstacle.kind = Kind::kPlane;
    if (!boolean(*plane, map.path_of("plane"))) fail(*plane, map.path_of("plane"), "true");
  }
  if (mesh) {
    obstacle.kind = Kind::kMesh;
    obstacle.mesh_file = text_of(*mesh, map.path_of("mesh"));
    if (!obstacle.mesh_file.starts_with("package://") && !folder.empty() &&
        !std::filesystem::path(obstacle.mesh_file).is_absolute())
      obstacle.mesh_file = (std::filesystem::path(folder) / obstacle.mesh_file).lexically_normal().string();
    obstacle.mesh_file = obstacle.mesh_file.starts_with("package://")
                             ? obstacle.mesh_file
                             : std::filesystem::absolute(obstacle.mesh_file).string();
    if (scale) obstacle.size = vector3(*scale, map.path_of("scale"));
  } else if (scale) {
    fail(*scale, map.path_of("scale"), "no scale unless there is a mesh");
  }
  if (const Entry* found = map.find("pose")) decode_pose(*found, map.path_of("pose"), obstacle.pose, nullptr);
  if (const Entry* found = map.find("mu")) obstacle.mu = number_at_least_zero(*found, map.path_of("mu"));
  return obstacle;
}

Detect decode_detect(const Entry& entry, const std::string& path)
{
  Detect detect;
  if (entry.kind == Entry::Kind::kText && entry.text == "auto") return detect;
  const Map map(entry, path, {"links", "with", "within"});
  if (const Entry* found = map.find("links")) detect.links = names_list(*found, map.path_of("links"));
  detect.with = map.text_or("with", detect.with);
  if (const Entry* found = map.find("within")) detect.within = length_at_least_zero(*found, map.path_of("within"));
  return detect;
}

ContactDescription automatic_contacts()
{
  ContactDescription contact;
  contact.name = "auto";
  contact.detect.emplace();
  contact.detect->mu_of_surface = true;
  return contact;
}

}  // namespace stiction::internal
