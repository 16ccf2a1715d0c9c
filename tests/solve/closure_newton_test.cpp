// Claims about closure, checked by their own equations: forces that balance inside the cones, twists in the duals.

#include <gtest/gtest.h>

#include <cmath>

#include "solve/closure_newton.hpp"
#include "support/grasps.hpp"

namespace stiction {
namespace {

using internal::ClosureNewton;
using testing::finger;
using testing::make_grasp;
using testing::planar;
using testing::random_fingers;
using testing::Rng;
using End = ClosureNewton::End;

std::vector<ConeBlock> cones_of(const Grasp& grasp)
{
  std::vector<ConeBlock> cones;
  for (const GraspBlock& block : grasp.contacts) cones.push_back({block.col, block.cone});
  return cones;
}

class ClosureClaims : public ::testing::Test {
 protected:
  ClosureNewton newton_;

  /// What is claimed, after a look at the claim.
  End claim(const Eigen::MatrixXd& G, const std::vector<ConeBlock>& cones)
  {
    const End end = newton_.run(G, cones);
    if (end == End::kForces) {
      EXPECT_LT((G * newton_.forces()).norm(), 1e-10 * newton_.forces().norm() * G.norm());
      for (const ConeBlock& block : cones)
        EXPECT_GT(slack(block.cone, newton_.forces().segment(block.col, block.cone.dim())), 0.0);
    }
    if (end == End::kTwist) {
      const Eigen::VectorXd against = -(G.transpose() * newton_.twist());
      EXPECT_GT(newton_.twist().norm(), 0.0);
      for (const ConeBlock& block : cones)
        EXPECT_LE(support(block.cone, against.segment(block.col, block.cone.dim())),
                  1e-13 * G.norm() * newton_.twist().norm());
    }
    return end;
  }
  End claim(const Grasp& grasp) { return claim(grasp.G, cones_of(grasp)); }
};

const std::vector<GraspContact> kTriangle = {finger({1, 0, 0}, {-1, 0, 0}, 0.8),
                                             finger({-0.5, 0.8, 0}, {0.5, -0.8, 0}, 0.8),
                                             finger({-0.5, -0.8, 0}, {0.5, 0.8, 0}, 0.8)};

TEST_F(ClosureClaims, ThreeFingersAroundABallHold) { EXPECT_EQ(claim(make_grasp(kTriangle)), End::kForces); }

TEST_F(ClosureClaims, ThreeFingersOnOneSidePushItAway)
{
  std::vector<GraspContact> contacts = kTriangle;
  for (GraspContact& contact : contacts)
    contact.normal = Eigen::Vector3d(contact.normal.x(), contact.normal.y(), 3.0).normalized();
  EXPECT_EQ(claim(make_grasp(contacts)), End::kTwist);
}

/// Two opposed fingers hold all but the rotation about their line, which a third pushes in one direction only.
TEST_F(ClosureClaims, TwoFingersAreAnAxis)
{
  const Grasp grasp = make_grasp({finger({1, 0, 0}, {-1, 0, 0}, 0.5), finger({-1, 0.1, 0.2}, {1, 0.1, 0}, 0.5),
                                  finger({0.3, 0.9, 0.3}, {0.1, 0.2, -1}, 0.3)});
  ASSERT_EQ(claim(grasp), End::kTwist);
  const Eigen::VectorXd seen = grasp.G.transpose() * newton_.twist();
  EXPECT_LT(seen.head(6).norm(), 1e-13 * seen.norm());
  EXPECT_GT(seen[6], 0.0);
}

TEST_F(ClosureClaims, PlanarFingersAndPullingCones)
{
  std::vector<GraspContact> contacts = {finger({1, 0, 0}, {-1, 0.1, 0}, 0.5), finger({-1, 0, 0}, {1, 0.2, 0}, 0.5)};
  EXPECT_EQ(claim(make_grasp(contacts, planar())), End::kForces);
  contacts[1].normal = -contacts[1].normal;
  const Grasp grasp = make_grasp(contacts, planar());
  EXPECT_EQ(claim(grasp), End::kTwist);
  std::vector<ConeBlock> cones = cones_of(grasp);
  cones[1].cone.sign = -1.0;
  EXPECT_EQ(claim(grasp.G, cones), End::kForces);
}

TEST_F(ClosureClaims, TwoSoftFingersHoldWhatTwoHardOnesDoNot)
{
  std::vector<GraspContact> contacts = {finger({1, 0, 0}, {-1, 0, 0}, 0.5), finger({-1, 0, 0}, {1, 0, 0}, 0.5)};
  EXPECT_EQ(claim(make_grasp(contacts)), End::kOpen);  // rank 5: for an engine to say
  for (GraspContact& contact : contacts) {
    contact.kind = GraspContactKind::kSoftFinger;
    contact.torsion = 0.1;
  }
  EXPECT_EQ(claim(make_grasp(contacts)), End::kForces);
}

/// Mixed kinds and sizes. Both claims are common, hardly anything stays open.
TEST_F(ClosureClaims, RandomGrasps)
{
  Rng rng(20);
  int count[3] = {};
  for (int i = 0; i < 4000; ++i) {
    const bool plane = i % 4 == 0;
    std::vector<GraspContact> contacts = random_fingers(rng, 3 + i % 7, i % 3 == 0 ? 0.8 : 2.0, plane);
    for (GraspContact& contact : contacts) {
      if (i % 5 == 1 && rng() % 2) contact.kind = GraspContactKind::kFrictionless;
      if (i % 5 == 2 && rng() % 2) contact.kind = GraspContactKind::kSoftFinger;
      contact.torsion = 0.05;
    }
    ++count[static_cast<int>(claim(make_grasp(contacts, plane ? planar() : WrenchConvention{})))];
  }
  EXPECT_GT(count[static_cast<int>(End::kForces)], 1000);
  EXPECT_GT(count[static_cast<int>(End::kTwist)], 1000);
  EXPECT_LT(count[static_cast<int>(End::kOpen)], 200);
}

}  // namespace
}  // namespace stiction
