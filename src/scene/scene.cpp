// The only file that includes Pinocchio.
#include "stiction/scene.hpp"

#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "scene/articulation.hpp"
#include "scene/blueprint.hpp"
#include "scene/coordinates.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

using internal::Articulation;
using internal::BodyRef;
using internal::idx;
using internal::JointSlot;
using internal::JointType;
using internal::ModelState;
using internal::RigidBody;
using internal::Sized;
using internal::SizedAxes;
using internal::turned;
using internal::UrdfJoint;
using internal::UrdfTree;
using pinocchio::JointIndex;
using pinocchio::SE3;

SE3 se3(const Eigen::Isometry3d& pose)
{
  return SE3(Eigen::Matrix3d(pose.linear()), Eigen::Vector3d(pose.translation()));
}

/// Pose of a model's root link in the world. Everything is computed in root frames: one pose never meets the other
/// ones, except in `carried`, as a difference.
struct Root {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d t = Eigen::Vector3d::Zero();
};

/// A point of one root frame, in another one.
Sized carried(const Sized& p, const Root& from, const Root& to)
{
  const Eigen::Vector3d between = from.t - to.t;
  const Sized there =
      shifted(turned(from.R, p, internal::kJointRounding), between, between.cwiseAbs(), internal::kJointRounding);
  return turned(to.R.transpose(), there, internal::kJointRounding);
}

SizedAxes carried(const SizedAxes& axes, const Root& from, const Root& to)
{
  return turned(Eigen::Matrix3d(to.R.transpose() * from.R), axes, internal::kJointRounding);
}

/// A link as part of a joint's body.
struct Placed {
  int root = 0;                     ///< 0 the world, m + 1 model m
  int joint = 0;                    ///< 0: the root frame itself
  SE3 placement = SE3::Identity();  ///< link frame in the joint frame
};

Sized point_of(const Placed& body, const Eigen::Vector3d& point)
{
  const Eigen::Vector3d& step = body.placement.translation();
  return shifted(turned(body.placement.rotation(), Sized(point), internal::kJointRounding), step, step.cwiseAbs(),
                 internal::kJointRounding);
}

SizedAxes axes_of(const Placed& body, const Eigen::Matrix3d& axes)
{
  return turned(body.placement.rotation(), SizedAxes{axes, axes.cwiseAbs()}, internal::kJointRounding);
}

/// One velocity that moves a row: `factor` is +1 for body A, -1 for body B, times the mimic multiplier.
struct Column {
  int joint = 0;
  int full = 0;  ///< among all velocities, with mimic joints
  int dof = 0;   ///< in the problem
  double factor = 1.0;
  int base = -1;  ///< 0 to 5: of a root's free flyer, whose frame is the root frame
};

/// Which body a point or an axis is fixed to.
enum class Carrier { kA, kB, kWorld };

/// Rows that compare two bodies at one point: `linear` rows along axes, then `angular` rows about axes.
struct RowBlock {
  Placed a, b;
  Carrier point_on = Carrier::kA, axes_on = Carrier::kA;  ///< a point is never kWorld
  Sized point;                                            ///< in the joint frame of its body
  SizedAxes axes;  ///< columns, in the joint frame of their body, or in the world
  int row = 0, linear = 3, angular = 0;
  std::vector<Column> columns_a, columns_b;  ///< joints that support exactly one of the bodies: the others cancel
  double rounding = 0.0;                     ///< of the point and the axes, relative to their sizes
};

struct LoadBlock {
  Placed body;
  bool in_world = true;
  Sized point, force, torque;  ///< in the joint frame; force and torque in the world if in_world
  std::vector<Column> columns;
};

/// Everything that never changes: shared between copies of a scene.
struct Core {
  pinocchio::Model model;  ///< without gravity: it has another direction in each root frame
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  Articulation articulation;
  std::vector<std::vector<Placed>> links;  ///< per model, per link
  std::vector<Root> fixed_roots;           ///< per root; those of floating models are part of the state
  std::vector<std::pair<int, int>> bases;  ///< root, first entry in the full q: of floating models
  internal::Coordinates coordinates;
  std::vector<internal::ModelBlueprint> models;

  std::vector<RowBlock> rows;
  std::vector<LoadBlock> loads;
  ContactProblem prototype;  ///< names and coefficients; matrices empty
  Eigen::Index row_count = 0;
  double mass = 0.0;
  SceneState described;
  std::vector<ContactOrigin> contact_origins;
  std::vector<Warning> warnings, load_warnings;

  explicit Core(const internal::Blueprint& blueprint);

  void add_efforts(int m, const std::vector<std::pair<int, double>>& given, Eigen::VectorXd& effort) const;
  LoadBlock load_block(const internal::LoadBlueprint& source) const;
  Placed placed(BodyRef body) const;
  int model_index(const std::string& name) const;
  void split_roots(Eigen::VectorXd& full_q, std::vector<Root>& roots) const;

