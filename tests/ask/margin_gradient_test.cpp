// Gradients of margins against differences of the margins, of which every value was found and confirmed by its
// interval.
#include "stiction/margin_gradient.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numbers>

#include "stiction/error.hpp"
#include "support/grasps.hpp"
#include "support/limbs.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

using namespace testing;

/// One question about a problem: the margin's gradient, if it is known.
using Differentiate = std::function<MarginGradient(const ContactProblem&, MarginDifferentiator&)>;

struct Asked {
  ContactProblem problem;
  Eigen::VectorXd a;
  Differentiate differentiate;
  bool prescribed = true;  ///< the acceleration
};

Differentiate of_equilibrium(const Eigen::VectorXd& a, const std::string& margin, const Eigen::VectorXd& push = {})
{
  return [=](const ContactProblem& p, MarginDifferentiator& differentiator) {
    EquilibriumOptions options;
    options.largest_slack = options.structure = options.explain = false;
    options.friction_scale = margin == "friction_scale";
    options.effort = margin == "effort";
    if (margin == "push") options.push = push;
    const EquilibriumResult result = EquilibriumChecker().check(p, a, options);
    if (margin == "effort") return differentiator.effort(p, a, result.effort);
    if (margin == "push") return differentiator.push(p, a, push, result.push);
    return differentiator.friction_scale(p, a, result.friction_scale);
  };
}

MarginGradient of_sticking(const ContactProblem& p, MarginDifferentiator& differentiator)
{
  StickingOptions options;
  options.margins = true;
  return differentiator.friction_scale(p, options.rules, StickingChecker().check(p, options));
}

/// Cheap, and a share of a few says nothing: no fewer under the sanitizers.
int draws(int usual) { return std::max(usual, trials(usual)); }

struct Count {
  int known = 0, one_sided = 0, compared = 0;
};

/// Differences of second order to one side; nothing where the margin is not smooth there.
std::optional<double> difference(const std::function<double(double)>& value, double side)
{
  const auto slope = [&](double h) {
    h *= side;
    return (-3.0 * value(0.0) + 4.0 * value(h) - value(2.0 * h)) / (2.0 * h);
  };
  const double coarse = slope(2e-5), fine = slope(1e-5);
  if (!(std::abs(coarse - fine) <= 1e-6 * (1.0 + std::abs(fine)))) return {};  // a corner on the way, or not known
  return fine;
}

/// `change` makes the problem of h; its slopes are those numbers.
void expect_slopes(const Asked& asked, const std::function<void(ContactProblem&, double)>& change, double rising,
                   double falling, const std::string& what, Count& count)
{
  const auto value = [&](double h) {
    ContactProblem changed = asked.problem;
    change(changed, h);
    MarginDifferentiator differentiator;
    const MarginGradient there = asked.differentiate(changed, differentiator);
    return there.value / (there.known ? 1.0 : 0.0);
  };
  for (const double side : {1.0, -1.0}) {
    const double expected = side > 0.0 ? rising : falling;
    const std::optional<double> seen = difference(value, side);
    if (!seen) continue;
    ++count.compared;
    EXPECT_NEAR(*seen, expected, 1e-6 * (1.0 + std::abs(expected))) << what << " to the side " << side;
  }
}

