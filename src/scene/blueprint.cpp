#include "scene/blueprint.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/limits.hpp"
#include "base/names.hpp"
#include "base/nearest_name.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

void check_finite(const std::string& path, double value)
{
  if (!std::isfinite(value)) throw InputError(path, "want a finite number, got " + text(value));
  if (!in_range(value)) throw InputError(path, "want a number up to 1e50, got " + text(value));
}

void check_finite(const std::string& path, const Eigen::Vector3d& vector)
{
  if (!vector.allFinite()) throw InputError(path, "want three finite numbers, got " + text(vector));
  if (!in_range(vector.lpNorm<Eigen::Infinity>()))
    throw InputError(path, "want numbers up to 1e50, got " + text(vector));
}

void check_not_negative(const std::string& path, double value)
{
  if (!std::isfinite(value) || value < 0.0) throw InputError(path, "want finite and >= 0, got " + text(value));
  check_finite(path, value);
}

Eigen::Vector3d unit(const std::string& path, const Eigen::Vector3d& normal)
{
  const double length = normal.norm();
  if (!(std::abs(length - 1.0) <= kUnitRounding)) throw InputError(path, "want a unit vector, got " + text(normal));
  return length == 1.0 ? normal : Eigen::Vector3d(normal / length);
}

std::string path_of(const ModelDescription& model) { return "models." + model.name; }

