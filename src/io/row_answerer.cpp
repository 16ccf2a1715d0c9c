#include "io/row_answerer.hpp"

#include <algorithm>

namespace stiction::internal {
namespace {

Scenario decode_with_paths(const ScenarioDocument& document, const std::vector<std::string>& package_paths)
{
  Scenario scenario = document.decode();
  scenario.scene.package_paths = package_paths;
  try {
    require_askable(scenario);
  } catch (const InputError& error) {
    throw document.located(error);
  }
  return scenario;
}

ScenarioAnswerer load(const ScenarioDocument& document, const Scenario& scenario)
{
  try {
    return ScenarioAnswerer(scenario);
  } catch (const InputError& error) {
    throw document.located(error);
  }
}

std::size_t add_once(std::vector<std::size_t>& list, std::size_t value)
{
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
  return static_cast<std::size_t>(std::ranges::find(list, value) - list.begin());
}

}  // namespace

RowAnswerer::RowAnswerer(const ScenarioDocument& document, const std::vector<std::string>& package_paths)
    : document_(document),
      package_paths_(package_paths),
      base_(decode_with_paths(document, package_paths)),
      row_(base_),
      answerer_(load(document, base_))
{
}

RowAnswerer::RowAnswerer(const RowAnswerer& other)
    : document_(other.document_),
      package_paths_(other.package_paths_),
      base_(other.base_),
      row_(other.base_),
      answerer_(other.answerer_)
{
}

/// Applies changes below `models.name` and `contacts.name`, reading only those parts again; false when there are
/// others.
bool RowAnswerer::change_sections(const BatchRow& row)
{
  if (base_.bare) return false;
  const Entry* models = document_.root.find("models");
  const Entry* contacts = document_.root.find("contacts");
  std::vector<Entry> model_entries, contact_entries;
  for (const auto& [path, value] : row.changes) {
    const std::vector<std::string> steps = split_path(document_.root, path);
    if (steps.size() < 3) return false;
    if (steps[0] == "models" && models->find(steps[1])) {
      const auto index = static_cast<std::size_t>(std::ranges::find(models->keys, steps[1]) - models->keys.begin());
      const std::size_t k = add_once(models_, index);
      if (k == model_entries.size()) model_entries.push_back(models->items[index]);
      set_path(model_entries[k], steps, value, 2);
    } else if (steps[0] == "contacts" && contacts && find_in_list(*contacts, steps[1]) >= 0) {
      const auto index = static_cast<std::size_t>(find_in_list(*contacts, steps[1]));
      const std::size_t k = add_once(contacts_, index);
      if (k == contact_entries.size()) contact_entries.push_back(contacts->items[index]);
      set_path(contact_entries[k], steps, value, 2);
    } else {
      return false;
    }
  }
  for (std::size_t k = 0; k < models_.size(); ++k)
    row_.scene.models[models_[k]] =
        decode_model(model_entries[k], base_.scene.models[models_[k]].name, document_.folder);
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    ContactMotion motion;
    row_.scene.contacts[contacts_[k]] =
        decode_contact(contact_entries[k], "contacts[" + std::to_string(contacts_[k]) + "]", motion);
    row_.contact_motions[contacts_[k]] = motion;
  }
  return true;
}

const Scenario& RowAnswerer::decode(const BatchRow& row)
{
  restore();
  whole_ = !change_sections(row);
  if (whole_) {
    ScenarioDocument changed = document_;
    for (const auto& [path, value] : row.changes) set_path(changed.root, split_path(changed.root, path), value);
    row_ = changed.decode();
    row_.scene.package_paths = package_paths_;
  }
  require_askable(row_);
  return row_;
}

void RowAnswerer::answer(const BatchRow& row, RowAnswer& answer) { write(answerer_.ask(decode(row)), answer); }

void RowAnswerer::write(const Asker& asked, RowAnswer& answer)
{
  answer.verdict = asked.verdict();
  answer.summary = asked.summary();
  answer.cells.clear();
  asked.write_row(answer.cells);
}

std::vector<std::string> RowAnswerer::columns() const { return kind_of(base_.question).columns(base_.options); }

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
