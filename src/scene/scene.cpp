// The only file that includes Pinocchio.
#include "stiction/scene.hpp"

#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <algorithm>
#include <cmath>

#include "problem/linear_algebra.hpp"
#include "problem/text.hpp"
#include "scene/blueprint.hpp"
#include "scene/coordinates.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

using internal::BodyRef;
using internal::idx;
using internal::JointSlot;
using internal::JointType;
using internal::ModelState;
using internal::UrdfJoint;
using internal::UrdfTree;
using pinocchio::JointIndex;
using pinocchio::SE3;

/// Fills M, and as by-products oMi, J and the momentum matrix Ag. With a Ref, and only so, Pinocchio's own compiled instance is
/// called: with a vector this file would take four times as long to compile.
void compose_bodies(const pinocchio::Model& model, pinocchio::Data& data, const Eigen::Ref<const Eigen::VectorXd>& q)
{
  pinocchio::crba(model, data, q, pinocchio::Convention::WORLD);
}

SE3 se3(const Eigen::Isometry3d& pose)
{
  return SE3(Eigen::Matrix3d(pose.linear()), Eigen::Vector3d(pose.translation()));
}

/// A link as part of a Pinocchio joint's body; joint 0 is the world.
struct Placed {
  JointIndex joint = 0;
  SE3 placement = SE3::Identity();  ///< link frame in the joint frame
};

/// One column of the Jacobian that moves a row: `factor` is +1 for body A, -1 for body B, times the mimic multiplier.
struct Column {
  int full = 0;  ///< in data.J
  int dof = 0;   ///< in the problem
  double factor = 1.0;
};

/// Rows that compare two bodies at one point: `linear` rows along axes, then `angular` rows about axes.
struct RowBlock {
  JointIndex body_a = 0, body_b = 0;
  JointIndex point_joint = 0, axes_joint = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();     ///< in the frame of point_joint
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< columns, in the frame of axes_joint
  int row = 0, linear = 3, angular = 0;
  std::vector<Column> columns;  ///< joints that support exactly one of the bodies: the others cancel
};

struct LoadBlock {
  JointIndex joint = 0, axes_joint = 0;
  Eigen::Vector3d point, force, torque;
  std::vector<Column> columns;
};

/// Everything that never changes: shared between copies of a scene.
struct Core {
  pinocchio::Model model;
  std::vector<std::vector<Placed>> links;  ///< per model, per link
  internal::Coordinates coordinates;
  std::vector<internal::ModelBlueprint> models;

  std::vector<RowBlock> rows;
  std::vector<LoadBlock> loads;
  ContactProblem prototype;       ///< names and coefficients; matrices empty
  Eigen::Index row_count = 0;
  double mass = 0.0;
  SceneState described;
  std::vector<std::string> warnings, load_warnings;

  explicit Core(const internal::Blueprint& blueprint);

  void add_efforts(int m, const std::vector<std::pair<int, double>>& given, Eigen::VectorXd& effort) const;
  LoadBlock load_block(const internal::LoadBlueprint& source) const;
  Placed placed(BodyRef body) const;
  int model_index(const std::string& name) const;

