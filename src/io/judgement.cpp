#include "io/judgement.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/linear_algebra.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"
#include "stiction/region_input.hpp"

namespace stiction::internal {
namespace {

std::string words(const Json& value)
{
  if (value.is_string()) return quoted(value.get<std::string>());
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  if (value.is_object()) return "an object";
  return value.dump();
}

}  // namespace

Judgement Judgement::refusal(const std::string& why)
{
  Judgement judgement;
  judgement.refused = why;
  return judgement;
}

Json unproved() { return Json(Json::value_t::discarded); }

void leave_open(const Json& shown, Json& proved)
{
  if (!shown.is_object()) return;
  for (const auto& [key, value] : shown.items())
    if (!proved.contains(key)) proved[key] = unproved();
}

void leave_intervals(const Field& shown, const char* interval, Json& proved, const char* value)
{
  double largest = 0.0;
  for (const Json& entry : proved) largest = std::max(largest, std::abs(entry[value].get<double>()));
  for (std::size_t i = 0; i < proved.size(); ++i) {
    Json& entry = proved[i];
    entry[interval] = unproved();
    if (i >= shown.size() || shown[i][interval].is_null()) continue;
    const Eigen::VectorXd ends = shown[i][interval].vector(2);
    const double number = entry[value].get<double>(), slack = kSolve * largest;
    if (!(ends[0] <= number + slack && ends[1] >= number - slack)) entry[interval] = Json{number, number};
  }
}

std::string axes_disagreement(const ContactProblem& problem)
{
  constexpr double kTurned = 1e-9;  // rad
  const auto block_of = [&](int row, Eigen::Index col) -> Eigen::Matrix3d {
    if (!problem.is_sparse()) return problem.J.block<3, 3>(row, col);
    Eigen::Matrix3d block;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) block(i, k) = problem.sparse_J.coeff(row + i, col + k);
    return block;
  };
  for (Eigen::Index j = 0; j + 6 <= problem.nv(); ++j) {
    const Dof& first = problem.dofs[static_cast<std::size_t>(j)];
    if (!first.of_base() || floating_base(problem, first.model) != j) continue;
    std::optional<Eigen::Matrix3d> base_W;
    for (const Contact& contact : problem.contacts) {
      if (contact.tangents != 2) continue;
      Eigen::Matrix3d turned = contact.axes_W * block_of(contact.row, j);
      if (turned.cwiseAbs().maxCoeff() <= kTurned) continue;  // between two links of one robot
      if (determinant(turned) < 0.0) turned = -turned;        // the base is on the other side
      if (!base_W) base_W = turned;
      const Eigen::Matrix3d skew = turned * turned.transpose() - Eigen::Matrix3d::Identity();
      if (std::max((turned - *base_W).cwiseAbs().maxCoeff(), skew.cwiseAbs().maxCoeff()) > kTurned)
        return "the axes of " + contact.name + " are not those of its rows of J";
    }
  }
  return "";
}

ReportPath ReportPath::below(const std::string& key) const
{
  ReportPath path(key);
  if (text.empty()) return path;
  path.text = text + "." + key;
  path.every = every + "." + key;
  return path;
}

ReportPath ReportPath::at(std::size_t i) const
{
  ReportPath path(*this);
  path.text += "[" + std::to_string(i) + "]";
  path.every += "[]";
  return path;
}

void Comparison::add_unproved(const Json& shown, const ReportPath& path)
{
  if (shown.is_object() && !shown.empty()) {
    for (const auto& [key, value] : shown.items()) add_unproved(value, path.below(key));
    return;
  }
  if (std::ranges::find(unproved_, path.every) == unproved_.end()) unproved_.push_back(path.every);
}

void Comparison::add_agreed(const ReportPath& path)
{
  std::string name = path.every;
  if (name.starts_with("certificate")) return;
  if (name.ends_with("[]")) name.resize(name.size() - 2);
  if (std::ranges::find(agreed_, name) == agreed_.end()) agreed_.push_back(std::move(name));
}

std::string Comparison::sentence(const Json& shown, const Json& wanted, const std::string& path) const
{
  return path + ": " + shown_ + " " + words(shown) + ", but " + wanted_ + " " + words(wanted);
}

std::string Comparison::difference(const Json& shown, const Json& wanted, const ReportPath& path, Closeness closeness)
{
  if (wanted.is_discarded()) {
    add_unproved(shown, path);
    return "";
  }
  if (!wanted.is_structured() || wanted.empty()) add_agreed(path);  // if not, nothing that is listed matters
  if (shown.is_number() && wanted.is_number()) {
    const double a = shown.get<double>(), b = wanted.get<double>();
    const bool close = a == b || std::abs(a - b) <= closeness.relative * std::abs(b) + closeness.absolute;
    return close ? "" : sentence(shown, wanted, path.text);
  }
  if (shown.is_null() != wanted.is_null()) return sentence(shown, wanted, path.text);
  if (shown.type() != wanted.type() && (shown.is_structured() || wanted.is_structured()))
    throw InputError("report." + path.text, "want " + words(wanted) + ", got " + words(shown));
  if (shown.is_array()) {
    if (shown.size() != wanted.size()) return sentence(shown, wanted, path.text);
    double largest = 0.0;
    for (const Json& entry : wanted)
      if (entry.is_number()) largest = std::max(largest, std::abs(entry.get<double>()));
    const Closeness inside{closeness.relative, std::max(closeness.absolute, closeness.of_list * largest),
                           closeness.of_list};
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (std::string found = difference(shown[i], wanted[i], path.at(i), inside); !found.empty()) return found;
    return "";
  }
  if (!shown.is_object()) return shown == wanted ? "" : sentence(shown, wanted, path.text);
  for (const auto& [key, value] : shown.items())
    if (!wanted.contains(key)) throw InputError("report." + path.below(key).text, "want no such entry, got one");
  for (const auto& [key, value] : wanted.items()) {
    const auto entry = shown.find(key);
    if (entry == shown.end())
      throw InputError("report." + path.below(key).text, "want an entry, got none: not a report");
    if (std::string found = difference(*entry, value, path.below(key), closeness); !found.empty()) return found;
  }
  return "";
}

}  // namespace stiction::internal
