// docs/proofs/sliding.md
#include <algorithm>
#include <cmath>
#include <utility>

#include "exact/program.hpp"
#include "exact/questions.hpp"
#include "exact/sizes.hpp"

namespace stiction::exact {
namespace {

const Q kModeTolerance = power_of_two(-41), kSameSolution = Q(1, 10'000'000);

struct Solution {
  std::vector<int> signs;
  Vector a, lambda;
};

class Sliding {
 public:
  explicit Sliding(const Json& certificate);
  Refusal judge(const Json& report);

 private:
  bool held(std::size_t i) const { return !slips_[i] && (p_.contacts[i].tangents > 0 || p_.contacts[i].torsional); }
  /// Closed or open, or pushing or pulling.
  bool has_choice(std::size_t i) const
  {
    const Contact& c = p_.contacts[i];
    return !c.bilateral || (c.mu > 0 && c.tangents > 0) || (!slips_[i] && c.torsional && c.torsion > 0);
  }
  Q most_force(std::size_t row) const { return kMovingForces * s_.row_force(row); }
  bool fits(const std::vector<int>& signs, bool all) const;
  bool is_solution(const Solution& x, const std::vector<int>* signs) const;
  Program mode(const std::vector<int>& signs) const;
  void add_force(std::size_t i, int sign, const std::vector<std::size_t>& rows, Program& m) const;
  bool is_empty(Program& m, const Vector& y) const;
  bool settles(const Solution& x);
  Q scale(const Vector& a, std::size_t j) const;
  bool differ(const Solution& one, const Solution& other) const;
  bool all_the_same(const std::vector<Solution>& proved) const;