 private:
  void add_link(int m, int link, const Placed& placed);
  void add_joint(int m, int joint, const Placed& parent);
  void check_inertias();
  void add_rows(const internal::Blueprint& blueprint);
  RowBlock contact_block(const internal::ContactBlueprint& source, const Articulation& described_bodies,
                         const std::vector<Root>& roots) const;
  RowBlock closure_block(const internal::ClosureBlueprint& source) const;
  std::vector<Column> columns(const Placed& body, const Placed& other, double sign) const;
};

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

/// Pinocchio's planar joint moves in x and y and turns about z; URDF's moves in the plane normal to its axis.
Eigen::Matrix3d plane_axes(const Eigen::Vector3d& normal)
{
  const Eigen::Matrix3d axes = internal::contact_axes(normal);
  Eigen::Matrix3d plane;
  plane << axes.col(1), axes.col(2), axes.col(0);
  return plane;
}

Core::Core(const internal::Blueprint& blueprint)
    : models(blueprint.models), warnings(blueprint.warnings), load_warnings(blueprint.load_warnings)
{
  gravity = blueprint.gravity;
  model.gravity.setZero();
  fixed_roots.resize(blueprint.models.size() + 1);
  for (std::size_t m = 0; m < blueprint.models.size(); ++m) {
    const auto& source = blueprint.models[m];
    const UrdfTree& tree = *source.tree;
    const int root = static_cast<int>(m) + 1;
    coordinates.model_names.push_back(source.name);
    coordinates.trees.push_back(source.tree);
    links.emplace_back(tree.links.size());
    if (source.base == Base::kFixed) {
      fixed_roots[idx(root)] = {source.state.pose.linear(), source.state.pose.translation()};
      add_link(static_cast<int>(m), tree.root, {root, 0, SE3::Identity()});
    } else {
      const JointIndex base = model.addJoint(0, pinocchio::JointModelFreeFlyer(), SE3::Identity(), source.name);
      coordinates.slots.push_back(
          {static_cast<int>(m), -1, JointType::kFloating, model.idx_qs[base], model.idx_vs[base]});
      bases.emplace_back(root, model.idx_qs[base]);
      Articulation::Joint joint;
      joint.root = root;
      joint.base = true;
      articulation.add(joint);
      add_link(static_cast<int>(m), tree.root, {root, static_cast<int>(base), SE3::Identity()});
    }
  }
  check_inertias();
  articulation.finish();
  coordinates.number(model.nq, model.nv);
  prototype.dofs = coordinates.dofs();
  prototype.dof_names = dof_labels(prototype.dofs);

  std::vector<ModelState> states;
  for (const auto& source : blueprint.models) states.push_back(source.state);
  described = coordinates.make_state(states);

  described.effort = Eigen::VectorXd::Zero(coordinates.nv);
  for (std::size_t m = 0; m < blueprint.models.size(); ++m) {
    const auto& source = blueprint.models[m];
    add_efforts(static_cast<int>(m), source.given_efforts, described.effort);
    for (const auto& motor : source.motors) {
      const int dof = coordinates.dof_of(static_cast<int>(m), motor.joint);
      prototype.actuators.push_back({prototype.dof_names[idx(dof)], dof, motor.lower, motor.upper});
    }
  }
  std::ranges::sort(prototype.actuators, {}, &Actuator::dof);
  add_rows(blueprint);
  for (const auto& source : blueprint.loads) loads.push_back(load_block(source));
}

/// Depth first, children by joint name: Pinocchio needs contiguous subtrees, and its users know this order.
void Core::add_link(int m, int index, const Placed& placed)
{
  const UrdfTree& tree = *coordinates.trees[idx(m)];
  const internal::UrdfLink& link = tree.links[idx(index)];
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
      const internal::UrdfLink& link = coordinates.trees[m]->links[k];
      const Placed& placed = links[m][k];
      size[idx(placed.joint)] +=
          link.inertia.cwiseAbs().maxCoeff() + link.mass * placed.placement.act(link.com).squaredNorm();
    }
  for (int j = 1; j < articulation.size(); ++j) {
    RigidBody& body = articulation.body(j);
    mass += body.mass;
    const Eigen::Vector3d moments = internal::symmetric_eigenvalues(body.inertia);
    if (moments.minCoeff() < -internal::kWrittenByHand * size[idx(j)]) {
      const JointSlot& slot = coordinates.slots[idx(j - 1)];
      const UrdfTree& tree = *coordinates.trees[idx(slot.model)];
      const int link = slot.joint < 0 ? tree.root : tree.joints[idx(slot.joint)].child;
      throw InputError("models." + coordinates.model_names[idx(slot.model)] + ".urdf",
                       "link " + internal::quoted(tree.links[idx(link)].name) +
                           ", inertia: want principal moments >= 0 together with the links fixed to it, got " +
                           internal::text(moments));
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
      result.push_back({j, full, coordinates.v_source[idx(full)], sign * coordinates.v_scale(full),
                        articulation.joint(j).base ? k : -1});
    }
  }
  return result;
}

