#include "ask/impulse_uniqueness.hpp"

#include <cmath>

#include "ask/component_ranges.hpp"
#include "ask/propositions_algebra.hpp"
#include "base/numerics.hpp"
#include "proof/impact_law.hpp"
#include "solve/decide.hpp"

namespace stiction::internal {
namespace {

/// Impulses of one contact that keep its laws with the velocities of a solution, as combinations of rows of J: what
/// slips or spins goes with the normal, what does not is free within its cone.
struct ImpulseRows {
  Eigen::RowVectorXd normal;
  std::vector<Eigen::RowVectorXd> along;  ///< friction that does not slip, stretched to a disk; then torsion
  int tangents = 0;                       ///< of `along`
  bool torsion = false;                   ///< the last of them is
};

ImpulseRows impulse_rows(const ImpactElement& element, const ContactImpact& done, const ImpactScales& scales,
                         const Eigen::MatrixXd& J)
{
  const Contact& c = element.contact;
  const double sign = done.impulse[0] < 0.0 ? -1.0 : 1.0;
  ImpulseRows rows{J.row(c.row), {}};
  const auto slides = [&](int k, int row) {
    return std::abs(done.velocity_after[k] + element.restitution(row) * done.velocity_before[k]) >
           kClear * scales.speed[row];
  };
  bool slips = false;
  for (int k = 1; element.rubs() && k <= c.tangents; ++k) slips = slips || slides(k, c.row + k);
  if (slips) {
    Eigen::Vector2d xi(done.velocity_after[1] + element.law.tangential * done.velocity_before[1],
                       done.velocity_after[2] + element.law.tangential * done.velocity_before[2]);
    xi[1] *= element.stretch(1);
    xi.normalize();
    for (int k = 0; k < c.tangents; ++k) rows.normal -= sign * c.mu * element.stretch(k) * xi[k] * J.row(c.row + 1 + k);
  } else if (element.rubs()) {
    for (int k = 0; k < c.tangents; ++k) rows.along.push_back(element.stretch(k) * J.row(c.row + 1 + k));
    rows.tangents = c.tangents;
  }
  if (element.twists() && slides(3, element.torsion_row())) {
    const double xi = done.velocity_after[3] + element.law.spin * done.velocity_before[3];
    rows.normal -= (xi > 0.0 ? sign : -sign) * c.torsion * J.row(element.torsion_row());
  } else if (element.twists()) {
    rows.along.push_back(J.row(element.torsion_row()));
    rows.torsion = true;
  }
  return rows;
}

FrictionCone cone_of(const ImpactElement& element, const ImpulseRows& rows, double sign)
{
  return {rows.tangents, rows.torsion, element.contact.mu, element.contact.torsion, sign, ConeShape::exact()};
}

/// What impulses may change by without another u+: per contact a ray, a cone or a space.
class Redistribution {
 public:
  Redistribution(const ContactProblem& problem, const Impact& impact, const ImpactSolution& solution)
      : unit_(problem), scales_(problem, impact.velocity, solution.velocity)
  {
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      if (solution.contacts[i].state != ImpactState::kOpens)
        add(ImpactElement(problem, impact, i), solution.contacts[i]);
    for (const LoopConstraint& closure : problem.loops)
      for (int r = closure.row; r < closure.row + closure.rows; ++r) free_.push_back(unit_.J.row(r));
  }

  /// kHolds: there is none. kFails: there is one, with impulses in proportion to those of the solution.
  Verdict none(Engine& engine) const
  {
    const Eigen::MatrixXd free = stacked(free_), cones = stacked(cone_rows_);
    if (rank_of(free) < free.rows()) return at_a_rim_ ? Verdict::kUndecided : Verdict::kFails;
    if (blocks_.empty()) return Verdict::kHolds;
    ConeProgram program;  // E z = 0 with normal impulses of unloaded contacts that add up to 1
    const auto nv = free.cols(), count = free.rows() + cones.rows();
    program.E.setZero(nv + 1, count);
    program.E.topLeftCorner(nv, free.rows()) = with_unit_rows(free).transpose();
    program.E.topRightCorner(nv, cones.rows()) = cones.transpose();
    program.e.setZero(nv + 1);
    program.e[nv] = 1.0;
    for (Eigen::Index k = 0; k < free.rows(); ++k) program.free.push_back(static_cast<int>(k));
    program.cones = blocks_;
    for (ConeBlock& block : program.cones) {
      block.col += static_cast<int>(free.rows());
      program.E(nv, block.col) = 1.0;
    }
    ConeAnswer answer;
    const Verdict another = decide(engine, program, judge_claim, answer);
    if (another == Verdict::kFails) return Verdict::kHolds;
    return another == Verdict::kHolds && !at_a_rim_ ? Verdict::kFails : Verdict::kUndecided;
  }

 private:
  void add(const ImpactElement& element, const ContactImpact& done)
  {
    const ImpulseRows rows = impulse_rows(element, done, scales_, unit_.J);
    if (done.state == ImpactState::kUnloaded && !element.bilateral())
      add_cone(element, rows);
    else
      add_loaded(rows, done);
  }

