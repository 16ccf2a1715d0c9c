#include "solve/closure_newton.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::internal {
namespace {

constexpr int kSteps = 7;             // the few grasps that want more are as fast with an engine
constexpr int kPivotStep = 2;         // from here on a motion about contacts that stay is looked for
constexpr double kInside = 0.999;     // share of the friction that counts as clearly inside
constexpr double kSingular = 1e-10;   // share of a pivot that elimination may leave

double unit(const FrictionCone& cone, int k)
{
  return k == 0 ? cone.sign : k <= cone.tangents ? cone.mu : cone.torsion;
}

/// H += A B', lower half by columns (and of every second column one entry above it, for the sake of vector registers).
template <int rows>
void add_product(const double* A, const double* B, double (&H)[rows][rows])
{
  for (int j = 0; j < rows; ++j)
    for (int i = j & ~1; i < rows; ++i) H[j][i] += A[j] * B[i];
}

/// r := H^-1 r by elimination, with H in its lower half; returns r'H^-1 r, or -1 when H is singular.
template <int rows>
double solve(double (&H)[rows][rows], double (&r)[rows], double singular)
{
  double diagonal[rows], inverse[rows], product = 0.0;
  for (int k = 0; k < rows; ++k) diagonal[k] = H[k][k];
  for (int k = 0; k < rows; ++k) {
    if (!(H[k][k] > singular * diagonal[k])) return -1.0;
    inverse[k] = 1.0 / H[k][k];
    for (int j = k + 1; j < rows; ++j) {
      const double factor = H[k][j] * inverse[k];
      for (int i = j; i < rows; ++i) H[j][i] -= H[k][i] * factor;
      r[j] -= r[k] * factor;
    }
    product += r[k] * r[k] * inverse[k];
  }
  for (int k = rows - 1; k >= 0; --k) {
    for (int j = rows - 1; j > k; --j) r[k] -= H[k][j] * r[j];
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
bool ClosureNewton::pivots(const std::vector<ConeBlock>& cones)
{
  const auto size = [](const Contact& c) {
    double squares = 0.0;
    for (int k = 0; k < width; ++k) squares += c.z[k] * c.z[k];
    return squares;
  };
  double largest = 0.0;
  for (const Contact& c : contacts_) largest = std::max(largest, size(c));
  const auto rests = [&](const Contact& c) { return size(c) < 0.05 * largest; };
  double gram[rows][rows] = {};
  for (const Contact& c : contacts_)
    for (int k = 0; k < width && rests(c); ++k) add_product(c.columns + k * rows, c.columns + k * rows, gram);
  double trace = 0.0;
  for (int i = 0; i < rows; ++i) trace += gram[i][i];
  if (trace == 0.0) return false;
  double t[rows];
  std::copy_n(twist_, rows, t);
  for (int round = 0; round < 2; ++round) {
    double H[rows][rows], norm = 0.0;
    std::copy_n(&gram[0][0], rows * rows, &H[0][0]);
    for (int i = 0; i < rows; ++i) H[i][i] += 1e-13 * trace;
    if (solve(H, t, 0.0) < 0.0) return false;
    for (const double entry : t) norm += std::abs(entry);
    for (double& entry : t) entry /= norm;
  }
  for (std::size_t i = 0; i < cones.size(); ++i) {
    const Contact& c = contacts_[i];
    double h[width] = {}, squares = 0.0;
    for (int k = 0; k < width; ++k) {
      for (int j = 0; j < rows; ++j) h[k] += c.columns[k * rows + j] * t[j];
      squares += h[k] * h[k];
    }
    if (rests(c) ? squares > 1e-26 * trace : !in_dual(cones[i].cone, h)) return false;
  }
  std::copy_n(t, rows, twist_);
  return true;
}

/// Every contact has `width` columns here, those that its cone lacks are zero: fixed loops are faster than short ones. A
/// cone with torsion is replaced by the round one inside it.
template <int rows, int width>
ClosureNewton::End ClosureNewton::run_sized(const Eigen::MatrixXd& G, const std::vector<ConeBlock>& cones)
{
  contacts_.resize(cones.size());
  double r[rows] = {}, H[rows][rows] = {};
  // The first step, from u = 0: z = 0, f = (1, 0, 0), D = I / 2.
  for (std::size_t i = 0; i < cones.size(); ++i) {
    const FrictionCone& cone = cones[i].cone;
    const double* from = G.data() + static_cast<Eigen::Index>(cones[i].col) * rows;
    Contact& c = contacts_[i];
    for (int k = 0; k < width; ++k) {
      double* column = c.columns + k * rows;
      const double scale = k < cone.dim() ? unit(cone, k) : 0.0;
      for (int j = 0; j < rows; ++j) column[j] = k < cone.dim() ? scale * from[k * rows + j] : 0.0;
      add_product(column, column, H);
      c.z[k] = c.f[k] = c.w[k] = 0.0;
    }
    for (int j = 0; j < rows; ++j) r[j] += 2.0 * c.columns[j];
    c.f[0] = 1.0;
    c.alpha = c.tau = 0.5;
    c.beta = 0.0;
  }

  std::fill_n(twist_, rows, 0.0);
  for (int step = 0; step < kSteps; ++step) {
    const double decrement = solve(H, r, kSingular);
    if (decrement < 0.0) break;
    // Far from a minimum u has a long way to go.
    const double stride = decrement > 1.0 ? 2.0 : 1.0;
    for (int j = 0; j < rows; ++j) twist_[j] += stride * r[j];
    bool inside = true, dual = true;
    for (std::size_t i = 0; i < cones.size(); ++i) {
      Contact& c = contacts_[i];
      double dz[width] = {}, h[width], along = 0.0, squares = 0.0;
      for (int k = 0; k < width; ++k) {
        for (int j = 0; j < rows; ++j) dz[k] -= c.columns[k * rows + j] * r[j];
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
      const double room = kInside * c.f[0];
      inside = inside && room > 0.0 && squares < room * room;
      dual = dual && in_dual(cones[i].cone, h);
    }
    if (inside) {
      forces_.setZero(G.cols());
      for (std::size_t i = 0; i < cones.size(); ++i)
        for (int k = 0; k < cones[i].cone.dim(); ++k)
          forces_[cones[i].col + k] = unit(cones[i].cone, k) * contacts_[i].f[k];
      return End::kForces;
    }
    if (dual || (step >= kPivotStep && pivots<rows, width>(cones))) return End::kTwist;

    for (int j = 0; j < rows; ++j) {
      r[j] = 0.0;
      for (int k = 0; k < rows; ++k) H[j][k] = 0.0;
    }
    for (Contact& c : contacts_) {
      project_smoothly<width>(c);
      const double* A = c.columns;
      double B[width][rows], v[rows] = {};   // A D, A w
      for (int k = 0; k < width; ++k)
        for (int j = 0; j < rows; ++j) {
          r[j] += A[k * rows + j] * c.f[k];
          if (k > 0) v[j] += A[k * rows + j] * c.w[k];
        }
      for (int j = 0; j < rows; ++j) {
        B[0][j] = c.alpha * A[j] + c.beta * v[j];
        v[j] = c.beta * A[j] + (c.alpha - c.tau) * v[j];
      }
      for (int k = 1; k < width; ++k)
        for (int j = 0; j < rows; ++j) B[k][j] = c.tau * A[k * rows + j] + c.w[k] * v[j];
      for (int k = 0; k < width; ++k) add_product(A + k * rows, B[k], H);
    }
  }
  return End::kOpen;
}

}  // namespace stiction::internal