/// All kinds of changes of a problem's data.
void expect_gradient(Rng& rng, const Asked& asked, Count& count)
{
  MarginDifferentiator differentiator;
  const MarginGradient g = asked.differentiate(asked.problem, differentiator);
  if (!g.known) return;
  ++count.known;
  count.one_sided += !g.differentiable;
  const ContactProblem& p = asked.problem;
  const auto nv = p.nv(), rows = p.rows();
  const auto contact = static_cast<Eigen::Index>(rng() % p.contacts.size());
  const auto place = static_cast<std::size_t>(contact);
  expect_slopes(
      asked, [&](ContactProblem& q, double h) { q.contacts[place].mu += h; }, g.mu.rising[contact],
      g.mu.falling[contact], "mu", count);

  const Eigen::VectorXd dF = p.J.transpose() * gaussian(rng, rows);
  Eigen::MatrixXd dJ = 0.3 * Eigen::Map<Eigen::MatrixXd>(gaussian(rng, rows * nv).data(), rows, nv);
  const Eigen::MatrixXd B = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, nv * nv).data(), nv, nv),
                        dM = 0.1 * (B + B.transpose());
  Eigen::VectorXd loads(3), dgamma = gaussian(rng, rows);
  if (asked.prescribed) dgamma = -dJ * g.a;  // contacts have to stick
  Eigen::MatrixXd of_rows = Eigen::MatrixXd::Zero(rows, 3);
  loads << g.motion.dot(dF), g.row_motion.dot(dJ * g.a + dgamma), g.motion.dot(dM * g.a);
  of_rows.col(1) = dJ * g.motion;
  const Slopes along = differentiator.along(loads, of_rows);
  expect_slopes(
      asked, [&](ContactProblem& q, double h) { q.F += h * dF; }, along.rising[0], along.falling[0], "F", count);
  const auto move_rows = [&](ContactProblem& q, double h) {
    q.J += h * dJ;
    q.gamma += h * dgamma;
  };
  expect_slopes(asked, move_rows, along.rising[1], along.falling[1], "J and gamma", count);
  expect_slopes(
      asked, [&](ContactProblem& q, double h) { q.M += h * dM; }, along.rising[2], along.falling[2], "M", count);
  for (std::size_t k = 0; k < p.actuators.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (std::isfinite(p.actuators[k].lower))
      expect_slopes(
          asked, [&](ContactProblem& q, double h) { q.actuators[k].lower += h; }, g.lower.rising[i], g.lower.falling[i],
          "lower", count);
    if (std::isfinite(p.actuators[k].upper))
      expect_slopes(
          asked, [&](ContactProblem& q, double h) { q.actuators[k].upper += h; }, g.upper.rising[i], g.upper.falling[i],
          "upper", count);
  }
  for (std::size_t k = 0; k < p.contacts.size(); ++k)
    if (std::isfinite(p.contacts[k].max_normal))
      expect_slopes(
          asked, [&](ContactProblem& q, double h) { q.contacts[k].max_normal += h; },
          g.max_normal.rising[static_cast<Eigen::Index>(k)], g.max_normal.falling[static_cast<Eigen::Index>(k)],
          "max_normal", count);
}

/// A block on a slope: friction_scale = tan(slope) / mu, whatever carries it.
TEST(MarginGradient, BlockOnASlope)
{
  const double slope = 0.3, mu = 0.5;
  Stance block = make_stance(2.0, {0, 0, 0.1}, 9.81 * Eigen::Vector3d(std::sin(slope), 0, -std::cos(slope)));
  add_flat_foot(block, {0, 0, 0}, 0.2, 0.2, mu);
  const ContactProblem& p = block.problem;
  MarginDifferentiator differentiator;
  const MarginGradient g = of_equilibrium({}, "friction_scale")(p, differentiator);
  ASSERT_TRUE(g.known) << g.reason;
  EXPECT_NEAR(g.value, std::tan(slope) / mu, 1e-12);
  // Steeper: d tan / d slope = 1 + tan². The forces differ, the slope does not.
  const Eigen::Vector3d turned = 2.0 * 9.81 * Eigen::Vector3d(-std::cos(slope), 0, -std::sin(slope));
  Eigen::VectorXd dF(6);
  dF << turned, block.com.cross(turned);
  const Slopes steeper =
      differentiator.along(Eigen::VectorXd::Constant(1, g.motion.dot(dF)), Eigen::MatrixXd::Zero(12, 1));
  const double expected = (1.0 + std::tan(slope) * std::tan(slope)) / mu;
  EXPECT_NEAR(steeper.rising[0], expected, 1e-9);
  EXPECT_NEAR(steeper.falling[0], expected, 1e-9);
  // Four corners share the load in many ways: more friction below one of them helps as much as it can carry, less of it
  // costs as much as it has to.
  EXPECT_FALSE(g.differentiable);
  for (int i = 0; i < 4; ++i) {
    EXPECT_LT(g.mu.rising[i], -0.01);
    EXPECT_GT(g.mu.falling[i], g.mu.rising[i] + 0.01);
  }
}

TEST(MarginGradient, MarginsOfEquilibriumAgreeWithDifferences)
{
  Rng rng{24};
  Count count;
  for (int trial = 0; trial < draws(12); ++trial) {
    Limbed body = random_limbed(rng, 3 + static_cast<int>(rng() % 3), 5, trial % 3 != 0);
    if (trial % 4 == 1) body.problem.contacts[0].max_normal = 2.5;
    for (const std::string margin : {"friction_scale", "effort", "push"}) {
      SCOPED_TRACE(margin + " of trial " + std::to_string(trial));
      const Eigen::VectorXd push = gaussian(rng, body.problem.nv());
      expect_gradient(rng, {body.problem, body.a, of_equilibrium(body.a, margin, push)}, count);
    }
  }
  std::printf("%d gradients, %d one-sided, %d slopes\n", count.known, count.one_sided, count.compared);
  EXPECT_GT(count.known, draws(12));
  EXPECT_GT(count.compared, 10 * count.known);
}

