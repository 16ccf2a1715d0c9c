// The motion that is left when contacts and motors resist as well as they can.
#include "ask/left_motion.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ask/multiplier_set.hpp"
#include "base/linear_algebra.hpp"
#include "solve/nearest_point.hpp"
#include "words/worth_telling.hpp"

namespace stiction::internal {
namespace {

constexpr std::size_t kMostSigns = 6;   // bilateral contacts whose signs are tried in all combinations
constexpr double kLimitsKept = 1e-10;   // share of the largest limit by which a force may miss its own
constexpr double kSameDistance = 1e-6;  // relative: which of two combinations is nearer cannot be told

/// L with L L' = M, or of M with a little more on its diagonal where it is singular: bare problems may leave M out.
Eigen::MatrixXd factor_of_metric(const Eigen::MatrixXd& M)
{
  constexpr double kDefinite = 1e-6, kLittle = 1e-6;
  const double largest = M.size() > 0 ? M.diagonal().maxCoeff() : 0.0;
  Eigen::VectorXd root = M.diagonal().cwiseMax(0.0).cwiseSqrt();
  if (root.size() > 0 && root.minCoeff() > 0.0) {
    const Eigen::MatrixXd unit = root.cwiseInverse().asDiagonal() * M * root.cwiseInverse().asDiagonal();
    if (Cholesky().compute(unit) > kDefinite) return root.asDiagonal() * cholesky_factor(unit);
  }
  Eigen::MatrixXd more = M;
  more.diagonal().array() += largest > 0.0 ? kLittle * largest : 1.0;
  return cholesky_factor(more);
}

/// All that contacts and motors can supply, in coordinates in which the kinetic metric is the Euclidean one: columns in
/// cones, boxes or free.
class Supply {
 public:
  Supply(const ContactProblem& problem, const std::vector<char>& detaching)
      : problem_(problem), L_(factor_of_metric(problem.M))
  {
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      if (!detaching[i]) add_contact(static_cast<int>(i));
    for (const LoopConstraint& closure : problem.loops)
      for (int r = 0; r < closure.rows; ++r) free_.push_back(add_column(problem.J.row(closure.row + r).transpose()));
    add_motors();
  }

  /// Contacts whose sign matters.
  const std::vector<int>& double_cones() const { return double_cones_; }

  /// L⁻¹(e - p), p the nearest point to e.
  Eigen::VectorXd rest(const Eigen::VectorXd& e, const std::vector<int>& signs)
  {
    const auto nv = problem_.nv(), limits = static_cast<Eigen::Index>(limited_.size());
    for (const Cone& cone : cones_)
      if (cone.double_sided) blocks_[cone.block].cone.sign = signs[static_cast<std::size_t>(cone.contact)];
    Eigen::MatrixXd E(nv + limits, static_cast<Eigen::Index>(columns_.size()) + limits);
    for (std::size_t j = 0; j < columns_.size(); ++j) E.col(static_cast<Eigen::Index>(j)).head(nv) = columns_[j];
    E.bottomRows(limits).setZero();
    E.rightCols(limits).setZero();
    Eigen::VectorXd target(nv + limits);
    target.head(nv) = solve_lower(L_, e - fixed_);
    std::vector<BoxVariable> boxes = boxes_;
    // Rows sign f_n + q = max_normal, q >= 0, heavy enough to be kept in a few steps of the method of multipliers.
    constexpr double kHeavy = 1e2;
    for (Eigen::Index k = 0; k < limits; ++k) {
      const Cone& cone = cones_[limited_[static_cast<std::size_t>(k)]];
      const ConeBlock& block = blocks_[cone.block];
      const double weight = kHeavy * columns_[static_cast<std::size_t>(block.col)].norm();
      const auto slack = static_cast<int>(columns_.size()) + static_cast<int>(k);
      E(nv + k, block.col) = weight * block.cone.sign;
      E(nv + k, slack) = weight;
      target[nv + k] = weight * cone.max_normal;
      boxes.push_back({slack, 0.0, kInfinity});
    }
    NearestPoint nearest;
    const Eigen::VectorXd limit_rows = target.tail(limits);
    nearest.run(
        {static_cast<int>(E.rows()), E.data(), target.data(), static_cast<int>(E.cols()), &blocks_, &boxes, &free_},
        0.0);
    const auto residual = [&] { return Eigen::Map<const Eigen::VectorXd>(nearest.residual().data(), E.rows()); };
    for (int step = 0; limits > 0 && step < 20; ++step) {
      const Eigen::VectorXd missed = residual().tail(limits) - (target.tail(limits) - limit_rows);
      if (missed.cwiseAbs().maxCoeff() <= kLimitsKept * limit_rows.cwiseAbs().maxCoeff()) break;
      target.tail(limits) += missed;
      nearest.run_again(target.data(), 0.0);
    }
    return residual().head(nv);
  }

  Eigen::VectorXd motion(const Eigen::VectorXd& rest) const { return -solve_lower_transposed(L_, rest); }

 private:
  struct Cone {
    int contact;
    std::size_t block;
    bool double_sided;
    double max_normal;
  };

  int add_column(const Eigen::VectorXd& column)
  {
    columns_.push_back(solve_lower(L_, column));
    return static_cast<int>(columns_.size()) - 1;
  }

