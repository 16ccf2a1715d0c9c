#include "stiction_ros/message_path.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace stiction_ros {
namespace {

namespace msg = stiction_msgs::msg;
using Renamed = std::vector<std::pair<std::string, std::string>>;

/// Entry of a scenario file, field of a message; the first that the path begins with.
const Renamed kModelFields = {{".pose.xyz", ".pose.position"}, {".pose.rpy", ".pose.orientation"}};
const Renamed kContactFields = {{".at_frame", ".at_frame"},
                                {".at", ".points"},
                                {".on", ".on_link"},
                                {".restitution.normal", ".restitution_normal"},
                                {".restitution.tangential", ".restitution_tangential"},
                                {".restitution.spin", ".restitution_spin"},
                                {".restitution", ".restitution_normal"},
                                {".slides", ".slides[0]"}};
const Renamed kOptions = {{"options.push", "options.push[0]"},     {"options.noise", "options.noise[0]"},
                          {"options.wrench", "options.wrench[0]"}, {"options.point", "options.point[0]"},
                          {"options.gap", "options.gap[0]"},       {"options.box", "options.box[0]"},
                          {"options.length", "options.length[0]"}, {"options.modes", "options.modes[0]"}};

/// Whether `path` begins with whole entries `entry`.
bool is_below(const std::string& path, const std::string& entry)
{
  return path.starts_with(entry) &&
         (path.size() == entry.size() || path[entry.size()] == '.' || path[entry.size()] == '[');
}

std::string renamed(const std::string& path, const Renamed& names)
{
  for (const auto& [entry, field] : names)
    if (is_below(path, entry)) return field + path.substr(entry.size());
  return path;
}

/// Index of the longest of `names` with which `path` goes on after `list` and a dot, or -1; `rest` is what follows.
template <class Entries>
int find_entry(const std::string& path, const std::string& list, const Entries& entries, std::string& rest)
{
  int found = -1;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    // A patch has points named name/0, name/1, …
    const std::string entry = list + "." + entries[i].name;
    if (!(is_below(path, entry) || path.starts_with(entry + "/")) || entry.size() <= longest) continue;
    found = static_cast<int>(i);
    longest = entry.size();
    rest = path.substr(entry.size());
    if (!rest.starts_with('/')) continue;
    const std::size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    rest = ".points[" + rest.substr(1, end - 1) + "]" + rest.substr(end);
  }
  return found;
}

std::string at(const std::string& list, int index) { return list + "[" + std::to_string(index) + "]"; }

/// ".joints.knee" of a model as the place of the knee in its lists.
std::string joint_field(const std::string& rest, const msg::Model& model)
{
  const Renamed kLists = {{".joints.", ".joint_state.position"},
                          {".rates.", ".joint_state.velocity"},
                          {".effort.", ".joint_state.effort"},
                          {".accelerations.", ".joint_acceleration"}};
  const Renamed kVectors = {{".joints.", ".position"}, {".rates.", ".velocity"}, {".accelerations.", ".acceleration"}};
  for (const auto& [entry, list] : kLists) {
    if (!rest.starts_with(entry)) continue;
    const std::string joint = rest.substr(entry.size());
    const auto& names = model.joint_state.name;
    if (const auto place = std::ranges::find(names, joint); place != names.end())
      return at(list, static_cast<int>(place - names.begin()));
    for (std::size_t k = 0; k < model.joint_vectors.size(); ++k)
      for (const auto& [key, field] : kVectors)
        if (key == entry && is_below(joint, model.joint_vectors[k].name))
          return at(".joint_vectors", static_cast<int>(k)) + field + joint.substr(model.joint_vectors[k].name.size());
    return list;  // nothing said of it
  }
  return renamed(rest, kModelFields);
}

}  // namespace

std::string message_path(const std::string& path, const msg::Scenario& scenario)
{
  std::string rest;
  if (path.starts_with("models.")) {
    std::vector<msg::Model> models = scenario.models;
    if (models.empty()) models.emplace_back();
    for (msg::Model& model : models)
      if (model.name.empty()) model.name = "robot";
    const int model = find_entry(path, "models", models, rest);
    if (model >= 0) return at("models", model) + joint_field(rest, models[static_cast<std::size_t>(model)]);
  }
  if (const int contact = find_entry(path, "contacts", scenario.contacts, rest); contact >= 0)
    return at("contacts", contact) + renamed(rest, kContactFields);
  if (const int closure = find_entry(path, "closures", scenario.closures, rest); closure >= 0)
    return at("closures", closure) + renamed(rest, {{".on", ".on_link"}});
  for (const std::string list : {"contacts[", "closures["})
    if (const auto end = path.find(']'); path.starts_with(list) && end != path.npos)
      return path.substr(0, end + 1) +
             renamed(path.substr(end + 1), list == "contacts[" ? kContactFields : Renamed{{".on", ".on_link"}});
  return renamed(path, kOptions);
}

}  // namespace stiction_ros
