// From a blueprint to Pinocchio's model, bodies, rows and loads.
#include "scene/core.hpp"

#include <algorithm>

#include "base/linear_algebra.hpp"
#include "base/nearest_name.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using pinocchio::JointIndex;
using pinocchio::SE3;

SE3 se3(const Eigen::Isometry3d& pose)
{
  return SE3(Eigen::Matrix3d(pose.linear()), Eigen::Vector3d(pose.translation()));
}

pinocchio::JointModel joint_model(const UrdfJoint& joint)
{
  const Eigen::Vector3d& axis = joint.axis;
  switch (joint.type) {
    case JointType::kPrismatic:
      if (axis == Eigen::Vector3d::UnitX()) return pinocchio::JointModelPX();
      if (axis == Eigen::Vector3d::UnitY()) return pinocchio::JointModelPY();
      if (axis == Eigen::Vector3d::UnitZ()) return pinocchio::JointModelPZ();
      return pinocchio::JointModelPrismaticUnaligned(axis);
    case JointType::kPlanar:
      return pinocchio::JointModelPlanar();
    case JointType::kFloating:
      return pinocchio::JointModelFreeFlyer();
    default:  // a continuous joint is a revolute one without end stops: its angle is one number, mimics or not
      if (axis == Eigen::Vector3d::UnitX()) return pinocchio::JointModelRX();
      if (axis == Eigen::Vector3d::UnitY()) return pinocchio::JointModelRY();
      if (axis == Eigen::Vector3d::UnitZ()) return pinocchio::JointModelRZ();
      return pinocchio::JointModelRevoluteUnaligned(axis);
  }
}

}  // namespace

Core::Core(const Blueprint& blueprint)
    : models(blueprint.models), warnings(blueprint.warnings), load_warnings(blueprint.load_warnings)
{
  gravity = blueprint.gravity;
  model.gravity.setZero();
  fixed_roots.resize(models.size() + 1);
  for (std::size_t m = 0; m < models.size(); ++m) add_model(static_cast<int>(m));
  check_inertias();
  articulation.finish();
  coordinates.number(model.nq, model.nv);
  std::vector<ModelState> states;
  for (const ModelBlueprint& source : models) states.push_back(source.state);
  described = coordinates.make_state(states);
  if (blueprint.plane != ScenePlane::kNone) {
    lay_into_plane(blueprint);
    described = coordinates.make_state(states);
  }
  prototype.dofs = coordinates.dofs();
  prototype.dof_names = dof_labels(prototype.dofs);
  described.effort = Eigen::VectorXd::Zero(coordinates.nv);
  for (std::size_t m = 0; m < models.size(); ++m)
    add_efforts(static_cast<int>(m), models[m].given_efforts, described.effort);
  add_actuators();
  add_rows(blueprint);
  for (const auto& source : blueprint.loads) loads.push_back(load_block(source));
}

void Core::add_model(int m)
{
  const ModelBlueprint& source = models[idx(m)];
  const int root = m + 1;
  coordinates.model_names.push_back(source.name);
  coordinates.trees.push_back(source.tree);
  links.emplace_back(source.tree->links.size());
  if (source.base == Base::kFixed) {
    fixed_roots[idx(root)] = {source.state.pose.linear(), source.state.pose.translation()};
    return add_link(m, source.tree->root, {root, 0, SE3::Identity()});
  }
  const JointIndex base = model.addJoint(0, pinocchio::JointModelFreeFlyer(), SE3::Identity(), source.name);
  coordinates.slots.push_back({m, -1, JointType::kFloating, model.idx_qs[base], model.idx_vs[base]});
  bases.emplace_back(root, model.idx_qs[base]);
  Articulation::Joint joint;
  joint.root = root;
  joint.base = true;
  articulation.add(joint);
  add_link(m, source.tree->root, {root, static_cast<int>(base), SE3::Identity()});
}

