#pragma once

// What the judges of sticking and of equilibrium have in common (docs/proofs.md): forces inside their cones and bounds,
// the balance of forces with its backward error, and what bounded forces can supply against a motion.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include "base/numerics.hpp"
#include "cone/kernels.hpp"
#include "proof/scales.hpp"
#include "proof/sums.hpp"
#include "stiction/proof.hpp"

namespace stiction::internal {

struct JudgeScratch {
  Scales scales;
  // Per degree of freedom.
  Eigen::VectorXd load;             // M a + F
  Eigen::VectorXd load_size;        // sum of the absolute values of its terms
  Eigen::VectorXd residual;         // M a + F - J'near
  Eigen::VectorXd tolerance;        // backward error of the balance
  double needed = 0.0;              // of it, by the forces of the last verdict
  std::vector<Sum> exact_load;      // M a + F
  std::vector<Sum> exact_balance;   // of a sparse problem
  Eigen::VectorXd y, clean_motion;  // of a leaf, without noise
  Eigen::VectorXd efforts;          // within their limits
  // Per row of J.
  Eigen::VectorXd near;  // forces moved into their cones
  Eigen::VectorXd rows;  // J a + gamma
  // Per contact.
  std::vector<char> open;  // separates: carries nothing
  // Of systems that may move.
  std::vector<char> moving;                    // per part
  Eigen::VectorXd speed;                       // per part: largest acceleration at the contacts
  std::vector<Sum> norms, norms_of_y;          // per part: squares of a and of a leaf's motion in the norm of M
  Eigen::VectorXd push;                        // per row: multipliers of Gauss' principle, clamped
  Eigen::VectorXd miss;                        // per degree of freedom: |M a + F - J'push|
  Eigen::VectorXd error, power, static_power;  // per part: see Case::bound_motion
  Eigen::VectorXd q1, q2, reach_swing, reach_bound;
  std::vector<Sum> gain_moving, gain_static;  // per part: see Case::drive
  Eigen::MatrixXd V, Q;
  Eigen::VectorXd coefficients, bounds;
  // Sizes of the problem as row_scales sees them.
  Eigen::VectorXd heaviest, squares;  // per part
  Eigen::VectorXd row_scale;
};

inline FrictionCone cone_of(const Contact& contact, const ConeShape& shape, double sign)
{
  return {contact.tangents, contact.torsional, contact.mu, contact.torsion, sign, shape};
}

/// The contact or closure that has a row; `first` (optional) receives its first row.
inline std::string owner_name(const ContactProblem& problem, Eigen::Index row, Eigen::Index* first = nullptr)
{
  const auto named = [&](const char* kind, const std::string& name, int start) {
    if (first) *first = start;
    return kind + name;
  };
  for (const Contact& c : problem.contacts)
    if (row >= c.row && row < c.row + c.rows()) return named("contact ", c.name, c.row);
  for (const LoopConstraint& c : problem.loops)
    if (row >= c.row && row < c.row + c.rows) return named("closure ", c.name, c.row);
  return named("nothing", "", 0);
}

inline std::string row_name(const ContactProblem& problem, Eigen::Index row)
{
  Eigen::Index first = 0;
  const std::string owner = owner_name(problem, row, &first);
  return owner + ", row " + std::to_string(row - first);
}

inline std::string dof_name(const ContactProblem& problem, Eigen::Index dof)
{
  const auto index = static_cast<std::size_t>(dof);
  return index < problem.dof_names.size() ? problem.dof_names[index] : "degree of freedom " + std::to_string(dof);
}

inline bool usable(const ContactProblem& p, std::string* why)
{
  const Eigen::Index n = p.nv(), m = p.rows();
  bool ok = p.M.rows() == n && p.M.cols() == n && p.J.rows() == m && p.J.cols() == n;
  for (const Contact& c : p.contacts)
    ok = ok && c.row >= 0 && c.tangents >= 0 && c.tangents <= 2 && c.row + c.rows() <= m;
  for (const LoopConstraint& c : p.loops) ok = ok && c.row >= 0 && c.rows >= 0 && c.row + c.rows <= m;
  ok = ok && all_finite(p.M) && all_finite(p.F) && all_finite(p.J) && all_finite(p.gamma);
  return ok || refuse(why, [] { return std::string("the problem is malformed"); });
}

inline bool given(const Eigen::VectorXd& v, Eigen::Index size, const char* name, std::string* why)
{
  if (v.size() == size && all_finite(v)) return true;
  return refuse(why, [&] { return std::string(name) + " has the wrong size or is not finite"; });
}

/// The same of a sparse problem.
inline bool usable_sparse(const ContactProblem& p, std::string* why)
{
  const Eigen::Index n = p.nv(), m = p.rows();
  bool ok = p.sparse_M.rows() == n && p.sparse_M.cols() == n && p.sparse_J.rows() == m && p.sparse_J.cols() == n &&
            p.sparse_M.isCompressed() && p.sparse_J.isCompressed() && n >= ContactProblem::kFewestSparse;
  for (const Contact& c : p.contacts)
    ok = ok && c.row >= 0 && c.tangents >= 0 && c.tangents <= 2 && c.row + c.rows() <= m;
  for (const LoopConstraint& c : p.loops) ok = ok && c.row >= 0 && c.rows >= 0 && c.row + c.rows <= m;
  for (const ContactProblem::SparseMatrix* A : {&p.sparse_M, &p.sparse_J})
    ok = ok && all_finite(Eigen::Map<const Eigen::VectorXd>(A->valuePtr(), A->nonZeros()));
  ok = ok && all_finite(p.F) && all_finite(p.gamma);
  return ok || refuse(why, [] { return std::string("the problem is malformed"); });
}

/// (M v)_j
inline Sum inertia_sum(const ContactProblem& p, const Eigen::VectorXd& v, Eigen::Index j)
{
  Sum sum;
  if (p.is_sparse()) {
    for (ContactProblem::SparseMatrix::InnerIterator it(p.sparse_M, j); it; ++it)
      if (v[it.col()] != 0.0) sum.add(it.value(), v[it.col()]);
    return sum;
  }
  for (Eigen::Index k = 0; k < p.nv(); ++k)
    if (v[k] != 0.0) sum.add(p.M(j, k), v[k]);
  return sum;
}

/// sum - (J'lambda)_j
inline Sum minus_forces(const ContactProblem& p, const Eigen::VectorXd& lambda, Eigen::Index j, Sum sum = {})
{
  const double* column = p.J.data() + j * p.rows();
  for (Eigen::Index i = 0; i < p.rows(); ++i) sum.add(-column[i], lambda[i]);
  return sum;
}

/// (M a + F)_j
inline Sum load_sum(const ContactProblem& p, const Eigen::VectorXd& a, Eigen::Index j)
{
  Sum sum = inertia_sum(p, a, j);
  sum.add(p.F[j]);
  return sum;
}

/// (J v)_i
inline Sum row_sum(const ContactProblem& p, const Eigen::VectorXd& v, Eigen::Index i)
{
  Sum sum;
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (v[j] != 0.0) sum.add(p.J(i, j), v[j]);
  return sum;
}

/// |f_t| in the norm whose unit ball is the disk or polygon of friction 1.
inline double tangential_gauge(FrictionCone cone, const double* f)
{
  if (cone.tangents == 0) return 0.0;
  cone.mu = 1.0;
  cone.torsional = false;
  const double sideways[3] = {0.0, f[1], cone.tangents == 2 ? f[2] : 0.0};
  return -slack(cone, sideways);
}

/// An admissible force near f: normal clamped to its side and limit, then tangents and torsion shrunk to their bounds.
inline void make_admissible(const Contact& contact, const ConeShape& shape, const double* f, double* near)
{
  const FrictionCone cone = cone_of(contact, shape, f[0] < 0.0 && contact.side == Side::kBilateral ? -1.0 : 1.0);
  const double normal = std::min(std::max(cone.sign * f[0], 0.0), contact.max_normal);
  near[0] = cone.sign * normal;
  const double gauge = tangential_gauge(cone, f), budget = contact.mu * normal;
  for (int i = 1; i <= contact.tangents; ++i) near[i] = gauge <= budget ? f[i] : f[i] * (budget / gauge);
  const int last = 1 + contact.tangents;
  if (contact.torsional) near[last] = std::clamp(f[last], -contact.torsion * normal, contact.torsion * normal);
}

/// Radius of the disk around a polygon.
inline double outer_radius(const FrictionCone& cone)
{
  const bool outside = cone.tangents == 2 && cone.shape.approximation == ConeApproximation::kOuter;
  return cone.tangents == 0 ? 0.0 : outside ? cone.mu / std::cos(std::numbers::pi / cone.shape.facets) : cone.mu;
}

/// True when the force in s.near is the certificate's but for what a person would call rounding: the forces that are
/// shown are those that prove.
inline bool hardly_moved(const Eigen::VectorXd& lambda, const JudgeScratch& s, const Contact& c)
{
  constexpr double kHardly = 0x1p-36;  // 1.5e-11
  for (int k = 0; k < c.rows(); ++k) {
    const Eigen::Index row = c.row + k;
    if (s.near[row] == lambda[row]) continue;
    const double size = std::max(std::abs(lambda[c.row]), s.scales.row_force(row)) + std::abs(lambda[row]);
    if (!(std::abs(s.near[row] - lambda[row]) <= kHardly * size)) return false;
  }
  return true;
}

/// Moves every force into its cone, side and limit (s.near); contacts that are `open` carry nothing. False when that is
/// more than rounding, or when a force exceeds what the verdict is about.
inline bool admit_forces(const ContactProblem& p, const ConeShape& shape, const Eigen::VectorXd& lambda,
                         const std::vector<char>* moving, JudgeScratch& s, std::string* why)
{
  const auto within = [&](Eigen::Index row, double force) {
    if (!(s.scales.weight[row] > 0.0)) return true;  // moves nothing
    const bool moves = moving && (*moving)[static_cast<std::size_t>(s.scales.row_part[static_cast<std::size_t>(row)])];
    return force <= (moves ? kMovingForces : kStaticForces) * s.scales.row_force(row);
  };
  s.near = lambda;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    double* near = s.near.data() + c.row;
    const bool open = moving && s.open[i];
    if (open)
      std::fill(near, near + c.rows(), 0.0);
    else
      make_admissible(c, shape, lambda.data() + c.row, near);
    if (!hardly_moved(lambda, s, c))
      return refuse(why, [&] {
        return open ? "contact " + c.name + " separates and still carries a force"
                    : "the force of contact " + c.name + " is not admissible";
      });
    if (open) continue;
    const double sideways = c.tangents == 2 ? std::hypot(near[1], near[2]) : c.tangents == 1 ? std::abs(near[1]) : 0.0;
    const int last = c.row + 1 + c.tangents;
    if (!within(c.row, std::max(std::abs(near[0]), sideways)) || (c.torsional && !within(last, std::abs(s.near[last]))))
      return refuse(why, [&] { return "the force of contact " + c.name + " is beyond all proportion to the loads"; });
  }
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r)
      if (!within(r, std::abs(lambda[r])))
        return refuse(why, [&] { return "the force of closure " + c.name + " is beyond all proportion to the loads"; });
  return true;
}

