// Planar problems with every contact closed are linear in (a, lambda) together: M a + F = J'lambda, J a + gamma = 0,
// lambda in its wedge. Every proved verdict must agree with exact rational arithmetic on the same doubles, in the sense
// in which it is meant: "fails" when no forces in proportion to the loads solve it, "holds" when some do after a change
// of the data by rounding.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "oracle/exact_lp.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/sticking.hpp"
#include "support/random_problems.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

using testing::Rng;
using testing::uniform;

/// A point of a planar body (x, z, turn) on the world.
void add_planar(ContactProblem& p, double x, double z, double angle, double mu, Side side)
{
  const Eigen::Index row = p.J.rows();
  const double nx = std::sin(angle), nz = std::cos(angle);
  p.J.conservativeResize(row + 2, 3);
  p.J.row(row) << nx, nz, z * nx - x * nz;
  p.J.row(row + 1) << nz, -nx, z * nz + x * nx;
  p.gamma.conservativeResize(row + 2);
  p.gamma.tail(2).setZero();
  Contact c;
  c.name = "c" + std::to_string(p.contacts.size());
  c.row = static_cast<int>(row);
  c.tangents = 1;
  c.mu = mu;
  c.side = side;
  p.contacts.push_back(c);
}

/// Points on a grid, some of them twice or nearly so, normals along axes or anywhere, loads at, near and far from the
/// boundary.
ContactProblem draw(Rng& rng)
{
  ContactProblem p;
  p.M = Eigen::Vector3d(1, 1, 0.125).asDiagonal();
  p.F.setZero(3);
  p.J.resize(0, 3);
  p.gamma.resize(0);
  const int contacts = 1 + static_cast<int>(rng() % 4);
  for (int i = 0; i < contacts; ++i) {
    const bool again = i > 0 && rng() % 4 == 0;
    const double x = again ? 0.25 : 0.25 * (static_cast<int>(rng() % 5) - 2), z = 0.25 * static_cast<int>(rng() % 3);
    const double apart = again ? std::pow(10.0, uniform(rng, -16, -2)) : 0.0;
    const double angle = rng() % 3 == 0 ? uniform(rng, -3, 3) : std::numbers::pi / 2 * static_cast<int>(rng() % 4);
    add_planar(p, x + apart, z, angle, 0.125 * static_cast<int>(rng() % 9), Side::kUnilateral);
  }
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(p.rows());
  for (const Contact& c : p.contacts) {
    lambda[c.row] = static_cast<int>(rng() % 4);
    const double share = static_cast<int>(rng() % 5) - 2;  // beyond the rim, on it, inside
    lambda[c.row + 1] =
        0.5 * share * c.mu * lambda[c.row] * (1 + (rng() % 2 ? std::pow(10.0, uniform(rng, -15, -1)) : 0.0));
  }
  p.F = p.J.transpose() * lambda;
  if (rng() % 3 == 0) p.F[static_cast<Eigen::Index>(rng() % 3)] += std::pow(10.0, uniform(rng, -16, 0));
  return p;
}

struct Exact {
  ConeProgram program;
  Eigen::VectorXd slack;

  /// Forces up to `most` newtons; with `moving` the acceleration is free and every contact keeps still.
  Exact(const ContactProblem& p, double most, bool moving)
  {
    const Eigen::Index n = p.nv(), m = moving ? p.rows() : 0, limits = static_cast<Eigen::Index>(p.contacts.size());
    program.E.setZero(n + m + limits, p.rows() + limits + (moving ? n : 0));
    program.e.setZero(n + m + limits);
    program.E.topLeftCorner(n, p.rows()) = p.J.transpose();
    program.e.head(n) = p.F;
    for (const Contact& c : p.contacts) program.cones.push_back({c.row, {c.tangents, false, c.mu, 0.0, 1.0, {}}});
    for (Eigen::Index i = 0; i < limits; ++i) {
      program.E(n + m + i, p.contacts[static_cast<size_t>(i)].row) = 1.0;
      program.E(n + m + i, p.rows() + i) = 1.0;
      program.e[n + m + i] = most;
      program.boxes.push_back({static_cast<int>(p.rows() + i), 0.0, kInfinity});
    }
    if (moving) {
      program.E.topRightCorner(n, n) = -p.M;
      program.E.block(n, p.rows() + limits, m, n) = p.J;
      program.e.segment(n, m) = -p.gamma;
      for (Eigen::Index j = 0; j < n; ++j) program.free.push_back(static_cast<int>(p.rows() + limits + j));
    }
    slack.setZero(program.e.size());
    slack.head(n).setConstant(1e-9 * p.F.lpNorm<Eigen::Infinity>());
    slack.segment(n, m).setConstant(1e-12 * p.F.lpNorm<Eigen::Infinity>());
  }
};

struct Count {
  int wrong = 0, undecided = 0, far_undecided = 0, holds = 0, fails = 0;
};

void compare(const ContactProblem& p, Verdict verdict, bool moving, Count& count)
{
  const double load = p.F.lpNorm<Eigen::Infinity>();
  const bool solvable = test::exact_feasible(Exact(p, 256 * load, moving).program);
  const Exact wide(p, 1048576 * load, moving);
  const bool nearly = solvable || test::exact_feasible(wide.program, wide.slack);
  if (verdict == Verdict::kFails && solvable) ++count.wrong;
  if (verdict == Verdict::kHolds && !nearly) ++count.wrong;
  (verdict == Verdict::kHolds ? count.holds : verdict == Verdict::kFails ? count.fails : count.undecided)++;
  if (verdict == Verdict::kUndecided && !nearly) ++count.far_undecided;
}

int draws() { return testing::trials(600); }

class ExactSticking : public ::testing::Test {
 protected:
  void SetUp() override
  {
    if (!test::exact_lp_missing().empty()) GTEST_SKIP() << "SKIPPED: " << test::exact_lp_missing();
  }
};

TEST_F(ExactSticking, AgreesWithRationalArithmetic)
{
  Rng rng{31};
  StickingChecker checker(make_native_engine());
  StickingOptions options;
  options.rules.detachment = Detachment::kForbidden;
  Count count;
  for (int i = 0; i < draws(); ++i) {
    const ContactProblem p = draw(rng);
    compare(p, checker.check(p, options).verdict, true, count);
  }
  EXPECT_EQ(count.wrong, 0);
  EXPECT_LE(count.far_undecided, draws() / 100);
  EXPECT_GT(std::min(count.holds, count.fails), draws() / 20);
  RecordProperty("undecided", count.undecided);
}

TEST_F(ExactSticking, EquilibriumAgreesWithRationalArithmetic)
{
  Rng rng{32};
  EquilibriumChecker checker(make_native_engine());
  Count count;
  for (int i = 0; i < draws(); ++i) {
    const ContactProblem p = draw(rng);
    compare(p, checker.check(p, {}, {}).verdict, false, count);
  }
  EXPECT_EQ(count.wrong, 0);
  EXPECT_LE(count.far_undecided, draws() / 100);
  EXPECT_GT(std::min(count.holds, count.fails), draws() / 20);
  RecordProperty("undecided", count.undecided);
}

}  // namespace
}  // namespace stiction
