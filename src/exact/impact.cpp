// docs/proofs/impact.md: shown solutions, arguments about all of them, and what a report makes of both.
#include "exact/impact.hpp"

#include <algorithm>

#include "exact/questions.hpp"

namespace stiction::exact {
namespace {

const Q kBudgetRim = power_of_two(-50);
const Q kSpannedSquared = Q(1, Integer("1000000000000000000000000"));  // squares of 1e-12 and 1e-7
const Q kIndependentSquared = Q(1, Integer("100000000000000"));

MotionSizes impact_sizes(const Problem& p, const Vector& before, bool up)
{
  Vector speeds;
  for (const Q& speed : before) speeds.push_back(abs(speed));
  return motion_sizes(p, speeds, Vector(p.n, 0), Vector(p.m, 0), up);
}

/// A shown solution and its laws.
class ShownSolution {
 public:
  ShownSolution(const Impact& impact, const Vector& after, const Vector& impulse)
      : impact_(impact), p_(impact.p), impulse_(impulse), xi_(p_.m), change_(p_.n)
  {
    for (std::size_t r = 0; r < p_.m; ++r)
      xi_[r] = times(p_.J[r], after) + impact.restitution[r] * impact.row_before[r];
    for (std::size_t j = 0; j < p_.n; ++j) change_[j] = after[j] - impact.before[j];
  }

  bool obeys_all() const
  {
    for (std::size_t j = 0; j < p_.n; ++j) {
      const Vector column_j = column(p_.J, j);
      if (abs(change_[j]) > kReach * impact_.low.motion[j] ||
          abs(times(p_.M[j], change_) - times(column_j, impulse_)) >
              kSolve * impact_.low.load[j] + kLastBits * sizes(column_j, impulse_))
        return false;
    }
    bool good = true;
    p_.every_loop_row([&](std::size_t r) {
      const bool zeros = std::ranges::all_of(p_.J[r], [](const Q& entry) { return entry == 0; });
      good = good && still(r) && (zeros || abs(impulse_[r]) <= kReach * impact_.low.force[r]);
    });
    for (std::size_t i = 0; i < p_.contacts.size() && good; ++i) good = obeys(i);
    return good;
  }

 private:
  Q allowed(std::size_t r) const { return kSolve * impact_.low.row[r]; }
  bool still(std::size_t r) const { return abs(xi_[r]) <= allowed(r); }

  bool obeys(std::size_t i) const
  {
    const Contact& c = p_.contacts[i];
    const Q &normal = impulse_[c.row], &xi = xi_[c.row];
    const Limit most = impact_.most_normal(i, impact_.low);
    if (most && abs(normal) > kReach * *most) return false;
    if (c.bilateral ? !still(c.row) : normal < 0 || xi < -allowed(c.row) || (normal > 0 && xi > allowed(c.row)))
      return false;
    std::vector<std::size_t> rows;
    Vector budgets;
    for (std::size_t k = 0; k < c.tangents; ++k) {
      rows.push_back(c.row + 1 + k);
      budgets.push_back(c.mu * impact_.stretch(i, k) * abs(normal));
    }
    return obeys_friction(rows, budgets) && (!c.torsional || obeys_friction({c.last()}, {c.torsion * abs(normal)}));
  }

  /// There are xi^ within its allowance of xi and z^ within 2^-50 of z = impulse / budget that satisfy the law.
  bool obeys_friction(const std::vector<std::size_t>& rows, const Vector& budgets) const
  {
    Vector z, zeta;  // zeta: xi times its budget
    bool sticks = true, loaded = false;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (budgets[k] == 0 && impulse_[rows[k]] != 0) return false;
      z.push_back(budgets[k] > 0 ? Q(impulse_[rows[k]] / budgets[k]) : Q(0));
      zeta.push_back(xi_[rows[k]] * budgets[k]);
      sticks = sticks && (budgets[k] == 0 || still(rows[k]));
      loaded = loaded || budgets[k] > 0;
    }
    const Q square = times(z, z);
    if (!loaded) return true;
    if (square > (1 + kBudgetRim) * (1 + kBudgetRim)) return false;
    if (sticks) return true;
    if (square < (1 - kBudgetRim) * (1 - kBudgetRim)) return false;
    const Q along = std::min<Q>(0, times(zeta, z)) / square;  // onto the ray opposite to the impulse
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (abs(zeta[k] - along * z[k]) > allowed(rows[k]) * budgets[k]) return false;
    return true;
  }

