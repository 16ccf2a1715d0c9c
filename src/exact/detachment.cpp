// Contacts that stick, or leave and are then free (docs/proofs/detachment.md): the problem of what stays, set by set.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "exact/equilibrium.hpp"

namespace stiction::exact {
namespace {

using Indices = std::vector<std::size_t>;

constexpr std::size_t kMostLeaving = 10;

Indices read_leaving(const Problem& p, const Json& from)
{
  const Indices leaving = from.at("leaving").get<Indices>();
  for (const std::size_t i : leaving)
    if (i >= p.contacts.size() || p.contacts[i].bilateral) throw std::invalid_argument("what leaves is not unilateral");
  return leaving;
}

bool leaves(const Indices& leaving, std::size_t contact)
{
  return std::ranges::find(leaving, contact) != leaving.end();
}

/// Without the contacts that leave, and with the rows of the others (`rows`) in the order of their contacts.
Problem staying(const Problem& whole, const Indices& leaving, Indices& rows)
{
  Problem p = whole;
  p.detachment = false;
  p.contacts.clear();
  rows.clear();
  for (std::size_t i = 0; i < whole.contacts.size(); ++i) {
    if (leaves(leaving, i)) continue;
    p.contacts.push_back(whole.contacts[i]);
    p.contacts.back().row = rows.size();
    for (std::size_t r = whole.contacts[i].row; r < whole.contacts[i].end(); ++r) rows.push_back(r);
  }
  for (Loop& loop : p.loops) {
    const std::size_t first = loop.row;
    loop.row = rows.size();
    for (std::size_t r = first; r < first + loop.rows; ++r) rows.push_back(r);
  }
  p.m = rows.size();
  p.J.clear();
  p.gamma.clear();
  for (const std::size_t r : rows) {
    p.J.push_back(whole.J[r]);
    p.gamma.push_back(whole.gamma[r]);
  }
  return p;
}

Refusal holds(const Problem& whole, const Json& certificate)
{
  const Indices leaving = read_leaving(whole, certificate);
  const Vector a = vector(certificate.at("a")), lambda = vector(certificate.at("lambda"));
  for (const std::size_t i : leaving) {
    const Contact& c = whole.contacts[i];
    for (std::size_t r = c.row; r < c.end(); ++r)
      if (lambda.at(r) != 0) return "a contact that leaves carries a force";
    Q opening = whole.gamma[c.row], size = abs(opening);
    for (std::size_t j = 0; j < whole.n; ++j) {
      opening += whole.J[c.row][j] * a.at(j);
      size += abs(whole.J[c.row][j] * a[j]);
    }
    if (opening < -power_of_two(-46) * size) return "a contact leaves into its surface";
  }
  Indices rows;
  const Problem p = staying(whole, leaving, rows);
  Json forces = {{"kind", "forces"}, {"a", certificate.at("a")}, {"lambda", Json::array()}};
  for (const std::size_t r : rows) forces["lambda"].push_back(certificate.at("lambda").at(r));
  return judge_sticking(p, forces);
}

Refusal refuted(const Problem& whole, const Json& mode)
{
  const Indices leaving = read_leaving(whole, mode);
  Indices rows;
  const Problem p = staying(whole, leaving, rows);
  const std::string kind = mode.at("kind").get<std::string>();
  if (kind == "forces") return "forces refute nothing";
  if (kind != "penetration") {
    if (kind == "motion" && p.cone.kind == Cone::kInner) return "inner facets do not prove that it fails";
    return judge_sticking(p, mode);
  }
  const auto contact = mode.at("penetrating").get<std::size_t>();
  if (!leaves(leaving, contact)) return "what penetrates does not leave";
  const std::size_t row = whole.contacts[contact].row;
  return judge_penetration(p, mode, whole.J[row], whole.gamma[row]);
}

}  // namespace

Refusal judge_free(const Problem& whole, const Json& certificate)
{
  if (certificate.at("kind").get<std::string>() == "forces") return holds(whole, certificate);
  const auto free = static_cast<std::size_t>(std::ranges::count(whole.contacts, false, &Contact::bilateral));
  if (free > kMostLeaving) return "too many contacts may leave";
  std::set<std::set<std::size_t>> covered;
  for (const Json& mode : certificate.at("modes")) {
    if (const Refusal refusal = refuted(whole, mode); !refusal.empty()) return refusal;
    const Indices leaving = read_leaving(whole, mode);
    covered.emplace(leaving.begin(), leaving.end());
  }
  return covered.size() == std::size_t{1} << free ? "" : "the modes do not cover every way to leave";
}

}  // namespace stiction::exact
