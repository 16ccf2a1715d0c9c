#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace stiction::internal {

/// Products of short columns of doubles with M entries, in vector registers (M = -1: m entries, one after the other).
template <int M>
[[gnu::always_inline]] inline double dot(const double* a, const double* b, [[maybe_unused]] int m)
{
  if constexpr (M > 1) {  // by hand, as a call costs as much as the products
    using Pair [[gnu::vector_size(2 * sizeof(double))]] = double;
    Pair sum = {0.0, 0.0};
    for (int k = M / 2 - 1; k >= 0; --k) {
      Pair left, right;
      std::memcpy(&left, a + 2 * k, sizeof(Pair));
      std::memcpy(&right, b + 2 * k, sizeof(Pair));
      sum = k == M / 2 - 1 ? left * right : left * right + sum;
    }
    const double s = sum[0] + sum[1];
    return M % 2 == 0 ? s : s + a[M - 1] * b[M - 1];
  } else {
    double s = 0.0;
    for (int i = 0; i < m; ++i) s += a[i] * b[i];
    return s;
  }
}

template <int M>
[[gnu::always_inline]] inline void copy(const double* from, double* to, [[maybe_unused]] int m)
{
  if constexpr (M > 0)
    std::memcpy(to, from, M * sizeof(double));
  else
    std::copy_n(from, m, to);
}

/// b += h a
template <int M>
[[gnu::always_inline]] inline void add_multiple(double h, const double* a, double* b, int m)
{
  Eigen::Map<Eigen::Matrix<double, M, 1>>(b, m) += h * Eigen::Map<const Eigen::Matrix<double, M, 1>>(a, m);
}

/// Thin QR factor A = Q R of a set of columns that grows and shrinks by one: Gram-Schmidt on appending, done twice
/// where the first pass cancels digits, Givens rotations on removal. Q is explicit, so a residual can be made
/// orthogonal to the columns to full relative accuracy however small it is: verdicts near the boundary need that.
///
/// M > 0 fixes the number of rows at compile time and goes for speed; M = -1 leaves it to reset(), storage only ever
/// grows, and every step is done with the most care, as ranks near rounding depend on it.
template <int M>
class ThinQr {
 public:
  void reset(int rows)
  {
    m_ = rows;
    n_ = 0;
    if constexpr (M < 0) {
      const auto size = static_cast<size_t>(rows);
      if (q_.size() < size * size) {
        q_.resize(size * size);
        r_.resize(size * size);
        inverse_.resize(size);
      }
    }
  }

  int rows() const { return M > 0 ? M : m_; }
  int size() const { return n_; }
  const double* q(int k) const { return q_.data() + k * rows(); }
  double r(int i, int j) const { return r_[j * rows() + i]; }

  /// Adds column a. Returns false, unchanged, when a is dependent on the others to within `tolerance` of its own norm.
  bool append(const double* a, double tolerance)
  {
    const int m = rows();
    if (n_ == m) return false;
    double* q = q_.data() + n_ * m;
    double* r = r_.data() + n_ * m;
    double norm2 = 0.0;
    for (int i = 0; i < m; ++i) {
      q[i] = a[i];
      norm2 += a[i] * a[i];
    }
    std::fill_n(r, M > 0 ? M : n_, 0.0);
    double left2 = norm2;
    for (int pass = 0; pass < 2 && n_ > 0; ++pass) {
      project_out(q, r);
      left2 = dot<M>(q, q, m);
      if (M > 0 && left2 > kCancels * norm2) break;
    }
    if (!(left2 > tolerance * tolerance * norm2)) return false;
    const double left = std::sqrt(left2), inverse = 1.0 / left;
    r[n_] = left;
    inverse_[n_] = inverse;
    for (int i = 0; i < m; ++i) q[i] = M > 0 ? q[i] * inverse : q[i] / left;
    ++n_;
    return true;
  }

  /// Removes column k; the later ones move up.
  void remove(int k)
  {
    const int m = rows();
    for (int j = k; j + 1 < n_; ++j) std::copy_n(r_.data() + (j + 1) * m, j + 2, r_.data() + j * m);
    --n_;
    for (int j = k; j < n_; ++j) {
      const double a = r_[j * m + j], b = r_[j * m + j + 1];
      const double h = std::hypot(a, b);
      inverse_[j] = 1.0 / h;
      if (h == 0.0) continue;
      const double c = a / h, s = b / h;
      for (int l = j; l < n_; ++l) {
        const double x = r_[l * m + j], y = r_[l * m + j + 1];
        r_[l * m + j] = c * x + s * y;
        r_[l * m + j + 1] = c * y - s * x;
      }
      double* qa = q_.data() + j * m;
      double* qb = qa + m;
      for (int i = 0; i < m; ++i) {
        const double x = qa[i], y = qb[i];
        qa[i] = c * x + s * y;
        qb[i] = c * y - s * x;
      }
    }
  }

  /// b := b - Q Q'b; adds the coefficients Q'b to z (size() entries).
  void project_out(double* b, double* z) const
  {
    const int m = rows();
    if constexpr (M > 0) {  // few rows: all products first, as they need not wait for each other
      using Column = Eigen::Matrix<double, M, 1>;
      Column rest = Eigen::Map<const Column>(b);  // stays in registers
      double h[M];
      for (int k = 0; k < n_; ++k) h[k] = dot<M>(q(k), b, m);
      for (int k = 0; k < n_; ++k) rest -= h[k] * Eigen::Map<const Column>(q(k));
      for (int k = 0; k < n_; ++k) z[k] += h[k];
      Eigen::Map<Column>(b, M) = rest;
    } else {
      for (int k = 0; k < n_; ++k) {
        const double h = dot<M>(q(k), b, m);
        z[k] += h;
        add_multiple<M>(-h, q(k), b, m);
      }
    }
  }

  /// z := R^-1 z.
  void solve(double* z) const
  {
    const int m = rows();
    for (int k = n_ - 1; k >= 0; --k) {
      const double* r = r_.data() + k * m;
      z[k] = M > 0 ? z[k] * inverse_[k] : z[k] / r[k];
      for (int i = 0; i < k; ++i) z[i] -= r[i] * z[k];
    }
  }

 private:
  /// Share of a column's squared length below which one pass of Gram-Schmidt is not enough: above it the new column is
  /// as orthogonal to the others as they are to each other, so that errors add up but do not multiply.
  static constexpr double kCancels = 0.5;

  template <int size>
  using Storage =
      std::conditional_t<(M > 0), std::array<double, static_cast<size_t>(size > 0 ? size : 1)>, std::vector<double>>;

  int m_ = 0;
  int n_ = 0;
  Storage<M * M> q_, r_;
  Storage<M> inverse_;  ///< of the diagonal of R
};

}  // namespace stiction::internal