/// Motors and friction of joints by degree of freedom, a motor before its joint's friction.
void Core::add_actuators()
{
  struct Added {
    Actuator actuator;
    bool is_friction;
  };
  std::vector<Added> added;
  for (std::size_t m = 0; m < models.size(); ++m) {
    const auto dof_of = [&](int joint) {  // < 0: a plane holds it
      return coordinates.dof_of(static_cast<int>(m), joint);
    };
    const auto add = [&](const ModelBlueprint::Motor& motor, bool is_friction) {
      const int dof = dof_of(motor.joint);
      if (dof < 0) return;
      const std::string name = prototype.dof_names[idx(dof)] + (is_friction ? " (friction)" : "");
      added.push_back({{name, dof, motor.lower, motor.upper}, is_friction});
    };
    for (const auto& motor : models[m].motors) add(motor, false);
    for (const auto& friction : models[m].frictions) add(friction, true);
    for (const int joint : models[m].given_motors)
      if (const int dof = dof_of(joint); dof >= 0) given_motors.push_back(dof);
  }
  std::ranges::stable_sort(added, {}, [](const Added& each) { return each.actuator.dof; });
  for (const Added& each : added) {
    if (each.is_friction) brakes.push_back(static_cast<int>(prototype.actuators.size()));
    prototype.actuators.push_back(each.actuator);
  }
}

/// Depth first, children by joint name: Pinocchio needs contiguous subtrees, and its users know this order.
void Core::add_link(int m, int index, const Placed& placed)
{
  const UrdfTree& tree = *coordinates.trees[idx(m)];
  const UrdfLink& link = tree.links[idx(index)];
  links[idx(m)][idx(index)] = placed;
  if (placed.joint > 0)
    articulation.body(placed.joint)
        .add(RigidBody{link.mass, link.com, link.inertia}.moved(placed.placement.rotation(),
                                                                placed.placement.translation()));
  for (int child : link.child_joints) add_joint(m, child, placed);
}

void Core::add_joint(int m, int index, const Placed& parent)
{
  const UrdfJoint& joint = coordinates.trees[idx(m)]->joints[idx(index)];
  const SE3 origin = parent.placement * se3(joint.origin);
  if (joint.type == JointType::kFixed) return add_link(m, joint.child, {parent.root, parent.joint, origin});
  SE3 turn = SE3::Identity();  // of Pinocchio's joint axes in URDF's joint frame
  if (joint.type == JointType::kPlanar) turn.rotation() = plane_axes(joint.axis);
  const JointIndex id = model.addJoint(static_cast<JointIndex>(parent.joint), joint_model(joint), origin * turn,
                                       coordinates.model_names[idx(m)] + "/" + joint.name);
  coordinates.slots.push_back({m, index, joint.type, model.idx_qs[id], model.idx_vs[id]});
  const SE3 place = origin * turn;
  Articulation::Joint added;
  added.root = parent.root;
  added.parent = parent.joint;
  added.type = joint.type;
  added.axis = joint.axis;
  added.q = model.idx_qs[id];
  added.R = place.rotation();
  added.r = place.translation();
  articulation.add(added);
  add_link(m, joint.child, {parent.root, static_cast<int>(id), turn.inverse()});
}

/// Links bolted together are one body: a slip of the pen in a small link does no harm (several real robots have one),
/// but a moving body with a negative principal moment makes M indefinite. One of rounding is raised to zero.
void Core::check_inertias()
{
  std::vector<double> size(idx(articulation.size()), 0.0);
  for (std::size_t m = 0; m < links.size(); ++m)
    for (std::size_t k = 0; k < links[m].size(); ++k) {
      const UrdfLink& link = coordinates.trees[m]->links[k];
      const Placed& placed = links[m][k];
      size[idx(placed.joint)] +=
          link.inertia.cwiseAbs().maxCoeff() + link.mass * placed.placement.act(link.com).squaredNorm();
    }
  for (int j = 1; j < articulation.size(); ++j) {
    RigidBody& body = articulation.body(j);
    mass += body.mass;
    const Eigen::Vector3d moments = symmetric_eigenvalues(body.inertia);
    if (moments.minCoeff() < -kWrittenByHand * size[idx(j)]) {
      const JointSlot& slot = coordinates.slots[idx(j - 1)];
      const UrdfTree& tree = *coordinates.trees[idx(slot.model)];
      const int link = slot.joint < 0 ? tree.root : tree.joints[idx(slot.joint)].child;
      throw InputError("models." + coordinates.model_names[idx(slot.model)] + ".urdf",
                       "link " + quoted(tree.links[idx(link)].name) +
                           ", inertia: want principal moments >= 0 together with the links fixed to it, got " +
                           text(moments));
    }
    if (moments.minCoeff() < 0.0) body.inertia.diagonal().array() -= moments.minCoeff();
    model.inertias[idx(j)] = pinocchio::Inertia(body.mass, body.com, body.inertia);
  }
}

