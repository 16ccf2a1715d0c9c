#include "stiction/scenario.hpp"

#include <cmath>
#include <filesystem>

#include "base/text.hpp"
#include "io/entry_reader.hpp"
#include "io/options.hpp"
#include "io/problem_document.hpp"
#include "io/scenario_document.hpp"
#include "io/sha256.hpp"
#include "io/surroundings.hpp"
#include "io/units.hpp"

namespace stiction {
namespace internal {
namespace {

/// Numbers by joint name; lists belong to planar and floating joints.
/// @param read of a single one: positions may have units.
void decode_joints(const Entry& entry, const std::string& path, std::map<std::string, double>& single,
                   std::map<std::string, std::vector<double>>& several,
                   double (*read)(const Entry&, const std::string&) = number)
{
  if (entry.kind == Entry::Kind::kNull) return;
  if (entry.kind != Entry::Kind::kMap) fail(entry, path, "a map of joint names to numbers");
  for (std::size_t i = 0; i < entry.keys.size(); ++i) {
    const std::string where = path + "." + entry.keys[i];
    if (entry.items[i].kind == Entry::Kind::kList)
      several[entry.keys[i]] = numbers(entry.items[i], where);
    else
      single[entry.keys[i]] = read(entry.items[i], where);
  }
}

Effort decode_effort(const Entry& entry, const std::string& path)
{
  using Kind = Effort::Kind;
  Effort effort;
  if (entry.kind == Entry::Kind::kMap) {
    effort.kind = Kind::kGiven;
    for (std::size_t i = 0; i < entry.keys.size(); ++i)
      effort.given[entry.keys[i]] = number(entry.items[i], path + "." + entry.keys[i]);
    return effort;
  }
  if (entry.kind != Entry::Kind::kText)
    fail(entry, path, "limits | unlimited | none, or a map of joint names to numbers");
  effort.kind = one_of<Kind, 3>(entry, path,
                                {{{"limits", Kind::kLimits}, {"unlimited", Kind::kUnlimited}, {"none", Kind::kNone}}});
  return effort;
}

JointFriction decode_joint_friction(const Entry& entry, const std::string& path)
{
  using Kind = JointFriction::Kind;
  JointFriction friction;
  if (entry.kind == Entry::Kind::kText) {
    friction.kind = one_of<Kind, 2>(entry, path, {{{"urdf", Kind::kUrdf}, {"none", Kind::kNone}}});
    return friction;
  }
  if (entry.kind != Entry::Kind::kMap) fail(entry, path, "urdf | none, or a map of joint names to numbers");
  friction.kind = Kind::kGiven;
  for (std::size_t i = 0; i < entry.keys.size(); ++i)
    friction.given[entry.keys[i]] = number_at_least_zero(entry.items[i], path + "." + entry.keys[i]);
  return friction;
}

constexpr std::array<std::pair<const char*, ContactFrame>, 3> kContactFrames{
    {{"link", ContactFrame::kLink}, {"world", ContactFrame::kWorld}, {"on", ContactFrame::kOn}}};

/// `linear` and `angular`: the keys of what acts, a load (N, N m) or an impulse (N s, N m s).
LoadDescription decode_load(const Entry& entry, const std::string& path, const char* linear, const char* angular)
{
  using Frame = LoadDescription::Frame;
  const Map map(entry, path, {"link", linear, angular, "at", "frame"});
  LoadDescription load;
  load.link = text_of(map.need("link"), map.path_of("link"));
  load.force = map.vector_or(linear, load.force);
  load.torque = map.vector_or(angular, load.torque);
  load.at = lengths_or(map, "at", load.at);
  load.frame = map.choice_or<Frame, 2>("frame", {{{"world", Frame::kWorld}, {"link", Frame::kLink}}}, load.frame);
  return load;
}

LoopDescription decode_closure(const Entry& entry, const std::string& path)
{
  using Kind = LoopDescription::Kind;
  const Map map(entry, path, {"name", "link", "on", "at", "kind", "normal"});
  LoopDescription closure;
  closure.name = text_of(map.need("name"), map.path_of("name"));
  closure.link = text_of(map.need("link"), map.path_of("link"));
  closure.on = map.text_or("on", closure.on);
  closure.at = lengths_or(map, "at", closure.at);
  closure.kind = map.choice_or<Kind, 3>("kind", {{{"pin", Kind::kPin}, {"weld", Kind::kWeld}, {"guide", Kind::kGuide}}},
                                        closure.kind);
  if (closure.kind == Kind::kGuide)
    closure.normal = unit_vector(map.need("normal"), map.path_of("normal"));
  else if (const Entry* normal = map.find("normal"))
    fail(*normal, map.path_of("normal"), "no normal unless the kind is guide");
  return closure;
}

double decode_radius(const Entry& entry, const std::string& path)
{
  if (entry.kind == Entry::Kind::kText && (entry.text == "flat" || entry.text == "inf")) return kInfinity;
  return length(entry, path);
}

/// 0.1 | [0.1, flat] | {radii: [0.1, flat], along: [0, 1, 0]}
SurfaceRadii decode_radii(const Entry& entry, const std::string& path)
{
  SurfaceRadii radii;
  const auto pair = [&](const Entry& list, const std::string& where) {
    if (list.kind != Entry::Kind::kList || list.items.size() != 2) fail(list, where, "two radii (numbers or flat)");
    radii.first = decode_radius(list.items[0], where + "[0]");
    radii.second = decode_radius(list.items[1], where + "[1]");
  };
  if (entry.kind == Entry::Kind::kList) {
    pair(entry, path);
  } else if (entry.kind == Entry::Kind::kMap) {
    const Map map(entry, path, {"radii", "along"});
    pair(map.need("radii"), map.path_of("radii"));
    radii.along = vector3(map.need("along"), map.path_of("along"));
  } else {
    radii.first = radii.second = decode_radius(entry, path);
  }
  return radii;
}

constexpr auto kQuestions = std::to_array<std::pair<const char*, Question>>({
#define STICTION_NAMED(Name, name) {#name, Question::k##Name},
    STICTION_QUESTIONS(STICTION_NAMED)
#undef STICTION_NAMED
});

}  // namespace

ModelDescription decode_model(const Entry& entry, const std::string& name, const std::string& folder)
{
  const Map map(entry, "models." + name,
                {"urdf", "base", "pose", "joints", "rates", "twist", "accelerations", "acceleration", "effort",
                 "joint_friction"});
  ModelDescription model;
  model.name = name;
  const std::string& urdf = text_of(map.need("urdf"), map.path_of("urdf"));
  if (urdf.starts_with("package://") || urdf.starts_with("robot_descriptions:") ||
      std::filesystem::path(urdf).is_absolute() || folder.empty())
    model.urdf_file = urdf;
  else
    model.urdf_file = (std::filesystem::path(folder) / urdf).lexically_normal().string();
  model.base = map.choice_or<Base, 2>("base", {{{"floating", Base::kFloating}, {"fixed", Base::kFixed}}}, model.base);
  if (const Entry* found = map.find("pose")) decode_pose(*found, map.path_of("pose"), model.pose, &model.placing);
  if (const Entry* found = map.find("joints"))
    decode_joints(*found, map.path_of("joints"), model.joints, model.multi_joints, joint_position);
  if (const Entry* found = map.find("rates"))
    decode_joints(*found, map.path_of("rates"), model.rates, model.multi_rates);
  if (const Entry* found = map.find("twist")) {
    const Map twist(*found, map.path_of("twist"), {"linear", "angular"});
    model.linear_velocity = twist.vector_or("linear", model.linear_velocity);
    model.angular_velocity = twist.vector_or("angular", model.angular_velocity);
  }
  if (const Entry* found = map.find("accelerations"))
    decode_joints(*found, map.path_of("accelerations"), model.accelerations, model.multi_accelerations);
  if (const Entry* found = map.find("acceleration")) {
    const Map rate_of_twist(*found, map.path_of("acceleration"), {"linear", "angular"});
    model.linear_acceleration = rate_of_twist.vector_or("linear", model.linear_acceleration);
    model.angular_acceleration = rate_of_twist.vector_or("angular", model.angular_acceleration);
  }
  if (const Entry* found = map.find("effort")) model.effort = decode_effort(*found, map.path_of("effort"));
  if (const Entry* found = map.find("joint_friction"))
    model.joint_friction = decode_joint_friction(*found, map.path_of("joint_friction"));
  return model;
}

void decode_impact_law(const Map& contact, ContactMotion& motion)
{
  if (const Entry* found = contact.find("restitution")) {
    const Map restitution(*found, contact.path_of("restitution"), {"normal", "tangential", "spin"});
    motion.restitution_normal = restitution.number_or("normal", 0.0);
    motion.restitution_tangential = restitution.number_or("tangential", 0.0);
    motion.restitution_spin = restitution.number_or("spin", 0.0);
  }
  if (const Entry* found = contact.find("one_way")) motion.one_way = boolean(*found, contact.path_of("one_way"));
  if (const Entry* found = contact.find("mu_second"))
    motion.mu_second = number_at_least_zero(*found, contact.path_of("mu_second"));
}

namespace {

/// Bodies, points and normal of a contact that is given by hand.
void decode_place(const Map& map, ContactDescription& contact)
{
  contact.name = text_of(map.need("name"), map.path_of("name"));
  contact.link = text_of(map.need("link"), map.path_of("link"));
  contact.on = map.text_or("on", contact.on);
  const Entry* points = map.find("points");
  if (points && map.find("at")) fail(*points, map.path_of("points"), "either at or points");
  if (points) {
    if (points->kind != Entry::Kind::kList || points->items.empty())
      fail(*points, map.path_of("points"), "a list of points");
    contact.patch = true;
    for (std::size_t k = 0; k < points->items.size(); ++k)
      contact.points.push_back(lengths(points->items[k], map.path_of("points") + "[" + std::to_string(k) + "]"));
  } else {
    contact.points = {lengths(map.need("at"), map.path_of("at"))};
  }
  contact.at_frame = map.choice_or("at_frame", kContactFrames, contact.at_frame);
  contact.normal = unit_vector(map.need("normal"), map.path_of("normal"));
  contact.normal_frame = map.choice_or("normal_frame", kContactFrames, contact.normal_frame);
}

/// true, false, or 1, 0 as schedules of trajectories have it.
bool decode_active(const Entry& entry, const std::string& path)
{
  if (entry.kind == Entry::Kind::kText && !entry.quoted && (entry.text == "1" || entry.text == "0"))
    return entry.text == "1";
  return boolean(entry, path);
}

/// A contact that is to be detected.
void decode_detected(const Map& map, const Entry& detect, ContactDescription& contact)
{
  for (const char* key : {"link", "on", "at", "points", "at_frame", "normal", "normal_frame"})
    if (const Entry* found = map.find(key)) fail(*found, map.path_of(key), "either detect, or link, at and normal");
  contact.name = map.text_or("name", "auto");
  contact.detect = decode_detect(detect, map.path_of("detect"));
  const Entry* mu = map.find("mu");
  contact.detect->mu_of_surface = !mu;
  if (mu) contact.mu = number_at_least_zero(*mu, map.path_of("mu"));
}

}  // namespace

ContactDescription decode_contact(const Entry& entry, const std::string& path, ContactMotion& motion)
{
  const Map map(entry, path, {"name",         "link",      "on",     "at",      "points",     "at_frame", "normal",
                              "normal_frame", "mu",        "side",   "torsion", "max_normal", "slides",   "restitution",
                              "one_way",      "mu_second", "detect", "radius",  "on_radius",  "active"});
  ContactDescription contact;
  if (const Entry* detect = map.find("detect")) {
    decode_detected(map, *detect, contact);
  } else {
    decode_place(map, contact);
    contact.mu = number_at_least_zero(map.need("mu"), map.path_of("mu"));
  }
  contact.side = map.choice_or<Side, 2>("side", {{{"unilateral", Side::kUnilateral}, {"bilateral", Side::kBilateral}}},
                                        contact.side);
  if (const Entry* found = map.find("torsion")) contact.torsion = length_at_least_zero(*found, map.path_of("torsion"));
  if (const Entry* found = map.find("max_normal"))
    contact.max_normal = number_at_least_zero(*found, map.path_of("max_normal"));
  if (const Entry* found = map.find("radius")) contact.radius = decode_radii(*found, map.path_of("radius"));
  if (const Entry* found = map.find("on_radius")) contact.on_radius = decode_radii(*found, map.path_of("on_radius"));
  if (const Entry* found = map.find("active")) contact.active = decode_active(*found, map.path_of("active"));
  if (const Entry* found = map.find("slides")) {
    motion.slides = vector3(*found, map.path_of("slides"));
    if (motion.slides->isZero(0.0)) fail(*found, map.path_of("slides"), "a direction");
  }
  decode_impact_law(map, motion);
  return contact;
}

constexpr std::array<std::pair<const char*, ScenePlane>, 5> kPlaneChoices = {{{"xy", ScenePlane::kXy},
                                                                              {"yz", ScenePlane::kYz},
                                                                              {"xz", ScenePlane::kXz},
                                                                              {"auto", ScenePlane::kAuto},
                                                                              {"none", ScenePlane::kNone}}};

/// Forces out of a plane that nothing can leave do nothing: without them degrees of indeterminacy and hypotheses are
/// those of the plane. Verdicts are the same with exact cones; polygons have another width along one tangent.
ScenePlane unasked_plane(const Scenario& scenario)
{
  const bool exact = scenario.options.cone.approximation == ConeShape::exact().approximation;
  return scenario.question == Question::kAllSticking && exact ? ScenePlane::kExact : ScenePlane::kNone;
}

Question decode_question(const Map& document)
{
  return document.choice_or("question", kQuestions, Scenario().question);
}

Scenario ScenarioDocument::decode() const
{
  if (is_problem(root)) return decode_problem(root);
  const Map map(root, "",
                {"stiction", "name", "gravity", "plane", "ground", "obstacles", "models", "loads", "impulses",
                 "contacts", "closures", "question", "options"});
  const Entry& version = map.need("stiction");
  if (number(version, "stiction") != 1.0) fail(version, "stiction", "version 1");
  Scenario scenario;
  if (const Entry* name = map.find("name")) scenario.name = text_of(*name, "name");
  scenario.scene.gravity = map.vector_or("gravity", scenario.scene.gravity);
  const Entry& models = map.need("models");
  if (models.kind != Entry::Kind::kMap) fail(models, "models", "a map of names to models");
  for (std::size_t i = 0; i < models.keys.size(); ++i)
    scenario.scene.models.push_back(decode_model(models.items[i], models.keys[i], folder));
  each(map.find("loads"), "loads", [&](const Entry& entry, const std::string& path) {
    scenario.scene.loads.push_back(decode_load(entry, path, "force", "torque"));
  });
  each(map.find("impulses"), "impulses", [&](const Entry& entry, const std::string& path) {
    scenario.impulses.push_back(decode_load(entry, path, "impulse", "angular"));
  });
  if (const Entry* ground = map.find("ground")) scenario.scene.ground = decode_ground(*ground);
  each(map.find("obstacles"), "obstacles", [&](const Entry& entry, const std::string& path) {
    scenario.scene.obstacles.push_back(decode_obstacle(entry, path, folder));
  });
  const Entry* contacts = map.find("contacts");
  if (contacts && contacts->kind == Entry::Kind::kText && contacts->text == "auto") {
    scenario.scene.contacts.push_back(automatic_contacts());
    scenario.contact_motions.emplace_back();
  } else {
    each(contacts, "contacts", [&](const Entry& entry, const std::string& path) {
      scenario.scene.contacts.push_back(decode_contact(entry, path, scenario.contact_motions.emplace_back()));
    });
  }
  each(map.find("closures"), "closures", [&](const Entry& entry, const std::string& path) {
    scenario.scene.loops.push_back(decode_closure(entry, path));
  });
  scenario.question = decode_question(map);
  if (const Entry* options = map.find("options")) scenario.options = decode_options(*options);
  scenario.scene.plane = map.choice_or("plane", kPlaneChoices, unasked_plane(scenario));
  return scenario;
}

InputError ScenarioDocument::located(const InputError& error) const { return internal::located(root, error); }

ScenarioDocument parse_scenario(const std::string& text, const std::string& folder, const std::string& source)
{
  ScenarioDocument document{looks_like_json_problem(text) ? parse_json_entries(text, source) : parse_yaml(text, source),
                            folder, sha256(text)};
  if (is_problem(document.root)) write_out_problem(document.root);
  return document;
}

ScenarioDocument load_scenario(const std::string& file)
{
  return parse_scenario(read_text_file(file, "scenario"), std::filesystem::path(file).parent_path().string(), file);
}

void apply(const std::vector<ScenarioOverride>& overrides, ScenarioDocument& document)
{
  for (const ScenarioOverride& change : overrides) {
    const auto source = std::make_shared<const std::string>("--set " + change.path + "=" + change.value);
    Entry value = parse_yaml(change.value, *source);
    const auto forget_lines = [&](auto&& self, Entry& entry) -> void {
      entry.source = source;
      entry.line = entry.column = entry.key_line = entry.key_column = 0;
      for (Entry& item : entry.items) self(self, item);
    };
    forget_lines(forget_lines, value);
    set_path(document.root, split_path(document.root, change.path), value);
    document.overrides.push_back(change);
  }
}

}  // namespace internal

Scenario read_scenario_file(const std::string& file, const std::vector<ScenarioOverride>& overrides)
{
  internal::ScenarioDocument document = internal::load_scenario(file);
  internal::apply(overrides, document);
  return document.decode();
}

Scenario read_scenario_text(const std::string& text, const std::string& folder, const std::string& source,
                            const std::vector<ScenarioOverride>& overrides)
{
  internal::ScenarioDocument document = internal::parse_scenario(text, folder, source);
  internal::apply(overrides, document);
  return document.decode();
}

}  // namespace stiction
