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

constexpr double kSuspected = 1e-10;    // equality residual beyond which a contradiction is suspected
constexpr double kActive = 1e-10;       // share of the size of a program within which a row is taken for active
constexpr double kNoEntry = 1e-14;      // the same for entries that may be zero
constexpr double kGapRounding = 1e-15;  // rounding of a gap, as a share of its terms
constexpr double kSolved = 1e-11;       // relative KKT error above which the answer is no solution

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
class Polish {
 public:
  Polish(const Scaled& s, std::vector<int> active) : s_(s), active_(std::move(active)) {}

  bool run(KktPoint& point, int& exchanges)
  {
    best_ = point;
    for (int exchange = 0; exchange < 20 + 4 * static_cast<int>(s_.Ju.rows()); ++exchange, ++exchanges) {
      solve(point);
      if (!exchange_worst(point)) break;
    }
    point = best_;
    return best_error_ <= kSolved;
  }

 private:
  /// The point of the working set, refined; the best ones on the way are kept.
  void solve(KktPoint& point)
  {
    const Eigen::Index n = s_.F.size(), ne = s_.Je.rows(), na = static_cast<Eigen::Index>(active_.size());
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + ne + na, n + ne + na);
    Eigen::VectorXd u(n + ne + na), rhs(n + ne + na);
    K.topLeftCorner(n, n) = s_.M;
    K.block(n, 0, ne, n) = s_.Je;
    u.head(n) = point.a;
    u.segment(n, ne) = point.le;
    rhs.head(n) = -s_.F;
    rhs.segment(n, ne) = -s_.ge;
    for (Eigen::Index k = 0; k < na; ++k) {
      const int i = active_[static_cast<std::size_t>(k)];
      K.row(n + ne + k).head(n) = s_.Ju.row(i);
      u[n + ne + k] = point.lu[i];
      rhs[n + ne + k] = -s_.gu[i];
    }
    K.topRightCorner(n, ne + na) = -K.bottomLeftCorner(ne + na, n).transpose();
    const LeastNorm inverse(K, kDependent);
    const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> K_long = K.cast<long double>();
    for (int pass = 0; pass < 4; ++pass) {
      const Eigen::Vector<long double, Eigen::Dynamic> miss = rhs.cast<long double>() - K_long * u.cast<long double>();
      u += inverse.solve(miss.cast<double>());
      store(u, point);
      keep_best(point);
    }
  }

  void store(const Eigen::VectorXd& u, KktPoint& point) const
  {
    const Eigen::Index n = s_.F.size(), ne = s_.Je.rows();
    point.a = u.head(n);
    point.le = u.segment(n, ne);
    point.lu.setZero(s_.Ju.rows());
    for (std::size_t k = 0; k < active_.size(); ++k) point.lu[active_[k]] = u[n + ne + static_cast<Eigen::Index>(k)];
  }

  void keep_best(KktPoint candidate)
  {
    for (int snap = 0; snap < 2; ++snap) {
      KktPoint clean = candidate;
      clean.lu = clean.lu.cwiseMax(0.0);
      const double error = (candidate.lu.size() && candidate.lu.minCoeff() < -tolerance_) ? kInfinity : clean.error(s_);
      if (error < best_error_) {
        best_error_ = error;
        best_ = clean;
      }
      // Entries that are rounding noise: zero is the better guess.
      const auto noise = [&](double v) { return std::abs(v) <= kNoEntry * s_.size ? 0.0 : v; };
      candidate.a = candidate.a.unaryExpr(noise);
      candidate.le = candidate.le.unaryExpr(noise);
      candidate.lu = candidate.lu.unaryExpr(noise);
    }
  }

  /// False when no member of the working set is wrong.
  bool exchange_worst(KktPoint& point)
  {
    double worst = tolerance_;
    int leave = -1, enter = -1;
    for (std::size_t k = 0; k < active_.size(); ++k)
      if (-point.lu[active_[k]] > worst) {
        worst = -point.lu[active_[k]];
        leave = static_cast<int>(k);
      }
    if (leave >= 0) {
      point.lu[active_[static_cast<std::size_t>(leave)]] = 0.0;
      active_.erase(active_.begin() + leave);
      return true;
    }
    const Eigen::VectorXd gap = s_.Ju * point.a + s_.gu;
    worst = 0.0;
    for (int i = 0; i < gap.size(); ++i) {
      const double allowed = kGapRounding * (s_.Ju.row(i).cwiseAbs().dot(point.a.cwiseAbs()) + std::abs(s_.gu[i]));
      if (-gap[i] > std::max(allowed, worst) && std::find(active_.begin(), active_.end(), i) == active_.end()) {
        worst = -gap[i];
        enter = i;
      }
    }
    if (enter >= 0) active_.push_back(enter);
    return enter >= 0;
  }

  const Scaled& s_;
  std::vector<int> active_;
  const double tolerance_ = kProductRounding * s_.size;
  KktPoint best_;
  double best_error_ = kInfinity;
};

