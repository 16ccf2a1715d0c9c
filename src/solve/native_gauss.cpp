// Gauss' principle (QP-G) by the same nearest-point kernel.
//
// With M = L L' and b = L'a the problem is a projection: min |b + c|, c = L^-1 F, under B'b + g (=, >=) 0, B = L^-1 J'.
// Equalities are solved by an orthogonal basis of their columns (redundant rows drop out), the inequalities left over
// are a least-distance problem, which is a nearest-point problem in one dimension more. The active set found there is
// then polished: iterative refinement on the KKT system of the original data.
//
// A singular M is replaced by M + rho I in scaled coordinates and corrected by proximal steps; refinement uses the true
// M.
#include <cmath>
#include <limits>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "solve/gauss_alternatives.hpp"
#include "solve/native_engine.hpp"

namespace stiction::internal {
namespace {

constexpr double kShift = 1e-6;         // rho, relative to the unit diagonal
constexpr double kDependentRow = 1e-9;  // a row within this of the span of the others is redundant
constexpr double kRelaxation = 1e-12;
constexpr double kLeastResidual = 2e-16;  // of the unit-diagonal system: refinement cannot do better
constexpr double kSettledResidual = 1e-13;
constexpr double kWrongSign = 1e-11;  // share of all sizes beyond which a force pulls, or a contact penetrates
constexpr int kShiftSteps = 60;
constexpr int kRefinements = 40;

}  // namespace

struct NativeEngine::GaussWorkspace {
  Eigen::MatrixXd M, J;  // scaled by column_scale; J = [Je; Ju] with unit rows
  Eigen::VectorXd F, g;
  Eigen::VectorXd column_scale, row_scale;
  Cholesky cholesky;
  Eigen::MatrixXd B;  // L^-1 J', n x rows
  Eigen::VectorXd c, b, w, h, force, work, row_work;
  ThinQr<-1> qr;
  std::vector<int> basis;  // rows of J in the factor: equalities first, then active inequalities
  Eigen::MatrixXd ldp;
  Eigen::VectorXd ldp_target;
  std::vector<ConeBlock> ldp_cones;
  Eigen::VectorXd a, a_prox, lambda;
  NearestPoint nearest;
  ConeProgram alternative;
  ConeAnswer alternative_answer;

  void load(const GaussProgram& p);
  bool factorise(bool& singular);
  void equality_basis(Eigen::Index equalities);
  bool active_inequalities(Eigen::Index equalities, const Eigen::VectorXd& anchor, double rho);
  double refine(Eigen::Index rows_used);
  double solve_active_set(bool singular);
  bool active_set_is_right(Eigen::Index equalities);
};

void NativeEngine::GaussWorkspace::load(const GaussProgram& p)
{
  const auto n = p.F.size(), pe = p.ge.size(), rows = pe + p.gu.size();
  M.resize(n, n);
  J.resize(rows, n);
  B.resize(n, rows);
  for (auto* x : {&F, &column_scale, &c, &b, &w, &force, &work, &a, &a_prox}) x->resize(n);
  for (auto* x : {&g, &row_scale, &h, &row_work, &lambda}) x->resize(rows);
  basis.reserve(n);

  // Coordinates in which M has a unit diagonal: independent of units.
  for (Eigen::Index i = 0; i < n; ++i) {
    double size = std::sqrt(std::max(p.M(i, i), 0.0));
    if (size == 0.0) {
      for (Eigen::Index r = 0; r < pe; ++r) size = std::max(size, std::abs(p.Je(r, i)));
      for (Eigen::Index r = 0; r < p.gu.size(); ++r) size = std::max(size, std::abs(p.Ju(r, i)));
    }
    column_scale[i] = size > 0.0 ? std::ldexp(1.0, -std::ilogb(size)) : 1.0;
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) M(i, j) = p.M(i, j) * column_scale[i] * column_scale[j];
    for (Eigen::Index r = 0; r < rows; ++r) J(r, j) = (r < pe ? p.Je(r, j) : p.Ju(r - pe, j)) * column_scale[j];
    F[j] = p.F[j] * column_scale[j];
  }
  for (Eigen::Index r = 0; r < rows; ++r) {
    double size = 0.0;
    for (Eigen::Index j = 0; j < n; ++j) size = std::max(size, std::abs(J(r, j)));
    row_scale[r] = size > 0.0 ? std::ldexp(1.0, -std::ilogb(size)) : 1.0;
    for (Eigen::Index j = 0; j < n; ++j) J(r, j) *= row_scale[r];
    g[r] = (r < pe ? p.ge[r] : p.gu[r - pe]) * row_scale[r];
  }
}

/// Cholesky of M, or of M + rho I when M is singular; B = L^-1 J'. False when M is indefinite.
bool NativeEngine::GaussWorkspace::factorise(bool& singular)
{
  const double smallest = cholesky.compute(M);
  singular = smallest * smallest < kSingularMass;
  if (singular) {
    M.diagonal().array() += kShift;
    const bool definite = cholesky.compute(M) > 0.0;
    M.diagonal().array() -= kShift;
    if (!definite) return false;
  }
  B = J.transpose();
  cholesky.solve_lower(B);
  return true;
}

