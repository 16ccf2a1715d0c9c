// What can be said about an impact before it is solved: ranges of its coefficients, its velocities against Table 1, and
// whether any solution could gain energy.
#include "proof/impact_law.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction {

using namespace internal;

namespace {

void check_restitution(const std::string& path, double value, double lower, bool lower_included, double upper)
{
  const bool good = value <= upper && (lower_included ? value >= lower : value > lower);
  if (!good)  // NaN too
    throw InputError(path, "want " + std::string(lower_included ? "[" : "(") + text(lower) + ", " + text(upper) +
                               "], got " + text(value));
}

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

constexpr long double kSpanned = 1e-12L;     // share of a row that counts as rounding once others are taken out of it
constexpr double kNoticeableGain = 0x1p-24;  // of the energy that loads and motions could have together
constexpr long double kIndependent = 1e-7L;  // between the two nobody can tell

/// L⁻¹S J' with S M S = L L' of unit diagonal; empty unless M > 0.
LongMatrix whitened_rows(const ContactProblem& problem)
{
  const Eigen::Index n = problem.nv();
  LongMatrix L = LongMatrix::Zero(n, n), Y = problem.J.transpose().cast<long double>();
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!(problem.M(i, i) > 0.0)) return {};
    const long double size = std::sqrt(static_cast<long double>(problem.M(i, i)));
    for (Eigen::Index j = 0; j <= i; ++j) {
      long double entry = (static_cast<long double>(problem.M(i, j)) + problem.M(j, i)) / 2.0L / size /
                          std::sqrt(static_cast<long double>(problem.M(j, j)));
      for (Eigen::Index k = 0; k < j; ++k) entry -= L(i, k) * L(j, k);
      if (i == j && !(entry > kSpanned)) return {};
      L(i, j) = i == j ? std::sqrt(entry) : entry / L(j, j);
    }
    Y.row(i) /= size;
    for (Eigen::Index k = 0; k < i; ++k) Y.row(i) -= L(i, k) * Y.row(k);
    Y.row(i) /= L(i, i);
  }
  return Y;
}

/// W = Λ'ξ/(1+ε) - ½ δ Λ'GΛ <= 0; rows that are held before and after may take the common ε as well.
bool all_equal(const std::vector<Reservoir>& all)
{
  return std::ranges::all_of(all, [&](const Reservoir& r) { return r.restitution == all.front().restitution; });
}

/// What is left of a column outside the span of the orthonormal ones.
LongVector outside(const std::vector<LongVector>& span, LongVector column)
{
  for (int pass = 0; pass < 2; ++pass)
    for (const LongVector& q : span) column -= q.dot(column) * q;
  return column;
}

}  // namespace

namespace internal {

std::vector<Reservoir> reservoirs(const ContactProblem& problem, const Impact& impact)
{
  std::vector<Reservoir> list;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactElement element(problem, impact, i);
    const Contact& c = element.contact;
    if (!element.bilateral()) list.push_back({{c.row}, element.law.normal, !element.law.one_way});
    if (element.rubs()) {
      list.push_back({{}, element.law.tangential});
      for (int k = 1; k <= c.tangents; ++k) list.back().rows.push_back(c.row + k);
    }
    if (element.twists()) list.push_back({{element.torsion_row()}, element.law.spin});
  }
  return list;
}

double noticeable_gain(const MotionBounds& bounds) { return kNoticeableGain * bounds.load.dot(bounds.motion); }

BeforeImpact look_before(const ContactProblem& problem, const Impact& impact, std::vector<KinematicFlaw>* flaws)
{
  BeforeImpact before;
  const ImpactScales scales(problem, impact.velocity, impact.velocity);
  const auto speed = [&](int row) {  // rounding of J counts as rest, also where it is all that a velocity meets
    const auto value = static_cast<double>(product(problem.J.row(row), impact.velocity).value);
    return std::abs(value) <= kRounding * scales.speed[row] ? 0.0 : value;
  };
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactElement element(problem, impact, i);
    const Contact& c = element.contact;
    const double normal = speed(c.row);
    const auto flaw = [&] {
      if (flaws) flaws->push_back({static_cast<int>(i), -1, false, normal});
    };
    if (element.bilateral()) {
      if (normal != 0.0) flaw();
      before.held = before.held && normal == 0.0;
    } else if (element.law.one_way) {
      if (normal < 0.0) flaw();
      before.at_rest = before.at_rest && normal == 0.0;
    } else {
      if (normal > 0.0) flaw();
      before.closing = before.closing && normal <= 0.0;
    }
    for (int k = 0; element.rubs() && k < c.tangents; ++k)
      before.at_rest = before.at_rest && speed(c.row + 1 + k) == 0.0;
    if (element.twists()) before.at_rest = before.at_rest && speed(element.torsion_row()) == 0.0;
  }
  for (std::size_t i = 0; i < problem.loops.size(); ++i)
    for (int r = problem.loops[i].row; r < problem.loops[i].row + problem.loops[i].rows; ++r)
      if (speed(r) != 0.0) {
        if (flaws) flaws->push_back({-1, static_cast<int>(i), false, speed(r)});
        before.held = false;
      }
  return before;
}

}  // namespace internal

