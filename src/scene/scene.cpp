// Data of a contact problem in a state: poses, M, F, J and gamma, each entry with its own rounding.
#include "stiction/scene.hpp"

#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "scene/core.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"

namespace stiction {

using internal::Articulation;
using internal::carried;
using internal::Carrier;
using internal::Column;
using internal::ContactShape;
using internal::Core;
using internal::idx;
using internal::LoadBlock;
using internal::ModelState;
using internal::Placed;
using internal::RigidBody;
using internal::Root;
using internal::RowBlock;
using internal::Sized;
using internal::SizedAxes;
using internal::turned;
using internal::UrdfTree;

struct Scene::Impl {
  std::shared_ptr<const Core> core;
  std::optional<pinocchio::Data> in_motion;  ///< Pinocchio's workspace: nv³ numbers four times, made once needed
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
        bodies(core->articulation),
        gravity(core->fixed_roots.size()),
        full{Eigen::VectorXd(core->model.nq), Eigen::VectorXd(core->model.nv), {}},
        force(core->model.nv),
        noise(core->model.nv),
        force_noise(core->coordinates.nv),
        row_noise(6, core->coordinates.nv)
  {
  }

  pinocchio::Data& moving_data();
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
  Eigen::Matrix3d turn_between(const RowBlock& block) const;
  Articulation::MotionSize motion_size(int joint, const Sized& point) const;
  void check_finite(const ContactProblem& problem) const;
  Eigen::Vector3d acceleration(int joint, const Eigen::Vector3d& point) const;
  Eigen::Vector3d angular_acceleration(int joint) const;
  Eigen::Vector3d velocity(int joint, const Eigen::Vector3d& point) const;
  Eigen::Vector3d angular_velocity(int joint) const;
};

pinocchio::Data& Scene::Impl::moving_data()
{
  if (core->model.nv > internal::kMostMovingDofs)
    throw InputError("models", "want at most " + std::to_string(internal::kMostMovingDofs) +
                                   " degrees of freedom while something moves, got " + std::to_string(core->model.nv));
  if (!in_motion) in_motion.emplace(core->model);
  return *in_motion;
}

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
    pinocchio::Data& data = moving_data();
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
  if (!core->coordinates.has_mimics && !core->coordinates.holds_any) return bodies.fill_mass(M);
  bodies.fill_mass(mass);
  M.setZero(core->coordinates.nv, core->coordinates.nv);  // T' M T
  for (Eigen::Index j = 0; j < mass.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i) {
      const double value = core->coordinates.v_scale(i) * core->coordinates.v_scale(j) * mass(i, j);
      const int ri = core->coordinates.v_source[idx(i)], rj = core->coordinates.v_source[idx(j)];
      if (ri < 0 || rj < 0) continue;
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
    if (dof < 0) continue;
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
  const Eigen::Vector3d omega = in_motion->v[idx(joint)].angular(), alpha = in_motion->a_gf[idx(joint)].angular();
  const Eigen::Vector3d velocity = in_motion->v[idx(joint)].linear() + omega.cross(r);
  return frame.R * (in_motion->a_gf[idx(joint)].linear() + alpha.cross(r) + omega.cross(velocity));
}

/// Velocity in root axes of the point of a body that is there; of the same pass.
Eigen::Vector3d Scene::Impl::velocity(int joint, const Eigen::Vector3d& point) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  const Articulation::Frame& frame = bodies.frame(joint);
  const pinocchio::Motion& v = in_motion->v[idx(joint)];
  return frame.R * (v.linear() + v.angular().cross(Eigen::Vector3d(frame.R.transpose() * (point - frame.r))));
}

Eigen::Vector3d Scene::Impl::angular_velocity(int joint) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  return bodies.frame(joint).R * in_motion->v[idx(joint)].angular();
}

