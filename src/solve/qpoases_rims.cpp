#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/answer_check.hpp"
#include "solve/qpoases_decider.hpp"

namespace stiction::internal {
namespace {

constexpr double kOnRim = 0.99;   // share of the friction budget from which a force is tried on the rim
constexpr int kNewtonSteps = 6;

}  // namespace

/// On a round cone new rays only halve the distance to the best one. Near it Newton's method on the normal forces and
/// the angles along the rims does better, with its curvature; the direction only has to be orthogonal to the best
/// rays.
bool QpoasesDecider::try_tangents(ConeAnswer& answer)
{
  struct Rim {   // a force on the rim: normal (1, mu cos angle, mu sin angle, twist)
    std::size_t cone;
    double normal, angle, twist;
  };
  std::vector<Rim> rims;
  std::vector<Column> linear;   // everything else that moves: single entries of x, or rays of a polyhedral cone
  std::vector<char> seen(program_.cones.size(), 0);
  Eigen::VectorXd x = answer.x;
  for (const int j : squares_.passive()) {
    const Column& column = columns_[static_cast<std::size_t>(j)];
    const bool round = column.cone >= 0 && !is_polyhedral(program_.cones[static_cast<std::size_t>(column.cone)].cone);
    if (!round) {
      linear.push_back(column);
      continue;
    }
    const auto i = static_cast<std::size_t>(column.cone);
    if (seen[i]) continue;
    seen[i] = 1;
    const ConeBlock& block = program_.cones[i];
    const double* f = x.data() + block.col;
    const double normal = std::abs(f[0]);
    if (normal == 0.0) continue;
    Column entry;
    double twist = block.cone.torsional ? f[3] / normal : 0.0;
    if (block.cone.torsional && std::abs(twist) < kOnRim * block.cone.torsion) {
      entry.col = block.col + 3;   // within the torsion bound: the moment moves by itself
      linear.push_back(entry);
      twist = 0.0;
    } else {
      twist = std::copysign(block.cone.torsion, twist);
    }
    if (std::hypot(f[1], f[2]) < kOnRim * block.cone.mu * normal) {
      for (int d = 1; d <= 2; ++d) {   // within the disk: so do the tangential forces
        entry.col = block.col + d;
        linear.push_back(entry);
      }
      entry.col = block.col;
      entry.dim = block.cone.dim();
      entry.ray = {block.cone.sign, 0.0, 0.0, twist};
      linear.push_back(entry);
      continue;
    }
    rims.push_back({i, normal, std::atan2(f[2], f[1]), twist});
  }
  if (rims.empty()) return false;

  const auto at_end = [&](const Rim& rim) {
    const FrictionCone& cone = program_.cones[rim.cone].cone;
    return cone.torsional && rim.twist != 0.0;
  };
  const auto put = [&](const Rim& rim) {
    const ConeBlock& block = program_.cones[rim.cone];
    double* f = x.data() + block.col;
    const double budget = block.cone.mu * rim.normal;
    f[0] = block.cone.sign * rim.normal;
    f[1] = budget * std::cos(rim.angle);
    f[2] = budget * std::sin(rim.angle);
    if (at_end(rim)) f[3] = rim.twist * rim.normal;
  };
  for (const Rim& rim : rims) put(rim);
  const auto m = row_scale_.size();
  const auto fixed = static_cast<Eigen::Index>(linear.size()), rim_count = static_cast<Eigen::Index>(rims.size());
  Eigen::MatrixXd moves(m, fixed + 2 * rim_count);   // unit columns: linear, then ray and tangent of each rim
  Eigen::VectorXd norms = Eigen::VectorXd::Ones(moves.cols());
  const auto set = [&](Eigen::Index c, const auto& column) {
    moves.col(c) = row_scale_.cwiseProduct(column);
    norms[c] = moves.col(c).norm();
    if (norms[c] > 0.0) moves.col(c) /= norms[c];
  };
  const auto set_ray = [&](Eigen::Index c, const Rim& rim, double cosine, double sine) {
    const ConeBlock& block = program_.cones[rim.cone];
    const auto E = program_.E.middleCols(block.col, block.cone.dim());
    Eigen::VectorXd column = E.col(0) * block.cone.sign + (E.col(1) * cosine + E.col(2) * sine) * block.cone.mu;
    if (at_end(rim)) column += E.col(3) * rim.twist;
    set(c, column);
  };
  for (std::size_t k = 0; k < linear.size(); ++k) {
    const Eigen::Map<const Eigen::VectorXd> ray(linear[k].ray.data(), linear[k].dim);
    set(static_cast<Eigen::Index>(k), program_.E.middleCols(linear[k].col, linear[k].dim) * ray);
  }
  const auto solve_free = [&](const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
    tangents_.A = A;
    tangents_.b = b;
    tangents_.z.setZero(A.cols());
    tangents_.lower.setConstant(A.cols(), -std::numeric_limits<double>::infinity());
    tangents_.upper.setConstant(A.cols(), std::numeric_limits<double>::infinity());
    tangents_.place.assign(static_cast<std::size_t>(A.cols()), Place::kPassive);
    tangents_.solve(static_cast<int>(A.cols()));
  };

  for (int step = 0; step < kNewtonSteps; ++step) {
    const Eigen::Vector<long double, Eigen::Dynamic> miss =
        program_.e.cast<long double>() - program_.E.cast<long double>() * x.cast<long double>();
    const Eigen::VectorXd residual = miss.cast<double>().cwiseProduct(row_scale_) / scale_;

    // The separating direction: orthogonal to the rays that are best against itself.
    Eigen::VectorXd direction = residual;
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd h = program_.E.transpose() * direction.cwiseProduct(row_scale_);
      for (Eigen::Index k = 0; k < rim_count; ++k) {
        const Rim& rim = rims[static_cast<std::size_t>(k)];
        const double* t = h.data() + program_.cones[rim.cone].col + 1;
        const double length = std::hypot(t[0], t[1]);
        if (length > 0.0) set_ray(fixed + k, rim, t[0] / length, t[1] / length);
        else set_ray(fixed + k, rim, std::cos(rim.angle), std::sin(rim.angle));
      }
      solve_free(moves.leftCols(fixed + rim_count), residual);
      direction = tangents_.direction;
    }
    if (try_separation(direction, answer)) {
      answer.outcome = Outcome::kInfeasible;
      return true;
    }

    // Newton's step for min ½|residual|² over the normal forces, the angles and the linear variables.
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m + rim_count, moves.cols());
    Eigen::VectorXd b = Eigen::VectorXd::Zero(m + rim_count);
    b.head(m) = residual;
    for (Eigen::Index k = 0; k < rim_count; ++k) {
      const Rim& rim = rims[static_cast<std::size_t>(k)];
      const ConeBlock& block = program_.cones[rim.cone];
      const auto E = program_.E.middleCols(block.col, block.cone.dim());
      const double cosine = std::cos(rim.angle), sine = std::sin(rim.angle);
      set_ray(fixed + k, rim, cosine, sine);
      set(fixed + rim_count + k, (E.col(2) * cosine - E.col(1) * sine) * block.cone.mu);
      const Eigen::VectorXd outward = row_scale_.cwiseProduct(E.col(1) * cosine + E.col(2) * sine) * block.cone.mu;
      const double curvature = std::max(residual.dot(outward), 0.0) * scale_ / rim.normal;
      const double unit = norms[fixed + rim_count + k];
      if (unit > 0.0) A(m + k, fixed + rim_count + k) = std::sqrt(curvature) / unit;
    }
    A.topRows(m) = moves;
    solve_free(A, b);
    const auto amount = [&](Eigen::Index c) { return norms[c] > 0.0 ? tangents_.z[c] * scale_ / norms[c] : 0.0; };
    for (std::size_t k = 0; k < linear.size(); ++k)
      for (int d = 0; d < linear[k].dim; ++d)
        x[linear[k].col + d] += linear[k].ray[static_cast<std::size_t>(d)] * amount(static_cast<Eigen::Index>(k));
    for (Eigen::Index k = 0; k < rim_count; ++k) {
      Rim& rim = rims[static_cast<std::size_t>(k)];
      const double normal = rim.normal + amount(fixed + k), turn = amount(fixed + rim_count + k) / rim.normal;
      if (!(normal > 0.0 && std::abs(turn) < 1.0)) return false;
      rim.normal = normal;
      rim.angle += turn;
      put(rim);
    }
    if (witness_error(program_, x) <= kProven) {
      answer.x = x;
      answer.outcome = Outcome::kFeasible;
      return true;
    }
  }
  return false;
}

}  // namespace stiction::internal
