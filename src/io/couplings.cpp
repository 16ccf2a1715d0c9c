// The question couplings: how do contacts and held rows act on each other through the masses? (docs/couplings.md)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ask/coupling_parts.hpp"
#include "base/text.hpp"
#include "io/judgement.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "stiction/couplings_input.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

void require_for_couplings(const Scenario& scenario)
{
  require_no_sliding(scenario);
  require_default_rules(scenario);
}

/// "toe normal", "toe t1", "loop x", "guide": one name per row of J. Pins and welds have rows along the world's axes.
std::vector<std::string> row_names(const ContactProblem& problem)
{
  static const char* const kParts[] = {" x", " y", " z", " about x", " about y", " about z"};
  std::vector<std::string> names(static_cast<std::size_t>(problem.rows()));
  for (const Contact& contact : problem.contacts)
    for (int k = 0; k < contact.rows(); ++k)
      names[static_cast<std::size_t>(contact.row + k)] =
          contact.name + (k == 0                  ? " normal"
                          : k <= contact.tangents ? " t" + std::to_string(k)
                                                  : " torsion");
  for (const LoopConstraint& closure : problem.loops)
    for (int k = 0; k < closure.rows; ++k)
      names[static_cast<std::size_t>(closure.row + k)] = closure.name + (closure.rows == 1 ? "" : kParts[k]);
  return names;
}

/// The words "a, b and c".
std::string listed(const std::vector<std::string>& items)
{
  std::string words;
  for (std::size_t i = 0; i < items.size(); ++i)
    words += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return words;
}

/// Angles of rows of zeros do not exist: null.
Json angles_json(const Eigen::MatrixXd& angles)
{
  Json rows = json(angles);
  for (Json& row : rows)
    for (Json& angle : row)
      if (angle.is_string()) angle = nullptr;
  return rows;
}

/// Rows that take part, what they are called, and what is known about them.
struct NamedCouplings {
  ContactProblem problem;
  std::vector<std::string> names;
  Couplings found;

  const std::string& name(int row) const { return names[static_cast<std::size_t>(row)]; }

  /// The rows that matter in a weighted sum of unilateral and bilateral ones: those that weigh more than a tenth of the
  /// heaviest, lengths taken in M⁻¹ so that units do not matter.
  std::vector<std::string> heavy_rows(const Eigen::VectorXd& unilateral, const Eigen::VectorXd& bilateral) const
  {
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
      if (share > 0.1 * heaviest) heavy.push_back(name(row));
    return heavy;
  }

  std::string summary() const;
  void write_claims(bool intervals, Json& claims) const;
};

std::string NamedCouplings::summary() const
{
  switch (found.solvable) {
    case Verdict::kUndecided:
      return "undecided: " + found.reason;
    case Verdict::kFails:
      return "fails: no acceleration keeps all rows, whatever the forces: " +
             listed(heavy_rows(found.contradiction(found.unilateral), found.contradiction(found.bilateral))) +
             " contradict each other";
    case Verdict::kHolds:
      break;
  }
  std::string words = found.at_rest ? "holds: at rest" : "holds: an acceleration keeps all rows";
  words += found.forces_unique ? ", with one set of forces" : ", with forces that are not unique";
  return words;
}

