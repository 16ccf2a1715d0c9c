// Engines stop where they are asked to, before a decision and in the middle of one.
#include <gtest/gtest.h>

#include "stiction/engine.hpp"

namespace stiction {
namespace {

/// Eight round cones around the vertical, which carry a load that is out of the middle.
ConeProgram table()
{
  constexpr int kLegs = 8;
  ConeProgram program;
  program.E.resize(6, 3 * kLegs);
  for (int leg = 0; leg < kLegs; ++leg) {
    const Eigen::Vector3d place(std::cos(0.7 * leg), std::sin(0.7 * leg), 0.0);
    const Eigen::Matrix3d axes = (Eigen::Matrix3d() << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished();  // normal, t1, t2
    program.E.block<3, 3>(0, 3 * leg) = axes;
    for (int k = 0; k < 3; ++k) program.E.block<3, 1>(3, 3 * leg + k) = place.cross(axes.col(k));
    program.cones.push_back({3 * leg, {2, false, 0.3, 0.0, 1.0, {}}});
  }
  program.e = (Eigen::VectorXd(6) << 1.0, 0.5, 9.81, 3.0, -4.0, 0.2).finished();
  return program;
}

class StopEngine : public ::testing::TestWithParam<const char*> {};

TEST_P(StopEngine, BeforeAndDuringADecision)
{
  const ConeProgram program = table();
  ConeAnswer wanted, got;
  make_engine(GetParam())->decide(program, wanted);
  const std::unique_ptr<Engine> engine = make_engine(GetParam());
  int asked = 0, last = std::numeric_limits<int>::max();
  engine->set_stop([&] { return ++asked >= last; });
  engine->decide(program, got);
  EXPECT_EQ(got.outcome, wanted.outcome);
  const int times = asked;
  EXPECT_GE(times, std::string(GetParam()) == "qpoases" ? 1 : 3);  // qpOASES: of small programs only
  for (last = 1; last <= times; ++last) {
    asked = 0;
    EXPECT_THROW(engine->decide(program, got), Stopped) << last << " of " << times;
    GaussAnswer motion;
    asked = last - 1;
    EXPECT_THROW(engine->gauss(GaussProgram(), motion), Stopped);
    asked = last - 1;
    EXPECT_THROW(stopping_with(*engine, engine->second_opinion())->decide(program, got), Stopped);
  }
  engine->set_stop({});
  engine->forget();
  engine->decide(program, got);
  EXPECT_EQ(got.outcome, wanted.outcome);
  EXPECT_EQ(got.x, wanted.x);
}

INSTANTIATE_TEST_SUITE_P(All, StopEngine, ::testing::Values("native", "sparse", "qpoases"));

}  // namespace
}  // namespace stiction
