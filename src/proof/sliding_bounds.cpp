#include "proof/sliding_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "proof/sums.hpp"

namespace stiction::internal {
namespace {

constexpr double kRoundedUp = 1.0 + 0x1p-50;      // of a square root, or of the product with one
constexpr double kSumsRoundedUp = 1.0 + 0x1p-40;  // of sums over the entries of a matrix in long double

/// y'E_j with its error: what the exact column could give at most is value + error.
struct Product {
  long double value = 0.0L, error = 0.0L;

  Product(const Sum& sum, Eigen::Index terms) : value(sum.value), error(rounding_of_sum(terms) * sum.scale) {}
  Product(const Eigen::MatrixXd& E, const Eigen::VectorXd& y, Eigen::Index col) : Product(column(E, y, col), y.size())
  {
  }

  long double most() const { return value + error; }
  long double either() const { return std::abs(value) + error; }

 private:
  static Sum column(const Eigen::MatrixXd& E, const Eigen::VectorXd& y, Eigen::Index col)
  {
    Sum sum;
    const double* entries = E.data() + col * E.rows();
    for (Eigen::Index i = 0; i < y.size(); ++i)
      if (y[i] != 0.0) sum.add(entries[i], y[i]);
    return sum;
  }
};

/// The same for a force that slides, from the rows of J: the program's column J_n - mu d J_t is rounded to double.
Product sliding_product(const ContactProblem& p, const Contact& c, const Eigen::Vector2d& d, double sign,
                        const Eigen::VectorXd& y)
{
  Sum sum;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    if (y[j] == 0.0) continue;
    sum.add(-sign * p.J(c.row, j), y[j]);
    for (int k = 0; k < c.tangents; ++k) sum.add(static_cast<long double>(c.mu) * d[k] * p.J(c.row + 1 + k, j), y[j]);
  }
  return {sum, 3 * p.nv()};
}

/// sup of h'f over the forces of a cone with f_n <= bound, |f_t| <= bound.
long double cone_supply(const FrictionCone& cone, const ConeProgram& program, const Eigen::VectorXd& y, int col,
                        double bound)
{
  long double pushing = 0.0L, sideways = 0.0L, torsion = 0.0L;
  for (int k = 0; k < cone.dim(); ++k) {
    const Product h(program.E, y, col + k);
    if (k == 0)
      pushing = cone.sign * h.value + h.error;
    else if (k <= cone.tangents)
      sideways = cone.tangents == 1 ? h.either() : std::sqrt(sideways * sideways + h.either() * h.either());
    else
      torsion = cone.torsion * h.either();
  }
  // Up to the normal force whose friction reaches the bound, then without more of it.
  const double all = cone.mu > 1.0 ? bound / cone.mu : bound;
  const long double steep = pushing + torsion + cone.mu * sideways * kRoundedUp, flat = pushing + torsion;
  return steep > 0.0L ? all * steep + (bound - all) * std::max(flat, 0.0L) : 0.0L;
}

double power_of_two(double size) { return size > 0.0 ? std::ldexp(1.0, -std::ilogb(size) / 2) : 1.0; }

}  // namespace

void SlidingBounds::measure(const ContactProblem& p)
{
  scales.measure(p);
  scales.measure_forces(p);
  scales.measure_accelerations(p);
  const Eigen::Index n = p.nv(), m = p.rows();
  most_a = scales.acceleration;
  usual_a.resize(n);
  balance.resize(n);
  most_force.resize(m);
  still.resize(m);
  most_row.resize(m);
  for (Eigen::Index j = 0; j < n; ++j)
    usual_a[j] = most_a[j] / (p.M(j, j) > 0.0 ? kAccelerations : kMasslessAccelerations);
  for (Eigen::Index j = 0; j < n; ++j)
    balance[j] = kModeTolerance * (std::abs(p.F[j]) + p.M.row(j).cwiseAbs().dot(usual_a) + scales.load_reach(p, j));
  for (Eigen::Index i = 0; i < m; ++i) {
    most_force[i] = scales.weight[i] > 0.0 ? kMovingForces * scales.row_force(i) : kInfinity;
    still[i] = kModeTolerance * (std::abs(p.gamma[i]) + p.J.row(i).cwiseAbs().dot(usual_a));
    most_row[i] = 1.0001 * (std::abs(p.gamma[i]) + p.J.row(i).cwiseAbs().dot(most_a));
  }
}

