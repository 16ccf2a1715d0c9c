// The question closure: can the contacts hold an object against everything? (docs/closure.md)
#include "stiction/closure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "io/judgement.hpp"
#include "io/number_text.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "stiction/closure_input.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

constexpr std::pair<const char*, GraspPlane> kPlanes[] = {
    {"", GraspPlane::kNone}, {"xy", GraspPlane::kXY}, {"yz", GraspPlane::kYZ}, {"zx", GraspPlane::kZX}};

/// Of a name that is one of them.
GraspPlane plane_of(const std::string& name)
{
  return std::ranges::find(kPlanes, name, [](const auto& plane) { return std::string(plane.first); })->second;
}

/// @throws InputError unless `options.object` names a model; a scene of one model needs no name.
const ModelDescription& object_of(const Scenario& scenario)
{
  const auto& models = scenario.scene.models;
  const std::string& wanted = scenario.options.object;
  if (wanted.empty() && models.size() == 1) return models.front();
  std::string names;
  for (const ModelDescription& model : models) {
    if (model.name == wanted) return model;
    names += (names.empty() ? "" : ", ") + model.name;
  }
  throw InputError("options.object",
                   "want the model that is held (" + names + "), got " + (wanted.empty() ? "none" : quoted(wanted)));
}

void require_for_closure(const Scenario& scenario)
{
  require_no_sliding(scenario);
  if (object_of(scenario).base == Base::kFixed && !scenario.options.plane.empty())
    throw InputError("options.plane",
                     "want no plane for an object on a fixed base: its joints say how it can move; got " +
                         quoted(scenario.options.plane));
}

/// What is asked: the grasp, and the wrench that it has to resist.
Json question_json(const GraspInput& source, const std::string& object, const std::string& plane)
{
  Json entry;
  entry["rules"]["cone"] = cone_json(source.shape);
  entry["problem"] = problem_json(source.problem);
  entry["object"] = object;
  entry["object_dofs"] = source.object_dofs;
  entry["plane"] = plane;
  entry["point"] = json(Eigen::VectorXd(source.convention.reference));
  entry["length"] = json(source.convention.torque_length);
  entry["pose"] = Json();  // of an object on a fixed base
  if (source.pose)
    entry["pose"] = {{"origin", json(Eigen::VectorXd(source.pose->origin))},
                     {"rotation", json(Eigen::MatrixXd(source.pose->rotation))}};
  entry["wrench"] = json(source.wrench);
  return entry;
}

Json proof_json(const ClosureProof& proof)
{
  return {{"forces", json(proof.forces)}, {"twist", json(Eigen::VectorXd(proof.twist))}};
}

Json proof_json(const ResistProof& proof)
{
  return {{"signs", proof.signs}, {"x", json(proof.x)}, {"y", json(proof.y)}};
}

/// Forces and efforts that resist the wrench, as `contacts` and `efforts` of the report.
void write_resisting(const GraspInput& source, const Eigen::VectorXd& forces, const Eigen::VectorXd& efforts,
                     const Json& unique, Json& report)
{
  for (const Contact& contact : source.problem.contacts) {
    const auto rows = forces.segment(contact.row, contact.rows());
    const FrictionCone cone{contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, source.shape};
    ContactReport found;
    for (int k = 0; k < contact.rows(); ++k) found.force[k < 1 + contact.tangents ? k : 3] = rows[k];
    found.utilisation = utilisation(cone, rows);
    found.state = rows[0] == 0.0                   ? ContactState::kUnloaded
                  : found.utilisation < 1.0 - 1e-9 ? ContactState::kSticking
                                                   : ContactState::kRim;
    report["contacts"].push_back(contact_json(contact, found, forces, false));
    report["contacts"].back()["unique"] = unique;
  }
  Eigen::Index hand = 0;
  for (int dof = 0; dof < source.problem.nv(); ++dof)
    if (std::ranges::find(source.object_dofs, dof) == source.object_dofs.end() && efforts.size() > hand)
      report["efforts"][source.problem.dof_names[static_cast<std::size_t>(dof)]] = json(efforts[hand++]);
}

