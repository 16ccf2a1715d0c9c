// J and gamma of a contact problem in a state: rows that compare two bodies, each entry with its own rounding.
#include <algorithm>
#include <cmath>

#include "scene/scene_impl.hpp"

namespace stiction {

using internal::Articulation;
using internal::carried;
using internal::Carrier;
using internal::Column;
using internal::ContactShape;
using internal::idx;
using internal::Root;
using internal::RowBlock;
using internal::Sized;
using internal::SizedAxes;

/// Classical acceleration in root axes of the point of a body that is there, for zero joint accelerations.
/// nonLinearEffects left v and a of each joint frame in its own axes.
Eigen::Vector3d Scene::Impl::acceleration(int joint, const Eigen::Vector3d& point) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  const Articulation::Frame& frame = bodies.frame(joint);
  const Eigen::Vector3d r = frame.R.transpose() * (point - frame.r);
  const Eigen::Vector3d omega = in_motion->v[idx(joint)].angular(), alpha = in_motion->a_gf[idx(joint)].angular();
  const Eigen::Vector3d velocity = in_motion->v[idx(joint)].linear() + omega.cross(r);
  return frame.R * (in_motion->a_gf[idx(joint)].linear() + alpha.cross(r) + omega.cross(velocity));
}

/// Velocity in root axes of the point of a body that is there; of the same pass.
Eigen::Vector3d Scene::Impl::velocity(int joint, const Eigen::Vector3d& point) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  const Articulation::Frame& frame = bodies.frame(joint);
  const pinocchio::Motion& v = in_motion->v[idx(joint)];
  return frame.R * (v.linear() + v.angular().cross(Eigen::Vector3d(frame.R.transpose() * (point - frame.r))));
}

Eigen::Vector3d Scene::Impl::angular_velocity(int joint) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  return bodies.frame(joint).R * in_motion->v[idx(joint)].angular();
}

Eigen::Vector3d Scene::Impl::angular_acceleration(int joint) const
{
  if (joint == 0) return Eigen::Vector3d::Zero();
  return bodies.frame(joint).R * in_motion->a_gf[idx(joint)].angular();
}

/// Adds the rows' entries for the joints of one body, in the frame of its root. A row is the axis n at the point p:
/// (n, p x n) for a free root; for a joint at r with linear motion v and rotation w, n.(v + w x (p - r)). Without
/// mimic joints an entry has one term and is decided at once; else its rounding is added to row_noise.
void Scene::Impl::add_columns(const RowBlock& block, const std::vector<Column>& columns, const Sized& point,
                              const SizedAxes& axes, Eigen::MatrixXd& J)
{
  const bool sums = core->coordinates.has_mimics;
  const double reach = point.size.sum();
  for (const Column& column : columns) {
    double* const entry = &J(block.row, column.dof);
    double* const entry_noise = &row_noise(0, column.dof);
    const auto add = [&](int i, double value, double bound) {
      if (sums) {
        entry[i] += column.factor * value;
        entry_noise[i] += std::abs(column.factor) * bound;
      } else {
        entry[i] = internal::without_noise(column.factor * value, bound);
      }
    };
    const Articulation::Joint& joint = bodies.joint(column.joint);
    const double rounding = std::max(block.rounding, joint.rounding);
    const int linear = block.linear, rows = block.linear + block.angular;
    if (column.base >= 3) {
      const int k = column.base - 3, a = (k + 1) % 3, b = (k + 2) % 3;
      for (int i = 0; i < linear; ++i)
        add(i, point.value[a] * axes.value(b, i) - point.value[b] * axes.value(a, i),
            rounding * (point.size[a] * axes.size(b, i) + point.size[b] * axes.size(a, i)));
      for (int i = linear; i < rows; ++i) add(i, axes.value(k, block.turn_axis + i - linear), 0.0);
      continue;
    }
    if (column.base >= 0) {
      for (int i = 0; i < linear; ++i) add(i, axes.value(column.base, i), 0.0);
      continue;
    }
    const Articulation::Frame& frame = bodies.frame(column.joint);
    Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
    double size = 0.0;
    if (joint.slides) {
      velocity = bodies.linear(column.full);
      size = 1.0;
    }
    const Eigen::Vector3d turn = bodies.angular(column.full);
    if (joint.turns) {
      velocity += turn.cross(point.value - frame.r);
      size += reach + frame.path;
    }
    for (int i = 0; i < linear; ++i) add(i, axes.value.col(i).dot(velocity), rounding * size);
    for (int i = linear; i < rows; ++i) add(i, axes.value.col(block.turn_axis + i - linear).dot(turn), rounding);
  }
}

