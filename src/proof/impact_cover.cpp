// What a set of leaves proves about all solutions of the impact laws: each leaf by its program, and together a cover of
// all modes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "proof/impact_cover.hpp"
#include "proof/impact_law.hpp"
#include "proof/sums.hpp"
#include "stiction/proof/impact.hpp"

namespace stiction {

using namespace internal;
using Mode = ContactImpactMode;

namespace {

constexpr double kGainRounding = 1.0 + 0x1p-20;  // of the sums of an energy, which set one from above

/// A mode that contacts of this kind have: programs of others would not contain the solutions that they stand for.
bool possible(const ImpactElement& element, const Mode& mode)
{
  if (mode.normal == (element.bilateral() ? Mode::Normal::kOpen : Mode::Normal::kPulls)) return false;
  if (mode.tangential != Mode::Tangential::kSlip) return true;
  if (element.contact.tangents == 1) return mode.from == mode.to && (mode.from == 0.0 || mode.from == std::numbers::pi);
  constexpr double kTypedAngle = 1e-9;  // rad: what a quarter turn in decimals may be off
  return mode.from <= mode.to && mode.to - mode.from <= 0.5 * std::numbers::pi + kTypedAngle;
}

bool includes(const Mode& wide, const Mode& narrow)
{
  if (wide.normal != Mode::Normal::kAny && wide.normal != narrow.normal) return false;
  if (wide.spin != Mode::Spin::kAny && wide.spin != narrow.spin) return false;
  if (wide.tangential == Mode::Tangential::kAny) return true;
  if (wide.tangential != narrow.tangential) return false;
  return wide.tangential == Mode::Tangential::kStick || (wide.from <= narrow.from && narrow.to <= wide.to);
}

/// The leaves cover `modes`, among those in `list`.
bool covered(const ContactProblem& problem, const Impact& impact, const std::vector<ImpactLeaf>& leaves,
             std::vector<Mode>& modes, const std::vector<int>& list)
{
  if (list.empty()) return false;
  const ImpactLeaf& leaf = leaves[static_cast<std::size_t>(list.front())];
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (includes(leaf.modes[i], modes[i])) continue;
    const Mode whole = modes[i];
    const std::vector<Mode> parts = split_mode(ImpactElement(problem, impact, i), whole);
    if (parts.empty()) return false;
    for (const Mode& part : parts) {
      modes[i] = part;
      std::vector<int> inside;
      for (const int k : list) {
        const Mode& other = leaves[static_cast<std::size_t>(k)].modes[i];
        if (includes(other, part) || includes(part, other)) inside.push_back(k);
      }
      if (!covered(problem, impact, leaves, modes, inside)) {
        modes[i] = whole;
        return false;
      }
    }
    modes[i] = whole;
    return true;
  }
  return true;  // the first leaf alone does
}

constexpr long double kMoreCharge = 1.0L + 0x1p-20L;  // rounding of the sums of charges

/// One long sum of a column with what rounding and blur may do to it.
struct Column {
  long double value = 0.0L, doubt = 0.0L;
};

template <class Weights>
Column column_of(const ImpactProgram& p, const Weights& y, Eigen::Index k)
{
  const Eigen::Index rows = p.program.E.rows();
  const long double last_bit = 4.0L * std::numeric_limits<long double>::epsilon() * static_cast<long double>(rows + 1);
  Column column;
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (y[i] == 0.0) continue;
    const long double weight = y[i], term = weight * p.program.E(i, k);
    column.value += term;
    column.doubt += std::abs(weight) * p.blur(i, k) + last_bit * std::abs(term);
  }
  return column;
}

