// Restitution and energy before any impact is solved: conditions on G and ε, and the all-sticking closed form.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ask/propositions_algebra.hpp"
#include "base/text.hpp"
#include "proof/impact_law.hpp"
#include "stiction/error.hpp"
#include "stiction/impact.hpp"

namespace stiction {

using namespace internal;

namespace {

double delta(double e) { return (1.0 - e) / (1.0 + e); }

/// G of the elements with impulses, bilateral rows eliminated, and its normalised form.
struct Elements {
  std::vector<Reservoir> blocks;
  Eigen::MatrixXd G, normalised;
  std::vector<int> rows;
  std::vector<std::size_t> owner;  ///< block of each row of `normalised`
  bool definite = false;

  Elements(const ContactProblem& problem, const std::vector<ImpactLaw>& laws)
  {
    const Impact impact{Eigen::VectorXd::Zero(problem.nv()), laws};
    validate(problem, impact);
    blocks = reservoirs(problem, impact);
    const std::vector<int> held = row_roles(problem).normal_bilateral;
    for (const Reservoir& block : blocks) rows.insert(rows.end(), block.rows.begin(), block.rows.end());
    const UnitMass unit(problem);
    definite = unit.definite;
    if (!definite || rows.empty()) return;
    Eigen::MatrixXd Y = unit.whitened(rows_of(unit.J, rows).transpose());
    if (!held.empty()) {
      const Eigen::VectorXd size = Y.colwise().norm().transpose();
      const Eigen::MatrixXd Z = null_space(unit.whitened(rows_of(unit.J, held).transpose()).transpose());
      Y = (Z.transpose() * Y).eval();
      for (Eigen::Index j = 0; j < Y.cols(); ++j)
        if (Y.col(j).norm() <= kRankTolerance * size[j]) Y.col(j).setZero();
    }
    G = Y.transpose() * Y;
    // T = V D^-1/2 per block: only the part of an element that moves something counts.
    Eigen::MatrixXd units(Y.rows(), Y.cols());
    Eigen::Index used = 0, first = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto size = static_cast<Eigen::Index>(blocks[b].rows.size());
      const SymmetricEigen eigen = symmetric_eigen(G.block(first, first, size, size));
      for (Eigen::Index k = 0; k < size; ++k) {
        const double value = eigen.values[k];
        if (value <= kRankTolerance * kRankTolerance * eigen.values[size - 1] || value <= 0.0) continue;
        units.col(used++) = Y.middleCols(first, size) * eigen.vectors.col(k) / std::sqrt(value);
        owner.push_back(b);
      }
      first += size;
    }
    normalised = units.leftCols(used).transpose() * units.leftCols(used);
  }

  /// δĜ + Ĝδ of (78).
  Eigen::MatrixXd loss() const
  {
    Eigen::VectorXd d(normalised.rows());
    for (Eigen::Index i = 0; i < d.size(); ++i) d[i] = delta(blocks[owner[static_cast<std::size_t>(i)]].restitution);
    return d.asDiagonal() * normalised + normalised * d.asDiagonal();
  }
  void range(double& lower, double& upper) const
  {
    lower = upper = blocks.front().restitution;
    for (const Reservoir& block : blocks) {
      lower = std::min(lower, block.restitution);
      upper = std::max(upper, block.restitution);
    }
  }
};

double ratio(const Eigen::VectorXd& ascending)
{
  const double largest = ascending[ascending.size() - 1];
  return largest > 0.0 ? std::max(ascending[0], 0.0) / largest : 0.0;
}

/// (e_max - e_min)/(1 - e_max e_min), which is 0/0 when all are 1.
double spread(double lower, double upper) { return lower == upper ? 0.0 : (upper - lower) / (1.0 - upper * lower); }

constexpr double kRestitutionGap = 1e-12;  // at which the bisection stops
constexpr double kSymmetric = 1e-9;        // share by which entries that people typed may differ

/// The largest value of [0, 1] that is good, for a property that is lost once and for all.
template <class Good>
double last_good(Good&& good)
{
  if (good(1.0)) return 1.0;
  double lower = 0.0, upper = 1.0;
  while (upper - lower > kRestitutionGap) {
    const double middle = 0.5 * (lower + upper);
    (good(middle) ? lower : upper) = middle;
  }
  return lower;
}

}  // namespace

