#include "stiction/proof/sliding.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "proof/sign_cover.hpp"
#include "proof/sliding_bounds.hpp"
#include "proof/sliding_program.hpp"
#include "proof/sums.hpp"

namespace stiction {

using internal::refuse;
using internal::SlidingColumns;
using internal::sticks;
using internal::Sum;

namespace internal {

bool has_choice(const Contact& contact, const std::optional<Eigen::Vector2d>& slip)
{
  if (contact.side == Side::kUnilateral) return true;
  const bool friction = contact.mu > 0.0 && contact.tangents > 0;
  return friction || (!slip && contact.torsional && contact.torsion > 0.0);
}

namespace {

/// Unknowns of the contacts' forces and separations, then of the closures'; how many there are with the accelerations.
int set_columns(const ContactProblem& p, const SlipDirections& slips, const std::vector<int>& signs,
                ConeProgram& program, SlidingColumns& columns)
{
  const auto count = p.contacts.size();
  columns.push.assign(count, -1);
  columns.pull.assign(count, -1);
  columns.separation.assign(count, -1);
  columns.closure.clear();
  program.cones.clear();
  program.boxes.clear();
  program.free.clear();
  int next = static_cast<int>(p.nv());
  for (int j = 0; j < next; ++j) program.free.push_back(j);
  for (std::size_t i = 0; i < count; ++i) {
    const Contact& c = p.contacts[i];
    const bool unilateral = c.side == Side::kUnilateral, choice = has_choice(c, slips[i]);
    const auto add_force = [&](double sign) {
      const int column = next;
      if (sticks(c, slips[i]) && choice) {
        program.cones.push_back({column, {c.tangents, c.torsional, c.mu, c.torsion, sign, ConeShape::exact()}});
        next += c.rows();
      } else {
        if (choice)
          program.boxes.push_back({column, 0.0, kInfinity});
        else
          program.free.push_back(column);
        ++next;
      }
      return column;
    };
    if (!choice || signs[i] >= 0) columns.push[i] = add_force(1.0);
    if (choice && !unilateral && signs[i] <= 0) columns.pull[i] = add_force(-1.0);
    if (unilateral && signs[i] <= 0) {
      columns.separation[i] = next;
      program.boxes.push_back({next++, 0.0, kInfinity});
    }
  }
  for (const LoopConstraint& c : p.loops) {
    columns.closure.push_back(next);
    for (int k = 0; k < c.rows; ++k) program.free.push_back(next++);
  }
  return next;
}

/// -J'λ of contact i in the balance M a - J'λ = -F. One that slides: λn J_n' + λt'J_t with λt = -mu |λn| d, where |λn|
/// is the column's unknown.
void write_force(const ContactProblem& p, const SlipDirections& slips, std::size_t i, int column, double sign,
                 Eigen::MatrixXd& E)
{
  if (column < 0) return;
  const Contact& c = p.contacts[i];
  if (sticks(c, slips[i]) && has_choice(c, slips[i])) {
    for (int k = 0; k < c.rows(); ++k) E.col(column + k).head(p.nv()) = -p.J.row(c.row + k).transpose();
    return;
  }
  auto force = E.col(column).head(p.nv());
  force = -sign * p.J.row(c.row).transpose();
  if (!slips[i] || c.mu == 0.0) return;
  const Eigen::Vector2d d = slips[i]->normalized();
  for (int k = 0; k < c.tangents; ++k) force += c.mu * d[k] * p.J.row(c.row + 1 + k).transpose();
}

}  // namespace

void write_sliding_program(const ContactProblem& p, const SlipDirections& slips, const std::vector<int>& signs,
                           ConeProgram& program, SlidingColumns& columns)
{
  const Eigen::Index nv = p.nv();
  const auto count = p.contacts.size();
  // Prescribed rows of J: normals, tangents and torsion of contacts that stick, closures.
  std::vector<int> rows;
  std::vector<int> normal_at(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Contact& c = p.contacts[i];
    normal_at[i] = static_cast<int>(nv) + static_cast<int>(rows.size());
    const int prescribed = sticks(c, slips[i]) ? c.rows() : 1;
    for (int k = 0; k < prescribed; ++k) rows.push_back(c.row + k);
  }
  for (const LoopConstraint& c : p.loops)
    for (int k = 0; k < c.rows; ++k) rows.push_back(c.row + k);

  const int width = set_columns(p, slips, signs, program, columns);
  program.E.setZero(nv + static_cast<Eigen::Index>(rows.size()), width);
  program.e.resize(program.E.rows());
  program.e_scale.resize(0);
  program.E.topLeftCorner(nv, nv) = p.M;
  program.e.head(nv) = -p.F;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    program.E.row(nv + static_cast<Eigen::Index>(r)).head(nv) = p.J.row(rows[r]);
    program.e[nv + static_cast<Eigen::Index>(r)] = -p.gamma[rows[r]];
  }
  for (std::size_t i = 0; i < count; ++i) {
    write_force(p, slips, i, columns.push[i], 1.0, program.E);
    write_force(p, slips, i, columns.pull[i], -1.0, program.E);
    if (columns.separation[i] >= 0) program.E(normal_at[i], columns.separation[i]) = -1.0;
  }
  for (std::size_t i = 0; i < p.loops.size(); ++i)
    for (int k = 0; k < p.loops[i].rows; ++k)
      program.E.col(columns.closure[i] + k).head(nv) = -p.J.row(p.loops[i].row + k).transpose();
}

void sliding_forces(const ContactProblem& p, const SlipDirections& slips, const SlidingColumns& columns,
                    const Eigen::VectorXd& x, Eigen::VectorXd& lambda)
{
  lambda.setZero(p.rows());
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    if (sticks(c, slips[i]) && has_choice(c, slips[i])) {
      for (const int column : {columns.push[i], columns.pull[i]})
        if (column >= 0) lambda.segment(c.row, c.rows()) += x.segment(column, c.rows());
      continue;
    }
    const double push = columns.push[i] >= 0 ? x[columns.push[i]] : 0.0;
    const double pull = columns.pull[i] >= 0 ? x[columns.pull[i]] : 0.0;
    lambda[c.row] = push - pull;
    if (!slips[i]) continue;
    const Eigen::Vector2d d = slips[i]->normalized();
    lambda.segment(c.row + 1, c.tangents) = -c.mu * std::abs(lambda[c.row]) * d.head(c.tangents);
  }
  for (std::size_t i = 0; i < p.loops.size(); ++i)
    lambda.segment(p.loops[i].row, p.loops[i].rows) = x.segment(columns.closure[i], p.loops[i].rows);
}

