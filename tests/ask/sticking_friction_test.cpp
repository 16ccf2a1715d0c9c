// The friction with which a touchdown sticks, where feet leave.
#include <gtest/gtest.h>

#include <cmath>

#include "stiction/impact.hpp"
#include "stiction/paper/impact_energy.hpp"

namespace stiction {
namespace {

constexpr double kMass = 2.0, kSpoke = 0.5, kSpeed = 1.3;  // kg, m, rad/s

Contact spoke(const char* name, int row)
{
  Contact contact;
  contact.name = name;
  contact.row = row;
  contact.tangents = 1;
  contact.mu = 1.0;
  return contact;
}

/// A wheel of spokes, 2 alpha apart, in the plane (x, z, forward turn), as the new foot comes down: it turns about the
/// old one.
ContactProblem wheel(double alpha, double inertia, Eigen::Vector3d& velocity)
{
  const double s = kSpoke * std::sin(alpha), c = kSpoke * std::cos(alpha);
  ContactProblem p;
  p.M = Eigen::Vector3d(kMass, kMass, inertia).asDiagonal();
  p.F = Eigen::Vector3d(0, kMass * 9.81, 0);
  p.J.resize(4, 3);
  p.J << 0, 1, s, 1, 0, -c,  // old foot, behind: z and x of a point at (-s, -c), turning forward
      0, 1, -s, 1, 0, -c;    // new foot
  p.gamma.setZero(4);
  p.contacts = {spoke("old", 0), spoke("new", 2)};
  velocity = kSpeed * Eigen::Vector3d(c, -s, 1.0);
  return p;
}

TEST(StickingFriction, OfAWheelOfSpokesIsThatOfTheNewFoot)
{
  for (const double alpha : {0.2, 0.3, 0.45})
    for (const double inertia : {0.01, 0.1, 0.4}) {
      Eigen::Vector3d velocity;
      const ContactProblem p = wheel(alpha, inertia, velocity);
      const Impact impact{velocity, {}};
      ASSERT_LE((p.J.topRows(2) * velocity).norm(), 1e-12);
      const double ml2 = kMass * kSpoke * kSpoke;
      const double after = kSpeed * (inertia + ml2 * std::cos(2 * alpha)) / (inertia + ml2);  // about the new foot
      const double wanted = std::cos(alpha) * (kSpeed - after) / (std::sin(alpha) * (kSpeed + after));
      EXPECT_EQ(sticking_touchdown(p, impact).friction[0], kInfinity);  // it would have to pull
      const std::optional<double> found = sticking_friction(p, impact);
      ASSERT_TRUE(found);
      EXPECT_NEAR(*found, wanted, 1e-9) << alpha << " " << inertia;
    }
}

TEST(StickingFriction, IsThatOfAllContactsWhereNoneLeaves)
{
  Eigen::Vector3d velocity;
  const ContactProblem p = wheel(0.4, 0.1, velocity);
  const Impact dropped{Eigen::Vector3d(0.2, -1.0, 0.0), {}};  // onto both
  const StickingTouchdown all = sticking_touchdown(p, dropped);
  ASSERT_TRUE(all.consistent);
  const std::optional<double> found = sticking_friction(p, dropped);
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, std::max(all.friction[0], all.friction[1]), 1e-12);
}

TEST(StickingFriction, IsNoneWhereTheRowsExcludeEachOther)
{
  ContactProblem p;  // a carriage between two buffers on the same side, one of which bounces
  p.M = Eigen::Matrix<double, 1, 1>::Constant(1.0);
  p.F.setZero(1);
  p.J = Eigen::Vector2d(1.0, 1.0);
  p.gamma.setZero(2);
  Contact row = spoke("a", 0);
  row.tangents = 0;
  row.mu = 0.0;
  p.contacts = {row, row};
  p.contacts[1].name = "b";
  p.contacts[1].row = 1;
  ImpactLaw bounce;
  bounce.normal = 0.5;
  EXPECT_FALSE(sticking_friction(p, {Eigen::VectorXd::Constant(1, -1.0), {ImpactLaw{}, bounce}}));
}

}  // namespace
}  // namespace stiction
