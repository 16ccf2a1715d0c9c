// The sizes that tolerances and bounds of the judges are made of.
#include "proof/scales.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "proof/examples.hpp"
#include "support/random_problems.hpp"

namespace stiction::internal {
namespace {

using examples::add_closure;
using examples::system;
using examples::vec;
using stiction::testing::add_contact;
using stiction::testing::free_body;
using stiction::testing::gaussian;
using stiction::testing::Rng;
using stiction::testing::uniform;

Scales scales_of(const ContactProblem& p)
{
  Scales s;
  s.measure(p);
  s.measure_forces(p);
  s.measure_accelerations(p);
  return s;
}

/// Two bodies, each on contacts of its own with the world.
ContactProblem two_bodies(Rng& rng)
{
  ContactProblem p = free_body(rng, 2);
  for (int body : {0, 1})
    for (int i = 0; i < 3; ++i) add_contact(p, gaussian(rng, 3), gaussian(rng, 3), 0.5, Side::kUnilateral, body);
  p.F = gaussian(rng, 12);
  return p;
}

// ---------------------------------------------------------------------------------------------- parts

TEST(ScalesParts, BodiesThatDoNotTouchArePartsOfTheirOwn)
{
  Rng rng{1};
  const ContactProblem p = two_bodies(rng);
  const Scales s = scales_of(p);
  ASSERT_EQ(s.parts, 2);
  for (std::size_t j = 0; j < 12; ++j) EXPECT_EQ(s.part[j], j < 6 ? 0 : 1);
  for (std::size_t i = 0; i < 18; ++i) EXPECT_EQ(s.row_part[i], i < 9 ? 0 : 1);
}

TEST(ScalesParts, ContactClosureOrInertiaMakeOneOfTwo)
{
  Rng rng{2};
  const ContactProblem p = two_bodies(rng);
  ContactProblem touching = p;
  add_contact(touching, gaussian(rng, 3), gaussian(rng, 3), 0.5, Side::kUnilateral, 1);
  touching.J.bottomRows(3).leftCols(6) = -touching.J.bottomRows(3).rightCols(6);
  EXPECT_EQ(scales_of(touching).parts, 1);
  ContactProblem pinned = p;
  Eigen::VectorXd row = Eigen::VectorXd::Zero(12);
  row[0] = 1;
  row[11] = -1;
  add_closure(pinned, "pin", {row});
  EXPECT_EQ(scales_of(pinned).parts, 1);
  EXPECT_EQ(scales_of(pinned).row_part.back(), 0);
  ContactProblem coupled = p;
  coupled.M(2, 9) = coupled.M(9, 2) = 1e-300;
  EXPECT_EQ(scales_of(coupled).parts, 1);
}

TEST(ScalesParts, ATangentAloneJoinsToo)
{
  // Seven sliders; a contact's normal touches the first, its tangent the last.
  ContactProblem p = system(Eigen::VectorXd::Ones(7), Eigen::VectorXd::Ones(7));
  Eigen::VectorXd first = Eigen::VectorXd::Zero(7), last = first;
  first[0] = last[6] = 1.0;
  examples::add_contact(p, "foot", 0.5, {first, last});
  const Scales s = scales_of(p);
  EXPECT_EQ(s.parts, 6);
  EXPECT_EQ(s.part[0], s.part[6]);
  EXPECT_EQ(s.row_part[0], s.part[0]);
  EXPECT_EQ(s.row_part[1], s.part[0]);
}

/// Two bodies in a plane, with two contacts each: no more degrees of freedom than one in space.
ContactProblem two_planar_bodies()
{
  ContactProblem p = system(vec({1, 1, 0.5, 1, 1, 0.5}), vec({3, -9, 1, 2, -8, 0.5}));
  for (const double x : {0.25, -2.0})
    examples::add_contact(p, "a" + std::to_string(x), 0.4, {vec({0, 1, x, 0, 0, 0}), vec({1, 0, 0.5, 0, 0, 0})});
  for (const double x : {0.5, -1.0})
    examples::add_contact(p, "b" + std::to_string(x), 0.4, {vec({0, 0, 0, 0, 1, x}), vec({0, 0, 0, 1, 0, 4})});
  return p;
}

TEST(ScalesParts, FewDegreesOfFreedomAreOneOnlyWhereSomethingConnectsThem)
{
  for (const Eigen::Index n : {6, 7}) {
    const ContactProblem p = system(Eigen::VectorXd::Ones(n), Eigen::VectorXd::Ones(n));
    EXPECT_EQ(scales_of(p).parts, n);
  }
  Rng rng{3};
  ContactProblem one = free_body(rng, 1);
  add_contact(one, gaussian(rng, 3), gaussian(rng, 3), 0.5);
  EXPECT_EQ(scales_of(one).parts, 1);
  ContactProblem sliders = system(Eigen::VectorXd::Ones(6), Eigen::VectorXd::Ones(6));
  for (int j = 0; j < 6; ++j) sliders.dofs.push_back({"box", "", j, 6});  // of a floating base
  EXPECT_EQ(scales_of(sliders).parts, 1);
  for (int j = 4; j < 6; ++j) sliders.dofs[static_cast<std::size_t>(j)].model = "other";
  EXPECT_EQ(scales_of(sliders).parts, 2);
  const Scales two = scales_of(two_planar_bodies());
  ASSERT_EQ(two.parts, 2);
  EXPECT_EQ(two.part, (std::vector<int>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(two.row_part, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(two.reach.row(0).transpose(), vec({1, 1, 2, 0, 0, 0}));  // its body's longest lever arm, and no other's
  EXPECT_EQ(two.reach.row(3).transpose(), vec({0, 0, 0, 1, 1, 4}));
}

// ---------------------------------------------------------------------------------------------- sizes

TEST(ScalesSizes, AreThoseOfTheDefinition)
{
  // Seven sliders, two of them turning on arms of 0.5 and 2 m; loads 3 N, 4 N m and 8 N m: 3 + 4 / 0.5 + 8 / 2.
  ContactProblem p = system(vec({1, 1, 1, 1, 1, 1, 1}), vec({3, 4, -8, 0, 0, 0, 0}));
  examples::add_contact(p, "a", 0.5, {vec({1, 0.25, 0, 0, 0, 0, 0}), vec({0, 0.5, 0, 0, 0, 0, 0})});
  examples::add_contact(p, "b", 0.5, {vec({0.5, 0, 2, 0, 0, 0, 0})});
  Contact& soft = examples::add_contact(p, "c", 0.5, {vec({0.5, 0, 0.5, 0, 0, 0, 0})});
  examples::append_rows(p, {vec({0, 0, 0.25, 0, 0, 0, 0})});
  soft.torsional = true;
  add_closure(p, "pin", {vec({0, 0, 1, 0, 0, 0, 0})});
  const Scales s = scales_of(p);
  EXPECT_EQ(s.lever.head(3), vec({1, 0.5, 2}));
  EXPECT_EQ(s.reach.row(0).transpose(), vec({1, 0.5, 0, 0, 0, 0, 0}));
  EXPECT_EQ(s.weight,
            vec({1, 1, 1, 0.5, 0.125, 0.5}));  // of rows: normal and tangent alike, torsion and closure by their own
  EXPECT_EQ(s.force[s.part[0]], 15.0);
  EXPECT_EQ(s.row_force(0), 15.0);
  EXPECT_EQ(s.row_force(4), 120.0);
  EXPECT_EQ(s.row_force(5), 30.0);
  // What forces of that size do to degree of freedom 2: 2 (2 * 15 + 0.5 * 30) + 0.25 * 120 + 30.
  EXPECT_EQ(s.load_reach(p, 2), 150.0);
  EXPECT_EQ(s.load_reach(p, 3), 0.0);
}

TEST(ScalesSizes, DriftAndFreeLimbsAddTheirInertia)
{
  // Drift of 3 m/s^2 at a row of weight 1: masses of 2 kg on a lever of 1, 0.5 kg m^2 on one of 0.5 m.
  ContactProblem p = system(vec({2, 0.5}), vec({1, 1}));
  examples::add_contact(p, "a", 0.5, {vec({1, 0.5})});
  p.gamma[0] = -3.0;
  Scales s = scales_of(p);
  EXPECT_EQ(s.drift[0], 3.0);
  EXPECT_EQ(s.force[0], 1 + 2 * 3.0 + (1 + 0.5 * 3.0 / 0.5) / 0.5);
  // A limb that no contact reaches: 10 N on 4 kg, coupled by 2 kg with the body.
  p = system(vec({2, 4}), vec({1, 10}));
  p.M(0, 1) = p.M(1, 0) = 2.0;
  examples::add_contact(p, "a", 0.5, {vec({1, 0})});
  s = scales_of(p);
  EXPECT_EQ(s.force[0], 1 + 2.0 / 4 * 10);
}

TEST(ScalesSizes, OfLoadsAreConvex)
{
  Rng rng{3};
  const ContactProblem p = two_bodies(rng);
  Scales s;
  s.measure(p);
  const auto force = [&](const Eigen::VectorXd& load) {
    s.measure_loads(load);
    return s.force;
  };
  for (int i = 0; i < 100; ++i) {
    const Eigen::VectorXd a = gaussian(rng, 12), b = gaussian(rng, 12);
    const double t = uniform(rng, 0, 1);
    const Eigen::VectorXd between = force((1 - t) * a + t * b), bound = (1 - t) * force(a) + t * force(b);
    EXPECT_TRUE((between.array() <= bound.array() * (1 + 1e-14)).all());
  }
}

// ---------------------------------------------------------------------------------------------- units

/// Lengths times `length`, masses times `mass`, times times `time`.
ContactProblem in_units(const ContactProblem& p, double length, double mass, double time)
{
  ContactProblem q = stiction::testing::in_units(p, length, mass);
  q.F /= time * time;
  q.gamma /= time * time;
  return q;
}

TEST(ScalesUnits, PowersOfTwoChangeNoRatio)
{
  Rng rng{4};
  for (int round = 0; round < 20; ++round) {
    ContactProblem p = two_bodies(rng);
    if (round % 2) {  // one part, in motion
      add_contact(p, gaussian(rng, 3), gaussian(rng, 3), 0.5, Side::kUnilateral, 1);
      p.J.bottomRows(3).leftCols(6) = -p.J.bottomRows(3).rightCols(6);
      p.gamma = gaussian(rng, p.rows());
    }
    const Scales s = scales_of(p);
    for (const double length : {1.0, 0x1p-20, 0x1p10})
      for (const double mass : {1.0, 0x1p-30, 0x1p20})  // powers of four: their roots are exact
        for (const double time : {1.0, 0x1p-10, 0x1p3}) {
          const ContactProblem q = in_units(p, length, mass, time);
          const Scales t = scales_of(q);
          const double newton = mass * length / (time * time);
          EXPECT_EQ(t.weight, s.weight);
          EXPECT_EQ(t.force, (newton * s.force).eval());
          EXPECT_EQ(t.drift, (length / (time * time) * s.drift).eval());
          EXPECT_EQ(t.condition, s.condition);
          for (Eigen::Index j = 0; j < 12; ++j) {
            const double unit = (j / 3) % 2 == 0 ? length : 1.0;  // of the degree of freedom
            EXPECT_EQ(t.lever[j], s.lever[j] * length / unit);
            EXPECT_EQ(t.acceleration[j], s.acceleration[j] * unit / (time * time));
            EXPECT_EQ(t.swing[j] * std::sqrt(q.M(j, j)), s.swing[j] * std::sqrt(p.M(j, j)));
            EXPECT_EQ(t.load_reach(q, j), s.load_reach(p, j) * newton * length / unit);
          }
        }
  }
}

// ---------------------------------------------------------------------------------------------- other parts

TEST(ScalesParts, AHeavyBodyElsewhereInThePlaneChangesNothing)
{
  const ContactProblem p = two_planar_bodies();
  ContactProblem heavy = p;
  heavy.M.bottomRightCorner(3, 3) *= 0x1p60;
  heavy.F.tail(3) *= 0x1p70;
  heavy.J.bottomRightCorner(4, 3) *= 0x1p20;
  heavy.gamma.tail(4).setConstant(0x1p30);
  const Scales s = scales_of(p), t = scales_of(heavy);
  EXPECT_EQ(t.force[0], s.force[0]);
  EXPECT_EQ(t.lever.head(3), s.lever.head(3));
  EXPECT_EQ(t.weight.head(4), s.weight.head(4));
  EXPECT_EQ(t.acceleration.head(3), s.acceleration.head(3));
  for (Eigen::Index row = 0; row < 4; ++row) EXPECT_EQ(t.row_force(row), s.row_force(row));
  for (Eigen::Index j = 0; j < 3; ++j) EXPECT_EQ(t.load_reach(heavy, j), s.load_reach(p, j));
}

TEST(ScalesParts, AHeavyBodyElsewhereChangesNothing)
{
  Rng rng{5};
  const ContactProblem p = two_bodies(rng);
  const Scales s = scales_of(p);
  ContactProblem heavy = p;
  heavy.M.bottomRightCorner(6, 6) *= 0x1p60;
  heavy.F.tail(6) *= 0x1p70;
  heavy.J.bottomRightCorner(9, 6) *= 0x1p20;
  heavy.gamma.tail(9).setConstant(0x1p30);
  const Scales t = scales_of(heavy);
  ASSERT_EQ(t.parts, 2);
  EXPECT_EQ(t.force[0], s.force[0]);
  EXPECT_EQ(t.drift[0], s.drift[0]);
  EXPECT_GT(t.force[1], 0x1p40 * s.force[1]);
  EXPECT_EQ(t.reach.topLeftCorner(3, 6), s.reach.topLeftCorner(3, 6));
  EXPECT_EQ(t.lever.head(6), s.lever.head(6));
  EXPECT_EQ(t.weight.head(9), s.weight.head(9));
  EXPECT_EQ(t.acceleration.head(6), s.acceleration.head(6));
  EXPECT_EQ(t.swing.head(6), s.swing.head(6));
  for (Eigen::Index row = 0; row < 9; ++row) EXPECT_EQ(t.row_force(row), s.row_force(row));
  for (Eigen::Index j = 0; j < 6; ++j) EXPECT_EQ(t.load_reach(heavy, j), s.load_reach(p, j));
  Scales loads = s;
  loads.measure_loads(p.F);
  const double usual = loads.force[0];
  loads.measure_loads(heavy.F);
  EXPECT_EQ(loads.force[0], usual);
}

// ---------------------------------------------------------------------------------------------- accelerations

/// A body on a root of `share` of its mass, in relative coordinates.
ContactProblem on_light_root(Rng& rng, double share)
{
  ContactProblem p = two_bodies(rng);
  p.M.topLeftCorner(6, 6) *= share;
  Eigen::MatrixXd relative = Eigen::MatrixXd::Identity(12, 12);
  relative.bottomLeftCorner(6, 6).setIdentity();
  p.M = (relative.transpose() * p.M * relative).eval();
  p.M = 0.5 * (p.M + p.M.transpose()).eval();
  p.J = (p.J * relative).eval();
  return p;
}

TEST(ScalesAccelerations, BoundWhatLoadsDoToALightRoot)
{
  Rng rng{6};
  for (const double share : {1.0, 1e-2, 1e-4}) {
    const ContactProblem p = on_light_root(rng, share);
    const Scales s = scales_of(p);
    const Eigen::MatrixXd inverse = p.M.inverse();
    const Eigen::VectorXd free = inverse * p.F;
    EXPECT_GT(free.lpNorm<Eigen::Infinity>(), 0.05 / share);  // the root flies
    for (Eigen::Index j = 0; j < 12; ++j) {
      EXPECT_GE(s.acceleration[j], kAccelerations * std::abs(free[j]) * (1 - 1e-9));
      const double least = std::sqrt(inverse(j, j));
      EXPECT_GE(s.swing[j], least);  // and hardly more
      EXPECT_LE(s.swing[j], 1.03 * least);
    }
  }
}

TEST(ScalesAccelerations, SwingsAreNotClaimedWhereMIsNearlySingular)
{
  Rng rng{7};
  const Scales s = scales_of(on_light_root(rng, 1e-12));
  EXPECT_FALSE((s.swing.array() < kInfinity).any());
  EXPECT_TRUE((s.acceleration.array() < kInfinity).all());
  EXPECT_TRUE((s.acceleration.array() > 0.0).all());
}

TEST(ScalesAccelerations, ANearlySingularBodyElsewhereChangesNothing)
{
  Rng rng{8};
  const ContactProblem p = two_bodies(rng);
  const Scales s = scales_of(p);
  for (const int spoilt : {0, 1}) {
    ContactProblem q = p;
    auto M = q.M.block(6 * spoilt, 6 * spoilt, 6, 6);
    M.col(1) = M.col(0);
    M.row(1) = M.row(0);
    Scales t = scales_of(q);
    ASSERT_EQ(t.parts, 2);
    const Eigen::Index sound = 6 * (1 - spoilt);
    EXPECT_EQ(t.swing.segment(sound, 6), s.swing.segment(sound, 6));
    EXPECT_EQ(t.acceleration.segment(sound, 6), s.acceleration.segment(sound, 6));
    EXPECT_FALSE((t.swing.segment(6 * spoilt, 6).array() < kInfinity).any());
    EXPECT_EQ(t.definite, (std::vector<char>{spoilt == 1, spoilt == 0}));
    // M^-1/2 of the sound one: its products are those of M^-1.
    Eigen::MatrixXd X = q.J.transpose();
    t.divide_by_root_mass(q, X);
    const Eigen::MatrixXd J = q.J.middleCols(sound, 6);
    EXPECT_LE((X.middleRows(sound, 6).transpose() * X.middleRows(sound, 6) -
               J * q.M.block(sound, sound, 6, 6).inverse() * J.transpose())
                  .cwiseAbs()
                  .maxCoeff(),
              1e-9);
  }
}

TEST(ScalesAccelerations, MasslessOnesAreMeasuredByTheOthers)
{
  // A slider of 2 kg under 6 N and a massless one beside it on an arm of 0.5 m: 3 m/s^2 at the contact.
  ContactProblem p = system(vec({2, 0}), vec({6, 0}));
  examples::add_contact(p, "foot", 0.5, {vec({1, -0.5})});
  const Scales s = scales_of(p);
  EXPECT_NEAR(s.acceleration[0], kAccelerations * 3.0, 0.05 * kAccelerations * 3.0);  // swings are rounded up
  EXPECT_NEAR(s.acceleration[1], kMasslessAccelerations * 6.0, 0.05 * kMasslessAccelerations * 6.0);
  EXPECT_EQ(s.swing[1], kInfinity);
}

}  // namespace
}  // namespace stiction::internal
