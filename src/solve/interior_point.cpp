#include "solve/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/numerics.hpp"

namespace stiction::internal {
namespace {

constexpr int kMostNewtonSteps = 80;
constexpr double kInsideEnough = 0.95;      // s + 1 below which what is inside need not be looked for any longer
constexpr double kShareOfStep = 0.99;       // share of the way to the boundary that a step goes
constexpr double kLeastStart = 1e-3;        // of the load: how far inside of its cones an atom starts at least
constexpr double kLeastCentering = 1e-6;    // share of complementarity that a step leaves at least
constexpr double kSmallStep = 1e-7;         // below it the method has stalled
constexpr double kBalanced = 1e-6;          // of equations that a correction can mend
constexpr double kOptimal = 1e-13;          // complementarity beside s at which more steps tell no more
constexpr double kClearlyPositive = 1e-9;   // of what drives a separating y, relative to the sizes of its terms
constexpr double kClearOfAtoms = 1e-12;     // the same of what no atom opposes
constexpr double kAddedToDiagonal = 1e-13;  // of the diagonal, undone by refinement
constexpr double kAddedBesideFree = 1e-9;
constexpr int kMostRefinements = 12;

/// u ∘ v in the algebra of the second-order cone.
void jordan_product(const double* u, const double* v, double* out)
{
  out[0] = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  const double a = u[0], b = v[0];
  out[1] = a * v[1] + b * u[1];
  out[2] = a * v[2] + b * u[2];
}

/// out with lambda ∘ out = d
void jordan_divide(const double* lambda, const double* d, double* out)
{
  const double norm = std::hypot(lambda[1], lambda[2]);
  const double det = (lambda[0] - norm) * (lambda[0] + norm);
  const double first = (lambda[0] * d[0] - lambda[1] * d[1] - lambda[2] * d[2]) / det;
  out[1] = (d[1] - first * lambda[1]) / lambda[0];
  out[2] = (d[2] - first * lambda[2]) / lambda[0];
  out[0] = first;
}

/// Smallest eigenvalue: positive inside.
double least_eigenvalue(const Atom& atom, const double* x)
{
  return atom.dim == 1 ? x[0] : x[0] - std::hypot(x[1], x[2]);
}

/// Largest t <= 1e3 with x + t dx in the cone, for x inside.
double largest_step_of(const Atom& atom, const double* x, const double* dx)
{
  constexpr double kFarEnough = 1e3;
  if (atom.dim == 1) return dx[0] < 0.0 ? std::min(kFarEnough, -x[0] / dx[0]) : kFarEnough;
  // det(x + t dx) = a t² + 2 b t + c
  const double nx = std::hypot(x[1], x[2]), nd = std::hypot(dx[1], dx[2]);
  const double a = (dx[0] - nd) * (dx[0] + nd), c = (x[0] - nx) * (x[0] + nx);
  const double b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
  double most = kFarEnough;
  const double disc = b * b - a * c;
  if (disc >= 0.0) {
    const double q = -(b + std::copysign(std::sqrt(disc), b));
    for (const double root : {a != 0.0 ? q / a : -1.0, q != 0.0 ? c / q : -1.0})
      if (root > 0.0) most = std::min(most, root);
  }
  if (dx[0] < 0.0) most = std::min(most, -x[0] / dx[0]);
  return most;
}

}  // namespace

/// Groups, the pattern of kkt_ and where they meet.
void InteriorPoint::arrange()
{
  const ConicForm& form = *form_;
  const int m = static_cast<int>(form.A.rows()), free = static_cast<int>(form.C.cols());
  degree_ = static_cast<int>(form.atoms.size()) + 1;
  std::map<std::vector<int>, std::size_t> known;
  groups_.clear();
  std::vector<int> rows;
  for (std::size_t i = 0; i < form.atoms.size(); ++i) {
    const Atom& atom = form.atoms[i];
    rows.clear();
    for (int k = 0; k < atom.dim; ++k)
      for (Eigen::SparseMatrix<double>::InnerIterator it(form.A, atom.col + k); it; ++it)
        rows.push_back(static_cast<int>(it.row()));
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const auto [entry, is_new] = known.try_emplace(rows, groups_.size());
    if (is_new) groups_.push_back({rows, {}, {}, {}});
    Group& group = groups_[entry->second];
    group.atoms.push_back(static_cast<int>(i));
    for (int k = 0; k < atom.dim; ++k) {
      const std::size_t first = group.entries.size();
      group.entries.resize(first + rows.size(), 0.0);
      std::size_t at = 0;
      for (Eigen::SparseMatrix<double>::InnerIterator it(form.A, atom.col + k); it; ++it) {
        while (rows[at] != it.row()) ++at;
        group.entries[first + at] = it.value();
      }
    }
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (const Group& group : groups_)
    for (std::size_t j = 0; j < group.rows.size(); ++j)
      for (std::size_t i = j; i < group.rows.size(); ++i) entries.emplace_back(group.rows[i], group.rows[j], 0.0);
  for (int k = 0; k < m + free; ++k) entries.emplace_back(k, k, 0.0);
  for (int k = 0; k < free; ++k)
    for (Eigen::SparseMatrix<double>::InnerIterator it(form.C, k); it; ++it)
      entries.emplace_back(m + k, static_cast<int>(it.row()), 0.0);
  kkt_.resize(m + free, m + free);
  kkt_.setFromTriplets(entries.begin(), entries.end());
  const auto place = [&](int row, int col) {
    const int* const inner = kkt_.innerIndexPtr();
    const int* const first = inner + kkt_.outerIndexPtr()[col];
    const int* const last = inner + kkt_.outerIndexPtr()[col + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - inner);
  };
  for (Group& group : groups_)
    for (std::size_t j = 0; j < group.rows.size(); ++j)
      for (std::size_t i = j; i < group.rows.size(); ++i) group.places.push_back(place(group.rows[i], group.rows[j]));
  diagonal_.resize(static_cast<std::size_t>(m + free));
  for (int k = 0; k < m + free; ++k) diagonal_[static_cast<std::size_t>(k)] = place(k, k);
  analysed_ = false;
}

/// W v, or W^-1 v.
void InteriorPoint::apply_scaling(const Eigen::VectorXd& v, Eigen::VectorXd& out, bool inverse) const
{
  out.resize(v.size());
  for (std::size_t i = 0; i < form_->atoms.size(); ++i) {
    const Atom& atom = form_->atoms[i];
    const Scaling& s = scaling_[i];
    const double* from = v.data() + atom.col;
    double* to = out.data() + atom.col;
    const double eta = inverse ? 1.0 / s.eta : s.eta;
    if (atom.dim == 1) {
      to[0] = eta * from[0];
      continue;
    }
    const double sign = inverse ? -1.0 : 1.0, w1 = sign * s.w[1], w2 = sign * s.w[2];
    const double along = w1 * from[1] + w2 * from[2], share = from[0] + along / (1.0 + s.w[0]);
    to[0] = eta * (s.w[0] * from[0] + along);
    to[1] = eta * (from[1] + share * w1);
    to[2] = eta * (from[2] + share * w2);
  }
}

/// The Nesterov-Todd scaling of x and z; false when one of them has left its cone.
bool InteriorPoint::scale_atoms()
{
  for (std::size_t i = 0; i < form_->atoms.size(); ++i) {
    const Atom& atom = form_->atoms[i];
    Scaling& s = scaling_[i];
    const double *x = x_.data() + atom.col, *z = z_.data() + atom.col;
    if (!(least_eigenvalue(atom, x) > 0.0 && least_eigenvalue(atom, z) > 0.0)) return false;
    if (atom.dim == 1) {
      s.eta = std::sqrt(x[0] / z[0]);
      continue;
    }
    const double nx = std::hypot(x[1], x[2]), nz = std::hypot(z[1], z[2]);
    const double rx = std::sqrt((x[0] - nx) * (x[0] + nx)), rz = std::sqrt((z[0] - nz) * (z[0] + nz));
    const double dot = (x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) / (rx * rz);
    const double gamma = 2.0 * std::sqrt(0.5 * (1.0 + dot));
    s.eta = std::sqrt(rx / rz);
    s.w[1] = (x[1] / rx - z[1] / rz) / gamma;
    s.w[2] = (x[2] / rx - z[2] / rz) / gamma;
    s.w[0] = std::sqrt(1.0 + s.w[1] * s.w[1] + s.w[2] * s.w[2]);
    if (!std::isfinite(s.w[0])) return false;
  }
  omega_ = s_ / zs_;
  return std::isfinite(omega_);
}

/// Assembles and factors kkt_ for the scaling at hand, and solves it for d.
bool InteriorPoint::factor()
{
  const int m = static_cast<int>(form_->A.rows()), free = static_cast<int>(form_->C.cols());
  double* const values = kkt_.valuePtr();
  std::fill(values, values + kkt_.nonZeros(), 0.0);
  Eigen::MatrixXd columns, block;
  for (const Group& group : groups_) {
    const auto rows = static_cast<Eigen::Index>(group.rows.size());
    if (rows == 0) continue;  // of atoms that act nowhere
    columns.resize(rows, static_cast<Eigen::Index>(group.entries.size()) / std::max<Eigen::Index>(rows, 1));
    Eigen::Index next = 0;
    for (const int index : group.atoms) {
      const Atom& atom = form_->atoms[static_cast<std::size_t>(index)];
      const Scaling& s = scaling_[static_cast<std::size_t>(index)];
      const Eigen::Map<const Eigen::MatrixXd> B(group.entries.data() + next * rows, rows, atom.dim);
      if (atom.dim == 1) {
        columns.col(next) = s.eta * B.col(0);
      } else {
        const double share = 1.0 / (1.0 + s.w[0]);
        columns.col(next) = s.eta * (s.w[0] * B.col(0) + s.w[1] * B.col(1) + s.w[2] * B.col(2));
        for (int k = 1; k <= 2; ++k)
          columns.col(next + k) =
              s.eta * (B.col(k) + s.w[k] * (B.col(0) + share * (s.w[1] * B.col(1) + s.w[2] * B.col(2))));
      }
      next += atom.dim;
    }
    block.setZero(rows, rows);
    block.selfadjointView<Eigen::Lower>().rankUpdate(columns);
    std::size_t at = 0;
    for (Eigen::Index j = 0; j < rows; ++j)
      for (Eigen::Index i = j; i < rows; ++i) values[group.places[at++]] += block(i, j);
  }
  for (int k = 0; k < free; ++k)
    for (Eigen::SparseMatrix<double>::InnerIterator it(form_->C, k); it; ++it)
      kkt_.coeffRef(m + k, it.row()) = it.value();
  double largest = 0.0;
  for (int i = 0; i < m; ++i) largest = std::max(largest, values[diagonal_[static_cast<std::size_t>(i)]]);
  if (!(largest > 0.0 && std::isfinite(largest))) return false;
  regular_.resize(m + free);
  for (int i = 0; i < m; ++i) {
    double& entry = values[diagonal_[static_cast<std::size_t>(i)]];
    regular_[i] = kAddedToDiagonal * entry + (free > 0 ? kAddedBesideFree * largest : 0.0);
    entry += regular_[i];
  }
  for (int k = 0; k < free; ++k) {
    double sum = 0.0;
    for (Eigen::SparseMatrix<double>::InnerIterator it(form_->C, k); it; ++it) sum += it.value() * it.value();
    regular_[m + k] = -kAddedBesideFree * sum / largest;
    values[diagonal_[static_cast<std::size_t>(m + k)]] += regular_[m + k];
  }
  if (!analysed_) ldlt_.analyzePattern(kkt_);
  analysed_ = true;
  ldlt_.factorize(kkt_);
  return ldlt_.info() == Eigen::Success;
}

/// [A W² A' + omega d d', C; C', 0] v
void InteriorPoint::multiply(const Eigen::VectorXd& v, Eigen::VectorXd& product) const
{
  product = kkt_.selfadjointView<Eigen::Lower>() * v;
  product -= regular_.cwiseProduct(v);
  if (omega_ > 0.0) {
    const Eigen::Index m = d_.size();
    product.head(m) += (omega_ * d_.dot(v.head(m))) * d_;
  }
}

/// By the factor, the formula of Sherman and Morrison for d, and refinement.
void InteriorPoint::solve(const Eigen::VectorXd& rhs, Eigen::VectorXd& solution)
{
  const Eigen::Index m = d_.size();
  const auto once = [&](const Eigen::VectorXd& b, Eigen::VectorXd& out) {
    out = ldlt_.solve(b);
    if (omega_ > 0.0) out -= (omega_ * d_.dot(out.head(m)) / kd_pivot_) * kd_;
  };
  once(rhs, solution);
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kMostRefinements; ++pass) {
    multiply(solution, work_);
    left_ = rhs - work_;
    const double now = left_.norm();
    if (!(now < 0.5 * before) || now <= kNoise * rhs.norm()) break;
    before = now;
    once(left_, sol_);
    solution += sol_;
  }
}

/// The point of least norm that satisfies the equations, moved inside.
void InteriorPoint::start()
{
  const ConicForm& form = *form_;
  const Eigen::Index m = form.A.rows(), free = form.C.cols();
  scaling_.assign(form.atoms.size(), Scaling{});
  omega_ = 0.0;
  x_.setZero(form.A.cols());
  w_.setZero(free);
  d_.setZero(m);
  if (factor()) {
    rhs_.setZero(m + free);
    rhs_.head(m) = form.b;
    solve(rhs_, sol_);
    dy_ = sol_;
    x_ = form.A.transpose() * dy_.head(m);
    w_ = dy_.tail(free);
  }
  double least = std::numeric_limits<double>::infinity(), mean = 0.0;
  for (const Atom& atom : form.atoms) {
    least = std::min(least, least_eigenvalue(atom, x_.data() + atom.col));
    mean += std::abs(x_[atom.col]);
  }
  mean = std::max(mean / std::max<double>(1.0, static_cast<double>(form.atoms.size())),
                  kLeastStart * form.b.lpNorm<Eigen::Infinity>());
  if (!(mean > 0.0)) mean = 1.0;
  const double shift = std::max(0.0, -least) + mean;
  z_.setZero(form.A.cols());
  for (const Atom& atom : form.atoms) {
    x_[atom.col] += shift;
    z_[atom.col] = 2.0 / (shift * static_cast<double>(degree_));
  }
  u_ = x_;
  v_ = w_;
  d_ = form.b - form.A * u_ - form.C * v_;
  y_.setZero(m);
  s_ = 2.0;
  zs_ = 1.0;
}

double InteriorPoint::largest_step(const Eigen::VectorXd& v, const Eigen::VectorXd& dv) const
{
  double most = 1e3;
  for (const Atom& atom : form_->atoms)
    most = std::min(most, largest_step_of(atom, v.data() + atom.col, dv.data() + atom.col));
  return most;
}

/// The Newton step for W dz + W^-1 dx = rho (per atom) and the same of s.
void InteriorPoint::solve_step(const Eigen::VectorXd& rho, double rho_s)
{
  const ConicForm& form = *form_;
  const Eigen::Index m = form.A.rows(), free = form.C.cols();
  // dx = W rho - W² (rd - A'dy)
  apply_scaling(rd_, ax_, false);
  ax_ = rho - ax_;
  apply_scaling(ax_, az_, false);
  const double rds = 1.0 - d_.dot(y_) - zs_, root = std::sqrt(omega_);
  const double constant = root * (rho_s - root * rds);
  rhs_.resize(m + free);
  rhs_.head(m) = rp_ - form.A * az_ - constant * d_;
  rhs_.tail(free) = rf_;
  Eigen::VectorXd& solution = slope_;
  solve(rhs_, solution);
  dy_ = solution.head(m);
  dw_ = solution.tail(free);
  dz_ = rd_ - form.A.transpose() * dy_;
  dzs_ = rds - d_.dot(dy_);
  apply_scaling(dz_, ax_, false);
  ax_ = rho - ax_;
  apply_scaling(ax_, dx_, false);
  ds_ = root * (rho_s - root * dzs_);
}

/// One predictor and corrector; false when it has stalled.
bool InteriorPoint::step()
{
  const ConicForm& form = *form_;
  if (!scale_atoms() || !factor()) return false;
  const Eigen::Index m = form.A.rows();
  rhs_.setZero(m + form.C.cols());
  rhs_.head(m) = d_;
  kd_ = ldlt_.solve(rhs_);
  kd_pivot_ = 1.0 + omega_ * d_.dot(kd_.head(m));
  if (!(std::abs(kd_pivot_) > 0.0)) return false;

  rp_ = form.b + d_ - form.A * x_ - form.C * w_ - s_ * d_;
  rd_ = -z_ - form.A.transpose() * y_;
  rf_ = -(form.C.transpose() * y_);
  apply_scaling(z_, lambda_, false);
  const double lambda_s = std::sqrt(s_ * zs_);
  const double mu = (x_.dot(z_) + s_ * zs_) / degree_;
  rho_ = -lambda_;
  solve_step(rho_, -lambda_s);
  const auto lengths = [&](double& primal, double& dual) {
    primal = largest_step(x_, dx_);
    dual = largest_step(z_, dz_);
    if (ds_ < 0.0) primal = std::min(primal, -s_ / ds_);
    if (dzs_ < 0.0) dual = std::min(dual, -zs_ / dzs_);
  };
  double primal = 0.0, dual = 0.0;
  lengths(primal, dual);
  primal = std::min(1.0, primal);
  dual = std::min(1.0, dual);
  const double gap = (x_ + primal * dx_).dot(z_ + dual * dz_) + (s_ + primal * ds_) * (zs_ + dual * dzs_);
  const double sigma = std::clamp(std::pow(std::max(gap, 0.0) / (degree_ * mu), 3.0), kLeastCentering, 1.0);

  apply_scaling(dx_, ax_, true);
  apply_scaling(dz_, az_, false);
  for (std::size_t i = 0; i < form.atoms.size(); ++i) {
    const Atom& atom = form.atoms[i];
    const double *l = lambda_.data() + atom.col, *a = ax_.data() + atom.col, *b = az_.data() + atom.col;
    double* to = rho_.data() + atom.col;
    if (atom.dim == 1) {
      to[0] = (sigma * mu - a[0] * b[0]) / l[0] - l[0];
      continue;
    }
    double second[3], due[3];
    jordan_product(a, b, second);
    due[0] = sigma * mu - second[0];
    due[1] = -second[1];
    due[2] = -second[2];
    jordan_divide(l, due, to);
    for (int k = 0; k < 3; ++k) to[k] -= l[k];
  }
  solve_step(rho_, (sigma * mu - ds_ * dzs_) / lambda_s - lambda_s);
  lengths(primal, dual);
  primal = std::min(1.0, kShareOfStep * primal);
  dual = std::min(1.0, kShareOfStep * dual);
  if (!std::isfinite(primal + dual) || !dx_.allFinite() || !dy_.allFinite()) return false;
  x_ += primal * dx_;
  w_ += primal * dw_;
  s_ += primal * ds_;
  y_ += dual * dy_;
  z_ += dual * dz_;
  zs_ += dual * dzs_;
  return std::max(primal, dual) > kSmallStep;
}

/// Whether y, as it is, separates with margin.
bool InteriorPoint::separates()
{
  const ConicForm& form = *form_;
  const double gain = form.b.dot(y_), size = form.b.cwiseAbs().dot(y_.cwiseAbs());
  if (!(gain > kClearlyPositive * size)) return false;
  slope_ = form.A.transpose() * y_;
  for (const Atom& atom : form.atoms) {
    double sizes[3] = {0.0, 0.0, 0.0}, opposed[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < atom.dim; ++k) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(form.A, atom.col + k); it; ++it)
        sizes[k] += std::abs(it.value() * y_[it.row()]);
      opposed[k] = -slope_[atom.col + k];
    }
    if (!(least_eigenvalue(atom, opposed) >= kClearOfAtoms * (sizes[0] + sizes[1] + sizes[2]))) return false;
  }
  return true;
}

