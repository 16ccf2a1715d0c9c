#include "ask/coupling_parts.hpp"
#include "base/linear_algebra.hpp"
#include "io/couplings_answer.hpp"
#include "io/judgement.hpp"
#include "io/report.hpp"
#include "stiction/paper/mlcp.hpp"

namespace stiction::internal {
namespace {

/// null: neither was proved.
Json unique_json(Verdict unique) { return unique == Verdict::kUndecided ? Json() : Json(unique == Verdict::kHolds); }

/// Angles of rows of zeros do not exist: null.
Json angles_json(const Eigen::MatrixXd& angles)
{
  Json rows = json(angles);
  for (Json& row : rows)
    for (Json& angle : row)
      if (angle.is_string()) angle = nullptr;
  return rows;
}

/// Hc of the LCP 0 <= lu ⟂ Ac lu + Hc >= 0 (20): H4, or H0 of (3) where nothing is held.
Eigen::VectorXd lcp_vector(const ContactProblem& problem, const Couplings& found)
{
  const Eigen::MatrixXd normals = problem.J(found.unilateral, Eigen::all);
  return problem.gamma(found.unilateral) + found.shock_gain.transpose() * problem.gamma(found.bilateral) -
         normals * (found.constrained_inertia_inverse * problem.F);
}

/// Whether Newton's law (77) with one coefficient has a solution for every approach vN- <= 0: pu = -(1+e) Ac⁻¹ vN- >= 0
/// iff no entry of Ac⁻¹ is negative, as for M-matrices (Prop. 17).
bool newton_always_solvable(const Couplings& found)
{
  if (!found.unique_for_all_data) return false;
  const Eigen::MatrixXd inverse = solve_definite(found.Ac, Eigen::MatrixXd::Identity(found.Ac.rows(), found.Ac.cols()));
  return inverse.size() == 0 || inverse.minCoeff() >= -kSolve * inverse.maxCoeff();
}

/// What masses say about the rows.
void write_inertial(const ContactProblem& problem, const Couplings& found, Json& couplings)
{
  couplings["A"] = json(found.A);
  couplings["B"] = json(found.B);
  couplings["E"] = json(found.E);
  couplings["Ac"] = json(found.Ac);
  couplings["Hc"] = json(lcp_vector(problem, found));
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
  couplings["newton_always_solvable"] = newton_always_solvable(found);
  couplings["reduced_coordinate_gap"] = json(found.reduced_coordinate_gap);
}

Json couplings_json(const CouplingsAnswer& answer)
{
  const Couplings& found = answer.result;
  const auto row_names = [&](const std::vector<int>& rows) {
    Json list = Json::array();
    for (const int row : rows) list.push_back(row_name(answer, row));
    return list;
  };
  Json couplings;
  couplings["unilateral"] = row_names(found.unilateral);
  couplings["bilateral"] = row_names(found.bilateral);
  couplings["rank_unilateral"] = found.rank_unilateral;
  couplings["rank_bilateral"] = found.rank_bilateral;
  couplings["rank_all"] = found.rank_all;
  couplings["unique_for_all_data"] = found.unique_for_all_data;
  couplings["forces_unique"] = unique_json(found.forces_unique);
  couplings["balanced"] = found.balanced;
  couplings["dependences"] = Json::array();
  for (const Dependence& dependence : found.dependences)
    couplings["dependences"].push_back(
        {{"unilateral", json(dependence.unilateral)}, {"bilateral", json(dependence.bilateral)}});
  if (found.definite_mass) write_inertial(answer.problem, found, couplings);
  return couplings;
}

/// acceleration, rows, indeterminacy and couplings of a report.
void write_claims(const CouplingsAnswer& answer, Json& claims)
{
  const Couplings& found = answer.result;
  const bool holds = found.solvable == Verdict::kHolds;
  claims["acceleration"]["values"] = holds ? by_joint(answer.problem, found.acceleration) : Json();
  claims["acceleration"]["unique"] = holds ? unique_json(found.acceleration_unique) : Json(false);
  claims["efforts"] = unproved();
  claims["rows"] = Json::array();
  for (const auto& [rows, kind] : {std::pair{&found.unilateral, "unilateral"}, {&found.bilateral, "bilateral"}})
    for (const int row : *rows) {
      const Margin range =
          answer.intervals && !found.intervals.empty() ? found.intervals[static_cast<std::size_t>(row)] : Margin();
      Json interval;
      if (holds && answer.intervals && range.state == Margin::State::kKnown)
        interval = {json(range.lower), json(range.upper)};
      claims["rows"].push_back({{"name", row_name(answer, row)},
                                {"kind", kind},
                                {"force", holds ? json(found.forces[row]) : Json()},
                                {"opening", holds ? json(found.opening[row]) : Json()},
                                {"interval", interval}});
    }
  claims["indeterminacy"]["degree"] = found.redundancy;
  claims["couplings"] = couplings_json(answer);
}

/// Which rows take part is a matter of the question.
Json question_json(const CouplingsAnswer& asked)
{
  Json entry;
  entry["problem"] = problem_json(asked.problem);
  entry["tangential"] = asked.tangential == TangentialRows::kHeld ? "held" : "left_out";
  entry["unilateral"] = asked.result.unilateral;
  entry["bilateral"] = asked.result.bilateral;
  return entry;
}

Json proof_json(const Couplings& found)
{
  const bool holds = found.solvable == Verdict::kHolds, fails = found.solvable == Verdict::kFails;
  const bool unbalanced = found.imbalance.size() > 0;
  Json entry;
  entry["kind"] = holds ? "forces" : unbalanced ? "unbalanced" : fails ? "contradiction" : "none";
  entry["a"] = json(holds ? found.acceleration : found.imbalance);
  entry["lambda"] = json(holds ? found.forces : found.contradiction);
  entry["pins"] = json(found.pins);
  entry["shift"] = json(found.shift);
  return entry;
}

}  // namespace

Json couplings_asked(const ScenarioReport& report) { return question_json(std::get<CouplingsAnswer>(report.answer)); }

void write_couplings(const ScenarioReport& report, Json& json_report)
{
  const CouplingsAnswer& answer = std::get<CouplingsAnswer>(report.answer);
  write_claims(answer, json_report);
  json_report["efforts"] = efforts_json(report.efforts);
  json_report["certificate"] = question_json(answer);
  json_report["certificate"].update(proof_json(answer.result));
}

namespace {

/// Entries that are a choice among equals: bases of null spaces.
constexpr const char* kChoices[] = {"dependences", "worst"};

/// Reads and judges the proof of a certificate; why it proves nothing, or empty.
std::string read_proof(const Field& source, const std::string& kind, const ContactProblem& problem, Couplings& found)
{
  const bool forces = kind == "forces", unbalanced = kind == "unbalanced";
  const Eigen::VectorXd a = source["a"].vector(forces || unbalanced ? problem.nv() : 0);
  const Eigen::VectorXd lambda = source["lambda"].vector(unbalanced ? 0 : problem.rows());
  std::string why =
      unbalanced ? "the load does not move anything that nothing holds" : "the rows do not contradict each other";
  const bool proved = forces       ? proves_motion(problem, found.unilateral, found.bilateral, a, lambda, &why)
                      : unbalanced ? proves_imbalance(problem, found.unilateral, found.bilateral, a)
                                   : proves_contradiction(problem, found.unilateral, found.bilateral, lambda);
  if (!proved) return why;
  found.solvable = forces ? Verdict::kHolds : Verdict::kFails;
  (unbalanced ? found.imbalance : found.acceleration) = a;
  (forces ? found.forces : found.contradiction) = lambda;
  found.pins = forces ? source["pins"].vector() : source["pins"].vector(0);
  found.shift = forces ? source["shift"].vector() : source["shift"].vector(0);
  if (forces) read_motion(problem, found);
  return "";
}

}  // namespace

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Judgement judge_couplings_report(const Field& report)
{
  const Field source = report["certificate"];
  const std::string kind = source["kind"].text(), tangential = source["tangential"].text();
  if (kind != "forces" && kind != "contradiction" && kind != "unbalanced")
    source["kind"].fail("forces | contradiction | unbalanced");
  if (tangential != "held" && tangential != "left_out") source["tangential"].fail("held | left_out");
  CouplingsAnswer asked;
  asked.tangential = tangential == "held" ? TangentialRows::kHeld : TangentialRows::kLeftOut;
  asked.problem = read_problem(source["problem"]);
  Couplings& found = asked.result;
  const auto read = [&] { found = inertial_couplings(asked.problem, asked.tangential); };
  if (const auto refused = refused_problem(read)) return *refused;
  asked.row_names = row_labels(asked.problem);
  if (const std::string why = read_proof(source, kind, asked.problem, found); !why.empty())
    return Judgement::refusal("the certificate proves nothing: " + why);

  Judgement judged;
  judged.verdict = found.solvable;
  judged.summary = summary_of(asked);
  judged.proved = kind == "unbalanced" ? "by an imbalance" : "by " + kind;
  write_claims(asked, judged.claims);
  if (kind == "forces") leave_intervals(report["rows"], "interval", judged.claims["rows"], "force");
  for (const char* key : kChoices)
    if (judged.claims["couplings"].contains(key)) judged.claims["couplings"][key] = unproved();
  judged.derived = "couplings";
  judged.question = question_json(asked);
  judged.proof = proof_json(found);
  return judged;
}

}  // namespace stiction::internal
