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

}  // namespace

SlipDirections slip_directions(Scene& scene, const SceneState& state, const ContactProblem& problem,
                               const std::vector<std::optional<Eigen::Vector3d>>& slides)
{
  const Eigen::VectorXd speed = problem.J * state.v;
  SlipDirections slips(problem.contacts.size());
  for (std::size_t i = 0; i < slips.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const ContactOrigin& origin = scene.contact_origins()[i];
    const auto& given = slides[static_cast<std::size_t>(origin.description)];
    const Eigen::Vector2d velocity = speed.segment<2>(contact.row + 1);
    const bool moves = velocity.norm() > kRestSpeed;
    if (!given) {
      if (contact.mu == 0.0 && !contact.torsional)
        slips[i] = moves ? velocity.normalized() : Eigen::Vector2d::UnitX().eval();
      continue;
    }
    const std::string path = "contacts[" + std::to_string(origin.description) + "].slides";
    const Eigen::Matrix3d frame_W = scene.link_pose(state, origin.normal_body, path).linear();
    const Eigen::Vector3d direction = contact.axes_W.transpose() * (frame_W * given->normalized());
    if (std::abs(direction[0]) > kAcross)
      throw InputError(path, "want a direction along the surface at " + contact.name + ", got " +
                                 internal::text(*given) + " with " + internal::text(direction[0]) +
                                 " of it along the normal");
    Eigen::Vector2d along = direction.tail<2>().normalized();
    if (moves) {
      if ((velocity.normalized() - along).norm() > kAgree)
        throw InputError(path, "want the direction of the velocity at " + contact.name + ", " +
                                   in_world(contact, velocity) + " m/s in the world, got " + in_world(contact, along) +
                                   " in the world");
      along = velocity.normalized();
    }
    slips[i] = without_rounding(along);
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
