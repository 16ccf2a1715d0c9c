// All-sticking: (65) with its tolerances and bounds, as stated and proved in docs/proofs.md.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/numerics.hpp"
#include "proof/detachment.hpp"
#include "proof/judge_parts.hpp"
#include "proof/sign_cover.hpp"
#include "stiction/proof.hpp"

namespace stiction {
namespace {

using namespace internal;

std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

/// Rounding that counts against a proof, at least that of a few terms.
constexpr long double kLeastCharge = 0x1p-58L;
long double charged_rounding(Eigen::Index terms) { return std::max(kLeastCharge, rounding_of_sum(terms)); }

/// Everything about one certificate; the scratch vectors keep their memory between certificates.
struct Case {
  const ContactProblem& p;
  const StickingRules& rules;
  const Certificate& certificate;
  JudgeScratch& s;
  std::string* why;

  bool may_detach(const Contact& c) const
  {
    return c.side == Side::kUnilateral && rules.detachment == Detachment::kAllowed;
  }
  int part(Eigen::Index dof) const { return s.scales.part[at(dof)]; }
  int row_part(Eigen::Index row) const { return s.scales.row_part[at(row)]; }
  /// How much a row may accelerate and still be at rest.
  double at_rest(Eigen::Index row) const
  {
    return kAtRest * (s.scales.weight[row] * s.speed[row_part(row)] + std::abs(p.gamma[row]));
  }
  template <typename Visit>
  bool every_row(Visit visit) const;

  void measure();
  void load_motion(const Eigen::VectorXd& a, int rounding);
  bool forces();
  bool rows_at_rest();

  bool motion();
  bool near_motion();
  void clamp_multipliers();
  void bound_motion();
  bool tighten_motion();
  void tighten_part(int k);
  bool leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why);
  void drive(const Eigen::VectorXd& y);
  Sum least_gain() const;
  bool oppose(const MotionLeaf& leaf, const Eigen::VectorXd& motion, Eigen::Index& strongest, std::string* leaf_why);

  bool penetrates(const Eigen::VectorXd& row, double drift);
  bool stays_below_zero(const Eigen::VectorXd& row, double drift) const;

  bool contradiction(const Eigen::VectorXd& lambda);
  bool unbalanced(const Eigen::VectorXd& direction);
};

/// visit(row, may open) for every row until one says no.
template <typename Visit>
bool Case::every_row(Visit visit) const
{
  for (const Contact& c : p.contacts)
    for (int i = 0; i < c.rows(); ++i)
      if (!visit(c.row + i, i == 0 && may_detach(c))) return false;
  for (const LoopConstraint& c : p.loops)
    for (int i = 0; i < c.rows; ++i)
      if (!visit(c.row + i, false)) return false;
  return true;
}

void Case::measure()
{
  s.scales.measure(p);
  s.scales.measure_forces(p);
}

/// Loads, rows, and per part what moves: the accelerations at the contacts and the norm of a in M; `rounding` is -1 for
/// a norm that is not too large, +1 for one that is not too small.
void Case::load_motion(const Eigen::VectorXd& a, int rounding)
{
  const Eigen::Index n = p.nv();
  s.moving.assign(at(s.scales.parts), 0);
  s.speed.setZero(s.scales.parts);
  s.exact_load.clear();
  s.norms.assign(at(s.scales.parts), Sum{});
  s.load.resize(n);
  s.load_size.resize(n);
  for (Eigen::Index i = 0; i < p.rows(); ++i)
    if (p.gamma[i] != 0.0) s.moving[at(row_part(i))] = 1;
  for (Eigen::Index j = 0; j < n; ++j) {
    s.exact_load.push_back(load_sum(p, a, j));
    s.load[j] = static_cast<double>(s.exact_load.back().value);
    if (a[j] == 0.0) continue;
    const int k = part(j);
    s.moving[at(k)] = 1;
    s.speed[k] = std::max(s.speed[k], s.scales.lever[j] * std::abs(a[j]));
    const Sum inertia = inertia_sum(p, a, j);
    s.norms[at(k)].value += a[j] * inertia.value;
    s.norms[at(k)].scale += std::abs(a[j]) * inertia.scale;
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    const Sum& square = s.norms[at(part(j))];
    const long double rounded = square.value + rounding * kUlp * square.scale;
    const double norm = rounded > 0.0L ? static_cast<double>(std::sqrt(rounded)) : 0.0;
    s.load_size[j] = std::abs(p.F[j]) + std::sqrt(std::max(p.M(j, j), 0.0)) * norm;
  }
  s.rows.resize(p.rows());
  for (Eigen::Index i = 0; i < p.rows(); ++i) {
    if (!s.moving[at(row_part(i))]) {
      s.rows[i] = 0.0;
      continue;
    }
    Sum sum = row_sum(p, a, i);
    sum.add(p.gamma[i]);
    s.rows[i] = static_cast<double>(sum.value);
  }
}

/// Equality rows are at rest; normals that may separate do not penetrate, those that do separate are open.
bool Case::rows_at_rest()
{
  s.open.assign(p.contacts.size(), 0);
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    s.open[i] = may_detach(c) && s.rows[c.row] > at_rest(c.row);
  }
  return every_row([&](Eigen::Index row, bool may_open) {
    const double value = s.rows[row], allowed = at_rest(row);
    if (value >= -allowed && (may_open || value <= allowed)) return true;
    return refuse(why, [&] { return row_name(p, row) + " does not keep its acceleration"; });
  });
}

