#include <cmath>

#include "io/impact_answer.hpp"
#include "io/judgement.hpp"
#include "io/report.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

const char* proof_kind(const std::vector<ImpactSolution>& solutions)
{
  return solutions.empty() ? "contradiction" : "impulses";
}

Json contact_impact_json(const Contact& contact, const ContactImpact& found, const Eigen::VectorXd& impulse)
{
  const auto rows = [&](const Eigen::Vector4d& values) {
    Json list = json(Eigen::VectorXd(values.head(1 + contact.tangents)));
    if (contact.torsional) list.push_back(json(values[3]));
    return list;
  };
  Json entry;
  entry["name"] = contact.name;
  entry["state"] = name_of(found.state);
  entry["normal_impulse"] = json(found.impulse[0]);
  entry["tangential_impulse"] = json(Eigen::VectorXd(found.impulse.segment(1, contact.tangents)));
  entry["impulse_world"] = json(Eigen::VectorXd(contact_force_in_world(contact, impulse.data() + contact.row)));
  if (contact.torsional) entry["torsion_impulse"] = json(found.impulse[3]);
  entry["utilisation"] = json(found.utilisation);
  entry["velocity_before"] = rows(found.velocity_before);
  entry["velocity_after"] = rows(found.velocity_after);
  entry["work"] = json(found.work());
  entry["work_normal"] = json(found.work_normal);
  entry["work_tangential"] = json(found.work_tangential);
  return entry;
}

/// What happens to the energy, and which velocities there may be.
void write_solutions(const ContactProblem& problem, const ImpactAnswer& answer, Json& impact)
{
  const ImpactSolution& solution = *answer.solution();
  impact["energy_before"] = json(solution.energy_before);
  impact["energy_change"] = json(solution.energy_change);
  impact["energy_bound"] = solution.energy_bound ? json(*solution.energy_bound) : Json();
  impact["injected_by"] = Json::array();
  for (const Injection& injection : injections(problem, solution))
    impact["injected_by"].push_back({{"who", injection.who}, {"work", json(injection.work)}});
  impact["closures"] = Json::array();
  for (std::size_t i = 0; i < problem.loops.size(); ++i) {
    const LoopConstraint& closure = problem.loops[i];
    const Eigen::VectorXd impulse = solution.impulse.segment(closure.row, closure.rows);
    impact["closures"].push_back(
        {{"name", closure.name}, {"impulse", json(impulse)}, {"work", json(solution.closure_work[i])}});
  }
  impact["solutions"] = Json::array();
  for (const ImpactSolution& each : answer.result.solutions)
    impact["solutions"].push_back(
        {{"velocity", by_joint(problem, each.velocity)}, {"energy_change", json(each.energy_change)}});
}

/// `velocity`, `contacts` and `impact` of the report. Solutions are accounted for.
void write_claims(const ImpactAnswer& answer, Json& claims)
{
  const ContactProblem& problem = answer.input.problem;
  const ImpactProof& proof = answer.proof;
  const ImpactSolution* solution = answer.solution();
  claims["velocity"] = {{"before", by_joint(problem, answer.input.impact.velocity)},
                        {"after", solution ? by_joint(problem, solution->velocity) : Json()},
                        {"unique", proof.unique == Verdict::kHolds}};
  claims["contacts"] = Json::array();
  for (std::size_t i = 0; solution && i < problem.contacts.size(); ++i)
    claims["contacts"].push_back(contact_impact_json(problem.contacts[i], solution->contacts[i], solution->impulse));
  Json& impact = claims["impact"];
  impact["exists"] = name_of(proof.exists);
  impact["unique"] = name_of(proof.unique);
  impact["complete"] = proof.complete;
  impact["dissipates"] = name_of(proof.dissipates);
  impact["because"] = proof.why_dissipates;
  impact["flaws"] = Json::array();
  for (const KinematicFlaw& flaw : flaws_of(answer.input, solution))
    impact["flaws"].push_back(
        {{"who", flaw.closure >= 0 ? problem.loops[static_cast<std::size_t>(flaw.closure)].name
                                   : problem.contacts[static_cast<std::size_t>(flaw.contact)].name},
         {"after", flaw.after},
         {"velocity", json(flaw.velocity)}});
  if (solution) write_solutions(problem, answer, impact);
}

