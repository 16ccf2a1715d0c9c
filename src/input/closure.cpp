#include "stiction/closure_input.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "stiction/error.hpp"
#include "stiction/proof.hpp"
#include "stiction/region_input.hpp"

namespace stiction {
namespace {

/// Which of a floating joint's degrees of freedom move in the plane, in the order of WrenchConvention.
const std::vector<int>& degrees_in_plane(GraspPlane plane)
{
  static const std::vector<int> kSpatial = {0, 1, 2, 3, 4, 5}, kXY = {0, 1, 5}, kYZ = {1, 2, 3}, kZX = {2, 0, 4};
  switch (plane) {
    case GraspPlane::kXY:
      return kXY;
    case GraspPlane::kYZ:
      return kYZ;
    case GraspPlane::kZX:
      return kZX;
    case GraspPlane::kNone:
      break;
  }
  return kSpatial;
}

/// Leaves out degrees of freedom; every other number stays.
ContactProblem without(const ContactProblem& problem, const std::vector<int>& dropped)
{
  std::vector<int> kept;
  for (int i = 0; i < problem.nv(); ++i)
    if (std::ranges::find(dropped, i) == dropped.end()) kept.push_back(i);
  ContactProblem result = problem;
  result.M = problem.M(kept, kept);
  result.F = problem.F(kept);
  result.J = problem.J(Eigen::all, kept);
  result.dof_names.clear();
  result.dofs.clear();
  for (const int i : kept) {
    result.dof_names.push_back(problem.dof_names[static_cast<std::size_t>(i)]);
    result.dofs.push_back(problem.dofs[static_cast<std::size_t>(i)]);
  }
  std::erase_if(result.actuators,
                [&](const Actuator& actuator) { return std::ranges::find(kept, actuator.dof) == kept.end(); });
  for (Actuator& actuator : result.actuators)
    actuator.dof = static_cast<int>(std::ranges::find(kept, actuator.dof) - kept.begin());
  return result;
}

/// Where a contact is in the frame of a floating object, from its rows (n, p x n): the sum of n x (p x n) over three
/// axes is 2 p. World coordinates would round by the distance from the world's origin.
Eigen::Vector3d point_on(const ContactProblem& problem, const Contact& contact, Eigen::Index base)
{
  Eigen::Vector3d twice = Eigen::Vector3d::Zero();
  for (int k = 0; k < 3; ++k) {
    const Eigen::RowVectorXd row = problem.J.row(contact.row + k);
    twice += row.segment<3>(base).cross(row.segment<3>(base + 3)).transpose();
  }
  return 0.5 * twice;
}

GraspContactKind kind_of(const Contact& contact)
{
  if (contact.side == Side::kBilateral) return GraspContactKind::kBilateral;
  if (contact.torsional) return GraspContactKind::kSoftFinger;
  return contact.mu > 0.0 ? GraspContactKind::kHardFinger : GraspContactKind::kFrictionless;
}

Eigen::Isometry3d root_pose(Scene& scene, const SceneState& state, const std::string& object)
{
  return scene.link_pose(state, scene.root_link(object));
}

/// What acts on a floating object: `load` (in its axes, torque about its origin) and `extra` (world axes, torque about
/// `point`), in the object's axes about `point`.
Eigen::VectorXd moved_to(const Eigen::Vector3d& point, Eigen::VectorXd load, const WrenchOption& extra,
                         const Eigen::Matrix3d& rotation)
{
  const double force_scale = load.head<3>().norm() + extra.force.norm();
  const double torque_scale = load.tail<3>().norm() + point.norm() * load.head<3>().norm() + extra.torque.norm();
  load.tail<3>() -= point.cross(Eigen::Vector3d(load.head<3>()));
  load.head<3>() += rotation.transpose() * extra.force;
  load.tail<3>() += rotation.transpose() * extra.torque;
  // Turning and shifting leaves rounding where there is no wrench: enough to drive a motion that no contact sees.
  for (int k = 0; k < 6; ++k)
    if (std::abs(load[k]) <= kRounding * (k < 3 ? force_scale : torque_scale)) load[k] = 0.0;
  return load;
}

}  // namespace

void GraspInput::build(Grasp& grasp) const
{
  set_grasp(problem, object_dofs, convention, shape, grasp, pose ? &*pose : nullptr);
  grasp.validate();
}

ObjectContacts object_contacts(Scene& scene, const SceneState& state, const ContactProblem& problem,
                               const std::string& object)
{
  const int model = scene.model_index(object);
  const Eigen::Index base = floating_base(problem, object);
  const Eigen::Isometry3d pose = root_pose(scene, state, object);
  const Eigen::Vector3d center = scene.total_mass(object) > 0.0 ? scene.center_of_mass_in_root(state, object)
                                                                : Eigen::Vector3d(Eigen::Vector3d::Zero());
  ObjectContacts found;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const ContactOrigin& origin = scene.contact_origins()[i];
    if ((origin.link == model) == (origin.on == model)) continue;
    const Eigen::Vector3d into_object_W = (origin.link == model ? 1.0 : -1.0) * contact.axes_W.col(0);
    GraspContact touching;
    touching.name = contact.name;
    touching.point = base < 0 ? Eigen::Vector3d(pose.inverse() * contact.point_W) : point_on(problem, contact, base);
    touching.normal = pose.linear().transpose() * into_object_W;
    touching.mu = contact.mu;
    touching.torsion = contact.torsion;
    touching.kind = kind_of(contact);
    if (contact.side == Side::kUnilateral && touching.normal.dot(center - touching.point) < 0.0)
      found.pushing_away.push_back(static_cast<int>(found.contacts.size()));
    found.contacts.push_back(touching);
  }
  return found;
}