bool Case::forces()
{
  if (!rules.shape.may_prove_holds())
    return refuse(why, [] { return std::string("outer facets cannot prove that it holds"); });
  if (!given(certificate.a, p.nv(), "a", why) || !given(certificate.lambda, p.rows(), "lambda", why)) return false;
  measure();
  load_motion(certificate.a, -1);
  const bool at_rest = std::all_of(s.moving.begin(), s.moving.end(), [](char moves) { return !moves; });
  if (!at_rest) s.scales.measure_accelerations(p);
  for (Eigen::Index j = 0; !at_rest && j < p.nv(); ++j)
    if (!(std::abs(certificate.a[j]) <= s.scales.acceleration[j]) && (p.M(j, j) > 0.0 || s.scales.lever[j] > 0.0))
      return refuse(why,
                    [&] { return "the acceleration of " + dof_name(p, j) + " is beyond all proportion to the loads"; });
  if (!rows_at_rest() || !admit_forces(p, rules.shape, certificate.lambda, &s.moving, s, why)) return false;
  compute_balance(p, &s.moving, s);
  return balanced(p, certificate, nullptr, at_rest, s, why);
}

/// s.push: the certificate's multipliers with normals that may open >= 0, and s.miss, what is then missing in the
/// balance.
void Case::clamp_multipliers()
{
  s.push = certificate.lambda;
  for (const Contact& c : p.contacts)
    if (may_detach(c)) s.push[c.row] = std::max(s.push[c.row], 0.0);
  s.miss.resize(p.nv());
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    s.miss[j] = std::abs(static_cast<double>(minus_forces(p, s.push, j, s.exact_load[at(j)]).value));
}