  Problem p_;
  Sizes s_;
  std::vector<std::optional<Vector>> slips_;  // directions
  Vector usual_, balance_, still_;            // accelerations, T and R
  Vector loosest_;                            // per contact: what its normal force may differ by within a mode
};

Sliding::Sliding(const Json& certificate)
    : p_(read_problem(certificate)), s_(measure(p_)), loosest_(p_.contacts.size(), 0)
{
  measure_forces(p_, s_);
  measure_accelerations(p_, s_);
  for (const Json& slip : certificate.at("slips")) {
    slips_.emplace_back();
    if (slip.is_null()) continue;
    Vector d = vector(slip);
    const Q length = root_up(times(d, d));
    if (length != 1)
      for (Q& entry : d) entry = rounded(entry / length);
    slips_.back() = d;
  }
  for (std::size_t j = 0; j < p_.n; ++j)
    usual_.push_back(s_.acceleration[j] / (p_.M[j][j] > 0 ? kAccelerations : kMasslessAccelerations));
  for (std::size_t j = 0; j < p_.n; ++j)
    balance_.push_back(kModeTolerance * (abs(p_.F[j]) + sizes(p_.M[j], usual_) + s_.load_reach(p_, j)));
  for (std::size_t r = 0; r < p_.m; ++r) still_.push_back(kModeTolerance * (abs(p_.gamma[r]) + sizes(p_.J[r], usual_)));
}

bool Sliding::fits(const std::vector<int>& signs, bool all) const
{
  for (std::size_t i = 0; i < signs.size(); ++i)
    if (std::abs(signs[i]) > 1 || (!has_choice(i) && signs[i] != 0) || (all && has_choice(i) && signs[i] == 0))
      return false;
  return signs.size() == p_.contacts.size();
}

/// Forces moved to where the laws hold, a member of S: with these signs, or with its own.
bool Sliding::is_solution(const Solution& x, const std::vector<int>* signs) const
{
  Vector near = x.lambda, row(p_.m);
  for (std::size_t r = 0; r < p_.m; ++r) row[r] = times(p_.J[r], x.a) + p_.gamma[r];
  const auto still = [&](std::size_t r) { return abs(row[r]) <= still_[r]; };
  bool good = true;
  for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
    const Contact& c = p_.contacts[i];
    const int sign = signs ? (*signs)[i] : 0;
    const bool open = !c.bilateral && (sign != 0 ? sign < 0 : row[c.row] > still_[c.row]);
    good = good && (open ? row[c.row] >= -still_[c.row] : still(c.row));
    for (std::size_t r = c.row + 1; r < c.end() && held(i); ++r) good = good && still(r);
    Q& normal = near[c.row];
    if (open || (normal < 0 && !c.bilateral) || (c.bilateral && sign * normal < 0)) normal = 0;
    const Q budget = c.mu * abs(normal), most = most_force(c.row);
    Q square = 0;
    for (std::size_t r = c.row + 1; r < c.last(); ++r) {
      if (slips_[i]) near[r] = -budget * (*slips_[i])[r - c.row - 1];
      square += near[r] * near[r];
    }
    for (std::size_t r = c.row + 1; r < c.last() && square > budget * budget && !slips_[i]; ++r)
      near[r] *= budget / root_up(square);
    if (c.torsional) {
      const Q turn = slips_[i] ? Q(0) : Q(c.torsion * abs(normal));
      near[c.last()] = std::clamp<Q>(near[c.last()], -turn, turn);
    }
    if (s_.weight[c.row] > 0) good = good && abs(normal) <= most && std::min<Q>(square, budget * budget) <= most * most;
  }
  p_.every_loop_row(
      [&](std::size_t r) { good = good && still(r) && (s_.weight[r] == 0 || abs(near[r]) <= most_force(r)); });
  for (std::size_t j = 0; j < p_.n && good; ++j)
    good = abs(x.a[j]) <= s_.acceleration[j] &&
           abs(times(p_.M[j], x.a) + p_.F[j] - times(column(p_.J, j), near)) <= balance_[j];
  return good;
}

void Sliding::add_force(std::size_t i, int sign, const std::vector<std::size_t>& rows, Program& m) const
{
  const Contact& c = p_.contacts[i];
  const auto minus_row = [&](std::size_t r, const Q& share) {
    Vector entries(p_.n + rows.size(), 0);
    for (std::size_t j = 0; j < p_.n; ++j) entries[j] = -share * p_.J[r][j];
    return entries;
  };
  const Q most = most_force(c.row);  // a force that moves nothing has columns of zeros
  Unknown force{has_choice(i) ? Unknown::kPositive : Unknown::kFree, {minus_row(c.row, sign)}, most};
  if (held(i) && has_choice(i)) {
    force = {Unknown::kCone, {}, most, c.mu, c.torsional ? c.torsion : Q(0), sign, c.tangents, most};
    for (std::size_t r = c.row; r < c.end(); ++r) force.columns.push_back(minus_row(r, 1));
  } else if (slips_[i]) {
    force.most = most / std::max<Q>(1, c.mu);
    for (std::size_t k = 0; k < c.tangents; ++k) {
      const Vector friction = minus_row(c.row + 1 + k, -c.mu * (*slips_[i])[k]);
      for (std::size_t j = 0; j < p_.n; ++j) force.columns[0][j] += friction[j];
    }
  }
  m.unknowns.push_back(std::move(force));
}

Program Sliding::mode(const std::vector<int>& signs) const
{
  std::vector<std::size_t> rows, normal_at;  // of J that are kept
  for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
    const Contact& c = p_.contacts[i];
    normal_at.push_back(p_.n + rows.size());
    for (std::size_t r = c.row; r < (held(i) ? c.end() : c.row + 1); ++r) rows.push_back(r);
  }
  p_.every_loop_row([&](std::size_t r) { rows.push_back(r); });
  Program m;
  const Vector zeros(p_.n + rows.size(), 0);
  for (std::size_t j = 0; j < p_.n; ++j) {
    Vector entries = column(p_.M, j);
    for (const std::size_t r : rows) entries.push_back(p_.J[r][j]);
    m.unknowns.push_back({Unknown::kFree, {entries}, s_.acceleration[j]});
    m.e.push_back(-p_.F[j]);
    m.room.push_back(balance_[j]);
  }
  for (const std::size_t r : rows) {
    m.e.push_back(-p_.gamma[r]);
    m.room.push_back(still_[r]);
  }
  for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
    const Contact& c = p_.contacts[i];
    if (!has_choice(i) || signs[i] >= 0) add_force(i, 1, rows, m);
    if (has_choice(i) && c.bilateral && signs[i] <= 0) add_force(i, -1, rows, m);
    if (c.bilateral || signs[i] > 0) continue;
    Unknown opening{
        Unknown::kPositive, {zeros}, abs(p_.gamma[c.row]) + sizes(p_.J[c.row], s_.acceleration) + still_[c.row]};
    opening.columns[0][normal_at[i]] = -1;
    m.unknowns.push_back(opening);
  }
  p_.every_loop_row([&](std::size_t r) {
    Vector entries = zeros;
    for (std::size_t j = 0; j < p_.n; ++j) entries[j] = -p_.J[r][j];
    m.unknowns.push_back({Unknown::kFree, {entries}, most_force(r)});
  });
  return m;
}

