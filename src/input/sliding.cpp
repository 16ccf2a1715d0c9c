#include "stiction/sliding_input.hpp"

#include <cmath>

#include "base/text.hpp"
#include "stiction/error.hpp"
#include "stiction/rest.hpp"

namespace stiction {
namespace {

/// A direction may leave the surface by this much, as a normal may miss unit length.
constexpr double kAcross = 1e-6;
/// A direction and a velocity agree when their unit vectors differ by less: directions are written with a few digits.
constexpr double kAgree = 1e-3;

template <class Vector>
Vector without_rounding(Vector x)
{
  for (double& entry : x)
    if (std::abs(entry) <= kRounding) entry = 0.0;
  return x;
}

std::string in_world(const Contact& contact, const Eigen::Vector2d& along)
{
  return internal::text(without_rounding<Eigen::Vector3d>(contact.axes_W.rightCols<2>() * along));
}

/// Which way one contact slides.
/// @param speed of its rows. @param given direction in its axes (n, t1, t2), unit; none: not given.
/// @param shown as it was written, for messages about the entry `path`.
std::optional<Eigen::Vector2d> slip_of(const Contact& contact, const Eigen::VectorXd& speed,
                                       const std::optional<Eigen::Vector3d>& given, const std::string& shown,
                                       const std::string& path)
{
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();
  velocity.head(contact.tangents) = speed.segment(contact.row + 1, contact.tangents);
  const bool moves = velocity.norm() > kRestSpeed;
  if (!given) {
    if (contact.torsional || contact.tangents == 0) return {};
    if (moves) return without_rounding<Eigen::Vector2d>(velocity.normalized());
    return contact.mu > 0.0 ? std::nullopt : std::optional<Eigen::Vector2d>(Eigen::Vector2d::UnitX());
  }
  if (std::abs((*given)[0]) > kAcross)
    throw InputError(path, "want a direction along the surface at " + contact.name + ", got " + shown + " with " +
                               internal::text((*given)[0]) + " of it along the normal");
  if (contact.tangents == 1 && std::abs((*given)[2]) > kAcross)
    throw InputError(path, "want a direction in the plane of the scene at " + contact.name + ", got " + shown);
  Eigen::Vector2d along = given->tail<2>().normalized();
  if (moves) {
    if ((velocity.normalized() - along).norm() > kAgree)
      throw InputError(path, "want the direction of the velocity at " + contact.name + ", " +
                                 in_world(contact, velocity) + " m/s in the world, got " + in_world(contact, along) +
                                 " in the world");
    along = velocity.normalized();
  }
  return without_rounding(along);
}

}  // namespace

SlipDirections slip_directions(Scene& scene, const SceneState& state, const ContactProblem& problem,
                               const std::vector<std::optional<Eigen::Vector3d>>& slides)
{
  const Eigen::VectorXd speed = problem.J * state.v;
  SlipDirections slips;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const ContactOrigin& origin = scene.contact_origins()[i];
    std::optional<Eigen::Vector3d> given = slides[static_cast<std::size_t>(origin.description)];
    const std::string path = "contacts[" + std::to_string(origin.description) + "].slides";
    const std::string shown = given ? internal::text(*given) : "";
    if (given) {
      const Eigen::Matrix3d frame_W = scene.link_pose(state, origin.normal_body, path).linear();
      given = contact.axes_W.transpose() * (frame_W * given->normalized());
    }
    slips.push_back(slip_of(contact, speed, given, shown, path));
  }
  return slips;
}

SlipDirections slip_directions(const ContactProblem& problem, const Eigen::VectorXd& v,
                               const std::vector<std::optional<Eigen::Vector3d>>& slides)
{
  const Eigen::VectorXd speed = problem.J * v;
  SlipDirections slips;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    std::optional<Eigen::Vector3d> given = slides[i];
    const std::string shown = given ? internal::text(*given) : "";
    if (given) given->normalize();
    slips.push_back(slip_of(problem.contacts[i], speed, given, shown, "contacts[" + std::to_string(i) + "].slides"));
  }
  return slips;
}

std::vector<bool> moves_along_surface(const ContactProblem& problem, const Eigen::VectorXd& v)
{
  const Eigen::VectorXd speed = problem.J * v;
  std::vector<bool> moves;
  for (const Contact& contact : problem.contacts)
    moves.push_back(speed.segment(contact.row + 1, contact.tangents).norm() > kRestSpeed);
  return moves;
}

}  // namespace stiction
