#include "stiction/problem_file.hpp"

#include <algorithm>
#include <cmath>

#include "io/json.hpp"
#include "io/options.hpp"
#include "io/plain_scenario.hpp"
#include "io/problem_document.hpp"
#include "io/scenario_document.hpp"
#include "stiction/closure_input.hpp"
#include "stiction/error.hpp"
#include "stiction/region_input.hpp"
#include "stiction/sliding_input.hpp"

namespace stiction {
namespace internal {
namespace {

/// Dense, or triplets where these are shorter.
Json matrix_json(const Eigen::MatrixXd& matrix)
{
  const auto written = [](double value) { return value != 0.0 || std::signbit(value); };
  Eigen::Index count = 0;
  for (const double value : matrix.reshaped()) count += written(value);
  constexpr Eigen::Index kNumbersPerTriplet = 3;
  if (kNumbersPerTriplet * count >= matrix.size()) return json(matrix);
  Json triplets = {{"row", Json::array()}, {"col", Json::array()}, {"value", Json::array()}};
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      if (written(matrix(i, j))) {
        triplets["row"].push_back(i);
        triplets["col"].push_back(j);
        triplets["value"].push_back(matrix(i, j));
      }
  return triplets;
}

Json dof_json(const Dof& dof)
{
  if (dof.model.empty() && !dof.of_base() && dof.size == 1) return dof.joint;
  return {{"model", dof.model},
          {"joint", dof.of_base() ? Json() : Json(dof.joint)},
          {"index", dof.index},
          {"size", dof.size}};
}

Json bare_contact_json(const Contact& contact, const ContactMotion& motion)
{
  Json entry = {{"name", contact.name}, {"row", contact.row}, {"tangents", contact.tangents}, {"mu", contact.mu}};
  entry["side"] = contact.side == Side::kUnilateral ? "unilateral" : "bilateral";
  if (contact.torsional) entry["torsion"] = contact.torsion;
  if (contact.torsional && contact.torsion == 0.0) entry["torsional"] = true;
  if (std::isfinite(contact.max_normal)) entry["max_normal"] = contact.max_normal;
  entry["point_world"] = json(Eigen::VectorXd(contact.point_W));
  entry["axes_world"] = json(Eigen::MatrixXd(contact.axes_W.transpose()));  // normal, t1, t2
  if (motion.slides) entry["slides"] = json(Eigen::VectorXd(motion.slides->segment(1, contact.tangents)));
  const auto add = [&](const char* key, double value) {
    if (value != 0.0) entry["restitution"][key] = value;
  };
  add("normal", motion.restitution_normal);
  add("tangential", motion.restitution_tangential);
  add("spin", motion.restitution_spin);
  if (motion.one_way) entry["one_way"] = true;
  if (motion.mu_second) entry["mu_second"] = *motion.mu_second;
  return entry;
}

/// Motions of every contact of the problem, with directions in its own axes.
std::vector<ContactMotion> motions_of(Scene& scene, const Scenario& scenario, const ContactProblem& problem)
{
  std::vector<std::optional<Eigen::Vector3d>> given;
  for (const ContactMotion& motion : scenario.contact_motions) given.push_back(motion.slides);
  const SlipDirections slips = slip_directions(scene, scene.described_state(), problem, given);
  std::vector<ContactMotion> motions;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    motions.push_back(scenario.contact_motions[static_cast<std::size_t>(scene.contact_origins()[i].description)]);
    if (motions.back().slides) motions.back().slides = Eigen::Vector3d(0.0, slips[i]->x(), slips[i]->y());
  }
  return motions;
}

/// Which model is held and what its wrenches refer to, where a scene knows it by itself.
void resolve_grasp(Scene& scene, const ContactProblem& problem, const SceneDescription& described,
                   ScenarioOptions& options)
{
  if (options.object.empty() && described.models.size() == 1) options.object = described.models.front().name;
  if (floating_base(problem, options.object) < 0) return;
  const WrenchConvention convention =
      grasp_of(scene, scene.described_state(), problem,
               {options.object, GraspPlane::kNone, options.point, options.length, {}, options.cone})
          .convention;
  options.point = convention.reference;
  options.length = convention.torque_length;
}

}  // namespace
}  // namespace internal

using namespace internal;

Scenario read_problem_text(const std::string& text, const std::string& source,
                           const std::vector<ScenarioOverride>& overrides)
{
  ScenarioDocument document = parse_scenario(text, "", source);
  if (!is_problem(document.root)) throw InputError(source, "want a problem file with `stiction_problem`, got none");
  apply(overrides, document);
  return document.decode();
}

Scenario read_problem_file(const std::string& file, const std::vector<ScenarioOverride>& overrides)
{
  return read_problem_text(read_text_file(file, "problem"), file, overrides);
}

std::string problem_text(const Scenario& scenario)
{
  if (!scenario.bare) throw InputError("bare", "want matrices (as_bare_problem makes them of a scene), got a scene");
  const ContactProblem& problem = scenario.bare->problem;
  problem.validate(ContactProblem::Storage::kAny);
  if (scenario.contact_motions.size() != problem.contacts.size())
    throw InputError("contact_motions", "want one per contact, got " + std::to_string(scenario.contact_motions.size()));
  Json file;
  file["stiction_problem"] = 1;
  if (!scenario.name.empty()) file["name"] = scenario.name;
  file["question"] = name_of(scenario.question);
  file["nv"] = problem.nv();
  file["rows"] = problem.rows();
  if (!problem.dofs.empty()) file["dofs"] = Json::array();
  for (const Dof& dof : problem.dofs) file["dofs"].push_back(dof_json(dof));
  file["M"] = problem.is_sparse() ? json(problem.sparse_M) : matrix_json(problem.M);
  file["F"] = json(problem.F);
  file["J"] = problem.is_sparse() ? json(problem.sparse_J) : matrix_json(problem.J);
  file["gamma"] = json(problem.gamma);
  for (const auto& [key, values] : {std::pair{"v", &scenario.bare->v}, {"a", &scenario.bare->a}})
    if (!values->isZero(0.0)) file[key] = json(*values);
  file["contacts"] = Json::array();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    file["contacts"].push_back(bare_contact_json(problem.contacts[i], scenario.contact_motions[i]));
  file["closures"] = Json::array();
  for (const LoopConstraint& closure : problem.loops)
    file["closures"].push_back({{"name", closure.name}, {"row", closure.row}, {"rows", closure.rows}});
  file["actuators"] = Json::array();
  for (const Actuator& motor : problem.actuators)
    file["actuators"].push_back(
        {{"name", motor.name}, {"dof", motor.dof}, {"lower", json(motor.lower)}, {"upper", json(motor.upper)}});
  file["options"] = options_json(scenario.options);
  return file.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Scenario as_bare_problem(const Scenario& asked)
{
  if (asked.bare) return asked;
  const bool geometry = has_geometry(asked.scene);
  const Scenario found = geometry ? resolved_scenario(asked) : Scenario();
  const Scenario& scenario = geometry ? found : asked;
  Scene scene(scenario.scene);
  const SceneState& state = scene.described_state();
  Scenario bare;
  bare.name = scenario.name;
  bare.question = scenario.question;
  bare.options = scenario.options;
  bare.options.strict = false;  // shapes have been looked at
  bare.bare = BareProblem{scene.compute(), state.v, state.a};
  bare.contact_motions = motions_of(scene, scenario, bare.bare->problem);
  require_matrices_suffice(bare);
  if (scenario.question == Question::kClosure) resolve_grasp(scene, bare.bare->problem, scenario.scene, bare.options);
  return bare;
}

}  // namespace stiction
