#include "stiction/grasp.hpp"

#include <Eigen/Geometry>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/numerics.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

using internal::kUnitRounding;
using internal::text;

std::string at(const char* list, std::size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

/// Axes of the plane: the two of its forces, then the one of its torque.
struct PlaneAxes {
  int a, b, c;
};
PlaneAxes plane_axes(GraspPlane plane)
{
  switch (plane) {
    case GraspPlane::kYZ:
      return {1, 2, 0};
    case GraspPlane::kZX:
      return {2, 0, 1};
    default:
      return {0, 1, 2};
  }
}

void check_convention(const WrenchConvention& convention)
{
  if (!(std::isfinite(convention.torque_length) && convention.torque_length > 0.0))
    throw InputError("torque_length", "want finite and > 0, got " + text(convention.torque_length));
  if (!convention.reference.allFinite())
    throw InputError("reference", "want finite coordinates, got " + text(convention.reference));
}

/// The normal, checked: exactly in the plane and of unit length.
Eigen::Vector3d unit_normal(const GraspContact& contact, const WrenchConvention& convention, std::size_t i)
{
  Eigen::Vector3d normal = contact.normal;
  constexpr double kExactly = 1e-15;  // planner's normals of unit length to rounding stay as they are
  const auto is_unit = [&] { return std::abs(normal.squaredNorm() - 1.0) <= kExactly; };
  if (convention.plane == GraspPlane::kNone && is_unit()) return normal;
  const double length = normal.norm();
  if (!(std::abs(length - 1.0) <= kUnitRounding))
    throw InputError(at("contacts", i) + ".normal", "want a unit vector, got " + text(normal));
  if (convention.plane != GraspPlane::kNone) {
    double& across = normal[plane_axes(convention.plane).c];
    if (!(std::abs(across) <= kUnitRounding))
      throw InputError(at("contacts", i) + ".normal", "want a vector of the plane, got " + text(normal));
    across = 0.0;
  }
  if (!is_unit()) normal.normalize();
  return normal;
}

void check(const GraspContact& contact, std::size_t i)
{
  if (!contact.point.allFinite())
    throw InputError(at("contacts", i) + ".point", "want finite coordinates, got " + text(contact.point));
  if (!(std::isfinite(contact.mu) && contact.mu >= 0.0))
    throw InputError(at("contacts", i) + ".mu", "want finite and >= 0, got " + text(contact.mu));
  if (!(std::isfinite(contact.torsion) && contact.torsion >= 0.0))
    throw InputError(at("contacts", i) + ".torsion", "want finite and >= 0, got " + text(contact.torsion));
}

/// "f1", "f2" …
void set_default_name(std::size_t i, std::string& name)
{
  char digits[20];
  name.assign(1, 'f');
  name.append(digits, std::to_chars(digits, digits + sizeof digits, i + 1).ptr);
}

/// arm x force, without entries that are only rounding of their products: a normal through the reference point has no
/// torque, and a grasp of such normals shall not turn that into closure. `reach`: sizes of the numbers behind the arm.
Eigen::Vector3d torque_of(const Eigen::Vector3d& arm, const Eigen::Vector3d& reach, const Eigen::Vector3d& force)
{
  constexpr double kArmRounding = 8.0 * std::numeric_limits<double>::epsilon();
  const auto entry = [&](int i, int j) {
    const double torque = arm[i] * force[j] - arm[j] * force[i];
    return std::abs(torque) > kArmRounding * (reach[i] * std::abs(force[j]) + reach[j] * std::abs(force[i])) ? torque
                                                                                                             : 0.0;
  };
  return {entry(1, 2), entry(2, 0), entry(0, 1)};
}

FrictionCone cone_of(const GraspContact& contact, bool planar, const ConeShape& shape)
{
  FrictionCone cone;
  cone.shape = shape;
  cone.tangents = contact.kind == GraspContactKind::kFrictionless ? 0 : planar ? 1 : 2;
  if (contact.kind == GraspContactKind::kBilateral && contact.mu == 0.0) cone.tangents = 0;
  cone.mu = cone.tangents > 0 ? contact.mu : 0.0;
  cone.torsional = contact.kind == GraspContactKind::kSoftFinger && !planar;  // its moment is not one of the plane
  cone.torsion = cone.torsional ? contact.torsion : 0.0;
  return cone;
}

/// Takes torques about the reference point and divides them by the length; `G` has rows force, torque about the
/// origin. A torque that is only rounding of its terms is none, as above.
void apply_convention(const WrenchConvention& convention, Eigen::MatrixXd& G)
{
  constexpr double kRowRounding = 0x1p-46;  // that of a scene's rows included
  const Eigen::Vector3d& p = convention.reference;
  const auto about_reference = [&](double torque, double size, int i, int j, double force_i, double force_j) {
    const double moved = torque - (p[i] * force_j - p[j] * force_i);
    const double terms = size + std::abs(p[i] * force_j) + std::abs(p[j] * force_i);
    return (std::abs(moved) > kRowRounding * terms ? moved : 0.0) / convention.torque_length;
  };
  const PlaneAxes plane = plane_axes(convention.plane);
  for (Eigen::Index k = 0; k < G.cols(); ++k) {
    auto column = G.col(k);
    if (G.rows() == 6) {
      const double size = column.tail<3>().lpNorm<1>();
      const Eigen::Vector3d torque = column.tail<3>();
      for (int c = 0; c < 3; ++c) {
        const int i = (c + 1) % 3, j = (c + 2) % 3;
        column[3 + c] = about_reference(torque[c], p.isZero(0.0) ? 0.0 : size, i, j, column[i], column[j]);
      }
    } else if (G.rows() == 3) {
      column[2] = about_reference(column[2], std::abs(column[2]), plane.a, plane.b, column[0], column[1]);
    }
  }
}

}  // namespace