  void add_contact(int index)
  {
    const Contact& c = problem_.contacts[static_cast<std::size_t>(index)];
    const bool bilateral = c.side == Side::kBilateral;
    const auto row = [&](int r) { return add_column(problem_.J.row(c.row + r).transpose()); };
    const int first = row(0);
    if (c.mu == 0.0 && c.torsion == 0.0) return add_range(first, bilateral ? -c.max_normal : 0.0, c.max_normal);
    for (int r = 1; r < c.rows(); ++r) row(r);
    cones_.push_back({index, blocks_.size(), bilateral, c.max_normal});
    if (bilateral) double_cones_.push_back(index);
    if (std::isfinite(c.max_normal)) limited_.push_back(cones_.size() - 1);
    blocks_.push_back({first, friction_cone(c, ConeShape::exact())});
  }

  void add_range(int column, double lower, double upper)
  {
    if (std::isinf(lower) && std::isinf(upper))
      free_.push_back(column);
    else
      boxes_.push_back({column, lower, upper});
  }

  void add_motors()
  {
    const ContactProblem& p = problem_;
    Eigen::VectorXd lower = Eigen::VectorXd::Zero(p.nv()), upper = lower;
    for (const Actuator& motor : p.actuators) {
      lower[motor.dof] += motor.lower;
      upper[motor.dof] += motor.upper;
    }
    fixed_.setZero(p.nv());
    for (Eigen::Index d = 0; d < p.nv(); ++d)
      if (lower[d] == upper[d])
        fixed_[d] = lower[d];
      else
        add_range(add_column(Eigen::VectorXd::Unit(p.nv(), d)), lower[d], upper[d]);
  }

  const ContactProblem& problem_;
  Eigen::MatrixXd L_;
  Eigen::VectorXd fixed_;  ///< efforts without a choice
  std::vector<Eigen::VectorXd> columns_;
  std::vector<Cone> cones_;
  std::vector<ConeBlock> blocks_;
  std::vector<BoxVariable> boxes_;
  std::vector<int> free_, double_cones_;
  std::vector<std::size_t> limited_;  ///< cones with a largest normal force
};

/// The least rest over all signs of bilateral contacts, pushing first where two are as near; none: too many.
std::optional<Eigen::VectorXd> least_rest(Supply& supply, const Eigen::VectorXd& e, std::vector<int>& signs)
{
  const std::vector<int>& contacts = supply.double_cones();
  if (contacts.size() > kMostSigns) return {};
  std::optional<Eigen::VectorXd> least;
  std::vector<int> tried(signs.size(), 0);
  for (unsigned pulling = 0; pulling < 1u << contacts.size(); ++pulling) {
    for (std::size_t k = 0; k < contacts.size(); ++k)
      tried[static_cast<std::size_t>(contacts[k])] = pulling >> k & 1u ? -1 : 1;
    Eigen::VectorXd rest = supply.rest(e, tried);
    if (least && !(rest.norm() < (1.0 - kSameDistance) * least->norm())) continue;
    least = std::move(rest);
    signs = tried;
  }
  return least;
}

/// True when the motion v goes on at the rim of some cone: forces there are as large as friction lets them be.
bool at_a_rim(const ContactProblem& problem, const std::vector<char>& detaching, const std::vector<int>& signs,
              const Eigen::VectorXd& v)
{
  const Eigen::VectorXd rows = problem.J * v;
  const auto speed = [&](const Contact& c) { return rows.segment(c.row, c.rows()).norm(); };
  double fastest = 0.0;
  for (const Contact& c : problem.contacts) fastest = std::max(fastest, speed(c));
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& c = problem.contacts[i];
    const double noticeable = kNoticeable * problem.J.middleRows(c.row, c.rows()).norm() * v.norm();
    if (detaching[i] || (c.mu == 0.0 && c.torsion == 0.0) || speed(c) <= std::max(kMoves * fastest, noticeable))
      continue;
    FrictionCone cone = friction_cone(c, ConeShape::exact());
    if (signs[i] < 0) cone.sign = -1.0;
    const double gap = -support(cone, -rows.segment(c.row, c.rows()));
    if (std::abs(gap) <= kOnTheRim * speed(c)) return true;
  }
  return false;
}

}  // namespace

void find_left_motion(const ContactProblem& problem, const Eigen::VectorXd& a, const std::vector<char>& detaching,
                      Failure& failure)
{
  const Eigen::VectorXd e = problem.M * a + problem.F;
  const auto find = [&](const ContactProblem& with) {
    Supply supply(with, detaching);
    failure.signs.assign(with.contacts.size(), 0);
    const std::optional<Eigen::VectorXd> rest = least_rest(supply, e, failure.signs);
    failure.motion = rest ? supply.motion(*rest) : Eigen::VectorXd();
    return rest.has_value();
  };
  const ContactProblem with = relieved(problem, failure.defied, kToldFriction, {});
  failure.pressed = true;
  if (!find(with) || !(failure.defied & kMoreFriction)) return;
  failure.pressed = !at_a_rim(with, detaching, failure.signs, failure.motion);
  if (!failure.pressed) find(relieved(problem, failure.defied & ~Remedies{kMoreFriction}, 1.0, {}));
}

}  // namespace stiction::internal
