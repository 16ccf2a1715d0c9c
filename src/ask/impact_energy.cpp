// Restitution and energy before any impact is solved: conditions on G and ε, and the all-sticking closed form.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

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
  /// The same ε for every closing contact.
  void set_closing(double e)
  {
    for (Reservoir& block : blocks)
      if (block.closing) block.restitution = e;
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

/// Smallest over largest eigenvalue; 0 for what is singular to rounding.
double ratio(const Eigen::VectorXd& ascending)
{
  const double smallest = ascending[0], largest = ascending[ascending.size() - 1];
  return smallest > kRankTolerance * largest ? smallest / largest : 0.0;
}

/// (e_max - e_min)/(1 - e_max e_min), which is 0/0 when all are 1.
double spread(double lower, double upper) { return lower == upper ? 0.0 : (upper - lower) / (1.0 - upper * lower); }

constexpr double kRestitutionGap = 1e-12;  // at which the bisection stops
constexpr double kSymmetric = 1e-9;        // share by which entries that people typed may differ

/// The last good value on the way from one that is good to `end`, for a property that is lost once and for all.
template <class Good>
double last_good(double start, double end, Good&& good)
{
  if (good(end)) return end;
  while (std::abs(end - start) > kRestitutionGap) {
    const double middle = 0.5 * (start + end);
    (good(middle) ? start : end) = middle;
  }
  return start;
}

/// Where a concave function on [0, 1] is largest, by golden section.
template <class Function>
double largest_of_concave(Function&& f)
{
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  double lower = 0.0, upper = 1.0;
  double left = upper - golden * (upper - lower), right = lower + golden * (upper - lower);
  double at_left = f(left), at_right = f(right);
  while (upper - lower > kRestitutionGap) {
    if (at_left < at_right) {
      lower = std::exchange(left, right);
      at_left = at_right;
      at_right = f(right = lower + golden * (upper - lower));
    } else {
      upper = std::exchange(right, left);
      at_right = at_left;
      at_left = f(left = upper - golden * (upper - lower));
    }
  }
  return 0.5 * (lower + upper);
}

/// Common restitutions of the closing contacts to try: one of them is safe if any is.
std::vector<double> restitutions_to_try(Elements elements)
{
  std::vector<double> list = {0.0, 1.0};
  for (const Reservoir& block : elements.blocks)
    if (!block.closing && block.restitution > 0.0) list.push_back(block.restitution);
  if (elements.normalised.size() == 0) return list;
  const auto smallest_loss = [&](double d) {  // concave in the common δ, as the matrix is linear in it
    elements.set_closing((1.0 - d) / (1.0 + d));
    return symmetric_eigenvalues(elements.loss())[0];
  };
  const double d = largest_of_concave(smallest_loss);
  list.push_back((1.0 - d) / (1.0 + d));
  return list;
}

/// The largest common restitution with a spread of all within `bound`, if there is any.
std::optional<double> largest_within(Elements elements, double bound)
{
  const auto good = [&](double e) {
    double lower, upper;
    elements.set_closing(e);
    elements.range(lower, upper);
    return spread(lower, upper) <= bound;
  };
  double nearest = 0.0;  // to the other coefficients: the spread grows from there
  for (const Reservoir& block : elements.blocks)
    if (!block.closing) nearest = std::max(nearest, block.restitution);
  if (!good(nearest)) return std::nullopt;
  return last_good(nearest, 1.0, good);
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
  const Elements elements(problem, laws);
  SafeRestitution safe;
  if (!elements.definite) return safe;
  const auto exact = [&](double e) {
    std::vector<ImpactLaw> changed = laws.empty() ? std::vector<ImpactLaw>(problem.contacts.size()) : laws;
    for (std::size_t i = 0; i < changed.size(); ++i)
      if (problem.contacts[i].side == Side::kUnilateral && !changed[i].one_way) changed[i].normal = e;
    return proves_safe(problem, changed);
  };
  const std::vector<double> list = restitutions_to_try(elements);
  const auto found = std::ranges::find_if(list, exact);
  safe.applies = found != list.end();
  if (!safe.applies) return safe;
  safe.least = last_good(*found, 0.0, exact);
  safe.exact = last_good(*found, 1.0, exact);
  if (elements.normalised.size() == 0) {
    safe.similar = safe.sharpened = 1.0;
    return safe;
  }
  const double raw = ratio(symmetric_eigenvalues(elements.G)), unit = ratio(symmetric_eigenvalues(elements.normalised));
  safe.similar = largest_within(elements, raw);
  safe.sharpened = largest_within(elements, 2.0 * std::sqrt(unit) / (1.0 + unit));
  return safe;
}

double StickingTouchdown::largest_friction() const
{
  return friction.empty() ? 0.0 : *std::ranges::max_element(friction);
}

StickingTouchdown sticking_touchdown(const ContactProblem& problem, const Impact& impact,
                                     const std::vector<bool>& leaves)
{
  validate(problem, impact);
  StickingTouchdown result;
  UnitMass unit(problem);
  Eigen::VectorXd wanted = -(1.0 + restitutions(problem, impact).array()) * (problem.J * impact.velocity).array();
  const Eigen::VectorXd normals = wanted;
  const Eigen::MatrixXd J = unit.J;
  for (std::size_t i = 0; i < leaves.size(); ++i) {  // rows of zeros ask for nothing and carry nothing
    if (!leaves[i]) continue;
    unit.J.middleRows(problem.contacts[i].row, problem.contacts[i].rows()).setZero();
    wanted.segment(problem.contacts[i].row, problem.contacts[i].rows()).setZero();
  }
  // d = d0 + Z w: the rows fix d0, momentum the rest; then the impulse of least norm.
  const Eigen::VectorXd d0 = least_norm(unit.J, wanted);
  const Eigen::MatrixXd Z = null_space(unit.J);
  const Eigen::VectorXd d = d0 + Z * least_norm(Z.transpose() * unit.M * Z, -Z.transpose() * (unit.M * d0));
  result.impulse = least_norm(unit.J.transpose(), unit.M * d);
  result.velocity = impact.velocity + unit.S.cwiseProduct(d);
  const ImpactScales scales(problem, impact.velocity, result.velocity);
  const Eigen::VectorXd miss = (unit.J * d - wanted).cwiseAbs();
  result.consistent = (miss.array() <= kClear * scales.speed.array()).all();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const int row = problem.contacts[i].row;
    if (leaves[i] && J.row(row).dot(d) - normals[row] < -kClear * scales.speed[row]) result.consistent = false;
  }
  ImpactSolution solution;
  solution.velocity = result.velocity;
  solution.impulse = result.impulse;
  account(problem, impact, solution);
  result.energy_change = solution.energy_change;
  const double rounding = kRounding * result.impulse.lpNorm<Eigen::Infinity>();
  const auto clear = [&](double part) { return std::abs(part) > rounding ? part : 0.0; };
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactElement element(problem, impact, i);
    const Eigen::Vector4d& impulse = solution.contacts[i].impulse;
    const double tangential = clear(std::hypot(impulse[1], impulse[2] / element.stretch(1)));
    const double pressing = clear(element.bilateral() ? std::abs(impulse[0]) : impulse[0]);
    const bool pulls = pressing < 0.0 || (pressing == 0.0 && tangential > 0.0);
    result.friction.push_back(pulls ? kInfinity : (tangential > 0.0 ? tangential / pressing : 0.0));
  }
  return result;
}

