#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/report.hpp"
#include "io/sliding_answer.hpp"

namespace stiction::internal {
namespace {

/// Other friction with which what is said of this one stays true; uniqueness may come and go as friction grows.
std::string scales_words(const std::optional<std::pair<double, double>>& scales)
{
  if (!scales) return "";
  const auto [lower, upper] = *scales;
  if (lower == 0.0 && std::isinf(upper)) return ", however large friction becomes";
  if (lower == 0.0) return fmt::format(", and with any friction below {:.4g} times what it is", upper);
  if (std::isinf(upper)) return fmt::format(", and with any friction above {:.4g} times what it is", lower);
  return fmt::format(", and with any friction between {:.4g} and {:.4g} times what it is", lower, upper);
}

std::string well_posedness_words(const WellPosedness& found, bool something_sticks)
{
  const std::string that = something_sticks ? " that keep the others stuck" : "";
  switch (found.unique_for_all_loads) {
    case Verdict::kHolds:
      return "one solution for all other loads" + that + " too" + scales_words(found.unique_scales);
    case Verdict::kFails:
      return (found.exists_for_all_loads == Verdict::kHolds
                  ? "all other loads" + that + " have a solution, some several"
              : found.exists_for_all_loads == Verdict::kFails
                  ? "some other loads" + that + " have no solution"
                  : "some other loads" + that + " have none or several solutions") +
             fmt::format("; each has one with any friction below {:.4g} times what it is", found.critical_scale);
    case Verdict::kUndecided:
      break;
  }
  if (!found.hypotheses.hold()) return "nothing is said about other loads: " + found.hypotheses.failed.front();
  return "friction is within rounding of a value beyond which some loads" + that + " have none or several solutions";
}

/// A solution is a motion: one acceleration with forces that obey the laws.
std::string outcome_of(const SlidingResult& result)
{
  const std::size_t count = result.solutions.size();
  if (count == 0) return "NO MOTION";
  if (count > 1) return "SEVERAL MOTIONS";
  return result.complete ? "ONE MOTION" : "A MOTION";
}

/// The contacts of each solution; of many, the first ones.
std::string solutions_text(const ContactProblem& problem, const std::vector<SlidingSolution>& solutions,
                           std::size_t shown)
{
  std::string text;
  for (std::size_t k = 0; k < shown; ++k) {
    if (solutions.size() > 1) text += fmt::format("\nsolution {} of {}:\n", k + 1, solutions.size());
    if (problem.contacts.empty()) continue;
    std::vector<ContactReport> contacts = solutions[k].contacts;
    for (ContactReport& contact : contacts)
      contact.utilisation = std::min(contact.utilisation, 1.0);  // what is above is rounding
    const std::string table = contacts_text(problem, contacts);
    text += solutions.size() > 1 ? table.substr(1) : table;  // an empty line above the title is enough
  }
  return text;
}

/// What is to be said about the k-th solution of `count`.
void add_notes(const ContactProblem& problem, const SlidingAnswer& answer, std::size_t k,
               std::vector<std::string>& notes)
{
  const std::size_t count = answer.result.solutions.size();
  const SlidingSolution& solution = answer.result.solutions[k];
  if (!solution.forces_unique && !problem.contacts.empty())
    notes.push_back(count > 1 ? fmt::format("forces of solution {} are not unique", k + 1)
                              : "forces are not unique; shown are some of many");
  const std::string whose = count > 1 ? fmt::format("in solution {} ", k + 1) : "";
  for (const std::string& name : contrary_slips(problem, answer, solution))
    notes.push_back(whose + name + " is at rest and would not start this way: it accelerates against it");
  if (!solution.within_limits)
    notes.push_back(count > 1 ? fmt::format("solution {} exceeds the max_normal of a contact", k + 1)
                              : "a normal force exceeds the max_normal of its contact");
}

}  // namespace

std::string summary_of(const SlidingAnswer& answer)
{
  const SlidingResult& result = answer.result;
  const std::string verdict = name_of(result.verdict);
  return verdict + ": " + (result.verdict == Verdict::kUndecided ? result.reason : result.explanation);
}

AnswerText sliding_text(const ScenarioReport& report)
{
  constexpr std::size_t kMostTables = 4;
  AnswerText text;
  const SlidingAnswer& answer = std::get<SlidingAnswer>(report.answer);
  const SlidingResult& result = answer.result;
  const std::size_t count = result.solutions.size();
  const bool untouched = result.verdict == Verdict::kHolds && report.problem.contacts.empty();
  text.outcome = untouched ? "NO CONTACTS" : outcome_of(result);
  text.table = solutions_text(report.problem, result.solutions, std::min(count, kMostTables));
  if (count > kMostTables)
    text.notes.push_back(fmt::format("{} more solutions are in the JSON report", count - kMostTables));
  if (result.verdict == Verdict::kHolds && !result.complete)
    text.notes.push_back("not every mode was settled: " + result.reason);
  for (std::size_t k = 0; k < count; ++k) add_notes(report.problem, answer, k, text.notes);
  const bool something_sticks = std::ranges::any_of(answer.slips, [](const auto& slip) { return !slip; });
  if (answer.well_posedness) text.caption(well_posedness_words(result.well_posedness, something_sticks));
  return text;
}

}  // namespace stiction::internal