/// Of a sparse problem at rest, from the load and its size.
inline void compute_sparse_balance(const ContactProblem& p, JudgeScratch& s)
{
  const auto add_row = [&](Eigen::Index row) {
    const double force = s.near[row];
    for (ContactProblem::SparseMatrix::InnerIterator it(p.sparse_J, row); it && force != 0.0; ++it) {
      s.residual[it.col()] -= it.value() * force;
      s.tolerance[it.col()] += std::abs(force * it.value());
    }
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const Scales::Block& block = s.scales.blocks[i];
    const double* f = s.near.data() + c.row;
    double size = 0.0;
    for (int k = 0; k <= c.tangents; ++k) size += std::abs(f[k]);
    for (std::size_t k = 0; k < block.columns.size() && size > 0.0; ++k) {
      const double* entry = block.entries.data() + k * static_cast<std::size_t>(c.rows());
      double sum = entry[0] * f[0];
      for (int r = 1; r <= c.tangents; ++r) sum += entry[r] * f[r];
      s.residual[block.columns[k]] -= sum;
      s.tolerance[block.columns[k]] += size * block.reach[k];
    }
    if (c.torsional) add_row(c.row + 1 + c.tangents);
  }
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r) add_row(r);
  s.tolerance *= s.scales.backward;
}

