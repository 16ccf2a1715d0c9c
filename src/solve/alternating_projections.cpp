#include "solve/alternating_projections.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::internal {
namespace {

constexpr int kAlternations = 5;
constexpr double kRoom = 1e-3;   // slack, in units of the move, that counts as clear

/// Nearest point of the cone |s| <= n to (n, s), s with `count` entries.
void project(double* f, int count)
{
  double norm2 = 0.0;
  for (int k = 1; k <= count; ++k) norm2 += f[k] * f[k];
  const double norm = std::sqrt(norm2);
  if (norm <= f[0]) return;
  const double normal = std::max(0.0, 0.5 * (f[0] + norm));
  const double share = norm > 0.0 ? normal / norm : 0.0;
  f[0] = normal;
  for (int k = 1; k <= count; ++k) f[k] *= share;
}

}  // namespace

AlternatingProjections::End AlternatingProjections::run(const ConeProgram& program)
{
  if (!program.free.empty()) return End::kOpen;
  switch (program.E.rows()) {
    case 3: return run_rows<3>(program);
    case 6: return run_rows<6>(program);
    default: return End::kOpen;
  }
}

template <int m>
AlternatingProjections::End AlternatingProjections::run_rows(const ConeProgram& program)
{
  const int n = static_cast<int>(program.E.cols());
  // Tangents in units of mu, torsion in units of its coefficient: every cone is |s| <= n, or inside it with torsion.
  f_.assign(n, 0.0);
  scale_.assign(n, 0.0);
  columns_.resize(static_cast<size_t>(n) * m);
  for (const ConeBlock& block : program.cones)
    for (int k = 0; k < block.cone.dim(); ++k)
      scale_[block.col + k] = k == 0 ? 1.0 : k <= block.cone.tangents ? block.cone.mu : block.cone.torsion;
  double row[6] = {};
  const double* E = program.E.data();
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) row[i] = std::max(row[i], scale_[j] * std::abs(E[j * m + i]));
  for (int i = 0; i < m; ++i) {
    if (row[i] == 0.0) return End::kOpen;
    row[i] = 1.0 / row[i];
  }
  std::fill_n(gram_, 36, 0.0);
  for (int j = 0; j < n; ++j) {
    double* column = columns_.data() + static_cast<size_t>(j) * m;
    for (int i = 0; i < m; ++i) column[i] = E[j * m + i] * scale_[j] * row[i];
    if (scale_[j] == 0.0) continue;
    for (int k = 0; k < m; ++k)
      for (int i = 0; i < m; ++i) gram_[6 * k + i] += column[i] * column[k];   // the lower half is read
  }
  // L L' = G G', in place.
  double inverse[m];   // of the diagonal of L
  for (int k = 0; k < m; ++k) {
    const double before = gram_[6 * k + k];
    for (int j = 0; j < k; ++j) gram_[6 * k + k] -= gram_[6 * j + k] * gram_[6 * j + k];
    if (!(gram_[6 * k + k] > 1e-10 * before)) return End::kOpen;   // rank is in doubt: not clear
    gram_[6 * k + k] = std::sqrt(gram_[6 * k + k]);
    inverse[k] = 1.0 / gram_[6 * k + k];
    for (int i = k + 1; i < m; ++i) {
      for (int j = 0; j < k; ++j) gram_[6 * k + i] -= gram_[6 * j + i] * gram_[6 * j + k];
      gram_[6 * k + i] *= inverse[k];
    }
  }

  for (const ConeBlock& block : program.cones) f_[block.col] = 1.0;
  for (int round = 0; round < kAlternations; ++round) {
    // u = (G G')^-1 G f, f := f - G'u
    double u[m] = {};
    const double* columns = columns_.data();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) u[i] += columns[j * m + i] * f_[j];
    for (int k = 0; k < m; ++k) {
      u[k] *= inverse[k];
      for (int i = k + 1; i < m; ++i) u[i] -= gram_[6 * k + i] * u[k];
    }
    for (int k = m - 1; k >= 0; --k) {
      for (int i = k + 1; i < m; ++i) u[k] -= gram_[6 * k + i] * u[i];
      u[k] *= inverse[k];
    }
    bool dual = true, inside = true;
    for (const ConeBlock& block : program.cones) {
      const int dim = block.cone.dim();
      double h[4];
      for (int k = 0; k < dim; ++k) {
        const double* column = columns + (block.col + k) * m;
        h[k] = 0.0;
        for (int i = 0; i < m; ++i) h[k] += column[i] * u[i];
        f_[block.col + k] -= h[k];
      }
      const double* f = f_.data() + block.col;
      double f2 = 0.0, h2 = 0.0;
      for (int k = 1; k <= block.cone.tangents; ++k) {
        f2 += f[k] * f[k];
        h2 += h[k] * h[k];
      }
      const double torsion = block.cone.torsional ? h[dim - 1] : 0.0, moment = block.cone.torsional ? f[dim - 1] : 0.0;
      const double room = f[0] - kRoom;
      inside = inside && room > 0.0 && f2 < room * room && std::abs(moment) < room;
      const double pull = h[0] - std::abs(torsion);
      dual = dual && pull > 0.0 && h2 <= pull * pull;
    }
    if (inside) {
      for (int j = 0; j < n; ++j) f_[j] *= scale_[j];
      return End::kForces;
    }
    if (dual) {
      for (int i = 0; i < m; ++i) u_[i] = u[i] * row[i];
      return End::kTwist;
    }
    for (const ConeBlock& block : program.cones) {
      double* f = f_.data() + block.col;
      f[0] -= 1.0;
      project(f, block.cone.dim() - 1);
      f[0] += 1.0;
    }
  }
  return End::kOpen;
}

}  // namespace stiction::internal