EnergyConditions energy_conditions(const ContactProblem& problem, const std::vector<ImpactLaw>& laws)
{
  const Elements elements(problem, laws);
  EnergyConditions c;
  c.applies = elements.definite;
  if (!c.applies) return c;
  c.rows = elements.rows;
  c.G = elements.G;
  if (elements.normalised.size() == 0) {  // nothing can be hit
    c.equal = c.similar = c.small = c.sharpened = c.safe = true;
    return c;
  }
  const Eigen::VectorXd raw = symmetric_eigenvalues(c.G), unit = symmetric_eigenvalues(elements.normalised);
  c.smallest = raw[0];
  c.largest = raw[raw.size() - 1];
  c.ratio = ratio(raw);
  c.normalised_ratio = ratio(unit);
  c.rank = static_cast<int>((unit.array() > kRankTolerance * unit[unit.size() - 1]).count());
  elements.range(c.e_min, c.e_max);
  c.equal = c.e_min == c.e_max;
  c.all_zero = c.equal && c.e_min == 0.0;
  c.all_one = c.equal && c.e_min == 1.0;
  const double delta_max = delta(c.e_min), delta_min = delta(c.e_max);
  c.similar_left = (delta_max - delta_min) * c.largest;
  c.similar_right = (delta_max + delta_min) * std::max(c.smallest, 0.0);
  c.similar = c.similar_left <= c.similar_right;
  for (const Reservoir& block : elements.blocks)
    c.small_left = std::max(c.small_left, std::abs(2.0 * block.restitution / (1.0 + block.restitution)));
  c.small = c.small_left <= c.ratio;
  c.spread = spread(c.e_min, c.e_max);
  const double r = c.normalised_ratio;
  c.sharpened = c.spread <= 2.0 * std::sqrt(r) / (1.0 + r);
  const Eigen::MatrixXd loss = elements.loss();
  c.exact = symmetric_eigenvalues(loss)[0] / unit[unit.size() - 1];
  c.safe = proves_safe(problem, laws);
  return c;
}

SafeRestitution safe_restitution(const ContactProblem& problem, const std::vector<ImpactLaw>& laws)
{
  Elements elements(problem, laws);
  SafeRestitution safe;
  if (!elements.definite) return safe;
  const auto set = [&](double e) {
    for (Reservoir& block : elements.blocks)
      if (block.closing) block.restitution = e;
  };
  const auto exact = [&](double e) {
    std::vector<ImpactLaw> changed = laws.empty() ? std::vector<ImpactLaw>(problem.contacts.size()) : laws;
    for (std::size_t i = 0; i < changed.size(); ++i)
      if (problem.contacts[i].side == Side::kUnilateral && !changed[i].one_way) changed[i].normal = e;
    return proves_safe(problem, changed);
  };
  safe.applies = exact(0.0);
  if (!safe.applies) return safe;
  safe.exact = last_good(exact);  // δĜ + Ĝδ >= 0 is convex in the common δ, and holds at δ = 1
  if (elements.normalised.size() == 0) {
    safe.similar = safe.sharpened = 1.0;
    return safe;
  }
  const auto bounded_by = [&](double bound) {
    return [&elements, &set, bound](double e) {
      double lower, upper;
      set(e);
      elements.range(lower, upper);
      return spread(lower, upper) <= bound;
    };
  };
  const double raw = ratio(symmetric_eigenvalues(elements.G)), unit = ratio(symmetric_eigenvalues(elements.normalised));
  safe.similar = last_good(bounded_by(raw));
  safe.sharpened = last_good(bounded_by(2.0 * std::sqrt(unit) / (1.0 + unit)));
  return safe;
}