void NativeEngine::GaussWorkspace::equality_basis(Eigen::Index equalities)
{
  qr.reset(static_cast<int>(B.rows()));
  basis.clear();
  for (Eigen::Index r = 0; r < equalities; ++r)
    if (qr.append(B.col(r).data(), kDependentRow)) basis.push_back(static_cast<int>(r));
}

/// Solves the projection with c = L^-1 (F - rho anchor) and appends the inequalities that carry force to the basis.
/// False when the constraints have no common point (in this arithmetic).
bool NativeEngine::GaussWorkspace::active_inequalities(Eigen::Index equalities, const Eigen::VectorXd& anchor,
                                                       double rho)
{
  const auto n = B.rows(), rows = B.cols(), inequalities = rows - equalities;
  equality_basis(equalities);
  c = F;
  if (rho > 0.0) c -= rho * anchor;
  cholesky.solve_lower(c);

  // b0 = Q R^-T (-ge): the shortest b that satisfies the equalities
  const int k = qr.size();
  b.setZero();
  for (int i = 0; i < k; ++i) {
    double s = -g[basis[i]];
    for (int j = 0; j < i; ++j) s -= qr.r(j, i) * row_work[j];
    row_work[i] = s / qr.r(i, i);
    for (Eigen::Index l = 0; l < n; ++l) b[l] += row_work[i] * qr.q(i)[l];
  }
  // b = b0 - P c + w:  minimise |w|, w in range P,  (P Bu)'w >= h
  w = c;
  row_work.setZero();
  qr.project_out(w.data(), row_work.data());
  b -= w;
  double top = 0.0;
  ldp.resize(n + 1, inequalities);
  ldp_target.setZero(n + 1);
  ldp_target[n] = 1.0;
  for (Eigen::Index j = 0; j < inequalities; ++j) {
    h[j] = -g[equalities + j] - B.col(equalities + j).dot(b);
    // Relaxed by more than rounding: where normals oppose each other the feasible set has no width, and rounding alone
    // could empty it. Refinement of the active set undoes the relaxation.
    h[j] -= kRelaxation * (std::abs(g[equalities + j]) + B.col(equalities + j).norm() * (b.norm() + c.norm()));
    top = std::max(top, h[j]);
  }
  if (!(top > 0.0)) return true;  // no inequality is violated: none carries force
  ldp_cones.resize(inequalities);
  for (Eigen::Index j = 0; j < inequalities; ++j) {
    work = B.col(equalities + j);
    const double full = work.norm();
    row_work.setZero();
    qr.project_out(work.data(), row_work.data());
    qr.project_out(work.data(), row_work.data());
    // a normal that the equalities already determine cannot carry force of its own, nor be violated but by rounding
    const bool determined = work.norm() <= kDependentRow * full;
    if (determined) work.setZero();
    ldp.col(j).head(n) = work;
    ldp(n, j) = determined ? 0.0 : h[j] / top;
    ldp_cones[j].col = static_cast<int>(j);
    ldp_cones[j].cone.tangents = 0;
  }
  NearestPoint::Data data;
  data.m = static_cast<int>(n) + 1;
  data.n = static_cast<int>(inequalities);
  data.E = ldp.data();
  data.e = ldp_target.data();
  data.cones = &ldp_cones;
  nearest.run(data, 0.0);
  if (!(nearest.residual()[n] > kProductRounding)) return false;
  for (Eigen::Index j = 0; j < inequalities; ++j)
    if (nearest.x()[j] > 0.0 && qr.append(B.col(equalities + j).data(), kDependentRow))
      basis.push_back(static_cast<int>(equalities + j));
  return true;
}

