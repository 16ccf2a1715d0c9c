// What the judge of equilibrium leaves to one motion, for many loads.
#include "proof/leaf_judge.hpp"

#include <gtest/gtest.h>

#include "support/limbs.hpp"

namespace stiction::internal {
namespace {

using testing::add_flat_foot;
using testing::make_stance;
using testing::Rng;
using testing::Stance;
using testing::uniform;

/// A table and minus the motion that tips it over the edge x = 0.5, turned by `lift` off the legs there.
struct Tipping {
  Stance stance = make_stance(10.0, {0.9, 0.05, 0.7});
  Certificate certificate;
  Eigen::VectorXd a = Eigen::VectorXd::Zero(6), none = Eigen::VectorXd::Zero(6);

  explicit Tipping(double lift)
  {
    add_flat_foot(stance, Eigen::Vector3d::Zero(), 0.5, 0.25, 0.5);
    certificate.kind = CertificateKind::kMotion;
    certificate.a = a;
    MotionLeaf& leaf = certificate.leaves.emplace_back();
    leaf.signs.assign(4, 0);
    leaf.motion.setZero(6);
    leaf.motion.head<6>() << 0.0, 0.0, -0.5 - lift, 0.0, -1.0, 0.0;
  }

  double gain(LeafJudge& judge, const Eigen::Vector2d& s, const Eigen::VectorXd& room) const
  {
    ContactProblem moved = stance.problem;
    moved.F += stance.shift * s;
    return judge.failing_gain(moved, a, {}, certificate, room);
  }
};

TEST(LeafJudge, LeavesWhatContactsCannotSupply)
{
  LeafJudge judge;
  const double weight = 98.1;
  Tipping open(1e-11), at_rest(0.0);
  ASSERT_TRUE(judge.measure(open.stance.problem, open.a));
  EXPECT_NEAR(open.gain(judge, {0.0, 0.0}, open.none), 0.4 * weight, 1e-8);
  // At rest two legs are charged with 2^18 u of the force scale at every lever arm.
  const double left = at_rest.gain(judge, {0.0, 0.0}, open.none);
  EXPECT_LT(left, 0.4 * weight - 1e-7);
  EXPECT_GT(left, 0.4 * weight - 1e-4);
  EXPECT_GT(open.gain(judge, {-0.4 + 1e-10, 0.0}, open.none), 0.0);
  EXPECT_EQ(at_rest.gain(judge, {-0.4 + 1e-10, 0.0}, open.none), -kInfinity);
  EXPECT_EQ(open.gain(judge, {-0.4, 0.0}, open.none), -kInfinity);
}

TEST(LeafJudge, RoomIsForEveryLoadWithin)
{
  LeafJudge judge;
  Rng rng{7};
  for (const double lift : {0.0, 1e-11}) {
    const Tipping t(lift);
    ASSERT_TRUE(judge.measure(t.stance.problem, t.a));
    for (int i = 0; i < 200; ++i) {
      Eigen::VectorXd room(6), moved(6);
      for (Eigen::Index j = 0; j < 6; ++j) room[j] = uniform(rng, 0.0, 20.0);
      const double left = t.gain(judge, {0.0, 0.0}, room);
      double least = kInfinity;
      for (int k = 0; k < 64; ++k) {  // corners of the box
        ContactProblem p = t.stance.problem;
        for (Eigen::Index j = 0; j < 6; ++j) p.F[j] += (k >> j & 1 ? 1.0 : -1.0) * room[j];
        least = std::min(least, judge.failing_gain(p, t.a, {}, t.certificate, t.none));
      }
      EXPECT_LE(left, least + 1e-12) << i;  // rounding of F + room here
      EXPECT_LE(least > 1e-3 ? least - left : 0.0, 1e-4) << i;
    }
  }
}

TEST(LeafJudge, GainIsConcave)
{
  LeafJudge judge;
  Rng rng{8};
  for (const double lift : {0.0, 1e-11}) {
    const Tipping t(lift);
    ASSERT_TRUE(judge.measure(t.stance.problem, t.a));
    for (int i = 0; i < 500; ++i) {
      const double size = std::pow(10.0, uniform(rng, -6.0, 6.0)), w = uniform(rng, 0.0, 1.0);
      const Eigen::Vector2d p = size * Eigen::Vector2d(uniform(rng, -1, 1), uniform(rng, -1, 1));
      const Eigen::Vector2d q = size * Eigen::Vector2d(uniform(rng, -1, 1), uniform(rng, -1, 1));
      const double at_p = t.gain(judge, p, t.none), at_q = t.gain(judge, q, t.none);
      if (!std::isfinite(at_p) || !std::isfinite(at_q)) continue;
      const double mean = (1.0 - w) * at_p + w * at_q;
      EXPECT_GE(t.gain(judge, (1.0 - w) * p + w * q, t.none), mean - 1e-12 * (1.0 + std::abs(mean))) << i;
    }
  }
}

TEST(LeafJudge, SaysWhyNothingIsProved)
{
  LeafJudge judge;
  Tipping t(1e-11);
  std::string why;
  ASSERT_TRUE(judge.measure(t.stance.problem, t.a, &why)) << why;
  const auto refused = [&](const ConeShape& shape, const Certificate& c, const Eigen::VectorXd& room) {
    return judge.failing_gain(t.stance.problem, t.a, shape, c, room, &why) == -kInfinity && !why.empty();
  };
  EXPECT_FALSE(refused({}, t.certificate, t.none));
  EXPECT_TRUE(refused(ConeShape::inner(8), t.certificate, t.none));
  EXPECT_TRUE(refused({}, t.certificate, Eigen::VectorXd::Constant(6, -1.0)));
  EXPECT_TRUE(refused({}, t.certificate, Eigen::VectorXd::Zero(5)));
  EXPECT_TRUE(refused({}, t.certificate, Eigen::VectorXd::Constant(6, 1e3)));
  Certificate other = t.certificate;
  other.leaves.clear();
  EXPECT_TRUE(refused({}, other, t.none));
  other = t.certificate;
  other.a[0] = 1.0;
  EXPECT_TRUE(refused({}, other, t.none));
  other = t.certificate;
  other.leaves[0].motion[2] = NAN;
  EXPECT_TRUE(refused({}, other, t.none));
  t.stance.problem.J.resize(3, 6);
  EXPECT_FALSE(judge.measure(t.stance.problem, t.a, &why));
}

}  // namespace
}  // namespace stiction::internal
