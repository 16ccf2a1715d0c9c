// docs/proofs/closure.md
#include <algorithm>

#include "exact/equilibrium.hpp"
#include "exact/questions.hpp"

namespace stiction::exact {
namespace {

const Q kClosureDoubt = power_of_two(-30);

/// The object's rows of J' with torques about the point, in units of the length: in double arithmetic, as these are the
/// numbers that the verdicts are about. A torque that is rounding of its terms is none.
std::vector<std::vector<double>> grasp_map(const Json& certificate)
{
  const auto J = certificate.at("problem").at("J").get<std::vector<std::vector<double>>>();
  const auto point = certificate.at("point").get<std::vector<double>>();
  const double length = certificate.at("length").get<double>();
  const std::string plane = certificate.at("plane").get<std::string>();
  std::vector<std::vector<double>> G;
  for (const Json& dof : certificate.at("object_dofs")) {
    G.emplace_back();
    for (const std::vector<double>& row : J) G.back().push_back(row.at(dof.get<std::size_t>()));
  }
  const bool planar = G.size() == 3, moves = planar || point != std::vector<double>(3, 0.0);
  constexpr double kRowRounding = 0x1p-46;  // that of a scene's rows included
  const std::size_t first = plane == "yz" ? 1 : plane == "zx" ? 2 : 0;
  for (std::size_t k = 0; k < J.size() && (planar || G.size() == 6); ++k) {
    double size = 0;
    for (std::size_t c = planar ? 2 : 3; c < G.size() && moves; ++c) size += std::abs(G[c][k]);
    for (std::size_t c = 0; c < (planar ? 1 : 3); ++c) {
      const std::size_t i = planar ? first : (c + 1) % 3, j = (i + 1) % 3;
      const double along = G[planar ? 0 : i][k], across = G[planar ? 1 : j][k];
      double& torque = G[(planar ? 2 : 3) + c][k];
      const double moved = torque - (point[i] * across - point[j] * along);
      const double terms = size + std::abs(point[i] * across) + std::abs(point[j] * along);
      torque = (std::abs(moved) > kRowRounding * terms ? moved : 0.0) / length;
    }
  }
  return G;
}

class Grasp {
 public:
  explicit Grasp(const Json& certificate);

  /// `friction`: false for form closure.
  bool holds(const Vector& forces, bool friction) const;
  bool moves_freely(const Vector& twist, const std::vector<int>& signs, bool friction) const;
  bool fails(const Json& proof, bool friction) const;
  bool commands_every_force() const;
  bool cannot_command(const Vector& forces) const;
  Refusal resists(const Json& proof, bool holds) const;
  bool has_hand() const { return !hand_.empty(); }

 private:
  bool has_friction(const Contact& c) const { return (c.tangents > 0 && c.mu > 0) || (c.torsional && c.torsion > 0); }
  bool carries(std::size_t column) const;
  Problem as_equilibrium(const Q& doubt) const;