bool polish(const Scaled& s, std::vector<int> active, KktPoint& point, int& exchanges)
{
  return Polish(s, std::move(active)).run(point, exchanges);
}

/// Multipliers for a given â when those of the working set did not come out non-negative: any point of Λ*.
bool find_multipliers(const Scaled& s, QpoasesDecider& decider, KktPoint& point, int& iterations)
{
  const Eigen::Index n = s.F.size(), ne = s.Je.rows();
  const Eigen::VectorXd gap = s.Ju * point.a + s.gu;
  std::vector<int> active;
  for (int i = 0; i < gap.size(); ++i)
    if (gap[i] <= kActive * s.size) active.push_back(i);
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

/// The program along â = a0 + N w, with the inequalities that still move: the others are decided by the equality rows.
class ReducedQp {
 public:
  ReducedQp(const Scaled& s, const Eigen::VectorXd& a0, const Eigen::MatrixXd& N) : s_(s), a0_(a0), N_(N)
  {
    for (int i = 0; i < s.Ju.rows(); ++i)
      if ((s.Ju.row(i) * N).norm() > kDependent) moving_.push_back(i);
    const auto rows = static_cast<Eigen::Index>(moving_.size());
    C_.resize(rows, N.cols());
    lower_.resize(rows);
    for (Eigen::Index k = 0; k < rows; ++k) {
      const int i = moving_[static_cast<std::size_t>(k)];
      C_.row(k) = s.Ju.row(i) * N;
      lower_[k] = (-s.gu[i] - s.Ju.row(i).dot(a0)) / s.size;
    }
    H_ = N.transpose() * s.M * N;
    g_ = N.transpose() * (s.F + s.M * a0) / s.size;
  }

  bool solve(ProximalQp::Steps steps, int& iterations)
  {
    const bool solved = qp_.solve(H_, g_, C_, lower_, steps);
    iterations += qp_.iterations;
    return solved;
  }

  /// Acceleration and multipliers of the inequalities; returns the active ones.
  std::vector<int> write(KktPoint& point) const
  {
    point.a = a0_ + s_.size * (N_ * qp_.w);
    std::vector<int> active = qp_.active;
    for (int& k : active) {
      const int i = moving_[static_cast<std::size_t>(k)];
      point.lu[i] = s_.size * qp_.multipliers[k];
      k = i;
    }
    return active;
  }

 private:
  const Scaled& s_;
  const Eigen::VectorXd& a0_;
  const Eigen::MatrixXd& N_;
  std::vector<int> moving_;
  Eigen::MatrixXd C_, H_;
  Eigen::VectorXd lower_, g_;
  ProximalQp qp_;
};

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
    const bool singular = !(masses.minCoeff() > kSingularMass * masses.maxCoeff());
    if (singular && find_imbalance(program, decider, answer)) return;
  }

  // Equality rows first, whatever their rank: â = a0 + N w.
  Eigen::VectorXd a0 = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd N = Eigen::MatrixXd::Identity(n, n);
  bool suspect = n == 0;
  if (ne > 0 && n > 0) {
    a0 = LeastNorm(s.Je, kDependent).solve(-s.ge);
    N = column_span(s.Je.transpose(), kDependent).complement();
    suspect = (s.Je * a0 + s.ge).norm() > kSuspected * s.size;
  }
  if (suspect && find_contradiction(program, decider, answer)) return;

  std::vector<int> active;
  KktPoint point{a0, Eigen::VectorXd::Zero(ne), Eigen::VectorXd::Zero(nu)};
  bool solved = true;
  if (N.cols() > 0) {
    ReducedQp reduced(s, a0, N);
    solved = reduced.solve(ProximalQp::Steps::kWhenSingular, answer.iterations);
    if (!solved) {
      if (find_contradiction(program, decider, answer)) return;
      solved = reduced.solve(ProximalQp::Steps::kAlways, answer.iterations);
    }
    active = reduced.write(point);
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
