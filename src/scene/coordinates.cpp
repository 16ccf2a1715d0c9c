#include "scene/coordinates.hpp"

#include <algorithm>
#include <cmath>

#include "base/numerics.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

/// Numbers a joint needs in q: Pinocchio stores a quaternion, or cosine and sine.
int positions(JointType type)
{
  if (type == JointType::kFloating) return 7;
  return type == JointType::kPlanar ? 4 : 1;
}

void set_pose(Eigen::Ref<Eigen::VectorXd> q, const Eigen::Isometry3d& pose)
{
  q.head<3>() = pose.translation();
  q.tail<4>() = Eigen::Quaterniond(pose.linear()).normalized().coeffs();  // x y z w
}

void check_vector(const char* path, const Eigen::VectorXd& x, Eigen::Index size)
{
  if (x.size() != size)
    throw InputError(path, "want " + std::to_string(size) + " numbers, got " + std::to_string(x.size()));
  if (!x.allFinite()) throw InputError(path, "want finite numbers, got at least one that is not");
}

}  // namespace

const UrdfJoint* Coordinates::joint_of(const JointSlot& slot) const
{
  return slot.joint < 0 ? nullptr : &trees[idx(slot.model)]->joints[idx(slot.joint)];
}

bool Coordinates::follows(const JointSlot& slot) const
{
  const UrdfJoint* joint = joint_of(slot);
  return joint && joint->mimics >= 0;
}

void Coordinates::number(Eigen::Index full_nq, Eigen::Index full_nv)
{
  q_source.assign(idx(full_nq), 0);
  v_source.assign(idx(full_nv), 0);
  q_scale = Eigen::VectorXd::Ones(full_nq);
  q_offset = Eigen::VectorXd::Zero(full_nq);
  v_scale = Eigen::VectorXd::Ones(full_nv);
  for (const JointSlot& slot : slots) {
    if (follows(slot)) continue;
    if (slot.type == JointType::kFloating) unit_segments.emplace_back(nq + 3, 4);
    if (slot.type == JointType::kPlanar) unit_segments.emplace_back(nq + 2, 2);
    for (int k = 0; k < positions(slot.type); ++k) q_source[idx(slot.q + k)] = static_cast<int>(nq++);
    for (int k = 0; k < freedoms(slot.type); ++k) v_source[idx(slot.v + k)] = static_cast<int>(nv++);
  }
  for (const JointSlot& slot : slots) {
    if (!follows(slot)) continue;
    has_mimics = true;
    const UrdfJoint& joint = *joint_of(slot);
    const JointSlot& driver = driver_of(slot);
    q_source[idx(slot.q)] = q_source[idx(driver.q)];
    v_source[idx(slot.v)] = v_source[idx(driver.v)];
    q_scale(slot.q) = v_scale(slot.v) = joint.multiplier;
    q_offset(slot.q) = joint.offset;
  }
}

const JointSlot& Coordinates::driver_of(const JointSlot& slot) const
{
  const int driver = joint_of(slot)->mimics;
  return *std::ranges::find_if(
      slots, [&](const JointSlot& other) { return other.model == slot.model && other.joint == driver; });
}

void Coordinates::hold(const std::vector<char>& held)
{
  nv = 0;
  for (const JointSlot& slot : slots)
    for (int k = 0; !follows(slot) && k < freedoms(slot.type); ++k) {
      v_source[idx(slot.v + k)] = held[idx(slot.v + k)] ? -1 : static_cast<int>(nv++);
      holds_any = holds_any || held[idx(slot.v + k)];
    }
  for (const JointSlot& slot : slots) {
    if (!follows(slot)) continue;
    const JointSlot& driver = driver_of(slot);
    v_source[idx(slot.v)] = v_source[idx(driver.v)];
    if (held[idx(slot.v)] && !held[idx(driver.v)])
      throw InputError("models." + model_names[idx(slot.model)] + ".urdf",
                       "want joints in the plane of the scene that no joint out of it follows, got " +
                           quoted(joint_of(slot)->name) + ", which follows " + quoted(joint_of(driver)->name));
  }
}

int Coordinates::freedoms_of(const JointSlot& slot) const
{
  int count = 0;
  for (int k = 0; k < freedoms(slot.type); ++k) count += v_source[idx(slot.v + k)] >= 0;
  return count;
}

int Coordinates::dof_of(int model, int joint) const
{
  const auto slot =
      std::ranges::find_if(slots, [&](const JointSlot& other) { return other.model == model && other.joint == joint; });
  return v_source[idx(slot->v)];
}

