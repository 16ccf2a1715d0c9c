#include "io/scenario_answerer.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/limits.hpp"
#include "base/names.hpp"
#include "base/text.hpp"
#include "io/options.hpp"
#include "io/problem_document.hpp"
#include "io/scenario_document.hpp"
#include "io/sha256.hpp"
#include "io/verify.hpp"
#include "scene/urdf.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

bool finds_efforts(const ModelDescription& model)
{
  return model.effort.kind == Effort::Kind::kLimits || model.effort.kind == Effort::Kind::kUnlimited;
}

/// Same bodies and motors in the world; state and given efforts may differ.
bool same_body(const ModelDescription& a, const ModelDescription& b)
{
  const bool same_motors = finds_efforts(a) ? a.effort.kind == b.effort.kind : !finds_efforts(b);
  const bool placed = a.base == Base::kFloating || a.pose == b.pose;
  return a.name == b.name && a.base == b.base && placed && same_motors && a.joint_friction == b.joint_friction &&
         a.urdf_file == b.urdf_file && a.urdf_text == b.urdf_text;
}

/// Same place and rows; coefficients may differ, but must make sense: loading the scene says what is wrong with others.
bool same_place(const ContactDescription& a, const ContactDescription& b)
{
  const auto sound = [](double value) { return std::isfinite(value) && value >= 0.0; };
  return a.name == b.name && a.active == b.active && a.left_out == b.left_out && a.link == b.link && a.on == b.on &&
         a.points == b.points && a.patch == b.patch && a.at_frame == b.at_frame && a.normal == b.normal &&
         a.normal_frame == b.normal_frame && a.radius == b.radius && a.on_radius == b.on_radius &&
         (a.torsion > 0.0) == (b.torsion > 0.0) && sound(b.mu) && sound(b.torsion) && b.max_normal >= 0.0;
}

void require(bool condition, const std::string& path, const char* want, const std::string& got)
{
  if (!condition) throw InputError(path, std::string("want ") + want + ", got " + got);
}

void require_finite(const Eigen::Vector3d& value, const std::string& path)
{
  require(value.allFinite(), path, "three finite numbers", text(value));
  require(in_range(value.lpNorm<Eigen::Infinity>()), path, "numbers up to 1e50", text(value));
}

/// Scenario files are read strictly; scenarios that programs put together come to us as they are.
void require_values(const Scenario& scenario)
{
  if (!scenario.name.empty()) require_name(scenario.name, "name");
  const std::size_t contacts = scenario.bare ? scenario.bare->problem.contacts.size() : scenario.scene.contacts.size();
  require(scenario.contact_motions.size() == contacts, "contact_motions", "one per contact",
          std::to_string(scenario.contact_motions.size()));
  for (std::size_t i = 0; i < scenario.contact_motions.size(); ++i) {
    const std::string path = "contacts[" + std::to_string(i) + "]";
    const ContactMotion& motion = scenario.contact_motions[i];
    if (motion.slides) {
      require_finite(*motion.slides, path + ".slides");
      require(!motion.slides->isZero(0.0), path + ".slides", "a direction", text(*motion.slides));
    }
    require(in_range(motion.restitution_normal), path + ".restitution.normal", "a finite number up to 1e50",
            text(motion.restitution_normal));
    require(in_range(motion.restitution_tangential), path + ".restitution.tangential", "a finite number up to 1e50",
            text(motion.restitution_tangential));
    require(in_range(motion.restitution_spin), path + ".restitution.spin", "a finite number up to 1e50",
            text(motion.restitution_spin));
    if (motion.mu_second)
      require(in_range(*motion.mu_second) && *motion.mu_second >= 0.0, path + ".mu_second", "a finite number >= 0",
              text(*motion.mu_second));
  }
  require(scenario.impulses.empty() || (scenario.question == Question::kImpact && !scenario.bare), "impulses",
          "none unless the question is impact, about robots", std::to_string(scenario.impulses.size()));
  require(scenario.options.detachment != Detachment::kFree || scenario.question == Question::kAllSticking,
          "options.detachment", "allowed or forbidden unless the question is all_sticking", "free");
  const bool floating =
      std::ranges::any_of(scenario.scene.models, [](const auto& m) { return m.base == Base::kFloating; });
  if (scenario.scene.plane != ScenePlane::kNone && scenario.scene.plane != ScenePlane::kExact &&
      (scenario.question == Question::kClosure || (scenario.question == Question::kRegion && floating)))
    throw InputError("plane", std::string("want none for the question ") + stiction::name_of(scenario.question) +
                                  (scenario.question == Question::kClosure ? ", which has options.plane" : "") +
                                  ", got " + stiction::name_of(scenario.scene.plane));
  require_options(scenario);
}

