#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "io/impact_answer.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "stiction/rest.hpp"

namespace stiction::internal {
namespace {

std::string energy_words(const ImpactSolution& solution)
{
  const double before = solution.energy_before, change = solution.energy_change;
  if (!hits(solution)) return "nothing is hit, velocities stay as they are";
  return -change > kClear * before ? fmt::format("the impact takes {:.4g} J of {:.4g} J", -change, before)
                                   : fmt::format("the impact keeps the kinetic energy, {:.4g} J", before);
}

/// One sentence about a verdict that is not undecided.
std::string decided_words(const ImpactAnswer& answer)
{
  const std::vector<ImpactSolution>& solutions = answer.result.solutions;
  if (solutions.empty()) return "fails: no velocity after the impact satisfies every law: they contradict each other";
  const ImpactSolution& found = *answer.solution();
  if (verdict_of(answer.proof) == Verdict::kFails) {
    std::string words =
        fmt::format("fails: the impact creates {:.4g} J on top of {:.4g} J", found.energy_change, found.energy_before);
    const std::vector<Injection> guilty = injections(answer.input.problem, found);
    if (!guilty.empty()) words += fmt::format("; {} injects {:.4g} J", guilty.front().who, guilty.front().work);
    return words;
  }
  return "holds: " + energy_words(found) +
         (solutions.size() > 1 ? fmt::format("; {} velocities after it are possible, none gains", solutions.size())
                               : "");
}

/// (41) of Glocker 2012: full friction at the end of an impact through which it cannot have acted all the time.
bool slip_begins_or_turns(const Contact& contact, const ContactImpact& found)
{
  if (found.state != ImpactState::kSlips || !(contact.mu > 0.0)) return false;
  const Eigen::Vector2d before = found.velocity_before.segment<2>(1), after = found.velocity_after.segment<2>(1);
  return after.norm() > kRestSpeed && before.dot(after) <= kClear * before.norm() * after.norm();
}

/// What looks wrong about the velocities, or may surprise.
void add_remarks(const ImpactAnswer& answer, std::vector<std::string>& list)
{
  for (const KinematicFlaw& flaw : flaws_of(answer.input, answer.solution())) {
    const std::string speed = fmt::format("{:.4g}", std::abs(flaw.velocity));
    if (flaw.closure >= 0)
      list.push_back(fmt::format("{} moves before the impact ({}): it is caught at once, as by a latch",
                                 answer.input.problem.loops[static_cast<std::size_t>(flaw.closure)].name, speed));
    if (flaw.contact < 0) continue;
    const auto i = static_cast<std::size_t>(flaw.contact);
    const Contact& contact = answer.input.problem.contacts[i];
    if (flaw.after)
      list.push_back(fmt::format("{} {} after the impact ({} m/s): its restitution says so", contact.name,
                                 contact.side == Side::kBilateral ? "moves along its normal" : "closes", speed));
    else if (contact.side == Side::kBilateral)
      list.push_back(fmt::format("{} moves along its normal before the impact ({} m/s) although it is bilateral",
                                 contact.name, speed));
    else if (answer.input.impact.laws[i].one_way)
      list.push_back(fmt::format("{} moves the way it cannot before the impact ({} m/s)", contact.name, speed));
    else
      list.push_back(
          fmt::format("{} separates already ({} m/s): if it is hit all the same, it acts as a one-way contact",
                      contact.name, speed));
  }
  const std::vector<Contact>& contacts = answer.input.problem.contacts;
  for (std::size_t i = 0; answer.solution() && i < contacts.size(); ++i)
    if (slip_begins_or_turns(contacts[i], answer.solution()->contacts[i]))
      list.push_back(contacts[i].name +
                     " begins to slip or turns round: Newton's law makes its friction too large (Glocker 2012, 4.5)");
}

std::string contacts_table(const ContactProblem& problem, const ImpactSolution& found)
{
  std::size_t width = 7;
  for (const Contact& contact : problem.contacts) width = std::max(width, contact.name.size());
  width = std::min<std::size_t>(width, 20);
  std::string table = fmt::format("\n{:<{}}  {:<9} {:>9} {:>8} {:>21}  {:>9}\n", "", width, "", "impulse", "friction",
                                  "normal velocity [m/s]", "work");
  table += fmt::format("{:<{}}  {:<9} {:>9} {:>8}  {:>9}  {:>9}  {:>9}\n", "contact", width, "state", "[N s]", "in use",
                       "before", "after", "[J]");
  double speed = 0.0;
  for (const ContactImpact& contact : found.contacts)
    for (const Eigen::Vector4d* velocity : {&contact.velocity_before, &contact.velocity_after})
      speed = std::max(speed, velocity->head<3>().lpNorm<Eigen::Infinity>());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactImpact& contact = found.contacts[i];
    std::string name = problem.contacts[i].name;
    if (name.size() > width)
      name += "\n" + std::string(width, ' ');  // long names stay whole
    else
      name.append(width - name.size(), ' ');
    const bool loaded = contact.impulse[0] != 0.0 && problem.contacts[i].mu > 0.0;
    const auto tidy = [&](double value, double scale) {
      return std::abs(value) <= kProductRounding * scale ? 0.0 : value;
    };
    table += fmt::format("{}  {:<9} {:>9.4g} {:>8}  {:>9.4g}  {:>9.4g}  {:>9.4g}\n", name, name_of(contact.state),
                         contact.impulse[0], loaded ? fmt::format("{:.0f} %", 100.0 * contact.utilisation) : "",
                         tidy(contact.velocity_before[0], speed), tidy(contact.velocity_after[0], speed),
                         tidy(contact.work(), found.energy_before));
  }
  return table;
}

std::string safety_words(const SafeRestitution& safe)
{
  if (safe.least == 0.0 && safe.exact >= 1.0)
    return "no restitution of the closing contacts creates energy here, whatever the velocity";
  const std::string range = safe.least == 0.0          ? fmt::format("up to {:.4g}", safe.exact)
                            : safe.least == safe.exact ? fmt::format("of {:.4g}", safe.exact)
                                                       : fmt::format("from {:.4g} to {:.4g}", safe.least, safe.exact);
  return "whatever the velocity, closing contacts create no energy with a common restitution " + range +
         (safe.similar.value_or(0.0) > 0.0
              ? fmt::format(" (up to {:.4g} by condition (87) of Glocker 2012)", *safe.similar)
              : "");
}

std::string touchdown_words(const ContactProblem& problem, const StickingFriction& touchdown)
{
  std::string leaving;
  for (const int i : touchdown.leaves)
    leaving += (leaving.empty() ? "" : ", ") + problem.contacts[static_cast<std::size_t>(i)].name;
  if (leaving.empty()) return fmt::format("with friction of {:.4g} everything can stick", touchdown.mu);
  return fmt::format("with friction of {:.4g} everything that is hit can stick, while {} leave{}", touchdown.mu,
                     leaving, touchdown.leaves.size() == 1 ? "s" : "");
}

/// ": left 0 to 2, right 0 to 2 N s", of contacts whose normal impulse has a range.
std::string ranges_words(const ImpactAnswer& answer)
{
  constexpr double kRangeGap = 1e-8;  // ends of ranges are found to a tenth of that share of the largest impulse
  double largest = 0.0;
  for (const ContactImpact& contact : answer.solution()->contacts)
    largest = std::max(largest, std::abs(contact.impulse[0]));
  std::string words;
  for (std::size_t i = 0; i < answer.impulse_intervals.size(); ++i) {
    const Margin& range = answer.impulse_intervals[i];
    if (range.state != Margin::State::kKnown || range.upper - range.lower <= kRangeGap * largest) continue;
    words += (words.empty() ? ": " : ", ") + answer.input.problem.contacts[i].name + " " +
             interval_text(tidy(range.lower, largest), tidy(range.upper, largest));
  }
  return words.empty() ? "" : words + " N s";
}

/// How many velocities there may be after the impact.
void add_solutions(const ImpactAnswer& answer, std::vector<std::string>& notes)
{
  const ImpactSolution* found = answer.solution();
  if (answer.result.solutions.size() > 1) {
    std::string words = fmt::format("{} velocities after the impact are possible{}; energy changes by",
                                    answer.result.solutions.size(), answer.proof.complete ? "" : " at least");
    for (const ImpactSolution& each : answer.result.solutions) words += fmt::format(" {:+.4g} J,", each.energy_change);
    words.back() = ' ';
    notes.push_back(words + fmt::format("(shown: {:+.4g} J)", found->energy_change));
  } else if (found) {
    notes.push_back(answer.proof.unique == Verdict::kHolds
                        ? "no other velocity after the impact satisfies the laws"
                        : "whether other velocities satisfy the laws was not proved: " + answer.result.reason);
  }
  if (found && found->impulse_unique == Verdict::kFails && hits(*found))
    notes.push_back("impulses are not unique; others give the same velocity" + ranges_words(answer));
}

}  // namespace