/// How far u+ - u- of any solution in the leaf is from `change`: with Y E = [I 0] + R and E x = e + r,
/// d = Y e + Y r - R x, and |r|, |x| are bounded. Any Y will do, good ones say more.
bool velocity_radius(const ImpactProgram& p, const Eigen::MatrixXd& Y, const Eigen::VectorXd& change,
                     Eigen::VectorXd& radius)
{
  const Eigen::MatrixXd& E = p.program.E;
  const Eigen::Index nv = change.size();
  if (Y.rows() != nv || Y.cols() != E.rows() || !all_finite(Y)) return false;
  const Eigen::VectorXd reach = reach_of(p);
  const long double last_bit =
      4.0L * std::numeric_limits<long double>::epsilon() * static_cast<long double>(E.rows() + 1);
  radius.setZero(nv);
  for (Eigen::Index i = 0; i < nv; ++i) {
    if (p.bound[i] == 0.0) continue;  // nothing reaches it
    long double distance = -static_cast<long double>(change[i]), charge = 0.0L;
    for (Eigen::Index k = 0; k < E.rows(); ++k) {
      const long double term = static_cast<long double>(Y(i, k)) * p.program.e[k];
      distance += term;
      charge += std::abs(static_cast<long double>(Y(i, k))) * p.tolerance[k] + last_bit * std::abs(term);
    }
    for (Eigen::Index k = 0; k < E.cols(); ++k) {
      if (reach[k] == 0.0) continue;
      const Column column = column_of(p, Y.row(i), k);
      charge += reach[k] * (std::abs(column.value - (i == k ? 1.0L : 0.0L)) + column.doubt);
    }
    radius[i] = static_cast<double>(kMoreCharge * (std::abs(distance) + charge));
    if (!std::isfinite(radius[i])) return false;
  }
  return true;
}

/// Largest energy change of velocities within `radius` of a solution.
double largest_gain(const ContactProblem& problem, const ImpactSolution& solution, const Eigen::VectorXd& radius)
{
  const Eigen::VectorXd momentum = (problem.M * solution.velocity).cwiseAbs();
  const Eigen::VectorXd blur = kRounding * (problem.M.cwiseAbs() * solution.velocity.cwiseAbs());
  return solution.energy_change +
         kGainRounding * ((momentum + blur).dot(radius) + 0.5 * radius.dot(problem.M.cwiseAbs() * radius));
}

}  // namespace

namespace internal {

bool excludes(const ImpactProgram& p, const Eigen::VectorXd& y)
{
  const ConeProgram& program = p.program;
  if (y.size() != program.E.rows() || !all_finite(y)) return false;
  const long double last_bit =
      4.0L * std::numeric_limits<long double>::epsilon() * static_cast<long double>(y.size() + 1);
  long double gap = 0.0L, charge = 0.0L;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const long double term = static_cast<long double>(y[i]) * program.e[i];
    gap += term;
    charge += std::abs(static_cast<long double>(y[i])) * p.tolerance[i] + last_bit * std::abs(term);
  }
  for (const int k : program.free) {
    if (p.bound[k] == 0.0) continue;
    const Column column = column_of(p, y, k);
    charge += p.bound[k] * (std::abs(column.value) + column.doubt);
  }
  for (const BoxVariable& box : program.boxes) {
    if (p.bound[box.col] == 0.0) continue;
    const Column column = column_of(p, y, box.col);
    charge += p.bound[box.col] * std::max(0.0L, column.value + column.doubt);
  }
  for (const ConeBlock& block : program.cones) {
    if (p.bound[block.col] == 0.0) continue;
    Sum h[4];
    for (int k = 0; k < block.cone.dim(); ++k) {
      const Column column = column_of(p, y, block.col + k);
      h[k] = {column.value, column.doubt};
    }
    long double doubt = h[0].scale;  // any direction of friction may be doubted
    for (int k = 1; k <= block.cone.tangents; ++k) doubt += block.cone.mu * h[k].scale;
    if (block.cone.torsional) doubt += block.cone.torsion * h[1 + block.cone.tangents].scale;
    charge += p.bound[block.col] * std::max(0.0L, support_sum(block.cone, h).value + doubt);
  }
  return std::isfinite(charge) && gap > kMoreCharge * charge;
}