/// M a + F - J'near - S'tau of a sparse problem, in long sums.
inline void sum_sparse_balance(const ContactProblem& p, const Eigen::VectorXd& a, const Eigen::VectorXd* efforts,
                               JudgeScratch& s)
{
  s.exact_balance.resize(static_cast<std::size_t>(p.nv()));
  for (Eigen::Index j = 0; j < p.nv(); ++j) s.exact_balance[static_cast<std::size_t>(j)] = load_sum(p, a, j);
  for (Eigen::Index r = 0; r < p.rows(); ++r)
    for (ContactProblem::SparseMatrix::InnerIterator it(p.sparse_J, r); it; ++it)
      s.exact_balance[static_cast<std::size_t>(it.col())].add(-it.value(), s.near[r]);
  for (std::size_t k = 0; efforts && k < p.actuators.size(); ++k)
    s.exact_balance[static_cast<std::size_t>(p.actuators[k].dof)].add(-(*efforts)[static_cast<Eigen::Index>(k)]);
}

/// Residual and tolerance of M a + F = J'near: a backward error u of the load and of every contact's axes and
/// lever arms. The loads (s.load, s.load_size) are those of the caller; forces of moving parts count as their scale at
/// most.
inline void compute_balance(const ContactProblem& p, const std::vector<char>* moving, JudgeScratch& s)
{
  const Eigen::Index n = p.nv();
  s.residual = s.load;
  s.tolerance = s.load_size;
  if (p.is_sparse()) return compute_sparse_balance(p, s);
  const auto counted = [&](Eigen::Index row, double force, double most) {
    const bool moves = moving && (*moving)[static_cast<std::size_t>(s.scales.row_part[static_cast<std::size_t>(row)])];
    return moves ? std::min(force, most * s.scales.row_force(row)) : force;
  };
  const auto add = [&](Eigen::Index row, double force, double size, const auto& lever) {
    for (Eigen::Index j = 0; j < n; ++j) {
      s.residual[j] -= p.J(row, j) * force;
      s.tolerance[j] += size * std::abs(lever(j));
    }
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double* f = s.near.data() + c.row;
    double size = std::abs(f[0]);
    for (int k = 1; k <= c.tangents; ++k) size += std::abs(f[k]);
    if (size > 0.0) {
      const double* reach = s.scales.reach.data() + static_cast<Eigen::Index>(i) * n;
      size = counted(c.row, size, 2.0);
      for (Eigen::Index j = 0; j < n; ++j) {
        const double* entry = p.J.data() + j * p.rows() + c.row;
        double sum = entry[0] * f[0];
        for (int k = 1; k <= c.tangents; ++k) sum += entry[k] * f[k];
        s.residual[j] -= sum;
        s.tolerance[j] += size * reach[j];
      }
    }
    const int last = c.row + 1 + c.tangents;
    if (c.torsional && s.near[last] != 0.0)
      add(last, s.near[last], counted(last, std::abs(s.near[last]), 1.0), [&](Eigen::Index j) { return p.J(last, j); });
  }
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r)
      if (s.near[r] != 0.0)
        add(r, s.near[r], counted(r, std::abs(s.near[r]), 1.0), [&](Eigen::Index j) { return p.J(r, j); });
  s.tolerance *= s.scales.backward;
}