RowBlock Core::contact_block(const internal::ContactBlueprint& source, const Articulation& bodies,
                             const std::vector<Root>& roots) const
{
  RowBlock block;
  block.a = placed(source.link);
  block.b = placed(source.on);
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
      block.axes = axes_of(block.a, source.axes);
      break;
    case ContactFrame::kOn:
      block.axes_on = Carrier::kB;
      block.axes = axes_of(block.b, source.axes);
      break;
    case ContactFrame::kWorld:
      block.axes_on = Carrier::kWorld;
      block.axes = {source.axes, source.axes.cwiseAbs()};
      break;
  }
  block.angular = source.torsion > 0.0 ? 1 : 0;
  return block;
}

RowBlock Core::closure_block(const internal::ClosureBlueprint& source) const
{
  const bool guide = source.kind == ClosureDescription::Kind::kGuide;
  RowBlock block;
  block.a = placed(source.link);
  block.b = placed(source.on);
  block.point = point_of(block.a, source.at);
  if (guide)
    block.axes = axes_of(block.a, source.axes);
  else
    block.axes_on = Carrier::kWorld;  // pins and welds block every direction: world axes
  block.linear = guide ? 1 : 3;
  block.angular = source.kind == ClosureDescription::Kind::kWeld ? 3 : 0;
  return block;
}

void Core::add_rows(const internal::Blueprint& blueprint)
{
  Eigen::VectorXd full_q(model.nq);
  coordinates.expand(described.q, full_q);
  std::vector<Root> roots;
  split_roots(full_q, roots);
  Articulation bodies = articulation;
  bodies.place(full_q);
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
    contact.torsional = block.angular > 0;
    contact.torsion = source.torsion;
    contact.max_normal = source.max_normal;
    prototype.contacts.push_back(contact);
    contact_origins.push_back(source.origin);
    finish(std::move(block));
  }
  for (const auto& source : blueprint.closures) {
    RowBlock block = closure_block(source);
    prototype.closures.push_back({source.name, static_cast<int>(row_count), block.linear + block.angular});
    finish(std::move(block));
  }
}

void Core::add_efforts(int m, const std::vector<std::pair<int, double>>& given, Eigen::VectorXd& effort) const
{
  for (const auto& [joint, value] : given) effort(coordinates.dof_of(m, joint)) = value;
}

LoadBlock Core::load_block(const internal::LoadBlueprint& source) const
{
  LoadBlock load;
  load.body = placed(source.body);
  load.in_world = source.in_world;
  load.point = point_of(load.body, source.at);
  const Eigen::Matrix3d turn = source.in_world ? Eigen::Matrix3d::Identity() : load.body.placement.rotation();
  load.force = turned(turn, Sized(source.force), internal::kJointRounding);
  load.torque = turned(turn, Sized(source.torque), internal::kJointRounding);
  load.columns = columns(load.body, {}, 1.0);
  return load;
}

int Core::model_index(const std::string& name) const
{
  for (std::size_t m = 0; m < models.size(); ++m)
    if (models[m].name == name) return static_cast<int>(m);
  throw InputError("models", "want a model of the scene, got " + internal::quoted(name));
}

}  // namespace

struct Scene::Impl {
  std::shared_ptr<const Core> core;
  pinocchio::Data data;
  Articulation bodies;
  std::vector<Root> roots;
  std::vector<Sized> gravity;    ///< per root, in its frame
  SceneState full;               ///< with mimic joints and with floating roots at the origin
  Eigen::VectorXd force, noise;  ///< Coriolis, centrifugal and gravity terms, with mimic joints; their rounding
  Eigen::VectorXd force_noise;   ///< rounding of F
  Eigen::MatrixXd mass;          ///< with mimic joints; used only when there are any
  Eigen::MatrixXd row_noise;     ///< of one block of rows

  explicit Impl(std::shared_ptr<const Core> shared)
      : core(std::move(shared)),
        data(core->model),
        bodies(core->articulation),
        gravity(core->fixed_roots.size()),
        full{Eigen::VectorXd(core->model.nq), Eigen::VectorXd(core->model.nv), {}},
        force(core->model.nv),
        noise(core->model.nv),
        force_noise(core->coordinates.nv),
        row_noise(6, core->coordinates.nv)
  {
  }

