// A simulation in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/number_text.hpp"
#include "io/simulation.hpp"
#include "io/wrap.hpp"

namespace stiction::internal {
namespace {

using EventKind = SimulationEvent::Kind;

constexpr std::size_t kMostPhrases = 6;  // of a sentence that people read
constexpr double kOneInstant = 1e-9;     // s
constexpr double kNoWay = 1e-6;          // m or rad that nobody calls a motion

std::string seconds(double time) { return fmt::format("{:.3g} s", time); }

/// What people call a contact: its entry, of one found on the way its link.
std::string called(const Simulation::Contact& contact)
{
  if (contact.stop) return contact.name;
  if (contact.source < 0) return contact.link;
  return contact.name.substr(0, contact.name.rfind('/'));
}

/// Events of one kind at one instant.
struct Happening {
  EventKind kind;
  double time = 0.0, value = 0.0;
  std::vector<std::string> who, on;
  int count = 0;
};

std::vector<Happening> happenings(const Simulation& simulation)
{
  std::vector<Happening> list;
  for (const SimulationEvent& event : simulation.events) {
    auto same = std::ranges::find_if(list, [&](const Happening& other) {
      return other.kind == event.kind && std::abs(other.time - event.time) <= kOneInstant;
    });
    if (same == list.end()) same = list.insert(list.end(), Happening{event.kind, event.time, 0.0, {}, {}, 0});
    same->value = std::max(same->value, event.value);
    ++same->count;
    if (event.contact < 0) continue;
    const auto index = static_cast<std::size_t>(event.contact);
    const bool joint = event.kind == EventKind::kMoves || event.kind == EventKind::kHeld;
    const std::string who = joint ? simulation.dofs[index] : called(simulation.contacts[index]);
    if (std::ranges::find(same->who, who) == same->who.end()) same->who.push_back(who);
    if (joint) continue;
    const std::string& on = simulation.contacts[index].on;
    if (simulation.contacts[index].source < 0 && std::ranges::find(same->on, on) == same->on.end())
      same->on.push_back(on);
  }
  return list;
}

std::string joined(const std::vector<std::string>& names)
{
  constexpr std::size_t kMostSubjects = 4;
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kMostSubjects; ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  if (names.size() > kMostSubjects) out += fmt::format(" and {} more", names.size() - kMostSubjects);
  return out;
}

std::string phrase(const Happening& what)
{
  const bool one = what.who.size() == 1;
  const std::string who = joined(what.who), when = " at " + seconds(what.time);
  switch (what.kind) {
    case EventKind::kLifts:
      return who + (one ? " lifts" : " lift") + when;
    case EventKind::kHits:
      return who + (one ? " hits" : " hit") + (what.on.size() == 1 ? " " + what.on.front() : "") + when +
             fmt::format(" ({:.3g} m/s)", what.value);
    case EventKind::kSlips:
      return who + (one ? " slips" : " slip") + when;
    case EventKind::kSticks:
      return who + (one ? " sticks" : " stick") + when;
    case EventKind::kMoves:
      return who + (one ? " gives way" : " give way") + when;
    case EventKind::kHeld:
      return who + (one ? " holds" : " hold") + " again" + when;
    case EventKind::kStepsThrough:
      return "bounces too dense to follow" + when;
    case EventKind::kRests:
      return "everything rests" + when;
    case EventKind::kGains:
      break;
  }
  return fmt::format("the law of restitution makes {:.3g} J", what.value) + when;
}

/// How far bodies and joints have come: "box 0.03 m and 12°".
std::vector<std::string> ways(const Simulation& simulation)
{
  std::vector<std::string> out;
  if (simulation.steps.empty()) return out;
  const SimulationStep &first = simulation.steps.front(), &last = simulation.steps.back();
  for (std::size_t i = 0; i < simulation.bodies.size(); ++i) {
    const Eigen::Vector3d way = last.bodies[i].translation() - first.bodies[i].translation();
    const double angle =
        Eigen::AngleAxisd(first.bodies[i].linear().transpose() * last.bodies[i].linear()).angle() * 180.0 / M_PI;
    if (way.norm() <= kNoWay && angle <= kNoWay) continue;
    const auto shown = [&](double length) { return tidy(length, way.norm()); };
    out.push_back(fmt::format("{} has come {:.3g} m along ({:.3g}, {:.3g}, {:.3g}) and is turned by {:.3g}°",
                              simulation.bodies[i], way.norm(), shown(way.x()), shown(way.y()), shown(way.z()),
                              tidy(angle, 180.0)));
  }
  for (Eigen::Index i = 0; i < last.joints.size(); ++i) {
    const Simulation::Joint& joint = simulation.joints[static_cast<std::size_t>(i)];
    if (const double way = last.joints[i] - first.joints[i]; std::abs(way) > kNoWay)
      out.push_back(
          fmt::format("{}/{} from {:.4g} to {:.4g}", joint.model, joint.joint, first.joints[i], last.joints[i]));
  }
  return out;
}

double speed_of(const SimulationStep& step)
{
  return step.state.v.size() > 0 ? step.state.v.lpNorm<Eigen::Infinity>() : 0.0;
}

/// The first word: what a look at it would say.
std::string first_word(const Simulation& simulation, const std::vector<Happening>& all)
{
  const bool moved = !ways(simulation).empty();
  if (simulation.events.empty() && !moved) return simulation.time > 0.0 ? "stays" : "";
  const auto early = [&](EventKind kind) {
    return std::ranges::find_if(all, [&](const Happening& h) { return h.kind == kind && h.time <= kOneInstant; });
  };
  const auto& start = simulation.steps.front().contacts;
  const bool carried =
      std::ranges::any_of(start, [](const auto& c) { return c.state != SimulatedContact::State::kOpen; });
  const auto lifts = early(EventKind::kLifts), slips = early(EventKind::kSlips);
  if (lifts != all.end() && carried) return slips != all.end() ? "tips and slides" : "tips";
  const bool sliding =
      std::ranges::any_of(start, [](const auto& c) { return c.state == SimulatedContact::State::kSlips; });
  if (slips != all.end() || sliding) return "slides";
  if (!carried) return "falls";
  const auto& end = simulation.steps.back().contacts;
  for (std::size_t i = 0; i < start.size(); ++i)
    if (simulation.contacts[i].rolls && start[i].state == SimulatedContact::State::kSticks &&
        end[i].state == SimulatedContact::State::kSticks && (end[i].point_W - start[i].point_W).norm() > kNoWay)
      return "rolls";
  return moved ? "moves" : "stays";
}

}  // namespace

std::vector<std::pair<double, std::string>> told_events(const Simulation& simulation)
{
  std::vector<std::pair<double, std::string>> told;
  for (const Happening& what : happenings(simulation)) told.emplace_back(what.time, phrase(what));
  return told;
}

}  // namespace stiction::internal