/// M a + F = J'near + S'tau within the tolerance of every degree of freedom. `efforts` (optional): one per actuator;
/// s.residual already contains them. `plain`: the tolerances count every force in full.
inline bool balanced(const ContactProblem& p, const Certificate& certificate, const Eigen::VectorXd* efforts,
                     bool plain, JudgeScratch& s, std::string* why)
{
  s.needed = 0.0;
  constexpr double kNoUnderflow = 1e-200;
  // In double so many terms leave an error below a quarter of the tolerance; what that does not settle is summed again.
  const bool short_sums = plain && p.nv() + p.rows() < 90;
  if (p.is_sparse()) sum_sparse_balance(p, certificate.a, efforts, s);
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const double tolerance = s.tolerance[j];
    if (!(tolerance < kInfinity)) return refuse(why, [] { return std::string("the forces overflow"); });
    if (short_sums && s.scales.backward == kRounding && tolerance > kNoUnderflow &&
        std::abs(s.residual[j]) <= 0.75 * tolerance)
      continue;
    Sum exact = p.is_sparse() ? s.exact_balance[static_cast<std::size_t>(j)]
                              : minus_forces(p, s.near, j, load_sum(p, certificate.a, j));
    for (std::size_t k = 0; efforts && !p.is_sparse() && k < p.actuators.size(); ++k)
      if (p.actuators[k].dof == j) exact.add(-(*efforts)[static_cast<Eigen::Index>(k)]);
    if (!(std::abs(exact.value) <= tolerance))
      return refuse(why, [&] {
        return std::string(efforts ? "M a + F = J'lambda + S'tau" : "M a + F = J'lambda") + " is violated at " +
               dof_name(p, j);
      });
    if (tolerance > 0.0)
      s.needed = std::max(s.needed, s.scales.backward * static_cast<double>(std::abs(exact.value) / tolerance));
  }
  if (s.needed <= kRounding) s.needed = 0.0;
  return true;
}