StickingTouchdown sticking_touchdown(const ContactProblem& problem, const Impact& impact)
{
  validate(problem, impact);
  StickingTouchdown result;
  const UnitMass unit(problem);
  const Eigen::VectorXd wanted = -(1.0 + restitutions(problem, impact).array()) * (problem.J * impact.velocity).array();
  // d = d0 + Z w: the rows fix d0, momentum the rest; then the impulse of least norm.
  const Eigen::VectorXd d0 = least_norm(unit.J, wanted);
  const Eigen::MatrixXd Z = null_space(unit.J);
  const Eigen::VectorXd d = d0 + Z * least_norm(Z.transpose() * unit.M * Z, -Z.transpose() * (unit.M * d0));
  result.impulse = least_norm(unit.J.transpose(), unit.M * d);
  result.velocity = impact.velocity + unit.S.cwiseProduct(d);
  const ImpactScales scales(problem, impact.velocity, result.velocity);
  const Eigen::VectorXd miss = (unit.J * d - wanted).cwiseAbs();
  result.consistent = (miss.array() <= kClear * scales.speed.array()).all();
  ImpactSolution solution;
  solution.velocity = result.velocity;
  solution.impulse = result.impulse;
  account(problem, impact, solution);
  result.energy_change = solution.energy_change;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactElement element(problem, impact, i);
    const Eigen::Vector4d& impulse = solution.contacts[i].impulse;
    const double tangential = std::hypot(impulse[1], impulse[2] / element.stretch(1));
    const double pressing = element.bilateral() ? std::abs(impulse[0]) : impulse[0];
    const bool pulls = pressing < 0.0 || (pressing == 0.0 && tangential > 0.0);
    result.friction.push_back(pulls ? kInfinity : (tangential > 0.0 ? tangential / pressing : 0.0));
  }
  return result;
}

namespace {

/// The same problem without one contact.
ContactProblem without(const ContactProblem& problem, std::size_t contact)
{
  ContactProblem rest = problem;
  const int first = problem.contacts[contact].row, count = problem.contacts[contact].rows();
  std::vector<int> rows;
  for (int r = 0; r < problem.rows(); ++r)
    if (r < first || r >= first + count) rows.push_back(r);
  rest.J = problem.J(rows, Eigen::all);
  rest.gamma = problem.gamma(rows);
  rest.contacts.erase(rest.contacts.begin() + static_cast<std::ptrdiff_t>(contact));
  for (Contact& other : rest.contacts)
    if (other.row > first) other.row -= count;
  for (LoopConstraint& loop : rest.loops)
    if (loop.row > first) loop.row -= count;
  return rest;
}

}  // namespace

std::optional<double> sticking_friction(const ContactProblem& problem, const Impact& impact)
{
  ContactProblem staying = problem;
  Impact of_staying = impact;
  std::vector<std::size_t> names(problem.contacts.size()), left;  // indices into the whole problem
  std::iota(names.begin(), names.end(), std::size_t{0});
  for (;;) {
    const StickingTouchdown touchdown = sticking_touchdown(staying, of_staying);
    if (!touchdown.consistent) return {};
    std::size_t worst = staying.contacts.size();  // pulls most
    double pull = kInfinity, friction = 0.0;
    for (std::size_t i = 0; i < staying.contacts.size(); ++i) {
      friction = std::max(friction, touchdown.friction[i]);
      const double normal = touchdown.impulse[staying.contacts[i].row];
      if (std::isfinite(touchdown.friction[i]) || normal >= pull) continue;
      pull = normal;
      worst = i;
    }
    if (worst == staying.contacts.size()) {
      const Eigen::VectorXd e = restitutions(problem, impact);
      const ImpactScales scales(problem, impact.velocity, touchdown.velocity);
      for (const std::size_t i : left) {
        const int row = problem.contacts[i].row;
        const double opening = problem.J.row(row).dot(touchdown.velocity + e[row] * impact.velocity);
        if (opening < -kClear * scales.speed[row]) return {};
      }
      return friction;
    }
    if (staying.contacts[worst].side != Side::kUnilateral) return {};
    left.push_back(names[worst]);
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(worst));
    if (worst < of_staying.laws.size())
      of_staying.laws.erase(of_staying.laws.begin() + static_cast<std::ptrdiff_t>(worst));
    staying = without(staying, worst);
  }
}

ImpactEquivalent impact_equivalent(const Eigen::Matrix2d& G)
{
  if (!(G(0, 1) < 0.0) || !(G(0, 0) > 0.0) || !(internal::determinant(G) > 0.0) ||
      std::abs(G(0, 1) - G(1, 0)) > kSymmetric * std::abs(G(0, 1)))
    throw InputError("G", "want symmetric positive definite with G(0,1) < 0, got (" + text(G(0, 0)) + ", " +
                              text(G(0, 1)) + "; " + text(G(1, 0)) + ", " + text(G(1, 1)) + ")");
  ImpactEquivalent e;
  e.lever = -G(0, 0) / G(0, 1);
  e.mass1 = G(0, 0) / (G(0, 1) * G(0, 1));
  e.mass2 = 1.0 / (G(1, 1) - 1.0 / e.mass1);
  return e;
}

}  // namespace stiction
