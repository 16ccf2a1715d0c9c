// What a plane makes of a scene.
#include "scene/plane.hpp"

#include "base/text.hpp"
#include "scene/core.hpp"
#include "stiction/error.hpp"

namespace stiction {

const char* name_of(ScenePlane plane)
{
  switch (plane) {
    case ScenePlane::kAuto:
      return "auto";
    case ScenePlane::kExact:
      return "exact";
    case ScenePlane::kXy:
      return "xy";
    case ScenePlane::kYz:
      return "yz";
    case ScenePlane::kXz:
      return "xz";
    case ScenePlane::kNone:
      break;
  }
  return "none";
}

}  // namespace stiction

namespace stiction::internal {

/// Velocity k of a joint, of bodies that are placed and composed.
PlanarMotion Core::motion_of(ScenePlane candidate, int joint, int k, const Articulation& bodies,
                             const std::vector<Root>& roots, double tolerance) const
{
  const Articulation::Joint& own = bodies.joint(joint);
  const Eigen::Matrix3d& root = roots[idx(own.root)].R;
  return motion_in(candidate, root * bodies.linear(own.v + k), root * bodies.angular(own.v + k), tolerance);
}

Eigen::Matrix3d Core::orientation(BodyRef body, const Articulation& bodies, const std::vector<Root>& roots) const
{
  const Placed place = placed(body);
  return roots[idx(place.root)].R * (bodies.frame(place.joint).R * place.placement.rotation());
}

/// Of the axes that a contact's normal is given in.
Eigen::Matrix3d Core::orientation(const ContactBlueprint& contact, const Articulation& bodies,
                                  const std::vector<Root>& roots) const
{
  if (contact.normal_frame == ContactFrame::kWorld) return Eigen::Matrix3d::Identity();
  return orientation(contact.normal_frame == ContactFrame::kLink ? contact.link : contact.on, bodies, roots);
}

bool Core::stays_in(ScenePlane candidate, const Blueprint& blueprint, const Articulation& bodies,
                    const std::vector<Root>& roots) const
{
  const int axis = normal_axis(candidate);
  const double tolerance = blueprint.plane == ScenePlane::kExact ? kInPlaneExactly : kInPlane;
  for (int j = 1; j < bodies.size(); ++j)
    for (int k = 0; k < bodies.joint(j).nv; ++k)
      if (motion_of(candidate, j, k, bodies, roots, tolerance) != PlanarMotion::kInside) return false;
  for (const ContactBlueprint& contact : blueprint.contacts)
    if (contact.torsion > 0.0 ||
        std::abs((orientation(contact, bodies, roots) * contact.axes.col(0))[axis]) > tolerance)
      return false;
  for (const LoopBlueprint& loop : blueprint.loops)
    if (loop.kind == LoopDescription::Kind::kGuide &&
        std::abs((orientation(loop.link, bodies, roots) * loop.axes.col(0))[axis]) > tolerance)
      return false;
  return true;
}

/// Flags of all velocities, with mimic joints, that the plane takes; a warning names their joints.
std::vector<char> Core::leaving_velocities(const Articulation& bodies, const std::vector<Root>& roots)
{
  std::vector<char> held(idx(model.nv), 0);
  std::string names;
  for (int j = 1; j < bodies.size(); ++j) {
    const Articulation::Joint& joint = bodies.joint(j);
    const JointSlot& slot = coordinates.slots[idx(j - 1)];
    const std::string& name = coordinates.model_names[idx(slot.model)];
    const UrdfJoint* urdf = slot.joint < 0 ? nullptr : &coordinates.trees[idx(slot.model)]->joints[idx(slot.joint)];
    bool all = true;
    for (int k = 0; k < joint.nv; ++k) {
      const PlanarMotion motion = motion_of(plane, j, k, bodies, roots);
      held[idx(joint.v + k)] = motion != PlanarMotion::kInside;
      all = all && motion != PlanarMotion::kInside;
      if (motion == PlanarMotion::kOblique && joint.nv > 1)
        throw InputError("models." + name + (urdf ? ".joints." + urdf->name : std::string(".pose.rpy")),
                         std::string("want axes along or across the plane ") + name_of(plane) +
                             " of the scene for what may move freely, got oblique ones");
    }
    if (all && urdf) names += (names.empty() ? "" : ", ") + name + "/" + urdf->name;
  }
  if (!names.empty()) {
    load_warnings.push_back(
        {Warning::Kind::kPlane, "plane",
         std::string("joints that would leave the plane ") + name_of(plane) + " are held: " + names});
    warnings.push_back(load_warnings.back());
  }
  return held;
}

void Core::lay_into_plane(const Blueprint& blueprint)
{
  std::vector<Root> roots;
  Articulation bodies = described_bodies(roots);
  bodies.compose();
  plane = blueprint.plane;
  if (plane == ScenePlane::kAuto || plane == ScenePlane::kExact) {
    plane = ScenePlane::kNone;
    for (const ScenePlane candidate : {ScenePlane::kYz, ScenePlane::kXy, ScenePlane::kXz})
      if (stays_in(candidate, blueprint, bodies, roots)) plane = candidate;
    if (plane == ScenePlane::kNone) return;
    load_warnings.push_back({Warning::Kind::kPlane, "plane",
                             std::string("nothing leaves the plane ") + name_of(plane) + ": one tangent per contact"});
    warnings.push_back(load_warnings.back());
  }
  for (const ContactBlueprint& contact : blueprint.contacts) {
    const std::string path = "contacts[" + std::to_string(contact.origin.description) + "]";
    if (contact.torsion > 0.0)
      throw InputError(path + ".torsion",
                       "want 0 in a plane, where nothing turns about a normal, got " + text(contact.torsion));
    const Eigen::Vector3d normal_W = orientation(contact, bodies, roots) * contact.axes.col(0);
    if (std::abs(normal_W[normal_axis(plane)]) > kInPlane)
      throw InputError(path + ".normal", std::string("want one in the plane ") + name_of(plane) +
                                             " of the scene, got " + text(normal_W) + " in the world");
  }
  coordinates.hold(leaving_velocities(bodies, roots));
}

void Core::check_plane(const Articulation& bodies, const std::vector<Root>& roots, const ContactProblem& problem) const
{
  const int axis = normal_axis(plane);
  for (int j = 1; j < bodies.size(); ++j)
    for (int k = 0; k < bodies.joint(j).nv; ++k)
      if (const int dof = coordinates.v_source[idx(bodies.joint(j).v + k)];
          dof >= 0 && motion_of(plane, j, k, bodies, roots) != PlanarMotion::kInside)
        throw InputError("state.q", std::string("want a state in which everything moves in the plane ") +
                                        name_of(plane) + ", got one in which " + quoted(problem.dof_names[idx(dof)]) +
                                        " leaves it");
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (std::abs(problem.contacts[i].axes_W(axis, 0)) > kInPlane ||
        std::abs(problem.contacts[i].axes_W(axis, 1)) > kInPlane)
      throw InputError("contacts[" + std::to_string(contact_origins[i].description) + "].normal",
                       std::string("want one in the plane ") + name_of(plane) + " of the scene, got " +
                           text(Eigen::Vector3d(problem.contacts[i].axes_W.col(0))) + " in the world");
}

}  // namespace stiction::internal
