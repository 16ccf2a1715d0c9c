#include "io/track_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/nearest_name.hpp"
#include "base/text.hpp"
#include "io/entry_reader.hpp"

namespace stiction::internal {
namespace {

/// Behind "base.", in groups that go together.
constexpr std::array kBaseParts = {"x",  "y",  "z",  "qx", "qy", "qz",  "qw",  "roll", "pitch", "yaw", "vx",
                                   "vy", "vz", "wx", "wy", "wz", "dvx", "dvy", "dvz",  "dwx",   "dwy", "dwz"};

struct BaseGroup {
  std::size_t first, count;
  const char* path;  ///< below the model
};
constexpr BaseGroup kBasePosition{0, 3, "pose.xyz"}, kBaseQuaternion{3, 4, "pose.quat"},
    kRollPitchYaw{7, 3, "pose.rpy"};
constexpr BaseGroup kBaseRates[] = {{10, 3, "twist.linear"}, {13, 3, "twist.angular"}};
constexpr BaseGroup kBaseAccelerations[] = {{16, 3, "acceleration.linear"}, {19, 3, "acceleration.angular"}};

/// Arrays in the scene's coordinates.
constexpr std::array kVectors = {"q", "v", "a", "tau"};

constexpr const char* kJointEntries[] = {"joints", "rates", "accelerations", "effort"};

constexpr std::pair<const char*, const char*> kPrefixes[] = {
    {"rate.", "rates"}, {"acceleration.", "accelerations"}, {"effort.", "effort"}};

std::string names_of(const std::vector<std::string>& names)
{
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

Entry list_of(std::vector<Entry> items)
{
  Entry list;
  list.kind = Entry::Kind::kList;
  list.items = std::move(items);
  return list;
}

}  // namespace

TrackColumns::TrackColumns(const ScenarioDocument& document, const Scenario& scenario, std::vector<Dof> dofs)
    : sections_(document.root.keys), dofs_(std::move(dofs)), plane_(scenario.scene.plane != ScenePlane::kNone)
{
  for (const char* section : {"models", "contacts", "gravity", "loads", "ground", "obstacles", "closures", "options"})
    sections_.push_back(section);
  for (const ModelDescription& model : scenario.scene.models) {
    models_.push_back(model.name);
    floating_.push_back(model.base == Base::kFloating);
    placed_.push_back(model.placing.has_value());
  }
  for (const ContactDescription& contact : scenario.scene.contacts) contacts_.push_back(contact.name);
}

/// "models.robot.joints.knee" of "knee" or "robot/knee".
std::string TrackColumns::joint_path(const std::string& name, const char* entry) const
{
  const std::size_t slash = name.find('/');
  if (slash != name.npos)
    if (const std::string model = name.substr(0, slash); std::ranges::find(models_, model) != models_.end())
      return "models." + model + "." + entry + "." + name.substr(slash + 1);
  if (models_.size() == 1) return "models." + models_.front() + "." + entry + "." + name;
  std::string found;
  std::vector<std::string> joints;
  for (const Dof& dof : dofs_) {
    if (!dof.joint.empty()) joints.push_back(dof.model + "/" + dof.joint);
    if (dof.joint != name || dof.index > 0) continue;
    if (!found.empty()) throw InputError(name, "want model/joint where several models have it, got the joint alone");
    found = dof.model;
  }
  if (found.empty()) {
    throw InputError(name, "want time, a joint, base.x, contact.NAME, or a path of the scenario, got another column" +
                               did_you_mean(name, joints));
  }
  return "models." + found + "." + entry + "." + name;
}

std::size_t TrackColumns::model_of_base(const std::string& model, const std::string& name) const
{
  std::vector<std::size_t> fitting;
  for (std::size_t m = 0; m < models_.size(); ++m)
    if (floating_[m] && (model.empty() || models_[m] == model)) fitting.push_back(m);
  if (fitting.size() != 1)
    throw InputError(name, model.empty() && fitting.size() > 1
                               ? "want MODEL/base.x where several bases float, got no model"
                               : "want a model with a floating base, got none");
  return fitting.front();
}

TrackColumns::Column TrackColumns::find_column(const std::string& name) const
{
  Column column;
  if (name == "time") {
    column.kind = Kind::kTime;
    return column;
  }
  if (name.starts_with("contact.")) {
    const std::string contact = name.substr(8);
    if (std::ranges::find(contacts_, contact) == contacts_.end())
      throw InputError(
          name, "want one of " + names_of(contacts_) + ", got " + quoted(contact) + did_you_mean(contact, contacts_));
    column.kind = Kind::kContact;
    column.path = "contacts." + contact + ".active";
    return column;
  }
  if (const auto vector = std::ranges::find(kVectors, name); vector != kVectors.end()) {
    column.kind = Kind::kVector;
    column.part = static_cast<std::size_t>(vector - kVectors.begin());
    column.rates = column.part == 1;
    column.accelerations = column.part == 2;
    return column;
  }
  const std::size_t slash = name.find('/');
  const std::string behind = slash == name.npos ? name : name.substr(slash + 1);
  if (behind.starts_with("base.")) {
    const auto part = std::ranges::find(kBaseParts, behind.substr(5));
    if (part == kBaseParts.end())
      throw InputError(name, "want base.x, y, z, qx, qy, qz, qw, roll, pitch, yaw, vx … wz or dvx … dwz, got another");
    column.kind = Kind::kBase;
    column.part = static_cast<std::size_t>(part - kBaseParts.begin());
    column.model = model_of_base(slash == name.npos ? "" : name.substr(0, slash), name);
    column.rates = column.part >= kBaseRates[0].first && column.part < kBaseAccelerations[0].first;
    column.accelerations = column.part >= kBaseAccelerations[0].first;
    return column;
  }
  const std::string first = name.substr(0, name.find_first_of(".["));
  if (std::ranges::find(sections_, first) != sections_.end()) {
    column.path = name;
    column.rates =
        name.starts_with("models.") && (name.find(".rates") != name.npos || name.find(".twist") != name.npos);
    column.accelerations = name.starts_with("models.") && name.find(".acceleration") != name.npos;
    return column;
  }
  for (const auto& [prefix, entry] : kPrefixes)
    if (name.starts_with(prefix)) {
      column.path = joint_path(name.substr(std::string(prefix).size()), entry);
      column.rates = std::string(entry) == "rates";
      column.accelerations = std::string(entry) == "accelerations";
      return column;
    }
  column.path = joint_path(name, "joints");
  return column;
}

const TrackColumns::Column& TrackColumns::column(const std::string& name)
{
  const auto known = known_.find(name);
  return known != known_.end() ? known->second : known_.emplace(name, find_column(name)).first->second;
}

/// Entries of q, v, a or tau for the joints that they belong to.
void TrackColumns::add_vector(std::size_t which, const Entry& list,
                              std::vector<std::pair<std::string, Entry>>& changes) const
{
  const std::string name = kVectors[which];
  const bool positions = which == 0, efforts = which == 3;
  if (plane_) throw InputError(name, "want columns by name in a planar scene, got one for all");
  std::size_t wanted = 0;
  for (const Dof& dof : dofs_) {
    if (dof.size != 1 && !dof.joint.empty())
      throw InputError(name, "want columns by name where a joint has several degrees of freedom, as " +
                                 quoted(dof.joint) + " has, got one for all");
    wanted += 1 + (positions && dof.joint.empty() && dof.index == 0);  // a quaternion has one number more
  }
  if (list.kind != Entry::Kind::kList || list.items.size() != wanted)
    throw InputError(name, "want a list of " + std::to_string(wanted) + " numbers, got " + list.shown());
  const auto items = [&](std::size_t at, std::size_t count) {
    const auto first = list.items.begin() + static_cast<std::ptrdiff_t>(at);
    return list_of({first, first + static_cast<std::ptrdiff_t>(count)});
  };
  std::size_t at = 0;
  for (std::size_t i = 0; i < dofs_.size();) {
    const Dof& dof = dofs_[i];
    const std::string model = "models." + dof.model + ".";
    if (!dof.joint.empty()) {
      changes.emplace_back(model + kJointEntries[which] + "." + dof.joint, list.items[at]);
      ++at;
      ++i;
      continue;
    }
    if (positions) {
      Entry pose;
      pose.kind = Entry::Kind::kMap;
      pose.keys = {"xyz", "quat"};
      pose.items = {items(at, 3), items(at + 3, 4)};
      changes.emplace_back(model + "pose", pose);
    } else if (efforts) {
      for (std::size_t k = at; k < at + 6; ++k)
        if (number(list.items[k], name) != 0.0)
          throw InputError(name, "want 0 for a floating base, which has no motors, got " + list.items[k].shown());
    } else {
      const char* entry = which == 1 ? "twist" : "acceleration";
      changes.emplace_back(model + entry + ".linear", items(at, 3));
      changes.emplace_back(model + entry + ".angular", items(at + 3, 3));
    }
    at += positions ? 7 : 6;
    i += 6;
  }
}

void TrackColumns::add_base(std::size_t m, const BaseNumbers& numbers,
                            std::vector<std::pair<std::string, Entry>>& changes) const
{
  const auto group = [&](const BaseGroup& wanted) -> std::optional<Entry> {
    std::vector<Entry> items;
    std::string missing;
    for (std::size_t k = wanted.first; k < wanted.first + wanted.count; ++k)
      if (const auto found = numbers.find(k); found != numbers.end())
        items.push_back(found->second);
      else
        missing = kBaseParts[k];
    if (items.empty()) return std::nullopt;
    if (!missing.empty())
      throw InputError(models_[m] + "/base", "want " + std::to_string(wanted.count) + " numbers for " + wanted.path +
                                                 ", got no base." + missing);
    return list_of(std::move(items));
  };
  const std::string model = "models." + models_[m] + ".";
  const auto position = group(kBasePosition), quaternion = group(kBaseQuaternion), angles = group(kRollPitchYaw);
  if (position && (quaternion || angles)) {
    Entry pose;
    pose.kind = Entry::Kind::kMap;
    pose.keys = {"xyz", quaternion ? "quat" : "rpy"};
    pose.items = {*position, quaternion ? *quaternion : *angles};
    if (quaternion && angles) throw InputError(models_[m] + "/base", "want a quaternion or angles, got both");
    changes.emplace_back(model + "pose", pose);
  } else if (position || quaternion || angles) {
    if (placed_[m])
      throw InputError(models_[m] + "/base",
                       "want a position and an orientation where the scenario leaves the pose to the ground, got one");
    if (position) changes.emplace_back(model + kBasePosition.path, *position);
    if (quaternion) changes.emplace_back(model + kBaseQuaternion.path, *quaternion);
    if (angles) changes.emplace_back(model + kRollPitchYaw.path, *angles);
  }
  for (const auto& groups : {std::span(kBaseRates), std::span(kBaseAccelerations)})
    for (const BaseGroup& one : groups)
      if (const auto found = group(one)) changes.emplace_back(model + one.path, *found);
}

TrackChanges TrackColumns::translate(BatchRow& row)
{
  TrackChanges result;
  std::vector<std::pair<std::string, Entry>> changes;
  std::map<std::size_t, BaseNumbers> bases;
  bool timed = false;
  for (auto& [name, value] : row.changes) {
    const Column& found = column(name);
    result.rates = result.rates || found.rates;
    result.accelerations = result.accelerations || found.accelerations;
    switch (found.kind) {
      case Kind::kTime:
        result.time = number(value, "time");
        timed = true;
        break;
      case Kind::kContact:
        result.schedule += value.text + " ";
        changes.emplace_back(found.path, std::move(value));
        break;
      case Kind::kBase:
        bases[found.model].emplace(found.part, std::move(value));
        break;
      case Kind::kVector:
        add_vector(found.part, value, changes);
        break;
      case Kind::kPath:
        changes.emplace_back(found.path, std::move(value));
        break;
    }
  }
  if (!timed) throw InputError("time", "want the time of the row in seconds, got none");
  for (const auto& [model, numbers] : bases) add_base(model, numbers, changes);
  row.changes = std::move(changes);
  return result;
}

}  // namespace stiction::internal
