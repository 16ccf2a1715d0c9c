// What a set of leaves proves about all solutions of the impact laws: the program of each leaf, and the cover of all modes.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "proof/impact_cover.hpp"
#include "proof/impact_law.hpp"
#include "proof/sums.hpp"
#include "stiction/impact.hpp"

namespace stiction {

using namespace internal;
using Mode = ContactImpactMode;

namespace {

/// Collects the columns of x and the rows J d - Σ coefficient x = -(1+ε)γ- of a leaf.
class ProgramWriter {
 public:
  ProgramWriter(const ContactProblem& problem, const Impact& impact)
      : problem_(problem), impact_(impact), restitution_(restitutions(problem, impact)),
        columns_(static_cast<int>(problem.nv()))
  {
    for (int j = 0; j < columns_; ++j) free_.push_back(j);
  }

  void closure(const Closure& closure)
  {
    for (int r = closure.row; r < closure.row + closure.rows; ++r) {
      impulse(free_column(), r, 1.0);
      row(r);
    }
  }

  void contact(const ImpactElement& element, const Mode& mode)
  {
    const Contact& c = element.contact;
    if (mode.normal == Mode::Normal::kOpen) return slack(row(c.row), 1.0);   // D = {0}: the other rows move as they like
    const int normal_row = row(c.row);
    if (mode.normal == Mode::Normal::kAny) {
      if (element.bilateral()) {   // a double cone: relaxed to all impulses
        impulse(free_column(), c.row, 1.0);
        for (int k = 0; element.rubs() && k < c.tangents; ++k) impulse(free_column(), c.row + 1 + k, 1.0);
        if (element.twists()) impulse(free_column(), element.torsion_row(), 1.0);
        return;
      }
      slack(normal_row, 1.0);
    }
    const double sign = mode.normal == Mode::Normal::kPulls ? -1.0 : 1.0;
    impulses(element, mode, sign);
    if (element.rubs() && mode.tangential != Mode::Tangential::kAny) {
      int rows[2];
      for (int k = 0; k < c.tangents; ++k) rows[k] = row(c.row + 1 + k, element.stretch(k));
      if (mode.tangential == Mode::Tangential::kSlip) {
        if (c.tangents == 1) {
          slack(rows[0], planar_sign(mode));
        } else {
          for (const double angle : {mode.from, mode.to}) {
            const int column = box_column();
            coefficients_.push_back({rows[0], column, std::cos(angle)});
            coefficients_.push_back({rows[1], column, std::sin(angle)});
          }
        }
      }
    }
    if (element.twists() && mode.spin != Mode::Spin::kAny) {
      const int spin = row(element.torsion_row());
      if (mode.spin != Mode::Spin::kStick) slack(spin, mode.spin == Mode::Spin::kPositive ? 1.0 : -1.0);
    }
  }

  void write(LeafQuestion question, ImpactProgram& out)
  {
    const auto nv = problem_.nv();
    const bool gains = question == LeafQuestion::kGains;
    const int gain_slack = gains ? box_column() : -1;
    const auto kinematic = static_cast<Eigen::Index>(rows_.size());
    out.impulses.setZero(problem_.rows(), columns_);
    for (const Entry& entry : impulses_) out.impulses(entry.row, entry.column) += entry.value;
    ConeProgram& p = out.program;
    p.E.setZero(nv + kinematic + (gains ? 1 : 0), columns_);
    p.e.setZero(p.E.rows());
    p.e_scale.setZero(p.E.rows());
    p.E.topRows(nv).noalias() = -problem_.J.transpose() * out.impulses;
    p.E.topLeftCorner(nv, nv) += problem_.M;
    const Eigen::VectorXd before = problem_.J * impact_.velocity;
    for (Eigen::Index k = 0; k < kinematic; ++k) {
      const auto [r, factor] = rows_[static_cast<std::size_t>(k)];
      const double bounce = factor * (1.0 + restitution_[r]);
      p.E.row(nv + k).head(nv) = factor * problem_.J.row(r);
      p.e[nv + k] = -bounce * before[r];
      p.e_scale[nv + k] = std::abs(bounce) * problem_.J.row(r).cwiseAbs().dot(impact_.velocity.cwiseAbs());
    }
    for (const Entry& entry : coefficients_) p.E(nv + entry.row, entry.column) -= entry.value;
    if (gains) {
      p.E.bottomRows(1) =
          (0.5 * (1.0 - restitution_.array()) * before.array()).matrix().transpose() * out.impulses;
      p.E(p.E.rows() - 1, gain_slack) = -1.0;
    }
    p.cones = cones_;
    p.boxes = boxes_;
    p.free = free_;
  }

 private:
  struct Entry {
    int row, column;
    double value;
  };

  static double planar_sign(const Mode& mode) { return mode.from == 0.0 ? 1.0 : -1.0; }