Eigen::Vector3d Scene::Impl::angular_acceleration(int joint) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  return bodies.frame(joint).R * in_motion->a_gf[idx(joint)].angular();
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
      for (int i = linear; i < rows; ++i) add(i, axes.value(k, block.turn_axis + i - linear), 0.0);
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
    for (int i = linear; i < rows; ++i) add(i, axes.value.col(block.turn_axis + i - linear).dot(turn), rounding);
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

/// Jdot v in the root frame of A: the point of contact stays with its body, or travels where surfaces roll, and the
/// axes turn with theirs. Entries that are only rounding of their own terms are zero, as in J.
void Scene::Impl::fill_drift(const RowBlock& block, const Sized& point_a, const Sized& point_b,
                             const Eigen::Matrix3d& axes, Eigen::VectorXd& gamma) const
{
  const Eigen::Matrix3d turn = turn_between(block);
  const int a = block.a.joint, b = block.b.joint;
  const Eigen::Vector3d& p = point_a.value;
  const Eigen::Vector3d& q = point_b.value;
  const Eigen::Vector3d slip = velocity(a, p) - turn * velocity(b, q);
  const Eigen::Vector3d turn_a = angular_velocity(a), turn_b = turn * angular_velocity(b);
  Eigen::Vector3d turn_axes = block.axes_on == Carrier::kA   ? turn_a
                              : block.axes_on == Carrier::kB ? turn_b
                                                             : Eigen::Vector3d::Zero();
  const Articulation::MotionSize size_a = motion_size(a, point_a), size_b = motion_size(b, point_b);
  const double speed = size_a.speed + size_b.speed, spin = size_a.spin + size_b.spin;
  double size = size_a.acceleration + size_b.acceleration + 2.0 * spin * speed;

  const ContactShape& shape = block.shape;
  const bool with_a = shape.sharp == ContactShape::Sharp::kNone ? block.point_on == Carrier::kA
                                                                : shape.sharp == ContactShape::Sharp::kA;
  const Eigen::Vector3d& turn_other = with_a ? turn_b : turn_a;
  Eigen::Vector3d rolling = Eigen::Vector3d::Zero();
  if (shape.given) {
    const auto normal = axes.col(0);
    const auto tangents = axes.rightCols<2>();
    const Eigen::Vector2d slip_t = tangents.transpose() * slip;
    const Eigen::Vector2d tilt = tangents.transpose() * normal.cross(turn_a - turn_b);
    const Eigen::Vector2d rate = shape.travel_rate(tilt, slip_t, with_a);
    rolling = (turn_a - turn_b).cross(tangents * rate);
    // The normal turns with the smoother body, and as the point travels over its curved surface.
    const bool normal_of_a = shape.sharp == ContactShape::Sharp::kB ||
                             (shape.sharp == ContactShape::Sharp::kNone && block.axes_on == Carrier::kA);
    const Eigen::Vector2d over_a = with_a ? rate : Eigen::Vector2d(rate - slip_t), over_b = over_a + slip_t;
    turn_axes = normal_of_a ? Eigen::Vector3d(turn_a - normal.cross(tangents * (shape.curvature_a * over_a)))
                            : Eigen::Vector3d(turn_b + normal.cross(tangents * (shape.curvature_b * over_b)));
    const double curvature = shape.curvature_a.cwiseAbs().sum() + shape.curvature_b.cwiseAbs().sum();
    const double travel = shape.travel.cwiseAbs().sum() * (spin + curvature * speed);
    size += travel * spin + curvature * (travel + speed) * speed;
  }
  const Eigen::Vector3d linear =
      acceleration(a, p) - turn * acceleration(b, q) + rolling - (turn_other + turn_axes).cross(slip);
  const Eigen::Vector3d angular =
      angular_acceleration(a) - turn * angular_acceleration(b) - turn_axes.cross(turn_a - turn_b);
  const double rounding = block.rounding + internal::kJointRounding;
  const double angular_size = size_a.spin_rate + size_b.spin_rate + (spin + turn_axes.lpNorm<1>()) * spin;
  for (int k = 0; k < block.linear; ++k)
    gamma(block.row + k) = internal::without_noise(axes.col(k).dot(linear), rounding * size);
  for (int k = 0; k < block.angular; ++k)
    gamma(block.row + block.linear + k) =
        internal::without_noise(axes.col(block.turn_axis + k).dot(angular), rounding * angular_size);
}