  void expand(const Eigen::VectorXd& q);
  void place(const Eigen::VectorXd& q);
  void compose(const SceneState& state, bool moving);
  RigidBody moving_body(int root) const;
  void fill_mass(Eigen::MatrixXd& M);
  void fill_force(const Eigen::VectorXd& effort, Eigen::VectorXd& F);
  void add_load(const LoadBlock& load, double factor, Eigen::VectorXd& out);
  void fill_rows(ContactProblem& problem, bool moving);
  void add_columns(const RowBlock& block, const std::vector<Column>& columns, const Sized& point, const SizedAxes& axes,
                   Eigen::MatrixXd& J);
  void fill_drift(const RowBlock& block, const Sized& point_a, const Sized& point_b, const Eigen::Matrix3d& axes,
                  Eigen::VectorXd& gamma) const;
  void check_finite(const ContactProblem& problem) const;
  Eigen::Vector3d acceleration(int joint, const Eigen::Vector3d& point) const;
  Eigen::Vector3d angular_acceleration(int joint) const;
  Eigen::Vector3d velocity(int joint, const Eigen::Vector3d& point) const;
  Eigen::Vector3d angular_velocity(int joint) const;
};

void Scene::Impl::expand(const Eigen::VectorXd& q)
{
  core->coordinates.expand(q, full.q);
  core->split_roots(full.q, roots);
}

void Scene::Impl::place(const Eigen::VectorXd& q)
{
  expand(q);
  bodies.place(full.q);
}

/// Poses, composite bodies, and `force`: gravity from the momenta (it is the slope of -m g.c, and m c' is linear in
/// the velocities); when moving the other terms from Newton and Euler.
void Scene::Impl::compose(const SceneState& state, bool moving)
{
  noise.setZero();
  if (moving) {
    expand(state.q);
    core->coordinates.expand_rate(state.v, full.v);
    force = pinocchio::nonLinearEffects(core->model, data, full.q, full.v);
    for (int j = 1; j < bodies.size(); ++j)
      bodies.place(j, data.liMi[idx(j)].rotation(), data.liMi[idx(j)].translation());
    bodies.add_motion_noise(full.v, noise);
  } else {
    place(state.q);
    force.setZero();
  }
  for (std::size_t r = 0; r < roots.size(); ++r)
    gravity[r] = turned(roots[r].R.transpose(), Sized(core->gravity), internal::kJointRounding);
  bodies.compose();
  bodies.add_gravity(gravity, force, noise);
}

/// What of a root can move, in its frame; after Articulation::compose.
RigidBody Scene::Impl::moving_body(int root) const
{
  RigidBody sum;
  for (int j = 1; j < bodies.size(); ++j)
    if (bodies.joint(j).root == root && bodies.joint(j).parent == 0) sum.add(bodies.whole(j));
  return sum;
}

void Scene::Impl::fill_mass(Eigen::MatrixXd& M)
{
  if (!core->coordinates.has_mimics) return bodies.fill_mass(M);
  bodies.fill_mass(mass);
  M.setZero(core->coordinates.nv, core->coordinates.nv);  // T' M T
  for (Eigen::Index j = 0; j < mass.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i) {
      const double value = core->coordinates.v_scale(i) * core->coordinates.v_scale(j) * mass(i, j);
      const int ri = core->coordinates.v_source[idx(i)], rj = core->coordinates.v_source[idx(j)];
      M(ri, rj) += value;
      if (i != j) M(rj, ri) += value;
    }
}

/// F = T' nle - efforts - sum of J' loads. Entries that are only rounding of their own terms are zero: a proof would
/// make something of 1e-17 N m at a joint without a motor.
void Scene::Impl::fill_force(const Eigen::VectorXd& effort, Eigen::VectorXd& F)
{
  F.resize(core->coordinates.nv);
  F = -effort;
  force_noise = internal::kJointRounding * effort.cwiseAbs();
  for (Eigen::Index i = 0; i < force.size(); ++i) {
    const int dof = core->coordinates.v_source[idx(i)];
    F(dof) += core->coordinates.v_scale(i) * force(i);
    force_noise(dof) += std::abs(core->coordinates.v_scale(i)) * noise(i);
  }
  for (const LoadBlock& load : core->loads) add_load(load, -1.0, F);
  for (Eigen::Index i = 0; i < F.size(); ++i) F(i) = internal::without_noise(F(i), force_noise(i));
}