std::string indexed(const char* list, std::size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

/// "a, b, c" for messages; long lists are cut.
template <class Named>
std::string names_of(const std::vector<Named>& entries)
{
  constexpr std::size_t kShownNames = 12;
  std::string list;
  for (std::size_t i = 0; i < entries.size() && i < kShownNames; ++i) list += (i ? ", " : "") + entries[i].name;
  return entries.size() > kShownNames ? list + ", …" : list;
}

/// A joint that can be set by name: it exists, moves, follows no other joint and has the right number of coordinates.
int settable_joint(const UrdfTree& tree, const std::string& path, const std::string& name, bool single)
{
  const int index = tree.find_joint(name);
  if (index < 0)
    throw InputError(path, "want a joint of the URDF (" + names_of(tree.joints) + "), got " + quoted(name) +
                               did_you_mean(name, all_names(tree.joints)));
  const UrdfJoint& joint = tree.joints[idx(index)];
  if (joint.mimics >= 0)
    throw InputError(path, "want joint " + quoted(tree.joints[idx(joint.mimics)].name) +
                               ", which this one mimics, got " + quoted(name));
  const int dofs = freedoms(joint.type);
  if (single ? dofs != 1 : dofs <= 1)
    throw InputError(path, std::string("want a ") +
                               (single ? "revolute, continuous or prismatic" : "planar or floating") +
                               " joint, got the " + name_of(joint.type) + " joint " + quoted(name));
  return index;
}

void read_single(const std::map<std::string, double>& values, const UrdfTree& tree, const std::string& path,
                 std::vector<std::array<double, 6>>& out)
{
  for (const auto& [name, value] : values) {
    const std::string entry = path + "." + name;
    const int joint = settable_joint(tree, entry, name, true);
    check_finite(entry, value);
    out[idx(joint)][0] = value;
  }
}

void read_multi(const std::map<std::string, std::vector<double>>& values, const UrdfTree& tree, const std::string& path,
                std::vector<std::array<double, 6>>& out)
{
  for (const auto& [name, numbers] : values) {
    const std::string entry = path + "." + name;
    const auto joint = idx(settable_joint(tree, entry, name, false));
    const auto wanted = idx(freedoms(tree.joints[joint].type));
    if (numbers.size() != wanted)
      throw InputError(entry, "want " + std::to_string(wanted) + " numbers, got " + std::to_string(numbers.size()));
    for (std::size_t k = 0; k < wanted; ++k) {
      check_finite(indexed(entry.c_str(), k), numbers[k]);
      out[joint][k] = numbers[k];
    }
  }
}

std::shared_ptr<const UrdfTree> load_tree(const ModelDescription& model, const std::vector<std::string>& package_paths,
                                          const std::vector<ModelBlueprint>& known)
{
  UrdfSource source{model.urdf_file, model.urdf_text, package_paths};
  for (const ModelBlueprint& other : known)
    if (other.tree->source == source) return other.tree;
  const std::string path = path_of(model) + ".urdf";
  if (model.urdf_file.empty() == model.urdf_text.empty())
    throw InputError(
        path, std::string("want either a file or a text, got ") + (model.urdf_file.empty() ? "neither" : "both"));
  const std::string content =
      model.urdf_file.empty() ? model.urdf_text : read_urdf_file(model.urdf_file, package_paths, path);
  auto tree = std::make_shared<UrdfTree>(parse_urdf(content, path));
  tree->source = std::move(source);
  for (const Finding& finding : physical_findings(*tree))
    if (finding.unusable) throw InputError(path, finding.what);
  return tree;
}

bool has_motor(const UrdfJoint& joint) { return freedoms(joint.type) == 1 && joint.mimics < 0; }

/// Friction of joints, as an effort that is to be found within it.
void add_frictions(const ModelDescription& description, ModelBlueprint& model)
{
  using Kind = JointFriction::Kind;
  const JointFriction& friction = description.joint_friction;
  const std::string path = path_of(description) + ".joint_friction";
  if (friction.kind != Kind::kGiven && !friction.given.empty())
    throw InputError(path, "want friction per joint only with kind `given`, got it with another kind");
  const auto add = [&](int joint, double bound, const std::string& entry) {
    check_not_negative(entry, bound);
    if (bound > 0.0) model.frictions.push_back({joint, -bound, bound});
  };
  for (const auto& [name, value] : friction.given)
    add(settable_joint(*model.tree, path + "." + name, name, true), value, path + "." + name);
  for (std::size_t j = 0; friction.kind == Kind::kUrdf && j < model.tree->joints.size(); ++j) {
    const UrdfJoint& joint = model.tree->joints[j];
    if (has_motor(joint)) add(static_cast<int>(j), joint.friction, path + "." + joint.name);
  }
}

/// Efforts that are to be found, or motors that could have some; after add_frictions.
void add_motors(const Effort& effort, ModelBlueprint& model)
{
  const bool found = effort.kind == Effort::Kind::kLimits || effort.kind == Effort::Kind::kUnlimited;
  for (std::size_t j = 0; j < model.tree->joints.size(); ++j) {
    const UrdfJoint& joint = model.tree->joints[j];
    if (!has_motor(joint)) continue;
    if (!found) {
      const auto brake = std::ranges::find(model.frictions, static_cast<int>(j), &ModelBlueprint::Motor::joint);
      if (joint.effort > 0.0 && brake == model.frictions.end()) model.given_motors.push_back(static_cast<int>(j));
      continue;
    }
    const double bound = effort.kind == Effort::Kind::kLimits ? joint.effort : kInfinity;
    model.motors.push_back({static_cast<int>(j), -bound, bound});
  }
}

class BodyFinder {
 public:
  explicit BodyFinder(const std::vector<ModelBlueprint>& models) : models_(models) {}

  /// "world" or "model/link".
  BodyRef find(const std::string& path, const std::string& body) const
  {
    if (body == "world") return {};
    const auto slash = body.find('/');
    if (slash == body.npos) throw InputError(path, "want 'world' or 'model/link', got " + quoted(body));
    const std::string model = body.substr(0, slash), link = body.substr(slash + 1);
    for (std::size_t m = 0; m < models_.size(); ++m) {
      if (models_[m].name != model) continue;
      const int index = models_[m].tree->find_link(link);
      if (index < 0)
        throw InputError(path, "want a link of models." + model + " (" + names_of(models_[m].tree->links) + "), got " +
                                   quoted(link) + did_you_mean(link, all_names(models_[m].tree->links)));
      return {static_cast<int>(m), index};
    }
    throw InputError(path, "want a model of the scene (" + names_of(models_) + "), got " + quoted(model) +
                               did_you_mean(model, all_names(models_)));
  }

  BodyRef find_link(const std::string& path, const std::string& body) const
  {
    const BodyRef found = find(path, body);
    if (found.model < 0) throw InputError(path, "want 'model/link', got " + quoted(body));
    return found;
  }

  /// The two bodies of a contact or closure; they must be able to move relative to each other.
  std::pair<BodyRef, BodyRef> find_pair(const std::string& path, const std::string& link, const std::string& on) const
  {
    const BodyRef a = find_link(path + ".link", link), b = find(path + ".on", on);
    if (carrier(a) == carrier(b))
      throw InputError(
          path, "want two bodies that can move relative to each other, got " + quoted(link) + " and " + quoted(on));
    return {a, b};
  }

  /// The rigid body a link belongs to: up through fixed joints; the world for the root of a fixed model.
  BodyRef carrier(BodyRef body) const
  {
    if (body.model < 0) return body;
    const ModelBlueprint& model = models_[idx(body.model)];
    for (;;) {
      const int joint = model.tree->links[idx(body.link)].parent_joint;
      if (joint < 0) return model.base == Base::kFixed ? BodyRef{} : body;
      if (model.tree->joints[idx(joint)].type != JointType::kFixed) return body;
      body.link = model.tree->joints[idx(joint)].parent;
    }
  }

 private:
  const std::vector<ModelBlueprint>& models_;
};

void add_name(std::set<std::string>& names, const std::string& path, const std::string& name)
{
  require_name(name, path + ".name");
  if (!names.insert(name).second)
    throw InputError(path + ".name", "want a unique name, got " + quoted(name) + " twice");
}

void read_contact(const ContactDescription& description, std::size_t index, const BodyFinder& bodies,
                  std::set<std::string>& names, std::vector<ContactBlueprint>& contacts,
                  std::vector<ContactBlueprint>& inactive)
{
  const std::string path = indexed("contacts", index);
  if (description.detect)
    throw InputError(path + ".detect", "want a contact that was found by SceneGeometry, got none");
  require_name(description.name, path + ".name");
  ContactBlueprint contact;
  std::tie(contact.link, contact.on) = bodies.find_pair(path, description.link, description.on);
  check_finite(path + ".normal", description.normal);
  contact.axes = contact_axes(unit(path + ".normal", description.normal));
  contact.normal_frame = description.normal_frame;
  contact.at_frame = description.at_frame;
  check_not_negative(path + ".mu", description.mu);
  check_not_negative(path + ".torsion", description.torsion);
  if (!(description.max_normal >= 0.0))
    throw InputError(path + ".max_normal", "want >= 0, got " + text(description.max_normal));
  contact.mu = description.mu;
  contact.torsion = description.torsion;
  contact.max_normal = description.max_normal;
  contact.side = description.side;
  contact.shape = contact_shape(description.radius, description.on_radius, contact.axes, path);
  contact.origin = {static_cast<int>(index), contact.link.model, contact.on.model,
                    description.normal_frame == ContactFrame::kLink ? description.link
                    : description.normal_frame == ContactFrame::kOn ? description.on
                                                                    : "world"};
  if (description.points.empty()) throw InputError(path + ".at", "want at least one point, got none");
  const bool numbered = description.patch || description.points.size() > 1;
  for (std::size_t k = 0; k < description.points.size(); ++k) {
    check_finite(numbered ? indexed((path + ".points").c_str(), k) : path + ".at", description.points[k]);
    contact.name = numbered ? description.name + "/" + std::to_string(k) : description.name;
    contact.point = description.points[k];
    add_name(names, path, contact.name);
    (description.takes_part(k) ? contacts : inactive).push_back(contact);
  }
}

void read_models(const SceneDescription& description, const std::vector<ModelBlueprint>& known, Blueprint& blueprint)
{
  std::set<std::string> names;
  if (description.models.empty()) throw InputError("models", "want at least one, got none");
  for (std::size_t m = 0; m < description.models.size(); ++m) {
    const ModelDescription& source = description.models[m];
    const std::string path = indexed("models", m);
    if (source.name == "world" || source.name.find('/') != std::string::npos)
      throw InputError(path + ".name", "want a name without '/' that is not 'world', got " + quoted(source.name));
    add_name(names, path, source.name);
    if (source.placing) throw InputError(path + ".pose", "want a pose that was found by SceneGeometry, got none");
    ModelBlueprint model;
    model.name = source.name;
    model.base = source.base;
    model.tree = load_tree(source, description.package_paths, known);
    model.state = read_state(source, *model.tree);
    model.given_efforts = read_given_efforts(source, *model.tree);
    add_frictions(source, model);
    add_motors(source.effort, model);
    add_warnings(source, *model.tree, blueprint.warnings);
    blueprint.models.push_back(std::move(model));
  }
}

/// M and J are dense: what they need is known before they are made.
void check_size(const Blueprint& blueprint)
{
  constexpr std::size_t kLoopRows[] = {3, 6, 1};  // by LoopDescription::Kind
  std::size_t dofs = 0, rows = 0;
  for (const ModelBlueprint& model : blueprint.models) {
    if (model.base == Base::kFloating) dofs += 6;
    for (const UrdfJoint& joint : model.tree->joints) dofs += idx(freedoms(joint.type));
  }
  for (const ContactBlueprint& contact : blueprint.contacts) rows += contact.torsion > 0.0 ? 4 : 3;
  for (const LoopBlueprint& loop : blueprint.loops) rows += kLoopRows[idx(static_cast<int>(loop.kind))];
  if (dofs * (dofs + rows) <= kMostSceneNumbers) return;
  throw InputError(blueprint.contacts.empty() ? "models" : "contacts",
                   "want at most " + std::to_string(kMostSceneNumbers) +
                       " numbers in M and J (degrees of freedom times degrees of freedom and rows of contacts), got " +
                       std::to_string(dofs) + " x (" + std::to_string(dofs) + " + " + std::to_string(rows) + ")");
}

}  // namespace

