#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/report.hpp"
#include "io/sliding_answer.hpp"
#include "io/wrap.hpp"

namespace stiction::internal {
namespace {

std::string well_posedness_words(const WellPosedness& found, bool something_sticks)
{
  if (!found.hypotheses.hold()) return "nothing is said about other loads: " + found.hypotheses.failed.front();
  const std::string other = something_sticks ? "other load that keeps the others stuck" : "other load";
  switch (found.unique_for_all_loads) {
    case Verdict::kHolds:
      return "one solution for every " + other + " too, " +
             (std::isfinite(found.critical_scale)
                  ? fmt::format("as long as friction stays below {:.4g} times what it is", found.critical_scale)
                  : "however large friction becomes");
    case Verdict::kFails:
      return fmt::format(
          "some other loads have none or several solutions: friction is above the critical one, {:.4g} "
          "times what it is",
          found.critical_scale);
    case Verdict::kUndecided:
      break;
  }
  return "friction is within rounding of the critical one, above which some loads have none or several solutions";
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
  text.table = solutions_text(report.problem, result.solutions, std::min(count, kMostTables));
  if (count > kMostTables)
    text.notes.push_back(fmt::format("{} more solutions are in the JSON report", count - kMostTables));
  if (result.verdict == Verdict::kHolds && !result.complete)
    text.notes.push_back("not every mode was settled: " + result.reason);
  for (std::size_t k = 0; k < count; ++k) add_notes(report.problem, answer, k, text.notes);
  const bool something_sticks = std::ranges::any_of(answer.slips, [](const auto& slip) { return !slip; });
  if (answer.well_posedness) text.notes.push_back(well_posedness_words(result.well_posedness, something_sticks));
  return text;
}

}  // namespace stiction::internal