/// Adds `factor` times J' of a load, and its rounding to force_noise.
void Scene::Impl::add_load(const LoadBlock& load, double factor, Eigen::VectorXd& out)
{
  const int joint = load.body.joint;
  const double rounding = bodies.joint(joint).rounding;
  const Sized p = bodies.point(joint, load.point);
  const Eigen::Matrix3d turn =
      load.in_world ? Eigen::Matrix3d(roots[idx(load.body.root)].R.transpose()) : bodies.frame(joint).R;
  const Sized push = turned(turn, load.force, rounding), twist = turned(turn, load.torque, rounding);
  const double push_size = push.value.lpNorm<1>(), twist_size = twist.value.lpNorm<1>(), reach = p.size.sum();
  for (const Column& column : load.columns) {
    const Articulation::Joint& own = bodies.joint(column.joint);
    double value = 0.0, size = 0.0;
    if (column.base >= 3) {
      const int k = column.base - 3, a = (k + 1) % 3, b = (k + 2) % 3;
      value = twist.value[k] + (p.value[a] * push.value[b] - p.value[b] * push.value[a]);
      size = twist.size[k] + p.size[a] * push.size[b] + p.size[b] * push.size[a];
    } else if (column.base >= 0) {
      value = push.value[column.base];
      size = std::abs(value);
    } else {
      const Articulation::Frame& frame = bodies.frame(column.joint);
      if (own.slides) {
        value += bodies.linear(column.full).dot(push.value);
        size += push_size;
      }
      if (own.turns) {
        value += bodies.angular(column.full).dot(twist.value + Eigen::Vector3d(p.value - frame.r).cross(push.value));
        size += twist_size + (reach + frame.path) * push_size;
      }
    }
    out(column.dof) += factor * column.factor * value;
    force_noise(column.dof) += std::max(rounding, own.rounding) * std::abs(factor * column.factor) * size;
  }
}

/// Classical acceleration in root axes of the point of a body that is there, for zero joint accelerations.
/// nonLinearEffects left v and a of each joint frame in its own axes.
Eigen::Vector3d Scene::Impl::acceleration(int joint, const Eigen::Vector3d& point) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  const Articulation::Frame& frame = bodies.frame(joint);
  const Eigen::Vector3d r = frame.R.transpose() * (point - frame.r);
  const Eigen::Vector3d omega = data.v[idx(joint)].angular(), alpha = data.a_gf[idx(joint)].angular();
  const Eigen::Vector3d velocity = data.v[idx(joint)].linear() + omega.cross(r);
  return frame.R * (data.a_gf[idx(joint)].linear() + alpha.cross(r) + omega.cross(velocity));
}

/// Velocity in root axes of the point of a body that is there; of the same pass.
Eigen::Vector3d Scene::Impl::velocity(int joint, const Eigen::Vector3d& point) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  const Articulation::Frame& frame = bodies.frame(joint);
  const pinocchio::Motion& v = data.v[idx(joint)];
  return frame.R * (v.linear() + v.angular().cross(Eigen::Vector3d(frame.R.transpose() * (point - frame.r))));
}

Eigen::Vector3d Scene::Impl::angular_velocity(int joint) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  return bodies.frame(joint).R * data.v[idx(joint)].angular();
}

Eigen::Vector3d Scene::Impl::angular_acceleration(int joint) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  return bodies.frame(joint).R * data.a_gf[idx(joint)].angular();
}

/// Adds the rows' entries for the joints of one body, in the frame of its root. A row is the axis n at the point p:
/// (n, p x n) for a free root; for a joint at r with linear motion v and rotation w, n.(v + w x (p - r)). Without
/// mimic joints an entry has one term and is decided at once; else its rounding is added to row_noise.
void Scene::Impl::add_columns(const RowBlock& block, const std::vector<Column>& columns, const Sized& point,
                              const SizedAxes& axes, Eigen::MatrixXd& J)
{
  const bool sums = core->coordinates.has_mimics;
  const double reach = point.size.sum();
  for (const Column& column : columns) {
    double* const entry = &J(block.row, column.dof);
    double* const entry_noise = &row_noise(0, column.dof);
    const auto add = [&](int i, double value, double bound) {
      if (sums) {
        entry[i] += column.factor * value;
        entry_noise[i] += std::abs(column.factor) * bound;
      } else {
        entry[i] = internal::without_noise(column.factor * value, bound);
      }
    };
    const Articulation::Joint& joint = bodies.joint(column.joint);
    const double rounding = std::max(block.rounding, joint.rounding);
    const int linear = block.linear, rows = block.linear + block.angular;
    if (column.base >= 3) {
      const int k = column.base - 3, a = (k + 1) % 3, b = (k + 2) % 3;
      for (int i = 0; i < linear; ++i)
        add(i, point.value[a] * axes.value(b, i) - point.value[b] * axes.value(a, i),
            rounding * (point.size[a] * axes.size(b, i) + point.size[b] * axes.size(a, i)));
      for (int i = linear; i < rows; ++i) add(i, axes.value(k, i - linear), 0.0);
      continue;
    }
    if (column.base >= 0) {
      for (int i = 0; i < linear; ++i) add(i, axes.value(column.base, i), 0.0);
      continue;
    }
    const Articulation::Frame& frame = bodies.frame(column.joint);
    Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
    double size = 0.0;
    if (joint.slides) {
      velocity = bodies.linear(column.full);
      size = 1.0;
    }
    const Eigen::Vector3d turn = bodies.angular(column.full);
    if (joint.turns) {
      velocity += turn.cross(point.value - frame.r);
      size += reach + frame.path;
    }
    for (int i = 0; i < linear; ++i) add(i, axes.value.col(i).dot(velocity), rounding * size);
    for (int i = linear; i < rows; ++i) add(i, axes.value.col(i - linear).dot(turn), rounding);
  }
}

