#include "io/simulation.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "io/json.hpp"
#include "io/sliding_answer.hpp"

namespace stiction::internal {
namespace {

const char* word_of(SimulatedContact::State state)
{
  switch (state) {
    case SimulatedContact::State::kOpen:
      return "open";
    case SimulatedContact::State::kSticks:
      return "sticks";
    case SimulatedContact::State::kSlips:
      break;
  }
  return "slips";
}

const char* word_of(SimulationOutcome outcome)
{
  switch (outcome) {
    case SimulationOutcome::kDone:
      return "done";
    case SimulationOutcome::kNoSolution:
      return "no solution";
    case SimulationOutcome::kSeveral:
      return "several solutions";
    case SimulationOutcome::kGaveUp:
      break;
  }
  return "gave up";
}

const char* word_of(SimulationEvent::Kind kind)
{
  using Kind = SimulationEvent::Kind;
  switch (kind) {
    case Kind::kLifts:
      return "lifts";
    case Kind::kHits:
      return "hits";
    case Kind::kSlips:
      return "slips";
    case Kind::kSticks:
      return "sticks";
    case Kind::kMoves:
      return "gives way";
    case Kind::kHeld:
      return "holds again";
    case Kind::kStepsThrough:
      return "steps through";
    case Kind::kRests:
      return "rests";
    case Kind::kGains:
      break;
  }
  return "gains energy";
}

/// What an event is about.
std::string subject_of(const Simulation& simulation, const SimulationEvent& event)
{
  if (event.contact < 0) return {};
  const auto index = static_cast<std::size_t>(event.contact);
  const bool joint = event.kind == SimulationEvent::Kind::kMoves || event.kind == SimulationEvent::Kind::kHeld;
  return joint ? simulation.dofs[index] : simulation.contacts[index].name;
}

Json json_of(const Simulation& simulation, const SimulationStep& step)
{
  Json entry;
  entry["time"] = step.time;
  entry["q"] = json(step.state.q);
  entry["v"] = json(step.state.v);
  entry["a"] = json(step.state.a);
  entry["joints"] = json(step.joints);
  entry["bodies"] = Json::array();
  for (const Eigen::Isometry3d& body : step.bodies) {
    const Eigen::Quaterniond turn(body.linear());
    entry["bodies"].push_back(
        {{"xyz", json(Eigen::VectorXd(body.translation()))}, {"quat", {turn.x(), turn.y(), turn.z(), turn.w()}}});
  }
  entry["contacts"] = Json::object();
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const SimulatedContact& contact = step.contacts[i];
    if (contact.state == SimulatedContact::State::kOpen) continue;
    Json& told = entry["contacts"][simulation.contacts[i].name];
    told["state"] = word_of(contact.state);
    told["gap"] = contact.gap;
    told["force"] = json(Eigen::VectorXd(contact.force));
    if (!simulation.contacts[i].stop) told["force_world"] = json(Eigen::VectorXd(contact.force_W));
  }
  entry["energy"] = {{"kinetic", step.kinetic},
                     {"potential", step.potential},
                     {"work", step.work},
                     {"friction_loss", step.friction_loss},
                     {"impact_loss", step.impact_loss},
                     {"imbalance", step.imbalance}};
  entry["residual"] = step.residual;
  entry["solutions"] = name_of(step.count);
  return entry;
}

}  // namespace

Simulation simulate_document(const SimulationArguments& arguments)
{
  Scenario scenario = arguments.document.decode();
  scenario.scene.package_paths = arguments.package_paths;
  try {
    return Simulator(scenario).run(arguments.seconds, arguments.options);
  } catch (const InputError& error) {
    throw arguments.document.located(error);
  }
}

int exit_code(const Simulation& simulation) { return simulation.outcome == SimulationOutcome::kDone ? 0 : 3; }

}  // namespace stiction::internal

namespace stiction {

std::string to_json(const Simulation& simulation)
{
  using namespace internal;
  Json told;
  told["stiction"] = 1;
  told["name"] = simulation.name;
  told["outcome"] = word_of(simulation.outcome);
  told["summary"] = story_of(simulation);
  if (!simulation.reason.empty()) told["reason"] = simulation.reason;
  told["time"] = simulation.time;
  told["start"] = {{"question", stiction::name_of(simulation.asked)},
                   {"verdict", to_string(simulation.verdict)},
                   {"sticks", simulation.sticks}};
  told["dofs"] = simulation.dofs;
  told["bodies"] = simulation.bodies;
  told["joints"] = Json::array();
  for (const Simulation::Joint& joint : simulation.joints) told["joints"].push_back(joint.model + "/" + joint.joint);
  told["events"] = Json::array();
  for (const SimulationEvent& event : simulation.events) {
    Json entry = {{"time", event.time}, {"event", word_of(event.kind)}};
    if (event.contact >= 0) entry["of"] = subject_of(simulation, event);
    if (event.value != 0.0) entry["value"] = event.value;
    told["events"].push_back(std::move(entry));
  }
  told["steps"] = Json::array();
  for (const SimulationStep& step : simulation.steps) told["steps"].push_back(json_of(simulation, step));
  told["warnings"] = simulation.warnings;
  return told.dump() + "\n";
}

std::string to_csv(const Simulation& simulation)
{
  using namespace internal;
  std::string out = "time";
  const bool one_base = simulation.bodies.size() == 1;
  for (const std::string& body : simulation.bodies) {
    const std::string prefix = one_base ? "base." : body.substr(0, body.find('/')) + "/base.";
    for (const char* part : {"x", "y", "z", "qx", "qy", "qz", "qw"}) out += "," + prefix + part;
  }
  for (const char* prefix : {"", "rate."})
    for (const Simulation::Joint& joint : simulation.joints) out += "," + (prefix + joint.model) + "/" + joint.joint;
  out += ",kinetic,potential,work,friction_loss,impact_loss,imbalance,residual,solutions";
  for (const Simulation::Contact& contact : simulation.contacts)
    if (contact.source >= 0 || contact.stop)
      for (const char* part : {".state", ".gap", ".normal", ".t1", ".t2", ".slip"}) out += "," + contact.name + part;
  out += "\n";
  for (const SimulationStep& step : simulation.steps) {
    out += text(step.time);
    for (const Eigen::Isometry3d& body : step.bodies) {
      const Eigen::Quaterniond turn(body.linear());
      const Eigen::Vector3d& place = body.translation();
      for (const double x : {place.x(), place.y(), place.z(), turn.x(), turn.y(), turn.z(), turn.w()})
        out += "," + text(x);
    }
    for (const double x : step.joints) out += "," + text(x);
    for (const Simulation::Joint& joint : simulation.joints) out += "," + text(step.state.v[joint.dof]);
    for (const double x :
         {step.kinetic, step.potential, step.work, step.friction_loss, step.impact_loss, step.imbalance, step.residual})
      out += "," + text(x);
    out += std::string(",") + name_of(step.count);
    for (std::size_t i = 0; i < step.contacts.size(); ++i) {
      if (simulation.contacts[i].source < 0 && !simulation.contacts[i].stop) continue;
      const SimulatedContact& contact = step.contacts[i];
      out += std::string(",") + word_of(contact.state);
      for (const double x : {contact.gap, contact.force[0], contact.force[1], contact.force[2], contact.slip})
        out += "," + text(x);
    }
    out += "\n";
  }
  return out;
}

}  // namespace stiction
