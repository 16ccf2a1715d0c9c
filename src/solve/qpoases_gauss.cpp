#include "solve/qpoases_gauss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/linear_algebra.hpp"
#include "solve/bounded_least_squares.hpp"
#include "solve/gauss_alternatives.hpp"
#include "solve/proximal_qp.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

constexpr double kMassless = 1e-9;     // eigenvalues of the unit-diagonal mass matrix below this may leave F unbalanced
constexpr double kConsistent = 1e-10;  // equality residual beyond which a contradiction is suspected
constexpr double kSolved = 1e-11;      // relative KKT error above which the answer is no solution

void require_size(const char* path, Eigen::Index want, Eigen::Index got)
{
  if (want != got) throw InputError(path, "want " + std::to_string(want) + ", got " + std::to_string(got));
}

void validate(const GaussProgram& p)
{
  const Eigen::Index n = p.F.size();
  require_size("M.rows", n, p.M.rows());
  require_size("M.cols", n, p.M.cols());
  require_size("Je.rows", p.ge.size(), p.Je.rows());
  require_size("Ju.rows", p.gu.size(), p.Ju.rows());
  if (p.Je.rows() > 0) require_size("Je.cols", n, p.Je.cols());
  if (p.Ju.rows() > 0) require_size("Ju.cols", n, p.Ju.cols());
  if (!(p.M.allFinite() && p.F.allFinite() && p.Je.allFinite() && p.ge.allFinite() && p.Ju.allFinite() &&
        p.gu.allFinite()))
    throw InputError("gauss", "want finite entries, got a non-finite one");
}

/// The program in variables and rows of size one: a = D â, rows divided by the length of J D, forces multiplied
/// likewise.
struct Scaled {
  Eigen::MatrixXd M, Je, Ju;
  Eigen::VectorXd F, ge, gu, D, row_e, row_u;
  double size = 1.0;  ///< of F and the drifts: â is of this size

  explicit Scaled(const GaussProgram& p)
  {
    const Eigen::Index n = p.F.size();
    D = Eigen::VectorXd::Ones(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      double largest = 0.0;
      if (p.Je.rows() > 0) largest = std::max(largest, p.Je.col(j).cwiseAbs().maxCoeff());
      if (p.Ju.rows() > 0) largest = std::max(largest, p.Ju.col(j).cwiseAbs().maxCoeff());
      if (p.M(j, j) > 0.0)
        D[j] = 1.0 / std::sqrt(p.M(j, j));
      else if (largest > 0.0)
        D[j] = 1.0 / largest;
    }
    M = D.asDiagonal() * p.M * D.asDiagonal();
    F = D.asDiagonal() * p.F;
    scale_rows(p.Je, p.ge, Je, ge, row_e);
    scale_rows(p.Ju, p.gu, Ju, gu, row_u);
    size = std::max({F.size() ? F.cwiseAbs().maxCoeff() : 0.0, ge.size() ? ge.cwiseAbs().maxCoeff() : 0.0,
                     gu.size() ? gu.cwiseAbs().maxCoeff() : 0.0});
    if (size == 0.0) size = 1.0;
  }

 private:
  void scale_rows(const Eigen::MatrixXd& J, const Eigen::VectorXd& g, Eigen::MatrixXd& out, Eigen::VectorXd& drift,
                  Eigen::VectorXd& factor)
  {
    out = Eigen::MatrixXd::Zero(J.rows(), D.size());
    factor = Eigen::VectorXd::Ones(J.rows());
    drift = g;
    for (Eigen::Index i = 0; i < J.rows(); ++i) {
      out.row(i) = J.row(i) * D.asDiagonal();
      const double norm = out.row(i).norm();
      if (norm > 0.0) factor[i] = 1.0 / norm;
      out.row(i) *= factor[i];
      drift[i] *= factor[i];
    }
  }
};

/// Is F in range(M) + range(Je') + cone(Ju')? If not, fills the direction along which the objective falls forever.
bool find_imbalance(const GaussProgram& p, QpoasesDecider& decider, GaussAnswer& answer)
{
  ConeProgram balance;
  ConeAnswer alternative;
  write_balance(p, balance);
  decider.decide(balance, alternative);
  answer.iterations += alternative.iterations;
  return is_unbalanced(alternative, p, answer);
}