/// acceleration, rows, indeterminacy and couplings of a report.
void NamedCouplings::write_claims(bool intervals, Json& claims) const
{
  const bool holds = found.solvable == Verdict::kHolds;
  const auto row_names = [&](const std::vector<int>& rows) {
    Json list = Json::array();
    for (const int row : rows) list.push_back(name(row));
    return list;
  };
  claims["acceleration"]["values"] = holds ? by_joint(problem, found.acceleration) : Json();
  claims["acceleration"]["unique"] = holds && found.definite_mass;
  claims["efforts"] = unproved();
  claims["rows"] = Json::array();
  for (const auto& [rows, kind] : {std::pair{&found.unilateral, "unilateral"}, {&found.bilateral, "bilateral"}})
    for (const int row : *rows) {
      const Margin range =
          intervals && !found.intervals.empty() ? found.intervals[static_cast<std::size_t>(row)] : Margin();
      Json interval;
      if (holds && intervals && range.state == Margin::State::kKnown) interval = {json(range.lower), json(range.upper)};
      claims["rows"].push_back({{"name", name(row)},
                                {"kind", kind},
                                {"force", holds ? json(found.forces[row]) : Json()},
                                {"interval", interval}});
    }
  claims["indeterminacy"]["degree"] = found.redundancy;

  Json& couplings = claims["couplings"];
  couplings["unilateral"] = row_names(found.unilateral);
  couplings["bilateral"] = row_names(found.bilateral);
  couplings["rank_unilateral"] = found.rank_unilateral;
  couplings["rank_bilateral"] = found.rank_bilateral;
  couplings["rank_all"] = found.rank_all;
  couplings["unique_for_all_data"] = found.unique_for_all_data;
  couplings["forces_unique"] = found.forces_unique;
  couplings["at_rest"] = found.at_rest;
  couplings["dependences"] = Json::array();
  for (const Dependence& dependence : found.dependences)
    couplings["dependences"].push_back(
        {{"unilateral", json(dependence.unilateral)}, {"bilateral", json(dependence.bilateral)}});
  if (found.definite_mass) {
    couplings["A"] = json(found.A);
    couplings["B"] = json(found.B);
    couplings["E"] = json(found.E);
    couplings["Ac"] = json(found.Ac);
    couplings["constrained_inertia_inverse"] = json(found.constrained_inertia_inverse);
    couplings["smallest_A"] = json(found.smallest_A);
    couplings["smallest_B"] = json(found.smallest_B);
    couplings["smallest_Ac"] = json(found.smallest_Ac);
    couplings["angles"] = {{"unilateral", angles_json(found.angles.uu)},
                           {"unilateral_bilateral", angles_json(found.angles.ub)},
                           {"bilateral", angles_json(found.angles.bb)},
                           {"constrained", angles_json(found.constrained_angles.uu)}};
    couplings["principal_cosines"] = json(found.principal_cosines);
    couplings["singularity_margin"] = json(found.singularity_margin);
    couplings["worst"] = {{"unilateral", json(found.worst_unilateral)}, {"bilateral", json(found.worst_bilateral)}};
    couplings["shock_gain"] = json(found.shock_gain);
    couplings["decoupled"] = found.decoupled;
    couplings["reduced_coordinate_gap"] = json(found.reduced_coordinate_gap);
  }
}

TangentialRows read_tangential(const std::string& name)
{
  return name == "held" ? TangentialRows::kHeld : TangentialRows::kLeftOut;
}

/// Which rows take part is a matter of the question.
Json question_json(const NamedCouplings& asked, const std::string& tangential)
{
  Json entry;
  entry["problem"] = problem_json(asked.problem);
  entry["tangential"] = tangential;
  entry["unilateral"] = asked.found.unilateral;
  entry["bilateral"] = asked.found.bilateral;
  return entry;
}

Json proof_json(const Couplings& found)
{
  const bool holds = found.solvable == Verdict::kHolds, fails = found.solvable == Verdict::kFails;
  Json entry;
  entry["kind"] = holds ? "forces" : fails ? "contradiction" : "none";
  entry["a"] = json(holds ? found.acceleration : Eigen::VectorXd());
  entry["lambda"] = json(holds ? found.forces : fails ? found.contradiction : Eigen::VectorXd());
  return entry;
}

