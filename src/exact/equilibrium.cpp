#include "exact/equilibrium.hpp"

#include <algorithm>

namespace stiction::exact {
namespace {

const Q kConsistent = power_of_two(-20);

/// One half of most_supply: linear in the normal force up to where friction is exhausted, and beyond.
Q contact_supply(const Problem& p, const Sizes& s, std::size_t i, int half, const Leaf& leaf, const Q& normal,
                 const Q& sideways)
{
  const Contact& c = p.contacts[i];
  const Q reach = sizes(s.reach[i], leaf.y);
  Vector h;
  for (std::size_t r = c.row + 1; r < c.last(); ++r) h.push_back(times(p.J[r], leaf.y));
  Q pushing = half * times(p.J[c.row], leaf.y) - leaf.prices[i] + p.backward * reach;
  if (c.torsional)
    pushing += c.torsion * (abs(times(p.J[c.last()], leaf.y)) + p.backward * sizes(p.J[c.last()], leaf.y));
  Q radius;
  const Q support = slip_support(p, c, h, radius);
  const Q slipping = support + p.backward * Q(14143, 10000) * radius * reach;  // |f_1| + |f_2| <= sqrt(2) |f_t|
  const auto supply = [&](const Q& f) { return Q(f * pushing + std::min<Q>(c.mu * f, sideways) * slipping); };
  const Q knee = c.mu * normal > sideways ? Q(sideways / c.mu) : normal;
  return std::max<Q>(0, std::max(supply(knee), supply(normal)));
}

}  // namespace

Q gauge(const Problem& p, const Contact& c, const Vector& lambda)
{
  if (c.tangents == 0) return 0;
  const Q &f1 = lambda[c.row + 1], &f2 = c.tangents == 2 ? lambda[c.row + 2] : Q(0);
  if (c.tangents == 1 || p.cone.kind == Cone::kRound) return c.tangents == 1 ? Q(abs(f1)) : root_up(f1 * f1 + f2 * f2);
  Q most = 0;  // over the sides, whose normals are at the angles 2 j pi / facets
  for (int j = 0; j < p.cone.facets; ++j) {
    const Direction normal = direction(2 * j * pi() / p.cone.facets);
    most = std::max<Q>(most, normal.x * f1 + normal.y * f2 + kTrigonometric * (abs(f1) + abs(f2)));
  }
  return p.cone.kind == Cone::kOuter ? most : Q(most / (direction(pi() / p.cone.facets).x - kTrigonometric));
}

Q slip_support(const Problem& p, const Contact& c, const Vector& h, Q& radius)
{
  radius = 1;
  if (c.tangents == 0) return 0;
  if (c.tangents == 1 || p.cone.kind == Cone::kRound)
    return c.tangents == 1 ? Q(abs(h[0])) : root_up(h[0] * h[0] + h[1] * h[1]);
  if (p.cone.kind == Cone::kOuter) radius = 1 / (direction(pi() / p.cone.facets).x - kTrigonometric);
  Q most = 0;
  for (int j = 0; j < p.cone.facets; ++j) {
    const Direction vertex = direction((2 * j + 1) * pi() / p.cone.facets);
    most = std::max<Q>(most, vertex.x * h[0] + vertex.y * h[1] + kTrigonometric * (abs(h[0]) + abs(h[1])));
  }
  return most * radius;
}

Vector admissible(const Problem& p, Vector lambda)
{
  for (const Contact& c : p.contacts) {
    const bool pulls = lambda[c.row] < 0 && c.bilateral;
    Q normal = pulls ? Q(-lambda[c.row]) : std::max<Q>(lambda[c.row], 0);
    if (c.most) normal = std::min(normal, *c.most);
    lambda[c.row] = pulls ? Q(-normal) : normal;
    const Q budget = c.mu * normal, used = gauge(p, c, lambda);
    for (std::size_t r = c.row + 1; r < c.last() && used > budget; ++r) lambda[r] *= budget / used;
    if (c.torsional) {
      const Q most = c.torsion * normal;
      lambda[c.last()] = std::clamp<Q>(lambda[c.last()], -most, most);
    }
  }
  return lambda;
}

Refusal check_balance(const Problem& p, const Sizes& s, const Motion& motion, const Vector& lambda, Vector residual,
                      Vector size)
{
  const auto bound = [&](std::size_t row) {
    return Q((motion.row_moves(s, row) ? kMovingForces : kStaticForces) * s.row_force(row));
  };
  const auto counted = [&](std::size_t row, const Q& force, int most) {
    return motion.row_moves(s, row) ? std::min<Q>(force, most * s.row_force(row)) : force;
  };
  Refusal refusal;
  const auto act = [&](std::size_t row) {
    for (std::size_t j = 0; j < p.n; ++j) residual[j] -= p.J[row][j] * lambda[row];
  };
  const auto act_alone = [&](std::size_t row) {  // loops and torsion
    if (s.weight[row] > 0 && abs(lambda[row]) > bound(row)) refusal = "a force is beyond all proportion to the loads";
    const Q own = counted(row, abs(lambda[row]), 1);
    for (std::size_t j = 0; j < p.n; ++j) size[j] += own * abs(p.J[row][j]);
    act(row);
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    Q own = 0, square = 0;
    for (std::size_t r = c.row; r < c.last(); ++r) {
      own += abs(lambda[r]);
      if (r > c.row) square += lambda[r] * lambda[r];
      act(r);
    }
    const Q most = bound(c.row);
    if (s.weight[c.row] > 0 && (abs(lambda[c.row]) > most || square > most * most))
      refusal = "the force of contact " + c.name + " is beyond all proportion to the loads";
    own = counted(c.row, own, 2);
    for (std::size_t j = 0; j < p.n; ++j) size[j] += own * s.reach[i][j];
    if (c.torsional) act_alone(c.last());
  }
  p.every_loop_row(act_alone);
  for (std::size_t j = 0; j < p.n && refusal.empty(); ++j)
    if (abs(residual[j]) > p.backward * size[j]) refusal = "the forces do not balance the loads";
  return refusal;
}

Q most_supply(const Problem& p, const Sizes& s, std::size_t i, const Leaf& leaf, const Q& normal, const Q& sideways)
{
  Q most = 0;
  for (const int half : {1, -1})
    if (half != -leaf.signs[i] && (half > 0 || p.contacts[i].bilateral))
      most = std::max(most, contact_supply(p, s, i, half, leaf, normal, sideways));
  return most;
}

Q row_supply(const Problem& p, std::size_t row, const Vector& y)
{
  return abs(times(p.J[row], y)) + p.backward * sizes(p.J[row], y);
}

Leaf without_noise(const Problem& p, const Sizes& s, Leaf leaf)
{
  Q largest = 0;
  for (std::size_t j = 0; j < p.n; ++j) largest = std::max<Q>(largest, s.lever[j] * abs(leaf.y[j]));
  for (std::size_t j = 0; j < p.n; ++j)
    if (s.lever[j] > 0 && s.lever[j] * abs(leaf.y[j]) <= kRounding * largest) leaf.y[j] = 0;
  return leaf;
}

Refusal every_leaf(const Problem& p, const Sizes& s, const Json& certificate,
                   const std::function<bool(const Leaf&)>& separates)
{
  std::vector<std::vector<int>> patterns;
  for (const Json& from : certificate.at("leaves")) {
    const Leaf leaf = read_leaf(p, from, p.n);
    if (std::ranges::any_of(leaf.prices, [](const Q& price) { return price < 0; })) return "a price is negative";
    if (!separates(leaf) && !separates(without_noise(p, s, leaf))) return "forces can oppose the motion";
    patterns.push_back(leaf.signs);
  }
  return covers_every_sign(patterns, p.contacts.size())
             ? ""
             : "the leaves do not cover every sign of the bilateral contacts";
}

Equilibrium::Equilibrium(const Problem& problem, const Vector& a)
    : p_(problem), a_(a), load_(p_.n), size_(p_.n), s_(measure(p_))
{
  set_load(p_.F);
}

void Equilibrium::set_load(const Vector& F)
{
  F_ = F;
  for (std::size_t j = 0; j < p_.n; ++j) {
    load_[j] = times(p_.M[j], a_) + F[j];
    size_[j] = sizes(p_.M[j], a_) + abs(F[j]);
  }
  measure_loads(p_, load_, s_);
}

bool Equilibrium::sticks() const
{
  Vector heaviest(s_.parts), squares(s_.parts);
  for (std::size_t j = 0; j < p_.n; ++j) heaviest[s_.part[j]] = std::max(heaviest[s_.part[j]], p_.M[j][j]);
  const auto mass = [&](std::size_t j) {
    return p_.M[j][j] > 0 ? p_.M[j][j] : heaviest[s_.part[j]] > 0 ? heaviest[s_.part[j]] : Q(1);
  };
  for (std::size_t j = 0; j < p_.n; ++j) {
    const Q size = std::max<Q>(abs(load_[j]), abs(F_[j]));
    squares[s_.part[j]] += size * size / mass(j);
  }
  for (std::size_t r = 0; r < p_.m; ++r) {
    const Q row = abs(times(p_.J[r], a_) + p_.gamma[r]);
    if (row == 0) continue;
    Q scale = abs(p_.gamma[r]);
    for (std::size_t j = 0; j < p_.n; ++j)
      if (p_.J[r][j] != 0) scale += root_down(squares[s_.part[j]] / mass(j)) * abs(p_.J[r][j]);
    if (row > kConsistent * scale) return false;
  }
  return true;
}

Refusal Equilibrium::holds(const Vector& lambda, const Vector& efforts) const
{
  Vector residual = load_;
  for (std::size_t k = 0; k < p_.motors.size(); ++k) {
    Q effort = efforts.at(k);
    if (p_.motors[k].lower) effort = std::max(effort, *p_.motors[k].lower);
    if (p_.motors[k].upper) effort = std::min(effort, *p_.motors[k].upper);
    residual[p_.motors[k].dof] -= effort;
  }
  return check_balance(p_, s_, {}, admissible(p_, lambda), residual, size_);
}

Refusal Equilibrium::holds(const Vector& lambda) const
{
  const Vector near = admissible(p_, lambda);
  Vector efforts, rest = load_;
  for (std::size_t j = 0; j < p_.n; ++j) rest[j] -= times(column(p_.J, j), near);
  const auto within = [](const Motor& motor, Q effort) {
    if (motor.lower) effort = std::max(effort, *motor.lower);
    return motor.upper ? std::min(effort, *motor.upper) : effort;
  };
  for (const Motor& motor : p_.motors) {  // as near to zero as limits allow, then what is left
    efforts.push_back(within(motor, 0));
    rest[motor.dof] -= efforts.back();
  }
  for (std::size_t k = 0; k < efforts.size(); ++k) {
    const Q more = within(p_.motors[k], efforts[k] + rest[p_.motors[k].dof]) - efforts[k];
    rest[p_.motors[k].dof] -= more;
    efforts[k] += more;
  }
  return holds(lambda, efforts);
}

bool Equilibrium::fails(const Leaf& leaf) const
{
  Q gain = times(leaf.y, load_) - p_.backward * sizes(leaf.y, size_);
  for (const Motor& motor : p_.motors) {
    const Q& y = leaf.y[motor.dof];
    const Limit& most = y > 0 ? motor.upper : motor.lower;
    if (y != 0 && !most) return false;
    if (y != 0) gain -= y * *most;
  }
  p_.every_loop_row([&](std::size_t r) { gain -= kStaticForces * s_.row_force(r) * row_supply(p_, r, leaf.y); });
  for (std::size_t i = 0; i < p_.contacts.size() && gain > 0; ++i) {
    const Q bound = kStaticForces * s_.row_force(p_.contacts[i].row);
    if (p_.contacts[i].most) gain -= leaf.prices[i] * *p_.contacts[i].most;
    gain -= most_supply(p_, s_, i, leaf, bound, bound);
  }
  return gain > 0;
}

namespace {

/// Forces beside a motion are those that would balance the load, had every contact as many times its friction as they
/// need.
Refusal balance_with_more_friction(Problem p, const Vector& a, const Json& certificate)
{
  const Vector lambda = vector(certificate.at("lambda"));
  if (std::ranges::all_of(lambda, [](const Q& force) { return force == 0; })) return "";
  Q factor = 1;
  const auto need = [&](const Q& used, const Q& budget) {
    if (used > 0 && budget > 0) factor = std::max<Q>(factor, used / budget);
    return used == 0 || budget > 0;
  };
  for (const Contact& c : p.contacts) {
    const Q normal = abs(lambda.at(c.row)), twist = c.torsional ? Q(abs(lambda.at(c.last()))) : Q(0);
    if (!need(gauge(p, c, lambda), c.mu * normal) || !need(twist, c.torsion * normal))
      return "a force shown has friction where nothing presses";
  }
  for (Contact& c : p.contacts) {
    c.mu *= factor;
    c.torsion *= factor;
  }
  p.backward = kRounding;
  return Equilibrium(p, a).holds(lambda, vector(certificate.at("efforts")));
}

/// Or had every motor limits that allow its effort.
Refusal balance_with_larger_efforts(Problem p, const Vector& a, const Json& certificate)
{
  const Vector efforts = vector(certificate.at("efforts"));
  for (std::size_t i = 0; i < p.motors.size(); ++i) {
    Motor& motor = p.motors[i];
    if (motor.lower) motor.lower = std::min<Q>(*motor.lower, efforts.at(i));
    if (motor.upper) motor.upper = std::max<Q>(*motor.upper, efforts.at(i));
  }
  return Equilibrium(p, a).holds(vector(certificate.at("lambda")), efforts);
}

}  // namespace

Refusal judge_equilibrium(const Problem& p, const Json& certificate)
{
  const Equilibrium equilibrium(p, vector(certificate.at("a")));
  if (!equilibrium.sticks()) return "a contact does not stick under the prescribed acceleration";
  if (certificate.at("kind").get<std::string>() == "forces")
    return equilibrium.holds(vector(certificate.at("lambda")), vector(certificate.at("efforts")));
  const Vector a = vector(certificate.at("a"));
  if (const Refusal refusal = balance_with_more_friction(p, a, certificate);
      !refusal.empty() && !balance_with_larger_efforts(p, a, certificate).empty())
    return refusal;
  return every_leaf(p, equilibrium.measured(), certificate, [&](const Leaf& leaf) { return equilibrium.fails(leaf); });
}

}  // namespace stiction::exact
