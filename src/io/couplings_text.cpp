#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/couplings_answer.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"

namespace stiction::internal {
namespace {

/// The words "a, b and c".
std::string listed(const std::vector<std::string>& items)
{
  std::string words;
  for (std::size_t i = 0; i < items.size(); ++i)
    words += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return words;
}

/// The rows that matter in a weighted sum of unilateral and bilateral ones: those that weigh more than a tenth of the
/// heaviest, lengths taken in M⁻¹ so that units do not matter.
std::vector<std::string> heavy_rows(const CouplingsAnswer& answer, const Eigen::VectorXd& unilateral,
                                    const Eigen::VectorXd& bilateral)
{
  const Couplings& found = answer.result;
  std::vector<std::pair<int, double>> shares;
  const auto weigh = [&](const std::vector<int>& rows, const Eigen::VectorXd& weights, const Eigen::MatrixXd& block) {
    for (Eigen::Index i = 0; i < weights.size(); ++i) {
      const double size = found.definite_mass && block(i, i) > 0.0 ? std::sqrt(block(i, i)) : 1.0;
      shares.emplace_back(rows[static_cast<std::size_t>(i)], std::abs(weights[i]) * size);
    }
  };
  weigh(found.unilateral, unilateral, found.A);
  weigh(found.bilateral, bilateral, found.B);
  double heaviest = 0.0;
  for (const auto& [row, share] : shares) heaviest = std::max(heaviest, share);
  std::vector<std::string> heavy;
  for (const auto& [row, share] : shares)
    if (share > 0.1 * heaviest) heavy.push_back(row_name(answer, row));
  return heavy;
}

/// Rows with their forces and the ranges of these, when asked for.
std::string rows_text(const CouplingsAnswer& answer)
{
  const Couplings& found = answer.result;
  std::size_t width = 3;
  for (const std::string& name : answer.row_names) width = std::max(width, name.size());
  width = std::min<std::size_t>(width, 30);
  std::string table = fmt::format("\n{:<{}}  {:<10} {:>11}  range\n", "row", width, "kind", "force");
  for (const auto& [rows, kind] : {std::pair{&found.unilateral, "unilateral"}, {&found.bilateral, "bilateral"}})
    for (const int row : *rows) {
      const Margin interval = found.intervals.empty() ? Margin() : found.intervals[static_cast<std::size_t>(row)];
      table += fmt::format("{:<{}}  {:<10} {:>11.5g}", row_name(answer, row), width, kind, found.forces[row]);
      const double slack = kSolve * found.forces.lpNorm<Eigen::Infinity>();
      const bool known = interval.state == Margin::State::kKnown;
      if (answer.intervals && !known) table += "  unknown";
      if (answer.intervals && known && interval.upper - interval.lower > slack)
        table += "  " + interval_text(interval.lower, interval.upper, 5);
      table += "\n";
    }
  return table;
}

/// Contacts that open, and what they do not do although they are asked to.
void add_openings(const CouplingsAnswer& answer, std::vector<std::string>& notes)
{
  for (const Contact& contact : answer.problem.contacts) {
    const double opening = answer.result.opening[contact.row];
    const bool held = contact.rows() > 1 && std::ranges::count(answer.result.bilateral, contact.row + 1) > 0;
    if (opening != 0.0)
      notes.push_back(fmt::format("{} opens with {:.4g} m/s²{}", contact.name, opening,
                                  held ? "; its other rows are held all the same, which no open contact does" : ""));
  }
}

/// Which rows depend on each other; of many ways only how many.
void add_dependences(const CouplingsAnswer& answer, std::vector<std::string>& notes)
{
  const Couplings& found = answer.result;
  constexpr std::size_t kMostToTell = 2;
  if (found.dependences.size() > kMostToTell)
    notes.push_back(
        fmt::format("rows depend on each other in {} ways, in each of which force can be shifted "
                    "between them (`dependences` of the JSON report)",
                    found.dependences.size()));
  for (const Dependence& dependence : found.dependences) {
    if (found.dependences.size() > kMostToTell) break;
    const std::vector<std::string> rows = heavy_rows(answer, dependence.unilateral, dependence.bilateral);
    const std::string words = rows.size() == 1
                                  ? rows[0] + " moves nothing, so that its force can be anything"
                                  : listed(rows) + " depend on each other: force can be shifted between them";
    if (std::ranges::find(notes, words) == notes.end()) notes.push_back(words);
  }
}

/// Contacts with a kinetic angle above a right one between them, within what held rows leave: Brogliato 2013,
/// section 3.
void add_obtuse_corners(const CouplingsAnswer& answer, std::vector<std::string>& notes)
{
  constexpr double kBeyondRight = 0.5 * std::numbers::pi + 1e-9, kStraight = std::numbers::pi - 1e-6;
  const Eigen::MatrixXd& angles = answer.result.constrained_angles.uu;
  int pairs = 0;
  Eigen::Index first = 0, second = 0;
  for (Eigen::Index i = 0; i < angles.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      if (!(angles(i, j) > kBeyondRight && angles(i, j) < kStraight)) continue;
      if (pairs++ == 0 || angles(i, j) > angles(first, second)) first = i, second = j;
    }
  if (pairs == 0) return;
  const auto name = [&](Eigen::Index row) {
    return row_name(answer, answer.result.unilateral[static_cast<std::size_t>(row)]);
  };
  notes.push_back(fmt::format(
      "{} and {} have a kinetic angle of {:.4g} degrees, above 90{}: what happens when both close at once "
      "depends discontinuously on the data",
      name(second), name(first), angles(first, second) * 180.0 / std::numbers::pi,
      pairs > 1 ? fmt::format(", as {} in all do", pairs == 2 ? "two pairs" : std::to_string(pairs) + " pairs") : ""));
}

/// Which rows act most on each other, and how.
void add_strongest_coupling(const CouplingsAnswer& answer, std::vector<std::string>& notes)
{
  const Couplings& found = answer.result;
  const std::string fighting = listed(heavy_rows(answer, found.worst_unilateral, {})) + " against " +
                               listed(heavy_rows(answer, {}, found.worst_bilateral));
  const double angle = std::acos(std::min(1.0, found.principal_cosines[0])) * 180.0 / std::numbers::pi;
  notes.push_back(
      "strongest coupling: " + fighting +
      (found.singularity_margin > kRounding
           ? fmt::format("; kinetic angle {:.4g} degrees, singularity margin {:.4g}", angle, found.singularity_margin)
           : ", which cannot be told apart"));
  Eigen::Index held = 0, contact = 0;
  found.shock_gain.cwiseAbs().maxCoeff(&held, &contact);
  notes.push_back(fmt::format("largest shock: an impulse of 1 at {} comes with {:.4g} at {}",
                              row_name(answer, found.unilateral[static_cast<std::size_t>(contact)]),
                              found.shock_gain(held, contact),
                              row_name(answer, found.bilateral[static_cast<std::size_t>(held)])));
}

}  // namespace

std::string summary_of(const CouplingsAnswer& answer)
{
  const Couplings& found = answer.result;
  switch (found.solvable) {
    case Verdict::kUndecided:
      return "undecided: " + found.reason;
    case Verdict::kFails:
      if (found.imbalance.size() > 0)
        return "fails: no forces balance the load, which moves massless parts that nothing holds";
      return "fails: no acceleration keeps all rows, whatever the forces: " +
             listed(heavy_rows(answer, found.contradiction(found.unilateral), found.contradiction(found.bilateral))) +
             " contradict each other";
    case Verdict::kHolds:
      break;
  }
  if (answer.row_names.empty()) return "holds: there are no contacts or closures, so nothing is coupled";
  std::string words = found.balanced ? "holds: nothing accelerates" : "holds: an acceleration keeps all rows";
  if (found.forces_unique == Verdict::kHolds) words += ", with one set of forces";
  if (found.forces_unique == Verdict::kFails) words += ", with forces that are not unique";
  return words;
}

AnswerText couplings_text(const ScenarioReport& report)
{
  AnswerText text;
  const CouplingsAnswer& answer = std::get<CouplingsAnswer>(report.answer);
  const Couplings& found = answer.result;
  text.outcome = found.solvable != Verdict::kHolds ? "CONTRADICTION"
                 : answer.row_names.empty()        ? "NO CONTACTS"
                                                   : "ALL ROWS KEPT";
  if (found.solvable == Verdict::kHolds && !answer.row_names.empty()) text.table = rows_text(answer);
  if (found.solvable == Verdict::kHolds) add_openings(answer, text.notes);
  if (!found.definite_mass)
    text.notes.push_back("the mass matrix is singular: nothing is said about inertial couplings");
  add_dependences(answer, text.notes);
  if (!found.definite_mass) return text;
  if (!found.unilateral.empty() && !found.bilateral.empty() && found.decoupled)
    text.notes.push_back("contacts and held rows do not act on each other: no shock passes");
  if (found.principal_cosines.size() > 0 && !found.decoupled) add_strongest_coupling(answer, text.notes);
  add_obtuse_corners(answer, text.notes);
  return text;
}

}  // namespace stiction::internal
