#include "io/scenario_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "io/entry_reader.hpp"
#include "io/plain_scenario.hpp"
#include "io/surroundings.hpp"
#include "scene/urdf.hpp"

namespace stiction::internal {
namespace {

Entry text_entry(const std::string& text)
{
  Entry entry;
  entry.kind = Entry::Kind::kText;
  entry.text = text;
  return entry;
}

Entry vector_entry(const Eigen::Vector3d& vector)
{
  Entry entry;
  entry.kind = Entry::Kind::kList;
  for (const double value : vector) entry.items.push_back(text_entry(text(value)));
  return entry;
}

Entry& item(Entry& map, const std::string& key)
{
  map.kind = Entry::Kind::kMap;
  const auto found = std::ranges::find(map.keys, key);
  if (found != map.keys.end()) return map.items[static_cast<std::size_t>(found - map.keys.begin())];
  map.keys.push_back(key);
  return map.items.emplace_back();
}

void remove_item(Entry& map, const std::string& key)
{
  const auto found = std::ranges::find(map.keys, key);
  if (found == map.keys.end()) return;
  map.items.erase(map.items.begin() + (found - map.keys.begin()));
  map.keys.erase(found);
}

/// With quotes where YAML would read something else.
std::string scalar(const std::string& text, bool quoted)
{
  const bool plain = !quoted && !text.empty() && text.find_first_of(",[]{}#&*!|>'\"%@`\\\n\t") == text.npos &&
                     text.find(": ") == text.npos && !text.ends_with(':') && text.front() != ' ' &&
                     text.back() != ' ' && text.front() != '?' && !text.starts_with("- ") && text != "-" &&
                     text != "null" && text != "~";
  return plain ? text : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string flow(const Entry& entry)
{
  std::string out;
  switch (entry.kind) {
    case Entry::Kind::kNull:
      return "null";
    case Entry::Kind::kText:
      return scalar(entry.text, entry.quoted);
    case Entry::Kind::kList:
      for (const Entry& one : entry.items) out += (out.empty() ? "" : ", ") + flow(one);
      return "[" + out + "]";
    case Entry::Kind::kMap:
      for (std::size_t i = 0; i < entry.keys.size(); ++i)
        out += (i ? ", " : "") + scalar(entry.keys[i], false) + ": " + flow(entry.items[i]);
      return "{" + out + "}";
  }
  return out;
}

/// Maps and lists of maps in lines of their own where they are long.
void append_block(std::string& out, const Entry& entry, std::size_t indent)
{
  constexpr std::size_t kLine = 100;
  for (std::size_t i = 0; i < entry.items.size(); ++i) {
    const Entry& one = entry.items[i];
    const std::string start =
        std::string(indent, ' ') + (entry.kind == Entry::Kind::kMap ? scalar(entry.keys[i], false) + ":" : "-");
    const std::string line = flow(one);
    const bool nested = !one.items.empty() && (one.kind == Entry::Kind::kMap || one.items.front().items.size() > 0);
    if (!nested || (indent > 0 && indent + start.size() + line.size() < kLine)) {
      out += start + (one.kind == Entry::Kind::kNull ? "" : " " + line) + "\n";
      continue;
    }
    if (entry.kind == Entry::Kind::kList) {
      out += start + " " + line + "\n";
      continue;
    }
    out += start + "\n";
    append_block(out, one, indent + 2);
  }
}

/// As decode_radii reads it.
Entry radii_entry(const SurfaceRadii& radii)
{
  const auto one = [](double radius) { return text_entry(std::isinf(radius) ? "flat" : text(radius)); };
  if (!radii.along && radii.first == radii.second) return one(radii.first);
  Entry pair;
  pair.kind = Entry::Kind::kList;
  pair.items = {one(radii.first), one(radii.second)};
  if (!radii.along) return pair;
  Entry entry;
  item(entry, "radii") = pair;
  item(entry, "along") = vector_entry(*radii.along);
  return entry;
}

/// A contact as an entry; what the entry that it was detected for says besides stays.
Entry contact_entry(const ContactDescription& contact, const Entry* wanted)
{
  Entry entry;
  item(entry, "name") = text_entry(contact.name);
  item(entry, "link") = text_entry(contact.link);
  item(entry, "on") = text_entry(contact.on);
  if (contact.patch) {
    Entry& points = item(entry, "points");
    points.kind = Entry::Kind::kList;
    for (const Eigen::Vector3d& point : contact.points) points.items.push_back(vector_entry(point));
  } else {
    item(entry, "at") = vector_entry(contact.points.front());
  }
  item(entry, "normal") = vector_entry(contact.normal);
  item(entry, "normal_frame") = text_entry(contact.normal_frame == ContactFrame::kOn ? "on" : "world");
  item(entry, "mu") = text_entry(text(contact.mu));
  if (contact.radius) item(entry, "radius") = radii_entry(*contact.radius);
  if (contact.on_radius) item(entry, "on_radius") = radii_entry(*contact.on_radius);
  for (std::size_t i = 0; wanted && wanted->kind == Entry::Kind::kMap && i < wanted->keys.size(); ++i)
    if (const std::string& key = wanted->keys[i]; key != "name" && key != "detect" && key != "mu")
      item(entry, key) = wanted->items[i];
  return entry;
}

std::string absolute_file(const std::string& file)
{
  if (file.starts_with("package://") || file.starts_with("robot_descriptions:")) return file;
  return std::filesystem::absolute(file).lexically_normal().string();
}

}  // namespace

std::string written_scenario(const ScenarioDocument& document, const std::vector<std::string>& package_paths)
{
  Scenario scenario = document.decode();
  if (scenario.bare) throw InputError("--write-scenario", "want a scenario with robots, got a problem file");
  scenario.scene.package_paths = package_paths;
  ResolvedScene resolved{scenario.scene, {}, {}, {}, {}};
  if (has_geometry(scenario.scene)) resolved = SceneGeometry(scenario.scene).resolve(scenario.scene);
  Entry root = document.root;
  for (std::size_t m = 0; m < scenario.scene.models.size(); ++m) {
    Entry& model = item(item(root, "models"), scenario.scene.models[m].name);
    item(model, "urdf") = text_entry(absolute_file(scenario.scene.models[m].urdf_file));
    if (!scenario.scene.models[m].placing) continue;
    Entry pose;
    item(pose, "xyz") = vector_entry(resolved.scene.models[m].pose.xyz);
    item(pose, "rpy") = vector_entry(resolved.scene.models[m].pose.rpy);
    item(model, "pose") = pose;
  }
  for (std::size_t i = 0; i < scenario.scene.obstacles.size(); ++i)
    if (Entry& obstacle = item(root, "obstacles").items[i]; obstacle.find("mesh"))
      item(obstacle, "mesh") = text_entry(absolute_file(scenario.scene.obstacles[i].mesh_file));
  const Entry* const written = document.root.find("contacts");
  Entry contacts;
  contacts.kind = Entry::Kind::kList;
  for (std::size_t i = 0; i < resolved.sources.size(); ++i) {
    const auto source = static_cast<std::size_t>(resolved.sources[i]);
    const Entry* const entry = written->kind == Entry::Kind::kList ? &written->items[source] : nullptr;
    const bool detected = scenario.scene.contacts[source].detect.has_value();
    contacts.items.push_back(detected ? contact_entry(resolved.scene.contacts[i], entry) : *entry);
  }
  if (has_geometry(scenario.scene)) {
    if (contacts.items.empty())
      remove_item(root, "contacts");
    else
      item(root, "contacts") = contacts;
  }
  std::string out;
  append_block(out, root, 0);
  return out;
}

std::string new_scenario(const NewScenario& wanted)
{
  const std::string ground = wanted.ground.empty() ? "height: 0, mu: 0.6" : wanted.ground;
  Ground on = decode_ground(parse_yaml("{" + ground + "}", "--ground"));
  const std::string place = locate_urdf_file(wanted.urdf, wanted.package_paths, "ROBOT.urdf");
  const RobotInfo info = inspect_urdf_file(place);
  ModelDescription model;
  model.name = "robot";
  model.urdf_file = place;
  const RobotSurvey survey = survey_robot(model, wanted.package_paths);
  std::vector<std::string> links;
  for (const RobotSurvey::Link& link : survey.links) links.push_back(link.name);
  const std::vector<std::string>& feet = wanted.feet.empty() ? survey.feet : wanted.feet;
  for (const std::string& foot : feet)
    if (std::ranges::find(links, foot) == links.end())
      throw InputError("--feet", "want links with collision shapes (" + fmt::format("{}", fmt::join(links, ", ")) +
                                     "), got " + quoted(foot));
  if (feet.empty())
    throw InputError("ROBOT.urdf", "want a robot with collision shapes that can stand, got " +
                                       std::string(survey.unread.empty() ? "none" : survey.unread.front()));
  std::string list, touching;
  for (const std::string& foot : feet) {
    list += (list.empty() ? "" : ", ") + scalar(foot, false);
    touching += (touching.empty() ? "" : ", ") + scalar("robot/" + foot, false);
  }
  std::string out = "stiction: 1\nname: " + scalar((info.name.empty() ? "robot" : info.name) + " on the ground", false);
  out +=
      "\n# A plane of the world: `slope: 10 deg, toward: [1, 0]` lets it rise towards x; mu is the friction of what "
      "touches it.\n";
  out += "ground: {" + ground + (on.mu ? "" : ", mu: 0.6") + "}\n";
  out += "models:\n  robot:\n    urdf: " + scalar(absolute_file(wanted.urdf), false) + "\n";
  out +=
      "    # Let down along the ground's normal until a foot touches. `settle: true` also tips it onto three points.\n";
  out += "    pose: {on: ground, yaw: 0 deg, feet: [" + list + "]}\n";
  std::string joints;
  for (const JointInfo& joint : info.joints) {
    if (!joint.mimics.empty() || joint.type == "fixed" || joint.type == "planar" || joint.type == "floating") continue;
    const double position = std::min(std::max(0.0, joint.lower), joint.upper);
    joints += fmt::format("      {}: {}", scalar(joint.name, false), text(position));
    joints += std::isfinite(joint.lower) || std::isfinite(joint.upper)
                  ? fmt::format("  # {:.4g} to {:.4g}\n", joint.lower, joint.upper)
                  : "\n";
  }
  if (!joints.empty()) out += "    joints:  # rad or m, or with a unit: 20 deg, 3 mm\n" + joints;
  out += "    effort: limits  # the URDF's; or unlimited, none, {joint: N m, …}\n";
  out += "# Found where collision shapes are within 2 mm of the ground; `contacts: auto` takes whatever touches.\n";
  out += "contacts:\n  - name: feet\n    detect: {links: [" + touching + "], with: ground, within: 2 mm}\n";
  out += "# Also: all_sticking (with given efforts), region, sliding, impact, couplings, closure.\n";
  out += "question: equilibrium\n";
  return out;
}

}  // namespace stiction::internal