/// Moves the poses of floating roots out of q: what is left is the same wherever the models are.
void Core::split_roots(Eigen::VectorXd& full_q, std::vector<Root>& roots) const
{
  roots = fixed_roots;
  for (const auto& [root, first] : bases) {
    auto pose = full_q.segment<7>(first);
    roots[idx(root)].t = pose.head<3>();
    roots[idx(root)].R = Eigen::Quaterniond(Eigen::Vector4d(pose.tail<4>())).normalized().toRotationMatrix();
    pose << 0, 0, 0, 0, 0, 0, 1;
  }
}

Placed Core::placed(BodyRef body) const
{
  if (body.model < 0) return {};
  return links[idx(body.model)][idx(body.link)];
}

std::vector<Column> Core::columns(const Placed& body, const Placed& other, double sign) const
{
  std::vector<Column> result;
  const auto& support = model.supports[idx(body.joint)];
  const auto& excluded = model.supports[idx(other.joint)];
  for (JointIndex joint : support) {
    if (joint == 0 || std::ranges::find(excluded, joint) != excluded.end()) continue;
    const int j = static_cast<int>(joint);
    for (int k = 0; k < model.nvs[joint]; ++k) {
      const int full = model.idx_vs[joint] + k;
      if (coordinates.v_source[idx(full)] < 0) continue;
      result.push_back({j, full, coordinates.v_source[idx(full)], sign * coordinates.v_scale(full),
                        articulation.joint(j).base ? k : -1});
    }
  }
  return result;
}

RowBlock Core::contact_block(const ContactBlueprint& source, const Articulation& bodies,
                             const std::vector<Root>& roots) const
{
  RowBlock block;
  block.a = placed(source.link);
  block.b = placed(source.on);
  Eigen::Matrix3d axes = source.axes;
  if (plane != ScenePlane::kNone) {
    const Eigen::Vector3d across = orientation(source, bodies, roots).row(normal_axis(plane));
    axes = planar_axes(source.axes.col(0), across);
    block.linear = 2;
  }
  switch (source.at_frame) {
    case ContactFrame::kLink:
      block.point = point_of(block.a, source.point);
      break;
    case ContactFrame::kOn:
      block.point_on = Carrier::kB;
      block.point = point_of(block.b, source.point);
      break;
    case ContactFrame::kWorld: {  // the point of the link that is there at the described state
      const Articulation::Frame& frame = bodies.frame(block.a.joint);
      const double rounding = bodies.joint(block.a.joint).rounding;
      const Sized in_root = carried(Sized(source.point), {}, roots[idx(block.a.root)]);
      block.point = turned(frame.R.transpose(),
                           shifted(in_root, -frame.r, Eigen::Vector3d::Constant(frame.path), rounding), rounding);
      break;
    }
  }
  switch (source.normal_frame) {
    case ContactFrame::kLink:
      block.axes = axes_of(block.a, axes);
      break;
    case ContactFrame::kOn:
      block.axes_on = Carrier::kB;
      block.axes = axes_of(block.b, axes);
      break;
    case ContactFrame::kWorld:
      block.axes_on = Carrier::kWorld;
      block.axes = {axes, axes.cwiseAbs()};
      break;
  }
  block.angular = source.torsion > 0.0 ? 1 : 0;
  block.shape = source.shape;
  return block;
}

