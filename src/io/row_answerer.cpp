#include "io/row_answerer.hpp"

#include <algorithm>

namespace stiction::internal {
namespace {

bool finds_efforts(const ModelDescription& model)
{
  return model.effort.kind == Effort::Kind::kLimits || model.effort.kind == Effort::Kind::kUnlimited;
}

SceneDescription without_given_efforts(SceneDescription scene)
{
  for (ModelDescription& model : scene.models)
    if (!finds_efforts(model)) model.effort = {};
  return scene;
}

Scenario decode_with_paths(const ScenarioDocument& document, const std::vector<std::string>& package_paths)
{
  Scenario scenario = document.decode();
  scenario.scene.package_paths = package_paths;
  try {
    kind_of(stiction::name_of(scenario.question)).require(scenario);
  } catch (const InputError& error) {
    throw document.located(error);
  }
  return scenario;
}

Scene load(const ScenarioDocument& document, const SceneDescription& scene)
{
  try {
    return Scene(without_given_efforts(scene));
  } catch (const InputError& error) {
    throw document.located(error);
  }
}

/// Same bodies and motors in the world; state and given efforts may differ.
bool same_body(const ModelDescription& a, const ModelDescription& b)
{
  const bool same_motors = finds_efforts(a) ? a.effort.kind == b.effort.kind : !finds_efforts(b);
  const bool placed = a.base == Base::kFloating || (a.pose.xyz == b.pose.xyz && a.pose.rpy == b.pose.rpy);
  return a.urdf_file == b.urdf_file && a.base == b.base && placed && same_motors;
}

/// Same place and rows; coefficients may differ.
bool same_place(const ContactDescription& a, const ContactDescription& b)
{
  return a.name == b.name && a.link == b.link && a.on == b.on && a.points == b.points && a.patch == b.patch &&
         a.at_frame == b.at_frame && a.normal == b.normal && a.normal_frame == b.normal_frame &&
         (a.torsion > 0.0) == (b.torsion > 0.0);
}

std::size_t add_once(std::vector<std::size_t>& list, std::size_t value)
{
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
  return static_cast<std::size_t>(std::ranges::find(list, value) - list.begin());
}

}  // namespace

RowAnswerer::RowAnswerer(const ScenarioDocument& document, const std::vector<std::string>& package_paths)
    : document_(document), package_paths_(package_paths), base_(decode_with_paths(document, package_paths)), row_(base_),
      scene_(load(document, base_.scene))
{
  scene_.compute(scene_.described_state(), problem_);
  for (std::size_t i = 0; i < problem_.dof_names.size(); ++i) dofs_[problem_.dof_names[i]] = static_cast<Eigen::Index>(i);
  world_points_ = std::ranges::any_of(base_.scene.contacts, [](const auto& c) { return c.at_frame == ContactFrame::kWorld; });
}

RowAnswerer::RowAnswerer(const RowAnswerer& other)
    : document_(other.document_), package_paths_(other.package_paths_), base_(other.base_), row_(other.base_), scene_(other.scene_),
      dofs_(other.dofs_), world_points_(other.world_points_)
{
}

/// Applies changes below `models.name` and `contacts.name`, reading only those parts again; false when there are others.
bool RowAnswerer::change_sections(const BatchRow& row)
{
  const Entry* models = document_.root.find("models");
  const Entry* contacts = document_.root.find("contacts");
  std::vector<Entry> model_entries, contact_entries;
  for (const auto& [path, value] : row.changes) {
    const std::vector<std::string> parts = split_path(path);
    if (parts.size() < 3) return false;
    if (parts[0] == "models" && models->find(parts[1])) {
      const auto index = static_cast<std::size_t>(std::ranges::find(models->keys, parts[1]) - models->keys.begin());
      const std::size_t k = add_once(models_, index);
      if (k == model_entries.size()) model_entries.push_back(models->items[index]);
      set_path(model_entries[k], path, value, 2);
    } else if (parts[0] == "contacts" && contacts && find_in_list(*contacts, parts[1]) >= 0) {
      const auto index = static_cast<std::size_t>(find_in_list(*contacts, parts[1]));
      const std::size_t k = add_once(contacts_, index);
      if (k == contact_entries.size()) contact_entries.push_back(contacts->items[index]);
      set_path(contact_entries[k], path, value, 2);
    } else {
      return false;
    }
  }
  for (std::size_t k = 0; k < models_.size(); ++k)
    row_.scene.models[models_[k]] = decode_model(model_entries[k], base_.scene.models[models_[k]].name, document_.folder);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    ContactMotion motion;
    row_.scene.contacts[contacts_[k]] = decode_contact(contact_entries[k], "contacts[" + std::to_string(contacts_[k]) + "]", motion);
    row_.contact_motions[contacts_[k]] = motion;
  }
  return true;
}