  const Impact& impact_;
  const Problem& p_;
  const Vector& impulse_;
  Vector xi_, change_;
};

/// Rows that share one restitution: a unilateral normal, friction, torsion.
struct Reservoir {
  std::vector<std::size_t> rows;
  Q restitution;
};

std::vector<Reservoir> reservoirs(const Impact& impact)
{
  std::vector<Reservoir> list;
  for (std::size_t i = 0; i < impact.p.contacts.size(); ++i) {
    const Contact& c = impact.p.contacts[i];
    if (!c.bilateral) list.push_back({{c.row}, impact.laws[i].normal});
    if (impact.rubs(i)) {
      list.push_back({{}, impact.laws[i].tangential});
      for (std::size_t r = c.row + 1; r < c.last(); ++r) list.back().rows.push_back(r);
    }
    if (impact.twists(i)) list.push_back({{c.last()}, impact.laws[i].spin});
  }
  return list;
}

/// J M^-1 J'; empty where M is not clearly definite.
Matrix contact_inertia(const Problem& p)
{
  const std::optional<Matrix> inverse_M = inverse(p.M, Q(1, 1'000'000'000'000));
  Matrix G(p.m, Vector(p.m)), swings;  // swings: M^-1 J', a row per row of J
  for (std::size_t r = 0; r < p.m && inverse_M; ++r) {
    swings.emplace_back();
    for (std::size_t j = 0; j < p.n; ++j) swings[r].push_back(times((*inverse_M)[j], p.J[r]));
    for (std::size_t k = 0; k <= r; ++k) G[r][k] = G[k][r] = times(p.J[k], swings[r]);
  }
  return inverse_M ? G : Matrix();
}

/// Takes the bilateral rows out of G; false where nobody can tell whether one depends on the others.
bool eliminate_bilateral(const Problem& p, Matrix& G)
{
  const Matrix whole = G;
  bool clear = true;
  const auto eliminate = [&](std::size_t b) {
    if (G[b][b] <= kSpannedSquared * whole[b][b]) return;
    clear = clear && G[b][b] >= kIndependentSquared * whole[b][b];
    const Vector pivot = G[b];
    for (Vector& row : G) {
      const Q share = row[b] / pivot[b];
      for (std::size_t k = 0; k < row.size(); ++k) row[k] -= share * pivot[k];
    }
  };
  for (const Contact& c : p.contacts)
    if (c.bilateral) eliminate(c.row);
  p.every_loop_row(eliminate);
  for (std::size_t r = 0; r < p.m; ++r)
    if (G[r][r] <= kSpannedSquared * whole[r][r])
      for (std::size_t k = 0; k < p.m; ++k) G[r][k] = G[k][r] = 0;
  return clear;
}

/// (78): delta G + G delta >= 0 to 1e-12 of its diagonal, or all restitutions are equal.
bool cannot_create_energy(const Impact& impact)
{
  const std::vector<Reservoir> all = reservoirs(impact);
  if (std::ranges::all_of(all, [&](const Reservoir& r) { return r.restitution == all[0].restitution; })) return true;
  Matrix G = contact_inertia(impact.p);
  if (G.empty() || !eliminate_bilateral(impact.p, G)) return false;
  std::vector<std::size_t> rows;
  Vector delta, unit;  // unit: what the diagonal is measured by
  for (const Reservoir& reservoir : all) {
    const Q d = (1 - reservoir.restitution) / (1 + reservoir.restitution);
    Q size = 0;
    for (const std::size_t r : reservoir.rows) size = std::max(size, G[r][r]);
    for (const std::size_t r : reservoir.rows) {
      rows.push_back(r);
      delta.push_back(d);
      unit.push_back(size > 0 ? Q(size * (d > 0 ? d : Q(1))) : Q(1));
    }
  }
  Matrix loss(rows.size(), Vector(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) loss[i][j] = (delta[i] + delta[j]) * G[rows[i]][rows[j]];
    loss[i][i] += Q(2, 1'000'000'000'000) * unit[i];
  }
  return is_definite(loss);
}

/// (98) or (78) rules gains out.
bool rules_gains_out(const Impact& impact)
{
  const Problem& p = impact.p;
  Q energy = 0;
  for (std::size_t j = 0; j < p.n; ++j) energy += 2 * p.M[j][j] * impact.before[j] * impact.before[j];
  const auto speed = [&](std::size_t r) {  // rounding of J counts as rest
    Q scale = 0;
    for (std::size_t j = 0; j < p.n; ++j)
      if (p.J[r][j] != 0)
        scale += abs(p.J[r][j]) * (2 * abs(impact.before[j]) + (p.M[j][j] > 0 ? root_down(energy / p.M[j][j]) : Q(0)));
    return abs(impact.row_before[r]) <= kRounding * scale ? Q(0) : impact.row_before[r];
  };
  bool held = true, closing = true, at_rest = true;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    (c.bilateral              ? held
     : impact.laws[i].one_way ? at_rest
                              : closing) &=
        c.bilateral || impact.laws[i].one_way ? speed(c.row) == 0 : speed(c.row) <= 0;
    for (std::size_t r = c.row + 1; r < c.last() && impact.rubs(i); ++r) at_rest = at_rest && speed(r) == 0;
    if (impact.twists(i)) at_rest = at_rest && speed(c.last()) == 0;
  }
  p.every_loop_row([&](std::size_t r) { held = held && speed(r) == 0; });
  return held && ((closing && at_rest) || cannot_create_energy(impact));
}

}  // namespace

