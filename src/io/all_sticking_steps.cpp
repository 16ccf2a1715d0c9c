// The steps of the paper's algorithm, spelled (docs/theory.md).
#include <fmt/format.h>

#include <algorithm>

#include "base/numerics.hpp"
#include "io/all_sticking_answer.hpp"
#include "io/json.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "stiction/paper/propositions.hpp"

namespace stiction::internal {
namespace {

constexpr double kWorthNaming = 1e-9;  // share of an internal force

Json range_json(const Margin& range)
{
  return range.state == Margin::State::kKnown ? Json{json(range.lower), json(range.upper)} : Json();
}

Json ranges_json(const std::vector<std::string>& names, const std::vector<Margin>& ranges)
{
  Json entry = Json::object();
  for (std::size_t i = 0; i < ranges.size(); ++i) entry[names[i]] = range_json(ranges[i]);
  return entry;
}

Json internal_force_json(const StickingSteps& steps, Eigen::Index k)
{
  Json entry = Json::object();
  for (Eigen::Index r = 0; r < steps.internal_forces.rows(); ++r)
    if (std::abs(steps.internal_forces(r, k)) > kWorthNaming)
      entry[steps.row_names[static_cast<std::size_t>(r)]] = steps.internal_forces(r, k);
  return entry;
}

Json contact_names(const ContactProblem& problem, const std::vector<int>& contacts)
{
  Json names = Json::array();
  for (const int contact : contacts) names.push_back(problem.contacts[static_cast<std::size_t>(contact)].name);
  return names;
}

const char* motion_name(PredictedMotion motion)
{
  return motion == PredictedMotion::kSticks ? "sticks" : motion == PredictedMotion::kSlips ? "slips" : "detaches";
}

const char* outcome_name(PredictionOutcome outcome)
{
  switch (outcome) {
    case PredictionOutcome::kConverged:
      return "converged";
    case PredictionOutcome::kSingularMass:
      return "not applicable: M is singular";
    case PredictionOutcome::kContradiction:
      return "closures contradict each other";
    case PredictionOutcome::kNotConverged:
      return "not converged";
    case PredictionOutcome::kNotRun:
      break;
  }
  return "not run";
}

Json prediction_json(const ContactProblem& problem, const Prediction& prediction)
{
  Json entry = {{"outcome", outcome_name(prediction.outcome)}, {"contacts", Json::object()}};
  if (!prediction.converged()) return entry;
  for (std::size_t i = 0; i < prediction.contacts.size(); ++i) {
    const ContactPrediction& contact = prediction.contacts[i];
    entry["contacts"][problem.contacts[i].name] = {
        {"motion", motion_name(contact.motion)},
        {"tangential_acceleration",
         json(Eigen::VectorXd(contact.tangential_acceleration.head(problem.contacts[i].tangents)))}};
  }
  return entry;
}

Json closure_forces_json(const ContactProblem& problem, const StickingSteps& steps)
{
  Json entry = Json::object();
  for (const LoopConstraint& closure : problem.loops)
    for (int k = 0; k < closure.rows; ++k) {
      const auto row = static_cast<std::size_t>(closure.row + k);
      entry[steps.row_names[row]] = range_json(steps.multipliers[row]);
    }
  return entry;
}

/// Steps 2 to 7, which there are only where the MLCP is solvable.
void append_solved(const ContactProblem& problem, const StickingSteps& steps, Json& list)
{
  Json normals = Json::object(), disks = Json::object(), forces = Json::array();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    normals[problem.contacts[i].name] = steps.normal_acceleration[static_cast<Eigen::Index>(i)];
    disks[problem.contacts[i].name] = range_json(steps.disk_radius[i]);
  }
  for (Eigen::Index k = 0; k < steps.internal_forces.cols(); ++k) forces.push_back(internal_force_json(steps, k));
  list.push_back({{"step", 2},
                  {"name", "motion"},
                  {"solvable", true},
                  {"acceleration", by_joint(problem, steps.acceleration)},
                  {"unique", steps.acceleration_unique},
                  {"normal_acceleration", normals},
                  {"closure_forces", closure_forces_json(problem, steps)}});
  list.push_back({{"step", 3},
                  {"name", "multipliers"},
                  {"dimension", steps.internal_forces.cols()},
                  {"internal_forces", forces},
                  {"ranges", ranges_json(steps.row_names, steps.multipliers)}});
  list.push_back({{"step", 4}, {"name", "disks"}, {"radius", disks}});
  list.push_back({{"step", 5},
                  {"name", "intersection"},
                  {"verdict", name_of(steps.verdict)},
                  {"ranges", ranges_json(steps.row_names, steps.admissible)}});
}

/// The largest finite number among ends of ranges.
double size_of(const std::vector<Margin>& ranges)
{
  double size = 0.0;
  for (const Margin& range : ranges)
    for (const double end : {range.lower, range.upper})
      if (std::isfinite(end)) size = std::max(size, std::abs(end));
  return size;
}

/// @param scale beside which rounding is nothing
std::string range_text(const Margin& range, double scale)
{
  if (range.state != Margin::State::kKnown) return "not told";
  return interval_text(tidy(range.lower, scale), tidy(range.upper, scale), 6);
}

void append_ranges(std::string& out, const StickingSteps& steps, const std::vector<Margin>& ranges)
{
  const double scale = size_of(steps.multipliers);
  std::size_t width = 0;
  for (const std::string& name : steps.row_names) width = std::max(width, std::min<std::size_t>(name.size(), 32));
  for (std::size_t i = 0; i < ranges.size(); ++i)
    out += fmt::format("     {:<{}}  {}\n", steps.row_names[i], width, range_text(ranges[i], scale));
}

std::string names_text(const ContactProblem& problem, const std::vector<int>& contacts)
{
  std::string names;
  for (const int contact : contacts)
    names += (names.empty() ? "" : ", ") + problem.contacts[static_cast<std::size_t>(contact)].name;
  return names.empty() ? "none" : names;
}

/// Bases, planar and floating joints tell velocities in their own axes: where these turn, accelerations have a share of
/// that.
const char* axes_text(const ContactProblem& problem, const std::string& moving)
{
  const bool own_axes = std::ranges::any_of(problem.dofs, [](const Dof& dof) { return dof.size > 1; });
  if (!own_axes || moving.empty() || problem.gamma.isZero(0.0)) return "";
  return " (of a base or planar joint: in its own axes, which turn with it)";
}

void append_motion(std::string& out, const ContactProblem& problem, const StickingSteps& steps, Detachment detachment)
{
  std::string moving;
  const double largest = steps.acceleration.size() > 0 ? steps.acceleration.lpNorm<Eigen::Infinity>() : 0.0;
  for (Eigen::Index i = 0; i < steps.acceleration.size(); ++i)
    if (std::abs(steps.acceleration[i]) > kWorthNaming * largest)
      moving += fmt::format("{}{} {:+.6g}", moving.empty() ? "" : ", ", problem.dof_names[static_cast<std::size_t>(i)],
                            steps.acceleration[i]);
  append_item(out,
              fmt::format("2 motion: acceleration {}{}{}", moving.empty() ? "zero" : moving, axes_text(problem, moving),
                          detachment == Detachment::kFree ? ", others were not looked for"
                          : steps.acceleration_unique     ? ", the only one"
                                                          : ", one of several"));
  for (const LoopConstraint& closure : problem.loops)
    for (int k = 0; k < closure.rows; ++k) {
      const auto row = static_cast<std::size_t>(closure.row + k);
      out += fmt::format("     {}: {} N\n", steps.row_names[row],
                         range_text(steps.multipliers[row], size_of(steps.multipliers)));
    }
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (const double opening = steps.normal_acceleration[static_cast<Eigen::Index>(i)];
        std::abs(opening) > kWorthNaming * std::max(largest, kTiny))
      out += fmt::format("     {} opens with {:.6g} m/s²\n", problem.contacts[i].name, opening);
}

void append_multipliers(std::string& out, const StickingSteps& steps)
{
  append_item(out, fmt::format("3 multipliers: {} internal force{}", steps.internal_forces.cols(),
                               steps.internal_forces.cols() == 1 ? "" : "s"));
  for (Eigen::Index k = 0; k < steps.internal_forces.cols(); ++k) {
    std::string force;
    for (Eigen::Index r = 0; r < steps.internal_forces.rows(); ++r)
      if (std::abs(steps.internal_forces(r, k)) > kWorthNaming)
        force += fmt::format("{}{:+.6g} {}", force.empty() ? "" : ", ", steps.internal_forces(r, k),
                             steps.row_names[static_cast<std::size_t>(r)]);
    append_item(out, "internal: " + force);
  }
  append_ranges(out, steps, steps.multipliers);
}

/// Step 2 where there is no motion to show.
std::string no_motion(const StickingSteps& steps, Detachment detachment)
{
  if (steps.verdict == Verdict::kUndecided) return "not found";
  if (detachment == Detachment::kFree) return "none, whichever contacts leave";
  return "none, the MLCP is not solvable";
}

void append_persistence(std::string& out, const ContactProblem& problem, const StickingSteps& steps)
{
  append_item(out, fmt::format("7 persistence (P4): {}; strictly inside: {}; at the rim: {}; outside: {}",
                               steps.persists ? "every contact goes on sticking for continuous data" : "not claimed",
                               names_text(problem, steps.strict), names_text(problem, steps.rim),
                               names_text(problem, steps.violated)));
  if (!steps.prediction) return;
  std::string next = outcome_name(steps.prediction->outcome);
  if (steps.prediction->converged()) {
    next.clear();
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      next += fmt::format("{}{} {}", i == 0 ? "" : ", ", problem.contacts[i].name,
                          motion_name(steps.prediction->contacts[i].motion));
  }
  append_item(
      out,
      "what Coulomb's law at the acceleration level (69) has next, one solution of perhaps several and no proof: " +
          next);
}

}  // namespace