Determined determined(const ConeProgram& program, Eigen::Index nv)
{
  constexpr double kUndetermined = 1e-9;  // share of a unit that equations leave open
  // Rows and columns brought to like sizes: ranks must not depend on units.
  Eigen::MatrixXd E = program.E;
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (auto row : E.rowwise())
      if (const double size = row.size() > 0 ? row.cwiseAbs().maxCoeff() : 0.0; size > 0.0) row /= std::sqrt(size);
    for (auto column : E.colwise())
      if (const double size = column.size() > 0 ? column.cwiseAbs().maxCoeff() : 0.0; size > 0.0)
        column /= std::sqrt(size);
  }
  Determined result;
  if (E.cols() == 0) return {true, true};
  if (E.rows() == 0) return result;
  const Eigen::MatrixXd inverse =
      internal::LeastNorm(E, internal::kDependent).solve(Eigen::MatrixXd::Identity(E.rows(), E.rows()));
  const Eigen::MatrixXd left = Eigen::MatrixXd::Identity(E.cols(), E.cols()) - inverse * E;  // onto the null space
  // |I - R E| < 1 shows full column rank whatever R is, rounding of R included.
  result.everything = left.cwiseAbs().rowwise().sum().maxCoeff() < 0.5;
  result.acceleration = result.everything || nv == 0 || left.topRows(nv).cwiseAbs().maxCoeff() < kUndetermined;
  return result;
}

bool same_solution(const ContactProblem& p, const SlipDirections& slips, const SlidingWitness& one,
                   const SlidingWitness& other)
{
  SlidingBounds bounds;
  bounds.measure(p);
  return !differ(p, slips, bounds, one, other);
}