void validate(const ContactProblem& problem, const Impact& impact)
{
  problem.validate();
  if (impact.velocity.size() != problem.nv() || !impact.velocity.allFinite())
    throw InputError("velocity", "want " + std::to_string(problem.nv()) + " finite velocities, got " +
                                     std::to_string(impact.velocity.size()) +
                                     (impact.velocity.allFinite() ? "" : " with non-finite ones"));
  if (!impact.laws.empty() && impact.laws.size() != problem.contacts.size())
    throw InputError("laws", "want one per contact (" + std::to_string(problem.contacts.size()) + ") or none, got " +
                                 std::to_string(impact.laws.size()));
  for (std::size_t i = 0; i < impact.laws.size(); ++i) {
    const ImpactLaw& law = impact.laws[i];
    const Contact& c = problem.contacts[i];
    const std::string path = "laws[" + std::to_string(i) + "]";
    if (c.side == Side::kBilateral) {
      if (law.one_way)
        throw InputError(path + ".one_way", "want a unilateral contact, got bilateral " + quoted(c.name));
      check_restitution(path + ".normal", law.normal, -1.0, false, 1.0);
    } else if (law.one_way) {
      check_restitution(path + ".normal", law.normal, -1.0, false, 0.0);
    } else {
      check_restitution(path + ".normal", law.normal, 0.0, true, 1.0);
    }
    check_restitution(path + ".tangential", law.tangential, -1.0, false, 1.0);
    check_restitution(path + ".spin", law.spin, -1.0, false, 1.0);
    if (!law.mu_second) continue;
    if (c.tangents != 2)
      throw InputError(path + ".mu_second", "want a contact with two tangents, got " + std::to_string(c.tangents));
    const double mu = *law.mu_second;
    if (!std::isfinite(mu) || mu < 0.0 || (mu > 0.0) != (c.mu > 0.0))
      throw InputError(path + ".mu_second",
                       "want finite and positive exactly where mu is (" + text(c.mu) + "), got " + text(mu));
  }
}

bool proves_safe(const ContactProblem& problem, const std::vector<ImpactLaw>& laws)
{
  const std::vector<Reservoir> all = reservoirs(problem, {Eigen::VectorXd::Zero(problem.nv()), laws});
  if (all_equal(all)) return true;
  const LongMatrix Y = whitened_rows(problem);
  if (Y.size() == 0) return false;
  std::vector<LongVector> span;
  for (const int row : row_roles(problem).normal_bilateral) {
    const long double size = Y.col(row).norm();
    if (size == 0.0L) continue;
    const LongVector rest = outside(span, Y.col(row) / size);
    if (rest.norm() <= kSpanned) continue;
    if (rest.norm() < kIndependent) return false;
    span.push_back(rest.normalized());
  }
  // Every element in units of its own, times 1/√δ: δG + Gδ then has the diagonal 2, or 0 where δ = 0.
  std::vector<LongVector> columns;
  std::vector<long double> delta;
  for (const Reservoir& reservoir : all) {
    const long double d = (1.0L - reservoir.restitution) / (1.0L + reservoir.restitution);
    const std::size_t first = columns.size();
    long double size = 0.0L;
    for (const int row : reservoir.rows) {
      LongVector rest = outside(span, Y.col(row));
      if (rest.norm() <= kSpanned * Y.col(row).norm()) rest.setZero();
      size = std::max(size, rest.norm());
      columns.push_back(std::move(rest));
      delta.push_back(d);
    }
    for (std::size_t k = first; k < columns.size(); ++k)
      if (size > 0.0L) columns[k] /= size * (d > 0.0L ? std::sqrt(d) : 1.0L);
  }
  const auto n = static_cast<Eigen::Index>(columns.size());
  Eigen::MatrixXd loss(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      loss(i, j) = static_cast<double>((delta[a] + delta[b]) * columns[a].dot(columns[b]));
    }
  return proves_semidefinite(loss);
}

bool proves_no_gain(const ContactProblem& problem, const Impact& impact, std::string* argument)
{
  const auto by = [&](const char* words) {
    if (argument) *argument = words;
    return true;
  };
  const BeforeImpact before = look_before(problem, impact, nullptr);
  if (!before.held) return false;
  if (before.closing && before.at_rest) return by("nothing slips before the impact (Glocker 2012, (98))");
  if (all_equal(reservoirs(problem, impact)))
    return by("all coefficients of restitution are the same (Glocker 2012, (93))");
  if (proves_safe(problem, impact.laws))
    return by(
        "these coefficients of restitution cannot create energy here, whatever the velocity (Glocker 2012, (78))");
  return false;
}

}  // namespace stiction