std::vector<Mode> split_mode(const ImpactElement& element, const Mode& mode)
{
  std::vector<Mode> parts;
  const auto add = [&](auto change) {
    parts.push_back(mode);
    change(parts.back());
  };
  if (!element.branches() || mode.normal == Mode::Normal::kOpen) return parts;
  if (mode.normal == Mode::Normal::kAny) {
    add([](Mode& m) { m.normal = Mode::Normal::kPushes; });
    add([&](Mode& m) { m.normal = element.bilateral() ? Mode::Normal::kPulls : Mode::Normal::kOpen; });
  } else if (element.rubs() && mode.tangential == Mode::Tangential::kAny) {
    add([](Mode& m) { m.tangential = Mode::Tangential::kStick; });
    const int sectors = element.contact.tangents == 1 ? 2 : 4;
    const double step = 2.0 * std::numbers::pi / sectors, width = element.contact.tangents == 1 ? 0.0 : step;
    for (int k = 0; k < sectors; ++k)
      add([&](Mode& m) {
        m.tangential = Mode::Tangential::kSlip;
        m.from = k * step;
        m.to = m.from + width;
      });
  } else if (element.twists() && mode.spin == Mode::Spin::kAny) {
    for (const Mode::Spin spin : {Mode::Spin::kStick, Mode::Spin::kPositive, Mode::Spin::kNegative})
      add([&](Mode& m) { m.spin = spin; });
  } else if (mode.tangential == Mode::Tangential::kSlip && mode.from < mode.to) {
    const double middle = 0.5 * (mode.from + mode.to);
    if (!(mode.from < middle && middle < mode.to)) return parts;  // no doubles in between: nothing is left to halve
    add([&](Mode& m) { m.to = middle; });
    add([&](Mode& m) { m.from = middle; });
  }
  return parts;
}

}  // namespace internal

namespace {

/// What the leaves show, one after the other.
struct LeafFindings {
  bool resolved = true;  ///< every leaf is proved
  bool complete = true;  ///< and leaves no velocity but the listed ones
  bool one = true;       ///< which all are the first one
  bool lossy = true;     ///< no solution in a leaf gains energy
};

/// No solution in a leaf of kind kLoses gains energy.
bool proves_loss(const ContactProblem& problem, const Impact& impact, const ImpactLeaf& leaf, ImpactProgram& program)
{
  write_impact_program(problem, impact, leaf.modes, LeafQuestion::kGains, program);
  if (leaf.floors.empty()) return excludes(program, leaf.witness);
  if (leaf.floors.size() != program.losses.size()) return false;
  const auto exceeds = [&](const Eigen::VectorXd& quantity, double floor, const Eigen::VectorXd& witness) {
    return floor == 0.0 || (std::isfinite(floor) && floor > 0.0 && excludes(below(program, quantity, floor), witness));
  };
  for (std::size_t k = 0; k < leaf.floors.size(); ++k) {
    const SlipFloor& floor = leaf.floors[k];
    if (!exceeds(program.losses[k].pressing, floor.impulse, floor.impulse_witness) ||
        !exceeds(program.losses[k].speed, floor.speed, floor.speed_witness))
      return false;
  }
  write_impact_program(problem, impact, leaf.modes, LeafQuestion::kGains, program, leaf.floors);
  return excludes(program, leaf.witness);
}

bool look_at_leaf(const ContactProblem& problem, const Impact& impact, const std::vector<ImpactSolution>& solutions,
                  const ImpactLeaf& leaf, const MotionBounds& bounds, ImpactProgram& program, LeafFindings& found)
{
  if (leaf.kind == ImpactLeaf::Kind::kLoses) {
    found.complete = false;
    return proves_loss(problem, impact, leaf, program);
  }
  write_impact_program(problem, impact, leaf.modes, LeafQuestion::kLaws, program);
  if (leaf.kind == ImpactLeaf::Kind::kEmpty) return excludes(program, leaf.witness);
  if (leaf.kind != ImpactLeaf::Kind::kSolved || leaf.solution < 0 ||
      leaf.solution >= static_cast<int>(solutions.size()))
    return false;
  const ImpactSolution& solution = solutions[static_cast<std::size_t>(leaf.solution)];
  Eigen::VectorXd radius;
  if (!velocity_radius(program, leaf.left_inverse, solution.velocity - impact.velocity, radius) ||
      !same_velocity(bounds, solution.velocity, solution.velocity, 0.5, &radius))
    return false;
  found.one = found.one && same_velocity(bounds, solutions.front().velocity, solution.velocity, 0.5, &radius);
  found.lossy = found.lossy && largest_gain(problem, solution, radius) <= noticeable_gain(bounds);
  return true;
}

}  // namespace