void Grasp::validate() const
{
  const Eigen::Index n = G.cols();
  if (G.rows() < 1 || G.rows() > 6) throw InputError("G", "want 1 to 6 rows, got " + std::to_string(G.rows()));
  if (!G.allFinite()) throw InputError("G", "want finite entries, got a non-finite one");
  std::vector<char> owned(static_cast<std::size_t>(n), 0);
  const auto claim = [&](const std::string& path, int col, int count) {
    if (col < 0 || col + count > n)
      throw InputError(path, "want columns within 0 to " + std::to_string(n - 1) + ", got " + std::to_string(col) +
                                 " to " + std::to_string(col + count - 1));
    for (int j = col; j < col + count; ++j) {
      char& taken = owned[static_cast<std::size_t>(j)];
      if (taken) throw InputError(path, "want an unowned column, got column " + std::to_string(j));
      taken = 1;
    }
  };
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    stiction::validate(contacts[i].cone, at("contacts", i) + ".cone");
    claim(at("contacts", i), contacts[i].col, contacts[i].cone.dim());
    if (!(contacts[i].max_normal >= 0.0))
      throw InputError(at("contacts", i) + ".max_normal", "want >= 0, got " + text(contacts[i].max_normal));
  }
  for (std::size_t i = 0; i < free.size(); ++i) claim(at("free", i), free[i], 1);
  for (std::size_t j = 0; j < owned.size(); ++j)
    if (!owned[j])
      throw InputError("G", "want every column in a contact or free, got column " + std::to_string(j) + " in none");
  check_convention(convention);
  if (!has_hand()) return;
  if (J_hand.rows() != n)
    throw InputError("J_hand", "want " + std::to_string(n) + " rows, got " + std::to_string(J_hand.rows()));
  if (!J_hand.allFinite()) throw InputError("J_hand", "want finite entries, got a non-finite one");
  for (const auto& [path, vector] :
       {std::pair{"effort_lower", &effort_lower}, {"effort_upper", &effort_upper}, {"hand_load", &hand_load}})
    if (vector->size() != J_hand.cols())
      throw InputError(path,
                       "want " + std::to_string(J_hand.cols()) + " entries, got " + std::to_string(vector->size()));
  if (!hand_load.allFinite()) throw InputError("hand_load", "want finite entries, got a non-finite one");
  for (Eigen::Index k = 0; k < J_hand.cols(); ++k)
    if (!(effort_lower[k] <= effort_upper[k] && effort_lower[k] < kInfinity && effort_upper[k] > -kInfinity))
      throw InputError("effort_lower(" + std::to_string(k) + ")",
                       "want at most the upper limit " + text(effort_upper[k]) + ", got " + text(effort_lower[k]));
}