double SlidingBounds::scale(const Eigen::VectorXd& a, Eigen::Index j) const
{
  double faster = 0.0;
  for (Eigen::Index k = 0; k < a.size(); ++k)
    if (usual_a[k] > 0.0 && scales.part[static_cast<std::size_t>(k)] == scales.part[static_cast<std::size_t>(j)])
      faster = std::max(faster, std::abs(a[k]) / usual_a[k]);
  return usual_a[j] * (1.0 + faster);
}

void SlidingMode::set(const std::vector<int>& signs)
{
  write_sliding_program(p_, slips_, signs, program_, columns_);
  write_bounds();
}

void SlidingMode::write_bounds()
{
  const Eigen::Index nv = p_.nv();
  tolerance_.resize(program_.E.rows());
  most_.setZero(program_.E.cols());
  tightened_ = false;
  slides_.assign(static_cast<std::size_t>(program_.E.cols()), -1);
  directions_.resize(p_.contacts.size());
  tolerance_.head(nv) = bounds_.balance;
  most_.head(nv) = bounds_.most_a;
  Eigen::Index row = nv;
  const auto finite = [](double bound) { return std::isinf(bound) ? 0.0 : bound; };  // such columns are zero
  for (std::size_t i = 0; i < p_.contacts.size(); ++i) {
    const Contact& c = p_.contacts[i];
    const bool held = sticks(c, slips_[i]);
    const double most = finite(held ? bounds_.most_force[c.row] : bounds_.most_sliding(c));
    for (int k = 0; k < (held ? c.rows() : 1); ++k) tolerance_[row++] = bounds_.still[c.row + k];
    directions_[i] = slips_[i] ? slips_[i]->normalized() : Eigen::Vector2d::Zero();
    for (const int column : {columns_.push[i], columns_.pull[i]}) {
      if (column < 0) continue;
      most_[column] = most;
      if (slips_[i] && has_choice(c, slips_[i])) slides_[static_cast<std::size_t>(column)] = static_cast<int>(i);
      if (!held || !has_choice(c, slips_[i])) continue;
      for (int k = 1; k <= c.tangents; ++k) most_[column + k] = std::min(1.0, c.mu) * most;
      if (c.torsional) most_[column + 1 + c.tangents] = c.torsion * most;
    }
    if (columns_.separation[i] >= 0) most_[columns_.separation[i]] = bounds_.most_row[c.row];
  }
  for (std::size_t i = 0; i < p_.loops.size(); ++i)
    for (int k = 0; k < p_.loops[i].rows; ++k) {
      tolerance_[row++] = bounds_.still[p_.loops[i].row + k];
      most_[columns_.closure[i] + k] = finite(bounds_.most_force[p_.loops[i].row + k]);
    }
}

bool SlidingMode::is_empty(const Eigen::VectorXd& y, std::string* why)
{
  if (y.size() != program_.E.rows() || !all_finite(y))
    return refuse(why, [] { return std::string("its vector has the wrong size or is not finite"); });
  if (separates(y, why)) return true;
  clean_ = y;
  if (drop_noise(program_.E, clean_) && separates(clean_, nullptr)) return true;
  return tighten() && separates(y, nullptr);
}

bool SlidingMode::separates(const Eigen::VectorXd& y, std::string* why) const
{
  Sum gain;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    gain.add(y[i], program_.e[i]);
    gain.add(-std::abs(static_cast<long double>(y[i])), tolerance_[i]);
  }
  if (!(gain.value > 0.0L)) return refuse(why, [] { return std::string("nothing contradicts the laws"); });
  for (const int col : program_.free) gain.add(-Product(program_.E, y, col).either(), most_[col]);
  for (const BoxVariable& box : program_.boxes) {
    const int i = slides_[static_cast<std::size_t>(box.col)];
    const Product h =
        i < 0 ? Product(program_.E, y, box.col)
              : sliding_product(p_, p_.contacts[static_cast<std::size_t>(i)], directions_[static_cast<std::size_t>(i)],
                                columns_.pull[static_cast<std::size_t>(i)] == box.col ? -1.0 : 1.0, y);
    gain.add(-std::max(h.most(), 0.0L), most_[box.col]);
  }
  for (const ConeBlock& block : program_.cones)
    gain.add(-cone_supply(block.cone, program_, y, block.col, most_[block.col]));
  const Eigen::Index terms = 2 * y.size() + most_.size();
  return gain.value > rounding_of_sum(terms) * gain.scale ||
         refuse(why, [] { return std::string("what contradicts the laws is within their tolerances"); });
}

