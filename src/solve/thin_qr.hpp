#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiction::internal {

/// Thin QR factor A = Q R of a set of columns that grows and shrinks by one: Gram-Schmidt done twice on appending, Givens
/// rotations on removal. Q is explicit, so a residual can be made orthogonal to the columns to full relative accuracy
/// however small it is: verdicts near the boundary need that.
///
/// M > 0 fixes the number of rows at compile time; M = -1 leaves it to reset(). Storage only ever grows.
template <int M>
class ThinQr {
 public:
  void reset(int rows)
  {
    m_ = rows;
    n_ = 0;
    if (q_.size() < static_cast<size_t>(rows) * rows) {
      q_.resize(static_cast<size_t>(rows) * rows);
      r_.resize(static_cast<size_t>(rows) * rows);
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
    std::fill(r, r + n_, 0.0);
    double left2 = norm2;
    for (int pass = 0; pass < 2; ++pass) {
      for (int k = 0; k < n_; ++k) {
        const double h = dot(this->q(k), q);
        r[k] += h;
        axpy(-h, this->q(k), q);
      }
      left2 = dot(q, q);
    }
    if (!(left2 > tolerance * tolerance * norm2)) return false;
    const double left = std::sqrt(left2);
    r[n_] = left;
    for (int i = 0; i < m; ++i) q[i] /= left;
    ++n_;
    return true;
  }

  /// Removes column k; the later ones move up.
  void remove(int k)
  {
    const int m = rows();
    for (int j = k; j + 1 < n_; ++j)
      std::copy_n(r_.data() + (j + 1) * m, j + 2, r_.data() + j * m);
    --n_;
    for (int j = k; j < n_; ++j) {
      const double a = r_[j * m + j], b = r_[j * m + j + 1];
      const double h = std::hypot(a, b);
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
    for (int k = 0; k < n_; ++k) {
      const double h = dot(q(k), b);
      z[k] += h;
      axpy(-h, q(k), b);
    }
  }

  /// z := R^-1 z.
  void solve(double* z) const
  {
    for (int k = n_ - 1; k >= 0; --k) {
      z[k] /= r(k, k);
      for (int i = 0; i < k; ++i) z[i] -= r(i, k) * z[k];
    }
  }

  double dot(const double* a, const double* b) const
  {
    double s = 0.0;
    for (int i = 0; i < rows(); ++i) s += a[i] * b[i];
    return s;
  }
  void axpy(double h, const double* a, double* b) const
  {
    for (int i = 0; i < rows(); ++i) b[i] += h * a[i];
  }

 private:
  int m_ = 0;
  int n_ = 0;
  std::vector<double> q_, r_;
};

}  // namespace stiction::internal