bool differ(const ContactProblem& p, const SlipDirections& slips, const SlidingBounds& bounds,
            const SlidingWitness& one, const SlidingWitness& other)
{
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (std::abs(one.a[j] - other.a[j]) > kSameSolution * std::max(bounds.scale(one.a, j), bounds.scale(other.a, j)))
      return true;
  // Forces of one acceleration form a convex set but for contacts that push in one and pull in the other.
  const auto sides = [&](std::size_t i) {
    const int row = p.contacts[i].row;
    const double clear = kSameSolution * bounds.scales.row_force(row), f = one.lambda[row], g = other.lambda[row];
    return two_sided(p.contacts[i], slips[i]) && ((f > clear && g < -clear) || (f < -clear && g > clear));
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i)
    if (sides(i)) return !proves_sliding_solution(p, slips, 0.5 * (one.a + other.a), 0.5 * (one.lambda + other.lambda));
  return false;
}

}  // namespace internal

namespace {

std::string dof_name(const ContactProblem& p, Eigen::Index j)
{
  const auto k = static_cast<std::size_t>(j);
  return "degree of freedom " + (k < p.dof_names.size() ? p.dof_names[k] : std::to_string(j));
}

using internal::kSameSolution;

/// A witness with its forces moved to where the laws of force hold exactly, against the bounds of the data.
struct WitnessCase {
  const ContactProblem& p;
  const SlipDirections& slips;
  const internal::SlidingBounds& bounds;
  const Eigen::VectorXd& a;
  Eigen::VectorXd u;     // J a + gamma
  Eigen::VectorXd near;  // the forces

  WitnessCase(const ContactProblem& problem, const SlipDirections& directions, const internal::SlidingBounds& sizes,
              const Eigen::VectorXd& acceleration)
      : p(problem), slips(directions), bounds(sizes), a(acceleration), u(problem.rows())
  {
    for (Eigen::Index i = 0; i < p.rows(); ++i) {
      Sum sum;
      sum.add(p.gamma[i]);
      for (Eigen::Index j = 0; j < p.nv(); ++j) sum.add(p.J(i, j), a[j]);
      u[i] = static_cast<double>(sum.value);
    }
  }

  bool still(int row) const { return std::abs(u[row]) <= bounds.still[row] * kInside; }
  bool opens(const Contact& c) const { return c.side == Side::kUnilateral && u[c.row] > bounds.still[c.row] * kInside; }

  /// The first degree of freedom whose balance is off by more than rounding of its terms or the tolerance; -1: none.
  Eigen::Index unbalanced(const Eigen::VectorXd& lambda) const;
  bool keeps_rows(std::string* why) const;
  bool within_bounds(std::string* why) const;
  void admit(std::size_t i, const double* f);

  static constexpr double kInside = 1.0 - 0x1p-20;  // rounding of these sums, and of products in the law of friction
};

Eigen::Index WitnessCase::unbalanced(const Eigen::VectorXd& lambda) const
{
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    Sum sum;
    sum.add(p.F[j]);
    for (Eigen::Index k = 0; k < p.nv(); ++k) sum.add(p.M(j, k), a[k]);
    for (Eigen::Index i = 0; i < p.rows(); ++i) sum.add(-p.J(i, j), lambda[i]);
    const long double off = std::abs(sum.value);
    if (!(off <= kRounding * sum.scale && off + internal::kSumRounding * sum.scale <= bounds.balance[j] * kInside) &&
        sum.scale > 0.0L)
      return j;
  }
  return -1;
}

bool WitnessCase::keeps_rows(std::string* why) const
{
  for (const LoopConstraint& c : p.loops)
    for (int row = c.row; row < c.row + c.rows; ++row)
      if (!still(row)) return refuse(why, [&] { return "closure " + c.name + " does not keep its acceleration"; });
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    if (!still(c.row) && !opens(c))
      return refuse(why, [&] { return "contact " + c.name + " does not keep its normal acceleration"; });
    if (!sticks(c, slips[i])) continue;
    for (int row = c.row + 1; row < c.row + c.rows(); ++row)
      if (!still(row)) return refuse(why, [&] { return "contact " + c.name + " does not stick"; });
  }
  return true;
}