/// One Newton step on the KKT system of the basis rows with the factor at hand, from (a, lambda); returns the size of
/// the residual before the step, relative to the numbers that make it up.
double NativeEngine::GaussWorkspace::refine(Eigen::Index rows_used)
{
  const auto n = M.rows();
  const int k = static_cast<int>(rows_used);
  double worst = 0.0;
  // the scale is that of the whole vector: single entries may be pure cancellation
  double force_size = 0.0, force_scale = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    long double s = F[i];
    double scale = std::abs(F[i]);
    for (Eigen::Index j = 0; j < n; ++j) {
      s += static_cast<long double>(M(i, j)) * a[j];
      scale += std::abs(M(i, j) * a[j]);
    }
    for (int r : basis) {
      s -= static_cast<long double>(J(r, i)) * lambda[r];
      scale += std::abs(J(r, i) * lambda[r]);
    }
    force[i] = static_cast<double>(s);
    force_size = std::max(force_size, std::abs(force[i]));
    force_scale = std::max(force_scale, scale);
  }
  if (force_scale > 0.0) worst = force_size / force_scale;
  // in unit-diagonal coordinates accelerations and forces share their scale: a row of pure rounding counts as zero
  double row_size = 0.0, row_scale_max = force_scale;
  for (int i = 0; i < k; ++i) {
    long double s = g[basis[i]];
    double scale = std::abs(g[basis[i]]);
    for (Eigen::Index j = 0; j < n; ++j) {
      s += static_cast<long double>(J(basis[i], j)) * a[j];
      scale += std::abs(J(basis[i], j) * a[j]);
    }
    h[i] = static_cast<double>(s);
    row_size = std::max(row_size, std::abs(h[i]));
    row_scale_max = std::max(row_scale_max, scale);
  }
  if (row_scale_max > 0.0) worst = std::max(worst, row_size / row_scale_max);

  // M da - J' dl = -force, J da = -h  with da = L^-T db:  db = -c - ... as in the projection above
  c = force;
  cholesky.solve_lower(c);
  b.setZero();
  for (int i = 0; i < k; ++i) {
    double s = -h[i];
    for (int j = 0; j < i; ++j) s -= qr.r(j, i) * row_work[j];
    row_work[i] = s / qr.r(i, i);
    for (Eigen::Index l = 0; l < n; ++l) b[l] += row_work[i] * qr.q(i)[l];
  }
  w = c;
  for (int i = 0; i < k; ++i) work[i] = 0.0;
  qr.project_out(w.data(), work.data());
  b -= w;
  // dl = R^-1 Q'(c + db)
  for (int i = 0; i < k; ++i) work[i] += row_work[i];
  qr.solve(work.data());
  for (int i = 0; i < k; ++i) lambda[basis[i]] += work[i];
  cholesky.solve_upper(b);
  a += b;
  return worst;
}

/// Refines a and lambda of the active set from the proximal point until the residual, which is returned, falls no more.
/// The first refinement of a singular M is the next proximal point.
double NativeEngine::GaussWorkspace::solve_active_set(bool singular)
{
  a = a_prox;
  lambda.setZero();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRefinements; ++i) {
    const double now = refine(static_cast<Eigen::Index>(basis.size()));
    if (i == 0 && singular) a_prox = a;
    const bool settled = i > 0 && (now <= kLeastResidual || (now > 0.5 * least && i > 2));
    least = std::min(least, now);
    if (settled) break;
  }
  return least;
}

/// Every carried force pushes and no free contact penetrates; forces that are rounding of none become none.
bool NativeEngine::GaussWorkspace::active_set_is_right(Eigen::Index equalities)
{
  // M has a unit diagonal here, so forces and accelerations share their scale.
  const double scale = F.lpNorm<Eigen::Infinity>() + a.lpNorm<Eigen::Infinity>() + g.lpNorm<Eigen::Infinity>() +
                       lambda.lpNorm<Eigen::Infinity>();
  bool right = true;
  for (const auto row : basis) {
    if (row < equalities) continue;
    double& push = lambda[row];
    if (push < -kWrongSign * scale) right = false;
    push = std::max(push, 0.0);
  }
  for (Eigen::Index r = equalities; r < lambda.size() && right; ++r)
    if (J.row(r).dot(a) + g[r] < -kWrongSign * scale) right = false;
  return right;
}

void NativeEngine::gauss(const GaussProgram& p, GaussAnswer& answer)
{
  throw_if_stopped(stop_check());
  if (!gauss_) gauss_ = std::make_shared<GaussWorkspace>();
  GaussWorkspace& ws = *gauss_;
  const auto n = p.F.size(), pe = p.ge.size(), pu = p.gu.size(), rows = pe + pu;
  answer.outcome = GaussOutcome::kNumericalFailure;
  answer.a.resize(n);
  answer.lambda_e.resize(pe);
  answer.lambda_u.resize(pu);
  answer.iterations = 0;
  ws.load(p);
  bool singular = false;
  if (!ws.factorise(singular)) return;

  if (singular) {
    write_balance(p, ws.alternative);
    decide_measured(ws.alternative, ws.alternative_answer, false);
    if (is_unbalanced(ws.alternative_answer, p, answer)) return;
  }
  if (p.ge.lpNorm<Eigen::Infinity>() > 0.0 || p.gu.lpNorm<Eigen::Infinity>() > 0.0) {
    write_consistency(p, ws.alternative);
    decide_measured(ws.alternative, ws.alternative_answer, false);
    if (is_contradictory(ws.alternative_answer, p, answer)) return;
  }

  ws.a_prox.setZero();
  answer.outcome = GaussOutcome::kIterationLimit;
  for (int step = 0; step < (singular ? kShiftSteps : 1); ++step) {
    if (!ws.active_inequalities(pe, ws.a_prox, singular ? kShift : 0.0)) {
      answer.outcome = GaussOutcome::kNumericalFailure;
      return;
    }
    ++answer.iterations;
    const bool right = ws.solve_active_set(singular) < kSettledResidual && ws.active_set_is_right(pe);
    if (right || !singular) {
      answer.outcome = right ? GaussOutcome::kSolved : GaussOutcome::kNumericalFailure;
      break;
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) answer.a[i] = ws.a[i] * ws.column_scale[i];
  for (Eigen::Index r = 0; r < rows; ++r)
    (r < pe ? answer.lambda_e[r] : answer.lambda_u[r - pe]) = ws.lambda[r] * ws.row_scale[r];
}

}  // namespace stiction::internal
