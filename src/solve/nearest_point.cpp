#include "solve/nearest_point.hpp"

#include <limits>

#include "base/numerics.hpp"
#include "cone/kernels.hpp"

namespace stiction::internal {
namespace {

constexpr double kReachedTolerance = 4e-16;  // residual over |e|: rounding of the sums
constexpr double kPriceTolerance = 1e-14;    // score over |r|: nothing left to gain
constexpr double kDependentRay = 3e-14;      // a column within rounding of the span of the others
constexpr double kDependentFree = 1e-13;     // the same for free columns, which stay and are the first of the factor
constexpr double kMayBeRounding = 1e-10;     // residual over |e| that refinement may still remove
constexpr double kBeyond = 1e-6;             // step along an interior dual, beyond the one that is just enough

/// The value of support() on h = E'r over the columns of one cone. Inline, as nearly all of the work on many contacts
/// is here; the usual cone goes without loops and calls.
template <int M, bool kRound>
[[gnu::always_inline]] inline double support_of_products(const FrictionCone& cone, const double* E, const double* r,
                                                         int m, double* h)
{
  if constexpr (kRound) {
    h[0] = dot<M>(E, r, m);
    h[1] = dot<M>(E + m, r, m);
    h[2] = dot<M>(E + 2 * m, r, m);
    return cone.sign * h[0] + cone.mu * std::sqrt(h[1] * h[1] + h[2] * h[2]);
  }
  for (int j = 0; j < cone.dim(); ++j) h[j] = dot<M>(E + j * m, r, m);
  return support(cone, h);
}

/// Without a division or square root, for the usual cone.
bool clearly_inside(const FrictionCone& cone, const double* f)
{
  if (!cone.round()) return false;
  const double budget = cone.mu * f[0];
  return f[1] * f[1] + f[2] * f[2] < budget * budget;
}

}  // namespace

NearestPoint::Stop NearestPoint::run(const Data& data, double pause_score)
{
  data_ = data;
  interior_dual_ = nullptr;
  priced_ = false;
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
  if (x_.size() != static_cast<size_t>(data.n)) x_.resize(data.n);
  if (weight_.size() != data.cones->size()) {
    weight_.resize(data.cones->size());
    value_.resize(data.cones->size());
    slope_.resize(data.cones->size());
  }
  place_.resize(data.boxes->size());
  switch (m) {
    case 3:
      start(qr3_);
      return descend(qr3_);
    case 4:
      start(qr4_);
      return descend(qr4_);
    case 6:
      start(qr6_);
      return descend(qr6_);
    case 7:
      start(qr7_);
      return descend(qr7_);
    default:
      start(qr_);
      return descend(qr_);
  }
}

NearestPoint::Stop NearestPoint::run_again(const double* e, double pause_score)
{
  data_.e = e;
  priced_ = false;
  pause_score_ = pause_score;
  iterations_ = 0;
  switch (data_.m) {
    case 3:
      restart(qr3_);
      return descend(qr3_);
    case 4:
      restart(qr4_);
      return descend(qr4_);
    case 6:
      restart(qr6_);
      return descend(qr6_);
    case 7:
      restart(qr7_);
      return descend(qr7_);
    default:
      restart(qr_);
      return descend(qr_);
  }
}

NearestPoint::Stop NearestPoint::resume(double pause_score)
{
  pause_score_ = pause_score;
  switch (data_.m) {
    case 3:
      return descend(qr3_);
    case 4:
      return descend(qr4_);
    case 6:
      return descend(qr6_);
    case 7:
      return descend(qr7_);
    default:
      return descend(qr_);
  }
}

bool NearestPoint::offer_interior_dual(const double* d)
{
  switch (data_.m) {
    case 3:
      return offer_rows<3>(d);
    case 6:
      return offer_rows<6>(d);
    default:
      return offer_rows<-1>(d);
  }
}

template <int M>
bool NearestPoint::offer_rows(const double* d)
{
  interior_dual_ = d;
  const int m = data_.m;
  bool positive = true;
  double *opposite = work_.data(), h[4] = {};
  for (int i = 0; i < m; ++i) opposite[i] = -d[i];
  const auto write_slopes = [&]<bool kRound>(std::bool_constant<kRound>) {
    for (size_t i = 0; i < slope_.size(); ++i) {
      const ConeBlock& block = (*data_.cones)[i];
      const double* E = data_.E + static_cast<ptrdiff_t>(block.col) * m;
      slope_[i] = -support_of_products<M, kRound>(block.cone, E, opposite, m, h);
      positive = positive && slope_[i] > 0.0;
    }
  };
  all_round_ ? write_slopes(std::true_type{}) : write_slopes(std::false_type{});
  return positive;
}

template <int M>
void NearestPoint::write_column(const Column& column, double* a) const
{
  const int m = data_.m;
  Eigen::Map<Eigen::Matrix<double, M, 1>> out(a, m);
  const auto E = [&](int col) {
    return Eigen::Map<const Eigen::Matrix<double, M, 1>>(data_.E + static_cast<ptrdiff_t>(col) * m, m);
  };
  if (column.cone < 0) {
    out = column.ray[0] * E((*data_.boxes)[column.box].col);
    return;
  }
  const ConeBlock& block = (*data_.cones)[column.cone];
  if (block.cone.dim() == 3) {  // the usual one, without a loop
    out = column.ray[0] * E(block.col) + column.ray[1] * E(block.col + 1) + column.ray[2] * E(block.col + 2);
    return;
  }
  out = column.ray[0] * E(block.col);
  for (int j = 1; j < block.cone.dim(); ++j) out += column.ray[j] * E(block.col + j);
}

/// r := target - Q Q' target, z := Q' target; the second pass removes what rounding left along Q.
template <int M>
void NearestPoint::residual(const ThinQr<M>& qr)
{
  copy<M>(target_.data(), r_.data(), qr.rows());
  if (qr.size() == 0) return;
  std::fill_n(z_.data(), M > 0 ? M : qr.size(), 0.0);  // a number known beforehand needs no call
  qr.project_out(r_.data(), z_.data());
  qr.project_out(r_.data(), z_.data());
}

/// The same when all but the last column were there before: r is orthogonal to those already, and the pass that removes
/// rounding is all that is left to do for them.
template <int M>
void NearestPoint::residual_after_append(const ThinQr<M>& qr)
{
  if constexpr (M < 0) return residual(qr);
  const int last = qr.size() - 1;
  z_[last] = dot<M>(qr.q(last), r_.data(), M);
  add_multiple<M>(-z_[last], qr.q(last), r_.data(), M);
  qr.project_out(r_.data(), z_.data());
}

/// Finds the ray or bounded column with the best score against the residual; returns that score (<= 0: none improves).
template <int M>
double NearestPoint::price(Column& best)
{
  const int m = M > 0 ? M : data_.m;
  double top = 0.0, h[4] = {}, best_h[4] = {};
  int winner = -1;
  const size_t cones = data_.cones->size();
  const ConeBlock* blocks = data_.cones->data();
  const double *r = r_.data(), *weights = weight_.data();
  double* values = value_.data();
  const auto scan = [&]<bool kRound>(std::bool_constant<kRound>) {
    for (size_t i = 0; i < cones; ++i) {
      const ConeBlock& block = blocks[i];
      const double* E = data_.E + static_cast<ptrdiff_t>(block.col) * m;
      values[i] = support_of_products<M, kRound>(block.cone, E, r, m, h);
      const double score = values[i] * weights[i];
      if (score > top) {
        top = score;
        winner = static_cast<int>(i);
        std::copy_n(h, kRound ? 3 : 4, best_h);
      }
    }
  };
  all_round_ ? scan(std::true_type{}) : scan(std::false_type{});
  best.cone = winner;
  best.box = -1;
  if (winner >= 0) {
    support(blocks[winner].cone, best_h, best.ray);
    best.upper = std::numeric_limits<double>::infinity();
  }
  for (size_t b = 0; b < data_.boxes->size(); ++b) {
    const BoxVariable& box = (*data_.boxes)[b];
    if (place_[b] == Place::kPassive) continue;
    const double* E = data_.E + static_cast<ptrdiff_t>(box.col) * m;
    const double norm = std::sqrt(dot<M>(E, E, m));
    if (norm == 0.0 || box.lower == box.upper) continue;
    // at the lower bound the column may grow, at the upper bound it may shrink
    const double direction = place_[b] == Place::kUpper ? -1.0 : 1.0;
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
bool NearestPoint::separates(const ThinQr<M>& qr)
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
  t *= 1.0 + kBeyond;
  // an interior dual found for some cones only may be negative on others
  for (size_t i = 0; i < value_.size(); ++i)
    if (value_[i] - t * slope_[i] > 0.0) return false;
  // r'e minus the boxes' supports equals r'r at the optimum of the passive set
  if (data_.boxes->empty() && !(t * per_t < 0.75 * rr)) return false;
  for (int i = 0; i < m; ++i) y_[i] = r_[i] - t * d[i];
  // Where the residual is rounding, y is as small as t and would keep that rounding along free columns, the first of
  // the factor.
  for (int k = 0; k < static_cast<int>(free_used_.size()); ++k)
    add_multiple<M>(-dot<M>(qr.q(k), y_.data(), m), qr.q(k), y_.data(), m);
  double gain = dot<M>(y_.data(), data_.e, m);
  for (const BoxVariable& box : *data_.boxes) {
    const double h = dot<M>(data_.E + static_cast<ptrdiff_t>(box.col) * m, y_.data(), m);
    gain -= h > 0.0 ? h * box.upper : (h < 0.0 ? h * box.lower : 0.0);
  }
  // a gain that rounding of y'e could pretend is none
  return gain > 0.25 * rr && gain > kProductRounding * e_norm_ * std::sqrt(rr);
}

template <int M>
void NearestPoint::drop(ThinQr<M>& qr, int k)
{
  const int m = qr.rows(), nf = static_cast<int>(free_used_.size());
  const int p = static_cast<int>(passive_.size());
  qr.remove(nf + k);
  passive_.erase(passive_.begin() + k);
  std::copy(columns_.begin() + (k + 1) * m, columns_.begin() + p * m, columns_.begin() + k * m);
  std::copy(c_.begin() + nf + k + 1, c_.begin() + nf + p, c_.begin() + nf + k);
}

/// target_ := e without the boxes at a bound; passive ones count from the bound they left.
template <int M>
void NearestPoint::set_target()
{
  const int m = data_.m;
  copy<M>(data_.e, target_.data(), m);
  const auto take_out = [&](const BoxVariable& box, bool at_upper) {
    const double x = at_upper ? box.upper : box.lower;
    if (x != 0.0) add_multiple<M>(-x, data_.E + static_cast<ptrdiff_t>(box.col) * m, target_.data(), m);
  };
  for (size_t b = 0; b < place_.size(); ++b)
    if (place_[b] != Place::kPassive) take_out((*data_.boxes)[b], place_[b] == Place::kUpper);
  for (const Column& column : passive_)
    if (column.box >= 0) take_out((*data_.boxes)[column.box], column.ray[0] < 0.0);
  e_norm_ = std::sqrt(dot<M>(target_.data(), target_.data(), m));
}

/// From the columns and coefficients of the last run, which are admissible for every e.
template <int M>
void NearestPoint::restart(ThinQr<M>& qr)
{
  set_target<M>();
  residual(qr);
  settle(qr);
}

template <int M>
void NearestPoint::start(ThinQr<M>& qr)
{
  const int m = M > 0 ? M : data_.m;
  qr.reset(m);
  passive_.clear();
  free_used_.clear();
  // The size of a cone's columns bounds its score, so that long and short columns compete fairly.
  all_round_ = true;
  for (size_t i = 0; i < weight_.size(); ++i) {
    const ConeBlock& block = (*data_.cones)[i];
    all_round_ = all_round_ && block.cone.round();
    const double* E = data_.E + static_cast<ptrdiff_t>(block.col) * m;
    double size = dot<M>(E, E, m);
    for (int j = 1; j < block.cone.dim(); ++j) {
      const double reach = j <= block.cone.tangents ? block.cone.mu : block.cone.torsion;
      size += reach * reach * dot<M>(E + j * m, E + j * m, m);
    }
    weight_[i] = size > 0.0 ? 1.0 / std::sqrt(size) : 0.0;
  }
  for (size_t b = 0; b < place_.size(); ++b)
    place_[b] = (*data_.boxes)[b].lower == -std::numeric_limits<double>::infinity() ? Place::kUpper : Place::kLower;
  set_target<M>();
  for (int col : *data_.free)
    if (qr.append(data_.E + static_cast<ptrdiff_t>(col) * m, kDependentFree)) free_used_.push_back(col);
  residual(qr);
  if (!free_used_.empty()) settle(qr);
}

/// Moves the coefficients to the best ones of the passive columns; those that would leave their bounds on the way are
/// dropped.
template <int M>
void NearestPoint::settle(ThinQr<M>& qr)
{
  const int m = M > 0 ? M : data_.m, nf = static_cast<int>(free_used_.size());
  for (;;) {
    const int p = static_cast<int>(passive_.size());
    copy<M>(z_.data(), step_.data(), nf + p);
    qr.solve(step_.data());
    const double* s = step_.data() + nf;
    double* c = c_.data() + nf;
    double alpha = 1.0;
    int blocking = -1;
    bool at_top = false;
    for (int k = 0; k < p; ++k) {
      const bool below = !(s[k] > 0.0);
      if (!below && !(s[k] > passive_[k].upper)) continue;
      const double t = below ? c[k] / (c[k] - s[k]) : (passive_[k].upper - c[k]) / (s[k] - c[k]);
      if (t < alpha || blocking < 0) {
        alpha = std::min(alpha, t);
        blocking = k;
        at_top = !below;
      }
    }
    if (blocking < 0) {
      c_.swap(step_);
      return;
    }
    for (int k = 0; k < p; ++k) c[k] += alpha * (s[k] - c[k]);
    const Column leaving = passive_[blocking];
    if (leaving.box >= 0) {
      const bool ends_upper = (leaving.ray[0] > 0.0) == at_top;
      place_[leaving.box] = ends_upper ? Place::kUpper : Place::kLower;
      if (at_top)
        for (int i = 0; i < m; ++i) target_[i] -= columns_[blocking * m + i] * leaving.upper;
    }
    drop(qr, blocking);
    residual(qr);
  }
}

template <int M>
NearestPoint::Stop NearestPoint::descend(ThinQr<M>& qr)
{
  const int m = M > 0 ? M : data_.m;
  const int limit = 100 + 20 * m + 4 * static_cast<int>(data_.cones->size() + data_.boxes->size());

  for (; iterations_ < limit; ++iterations_) {
    throw_if_stopped(*data_.stop);
    const double norm = std::sqrt(dot<M>(r_.data(), r_.data(), m));
    if (norm <= kReachedTolerance * e_norm_) {
      finish(qr, true);
      return Stop::kReached;
    }
    if (!priced_) score_ = price<M>(entering_);  // a pause keeps it
    priced_ = false;
    const Column& entering = entering_;
    const double score = score_;
    if (separates(qr)) {
      finish(qr, false);
      return Stop::kSeparated;
    }
    if (!(score > kPriceTolerance * norm)) {  // also when numbers overflowed
      copy<M>(r_.data(), y_.data(), m);
      finish(qr, norm <= kMayBeRounding * e_norm_);
      return Stop::kSeparated;
    }
    if (score <= pause_score_ * norm) {
      priced_ = true;
      return Stop::kPaused;
    }
    double* a = columns_.data() + passive_.size() * m;
    if (qr.size() == m) {  // the passive set already spans the rows: the residual is rounding
      finish(qr, true);
      return Stop::kReached;
    }
    write_column<M>(entering, a);
    if (!qr.append(a, kDependentRay)) {
      copy<M>(r_.data(), y_.data(), m);
      finish(qr, true);
      return Stop::kStagnated;
    }
    c_[qr.size() - 1] = 0.0;
    passive_.push_back(entering);
    if (entering.box >= 0) {
      // measured from the bound it leaves: target already carries that bound
      place_[entering.box] = Place::kPassive;
    }
    residual_after_append(qr);

    if (!(z_[qr.size() - 1] > 0.0)) {  // the coefficient it would get; cannot happen but for rounding
      drop(qr, static_cast<int>(passive_.size()) - 1);
      if (entering.box >= 0) place_[entering.box] = entering.ray[0] < 0.0 ? Place::kUpper : Place::kLower;
      residual(qr);
      copy<M>(r_.data(), y_.data(), m);
      finish(qr, true);
      return Stop::kStagnated;
    }
    settle(qr);
  }
  copy<M>(r_.data(), y_.data(), m);
  finish(qr, true);
  return Stop::kIterations;
}

/// work_ := e - E x, summed with more digits.
template <int M>
void NearestPoint::sum_rows()
{
  const int m = M > 0 ? M : data_.m;
  // Rows at a time, so that the columns of E are read along memory; few enough for registers when their number is
  // known.
  constexpr int kStrip = M > 0 ? (M % 3 == 0 ? 3 : M) : 8;
  for (int top = 0; top < m; top += kStrip) {
    const int count = M > 0 ? kStrip : std::min(kStrip, m - top);
    long double sum[kStrip];
    for (int i = 0; i < count; ++i) sum[i] = data_.e[top + i];
    for (int j = 0; j < data_.n; ++j) {
      if (x_[j] == 0.0) continue;
      const double* E = data_.E + static_cast<ptrdiff_t>(j) * m + top;
      for (int i = 0; i < count; ++i) sum[i] -= static_cast<long double>(E[i]) * x_[j];
    }
    for (int i = 0; i < count; ++i) work_[top + i] = static_cast<double>(sum[i]);
  }
}

/// Writes x from the coefficients. With `refine`, steps of iterative refinement follow, added to x itself: coefficients
/// of opposite rays may be large while the force they make up is small, and only a correction of x keeps its digits.
template <int M>
void NearestPoint::finish(ThinQr<M>& qr, bool refine)
{
  const int m = data_.m, nf = static_cast<int>(free_used_.size()), p = static_cast<int>(passive_.size());
  residual_norm_ = std::sqrt(dot<M>(r_.data(), r_.data(), m));
  std::fill(x_.begin(), x_.end(), 0.0);
  for (size_t b = 0; b < place_.size(); ++b) {
    const BoxVariable& box = (*data_.boxes)[b];
    if (place_[b] != Place::kPassive) x_[box.col] = place_[b] == Place::kUpper ? box.upper : box.lower;
  }
  auto add = [&](int k, double c) {
    if (k < nf) {
      x_[free_used_[k]] += c;
    } else if (const Column& column = passive_[k - nf]; column.cone >= 0) {
      double* f = x_.data() + (*data_.cones)[column.cone].col;
      const int dim = (*data_.cones)[column.cone].cone.dim();
      for (int j = 0; j < 3 && j < dim; ++j) f[j] += c * column.ray[j];
      if (dim == 4) f[3] += c * column.ray[3];
    } else {
      x_[(*data_.boxes)[column.box].col] += c * column.ray[0];
    }
  };
  for (int k = 0; k < p; ++k)
    if (passive_[k].box >= 0) {
      const BoxVariable& box = (*data_.boxes)[passive_[k].box];
      x_[box.col] = passive_[k].ray[0] > 0.0 ? box.lower : box.upper;
    }
  for (int k = 0; k < nf + p; ++k) add(k, k < nf ? c_[k] : std::clamp(c_[k], 0.0, passive_[k - nf].upper));
  if (refine) drop_noise();
  for (int pass = 0; pass < (refine ? 3 : 0); ++pass) {
    sum_rows<M>();
    std::fill_n(z_.data(), M > 0 ? M : nf + p, 0.0);
    qr.project_out(work_.data(), z_.data());
    qr.solve(z_.data());
    for (int k = 0; k < nf + p; ++k) add(k, z_[k]);
  }
  if (refine) drop_noise();
  put_back(refine);
}

/// Tangential forces below rounding of the friction at hand are what is left of others that cancel: zero.
void NearestPoint::drop_noise()
{
  for (const Column& column : passive_)
    if (column.cone >= 0) {
      const ConeBlock& block = (*data_.cones)[column.cone];
      for (int j = 1; j < block.cone.dim(); ++j) {
        const double reach = j <= block.cone.tangents ? block.cone.mu : block.cone.torsion;
        if (std::abs(x_[block.col + j]) <= kReachedTolerance * reach * std::abs(x_[block.col])) x_[block.col + j] = 0.0;
      }
    }
}

/// Corrections of the size of rounding may push a force that is zero, or at its rim, just outside.
void NearestPoint::put_back(bool refined)
{
  const int p = static_cast<int>(passive_.size());
  for (int k = 0; k < p; ++k) {
    if (passive_[k].box >= 0) {
      const BoxVariable& box = (*data_.boxes)[passive_[k].box];
      x_[box.col] = std::clamp(x_[box.col], box.lower, box.upper);
    } else if (refined) {
      const ConeBlock& block = (*data_.cones)[passive_[k].cone];
      double* f = x_.data() + block.col;
      if (!(block.cone.sign * f[0] > 0.0)) {
        std::fill_n(f, block.cone.dim(), 0.0);
      } else if (!clearly_inside(block.cone, f)) {
        const double share = utilisation(block.cone, f);
        if (!(share > 1.0)) continue;
        for (int j = 1; j < block.cone.dim(); ++j) f[j] = std::isfinite(share) ? f[j] / share : 0.0;
      }
    }
  }
}

}  // namespace stiction::internal
