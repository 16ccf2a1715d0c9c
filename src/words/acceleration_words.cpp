#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

#include "stiction/words.hpp"
#include "words/phrases.hpp"

namespace stiction {
namespace {

using internal::direction_text;
using internal::number_text;

constexpr double kHardlyAccelerates = 1e-4;  // m/s², rad/s²
constexpr double kNoAxes = 1e-9;             // entries of unit vectors
constexpr double kFalls = 0.1;               // share of the acceleration that the loads alone would give

/// The centre of mass of a model with a floating base, in the axes of its base; the first rows of M are its momentum.
struct Fall {
  Eigen::Index base = -1;
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero(), unopposed = Eigen::Vector3d::Zero();  ///< m/s²
};

/// The model whose centre of mass accelerates most; base < 0: none does.
Fall largest_fall(const ContactProblem& problem, const Eigen::VectorXd& a)
{
  Fall largest;
  for (Eigen::Index j = 0; j + 6 <= problem.nv() && j < static_cast<Eigen::Index>(problem.dofs.size()); ++j) {
    const Dof& dof = problem.dofs[static_cast<std::size_t>(j)];
    if (!dof.of_base() || dof.index != 0 || dof.size != 6 || !(problem.M(j, j) > 0.0)) continue;
    const Eigen::Vector3d acceleration = problem.M.middleRows<3>(j) * a / problem.M(j, j);
    if (!(acceleration.norm() > largest.acceleration.norm())) continue;
    largest = {j, acceleration, -problem.F.segment<3>(j) / problem.M(j, j)};
  }
  return largest;
}

/// Where the centre of mass accelerates to; none when no contact tells where the base's axes point.
std::optional<Eigen::Vector3d> way_of(const ContactProblem& problem, const Fall& fall)
{
  for (const Contact& contact : problem.contacts) {
    if (contact.tangents != 2) continue;
    Eigen::Matrix3d base_W = contact.axes_W * problem.J.block<3, 3>(contact.row, fall.base);
    if (base_W.isZero(kNoAxes)) continue;                                               // a contact of another model
    if (base_W.col(0).cross(base_W.col(1)).dot(base_W.col(2)) < 0.0) base_W = -base_W;  // the base is on the other side
    return (base_W * fall.acceleration).normalized();
  }
  return std::nullopt;
}

/// " down", " along (+1, 0, 0)"; empty when it is not known.
std::string direction_of(const ContactProblem& problem, const Fall& fall)
{
  const std::optional<Eigen::Vector3d> way = way_of(problem, fall);
  if (!way) return "";
  return way->z() < -0.995 ? " down" : " along " + direction_text(*way);
}

/// With a good part of what the loads alone would give, and not sideways or up.
bool falls(const ContactProblem& problem, const Fall& fall)
{
  constexpr double kDownwards = -0.25;
  const std::optional<Eigen::Vector3d> way = way_of(problem, fall);
  return (!way || way->z() < kDownwards) &&
         fall.acceleration.dot(fall.unopposed) > kFalls * fall.unopposed.squaredNorm();
}

}  // namespace

std::string internal::course_of_mass(const ContactProblem& problem, const Eigen::VectorXd& a)
{
  const Fall fall = largest_fall(problem, a);
  return fall.base >= 0 ? direction_of(problem, fall) : "";
}

std::string describe_acceleration(const ContactProblem& problem, const Eigen::VectorXd& a)
{
  if (a.size() != problem.nv() || a.size() == 0) return "";
  // Velocities of free and planar joints are told in axes that turn with the body: while it turns, their rates of
  // change are not the acceleration of anything.
  if (!problem.gamma.isZero(0.0) && std::ranges::any_of(problem.dofs, [](const Dof& dof) { return dof.size > 1; }))
    return "";
  Eigen::Index fastest = 0;
  if (!(a.cwiseAbs().maxCoeff(&fastest) > kHardlyAccelerates)) return "";
  if (const Fall fall = largest_fall(problem, a); fall.acceleration.norm() > kHardlyAccelerates) {
    return (falls(problem, fall) ? "it falls: " : "it moves: ") + number_text(fall.acceleration.norm()) + " m/s²" +
           direction_of(problem, fall);
  }
  const auto joint = static_cast<std::size_t>(fastest);
  return "it moves: " +
         (joint < problem.dof_names.size() ? problem.dof_names[joint] : "degree of freedom " + std::to_string(joint)) +
         " accelerates by " + number_text(std::abs(a[fastest])) + " (m/s² or rad/s²)";
}

}  // namespace stiction