std::vector<Dof> Coordinates::dofs() const
{
  std::vector<Dof> list(idx(nv));
  for (const JointSlot& slot : slots) {
    if (follows(slot)) continue;
    const UrdfJoint* joint = joint_of(slot);
    int index = 0;
    for (int k = 0; k < freedoms(slot.type); ++k)
      if (const int dof = v_source[idx(slot.v + k)]; dof >= 0)
        list[idx(dof)] = {model_names[idx(slot.model)], joint ? joint->name : "", index++, freedoms_of(slot)};
  }
  return list;
}

SceneState Coordinates::make_state(const std::vector<ModelState>& states) const
{
  SceneState result{Eigen::VectorXd(nq), Eigen::VectorXd(nv), Eigen::VectorXd(nv)};
  const auto set = [&](Eigen::VectorXd& values, const JointSlot& slot, int k, double value, const char* entry) {
    if (const int dof = v_source[idx(slot.v + k)]; dof >= 0)
      values(dof) = value;
    else if (value != 0.0)
      throw InputError(
          "models." + model_names[idx(slot.model)] + "." + entry + (slot.joint < 0 ? "" : "." + joint_of(slot)->name),
          "want 0 for what the plane of the scene holds, got " + text(value));
  };
  for (const JointSlot& slot : slots) {
    if (follows(slot)) continue;
    const ModelState& state = states[idx(slot.model)];
    const int q = q_source[idx(slot.q)];
    if (slot.joint < 0) {
      set_pose(result.q.segment(q, 7), state.pose);
      for (int k = 0; k < 3; ++k) {
        set(result.v, slot, k, state.linear[k], "twist");
        set(result.v, slot, 3 + k, state.angular[k], "twist");
        set(result.a, slot, k, state.linear_acceleration[k], "acceleration");
        set(result.a, slot, 3 + k, state.angular_acceleration[k], "acceleration");
      }
      continue;
    }
    const auto& p = state.positions[idx(slot.joint)];
    for (int k = 0; k < freedoms(slot.type); ++k) {
      set(result.v, slot, k, state.rates[idx(slot.joint)][idx(k)], "rates");
      set(result.a, slot, k, state.accelerations[idx(slot.joint)][idx(k)], "accelerations");
    }
    if (slot.type == JointType::kFloating)
      set_pose(result.q.segment(q, 7), isometry({p[0], p[1], p[2]}, {p[3], p[4], p[5]}));
    else if (slot.type == JointType::kPlanar)
      result.q.segment<4>(q) << p[0], p[1], std::cos(p[2]), std::sin(p[2]);
    else
      result.q(q) = p[0];
  }
  return result;
}

void Coordinates::expand(const Eigen::VectorXd& q, Eigen::VectorXd& full_q) const
{
  for (Eigen::Index i = 0; i < full_q.size(); ++i) full_q(i) = q_scale(i) * q(q_source[idx(i)]) + q_offset(i);
}

void Coordinates::expand_rate(const Eigen::VectorXd& v, Eigen::VectorXd& full_v) const
{
  for (Eigen::Index i = 0; i < full_v.size(); ++i) {
    const int dof = v_source[idx(i)];
    full_v(i) = dof < 0 ? 0.0 : v_scale(i) * v(dof);
  }
}

Eigen::VectorXd Coordinates::reduce(const Eigen::VectorXd& full_q) const
{
  Eigen::VectorXd q(nq);
  for (const JointSlot& slot : slots)
    if (!follows(slot))
      q.segment(q_source[idx(slot.q)], positions(slot.type)) = full_q.segment(slot.q, positions(slot.type));
  return q;
}

Eigen::VectorXd Coordinates::reduce_rate(const Eigen::VectorXd& full_v) const
{
  Eigen::VectorXd v(nv);
  for (const JointSlot& slot : slots)
    for (int k = 0; !follows(slot) && k < freedoms(slot.type); ++k)
      if (const int dof = v_source[idx(slot.v + k)]; dof >= 0)
        v(dof) =
            slot.type == JointType::kContinuous ? std::remainder(full_v(slot.v), 2.0 * EIGEN_PI) : full_v(slot.v + k);
  return v;
}

void Coordinates::check(const SceneState& state) const
{
  check_vector("state.q", state.q, nq);
  check_vector("state.v", state.v, nv);
  if (state.effort.size() > 0) check_vector("state.effort", state.effort, nv);
  for (const auto& [start, length] : unit_segments)
    if (const double norm = state.q.segment(start, length).norm(); !(std::abs(norm - 1.0) <= kUnitRounding))
      throw InputError(
          "state.q[" + std::to_string(start) + "]",
          std::string("want a unit ") + (length == 4 ? "quaternion" : "(cos, sin)") + ", got norm " + text(norm));
}

}  // namespace stiction::internal