  Problem p_;    // its J says which columns belong to which contact
  Matrix G_;     // rows: forces and torques
  Matrix hand_;  // per degree of freedom of the hand: its column of J
  std::vector<Motor> motors_;
  Vector load_;  // of the hand
  Vector wrench_;
};

Grasp::Grasp(const Json& certificate) : p_(read_problem(certificate))
{
  for (const std::vector<double>& row : grasp_map(certificate)) G_.emplace_back(row.begin(), row.end());
  const auto own = certificate.at("object_dofs").get<std::vector<std::size_t>>();
  for (std::size_t j = 0; j < p_.n; ++j) {
    if (std::ranges::find(own, j) != own.end()) continue;
    Motor all{G_.size() + hand_.size(), Q(0), Q(0)};
    for (const Motor& motor : p_.motors) {
      if (motor.dof != j) continue;
      all.lower = all.lower && motor.lower ? Limit(*all.lower + *motor.lower) : Limit();
      all.upper = all.upper && motor.upper ? Limit(*all.upper + *motor.upper) : Limit();
    }
    motors_.push_back(all);
    hand_.push_back(column(p_.J, j));
    load_.push_back(p_.F[j]);
  }
  const double length = certificate.at("length").get<double>();
  const auto wrench = certificate.at("wrench").get<std::vector<double>>();
  for (std::size_t i = 0; i < wrench.size(); ++i) {
    const bool torque = (G_.size() == 6 && i >= 3) || (G_.size() == 3 && i == 2);
    wrench_.push_back(Q(torque ? wrench[i] / length : wrench[i]));
  }
}

bool Grasp::holds(const Vector& forces, bool friction) const
{
  const std::size_t m = G_.size();
  Vector weight(p_.m, 0), most(p_.m, 0), missing(m, 0);
  Problem p = p_;
  if (p.cone.kind == Cone::kOuter) p.cone = {};  // a verdict is about the true cones
  const Q disk = p.cone.kind == Cone::kInner ? Q(direction(pi() / p.cone.facets).x - kTrigonometric) : Q(1);
  Q largest = 0;
  for (const Q& force : forces) largest = std::max<Q>(largest, abs(force));
  if (forces.size() != p_.m) return false;
  if (largest == 0) largest = 1;
  for (Contact& c : p.contacts) {
    const bool line = c.bilateral && !(friction && has_friction(c));
    if (!friction) c.mu = c.torsion = 0;
    const Q &normal = forces[c.row], used = gauge(p, c, forces), turn = c.torsional ? Q(abs(forces[c.last()])) : Q(0);
    if ((normal < 0 && !c.bilateral) || (used > 0 && c.mu == 0) || (turn > 0 && c.torsion == 0)) return false;
    const Q slack = abs(normal) - std::max<Q>(used > 0 ? Q(used / c.mu) : Q(0), turn > 0 ? Q(turn / c.torsion) : Q(0));
    if (slack < -kRounding * abs(normal)) return false;
    const Q radius = line ? largest : std::max<Q>(slack, 0) / root_up(2);
    for (std::size_t r = c.row; r < c.end(); ++r) {
      const Q extent = r == c.row ? Q(1) : r < c.last() ? c.mu : c.torsion;
      weight[r] = radius * extent * (r > c.row && r < c.last() && c.tangents == 2 ? disk : Q(1));
      most[r] = (abs(normal) + radius) * extent;
    }
    for (std::size_t i = 0; i < m && slack < 0; ++i) missing[i] += 2 * kRounding * abs(G_[i][c.row] * normal);
  }
  p_.every_loop_row([&](std::size_t r) {
    weight[r] = largest;
    most[r] = abs(forces[r]) + largest;
  });
  Q square = 0;
  Matrix image = G_, gram(m, Vector(m));
  for (std::size_t i = 0; i < m; ++i) {
    const Q size = sizes(G_[i], most);
    if (size == 0) return false;
    const Q off = (abs(times(G_[i], forces)) + missing[i]) / size;
    square += off * off;
    for (std::size_t j = 0; j < p_.m; ++j) image[i][j] *= weight[j] / size;
  }
  const Q bound = root_up(square) + root_up(Q(m)) * kClosureDoubt;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t k = 0; k < m; ++k) gram[i][k] = times(image[i], image[k]) - (i == k ? Q(bound * bound) : Q(0));
  return is_definite(gram);
}

bool Grasp::moves_freely(const Vector& twist, const std::vector<int>& signs, bool friction) const
{
  if (twist.size() != G_.size() || std::ranges::all_of(twist, [](const Q& entry) { return entry == 0; })) return false;
  Vector h, size;  // -t'G and the sizes of its terms
  for (std::size_t r = 0; r < p_.m; ++r) {
    h.push_back(-times(column(G_, r), twist));
    size.push_back(sizes(column(G_, r), twist));
  }
  const auto rests = [&](std::size_t r) { return abs(h[r]) <= kRounding * size[r]; };
  bool free = true;
  Problem p = p_;
  if (p.cone.kind == Cone::kInner) p.cone = {};
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    Contact& c = p.contacts[i];
    if (!friction) c.mu = c.torsion = 0;
    if (signs[i] != 0 && !(c.bilateral && has_friction(c))) return false;
    if (c.bilateral && signs[i] == 0) {
      for (std::size_t r = c.row; r < c.end(); ++r)
        free = free && (rests(r) || (r > c.row && (r < c.last() ? c.mu : c.torsion) == 0));
      continue;
    }
    Q radius, reach = size[c.row];
    Q push = (signs[i] < 0 ? Q(-h[c.row]) : h[c.row]);
    for (std::size_t r = c.row + 1; r < c.last(); ++r) reach += c.mu * size[r];
    push += (1 + kClosureDoubt) * c.mu *
            slip_support(p, c,
                         Vector(h.begin() + static_cast<std::ptrdiff_t>(c.row) + 1,
                                h.begin() + static_cast<std::ptrdiff_t>(c.last())),
                         radius);
    if (c.torsional) {
      reach += c.torsion * size[c.last()];
      push += (1 + kClosureDoubt) * c.torsion * abs(h[c.last()]);
    }
    free = free && push <= kRounding * reach;
  }
  p_.every_loop_row([&](std::size_t r) { free = free && rests(r); });
  return free;
}