/// Is there an a with Je a + ge = 0, Ju a + gu >= 0? If not, fills the Farkas vector.
bool find_contradiction(const GaussProgram& p, QpoasesDecider& decider, GaussAnswer& answer)
{
  ConeProgram rows;
  ConeAnswer alternative;
  write_consistency(p, rows);
  decider.decide(rows, alternative);
  answer.iterations += alternative.iterations;
  return is_contradictory(alternative, p, answer);
}

/// A point (â, λe, λu) in scaled units.
struct KktPoint {
  Eigen::VectorXd a, le, lu;

  /// Largest KKT error, relative to the largest sum of products behind any: masses are one here, so forces and
  /// accelerations share their scale, and single entries may be pure cancellation.
  double error(const Scaled& s) const
  {
    const auto largest = [](const Eigen::VectorXd& entries) {
      return entries.size() > 0 ? std::max(entries.maxCoeff(), 0.0) : 0.0;
    };
    const auto b = a.cwiseAbs();
    const Eigen::VectorXd balance = s.M * a + s.F - s.Je.transpose() * le - s.Ju.transpose() * lu;
    const Eigen::VectorXd balance_size = s.M.cwiseAbs() * b + s.F.cwiseAbs() +
                                         s.Je.cwiseAbs().transpose() * le.cwiseAbs() +
                                         s.Ju.cwiseAbs().transpose() * lu.cwiseAbs();
    const Eigen::VectorXd gap = s.Ju * a + s.gu;
    Eigen::VectorXd miss = (-gap).cwiseMax(0.0);
    for (Eigen::Index i = 0; i < gap.size(); ++i)
      if (lu[i] > 0.0) miss[i] = std::abs(gap[i]);  // complementarity
    const double worst = std::max({largest(balance.cwiseAbs()), largest((s.Je * a + s.ge).cwiseAbs()), largest(miss)});
    const double size = std::max({largest(balance_size), largest(s.Je.cwiseAbs() * b + s.ge.cwiseAbs()),
                                  largest(s.Ju.cwiseAbs() * b + s.gu.cwiseAbs())});
    return worst > 0.0 ? worst / size : 0.0;
  }
};