constexpr Eigen::Index kMostWithQpoases = 150;  // of all_sticking
constexpr Eigen::Index kMostSparseEquations = 1'000'000;

/// The engine that answers.
std::string solver_for(const Scenario& scenario, const ContactProblem& problem)
{
  if (scenario.options.solver != "auto") return scenario.options.solver;
  return problem.is_sparse() ? "sparse" : "native";
}

void require_size(const Scenario& scenario, const ContactProblem& problem)
{
  const Question question = scenario.question;
  const bool qpoases = question == Question::kAllSticking && scenario.options.solver == "qpoases";
  const Eigen::Index limit = qpoases               ? kMostWithQpoases
                             : problem.is_sparse() ? kMostSparseEquations
                                                   : kind_of(question).most_equations;
  const Eigen::Index rows = problem.rows(), dofs = problem.nv();
  if (rows + dofs <= limit) return;
  throw InputError(rows > dofs ? "contacts" : "models",
                   "want at most " + std::to_string(limit) +
                       " rows of contacts (three per point) and degrees of freedom together for the question " +
                       stiction::name_of(question) + (qpoases ? " with qpoases" : "") + ", got " +
                       std::to_string(rows) + " and " + std::to_string(dofs));
}

}  // namespace

void require_askable(const Scenario& scenario)
{
  require_values(scenario);
  if (scenario.bare) require_matrices_suffice(scenario);
  kind_of(scenario.question).require(scenario);
}

ScenarioAnswerer::ScenarioAnswerer(const Scenario& scenario) : ScenarioAnswerer(scenario, std::nullopt) {}

ScenarioAnswerer::LoadedScene::LoadedScene(const SceneDescription& loaded, Scene made)
    : description(loaded),
      scene(std::move(made)),
      world_points(
          // what a plane holds, and tangents, also depend on where things are
          (loaded.plane != ScenePlane::kNone && loaded.plane != ScenePlane::kExact) ||
          std::ranges::any_of(loaded.contacts, [](const auto& c) { return c.at_frame == ContactFrame::kWorld; }))
{
}

bool ScenarioAnswerer::LoadedScene::fits(const Scenario& scenario) const
{
  const SceneDescription& asked = scenario.scene;
  return asked.gravity == description.gravity && asked.loads == description.loads && asked.loops == description.loops &&
         asked.plane == description.plane && asked.package_paths == description.package_paths &&
         std::ranges::equal(description.models, asked.models, same_body) &&
         std::ranges::equal(description.contacts, asked.contacts, same_place) &&
         (!world_points || asked.models == description.models);
}

ScenarioAnswerer::ScenarioAnswerer(const Scenario& scenario, std::optional<SceneGeometry> geometry)
    : geometry_(std::move(geometry))
{
  if (scenario.bare) return;
  const SceneDescription& scene = plain(scenario).scenario.scene;
  scene_.emplace(scene, Scene(scene));
  for (const ModelDescription& model : scene.models)
    urdf_.emplace_back(model.name, sha256(model.urdf_file.empty() ? model.urdf_text
                                                                  : read_urdf_file(model.urdf_file, scene.package_paths,
                                                                                   "models." + model.name + ".urdf")));
}

ScenarioAnswerer::ScenarioAnswerer(const ScenarioAnswerer& other)
    : geometry_(other.geometry_), urdf_(other.urdf_), scene_(other.scene_)
{
}

const PlainScenario& ScenarioAnswerer::plain(const Scenario& scenario, bool told)
{
  plain_ = plain_scenario(scenario, geometry_, told);
  if (leaves_out_parting(scenario)) leave_out_parting(plain_);
  // Accelerations of surfaces are nothing to impacts and grasps, and nothing at rest.
  if (!scenario.bare && scenario.question != Question::kImpact && scenario.question != Question::kClosure &&
      moves(plain_.scenario.scene)) {
    if (!surfaces_ || !surfaces_->fits(plain_.scenario.scene)) surfaces_.emplace(plain_.scenario.scene);
    surfaces_->fill_in(plain_.scenario.scene, plain_.warnings);
  }
  return plain_;
}