/// Both bodies are compared at the same point, so joints that carry both cancel exactly and are left out.
void Scene::Impl::fill_rows(ContactProblem& problem, bool moving)
{
  problem.J.setZero(core->row_count, core->coordinates.nv);
  problem.gamma.setZero(core->row_count);
  for (std::size_t r = 0; r < core->rows.size(); ++r) {
    const RowBlock& block = core->rows[r];
    const Root &root_a = roots[idx(block.a.root)], &root_b = roots[idx(block.b.root)];
    const bool apart = block.a.root != block.b.root, need_b = moving || !block.columns_b.empty();
    Sized point_a, point_b;
    if (block.point_on == Carrier::kA) {
      point_a = bodies.point(block.a.joint, block.point);
      if (need_b) point_b = apart ? carried(point_a, root_a, root_b) : point_a;
    } else {
      point_b = bodies.point(block.b.joint, block.point);
      point_a = apart ? carried(point_b, root_b, root_a) : point_b;
    }
    SizedAxes axes_a, axes_b;
    switch (block.axes_on) {
      case Carrier::kA:
        axes_a = bodies.axes(block.a.joint, block.axes);
        if (need_b) axes_b = apart ? carried(axes_a, root_a, root_b) : axes_a;
        break;
      case Carrier::kB:
        axes_b = bodies.axes(block.b.joint, block.axes);
        axes_a = apart ? carried(axes_b, root_b, root_a) : axes_b;
        break;
      case Carrier::kWorld:
        axes_a = carried(block.axes, {}, root_a);
        if (need_b) axes_b = carried(block.axes, {}, root_b);
        break;
    }
    const bool sums = core->coordinates.has_mimics;
    if (sums) row_noise.setZero();
    add_columns(block, block.columns_a, point_a, axes_a, problem.J);
    if (!block.columns_b.empty()) add_columns(block, block.columns_b, point_b, axes_b, problem.J);
    for (Eigen::Index dof = 0; sums && dof < problem.J.cols(); ++dof)
      for (int k = 0; k < block.linear + block.angular; ++k) {
        double& entry = problem.J(block.row + k, dof);
        entry = internal::without_noise(entry, row_noise(k, dof));
      }
    if (moving) fill_drift(block, point_a, point_b, axes_a.value, problem.gamma);
    if (r < problem.contacts.size()) {
      const bool on_a = block.point_on == Carrier::kA;
      const Root& root = on_a ? root_a : root_b;
      problem.contacts[r].point_W = root.R * (on_a ? point_a : point_b).value + root.t;
      problem.contacts[r].axes_W = block.axes_on == Carrier::kWorld ? block.axes.value
                                   : block.axes_on == Carrier::kA   ? Eigen::Matrix3d(root_a.R * axes_a.value)
                                                                    : Eigen::Matrix3d(root_b.R * axes_b.value);
    }
  }
}

/// Jdot v: the point moves with its body, so it travels over the other one, and the axes turn with theirs. In the
/// root frame of A.
void Scene::Impl::fill_drift(const RowBlock& block, const Sized& point_a, const Sized& point_b,
                             const Eigen::Matrix3d& axes, Eigen::VectorXd& gamma) const
{
  const Eigen::Matrix3d turn =
      block.a.root == block.b.root
          ? Eigen::Matrix3d::Identity()
          : Eigen::Matrix3d(roots[idx(block.a.root)].R.transpose() * roots[idx(block.b.root)].R);
  const int a = block.a.joint, b = block.b.joint;
  const Eigen::Vector3d& p = point_a.value;
  const Eigen::Vector3d& q = point_b.value;
  const Eigen::Vector3d slip = velocity(a, p) - turn * velocity(b, q);
  const Eigen::Vector3d turn_a = angular_velocity(a), turn_b = turn * angular_velocity(b);
  const Eigen::Vector3d turn_axes = block.axes_on == Carrier::kA   ? turn_a
                                    : block.axes_on == Carrier::kB ? turn_b
                                                                   : Eigen::Vector3d::Zero();
  const Eigen::Vector3d& turn_other = block.point_on == Carrier::kA ? turn_b : turn_a;
  const Eigen::Vector3d linear = acceleration(a, p) - turn * acceleration(b, q) - (turn_other + turn_axes).cross(slip);
  const Eigen::Vector3d angular =
      angular_acceleration(a) - turn * angular_acceleration(b) - turn_axes.cross(turn_a - turn_b);
  for (int k = 0; k < block.linear; ++k) gamma(block.row + k) = axes.col(k).dot(linear);
  for (int k = 0; k < block.angular; ++k) gamma(block.row + block.linear + k) = axes.col(k).dot(angular);
}