std::string summary_of(const ImpactAnswer& answer)
{
  if (verdict_of(answer.proof) != Verdict::kUndecided) return decided_words(answer);
  if (!answer.solution())
    return "undecided: no velocity that satisfies every law was found, but there might be one: " + answer.result.reason;
  return "undecided: " + energy_words(*answer.solution()) +
         ", but other velocities might gain: " + answer.result.reason;
}

AnswerText impact_text(const ScenarioReport& report)
{
  AnswerText text;
  const ImpactAnswer& answer = std::get<ImpactAnswer>(report.answer);
  const ContactProblem& problem = answer.input.problem;
  const ImpactSolution* found = answer.solution();
  const bool hit = found && hits(*found);
  text.outcome = !found                                        ? "NO VELOCITY FITS"
                 : verdict_of(answer.proof) == Verdict::kHolds ? "NO ENERGY GAINED"
                                                               : "GAINS ENERGY";
  if (found && !problem.contacts.empty()) text.table = contacts_table(problem, *found);
  add_solutions(answer, text.notes);
  if (found && verdict_of(answer.proof) == Verdict::kFails)
    for (const Injection& injection : injections(problem, *found))
      text.caption(fmt::format("{} injects {:.4g} J", injection.who, injection.work));
  if (verdict_of(answer.proof) == Verdict::kHolds && hit)
    text.notes.push_back("no energy is created: " + answer.proof.why_dissipates);
  if (answer.safe && answer.safe->applies && hit) text.caption(safety_words(*answer.safe));
  if (answer.touchdown && answer.touchdown->mu > 0.0 && hit) text.caption(touchdown_words(problem, *answer.touchdown));
  add_remarks(answer, text.notes);
  text.remedy = "what would make it hold";
  if (answer.repaired)
    text.remedies = {fmt::format("a restitution of {:.4g} at every contact that closes", answer.safe->exact)};
  return text;
}

}  // namespace stiction::internal
