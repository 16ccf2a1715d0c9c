// Velocities and accelerations from configurations, against motions that are known in closed form, and the nearest
// motion in which contacts stick, against its defining conditions.
#include "stiction/trajectory.hpp"

#include <cmath>
#include <random>

#include "input/boxes.hpp"

namespace stiction {
namespace {

using testing::box_on_floor;
using testing::error_of;
using ::testing::HasSubstr;

/// The box at x = t²/2, turned by `turn` t about z: velocity (t, 0, 0) in the world, (t cos, -t sin, 0) in its own
/// axes.
Eigen::VectorXd box_at(double t, double turn)
{
  Eigen::VectorXd q(7);
  q << 0.5 * t * t, 0.0, 0.1, 0.0, 0.0, std::sin(0.5 * turn * t), std::cos(0.5 * turn * t);
  return q;
}

struct Samples {
  std::vector<double> times;
  std::vector<Eigen::VectorXd> q;
};

Samples box_path(double middle, double step, int rows, double turn)
{
  Samples samples;
  for (int k = 0; k < rows; ++k) {
    samples.times.push_back(middle + step * (k - rows / 2));
    samples.q.push_back(box_at(samples.times.back(), turn));
  }
  return samples;
}

TEST(FitMotion, IsTheMotionOfATurningBodyInItsOwnAxes)
{
  const Scene scene(box_on_floor(0.5));
  const double turn = 3.0, t = 0.4;
  Eigen::VectorXd v_expected(6), a_expected(6);
  const double s = std::sin(turn * t), c = std::cos(turn * t);
  v_expected << t * c, -t * s, 0.0, 0.0, 0.0, turn;
  a_expected << c - t * turn * s, -s - t * turn * c, 0.0, 0.0, 0.0, 0.0;
  double last_v = 0.0, last_a = 0.0;
  for (const double step : {0.01, 0.005}) {  // half the step: velocities of a cubic 16 times as good, accelerations 4
    const Samples samples = box_path(t, step, 5, turn);
    Eigen::VectorXd v, a;
    fit_motion(scene, samples.times, samples.q, 2, v, a);
    const double off_v = (v - v_expected).norm(), off_a = (a - a_expected).norm();
    EXPECT_LT(off_v, 1e-4);
    EXPECT_LT(off_a, 5e-3);
    if (last_v > 0.0) {
      EXPECT_NEAR(last_v / off_v, 16.0, 1.0);
      EXPECT_NEAR(last_a / off_a, 4.0, 0.2);
    }
    last_v = off_v;
    last_a = off_a;
  }
}

TEST(FitMotion, IsExactForQuadraticPathsAtAnyRow)
{
  const Scene scene(box_on_floor(0.5));
  std::vector<double> times = {0.0, 0.01, 0.03, 0.04, 0.07};  // steps need not be equal
  std::vector<Eigen::VectorXd> q;
  for (const double t : times) q.push_back(box_at(t, 0.0));
  for (std::size_t at = 0; at < times.size(); ++at) {
    Eigen::VectorXd v, a;
    fit_motion(scene, times, q, at, v, a);
    EXPECT_NEAR(v[0], times[at], 1e-12);
    EXPECT_NEAR(a[0], 1.0, 1e-9);
    EXPECT_LT(v.tail<5>().norm() + a.tail<5>().norm(), 1e-9);
  }
}

TEST(FitMotion, SmoothsNoiseAsSavitzkyAndGolayDo)
{
  // Their weights for five points: velocity (-2, -1, 0, 1, 2)/10 of the quadratic, acceleration 2 (2, -1, -2, -1,
  // 2)/14, and (1, -8, 0, 8, -1)/12 for the velocity of the cubic.
  const Scene scene(box_on_floor(0.5));
  std::mt19937 rng{3};
  std::normal_distribution<double> noise(0.0, 1e-3);
  Samples samples = box_path(0.0, 0.1, 5, 0.0);
  Eigen::VectorXd y(5);
  for (int k = 0; k < 5; ++k) samples.q[static_cast<std::size_t>(k)][1] = y[k] = noise(rng);
  Eigen::VectorXd v, a;
  fit_motion(scene, samples.times, samples.q, 2, v, a);
  EXPECT_NEAR(v[1], (y[0] - 8.0 * y[1] + 8.0 * y[3] - y[4]) / 1.2, 1e-12);
  EXPECT_NEAR(a[1], (2.0 * y[0] - y[1] - 2.0 * y[2] - y[3] + 2.0 * y[4]) / 0.07, 1e-11);

  std::vector<Eigen::VectorXd> velocities;
  for (int k = 0; k < 5; ++k) velocities.push_back(Eigen::VectorXd::Constant(1, y[k]));
  fit_acceleration(samples.times, velocities, 2, a);
  EXPECT_NEAR(a[0], (-2.0 * y[0] - y[1] + y[3] + 2.0 * y[4]) / 1.0, 1e-12);
}

TEST(FitMotion, ContinuousJointsGoTheShorterWayRound)
{
  const std::string wheel =
      "<robot name='w'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
      "izz='1'/></inertial></link><link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
      "iyz='0' izz='1'/></inertial></link><joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis "
      "xyz='0 0 1'/></joint></robot>";
  const Scene scene(testing::scene_of({testing::model_from_text("w", wheel, Base::kFixed)}));
  const std::vector<double> times = {0.0, 0.1, 0.2};
  std::vector<Eigen::VectorXd> q;
  for (const double angle : {EIGEN_PI - 0.1, EIGEN_PI, -EIGEN_PI + 0.1})
    q.push_back(Eigen::VectorXd::Constant(1, angle));
  Eigen::VectorXd v, a;
  fit_motion(scene, times, q, 1, v, a);
  EXPECT_NEAR(v[0], 1.0, 1e-12);
  EXPECT_NEAR(a[0], 0.0, 1e-10);
}

TEST(FitMotion, SaysWhatItWants)
{
  const Scene scene(box_on_floor(0.5));
  const std::vector<Eigen::VectorXd> q(3, box_at(0.0, 0.0));
  Eigen::VectorXd v, a;
  const auto fit = [&](std::vector<double> times, std::size_t rows) {
    return error_of([&] { fit_motion(scene, times, {q.data(), rows}, 0, v, a); });
  };
  EXPECT_THAT(fit({0.0, 0.1}, 2), HasSubstr("times: want three rows or more"));
  EXPECT_THAT(fit({0.0, 0.1, 0.1}, 3), HasSubstr("times: want increasing times, got 0.1 after 0.1"));
  EXPECT_THAT(fit({0.0, std::nan(""), 0.1}, 3), HasSubstr("want increasing times"));
}

TEST(Stick, IsTheNearestMotionInWhichContactsStick)
{
  SceneDescription d =
      testing::scene_of({testing::model_from_file("q", testing::own_urdf("quadruped.urdf"), Base::kFloating)});
  for (const char* foot : {"lf", "rf", "lh"})
    d.contacts.push_back(
        testing::contact(foot, std::string("q/") + foot + "_foot", {0, 0, 0}, Eigen::Vector3d::UnitZ()));
  Scene scene(d);
  std::mt19937 rng{11};
  std::normal_distribution<double> gauss;
  SceneState state = scene.described_state();
  for (Eigen::Index i = 0; i < scene.nv(); ++i) {
    state.v[i] = gauss(rng);
    state.a[i] = 10.0 * gauss(rng);
  }
  const Eigen::VectorXd v = state.v, a = state.a;
  ContactProblem raw, problem;
  scene.compute(state, raw);
  const StickingCorrection correction = stick(scene, state, problem);
  EXPECT_LT((problem.J * state.v).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_LT((problem.J * state.a + problem.gamma).lpNorm<Eigen::Infinity>(), 1e-10);
  // Nearest: what was taken out is, as momentum, what impulses at the contacts give.
  const Eigen::MatrixXd Jt = problem.J.transpose();
  for (const Eigen::VectorXd& change : {Eigen::VectorXd(state.v - v), Eigen::VectorXd(state.a - a)}) {
    const Eigen::VectorXd momentum = problem.M * change;
    const Eigen::VectorXd impulses = Jt.colPivHouseholderQr().solve(momentum);
    EXPECT_LT((Jt * impulses - momentum).norm(), 1e-6 * momentum.norm());
    EXPECT_GT(change.norm(), 0.1);
  }
  double fastest = 0.0;
  for (const Contact& c : raw.contacts) fastest = std::max(fastest, (raw.J * v).segment(c.row, 3).norm());
  EXPECT_NEAR(correction.speed, fastest, 1e-12);
  EXPECT_GT(correction.acceleration, 0.1);
  // The problem is that of the new velocity.
  ContactProblem again;
  scene.compute(state, again);
  EXPECT_EQ(again.gamma, problem.gamma);
  EXPECT_EQ(again.F, problem.F);
  // What sticks already stays.
  const SceneState stuck = state;
  EXPECT_LT(stick(scene, state, problem).speed, 1e-12);
  EXPECT_LT((state.v - stuck.v).norm() + (state.a - stuck.a).norm(), 1e-9);
}

TEST(Stick, FourCornersOfABoxLeaveNothing)
{
  Scene scene(box_on_floor(0.5));
  SceneState state = scene.described_state();
  state.v << 0.01, -0.02, 0.003, 0.1, 0.2, -0.1;
  state.a << 1, 2, 3, 4, 5, 6;
  ContactProblem problem;
  const StickingCorrection correction = stick(scene, state, problem);
  EXPECT_LT(state.v.norm(), 1e-12);
  EXPECT_LT(state.a.norm(), 1e-10);
  EXPECT_GT(correction.speed, 0.01);
  SceneDescription free = box_on_floor(0.5);
  free.contacts[0].active = false;
  Scene flies(free);
  state.v << 1, 2, 3, 4, 5, 6;
  EXPECT_EQ(stick(flies, state, problem).speed, 0.0);
  EXPECT_EQ(state.v[0], 1.0);
  EXPECT_EQ(problem.rows(), 0);
}

}  // namespace
}  // namespace stiction
