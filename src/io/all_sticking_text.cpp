#include <fmt/format.h>

#include <algorithm>

#include "io/all_sticking_answer.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "io/rounded.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

/// Entries of a force below this share of the largest are not worth a word.
constexpr double kWorthTelling = 1e-6;

std::string force_words(const ContactProblem& problem, const Eigen::VectorXd& add)
{
  std::string words;
  const double least = kWorthTelling * add.lpNorm<Eigen::Infinity>();
  for (Eigen::Index i = 0; i < add.size(); ++i)
    if (std::abs(add[i]) > least)
      words += fmt::format("{}{} {:+.6g}", words.empty() ? "" : ", ", problem.dof_names[static_cast<std::size_t>(i)],
                           add[i]);
  return words;
}

/// Contacts that neither carry anything nor open: Loetstedt 1982, section 5, calls them degenerate.
std::string unloaded_contacts(const ContactProblem& problem, const std::vector<ContactReport>& contacts)
{
  std::string names;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (contacts[i].state == ContactState::kUnloaded) names += (names.empty() ? "" : ", ") + problem.contacts[i].name;
  return names.empty() ? "" : "touching without load: " + names;
}

/// What forces of a failing case would do.
std::string forces_words(const std::vector<ContactReport>& contacts)
{
  const auto opening = std::ranges::count(contacts, ContactState::kDetaching, &ContactReport::state);
  if (opening == std::ssize(contacts)) return "every contact opens: none can carry anything";
  return fmt::format("these forces would keep every contact{} stuck, were friction and pulling unlimited",
                     opening > 0 ? " that stays" : "");
}

std::string repair_words(const ContactProblem& problem, const Repair& repair)
{
  switch (repair.change) {
    case Repair::Change::kCommonFriction:
      return more_friction_text(cones_of(problem.contacts), repair.value);
    case Repair::Change::kFriction:
      return fmt::format("friction of {} alone raised from {:.4g} to {}",
                         problem.contacts[static_cast<std::size_t>(repair.contact)].name,
                         problem.contacts[static_cast<std::size_t>(repair.contact)].mu, enough(repair.value));
    case Repair::Change::kForce:
      break;
  }
  return "generalised force added (N, N m): " + force_words(problem, -repair.force);
}

/// Joints by where they go, bases by where they are then.
std::string posture_words(const ContactProblem& problem, const PostureRepair& repair)
{
  const std::vector<std::string> labels = joint_labels(problem.dofs);
  std::string words;
  for (const int dof : repair.joints) {
    const Dof& joint = problem.dofs[static_cast<std::size_t>(dof)];
    const auto model = std::ranges::find(repair.models, joint.model, &ModelDescription::name);
    words += fmt::format("{}{} {:+.4g} to {:.6g}", words.empty() ? "" : ", ", labels[static_cast<std::size_t>(dof)],
                         repair.change[dof], model->joints.at(joint.joint));
  }
  for (const int base : repair.bases) {
    const ModelDescription& model = repair.models[static_cast<std::size_t>(base)];
    const Eigen::Vector3d &xyz = model.pose.xyz, &rpy = model.pose.rpy;
    words += fmt::format("{}{} at ({:.6g}, {:.6g}, {:.6g}), turned by ({:.6g}, {:.6g}, {:.6g})",
                         words.empty() ? "" : ", ", model.name, xyz[0], xyz[1], xyz[2], rpy[0], rpy[1], rpy[2]);
  }
  return "posture (m, rad): " + words;
}

}  // namespace

std::vector<std::string> repairs_words(const ContactProblem& problem, const AllStickingAnswer& answer)
{
  std::vector<std::string> words;
  for (const Repair& repair : answer.result.repairs) words.push_back(repair_words(problem, repair));
  if (answer.posture_repair) words.push_back(posture_words(problem, *answer.posture_repair));
  return words;
}

std::string failure_words(const std::string& explanation)
{
  return "fails: " + (explanation.empty() ? "no admissible forces exist" : explanation);
}

std::string summary_of(const AllStickingAnswer& answer)
{
  const StickingResult& result = answer.result;
  if (result.verdict == Verdict::kUndecided) return "undecided: " + result.reason;
  if (result.verdict == Verdict::kHolds) return result.explanation;
  return failure_words(result.explanation);
}

namespace {

/// Of single contacts that would do only as many as people read.
std::vector<std::string> remedies_of(const ContactProblem& problem, const AllStickingAnswer& answer)
{
  constexpr std::ptrdiff_t kMostTold = 8;
  const std::vector<std::string> words = repairs_words(problem, answer);
  std::vector<std::string> told;
  std::ptrdiff_t contacts = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::vector<Repair>& repairs = answer.result.repairs;
    const bool contact = i < repairs.size() && repairs[i].change == Repair::Change::kFriction;
    if (!contact || ++contacts <= kMostTold) told.push_back(words[i]);
  }
  if (contacts > kMostTold)
    told.push_back(fmt::format("friction of one of {} more contacts alone", contacts - kMostTold));
  return told;
}

}  // namespace

AnswerText all_sticking_text(const ScenarioReport& report)
{
  const StickingResult& result = std::get<AllStickingAnswer>(report.answer).result;
  AnswerText text;
  const bool holds = result.verdict == Verdict::kHolds, fails = result.verdict == Verdict::kFails;
  const bool forces = has_forces(result) && !report.problem.contacts.empty();
  if (forces) text.table = contacts_text(report.problem, result.contacts);
  if (fails && forces) text.caption(forces_words(result.contacts));
  if (const std::string idle = holds ? unloaded_contacts(report.problem, result.contacts) : ""; !idle.empty())
    text.notes.push_back(idle + ": what opens or is loaded next is not decided at this instant");
  if (holds && result.indeterminacy > 0)
    text.caption(shown_forces_text(result.indeterminacy, result.least_friction_shown));
  const std::string motion = describe_acceleration(report.problem, result.acceleration);
  if (!holds)
    text.outcome = "DOES NOT STICK";
  else if (report.problem.contacts.empty())
    text.outcome = "NO CONTACTS";
  else if (motion.starts_with("it falls"))
    text.outcome = "STICKS WHILE IT FALLS";
  else
    text.outcome = "STICKS";
  if (text.outcome == "STICKS" && !motion.empty()) text.notes.push_back(motion + "; no contact slips");
  if (const std::string who = list_failing_contacts(report.problem, std::get<AllStickingAnswer>(report.answer).rules,
                                                    result.certificate, result.failure);
      fails && !who.empty())
    text.notes.push_back(who);
  const Margin& friction = result.friction_scale;
  if (holds && friction.state == Margin::State::kKnown && !report.problem.contacts.empty())
    text.caption(spare_friction_text(cones_of(report.problem.contacts), friction.upper));
  if (fails && friction.state == Margin::State::kNone) text.caption("ten thousand times the friction would not help");
  const AllStickingAnswer& answer = std::get<AllStickingAnswer>(report.answer);
  for (const std::string& note : answer.repair_notes) text.notes.push_back("no repair by " + note);
  text.remedies = remedies_of(report.problem, answer);
  if (answer.steps) text.details = steps_text(report.problem, answer);
  return text;
}

}  // namespace stiction::internal
