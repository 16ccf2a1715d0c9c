#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/report.hpp"
#include "io/wrap.hpp"

namespace stiction::internal {
namespace {

constexpr std::size_t kBar = 20;

const char* colour_of(Verdict verdict)
{
  switch (verdict) {
    case Verdict::kHolds: return "\033[1;32m";
    case Verdict::kFails: return "\033[1;31m";
    case Verdict::kUndecided: break;
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

void append_contacts(std::string& out, const Report& report)
{
  std::size_t width = 7;
  for (const Contact& contact : report.problem.contacts) width = std::max(width, contact.name.size());
  width = std::min<std::size_t>(width, 24);
  out += fmt::format("\n{:<{}}  {:<9} {:>11}  {}\n", "contact", width, "state", "normal [N]", "friction in use");
  for (std::size_t i = 0; i < report.problem.contacts.size(); ++i) {
    const ContactReport& found = report.result.contacts[i];
    std::string line = report.problem.contacts[i].name;
    if (line.size() > width) line += "\n" + std::string(width, ' ');   // long names stay whole
    else line.append(width - line.size(), ' ');
    line += fmt::format("  {:<9} {:>11.5g}", name_of(found.state), found.force[0]);
    const bool loaded = found.state != ContactState::kDetaching && found.state != ContactState::kUnloaded;
    out += line + (loaded ? "  " + bar(found.utilisation) : "") + "\n";
  }
}

std::string force_words(const Report& report, const Eigen::VectorXd& add)
{
  std::string words;
  const double noticeable = 1e-6 * add.lpNorm<Eigen::Infinity>();
  for (Eigen::Index i = 0; i < add.size(); ++i)
    if (std::abs(add[i]) > noticeable)
      words += fmt::format("{}{} {:+.4g}", words.empty() ? "" : ", ", report.problem.dof_names[static_cast<std::size_t>(i)], add[i]);
  return words;
}

void append_repairs(std::string& out, const Report& report)
{
  if (report.result.repairs.empty()) return;
  out += "\nwhat would make it hold, each by itself:\n";
  for (const Repair& repair : report.result.repairs) {
    switch (repair.change) {
      case Repair::Change::kCommonFriction:
        append_item(out, fmt::format("every friction coefficient times {:.4g}", repair.value));
        break;
      case Repair::Change::kFriction:
        append_item(out, fmt::format("friction of {} alone raised from {:.4g} to {:.4g}",
                                     report.problem.contacts[static_cast<std::size_t>(repair.contact)].name,
                                     report.problem.contacts[static_cast<std::size_t>(repair.contact)].mu, repair.value));
        break;
      case Repair::Change::kForce:
        append_item(out, "generalised force added (N, N m): " + force_words(report, -repair.force));
        break;
    }
  }
}

}  // namespace

std::string report_text(const Report& report, bool colours)
{
  const StickingResult& result = report.result;
  std::string verdict = name_of(result.verdict);
  std::string sentence = summary_of(result);
  if (sentence.starts_with(verdict + ": ")) sentence.erase(0, verdict.size() + 2);
  std::ranges::transform(verdict, verdict.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string out = report.name.empty() ? "" : report.name + "\n";
  out += colours ? colour_of(result.verdict) + verdict + "\033[0m\n" : verdict + "\n";
  append_wrapped(out, sentence);
  if (has_forces(result) && !report.problem.contacts.empty()) append_contacts(out, report);

  std::string notes;
  if (result.verdict == Verdict::kFails && has_forces(result) && !report.problem.contacts.empty())
    append_item(notes, "these forces would keep every contact stuck, were friction and pulling unlimited");
  if (result.verdict == Verdict::kHolds && result.indeterminacy > 0)
    append_item(notes, fmt::format("forces are not unique ({} internal); shown are those deepest inside the friction cones",
                                   result.indeterminacy));
  if (result.verdict == Verdict::kHolds && result.acceleration.size() > 0 && result.acceleration.lpNorm<Eigen::Infinity>() > 1e-4)   // m/s^2, rad/s^2
    append_item(notes, "it moves: accelerations are not zero, no contact slips");
  if (result.friction_scale_known && result.verdict == Verdict::kHolds && result.friction_scale)
    append_item(notes, *result.friction_scale > 0.0
                           ? fmt::format("friction to spare: holds down to {:.4g} of every coefficient", *result.friction_scale)
                           : "holds without any friction");
  if (result.friction_scale_known && result.verdict == Verdict::kFails && !result.friction_scale)
    append_item(notes, "no amount of friction helps");
  if (report.rules.shape.approximation != ConeApproximation::kExact)
    append_item(notes, fmt::format("friction cones replaced by {} pyramids of {} sides",
                                   report.rules.shape.approximation == ConeApproximation::kInner ? "inner" : "outer",
                                   report.rules.shape.facets));
  for (const std::string& warning : report.warnings) append_item(notes, "warning: " + warning);
  if (!notes.empty()) out += "\n" + notes;
  append_repairs(out, report);
  return out;
}

}  // namespace stiction::internal