/// `quality` without the numbers that are asked for.
Json convention_json(const WrenchConvention& convention)
{
  return {{"torque_point", json(Eigen::VectorXd(convention.reference))},
          {"torque_length", json(convention.torque_length)},
          {"convention", "unit normal forces, object axes"}};
}

std::string closure_words(Verdict verdict, bool hand, const std::string& object, const std::string& explanation)
{
  return std::string(name_of(verdict)) + ": " + (verdict == Verdict::kHolds ? "" : "no ") +
         (hand ? "force closure" : "frictional form closure") + " of " + object +
         (explanation.empty() ? "" : "; " + explanation);
}

class ClosureAnswer final : public Answer {
 public:
  explicit ClosureAnswer(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override;
  void ask(const Situation& situation, Extras extras) override;
  Json question(const Report& report) const override
  {
    return question_json(source_, object_, report.scenario.options.plane);
  }

  Verdict verdict() const override { return decisive().verdict; }
  int iterations() const override { return 0; }
  std::string summary() const override;
  void write_row(std::vector<RowCell>& cells) const override;
  void write_json(const Report& report, Json& json_report) const override;
  AnswerText text(const Report& report) const override;

 private:
  struct Named {
    const char* name;
    const ClosureVerdict& found;
  };
  std::vector<Named> verdicts() const
  {
    return {{"form_closure", result_.form_closure},
            {"frictional_form_closure", result_.frictional_form_closure},
            {"force_closure", result_.force_closure}};
  }
  /// What the question is about: with a hand whether it can command every internal force, else what the contacts
  /// could do.
  const ClosureVerdict& decisive() const
  {
    return grasp_.has_hand() ? result_.force_closure : result_.frictional_form_closure;
  }

  ClosureChecker checker_;
  std::string object_;
  GraspInput source_;
  Grasp grasp_;
  ObjectContacts touching_;
  ClosureResult result_;
  ResistResult resists_;
  std::optional<ClosureRate> rate_;
};

void ClosureAnswer::read(const Situation& situation)
{
  require_rest(situation.scene, situation.state, situation.problem);
  const ScenarioOptions& options = situation.scenario.options;
  object_ = object_of(situation.scenario).name;
  source_ = grasp_of(situation.scene, situation.state, situation.problem,
                     {object_, plane_of(options.plane), options.point, options.length, options.wrench, options.cone});
  touching_ = object_contacts(situation.scene, situation.state, situation.problem, object_);
  source_.build(grasp_);
}

void ClosureAnswer::ask(const Situation& situation, Extras extras)
{
  read(situation);
  const ScenarioOptions& asked = situation.scenario.options;
  const bool numbers = asked.margins.value_or(extras == Extras::kAll);
  ClosureOptions options;
  options.force = grasp_.has_hand();
  options.d = options.epsilon_l1 = options.epsilon_linf = options.minimal_friction = options.null_spaces = numbers;
  if (asked.gap) options.epsilon_gap = *asked.gap;
  checker_.check(grasp_, options, result_);
  checker_.resists(grasp_, source_.wrench, resists_);
  rate_.reset();
  if (asked.noise) {
    ContactNoise noise;
    noise.position = asked.noise->position;
    noise.angle = asked.noise->angle;
    noise.samples = asked.noise->samples;
    noise.seed = asked.noise->seed;
    if (object_of(situation.scenario).base != Base::kFloating)
      throw InputError("options.noise", "want a floating object for uncertain contacts, got one on a fixed base");
    rate_ = checker_.rate(touching_.contacts, source_.convention, noise);
  }
}

std::string ClosureAnswer::summary() const
{
  const ClosureVerdict& found = decisive();
  if (found.verdict == Verdict::kUndecided) return name_of(found.verdict) + (": " + found.reason);
  return closure_words(found.verdict, grasp_.has_hand(), object_, found.explanation);
}

void ClosureAnswer::write_row(std::vector<RowCell>& cells) const
{
  for (const Named& named : verdicts())
    if (named.found.asked) cells.push_back({named.name, {}, name_of(named.found.verdict)});
  cells.push_back({"resists", {}, name_of(resists_.verdict)});
  if (result_.epsilon_l1.enclosed()) cells.push_back({"epsilon_l1", result_.epsilon_l1.lower});
  if (result_.epsilon_linf.enclosed()) cells.push_back({"epsilon_linf", result_.epsilon_linf.lower});
  const Margin& factor = result_.friction_factor;
  if (factor.state == Margin::State::kKnown) cells.push_back({"friction_scale", factor.upper});
  if (factor.state == Margin::State::kNone) cells.push_back({"friction_scale", std::nullopt});
  if (rate_) cells.push_back({"rate", rate_->rate});
}

Json interval_json(double lower, double upper) { return {json(lower), json(upper)}; }

void ClosureAnswer::write_json(const Report& report, Json& json_report) const
{
  Json& closure = json_report["closure"];
  closure["object"] = object_;
  for (const Named& named : verdicts()) {
    if (!named.found.asked) continue;
    closure[named.name]["verdict"] = name_of(named.found.verdict);
    closure[named.name]["explanation"] =
        named.found.verdict == Verdict::kUndecided ? named.found.reason : named.found.explanation;
  }
  closure["resists"]["verdict"] = name_of(resists_.verdict);
  closure["resists"]["explanation"] = resists_.verdict == Verdict::kUndecided ? resists_.reason
                                      : resists_.verdict == Verdict::kFails
                                          ? describe_free_motion(grasp_, resists_.twist)
                                          : "";
  closure["resists"]["wrench"] = json(source_.wrench);

  json_report["contacts"] = Json::array();
  json_report["efforts"] = Json::object();
  if (resists_.verdict == Verdict::kHolds)
    write_resisting(source_, resists_.forces, resists_.efforts,
                    result_.null_spaces && result_.null_spaces->graspable == 0, json_report);

  Json& quality = json_report["quality"];
  quality = convention_json(source_.convention);
  for (const auto& [name, number] : {std::pair{"form_d", &result_.form_d},
                                     {"d", &result_.d},
                                     {"epsilon_l1", &result_.epsilon_l1},
                                     {"epsilon_linf", &result_.epsilon_linf}})
    if (number->enclosed()) quality[name] = interval_json(number->lower, number->upper);
  if (rate_)
    quality["rate"] = {{"value", json(rate_->rate)}, {"interval", interval_json(rate_->lower, rate_->upper)},
                       {"samples", rate_->samples},  {"holds", rate_->holds},
                       {"fails", rate_->fails},      {"undecided", rate_->undecided},
                       {"seed", rate_->seed}};
  if (result_.null_spaces) {
    const NullSpaces& spaces = *result_.null_spaces;
    Json& entry = quality["null_spaces"];
    entry = {{"indeterminate", spaces.indeterminate}, {"graspable", spaces.graspable}};
    if (spaces.hand) {
      entry["redundant"] = spaces.redundant;
      entry["defective"] = spaces.defective;
      entry["hyperstatic"] = spaces.hyperstatic;
    }
  }

  json_report["margins"] = Json::object();
  const Margin& factor = result_.friction_factor;
  if (factor.state == Margin::State::kNone) json_report["margins"]["friction_scale"] = Json();
  if (factor.state == Margin::State::kKnown) {
    json_report["margins"]["friction_scale"] = json(factor.upper);
    json_report["margins"]["intervals"]["friction_scale"] = interval_json(factor.lower, factor.upper);
  }
  json_report["repair"] = Json::array();
  if (result_.frictional_form_closure.verdict == Verdict::kFails) {
    if (factor.state == Margin::State::kKnown)
      json_report["repair"].push_back({{"change", "friction_scale"}, {"to", json(factor.upper)}});
    for (std::size_t i = 0; i < result_.contact_friction.size(); ++i)
      if (result_.contact_friction[i].state == Margin::State::kKnown)
        json_report["repair"].push_back(
            {{"change", "mu"}, {"contact", grasp_.contacts[i].name}, {"to", json(result_.contact_friction[i].upper)}});
  }

  Json& certificate = json_report["certificate"];
  certificate = question(report);
  certificate["kind"] = "closure";
  for (const Named& named : verdicts())
    if (named.found.asked && named.found.verdict != Verdict::kUndecided)
      certificate[named.name] = proof_json(named.found.proof);
  if (resists_.verdict != Verdict::kUndecided) certificate["resists"] = proof_json(resists_.proof);
}

AnswerText ClosureAnswer::text(const Report&) const
{
  AnswerText text;
  std::string& table = text.table;
  const auto line = [&](const char* name, Verdict verdict, const std::string& words) {
    std::string words_of_key = name;
    std::ranges::replace(words_of_key, '_', ' ');
    table += fmt::format("{:<24} {}\n", words_of_key, name_of(verdict));
    if (!words.empty()) append_item(table, words);
  };
  table = "\n";
  for (const Named& named : verdicts())
    if (named.found.asked)
      line(named.name, named.found.verdict,
           named.found.verdict == Verdict::kUndecided ? named.found.reason : named.found.explanation);
  line("resists gravity, loads", resists_.verdict,
       resists_.verdict == Verdict::kFails ? describe_free_motion(grasp_, resists_.twist) : resists_.reason);
  const auto interval = [](const Margin& value) { return interval_text(value.lower, value.upper); };
  const Eigen::Vector3d& point = source_.convention.reference;
  if (result_.epsilon_l1.enclosed() && result_.epsilon_linf.enclosed())
    text.notes.push_back(
        fmt::format("epsilon (largest wrench resisted in every direction): {} for normal forces that sum to 1, {} for "
                    "normal forces up to 1; "
                    "torques about ({:.4g}, {:.4g}, {:.4g}) m, divided by {:.4g} m",
                    interval(result_.epsilon_l1), interval(result_.epsilon_linf), point.x(), point.y(), point.z(),
                    source_.convention.torque_length));
  if (result_.d.enclosed()) text.notes.push_back("d (largest common slack of internal forces): " + interval(result_.d));
  const Margin& factor = result_.friction_factor;
  if (factor.state == Margin::State::kKnown)
    text.notes.push_back(factor.upper <= kHardlyAny
                             ? "closure needs next to no friction"
                             : fmt::format("least friction for closure: {:.4g} of every coefficient", factor.upper));
  if (factor.state == Margin::State::kNone) text.notes.push_back("no amount of friction gives closure");
  if (rate_)
    text.notes.push_back(
        fmt::format("closed in {:.1f} % of {} draws with uncertain contacts (95 %: {:.1f} to {:.1f} %, seed {})",
                    100 * rate_->rate, rate_->samples, 100 * rate_->lower, 100 * rate_->upper, rate_->seed));
  if (result_.null_spaces) {
    const NullSpaces& spaces = *result_.null_spaces;
    std::string words = fmt::format("internal forces: {}, motions of the object that no contact sees: {}",
                                    spaces.graspable, spaces.indeterminate);
    if (spaces.hand)
      words += fmt::format(
          ", motions of the hand that no contact sees: {}, forces that the hand does not feel: {}, internal ones among "
          "them: {}",
          spaces.redundant, spaces.defective, spaces.hyperstatic);
    text.notes.push_back(words);
  }
  for (const int i : touching_.pushing_away)
    text.notes.push_back("warning: the normal of " + touching_.contacts[static_cast<std::size_t>(i)].name +
                         " points away from the object's centre of mass: closure cannot tell whether it is reversed");
  if (result_.frictional_form_closure.verdict == Verdict::kFails) {
    std::string advice;
    if (factor.state == Margin::State::kKnown)
      append_item(advice, fmt::format("every friction coefficient times {:.4g}", factor.upper));
    for (std::size_t i = 0; i < result_.contact_friction.size(); ++i)
      if (result_.contact_friction[i].state == Margin::State::kKnown)
        append_item(advice, fmt::format("friction of {} alone raised to {:.4g}", grasp_.contacts[i].name,
                                        result_.contact_friction[i].upper));
    if (!advice.empty()) text.advice = "\nwhat would close it, each by itself:\n" + advice;
  }

  return text;
}

/// A verdict of the report as it is claimed.
Verdict read_verdict(const Field& field)
{
  const std::string name = field.text();
  for (const Verdict verdict : {Verdict::kHolds, Verdict::kFails, Verdict::kUndecided})
    if (name == name_of(verdict)) return verdict;
  field.fail("holds | fails | undecided");
}

std::string explain(const Grasp& grasp, ClosureKind kind, Verdict verdict, const ClosureProof& proof)
{
  if (verdict == Verdict::kHolds) {
    if (kind == ClosureKind::kForm) return "held by the normals alone";
    return kind == ClosureKind::kForce ? "every wrench can be resisted and the hand commands every internal force"
                                       : "every wrench can be resisted";
  }
  return proof.twist.size() > 0 ? describe_free_motion(grasp, proof.twist)
                                : "the hand cannot command every internal force";
}

/// The verdicts of a report of closure, judged one by one.
class ClosureJudge {
 public:
  /// @throws InputError when it is no grasp; its path begins with "report" when it is no report.
  explicit ClosureJudge(const Field& report) : report_(report), source_(report["certificate"])
  {
    plane_ = source_["plane"].text();
    if (!plane_.empty() && plane_ != "xy" && plane_ != "yz" && plane_ != "zx") source_["plane"].fail("xy | yz | zx");
    object_ = source_["object"].text();
    grasp_source_.wrench = source_["wrench"].vector();
    grasp_source_.shape = read_cone(source_["rules"]["cone"]);
    grasp_source_.problem = read_problem(source_["problem"]);
    grasp_source_.object_dofs = source_["object_dofs"].integers();
    grasp_source_.convention.plane = plane_of(plane_);
    grasp_source_.convention.reference = source_["point"].vector(3);
    grasp_source_.convention.torque_length = source_["length"].number();
    if (const Field pose = source_["pose"]; !pose.is_null())
      grasp_source_.pose = {pose["rotation"].matrix(3, 3), pose["origin"].vector(3)};
    grasp_source_.problem.validate();
    grasp_source_.build(grasp_);
    for (const int dof : grasp_source_.object_dofs)
      if (grasp_source_.problem.dofs[static_cast<std::size_t>(dof)].model != object_)
        throw InputError("object", "want the model that moves with object_dofs, got " + internal::quoted(object_));
  }