 private:
  void add_link(int m, int link, JointIndex joint, const SE3& placement);
  void add_joint(int m, int joint, JointIndex parent, const SE3& placement);
  void check_inertias();
  void add_rows(const internal::Blueprint& blueprint);
  std::vector<Column> columns(JointIndex body_a, JointIndex body_b) const;
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

Core::Core(const internal::Blueprint& blueprint) : models(blueprint.models), warnings(blueprint.warnings), load_warnings(blueprint.load_warnings)
{
  model.gravity.linear() = blueprint.gravity;
  model.gravity.angular().setZero();
  for (std::size_t m = 0; m < blueprint.models.size(); ++m) {
    const auto& source = blueprint.models[m];
    const UrdfTree& tree = *source.tree;
    coordinates.model_names.push_back(source.name);
    coordinates.trees.push_back(source.tree);
    links.emplace_back(tree.links.size());
    if (source.base == Base::kFixed) {
      add_link(static_cast<int>(m), tree.root, 0, se3(source.state.pose));
    } else {
      const JointIndex base = model.addJoint(0, pinocchio::JointModelFreeFlyer(), SE3::Identity(), source.name);
      coordinates.slots.push_back(
          {static_cast<int>(m), -1, JointType::kFloating, model.idx_qs[base], model.idx_vs[base]});
      add_link(static_cast<int>(m), tree.root, base, SE3::Identity());
    }
  }
  check_inertias();
  coordinates.number(model.nq, model.nv);
  prototype.dof_names = coordinates.dof_names();

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
void Core::add_link(int m, int index, JointIndex joint, const SE3& placement)
{
  const UrdfTree& tree = *coordinates.trees[idx(m)];
  const internal::UrdfLink& link = tree.links[idx(index)];
  links[idx(m)][idx(index)] = {joint, placement};
  if (joint > 0) model.appendBodyToJoint(joint, pinocchio::Inertia(link.mass, link.com, link.inertia), placement);
  for (int child : link.child_joints) add_joint(m, child, joint, placement);
}

void Core::add_joint(int m, int index, JointIndex parent, const SE3& placement)
{
  const UrdfJoint& joint = coordinates.trees[idx(m)]->joints[idx(index)];
  const SE3 origin = placement * se3(joint.origin);
  if (joint.type == JointType::kFixed) return add_link(m, joint.child, parent, origin);
  SE3 turn = SE3::Identity();  // of Pinocchio's joint axes in URDF's joint frame
  if (joint.type == JointType::kPlanar) turn.rotation() = plane_axes(joint.axis);
  const JointIndex id =
      model.addJoint(parent, joint_model(joint), origin * turn, coordinates.model_names[idx(m)] + "/" + joint.name);
  coordinates.slots.push_back({m, index, joint.type, model.idx_qs[id], model.idx_vs[id]});
  add_link(m, joint.child, id, turn.inverse());
}

/// Links bolted together are one body: a slip of the pen in a small link does no harm (several real robots have one),
/// but a moving body with a negative principal moment makes M indefinite.
void Core::check_inertias()
{
  constexpr double kRounding = 1e-9;
  for (std::size_t j = 1; j < model.inertias.size(); ++j) {
    mass += model.inertias[j].mass();
    const Eigen::Vector3d moments = internal::symmetric_eigenvalues(model.inertias[j].inertia().matrix());
    const double size =
        moments.cwiseAbs().maxCoeff() + model.inertias[j].mass() * 1e-6;  // at least that of a millimetre
    if (moments.minCoeff() >= -kRounding * size) continue;
    const JointSlot& slot = coordinates.slots[j - 1];
    const UrdfTree& tree = *coordinates.trees[idx(slot.model)];
    const int link = slot.joint < 0 ? tree.root : tree.joints[idx(slot.joint)].child;
    throw InputError("models." + coordinates.model_names[idx(slot.model)] + ".urdf",
                     "link " + internal::quoted(tree.links[idx(link)].name) +
                         ", inertia: want principal moments >= 0 together with the links fixed to it, got " +
                         internal::text(moments));
  }
}

Placed Core::placed(BodyRef body) const
{
  if (body.model < 0) return {};
  return links[idx(body.model)][idx(body.link)];
}

std::vector<Column> Core::columns(JointIndex body_a, JointIndex body_b) const
{
  std::vector<Column> result;
  const auto& support_a = model.supports[body_a];
  const auto& support_b = model.supports[body_b];
  const auto add = [&](const auto& support, const auto& other, double sign) {
    for (JointIndex joint : support) {
      if (joint == 0 || std::ranges::find(other, joint) != other.end()) continue;
      for (int k = 0; k < model.nvs[joint]; ++k) {
        const int full = model.idx_vs[joint] + k;
        result.push_back({full, coordinates.v_source[idx(full)], sign * coordinates.v_scale(full)});
      }
    }
  };
  add(support_a, support_b, 1.0);
  add(support_b, support_a, -1.0);
  return result;
}

void Core::add_rows(const internal::Blueprint& blueprint)
{
  pinocchio::Data data(model);
  Eigen::VectorXd full_q(model.nq);
  coordinates.expand(described.q, full_q);
  pinocchio::forwardKinematics(model, data, full_q);
  const auto finish = [&](RowBlock block) {
    block.columns = columns(block.body_a, block.body_b);
    block.row = static_cast<int>(row_count);
    row_count += block.linear + block.angular;
    rows.push_back(std::move(block));
  };
  for (const auto& source : blueprint.contacts) {
    const Placed a = placed(source.link), b = placed(source.on);
    RowBlock block;
    block.body_a = a.joint;
    block.body_b = b.joint;
    switch (source.at_frame) {
      case ContactFrame::kLink:
        block.point_joint = a.joint;
        block.point = a.placement.act(source.point);
        break;
      case ContactFrame::kOn:
        block.point_joint = b.joint;
        block.point = b.placement.act(source.point);
        break;
      case ContactFrame::kWorld:  // the point of the link that is there at the described state
        block.point_joint = a.joint;
        block.point = data.oMi[a.joint].actInv(source.point);
        break;
    }
    const Placed frame = source.normal_frame == ContactFrame::kLink ? a
                         : source.normal_frame == ContactFrame::kOn ? b
                                                                    : Placed{};
    block.axes_joint = frame.joint;
    block.axes = frame.placement.rotation() * source.axes;
    block.angular = source.torsion > 0.0 ? 1 : 0;

    Contact contact;
    contact.name = source.name;
    contact.side = source.side;
    contact.mu = source.mu;
    contact.row = static_cast<int>(row_count);
    contact.torsional = block.angular > 0;
    contact.torsion = source.torsion;
    contact.max_normal = source.max_normal;
    prototype.contacts.push_back(contact);
    finish(std::move(block));
  }
  for (const auto& source : blueprint.closures) {
    const Placed a = placed(source.link), b = placed(source.on);
    const bool guide = source.kind == ClosureDescription::Kind::kGuide;
    RowBlock block;
    block.body_a = a.joint;
    block.body_b = b.joint;
    block.point_joint = a.joint;
    block.point = a.placement.act(source.at);
    block.axes_joint = guide ? a.joint : 0;  // pins and welds block every direction: world axes
    block.axes = guide ? Eigen::Matrix3d(a.placement.rotation() * source.axes) : Eigen::Matrix3d::Identity();
    block.linear = guide ? 1 : 3;
    block.angular = source.kind == ClosureDescription::Kind::kWeld ? 3 : 0;
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
  const Placed body = placed(source.body);
  LoadBlock load;
  load.joint = body.joint;
  load.point = body.placement.act(source.at);
  load.axes_joint = source.in_world ? 0 : body.joint;
  const Eigen::Matrix3d turn = source.in_world ? Eigen::Matrix3d::Identity() : body.placement.rotation();
  load.force = turn * source.force;
  load.torque = turn * source.torque;
  load.columns = columns(body.joint, 0);
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
  SceneState full;        ///< with mimic joints; used only when there are any
  Eigen::VectorXd force;  ///< Coriolis, centrifugal and gravity terms, with mimic joints

  explicit Impl(std::shared_ptr<const Core> shared)
      : core(std::move(shared)),
        data(core->model),
        full{Eigen::VectorXd(core->model.nq), Eigen::VectorXd(core->model.nv), {}},
        force(core->model.nv)
  {
  }

  /// The state with mimic joints filled in; no copy without any.
  const SceneState& expand(const SceneState& state)
  {
    if (!core->coordinates.has_mimics) return state;
    core->coordinates.expand(state.q, full.q);
    core->coordinates.expand_rate(state.v, full.v);
    return full;
  }

  void fill_mass(Eigen::MatrixXd& M) const;
  void fill_force(const Eigen::VectorXd& effort, Eigen::VectorXd& F) const;
  void add_load(const LoadBlock& load, double factor, Eigen::VectorXd& out) const;
  void fill_rows(ContactProblem& problem, bool moving) const;
  Eigen::Vector3d acceleration(JointIndex joint, const Eigen::Vector3d& point_W) const;
  Eigen::Vector3d angular_acceleration(JointIndex joint) const;
  Eigen::Vector3d velocity(JointIndex joint, const Eigen::Vector3d& point_W) const;
  Eigen::Vector3d angular_velocity(JointIndex joint) const;
};

/// Adding and subtracting world coordinates leaves rounding where a lever, a cosine or a force is zero. Contacts that are blind
/// to a motion must not see it by 1e-17: a proof would make something of it. Smaller than this (metres or parts of the
/// distance from the world's origin; part of the largest force) counts as zero.
constexpr double kKinematicRounding = 0x1p-44;

/// CRBA fills the upper triangle.
void Scene::Impl::fill_mass(Eigen::MatrixXd& M) const
{
  M.resize(core->coordinates.nv, core->coordinates.nv);
  const Eigen::MatrixXd& full_M = data.M;
  if (!core->coordinates.has_mimics) {
    for (Eigen::Index j = 0; j < M.cols(); ++j)
      for (Eigen::Index i = 0; i <= j; ++i) M(i, j) = M(j, i) = full_M(i, j);
    return;
  }
  M.setZero();  // T' M T
  for (Eigen::Index j = 0; j < full_M.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i) {
      const double value = core->coordinates.v_scale(i) * core->coordinates.v_scale(j) * full_M(i, j);
      const int ri = core->coordinates.v_source[idx(i)], rj = core->coordinates.v_source[idx(j)];
      M(ri, rj) += value;
      if (i != j) M(rj, ri) += value;
    }
}

/// F = T' nle - efforts - sum of J' loads.
void Scene::Impl::fill_force(const Eigen::VectorXd& effort, Eigen::VectorXd& F) const
{
  F.resize(core->coordinates.nv);
  F = -effort;
  double largest = F.size() > 0 ? F.lpNorm<Eigen::Infinity>() : 0.0;
  for (Eigen::Index i = 0; i < force.size(); ++i) {
    F(core->coordinates.v_source[idx(i)]) += core->coordinates.v_scale(i) * force(i);
    largest = std::max(largest, std::abs(force(i)));
  }
  for (const LoadBlock& load : core->loads) {
    add_load(load, -1.0, F);
    largest = std::max(largest, load.force.lpNorm<Eigen::Infinity>());
  }
  for (double& entry : F)
    if (std::abs(entry) <= kKinematicRounding * largest) entry = 0.0;
}

/// Adds `factor` times J' of a load.
void Scene::Impl::add_load(const LoadBlock& load, double factor, Eigen::VectorXd& out) const
{
  const Eigen::Vector3d point = data.oMi[load.joint].act(load.point);
  Eigen::Vector3d push = load.force, twist = load.torque;
  if (load.axes_joint > 0) {
    push = data.oMi[load.axes_joint].rotation() * load.force;
    twist = data.oMi[load.axes_joint].rotation() * load.torque;
  }
  const Eigen::Vector3d moment = twist + point.cross(push);  // about the world origin, as the columns of data.J are
  for (const Column& column : load.columns)
    out(column.dof) += factor * column.factor *
                       (push.dot(data.J.col(column.full).head<3>()) + moment.dot(data.J.col(column.full).tail<3>()));
}

/// Classical acceleration in the world of the point of a body that is at point_W, for zero joint accelerations.
/// nonLinearEffects left v and a - gravity of each joint frame in its own axes.
Eigen::Vector3d Scene::Impl::acceleration(JointIndex joint, const Eigen::Vector3d& point_W) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  const Eigen::Vector3d r = data.oMi[joint].actInv(point_W);
  const Eigen::Vector3d omega = data.v[joint].angular(), alpha = data.a_gf[joint].angular();
  const Eigen::Vector3d velocity = data.v[joint].linear() + omega.cross(r);
  const Eigen::Vector3d local = data.a_gf[joint].linear() + alpha.cross(r) + omega.cross(velocity);
  return data.oMi[joint].rotation() * local + core->model.gravity.linear();
}

/// Velocity in the world of the point of a body that is at point_W; of the same pass.
Eigen::Vector3d Scene::Impl::velocity(JointIndex joint, const Eigen::Vector3d& point_W) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  const pinocchio::Motion& v = data.v[joint];
  return data.oMi[joint].rotation() * (v.linear() + v.angular().cross(data.oMi[joint].actInv(point_W)));
}

Eigen::Vector3d Scene::Impl::angular_velocity(JointIndex joint) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  return data.oMi[joint].rotation() * data.v[joint].angular();
}