Eigen::Matrix3d contact_axes(const Eigen::Vector3d& normal)
{
  constexpr double kNearX = 0.9;
  const Eigen::Vector3d guide = std::abs(normal.x()) > kNearX ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitX();
  Eigen::Matrix3d axes;
  axes.col(0) = normal;
  axes.col(1) = (guide - normal * normal.dot(guide)).normalized();
  axes.col(2) = normal.cross(axes.col(1));
  return axes;
}

Eigen::Matrix3d plane_axes(const Eigen::Vector3d& normal)
{
  const Eigen::Matrix3d axes = contact_axes(normal);
  Eigen::Matrix3d plane;
  plane << axes.col(1), axes.col(2), axes.col(0);
  return plane;
}

ModelState read_state(const ModelDescription& model, const UrdfTree& tree)
{
  const std::string path = path_of(model);
  check_finite(path + ".pose.xyz", model.pose.xyz);
  check_finite(path + ".pose.rpy", model.pose.rpy);
  check_finite(path + ".twist.linear", model.linear_velocity);
  check_finite(path + ".twist.angular", model.angular_velocity);
  if (model.base == Base::kFixed && !(model.linear_velocity.isZero(0.0) && model.angular_velocity.isZero(0.0)))
    throw InputError(path + ".twist", "want zero for a fixed base, got linear " + text(model.linear_velocity) +
                                          ", angular " + text(model.angular_velocity));
  check_finite(path + ".acceleration.linear", model.linear_acceleration);
  check_finite(path + ".acceleration.angular", model.angular_acceleration);
  if (model.base == Base::kFixed && !(model.linear_acceleration.isZero(0.0) && model.angular_acceleration.isZero(0.0)))
    throw InputError(path + ".acceleration", "want zero for a fixed base, got linear " +
                                                 text(model.linear_acceleration) + ", angular " +
                                                 text(model.angular_acceleration));
  ModelState state;
  state.pose = isometry(model.pose.xyz, model.pose.rpy);
  state.linear = model.linear_velocity;
  state.angular = model.angular_velocity;
  state.linear_acceleration = model.linear_acceleration;
  state.angular_acceleration = model.angular_acceleration;
  state.positions.assign(tree.joints.size(), {});
  state.rates.assign(tree.joints.size(), {});
  state.accelerations.assign(tree.joints.size(), {});
  for (std::size_t j = 0; j < tree.joints.size(); ++j)
    if (freedoms(tree.joints[j].type) == 1)
      state.positions[j][0] = std::min(std::max(0.0, tree.joints[j].lower), tree.joints[j].upper);
  read_single(model.joints, tree, path + ".joints", state.positions);
  read_single(model.rates, tree, path + ".rates", state.rates);
  read_multi(model.multi_joints, tree, path + ".joints", state.positions);
  read_multi(model.multi_rates, tree, path + ".rates", state.rates);
  read_single(model.accelerations, tree, path + ".accelerations", state.accelerations);
  read_multi(model.multi_accelerations, tree, path + ".accelerations", state.accelerations);
  return state;
}