  int free_column()
  {
    free_.push_back(columns_);
    return columns_++;
  }
  int box_column()
  {
    boxes_.push_back({columns_, 0.0, kInfinity});
    return columns_++;
  }
  void impulse(int column, int row, double value) { impulses_.push_back({row, column, value}); }
  int row(int of_J, double factor = 1.0)
  {
    rows_.emplace_back(of_J, factor);
    return static_cast<int>(rows_.size()) - 1;
  }
  /// ξ of that row is sign·(something >= 0).
  void slack(int row, double sign) { coefficients_.push_back({row, box_column(), sign}); }

  void impulses(const ImpactElement& element, const Mode& mode, double sign)
  {
    const Contact& c = element.contact;
    const int tangents = element.rubs() ? c.tangents : 0;
    const bool spin_tied = mode.spin == Mode::Spin::kPositive || mode.spin == Mode::Spin::kNegative;
    const double spin_end = mode.spin == Mode::Spin::kPositive ? -c.torsion : c.torsion;
    const bool spin_free = element.twists() && !spin_tied;
    if (tangents > 0 && mode.tangential == Mode::Tangential::kSlip) {
      std::vector<Eigen::Vector2d> points;   // of the disk, per unit of normal impulse: their hull contains the arc
      if (tangents == 1) {
        points.emplace_back(-c.mu * planar_sign(mode), 0.0);
      } else {
        const auto at = [&](double angle, double radius) {
          points.emplace_back(-radius * std::cos(angle), -radius * std::sin(angle));
        };
        at(mode.from, c.mu);
        at(mode.to, c.mu);
        at(0.5 * (mode.from + mode.to), c.mu / std::cos(0.5 * (mode.to - mode.from)));   // where the end tangents meet
      }
      std::vector<double> ends = {0.0};
      if (element.twists()) ends = spin_tied ? std::vector<double>{spin_end} : std::vector<double>{-c.torsion, c.torsion};
      for (const Eigen::Vector2d& point : points)
        for (const double end : ends) {
          const int column = box_column();
          impulse(column, c.row, sign);
          for (int k = 0; k < tangents; ++k) impulse(column, c.row + 1 + k, point[k] * element.stretch(k));
          if (element.twists()) impulse(column, element.torsion_row(), end);
        }
      return;
    }
    ConeBlock block;
    block.col = columns_;
    block.cone.tangents = tangents;
    block.cone.mu = c.mu;
    block.cone.torsional = spin_free;
    block.cone.torsion = c.torsion;
    block.cone.sign = sign;
    impulse(columns_, c.row, 1.0);
    if (element.twists() && spin_tied) impulse(columns_, element.torsion_row(), sign * spin_end);
    for (int k = 0; k < tangents; ++k) impulse(columns_ + 1 + k, c.row + 1 + k, element.stretch(k));
    if (spin_free) impulse(columns_ + 1 + tangents, element.torsion_row(), 1.0);
    columns_ += block.cone.dim();
    cones_.push_back(block);
  }

  const ContactProblem& problem_;
  const Impact& impact_;
  Eigen::VectorXd restitution_;
  int columns_;
  std::vector<int> free_;
  std::vector<BoxVariable> boxes_;
  std::vector<ConeBlock> cones_;
  std::vector<Entry> impulses_, coefficients_;
  std::vector<std::pair<int, double>> rows_;
};

/// A mode that contacts of this kind have: programs of others would not contain the solutions that they stand for.
bool possible(const ImpactElement& element, const Mode& mode)
{
  if (mode.normal == (element.bilateral() ? Mode::Normal::kOpen : Mode::Normal::kPulls)) return false;
  if (mode.tangential != Mode::Tangential::kSlip) return true;
  if (element.contact.tangents == 1) return mode.from == mode.to && (mode.from == 0.0 || mode.from == M_PI);
  return mode.from <= mode.to && mode.to - mode.from <= 0.5 * M_PI + 1e-9;
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
  return true;   // the first leaf alone does
}

/// d = Y e for every solution: Y E = [I 0], and Y e is the velocity change of the solution.
bool determines(const ContactProblem& problem, const Impact& impact, const ConeProgram& program, const Eigen::MatrixXd& Y,
                const ImpactSolution& solution)
{
  const auto nv = problem.nv();
  if (Y.rows() != nv || Y.cols() != program.E.rows() || !all_finite(Y)) return false;
  // Entries of E count to kSolve of the largest in their row.
  Eigen::VectorXd row = program.E.cwiseAbs().rowwise().maxCoeff();
  for (double& r : row) r = r > 0.0 ? r : 1.0;
  const Eigen::VectorXd left = (Y.cwiseAbs() * row.asDiagonal()).rowwise().maxCoeff();
  const Eigen::VectorXd right =
      (row.cwiseInverse().asDiagonal() * program.E.cwiseAbs()).colwise().maxCoeff().transpose();
  const Eigen::MatrixXd product = Y * program.E;
  for (Eigen::Index j = 0; j < product.cols(); ++j)
    for (Eigen::Index i = 0; i < nv; ++i)
      if (!(std::abs(product(i, j) - (i == j ? 1.0 : 0.0)) <= kSolve * left[i] * right[j])) return false;
  const Eigen::VectorXd change = solution.velocity - impact.velocity, found = Y * program.e;
  const Eigen::VectorXd size = Y.cwiseAbs() * program.e.cwiseAbs();
  const ImpactScales scales(problem, impact.velocity, solution.velocity);
  for (Eigen::Index i = 0; i < nv; ++i) {
    const double speed = problem.M(i, i) > 0.0 ? scales.momentum[i] / problem.M(i, i) : std::abs(solution.velocity[i]);
    if (!(std::abs(change[i] - found[i]) <= kClear * (size[i] + speed))) return false;
  }
  return true;
}

}  // namespace

namespace internal {

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
    const double step = 2.0 * M_PI / sectors, width = element.contact.tangents == 1 ? 0.0 : step;
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
    add([&](Mode& m) { m.to = middle; });
    add([&](Mode& m) { m.from = middle; });
  }
  return parts;
}

}  // namespace internal

