#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stiction/grasp.hpp"
#include "stiction/scene.hpp"

namespace stiction {

/// What a grasp has to resist besides gravity and the loads; world axes, torque about the point of the grasp.
struct WrenchOption {
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), torque = Eigen::Vector3d::Zero();
};

/// How a grasp is read from a scene. All but `object` and `shape` are about an object with a floating base.
struct GraspOptions {
  std::string object;                    ///< the model that is held; everything else that moves is the hand
  GraspPlane plane = GraspPlane::kNone;  ///< in the axes of the object's root link
  std::optional<Eigen::Vector3d> point;  ///< torques are about it; in the root link's frame. None: the centre of mass
  std::optional<double> length;          ///< torques are divided by it, m. None: distance of the furthest contact
  std::optional<WrenchOption> wrench;
  ConeShape shape;
};

/// What closure is asked about.
struct GraspInput {
  ContactProblem problem;        ///< without motions of the object out of the plane
  std::vector<int> object_dofs;  ///< in it
  WrenchConvention convention;
  std::optional<ObjectPose> pose;  ///< of an object with a floating base
  ConeShape shape;
  Eigen::VectorXd wrench;  ///< rows of G: what gravity, loads and the wrench of the options do to the object

  /// set_grasp and Grasp::validate.
  void build(Grasp& grasp) const;
};

/// The grasp of an object by everything else in a scene.
/// @param problem of the scene in this state (Scene::compute), with the coefficients that are asked about.
/// @throws InputError "options.object: …" unless it is rigid with a floating base, or on a fixed base with 1 to 6
/// degrees of freedom; "options.wrench: …" for one of the latter.
GraspInput grasp_of(Scene& scene, const SceneState& state, const ContactProblem& problem, const GraspOptions& options);

/// The same for matrices without a scene: the object are the degrees of freedom of the model `options.object` (all of
/// them where ContactProblem::dofs is empty). Torques of a floating base are about its origin and per metre unless
/// `point` and `length` say otherwise.
/// @throws InputError unless these are 1 to 6; "options.plane: …", "options.wrench: …": they are the matrices' matter.
GraspInput grasp_of(const ContactProblem& problem, const GraspOptions& options);

/// The contacts between an object and anything else.
struct ObjectContacts {
  std::vector<GraspContact> contacts;  ///< in the frame of the object's root link
  /// Indices of those that push away from the object's centre of mass: reversing every normal does not change
  /// closure, so closure cannot notice a reversed one.
  std::vector<int> pushing_away;
};
ObjectContacts object_contacts(Scene& scene, const SceneState& state, const ContactProblem& problem,
                               const std::string& object);

}  // namespace stiction
