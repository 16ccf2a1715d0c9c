#pragma once

// What a scene computes in a state. Includes Pinocchio: scene.cpp and scene_rows.cpp only.
#include <pinocchio/multibody/data.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "scene/core.hpp"
#include "stiction/scene.hpp"

namespace stiction {

struct Scene::Impl {
  std::shared_ptr<const internal::Core> core;
  std::optional<pinocchio::Data> in_motion;  ///< Pinocchio's workspace: nv³ numbers four times, made once needed
  internal::Articulation bodies;
  std::vector<internal::Root> roots;
  std::vector<internal::Sized> gravity;  ///< per root, in its frame
  SceneState full;                       ///< with mimic joints and with floating roots at the origin
  Eigen::VectorXd force, noise;          ///< Coriolis, centrifugal and gravity terms, with mimic joints; their rounding
  Eigen::VectorXd force_noise;           ///< rounding of F
  Eigen::MatrixXd mass;                  ///< with mimic joints; used only when there are any
  Eigen::MatrixXd row_noise;             ///< of one block of rows

  explicit Impl(std::shared_ptr<const internal::Core> shared)
      : core(std::move(shared)),
        bodies(core->articulation),
        gravity(core->fixed_roots.size()),
        full{Eigen::VectorXd(core->model.nq), Eigen::VectorXd(core->model.nv), {}},
        force(core->model.nv),
        noise(core->model.nv),
        force_noise(core->coordinates.nv),
        row_noise(6, core->coordinates.nv)
  {
  }

  pinocchio::Data& moving_data();
  void expand(const Eigen::VectorXd& q);
  void place(const Eigen::VectorXd& q);
  void compose(const SceneState& state, bool moving);
  internal::RigidBody moving_body(int root) const;
  void fill_mass(Eigen::MatrixXd& M);
  void fill_force(const Eigen::VectorXd& effort, Eigen::VectorXd& F);
  void add_load(const internal::LoadBlock& load, double factor, Eigen::VectorXd& out);
  void fill_rows(ContactProblem& problem, bool moving);
  void add_columns(const internal::RowBlock& block, const std::vector<internal::Column>& columns,
                   const internal::Sized& point, const internal::SizedAxes& axes, Eigen::MatrixXd& J);
  void fill_drift(const internal::RowBlock& block, const internal::Sized& point_a, const internal::Sized& point_b,
                  const Eigen::Matrix3d& axes, Eigen::VectorXd& gamma) const;
  Eigen::Matrix3d turn_between(const internal::RowBlock& block) const;
  internal::Articulation::MotionSize motion_size(int joint, const internal::Sized& point) const;
  void check_finite(const ContactProblem& problem) const;
  Eigen::Vector3d acceleration(int joint, const Eigen::Vector3d& point) const;
  Eigen::Vector3d angular_acceleration(int joint) const;
  Eigen::Vector3d velocity(int joint, const Eigen::Vector3d& point) const;
  Eigen::Vector3d angular_velocity(int joint) const;
};

}  // namespace stiction