/// How far the acceleration of any solution (65) within tolerances can be from the certificate's, in the norm of M, per
/// part: x^2 + sum of lambda_n w_n <= Q0 + x Q1 + x^2 Q2 (docs/proofs.md). s.error: x, s.power: the right-hand side,
/// s.static_power: the same for solutions at rest, infinite where there are none.
void Case::bound_motion()
{
  const Eigen::VectorXd& a = certificate.a;
  const int parts = s.scales.parts;
  for (Eigen::VectorXd* v : {&s.error, &s.power, &s.static_power, &s.q1, &s.q2, &s.reach_swing, &s.reach_bound})
    v->setZero(parts);
  Eigen::VectorXd& q0 = s.power;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const int k = part(j);
    const double root_mass = std::sqrt(std::max(p.M(j, j), 0.0)), reach = s.scales.load_reach(p, j);
    const double missing = kRounding * (s.load_size[j] + reach) + s.miss[j],
                 most = s.scales.acceleration[j] + std::abs(a[j]);
    if (std::isfinite(s.scales.swing[j])) {
      s.q1[k] += s.scales.swing[j] * missing;
      s.q2[k] += s.scales.swing[j] * kRounding * root_mass;
      s.reach_swing[k] = std::max(s.reach_swing[k], s.scales.lever[j] * s.scales.swing[j]);
    } else if (most > 0.0) {
      q0[k] += most * missing;
      s.q1[k] += most * kRounding * root_mass;
      s.reach_bound[k] = std::max(s.reach_bound[k], s.scales.lever[j] * most);
    }
    s.static_power[k] += std::abs(a[j]) * (kRounding * (std::abs(p.F[j]) + 1.25 * kStaticForces * reach) + s.miss[j]);
  }
  every_row([&](Eigen::Index row, bool may_open) {
    const int k = row_part(row);
    const double usual = s.scales.row_force(row), push = std::abs(s.push[row]), w = std::abs(s.rows[row]);
    const double most = kMovingForces * usual, against = may_open && s.rows[row] > 0.0 ? 0.0 : w;
    q0[k] +=
        (most + push) * (at_rest(row) + kAtRest * s.scales.weight[row] * s.reach_bound[k]) + most * against + push * w;
    s.q1[k] += kAtRest * (most + push) * s.scales.weight[row] * s.reach_swing[k];
    s.static_power[k] += kStaticForces * usual * against + push * w;
    return true;
  });
  for (int k = 0; k < parts; ++k) {
    const double rest = 1.0 - s.q2[k];
    s.error[k] = rest > 0.5 ? 1.001 * (s.q1[k] + std::sqrt(q0[k])) / rest : kInfinity;
    const Sum& square = s.norms[at(k)];
    const bool drifts = s.scales.drift[k] > 0.0;
    if (drifts || square.value - kSumRounding * square.scale > static_cast<long double>(s.static_power[k]))
      s.static_power[k] = kInfinity;
    s.power[k] = 1.001 * (q0[k] + s.error[k] * s.q1[k] + s.error[k] * s.error[k] * s.q2[k]);
  }
}

/// A second bound of s.error, without the square root, where M is definite: rows that keep their accelerations leave
/// Delta a no room along them, and along the others only what forces can do there. False: M is definite nowhere.
bool Case::tighten_motion()
{
  if (std::ranges::none_of(s.scales.definite, [](char definite) { return definite; })) return false;
  // Columns of V: M^-1/2 J' in coordinates z in which |a|_M = |z|.
  s.V = p.J.transpose();
  s.scales.divide_by_root_mass(p, s.V);
  for (int k = 0; k < s.scales.parts; ++k)
    if (s.scales.definite[at(k)]) tighten_part(k);
  return true;
}

/// |Delta z| <= |Q'Delta z| + |the rest|: Q spans the rows that keep still, J_i Delta a within `still_i`. For the rest
/// R, |R|^2 = sum over rows of (V_i'R) Delta lambda_i + R'Delta r, where V_i'R is rounding for rows in the span of Q.
void Case::tighten_part(int k)
{
  constexpr double kSpans = 1e-3;  // of a row's length that others must leave
  // What V and columns orthogonalised twice miss.
  const double orthogonal = kUlp * static_cast<double>(p.nv() + 2) * s.scales.condition;
  const double x = s.error[k];
  if (!(x < kInfinity)) return;
  s.Q.resize(p.nv(), p.nv());
  s.bounds.setZero(p.nv());
  Eigen::Index rank = 0;
  double free = 0.0;  // bound of |R|
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (part(j) == k)
      free += s.scales.swing[j] *
              (kRounding * (s.load_size[j] + std::sqrt(p.M(j, j)) * x + s.scales.load_reach(p, j)) + s.miss[j]);
  const auto leftover = [&](Eigen::Index row) {  // of V_row, orthogonal to Q, in s.y; coefficients in s.coefficients
    s.y = s.V.col(row);
    s.coefficients.setZero(p.nv());
    for (int pass = 0; pass < 2; ++pass)
      for (Eigen::Index c = 0; c < rank; ++c) {
        const double share = s.Q.col(c).dot(s.y);
        s.coefficients[c] += share;
        s.y -= share * s.Q.col(c);
      }
    return s.y.norm();
  };
  every_row([&](Eigen::Index row, bool may_open) {
    if (row_part(row) != k || rank == p.nv()) return true;
    const double still = at_rest(row) + kAtRest * s.scales.weight[row] * s.reach_swing[k] * x + std::abs(s.rows[row]);
    if (may_open && !(s.push[row] > 0.0)) return true;
    const double rest = leftover(row), rounding = orthogonal * s.V.col(row).norm() * x;
    if (!(rest > kSpans * s.V.col(row).norm())) return true;
    double bound = may_open ? std::max(still, s.power[k] / s.push[row] + std::abs(s.rows[row])) : still;
    bound += rounding;
    for (Eigen::Index c = 0; c < rank; ++c) bound += std::abs(s.coefficients[c]) * s.bounds[c];
    s.bounds[rank] = bound / rest;  // of Q'Delta z
    s.Q.col(rank++) = s.y / rest;
    return true;
  });
  every_row([&](Eigen::Index row, bool may_open) {
    if (row_part(row) != k) return true;
    double force = kMovingForces * s.scales.row_force(row);
    if (may_open && s.rows[row] > 0.0) force = std::min(force, s.power[k] / s.rows[row]);
    free += (leftover(row) + orthogonal * s.V.col(row).norm()) * (force + std::abs(s.push[row]));
    return true;
  });
  s.error[k] = std::min(x, 1.01 * (s.bounds.head(rank).norm() + free));
}

