// The question couplings: how do contacts and held rows act on each other through the masses? (docs/couplings.md)
#include "stiction/couplings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/json.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "problem/linear_algebra.hpp"
#include "problem/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

void require_for_couplings(const Scenario& scenario)
{
  require_no_sliding(scenario);
  require_default_rules(scenario);
}

/// A contact without friction has nothing to hold it along its surface: its tangential rows go.
ContactProblem without_frictionless_tangents(const ContactProblem& problem)
{
  ContactProblem result = problem;
  std::vector<int> kept;
  const auto keep = [&](int first, int count) {
    const int start = static_cast<int>(kept.size());
    for (int k = 0; k < count; ++k) kept.push_back(first + k);
    return start;
  };
  for (Contact& contact : result.contacts) {
    const int first = contact.row, torsion = first + 1 + contact.tangents;
    if (contact.mu == 0.0) contact.tangents = 0;
    contact.row = keep(first, 1 + contact.tangents);
    if (contact.torsional) keep(torsion, 1);
  }
  for (Closure& closure : result.closures) closure.row = keep(closure.row, closure.rows);
  result.J = problem.J(kept, Eigen::all);
  result.gamma = problem.gamma(kept);
  return result;
}

/// "toe normal", "toe t1", "loop x", "guide": one name per row of J. Pins and welds have rows along the world's axes.
std::vector<std::string> row_names(const ContactProblem& problem)
{
  static const char* const kParts[] = {" x", " y", " z", " about x", " about y", " about z"};
  std::vector<std::string> names(static_cast<std::size_t>(problem.rows()));
  for (const Contact& contact : problem.contacts)
    for (int k = 0; k < contact.rows(); ++k)
      names[static_cast<std::size_t>(contact.row + k)] =
          contact.name + (k == 0 ? " normal" : k <= contact.tangents ? " t" + std::to_string(k) : " torsion");
  for (const Closure& closure : problem.closures)
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

/// Empty when a block of the report is the one that the certificate's problem gives, entries measured by the lengths of their two
/// rows in M⁻¹: one that is zero in truth is rounding of those.
std::string block_disagreement(const Field& couplings, const char* name, const Eigen::MatrixXd& wanted,
                               const Eigen::VectorXd& left, const Eigen::VectorXd& right)
{
  const Eigen::MatrixXd shown = couplings[name].matrix(wanted.rows(), wanted.cols());
  constexpr double kSame = 1e-8;  // two ways to invert M
  for (Eigen::Index i = 0; i < wanted.rows(); ++i)
    for (Eigen::Index j = 0; j < wanted.cols(); ++j)
      if (!(std::abs(shown(i, j) - wanted(i, j)) <= kSame * left[i] * right[j]))
        return std::string(name) + " is not that of the certificate's problem";
  return "";
}

/// A = Jh M⁻¹Jh', B and E, the same way when they are shown and when they are checked.
struct Blocks {
  Eigen::MatrixXd A, B, E;

  Blocks(const ContactProblem& problem, const std::vector<int>& unilateral, const std::vector<int>& bilateral)
  {
    const Eigen::MatrixXd Jh = problem.J(unilateral, Eigen::all), Jg = problem.J(bilateral, Eigen::all);
    const auto times = [&](const Eigen::MatrixXd& left, const Eigen::MatrixXd& right) -> Eigen::MatrixXd {
      if (left.size() == 0 || right.size() == 0) return Eigen::MatrixXd::Zero(left.rows(), right.rows());
      return left * solve_definite(problem.M, right.transpose());
    };
    A = times(Jh, Jh);
    B = times(Jg, Jg);
    E = times(Jh, Jg);
  }

  std::string disagreement(const Field& couplings) const
  {
    const Eigen::VectorXd h = A.diagonal().cwiseAbs().cwiseSqrt(), g = B.diagonal().cwiseAbs().cwiseSqrt();
    std::string wrong = block_disagreement(couplings, "A", A, h, h);
    if (wrong.empty()) wrong = block_disagreement(couplings, "B", B, g, g);
    return wrong.empty() ? block_disagreement(couplings, "E", E, h, g) : wrong;
  }
};

class CouplingsAnswer final : public Answer {
 public:
  explicit CouplingsAnswer(const std::string& solver) : analyser_(make_engine(solver)) {}

  void ask(const Situation& situation, Extras extras) override;

  Verdict verdict() const override { return found_.solvable; }
  int iterations() const override { return 0; }
  std::string summary() const override;
  void write_row(std::vector<RowCell>& cells) const override;
  void write_json(const Report& report, Json& json_report) const override;
  AnswerText text(const Report& report) const override;

 private:
  bool coupled() const { return found_.definite_mass && found_.principal_cosines.size() > 0 && !found_.decoupled; }
  const std::string& name(int row) const { return names_[static_cast<std::size_t>(row)]; }

  /// The rows that matter in a weighted sum of unilateral and bilateral ones: those that weigh more than a tenth of the
  /// heaviest, lengths taken in M⁻¹ so that units do not matter.
  std::vector<std::string> heavy_rows(const Eigen::VectorXd& unilateral, const Eigen::VectorXd& bilateral) const
  {
    std::vector<std::pair<int, double>> shares;
    const auto weigh = [&](const std::vector<int>& rows, const Eigen::VectorXd& weights, const Eigen::MatrixXd& block) {
      for (Eigen::Index i = 0; i < weights.size(); ++i) {
        const double size = found_.definite_mass && block(i, i) > 0.0 ? std::sqrt(block(i, i)) : 1.0;
        shares.emplace_back(rows[static_cast<std::size_t>(i)], std::abs(weights[i]) * size);
      }
    };
    weigh(found_.unilateral, unilateral, found_.A);
    weigh(found_.bilateral, bilateral, found_.B);
    double heaviest = 0.0;
    for (const auto& [row, share] : shares) heaviest = std::max(heaviest, share);
    std::vector<std::string> heavy;
    for (const auto& [row, share] : shares)
      if (share > 0.1 * heaviest) heavy.push_back(name(row));
    return heavy;
  }
  std::string fighting() const
  {
    return listed(heavy_rows(found_.worst_unilateral, {})) + " against " +
           listed(heavy_rows({}, found_.worst_bilateral));
  }
  double largest_shock() const
  {
    return found_.shock_gain.size() > 0 ? found_.shock_gain.cwiseAbs().maxCoeff() : 0.0;
  }

  CouplingAnalyser analyser_;
  ContactProblem problem_;  ///< rows that take part
  std::vector<std::string> names_;
  bool intervals_ = false;
  Couplings found_;
};

void CouplingsAnswer::ask(const Situation& situation, Extras extras)
{
  const ScenarioOptions& asked = situation.scenario.options;
  require_given_efforts(situation);
  const bool held = asked.tangential == "held";
  std::vector<bool> slides;
  for (const Contact& contact : situation.problem.contacts)
    slides.push_back(!held || (contact.mu == 0.0 && !contact.torsional));
  require_rest(situation, slides);
  problem_ = without_frictionless_tangents(situation.problem);
  names_ = row_names(problem_);
  intervals_ = asked.intervals.value_or(extras == Extras::kAll);
  found_ = analyser_.analyse(problem_, {held ? TangentialRows::kHeld : TangentialRows::kLeftOut, intervals_});
}

std::string CouplingsAnswer::summary() const
{
  switch (found_.solvable) {
    case Verdict::kUndecided: return "undecided: " + found_.reason;
    case Verdict::kFails:
      return "fails: no acceleration keeps all rows, whatever the forces: " +
             listed(heavy_rows(found_.contradiction(found_.unilateral), found_.contradiction(found_.bilateral))) +
             " contradict each other";
    case Verdict::kHolds: break;
  }
  std::string words = found_.at_rest ? "holds: at rest" : "holds: an acceleration keeps all rows";
  words += found_.forces_unique ? ", with one set of forces" : ", with forces that are not unique";
  return words;
}

void CouplingsAnswer::write_row(std::vector<RowCell>& cells) const
{
  const auto number = [&](double value) { return found_.definite_mass ? std::optional(value) : std::nullopt; };
  cells.push_back({"redundancy", static_cast<double>(found_.redundancy)});
  cells.push_back({"singularity_margin", number(found_.singularity_margin)});
  cells.push_back({"smallest_Ac", number(found_.smallest_Ac)});
  cells.push_back({"largest_shock", number(largest_shock())});
}

void CouplingsAnswer::write_json(const Report& report, Json& json_report) const
{
  const bool holds = found_.solvable == Verdict::kHolds;
  const auto names = [&](const std::vector<int>& rows) {
    Json list = Json::array();
    for (const int row : rows) list.push_back(name(row));
    return list;
  };
  json_report["acceleration"]["values"] = holds ? by_joint(problem_.dof_names, found_.acceleration) : Json();
  json_report["acceleration"]["unique"] = holds && found_.definite_mass;
  json_report["efforts"] = Json::object();
  for (const auto& [joint, effort] : given_efforts(report.scenario, problem_))
    json_report["efforts"][joint] = json(effort);
  json_report["rows"] = Json::array();
  for (const auto& [rows, kind] : {std::pair{&found_.unilateral, "unilateral"}, {&found_.bilateral, "bilateral"}})
    for (const int row : *rows) {
      const ForceInterval& interval = found_.intervals[static_cast<std::size_t>(row)];
      const bool known = holds && intervals_ && interval.known;
      json_report["rows"].push_back(
          {{"name", name(row)},
           {"kind", kind},
           {"force", holds ? json(found_.forces[row]) : Json()},
           {"interval", known ? Json{json(interval.lower), json(interval.upper)} : Json()}});
    }
  json_report["indeterminacy"]["degree"] = found_.redundancy;

  Json& couplings = json_report["couplings"];
  couplings["unilateral"] = names(found_.unilateral);
  couplings["bilateral"] = names(found_.bilateral);
  couplings["rank_unilateral"] = found_.rank_unilateral;
  couplings["rank_bilateral"] = found_.rank_bilateral;
  couplings["rank_all"] = found_.rank_all;
  couplings["unique_for_all_data"] = found_.unique_for_all_data;
  couplings["forces_unique"] = found_.forces_unique;
  couplings["at_rest"] = found_.at_rest;
  couplings["dependences"] = Json::array();
  for (const Dependence& dependence : found_.dependences)
    couplings["dependences"].push_back(
        {{"unilateral", json(dependence.unilateral)}, {"bilateral", json(dependence.bilateral)}});
  if (found_.definite_mass) {
    const Blocks blocks(problem_, found_.unilateral, found_.bilateral);
    couplings["A"] = json(blocks.A);
    couplings["B"] = json(blocks.B);
    couplings["E"] = json(blocks.E);
    couplings["Ac"] = json(found_.Ac);
    couplings["constrained_inertia_inverse"] = json(found_.constrained_inertia_inverse);
    couplings["smallest_A"] = json(found_.smallest_A);
    couplings["smallest_B"] = json(found_.smallest_B);
    couplings["smallest_Ac"] = json(found_.smallest_Ac);
    couplings["angles"] = {{"unilateral", angles_json(found_.angles.uu)},
                           {"unilateral_bilateral", angles_json(found_.angles.ub)},
                           {"bilateral", angles_json(found_.angles.bb)},
                           {"constrained", angles_json(found_.constrained_angles.uu)}};
    couplings["principal_cosines"] = json(found_.principal_cosines);
    couplings["singularity_margin"] = json(found_.singularity_margin);
    couplings["worst"] = {{"unilateral", json(found_.worst_unilateral)}, {"bilateral", json(found_.worst_bilateral)}};
    couplings["shock_gain"] = json(found_.shock_gain);
    couplings["decoupled"] = found_.decoupled;
    couplings["reduced_coordinate_gap"] = json(found_.reduced_coordinate_gap);
  }

  Json& certificate = json_report["certificate"];
  const bool fails = found_.solvable == Verdict::kFails;
  certificate["kind"] = holds ? "forces" : fails ? "contradiction" : "none";
  certificate["problem"] = problem_json(problem_);
  certificate["unilateral"] = found_.unilateral;
  certificate["bilateral"] = found_.bilateral;
  certificate["a"] = json(holds ? found_.acceleration : Eigen::VectorXd());
  certificate["lambda"] = json(holds ? found_.forces : fails ? found_.contradiction : Eigen::VectorXd());
}

AnswerText CouplingsAnswer::text(const Report&) const
{
  AnswerText text;
  const bool holds = found_.solvable == Verdict::kHolds;
  std::size_t width = 3;
  for (const std::string& name : names_) width = std::max(width, name.size());
  width = std::min<std::size_t>(width, 30);
  if (holds && !names_.empty())
    text.table = fmt::format("\n{:<{}}  {:<10} {:>11}  range\n", "row", width, "kind", "force");
  for (const auto& [rows, kind] : {std::pair{&found_.unilateral, "unilateral"}, {&found_.bilateral, "bilateral"}})
    for (const int row : *rows) {
      if (!holds) continue;
      const ForceInterval& interval = found_.intervals[static_cast<std::size_t>(row)];
      text.table += fmt::format("{:<{}}  {:<10} {:>11.5g}", name(row), width, kind, found_.forces[row]);
      const double slack = kSolve * found_.forces.lpNorm<Eigen::Infinity>();
      if (intervals_ && !interval.known) text.table += "  unknown";
      if (intervals_ && interval.known && interval.upper - interval.lower > slack)
        text.table += fmt::format("  {:.5g} to {:.5g}", interval.lower, interval.upper);
      text.table += "\n";
    }

  if (!found_.definite_mass)
    text.notes.push_back("the mass matrix is singular: nothing is said about inertial couplings");
  constexpr std::size_t kMostToTell = 2;
  if (found_.dependences.size() > kMostToTell)
    text.notes.push_back(fmt::format("rows depend on each other in {} ways, in each of which force can be shifted "
                                     "between them (`dependences` of the JSON report)",
                                     found_.dependences.size()));
  for (const Dependence& dependence : found_.dependences) {
    if (found_.dependences.size() > kMostToTell) break;
    const std::vector<std::string> rows = heavy_rows(dependence.unilateral, dependence.bilateral);
    const std::string words = rows.size() == 1
                                  ? rows[0] + " moves nothing, so that its force can be anything"
                                  : listed(rows) + " depend on each other: force can be shifted between them";
    if (std::ranges::find(text.notes, words) == text.notes.end()) text.notes.push_back(words);
  }
  if (found_.definite_mass && !found_.unilateral.empty() && !found_.bilateral.empty() && found_.decoupled)
    text.notes.push_back("contacts and held rows do not act on each other: no shock passes");
  if (!coupled()) return text;
  const double angle = std::acos(std::min(1.0, found_.principal_cosines[0])) * 180.0 / M_PI;
  text.notes.push_back(
      "strongest coupling: " + fighting() +
      (found_.singularity_margin > kRounding
           ? fmt::format("; kinetic angle {:.4g} degrees, singularity margin {:.4g}", angle, found_.singularity_margin)
           : ", which cannot be told apart"));
  Eigen::Index held = 0, contact = 0;
  found_.shock_gain.cwiseAbs().maxCoeff(&held, &contact);
  text.notes.push_back(fmt::format("largest shock: an impulse of 1 at {} comes with {:.4g} at {}",
                                   name(found_.unilateral[static_cast<std::size_t>(contact)]),
                                   found_.shock_gain(held, contact),
                                   name(found_.bilateral[static_cast<std::size_t>(held)])));
  return text;
}

std::vector<int> integers(const Field& field)
{
  std::vector<int> values;
  for (std::size_t i = 0; i < field.size(); ++i) values.push_back(field[i].integer());
  return values;
}

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Verification verify_couplings(const Field& report)
{
  const std::string verdict = report["verdict"].text();
  const Field source = report["certificate"], rows = report["rows"];
  const std::string kind = source["kind"].text();
  if (kind != "forces" && kind != "contradiction") source["kind"].fail("forces | contradiction");
  const ContactProblem problem = read_problem(source["problem"]);
  try {
    problem.validate();
  } catch (const InputError& error) {
    return {false, std::string("the certificate's problem is not one: ") + error.what()};
  }
  const std::vector<int> unilateral = integers(source["unilateral"]), bilateral = integers(source["bilateral"]);
  const Eigen::VectorXd a = source["a"].vector(), lambda = source["lambda"].vector();
  // Which rows take part is a matter of the question, not of the proof: every normal and closure, and all tangents or none.
  const RowRoles roles = row_roles(problem);
  std::vector<int> held = roles.normal_bilateral;
  for (const auto* more : {&roles.tangential_bilateral, &roles.tangential_unilateral})
    held.insert(held.end(), more->begin(), more->end());
  if (unilateral != roles.normal_unilateral || (bilateral != roles.normal_bilateral && bilateral != held))
    return {false, "the rows are not those of the certificate's contacts and closures"};
  std::string why = "the rows do not contradict each other";
  const bool forces = kind == "forces";
  if (!(forces ? proves_motion(problem, unilateral, bilateral, a, lambda, &why)
               : proves_contradiction(problem, unilateral, bilateral, lambda)))
    return {false, "the certificate proves nothing: " + why};
  if (verdict != (forces ? "holds" : "fails"))
    return {false, "the report says " + quoted(verdict) + ", but its certificate proves " +
                       quoted(forces ? "holds" : "fails")};

  const std::vector<std::string> names = row_names(problem);
  if (rows.size() != unilateral.size() + bilateral.size()) return {false, "the rows are not the certificate's"};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const int row = k < unilateral.size() ? unilateral[k] : bilateral[k - unilateral.size()];
    if (rows[k]["name"].text() != names[static_cast<std::size_t>(row)])
      return {false, "row " + std::to_string(k) + " is not the certificate's " + names[static_cast<std::size_t>(row)]};
    const Field force = rows[k]["force"], interval = rows[k]["interval"];
    if (forces ? force.is_null() || force.number() != lambda[row] : !force.is_null())
      return {false, "the force of " + names[static_cast<std::size_t>(row)] + " is not the certificate's"};
    if (interval.is_null()) continue;
    const double slack = kSolve * lambda.lpNorm<Eigen::Infinity>();
    if (interval.size() != 2) interval.fail("two numbers");
    if (!forces || lambda[row] < interval[0].number() - slack || lambda[row] > interval[1].number() + slack)
      return {false, "the force of " + names[static_cast<std::size_t>(row)] + " is not in its interval"};
  }
  if (forces) {
    const std::string wrong = by_joint_disagreement(report["acceleration"]["values"], a, "acceleration");
    if (!wrong.empty()) return {false, wrong};
  } else if (!report["acceleration"]["values"].is_null()) {
    return {false, "an acceleration is reported, but the certificate has none"};
  }
  const Field couplings = report["couplings"];
  if (couplings.has("A")) {
    const std::string wrong = Blocks(problem, unilateral, bilateral).disagreement(couplings);
    if (!wrong.empty()) return {false, wrong};
  }
  return {true, std::string("proved: ") + verdict + ", by " + kind};
}

std::vector<std::string> couplings_columns(const ScenarioOptions&)
{
  return {"redundancy", "singularity_margin", "smallest_Ac", "largest_shock"};
}

}  // namespace

extern const QuestionKind kCouplingsKind{Question::kCouplings, require_for_couplings, make_answer<CouplingsAnswer>, couplings_columns, verify_couplings};

}  // namespace stiction::internal