using Mode = ContactImpactMode;
using LeafKind = ImpactLeaf::Kind;
constexpr const char* kNormals[] = {"any", "open", "pushes", "pulls"};
constexpr const char* kTangentials[] = {"any", "stick", "slip"};
constexpr const char* kSpins[] = {"any", "stick", "positive", "negative"};
constexpr const char* kLeafKinds[] = {"unresolved", "empty", "solved", "loses"};

/// A choice by its name; the first where there is none.
template <class Choice, std::size_t n>
Choice read_choice(const Field& field, const char* key, const char* const (&names)[n])
{
  if (!field.has(key)) return Choice{};
  const std::string name = field[key].text();
  for (std::size_t i = 0; i < n; ++i)
    if (name == names[i]) return static_cast<Choice>(i);
  field[key].fail("a mode");
}

Json impact_leaf_json(const ImpactLeaf& leaf)
{
  Json entry;
  entry["kind"] = kLeafKinds[static_cast<int>(leaf.kind)];
  entry["modes"] = Json::array();
  for (const Mode& mode : leaf.modes) {
    Json row = Json::object();
    if (mode.normal != Mode::Normal::kAny) row["normal"] = kNormals[static_cast<int>(mode.normal)];
    if (mode.tangential != Mode::Tangential::kAny) row["tangential"] = kTangentials[static_cast<int>(mode.tangential)];
    if (mode.tangential == Mode::Tangential::kSlip) row["angles"] = {json(mode.from), json(mode.to)};
    if (mode.spin != Mode::Spin::kAny) row["spin"] = kSpins[static_cast<int>(mode.spin)];
    entry["modes"].push_back(row);
  }
  if (leaf.kind == LeafKind::kSolved) {
    entry["solution"] = leaf.solution;
    entry["left_inverse"] = json(leaf.left_inverse);
  } else if (leaf.kind != LeafKind::kUnresolved) {
    entry["witness"] = json(leaf.witness);
  }
  for (const SlipFloor& floor : leaf.floors)
    entry["floors"].push_back({{"impulse", json(floor.impulse)},
                               {"speed", json(floor.speed)},
                               {"impulse_witness", json(floor.impulse_witness)},
                               {"speed_witness", json(floor.speed_witness)}});
  return entry;
}

ImpactLeaf read_impact_leaf(const Field& field, Eigen::Index nv)
{
  ImpactLeaf leaf;
  leaf.kind = read_choice<LeafKind>(field, "kind", kLeafKinds);
  const Field modes = field["modes"];
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const Field row = modes[i];
    Mode mode;
    mode.normal = read_choice<Mode::Normal>(row, "normal", kNormals);
    mode.tangential = read_choice<Mode::Tangential>(row, "tangential", kTangentials);
    mode.spin = read_choice<Mode::Spin>(row, "spin", kSpins);
    if (mode.tangential == Mode::Tangential::kSlip) {
      const Eigen::VectorXd angles = row["angles"].vector(2);
      mode.from = angles[0];
      mode.to = angles[1];
    }
    leaf.modes.push_back(mode);
  }
  if (leaf.kind == LeafKind::kSolved) {
    leaf.solution = field["solution"].integer();
    const Field rows = field["left_inverse"];
    leaf.left_inverse = rows.matrix(nv, rows.size() > 0 ? static_cast<Eigen::Index>(rows[0].size()) : 0);
  } else if (leaf.kind != LeafKind::kUnresolved) {
    leaf.witness = field["witness"].vector();
  }
  for (std::size_t i = 0; field.has("floors") && i < field["floors"].size(); ++i) {
    const Field floor = field["floors"][i];
    leaf.floors.push_back({floor["impulse"].number(), floor["speed"].number(), floor["impulse_witness"].vector(),
                           floor["speed_witness"].vector()});
  }
  return leaf;
}

Json law_json(const ImpactLaw& law)
{
  Json entry = {{"normal", json(law.normal)},
                {"tangential", json(law.tangential)},
                {"spin", json(law.spin)},
                {"one_way", law.one_way}};
  if (law.mu_second) entry["mu_second"] = json(*law.mu_second);
  return entry;
}

ImpactLaw read_law(const Field& field)
{
  ImpactLaw law;
  law.normal = field["normal"].number();
  law.tangential = field["tangential"].number();
  law.spin = field["spin"].number();
  law.one_way = field["one_way"].boolean();
  if (field.has("mu_second")) law.mu_second = field["mu_second"].number();
  return law;
}