/// From the root frame of B to that of A.
Eigen::Matrix3d Scene::Impl::turn_between(const RowBlock& block) const
{
  if (block.a.root == block.b.root) return Eigen::Matrix3d::Identity();
  return roots[idx(block.a.root)].R.transpose() * roots[idx(block.b.root)].R;
}

Articulation::MotionSize Scene::Impl::motion_size(int joint, const Sized& point) const
{
  return bodies.motion_size(joint, point.size.sum() + bodies.frame(joint).path);
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
const std::vector<int>& Scene::given_motors() const { return impl_->core->given_motors; }
ScenePlane Scene::plane() const { return impl_->core->plane; }
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

std::vector<Warning> Scene::turning_contacts(const SceneState& state)
{
  std::vector<Warning> result;
  if (state.v.isZero(0.0)) return result;
  ContactProblem problem;
  compute(state, problem);
  int told = -1;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const RowBlock& block = impl_->core->rows[i];
    const int entry = impl_->core->contact_origins[i].description;
    if (block.shape.given || entry == told) continue;
    const Eigen::Vector3d spin =
        impl_->roots[idx(block.a.root)].R *
        (impl_->angular_velocity(block.a.joint) - impl_->turn_between(block) * impl_->angular_velocity(block.b.joint));
    const double rate = (problem.contacts[i].axes_W.rightCols<2>().transpose() * spin).norm();
    if (rate <= kRestSpeed) continue;
    told = entry;
    result.push_back(
        {Warning::Kind::kTurningContact, "contacts[" + std::to_string(entry) + "]",
         "its bodies turn over each other at " + internal::text(rate) +
             " rad/s: it is taken for a corner that stays with its body; a surface that rolls has `radius` "
             "or `on_radius` (`radius: 0` says that it is a corner)"});
  }
  return result;
}

void Scene::compute(const SceneState& state, ContactProblem& problem)
{
  const Core& core = *impl_->core;
  core.coordinates.check(state);
  const bool moving = (state.v.array() != 0.0).any();

  impl_->compose(state, moving);
  problem.contacts = core.prototype.contacts;
  problem.loops = core.prototype.loops;
  problem.actuators = core.prototype.actuators;
  for (const int i : core.brakes) {  // a joint that moves is braked by all of its friction
    Actuator& brake = problem.actuators[idx(i)];
    if (const double rate = state.v[brake.dof]; std::abs(rate) > kRestSpeed)
      (rate > 0.0 ? brake.upper : brake.lower) = rate > 0.0 ? brake.lower : brake.upper;
  }
  problem.dof_names = core.prototype.dof_names;
  problem.dofs = core.prototype.dofs;
  impl_->fill_mass(problem.M);
  impl_->fill_force(state.effort.size() > 0 ? state.effort : core.described.effort, problem.F);
  impl_->fill_rows(problem, moving);
  if (core.plane != ScenePlane::kNone) core.check_plane(impl_->bodies, impl_->roots, problem);
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
  return pinocchio::computeKineticEnergy(impl_->core->model, impl_->moving_data(), impl_->full.q, impl_->full.v);
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

Eigen::VectorXd Scene::difference(const Eigen::VectorXd& from, const Eigen::VectorXd& to) const
{
  const Core& core = *impl_->core;
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(core.coordinates.nv);
  core.coordinates.check({from, still, {}});
  core.coordinates.check({to, still, {}});
  Eigen::VectorXd full_from(core.model.nq), full_to(core.model.nq);
  core.coordinates.expand(from, full_from);
  core.coordinates.expand(to, full_to);
  return core.coordinates.reduce_rate(pinocchio::difference(core.model, full_from, full_to));
}

}  // namespace stiction