/// Bounds how far solutions of (65) are from the (a, λ) of the certificate, which solves Gauss' principle up to
/// residuals.
bool Case::near_motion()
{
  if (!given(certificate.a, p.nv(), "a", why) || !given(certificate.lambda, p.rows(), "lambda", why)) return false;
  measure();
  load_motion(certificate.a, 1);
  s.scales.measure_accelerations(p);
  clamp_multipliers();
  bound_motion();
  return true;
}

/// (a, push) solves Gauss' principle up to residuals, so every solution of (65) is near it; the leaves show that no
/// forces in the cones carry what solutions so near have to carry, whatever the signs of the bilateral normal forces.
bool Case::motion()
{
  if (!rules.shape.may_prove_fails())
    return refuse(why, [] { return std::string("inner facets cannot prove that it fails"); });
  if (!near_motion()) return false;
  bool tightened = false;
  for (const MotionLeaf& leaf : certificate.leaves) {
    if (!leaf_fits(p, leaf, why)) return false;
    if (leaf_separates(leaf, leaf.motion, why)) continue;
    if (!tightened && (tightened = true, tighten_motion()) && leaf_separates(leaf, leaf.motion, why)) continue;
    if (!without_noise(p, leaf.motion, s) || !leaf_separates(leaf, s.clean_motion, nullptr)) return false;
  }
  return covers_every_sign(certificate.leaves, p.contacts.size()) ||
         refuse(why, [] { return std::string("the leaves do not cover every sign of the bilateral contacts"); });
}

/// What drives y per part: y'(M a + F) for solutions that move, less what their distance from a and rounding could
/// pretend; y'F for solutions at rest.
void Case::drive(const Eigen::VectorXd& y)
{
  s.gain_moving.assign(at(s.scales.parts), Sum{});
  s.gain_static.assign(at(s.scales.parts), Sum{});
  s.norms_of_y.assign(at(s.scales.parts), Sum{});
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    if (y[j] == 0.0) continue;
    const int k = part(j);
    const double root_mass = std::sqrt(std::max(p.M(j, j), 0.0));
    s.gain_moving[at(k)].add(y[j], s.exact_load[at(j)].value);
    s.gain_moving[at(k)].add(-kRounding * std::abs(y[j]), s.load_size[j] + root_mass * s.error[k]);
    s.gain_static[at(k)].add(y[j], p.F[j]);
    s.gain_static[at(k)].add(-kRounding * std::abs(y[j]), std::abs(p.F[j]));
    const Sum inertia = inertia_sum(p, y, j);
    s.norms_of_y[at(k)].value += y[j] * inertia.value;
    s.norms_of_y[at(k)].scale += std::abs(y[j]) * inertia.scale;
  }
  for (int k = 0; k < s.scales.parts; ++k) {
    const Sum& square = s.norms_of_y[at(k)];
    if (square.scale > 0.0L)
      s.gain_moving[at(k)].add(-std::sqrt(std::max(square.value, 0.0L) + kSumRounding * square.scale), s.error[k]);
  }
}