Eigen::Vector3d Scene::Impl::angular_acceleration(JointIndex joint) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  return data.oMi[joint].rotation() * data.a_gf[joint].angular();
}

/// Columns of data.J are twists about the world origin: the point p of a body moves with v + omega x p. Both bodies are
/// compared at the same p, so joints that carry both cancel exactly and are left out.
void Scene::Impl::fill_rows(ContactProblem& problem, bool moving) const
{
  problem.J.resize(core->row_count, core->coordinates.nv);
  problem.gamma.resize(core->row_count);
  problem.J.setZero();
  if (!moving) problem.gamma.setZero();
  for (std::size_t b = 0; b < core->rows.size(); ++b) {
    const RowBlock& block = core->rows[b];
    const Eigen::Vector3d point = block.point_joint > 0 ? data.oMi[block.point_joint].act(block.point) : block.point;
    Eigen::Matrix3d axes = block.axes;
    if (block.axes_joint > 0) axes.noalias() = data.oMi[block.axes_joint].rotation() * block.axes;
    for (const Column& column : block.columns) {
      const Eigen::Vector3d omega = column.factor * data.J.col(column.full).tail<3>();
      const Eigen::Vector3d velocity = column.factor * data.J.col(column.full).head<3>() + omega.cross(point);
      double* entry = &problem.J(block.row, column.dof);
      for (int k = 0; k < block.linear; ++k) *entry++ += axes.col(k).dot(velocity);
      for (int k = 0; k < block.angular; ++k) *entry++ += axes.col(k).dot(omega);
    }
    const double rounding = kKinematicRounding * std::max(1.0, point.lpNorm<Eigen::Infinity>());
    for (const Column& column : block.columns) {
      double* entry = &problem.J(block.row, column.dof);
      for (int k = 0; k < block.linear + block.angular; ++k)
        if (std::abs(entry[k]) <= rounding) entry[k] = 0.0;
    }
    if (moving) {
      // Jdot v: the point moves with its body, so it travels over the other one, and the axes turn with theirs.
      const Eigen::Vector3d slip = velocity(block.body_a, point) - velocity(block.body_b, point);
      const Eigen::Vector3d turn_a = angular_velocity(block.body_a), turn_b = angular_velocity(block.body_b);
      const Eigen::Vector3d turn_axes = angular_velocity(block.axes_joint);
      const Eigen::Vector3d& turn_other = block.point_joint == block.body_a ? turn_b : turn_a;
      const Eigen::Vector3d linear = acceleration(block.body_a, point) - acceleration(block.body_b, point) -
                                     (turn_other + turn_axes).cross(slip);
      const Eigen::Vector3d angular = angular_acceleration(block.body_a) - angular_acceleration(block.body_b) -
                                      turn_axes.cross(turn_a - turn_b);
      for (int k = 0; k < block.linear; ++k) problem.gamma(block.row + k) = axes.col(k).dot(linear);
      for (int k = 0; k < block.angular; ++k) problem.gamma(block.row + block.linear + k) = axes.col(k).dot(angular);
    }
    if (b < problem.contacts.size()) {
      problem.contacts[b].point_W = point;
      problem.contacts[b].axes_W = axes;
    }
  }
}

