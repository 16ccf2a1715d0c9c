#include "ask/impulse_uniqueness.hpp"

#include <cmath>

#include "ask/propositions_algebra.hpp"
#include "ask/proved.hpp"
#include "base/numerics.hpp"
#include "proof/impact_law.hpp"

namespace stiction::internal {
namespace {

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
    const Verdict another = decide(engine, program, answer);
    if (another == Verdict::kFails) return Verdict::kHolds;
    return another == Verdict::kHolds && !at_a_rim_ ? Verdict::kFails : Verdict::kUndecided;
  }

 private:
  void add(const ImpactElement& element, const ContactImpact& done)
  {
    if (done.state == ImpactState::kUnloaded && !element.bilateral())
      add_cone(element);
    else
      add_loaded(element, done);
  }

  /// An unloaded contact may begin to push, with friction inside its cone.
  void add_cone(const ImpactElement& element)
  {
    const Contact& c = element.contact;
    ConeBlock block;
    block.col = static_cast<int>(cone_rows_.size());
    block.cone = {element.rubs() ? c.tangents : 0, element.twists(), c.mu, c.torsion, 1.0, ConeShape::exact()};
    const double size = unit_.J.row(c.row).norm();
    const auto push = [&](const Eigen::RowVectorXd& row) { cone_rows_.push_back(row / (size > 0.0 ? size : 1.0)); };
    push(unit_.J.row(c.row));
    for (int k = 0; k < block.cone.tangents; ++k) push(element.stretch(k) * unit_.J.row(c.row + 1 + k));
    if (element.twists()) push(unit_.J.row(element.torsion_row()));
    blocks_.push_back(block);
  }

  /// Rows that keep ξ = 0 are free; friction that slips stays on its rim.
  void add_loaded(const ImpactElement& element, const ContactImpact& done)
  {
    const Contact& c = element.contact;
    const double sign = done.impulse[0] < 0.0 ? -1.0 : 1.0;
    Eigen::RowVectorXd normal = unit_.J.row(c.row);
    const auto slides = [&](int k, int row) {
      return std::abs(done.velocity_after[k] + element.restitution(row) * done.velocity_before[k]) >
             kClear * scales_.speed[row];
    };
    bool slips = false;
    for (int k = 1; element.rubs() && k <= c.tangents; ++k) slips = slips || slides(k, c.row + k);
    if (slips) {
      Eigen::Vector2d xi(done.velocity_after[1] + element.law.tangential * done.velocity_before[1],
                         done.velocity_after[2] + element.law.tangential * done.velocity_before[2]);
      xi[1] *= element.stretch(1);
      xi.normalize();
      for (int k = 0; k < c.tangents; ++k)
        normal -= sign * c.mu * element.stretch(k) * xi[k] * unit_.J.row(c.row + 1 + k);
    } else if (element.rubs()) {
      for (int k = 0; k < c.tangents; ++k) free_.push_back(unit_.J.row(c.row + 1 + k));
    }
    const bool spins = element.twists() && slides(3, element.torsion_row());
    if (spins) {
      const double xi = done.velocity_after[3] + element.law.spin * done.velocity_before[3];
      normal -= (xi > 0.0 ? sign : -sign) * c.torsion * unit_.J.row(element.torsion_row());
    } else if (element.twists()) {
      free_.push_back(unit_.J.row(element.torsion_row()));
    }
    const bool sticks = (element.rubs() && !slips) || (element.twists() && !spins);
    const bool used_up = done.impulse[0] == 0.0 || done.utilisation >= 1.0 - kRimShare;
    at_a_rim_ = at_a_rim_ || (sticks && used_up);
    free_.push_back(normal);
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

}  // namespace

Verdict impulse_is_unique(const ContactProblem& problem, const Impact& impact, const ImpactSolution& solution,
                          Engine& engine)
{
  return Redistribution(problem, impact, solution).none(engine);
}

}  // namespace stiction::internal
