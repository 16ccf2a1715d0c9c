#include <algorithm>

#include "base/text.hpp"
#include "io/closure_answer.hpp"
#include "io/judgement.hpp"
#include "io/report.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

/// What is asked: the grasp, and the wrench that it has to resist.
Json question_json(const GraspInput& source, const std::string& object)
{
  Json entry;
  entry["rules"]["cone"] = cone_json(source.shape);
  entry["problem"] = problem_json(source.problem);
  entry["object"] = object;
  entry["object_dofs"] = source.object_dofs;
  entry["plane"] =
      std::ranges::find(kPlanes, source.convention.plane, &std::pair<const char*, GraspPlane>::second)->first;
  entry["point"] = json(Eigen::VectorXd(source.convention.reference));
  entry["length"] = json(source.convention.torque_length);
  entry["pose"] = Json();  // of an object on a fixed base
  if (source.pose)
    entry["pose"] = {{"origin", json(Eigen::VectorXd(source.pose->origin))},
                     {"rotation", json(Eigen::MatrixXd(source.pose->rotation))}};
  entry["wrench"] = json(source.wrench);
  return entry;
}

/// Only proofs with a motion for each choice of signs have any.
void write_leaves(const std::vector<MotionLeaf>& leaves, Json& entry)
{
  for (const MotionLeaf& leaf : leaves) entry["leaves"].push_back(leaf_json(leaf));
}

std::vector<MotionLeaf> read_leaves(const Field& entry)
{
  std::vector<MotionLeaf> leaves;
  if (!entry.has("leaves")) return leaves;
  for (std::size_t i = 0; i < entry["leaves"].size(); ++i) leaves.push_back(read_leaf(entry["leaves"][i]));
  return leaves;
}

Json proof_json(const ClosureProof& proof)
{
  Json entry = {{"forces", json(proof.forces)}, {"twist", json(Eigen::VectorXd(proof.twist))}};
  if (!proof.leaves.empty()) entry["wrench"] = json(Eigen::VectorXd(proof.wrench));
  write_leaves(proof.leaves, entry);
  return entry;
}

Json proof_json(const ResistProof& proof)
{
  Json entry = {{"signs", proof.signs}, {"x", json(proof.x)}, {"y", json(proof.y)}};
  write_leaves(proof.leaves, entry);
  return entry;
}

/// `quality` without the numbers that are asked for.
Json convention_json(const WrenchConvention& convention)
{
  return {{"torque_point", json(Eigen::VectorXd(convention.reference))},
          {"torque_length", json(convention.torque_length)},
          {"convention", "unit normal forces, object axes"}};
}

Json interval_json(double lower, double upper) { return {json(lower), json(upper)}; }

/// The verdicts and the wrench that has to be resisted.
Json closure_json(const ClosureAnswer& answer)
{
  Json closure;
  closure["object"] = answer.object;
  for (const NamedClosure& named : kClosures) {
    const ClosureVerdict& found = answer.result.*named.found;
    if (!found.asked) continue;
    closure[named.name]["verdict"] = name_of(found.verdict);
    closure[named.name]["explanation"] = words_of(found);
  }
  const ResistResult& resists = answer.resists;
  closure["resists"]["verdict"] = name_of(resists.verdict);
  closure["resists"]["explanation"] = resists.verdict == Verdict::kUndecided ? resists.reason
                                      : resists.verdict == Verdict::kFails
                                          ? describe_free_motion(answer.grasp, resists.proof)
                                          : "";
  closure["resists"]["wrench"] = json(answer.input.wrench);
  return closure;
}

Json rate_json(const ClosureRate& rate)
{
  return {{"value", json(rate.rate)}, {"interval", interval_json(rate.lower, rate.upper)},
          {"samples", rate.samples},  {"holds", rate.holds},
          {"fails", rate.fails},      {"undecided", rate.undecided},
          {"seed", rate.seed}};
}

Json null_spaces_json(const NullSpaces& spaces)
{
  Json entry = {{"indeterminate", spaces.indeterminate}, {"graspable", spaces.graspable}};
  if (spaces.hand) {
    entry["redundant"] = spaces.redundant;
    entry["defective"] = spaces.defective;
    entry["hyperstatic"] = spaces.hyperstatic;
  }
  return entry;
}

Json quality_json(const ClosureAnswer& answer)
{
  const ClosureResult& result = answer.result;
  Json quality = convention_json(answer.input.convention);
  for (const auto& [name, number] : {std::pair{"form_d", &result.form_d},
                                     {"d", &result.d},
                                     {"epsilon_l1", &result.epsilon_l1},
                                     {"epsilon_linf", &result.epsilon_linf}})
    if (number->enclosed()) quality[name] = interval_json(number->lower, number->upper);
  if (answer.rate) quality["rate"] = rate_json(*answer.rate);
  if (result.null_spaces) quality["null_spaces"] = null_spaces_json(*result.null_spaces);
  return quality;
}

/// Friction with which it would be closed.
Json repairs_json(const ClosureAnswer& answer)
{
  const ClosureResult& result = answer.result;
  Json list = Json::array();
  if (result.frictional_form_closure.verdict != Verdict::kFails) return list;
  if (result.friction_factor.state == Margin::State::kKnown)
    list.push_back({{"change", "friction_scale"}, {"to", json(result.friction_factor.upper)}});
  for (std::size_t i = 0; i < result.contact_friction.size(); ++i)
    if (result.contact_friction[i].state == Margin::State::kKnown)
      list.push_back({{"change", "mu"},
                      {"contact", answer.grasp.contacts[i].name},
                      {"to", json(result.contact_friction[i].upper)}});
  return list;
}

}  // namespace

