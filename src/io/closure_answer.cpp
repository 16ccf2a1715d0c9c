#include "io/closure_answer.hpp"

#include <algorithm>

#include "base/nearest_name.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "io/report.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"

namespace stiction::internal {

std::vector<ReportedContact> resisting_contacts(const GraspInput& input, const Eigen::VectorXd& forces, bool unique)
{
  std::vector<ContactReport> contacts;
  for (const Contact& contact : input.problem.contacts) {
    const auto rows = forces.segment(contact.row, contact.rows());
    const FrictionCone cone{contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, input.shape};
    ContactReport& found = contacts.emplace_back();
    for (int k = 0; k < contact.rows(); ++k) found.force[k < 1 + contact.tangents ? k : 3] = rows[k];
    found.utilisation = utilisation(cone, rows);
    found.state = rows[0] == 0.0                        ? ContactState::kUnloaded
                  : found.utilisation < 1.0 - kRimShare ? ContactState::kSticking
                                                        : ContactState::kRim;
    found.unique = unique;
  }
  return reported_contacts(input.problem, contacts, forces);
}

std::vector<ReportedEffort> resisting_efforts(const GraspInput& input, const Eigen::VectorXd& efforts)
{
  std::vector<ReportedEffort> list;
  Eigen::Index hand = 0;
  for (int dof = 0; dof < input.problem.nv(); ++dof)
    if (std::ranges::find(input.object_dofs, dof) == input.object_dofs.end() && efforts.size() > hand)
      list.push_back({input.problem.dof_names[static_cast<std::size_t>(dof)], efforts[hand++]});
  return list;
}

namespace {

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
                   "want the model that is held (" + names + "), got " +
                       (wanted.empty() ? "none" : quoted(wanted) + did_you_mean(wanted, all_names(models))));
}

void require_for_closure(const Scenario& scenario)
{
  require_no_sliding(scenario);
  if (!scenario.bare && object_of(scenario).base == Base::kFixed && !scenario.options.plane.empty())
    throw InputError("options.plane",
                     "want no plane for an object on a fixed base: its joints say how it can move; got " +
                         quoted(scenario.options.plane));
}

class ClosureAsker final : public Asker {
 public:
  explicit ClosureAsker(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override;
  void ask(const Situation& situation, Extras extras) override;
  Verdict verdict() const override { return answer_.decisive().verdict; }
  std::string summary() const override { return summary_of(answer_); }
  void write_row(std::vector<RowCell>& cells) const override;
  void move_to(ScenarioReport& report) override;

 private:
  ClosureChecker checker_;
  ClosureAnswer answer_;
};

void ClosureAsker::read(const Situation& situation)
{
  situation.require_rest();
  const ScenarioOptions& options = situation.scenario.options;
  answer_.object = situation.robots ? object_of(situation.scenario).name : options.object;
  const GraspOptions asked{answer_.object, plane_of(options.plane), options.point,
                           options.length, options.wrench,          options.cone};
  answer_.input = situation.robots ? grasp_of(situation.scene(), situation.state, situation.problem, asked)
                                   : grasp_of(situation.problem, asked);
  answer_.touching = {};
  if (situation.robots)
    answer_.touching = object_contacts(situation.scene(), situation.state, situation.problem, answer_.object);
  answer_.input.build(answer_.grasp);
}

void ClosureAsker::ask(const Situation& situation, Extras extras)
{
  read(situation);
  const ScenarioOptions& asked = situation.scenario.options;
  const bool numbers = asked.margins.value_or(extras == Extras::kAll);
  ClosureOptions options;
  options.force = answer_.grasp.has_hand();
  options.d = options.epsilon_l1 = options.epsilon_linf = options.minimal_friction = options.null_spaces = numbers;
  if (asked.gap) options.epsilon_gap = *asked.gap;
  checker_.check(answer_.grasp, options, answer_.result);
  checker_.resists(answer_.grasp, answer_.input.wrench, answer_.resists);
  answer_.rate.reset();
  if (asked.noise) {
    ContactNoise noise;
    noise.position = asked.noise->position;
    noise.angle = asked.noise->angle;
    noise.samples = asked.noise->samples;
    noise.seed = asked.noise->seed;
    if (object_of(situation.scenario).base != Base::kFloating)
      throw InputError("options.noise", "want a floating object for uncertain contacts, got one on a fixed base");
    answer_.rate = checker_.rate(answer_.touching.contacts, answer_.input.convention, noise);
  }
}

void ClosureAsker::write_row(std::vector<RowCell>& cells) const
{
  for (const NamedClosure& named : kClosures)
    if (const ClosureVerdict& found = answer_.result.*named.found; found.asked)
      cells.push_back({named.name, {}, name_of(found.verdict)});
  cells.push_back({"resists", {}, name_of(answer_.resists.verdict)});
  if (answer_.result.epsilon_l1.enclosed()) cells.push_back({"epsilon_l1", answer_.result.epsilon_l1.lower});
  if (answer_.result.epsilon_linf.enclosed()) cells.push_back({"epsilon_linf", answer_.result.epsilon_linf.lower});
  const Margin& factor = answer_.result.friction_factor;
  if (factor.state == Margin::State::kKnown) cells.push_back({"friction_scale", factor.upper});
  if (factor.state == Margin::State::kNone) cells.push_back({"friction_scale", std::nullopt});
  if (answer_.rate) cells.push_back({"rate", answer_.rate->rate});
}

void ClosureAsker::move_to(ScenarioReport& report)
{
  const ClosureResult& result = answer_.result;
  if (answer_.resists.verdict == Verdict::kHolds) {
    report.contacts = resisting_contacts(answer_.input, answer_.resists.forces,
                                         result.null_spaces && result.null_spaces->graspable == 0);
    report.efforts = resisting_efforts(answer_.input, answer_.resists.efforts);
  }
  const Margin& factor = result.friction_factor;
  if (factor.state == Margin::State::kKnown || factor.state == Margin::State::kNone)
    report.margins.push_back(reported_margin("friction_scale", factor, SafeEnd::kUpper));
  report.answer = std::move(answer_);
}

std::vector<std::string> closure_columns(const ScenarioOptions& options)
{
  std::vector<std::string> names = {"form_closure", "frictional_form_closure", "force_closure", "resists"};
  if (options.margins.value_or(false)) names.insert(names.end(), {"epsilon_l1", "epsilon_linf", "friction_scale"});
  if (options.noise) names.push_back("rate");
  return names;
}

}  // namespace

extern const QuestionKind kClosureKind{require_for_closure,
                                       make_asker<ClosureAsker>,
                                       closure_columns,
                                       closure_asked,
                                       write_closure,
                                       closure_text,
                                       judge_closure_report,
                                       6000,
                                       false};

}  // namespace stiction::internal