/// Newton on the KKT system of the working set, from the point qpOASES found: least change, so nothing that is not
/// unique is disturbed; wrong members of the working set are exchanged one by one.
bool polish(const Scaled& s, std::vector<int> active, KktPoint& point, int& exchanges)
{
  const Eigen::Index n = s.F.size(), ne = s.Je.rows(), nu = s.Ju.rows();
  const double tolerance = 1e-12 * s.size;
  KktPoint best = point;
  double best_error = kInfinity;
  for (int exchange = 0; exchange < 20 + 4 * static_cast<int>(nu); ++exchange, ++exchanges) {
    const auto na = static_cast<Eigen::Index>(active.size());
    Eigen::MatrixXd J(ne + na, n);
    Eigen::VectorXd g(ne + na), l(ne + na);
    J.topRows(ne) = s.Je;
    g.head(ne) = s.ge;
    l.head(ne) = point.le;
    for (Eigen::Index k = 0; k < na; ++k) {
      const int i = active[static_cast<std::size_t>(k)];
      J.row(ne + k) = s.Ju.row(i);
      g[ne + k] = s.gu[i];
      l[ne + k] = point.lu[i];
    }
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + ne + na, n + ne + na);
    K.topLeftCorner(n, n) = s.M;
    K.topRightCorner(n, ne + na) = -J.transpose();
    K.bottomLeftCorner(ne + na, n) = J;
    const LeastNorm inverse(K, kDependent);
    Eigen::VectorXd u(n + ne + na), rhs(n + ne + na);
    u << point.a, l;
    rhs << -s.F, -g;
    const auto store = [&](KktPoint& into) {
      into.a = u.head(n);
      into.le = u.segment(n, ne);
      into.lu.setZero(nu);
      for (Eigen::Index k = 0; k < na; ++k) into.lu[active[static_cast<std::size_t>(k)]] = u[n + ne + k];
    };
    const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> K_long = K.cast<long double>();
    for (int pass = 0; pass < 4; ++pass) {
      const Eigen::Vector<long double, Eigen::Dynamic> miss = rhs.cast<long double>() - K_long * u.cast<long double>();
      u += inverse.solve(miss.cast<double>());
      KktPoint candidate;
      store(candidate);
      for (int snap = 0; snap < 2; ++snap) {
        KktPoint clean = candidate;
        clean.lu = clean.lu.cwiseMax(0.0);
        const double error = (candidate.lu.size() && candidate.lu.minCoeff() < -tolerance) ? kInfinity : clean.error(s);
        if (error < best_error) {
          best_error = error;
          best = clean;
        }
        // Entries that are rounding noise: zero is the better guess.
        const auto noise = [&](double v) { return std::abs(v) <= 1e-14 * s.size ? 0.0 : v; };
        candidate.a = candidate.a.unaryExpr(noise);
        candidate.le = candidate.le.unaryExpr(noise);
        candidate.lu = candidate.lu.unaryExpr(noise);
      }
    }
    store(point);

    // Exchange the worst member, or stop.
    double worst = tolerance;
    int leave = -1, enter = -1;
    for (std::size_t k = 0; k < active.size(); ++k)
      if (-point.lu[active[k]] > worst) {
        worst = -point.lu[active[k]];
        leave = static_cast<int>(k);
      }
    const Eigen::VectorXd gap = s.Ju * point.a + s.gu;
    for (int i = 0; i < nu; ++i) {
      const double allowed = 1e-15 * (s.Ju.row(i).cwiseAbs().dot(point.a.cwiseAbs()) + std::abs(s.gu[i]));
      if (leave < 0 && -gap[i] > std::max(allowed, worst == tolerance ? 0.0 : worst) &&
          std::find(active.begin(), active.end(), i) == active.end()) {
        worst = -gap[i];
        enter = i;
      }
    }
    if (leave < 0 && enter < 0) break;
    if (leave >= 0) {
      point.lu[active[static_cast<std::size_t>(leave)]] = 0.0;
      active.erase(active.begin() + leave);
    } else {
      active.push_back(enter);
    }
  }
  point = best;
  return best_error <= kSolved;
}

/// Multipliers for a given â when those of the working set did not come out non-negative: any point of Λ*.
bool find_multipliers(const Scaled& s, QpoasesDecider& decider, KktPoint& point, int& iterations)
{
  const Eigen::Index n = s.F.size(), ne = s.Je.rows();
  const Eigen::VectorXd gap = s.Ju * point.a + s.gu;
  std::vector<int> active;
  for (int i = 0; i < gap.size(); ++i)
    if (gap[i] <= 1e-10 * s.size) active.push_back(i);
  const auto na = static_cast<Eigen::Index>(active.size());
  ConeProgram multipliers;
  multipliers.E.resize(n, ne + na);
  multipliers.E.leftCols(ne) = s.Je.transpose();
  for (Eigen::Index k = 0; k < na; ++k)
    multipliers.E.col(ne + k) = s.Ju.row(active[static_cast<std::size_t>(k)]).transpose();
  multipliers.e = s.M * point.a + s.F;
  multipliers.e_scale = s.M.cwiseAbs() * point.a.cwiseAbs() + s.F.cwiseAbs();
  for (int j = 0; j < ne; ++j) multipliers.free.push_back(j);
  for (int j = 0; j < na; ++j) multipliers.boxes.push_back({static_cast<int>(ne) + j, 0.0, kInfinity});
  ConeAnswer answer;
  decider.decide(multipliers, answer);
  iterations += answer.iterations;
  point.le = answer.x.head(ne);
  point.lu.setZero(gap.size());
  for (Eigen::Index k = 0; k < na; ++k) point.lu[active[static_cast<std::size_t>(k)]] = std::max(answer.x[ne + k], 0.0);
  std::erase_if(active, [&](int i) { return point.lu[i] == 0.0; });
  return polish(s, active, point, iterations);
}

}  // namespace

