// Numbers beside the verdicts: d, the least friction, null spaces, the rate under noise.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ask/closure_workspace.hpp"
#include "ask/friction_bracket.hpp"
#include "stiction/error.hpp"

namespace stiction {

using internal::has_friction;

namespace {

/// splitmix64 and Box-Muller: the same draws on every platform, which the distributions of the standard library are
/// not.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  double gaussian()
  {
    constexpr double kOfInteger = 0x1p-53;                                    // 53 bits, all that a double has
    const double u = (static_cast<double>(next() >> 11) + 1.0) * kOfInteger;  // in (0, 1]
    const double v = static_cast<double>(next() >> 11) * kOfInteger;
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
  }

 private:
  std::uint64_t next()
  {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

  std::uint64_t state_;
};

/// Ends of the 95 % Wilson interval of a share k of n.
double wilson(double k, double n, double side)
{
  constexpr double z = 1.959963984540054;
  const double p = k / n, z2n = z * z / n;
  return std::clamp((p + 0.5 * z2n + side * z * std::sqrt(p * (1.0 - p) / n + 0.25 * z2n / n)) / (1.0 + z2n), 0.0, 1.0);
}

}  // namespace

/// max d with G lambda = 0, slack_i >= d, sum of normals <= contacts: lambda = x + d c and one row more.
Margin ClosureChecker::Workspace::largest_slack(const Grasp& grasp, ClosureKind kind)
{
  const Margin none{Margin::State::kNone, 0.0, kInfinity, {}};
  for (const GraspBlock& block : grasp.contacts)
    if (block.side == Side::kBilateral && has_friction(block, kind)) return none;  // not one convex program
  signs.assign(grasp.contacts.size(), 0);
  write_program(grasp, kind, signs);
  if (program.cones.empty()) return none;
  for (ConeBlock& cone : program.cones) {  // the number is about the friction as given
    cone.cone.mu /= 1.0 + 2.0 * kClosureDoubt;
    cone.cone.torsion /= 1.0 + 2.0 * kClosureDoubt;
  }
  const Eigen::Index m = program.E.rows(), n = program.E.cols();
  const double count = static_cast<double>(program.cones.size());
  program.E.conservativeResize(m + 1, n + 1);
  program.E.row(m).setZero();
  program.E.col(n).setZero();
  program.E(m, n) = 1.0;
  program.boxes.push_back({static_cast<int>(n), 0.0, kInfinity});
  direction.resize(m + 1);
  direction << program.e, -count;
  for (const ConeBlock& cone : program.cones) program.E(m, cone.col) = 1.0;
  program.e.setZero(m + 1);
  program.e[m] = count;
  program.e_scale.resize(0);
  const Eigen::VectorXd start = count * Eigen::VectorXd::Unit(n + 1, n);
  internal::CastOptions cast_options;
  constexpr double kAsGoodAsNone = 1e-3;  // of a unit force: a slack whose digits nobody needs
  cast_options.scale = kAsGoodAsNone;
  caster.cast(*engine, program, direction, 0.0, start, cast_options, cast);
  if (cast.end == internal::Cast::End::kUndecided)
    return {Margin::State::kUndecided, cast.lower, cast.upper, "too near to the largest slack to be decided"};
  return {Margin::State::kKnown, cast.lower, cast.upper, {}};
}

/// The grasp with every mu and torsion times `friction`, or with `friction` as mu of one contact.
const Grasp& ClosureChecker::Workspace::with_friction(const Grasp& grasp, int contact, double friction)
{
  varied = grasp;
  for (std::size_t i = 0; i < grasp.contacts.size(); ++i) {
    FrictionCone& cone = varied.contacts[i].cone;
    if (contact < 0) {
      cone.mu *= friction;
      cone.torsion *= friction;
    } else if (static_cast<int>(i) == contact) {
      cone.mu = friction;
    }
  }
  return varied;
}

/// The friction up to which a twist stays free: where the first contact would begin to oppose it.
double ClosureChecker::Workspace::friction_reach(const Grasp& grasp, int contact, const Twist& twist) const
{
  double reach = kInfinity;
  for (std::size_t i = 0; i < grasp.contacts.size(); ++i) {
    const GraspBlock& block = grasp.contacts[i];
    if (contact >= 0 && contact != static_cast<int>(i)) continue;
    double h[4] = {}, size = 0.0;
    for (int k = 0; k < block.cone.dim(); ++k) {
      h[k] = grasp.G.col(block.col + k).dot(twist);
      size += grasp.G.col(block.col + k).cwiseAbs().dot(twist.cwiseAbs());
    }
    const int last = 1 + block.cone.tangents;
    double sideways = block.cone.tangents == 2   ? std::hypot(h[1], h[2])
                      : block.cone.tangents == 1 ? std::abs(h[1])
                                                 : 0.0;
    double normal = h[0];
    if (contact < 0) {
      sideways *= block.cone.mu;
      if (block.cone.torsional) sideways += block.cone.torsion * std::abs(h[last]);
    } else if (block.cone.torsional) {
      normal -= block.cone.torsion * std::abs(h[last]);
    }
    if (sideways <= kRounding * size) continue;
    reach = std::min(reach, block.side == Side::kBilateral ? 0.0 : std::max(0.0, normal / sideways));
  }
  return reach;
}

Margin ClosureChecker::Workspace::least_friction(const Grasp& grasp, int contact)
{
  const auto decide_at = [&](double friction) {
    return decide(with_friction(grasp, contact, friction), ClosureKind::kFrictionalForm, trial_proof);
  };
  // The same twist proves more, which is judged like every proof.
  const auto reach = [&](double friction) {
    if (trial_proof.twist.size() == 0) return friction;  // it took several
    const Twist twist = trial_proof.twist;
    const double further =
        std::min(friction_reach(grasp, contact, twist) * (1.0 - 4.0 * kClosureDoubt), internal::kLargestFriction);
    if (!(further > friction)) return friction;
    const Grasp& more = with_friction(grasp, contact, further);
    const ClosureProof proof{{}, twist};
    const Verdict verdict = internal::judge_closure(more, ClosureKind::kFrictionalForm, proof, scratch, nullptr);
    return verdict == Verdict::kFails ? further : friction;
  };
  const double first = contact < 0 ? 1.0 : std::max(grasp.contacts[static_cast<std::size_t>(contact)].cone.mu, 0.1);
  const internal::FrictionBracket least = internal::bracket_friction(first, {}, decide_at, reach);
  if (!least.known)
    return {Margin::State::kUndecided, least.lower, kInfinity, "closure is undecided with a friction on the way"};
  if (!least.upper) return {Margin::State::kNone, least.lower, kInfinity, {}};
  return {Margin::State::kKnown, least.lower, *least.upper, {}};
}

NullSpaces ClosureChecker::Workspace::null_spaces(const Grasp& grasp)
{
  std::vector<Eigen::Index> columns;
  for (const GraspBlock& block : grasp.contacts)
    for (int k = 0; k < block.cone.dim(); ++k)
      if (k == 0 || (k <= block.cone.tangents ? block.cone.mu > 0.0 : block.cone.torsion > 0.0))
        columns.push_back(block.col + k);
  for (const int col : grasp.free) columns.push_back(col);
  const Eigen::Index m = grasp.G.rows(), n = static_cast<Eigen::Index>(columns.size()), dofs = grasp.J_hand.cols();
  // Rank of an equilibrated matrix: units do not matter.
  const auto rank = [&](Eigen::MatrixXd A) -> int {
    if (A.size() == 0) return 0;
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      if (const double size = A.row(i).cwiseAbs().maxCoeff(); size > 0.0) A.row(i) /= size;
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      if (const double size = A.col(j).norm(); size > 0.0) A.col(j) /= size;
    return static_cast<int>(internal::column_rank(A, kClosureDoubt));
  };
  Eigen::MatrixXd both(m + dofs, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    both.col(j).head(m) = grasp.G.col(columns[static_cast<std::size_t>(j)]);
    if (dofs > 0) both.col(j).tail(dofs) = grasp.J_hand.row(columns[static_cast<std::size_t>(j)]).transpose();
  }
  NullSpaces result;
  const int of_object = rank(both.topRows(m));
  result.indeterminate = static_cast<int>(m) - of_object;
  result.graspable = static_cast<int>(n) - of_object;
  result.hand = grasp.has_hand();
  if (!result.hand) return result;
  const int of_hand = rank(both.bottomRows(dofs));
  result.redundant = static_cast<int>(dofs) - of_hand;
  result.defective = static_cast<int>(n) - of_hand;
  result.hyperstatic = static_cast<int>(n) - rank(both);
  return result;
}

ClosureRate ClosureChecker::rate(const std::vector<GraspContact>& contacts, const WrenchConvention& convention,
                                 const ContactNoise& noise)
{
  if (noise.samples < 1) throw InputError("samples", "want >= 1, got " + std::to_string(noise.samples));
  for (const auto& [path, value] : {std::pair{"position", noise.position}, {"angle", noise.angle}})
    if (!(std::isfinite(value) && value >= 0.0))
      throw InputError(path, "want finite and >= 0, got " + std::to_string(value));
  set_grasp(contacts, convention, ConeShape::exact(), workspace_->drawn);  // checks the contacts
  const bool planar = convention.plane != GraspPlane::kNone;
  const int across = convention.plane == GraspPlane::kYZ ? 0 : convention.plane == GraspPlane::kZX ? 1 : 2;

  ClosureRate result;
  result.seed = noise.seed;
  result.samples = noise.samples;
  Draws draws(noise.seed);
  std::vector<GraspContact> moved = contacts;
  for (int sample = 0; sample < noise.samples; ++sample) {
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      Eigen::Vector3d shift, tilt;
      for (int k = 0; k < 3; ++k) shift[k] = noise.position * draws.gaussian();
      const Eigen::Vector3d& n = contacts[i].normal;
      if (planar) {
        tilt = noise.angle * draws.gaussian() * Eigen::Vector3d::Unit(across);
      } else {
        const Eigen::Vector3d t1 = n.unitOrthogonal(), t2 = n.cross(t1);
        const double first = noise.angle * draws.gaussian();
        tilt = first * t1 + noise.angle * draws.gaussian() * t2;
      }
      moved[i].point = contacts[i].point + shift;
      const double angle = tilt.norm();
      moved[i].normal = angle > 0.0 ? Eigen::Vector3d(Eigen::AngleAxisd(angle, tilt / angle) * n) : n;
    }
    const Verdict verdict = closed(moved, convention);
    result.holds += verdict == Verdict::kHolds;
    result.fails += verdict == Verdict::kFails;
    result.undecided += verdict == Verdict::kUndecided;
  }
  const double n = result.samples;
  result.rate = result.holds / n;
  result.lower = wilson(result.holds, n, -1.0);
  result.upper = wilson(result.holds + result.undecided, n, 1.0);
  return result;
}

}  // namespace stiction