/// Soles on slopes: more corners than forces can be told of.
TEST(MarginGradient, OfManyForcesAgreesWithDifferences)
{
  Rng rng{25};
  Count count;
  for (int trial = 0; trial < draws(8); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    const Eigen::Vector3d gravity = 9.81 * Eigen::Vector3d(uniform(rng, -0.3, 0.3), uniform(rng, -0.3, 0.3), -1.0);
    Stance s = make_stance(uniform(rng, 1.0, 50.0), {uniform(rng, -0.05, 0.05), 0.02, 0.1}, gravity);
    add_flat_foot(s, {0, 0, 0}, 0.2, 0.15, 0.5);
    for (Contact& contact : s.problem.contacts) contact.mu = uniform(rng, 0.3, 0.8);
    expect_gradient(rng, {s.problem, {}, of_equilibrium({}, "friction_scale")}, count);
    expect_gradient(rng, {s.problem, {}, of_equilibrium({}, "push", gaussian(rng, 6))}, count);
  }
  std::printf("%d gradients, %d one-sided, %d slopes\n", count.known, count.one_sided, count.compared);
  EXPECT_GE(count.one_sided, draws(8) / 2);
  EXPECT_GT(count.compared, 2 * count.known);
}

TEST(MarginGradient, WithGaussAccelerationAgreesWithDifferences)
{
  Rng rng{26};
  Count count;
  for (int trial = 0; trial < draws(20); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    ContactProblem p = random_contacts(rng, 1 + static_cast<int>(rng() % 4), 0.4);
    make_holding(rng, p);
    if (trial % 2 == 0) {  // something accelerates, and rows drift
      p.gamma = gaussian(rng, p.rows());
      p.F += gaussian(rng, 6);
    }
    expect_gradient(rng, {p, {}, of_sticking, false}, count);
  }
  std::printf("%d gradients, %d one-sided, %d slopes\n", count.known, count.one_sided, count.compared);
  EXPECT_GT(count.known, draws(20) / 3);
  EXPECT_GT(count.compared, 4 * count.known);
}

TEST(MarginGradient, OfTheDistanceFromARegionsEdge)
{
  Rng rng{27};
  Count count;
  for (int trial = 0; trial < draws(20); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    Stance s = random_stance(rng, 2, 0.4, 0.4);
    const auto differentiate = [&s](const ContactProblem& p, MarginDifferentiator& differentiator) {
      const RegionInput input{p, {}, s.shift, s.position, -1};
      return differentiator.com(input, RegionChecker().check(input));
    };
    MarginDifferentiator differentiator;
    const MarginGradient g = differentiate(s.problem, differentiator);
    if (!g.known) continue;
    ++count.known;
    const Asked asked{s.problem, {}, differentiate};
    const Eigen::VectorXd dF = s.problem.J.transpose() * gaussian(rng, s.problem.rows());
    const Slopes along = differentiator.along(Eigen::VectorXd::Constant(1, g.motion.dot(dF)),
                                              Eigen::MatrixXd::Zero(s.problem.rows(), 1));
    expect_slopes(
        asked, [&](ContactProblem& q, double h) { q.F += h * dF; }, along.rising[0], along.falling[0], "F", count);
    for (Eigen::Index i = 0; i < 2; ++i)
      expect_slopes(
          asked, [&](ContactProblem& q, double h) { q.contacts[static_cast<std::size_t>(i)].mu += h; }, g.mu.rising[i],
          g.mu.falling[i], "mu", count);
  }
  std::printf("%d gradients, %d slopes\n", count.known, count.compared);
  EXPECT_GT(count.known, draws(20) / 3);
  EXPECT_GT(count.compared, 2 * count.known);
}

