#include <fmt/format.h>

#include "ask/check_slips.hpp"
#include "ask/contact_reports.hpp"
#include "io/judgement.hpp"
#include "io/report.hpp"
#include "io/sliding_answer.hpp"
#include "proof/sliding_program.hpp"

namespace stiction::internal {
namespace {

/// Names of the contacts whose normals well-posedness is about, in its order.
std::vector<std::string> sliding_names(const ContactProblem& problem, const SlipDirections& slips)
{
  std::vector<std::string> names;
  for (const Side side : {Side::kBilateral, Side::kUnilateral})
    for (std::size_t i = 0; i < slips.size(); ++i) {
      const Contact& contact = problem.contacts[i];
      if (contact.side == side && !sticks(contact, slips[i]) && has_choice(contact, slips[i]))
        names.push_back(contact.name);
    }
  return names;
}

Json well_posedness_json(const ContactProblem& problem, const SlipDirections& slips, const WellPosedness& found)
{
  const auto number = [&](double value) { return found.hypotheses.hold() ? json(value) : Json(); };
  const auto optional = [](const std::optional<double>& value) { return value ? json(*value) : Json(); };
  Json entry;
  entry["unique_for_all_loads"] = name_of(found.unique_for_all_loads);
  entry["exists_for_all_loads"] = name_of(found.exists_for_all_loads);
  entry["violated_hypotheses"] = found.hypotheses.failed;
  entry["contacts"] = sliding_names(problem, slips);
  entry["rank"] = found.rank;
  entry["dependencies"] = json(Eigen::MatrixXd(found.dependencies.transpose()));
  entry["margin"] = number(found.margin);
  entry["critical_scale"] = number(found.critical_scale);
  entry["critical_mu"] = number(found.critical_mu);
  if (found.unique_scales)
    entry["unique_scales"] = {json(found.unique_scales->first), json(found.unique_scales->second)};
  else
    entry["unique_scales"] = nullptr;
  entry["critical_scale_any_sense"] = optional(found.critical_scale_any_sense);
  entry["direction_free_mu"] = number(found.direction_free_mu);
  entry["positive_definite"] = found.positive_definite;
  entry["copositive"] = found.copositive;
  entry["lipschitz"] = optional(found.lipschitz);
  entry["screens"] = Json::array();
  for (const FrictionScreen& screen : found.screens)
    entry["screens"].push_back({{"name", screen.name},
                                {"satisfied", screen.satisfied()},
                                {"value", json(screen.value)},
                                {"bound", json(screen.bound)},
                                {"guarantees", screen.guarantees},
                                {"violated_hypotheses", screen.hypotheses.failed}});
  return entry;
}

/// Which contacts move already belongs to the question: the others may be said to slide against their acceleration.
Json question_json(const ContactProblem& problem, const SlidingAnswer& asked)
{
  Json entry;
  entry["problem"] = problem_json(problem);
  entry["slips"] = Json::array();
  for (const auto& slip : asked.slips) entry["slips"].push_back(slip ? json(Eigen::VectorXd(*slip)) : Json());
  entry["moves"] = asked.moves;
  return entry;
}

Json proof_json(const SlidingCertificate& certificate, Verdict verdict)
{
  Json entry;
  entry["kind"] = verdict == Verdict::kUndecided ? "none" : "modes";
  entry["witnesses"] = Json::array();
  for (const SlidingWitness& witness : certificate.witnesses)
    entry["witnesses"].push_back({{"signs", witness.signs}, {"a", json(witness.a)}, {"lambda", json(witness.lambda)}});
  entry["leaves"] = Json::array();
  for (const MotionLeaf& leaf : certificate.leaves) entry["leaves"].push_back(leaf_json(leaf));
  return entry;
}

/// acceleration, contacts, count, complete and solutions of a report: all that follows from the certificate.
void write_claims(const ContactProblem& problem, const SlidingAnswer& answer, Json& claims)
{
  const SlidingResult& result = answer.result;
  Json solutions = Json::array();
  for (const SlidingSolution& solution : result.solutions) {
    Json entry;
    entry["acceleration"]["values"] = by_joint(problem, solution.acceleration);
    entry["acceleration"]["unique"] = solution.acceleration_unique;
    entry["contacts"] = contacts_json(problem, contacts_of(problem, solution));
    entry["contrary_slips"] = contrary_slips(problem, answer, solution);
    entry["within_limits"] = solution.within_limits;
    solutions.push_back(entry);
  }
  const bool any = !solutions.empty();
  claims["acceleration"]["values"] = any ? solutions[0]["acceleration"]["values"] : Json();
  claims["acceleration"]["unique"] = result.count == SolutionCount::kUnique && result.solutions[0].acceleration_unique;
  claims["contacts"] = any ? solutions[0]["contacts"] : Json::array();
  claims["efforts"] = unproved();
  claims["count"] = name_of(result.count);
  claims["complete"] = result.complete;
  claims["solutions"] = solutions;
}

}  // namespace

Json sliding_asked(const ScenarioReport& report)
{
  return question_json(report.problem, std::get<SlidingAnswer>(report.answer));
}

void write_sliding(const ScenarioReport& report, Json& json_report)
{
  const SlidingAnswer& answer = std::get<SlidingAnswer>(report.answer);
  const SlidingResult& result = answer.result;
  write_claims(report.problem, answer, json_report);
  json_report["efforts"] = efforts_json(report.efforts);
  json_report["well_posedness"] =
      answer.well_posedness ? well_posedness_json(report.problem, answer.slips, result.well_posedness) : Json();
  json_report["certificate"] = sliding_asked(report);
  json_report["certificate"].update(proof_json(result.certificate, result.verdict));
}

namespace {

std::string sliding_words(const SlidingJudgement& proved, std::size_t solutions)
{
  if (proved.count == SolutionCount::kNone) return "no mode has a solution";
  if (proved.count == SolutionCount::kUnique) return "with one solution and no other";
  return fmt::format("with {} solution{}{}", solutions, solutions == 1 ? "" : "s",
                     proved.complete ? " and no other" : " or more");
}

SlidingCertificate read_modes(const Field& source, const ContactProblem& problem)
{
  const Field modes = source["witnesses"], leaves = source["leaves"];
  SlidingCertificate certificate;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    certificate.witnesses.push_back(
        {modes[i]["signs"].integers(), modes[i]["a"].vector(problem.nv()), modes[i]["lambda"].vector(problem.rows())});
    if (certificate.witnesses.back().signs.size() != problem.contacts.size())
      modes[i]["signs"].fail("one sign per contact");
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) certificate.leaves.push_back(read_leaf(leaves[i]));
  return certificate;
}

/// Which contacts slide and move.
SlidingAnswer read_slips(const Field& source)
{
  SlidingAnswer asked;
  const Field slips = source["slips"], moves = source["moves"];
  for (std::size_t i = 0; i < slips.size(); ++i)
    asked.slips.push_back(slips[i].is_null() ? std::nullopt : std::optional<Eigen::Vector2d>(slips[i].vector(2)));
  for (std::size_t i = 0; i < moves.size(); ++i) asked.moves.push_back(moves[i].boolean());
  if (moves.size() != slips.size()) moves.fail("one entry per contact");
  return asked;
}

}  // namespace

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Judgement judge_sliding_report(const Field& report)
{
  const Field source = report["certificate"];
  const ContactProblem problem = read_problem(source["problem"]);
  SlidingAnswer asked = read_slips(source);
  const SlipDirections& slips = asked.slips;
  const auto check = [&] {
    problem.validate();
    check_slips(problem, slips);
  };
  if (const auto refused = refused_problem(check)) return *refused;
  SlidingResult& result = asked.result;
  result.certificate = read_modes(source, problem);
  const SlidingJudgement proved = judge_sliding(problem, slips, result.certificate);
  if (proved.count == SolutionCount::kUndecided)
    return Judgement::refusal("the certificate proves nothing: " + proved.why);
  std::string why;
  for (const SlidingWitness& witness : result.certificate.witnesses)
    if (!proves_sliding_solution(problem, slips, witness.a, witness.lambda, &why)) return Judgement::refusal(why);
  result.count = proved.count;
  result.complete = proved.complete;
  gather_solutions(problem, slips, result);

  Judgement judged;
  judged.verdict = proved.count == SolutionCount::kNone ? Verdict::kFails : Verdict::kHolds;
  judged.summary = std::string(name_of(judged.verdict)) + ": " + describe_sliding(problem, slips, result);
  judged.proved = sliding_words(proved, result.solutions.size());
  write_claims(problem, asked, judged.claims);
  const bool posed = !report["well_posedness"].is_null();
  judged.claims["well_posedness"] =
      posed ? well_posedness_json(problem, slips, friction_well_posedness(problem, slips)) : Json();
  judged.question = question_json(problem, asked);
  judged.proof = proof_json(result.certificate, judged.verdict);
  return judged;
}

}  // namespace stiction::internal