Json steps_json(const ContactProblem& problem, const AllStickingAnswer& answer)
{
  const StickingSteps& steps = *answer.steps;
  Json list = Json::array();
  list.push_back({{"step", 1},
                  {"name", "data"},
                  {"dofs", steps.dofs},
                  {"contacts", steps.contacts},
                  {"closures", steps.closures},
                  {"rows", steps.rows},
                  {"rank_mass", steps.rank_mass},
                  {"rank_rows", steps.rank_rows}});
  if (steps.doubtful_rank) list.back()["doubtful_rank"] = *steps.doubtful_rank;
  if (steps.solvable)
    append_solved(problem, steps, list);
  else
    list.push_back({{"step", 2}, {"name", "motion"}, {"solvable", false}});
  list.push_back({{"step", 6}, {"name", "repair"}, {"changes", repairs_json(problem, answer)}});
  list.push_back({{"step", 7},
                  {"name", "persistence"},
                  {"persists", steps.persists},
                  {"strict", contact_names(problem, steps.strict)},
                  {"rim", contact_names(problem, steps.rim)},
                  {"violated", contact_names(problem, steps.violated)},
                  {"prediction", steps.prediction ? prediction_json(problem, *steps.prediction) : Json()}});
  Json propositions = Json::array();
  for (const PropositionAtWork& proposition : steps.propositions)
    propositions.push_back({{"name", proposition.name},
                            {"about", proposition.about},
                            {"applies", proposition.failed.empty()},
                            {"hypotheses_failed", proposition.failed},
                            {"says", proposition.says}});
  list.push_back({{"step", 8}, {"name", "propositions"}, {"propositions", propositions}});
  return list;
}

