// Motion between events: which contacts touch, and which of them slip, stays.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "simulate/moving_scene.hpp"
#include "stiction/motion_laws.hpp"

namespace stiction::internal {

/// Slower than this, a contact or a joint that a motor holds counts as at rest, m/s or rad/s: what projecting and
/// cutting steps leave is far below, and what gravity gives in a nanosecond is as much.
inline constexpr double kStandstill = 1e-8;

/// What touches, and how. Indices are those of MovingScene.
struct Touching {
  std::vector<int> closed;                             ///< increasing
  std::vector<std::optional<Eigen::Vector2d>> slides;  ///< one per closed: its direction in its own axes, if it slips
  std::vector<double> turns;  ///< one per actuator: sign of its rate, 0: its motor holds the joint
};

/// What the laws say at an instant.
struct Instant {
  std::vector<int> closed;  ///< whose contacts the problem has
  ContactProblem problem;
  MotionPrediction laws;
  SlipDirections slips;
  Eigen::VectorXd speed;  ///< J v
  double power = 0.0;     ///< of loads and motors, W
  double friction = 0.0;  ///< what contacts take, W
  double residual = 0.0;

  bool solved() const { return laws.converged(); }
};

class Motion {
 public:
  explicit Motion(const Scenario& scenario);

  MovingScene scene;
  Touching touching;

  /// Accelerations where it is; forces start from those of `near`.
  void evaluate(const SceneState& state, const Instant* near, Instant& out);

  /// After a time `step`.
  struct End {
    SceneState state;
    double work = 0.0, friction = 0.0;
    bool solved = true;  ///< the laws had a solution on the way
  };
  End integrate(const SceneState& start, const Instant& at_start, double step);

  /// Takes out what is left of velocities and gaps that are to be zero. Returns the largest gap, m or rad.
  double stabilise(SceneState& state, const Instant& instant);

  double kinetic(const SceneState& state) { return scene.bodies().kinetic_energy(state); }
  double potential(const SceneState& state) { return scene.bodies().potential_energy(state); }

 private:
  /// The linear and angular velocity of a floating base; -1: held by the plane of the scene.
  struct FreeBase {
    std::string root;
    std::array<int, 6> dof;
  };
  Eigen::Matrix3d turn_of(const FreeBase& base, const Eigen::VectorXd& q);
  Eigen::VectorXd moved(const Eigen::VectorXd& q, const Eigen::VectorXd& step);
  Eigen::VectorXd with_world_axes(const Eigen::VectorXd& q, Eigen::VectorXd v, bool to_world);
  Eigen::VectorXd world_acceleration(const SceneState& state, const Eigen::VectorXd& a);

  std::vector<FreeBase> bases_;
};

}  // namespace stiction::internal