std::vector<std::pair<std::string, std::string>> ScenarioAnswerer::input_hashes() const
{
  std::vector<std::pair<std::string, std::string>> hashes = urdf_;
  for (const auto& mesh : mesh_hashes(plain_)) hashes.push_back(mesh);
  return hashes;
}

bool ScenarioAnswerer::fits(const Scenario& scenario) const
{
  // Where its contacts are shows only when they are found: then it is enough that the robots are the same.
  if (scene_ && !scenario.bare && has_geometry(scenario.scene))
    return std::ranges::equal(scene_->description.models, scenario.scene.models, same_body) && geometry_ &&
           geometry_->fits(scenario.scene);
  return fits_plain(scenario);
}

bool ScenarioAnswerer::fits_plain(const Scenario& scenario) const
{
  if (!scene_ || scenario.bare) return !scene_ && scenario.bare;
  return scene_->fits(scenario);
}

/// A row cannot make a scenario of a bare problem, or the other way round.
ScenarioAnswerer::LoadedScene& ScenarioAnswerer::loaded_for(const Scenario& scenario)
{
  if (scene_->fits(scenario)) return *scene_;
  if (!other_ || !other_->fits(scenario)) other_.emplace(scenario.scene, Scene(scenario.scene, scene_->scene));
  return *other_;
}

namespace {

/// Those of the description, which may differ from the ones that the scene was loaded with.
void set_coefficients(const SceneDescription& description, ContactProblem& problem)
{
  std::size_t next = 0;
  for (const ContactDescription& contact : description.contacts)
    for (std::size_t k = 0; k < contact.points.size(); ++k) {
      if (!contact.takes_part(k)) continue;
      problem.contacts[next].mu = contact.mu;
      problem.contacts[next].side = contact.side;
      problem.contacts[next].torsion = contact.torsion;
      problem.contacts[next++].max_normal = contact.max_normal;
    }
}

/// @throws InputError when more was taken out of a motion than its tolerance.
void require_tolerated(const ContactProblem& problem, const MeasuredMotion& motion)
{
  const auto owner = [&](int row) {
    for (const Contact& contact : problem.contacts)
      if (contact.row == row) return "contacts." + contact.name;
    for (const LoopConstraint& loop : problem.loops)
      if (loop.row == row) return "closures." + loop.name;
    return std::string("contacts");
  };
  const StickingCorrection& found = motion.correction;
  if (found.speed > motion.tolerance)
    throw InputError(owner(found.speed_row), "want bodies at rest relative to each other within " +
                                                 text(motion.tolerance) + " m/s (--tolerance), got " +
                                                 text(found.speed) + " m/s");
  if (found.acceleration * motion.span > motion.tolerance)
    throw InputError(owner(found.acceleration_row),
                     "want accelerations that keep bodies at rest relative to each other, within " +
                         text(motion.tolerance) + " m/s (--tolerance) in " + text(motion.span) + " s, got " +
                         text(found.acceleration) + " m/s^2");
}

}  // namespace

/// Of a description that fits.
void ScenarioAnswerer::compute(LoadedScene& loaded, const SceneDescription& description, ContactProblem& problem)
{
  state_ = loaded.scene.state(description.models);
  loaded.scene.compute(state_, problem);
  set_coefficients(description, problem);
}

/// Of a scenario that fits.
void ScenarioAnswerer::compute(const Scenario& scenario, ContactProblem& problem)
{
  if (scene_) return compute(loaded_for(scenario), scenario.scene, problem);
  problem = scenario.bare->problem;
  for (Eigen::Index i = 0; scenario.bare->problem.dofs.empty() && i < problem.nv(); ++i)
    problem.dofs.push_back({"", "v" + std::to_string(i), 0, 1});
  problem.dof_names = dof_labels(problem.dofs);
  const auto or_zero = [&](const Eigen::VectorXd& values) {
    return values.size() > 0 ? values : Eigen::VectorXd(Eigen::VectorXd::Zero(problem.nv()));
  };
  state_ = {{}, or_zero(scenario.bare->v), or_zero(scenario.bare->a)};
}

const Asker& ScenarioAnswerer::ask(const Scenario& asked)
{
  if (asked.bare || (!has_geometry(asked.scene) && !asked.options.strict)) return ask_plain(asked, nullptr);
  return ask_plain(plain(asked).scenario, nullptr);
}

