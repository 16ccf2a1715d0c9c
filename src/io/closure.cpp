// The question closure: can the contacts hold an object against everything? (docs/closure.md)
#include "stiction/closure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/judgement.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"
#include "stiction/words.hpp"

namespace stiction::internal {
namespace {

/// Degrees of freedom of a floating object that stay in a plane, in the order of WrenchConvention: two forces, one
/// torque.
struct Plane {
  const char* name;
  GraspPlane plane;
  std::vector<int> dofs;
};
const Plane& plane_of(const std::string& name)
{
  static const Plane kPlanes[] = {{"", GraspPlane::kNone, {0, 1, 2, 3, 4, 5}},
                                  {"xy", GraspPlane::kXY, {0, 1, 5}},
                                  {"yz", GraspPlane::kYZ, {1, 2, 3}},
                                  {"zx", GraspPlane::kZX, {2, 0, 4}}};
  return *std::ranges::find(kPlanes, name, [](const Plane& plane) { return std::string(plane.name); });
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

/// A grasp as the certificate shows it: what `verify` needs to build it again.
struct GraspSource {
  ContactProblem problem;        ///< without motions of the object out of the plane
  std::vector<int> object_dofs;  ///< in it
  WrenchConvention convention;
  std::optional<ObjectPose> pose;  ///< of an object whose degrees of freedom are a floating joint's
  ConeShape shape;

  void build(Grasp& grasp) const
  {
    set_grasp(problem, object_dofs, convention, shape, grasp, pose ? &*pose : nullptr);
    grasp.validate();
  }
};

/// What is asked: the grasp, and the wrench that it has to resist.
Json question_json(const GraspSource& source, const std::string& object, const std::string& plane,
                   const Eigen::VectorXd& wrench)
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
  entry["wrench"] = json(wrench);
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
void write_resisting(const GraspSource& source, const Eigen::VectorXd& forces, const Eigen::VectorXd& efforts,
                     const Json& unique, Json& report)
{
  for (const Contact& contact : source.problem.contacts) {
    const double* rows = forces.data() + contact.row;
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

/// Leaves out degrees of freedom; every other number stays.
ContactProblem without(const ContactProblem& problem, const std::vector<int>& dropped)
{
  std::vector<int> kept;
  for (int i = 0; i < problem.nv(); ++i)
    if (std::ranges::find(dropped, i) == dropped.end()) kept.push_back(i);
  ContactProblem result = problem;
  result.M = problem.M(kept, kept);
  result.F = problem.F(kept);
  result.J = problem.J(Eigen::all, kept);
  result.dof_names.clear();
  for (const int i : kept) result.dof_names.push_back(problem.dof_names[static_cast<std::size_t>(i)]);
  std::erase_if(result.actuators,
                [&](const Actuator& actuator) { return std::ranges::find(kept, actuator.dof) == kept.end(); });
  for (Actuator& actuator : result.actuators)
    actuator.dof = static_cast<int>(std::ranges::find(kept, actuator.dof) - kept.begin());
  return result;
}

Eigen::Vector3d normal_into_object(const Contact& contact, bool object_is_link)
{
  return (object_is_link ? 1.0 : -1.0) * contact.axes_W.col(0);
}

class ClosureAnswer final : public Answer {
 public:
  explicit ClosureAnswer(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override
  {
    require_rest(situation);
    read_grasp(situation);
  }
  void ask(const Situation& situation, Extras extras) override;
  Json question(const Report& report) const override
  {
    return question_json(source_, object_, report.scenario.options.plane, wrench_);
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
  void read_grasp(const Situation& situation);
  void read_touching(const Situation& situation, const Eigen::Isometry3d& pose, const std::vector<int>& dofs);

  ClosureChecker checker_;
  std::string object_;
  GraspSource source_;
  Grasp grasp_;
  Eigen::VectorXd wrench_;              ///< rows of G: what gravity, loads and `wrench` do to the object
  std::vector<GraspContact> touching_;  ///< contacts of the object, in its axes
  std::vector<std::string> remarks_;
  ClosureResult result_;
  ResistResult resists_;
  std::optional<ClosureRate> rate_;
};

/// Where a contact is in the frame of a floating object, from its rows (n, p x n): the sum of n x (p x n) over three
/// axes is 2 p. World coordinates would round by the distance from the world's origin.
Eigen::Vector3d point_on(const ContactProblem& problem, const Contact& contact, const std::vector<int>& dofs)
{
  Eigen::Vector3d twice = Eigen::Vector3d::Zero();
  for (int k = 0; k < 3; ++k) {
    const Eigen::VectorXd row = problem.J.row(contact.row + k)(dofs);
    twice += row.head<3>().cross(row.tail<3>());
  }
  return 0.5 * twice;
}

/// The contacts of the object in its own axes, and what looks wrong about them.
void ClosureAnswer::read_touching(const Situation& situation, const Eigen::Isometry3d& pose, const std::vector<int>& dofs)
{
  touching_.clear();
  remarks_.clear();
  const Eigen::Vector3d center = situation.scene.total_mass(object_) > 0.0
                                     ? situation.scene.center_of_mass_in_root(situation.state, object_)
                                     : Eigen::Vector3d(Eigen::Vector3d::Zero());
  std::size_t next = 0;
  for (const ContactDescription& description : situation.scenario.scene.contacts)
    for (std::size_t k = 0; k < description.points.size(); ++k, ++next) {
      const Contact& contact = situation.problem.contacts[next];
      const bool link = description.link.starts_with(object_ + "/"), on = description.on.starts_with(object_ + "/");
      if (link == on) continue;
      const Eigen::Vector3d normal_W = normal_into_object(contact, link);
      GraspContact touching;
      touching.point = dofs.empty() ? Eigen::Vector3d(pose.inverse() * contact.point_W) : point_on(situation.problem, contact, dofs);
      touching.normal = pose.linear().transpose() * normal_W;
      // Reversing every normal does not change closure, so closure cannot notice.
      if (contact.side == Side::kUnilateral && touching.normal.dot(center - touching.point) < 0.0)
        remarks_.push_back("the normal of " + contact.name +
                           " points away from the object's centre of mass: closure cannot tell whether it is reversed");
      touching.name = contact.name;
      touching.mu = contact.mu;
      touching.torsion = contact.torsion;
      touching.kind = contact.side == Side::kBilateral ? GraspContactKind::kBilateral
                      : contact.torsional              ? GraspContactKind::kSoftFinger
                      : contact.mu > 0.0               ? GraspContactKind::kHardFinger
                                                       : GraspContactKind::kFrictionless;
      touching_.push_back(touching);
    }
}

void ClosureAnswer::read_grasp(const Situation& situation)
{
  const ScenarioOptions& options = situation.scenario.options;
  const ContactProblem& problem = situation.problem;
  const ModelDescription& object = object_of(situation.scenario);
  object_ = object.name;
  const Eigen::Isometry3d pose = situation.scene.link_pose(situation.state, situation.scene.root_link(object_));
  source_.shape = options.cone;
  source_.pose.reset();
  if (object.base == Base::kFloating) source_.pose = {pose.linear(), pose.translation()};
  source_.convention = {};

  std::vector<int> own;
  for (int i = 0; i < problem.nv(); ++i)
    if (problem.dof_names[static_cast<std::size_t>(i)].starts_with(object_ + "/")) own.push_back(i);
  const bool floating = object.base == Base::kFloating;
  if (floating ? own.size() != 6 : own.empty() || own.size() > 6)
    throw InputError("options.object",
                     "want a rigid object with a floating base, or one on a fixed base with 1 to 6 joints, got " +
                         internal::quoted(object_) + " with " + std::to_string(own.size()) + " degrees of freedom");
  const Plane& plane = plane_of(options.plane);
  source_.object_dofs = own;
  std::vector<int> dropped;
  if (floating) {
    source_.object_dofs.clear();
    for (const int k : plane.dofs) source_.object_dofs.push_back(own[static_cast<std::size_t>(k)]);
    for (const int dof : own)
      if (std::ranges::find(source_.object_dofs, dof) == source_.object_dofs.end()) dropped.push_back(dof);
  }
  source_.problem = without(problem, dropped);
  for (int& dof : source_.object_dofs)
    dof -= static_cast<int>(std::ranges::count_if(dropped, [&](int other) { return other < dof; }));
  read_touching(situation, pose, floating ? own : std::vector<int>{});

  Eigen::VectorXd load = -problem.F(own);  // on the object, in its axes, torque about its origin
  if (floating) {
    WrenchConvention& convention = source_.convention;
    convention.plane = plane.plane;
    convention.reference =
        options.point ? *options.point : situation.scene.center_of_mass_in_root(situation.state, object_);
    double furthest = 0.0;
    for (const GraspContact& contact : touching_)
      furthest = std::max(furthest, (contact.point - convention.reference).norm());
    convention.torque_length = options.length.value_or(furthest > 0.0 ? furthest : 1.0);
    const WrenchOption extra = options.wrench.value_or(WrenchOption{});
    const double force_scale = load.head<3>().norm() + extra.force.norm();
    const double torque_scale =
        load.tail<3>().norm() + convention.reference.norm() * load.head<3>().norm() + extra.torque.norm();
    load.tail<3>() -= convention.reference.cross(Eigen::Vector3d(load.head<3>()));
    load.head<3>() += pose.linear().transpose() * extra.force;
    load.tail<3>() += pose.linear().transpose() * extra.torque;
    // Turning and shifting leaves rounding where there is no wrench: enough to drive a motion that no contact sees.
    for (int k = 0; k < 6; ++k)
      if (std::abs(load[k]) <= kRounding * (k < 3 ? force_scale : torque_scale)) load[k] = 0.0;
    wrench_ = load(plane.dofs);
  } else {
    if (options.wrench)
      throw InputError("options.wrench", "want `loads` instead for an object on a fixed base, got a wrench");
    wrench_ = load;
  }
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
  checker_.resists(grasp_, wrench_, resists_);
  rate_.reset();
  if (asked.noise) {
    ContactNoise noise;
    noise.position = asked.noise->position;
    noise.angle = asked.noise->angle;
    noise.samples = asked.noise->samples;
    noise.seed = asked.noise->seed;
    if (object_of(situation.scenario).base != Base::kFloating)
      throw InputError("options.noise", "want a floating object for uncertain contacts, got one on a fixed base");
    rate_ = checker_.rate(touching_, source_.convention, noise);
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
  if (result_.epsilon_l1) cells.push_back({"epsilon_l1", result_.epsilon_l1->lower});
  if (result_.epsilon_linf) cells.push_back({"epsilon_linf", result_.epsilon_linf->lower});
  if (result_.friction_factor && result_.friction_factor->known)
    cells.push_back({"friction_scale",
                     result_.friction_factor->enough ? std::optional(result_.friction_factor->upper) : std::nullopt});
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
  closure["resists"]["wrench"] = json(wrench_);

  json_report["contacts"] = Json::array();
  json_report["efforts"] = Json::object();
  if (resists_.verdict == Verdict::kHolds)
    write_resisting(source_, resists_.forces, resists_.efforts,
                    result_.null_spaces && result_.null_spaces->graspable == 0, json_report);

  Json& quality = json_report["quality"];
  quality = convention_json(source_.convention);
  if (result_.form_d) quality["form_d"] = interval_json(result_.form_d->lower, result_.form_d->upper);
  if (result_.d) quality["d"] = interval_json(result_.d->lower, result_.d->upper);
  if (result_.epsilon_l1) quality["epsilon_l1"] = interval_json(result_.epsilon_l1->lower, result_.epsilon_l1->upper);
  if (result_.epsilon_linf)
    quality["epsilon_linf"] = interval_json(result_.epsilon_linf->lower, result_.epsilon_linf->upper);
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
  if (result_.friction_factor && result_.friction_factor->known) {
    const LeastFriction& factor = *result_.friction_factor;
    json_report["margins"]["friction_scale"] = factor.enough ? json(factor.upper) : Json();
    if (factor.enough)
      json_report["margins"]["intervals"]["friction_scale"] = interval_json(factor.lower, factor.upper);
  }
  json_report["repair"] = Json::array();
  if (result_.frictional_form_closure.verdict == Verdict::kFails) {
    if (result_.friction_factor && result_.friction_factor->known && result_.friction_factor->enough)
      json_report["repair"].push_back({{"change", "friction_scale"}, {"to", json(result_.friction_factor->upper)}});
    for (std::size_t i = 0; i < result_.contact_friction.size(); ++i)
      if (result_.contact_friction[i].known && result_.contact_friction[i].enough)
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
    table += fmt::format("{:<24} {}\n", name, name_of(verdict));
    if (!words.empty()) append_item(table, words);
  };
  table = "\n";
  for (const Named& named : verdicts())
    if (named.found.asked)
      line(named.name, named.found.verdict,
           named.found.verdict == Verdict::kUndecided ? named.found.reason : named.found.explanation);
  line("resists gravity, loads", resists_.verdict,
       resists_.verdict == Verdict::kFails ? describe_free_motion(grasp_, resists_.twist) : resists_.reason);
  const auto interval = [](const Certified& value) {
    return fmt::format("{:.4g} to {:.4g}", value.lower, value.upper);
  };
  const Eigen::Vector3d& point = source_.convention.reference;
  if (result_.epsilon_l1 && result_.epsilon_linf)
    text.notes.push_back(
        fmt::format("epsilon (largest wrench resisted in every direction): {} for normal forces that sum to 1, {} for "
                    "normal forces up to 1; "
                    "torques about ({:.4g}, {:.4g}, {:.4g}) m, divided by {:.4g} m",
                    interval(*result_.epsilon_l1), interval(*result_.epsilon_linf), point.x(), point.y(), point.z(),
                    source_.convention.torque_length));
  if (result_.d) text.notes.push_back("d (largest common slack of internal forces): " + interval(*result_.d));
  if (result_.friction_factor && result_.friction_factor->known) {
    const LeastFriction& factor = *result_.friction_factor;
    text.notes.push_back(factor.enough
                             ? fmt::format("least friction for closure: {:.4g} of every coefficient", factor.upper)
                             : "no amount of friction gives closure");
  }
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
  for (const std::string& remark : remarks_) text.notes.push_back("warning: " + remark);
  if (result_.frictional_form_closure.verdict == Verdict::kFails) {
    std::string advice;
    if (result_.friction_factor && result_.friction_factor->known && result_.friction_factor->enough)
      append_item(advice, fmt::format("every friction coefficient times {:.4g}", result_.friction_factor->upper));
    for (std::size_t i = 0; i < result_.contact_friction.size(); ++i)
      if (result_.contact_friction[i].known && result_.contact_friction[i].enough)
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
  return proof.twist.size() > 0 ? describe_free_motion(grasp, proof.twist) : "the hand cannot command every internal force";
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
    wrench_ = source_["wrench"].vector();
    grasp_source_.shape = read_cone(source_["rules"]["cone"]);
    grasp_source_.problem = read_problem(source_["problem"]);
    grasp_source_.object_dofs = source_["object_dofs"].integers();
    grasp_source_.convention.plane = plane_of(plane_).plane;
    grasp_source_.convention.reference = source_["point"].vector(3);
    grasp_source_.convention.torque_length = source_["length"].number();
    if (const Field pose = source_["pose"]; !pose.is_null())
      grasp_source_.pose = {pose["rotation"].matrix(3, 3), pose["origin"].vector(3)};
    grasp_source_.problem.validate();
    grasp_source_.build(grasp_);
    for (const int dof : grasp_source_.object_dofs)
      if (!grasp_source_.problem.dof_names[static_cast<std::size_t>(dof)].starts_with(object_ + "/"))
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
    if (judged_.verdict == Verdict::kUndecided) return Judgement::refusal("the certificate proves nothing: it is undecided");
    judged_.summary = closure_words(judged_.verdict, grasp_.has_hand(), object_, found["explanation"].get<std::string>());
    judged_.claims["quality"] = convention_json(grasp_source_.convention);
    leave_open(report_["quality"].json(), judged_.claims["quality"]);
    for (const char* key : {"margins", "repair"}) judged_.claims[key] = unproved();
    judged_.question = question_json(grasp_source_, object_, plane_, wrench_);
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
      const Verdict verdict = judge_resists(grasp_, wrench_, proof, &why);
      if (verdict == Verdict::kUndecided) return refuse("resists", why);
      claim("resists", verdict, verdict == Verdict::kFails ? describe_free_motion(grasp_, -proof.y.head(grasp_.G.rows())) : "");
      if (verdict == Verdict::kHolds)
        write_resisting(grasp_source_, proof.x.head(grasp_.G.cols()),
                        proof.x.segment(grasp_.G.cols(), grasp_.J_hand.cols()), unproved(), judged_.claims);
      judged_.proof["resists"] = proof_json(proof);
    }
    judged_.claims["closure"]["resists"]["wrench"] = json(wrench_);
  }

  const Field report_, source_;
  std::string plane_, object_;
  Eigen::VectorXd wrench_;
  GraspSource grasp_source_;
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

extern const QuestionKind kClosureKind{Question::kClosure, require_for_closure, make_answer<ClosureAnswer>, closure_columns, judge_closure_report};

}  // namespace stiction::internal
