#include "solve/closure_newton.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::internal {
namespace {

constexpr int kSteps = 8;             // the few grasps that want more are as fast with an engine
constexpr double kInside = 0.999;     // share of the friction that counts as clearly inside
constexpr double kSingular = 1e-10;   // share of a pivot that elimination may leave

double unit(const FrictionCone& cone, int k)
{
  return k == 0 ? cone.sign : k <= cone.tangents ? cone.mu : cone.torsion;
}

/// A contact, in units of friction: z, f and D = [alpha, beta w'; beta w, tau I + (alpha - tau) w w'].
template <int width>
struct State {
  double z[width];
  double f[width];
  double w[width];   // direction of the tangential part of z, from entry 1
  double alpha, beta, tau;
};

/// f = (z + sqrt(z² + 4)) / 2 in the algebra of the cone: on its two eigenvalues z_0 ± |z_t|.
template <int width>
void smooth_projection(State<width>& s)
{
  double squares = 0.0;
  for (int k = 1; k < width; ++k) squares += s.z[k] * s.z[k];
  const double tangential = std::sqrt(squares), inverse = tangential > 0.0 ? 1.0 / tangential : 0.0;
  const Eigen::Array2d value(s.z[0] + tangential, s.z[0] - tangential);
  const Eigen::Array2d root = (value * value + 4.0).sqrt(), f = 0.5 * (value + root), slope = f / root;
  s.alpha = 0.5 * (slope[0] + slope[1]);
  s.beta = 0.5 * (slope[0] - slope[1]);
  s.tau = (f[0] + f[1]) / (root[0] + root[1]);
  s.f[0] = 0.5 * (f[0] + f[1]);
  const double sideways = 0.5 * (f[0] - f[1]);
  for (int k = 1; k < width; ++k) {
    s.w[k] = s.z[k] * inverse;
    s.f[k] = sideways * s.w[k];
  }
}

/// Solves H d = r by elimination, H in its lower half; false when H is singular to rounding.
template <int rows>
bool solve(double (&H)[rows][rows], double (&r)[rows])
{
  double diagonal[rows], inverse[rows];
  for (int k = 0; k < rows; ++k) diagonal[k] = H[k][k];
  for (int k = 0; k < rows; ++k) {
    if (!(H[k][k] > kSingular * diagonal[k])) return false;
    inverse[k] = 1.0 / H[k][k];
    for (int j = k + 1; j < rows; ++j) {
      const double factor = H[k][j] * inverse[k];
      for (int i = j; i < rows; ++i) H[j][i] -= H[k][i] * factor;
      r[j] -= r[k] * factor;
    }
  }
  for (int k = rows - 1; k >= 0; --k) {
    for (int j = rows - 1; j > k; --j) r[k] -= H[k][j] * r[j];
    r[k] *= inverse[k];
  }
  return true;
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

/// Every contact has `width` columns here, those that its cone lacks are zero: fixed loops are faster than short ones. A
/// cone with torsion is replaced by the round one inside it.
template <int rows, int width>
ClosureNewton::End ClosureNewton::run_sized(const Eigen::MatrixXd& G, const std::vector<ConeBlock>& cones)
{
  using Columns = double[width][rows];
  constexpr std::size_t kState = sizeof(State<width>) / sizeof(double);
  columns_.resize(cones.size() * width * rows);
  states_.resize(cones.size() * kState);
  auto* const columns = reinterpret_cast<Columns*>(columns_.data());
  auto* const states = reinterpret_cast<State<width>*>(states_.data());
  double r[rows] = {}, H[rows][rows] = {};
  // The first step, from u = 0: z = 0, f = (1, 0, 0), D = I / 2.
  for (std::size_t c = 0; c < cones.size(); ++c) {
    const FrictionCone& cone = cones[c].cone;
    const double* from = G.data() + static_cast<Eigen::Index>(cones[c].col) * rows;
    double(&A)[width][rows] = columns[c];
    for (int k = 0; k < width; ++k) {
      const double scale = k < cone.dim() ? unit(cone, k) : 0.0;
      if (k < cone.dim())
        for (int i = 0; i < rows; ++i) A[k][i] = scale * from[k * rows + i];
      else
        for (int i = 0; i < rows; ++i) A[k][i] = 0.0;
      for (int j = 0; j < rows; ++j)
        for (int i = j & ~1; i < rows; ++i) H[j][i] += 0.5 * A[k][j] * A[k][i];
    }
    for (int i = 0; i < rows; ++i) r[i] += A[0][i];
    State<width>& s = states[c];
    s = {};
    s.f[0] = 1.0;
    s.alpha = s.tau = 0.5;
  }

  double u[rows] = {};
  for (int step = 0; solve(H, r); ++step) {
    for (int i = 0; i < rows; ++i) u[i] += r[i];
    bool inside = true, dual = true;
    for (std::size_t c = 0; c < cones.size(); ++c) {
      State<width>& s = states[c];
      const FrictionCone& cone = cones[c].cone;
      double dz[width], along = 0.0;
      for (int k = 0; k < width; ++k) {
        dz[k] = 0.0;
        for (int i = 0; i < rows; ++i) dz[k] -= columns[c][k][i] * r[i];
        s.z[k] += dz[k];
        if (k > 0) along += s.w[k] * dz[k];
      }
      // f becomes f + D dz
      double f2 = 0.0, z2 = 0.0;
      s.f[0] += s.alpha * dz[0] + s.beta * along;
      for (int k = 1; k < width; ++k) {
        s.f[k] += s.tau * dz[k] + s.w[k] * (s.beta * dz[0] + (s.alpha - s.tau) * along);
        f2 += s.f[k] * s.f[k];
        if (k <= cone.tangents) z2 += s.z[k] * s.z[k];
      }
      const double room = kInside * s.f[0];
      inside = inside && room > 0.0 && f2 < room * room;
      const double pull = -s.z[0] - (cone.torsional ? std::abs(s.z[1 + cone.tangents]) : 0.0);
      dual = dual && pull > 0.0 && z2 <= pull * pull;
    }
    if (inside) {
      forces_.setZero(G.cols());
      for (std::size_t c = 0; c < cones.size(); ++c)
        for (int k = 0; k < cones[c].cone.dim(); ++k) forces_[cones[c].col + k] = unit(cones[c].cone, k) * states[c].f[k];
      return End::kForces;
    }
    if (dual) {
      std::copy_n(u, rows, twist_);
      return End::kTwist;
    }
    if (step + 1 == kSteps) break;

    for (int j = 0; j < rows; ++j) {
      r[j] = 0.0;
      for (int i = 0; i < rows; ++i) H[j][i] = 0.0;
    }
    for (std::size_t c = 0; c < cones.size(); ++c) {
      State<width>& s = states[c];
      smooth_projection(s);
      const double(&A)[width][rows] = columns[c];
      double B[width][rows], v[rows] = {};   // A D, A w
      for (int k = 0; k < width; ++k)
        for (int i = 0; i < rows; ++i) {
          r[i] += A[k][i] * s.f[k];
          if (k > 0) v[i] += A[k][i] * s.w[k];
        }
      for (int i = 0; i < rows; ++i) {
        B[0][i] = s.alpha * A[0][i] + s.beta * v[i];
        v[i] = s.beta * A[0][i] + (s.alpha - s.tau) * v[i];
      }
      for (int k = 1; k < width; ++k)
        for (int i = 0; i < rows; ++i) B[k][i] = s.tau * A[k][i] + s.w[k] * v[i];
      for (int k = 0; k < width; ++k)
        for (int j = 0; j < rows; ++j)
          for (int i = j & ~1; i < rows; ++i) H[j][i] += A[k][j] * B[k][i];
    }
  }
  return End::kOpen;
}

}  // namespace stiction::internal