namespace {

/// True when the touchdown obeys the laws with this friction at every contact.
bool sticks_with(double mu, ContactProblem problem, Impact impact, const StickingTouchdown& touchdown)
{
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const double stretch = ImpactElement(problem, impact, i).stretch(1);
    problem.contacts[i].mu = mu;
    if (!impact.laws.empty() && impact.laws[i].mu_second) impact.laws[i].mu_second = mu * stretch;
  }
  return proves_impact(problem, impact, touchdown.velocity, touchdown.impulse);
}

/// The friction that the touchdown needs while these contacts leave, if it is possible.
std::optional<StickingFriction> sticking_while(const ContactProblem& problem, const Impact& impact,
                                               const std::vector<bool>& leaves)
{
  const StickingTouchdown touchdown = sticking_touchdown(problem, impact, leaves);
  StickingFriction found{touchdown.largest_friction(), {}};
  if (!touchdown.consistent || !std::isfinite(found.mu)) return std::nullopt;
  if (found.mu < kClear) found.mu = 0.0;  // rounding
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i]) found.leaves.push_back(static_cast<int>(i));
  const double enough = found.mu > 0.0 ? found.mu * (1.0 + kClear) : kClear;
  if (!sticks_with(enough, problem, impact, touchdown)) return std::nullopt;
  return found;
}

/// Contacts that would have to pull, once those that would before them have left.
std::vector<bool> pulling_contacts(const ContactProblem& problem, const Impact& impact)
{
  std::vector<bool> leaves(problem.contacts.size(), false);
  for (bool more = true; more;) {
    const StickingTouchdown touchdown = sticking_touchdown(problem, impact, leaves);
    more = false;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i] || problem.contacts[i].side == Side::kBilateral || std::isfinite(touchdown.friction[i])) continue;
      leaves[i] = more = true;
    }
  }
  return leaves;
}

}  // namespace

std::optional<StickingFriction> sticking_friction(const ContactProblem& problem, const Impact& impact)
{
  constexpr std::size_t kMostToTry = 8;
  std::vector<std::size_t> may_leave;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (problem.contacts[i].side == Side::kUnilateral) may_leave.push_back(i);
  if (may_leave.size() > kMostToTry) return sticking_while(problem, impact, pulling_contacts(problem, impact));
  std::optional<StickingFriction> best;
  for (int leaving = 0; !best && leaving <= static_cast<int>(may_leave.size()); ++leaving)
    for (unsigned choice = 0; choice < 1u << may_leave.size(); ++choice) {
      if (std::popcount(choice) != leaving) continue;
      std::vector<bool> leaves(problem.contacts.size(), false);
      for (std::size_t k = 0; k < may_leave.size(); ++k) leaves[may_leave[k]] = choice >> k & 1u;
      const auto found = sticking_while(problem, impact, leaves);
      if (found && (!best || found->mu < best->mu)) best = found;
    }
  return best;
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
