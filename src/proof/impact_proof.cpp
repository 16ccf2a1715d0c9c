// Checks of one solution of the impact laws: momentum, restitution, cones, slip directions, energy. Straight from the
// equations at the head of impact.hpp.
#include <algorithm>
#include <cmath>
#include <string>

#include "proof/impact_law.hpp"
#include "proof/sums.hpp"
#include "stiction/proof/impact.hpp"

namespace stiction {

using namespace internal;

namespace {

/// A friction element at its normal impulse: budgets in N s along its axes.
struct Friction {
  int row, size;
  long double budget[2];
  const char* word;
};

class LawCheck {
 public:
  LawCheck(const ContactProblem& problem, const Impact& impact, const Eigen::VectorXd& velocity,
           const Eigen::VectorXd& impulse, std::string* why)
      : problem_(problem),
        impact_(impact),
        velocity_(velocity),
        impulse_(impulse),
        why_(why),
        bounds_(impact_bounds(problem, impact.velocity)),
        restitution_(restitutions(problem, impact))
  {
  }

  double worst() const { return worst_; }

  bool measurable()
  {
    return (all_finite(bounds_.load) && all_finite(bounds_.row)) ||
           refuse(why_, [] { return std::string("numbers too large"); });
  }

  /// Nothing is faster, and nothing is hit harder, than the data explain.
  bool within_reach()
  {
    for (Eigen::Index j = 0; j < problem_.nv(); ++j) {
      const long double change = static_cast<long double>(velocity_[j]) - impact_.velocity[j];
      if (!(std::abs(change) <= kReach * static_cast<long double>(bounds_.motion[j])))
        return refuse(why_,
                      [&] { return "degree of freedom " + std::to_string(j) + " is faster than the impact explains"; });
    }
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
      const double bound = normal_bound(ImpactElement(problem_, impact_, i), bounds_);
      if (bound > 0.0 && !(std::abs(impulse_[problem_.contacts[i].row]) <= kReach * bound))
        return refuse(why_, [&] { return problem_.contacts[i].name + ": is hit harder than the impact explains"; });
    }
    for (const LoopConstraint& closure : problem_.loops)
      for (int r = closure.row; r < closure.row + closure.rows; ++r)
        if (bounds_.force[r] > 0.0 && !(std::abs(impulse_[r]) <= kReach * bounds_.force[r]))
          return refuse(why_, [&] { return closure.name + ": is hit harder than the impact explains"; });
    return true;
  }

  bool momentum()
  {
    for (Eigen::Index i = 0; i < problem_.nv(); ++i) {
      Sum change, impulses;
      for (Eigen::Index j = 0; j < problem_.nv(); ++j) {
        change.add(problem_.M(i, j), velocity_[j]);
        change.add(-problem_.M(i, j), impact_.velocity[j]);
      }
      for (Eigen::Index r = 0; r < problem_.rows(); ++r) impulses.add(-problem_.J(r, i), impulse_[r]);
      if (!within(std::abs(change.value + impulses.value), kSolve * bounds_.load[i] + kLastBits * impulses.scale))
        return refuse(why_, [&] { return "momentum of degree of freedom " + std::to_string(i) + " is not balanced"; });
    }
    return true;
  }

  bool contact(std::size_t i)
  {
    const ImpactElement element(problem_, impact_, i);
    const Contact& c = element.contact;
    const double normal = impulse_[c.row];
    const auto refused = [&](const char* what) { return refuse(why_, [&] { return c.name + ": " + what; }); };
    if (element.bilateral()) {
      if (!zero(c.row)) return refused("the bilateral normal breaks its law");
    } else {
      if (!(normal >= 0.0)) return refused("pulls");
      if (!within(-xi(c.row), allowed(c.row))) return refused("leaves slower than its restitution asks for");
      if (normal > 0.0 && !within(xi(c.row), allowed(c.row))) return refused("pushes although it opens");
    }
    const long double pressing = std::abs(static_cast<long double>(normal));
    Friction disk{c.row + 1, c.tangents, {c.mu * pressing, c.mu * element.stretch(1) * pressing}, "friction"};
    Friction twist{element.torsion_row(), 1, {c.torsion * pressing, 0.0L}, "torsion"};
    if (c.tangents > 0 && !friction(disk, c.name)) return false;
    return !c.torsional || friction(twist, c.name);
  }

  bool closures()
  {
    for (const LoopConstraint& closure : problem_.loops)
      for (int r = closure.row; r < closure.row + closure.rows; ++r)
        if (!zero(r)) return refuse(why_, [&] { return closure.name + ": moves after the impact"; });
    return true;
  }

