#include "solve/nearest_point.hpp"

#include <limits>

namespace stiction::internal {
namespace {

constexpr double kReachedTolerance = 4e-16;   // residual over |e|: rounding of the sums
constexpr double kPriceTolerance = 1e-14;     // score over |r|: nothing left to gain
constexpr double kDependentColumn = 3e-14;    // a column within rounding of the span of the others

template <int M>
double dot(const double* a, const double* b, int m)
{
  double s = 0.0;
  for (int i = 0; i < (M > 0 ? M : m); ++i) s += a[i] * b[i];
  return s;
}

}  // namespace

NearestPoint::Stop NearestPoint::run(const Data& data, double pause_score)
{
  data_ = data;
  interior_dual_ = nullptr;
  pause_score_ = pause_score;
  iterations_ = 0;
  const size_t m = data.m;
  if (r_.size() != m) {
    r_.resize(m);
    work_.resize(m);
    y_.resize(m);
    target_.resize(m);
    columns_.resize((m + 1) * m);
    c_.resize(m + 1);
    step_.resize(m + 1);
    z_.resize(m + 1);
    passive_.reserve(m + 1);
    free_used_.reserve(m);
  }
  x_.resize(data.n);
  weight_.resize(data.cones->size());
  value_.resize(data.cones->size());
  slope_.resize(data.cones->size());
  at_upper_.resize(data.boxes->size());
  switch (m) {
    case 3: start(qr3_); return descend(qr3_);
    case 4: start(qr4_); return descend(qr4_);
    case 6: start(qr6_); return descend(qr6_);
    case 7: start(qr7_); return descend(qr7_);
    default: start(qr_); return descend(qr_);
  }
}

NearestPoint::Stop NearestPoint::resume(double pause_score)
{
  pause_score_ = pause_score;
  switch (data_.m) {
    case 3: return descend(qr3_);
    case 4: return descend(qr4_);
    case 6: return descend(qr6_);
    case 7: return descend(qr7_);
    default: return descend(qr_);
  }
}

void NearestPoint::offer_interior_dual(const double* d)
{
  interior_dual_ = d;
  const int m = data_.m;
  for (size_t i = 0; i < slope_.size(); ++i) {
    const ConeBlock& block = (*data_.cones)[i];
    const double* E = data_.E + static_cast<ptrdiff_t>(block.col) * m;
    double h[4] = {};
    for (int j = 0; j < block.cone.dim(); ++j) h[j] = -dot<-1>(E + j * m, d, m);
    slope_[i] = -support(block.cone, h);
  }
}

void NearestPoint::write_column(const Column& column, double* a) const
{
  const int m = data_.m;
  if (column.cone >= 0) {
    const ConeBlock& block = (*data_.cones)[column.cone];
    const double* E = data_.E + static_cast<ptrdiff_t>(block.col) * m;
    for (int i = 0; i < m; ++i) a[i] = column.ray[0] * E[i];
    for (int j = 1; j < block.cone.dim(); ++j)
      for (int i = 0; i < m; ++i) a[i] += column.ray[j] * E[j * m + i];
  } else {
    const double* E = data_.E + static_cast<ptrdiff_t>((*data_.boxes)[column.box].col) * m;
    for (int i = 0; i < m; ++i) a[i] = column.ray[0] * E[i];
  }
}

/// r := target - Q Q' target, z := Q' target; the second pass removes what rounding left along Q.
template <int M>
void NearestPoint::residual(const ThinQr<M>& qr)
{
  const int m = qr.rows();
  std::copy_n(target_.data(), m, r_.data());
  std::fill_n(z_.data(), qr.size(), 0.0);
  qr.project_out(r_.data(), z_.data());
  qr.project_out(r_.data(), z_.data());
}

/// Finds the ray or bounded column with the best score against the residual; returns that score (<= 0: none improves).
template <int M>
double NearestPoint::price(Column& best)
{
  const int m = M > 0 ? M : data_.m;
  double top = 0.0;
  int winner = -1;
  const size_t cones = data_.cones->size();
  for (size_t i = 0; i < cones; ++i) {
    const ConeBlock& block = (*data_.cones)[i];
    const double* E = data_.E + static_cast<ptrdiff_t>(block.col) * m;
    const int dim = block.cone.dim();
    double h[4] = {};
    for (int j = 0; j < dim; ++j) h[j] = dot<M>(E + j * m, r_.data(), m);
    value_[i] = support(block.cone, h);
    const double score = value_[i] * weight_[i];
    if (score > top) {
      top = score;
      winner = static_cast<int>(i);
    }
  }
  best = Column{};
  if (winner >= 0) {
    const ConeBlock& block = (*data_.cones)[winner];
    const double* E = data_.E + static_cast<ptrdiff_t>(block.col) * m;
    double h[4] = {};
    for (int j = 0; j < block.cone.dim(); ++j) h[j] = dot<M>(E + j * m, r_.data(), m);
    support(block.cone, h, best.ray);
    best.cone = winner;
    best.upper = std::numeric_limits<double>::infinity();
  }
  for (size_t b = 0; b < data_.boxes->size(); ++b) {
    const BoxVariable& box = (*data_.boxes)[b];
    if (at_upper_[b] == 2) continue;   // passive
    const double* E = data_.E + static_cast<ptrdiff_t>(box.col) * m;
    const double norm = std::sqrt(dot<M>(E, E, m));
    if (norm == 0.0 || box.lower == box.upper) continue;
    // at the lower bound the column may grow, at the upper bound it may shrink
    const double direction = at_upper_[b] == 1 ? -1.0 : 1.0;
    const double score = direction * dot<M>(E, r_.data(), m) / norm;
    if (score > top) {
      top = score;
      best = Column{};
      best.box = static_cast<int>(b);
      best.ray[0] = direction;
      best.upper = box.upper - box.lower;
    }
  }
  return top;
}

/// True when r - t d is a strict certificate for some t: every cone's value is pushed below zero by d, and a good part
/// of the gain along e survives. Leaves the certificate in y_.
template <int M>
bool NearestPoint::separates()
{
  if (!interior_dual_) return false;
  const int m = M > 0 ? M : data_.m;
  const double* d = interior_dual_;
  const double rr = dot<M>(r_.data(), r_.data(), m);
  const double per_t = dot<M>(d, data_.e, m);
  double t = 0.0;
  for (size_t i = 0; i < value_.size(); ++i) {
    if (value_[i] <= 0.0) continue;
    if (!(slope_[i] > 0.0)) return false;
    t = std::max(t, value_[i] / slope_[i]);
  }
  t *= 1.0 + 1e-6;
  // an interior dual found for some cones only may be negative on others
  for (size_t i = 0; i < value_.size(); ++i)
    if (value_[i] - t * slope_[i] > 0.0) return false;
  // r'e minus the boxes' supports equals r'r at the optimum of the passive set
  if (data_.boxes->empty() && !(t * per_t < 0.75 * rr)) return false;
  for (int i = 0; i < m; ++i) y_[i] = r_[i] - t * d[i];
  double gain = dot<M>(y_.data(), data_.e, m);
  for (const BoxVariable& box : *data_.boxes) {
    const double h = dot<M>(data_.E + static_cast<ptrdiff_t>(box.col) * m, y_.data(), m);
    gain -= h > 0.0 ? h * box.upper : (h < 0.0 ? h * box.lower : 0.0);
  }
  // a gain that rounding of y'e could pretend is none
  return gain > 0.25 * rr && gain > 1e-12 * e_norm_ * std::sqrt(rr);
}

template <int M>
void NearestPoint::drop(ThinQr<M>& qr, int k)
{
  const int m = qr.rows(), nf = static_cast<int>(free_used_.size());
  const int p = static_cast<int>(passive_.size());
  qr.remove(nf + k);
  passive_.erase(passive_.begin() + k);
  std::copy(columns_.begin() + (k + 1) * m, columns_.begin() + p * m, columns_.begin() + k * m);
  std::copy(c_.begin() + k + 1, c_.begin() + p, c_.begin() + k);
}

template <int M>
void NearestPoint::start(ThinQr<M>& qr)
{
  const int m = M > 0 ? M : data_.m;
  qr.reset(m);
  passive_.clear();
  free_used_.clear();
  // The size of a cone's columns bounds its score, so that long and short columns compete fairly.
  for (size_t i = 0; i < weight_.size(); ++i) {
    const ConeBlock& block = (*data_.cones)[i];
    const double* E = data_.E + static_cast<ptrdiff_t>(block.col) * m;
    double size = dot<M>(E, E, m);
    for (int j = 1; j < block.cone.dim(); ++j) {
      const double reach = j <= block.cone.tangents ? block.cone.mu : block.cone.torsion;
      size += reach * reach * dot<M>(E + j * m, E + j * m, m);
    }
    weight_[i] = size > 0.0 ? 1.0 / std::sqrt(size) : 0.0;
  }
  std::copy_n(data_.e, m, target_.data());
  for (size_t b = 0; b < at_upper_.size(); ++b) {
    const BoxVariable& box = (*data_.boxes)[b];
    const double* E = data_.E + static_cast<ptrdiff_t>(box.col) * m;
    at_upper_[b] = box.lower == -std::numeric_limits<double>::infinity() ? 1 : 0;
    const double x = at_upper_[b] ? box.upper : box.lower;
    for (int i = 0; i < m; ++i) target_[i] -= E[i] * x;
  }
  for (int col : *data_.free)
    if (qr.append(data_.E + static_cast<ptrdiff_t>(col) * m, 1e-13)) free_used_.push_back(col);
  e_norm_ = std::sqrt(dot<M>(target_.data(), target_.data(), m));
  residual(qr);
}

template <int M>
NearestPoint::Stop NearestPoint::descend(ThinQr<M>& qr)
{
  const int m = M > 0 ? M : data_.m;
  const int nf = static_cast<int>(free_used_.size());
  const int limit = 100 + 20 * m + 4 * static_cast<int>(data_.cones->size() + data_.boxes->size());

  for (; iterations_ < limit; ++iterations_) {
    const double norm = std::sqrt(dot<M>(r_.data(), r_.data(), m));
    if (norm <= kReachedTolerance * e_norm_) {
      finish(qr, true);
      return Stop::kReached;
    }
    Column entering;
    const double score = price<M>(entering);
    if (separates<M>()) {
      finish(qr, false);
      return Stop::kSeparated;
    }
    if (!(score > kPriceTolerance * norm)) {   // also when numbers overflowed
      std::copy_n(r_.data(), m, y_.data());
      finish(qr, norm <= 1e-10 * e_norm_);   // so small a residual may turn out to be rounding
      return Stop::kSeparated;
    }
    if (score <= pause_score_ * norm) return Stop::kPaused;
    double* a = columns_.data() + passive_.size() * m;
    if (qr.size() == m) {   // the passive set already spans the rows: the residual is rounding
      finish(qr, true);
      return Stop::kReached;
    }
    write_column(entering, a);
    if (!qr.append(a, kDependentColumn)) {
      std::copy_n(r_.data(), m, y_.data());
      finish(qr, true);
      return Stop::kStagnated;
    }
    c_[passive_.size()] = 0.0;
    passive_.push_back(entering);
    if (entering.box >= 0) {
      // measured from the bound it leaves: target already carries that bound
      at_upper_[entering.box] = 2;
    }
    residual(qr);

    for (int guard = 0;; ++guard) {
      const int p = static_cast<int>(passive_.size());
      std::copy_n(z_.data(), nf + p, step_.data());
      qr.solve(step_.data());
      const double* s = step_.data() + nf;
      if (guard == 0 && !(s[p - 1] > 0.0)) {   // cannot happen but for rounding
        drop(qr, p - 1);
        if (entering.box >= 0) at_upper_[entering.box] = entering.ray[0] < 0.0 ? 1 : 0;
        residual(qr);
        std::copy_n(r_.data(), m, y_.data());
        finish(qr, true);
        return Stop::kStagnated;
      }
      double alpha = 1.0;
      int blocking = -1;
      bool at_top = false;
      for (int k = 0; k < p; ++k) {
        if (s[k] <= 0.0) {
          const double t = c_[k] / (c_[k] - s[k]);
          if (t < alpha || blocking < 0) {
            alpha = std::min(alpha, t);
            blocking = k;
            at_top = false;
          }
        } else if (s[k] > passive_[k].upper) {
          const double t = (passive_[k].upper - c_[k]) / (s[k] - c_[k]);
          if (t < alpha || blocking < 0) {
            alpha = std::min(alpha, t);
            blocking = k;
            at_top = true;
          }
        }
      }
      if (blocking < 0) {
        std::copy_n(s, p, c_.data());
        break;
      }
      for (int k = 0; k < p; ++k) c_[k] += alpha * (s[k] - c_[k]);
      const Column leaving = passive_[blocking];
      if (leaving.box >= 0) {
        const bool ends_upper = (leaving.ray[0] > 0.0) == at_top;
        at_upper_[leaving.box] = ends_upper ? 1 : 0;
        if (at_top)
          for (int i = 0; i < m; ++i) target_[i] -= columns_[blocking * m + i] * leaving.upper;
      }
      drop(qr, blocking);
      residual(qr);
      if (passive_.empty()) break;
    }
  }
  std::copy_n(r_.data(), m, y_.data());
  finish(qr, true);
  return Stop::kIterations;
}

/// Writes x from the coefficients. With `refine`, two steps of iterative refinement follow, added to x itself: coefficients
/// of opposite rays may be large while the force they make up is small, and only a correction of x keeps its digits.
template <int M>
void NearestPoint::finish(ThinQr<M>& qr, bool refine)
{
  const int m = data_.m, nf = static_cast<int>(free_used_.size()), p = static_cast<int>(passive_.size());
  residual_norm_ = std::sqrt(dot<M>(r_.data(), r_.data(), m));
  // free coefficients come with the others out of one back substitution
  std::copy_n(z_.data(), nf + p, step_.data());
  qr.solve(step_.data());

  std::fill(x_.begin(), x_.end(), 0.0);
  for (size_t b = 0; b < at_upper_.size(); ++b) {
    const BoxVariable& box = (*data_.boxes)[b];
    if (at_upper_[b] != 2) x_[box.col] = at_upper_[b] == 1 ? box.upper : box.lower;
  }
  auto add = [&](int k, double c) {
    if (k < nf) {
      x_[free_used_[k]] += c;
    } else if (const Column& column = passive_[k - nf]; column.cone >= 0) {
      const ConeBlock& block = (*data_.cones)[column.cone];
      for (int j = 0; j < block.cone.dim(); ++j) x_[block.col + j] += c * column.ray[j];
    } else {
      x_[(*data_.boxes)[column.box].col] += c * column.ray[0];
    }
  };
  for (int k = 0; k < p; ++k)
    if (passive_[k].box >= 0) {
      const BoxVariable& box = (*data_.boxes)[passive_[k].box];
      x_[box.col] = passive_[k].ray[0] > 0.0 ? box.lower : box.upper;
    }
  for (int k = 0; k < nf + p; ++k)
    add(k, k < nf ? step_[k] : std::clamp(step_[k], 0.0, passive_[k - nf].upper));
  // Tangential forces below rounding of the friction at hand are what is left of others that cancel: zero.
  auto drop_noise = [&] {
    for (int k = 0; k < p; ++k)
      if (const Column& column = passive_[k]; column.cone >= 0) {
        const ConeBlock& block = (*data_.cones)[column.cone];
        for (int j = 1; j < block.cone.dim(); ++j) {
          const double reach = j <= block.cone.tangents ? block.cone.mu : block.cone.torsion;
          if (std::abs(x_[block.col + j]) <= 4e-16 * reach * std::abs(x_[block.col])) x_[block.col + j] = 0.0;
        }
      }
  };
  if (refine) drop_noise();
  for (int pass = 0; pass < (refine ? 3 : 0); ++pass) {
    for (int i = 0; i < m; ++i) {
      long double s = data_.e[i];
      for (int j = 0; j < data_.n; ++j)
        if (x_[j] != 0.0) s -= static_cast<long double>(data_.E[static_cast<ptrdiff_t>(j) * m + i]) * x_[j];
      work_[i] = static_cast<double>(s);
    }
    std::fill_n(z_.data(), nf + p, 0.0);
    qr.project_out(work_.data(), z_.data());
    qr.solve(z_.data());
    for (int k = 0; k < nf + p; ++k) add(k, z_[k]);
  }
  if (refine) drop_noise();
  // Corrections of the size of rounding may push a force that is zero, or at its rim, just outside: put it back.
  for (int k = 0; k < p; ++k) {
    if (passive_[k].box >= 0) {
      const BoxVariable& box = (*data_.boxes)[passive_[k].box];
      x_[box.col] = std::clamp(x_[box.col], box.lower, box.upper);
    } else if (refine) {
      const ConeBlock& block = (*data_.cones)[passive_[k].cone];
      double* f = x_.data() + block.col;
      if (!(block.cone.sign * f[0] > 0.0)) {
        std::fill_n(f, block.cone.dim(), 0.0);
      } else if (const double share = utilisation(block.cone, f); share > 1.0) {
        for (int j = 1; j < block.cone.dim(); ++j) f[j] = std::isfinite(share) ? f[j] / share : 0.0;
      }
    }
  }
}

}  // namespace stiction::internal
