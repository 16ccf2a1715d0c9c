#include "proof/closure_proof.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "proof/sign_cover.hpp"
#include "proof/sums.hpp"

namespace stiction {
namespace internal {

bool has_friction(const GraspBlock& block, ClosureKind kind)
{
  return kind != ClosureKind::kForm &&
         ((block.cone.tangents > 0 && block.cone.mu > 0.0) || (block.cone.torsional && block.cone.torsion > 0.0));
}

namespace {

constexpr double kRootRounding = 1.0 + 1e-12;  // of the square roots of a bound
constexpr double kHalfDiagonal = std::numbers::sqrt2 / 2.0;

std::string contact_text(const Grasp& grasp, std::size_t i)
{
  return "contact " + (grasp.contacts[i].name.empty() ? std::to_string(i) : grasp.contacts[i].name);
}

bool is_polygon(const FrictionCone& cone)
{
  return cone.tangents == 2 && cone.shape.approximation != ConeApproximation::kExact;
}

/// Radius of the disk inside the cone's tangential set at unit normal force.
double disk_inside(const FrictionCone& cone)
{
  const bool inner = is_polygon(cone) && cone.shape.approximation == ConeApproximation::kInner;
  return inner ? cone.mu * std::cos(std::numbers::pi / cone.shape.facets) * (1.0 - kRounding) : cone.mu;
}

/// The true cone as `kind` sees it, normals only for kForm: never looser than the exact one.
FrictionCone cone_for_holds(const GraspBlock& block, ClosureKind kind)
{
  FrictionCone cone = block.cone;
  cone.sign = 1.0;
  if (kind == ClosureKind::kForm) cone.mu = cone.torsion = 0.0;
  if (cone.shape.approximation == ConeApproximation::kOuter) cone.shape = ConeShape::exact();
  return cone;
}

/// The same, never tighter than the exact one, and with the doubt about friction.
FrictionCone cone_for_fails(const GraspBlock& block, ClosureKind kind)
{
  FrictionCone cone = block.cone;
  cone.sign = 1.0;
  if (kind == ClosureKind::kForm) cone.mu = cone.torsion = 0.0;
  if (cone.shape.approximation == ConeApproximation::kInner) cone.shape = ConeShape::exact();
  cone.mu *= 1.0 + kClosureDoubt;
  cone.torsion *= 1.0 + kClosureDoubt;
  return cone;
}

/// Share of the normal force in column k that a force of the cone may have: what the tolerances of both verdicts are
/// made of.
double extent(const FrictionCone& cone, int k) { return k == 0 ? 1.0 : k <= cone.tangents ? cone.mu : cone.torsion; }

/// Writes to scratch.weight how far each column may move while every contact stays in its cone, all columns of a
/// contact at once within a ball: slack / sqrt 2 times (1, mu, mu, torsion), zero where a column cannot carry force; to
/// scratch.most how large the forces of such a ball may be. False when the forces are outside a cone.
bool ball_weights(const Grasp& grasp, ClosureKind kind, ClosureScratch& scratch, std::string* why)
{
  const Eigen::VectorXd& forces = scratch.forces;
  Eigen::VectorXd &weight = scratch.weight, &most = scratch.most;
  weight.setZero(grasp.G.cols());
  most.setZero(grasp.G.cols());
  // Where columns work both ways any ball will do.
  const double largest = forces.size() > 0 && !forces.isZero(0.0) ? forces.cwiseAbs().maxCoeff() : 1.0;
  for (std::size_t i = 0; i < grasp.contacts.size(); ++i) {
    const GraspBlock& block = grasp.contacts[i];
    FrictionCone cone = cone_for_holds(block, kind);
    const double* f = forces.data() + block.col;
    if (block.side == Side::kBilateral && f[0] < 0.0) cone.sign = -1.0;
    const double inside = slack(cone, f);
    if (!(inside >= -kRounding * std::abs(f[0])) || cone.sign * f[0] < 0.0)
      return refuse(why, [&] { return contact_text(grasp, i) + " is outside its cone"; });
    double radius = kHalfDiagonal * std::max(inside, 0.0);
    if (block.side == Side::kBilateral && !has_friction(block, kind)) radius = largest;  // its cone is the whole line
    for (int k = 0; k < cone.dim(); ++k) {
      weight[block.col + k] = radius * (k > 0 && k <= cone.tangents ? disk_inside(cone) : extent(cone, k));
      most[block.col + k] = (std::abs(f[0]) + radius) * extent(cone, k);
    }
  }
  for (const int col : grasp.free) {
    weight[col] = largest;
    most[col] = std::abs(forces[col]) + largest;
  }
  return true;
}

/// Forces in units of a power of two, so that none of their products overflows or vanishes: closure has no scale.
void set_forces(const Eigen::VectorXd& forces, ClosureScratch& scratch)
{
  int exponent = 0;
  if (forces.size() > 0) std::frexp(forces.cwiseAbs().maxCoeff(), &exponent);
  scratch.forces.resize(forces.size());
  for (Eigen::Index j = 0; j < forces.size(); ++j) scratch.forces[j] = std::ldexp(forces[j], -exponent);
}

/// True when A - shift I (lower triangle of A, n x n) is positive definite beyond what rounding of A and of this
/// elimination could hide: A must come from sums of at most `terms` products of type Real.
template <typename Real, typename Matrix>
bool exceeds(Matrix& A, int n, int terms, Real shift)
{
  Real trace = 0;
  for (int i = 0; i < n; ++i) trace += A(i, i);
  shift += static_cast<Real>(terms + n + 4) * std::numeric_limits<Real>::epsilon() * trace;
  for (int i = 0; i < n; ++i) A(i, i) -= shift;
  for (int k = 0; k < n; ++k) {
    if (!(A(k, k) > Real(0))) return false;
    for (int j = k + 1; j < n; ++j) {
      const Real factor = A(j, k) / A(k, k);
      for (int i = j; i < n; ++i) A(i, j) -= A(i, k) * factor;
    }
  }
  return true;
}

/// G with its number of rows fixed (6) or not (Eigen::Dynamic), and one number per row.
template <int kRows>
using FixedRows = Eigen::Map<const Eigen::Matrix<double, kRows, Eigen::Dynamic>>;
template <int kRows>
using PerRow = Eigen::Array<double, kRows, 1, 0, kMostTwistRows, 1>;

/// Smallest singular value of D G W above `bound`: by the definiteness of its Gram matrix less bound².
template <typename Real, int kRows>
bool image_exceeds(const FixedRows<kRows>& G, const Eigen::VectorXd& weight, const PerRow<kRows>& row_scale,
                   double bound)
{
  constexpr int kTogether = 3;
  const Eigen::Index m = G.rows();
  Eigen::Matrix<Real, kRows, kRows, 0, kMostTwistRows, kMostTwistRows> gram(m, m);
  Eigen::Matrix<Real, kRows, kTogether, 0, kMostTwistRows, kTogether> columns(m, kTogether);
  const auto scale = row_scale.template cast<Real>();
  gram.setZero();
  for (Eigen::Index j = 0; j < G.cols(); j += kTogether) {
    for (int k = 0; k < kTogether; ++k) {
      if (j + k < G.cols())
        columns.col(k).array() = G.col(j + k).array().template cast<Real>() * Real(weight[j + k]) * scale;
      else
        columns.col(k).setZero();
    }
    gram += columns.lazyProduct(columns.transpose());
  }
  // Three roundings per entry besides those of the sum.
  return exceeds(gram, static_cast<int>(m), static_cast<int>(G.cols()) + 6, static_cast<Real>(bound) * bound);
}

template <int kRows>
bool surrounds_zero(const Grasp& grasp, ClosureKind kind, ClosureScratch& scratch, std::string* why)
{
  const FixedRows<kRows> G(grasp.G.data(), grasp.G.rows(), grasp.G.cols());
  const Eigen::Index m = G.rows();
  const Eigen::VectorXd& forces = scratch.forces;
  if (!ball_weights(grasp, kind, scratch, why)) return false;

  PerRow<kRows> residual = PerRow<kRows>::Zero(m), missing = residual, size = residual;
  for (Eigen::Index j = 0; j < G.cols(); ++j) {
    residual += G.col(j).array() * forces[j];
    size += G.col(j).array().abs() * scratch.most[j];
  }
  // A force outside its cone by rounding is moved inside by a little more normal force, which the residual then
  // contains.
  for (const GraspBlock& block : grasp.contacts) {
    if (scratch.weight[block.col] > 0.0) continue;
    if (block.side == Side::kBilateral && !has_friction(block, kind)) continue;
    missing += G.col(block.col).array().abs() * (2.0 * kRounding * std::abs(forces[block.col]));
  }
  for (Eigen::Index i = 0; i < m; ++i)
    if (!(size[i] > kSmall && size[i] < kLarge))
      return refuse(why, [&] { return "no force acts along row " + std::to_string(i); });
  const PerRow<kRows> row_scale = 1.0 / size;
  // Rounding of these sums themselves is far below kClosureDoubt, yet it counts.
  const double rounding = static_cast<double>(G.cols() + 4) * std::numeric_limits<double>::epsilon();
  const PerRow<kRows> off = (residual.abs() + missing) * row_scale + rounding;
  // Changing every entry of G by a share kClosureDoubt moves each scaled row by at most that much
  // (docs/proofs/closure.md).
  const double bound =
      (std::sqrt(off.square().sum()) + std::sqrt(static_cast<double>(m)) * kClosureDoubt) * kRootRounding;
  if (image_exceeds<double, kRows>(G, scratch.weight, row_scale, bound) ||
      image_exceeds<long double, kRows>(G, scratch.weight, row_scale, bound))
    return true;
  return refuse(why, [] { return std::string("the forces are not clearly inside cones that span every direction"); });
}

/// Plain double arithmetic settles the contacts that clearly do not oppose the motion.
bool clearly_gives_way(const Eigen::MatrixXd& G, int col, const FrictionCone& cone, const Twist& twist)
{
  double h[4] = {}, scale[4] = {};
  for (int k = 0; k < cone.dim(); ++k) {
    const double* column = G.data() + (col + k) * G.rows();
    for (Eigen::Index i = 0; i < twist.size(); ++i) {
      const double product = column[i] * twist[i];
      h[k] -= product;
      scale[k] += std::abs(product);
    }
  }
  return clearly_blocked(cone, h, scale, 0.0);
}

/// `signs`: one per contact, or empty for all 0.
bool moves_freely(const Grasp& grasp, ClosureKind kind, const std::vector<int>& signs, const Twist& twist,
                  std::string* why)
{
  const auto column_sum = [&](int col) {
    Sum h;
    for (Eigen::Index i = 0; i < twist.size(); ++i) h.add(grasp.G(i, col), twist[i]);
    return h;
  };
  const auto rests = [&](int col) {
    const Sum h = column_sum(col);
    return std::abs(h.value) <= kRounding * h.scale;
  };
  for (std::size_t i = 0; i < grasp.contacts.size(); ++i) {
    const GraspBlock& block = grasp.contacts[i];
    FrictionCone cone = cone_for_fails(block, kind);
    if (!signs.empty() && signs[i] != 0) {
      cone.sign = signs[i];
    } else if (block.side == Side::kBilateral) {
      bool rest = rests(block.col);
      for (int k = 1; k <= cone.tangents; ++k) rest = rest && (cone.mu == 0.0 || rests(block.col + k));
      if (cone.torsional && cone.torsion > 0.0) rest = rest && rests(block.col + 1 + cone.tangents);
      if (!rest) return refuse(why, [&] { return contact_text(grasp, i) + " opposes the motion"; });
      continue;
    }
    if (clearly_gives_way(grasp.G, block.col, cone, twist)) continue;
    Sum h[4];
    for (int k = 0; k < cone.dim(); ++k) {
      h[k] = column_sum(block.col + k);
      h[k].value = -h[k].value;  // a force does work against the motion when its product with -h is positive
    }
    // Rounding of every force of the cone, not of the ray that opposes most: the measure by which "holds" has its room.
    long double reach = 0.0L;
    for (int k = 0; k < cone.dim(); ++k) reach += extent(cone, k) * h[k].scale;
    if (!(support_sum(cone, h).value <= kRounding * reach))
      return refuse(why, [&] { return contact_text(grasp, i) + " opposes the motion"; });
  }
  for (const int col : grasp.free)
    if (!rests(col)) return refuse(why, [&] { return "column " + std::to_string(col) + " opposes the motion"; });
  return true;
}

bool carries_force(const Grasp& grasp, Eigen::Index col)
{
  for (const GraspBlock& block : grasp.contacts) {
    const Eigen::Index k = col - block.col;
    if (k < 0 || k >= block.cone.dim()) continue;
    return k == 0 || (k <= block.cone.tangents ? block.cone.mu > 0.0 : block.cone.torsion > 0.0);
  }
  return true;
}

bool actuated(const Grasp& grasp, Eigen::Index dof) { return grasp.effort_lower[dof] < grasp.effort_upper[dof]; }

/// Whether (G; J_hand') has full column rank on the columns that carry force: the smallest singular value with rows of
/// largest entry one and unit columns exceeds kClosureDoubt.
bool commands_all(const Grasp& grasp, ClosureScratch& scratch, std::string* why)
{
  const Eigen::Index n = grasp.G.cols(), m = grasp.G.rows(), dofs = grasp.J_hand.cols();
  auto& stacked = scratch.stacked;
  stacked.resize(m + dofs, n);
  Eigen::Index used = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    if (!carries_force(grasp, j)) continue;
    stacked.col(used).head(m) = grasp.G.col(j).cast<long double>();
    for (Eigen::Index k = 0; k < dofs; ++k) stacked(m + k, used) = actuated(grasp, k) ? grasp.J_hand(j, k) : 0.0;
    ++used;
  }
  for (Eigen::Index i = 0; i < m + dofs; ++i) {
    long double largest = 0.0L;
    for (Eigen::Index j = 0; j < used; ++j) largest = std::max(largest, std::abs(stacked(i, j)));
    for (Eigen::Index j = 0; j < used && largest > 0.0L; ++j) stacked(i, j) /= largest;
  }
  for (Eigen::Index j = 0; j < used; ++j) {
    long double square = 0.0L;
    for (Eigen::Index i = 0; i < m + dofs; ++i) square += stacked(i, j) * stacked(i, j);
    for (Eigen::Index i = 0; i < m + dofs && square > 0.0L; ++i) stacked(i, j) /= std::sqrt(square);
  }
  scratch.gram.resize(used, used);
  for (Eigen::Index k = 0; k < used; ++k)
    for (Eigen::Index j = k; j < used; ++j) {
      long double sum = 0.0L;
      for (Eigen::Index i = 0; i < m + dofs; ++i) sum += stacked(i, j) * stacked(i, k);
      scratch.gram(j, k) = sum;
    }
  const long double doubt = kClosureDoubt;
  if (exceeds(scratch.gram, static_cast<int>(used), static_cast<int>(m + dofs) + 8, doubt * doubt)) return true;
  return refuse(why, [] { return std::string("internal forces that the hand cannot command are not excluded"); });
}

/// Internal forces that no actuator of the hand feels.
bool uncommandable(const Grasp& grasp, const Eigen::VectorXd& forces, std::string* why)
{
  bool any = false;
  for (Eigen::Index j = 0; j < forces.size(); ++j) {
    any = any || forces[j] != 0.0;
    if (forces[j] != 0.0 && !carries_force(grasp, j))
      return refuse(why, [&] { return "column " + std::to_string(j) + " cannot carry force"; });
  }
  if (!any) return refuse(why, [] { return std::string("the internal forces are zero"); });
  const auto balances = [&](const auto& row) {
    Sum sum;
    for (Eigen::Index j = 0; j < forces.size(); ++j) sum.add(row(j), forces[j]);
    return std::abs(sum.value) <= kRounding * sum.scale;
  };
  for (Eigen::Index i = 0; i < grasp.G.rows(); ++i)
    if (!balances([&](Eigen::Index j) { return grasp.G(i, j); }))
      return refuse(why, [&] { return "the internal forces leave row " + std::to_string(i) + " unbalanced"; });
  for (Eigen::Index k = 0; k < grasp.J_hand.cols(); ++k)
    if (actuated(grasp, k) && !balances([&](Eigen::Index j) { return grasp.J_hand(j, k); }))
      return refuse(
          why, [&] { return "degree of freedom " + std::to_string(k) + " of the hand feels the internal forces"; });
  return true;
}

bool usable_twist(const Grasp& grasp, const Eigen::Ref<const Eigen::VectorXd>& twist, std::string* why)
{
  if (twist.size() != grasp.G.rows() || !all_finite(twist))
    return refuse(why, [] { return std::string("the twist has the wrong size or is not finite"); });
  return (twist.array() != 0.0).any() || refuse(why, [] { return std::string("the twist is zero"); });
}

Verdict one_twist_fails(const Grasp& grasp, ClosureKind kind, const Twist& twist, ClosureScratch& scratch,
                        std::string* why)
{
  if (!usable_twist(grasp, twist, why)) return Verdict::kUndecided;
  if (moves_freely(grasp, kind, {}, twist, why)) return Verdict::kFails;
  scratch.clean = twist;
  const bool cleaned = drop_noise(grasp.G, scratch.clean);
  return cleaned && moves_freely(grasp, kind, {}, scratch.clean, nullptr) ? Verdict::kFails : Verdict::kUndecided;
}

/// t'w > kClosureDoubt |t|'|w|.
bool drives(const Twist& wrench, const Twist& twist)
{
  Sum power;
  for (Eigen::Index i = 0; i < twist.size(); ++i) power.add(wrench[i], twist[i]);
  return power.value > kClosureDoubt * power.scale;
}

/// Only contacts whose force set is a double cone have a sign: the sets of the other ones are convex as they are.
bool signs_fit(const Grasp& grasp, ClosureKind kind, const std::vector<int>& signs)
{
  bool fit = signs.size() == grasp.contacts.size();
  for (std::size_t i = 0; fit && i < signs.size(); ++i) {
    const bool sided = grasp.contacts[i].side == Side::kBilateral && has_friction(grasp.contacts[i], kind);
    fit = signs[i] == 0 || (sided && std::abs(signs[i]) == 1);
  }
  return fit;
}

Verdict every_sign_fails(const Grasp& grasp, ClosureKind kind, const ClosureProof& proof, ClosureScratch& scratch,
                         std::string* why)
{
  for (const MotionLeaf& leaf : proof.leaves)
    if (!leaf_gives_way(grasp, kind, proof.wrench, leaf, scratch, why)) return Verdict::kUndecided;
  if (covers_every_sign(proof.leaves, grasp.contacts.size())) return Verdict::kFails;
  refuse(why, [] { return std::string("the leaves do not cover every sign of the bilateral contacts"); });
  return Verdict::kUndecided;
}

}  // namespace

bool leaf_gives_way(const Grasp& grasp, ClosureKind kind, const Twist& wrench, const MotionLeaf& leaf,
                    ClosureScratch& scratch, std::string* why)
{
  if (!signs_fit(grasp, kind, leaf.signs))
    return refuse(why, [] { return std::string("a leaf's signs do not fit the contacts"); });
  if (wrench.size() != grasp.G.rows() || !all_finite(wrench))
    return refuse(why, [] { return std::string("the wrench has the wrong size or is not finite"); });
  if (!usable_twist(grasp, leaf.motion, why)) return false;
  scratch.clean = leaf.motion;
  const bool driven = drives(wrench, scratch.clean);
  if (driven && moves_freely(grasp, kind, leaf.signs, scratch.clean, why)) return true;
  if (drop_noise(grasp.G, scratch.clean) && drives(wrench, scratch.clean) &&
      moves_freely(grasp, kind, leaf.signs, scratch.clean, nullptr))
    return true;
  return driven ? false : refuse(why, [] { return std::string("the wrench does not drive the motion of a leaf"); });
}

Verdict judge_closure(const Grasp& grasp, ClosureKind kind, const ClosureProof& proof, ClosureScratch& scratch,
                      std::string* why)
{
  const Eigen::Index m = grasp.G.rows(), n = grasp.G.cols();
  const auto undecided = [&](const char* text) {
    refuse(why, [&] { return std::string(text); });
    return Verdict::kUndecided;
  };
  if (m < 1 || m > kMostTwistRows || !all_finite(grasp.G)) return undecided("the grasp is malformed");
  if (kind == ClosureKind::kForce && !grasp.has_hand()) return undecided("no hand is modelled");
  if (proof.twist.size() > 0 && !proof.leaves.empty()) return undecided("a twist and leaves: want one of them");
  if (proof.twist.size() > 0) return one_twist_fails(grasp, kind, proof.twist, scratch, why);
  if (!proof.leaves.empty()) return every_sign_fails(grasp, kind, proof, scratch, why);
  if (proof.forces.size() != n || !all_finite(proof.forces))
    return undecided("the forces have the wrong size or are not finite");
  if (kind == ClosureKind::kForce && uncommandable(grasp, proof.forces, nullptr)) return Verdict::kFails;
  set_forces(proof.forces, scratch);
  const auto surrounds = m == kMostTwistRows ? surrounds_zero<kMostTwistRows> : surrounds_zero<Eigen::Dynamic>;
  if (!surrounds(grasp, kind, scratch, why)) return Verdict::kUndecided;
  if (kind == ClosureKind::kForce && !commands_all(grasp, scratch, why)) return Verdict::kUndecided;
  return Verdict::kHolds;
}

}  // namespace internal

Verdict judge_closure(const Grasp& grasp, ClosureKind kind, const ClosureProof& proof, std::string* why)
{
  internal::ClosureScratch scratch;
  return internal::judge_closure(grasp, kind, proof, scratch, why);
}

}  // namespace stiction
