#include "solve/closure_newton.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"

namespace stiction::internal {
namespace {

constexpr int kSteps = 7;                 // the few grasps that want more are as fast with an engine
constexpr int kPivotStep = 2;             // from here on a motion about contacts that stay is looked for
constexpr double kClearlyInside = 0.999;  // share of the friction that counts as clearly inside
constexpr double kRankDoubt = kRank;      // share of a pivot that elimination may leave
constexpr double kRidge = 1e-13;          // share of the trace that makes a singular Gram matrix solvable

double unit(const FrictionCone& cone, int k)
{
  return k == 0 ? cone.sign : k <= cone.tangents ? cone.mu : cone.torsion;
}

template <int rows>
using Square = Eigen::Matrix<double, rows, rows>;
template <int size>
using Vector = Eigen::Matrix<double, size, 1>;

/// r := H^-1 r by elimination in the lower half of H; returns r'H^-1 r, or -1 when H is singular.
template <int rows>
double solve(Square<rows>& H, Vector<rows>& r, double singular)
{
  const Vector<rows> diagonal = H.diagonal();
  double inverse[rows], product = 0.0;
  for (int k = 0; k < rows; ++k) {
    if (!(H(k, k) > singular * diagonal[k])) return -1.0;
    inverse[k] = 1.0 / H(k, k);
    for (int j = k + 1; j < rows; ++j) {
      const double factor = H(j, k) * inverse[k];
      for (int i = j; i < rows; ++i) H(i, j) -= H(i, k) * factor;
      r[j] -= r[k] * factor;
    }
    product += r[k] * r[k] * inverse[k];
  }
  for (int k = rows - 1; k >= 0; --k) {
    for (int j = rows - 1; j > k; --j) r[k] -= H(j, k) * r[j];
    r[k] *= inverse[k];
  }
  return product;
}

/// Whether h is inside the dual of the cone, in units of friction.
bool in_dual(const FrictionCone& cone, const double* h)
{
  double squares = 0.0;
  for (int k = 1; k <= cone.tangents; ++k) squares += h[k] * h[k];
  const double pull = h[0] - (cone.torsional ? std::abs(h[1 + cone.tangents]) : 0.0);
  return pull > 0.0 && squares <= pull * pull;
}

}  // namespace

ClosureNewton::End ClosureNewton::run(const Eigen::MatrixXd& G, const std::vector<ConeBlock>& cones)
{
  int width = 0;
  for (const ConeBlock& block : cones) width = std::max(width, block.cone.dim());
  if (G.rows() == 6) return width <= 3 ? run_sized<6, 3>(G, cones) : run_sized<6, 4>(G, cones);
  if (G.rows() == 3 && width <= 2) return run_sized<3, 2>(G, cones);
  return End::kOpen;
}

/// f = (z + sqrt(z² + 4)) / 2 in the algebra of the cone: on the two eigenvalues z_0 ± |z_t|.
template <int width>
void ClosureNewton::project_smoothly(Contact& c)
{
  double squares = 0.0;
  for (int k = 1; k < width; ++k) squares += c.z[k] * c.z[k];
  const double tangential = std::sqrt(squares), inverse = tangential > 0.0 ? 1.0 / tangential : 0.0;
  const Eigen::Array2d value(c.z[0] + tangential, c.z[0] - tangential);
  const Eigen::Array2d root = (value * value + 4.0).sqrt(), f = 0.5 * (value + root), slope = f / root;
  c.alpha = 0.5 * (slope[0] + slope[1]);
  c.beta = 0.5 * (slope[0] - slope[1]);
  c.tau = (f[0] + f[1]) / (root[0] + root[1]);
  c.f[0] = 0.5 * (f[0] + f[1]);
  const double sideways = 0.5 * (f[0] - f[1]);
  for (int k = 1; k < width; ++k) {
    c.w[k] = c.z[k] * inverse;
    c.f[k] = sideways * c.w[k];
  }
}

/// Two fingers often hold all but the rotation about the line through them. The twist is then not inside the duals: it
/// leaves these contacts at rest, and u approaches it forever. Their z stay behind, and the twist is the null vector of
/// their columns, here by inverse iteration.
template <int rows, int width>
bool ClosureNewton::pivots(const std::vector<ConeBlock>& cones, Vector<rows>& u)
{
  const auto size = [](const Contact& c) {
    double squares = 0.0;
    for (int k = 0; k < width; ++k) squares += c.z[k] * c.z[k];
    return squares;
  };
  double largest = 0.0;
  for (const Contact& c : contacts_) largest = std::max(largest, size(c));
  const auto rests = [&](const Contact& c) { return size(c) < 0.05 * largest; };
  Square<rows> gram = Square<rows>::Zero();
  for (Contact& c : contacts_)
    if (rests(c)) gram += c.columns<rows, width>().lazyProduct(c.columns<rows, width>().transpose());
  const double trace = gram.trace();
  if (trace == 0.0) return false;
  Vector<rows> t = u;
  for (int round = 0; round < 2; ++round) {
    Square<rows> H = gram;
    H.diagonal().array() += kRidge * trace;
    if (solve<rows>(H, t, 0.0) < 0.0) return false;
    t /= t.cwiseAbs().sum();
  }
  for (std::size_t i = 0; i < cones.size(); ++i) {
    const Vector<width> h = contacts_[i].columns<rows, width>().transpose() * t;
    if (rests(contacts_[i]) ? h.squaredNorm() > kRidge * kRidge * trace : !in_dual(cones[i].cone, h.data()))
      return false;
  }
  u = t;
  return true;
}

/// The first step, from u = 0: z = 0, f = (1, 0, 0), D = I / 2; both sides doubled.
template <int rows, int width>
void ClosureNewton::start(const Eigen::MatrixXd& G, const std::vector<ConeBlock>& cones, const Vector<rows>& row_unit,
                          Square<rows>& H, Vector<rows>& r)
{
  Square<rows> sum = Square<rows>::Zero();  // nobody else's, so that it stays in registers
  Vector<rows> right = Vector<rows>::Zero();
  for (std::size_t i = 0; i < cones.size(); ++i) {
    const FrictionCone& cone = cones[i].cone;
    Contact& c = contacts_[i];
    Eigen::Matrix<double, rows, width> A;
    for (int k = 0; k < width; ++k) {
      if (k < cone.dim())
        A.col(k) =
            unit(cone, k) * row_unit.cwiseProduct(Eigen::Map<const Vector<rows>>(G.data() + (cones[i].col + k) * rows));
      else
        A.col(k).setZero();
      c.z[k] = c.f[k] = c.w[k] = 0.0;
    }
    c.columns<rows, width>() = A;
    sum += A.lazyProduct(A.transpose());
    right += 2.0 * A.col(0);
    c.f[0] = 1.0;
    c.alpha = c.tau = 0.5;
    c.beta = 0.0;
  }
  H = sum;
  r = right;
}

/// z and f after a step du, with z gone `stride` times as far.
template <int rows, int width>
ClosureNewton::Reached ClosureNewton::move(const std::vector<ConeBlock>& cones, const Vector<rows>& du, double stride)
{
  Reached reached{true, true};
  for (std::size_t i = 0; i < cones.size(); ++i) {
    Contact& c = contacts_[i];
    const Vector<width> dz = -(c.columns<rows, width>().transpose() * du);
    double h[width], along = 0.0, squares = 0.0;
    for (int k = 0; k < width; ++k) {
      c.z[k] += stride * dz[k];
      h[k] = -c.z[k];
      if (k > 0) along += c.w[k] * dz[k];
    }
    // f becomes f + D dz
    c.f[0] += c.alpha * dz[0] + c.beta * along;
    for (int k = 1; k < width; ++k) {
      c.f[k] += c.tau * dz[k] + c.w[k] * (c.beta * dz[0] + (c.alpha - c.tau) * along);
      squares += c.f[k] * c.f[k];
    }
    const double room = kClearlyInside * c.f[0];
    reached.inside = reached.inside && room > 0.0 && squares < room * room;
    reached.dual = reached.dual && in_dual(cones[i].cone, h);
  }
  return reached;
}

/// f(u), and Newton's system there: H = G D G', r = G f.
template <int rows, int width>
void ClosureNewton::linearise(Square<rows>& H, Vector<rows>& r)
{
  Square<rows> sum = Square<rows>::Zero();
  Vector<rows> right = Vector<rows>::Zero();
  for (Contact& c : contacts_) {
    project_smoothly<width>(c);
    const Eigen::Matrix<double, rows, width> A = c.columns<rows, width>();
    Vector<rows> along = Vector<rows>::Zero();  // A w
    for (int k = 1; k < width; ++k) along += c.w[k] * A.col(k);
    const Vector<rows> bend = c.beta * A.col(0) + (c.alpha - c.tau) * along;
    Eigen::Matrix<double, rows, width> B;  // A D
    B.col(0) = c.alpha * A.col(0) + c.beta * along;
    for (int k = 1; k < width; ++k) B.col(k) = c.tau * A.col(k) + c.w[k] * bend;
    for (int k = 0; k < width; ++k) right += c.f[k] * A.col(k);
    sum += B.lazyProduct(A.transpose());
  }
  H = sum;
  r = right;
}

/// Every contact has `width` columns here, those that its cone lacks are zero: fixed loops are faster than short ones.
/// A cone with torsion is replaced by the round one inside it.
template <int rows, int width>
ClosureNewton::End ClosureNewton::run_sized(const Eigen::MatrixXd& G, const std::vector<ConeBlock>& cones)
{
  contacts_.resize(cones.size());
  forces_.setZero(G.cols());
  // Rows in units of powers of two: nothing below depends on the unit of length.
  Vector<rows> row_unit = Vector<rows>::Zero();
  for (const ConeBlock& block : cones)
    for (int k = 0; k < block.cone.dim(); ++k)
      row_unit = row_unit.cwiseMax(std::abs(unit(block.cone, k)) *
                                   Eigen::Map<const Vector<rows>>(G.data() + (block.col + k) * rows).cwiseAbs());
  for (int i = 0; i < rows; ++i) row_unit[i] = row_unit[i] > 0.0 ? std::ldexp(1.0, -std::ilogb(row_unit[i])) : 1.0;

  Vector<rows> r, u = Vector<rows>::Zero();
  Square<rows> H;
  start<rows, width>(G, cones, row_unit, H, r);
  for (int step = 0; step < kSteps; ++step) {
    const double decrement = solve<rows>(H, r, kRankDoubt);
    if (decrement < 0.0) break;
    // Far from a minimum u has a long way to go.
    const double stride = decrement > 1.0 ? 2.0 : 1.0;
    u += stride * r;
    const Reached reached = move<rows, width>(cones, r, stride);
    if (reached.inside) {
      for (std::size_t i = 0; i < cones.size(); ++i)
        for (int k = 0; k < cones[i].cone.dim(); ++k)
          forces_[cones[i].col + k] = unit(cones[i].cone, k) * contacts_[i].f[k];
      return End::kForces;
    }
    if (reached.dual || (step >= kPivotStep && pivots<rows, width>(cones, u))) {
      twist_ = row_unit.cwiseProduct(u);
      return End::kTwist;
    }
    linearise<rows, width>(H, r);
  }
  return End::kOpen;
}

}  // namespace stiction::internal