std::string steps_text(const ContactProblem& problem, const AllStickingAnswer& answer)
{
  const StickingSteps& steps = *answer.steps;
  std::string out = "\nsteps of the algorithm:\n";
  append_item(out,
              fmt::format("1 data: degrees of freedom {} (rank of M {}), contacts {}, closures {}, rows {} (rank {})",
                          steps.dofs, steps.rank_mass, steps.contacts, steps.closures, steps.rows, steps.rank_rows));
  if (steps.doubtful_rank)
    append_item(out, fmt::format("this rank hangs on last digits: a singular value of {:.2g} counts as {}",
                                 *steps.doubtful_rank, *steps.doubtful_rank > kRankTolerance ? "one" : "none"));
  if (!steps.solvable) {
    append_item(out, "2 motion: " + no_motion(steps, answer.rules.detachment));
  } else {
    append_motion(out, problem, steps, answer.rules.detachment);
    append_multipliers(out, steps);
    append_item(out, "4 disks: radius mu |normal force|, N");
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      out += fmt::format("     {}: {}\n", problem.contacts[i].name,
                         range_text(steps.disk_radius[i], size_of(steps.disk_radius)));
    append_item(out, std::string("5 intersection: ") +
                         (steps.verdict == Verdict::kHolds   ? "forces that every disk allows"
                          : steps.verdict == Verdict::kFails ? "empty, no multiplier is in every disk"
                                                             : "undecided"));
    append_ranges(out, steps, steps.admissible);
    if (steps.verdict == Verdict::kHolds && steps.admissible.empty() && steps.rows > 0)
      out += std::ranges::all_of(steps.multipliers,
                                 [](const Margin& range) { return range.state != Margin::State::kKnown; })
                 ? "     (no ranges of so many rows)\n"
                 : "     (no ranges: a bilateral contact may push or pull)\n";
  }
  const std::vector<std::string> repairs = repairs_words(problem, answer);
  append_item(out, fmt::format("6 repair: {}", repairs.empty() ? "nothing to say" : "each by itself"));
  for (const std::string& repair : repairs) append_item(out, "repair: " + repair);
  if (steps.solvable) append_persistence(out, problem, steps);
  out += "\npropositions of the paper:\n";
  for (const PropositionAtWork& proposition : steps.propositions) {
    std::string why;
    for (const std::string& failed : proposition.failed) why += (why.empty() ? "does not apply: " : "; ") + failed;
    append_item(out, proposition.name + " (" + proposition.about + "): " + (why.empty() ? proposition.says : why));
  }
  return out;
}

}  // namespace stiction::internal