namespace {

/// Names, cones and columns of the contacts; how many columns there are.
int set_blocks(const std::vector<GraspContact>& contacts, bool planar, const ConeShape& shape, Grasp& grasp)
{
  int columns = 0;
  grasp.contacts.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    check(contacts[i], i);
    GraspBlock& block = grasp.contacts[i];
    if (contacts[i].name.empty())
      set_default_name(i, block.name);
    else
      block.name = contacts[i].name;
    block.col = columns;
    block.cone = cone_of(contacts[i], planar, shape);
    block.side = contacts[i].kind == GraspContactKind::kBilateral ? Side::kBilateral : Side::kUnilateral;
    block.max_normal = kInfinity;
    block.point = contacts[i].point;
    block.point_known = true;
    columns += block.cone.dim();
  }
  return columns;
}

/// Wrenches of the unit forces of contact i: its columns of G.
void write_wrenches(const GraspContact& contact, std::size_t i, const WrenchConvention& convention, Grasp& grasp)
{
  const bool planar = convention.plane != GraspPlane::kNone;
  const PlaneAxes plane = plane_axes(convention.plane);
  const double per_length = 1.0 / convention.torque_length;
  const Eigen::Vector3d arm = contact.point - convention.reference;
  const Eigen::Vector3d reach = contact.point.cwiseAbs() + convention.reference.cwiseAbs();
  const Eigen::Vector3d normal = unit_normal(contact, convention, i);
  const FrictionCone& cone = grasp.contacts[i].cone;
  int col = grasp.contacts[i].col;
  const auto write = [&](const Eigen::Vector3d& force, const Eigen::Vector3d& torque) {
    double* column = grasp.G.data() + grasp.G.rows() * col++;
    if (planar) {
      column[0] = force[plane.a];
      column[1] = force[plane.b];
      column[2] = torque[plane.c] * per_length;
    } else {
      for (int k = 0; k < 3; ++k) {
        column[k] = force[k];
        column[3 + k] = torque[k] * per_length;
      }
    }
  };
  const auto push = [&](const Eigen::Vector3d& force) { write(force, torque_of(arm, reach, force)); };
  push(normal);
  if (cone.tangents == 1) {
    push(Eigen::Vector3d::Unit(plane.c).cross(normal));
  } else if (cone.tangents == 2) {
    const Eigen::Vector3d t1 = normal.unitOrthogonal();
    push(t1);
    push(normal.cross(t1));
  }
  if (cone.torsional) write(Eigen::Vector3d::Zero(), normal);
}

}  // namespace

void set_grasp(const std::vector<GraspContact>& contacts, const WrenchConvention& convention, const ConeShape& shape,
               Grasp& grasp)
{
  check_convention(convention);
  const bool planar = convention.plane != GraspPlane::kNone;
  const int columns = set_blocks(contacts, planar, shape, grasp);
  grasp.G.resize(planar ? 3 : 6, columns);
  grasp.free.clear();
  grasp.J_hand.resize(columns, 0);
  grasp.effort_lower.resize(0);
  grasp.effort_upper.resize(0);
  grasp.hand_load.resize(0);
  grasp.convention = convention;
  for (std::size_t i = 0; i < contacts.size(); ++i) write_wrenches(contacts[i], i, convention, grasp);
}