/// Products of finite input that overflow, with the name of what they belong to.
void Scene::Impl::check_finite(const ContactProblem& problem) const
{
  double sum = problem.M.diagonal().sum() + problem.F.sum() + problem.gamma.sum();
  for (const Contact& contact : problem.contacts) sum += contact.point_W.sum();
  if (std::isfinite(sum)) return;
  const auto refuse = [&](const std::string& place, const std::string& what, double value) {
    throw InputError(place, "want numbers whose products are finite, got " + what + " = " + internal::text(value));
  };
  for (Eigen::Index i = 0; i < problem.nv(); ++i) {
    const std::string& name = problem.dof_names[idx(i)];
    const std::string place = "models." + problem.dofs[idx(i)].model;
    if (!std::isfinite(problem.M(i, i))) refuse(place, "inertia of " + internal::quoted(name), problem.M(i, i));
    if (!std::isfinite(problem.F(i))) refuse(place, "force on " + internal::quoted(name), problem.F(i));
  }
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const std::string place = "contacts[" + std::to_string(core->contact_origins[i].description) + "]";
    for (double x : contact.point_W)
      if (!std::isfinite(x)) refuse(place, "a point of " + internal::quoted(contact.name) + " in the world", x);
    for (int k = 0; k < contact.rows(); ++k)
      if (const double x = problem.gamma(contact.row + k); !std::isfinite(x))
        refuse(place, "drift of " + internal::quoted(contact.name), x);
  }
}

Scene::Scene(const SceneDescription& description)
    : impl_(std::make_unique<Impl>(std::make_shared<const Core>(internal::make_blueprint(description, {}))))
{
}
Scene::Scene(const SceneDescription& description, const Scene& known)
    : impl_(std::make_unique<Impl>(
          std::make_shared<const Core>(internal::make_blueprint(description, known.impl_->core->models))))
{
}
Scene::~Scene() = default;
Scene::Scene(const Scene& other) : impl_(std::make_unique<Impl>(other.impl_->core)) {}
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

Eigen::Index Scene::nq() const { return impl_->core->coordinates.nq; }
Eigen::Index Scene::nv() const { return impl_->core->coordinates.nv; }
const SceneState& Scene::described_state() const { return impl_->core->described; }
const std::vector<Warning>& Scene::warnings() const { return impl_->core->warnings; }
const Eigen::Vector3d& Scene::gravity() const { return impl_->core->gravity; }
const std::vector<ContactOrigin>& Scene::contact_origins() const { return impl_->core->contact_origins; }
int Scene::model_index(const std::string& model) const { return impl_->core->model_index(model); }
double Scene::total_mass() const { return impl_->core->mass; }

SceneState Scene::state(const std::vector<ModelDescription>& models) const
{
  const Core& core = *impl_->core;
  if (models.size() != core.coordinates.trees.size())
    throw InputError("models", "want " + std::to_string(core.coordinates.trees.size()) + " as in the scene, got " +
                                   std::to_string(models.size()));
  std::vector<ModelState> states;
  Eigen::VectorXd effort = Eigen::VectorXd::Zero(core.coordinates.nv);
  for (std::size_t m = 0; m < models.size(); ++m) {
    if (models[m].name != core.coordinates.model_names[m])
      throw InputError(
          "models[" + std::to_string(m) + "].name",
          "want " + internal::quoted(core.coordinates.model_names[m]) + ", got " + internal::quoted(models[m].name));
    if (models[m].base != core.models[m].base)
      throw InputError("models." + models[m].name + ".base", "want the base of the scene, got the other one");
    const UrdfTree& tree = *core.coordinates.trees[m];
    states.push_back(internal::read_state(models[m], tree));
    core.add_efforts(static_cast<int>(m), internal::read_given_efforts(models[m], tree), effort);
  }
  SceneState result = core.coordinates.make_state(states);
  result.effort = std::move(effort);
  return result;
}

std::vector<Warning> Scene::warnings(const std::vector<ModelDescription>& models) const
{
  const Core& core = *impl_->core;
  std::vector<Warning> result;
  for (std::size_t m = 0; m < models.size() && m < core.models.size(); ++m)
    internal::add_warnings(models[m], *core.coordinates.trees[m], result);
  result.insert(result.end(), core.load_warnings.begin(), core.load_warnings.end());
  return result;
}

