// The question sliding: what happens while some contacts slide and the others stick? (docs/sliding.md)
#include "stiction/sliding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ask/check_slips.hpp"
#include "ask/contact_reports.hpp"
#include "base/text.hpp"
#include "io/judgement.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "proof/sliding_program.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"
#include "stiction/sliding_input.hpp"

namespace stiction::internal {
namespace {

const char* name_of(SolutionCount count)
{
  switch (count) {
    case SolutionCount::kNone:
      return "none";
    case SolutionCount::kUnique:
      return "one";
    case SolutionCount::kSeveral:
      return "several";
    case SolutionCount::kAtLeastOne:
      return "at_least_one";
    case SolutionCount::kUndecided:
      break;
  }
  return "undecided";
}

void require_for_sliding(const Scenario& scenario)
{
  require_plain_contacts(scenario);
  require_default_rules(scenario);
  for (std::size_t i = 0; i < scenario.contact_motions.size(); ++i) {
    const double torsion =
        scenario.bare ? scenario.bare->problem.contacts[i].torsion : scenario.scene.contacts[i].torsion;
    if (scenario.contact_motions[i].slides && torsion > 0.0)
      throw InputError("contacts[" + std::to_string(i) + "].torsion",
                       "want none at a contact that slides, as its spin is not given, got " + internal::text(torsion));
  }
}

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

/// Entries of `contacts`: forces as in the certificate, so that `verify` finds the same numbers.
Json contacts_json(const ContactProblem& problem, const SlidingSolution& solution)
{
  Json list = Json::array();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    ContactReport found = solution.contacts[i];
    const FrictionCone cone{contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, ConeShape::exact()};
    found.utilisation = utilisation(cone, solution.lambda.segment(contact.row, contact.rows()));
    list.push_back(contact_json(contact, found, solution.lambda, false));
  }
  return list;
}

Json well_posedness_json(const ContactProblem& problem, const SlipDirections& slips, const WellPosedness& found)
{
  const auto number = [&](double value) { return found.hypotheses.hold() ? json(value) : Json(); };
  const auto optional = [](const std::optional<double>& value) { return value ? json(*value) : Json(); };
  Json entry;
  entry["unique_for_all_loads"] = internal::name_of(found.unique_for_all_loads);
  entry["violated_hypotheses"] = found.hypotheses.failed;
  entry["contacts"] = sliding_names(problem, slips);
  entry["rank"] = found.rank;
  entry["dependencies"] = json(Eigen::MatrixXd(found.dependencies.transpose()));
  entry["margin"] = number(found.margin);
  entry["critical_scale"] = number(found.critical_scale);
  entry["critical_mu"] = number(found.critical_mu);
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

/// Contacts that slide from rest against the direction they are said to take: they would not start that way.
std::vector<std::string> contrary_slips(const ContactProblem& problem, const SlipDirections& slips,
                                        const std::vector<bool>& moves, const SlidingSolution& solution)
{
  std::vector<std::string> names;
  for (std::size_t i = 0; i < slips.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    if (!slips[i] || moves[i] || contact.mu == 0.0 || solution.contacts[i].state != ContactState::kSliding) continue;
    const auto J = problem.J.middleRows<2>(contact.row + 1);
    const Eigen::Vector2d drift = problem.gamma.segment<2>(contact.row + 1);
    const double start = slips[i]->dot(J * solution.acceleration + drift);
    const double scale = (J.cwiseAbs() * solution.acceleration.cwiseAbs() + drift.cwiseAbs()).sum();
    if (start < -kClear * scale) names.push_back(contact.name);
  }
  return names;
}

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

/// Which contacts move already belongs to the question: the others may be said to slide against their acceleration.
Json question_json(const ContactProblem& problem, const SlipDirections& slips, const std::vector<bool>& moves)
{
  Json entry;
  entry["problem"] = problem_json(problem);
  entry["slips"] = Json::array();
  for (const auto& slip : slips) entry["slips"].push_back(slip ? json(Eigen::VectorXd(*slip)) : Json());
  entry["moves"] = moves;
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
void write_claims(const ContactProblem& problem, const SlipDirections& slips, const std::vector<bool>& moves,
                  const SlidingResult& result, Json& claims)
{
  Json solutions = Json::array();
  for (const SlidingSolution& solution : result.solutions) {
    Json entry;
    entry["acceleration"]["values"] = by_joint(problem, solution.acceleration);
    entry["acceleration"]["unique"] = solution.acceleration_unique;
    entry["contacts"] = contacts_json(problem, solution);
    entry["contrary_slips"] = contrary_slips(problem, slips, moves, solution);
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

class SlidingAnswer final : public Answer {
 public:
  explicit SlidingAnswer(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override
  {
    require_given_efforts(situation);
    std::vector<std::optional<Eigen::Vector3d>> given;
    for (const ContactMotion& motion : situation.scenario.contact_motions) given.push_back(motion.slides);
    slips_ = situation.robots ? slip_directions(situation.scene(), situation.state, situation.problem, given)
                              : slip_directions(situation.problem, situation.state.v, given);
    moves_ = moves_along_surface(situation.problem, situation.state.v);
    std::vector<bool> slides;
    for (const auto& slip : slips_) slides.push_back(slip.has_value());
    situation.require_rest(slides);
  }

  void ask(const Situation& situation, Extras extras) override
  {
    read(situation);
    judged_ = situation.scenario.options.margins.value_or(extras == Extras::kAll);
    SlidingOptions options;
    options.well_posedness = judged_;
    result_ = checker_.check(situation.problem, slips_, options);
  }

  Json question(const Report& report) const override { return question_json(report.problem, slips_, moves_); }
  Verdict verdict() const override { return result_.verdict; }
  int iterations() const override { return result_.nodes; }
  std::string second_engine() const override { return result_.second_engine; }
  std::string summary() const override
  {
    const std::string verdict = internal::name_of(result_.verdict);
    return verdict + ": " + (result_.verdict == Verdict::kUndecided ? result_.reason : result_.explanation);
  }

  void write_row(std::vector<RowCell>& cells) const override
  {
    cells.push_back({"count", {}, name_of(result_.count)});
    cells.push_back({"solutions", static_cast<double>(result_.solutions.size())});
    if (!judged_) return;
    const bool known = result_.well_posedness.hypotheses.hold();
    cells.push_back({"critical_scale", known ? std::optional(result_.well_posedness.critical_scale) : std::nullopt});
    cells.push_back({"margin", known ? std::optional(result_.well_posedness.margin) : std::nullopt});
  }

  void write_json(const Report& report, Json& json_report) const override;
  AnswerText text(const Report& report) const override;

 private:
  SlidingChecker checker_;
  SlipDirections slips_;
  std::vector<bool> moves_;  ///< per contact: bodies do move along the surface
  bool judged_ = false;      ///< well-posedness was asked for
  SlidingResult result_;
};

void SlidingAnswer::write_json(const Report& report, Json& json_report) const
{
  const ContactProblem& problem = report.problem;
  write_claims(problem, slips_, moves_, result_, json_report);
  json_report["efforts"] = Json::object();
  for (const auto& [joint, effort] : given_efforts(report.scenario, problem))
    json_report["efforts"][joint] = json(effort);
  json_report["well_posedness"] = judged_ ? well_posedness_json(problem, slips_, result_.well_posedness) : Json();
  json_report["certificate"] = question(report);
  json_report["certificate"].update(proof_json(result_.certificate, result_.verdict));
}

AnswerText SlidingAnswer::text(const Report& report) const
{
  constexpr std::size_t kMostTables = 4;
  AnswerText text;
  const ContactProblem& problem = report.problem;
  const std::size_t count = result_.solutions.size();
  for (std::size_t k = 0; k < std::min(count, kMostTables); ++k) {
    const SlidingSolution& solution = result_.solutions[k];
    if (count > 1) text.table += fmt::format("\nsolution {} of {}:\n", k + 1, count);
    if (problem.contacts.empty()) continue;
    std::vector<ContactReport> contacts = solution.contacts;
    for (ContactReport& contact : contacts)
      contact.utilisation = std::min(contact.utilisation, 1.0);  // what is above is rounding
    const std::string table = contacts_text(problem, contacts);
    text.table += count > 1 ? table.substr(1) : table;  // an empty line above the title is enough
  }
  if (count > kMostTables)
    text.notes.push_back(fmt::format("{} more solutions are in the JSON report", count - kMostTables));
  if (result_.verdict == Verdict::kHolds && !result_.complete)
    text.notes.push_back("not every mode was settled: " + result_.reason);
  for (std::size_t k = 0; k < count; ++k) {
    const SlidingSolution& solution = result_.solutions[k];
    if (!solution.forces_unique && !problem.contacts.empty())
      text.notes.push_back(count > 1 ? fmt::format("forces of solution {} are not unique", k + 1)
                                     : "forces are not unique; shown are some of many");
    const std::string whose = count > 1 ? fmt::format("in solution {} ", k + 1) : "";
    for (const std::string& name : contrary_slips(problem, slips_, moves_, solution))
      text.notes.push_back(whose + name + " is at rest and would not start this way: it accelerates against it");
    if (!solution.within_limits)
      text.notes.push_back(count > 1 ? fmt::format("solution {} exceeds the max_normal of a contact", k + 1)
                                     : "a normal force exceeds the max_normal of its contact");
  }
  const bool something_sticks = std::ranges::any_of(slips_, [](const auto& slip) { return !slip; });
  if (judged_) text.notes.push_back(well_posedness_words(result_.well_posedness, something_sticks));
  return text;
}

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

/// Judges from the report's own numbers. Uses the proof room only: no engine can repeat its own mistake here.
Judgement judge_sliding_report(const Field& report)
{
  const Field source = report["certificate"], shown = source["slips"], moving = source["moves"];
  const ContactProblem problem = read_problem(source["problem"]);
  SlipDirections slips;
  std::vector<bool> moves;
  for (std::size_t i = 0; i < shown.size(); ++i)
    slips.push_back(shown[i].is_null() ? std::nullopt : std::optional<Eigen::Vector2d>(shown[i].vector(2)));
  for (std::size_t i = 0; i < moving.size(); ++i) moves.push_back(moving[i].boolean());
  if (moves.size() != slips.size()) moving.fail("one entry per contact");
  try {
    problem.validate();
    check_slips(problem, slips);
  } catch (const InputError& error) {
    return Judgement::refusal(std::string("the certificate's problem is not one: ") + error.what());
  }
  SlidingResult result;
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
  judged.summary = std::string(internal::name_of(judged.verdict)) + ": " + describe_sliding(problem, slips, result);
  judged.proved = sliding_words(proved, result.solutions.size());
  write_claims(problem, slips, moves, result, judged.claims);
  const bool posed = !report["well_posedness"].is_null();
  judged.claims["well_posedness"] =
      posed ? well_posedness_json(problem, slips, friction_well_posedness(problem, slips)) : Json();
  judged.question = question_json(problem, slips, moves);
  judged.proof = proof_json(result.certificate, judged.verdict);
  return judged;
}

std::vector<std::string> sliding_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"count", "solutions"};
  if (options.margins.value_or(false)) names.insert(names.end(), {"critical_scale", "margin"});
  return names;
}

}  // namespace

extern const QuestionKind kSlidingKind{Question::kSliding, require_for_sliding, make_answer<SlidingAnswer>,
                                       sliding_columns, judge_sliding_report};

}  // namespace stiction::internal