Scene::Scene(const SceneDescription& description)
    : impl_(std::make_unique<Impl>(std::make_shared<const Core>(internal::make_blueprint(description))))
{
}
Scene::~Scene() = default;
Scene::Scene(const Scene& other) : impl_(std::make_unique<Impl>(other.impl_->core)) {}
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

Eigen::Index Scene::nq() const { return impl_->core->coordinates.nq; }
Eigen::Index Scene::nv() const { return impl_->core->coordinates.nv; }
const SceneState& Scene::described_state() const { return impl_->core->described; }
const std::vector<std::string>& Scene::warnings() const { return impl_->core->warnings; }
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

std::vector<std::string> Scene::warnings(const std::vector<ModelDescription>& models) const
{
  const Core& core = *impl_->core;
  std::vector<std::string> result;
  for (std::size_t m = 0; m < models.size() && m < core.models.size(); ++m)
    internal::add_warnings(models[m], *core.coordinates.trees[m], result);
  result.insert(result.end(), core.load_warnings.begin(), core.load_warnings.end());
  return result;
}

void Scene::compute(const SceneState& state, ContactProblem& problem)
{
  const Core& core = *impl_->core;
  core.coordinates.check(state);
  const SceneState& full = impl_->expand(state);
  pinocchio::Data& data = impl_->data;
  const bool moving = (state.v.array() != 0.0).any();

  // The linear rows P of the momentum matrix Ag turn velocities into the momentum m c', so that gravity, the slope of -m g.c,
  // is -P'g: at rest no further pass is needed.
  compose_bodies(core.model, data, full.q);
  if (moving)
    impl_->force = pinocchio::nonLinearEffects(core.model, data, full.q, full.v);
  else
    for (Eigen::Index i = 0; i < impl_->force.size(); ++i)
      impl_->force(i) = -data.Ag.col(i).head<3>().dot(core.model.gravity.linear());
  problem.contacts = core.prototype.contacts;
  problem.closures = core.prototype.closures;
  problem.actuators = core.prototype.actuators;
  problem.dof_names = core.prototype.dof_names;
  impl_->fill_mass(problem.M);
  impl_->fill_force(state.effort.size() > 0 ? state.effort : core.described.effort, problem.F);
  impl_->fill_rows(problem, moving);
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
  return pinocchio::centerOfMass(impl_->core->model, impl_->data, impl_->expand(state).q, false);
}

