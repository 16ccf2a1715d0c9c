#pragma once

// What the judges of sticking and of equilibrium have in common: sums over the problem's own numbers with the scale of
// their rounding, and forces admissible to within it.
#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "proof/sums.hpp"
#include "stiction/proof.hpp"

namespace stiction::internal {

struct JudgeScratch {
  // Per degree of freedom.
  Eigen::VectorXd load;             // M a + F in double
  Eigen::VectorXd residual;         // M a + F - J'lambda in double
  Eigen::VectorXd force_scale;      // |M||a| + |F| + |J|'|lambda|
  Eigen::VectorXd force_tolerance;  // largest force that counts as zero
  Eigen::VectorXd all_loads;        // force scale of all loads together: inertia times A_j
  Eigen::VectorXd inertia;          // M_jj, and
  Eigen::VectorXd load_size;        // the larger of |M a + F| and |F|: the numbers that the next two were computed from
  Eigen::VectorXd swing;            // acceleration scale A_j of Judge::row_scales
  std::vector<Sum> exact_load;      // M a + F
  Eigen::VectorXd y;                // of a leaf, without noise
  // Per row of J.
  Eigen::VectorXd rows;         // J a + gamma
  Eigen::VectorXd row_scale;    // scale of J a + gamma
  Eigen::VectorXd velocity, velocity_scale;  // J y in double, |J||y|
  // Per degree of freedom and limited contact.
  Eigen::VectorXd clean_motion;
  // Per contact.
  std::vector<bool> gone;   // separates so clearly that it carries no force in any solution
};

inline FrictionCone cone_of(const Contact& contact, const ConeShape& shape, double sign)
{
  return {contact.tangents, contact.torsional, contact.mu, contact.torsion, sign, shape};
}

inline std::string row_name(const ContactProblem& problem, Eigen::Index row)
{
  for (const Contact& c : problem.contacts)
    if (row >= c.row && row < c.row + c.rows()) return "contact " + c.name + ", row " + std::to_string(row - c.row);
  for (const Closure& c : problem.closures)
    if (row >= c.row && row < c.row + c.rows) return "closure " + c.name + ", row " + std::to_string(row - c.row);
  return "row " + std::to_string(row);
}

inline bool usable(const ContactProblem& p, std::string* why)
{
  const Eigen::Index n = p.nv(), m = p.rows();
  bool ok = p.M.rows() == n && p.M.cols() == n && p.J.rows() == m && p.J.cols() == n;
  for (const Contact& c : p.contacts)
    ok = ok && c.row >= 0 && c.tangents >= 0 && c.tangents <= 2 && c.row + c.rows() <= m;
  for (const Closure& c : p.closures) ok = ok && c.row >= 0 && c.rows >= 0 && c.row + c.rows <= m;
  ok = ok && all_finite(p.M) && all_finite(p.F) && all_finite(p.J) && all_finite(p.gamma);
  return ok || refuse(why, [] { return std::string("the problem is malformed"); });
}

inline bool given(const Eigen::VectorXd& v, Eigen::Index size, const char* name, std::string* why)
{
  if (v.size() == size && all_finite(v)) return true;
  return refuse(why, [&] { return std::string(name) + " has the wrong size or is not finite"; });
}

/// (M v)_j
inline Sum inertia_sum(const ContactProblem& p, const Eigen::VectorXd& v, Eigen::Index j)
{
  Sum sum;
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

/// J v in double with the sums of absolute products; true when clearly_blocked may be asked about them.
inline bool quick_rows(const ContactProblem& p, const Eigen::VectorXd& v, JudgeScratch& s)
{
  if (p.nv() > kFewTerms) return false;
  s.velocity.resize(p.rows());
  s.velocity_scale.resize(p.rows());
  // A few rows at a time, so that their sums stay in registers.
  const auto sum_rows = [&]<int count>(Eigen::Index top, std::integral_constant<int, count>) {
    using Rows = Eigen::Array<double, count, 1>;
    Rows value = Rows::Zero(), scale = Rows::Zero();
    for (Eigen::Index j = 0; j < p.nv(); ++j) {
      const Rows product = v[j] * Eigen::Map<const Rows>(p.J.data() + j * p.rows() + top);
      value += product;
      scale += product.abs();
    }
    Eigen::Map<Rows>(s.velocity.data() + top) = value;
    Eigen::Map<Rows>(s.velocity_scale.data() + top) = scale;
  };
  constexpr int kStrip = 4;
  Eigen::Index top = 0;
  for (; top + kStrip <= p.rows(); top += kStrip) sum_rows(top, std::integral_constant<int, kStrip>{});
  for (; top < p.rows(); ++top) sum_rows(top, std::integral_constant<int, 1>{});
  return true;
}

/// Loads, rows, and the accelerations that the load would cause: A_j of Judge::row_scales.
///
/// All loads together, L^2 = sum of load_j^2 / M_jj, measure each degree of freedom: a solve mixes their rounding.
/// Neither internal forces in lambda nor motions in the null space of M enter, so neither can buy a wide tolerance.
///
/// Six degrees of freedom, those of one body, are worth loops of their own: N = 6, or -1 for any number.
template <int N>
void compute_loads_of(const ContactProblem& p, const Eigen::VectorXd& a, JudgeScratch& s)
{
  const Eigen::Index n = N > 0 ? N : p.nv();
  if (s.load.size() != n)
    for (Eigen::VectorXd* v : {&s.load, &s.inertia, &s.load_size, &s.all_loads, &s.swing, &s.force_tolerance}) v->setZero(n);
  s.rows = p.gamma;
  double *load = s.load.data(), *inertia = s.inertia.data(), *size = s.load_size.data(), *all = s.all_loads.data();
  for (Eigen::Index j = 0; j < n; ++j) load[j] = p.F[j];
  for (Eigen::Index j = 0; j < n; ++j) {
    if (a[j] == 0.0) continue;
    for (Eigen::Index i = 0; i < n; ++i) load[i] += a[j] * p.M(i, j);
    s.rows += a[j] * p.J.col(j);
  }
  // Divisions and square roots are slow, and many questions about the same loads come in a row.
  double change = 0.0;
  for (Eigen::Index j = 0; j < n; ++j) {
    const double own = p.M(j, j), larger = std::max(std::abs(load[j]), std::abs(p.F[j]));
    change += std::abs(inertia[j] - own) + std::abs(size[j] - larger);
    inertia[j] = own;
    size[j] = larger;
  }
  if (!(change == 0.0)) {
    using Loads = Eigen::Map<Eigen::Array<double, N, 1>>;
    const Loads sizes(size, n);
    Loads masses(all, n), swing(s.swing.data(), n);
    const double largest = n > 0 ? s.inertia.maxCoeff() : 0.0, instead = largest > 0.0 ? largest : 1.0;
    for (Eigen::Index j = 0; j < n; ++j) masses[j] = inertia[j] > 0.0 ? inertia[j] : instead;
    const double squares = (sizes.square() / masses).sum();
    swing = (squares / masses).sqrt();
    masses *= swing;   // all_loads
  }
  for (Eigen::Index j = 0; j < n; ++j) s.force_tolerance[j] = kSolve * all[j];
}

inline void compute_loads(const ContactProblem& p, const Eigen::VectorXd& a, JudgeScratch& s)
{
  if (p.nv() == 6)
    compute_loads_of<6>(p, a, s);
  else
    compute_loads_of<-1>(p, a, s);
}

/// The scales of the rows that compute_loads left in s.rows.
inline void compute_row_scales(const ContactProblem& p, JudgeScratch& s)
{
  s.row_scale = p.gamma.cwiseAbs();
  for (Eigen::Index j = 0; j < p.nv(); ++j) s.row_scale += s.swing[j] * p.J.col(j).cwiseAbs();
}

inline void compute_rows(const ContactProblem& p, const Eigen::VectorXd& a, JudgeScratch& s)
{
  compute_loads(p, a, s);
  compute_row_scales(p, s);
}

/// The row that leaves its contact most under a prescribed acceleration, -1 when all stick; after compute_loads.
inline Eigen::Index row_that_leaves(const ContactProblem& p, JudgeScratch& s)
{
  if ((s.rows.array() == 0.0).all()) return -1;   // at rest
  compute_row_scales(p, s);
  Eigen::Index worst = -1;
  double most = 0.0;
  for (Eigen::Index i = 0; i < p.rows(); ++i) {
    const double excess = std::abs(s.rows[i]) - kConsistent * s.row_scale[i];
    if (!(excess <= most)) {
      worst = i;
      most = excess;
    }
  }
  return worst;
}

/// Residual and tolerance of the force balance: rounding of the products that enter it, and never more than kSolve of
/// the load.
inline void compute_balance(const ContactProblem& p, const Eigen::VectorXd& a, const Eigen::VectorXd& lambda, JudgeScratch& s)
{
  s.force_scale = p.F.cwiseAbs();
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (a[j] != 0.0) s.force_scale += std::abs(a[j]) * p.M.col(j).cwiseAbs();
  s.residual = s.load;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    s.residual[j] -= p.J.col(j).dot(lambda);
    s.force_scale[j] += p.J.col(j).cwiseAbs().dot(lambda.cwiseAbs());
    s.force_tolerance[j] = std::min(s.force_tolerance[j], kRounding * s.force_scale[j]);
  }
}

/// M a + F = J'lambda + S'tau to the tolerance of every degree of freedom. `efforts` (optional): one per actuator; s.residual
/// already contains them.
inline bool balanced(const ContactProblem& p, const Eigen::VectorXd& a, const Eigen::VectorXd& lambda,
                     const Eigen::VectorXd* efforts, const JudgeScratch& s, std::string* why)
{
  // In double so many terms leave an error below 2^-46 of the scale; what that does not settle is summed again.
  const bool short_sums = p.nv() + p.rows() < 120;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const double tolerance = s.force_tolerance[j], scale = s.force_scale[j];
    if (!(scale < kInfinity)) return refuse(why, [] { return std::string("the forces overflow"); });
    if (short_sums && scale > 1e-200 && std::abs(s.residual[j]) + 0x1p-46 * scale <= tolerance) continue;
    Sum exact = minus_forces(p, lambda, j, load_sum(p, a, j));
    for (std::size_t k = 0; efforts && k < p.actuators.size(); ++k)
      if (p.actuators[k].dof == j) exact.add(-(*efforts)[static_cast<Eigen::Index>(k)]);
    if (!(std::abs(exact.value) <= tolerance))
      return refuse(why, [&] {
        const auto index = static_cast<std::size_t>(j);
        const std::string name = index < p.dof_names.size() ? p.dof_names[index] : std::to_string(j);
        return std::string(efforts ? "M a + F = J'lambda + S'tau" : "M a + F = J'lambda") + " is violated at degree of freedom " +
               name;
      });
  }
  return true;
}