Json question_json(const ImpactInput& asked)
{
  Json entry;
  entry["problem"] = problem_json(asked.problem);
  entry["velocity"] = json(asked.impact.velocity);
  entry["laws"] = Json::array();
  for (const ImpactLaw& law : asked.impact.laws) entry["laws"].push_back(law_json(law));
  return entry;
}

Json proof_json(const char* kind, const std::vector<ImpactSolution>& solutions, const std::vector<ImpactLeaf>& leaves)
{
  Json entry;
  entry["kind"] = kind;
  entry["solutions"] = Json::array();
  for (const ImpactSolution& each : solutions)
    entry["solutions"].push_back({{"velocity", json(each.velocity)}, {"impulse", json(each.impulse)}});
  entry["leaves"] = Json::array();
  for (const ImpactLeaf& leaf : leaves) entry["leaves"].push_back(impact_leaf_json(leaf));
  return entry;
}

Json conditions_json(const EnergyConditions& c)
{
  if (!c.applies) return Json();
  const double r = c.normalised_ratio, angle = 2.0 * std::sqrt(r) / (1.0 + r);
  Json entry;
  entry["G"] = json(c.G);
  entry["rank"] = c.rank;
  entry["eigenvalues"] = {json(c.smallest), json(c.largest)};
  entry["ratio"] = json(c.ratio);
  entry["normalised_ratio"] = json(r);
  entry["restitutions"] = {json(c.e_min), json(c.e_max)};
  entry["equal"] = c.equal;
  entry["similar"] = {{"holds", c.similar}, {"left", json(c.similar_left)}, {"right", json(c.similar_right)}};
  entry["small"] = {{"holds", c.small}, {"left", json(c.small_left)}, {"right", json(c.ratio)}};
  entry["sharpened"] = {{"holds", c.sharpened}, {"left", json(c.spread)}, {"right", json(angle)}};
  entry["exact"] = {{"holds", c.safe}, {"smallest", json(c.exact)}};
  return entry;
}

}  // namespace

Json impact_asked(const ScenarioReport& report) { return question_json(std::get<ImpactAnswer>(report.answer).input); }

void write_impact(const ScenarioReport& report, Json& json_report)
{
  const ImpactAnswer& answer = std::get<ImpactAnswer>(report.answer);
  const ImpactResult& result = answer.result;
  write_claims(answer, json_report);
  Json& impact = json_report["impact"];
  const Verdict unique = answer.solution() ? answer.solution()->impulse_unique : Verdict::kUndecided;
  impact["impulses_unique"] = unique == Verdict::kUndecided ? Json() : Json(unique == Verdict::kHolds);
  for (std::size_t i = 0; i < json_report["contacts"].size(); ++i) {
    const Margin range = i < answer.impulse_intervals.size() ? answer.impulse_intervals[i] : Margin();
    json_report["contacts"][i]["impulse_interval"] =
        range.state == Margin::State::kKnown ? Json{json(range.lower), json(range.upper)} : Json();
  }
  if (answer.safe) impact["conditions"] = conditions_json(result.conditions);
  json_report["margins"] = margins_json(report.margins);
  json_report["repair"] = Json::array();
  if (answer.repaired) json_report["repair"].push_back({{"change", "restitution"}, {"to", json(answer.safe->exact)}});
  const char* kind = verdict_of(answer.proof) == Verdict::kUndecided ? "none" : proof_kind(result.solutions);
  json_report["certificate"] = impact_asked(report);
  json_report["certificate"].update(proof_json(kind, result.solutions, answer.leaves));
}