Impact::Impact(const Json& certificate)
    : p(read_problem(certificate)),
      before(vector(certificate.at("velocity"))),
      restitution(p.m, 0),
      low(impact_sizes(p, before, false)),
      high(impact_sizes(p, before, true))
{
  for (const Json& law : certificate.at("laws")) {
    laws.push_back({number(law.at("normal")),
                    number(law.at("tangential")),
                    number(law.at("spin")),
                    law.at("one_way").get<bool>(),
                    {}});
    if (law.contains("mu_second")) laws.back().mu_second = number(law.at("mu_second"));
  }
  laws.resize(p.contacts.size());
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    restitution[c.row] = laws[i].normal;
    for (std::size_t r = c.row + 1; r < c.last(); ++r) restitution[r] = laws[i].tangential;
    if (c.torsional) restitution[c.last()] = laws[i].spin;
  }
  for (std::size_t r = 0; r < p.m; ++r) row_before.push_back(times(p.J[r], before));
}

Q Impact::stretch(std::size_t i, std::size_t k) const
{
  return k == 1 && laws[i].mu_second && p.contacts[i].mu > 0 ? Q(*laws[i].mu_second / p.contacts[i].mu) : Q(1);
}

Limit Impact::most_normal(std::size_t i, const MotionSizes& size) const
{
  const Contact& c = p.contacts[i];
  Limit most;
  const auto lower = [&](const Q& bound) { most = most ? std::min<Q>(*most, bound) : bound; };
  const auto friction = [&](std::size_t r, const Q& mu) {
    if (mu > 0 && size.force[r] > 0) lower(size.force[r] / std::min<Q>(mu, 1));
  };
  if (size.force[c.row] > 0) lower(size.force[c.row]);
  for (std::size_t k = 0; k < c.tangents; ++k) friction(c.row + 1 + k, c.mu * stretch(i, k));
  if (!most && c.torsional) friction(c.last(), c.torsion);
  return most;
}

Q Impact::energy_gain(const Vector& after) const
{
  Vector change, sum;
  for (std::size_t j = 0; j < p.n; ++j) {
    change.push_back(after[j] - before[j]);
    sum.push_back(after[j] + before[j]);
  }
  Q gain = 0;
  for (std::size_t j = 0; j < p.n; ++j) gain += change[j] * times(p.M[j], sum) / 2;
  return gain;
}

Q Impact::noticeable_gain(const MotionSizes& size) const { return power_of_two(-24) * times(size.load, size.motion); }

Refusal judge_impact_report(const Json& report)
{
  const Json& certificate = report.at("certificate");
  const Impact impact(certificate);
  Matrix solutions;
  bool gains = false, differ = false;
  for (const Json& from : certificate.at("solutions")) {
    solutions.push_back(vector(from.at("velocity")));
    if (!ShownSolution(impact, solutions.back(), vector(from.at("impulse"))).obeys_all())
      return "a solution does not obey the laws";
    gains = gains || impact.energy_gain(solutions.back()) > impact.noticeable_gain(impact.high);
    for (std::size_t j = 0; j < impact.p.n; ++j)
      differ = differ || abs(solutions.back()[j] - solutions[0][j]) > impact.different(impact.high, j);
  }
  const LeafFindings found = look_at_leaves(impact, solutions, certificate.at("leaves"));
  const bool shown = !solutions.empty(), all = found.covers && found.complete, ruled_out = rules_gains_out(impact);
  bool losing = ruled_out;
  if (!losing && found.covers && found.no_gain) losing = true;
  for (const Vector& after : solutions)
    losing = losing && impact.energy_gain(after) <= impact.noticeable_gain(impact.low);
  const Json& claims = report.at("impact");
  const auto claimed = [&](const char* key, bool holds, bool fails) {
    const std::string claim = claims.at(key).get<std::string>();
    return claim == "holds" ? holds : claim == "fails" ? fails : true;
  };
  if (!claimed("exists", shown, all && !shown)) return "that there is, or is no, solution is not proved";
  if (!claimed("unique", shown && all && found.one && !differ, differ))
    return "how many velocities there are is not proved";
  if (!claimed("dissipates", shown && losing, gains && !ruled_out)) return "whether energy is lost is not proved";
  if (claims.at("complete").get<bool>() && !all) return "that all velocities are shown is not proved";
  const bool none = claims.at("exists").get<std::string>() == "fails";
  const std::string verdict = none ? "fails" : claims.at("dissipates").get<std::string>();
  return report.at("verdict").get<std::string>() == verdict ? "" : "the verdict is not what is proved";
}

}  // namespace stiction::exact
