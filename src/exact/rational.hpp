#pragma once

// Numbers of the exact judges: every double is the rational number that it is, sums and products are exact. Square
// roots and directions, which are not rational, say to which side they are rounded.
#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <vector>

namespace stiction::exact {

using Integer = boost::multiprecision::cpp_int;
using Q = boost::multiprecision::cpp_rational;
using Vector = std::vector<Q>;
using Matrix = std::vector<Vector>;

Q power_of_two(int exponent);

/// sqrt(q) to 90 digits of two: never below it, or never above it.
Q root_up(const Q& q);
Q root_down(const Q& q);

/// A number of 100 digits of two that is not below q >= 0: bounds that have grown long are rounded up.
Q rounded_up(const Q& q);
/// The multiple of 2^-160 next to q, towards zero.
Q rounded(const Q& q);

/// Error of what follows.
inline const Q kTrigonometric = power_of_two(-100);
const Q& pi();
/// (cos, sin) of an angle within [-10, 10].
struct Direction {
  Q x, y;
};
Direction direction(const Q& angle);

/// row·v, and the sum of the absolute values of its terms.
Q times(const Vector& row, const Vector& v);
Q sizes(const Vector& row, const Vector& v);

/// Inverse of a symmetric matrix; none unless every pivot exceeds this share of its diagonal entry.
std::optional<Matrix> inverse(const Matrix& A, const Q& least);

/// A symmetric matrix is positive definite.
bool is_definite(Matrix A);

/// Column j of A.
Vector column(const Matrix& A, std::size_t j);

}  // namespace stiction::exact