Eigen::Vector3d Scene::center_of_mass(const SceneState& state, const std::string& model)
{
  const Core& core = *impl_->core;
  core.coordinates.check(state);
  const int wanted = core.model_index(model);
  pinocchio::forwardKinematics(core.model, impl_->data, impl_->expand(state).q);
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  double mass = 0.0;
  for (std::size_t j = 1; j < core.model.inertias.size(); ++j) {
    if (core.coordinates.slots[j - 1].model != wanted) continue;
    mass += core.model.inertias[j].mass();
    moment += core.model.inertias[j].mass() * impl_->data.oMi[j].act(core.model.inertias[j].lever());
  }
  if (!(mass > 0.0)) throw InputError("models." + model, "want a mass that can move, got none");
  return moment / mass;
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
  pinocchio::forwardKinematics(core.model, impl_->data, impl_->expand(state).q);
  const SE3 pose = impl_->data.oMi[body.joint] * body.placement;
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.linear() = pose.rotation();
  result.translation() = pose.translation();
  return result;
}

Eigen::VectorXd Scene::generalised_force(const SceneState& state, const LoadDescription& load, const std::string& path)
{
  const Core& core = *impl_->core;
  core.coordinates.check(state);
  const LoadBlock block = core.load_block(internal::read_load(load, path, core.models));
  compose_bodies(core.model, impl_->data, impl_->expand(state).q);
  Eigen::VectorXd result = Eigen::VectorXd::Zero(core.coordinates.nv);
  impl_->add_load(block, 1.0, result);
  return result;
}

double Scene::kinetic_energy(const SceneState& state)
{
  impl_->core->coordinates.check(state);
  const SceneState& full = impl_->expand(state);
  return pinocchio::computeKineticEnergy(impl_->core->model, impl_->data, full.q, full.v);
}

double Scene::potential_energy(const SceneState& state)
{
  impl_->core->coordinates.check(state);
  return pinocchio::computePotentialEnergy(impl_->core->model, impl_->data, impl_->expand(state).q);
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