/// Subtracts what limits and bounded forces can supply against the motion. A contact that separates by w_n carries
/// power / w_n at the most. `strongest`: first row of the contact or closure that supplies most.
bool Case::oppose(const MotionLeaf& leaf, const Eigen::VectorXd& motion, Eigen::Index& strongest, std::string* leaf_why)
{
  long double most = 0.0L;
  const auto subtract = [&](Eigen::Index row, long double moving, long double at_rest) {
    s.gain_moving[at(row_part(row))].add(-moving);
    s.gain_static[at(row_part(row))].add(-at_rest);
    if (!(std::max(moving, at_rest) > most)) return;
    most = std::max(moving, at_rest);
    strongest = row;
  };
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r) {
      const double supply = row_supply(p, r, motion, s.scales.row_force(r), s.scales.backward);
      subtract(r, kMovingForces * supply, kStaticForces * supply);
    }
  Eigen::Index next_price = p.nv();
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const double price = std::isfinite(c.max_normal) ? motion[next_price++] : 0.0;
    if (!(price >= 0.0)) return refuse(leaf_why, [&] { return "the price of contact " + c.name + " is negative"; });
    const int k = row_part(c.row);
    const double usual = s.scales.row_force(c.row), opening = may_detach(c) ? std::max(s.rows[c.row], 0.0) : 0.0;
    const auto supply = [&](double forces, double power) {
      const double carried = opening > 0.0 ? power / opening : kInfinity;
      const ForceBound bound{std::min({forces * usual, c.max_normal, carried}), forces * usual};
      const long double limit = price > 0.0 ? static_cast<long double>(price) * std::min(c.max_normal, carried) : 0.0L;
      return limit + most_supply(p, rules.shape, i, leaf.signs[i], motion, price, bound, s.scales);
    };
    subtract(c.row, supply(kMovingForces, s.power[k]), supply(kStaticForces, s.static_power[k]));
  }
  return true;
}

/// y separates what has to be carried from what the contacts can carry.
bool Case::leaf_separates(const MotionLeaf& leaf, const Eigen::VectorXd& motion, std::string* leaf_why)
{
  drive(motion);
  const Sum driven = least_gain();
  Eigen::Index strongest = -1;
  if (!oppose(leaf, motion, strongest, leaf_why)) return false;
  const Sum gain = least_gain();
  if (gain.value > kSumRounding * gain.scale) return true;
  return refuse(leaf_why, [&] {
    return driven.value > 0.0L && strongest >= 0 ? owner_name(p, strongest) + " can oppose the motion"
                                                 : std::string("nothing drives the motion beyond rounding");
  });
}

/// Solutions may move or, where there are such, be at rest in every part: the least of what remains.
Sum Case::least_gain() const
{
  Sum gain;
  for (int k = 0; k < s.scales.parts; ++k) {
    const Sum& moving = s.gain_moving[at(k)];
    const Sum& resting = s.gain_static[at(k)];
    const bool rests = s.static_power[k] < kInfinity && !(resting.value >= moving.value);
    gain.value += rests ? resting.value : moving.value;
    gain.scale += moving.scale + (s.static_power[k] < kInfinity ? resting.scale : 0.0L);
  }
  return gain;
}

/// Every solution has row'a + drift below what counts as zero (docs/proofs/detachment.md).
bool Case::penetrates(const Eigen::VectorXd& row, double drift)
{
  if (!near_motion()) return false;
  return stays_below_zero(row, drift) || (tighten_motion() && stays_below_zero(row, drift)) ||
         refuse(why, [] { return std::string("a contact that leaves is not driven into its surface"); });
}

/// Parts of a solution are within s.error of the certificate's, or at rest where that is possible.
bool Case::stays_below_zero(const Eigen::VectorXd& row, double drift) const
{
  std::vector<Sum> moving(at(s.scales.parts));
  Sum total;
  total.add(drift);
  total.add(kAtRest, std::abs(drift));
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    if (row[j] == 0.0) continue;
    const double size = std::abs(certificate.a[j]), swing = s.scales.swing[j], error = s.error[part(j)],
                 away = std::isfinite(swing) ? (swing == 0.0 ? 0.0 : swing * error) : s.scales.acceleration[j] + size;
    // A massless degree of freedom that no row holds may accelerate as it likes.
    if (!std::isfinite(away) || !(p.M(j, j) > 0.0 || s.scales.lever[j] > 0.0)) return false;
    moving[at(part(j))].add(row[j], certificate.a[j]);
    moving[at(part(j))].add(std::abs(row[j]), away);
    total.add(kAtRest * std::abs(row[j]), size + away);
  }
  for (int k = 0; k < s.scales.parts; ++k) {
    const bool may_rest = s.static_power[k] < kInfinity;
    total.value += may_rest ? std::max(moving[at(k)].value, 0.0L) : moving[at(k)].value;
    total.scale += moving[at(k)].scale;
  }
  return total.value < -kSumRounding * total.scale;
}

