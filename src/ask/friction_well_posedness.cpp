// Whether a sliding problem has one solution, or any, for every load: exact determinant tests, the degree of the laws,
// and the tutorial's norm bounds.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <random>

#include "ask/check_slips.hpp"
#include "ask/propositions_algebra.hpp"
#include "base/numerics.hpp"
#include "proof/sliding_program.hpp"
#include "stiction/sliding.hpp"

namespace stiction {

using namespace internal;

namespace {

constexpr int kMostForMinors = 12;   // 2^12 determinants and eigenvalue problems
constexpr int kMostForAnySense = 8;  // 3^8
constexpr int kMostForProposition13 = 10;
constexpr double kMarginRounding = 1e-10;  // share of the largest eigenvalue below which none is called positive
constexpr double kNoFriction = 1e-14;      // share of A: a product of few numbers, each with its last bits
constexpr double kRealRoot = 1e-7;         // a double root splits into a pair this far apart when rounded

double largest_singular(const Eigen::MatrixXd& A) { return A.size() == 0 ? 0.0 : singular_values(A)[0]; }
double smallest_singular(const Eigen::MatrixXd& A)
{
  return A.size() == 0 ? kInfinity : singular_values(A).tail<1>()[0];
}
double ratio(double a, double b) { return b > 0.0 ? a / b : kInfinity; }

/// Delassus matrices of the contacts that slide, bilateral ones first, within the motions that the held rows leave:
/// A = N'M⁻¹N, At = N'M⁻¹T with T the slip directions, Aall with both tangents of each contact.
struct Delassus {
  Eigen::MatrixXd A, At, Aall;
  Eigen::VectorXd mu;
  int bilateral = 0, unilateral = 0;
  bool anything_held = false, held_dependent = false;
  Eigen::MatrixXd N;      ///< whitened normals, projected
  Eigen::VectorXd whole;  ///< their lengths before projection
  Eigen::MatrixXd Z;      ///< motions that the held rows leave, whitened, orthonormal

  int size() const { return bilateral + unilateral; }
  Eigen::MatrixXd block(const Eigen::MatrixXd& X, bool rows_bilateral, bool cols_bilateral) const
  {
    return X.block(rows_bilateral ? 0 : bilateral, cols_bilateral ? 0 : bilateral,
                   rows_bilateral ? bilateral : unilateral, cols_bilateral ? bilateral : unilateral);
  }