/// What the law of contact i makes of the force f: nothing for a contact that opens, the law of friction otherwise.
void WitnessCase::admit(std::size_t i, const double* f)
{
  const Contact& c = p.contacts[i];
  double* allowed = near.data() + c.row;
  std::fill(allowed, allowed + c.rows(), 0.0);
  if (opens(c)) return;
  allowed[0] = c.side == Side::kUnilateral ? std::max(f[0], 0.0) : f[0];
  const double budget = c.mu * std::abs(allowed[0]);
  if (slips[i]) {
    const Eigen::Vector2d d = slips[i]->normalized();
    for (int k = 0; k < c.tangents; ++k) allowed[1 + k] = -budget * d[k];
    return;
  }
  const double size = c.tangents == 2 ? std::hypot(f[1], f[2]) : c.tangents == 1 ? std::abs(f[1]) : 0.0;
  for (int k = 1; k <= c.tangents; ++k) allowed[k] = size <= budget ? f[k] : f[k] * (budget / size);
  const double turn = c.torsion * std::abs(allowed[0]);
  if (c.torsional) allowed[1 + c.tangents] = std::clamp(f[1 + c.tangents], -turn, turn);
}

bool WitnessCase::within_bounds(std::string* why) const
{
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (!(std::abs(a[j]) <= bounds.most_a[j]))
      return refuse(why,
                    [&] { return "the acceleration of " + dof_name(p, j) + " is beyond all proportion to the loads"; });
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double* f = near.data() + c.row;
    const double sideways = c.tangents == 2 ? std::hypot(f[1], f[2]) : c.tangents == 1 ? std::abs(f[1]) : 0.0;
    if (!(std::max(std::abs(f[0]), sideways) <= bounds.most_force[c.row] * kInside) &&
        near.segment(c.row, c.rows()).any())
      return refuse(why, [&] { return "the force of contact " + c.name + " is beyond all proportion to the loads"; });
  }
  for (const LoopConstraint& c : p.loops)
    for (int row = c.row; row < c.row + c.rows; ++row)
      if (!(std::abs(near[row]) <= bounds.most_force[row]))
        return refuse(why, [&] { return "the force of closure " + c.name + " is beyond all proportion to the loads"; });
  return true;
}

/// The contact whose force the laws change most, as a share of it.
std::size_t moved_most(const ContactProblem& p, const Eigen::VectorXd& lambda, const Eigen::VectorXd& near)
{
  std::size_t most = 0;
  double share = -1.0;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double size = lambda.segment(c.row, c.rows()).lpNorm<Eigen::Infinity>();
    const double change = (lambda - near).segment(c.row, c.rows()).lpNorm<Eigen::Infinity>();
    if (!(size > 0.0) || !(change / size > share)) continue;
    share = change / size;
    most = i;
  }
  return most;
}

bool proves_solution(const ContactProblem& p, const SlipDirections& slips, const internal::SlidingBounds& bounds,
                     const Eigen::VectorXd& a, const Eigen::VectorXd& lambda, std::string* why)
{
  if (a.size() != p.nv() || lambda.size() != p.rows() || !internal::all_finite(a) || !internal::all_finite(lambda))
    return refuse(why, [] { return std::string("the solution has the wrong size or is not finite"); });
  WitnessCase c(p, slips, bounds, a);
  if (const Eigen::Index j = c.unbalanced(lambda); j >= 0)
    return refuse(why, [&] { return "M a + F = J'lambda is violated at " + dof_name(p, j); });
  if (!c.keeps_rows(why)) return false;
  c.near = lambda;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) c.admit(i, lambda.data() + p.contacts[i].row);
  if (!c.within_bounds(why)) return false;
  if (c.unbalanced(c.near) < 0) return true;
  return refuse(why, [&] {
    const std::size_t i = moved_most(p, lambda, c.near);
    const Contact& contact = p.contacts[i];
    if (c.opens(contact)) return "contact " + contact.name + " separates and still carries a force";
    return "the force of contact " + contact.name + " breaks the law of " + (slips[i] ? "sliding" : "sticking");
  });
}