 private:
  long double xi(int row) const
  {
    return product(problem_.J.row(row), velocity_).value +
           static_cast<long double>(restitution_[row]) * product(problem_.J.row(row), impact_.velocity).value;
  }
  long double allowed(int row) const { return kSolve * static_cast<long double>(bounds_.row[row]); }
  bool zero(int row) { return within(std::abs(xi(row)), allowed(row)); }

  bool within(long double violation, long double allowance)
  {
    if (violation <= 0.0L) return true;
    worst_ = std::max(worst_, allowance > 0.0L ? static_cast<double>(violation / allowance) : kInfinity);
    return violation <= allowance;
  }

  /// z = Λ/budget is in the unit disk. There are ξ̂ within the allowance of ξ and z^ within rounding of z that satisfy
  /// the law exactly: ξ̂ = 0, or |z^| = 1 and budget ξ̂ = -κ z^ with κ >= 0.
  bool friction(const Friction& f, const std::string& name)
  {
    const auto refused = [&](const char* what) {
      return refuse(why_, [&] { return name + ": " + f.word + " " + what; });
    };
    long double z[2] = {0.0L, 0.0L}, zeta[2] = {0.0L, 0.0L};
    bool loaded = false, sticks = true;
    for (int k = 0; k < f.size; ++k) {
      const double impulse = impulse_[f.row + k];
      if (!(f.budget[k] > 0.0L)) {
        if (impulse != 0.0) return refused("without a budget");
        continue;  // D = {0}: ξ is free
      }
      loaded = true;
      z[k] = impulse / f.budget[k];
      const long double slip = xi(f.row + k);
      zeta[k] = slip * f.budget[k];
      sticks = sticks && std::abs(slip) <= allowed(f.row + k);
    }
    if (!loaded) return true;
    const long double reach = std::hypot(z[0], z[1]);
    if (!(reach - 1.0L <= kBudgetRim)) return refused("exceeds its budget");
    if (sticks) {
      for (int k = 0; k < f.size; ++k)
        if (f.budget[k] > 0.0L) within(std::abs(zeta[k]), allowed(f.row + k) * f.budget[k]);
      return true;
    }
    if (!(reach - 1.0L >= -kBudgetRim)) return refused("slips inside its cone");
    const long double along = std::min(0.0L, (zeta[0] * z[0] + zeta[1] * z[1]) / reach);
    for (int k = 0; k < f.size; ++k)
      if (f.budget[k] > 0.0L && !within(std::abs(zeta[k] - along * z[k] / reach), allowed(f.row + k) * f.budget[k]))
        return refused("does not oppose the slip");
    return true;
  }

  const ContactProblem& problem_;
  const Impact& impact_;
  const Eigen::VectorXd &velocity_, &impulse_;
  std::string* why_;
  MotionBounds bounds_;
  Eigen::VectorXd restitution_;
  double worst_ = 0.0;
};

/// Conditions of Table 1 that γ+ does not meet.
void look_after(const ContactProblem& problem, const Impact& impact, const ImpactSolution& solution,
                std::vector<KinematicFlaw>& flaws)
{
  const ImpactScales scales(problem, impact.velocity, solution.velocity);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& c = problem.contacts[i];
    const double normal = solution.contacts[i].velocity_after[0], allowed = kClear * scales.speed[c.row];
    if (c.side == Side::kBilateral ? std::abs(normal) > allowed : normal < -allowed)
      flaws.push_back({static_cast<int>(i), -1, true, normal});
  }
}

/// Right side of (98) for one solution.
double energy_bound(const ContactProblem& problem, const Impact& impact, const ImpactSolution& solution)
{
  double bound = 0.0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactElement element(problem, impact, i);
    const ContactImpact& c = solution.contacts[i];
    bound += 0.5 * (1.0 - element.law.tangential) * c.impulse.segment<2>(1).dot(c.velocity_before.segment<2>(1));
    bound += 0.5 * (1.0 - element.law.spin) * c.impulse[3] * c.velocity_before[3];
    if (element.law.one_way) bound += 0.5 * (1.0 - element.law.normal) * c.impulse[0] * c.velocity_before[0];
  }
  return bound;
}

}  // namespace

bool proves_impact(const ContactProblem& problem, const Impact& impact, const Eigen::VectorXd& velocity,
                   const Eigen::VectorXd& impulse, double* residual, std::string* why)
{
  if (residual) *residual = kInfinity;
  if (velocity.size() != problem.nv() || impulse.size() != problem.rows() || !all_finite(velocity) ||
      !all_finite(impulse))
    return refuse(why, [] { return std::string("velocity or impulse of the wrong size, or not finite"); });
  LawCheck check(problem, impact, velocity, impulse, why);
  bool good = check.measurable() && check.within_reach() && check.momentum() && check.closures();
  for (std::size_t i = 0; good && i < problem.contacts.size(); ++i) good = check.contact(i);
  if (residual) *residual = good ? check.worst() : kInfinity;
  return good;
}

