// What of one body may come to touch what of another.
#pragma once

#include <Eigen/Geometry>
#include <optional>
#include <string>
#include <vector>

#include "stiction/proof/impact.hpp"
#include "stiction/scenario.hpp"
#include "stiction/simulator.hpp"

namespace stiction::internal {

/// A corner (radius 0), ball, cylinder or rim of a body over a face without end, or over a ball, of another.
struct Feature {
  Simulation::Contact told;
  ContactDescription contact;  ///< link, on, friction and radii; its point and normal are those of an instant
  ImpactLaw law;
  std::string body, face_body;  ///< "model/link" or "world"
  bool of_link = true;          ///< the feature is the link's and the face that of what it is on; else the reverse

  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< in `body`
  double radius = 0.0;
  std::optional<Eigen::Vector3d> axis;                   ///< in `body`: round about it only
  Eigen::Vector3d face_point = Eigen::Vector3d::Zero();  ///< in `face_body`; of a ball its centre
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();     ///< in `face_body`, out of the face
  double face_radius = 0.0;                              ///< > 0: a ball

  bool touches_at_start = true;

  /// The point of contact is not the same point of the body at every instant.
  bool rolls() const { return radius > 0.0 || face_radius > 0.0; }
};

/// A stop of a joint: a row that has one degree of freedom.
struct Stop {
  int dof = 0;
  double side = 1.0;   ///< +1: the joint may only grow from it
  double limit = 0.0;  ///< in terms of the distance from the described posture, rad or m
};

/// Where a feature is, with both bodies in their places.
struct Touch {
  double gap = 0.0;               ///< m
  Eigen::Vector3d point, normal;  ///< in the world; the normal out of the face
};
Touch touch_of(const Feature& feature, const Eigen::Isometry3d& body, const Eigen::Isometry3d& face);

/// The contact that it is there, as a Scene takes it.
ContactDescription contact_of(const Feature& feature, const Eigen::Isometry3d& body, const Eigen::Isometry3d& face);

/// Features of a scenario whose poses and contacts are ordinary ones: of its contacts, and of the collision shapes over
/// the ground and obstacles that are planes. @param sources of its contacts, in the scenario as it was written
std::vector<Feature> features_of(const Scenario& plain, const std::vector<int>& sources, Scene& scene);

}  // namespace stiction::internal