/// Both bodies are compared at the same point, so joints that carry both cancel exactly and are left out.
void Scene::Impl::fill_rows(ContactProblem& problem, bool moving)
{
  problem.J.setZero(core->row_count, core->coordinates.nv);
  problem.gamma.setZero(core->row_count);
  for (std::size_t r = 0; r < core->rows.size(); ++r) {
    const RowBlock& block = core->rows[r];
    const Root &root_a = roots[idx(block.a.root)], &root_b = roots[idx(block.b.root)];
    const bool apart = block.a.root != block.b.root, need_b = moving || !block.columns_b.empty();
    Sized point_a, point_b;
    if (block.point_on == Carrier::kA) {
      point_a = bodies.point(block.a.joint, block.point);
      if (need_b) point_b = apart ? carried(point_a, root_a, root_b) : point_a;
    } else {
      point_b = bodies.point(block.b.joint, block.point);
      point_a = apart ? carried(point_b, root_b, root_a) : point_b;
    }
    SizedAxes axes_a, axes_b;
    switch (block.axes_on) {
      case Carrier::kA:
        axes_a = bodies.axes(block.a.joint, block.axes);
        if (need_b) axes_b = apart ? carried(axes_a, root_a, root_b) : axes_a;
        break;
      case Carrier::kB:
        axes_b = bodies.axes(block.b.joint, block.axes);
        axes_a = apart ? carried(axes_b, root_b, root_a) : axes_b;
        break;
      case Carrier::kWorld:
        axes_a = carried(block.axes, {}, root_a);
        if (need_b) axes_b = carried(block.axes, {}, root_b);
        break;
    }
    const bool sums = core->coordinates.has_mimics;
    if (sums) row_noise.setZero();
    add_columns(block, block.columns_a, point_a, axes_a, problem.J);
    if (!block.columns_b.empty()) add_columns(block, block.columns_b, point_b, axes_b, problem.J);
    for (Eigen::Index dof = 0; sums && dof < problem.J.cols(); ++dof)
      for (int k = 0; k < block.linear + block.angular; ++k) {
        double& entry = problem.J(block.row + k, dof);
        entry = internal::without_noise(entry, row_noise(k, dof));
      }
    if (moving) fill_drift(block, point_a, point_b, axes_a.value, problem.gamma);
    if (r < problem.contacts.size()) {
      const bool on_a = block.point_on == Carrier::kA;
      const Root& root = on_a ? root_a : root_b;
      problem.contacts[r].point_W = root.R * (on_a ? point_a : point_b).value + root.t;
      problem.contacts[r].axes_W = block.axes_on == Carrier::kWorld ? block.axes.value
                                   : block.axes_on == Carrier::kA   ? Eigen::Matrix3d(root_a.R * axes_a.value)
                                                                    : Eigen::Matrix3d(root_b.R * axes_b.value);
    }
  }
}