bool RowAnswerer::scene_fits() const
{
  if (world_points_ && !models_.empty()) return false;
  for (const std::size_t m : models_)
    if (!same_body(row_.scene.models[m], base_.scene.models[m])) return false;
  for (const std::size_t c : contacts_)
    if (!same_place(row_.scene.contacts[c], base_.scene.contacts[c])) return false;
  return true;
}

/// False when an effort is not one of the scene's: loading the scene says what is wrong with it.
bool RowAnswerer::compute_from_scene()
{
  state_ = models_.empty() ? scene_.described_state() : scene_.state(row_.scene.models);
  scene_.compute(state_, problem_);
  for (const ModelDescription& model : row_.scene.models) {
    for (const auto& [joint, effort] : model.effort.given) {
      const auto dof = dofs_.find(model.name + "/" + joint);
      if (dof == dofs_.end()) return false;
      problem_.F[dof->second] -= effort;
    }
  }
  std::size_t next = 0;
  for (const ContactDescription& contact : row_.scene.contacts)
    for (std::size_t k = 0; k < contact.points.size(); ++k, ++next) {
      problem_.contacts[next].mu = contact.mu;
      problem_.contacts[next].side = contact.side;
      problem_.contacts[next].torsion = contact.torsion;
      problem_.contacts[next].max_normal = contact.max_normal;
    }
  return true;
}

void RowAnswerer::answer(const BatchRow& row, RowAnswer& answer)
{
  restore();
  whole_ = !change_sections(row);
  if (whole_) {
    ScenarioDocument changed = document_;
    for (const auto& [path, value] : row.changes) set_path(changed.root, path, value);
    row_ = changed.decode();
    row_.scene.package_paths = package_paths_;
  }
  const QuestionKind& kind = kind_of(stiction::name_of(row_.question));
  kind.require(row_);
  // qpOASES goes on from where the last problem ended; a row must not depend on the one before.
  if (!answer_ || question_ != row_.question || row_.options.solver != "native" || solver_ != "native")
    answer_ = kind.make(row_.options.solver);
  question_ = row_.question;
  solver_ = row_.options.solver;
  if (whole_ || !scene_fits() || !compute_from_scene()) {
    Scene scene(row_.scene);
    state_ = scene.described_state();
    scene.compute(state_, problem_);
    answer_->ask({row_, scene, state_, problem_}, Extras::kOnlyIfAsked);
  } else {
    answer_->ask({row_, scene_, state_, problem_}, Extras::kOnlyIfAsked);
  }
  answer.verdict = answer_->verdict();
  answer.summary = answer_->summary();
  answer.cells.clear();
  answer_->write_row(answer.cells);
}

std::vector<std::string> RowAnswerer::columns() const
{
  return kind_of(stiction::name_of(base_.question)).columns(base_.options);
}

/// Back to the scenario as it is written.
void RowAnswerer::restore()
{
  if (whole_) row_ = base_;
  for (const std::size_t m : models_) row_.scene.models[m] = base_.scene.models[m];
  for (const std::size_t c : contacts_) {
    row_.scene.contacts[c] = base_.scene.contacts[c];
    row_.contact_motions[c] = base_.contact_motions[c];
  }
  models_.clear();
  contacts_.clear();
}

}  // namespace stiction::internal
