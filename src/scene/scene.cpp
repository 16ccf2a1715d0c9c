// A scene: poses, M and F of a contact problem in a state, each entry with its own rounding; J, gamma: scene_rows.cpp.
#include "stiction/scene.hpp"

#include <pinocchio/algorithm/energy.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <algorithm>
#include <cmath>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "scene/scene_impl.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"

namespace stiction {

using internal::Articulation;
using internal::Column;
using internal::Core;
using internal::idx;
using internal::LoadBlock;
using internal::ModelState;
using internal::Placed;
using internal::RigidBody;
using internal::Root;
using internal::RowBlock;
using internal::Sized;
using internal::turned;
using internal::UrdfTree;

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