/// By one twist, or by a wrench that drives a twist for every choice of signs.
bool Grasp::fails(const Json& proof, bool friction) const
{
  const std::vector<int> none(p_.contacts.size(), 0);
  const auto free = [&](const Vector& twist, const std::vector<int>& signs) {
    if (moves_freely(twist, signs, friction)) return true;
    Q largest = 0;
    Vector reach, clean = twist;
    for (std::size_t i = 0; i < twist.size(); ++i) {
      Q most = 0;
      for (const Q& entry : G_.at(i)) most = std::max<Q>(most, abs(entry));
      reach.push_back(most * abs(twist[i]));
      largest = std::max(largest, reach[i]);
    }
    for (std::size_t i = 0; i < twist.size(); ++i)
      if (reach[i] <= kRounding * largest) clean[i] = 0;
    return moves_freely(clean, signs, friction);
  };
  if (!proof.contains("leaves")) return free(vector(proof.at("twist")), none);
  const Vector wrench = vector(proof.at("wrench"));
  std::vector<std::vector<int>> patterns;
  for (const Json& leaf : proof.at("leaves")) {
    const Vector twist = vector(leaf.at("motion"));
    patterns.push_back(read_signs(p_, leaf));
    if (twist.size() != wrench.size() || !(times(twist, wrench) > kClosureDoubt * sizes(twist, wrench)) ||
        !moves_freely(twist, patterns.back(), friction))
      return false;
  }
  return covers_every_sign(patterns, p_.contacts.size());
}

bool Grasp::carries(std::size_t r) const
{
  for (const Contact& c : p_.contacts)
    if (r > c.row && r < c.end()) return (r < c.last() ? c.mu : c.torsion) > 0;
  return true;
}