const Asker& ScenarioAnswerer::ask_plain(const Scenario& scenario, MeasuredMotion* motion)
{
  Scene* const scene = scene_ ? &loaded_for(scenario).scene : nullptr;
  compute(scenario, problem_);
  require_size(scenario, problem_);
  const std::string solver = solver_for(scenario, problem_);
  if (!asker_ || question_ != scenario.question || solver_ != solver) {
    std::unique_ptr<Engine> engine = engine_named(solver);
    Engine* const owned_by_asker = engine.get();
    asker_ = kind_of(scenario.question).make(std::move(engine));
    engine_ = owned_by_asker;
    question_ = scenario.question;
    solver_ = solver;
  }
  engine_->set_stop(stop_);
  engine_->forget();  // an answer must not depend on the one before
  if (motion) {
    state_.v = motion->v;
    state_.a = motion->a;
    motion->correction = stick(*scene, state_, problem_);
    set_coefficients(scenario.scene, problem_);
    require_tolerated(problem_, *motion);
  }
  asker_->ask({scenario, scene, state_, problem_}, Extras::kOnlyIfAsked);
  return *asker_;
}

void ScenarioAnswerer::leave_out_moving(const std::vector<char>& may_leave, const MeasuredMotion& motion,
                                        Scenario& scenario)
{
  if (std::ranges::find(may_leave, 1) == may_leave.end()) return;
  compute(scenario, problem_);
  const Eigen::VectorXd speed = problem_.J * motion.v;
  std::size_t next = 0;
  for (std::size_t i = 0; i < may_leave.size(); ++i) {
    ContactDescription& contact = scenario.scene.contacts[i];
    const ContactDescription given = contact;
    for (std::size_t k = 0; k < given.points.size(); ++k) {
      if (!given.takes_part(k)) continue;
      const bool moves = std::abs(speed[problem_.contacts[next++].row]) > motion.tolerance;
      if (may_leave[i] && moves) contact.left_out.push_back(static_cast<int>(k));
    }
  }
}

std::unique_ptr<Engine> ScenarioAnswerer::engine_named(const std::string& solver) const
{
  std::unique_ptr<Engine> engine = make_engine(solver);
  engine->set_stop(stop_);
  return engine;
}

ScenarioReport ScenarioAnswerer::start(const Scenario& scenario)
{
  ScenarioReport report;
  report.scenario = scenario;
  if (scenario.bare) report.warnings = scenario.bare->warnings;
  if (scene_)
    for (const Warning& warning : scene_->scene.warnings(scenario.scene.models))
      report.warnings.push_back(warning.message());
  for (const Warning& warning : plain_.warnings) report.warnings.push_back(warning.message());
  report.detected = plain_.detected;
  report.inputs.urdf = urdf_;
  report.inputs.meshes = mesh_hashes(plain_);
  compute(scenario, report.problem);
  report.solver = solver_for(scenario, report.problem);
  // Accelerations of surfaces are nothing to impacts and grasps.
  if (scene_ && scenario.question != Question::kImpact && scenario.question != Question::kClosure)
    for (const Warning& warning : scene_->scene.turning_contacts(state_)) report.warnings.push_back(warning.message());
  require_size(scenario, report.problem);
  return report;
}

ScenarioReport ScenarioAnswerer::read(const Scenario& asked)
{
  const Scenario& scenario = plain(asked, true).scenario;
  if (!fits_plain(scenario)) return ScenarioAnswerer(asked, geometry_).read(asked);
  ScenarioReport report = start(scenario);
  const auto asker = kind_of(scenario.question).make(engine_named(report.solver));
  asker->read({report.scenario, robots(), state_, report.problem});
  asker->move_to(report);
  return report;
}

ScenarioReport ScenarioAnswerer::report(const Scenario& asked)
{
  const Scenario& scenario = plain(asked, true).scenario;
  if (!fits_plain(scenario)) {
    ScenarioAnswerer other(asked, geometry_);
    other.set_stop(stop_);
    return other.report(asked);
  }
  ScenarioReport report = start(scenario);
  const auto asker = kind_of(scenario.question).make(engine_named(report.solver));
  asker->ask({report.scenario, robots(), state_, report.problem}, Extras::kAll);
  report.verdict = asker->verdict();
  report.summary = asker->summary();
  asker->move_to(report);
  if (report.verdict == Verdict::kUndecided) return report;
  throw_if_stopped(stop_);
  // The numbers that are written are the numbers that are judged: they read back as the same doubles.
  const Verification proof = verify_json(report_document(report), nullptr);
  if (!proof.valid) refuse(report, proof.message);
  return report;
}

}  // namespace stiction::internal
