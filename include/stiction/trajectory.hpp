// Trajectories: velocities and accelerations from sampled configurations, and the nearest motion in which contacts
// stick.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "stiction/scene.hpp"

namespace stiction {

/// Velocity and acceleration at times[at] from configurations around it, by a polynomial fitted in the tangent space:
/// ξ(s) = difference(q[at], q(times[at] + s)) ≈ c0 + c1 s + c2 s² (+ c3 s³), least squares, v = c1 and a = 2 c2. With
/// five or more rows it is a cubic, whose c2 in the middle of equal steps is that of the quadratic (Savitzky and
/// Golay). c0 is what smoothing would move the configuration by: it is not used. At s = 0 the rate of ξ is the velocity
/// in the body's own axes and its second derivative the acceleration, also on SE(3), where [ξ', ξ'] = 0.
/// @param times increasing, s; as many as q. @throws InputError "times" for less than three rows or times that do not
/// increase.
void fit_motion(const Scene& scene, std::span<const double> times, std::span<const Eigen::VectorXd> q, std::size_t at,
                Eigen::VectorXd& v, Eigen::VectorXd& a);

/// The same for accelerations alone, where velocities are known: the slope of a quadratic through v.
void fit_acceleration(std::span<const double> times, std::span<const Eigen::VectorXd> v, std::size_t at,
                      Eigen::VectorXd& a);

/// What keeps measured velocities and accelerations from those of contacts that stick.
struct StickingCorrection {
  double speed = 0.0;  ///< largest velocity of a contact or closure that was taken out, m/s (rad/s where it turns)
  double acceleration = 0.0;  ///< the same for accelerations, m/s^2 (rad/s^2)
  int speed_row = -1;         ///< first row of that contact or closure in the problem; -1: there is none
  int acceleration_row = -1;
};

/// Moves state.v and state.a to the nearest ones with which every contact and closure of the scene sticks, J v = 0 and
/// J a + gamma = 0; nearest in the kinetic metric (v - v0)'M(v - v0). `problem` becomes that of the new state.
StickingCorrection stick(Scene& scene, SceneState& state, ContactProblem& problem);

}  // namespace stiction