/// L near a left inverse of E, by elimination with the largest pivots: any L serves, good ones say more.
Matrix near_inverse(const Matrix& columns, std::size_t rows)
{
  using Real = long double;
  const std::size_t n = columns.size();
  std::vector<std::vector<Real>> E(rows, std::vector<Real>(n)), T(rows, std::vector<Real>(rows, 0));
  std::vector<Real> unit_row(rows, 1), unit(n, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    T[i][i] = 1;
    for (std::size_t j = 0; j < n; ++j) E[i][j] = columns[j][i].convert_to<Real>();
  }
  const auto root_of_power = [](Real size) { return size > 0 ? std::ldexp(Real(1), -std::ilogb(size) / 2) : Real(1); };
  for (int sweep = 0; sweep < 4; ++sweep) {
    for (std::size_t i = 0; i < rows; ++i) {
      Real most = 0;
      for (std::size_t j = 0; j < n; ++j) most = std::max(most, std::abs(E[i][j]));
      for (Real& entry : E[i]) entry *= root_of_power(most);
      T[i][i] *= root_of_power(most);
    }
    for (std::size_t j = 0; j < n; ++j) {
      Real most = 0;
      for (std::size_t i = 0; i < rows; ++i) most = std::max(most, std::abs(E[i][j]));
      for (std::size_t i = 0; i < rows; ++i) E[i][j] *= root_of_power(most);
      unit[j] *= root_of_power(most);
    }
  }
  Matrix L(n, Vector(rows, 0));
  std::vector<bool> used(rows, false), done(n, false);
  std::vector<std::pair<std::size_t, std::size_t>> pivots;
  constexpr Real kLeastPivot = 1e-9L;  // of rows and columns scaled to one
  for (;;) {
    std::size_t row = rows, col = n;
    Real most = kLeastPivot;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (!used[i] && !done[j] && std::abs(E[i][j]) > most) most = std::abs(E[row = i][col = j]);
    if (row == rows) break;
    used[row] = done[col] = true;
    pivots.emplace_back(row, col);
    const Real pivot = E[row][col];
    for (std::size_t j = 0; j < n; ++j) E[row][j] /= pivot;
    for (std::size_t k = 0; k < rows; ++k) T[row][k] /= pivot;
    for (std::size_t i = 0; i < rows; ++i) {
      const Real share = E[i][col];
      if (i == row || share == 0) continue;
      for (std::size_t j = 0; j < n; ++j) E[i][j] -= share * E[row][j];
      for (std::size_t k = 0; k < rows; ++k) T[i][k] -= share * T[row][k];
    }
  }
  for (const auto& [row, col] : pivots)
    for (std::size_t k = 0; k < rows; ++k) L[col][k] = Q(T[row][k] * unit[col]);
  return L;
}

/// |x| for all x with |E x| <= image and |x| <= most: |x| <= |L| |E x| + |I - L E| |x|.
Vector tightened(const Matrix& columns, Vector image, Vector most)
{
  constexpr int kContractions = 4;
  const Matrix L = near_inverse(columns, image.size());
  Matrix left(columns.size(), Vector(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) left[i][j] = (i == j ? 1 : 0) - times(L[i], columns[j]);
  for (Vector* bounds : {&image, &most})
    for (Q& bound : *bounds) bound = rounded_up(bound);
  for (int round = 0; round < kContractions; ++round)
    for (std::size_t i = 0; i < columns.size(); ++i)
      most[i] = std::min<Q>(most[i], rounded_up(sizes(L[i], image) + sizes(left[i], most)));
  return most;
}

/// All columns of a mode, with the most of each.
void flatten(const Program& m, Matrix& columns, Vector& most)
{
  for (const Unknown& x : m.unknowns)
    for (std::size_t k = 0; k < x.columns.size(); ++k) {
      columns.push_back(x.columns[k]);
      most.push_back(x.most_of(k));
    }
}

bool Sliding::is_empty(Program& m, const Vector& y) const
{
  if (separates(m, y)) return true;
  Vector clean = y, image = m.room, most;  // entries that only rounding put there are left out
  Q largest = 0;
  for (const Q& entry : y) largest = std::max<Q>(largest, abs(entry));
  for (Q& entry : clean)
    if (abs(entry) <= kRounding * largest) entry = 0;
  if (separates(m, clean)) return true;
  Matrix columns;
  flatten(m, columns, most);
  for (std::size_t k = 0; k < image.size(); ++k) image[k] += abs(m.e[k]);
  most = tightened(columns, image, most);
  std::size_t next = 0;
  for (Unknown& x : m.unknowns) {
    x.most = most[next];
    next += x.columns.size();
  }
  return separates(m, y) || separates(m, clean);
}

Q Sliding::scale(const Vector& a, std::size_t j) const
{
  Q faster = 0;
  for (std::size_t k = 0; k < p_.n; ++k)
    if (usual_[k] > 0 && s_.part[k] == s_.part[j]) faster = std::max<Q>(faster, abs(a[k]) / usual_[k]);
  return usual_[j] * (1 + faster);
}

/// The mode of a solution leaves no room for another acceleration.
bool Sliding::settles(const Solution& x)
{
  const Program m = mode(x.signs);
  Matrix columns;
  Vector most, image;
  flatten(m, columns, most);
  for (Q& bound : most) bound *= 2;
  for (const Q& room : m.room) image.push_back(2 * room);
  const Vector apart = tightened(columns, image, most);
  for (std::size_t j = 0; j < p_.n; ++j)
    if (apart[j] > kSameSolution / 4 * scale(x.a, j)) return false;
  std::size_t next = p_.n;  // behind the accelerations: per contact its force or, where it is open, its separation
  for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
    if (p_.contacts[i].bilateral || x.signs[i] > 0) loosest_[i] = std::max(loosest_[i], apart[next]);
    next += m.unknowns[p_.n + i].columns.size();
  }
  return true;
}