/// Jdot v in the root frame of A: the point of contact stays with its body, or travels where surfaces roll, and the
/// axes turn with theirs. Entries that are only rounding of their own terms are zero, as in J.
void Scene::Impl::fill_drift(const RowBlock& block, const Sized& point_a, const Sized& point_b,
                             const Eigen::Matrix3d& axes, Eigen::VectorXd& gamma) const
{
  const Eigen::Matrix3d turn = turn_between(block);
  const int a = block.a.joint, b = block.b.joint;
  const Eigen::Vector3d& p = point_a.value;
  const Eigen::Vector3d& q = point_b.value;
  const Eigen::Vector3d slip = velocity(a, p) - turn * velocity(b, q);
  const Eigen::Vector3d turn_a = angular_velocity(a), turn_b = turn * angular_velocity(b);
  Eigen::Vector3d turn_axes = block.axes_on == Carrier::kA   ? turn_a
                              : block.axes_on == Carrier::kB ? turn_b
                                                             : Eigen::Vector3d::Zero();
  const Articulation::MotionSize size_a = motion_size(a, point_a), size_b = motion_size(b, point_b);
  const double speed = size_a.speed + size_b.speed, spin = size_a.spin + size_b.spin;
  double size = size_a.acceleration + size_b.acceleration + 2.0 * spin * speed;

  const ContactShape& shape = block.shape;
  const bool with_a = shape.sharp == ContactShape::Sharp::kNone ? block.point_on == Carrier::kA
                                                                : shape.sharp == ContactShape::Sharp::kA;
  const Eigen::Vector3d& turn_other = with_a ? turn_b : turn_a;
  Eigen::Vector3d rolling = Eigen::Vector3d::Zero();
  if (shape.given) {
    const auto normal = axes.col(0);
    const auto tangents = axes.rightCols<2>();
    const Eigen::Vector2d slip_t = tangents.transpose() * slip;
    const Eigen::Vector2d tilt = tangents.transpose() * normal.cross(turn_a - turn_b);
    const Eigen::Vector2d rate = shape.travel_rate(tilt, slip_t, with_a);
    rolling = (turn_a - turn_b).cross(tangents * rate);
    // The normal turns with the smoother body, and as the point travels over its curved surface.
    const bool normal_of_a = shape.sharp == ContactShape::Sharp::kB ||
                             (shape.sharp == ContactShape::Sharp::kNone && block.axes_on == Carrier::kA);
    const Eigen::Vector2d over_a = with_a ? rate : Eigen::Vector2d(rate - slip_t), over_b = over_a + slip_t;
    turn_axes = normal_of_a ? Eigen::Vector3d(turn_a - normal.cross(tangents * (shape.curvature_a * over_a)))
                            : Eigen::Vector3d(turn_b + normal.cross(tangents * (shape.curvature_b * over_b)));
    const double curvature = shape.curvature_a.cwiseAbs().sum() + shape.curvature_b.cwiseAbs().sum();
    const double travel = shape.travel.cwiseAbs().sum() * (spin + curvature * speed);
    size += travel * spin + curvature * (travel + speed) * speed;
  }
  const Eigen::Vector3d linear =
      acceleration(a, p) - turn * acceleration(b, q) + rolling - (turn_other + turn_axes).cross(slip);
  const Eigen::Vector3d angular =
      angular_acceleration(a) - turn * angular_acceleration(b) - turn_axes.cross(turn_a - turn_b);
  const double rounding = block.rounding + internal::kJointRounding;
  const double angular_size = size_a.spin_rate + size_b.spin_rate + (spin + turn_axes.lpNorm<1>()) * spin;
  for (int k = 0; k < block.linear; ++k)
    gamma(block.row + k) = internal::without_noise(axes.col(k).dot(linear), rounding * size);
  for (int k = 0; k < block.angular; ++k)
    gamma(block.row + block.linear + k) =
        internal::without_noise(axes.col(block.turn_axis + k).dot(angular), rounding * angular_size);
}

/// From the root frame of B to that of A.
Eigen::Matrix3d Scene::Impl::turn_between(const RowBlock& block) const
{
  if (block.a.root == block.b.root) return Eigen::Matrix3d::Identity();
  return roots[idx(block.a.root)].R.transpose() * roots[idx(block.b.root)].R;
}

Articulation::MotionSize Scene::Impl::motion_size(int joint, const Sized& point) const
{
  return bodies.motion_size(joint, point.size.sum() + bodies.frame(joint).path);
}

}  // namespace stiction
