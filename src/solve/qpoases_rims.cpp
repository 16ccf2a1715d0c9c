// Newton's method along the rims of round cones.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/answer_check.hpp"
#include "solve/qpoases_decider.hpp"

namespace stiction::internal {
namespace {

constexpr double kOnRim = 0.99;       // share of the friction budget from which a force is tried on the rim
constexpr double kLargestTurn = 1.0;  // rad: a longer step has left the region where the curvature means anything
constexpr int kNewtonSteps = 6;

}  // namespace

/// min ½|e - E x|² near an x whose forces on round cones are on their rims, over normal forces and angles there, and
/// over everything else that may move.
class QpoasesDecider::RimNewton {
 public:
  RimNewton(QpoasesDecider& decider, const Eigen::VectorXd& x) : decider_(decider), x_(x)
  {
    collect();
    for (const Rim& rim : rims_) put(rim);
    moves_.resize(decider_.row_scale_.size(), linear_count() + 2 * rim_count());
    norms_.setOnes(moves_.cols());
    for (std::size_t k = 0; k < linear_.size(); ++k) {
      const Eigen::Map<const Eigen::VectorXd> ray(linear_[k].ray.data(), linear_[k].dim);
      set_move(static_cast<Eigen::Index>(k), program().E.middleCols(linear_[k].col, linear_[k].dim) * ray);
    }
  }

  bool has_rims() const { return !rims_.empty(); }
  const Eigen::VectorXd& x() const { return x_; }

  /// e - E x in scaled rows.
  Eigen::VectorXd residual() const
  {
    const Eigen::Vector<long double, Eigen::Dynamic> miss =
        program().e.cast<long double>() - program().E.cast<long double>() * x_.cast<long double>();
    return miss.cast<double>().cwiseProduct(decider_.row_scale_) / decider_.scale_;
  }

  /// The part of the residual that is orthogonal to the rays that are best against itself: separates, if anything does.
  Eigen::VectorXd separation(const Eigen::VectorXd& residual)
  {
    Eigen::VectorXd direction = residual;
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::VectorXd h = program().E.transpose() * direction.cwiseProduct(decider_.row_scale_);
      for (Eigen::Index k = 0; k < rim_count(); ++k) {
        const Rim& rim = rim_at(k);
        const double* t = h.data() + block_of(rim).col + 1;
        const double length = std::hypot(t[0], t[1]);
        if (length > 0.0)
          set_ray(k, t[0] / length, t[1] / length);
        else
          set_ray(k, std::cos(rim.angle), std::sin(rim.angle));
      }
      solve_free(moves_.leftCols(linear_count() + rim_count()), residual);
      direction = decider_.tangents_.direction;
    }
    return direction;
  }