/// Rows Je a + ge = 0, Jnu a + gnu >= 0 would give 0 <= lambda'(J a + gamma) = gamma'lambda < 0: by more than
/// tolerances of the rows and J'lambda times the largest accelerations.
bool Case::contradiction(const Eigen::VectorXd& lambda)
{
  measure();
  s.scales.measure_accelerations(p);
  s.speed.setZero(s.scales.parts);
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    s.speed[part(j)] = std::max(s.speed[part(j)], s.scales.lever[j] * s.scales.acceleration[j]);
  Sum gain;
  const bool pushes = every_row([&](Eigen::Index row, bool may_open) {
    gain.add(-static_cast<long double>(p.gamma[row]), lambda[row]);
    gain.add(-static_cast<long double>(std::abs(lambda[row])), at_rest(row));
    return !may_open || lambda[row] >= 0.0 ||
           refuse(why, [&] { return "the multiplier of " + row_name(p, row) + " is negative"; });
  });
  if (!pushes) return false;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const Sum sum = minus_forces(p, lambda, j);
    if (!(std::abs(sum.value) <= kRounding * sum.scale))
      return refuse(why, [] { return std::string("J'lambda is not zero"); });
    gain.add(-(std::abs(sum.value) + charged_rounding(p.rows()) * sum.scale), s.scales.acceleration[j]);
  }
  return gain.value > kSumRounding * gain.scale || refuse(why, [] {
           return std::string("gamma'lambda is not negative beyond what rounding of J'lambda could pretend");
         });
}

/// Along a direction nothing has inertia, every row is kept and F pushes: Gauss' principle has no minimum, no force
/// balances F.
bool Case::unbalanced(const Eigen::VectorXd& direction)
{
  measure();
  s.scales.measure_accelerations(p);
  Sum gain;
  s.speed.setZero(s.scales.parts);  // here: the largest |a| in the norm of M
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    s.speed[part(j)] += std::sqrt(std::max(p.M(j, j), 0.0)) * s.scales.acceleration[j];
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const double size = std::abs(direction[j]);
    Sum inertia;  // of M'd: d'M a must vanish for every a, and M may be unsymmetric to rounding
    for (Eigen::Index i = 0; i < p.nv(); ++i) inertia.add(p.M(i, j), direction[i]);
    if (!(std::abs(inertia.value) <= kRounding * inertia.scale))
      return refuse(why, [] { return std::string("M a is not zero"); });
    gain.add(-static_cast<long double>(p.F[j]), direction[j]);
    gain.add(-kRounding * size, std::abs(p.F[j]) + std::sqrt(std::max(p.M(j, j), 0.0)) * s.speed[part(j)]);
    gain.add(-(std::abs(inertia.value) + charged_rounding(p.nv()) * inertia.scale), s.scales.acceleration[j]);
  }
  every_row([&](Eigen::Index row, bool may_open) {
    const Sum sum = row_sum(p, direction, row);
    const long double against = may_open ? std::max(-sum.value, 0.0L) : std::abs(sum.value);
    gain.add(-(against + charged_rounding(p.nv()) * sum.scale), kStaticForces * s.scales.row_force(row));
    return true;
  });
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {  // axes and lever arms turned by kRounding
    const double reach = s.scales.reach.row(static_cast<Eigen::Index>(i)).dot(direction.cwiseAbs().transpose());
    gain.add(-2.5 * kRounding * reach, kStaticForces * s.scales.row_force(p.contacts[i].row));
    const int last = p.contacts[i].row + 1 + p.contacts[i].tangents;
    if (p.contacts[i].torsional)
      gain.add(-kRounding * row_sum(p, direction, last).scale, kStaticForces * s.scales.row_force(last));
  }
  for (const LoopConstraint& c : p.loops)
    for (int r = c.row; r < c.row + c.rows; ++r)
      gain.add(-kRounding * row_sum(p, direction, r).scale, kStaticForces * s.scales.row_force(r));
  return gain.value > kSumRounding * gain.scale || refuse(why, [] {
           return std::string("F'a is not negative beyond what inertia, contacts and rounding could supply");
         });
}

}  // namespace

