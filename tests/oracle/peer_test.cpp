// The nearest peer, hpp-centroidal-dynamics: robustness of stances on four-edge pyramids.

#include <gtest/gtest.h>

#include <hpp/centroidal-dynamics/centroidal_dynamics.hh>

#include "stiction/equilibrium.hpp"
#include "support/stances.hpp"

namespace stiction {
namespace {

using testing::make_stance;
using testing::random_stance;
using testing::Rng;
using testing::Stance;
using testing::uniform;
namespace peer = centroidal_dynamics;

/// The peer's pyramids have their edges at 45° to its tangents n x y and n x (n x y), and one mu for all contacts.
void use_axes_of_the_peer(Stance& s, double mu)
{
  ContactProblem& p = s.problem;
  for (Contact& c : p.contacts) {
    const Eigen::Vector3d n = c.axes_W.col(0);
    const Eigen::Vector3d t1 = n.cross(Eigen::Vector3d::UnitY()).normalized();
    c.axes_W << n, t1, n.cross(t1);
    c.mu = mu;
    for (int k = 0; k < 3; ++k) {
      p.J.block<1, 3>(c.row + k, 0) = c.axes_W.col(k).transpose();
      p.J.block<1, 3>(c.row + k, 3) = c.point_W.cross(c.axes_W.col(k)).transpose();
    }
  }
}

struct PeerAnswer {
  peer::LP_status status;
  double robustness = 0.0;
};

PeerAnswer ask_peer(const Stance& s, double mu)
{
  const auto n = static_cast<Eigen::Index>(s.problem.contacts.size());
  peer::MatrixX3ColMajor points(n, 3), normals(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    points.row(i) = s.problem.contacts[i].point_W.transpose();
    normals.row(i) = s.problem.contacts[i].axes_W.col(0).transpose();
  }
  peer::Equilibrium equilibrium("stance", s.mass, 4, peer::SOLVER_LP_QPOASES, false);
  equilibrium.setNewContacts(points, normals, mu, peer::EQUILIBRIUM_ALGORITHM_LP);
  PeerAnswer answer;
  answer.status = equilibrium.computeEquilibriumRobustness(s.com, answer.robustness);
  return answer;
}

TEST(Peer, AgreesOnTheRobustnessOf2000Stances)
{
  Rng rng{71};
  EquilibriumChecker checker;
  EquilibriumOptions options;
  options.shape = ConeShape::inner(4);
  options.generators = true;
  options.largest_slack = options.structure = options.explain = false;
  int compared = 0, positive = 0, peer_failed = 0, disagree = 0;
  for (int i = 0; i < 2000; ++i) {
    Stance s = random_stance(rng, 1 + i % 4, 0.4, 0.25);
    const double mu = uniform(rng, 0.2, 0.9), weight = s.mass * s.gravity.norm();
    use_axes_of_the_peer(s, mu);
    EquilibriumResult result;
    checker.check(s.problem, {}, options, result);
    ASSERT_EQ(result.generators.state, Margin::State::kKnown) << i << " " << result.generators.reason;
    const PeerAnswer answer = ask_peer(s, mu);
    if (answer.status != peer::LP_STATUS_OPTIMAL) {
      ++peer_failed;
      continue;
    }
    const double middle = 0.5 * (result.generators.lower + result.generators.upper);
    // Its gravity is 9.81 as well; its LPs are solved to about 1e-6 of the weight.
    EXPECT_NEAR(middle, answer.robustness, 1e-5 * std::max(weight, std::abs(middle))) << i;
    if (std::abs(answer.robustness) > 1e-6 * weight) {
      ++compared;
      positive += answer.robustness > 0.0;
      disagree += (middle > 0.0) != (answer.robustness > 0.0);
      if (answer.robustness > 0.0) {
        EXPECT_EQ(result.verdict, Verdict::kHolds) << i;
      }
    }
  }
  EXPECT_EQ(disagree, 0);
  EXPECT_GT(compared, 1900);
  EXPECT_GT(positive, 200);
  RecordProperty("compared", compared);
  RecordProperty("positive", positive);
  RecordProperty("peer_failed", peer_failed);
}

TEST(Peer, ForceClosureIsAnswered)
{
  // Four hands between two walls: internal forces grow without end, so no largest robustness exists.
  Stance s = make_stance(30.0, {0.0, 0.0, 1.0});
  for (int side : {1, -1})
    for (const auto& [y, z] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
      add_foot(s, {0.5 * side, 0.1 * y, 1.0 + 0.1 * z}, Eigen::Vector3d(-side, 0, 0), 0.6);
  use_axes_of_the_peer(s, 0.6);
  const PeerAnswer answer = ask_peer(s, 0.6);
  EXPECT_TRUE(answer.status != peer::LP_STATUS_OPTIMAL || answer.robustness > 1e6 * s.mass)
      << "the peer has no answer here, got " << answer.robustness;
  EquilibriumOptions options;
  options.shape = ConeShape::inner(4);
  options.generators = true;
  const EquilibriumResult result = EquilibriumChecker().check(s.problem, {}, options);
  EXPECT_EQ(result.verdict, Verdict::kHolds);
  EXPECT_EQ(judge_equilibrium(s.problem, {}, options.shape, result.certificate), Verdict::kHolds);
  EXPECT_EQ(result.generators.state, Margin::State::kUnbounded);
}

}  // namespace
}  // namespace stiction