/// A square's centre is as near to four sides, and a corner of a region has two motions.
TEST(MarginGradient, SaysWhereThereIsNone)
{
  Stance table = make_stance(10.0, {0, 0, 0.5});
  add_flat_foot(table, {0, 0, 0}, 0.2, 0.2, 0.8);
  MarginDifferentiator differentiator;
  const auto com = [&] {
    const RegionInput input{table.problem, {}, table.shift, table.position, -1};
    return differentiator.com(input, RegionChecker().check(input));
  };
  EXPECT_EQ(com().reason, "the region ends as near in another direction");
  move_com(table, {0.1, 0.0});
  const MarginGradient aside = com();
  ASSERT_TRUE(aside.known) << aside.reason;
  EXPECT_NEAR(aside.value, 0.1, 1e-9);
  EXPECT_TRUE(aside.mu.rising.isZero(1e-12));
  // The weight tips it over the edge x = 0.2; a push up at the other side takes distance away, one down adds some.
  Eigen::VectorXd up(6);
  up << 0, 0, 1, Eigen::Vector3d(-0.2, 0, 0).cross(Eigen::Vector3d::UnitZ());
  const Slopes pushed =
      differentiator.along(Eigen::VectorXd::Constant(1, aside.motion.dot(-up)), Eigen::MatrixXd::Zero(12, 1));
  EXPECT_NEAR(pushed.rising[0], -0.4 / (10.0 * 9.81), 1e-9);

  Eigen::VectorXd push = Eigen::VectorXd::Zero(6);
  push.tail<3>() = Eigen::Vector3d(-1, 1, 0);  // towards the corner (0.2, 0.2), with the weight above the middle
  move_com(table, {0.0, 0.0});
  const MarginGradient corner = of_equilibrium({}, "push", push)(table.problem, differentiator);
  EXPECT_FALSE(corner.known);
  EXPECT_EQ(corner.reason, "the motion at the boundary is not unique");

  const MarginGradient enough = of_equilibrium({}, "friction_scale")(table.problem, differentiator);
  EXPECT_EQ(enough.reason, "no friction is needed: the margin is at its end");
  EXPECT_EQ(differentiator.effort(table.problem, {}, {}).reason, "the margin was not asked for");
  EXPECT_THROW(differentiator.push(table.problem, {}, Eigen::VectorXd::Zero(5), {}), InputError);
}

TEST(MarginGradient, OfTheLeastFrictionOfAGrasp)
{
  Rng rng{28};
  Count count;
  for (int trial = 0; trial < draws(30); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    const bool plane = trial % 3 == 2;
    const std::vector<GraspContact> fingers = random_fingers(rng, 3 + static_cast<int>(rng() % 3), 2.0, plane);
    WrenchConvention convention = plane ? planar() : WrenchConvention{};
    convention.torque_length = 0.7;
    convention.reference = {0.1, -0.2, plane ? 0.0 : 0.3};
    const auto gradient_of = [&](const std::vector<GraspContact>& contacts) {
      const Grasp grasp = make_grasp(contacts, convention);
      ClosureOptions options;
      options.form = options.force = options.explain = false;
      options.minimal_friction = true;
      return MarginDifferentiator().friction_factor(grasp, ClosureChecker().check(grasp, options).friction_factor);
    };
    const GraspGradient g = gradient_of(fingers);
    if (!g.matrices.known) continue;
    ++count.known;
    count.one_sided += !g.matrices.differentiable;
    const auto expect = [&](const std::function<void(std::vector<GraspContact>&, double)>& change, double rising,
                            double falling, const std::string& what) {
      const auto value = [&](double h) {
        std::vector<GraspContact> changed = fingers;
        change(changed, h);
        const GraspGradient there = gradient_of(changed);
        return there.matrices.value / (there.matrices.known ? 1.0 : 0.0);
      };
      for (const double side : {1.0, -1.0}) {
        const std::optional<double> seen = difference(value, side);
        if (!seen) continue;
        ++count.compared;
        const double expected = side > 0.0 ? rising : falling;
        EXPECT_NEAR(*seen, expected, 1e-6 * (1.0 + std::abs(expected))) << what;
      }
    };
    const std::size_t finger = rng() % fingers.size();
    const auto i = static_cast<Eigen::Index>(finger);
    expect([&](auto& c, double h) { c[finger].mu += h; }, g.matrices.mu.rising[i], g.matrices.mu.falling[i], "mu");
    Eigen::Vector3d way = gaussian(rng, 3);
    if (plane) way.z() = 0.0;
    const Eigen::Vector3d n = fingers[finger].normal, across = way - way.dot(n) * n;
    expect([&](auto& c, double h) { c[finger].point += h * way; }, way.dot(g.points.rising.segment<3>(3 * i)),
           way.dot(g.points.falling.segment<3>(3 * i)), "point");
    expect([&](auto& c, double h) { c[finger].normal = (n + h * across).normalized(); },
           across.dot(g.normals.rising.segment<3>(3 * i)), across.dot(g.normals.falling.segment<3>(3 * i)), "normal");
  }
  std::printf("%d gradients, %d one-sided, %d slopes\n", count.known, count.one_sided, count.compared);
  EXPECT_GT(count.known, draws(30) / 3);
  EXPECT_GT(count.compared, 4 * count.known);
}

}  // namespace
}  // namespace stiction