namespace {

/// Which degrees of freedom are the object's. @throws InputError unless each is one of the problem's, once.
std::vector<char> mark_object(const std::vector<int>& object_dofs, Eigen::Index nv)
{
  if (object_dofs.empty() || object_dofs.size() > 6)
    throw InputError("object_dofs", "want 1 to 6 degrees of freedom, got " + std::to_string(object_dofs.size()));
  std::vector<char> of_object(static_cast<std::size_t>(nv), 0);
  for (std::size_t i = 0; i < object_dofs.size(); ++i) {
    const int dof = object_dofs[i];
    if (dof < 0 || dof >= nv || of_object[static_cast<std::size_t>(dof)])
      throw InputError(at("object_dofs", i),
                       "want each degree of freedom below " + std::to_string(nv) + " once, got " + std::to_string(dof));
    of_object[static_cast<std::size_t>(dof)] = 1;
  }
  return of_object;
}

/// The other degrees of freedom: how contacts see them, what loads them, what their motors can do.
void set_hand(const ContactProblem& problem, const std::vector<char>& of_object, Eigen::Index dofs, Grasp& grasp)
{
  grasp.J_hand.resize(problem.rows(), dofs);
  grasp.effort_lower.setZero(dofs);
  grasp.effort_upper.setZero(dofs);
  grasp.hand_load.resize(dofs);
  Eigen::Index k = 0;
  for (int dof = 0; dof < problem.nv(); ++dof) {
    if (of_object[static_cast<std::size_t>(dof)]) continue;
    grasp.J_hand.col(k) = problem.J.col(dof);
    grasp.hand_load[k] = problem.F[dof];
    for (const Actuator& actuator : problem.actuators)
      if (actuator.dof == dof) {
        grasp.effort_lower[k] += actuator.lower;
        grasp.effort_upper[k] += actuator.upper;
      }
    ++k;
  }
}

/// Where a contact is, in the frame of the object.
void set_point(const ContactProblem& problem, const Contact& contact, const std::vector<int>& object_dofs,
               const ObjectPose& object_W, GraspBlock& block)
{
  if (object_dofs.size() != 6 || contact.tangents != 2) {
    block.point = object_W.rotation.transpose() * (contact.point_W - object_W.origin);
    return;
  }
  // Three rows (n, p x n): the sum of n x (p x n) is 2 p, without world coordinates.
  for (int r = contact.row; r < contact.row + 3; ++r) {
    Eigen::Vector3d force, torque;
    for (int c = 0; c < 3; ++c) {
      force[c] = problem.J(r, object_dofs[static_cast<std::size_t>(c)]);
      torque[c] = problem.J(r, object_dofs[static_cast<std::size_t>(c + 3)]);
    }
    block.point += 0.5 * force.cross(torque);
    if (r == contact.row) block.point_known = !force.isZero(0.0);  // else of another body
  }
}

}  // namespace

void set_grasp(const ContactProblem& problem, const std::vector<int>& object_dofs, const WrenchConvention& convention,
               const ConeShape& shape, Grasp& grasp, const ObjectPose* object_W)
{
  check_convention(convention);
  const std::vector<char> of_object = mark_object(object_dofs, problem.nv());
  const Eigen::Index rows = static_cast<Eigen::Index>(object_dofs.size());
  grasp.convention = convention;
  grasp.G.resize(rows, problem.rows());
  for (Eigen::Index i = 0; i < rows; ++i)
    grasp.G.row(i) = problem.J.col(object_dofs[static_cast<std::size_t>(i)]).transpose();
  apply_convention(convention, grasp.G);

  set_hand(problem, of_object, problem.nv() - rows, grasp);

  grasp.contacts.resize(problem.contacts.size());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    GraspBlock& block = grasp.contacts[i];
    block.name = contact.name;
    block.col = contact.row;
    block.cone = FrictionCone{contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, shape};
    block.side = contact.side;
    block.max_normal = contact.max_normal;
    block.point_known = object_W != nullptr;
    block.point.setZero();
    if (object_W) set_point(problem, contact, object_dofs, *object_W, block);
  }
  grasp.free.clear();
  for (const LoopConstraint& closure : problem.loops)
    for (int r = 0; r < closure.rows; ++r) grasp.free.push_back(closure.row + r);
}

}  // namespace stiction