  Judgement judge()
  {
    closures();
    if (judged_.refused.empty()) resists();
    if (!judged_.refused.empty()) return Judgement::refusal(judged_.refused);
    const char* decisive = grasp_.has_hand() ? "force_closure" : "frictional_form_closure";
    const Json& found = judged_.claims["closure"].value(decisive, Json());
    if (found.is_null()) return Judgement::refusal(std::string("the certificate proves nothing about ") + decisive);
    judged_.verdict = read_verdict(Field(found["verdict"], "report.verdict"));
    if (judged_.verdict == Verdict::kUndecided)
      return Judgement::refusal("the certificate proves nothing: it is undecided");
    judged_.summary =
        closure_words(judged_.verdict, grasp_.has_hand(), object_, found["explanation"].get<std::string>());
    judged_.claims["quality"] = convention_json(grasp_source_.convention);
    leave_open(report_["quality"].json(), judged_.claims["quality"]);
    for (const char* key : {"margins", "repair"}) judged_.claims[key] = unproved();
    judged_.question = question_json(grasp_source_, object_, plane_);
    judged_.proof["kind"] = "closure";
    return std::move(judged_);
  }

 private:
  void claim(const char* name, Verdict verdict, const Json& explanation)
  {
    Json& entry = judged_.claims["closure"][name];
    entry = {{"verdict", name_of(verdict)}, {"explanation", explanation}};
    if (verdict != Verdict::kUndecided)
      judged_.proved += (judged_.proved.empty() ? "" : ", ") + std::string(name) + " " + name_of(verdict);
  }
  void refuse(const char* name, const std::string& why)
  {
    judged_.refused = "the certificate proves nothing about " + std::string(name) + ": " + why;
  }

