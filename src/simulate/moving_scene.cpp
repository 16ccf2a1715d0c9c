#include "simulate/moving_scene.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/rolling_surfaces.hpp"
#include "stiction/error.hpp"
#include "stiction/geometry.hpp"

namespace stiction::internal {
namespace {

/// Where a model's joint is in the description: as it says, or at zero or the nearest limit.
double described_position(const ModelDescription& model, const JointInfo& joint)
{
  const auto given = model.joints.find(joint.name);
  return given != model.joints.end() ? given->second : std::clamp(0.0, joint.lower, joint.upper);
}

/// Friction and restitution of what was found on the way, from the entry of the scenario that would have detected it.
void apply_entry(const Scenario& scenario, Feature& feature)
{
  for (std::size_t i = 0; i < scenario.scene.contacts.size(); ++i) {
    const ContactDescription& entry = scenario.scene.contacts[i];
    if (!entry.detect || !entry.active) continue;
    const Detect& detect = *entry.detect;
    const std::string& link = feature.contact.link;
    const bool names_it = detect.links.empty() || std::ranges::any_of(detect.links, [&](const std::string& name) {
                            return name == link || link.starts_with(name + "/");
                          });
    if (!names_it || (!detect.with.empty() && detect.with != feature.told.on)) continue;
    if (!detect.mu_of_surface) feature.contact.mu = entry.mu;
    const ContactMotion& motion = scenario.contact_motions[i];
    feature.law = {motion.restitution_normal, motion.restitution_tangential, motion.restitution_spin, false, {}};
    return;
  }
}

}  // namespace

MovingScene::MovingScene(const Scenario& scenario) : name_(scenario.name)
{
  if (scenario.bare) throw InputError("models", "want robots to simulate, got a problem of matrices");
  if (!scenario.impulses.empty()) throw InputError("impulses", "want none to simulate, got blows");
  Scenario plain = scenario;
  std::vector<int> sources;
  std::vector<Warning> warnings;
  if (has_geometry(scenario.scene)) {
    SceneGeometry geometry(scenario.scene);
    ResolvedScene resolved = geometry.resolve(scenario.scene);
    plain.scene = std::move(resolved.scene);
    warnings = std::move(resolved.warnings);
    sources = std::move(resolved.sources);
    plain.contact_motions.clear();
    for (const int source : sources)
      plain.contact_motions.push_back(scenario.contact_motions[static_cast<std::size_t>(source)]);
  }
  std::vector<Warning> of_surfaces;
  RollingSurfaces(plain.scene).fill_in(plain.scene, of_surfaces);
  Scene described(plain.scene);
  features_ = features_of(plain, sources, described);
  for (Feature& feature : features_)
    if (feature.told.source < 0) apply_entry(scenario, feature);
  for (const Warning& warning : warnings) warnings_.push_back(warning.message());

  description_ = plain.scene;
  description_.contacts.clear();
  description_.plane = described.plane();
  bodies_.emplace(description_, described);
  start_ = bodies_->described_state();
  dof_names_ = bodies_->compute().dof_names;
  find_joints();
}

/// Joints, their stops, and bodies that have a pose to tell.
void MovingScene::find_joints()
{
  const ContactProblem problem = bodies_->compute();
  std::vector<double> starts;
  for (const ModelDescription& model : description_.models) {
    const RobotInfo info = model.urdf_file.empty() ? inspect_urdf_text(model.urdf_text)
                                                   : inspect_urdf_file(urdf_file_of(model, description_.package_paths));
    if (model.base == Base::kFloating) body_names_.push_back(bodies_->root_link(model.name));
    for (const JointInfo& joint : info.joints) {
      if (joint.type == "planar" || joint.type == "floating") body_names_.push_back(model.name + "/" + joint.child);
      const auto dof = std::ranges::find(problem.dofs, Dof{model.name, joint.name, 0, 1});
      if (dof == problem.dofs.end()) continue;  // held, or of several
      const int index = static_cast<int>(dof - problem.dofs.begin());
      const double position = described_position(model, joint);
      joints_.push_back({model.name, joint.name, index});
      starts.push_back(position);
      for (const double side : {1.0, -1.0}) {
        const double limit = side > 0.0 ? joint.lower : joint.upper;
        if (joint.type == "continuous" || !std::isfinite(limit)) continue;
        // One that is beyond its limit at the start has its stop where it is.
        stops_.push_back({index, side, side * std::min(0.0, side * (limit - position))});
        stop_names_.push_back(model.name + "/" + joint.name +
                              (side > 0.0 ? " at its lower limit" : " at its upper limit"));
      }
    }
  }
  joint_starts_ = Eigen::Map<const Eigen::VectorXd>(starts.data(), static_cast<Eigen::Index>(starts.size()));
}

void MovingScene::places(const SceneState& state, Eigen::VectorXd& joints, std::vector<Eigen::Isometry3d>& bodies)
{
  poses_.clear();
  bodies.clear();
  for (const std::string& body : body_names_) bodies.push_back(pose(state, body));
  joints = joint_starts_;
  if (joints_.empty()) return;
  const Eigen::VectorXd way = bodies_->difference(start_.q, state.q);
  for (Eigen::Index i = 0; i < joints.size(); ++i) joints[i] += way[joints_[static_cast<std::size_t>(i)].dof];
}

Simulation::Contact MovingScene::told(std::size_t i) const
{
  if (!is_stop(i)) return features_[i].told;
  const std::size_t stop = i - features_.size();
  const std::string& name = stop_names_[stop];
  return {name, name.substr(0, name.find(' ')), "", -1, false, true};
}

const Eigen::Isometry3d& MovingScene::pose(const SceneState& state, const std::string& body)
{
  const auto known = poses_.find(body);
  if (known != poses_.end()) return known->second;
  return poses_[body] = bodies_->link_pose(state, body, "contacts");
}

void MovingScene::gaps(const SceneState& state, Eigen::VectorXd& out)
{
  poses_.clear();
  out.resize(static_cast<Eigen::Index>(size()));
  Eigen::Index next = 0;
  for (const Feature& feature : features_)
    out[next++] = touch_of(feature, pose(state, feature.body), pose(state, feature.face_body)).gap;
  if (stops_.empty()) return;
  const Eigen::VectorXd way = bodies_->difference(start_.q, state.q);
  for (const Stop& stop : stops_) out[next++] = stop.side * (way[stop.dof] - stop.limit);
}

void MovingScene::compute(const SceneState& state, const std::vector<int>& closed, ContactProblem& problem)
{
  std::vector<int> features;
  bool rolls = false;
  for (const int i : closed)
    if (!is_stop(static_cast<std::size_t>(i))) {
      features.push_back(i);
      rolls = rolls || features_[static_cast<std::size_t>(i)].rolls();
    }
  if (!touching_ || rolls || features != touching_features_) {
    poses_.clear();
    SceneDescription description = description_;
    for (const int i : features) {
      const Feature& feature = features_[static_cast<std::size_t>(i)];
      description.contacts.push_back(contact_of(feature, pose(state, feature.body), pose(state, feature.face_body)));
    }
    touching_.emplace(description, *bodies_);
    touching_features_ = features;
  }
  touching_->compute(state, problem);
  const Eigen::Index rows = problem.rows();
  const auto stops = static_cast<Eigen::Index>(closed.size() - features.size());
  problem.J.conservativeResize(rows + stops, Eigen::NoChange);
  problem.gamma.conservativeResize(rows + stops);
  problem.J.bottomRows(stops).setZero();
  problem.gamma.tail(stops).setZero();
  for (std::size_t k = features.size(); k < closed.size(); ++k) {
    const std::size_t i = static_cast<std::size_t>(closed[k]) - features_.size();
    Contact contact;
    contact.name = stop_names_[i];
    contact.row = static_cast<int>(rows + static_cast<Eigen::Index>(k - features.size()));
    contact.tangents = 0;
    problem.J(contact.row, stops_[i].dof) = stops_[i].side;
    problem.contacts.push_back(contact);
  }
}

Eigen::VectorXd MovingScene::applied(const SceneState& state)
{
  Eigen::VectorXd force = state.effort.size() > 0 ? state.effort : start_.effort;
  if (force.size() == 0) force.setZero(bodies_->nv());
  for (const LoadDescription& load : description_.loads) force += bodies_->generalised_force(state, load, "loads");
  return force;
}

}  // namespace stiction::internal