  /// False when the step leaves the rims.
  bool step(const Eigen::VectorXd& residual)
  {
    const Eigen::Index m = residual.size(), first_turn = linear_count() + rim_count();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m + rim_count(), moves_.cols());
    Eigen::VectorXd b = Eigen::VectorXd::Zero(m + rim_count());
    b.head(m) = residual;
    for (Eigen::Index k = 0; k < rim_count(); ++k) {
      const Rim& rim = rim_at(k);
      const ConeBlock& block = block_of(rim);
      const auto E = program().E.middleCols(block.col, block.cone.dim());
      const double cosine = std::cos(rim.angle), sine = std::sin(rim.angle);
      set_ray(k, cosine, sine);
      set_move(first_turn + k, (E.col(2) * cosine - E.col(1) * sine) * block.cone.mu);
      const Eigen::VectorXd outward =
          decider_.row_scale_.cwiseProduct(E.col(1) * cosine + E.col(2) * sine) * block.cone.mu;
      const double curvature = std::max(residual.dot(outward), 0.0) * decider_.scale_ / rim.normal;
      const double unit = norms_[first_turn + k];
      if (unit > 0.0) A(m + k, first_turn + k) = std::sqrt(curvature) / unit;
    }
    A.topRows(m) = moves_;
    solve_free(A, b);
    return move();
  }

 private:
  struct Rim {  // a force on the rim: normal (1, mu cos angle, mu sin angle, twist)
    std::size_t cone;
    double normal, angle, twist;
  };

  const ConeProgram& program() const { return decider_.program_; }
  const ConeBlock& block_of(const Rim& rim) const { return program().cones[rim.cone]; }
  Rim& rim_at(Eigen::Index k) { return rims_[static_cast<std::size_t>(k)]; }
  Eigen::Index linear_count() const { return static_cast<Eigen::Index>(linear_.size()); }
  Eigen::Index rim_count() const { return static_cast<Eigen::Index>(rims_.size()); }
  /// The torsion is at its bound and follows the normal force.
  bool twists(const Rim& rim) const { return block_of(rim).cone.torsional && rim.twist != 0.0; }

  void collect()
  {
    std::vector<char> seen(program().cones.size(), 0);
    for (const int j : decider_.squares_.passive()) {
      const Column& column = decider_.columns_[static_cast<std::size_t>(j)];
      const bool round =
          column.cone >= 0 && !is_polyhedral(program().cones[static_cast<std::size_t>(column.cone)].cone);
      if (!round) {
        linear_.push_back(column);
      } else if (const auto i = static_cast<std::size_t>(column.cone); !seen[i]) {
        seen[i] = 1;
        collect_cone(i);
      }
    }
  }

  /// The force of a round cone: on the rim, or free to move within the disk.
  void collect_cone(std::size_t i)
  {
    const ConeBlock& block = program().cones[i];
    const double* f = x_.data() + block.col;
    const double normal = std::abs(f[0]);
    if (normal == 0.0) return;
    const auto add_entry = [&](int d) {
      Column entry;
      entry.col = block.col + d;
      linear_.push_back(entry);
    };
    double twist = block.cone.torsional ? f[3] / normal : 0.0;
    if (block.cone.torsional && std::abs(twist) < kOnRim * block.cone.torsion) {
      add_entry(3);  // within its bound the moment moves by itself
      twist = 0.0;
    } else {
      twist = std::copysign(block.cone.torsion, twist);
    }
    if (std::hypot(f[1], f[2]) >= kOnRim * block.cone.mu * normal) {
      rims_.push_back({i, normal, std::atan2(f[2], f[1]), twist});
      return;
    }
    add_entry(1);
    add_entry(2);
    Column push;
    push.col = block.col;
    push.dim = block.cone.dim();
    push.ray = {block.cone.sign, 0.0, 0.0, twist};
    linear_.push_back(push);
  }

  void put(const Rim& rim)
  {
    const ConeBlock& block = block_of(rim);
    double* f = x_.data() + block.col;
    const double budget = block.cone.mu * rim.normal;
    f[0] = block.cone.sign * rim.normal;
    f[1] = budget * std::cos(rim.angle);
    f[2] = budget * std::sin(rim.angle);
    if (twists(rim)) f[3] = rim.twist * rim.normal;
  }

  void set_move(Eigen::Index c, const Eigen::VectorXd& column)
  {
    moves_.col(c) = decider_.row_scale_.cwiseProduct(column);
    norms_[c] = moves_.col(c).norm();
    if (norms_[c] > 0.0) moves_.col(c) /= norms_[c];
  }

  void set_ray(Eigen::Index k, double cosine, double sine)
  {
    const Rim& rim = rim_at(k);
    const ConeBlock& block = block_of(rim);
    const auto E = program().E.middleCols(block.col, block.cone.dim());
    Eigen::VectorXd column = E.col(0) * block.cone.sign + (E.col(1) * cosine + E.col(2) * sine) * block.cone.mu;
    if (twists(rim)) column += E.col(3) * rim.twist;
    set_move(linear_count() + k, column);
  }

  void solve_free(const Eigen::MatrixXd& A, const Eigen::VectorXd& b)
  {
    BoundedLeastSquares& squares = decider_.tangents_;
    squares.A = A;
    squares.b = b;
    squares.z.setZero(A.cols());
    squares.lower.setConstant(A.cols(), -std::numeric_limits<double>::infinity());
    squares.upper.setConstant(A.cols(), std::numeric_limits<double>::infinity());
    squares.place.assign(static_cast<std::size_t>(A.cols()), Place::kPassive);
    squares.solve(static_cast<int>(A.cols()));
  }

  bool move()
  {
    const auto amount = [&](Eigen::Index c) {
      return norms_[c] > 0.0 ? decider_.tangents_.z[c] * decider_.scale_ / norms_[c] : 0.0;
    };
    for (std::size_t k = 0; k < linear_.size(); ++k)
      for (int d = 0; d < linear_[k].dim; ++d)
        x_[linear_[k].col + d] += linear_[k].ray[static_cast<std::size_t>(d)] * amount(static_cast<Eigen::Index>(k));
    for (Eigen::Index k = 0; k < rim_count(); ++k) {
      Rim& rim = rim_at(k);
      const double normal = rim.normal + amount(linear_count() + k);
      const double turn = amount(linear_count() + rim_count() + k) / rim.normal;
      if (!(normal > 0.0 && std::abs(turn) < kLargestTurn)) return false;
      rim.normal = normal;
      rim.angle += turn;
      put(rim);
    }
    return true;
  }

  QpoasesDecider& decider_;
  Eigen::VectorXd x_;
  std::vector<Rim> rims_;
  std::vector<Column> linear_;  // everything else that moves: single entries of x, or rays
  Eigen::MatrixXd moves_;       // unit columns: linear, then the ray and the tangent of each rim
  Eigen::VectorXd norms_;       // their lengths
};

/// On a round cone new rays only halve the distance to the best one. Near it Newton's method on the normal forces and
/// the angles along the rims does better, with its curvature; the direction only has to be orthogonal to the best
/// rays.
bool QpoasesDecider::try_tangents(ConeAnswer& answer)
{
  RimNewton newton(*this, answer.x);
  if (!newton.has_rims()) return false;
  for (int step = 0; step < kNewtonSteps; ++step) {
    const Eigen::VectorXd residual = newton.residual();
    if (try_separation(newton.separation(residual), answer)) {
      answer.outcome = Outcome::kInfeasible;
      return true;
    }
    if (!newton.step(residual)) return false;
    if (witness_error(program_, newton.x()) <= kProven) {
      answer.x = newton.x();
      answer.outcome = Outcome::kFeasible;
      return true;
    }
  }
  return false;
}

}  // namespace stiction::internal