namespace {

/// What only proofs of their own say: empty when a safe restitution that is shown is safe, and friction makes it stick.
std::string safety_disagreement(const Field& report, const ImpactInput& asked)
{
  const Field impact = report["impact"], margins = report["margins"];
  if (impact.has("conditions") && impact["conditions"].is_object() &&
      impact["conditions"]["exact"]["holds"].boolean() && !proves_safe(asked.problem, asked.impact.laws))
    return "impact.conditions.exact does not hold";
  for (const char* key : {"restitution", "restitution_least"}) {  // what is between two that are safe is safe
    if (!margins.has(key) || margins[key].is_null()) continue;
    const double restitution = margins[key].number();
    const bool possible = restitution >= 0.0 && restitution <= 1.0;
    if (!possible || !proves_safe(asked.problem, with_restitution(asked, restitution)))
      return std::string("margins.") + key + " is not proved to be safe";
  }
  if (!margins.has("sticking_friction")) return "";
  const Field shown = margins["sticking_friction"];
  const auto again = may_stick(asked.problem) ? sticking_friction(asked.problem, asked.impact) : std::nullopt;
  const bool same = shown.is_null() ? !again : again && std::abs(shown.number() - again->mu) <= kClear * again->mu;
  return same ? "" : "margins.sticking_friction is not what makes everything that is hit stick";
}

/// What a report may say: the claims, and what nothing is proved about.
Json claims_of(const Field& report, const ImpactAnswer& proved)
{
  Json claims;
  write_claims(proved, claims);
  claims["impact"]["impulses_unique"] = unproved();
  if (claims.contains("contacts"))
    leave_intervals(report["contacts"], "impulse_interval", claims["contacts"], "normal_impulse");
  if (report["impact"].has("conditions")) claims["impact"]["conditions"] = unproved();
  claims["margins"] = claims["repair"] = unproved();
  return claims;
}

/// Solutions and leaves of a certificate.
void read_proof(const Field& source, ImpactAnswer& answer)
{
  const auto& [problem, impact] = answer.input;
  for (std::size_t i = 0; i < source["solutions"].size(); ++i) {
    const Field entry = source["solutions"][i];
    ImpactSolution& solution = answer.result.solutions.emplace_back();
    solution.velocity = entry["velocity"].vector(problem.nv());
    solution.impulse = entry["impulse"].vector(problem.rows());
    account(problem, impact, solution);
  }
  for (std::size_t i = 0; i < source["leaves"].size(); ++i)
    answer.leaves.push_back(read_impact_leaf(source["leaves"][i], problem.nv()));
}

/// Why solutions are not a list of different ones; empty: they are.
std::string repetition(const std::vector<ImpactSolution>& solutions)
{
  for (std::size_t i = 0; i < solutions.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if ((solutions[i].velocity - solutions[k].velocity).norm() <= kSolve * solutions[i].velocity.norm())
        return "one solution is listed twice";
  return "";
}

/// Why solutions are not in the order of their energy, mirror images aside, which may differ by rounding; empty: they
/// are.
std::string disorder(const std::vector<ImpactSolution>& solutions)
{
  for (std::size_t i = 1; i < solutions.size(); ++i)
    if (solutions[i].energy_change < solutions[i - 1].energy_change - kClear * solutions[i].energy_before)
      return "the solutions are not in the order of their energy";
  return "";
}

}  // namespace

/// Judges from the report's own numbers, with the proof room alone.
Judgement judge_impact_report(const Field& report)
{
  const Field source = report["certificate"];
  ImpactAnswer answer;
  ImpactInput& asked = answer.input;
  asked.problem = read_problem(source["problem"]);
  asked.impact.velocity = source["velocity"].vector();
  for (std::size_t i = 0; i < source["laws"].size(); ++i) asked.impact.laws.push_back(read_law(source["laws"][i]));
  const auto check = [&] { validate(asked.problem, asked.impact); };
  if (const auto refused = refused_problem(check, "impact")) return *refused;
  read_proof(source, answer);
  const std::vector<ImpactSolution>& solutions = answer.result.solutions;
  if (const std::string wrong = repetition(solutions); !wrong.empty()) return Judgement::refusal(wrong);
  std::string why;
  answer.proof = judge_impact(asked.problem, asked.impact, solutions, answer.leaves, &why);
  if (verdict_of(answer.proof) == Verdict::kUndecided)
    return Judgement::refusal("the certificate proves nothing" + (why.empty() ? "" : ": " + why));
  if (const std::string wrong = disorder(solutions); !wrong.empty()) return Judgement::refusal(wrong);
  if (const std::string wrong = safety_disagreement(report, asked); !wrong.empty()) return Judgement::refusal(wrong);
  Judgement judged;
  judged.verdict = verdict_of(answer.proof);
  judged.summary = summary_of(answer);
  judged.proved = std::string("by ") + proof_kind(solutions);
  judged.claims = claims_of(report, answer);
  judged.differences = true;
  judged.question = question_json(asked);
  judged.proof = proof_json(proof_kind(solutions), solutions, answer.leaves);
  return judged;
}

}  // namespace stiction::internal