class CouplingsAnswer final : public Answer {
 public:
  explicit CouplingsAnswer(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override;
  void ask(const Situation& situation, Extras extras) override;
  Json question(const Report&) const override { return question_json(asked_, tangential_); }

  Verdict verdict() const override { return asked_.found.solvable; }
  int iterations() const override { return 0; }
  std::string summary() const override { return asked_.summary(); }
  void write_row(std::vector<RowCell>& cells) const override;
  void write_json(const Report& report, Json& json_report) const override;
  AnswerText text(const Report& report) const override;

 private:
  void read_rows(const Situation& situation);
  bool coupled() const
  {
    const Couplings& found = asked_.found;
    return found.definite_mass && found.principal_cosines.size() > 0 && !found.decoupled;
  }
  std::string fighting() const
  {
    return listed(asked_.heavy_rows(asked_.found.worst_unilateral, {})) + " against " +
           listed(asked_.heavy_rows({}, asked_.found.worst_bilateral));
  }
  double largest_shock() const
  {
    const Eigen::MatrixXd& gain = asked_.found.shock_gain;
    return gain.size() > 0 ? gain.cwiseAbs().maxCoeff() : 0.0;
  }

  CouplingChecker checker_;
  NamedCouplings asked_;
  std::string tangential_;  ///< held or left_out
  bool intervals_ = false;
};

void CouplingsAnswer::read_rows(const Situation& situation)
{
  require_given_efforts(situation);
  tangential_ = situation.scenario.options.tangential;
  asked_.problem = couplings_input(situation.scene, situation.state, situation.problem, read_tangential(tangential_));
  asked_.names = row_names(asked_.problem);
}

void CouplingsAnswer::read(const Situation& situation)
{
  read_rows(situation);
  asked_.found = inertial_couplings(asked_.problem, read_tangential(tangential_));
}

void CouplingsAnswer::ask(const Situation& situation, Extras extras)
{
  read_rows(situation);
  intervals_ = situation.scenario.options.intervals.value_or(extras == Extras::kAll);
  asked_.found = checker_.check(asked_.problem, {read_tangential(tangential_), intervals_});
}

void CouplingsAnswer::write_row(std::vector<RowCell>& cells) const
{
  const Couplings& found = asked_.found;
  const auto number = [&](double value) { return found.definite_mass ? std::optional(value) : std::nullopt; };
  cells.push_back({"redundancy", static_cast<double>(found.redundancy)});
  cells.push_back({"singularity_margin", number(found.singularity_margin)});
  cells.push_back({"smallest_Ac", number(found.smallest_Ac)});
  cells.push_back({"largest_shock", number(largest_shock())});
}

void CouplingsAnswer::write_json(const Report& report, Json& json_report) const
{
  asked_.write_claims(intervals_, json_report);
  json_report["efforts"] = Json::object();
  for (const auto& [joint, effort] : given_efforts(report.scenario, asked_.problem))
    json_report["efforts"][joint] = json(effort);
  json_report["certificate"] = question(report);
  json_report["certificate"].update(proof_json(asked_.found));
}

AnswerText CouplingsAnswer::text(const Report&) const
{
  AnswerText text;
  const Couplings& found = asked_.found;
  const bool holds = found.solvable == Verdict::kHolds;
  std::size_t width = 3;
  for (const std::string& name : asked_.names) width = std::max(width, name.size());
  width = std::min<std::size_t>(width, 30);
  if (holds && !asked_.names.empty())
    text.table = fmt::format("\n{:<{}}  {:<10} {:>11}  range\n", "row", width, "kind", "force");
  for (const auto& [rows, kind] : {std::pair{&found.unilateral, "unilateral"}, {&found.bilateral, "bilateral"}})
    for (const int row : *rows) {
      if (!holds) continue;
      const Margin interval = found.intervals.empty() ? Margin() : found.intervals[static_cast<std::size_t>(row)];
      text.table += fmt::format("{:<{}}  {:<10} {:>11.5g}", asked_.name(row), width, kind, found.forces[row]);
      const double slack = kSolve * found.forces.lpNorm<Eigen::Infinity>();
      const bool known = interval.state == Margin::State::kKnown;
      if (intervals_ && !known) text.table += "  unknown";
      if (intervals_ && known && interval.upper - interval.lower > slack)
        text.table += "  " + interval_text(interval.lower, interval.upper, 5);
      text.table += "\n";
    }

  if (!found.definite_mass)
    text.notes.push_back("the mass matrix is singular: nothing is said about inertial couplings");
  constexpr std::size_t kMostToTell = 2;
  if (found.dependences.size() > kMostToTell)
    text.notes.push_back(
        fmt::format("rows depend on each other in {} ways, in each of which force can be shifted "
                    "between them (`dependences` of the JSON report)",
                    found.dependences.size()));
  for (const Dependence& dependence : found.dependences) {
    if (found.dependences.size() > kMostToTell) break;
    const std::vector<std::string> rows = asked_.heavy_rows(dependence.unilateral, dependence.bilateral);
    const std::string words = rows.size() == 1
                                  ? rows[0] + " moves nothing, so that its force can be anything"
                                  : listed(rows) + " depend on each other: force can be shifted between them";
    if (std::ranges::find(text.notes, words) == text.notes.end()) text.notes.push_back(words);
  }
  if (found.definite_mass && !found.unilateral.empty() && !found.bilateral.empty() && found.decoupled)
    text.notes.push_back("contacts and held rows do not act on each other: no shock passes");
  if (!coupled()) return text;
  const double angle = std::acos(std::min(1.0, found.principal_cosines[0])) * 180.0 / M_PI;
  text.notes.push_back(
      "strongest coupling: " + fighting() +
      (found.singularity_margin > kRounding
           ? fmt::format("; kinetic angle {:.4g} degrees, singularity margin {:.4g}", angle, found.singularity_margin)
           : ", which cannot be told apart"));
  Eigen::Index held = 0, contact = 0;
  found.shock_gain.cwiseAbs().maxCoeff(&held, &contact);
  text.notes.push_back(fmt::format("largest shock: an impulse of 1 at {} comes with {:.4g} at {}",
                                   asked_.name(found.unilateral[static_cast<std::size_t>(contact)]),
                                   found.shock_gain(held, contact),
                                   asked_.name(found.bilateral[static_cast<std::size_t>(held)])));
  return text;
}

/// Entries that are a choice among equals: bases of null spaces.
constexpr const char* kChoices[] = {"dependences", "worst"};

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Judgement judge_couplings_report(const Field& report)
{
  const Field source = report["certificate"];
  const std::string kind = source["kind"].text(), tangential = source["tangential"].text();
  if (kind != "forces" && kind != "contradiction") source["kind"].fail("forces | contradiction");
  if (tangential != "held" && tangential != "left_out") source["tangential"].fail("held | left_out");
  const bool forces = kind == "forces";
  NamedCouplings asked;
  asked.problem = read_problem(source["problem"]);
  Couplings& found = asked.found;
  try {
    found = inertial_couplings(asked.problem, read_tangential(tangential));
  } catch (const InputError& error) {
    return Judgement::refusal(std::string("the certificate's problem is not one: ") + error.what());
  }
  asked.names = row_names(asked.problem);
  const Eigen::VectorXd a = source["a"].vector(forces ? asked.problem.nv() : 0);
  const Eigen::VectorXd lambda = source["lambda"].vector(asked.problem.rows());
  std::string why = "the rows do not contradict each other";
  if (!(forces ? proves_motion(asked.problem, found.unilateral, found.bilateral, a, lambda, &why)
               : proves_contradiction(asked.problem, found.unilateral, found.bilateral, lambda)))
    return Judgement::refusal("the certificate proves nothing: " + why);
  found.solvable = forces ? Verdict::kHolds : Verdict::kFails;
  found.acceleration = a;
  (forces ? found.forces : found.contradiction) = lambda;
  std::vector<int> active;
  if (forces) read_motion(asked.problem, found, active);

  Judgement judged;
  judged.verdict = found.solvable;
  judged.summary = asked.summary();
  judged.proved = "by " + kind;
  asked.write_claims(false, judged.claims);
  if (forces) leave_intervals(report["rows"], "interval", judged.claims["rows"], "force");
  for (const char* key : kChoices)
    if (judged.claims["couplings"].contains(key)) judged.claims["couplings"][key] = unproved();
  judged.derived = "couplings";
  judged.question = question_json(asked, tangential);
  judged.proof = proof_json(found);
  return judged;
}

std::vector<std::string> couplings_columns(const ScenarioOptions&)
{
  return {"redundancy", "singularity_margin", "smallest_Ac", "largest_shock"};
}

}  // namespace

extern const QuestionKind kCouplingsKind{Question::kCouplings, require_for_couplings, make_answer<CouplingsAnswer>,
                                         couplings_columns, judge_couplings_report};

}  // namespace stiction::internal