void solve_gauss(const GaussProgram& program, QpoasesDecider& decider, GaussAnswer& answer)
{
  validate(program);
  const Eigen::Index n = program.F.size(), ne = program.ge.size(), nu = program.gu.size();
  answer.outcome = GaussOutcome::kNotRun;
  answer.iterations = 0;
  answer.a = Eigen::VectorXd::Zero(n);
  answer.lambda_e = Eigen::VectorXd::Zero(ne);
  answer.lambda_u = Eigen::VectorXd::Zero(nu);
  const Scaled s(program);

  if (n > 0) {
    const Eigen::VectorXd masses = symmetric_eigenvalues(s.M);
    const bool singular = !(masses.minCoeff() > kMassless * masses.maxCoeff());
    if (singular && find_imbalance(program, decider, answer)) return;
  }

  // Equality rows first, whatever their rank: â = a0 + N w.
  Eigen::VectorXd a0 = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd N = Eigen::MatrixXd::Identity(n, n);
  bool suspect = n == 0;
  if (ne > 0 && n > 0) {
    a0 = LeastNorm(s.Je, kDependent).solve(-s.ge);
    N = column_span(s.Je.transpose(), kDependent).complement();
    suspect = (s.Je * a0 + s.ge).norm() > kConsistent * s.size;
  }
  if (suspect && find_contradiction(program, decider, answer)) return;

  // Inequalities that still move: the others are decided by the equality rows.
  std::vector<int> moving, active;
  for (int i = 0; i < nu; ++i)
    if ((s.Ju.row(i) * N).norm() > kDependent) moving.push_back(i);
  KktPoint point{a0, Eigen::VectorXd::Zero(ne), Eigen::VectorXd::Zero(nu)};
  bool solved = true;
  if (N.cols() > 0) {
    const auto rows = static_cast<Eigen::Index>(moving.size());
    Eigen::MatrixXd C(rows, N.cols());
    Eigen::VectorXd lower(rows);
    for (Eigen::Index k = 0; k < rows; ++k) {
      const int i = moving[static_cast<std::size_t>(k)];
      C.row(k) = s.Ju.row(i) * N;
      lower[k] = (-s.gu[i] - s.Ju.row(i).dot(a0)) / s.size;
    }
    const Eigen::MatrixXd H = N.transpose() * s.M * N;
    const Eigen::VectorXd g = N.transpose() * (s.F + s.M * a0) / s.size;
    ProximalQp qp;
    solved = qp.solve(H, g, C, lower);
    answer.iterations += qp.iterations;
    if (!solved) {
      if (find_contradiction(program, decider, answer)) return;
      solved = qp.solve(H, g, C, lower, ProximalQp::Steps::kAlways);
      answer.iterations += qp.iterations;
    }
    point.a = a0 + s.size * (N * qp.w);
    active = qp.active;
    for (int& k : active) {
      const int i = moving[static_cast<std::size_t>(k)];
      point.lu[i] = s.size * qp.multipliers[k];
      k = i;
    }
  }
  if (ne > 0 && n > 0) {
    point.le = LeastNorm(s.Je.transpose(), kDependent).solve(s.M * point.a + s.F - s.Ju.transpose() * point.lu);
  }

  const KktPoint found = point;
  bool polished = polish(s, active, point, answer.iterations);
  if (!polished) {
    if (find_contradiction(program, decider, answer)) return;
    point = found;
    polished = find_multipliers(s, decider, point, answer.iterations);
  }
  answer.outcome =
      polished ? GaussOutcome::kSolved : (solved ? GaussOutcome::kNumericalFailure : GaussOutcome::kIterationLimit);
  answer.a = s.D.cwiseProduct(point.a);
  answer.lambda_e = s.row_e.cwiseProduct(point.le);
  answer.lambda_u = s.row_u.cwiseProduct(point.lu);
}

}  // namespace stiction::internal