  Delassus(const ContactProblem& p, const SlipDirections& slips, const UnitMass& unit)
  {
    std::vector<int> held, order;
    for (const LoopConstraint& c : p.loops)
      for (int k = 0; k < c.rows; ++k) held.push_back(c.row + k);
    for (const bool want_bilateral : {true, false})
      for (std::size_t i = 0; i < p.contacts.size(); ++i) {
        const Contact& c = p.contacts[i];
        if ((c.side == Side::kBilateral) != want_bilateral) continue;
        if (sticks(c, slips[i])) {
          for (int k = 0; k < c.rows(); ++k) held.push_back(c.row + k);
        } else if (!has_choice(c, slips[i])) {
          held.push_back(c.row);
        } else {
          order.push_back(static_cast<int>(i));
          ++(want_bilateral ? bilateral : unilateral);
        }
      }
    anything_held = !held.empty();
    const auto m = static_cast<Eigen::Index>(order.size()), nv = p.nv();
    Eigen::MatrixXd rows(m, nv), slip = Eigen::MatrixXd::Zero(m, nv), tangents = Eigen::MatrixXd::Zero(2 * m, nv);
    mu.setZero(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      const Contact& c = p.contacts[static_cast<std::size_t>(order[i])];
      const auto& d = slips[static_cast<std::size_t>(order[i])];
      rows.row(i) = unit.J.row(c.row);
      if (!d) continue;
      mu[i] = c.mu;
      for (int k = 0; k < c.tangents; ++k) {
        slip.row(i) += d->normalized()[k] * unit.J.row(c.row + 1 + k);
        tangents.row(2 * i + k) = unit.J.row(c.row + 1 + k);
      }
    }
    const auto whitened = [&](const Eigen::MatrixXd& X) -> Eigen::MatrixXd {
      if (X.size() == 0) return Eigen::MatrixXd(nv, X.rows());  // Eigen forms a null reference in an empty solve
      return unit.whitened(X.transpose());
    };
    const Eigen::MatrixXd kept = whitened(rows_of(unit.J, held));
    held_dependent = rank_of(kept.transpose()) < static_cast<int>(held.size());
    Z = null_space(kept.transpose());
    const Eigen::MatrixXd W = whitened(rows);
    whole = W.colwise().norm().transpose();
    N = Z.transpose() * W;
    A = N.transpose() * N;
    At = N.transpose() * (Z.transpose() * whitened(slip));
    Aall = N.transpose() * (Z.transpose() * whitened(tangents));
  }
};

/// Calls visit(index set, signs) for every subset that contains all bilateral contacts, with every sign of its contacts
/// below `signed_first` (the others keep +1). The empty set is left out.
void for_each_minor(const Delassus& d, int signed_first,
                    const std::function<void(const std::vector<int>&, const Eigen::VectorXd&)>& visit)
{
  std::vector<int> set;
  Eigen::VectorXd signs;
  for (unsigned subset = 0; subset < 1u << d.unilateral; ++subset) {
    set.clear();
    for (int i = 0; i < d.bilateral; ++i) set.push_back(i);
    for (int i = 0; i < d.unilateral; ++i)
      if (subset >> i & 1u) set.push_back(d.bilateral + i);
    if (set.empty()) continue;
    int free = 0;
    while (free < static_cast<int>(set.size()) && set[static_cast<std::size_t>(free)] < signed_first) ++free;
    for (unsigned pattern = 0; pattern < 1u << free; ++pattern) {
      signs.setOnes(static_cast<Eigen::Index>(set.size()));
      for (int k = 0; k < free; ++k)
        if (pattern >> k & 1u) signs[k] = -1.0;
      visit(set, signs);
    }
  }
}

/// The factors on `mu` next to `around` at which some determinant vanishes: the last below it (0: none) and the first
/// above it (infinity: none). det(A - s B) = 0 on an index set where 1/s is an eigenvalue of A⁻¹B.
std::pair<double, double> critical_factors(const Delassus& d, const Eigen::VectorXd& mu, int signed_first,
                                           double around)
{
  std::pair<double, double> next(0.0, kInfinity);
  for_each_minor(d, signed_first, [&](const std::vector<int>& set, const Eigen::VectorXd& signs) {
    const Eigen::MatrixXd B = d.At(set, set) * signs.cwiseProduct(Eigen::VectorXd(mu(set))).asDiagonal();
    if (B.isZero(0.0)) return;
    const Eigen::MatrixXd L = cholesky_factor(d.A(set, set));
    const Eigen::MatrixXd C = solve_lower(L, solve_lower(L, B).transpose()).transpose();
    const double noise = kProductRounding * C.cwiseAbs().maxCoeff();
    for (const std::complex<double>& root : eigenvalues(C)) {
      if (!(root.real() > noise) || std::abs(root.imag()) > kRealRoot * std::abs(root)) continue;
      const double factor = 1.0 / root.real();
      if (factor > around)
        next.second = std::min(next.second, factor);
      else
        next.first = std::max(next.first, factor);
    }
  });
  return next;
}

/// The factor on `mu` at which some determinant vanishes first.
double critical_factor(const Delassus& d, const Eigen::VectorXd& mu, int signed_first)
{
  return critical_factors(d, mu, signed_first, 0.0).second;
}

/// X(σ) on an index set, in units in which A has a unit diagonal.
Eigen::MatrixXd scaled_minor(const Delassus& d, const std::vector<int>& set, const Eigen::VectorXd& signs)
{
  const Eigen::VectorXd scale = Eigen::VectorXd(d.A.diagonal()(set)).cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd X = d.A(set, set);
  X -= d.At(set, set) * signs.cwiseProduct(Eigen::VectorXd(d.mu(set))).asDiagonal();
  return scale.asDiagonal() * X * scale.asDiagonal();
}

/// Determinants of X(σ) over the product of the diagonal of A: the smallest, and the one nearest to zero.
std::pair<double, double> smallest_minors(const Delassus& d)
{
  double smallest = kInfinity, nearest = kInfinity;
  for_each_minor(d, d.bilateral, [&](const std::vector<int>& set, const Eigen::VectorXd& signs) {
    const double value = determinant(scaled_minor(d, set, signs));
    smallest = std::min(smallest, value);
    nearest = std::min(nearest, std::abs(value));
  });
  return {smallest, nearest};
}

/// What the modes say about one load.
struct Solutions {
  int count = 0;
  int degree = 0;     ///< sum of the signs of the determinants of modes with a solution
  bool clear = true;  ///< no mode is within rounding of gaining or losing its solution
};

/// Solutions of A λ - At[mu]|λ| + w = un for each column w, in units in which A has a unit diagonal.
std::vector<Solutions> solutions_of(const Delassus& d, const Eigen::MatrixXd& loads)
{
  constexpr double kOnABorder = 1e-7;  // of the largest force or separation of the mode
  std::vector<Solutions> found(static_cast<std::size_t>(loads.cols()));
  const Eigen::VectorXd scale = d.A.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd A = scale.asDiagonal() * d.A * scale.asDiagonal();
  const Eigen::MatrixXd K = scale.asDiagonal() * (d.At * d.mu.asDiagonal()) * scale.asDiagonal();
  const auto look = [&](const std::vector<int>& set, const Eigen::VectorXd& signs) {
    Eigen::MatrixXd positive = loads;  // what must be: separations, and forces of the set with their signs
    bool odd = false;
    if (!set.empty()) {
      const Eigen::MatrixXd X = scaled_minor(d, set, signs), force = solve(X, -loads(set, Eigen::all));
      odd = determinant(X) < 0.0;
      positive += (A(Eigen::all, set) - K(Eigen::all, set) * signs.asDiagonal()) * force;
      positive(set, Eigen::all) = signs.asDiagonal() * force;
    }
    for (Eigen::Index k = 0; k < loads.cols(); ++k) {
      Solutions& each = found[static_cast<std::size_t>(k)];
      const double least = positive.col(k).minCoeff();
      if (std::abs(least) <= kOnABorder * positive.col(k).lpNorm<Eigen::Infinity>()) each.clear = false;
      if (!(least > 0.0)) continue;
      ++each.count;
      each.degree += odd ? -1 : 1;
    }
  };
  if (d.bilateral == 0) look({}, Eigen::VectorXd());  // every contact opens
  for_each_minor(d, d.bilateral, look);
  return found;
}

/// Whether every load has a solution, when no determinant vanishes: then the piecewise linear laws map only 0 to 0 and
/// have a degree, which any load shows that is on no border of the modes.
void judge_existence(const Delassus& d, const UnitMass& unit, WellPosedness& w)
{
  constexpr int kLoads = 32;
  std::mt19937 random{1};
  std::normal_distribution<double> gauss;
  const Eigen::MatrixXd loads = Eigen::MatrixXd::NullaryExpr(d.size(), kLoads, [&] { return gauss(random); });
  const std::vector<Solutions> found = solutions_of(d, loads);
  const auto shown = std::ranges::find_if(found, &Solutions::clear);
  const auto another = [&](const Solutions& s) { return s.clear && s.degree != shown->degree; };
  if (shown == found.end() || std::ranges::any_of(found, another)) return;  // rounding
  if (shown->degree != 0) {
    w.exists_for_all_loads = Verdict::kHolds;
    return;
  }
  const auto none = std::ranges::find_if(found, [](const Solutions& s) { return s.clear && s.count == 0; });
  if (none == found.end()) return;
  w.exists_for_all_loads = Verdict::kFails;
  const Eigen::VectorXd load = loads.col(none - found.begin()).cwiseProduct(d.A.diagonal().cwiseSqrt());
  const Eigen::VectorXd whitened = -d.Z * (d.N * solve_definite(d.A, load));  // N'M⁻¹F = -load
  w.unsolvable_load = (unit.L * whitened).cwiseQuotient(unit.S);
}

/// β₂(M) = max over D in [0,1]ⁿ of |(I - D + D M)⁻¹ D| = max over index sets of 1/σmin(M_αα): in each entry of D the
/// norm is largest at an end.
double beta2(const Eigen::MatrixXd& M)
{
  double largest = 0.0;
  std::vector<int> set;
  for (unsigned subset = 1; subset < 1u << M.rows(); ++subset) {
    set.clear();
    for (int i = 0; i < M.rows(); ++i)
      if (subset >> i & 1u) set.push_back(i);
    largest = std::max(largest, ratio(1.0, smallest_singular(M(set, set))));
  }
  return largest;
}

/// (58): the complementarity matrix of (λ-, λu), bilateral λb = λ+ - λ-.
Eigen::MatrixXd mixed_matrix(const Delassus& d, const Eigen::MatrixXd& An, const Eigen::MatrixXd& At,
                             const Eigen::VectorXd& mu)
{
  const Eigen::MatrixXd K = At * mu.asDiagonal(), minus = An - K, plus = An + K;
  const Eigen::MatrixXd A = d.block(minus, true, true);
  const Eigen::MatrixXd to_bilateral = solve(A, d.block(plus, true, true));
  const Eigen::MatrixXd to_unilateral = solve(A, d.block(minus, true, false));
  const Eigen::MatrixXd C = d.block(minus, false, true), Cbar = d.block(plus, false, true);
  Eigen::MatrixXd M(d.size(), d.size());
  M.topLeftCorner(d.bilateral, d.bilateral) = to_bilateral;
  M.topRightCorner(d.bilateral, d.unilateral) = -to_unilateral;
  M.bottomLeftCorner(d.unilateral, d.bilateral) = C * to_bilateral - Cbar;
  M.bottomRightCorner(d.unilateral, d.unilateral) = d.block(minus, false, false) - C * to_unilateral;
  return M;
}

struct Proposition13 {
  double literal = kInfinity;   ///< |P_mu| β₂, the least over the orientations of bilateral normals
  double monotone = kInfinity;  ///< the same with a bound on |P_mu| that grows with every mu
};

Proposition13 proposition13(const Delassus& d)
{
  Proposition13 result;
  const double mu_b = d.mu.head(d.bilateral).maxCoeff(), mu_u = d.mu.tail(d.unilateral).maxCoeff();
  const Eigen::MatrixXd Anb = d.block(d.A, true, true);
  const double s = largest_singular(solve_definite(Anb, d.block(d.At, true, true)));
  const double r = largest_singular(solve_definite(Anb, d.block(d.A, true, false)));
  const double p = largest_singular(solve_definite(Anb, d.block(d.At, true, false)));
  const double a = largest_singular(d.block(d.At, false, true));
  double grown = kInfinity;
  if (s * mu_b < 1.0) {
    const double k = s * mu_b / (1.0 - s * mu_b), kappa = largest_singular(d.block(d.A, false, true)) + mu_b * a;
    const double y = (1.0 + k) * p * mu_u + k * r;
    Eigen::Matrix2d bound;
    bound << 2.0 * k, y, 2.0 * a * mu_b + 2.0 * kappa * k,
        largest_singular(d.block(d.At, false, false)) * mu_u + a * mu_b * r + kappa * y;
    grown = largest_singular(bound);
  }
  for (unsigned flips = 0; flips < 1u << d.bilateral; ++flips) {
    Eigen::VectorXd S = Eigen::VectorXd::Ones(d.size());
    for (int i = 0; i < d.bilateral; ++i)
      if (flips >> i & 1u) S[i] = -1.0;
    // A normal turned round: its rows and columns of A change sign, only its rows of At (friction opposes slip still).
    const Eigen::MatrixXd An = S.asDiagonal() * d.A * S.asDiagonal(), At = S.asDiagonal() * d.At;
    const Eigen::MatrixXd M0 = mixed_matrix(d, An, At, Eigen::VectorXd::Zero(d.size()));
    const double beta = beta2(M0);
    result.literal = std::min(result.literal, largest_singular(mixed_matrix(d, An, At, d.mu) - M0) * beta);
    result.monotone = std::min(result.monotone, grown * beta);
  }
  return result;
}

void add_screens(const Delassus& d, WellPosedness& w)
{
  const double mu = d.mu.size() > 0 ? d.mu.maxCoeff() : 0.0;
  const bool all_bilateral = d.unilateral == 0, all_unilateral = d.bilateral == 0;
  const std::string one = "one solution for every load";
  const auto screen = [&](const char* name, double bound, double value, const std::string& guarantees) -> Hypotheses& {
    w.screens.push_back({name, {}, bound, value, guarantees});
    return w.screens.back().hypotheses;
  };
  const double smallest = smallest_singular(d.A), bound = ratio(smallest, largest_singular(d.At));
  const auto kind = [&](Hypotheses& h, bool want_bilateral, bool want_held) {
    if (want_bilateral)
      h.require(all_bilateral, "a sliding contact is unilateral");
    else
      h.require(all_unilateral, "a sliding contact with friction is bilateral");
    if (want_held)
      h.require(d.anything_held, "nothing is held: no closure, frictionless bilateral or sticking contact");
    else
      h.require(!d.anything_held, "closures, frictionless bilateral or sticking contacts are present");
    if (want_held) h.require(!d.held_dependent, "held rows depend on each other");
  };
  kind(screen("Proposition 9", bound, mu, one), true, false);
  kind(screen("Proposition 10", bound / 3.0, mu, one), true, false);
  kind(screen("Proposition 11", bound, mu, one), true, true);
  kind(screen("Proposition 12", bound, mu, one), false, false);
  kind(screen("Proposition 14", bound, mu, one), false, true);
  const Eigen::MatrixXd contraction = solve_definite(d.A, d.At * d.mu.asDiagonal());
  screen("contraction |A⁻¹At[mu]|", 1.0, largest_singular(contraction), one)
      .require(all_bilateral, "a sliding contact is unilateral");
  screen("Corollary 2", kInfinity, mu, "a solution for every load, perhaps not the only one")
      .require(w.copositive, "friction couples into a normal with positive sign, or a sliding contact is bilateral");
  screen("direction-free", w.direction_free_mu, mu, one + " and every slip direction");
  screen("σmin(A)/σmax(At)", bound, mu, one);  // blocks of A have no smaller, those of At no larger singular values

  const bool mixed = !all_bilateral && !all_unilateral, few = d.size() <= kMostForProposition13;
  const double bilateral_bound =
      mixed ? ratio(smallest_singular(d.block(d.A, true, true)), largest_singular(d.block(d.At, true, true))) : 0.0;
  const bool tame = mixed && d.mu.head(d.bilateral).maxCoeff() < bilateral_bound;
  const Proposition13 values = mixed && few ? proposition13(d) : Proposition13{};
  for (const bool literal : {true, false}) {
    Hypotheses& h = screen(literal ? "Proposition 13 |P|β₂" : "Proposition 13 |P|β₂, bound that grows with mu", 1.0,
                           literal ? values.literal : values.monotone, one);
    h.require(mixed, "sliding contacts are not both bilateral and unilateral");
    h.require(few, "too many contacts");
    if (mixed) h.require(tame, "the friction of a bilateral contact exceeds the bound of Proposition 9");
  }
}

/// Rank of the normals as shares of the whole ones, so that one inside the span of the held rows counts as lost.
void find_dependencies(const Delassus& d, WellPosedness& w)
{
  Eigen::MatrixXd share = d.N;
  for (Eigen::Index j = 0; j < share.cols(); ++j)
    if (d.whole[j] > 0.0) share.col(j) /= d.whole[j];
  Eigen::MatrixXd open = Eigen::MatrixXd::Identity(w.contacts, w.contacts);
  if (share.rows() > 0) {
    const SingularVectors svd = svd_with_null_space(share);
    w.rank = static_cast<int>((svd.values.array() > kRankTolerance).count());
    open = svd.V.rightCols(w.contacts - w.rank);
  }
  w.dependencies = d.whole.unaryExpr([](double x) { return x > 0.0 ? 1.0 / x : 1.0; }).asDiagonal() * open;
}

}  // namespace

WellPosedness friction_well_posedness(const ContactProblem& problem, const SlipDirections& slips)
{
  problem.validate();
  check_slips(problem, slips);
  WellPosedness w;
  const UnitMass unit(problem);
  w.hypotheses.require(unit.definite, "M is singular");
  if (!unit.definite) return w;
  const Delassus d(problem, slips, unit);
  w.contacts = d.size();
  w.hypotheses.require(w.contacts > 0, "no contact slides");
  if (w.contacts == 0) return w;

  find_dependencies(d, w);
  w.hypotheses.require(w.rank == w.contacts, "normals of sliding contacts depend on each other or on what is held");
  if (w.rank < w.contacts) return w;

  w.direction_free_mu = ratio(smallest_singular(d.A), largest_singular(d.Aall));
  if (d.bilateral == 0) {
    const Eigen::MatrixXd friction = d.At * d.mu.asDiagonal(), X = d.A - friction;
    const double noise = kNoFriction * d.A.cwiseAbs().maxCoeff();
    w.copositive = (friction.array() <= noise).all();
    const Eigen::VectorXd symmetric = symmetric_eigenvalues(X + X.transpose());
    w.positive_definite = symmetric[0] > kMarginRounding * symmetric.cwiseAbs().maxCoeff();
  }
  add_screens(d, w);
  const auto proves = [](const char* claim) {
    return [claim](const FrictionScreen& s) { return s.satisfied() && s.guarantees.starts_with(claim); };
  };
  if (w.positive_definite || std::ranges::any_of(w.screens, proves("one solution")))
    w.unique_for_all_loads = w.exists_for_all_loads = Verdict::kHolds;
  if (w.copositive) w.exists_for_all_loads = Verdict::kHolds;
  w.hypotheses.require(w.contacts <= kMostForMinors, "more than 12 sliding contacts: too many determinants");
  if (w.contacts > kMostForMinors) return w;
  const auto [smallest, nearest] = smallest_minors(d);
  w.margin = smallest;
  w.unique_for_all_loads = Verdict::kUndecided;
  if (std::abs(w.margin) > kMarginRounding) w.unique_for_all_loads = w.margin > 0.0 ? Verdict::kHolds : Verdict::kFails;
  if (w.unique_for_all_loads == Verdict::kHolds) {
    w.exists_for_all_loads = Verdict::kHolds;
    w.unique_scales = critical_factors(d, d.mu, d.bilateral, 1.0);
  }
  if (w.exists_for_all_loads == Verdict::kUndecided && nearest > kMarginRounding) judge_existence(d, unit, w);
  w.critical_scale = critical_factor(d, d.mu, d.bilateral);
  const Eigen::VectorXd ones = d.mu.unaryExpr([](double mu) { return mu > 0.0 ? 1.0 : 0.0; });
  w.critical_mu = critical_factor(d, ones, d.bilateral);
  if (w.contacts <= kMostForAnySense) w.critical_scale_any_sense = critical_factor(d, d.mu, d.size());
  if (d.bilateral == 0 && w.unique_for_all_loads == Verdict::kHolds)
    w.lipschitz = beta2(d.A - d.At * d.mu.asDiagonal());
  return w;
}

}  // namespace stiction