RowBlock Core::closure_block(const LoopBlueprint& source, const Articulation& bodies,
                             const std::vector<Root>& roots) const
{
  const bool guide = source.kind == LoopDescription::Kind::kGuide;
  RowBlock block;
  block.a = placed(source.link);
  block.b = placed(source.on);
  block.point = point_of(block.a, source.at);
  if (guide)
    block.axes = axes_of(block.a, source.axes);
  else
    block.axes_on = Carrier::kWorld;  // pins and welds block every direction: world axes
  block.linear = guide ? 1 : 3;
  block.angular = source.kind == LoopDescription::Kind::kWeld ? 3 : 0;
  if (plane == ScenePlane::kNone) return block;
  const int k = normal_axis(plane);
  if (guide) {
    const Eigen::Vector3d normal_W = orientation(source.link, bodies, roots) * source.axes.col(0);
    if (std::abs(normal_W[k]) > kInPlane)
      throw InputError("closures." + source.name + ".normal", std::string("want one in the plane ") + name_of(plane) +
                                                                  " of the scene, got " + text(normal_W) +
                                                                  " in the world");
  } else {  // two directions inside, and the turn about the third
    block.axes.value << Eigen::Vector3d::Unit(k == 0 ? 1 : 0), Eigen::Vector3d::Unit(k == 2 ? 1 : 2),
        Eigen::Vector3d::Unit(k);
    block.axes.size = block.axes.value;
    block.linear = 2;
    block.angular = block.angular > 0 ? 1 : 0;
    block.turn_axis = 2;
  }
  return block;
}

void Core::add_rows(const Blueprint& blueprint)
{
  std::vector<Root> roots;
  const Articulation bodies = described_bodies(roots);
  const auto finish = [&](RowBlock block) {
    block.columns_a = columns(block.a, block.b, 1.0);
    block.columns_b = columns(block.b, block.a, -1.0);
    block.rounding = std::max(bodies.joint(block.a.joint).rounding, bodies.joint(block.b.joint).rounding);
    block.row = static_cast<int>(row_count);
    row_count += block.linear + block.angular;
    rows.push_back(std::move(block));
  };
  for (const auto& source : blueprint.contacts) {
    RowBlock block = contact_block(source, bodies, roots);
    Contact contact;
    contact.name = source.name;
    contact.side = source.side;
    contact.mu = source.mu;
    contact.row = static_cast<int>(row_count);
    if (plane != ScenePlane::kNone) contact.tangents = 1;
    contact.torsional = block.angular > 0;
    contact.torsion = source.torsion;
    contact.max_normal = source.max_normal;
    prototype.contacts.push_back(contact);
    contact_origins.push_back(source.origin);
    finish(std::move(block));
  }
  for (const auto& source : blueprint.loops) {
    RowBlock block = closure_block(source, bodies, roots);
    prototype.loops.push_back({source.name, static_cast<int>(row_count), block.linear + block.angular});
    finish(std::move(block));
  }
}

void Core::add_efforts(int m, const std::vector<std::pair<int, double>>& given, Eigen::VectorXd& effort) const
{
  for (const auto& [joint, value] : given)
    if (const int dof = coordinates.dof_of(m, joint); dof >= 0) effort(dof) = value;
}

LoadBlock Core::load_block(const LoadBlueprint& source) const
{
  LoadBlock load;
  load.body = placed(source.body);
  load.in_world = source.in_world;
  load.point = point_of(load.body, source.at);
  const Eigen::Matrix3d turn = source.in_world ? Eigen::Matrix3d::Identity() : load.body.placement.rotation();
  load.force = turned(turn, Sized(source.force), kJointRounding);
  load.torque = turned(turn, Sized(source.torque), kJointRounding);
  load.columns = columns(load.body, {}, 1.0);
  return load;
}

/// Where everything is in the described state.
Articulation Core::described_bodies(std::vector<Root>& roots) const
{
  Eigen::VectorXd full_q(model.nq);
  coordinates.expand(described.q, full_q);
  split_roots(full_q, roots);
  Articulation bodies = articulation;
  bodies.place(full_q);
  return bodies;
}

int Core::model_index(const std::string& name) const
{
  for (std::size_t m = 0; m < models.size(); ++m)
    if (models[m].name == name) return static_cast<int>(m);
  throw InputError("models", "want a model of the scene, got " + quoted(name) + did_you_mean(name, all_names(models)));
}

}  // namespace stiction::internal
