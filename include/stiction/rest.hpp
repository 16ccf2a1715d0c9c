#pragma once

#include <vector>

#include "stiction/scene.hpp"

namespace stiction {

/// Slower than this, bodies count as at rest relative to each other: m/s, rad/s on rows that turn.
inline constexpr double kRestSpeed = 1e-6;

/// For questions about contacts that stick and closures that stay closed. A contact that `slides` (one entry per
/// contact of the problem; none: nobody does) may move along its surface.
/// @throws InputError "contacts[2]: …" (of the description) with the velocity of the first one whose bodies move
/// relative to each other.
void require_rest(const Scene& scene, const SceneState& state, const ContactProblem& problem,
                  const std::vector<bool>& slides = {});

/// The same for matrices without a scene that move with `v`; "contacts[2]" is the problem's.
void require_rest(const ContactProblem& problem, const Eigen::VectorXd& v, const std::vector<bool>& slides = {});

/// What contacts do at this instant, by the velocity of their gaps (Loetstedt 1982, (2.3), (2.4)): those that close at
/// rest are what questions about forces are about, those that part carry nothing, those that meet belong to impact.
enum class ContactActivity { kActive, kParts, kMeets };

/// One per contact; bilateral ones are always active. `problem_without` (proof.hpp) leaves out those that part.
std::vector<ContactActivity> contact_activity(const ContactProblem& problem, const Eigen::VectorXd& v,
                                              double rest_speed = kRestSpeed);

}  // namespace stiction