void write_impact_program(const ContactProblem& problem, const Impact& impact, const std::vector<Mode>& modes,
                          LeafQuestion question, ImpactProgram& out)
{
  ProgramWriter writer(problem, impact);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) writer.contact(ImpactElement(problem, impact, i), modes[i]);
  for (const Closure& closure : problem.closures) writer.closure(closure);
  writer.write(question, out);
}

ImpactProof judge_impact(const ContactProblem& problem, const Impact& impact, const std::vector<ImpactSolution>& solutions,
                         const std::vector<ImpactLeaf>& leaves, std::string* why)
{
  ImpactProof proof;
  bool gains = false;
  for (const ImpactSolution& solution : solutions) {
    if (!proves_impact(problem, impact, solution.velocity, solution.impulse, nullptr, why)) return proof;
    ImpactSolution energy = solution;
    account(problem, impact, energy);
    // What the allowances of a proved solution can do to its energy does not count as a gain.
    gains = gains || energy.energy_change > kClear * (2.0 * energy.energy_before + energy.energy_change);
  }
  if (!solutions.empty()) proof.exists = Verdict::kHolds;
  for (std::size_t k = 1; k < solutions.size(); ++k)
    if (!same_velocity(problem, impact, solutions[0].velocity, solutions[k].velocity)) proof.unique = Verdict::kFails;
  if (gains) {
    proof.dissipates = Verdict::kFails;
    proof.why_dissipates = "a velocity that satisfies every law gains energy";
  } else if (!solutions.empty() && proves_no_gain(problem, impact, &proof.why_dissipates)) {
    proof.dissipates = Verdict::kHolds;
  }

  bool resolved = true, complete = true;
  ImpactProgram leaf_program;
  for (const ImpactLeaf& leaf : leaves) {
    if (leaf.modes.size() != problem.contacts.size()) return proof;
    for (std::size_t i = 0; i < leaf.modes.size(); ++i)
      if (!possible(ImpactElement(problem, impact, i), leaf.modes[i])) {
        refuse(why, [&] { return "a leaf has a mode that " + problem.contacts[i].name + " does not have"; });
        return proof;
      }
    const bool gain_leaf = leaf.kind == ImpactLeaf::Kind::kLoses;
    write_impact_program(problem, impact, leaf.modes, gain_leaf ? LeafQuestion::kGains : LeafQuestion::kLaws, leaf_program);
    bool good = false;
    if (leaf.kind == ImpactLeaf::Kind::kEmpty || gain_leaf)
      good = leaf.witness.size() == leaf_program.program.E.rows() && proves_infeasible(leaf_program.program, leaf.witness);
    else if (leaf.kind == ImpactLeaf::Kind::kSolved)
      good = leaf.solution >= 0 && leaf.solution < static_cast<int>(solutions.size()) &&
             determines(problem, impact, leaf_program.program, leaf.left_inverse,
                        solutions[static_cast<std::size_t>(leaf.solution)]);
    if (!good && leaf.kind != ImpactLeaf::Kind::kUnresolved)
      refuse(why, [] { return std::string("a leaf is not proved"); });
    resolved = resolved && good;
    complete = complete && good && !gain_leaf;
  }
  std::vector<Mode> all(problem.contacts.size());
  std::vector<int> list(leaves.size());
  for (std::size_t k = 0; k < list.size(); ++k) list[k] = static_cast<int>(k);
  proof.covers = resolved && covered(problem, impact, leaves, all, list);
  if (!proof.covers) return proof;
  proof.complete = complete;
  if (solutions.empty()) {
    if (complete) proof.exists = Verdict::kFails;
    return proof;
  }
  if (complete && proof.unique == Verdict::kUndecided) proof.unique = Verdict::kHolds;
  if (proof.dissipates == Verdict::kUndecided) {
    proof.dissipates = Verdict::kHolds;
    proof.why_dissipates = "every velocity that satisfies the laws was looked at";
  }
  return proof;
}

}  // namespace stiction
