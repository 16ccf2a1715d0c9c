#include "exact/rational.hpp"

namespace stiction::exact {
namespace {

Q root(const Q& q, bool up)
{
  using namespace boost::multiprecision;
  if (q <= 0) return 0;
  const int bits = static_cast<int>(msb(numerator(q))) - static_cast<int>(msb(denominator(q)));
  const int shift = 90 - bits / 2;
  const Q scaled = q * power_of_two(2 * shift);
  const Integer floor = sqrt(Integer(numerator(scaled) / denominator(scaled)));
  return Q(floor + (up ? 1 : 0)) * power_of_two(-shift);
}

/// A sum of products whose denominators are powers of two: no fraction is reduced on the way.
class DyadicSum {
 public:
  static bool takes(const Q& q)
  {
    const Integer& d = denominator(q);
    return lsb(d) == msb(d);
  }
  void add(const Integer& number, std::size_t halvings)
  {
    if (halvings > halvings_) {
      number_ <<= halvings - halvings_;
      halvings_ = halvings;
    }
    number_ += number << (halvings_ - halvings);
  }
  Q value() const { return Q(number_, Integer(1) << halvings_); }

 private:
  Integer number_ = 0;
  std::size_t halvings_ = 0;
};

Q sum_of_products(const Vector& row, const Vector& v, bool absolute)
{
  DyadicSum dyadic;
  Q rest = 0;
  for (std::size_t j = 0; j < v.size(); ++j) {
    if (row[j] == 0 || v[j] == 0) continue;
    if (DyadicSum::takes(row[j]) && DyadicSum::takes(v[j])) {
      const Integer product = numerator(row[j]) * numerator(v[j]);
      dyadic.add(absolute ? Integer(abs(product)) : product, msb(denominator(row[j])) + msb(denominator(v[j])));
    } else {
      const Q product = row[j] * v[j];
      rest += absolute ? Q(abs(product)) : product;
    }
  }
  return dyadic.value() + rest;
}

}  // namespace

Q power_of_two(int exponent)
{
  const Integer one = 1;
  return exponent >= 0 ? Q(one << exponent) : Q(one, one << -exponent);
}

Q root_up(const Q& q) { return root(q, true); }
Q root_down(const Q& q) { return root(q, false); }

Q rounded_up(const Q& q)
{
  if (q == 0) return 0;
  const int shift = 100 - (static_cast<int>(msb(numerator(q))) - static_cast<int>(msb(denominator(q))));
  const Q scaled = q * power_of_two(shift);
  return Q(Integer(numerator(scaled) / denominator(scaled)) + 1) * power_of_two(-shift);
}

Q rounded(const Q& q)
{
  constexpr int kBinaryDigits = 160;
  const Q scaled = q * power_of_two(kBinaryDigits);
  return Q(Integer(numerator(scaled) / denominator(scaled))) * power_of_two(-kBinaryDigits);
}

const Q& pi()
{
  static const Q value(Integer("3141592653589793238462643383279502884197169399375105820974944592307816406286209"),
                       pow(Integer(10), 78));
  return value;
}

Direction direction(const Q& angle)
{
  constexpr int kTerms = 80;  // 10^80 / 80! < 2^-129
  const Q x = rounded(angle);
  Direction sums{1, 0};
  Q term = 1;
  for (int k = 1; k < kTerms; ++k) {
    term = rounded(term * x / k);
    (k % 2 == 0 ? sums.x : sums.y) += k % 4 < 2 ? term : Q(-term);
  }
  return sums;
}

Q times(const Vector& row, const Vector& v) { return sum_of_products(row, v, false); }
Q sizes(const Vector& row, const Vector& v) { return sum_of_products(row, v, true); }

/// Elimination without fractions (Bareiss): entries stay integers, divisions are exact.
std::optional<Matrix> inverse(const Matrix& A, const Q& least)
{
  const std::size_t n = A.size();
  Integer unit = 1;  // A is counted in 1 over it
  for (const Vector& row : A)
    for (const Q& entry : row) unit = lcm(unit, denominator(entry));
  std::vector<std::vector<Integer>> rows(n, std::vector<Integer>(2 * n, 0));  // (A | 1)
  for (std::size_t i = 0; i < n; ++i) {
    rows[i][n + i] = 1;
    for (std::size_t j = 0; j < n; ++j) rows[i][j] = numerator(Q(A[i][j] * unit));
  }
  Integer before = 1;
  for (std::size_t c = 0; c < n; ++c) {
    const Integer pivot = rows[c][c];
    if (!(pivot > 0 && Q(pivot, before) > least * A[c][c] * unit)) return {};
    for (std::size_t i = 0; i < n; ++i) {
      if (i == c) continue;
      const Integer share = rows[i][c];
      for (std::size_t j = 0; j < 2 * n; ++j)
        if (rows[i][j] != 0 || (share != 0 && rows[c][j] != 0))
          rows[i][j] = (rows[i][j] * pivot - share * rows[c][j]) / before;
    }
    before = pivot;
  }
  Matrix found(n, Vector(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) found[i][j] = Q(rows[i][n + j] * unit, before);
  return found;
}

bool is_definite(Matrix A)
{
  for (std::size_t c = 0; c < A.size(); ++c) {
    if (!(A[c][c] > 0)) return false;
    for (std::size_t i = c + 1; i < A.size(); ++i) {
      const Q share = A[i][c] / A[c][c];
      for (std::size_t j = c; j < A.size(); ++j) A[i][j] -= share * A[c][j];
    }
  }
  return true;
}

Vector column(const Matrix& A, std::size_t j)
{
  Vector entries;
  for (const Vector& row : A) entries.push_back(row[j]);
  return entries;
}

}  // namespace stiction::exact
