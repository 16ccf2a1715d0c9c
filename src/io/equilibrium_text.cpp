#include <fmt/format.h>

#include "ask/contact_reports.hpp"
#include "base/text.hpp"
#include "io/equilibrium_answer.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "io/rounded.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

using MarginState = Margin::State;

std::string push_note(const PushOption& push, const ReportedMargin& margin)
{
  using Direction = PushOption::Direction;
  const std::string way = push.kind == Direction::kGiven        ? "along " + internal::text(push.direction)
                          : push.kind == Direction::kHorizontal ? "in any horizontal direction"
                                                                : "in any direction";
  return margin.margin.state == MarginState::kUnbounded
             ? fmt::format("{} may be pushed {} as hard as you like", push.link, way)
             : fmt::format("{} may be pushed {} with {} N", push.link, way, at_most(margin.value));
}

/// Of a margin, instead of its key.
std::string words_of(const std::string& key)
{
  if (key == "friction_scale") return "least factor on every friction coefficient";
  if (key == "effort") return "least factor on every effort limit";
  return key == "push" ? "largest push [N]" : "what every generator can carry [N]";
}

/// What a margin says about a verdict; empty: nothing.
std::string margin_note(const EquilibriumAnswer& answer, const std::vector<FrictionCone>& cones,
                        const ReportedMargin& margin)
{
  const bool holds = answer.result.verdict == Verdict::kHolds;
  const MarginState state = margin.margin.state;
  if (state == MarginState::kUndecided)
    return fmt::format("{}: only known to be {}{}", words_of(margin.name),
                       interval_text(margin.margin.lower, margin.margin.upper),
                       margin.margin.reason.empty() ? "" : ": " + margin.margin.reason);
  if (margin.name == "friction_scale") {
    if (state == MarginState::kNone) return "ten thousand times the friction would not help";
    if (!holds) return "";
    return spare_friction_text(cones, margin.value);
  }
  if (margin.name == "effort") {
    if (state == MarginState::kNone) return "no joint efforts help, however large";
    return holds ? fmt::format("efforts to spare: holds with {} of every effort limit", at_least(margin.value)) : "";
  }
  if (margin.name == "push") return holds ? push_note(*answer.push, margin) : "";
  return state == MarginState::kKnown
             ? fmt::format("every generator of the inner pyramids can carry {:.6g} N", margin.value)
             : "";
}

std::string more_effort_text(double factor) { return "every effort limit times " + enough(factor); }

/// What would make a failing case hold.
std::vector<std::string> remedies_of(const std::vector<FrictionCone>& cones, const std::vector<ReportedMargin>& margins)
{
  std::vector<std::string> list;
  for (const ReportedMargin& margin : margins) {
    if (margin.margin.state != MarginState::kKnown) continue;
    if (margin.name == "friction_scale") list.push_back(more_friction_text(cones, margin.value));
    if (margin.name == "effort") list.push_back(more_effort_text(margin.value));
  }
  return list;
}

/// Which forces are shown of a case that fails.
std::string forces_words(const EquilibriumResult& result)
{
  return result.least_friction_shown
             ? "these forces would balance the load; of all that would, they need the least friction"
             : "these forces would balance the load with " + more_effort_text(result.effort.upper);
}

}  // namespace

std::string imbalance_words(const std::string& explanation)
{
  return "fails: " + (explanation.empty() ? "no admissible forces exist" : explanation);
}

std::string within_tolerance(const std::string& summary, Verdict verdict, double tolerance, double change)
{
  if (tolerance == 0.0 || (verdict == Verdict::kHolds && change == 0.0)) return summary;
  const std::string word = std::string(name_of(verdict)) + ": ";
  const std::string added =
      verdict == Verdict::kHolds
          ? fmt::format("within {:.3g} of the data, which these forces need changed by {:.3g}: ", tolerance, change)
          : fmt::format("all data within {:.3g} fail: ", tolerance);
  return word + added + summary.substr(word.size());
}

std::string summary_of(const EquilibriumAnswer& answer)
{
  const EquilibriumResult& result = answer.result;
  if (result.verdict == Verdict::kUndecided) return "undecided: " + result.reason;
  const std::string words =
      result.verdict == Verdict::kHolds ? result.explanation : imbalance_words(result.explanation);
  return within_tolerance(words, result.verdict, answer.tolerance, result.change);
}

AnswerText equilibrium_text(const ScenarioReport& report)
{
  AnswerText text;
  const EquilibriumAnswer& answer = std::get<EquilibriumAnswer>(report.answer);
  const EquilibriumResult& result = answer.result;
  const bool holds = result.verdict == Verdict::kHolds;
  if (!report.contacts.empty()) text.table = contacts_text(report.problem, result.contacts);
  if (!holds && !report.contacts.empty()) text.caption(forces_words(result));
  if (holds && result.indeterminacy > 0)
    text.caption(shown_forces_text(result.indeterminacy, result.least_friction_shown));
  const std::vector<FrictionCone> cones = cones_of(report.problem.contacts);
  const bool accelerates = !answer.a.isZero(0.0), at_rest = !accelerates && !answer.moves;
  text.outcome = std::string(holds ? "" : "DOES NOT ") + (at_rest ? "STAND" : "FOLLOW") + (holds ? "S" : "") +
                 (at_rest ? "" : " THE MOTION");
  if (holds && report.problem.contacts.empty()) text.outcome = "NO CONTACTS";
  if (const std::string who =
          list_failing_contacts(report.problem, rules_of_balance(answer.shape), result.certificate, result.failure);
      result.verdict == Verdict::kFails && !who.empty())
    text.notes.push_back(who);
  if (!at_rest) {
    text.notes.push_back(std::string("for the prescribed ") + (accelerates ? "acceleration" : "velocities") +
                         ", not at rest");
  }
  for (const ReportedMargin& margin : report.margins)
    if (const std::string note = margin_note(answer, cones, margin); !note.empty()) text.caption(note);
  if (result.verdict == Verdict::kFails) text.remedies = remedies_of(cones, report.margins);
  return text;
}

}  // namespace stiction::internal