/// Largest forces of a contact that a verdict is about.
struct ForceBound {
  double normal = 0.0, sideways = 0.0;
};

/// Upper bound of what contact i can supply against the motion y beyond the price w of its normal force:
/// sup of f'J_i y + u |f| (|J_i| |y|) - w f_n over its forces with f_n <= normal and |f_t| <= sideways, for one
/// half of its cone.
inline double contact_supply(const ContactProblem& p, const ConeShape& shape, std::size_t i, double sign,
                             const Eigen::VectorXd& y, double price, const ForceBound& bound, const Scales& scales)
{
  const Contact& c = p.contacts[i];
  const Eigen::Index n = p.is_sparse() ? static_cast<Eigen::Index>(scales.blocks[i].columns.size()) : p.nv();
  double h[4] = {0.0, 0.0, 0.0, 0.0}, reach = 0.0, spin = 0.0;
  const double* lever = scales.reach.data() + static_cast<Eigen::Index>(i) * n;
  const int rows = c.rows();
  const auto add_block = [&](const Scales::Block& block) {
    for (Eigen::Index j = 0; j < n; ++j) {
      const double speed = y[block.columns[static_cast<std::size_t>(j)]];
      const double* entry = block.entries.data() + j * rows;
      for (int k = 0; k < rows; ++k) h[k] += entry[k] * speed;
      reach += block.reach[static_cast<std::size_t>(j)] * std::abs(speed);
      if (c.torsional) spin += std::abs(entry[rows - 1] * speed);
    }
  };
  const auto add_columns = [&](int count) {
    for (Eigen::Index j = 0; j < n; ++j) {
      if (y[j] == 0.0) continue;
      const double* entry = p.J.data() + j * p.rows() + c.row;
      for (int k = 0; k < count; ++k) h[k] += entry[k] * y[j];
      reach += lever[j] * std::abs(y[j]);
      if (c.torsional) spin += std::abs(entry[count - 1] * y[j]);
    }
  };
  if (p.is_sparse())
    add_block(scales.blocks[i]);
  else
    rows == 3 ? add_columns(3) : add_columns(rows);  // a number known beforehand needs no loop
  if (reach == 0.0 && spin == 0.0 && price >= 0.0) return 0.0;
  const FrictionCone cone = cone_of(c, shape, sign);
  // Sums of n products in double are off by at most n 2^-53 of the sum of their absolute values.
  const double slip = outer_radius(cone), share = scales.backward + kUlp * static_cast<double>(n + 16);
  // |f_1| + |f_2| <= 1.4143 |f_t|
  const double rounding = share * ((1.0 + 1.4143 * slip) * reach + c.torsion * spin) + 4.0 * kUlp * price;
  const double excess = support(cone, h) - price + rounding;
  if (excess <= 0.0) return 0.0;
  // Beyond f_n = sideways / mu the tangential force grows no more.
  const double knee = c.mu * bound.normal > bound.sideways ? bound.sideways / c.mu : bound.normal;
  const double twisting = c.torsional ? c.torsion * (std::abs(h[rows - 1]) + share * spin) : 0.0;
  const double pushing = sign * h[0] - price + share * reach + 4.0 * kUlp * price + twisting;
  return knee * excess + (bound.normal - knee) * std::max(pushing, 0.0);
}

