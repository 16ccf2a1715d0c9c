#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/report.hpp"
#include "io/wrap.hpp"

namespace stiction::internal {
namespace {

constexpr std::size_t kBar = 20;
constexpr double kNothingBeside = 1e-9;  // share of the largest force in a table that is not worth a word

const char* colour_of(Verdict verdict)
{
  switch (verdict) {
    case Verdict::kHolds:
      return "\033[1;32m";
    case Verdict::kFails:
      return "\033[1;31m";
    case Verdict::kUndecided:
      break;
  }
  return "\033[1;33m";
}

/// [########------------]  42 %; an overfull bar ends in >.
std::string bar(double utilisation)
{
  const double share = std::isfinite(utilisation) ? std::clamp(utilisation, 0.0, 1.0) : 1.0;
  const auto filled = static_cast<std::size_t>(std::lround(share * kBar));
  std::string text = "[" + std::string(filled, '#') + std::string(kBar - filled, '-');
  text += utilisation > 1.0 ? ">" : "]";
  if (!std::isfinite(utilisation)) return text + "  inf";
  if (utilisation > 99.99) return text + " >99 x";
  return text + fmt::format(" {:3.0f} %", 100.0 * utilisation);
}

}  // namespace

/// "contacts detected: FL_foot on ground (1 point, 0 mm), …"
std::string detected_text(const std::vector<DetectedContact>& detected)
{
  std::string list;
  for (const DetectedContact& contact : detected) {
    const auto [least, most] = std::ranges::minmax(contact.distances);
    constexpr double kShownMetres = 5e-7, kToldApart = 5e-4;  // m, and mm: half of what is worth a digit
    const auto mm = [](double metres) { return std::abs(metres) < kShownMetres ? 0.0 : 1e3 * metres; };
    list += fmt::format("{}{} on {} ({} point{}, {:.3g}{} mm)", list.empty() ? "" : ", ", contact.name, contact.with,
                        contact.distances.size(), contact.distances.size() == 1 ? "" : "s", mm(least),
                        mm(most) - mm(least) < kToldApart ? "" : fmt::format(" to {:.3g}", mm(most)));
  }
  return "contacts detected, with their distances: " + list;
}

std::string headline_of(Verdict verdict, const AnswerText& text)
{
  return verdict == Verdict::kUndecided ? "UNDECIDED" : text.outcome + " (" + name_of(verdict) + ")";
}

std::string shown_forces_text(int internal_forces, bool least_friction)
{
  return fmt::format("forces are not unique ({} internal); shown are those {}", internal_forces,
                     least_friction ? "that need the least friction" : "deepest inside their limits");
}

std::string contacts_text(const ContactProblem& problem, const std::vector<ContactReport>& contacts)
{
  std::size_t width = 7;
  for (const Contact& contact : problem.contacts) width = std::max(width, contact.name.size());
  width = std::min<std::size_t>(width, 24);
  double largest = 0.0;
  for (const ContactReport& found : contacts) largest = std::max(largest, found.force.norm());
  std::string out =
      fmt::format("\n{:<{}}  {:<9} {:>11}  {}\n", "contact", width, "state", "normal [N]", "friction in use");
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactReport& found = contacts[i];
    std::string line = problem.contacts[i].name;
    if (line.size() > width)
      line += "\n" + std::string(width, ' ');  // long names stay whole
    else
      line.append(width - line.size(), ' ');
    line += fmt::format("  {:<9} {:>11.5g}", name_of(found.state), found.force[0]);
    const double sideways = found.force.segment<2>(1).norm();
    const bool loaded = found.state != ContactState::kDetaching && found.state != ContactState::kUnloaded;
    out += line + (loaded ? "  " + bar(found.utilisation) : "");
    // What no share of a normal force tells: forces that only unlimited friction would allow.
    if (std::abs(found.force[0]) <= kNothingBeside * largest && sideways > kNothingBeside * largest)
      out += fmt::format("{}sideways {:.4g} N", loaded ? ", " : "  ", sideways);
    out += "\n";
  }
  return out;
}

}  // namespace stiction::internal

namespace stiction {

std::string to_text(const ScenarioReport& report, Colours colours)
{
  using namespace internal;
  const std::string verdict = to_string(report.verdict);
  std::string sentence = report.summary;
  if (sentence.starts_with(verdict + ": ")) sentence.erase(0, verdict.size() + 2);
  AnswerText text = kind_of(report.scenario.question).text(report);
  std::string out = headline_of(report.verdict, text);
  if (colours == Colours::kTerminal) out = colour_of(report.verdict) + out + "\033[0m";
  out += (report.scenario.name.empty() ? "" : ": " + report.scenario.name) + "\n";
  append_wrapped(out, sentence);

  if (const ConeShape& cone = report.scenario.options.cone; cone.approximation != ConeApproximation::kExact)
    text.notes.push_back(fmt::format("friction cones replaced by {} pyramids of {} sides",
                                     cone.approximation == ConeApproximation::kInner ? "inner" : "outer", cone.facets));
  if (!report.detected.empty()) text.notes.push_back(detected_text(report.detected));
  for (const std::string& warning : report.warnings) text.notes.push_back("warning: " + warning);
  out += text.table;
  if (!text.notes.empty()) out += "\n";
  for (const std::string& note : text.notes) append_item(out, note);
  if (!text.remedies.empty()) out += fmt::format("\n{}:\n", text.remedy);
  for (const std::string& remedy : text.remedies) append_item(out, remedy);
  return out + text.details;
}

}  // namespace stiction
