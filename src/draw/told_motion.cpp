#include "draw/told_motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "base/linear_algebra.hpp"
#include "stiction/rest.hpp"

namespace stiction::internal {
namespace {

/// Of a proof of "fails": see MotionLeaf.
Eigen::VectorXd failing_motion(const Certificate& certificate, const Failure& failure, Eigen::Index nv)
{
  if (failure.motion.size() == nv) return failure.motion;
  if (!certificate.leaves.empty() && certificate.leaves[0].motion.size() >= nv)
    return -certificate.leaves[0].motion.head(nv);
  if (certificate.kind == CertificateKind::kUnbalanced) return certificate.a;
  return {};
}

/// Proofs let a contact that slips lift by mu times its slip, which no body does: the nearest motion, as masses measure
/// it, in which such contacts stay on their surfaces.
Eigen::VectorXd without_dilation(const ContactProblem& problem, const Eigen::VectorXd& motion)
{
  constexpr double kNearTheRim = 1e-3, kDependentNormals = 1e-9;
  std::vector<int> slipping;
  if (motion.size() != problem.nv()) return motion;
  for (const Contact& contact : problem.contacts) {
    const double lift = problem.J.row(contact.row).dot(motion);
    const double slip = (problem.J.middleRows(contact.row + 1, contact.tangents) * motion).norm();
    if (contact.side == Side::kUnilateral && lift > 0.0 && lift <= (1.0 + kNearTheRim) * contact.mu * slip)
      slipping.push_back(contact.row);
  }
  if (slipping.empty()) return motion;
  Eigen::VectorXd inertia = problem.M.diagonal().cwiseMax(0.0).cwiseSqrt();
  const double heaviest = inertia.maxCoeff();
  for (double& mass : inertia)
    if (!(mass > 0.0)) mass = heaviest > 0.0 ? heaviest : 1.0;
  Eigen::VectorXd scaled = inertia.cwiseProduct(motion);
  const Eigen::MatrixXd normals = problem.J(slipping, Eigen::all) * inertia.cwiseInverse().asDiagonal();
  const SingularVectors svd = thin_svd(normals);
  for (Eigen::Index i = 0; i < svd.values.size(); ++i)
    if (svd.values[i] > kDependentNormals * svd.values[0]) scaled -= svd.V.col(i) * svd.V.col(i).dot(scaled);
  if (!(scaled.norm() > kNearTheRim * inertia.cwiseProduct(motion).norm())) return motion;
  return scaled.cwiseQuotient(inertia);
}

constexpr const char *kFailing = "motion that nothing opposes", *kAcceleration = "acceleration";

/// A twist of the object, about the grasp's reference point and in its own axes, as a velocity of the whole scene.
Eigen::VectorXd object_motion(const ContactProblem& problem, const ClosureAnswer& answer, const Twist& twist)
{
  const std::vector<int>& dofs = answer.input.object_dofs;
  const WrenchConvention& convention = answer.grasp.convention;
  Eigen::VectorXd motion = Eigen::VectorXd::Zero(problem.nv());
  if (twist.size() != static_cast<Eigen::Index>(dofs.size())) return {};
  Eigen::VectorXd speeds = twist;
  if (twist.size() == 6) {
    const Eigen::Vector3d turn = twist.tail<3>() / convention.torque_length;
    speeds.head<3>() = twist.head<3>() - turn.cross(convention.reference);
    speeds.tail<3>() = turn;
  } else if (twist.size() == 3) {
    const int first = convention.plane == GraspPlane::kYZ ? 1 : convention.plane == GraspPlane::kZX ? 2 : 0;
    const double turn = twist[2] / convention.torque_length;
    speeds[0] = twist[0] + turn * convention.reference[(first + 1) % 3];
    speeds[1] = twist[1] - turn * convention.reference[first];
    speeds[2] = turn;
  }
  const std::vector<Dof>& kept = answer.input.problem.dofs;  // without those out of a plane
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const auto column = static_cast<std::size_t>(dofs[i]);
    const Eigen::Index at =
        kept.empty() ? dofs[i] : std::ranges::find(problem.dofs, kept[column]) - problem.dofs.begin();
    if (at < motion.size()) motion[at] = speeds[static_cast<Eigen::Index>(i)];
  }
  return motion;
}

ToldMotion told(const ContactProblem& problem, const ClosureAnswer& answer)
{
  const ClosureProof& proof = answer.decisive().proof;
  const bool closed = answer.decisive().verdict != Verdict::kFails;
  Twist twist = proof.twist;
  if (twist.size() == 0 && !proof.leaves.empty()) twist = proof.leaves[0].motion;
  if (closed || twist.size() == 0) return {};
  return {object_motion(problem, answer, twist), "motion that the grasp leaves free"};
}

ToldMotion told(const ContactProblem& problem, const AllStickingAnswer& answer)
{
  const StickingResult& result = answer.result;
  if (result.verdict == Verdict::kFails)
    return {without_dilation(problem, failing_motion(result.certificate, result.failure, problem.nv())), kFailing};
  if (result.verdict == Verdict::kHolds) return {result.acceleration, kAcceleration};
  return {};
}

ToldMotion told(const ContactProblem& problem, const EquilibriumAnswer& answer)
{
  if (answer.result.verdict != Verdict::kFails) return {};
  return {without_dilation(problem, failing_motion(answer.result.certificate, answer.result.failure, problem.nv())),
          kFailing};
}

ToldMotion told(const ContactProblem& problem, const RegionAnswer& answer)
{
  if (answer.result.verdict != Verdict::kFails) return {};
  return {without_dilation(problem, failing_motion(answer.result.proof.position, {}, problem.nv())), kFailing};
}

ToldMotion told(const ContactProblem&, const SlidingAnswer& answer)
{
  if (answer.result.solutions.empty()) return {};
  return {answer.result.solutions[0].acceleration,
          answer.result.solutions.size() > 1 ? std::string(kAcceleration) + " of the first solution" : kAcceleration};
}

ToldMotion told(const ContactProblem&, const ImpactAnswer& answer)
{
  const ImpactSolution* solution = answer.solution();
  constexpr double kStopped = 1e-9;  // of the speed before
  if (!solution || solution->velocity.size() == 0 ||
      solution->velocity.cwiseAbs().maxCoeff() <= kStopped * answer.input.impact.velocity.cwiseAbs().maxCoeff())
    return {};
  return {solution->velocity, "motion after the impact"};
}

/// Of every other question: none.
template <class OtherAnswer>
ToldMotion told(const ContactProblem&, const OtherAnswer&)
{
  return {};
}

}  // namespace

ToldMotion told_motion(const ScenarioReport& report, const Eigen::VectorXd& v)
{
  ToldMotion result = std::visit([&](const auto& answer) { return told(report.problem, answer); }, report.answer);
  if (!result.words.starts_with(kAcceleration)) return result;  // proofs and free motions have no size of their own
  if (v.size() > 0 && v.cwiseAbs().maxCoeff() > kRestSpeed) return {v, "velocity"};
  result.noticeable = report.scenario.scene.gravity.norm();
  return result;
}

}  // namespace stiction::internal