/// True when removing a force of this size from a row changes no balance it enters by more than its tolerance.
inline bool negligible(const ContactProblem& p, const Eigen::VectorXd& tolerance, Eigen::Index row, double force)
{
  if (force == 0.0) return true;
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (!(std::abs(p.J(row, j) * force) <= tolerance[j])) return false;
  return true;
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

/// True when f is within rounding of the forces `near` on the first `rows` rows of the contact.
inline bool forces_match(const ContactProblem& p, const Eigen::VectorXd& tolerance, const Contact& contact, int rows,
                  const double* f, const double* near)
{
  for (int i = 0; i < rows; ++i)
    if (!negligible(p, tolerance, contact.row + i, f[i] - near[i])) return false;
  return true;
}

/// Adds to `gain`, the drive of a motion, what limited contacts can supply against it; false when a contact or closure
/// can oppose the motion. A leaf with sign 0 must be opposed by neither half of the double cone.
///
/// Rows of J y are forgiven their rounding; forces of the size of `lambda` (optional) turn that into as much of y'J'lambda,
/// which therefore counts as rounding of the gain. Contacts that are `gone` (optional) carry nothing.
inline bool contacts_give_way(const ContactProblem& p, const ConeShape& shape, const std::vector<int>& signs,
                              const Eigen::VectorXd& motion, const std::vector<bool>* gone,
                              const Eigen::VectorXd* lambda, JudgeScratch& s, Sum& gain, std::string* why)
{
  for (const Closure& c : p.closures)
    for (int i = c.row; i < c.row + c.rows; ++i) {
      const Sum velocity = row_sum(p, motion, i);
      if (!(std::abs(velocity.value) <= kRounding * velocity.scale))
        return refuse(why, [&] { return "the motion violates " + row_name(p, i); });
      if (lambda) gain.scale += std::abs((*lambda)[i]) * velocity.scale;
    }

  const bool quick = !lambda && quick_rows(p, motion, s);
  Eigen::Index next_price = p.nv();
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double price = std::isfinite(c.max_normal) ? motion[next_price++] : 0.0;
    if (!(price >= 0.0)) return refuse(why, [&] { return "the price of contact " + c.name + " is negative"; });
    if (gone && (*gone)[i]) continue;
    if (price > 0.0) gain.add(-static_cast<long double>(price), c.max_normal);
    for (const int sign : {1, -1}) {
      if (sign == -signs[i] || (sign < 0 && c.side == Side::kUnilateral)) continue;
      const FrictionCone cone = cone_of(c, shape, sign);
      if (quick && clearly_blocked(cone, s.velocity.data() + c.row, s.velocity_scale.data() + c.row, price)) continue;
      Sum velocities[4];
      for (int k = 0; k < c.rows(); ++k) velocities[k] = row_sum(p, motion, c.row + k);
      const Sum best = support_sum(cone, velocities);
      if (!(best.value - price <= kRounding * (best.scale + price)))
        return refuse(why, [&] { return "contact " + c.name + " can oppose the motion"; });
      if (lambda) gain.scale += std::abs((*lambda)[c.row]) * best.scale;
    }
  }
  return true;
}