std::vector<std::pair<int, double>> read_given_efforts(const ModelDescription& model, const UrdfTree& tree)
{
  const std::string path = path_of(model) + ".effort";
  if (model.effort.kind != Effort::Kind::kGiven && !model.effort.given.empty())
    throw InputError(path, "want efforts per joint only with kind `given`, got them with another kind");
  std::vector<std::pair<int, double>> efforts;
  for (const auto& [name, value] : model.effort.given) {
    const std::string entry = path + "." + name;
    efforts.emplace_back(settable_joint(tree, entry, name, true), value);
    check_finite(entry, value);
  }
  return efforts;
}

void add_warnings(const ModelDescription& model, const UrdfTree& tree, std::vector<Warning>& warnings)
{
  using Kind = Warning::Kind;
  const std::string path = path_of(model);
  const bool within_limits = model.effort.kind == Effort::Kind::kLimits;
  for (const Finding& finding : physical_findings(tree))
    if (finding.kind != Kind::kZeroEffortLimit || within_limits)
      warnings.push_back({finding.kind, path + ".urdf", finding.what});
  const ModelState state = read_state(model, tree);
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    const UrdfJoint& joint = tree.joints[j];
    const double position = joint.mimics < 0 ? state.positions[j][0]
                                             : joint.multiplier * state.positions[idx(joint.mimics)][0] + joint.offset;
    if (freedoms(joint.type) == 1 && (position < joint.lower || position > joint.upper))
      warnings.push_back({Kind::kJointLimits, path + ".joints." + joint.name,
                          text(position) + " is outside the limits " + text(joint.lower) + " to " + text(joint.upper)});
  }
  for (const auto& [j, effort] : read_given_efforts(model, tree)) {
    const UrdfJoint& joint = tree.joints[idx(j)];
    if (std::abs(effort) > joint.effort)
      warnings.push_back({Kind::kEffortLimit, path + ".effort." + joint.name,
                          text(effort) + " exceeds the effort limit " + text(joint.effort)});
  }
  for (const UrdfJoint& joint : tree.joints)
    if (within_limits && has_motor(joint) && !joint.limited)
      warnings.push_back({Kind::kNoEffortLimit, path + ".effort",
                          "joint " + quoted(joint.name) + " has no <limit>, its effort is unlimited"});
}