  void closures()
  {
    judged_.claims["closure"]["object"] = object_;
    constexpr std::pair<const char*, ClosureKind> kinds[] = {{"form_closure", ClosureKind::kForm},
                                                             {"frictional_form_closure", ClosureKind::kFrictionalForm},
                                                             {"force_closure", ClosureKind::kForce}};
    for (const auto& [name, kind] : kinds) {
      if (!report_["closure"].has(name)) continue;
      if (read_verdict(report_["closure"][name]["verdict"]) == Verdict::kUndecided) {
        claim(name, Verdict::kUndecided, unproved());
        continue;
      }
      const Field entry = source_[name];
      if (entry["twist"].size() > 6) entry["twist"].fail("at most 6 numbers");
      const ClosureProof proof{entry["forces"].vector(), entry["twist"].vector()};
      std::string why;
      const Verdict verdict = judge_closure(grasp_, kind, proof, &why);
      if (verdict == Verdict::kUndecided) return refuse(name, why);
      claim(name, verdict, explain(grasp_, kind, verdict, proof));
      judged_.proof[name] = proof_json(proof);
    }
  }

  void resists()
  {
    judged_.claims["contacts"] = Json::array();
    judged_.claims["efforts"] = Json::object();
    const Verdict claimed = read_verdict(report_["closure"]["resists"]["verdict"]);
    if (claimed == Verdict::kUndecided) {
      claim("resists", claimed, unproved());
    } else {
      const Field entry = source_["resists"];
      const ResistProof proof{claimed, entry["signs"].integers(), entry["x"].vector(), entry["y"].vector()};
      std::string why;
      const Verdict verdict = judge_resists(grasp_, grasp_source_.wrench, proof, &why);
      if (verdict == Verdict::kUndecided) return refuse("resists", why);
      claim("resists", verdict,
            verdict == Verdict::kFails ? describe_free_motion(grasp_, -proof.y.head(grasp_.G.rows())) : "");
      if (verdict == Verdict::kHolds)
        write_resisting(grasp_source_, proof.x.head(grasp_.G.cols()),
                        proof.x.segment(grasp_.G.cols(), grasp_.J_hand.cols()), unproved(), judged_.claims);
      judged_.proof["resists"] = proof_json(proof);
    }
    judged_.claims["closure"]["resists"]["wrench"] = json(grasp_source_.wrench);
  }

  const Field report_, source_;
  std::string plane_, object_;
  GraspInput grasp_source_;
  Grasp grasp_;
  Judgement judged_;
};

/// Judges every verdict of the report from its own numbers, with the proof room alone.
Judgement judge_closure_report(const Field& report)
{
  try {
    return ClosureJudge(report).judge();
  } catch (const InputError& error) {
    if (error.path().starts_with("report")) throw;
    return Judgement::refusal(std::string("the certificate's grasp is not one: ") + error.what());
  }
}

std::vector<std::string> closure_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"form_closure", "frictional_form_closure", "force_closure", "resists"};
  if (options.margins.value_or(false)) names.insert(names.end(), {"epsilon_l1", "epsilon_linf", "friction_scale"});
  if (options.noise) names.push_back("rate");
  return names;
}

}  // namespace

extern const QuestionKind kClosureKind{Question::kClosure, require_for_closure, make_answer<ClosureAnswer>,
                                       closure_columns, judge_closure_report};

}  // namespace stiction::internal
