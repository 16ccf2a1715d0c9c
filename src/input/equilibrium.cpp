#include "stiction/equilibrium_input.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/error.hpp"

namespace stiction {

Eigen::Matrix<double, 3, 2> horizontal_axes(const Eigen::Vector3d& gravity)
{
  if (gravity.isZero(0.0))
    throw InputError("options.push.direction", "want a unit vector or any where there is no gravity, got horizontal");
  const Eigen::Vector3d up = -gravity.normalized();
  const Eigen::Vector3d guide = std::abs(up.x()) > 0.9 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitX();
  Eigen::Matrix<double, 3, 2> axes;
  axes.col(0) = (guide - up * up.dot(guide)).normalized();
  axes.col(1) = up.cross(axes.col(0));
  return axes;
}

void ask_push(Scene& scene, const SceneState& state, const PushOption& push, EquilibriumOptions& options)
{
  LoadDescription load;
  load.link = push.link;
  load.at = push.at;
  const auto pushed = [&](const Eigen::Vector3d& direction) {
    load.force = direction;
    return scene.generalised_force(state, load, "options.push");
  };
  options.push.resize(0);
  options.ball.resize(0, 0);
  if (push.kind == PushOption::Direction::kGiven) {
    options.push = pushed(push.direction);
    return;
  }
  Eigen::Matrix3Xd axes = Eigen::Matrix3d::Identity();
  if (push.kind == PushOption::Direction::kHorizontal) axes = horizontal_axes(scene.gravity());
  options.ball.resize(scene.nv(), axes.cols());
  for (Eigen::Index k = 0; k < axes.cols(); ++k) options.ball.col(k) = pushed(axes.col(k));
}

void ask_margins(const ContactProblem& problem, EquilibriumOptions& options)
{
  options.friction_scale = true;
  options.effort = std::ranges::any_of(problem.actuators, [](const Actuator& actuator) {
    return std::isfinite(actuator.lower) || std::isfinite(actuator.upper);
  });
  options.generators =
      options.shape.approximation == ConeApproximation::kInner && problem.loops.empty() &&
      std::ranges::all_of(problem.contacts, [](const Contact& c) { return c.side == Side::kUnilateral; });
}

}  // namespace stiction