  /// An unloaded contact may begin to push, with friction inside its cone, or on its rim where it slips.
  void add_cone(const ImpactElement& element, const ImpulseRows& rows)
  {
    blocks_.push_back({static_cast<int>(cone_rows_.size()), cone_of(element, rows, 1.0)});
    const double size = unit_.J.row(element.contact.row).norm();
    const auto push = [&](const Eigen::RowVectorXd& row) { cone_rows_.push_back(row / (size > 0.0 ? size : 1.0)); };
    push(rows.normal);
    for (const Eigen::RowVectorXd& row : rows.along) push(row);
  }

  /// Rows that keep ξ = 0 are free; friction that slips stays on its rim.
  void add_loaded(const ImpulseRows& rows, const ContactImpact& done)
  {
    free_.insert(free_.end(), rows.along.begin(), rows.along.end());
    free_.push_back(rows.normal);
    const bool used_up = done.impulse[0] == 0.0 || done.utilisation >= 1.0 - kRimShare;
    at_a_rim_ = at_a_rim_ || (!rows.along.empty() && used_up);
  }

  Eigen::MatrixXd stacked(const std::vector<Eigen::RowVectorXd>& rows) const
  {
    Eigen::MatrixXd all(static_cast<Eigen::Index>(rows.size()), unit_.S.size());
    for (std::size_t k = 0; k < rows.size(); ++k) all.row(static_cast<Eigen::Index>(k)) = rows[k];
    return all;
  }

  UnitMass unit_;
  ImpactScales scales_;
  std::vector<Eigen::RowVectorXd> free_, cone_rows_;
  std::vector<ConeBlock> blocks_;
  bool at_a_rim_ = false;  ///< a contact that sticks has used up its friction: not all that is free is possible
};

/// All impulses that give a solution's velocity, for the range of each normal one.
class ImpulseSet {
 public:
  ImpulseSet(const ContactProblem& problem, const Impact& impact, const ImpactSolution& solution)
  {
    const ImpactScales scales(problem, impact.velocity, solution.velocity);
    columns_.assign(problem.contacts.size(), -1);
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      if (solution.contacts[i].state != ImpactState::kOpens)
        add(i, ImpactElement(problem, impact, i), solution.contacts[i], scales, problem.J);
    for (const LoopConstraint& closure : problem.loops)
      for (int r = closure.row; r < closure.row + closure.rows; ++r) {
        program_.free.push_back(static_cast<int>(rows_.size()));
        push(problem.J.row(r), solution.impulse[r]);
      }
    program_.E.setZero(problem.nv(), static_cast<Eigen::Index>(rows_.size()));
    for (std::size_t k = 0; k < rows_.size(); ++k) program_.E.col(static_cast<Eigen::Index>(k)) = rows_[k].transpose();
  }

  std::vector<Margin> ranges(Engine& engine)
  {
    std::vector<Margin> result(columns_.size(), {Margin::State::kKnown, 0.0, 0.0, {}});
    ComponentRanges ranges(program_, Eigen::Map<const Eigen::VectorXd>(start_.data(), std::ssize(start_)), engine);
    bool one_sign = sign_known_;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] < 0) continue;
      result[i] = ranges.of(columns_[i]);
      one_sign = one_sign && (!two_signs_[i] || result[i].lower > 0.0 || result[i].upper < 0.0);
    }
    for (Margin& range : result)
      if (!one_sign) range = {Margin::State::kUndecided, -kInfinity, kInfinity, "a contact may push or pull"};
    return result;
  }

 private:
  void add(std::size_t i, const ImpactElement& element, const ContactImpact& done, const ImpactScales& scales,
           const Eigen::MatrixXd& J)
  {
    two_signs_.resize(columns_.size());
    const ImpulseRows rows = impulse_rows(element, done, scales, J);
    columns_[i] = static_cast<int>(rows_.size());
    if (element.bilateral() && !element.branches()) {
      program_.free.push_back(columns_[i]);
    } else {
      two_signs_[i] = element.bilateral();
      sign_known_ = sign_known_ && (!element.bilateral() || done.impulse[0] != 0.0);
      program_.cones.push_back({columns_[i], cone_of(element, rows, done.impulse[0] < 0.0 ? -1.0 : 1.0)});
    }
    push(rows.normal, done.impulse[0]);
    for (int k = 0; k < rows.tangents; ++k)
      push(rows.along[static_cast<std::size_t>(k)], done.impulse[1 + k] / element.stretch(k));
    if (rows.torsion) push(rows.along.back(), done.impulse[3]);
  }

  void push(const Eigen::RowVectorXd& row, double impulse)
  {
    rows_.push_back(row);
    start_.push_back(impulse);
  }

  ConeProgram program_;
  std::vector<Eigen::RowVectorXd> rows_;
  std::vector<double> start_;
  std::vector<int> columns_;     ///< of normal impulses; -1: it opens
  std::vector<char> two_signs_;  ///< bilateral with friction: only the half of its double cone that is shown
  bool sign_known_ = true;
};

}  // namespace

Verdict impulse_is_unique(const ContactProblem& problem, const Impact& impact, const ImpactSolution& solution,
                          Engine& engine)
{
  return Redistribution(problem, impact, solution).none(engine);
}

std::vector<Margin> impulse_ranges(const ContactProblem& problem, const Impact& impact, const ImpactSolution& solution,
                                   Engine& engine)
{
  return ImpulseSet(problem, impact, solution).ranges(engine);
}

}  // namespace stiction::internal