void account(const ContactProblem& problem, const Impact& impact, ImpactSolution& solution)
{
  const ImpactScales scales(problem, impact.velocity, solution.velocity);
  const auto work = [&](int row, const Sum& before, const Sum& after) {
    return static_cast<double>(0.5L * solution.impulse[row] * (before.value + after.value));
  };
  const auto before = [&](int row) { return product(problem.J.row(row), impact.velocity); };
  const auto after = [&](int row) { return product(problem.J.row(row), solution.velocity); };
  solution.contacts.assign(problem.contacts.size(), {});
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactElement element(problem, impact, i);
    const Contact& c = element.contact;
    ContactImpact& out = solution.contacts[i];
    bool moves = c.tangents > 0 && !element.rubs(), loaded = false;
    for (int r = c.row; r < c.row + c.rows(); ++r) {
      const int k = c.torsional && r == element.torsion_row() ? 3 : r - c.row;
      const Sum v0 = before(r), v1 = after(r);
      out.impulse[k] = solution.impulse[r];
      out.velocity_before[k] = static_cast<double>(v0.value);
      out.velocity_after[k] = static_cast<double>(v1.value);
      (k == 0 ? out.work_normal : out.work_tangential) += work(r, v0, v1);
      loaded = loaded || solution.impulse[r] != 0.0;
      const bool free = k == 0 || (k == 3 ? !element.twists() : !element.rubs());
      const double xi = out.velocity_after[k] + element.restitution(r) * out.velocity_before[k];
      moves = moves || (!free && std::abs(xi) > kClear * scales.speed[r]);
    }
    const double xi_normal = out.velocity_after[0] + element.law.normal * out.velocity_before[0];
    if (!loaded)
      out.state = xi_normal > kClear * scales.speed[c.row] ? ImpactState::kOpens : ImpactState::kUnloaded;
    else
      out.state = moves ? ImpactState::kSlips : ImpactState::kSticks;
    const double pressing = std::abs(out.impulse[0]);
    const auto share = [](double used, double budget) {
      return used == 0.0 ? 0.0 : (budget > 0.0 ? used / budget : kInfinity);
    };
    out.utilisation = std::max(share(std::hypot(out.impulse[1], out.impulse[2] / element.stretch(1)), c.mu * pressing),
                               share(std::abs(out.impulse[3]), c.torsion * pressing));
  }
  solution.closure_work.assign(problem.loops.size(), 0.0);
  for (std::size_t i = 0; i < problem.loops.size(); ++i)
    for (int r = problem.loops[i].row; r < problem.loops[i].row + problem.loops[i].rows; ++r)
      solution.closure_work[i] += work(r, before(r), after(r));

  long double energy = 0.0L, change = 0.0L;  // W = ½ (u+ - u-)'M (u+ + u-): no difference of large energies
  for (Eigen::Index i = 0; i < problem.nv(); ++i)
    for (Eigen::Index j = 0; j < problem.nv(); ++j) {
      const long double m = problem.M(i, j);
      energy += 0.5L * m * impact.velocity[i] * impact.velocity[j];
      change += 0.5L * m * (static_cast<long double>(solution.velocity[i]) - impact.velocity[i]) *
                (static_cast<long double>(solution.velocity[j]) + impact.velocity[j]);
    }
  solution.energy_before = static_cast<double>(energy);
  solution.energy_change = static_cast<double>(change);
  const BeforeImpact start = look_before(problem, impact, nullptr);
  solution.energy_bound.reset();
  if (start.held && start.closing) solution.energy_bound = energy_bound(problem, impact, solution);
  solution.flaws.clear();
  look_after(problem, impact, solution, solution.flaws);
}

bool proves_semidefinite(const Eigen::MatrixXd& A, double allowance)
{
  if (A.rows() != A.cols() || !all_finite(A)) return false;
  if (A.size() == 0) return true;
  const long double lift = allowance * static_cast<long double>(A.cwiseAbs().maxCoeff());
  if (lift == 0.0L) return A.isZero(0.0);
  const Eigen::Index n = A.rows();
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> L = A.cast<long double>();
  for (Eigen::Index k = 0; k < n; ++k) {
    long double pivot = L(k, k) + lift;
    for (Eigen::Index j = 0; j < k; ++j) pivot -= L(k, j) * L(k, j);
    if (!(pivot > 0.0L)) return false;
    L(k, k) = std::sqrt(pivot);
    for (Eigen::Index i = k + 1; i < n; ++i) {
      long double entry = 0.5L * (static_cast<long double>(A(i, k)) + A(k, i));
      for (Eigen::Index j = 0; j < k; ++j) entry -= L(i, j) * L(k, j);
      L(i, k) = entry / L(k, k);
    }
  }
  return true;
}

}  // namespace stiction