void Scene::compute(const SceneState& state, ContactProblem& problem)
{
  const Core& core = *impl_->core;
  core.coordinates.check(state);
  const bool moving = (state.v.array() != 0.0).any();

  impl_->compose(state, moving);
  problem.contacts = core.prototype.contacts;
  problem.closures = core.prototype.closures;
  problem.actuators = core.prototype.actuators;
  problem.dof_names = core.prototype.dof_names;
  problem.dofs = core.prototype.dofs;
  impl_->fill_mass(problem.M);
  impl_->fill_force(state.effort.size() > 0 ? state.effort : core.described.effort, problem.F);
  impl_->fill_rows(problem, moving);
  impl_->check_finite(problem);
}

ContactProblem Scene::compute()
{
  ContactProblem problem;
  compute(described_state(), problem);
  return problem;
}

Eigen::Vector3d Scene::center_of_mass(const SceneState& state)
{
  impl_->core->coordinates.check(state);
  if (!(total_mass() > 0.0)) throw InputError("models", "want a mass that can move, got none");
  impl_->place(state.q);
  impl_->bodies.compose();
  RigidBody all;
  for (std::size_t r = 1; r < impl_->roots.size(); ++r)
    all.add(impl_->moving_body(static_cast<int>(r)).moved(impl_->roots[r].R, impl_->roots[r].t));
  return all.com;
}

Eigen::Vector3d Scene::center_of_mass(const SceneState& state, const std::string& model)
{
  const Eigen::Vector3d com = center_of_mass_in_root(state, model);
  const Root& root = impl_->roots[idx(impl_->core->model_index(model) + 1)];
  return root.R * com + root.t;
}

Eigen::Vector3d Scene::center_of_mass_in_root(const SceneState& state, const std::string& model)
{
  impl_->core->coordinates.check(state);
  const int root = impl_->core->model_index(model) + 1;
  impl_->place(state.q);
  impl_->bodies.compose();
  const RigidBody body = impl_->moving_body(root);
  if (!(body.mass > 0.0)) throw InputError("models." + model, "want a mass that can move, got none");
  return body.com;
}

double Scene::total_mass(const std::string& model) const
{
  const Core& core = *impl_->core;
  const int wanted = core.model_index(model);
  double mass = 0.0;
  for (std::size_t j = 1; j < core.model.inertias.size(); ++j)
    if (core.coordinates.slots[j - 1].model == wanted) mass += core.model.inertias[j].mass();
  return mass;
}

std::string Scene::root_link(const std::string& model) const
{
  const internal::UrdfTree& tree = *impl_->core->models[idx(impl_->core->model_index(model))].tree;
  return model + "/" + tree.links[idx(tree.root)].name;
}

Eigen::Isometry3d Scene::link_pose(const SceneState& state, const std::string& link, const std::string& path)
{
  const Core& core = *impl_->core;
  core.coordinates.check(state);
  const Placed body = core.placed(internal::find_body(link, path, core.models));
  impl_->place(state.q);
  const Root& root = impl_->roots[idx(body.root)];
  const Articulation::Frame& frame = impl_->bodies.frame(body.joint);
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.linear() = root.R * (frame.R * body.placement.rotation());
  result.translation() = root.R * (frame.R * body.placement.translation() + frame.r) + root.t;
  return result;
}

Eigen::VectorXd Scene::generalised_force(const SceneState& state, const LoadDescription& load, const std::string& path)
{
  const Core& core = *impl_->core;
  core.coordinates.check(state);
  const LoadBlock block = core.load_block(internal::read_load(load, path, core.models));
  impl_->place(state.q);
  impl_->bodies.compose();
  Eigen::VectorXd result = Eigen::VectorXd::Zero(core.coordinates.nv);
  impl_->force_noise.setZero();
  impl_->add_load(block, 1.0, result);
  for (Eigen::Index i = 0; i < result.size(); ++i)
    result(i) = internal::without_noise(result(i), impl_->force_noise(i));
  return result;
}

double Scene::kinetic_energy(const SceneState& state)
{
  impl_->core->coordinates.check(state);
  impl_->place(state.q);
  impl_->core->coordinates.expand_rate(state.v, impl_->full.v);
  return pinocchio::computeKineticEnergy(impl_->core->model, impl_->data, impl_->full.q, impl_->full.v);
}

double Scene::potential_energy(const SceneState& state)
{
  if (!(total_mass() > 0.0)) return 0.0;
  return -total_mass() * impl_->core->gravity.dot(center_of_mass(state));
}

Eigen::VectorXd Scene::integrate(const Eigen::VectorXd& q, const Eigen::VectorXd& dv) const
{
  const Core& core = *impl_->core;
  core.coordinates.check({q, dv, {}});
  Eigen::VectorXd full_q(core.model.nq), full_dv(core.model.nv);
  core.coordinates.expand(q, full_q);
  core.coordinates.expand_rate(dv, full_dv);
  return core.coordinates.reduce(pinocchio::integrate(core.model, full_q, full_dv));
}

}  // namespace stiction
