#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cone/kernels.hpp"
#include "stiction/cone.hpp"
#include "stiction/proof.hpp"

namespace stiction::internal {

/// A sum of products and the sum of their absolute values: the scale that a rounding allowance refers to.
///
/// long double, so that the check adds no rounding of its own (2^-64 per term against an allowance of 2^-44) and
/// products of doubles neither overflow nor vanish. Where long double is double, sums of up to about 100 terms still
/// stay well within the allowance.
struct Sum {
  long double value = 0.0L;
  long double scale = 0.0L;

  void add(long double a, long double b = 1.0L)
  {
    const long double product = a * b;
    value += product;
    scale += std::abs(product);
  }
};

/// Share of its scale by which a Sum of up to 2^13 terms may be off, with room: it settles signs.
inline constexpr double kSumRounding = 0x1p-50;

/// The same of a sum of so many products: each of them, and every addition, is off by half of epsilon.
inline long double rounding_of_sum(Eigen::Index terms)
{
  return static_cast<long double>(terms + 4) * std::numeric_limits<long double>::epsilon();
}

/// The best ray of a cone against h (components in the contact's frame): its product h·ray, with scale |h|·|ray|.
inline Sum support_sum(const FrictionCone& cone, const Sum* h)
{
  Sum best{cone.sign * h[0].value, h[0].scale};
  if (cone.tangents == 1) {
    best.value += cone.mu * std::abs(h[1].value);
    best.scale += cone.mu * h[1].scale;
  } else if (cone.tangents == 2) {
    const long double norm = std::sqrt(h[1].value * h[1].value + h[2].value * h[2].value);
    long double w[2] = {0.0L, 0.0L};
    if (norm > 0.0L) {
      w[0] = h[1].value / norm;
      w[1] = h[2].value / norm;
      if (cone.shape.approximation == ConeApproximation::kExact) {
        w[0] *= cone.mu;
        w[1] *= cone.mu;
      } else {
        const double direction[2] = {static_cast<double>(w[0]), static_cast<double>(w[1])};
        double vertex[2];
        polygon_support(cone, direction, vertex);
        w[0] = vertex[0];
        w[1] = vertex[1];
      }
    }
    for (int i = 0; i < 2; ++i) {
      best.value += w[i] * h[1 + i].value;
      best.scale += std::abs(w[i]) * h[1 + i].scale;
    }
  }
  if (cone.torsional) {
    best.value += cone.torsion * std::abs(h[1 + cone.tangents].value);
    best.scale += cone.torsion * h[1 + cone.tangents].scale;
  }
  return best;
}

/// Sums of at most kFewTerms products in plain double arithmetic have an error below 2^-46 of the sum of absolute
/// products when that lies between kSmall and kLarge. They settle what is clear; the rest is left to long sums.
inline constexpr Eigen::Index kFewTerms = 64;
inline constexpr double kSmall = 1e-140, kLarge = 1e140;

/// True when support(cone, h) <= price beyond doubt, for sums h of few products with sums of absolute products `scale`.
inline bool clearly_blocked(const FrictionCone& cone, const double* h, const double* scale, double price)
{
  // The tangents only add to the scale; their errors do not matter once the value is below it by that much.
  double total = scale[0] + price;
  for (int k = 1; k <= cone.tangents; ++k) total += cone.mu * scale[k];
  if (cone.torsional) total += cone.torsion * scale[1 + cone.tangents];
  if (!(scale[0] > kSmall && total < kLarge)) return false;
  return support(cone, h) - price <= -0.5 * kRounding * total;
}

/// Copies a certificate vector with the entries that are only rounding noise set to zero: those whose products with
/// every column of A are below rounding of the largest such product. Changing a certificate cannot make a proof wrong,
/// as the changed one is checked in full; it helps where independent parts of a system share one certificate.
template <typename Matrix, typename Vector>
bool drop_noise(const Eigen::MatrixBase<Matrix>& A, Vector& y)
{
  if (y.size() == 0 || A.cols() == 0) return false;
  const auto reach = [&](Eigen::Index i) { return std::abs(y[i]) * A.row(i).cwiseAbs().maxCoeff(); };
  double largest = 0.0;
  for (Eigen::Index i = 0; i < y.size(); ++i) largest = std::max(largest, reach(i));
  bool changed = false;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    if (y[i] == 0.0 || reach(i) == 0.0 || reach(i) > kRounding * largest) continue;
    y[i] = 0.0;
    changed = true;
  }
  return changed;
}

/// True when every entry is finite; unlike Eigen's allFinite it runs in vector registers.
template <typename Derived>
bool all_finite(const Eigen::DenseBase<Derived>& m)
{
  return m.size() == 0 || (m.derived().array() * 0.0).sum() == 0.0;
}

/// The same for entries in one piece: several sums at once, so that none waits for the one before.
template <typename Derived>
bool all_finite(const Eigen::PlainObjectBase<Derived>& m)
{
  using Strip = Eigen::Array<double, 8, 1>;
  Strip sums = Strip::Zero();
  const double *entry = m.data(), *end = entry + m.size();
  for (; end - entry >= Strip::SizeAtCompileTime; entry += Strip::SizeAtCompileTime)
    sums += Eigen::Map<const Strip>(entry) * 0.0;
  for (; end - entry >= 2; entry += 2) sums.head<2>() += Eigen::Map<const Eigen::Array2d>(entry) * 0.0;
  double sum = sums.sum();
  for (; entry != end; ++entry) sum += *entry * 0.0;
  return sum == 0.0;
}

/// Runs `text` and stores the result when somebody asked why; always false, for `return refuse(…)`.
template <typename Text>
bool refuse(std::string* why, Text text)
{
  if (why) *why = text();
  return false;
}

}  // namespace stiction::internal
