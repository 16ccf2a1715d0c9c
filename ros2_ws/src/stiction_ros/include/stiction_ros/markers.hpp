#pragma once

#include <stiction/equilibrium.hpp>
#include <stiction/region.hpp>
#include <visualization_msgs/msg/marker_array.hpp>

namespace stiction_ros {

struct MarkerStyle {
  double cone_length = 0.1;    ///< of the sides of a friction cone, m
  double weight_length = 0.5;  ///< of the arrow of a force as large as `View::weight`, m
  double motion_length = 0.2;  ///< of the fastest arrow of a failing motion, m
};

/// What there is to see of one judgement; references must outlive the call.
struct View {
  const stiction::ContactProblem& problem;
  const stiction::EquilibriumResult& result;
  const stiction::RegionResult* region = nullptr;  ///< none: not looked for
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();
  /// Velocity of the centre of mass in the failing motion (failing_motion below).
  Eigen::Vector3d center_of_mass_velocity = Eigen::Vector3d::Zero();
  double weight = 1.0;  ///< N
};

/// The motion (nv) that the loads drive and nothing opposes, -y of the certificate's first leaf; empty unless it fails
/// by one.
Eigen::VectorXd failing_motion(const stiction::ContactProblem& problem, const stiction::EquilibriumResult& result);

/// Height at which the ground is shown: that of the lowest contact, or of the centre of mass without any; m.
double ground_height(const View& view);

/// Contact points, friction cones, contact forces (when it holds), support region and centre of mass, the failing
/// motion as arrows (when it fails). Begins with DELETEALL, so what is no longer there disappears.
visualization_msgs::msg::MarkerArray markers(const std_msgs::msg::Header& header, const View& view,
                                             const MarkerStyle& style = {});

/// Removes everything: there is nothing to see.
visualization_msgs::msg::MarkerArray no_markers(const std_msgs::msg::Header& header);

}  // namespace stiction_ros