LoadBlueprint read_load(const LoadDescription& load, const std::string& path, const std::vector<ModelBlueprint>& models)
{
  const BodyRef body = BodyFinder(models).find_link(path + ".link", load.link);
  check_finite(path + ".force", load.force);
  check_finite(path + ".torque", load.torque);
  check_finite(path + ".at", load.at);
  return {body, load.force, load.torque, load.at, load.frame == LoadDescription::Frame::kWorld};
}

BodyRef find_body(const std::string& body, const std::string& path, const std::vector<ModelBlueprint>& models)
{
  return BodyFinder(models).find(path, body);
}

Blueprint make_blueprint(const SceneDescription& description, const std::vector<ModelBlueprint>& known)
{
  Blueprint blueprint;
  check_finite("gravity", description.gravity);
  blueprint.gravity = description.gravity;
  blueprint.plane = description.plane;
  read_models(description, known, blueprint);

  const BodyFinder bodies(blueprint.models);
  for (std::size_t i = 0; i < description.loads.size(); ++i) {
    const LoadDescription& source = description.loads[i];
    const std::string path = indexed("loads", i);
    blueprint.loads.push_back(read_load(source, path, blueprint.models));
    if (bodies.carrier(blueprint.loads.back().body).model < 0)
      blueprint.load_warnings.push_back(
          {Warning::Kind::kFixedLoad, path + ".link", quoted(source.link) + " cannot move"});
  }
  blueprint.warnings.insert(blueprint.warnings.end(), blueprint.load_warnings.begin(), blueprint.load_warnings.end());

  std::set<std::string> names;
  std::vector<ContactBlueprint> inactive;  // read, so that what is wrong with them does not wait until they are on
  for (std::size_t i = 0; i < description.contacts.size(); ++i)
    read_contact(description.contacts[i], i, bodies, names, blueprint.contacts, inactive);
  for (std::size_t i = 0; i < description.loops.size(); ++i) {
    const LoopDescription& source = description.loops[i];
    const std::string path = indexed("closures", i);
    LoopBlueprint closure;
    closure.name = source.name;
    add_name(names, path, source.name);
    std::tie(closure.link, closure.on) = bodies.find_pair(path, source.link, source.on);
    check_finite(path + ".at", source.at);
    closure.at = source.at;
    closure.kind = source.kind;
    closure.axes = Eigen::Matrix3d::Identity();
    if (source.kind == LoopDescription::Kind::kGuide) {
      check_finite(path + ".normal", source.normal);
      closure.axes = contact_axes(unit(path + ".normal", source.normal));
    }
    blueprint.loops.push_back(closure);
  }
  check_size(blueprint);
  return blueprint;
}

}  // namespace stiction::internal