namespace stiction {

std::string story_of(const Simulation& simulation)
{
  using namespace internal;
  const std::vector<Happening> all = happenings(simulation);
  std::string out = first_word(simulation, all);  // none where nothing has happened yet
  std::size_t told = 0;
  for (const Happening& what : all) {
    if (told++ == kMostPhrases) {
      out += fmt::format(", and {} more events", all.size() - kMostPhrases);
      break;
    }
    out += (told == 1 ? ": " : ", ") + phrase(what);
  }
  if (simulation.outcome != SimulationOutcome::kDone)
    out += fmt::format("{}ends at {}: {}", out.empty() ? "" : "; ", seconds(simulation.time), simulation.reason);
  return out;
}

std::string to_text(const Simulation& simulation)
{
  using namespace internal;
  std::string out;
  append_wrapped(out, (simulation.name.empty() ? "" : simulation.name + ": ") + story_of(simulation));
  out += "\n";
  const SimulationStep& last = simulation.steps.back();
  append_item(out, fmt::format("{} s simulated; speeds at the end: {:.3g} at most (m/s, rad/s)",
                               fmt::format("{:.6g}", simulation.time), tidy(speed_of(last), 1.0)));
  for (const std::string& way : ways(simulation)) append_item(out, way);
  double residual = 0.0, gap = 0.0;
  bool one = true;
  for (const SimulationStep& step : simulation.steps) {
    residual = std::max(residual, step.residual);
    gap = std::max(gap, step.stabilised);
    one = one && (step.count == SolutionCount::kUnique || step.count == SolutionCount::kAtLeastOne);
  }
  // An energy below what does not add up is not known.
  const auto known = [&](double energy) { return std::abs(energy) <= std::abs(last.imbalance) ? 0.0 : energy; };
  append_item(
      out, fmt::format("energy: {:+.4g} J of loads and motors, {:.4g} J lost to friction, {:.4g} J to impacts; "
                       "{:.1g} J do not add up",
                       known(last.work), known(last.friction_loss), known(last.impact_loss), std::abs(last.imbalance)));
  append_item(out,
              fmt::format("laws of contact kept to {:.1g} of the loads; gaps put right by {:.1g} m at most{}", residual,
                          gap, one ? "" : "; whether another motion obeys them too was not settled everywhere"));
  if (simulation.disagrees())
    append_item(out, fmt::format("DISAGREES with the verdict at the start: {} says {}, and here everything {}",
                                 stiction::name_of(simulation.asked), to_string(simulation.verdict),
                                 simulation.sticks ? "sticks" : "does not stick"));
  else if (simulation.verdict != Verdict::kUndecided)
    append_item(out, fmt::format("at the start as {} says: {}", stiction::name_of(simulation.asked),
                                 to_string(simulation.verdict)));
  for (const std::string& warning : simulation.warnings) append_item(out, "warning: " + warning);
  return out;
}

}  // namespace stiction