/// Bounds of L and of I - L E in units of the columns and rows, for an L near a pseudo-inverse of E.
struct SlidingMode::Inverse {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Eigen::VectorXd rows, cols;  // units: powers of two
  Long L, left;                // absolute values

  /// `exact`: E without rounding of its columns to double.
  Inverse(const Eigen::MatrixXd& E, Long exact);

  /// |x| for x with |E x| <= image and |x| <= most: |x| <= |L| |E x| + |I - L E| |x|.
  Eigen::VectorXd bound(const Eigen::VectorXd& image, const Eigen::VectorXd& most) const;
};

SlidingMode::Inverse::Inverse(const Eigen::MatrixXd& E, Long exact)
    : rows(Eigen::VectorXd::Ones(E.rows())), cols(Eigen::VectorXd::Ones(E.cols()))
{
  Eigen::MatrixXd S = E;
  for (int sweep = 0; sweep < 4; ++sweep) {
    for (Eigen::Index i = 0; i < S.rows(); ++i) {
      const double by = power_of_two(S.row(i).cwiseAbs().maxCoeff());
      rows[i] *= by;
      S.row(i) *= by;
    }
    for (Eigen::Index j = 0; j < S.cols(); ++j) {
      const double by = power_of_two(S.col(j).cwiseAbs().maxCoeff());
      cols[j] *= by;
      S.col(j) *= by;
    }
  }
  // One step of Newton's method: the better L, the smaller I - L E, and any L will do.
  for (Eigen::Index j = 0; j < E.cols(); ++j)
    for (Eigen::Index i = 0; i < E.rows(); ++i) exact(i, j) *= rows[i] * cols[j];
  const Long &A = exact, ones = Long::Identity(S.cols(), S.cols());
  const Long X = LeastNorm(S, kDependent).solve(Eigen::MatrixXd::Identity(S.rows(), S.rows())).cast<long double>();
  const Long correction = 2.0L * Long::Identity(S.rows(), S.rows()) - A * X;
  const Long inverse = X * correction;
  L = inverse.cwiseAbs();
  left = (ones - inverse * A).cwiseAbs() + rounding_of_sum(S.rows() + 8) * (L * A.cwiseAbs() + ones);
}

Eigen::VectorXd SlidingMode::Inverse::bound(const Eigen::VectorXd& image, const Eigen::VectorXd& most) const
{
  constexpr int kContractions = 4;
  const Long missed = L * image.cwiseProduct(rows).cast<long double>();
  Long size = most.cwiseQuotient(cols).cast<long double>();
  for (int round = 0; round < kContractions; ++round)
    size = size.cwiseMin(kSumsRoundedUp * (missed + left * size)).eval();
  return size.cast<double>().cwiseProduct(cols) * kRoundedUp;
}

SlidingMode::Inverse SlidingMode::inverse() const
{
  Inverse::Long exact = program_.E.cast<long double>();
  for (std::size_t col = 0; col < slides_.size(); ++col) {
    if (slides_[col] < 0) continue;
    const auto i = static_cast<std::size_t>(slides_[col]);
    const Contact& c = p_.contacts[i];
    const long double sign = columns_.pull[i] == static_cast<int>(col) ? -1.0L : 1.0L, mu = c.mu;
    for (Eigen::Index j = 0; j < p_.nv(); ++j) {
      long double& entry = exact(j, static_cast<Eigen::Index>(col));
      entry = -sign * p_.J(c.row, j);
      for (int k = 0; k < c.tangents; ++k) entry += mu * directions_[i][k] * p_.J(c.row + 1 + k, j);
    }
  }
  return {program_.E, std::move(exact)};
}

void SlidingMode::spread(Eigen::VectorXd& apart) const
{
  apart = 2.0 * most_;
  if (program_.E.size() == 0) return;
  // Both solutions miss e by the tolerance at most.
  apart = inverse().bound(2.0 * tolerance_, apart);
}

bool SlidingMode::tighten()
{
  if (tightened_ || program_.E.size() == 0) return false;
  tightened_ = true;
  most_ = inverse().bound(program_.e.cwiseAbs() + tolerance_, most_);
  return true;
}

}  // namespace stiction::internal
