// A scene whose contacts change as it moves: which features touch is said at every instant.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulate/feature.hpp"

namespace stiction::internal {

class MovingScene {
 public:
  /// @throws InputError naming the entry of the scenario.
  explicit MovingScene(const Scenario& scenario);

  const std::string& name() const { return name_; }
  const SceneState& start() const { return start_; }
  const std::vector<ModelDescription>& models() const { return description_.models; }
  Scene& bodies() { return *bodies_; }
  const std::vector<std::string>& dof_names() const { return dof_names_; }
  const std::vector<Simulation::Joint>& joints() const { return joints_; }
  const std::vector<std::string>& body_names() const { return body_names_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<Feature>& features() const { return features_; }
  const std::vector<Stop>& stops() const { return stops_; }
  /// Features, then stops.
  std::size_t size() const { return features_.size() + stops_.size(); }
  bool is_stop(std::size_t i) const { return i >= features_.size(); }
  Simulation::Contact told(std::size_t i) const;

  /// Positions of joints, and poses of bodies.
  void places(const SceneState& state, Eigen::VectorXd& joints, std::vector<Eigen::Isometry3d>& bodies);
  /// Of every feature and stop.
  void gaps(const SceneState& state, Eigen::VectorXd& out);
  /// The contact problem with those that are closed, in their order.
  void compute(const SceneState& state, const std::vector<int>& closed, ContactProblem& problem);
  /// Loads, given efforts: what the F of contact problems has subtracted.
  Eigen::VectorXd applied(const SceneState& state);

 private:
  void find_joints();
  const Eigen::Isometry3d& pose(const SceneState& state, const std::string& body);

  std::string name_;
  SceneDescription description_;  ///< without contacts
  std::vector<Feature> features_;
  std::vector<Stop> stops_;
  std::vector<std::string> stop_names_, dof_names_, warnings_;
  std::vector<Simulation::Joint> joints_;
  Eigen::VectorXd joint_starts_;  ///< where they are described
  std::vector<std::string> body_names_;
  std::optional<Scene> bodies_;  ///< without contacts
  std::optional<Scene> touching_;
  std::vector<int> touching_features_;
  SceneState start_;
  std::map<std::string, Eigen::Isometry3d> poses_;  ///< of the state at hand
};

}  // namespace stiction::internal
