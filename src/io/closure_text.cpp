#include <fmt/format.h>

#include <algorithm>

#include "io/closure_answer.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "io/rounded.hpp"
#include "io/wrap.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

std::vector<FrictionCone> cones_of(const Grasp& grasp)
{
  std::vector<FrictionCone> cones;
  for (const GraspBlock& contact : grasp.contacts) cones.push_back(contact.cone);
  return cones;
}

/// With how little friction a closed grasp stays so, or an open one would be closed.
std::string least_friction_words(const Grasp& grasp, double factor)
{
  if (factor <= kHardlyAny) return "closure needs next to no friction";
  const std::string change = factor <= 1.0 ? friction_change(cones_of(grasp), factor, " could fall to ", at_least) : "";
  return "least friction for closure: " + (change.empty() ? "every coefficient times " + at_least(factor) : change);
}

/// Of numbers that are measured against normal forces of one.
std::string interval(const Margin& value) { return interval_text(tidy(value.lower, 1.0), tidy(value.upper, 1.0)); }

/// The verdicts one below the other, each with its sentence.
std::string verdicts_text(const ClosureAnswer& answer)
{
  std::string table = "\n";
  const auto line = [&](const char* name, Verdict verdict, const std::string& words) {
    std::string words_of_key = name;
    std::ranges::replace(words_of_key, '_', ' ');
    table += fmt::format("{:<24} {}\n", words_of_key, name_of(verdict));
    if (!words.empty()) append_item(table, words);
  };
  for (const NamedClosure& named : kClosures)
    if (const ClosureVerdict& found = answer.result.*named.found; found.asked)
      line(named.name, found.verdict, words_of(found));
  const ResistResult& resists = answer.resists;
  line("resists gravity, loads", resists.verdict,
       resists.verdict == Verdict::kFails ? describe_free_motion(answer.grasp, resists.proof) : resists.reason);
  return table;
}

std::string null_spaces_words(const NullSpaces& spaces)
{
  std::string words = fmt::format("internal forces: {}, motions of the object that no contact sees: {}",
                                  spaces.graspable, spaces.indeterminate);
  if (spaces.hand)
    words += fmt::format(
        ", motions of the hand that no contact sees: {}, forces that the hand does not feel: {}, internal ones among "
        "them: {}",
        spaces.redundant, spaces.defective, spaces.hyperstatic);
  return words;
}

/// What would close the grasp.
std::vector<std::string> remedies_of(const ClosureAnswer& answer)
{
  std::vector<std::string> list;
  if (const Margin& factor = answer.result.friction_factor; factor.state == Margin::State::kKnown)
    list.push_back(more_friction_text(cones_of(answer.grasp), factor.upper));
  for (std::size_t i = 0; i < answer.result.contact_friction.size(); ++i)
    if (const Margin& mu = answer.result.contact_friction[i]; mu.state == Margin::State::kKnown)
      list.push_back(fmt::format("friction of {} alone raised to {}", answer.grasp.contacts[i].name, enough(mu.upper)));
  return list;
}

}  // namespace

std::string closure_words(Verdict verdict, bool hand, const std::string& object, const std::string& explanation)
{
  return std::string(name_of(verdict)) + ": " + (verdict == Verdict::kHolds ? "" : "no ") +
         (hand ? "force closure" : "frictional form closure") + " of " + (object.empty() ? "the object" : object) +
         (explanation.empty() ? "" : "; " + explanation);
}

std::string summary_of(const ClosureAnswer& answer)
{
  const ClosureVerdict& found = answer.decisive();
  if (found.verdict == Verdict::kUndecided) return name_of(found.verdict) + (": " + found.reason);
  return closure_words(found.verdict, answer.grasp.has_hand(), answer.object, found.explanation);
}

AnswerText closure_text(const ScenarioReport& report)
{
  AnswerText text;
  const ClosureAnswer& answer = std::get<ClosureAnswer>(report.answer);
  const ClosureResult& result = answer.result;
  text.outcome = report.verdict == Verdict::kHolds ? "CLOSED" : "NOT CLOSED";
  text.table = verdicts_text(answer);
  const Eigen::Vector3d& point = answer.input.convention.reference;
  if (result.epsilon_l1.enclosed() && result.epsilon_linf.enclosed())
    text.notes.push_back(fmt::format(
        "epsilon (largest wrench resisted in every direction): {} N for normal forces that sum to 1 N, {} N "
        "for normal forces up to 1 N; "
        "torques about ({:.4g}, {:.4g}, {:.4g}) m, divided by {:.4g} m",
        interval(result.epsilon_l1), interval(result.epsilon_linf), point.x(), point.y(), point.z(),
        answer.input.convention.torque_length));
  if (result.d.enclosed())
    text.notes.push_back("d (largest common slack of internal forces, by 1 N of normal force per contact): " +
                         interval(result.d) + " N");
  const Margin& factor = result.friction_factor;
  if (factor.state == Margin::State::kKnown) text.caption(least_friction_words(answer.grasp, factor.upper));
  if (factor.state == Margin::State::kNone) text.caption("no amount of friction gives closure");
  if (answer.rate)
    text.notes.push_back(
        fmt::format("closed in {:.1f} % of {} draws with uncertain contacts (95 %: {:.1f} to {:.1f} %, seed {})",
                    100 * answer.rate->rate, answer.rate->samples, 100 * answer.rate->lower, 100 * answer.rate->upper,
                    answer.rate->seed));
  if (result.null_spaces) text.notes.push_back(null_spaces_words(*result.null_spaces));
  for (const int i : answer.touching.pushing_away)
    text.notes.push_back("warning: the normal of " + answer.touching.contacts[static_cast<std::size_t>(i)].name +
                         " points away from the object's centre of mass: closure cannot tell whether it is reversed");
  text.remedy = "what would close it, each by itself";
  if (result.frictional_form_closure.verdict == Verdict::kFails) text.remedies = remedies_of(answer);
  return text;
}

}  // namespace stiction::internal
