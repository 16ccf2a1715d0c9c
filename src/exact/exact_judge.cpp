// Judges reports of all_sticking and equilibrium again, in rational arithmetic: every double is the rational number
// that it is, sums are exact, inequalities have no tolerance but the 2^-44 of the data that docs/proofs.md states.
// Written from that page alone; it shares no code with the judges, so that a mistake would have to be made twice.
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "stiction/exact.hpp"

namespace stiction {
namespace {

using Q = boost::multiprecision::cpp_rational;
using Vector = std::vector<Q>;
using Matrix = std::vector<Vector>;
using Json = nlohmann::ordered_json;
using Limit = std::optional<Q>;  // none: infinite

Q power_of_two(int exponent)
{
  const boost::multiprecision::cpp_int one = 1;
  return exponent >= 0 ? Q(one << exponent) : Q(one, one << -exponent);
}

const Q kRounding = power_of_two(-44), kAtRest = power_of_two(-46), kConsistent = power_of_two(-20);
const Q kStaticForces = power_of_two(18), kMovingForces = power_of_two(12);
const Q kAccelerations = power_of_two(12), kMasslessAccelerations = power_of_two(4);
const Q kSafelyDefinite = Q(1, 10'000'000'000);  // square of a pivot of M with a unit diagonal
constexpr int kOneBody = 6;                      // so few degrees of freedom are one part and have one lever arm

/// sqrt(q) to 90 digits of two: never below it (`up`), or never above it.
Q root(const Q& q, bool up)
{
  using namespace boost::multiprecision;
  if (q <= 0) return 0;
  const int bits = static_cast<int>(msb(numerator(q))) - static_cast<int>(msb(denominator(q)));
  const int shift = 90 - bits / 2;
  const Q scaled = q * power_of_two(2 * shift);
  const cpp_int floor = sqrt(cpp_int(numerator(scaled) / denominator(scaled)));
  return Q(floor + (up ? 1 : 0)) * power_of_two(-shift);
}
Q root_up(const Q& q) { return root(q, true); }
Q root_down(const Q& q) { return root(q, false); }

struct Contact {
  std::string name;
  std::size_t row = 0, tangents = 0;
  bool torsional = false, bilateral = false;
  Q mu, torsion;
  Limit most;  // normal force

  std::size_t last() const { return row + 1 + tangents; }
};
struct Loop {
  std::size_t row = 0, rows = 0;
};
struct Motor {
  std::size_t dof = 0;
  Limit lower, upper;
};
struct Problem {
  std::size_t n = 0, m = 0;
  Matrix M, J;
  Vector F, gamma;
  std::vector<Contact> contacts;
  std::vector<Loop> loops;
  std::vector<Motor> motors;
  bool detachment = true;
  Q backward = kRounding;  ///< or the tolerance of the data, where that is larger

  bool may_open(const Contact& c) const { return detachment && !c.bilateral; }
  /// visit(row, may open)
  void every_row(const std::function<void(std::size_t, bool)>& visit) const
  {
    for (const Contact& c : contacts)
      for (std::size_t r = c.row; r < c.last() + (c.torsional ? 1 : 0); ++r) visit(r, r == c.row && may_open(c));
    for (const Loop& c : loops)
      for (std::size_t r = c.row; r < c.row + c.rows; ++r) visit(r, false);
  }
  void every_loop_row(const std::function<void(std::size_t)>& visit) const
  {
    for (const Loop& c : loops)
      for (std::size_t r = c.row; r < c.row + c.rows; ++r) visit(r);
  }
};

// ---- Reading. Sizes and keys are those of a report that verify accepts. ----

Q number(const Json& value) { return Q(value.get<double>()); }
Limit limit(const Json& value) { return value.is_string() ? Limit() : Limit(number(value)); }
Vector vector(const Json& value)
{
  Vector v;
  for (const Json& entry : value) v.push_back(number(entry));
  return v;
}
Matrix matrix(const Json& value)
{
  Matrix rows;
  for (const Json& row : value) rows.push_back(vector(row));
  return rows;
}

Problem read(const Json& certificate)
{
  const Json& from = certificate.at("problem");
  Problem p;
  p.M = matrix(from.at("M"));
  p.F = vector(from.at("F"));
  p.J = matrix(from.at("J"));
  p.gamma = vector(from.at("gamma"));
  p.n = p.F.size();
  p.m = p.gamma.size();
  for (const Json& c : from.at("contacts"))
    p.contacts.push_back({c.at("name").get<std::string>(), c.at("row").get<std::size_t>(),
                          c.at("tangents").get<std::size_t>(), c.at("torsional").get<bool>(),
                          c.at("side").get<std::string>() == "bilateral", number(c.at("mu")), number(c.at("torsion")),
                          limit(c.at("max_normal"))});
  for (const Json& c : from.at("closures"))
    p.loops.push_back({c.at("row").get<std::size_t>(), c.at("rows").get<std::size_t>()});
  if (from.contains("actuators"))
    for (const Json& motor : from.at("actuators"))
      p.motors.push_back({motor.at("dof").get<std::size_t>(), limit(motor.at("lower")), limit(motor.at("upper"))});
  const Json& rules = certificate.at("rules");
  p.detachment = !rules.contains("detachment") || rules.at("detachment").get<std::string>() == "allowed";
  return p;
}

Q times(const Vector& row, const Vector& v)
{
  Q sum = 0;
  for (std::size_t j = 0; j < v.size(); ++j)
    if (row[j] != 0 && v[j] != 0) sum += row[j] * v[j];
  return sum;
}
Q sizes(const Vector& row, const Vector& v)
{
  Q sum = 0;
  for (std::size_t j = 0; j < v.size(); ++j)
    if (row[j] != 0 && v[j] != 0) sum += abs(row[j] * v[j]);
  return sum;
}

// ---- Sizes that the data alone give. ----

struct Sizes {
  std::vector<std::size_t> part, row_part;  // of degrees of freedom and rows
  std::size_t parts = 1;
  Matrix reach;  // r_cj
  Vector lever, weight;
  Vector force, drift;         // Phi and largest |gamma| per part
  Vector acceleration, swing;  // X_j, g_j; a swing below 0 is not known
  std::vector<bool> definite;  // per part
  Matrix inverse;              // M^-1 of the parts that are definite

  Q row_force(std::size_t row) const { return weight[row] > 0 ? Q(force[row_part[row]] / weight[row]) : Q(0); }
};

Sizes measure(const Problem& p)
{
  Sizes s;
  s.part.assign(p.n, 0);
  s.row_part.assign(p.m, 0);
  if (p.n > kOneBody) {
    for (std::size_t j = 0; j < p.n; ++j) s.part[j] = j;
    const auto join = [&](std::size_t i, std::size_t j) {
      const std::size_t from = s.part[i], to = s.part[j];
      for (std::size_t& its : s.part)
        if (its == from) its = to;
    };
    for (std::size_t i = 0; i < p.n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (p.M[i][j] != 0 || p.M[j][i] != 0) join(i, j);
    const auto join_rows = [&](std::size_t first, std::size_t count) {
      std::optional<std::size_t> touched;
      for (std::size_t j = 0; j < p.n; ++j)
        for (std::size_t r = first; r < first + count; ++r)
          if (p.J[r][j] != 0) {
            if (touched) join(*touched, j);
            touched = j;
          }
      for (std::size_t r = first; touched && r < first + count; ++r) s.row_part[r] = *touched;
    };
    for (const Contact& c : p.contacts) join_rows(c.row, 1 + c.tangents + (c.torsional ? 1 : 0));
    for (const Loop& c : p.loops) join_rows(c.row, c.rows);
    for (std::size_t& r : s.row_part) r = s.part[r];
    s.parts = p.n;  // some are empty
  }
  s.lever.assign(p.n, 0);
  s.reach.assign(p.contacts.size(), Vector(p.n, 0));
  for (std::size_t i = 0; i < p.contacts.size(); ++i)
    for (std::size_t j = 0; j < p.n; ++j) {
      for (std::size_t r = p.contacts[i].row; r < p.contacts[i].last(); ++r)
        s.reach[i][j] = std::max<Q>(s.reach[i][j], abs(p.J[r][j]));
      s.lever[j] = std::max(s.lever[j], s.reach[i][j]);
    }
  if (p.n <= kOneBody) s.reach.assign(p.contacts.size(), s.lever);
  for (std::size_t j = 0; j < p.n; ++j) {
    if (s.lever[j] != 0) continue;  // where no contact reaches, loops and torsion set the unit
    for (std::size_t r = 0; r < p.m; ++r) s.lever[j] = std::max<Q>(s.lever[j], abs(p.J[r][j]));
  }
  s.weight.assign(p.m, 0);
  const auto weigh = [&](const Vector& entries) {
    Q largest = 0;
    for (std::size_t j = 0; j < p.n; ++j)
      if (s.lever[j] > 0) largest = std::max<Q>(largest, abs(entries[j]) / s.lever[j]);
    return largest;
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    for (std::size_t r = c.row; r < c.last(); ++r) s.weight[r] = weigh(s.reach[i]);
    if (c.torsional) s.weight[c.last()] = weigh(p.J[c.last()]);
  }
  p.every_loop_row([&](std::size_t r) { s.weight[r] = weigh(p.J[r]); });
  s.force.assign(s.parts, 0);
  s.drift.assign(s.parts, 0);
  return s;
}

/// Phi of loads, and of the efforts that motors cannot avoid.
void measure_loads(const Problem& p, const Vector& load, Sizes& s)
{
  const auto count = [&](std::size_t j, const Q& newtons) {
    if (s.lever[j] > 0) s.force[s.part[j]] += abs(newtons) / s.lever[j];
  };
  for (std::size_t j = 0; j < p.n; ++j) count(j, load[j]);
  for (const Motor& motor : p.motors) {
    if (motor.lower && *motor.lower > 0) count(motor.dof, *motor.lower);
    if (motor.upper && *motor.upper < 0) count(motor.dof, *motor.upper);
  }
}

/// Phi and drift of M a + F = J'lambda with a free.
void measure_forces(const Problem& p, Sizes& s)
{
  for (std::size_t r = 0; r < p.m; ++r)
    if (s.weight[r] > 0) s.drift[s.row_part[r]] = std::max<Q>(s.drift[s.row_part[r]], abs(p.gamma[r]) / s.weight[r]);
  for (std::size_t j = 0; j < p.n; ++j) {
    Q& force = s.force[s.part[j]];
    if (s.lever[j] > 0) {
      force += (abs(p.F[j]) + p.M[j][j] * s.drift[s.part[j]] / s.lever[j]) / s.lever[j];
    } else if (p.M[j][j] > 0 && p.F[j] != 0) {
      for (std::size_t i = 0; i < p.n; ++i)
        if (s.lever[i] > 0) force += abs(p.M[i][j]) / p.M[j][j] * abs(p.F[j]) / s.lever[i];
    }
  }
}

/// M^-1 of a part by elimination; none where a pivot is too small or a degree of freedom has no inertia.
bool invert_part(const Problem& p, std::size_t k, Sizes& s)
{
  std::vector<std::size_t> own;
  for (std::size_t j = 0; j < p.n; ++j)
    if (s.part[j] == k) own.push_back(j);
  const std::size_t size = own.size();
  Matrix left(size, Vector(size)), right(size, Vector(size, 0));
  for (std::size_t i = 0; i < size; ++i) {
    right[i][i] = 1;
    for (std::size_t j = 0; j < size; ++j) left[i][j] = p.M[own[i]][own[j]];
  }
  for (std::size_t c = 0; c < size; ++c) {
    if (!(left[c][c] > kSafelyDefinite * p.M[own[c]][own[c]])) return false;
    for (std::size_t i = 0; i < size; ++i) {
      if (i == c || left[i][c] == 0) continue;
      const Q share = left[i][c] / left[c][c];
      for (std::size_t j = c; j < size; ++j) left[i][j] -= share * left[c][j];
      for (std::size_t j = 0; j <= c; ++j) right[i][j] -= share * right[c][j];
    }
  }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) s.inverse[own[i]][own[j]] = right[i][j] / left[i][i];
  return true;
}

/// g_j and X_j, rounded up.
void measure_accelerations(const Problem& p, Sizes& s)
{
  s.inverse.assign(p.n, Vector(p.n, 0));
  s.swing.assign(p.n, -1);
  s.definite.assign(s.parts, false);
  for (std::size_t k = 0; k < s.parts; ++k) s.definite[k] = invert_part(p, k, s);
  Vector energy(s.parts, 0), fastest = s.drift, own(p.n, 0);
  for (std::size_t j = 0; j < p.n; ++j) {
    const std::size_t k = s.part[j];
    if (!(p.M[j][j] > 0)) continue;
    const Q asked = s.lever[j] > 0 ? Q(s.drift[k] / s.lever[j]) : Q(0);
    energy[k] += p.M[j][j] * asked * asked;
    energy[k] += s.definite[k] ? Q(p.F[j] * times(s.inverse[j], p.F)) : Q(p.F[j] * p.F[j] / p.M[j][j]);
    if (s.definite[k]) s.swing[j] = root_up(s.inverse[j][j]);
  }
  for (std::size_t j = 0; j < p.n; ++j) {
    if (!(p.M[j][j] > 0)) continue;
    own[j] = root_up(energy[s.part[j]]) * (s.swing[j] >= 0 ? s.swing[j] : root_up(1 / p.M[j][j])) * Q(103, 100);
    fastest[s.part[j]] = std::max<Q>(fastest[s.part[j]], s.lever[j] * own[j]);
  }
  s.acceleration = own;
  for (std::size_t j = 0; j < p.n; ++j) {
    if (s.lever[j] > 0) s.acceleration[j] = std::max<Q>(s.acceleration[j], fastest[s.part[j]] / s.lever[j]);
    s.acceleration[j] *= p.M[j][j] > 0 ? kAccelerations : kMasslessAccelerations;
  }
}

// ---- Forces prove that it holds. ----

/// What is said of a certificate: empty, or why it proves nothing.
using Refusal = std::string;

/// Forces moved into their cones, sides and limits.
Vector admissible(const Problem& p, Vector lambda)
{
  for (const Contact& c : p.contacts) {
    const bool pulls = lambda[c.row] < 0 && c.bilateral;
    Q normal = pulls ? Q(-lambda[c.row]) : std::max<Q>(lambda[c.row], 0);
    if (c.most) normal = std::min(normal, *c.most);
    lambda[c.row] = pulls ? Q(-normal) : normal;
    Q square = 0;
    for (std::size_t r = c.row + 1; r < c.last(); ++r) square += lambda[r] * lambda[r];
    const Q budget = c.mu * normal;
    if (square > budget * budget) {
      const Q share = budget / root_up(square);
      for (std::size_t r = c.row + 1; r < c.last(); ++r) lambda[r] *= share;
    }
    if (c.torsional) {
      const Q most = c.torsion * normal;
      lambda[c.last()] = std::clamp<Q>(lambda[c.last()], -most, most);
    }
  }
  return lambda;
}

/// Whether a system that may move does, per part, and how fast its contacts are.
struct Motion {
  std::vector<bool> moves;
  Vector speed, squares;  // |a|^2 in the norm of M

  bool row_moves(const Sizes& s, std::size_t row) const { return !moves.empty() && moves[s.row_part[row]]; }
};

Refusal check_balance(const Problem& p, const Sizes& s, const Motion& motion, const Vector& lambda, Vector residual,
                      Vector tolerance)
{
  const auto bound = [&](std::size_t row) {
    return Q((motion.row_moves(s, row) ? kMovingForces : kStaticForces) * s.row_force(row));
  };
  const auto counted = [&](std::size_t row, const Q& size, int times) {
    return motion.row_moves(s, row) ? std::min<Q>(size, times * s.row_force(row)) : size;
  };
  Refusal refusal;
  const auto act = [&](std::size_t row) {
    for (std::size_t j = 0; j < p.n; ++j) residual[j] -= p.J[row][j] * lambda[row];
  };
  const auto act_alone = [&](std::size_t row) {  // loops and torsion
    if (s.weight[row] > 0 && abs(lambda[row]) > bound(row)) refusal = "a force is beyond all proportion to the loads";
    const Q size = counted(row, abs(lambda[row]), 1);
    for (std::size_t j = 0; j < p.n; ++j) tolerance[j] += size * abs(p.J[row][j]);
    act(row);
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    Q size = 0, square = 0;
    for (std::size_t r = c.row; r < c.last(); ++r) {
      size += abs(lambda[r]);
      if (r > c.row) square += lambda[r] * lambda[r];
      act(r);
    }
    const Q most = bound(c.row);
    if (s.weight[c.row] > 0 && (abs(lambda[c.row]) > most || square > most * most))
      refusal = "the force of contact " + c.name + " is beyond all proportion to the loads";
    size = counted(c.row, size, 2);
    for (std::size_t j = 0; j < p.n; ++j) tolerance[j] += size * s.reach[i][j];
    if (c.torsional) act_alone(c.last());
  }
  p.every_loop_row(act_alone);
  for (std::size_t j = 0; j < p.n && refusal.empty(); ++j)
    if (abs(residual[j]) > p.backward * tolerance[j]) refusal = "the forces do not balance the loads";
  return refusal;
}

// ---- Motions prove that it fails. ----

struct Leaf {
  std::vector<int> signs;
  Vector y, prices;  // prices: one per contact
};

std::vector<Leaf> read_leaves(const Problem& p, const Json& certificate)
{
  std::vector<Leaf> leaves;
  for (const Json& from : certificate.at("leaves")) {
    Leaf leaf{from.at("signs").get<std::vector<int>>(), vector(from.at("motion")), Vector(p.contacts.size(), 0)};
    std::size_t next = p.n;
    for (std::size_t i = 0; i < p.contacts.size(); ++i)
      if (p.contacts[i].most) leaf.prices[i] = leaf.y.at(next++);
    leaf.y.resize(p.n);
    leaves.push_back(leaf);
  }
  return leaves;
}

/// Every choice of signs of the bilateral contacts has a leaf.
bool covered(const Problem& p, const std::vector<Leaf>& leaves, std::vector<int>& signs, std::size_t contact = 0)
{
  const auto agrees = [&](const Leaf& leaf, bool whole) {
    for (std::size_t i = 0; i < leaf.signs.size(); ++i)
      if (leaf.signs[i] != 0 && (i < contact ? leaf.signs[i] != signs[i] : whole)) return false;
    return true;
  };
  if (std::ranges::any_of(leaves, [&](const Leaf& leaf) { return agrees(leaf, true); })) return true;
  if (contact == p.contacts.size() ||
      std::ranges::none_of(leaves, [&](const Leaf& leaf) { return agrees(leaf, false); }))
    return false;
  if (!p.contacts[contact].bilateral) return covered(p, leaves, signs, contact + 1);
  for (const int sign : {1, -1}) {
    signs[contact] = sign;
    if (!covered(p, leaves, signs, contact + 1)) return false;
  }
  return true;
}

/// Most that contact i supplies against y beyond the price of its normal force, which is at most `normal`, its
/// tangential force at most `sideways`: linear in the normal force up to where friction is exhausted, and beyond.
Q contact_supply(const Problem& p, const Sizes& s, std::size_t i, int half, const Leaf& leaf, const Q& normal,
                 const Q& sideways)
{
  const Contact& c = p.contacts[i];
  const Q reach = sizes(s.reach[i], leaf.y);
  Q square = 0;
  for (std::size_t r = c.row + 1; r < c.last(); ++r) {
    const Q h = times(p.J[r], leaf.y);
    square += h * h;
  }
  Q pushing = half * times(p.J[c.row], leaf.y) - leaf.prices[i] + p.backward * reach;
  if (c.torsional)
    pushing += c.torsion * (abs(times(p.J[c.last()], leaf.y)) + p.backward * sizes(p.J[c.last()], leaf.y));
  // |f_1| + |f_2| <= sqrt(2) |f_t|
  const Q slipping = root_up(square) + p.backward * Q(14143, 10000) * reach;
  const auto supply = [&](const Q& f) { return Q(f * pushing + std::min<Q>(c.mu * f, sideways) * slipping); };
  const Q knee = c.mu * normal > sideways ? Q(sideways / c.mu) : normal;
  return std::max<Q>(0, std::max(supply(knee), supply(normal)));
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

/// Entries that only rounding put there are left out: any motion may be a proof.
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
  const std::vector<Leaf> leaves = read_leaves(p, certificate);
  for (const Leaf& leaf : leaves) {
    if (std::ranges::any_of(leaf.prices, [](const Q& price) { return price < 0; })) return "a price is negative";
    if (!separates(leaf) && !separates(without_noise(p, s, leaf))) return "forces can oppose the motion";
  }
  std::vector<int> signs(p.contacts.size(), 0);
  return covered(p, leaves, signs) ? "" : "the leaves do not cover every sign of the bilateral contacts";
}

// ---- Equilibrium ----

/// The contacts stick under the prescribed acceleration.
bool consistent(const Problem& p, const Vector& a, const Vector& load)
{
  Q heaviest = 0, squares = 0;
  for (std::size_t j = 0; j < p.n; ++j) heaviest = std::max(heaviest, p.M[j][j]);
  const auto mass = [&](std::size_t j) { return p.M[j][j] > 0 ? p.M[j][j] : heaviest > 0 ? heaviest : Q(1); };
  for (std::size_t j = 0; j < p.n; ++j) {
    const Q size = std::max<Q>(abs(load[j]), abs(p.F[j]));
    squares += size * size / mass(j);
  }
  for (std::size_t r = 0; r < p.m; ++r) {
    Q scale = abs(p.gamma[r]);
    for (std::size_t j = 0; j < p.n; ++j) scale += root_down(squares / mass(j)) * abs(p.J[r][j]);
    if (abs(times(p.J[r], a) + p.gamma[r]) > kConsistent * scale) return false;
  }
  return true;
}

Refusal judge_equilibrium(const Problem& p, const Json& certificate)
{
  const Vector a = vector(certificate.at("a"));
  Vector load(p.n), size(p.n);
  for (std::size_t j = 0; j < p.n; ++j) {
    load[j] = times(p.M[j], a) + p.F[j];
    size[j] = sizes(p.M[j], a) + abs(p.F[j]);
  }
  if (!consistent(p, a, load)) return "a contact does not stick under the prescribed acceleration";
  Sizes s = measure(p);
  measure_loads(p, load, s);
  if (certificate.at("kind") == "forces") {
    Vector residual = load;
    const Vector efforts = vector(certificate.at("efforts"));
    for (std::size_t k = 0; k < p.motors.size(); ++k) {
      Q effort = efforts.at(k);
      if (p.motors[k].lower) effort = std::max(effort, *p.motors[k].lower);
      if (p.motors[k].upper) effort = std::min(effort, *p.motors[k].upper);
      residual[p.motors[k].dof] -= effort;
    }
    return check_balance(p, s, {}, admissible(p, vector(certificate.at("lambda"))), residual, size);
  }
  return every_leaf(p, s, certificate, [&](const Leaf& leaf) {
    Q gain = times(leaf.y, load) - p.backward * sizes(leaf.y, size);
    for (const Motor& motor : p.motors) {
      const Q& y = leaf.y[motor.dof];
      const Limit& most = y > 0 ? motor.upper : motor.lower;
      if (y != 0 && !most) return false;
      if (y != 0) gain -= y * *most;
    }
    p.every_loop_row([&](std::size_t r) { gain -= kStaticForces * s.row_force(r) * row_supply(p, r, leaf.y); });
    for (std::size_t i = 0; i < p.contacts.size(); ++i) {
      const Q bound = kStaticForces * s.row_force(p.contacts[i].row);
      if (p.contacts[i].most) gain -= leaf.prices[i] * *p.contacts[i].most;
      gain -= most_supply(p, s, i, leaf, bound, bound);
    }
    return gain > 0;
  });
}

// ---- All-sticking ----

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
  Q load_reach(std::size_t j) const;
  Refusal forces(const Vector& lambda);
  Refusal fails(const Json& certificate);
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
  for (std::size_t j = 0; j < p.n; ++j)
    size[j] = abs(p.F[j]) + root(p.M[j][j], norms_up) * root(motion.squares[s.part[j]], norms_up);
  for (std::size_t r = 0; r < p.m; ++r)
    if (motion.moves[s.row_part[r]]) rows[r] = times(p.J[r], a) + p.gamma[r];
}

Q Sticking::load_reach(std::size_t j) const
{
  Q sum = 0;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    sum += 2 * s.reach[i][j] * s.row_force(c.row);
    if (c.torsional) sum += abs(p.J[c.last()][j]) * s.row_force(c.last());
  }
  p.every_loop_row([&](std::size_t r) { sum += abs(p.J[r][j]) * s.row_force(r); });
  return sum;
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
      for (std::size_t r = c.row; r < c.last() + (c.torsional ? 1 : 0); ++r) near[r] = 0;
  return check_balance(p, s, motion, near, load, size);
}

/// x^2 + sum of lambda_n w_n <= Q0 + Q1 x + Q2 x^2 of docs/proofs.md, and what follows for x and the sum.
void Sticking::bound_motion()
{
  Vector q0(s.parts, 0), q1(s.parts, 0), q2(s.parts, 0), at_standstill(s.parts, 0), reach_bound(s.parts, 0);
  reach_swing.assign(s.parts, 0);
  for (std::size_t j = 0; j < p.n; ++j) {
    const std::size_t k = s.part[j];
    const Q root_mass = root_up(p.M[j][j]), reach = load_reach(j), missing = kRounding * (size[j] + reach) + miss[j];
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
      beside += s.swing[j] * (kRounding * (size[j] + root_up(p.M[j][j]) * x + load_reach(j)) + miss[j]);
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

Refusal Sticking::fails(const Json& certificate)
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

Refusal judge_sticking(const Problem& p, const Json& certificate)
{
  const std::string kind = certificate.at("kind").get<std::string>();
  const Vector none(p.n, 0);
  if (kind == "contradiction") return Sticking(p, none, true).contradiction(vector(certificate.at("lambda")));
  Sticking sticking(p, vector(certificate.at("a")), kind != "forces");
  if (kind == "forces") return sticking.forces(vector(certificate.at("lambda")));
  return kind == "motion" ? sticking.fails(certificate) : sticking.unbalanced();
}

}  // namespace

ExactJudgement judge_exactly(const std::string& report_text)
{
  const Json report = Json::parse(report_text);
  const std::string question = report.at("question").get<std::string>(),
                    verdict = report.at("verdict").get<std::string>();
  if (verdict == "undecided") return {false, "the report is undecided: it claims nothing"};
  if (question != "all_sticking" && question != "equilibrium")
    return {false, "exact arithmetic judges all_sticking and equilibrium, not " + question};
  const Json& certificate = report.at("certificate");
  if (certificate.at("rules").at("cone") != "exact")
    return {false, "exact arithmetic judges round friction cones, not facets"};
  const std::string kind = certificate.at("kind").get<std::string>();
  if ((verdict == "holds") != (kind == "forces"))
    return {false, "a certificate of " + kind + " does not prove " + verdict};
  Problem problem = read(certificate);
  if (const Json& rules = certificate.at("rules"); question == "equilibrium" && rules.contains("tolerance")) {
    problem.backward = std::max(kRounding, number(rules.at("tolerance")));
    if (problem.backward > power_of_two(-7)) return {false, "the tolerance of the data is beyond a hundredth"};
  }
  const Refusal refusal =
      question == "equilibrium" ? judge_equilibrium(problem, certificate) : judge_sticking(problem, certificate);
  return {refusal.empty(), refusal.empty() ? "proved in rational arithmetic: " + verdict + ", by " + kind : refusal};
}

}  // namespace stiction