Judge::Judge() : scratch_(std::make_unique<internal::JudgeScratch>()) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;

Verdict Judge::operator()(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                          std::string* why)
{
  if (why) why->clear();
  if (!internal::usable(problem, why)) return Verdict::kUndecided;
  if (rules.detachment == Detachment::kFree) return judge_free(problem, rules.shape, certificate, why);
  Case c{problem, rules, certificate, *scratch_, why};
  const auto fails_if = [&](bool proved) {
    if (proved && why) why->clear();
    return proved ? Verdict::kFails : Verdict::kUndecided;
  };
  switch (certificate.kind) {
    case CertificateKind::kForces:
      return c.forces() ? Verdict::kHolds : Verdict::kUndecided;
    case CertificateKind::kMotion:
      return fails_if(c.motion());
    case CertificateKind::kContradiction: {
      if (!given(certificate.lambda, problem.rows(), "lambda", why)) return Verdict::kUndecided;
      if (c.contradiction(certificate.lambda)) return Verdict::kFails;
      Eigen::VectorXd clean = certificate.lambda;
      return fails_if(internal::drop_noise(problem.J, clean) && c.contradiction(clean));
    }
    case CertificateKind::kUnbalanced: {
      if (!given(certificate.a, problem.nv(), "a", why)) return Verdict::kUndecided;
      if (c.unbalanced(certificate.a)) return Verdict::kFails;
      Eigen::VectorXd clean = certificate.a;
      return fails_if(internal::drop_noise(problem.J.transpose(), clean) && c.unbalanced(clean));
    }
    case CertificateKind::kModes:
    case CertificateKind::kPenetration:
      refuse(why, [] { return std::string("contacts leave in modes only where detachment is free"); });
      return Verdict::kUndecided;
    case CertificateKind::kNone:
      break;
  }
  refuse(why, [] { return std::string("there is no certificate"); });
  return Verdict::kUndecided;
}

bool Judge::refutes_mode(const ContactProblem& problem, const ConeShape& shape, const Certificate& mode,
                         std::string* why)
{
  if (!may_leave(problem, mode.leaving, why)) return false;
  const ContactProblem stays = problem_without(problem, mode.leaving);
  const StickingRules rules{shape, Detachment::kForbidden};
  if (mode.kind != CertificateKind::kPenetration) return (*this)(stays, rules, mode, why) == Verdict::kFails;
  if (!std::ranges::binary_search(mode.leaving, mode.penetrating))
    return refuse(why, [] { return std::string("what penetrates is not among the contacts that leave"); });
  if (!internal::usable(stays, why)) return false;
  const int row = problem.contacts[at(mode.penetrating)].row;
  return Case{stays, rules, mode, *scratch_, why}.penetrates(problem.J.row(row), problem.gamma[row]);
}

/// docs/proofs/detachment.md
Verdict Judge::judge_free(const ContactProblem& problem, const ConeShape& shape, const Certificate& certificate,
                          std::string* why)
{
  if (certificate.kind == CertificateKind::kForces)
    return leaves_with_forces(problem, shape, certificate, *this, why) ? Verdict::kHolds : Verdict::kUndecided;
  if (certificate.kind != CertificateKind::kModes) {
    refuse(why, [] { return std::string("only forces or modes prove something where detachment is free"); });
    return Verdict::kUndecided;
  }
  for (const Certificate& mode : certificate.modes)
    if (!refutes_mode(problem, shape, mode, why)) return Verdict::kUndecided;
  if (!covers_every_mode(problem, certificate.modes, why)) return Verdict::kUndecided;
  if (why) why->clear();
  return Verdict::kFails;
}

Verdict judge(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
              std::string* why)
{
  return Judge()(problem, rules, certificate, why);
}

}  // namespace stiction