bool Sliding::differ(const Solution& one, const Solution& other) const
{
  Solution mean = one;
  bool sides = false;
  for (std::size_t j = 0; j < p_.n; ++j) {
    if (abs(one.a[j] - other.a[j]) > kSameSolution * std::max(scale(one.a, j), scale(other.a, j))) return true;
    mean.a[j] = (one.a[j] + other.a[j]) / 2;
  }
  for (std::size_t r = 0; r < p_.m; ++r) mean.lambda[r] = (one.lambda[r] + other.lambda[r]) / 2;
  for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
    const std::size_t r = p_.contacts[i].row;
    const Q clear = kSameSolution * s_.row_force(r), least = std::min(one.lambda[r], other.lambda[r]),
            most = std::max(one.lambda[r], other.lambda[r]);
    sides = sides || (p_.contacts[i].bilateral && has_choice(i) && most > clear && least < -clear);
  }
  return sides && !is_solution(mean, nullptr);
}

bool Sliding::all_the_same(const std::vector<Solution>& proved) const
{
  for (const Solution& x : proved)
    for (std::size_t j = 0; j < p_.n; ++j)
      if (abs(x.a[j] - proved[0].a[j]) > kSameSolution / 4 * scale(proved[0].a, j)) return false;
  for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
    if (!p_.contacts[i].bilateral || !has_choice(i)) continue;
    const Q small = kSameSolution / 4 * s_.row_force(p_.contacts[i].row);
    bool one_side = true, none = loosest_[i] <= small;
    for (const Solution& x : proved) {
      one_side = one_side && x.signs[i] == proved[0].signs[i];
      none = none && abs(x.lambda[p_.contacts[i].row]) + loosest_[i] <= small;
    }
    if (!one_side && !none) return false;
  }
  return true;
}

Refusal Sliding::judge(const Json& report)
{
  const Json& certificate = report.at("certificate");
  std::vector<std::vector<int>> settled;
  for (const Json& from : certificate.at("leaves")) {
    const Leaf leaf{from.at("signs").get<std::vector<int>>(), vector(from.at("motion")), {}};
    if (!fits(leaf.signs, false)) return "the signs of a leaf do not fit the contacts";
    Program m = mode(leaf.signs);
    if (leaf.y.size() != m.e.size() || !is_empty(m, leaf.y)) return "a mode is not shown to be impossible";
    settled.push_back(leaf.signs);
  }
  std::vector<Solution> proved;
  for (const Json& from : certificate.at("witnesses")) {
    const Solution x{from.at("signs").get<std::vector<int>>(), vector(from.at("a")), vector(from.at("lambda"))};
    if (!fits(x.signs, true)) return "the signs of a solution do not fit the contacts";
    if (!is_solution(x, nullptr)) return "a solution does not obey the laws";
    proved.push_back(x);
    if (is_solution(x, &x.signs) && settles(x)) settled.push_back(x.signs);
  }
  const bool complete = covers_every_sign(settled, p_.contacts.size());
  bool several = false;
  for (std::size_t i = 1; i < proved.size(); ++i)
    for (std::size_t k = 0; k < i && !several; ++k) several = differ(proved[k], proved[i]);
  const std::string count = report.at("count").get<std::string>();
  if (report.at("complete").get<bool>() && !complete) return "not every mode is settled";
  if ((report.at("verdict").get<std::string>() == "holds") == proved.empty())
    return "the solutions do not prove the verdict";
  if (count == "none" && !(complete && proved.empty())) return "that there is no solution is not proved";
  if (count == "several" && !several) return "that solutions differ is not proved";
  if (count == "one" && !(complete && !proved.empty() && all_the_same(proved)))
    return "that the solution is the only one is not proved";
  if (count == "at_least_one" && proved.empty()) return "no solution is shown";
  return "";
}

}  // namespace

Refusal judge_sliding_report(const Json& report) { return Sliding(report.at("certificate")).judge(report); }

}  // namespace stiction::exact