bool well_formed(const ContactProblem& p, const SlipDirections& slips)
{
  const Eigen::Index n = p.nv(), m = p.rows();
  bool ok = p.M.rows() == n && p.M.cols() == n && p.J.rows() == m && p.J.cols() == n;
  ok = ok && slips.size() == p.contacts.size();
  ok = ok && internal::all_finite(p.M) && internal::all_finite(p.F) && internal::all_finite(p.J) &&
       internal::all_finite(p.gamma);
  for (std::size_t i = 0; ok && i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    ok = c.row >= 0 && c.tangents >= 0 && c.tangents <= 2 && c.row + c.rows() <= m;
    if (slips[i])
      ok = ok && std::abs(slips[i]->norm() - 1.0) <= internal::kUnitRounding &&
           slips[i]->tail(2 - c.tangents).isZero(0.0);
  }
  for (const LoopConstraint& c : p.loops) ok = ok && c.row >= 0 && c.rows >= 0 && c.row + c.rows <= m;
  return ok;
}

}  // namespace

ConeProgram sliding_program(const ContactProblem& problem, const SlipDirections& slips, const std::vector<int>& signs)
{
  ConeProgram program;
  SlidingColumns columns;
  internal::write_sliding_program(problem, slips, signs, program, columns);
  return program;
}

bool proves_sliding_solution(const ContactProblem& p, const SlipDirections& slips, const Eigen::VectorXd& a,
                             const Eigen::VectorXd& lambda, std::string* why)
{
  if (!well_formed(p, slips)) return refuse(why, [] { return std::string("the problem is malformed"); });
  internal::SlidingBounds bounds;
  bounds.measure(p);
  return proves_solution(p, slips, bounds, a, lambda, why);
}

bool internal::proves_sliding_solution(const ContactProblem& p, const SlipDirections& slips,
                                       const SlidingBounds& bounds, const Eigen::VectorXd& a,
                                       const Eigen::VectorXd& lambda)
{
  return proves_solution(p, slips, bounds, a, lambda, nullptr);
}

namespace {

/// Judges a certificate piece by piece.
class SlidingCase {
 public:
  SlidingCase(const ContactProblem& p, const SlipDirections& slips) : p_(p), slips_(slips), mode_(p, slips, bounds_)
  {
    bounds_.measure(p);
  }
  SlidingJudgement judge(const SlidingCertificate& certificate);

 private:
  bool fits(const std::vector<int>& signs, bool full) const;
  void blame(std::string words)
  {
    if (result_.why.empty()) result_.why = std::move(words);
  }
  void add(const MotionLeaf& leaf);
  void add(const SlidingWitness& witness);
  bool of_mode(const SlidingWitness& witness) const;
  bool one_acceleration(const SlidingWitness& witness);
  bool all_the_same() const;

  const ContactProblem& p_;
  const SlipDirections& slips_;
  internal::SlidingBounds bounds_;
  internal::SlidingMode mode_;
  SlidingJudgement result_;
  std::vector<MotionLeaf> settled_;  // modes that are empty, or whose one acceleration is among the witnesses
  std::vector<const SlidingWitness*> proved_;
  Eigen::VectorXd apart_;
  Eigen::VectorXd loosest_;  // per contact: what its normal force may differ by within a witness' mode
};

bool SlidingCase::fits(const std::vector<int>& signs, bool full) const
{
  if (signs.size() != p_.contacts.size()) return false;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    const bool choice = internal::has_choice(p_.contacts[i], slips_[i]);
    if (std::abs(signs[i]) > 1 || (!choice && signs[i] != 0) || (full && choice && signs[i] == 0)) return false;
  }
  return true;
}

void SlidingCase::add(const MotionLeaf& leaf)
{
  if (!fits(leaf.signs, false)) return blame("the signs of a leaf do not fit the contacts");
  std::string why;
  mode_.set(leaf.signs);
  if (mode_.is_empty(leaf.motion, &why))
    settled_.push_back({leaf.signs, {}});
  else
    blame("a mode is not shown to be impossible: " + why);
}

