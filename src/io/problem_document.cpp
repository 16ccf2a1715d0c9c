#include "io/problem_document.hpp"

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "base/text.hpp"
#include "io/entry_reader.hpp"
#include "io/judgement.hpp"
#include "io/options.hpp"
#include "io/scenario_document.hpp"

namespace stiction::internal {
namespace {

/// Entries of a matrix: dense algebra needs half a gigabyte for so many.
constexpr double kMostEntries = 0x1p26;
constexpr double kMostRows = 1e6;

const std::vector<std::string> kKeys = {
    "stiction_problem", "name",     "question",  "nv",     "rows", "dofs", "M", "F", "J", "gamma", "v", "a",
    "contacts",         "closures", "actuators", "options"};

Entry text_like(const Entry& place, const std::string& text)
{
  Entry entry = place;
  entry.kind = Entry::Kind::kText;
  entry.text = text;
  entry.quoted = false;
  entry.keys.clear();
  entry.items.clear();
  return entry;
}

void add_key(Entry& map, const std::string& key, Entry value)
{
  map.keys.push_back(key);
  map.items.push_back(std::move(value));
}

/// {"tangents": 2, "mu": […]} as a list of contacts.
Entry list_of_table(const Entry& table)
{
  const Map map(table, "contacts", {"tangents", "mu"});
  const Entry& mu = map.need("mu");
  if (mu.kind != Entry::Kind::kList) fail(mu, "contacts.mu", "a list of numbers, one per contact");
  const Entry* tangents = map.find("tangents");
  Entry list = text_like(table, "");
  list.kind = Entry::Kind::kList;
  for (const Entry& value : mu.items) {
    Entry& contact = list.items.emplace_back(text_like(value, ""));
    contact.kind = Entry::Kind::kMap;
    if (tangents) add_key(contact, "tangents", *tangents);
    add_key(contact, "mu", value);
  }
  return list;
}

void name_entries(Entry* list, const char* prefix)
{
  if (!list || list->kind != Entry::Kind::kList) return;
  for (std::size_t i = 0; i < list->items.size(); ++i)
    if (Entry& item = list->items[i]; item.kind == Entry::Kind::kMap && !item.find("name"))
      add_key(item, "name", text_like(item, prefix + std::to_string(i)));
}

Eigen::VectorXd vector_of(const Entry& entry, const std::string& path)
{
  const std::vector<double> values = numbers(entry, path);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Of this size; zero when it is not there.
Eigen::VectorXd vector_or_zero(const Entry* entry, const std::string& path, Eigen::Index size)
{
  if (!entry) return Eigen::VectorXd::Zero(size);
  if (entry->kind != Entry::Kind::kList || static_cast<Eigen::Index>(entry->items.size()) != size)
    fail(*entry, path, "a list of " + std::to_string(size) + " numbers");
  return vector_of(*entry, path);
}

using Entries = std::vector<Eigen::Triplet<double>>;

/// Each entry once, row by row.
Entries triplets(const Entry& entry, const std::string& path, Eigen::Index rows, Eigen::Index cols)
{
  const Map map(entry, path, {"row", "col", "value"});
  const Entry &row = map.need("row"), &col = map.need("col"), &value = map.need("value");
  if (value.kind != Entry::Kind::kList) fail(value, path + ".value", "a list of numbers");
  const std::size_t count = value.items.size();
  for (const auto& [list, name] : {std::pair{&row, ".row"}, {&col, ".col"}})
    if (list->kind != Entry::Kind::kList || list->items.size() != count)
      fail(*list, path + name, "a list of " + std::to_string(count) + " numbers, as many as values");
  const auto index = [&](const Entry& list, const char* name, std::size_t k, Eigen::Index size) {
    const std::string where = path + name + "[" + std::to_string(k) + "]";
    if (size == 0) fail(list.items[k], where, "no entry in a matrix without any");
    return static_cast<int>(whole_number(list.items[k], where, 0, static_cast<double>(size - 1)));
  };
  Entries entries;
  std::vector<std::size_t> order(count);
  for (std::size_t k = 0; k < count; ++k) {
    const int i = index(row, ".row", k, rows), j = index(col, ".col", k, cols);
    entries.emplace_back(i, j, number(value.items[k], path + ".value[" + std::to_string(k) + "]"));
    order[k] = k;
  }
  const auto place = [&](std::size_t k) { return std::pair{entries[k].row(), entries[k].col()}; };
  std::ranges::stable_sort(order, {}, place);
  Entries sorted;
  std::size_t twice = count;  // the first one in the file
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0 && place(order[k]) == place(order[k - 1])) twice = std::min(twice, order[k]);
    sorted.push_back(entries[order[k]]);
  }
  if (twice < count)
    throw InputError(value.items[twice].where() + ": " + path + ".value[" + std::to_string(twice) + "]",
                     "want each entry once, got a second one in row " + std::to_string(place(twice).first) +
                         ", column " + std::to_string(place(twice).second));
  return sorted;
}

/// A list of rows, or triplets.
Eigen::MatrixXd matrix_of(const Entry& entry, const std::string& path, Eigen::Index rows, Eigen::Index cols)
{
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(rows, cols);
  if (entry.kind == Entry::Kind::kMap) {
    for (const auto& one : triplets(entry, path, rows, cols)) matrix(one.row(), one.col()) = one.value();
    return matrix;
  }
  const std::string want = std::to_string(rows) + " rows, or triplets {row, col, value}";
  if (entry.kind != Entry::Kind::kList || static_cast<Eigen::Index>(entry.items.size()) != rows)
    fail(entry, path, want);
  for (Eigen::Index i = 0; i < rows; ++i)
    matrix.row(i) =
        vector_or_zero(&entry.items[static_cast<std::size_t>(i)], path + "[" + std::to_string(i) + "]", cols);
  return matrix;
}

int count_of(const Map& map, const char* key, int fallback, double least, double most)
{
  const Entry* found = map.find(key);
  return found ? static_cast<int>(whole_number(*found, map.path_of(key), least, most)) : fallback;
}

/// @param next row that is not owned yet: where the contact is unless it says so.
Contact decode_bare_contact(const Entry& entry, const std::string& path, int& next, ContactMotion& motion)
{
  const Map map(entry, path,
                {"name", "row", "tangents", "mu", "side", "torsion", "torsional", "max_normal", "point_world",
                 "axes_world", "slides", "restitution", "one_way", "mu_second"});
  Contact contact;
  contact.name = text_of(map.need("name"), map.path_of("name"));
  contact.row = count_of(map, "row", next, 0, kMostRows);
  contact.tangents = count_of(map, "tangents", contact.tangents, 0, 2);
  contact.mu = number_at_least_zero(map.need("mu"), map.path_of("mu"));
  contact.side = map.choice_or<Side, 2>("side", {{{"unilateral", Side::kUnilateral}, {"bilateral", Side::kBilateral}}},
                                        contact.side);
  if (const Entry* found = map.find("torsion")) contact.torsion = number_at_least_zero(*found, map.path_of("torsion"));
  contact.torsional = contact.torsion > 0.0;
  if (const Entry* found = map.find("torsional")) contact.torsional = boolean(*found, map.path_of("torsional"));
  if (const Entry* found = map.find("max_normal"))
    contact.max_normal = number_or_infinite(*found, map.path_of("max_normal"));
  contact.point_W = map.vector_or("point_world", contact.point_W);
  if (const Entry* found = map.find("axes_world"))
    contact.axes_W = matrix_of(*found, map.path_of("axes_world"), 3, 3).transpose();
  if (const Entry* found = map.find("slides")) {
    const Eigen::VectorXd along = vector_or_zero(found, map.path_of("slides"), contact.tangents);
    if (along.isZero(0.0)) fail(*found, map.path_of("slides"), "a direction along the tangents");
    motion.slides = Eigen::Vector3d::Zero();
    motion.slides->segment(1, contact.tangents) = along;
  }
  decode_impact_law(map, motion);
  next = contact.row + contact.rows();
  return contact;
}

LoopConstraint decode_bare_closure(const Entry& entry, const std::string& path, int& next)
{
  const Map map(entry, path, {"name", "row", "rows"});
  LoopConstraint closure;
  closure.name = text_of(map.need("name"), map.path_of("name"));
  closure.row = count_of(map, "row", next, 0, kMostRows);
  closure.rows = count_of(map, "rows", 1, 1, kMostRows);
  next = closure.row + closure.rows;
  return closure;
}

Actuator decode_actuator(const Entry& entry, const std::string& path, const std::vector<std::string>& dof_names)
{
  const Map map(entry, path, {"name", "dof", "lower", "upper"});
  Actuator actuator;
  const Entry& dof = map.need("dof");
  if (dof_names.empty()) fail(dof, map.path_of("dof"), "no actuator where nothing moves");
  actuator.dof =
      static_cast<int>(whole_number(dof, map.path_of("dof"), 0, static_cast<double>(dof_names.size()) - 1.0));
  actuator.name = map.text_or("name", dof_names[static_cast<std::size_t>(actuator.dof)]);
  if (const Entry* found = map.find("lower")) actuator.lower = number_or_infinite(*found, map.path_of("lower"));
  if (const Entry* found = map.find("upper")) actuator.upper = number_or_infinite(*found, map.path_of("upper"));
  return actuator;
}

/// A name, or a joint of a model as in the certificate of a report.
Dof decode_dof(const Entry& entry, const std::string& path)
{
  if (entry.kind != Entry::Kind::kMap) return {"", text_of(entry, path), 0, 1};
  const Map map(entry, path, {"model", "joint", "index", "size"});
  Dof dof;
  dof.model = map.text_or("model", "");
  if (const Entry& joint = map.need("joint"); joint.kind != Entry::Kind::kNull)
    dof.joint = text_of(joint, map.path_of("joint"));
  dof.size = count_of(map, "size", dof.of_base() ? 6 : 1, 1, 6);
  dof.index = count_of(map, "index", 0, 0, dof.size - 1);
  return dof;
}

std::vector<Dof> decode_dofs(const Entry* list, Eigen::Index nv)
{
  std::vector<Dof> dofs;
  if (list && (list->kind != Entry::Kind::kList || static_cast<Eigen::Index>(list->items.size()) != nv))
    fail(*list, "dofs", "a list of one for each of the " + std::to_string(nv) + " degrees of freedom");
  for (Eigen::Index i = 0; !list && i < nv; ++i) dofs.push_back({"", "v" + std::to_string(i), 0, 1});
  each(list, "dofs", [&](const Entry& entry, const std::string& path) {
    const Dof dof = decode_dof(entry, path);
    if (std::ranges::find(dofs, dof) != dofs.end()) fail(entry, path, "each degree of freedom once");
    dofs.push_back(dof);
  });
  return dofs;
}

/// `nv` or `rows`, if they are there, must be what the rest of the file says.
void check_count(const Map& map, const char* key, Eigen::Index count, const std::string& as)
{
  const Entry* found = map.find(key);
  if (found && static_cast<Eigen::Index>(whole_number(*found, key, 0, kMostRows)) != count)
    fail(*found, key, std::to_string(count) + ", " + as);
}

void check_size(const Entry& place, const char* name, Eigen::Index rows, Eigen::Index cols)
{
  if (static_cast<double>(rows) * static_cast<double>(cols) > kMostEntries)
    throw InputError(place.where() + ": " + name, "want at most " + text(kMostEntries) +
                                                      " entries, zeros included, got " + std::to_string(rows) + " x " +
                                                      std::to_string(cols));
}

ContactProblem::SparseMatrix sparse_matrix_of(const Entry* entry, const std::string& path, Eigen::Index rows,
                                              Eigen::Index cols)
{
  ContactProblem::SparseMatrix matrix(rows, cols);
  if (!entry) return matrix;
  const Entries entries = triplets(*entry, path, rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// Large problems of equilibrium whose J comes as triplets never become dense, unless an engine is named that needs it.
bool stays_sparse(const Scenario& scenario, const Entry* M, const Entry* J, Eigen::Index rows, Eigen::Index nv)
{
  constexpr Eigen::Index kDenseEntries = Eigen::Index{1} << 15;  // below it the native engine is faster
  const std::string& solver = scenario.options.solver;
  const bool possible = scenario.question == Question::kEquilibrium && scenario.options.tolerance == 0.0 &&
                        nv >= ContactProblem::kFewestSparse && J && J->kind == Entry::Kind::kMap &&
                        (!M || M->kind == Entry::Kind::kMap);
  const auto halves = [](const Contact& c) {
    return c.side == Side::kBilateral &&
           (c.mu > 0.0 || (c.torsional && c.torsion > 0.0) || std::isfinite(c.max_normal));
  };
  if (!possible || std::ranges::any_of(scenario.bare->problem.contacts, halves)) return false;
  return solver == "sparse" || (solver == "auto" && rows * nv > kDenseEntries);
}

void decode_matrices(const Map& map, const Entry& root, const Scenario& scenario, Eigen::Index rows, BareProblem& bare)
{
  ContactProblem& problem = bare.problem;
  const Eigen::Index nv = problem.nv();
  const Question question = scenario.question;
  const Entry *M = map.find("M"), *J = map.find("J");
  const bool sparse = stays_sparse(scenario, M, J, rows, nv);
  if (!sparse) check_size(root, "J", rows, nv);
  if (!sparse) check_size(root, "M", nv, nv);
  const bool needs_mass = kind_of(question).needs_mass;
  if (!M && (needs_mass || !bare.a.isZero(0.0)))
    throw InputError(root.where() + ": M", std::string("want the mass matrix for the question ") +
                                               stiction::name_of(question) +
                                               (needs_mass ? "" : " with an acceleration a") + ", got none");
  if (!J && rows * nv > 0) map.need("J");
  problem.gamma = vector_or_zero(map.find("gamma"), "gamma", rows);
  if (sparse) {
    problem.sparse_M = sparse_matrix_of(M, "M", nv, nv);
    problem.sparse_J = sparse_matrix_of(J, "J", rows, nv);
    return;
  }
  problem.M = M ? matrix_of(*M, "M", nv, nv) : Eigen::MatrixXd::Zero(nv, nv);
  problem.J = J ? matrix_of(*J, "J", rows, nv) : Eigen::MatrixXd::Zero(rows, nv);
}

/// Other keys are allowed, but one that is nearly a key that we know is probably meant to be that one.
std::vector<std::string> misspelt_keys(const Entry& root)
{
  constexpr std::size_t kLetters = 2;  // M, F, J, nv …: every short key is near to one of them
  std::vector<std::string> warnings;
  for (const std::string& key : root.keys) {
    const std::string near = std::ranges::find(kKeys, key) == kKeys.end() ? nearest_name(key, kKeys) : "";
    if (near.size() > kLetters) warnings.push_back(key + ": not read; did you mean " + quoted(near) + "?");
  }
  return warnings;
}

}  // namespace

bool is_problem(const Entry& root) { return root.kind == Entry::Kind::kMap && root.find("stiction_problem"); }

bool looks_like_json_problem(const std::string& text)
{
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{' && text.find("\"stiction_problem\"") != text.npos;
}

void write_out_problem(Entry& root)
{
  const auto find = [&](const char* key) { return const_cast<Entry*>(root.find(key)); };
  Entry* contacts = find("contacts");
  if (contacts && contacts->kind == Entry::Kind::kMap) *contacts = list_of_table(*contacts);
  name_entries(contacts, "c");
  name_entries(find("closures"), "loop");
}

Scenario decode_problem(const Entry& root)
{
  const Map map(root, "", kKeys, Map::Others::kAllowed);
  const Entry& version = map.need("stiction_problem");
  if (number(version, "stiction_problem") != 1.0) fail(version, "stiction_problem", "version 1");
  Scenario scenario;
  if (const Entry* name = map.find("name")) scenario.name = text_of(*name, "name");
  scenario.question = decode_question(map);
  if (const Entry* options = map.find("options")) scenario.options = decode_options(*options);

  BareProblem& bare = scenario.bare.emplace();
  ContactProblem& problem = bare.problem;
  problem.F = vector_of(map.need("F"), "F");
  check_count(map, "nv", problem.nv(), "as many as F has");
  problem.dofs = decode_dofs(map.find("dofs"), problem.nv());
  problem.dof_names = dof_labels(problem.dofs);
  bare.v = vector_or_zero(map.find("v"), "v", problem.nv());
  bare.a = vector_or_zero(map.find("a"), "a", problem.nv());
  int next = 0;
  Eigen::Index rows = 0;
  each(map.find("contacts"), "contacts", [&](const Entry& entry, const std::string& path) {
    problem.contacts.push_back(decode_bare_contact(entry, path, next, scenario.contact_motions.emplace_back()));
    rows += problem.contacts.back().rows();
  });
  each(map.find("closures"), "closures", [&](const Entry& entry, const std::string& path) {
    problem.loops.push_back(decode_bare_closure(entry, path, next));
    rows += problem.loops.back().rows;
  });
  each(map.find("actuators"), "actuators", [&](const Entry& entry, const std::string& path) {
    problem.actuators.push_back(decode_actuator(entry, path, problem.dof_names));
  });
  check_count(map, "rows", rows, "as many as contacts and closures have together");
  decode_matrices(map, root, scenario, rows, bare);
  try {
    problem.validate(ContactProblem::Storage::kAny);
    if (const std::string found = axes_disagreement(problem); !found.empty())
      throw InputError("contacts", "want axes_world that fit the floating base, got other ones: " + found);
  } catch (const InputError& error) {
    throw located(root, error);
  }
  bare.warnings = misspelt_keys(root);
  return scenario;
}

void require_matrices_suffice(const Scenario& scenario)
{
  const std::string question = stiction::name_of(scenario.question);
  if (const char* const missing = kind_of(scenario.question).needs_robots)
    throw InputError("question",
                     "want a question that matrices answer: " + question + " needs " + missing + ", got " + question);
  require_options_of_matrices(scenario.options);
}

}  // namespace stiction::internal