/// Between where the method is and where it began lies a point with s = 0.
void InteriorPoint::move_inside()
{
  const double share = 1.0 / (2.0 - s_);
  x_ = share * x_ + (1.0 - share) * u_;
  w_ = share * w_ + (1.0 - share) * v_;
}

void InteriorPoint::correct(const Eigen::VectorXd& left, Eigen::VectorXd& x, Eigen::VectorXd& w)
{
  const ConicForm& form = *form_;
  const Eigen::Index m = form.A.rows(), free = form.C.cols();
  rhs_.setZero(m + free);
  rhs_.head(m) = left;
  const double kept = omega_;
  omega_ = 0.0;
  Eigen::VectorXd& solution = slope_;
  solve(rhs_, solution);
  omega_ = kept;
  rd_ = form.A.transpose() * solution.head(m);
  apply_scaling(rd_, ax_, false);
  apply_scaling(ax_, az_, false);
  x += az_;
  w += solution.tail(free);
}

InteriorPoint::Stop InteriorPoint::run(const ConicForm& form, const StopCheck& stop)
{
  form_ = &form;
  arrange();
  iterations_ = 0;
  start();
  for (; iterations_ < kMostNewtonSteps; ++iterations_) {
    throw_if_stopped(stop);
    const bool moved = step();
    if (s_ < kInsideEnough) {
      move_inside();
      const double left = (form.b - form.A * x_ - form.C * w_).norm();
      return left <= kBalanced * (form.b.norm() + x_.norm()) ? Stop::kInside : Stop::kStalled;
    }
    if (separates()) return Stop::kSeparated;
    if (!moved || (x_.dot(z_) + s_ * zs_) / degree_ < kOptimal) break;
  }
  return Stop::kStalled;
}

}  // namespace stiction::internal