/// A witness settles a mode only when it is one of that mode: signs of its forces agree, open contacts carry none.
bool SlidingCase::of_mode(const SlidingWitness& witness) const
{
  WitnessCase c(p_, slips_, bounds_, witness.a);
  c.near = witness.lambda;
  for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
    const Contact& contact = p_.contacts[i];
    const int sign = witness.signs[i];
    if (sign == 0) continue;
    if (contact.side == Side::kUnilateral && sign > 0 && !c.still(contact.row)) return false;
    c.admit(i, witness.lambda.data() + contact.row);
    if (contact.side == Side::kUnilateral ? sign < 0 : sign * witness.lambda[contact.row] < 0.0)
      c.near.segment(contact.row, contact.rows()).setZero();
  }
  return c.unbalanced(c.near) < 0;
}

/// Whether the mode last set leaves no room for another acceleration.
bool SlidingCase::one_acceleration(const SlidingWitness& witness)
{
  mode_.spread(apart_);
  for (Eigen::Index j = 0; j < p_.nv(); ++j)
    if (!(apart_[j] <= 0.25 * kSameSolution * bounds_.scale(witness.a, j))) return false;
  for (std::size_t i = 0; i < p_.contacts.size(); ++i)
    for (const int column : {mode_.columns().push[i], mode_.columns().pull[i]})
      if (column >= 0)
        loosest_[static_cast<Eigen::Index>(i)] = std::max(loosest_[static_cast<Eigen::Index>(i)], apart_[column]);
  return true;
}

void SlidingCase::add(const SlidingWitness& witness)
{
  if (!fits(witness.signs, true)) return blame("the signs of a solution do not fit the contacts");
  std::string why;
  if (!proves_solution(p_, slips_, bounds_, witness.a, witness.lambda, &why)) return blame(why);
  proved_.push_back(&witness);
  if (!of_mode(witness)) return blame("a solution is not of the mode it is listed for");
  mode_.set(witness.signs);
  if (!one_acceleration(witness)) return blame("a mode leaves accelerations open");
  settled_.push_back({witness.signs, {}});
}

/// Nearer to each other than any two solutions that differ could be.
bool SlidingCase::all_the_same() const
{
  for (const SlidingWitness* witness : proved_)
    for (Eigen::Index j = 0; j < p_.nv(); ++j)
      if (!(std::abs(witness->a[j] - proved_[0]->a[j]) <= 0.25 * kSameSolution * bounds_.scale(proved_[0]->a, j)))
        return false;
  for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
    if (!internal::two_sided(p_.contacts[i], slips_[i])) continue;
    const double small = 0.25 * kSameSolution * bounds_.scales.row_force(p_.contacts[i].row);
    bool one_side = true, none = loosest_[static_cast<Eigen::Index>(i)] <= small;
    for (const SlidingWitness* witness : proved_) {
      one_side = one_side && witness->signs[i] == proved_[0]->signs[i];
      none = none && std::abs(witness->lambda[p_.contacts[i].row]) <= small;
    }
    if (!one_side && !none) return false;
  }
  return true;
}

SlidingJudgement SlidingCase::judge(const SlidingCertificate& certificate)
{
  loosest_.setZero(static_cast<Eigen::Index>(p_.contacts.size()));
  for (const MotionLeaf& leaf : certificate.leaves) add(leaf);
  for (const SlidingWitness& witness : certificate.witnesses) add(witness);
  result_.complete = internal::covers_every_sign(settled_, p_.contacts.size());
  if (!result_.complete) blame("not every mode is settled");
  bool several = false;
  for (std::size_t i = 1; i < proved_.size(); ++i)
    for (std::size_t k = 0; k < i && !several; ++k)
      several = internal::differ(p_, slips_, bounds_, *proved_[k], *proved_[i]);
  if (proved_.empty())
    result_.count = result_.complete ? SolutionCount::kNone : SolutionCount::kUndecided;
  else if (several)
    result_.count = SolutionCount::kSeveral;
  else
    result_.count = result_.complete && all_the_same() ? SolutionCount::kUnique : SolutionCount::kAtLeastOne;
  return result_;
}

}  // namespace

SlidingJudgement judge_sliding(const ContactProblem& p, const SlipDirections& slips,
                               const SlidingCertificate& certificate)
{
  if (well_formed(p, slips)) return SlidingCase(p, slips).judge(certificate);
  SlidingJudgement result;
  result.why = "the problem is malformed";
  return result;
}

}  // namespace stiction