/// (G; J_hand') has independent columns: rows over their largest entry, columns of length one, singular values > theta.
bool Grasp::commands_every_force() const
{
  Matrix stacked = G_;
  for (std::size_t k = 0; k < hand_.size(); ++k)
    if (motors_[k].lower != motors_[k].upper || !motors_[k].lower) stacked.push_back(hand_[k]);
  std::vector<std::size_t> columns;
  for (std::size_t r = 0; r < p_.m; ++r)
    if (carries(r)) columns.push_back(r);
  for (Vector& row : stacked) {
    Q largest = 0;
    for (const std::size_t r : columns) largest = std::max<Q>(largest, abs(row[r]));
    for (Q& entry : row) entry = largest > 0 ? Q(entry / largest) : Q(0);
  }
  Matrix gram(columns.size(), Vector(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j)
      gram[i][j] = times(column(stacked, columns[i]), column(stacked, columns[j])) *
                   (i == j ? Q(1 - kClosureDoubt * kClosureDoubt) : Q(1));
  return is_definite(gram);
}

bool Grasp::cannot_command(const Vector& forces) const
{
  if (forces.size() != p_.m || std::ranges::all_of(forces, [](const Q& force) { return force == 0; })) return false;
  for (std::size_t r = 0; r < p_.m; ++r)
    if (forces[r] != 0 && !carries(r)) return false;
  const auto balances = [&](const Vector& row) { return abs(times(row, forces)) <= kRounding * sizes(row, forces); };
  for (std::size_t k = 0; k < hand_.size(); ++k)
    if ((motors_[k].lower != motors_[k].upper || !motors_[k].lower) && !balances(hand_[k])) return false;
  return std::ranges::all_of(G_, balances);
}

/// M = 0, J = (G', J_hand), F = (-wrench, load of the hand), friction (1 + doubt) mu.
Problem Grasp::as_equilibrium(const Q& doubt) const
{
  Problem p = p_;
  p.cone = {};
  p.n = G_.size() + hand_.size();
  p.M.assign(p.n, Vector(p.n, 0));
  p.F.clear();
  for (const Q& entry : wrench_) p.F.push_back(-entry);
  p.F.insert(p.F.end(), load_.begin(), load_.end());
  for (std::size_t r = 0; r < p.m; ++r) {
    p.J[r] = column(G_, r);
    for (const Vector& dof : hand_) p.J[r].push_back(dof[r]);
    p.gamma[r] = 0;
  }
  for (Contact& c : p.contacts) {
    c.mu *= 1 + doubt;
    c.torsion *= 1 + doubt;
  }
  p.loops.clear();
  p_.every_loop_row([&](std::size_t r) { p.loops.push_back({r, 1}); });
  p.motors = motors_;
  return p;
}

Refusal Grasp::resists(const Json& proof, bool holds) const
{
  const Problem p = as_equilibrium(holds ? Q(-kClosureDoubt) : kClosureDoubt);
  const Equilibrium equilibrium(p, Vector(p.n, 0));
  if (holds) {
    const Vector x = vector(proof.at("x"));
    if (x.size() < p.m + hand_.size()) return "the forces have the wrong size";
    const auto efforts = x.begin() + static_cast<std::ptrdiff_t>(p.m);
    return equilibrium.holds(Vector(x.begin(), efforts),
                             Vector(efforts, efforts + static_cast<std::ptrdiff_t>(hand_.size())));
  }
  const auto separates = [&](const Leaf& leaf) { return equilibrium.fails(leaf); };
  if (proof.contains("leaves")) return every_leaf(p, equilibrium.measured(), proof, separates);
  const Vector y = vector(proof.at("y"));
  if (y.size() < p.n) return "the motion has the wrong size";
  Leaf leaf{std::vector<int>(p.contacts.size(), 0), Vector(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(p.n)),
            Vector(p.contacts.size(), 0)};
  std::size_t row = p.n;  // prices of limits: of unilateral contacts as the proof says, of others what they oppose
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    if (!p.contacts[i].most) continue;
    leaf.prices[i] =
        p.contacts[i].bilateral ? Q(abs(times(p.J[p.contacts[i].row], leaf.y))) : std::max<Q>(-y.at(row++), 0);
  }
  return separates(leaf) || separates(without_noise(p, equilibrium.measured(), leaf)) ? ""
                                                                                      : "forces can oppose the motion";
}

}  // namespace

Refusal judge_closure_report(const Json& report)
{
  const Json &certificate = report.at("certificate"), &claims = report.at("closure");
  const Grasp grasp(certificate);
  for (const char* kind : {"form_closure", "frictional_form_closure", "force_closure"}) {
    const std::string verdict = claims.contains(kind) ? claims.at(kind).at("verdict").get<std::string>() : "undecided";
    if (verdict == "undecided") continue;
    const Json& proof = certificate.at(kind);
    const bool friction = kind != std::string("form_closure"), force = kind == std::string("force_closure");
    const Vector forces = vector(proof.at("forces"));
    const bool proved = verdict == "holds" ? grasp.holds(forces, friction) && (!force || grasp.commands_every_force())
                                           : grasp.fails(proof, friction) || (force && grasp.cannot_command(forces));
    if (!proved) return "the proof of " + std::string(kind) + " is none: " + verdict + " is not proved";
  }
  if (claims.contains("resists")) {
    const std::string verdict = claims.at("resists").at("verdict").get<std::string>();
    if (verdict != "undecided")
      if (const Refusal refusal = grasp.resists(certificate.at("resists"), verdict == "holds"); !refusal.empty())
        return "resists: " + refusal;
  }
  const char* decisive = grasp.has_hand() ? "force_closure" : "frictional_form_closure";
  return report.at("verdict") == claims.at(decisive).at("verdict") ? "" : "the verdict is not what is proved";
}

}  // namespace stiction::exact