GraspInput grasp_of(Scene& scene, const SceneState& state, const ContactProblem& problem, const GraspOptions& options)
{
  const std::string& object = options.object;
  const Eigen::Isometry3d pose = root_pose(scene, state, object);
  const bool floating = floating_base(problem, object) >= 0;
  std::vector<int> own, dropped;
  for (int i = 0; i < problem.nv(); ++i)
    if (problem.dofs[static_cast<std::size_t>(i)].model == object) own.push_back(i);
  if (floating ? own.size() != 6 : own.empty() || own.size() > 6)
    throw InputError("options.object",
                     "want a rigid object with a floating base, or one on a fixed base with 1 to 6 joints, got " +
                         internal::quoted(object) + " with " + std::to_string(own.size()) + " degrees of freedom");
  GraspInput input;
  input.shape = options.shape;
  if (!floating) {
    if (options.wrench)
      throw InputError("options.wrench", "want `loads` instead for an object on a fixed base, got a wrench");
    input.problem = problem;
    input.object_dofs = own;
    input.wrench = -problem.F(own);
    return input;
  }

  const std::vector<int>& in_plane = degrees_in_plane(options.plane);
  for (const int k : in_plane) input.object_dofs.push_back(own[static_cast<std::size_t>(k)]);
  for (const int dof : own)
    if (std::ranges::find(input.object_dofs, dof) == input.object_dofs.end()) dropped.push_back(dof);
  input.problem = without(problem, dropped);
  for (int& dof : input.object_dofs)
    dof -= static_cast<int>(std::ranges::count_if(dropped, [&](int other) { return other < dof; }));
  input.pose = {pose.linear(), pose.translation()};

  WrenchConvention& convention = input.convention;
  convention.plane = options.plane;
  convention.reference = options.point ? *options.point : scene.center_of_mass_in_root(state, object);
  double furthest = 0.0;
  for (const GraspContact& contact : object_contacts(scene, state, problem, object).contacts)
    furthest = std::max(furthest, (contact.point - convention.reference).norm());
  convention.torque_length = options.length.value_or(furthest > 0.0 ? furthest : 1.0);
  const Eigen::VectorXd wrench =
      moved_to(convention.reference, -problem.F(own), options.wrench.value_or(WrenchOption{}), pose.linear());
  input.wrench = wrench(in_plane);
  return input;
}

GraspInput grasp_of(const ContactProblem& problem, const GraspOptions& options)
{
  const auto refuse = [](bool given, const char* path, const char* instead) {
    if (given) throw InputError(path, std::string("want ") + instead + ", got one");
  };
  refuse(options.plane != GraspPlane::kNone, "options.plane", "none for matrices: leave out the other motions instead");
  refuse(options.wrench.has_value(), "options.wrench", "none for matrices: add it to F instead");
  GraspInput input;
  input.problem = problem;
  input.shape = options.shape;
  for (int i = 0; i < problem.nv(); ++i)
    if (problem.dofs.empty() || problem.dofs[static_cast<std::size_t>(i)].model == options.object)
      input.object_dofs.push_back(i);
  const std::vector<int>& own = input.object_dofs;
  if (own.empty() || own.size() > 6)
    throw InputError("options.object", "want an object with 1 to 6 degrees of freedom, got " +
                                           internal::quoted(options.object) + " with " + std::to_string(own.size()));
  input.wrench = -problem.F(own);
  const Eigen::Index base = floating_base(problem, options.object);
  refuse(base < 0 && options.point.has_value(), "options.point", "none unless the object has a floating base");
  refuse(base < 0 && options.length.has_value(), "options.length", "none unless the object has a floating base");
  if (base < 0) return input;
  input.convention.reference = options.point.value_or(Eigen::Vector3d::Zero());
  input.convention.torque_length = options.length.value_or(1.0);
  input.wrench = moved_to(input.convention.reference, input.wrench, {}, Eigen::Matrix3d::Identity());
  return input;
}

}  // namespace stiction
