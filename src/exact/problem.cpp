#include "exact/problem.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace stiction::exact {

void Problem::every_row(const std::function<void(std::size_t, bool)>& visit) const
{
  for (const Contact& c : contacts)
    for (std::size_t r = c.row; r < c.end(); ++r) visit(r, r == c.row && may_open(c));
  every_loop_row([&](std::size_t r) { visit(r, false); });
}

void Problem::every_loop_row(const std::function<void(std::size_t)>& visit) const
{
  for (const Loop& c : loops)
    for (std::size_t r = c.row; r < c.row + c.rows; ++r) visit(r);
}

Q number(const Json& value) { return Q(value.get<double>()); }
Limit limit(const Json& value) { return value.is_string() ? Limit() : Limit(number(value)); }
Vector vector(const Json& value)
{
  Vector v;
  for (const Json& entry : value) v.push_back(number(entry));
  return v;
}
Matrix matrix(const Json& value)
{
  Matrix rows;
  for (const Json& row : value) rows.push_back(vector(row));
  return rows;
}

Problem read_problem(const Json& certificate)
{
  const Json& from = certificate.at("problem");
  if (from.at("J").is_object())
    throw std::invalid_argument("it has a sparse problem, which is too large for rational arithmetic");
  Problem p;
  p.M = matrix(from.at("M"));
  p.F = vector(from.at("F"));
  p.J = matrix(from.at("J"));
  p.gamma = vector(from.at("gamma"));
  p.n = p.F.size();
  p.m = p.gamma.size();
  for (const Json& c : from.at("contacts"))
    p.contacts.push_back({c.at("name").get<std::string>(), c.at("row").get<std::size_t>(),
                          c.at("tangents").get<std::size_t>(), c.at("torsional").get<bool>(),
                          c.at("side").get<std::string>() == "bilateral", number(c.at("mu")), number(c.at("torsion")),
                          limit(c.at("max_normal"))});
  for (const Json& c : from.at("closures"))
    p.loops.push_back({c.at("row").get<std::size_t>(), c.at("rows").get<std::size_t>()});
  if (from.contains("joints"))
    for (const Json& joint : from.at("joints")) p.joints.push_back({joint.at("model"), joint.at("joint")});
  if (from.contains("actuators"))
    for (const Json& motor : from.at("actuators"))
      p.motors.push_back({motor.at("dof").get<std::size_t>(), limit(motor.at("lower")), limit(motor.at("upper"))});
  if (!certificate.contains("rules")) return p;
  const Json& rules = certificate.at("rules");
  p.detachment = !rules.contains("detachment") || rules.at("detachment").get<std::string>() == "allowed";
  const Json& cone = rules.at("cone");
  if (cone.is_object())
    p.cone = {cone.contains("inner") ? Cone::kInner : Cone::kOuter, cone.begin().value().get<int>()};
  return p;
}

std::vector<int> read_signs(const Problem& p, const Json& from)
{
  std::vector<int> signs = from.at("signs").get<std::vector<int>>();
  if (signs.size() != p.contacts.size() || std::ranges::any_of(signs, [](int sign) { return std::abs(sign) > 1; }))
    throw std::invalid_argument("want a sign -1, 0 or 1 per contact");
  return signs;
}

Leaf read_leaf(const Problem& p, const Json& from, std::size_t size)
{
  Leaf leaf{read_signs(p, from), vector(from.at("motion")), Vector(p.contacts.size(), 0)};
  std::size_t next = size;
  for (std::size_t i = 0; i < p.contacts.size() && size == p.n; ++i)
    if (p.contacts[i].most) leaf.prices[i] = leaf.y.at(next++);
  leaf.y.resize(size);
  return leaf;
}

bool covers_every_sign(const std::vector<std::vector<int>>& patterns, std::size_t contacts)
{
  if (patterns.empty()) return false;
  std::vector<std::size_t> votes(contacts, 0);  // patterns that tell the contact's signs apart
  for (const std::vector<int>& signs : patterns) {
    for (std::size_t i = 0; i < contacts; ++i) votes[i] += signs[i] != 0;
    if (std::ranges::all_of(signs, [](int sign) { return sign == 0; })) return true;
  }
  const auto split = static_cast<std::size_t>(std::ranges::max_element(votes) - votes.begin());
  return std::ranges::all_of(std::vector<int>{1, -1}, [&](int sign) {
    std::vector<std::vector<int>> below;
    for (std::vector<int> signs : patterns) {
      if (signs[split] == -sign) continue;
      signs[split] = 0;
      below.push_back(std::move(signs));
    }
    return covers_every_sign(below, contacts);
  });
}

}  // namespace stiction::exact