/// s.clean_motion: a leaf's motion with the noise in y dropped; false when there is none.
inline bool without_noise(const ContactProblem& p, const Eigen::VectorXd& motion, JudgeScratch& s)
{
  s.y = motion.head(p.nv());
  if (!drop_noise(p.J.transpose(), s.y)) return false;
  s.clean_motion = motion;
  s.clean_motion.head(p.nv()) = s.y;
  return true;
}

/// Sizes and signs of a leaf fit the problem.
inline bool leaf_fits(const ContactProblem& p, const MotionLeaf& leaf, std::string* why)
{
  const auto limited = std::count_if(p.contacts.begin(), p.contacts.end(),
                                     [](const Contact& c) { return std::isfinite(c.max_normal); });
  if (!given(leaf.motion, p.nv() + limited, "a leaf's motion", why)) return false;
  bool signs_fit = leaf.signs.size() == p.contacts.size();
  for (std::size_t i = 0; signs_fit && i < leaf.signs.size(); ++i) {
    const bool bilateral = p.contacts[i].side == Side::kBilateral;
    signs_fit = leaf.signs[i] == 0 || (bilateral && std::abs(leaf.signs[i]) == 1);
  }
  return signs_fit || refuse(why, [] { return std::string("a leaf's signs do not fit the contacts"); });
}

}  // namespace stiction::internal
