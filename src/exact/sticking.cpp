// All-sticking (65): the acceleration is part of the solution.
#include <algorithm>

#include "exact/equilibrium.hpp"

namespace stiction::exact {
namespace {

const Q kAtRest = power_of_two(-46);

struct Sticking {
  const Problem& p;
  Sizes s;
  Vector a, load, size, rows;  // M a + F, the size of its terms, J a + gamma
  Motion motion;
  // Per part, of any solution near (a, push): distance of its acceleration in the norm of M; what x^2 and the products
  // of forces and separations sum up to at most; the same for solutions at rest (none: there are no such solutions).
  Vector push, miss, error, power;
  std::vector<Limit> static_power;
  Vector reach_swing;

  Sticking(const Problem& problem, const Vector& acceleration, bool norms_up);
  Q at_rest(std::size_t row) const
  {
    return kAtRest * (s.weight[row] * motion.speed[s.row_part[row]] + abs(p.gamma[row]));
  }
  Refusal forces(const Vector& lambda);
  Refusal fails(const Json& certificate);
  Refusal penetrates(const Json& certificate, const Vector& row, const Q& drift);
  void bound_solutions(const Json& certificate);
  void bound_motion();
  void tighten(std::size_t part);
  bool separates(const Leaf& leaf) const;
  Refusal contradiction(const Vector& lambda);
  Refusal unbalanced();
};

Sticking::Sticking(const Problem& problem, const Vector& acceleration, bool norms_up)
    : p(problem), s(measure(problem)), a(acceleration), load(p.n), size(p.n), rows(p.m, 0)
{
  measure_forces(p, s);
  const auto root = norms_up ? root_up : root_down;
  motion = {std::vector<bool>(s.parts, false), Vector(s.parts, 0), Vector(s.parts, 0)};
  for (std::size_t r = 0; r < p.m; ++r)
    if (p.gamma[r] != 0) motion.moves[s.row_part[r]] = true;
  for (std::size_t j = 0; j < p.n; ++j) {
    const Q inertia = times(p.M[j], a);
    const std::size_t k = s.part[j];
    load[j] = inertia + p.F[j];
    if (a[j] == 0) continue;
    motion.moves[k] = true;
    motion.speed[k] = std::max<Q>(motion.speed[k], s.lever[j] * abs(a[j]));
    motion.squares[k] += a[j] * inertia;
  }
  for (std::size_t j = 0; j < p.n; ++j) size[j] = abs(p.F[j]) + root(p.M[j][j]) * root(motion.squares[s.part[j]]);
  for (std::size_t r = 0; r < p.m; ++r)
    if (motion.moves[s.row_part[r]]) rows[r] = times(p.J[r], a) + p.gamma[r];
}

Refusal Sticking::forces(const Vector& lambda)
{
  if (std::ranges::find(motion.moves, true) != motion.moves.end()) {
    measure_accelerations(p, s);
    for (std::size_t j = 0; j < p.n; ++j)
      if (abs(a[j]) > s.acceleration[j] && (p.M[j][j] > 0 || s.lever[j] > 0))
        return "an acceleration is beyond all proportion to the loads";
  }
  Refusal refusal;
  p.every_row([&](std::size_t r, bool may_open) {
    if (rows[r] < -at_rest(r) || (!may_open && rows[r] > at_rest(r))) refusal = "a row does not keep its acceleration";
  });
  if (!refusal.empty()) return refusal;
  Vector near = admissible(p, lambda);
  for (const Contact& c : p.contacts)
    if (p.may_open(c) && rows[c.row] > at_rest(c.row))
      for (std::size_t r = c.row; r < c.end(); ++r) near[r] = 0;
  return check_balance(p, s, motion, near, load, size);
}

/// x^2 + sum of lambda_n w_n <= Q0 + Q1 x + Q2 x^2 of docs/proofs.md, and what follows for x and the sum.
void Sticking::bound_motion()
{
  Vector q0(s.parts, 0), q1(s.parts, 0), q2(s.parts, 0), at_standstill(s.parts, 0), reach_bound(s.parts, 0);
  reach_swing.assign(s.parts, 0);
  for (std::size_t j = 0; j < p.n; ++j) {
    const std::size_t k = s.part[j];
    const Q root_mass = root_up(p.M[j][j]), reach = s.load_reach(p, j),
            missing = kRounding * (size[j] + reach) + miss[j];
    if (s.swing[j] >= 0) {
      q1[k] += s.swing[j] * missing;
      q2[k] += s.swing[j] * kRounding * root_mass;
      reach_swing[k] = std::max<Q>(reach_swing[k], s.lever[j] * s.swing[j]);
    } else {
      const Q most = s.acceleration[j] + abs(a[j]);
      q0[k] += most * missing;
      q1[k] += most * kRounding * root_mass;
      reach_bound[k] = std::max<Q>(reach_bound[k], s.lever[j] * most);
    }
    at_standstill[k] += abs(a[j]) * (kRounding * (abs(p.F[j]) + Q(5, 4) * kStaticForces * reach) + miss[j]);
  }
  p.every_row([&](std::size_t r, bool may_open) {
    const std::size_t k = s.row_part[r];
    const Q usual = s.row_force(r), most = kMovingForces * usual, pushed = abs(push[r]), w = abs(rows[r]);
    const Q against = may_open && rows[r] > 0 ? Q(0) : w;
    q0[k] += (most + pushed) * (at_rest(r) + kAtRest * s.weight[r] * reach_bound[k]) + most * against + pushed * w;
    q1[k] += kAtRest * (most + pushed) * s.weight[r] * reach_swing[k];
    at_standstill[k] += kStaticForces * usual * against + pushed * w;
  });
  error.assign(s.parts, -1);
  power.assign(s.parts, -1);
  static_power.assign(s.parts, {});
  for (std::size_t k = 0; k < s.parts; ++k) {
    if (q2[k] < Q(1, 2)) {
      error[k] = (q1[k] + root_up(q0[k])) / (1 - q2[k]);
      power[k] = q0[k] + error[k] * q1[k] + error[k] * error[k] * q2[k];
    }
    if (s.drift[k] == 0 && motion.squares[k] <= at_standstill[k]) static_power[k] = at_standstill[k];
  }
}

/// A smaller error where M is definite. Let B be independent rows that keep still, |J_B da| <= d, and G = J M^-1 J'.
/// The projection of da onto M^-1 J_B' has the square d'G_BB^-1 d, and J_B times the rest is 0: what drives the rest
/// are residuals, and forces of other rows by the part of them that is orthogonal to B.
void Sticking::tighten(std::size_t k)
{
  std::vector<std::size_t> own, span;  // rows of the part; B
  p.every_row([&](std::size_t r, bool) {
    if (s.row_part[r] == k) own.push_back(r);
  });
  Matrix G(p.m, Vector(p.m, 0));
  for (const std::size_t i : own) {
    Vector v(p.n, 0);
    for (std::size_t j = 0; j < p.n; ++j)
      if (s.part[j] == k) v[j] = times(s.inverse[j], p.J[i]);
    for (const std::size_t j : own) G[i][j] = times(p.J[j], v);
  }
  Matrix rest = G, inverse(p.m, Vector(p.m, 0));  // rest: G with B eliminated; inverse: G_BB^-1
  Vector bounds;
  const Q x = error[k];
  p.every_row([&](std::size_t b, bool may_open) {
    if (s.row_part[b] != k || (may_open && !(push[b] > 0)) || !(rest[b][b] * 1'000'000 > G[b][b])) return;
    Q still = at_rest(b) + kAtRest * s.weight[b] * reach_swing[k] * x + abs(rows[b]);
    if (may_open) still = std::max<Q>(still, power[k] / push[b] + abs(rows[b]));
    bounds.push_back(still);
    // Bordering: the inverse with one row more.
    Vector c(span.size(), 0);
    for (std::size_t i = 0; i < span.size(); ++i)
      for (std::size_t j = 0; j < span.size(); ++j) c[i] += inverse[i][j] * G[span[j]][b];
    const Q left = rest[b][b];
    for (std::size_t i = 0; i < span.size(); ++i) {
      for (std::size_t j = 0; j < span.size(); ++j) inverse[i][j] += c[i] * c[j] / left;
      inverse[i][span.size()] = inverse[span.size()][i] = -c[i] / left;
    }
    inverse[span.size()][span.size()] = 1 / left;
    span.push_back(b);
    const Vector pivot = rest[b];
    for (const std::size_t i : own)
      for (const std::size_t j : own) rest[i][j] -= pivot[i] * pivot[j] / left;
  });
  Q along = 0, beside = 0;
  for (std::size_t i = 0; i < span.size(); ++i)
    for (std::size_t j = 0; j < span.size(); ++j) along += abs(inverse[i][j]) * bounds[i] * bounds[j];
  for (std::size_t j = 0; j < p.n; ++j)
    if (s.part[j] == k)
      beside += s.swing[j] * (kRounding * (size[j] + root_up(p.M[j][j]) * x + s.load_reach(p, j)) + miss[j]);
  p.every_row([&](std::size_t r, bool may_open) {
    if (s.row_part[r] != k) return;
    Q force = kMovingForces * s.row_force(r);
    if (may_open && rows[r] > 0) force = std::min<Q>(force, power[k] / rows[r]);
    beside += root_up(rest[r][r]) * (force + abs(push[r]));
  });
  error[k] = std::min<Q>(x, root_up(along) + beside);
}

/// Solutions may move or, where there are such, be at rest in every part.
bool Sticking::separates(const Leaf& leaf) const
{
  Vector moving(s.parts, 0), resting(s.parts, 0), norms(s.parts, 0);
  for (std::size_t j = 0; j < p.n; ++j) {
    const Q& y = leaf.y[j];
    if (y == 0) continue;
    const std::size_t k = s.part[j];
    if (error[k] < 0) return false;
    moving[k] += y * load[j] - kRounding * abs(y) * (size[j] + root_up(p.M[j][j]) * error[k]);
    resting[k] += y * p.F[j] - kRounding * abs(y * p.F[j]);
    norms[k] += y * times(p.M[j], leaf.y);
  }
  for (std::size_t k = 0; k < s.parts; ++k) moving[k] -= root_up(norms[k]) * error[k];
  p.every_loop_row([&](std::size_t r) {
    const Q supply = s.row_force(r) * row_supply(p, r, leaf.y);
    moving[s.row_part[r]] -= kMovingForces * supply;
    resting[s.row_part[r]] -= kStaticForces * supply;
  });
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const std::size_t k = s.row_part[c.row];
    const auto supply = [&](const Q& forces, const Limit& power_of_all) {
      const Q usual = forces * s.row_force(c.row);
      Limit carried;
      if (p.may_open(c) && rows[c.row] > 0 && power_of_all) carried = *power_of_all / rows[c.row];
      Q normal = usual, most = leaf.prices[i] > 0 ? *c.most : Q(0);
      for (const Limit& bound : {c.most, carried})
        if (bound) {
          normal = std::min(normal, *bound);
          most = std::min(most, *bound);
        }
      return Q(leaf.prices[i] * most + most_supply(p, s, i, leaf, normal, usual));
    };
    moving[k] -= supply(kMovingForces, power[k] < 0 ? Limit() : Limit(power[k]));
    if (static_power[k]) resting[k] -= supply(kStaticForces, static_power[k]);
  }
  Q gain = 0;
  for (std::size_t k = 0; k < s.parts; ++k) gain += static_power[k] ? std::min(moving[k], resting[k]) : moving[k];
  return gain > 0;
}

/// (a, lambda) as a solution of Gauss' principle, and how far others may be from it.
void Sticking::bound_solutions(const Json& certificate)
{
  measure_accelerations(p, s);
  push = vector(certificate.at("lambda"));
  for (const Contact& c : p.contacts)
    if (p.may_open(c)) push[c.row] = std::max<Q>(push[c.row], 0);
  miss = load;
  for (std::size_t j = 0; j < p.n; ++j) {
    for (std::size_t r = 0; r < p.m; ++r) miss[j] -= p.J[r][j] * push[r];
    miss[j] = abs(miss[j]);
  }
  bound_motion();
}

/// Every solution has row'a + drift below what counts as zero.
Refusal Sticking::penetrates(const Json& certificate, const Vector& row, const Q& drift)
{
  bound_solutions(certificate);
  const auto below_zero = [&] {
    Vector moving(s.parts, 0);
    Q total = drift + kAtRest * abs(drift);
    for (std::size_t j = 0; j < p.n; ++j) {
      if (row[j] == 0) continue;
      const std::size_t k = s.part[j];
      if ((s.swing[j] >= 0 && error[k] < 0) || (p.M[j][j] <= 0 && s.lever[j] <= 0)) return false;
      const Q away = s.swing[j] >= 0 ? Q(s.swing[j] * error[k]) : Q(s.acceleration[j] + abs(a[j]));
      moving[k] += row[j] * a[j] + abs(row[j]) * away;
      total += kAtRest * abs(row[j]) * (abs(a[j]) + away);
    }
    for (std::size_t k = 0; k < s.parts; ++k) total += static_power[k] ? std::max<Q>(moving[k], 0) : moving[k];
    return total < 0;
  };
  if (below_zero()) return "";
  for (std::size_t k = 0; k < s.parts; ++k)
    if (s.definite[k] && error[k] >= 0) tighten(k);
  return below_zero() ? "" : "a contact that leaves is not driven into its surface";
}

Refusal Sticking::fails(const Json& certificate)
{
  bound_solutions(certificate);
  bool tightened = false;
  return every_leaf(p, s, certificate, [&](const Leaf& leaf) {
    if (separates(leaf)) return true;
    if (tightened) return false;
    tightened = true;
    for (std::size_t k = 0; k < s.parts; ++k)
      if (s.definite[k] && error[k] >= 0) tighten(k);
    return separates(leaf);
  });
}

Refusal Sticking::contradiction(const Vector& lambda)
{
  measure_accelerations(p, s);
  for (std::size_t j = 0; j < p.n; ++j)
    motion.speed[s.part[j]] = std::max<Q>(motion.speed[s.part[j]], s.lever[j] * s.acceleration[j]);
  Q gain = 0;
  bool pushes = true;
  p.every_row([&](std::size_t r, bool may_open) {
    pushes = pushes && !(may_open && lambda[r] < 0);
    gain -= p.gamma[r] * lambda[r] + abs(lambda[r]) * at_rest(r);
  });
  for (std::size_t j = 0; j < p.n; ++j) {
    Q sum = 0;
    for (std::size_t r = 0; r < p.m; ++r) sum += p.J[r][j] * lambda[r];
    gain -= abs(sum) * s.acceleration[j];
  }
  return pushes && gain > 0 ? "" : "the rows do not contradict each other";
}

/// a: a direction along which nothing has inertia, every row is kept and F pushes.
Refusal Sticking::unbalanced()
{
  measure_accelerations(p, s);
  Vector norm(s.parts, 0);
  for (std::size_t j = 0; j < p.n; ++j) norm[s.part[j]] += root_up(p.M[j][j]) * s.acceleration[j];
  Q gain = 0;
  for (std::size_t j = 0; j < p.n; ++j)
    gain -= p.F[j] * a[j] + kRounding * abs(a[j]) * (abs(p.F[j]) + root_up(p.M[j][j]) * norm[s.part[j]]) +
            abs(times(p.M[j], a)) * s.acceleration[j];
  p.every_row([&](std::size_t r, bool may_open) {
    const Q along = times(p.J[r], a), against = may_open ? std::max<Q>(-along, 0) : abs(along);
    gain -= against * kStaticForces * s.row_force(r);
  });
  const auto turned = [&](std::size_t r, const Q& by) { gain -= kRounding * by * kStaticForces * s.row_force(r); };
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {  // axes and lever arms turned by rounding
    const Contact& c = p.contacts[i];
    turned(c.row, Q(5, 2) * sizes(s.reach[i], a));
    if (c.torsional) turned(c.last(), sizes(p.J[c.last()], a));
  }
  p.every_loop_row([&](std::size_t r) { turned(r, sizes(p.J[r], a)); });
  return gain > 0 ? "" : "forces can balance the loads";
}

}  // namespace

Refusal judge_penetration(const Problem& p, const Json& certificate, const Vector& row, const Q& drift)
{
  return Sticking(p, vector(certificate.at("a")), true).penetrates(certificate, row, drift);
}

Refusal judge_sticking(const Problem& p, const Json& certificate)
{
  const std::string kind = certificate.at("kind").get<std::string>();
  const Vector none(p.n, 0);
  if (kind == "contradiction") return Sticking(p, none, true).contradiction(vector(certificate.at("lambda")));
  Sticking sticking(p, vector(certificate.at("a")), kind != "forces");
  if (kind == "forces") return sticking.forces(vector(certificate.at("lambda")));
  return kind == "motion" ? sticking.fails(certificate) : sticking.unbalanced();
}

}  // namespace stiction::exact