/// The same for the halves that a leaf's sign leaves to the contact.
inline double most_supply(const ContactProblem& p, const ConeShape& shape, std::size_t i, int sign,
                          const Eigen::VectorXd& y, double price, const ForceBound& bound, const Scales& scales)
{
  double most = 0.0;
  for (const int half : {1, -1}) {
    if (half == -sign || (half < 0 && p.contacts[i].side == Side::kUnilateral)) continue;
    const double supply = contact_supply(p, shape, i, half, y, price, bound, scales);
    if (!(supply <= most)) most = supply;
  }
  return most;
}

/// The same for a row without a cone.
inline double row_supply(const ContactProblem& p, Eigen::Index row, const Eigen::VectorXd& y, double bound,
                         double backward)
{
  double sum = 0.0, scale = 0.0;
  if (p.is_sparse()) {
    for (ContactProblem::SparseMatrix::InnerIterator it(p.sparse_J, row); it; ++it) {
      sum += it.value() * y[it.col()];
      scale += std::abs(it.value() * y[it.col()]);
    }
  } else {
    for (Eigen::Index j = 0; j < p.nv(); ++j) {
      sum += p.J(row, j) * y[j];
      scale += std::abs(p.J(row, j) * y[j]);
    }
  }
  const double share = backward + kUlp * static_cast<double>(p.nv() + 8);
  return scale == 0.0 ? 0.0 : bound * (std::abs(sum) + share * scale);
}

/// Subtracts from `gain`, the drive of a motion, what limits and bounded forces can supply against it: concave in the
/// loads. A leaf with sign 0 must be opposed by neither half of the double cone.
inline bool contacts_give_way(const ContactProblem& p, const ConeShape& shape, const std::vector<int>& signs,
                              const Eigen::VectorXd& motion, const JudgeScratch& s, Sum& gain, std::string* why)
{
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r) {
      gain.add(-row_supply(p, r, motion, kStaticForces * s.scales.row_force(r), s.scales.backward));
      if (!(gain.value > 0.0L)) return refuse(why, [&] { return "closure " + c.name + " can oppose the motion"; });
    }
  Eigen::Index next_price = p.nv();
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double price = std::isfinite(c.max_normal) ? motion[next_price++] : 0.0;
    if (!(price >= 0.0)) return refuse(why, [&] { return "the price of contact " + c.name + " is negative"; });
    if (price > 0.0) gain.add(-static_cast<long double>(price), c.max_normal);
    const double usual = kStaticForces * s.scales.row_force(c.row);
    gain.add(-most_supply(p, shape, i, signs[i], motion, price, {usual, usual}, s.scales));
    if (!(gain.value > 0.0L)) return refuse(why, [&] { return "contact " + c.name + " can oppose the motion"; });
  }
  return true;
}

/// The row that leaves its contact most under a prescribed acceleration, -1 when all stick to kConsistent.
Eigen::Index row_that_leaves(const ContactProblem& p, const Eigen::VectorXd& a, JudgeScratch& s);

/// s.clean_motion: a leaf's motion with the noise in y dropped; false when there is none.
inline bool without_noise(const ContactProblem& p, const Eigen::VectorXd& motion, JudgeScratch& s)
{
  s.y = motion.head(p.nv());
  if (p.is_sparse() ? !drop_noise(s.scales.largest_entry, s.y) : !drop_noise(p.J.transpose(), s.y)) return false;
  s.clean_motion = motion;
  s.clean_motion.head(p.nv()) = s.y;
  return true;
}

/// Sizes and signs of a leaf fit the problem.
inline bool leaf_fits(const ContactProblem& p, const MotionLeaf& leaf, std::string* why)
{
  const auto limited =
      std::count_if(p.contacts.begin(), p.contacts.end(), [](const Contact& c) { return std::isfinite(c.max_normal); });
  if (!given(leaf.motion, p.nv() + limited, "a leaf's motion", why)) return false;
  bool signs_fit = leaf.signs.size() == p.contacts.size();
  for (std::size_t i = 0; signs_fit && i < leaf.signs.size(); ++i) {
    const bool bilateral = p.contacts[i].side == Side::kBilateral;
    signs_fit = leaf.signs[i] == 0 || (bilateral && std::abs(leaf.signs[i]) == 1);
  }
  return signs_fit || refuse(why, [] { return std::string("a leaf's signs do not fit the contacts"); });
}

}  // namespace stiction::internal
