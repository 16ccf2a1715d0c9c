#include "scene/urdf.hpp"
#include "stiction/scene.hpp"

namespace stiction {
namespace {

RobotInfo inspect(const internal::UrdfTree& tree)
{
  RobotInfo info;
  info.name = tree.name;
  info.root = tree.links[internal::idx(tree.root)].name;
  for (const auto& link : tree.links) {
    info.links.push_back({link.name, link.mass});
    info.total_mass += link.mass;
  }
  const auto link_name = [&](int i) { return tree.links[internal::idx(i)].name; };
  for (const auto& joint : tree.joints) {
    JointInfo row;
    row.name = joint.name;
    row.type = internal::name_of(joint.type);
    row.parent = link_name(joint.parent);
    row.child = link_name(joint.child);
    if (joint.mimics >= 0) row.mimics = tree.joints[internal::idx(joint.mimics)].name;
    row.lower = joint.lower;
    row.upper = joint.upper;
    row.effort = joint.effort;
    row.velocity = joint.velocity;
    info.joints.push_back(row);
    if (joint.mimics < 0) info.nv_fixed += internal::freedoms(joint.type);
  }
  for (const auto& finding : internal::physical_findings(tree)) info.warnings.push_back(finding.what);
  return info;
}

}  // namespace

RobotInfo inspect_urdf_file(const std::string& path)
{
  return inspect(internal::parse_urdf(internal::read_urdf_file(path, {}, path), path));
}

RobotInfo inspect_urdf_text(const std::string& text) { return inspect(internal::parse_urdf(text, "urdf")); }

}  // namespace stiction