Json closure_asked(const ScenarioReport& report)
{
  const ClosureAnswer& answer = std::get<ClosureAnswer>(report.answer);
  return question_json(answer.input, answer.object);
}

void write_closure(const ScenarioReport& report, Json& json_report)
{
  const ClosureAnswer& answer = std::get<ClosureAnswer>(report.answer);
  json_report["closure"] = closure_json(answer);
  json_report["contacts"] = contacts_json(answer.input.problem, report.contacts);
  json_report["efforts"] = efforts_json(report.efforts);
  json_report["quality"] = quality_json(answer);
  json_report["margins"] = margins_json(report.margins);
  json_report["repair"] = repairs_json(answer);
  Json& certificate = json_report["certificate"];
  certificate = closure_asked(report);
  certificate["kind"] = "closure";
  for (const NamedClosure& named : kClosures)
    if (const ClosureVerdict& found = answer.result.*named.found; found.asked && found.verdict != Verdict::kUndecided)
      certificate[named.name] = proof_json(found.proof);
  if (answer.resists.verdict != Verdict::kUndecided) certificate["resists"] = proof_json(answer.resists.proof);
}

namespace {

Twist read_twist(const Field& field)
{
  if (field.size() > 6) field.fail("at most 6 numbers");
  return field.vector();
}

/// A verdict of the report as it is claimed.
Verdict read_verdict(const Field& field)
{
  const std::string name = field.text();
  for (const Verdict verdict : {Verdict::kHolds, Verdict::kFails, Verdict::kUndecided})
    if (name == name_of(verdict)) return verdict;
  field.fail("holds | fails | undecided");
}

GraspPlane read_plane(const Field& field)
{
  const std::string name = field.text();
  for (const auto& [known, plane] : kPlanes)
    if (name == known) return plane;
  field.fail("xy | yz | zx");
}

std::string explain(const Grasp& grasp, ClosureKind kind, Verdict verdict, const ClosureProof& proof)
{
  if (verdict == Verdict::kHolds) {
    if (kind == ClosureKind::kForm) return "held by the normals alone";
    return kind == ClosureKind::kForce ? "every wrench can be resisted and the hand commands every internal force"
                                       : "every wrench can be resisted";
  }
  return proof.claims_failure() ? describe_free_motion(grasp, proof) : "the hand cannot command every internal force";
}

/// The verdicts of a report of closure, judged one by one.
class ClosureJudge {
 public:
  /// @throws InputError when it is no grasp, NotAReport when it is no report.
  explicit ClosureJudge(const Field& report) : report_(report), source_(report["certificate"])
  {
    object_ = source_["object"].text();
    grasp_source_.wrench = source_["wrench"].vector();
    grasp_source_.shape = read_cone(source_["rules"]["cone"]);
    grasp_source_.problem = read_problem(source_["problem"]);
    grasp_source_.object_dofs = source_["object_dofs"].integers();
    grasp_source_.convention.plane = read_plane(source_["plane"]);
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
    judged_.question = question_json(grasp_source_, object_);
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
    for (const auto& [name, kind, found] : kClosures) {
      if (!report_["closure"].has(name)) continue;
      if (read_verdict(report_["closure"][name]["verdict"]) == Verdict::kUndecided) {
        claim(name, Verdict::kUndecided, unproved());
        continue;
      }
      const Field entry = source_[name];
      ClosureProof proof{entry["forces"].vector(), read_twist(entry["twist"]), {}, read_leaves(entry)};
      if (!proof.leaves.empty()) proof.wrench = read_twist(entry["wrench"]);
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
      const ResistProof proof{claimed, entry["signs"].integers(), entry["x"].vector(), entry["y"].vector(),
                              read_leaves(entry)};
      std::string why;
      const Verdict verdict = judge_resists(grasp_, grasp_source_.wrench, proof, &why);
      if (verdict == Verdict::kUndecided) return refuse("resists", why);
      claim("resists", verdict, verdict == Verdict::kFails ? describe_free_motion(grasp_, proof) : "");
      if (verdict == Verdict::kHolds)
        claim_resisting(proof.x.head(grasp_.G.cols()), proof.x.segment(grasp_.G.cols(), grasp_.J_hand.cols()));
      judged_.proof["resists"] = proof_json(proof);
    }
    judged_.claims["closure"]["resists"]["wrench"] = json(grasp_source_.wrench);
  }

  void claim_resisting(const Eigen::VectorXd& forces, const Eigen::VectorXd& efforts)
  {
    Json& contacts = judged_.claims["contacts"];
    contacts = contacts_json(grasp_source_.problem, resisting_contacts(grasp_source_, forces, false));
    for (Json& contact : contacts) contact["unique"] = unproved();
    judged_.claims["efforts"] = efforts_json(resisting_efforts(grasp_source_, efforts));
  }

  const Field report_, source_;
  std::string object_;
  GraspInput grasp_source_;
  Grasp grasp_;
  Judgement judged_;
};

}  // namespace

/// Judges every verdict of the report from its own numbers, with the proof room alone.
Judgement judge_closure_report(const Field& report)
{
  Judgement judged;
  const auto refused = refused_problem([&] { judged = ClosureJudge(report).judge(); }, "grasp");
  return refused ? *refused : judged;
}

}  // namespace stiction::internal
