// The question closure: can the contacts hold an object against everything? (docs/closure.md)
#include "stiction/closure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/json.hpp"
#include "io/report.hpp"
#include "io/wrap.hpp"
#include "problem/text.hpp"
#include "stiction/error.hpp"

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
  explicit ClosureAnswer(const std::string& solver) : checker_(make_engine(solver)) {}

  void ask(const Situation& situation, Extras extras) override;

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
  require_rest(situation);
  read_grasp(situation);
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
  const std::string verdict = name_of(found.verdict);
  if (found.verdict == Verdict::kUndecided) return verdict + ": " + found.reason;
  const std::string what = grasp_.has_hand() ? "force closure" : "frictional form closure";
  return verdict + ": " + (found.verdict == Verdict::kHolds ? "" : "no ") + what + " of " + object_ +
         (found.explanation.empty() ? "" : "; " + found.explanation);
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
  if (resists_.verdict == Verdict::kHolds) {
    for (const Contact& contact : source_.problem.contacts) {
      const double* rows = resists_.forces.data() + contact.row;
      const FrictionCone cone{contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, source_.shape};
      ContactReport found;
      for (int k = 0; k < contact.rows(); ++k) found.force[k < 1 + contact.tangents ? k : 3] = rows[k];
      found.utilisation = utilisation(cone, rows);
      found.state = rows[0] == 0.0                   ? ContactState::kUnloaded
                    : found.utilisation < 1.0 - 1e-9 ? ContactState::kSticking
                                                     : ContactState::kRim;
      found.unique = result_.null_spaces && result_.null_spaces->graspable == 0;
      json_report["contacts"].push_back(contact_json(contact, found, resists_.forces, false));
    }
    Eigen::Index hand = 0;
    for (int dof = 0; dof < source_.problem.nv(); ++dof)
      if (std::ranges::find(source_.object_dofs, dof) == source_.object_dofs.end() && resists_.efforts.size() > hand)
        json_report["efforts"][source_.problem.dof_names[static_cast<std::size_t>(dof)]] =
            json(resists_.efforts[hand++]);
  }

  Json& quality = json_report["quality"];
  quality = Json::object();
  quality["torque_point"] = json(Eigen::VectorXd(source_.convention.reference));
  quality["torque_length"] = json(source_.convention.torque_length);
  quality["convention"] = "unit normal forces, object axes";
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
  certificate["kind"] = "closure";
  certificate["rules"]["cone"] = cone_json(report.scenario.options.cone);
  certificate["problem"] = problem_json(source_.problem);
  certificate["object_dofs"] = source_.object_dofs;
  certificate["plane"] = report.scenario.options.plane;
  for (const Named& named : verdicts())
    if (named.found.asked && named.found.verdict != Verdict::kUndecided)
      certificate[named.name] = {{"forces", json(named.found.proof.forces)},
                                 {"twist", json(Eigen::VectorXd(named.found.proof.twist))}};
  if (resists_.verdict != Verdict::kUndecided)
    certificate["resists"] = {
        {"signs", resists_.proof.signs}, {"x", json(resists_.proof.x)}, {"y", json(resists_.proof.y)}};
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

/// Judges every verdict of the report from its own numbers, with the proof room alone.
Verification verify_closure(const Field& report)
{
  const Field source = report["certificate"], closure = report["closure"];
  GraspSource grasp_source;
  grasp_source.shape = read_cone(source["rules"]["cone"]);
  grasp_source.problem = read_problem(source["problem"]);
  for (std::size_t i = 0; i < source["object_dofs"].size(); ++i)
    grasp_source.object_dofs.push_back(source["object_dofs"][i].integer());
  const std::string plane = source["plane"].text();
  if (!plane.empty() && plane != "xy" && plane != "yz" && plane != "zx") source["plane"].fail("xy | yz | zx");
  grasp_source.convention.plane = plane_of(plane).plane;
  grasp_source.convention.reference = report["quality"]["torque_point"].vector(3);
  grasp_source.convention.torque_length = report["quality"]["torque_length"].number();
  const Eigen::VectorXd wrench = closure["resists"]["wrench"].vector();
  Grasp grasp;
  try {
    grasp_source.problem.validate();
    grasp_source.build(grasp);
  } catch (const InputError& error) {
    return {false, std::string("the certificate's grasp is not one: ") + error.what()};
  }
  const auto claims = [&](const char* name) {
    return closure.has(name) ? closure[name]["verdict"].text() : std::string("undecided");
  };
  std::string proved, why;
  const auto wrong = [&](const char* name, Verdict found) -> std::string {
    if (claims(name) == name_of(found)) {
      proved += (proved.empty() ? "" : ", ") + std::string(name) + " " + name_of(found);
      return "";
    }
    return std::string(name) + ": the report says " + quoted(claims(name)) + ", but its certificate proves " +
           (found == Verdict::kUndecided ? "nothing: " + why : quoted(name_of(found)));
  };
  constexpr std::pair<const char*, ClosureKind> kinds[] = {{"form_closure", ClosureKind::kForm},
                                                           {"frictional_form_closure", ClosureKind::kFrictionalForm},
                                                           {"force_closure", ClosureKind::kForce}};
  for (const auto& [name, kind] : kinds) {
    if (claims(name) == "undecided") continue;
    const Field entry = source[name];
    if (entry["twist"].size() > 6) entry["twist"].fail("at most 6 numbers");
    const ClosureProof proof{entry["forces"].vector(), entry["twist"].vector()};
    if (std::string message = wrong(name, judge_closure(grasp, kind, proof, &why)); !message.empty())
      return {false, message};
  }
  if (claims("resists") != "undecided") {
    const Field entry = source["resists"];
    ResistProof proof;
    for (std::size_t i = 0; i < entry["signs"].size(); ++i) proof.signs.push_back(entry["signs"][i].integer());
    proof.claims = claims("resists") == "holds" ? Verdict::kHolds : Verdict::kFails;
    proof.x = entry["x"].vector();
    proof.y = entry["y"].vector();
    if (std::string message = wrong("resists", judge_resists(grasp, wrench, proof, &why)); !message.empty())
      return {false, message};
    if (claims("resists") == "holds") {
      const Eigen::VectorXd forces = proof.x.head(grasp.G.cols());
      const Eigen::VectorXd efforts = proof.x.segment(grasp.G.cols(), grasp.J_hand.cols());
      std::string message = contacts_disagreement(report["contacts"], grasp_source.problem, grasp_source.shape, forces);
      if (message.empty()) message = by_joint_disagreement(report["efforts"], efforts, "effort");
      if (!message.empty()) return {false, message};
    }
  }
  const std::string decisive = claims(grasp.has_hand() ? "force_closure" : "frictional_form_closure");
  if (report["verdict"].text() != decisive)
    return {false, "the report says " + quoted(report["verdict"].text()) + ", but closure " + quoted(decisive)};
  return {true, "proved: " + proved};
}

std::vector<std::string> closure_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"form_closure", "frictional_form_closure", "force_closure", "resists"};
  if (options.margins.value_or(false)) names.insert(names.end(), {"epsilon_l1", "epsilon_linf", "friction_scale"});
  if (options.noise) names.push_back("rate");
  return names;
}

}  // namespace

extern const QuestionKind kClosureKind{Question::kClosure, require_for_closure, make_answer<ClosureAnswer>, closure_columns, verify_closure};

}  // namespace stiction::internal
