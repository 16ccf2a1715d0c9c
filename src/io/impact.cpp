// The question impact: what do velocities become when bodies hit, and is energy created? (docs/impact.md)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "io/judgement.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "stiction/error.hpp"
#include "stiction/impact_input.hpp"
#include "stiction/rest.hpp"

namespace stiction::internal {
namespace {

// ---- From scenario to problem. ----

/// Table 1 of the paper: which coefficients a kind of contact may have.
void require_range(const std::string& path, double value, bool closing, double upper, const char* kind)
{
  const bool good = value <= upper && (closing ? value >= 0.0 : value > -1.0);
  if (!good)
    throw InputError(
        path, fmt::format("want {}, {}] for {}, got {}", closing ? "[0" : "(-1", text(upper), kind, text(value)));
}

void require_for_impact(const Scenario& scenario)
{
  require_default_rules(scenario);
  for (std::size_t i = 0; i < scenario.contact_motions.size(); ++i) {
    const ContactMotion& motion = scenario.contact_motions[i];
    const ContactDescription& contact = scenario.scene.contacts[i];
    const std::string path = "contacts[" + std::to_string(i) + "].";
    if (motion.slides)
      throw InputError(path + "slides",
                       "want velocities in `rates` and `twist` for the question impact, got " + text(*motion.slides));
    const bool bilateral = contact.side == Side::kBilateral;
    if (bilateral && motion.one_way)
      throw InputError(path + "one_way", "want a unilateral contact, got a bilateral one");
    const char* kind = bilateral        ? "a bilateral contact"
                       : motion.one_way ? "a one-way contact"
                                        : "a contact that closes";
    require_range(path + "restitution.normal", motion.restitution_normal, !bilateral && !motion.one_way,
                  motion.one_way ? 0.0 : 1.0, kind);
    require_range(path + "restitution.tangential", motion.restitution_tangential, false, 1.0, "friction");
    require_range(path + "restitution.spin", motion.restitution_spin, false, 1.0, "torsion");
    if (motion.mu_second && (*motion.mu_second > 0.0) != (contact.mu > 0.0))
      throw InputError(path + "mu_second", "want it positive exactly where mu is (" + text(contact.mu) + "), got " +
                                               text(*motion.mu_second));
  }
}

ImpactInput read_impact(const Situation& situation)
{
  std::vector<ImpactLaw> laws;
  for (const ContactOrigin& origin : situation.scene.contact_origins()) {
    const ContactMotion& motion = situation.scenario.contact_motions[static_cast<std::size_t>(origin.description)];
    laws.push_back({motion.restitution_normal, motion.restitution_tangential, motion.restitution_spin, motion.one_way,
                    motion.mu_second});
  }
  return impact_input(situation.problem, situation.state.v, laws);
}

// ---- What a proof says, in the words of the report: written by `check`, and again by `verify`. ----

const char* kind_of(const std::vector<ImpactSolution>& solutions)
{
  return solutions.empty() ? "contradiction" : "impulses";
}

const char* name_of(ImpactState state)
{
  switch (state) {
    case ImpactState::kOpens:
      return "detaching";
    case ImpactState::kUnloaded:
      return "unloaded";
    case ImpactState::kSticks:
      return "sticking";
    case ImpactState::kSlips:
      return "sliding";
  }
  return "";
}

struct Injection {
  std::string who;  ///< "friction of tip"
  double work;
};

/// The part of a solution's work that is positive beyond rounding.
std::vector<Injection> injections(const ContactProblem& problem, const ImpactSolution& solution)
{
  const double noticeable = kClear * (2.0 * solution.energy_before + std::abs(solution.energy_change));
  std::vector<Injection> list;
  const auto add = [&](const std::string& who, double work) {
    if (work > noticeable) list.push_back({who, work});
  };
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    add("the normal of " + problem.contacts[i].name, solution.contacts[i].work_normal);
    add("friction of " + problem.contacts[i].name, solution.contacts[i].work_tangential);
  }
  for (std::size_t i = 0; i < problem.loops.size(); ++i) add(problem.loops[i].name, solution.closure_work[i]);
  std::ranges::sort(list, [](const Injection& a, const Injection& b) { return a.work > b.work; });
  return list;
}

Verdict verdict_of(const ImpactProof& proof)
{
  if (proof.exists != Verdict::kHolds) return proof.exists;
  return proof.dissipates;
}

/// The solution that the report shows: the one that gains most where that is the verdict, else the one that loses most.
std::size_t shown(const ImpactProof& proof, const std::vector<ImpactSolution>& solutions)
{
  return proof.dissipates == Verdict::kFails ? solutions.size() - 1 : 0;
}

bool hits(const ImpactSolution& solution) { return (solution.impulse.array() != 0.0).any(); }

std::string energy_words(const ImpactSolution& solution)
{
  const double before = solution.energy_before, change = solution.energy_change;
  if (!hits(solution)) return "nothing is hit, velocities stay as they are";
  return -change > kClear * before ? fmt::format("the impact takes {:.4g} J of {:.4g} J", -change, before)
                                   : fmt::format("the impact keeps the kinetic energy, {:.4g} J", before);
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

/// `velocity`, `contacts` and `impact` of the report. Solutions are accounted for.
void write_claims(const ImpactInput& asked, const ImpactProof& proof, const std::vector<ImpactSolution>& solutions,
                  Json& claims)
{
  const ContactProblem& problem = asked.problem;
  const ImpactSolution* solution = solutions.empty() ? nullptr : &solutions[shown(proof, solutions)];
  claims["velocity"] = {{"before", by_joint(problem, asked.impact.velocity)},
                        {"after", solution ? by_joint(problem, solution->velocity) : Json()},
                        {"unique", proof.unique == Verdict::kHolds}};
  claims["contacts"] = Json::array();
  for (std::size_t i = 0; solution && i < problem.contacts.size(); ++i)
    claims["contacts"].push_back(contact_impact_json(problem.contacts[i], solution->contacts[i], solution->impulse));
  Json& impact = claims["impact"];
  impact["exists"] = internal::name_of(proof.exists);
  impact["unique"] = internal::name_of(proof.unique);
  impact["complete"] = proof.complete;
  impact["dissipates"] = internal::name_of(proof.dissipates);
  impact["because"] = proof.why_dissipates;
  if (!solution) return;
  impact["energy_before"] = json(solution->energy_before);
  impact["energy_change"] = json(solution->energy_change);
  impact["injected_by"] = Json::array();
  for (const Injection& injection : injections(problem, *solution))
    impact["injected_by"].push_back({{"who", injection.who}, {"work", json(injection.work)}});
  impact["closures"] = Json::array();
  for (std::size_t i = 0; i < problem.loops.size(); ++i) {
    const LoopConstraint& closure = problem.loops[i];
    const Eigen::VectorXd impulse = solution->impulse.segment(closure.row, closure.rows);
    impact["closures"].push_back(
        {{"name", closure.name}, {"impulse", json(impulse)}, {"work", json(solution->closure_work[i])}});
  }
  impact["solutions"] = Json::array();
  for (const ImpactSolution& each : solutions)
    impact["solutions"].push_back(
        {{"velocity", by_joint(problem, each.velocity)}, {"energy_change", json(each.energy_change)}});
}

// ---- Certificates. ----

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

/// The laws with another ε at every contact that closes.
std::vector<ImpactLaw> with_restitution(const ImpactInput& asked, double restitution)
{
  std::vector<ImpactLaw> laws = asked.impact.laws;
  for (std::size_t i = 0; i < laws.size(); ++i)
    if (asked.problem.contacts[i].side == Side::kUnilateral && !laws[i].one_way) laws[i].normal = restitution;
  return laws;
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

/// One sentence about a verdict that is not undecided.
std::string impact_words(const ImpactInput& asked, const ImpactProof& proof,
                         const std::vector<ImpactSolution>& solutions)
{
  if (solutions.empty()) return "fails: no velocity after the impact satisfies every law: they contradict each other";
  const ImpactSolution& found = solutions[shown(proof, solutions)];
  if (verdict_of(proof) == Verdict::kFails) {
    std::string words =
        fmt::format("fails: the impact creates {:.4g} J on top of {:.4g} J", found.energy_change, found.energy_before);
    const std::vector<Injection> guilty = injections(asked.problem, found);
    if (!guilty.empty()) words += fmt::format("; {} injects {:.4g} J", guilty.front().who, guilty.front().work);
    return words;
  }
  return "holds: " + energy_words(found) +
         (solutions.size() > 1 ? fmt::format("; {} velocities after it are possible, none gains", solutions.size())
                               : "");
}

// ---- The answer. ----

class ImpactAnswer final : public Answer {
 public:
  explicit ImpactAnswer(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override { asked_ = read_impact(situation); }
  void ask(const Situation& situation, Extras extras) override;
  Json question(const Report&) const override { return question_json(asked_); }

  Verdict verdict() const override { return verdict_of(proof_); }
  int iterations() const override { return static_cast<int>(result_.leaves.size()); }
  std::string summary() const override;
  void write_row(std::vector<RowCell>& cells) const override;
  void write_json(const Report& report, Json& json_report) const override;
  AnswerText text(const Report& report) const override;

 private:
  const ImpactSolution* solution() const
  {
    return result_.solutions.empty() ? nullptr : &result_.solutions[shown(proof_, result_.solutions)];
  }
  bool hit() const { return solution() && hits(*solution()); }
  std::vector<std::string> remarks() const;
  Json conditions_json() const;

  ImpactChecker checker_;
  ImpactInput asked_;
  ImpactResult result_;
  ImpactProof proof_;
  std::vector<ImpactLeaf> leaves_;  ///< those that the verdicts need
  std::optional<SafeRestitution> safe_;
  std::optional<double> sticking_friction_;
  bool repaired_ = false;  ///< the safe restitution was tried
};

void ImpactAnswer::ask(const Situation& situation, Extras extras)
{
  read(situation);
  const bool margins = situation.scenario.options.margins.value_or(extras == Extras::kAll);
  ImpactOptions options;
  options.conditions = margins;
  options.leaf_limit = situation.scenario.options.modes.value_or(options.leaf_limit);
  result_ = checker_.check(asked_.problem, asked_.impact, options);
  proof_ = judge_impact(asked_.problem, asked_.impact, result_.solutions, {});
  leaves_.clear();
  if (proof_.complete != result_.complete || proof_.exists != result_.exists || proof_.unique != result_.unique ||
      proof_.dissipates != result_.dissipates) {
    leaves_ = result_.leaves;
    proof_ = judge_impact(asked_.problem, asked_.impact, result_.solutions, leaves_);
  }
  safe_.reset();
  sticking_friction_.reset();
  repaired_ = false;
  if (!margins) return;
  safe_ = safe_restitution(asked_.problem, asked_.impact.laws);
  if (std::ranges::none_of(asked_.problem.contacts, &Contact::torsional)) {
    const StickingTouchdown touchdown = sticking_touchdown(asked_.problem, asked_.impact);
    if (touchdown.consistent && !touchdown.friction.empty())
      sticking_friction_ = *std::ranges::max_element(touchdown.friction);
    if (sticking_friction_ && *sticking_friction_ < kClear) sticking_friction_ = 0.0;  // rounding
  }
  const bool repairs = situation.scenario.options.repairs.value_or(extras == Extras::kAll);
  if (repairs && verdict() == Verdict::kFails && !result_.solutions.empty() && safe_->applies) {
    const Impact safer{asked_.impact.velocity, with_restitution(asked_, safe_->exact)};
    options.conditions = false;
    const ImpactResult found = checker_.check(asked_.problem, safer, options);
    repaired_ = found.exists == Verdict::kHolds && found.dissipates == Verdict::kHolds;
  }
}

std::string ImpactAnswer::summary() const
{
  if (verdict() != Verdict::kUndecided) return impact_words(asked_, proof_, result_.solutions);
  if (!solution())
    return "undecided: no velocity that satisfies every law was found, but there might be one: " + result_.reason;
  return "undecided: " + energy_words(*solution()) + ", but other velocities might gain: " + result_.reason;
}

/// What looks wrong about the velocities, or may surprise.
std::vector<std::string> ImpactAnswer::remarks() const
{
  std::vector<std::string> list;
  for (const KinematicFlaw& flaw : result_.flaws) {
    if (std::abs(flaw.velocity) <= kRestSpeed) continue;
    const std::string speed = fmt::format("{:.4g}", std::abs(flaw.velocity));
    if (flaw.closure >= 0)
      list.push_back(fmt::format("{} moves before the impact ({}): it is caught at once, as by a latch",
                                 asked_.problem.loops[static_cast<std::size_t>(flaw.closure)].name, speed));
    if (flaw.contact < 0) continue;
    const auto i = static_cast<std::size_t>(flaw.contact);
    const Contact& contact = asked_.problem.contacts[i];
    if (flaw.after)
      list.push_back(fmt::format("{} {} after the impact ({} m/s): its restitution says so", contact.name,
                                 contact.side == Side::kBilateral ? "moves along its normal" : "closes", speed));
    else if (contact.side == Side::kBilateral)
      list.push_back(fmt::format("{} moves along its normal before the impact ({} m/s) although it is bilateral",
                                 contact.name, speed));
    else if (asked_.impact.laws[i].one_way)
      list.push_back(fmt::format("{} moves the way it cannot before the impact ({} m/s)", contact.name, speed));
    else
      list.push_back(
          fmt::format("{} separates already ({} m/s): if it is hit all the same, it acts as a one-way contact",
                      contact.name, speed));
  }
  return list;
}

void ImpactAnswer::write_row(std::vector<RowCell>& cells) const
{
  const ImpactSolution* found = solution();
  const auto number = [&](double value) { return found ? std::optional(value) : std::nullopt; };
  double utilisation = 0.0;
  if (found)
    for (const ContactImpact& contact : found->contacts) utilisation = std::max(utilisation, contact.utilisation);
  cells.push_back({"energy_before", number(found ? found->energy_before : 0.0)});
  cells.push_back({"energy_change", number(found ? found->energy_change : 0.0)});
  cells.push_back({"utilisation", number(utilisation)});
  cells.push_back({"solutions", static_cast<double>(result_.solutions.size())});
  cells.push_back({"unique", {}, internal::name_of(proof_.unique)});
  if (safe_) cells.push_back({"restitution", safe_->applies ? std::optional(safe_->exact) : std::nullopt});
}

Json ImpactAnswer::conditions_json() const
{
  const EnergyConditions& c = result_.conditions;
  if (!c.applies) return Json();
  const double r = c.normalised_ratio, angle = 2.0 * std::sqrt(r) / (1.0 + r);
  Json entry;
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

void ImpactAnswer::write_json(const Report& report, Json& json_report) const
{
  write_claims(asked_, proof_, result_.solutions, json_report);
  Json& impact = json_report["impact"];
  impact["energy_bound"] = result_.bound_applies ? json(result_.energy_bound) : Json();
  impact["impulses_unique"] = solution() && solution()->impulse_unique;
  if (safe_) impact["conditions"] = conditions_json();
  json_report["margins"] = Json::object();
  if (safe_) {
    json_report["margins"]["restitution"] = safe_->applies ? json(safe_->exact) : Json();
    json_report["margins"]["restitution_sharpened"] = safe_->applies ? json(safe_->sharpened) : Json();
    json_report["margins"]["restitution_similar"] = safe_->applies ? json(safe_->similar) : Json();
  }
  if (sticking_friction_) json_report["margins"]["sticking_friction"] = json(*sticking_friction_);
  json_report["repair"] = Json::array();
  if (repaired_) json_report["repair"].push_back({{"change", "restitution"}, {"to", json(safe_->exact)}});

  const char* kind = verdict() == Verdict::kUndecided ? "none" : kind_of(result_.solutions);
  json_report["certificate"] = question(report);
  json_report["certificate"].update(proof_json(kind, result_.solutions, leaves_));
}

AnswerText ImpactAnswer::text(const Report&) const
{
  AnswerText text;
  const ContactProblem& problem = asked_.problem;
  const ImpactSolution* found = solution();
  if (found && !problem.contacts.empty()) {
    std::size_t width = 7;
    for (const Contact& contact : problem.contacts) width = std::max(width, contact.name.size());
    width = std::min<std::size_t>(width, 20);
    text.table = fmt::format("\n{:<{}}  {:<9} {:>9} {:>8} {:>21}  {:>9}\n", "", width, "", "impulse", "friction",
                             "normal velocity [m/s]", "work");
    text.table += fmt::format("{:<{}}  {:<9} {:>9} {:>8}  {:>9}  {:>9}  {:>9}\n", "contact", width, "state", "[N s]",
                              "in use", "before", "after", "[J]");
    double speed = 0.0, largest = 0.0;  // what smaller numbers are rounding of
    for (const ContactImpact& contact : found->contacts) {
      speed = std::max({speed, contact.velocity_before.norm(), contact.velocity_after.norm()});
      largest = std::max(largest, contact.impulse.norm());
    }
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const ContactImpact& contact = found->contacts[i];
      std::string name = problem.contacts[i].name;
      if (name.size() > width)
        name += "\n" + std::string(width, ' ');  // long names stay whole
      else
        name.append(width - name.size(), ' ');
      const bool loaded = contact.impulse[0] != 0.0 && problem.contacts[i].mu > 0.0;
      text.table += fmt::format("{}  {:<9} {:>9.4g} {:>8}  {:>9.4g}  {:>9.4g}  {:>9.4g}\n", name,
                                name_of(contact.state), tidy(contact.impulse[0], largest),
                                loaded ? fmt::format("{:.0f} %", 100.0 * contact.utilisation) : "",
                                tidy(contact.velocity_before[0], speed), tidy(contact.velocity_after[0], speed),
                                tidy(contact.work(), found->energy_before));
    }
  }
  if (result_.solutions.size() > 1) {
    std::string words = fmt::format("{} velocities after the impact are possible{}; energy changes by",
                                    result_.solutions.size(), proof_.complete ? "" : " at least");
    for (const ImpactSolution& each : result_.solutions) words += fmt::format(" {:+.4g} J,", each.energy_change);
    words.back() = ' ';
    text.notes.push_back(words + fmt::format("(shown: {:+.4g} J)", found->energy_change));
  } else if (found) {
    text.notes.push_back(proof_.unique == Verdict::kHolds
                             ? "no other velocity after the impact satisfies the laws"
                             : "whether other velocities satisfy the laws was not proved: " + result_.reason);
  }
  if (found && !found->impulse_unique && hit())
    text.notes.push_back("impulses are not unique; others give the same velocity");
  if (found && verdict() == Verdict::kFails)
    for (const Injection& injection : injections(problem, *found))
      text.notes.push_back(fmt::format("{} injects {:.4g} J", injection.who, injection.work));
  if (verdict() == Verdict::kHolds && hit()) text.notes.push_back("no energy is created: " + proof_.why_dissipates);
  if (safe_ && safe_->applies && hit())
    text.notes.push_back(safe_->exact >= 1.0
                             ? "no restitution of the closing contacts creates energy here, whatever the velocity"
                             : fmt::format("whatever the velocity, closing contacts create no energy with a common "
                                           "restitution up to {:.4g}",
                                           safe_->exact));
  if (sticking_friction_ && std::isfinite(*sticking_friction_) && *sticking_friction_ > 0.0 && hit())
    text.notes.push_back(fmt::format("with friction of {:.4g} everything can stick", *sticking_friction_));
  for (const std::string& remark : remarks()) text.notes.push_back(remark);
  if (repaired_) {
    text.advice = "\nwhat would make it hold:\n";
    append_item(text.advice, fmt::format("a restitution of {:.4g} at every contact that closes", safe_->exact));
  }
  return text;
}

// ---- verify ----

/// What only proofs of their own say: empty when a safe restitution that is shown is safe.
std::string safety_disagreement(const Field& report, const ImpactInput& asked)
{
  const Field impact = report["impact"], margins = report["margins"];
  if (impact.has("conditions") && impact["conditions"].is_object() &&
      impact["conditions"]["exact"]["holds"].boolean() && !proves_safe(asked.problem, asked.impact.laws))
    return "impact.conditions.exact does not hold";
  if (margins.has("restitution") && !margins["restitution"].is_null()) {
    const double restitution = margins["restitution"].number();
    const bool possible = restitution >= 0.0 && restitution <= 1.0;
    if (!possible || !proves_safe(asked.problem, with_restitution(asked, restitution)))
      return "margins.restitution is not proved to be safe";
  }
  return "";
}

/// What a report may say: the claims, and what nothing is proved about.
Json claims_of(const Field& report, const ImpactInput& asked, const ImpactProof& proof,
               const std::vector<ImpactSolution>& solutions)
{
  Json claims;
  write_claims(asked, proof, solutions, claims);
  for (const char* key : {"energy_bound", "impulses_unique"}) claims["impact"][key] = unproved();
  if (report["impact"].has("conditions")) claims["impact"]["conditions"] = unproved();
  claims["margins"] = claims["repair"] = unproved();
  return claims;
}

/// Judges from the report's own numbers, with the proof room alone.
Judgement judge_impact_report(const Field& report)
{
  const Field source = report["certificate"];
  ImpactInput asked;
  asked.problem = read_problem(source["problem"]);
  asked.impact.velocity = source["velocity"].vector();
  for (std::size_t i = 0; i < source["laws"].size(); ++i) asked.impact.laws.push_back(read_law(source["laws"][i]));
  try {
    validate(asked.problem, asked.impact);
  } catch (const InputError& error) {
    return Judgement::refusal(std::string("the certificate's impact is not one: ") + error.what());
  }
  std::vector<ImpactSolution> solutions(source["solutions"].size());
  for (std::size_t i = 0; i < solutions.size(); ++i) {
    const Field entry = source["solutions"][i];
    solutions[i].velocity = entry["velocity"].vector(asked.problem.nv());
    solutions[i].impulse = entry["impulse"].vector(asked.problem.rows());
    account(asked.problem, asked.impact, solutions[i]);
  }
  for (std::size_t i = 0; i < solutions.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if ((solutions[i].velocity - solutions[k].velocity).norm() <= kSolve * solutions[i].velocity.norm())
        return Judgement::refusal("one solution is listed twice");
  std::vector<ImpactLeaf> leaves;
  for (std::size_t i = 0; i < source["leaves"].size(); ++i)
    leaves.push_back(read_impact_leaf(source["leaves"][i], asked.problem.nv()));
  std::string why;
  const ImpactProof proof = judge_impact(asked.problem, asked.impact, solutions, leaves, &why);
  if (verdict_of(proof) == Verdict::kUndecided)
    return Judgement::refusal("the certificate proves nothing" + (why.empty() ? "" : ": " + why));
  for (std::size_t i = 1; i < solutions.size(); ++i)  // mirror images may differ by rounding
    if (solutions[i].energy_change < solutions[i - 1].energy_change - kClear * solutions[i].energy_before)
      return Judgement::refusal("the solutions are not in the order of their energy");
  if (const std::string wrong = safety_disagreement(report, asked); !wrong.empty()) return Judgement::refusal(wrong);
  Judgement judged;
  judged.verdict = verdict_of(proof);
  judged.summary = impact_words(asked, proof, solutions);
  judged.proved = std::string("by ") + kind_of(solutions);
  judged.claims = claims_of(report, asked, proof, solutions);
  judged.question = question_json(asked);
  judged.proof = proof_json(kind_of(solutions), solutions, leaves);
  return judged;
}

std::vector<std::string> impact_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"energy_before", "energy_change", "utilisation", "solutions", "unique"};
  if (options.margins.value_or(false)) names.push_back("restitution");
  return names;
}

}  // namespace

extern const QuestionKind kImpactKind{Question::kImpact, require_for_impact, make_answer<ImpactAnswer>, impact_columns,
                                      judge_impact_report};

}  // namespace stiction::internal