ImpactProof judge_impact(const ContactProblem& problem, const Impact& impact,
                         const std::vector<ImpactSolution>& solutions, const std::vector<ImpactLeaf>& leaves,
                         std::string* why)
{
  ImpactProof proof;
  bool gains = false;
  std::vector<ImpactSolution> checked = solutions;
  const MotionBounds bounds = impact_bounds(problem, impact.velocity);
  for (ImpactSolution& solution : checked) {
    if (!proves_impact(problem, impact, solution.velocity, solution.impulse, nullptr, why)) return proof;
    account(problem, impact, solution);
    gains = gains || solution.energy_change > noticeable_gain(bounds);
  }
  if (!checked.empty()) proof.exists = Verdict::kHolds;
  for (std::size_t k = 1; k < checked.size(); ++k)
    if (!same_velocity(bounds, checked[0].velocity, checked[k].velocity)) proof.unique = Verdict::kFails;
  // What the data rule out for every solution is not overruled by one that gains within the allowances.
  const bool no_gain = !checked.empty() && proves_no_gain(problem, impact, &proof.why_dissipates);
  if (no_gain && !gains) {
    proof.dissipates = Verdict::kHolds;
  } else if (no_gain) {
    proof.why_dissipates.clear();
  } else if (gains) {
    proof.dissipates = Verdict::kFails;
    proof.why_dissipates = "a velocity that satisfies every law gains energy";
  }

  LeafFindings found;
  ImpactProgram program;
  for (const ImpactLeaf& leaf : leaves) {
    if (leaf.modes.size() != problem.contacts.size()) return proof;
    for (std::size_t i = 0; i < leaf.modes.size(); ++i)
      if (!possible(ImpactElement(problem, impact, i), leaf.modes[i])) {
        refuse(why, [&] { return "a leaf has a mode that " + problem.contacts[i].name + " does not have"; });
        return proof;
      }
    if (look_at_leaf(problem, impact, checked, leaf, bounds, program, found)) continue;
    found.resolved = false;
    if (leaf.kind != ImpactLeaf::Kind::kUnresolved) refuse(why, [] { return std::string("a leaf is not proved"); });
  }
  std::vector<Mode> all(problem.contacts.size());
  std::vector<int> list(leaves.size());
  for (std::size_t k = 0; k < list.size(); ++k) list[k] = static_cast<int>(k);
  proof.covers = found.resolved && covered(problem, impact, leaves, all, list);
  if (!proof.covers) return proof;
  proof.complete = found.complete;
  if (checked.empty()) {
    if (found.complete) proof.exists = Verdict::kFails;
    return proof;
  }
  if (found.complete && found.one && proof.unique == Verdict::kUndecided) proof.unique = Verdict::kHolds;
  if (proof.dissipates == Verdict::kUndecided && !gains && found.lossy) {
    proof.dissipates = Verdict::kHolds;
    proof.why_dissipates = "every velocity that satisfies the laws was looked at";
  }
  return proof;
}

}  // namespace stiction
